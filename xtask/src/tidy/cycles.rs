//! Top-level modules of a package use each other one way.
//!
//! An edge is a path that begins with `crate` or `super` and reaches another top-level module, by
//! its name or by a name that the root re-exports from it; groups in `use` are paths each. Tests
//! are exempt. Methods are not seen: what a module calls on values of another type is no path.

use super::source::{File, Views};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Source folders whose top-level modules may have no cycle.
const FOLDERS: &[&str] = &["runtime/src", "prover/src"];

/// One finding a cycle, with a file and line for each of its edges.
pub(super) fn check(files: &[File]) -> Vec<String> {
    FOLDERS.iter().flat_map(|folder| cycles(folder, &edges(folder, files))).collect()
}

/// The first place where a module uses another, by both names.
type Edges = BTreeMap<String, BTreeMap<String, String>>;

/// The edges between the top-level modules of a folder.
fn edges(folder: &str, files: &[File]) -> Edges {
    let inside = |file: &File| file.path.strip_prefix(folder)?.strip_prefix('/').map(str::to_owned);
    let tests = |path: &str| path.split('/').any(|part| part == "tests" || part == "tests.rs");
    let sources: Vec<(String, &File)> = files
        .iter()
        .filter(|file| file.is_rust())
        .filter_map(|file| Some((inside(file)?, file)))
        .filter(|(path, _)| !tests(path))
        .collect();
    let modules: BTreeSet<String> =
        sources.iter().map(|(path, _)| module_of(path).swap_remove(0)).filter(|name| name != "lib").collect();
    let root = sources.iter().find(|(path, _)| path == "lib.rs");
    let exports = root.map(|(_, file)| exports(&file.text, &modules)).unwrap_or_default();
    let mut edges = Edges::new();
    for (path, file) in sources.iter().filter(|(path, _)| path != "lib.rs") {
        let own = module_of(path);
        let from = own[0].clone();
        for (line, segments) in paths(&Views::new(&file.text).code, &own) {
            // A module that the root has within itself has no file; its names are the root's.
            let reached = segments.iter().take(2).find_map(|name| match modules.get(name) {
                Some(module) => Some(module),
                None => exports.get(name),
            });
            if let Some(to) = reached.filter(|to| **to != from) {
                let place = || format!("{}:{line}", file.path);
                edges.entry(from.clone()).or_default().entry(to.clone()).or_insert_with(place);
            }
        }
    }
    edges
}

/// The path of a file's module below the root: `["gpu", "pool"]` for `gpu/pool.rs`.
fn module_of(path: &str) -> Vec<String> {
    let mut parts: Vec<String> = path.trim_end_matches(".rs").split('/').map(str::to_owned).collect();
    if parts.len() > 1 && parts.last().is_some_and(|last| last == "mod") {
        parts.pop();
    }
    parts
}

/// Names that the root re-exports, with their top-level modules.
fn exports(root: &str, modules: &BTreeSet<String>) -> BTreeMap<String, String> {
    let views = Views::new(root);
    let tokens = tokens(&views.code);
    let mut found = BTreeMap::new();
    for at in (0..tokens.len()).filter(|&at| tokens[at].1 == "use") {
        let mut trees = Vec::new();
        tree(&tokens, at + 1, &[], &mut trees);
        for mut path in trees {
            if matches!(path.first().map(String::as_str), Some("crate" | "self" | "super")) {
                path.remove(0);
            }
            if let (Some(first), Some(last)) = (path.first(), path.last())
                && modules.contains(first)
                && path.len() > 1
            {
                found.insert(last.clone(), first.clone());
            }
        }
    }
    found
}

/// Paths that begin with `crate` or `super`, from the root on, with their lines. `own` is the
/// module of the file.
fn paths(code: &str, own: &[String]) -> Vec<(usize, Vec<String>)> {
    let tokens = tokens(code);
    let is = |at: usize, text: &str| tokens.get(at).is_some_and(|token| token.1 == text);
    let (mut found, mut depth, mut inline) = (Vec::new(), 0usize, Vec::new());
    for (at, (line, token)) in tokens.iter().enumerate() {
        match *token {
            "{" => {
                depth += 1;
                if at >= 2 && is(at - 2, "mod") {
                    inline.push((depth, tokens[at - 1].1.to_owned()));
                }
            }
            "}" => {
                inline.retain(|(opened, _)| *opened != depth);
                depth = depth.saturating_sub(1);
            }
            "crate" | "super" if is(at + 1, "::") && !(at > 0 && is(at - 1, "::")) => {
                let module: Vec<String> =
                    own.iter().cloned().chain(inline.iter().map(|(_, name)| name.clone())).collect();
                let mut trees = Vec::new();
                tree(&tokens, at, &[], &mut trees);
                found.extend(trees.into_iter().map(|path| (*line, from_root(&module, &path))));
            }
            _ => {}
        }
    }
    found
}

/// A path of `crate` or `super` as seen from the root.
fn from_root(module: &[String], path: &[String]) -> Vec<String> {
    let ups = path.iter().take_while(|segment| *segment == "super").count();
    let kept = if ups == 0 { 0 } else { module.len().saturating_sub(ups) };
    let rest = path.iter().filter(|segment| !matches!(segment.as_str(), "crate" | "super" | "self"));
    module[..kept].iter().chain(rest).cloned().collect()
}

/// The paths of the tree that begins at a token, each after `prefix`; the token after it. An alias
/// is the last segment.
fn tree(tokens: &[(usize, &str)], mut at: usize, prefix: &[String], out: &mut Vec<Vec<String>>) -> usize {
    let is_name = |token: &str| token.starts_with(|c: char| c.is_alphabetic() || c == '_');
    let mut path = prefix.to_vec();
    loop {
        match tokens.get(at).map(|token| token.1) {
            Some("{") => {
                at += 1;
                while tokens.get(at).is_some_and(|token| token.1 != "}") {
                    let next = tree(tokens, at, &path, out);
                    // What is no path, such as a comma, is passed over.
                    at = next.max(at + 1);
                }
                return at + 1;
            }
            Some("*") if path.len() > prefix.len() => {
                at += 1;
                break;
            }
            Some(name) if is_name(name) => {
                path.push(name.to_owned());
                at += 1;
                if tokens.get(at).is_none_or(|token| token.1 != "::") {
                    break;
                }
                at += 1;
            }
            _ => break,
        }
    }
    if tokens.get(at).is_some_and(|token| token.1 == "as") {
        path.extend(tokens.get(at + 1).map(|token| token.1.to_owned()));
        at += 2;
    }
    if path.len() > prefix.len() {
        out.push(path);
    }
    at
}

/// Identifiers, `::` and single other characters, with their lines.
fn tokens(code: &str) -> Vec<(usize, &str)> {
    let mut tokens = Vec::new();
    for (number, line) in code.lines().enumerate() {
        let mut rest = line.trim_start();
        while let Some(first) = rest.chars().next() {
            let word = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
            let len = match word {
                0 if rest.starts_with("::") => 2,
                0 => first.len_utf8(),
                word => word,
            };
            let (token, behind) = rest.split_at(len);
            tokens.push((number + 1, token));
            rest = behind.trim_start();
        }
    }
    tokens
}

/// A shortest cycle of each set of modules that reach each other.
fn cycles(folder: &str, edges: &Edges) -> Vec<String> {
    let (mut findings, mut named) = (Vec::new(), BTreeSet::new());
    for start in edges.keys() {
        let Some(cycle) = shortest(edges, start).filter(|cycle| cycle.iter().all(|m| !named.contains(m)))
        else {
            continue;
        };
        let places: Vec<&str> = cycle.windows(2).map(|pair| edges[&pair[0]][&pair[1]].as_str()).collect();
        findings.push(format!(
            "{folder}: {}: top-level modules use each other one way; see {} [cycles]",
            cycle.join(" -> "),
            places.join(", ")
        ));
        named.extend(cycle);
    }
    findings
}

/// The shortest way from a module back to it, both ends included.
fn shortest(edges: &Edges, start: &str) -> Option<Vec<String>> {
    let mut before: BTreeMap<&str, &str> = BTreeMap::new();
    let mut queue = VecDeque::from([start]);
    while let Some(module) = queue.pop_front() {
        for next in edges.get(module).into_iter().flat_map(BTreeMap::keys) {
            if next == start {
                let back = std::iter::successors(Some(module), |at| before.get(at).copied());
                let mut cycle: Vec<String> = back.map(str::to_owned).collect();
                cycle.reverse();
                cycle.push(start.to_owned());
                return Some(cycle);
            }
            if !before.contains_key(next.as_str()) {
                before.insert(next, module);
                queue.push_back(next);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(files: &[(&str, &str)]) -> Vec<String> {
        let file =
            |(path, text): &(&str, &str)| File { path: format!("runtime/src/{path}"), text: (*text).into() };
        check(&files.iter().map(file).collect::<Vec<_>>())
    }

    #[test]
    fn a_cycle_is_named_with_a_place_for_each_edge() {
        let files = [
            ("lib.rs", "mod a;\nmod b;\nmod c;"),
            ("a.rs", "\nuse crate::b::{self, X};"),
            ("b/mod.rs", "mod deep;"),
            ("b/deep.rs", "use std::fmt;\n\nuse crate::{c::{Y, Z}, b::X};"),
            ("c.rs", "fn f() -> crate::a::T { g() }"),
        ];
        let expected = "runtime/src: a -> b -> c -> a: top-level modules use each other one way; see \
                        runtime/src/a.rs:2, runtime/src/b/deep.rs:3, runtime/src/c.rs:1 [cycles]";
        assert_eq!(findings(&files), [expected]);
    }

    #[test]
    fn every_way_to_name_a_module_counts() {
        let root =
            ("lib.rs", "mod a;\nmod b;\npub use b::{deep::X, Y as Z};\nmod inner { pub use crate::b::W; }");
        let way_back = ("b.rs", "use crate::a;");
        for text in [
            "use crate::b;",
            "use crate::{b};",
            "use crate::{b as other, std};",
            "use super::b::X;",
            "fn f() { super::b::g() }",
            "use crate::X;",
            "use crate::{Z};",
            "use crate::b::*;",
            "use crate::inner::W;",
            "mod deep { use super::super::b; }",
            "fn f() {}\nmod deep { fn g() {} }\nuse super::b;",
            "impl crate::b::T for X {}",
            "pub(crate) use crate::{\n    b::{\n        x::Y,\n    },\n};",
        ] {
            assert_eq!(findings(&[root, ("a.rs", text), way_back]).len(), 1, "{text}");
        }
    }

    #[test]
    fn what_goes_one_way_passes() {
        let root = ("lib.rs", "mod a;\nmod b;\npub use b::X;");
        let way_back = ("b.rs", "use crate::a;");
        for (path, text) in [
            ("a.rs", "use crate::a::T;"),
            ("a.rs", "// use crate::b;\nconst S: &str = \"crate::b\";"),
            ("a.rs", "#[cfg(test)]\nmod tests {\n    use crate::b;\n    use super::super::b::X;\n}"),
            ("a/tests.rs", "use crate::b;"),
            ("a/tests/long.rs", "use crate::b;"),
            ("a/deep.rs", "use super::b;"),
            ("a.rs", "mod deep { use super::b; }"),
            ("a.rs", "use b::Y;\nuse other::b;"),
            ("a.rs", "pub(in crate::a) struct B { b: u32 }"),
            ("a.rs", "use crate::error::Result;"),
        ] {
            assert_eq!(findings(&[root, (path, text), way_back]), Vec::<String>::new(), "{text}");
        }
    }

    #[test]
    fn each_knot_is_named_once() {
        let files = [
            ("a.rs", "use crate::b;"),
            ("b.rs", "use crate::{a, c};"),
            ("c.rs", "use crate::b;"),
            ("d.rs", "use crate::{a, e};"),
            ("e.rs", "use crate::d;"),
        ];
        let found = findings(&files);
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].contains("a -> b -> a") && found[1].contains("d -> e -> d"), "{found:?}");
    }

    #[test]
    fn other_packages_are_not_looked_at() {
        let file = |path: &str, text: &str| File { path: path.into(), text: text.into() };
        let files = [file("codegen/src/a.rs", "use crate::b;"), file("codegen/src/b.rs", "use crate::a;")];
        assert!(check(&files).is_empty());
    }
}
