//! The text that goes with the code of others in a binary.

use crate::deny::Policy;
use crate::shell;
use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// How names of files with licences start, in capitals.
const NAMES: [&str; 5] = ["COPYING", "COPYRIGHT", "LICENCE", "LICENSE", "NOTICE"];

/// Texts of packages that carry none, from the repositories of which they are.
const ABSENT: [(&str, &str); 2] =
    [("napi", include_str!("licences/napi-rs.txt")), ("napi-sys", include_str!("licences/napi-rs.txt"))];

/// Files with licences: name and text of each.
type Texts = Vec<(String, String)>;

/// A package that is linked.
#[derive(Debug, PartialEq, Eq)]
struct Package {
    name: String,
    version: String,
    licence: String,
    repository: String,
    texts: Texts,
}

/// What is written of all packages from elsewhere that `cargo tree` with these arguments shows; and their
/// number.
pub(crate) fn write(tree: &[&str]) -> Result<(String, usize)> {
    let linked = shell::output(
        shell::cargo()
            .args(["tree", "--edges", "normal,no-proc-macro", "--prefix", "none", "--format", "{p}"])
            .args(tree),
    )
    .context("`cargo tree` failed")?;
    let metadata =
        shell::output(shell::cargo().args(["metadata", "--all-features", "--format-version", "1"]))
            .context("`cargo metadata` failed")?;
    let metadata = serde_json::from_str(&metadata).context("`cargo metadata` did not print JSON")?;
    let mut packages = packages(&linked, &metadata, &|manifest| texts(manifest))?;
    for package in packages.iter_mut().filter(|package| package.texts.is_empty()) {
        let known = ABSENT.iter().filter(|absent| absent.0 == package.name);
        package.texts = known.map(|(_, text)| ("LICENSE".to_owned(), (*text).to_owned())).collect();
    }
    Ok((page(&packages, &Policy::read()?)?, packages.len()))
}

/// The packages from elsewhere in the output of `cargo tree`.
fn packages(linked: &str, metadata: &Value, texts: &dyn Fn(&Path) -> Result<Texts>) -> Result<Vec<Package>> {
    let mut names = BTreeSet::new();
    for line in linked.lines().filter(|line| !line.is_empty()) {
        let mut words = line.split(' ');
        let version = words.clone().nth(1).and_then(|version| version.strip_prefix('v'));
        let version = version.with_context(|| format!("`cargo tree` names no version in {line:?}"))?;
        names.insert((words.next().unwrap_or_default(), version));
    }
    let known = metadata["packages"].as_array().context("`cargo metadata` lists no packages")?;
    let mut packages = Vec::new();
    for (name, version) in names {
        let package = known.iter().find(|p| p["name"] == name && p["version"] == version);
        let package = package.with_context(|| format!("`cargo metadata` does not know {name} {version}"))?;
        if package["source"].is_null() {
            continue;
        }
        let text = |field: &str| package[field].as_str().unwrap_or_default().to_owned();
        packages.push(Package {
            name: name.to_owned(),
            version: version.to_owned(),
            licence: text("license"),
            repository: text("repository"),
            texts: texts(Path::new(&text("manifest_path")))?,
        });
    }
    ensure!(!packages.is_empty(), "`cargo tree` shows no package from elsewhere");
    Ok(packages)
}

/// The files with licences beside a manifest.
fn texts(manifest: &Path) -> Result<Texts> {
    let folder = manifest.parent().unwrap_or(manifest);
    let entries = std::fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<std::io::Result<Vec<PathBuf>>>()?;
    paths.sort();
    let mut texts = Vec::new();
    for path in paths.into_iter().filter(|path| path.is_file()) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if is_licence(&name) {
            let text =
                std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
            texts.push((name, text.replace("\r\n", "\n").trim_matches('\n').to_owned() + "\n"));
        }
    }
    Ok(texts)
}

fn is_licence(name: &str) -> bool {
    let capitals = name.to_uppercase();
    NAMES.iter().any(|start| capitals.starts_with(start)) && !capitals.ends_with(".RS")
}

/// The page. Fails where a licence is not allowed, and where its text is missing and is not ours as well.
fn page(packages: &[Package], policy: &Policy) -> Result<String> {
    let mut page = String::from(
        "This program contains code of the packages below, each under its own licence. `OR` leaves\n\
         the choice to the user. The texts that the packages carry follow the list, each once.\n\n",
    );
    let mut users: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for package in packages {
        let Package { name, version, licence, repository, texts } = package;
        policy.licence(Some(licence)).with_context(|| format!("{name} {version}"))?;
        let line = format!("{name} {version}: {licence}; {repository}");
        writeln!(page, "{}", line.trim_end_matches("; "))?;
        if texts.is_empty() && !is_apache(licence) {
            bail!(
                "{name} {version} ({licence}) carries no text of its licence, so that none can be passed on"
            );
        }
        for (_, text) in texts {
            users.entry(text).or_default().insert(format!("{name} {version}"));
        }
    }
    let silent: Vec<String> =
        packages.iter().filter(|p| p.texts.is_empty()).map(|p| format!("{} {}", p.name, p.version)).collect();
    if !silent.is_empty() {
        let all = silent.join(", ");
        writeln!(page, "\nWithout a text of their own, under Apache-2.0 (see LICENSE-APACHE): {all}")?;
    }
    // By their users: a text by itself has no order that a reader would expect.
    let mut texts: Vec<_> = users.into_iter().map(|(text, users)| (users, text)).collect();
    texts.sort();
    for (users, text) in texts {
        let users = users.into_iter().collect::<Vec<_>>().join(", ");
        write!(page, "\n{}\n{users}\n\n{text}", "=".repeat(80))?;
    }
    Ok(page)
}

/// Whether Apache-2.0 is a licence of its own choice: its text is the same for everybody.
fn is_apache(licence: &str) -> bool {
    licence.replace('/', " OR ").split(" OR ").any(|choice| choice.trim() == "Apache-2.0")
        && !licence.contains('(')
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn known(licence: &str) -> Value {
        json!({"packages": [
            {"name": "ours", "version": "0.1.0", "source": null, "license": "MIT", "manifest_path": "/o/Cargo.toml"},
            {"name": "theirs", "version": "1.2.0", "source": "registry", "license": "Zlib", "manifest_path": "/old/Cargo.toml"},
            {"name": "theirs", "version": "2.0.0", "source": "registry", "license": licence, "manifest_path": "/t/Cargo.toml",
             "repository": "https://example.org/theirs"},
            {"name": "unused", "version": "1.0.0", "source": "registry", "license": "GPL-3.0-only", "manifest_path": "/u/Cargo.toml"},
        ]})
    }

    const TREE: &str = "ours v0.1.0 (/folder with spaces)\ntheirs v2.0.0\n\ntheirs v2.0.0 (*)\n";

    fn of(licence: &str, texts: &[(&str, &str)]) -> Result<String> {
        let found = packages(TREE, &known(licence), &|manifest| {
            assert_eq!(manifest, Path::new("/t/Cargo.toml"));
            Ok(texts.iter().map(|&(name, text)| (name.to_owned(), text.to_owned())).collect())
        })?;
        assert_eq!(found.len(), 1, "{found:?}");
        page(&found, &Policy::read()?)
    }

    #[test]
    fn what_is_linked_is_listed_with_its_texts() {
        let page =
            of("MIT", &[("LICENSE", "Copyright them\n"), ("NOTICE", "Copyright them\n")]).expect("allowed");
        assert!(page.contains("\ntheirs 2.0.0: MIT; https://example.org/theirs\n"), "{page}");
        assert_eq!(page.matches("Copyright them").count(), 1, "{page}");
        assert!(!page.contains("ours 0") && !page.contains("unused") && !page.contains("1.2.0"), "{page}");
    }

    #[test]
    fn a_licence_is_allowed_and_has_a_text() {
        let texts = &[("LICENSE", "text")];
        assert!(of("GPL-3.0-only", texts).is_err());
        assert!(of("", texts).is_err());
        assert!(of("MIT", &[]).is_err(), "a copyright line is part of the text");
        for licence in ["MIT OR Apache-2.0", "MIT/Apache-2.0", "Apache-2.0"] {
            assert!(
                of(licence, &[]).expect(licence).contains("(see LICENSE-APACHE): theirs 2.0.0"),
                "{licence}"
            );
        }
        assert!(of("(MIT OR Apache-2.0) AND Unicode-3.0", &[]).is_err());
    }

    #[test]
    fn a_package_that_is_not_known_is_an_error() {
        let none = |_: &Path| Ok(Vec::new());
        assert!(packages("theirs v3.0.0", &known("MIT"), &none).is_err());
        assert!(packages("theirs", &known("MIT"), &none).is_err());
        assert!(packages("ours v0.1.0 (/o)", &known("MIT"), &none).is_err(), "nothing from elsewhere");
    }

    #[test]
    fn licences_are_files_with_such_names() {
        for name in [
            "LICENSE",
            "LICENSE-MIT",
            "license-apache-2.0",
            "LICENCE.md",
            "COPYING",
            "Notice.txt",
            "COPYRIGHT",
        ] {
            assert!(is_licence(name), "{name}");
        }
        for name in ["README.md", "copying.rs", "Cargo.toml", "UNLICENSED"] {
            assert!(!is_licence(name), "{name}");
        }
    }
}
