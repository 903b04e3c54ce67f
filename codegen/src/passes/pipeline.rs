//! The order of the passes.

use super::gate::{self, Checked, well_formed};
use super::{KernelInfo, join_products, lower_towers, place_reductions, schedule, simplify};
use crate::error::PassError;
use crate::fir::ir::Kernel;
use crate::target::Target;

/// Is told what a kernel looks like after each pass, by the pass' name. Bounds and variants come
/// with the passes that know them.
pub type Observer<'a, T> = dyn FnMut(&'static str, &Kernel, Option<&KernelInfo<T>>) + 'a;

/// Takes a kernel as written to one that a back end can emit. Verifies before the first pass and after
/// each, so that a pass works on what is well-formed and a fault is told where it comes from; what counts is the
/// [gate].
pub fn prepare<T: Target>(kernel: &Kernel) -> Result<Checked<T>, PassError> {
    prepare_observed(kernel, &mut |_, _, _| {})
}

/// [`prepare`], with an observer of every pass; `written` comes before the first.
pub fn prepare_observed<T: Target>(
    kernel: &Kernel,
    observe: &mut Observer<'_, T>,
) -> Result<Checked<T>, PassError> {
    Passes::ALL.run(kernel, observe)
}

/// The pass that finds bounds and chooses variants.
type Place<T> = fn(&Kernel) -> Result<(Kernel, KernelInfo<T>), PassError>;

/// A pass that knows of no bounds.
type Rewrite = fn(&Kernel) -> Kernel;

/// What is done to a kernel, in this order.
#[derive(Clone, Copy)]
struct Passes<T: Target> {
    /// By name.
    rewrites: [(&'static str, Rewrite); 4],
    place: Place<T>,
    schedule: fn(&mut Kernel, &KernelInfo<T>),
}

impl<T: Target> Passes<T> {
    const ALL: Self = Passes {
        rewrites: [
            ("lower_towers", lower_towers::<T>),
            ("simplify", simplify),
            ("join_products", join_products::<T>),
            // The single products that were joined are left to it.
            ("simplify_joined", simplify),
        ],
        place: place_reductions,
        schedule,
    };

    fn run(&self, kernel: &Kernel, observe: &mut Observer<'_, T>) -> Result<Checked<T>, PassError> {
        observe("written", kernel, None);
        well_formed(kernel, "as written")?;
        T::supports(kernel)?;
        let mut kernel = kernel.clone();
        for (name, pass) in self.rewrites {
            kernel = pass(&kernel);
            observe(name, &kernel, None);
            well_formed(&kernel, &format!("after {name}"))?;
        }
        let (mut kernel, info) = (self.place)(&kernel)?;
        observe("place_reductions", &kernel, Some(&info));
        well_formed(&kernel, "after place_reductions")?;
        (self.schedule)(&mut kernel, &info);
        observe("schedule", &kernel, Some(&info));
        gate::check(kernel, info)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fir::ir::Stmt;
    use crate::kernels::common_kernels;
    use crate::target::ptx::Ptx;

    const PASSES: Passes<Ptx> = Passes::ALL;

    /// Outside of a loop: against the rules, and nothing that a pass would stumble over.
    fn break_form(mut kernel: Kernel) -> Kernel {
        kernel.body.push(Stmt::Break);
        kernel
    }

    fn kernel() -> Kernel {
        common_kernels().into_iter().next().expect("there are some")
    }

    /// The fault of these passes, and the stages that were reached.
    fn fault(passes: &Passes<Ptx>, kernel: &Kernel) -> (String, Vec<&'static str>) {
        let mut stages = vec![];
        let error = passes.run(kernel, &mut |name, _, _| stages.push(name)).map(drop);
        (error.expect_err("the form is broken").to_string(), stages)
    }

    #[test]
    fn the_passes_as_they_are_leave_no_fault() {
        let mut stages = vec![];
        assert!(PASSES.run(&kernel(), &mut |name, _, _| stages.push(name)).is_ok());
        let rewrites = PASSES.rewrites.map(|(name, _)| name);
        assert_eq!(stages, [&["written"][..], &rewrites, &["place_reductions", "schedule"]].concat());
    }

    #[test]
    fn a_kernel_that_is_written_against_the_rules_reaches_no_pass() {
        let (error, stages) = fault(&PASSES, &break_form(kernel()));
        assert!(error.starts_with("malformed kernel: as written: "), "{error}");
        assert_eq!(stages, ["written"]);
    }

    /// Every pass in turn breaks the form: the next one does not see it, and the fault has its name.
    #[test]
    fn a_pass_that_breaks_the_form_is_named() {
        let broken: [Rewrite; 4] = [
            |kernel| break_form(lower_towers::<Ptx>(kernel)),
            |kernel| break_form(simplify(kernel)),
            |kernel| break_form(join_products::<Ptx>(kernel)),
            |kernel| break_form(simplify(kernel)),
        ];
        for (at, pass) in broken.into_iter().enumerate() {
            let mut passes = PASSES;
            let name = passes.rewrites[at].0;
            passes.rewrites[at].1 = pass;
            let (error, stages) = fault(&passes, &kernel());
            assert!(error.starts_with(&format!("malformed kernel: after {name}: ")), "{error}");
            assert_eq!(stages.last(), Some(&name));
        }

        let place: Place<Ptx> = |kernel| {
            let (kernel, info) = place_reductions(kernel)?;
            Ok((break_form(kernel), info))
        };
        let (error, stages) = fault(&Passes { place, ..PASSES }, &kernel());
        assert!(error.starts_with("malformed kernel: after place_reductions: "), "{error}");
        assert_eq!(stages.last(), Some(&"place_reductions"));

        let late: fn(&mut Kernel, &KernelInfo<Ptx>) = |kernel, info| {
            schedule(kernel, info);
            kernel.body.push(Stmt::Break);
        };
        let (error, _) = fault(&Passes { schedule: late, ..PASSES }, &kernel());
        assert!(error.starts_with("malformed kernel: as scheduled: "), "{error}");
    }
}
