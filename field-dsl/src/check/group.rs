//! Checks of a group, and what would be right where they fail.

use super::curve::Curve;
use super::exchange;
use super::{FieldModel, FormModel, GroupModel, LevelModel, coordinates, tower_of};
use crate::ast::{self, Coordinates};
use crate::error::{self, Errors, Item};
use crate::known;
use curvesmith_codegen::declaration::curve::{Point, Weierstrass};
use curvesmith_codegen::declaration::suggest::TwistKind;
use curvesmith_codegen::declaration::tower::{Element, TowerField, number};
use curvesmith_codegen::declaration::weak::weaknesses;
use curvesmith_codegen::declaration::{EdwardsForm, Equation, GroupDesc, SpecError};
use num_bigint::BigUint;

/// What a group stands among.
pub(super) struct Facts<'a> {
    /// `g1` or `g2`.
    pub(super) name: &'a str,
    pub(super) fq: &'a FieldModel,
    /// `None` where it has faults.
    pub(super) fr: Option<&'a FieldModel>,
    pub(super) levels: &'a [LevelModel],
    /// The first group, for the second one.
    pub(super) base: Option<&'a GroupModel>,
    /// The other group as declared, and its name.
    pub(super) other: Option<(&'a str, &'a ast::Group)>,
}

impl<'a> Facts<'a> {
    /// The message about a generator that is on the curve of the other group.
    fn on_other(&self, own: &ast::Group) -> Option<String> {
        let (name, other) = self.other?;
        let is_on = |group: &ast::Group, curve| {
            let generator = group.generator.as_ref();
            generator.is_some_and(|point| exchange::is_on(point, curve, &self.fq.desc.p, self.levels))
        };
        is_on(own, other).then(|| error::generator_of_other(self.name, name, is_on(other, own)))
    }
}

/// A group, checked as far as its parts are there; `None` after reporting faults.
pub(super) fn check(
    name: String,
    ast: &ast::Group,
    facts: Facts<'_>,
    allow_weak: bool,
    errors: &mut Errors,
) -> Option<GroupModel> {
    let p = &facts.fq.desc.p;
    let tower = tower_of(ast.over, facts.levels)?;
    // Report every bad number before giving up on any.
    let item = |key| Item { key, of: facts.name };
    let mut element = |key, c: Option<&Coordinates>| coordinates(c?, p, item(key), ast.over, errors);
    let a = element("a", ast.a.as_ref());
    let other = element(ast.model.other(), ast.other.as_ref());
    let [x, y] = generator(ast, &facts, errors);
    let cofactor = ast.cofactor.as_ref();
    let cofactor = cofactor.and_then(|n| errors.keep(n.span, n.unsigned(item("cofactor"))));
    let (a, other) = (a?, other?);
    let curve = Curve::new(ast.model, TowerField { p: p.clone(), tower: tower.clone() }, &a, &other);
    let numbers = Numbers { x, y, cofactor };
    let checked = numbers.check(ast, &curve, &facts, errors);

    let (x, y, cofactor, r) = (numbers.x?, numbers.y?, numbers.cofactor?, &facts.fr?.desc.p);
    checked?;
    let weak = weaknesses(curve.field(), &(&cofactor * r), r);
    if !weak.is_empty() && !allow_weak {
        let weak: Vec<String> = weak.iter().map(ToString::to_string).collect();
        errors.push(ast.span, error::weak(facts.name, &weak));
    }
    let (equation, generator) = curve.kernels((Element(x), Element(y)));
    let inverse = (&cofactor % r).modinv(r).ok_or(SpecError::CofactorNotInvertible);
    let cofactor_inv = errors.keep(ast.span, inverse)?;
    let desc = GroupDesc { name, base: facts.fq.desc.clone(), tower, equation };
    let form = match (ast.edwards_form, &curve) {
        (Some(span), Curve::Weierstrass(curve)) => {
            let form = EdwardsForm::of(curve).map_err(|fault| format!("{}: {fault}", facts.name));
            let form = errors.keep(span, form)?;
            Some(FormModel { desc: form.group(&desc), form })
        }
        _ => None,
    };
    let constant = ast.constant_work.then(|| desc.constant_work());
    Some(GroupModel { desc, form, constant, generator, cofactor, cofactor_inv })
}

/// The coordinates of the generator; none after reporting that it is one of the other group.
fn generator(ast: &ast::Group, facts: &Facts<'_>, errors: &mut Errors) -> [Option<Vec<BigUint>>; 2] {
    let Some(generator) = &ast.generator else { return [None, None] };
    let (x, y) = generator;
    let is_in = [x, y].iter().all(|c| c.is_in(ast.over));
    if !is_in && let Some(message) = facts.on_other(ast) {
        errors.push(x.span, message);
        return [None, None];
    }
    let item = Item { key: "generator", of: facts.name };
    [x, y].map(|c| coordinates(c, &facts.fq.desc.p, item, ast.over, errors))
}

/// Canonical numbers of a group besides its coefficients.
struct Numbers {
    x: Option<Vec<BigUint>>,
    y: Option<Vec<BigUint>>,
    cofactor: Option<BigUint>,
}

impl Numbers {
    /// `None` after reporting faults.
    fn check(&self, ast: &ast::Group, curve: &Curve, facts: &Facts<'_>, errors: &mut Errors) -> Option<()> {
        let name = facts.name;
        let generator = Option::zip(self.x.as_ref(), self.y.as_ref());
        let generator: Option<Point> = generator.map(|(x, y)| (Element(x.clone()), Element(y.clone())));
        let r = facts.fr.map(|fr| &fr.desc.p);
        let known = self.facts(curve, generator.as_ref(), r);
        if known.as_ref().is_some_and(|known| known::holds(known)) {
            return Some(());
        }
        let singular = curve.check_nonsingular();
        let culprit = match singular {
            Err(SpecError::EdwardsZero { name: 'a' } | SpecError::MontgomerySingular) => &ast.a,
            _ => &ast.other,
        };
        errors.keep(culprit.as_ref()?.span, singular.map_err(|e| format!("{name}: {e}")))?;
        let search = Search { ast, curve, cofactor: self.cofactor.as_ref(), r, facts };
        let point = generator.as_ref().zip(ast.generator.as_ref()).map(|(point, (x, _))| {
            let checked = match r {
                Some(r) => curve.check_generator(point, r),
                None => curve.check_on_curve(point),
            };
            let message = |fault| search.generator(point, &fault);
            errors.keep(x.span, checked.map_err(message))
        });
        let declared = self.cofactor.as_ref().zip(r).zip(ast.cofactor.as_ref());
        let order = declared.map(|((cofactor, r), declared)| {
            let has_order = matches!(point, Some(Some(())));
            let checked =
                curve.check_cofactor(cofactor, r, has_order).map_err(|fault| search.cofactor(fault));
            let place = |of_twist| match (of_twist, &ast.other) {
                (true, Some(other)) => other.span,
                _ => declared.span,
            };
            checked.map_err(|(of_twist, message)| errors.push(place(of_twist), message)).ok()
        });
        point.flatten().and(order.flatten())?;
        if let Some(known) = known {
            known::keep(&known);
        }
        Some(())
    }

    /// Everything that the checks see; `None` where something is missing.
    fn facts(&self, curve: &Curve, generator: Option<&Point>, r: Option<&BigUint>) -> Option<String> {
        let ((x, y), r, cofactor) = (generator?, r?, self.cofactor.as_ref()?);
        Some(format!("group {r:x} {curve:x?} {x:x?} {y:x?} {cofactor:x}"))
    }
}

/// The search for what would be right.
struct Search<'a> {
    ast: &'a ast::Group,
    curve: &'a Curve,
    cofactor: Option<&'a BigUint>,
    r: Option<&'a BigUint>,
    facts: &'a Facts<'a>,
}

impl Search<'_> {
    /// The message about a faulty generator.
    fn generator(&self, point: &Point, fault: &SpecError) -> String {
        let (name, off_curve) = (self.facts.name, *fault == SpecError::GeneratorOffCurve);
        if off_curve && let Some(message) = self.facts.on_other(self.ast) {
            return message;
        }
        let fits = |point: &Point| match self.r {
            Some(r) if !off_curve => self.curve.check_generator(point, r).is_ok(),
            _ => self.curve.check_on_curve(point).is_ok(),
        };
        let right = match exchange::within(point, self.ast.model, fits) {
            Some(exchanged) if off_curve => format!("; it is on the curve with {exchanged}"),
            Some(exchanged) => format!("; it has order r with {exchanged}"),
            None => self.right_generator(point, fault),
        };
        format!("{name}: {fault}{right}")
    }

    /// Other numbers with which a generator would be right.
    fn right_generator(&self, point: &Point, fault: &SpecError) -> String {
        let (Some(cofactor), Some(r)) = (self.cofactor, self.r) else { return String::new() };
        let field = self.curve.field();
        let right = match fault {
            SpecError::GeneratorOffCurve => {
                let other = self.curve.right_other(point, cofactor, r);
                let with_other = |c: Element| {
                    format!(
                        "; it has order r on the curve with {} = {}",
                        self.ast.model.other(),
                        field.print(&c)
                    )
                };
                let [x, y] = self.ast.model.coordinates();
                let with_y =
                    |right: Element| format!("; with this {x}, {y} = {} is of order r", field.print(&right));
                let ordinate = || self.curve.right_y(point, r).map(with_y);
                // Montgomery curves of nearly any b have such a point: what the other coefficient would be
                // says little.
                match self.ast.model {
                    ast::Model::Montgomery => ordinate().or_else(|| other.map(with_other)),
                    _ => other.map(with_other).or_else(ordinate),
                }
            }
            SpecError::GeneratorOrder => {
                let multiple = self.curve.right_generator(point, cofactor, r);
                multiple.map(|(x, y)| {
                    format!("; its multiple by the cofactor has: ({}, {})", field.print(&x), field.print(&y))
                })
            }
            _ => None,
        };
        right.unwrap_or_default()
    }

    /// The message about a faulty cofactor, and whether it is about the curve's other coefficient, that of
    /// another twist.
    fn cofactor(&self, fault: SpecError) -> (bool, String) {
        let name = self.facts.name;
        if let Some(message) = self.twist() {
            return (true, message);
        }
        let plain = format!("{name}: {fault}");
        let Some(r) = self.r else { return (false, plain) };
        let right = self.curve.right_cofactor(r).or_else(|| self.twist_order().map(|order| order / r));
        let right = match (right, &fault) {
            (Some(right), _) => format!("; the cofactor is {}", number(&right)),
            (None, SpecError::CofactorMiscounted { order, .. })
                if (BigUint::from(*order) % r) != BigUint::ZERO =>
            {
                format!(", which is no multiple of r = {r}")
            }
            _ => String::new(),
        };
        (false, plain + &right)
    }

    /// The order of the group's curve, if it is a twist of the first group's.
    fn twist_order(&self) -> Option<BigUint> {
        let (curve, base, order) = self.base()?;
        curve.order_as_twist(&base, &order)
    }

    /// The message for a curve that is a twist of the first group's and has no points of order `r`.
    fn twist(&self) -> Option<String> {
        let (curve, base, order) = self.base()?;
        let r = self.r?;
        let found = curve.order_as_twist(&base, &order)?;
        if (&found % r) == BigUint::ZERO {
            return None;
        }
        let nonresidues: Vec<Element> = self.nonresidues();
        let right = self.cofactor.and_then(|h| curve.right_twist(&base, &nonresidues, h, r));
        let right = right.map(|twist| {
            let kind = match twist.kind {
                Some(TwistKind::D) => " (the D-twist, b of g1 divided by the nonresidue)",
                Some(TwistKind::M) => " (the M-twist, b of g1 times the nonresidue)",
                None => "",
            };
            format!("; b = {} is the right one{kind}", curve.field.print(&twist.b))
        });
        let (name, found) = (self.facts.name, number(&found));
        let right = right.unwrap_or_default();
        Some(format!(
            "{name}: the curve is a wrong twist of g1: it has {found} points, no multiple of r{right}"
        ))
    }

    /// This curve, the first group's and the order of that.
    fn base(&self) -> Option<(&Weierstrass, Weierstrass, BigUint)> {
        let (Curve::Weierstrass(curve), base) = (self.curve, self.facts.base?) else { return None };
        let Equation::ShortWeierstrass { a, b } = &base.desc.equation else { return None };
        if base.desc.degree() != 1 {
            return None;
        }
        let order = &base.cofactor * self.r?;
        let (a, b) = (Element(a.clone()), Element(b.clone()));
        Some((curve, Weierstrass { field: TowerField::prime(curve.field.p.clone()), a, b }, order))
    }

    /// What the levels over the group's field are made with.
    fn nonresidues(&self) -> Vec<Element> {
        let above = self.facts.levels.iter().filter(|level| level.below == self.curve.field().tower);
        above.map(|level| Element(level.top.nonresidue.clone())).collect()
    }
}
