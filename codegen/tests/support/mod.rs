//! Running kernels on the interpreter, and plain arithmetic to judge them.
#![allow(dead_code, reason = "each test uses a part")]

pub(crate) mod toy;

use curvesmith_codegen::fir::interp::{Argument, launch};
use curvesmith_codegen::fir::ir::Kernel;
use curvesmith_codegen::kernels::{common_kernels, field_kernels, group_kernels};
use curvesmith_codegen::spec::{FieldDesc, GroupDesc};

/// Words to a buffer argument.
pub(crate) fn buf(words: &[u32]) -> Argument {
    Argument::Buffer(words.to_vec())
}

/// A scalar argument.
pub(crate) fn num(x: usize) -> Argument {
    Argument::U32(x as u32)
}

/// Kernels by name.
pub(crate) struct Kernels(Vec<Kernel>);

impl Kernels {
    pub(crate) fn common() -> Self {
        Kernels(common_kernels())
    }
    pub(crate) fn field(field: &FieldDesc) -> Self {
        Kernels(field_kernels(field))
    }
    pub(crate) fn group(group: &GroupDesc) -> Self {
        Kernels(group_kernels(group).concat())
    }

    /// Runs `blocks` blocks with named arguments; the buffer `result` afterwards.
    pub(crate) fn run_blocks(
        &self,
        name: &str,
        blocks: usize,
        args: &[(&str, Argument)],
        result: &str,
    ) -> Vec<u32> {
        let [result] = self.run_for(name, blocks, args, [result]);
        result
    }

    /// Like [`Kernels::run_blocks`], with enough blocks for `threads` threads.
    pub(crate) fn run(
        &self,
        name: &str,
        threads: usize,
        args: &[(&str, Argument)],
        result: &str,
    ) -> Vec<u32> {
        let kernel = self.find(name);
        self.run_blocks(name, threads.div_ceil(kernel.desc.block as usize), args, result)
    }

    /// Like [`Kernels::run_blocks`], for several results.
    pub(crate) fn run_for<const N: usize>(
        &self,
        name: &str,
        blocks: usize,
        args: &[(&str, Argument)],
        results: [&str; N],
    ) -> [Vec<u32>; N] {
        let kernel = self.find(name);
        let find = |wanted: &str| {
            let arg = args.iter().find(|(name, _)| *name == wanted);
            arg.unwrap_or_else(|| panic!("{name}: no argument {wanted}")).1.clone()
        };
        assert_eq!(args.len(), kernel.desc.params.len(), "{name}");
        let mut args: Vec<Argument> = kernel.desc.params.iter().map(|p| find(p.name)).collect();
        launch(kernel, blocks as u32, &mut args).expect("the kernel has a meaning");
        let position = |wanted: &str| {
            let p = kernel.desc.params.iter().position(|p| p.name == wanted);
            p.expect("a parameter")
        };
        let words = |wanted: &str| match &args[position(wanted)] {
            Argument::Buffer(words) => words.clone(),
            other => panic!("{name}: {wanted} is {other:?}"),
        };
        results.map(words)
    }

    fn find(&self, name: &str) -> &Kernel {
        self.0.iter().find(|k| k.desc.name == name).unwrap_or_else(|| panic!("no kernel {name}"))
    }
}

/// xorshift64*: the seed is in the test, so that a failure repeats.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn u32(&mut self) -> u32 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32) as u32
    }
    pub(crate) fn below(&mut self, n: u32) -> u32 {
        self.u32() % n
    }
    pub(crate) fn words(&mut self, n: usize) -> Vec<u32> {
        (0..n).map(|_| self.u32()).collect()
    }
}
