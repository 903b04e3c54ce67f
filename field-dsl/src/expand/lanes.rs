//! Functions of eight points at once, for processors.

use super::Root;
use crate::check::GroupModel;
use crate::error::Errors;
use curvesmith_codegen::EmitError;
use curvesmith_codegen::fir::ir::Kernel;
use curvesmith_codegen::passes::prepare;
use curvesmith_codegen::targets::BackEnd as _;
use curvesmith_codegen::targets::simd::{self, Simd, Tier};
use proc_macro2::{Span, TokenStream};
use quote::quote;

/// A group's method `lanes`; nothing where the target has no functions of its form.
pub(super) fn of_group(root: &Root, model: &GroupModel, span: Span, errors: &mut Errors) -> TokenStream {
    let tier = Tier::default();
    let functions = simd::additions(&model.desc);
    if functions.is_empty() {
        return TokenStream::new();
    }
    let checked = |kernel: &Kernel| {
        prepare::<Simd>(kernel).map_err(|source| EmitError::Pass { kernel: kernel.symbol.clone(), source })
    };
    let checked: Result<Vec<_>, EmitError> = functions.iter().map(checked).collect();
    let source = checked.and_then(|checked| Simd::emit(&checked, tier));
    let Some(source) = errors.keep(span, source) else { return TokenStream::new() };
    let source: TokenStream = source.text.parse().expect("what is emitted is Rust");
    let (limbs, degree) = (simd::limbs(&model.desc.base), model.desc.degree());
    let features = tier.features();
    quote! {
        #[cfg(target_arch = "x86_64")]
        fn lanes() -> ::core::option::Option<&'static #root::lanes::GroupLanes> {
            #[allow(dead_code, reason = "instructions that no function of the group uses")]
            mod lanes {
                #source
            }
            use #root::lanes::{Block, GroupLanes, Vector, passes};
            const N: usize = #limbs;
            const D: usize = #degree;
            #[target_feature(enable = #features)]
            fn enter(elements: &mut [Vector]) {
                passes::each::<N>(elements, |x| lanes::enter(x));
            }
            #[target_feature(enable = #features)]
            fn leave(elements: &mut [Vector]) {
                passes::each::<N>(elements, |x| lanes::leave(x));
            }
            #[target_feature(enable = #features)]
            fn distances(block: &mut Block<'_>) {
                passes::distances::<N, D, _>(block, |x| lanes::distance(x), |y| lanes::opposite(y));
            }
            #[target_feature(enable = #features)]
            fn chords(block: &mut Block<'_>) {
                passes::chords::<N, D, _, _>(block, |x| lanes::chord(x));
            }
            #[target_feature(enable = #features)]
            fn any_distances(block: &mut Block<'_>) {
                let distance = |x: &_| {
                    let [product @ .., is_point] = lanes::any_distance(x);
                    (product, is_point)
                };
                passes::any_distances::<N, D, _>(block, distance, |y| lanes::opposite(y));
            }
            #[target_feature(enable = #features)]
            fn any_chords(block: &mut Block<'_>) {
                passes::chords::<N, D, _, _>(block, |x| lanes::any_chord(x));
            }
            static LANES: GroupLanes =
                GroupLanes { limbs: N, degree: D, enter, leave, distances, chords, any_distances, any_chords };
            ::core::option::Option::Some(&LANES)
        }
    }
}
