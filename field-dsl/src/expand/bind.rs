//! Assertions that a bound arkworks type is the declared one.
//!
//! What kind of type it is, is asked of traits whose absence the compiler explains; its constants are
//! compared in const evaluation, with both values in the message. All of it stands at the binding's path.
//!
//! Elements are read from arkworks' Montgomery form with 64-bit words, which all its curve crates use.

use super::group::NOT_DECLARED;
use super::{Root, ark_words, words};
use crate::check::{FieldModel, GroupModel, LevelModel};
use crate::error::Item;
use curvesmith_codegen::declaration::Equation;
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
    let what = Item { key: if key == "fp" { "p" } else { key }, of: "" }.to_string();
    let difference = integer(root, &what, &words(p, ark_words(p)), &quote!(#bound::MODULUS));
    let mut out = assertion(span, &difference);
    let bound_modulus = quote!(#bound::MODULUS);
    let mut compare = |constant: &str, value: &BigUint, key: &str| {
        let constant = format_ident!("{constant}");
        let coordinates = quote!(#declared::Coordinates::Prime(#bound::#constant));
        let value = std::slice::from_ref(value);
        let what = Item { key, of }.to_string();
        let difference = element(root, &what, p, value, &coordinates, &bound_modulus);
        out.extend(assertion(span, &difference));
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
    let (ident, below) = (at(level.name.0, span), at(level.below.degree(), span));
    let key = level.name.to_string();
    let marker = format_ident!("{key}");
    let marker = quote!(#declared::level::#marker);
    let degree = level.top.degree;
    let over = quote_spanned!(span=> <#ident as #declared::LevelOf<#marker, #degree>>::Below);
    let constant = quote!(#declared::Nonresidue<#ident, #marker, #degree>);
    let constant = quote_spanned!(span=> <#over as #declared::Readable<#constant>>::COORDINATES);
    let what = Item { key: "nonresidue", of: &key }.to_string();
    let modulus = modulus(root, span, &quote!(#ident));
    let same = element(root, &what, &fq.desc.p, &level.top.nonresidue, &constant, &modulus);
    let same = assertion(span, &same);
    quote_spanned! {span=>
        const _: () = <#over as #declared::BelowOf<#below, #marker>>::IS;
        #same
    }
}

/// The type of a level or of `Fq`, at the path that it is from.
fn at(degree: usize, span: Span) -> Ident {
    let mut ident = super::level::name(degree);
    ident.set_span(span);
    ident
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
    let group = format_ident!("{marker}", span = span);
    let config = format_ident!("{marker}Config", span = span);
    let curve = quote_spanned!(span=> <#config as #root::ark_ec::CurveConfig>);
    let (base, scalars) = (at(model.desc.degree(), span), Ident::new("Fr", span));
    let (form, constants, a, other, other_key) = match &model.desc.equation {
        Equation::ShortWeierstrass { a, b } => ("WeierstrassOf", "Weierstrass", a, b, "b"),
        Equation::TwistedEdwards { a, d } => ("EdwardsOf", "Edwards", a, d, "d"),
        Equation::Niels { .. } => unreachable!("{NOT_DECLARED}"),
    };
    let (form, constants) = (format_ident!("{form}"), format_ident!("{constants}"));
    let mut out = quote_spanned! {span=>
        const _: () = <#path as #declared::#form<#group>>::IS;
        const _: () = <#curve::BaseField as #declared::CoordinatesOf<#base, #group>>::IS;
        const _: () = <#curve::ScalarField as #declared::ScalarsOf<#scalars, #group>>::IS;
    };
    let of = marker.to_lowercase();
    let item = |key| Item { key, of: &of }.to_string();
    let (p, r) = (&model.desc.base.p, &fr.desc.p);
    let bound_p = modulus(root, span, &quote_spanned!(span=> #curve::BaseField));
    let bound_r = modulus(root, span, &quote_spanned!(span=> #curve::ScalarField));
    let coordinates = |i: usize| {
        let readable = quote!(#declared::Readable<#declared::#constants<#config, #i>>);
        quote_spanned!(span=> <#curve::BaseField as #readable>::COORDINATES)
    };
    let elements = [
        ("a", a),
        (other_key, other),
        ("x of generator", &model.generator[0]),
        ("y of generator", &model.generator[1]),
    ];
    for (i, (key, value)) in elements.into_iter().enumerate() {
        let difference = element(root, &item(key), p, value, &coordinates(i), &bound_p);
        out.extend(assertion(span, &difference));
    }
    let inverse = quote!(#declared::Readable<#declared::CofactorInverse<#config>>);
    let inverse = quote_spanned!(span=> <#curve::ScalarField as #inverse>::COORDINATES);
    let value = std::slice::from_ref(&model.cofactor_inv);
    let inverse =
        element(root, &format!("inverse of the {}", item("cofactor")), r, value, &inverse, &bound_r);
    let cofactor = words(&model.cofactor, 1);
    let cofactor = integer(root, &item("cofactor"), &cofactor, &quote_spanned!(span=> #curve::COFACTOR));
    // Of a curve over another field, which is reported, every number differs; that is no news.
    let (p, degree, a) = (words(p, ark_words(p)), model.desc.degree(), coordinates(0));
    for difference in [cofactor, inverse] {
        let difference = quote! {
            if #declared::same_words(&[#(#p),*], #bound_p) && #a.degree() == #degree {
                #difference
            } else {
                ::core::option::Option::None
            }
        };
        out.extend(assertion(span, &difference));
    }
    out
}

/// Words of the modulus of the prime field below a type.
fn modulus(root: &Root, span: Span, field: &TokenStream) -> TokenStream {
    let ff = quote!(#root::ark_ff);
    quote_spanned!(span=> &<<#field as #ff::Field>::BasePrimeField as #ff::PrimeField>::MODULUS.0)
}

/// Whether the words `bound` are those of the declared integer.
fn integer(root: &Root, what: &str, declared: &[u64], bound: &TokenStream) -> TokenStream {
    quote!(#root::declared::integer_differs(#what, &[#(#declared),*], #bound))
}

/// Whether the coordinates `bound`, in the field with the modulus `bound_modulus`, are those of the declared
/// element.
fn element(
    root: &Root,
    what: &str,
    p: &BigUint,
    declared: &[BigUint],
    bound: &TokenStream,
    bound_modulus: &TokenStream,
) -> TokenStream {
    let n = ark_words(p);
    let p = words(p, n);
    let declared = declared.iter().map(|coordinate| {
        let words = words(coordinate, n);
        quote!(&[#(#words),*])
    });
    quote! {
        #root::declared::element_differs(#what, &[#(#p),*], &[#(#declared),*], &#bound, #bound_modulus)
    }
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
