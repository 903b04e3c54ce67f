//! Pages of prose: line lengths, links, the table of contents, dates and spelling; and how long comments are.
//!
//! A page is a markdown file below `docs`, the README or CONTRIBUTING. Fenced code is never read.

use super::source::{self, File};
use std::collections::BTreeSet;

/// Most characters of a line of a page. Table rows are exempt. Targets of links, and addresses, do
/// not count, since they cannot be broken.
const LINE: usize = 100;

/// Most characters of a line with nothing but a comment: those of a line of code.
const COMMENT: usize = 110;

const BOOK: &str = "docs/src/";
const LOG: &str = "docs/log/";
const SUMMARY: &str = "docs/src/SUMMARY.md";

/// Names pages of made-up books in its tests.
const HERE: &str = "xtask/src/tidy/prose.rs";

/// Folders of explanations, which say nothing of when something was measured.
const UNDATED: &[&str] = &["docs/src/internals/", "docs/src/reference/"];

/// Words that are refused wherever they stand in prose, in any case, and what is meant.
const MISSPELLINGS: &[(&str, &str)] = &[
    ("accomodate", "accommodate"),
    ("acheive", "achieve"),
    ("adress", "address"),
    ("agressive", "aggressive"),
    ("algorithim", "algorithm"),
    ("allign", "align"),
    ("alot", "a lot"),
    ("arbitary", "arbitrary"),
    ("arguement", "argument"),
    ("availible", "available"),
    ("begining", "beginning"),
    ("benificial", "beneficial"),
    ("calender", "calendar"),
    ("commited", "committed"),
    ("comparision", "comparison"),
    ("compatability", "compatibility"),
    ("compatable", "compatible"),
    ("concurent", "concurrent"),
    ("consistant", "consistent"),
    ("definately", "definitely"),
    ("dependancy", "dependency"),
    ("desciption", "description"),
    ("diffrent", "different"),
    ("environement", "environment"),
    ("equivilent", "equivalent"),
    ("exaclty", "exactly"),
    ("existance", "existence"),
    ("explicitely", "explicitly"),
    ("functionaly", "functionally"),
    ("gaurantee", "guarantee"),
    ("guarentee", "guarantee"),
    ("heirarchy", "hierarchy"),
    ("immediatly", "immediately"),
    ("implementaion", "implementation"),
    ("independant", "independent"),
    ("indentifier", "identifier"),
    ("indices's", "indices'"),
    ("initally", "initially"),
    ("intial", "initial"),
    ("lenght", "length"),
    ("maintainance", "maintenance"),
    ("manualy", "manually"),
    ("mesurement", "measurement"),
    ("minumum", "minimum"),
    ("mutiple", "multiple"),
    ("multiplicaton", "multiplication"),
    ("neccessary", "necessary"),
    ("neccesary", "necessary"),
    ("negligable", "negligible"),
    ("occured", "occurred"),
    ("occurence", "occurrence"),
    ("occuring", "occurring"),
    ("ommit", "omit"),
    ("optimisiation", "optimisation"),
    ("orginal", "original"),
    ("overriden", "overridden"),
    ("paramter", "parameter"),
    ("paralell", "parallel"),
    ("parrallel", "parallel"),
    ("performace", "performance"),
    ("persistant", "persistent"),
    ("posible", "possible"),
    ("preceed", "precede"),
    ("precence", "presence"),
    ("prefered", "preferred"),
    ("privelege", "privilege"),
    ("proccess", "process"),
    ("propogate", "propagate"),
    ("publically", "publicly"),
    ("reccomend", "recommend"),
    ("recieve", "receive"),
    ("reciever", "receiver"),
    ("recomend", "recommend"),
    ("refered", "referred"),
    ("referal", "referral"),
    ("repeatedely", "repeatedly"),
    ("responsability", "responsibility"),
    ("retreive", "retrieve"),
    ("seperate", "separate"),
    ("seperately", "separately"),
    ("similiar", "similar"),
    ("sucess", "success"),
    ("succesful", "successful"),
    ("succesfully", "successfully"),
    ("suprise", "surprise"),
    ("sytem", "system"),
    ("teh", "the"),
    ("thier", "their"),
    ("threshhold", "threshold"),
    ("truely", "truly"),
    ("unkown", "unknown"),
    ("untill", "until"),
    ("verifing", "verifying"),
    ("wich", "which"),
    ("witout", "without"),
    ("writting", "writing"),
];

/// Words of the field, exactly as they are refused, and the house's form.
const HOUSE: &[(&str, &str)] = &[
    ("Arkworks", "arkworks"),
    ("BLS12_381", "BLS12-381"),
    ("BN-254", "BN254"),
    ("BN128", "BN254"),
    ("Cuda", "CUDA"),
    ("Github", "GitHub"),
    ("Groth 16", "Groth16"),
    ("Gpu", "GPU"),
    ("Karatsuba multiplication", "Karatsuba's product"),
    ("Msm", "MSM"),
    ("Ntt", "NTT"),
    ("Nvidia", "NVIDIA"),
    ("SnarkJS", "snarkjs"),
    ("behavior", "behaviour"),
    ("color", "colour"),
    ("favor", "favour"),
    ("gpu", "GPU"),
    ("initialize", "initialise"),
    ("multiexp", "MSM"),
    ("multi-exponentiation", "MSM"),
    ("neighbor", "neighbour"),
    ("neighbors", "neighbours"),
    ("normalize", "normalise"),
    ("normalized", "normalised"),
    ("optimize", "optimise"),
    ("optimized", "optimised"),
    ("recognize", "recognise"),
    ("uninitialized", "uninitialised"),
    ("unoptimized", "unoptimised"),
];

/// Short words that no sentence has twice in a row.
const ONCE: &[&str] = &["a", "an", "and", "at", "by", "for", "from", "in", "is", "of", "the", "to", "with"];

/// Every finding about the pages among `files`. `exists` says whether a path from the workspace
/// root is a file or folder.
pub(super) fn check(files: &[File], exists: &dyn Fn(&str) -> bool) -> Vec<String> {
    let mut findings = Vec::new();
    for file in files.iter().filter(|f| is_page(&f.path)) {
        let page = Page::new(&file.text);
        check_lines(file, &page, &mut findings);
        check_links(file, &page, files, exists, &mut findings);
    }
    files.iter().filter(|f| f.is_rust()).for_each(|file| check_comments(file, &mut findings));
    findings.extend(check_summary(files));
    let citing = files.iter().filter(|f| f.path != HERE);
    citing.for_each(|file| check_citations(file, exists, &mut findings));
    findings
}

/// Comments that are longer than lines of code may be, of which the formatter takes no care. Rows of tables,
/// links and single words cannot be broken.
fn check_comments(file: &File, findings: &mut Vec<String>) {
    for (number, line) in (1..).zip(file.text.lines()).filter(|(_, line)| is_comment(line)) {
        let text = line.trim_start().trim_start_matches(['/', '!']).trim_start();
        let whole = text.starts_with(['|', '[']) || text.split_whitespace().count() < 2;
        let long = line.chars().count();
        if long > COMMENT && !whole {
            findings.push(format!(
                "{}:{number}: the comment has {long} characters, more than {COMMENT}",
                file.path
            ));
        }
    }
}

fn is_comment(line: &str) -> bool {
    line.trim_start().starts_with("//")
}

fn is_page(path: &str) -> bool {
    path.ends_with(".md") && (path.starts_with("docs/") || path == "README.md" || path == "CONTRIBUTING.md")
}

/// A page without its fenced code.
struct Page<'a> {
    /// Number from 1, and text.
    lines: Vec<(usize, &'a str)>,
}

impl<'a> Page<'a> {
    fn new(text: &'a str) -> Page<'a> {
        let mut fence = None;
        let mut lines = Vec::new();
        for (number, line) in (1..).zip(text.lines()) {
            let start = line.trim_start();
            let mark = ["```", "~~~"].into_iter().find(|m| start.starts_with(m));
            match (fence, mark) {
                (None, Some(_)) => fence = mark,
                (Some(open), Some(close)) if open == close => fence = None,
                (None, None) => lines.push((number, line)),
                _ => {}
            }
        }
        Page { lines }
    }

    /// The anchors of the page's headings, as mdBook and GitHub name them.
    fn anchors(&self) -> BTreeSet<String> {
        let mut anchors = BTreeSet::new();
        for (_, line) in &self.lines {
            let title = line.trim_start_matches('#');
            if title.len() == line.len() || !title.starts_with(' ') {
                continue;
            }
            let kept = without_targets(title).trim().to_lowercase();
            let kept = kept.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
            let anchor: String = kept.map(|c| if c == ' ' { '-' } else { c }).collect();
            let mut numbered = (1..).map(|n| format!("{anchor}-{n}"));
            if !anchors.insert(anchor.clone()) {
                numbered.find(|name| anchors.insert(name.clone()));
            }
        }
        anchors
    }
}

fn check_lines(file: &File, page: &Page, findings: &mut Vec<String>) {
    let mut before: Option<String> = None;
    for &(number, line) in &page.lines {
        let at = format!("{}:{number}", file.path);
        let text = without_targets(line);
        let words = without_code(&text);
        let length = length(&text);
        if length > LINE && !line.trim_start().starts_with('|') {
            findings.push(format!("{at}: {length} characters, more than {LINE} [lines]"));
        }
        if UNDATED.iter().any(|folder| file.path.starts_with(folder))
            && let Some(date) = date(&words)
        {
            findings.push(format!("{at}: `{date}`: dates stand beside measurements [dates]"));
        }
        if !file.path.starts_with(LOG) {
            spelling(&at, &words, findings);
        }
        for word in words.split([' ', '*', '(', ')']).filter(|w| !w.is_empty()) {
            if before.as_deref() == Some(word) && ONCE.contains(&word) {
                findings.push(format!("{at}: `{word} {word}` [spelling]"));
            }
            before = Some(word.to_owned());
        }
        if words.trim().is_empty() {
            before = None;
        }
    }
}

/// Characters of a line, addresses left out.
fn length(line: &str) -> usize {
    let words = line.split(' ').filter(|w| !w.contains("://"));
    words.map(|w| w.chars().count() + 1).sum::<usize>().saturating_sub(1)
}

fn spelling(at: &str, words: &str, findings: &mut Vec<String>) {
    let lower = words.to_lowercase();
    let bad = MISSPELLINGS.iter().filter(|m| source::has_word(&lower, m.0));
    for (wrong, right) in bad.chain(HOUSE.iter().filter(|h| source::has_word(words, h.0))) {
        findings.push(format!("{at}: `{wrong}`: it is `{right}` [spelling]"));
    }
}

/// A date such as 2026-01-31 in the line.
fn date(line: &str) -> Option<&str> {
    let shape = |s: &str| {
        s.bytes().zip(*b"2000-00-00").all(|(b, s)| if s == b'-' { b == s } else { b.is_ascii_digit() })
    };
    (0..line.len()).filter_map(|at| line.get(at..at + 10)).find(|s| s.starts_with("20") && shape(s))
}

fn check_links(
    file: &File,
    page: &Page,
    files: &[File],
    exists: &dyn Fn(&str) -> bool,
    findings: &mut Vec<String>,
) {
    for &(number, line) in &page.lines {
        for target in targets(line) {
            if let Err(why) = resolve(&file.path, target, files, exists) {
                findings.push(format!("{}:{number}: `{target}`: {why} [links]", file.path));
            }
        }
    }
}

/// Whether a link of the page `from` leads to something. Addresses are not followed.
fn resolve(from: &str, target: &str, files: &[File], exists: &dyn Fn(&str) -> bool) -> Result<(), String> {
    if target.contains("://") || target.starts_with("mailto:") {
        return Ok(());
    }
    let (relative, anchor) = target.split_once('#').map_or((target, None), |(path, a)| (path, Some(a)));
    let path = join(from, relative).ok_or("it leaves the repository")?;
    if !exists(&path) {
        return Err(format!("there is no {path}"));
    }
    if from.starts_with(BOOK) && !path.starts_with(BOOK) {
        return Err(format!("{path} is not in the book"));
    }
    let Some(anchor) = anchor else { return Ok(()) };
    let page = files.iter().find(|f| f.path == path && is_page(path.as_str()));
    match page.map(|f| Page::new(&f.text).anchors().contains(anchor)) {
        Some(true) => Ok(()),
        Some(false) => Err(format!("{path} has no such heading")),
        None => Err(format!("{path} is no page, and has no headings")),
    }
}

/// The path from the workspace root of what `relative` names in the file `from`.
fn join(from: &str, relative: &str) -> Option<String> {
    if relative.is_empty() {
        return Some(from.to_owned());
    }
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in relative.split('/').filter(|p| !matches!(*p, "" | ".")) {
        match part {
            ".." => drop(parts.pop()?),
            _ => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// Every page of the book is named once; that what is named exists, the links say.
fn check_summary(files: &[File]) -> Vec<String> {
    let Some(summary) = files.iter().find(|f| f.path == SUMMARY) else {
        return vec![format!("there is no {SUMMARY} [summary]")];
    };
    let page = Page::new(&summary.text);
    let named: Vec<String> =
        page.lines.iter().flat_map(|l| targets(l.1)).filter_map(|t| join(SUMMARY, t)).collect();
    let pages = files.iter().map(|f| &f.path).filter(|p| p.starts_with(BOOK) && is_page(p) && *p != SUMMARY);
    let count = |path: &String| named.iter().filter(|n| *n == path).count();
    pages
        .filter(|path| count(path) != 1)
        .map(|path| format!("{path}: {SUMMARY} names it {} times, not once [summary]", count(path)))
        .collect()
}

/// Pages that source, tables and other texts name by their path exist.
fn check_citations(file: &File, exists: &dyn Fn(&str) -> bool, findings: &mut Vec<String>) {
    for (number, line) in (1..).zip(file.text.lines()) {
        for (at, _) in [BOOK, LOG].iter().flat_map(|folder| line.match_indices(folder)) {
            let rest = &line[at..];
            let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || "-_./".contains(c)));
            let path = rest[..end.unwrap_or(rest.len())].trim_end_matches(['.', '/']);
            if !exists(path) {
                findings.push(format!("{}:{number}: there is no {path} [citations]", file.path));
            }
        }
    }
}

/// The targets of a line's links and images, and of a link's definition.
fn targets(line: &str) -> Vec<&str> {
    let code = code_spans(line);
    let inside = |at: usize| code.iter().any(|span| span.contains(&at));
    let inline = line.match_indices("](").filter(|(at, _)| !inside(*at)).filter_map(|(at, _)| {
        let target = &line[at + 2..];
        target.find(')').map(|end| &target[..end])
    });
    inline.chain(definition(line)).collect()
}

/// The target of `[name]: target`.
fn definition(line: &str) -> Option<&str> {
    let (name, target) = line.trim_start().strip_prefix('[')?.split_once("]: ")?;
    (!name.contains(']')).then(|| target.trim())
}

/// The line with `](target)` of every link as `]`.
fn without_targets(line: &str) -> String {
    let mut out = line.to_owned();
    for target in targets(line) {
        out = out.replace(&format!("]({target})"), "]");
    }
    out
}

/// The line with a backtick for each piece of inline code.
fn without_code(line: &str) -> String {
    let mut out = line.to_owned();
    code_spans(line).into_iter().rev().for_each(|span| out.replace_range(span, "`"));
    out
}

/// Byte ranges of inline code that begins and ends in the line, backticks included.
fn code_spans(line: &str) -> Vec<std::ops::Range<usize>> {
    let mut spans = Vec::new();
    let mut open = None;
    for (at, _) in line.match_indices('`') {
        open = match open {
            None => Some(at),
            Some(start) => {
                spans.push(start..at + 1);
                None
            }
        };
    }
    spans
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Findings about a repository of these files and `docs/src/plot.svg`.
    fn findings(files: &[(&str, &str)]) -> Vec<String> {
        let file = |(path, text): &(&str, &str)| File { path: (*path).into(), text: (*text).into() };
        let all: Vec<File> = files.iter().map(file).collect();
        let exists = |path: &str| path == "docs/src/plot.svg" || all.iter().any(|f| f.path == path);
        check(&all, &exists)
    }

    /// Findings about one page of a book that is otherwise right.
    fn page(text: &str) -> Vec<String> {
        findings(&[(SUMMARY, "[a](a.md)"), ("docs/src/a.md", text)])
    }

    #[track_caller]
    fn is_one(found: &[String], part: &str) {
        assert!(found.len() == 1 && found[0].contains(part), "{found:?}");
    }

    #[test]
    fn long_lines_are_found_and_tables_links_and_code_are_exempt() {
        let long = "word ".repeat(20) + "x";
        is_one(&page(&long), "docs/src/a.md:1: 101 characters");
        is_one(&page(&format!("`{long}`")), "103 characters");
        for text in [
            long[..100].to_owned(),
            "\u{e9}".repeat(100),
            format!("| {long} |"),
            format!("```text\n{long}\n```"),
            format!("{} https://example.org/{}", &long[..99], "p/".repeat(40)),
            format!("{}[x](../src/././plot.svg)", &long[..97]),
            format!("[name]: https://example.org/{}", "p/".repeat(60)),
        ] {
            assert_eq!(page(&text), [""; 0], "{text}");
        }
        let below_code = format!("```\n```\n{long}");
        is_one(&page(&below_code), "docs/src/a.md:3:");
        is_one(&findings(&[(SUMMARY, ""), ("README.md", &long)]), "README.md:1:");
    }

    #[test]
    fn links_lead_to_files_and_headings() {
        is_one(&page("see [b](b.md)"), "there is no docs/src/b.md");
        is_one(&page("![p](plots/p.svg)"), "there is no docs/src/plots/p.svg");
        is_one(&page("[b]: b.md"), "there is no docs/src/b.md");
        is_one(&page("[x](../../../x)"), "leaves the repository");
        is_one(&page("# One\n[x](#two)"), "no such heading");
        is_one(
            &findings(&[(SUMMARY, "[a](a.md)"), ("docs/src/a.md", "[x](../x.md)"), ("docs/x.md", "")]),
            "not in the book",
        );
        is_one(&page("# One\n[x](a.md#two)"), "no such heading");
        is_one(&page("[x](plot.svg#two)"), "no page");
        is_one(&page("```\n# One\n```\n[x](#one)"), "no such heading");
        let right = "# A `b_c`, [d](a.md): e\n## Two\n## Two\n[x](#a-b_c-d-e) [y](#two-1) [z](plot.svg)\n\
                     [w](https://example.org/none.md#x) `[v](none.md)`";
        assert_eq!(page(right), [""; 0]);
    }

    #[test]
    fn the_summary_names_every_page_once() {
        is_one(&findings(&[(SUMMARY, ""), ("docs/src/a.md", "")]), "names it 0 times");
        is_one(&findings(&[(SUMMARY, "[a](a.md) [b](./a.md)"), ("docs/src/a.md", "")]), "names it 2 times");
        is_one(&findings(&[(SUMMARY, "[a](a.md)")]), "there is no docs/src/a.md");
        is_one(&findings(&[("README.md", "")]), "there is no docs/src/SUMMARY.md");
        let log = ["docs/log", "/x.md"].concat();
        assert_eq!(findings(&[(SUMMARY, ""), (&log, "")]), [""; 0]);
    }

    #[test]
    fn explanations_have_no_dates() {
        let internals =
            |text| findings(&[(SUMMARY, "[a](internals/a.md)"), ("docs/src/internals/a.md", text)]);
        is_one(&internals("On 2026-01-31 it took 3 ms."), "`2026-01-31`");
        assert_eq!(internals("2026-1-31 1026-01-31 2026-01"), [""; 0]);
        assert_eq!(page("On 2026-01-31 it took 3 ms."), [""; 0]);
    }

    #[test]
    fn misspelt_and_repeated_words_are_found() {
        is_one(&page("Seperate things."), "it is `separate`");
        is_one(&page("An Nvidia card."), "it is `NVIDIA`");
        is_one(&page("This is the the end."), "`the the`");
        is_one(&page("This is the\nthe end."), "docs/src/a.md:2: `the the`");
        is_one(&page("A [gpu-x](https://example.org)"), "it is `GPU`");
        for text in ["`gpu`", "[x](https://nvidia.example/gpu)", "in the\n\nthe", "a `b` a", "that that"] {
            assert_eq!(page(text), [""; 0], "{text}");
        }
        let log = ["docs/log", "/x.md"].concat();
        assert_eq!(findings(&[(SUMMARY, ""), (&log, "seperate")]), [""; 0]);
        for (wrong, right) in MISSPELLINGS.iter().chain(HOUSE) {
            assert!(!source::has_word(right, wrong), "{right} is refused by {wrong}");
        }
    }

    #[test]
    fn pages_that_source_names_exist() {
        let named = ["//! See `docs/src", "/b.md`."].concat();
        let files = [(SUMMARY, "[a](a.md)"), ("docs/src/a.md", ""), ("x/src/lib.rs", &named)];
        is_one(&findings(&files), "x/src/lib.rs:1: there is no docs/src/b.md");
        let named = named.replace("b.md", "a.md");
        assert_eq!(findings(&[files[0], files[1], ("x/src/lib.rs", &named)]), [""; 0]);
    }

    #[test]
    fn comments_are_no_longer_than_code() {
        let long = "x ".repeat(50);
        for (line, found) in [
            (format!("/// {long}"), false),
            (format!("    //! {long}{long}"), true),
            (format!("// {long}{long}"), true),
            (format!("//! | {long}{long}"), false),
            (format!("/// [a]: {long}{long}"), false),
            (format!("// {}", "x".repeat(200)), false),
            (format!("let x = {long}{long}"), false),
        ] {
            let found_there = |path| findings(&[(SUMMARY, ""), (path, line.as_str())]);
            assert_eq!(found_there("a/b.rs").len(), usize::from(found), "{line}");
            assert_eq!(found_there("a/b.c"), [""; 0]);
        }
        is_one(
            &findings(&[(SUMMARY, ""), ("a.rs", &format!("// {long}{long}"))]),
            "a.rs:1: the comment has 203",
        );
    }
}
