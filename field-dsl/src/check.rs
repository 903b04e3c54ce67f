//! Declarations to checked models; the mathematics is in [`curvesmith_codegen::declaration`].

mod curve;
mod exchange;
mod group;

use crate::ast::{self, Coordinates, CurveDeclaration, FieldDeclaration, Level, Model, Over};
use crate::error::{self, Errors, Item};
use crate::known;
use crate::literal::Number;
use curvesmith_codegen::declaration::tower::{Element, Extension, Tower, TowerField, number};
use curvesmith_codegen::declaration::{
    EdwardsForm, Equation, FieldDesc, GroupDesc, SpecError, prime, suggest,
};
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
    /// The Edwards form, where it is asked for.
    pub(crate) form: Option<FormModel>,
    /// By whose name the kernels for constant work go, where they are asked for.
    pub(crate) constant: Option<GroupDesc>,
}

/// The Edwards form of a short Weierstrass curve.
#[derive(Clone, Debug)]
pub(crate) struct FormModel {
    pub(crate) form: EdwardsForm,
    /// Its kernels.
    pub(crate) desc: GroupDesc,
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
    let model = prime_field(stem(&declaration.header.name), "", field, errors);
    model.filter(|_| errors.is_empty())
}

/// Checks a `curve!`; `None` after reporting faults.
pub(crate) fn curve(declaration: &CurveDeclaration, errors: &mut Errors) -> Option<CurveModel> {
    let mut faults = Errors::default();
    let model = parts(declaration, &mut faults);
    match &declaration.fq {
        // Every other fault may follow from this one.
        Some(fq) if !faults.is_empty() && exchange::fields(declaration) => {
            errors.push(fq.modulus.span, error::FIELDS_EXCHANGED);
        }
        _ => errors.append(faults),
    }
    model.filter(|_| errors.is_empty())
}

/// All parts of a curve, each checked; `None` where one is missing or has faults.
fn parts(d: &CurveDeclaration, errors: &mut Errors) -> Option<CurveModel> {
    let stem = stem(&d.header.name);
    let fq = d.fq.as_ref().and_then(|f| prime_field(format!("{stem}_fq"), "fq", f, errors));
    let fr = d.fr.as_ref().and_then(|f| scalar_field(format!("{stem}_fr"), f, errors));
    degrees(&d.levels, errors);
    let levels = fq.as_ref().map(|fq| levels(fq, &d.levels, errors)).unwrap_or_default();
    undeclared(d, errors);
    // The groups' checks are about numbers modulo p; without it they say nothing.
    let fq = fq?;
    let groups = [("g1", &d.g1), ("g2", &d.g2)];
    let mut check = |own: usize, base: Option<&GroupModel>| {
        let ((name, ast), (other_name, other)) = (groups[own], groups[1 - own]);
        let (ast, other) = (ast.as_ref()?, other.as_ref().map(|other| (other_name, other)));
        let facts = group::Facts { name, fq: &fq, fr: fr.as_ref(), levels: &levels, base, other };
        group::check(format!("{stem}_{name}"), ast, facts, d.allow_weak, errors)
    };
    let g1 = check(0, None);
    let g2 = check(1, g1.as_ref());
    Some(CurveModel { fq, fr: fr?, levels, g1: g1?, g2 })
}

/// Everything that is over something, or binds it, and nobody declares.
fn undeclared(d: &CurveDeclaration, errors: &mut Errors) {
    let is_declared = |over: Over| over == Over::FQ || d.levels.iter().any(|level| level.name == over);
    let rules = d.levels.iter().filter_map(|level| Some((level.name.to_string(), level.rule.as_ref()?)));
    let below = rules.map(|(name, rule)| (name, rule.below, rule.below_span));
    let groups = [("g1", &d.g1), ("g2", &d.g2)].into_iter().filter_map(|(name, g)| Some((name, g.as_ref()?)));
    let groups = groups.map(|(name, group)| (name.to_owned(), group.over, group.over_span));
    for (name, over, span) in below.chain(groups).filter(|(_, over, _)| !is_declared(*over)) {
        errors.push(span, error::undeclared(&name, over));
    }
    for (key, _) in d.bindings.iter().flat_map(|bindings| &bindings.paths) {
        let name = key.to_string();
        if name == "engine" && d.g2.is_none() {
            errors.push(key.span(), error::ENGINE_NEEDS_G2);
        } else if name == "g2" && d.g2.is_none() || Over::named(&name).is_some_and(|over| !is_declared(over))
        {
            errors.push(key.span(), error::binding_undeclared(&name));
        }
    }
}

/// A field of scalars, large enough for a group.
fn scalar_field(name: String, field: &ast::Field, errors: &mut Errors) -> Option<FieldModel> {
    let model = prime_field(name, "fr", field, errors)?;
    if model.desc.p < 5u32.into() {
        errors.push(field.modulus.span, error::SCALARS_BELOW_5);
        return None;
    }
    Some(model)
}

/// `label` is the keyword of the modulus, empty for `p`, whose options stand beside it.
fn prime_field(name: String, label: &str, field: &ast::Field, errors: &mut Errors) -> Option<FieldModel> {
    let own = if label.is_empty() { "p" } else { label };
    let p = errors.keep(field.modulus.span, field.modulus.unsigned(Item { key: own, of: "" }))?;
    let facts = format!("modulus {p:x}");
    if !known::holds(&facts) {
        errors.keep(field.modulus.span, prime::check_modulus(&p).map_err(|e| format!("{own}: {e}")))?;
        known::keep(&facts);
    }
    let options = &field.options;

    // A faulty option has been reported and gives way to its default, so that what depends on the
    // modulus alone is checked in the same run.
    let mut given =
        |key: &str, option: &Option<Number>, check: &dyn Fn(&BigUint) -> Result<(), SpecError>| {
            let declared = option.as_ref()?;
            let value = errors.keep(declared.span, declared.canonical(&p, Item { key, of: label }))?;
            let checked = check(&value).map_err(|fault| format!("{own}: {fault}{}", right_unit(&p, &fault)));
            errors.keep(declared.span, checked).map(|()| value)
        };
    let generator = given("generator", &options.generator, &|g| prime::check_generator(&p, g));
    let two_adic_root =
        given("two_adic_root", &options.two_adic_root, &|root| prime::check_two_adic_root(&p, root));
    let generator = generator.unwrap_or_else(|| prime::least_nonresidue(&p));
    let two_adic_root = two_adic_root.unwrap_or_else(|| prime::two_adic_root(&p, &generator));
    let declared = options.small_subgroup.as_ref();
    let small_subgroup = declared.and_then(|s| small_subgroup(&p, &generator, own, s, errors));
    Some(FieldModel {
        desc: FieldDesc::new(name, p),
        generator_declared: options.generator.is_some(),
        root_declared: options.generator.is_some() || options.two_adic_root.is_some(),
        generator,
        two_adic_root,
        small_subgroup,
    })
}

/// What would do in place of a faulty generator or root of unity.
fn right_unit(p: &BigUint, fault: &SpecError) -> String {
    let right = match fault {
        SpecError::NotATwoAdicRoot { .. } => Some(prime::two_adic_root(p, &prime::least_nonresidue(p)))
            .map(|root| format!("{} has", number(&root))),
        _ => suggest::field_generator(p).map(|generator| format!("the least generator found is {generator}")),
    };
    right.map(|right| format!("; {right}")).unwrap_or_default()
}

fn small_subgroup(
    p: &BigUint,
    generator: &BigUint,
    label: &str,
    declared: &ast::SmallSubgroup,
    errors: &mut Errors,
) -> Option<SmallSubgroup> {
    let mut word = |number: &Number| {
        let word = number.value.to_u32().ok_or_else(|| format!("{label}: {}", error::SMALL_SUBGROUP));
        errors.keep(number.span, word)
    };
    let (base, power) = (word(&declared.base)?, word(&declared.power)?);
    let root = prime::small_subgroup_root(p, generator, base, power).map_err(|fault| {
        let right = suggest::small_subgroup_power(p, base);
        let right = right.map(|power| format!("; {base}^{power} does")).unwrap_or_default();
        format!("{label}: {fault}{right}")
    });
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

/// The levels that are fields. Those above a faulty one are left out, and so are those of another degree than
/// their name.
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
    let label = name.to_string();
    let item = Item { key: "nonresidue", of: &label };
    let nonresidue = coordinates(&rule.nonresidue, p, item, rule.below, errors);
    let below = TowerField { p: p.clone(), tower: tower_of(rule.below, levels)? };
    errors.keep(rule.power_span, below.check_extension(rule.power).map_err(|e| format!("{label}: {e}")))?;
    if rule.power == 3 && p % 3u32 != 1u32.into() {
        errors.push(rule.power_span, format!("{label}: {}", error::CUBIC_TYPE));
    }
    let nonresidue = nonresidue?;
    let checked = below.check_nonresidue(rule.power, &Element(nonresidue.clone())).map_err(|fault| {
        let right = suggest::nonresidue(&below, rule.power);
        let right = right.map(|right| format!("; {} is none", below.print(&right))).unwrap_or_default();
        format!("{label}: {fault}{right}")
    });
    errors.keep(rule.nonresidue.span, checked)?;
    Some(LevelModel { name, below: below.tower, top: Extension { degree: rule.power, nonresidue } })
}

fn tower_of(over: Over, levels: &[LevelModel]) -> Option<Tower> {
    if over == Over::FQ {
        return Some(Tower::prime());
    }
    levels.iter().find(|level| level.name == over).map(LevelModel::tower)
}

/// Canonical coordinates of an element of `over`.
pub(crate) fn coordinates(
    c: &Coordinates,
    p: &BigUint,
    item: Item<'_>,
    over: Over,
    errors: &mut Errors,
) -> Option<Vec<BigUint>> {
    if !c.is_in(over) {
        errors.push(c.span, error::coordinates(item, over, c));
        return None;
    }
    let canonical: Vec<_> = c.numbers.iter().map(|n| errors.keep(n.span, n.canonical(p, item))).collect();
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

    /// The levels of these names, and what they are over: square roots as long as the degree is even. That
    /// they are no fields does not matter to types.
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
            let equation = match model {
                Model::ShortWeierstrass => Equation::ShortWeierstrass { a: number(0), b: number(1) },
                Model::TwistedEdwards | Model::Montgomery => {
                    Equation::TwistedEdwards { a: number(1), d: number(2) }
                }
            };
            let name = format!("{stem}_{name}");
            GroupModel {
                desc: GroupDesc { name, base: fq.desc.clone(), tower: tower.clone(), equation },
                generator: [number(0), number(1)],
                cofactor: 1u32.into(),
                cofactor_inv: 1u32.into(),
                form: None,
                constant: None,
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
