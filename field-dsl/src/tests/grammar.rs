//! The grammar of the book: complete, and every production with an example that compiles.

use crate::ast::Model;
use crate::family::{COMMON, Kind, NAMES, TWISTS};
use crate::parse::{
    self, CURVE_BINDINGS, CURVE_ITEMS, EDWARDS_OPTIONS, FIELD_BINDINGS, FIELD_ITEMS, FIELD_OPTIONS, LINTS,
    MONTGOMERY_OPTIONS, WEIERSTRASS_OPTIONS,
};
use proc_macro2::{TokenStream, TokenTree};
use std::collections::BTreeSet;
use syn::parse::Parser;

const KEYWORDS: [&[&str]; 13] = [
    FIELD_ITEMS,
    CURVE_ITEMS,
    FIELD_OPTIONS,
    MONTGOMERY_OPTIONS,
    WEIERSTRASS_OPTIONS,
    EDWARDS_OPTIONS,
    FIELD_BINDINGS,
    CURVE_BINDINGS,
    &Model::NAMES,
    LINTS,
    NAMES,
    TWISTS,
    COMMON,
];
/// Words of the grammar that no list of the parser has.
const OTHER_WORDS: [&str; 2] = ["mod", "over"];
/// What Rust defines.
const RUST: [&str; 4] = ["attribute", "visibility", "name", "path"];

fn page(name: &str) -> String {
    let path = format!("{}/../docs/src/{name}.md", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|fault| panic!("{path}: {fault}"))
}

/// A production: the terminals and the names on its right-hand side.
#[derive(Debug, Default)]
struct Production {
    name: String,
    terminals: BTreeSet<String>,
    names: BTreeSet<String>,
}

fn productions(page: &str) -> Vec<Production> {
    let (_, grammar) = page.split_once("```ebnf\n").expect("the page has a grammar");
    let (grammar, _) = grammar.split_once("```").expect("the grammar ends");
    let mut all = Vec::new();
    let mut production = Production::default();
    // Odd pieces are quoted.
    for (i, piece) in grammar.split('"').enumerate() {
        if i % 2 == 1 {
            production.terminals.insert(piece.to_owned());
            continue;
        }
        for (j, part) in piece.split(';').enumerate() {
            if j > 0 {
                all.push(std::mem::take(&mut production));
            }
            let words =
                part.split(|c: char| !c.is_alphanumeric() && c != '-').filter(|word| !word.is_empty());
            for word in words {
                if production.name.is_empty() {
                    word.clone_into(&mut production.name);
                } else {
                    production.names.insert(word.to_owned());
                }
            }
        }
    }
    all
}

fn is_word(terminal: &str) -> bool {
    terminal.chars().all(|c| c.is_alphanumeric() || c == '_')
        && terminal.starts_with(|c: char| c.is_alphabetic())
}

/// Blocks that are compiled, each with the productions that the line before them names.
fn examples(page: &str) -> Vec<(Vec<String>, String)> {
    let mut examples = Vec::new();
    let mut named: Vec<String> = Vec::new();
    let mut rest = page;
    while let Some((before, block)) = rest.split_once("```rust\n") {
        let line = before.lines().rev().find(|line| !line.is_empty()).unwrap_or_default();
        if let Some(list) = line.strip_prefix("Productions: ") {
            named = list
                .trim_end_matches('.')
                .split(", ")
                .map(|name| name.trim_matches('`').to_owned())
                .collect();
        }
        let (block, after) = block.split_once("```").expect("the block ends");
        examples.push((std::mem::take(&mut named), block.replace("\n# ", "\n")));
        rest = after;
    }
    examples
}

/// The declarations of a block, each parsed without a fault.
fn declarations(block: &str) -> Vec<TokenStream> {
    let tokens: TokenStream = block.parse().unwrap_or_else(|fault| panic!("{fault}:\n{block}"));
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut declarations = Vec::new();
    for window in tokens.windows(3) {
        let [TokenTree::Ident(name), TokenTree::Punct(_), TokenTree::Group(body)] = window else { continue };
        let errors = match name.to_string().as_str() {
            "curve" => parse::curve.parse2(body.stream()).map(|(_, errors)| errors),
            "field" => parse::field.parse2(body.stream()).map(|(_, errors)| errors),
            _ => continue,
        };
        let errors = errors.unwrap_or_else(|fault| panic!("{fault}:\n{block}"));
        assert!(errors.is_empty(), "{}:\n{block}", errors.into_error().expect("there is one"));
        declarations.push(body.stream());
    }
    declarations
}

fn leaves(tokens: TokenStream, out: &mut BTreeSet<String>) {
    for token in tokens {
        match token {
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    proc_macro2::Delimiter::Brace => ("{", "}"),
                    proc_macro2::Delimiter::Bracket => ("[", "]"),
                    _ => ("(", ")"),
                };
                out.extend([open.to_owned(), close.to_owned()]);
                leaves(group.stream(), out);
            }
            // What literals are made of.
            TokenTree::Literal(literal) if literal.to_string().contains('_') => {
                out.insert("_".to_owned());
            }
            other => {
                out.insert(other.to_string());
            }
        }
    }
}

#[test]
fn the_grammar_has_every_keyword_and_no_other() {
    let productions = productions(&page("reference/declarations"));
    let terminals: BTreeSet<&str> =
        productions.iter().flat_map(|p| &p.terminals).map(String::as_str).collect();
    let families = NAMES.iter().filter_map(|name| Kind::named(name)).map(Kind::options);
    let of_families: Vec<&str> =
        families.flat_map(|(required, optional)| [required, optional].concat()).collect();
    for keyword in KEYWORDS.iter().copied().flatten().chain(&of_families) {
        assert!(terminals.contains(keyword), "the grammar lacks `{keyword}`");
    }
    for word in terminals.iter().filter(|terminal| is_word(terminal)) {
        let known = KEYWORDS.iter().any(|words| words.contains(word))
            || of_families.contains(word)
            || OTHER_WORDS.contains(word);
        assert!(known, "the parser does not know `{word}`");
    }
}

#[test]
fn names_of_the_grammar_are_defined_once() {
    let productions = productions(&page("reference/declarations"));
    for production in productions.iter().filter(|production| production.name != "integer") {
        let defined = productions.iter().filter(|other| other.name == production.name).count();
        assert_eq!(defined, 1, "{} is defined {defined} times", production.name);
        for name in &production.names {
            let known = productions.iter().any(|other| other.name == *name) || RUST.contains(&name.as_str());
            assert!(known || name.chars().all(|c| c.is_ascii_digit()), "{} uses {name}", production.name);
        }
    }
}

#[test]
fn every_production_has_an_example() {
    let reference = page("reference/declarations");
    let productions = productions(&reference);
    let mut examples = examples(&reference);
    examples.extend(self::examples(&page("guide/declare")));
    let mut shown = BTreeSet::new();
    let mut seen = BTreeSet::new();
    for (names, block) in &examples {
        let declarations = declarations(block);
        assert!(names.is_empty() || !declarations.is_empty(), "no declaration:\n{block}");
        let mut tokens = BTreeSet::new();
        declarations.into_iter().for_each(|declaration| leaves(declaration, &mut tokens));
        for name in names {
            let production = productions.iter().find(|production| production.name == *name);
            let production = production.unwrap_or_else(|| panic!("there is no production {name}"));
            let of_another = production.terminals.is_empty();
            assert!(
                of_another || production.terminals.intersection(&tokens).next().is_some(),
                "the example of {name} has none of {:?}:\n{block}",
                production.terminals
            );
            shown.insert(name.as_str());
        }
        seen.extend(tokens);
    }
    for production in &productions {
        assert!(shown.contains(production.name.as_str()), "{} has no example", production.name);
        for word in production.terminals.iter().filter(|terminal| is_word(terminal)) {
            assert!(seen.contains(word), "no example has `{word}`");
        }
    }
}
