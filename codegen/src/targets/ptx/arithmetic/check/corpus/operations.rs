//! The definitions of the operations.

use super::*;

/// Operations in the field of 7, where `1/2^32` is 2: `2·x`, `2·x·y` and `x + 6·y`.
pub(super) fn operations() -> Vec<Entry> {
    let double = |op: FieldOp| {
        let mut b = Builder::new("double");
        let x = b.input("x", 1)[0];
        let (d, _) = b.add(x, x, None, CarryOut::Never);
        b.output("r", vec![d]);
        let steps =
            vec![define(poly([(1, 2)], 0)), sum(Val::Node(2), poly([], 0), vec![once(Fact::Defined(2), -1)])];
        let reason = Reason::Congruent(vec![vec![units(Fact::Defined(2), -1)]]);
        entry(op, 7, b.finish(), 12, steps, reason)
    };
    let product = |op: FieldOp, operands: usize, x: usize, y: usize, outputs: usize| {
        let mut b = Builder::new("product");
        let inputs: Vec<Src> = (0..operands).map(|_| b.input("x", 1)[0]).collect();
        let (x_var, y_var, first) = (x as Var + 1, y as Var + 1, operands as Var + 1);
        let low = b.mul_lo(inputs[x], inputs[y]);
        let (d, _) = b.add(low, low, None, CarryOut::Never);
        (0..outputs).for_each(|_| b.output("r", vec![d]));
        let halves = Halves { low: Val::Node(first), high: Val::Const(0), uses: vec![] };
        let steps = vec![
            Step::Product(vec![x_var, y_var]),
            Step::Inst(Written::Half(halves)),
            define(poly([(first, 2)], 0)),
            sum(Val::Node(first + 1), poly([], 0), vec![once(Fact::Defined(first + 1), -1)]),
        ];
        let reason = Reason::Congruent(vec![vec![units(Fact::Defined(first + 1), -1)]; outputs]);
        let mut entry = entry(op, 7, b.finish(), 72, steps, reason);
        entry.operands = vec![Bound::Canonical; operands];
        entry.bounds = vec![obvious(); outputs];
        entry
    };
    let six = |op: FieldOp| {
        let mut b = Builder::new("six");
        let two = op == FieldOp::Sub;
        let x = b.input("x", 1)[0];
        let y = if two { b.input("y", 1)[0] } else { x };
        let var = if two { 3 } else { 2 };
        let low = b.mul_lo(Src::Imm(6), y);
        let (d, _) = b.add(if two { x } else { Src::Imm(0) }, low, None, CarryOut::Never);
        b.output("r", vec![d]);
        let halves =
            Halves { low: Val::Node(var), high: Val::Const(0), uses: vec![once(Fact::Defined(var), -1)] };
        let steps = vec![
            define(poly([(var - 1, 6)], 0)),
            Step::Inst(Written::Half(halves)),
            define(if two { poly([(1, 1), (var, 1)], 0) } else { poly([(var, 1)], 0) }),
            sum(Val::Node(var + 1), poly([], 0), vec![once(Fact::Defined(var + 1), -1)]),
        ];
        let uses = vec![units(Fact::Defined(var), -1), units(Fact::Defined(var + 1), -1)];
        let mut entry = entry(op, 7, b.finish(), 42, steps, Reason::Congruent(vec![uses]));
        entry.operands = vec![Bound::Canonical; 1 + usize::from(two)];
        entry
    };
    let plus = |op: FieldOp| {
        let mut b = Builder::new("plus");
        let (x, y) = (b.input("x", 1)[0], b.input("y", 1)[0]);
        let (d, _) = b.add(x, y, None, CarryOut::Never);
        b.output("r", vec![d]);
        let steps = vec![
            define(poly([(1, 1), (2, 1)], 0)),
            sum(Val::Node(3), poly([], 0), vec![once(Fact::Defined(3), -1)]),
        ];
        let reason = Reason::Congruent(vec![vec![units(Fact::Defined(3), -1)]]);
        let mut entry = entry(op, 7, b.finish(), 12, steps, reason);
        entry.operands = vec![Bound::Canonical; 2];
        entry
    };
    // `2x + y` for two operands.
    let twice_and = |op: FieldOp| {
        let mut b = Builder::new("twice_and");
        let (x, y) = (b.input("x", 1)[0], b.input("y", 1)[0]);
        let (twice, _) = b.add(x, x, None, CarryOut::Never);
        let (d, _) = b.add(twice, y, None, CarryOut::Never);
        b.output("r", vec![d]);
        let defined = |var: Var| sum(Val::Node(var), poly([], 0), vec![once(Fact::Defined(var), -1)]);
        let steps =
            vec![define(poly([(1, 2)], 0)), defined(3), define(poly([(3, 1), (2, 1)], 0)), defined(4)];
        let reason = Reason::Congruent(vec![vec![units(Fact::Defined(3), -1), units(Fact::Defined(4), -1)]]);
        let mut entry = entry(op, 7, b.finish(), 18, steps, reason);
        entry.operands = vec![Bound::Canonical; 2];
        entry
    };
    // With x = (1, 2), y = (3, 4): `2·x0·y0 + 6·x1·y1` and `2·(x0·y1 + x1·y0)`, operands after these not
    // read.
    let quadratic = |terms: usize, nonresidue: i32| {
        let mut b = Builder::new("quadratic");
        let inputs: Vec<Src> = (0..4 * terms).map(|_| b.input("x", 1)[0]).collect();
        let pairs = [(0, 2), (1, 3), (0, 3), (1, 2)];
        let [first, second, third, fourth] = pairs.map(|(x, y)| b.mul_lo(inputs[x], inputs[y]));
        let six = b.mul_lo(Src::Imm(6), second);
        let (two, _) = b.add(first, first, None, CarryOut::Never);
        let (real, _) = b.add(two, six, None, CarryOut::Never);
        let (crossed, _) = b.add(third, fourth, None, CarryOut::Never);
        let (imaginary, _) = b.add(crossed, crossed, None, CarryOut::Never);
        b.output("c0", vec![real]);
        b.output("c1", vec![imaginary]);
        let product = |k: usize| 4 * terms as Var + 1 + k as Var;
        let (next, mut steps) = (product(4), vec![]);
        for (k, (x, y)) in pairs.into_iter().enumerate() {
            let halves = Halves { low: Val::Node(product(k)), high: Val::Const(0), uses: vec![] };
            steps
                .extend([Step::Product(vec![x as Var + 1, y as Var + 1]), Step::Inst(Written::Half(halves))]);
        }
        let defined = |var: Var| vec![once(Fact::Defined(var), -1)];
        let halves = Halves { low: Val::Node(next), high: Val::Const(0), uses: defined(next) };
        steps.extend([define(poly([(product(1), 6)], 0)), Step::Inst(Written::Half(halves))]);
        let values = [
            poly([(product(0), 2)], 0),
            poly([(next, 1), (next + 1, 1)], 0),
            poly([(product(2), 1), (product(3), 1)], 0),
            poly([(next + 3, 2)], 0),
        ];
        for (var, value) in (next + 1..).zip(values) {
            steps.extend([define(value), sum(Val::Node(var), poly([], 0), defined(var))]);
        }
        let real = [next, next + 1, next + 2].map(|var| units(Fact::Defined(var), -1));
        let imaginary = [units(Fact::Defined(next + 3), -2), units(Fact::Defined(next + 4), -1)];
        let reason = Reason::Congruent(vec![real.to_vec(), imaginary.to_vec()]);
        let op = FieldOp::DotFq2 { terms, nonresidue };
        let mut entry = entry(op, 7, b.finish(), 288, steps, reason);
        entry.operands = vec![Bound::Canonical; 4 * terms];
        entry.bounds = vec![obvious(); 2];
        entry
    };
    let mut all = vec![
        quadratic(1, 3),
        quadratic(1, -4),
        quadratic(1, 4).wrong("another nonresidue"),
        quadratic(1, -3).wrong("a nonresidue of the other sign"),
        quadratic(2, 3).wrong("one product for two in an extension"),
        double(FieldOp::Dbl),
        double(FieldOp::FromMont),
        double(FieldOp::MulSmall(2)),
        double(FieldOp::MulConst(2u32.into())),
        twice_and(FieldOp::Add).wrong("an operand of a sum twice"),
        six(FieldOp::Sub),
        six(FieldOp::Neg),
        plus(FieldOp::Add),
        product(FieldOp::Mul, 2, 0, 1, 1),
        product(FieldOp::Sqr, 1, 0, 0, 1),
        product(FieldOp::Dot(1), 2, 0, 1, 1),
        product(FieldOp::MulShared(1), 2, 0, 1, 1),
        product(FieldOp::MulTable { step: 1, rows: 1 }, 2, 0, 1, 1),
        double(FieldOp::MulSmall(3)).wrong("two for three"),
        double(FieldOp::ReduceFull).wrong("two for one"),
        plus(FieldOp::Sub).wrong("a sum for a difference"),
        plus(FieldOp::Mul).wrong("a sum for a product"),
        product(FieldOp::MulTable { step: 1, rows: 2 }, 2, 0, 1, 1).wrong("a row too few"),
        product(FieldOp::Dot(2), 4, 0, 1, 1).wrong("one product for two"),
        product(FieldOp::MulShared(2), 3, 0, 2, 2).wrong("one of two products twice"),
    ];
    let mut exchanged = quadratic(1, 3);
    exchanged.block.outputs.swap(0, 1);
    all.push(exchanged.wrong("coordinates in the other order"));
    let mut tight = plus(FieldOp::Add);
    tight.out = Bound::Units(12);
    all.push(tight.wrong("a bound that is one too small"));
    let mut unused = plus(FieldOp::Add);
    unused.certificate.reason = Reason::Congruent(vec![vec![]]);
    all.push(unused.wrong("a definition without its equation"));
    let mut none = plus(FieldOp::Add);
    none.certificate.reason = Reason::Congruent(vec![]);
    all.push(none.wrong("no definition"));
    let mut left = plus(FieldOp::Add);
    left.bounds = vec![];
    all.push(left.wrong("no bound"));
    let less = |asked: &[Bound], most: u64| {
        let asked = Some(asked.to_vec());
        let bounds = vec![by([units(Fact::Defined(3), -1)])];
        Entry { asked, out: Bound::Units(most + 1), bounds, ..plus(FieldOp::Add) }
    };
    all.push(less(&[Bound::Units(3); 2], 4));
    all.push(less(&[Bound::Units(3); 2], 3).wrong("a bound that is one too small for these operands"));
    all.push(less(&[Bound::Units(8); 2], 14).wrong("more operands than those of the claim"));
    all.push(less(&[Bound::Units(3)], 12).wrong("a number of operands that is not the claim's"));
    let mut even = plus(FieldOp::Sub);
    // All is equal modulo 2^(32·scale).
    even.p = 2;
    all.push(even.wrong("an even modulus"));
    let mut short = plus(FieldOp::Add);
    short.block.insts.push(Inst::Logic {
        op: Logic::Or,
        d: word(&short.block, 0),
        a: Src::Imm(0),
        b: Src::Imm(0),
    });
    all.push(short.wrong("an instruction that is left out"));
    let mut wide = plus(FieldOp::Add);
    wide.operands = vec![Bound::ANY; 2];
    wide.out = Bound::ANY;
    all.push(wide.wrong("a carry that may be"));
    all
}
