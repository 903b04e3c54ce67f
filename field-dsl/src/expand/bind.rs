//! Const assertions that a bound arkworks type is the declared one.
//!
//! Elements are compared in arkworks' Montgomery form, word by word; the expansion so
//! requires ark-ff's Montgomery back end with 64-bit words, which all its curve crates use.

use super::{Root, ark_mont, ark_words, words};
use crate::check::{FieldModel, GroupModel};
use num_bigint::BigUint;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;

/// Modulus; generator and two-adic root where the declaration says them.
pub(super) fn field(root: &Root, path: &syn::Path, model: &FieldModel) -> TokenStream {
    let p = &model.desc.p;
    let ff = quote!(#root::ark_ff);
    let span = path.span();
    let modulus = quote!(<#path as #ff::PrimeField>::MODULUS.0);
    let mut out = assertion(root, span, &modulus, &words(p, ark_words(p)), "modulus");
    let mut compare = |constant: TokenStream, value: &BigUint, what: &str| {
        out.extend(assertion(root, span, &quote!(#constant.0.0), &ark_mont(value, p), what));
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

/// Nonresidue of `Fq2`.
pub(super) fn extension(root: &Root, fq: &FieldModel, nonresidue: &BigUint) -> TokenStream {
    let config = quote!(<Fq2 as #root::declared::QuadraticExtension>::Config);
    let constant = quote!(<#config as #root::ark_ff::QuadExtConfig>::NONRESIDUE.0.0);
    assertion(root, Span::call_site(), &constant, &ark_mont(nonresidue, &fq.desc.p), "nonresidue")
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
    let sw = quote!(<#config as #root::ark_ec::short_weierstrass::SWCurveConfig>);
    let curve = quote!(<#config as #root::ark_ec::CurveConfig>);
    let mut out = TokenStream::new();
    let elements = [
        (quote!(#sw::COEFF_A), &model.desc.a, "coefficient a"),
        (quote!(#sw::COEFF_B), &model.desc.b, "coefficient b"),
        (quote!(#sw::GENERATOR.x), &model.generator[0], "generator"),
        (quote!(#sw::GENERATOR.y), &model.generator[1], "generator"),
    ];
    for (constant, coordinates, what) in elements {
        let parts = match coordinates.len() {
            2 => vec![quote!(#constant.c0.0.0), quote!(#constant.c1.0.0)],
            _ => vec![quote!(#constant.0.0)],
        };
        for (part, value) in parts.iter().zip(coordinates) {
            out.extend(assertion(root, span, part, &ark_mont(value, p), what));
        }
    }
    out.extend(assertion(root, span, &quote!(#curve::COFACTOR), &words(&model.cofactor, 1), "cofactor"));
    let inverse = ark_mont(&model.cofactor_inv, &fr.desc.p);
    out.extend(assertion(root, span, &quote!(#curve::COFACTOR_INV.0.0), &inverse, "inverse of the cofactor"));
    out
}

fn assertion(root: &Root, span: Span, constant: &TokenStream, expected: &[u64], what: &str) -> TokenStream {
    let message = format!("the {what} of the bound type differs from the declared one");
    quote_spanned! {span=>
        const _: () = ::core::assert!(#root::declared::same_words(&#constant, &[#(#expected),*]), #message);
    }
}
