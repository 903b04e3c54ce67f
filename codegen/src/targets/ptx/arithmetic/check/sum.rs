//! What is known of the variables, and sums of facts: the two ways to conclude.

use std::collections::BTreeMap;

use num_bigint::BigInt;

use super::Refused;
use super::certificate::{Fact, Poly, Proof, Use, Val, Var};
use crate::targets::ptx::arithmetic::ir::Logic;
use crate::targets::ptx::arithmetic::num::{Num, Total};

/// `2^32`.
pub(super) const B: i128 = 1 << 32;

/// How a variable is defined.
pub(super) enum Rule {
    /// A word of an operand, or none.
    Given,
    /// Another name of a polynomial; `true` where it is written out wherever it stands.
    Let(Poly, bool),
    Product(Vec<Var>),
    /// `next variable + sign·2^32·this = value`.
    High(Poly, i128),
    /// Its equation is that of the variable before.
    Low,
    /// `low + sign·2^32·this = value`.
    Quotient(Poly, i128, u32),
    Truth(Poly),
    Logic(Logic, Val, Val),
}

pub(super) struct Variable {
    pub(super) rule: Rule,
    pub(super) least: i128,
    pub(super) most: i128,
}

/// What is known.
pub(super) struct Context {
    pub(super) scale: usize,
    pub(super) vars: Vec<Variable>,
    /// The values of some variables in the case that is looked at.
    pub(super) assumed: Vec<(Var, u32)>,
    /// Words whose sum is at most a number.
    pub(super) bounded: Vec<(Vec<Var>, BigInt)>,
    /// A flag, and a word that is 0 where the flag is.
    pub(super) implied: Vec<(Var, Var)>,
}

/// Up to four variables in ascending order, 0 for none.
type Mono = [Var; 4];

/// `Σ coefficient·variables + Σ limit·sum`, constants apart. Variables are kept as one number, which is
/// quicker to compare.
#[derive(Default)]
pub(super) struct Sum {
    terms: BTreeMap<u128, Num>,
    /// What the largest value of something is multiplied with. That of operands is less in some cases than in
    /// the whole claim.
    limits: BTreeMap<Limit, Sum>,
    constant: Total,
}

/// What has a largest value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Limit {
    Variable(Var),
    Bounded(usize),
}

/// Variables as one number, the first highest.
fn packed(mono: Mono) -> u128 {
    mono.iter().fold(0, |packed, &var| packed << 32 | u128::from(var))
}

fn unpacked(packed: u128) -> Mono {
    [96, 64, 32, 0].map(|at| (packed >> at) as Var)
}

impl Context {
    pub(super) fn var(&self, var: Var) -> Result<&Variable, Refused> {
        self.vars.get(var as usize).filter(|_| var != 0).ok_or(Refused("names what is not defined"))
    }

    /// The range of a word.
    pub(super) fn range(&self, val: Val) -> Result<(i128, i128), Refused> {
        match val {
            Val::Const(c) => Ok((c.into(), c.into())),
            Val::Node(var) => self.var(var).map(|var| (var.least, var.most)),
        }
    }

    /// The range of a polynomial, from those of its variables.
    pub(super) fn interval(&self, poly: &Poly) -> Result<(i128, i128), Refused> {
        const LARGE: Refused = Refused("grows too large");
        let (mut least, mut most) = (poly.constant, poly.constant);
        for &(var, k) in &poly.terms {
            let var = self.var(var)?;
            let ends = [k.checked_mul(var.least).ok_or(LARGE)?, k.checked_mul(var.most).ok_or(LARGE)?];
            least = least.checked_add(ends[0].min(ends[1])).ok_or(LARGE)?;
            most = most.checked_add(ends[0].max(ends[1])).ok_or(LARGE)?;
        }
        Ok((least, most))
    }

    pub(super) fn unit(&self) -> Num {
        Num::power(self.scale)
    }

    /// Shows that what `target` adds, times a number, is not negative: an integer above minus one.
    pub(super) fn not_negative(
        &mut self,
        proof: &Proof,
        target: &dyn Fn(&Context, &mut Sum, &Num) -> Result<(), Refused>,
    ) -> Result<(), Refused> {
        match proof {
            Proof::Cases(var, cases) => {
                let range = self.range(Val::Node(*var))?;
                if range.0 < 0 || range.1 > 1 {
                    return Err(Refused("splits what is no boolean"));
                }
                (0..2u32).try_for_each(|value| {
                    self.assuming(&[(*var, value)], |cx| cx.not_negative(&cases[value as usize], target))
                })
            }
            Proof::Sum(uses) => {
                let mut sum = Sum::new();
                target(self, &mut sum, &self.unit())?;
                sum.without(self, uses, true)?;
                sum.concludes(self, BigInt::ZERO)
            }
        }
    }

    /// With the values of some variables given.
    pub(super) fn assuming<T>(
        &mut self,
        values: &[(Var, u32)],
        then: impl FnOnce(&mut Self) -> Result<T, Refused>,
    ) -> Result<T, Refused> {
        let before = self.assumed.len();
        self.assumed.extend(values);
        let result = then(self);
        self.assumed.truncate(before);
        result
    }

    /// The only value that a variable can have.
    fn value(&self, var: Var) -> Result<Option<i128>, Refused> {
        if let Some(&(_, value)) = self.assumed.iter().find(|(other, _)| *other == var) {
            return Ok(Some(value.into()));
        }
        let known = self.var(var)?;
        Ok((known.least == known.most).then_some(known.least))
    }

    fn largest(&self, of: Limit) -> Result<Num, Refused> {
        match of {
            Limit::Variable(var) => Ok(self.var(var)?.most.into()),
            Limit::Bounded(index) => match self.bounded.get(index) {
                Some((_, max)) => Ok(max.clone().into()),
                None => Err(Refused("uses a fact that is none")),
            },
        }
    }

    fn constant(&self, val: Val) -> Result<u32, Refused> {
        let value = match val {
            Val::Const(c) => Some(c),
            Val::Node(var) => self.value(var)?.and_then(|value| u32::try_from(value).ok()),
        };
        value.ok_or(Refused("computes with what is not known"))
    }
}

/// A bitwise operation on constants.
pub(super) fn compute(op: Logic, a: u32, b: u32) -> u32 {
    match op {
        Logic::And => a & b,
        Logic::Or => a | b,
        Logic::Xor => a ^ b,
    }
}

impl Sum {
    pub(super) fn new() -> Sum {
        Sum::default()
    }

    /// Adds `k` times the product of variables.
    pub(super) fn term(&mut self, cx: &Context, vars: &[Var], k: Num) -> Result<(), Refused> {
        if let [var] = *vars {
            return self.one(cx, var, k, &[]);
        }
        self.expand(cx, vars.to_vec(), [0; 4], k)
    }

    /// Adds `k` times a variable and some others.
    fn one(&mut self, cx: &Context, var: Var, k: Num, by: &[Var]) -> Result<(), Refused> {
        if by.is_empty()
            && cx.value(var)?.is_none()
            && !matches!(cx.var(var)?.rule, Rule::Product(_) | Rule::Let(_, true))
        {
            *self.terms.entry(var.into()).or_default() += &k;
            return Ok(());
        }
        self.expand(cx, by.iter().copied().chain([var]).collect(), [0; 4], k)
    }

    /// Adds `k` times some variables that are still to be looked at, times those of `kept`.
    fn expand(
        &mut self,
        cx: &Context,
        mut open: Vec<Var>,
        mut kept: Mono,
        mut k: Num,
    ) -> Result<(), Refused> {
        while let Some(var) = open.pop() {
            if let Some(value) = cx.value(var)? {
                k = k.times(value);
                continue;
            }
            let known = cx.var(var)?;
            match &known.rule {
                Rule::Product(factors) => open.extend(factors),
                Rule::Let(poly, true) => {
                    for &(inner, c) in &poly.terms {
                        let mut open = open.clone();
                        open.push(inner);
                        self.expand(cx, open, kept, k.times(c))?;
                    }
                    k = k.times(poly.constant);
                }
                // A boolean is its own square.
                _ if kept.contains(&var) && known.least >= 0 && known.most <= 1 => {}
                _ => {
                    let free = kept.iter().position(|&var| var == 0).ok_or(Refused("multiplies too much"))?;
                    kept[free] = var;
                }
            }
        }
        if kept == [0; 4] {
            self.constant.add(&k);
        } else if !k.is_zero() {
            kept.sort_unstable();
            *self.terms.entry(packed(kept)).or_default() += &k;
        }
        Ok(())
    }

    /// Adds `k·poly` times some variables.
    pub(super) fn poly(&mut self, cx: &Context, poly: &Poly, k: &Num, by: &[Var]) -> Result<(), Refused> {
        if poly.constant != 0 {
            self.term(cx, by, k.times(poly.constant))?;
        }
        let times = |c| match c {
            1 => k.clone(),
            _ => k.times(c),
        };
        poly.terms.iter().try_for_each(|&(var, c)| self.one(cx, var, times(c), by))
    }

    /// Adds `k·word` times some variables.
    pub(super) fn word(&mut self, cx: &Context, word: Val, k: &Num, by: &[Var]) -> Result<(), Refused> {
        match word {
            Val::Const(c) => self.term(cx, by, k.times(c.into())),
            Val::Node(var) => self.one(cx, var, k.clone(), by),
        }
    }

    /// Adds `k·x·y`.
    pub(super) fn product(&mut self, cx: &Context, x: &Poly, y: &Poly, k: &Num) -> Result<(), Refused> {
        self.poly(cx, y, &k.times(x.constant), &[])?;
        x.terms.iter().try_for_each(|&(var, c)| self.poly(cx, y, &k.times(c), &[var]))
    }

    /// Adds `k·Σ wordsᵢ·2^(32i)`.
    pub(super) fn number(
        &mut self,
        cx: &Context,
        words: impl IntoIterator<Item = Val>,
        mut k: Num,
    ) -> Result<(), Refused> {
        for word in words {
            self.word(cx, word, &k, &[])?;
            k = k << 32;
        }
        Ok(())
    }

    /// Takes off facts. Inequalities may be used where that is said, and then neither a number nor a variable
    /// that they are multiplied with may be negative.
    pub(super) fn without(&mut self, cx: &Context, uses: &[Use], inequalities: bool) -> Result<(), Refused> {
        for Use { fact, times, by } in uses {
            if !matches!(fact, Fact::Defined(_) | Fact::Computed(_) | Fact::Implied(_)) {
                let negative =
                    times.is_negative() || by.iter().any(|&var| cx.var(var).is_ok_and(|v| v.least < 0));
                if negative || !inequalities {
                    return Err(Refused("uses an inequality the wrong way"));
                }
            }
            self.fact(cx, *fact, &-times, by)?;
        }
        Ok(())
    }

    /// Adds `k` times a fact, times some variables.
    fn fact(&mut self, cx: &Context, fact: Fact, k: &Num, by: &[Var]) -> Result<(), Refused> {
        let none = Refused("uses a fact that is none");
        match fact {
            Fact::Defined(x) => {
                let value = match &cx.var(x)?.rule {
                    Rule::Let(value, _) => {
                        self.one(cx, x, k.clone(), by)?;
                        value
                    }
                    Rule::High(value, sign) => {
                        self.one(cx, x, k.times(sign * B), by)?;
                        self.one(cx, x + 1, k.clone(), by)?;
                        value
                    }
                    Rule::Quotient(value, sign, low) => {
                        self.one(cx, x, k.times(sign * B), by)?;
                        self.term(cx, by, k.times((*low).into()))?;
                        value
                    }
                    _ => return Err(none),
                };
                self.poly(cx, value, &-k, by)
            }
            Fact::AtMost(x) => {
                self.limit(cx, Limit::Variable(x), k, by)?;
                self.one(cx, x, -k, by)
            }
            Fact::AtLeast(x) => {
                self.term(cx, by, k.times(-cx.var(x)?.least))?;
                self.one(cx, x, k.clone(), by)
            }
            Fact::Holds(x) | Fact::Fails(x) => {
                let Rule::Truth(value) = &cx.var(x)?.rule else { return Err(none) };
                let (least, most) = cx.interval(value)?;
                if fact == Fact::Holds(x) {
                    // value ≥ least·(1 - x)
                    let room = k.times(least.min(0));
                    self.term(cx, by, -&room)?;
                    self.one(cx, x, room, by)?;
                    self.poly(cx, value, k, by)
                } else {
                    // value ≤ -1 + (most + 1)·x
                    self.term(cx, by, -k)?;
                    self.one(cx, x, k.times(most.saturating_add(1).max(0)), by)?;
                    self.poly(cx, value, &-k, by)
                }
            }
            Fact::Both(x) | Fact::Left(x) | Fact::Right(x) | Fact::Computed(x) => {
                let &Rule::Logic(op, a, b) = &cx.var(x)?.rule else { return Err(none) };
                self.bits(cx, (fact, x), (op, a, b), k, by)
            }
            Fact::Bounded(index) => {
                let (words, _) = cx.bounded.get(index).ok_or(none)?;
                self.limit(cx, Limit::Bounded(index), k, by)?;
                let mut weight = -k;
                for &word in words {
                    self.one(cx, word, weight.clone(), by)?;
                    weight = weight << 32;
                }
                Ok(())
            }
            Fact::Implied(index) => {
                let &(flag, word) = cx.implied.get(index).ok_or(none)?;
                self.one(cx, word, k.clone(), by)?;
                let by: Vec<Var> = by.iter().copied().chain([flag]).collect();
                self.one(cx, word, -k, &by)
            }
        }
    }

    /// Adds `k` times the largest value of something, times some variables.
    fn limit(&mut self, cx: &Context, of: Limit, k: &Num, by: &[Var]) -> Result<(), Refused> {
        self.limits.entry(of).or_default().term(cx, by, k.clone())
    }

    /// Adds `k` times what is known of `x = a op b`.
    fn bits(
        &mut self,
        cx: &Context,
        (fact, x): (Fact, Var),
        (op, a, b): (Logic, Val, Val),
        k: &Num,
        by: &[Var],
    ) -> Result<(), Refused> {
        let (of_x, of_a, of_b) = match (fact, op) {
            (Fact::Computed(_), _) => {
                let value = compute(op, cx.constant(a)?, cx.constant(b)?);
                self.term(cx, by, k.times(-i128::from(value)))?;
                (1, 0, 0)
            }
            (Fact::Both(_), _) => (-1, 1, 1),
            (Fact::Left(_), Logic::And) => (-1, 1, 0),
            (Fact::Left(_), Logic::Or) => (1, -1, 0),
            (Fact::Left(_), Logic::Xor) => (1, -1, 1),
            (_, Logic::And) => (-1, 0, 1),
            (_, Logic::Or) => (1, 0, -1),
            (_, Logic::Xor) => (1, 1, -1),
        };
        self.word(cx, Val::Node(x), &k.times(of_x), by)?;
        self.word(cx, a, &k.times(of_a), by)?;
        self.word(cx, b, &k.times(of_b), by)
    }

    /// Shows that this and a number are more than minus one unit.
    pub(super) fn concludes(&self, cx: &Context, more: BigInt) -> Result<(), Refused> {
        let least = self.least(cx)? + more;
        if least > -cx.unit().to_bigint() { Ok(()) } else { Err(Refused("concludes what does not follow")) }
    }

    /// The least value, from the ranges of the variables.
    fn least(&self, cx: &Context) -> Result<BigInt, Refused> {
        let (mut least, mut terms) = (self.constant.clone(), self.terms.clone());
        for (of, sum) in &self.limits {
            let largest = cx.largest(*of)?;
            least.add(&(&largest * &sum.constant.clone().into_bigint().into()));
            for (vars, k) in &sum.terms {
                *terms.entry(*vars).or_default() += &(&largest * k);
            }
        }
        for (vars, mut k) in terms.into_iter().filter(|(_, k)| !k.is_zero()) {
            let mono = unpacked(vars);
            let negative = k.is_negative();
            for &var in mono.iter().filter(|&&var| var != 0) {
                let var = cx.var(var)?;
                if var.least < 0 && mono[2] != 0 {
                    return Err(Refused("multiplies what may be negative"));
                }
                k = k.times(if negative { var.most } else { var.least });
            }
            least.add(&k);
        }
        Ok(least.into_bigint())
    }

    /// Shows that a multiple of `modulus` is left without some equations; zero, if there is none.
    pub(super) fn vanishes(
        mut self,
        cx: &Context,
        uses: &[Use],
        modulus: Option<&BigInt>,
    ) -> Result<(), Refused> {
        self.without(cx, uses, false)?;
        let zero = |k: &Num| modulus.map_or(k.is_zero(), |modulus| k.is_multiple_of(modulus));
        if zero(&self.constant.into_bigint().into()) && self.terms.values().all(zero) {
            Ok(())
        } else {
            Err(Refused("equates what is not shown to be equal"))
        }
    }
}

/// A word as a polynomial.
pub(super) fn poly_of(word: Val) -> Poly {
    match word {
        Val::Const(c) => Poly { terms: Vec::new(), constant: c.into() },
        Val::Node(var) => Poly { terms: vec![(var, 1)], constant: 0 },
    }
}

impl Context {
    /// Whether a variable is defined as `a op b`.
    pub(super) fn is_logic(&self, var: Var, op: Logic, a: Val, b: Val) -> Result<bool, Refused> {
        Ok(match self.var(var)?.rule {
            Rule::Logic(its, x, y) => its == op && ((x, y) == (a, b) || (x, y) == (b, a)),
            _ => false,
        })
    }
}
