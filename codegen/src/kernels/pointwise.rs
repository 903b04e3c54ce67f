//! Element-wise kernels, one thread an element.

use super::ntt::power;
use crate::declaration::FieldDesc;
use crate::fir::build::{Builder, Fe};
use crate::fir::ir::Kernel;
use curvesmith_abi::Geometry;
use curvesmith_abi::kernels::*;

pub(super) fn kernels(geometry: &Geometry, field: &FieldDesc) -> Vec<Kernel> {
    vec![
        map::<FieldAdd, 2>(geometry, field, ["a", "b"], |[a, b]| a + b),
        map::<FieldSub, 2>(geometry, field, ["a", "b"], |[a, b]| a - b),
        map::<FieldMul, 2>(geometry, field, ["a", "b"], |[a, b]| a * b),
        map::<FieldNeg, 1>(geometry, field, ["a"], |[a]| -a),
        map::<FieldDbl, 1>(geometry, field, ["a"], |[a]| a.dbl()),
        map::<FieldSqr, 1>(geometry, field, ["a"], |[a]| a.sqr()),
        mul_const(geometry, field),
        map::<FieldMulSub, 3>(geometry, field, ["a", "b", "c"], |[a, b, c]| a * b - c),
        scale_powers(geometry, field),
    ]
}

/// `out[i] = f(inputs[i]…)`.
fn map<K: curvesmith_abi::Kernel, const N: usize>(
    geometry: &Geometry,
    field: &FieldDesc,
    inputs: [&str; N],
    f: for<'k> fn([Fe<'k>; N]) -> Fe<'k>,
) -> Kernel {
    let b = Builder::for_field::<K>(geometry, field);
    let i = b.global_index();
    b.return_if(i.ge(b.scalar("n")));
    let result = f(inputs.map(|name| b.buffer(name).field(i)));
    b.buffer("out").set_field(i, result);
    b.finish()
}

fn mul_const(geometry: &Geometry, field: &FieldDesc) -> Kernel {
    let b = Builder::for_field::<FieldMulConst>(geometry, field);
    let i = b.global_index();
    b.return_if(i.ge(b.scalar("n")));
    let c = b.buffer("c").field(b.u32(0));
    b.buffer("out").set_field(i, b.buffer("a").field(i) * c);
    b.finish()
}

fn scale_powers(geometry: &Geometry, field: &FieldDesc) -> Kernel {
    let b = Builder::for_field::<FieldScalePowers>(geometry, field);
    let i = b.global_index();
    b.return_if(i.ge(b.scalar("n")));
    let a = b.buffer("a").field(i);
    let scaled = power(&b, a, b.buffer("base_pows"), b.scalar("start") + i);
    b.buffer("out").set_field(i, scaled);
    b.finish()
}
