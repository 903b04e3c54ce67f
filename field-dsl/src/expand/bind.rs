//! Const assertions that a bound arkworks type is the declared one.
//!
//! Elements are compared in arkworks' Montgomery form, word by word; the expansion so
//! requires ark-ff's Montgomery back end with 64-bit words, which all its curve crates use.

use super::{Root, ark_mont, ark_words, words};
use crate::check::{FieldModel, GroupModel, LevelModel};
use curvesmith_codegen::spec::{Equation, Tower};
use num_bigint::BigUint;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;

/// Modulus; generator and two-adic root where the declaration says them.
pub(super) fn field(root: &Root, path: &syn::Path, model: &FieldModel) -> TokenStream {
    let p = &model.desc.p;
    let ff = quote!(#root::ark_ff);
    let span = path.span();
    let modulus = quote!(<#path as #ff::PrimeField>::MODULUS.0);
    let same_modulus = same(root, &modulus, &words(p, ark_words(p)));
    let mut out = assertion(span, &same_modulus, "modulus");
    // In another field every number differs; that is no news.
    let mut compare = |constant: TokenStream, value: &BigUint, what: &str| {
        let same = same(root, &quote!(#constant.0.0), &ark_mont(value, p));
        out.extend(assertion(span, &quote!(!#same_modulus || #same), what));
    };
    if model.generator_declared {
        compare(quote!(<#path as #ff::FftField>::GENERATOR), &model.generator, "generator");
    }
    if model.root_declared {
        compare(
            quote!(<#path as #ff::FftField>::TWO_ADIC_ROOT_OF_UNITY),
            &model.two_adic_root,
            "two-adic root",
        );
    }
    if let Some(small) = &model.small_subgroup {
        let (base, power) = (small.base, small.power);
        out.extend(quote_spanned! {span=>
            const _: () = ::core::assert!(
                ::core::matches!(<#path as #ff::FftField>::SMALL_SUBGROUP_BASE, ::core::option::Option::Some(#base))
                    && ::core::matches!(
                        <#path as #ff::FftField>::SMALL_SUBGROUP_BASE_ADICITY,
                        ::core::option::Option::Some(#power)
                    ),
                "the small subgroup of the bound type differs from the declared one"
            );
        });
    }
    out
}

/// Degree and nonresidue of a level.
pub(super) fn level(root: &Root, fq: &FieldModel, level: &LevelModel, span: Span) -> TokenStream {
    let ident = super::level::name(level.name.0);
    let extension = quote!(<#ident as #root::declared::Extension>);
    let degree = level.top.degree;
    let mut out = assertion(span, &quote!(#extension::DEGREE == #degree), "degree");
    for (part, value) in parts(&level.below).iter().zip(&level.top.nonresidue) {
        let same = same(root, &quote!(#extension::NONRESIDUE #part), &ark_mont(value, &fq.desc.p));
        out.extend(assertion(span, &same, "nonresidue"));
    }
    out
}

/// The words of each coordinate of an element, in the tower's order, which is that of arkworks' `to_base_prime_field_elements`.
fn parts(tower: &Tower) -> Vec<TokenStream> {
    tower.levels().iter().fold(vec![quote!(.0.0)], |below, level| {
        let coefficients = (0..level.degree).map(|i| format_ident!("c{i}"));
        coefficients.flat_map(|c| below.iter().map(move |part| quote!(.#c #part))).collect()
    })
}

/// Coefficients, generator and cofactor.
pub(super) fn group(
    root: &Root,
    config: &Ident,
    model: &GroupModel,
    fr: &FieldModel,
    span: Span,
) -> TokenStream {
    let p = &model.desc.base.p;
    let ec = quote!(#root::ark_ec);
    let (form, a, other, name) = match &model.desc.equation {
        Equation::ShortWeierstrass { a, b } => {
            (quote!(<#config as #ec::short_weierstrass::SWCurveConfig>), a, b, "B")
        }
        Equation::TwistedEdwards { a, d } => {
            (quote!(<#config as #ec::twisted_edwards::TECurveConfig>), a, d, "D")
        }
    };
    let coefficient = format_ident!("COEFF_{name}");
    let other_what = format!("coefficient {}", name.to_lowercase());
    let curve = quote!(<#config as #root::ark_ec::CurveConfig>);
    let modulus = |ty: TokenStream, p: &BigUint| {
        same(root, &quote!(<#ty as #root::ark_ff::PrimeField>::MODULUS.0), &words(p, ark_words(p)))
    };
    let (same_p, same_r) = (modulus(quote!(Fq), p), modulus(quote!(Fr), &fr.desc.p));
    let mut out = TokenStream::new();
    let mut compare = |constant: &TokenStream, expected: &[u64], what: &str| {
        let same = same(root, constant, expected);
        out.extend(assertion(span, &quote!(!(#same_p && #same_r) || #same), what));
    };
    let elements = [
        (quote!(#form::COEFF_A), a, "coefficient a"),
        (quote!(#form::#coefficient), other, other_what.as_str()),
        (quote!(#form::GENERATOR.x), &model.generator[0], "generator"),
        (quote!(#form::GENERATOR.y), &model.generator[1], "generator"),
    ];
    for (constant, coordinates, what) in elements {
        for (part, value) in parts(&model.desc.tower).iter().zip(coordinates) {
            compare(&quote!(#constant #part), &ark_mont(value, p), what);
        }
    }
    compare(&quote!(#curve::COFACTOR), &words(&model.cofactor, 1), "cofactor");
    let inverse = ark_mont(&model.cofactor_inv, &fr.desc.p);
    compare(&quote!(#curve::COFACTOR_INV.0.0), &inverse, "inverse of the cofactor");
    out
}

/// A const expression: whether `constant` has exactly these words.
fn same(root: &Root, constant: &TokenStream, expected: &[u64]) -> TokenStream {
    quote!(#root::declared::same_words(&#constant, &[#(#expected),*]))
}

fn assertion(span: Span, same: &TokenStream, what: &str) -> TokenStream {
    let message = format!("the {what} of the bound type differs from the declared one");
    quote_spanned!(span=> const _: () = ::core::assert!(#same, #message);)
}
