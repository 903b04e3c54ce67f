//! Kernels that do one field operation several times in a row.
//!
//! They price an operation in assembled code: with `n` and with one repetition, the difference
//! divided by `n - 1` is what one costs between its like, without loads, stores and the final
//! reduction. They go through the same passes as any kernel and are never launched.

mod variants;

pub use variants::{VariantProbe, variant_probes};

use crate::declaration::{FieldDesc, GroupDesc, Tower};
use crate::fir::build::{Builder, Fe, U32};
use crate::fir::ir::Kernel;
use crate::passes::lower_towers;
use crate::targets::Target;
use crate::targets::ptx::Ptx;
use curvesmith_abi::Geometry;
use curvesmith_abi::Kernel as _;
use curvesmith_abi::kernels::FieldMulSub;
use num_bigint::BigUint;

/// One operation, repeated.
#[derive(Clone, Debug)]
pub struct Probe {
    /// `mul`, `sqr`, `dot2`, `mul_const`, `shared3`, `fq2_mul`, `fq2_mul_dots`.
    pub op: &'static str,
    /// Repetitions.
    pub count: usize,
    /// `probe_<field>_<op>_x<count>`.
    pub kernel: Kernel,
}

/// `mul`, `sqr`, `dot2` (`a·b + c·d`), `mul_const`, `shared3` (three products with an operand in
/// common), each once and several times.
pub fn field_probes(field: &FieldDesc) -> Vec<Probe> {
    let ops: [(_, usize, Step); 5] = [
        ("mul", 1, |_, [a, b, c, d]| [a * b, b, c, d]),
        ("sqr", 1, |_, [a, b, c, d]| [a.sqr(), b, c, d]),
        ("dot2", 2, |_, [a, b, c, d]| [a.builder().dot(&[(a, b), (c, d)]), b, c, d]),
        ("mul_const", 1, |i, [a, b, c, d]| [a.mul_const(&constant(&a.builder().field_desc(), i)), b, c, d]),
        // What was shared is an operand of the next step, so that no step repeats work of another.
        ("shared3", 3, |_, [a, b, c, d]| {
            let [x, y, z] = a.builder().mul_shared(&[a, b, c], d)[..] else { panic!("three products") };
            [x, y, d, z]
        }),
    ];
    let probe =
        |(op, products, step)| repeated(counts(field, products), |count| field_probe(field, op, count, step));
    ops.into_iter().flat_map(probe).collect()
}

/// `fq2_mul` over the quadratic extension of a group of degree 2, and `fq2_mul_dots`, a dot product for each coordinate as where `u² = -1`;
/// none for others.
pub fn extension_probes(group: &GroupDesc) -> Vec<Probe> {
    if group.degree() != 2 {
        return Vec::new();
    }
    // Four products, should the formula be the schoolbook one.
    let ops: [(_, Step2); 2] = [
        ("fq2_mul", |x, y| x * y),
        ("fq2_mul_dots", |x, y| {
            let (b, x, y) = (x.builder(), x.coordinates(), y.coordinates());
            let real = b.dot(&[(x[0], y[0]), (-x[1], y[1])]);
            b.compose(&[real, b.dot(&[(x[0], y[1]), (x[1], y[0])])])
        }),
    ];
    let probe =
        |(op, step)| repeated(counts(&group.base, 4), |count| extension_probe(group, op, count, step));
    ops.into_iter().flat_map(probe).collect()
}

/// Four operands to four.
type Step = for<'k> fn(usize, [Fe<'k>; 4]) -> [Fe<'k>; 4];

/// Two elements of a quadratic extension to one.
type Step2 = for<'k> fn(Fe<'k>, Fe<'k>) -> Fe<'k>;

/// Word products of a chain that stays inline.
const INLINE: usize = 2048;

/// Once, and as often as stays inline, at most four times.
fn counts(field: &FieldDesc, products: usize) -> [usize; 2] {
    let each = products * field.words * field.words;
    [1, (INLINE / each).clamp(2, 4)]
}

/// The probe once and as often as its products stay inline, as far as `counts` go; twice at least.
fn repeated([once, most]: [usize; 2], probe: impl Fn(usize) -> Probe) -> [Probe; 2] {
    let inline = |count: &usize| !Ptx::calls(&probe(*count).kernel);
    [once, (2..=most).rev().find(inline).unwrap_or(2)].map(probe)
}

/// Some constant without structure; another one for each step.
fn constant(field: &FieldDesc, step: usize) -> BigUint {
    (&field.p / 3u32 + field.r2() / 7u32 + step) % &field.p
}

fn field_probe(field: &FieldDesc, op: &'static str, count: usize, step: Step) -> Probe {
    let b = Builder::for_field::<FieldMulSub>(&Geometry::PTX, field);
    let (i, mut values) = operands(&b);
    for n in 0..count {
        values = step(n, values);
    }
    store(&b, i, &values);
    named(b.finish(), field, op, count)
}

fn extension_probe(group: &GroupDesc, op: &'static str, count: usize, step: Step2) -> Probe {
    let b = Builder::new(
        String::new(),
        FieldMulSub::desc(&Geometry::PTX),
        Some(group.base.clone()),
        group.tower.clone(),
    );
    let (i, values) = operands(&b);
    let (mut x, y) = (b.compose(&values[..2]), b.compose(&values[2..]));
    for _ in 0..count {
        x = step(x, y);
    }
    store(&b, i, &x.coordinates());
    // Its products are in line as those of a field.
    let mut kernel = lower_towers::<Ptx>(&b.finish());
    kernel.tower = Tower::prime();
    named(kernel, &group.base, op, count)
}

fn operands(b: &Builder) -> (U32<'_>, [Fe<'_>; 4]) {
    let i = b.global_index();
    (i, ["a", "b", "c", "out"].map(|name| b.buffer(name).field(i)))
}

/// Stores everything that may have changed, so that nothing is dead.
fn store<'k>(b: &'k Builder, i: U32<'k>, values: &[Fe<'k>]) {
    for (n, value) in (0u32..).zip(values) {
        b.buffer("out").set_field(i + n, *value);
    }
}

fn named(mut kernel: Kernel, field: &FieldDesc, op: &'static str, count: usize) -> Probe {
    kernel.symbol = format!("probe_{}_{op}_x{count}", field.name);
    Probe { op, count, kernel }
}
