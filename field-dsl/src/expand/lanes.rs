//! Functions of eight elements and points at once, for processors.

use super::Root;
use crate::check::GroupModel;
use crate::error::Errors;
use curvesmith_codegen::EmitError;
use curvesmith_codegen::declaration::FieldDesc;
use curvesmith_codegen::fir::ir::Kernel;
use curvesmith_codegen::passes::prepare;
use curvesmith_codegen::targets::BackEnd as _;
use curvesmith_codegen::targets::simd::{self, Simd, Tier};
use proc_macro2::{Span, TokenStream};
use quote::quote;

/// The only one there is.
const TIER: Tier = Tier::Ifma512;

/// Levels below which a transform is not worth functions.
const LEAST_LEVELS: u32 = 6;

/// Functions as the items of a module.
fn source(functions: &[Kernel]) -> Result<TokenStream, EmitError> {
    let checked = |kernel: &Kernel| {
        prepare::<Simd>(kernel).map_err(|source| EmitError::Pass { kernel: kernel.symbol.clone(), source })
    };
    let checked = functions.iter().map(checked).collect::<Result<Vec<_>, EmitError>>()?;
    let source: TokenStream = Simd::emit(&checked, TIER)?.text.parse().expect("what is emitted is Rust");
    Ok(quote! {
        #[allow(dead_code, reason = "instructions that no function uses")]
        mod lanes {
            #source
        }
    })
}

/// A field's method `lanes`; nothing where its transforms are small.
pub(super) fn of_field(root: &Root, field: &FieldDesc, span: Span, errors: &mut Errors) -> TokenStream {
    if field.two_adicity() < LEAST_LEVELS {
        return TokenStream::new();
    }
    let functions = simd::transforms(field);
    let Some(source) = errors.keep(span, source(&functions)) else { return TokenStream::new() };
    let (limbs, words) = (simd::limbs(field), field.p.bits().div_ceil(64) as usize);
    let features = TIER.features();
    quote! {
        #[cfg(target_arch = "x86_64")]
        fn lanes() -> ::core::option::Option<&'static #root::lanes::FieldLanes> {
            #source
            use #root::lanes::{FieldLanes, LANES, Vector, transforms};
            const N: usize = #limbs;
            const W: usize = #words;
            #[target_feature(enable = #features)]
            fn load(words: &[&[u64]; LANES], element: &mut [Vector]) {
                transforms::load::<N, W>(words, element);
            }
            #[target_feature(enable = #features)]
            fn store(element: &[Vector], words: &mut [&mut [u64]; LANES]) {
                transforms::store::<N, W>(element, words, |x| lanes::canonical(x));
            }
            #[target_feature(enable = #features)]
            fn enter(elements: &mut [Vector]) {
                transforms::enter::<N>(elements, |x| lanes::enter(x));
            }
            #[target_feature(enable = #features)]
            fn multiply(elements: &mut [Vector], factors: &[Vector]) {
                transforms::multiply::<N>(elements, factors, |x| lanes::product(x));
            }
            #[target_feature(enable = #features)]
            fn take(elements: &mut [Vector], rows: &[&[Vector]], at: usize) {
                transforms::take::<N>(elements, rows, at);
            }
            #[target_feature(enable = #features)]
            fn give(elements: &[Vector], rows: &mut [&mut [Vector]], at: usize) {
                transforms::give::<N>(elements, rows, at);
            }
            #[target_feature(enable = #features)]
            fn turn(elements: &mut [Vector]) {
                transforms::turn::<N>(elements);
            }
            // Where the functions of most butterflies are put in line, once.
            #[target_feature(enable = #features)]
            fn two_levels(quarters: [&mut [[Vector; N]]; 4], factors: &[[Vector; N]]) {
                transforms::two_levels::<N>(quarters, factors, |x| lanes::butterflies(x));
            }
            #[target_feature(enable = #features)]
            fn levels(elements: &mut [Vector], factors: &[Vector]) {
                transforms::levels::<N>(elements, factors, |x| lanes::butterfly(x), |x, by| two_levels(x, by));
            }
            #[target_feature(enable = #features)]
            fn first_levels(elements: &mut [Vector], factors: &[Vector]) {
                transforms::levels::<N>(
                    elements,
                    factors,
                    |[a, b, _]| lanes::first_butterfly([a, b]),
                    |x, by| {
                        let (x, by) = transforms::first_of::<N>(x, by, |x| lanes::first_butterflies(x));
                        two_levels(x, by);
                    },
                );
            }
            static LANES_OF: FieldLanes = FieldLanes {
                limbs: N, load, store, enter, multiply, take, give, turn, levels, first_levels
            };
            ::core::option::Option::Some(&LANES_OF)
        }
    }
}

/// A group's method `lanes`; nothing where the target has no functions of its form.
pub(super) fn of_group(root: &Root, model: &GroupModel, span: Span, errors: &mut Errors) -> TokenStream {
    let functions = simd::additions(&model.desc);
    if functions.is_empty() {
        return TokenStream::new();
    }
    let Some(source) = errors.keep(span, source(&functions)) else { return TokenStream::new() };
    let (limbs, degree) = (simd::limbs(&model.desc.base), model.desc.degree());
    let bits = model.desc.base.p.bits() as usize;
    // A resident element is below twice the modulus.
    let (words, packed) = (bits.div_ceil(64), (bits + 1).div_ceil(64));
    let features = TIER.features();
    quote! {
        #[cfg(target_arch = "x86_64")]
        fn lanes() -> ::core::option::Option<&'static #root::lanes::GroupLanes> {
            #source
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
