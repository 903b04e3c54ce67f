//! Judges licences and sources of every dependency by `deny.toml`, as cargo-deny does.
//!
//! A new machine has no cargo-deny, and to build it takes longer than to build the prover. So `deny.toml` is
//! the one list, for both; what it says that is not judged here is an error.

use crate::shell;
use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;
use spdx::{Expression, Licensee, ParseMode};
use std::path::Path;
use toml::{Table, Value as Toml};

/// The file that both read.
const FILE: &str = "deny.toml";
/// What cargo calls the source of packages from its own registry, which needs no mention.
const CARGOS_OWN: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// Judges the packages of every lock file in git.
pub(crate) fn run() -> Result<()> {
    let policy = Policy::read()?;
    let mut findings = Vec::new();
    let mut judged = 0;
    for manifest in manifests()? {
        let mut metadata = shell::cargo();
        metadata.args(["metadata", "--all-features", "--format-version", "1", "--manifest-path"]);
        let text = shell::output(metadata.arg(&manifest))
            .with_context(|| format!("`cargo metadata` failed for {manifest}"))?;
        let metadata: Value = serde_json::from_str(&text).context("`cargo metadata` did not print JSON")?;
        let (packages, found) = policy.judge(&metadata)?;
        judged += packages;
        findings.extend(found.into_iter().map(|finding| format!("{manifest}: {finding}")));
    }
    findings.iter().for_each(|finding| eprintln!("{finding}"));
    match findings.len() {
        0 => {
            eprintln!("{judged} packages keep to {FILE}");
            Ok(())
        }
        n => bail!("{n} findings against {FILE}"),
    }
}

/// The manifests beside the lock files that git has, and beside new ones that it does not ignore.
fn manifests() -> Result<Vec<String>> {
    let mut git = shell::command("git");
    git.args(["ls-files", "--cached", "--others", "--exclude-standard", "--", "Cargo.lock", "**/Cargo.lock"]);
    let text = shell::output(&mut git).context("`git ls-files` failed")?;
    let of = |lock: &str| Path::new(lock).with_file_name("Cargo.toml").to_string_lossy().into_owned();
    let manifests: Vec<String> = text.lines().map(of).collect();
    ensure!(manifests.iter().any(|m| m == "Cargo.toml"), "git has no Cargo.lock of the workspace");
    Ok(manifests)
}

/// What `deny.toml` allows.
#[derive(Debug)]
pub(crate) struct Policy {
    licences: Vec<Licensee>,
    /// Whether packages that are never published may have none.
    ignore_private: bool,
    registries: Vec<String>,
    repositories: Vec<String>,
    /// Whether registries that are not listed are refused, and repositories that are not.
    deny_registries: bool,
    deny_repositories: bool,
    deny_wildcards: bool,
}

impl Policy {
    /// Reads `deny.toml` of the workspace.
    pub(crate) fn read() -> Result<Policy> {
        let text = std::fs::read_to_string(shell::root().join(FILE))
            .with_context(|| format!("cannot read {FILE}"))?;
        Policy::parse(&text).with_context(|| format!("{FILE} says what is not judged"))
    }

    fn parse(text: &str) -> Result<Policy> {
        let mut file: Table = text.parse()?;
        let mut licences = take(&mut file, "licenses")?;
        let mut sources = take(&mut file, "sources")?;
        let mut bans = take(&mut file, "bans")?;
        let mut graph = take(&mut file, "graph")?;
        let allow = strings(&mut licences, "allow")?;
        let parsed = allow.iter().map(|licence| {
            Licensee::parse(licence).map_err(|error| anyhow::anyhow!("licenses.allow: {licence:?}: {error}"))
        });
        let policy = Policy {
            licences: parsed.collect::<Result<_>>()?,
            ignore_private: ignores_private(&mut licences)?,
            registries: strings(&mut sources, "allow-registry")?,
            repositories: strings(&mut sources, "allow-git")?,
            deny_registries: denies(&mut sources, "unknown-registry")?,
            deny_repositories: denies(&mut sources, "unknown-git")?,
            deny_wildcards: denies(&mut bans, "wildcards")?,
        };
        ensure!(!policy.licences.is_empty(), "licenses.allow is empty");
        ensure!(
            !denies(&mut bans, "multiple-versions")?,
            "bans.multiple-versions is judged as \"allow\" only"
        );
        for (table, key, name) in
            [(&mut graph, "all-features", "graph"), (&mut bans, "allow-wildcard-paths", "bans")]
        {
            ensure!(table.remove(key) == Some(Toml::Boolean(true)), "{name}.{key} is judged as `true` only");
        }
        for (name, table) in [
            ("", &file),
            ("licenses.", &licences),
            ("sources.", &sources),
            ("bans.", &bans),
            ("graph.", &graph),
        ] {
            if let Some(key) = table.keys().next() {
                bail!("{name}{key} is not known");
            }
        }
        Ok(policy)
    }

    /// The number of packages in the output of `cargo metadata`, and one finding for each thing that is not
    /// allowed.
    fn judge(&self, metadata: &Value) -> Result<(usize, Vec<String>)> {
        let packages = metadata["packages"].as_array().context("`cargo metadata` lists no packages")?;
        let mut findings = Vec::new();
        for package in packages {
            let text = |field: &str| package[field].as_str();
            let (name, version) = (text("name").unwrap_or("?"), text("version").unwrap_or("?"));
            let mut found = |what: String| findings.push(format!("{name} {version}: {what}"));
            let private = package["publish"].as_array().is_some_and(Vec::is_empty);
            if !(private && self.ignore_private)
                && let Err(error) = self.licence(text("license"))
            {
                found(format!("{error:#} [licenses]"));
            }
            match text("source") {
                Some(source) if !self.allows_source(source) => {
                    found(format!("{source} is not an allowed source [sources]"));
                }
                Some(_) => {}
                // Only what is ours can be changed here.
                None => self
                    .wildcards(package)
                    .for_each(|to| found(format!("any version of {to} is asked for [bans]"))),
            }
        }
        Ok((packages.len(), findings))
    }

    /// Fails unless the SPDX expression is satisfied by licences that are allowed.
    pub(crate) fn licence(&self, expression: Option<&str>) -> Result<()> {
        let text = expression.context("its manifest names no licence")?;
        // `MIT/Apache-2.0` is how older packages say `OR`.
        let mode =
            ParseMode { allow_slash_as_or_operator: true, allow_deprecated: true, ..ParseMode::STRICT };
        let parsed = Expression::parse_mode(text, mode)
            .map_err(|error| anyhow::anyhow!("{text:?} is no SPDX expression: {}", error.reason))?;
        let allowed =
            |wanted: &spdx::LicenseReq| self.licences.iter().any(|licence| licence.satisfies(wanted));
        ensure!(parsed.evaluate(allowed), "the licence {text} is not allowed");
        Ok(())
    }

    fn allows_source(&self, source: &str) -> bool {
        if let Some(url) = source.strip_prefix("git+") {
            // Without the branch and the commit.
            let url = url.split(['?', '#']).next().unwrap_or_default();
            let url = url.trim_end_matches(".git");
            return !self.deny_repositories
                || self.repositories.iter().any(|r| r.trim_end_matches(".git") == url);
        }
        let listed = |r: &String| source == r || source.split_once('+').is_some_and(|(_, url)| url == r);
        !self.deny_registries || source == CARGOS_OWN || self.registries.iter().any(listed)
    }

    /// Dependencies of a package, other than those on paths, that any version satisfies.
    fn wildcards<'a>(&self, package: &'a Value) -> impl Iterator<Item = &'a str> + use<'a> {
        let dependencies = package["dependencies"].as_array().filter(|_| self.deny_wildcards);
        let wild = |d: &&Value| d["req"] == "*" && d["path"].is_null();
        dependencies.into_iter().flatten().filter(wild).filter_map(|d| d["name"].as_str())
    }
}

fn take(file: &mut Table, name: &str) -> Result<Table> {
    match file.remove(name) {
        Some(Toml::Table(table)) => Ok(table),
        _ => bail!("[{name}] is missing"),
    }
}

/// A list of strings; none where it is not said.
fn strings(table: &mut Table, key: &str) -> Result<Vec<String>> {
    match table.remove(key) {
        None => Ok(Vec::new()),
        Some(Toml::Array(values)) => {
            let text = |value: Toml| {
                value.as_str().map(str::to_owned).with_context(|| format!("{key} holds {value:?}"))
            };
            values.into_iter().map(text).collect()
        }
        Some(other) => bail!("{key} is {other:?}, not a list"),
    }
}

/// Whether a key says `deny` and not `allow`; warnings would be read by nobody.
fn denies(table: &mut Table, key: &str) -> Result<bool> {
    match table.remove(key).as_ref().and_then(Toml::as_str) {
        Some("deny") => Ok(true),
        Some("allow") => Ok(false),
        other => bail!("{key} is {other:?}, neither \"deny\" nor \"allow\""),
    }
}

/// Whether `private` says that packages that are never published are left out.
fn ignores_private(licences: &mut Table) -> Result<bool> {
    match licences.remove("private") {
        None => Ok(false),
        Some(Toml::Table(table)) if table.len() == 1 && table.get("ignore") == Some(&Toml::Boolean(true)) => {
            Ok(true)
        }
        Some(other) => bail!("licenses.private is {other:?}, not {{ ignore = true }}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const GOOD: &str = "
        [graph]
        all-features = true
        [licenses]
        allow = [\"MIT\", \"Apache-2.0 WITH LLVM-exception\", \"Unicode-3.0\"]
        private = { ignore = true }
        [sources]
        unknown-registry = \"deny\"
        unknown-git = \"deny\"
        allow-git = [\"https://example.org/allowed.git\"]
        [bans]
        multiple-versions = \"allow\"
        wildcards = \"deny\"
        allow-wildcard-paths = true
    ";

    fn findings(package: Value) -> Vec<String> {
        let policy = Policy::parse(GOOD).expect("a policy");
        let (count, findings) = policy.judge(&json!({ "packages": [package] })).expect("packages");
        assert_eq!(count, 1);
        findings
    }

    #[test]
    fn the_file_of_the_workspace_is_read_whole() {
        Policy::read().expect("deny.toml");
    }

    #[test]
    fn licences_are_expressions() {
        let of = |licence: &str| {
            findings(json!({"name": "p", "version": "1.0.0", "license": licence, "source": CARGOS_OWN}))
        };
        for good in ["MIT", "GPL-3.0-only OR MIT", "GPL-3.0/MIT", "(MIT OR Zlib) AND Unicode-3.0"] {
            assert_eq!(of(good), Vec::<String>::new(), "{good}");
        }
        assert_eq!(of("Apache-2.0 WITH LLVM-exception OR Zlib"), Vec::<String>::new());
        for bad in ["GPL-3.0-only", "MIT AND GPL-3.0-only", "Apache-2.0", "Zlib", "MIT OR", "free", ""] {
            let found = of(bad);
            assert!(found.len() == 1 && found[0].starts_with("p 1.0.0: "), "{bad}: {found:?}");
            assert!(found[0].ends_with(" [licenses]"), "{bad}: {found:?}");
        }
        let found = findings(json!({"name": "p", "version": "1.0.0", "license_file": "LICENSE"}));
        assert_eq!(found, ["p 1.0.0: its manifest names no licence [licenses]"]);
        for (publish, count) in [(json!([]), 0), (json!(["a"]), 1), (Value::Null, 1)] {
            assert_eq!(findings(json!({"name": "p", "version": "1.0.0", "publish": publish})).len(), count);
        }
    }

    #[test]
    fn sources_are_crates_io_and_what_is_listed() {
        let of = |source: &str| {
            findings(json!({"name": "p", "version": "1.0.0", "license": "MIT", "source": source}))
        };
        for good in [CARGOS_OWN, "git+https://example.org/allowed?branch=main#0123"] {
            assert_eq!(of(good), Vec::<String>::new(), "{good}");
        }
        for bad in [
            "git+https://example.org/other#0123",
            "git+https://example.org/allowed/other#0123",
            "registry+https://example.org/index",
            "sparse+https://example.org/",
        ] {
            assert_eq!(of(bad), [format!("p 1.0.0: {bad} is not an allowed source [sources]")]);
        }
    }

    #[test]
    fn any_version_is_refused_but_on_paths() {
        let of = |dependency: Value| {
            findings(
                json!({"name": "p", "version": "1.0.0", "license": "MIT", "source": null, "dependencies": [dependency]}),
            )
        };
        assert_eq!(of(json!({"name": "q", "req": "*"})), ["p 1.0.0: any version of q is asked for [bans]"]);
        assert_eq!(of(json!({"name": "q", "req": "*", "path": "q"})), Vec::<String>::new());
        assert_eq!(of(json!({"name": "q", "req": "^1"})), Vec::<String>::new());
    }

    #[test]
    fn what_is_not_judged_is_an_error() {
        for (from, to) in [
            ("allow-git", "private"),
            ("all-features = true", "all-features = false"),
            ("multiple-versions = \"allow\"", "multiple-versions = \"deny\""),
            ("unknown-git = \"deny\"", "unknown-git = \"warn\""),
            ("unknown-git = \"deny\"", ""),
            ("[bans]", "[advisories]\n[bans]"),
            ("\"MIT\"", "\"MTI\""),
            ("\"MIT\"", "1"),
            ("allow = [", "clarify = ["),
            ("ignore = true", "ignore = true, registries = []"),
        ] {
            assert!(GOOD.contains(from));
            assert!(Policy::parse(&GOOD.replace(from, to)).is_err(), "{to}");
        }
    }
}
