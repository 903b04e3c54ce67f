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
    let bits = model.desc.base.p.bits() as usize;
    // A resident element is below twice the modulus.
    let (words, packed) = (bits.div_ceil(64), (bits + 1).div_ceil(64));
    let features = tier.features();
    quote! {
        #[cfg(target_arch = "x86_64")]
        fn lanes() -> ::core::option::Option<&'static #root::lanes::GroupLanes> {
            #[allow(dead_code, reason = "instructions that no function of the group uses")]
            mod lanes {
                #source
            }
            use #root::lanes::{Block, GroupLanes, PAIR, Vector, passes};
            const N: usize = #limbs;
            const W: usize = #words;
            const D: usize = #degree;
            const T: usize = 2 * D;
            const K: usize = PAIR * D;
            const P: usize = passes::words_of_row(N, #packed, T);
            #[target_feature(enable = #features)]
            fn enter(words: &[u64], coordinate: &mut [Vector]) {
                passes::enter::<N, W, D>(words, coordinate, |x| lanes::enter(x));
            }
            #[target_feature(enable = #features)]
            fn leave(coordinate: &[Vector], words: &mut [u64]) {
                passes::leave::<N, W, D>(coordinate, words, |x| lanes::leave(x));
            }
            #[target_feature(enable = #features)]
            fn write(points: &[Vector], rows: &mut [u64]) {
                passes::write::<N, P, T>(points, rows);
            }
            #[target_feature(enable = #features)]
            fn read(block: &mut Block<'_>) {
                passes::read::<N, P, D, T>(block, |y| lanes::opposite(y));
            }
            #[target_feature(enable = #features)]
            fn distances(block: &mut Block<'_>) {
                passes::distances::<N, P, D, T, K>(block, |x| lanes::distance(x), |y| lanes::opposite(y));
            }
            #[target_feature(enable = #features)]
            fn chords(block: &mut Block<'_>) {
                passes::chords::<N, D, T, K, _>(block, |x| lanes::chord(x));
            }
            #[target_feature(enable = #features)]
            fn any_distances(block: &mut Block<'_>) {
                let distance = |x: [&_; K]| {
                    let [product @ .., is_point] = lanes::any_distance(x);
                    (product, is_point)
                };
                passes::any_distances::<N, P, D, T, K>(block, distance, |y| lanes::opposite(y));
            }
            #[target_feature(enable = #features)]
            fn any_chords(block: &mut Block<'_>) {
                passes::chords::<N, D, T, K, _>(block, |x| lanes::any_chord(x));
            }
            static LANES: GroupLanes = GroupLanes {
                coordinate: D * N,
                words: D * W,
                row: T * P,
                enter,
                leave,
                write,
                read,
                distances,
                chords,
                any_distances,
                any_chords,
            };
            ::core::option::Option::Some(&LANES)
        }
    }
}
