//! The files of the repository, and Rust source without comments, strings or tests.

use crate::shell;
use anyhow::{Context, Result};

/// A text file of the repository.
pub(super) struct File {
    /// Path from the workspace root, with forward slashes.
    pub(super) path: String,
    pub(super) text: String,
}

impl File {
    pub(super) fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }
}

/// Every text file that git tracks or would track.
pub(super) fn read_all() -> Result<Vec<File>> {
    let mut git = shell::command("git");
    let list = shell::output(git.args(["ls-files", "--cached", "--others", "--exclude-standard"]))
        .context("`git ls-files` failed: tidy reads the files of a git clone")?;
    let mut files = Vec::new();
    for path in list.lines().filter(|path| super::is_text(path)) {
        // A file that is deleted and not yet committed is still listed.
        let Ok(bytes) = std::fs::read(shell::root().join(path)) else { continue };
        let text = String::from_utf8(bytes).with_context(|| format!("{path} is not UTF-8"))?;
        files.push(File { path: path.to_owned(), text });
    }
    Ok(files)
}

/// Rust source with parts replaced by spaces; lines keep their numbers.
pub(super) struct Views {
    /// Without comments, string contents and test modules.
    pub(super) code: String,
    /// Without comments and string contents.
    pub(super) code_and_tests: String,
    /// Without comments and test modules.
    pub(super) code_and_strings: String,
}

impl Views {
    pub(super) fn new(text: &str) -> Views {
        let kinds = classify(text);
        let keep = |wanted: &dyn Fn(Kind) -> bool| -> Vec<u8> {
            let bytes = text.bytes().zip(&kinds);
            bytes.map(|(b, &kind)| if b == b'\n' || wanted(kind) { b } else { b' ' }).collect()
        };
        let code_and_tests = keep(&|k| k == Kind::Code);
        let tests = test_modules(&code_and_tests);
        let blank = |mut bytes: Vec<u8>| {
            for range in &tests {
                bytes[range.clone()].iter_mut().filter(|b| **b != b'\n').for_each(|b| *b = b' ');
            }
            // A character is blanked or kept whole, so this loses nothing.
            String::from_utf8_lossy(&bytes).into_owned()
        };
        let code_and_strings = blank(keep(&|k| k != Kind::Comment));
        let code = blank(code_and_tests.clone());
        Views {
            code,
            code_and_tests: String::from_utf8_lossy(&code_and_tests).into_owned(),
            code_and_strings,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Code,
    Comment,
    String,
}

/// The kind of every byte. Quotes of strings count as code.
fn classify(text: &str) -> Vec<Kind> {
    let bytes = text.as_bytes();
    let mut kinds = vec![Kind::Code; bytes.len()];
    let mut at = 0;
    while at < bytes.len() {
        let rest = &text.as_bytes()[at..];
        let (len, kind) = if rest.starts_with(b"//") {
            (line_comment(rest), Kind::Comment)
        } else if rest.starts_with(b"/*") {
            (block_comment(rest), Kind::Comment)
        } else if let Some(open) = raw_string(rest, at.checked_sub(1).map(|i| bytes[i])) {
            let (head, len) = open;
            kinds[at + head..at + len].fill(Kind::String);
            at += len;
            continue;
        } else if rest[0] == b'"' {
            (quoted(rest, b'"'), Kind::String)
        } else if rest[0] == b'\'' && is_char(rest) {
            (quoted(rest, b'\''), Kind::String)
        } else {
            (1, Kind::Code)
        };
        let skip = usize::from(kind == Kind::String);
        kinds[at + skip..at + len - skip.min(len - skip)].fill(kind);
        at += len;
    }
    kinds
}

fn line_comment(rest: &[u8]) -> usize {
    rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len())
}

fn block_comment(rest: &[u8]) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < rest.len() {
        match &rest[at..] {
            [b'/', b'*', ..] => (depth, at) = (depth + 1, at + 2),
            [b'*', b'/', ..] => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            break;
        }
    }
    at
}

/// Lengths of the opening and of the whole of a raw string.
fn raw_string(rest: &[u8], before: Option<u8>) -> Option<(usize, usize)> {
    if before.is_some_and(|b| b.is_ascii_alphanumeric() || b == b'_') {
        return None;
    }
    let prefix = if rest.starts_with(b"br") || rest.starts_with(b"cr") { 2 } else { 1 };
    if rest.get(prefix - 1) != Some(&b'r') {
        return None;
    }
    let hashes = rest[prefix..].iter().take_while(|&&b| b == b'#').count();
    let head = prefix + hashes + 1;
    if rest.get(head - 1) != Some(&b'"') {
        return None;
    }
    let mut close = vec![b'"'];
    close.resize(hashes + 1, b'#');
    let body = rest[head..].windows(close.len()).position(|w| w == close);
    Some((head, body.map_or(rest.len(), |b| head + b + close.len())))
}

/// Length of a string or character with escapes, quotes included.
fn quoted(rest: &[u8], quote: u8) -> usize {
    let mut at = 1;
    while at < rest.len() && rest[at] != quote {
        at += 1 + usize::from(rest[at] == b'\\');
    }
    (at + 1).min(rest.len())
}

/// Tells a character from a lifetime.
fn is_char(rest: &[u8]) -> bool {
    rest.get(1) == Some(&b'\\')
        || std::str::from_utf8(&rest[1..rest.len().min(6)]).map_or_else(
            |e| e.valid_up_to() > 0 && second_is_quote(&rest[1..1 + e.valid_up_to()]),
            |s| second_is_quote(s.as_bytes()),
        )
}

fn second_is_quote(valid: &[u8]) -> bool {
    let text = std::str::from_utf8(valid).unwrap_or("");
    text.chars().nth(1) == Some('\'')
}

/// Byte ranges of items under `#[cfg(test)]`, from source without comments and strings.
fn test_modules(code: &[u8]) -> Vec<std::ops::Range<usize>> {
    const MARK: &[u8] = b"#[cfg(test)]";
    let mut ranges = Vec::new();
    let mut at = 0;
    while let Some(start) = code[at..].windows(MARK.len()).position(|w| w == MARK).map(|p| p + at) {
        let mut depth = 0usize;
        let mut end = code.len();
        for (i, b) in code.iter().enumerate().skip(start + MARK.len()) {
            match b {
                b'{' => depth += 1,
                b'}' => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 && (*b == b'}' || *b == b';') {
                end = i + 1;
                break;
            }
        }
        ranges.push(start..end);
        at = end;
    }
    ranges
}

/// Whether `word` occurs and is not part of a longer identifier.
pub(super) fn has_word(line: &str, word: &str) -> bool {
    let identifier = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let (first, last) = (word.chars().next(), word.chars().next_back());
    line.match_indices(word).any(|(at, _)| {
        let before = identifier(first) && identifier(line[..at].chars().next_back());
        let after = identifier(last) && identifier(line[at + word.len()..].chars().next());
        !before && !after
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_strings_and_tests_are_blanked() {
        let text = "a /* b /* c */ d */ \"e \\\" f\" g // h\nr#\"i \" j\"# 'k' '\\'' l::<'m>(); 'é'\n#[cfg(test)]\nmod n { fn o() { p } }\nq";
        let views = Views::new(text);
        for (view, kept, lost) in [
            (&views.code, "aglmq", "bcdefhijknop"),
            (&views.code_and_tests, "aglmnopq", "bcdefhijk"),
            (&views.code_and_strings, "aefgijklmq", "bcdhnop"),
        ] {
            kept.chars().for_each(|c| assert!(has_word(view, &c.to_string()), "{c} is lost: {view}"));
            lost.chars().for_each(|c| assert!(!has_word(view, &c.to_string()), "{c} is kept: {view}"));
            assert_eq!(view.lines().count(), text.lines().count());
        }
    }

    #[test]
    fn unfinished_source_does_not_panic() {
        for text in
            ["\"", "'", "/*", "r#\"", "b\"\\", "'\\", "r", "#[cfg(test)] mod x {", "'\u{1F600}'", "é'é"]
        {
            let views = Views::new(text);
            assert!(views.code.len() <= text.len() * 3, "{text}");
        }
    }
}
