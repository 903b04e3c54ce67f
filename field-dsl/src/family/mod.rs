//! `family: name { … };`: a curve by its family and seed.
//!
//! A family is a source of an explicit declaration: [`declare`](Family::declare) makes of it the fields,
//! levels and groups that could have been written out, with the spans of the family's tokens, so that every
//! check and expansion is that of any other curve. Beside them it makes the constants of arkworks' pairing.
//! The numbers are [`curvesmith_codegen::declaration::family`]'s.

mod declare;
mod parse;

pub(crate) use parse::family;

use crate::ast::{Coordinates, CurveDeclaration, Field, FieldOptions, Group, Level, Over};
use crate::error::{self, Errors};
use crate::literal::Number;
use curvesmith_codegen::declaration::family::{Engine, Twist};
use proc_macro2::Span;

/// Names of families.
pub(crate) const NAMES: &[&str] = &["bls12", "bn", "bw6", "bls24", "mnt4", "mnt6"];

/// Types of twists.
pub(crate) const TWISTS: &[&str] = &["m", "d"];

/// Options of every family.
pub(crate) const COMMON: &[&str] = &["fq", "fr", "g1_generator", "g2_generator"];

/// A family by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Bls12,
    Bn,
    Bw6,
    Bls24,
    Mnt4,
    Mnt6,
}

impl Kind {
    /// Options besides those of all families; the first of them are required.
    pub(crate) fn options(self) -> (&'static [&'static str], &'static [&'static str]) {
        match self {
            Kind::Bls12 | Kind::Bn => (&["x"], &["b", "fq2_nonresidue", "fq6_nonresidue", "twist"]),
            Kind::Bw6 => (&["x", "h_t", "h_y", "t_mod_x"], &["b", "fq3_nonresidue", "twist"]),
            Kind::Bls24 => (&["x"], &["b", "fq2_nonresidue", "fq4_nonresidue", "fq12_nonresidue", "twist"]),
            Kind::Mnt4 => (&["p", "r", "a", "b", "fq2_nonresidue"], &[]),
            Kind::Mnt6 => (&["p", "r", "a", "b", "fq3_nonresidue"], &[]),
        }
    }

    pub(crate) fn named(name: &str) -> Option<Kind> {
        let all = [Kind::Bls12, Kind::Bn, Kind::Bw6, Kind::Bls24, Kind::Mnt4, Kind::Mnt6];
        all.into_iter().find(|kind| kind.name() == name)
    }

    fn name(self) -> &'static str {
        match self {
            Kind::Bls12 => "bls12",
            Kind::Bn => "bn",
            Kind::Bw6 => "bw6",
            Kind::Bls24 => "bls24",
            Kind::Mnt4 => "mnt4",
            Kind::Mnt6 => "mnt6",
        }
    }

    /// The levels of its declaration and what each is over, the highest last.
    fn levels(self) -> &'static [(Over, Over)] {
        const FQ2: (Over, Over) = (Over(2), Over::FQ);
        match self {
            Kind::Bls12 | Kind::Bn | Kind::Mnt4 => &[FQ2],
            Kind::Bls24 => &[FQ2, (Over(4), Over(2))],
            Kind::Bw6 | Kind::Mnt6 => &[(Over(3), Over::FQ)],
        }
    }

    /// What the second group is over.
    fn over_g2(self) -> Over {
        match self {
            Kind::Bw6 => Over::FQ,
            _ => self.levels().last().map_or(Over::FQ, |(level, _)| *level),
        }
    }

    /// arkworks has a pairing for it.
    pub(crate) fn has_engine(self) -> bool {
        self != Kind::Bls24
    }
}

/// A family as written.
pub(crate) struct Family {
    kind: Kind,
    /// Of its name.
    span: Span,
    given: Given,
    /// A part is missing or could not be read, which has been reported.
    faulty: bool,
}

impl Family {
    /// Declares the curve. What is declared beside it is a fault.
    pub(crate) fn fill(self, declaration: &mut CurveDeclaration, errors: &mut Errors) {
        let d = &*declaration;
        let fields = [&d.fq, &d.fr].into_iter().flatten().map(|field| field.modulus.span);
        let groups = [&d.g1, &d.g2].into_iter().flatten().map(|group| group.span);
        let levels = d.levels.iter().map(|level| level.span);
        for span in fields.chain(levels).chain(groups) {
            errors.push(span, error::FAMILY_DERIVES);
        }
        let parts = self.declare(errors);
        declaration.fq = parts.fq;
        declaration.fr = parts.fr;
        declaration.levels = parts.levels;
        declaration.g1 = Some(parts.g1);
        declaration.g2 = Some(parts.g2);
        declaration.pairing = Some(parts.pairing);
    }
}

/// Options of all families.
#[derive(Default)]
struct Given {
    x: Option<Number>,
    h_t: Option<Number>,
    h_y: Option<Number>,
    t_mod_x: Option<Number>,
    p: Option<Number>,
    r: Option<Number>,
    a: Option<Number>,
    b: Option<Number>,
    /// Each with the level that is made by it.
    nonresidues: Vec<(Over, Coordinates)>,
    twist: Option<(Twist, Span)>,
    fq: Option<FieldOptions>,
    fr: Option<FieldOptions>,
    g1: Option<(Coordinates, Coordinates)>,
    g2: Option<(Coordinates, Coordinates)>,
}

/// What a family declares; after a fault, which has been reported, fields are missing and groups empty.
pub(crate) struct Parts {
    pub(crate) fq: Option<Field>,
    pub(crate) fr: Option<Field>,
    pub(crate) levels: Vec<Level>,
    pub(crate) g1: Group,
    pub(crate) g2: Group,
    pub(crate) pairing: Pairing,
}

/// The pairing of a family's curve.
pub(crate) struct Pairing {
    pub(crate) kind: Kind,
    /// `None` after a fault, and where arkworks has none.
    pub(crate) engine: Option<Engine>,
}
