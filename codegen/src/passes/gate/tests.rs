//! What the gate refuses. Each of its parts is the only one that sees its fault.

use super::*;
use crate::declaration::{FieldDesc, FieldOp};
use crate::fir::build::Builder;
use crate::fir::ir::{Op, Stmt};
use crate::kernels::common_kernels;
use crate::passes::{Fact, place_reductions, schedule, simplify};
use crate::targets::portable::{self, Portable};
use crate::targets::ptx::{self, Bound, Ptx};
use crate::targets::simd::{self, Ifma512, Simd};
use curvesmith_abi::Geometry;
use curvesmith_abi::kernels::FieldMulSub;

fn field() -> FieldDesc {
    FieldDesc::new("m61", ((1u64 << 61) - 1).into())
}

/// What all passes make of a kernel of one product and some sums.
fn scheduled() -> (Kernel, KernelInfo<Ptx>) {
    let b = Builder::for_field::<FieldMulSub>(&Geometry::PTX, &field());
    let i = b.global_index();
    let sum = b.buffer("a").field(i) + b.buffer("b").field(i);
    b.buffer("out").set_field(i, sum.dbl().dbl() * sum);
    passed(&b.finish())
}

fn passed(kernel: &Kernel) -> (Kernel, KernelInfo<Ptx>) {
    let (mut kernel, info) = place_reductions(&simplify(kernel), &[]).expect("the kernel is valid");
    schedule(&mut kernel, &info);
    (kernel, info)
}

/// The scheduled kernel with one of its facts changed.
fn with(value: Value, change: impl FnOnce(&mut Fact<Ptx>)) -> Result<(), PassError> {
    let (kernel, mut info) = scheduled();
    change(&mut info.facts[value.0 as usize]);
    check(kernel, info, vec![]).map(drop)
}

/// Values with a program, by their number of operands.
fn computed(kernel: &Kernel, info: &KernelInfo<Ptx>) -> Vec<(Value, usize)> {
    let operands = |v: Value| Some((v, info.facts[v.0 as usize].choice.as_ref()?.1.len()));
    kernel.values().filter_map(operands).collect()
}

fn lowered(bound: Bound) -> Bound {
    Bound::Units(bound.units(&field()) - 1)
}

#[test]
fn what_the_passes_make_goes_through_as_it_is() {
    let (kernel, info) = scheduled();
    assert!(computed(&kernel, &info).len() >= 4);
    let checked = check(kernel.clone(), info.clone(), vec![]).expect("the passes are right");
    assert_eq!((checked.kernel(), checked.info()), (&kernel, &info));
    assert_eq!(certificate::check::<Ptx>(&kernel, checked.certificate(), &[]), Ok(()));
}

#[test]
fn a_malformed_kernel_is_refused() {
    let common = common_kernels(&Geometry::PTX).into_iter().next().expect("there are some");
    for (mut kernel, info) in [passed(&common), scheduled()] {
        kernel.body.push(Stmt::Break);
        let error = check(kernel, info, vec![]).map(drop).expect_err("a break outside a loop");
        assert!(error.to_string().starts_with("malformed kernel: as scheduled: "), "{error}");
    }
}

#[test]
fn facts_of_another_kernel_are_refused() {
    let (kernel, info) = scheduled();
    let mut fewer = info.clone();
    fewer.facts.pop();
    let mut more = info;
    more.locals.push(None);
    for info in [fewer, more] {
        let error = check(kernel.clone(), info, vec![]).map(drop).expect_err("not one fact a value");
        assert_eq!(error.to_string(), "malformed kernel: facts of another kernel");
    }
}

/// The programs are right, and what is said of their operands is not: only the certificate shows it.
#[test]
fn a_bound_that_does_not_hold_is_refused() {
    let (kernel, info) = scheduled();
    let bounds = |result: Result<(), PassError>| matches!(result, Err(PassError::Bounds { .. }));
    let loads: Vec<Value> = kernel.values().filter(|v| matches!(kernel[*v], Op::FromWords(..))).collect();
    assert_eq!(loads.len(), 2);
    for v in loads {
        assert!(bounds(with(v, |fact| fact.bound = fact.bound.map(lowered))), "{v} is loaded with less");
    }
    for (v, operands) in computed(&kernel, &info) {
        for k in 0..operands {
            let narrower = |fact: &mut Fact<Ptx>| {
                let (_, operands) = fact.choice.as_mut().expect("it has a program");
                operands[k] = lowered(operands[k]);
            };
            assert!(bounds(with(v, narrower)), "{v} relies on less than operand {k} has");
        }
    }
}

#[test]
fn a_program_that_gives_more_than_its_bound_is_refused() {
    let (kernel, info) = scheduled();
    for (v, _) in computed(&kernel, &info) {
        let more = |fact: &mut Fact<Ptx>| {
            let (choice, _) = fact.choice.as_mut().expect("it has a program");
            choice.out = Bound::ANY;
        };
        let error = with(v, more).expect_err("its bound says less");
        assert_eq!(error.to_string(), format!("{v}: claims less than its program gives"));
    }
}

/// Certificates know nothing of limbs: that those of an operand are looser than its user was chosen for, only
/// the gate's own comparison sees.
#[test]
fn limbs_that_are_looser_than_a_user_relies_on_are_refused() {
    let kernel = simd::function(&field(), "f", 3, |_, x| {
        let chosen = (x[0] - x[1]).is_zero().select(x[2].dbl(), -x[2]);
        vec![(x[0] - x[1] - x[2].dbl()) * chosen]
    });
    let (kernel, info) =
        place_reductions::<Simd<Ifma512>>(&simplify(&kernel), &[]).expect("the kernel is valid");
    assert!(check(kernel.clone(), info.clone(), vec![]).is_ok());
    let mut relied_on = vec![];
    for v in kernel.values() {
        if let Op::Field(_, operands) = &kernel[v] {
            relied_on.extend(operands);
        }
        if let Op::Select(_, a, b) = &kernel[v] {
            relied_on.extend([a, b]);
        }
    }
    let inner = |v: &&Value| !matches!(kernel[**v], Op::Argument(_));
    assert!(relied_on.iter().filter(inner).count() >= 5);
    for v in relied_on {
        let mut looser = info.clone();
        let fact = &mut looser.facts[v.0 as usize];
        fact.bound = fact.bound.map(|bound| simd::Bound { loose: bound.loose + 99, ..bound });
        let error = check(kernel.clone(), looser, vec![]).map(drop).expect_err("its limbs are looser");
        assert_eq!(error.to_string(), format!("{v}: exceeds what a user relies on"));
    }
}

/// A block of the right shape that gives its first operand back, under the name and bounds of a right one
/// that has been proven before.
#[test]
fn a_wrong_block_is_refused() {
    let (kernel, info) = scheduled();
    assert!(check(kernel.clone(), info.clone(), vec![]).is_ok());
    for (v, _) in computed(&kernel, &info) {
        let wrong = |fact: &mut Fact<Ptx>| {
            let (choice, _) = fact.choice.as_mut().expect("it has a program");
            *choice = choice.with_block(choice.variant, ptx::tests::first_operand(choice.block()));
        };
        match with(v, wrong) {
            Err(PassError::Block { value, variant, .. }) => {
                assert_eq!((value, Some(variant)), (v, info.choice(v).map(|choice| choice.variant)));
            }
            other => panic!("{v} by a copy of its operand: {other:?}"),
        }
    }
}

/// Proofs that are right, but fewer, more, or of something else: another block, or other bounds of the same.
#[test]
fn proofs_of_other_claims_are_refused() {
    let (kernel, info) = scheduled();
    let (values, claims) = super::claims(&kernel, &info);
    let right = || Ptx::prove(&field(), &claims);
    let judge = |proofs| super::proven::<Ptx>(&field(), &values, &claims, proofs).map_err(|e| e.to_string());
    assert_eq!(judge(right()), Ok(()));
    let (mut fewer, mut more) = (right(), right());
    fewer.pop();
    more.extend(fewer.first().cloned());
    let n = claims.len();
    assert_eq!(judge(fewer), Err(format!("malformed kernel: {n} programs and {} proofs", n - 1)));
    assert_eq!(judge(more), Err(format!("malformed kernel: {n} programs and {} proofs", n + 1)));
    for i in 0..n {
        for other in (0..n).filter(|other| claims[*other].seal(&field()) != claims[i].seal(&field())) {
            let mut exchanged = right();
            exchanged[i] = exchanged[other].clone();
            let error = judge(exchanged).expect_err("it is of another claim");
            assert!(error.ends_with("is not proven: the proof is of another claim"), "{error}");
        }
    }
    // The same of another field, and of operands and results that are bounded otherwise.
    let claim = claims.iter().find(|claim| claim.op == FieldOp::Mul).expect("there is a product");
    let narrow = vec![Bound::Canonical; 2];
    let wide = ptx::Choice { out: Bound::ANY, ..claim.choice.clone() };
    let others = [
        Claim { operands: &narrow, ..claim.clone() }.seal(&field()),
        Claim { choice: &wide, ..claim.clone() }.seal(&field()),
        claim.seal(&FieldDesc::new("m61", ((1u64 << 61) - 3).into())),
    ];
    assert!(others.iter().all(|seal| *seal != claim.seal(&field())));
}

/// The gate of another target: what is loaded lazily, what is claimed of an operand, and the program of
/// another operation.
#[test]
fn the_portable_target_has_the_same_gate() {
    let field = FieldDesc::new("m127", ((1u128 << 127) - 1).into());
    let written = portable::function(&field, "f", 2, |_, x| vec![(x[0] + x[1]) * (x[0] - x[1]) + x[0]]);
    let scheduled = || {
        let (mut kernel, info) =
            place_reductions::<Portable>(&simplify(&written), &[]).expect("it is a function");
        schedule(&mut kernel, &info);
        (kernel, info)
    };
    let with = |v: Value, change: &dyn Fn(&mut Fact<Portable>)| {
        let (kernel, mut info) = scheduled();
        change(&mut info.facts[v.0 as usize]);
        check(kernel, info, vec![]).map(drop)
    };
    let (kernel, info) = scheduled();
    let computed: Vec<Value> = kernel.values().filter(|v| info.choice(*v).is_some()).collect();
    let product = computed.iter().find(|v| kernel[**v].field().is_some_and(|(op, _)| op.products() > 0));
    let product = *product.expect("there is a product");
    let wrong = info.choice(product).expect("it is computed").program().clone();
    let mut reduced = 0;
    for v in computed {
        assert!(with(v, &|_| {}).is_ok());
        let choice = info.choice(v).expect("it is computed");
        // As if a reduction had been left out.
        if choice.out == portable::Bound(1) {
            reduced += 1;
            let lazy = |fact: &mut Fact<Portable>| {
                fact.bound = Some(portable::Bound(2));
                fact.choice.as_mut().expect("it is computed").0.out = portable::Bound(2);
            };
            assert!(matches!(with(v, &lazy), Err(PassError::Bounds { .. })), "{v} is taken for canonical");
        } else {
            let less = |fact: &mut Fact<Portable>| fact.bound = Some(portable::Bound(1));
            assert!(matches!(with(v, &less), Err(PassError::Bounds { .. })), "{v} is said to be canonical");
        }
        if v != product && choice.program().inputs == wrong.inputs {
            let other = |fact: &mut Fact<Portable>| {
                let choice = &mut fact.choice.as_mut().expect("it is computed").0;
                *choice = crate::targets::Choice { program: wrong.clone(), ..choice.clone() };
            };
            assert!(matches!(with(v, &other), Err(PassError::Block { .. })), "{v} by a product");
        }
    }
    assert!(reduced > 0);
}
