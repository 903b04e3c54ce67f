//! The manual's pages and shells' completions, which the binary prints of itself.

use super::archive::{File, Files};
use anyhow::{Result, ensure};

/// Shells, and where each looks for the completions of a program.
const SHELLS: [(&str, &str); 3] = [
    ("bash", "share/bash-completion/completions/curvesmith"),
    ("fish", "share/fish/vendor_completions.d/curvesmith.fish"),
    ("zsh", "share/zsh/site-functions/_curvesmith"),
];

/// The page of the program itself.
pub(super) const PAGE: &str = "share/man/man1/curvesmith.1";

/// A page for each command and a file for each shell. `print` runs the program with arguments.
pub(super) fn files(print: &dyn Fn(&[&str]) -> Result<String>) -> Result<Files> {
    let mut files = Files::new();
    let mut add = |path: String, text: String| {
        ensure!(!text.trim().is_empty(), "the program prints nothing for {path}");
        files.insert(path, File { bytes: text.into_bytes(), executable: false });
        Ok(())
    };
    let mut waiting = vec![Vec::new()];
    while let Some(command) = waiting.pop() {
        let words: Vec<&str> = std::iter::once("man").chain(command.iter().map(String::as_str)).collect();
        let page = print(&words)?;
        let name = [&["curvesmith".to_owned()], &command[..]].concat().join("-");
        for child in children(&page, &name) {
            waiting.push([&command[..], &[child]].concat());
        }
        add(format!("share/man/man1/{name}.1"), page)?;
    }
    for (shell, path) in SHELLS {
        add(path.to_owned(), print(&["completions", shell])?)?;
    }
    for path in [PAGE, "share/man/man1/curvesmith-prove.1"] {
        ensure!(files.contains_key(path), "the manual has no {path}");
    }
    Ok(files)
}

/// The commands that a page refers to as pages below it. `help` has none of its own.
fn children(page: &str, name: &str) -> Vec<String> {
    let start = format!("{name}-");
    let lines = page.lines().zip(page.lines().skip(1)).filter(|(tag, _)| *tag == ".TP").map(|(_, line)| line);
    let names = lines.filter_map(|line| {
        let line = line.replace("\\-", "-");
        Some(line.strip_prefix(&start)?.strip_suffix("(1)")?.to_owned())
    });
    names.filter(|name| name != "help").collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::bail;

    fn print(arguments: &[&str]) -> Result<String> {
        Ok(match arguments {
            ["completions", shell] => return Ok(format!("# {shell}\n")),
            ["man"] => ".TH curvesmith 1\n.SH SUBCOMMANDS\n.TP\ncurvesmith\\-prove(1)\nProve\n.TP\ncurvesmith\\-zkey(1)\n.TP\ncurvesmith\\-help(1)\n",
            ["man", "prove"] => ".TH curvesmith-prove 1\n.TP\n\\fB\\-\\-device\\fR\n",
            ["man", "zkey"] => ".TH curvesmith-zkey 1\n.TP\ncurvesmith\\-zkey\\-two\\-words(1)\n",
            ["man", "zkey", "two-words"] => ".TH curvesmith-zkey-two-words 1\n",
            other => bail!("there is no command {other:?}"),
        }
        .to_owned())
    }

    #[test]
    fn every_command_has_a_page_and_every_shell_a_file() {
        let files = files(&print).expect("pages");
        let paths: Vec<&str> = files.keys().map(String::as_str).collect();
        assert_eq!(
            paths,
            [
                "share/bash-completion/completions/curvesmith",
                "share/fish/vendor_completions.d/curvesmith.fish",
                "share/man/man1/curvesmith-prove.1",
                "share/man/man1/curvesmith-zkey-two-words.1",
                "share/man/man1/curvesmith-zkey.1",
                "share/man/man1/curvesmith.1",
                "share/zsh/site-functions/_curvesmith",
            ]
        );
    }

    #[test]
    fn an_empty_page_or_a_manual_of_another_form_is_an_error() {
        let empty = |arguments: &[&str]| match arguments {
            ["man", "prove"] => Ok("\n".to_owned()),
            other => print(other),
        };
        assert!(files(&empty).is_err());
        let other = |arguments: &[&str]| Ok(print(arguments)?.replace("(1)", "(8)"));
        assert!(files(&other).is_err());
    }
}
