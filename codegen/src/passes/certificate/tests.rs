//! Certificates of all kernels, and mutants of them.

use super::*;
use crate::declaration::{Equation, FieldDesc, GroupDesc, Tower};
use crate::error::PassError;
use crate::fir::build::{Builder, Fe, Handle};
use crate::fir::ir::{Below, Kernel, Op, Type};
use crate::kernels::{constant_kernels, field_kernels, formula_kernels, group_kernels};
use crate::passes::pipeline::tests::calls;
use crate::passes::{Checked, prepare, simplify};
use crate::targets::ptx::{self, Bound, FieldOp, Ptx};
use crate::targets::{Arithmetic, Rules};
use curvesmith_abi::Geometry;
use curvesmith_abi::Kernel as _;
use curvesmith_abi::kernels::{AccumulateLanes, FieldMulSub};
use num_bigint::BigUint;

fn field(name: &str, p: &str) -> FieldDesc {
    FieldDesc::new(name, BigUint::parse_bytes(p.as_bytes(), 16).expect("hexadecimal"))
}

/// One word, no spare bit at two and eight words, one spare bit, the usual ones, and many words.
fn fields() -> Vec<FieldDesc> {
    vec![
        field("toy", "d"),
        field("babybear", "78000001"),
        field("goldilocks", "ffffffff00000001"),
        field("bn254_fq", "30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47"),
        field("bls12_381_fr", "73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001"),
        field("secp256k1_fq", "fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f"),
        field(
            "bls12_377_fq",
            "1ae3a4617c510eac63b05c06ca1493b1a22d9f300f5138f1ef3622fba094800170b5d44300000008508c00000000001",
        ),
    ]
}

fn kernels(base: &FieldDesc) -> Vec<Kernel> {
    let group = GroupDesc {
        name: format!("{}_g1", base.name),
        base: base.clone(),
        tower: Tower::prime(),
        equation: Equation::ShortWeierstrass { a: vec![BigUint::ZERO], b: vec![3u32.into()] },
    };
    let on_lanes = GroupDesc {
        name: format!("{}_g2", base.name),
        tower: Tower::quadratic(&base.p - 2u32),
        equation: Equation::ShortWeierstrass { a: vec![BigUint::ZERO; 2], b: vec![3u32.into(); 2] },
        ..group.clone()
    };
    let mut on_lanes =
        [group_kernels(&Geometry::PTX, &on_lanes).concat(), formula_kernels(&Geometry::PTX, &on_lanes)]
            .concat();
    on_lanes.retain(|kernel| kernel.desc.name == AccumulateLanes::NAME);
    assert_eq!(on_lanes.len(), 1);
    let constant = constant_kernels(&Geometry::PTX, &group.constant_work()).concat();
    let own =
        [group_kernels(&Geometry::PTX, &group).concat(), constant, formula_kernels(&Geometry::PTX, &group)]
            .concat();
    [field_kernels(&Geometry::PTX, base), own, on_lanes, vec![calls(base, 4)]].concat()
}

/// The limit lowered by one unit.
fn lowered(limit: Limit, p: &FieldDesc) -> Limit {
    let units = match limit {
        Limit::Canonical => Bound::Canonical.units(p),
        Limit::Units(units) => units,
    };
    Limit::Units(units - 1)
}

#[test]
fn every_kernel_has_a_certificate_and_no_stronger_one() {
    let mut functions = 0;
    for base in fields() {
        for kernel in kernels(&base) {
            let checked = prepare::<Ptx>(&kernel).expect("the kernel is valid");
            for checked in checked.functions().iter().map(|f| &**f).chain([&checked]) {
                let (kernel, certificate) = (checked.kernel(), checked.certificate());
                assert_eq!(judged(checked, certificate), Ok(()), "{}", kernel.symbol);
                assert_eq!(certificate.to_string().parse(), Ok(certificate.clone()), "{}", kernel.symbol);
                mutate(checked, &base);
                functions += usize::from(kernel.function.is_some());
            }
        }
    }
    assert!(functions >= 5, "{functions}");
}

/// What the checker says of a certificate, about a kernel and what it calls.
fn judged(checked: &Checked<Ptx>, certificate: &Certificate) -> Result<(), PassError> {
    let callees: Vec<&Certificate> = checked.functions().iter().map(|f| f.certificate()).collect();
    check::<Ptx>(checked.kernel(), certificate, &callees)
}

/// The limit raised by one unit.
fn raised(limit: Limit, p: &FieldDesc) -> Limit {
    match limit {
        Limit::Canonical => Limit::Units(Bound::Canonical.units(p) + 1),
        Limit::Units(units) => Limit::Units(units + 1),
    }
}

/// Every claim made stronger by one unit, and every statement made about another variant, is refused.
fn mutate(checked: &Checked<Ptx>, base: &FieldDesc) {
    let certificate = checked.certificate();
    let refused = |mutant: &Certificate, what: &str| {
        assert!(judged(checked, mutant).is_err(), "{}: {what} was believed", checked.kernel().symbol);
    };
    for (i, limit) in certificate.arguments.iter().enumerate() {
        let mut mutant = certificate.clone();
        mutant.arguments[i] = limit.map(|limit| raised(limit, base));
        refused(&mutant, &format!("a larger argument {i}"));
        mutant.arguments[i] = None;
        refused(&mutant, &format!("argument {i} of which nothing is known"));
    }
    for (i, limit) in certificate.results.iter().enumerate() {
        let mut mutant = certificate.clone();
        mutant.results[i] = limit.map(|limit| lowered(limit, base));
        refused(&mutant, &format!("a smaller result {i}"));
    }
    for (v, claim) in certificate.values.iter().enumerate() {
        let Some(claim) = claim else { continue };
        let with = |change: &dyn Fn(&mut Claim)| {
            let mut mutant = certificate.clone();
            change(mutant.values[v].as_mut().expect("it has a claim"));
            mutant
        };
        if let Some(limit) = claim.limit {
            refused(&with(&|c| c.limit = Some(lowered(limit, base))), &format!("v{v} lower"));
            refused(&with(&|c| c.limit = None), &format!("v{v} unbounded"));
        }
        let Some(step) = &claim.step else { continue };
        refused(&with(&|c| c.step = None), &format!("v{v} without a variant"));
        let other = if step.variant == "select" { "add.lazy" } else { "select" };
        refused(
            &with(&|c| c.step.as_mut().expect("it has a step").variant = other.into()),
            &format!("v{v} by another operation"),
        );
        for slack in 0..step.slack.len() {
            refused(
                &with(&|c| c.step.as_mut().expect("it has a step").slack[slack] ^= 1),
                &format!("v{v} with another slack"),
            );
        }
    }
    for (number, invariant) in certificate.loops.iter().enumerate() {
        for (l, limit) in invariant.iter().enumerate() {
            let Some(limit) = limit else { continue };
            let mut mutant = certificate.clone();
            mutant.loops[number][l] = Some(lowered(*limit, base));
            refused(&mutant, &format!("loop {number} with a lower l{l}"));
        }
    }
}

/// An operand bound below what the operand has is refused, and so is one that only the variant's
/// precondition excludes.
#[test]
fn a_variant_cannot_rely_on_what_is_not_so() {
    let base = field("bn254_fq", "30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47");
    let b = Builder::for_field::<FieldMulSub>(&Geometry::PTX, &base);
    let i = b.global_index();
    let sum = b.buffer("a").field(i) + b.buffer("b").field(i);
    b.buffer("out").set_field(i, sum.dbl().dbl() * sum);
    let checked = prepare::<Ptx>(&b.finish()).expect("the kernel is valid");
    let certificate = checked.certificate();
    let mut tried = 0;
    for (v, claim) in certificate.values.iter().enumerate() {
        let Some(step) = claim.as_ref().and_then(|c| c.step.as_ref()) else { continue };
        for operand in 0..step.operands.len() {
            for limit in [lowered(step.operands[operand], &base), Limit::Units(1 << 33)] {
                let mut mutant = certificate.clone();
                let claim = mutant.values[v].as_mut().expect("it has a claim");
                claim.step.as_mut().expect("it has a step").operands[operand] = limit;
                assert!(judged(&checked, &mutant).is_err(), "v{v} relies on {limit}");
                tried += 1;
            }
        }
    }
    assert!(tried >= 6, "{tried}");
}

#[test]
fn a_certificate_of_another_kernel_is_refused() {
    let base = field("toy", "d");
    let all: Vec<_> =
        kernels(&base).iter().map(|k| prepare::<Ptx>(k).expect("the kernel is valid")).collect();
    for own in &all {
        for other in all.iter().filter(|other| other.certificate() != own.certificate()) {
            let (symbol, of) = (&own.kernel().symbol, &other.kernel().symbol);
            assert!(judged(own, other.certificate()).is_err(), "{symbol} by that of {of}");
        }
    }
}

/// Every variant that is on offer, for operands at all bounds of toy fields and at quarters of `p` up
/// to `R` of others, has a rule; its preconditions hold, and its least limit is the one offered. With
/// the exhaustive runs of the same variants this makes the rules exact.
#[test]
fn rules_are_those_of_the_variants_on_offer() {
    let mut offers = 0;
    for f in fields() {
        let numbers = Ptx::rules(&f);
        let mut bounds = vec![Bound::Canonical, Bound::ANY];
        let quarters = |k: u32| Bound::below(&f, &(&f.p * k / 4u32));
        bounds.extend([5, 8, 9, 13, 17, 22, 33].into_iter().filter_map(quarters));
        let ops = [
            vec![
                FieldOp::Add,
                FieldOp::Sub,
                FieldOp::Neg,
                FieldOp::Dbl,
                FieldOp::Mul,
                FieldOp::Sqr,
                FieldOp::FromMont,
            ],
            [0, 1, 2, 3, 8, 13, u32::MAX].map(FieldOp::MulSmall).to_vec(),
            [BigUint::from(2u32), &f.p - 1u32].map(FieldOp::MulConst).to_vec(),
            [1, 2, 3, 5].map(FieldOp::Dot).to_vec(),
            [1, 2, 3, 5].map(FieldOp::MulShared).to_vec(),
            [(1, -1), (1, 5), (2, -5), (3, 16)]
                .map(|(terms, nonresidue)| FieldOp::DotFq2 { terms, nonresidue })
                .to_vec(),
            [(1, 1), (1, 2), (2, 3), (4, 4)].map(|(step, rows)| FieldOp::MulTable { step, rows }).to_vec(),
            vec![FieldOp::ReduceFull, FieldOp::ReduceWeak, FieldOp::IsZero, FieldOp::MaybeZero],
        ];
        for limb in ops.concat() {
            for (i, x) in bounds.iter().enumerate() {
                for y in &bounds[if limb.operands(&f) > 1 { 0 } else { bounds.len() - 1 }..] {
                    let operands: Vec<Bound> =
                        (0..limb.operands(&f)).map(|k| if k % 2 == 0 { *x } else { *y }).collect();
                    let maxima: Vec<BigUint> = operands.iter().map(|b| b.max(&f)).collect();
                    for choice in ptx::choices(&f, &limb, &operands) {
                        let what = format!("{} {} of {operands:?} {i}", f.name, choice.variant);
                        let outcome = numbers.outcome(&limb, choice.variant, &maxima).expect(&what);
                        for (left, right) in &outcome.conditions {
                            assert!(left <= right, "{what}");
                        }
                        let least = outcome.max.and_then(|max| Bound::up_to(&f, &max));
                        assert!(least.is_none_or(|b| b == choice.out), "{what}: {least:?} {:?}", choice.out);
                        offers += 1;
                    }
                }
            }
        }
    }
    assert!(offers > 4000, "{offers}");
}

/// Three products for four ask that sums of operands fit, and their products too.
#[test]
fn products_of_sums_have_preconditions() {
    let base = field("bn254_fq", "30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47");
    let numbers = Ptx::rules(&base);
    let holds = |terms: usize, operands: [u32; 4]| {
        let op = FieldOp::DotFq2 { terms, nonresidue: -1 };
        let x: Vec<BigUint> = (0..terms).flat_map(|_| operands).map(|k| &base.p * k - 1u32).collect();
        let outcome = numbers.outcome(&op, "dot_fq2.u.m.canonical", &x).expect("it has a rule");
        outcome.conditions.iter().all(|(left, right)| left <= right)
    };
    // R is 5.3 times the modulus.
    assert!(holds(1, [2, 3, 2, 3]) && holds(1, [1, 4, 4, 1]));
    assert!(!holds(1, [2, 4, 1, 1]) && !holds(1, [1, 1, 5, 1]));
    assert!(holds(2, [1, 2, 2, 2]) && !holds(2, [2, 2, 2, 2]) && !holds(2, [2, 3, 2, 2]));
    let unknown = |variant: &str| {
        let op = FieldOp::DotFq2 { terms: 1, nonresidue: -1 };
        numbers.outcome(&op, variant, &vec![BigUint::from(1u32); 4]).is_none()
    };
    assert!(unknown("dot_fq2.v.m.lazy") && unknown("dot_fq2.u.m2.lazy") && unknown("dot_fq2.lazy"));
}

/// Words of what is not under their bound, and elements that are claimed to be under less than their words.
#[test]
fn words_are_under_their_bound() {
    for base in fields().into_iter().filter(|base| Below(2).fits(base)) {
        let below = Below(4).fit(&base);
        let b = Builder::for_field::<FieldMulSub>(&Geometry::PTX, &base);
        let i = b.global_index();
        let [x, y, z] = ["a", "b", "c"].map(|name| b.buffer(name).field(i));
        // Nothing but the bound of the words asks for a reduction of the sum.
        let other = b.from_words_below(&((x * y).dbl() + z).words_below(below), below);
        b.buffer("out").set_field(i, other * y);
        let checked = prepare::<Ptx>(&b.finish()).expect("the kernel is valid");
        let (mut kernel, certificate) = (checked.kernel().clone(), checked.certificate());
        assert_eq!(check::<Ptx>(&kernel, certificate, &[]), Ok(()), "{}", base.name);
        let (mut words, mut made) = (0, 0);
        for v in kernel.values() {
            let op = kernel[v].clone();
            match &op {
                Op::Word(a, i, b) if *b == below => kernel[v] = Op::Word(*a, *i, Below(1)),
                Op::FromWords(w, b) if *b == below => {
                    kernel[v] = Op::FromWords(w.clone(), Below(below.0 + 1))
                }
                _ => continue,
            }
            let refused = check::<Ptx>(&kernel, certificate, &[]).is_err();
            assert!(refused, "{}: {op:?} under the bound of {:?} is believed", base.name, kernel[v]);
            *(if matches!(op, Op::Word(..)) { &mut words } else { &mut made }) += 1;
            kernel[v] = op;
        }
        assert_eq!((words, made), (base.words, 1), "{}", base.name);
    }
}

/// A loop that doubles: the invariant is needed, and only an inductive one is believed.
#[test]
fn a_local_that_grows_in_its_loop_is_found() {
    let base = field("toy", "1fff");
    let b = Builder::for_field::<FieldMulSub>(&Geometry::PTX, &base);
    let (i, n) = (b.global_index(), b.scalar("n"));
    let acc = b.var(b.buffer("a").field(i));
    b.for_(b.u32(0), n, 1, |_| acc.set(acc.get().dbl() + b.buffer("b").field(i)));
    b.buffer("out").set_field(i, acc.get());
    let checked = prepare::<Ptx>(&simplify(&b.finish())).expect("the kernel is valid");
    let (kernel, certificate) = (checked.kernel(), checked.certificate());
    assert_eq!(certificate.loops.len(), 1);
    let local = kernel.locals.iter().position(|l| l.ty == Type::Field).expect("there is an accumulator");
    let Some(limit) = certificate.loops[0][local] else { panic!("the accumulator has no invariant") };
    let mut mutant = certificate.clone();
    mutant.loops[0][local] = Some(Limit::Units(8191));
    assert_eq!(judged(&checked, &mutant).is_err(), limit != Limit::Canonical);
    mutant.loops[0][local] = None;
    assert!(judged(&checked, &mutant).is_err(), "nothing is known of a local that is read");
}

/// What a function may be given, and what it gives, is what its own certificate says.
#[test]
fn a_call_relies_on_the_certificate_of_its_function() {
    let base = field("bn254_fq", "30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47");
    let b = Builder::for_field::<FieldMulSub>(&Geometry::PTX, &base);
    let f = b.function("f", &[Type::Field]);
    let x = Fe::wrap(&f, f.arguments()[0]);
    let power = (0..8).fold(x, |power, _| power * x).id();
    let power = b.declare(f.finish_function(&[power]));
    let i = b.global_index();
    // From two places, so that it is called.
    let of = |name: &str| Fe::wrap(&b, b.call(power, &[b.buffer(name).field(i).id()])[0]);
    b.buffer("out").set_field(i, of("a") + of("b"));
    let checked = prepare::<Ptx>(&b.finish()).expect("the kernel is valid");
    let [function] = checked.functions() else { panic!("it is called") };
    let judged = |change: &dyn Fn(&mut Certificate)| {
        let mut callee = function.certificate().clone();
        change(&mut callee);
        check::<Ptx>(checked.kernel(), checked.certificate(), &[&callee])
    };
    assert_eq!(judged(&|_| {}), Ok(()));
    let less = Limit::Units(Bound::Canonical.units(&base) - 1);
    assert!(judged(&|callee| callee.arguments[0] = Some(less)).is_err(), "it is given more");
    assert!(judged(&|callee| callee.arguments[0] = None).is_err(), "it may be given nothing");
    let more = |limit: &mut Option<Limit>| *limit = limit.map(|limit| raised(limit, &base));
    assert!(judged(&|callee| more(&mut callee.results[0])).is_err(), "it gives more");
    assert!(check::<Ptx>(checked.kernel(), checked.certificate(), &[]).is_err(), "it has no certificate");
}
