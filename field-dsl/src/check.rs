//! Declarations to checked models; the mathematics is in [`curvesmith_codegen::spec`].

use crate::ast::{self, Coordinates, CurveDeclaration, FieldDeclaration, Level, Model, Over};
use crate::error::{self, Errors};
use crate::known;
use crate::literal::Number;
use curvesmith_codegen::spec::curve::{Point, Weierstrass};
use curvesmith_codegen::spec::edwards::Edwards;
use curvesmith_codegen::spec::tower::{Element, Extension, Tower, TowerField};
use curvesmith_codegen::spec::{Equation, FieldDesc, GroupDesc, SpecError, prime};
use num_bigint::BigUint;
use num_traits::ToPrimitive;
use proc_macro2::Ident;
use syn::ext::IdentExt;

/// A prime field, checked. All numbers are canonical.
#[derive(Clone, Debug)]
pub(crate) struct FieldModel {
    pub(crate) desc: FieldDesc,
    /// Declared, or the least quadratic nonresidue.
    pub(crate) generator: BigUint,
    /// Of order `2^two-adicity`.
    pub(crate) two_adic_root: BigUint,
    pub(crate) small_subgroup: Option<SmallSubgroup>,
    /// The declaration names the generator, so a bound type must have it.
    pub(crate) generator_declared: bool,
    /// The declaration fixes the root, itself or by its generator.
    pub(crate) root_declared: bool,
}

/// A subgroup of order `base^power` and the root of the mixed-radix domain.
#[derive(Clone, Debug)]
pub(crate) struct SmallSubgroup {
    pub(crate) base: u32,
    pub(crate) power: u32,
    pub(crate) root: BigUint,
}

/// A group, checked.
#[derive(Clone, Debug)]
pub(crate) struct GroupModel {
    pub(crate) desc: GroupDesc,
    /// `x` and `y`, one number per coordinate.
    pub(crate) generator: [Vec<BigUint>; 2],
    pub(crate) cofactor: BigUint,
    /// Inverse of the cofactor modulo r.
    pub(crate) cofactor_inv: BigUint,
}

/// A level of a tower over `fq`, checked.
#[derive(Clone, Debug)]
pub(crate) struct LevelModel {
    pub(crate) name: Over,
    /// What it is over.
    pub(crate) below: Tower,
    /// The level itself.
    pub(crate) top: Extension,
}

impl LevelModel {
    /// The level with all below it.
    pub(crate) fn tower(&self) -> Tower {
        self.below.clone().extended(self.top.degree, self.top.nonresidue.clone())
    }
}

/// A curve, checked.
#[derive(Clone, Debug)]
pub(crate) struct CurveModel {
    pub(crate) fq: FieldModel,
    pub(crate) fr: FieldModel,
    /// Each above those that it is over.
    pub(crate) levels: Vec<LevelModel>,
    pub(crate) g1: GroupModel,
    pub(crate) g2: Option<GroupModel>,
}

/// Snake-case name of a declaration, the stem of its kernels' symbols.
pub(crate) fn stem(name: &Ident) -> String {
    name.unraw().to_string()
}

/// Checks a `field!`; `None` after reporting faults.
pub(crate) fn field(declaration: &FieldDeclaration, errors: &mut Errors) -> Option<FieldModel> {
    let field = declaration.field.as_ref()?;
    let model = prime_field(stem(&declaration.header.name), field, errors);
    model.filter(|_| errors.is_empty())
}

/// Checks a `curve!`; `None` after reporting faults.
pub(crate) fn curve(declaration: &CurveDeclaration, errors: &mut Errors) -> Option<CurveModel> {
    let d = declaration;
    let stem = stem(&d.header.name);
    let fq = d.fq.as_ref().and_then(|f| prime_field(format!("{stem}_fq"), f, errors));
    let fr = d.fr.as_ref().and_then(|f| prime_field(format!("{stem}_fr"), f, errors));
    degrees(&d.levels, errors);
    let levels = fq.as_ref().map(|fq| levels(fq, &d.levels, errors)).unwrap_or_default();
    let is_declared = |over: Over| over == Over::FQ || d.levels.iter().any(|level| level.name == over);
    let rules = d.levels.iter().filter_map(|level| level.rule.as_ref());
    let below = rules.map(|rule| (rule.below, rule.below_span));
    let groups = [&d.g1, &d.g2].into_iter().flatten().map(|group| (group.over, group.over_span));
    for (over, span) in below.chain(groups).filter(|(over, _)| !is_declared(*over)) {
        errors.push(span, error::undeclared(over));
    }
    if let Some(bindings) = &d.bindings {
        let declared = |key: &Ident| {
            (key != "g2" || d.g2.is_some()) && Over::named(&key.to_string()).is_none_or(is_declared)
        };
        for (key, _) in &bindings.0 {
            if key == "engine" && d.g2.is_none() {
                errors.push(key.span(), error::ENGINE_NEEDS_G2);
            } else if !declared(key) {
                errors.push(key.span(), error::BINDING_UNDECLARED);
            }
        }
    }
    // The group's checks are about numbers modulo p and r; without these they say nothing.
    let (fq, fr) = (fq?, fr?);
    let mut check = |ast: &Option<ast::Group>, name: &str| {
        let ast = ast.as_ref()?;
        group(format!("{stem}_{name}"), ast, &fq, &fr, tower_of(ast.over, &levels)?, errors)
    };
    let (g1, g2) = (check(&d.g1, "g1"), check(&d.g2, "g2"));
    let model = CurveModel { fq, fr, levels, g1: g1?, g2 };
    errors.is_empty().then_some(model)
}

fn prime_field(name: String, field: &ast::Field, errors: &mut Errors) -> Option<FieldModel> {
    let p = errors.keep(field.modulus.span, field.modulus.unsigned())?;
    let facts = format!("modulus {p:x}");
    if !known::holds(&facts) {
        errors.keep(field.modulus.span, prime::check_modulus(&p))?;
        known::keep(&facts);
    }
    let options = &field.options;

    // A faulty option has been reported and gives way to its default, so that what depends on the
    // modulus alone is checked in the same run.
    let mut given = |option: &Option<Number>, check: &dyn Fn(&BigUint) -> Result<(), SpecError>| {
        let declared = option.as_ref()?;
        let value = errors.keep(declared.span, declared.canonical(&p))?;
        errors.keep(declared.span, check(&value)).map(|()| value)
    };
    let generator = given(&options.generator, &|g| prime::check_generator(&p, g));
    let two_adic_root = given(&options.two_adic_root, &|root| prime::check_two_adic_root(&p, root));
    let generator = generator.unwrap_or_else(|| prime::least_nonresidue(&p));
    let two_adic_root = two_adic_root.unwrap_or_else(|| prime::two_adic_root(&p, &generator));
    let declared = options.small_subgroup.as_ref();
    let small_subgroup = declared.and_then(|s| small_subgroup(&p, &generator, s, errors));
    Some(FieldModel {
        desc: FieldDesc::new(name, p),
        generator_declared: options.generator.is_some(),
        root_declared: options.generator.is_some() || options.two_adic_root.is_some(),
        generator,
        two_adic_root,
        small_subgroup,
    })
}

fn small_subgroup(
    p: &BigUint,
    generator: &BigUint,
    declared: &ast::SmallSubgroup,
    errors: &mut Errors,
) -> Option<SmallSubgroup> {
    let mut word =
        |number: &Number| errors.keep(number.span, number.value.to_u32().ok_or(error::SMALL_SUBGROUP));
    let (base, power) = (word(&declared.base)?, word(&declared.power)?);
    let root = prime::small_subgroup_root(p, generator, base, power);
    let root = errors.keep(declared.base.span, root)?;
    Some(SmallSubgroup { base, power, root })
}

/// The name of a level is its degree.
fn degrees(levels: &[Level], errors: &mut Errors) {
    for level in levels {
        let Some(rule) = &level.rule else { continue };
        let found = rule.below.0 * rule.power;
        if found != level.name.0 {
            errors.push(level.span, error::degree(level.name, found));
        }
    }
}

/// The levels that are fields. Those above a faulty one are left out, and so are those of another degree than their name.
fn levels(fq: &FieldModel, declared: &[Level], errors: &mut Errors) -> Vec<LevelModel> {
    let mut declared: Vec<&Level> = declared.iter().collect();
    // A level has a higher degree than what it is over.
    declared.sort_by_key(|level| level.name);
    let mut models = Vec::new();
    for level in declared {
        let rule = level.rule.as_ref().filter(|rule| rule.below.0 * rule.power == level.name.0);
        models.extend(rule.and_then(|rule| extension(fq, level.name, rule, &models, errors)));
    }
    models
}

fn extension(
    fq: &FieldModel,
    name: Over,
    rule: &ast::Rule,
    levels: &[LevelModel],
    errors: &mut Errors,
) -> Option<LevelModel> {
    let p = &fq.desc.p;
    let nonresidue = coordinates(&rule.nonresidue, p, "the nonresidue is in", rule.below, errors);
    let below = TowerField { p: p.clone(), tower: tower_of(rule.below, levels)? };
    errors.keep(rule.power_span, below.check_extension(rule.power))?;
    if rule.power == 3 && p % 3u32 != 1u32.into() {
        errors.push(rule.power_span, error::CUBIC_TYPE);
    }
    let nonresidue = nonresidue?;
    let checked = below.check_nonresidue(rule.power, &Element(nonresidue.clone()));
    errors.keep(rule.nonresidue.span, checked)?;
    Some(LevelModel { name, below: below.tower, top: Extension { degree: rule.power, nonresidue } })
}

fn tower_of(over: Over, levels: &[LevelModel]) -> Option<Tower> {
    if over == Over::FQ {
        return Some(Tower::prime());
    }
    levels.iter().find(|level| level.name == over).map(LevelModel::tower)
}

fn group(
    name: String,
    ast: &ast::Group,
    fq: &FieldModel,
    fr: &FieldModel,
    tower: Tower,
    errors: &mut Errors,
) -> Option<GroupModel> {
    let (p, r) = (&fq.desc.p, &fr.desc.p);
    // Report every bad number before giving up on any.
    let what = "the group is over";
    let mut element = |c: &Option<Coordinates>| coordinates(c.as_ref()?, p, what, ast.over, errors);
    let (a, other) = (element(&ast.a), element(&ast.other));
    let generator = ast.generator.as_ref();
    let x = generator.and_then(|(x, _)| coordinates(x, p, what, ast.over, errors));
    let y = generator.and_then(|(_, y)| coordinates(y, p, what, ast.over, errors));
    let declared = ast.cofactor.as_ref()?;
    let cofactor = errors.keep(declared.span, declared.unsigned());
    let (a, other, x, y, cofactor) = (a?, other?, x?, y?, cofactor?);

    let curve = Curve::new(ast.model, TowerField { p: p.clone(), tower: tower.clone() }, &a, &other);
    let (x_ast, _) = generator?;
    let form = ast.model.other();
    let facts = format!("group {p:x} {r:x} {tower:x?} {a:x?} {form} {other:x?} {x:x?} {y:x?} {cofactor:x}");
    if !known::holds(&facts) {
        let culprit = match curve.check_nonsingular() {
            Err(SpecError::EdwardsZero { name: 'a' }) => &ast.a,
            _ => &ast.other,
        };
        errors.keep(culprit.as_ref()?.span, curve.check_nonsingular())?;
        let generator = (Element(x.clone()), Element(y.clone()));
        let generator_ok = errors.keep(x_ast.span, curve.check_generator(&generator, r));
        let cofactor_ok = errors.keep(declared.span, curve.check_cofactor(&cofactor, r));
        generator_ok.and(cofactor_ok)?;
        known::keep(&facts);
    }
    let inverse = (&cofactor % r).modinv(r).ok_or(SpecError::CofactorNotInvertible);
    let cofactor_inv = errors.keep(declared.span, inverse)?;
    Some(GroupModel {
        desc: group_desc(name, fq, tower, ast.model, a, other),
        generator: [x, y],
        cofactor,
        cofactor_inv,
    })
}

/// A curve to be checked, of either form.
enum Curve {
    Weierstrass(Weierstrass),
    Edwards(Edwards),
}

impl Curve {
    fn new(model: Model, field: TowerField, a: &[BigUint], other: &[BigUint]) -> Curve {
        let (a, other) = (Element(a.to_vec()), Element(other.to_vec()));
        match model {
            Model::ShortWeierstrass => Curve::Weierstrass(Weierstrass { field, a, b: other }),
            Model::TwistedEdwards => Curve::Edwards(Edwards { field, a, d: other }),
        }
    }

    fn check_nonsingular(&self) -> Result<(), SpecError> {
        match self {
            Curve::Weierstrass(curve) => curve.check_nonsingular(),
            Curve::Edwards(curve) => curve.check_nonsingular(),
        }
    }

    fn check_generator(&self, generator: &Point, r: &BigUint) -> Result<(), SpecError> {
        match self {
            Curve::Weierstrass(curve) => curve.check_generator(generator, r),
            Curve::Edwards(curve) => curve.check_generator(generator, r),
        }
    }

    fn check_cofactor(&self, cofactor: &BigUint, r: &BigUint) -> Result<(), SpecError> {
        match self {
            Curve::Weierstrass(curve) => curve.check_cofactor(cofactor, r),
            Curve::Edwards(curve) => curve.check_cofactor(cofactor, r),
        }
    }
}

fn group_desc(
    name: String,
    fq: &FieldModel,
    tower: Tower,
    model: Model,
    a: Vec<BigUint>,
    other: Vec<BigUint>,
) -> GroupDesc {
    let equation = match model {
        Model::ShortWeierstrass => Equation::ShortWeierstrass { a, b: other },
        Model::TwistedEdwards => Equation::TwistedEdwards { a, d: other },
    };
    GroupDesc { name, base: fq.desc.clone(), tower, equation }
}

/// Canonical coordinates of an element of `over`, which `what` needs.
fn coordinates(
    c: &Coordinates,
    p: &BigUint,
    what: &str,
    over: Over,
    errors: &mut Errors,
) -> Option<Vec<BigUint>> {
    if c.numbers.len() != over.0 || c.bracketed != (over != Over::FQ) {
        errors.push(c.span, error::coordinates(what, over));
        return None;
    }
    let canonical: Vec<_> = c.numbers.iter().map(|n| errors.keep(n.span, n.canonical(p))).collect();
    canonical.into_iter().collect()
}

/// The stand-ins that a faulty declaration is expanded over, so that code using its items
/// compiles: `F_5`, and `y² = x³ + 1` or `x² + y² = 1 + 2x²y²`.
pub(crate) mod stand_in {
    use super::*;
    use std::collections::BTreeSet;

    pub(crate) fn field(name: String) -> FieldModel {
        FieldModel {
            desc: FieldDesc::new(name, 5u32.into()),
            generator: 2u32.into(),
            two_adic_root: 2u32.into(),
            small_subgroup: None,
            generator_declared: false,
            root_declared: false,
        }
    }

    /// The levels of these names, and what they are over: square roots as long as the degree is even. That they are no
    /// fields does not matter to types.
    fn levels(mut names: BTreeSet<Over>) -> Vec<LevelModel> {
        for degree in [12, 6, 4] {
            if names.contains(&Over(degree)) {
                names.insert(Over(degree / 2));
            }
        }
        let mut models = Vec::new();
        for name in names {
            let power = if name.0 % 2 == 0 { 2 } else { 3 };
            let below = tower_of(Over(name.0 / power), &models).filter(|_| name != Over::FQ);
            models.extend(below.map(|below| {
                let mut nonresidue = vec![BigUint::ZERO; below.degree()];
                nonresidue[0] = 2u32.into();
                LevelModel { name, below, top: Extension { degree: power, nonresidue } }
            }));
        }
        models
    }

    pub(crate) fn curve(declaration: &CurveDeclaration) -> CurveModel {
        let stem = stem(&declaration.header.name);
        let fq = field(format!("{stem}_fq"));
        let over = |group: &Option<ast::Group>| group.as_ref().map_or(Over::FQ, |g| g.over);
        let (over_g1, over_g2) = (over(&declaration.g1), over(&declaration.g2));
        let named = declaration.levels.iter().map(|level| level.name).chain([over_g1, over_g2]);
        let levels = levels(named.collect());
        let group = |name: &str, over: Over, model: Model| {
            let tower = tower_of(over, &levels).unwrap_or_default();
            let degree = tower.degree();
            let number = |n: u32| {
                let mut coordinates = vec![BigUint::from(n)];
                coordinates.resize(degree, BigUint::ZERO);
                coordinates
            };
            let desc = |a, other| group_desc(format!("{stem}_{name}"), &fq, tower.clone(), model, a, other);
            GroupModel {
                desc: match model {
                    Model::ShortWeierstrass => desc(number(0), number(1)),
                    Model::TwistedEdwards => desc(number(1), number(2)),
                },
                generator: [number(0), number(1)],
                cofactor: 1u32.into(),
                cofactor_inv: 1u32.into(),
            }
        };
        CurveModel {
            fr: field(format!("{stem}_fr")),
            g1: group("g1", over_g1, declaration.g1.as_ref().map_or(Model::ShortWeierstrass, |g| g.model)),
            g2: declaration.g2.as_ref().map(|g| group("g2", over_g2, g.model)),
            fq,
            levels,
        }
    }
}
