//! Functions of eight elements and points at once, for processors.

use super::Root;
use crate::check::GroupModel;
use crate::error::Errors;
use curvesmith_codegen::EmitError;
use curvesmith_codegen::declaration::FieldDesc;
use curvesmith_codegen::fir::ir::Kernel;
use curvesmith_codegen::passes::prepare;
use curvesmith_codegen::targets::BackEnd as _;
use curvesmith_codegen::targets::simd::{self, Avx2, Ifma512, Instructions, Limbs, Products, Simd};
use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote};

/// Levels below which a transform is not worth functions.
const LEAST_LEVELS: u32 = 6;
/// Limbs up to which fields have functions by whole products; those of more are long.
const MOST_LIMBS: usize = 14;

/// A tier of the runtime.
struct Tier {
    /// As `curvesmith_runtime::tier::Tier` names it.
    name: &'static str,
    /// The module with its loops.
    module: &'static str,
    features: &'static str,
}

impl Tier {
    fn of<I: Instructions>() -> Tier {
        let (name, module) = match I::PRODUCTS {
            Products::Halves => ("Ifma512", "ifma512"),
            Products::Whole => ("Avx2", "avx2"),
        };
        Tier { name, module, features: I::FEATURES }
    }
}

/// Whether a tier has functions of a field.
fn serves(of: Limbs) -> bool {
    of.products == Products::Halves || of.n <= MOST_LIMBS
}

/// Functions as the items of a module.
fn source<I: Instructions>(functions: &[Kernel]) -> Result<TokenStream, EmitError> {
    let checked = |kernel: &Kernel| {
        prepare::<Simd<I>>(kernel).map_err(|source| EmitError::Pass { kernel: kernel.symbol.clone(), source })
    };
    let checked = functions.iter().map(checked).collect::<Result<Vec<_>, EmitError>>()?;
    let source: TokenStream = Simd::<I>::emit(&checked, ())?.text.parse().expect("what is emitted is Rust");
    Ok(quote! {
        #[allow(dead_code, reason = "instructions that no function uses")]
        mod lanes {
            #source
        }
    })
}

/// A method that finds the functions of a tier by those that have some.
fn method(
    root: &Root,
    of: &TokenStream,
    tiers: [Result<TokenStream, EmitError>; 2],
) -> Result<TokenStream, EmitError> {
    let [first, second] = tiers;
    let (first, second) = (first?, second?);
    Ok(quote! {
        #[cfg(target_arch = "x86_64")]
        fn lanes(tier: #root::tier::Tier) -> ::core::option::Option<&'static #root::lanes::#of> {
            match tier {
                #first
                #second
                _ => ::core::option::Option::None,
            }
        }
    })
}

/// A field's method `lanes`; nothing where its transforms are small.
pub(super) fn of_field(root: &Root, field: &FieldDesc, span: Span, errors: &mut Errors) -> TokenStream {
    if field.two_adicity() < LEAST_LEVELS {
        return TokenStream::new();
    }
    let tiers = [transforms::<Ifma512>(root, field), transforms::<Avx2>(root, field)];
    errors.keep(span, method(root, &quote!(FieldLanes), tiers)).unwrap_or_default()
}

/// A tier's arm of [`of_field`]; nothing where it has no functions of the field.
fn transforms<I: Instructions>(root: &Root, field: &FieldDesc) -> Result<TokenStream, EmitError> {
    let of = Limbs::of(I::PRODUCTS, field);
    if !serves(of) {
        return Ok(TokenStream::new());
    }
    let source = source::<I>(&simd::transforms::<I>(field))?;
    let (limbs, bits, words) = (of.n, of.bits as usize, field.p.bits().div_ceil(64) as usize);
    let Tier { name, module, features } = Tier::of::<I>();
    let (name, module) = (format_ident!("{name}"), format_ident!("{module}"));
    Ok(quote! {
        #root::tier::Tier::#name => {
            #source
            use #root::lanes::{FieldLanes, LANES, Vector};
            use #root::lanes::#module::{in_parts, transforms};
            const B: usize = #bits;
            const N: usize = #limbs;
            const W: usize = #words;
            #[target_feature(enable = #features)]
            fn load(words: &[&[u64]; LANES], element: &mut [Vector]) {
                transforms::load::<B, N, W>(words, element);
            }
            #[target_feature(enable = #features)]
            fn store(element: &[Vector], words: &mut [&mut [u64]; LANES]) {
                transforms::store::<B, N, W>(element, words, |x| in_parts(x, |x| lanes::canonical(x)));
            }
            #[target_feature(enable = #features)]
            fn enter(elements: &mut [Vector]) {
                transforms::enter::<N>(elements, |x| in_parts(x, |x| lanes::enter(x)));
            }
            #[target_feature(enable = #features)]
            fn multiply(elements: &mut [Vector], factors: &[Vector]) {
                transforms::multiply::<N>(elements, factors, |x| in_parts(x, |x| lanes::product(x)));
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
                transforms::two_levels::<N>(quarters, factors, |x| in_parts(x, |x| lanes::butterflies(x)));
            }
            #[target_feature(enable = #features)]
            fn levels(elements: &mut [Vector], factors: &[Vector]) {
                transforms::levels::<N>(
                    elements,
                    factors,
                    |x| in_parts(x, |x| lanes::butterfly(x)),
                    |x, by| two_levels(x, by),
                );
            }
            #[target_feature(enable = #features)]
            fn first_levels(elements: &mut [Vector], factors: &[Vector]) {
                transforms::levels::<N>(
                    elements,
                    factors,
                    |[a, b, _]| in_parts([a, b], |x| lanes::first_butterfly(x)),
                    |x, by| {
                        let first = |x: [&_; 5]| in_parts(x, |x| lanes::first_butterflies(x));
                        let (x, by) = transforms::first_of::<N>(x, by, first);
                        two_levels(x, by);
                    },
                );
            }
            static LANES_OF: FieldLanes = FieldLanes {
                limbs: N, load, store, enter, multiply, take, give, turn, levels, first_levels
            };
            ::core::option::Option::Some(&LANES_OF)
        }
    })
}

/// A group's method `lanes`; nothing where the target has no functions of its form.
pub(super) fn of_group(root: &Root, model: &GroupModel, span: Span, errors: &mut Errors) -> TokenStream {
    if simd::additions::<Ifma512>(&model.desc).is_empty() {
        return TokenStream::new();
    }
    let tiers = [additions::<Ifma512>(root, model), additions::<Avx2>(root, model)];
    errors.keep(span, method(root, &quote!(GroupLanes), tiers)).unwrap_or_default()
}

/// A tier's arm of [`of_group`]; nothing where it has no functions of the field.
fn additions<I: Instructions>(root: &Root, model: &GroupModel) -> Result<TokenStream, EmitError> {
    let of = Limbs::of(I::PRODUCTS, &model.desc.base);
    if !serves(of) {
        return Ok(TokenStream::new());
    }
    let source = source::<I>(&simd::additions::<I>(&model.desc))?;
    let (limbs, limb, degree) = (of.n, of.bits as usize, model.desc.degree());
    let bits = model.desc.base.p.bits() as usize;
    // A resident element is below twice the modulus.
    let (words, packed) = (bits.div_ceil(64), (bits + 1).div_ceil(64));
    let Tier { name, module, features } = Tier::of::<I>();
    let (name, module) = (format_ident!("{name}"), format_ident!("{module}"));
    Ok(quote! {
        #root::tier::Tier::#name => {
            #source
            use #root::lanes::{Block, GroupLanes, PAIR, Vector, words_of_row};
            use #root::lanes::#module::{in_parts, passes};
            const B: usize = #limb;
            const N: usize = #limbs;
            const W: usize = #words;
            const D: usize = #degree;
            const T: usize = 2 * D;
            const K: usize = PAIR * D;
            const P: usize = words_of_row(N, #packed, T);
            #[target_feature(enable = #features)]
            fn enter(words: &[u64], coordinate: &mut [Vector]) {
                passes::enter::<B, N, W, D>(words, coordinate, |x| in_parts(x, |x| lanes::enter(x)));
            }
            #[target_feature(enable = #features)]
            fn leave(coordinate: &[Vector], words: &mut [u64]) {
                passes::leave::<B, N, W, D>(coordinate, words, |x| in_parts(x, |x| lanes::leave(x)));
            }
            #[target_feature(enable = #features)]
            fn write(points: &[Vector], rows: &mut [u64]) {
                passes::write::<B, N, P, T>(points, rows);
            }
            #[target_feature(enable = #features)]
            #[inline]
            fn opposite(y: [&[Vector; N]; D]) -> [[Vector; N]; D] {
                in_parts(y, |y| lanes::opposite(y))
            }
            #[target_feature(enable = #features)]
            fn read(block: &mut Block<'_>) {
                passes::read::<B, N, P, D, T>(block, |y| opposite(y));
            }
            #[target_feature(enable = #features)]
            fn distances(block: &mut Block<'_>) {
                let distance = |x: [&_; K]| in_parts(x, |x| lanes::distance(x));
                passes::distances::<B, N, P, D, T, K>(block, distance, |y| opposite(y));
            }
            #[target_feature(enable = #features)]
            fn chords(block: &mut Block<'_>) {
                passes::chords::<N, D, T, K, _>(block, |x| in_parts(x, |x| lanes::chord(x)));
            }
            #[target_feature(enable = #features)]
            fn any_distances(block: &mut Block<'_>) {
                let distance = |x: [&_; K]| {
                    let [product @ .., is_point] = in_parts(x, |x| lanes::any_distance(x));
                    (product, is_point)
                };
                passes::any_distances::<B, N, P, D, T, K>(block, distance, |y| opposite(y));
            }
            #[target_feature(enable = #features)]
            fn any_chords(block: &mut Block<'_>) {
                passes::chords::<N, D, T, K, _>(block, |x| in_parts(x, |x| lanes::any_chord(x)));
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
    })
}
