//! Messages of the macros, and their collection. Faults of the declared numbers have their
//! texts in [`curvesmith_codegen::spec::SpecError`].

use crate::ast::Over;
use proc_macro2::Span;
use std::fmt::Display;

pub(crate) const COMMON_TAKES_NOTHING: &str = "common_images! takes no arguments";
pub(crate) const MODULE_NAME: &str = "module name must be ASCII, it becomes part of kernel symbols";
pub(crate) const MODULE_NAME_TOO_LONG: &str = "module name is longer than 64 characters";
pub(crate) const LITERAL: &str = "expected a decimal or hexadecimal integer without suffix";
pub(crate) const LITERAL_TOO_LONG: &str = "integer literal is longer than 4096 characters";
pub(crate) const LITERAL_TOO_DEEP: &str = "number has more than 16 signs and parentheses";
pub(crate) const FAMILY: &str =
    "family forms are not supported yet: declare fq, fr and the groups explicitly";
pub(crate) const MODEL: &str = "expected `short_weierstrass` or `twisted_edwards`";
pub(crate) const UNKNOWN_FIELD_ITEM: &str =
    "unknown item: expected `crate`, `p`, `generator`, `two_adic_root`, `small_subgroup` or `arkworks`";
pub(crate) const UNKNOWN_CURVE_ITEM: &str = "unknown item: expected `crate`, `fq`, `fr`, `fq2`, `fq3`, `fq4`, `fq6`, `fq12`, `g1`, `g2` or `arkworks`";
pub(crate) const UNKNOWN_FIELD_OPTION: &str =
    "unknown option: expected `generator`, `two_adic_root` or `small_subgroup`";
pub(crate) const UNKNOWN_BINDING: &str = "unknown arkworks binding";
pub(crate) const PATH_TOO_LONG: &str = "path has more than 256 tokens";
pub(crate) const REPEATED: &str = "declared twice";
pub(crate) const EXTENSION: &str = "the extension must be written fq[u] / (u^d - (nonresidue)), d = 2 or 3";
pub(crate) const OVER: &str = "expected `fq`, `fq2`, `fq3`, `fq4`, `fq6` or `fq12`";
pub(crate) const CUBIC_TYPE: &str = "arkworks' cubic extensions need p = 1 modulo 3";
pub(crate) const NOT_BELOW_MODULUS: &str = "number is not below the modulus";
pub(crate) const NEGATIVE: &str = "number must not be negative";
pub(crate) const SMALL_SUBGROUP: &str = "small_subgroup must be written base^power, each below 2^32";
pub(crate) const ENGINE_NEEDS_G2: &str = "an engine needs g2";
pub(crate) const BINDING_UNDECLARED: &str = "binding of something that is not declared";

/// `missing …`, for a required part.
pub(crate) fn missing(what: &str) -> String {
    format!("missing `{what}`")
}

/// A key of a group besides `a`, its equation's other coefficient and the rest.
pub(crate) fn unknown_group_option(other: &str) -> String {
    format!("unknown option: expected `a`, `{other}`, `generator` or `cofactor`")
}

/// What a group or a level is over and nobody declares.
pub(crate) fn undeclared(over: Over) -> String {
    format!("{over} is not declared")
}

/// A level whose name is not its degree.
pub(crate) fn degree(name: Over, found: usize) -> String {
    format!("{name} has degree {} over fq, but this extension has degree {found}", name.0)
}

/// Other coordinates than `over` has; `what` needs them.
pub(crate) fn coordinates(what: &str, over: Over) -> String {
    let expected = match over.0 {
        1 => "one number".to_owned(),
        2 => "[c0, c1]".to_owned(),
        3 => "[c0, c1, c2]".to_owned(),
        degree => format!("[c0, ..., c{}]", degree - 1),
    };
    format!("expected {expected}: {what} {over}")
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
