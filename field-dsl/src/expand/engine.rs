//! The pairing of a family's curve: arkworks' engine over a generated configuration.

use super::{Root, ark_words, group, level, words};
use crate::ast::Over;
use crate::check::CurveModel;
use crate::family::{Kind, Pairing};
use curvesmith_codegen::declaration::Tower;
use curvesmith_codegen::declaration::family::{Bw6, Engine, Sextic, Twist};
use curvesmith_codegen::declaration::tower::Element;
use num_bigint::{BigInt, BigUint, Sign};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};

/// `EngineConfig`, the levels of the target field, `Engine` and `Curve`; where arkworks has no engine, a
/// `Curve` that is no pairing curve.
pub(super) fn items(
    root: &Root,
    name: &str,
    model: &CurveModel,
    pairing: &Pairing,
    valid: bool,
) -> TokenStream {
    // After a fault the types are all that counts.
    let engine = match &pairing.engine {
        Some(engine) if valid => engine.clone(),
        _ if valid || !pairing.kind.has_engine() => return without_engine(pairing.kind),
        _ => stand_in(pairing.kind),
    };
    let (family, config) = Generated { root, model, valid }.config(&engine);
    let alias = quote!(#root::ark_ec::#family<EngineConfig>);
    let curve = group::pairing(root, name, &alias);
    quote!(#config #curve)
}

fn without_engine(kind: Kind) -> TokenStream {
    let doc = match kind {
        Kind::Bw6 => {
            "The whole curve, which provers cannot use: arkworks' pairing of this family needs a seed whose length is a multiple of 64 bits."
        }
        _ => "The whole curve, which provers cannot use: arkworks has no pairing for it.",
    };
    quote! {
        #[doc = #doc]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub struct Curve;
    }
}

/// Constants of no meaning.
fn stand_in(kind: Kind) -> Engine {
    let element = |degree: usize| Element(vec![BigUint::ZERO; degree]);
    let sextic = || Sextic { nonresidue: element(2), fq6_c1: vec![], fq6_c2: vec![], fq12_c1: vec![] };
    let (one, twist) = (|| BigInt::from(1), Twist::M);
    match kind {
        Kind::Bls12 | Kind::Bls24 => Engine::Bls12 { x: one(), twist, tower: sextic() },
        Kind::Bn => Engine::Bn {
            x: one(),
            digits: vec![1],
            twist,
            frobenius_on_twist: [element(2), element(2)],
            tower: sextic(),
        },
        Kind::Bw6 => Engine::Bw6 {
            parameters: Bw6 { x: one(), h_t: one(), h_y: one(), t_mod_x_is_zero: true },
            third: BigUint::ZERO,
            digits: vec![1],
            twist,
            frobenius: vec![],
            hard_part: None,
        },
        Kind::Mnt4 | Kind::Mnt6 => {
            let degree = if kind == Kind::Mnt4 { 4 } else { 6 };
            Engine::Mnt {
                degree,
                digits: vec![1],
                negative: false,
                twist: element(degree / 2),
                twist_a: element(degree / 2),
                frobenius: vec![],
                last: [one(), one()],
            }
        }
    }
}

struct Generated<'a> {
    root: &'a Root,
    model: &'a CurveModel,
    valid: bool,
}

impl Generated<'_> {
    /// arkworks' module and type of the engine, and the items of its configuration.
    fn config(&self, engine: &Engine) -> (TokenStream, TokenStream) {
        match engine {
            Engine::Bls12 { x, twist, tower } => (quote!(bls12::Bls12), self.bls12(x, *twist, tower)),
            Engine::Bn { x, digits, twist, frobenius_on_twist, tower } => {
                (quote!(bn::Bn), self.bn(x, digits, *twist, frobenius_on_twist, tower))
            }
            Engine::Bw6 { .. } => (quote!(bw6::BW6), self.bw6(engine)),
            Engine::Mnt { degree: 4, .. } => (quote!(mnt4::MNT4), self.mnt(engine)),
            Engine::Mnt { .. } => (quote!(mnt6::MNT6), self.mnt(engine)),
        }
    }

    fn bls12(&self, x: &BigInt, twist: Twist, tower: &Sextic) -> TokenStream {
        let (root, ec, head, above) = (self.root, self.ec(), self.head(quote!()), self.sextic(tower));
        // ark-ec 0.6 miscounts the steps of a loop whose number does not fill its words.
        let own_loop = (!x.bits().is_multiple_of(64)).then(|| {
            quote! {
                fn multi_miller_loop(
                    a: impl ::core::iter::IntoIterator<Item = impl ::core::convert::Into<#ec::bls12::G1Prepared<Self>>>,
                    b: impl ::core::iter::IntoIterator<Item = impl ::core::convert::Into<#ec::bls12::G2Prepared<Self>>>,
                ) -> #ec::pairing::MillerLoopOutput<#ec::bls12::Bls12<Self>> {
                    #root::declared::bls12_miller_loop(a, b)
                }
            }
        });
        let (x, negative) = (words(x.magnitude(), 1), x.sign() == Sign::Minus);
        let (twist, types) = (format_ident!("{}", twist_name(twist)), self.sextic_types());
        quote! {
            #above
            #head
            impl #ec::bls12::Bls12Config for EngineConfig {
                const X: &'static [u64] = &[#(#x),*];
                const X_IS_NEGATIVE: bool = #negative;
                const TWIST_TYPE: #ec::bls12::TwistType = #ec::bls12::TwistType::#twist;
                #types
                #own_loop
            }
        }
    }

    fn bn(
        &self,
        x: &BigInt,
        digits: &[i8],
        twist: Twist,
        frobenius_on_twist: &[Element; 2],
        tower: &Sextic,
    ) -> TokenStream {
        let (ec, head, above) = (self.ec(), self.head(quote!()), self.sextic(tower));
        let (x, negative) = (words(x.magnitude(), 1), x.sign() == Sign::Minus);
        let (twist, types) = (format_ident!("{}", twist_name(twist)), self.sextic_types());
        let [by_x, by_y] = [0, 1].map(|i| self.element(2, &frobenius_on_twist[i]));
        quote! {
            #above
            #head
            impl #ec::bn::BnConfig for EngineConfig {
                const X: &'static [u64] = &[#(#x),*];
                const X_IS_NEGATIVE: bool = #negative;
                const ATE_LOOP_COUNT: &'static [i8] = &[#(#digits),*];
                const TWIST_TYPE: #ec::bn::TwistType = #ec::bn::TwistType::#twist;
                const TWIST_MUL_BY_Q_X: Fq2 = #by_x;
                const TWIST_MUL_BY_Q_Y: Fq2 = #by_y;
                #types
            }
        }
    }

    /// `Fq6` over `Fq2`, and `Fq12` over that.
    fn sextic(&self, tower: &Sextic) -> TokenStream {
        let models = self.models();
        let nonresidue = self.element(2, &tower.nonresidue);
        let [c1, c2, c12] = [&tower.fq6_c1, &tower.fq6_c2, &tower.fq12_c1].map(|table| self.table(2, table));
        let head = |config: &str| {
            let (config, doc) =
                (format_ident!("{config}Config"), format!("arkworks' description of [`{config}`]."));
            quote!(#[doc = #doc] #[derive(Clone, Copy, Debug)] pub struct #config; #[automatically_derived])
        };
        let (head6, head12) = (head("Fq6"), head("Fq12"));
        quote! {
            #head6
            impl #models::fp6_3over2::Fp6Config for Fq6Config {
                type Fp2Config = Fq2Config;
                const NONRESIDUE: Fq2 = #nonresidue;
                const FROBENIUS_COEFF_FP6_C1: &'static [Fq2] = #c1;
                const FROBENIUS_COEFF_FP6_C2: &'static [Fq2] = #c2;
            }
            /// The cubic extension of [`Fq2`].
            pub type Fq6 = #models::fp6_3over2::Fp6<Fq6Config>;
            #head12
            impl #models::fp12_2over3over2::Fp12Config for Fq12Config {
                type Fp6Config = Fq6Config;
                const NONRESIDUE: Fq6 = Fq6::new(
                    <Fq2 as #models::AdditiveGroup>::ZERO,
                    <Fq2 as #models::Field>::ONE,
                    <Fq2 as #models::AdditiveGroup>::ZERO,
                );
                const FROBENIUS_COEFF_FP12_C1: &'static [Fq2] = #c12;
            }
            /// The quadratic extension of [`Fq6`], where the pairing's values are.
            pub type Fq12 = #models::fp12_2over3over2::Fp12<Fq12Config>;
        }
    }

    fn sextic_types(&self) -> TokenStream {
        quote! {
            type Fp = Fq;
            type Fp2Config = Fq2Config;
            type Fp6Config = Fq6Config;
            type Fp12Config = Fq12Config;
            type G1Config = G1Config;
            type G2Config = G2Config;
        }
    }

    fn bw6(&self, engine: &Engine) -> TokenStream {
        let Engine::Bw6 { parameters, third, digits, twist, frobenius, hard_part } = engine else {
            return TokenStream::new();
        };
        let (root, ec) = (self.root, self.ec());
        let head = self.head(quote!(PartialEq, Eq,));
        let above = self.quadratic(6, 3, frobenius);
        let (x, negative) = (parameters.x.magnitude(), parameters.x.sign() == Sign::Minus);
        let (x_words, x_integer, third) = (words(x, 1), self.integer(x), self.integer(third));
        let twist = format_ident!("{}", twist_name(*twist));
        let [h_t, h_y] = [&parameters.h_t, &parameters.h_y].map(|h| i64::try_from(h).unwrap_or(0));
        let zero = parameters.t_mod_x_is_zero;
        let hard_part = hard_part.as_ref().map(|[e0, e1]| {
            quote! {
                fn final_exponentiation_hard_part(f: &Fq6) -> Fq6 {
                    #root::declared::two_powers::<Fq6>(f, [&[#(#e0),*], &[#(#e1),*]])
                }
            }
        });
        let integer = self.integer_type();
        quote! {
            #above
            #head
            impl #ec::bw6::BW6Config for EngineConfig {
                const X: #integer = #x_integer;
                const X_IS_NEGATIVE: bool = #negative;
                const X_MINUS_1_DIV_3: #integer = #third;
                const ATE_LOOP_COUNT_1: &'static [u64] = &[#(#x_words),*];
                const ATE_LOOP_COUNT_1_IS_NEGATIVE: bool = #negative;
                const ATE_LOOP_COUNT_2: &'static [i8] = &[#(#digits),*];
                const ATE_LOOP_COUNT_2_IS_NEGATIVE: bool = false;
                const TWIST_TYPE: #ec::bw6::TwistType = #ec::bw6::TwistType::#twist;
                const H_T: i64 = #h_t;
                const H_Y: i64 = #h_y;
                const T_MOD_R_IS_ZERO: bool = #zero;
                type Fp = Fq;
                type Fp3Config = Fq3Config;
                type Fp6Config = Fq6Config;
                type G1Config = G1Config;
                type G2Config = G2Config;
                #hard_part
            }
        }
    }

    fn mnt(&self, engine: &Engine) -> TokenStream {
        let Engine::Mnt { degree, digits, negative, twist, twist_a, frobenius, last } = engine else {
            return TokenStream::new();
        };
        let (ec, head, above) =
            (self.ec(), self.head(quote!()), self.quadratic(*degree, degree / 2, frobenius));
        let half = degree / 2;
        let (below, below_config) = (format_ident!("Fq{half}"), format_ident!("Fq{half}Config"));
        let [twist, twist_a] = [twist, twist_a].map(|x| self.element(half, x));
        let (w0_negative, w0, w1) = (
            last[0].sign() == Sign::Minus,
            self.integer(last[0].magnitude()),
            self.integer(last[1].magnitude()),
        );
        let integer = self.integer_type();
        let (module, config) = (format_ident!("mnt{degree}"), format_ident!("MNT{degree}Config"));
        let (fp_below, fp_top) = (format_ident!("Fp{half}Config"), format_ident!("Fp{degree}Config"));
        let top_config = format_ident!("Fq{degree}Config");
        quote! {
            #above
            #head
            impl #ec::#module::#config for EngineConfig {
                const TWIST: #below = #twist;
                const TWIST_COEFF_A: #below = #twist_a;
                const ATE_LOOP_COUNT: &'static [i8] = &[#(#digits),*];
                const ATE_IS_LOOP_COUNT_NEG: bool = #negative;
                const FINAL_EXPONENT_LAST_CHUNK_1: #integer = #w1;
                const FINAL_EXPONENT_LAST_CHUNK_W0_IS_NEG: bool = #w0_negative;
                const FINAL_EXPONENT_LAST_CHUNK_ABS_OF_W0: #integer = #w0;
                type Fp = Fq;
                type Fr = Fr;
                type #fp_below = #below_config;
                type #fp_top = #top_config;
                type G1Config = G1Config;
                type G2Config = G2Config;
            }
        }
    }

    /// `Fq4` over `Fq2`, or `Fq6` over `Fq3`, by the root of what makes that.
    fn quadratic(&self, degree: usize, below: usize, frobenius: &[Element]) -> TokenStream {
        let models = self.models();
        let (ident, config) = (format_ident!("Fq{degree}"), format_ident!("Fq{degree}Config"));
        let (below_ident, below_config) = (format_ident!("Fq{below}"), format_ident!("Fq{below}Config"));
        let (module, fp) = match degree {
            4 => (quote!(fp4), format_ident!("Fp4")),
            _ => (quote!(fp6_2over3), format_ident!("Fp6")),
        };
        let (fp_config, fp_below) = (format_ident!("{fp}Config"), format_ident!("Fp{below}Config"));
        let table = format_ident!("FROBENIUS_COEFF_FP{degree}_C1");
        let frobenius = self.table(1, frobenius);
        let zeros = vec![quote!(<Fq as #models::AdditiveGroup>::ZERO); below - 2];
        let (doc, config_doc) = (
            format!("The quadratic extension of [`{below_ident}`], where the pairing's values are."),
            format!("arkworks' description of [`{ident}`]."),
        );
        quote! {
            #[doc = #config_doc]
            #[derive(Clone, Copy, Debug)]
            pub struct #config;
            #[automatically_derived]
            impl #models::#module::#fp_config for #config {
                type #fp_below = #below_config;
                const NONRESIDUE: #below_ident = #below_ident::new(
                    <Fq as #models::AdditiveGroup>::ZERO,
                    <Fq as #models::Field>::ONE,
                    #(#zeros),*
                );
                const #table: &'static [Fq] = #frobenius;
            }
            #[doc = #doc]
            pub type #ident = #models::#module::#fp<#config>;
        }
    }

    /// The configuration's type, behind which its implementation follows.
    fn head(&self, derives: TokenStream) -> TokenStream {
        quote! {
            /// arkworks' description of the pairing.
            #[derive(#derives Clone, Copy, Debug)]
            pub struct EngineConfig;
            #[automatically_derived]
        }
    }

    fn table(&self, degree: usize, elements: &[Element]) -> TokenStream {
        let elements = elements.iter().map(|x| self.element(degree, x));
        quote!(&[#(#elements),*])
    }

    /// A constant of the level of this degree.
    fn element(&self, degree: usize, x: &Element) -> TokenStream {
        let tower = self.model.levels.iter().find(|level| level.name == Over(degree));
        let tower = tower.map_or_else(Tower::prime, |level| level.tower());
        level::constant(self.root, self.valid, &tower, &self.model.fq.desc.p, &x.0)
    }

    /// A number as an integer of the length of the coordinates.
    fn integer(&self, n: &BigUint) -> TokenStream {
        let (root, words) = (self.root, words(n, ark_words(&self.model.fq.desc.p)));
        quote!(#root::ark_ff::BigInt([#(#words),*]))
    }

    fn integer_type(&self) -> TokenStream {
        let root = self.root;
        quote!(<Fq as #root::ark_ff::PrimeField>::BigInt)
    }

    fn ec(&self) -> TokenStream {
        let root = self.root;
        quote!(#root::ark_ec)
    }

    fn models(&self) -> TokenStream {
        let root = self.root;
        quote!(#root::ark_ff)
    }
}

/// The variant of arkworks' types of twists.
fn twist_name(twist: Twist) -> &'static str {
    match twist {
        Twist::M => "M",
        Twist::D => "D",
    }
}
