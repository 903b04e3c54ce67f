//! Launches of one owner's kernels, and the arguments that a case does not name.

use curvesmith_abi::{Element, Form, KernelDesc, ParamKind};
use curvesmith_codegen::declaration::FieldDesc;
use curvesmith_codegen::fir::interp::{Argument, to_words};
use curvesmith_codegen::fir::ir::Kernel;
use curvesmith_tests::Random;
use curvesmith_tests::four_ways::{FourWays, checked};
use num_bigint::BigUint;
use std::collections::{BTreeMap, BTreeSet};

/// One owner: its kernels in their four forms.
pub(crate) struct Session {
    forms: FourWays,
    descs: Vec<KernelDesc>,
    field: Option<FieldDesc>,
    pub(crate) degree: usize,
    /// What a group's points are.
    pub(crate) form: Form,
    pub(crate) random: Random,
    /// Kernels that were launched, and have changed a buffer.
    seen: BTreeSet<&'static str>,
}

/// Argument by parameter.
pub(crate) type Named<'a> = &'a [(&'a str, Argument)];

/// A buffer of words.
pub(crate) fn buf(words: &[u32]) -> Argument {
    Argument::Buffer(words.to_vec())
}

/// A number.
pub(crate) fn num(x: usize) -> Argument {
    Argument::U32(x as u32)
}

impl Session {
    pub(crate) fn new(kernels: &[Kernel], field: Option<FieldDesc>, degree: usize) -> Session {
        let forms = FourWays::new(kernels, checked(1)).unwrap_or_else(|e| panic!("{e}"));
        let descs = kernels.iter().map(|kernel| kernel.desc).collect();
        Session { forms, descs, field, degree, form: Form::Xyzz, random: Random(11), seen: BTreeSet::new() }
    }

    /// Runs the case of every kernel, which gives `None` for one it does not know.
    pub(crate) fn each_kernel(&mut self, case: fn(&mut Session, &KernelDesc) -> Option<()>) {
        for desc in self.descs.clone() {
            case(self, &desc).unwrap_or_else(|| panic!("{} has no case", desc.name));
            assert!(self.seen.contains(desc.name), "the case of {} does nothing", desc.name);
        }
    }

    pub(crate) fn has_run(&self, name: &str) -> bool {
        self.seen.contains(name)
    }

    pub(crate) fn field(&self) -> &FieldDesc {
        self.field.as_ref().expect("kernels of a field or of a group")
    }

    /// Launches as many threads, at least; buffers after it, by parameter. Of what is not named, buffers of
    /// elements and points get `n` of them.
    pub(crate) fn run(
        &mut self,
        name: &str,
        threads: usize,
        n: usize,
        named: Named<'_>,
    ) -> BTreeMap<&'static str, Vec<u32>> {
        let desc = *self.descs.iter().find(|desc| desc.name == name).expect("the owner has it");
        let args: Vec<Argument> =
            desc.params.iter().map(|p| self.argument(p.name, p.kind, n, named)).collect();
        let grid = threads.div_ceil(desc.block as usize) as u32;
        let owner = self.field.as_ref().map_or("common", |field| &field.name);
        let after = self
            .forms
            .run(name, grid, &args, None)
            .unwrap_or_else(|e| panic!("{owner} degree {} {name}, {named:?}: {e}", self.degree));
        if after != args {
            self.seen.insert(desc.name);
        }
        let buffers = desc.params.iter().zip(after).filter_map(|(param, arg)| match arg {
            Argument::Buffer(words) => Some((param.name, words)),
            _ => None,
        });
        buffers.collect()
    }

    fn argument(&mut self, name: &str, kind: ParamKind, n: usize, named: Named<'_>) -> Argument {
        if let Some((_, value)) = named.iter().find(|(parameter, _)| *parameter == name) {
            return value.clone();
        }
        match kind {
            ParamKind::U32 if name == "n" => num(n),
            ParamKind::Buffer(_, Element::Field) => self.elements(n),
            ParamKind::Buffer(_, Element::Affine) => buf(&self.affine_points(n)),
            ParamKind::Buffer(_, Element::Point) => buf(&self.projective_points(n)),
            _ => panic!("no argument {name}"),
        }
    }

    /// Elements, awkward ones first.
    pub(crate) fn elements(&mut self, n: usize) -> Argument {
        let field = self.field().clone();
        let r_inv = field.r_mod_p().modinv(&field.p).unwrap();
        // As Montgomery words.
        let words = [BigUint::ZERO, 1u32.into(), &field.p - 1u32, &field.p - 2u32, &field.p >> 1];
        let mut all: Vec<BigUint> = words.iter().map(|w| w * &r_inv % &field.p).collect();
        all.extend([1u32.into(), &field.p - 1u32]);
        all.truncate(n);
        all.resize_with(n, || any_element(&field, &mut self.random));
        Argument::Buffer(to_words(&field, &all))
    }

    pub(crate) fn element(&mut self) -> BigUint {
        any_element(&self.field().clone(), &mut self.random)
    }

    pub(crate) fn words(&mut self, n: usize) -> Vec<u32> {
        (0..n).map(|_| self.random.word() as u32).collect()
    }
}

fn any_element(field: &FieldDesc, random: &mut Random) -> BigUint {
    BigUint::new((0..=field.words).map(|_| random.word() as u32).collect()) % &field.p
}
