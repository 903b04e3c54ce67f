//! The `field!`, `curve!` and `common_images!` macros of curvesmith.
//!
//! ```text
//! tokens ─parse─► ast (spans, unchecked) ─check─► model (canonical numbers) ─► images + expand ─► module
//! ```
//! A declaration becomes a module with arkworks types (generated, or bound to existing
//! ones after const assertions), zero-sized markers that implement the traits of
//! `curvesmith-runtime`, and the kernels' images as byte strings. Every fault of a
//! declaration is reported at its own token, all in one compilation; the items are then
//! expanded over a small stand-in field, so that code using them adds no further errors.
//!
//! The grammar, the generated names and what the checks prove are in the book,
//! `docs/src/reference/declarations.md`.

mod ast;
mod check;
mod error;
mod expand;
mod expression;
mod family;
mod images;
mod known;
mod literal;
mod parallel;
mod parse;

use proc_macro::TokenStream;
use syn::parse::Parser;

/// Declares a prime field: `field! { pub mod babybear { p = 2013265921; generator = 31; } }`.
///
/// The module holds the arkworks type `Fp` and its marker `FpField`.
#[proc_macro]
pub fn field(input: TokenStream) -> TokenStream {
    expansion(parse::field.parse(input), |declaration, errors| {
        let model = check::field(&declaration, errors);
        expand::field(&declaration, model, errors)
    })
}

/// Declares an elliptic curve with its fields and groups; see the book for the grammar.
///
/// The module holds the arkworks types `Fq`, `Fr`, those of the levels (`Fq2`, …), `G1Affine`,
/// `G1Projective`, `G1Config`, … and the markers `FqField`, `FrField`, `G1`, `G2`; with
/// `arkworks { engine = …; }` also `Engine` and the marker `Curve`.
#[proc_macro]
pub fn curve(input: TokenStream) -> TokenStream {
    expansion(parse::curve.parse(input), |declaration, errors| {
        let model = check::curve(&declaration, errors);
        expand::curve(&declaration, model, errors)
    })
}

/// The images of the kernels that belong to no field, as a `&'static [u8]`.
#[proc_macro]
pub fn common_images(input: TokenStream) -> TokenStream {
    let mut errors = error::Errors::default();
    let images = expand::common(input.into(), &mut errors);
    let errors = errors.into_error().map(syn::Error::into_compile_error);
    quote::quote!({ #errors #images }).into()
}

fn expansion<D>(
    parsed: syn::Result<(D, error::Errors)>,
    expand: impl FnOnce(D, &mut error::Errors) -> proc_macro2::TokenStream,
) -> TokenStream {
    match parsed {
        Ok((declaration, mut errors)) => {
            let items = expand(declaration, &mut errors);
            let errors = errors.into_error().map(syn::Error::into_compile_error);
            quote::quote!(#errors #items).into()
        }
        // Not even the module's name is known.
        Err(error) => error.into_compile_error().into(),
    }
}
