//! What can be wrong with the numbers of a declaration.

use num_bigint::BigUint;

/// A mathematical fault of a declared field or curve; always the declaration's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SpecError {
    /// The modulus is 0, 1 or 2; declare an odd prime.
    #[error("modulus {found} is below 3")]
    ModulusTooSmall {
        /// The modulus.
        found: BigUint,
    },
    /// The modulus is even; declare an odd prime.
    #[error("modulus is even")]
    ModulusEven,
    /// The modulus is longer than the checks and kernels are made for.
    #[error("modulus has {bits} bits, at most {limit} are supported")]
    ModulusTooLarge {
        /// Bits of the modulus.
        bits: u64,
        /// [`MAX_MODULUS_BITS`](super::MAX_MODULUS_BITS).
        limit: u64,
    },
    /// The modulus has a factor that bounded work finds.
    #[error("modulus is not prime: {factor} divides it")]
    ModulusHasFactor {
        /// A proper factor.
        factor: BigUint,
    },
    /// The modulus is composite, though no factor was found.
    #[error("modulus is not prime: it fails the Miller-Rabin test to base {witness}")]
    ModulusIsComposite {
        /// A base that proves it.
        witness: BigUint,
    },
    /// The modulus is composite, though it passes Miller-Rabin and no factor was found.
    #[error("modulus is not prime: it fails the strong Lucas test with D = {d}")]
    ModulusFailsLucas {
        /// Selfridge's parameter.
        d: i64,
    },
    /// The multiplicative generator is zero.
    #[error("generator is 0")]
    GeneratorIsZero,
    /// The multiplicative generator is a square, so it has no primitive two-adic root.
    #[error("generator {generator} is a square modulo p")]
    GeneratorIsSquare {
        /// The generator, as [`residue`](super::tower::residue) writes it.
        generator: String,
    },
    /// The multiplicative generator misses part of the group of units.
    #[error(
        "generator {generator} does not generate the units: it is a power with exponent {factor} modulo p"
    )]
    GeneratorIsPower {
        /// The generator, as [`residue`](super::tower::residue) writes it.
        generator: String,
        /// A prime factor of `p - 1`.
        factor: u64,
    },
    /// The given root of unity does not have order `2^log_order`, the two-adic part of `p - 1`.
    #[error("two_adic_root does not have order 2^{log_order}")]
    NotATwoAdicRoot {
        /// Two-adicity of the field.
        log_order: u64,
    },
    /// The small subgroup does not exist; its base must be an odd prime and its order divide `p - 1`.
    #[error("small_subgroup: {base}^{power} does not divide p - 1, or {base} is not an odd prime")]
    NoSmallSubgroup {
        /// Declared base.
        base: u32,
        /// Declared power.
        power: u32,
    },
    /// `u² - nonresidue` factors, so the extension is not a field.
    #[error("{nonresidue} is a square in the field below, so the extension is not a field")]
    NonresidueIsSquare {
        /// The declared nonresidue, canonical.
        nonresidue: String,
    },
    /// `u³ - nonresidue` factors, so the extension is not a field.
    #[error("{nonresidue} is a cube in the field below, so the extension is not a field")]
    NonresidueIsCube {
        /// The declared nonresidue, canonical.
        nonresidue: String,
    },
    /// There is no cubic extension by a cube root, because cubing is a bijection.
    #[error("every element of the field below is a cube: 3 does not divide its size minus 1")]
    OnlyCubes,
    /// The discriminant vanishes.
    #[error("curve is singular: 4a^3 + 27b^2 = 0")]
    SingularCurve,
    /// A coefficient of a twisted Edwards curve is zero, which leaves a curve of genus 0.
    #[error("coefficient {name} of a twisted Edwards curve is 0")]
    EdwardsZero {
        /// `a` or `d`.
        name: char,
    },
    /// `a = d`: the equation is `(1 - a·x²)(1 - y²) = 0`.
    #[error("curve is singular: a = d")]
    EdwardsSingular,
    /// `B = 0`: the equation is one of `u` alone.
    #[error("coefficient b of a Montgomery curve is 0")]
    MontgomeryZero,
    /// `A = 2` or `A = -2`: the cubic has a double root.
    #[error("curve is singular: a^2 = 4")]
    MontgomerySingular,
    /// The checks map to a short Weierstrass curve, which takes a division by 3.
    #[error("twisted Edwards and Montgomery curves over fields of characteristic 3 are not supported")]
    EdwardsCharacteristicThree,
    /// The order of a twisted Edwards or Montgomery curve is a multiple of 4, and `r` is odd.
    #[error("cofactor of a twisted Edwards or Montgomery curve must be a multiple of 4")]
    CofactorNotMultipleOfFour,
    /// A twisted Edwards curve has a point of order 2.
    #[error("the curve has no point of order 2, and so no twisted Edwards form")]
    FormWithoutRoot,
    /// Twisted Edwards forms have other coefficients, or there are Montgomery forms of twists only.
    #[error("the curve has no twisted Edwards form -x^2 + y^2 = 1 + d*x^2*y^2")]
    FormWithoutSquare,
    /// The generator does not satisfy the equation: a digit, or the coefficients of another twist.
    #[error("generator is not on the curve")]
    GeneratorOffCurve,
    /// `[r]G` is not the identity.
    #[error("generator does not have order r: [r]G is not the identity")]
    GeneratorOrder,
    /// The cofactor is zero.
    #[error("cofactor is 0")]
    CofactorIsZero,
    /// `r` divides the cofactor.
    #[error("cofactor is a multiple of r, so it has no inverse modulo r")]
    CofactorNotInvertible,
    /// The implied order violates Hasse's bound.
    #[error("cofactor * r has {bits} bits and lies outside Hasse's interval around {field_bits}-bit q + 1")]
    CofactorOutsideHasse {
        /// Bits of `h·r`.
        bits: u64,
        /// Bits of the size of the coordinate field.
        field_bits: u64,
    },
    /// `h·r` does not kill a point of the curve: a wrong cofactor, or another twist.
    #[error(
        "cofactor * r is not the order of the curve: it does not kill the point with first coordinate {x}"
    )]
    CofactorRefuted {
        /// The first coordinate of the point.
        x: String,
    },
    /// The curve was counted and has another order.
    #[error("cofactor * r is {found}, but the curve has {order} points")]
    CofactorMiscounted {
        /// `h·r`.
        found: BigUint,
        /// Number of points, with the identity.
        order: u64,
    },
}
