//! Against published curves, and against the families' own polynomials for the orders of twists.

use super::*;
use crate::declaration::curve::Weierstrass;
use crate::declaration::tower::{Element, Tower, TowerField};
use num_traits::Signed;

fn hex(text: &str) -> BigUint {
    BigUint::parse_bytes(text.as_bytes(), 16).unwrap()
}

fn int(text: &str) -> BigInt {
    BigInt::parse_bytes(text.as_bytes(), 16).unwrap()
}

const P_377: &str =
    "1ae3a4617c510eac63b05c06ca1493b1a22d9f300f5138f1ef3622fba094800170b5d44300000008508c00000000001";
const P_381: &str =
    "1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaab";
const P_298: [&str; 2] = [
    "3bcf7bcd473a266249da7b0548ecaeec9635d1330ea41a9e35e51200e12c90cd65a71660001",
    "3bcf7bcd473a266249da7b0548ecaeec9635cf44194fb494c07925d6ad3bb4334a400000001",
];

fn bw6_761() -> Bw6 {
    Bw6 { x: int("8508c00000000001"), h_t: 13.into(), h_y: 9.into(), t_mod_x_is_zero: false }
}

/// Numbers, and the degree of the field that the second curve is over; `p`, `r` and both cofactors.
type Published = (Result<Numbers, FamilyError>, usize, [&'static str; 4]);

fn published() -> Vec<Published> {
    let mnt = |p: usize, degree| mnt(&hex(P_298[p]), &hex(P_298[1 - p]), degree);
    vec![
        (
            bls12(&int("8508c00000000001")),
            2,
            [
                P_377,
                "12ab655e9a2ca55660b44d1e5c37b00159aa76fed00000010a11800000000001",
                "170b5d44300000000000000000000000",
                "26ba558ae9562addd88d99a6f6a829fbb36b00e1dcc40c8c505634fae2e189d693e8c36676bd09a0f3622fba094800452217cc900000000000000000000001",
            ],
        ),
        (
            bls12(&int("-d201000000010000")),
            2,
            [
                P_381,
                "73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001",
                "396c8c005555e1568c00aaab0000aaab",
                "5d543a95414e7f1091d50792876a202cd91de4547085abaa68a205b2e5a7ddfa628f1cb4d9e82ef21537e293a6691ae1616ec6e786f0c70cf1c38e31c7238e5",
            ],
        ),
        (
            bn(&4965661367192848881u64.into()),
            2,
            [
                "30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47",
                "30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001",
                "1",
                "30644e72e131a029b85045b68181585e06ceecda572a2489345f2299c0f9fa8d",
            ],
        ),
        (
            bn(&((BigInt::from(1) << 114) + (BigInt::from(1) << 101) - (1 << 14) - 1)),
            2,
            [
                "240480360120023ffffffffff6ff0cf6b7d9bfca0000000000d812908f41c8020ffffffffff6ff66fc6ff687f640000000002401b00840138013",
                "240480360120023ffffffffff6ff0cf6b7d9bfca0000000000d812908ee1c201f7fffffffff6ff66fc7bf717f7c0000000002401b007e010800d",
                "1",
                "240480360120023ffffffffff6ff0cf6b7d9bfca0000000000d812908fa1ce0227fffffffff6ff66fc63f5f7f4c0000000002401b008a0168019",
            ],
        ),
        (
            bls24(&int("-bfcfffff")),
            4,
            [
                "4c23a02b586d650d3f7498be97c5eafdec1d01aa27a1ae0421ee5da52bde5026fe802ff40300001",
                "196deac24a9da12b25fc7ec9cf927a98c8c480ece644e36419d0c5fd00c00001",
                "2fe8030000000000",
                "142a76791a4ecf9c5e2d1e9744e1a3d20ecd4e893c629f9a3e8f21811c01446602b3ec97c88db0069213228615137a0dded7e599b628469c774cb87cd287bf73a8d2cc439ffffe00fe2b41efdc3698dd4b373acdeee183eb09e6f58e9055cd34eace3e7e701215b52c02797e31a2c6fe9ac0018b940adf101e0000000001",
            ],
        ),
        (
            bw6(&bw6_761()),
            1,
            [
                "122e824fb83ce0ad187c94004faff3eb926186a81d14688528275ef8087be41707ba638e584e91903cebaff25b423048689c8ed12f9fd9071dcd3dc73ebff2e98a116c25667a8f8160cf8aeeaf0a437e6913e6870000082f49d00000000008b",
                P_377,
                "ad1972339049ce762c77d5ac34cb12efc856a0853c9db94cc61c554757551c0c832ba4061000003b3de580000000007c",
                "ad1972339049ce762c77d5ac34cb12efc856a0853c9db94cc61c554757551c0c832ba4061000003b3de5800000000075",
            ],
        ),
        (
            mnt(0, 4),
            2,
            [
                P_298[0],
                P_298[1],
                "1",
                "3bcf7bcd473a266249da7b0548ecaeec9635d32203f880a7ab50fe2b151d6d67810e2cc0001",
            ],
        ),
        (
            mnt(1, 6),
            3,
            [
                P_298[1],
                P_298[0],
                "1",
                "df94b3a10ace4c868d35ee98b8b1cd454f1a1f292d2362035024095209870c0f7ffbbf096e99fb6a637b933124e28403e0b413f4d65a5b22e7f6194104081d31771efd4719dec00000000",
            ],
        ),
    ]
}

#[test]
fn seeds_give_the_published_numbers() {
    for (i, (numbers, e, [p, r, h1, h2])) in published().into_iter().enumerate() {
        let numbers = numbers.unwrap();
        assert_eq!((&numbers.p, &numbers.r), (&hex(p), &hex(r)));
        assert_eq!(numbers.cofactor(), Some(hex(h1)), "{p}");
        let second = if i < 6 { numbers.sextic_cofactor(e) } else { numbers.quadratic_cofactor(e) };
        assert_eq!(second, Some(hex(h2)), "{p}");
        assert_eq!(numbers.check_primes(), []);
    }
}

/// The cofactors that papers give as polynomials: of BLS12 (draft-irtf-cfrg-pairing-friendly-curves), of BN
/// `p - 1 + t`.
#[test]
fn twists_have_the_orders_of_the_polynomials() {
    for x in (-300..300i64).map(|x| BigInt::from(3 * x + 1)).filter(|x| x.magnitude() > &BigUint::from(2u32))
    {
        let numbers = bls12(&x).unwrap();
        let h2 = polynomial(&x, &[13, -4, -4, 6, -4, 0, 5, -4, 1]) / 9;
        assert_eq!(numbers.sextic_cofactor(2).map(BigInt::from), Some(h2), "{x}");
        let numbers = bn(&x).unwrap();
        let h2 = BigInt::from(numbers.p.clone()) - 1 + &numbers.t;
        assert_eq!(numbers.sextic_cofactor(2).map(BigInt::from), Some(h2), "{x}");
    }
}

/// Curves of the smallest seeds, their points counted one by one.
#[test]
fn toys_have_the_orders_of_the_formulas() {
    let mut seen = 0;
    let seeds = (-20..20i64).filter(|x| *x != 0).map(BigInt::from);
    for numbers in seeds.flat_map(|x| [bls12(&x), bn(&x)]).flatten() {
        if !numbers.check_primes().is_empty() || numbers.p > BigUint::from(1u32 << 15) {
            continue;
        }
        let field = TowerField::prime(numbers.p.clone());
        let order = &numbers.cofactor().unwrap() * &numbers.r;
        let b = rules::coefficient(&field, &order).unwrap();
        let curve = Weierstrass { field, a: Element(vec![0u32.into()]), b };
        assert_eq!(curve.check_cofactor(&numbers.cofactor().unwrap(), &numbers.r), Ok(()), "{numbers:?}");
        let generator = rules::generator(&curve, &numbers.cofactor().unwrap()).unwrap();
        assert_eq!(curve.check_generator(&generator, &numbers.r), Ok(()));
        seen += 1;
    }
    assert!(seen >= 4, "{seen}");
}

#[test]
fn both_traces_of_bw6_make_curves() {
    // Around BLS12-381, found by trying lifts.
    let parameters = Bw6 { x: int("-d201000000010000"), h_t: 7.into(), h_y: 5.into(), t_mod_x_is_zero: true };
    let numbers = bw6(&parameters).unwrap();
    assert_eq!((numbers.p.bits(), &numbers.r), (767, &hex(P_381)));
    assert_eq!(numbers.check_primes(), []);
    assert!(numbers.cofactor().is_some() && numbers.sextic_cofactor(1).is_some());
    assert_eq!(bw6(&Bw6 { h_t: 12.into(), ..bw6_761() }), Err(FamilyError::Parity));
    let absurd = Bw6 { h_y: BigInt::from(1) << 40, ..bw6_761() };
    assert_eq!(bw6(&absurd), Err(FamilyError::LiftTooLarge { name: "h_y" }));
}

/// The generators of BLS12-381 were made by the rule that this project took over.
#[test]
fn rules_give_what_curves_have() {
    let field = TowerField::prime(hex(P_381));
    assert_eq!(rules::nonresidue(&field, &[2]), Some(field.neg(&field.integer(1))));
    let numbers = bls12(&int("-d201000000010000")).unwrap();
    let order = numbers.cofactor().unwrap() * &numbers.r;
    assert_eq!(rules::coefficient(&field, &order), Some(field.integer(4)));
    let below = TowerField { tower: Tower::quadratic(&field.p - 1u32), ..field.clone() };
    let xi = rules::nonresidue(&below, &[2, 3]).unwrap();
    assert_eq!(xi.0, [1u32.into(), 1u32.into()]);
    let curve = |field: &TowerField, b: Element| Weierstrass { field: field.clone(), a: field.integer(0), b };
    let (x, y) = rules::generator(&curve(&field, field.integer(4)), &numbers.cofactor().unwrap()).unwrap();
    assert_eq!(
        [x.0, y.0].concat(),
        [
            hex(
                "17f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb"
            ),
            hex(
                "8b3f481e3aaa0f1a09e30ed741d8ae4fcf5e095d5d00af600db18cb2c04b3edd03cc744a2888ae40caa232946c5e7e1"
            ),
        ]
    );
    let b = below.scale(&xi, &4u32.into());
    assert!(rules::may_have_order(&below, &b, &(numbers.sextic_cofactor(2).unwrap() * &numbers.r)));
    let (x, y) = rules::generator(&curve(&below, b), &numbers.sextic_cofactor(2).unwrap()).unwrap();
    assert_eq!(
        [x.0, y.0].concat(),
        [
            hex(
                "24aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d1770bac0326a805bbefd48056c8c121bdb8"
            ),
            hex(
                "13e02b6052719f607dacd3a088274f65596bd0d09920b61ab5da61bbdc7f5049334cf11213945d57e5ac7d055d042b7e"
            ),
            hex(
                "ce5d527727d6e118cc9cdc6da2e351aadfd9baa8cbdd3a76d429a695160d12c923ac9cc3baca289e193548608b82801"
            ),
            hex(
                "606c4a02ea734cc32acd2b02bc28b99cb3e287e85a763af267492ab572e99ab3f370d275cec1da1aaa9075ff05f79be"
            ),
        ]
    );
}

/// BLS12-377's `b` is the first candidate, 1.
#[test]
fn the_first_coefficient_is_tried() {
    let numbers = bls12(&int("8508c00000000001")).unwrap();
    let order = numbers.cofactor().unwrap() * &numbers.r;
    let field = TowerField::prime(hex(P_377));
    assert_eq!(rules::coefficient(&field, &order), Some(field.integer(1)));
}

/// Constants that lie above the prime field, where Frobenius moves them.
#[test]
fn tables_over_a_level_are_powers() {
    let p = BigUint::from(103u32);
    let field = TowerField { tower: Tower::quadratic(&p - 1u32), p: p.clone() };
    let xi = rules::nonresidue(&field, &[2, 3]).unwrap();
    let Sextic { fq6_c1, fq6_c2, fq12_c1, .. } = Sextic::new(&field, &xi);
    assert_eq!((fq6_c1.len(), fq6_c2.len(), fq12_c1.len()), (6, 6, 12));
    let power = |i: usize, factor: u32, n: u32| field.pow(&xi, &((p.pow(i as u32) - 1u32) * factor / n));
    for i in 0..12 {
        assert_eq!(fq12_c1[i], power(i, 1, 6), "{i}");
        assert!(i >= 6 || (&fq6_c1[i], &fq6_c2[i]) == (&power(i, 1, 3), &power(i, 2, 3)), "{i}");
    }
}

#[test]
fn bad_seeds_are_named() {
    assert_eq!(bls12(&0.into()), Err(FamilyError::SeedIsZero));
    assert_eq!(bn(&(BigInt::from(1) << 5000)), Err(FamilyError::SeedTooLarge { bits: 5001, limit: 1024 }));
    for (x, found, end) in [(3, 0, "and is 0"), (-4, 2, "and is 2; -x is 1")] {
        let fault = bls24(&x.into()).unwrap_err();
        assert_eq!(fault, FamilyError::SeedModulo3 { found });
        assert!(fault.to_string().ends_with(end), "{fault}");
    }
    // 1 + 19·13²/3... of x = 7: r = 2353 = 13·181.
    let faults = bls12(&7.into()).unwrap().check_primes();
    assert!(
        faults.iter().any(|f| f.to_string() == "seed gives no prime r: modulus is not prime: 13 divides it")
    );
    let tiny = bls12(&1.into()).unwrap().check_primes();
    assert!(tiny.iter().all(|f| matches!(f, FamilyError::NotPrime { .. })) && tiny.len() == 2, "{tiny:?}");
    let [p, r] = P_298.map(hex);
    assert_eq!(
        mnt(&p, &r, 6).unwrap_err().to_string(),
        "the embedding degree is not 6: r does not divide p^2 - p + 1"
    );
    assert_eq!(mnt(&p, &(&r >> 1u32), 4), Err(FamilyError::OrderOutsideHasse));
    assert_eq!(mnt(&p, &0u32.into(), 4), Err(FamilyError::OrderOutsideHasse));
}

/// Final exponents by their definition, and Frobenius' constants by powers.
#[test]
fn exponents_and_tables_are_what_they_stand_for() {
    let parameters = bw6_761();
    let numbers = bw6(&parameters).unwrap();
    let xi = Element(vec![&numbers.p - 4u32]);
    let Engine::Bw6 { hard_part: Some(digits), frobenius, .. } =
        Engine::bw6(&parameters, &numbers, Twist::M, &xi)
    else {
        panic!("the trace is 3")
    };
    let value = |digits: &[i8]| digits.iter().rev().fold(BigInt::ZERO, |sum, d| sum * 2 + *d);
    let p = BigInt::from(numbers.p.clone());
    // ePrint 2020/351, Algorithm 6.
    let x = &parameters.x;
    assert_eq!(value(&digits[0]), polynomial(x, &[-220, -263, -73, -314, -197, 269, 70, -103]));
    assert_eq!(value(&digits[1]), polynomial(x, &[229, 34, -181, 452, -65, -445, 492, 77, -276, 103]));
    for (i, c) in frobenius.iter().enumerate() {
        let exponent = (numbers.p.pow(i as u32) - 1u32) / 6u32;
        assert_eq!(c.0[0], xi.0[0].modpow(&exponent, &numbers.p), "{i}");
    }
    for (degree, i) in [(4, 0), (6, 1)] {
        let numbers = mnt(&hex(P_298[i]), &hex(P_298[1 - i]), degree).unwrap();
        let Engine::Mnt { last: [w0, w1], .. } =
            Engine::mnt(&numbers, degree, &Element(vec![2u32.into()]), &Element(vec![17u32.into()]))
        else {
            panic!("it is")
        };
        let p = BigInt::from(numbers.p.clone());
        let sign = if degree == 4 { 0 } else { -1 };
        assert_eq!((&w0 + &w1 * &p) * BigInt::from(numbers.r), &p * &p + &p * sign + 1);
        assert!(w0.abs() * 2 <= p);
    }
    assert!(value(&digits[0]).abs() * 2 <= p);
}
