//! The stages of a proof that run on a device.

use super::key::{HostKey, KeyError};
use super::quotient::Quotient;
use ark_ec::CurveGroup;
use curvesmith_runtime::field::Field;
use curvesmith_runtime::group::{AffineOf, PairingCurve, ProjectiveOf};
use curvesmith_runtime::work::{DigitShape, Direction, Sum, Sums, Work};
use curvesmith_runtime::{
    Csr, Device, DeviceBases, DeviceVec, Matrix, NttTables, Owner, RuntimeError, SpMvSchedule,
};
use std::borrow::Cow;
use std::mem::take;

type Scalar<C> = <<C as PairingCurve>::Fr as Field>::Ark;
type Vector<C> = DeviceVec<<C as PairingCurve>::Fr>;

/// The sums of a proof that A and B are made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OpeningSums<C: PairingCurve> {
    pub(crate) a: ProjectiveOf<C::G1>,
    pub(crate) b_g1: ProjectiveOf<C::G1>,
    pub(crate) b_g2: ProjectiveOf<C::G2>,
}

/// The sums that only C takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ClosingSums<C: PairingCurve> {
    pub(crate) l: ProjectiveOf<C::G1>,
    pub(crate) h: ProjectiveOf<C::G1>,
}

impl<C: PairingCurve> ClosingSums<C> {
    /// C, with its share of A and B.
    pub(super) fn c(&self, share: ProjectiveOf<C::G1>) -> AffineOf<C::G1> {
        (share + self.l + self.h).into_affine()
    }
}

/// The sums of a proof while the device works on them.
#[derive(Debug)]
pub(crate) struct PendingSums<C: PairingCurve> {
    sums: Sums,
    a: Sum<C::G1>,
    b_g1: Sum<C::G1>,
    b_g2: Sum<C::G2>,
    forks: [Work; 3],
    closing: PendingClosing<C>,
}

/// The sums that only C takes, while the device works on them.
#[derive(Debug)]
pub(crate) struct PendingClosing<C: PairingCurve> {
    sums: Sums,
    l: Sum<C::G1>,
    h: Sum<C::G1>,
    forks: [Work; 2],
}

impl<C: PairingCurve> PendingSums<C> {
    /// Waits for the sums of A and B, which come in one copy, and combines them. The device goes on with the others.
    pub(crate) fn opening(self, work: &Work) -> Result<(OpeningSums<C>, PendingClosing<C>), RuntimeError> {
        let Self { sums, a, b_g1, b_g2, forks, closing } = self;
        forks.into_iter().try_for_each(|fork| work.join(fork))?;
        let bytes = work.stage("download a b", |work| work.download_sums(&sums))?;
        // On a GPU without multiples some hundred doublings each, none of which can wait for another.
        let sums = work.stage("combine a b", |_| {
            let (b_g2, (a, b_g1)) =
                rayon::join(|| b_g2.point(&bytes), || rayon::join(|| a.point(&bytes), || b_g1.point(&bytes)));
            Ok(OpeningSums { a: a?, b_g1: b_g1?, b_g2: b_g2? })
        })?;
        Ok((sums, closing))
    }
}

impl<C: PairingCurve> PendingClosing<C> {
    /// Waits for the last sums, as [`PendingSums::opening`] for the first.
    pub(crate) fn closing(self, work: &Work) -> Result<ClosingSums<C>, RuntimeError> {
        let Self { sums, l, h, forks } = self;
        forks.into_iter().try_for_each(|fork| work.join(fork))?;
        let bytes = work.stage("download c", |work| work.download_sums(&sums))?;
        work.stage("combine c", |_| {
            let (l, h) = rayon::join(|| l.point(&bytes), || h.point(&bytes));
            Ok(ClosingSums { l: l?, h: h? })
        })
    }
}

/// A key whose points, matrices and twiddles live on a device.
#[derive(Debug)]
pub(crate) struct DeviceKey<C: PairingCurve> {
    quotient: Quotient<Scalar<C>>,
    /// Shapes of the digits of the wires and of H's.
    shapes: [DigitShape; 2],
    tables: NttTables<C::Fr>,
    /// A and B, and C where the quotient has it, each with as many rows as the domain has elements.
    matrices: Matrix<C::Fr>,
    /// Whether C is that of the key, and not made of A's and B's products.
    has_c: bool,
    pub(super) wires: usize,
    pub(super) queries: Queries<C>,
}

/// The points of a key that scalars of a proof are multiplied by.
#[derive(Debug)]
pub(crate) struct Queries<C: PairingCurve> {
    pub(super) a: DeviceBases<C::G1>,
    pub(super) b_g1: DeviceBases<C::G1>,
    pub(super) b_g2: DeviceBases<C::G2>,
    pub(super) l: DeviceBases<C::G1>,
    pub(super) h: DeviceBases<C::G1>,
}

impl<C: PairingCurve> Queries<C> {
    /// Bytes of the device's memory.
    fn bytes(&self) -> u64 {
        [&self.a, &self.b_g1, &self.l, &self.h].map(DeviceBases::bytes).iter().sum::<u64>()
            + self.b_g2.bytes()
    }

    /// With multiples for digits of these shapes, of the wires and of H.
    fn multiples(&self, work: &Work, [wires, h]: [DigitShape; 2]) -> Result<Self, RuntimeError> {
        Ok(Queries {
            a: work.multiples(&self.a, wires)?,
            b_g1: work.multiples(&self.b_g1, wires)?,
            b_g2: work.multiples(&self.b_g2, wires)?,
            l: work.multiples(&self.l, wires)?,
            h: work.multiples(&self.h, h)?,
        })
    }
}

/// A key on the host, and what becomes of its queries once a device has them.
#[derive(Debug)]
pub(crate) enum Source<'a, C: PairingCurve> {
    /// They stay.
    Keep(&'a HostKey<C>),
    /// Each is given to the device, or freed.
    Take(&'a mut HostKey<C>),
}

/// Refuses a key whose points, with the vectors of one proof, are more than the device has free. What else a proof takes is not
/// counted, so that none is refused that would fit.
pub(super) fn check_room<C: PairingCurve>(device: &Device, key: &HostKey<C>) -> Result<(), KeyError> {
    let Some(available) = device.free_memory()? else { return Ok(()) };
    let in_g1 = key.a_query.len() + key.b_g1_query.len() + key.l_query.len() + key.h_query.len();
    let points =
        DeviceBases::<C::G1>::bytes_for(in_g1) + DeviceBases::<C::G2>::bytes_for(key.b_g2_query.len());
    let needed = points + Vector::<C>::bytes_for(key.wires + 3 * key.quotient.domain);
    if needed > available { Err(KeyError::DeviceMemory { needed, available }) } else { Ok(()) }
}

impl<C: PairingCurve> DeviceKey<C> {
    /// Moves a key to a device, with all kernels that proofs launch.
    pub(crate) fn new(device: &Device, mut source: Source<'_, C>) -> Result<Self, RuntimeError> {
        device.preload(&[
            Owner::common(),
            Owner::field::<C::Fr>(),
            Owner::group::<C::G1>(),
            Owner::group::<C::G2>(),
        ])?;
        let work = device.work()?;
        macro_rules! bases {
            ($query:ident) => {
                match &mut source {
                    Source::Keep(key) => work.bases(Cow::Borrowed(&key.$query))?,
                    Source::Take(key) => work.bases(Cow::Owned(take(&mut key.$query)))?,
                }
            };
        }
        let queries = Queries {
            a: bases!(a_query),
            l: bases!(l_query),
            h: bases!(h_query),
            b_g1: bases!(b_g1_query),
            b_g2: bases!(b_g2_query),
        };
        let key = match &source {
            Source::Keep(key) => *key,
            Source::Take(key) => &**key,
        };
        let domain = key.quotient.domain;
        let matrices: Vec<_> = [&key.a, &key.b].into_iter().chain(&key.c).collect();
        let made = Self {
            quotient: key.quotient,
            shapes: [key.wires, domain].map(|n| work.digit_shape::<C::Fr>(n)),
            tables: work.ntt_tables::<C::Fr>(domain, key.quotient.omega)?,
            matrices: work.matrix::<C::Fr>(&Csr::stack(&matrices, domain)?)?,
            has_c: key.c.is_some(),
            wires: key.wires,
            queries,
        };
        work.finish()?;
        Ok(made)
    }

    /// The key with multiples of its points, as many as the device likes to keep; without any where there is no room for them.
    pub(crate) fn with_multiples(self, device: &Device) -> Result<Self, RuntimeError> {
        let work = device.work()?;
        let most = work.most_multiples(self.queries.bytes());
        let shape = |n| work.shape_with_multiples::<C::Fr>(n, most);
        let shapes = [self.wires, self.queries.h.len()].map(shape);
        if shapes.iter().any(|shape| shape.multiples == 1) {
            return Ok(self);
        }
        match work.complete(|work| self.queries.multiples(work, shapes)) {
            Ok((queries, _)) => Ok(Self { shapes, queries, ..self }),
            Err(RuntimeError::OutOfMemory { .. }) => Ok(self),
            Err(error) => Err(error),
        }
    }

    pub(crate) fn schedule(&self) -> Option<SpMvSchedule> {
        self.matrices.schedule()
    }

    pub(crate) fn multiples(&self) -> u32 {
        self.shapes[0].multiples
    }

    /// Submits the sums of a witness, which has one value per wire.
    ///
    /// The sums over wires need the digits of the witness alone, so they run beside the quotient, each on a stream
    /// of its own. Those of A and B come first, the G2 sum, which takes longest, before all: the host checks A and B while the device
    /// ends the others.
    pub(crate) fn submit(&self, work: &Work, witness: &[Scalar<C>]) -> Result<PendingSums<C>, RuntimeError> {
        let witness = work.stage("upload", |work| work.upload::<C::Fr>(witness))?;
        // A long chain of short kernels: behind the additions of the other sums it would end last, and alone.
        let quotient = work.fork_urgent()?;
        // One decomposition and sort serves the four queries that are indexed by wire.
        let [shape, h_shape] = self.shapes;
        let digits = work.stage("digits", |work| work.digits::<C::Fr>(&witness, shape))?;
        let g1 = work.sum_bytes::<C::G1>(shape);
        let opening = work.sums(2 * g1 + work.sum_bytes::<C::G2>(shape))?;
        let closing = work.sums(g1 + work.sum_bytes::<C::G1>(h_shape))?;

        let forks = [work.fork()?, work.fork()?, work.fork()?];
        let l_fork = work.fork()?;
        let [b_g2_fork, a_fork, b_g1_fork] = &forks;
        let b_g2 = b_g2_fork.stage("msm b2", |work| work.msm_into(&digits, &self.queries.b_g2, &opening))?;
        let h = self.h(&quotient, &witness)?;
        let h = quotient.stage("msm h", |work| {
            let digits = work.digits::<C::Fr>(&h, h_shape)?;
            work.msm_into(&digits, &self.queries.h, &closing)
        })?;
        let a = a_fork.stage("msm a", |work| work.msm_into(&digits, &self.queries.a, &opening))?;
        let b_g1 = b_g1_fork.stage("msm b1", |work| work.msm_into(&digits, &self.queries.b_g1, &opening))?;
        let l = l_fork.stage("msm l", |work| work.msm_into(&digits, &self.queries.l, &closing))?;
        let closing = PendingClosing { sums: closing, l, h, forks: [quotient, l_fork] };
        Ok(PendingSums { sums: opening, a, b_g1, b_g2, forks, closing })
    }

    /// h from the witness on the device.
    fn h(&self, work: &Work, witness: &Vector<C>) -> Result<Vector<C>, RuntimeError> {
        let n = self.quotient.domain;
        let one = <Scalar<C> as ark_ff::Field>::ONE;
        let shift = self.quotient.shift;
        // The three vectors lie one after the other: what is done to all of them is one launch.
        let mut abc = work.stage("spmv", |work| {
            let mut abc = work.spmv(&self.matrices, witness, 3 * n)?;
            if !self.has_c {
                work.mul_thirds(&mut abc)?;
            }
            Ok(abc)
        })?;
        work.stage("ntt", |work| {
            work.ntt(&self.tables, &mut abc, Direction::Inverse, one)?;
            work.ntt(&self.tables, &mut abc, Direction::Forward, shift)?;
            let mut h = work.mul_sub_thirds(&abc)?;
            if let Some(z_inverse) = self.quotient.z_inverse {
                h = work.mul_const(&h, z_inverse)?;
                work.ntt(&self.tables, &mut h, Direction::Inverse, shift)?;
            }
            Ok(h)
        })
    }

    /// h as the H query's scalars.
    #[cfg(test)]
    pub(crate) fn h_scalars(
        &self,
        device: &Device,
        witness: &[Scalar<C>],
    ) -> Result<Vec<Scalar<C>>, RuntimeError> {
        let work = device.work()?;
        let witness = work.upload::<C::Fr>(witness)?;
        let h = work.download(&self.h(&work, &witness)?)?;
        work.finish()?;
        Ok(h)
    }
}
