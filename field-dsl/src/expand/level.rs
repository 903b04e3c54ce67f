//! Levels of towers over `Fq`.
//!
//! A level over `Fq` is arkworks' `Fp2` or `Fp3`; one over a level is its `QuadExtField` or `CubicExtField`
//! with a configuration of our own, since its `Fp4`, `Fp6` and `Fp12` are for particular nonresidues.

use super::{Root, apart, ark_mont, bind, inside, located, words};
use crate::ast::Over;
use crate::check::{FieldModel, LevelModel};
use curvesmith_codegen::declaration::tower::{Element, Extension, Tower, TowerField};
use num_bigint::BigUint;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};
use syn::spanned::Spanned;

/// Where the type of a level is from.
#[derive(Clone)]
pub(super) enum Source {
    /// A path of the declaration.
    Bound(syn::Path),
    /// The coordinates of a bound group.
    Group(&'static str, Span),
    /// What the type of this level is over.
    Below(Over, Span),
    /// Nowhere yet.
    Generated,
}

impl Source {
    /// The path that it is from.
    pub(super) fn span(&self) -> Option<Span> {
        match self {
            Source::Bound(path) => Some(path.span()),
            Source::Group(_, span) | Source::Below(_, span) => Some(*span),
            Source::Generated => None,
        }
    }
}

/// The name of the type of an element with so many coordinates.
pub(super) fn name(degree: usize) -> Ident {
    match degree {
        1 => format_ident!("Fq"),
        _ => format_ident!("Fq{degree}"),
    }
}

/// The type, and for a generated one its configuration.
pub(super) fn items(
    root: &Root,
    fq: &FieldModel,
    level: &LevelModel,
    source: &Source,
    valid: bool,
) -> TokenStream {
    let ident = name(level.name.0);
    let ty = match source {
        Source::Bound(path) => apart(&inside(path)),
        Source::Group(marker, _) => {
            let config = format_ident!("{marker}Config");
            quote!(<#config as #root::ark_ec::CurveConfig>::BaseField)
        }
        Source::Below(above, _) => {
            let above = name(above.0);
            quote!(<#above as #root::declared::Extension>::Below)
        }
        Source::Generated => return Generated { root, fq, level, valid }.items(),
    };
    let doc = doc(level);
    let span = source.span().unwrap_or_else(Span::call_site);
    let assertions = if valid { bind::level(root, fq, level, span) } else { TokenStream::new() };
    let alias = quote! {
        #[doc = #doc]
        pub type #ident = #ty;
    };
    let alias = located(alias, span);
    quote!(#alias #assertions)
}

fn doc(level: &LevelModel) -> String {
    let kind = if level.top.degree == 2 { "quadratic" } else { "cubic" };
    format!("The {kind} extension of [`{}`].", name(level.below.degree()))
}

/// A constant element of a level, or of the prime field.
pub(super) fn element(root: &Root, tower: &Tower, p: &BigUint, coordinates: &[BigUint]) -> TokenStream {
    let prime = |x: &BigUint| {
        let mont = ark_mont(x, p);
        quote!(#root::ark_ff::Fp::new_unchecked(#root::ark_ff::BigInt([#(#mont),*])))
    };
    element_of(tower, tower.top(), coordinates, &prime)
}

/// The same in a declaration that may be faulty: a stand-in then, for whatever length a bound `Fq` has.
pub(super) fn constant(
    root: &Root,
    valid: bool,
    tower: &Tower,
    p: &BigUint,
    coordinates: &[BigUint],
) -> TokenStream {
    if valid {
        return element(root, tower, p, coordinates);
    }
    element_of(tower, tower.top(), coordinates, &|_| quote!(<Fq as #root::ark_ff::FftField>::GENERATOR))
}

fn element_of(
    tower: &Tower,
    level: usize,
    coordinates: &[BigUint],
    prime: &dyn Fn(&BigUint) -> TokenStream,
) -> TokenStream {
    let Some(below) = level.checked_sub(1) else { return prime(&coordinates[0]) };
    let ident = name(tower.degree_at(level));
    let parts = coordinates.chunks_exact(tower.degree_at(below));
    let parts = parts.map(|part| element_of(tower, below, part, prime));
    quote!(#ident::new(#(#parts),*))
}

/// A generated level.
struct Generated<'a> {
    root: &'a Root,
    fq: &'a FieldModel,
    level: &'a LevelModel,
    valid: bool,
}

impl Generated<'_> {
    fn items(&self) -> TokenStream {
        let ff = self.ff();
        let (ident, config) = (name(self.level.name.0), self.config());
        let (imp, ty) = match (self.level.top.degree, self.level.below.top()) {
            (2, 0) => (self.over_fq_quadratic(), quote!(#ff::Fp2<#config>)),
            (2, _) => (self.quadratic(), quote!(#ff::QuadExtField<#config>)),
            (_, 0) => (self.over_fq_cubic(), quote!(#ff::Fp3<#config>)),
            (_, _) => (self.cubic(), quote!(#ff::CubicExtField<#config>)),
        };
        let (doc, config_doc) = (doc(self.level), format!("arkworks' description of [`{ident}`]."));
        quote! {
            #[doc = #config_doc]
            #[derive(Debug)]
            pub struct #config;
            #[automatically_derived]
            #imp
            #[doc = #doc]
            pub type #ident = #ty;
        }
    }

    fn over_fq_quadratic(&self) -> TokenStream {
        let (ff, nonresidue) = (self.ff(), self.nonresidue());
        let [c1, _] = self.frobenius();
        quote! {
            impl #ff::Fp2Config for Fq2Config {
                type Fp = Fq;
                const NONRESIDUE: Fq = #nonresidue;
                const FROBENIUS_COEFF_FP2_C1: &'static [Fq] = #c1;
            }
        }
    }

    fn over_fq_cubic(&self) -> TokenStream {
        let (ff, nonresidue) = (self.ff(), self.nonresidue());
        let [c1, c2] = self.frobenius();
        let (two_adicity, trace, root) = self.square_roots();
        quote! {
            impl #ff::Fp3Config for Fq3Config {
                type Fp = Fq;
                const NONRESIDUE: Fq = #nonresidue;
                const FROBENIUS_COEFF_FP3_C1: &'static [Fq] = #c1;
                const FROBENIUS_COEFF_FP3_C2: &'static [Fq] = #c2;
                const TWO_ADICITY: u32 = #two_adicity;
                const TRACE_MINUS_ONE_DIV_TWO: &'static [u64] = #trace;
                const QUADRATIC_NONRESIDUE_TO_T: Fq3 = #root;
            }
        }
    }

    fn quadratic(&self) -> TokenStream {
        let (ff, associated) = (self.ff(), self.associated());
        let config = self.config();
        let [c1, _] = self.frobenius();
        quote! {
            impl #ff::QuadExtConfig for #config {
                #associated
                const FROBENIUS_COEFF_C1: &'static [Self::FrobCoeff] = #c1;
                fn mul_base_field_by_frob_coeff(fe: &mut Self::BaseField, power: usize) {
                    *fe *= &Self::FROBENIUS_COEFF_C1[power % Self::DEGREE_OVER_BASE_PRIME_FIELD];
                }
            }
        }
    }

    fn cubic(&self) -> TokenStream {
        let (ff, associated) = (self.ff(), self.associated());
        let config = self.config();
        let [c1, c2] = self.frobenius();
        let (two_adicity, trace, root) = self.square_roots();
        quote! {
            impl #ff::CubicExtConfig for #config {
                #associated
                const SQRT_PRECOMP: ::core::option::Option<#ff::SqrtPrecomputation<#ff::CubicExtField<Self>>> =
                    ::core::option::Option::Some(#ff::SqrtPrecomputation::TonelliShanks {
                        two_adicity: #two_adicity,
                        quadratic_nonresidue_to_trace: #root,
                        trace_of_modulus_minus_one_div_two: #trace,
                    });
                const FROBENIUS_COEFF_C1: &'static [Self::FrobCoeff] = #c1;
                const FROBENIUS_COEFF_C2: &'static [Self::FrobCoeff] = #c2;
                fn mul_base_field_by_frob_coeff(c1: &mut Self::BaseField, c2: &mut Self::BaseField, power: usize) {
                    *c1 *= &Self::FROBENIUS_COEFF_C1[power % Self::DEGREE_OVER_BASE_PRIME_FIELD];
                    *c2 *= &Self::FROBENIUS_COEFF_C2[power % Self::DEGREE_OVER_BASE_PRIME_FIELD];
                }
            }
        }
    }

    /// What configurations of quadratic and cubic extensions have in common.
    fn associated(&self) -> TokenStream {
        let (degree, below) = (self.level.name.0, name(self.level.below.degree()));
        let nonresidue = self.nonresidue();
        quote! {
            type BasePrimeField = Fq;
            type BaseField = #below;
            type FrobCoeff = #below;
            const DEGREE_OVER_BASE_PRIME_FIELD: usize = #degree;
            const NONRESIDUE: #below = #nonresidue;
        }
    }

    fn nonresidue(&self) -> TokenStream {
        self.constant(&self.level.below, &self.level.top.nonresidue)
    }

    /// `ξ^((p^i - 1)/d)` for every `i` below the degree over `Fq`, which `u^(p^i)` is `u` times, and their
    /// squares.
    fn frobenius(&self) -> [TokenStream; 2] {
        let (below, Extension { degree, nonresidue }) = (&self.level.below, &self.level.top);
        let field = self.field(below);
        let first = field.pow(&Element(nonresidue.clone()), &((&field.p - 1u32) / *degree));
        // (p^(i+1) - 1)/d = p·(p^i - 1)/d + (p - 1)/d
        let next = |c: &Element| Some(field.mul(&field.frobenius(c, 1), &first));
        let c1: Vec<Element> =
            std::iter::successors(Some(field.one()), next).take(self.level.name.0).collect();
        let c2: Vec<Element> = c1.iter().map(|c| field.sqr(c)).collect();
        [c1, c2].map(|all| {
            let all = all.iter().map(|c| self.constant(below, &c.0));
            quote!(&[#(#all),*])
        })
    }

    /// For a cubic level over `K`: `s`, `(t - 1)/2` and a root of unity of order `2^s`, where its size is
    /// `2^s·t + 1` with an odd `t`. The root lies in `K`, because `(q³ - 1)/(q - 1)` is odd.
    fn square_roots(&self) -> (u32, TokenStream, TokenStream) {
        let tower = self.level.tower();
        let order = self.field(&tower).size() - 1u32;
        let two_adicity = order.trailing_zeros().unwrap_or(0);
        let trace = words(&(&order >> (two_adicity + 1)), 1);
        let mut root =
            if self.valid { self.root_for_square_roots(&(order >> two_adicity)).0 } else { vec![] };
        root.resize(tower.degree(), BigUint::ZERO);
        (two_adicity as u32, quote!(&[#(#trace),*]), self.constant(&tower, &root))
    }

    /// The nonresidue's power with this odd exponent, arkworks' choice, where that is no square either.
    fn root_for_square_roots(&self, odd: &BigUint) -> Element {
        let below = self.field(&self.level.below);
        let nonresidue = Element(self.level.top.nonresidue.clone());
        if below.is_square(&nonresidue) {
            return self.two_adic_root(&self.level.below);
        }
        below.pow(&nonresidue, odd)
    }

    /// A root of unity whose order is the greatest power of two there is.
    fn two_adic_root(&self, tower: &Tower) -> Element {
        let field = self.field(tower);
        let Some(Extension { degree, .. }) = tower.levels().last() else {
            return Element(vec![self.fq.two_adic_root.clone()]);
        };
        if *degree == 3 {
            let mut root = self.two_adic_root(&field.at(tower.top() - 1).tower).0;
            root.resize(tower.degree(), BigUint::ZERO);
            return Element(root);
        }
        let order = field.size() - 1u32;
        let odd = &order >> order.trailing_zeros().unwrap_or(0);
        let nonsquare = (0..).map(|i| field.hashed(&[], i)).find(|x| !field.is_square(x));
        field.pow(&nonsquare.expect("half of all elements are no squares"), &odd)
    }

    fn constant(&self, tower: &Tower, coordinates: &[BigUint]) -> TokenStream {
        constant(self.root, self.valid, tower, &self.fq.desc.p, coordinates)
    }

    fn config(&self) -> Ident {
        format_ident!("{}Config", name(self.level.name.0))
    }

    fn field(&self, tower: &Tower) -> TowerField {
        TowerField { p: self.fq.desc.p.clone(), tower: tower.clone() }
    }

    fn ff(&self) -> TokenStream {
        let root = self.root;
        quote!(#root::ark_ff)
    }
}
