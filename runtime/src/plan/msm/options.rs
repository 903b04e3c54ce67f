//! Options of multi-scalar multiplications.

use crate::error::{Result, RuntimeError};
use crate::field::modulus_bits;
use crate::group::Group;
use crate::handle::Device;
use crate::owner::Owner;
use crate::vocabulary::{
    Adding, CurveForm, DigitShape, LEAST_ODD_WINDOW, MsmStrategy, PointLanes, widest_window,
};
use curvesmith_abi::Geometry;
use curvesmith_abi::kernels::{msm_has_lane_pairs, msm_has_pairs, msm_has_rows};

/// How many multiples of a base are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Multiples {
    /// At most so many.
    Most(u32),
    /// As many as the device likes to have memory for.
    ThatFit,
}

/// Options of an [`Msm`](crate::Msm), a [`ShardedMsm`](crate::ShardedMsm) or a
/// [`StreamedMsm`](crate::StreamedMsm).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct MsmOptions {
    pub(in crate::plan) window: Option<u32>,
    pub(super) multiples: Multiples,
    /// The largest `e` of bases that are stored times `2^e`.
    pub(super) doublings: u32,
    pub(in crate::plan) adding: Adding,
    pub(in crate::plan) memory: Option<u64>,
    pub(in crate::plan) form: CurveForm,
    /// Whether the work may not depend on scalars.
    pub(in crate::plan) constant: bool,
}

impl Default for MsmOptions {
    fn default() -> Self {
        MsmOptions {
            window: None,
            multiples: Multiples::Most(1),
            doublings: 0,
            adding: Adding::default(),
            memory: None,
            form: CurveForm::Declared,
            constant: false,
        }
    }
}

impl MsmOptions {
    /// Fixes the window width in bits, 2 to 17, with multiples of the bases to 24; by default it follows the
    /// number of bases. The CPU chooses its own.
    pub fn window(mut self, bits: u32) -> Self {
        self.window = Some(bits);
        self
    }

    /// Keeps up to so many precomputed multiples of each base on the device, the base itself among them,
    /// which takes that many times the memory: windows then share buckets, of which there are fewer and
    /// larger sets. By default there is the base alone. The CPU keeps no multiples.
    pub fn multiples(mut self, most: u32) -> Self {
        self.multiples = Multiples::Most(most);
        self
    }

    /// As [`MsmOptions::multiples`], as many as the device has memory for: together with the bases a quarter
    /// of it, by the policies of a large GPU. None on devices with few multiprocessors.
    pub fn multiples_that_fit(mut self) -> Self {
        self.multiples = Multiples::ThatFit;
        self
    }

    /// Stores each base, and each of its multiples, times `2^0` to `2^tau`, which takes `tau + 1` times the
    /// memory, and maps digits to odd ones (Chen et al., §3.1): a digit is `±m·2^e`, and goes to the bucket
    /// of `m` with the base times `2^e`. With `tau` of the window less one, and more, which is the same,
    /// there are half as many buckets as of signed digits, a quarter of the values of a window; with fewer,
    /// half and one in `2^tau` of the other half. Windows have 3 bits at least. 0, the default, stores none.
    /// The CPU stores none.
    pub fn stored_doublings(mut self, tau: u32) -> Self {
        self.doublings = tau;
        self
    }

    /// Fixes how products are added up; by default the device's policy chooses. The CPU adds in its own way.
    ///
    /// Plans refuse a strategy that their group has no kernels for, on every device.
    pub fn strategy(mut self, strategy: MsmStrategy) -> Self {
        self.adding.strategy = Some(strategy);
        self
    }

    /// Fixes how many lanes add to one point; by default a pair in groups that have the kernel. The CPU has
    /// no lanes.
    ///
    /// Plans refuse lanes that their group has no kernel for, on every device.
    pub fn lanes(mut self, lanes: PointLanes) -> Self {
        self.adding.lanes = Some(lanes);
        self
    }

    /// Most bytes of device memory for a call: what a [`StreamedMsm`](crate::StreamedMsm) takes in all, and
    /// beside its bases an [`Msm`](crate::Msm), which refuses calls that take more at least. By default all
    /// that is free, for a `StreamedMsm` half of what the device has. The CPU has no limit.
    pub fn memory(mut self, bytes: u64) -> Self {
        self.memory = Some(bytes);
        self
    }

    /// Has sums computed on another form of the curve, to which an [`Msm`](crate::Msm) brings its bases once.
    /// The CPU adds on the declared one.
    ///
    /// Plans refuse a form that their group is not declared with, on every device, and points of order 2 and
    /// 4, which have no image, where they convert them. Other points outside of the group are not noticed,
    /// and sums with them may be wrong. Bases of a [`StreamedMsm`](crate::StreamedMsm), which would be
    /// converted in every call, have the declared form.
    pub fn form(mut self, form: CurveForm) -> Self {
        self.form = form;
        self
    }

    /// Has the device do the same work for all scalars of one number: every kernel of a call executes the
    /// same instructions on the same lanes, zeros, equal scalars and equal, opposite or identical bases
    /// included (Chen et al., §5). Addresses still depend on scalars, and so does what the host does with the
    /// few points that come back: the book's page on secrets says what that leaves. Scalars of any type count
    /// as long ones.
    ///
    /// **All bases have to be in the group**: for others sums may be wrong, since the recoding takes even
    /// scalars less the order.
    ///
    /// For groups that are declared with `constant_work`; others are refused, and so are the CPU, whose work
    /// depends on scalars, stored doublings, other forms, rounds of affine pairs, and a
    /// [`StreamedMsm`](crate::StreamedMsm).
    pub fn constant_work(mut self) -> Self {
        self.constant = true;
        self
    }

    /// Whether there may be more of a base than itself.
    pub(in crate::plan) fn wants_multiples(&self) -> bool {
        !matches!(self.multiples, Multiples::Most(0 | 1)) || self.doublings > 0
    }

    /// An error where the group has no kernels for the form, or in that form for the strategy, the lanes or
    /// constant work, or the device none.
    pub(in crate::plan) fn check_kernels<G: Group>(&self, device: &Device) -> Result<()> {
        let group = Owner::group_in::<G>(self.form)?;
        if self.constant {
            self.check_constant::<G>(device)?;
        }
        let geometry = device.properties().map_or(Geometry::PTX, |properties| properties.geometry);
        if self.adding.lanes == Some(PointLanes::Pair)
            && !msm_has_lane_pairs(&geometry, group.form, group.words, group.degree)
        {
            let reason = format!(
                "{} has no kernel for points on pairs of lanes: that is in PTX, for Weierstrass curves over quadratic extensions with \
                 coordinates of 20 words and more, here they have {} of degree {}",
                G::NAME,
                group.words * group.degree,
                group.degree
            );
            return Err(RuntimeError::Input { what: "lanes", reason });
        }
        match self.adding.strategy {
            Some(MsmStrategy::BatchedAffine) if !msm_has_pairs(group.form, group.words, group.degree) => {
                let reason = format!(
                    "{} has no kernels for sums of affine pairs: those are for Weierstrass curves with coordinates of 20 words and more, \
                     here they have {}",
                    G::NAME,
                    group.words * group.degree
                );
                Err(RuntimeError::Input { what: "strategy", reason })
            }
            Some(MsmStrategy::RowBalanced) if !msm_has_rows(group.degree) => {
                let reason = format!(
                    "{} has no kernel for sums of rows: those are for groups over prime fields, here coordinates have {} parts",
                    G::NAME,
                    group.degree
                );
                Err(RuntimeError::Input { what: "strategy", reason })
            }
            _ => Ok(()),
        }
    }

    fn check_constant<G: Group>(&self, device: &Device) -> Result<()> {
        Owner::constant_work::<G>()?;
        let reason = if !device.engine().has_constant_work() {
            "what the CPU does depends on scalars"
        } else if self.form != CurveForm::Declared {
            "it is done on the curve as it is declared, not on another form"
        } else if self.doublings > 0 {
            "its digits are odd without stored doublings"
        } else if self.adding.strategy == Some(MsmStrategy::BatchedAffine) {
            "there are no kernels for sums of affine pairs in it"
        } else if self.adding.lanes == Some(PointLanes::Pair) {
            "it has a point a lane"
        } else {
            return Ok(());
        };
        Err(RuntimeError::Input { what: "constant work", reason: reason.to_owned() })
    }

    /// The shape of digits that the window asks for, where it is fixed, with at most so many multiples of a
    /// base.
    pub(in crate::plan) fn shape<G: Group>(&self, multiples: u32) -> Result<Option<DigitShape>> {
        let shape = self.window.map(|window| {
            let widest = widest_window(multiples);
            let least = if self.doublings > 0 { LEAST_ODD_WINDOW } else { 2 };
            if !(least..=widest).contains(&window) {
                let reason = format!("it is {window} bits, {least} to {widest} are supported");
                return Err(RuntimeError::Input { what: "window", reason });
            }
            let bits = modulus_bits::<G::Scalar>();
            if self.constant {
                return Ok(DigitShape::regular(bits, window, multiples));
            }
            Ok(DigitShape::with_multiples(bits, window, multiples).with_doublings(self.doublings))
        });
        shape.transpose()
    }
}
