//! Assertions that a bound arkworks type is the declared one.
//!
//! What kind of type it is, is asked of traits whose absence the compiler explains; its constants are compared in const
//! evaluation, with both values in the message. All of it stands at the binding's path.
//!
//! Elements are read from arkworks' Montgomery form with 64-bit words, which all its curve crates use.

use super::{Root, ark_words, words};
use crate::check::{FieldModel, GroupModel, LevelModel};
use crate::error::Item;
use curvesmith_codegen::spec::Equation;
use num_bigint::BigUint;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;

/// Modulus; generator, two-adic root and small subgroup where the declaration says them.
pub(super) fn field(
    root: &Root,
    path: &syn::Path,
    marker: &Ident,
    key: &str,
    model: &FieldModel,
) -> TokenStream {
    let p = &model.desc.p;
    let span = path.span();
    let declared = quote!(#root::declared);
    let bound = quote!(<#path as #declared::PrimeFieldOf<#marker>>);
    let of = if key == "fp" { "" } else { key };
    let modulus = Item { key: if key == "fp" { "p" } else { key }, of: "" };
    let mut out = integer(root, span, modulus, &words(p, ark_words(p)), &quote!(#bound::MODULUS));
    let bound_modulus = quote!(#bound::MODULUS);
    let mut compare = |constant: &str, value: &BigUint, key: &str| {
        let constant = format_ident!("{constant}");
        let coordinates = quote!(#declared::Coordinates::Prime(#bound::#constant));
        let value = std::slice::from_ref(value);
        out.extend(element(root, span, Item { key, of }, p, value, &coordinates, &bound_modulus));
    };
    if model.generator_declared {
        compare("GENERATOR", &model.generator, "generator");
    }
    if model.root_declared {
        compare("TWO_ADIC_ROOT", &model.two_adic_root, "two_adic_root");
    }
    if let Some(small) = &model.small_subgroup {
        let (base, power) = (small.base, small.power);
        let what = Item { key: "small_subgroup", of }.to_string();
        let difference = quote!(#declared::subgroup_differs(#what, (#base, #power), #bound::SMALL_SUBGROUP));
        out.extend(assertion(span, &difference));
    }
    out
}

/// Degree, what it is over, and nonresidue of a level.
pub(super) fn level(root: &Root, fq: &FieldModel, level: &LevelModel, span: Span) -> TokenStream {
    let declared = quote!(#root::declared);
    let ident = super::level::name(level.name.0);
    let below = super::level::name(level.below.degree());
    let key = level.name.to_string();
    let marker = format_ident!("{key}");
    let marker = quote!(#declared::level::#marker);
    let degree = level.top.degree;
    let over = quote_spanned!(span=> <#ident as #declared::Extension>::Below);
    let constant = quote!(<#over as #declared::Readable<#declared::Nonresidue<#ident>>>::COORDINATES);
    let item = Item { key: "nonresidue", of: &key };
    let value = &level.top.nonresidue;
    let same = element(root, span, item, &fq.desc.p, value, &constant, &modulus(root, span, "Fq"));
    quote_spanned! {span=>
        const _: () = <#ident as #declared::LevelOf<#marker, #degree>>::IS;
        const _: () = <#over as #declared::BelowOf<#below, #marker>>::IS;
        #same
    }
}

/// Form, fields, coefficients, generator and cofactor.
pub(super) fn group(
    root: &Root,
    path: &syn::Path,
    marker: &str,
    model: &GroupModel,
    fr: &FieldModel,
) -> TokenStream {
    let span = path.span();
    let declared = quote!(#root::declared);
    let (group, config) = (format_ident!("{marker}"), format_ident!("{marker}Config"));
    let curve = quote_spanned!(span=> <#config as #root::ark_ec::CurveConfig>);
    let base = super::level::name(model.desc.degree());
    let (form, constants, a, other, other_key) = match &model.desc.equation {
        Equation::ShortWeierstrass { a, b } => ("WeierstrassOf", "Weierstrass", a, b, "b"),
        Equation::TwistedEdwards { a, d } => ("EdwardsOf", "Edwards", a, d, "d"),
    };
    let (form, constants) = (format_ident!("{form}"), format_ident!("{constants}"));
    let mut out = quote_spanned! {span=>
        const _: () = <#path as #declared::#form<#group>>::IS;
        const _: () = <#curve::BaseField as #declared::CoordinatesOf<#base, #group>>::IS;
        const _: () = <#curve::ScalarField as #declared::ScalarsOf<Fr, #group>>::IS;
    };
    let of = marker.to_lowercase();
    let item = |key| Item { key, of: &of };
    let elements = [
        ("a", a),
        (other_key, other),
        ("generator", &model.generator[0]),
        ("generator", &model.generator[1]),
    ];
    let bound = modulus(root, span, "Fq");
    for (i, (key, value)) in elements.into_iter().enumerate() {
        let constant = quote!(<#curve::BaseField as #declared::Readable<#declared::#constants<#config, #i>>>);
        let constant = quote!(#constant::COORDINATES);
        out.extend(element(root, span, item(key), &model.desc.base.p, value, &constant, &bound));
    }
    out.extend(integer(root, span, item("cofactor"), &words(&model.cofactor, 1), &quote!(#curve::COFACTOR)));
    let inverse = quote!(<#curve::ScalarField as #declared::Readable<#declared::CofactorInverse<#config>>>);
    let inverse = quote!(#inverse::COORDINATES);
    let value = std::slice::from_ref(&model.cofactor_inv);
    let bound = modulus(root, span, "Fr");
    out.extend(element(root, span, item("inverse of the cofactor"), &fr.desc.p, value, &inverse, &bound));
    out
}

/// Words of the modulus of `Fq` or `Fr`.
fn modulus(root: &Root, span: Span, field: &str) -> TokenStream {
    let field = format_ident!("{field}");
    quote_spanned!(span=> &<#field as #root::ark_ff::PrimeField>::MODULUS.0)
}

/// The words `bound` are those of the declared integer.
fn integer(root: &Root, span: Span, item: Item<'_>, declared: &[u64], bound: &TokenStream) -> TokenStream {
    let what = item.to_string();
    assertion(span, &quote!(#root::declared::integer_differs(#what, &[#(#declared),*], #bound)))
}

/// The coordinates `bound`, in the field with the modulus `bound_modulus`, are those of the declared element.
fn element(
    root: &Root,
    span: Span,
    item: Item<'_>,
    p: &BigUint,
    declared: &[BigUint],
    bound: &TokenStream,
    bound_modulus: &TokenStream,
) -> TokenStream {
    let what = item.to_string();
    let n = ark_words(p);
    let p = words(p, n);
    let declared = declared.iter().map(|coordinate| {
        let words = words(coordinate, n);
        quote!(&[#(#words),*])
    });
    let difference = quote! {
        #root::declared::element_differs(#what, &[#(#p),*], &[#(#declared),*], &#bound, #bound_modulus)
    };
    assertion(span, &difference)
}

/// There is no difference, or its message is an error.
fn assertion(span: Span, difference: &TokenStream) -> TokenStream {
    quote_spanned! {span=>
        const _: () = match #difference {
            ::core::option::Option::Some(message) => ::core::panic!("{}", message.text()),
            ::core::option::Option::None => (),
        };
    }
}
