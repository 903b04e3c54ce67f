//! PTX as a [`Target`].

use super::rules::Numbers;
use super::{Bound, Build, Cost, Pipes, calls, locals, prove};
use crate::declaration::{FieldDesc, FieldOp};
use crate::error::PassError;
use crate::fir::ir::{Kernel, Type};
use crate::targets::{self, Claim, Limit, Load, Target, Unproven};
use num_bigint::BigUint;
use std::sync::Arc;

/// NVIDIA GPUs, by PTX. It is emitted once for all of them, and priced by the table of 9.0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ptx {}

/// A legal variant.
pub type Choice = targets::Choice<Ptx>;

/// A legal variant that may not be built yet.
pub type Offer = targets::Offer<Ptx>;

impl Target for Ptx {
    type Bound = Bound;
    type Cost = Cost;
    type Program = Arc<super::Block>;
    type Accepted = super::check::Accepted;
    type Rules = Numbers;

    fn supports(_: &Kernel) -> Result<(), PassError> {
        Ok(())
    }

    fn choices(field: &FieldDesc, op: &FieldOp, operands: &[Bound]) -> Vec<Choice> {
        super::choices(field, op, operands)
    }

    fn offers(field: &FieldDesc, op: &FieldOp, operands: &[Bound]) -> Vec<Offer> {
        super::offers(field, op, operands, false, Build::None)
    }

    fn build(field: &FieldDesc, op: &FieldOp, operands: &[Bound], variant: &'static str) -> Option<Choice> {
        let offers = super::offers(field, op, operands, false, Build::One(variant));
        offers.into_iter().find_map(|offer| offer.built)
    }

    /// Tenths of a cycle.
    fn time(cost: &Cost) -> u64 {
        cost.tenths(&Pipes::SM_90).into()
    }

    /// A formula that multiplies has more to do for the multiplier than any of its operations. Where it adds, an addition
    /// costs the two cycles of an IMAD, as most become one.
    fn price(cost: &Cost, load: Load) -> u64 {
        let (fma, alu) = match load {
            Load::Even => (10, 0),
            Load::Products => (30, 0),
            Load::Sums => (10, 12),
        };
        let (pipes, on_alu) = (&Pipes::SM_90, u64::from(cost.sums + cost.logic));
        fma * u64::from(cost.fma(pipes)) + u64::from(cost.beside(pipes)) + alu * on_alu
    }

    fn rank(cost: &Cost) -> (u64, u64) {
        cost.rank()
    }

    fn products(cost: &Cost) -> usize {
        (cost.wide + cost.imad) as usize
    }

    fn pressure(program: &Arc<super::Block>) -> u32 {
        program.pressure() as u32
    }

    fn registers(kernel: &Kernel, ty: Type) -> u32 {
        match ty {
            Type::Field => kernel.field().words as u32,
            Type::U32 => 1,
            Type::U64 => 2,
            Type::Pred | Type::Ext(_) | Type::Fields => 0,
        }
    }

    fn in_memory(kernel: &Kernel) -> Vec<bool> {
        locals::place(kernel).0.iter().map(Option::is_some).collect()
    }

    /// What is left of 255 registers by the accumulated point, the affine one that is added, and some addresses. On an H200 an
    /// MSM of 2^20 in BN254's G2 takes 12.1 ms with products in one operation, which fit, and 12.7 in several; in
    /// BLS12-381's, where they do not, 31.0 and 29.0 (`docs/log/experiments.md`, "Products in a quadratic
    /// extension").
    fn room_beside_points(kernel: &Kernel) -> u32 {
        const ADDRESSES: u32 = 16;
        let coordinates = 4 + 2;
        let points = coordinates * (kernel.tower.degree() * kernel.field().words) as u32;
        (255 - ADDRESSES).saturating_sub(points)
    }

    fn calls(kernel: &Kernel) -> bool {
        calls::calls(kernel)
    }

    fn calls_function(function: &Kernel, sites: usize) -> bool {
        calls::calls_function(function, sites)
    }

    /// A carry lives in one of seven predicate registers. ptxas interleaves independent products, and where
    /// one of them is itself made of several side by side (Karatsuba), it runs out: carries go to
    /// registers and back, some 10 instructions a word, and the products take longer than rows would. On an H200
    /// one Karatsuba product beside others cost a mixed addition 3 to 5 %, two beside each other gained
    /// nothing; alone a product gained 3 % at 8 words and 10 % at 12 (`docs/log/experiments.md`, "Products in
    /// company").
    ///
    /// Functions run one after another. Kernels over extension fields are crowded all the same: they call
    /// with most registers taken, and a function that needs more of them makes its callers spill.
    fn crowds(kernel: &Kernel) -> bool {
        !calls::calls(kernel) || kernel.tower.top() > 0
    }

    fn prove(field: &FieldDesc, claims: &[Claim<'_, Ptx>]) -> Vec<Result<Self::Accepted, Unproven>> {
        let unproven = |error: prove::ProofError| Unproven(error.to_string());
        prove::prove_all(field, claims).into_iter().map(|proof| proof.map_err(unproven)).collect()
    }

    fn rules(field: &FieldDesc) -> Numbers {
        Numbers::new(&field.p, field.words)
    }

    /// A variant whose result is not canonical whatever its operands asks that the result fits the words,
    /// `neg.canonical` that its operand is canonical, and `dot_fq2.u` that sums of two operands and their products fit;
    /// others ask nothing.
    fn slack(field: &FieldDesc, choice: &Choice, operands: &[Bound]) -> Vec<u64> {
        let mut slack = match choice.variant.rsplit('.').next() {
            _ if choice.variant == "neg.canonical" => vec![0],
            Some("lazy" | "borrow" | "weak" | "copy") => {
                vec![Bound::ANY.units(field) - choice.out.units(field)]
            }
            _ => vec![],
        };
        if choice.variant.starts_with("dot_fq2.u.") {
            let sums: Vec<BigUint> =
                operands.chunks_exact(2).map(|pair| pair[0].max(field) + pair[1].max(field)).collect();
            let products: BigUint = sums.chunks_exact(2).map(|pair| &pair[0] * &pair[1]).sum();
            let room = |value: BigUint| (field.r() - value - 1u32) >> (32 * (field.words - 1));
            let units = |value| u64::try_from(room(value)).expect("less than 2^32 units");
            let high = products >> (32 * field.words);
            slack.extend(sums.into_iter().chain([high]).map(units));
        }
        slack
    }
}

impl targets::Bound for Bound {
    const CANONICAL: Bound = Bound::Canonical;

    fn below(field: &FieldDesc, limit: &BigUint) -> Option<Bound> {
        Bound::below(field, limit)
    }

    fn limit(self, field: &FieldDesc) -> BigUint {
        self.limit(field)
    }

    fn units(self, field: &FieldDesc) -> u64 {
        self.units(field)
    }

    fn stated(self) -> Limit {
        match self {
            Bound::Canonical => Limit::Canonical,
            Bound::Units(units) => Limit::Units(units),
        }
    }

    fn text(self, field: &FieldDesc) -> String {
        self.display(field).to_string()
    }
}
