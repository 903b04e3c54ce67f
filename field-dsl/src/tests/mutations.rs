//! Declarations with a fault that nobody thought of: tokens deleted, doubled and swapped, numbers changed.
//!
//! None may panic or take unbounded work, and none may pass unless it is valid by the
//! [oracle](super::oracle).

use super::oracle;
use crate::{check, expand, parse};
use proc_macro2::{Group, Literal, TokenStream, TokenTree};
use std::time::{Duration, Instant};
use syn::parse::Parser;

const FIELD: &str = "
    /// Documented.
    pub mod f {
        p = 433; generator = 5; two_adic_root = 238; small_subgroup = 3^3;
    }";

const CURVES: [&str; 7] = [
    "pub mod toy {
        crate = self::a::b;
        fq = 31 { generator = 3; small_subgroup = 3^1; };
        fr = 7 { generator = 3; };
        fq2 = fq[u] / (u^2 - (-1));
        g1: short_weierstrass over fq { a = 2; b = 5; generator = (16, 17); cofactor = 6; };
        g2: short_weierstrass over fq2 { a = [1, 1]; b = [3, 0]; generator = ([14, 20], [8, 24]); cofactor = 131; };
    }",
    "pub(crate) mod toy {
        fq = 199; fr = 53 { generator = 2; };
        g1: twisted_edwards over fq { a = 2; d = 22; generator = (108, 122,); cofactor = 4; };
        arkworks { fq = a::A; fr = a::B<{ 1 }>; g1 = super::C; };
    }",
    "pub mod toy {
        fq = 199; fr = 53;
        g1: montgomery over fq { a = 117; b = 159; generator = (147, 29); cofactor = 4; };
    }",
    "mod flat {
        fq = 787; fr = 197;
        g1: short_weierstrass over fq { a = 1; b = 0; generator = (472, 33); cofactor = 4; };
        allow(weak_curve);
    }",
    "mod tower {
        fq = 13;
        fr = 97;
        fq2 = fq[u] / (u^2 - 2);
        fq3 = fq[v] / (v^3 - 2);
        fq4 = fq2[w] / (w^2 - [2, 1]);
        fq6 = fq2[v] / (v^3 + [0, -1]);
        fq12 = fq6[w] / (w^2 - [0, 0, 1, 0, 0, 0]);
        g1: short_weierstrass over fq3 {
            a = [2, 9, 8];
            b = [9, 0, 1];
            generator = ([11, 3, 8], [11, 5, 3]);
            cofactor = 22;
        };
        g2: short_weierstrass over fq4 {
            a = [12, 11, 5, 7];
            b = [5, 6, 12, 8];
            generator = ([5, 8, 4, 5], [2, 7, 7, 12]);
            cofactor = 296;
        };
    }",
    "mod smallest_bn {
        family: bn {
            x = 1;
            b = 5;
            fq2_nonresidue = -1;
            fq6_nonresidue = [2, 1];
            twist = d;
            g1_generator = (2, 42);
            g2_generator = ([42, 98], [88, 47]);
            fq { generator = 5; };
            fr { generator = 5; };
        };
        allow(weak_curve);
    }",
    "mod small_mnt6 {
        family: mnt6 { p = 37; r = 31; a = 2; b = 8; fq3_nonresidue = 2; };
        allow(weak_curve);
    }",
];

/// Checks of these are evidence: nothing but errors and their bounded work can be asked for.
const LARGE: [&str; 2] = [
    "mod secp256k1 {
        fq = 0xfffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f;
        fr = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141;
        g1: short_weierstrass over fq {
            a = 0;
            b = 7;
            generator = (
                0x79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798,
                0x483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8,
            );
            cofactor = 1;
        };
    }",
    "mod jubjub {
        fq = 0x73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001 { generator = 7; };
        fr = 0xe7db4ea6533afa906673b0101343b00a6682093ccc81082d0970e5ed6f72cb7 { generator = 6; };
        g1: twisted_edwards over fq {
            a = -1;
            d = 0x2a9318e74bfa2b48f5fd9207e6bd7fd4292d7f6d37579d2601065fd6d6343eb1;
            generator = (
                0x11dafe5d23e1218086a365b99fbf3d3be72f6afd7d1f72623e6b071492d1122b,
                0x1d523cf1ddab1a1793132e78c866c0c33e26ba5cc220fed7cc3f870e59d292aa,
            );
            cofactor = 8;
        };
    }",
];

/// As those, by their families: the second is over a cubic level.
const LARGE_FAMILIES: [&str; 2] = [
    "mod bls12_381 {
        family: bls12 { x = -0xd201000000010000; fr { generator = 7; }; };
    }",
    "mod mnt6_298 {
        family: mnt6 {
            p = 0x3bcf7bcd473a266249da7b0548ecaeec9635cf44194fb494c07925d6ad3bb4334a400000001;
            r = 0x3bcf7bcd473a266249da7b0548ecaeec9635d1330ea41a9e35e51200e12c90cd65a71660001;
            a = 11;
            b = 0xd68c7b1dc5dd042e957b71c44d3d6c24e683fc09b420b1a2d263fde47ddba59463d0c65282;
            fq3_nonresidue = 5;
            fq { generator = 10; };
            fr { generator = 17; small_subgroup = 7^2; };
            g1_generator = (
                0x2a4feee24fd2c69d1d90471b2ba61ed56f9bad79b57e0b4c671392584bdadebc01abbc0447d,
                0x32986c245f6db2f82f4e037bf7afd69cbfcbff07fc25d71e9c75e1b97208a333d73d91d3028,
            );
            g2_generator = (
                [
                    0x34f7320a12b56ce532bccb3b44902cbaa723cd60035ada7404b743ad2e644ad76257e4c6813,
                    0xcf41620baa52eec50e61a70ab5b45f681952e0109340fec84f1b2890aba9b15cac5a0c80fa,
                    0x11f99170e10e326433cccb8032fb48007ca3c4e105cf31b056ac767e2cb01258391bd4917ce,
                ],
                [
                    0x3a65968f03cc64d62ad05c79c415e07ebd38b363ec48309487c0b83e1717a582c1b60fecc91,
                    0xca5e8427e5db1506c1a24cefc2451ab3accaea5db82dcb0c7117cc74402faa5b2c37685c6e,
                    0xf75d2dd88302c9a4ef941307629a1b3e197277d83abb715f647c2e55a27baf782f5c60e7f7,
                ],
            );
        };
    }",
];

/// Bounded work is ten seconds of a processor. The clock is the wall's, and other tests and builds have the
/// machine too.
const LONGEST: Duration = Duration::from_secs(60);

/// What is done with a declaration, in time.
fn in_time<T>(text: &str, judge: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let judged = judge();
    assert!(start.elapsed() < LONGEST, "{:?}: {text}", start.elapsed());
    judged
}

/// xorshift64*
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % n
    }
}

#[derive(Clone, Copy, Debug)]
enum Change {
    Delete,
    Double,
    Swap,
    Number,
}

fn count(tokens: &TokenStream) -> usize {
    let inside = |token: TokenTree| match token {
        TokenTree::Group(group) => 1 + count(&group.stream()),
        _ => 1,
    };
    tokens.clone().into_iter().map(inside).sum()
}

/// The tokens with a change at the one with this index, counted with those in groups.
fn change(
    tokens: TokenStream,
    index: &mut Option<usize>,
    change: Change,
    random: &mut Random,
) -> TokenStream {
    let mut out: Vec<TokenTree> = Vec::new();
    let mut tokens = tokens.into_iter();
    while let Some(token) = tokens.next() {
        match index {
            Some(0) => {
                *index = None;
                match (change, token) {
                    (Change::Delete, _) => {}
                    (Change::Double, token) => out.extend([token.clone(), token]),
                    (Change::Swap, token) => out.extend(tokens.next().into_iter().chain([token])),
                    (Change::Number, token) => out.push(number(token, random)),
                }
            }
            Some(left) => {
                *left -= 1;
                out.push(match token {
                    TokenTree::Group(group) => {
                        let inner = self::change(group.stream(), index, change, random);
                        Group::new(group.delimiter(), inner).into()
                    }
                    other => other,
                });
            }
            None => out.push(token),
        }
    }
    out.into_iter().collect()
}

/// Another number; what is none becomes one.
fn number(token: TokenTree, random: &mut Random) -> TokenTree {
    let text = token.to_string();
    let mut digits: Vec<char> = text.chars().collect();
    let at = random.below(digits.len());
    if !matches!(token, TokenTree::Literal(_)) || !digits[at].is_ascii_digit() {
        return Literal::u64_unsuffixed(random.below(300) as u64).into();
    }
    digits[at] = char::from(b'0' + random.below(10) as u8);
    let text: String = digits.into_iter().collect();
    text.parse::<Literal>().map_or(token, TokenTree::from)
}

fn mutants(text: &str, count_of: usize, seed: u64) -> impl Iterator<Item = (String, TokenStream)> {
    let tokens: TokenStream = text.parse().expect("the declaration has tokens");
    let mut random = Random(seed);
    let places = count(&tokens);
    (0..count_of).map(move |_| {
        let mut tokens = tokens.clone();
        for _ in 0..1 + random.below(2) {
            let kinds = [Change::Delete, Change::Double, Change::Swap, Change::Number, Change::Number];
            let kind = kinds[random.below(kinds.len())];
            tokens = change(tokens, &mut Some(random.below(places)), kind, &mut random);
        }
        (tokens.to_string(), tokens)
    })
}

/// Whether a curve passes; then it is valid, unless it is too large to tell.
fn curve(text: &str, tokens: TokenStream, small: bool) -> bool {
    let checked = in_time(text, || {
        let (declaration, mut errors) = parse::curve.parse2(tokens).ok()?;
        let model = check::curve(&declaration, &mut errors);
        Some((declaration, errors, model))
    });
    let Some((declaration, mut errors, model)) = checked else { return false };
    assert_eq!(model.is_some(), errors.is_empty(), "{text}");
    if let Some(model) = &model {
        if small {
            println!("accepted: {text}");
            oracle::curve(model, declaration.allow_weak);
        }
        return true;
    }
    let items = expand::curve(&declaration, model, &mut errors);
    assert!(syn::parse2::<syn::File>(items).is_ok(), "{text}");
    false
}

fn field(text: &str, tokens: TokenStream) -> bool {
    let Ok((declaration, mut errors)) = parse::field.parse2(tokens) else { return false };
    let model = check::field(&declaration, &mut errors);
    assert_eq!(model.is_some(), errors.is_empty(), "{text}");
    if let Some(model) = &model {
        oracle::field(model);
        return true;
    }
    let items = expand::field(&declaration, model, &mut errors);
    assert!(syn::parse2::<syn::File>(items).is_ok(), "{text}");
    false
}

#[test]
fn the_unchanged_declarations_pass() {
    assert!(field(FIELD, FIELD.parse().expect("tokens")));
    for text in CURVES {
        assert!(curve(text, text.parse().expect("tokens"), true), "{text}");
    }
    for text in LARGE.iter().chain(&LARGE_FAMILIES) {
        assert!(curve(text, text.parse().expect("tokens"), false), "{text}");
    }
}

#[test]
fn mutants_of_small_declarations_are_judged_rightly() {
    let seed = 0x6375_7276_6573;
    let passed = mutants(FIELD, 150, seed).filter(|(text, tokens)| field(text, tokens.clone())).count();
    assert!((1..75).contains(&passed), "{passed} of 150, seed {seed:#x}");
    for text in CURVES {
        let passed =
            mutants(text, 150, seed).filter(|(text, tokens)| curve(text, tokens.clone(), true)).count();
        assert!((1..75).contains(&passed), "{passed} of 150, seed {seed:#x}: {text}");
    }
}

#[test]
fn mutants_of_large_declarations_end() {
    for text in LARGE {
        let passed = mutants(text, 60, 1).filter(|(text, tokens)| curve(text, tokens.clone(), false)).count();
        assert!(passed < 30, "{passed} of 60: {text}");
    }
    for text in LARGE_FAMILIES {
        let passed = mutants(text, 20, 1).filter(|(text, tokens)| curve(text, tokens.clone(), false)).count();
        assert!(passed < 10, "{passed} of 20: {text}");
    }
}
