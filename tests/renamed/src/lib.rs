//! Declarations in a crate where the dependency is called `cs` and arkworks is no dependency.
//!
//! Expansions may name nothing but the path in `crate = …;`.

/// A façade of one's own over the façade, seen from the declaration.
pub mod facade {
    #[doc(hidden)]
    pub use cs::__private;
}

/// A local alias, for a binding that is written relative to the declaration.
pub type Babybear = babybear::Fp;

cs::field! {
    /// BabyBear, `15·2^27 + 1`.
    pub mod babybear {
        crate = cs;
        p = 0x7800_0001;
        generator = 31;
        small_subgroup = 5^1;
    }
}

cs::field! {
    /// Goldilocks: one 64-bit word without a spare bit. The generator is the least nonresidue.
    pub mod goldilocks {
        crate = self::facade;
        p = 0xffff_ffff_0000_0001;
    }
}

cs::field! {
    /// BabyBear again, bound to the type generated above.
    pub mod bound {
        crate = crate::facade;
        p = 2013265921;
        generator = 31;
        arkworks { fp = self::Babybear; }
    }
}

cs::curve! {
    /// A supersingular toy curve with `b = 0`: (0, 0) is a point, so it cannot mark the identity.
    pub mod flat {
        crate = cs;
        fq = 787;
        fr = 197;
        g1: short_weierstrass over fq { a = 1; b = 0; generator = (472, 33); cofactor = 4; };
        allow(weak_curve);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ark_ec::{AffineRepr, CurveGroup};
    use ark_ff::{FftField, Field as _, One, PrimeField, UniformRand, Zero};

    #[test]
    fn goldilocks_multiplies_without_a_spare_bit() {
        let p = 0xffff_ffff_0000_0001u128;
        let mut rng = ark_std::test_rng();
        let edges = [0u64, 1, 2, u64::from(u32::MAX), 1 << 32, (p - 1) as u64, (p - 2) as u64, 1 << 63];
        let random: Vec<u64> = (0..200).map(|_| goldilocks::Fp::rand(&mut rng).into_bigint().0[0]).collect();
        for &a in edges.iter().chain(&random) {
            for &b in edges.iter().chain(&random) {
                let product = goldilocks::Fp::from(a) * goldilocks::Fp::from(b);
                assert_eq!(
                    u128::from(product.into_bigint().0[0]),
                    u128::from(a) * u128::from(b) % p,
                    "{a}·{b}"
                );
            }
        }
        assert_eq!(goldilocks::Fp::GENERATOR, goldilocks::Fp::from(7u64));
    }

    #[test]
    fn mixed_radix_roots_have_their_order() {
        let root = babybear::Fp::LARGE_SUBGROUP_ROOT_OF_UNITY.expect("a small subgroup is declared");
        assert!(root.pow([5u64 << 27]).is_one());
        assert!(!root.pow([1u64 << 27]).is_one());
        assert!(!root.pow([5u64 << 26]).is_one());
    }

    #[test]
    fn the_origin_is_a_point_and_not_the_identity() {
        let origin = flat::G1Affine::new_unchecked(flat::Fq::zero(), flat::Fq::zero());
        assert!(origin.is_on_curve());
        assert!(!origin.is_zero());
        assert!((origin + origin).is_zero());
        let generator = flat::G1Affine::generator();
        assert!(generator.is_in_correct_subgroup_assuming_on_curve());
        assert!(!origin.is_in_correct_subgroup_assuming_on_curve());
        assert_eq!(
            (generator + origin).into_affine().clear_cofactor(),
            (generator * flat::Fr::from(4u64)).into_affine()
        );
    }

    #[test]
    fn bound_fields_are_the_same_type() {
        let one: babybear::Fp = bound::Fp::one();
        assert_eq!(one, babybear::Fp::one());
    }
}
