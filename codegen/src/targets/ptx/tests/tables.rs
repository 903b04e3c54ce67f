//! Products by constants and with a shared operand: tables of real constants, every shape, operands at
//! the bounds, in the fields that the variants are for.

use super::*;

fn named(name: &str, p: &str) -> FieldDesc {
    FieldDesc::new(name, BigUint::parse_bytes(p.as_bytes(), 16).expect("hexadecimal"))
}

/// Fields of 1 to 24 words: with room, with one spare bit, with none, odd word counts, `p ≡ 1`.
fn table_fields() -> Vec<FieldDesc> {
    let mut all: Vec<FieldDesc> = fields::fields().into_iter().filter(|f| f.words > 1).collect();
    all.retain(|f| !f.name.starts_with("p544") && f.name != "p480");
    all.extend(
        fields::fields().into_iter().filter(|f| ["f13", "babybear", "top32"].contains(&f.name.as_str())),
    );
    let bn462 = {
        // p = 36x⁴ + 36x³ + 24x² + 6x + 1 with x = 2^114 + 2^101 - 2^14 - 1.
        let bit = |e: u32| BigUint::one() << e;
        let x = bit(114) + bit(101) - bit(14) - 1u32;
        x.pow(4) * 36u32 + x.pow(3) * 36u32 + x.pow(2) * 24u32 + &x * 6u32 + 1u32
    };
    assert_eq!(bn462.bits(), 462);
    all.push(FieldDesc::new("bn462_fq", bn462));
    all.push(named(
        "bls12_377_fq",
        "01ae3a4617c510eac63b05c06ca1493b1a22d9f300f5138f1ef3622fba094800170b5d44300000008508c00000000001",
    ));
    all
}

/// Values below a limit: the largest, and those with extreme words.
fn awkward(f: &FieldDesc, limit: &BigUint) -> Vec<BigUint> {
    let max = limit - 1u32;
    let mut values =
        vec![BigUint::zero(), BigUint::one(), max.clone(), &max >> 1u32, &f.p - 1u32, f.r_mod_p()];
    for i in 0..f.words {
        let word = BigUint::from(u32::MAX) << (32 * i);
        values.push(&max ^ (&max & &word));
        values.push(word);
    }
    // Every other word full, from either parity.
    for start in 0..2 {
        values.push((start..f.words).step_by(2).map(|i| BigUint::from(u32::MAX) << (32 * i)).sum());
    }
    values.retain(|x| x < limit);
    values.sort();
    values.dedup();
    values
}

fn constants(f: &FieldDesc) -> Vec<BigUint> {
    let third = &f.p / 3u32;
    [BigUint::one(), &f.p - 1u32, f.r_mod_p(), f.r2() + third].into_iter().map(|c| c % &f.p).collect()
}

fn run_all(f: &FieldDesc, op: &FieldOp, bounds: &[Bound], values: &[Vec<BigUint>]) {
    assert!(check(f, op, bounds, values) > 0, "{} {op:?} {bounds:?}", f.name);
}

#[test]
fn products_by_tables_of_constants() {
    for f in table_fields() {
        let long = f.words > 12;
        let xs = awkward(&f, &f.r());
        for (step, rows) in [(1, 1), (1, 2), (2, 2), (2, 3), (3, 4), (4, 4), (4, 5), (8, 9), (32, 33)] {
            let op = FieldOp::MulTable { step, rows };
            let entries = op.operands(&f) - 1;
            if long && !matches!((step, rows), (1, 2) | (2, 3) | (4, 4)) {
                continue;
            }
            let bounds = [vec![Bound::ANY], vec![Bound::Canonical; entries]].concat();
            let mut values = vec![];
            for w in constants(&f) {
                let entry = |i: usize| (&w << (32 * (rows as usize + step as usize * i))) % &f.p;
                let table: Vec<BigUint> = (0..entries).map(entry).collect();
                for x in &xs {
                    let operands = [vec![x.clone()], table.clone()].concat();
                    // What the definition on words says is the product by the constant.
                    assert_eq!(define(&f, &op, &operands), [x * &w % &f.p], "{} {op:?}", f.name);
                    values.push(operands);
                }
            }
            run_all(&f, &op, &bounds, &values);
            // The largest entries at once, which are the table of no constant.
            let full = |x: &BigUint| [vec![x.clone()], vec![&f.p - 1u32; entries]].concat();
            run_all(&f, &op, &bounds, &xs.iter().map(full).collect::<Vec<_>>());
            if !long {
                let full = |x: &BigUint| [vec![x.clone()], vec![f.r() - 1u32; entries]].concat();
                let any = vec![Bound::ANY; entries + 1];
                run_all(&f, &op, &any, &xs.iter().map(full).collect::<Vec<_>>());
            }
        }
    }
}

#[test]
fn products_by_immediates() {
    for f in table_fields() {
        let xs: Vec<Vec<BigUint>> = awkward(&f, &f.r()).into_iter().map(|x| vec![x]).collect();
        for c in constants(&f) {
            run_all(&f, &FieldOp::MulConst(c), &[Bound::ANY], &xs);
        }
    }
}

#[test]
fn products_with_a_shared_operand() {
    for f in table_fields() {
        for bound in [Bound::Canonical, Bound::ANY] {
            let values = awkward(&f, &bound.limit(&f));
            let n = values.len();
            let tuples: Vec<Vec<BigUint>> = (0..n)
                .flat_map(|i| [n - 1, i * 5 % n].map(|j| (i, j)))
                .map(|(i, j)| [n - 1, i, j, j].map(|k| values[k].clone()).to_vec())
                .collect();
            run_all(&f, &FieldOp::MulShared(3), &[bound; 4], &tuples);
            let two: Vec<_> = tuples.iter().map(|t| t[1..].to_vec()).collect();
            // Unequal bounds: the smaller operand may be either.
            let other = if bound == Bound::ANY { Bound::Canonical } else { Bound::ANY };
            let small = |t: &Vec<BigUint>| t.iter().all(|x| *x < f.p);
            let two: Vec<_> = two.into_iter().filter(small).collect();
            run_all(&f, &FieldOp::MulShared(2), &[bound, other, bound], &two);
        }
    }
}

/// What the schemes promise: a table costs about half of a product, sharing less than one by one,
/// and the bounds of lazy results are those of the schemes.
#[test]
fn bounds_and_costs_of_the_schemes() {
    for f in table_fields().iter().filter(|f| f.words >= 8) {
        let canonical = |op: &FieldOp| choices(f, op, &vec![Bound::Canonical; op.operands(f)]);
        let cheapest = |op: &FieldOp| {
            canonical(op).first().map(|c| c.cost.fma(&Pipes::SM_90)).expect("every op has a variant")
        };
        // Against interleaved rows. Where the rows of reduction cost little (P-256, secp256k1), products by
        // Karatsuba are not much dearer than those by tables.
        let rows = |c: &Choice| ["mul.lazy", "mul.canonical"].contains(&c.variant);
        let product = canonical(&FieldOp::Mul)
            .into_iter()
            .find(rows)
            .expect("every op has a variant")
            .cost
            .fma(&Pipes::SM_90);
        assert!(cheapest(&FieldOp::MulConst(&f.p / 3u32)) * 3 < product * 2, "{}", f.name);
        assert!(cheapest(&FieldOp::MulShared(3)) < 3 * product, "{}", f.name);
        let room = f.r() / &f.p;
        for (step, rows) in [(1u32, 2u32), (2, 3), (2, 2), (4, 4)] {
            let op = FieldOp::MulTable { step, rows };
            let entries = op.operands(f) as u32 - 1;
            let lazy = canonical(&op).into_iter().find(|c| c.variant == "table.lazy");
            let multiples = if step == rows { entries + 1 } else { 2 };
            if room > BigUint::from(multiples) {
                let lazy = lazy.unwrap_or_else(|| panic!("{} {op:?}", f.name));
                assert!(lazy.out.limit(f) <= &f.p * multiples, "{} {op:?}", f.name);
            }
        }
    }
}
