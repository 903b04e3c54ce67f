//! Processors, by their vector instructions.

use super::arithmetic::bound::Products;
use std::fmt::Debug;

/// What a processor's vectors can do.
pub trait Instructions: Copy + Debug + Eq + Send + Sync + 'static {
    /// What they multiply.
    const PRODUCTS: Products;
    /// As `#[target_feature(enable = …)]` names what is needed.
    const FEATURES: &'static str;
    /// Elements in a vector.
    const LANES: usize;
    /// What lane programs are made of, as Rust functions of vectors.
    const PRELUDE: &'static str;
}

/// AVX-512 with IFMA.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ifma512 {}

impl Instructions for Ifma512 {
    const PRODUCTS: Products = Products::Halves;
    const FEATURES: &'static str = "avx512f,avx512ifma";
    const LANES: usize = 8;
    const PRELUDE: &'static str = include_str!("ifma512.rs.txt");
}

/// AVX2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Avx2 {}

impl Instructions for Avx2 {
    const PRODUCTS: Products = Products::Whole;
    const FEATURES: &'static str = "avx2";
    const LANES: usize = 4;
    const PRELUDE: &'static str = include_str!("avx2.rs.txt");
}

/// [`Instructions`] as values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InstructionSet {
    /// [`Ifma512`].
    Ifma512,
    /// [`Avx2`].
    Avx2,
}

impl InstructionSet {
    /// Every one.
    pub const ALL: [InstructionSet; 2] = [InstructionSet::Ifma512, InstructionSet::Avx2];

    /// The name of its images' flavour.
    pub fn name(self) -> &'static str {
        match self {
            InstructionSet::Ifma512 => "ifma512",
            InstructionSet::Avx2 => "avx2",
        }
    }

    /// [`Instructions::PRODUCTS`]
    pub fn products(self) -> Products {
        match self {
            InstructionSet::Ifma512 => Ifma512::PRODUCTS,
            InstructionSet::Avx2 => Avx2::PRODUCTS,
        }
    }

    /// [`Instructions::FEATURES`]
    pub fn features(self) -> &'static str {
        match self {
            InstructionSet::Ifma512 => Ifma512::FEATURES,
            InstructionSet::Avx2 => Avx2::FEATURES,
        }
    }
}
