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
