//! Groups and pairing curves.

use super::{Root, apart, bind, inside, level, located, words};
use crate::check::{FieldModel, FormModel, GroupModel};
use curvesmith_codegen::declaration::edwards::Edwards;
use curvesmith_codegen::declaration::tower::Element;
use curvesmith_codegen::declaration::{Equation, Tower};
use num_bigint::BigUint;
use num_traits::Zero;
use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;

/// What is compiled for a group: its images as expressions, and its method `lanes`.
pub(super) struct Compiled {
    pub(super) own: TokenStream,
    /// Of its Edwards form.
    pub(super) form: Option<TokenStream>,
    /// Of its constant work.
    pub(super) constant: Option<TokenStream>,
    pub(super) lanes: TokenStream,
}

/// `<marker>Config`, `<marker>Affine`, `<marker>Projective` and the marker itself.
pub(super) fn items(
    root: &Root,
    marker: &str,
    model: &GroupModel,
    fr: &FieldModel,
    binding: Option<&syn::Path>,
    valid: bool,
    compiled: &Compiled,
) -> TokenStream {
    let config = format_ident!("{marker}Config");
    let affine = format_ident!("{marker}Affine");
    let projective = format_ident!("{marker}Projective");
    let ident = format_ident!("{marker}");
    let affine_doc = format!("Affine points of [`{marker}`].");
    let of_form = model.form.as_ref().zip(compiled.form.as_ref());
    let of_form = of_form.map(|(form, images)| edwards_form(root, form, images));
    let constant = model.constant.as_ref().zip(compiled.constant.as_ref());
    let constant = constant.map(|(desc, images)| constant_work(root, &desc.name, images));
    let (images, lanes) = (&compiled.own, &compiled.lanes);
    let (form, coordinates, law) = match &model.desc.equation {
        Equation::ShortWeierstrass { .. } => (quote!(short_weierstrass), "Jacobian", ""),
        Equation::TwistedEdwards { a, d } => (quote!(twisted_edwards), "Extended", law(model, a, d)),
        Equation::Niels { .. } => unreachable!("{NOT_DECLARED}"),
    };
    let doc = format!(
        "Marker of the group of [`{marker}Affine`]: carries its kernels, `{}_*`.{law}",
        model.desc.name
    );
    let projective_doc = format!("{coordinates} points of [`{marker}`].");
    let (name, degree) = (&model.desc.name, model.desc.degree());
    let form = quote!(#root::ark_ec::#form);
    let (affine_points, projective_points) = match binding.map(inside) {
        // Types that are there even if the binding is of another form, which is reported once.
        Some(path) => {
            let path = apart(&path);
            let points = quote!(<#path as #root::declared::CurvePoints>);
            (quote!(#points::Affine), quote!(#points::Projective))
        }
        None => (quote!(#form::Affine<#config>), quote!(#form::Projective<#config>)),
    };
    let items = quote! {
        #[doc = #affine_doc]
        pub type #affine = #affine_points;
        #[doc = #projective_doc]
        pub type #projective = #projective_points;
        #[doc = #doc]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub struct #ident;
        #[automatically_derived]
        #[diagnostic::do_not_recommend]
        impl #root::Group for #ident {
            type Projective = #projective;
            type Base = FqField;
            type Scalar = FrField;
            const NAME: &'static str = #name;
            const DEGREE: usize = #degree;
            fn images() -> &'static [u8] {
                #images
            }
            #of_form
            #lanes
            #constant
        }
    };
    let (config_items, items) = match binding {
        Some(path) => (bound(root, marker, model, fr, path, valid), located(items, path.span())),
        None => (generated(root, marker, model, fr), items),
    };
    quote!(#config_items #items)
}

/// Of the equation of forms.
pub(super) const NOT_DECLARED: &str = "no curve is declared by the equation of a form";

/// The form as the trait has it.
fn edwards_form(root: &Root, model: &FormModel, images: &TokenStream) -> TokenStream {
    let FormModel { form, desc } = model;
    let element = |x: &Element| level::element(root, &desc.tower, &desc.base.p, &x.0);
    let [d, alpha, s, k] = [&form.edwards.d, &form.alpha, &form.s, &form.k].map(element);
    let (name, group) = (&desc.name, quote!(#root::group));
    quote! {
        fn edwards_form() -> ::core::option::Option<#group::EdwardsForm<#group::CoordinateOf<Self>>> {
            ::core::option::Option::Some(#group::EdwardsForm {
                name: #name,
                d: #d,
                alpha: #alpha,
                s: #s,
                k: #k,
                images: #images,
            })
        }
    }
}

/// The kernels for constant work as the trait has them.
fn constant_work(root: &Root, name: &str, images: &TokenStream) -> TokenStream {
    let group = quote!(#root::group);
    quote! {
        fn constant_work() -> ::core::option::Option<#group::ConstantWork> {
            ::core::option::Option::Some(#group::ConstantWork { name: #name, images: #images })
        }
    }
}

/// What the marker's documentation says of an Edwards curve's addition.
fn law(model: &GroupModel, a: &[BigUint], d: &[BigUint]) -> &'static str {
    let curve =
        Edwards { field: model.desc.coordinate_field(), a: Element(a.to_vec()), d: Element(d.to_vec()) };
    if curve.is_complete() {
        "\n\nThe addition law has no exceptions on this curve."
    } else {
        "\n\nThe addition law has exceptions on this curve, and none between points of odd order, as those of the group are."
    }
}

fn bound(
    root: &Root,
    marker: &str,
    model: &GroupModel,
    fr: &FieldModel,
    path: &syn::Path,
    valid: bool,
) -> TokenStream {
    let config = format_ident!("{marker}Config");
    let path = inside(path);
    let doc = format!("arkworks' description of [`{marker}`]; bound to an existing one.");
    let assertions = if valid { bind::group(root, &path, marker, model, fr) } else { TokenStream::new() };
    let apart = apart(&path);
    let alias = quote! {
        #[doc = #doc]
        pub type #config = <#apart as #root::declared::CurvePoints>::Config;
    };
    let alias = located(alias, path.span());
    quote!(#alias #assertions)
}

fn generated(root: &Root, marker: &str, model: &GroupModel, fr: &FieldModel) -> TokenStream {
    let p = &model.desc.base.p;
    let (config, ident) = (format_ident!("{marker}Config"), format_ident!("{marker}"));
    // arkworks' hook. Inline, so that it is compiled where it is called.
    let msm = |form: &TokenStream| {
        quote! {
            #[inline]
            fn msm(
                bases: &[#form::Affine<Self>],
                scalars: &[Fr],
            ) -> ::core::result::Result<#form::Projective<Self>, usize> {
                #root::declared::msm::<#ident>(bases, scalars)
            }
        }
    };
    let base = level::name(model.desc.degree());
    let element = |coordinates: &[BigUint]| level::element(root, &model.desc.tower, p, coordinates);
    let (x, y) = (element(&model.generator[0]), element(&model.generator[1]));
    let cofactor = words(&model.cofactor, 1);
    let cofactor_inv =
        level::element(root, &Tower::prime(), &fr.desc.p, std::slice::from_ref(&model.cofactor_inv));
    let ec = quote!(#root::ark_ec);
    let form = match &model.desc.equation {
        Equation::ShortWeierstrass { a, b } => {
            let sw = quote!(#ec::short_weierstrass);
            let (coefficient_a, coefficient_b) = (element(a), element(b));
            // (0, 0) can mark the identity unless it is a point, that is, unless b = 0.
            let zero_flag = if b.iter().all(Zero::is_zero) { quote!(bool) } else { quote!(()) };
            let msm = msm(&sw);
            quote! {
                #[automatically_derived]
                impl #sw::SWCurveConfig for #config {
                    const COEFF_A: #base = #coefficient_a;
                    const COEFF_B: #base = #coefficient_b;
                    const GENERATOR: #sw::Affine<Self> = #sw::Affine::new_unchecked(#x, #y);
                    type ZeroFlag = #zero_flag;
                    #msm
                }
            }
        }
        Equation::TwistedEdwards { a, d } => {
            let te = quote!(#ec::twisted_edwards);
            let field = model.desc.coordinate_field();
            let curve = Edwards { field, a: Element(a.clone()), d: Element(d.clone()) };
            let (Element(mont_a), Element(mont_b)) = curve.montgomery();
            let (mont_a, mont_b) = (element(&mont_a), element(&mont_b));
            let (coefficient_a, coefficient_d) = (element(a), element(d));
            let msm = msm(&te);
            quote! {
                #[automatically_derived]
                impl #te::TECurveConfig for #config {
                    const COEFF_A: #base = #coefficient_a;
                    const COEFF_D: #base = #coefficient_d;
                    const GENERATOR: #te::Affine<Self> = #te::Affine::new_unchecked(#x, #y);
                    type MontCurveConfig = Self;
                    #msm
                }
                #[automatically_derived]
                impl #te::MontCurveConfig for #config {
                    const COEFF_A: #base = #mont_a;
                    const COEFF_B: #base = #mont_b;
                    type TECurveConfig = Self;
                }
            }
        }
        Equation::Niels { .. } => unreachable!("{NOT_DECLARED}"),
    };
    let doc = format!("arkworks' description of [`{marker}`].");
    quote! {
        #[doc = #doc]
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        pub struct #config;
        #[automatically_derived]
        impl #ec::CurveConfig for #config {
            type BaseField = #base;
            type ScalarField = Fr;
            const COFACTOR: &'static [u64] = &[#(#cofactor),*];
            const COFACTOR_INV: Fr = #cofactor_inv;
        }
        #form
    }
}

/// The marker `Curve` and the alias `Engine` of a bound pairing.
pub(super) fn bound_pairing(root: &Root, name: &str, engine: &syn::Path) -> TokenStream {
    let engine = inside(engine);
    let items = located(pairing(root, name, &apart(&engine)), engine.span());
    quote_spanned! {engine.span()=>
        const _: () = <#engine as #root::declared::EngineOf<G1Projective, G2Projective>>::IS;
        #items
    }
}

/// The marker `Curve` and the alias `Engine`, given as a path in the module.
pub(super) fn pairing(root: &Root, name: &str, engine: &TokenStream) -> TokenStream {
    quote! {
        /// The arkworks pairing.
        pub type Engine = #engine;
        /// Marker of the whole curve, for provers.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub struct Curve;
        #[automatically_derived]
        #[diagnostic::do_not_recommend]
        impl #root::PairingCurve for Curve {
            type Engine = Engine;
            type Fq = FqField;
            type Fr = FrField;
            type G1 = G1;
            type G2 = G2;
            const NAME: &'static str = #name;
        }
    }
}
