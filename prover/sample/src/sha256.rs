//! SHA-256 as constraints, bit by bit (FIPS 180-4).

use ark_ff::PrimeField;
use ark_relations::gr1cs::{
    ConstraintSynthesizer, ConstraintSystemRef, LinearCombination, SynthesisError, Variable,
};
use std::fmt;

/// Knowledge of a message with a public digest, of which each half is an input: a witness of zeros and ones,
/// where [`Chain`](crate::Chain) has large numbers. A block of 512 bits takes some 26 thousand constraints;
/// 2048 bits, five blocks with their padding, fill a domain of 2^17, and 4096 bits one of 2^18, as
/// circomlib's circuit of 158 370 constraints does for 2048.
#[derive(Clone)]
pub struct Sha256 {
    /// What is hashed.
    pub message: Vec<u8>,
}

impl fmt::Debug for Sha256 {
    // The message is the secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sha256").field("bytes", &self.message.len()).finish_non_exhaustive()
    }
}

type Result<T> = std::result::Result<T, SynthesisError>;

impl<F: PrimeField> ConstraintSynthesizer<F> for Sha256 {
    fn generate_constraints(self, cs: ConstraintSystemRef<F>) -> Result<()> {
        let halves = digest(&self.message).map(|half| cs.new_input_variable(|| Ok(F::from(half))));
        let circuit = Circuit { cs };
        let mut bits = Vec::new();
        for byte in &self.message {
            for i in (0..8).rev() {
                bits.push(circuit.bit(byte >> i & 1 == 1)?);
            }
        }
        let padding = padding(self.message.len());
        bits.extend(
            padding.iter().flat_map(|byte| (0..8).rev().map(move |i| Bit::Constant(byte >> i & 1 == 1))),
        );
        let mut state = INITIAL.map(constant);
        for block in bits.chunks_exact(512) {
            state = circuit.compress(state, block)?;
        }
        for (half, words) in halves.into_iter().zip(state.chunks_exact(4)) {
            let mut sum = LinearCombination::zero();
            for (i, word) in words.iter().rev().enumerate() {
                sum = weighted(sum, word, 32 * i);
            }
            circuit.enforce(sum, Variable::One.into(), half?.into())?;
        }
        Ok(())
    }
}

/// The two halves of a message's digest, as numbers.
fn digest(message: &[u8]) -> [u128; 2] {
    let message = [message, &padding(message.len())].concat();
    let mut state = INITIAL;
    for block in message.chunks_exact(64) {
        let mut w: Vec<u32> =
            block.chunks_exact(4).map(|b| u32::from_be_bytes([b[0], b[1], b[2], b[3]])).collect();
        for i in 16..64 {
            let (x, y) = (w[i - 15], w[i - 2]);
            let s0 = x.rotate_right(7) ^ x.rotate_right(18) ^ x >> 3;
            let s1 = y.rotate_right(17) ^ y.rotate_right(19) ^ y >> 10;
            w.push(s1.wrapping_add(w[i - 7]).wrapping_add(s0).wrapping_add(w[i - 16]));
        }
        let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = state;
        for i in 0..64 {
            let s1 = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
            let t = h.wrapping_add(s1).wrapping_add(e & f ^ !e & g).wrapping_add(ROUND[i]).wrapping_add(w[i]);
            let s0 = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
            let u = s0.wrapping_add(a & b ^ a & c ^ b & c);
            (h, g, f, e, d, c, b, a) = (g, f, e, d.wrapping_add(t), c, b, a, t.wrapping_add(u));
        }
        for (old, new) in state.iter_mut().zip([a, b, c, d, e, f, g, h]) {
            *old = old.wrapping_add(new);
        }
    }
    let half = |words: &[u32]| words.iter().fold(0, |sum, word| sum << 32 | u128::from(*word));
    [half(&state[..4]), half(&state[4..])]
}

/// What follows a message of so many bytes.
fn padding(bytes: usize) -> Vec<u8> {
    let mut padding = vec![0x80];
    padding.resize(1 + (119 - bytes % 64) % 64, 0);
    padding.extend((8 * bytes as u64).to_be_bytes());
    padding
}

#[derive(Clone, Copy)]
enum Bit {
    Constant(bool),
    Wire(Variable, bool),
    /// Of a wire of this value.
    Not(Variable, bool),
}

/// The lowest bit first.
type Word = [Bit; 32];

fn constant(word: u32) -> Word {
    std::array::from_fn(|i| Bit::Constant(word >> i & 1 == 1))
}

/// Adds `2^shift` times a word.
fn weighted<F: PrimeField>(sum: LinearCombination<F>, word: &[Bit], shift: usize) -> LinearCombination<F> {
    let weight = |i: usize| F::from(2u64).pow([(shift + i) as u64]);
    word.iter().enumerate().fold(sum, |sum, (i, bit)| sum + (weight(i), &bit.form()))
}

impl Bit {
    fn value(self) -> bool {
        match self {
            Bit::Constant(value) | Bit::Wire(_, value) => value,
            Bit::Not(_, value) => !value,
        }
    }

    fn not(self) -> Bit {
        match self {
            Bit::Constant(value) => Bit::Constant(!value),
            Bit::Wire(wire, value) => Bit::Not(wire, value),
            Bit::Not(wire, value) => Bit::Wire(wire, value),
        }
    }

    fn form<F: PrimeField>(self) -> LinearCombination<F> {
        match self {
            Bit::Constant(false) => LinearCombination::zero(),
            Bit::Constant(true) => Variable::One.into(),
            Bit::Wire(wire, _) => wire.into(),
            Bit::Not(wire, _) => LinearCombination::from(Variable::One) - wire,
        }
    }
}

struct Circuit<F: PrimeField> {
    cs: ConstraintSystemRef<F>,
}

impl<F: PrimeField> Circuit<F> {
    fn enforce(
        &self,
        a: LinearCombination<F>,
        b: LinearCombination<F>,
        c: LinearCombination<F>,
    ) -> Result<()> {
        self.cs.enforce_r1cs_constraint(|| a, || b, || c)
    }

    fn wire(&self, value: bool) -> Result<Bit> {
        Ok(Bit::Wire(self.cs.new_witness_variable(|| Ok(F::from(value)))?, value))
    }

    /// A wire that is 0 or 1.
    fn bit(&self, value: bool) -> Result<Bit> {
        let bit = self.wire(value)?;
        self.enforce(bit.form(), bit.not().form(), LinearCombination::zero())?;
        Ok(bit)
    }

    /// `a ⊕ b = a + b − 2ab`
    fn xor(&self, a: Bit, b: Bit) -> Result<Bit> {
        match (a, b) {
            (Bit::Constant(a), b) => Ok(if a { b.not() } else { b }),
            (a, Bit::Constant(b)) => Ok(if b { a.not() } else { a }),
            _ => {
                let xor = self.wire(a.value() != b.value())?;
                self.enforce(a.form() + a.form(), b.form(), a.form() + b.form() - xor.form())?;
                Ok(xor)
            }
        }
    }

    /// The bit that `condition` chooses: `no + condition·(yes − no)`.
    fn choose(&self, condition: Bit, yes: Bit, no: Bit) -> Result<Bit> {
        let chosen = self.wire(if condition.value() { yes.value() } else { no.value() })?;
        self.enforce(condition.form(), yes.form() - no.form(), chosen.form() - no.form())?;
        Ok(chosen)
    }

    /// What two of three say: `c`, unless `a` and `b` are equal.
    fn majority(&self, a: Bit, b: Bit, c: Bit) -> Result<Bit> {
        let differ = self.xor(a, b)?;
        self.choose(differ, c, a)
    }

    /// The sum of three rotations or, where `shift` says so, two and a shift.
    fn mix(&self, word: &Word, [r, s, t]: [usize; 3], shift: bool) -> Result<Word> {
        self.words(|i| {
            let two = self.xor(word[(i + r) % 32], word[(i + s) % 32])?;
            if shift && i + t >= 32 { Ok(two) } else { self.xor(two, word[(i + t) % 32]) }
        })
    }

    fn words(&self, bit: impl Fn(usize) -> Result<Bit>) -> Result<Word> {
        let mut word = constant(0);
        for (i, out) in word.iter_mut().enumerate() {
            *out = bit(i)?;
        }
        Ok(word)
    }

    /// The sum of at most eight words modulo 2^32.
    fn add(&self, words: &[&Word]) -> Result<Word> {
        let value = |word: &Word| word.iter().rev().fold(0, |sum, bit| sum << 1 | u64::from(bit.value()));
        let total: u64 = words.iter().map(|word| value(word)).sum();
        if words.iter().all(|word| word.iter().all(|bit| matches!(bit, Bit::Constant(_)))) {
            return Ok(constant(total as u32));
        }
        let carries = words.len().next_power_of_two().ilog2() as usize;
        let bits = (0..32 + carries).map(|i| self.bit(total >> i & 1 == 1)).collect::<Result<Vec<_>>>()?;
        let sum = words.iter().fold(LinearCombination::zero(), |sum, word| weighted(sum, &word[..], 0));
        self.enforce(sum, Variable::One.into(), weighted(LinearCombination::zero(), &bits, 0))?;
        Ok(std::array::from_fn(|i| bits[i]))
    }

    fn compress(&self, state: [Word; 8], block: &[Bit]) -> Result<[Word; 8]> {
        let mut w: Vec<Word> =
            block.chunks_exact(32).map(|bits| std::array::from_fn(|i| bits[31 - i])).collect();
        for i in 16..64 {
            let s0 = self.mix(&w[i - 15], [7, 18, 3], true)?;
            let s1 = self.mix(&w[i - 2], [17, 19, 10], true)?;
            w.push(self.add(&[&s1, &w[i - 7], &s0, &w[i - 16]])?);
        }
        let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = state;
        for i in 0..64 {
            let s1 = self.mix(&e, [6, 11, 25], false)?;
            let chosen = self.words(|i| self.choose(e[i], f[i], g[i]))?;
            let s0 = self.mix(&a, [2, 13, 22], false)?;
            let majority = self.words(|i| self.majority(a[i], b[i], c[i]))?;
            let round = constant(ROUND[i]);
            let terms = [&h, &s1, &chosen, &round, &w[i]];
            let next_e = self.add(&[&terms[..], &[&d]].concat())?;
            let next_a = self.add(&[&terms[..], &[&s0, &majority]].concat())?;
            (h, g, f, e, d, c, b, a) = (g, f, e, next_e, c, b, a, next_a);
        }
        let mut next = state;
        for (old, new) in next.iter_mut().zip([a, b, c, d, e, f, g, h]) {
            *old = self.add(&[old, &new])?;
        }
        Ok(next)
    }
}

const INITIAL: [u32; 8] =
    [0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19];

const ROUND: [u32; 64] = [
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
];

#[cfg(test)]
mod tests {
    use super::*;
    use ark_bn254::Fr;
    use curvesmith::{R1cs, Witness, bn254, constraints_of, witness_of};

    fn synthesized(message: &[u8]) -> (R1cs<Fr>, Vec<Fr>) {
        let circuit = Sha256 { message: message.to_vec() };
        let witness: Witness<bn254::Curve> = witness_of(circuit.clone()).unwrap();
        (constraints_of(circuit).unwrap(), witness.values().to_vec())
    }

    /// FIPS 180-4's examples, the empty message, and one as long as a block.
    #[test]
    fn digests_are_the_published_ones() {
        for (message, expected) in [
            (&b""[..], "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            (b"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
            ),
            (&[b'a'; 64], "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"),
        ] {
            let [high, low] = digest(message);
            assert_eq!(format!("{high:032x}{low:032x}"), expected);
            let (constraints, values) = synthesized(message);
            assert_eq!(constraints.first_unsatisfied(&values), None);
            assert_eq!(values[..3], [Fr::from(1u64), Fr::from(high), Fr::from(low)]);
        }
    }

    /// The message determines all that the circuit has beside it.
    #[test]
    fn a_value_that_is_changed_breaks_a_constraint() {
        let (constraints, mut values) = synthesized(b"abc");
        let some = (24 + 3..values.len()).step_by(613).chain([1, 2]);
        for i in some.collect::<Vec<_>>() {
            let right = values[i];
            values[i] = Fr::from(1u64) - right;
            assert_ne!(constraints.first_unsatisfied(&values), None, "value {i}");
            values[i] = right;
        }
    }

    #[test]
    fn two_thousand_bits_fill_a_domain_of_2_17() {
        let (constraints, values) = synthesized(&[7; 256]);
        let rows = constraints.a.row_offsets.len() - 1;
        // No fewer: without one constraint of each bit, values that lead to the digest could be chosen.
        assert_eq!(rows, 126_738);
        let ones = values.iter().filter(|x| **x == Fr::from(1u64)).count();
        assert_eq!(values.iter().filter(|x| **x == Fr::from(0u64)).count() + ones + 2, values.len());
        assert!((0.4..0.55).contains(&(ones as f64 / values.len() as f64)), "{ones} of {}", values.len());
    }
}
