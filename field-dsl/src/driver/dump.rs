//! One kernel after one pass.

use super::sources::{Declared, is_part};
use super::{DriverError, Result};
use curvesmith_codegen::Plan;
use curvesmith_codegen::dump::stages;
use curvesmith_codegen::fir::ir::Kernel;
use curvesmith_codegen::targets::ptx::emit::Emitter;

/// Stage of the whole image that holds the kernel, header included.
const IMAGE: &str = "image";
/// Stage of everything, one after the other.
const ALL: &str = "all";

/// The text of a kernel after a stage. `owner` is a declaration (`bn254_fq`), or a curve (`bn254`)
/// where only one of its parts has the kernel.
pub(super) fn dump(declared: &Declared, owner: &str, kernel: &str, stage: &str) -> Result<String> {
    let plans = declared.plans(Emitter::default());
    let (plan, kernel) = find(&plans, owner, kernel)?;
    if stage == IMAGE {
        return Ok(plan.text()?);
    }
    let (stages, ended) = stages(kernel);
    if stage == ALL {
        ended?;
        return Ok(stages.iter().map(|s| format!("; ==== {}\n{}\n", s.name, s.text)).collect());
    }
    match stages.iter().find(|s| s.name == stage) {
        Some(found) => Ok(found.text.clone()),
        None => {
            // A stage that a fault kept from being reached is no unknown one.
            ended?;
            let known = stages.iter().map(|s| s.name).chain([IMAGE, ALL]);
            Err(unknown("pass", stage, known))
        }
    }
}

fn find<'a>(plans: &'a [(&str, Vec<Plan>)], owner: &str, kernel: &str) -> Result<(&'a Plan, &'a Kernel)> {
    let names = || plans.iter().map(|(name, _)| *name);
    let exact = names().any(|name| name == owner);
    let fits = |name: &str| if exact { name == owner } else { is_part(name, owner) };
    let fitting: Vec<_> = plans.iter().filter(|(name, _)| fits(name)).collect();
    if fitting.is_empty() {
        return Err(unknown("declaration", owner, names()));
    }
    let all = || {
        let plans = fitting.iter().flat_map(|(name, plans)| plans.iter().map(move |plan| (*name, plan)));
        plans.flat_map(|(name, plan)| plan.kernels().iter().map(move |k| (name, plan, k)))
    };
    let named: Vec<_> = all().filter(|(_, _, k)| k.desc.name == kernel || k.symbol == kernel).collect();
    match named[..] {
        [(_, plan, kernel)] => Ok((plan, kernel)),
        [] => Err(unknown("kernel", kernel, all().map(|(_, _, k)| k.desc.name))),
        _ => Err(unknown(
            "single declaration with that kernel in",
            owner,
            named.iter().map(|(name, _, _)| *name),
        )),
    }
}

fn unknown<'a>(what: &'static str, name: &str, known: impl Iterator<Item = &'a str>) -> DriverError {
    let mut names: Vec<&str> = Vec::new();
    known.for_each(|name| {
        if !names.contains(&name) {
            names.push(name);
        }
    });
    DriverError::Unknown { what, name: name.to_owned(), known: names.join(", ") }
}
