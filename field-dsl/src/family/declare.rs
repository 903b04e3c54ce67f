//! Families to what could have been declared explicitly.

use super::{Family, Kind, Pairing, Parts};
use crate::ast::{Coordinates, Field, Group, Level, Model, Over, Rule};
use crate::check::coordinates;
use crate::error::{self, Errors, Item};
use crate::known;
use crate::literal::Number;
use curvesmith_codegen::declaration::curve::Weierstrass;
use curvesmith_codegen::declaration::family::{self, Bw6, Engine, FamilyError, Numbers, Twist, rules};
use curvesmith_codegen::declaration::prime;
use curvesmith_codegen::declaration::tower::{Element, TowerField};
use num_bigint::{BigInt, BigUint};
use num_traits::One;
use proc_macro2::Span;

/// The curve that a family and its options are.
struct Solved {
    numbers: Numbers,
    /// Nonresidues of the declared levels.
    nonresidues: Vec<Element>,
    first: Curve,
    second: Curve,
    engine: Option<Engine>,
}

/// A curve and its group.
struct Curve {
    curve: Weierstrass,
    cofactor: BigUint,
    generator: (Coordinates, Coordinates),
}

impl Family {
    /// Everything that it says. Faults are reported, each at the option that has it.
    pub(crate) fn declare(mut self, errors: &mut Errors) -> Parts {
        let solved = if self.faulty { None } else { self.solve(errors) };
        let kind = self.kind;
        let over = [Over::FQ, kind.over_g2()];
        let Some(solved) = solved else {
            let level = |(name, _): &(Over, Over)| Level { name: *name, span: self.span, rule: None };
            let [g1, g2] = over.map(|over| self.no_group(over));
            let levels = kind.levels().iter().map(level).collect();
            return Parts { fq: None, fr: None, levels, g1, g2, pairing: Pairing { kind, engine: None } };
        };
        let [p, r] =
            [(&self.given.p, solved.numbers.p), (&self.given.r, solved.numbers.r)].map(|(given, value)| {
                Number { value: value.into(), span: given.as_ref().map_or(self.seed(), |n| n.span) }
            });
        let levels = kind.levels().iter().zip(&solved.nonresidues);
        let levels = levels.map(|(level, xi)| self.level(level, xi)).collect();
        let [g1, g2] = [(over[0], solved.first), (over[1], solved.second)].map(|(o, c)| self.group(o, c));
        Parts {
            fq: Some(Field { modulus: p, options: self.given.fq.take().unwrap_or_default() }),
            fr: Some(Field { modulus: r, options: self.given.fr.take().unwrap_or_default() }),
            levels,
            g1,
            g2,
            pairing: Pairing { kind, engine: solved.engine },
        }
    }

    /// Where the numbers are from: the seed, or the order of an MNT curve.
    fn seed(&self) -> Span {
        let seed = self.given.x.as_ref().or(self.given.r.as_ref());
        seed.map_or(self.span, |number| number.span)
    }

    fn level(&self, (name, below): &(Over, Over), xi: &Element) -> Level {
        let span = self.nonresidue_span(*name);
        let rule = Rule {
            below: *below,
            below_span: self.span,
            power: name.0 / below.0,
            power_span: self.seed(),
            nonresidue: written(xi, span),
        };
        Level { name: *name, span: self.span, rule: Some(rule) }
    }

    fn group(&self, over: Over, curve: Curve) -> Group {
        let b = self.given.b.as_ref().map_or(self.span, |b| b.span);
        let a = self.given.a.as_ref().map_or(self.span, |a| a.span);
        Group {
            a: Some(written(&curve.curve.a, a)),
            other: Some(written(&curve.curve.b, b)),
            generator: Some(curve.generator),
            cofactor: Some(Number { value: curve.cofactor.into(), span: self.seed() }),
            ..self.no_group(over)
        }
    }

    fn no_group(&self, over: Over) -> Group {
        Group {
            span: self.span,
            model: Model::ShortWeierstrass,
            over,
            over_span: self.span,
            a: None,
            other: None,
            generator: None,
            cofactor: None,
            edwards_form: None,
            constant_work: false,
        }
    }

    /// An option, for messages.
    fn item<'a>(&self, key: &'a str) -> Item<'a> {
        Item { key, of: self.kind.name() }
    }

    fn nonresidue_span(&self, level: Over) -> Span {
        let given = self.given.nonresidues.iter().find(|(name, _)| *name == level);
        given.map_or(self.span, |(_, element)| element.span)
    }

    fn solve(&mut self, errors: &mut Errors) -> Option<Solved> {
        match self.kind {
            Kind::Mnt4 => self.mnt(4, errors),
            Kind::Mnt6 => self.mnt(6, errors),
            _ => self.sextic(errors),
        }
    }

    /// Families whose second curve is a sextic twist.
    fn sextic(&mut self, errors: &mut Errors) -> Option<Solved> {
        let numbers = self.numbers(errors)?;
        let over = self.kind.over_g2();
        let prime = TowerField::prime(numbers.p.clone());
        let cofactors = [("first", numbers.cofactor()), ("second", numbers.sextic_cofactor(over.0))];
        let cofactors =
            cofactors.map(|(which, h)| errors.keep(self.seed(), h.ok_or(FamilyError::NoGroup { which })));
        let b = self.canonical(("b", &self.given.b), &numbers, errors);
        let (top, mut nonresidues) = self.tower(&prime, errors)?;
        // BW6's second curve is over the prime field, below the level that its nonresidue makes.
        let field = if over == Over::FQ { prime.clone() } else { top };
        let xi = match self.kind {
            Kind::Bw6 => nonresidues.first().cloned()?,
            Kind::Bls24 => self.nonresidue(&field, Over(12), over, &[2, 3], errors)?,
            _ => self.nonresidue(&field, Over(6), over, &[2, 3], errors)?,
        };
        let ([Some(h1), Some(h2)], Ok(b)) = (cofactors, b) else { return None };
        let b = self.first_b(&prime, b, &h1, &numbers.r, errors)?;
        let (twist, b2) = self.twist(&field, &b, &xi, &(&h2 * &numbers.r), errors)?;
        nonresidues.truncate(self.kind.levels().len());
        let engine = self.sextic_engine(&numbers, twist, &field, &xi);
        let curve =
            |field: &TowerField, b: Element| Weierstrass { field: field.clone(), a: field.integer(0), b };
        let (given1, given2) = (self.given.g1.take(), self.given.g2.take());
        let first = self.generated(curve(&prime, b), h1, given1, "g1_generator", errors);
        let second = self.generated(curve(&field, b2), h2, given2, "g2_generator", errors);
        Some(Solved { numbers, nonresidues, first: first?, second: second?, engine })
    }

    /// The numbers of the seed, both primes.
    fn numbers(&self, errors: &mut Errors) -> Option<Numbers> {
        let seed = self.given.x.as_ref()?;
        let of_seed: &dyn Fn(&BigInt) -> Result<Numbers, FamilyError> = match self.kind {
            Kind::Bls12 => &family::bls12,
            Kind::Bls24 => &family::bls24,
            Kind::Bn => &family::bn,
            _ => {
                let parameters = self.bw6(errors)?;
                &move |x| family::bw6(&Bw6 { x: x.clone(), ..parameters.clone() })
            }
        };
        let numbers = of_seed(&seed.value);
        let culprit = match &numbers {
            Err(FamilyError::LiftTooLarge { name: "h_y" }) => &self.given.h_y,
            Err(FamilyError::LiftTooLarge { .. } | FamilyError::Parity) => &self.given.h_t,
            _ => &self.given.x,
        };
        let numbers = errors.keep(culprit.as_ref()?.span, numbers)?;
        let faults = numbers.check_primes();
        if faults.is_empty() {
            return Some(numbers);
        }
        let minus = of_seed(&-&seed.value).is_ok_and(|numbers| numbers.check_primes().is_empty());
        let right = if minus { "; -x gives both primes" } else { "" };
        faults.iter().for_each(|fault| errors.push(seed.span, format!("{fault}{right}")));
        None
    }

    fn bw6(&self, errors: &mut Errors) -> Option<Bw6> {
        let given = &self.given;
        let t_mod_x = given.t_mod_x.as_ref()?;
        let t_mod_x_is_zero = match t_mod_x.value.clone() {
            zero if zero == BigInt::ZERO => true,
            three if three == 3.into() => false,
            _ => {
                errors.push(t_mod_x.span, error::T_MOD_X);
                return None;
            }
        };
        let value = |number: &Option<Number>| number.as_ref().map(|n| n.value.clone());
        Some(Bw6 { x: value(&given.x)?, h_t: value(&given.h_t)?, h_y: value(&given.h_y)?, t_mod_x_is_zero })
    }

    /// A given residue; `Err` after reporting that it is none.
    fn canonical(
        &self,
        (key, number): (&str, &Option<Number>),
        numbers: &Numbers,
        errors: &mut Errors,
    ) -> Result<Option<Element>, ()> {
        let Some(number) = number else { return Ok(None) };
        let value = errors.keep(number.span, number.canonical(&numbers.p, self.item(key))).ok_or(())?;
        Ok(Some(Element(vec![value])))
    }

    /// The field at the top of the declared levels, and their nonresidues.
    fn tower(&self, prime: &TowerField, errors: &mut Errors) -> Option<(TowerField, Vec<Element>)> {
        let mut field = prime.clone();
        let mut nonresidues = Vec::new();
        for (name, below) in self.kind.levels() {
            // Levels by a cube root have a quadratic one by the same nonresidue's root above them.
            let power = name.0 / below.0;
            let degrees: &[usize] = if power == 3 { &[2, 3] } else { &[2] };
            let xi = self.nonresidue(&field, *name, *below, degrees, errors)?;
            field.tower = field.tower.clone().extended(power, xi.0.clone());
            nonresidues.push(xi);
        }
        Some((field, nonresidues))
    }

    /// The nonresidue that makes a level: given, or by the rule.
    fn nonresidue(
        &self,
        field: &TowerField,
        level: Over,
        below: Over,
        degrees: &[usize],
        errors: &mut Errors,
    ) -> Option<Element> {
        let name = match level.0 {
            2 => "fq2_nonresidue",
            3 => "fq3_nonresidue",
            4 => "fq4_nonresidue",
            6 => "fq6_nonresidue",
            _ => "fq12_nonresidue",
        };
        let Some((_, given)) = self.given.nonresidues.iter().find(|(name, _)| *name == level) else {
            let found = rules::nonresidue(field, degrees).ok_or(FamilyError::NoNonresidue { name });
            return errors.keep(self.span, found);
        };
        let xi = coordinates(given, &field.p, self.item(name), below, errors)?;
        let xi = Element(xi);
        errors.keep(given.span, rules::check_nonresidue(field, degrees, &xi))?;
        Some(xi)
    }

    /// The first curve's coefficient: given, or by the rule. The curve has, as far as one point tells, so
    /// many points.
    fn first_b(
        &self,
        prime: &TowerField,
        given: Option<Element>,
        cofactor: &BigUint,
        r: &BigUint,
        errors: &mut Errors,
    ) -> Option<Element> {
        let order = cofactor * r;
        let by_rule = || rules::coefficient(prime, &order);
        let Some(b) = given else {
            return errors.keep(self.span, by_rule().ok_or(FamilyError::NoB));
        };
        let curve = Weierstrass { field: prime.clone(), a: prime.integer(0), b };
        if has_order(&curve, &order) {
            return Some(curve.b);
        }
        let right = self.b_through_generator(&curve, cofactor, r).or_else(by_rule);
        self.wrong_b(right.map(|b| format!("b = {} does", prime.print(&b))), errors);
        None
    }

    /// Reports that the curve has another order, and what would help.
    fn wrong_b(&self, right: Option<String>, errors: &mut Errors) {
        let span = self.given.b.as_ref().map_or(self.span, |b| b.span);
        let right = right.map(|right| format!("; {right}")).unwrap_or_default();
        errors.push(span, format!("{}{right}", FamilyError::WrongB));
    }

    /// The coefficient of the curve of this order through the declared generator.
    fn b_through_generator(&self, curve: &Weierstrass, cofactor: &BigUint, r: &BigUint) -> Option<Element> {
        let (x, y) = self.given.g1.as_ref()?;
        let (p, item) = (&curve.field.p, self.item("g1_generator"));
        let read = |c| coordinates(c, p, item, Over::FQ, &mut Errors::default()).map(Element);
        curve.right_b(&(read(x)?, read(y)?), cofactor, r)
    }

    /// The type of the twist with the second group's order, and its coefficient.
    fn twist(
        &self,
        field: &TowerField,
        b: &Element,
        xi: &Element,
        order: &BigUint,
        errors: &mut Errors,
    ) -> Option<(Twist, Element)> {
        let coefficient = |twist: Twist| {
            let by = if twist == Twist::M { Some(xi.clone()) } else { field.inverse(xi) };
            by.map(|by| field.scale(&by, &b.0[0]))
        };
        let fits = |twist: &Twist| {
            let b = coefficient(*twist);
            b.is_some_and(|b| has_order(&Weierstrass { field: field.clone(), a: field.integer(0), b }, order))
        };
        let other = |twist: Twist| if twist == Twist::M { Twist::D } else { Twist::M };
        let (twist, span) = match &self.given.twist {
            None => ([Twist::M, Twist::D].into_iter().find(fits).ok_or(FamilyError::NoTwist), self.span),
            Some((given, span)) if fits(given) => (Ok(*given), *span),
            Some((given, span)) if fits(&other(*given)) => {
                (Err(FamilyError::WrongTwist { given: *given, other: other(*given) }), *span)
            }
            Some((_, span)) => (Err(FamilyError::NoTwist), *span),
        };
        let twist = errors.keep(span, twist)?;
        Some((twist, coefficient(twist)?))
    }

    fn sextic_engine(
        &self,
        numbers: &Numbers,
        twist: Twist,
        field: &TowerField,
        xi: &Element,
    ) -> Option<Engine> {
        let x = &self.given.x.as_ref()?.value;
        match self.kind {
            Kind::Bls12 => Some(Engine::bls12(x, twist, field, xi)),
            Kind::Bn => Some(Engine::bn(x, twist, field, xi)),
            // ark-ec 0.6 loses the loops of seeds that do not fill their words.
            Kind::Bw6 if !x.bits().is_multiple_of(64) => None,
            Kind::Bw6 => {
                let parameters = self.bw6(&mut Errors::default())?;
                Some(Engine::bw6(&parameters, numbers, twist, xi))
            }
            _ => None,
        }
    }

    /// Curves of prime order whose second curve is the quadratic twist over half of the embedding field.
    fn mnt(&mut self, degree: usize, errors: &mut Errors) -> Option<Solved> {
        let (p, r) = (self.given.p.as_ref()?, self.given.r.as_ref()?);
        let [p_value, r_value] = [("p", p), ("r", r)].map(|(key, number)| {
            let value = errors.keep(number.span, number.unsigned(self.item(key)))?;
            let checked = prime::check_modulus(&value).map_err(|fault| format!("{key}: {fault}"));
            errors.keep(number.span, checked).map(|()| value)
        });
        let (p_value, r_value) = (p_value?, r_value?);
        let rest = if degree == 4 { FamilyError::NotOneModulo4 } else { FamilyError::NotOneModulo3 };
        let modulus = if degree == 4 { 4u32 } else { 3 };
        let fault = |fault: FamilyError| {
            let is_one = (&r_value % modulus).is_one();
            let fit = is_one && family::mnt(&r_value, &p_value, degree).is_ok();
            format!("{fault}{}", if fit { "; p and r are exchanged" } else { "" })
        };
        if !(&p_value % modulus).is_one() {
            errors.push(p.span, fault(rest));
            return None;
        }
        let numbers = errors.keep(r.span, family::mnt(&p_value, &r_value, degree).map_err(fault))?;
        let (a, b) = (
            self.canonical(("a", &self.given.a), &numbers, errors),
            self.canonical(("b", &self.given.b), &numbers, errors),
        );
        let prime = TowerField::prime(p_value);
        let (field, nonresidues) = self.tower(&prime, errors)?;
        let (Ok(Some(a)), Ok(Some(b))) = (a, b) else { return None };
        let h2 = numbers.quadratic_cofactor(degree / 2).ok_or(FamilyError::NoGroup { which: "second" });
        let h2 = errors.keep(self.seed(), h2)?;
        let first = Weierstrass { field: prime, a, b };
        if !has_order(&first, &numbers.r) {
            let exchanged = Weierstrass { a: first.b.clone(), b: first.a.clone(), ..first.clone() };
            let fits = exchanged.check_nonsingular().is_ok() && has_order(&exchanged, &numbers.r);
            let through = || self.b_through_generator(&first, &1u32.into(), &numbers.r);
            let right = match fits {
                true => Some("a and b are exchanged".to_owned()),
                false => through().map(|b| format!("b = {} does", first.field.print(&b))),
            };
            self.wrong_b(right, errors);
            return None;
        }
        let engine = Engine::mnt(&numbers, degree, &first.a, &nonresidues[0]);
        let mut u = field.integer(0);
        u.0[1] = 1u32.into();
        let (u2, u3) = (field.sqr(&u), field.mul(&field.sqr(&u), &u));
        let second =
            Weierstrass { a: field.scale(&u2, &first.a.0[0]), b: field.scale(&u3, &first.b.0[0]), field };
        let (given1, given2) = (self.given.g1.take(), self.given.g2.take());
        let first = self.generated(first, 1u32.into(), given1, "g1_generator", errors);
        let second = self.generated(second, h2, given2, "g2_generator", errors);
        Some(Solved { numbers, nonresidues, first: first?, second: second?, engine: Some(engine) })
    }

    /// A curve with its group's generator: given, or by the rule.
    fn generated(
        &self,
        curve: Weierstrass,
        cofactor: BigUint,
        given: Option<(Coordinates, Coordinates)>,
        name: &'static str,
        errors: &mut Errors,
    ) -> Option<Curve> {
        let generator = given.or_else(|| {
            let found = rules::generator(&curve, &cofactor).ok_or(FamilyError::NoGenerator { name });
            let (x, y) = errors.keep(self.span, found)?;
            Some((written(&x, self.span), written(&y, self.span)))
        })?;
        Some(Curve { curve, cofactor, generator })
    }
}

/// Whether the curve has, as far as one point tells, so many points; asked once for every curve.
fn has_order(curve: &Weierstrass, order: &BigUint) -> bool {
    let facts = format!("order {:x?} {:x?} {:x?} {order:x}", curve.field, curve.a, curve.b);
    if known::holds(&facts) {
        return true;
    }
    let has = curve.may_have_order(order);
    if has {
        known::keep(&facts);
    }
    has
}

/// An element as a declaration writes it.
fn written(element: &Element, span: Span) -> Coordinates {
    let number = |value: &BigUint| Number { value: value.clone().into(), span };
    Coordinates { numbers: element.0.iter().map(number).collect(), bracketed: element.0.len() > 1, span }
}
