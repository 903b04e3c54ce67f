//! Functions of eight elements and points at once, for processors.

use super::Root;
use crate::check::GroupModel;
use crate::images::Lanes;
use curvesmith_codegen::declaration::FieldDesc;
use curvesmith_codegen::targets::simd::{InstructionSet, Limbs, Products};
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

/// A tier of the runtime.
struct Tier {
    /// As `curvesmith_runtime::tier::Tier` names it.
    name: Ident,
    /// The module with its loops.
    module: Ident,
    features: &'static str,
    products: Products,
}

impl Tier {
    fn of(set: InstructionSet) -> Tier {
        let name = match set {
            InstructionSet::Ifma512 => format_ident!("Ifma512"),
            InstructionSet::Avx2 => format_ident!("Avx2"),
        };
        let (features, products) = (set.features(), set.products());
        Tier { name, module: format_ident!("{}", set.name()), features, products }
    }
}

/// Functions as the items of a module.
fn module(source: &TokenStream) -> TokenStream {
    quote! {
        #[allow(dead_code, reason = "instructions that no function uses")]
        mod lanes {
            #source
        }
    }
}

/// A method that finds the functions of a tier; nothing where no tier has some.
fn method(
    root: &Root,
    of: &TokenStream,
    sources: &Lanes,
    arm: impl Fn(&Tier, &TokenStream) -> TokenStream,
) -> TokenStream {
    let sets = InstructionSet::ALL.into_iter().zip(sources);
    let arms: Vec<TokenStream> =
        sets.filter_map(|(set, source)| Some(arm(&Tier::of(set), source.as_ref()?))).collect();
    if arms.is_empty() {
        return TokenStream::new();
    }
    quote! {
        #[cfg(target_arch = "x86_64")]
        fn lanes(tier: #root::tier::Tier) -> ::core::option::Option<&'static #root::lanes::#of> {
            match tier {
                #(#arms)*
                _ => ::core::option::Option::None,
            }
        }
    }
}

/// A field's method `lanes`.
pub(super) fn of_field(root: &Root, field: &FieldDesc, sources: &Lanes) -> TokenStream {
    method(root, &quote!(FieldLanes), sources, |tier, source| transforms(root, field, tier, source))
}

/// A tier's arm of [`of_field`].
fn transforms(root: &Root, field: &FieldDesc, tier: &Tier, source: &TokenStream) -> TokenStream {
    let Tier { name, module: loops, features, products } = tier;
    let of = Limbs::of(*products, field);
    let (limbs, bits, words) = (of.n, of.bits as usize, field.p.bits().div_ceil(64) as usize);
    let source = module(source);
    quote! {
        #root::tier::Tier::#name => {
            #source
            use #root::lanes::{FieldLanes, LANES, Vector};
            use #root::lanes::#loops::{in_parts, transforms};
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
    }
}

/// A group's method `lanes`.
pub(super) fn of_group(root: &Root, model: &GroupModel, sources: &Lanes) -> TokenStream {
    method(root, &quote!(GroupLanes), sources, |tier, source| additions(root, model, tier, source))
}

/// A tier's arm of [`of_group`].
fn additions(root: &Root, model: &GroupModel, tier: &Tier, source: &TokenStream) -> TokenStream {
    let Tier { name, module: loops, features, products } = tier;
    let of = Limbs::of(*products, &model.desc.base);
    let source = module(source);
    let (limbs, limb, degree) = (of.n, of.bits as usize, model.desc.degree());
    let bits = model.desc.base.p.bits() as usize;
    // A resident element is below twice the modulus.
    let (words, packed) = (bits.div_ceil(64), (bits + 1).div_ceil(64));
    quote! {
        #root::tier::Tier::#name => {
            #source
            use #root::lanes::{Block, GroupLanes, PAIR, Vector, words_of_row};
            use #root::lanes::#loops::{in_parts, passes};
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
    }
}
