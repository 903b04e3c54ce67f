//! Messages of the macros, and their collection. Faults of the declared numbers have their
//! texts in [`curvesmith_codegen::declaration::SpecError`].

use crate::ast::{Coordinates, Over};
use curvesmith_codegen::declaration::tower::{number, residue};
use num_bigint::{BigInt, BigUint, Sign};
use proc_macro2::Span;
use std::fmt::Display;

pub(crate) const COMMON_TAKES_NOTHING: &str = "common_images! takes no arguments";
pub(crate) const MODULE_NAME: &str = "module name must be ASCII, it becomes part of kernel symbols";
pub(crate) const MODULE_NAME_TOO_LONG: &str = "module name is longer than 64 characters";
pub(crate) const LITERAL: &str = "expected a decimal or hexadecimal integer without suffix";
pub(crate) const LITERAL_TOO_LONG: &str = "integer literal is longer than 4096 characters";
pub(crate) const LITERAL_TOO_DEEP: &str = "number has more than 16 signs and parentheses";
pub(crate) const FAMILY_DERIVES: &str = "the family declares this: remove it, or the family";
pub(crate) const FAMILY_FIELD: &str =
    "expected `{ options }`: the family gives the modulus, here are its generator and roots";
pub(crate) const T_MOD_X: &str = "`t_mod_x` must be 0 or 3";
pub(crate) const TRAILING: &str = "unexpected token after the module";
pub(crate) const PATH_TOO_LONG: &str = "path has more than 256 tokens";
pub(crate) const EXTENSION: &str = "the extension must be written fq[u] / (u^d - (nonresidue)), d = 2 or 3";
pub(crate) const CUBIC_TYPE: &str = "arkworks' cubic extensions need p = 1 modulo 3";
pub(crate) const SCALARS_BELOW_5: &str = "fr: modulus 3 is too small for a group: its least order is 5";
pub(crate) const FIELDS_EXCHANGED: &str =
    "fq and fr are exchanged: with each in the other's place, the generator of g1 has order r";
pub(crate) const NEGATIVE: &str = "number must not be negative";
pub(crate) const SMALL_SUBGROUP: &str = "small_subgroup must be written base^power, each below 2^32";
pub(crate) const ENGINE_NEEDS_G2: &str = "`engine` of arkworks needs `g2`";

/// What a message is about: an item of a declaration, or an option `of` one.
#[derive(Clone, Copy)]
pub(crate) struct Item<'a> {
    pub(crate) key: &'a str,
    /// Empty for an item of the declaration itself.
    pub(crate) of: &'a str,
}

impl Display for Item<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.of {
            "" => write!(f, "`{}`", self.key),
            of => write!(f, "`{}` of {of}", self.key),
        }
    }
}

/// A required part.
pub(crate) fn missing(item: Item<'_>) -> String {
    format!("missing {item}")
}

/// A part that is there already.
pub(crate) fn repeated(item: Item<'_>) -> String {
    format!("{item} is declared twice")
}

/// A statement that does not begin with a word.
pub(crate) fn expected_statement(kind: &str, of: &str) -> String {
    let article = if kind.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    let of = if of.is_empty() { String::new() } else { format!(" of {of}") };
    format!("expected {article} {kind}{of}")
}

/// The end of a statement.
pub(crate) fn semicolon(item: Item<'_>) -> String {
    format!("expected `;` after {item}")
}

/// A keyword, of what kind ("option"), that is none of those known there.
pub(crate) fn unknown(kind: &str, item: Item<'_>, known: &[&str]) -> String {
    format!("unknown {kind} {item}: {}", expected(item.key, known))
}

/// `expected …`, and which of them is meant if `found` looks like it.
pub(crate) fn expected(found: &str, known: &[&str]) -> String {
    let mut quoted: Vec<String> = known.iter().map(|key| format!("`{key}`")).collect();
    let last = quoted.pop().unwrap_or_default();
    let list = if quoted.is_empty() { last } else { format!("{} or {last}", quoted.join(", ")) };
    match nearest(found, known).filter(|_| known.len() > 1) {
        Some(key) => format!("expected {list}; did you mean `{key}`?"),
        None => format!("expected {list}"),
    }
}

/// The known word that differs least from a misspelt one, if it differs little and is the only one.
pub(crate) fn nearest<'a>(found: &str, known: &[&'a str]) -> Option<&'a str> {
    // A key this long is no misspelt one, and the distance takes quadratic work.
    let found: Vec<char> = found.to_lowercase().chars().take(64).collect();
    let distances = known.iter().map(|key| (distance(&found, &key.chars().collect::<Vec<_>>()), *key));
    let mut near: Vec<(usize, &str)> =
        distances.filter(|(distance, key)| *distance <= 2 && 3 * distance <= key.len()).collect();
    near.sort_by_key(|(distance, _)| *distance);
    match near[..] {
        [(distance, _), (next, _), ..] if distance == next => None,
        [(_, key), ..] => Some(key),
        [] => None,
    }
}

/// Insertions, deletions, replacements and swaps of neighbours that make `b` from `a`.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut rows = vec![(0..=b.len()).collect::<Vec<usize>>()];
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let replaced = rows[i][j] + usize::from(x != y);
            let mut least = replaced.min(rows[i][j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *x == b[j - 1] && a[i - 1] == *y {
                least = least.min(rows[i - 1][j - 1] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

/// What stands in place of a literal.
pub(crate) fn expression(value: &BigInt) -> String {
    let sign = if value.sign() == Sign::Minus { "-" } else { "" };
    format!("expected a literal and not an expression; its value is {sign}{}", number(value.magnitude()))
}

/// A number that is no residue; the residue that it stands for is given.
pub(crate) fn not_below_modulus(item: Item<'_>, value: &BigUint, p: &BigUint) -> String {
    format!("{item} is not below the modulus; modulo it, it is {}", residue(value, p))
}

/// What a group or a level is over and nobody declares.
pub(crate) fn undeclared(what: &str, over: Over) -> String {
    format!("{what} is over {over}, which is not declared")
}

/// A binding of an item that is not there.
pub(crate) fn binding_undeclared(key: &str) -> String {
    format!("`{key}` of arkworks binds `{key}`, which is not declared")
}

/// A level whose name is not its degree.
pub(crate) fn degree(name: Over, found: usize) -> String {
    let right = match Over::of_degree(found) {
        Some(right) => format!("; it would be {right}"),
        None => String::new(),
    };
    format!("{name} has degree {} over fq, but this extension has degree {found}{right}", name.0)
}

/// Weaknesses of a group.
pub(crate) fn weak(group: &str, weaknesses: &[String]) -> String {
    format!("{group} is weak: {}; if that is meant, declare `allow(weak_curve);`", weaknesses.join(", and "))
}

/// Other coordinates than `over` has.
pub(crate) fn coordinates(item: Item<'_>, over: Over, found: &Coordinates) -> String {
    let expected = match over.0 {
        1 => "one number".to_owned(),
        2 => "[c0, c1]".to_owned(),
        3 => "[c0, c1, c2]".to_owned(),
        degree => format!("[c0, ..., c{}]", degree - 1),
    };
    let found = match (found.numbers.len(), found.bracketed) {
        (1, false) => "one number".to_owned(),
        (1, true) => "one number in brackets".to_owned(),
        (count, _) => format!("{count} numbers"),
    };
    format!("{item} is in {over}: expected {expected}, found {found}")
}

/// A generator of the other group, whose own one may be `exchanged` with it.
pub(crate) fn generator_of_other(group: &str, other: &str, exchanged: bool) -> String {
    let advice = if exchanged { ": exchange the two generators" } else { "" };
    format!("{group}: generator is not on the curve; it is on that of {other}{advice}")
}

/// Every fault found so far.
#[derive(Default)]
pub(crate) struct Errors(Option<syn::Error>);

impl Errors {
    pub(crate) fn push(&mut self, span: Span, message: impl Display) {
        self.push_error(syn::Error::new(span, message));
    }

    pub(crate) fn push_error(&mut self, error: syn::Error) {
        match &mut self.0 {
            Some(first) => first.combine(error),
            none => *none = Some(error),
        }
    }

    pub(crate) fn append(&mut self, other: Errors) {
        if let Some(error) = other.0 {
            self.push_error(error);
        }
    }

    /// Faults found while an item was read, with its name before them.
    pub(crate) fn push_in(&mut self, item: Item<'_>, error: syn::Error) {
        for fault in error {
            self.push(fault.span(), format!("{item}: {fault}"));
        }
    }

    /// The value, or `None` after noting the fault at `span`.
    pub(crate) fn keep<T, E: Display>(&mut self, span: Span, result: Result<T, E>) -> Option<T> {
        result.map_err(|e| self.push(span, e)).ok()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// All of them in one.
    pub(crate) fn into_error(self) -> Option<syn::Error> {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspelt_words_are_recognised_and_others_are_not() {
        let known = ["a", "b", "generator", "cofactor", "short_weierstrass", "fq2", "fq3"];
        for (found, meant) in [
            ("cofator", Some("cofactor")),
            ("Generator", Some("generator")),
            ("genertaor", Some("generator")),
            ("short_weierstras", Some("short_weierstrass")),
            ("shortweierstrass", Some("short_weierstrass")),
            ("fp2", Some("fq2")),
            ("fq5", None),
            ("c", None),
            ("base", None),
            ("factor", Some("cofactor")),
            ("", None),
        ] {
            assert_eq!(nearest(found, &known), meant, "{found}");
        }
        assert_eq!(nearest(&"cofactor".repeat(100_000), &known), None);
    }

    #[test]
    fn items_are_named_with_what_they_belong_to() {
        assert_eq!(repeated(Item { key: "generator", of: "g2" }), "`generator` of g2 is declared twice");
        assert_eq!(missing(Item { key: "fq", of: "" }), "missing `fq`");
        assert_eq!(expected("x", &["p"]), "expected `p`");
    }
}
