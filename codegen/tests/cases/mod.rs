//! Tests of every kernel, whatever runs it: the crate that includes this module names a
//! `GEOMETRY`, and a `Machine` with constructors `common()`, `field(&FieldDesc)`, `group(&GroupDesc)`,
//! `constant(&GroupDesc)` for its constant work, and
//! `launch(&self, &KernelDesc, blocks, &mut [Argument])`, which changes buffers in place.

mod common;
mod constant;
mod edwards;
mod field;
pub(crate) mod msm;
mod points;
mod real;
mod rows;
mod toy;

use super::{GEOMETRY, Machine};
use curvesmith_abi::{Kernel, KernelDesc};
use curvesmith_codegen::fir::interp::Argument;

/// Whether larger sizes were asked for, by the environment variable `CURVESMITH_TEST_SIZE`.
fn is_long() -> bool {
    std::env::var("CURVESMITH_TEST_SIZE").is_ok_and(|size| size == "long")
}

/// Words to a buffer argument.
fn buf(words: &[u32]) -> Argument {
    Argument::Buffer(words.to_vec())
}

/// A scalar argument.
fn num(x: usize) -> Argument {
    Argument::U32(x as u32)
}

/// Enough blocks of `K` for `threads` threads.
fn blocks<K: Kernel>(threads: usize) -> usize {
    threads.div_ceil(K::desc(&GEOMETRY).block as usize)
}

impl Machine {
    /// Runs `blocks` blocks of kernel `K` with named arguments; the buffers `results` afterwards.
    fn run<K: Kernel, const N: usize>(
        &self,
        blocks: usize,
        args: &[(&str, Argument)],
        results: [&str; N],
    ) -> [Vec<u32>; N] {
        let desc: KernelDesc = K::desc(&GEOMETRY);
        assert_eq!(args.len(), desc.params.len(), "{}", desc.name);
        let value = |wanted: &str| match args.iter().find(|(name, _)| *name == wanted) {
            Some((_, value)) => value.clone(),
            None => panic!("{}: no argument {wanted}", desc.name),
        };
        let mut args: Vec<Argument> = desc.params.iter().map(|p| value(p.name)).collect();
        if blocks > 0 {
            self.launch(&desc, blocks as u32, &mut args);
        }
        results.map(|wanted| {
            let position = desc.params.iter().position(|p| p.name == wanted);
            match position.map(|i| &args[i]) {
                Some(Argument::Buffer(words)) => words.clone(),
                other => panic!("{}: {wanted} is {other:?}", desc.name),
            }
        })
    }

    /// Like `run`, with enough blocks for `threads` threads, and one result.
    fn run_threads<K: Kernel>(&self, threads: usize, args: &[(&str, Argument)], result: &str) -> Vec<u32> {
        let [words] = self.run::<K, 1>(blocks::<K>(threads), args, [result]);
        words
    }
}

/// xorshift64*: the seed is in the test, so that a failure repeats.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    fn u32(&mut self) -> u32 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32) as u32
    }
    fn below(&mut self, n: u32) -> u32 {
        self.u32() % n
    }
    fn words(&mut self, n: usize) -> Vec<u32> {
        (0..n).map(|_| self.u32()).collect()
    }
}
