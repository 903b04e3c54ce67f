//! The order of the passes.

use super::gate::{self, Checked, well_formed};
use super::locals::recompute;
use super::{KernelInfo, inline, join_products, lower_towers, place_reductions, schedule, simplify};
use crate::error::PassError;
use crate::fir::ir::Kernel;
use crate::targets::Machine;
use std::sync::Arc;

/// Is told what a kernel and each function that it calls look like after each pass, by the pass' name. Bounds
/// and variants come with the passes that know them.
pub type Observer<'a, T> = dyn FnMut(&'static str, &Kernel, Option<&KernelInfo<T>>) + 'a;

/// Functions as written, and as they are called. What is prepared with one library shares them.
#[derive(Debug)]
pub struct Library<T: Machine>(Vec<(Arc<Kernel>, Arc<Checked<T>>)>);

impl<T: Machine> Default for Library<T> {
    fn default() -> Self {
        Library(vec![])
    }
}

impl<T: Machine> Library<T> {
    /// [`prepare`], with the functions of this library.
    pub fn prepare(&mut self, kernel: &Kernel) -> Result<Checked<T>, PassError> {
        Passes::ALL.run(kernel, self, &mut |_, _, _| {})
    }
}

/// Takes a kernel as written to one that a back end can emit. Verifies before the first pass and after each,
/// so that a pass works on what is well-formed and a fault is told where it comes from; what counts is the
/// [gate].
pub fn prepare<T: Machine>(kernel: &Kernel) -> Result<Checked<T>, PassError> {
    prepare_observed(kernel, &mut |_, _, _| {})
}

/// [`prepare`], with an observer of every pass; `written` comes before the first.
pub fn prepare_observed<T: Machine>(
    kernel: &Kernel,
    observe: &mut Observer<'_, T>,
) -> Result<Checked<T>, PassError> {
    Passes::ALL.run(kernel, &mut Library::default(), observe)
}

/// The pass that finds bounds and chooses variants; it is given what the kernel calls.
type Place<T> = fn(&Kernel, &[Arc<Checked<T>>]) -> Result<(Kernel, KernelInfo<T>), PassError>;

/// A pass that knows of no bounds.
type Rewrite = fn(&Kernel) -> Kernel;

/// What is done to a kernel, in this order.
#[derive(Clone, Copy)]
struct Passes<T: Machine> {
    inline: Rewrite,
    /// By name.
    rewrites: [(&'static str, Rewrite); 5],
    place: Place<T>,
    schedule: fn(&mut Kernel, &KernelInfo<T>),
}

impl<T: Machine> Passes<T> {
    const ALL: Self = Passes {
        inline: inline::<T>,
        rewrites: [
            ("lower_towers", lower_towers::<T>),
            ("simplify", simplify),
            ("join_products", join_products::<T>),
            // The single products that were joined are left to it.
            ("simplify_joined", simplify),
            ("recompute", recompute::<T>),
        ],
        place: place_reductions,
        schedule,
    };

    fn run(
        &self,
        kernel: &Kernel,
        library: &mut Library<T>,
        observe: &mut Observer<'_, T>,
    ) -> Result<Checked<T>, PassError> {
        observe("written", kernel, None);
        well_formed(kernel, "as written")?;
        T::supports(kernel)?;
        let mut kernel = (self.inline)(kernel);
        observe("inline", &kernel, None);
        well_formed(&kernel, "after inline")?;
        let functions = self.functions(&kernel, library, observe)?;
        for (name, pass) in self.rewrites {
            kernel = pass(&kernel);
            observe(name, &kernel, None);
            well_formed(&kernel, &format!("after {name}"))?;
        }
        kernel.functions = functions.iter().map(|f| f.shared_kernel().clone()).collect();
        let (mut kernel, info) = (self.place)(&kernel, &functions)?;
        observe("place_reductions", &kernel, Some(&info));
        well_formed(&kernel, "after place_reductions")?;
        (self.schedule)(&mut kernel, &info);
        observe("schedule", &kernel, Some(&info));
        gate::check(kernel, info, functions)
    }

    /// What the kernel calls, from the library or for it.
    fn functions(
        &self,
        kernel: &Kernel,
        library: &mut Library<T>,
        observe: &mut Observer<'_, T>,
    ) -> Result<Vec<Arc<Checked<T>>>, PassError> {
        let mut prepared = vec![];
        for function in &kernel.functions {
            let known = library.0.iter().find(|(written, _)| written == function);
            prepared.push(match known {
                Some((_, checked)) => checked.clone(),
                None => {
                    let checked = Arc::new(self.run(function, library, observe)?);
                    library.0.push((function.clone(), checked.clone()));
                    checked
                }
            });
        }
        Ok(prepared)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::declaration::FieldDesc;
    use crate::fir::build::{Builder, Fe, Handle};
    use crate::fir::ir::{Stmt, Type};
    use crate::kernels::common_kernels;
    use crate::targets::ptx::Ptx;
    use curvesmith_abi::Geometry;
    use curvesmith_abi::kernels::FieldMul;
    use num_bigint::BigUint;

    const PASSES: Passes<Ptx> = Passes::ALL;

    /// Outside of a loop: against the rules, and nothing that a pass would stumble over.
    fn break_form(mut kernel: Kernel) -> Kernel {
        kernel.body.push(Stmt::Break);
        kernel
    }

    fn kernel() -> Kernel {
        common_kernels(&Geometry::PTX).into_iter().next().expect("there are some")
    }

    /// The fault of these passes, and the stages that were reached.
    fn fault(passes: &Passes<Ptx>, kernel: &Kernel) -> (String, Vec<&'static str>) {
        let mut stages = vec![];
        let mut library = Library::default();
        let error = passes.run(kernel, &mut library, &mut |name, _, _| stages.push(name)).map(drop);
        (error.expect_err("the form is broken").to_string(), stages)
    }

    #[test]
    fn the_passes_as_they_are_leave_no_fault() {
        let mut stages = vec![];
        let mut library = Library::default();
        assert!(PASSES.run(&kernel(), &mut library, &mut |name, _, _| stages.push(name)).is_ok());
        let rewrites = PASSES.rewrites.map(|(name, _)| name);
        assert_eq!(
            stages,
            [&["written", "inline"][..], &rewrites, &["place_reductions", "schedule"]].concat()
        );
    }

    #[test]
    fn a_kernel_that_is_written_against_the_rules_reaches_no_pass() {
        let (error, stages) = fault(&PASSES, &break_form(kernel()));
        assert!(error.starts_with("malformed kernel: as written: "), "{error}");
        assert_eq!(stages, ["written"]);
    }

    /// A power by a function, from two places, so that it is called.
    pub(in crate::passes) fn calls(field: &FieldDesc, products: usize) -> Kernel {
        let b = Builder::for_field::<FieldMul>(&Geometry::PTX, field);
        let f = b.function("power", &[Type::Field]);
        let x = Fe::wrap(&f, f.arguments()[0]);
        let power = (0..products).fold(x, |power, _| power * x).id();
        let power = b.declare(f.finish_function(&[power]));
        let i = b.global_index();
        let of = |name: &str| Fe::wrap(&b, b.call(power, &[b.buffer(name).field(i).id()])[0]);
        b.buffer("out").set_field(i, of("a") + of("b"));
        b.finish()
    }

    fn field() -> FieldDesc {
        FieldDesc::new("f255", (BigUint::from(1u32) << 255) - 19u32)
    }

    #[test]
    fn a_function_is_prepared_once_for_all_kernels_of_a_library() {
        let mut library = Library::<Ptx>::default();
        let [a, b] = [0; 2].map(|_| library.prepare(&calls(&field(), 8)).expect("the kernel is valid"));
        assert_eq!((a.functions().len(), library.0.len()), (1, 1));
        assert!(Arc::ptr_eq(&a.functions()[0], &b.functions()[0]));
        assert!(Arc::ptr_eq(&a.kernel().functions[0], a.functions()[0].shared_kernel()));
    }

    /// What is called has to have passed the gate, as it is called: not another one of the same signature,
    /// and not none.
    #[test]
    fn functions_that_are_not_those_it_calls_are_refused() {
        let checked = prepare::<Ptx>(&calls(&field(), 8)).expect("the kernel is valid");
        let again = |functions| gate::check(checked.kernel().clone(), checked.info().clone(), functions);
        assert!(again(checked.functions().to_vec()).is_ok());
        let other = prepare::<Ptx>(&calls(&field(), 9)).expect("the kernel is valid");
        for functions in [vec![], other.functions().to_vec()] {
            let error = again(functions).map(drop).expect_err("it calls another function");
            assert_eq!(error.to_string(), "malformed kernel: functions that are not those it calls");
        }
    }

    /// Every pass in turn breaks the form: the next one does not see it, and the fault has its name.
    #[test]
    fn a_pass_that_breaks_the_form_is_named() {
        let broken: [Rewrite; 5] = [
            |kernel| break_form(lower_towers::<Ptx>(kernel)),
            |kernel| break_form(simplify(kernel)),
            |kernel| break_form(join_products::<Ptx>(kernel)),
            |kernel| break_form(simplify(kernel)),
            |kernel| break_form(recompute::<Ptx>(kernel)),
        ];
        for (at, pass) in broken.into_iter().enumerate() {
            let mut passes = PASSES;
            let name = passes.rewrites[at].0;
            passes.rewrites[at].1 = pass;
            let (error, stages) = fault(&passes, &kernel());
            assert!(error.starts_with(&format!("malformed kernel: after {name}: ")), "{error}");
            assert_eq!(stages.last(), Some(&name));
        }

        let inline: Rewrite = |kernel| break_form(inline::<Ptx>(kernel));
        let (error, stages) = fault(&Passes { inline, ..PASSES }, &kernel());
        assert!(error.starts_with("malformed kernel: after inline: "), "{error}");
        assert_eq!(stages, ["written", "inline"]);

        let place: Place<Ptx> = |kernel, functions| {
            let (kernel, info) = place_reductions(kernel, functions)?;
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
