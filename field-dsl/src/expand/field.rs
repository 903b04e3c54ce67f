//! Prime fields.

use super::{Root, apart, ark_mont, ark_words, bind, inside, located, words};
use crate::check::FieldModel;
use num_bigint::BigUint;
use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;

/// What is compiled for a field: its images as an expression, and its method `lanes`.
pub(super) struct Compiled {
    pub(super) images: TokenStream,
    pub(super) lanes: TokenStream,
}

/// The arkworks type `ark` and its marker `<ark>Field`.
pub(super) fn items(
    root: &Root,
    ark: &str,
    key: &str,
    model: &FieldModel,
    binding: Option<&syn::Path>,
    valid: bool,
    Compiled { images, lanes }: &Compiled,
) -> TokenStream {
    let ident = format_ident!("{ark}");
    let marker = format_ident!("{ark}Field");
    let doc = format!("Marker of the field [`{ark}`]: carries its kernels, `{}_*`.", model.desc.name);
    let (name, word_count) = (&model.desc.name, model.desc.words);
    let (written, element) = match binding.map(inside) {
        Some(path) => {
            let path = apart(&path);
            (path.clone(), quote!(<#path as #root::declared::PrimeFieldOf<#marker>>::This))
        }
        None => (quote!(#ident), quote!(#ident)),
    };
    let items = quote! {
        #[doc = #doc]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub struct #marker;
        #[automatically_derived]
        #[diagnostic::do_not_recommend]
        impl #root::Field for #marker {
            type Ark = #element;
            const NAME: &'static str = #name;
            const WORDS: usize = #word_count;
            fn images() -> &'static [u8] {
                #images
            }
            #lanes
        }
        #[automatically_derived]
        impl #root::ElementOf<#marker> for #written {}
    };
    let (ty, items) = match binding {
        Some(path) => (bound(root, ark, key, model, path, valid), located(items, path.span())),
        None => (generated(root, ark, model), items),
    };
    quote!(#ty #items)
}

fn bound(
    root: &Root,
    ark: &str,
    key: &str,
    model: &FieldModel,
    path: &syn::Path,
    valid: bool,
) -> TokenStream {
    let ident = format_ident!("{ark}");
    let marker = format_ident!("{ark}Field");
    let path = inside(path);
    let assertions = if valid { bind::field(root, &path, &marker, key, model) } else { TokenStream::new() };
    let doc = format!("Elements of the field of {} bits; bound to an existing type.", model.desc.p.bits());
    quote_spanned! {path.span()=>
        #[doc = #doc]
        pub type #ident = #path;
        #assertions
    }
}

/// arkworks' derive macro names `ark_ff` directly, so its trait is implemented here, with
/// constants already in Montgomery form.
fn generated(root: &Root, ark: &str, model: &FieldModel) -> TokenStream {
    let p = &model.desc.p;
    let n = ark_words(p);
    let ident = format_ident!("{ark}");
    let config = format_ident!("{ark}Config");
    let modulus = words(p, n);
    // Given, because deriving them in const evaluation is slow for long moduli.
    let r = ark_mont(&1u32.into(), p);
    let r2 = ark_mont(&(BigUint::from(1u32) << (64 * n)), p);
    let inv = minus_inverse(modulus[0]);
    let generator = ark_mont(&model.generator, p);
    let two_adic_root = ark_mont(&model.two_adic_root, p);
    let ff = quote!(#root::ark_ff);
    let element = quote!(#ff::Fp<#ff::MontBackend<Self, #n>, #n>);
    let small = model.small_subgroup.as_ref().map(|s| {
        let (base, power, root) = (s.base, s.power, ark_mont(&s.root, p));
        quote! {
            const SMALL_SUBGROUP_BASE: ::core::option::Option<u32> = ::core::option::Option::Some(#base);
            const SMALL_SUBGROUP_BASE_ADICITY: ::core::option::Option<u32> =
                ::core::option::Option::Some(#power);
            const LARGE_SUBGROUP_ROOT_OF_UNITY: ::core::option::Option<#element> =
                ::core::option::Option::Some(#ff::Fp::new_unchecked(#ff::BigInt([#(#root),*])));
        }
    });
    // ark-ff 0.6: the trait's own mul_assign drops the carry out of the top word.
    let no_spare_bit = (p.bits() as usize == 64 * n).then(|| {
        quote! {
            fn mul_assign(a: &mut #element, b: &#element) {
                #root::declared::mul_assign_without_spare_bit::<Self, #n>(a, b)
            }
        }
    });
    let doc = format!("Elements of the field of {} bits.", p.bits());
    let config_doc = format!("arkworks' description of [`{ark}`].");
    quote! {
        #[doc = #config_doc]
        #[derive(Debug)]
        pub struct #config;
        #[automatically_derived]
        impl #ff::MontConfig<#n> for #config {
            const MODULUS: #ff::BigInt<#n> = #ff::BigInt([#(#modulus),*]);
            const R: #ff::BigInt<#n> = #ff::BigInt([#(#r),*]);
            const R2: #ff::BigInt<#n> = #ff::BigInt([#(#r2),*]);
            const INV: u64 = #inv;
            const GENERATOR: #element = #ff::Fp::new_unchecked(#ff::BigInt([#(#generator),*]));
            const TWO_ADIC_ROOT_OF_UNITY: #element =
                #ff::Fp::new_unchecked(#ff::BigInt([#(#two_adic_root),*]));
            #small
            #no_spare_bit
        }
        #[doc = #doc]
        pub type #ident = #ff::Fp<#ff::MontBackend<#config, #n>, #n>;
    }
}

/// `-p⁻¹ mod 2^64` from the low word of an odd `p`; Newton's iteration doubles the right bits.
fn minus_inverse(p0: u64) -> u64 {
    let inverse = (0..6).fold(1u64, |x, _| x.wrapping_mul(2u64.wrapping_sub(p0.wrapping_mul(x))));
    inverse.wrapping_neg()
}
