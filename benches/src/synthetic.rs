//! Keys of a real circuit's shape, from a seed.
//!
//! Sizes, sparsity and points are those of a key: every point is valid, identities are as
//! frequent as in the real one, coefficients are mostly ±1. The key proves nothing.

use ark_bn254::{Bn254, Fq, Fr};
use ark_ec::pairing::Pairing;
use ark_ec::{AffineRepr, CurveGroup, PrimeGroup};
use ark_ff::{Field, UniformRand, Zero};
use ark_std::rand::{Rng, SeedableRng, rngs::StdRng};
use curvesmith::montgomery::MontgomeryField;
use rayon::prelude::*;
use std::io::{self, Write};

type G1 = <Bn254 as Pairing>::G1;
type G2 = <Bn254 as Pairing>::G2;

/// Sizes of a circuit over BN254.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Wires, the constant one included.
    pub wires: u32,
    /// Public inputs.
    pub public: u32,
    /// Logarithm of the domain's size.
    pub log_domain: u32,
    /// Constraints.
    pub constraints: u32,
    /// Entries of A and B together, those that bind public inputs not included.
    pub coefficients: u32,
    /// Identities among the points A.
    pub identities_a: u32,
    /// Identities among the points B.
    pub identities_b: u32,
}

impl Shape {
    /// SHA-256 of 2048 bits, as circom 2.2.3 compiles circomlib's: a key of 89 MB.
    pub const SHA256_2048: Self = Self {
        wires: 156_811,
        public: 2,
        log_domain: 18,
        constraints: 158_370,
        coefficients: 491_000,
        identities_a: 56_960,
        identities_b: 102_403,
    };
}

/// Writes a `.zkey` of this shape; equal seeds give equal files.
pub fn write_zkey(shape: &Shape, seed: u64, out: &mut impl Write) -> io::Result<()> {
    let mut rng = StdRng::seed_from_u64(seed);
    out.write_all(b"zkey")?;
    for word in [1u32, 10] {
        out.write_all(&word.to_le_bytes())?;
    }
    section(out, 1, &1u32.to_le_bytes())?;
    section(out, 2, &header(shape, &mut rng))?;
    section(out, 3, &g1_points(shape.public + 1, 0, &mut rng))?;
    section(out, 4, &coefficients(shape, &mut rng))?;
    section(out, 5, &g1_points(shape.wires, shape.identities_a, &mut rng))?;
    section(out, 6, &g1_points(shape.wires, shape.identities_b, &mut rng))?;
    section(out, 7, &points::<G2>(shape.wires, shape.identities_b, &mut rng))?;
    section(out, 8, &g1_points(shape.wires - shape.public - 1, 0, &mut rng))?;
    section(out, 9, &g1_points(1 << shape.log_domain, 0, &mut rng))?;
    // No contribution: the hash of the circuit, and their number.
    section(out, 10, &[0; 68])
}

fn section(out: &mut impl Write, id: u32, bytes: &[u8]) -> io::Result<()> {
    out.write_all(&id.to_le_bytes())?;
    out.write_all(&(bytes.len() as u64).to_le_bytes())?;
    out.write_all(bytes)
}

fn header(shape: &Shape, rng: &mut StdRng) -> Vec<u8> {
    use ark_ff::{BigInteger, PrimeField};
    let mut bytes = Vec::new();
    for prime in [Fq::MODULUS, Fr::MODULUS] {
        bytes.extend_from_slice(&32u32.to_le_bytes());
        bytes.extend_from_slice(&prime.to_bytes_le());
    }
    for count in [shape.wires, shape.public, 1 << shape.log_domain] {
        bytes.extend_from_slice(&count.to_le_bytes());
    }
    for g2 in [false, false, true, true, false, true] {
        bytes.extend(if g2 { points::<G2>(1, 0, rng) } else { g1_points(1, 0, rng) });
    }
    bytes
}

fn g1_points(count: u32, identities: u32, rng: &mut StdRng) -> Vec<u8> {
    points::<G1>(count, identities, rng)
}

/// An arithmetic progression of points, with identities at random places.
fn points<G: CurveGroup + PrimeGroup<ScalarField = Fr>>(
    count: u32,
    identities: u32,
    rng: &mut StdRng,
) -> Vec<u8>
where
    G::BaseField: Field<BasePrimeField = Fq>,
{
    let mut identity = vec![false; count as usize];
    let mut left = identities.min(count);
    while left > 0 {
        let place = &mut identity[rng.gen_range(0..count as usize)];
        left -= u32::from(!*place);
        *place = true;
    }
    let step = G::generator() * Fr::rand(rng);
    let start = G::generator() * Fr::rand(rng);
    let chunks: Vec<Vec<u8>> = identity
        .par_chunks(1 << 12)
        .enumerate()
        .map(|(chunk, identity)| {
            let mut point = start + step * Fr::from((chunk as u64) << 12);
            let mut points = Vec::with_capacity(identity.len());
            for _ in identity {
                points.push(point);
                point += step;
            }
            let affine = G::normalize_batch(&points);
            let mut bytes = Vec::new();
            for (point, identity) in affine.iter().zip(identity) {
                let (x, y) = match identity {
                    true => (G::BaseField::zero(), G::BaseField::zero()),
                    false => point.xy().expect("a progression of random start meets no identity"),
                };
                for part in [x, y].iter().flat_map(Field::to_base_prime_field_elements) {
                    part.push_montgomery_le(&mut bytes);
                }
            }
            bytes
        })
        .collect();
    chunks.concat()
}

fn coefficients(shape: &Shape, rng: &mut StdRng) -> Vec<u8> {
    let count = shape.coefficients + shape.public + 1;
    let mut bytes = count.to_le_bytes().to_vec();
    let mut push = |matrix: u32, row: u32, signal: u32, value: Fr| {
        for word in [matrix, row, signal] {
            bytes.extend_from_slice(&word.to_le_bytes());
        }
        // The file holds value·R².
        value.mul_r().push_montgomery_le(&mut bytes);
    };
    for i in 0..shape.coefficients {
        let row = (u64::from(i) * u64::from(shape.constraints) / u64::from(shape.coefficients)) as u32;
        let value = match rng.gen_range(0..8) {
            0 => Fr::from(1u64 << rng.gen_range(1..33)),
            1..4 => -Fr::ONE,
            _ => Fr::ONE,
        };
        push(i % 2, row, rng.gen_range(0..shape.wires), value);
    }
    for signal in 0..=shape.public {
        push(0, shape.constraints + signal, signal, Fr::ONE);
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use curvesmith::bn254;
    use curvesmith::snarkjs::ZkeyFile;

    #[test]
    fn keys_are_valid_and_repeatable() {
        let shape = Shape {
            wires: 300,
            public: 3,
            log_domain: 9,
            constraints: 400,
            coefficients: 1000,
            identities_a: 20,
            identities_b: 299,
        };
        let write = |seed| {
            let mut bytes = Vec::new();
            write_zkey(&shape, seed, &mut bytes).unwrap();
            bytes
        };
        let bytes = write(1);
        assert_eq!(bytes, write(1));
        assert_ne!(bytes, write(2));
        let key = ZkeyFile::from_bytes(bytes).unwrap().read::<bn254::Curve>(false).unwrap();
        assert_eq!(key.b_g2_query.iter().filter(|p| p.is_zero()).count(), 299);
        let last = key.a.row_offsets[404] as usize;
        assert_eq!((key.a.columns[last - 1], key.a.values[last - 1]), (3, Fr::ONE));
    }
}
