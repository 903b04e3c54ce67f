//! The stages of a proof that run on a device.

use super::key::{HostKey, KeyError};
use super::quotient::Quotient;
use ark_ec::CurveGroup;
use ark_ff::Zero as _;
use curvesmith_runtime::field::Field;
use curvesmith_runtime::group::{AffineOf, PairingCurve, ProjectiveOf};
use curvesmith_runtime::parallel::{first, join};
use curvesmith_runtime::vocabulary::{DigitShape, Direction};
use curvesmith_runtime::work::{StreamParts, Sum, Sums, Work};
use curvesmith_runtime::{
    Csr, Device, DeviceBases, DeviceVec, Matrix, NttTables, Owner, RuntimeError, SpMvSchedule,
};
use std::borrow::Cow;
use std::mem::take;
use zeroize::Zeroize;

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
    forks: Vec<Work>,
    closing: PendingClosing<C>,
}

/// The sums that only C takes, while the device works on them.
#[derive(Debug)]
pub(crate) struct PendingClosing<C: PairingCurve> {
    sums: Sums,
    l: Sum<C::G1>,
    h: Sum<C::G1>,
    forks: Vec<Work>,
}

impl<C: PairingCurve> PendingSums<C> {
    /// Waits for the sums of A and B, which come in one copy, and combines them. The device goes on with the
    /// others.
    pub(crate) fn opening(self, work: &Work) -> Result<(OpeningSums<C>, PendingClosing<C>), RuntimeError> {
        let Self { sums, a, b_g1, b_g2, forks, closing } = self;
        forks.into_iter().try_for_each(|fork| work.join(fork))?;
        let bytes = work.stage("download a b", |work| work.download_sums(&sums))?;
        // On a GPU without multiples some hundred doublings each, none of which can wait for another.
        let sums = work.stage("combine a b", |_| {
            let (b_g2, (a, b_g1)) =
                join(|| b_g2.point(&bytes), || join(|| a.point(&bytes), || b_g1.point(&bytes)));
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
            let (l, h) = join(|| l.point(&bytes), || h.point(&bytes));
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
    points: Points<C>,
}

/// Where the sums of a proof take their points from.
#[derive(Debug)]
enum Points<C: PairingCurve> {
    Resident(Box<Queries<C>>),
    /// From the host, in parts.
    Streamed(Streams),
}

/// The parts in which queries go to the device: those over wires in G1, that in G2, and H.
#[derive(Debug)]
struct Streams {
    g1: StreamParts,
    g2: StreamParts,
    h: StreamParts,
}

/// The points of a key that scalars of a proof are multiplied by, on a device.
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

impl<C: PairingCurve> Source<'_, C> {
    fn key(&self) -> &HostKey<C> {
        match self {
            Source::Keep(key) => key,
            Source::Take(key) => key,
        }
    }
}

/// Where the points of a key are while proofs are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    OnDevice,
    OnHost,
}

/// Where a key's points can be: on the device if they have room there, with the vectors of one proof, else on
/// the host, if that is allowed. What else a proof takes is not counted, so that none is refused that would
/// fit.
pub(super) fn place<C: PairingCurve>(
    device: &Device,
    key: &HostKey<C>,
    stream: bool,
) -> Result<Place, KeyError> {
    let Some(available) = device.free_memory()? else { return Ok(Place::OnDevice) };
    let in_g1 = key.a_query.len() + key.b_g1_query.len() + key.l_query.len() + key.h_query.len();
    let points =
        DeviceBases::<C::G1>::bytes_for(in_g1) + DeviceBases::<C::G2>::bytes_for(key.b_g2_query.len());
    let vectors = Vector::<C>::bytes_for(key.wires + 3 * key.quotient.domain);
    let refused = |needed| Err(KeyError::DeviceMemory { needed, available });
    match points + vectors {
        needed if needed <= available => Ok(Place::OnDevice),
        needed if !stream => refused(needed),
        _ if vectors <= available => Ok(Place::OnHost),
        _ => refused(vectors),
    }
}

impl Streams {
    /// For half of what the device has free beside the rest of the key: a part is copied while another is
    /// worked on, and the vectors of other proofs are there too.
    fn new<C: PairingCurve>(work: &Work, device: &Device, key: &HostKey<C>) -> Result<Self, RuntimeError> {
        let budget = device.free_memory()?.unwrap_or(u64::MAX) / 2;
        Ok(Streams {
            g1: work.stream_parts::<C::G1>(key.wires, budget)?,
            g2: work.stream_parts::<C::G2>(key.wires, budget)?,
            h: work.stream_parts::<C::G1>(key.h_query.len(), budget)?,
        })
    }

    /// The most parts that a query comes in.
    fn parts(&self) -> usize {
        [self.g1, self.g2, self.h].iter().map(StreamParts::count).max().unwrap_or(1)
    }
}

impl<C: PairingCurve> DeviceKey<C> {
    /// Parts in which the points of a query go to the device in every proof; 0 where they are there.
    pub(crate) fn streamed_parts(&self) -> usize {
        match &self.points {
            Points::Resident(_) => 0,
            Points::Streamed(streams) => streams.parts(),
        }
    }

    /// Moves a key to a device, all but its points where they stay on the host, with all kernels that proofs
    /// launch.
    pub(crate) fn new(
        device: &Device,
        mut source: Source<'_, C>,
        place: Place,
    ) -> Result<Self, RuntimeError> {
        device.preload(&[
            Owner::common(),
            Owner::field::<C::Fr>(),
            Owner::group::<C::G1>(),
            Owner::group::<C::G2>(),
        ])?;
        if let Some(properties) = device.properties() {
            // They are one buffer, which kernels take as a whole.
            let bytes = Vector::<C>::bytes_for(3 * source.key().quotient.domain);
            properties.reach("the quotient's vectors", bytes)?;
        }
        let work = device.work()?;
        macro_rules! bases {
            ($query:ident) => {
                match &mut source {
                    Source::Keep(key) => work.bases(Cow::Borrowed(&key.$query))?,
                    Source::Take(key) => work.bases(Cow::Owned(take(&mut key.$query)))?,
                }
            };
        }
        let queries = match place {
            Place::OnHost => None,
            Place::OnDevice => Some(Queries {
                a: bases!(a_query),
                l: bases!(l_query),
                h: bases!(h_query),
                b_g1: bases!(b_g1_query),
                b_g2: bases!(b_g2_query),
            }),
        };
        let key = source.key();
        let domain = key.quotient.domain;
        let matrices: Vec<_> = [&key.a, &key.b].into_iter().chain(&key.c).collect();
        let tables = work.ntt_tables::<C::Fr>(domain, key.quotient.omega)?;
        let matrices = work.matrix::<C::Fr>(&Csr::stack(&matrices, domain)?)?;
        let points = match queries {
            Some(queries) => Points::Resident(Box::new(queries)),
            None => Points::Streamed(Streams::new::<C>(&work, device, key)?),
        };
        let made = Self {
            quotient: key.quotient,
            shapes: [key.wires, domain].map(|n| work.digit_shape::<C::Fr>(n)),
            tables,
            matrices,
            has_c: key.c.is_some(),
            wires: key.wires,
            points,
        };
        work.finish()?;
        Ok(made)
    }

    /// The key with multiples of its points, as many as the device likes to keep; without any where there is
    /// no room for them.
    pub(crate) fn with_multiples(self, device: &Device) -> Result<Self, RuntimeError> {
        let Points::Resident(queries) = &self.points else { return Ok(self) };
        let work = device.work()?;
        let most = work.most_multiples(queries.bytes());
        let shape = |n| work.shape_with_multiples::<C::Fr>(n, most);
        let shapes = [self.wires, queries.h.len()].map(shape);
        if shapes.iter().any(|shape| shape.multiples == 1) {
            return Ok(self);
        }
        match work.complete(|work| queries.multiples(work, shapes)) {
            Ok((queries, _)) => Ok(Self { shapes, points: Points::Resident(Box::new(queries)), ..self }),
            Err(RuntimeError::OutOfMemory { .. }) => Ok(self),
            Err(error) => Err(error),
        }
    }

    /// The queries, where the device has them.
    pub(super) fn queries(&self) -> Option<&Queries<C>> {
        match &self.points {
            Points::Resident(queries) => Some(queries),
            Points::Streamed(_) => None,
        }
    }

    pub(crate) fn schedule(&self) -> Option<SpMvSchedule> {
        self.matrices.schedule()
    }

    pub(crate) fn multiples(&self) -> u32 {
        self.shapes[0].multiples
    }

    /// Submits the sums of a witness, which has one value per wire. Points that are not on the device are
    /// those of `host`.
    pub(crate) fn submit(
        &self,
        work: &Work,
        witness: &[Scalar<C>],
        host: Option<&HostKey<C>>,
    ) -> Result<PendingSums<C>, RuntimeError> {
        match (&self.points, host) {
            (Points::Resident(queries), _) => self.submit_resident(work, witness, queries),
            (Points::Streamed(streams), Some(key)) => self.submit_streamed(work, witness, streams, key),
            (Points::Streamed(_), None) => Err(RuntimeError::OtherDevice { what: "key" }),
        }
    }

    /// The sums over wires need the digits of the witness alone, so they run beside the quotient, each on a
    /// stream of its own. Those of A and B come first, the G2 sum, which takes longest, before all: the host
    /// checks A and B while the device ends the others.
    fn submit_resident(
        &self,
        work: &Work,
        witness: &[Scalar<C>],
        queries: &Queries<C>,
    ) -> Result<PendingSums<C>, RuntimeError> {
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
        let b_g2 = b_g2_fork.stage("msm b2", |work| work.msm_into(&digits, &queries.b_g2, &opening))?;
        let h = self.h(&quotient, &witness)?;
        let h = quotient.stage("msm h", |work| {
            let digits = work.digits::<C::Fr>(&h, h_shape)?;
            work.msm_into(&digits, &queries.h, &closing)
        })?;
        let a = a_fork.stage("msm a", |work| work.msm_into(&digits, &queries.a, &opening))?;
        let b_g1 = b_g1_fork.stage("msm b1", |work| work.msm_into(&digits, &queries.b_g1, &opening))?;
        let l = l_fork.stage("msm l", |work| work.msm_into(&digits, &queries.l, &closing))?;
        let closing = PendingClosing { sums: closing, l, h, forks: vec![quotient, l_fork] };
        Ok(PendingSums { sums: opening, a, b_g1, b_g2, forks: forks.into(), closing })
    }

    /// One sum after the other, so that each has the memory of the one before. h goes to the host, where the
    /// sums take scalars from.
    fn submit_streamed(
        &self,
        work: &Work,
        witness: &[Scalar<C>],
        streams: &Streams,
        key: &HostKey<C>,
    ) -> Result<PendingSums<C>, RuntimeError> {
        let on_device = work.stage("upload", |work| work.upload::<C::Fr>(witness))?;
        let h_scalars = self.h(work, &on_device)?;
        drop(on_device);
        let mut h_scalars = work.stage("download h", |work| work.download(&h_scalars))?;
        let Streams { g1, g2, h } = streams;
        let g1_bytes = work.sum_bytes::<C::G1>(g1.shape());
        let opening = work.sums(2 * g1_bytes + work.sum_bytes::<C::G2>(g2.shape()))?;
        let closing = work.sums(g1_bytes + work.sum_bytes::<C::G1>(h.shape()))?;
        let b_g2 = work.streamed_into::<C::G2>(&key.b_g2_query, witness, g2, &opening)?;
        let a = work.streamed_into::<C::G1>(&key.a_query, witness, g1, &opening)?;
        let b_g1 = work.streamed_into::<C::G1>(&key.b_g1_query, witness, g1, &opening)?;
        let l = work.streamed_into::<C::G1>(&key.l_query, witness, g1, &closing)?;
        let sum_h = work.streamed_into::<C::G1>(&key.h_query, &h_scalars, h, &closing);
        h_scalars.zeroize();
        let closing = PendingClosing { sums: closing, l, h: sum_h?, forks: Vec::new() };
        Ok(PendingSums { sums: opening, a, b_g1, b_g2, forks: Vec::new(), closing })
    }

    /// Whether a witness, which has one value per wire, satisfies the key's constraints; `None` where the key
    /// has no C to tell by.
    pub(super) fn is_satisfied_by(
        &self,
        device: &Device,
        wipe: bool,
        witness: &[Scalar<C>],
    ) -> Result<Option<bool>, RuntimeError> {
        if !self.has_c {
            return Ok(None);
        }
        let work = device.work()?;
        if wipe {
            work.wipe_at_end();
        }
        let (differences, _) = work.complete(|work| {
            let witness = work.upload::<C::Fr>(witness)?;
            let abc = work.spmv(&self.matrices, &witness, 3 * self.quotient.domain)?;
            work.take(work.mul_sub_thirds(&abc)?)
        })?;
        let broken = first(differences.len(), &|row| !differences[row].is_zero());
        Ok(Some(broken.is_none()))
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
