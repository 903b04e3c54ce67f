//! Random kernels in four forms that have to agree: as written, as the passes leave them, and as PTX by both
//! emitters on the emulator. Some are run in a fifth, as WGSL on an adapter of wgpu.
//!
//! * [`field`]: chains of field operations through loops and branches, with locals that grow lazily, so that
//!   the placement of reductions and the bounds of locals are exercised for fields with many spare bits, with
//!   one, and with none. Inputs lie near `p`.
//! * [`machine`]: integers near the powers of two where signs and widths change, predicates, memory that a
//!   thread reads and writes at indices that coincide, atomics, barriers and words between lanes, nested
//!   loops with breaks at any depth, and locals whose lives overlap or do not.
//!
//! A program is a function of its seed and of the number of its outermost statements; one that fails is cut
//! to the fewest that still do.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod adapter;
mod coverage;
mod field;
mod machine;
mod scope;

use curvesmith_codegen::fir::interp::Argument;
use curvesmith_codegen::fir::ir::Kernel;
use curvesmith_codegen::fir::print::print;
use curvesmith_tests::four_ways::{FourWays, Inside, checked};

/// A program with what it is run on.
struct Trial {
    kernel: Kernel,
    grid: u32,
    args: Vec<Argument>,
    inside: Option<Inside>,
}

impl Trial {
    fn run(&self, seed: u64) -> Result<Vec<Argument>, String> {
        let forms = FourWays::new(std::slice::from_ref(&self.kernel), checked(seed))?;
        forms.run(self.kernel.desc.name, self.grid, &self.args, self.inside)
    }
}

/// Most outermost statements of a program.
const MOST: usize = 40;

/// Runs the program of a seed, which `write` makes with so many outermost statements at most; panics with the
/// least one that fails.
fn check(seed: u64, write: impl Fn(usize) -> Trial) {
    if write(MOST).run(seed).is_ok() {
        return;
    }
    let least = (0..=MOST).find_map(|most| {
        let trial = write(most);
        trial.run(seed).err().map(|error| (most, error, trial))
    });
    let (most, error, trial) = least.expect("the longest fails");
    panic!("seed {seed}, {most} statements: {error}\n{}", print(&trial.kernel));
}
