//! Declarations as written: numbers with their spans, nothing checked.

use crate::literal::Number;
use proc_macro2::{Ident, Span};
use syn::{Token, token};

/// `attributes visibility mod name { … }`, and the path that expansions use.
pub(crate) struct Header {
    pub(crate) attrs: Vec<syn::Attribute>,
    pub(crate) vis: syn::Visibility,
    /// Of `mod`, for faults that rustc finds in the module as a whole.
    pub(crate) keyword: Token![mod],
    pub(crate) name: Ident,
    pub(crate) braces: token::Brace,
    /// `crate = path;`
    pub(crate) krate: Option<syn::Path>,
}

/// A prime field.
pub(crate) struct Field {
    pub(crate) modulus: Number,
    pub(crate) options: FieldOptions,
}

/// What may be said about a prime field besides its modulus.
#[derive(Default)]
pub(crate) struct FieldOptions {
    pub(crate) generator: Option<Number>,
    pub(crate) two_adic_root: Option<Number>,
    pub(crate) small_subgroup: Option<SmallSubgroup>,
}

/// `base^power`
pub(crate) struct SmallSubgroup {
    pub(crate) base: Number,
    pub(crate) power: Number,
}

/// One number, or several in brackets.
pub(crate) struct Coordinates {
    pub(crate) numbers: Vec<Number>,
    pub(crate) bracketed: bool,
    pub(crate) span: Span,
}

impl Coordinates {
    /// Whether they are as many as an element of `over` has, and written as such.
    pub(crate) fn is_in(&self, over: Over) -> bool {
        self.numbers.len() == over.0 && self.bracketed == (over != Over::FQ)
    }
}

/// A group; a missing part is `None` and has been reported.
pub(crate) struct Group {
    /// Of its name.
    pub(crate) span: Span,
    pub(crate) model: Model,
    pub(crate) over: Over,
    pub(crate) over_span: Span,
    pub(crate) a: Option<Coordinates>,
    /// `b` or `d`, as [`Model::other`] says.
    pub(crate) other: Option<Coordinates>,
    pub(crate) generator: Option<(Coordinates, Coordinates)>,
    pub(crate) cofactor: Option<Number>,
    /// Of `edwards_form`, where it is asked for.
    pub(crate) edwards_form: Option<Span>,
    /// Whether kernels for constant work are asked for.
    pub(crate) constant_work: bool,
}

/// Form of a curve's equation.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Model {
    ShortWeierstrass,
    TwistedEdwards,
    /// A twisted Edwards curve, by its Montgomery form.
    Montgomery,
}

impl Model {
    const ALL: [Model; 3] = [Model::ShortWeierstrass, Model::TwistedEdwards, Model::Montgomery];

    /// Their keywords.
    pub(crate) const NAMES: [&str; 3] = [Model::ALL[0].name(), Model::ALL[1].name(), Model::ALL[2].name()];

    /// The keyword of a declaration.
    const fn name(self) -> &'static str {
        match self {
            Model::ShortWeierstrass => "short_weierstrass",
            Model::TwistedEdwards => "twisted_edwards",
            Model::Montgomery => "montgomery",
        }
    }

    /// The model of a keyword.
    pub(crate) fn named(name: &str) -> Option<Model> {
        Model::ALL.into_iter().find(|model| model.name() == name)
    }

    /// The coefficient besides `a`.
    pub(crate) fn other(self) -> &'static str {
        match self {
            Model::ShortWeierstrass | Model::Montgomery => "b",
            Model::TwistedEdwards => "d",
        }
    }

    /// What the coordinates of a point are called.
    pub(crate) fn coordinates(self) -> [&'static str; 2] {
        match self {
            Model::ShortWeierstrass | Model::TwistedEdwards => ["x", "y"],
            Model::Montgomery => ["u", "v"],
        }
    }
}

/// `fq`, or a level of a tower above it, by its degree over `fq`: what a group or a level is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Over(pub(crate) usize);

impl Over {
    pub(crate) const FQ: Over = Over(1);
    /// Degrees that levels are named after.
    const LEVELS: [usize; 5] = [2, 3, 4, 6, 12];

    /// Their names, and that of the prime field.
    pub(crate) const NAMES: [&str; 6] = ["fq", "fq2", "fq3", "fq4", "fq6", "fq12"];

    /// The field of a name: `fq`, `fq2`, `fq3`, `fq4`, `fq6` or `fq12`.
    pub(crate) fn named(name: &str) -> Option<Over> {
        let mut all = std::iter::once(Over::FQ).chain(Over::LEVELS.map(Over));
        all.find(|over| over.to_string() == name)
    }

    /// The level that a degree gives the name to.
    pub(crate) fn of_degree(degree: usize) -> Option<Over> {
        Over::LEVELS.contains(&degree).then_some(Over(degree))
    }
}

impl std::fmt::Display for Over {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match *self {
            Over::FQ => f.write_str("fq"),
            Over(degree) => write!(f, "fq{degree}"),
        }
    }
}

/// A level of a tower; its rule is `None` where it has been reported.
pub(crate) struct Level {
    pub(crate) name: Over,
    pub(crate) span: Span,
    pub(crate) rule: Option<Rule>,
}

/// `below[u] / (u^power - nonresidue)`
pub(crate) struct Rule {
    pub(crate) below: Over,
    pub(crate) below_span: Span,
    /// 2 or 3.
    pub(crate) power: usize,
    pub(crate) power_span: Span,
    pub(crate) nonresidue: Coordinates,
}

/// `arkworks { key = path; … }`
pub(crate) struct Bindings {
    /// Of `arkworks`.
    pub(crate) span: Span,
    pub(crate) paths: Vec<(Ident, syn::Path)>,
}

impl Bindings {
    pub(crate) fn get(&self, key: &str) -> Option<&syn::Path> {
        self.paths.iter().find(|(k, _)| k == key).map(|(_, path)| path)
    }
}

/// `field! { … }`
pub(crate) struct FieldDeclaration {
    pub(crate) header: Header,
    pub(crate) field: Option<Field>,
    pub(crate) bindings: Option<Bindings>,
}

/// `curve! { … }`
pub(crate) struct CurveDeclaration {
    pub(crate) header: Header,
    pub(crate) fq: Option<Field>,
    pub(crate) fr: Option<Field>,
    /// Levels above `fq`, in any order.
    pub(crate) levels: Vec<Level>,
    pub(crate) g1: Option<Group>,
    pub(crate) g2: Option<Group>,
    pub(crate) bindings: Option<Bindings>,
    /// `allow(weak_curve);`
    pub(crate) allow_weak: bool,
    /// Of the family that all of this is from, if it is from one.
    pub(crate) pairing: Option<crate::family::Pairing>,
}
