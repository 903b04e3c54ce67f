//! Proving keys on the host, in the shape in which the stages take them.

use super::quotient::Quotient;
use crate::r1cs::R1cs;
use crate::snarkjs::{Zkey, ZkeyError};
use crate::verify::{Weakness, weaknesses_of_proving_key};
use ark_ec::AffineRepr;
use ark_ff::{FftField, One};
use ark_groth16::{ProvingKey, VerifyingKey};
use curvesmith_runtime::Csr;
use curvesmith_runtime::RuntimeError;
use curvesmith_runtime::field::Field;
use curvesmith_runtime::group::{AffineOf, Group, PairingCurve, Points as _, ProjectiveOf};
use curvesmith_runtime::parallel::first;

/// How a key is loaded and used.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct KeyOptions {
    /// Skip the checks that points lie on their curve and, in a key's header, in the
    /// subgroup. Only for keys that were checked before. Default: false.
    pub trust_key: bool,
    /// Check that every point of the key is in the subgroup of order r. Without it a crafted key
    /// gives no proof that tells the witness either, since the points of each proof are tested;
    /// but whether there is a proof tells whether a sum of wires is a multiple of a small number.
    /// For keys from strangers, on curves whose groups have a cofactor. Default: false.
    pub check_subgroups: bool,
    /// Verify every proof before it is returned. Default: true.
    pub self_check: bool,
    /// Keep precomputed multiples of the key's points on a GPU that has room for them: proofs are faster, and
    /// loading the key takes as long as some tens of proofs. Default: true.
    pub multiples: bool,
    /// Zero the device memory of every proof before anyone else gets it: the witness, its digits, and all
    /// that is made of them. Default: false.
    pub wipe: bool,
    /// Prove with a key that does not fit on the device: its points stay on the host, and every proof copies
    /// them there in parts. Without it such a key is refused. One that fits is moved to the device in any
    /// case. Default: false.
    pub stream: bool,
    /// Refuse keys under which anyone can make proofs, as far as their points show it:
    /// [`Weakness`]. Default: false.
    pub refuse_weak: bool,
}

impl Default for KeyOptions {
    fn default() -> Self {
        Self {
            trust_key: false,
            check_subgroups: false,
            self_check: true,
            multiples: true,
            wipe: false,
            stream: false,
            refuse_weak: false,
        }
    }
}

impl KeyOptions {
    /// Sets [`KeyOptions::trust_key`].
    pub fn trust_key(mut self, trust: bool) -> Self {
        self.trust_key = trust;
        self
    }

    /// Sets [`KeyOptions::check_subgroups`].
    pub fn check_subgroups(mut self, check: bool) -> Self {
        self.check_subgroups = check;
        self
    }

    /// Sets [`KeyOptions::multiples`].
    pub fn multiples(mut self, keep: bool) -> Self {
        self.multiples = keep;
        self
    }

    /// Sets [`KeyOptions::wipe`].
    pub fn wipe(mut self, wipe: bool) -> Self {
        self.wipe = wipe;
        self
    }

    /// Sets [`KeyOptions::stream`].
    pub fn stream(mut self, allow: bool) -> Self {
        self.stream = allow;
        self
    }

    /// Sets [`KeyOptions::refuse_weak`].
    pub fn refuse_weak(mut self, refuse: bool) -> Self {
        self.refuse_weak = refuse;
        self
    }

    /// Sets [`KeyOptions::self_check`].
    pub fn self_check(mut self, check: bool) -> Self {
        self.self_check = check;
        self
    }
}

/// Why a key could not be made ready.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// The file is not a usable key.
    #[error(transparent)]
    Zkey(#[from] ZkeyError),
    /// The key was made for other constraints than those it is loaded with: use the circuit's
    /// own key, or make one.
    #[error(
        "the key is for another circuit: it takes at most {} constraints on {} wires, in a domain of {}; \
         this circuit has {} constraints on at least {} wires, in a domain of {}",
        .key.constraints, .key.wires, .key.domain, .circuit.constraints, .circuit.wires, .circuit.domain
    )]
    OtherCircuit {
        /// What the key is for.
        key: CircuitSize,
        /// What it was loaded with.
        circuit: CircuitSize,
    },
    /// Parts of the key, or of the constraint system, do not belong together.
    #[error("{what} is {found}, expected {expected}")]
    Shape {
        /// What was counted.
        what: &'static str,
        /// What it must be.
        expected: usize,
        /// What it is.
        found: usize,
    },
    /// A point of the key is not on its curve.
    #[error("{query}: point {index} is off the curve")]
    OffCurve {
        /// Which list of points.
        query: &'static str,
        /// Index in the list.
        index: usize,
    },
    /// A point of the key is on its curve and not of order r.
    #[error("{query}: point {index} is outside the subgroup of order r")]
    OutsideSubgroup {
        /// Which list of points.
        query: &'static str,
        /// Index in the list.
        index: usize,
    },
    /// A point of the key is the identity, where Groth16 draws a logarithm other than zero.
    #[error("{point} is the identity")]
    Identity {
        /// Which point.
        point: &'static str,
    },
    /// Anyone makes proofs under the key, which [`KeyOptions::refuse_weak`] refuses: its setup was
    /// not completed.
    #[error("anyone can make proofs under this key: {0}")]
    Weak(Weakness),
    /// The circuit needs a larger domain than the field has.
    #[error(
        "{constraints} constraints and public inputs need a larger domain than the scalar field has: {largest} elements"
    )]
    Domain {
        /// Rows of the domain.
        constraints: usize,
        /// Elements of the largest domain that can be used.
        largest: u64,
    },
    /// There is no memory on the host for a part of the key.
    #[error("no memory for {bytes} bytes of points")]
    Memory {
        /// Bytes that were asked for.
        bytes: u64,
    },
    /// The key and one proof do not fit on the device, by what their points and vectors take alone: nothing
    /// was put there. Free some of its memory, use another device, or allow [`KeyOptions::stream`], where
    /// that was not what failed: then the points need not fit.
    #[error("key and proof need at least {needed} bytes of device memory, {available} are available")]
    DeviceMemory {
        /// Bytes that are needed, and more for matrices, tables and what is made on the way.
        needed: u64,
        /// Bytes that the device has free.
        available: u64,
    },
    /// The device could not take the key.
    #[error(transparent)]
    Device(#[from] RuntimeError),
}

/// How large a circuit is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CircuitSize {
    /// Wires, with the constant one. Of constraints alone: those up to the last one that they name.
    pub wires: usize,
    /// Constraints. Of a key alone: the most that its domain takes.
    pub constraints: usize,
    /// Elements of the domain.
    pub domain: usize,
}

/// A key on the host. Queries other than H have one point per wire, H one per element of
/// the domain; missing points are identities, so that scalars need no second indexing.
#[derive(Debug)]
pub(crate) struct HostKey<C: PairingCurve> {
    pub(crate) points: HeaderPoints<C>,
    pub(crate) wires: usize,
    pub(crate) quotient: Quotient<<C::Fr as Field>::Ark>,
    pub(crate) a_query: Vec<AffineOf<C::G1>>,
    pub(crate) b_g1_query: Vec<AffineOf<C::G1>>,
    pub(crate) b_g2_query: Vec<AffineOf<C::G2>>,
    pub(crate) l_query: Vec<AffineOf<C::G1>>,
    pub(crate) h_query: Vec<AffineOf<C::G1>>,
    /// A with the rows that bind public inputs.
    pub(crate) a: Csr<<C::Fr as Field>::Ark>,
    pub(crate) b: Csr<<C::Fr as Field>::Ark>,
    /// C, for the form that needs it.
    pub(crate) c: Option<Csr<<C::Fr as Field>::Ark>>,
}

/// The points that are in no query.
#[derive(Clone, Debug)]
pub(crate) struct HeaderPoints<C: PairingCurve> {
    pub(crate) vk: VerifyingKey<C::Engine>,
    pub(crate) beta_g1: AffineOf<C::G1>,
    pub(crate) delta_g1: AffineOf<C::G1>,
}

impl<C: PairingCurve> HeaderPoints<C> {
    /// What voids the key's proofs.
    pub(crate) fn weaknesses(&self) -> Vec<Weakness> {
        weaknesses_of_proving_key::<C>(&self.vk, self.beta_g1, self.delta_g1)
    }
}

impl<C: PairingCurve> HostKey<C> {
    /// From a key file, whose reader has checked all sizes.
    pub(crate) fn from_zkey(key: Zkey<C>) -> Result<Self, KeyError> {
        let dimensions = key.dimensions;
        let quotient = Quotient::circom(dimensions.log_domain).ok_or_else(|| KeyError::Domain {
            constraints: 1 << dimensions.log_domain,
            largest: 1 << <C::Fr as Field>::Ark::TWO_ADICITY,
        })?;
        let instance = dimensions.public as usize + 1;
        Ok(Self {
            points: HeaderPoints { vk: key.vk, beta_g1: key.beta_g1, delta_g1: key.delta_g1 },
            wires: dimensions.wires as usize,
            quotient,
            a_query: key.a_query,
            b_g1_query: key.b_g1_query,
            b_g2_query: key.b_g2_query,
            l_query: after_identities::<C::G1>(instance, &key.l_query)?,
            h_query: key.h_query,
            a: key.a,
            b: key.b,
            c: None,
        })
    }

    /// From an arkworks key and the constraints it was made from.
    pub(crate) fn from_ark(
        key: &ProvingKey<C::Engine>,
        r1cs: R1cs<<C::Fr as Field>::Ark>,
        trust: bool,
    ) -> Result<Self, KeyError> {
        let instance = key.vk.gamma_abc_g1.len();
        let wires = key.a_query.len();
        let constraints = r1cs.a.rows();
        let rows = constraints.saturating_add(instance);
        let largest = largest_domain::<<C::Fr as Field>::Ark>();
        let quotient = Quotient::libsnark(rows).ok_or(KeyError::Domain { constraints: rows, largest })?;
        let domain = quotient.domain;
        if instance == 0 {
            return Err(KeyError::Shape { what: "length of gamma_abc_g1", expected: 1, found: 0 });
        }
        if wires < instance || wires >= u32::MAX as usize {
            return Err(KeyError::Shape { what: "length of a_query", expected: instance, found: wires });
        }
        for (what, expected, found) in [
            ("length of b_g1_query", wires, key.b_g1_query.len()),
            ("length of b_g2_query", wires, key.b_g2_query.len()),
            ("length of l_query", wires - instance, key.l_query.len()),
            ("rows of B", constraints, r1cs.b.rows()),
            ("rows of C", constraints, r1cs.c.rows()),
        ] {
            if found != expected {
                return Err(KeyError::Shape { what, expected, found });
            }
        }
        let R1cs { mut a, mut b, mut c } = r1cs;
        let mut named = 0;
        for matrix in [&mut a, &mut b, &mut c] {
            matrix.validate()?;
            named = named.max(matrix.width as usize);
            matrix.width = wires as u32;
        }
        if named > wires || key.h_query.len() != domain - 1 {
            let of_key = key.h_query.len().saturating_add(1);
            let most = of_key.saturating_sub(instance);
            return Err(KeyError::OtherCircuit {
                key: CircuitSize { wires, constraints: most, domain: of_key },
                circuit: CircuitSize { wires: named, constraints, domain },
            });
        }
        bind_inputs(&mut a, instance);
        if !trust {
            let vk = &key.vk;
            on_curve::<C::G1>("alpha_g1, beta_g1, delta_g1", &[vk.alpha_g1, key.beta_g1, key.delta_g1])?;
            on_curve::<C::G2>("beta_g2, gamma_g2, delta_g2", &[vk.beta_g2, vk.gamma_g2, vk.delta_g2])?;
            on_curve::<C::G1>("gamma_abc_g1", &vk.gamma_abc_g1)?;
            on_curve::<C::G1>("a_query", &key.a_query)?;
            on_curve::<C::G1>("b_g1_query", &key.b_g1_query)?;
            on_curve::<C::G2>("b_g2_query", &key.b_g2_query)?;
            on_curve::<C::G1>("l_query", &key.l_query)?;
            on_curve::<C::G1>("h_query", &key.h_query)?;
        }
        let mut h_query = key.h_query.clone();
        h_query.resize(domain, AffineOf::<C::G1>::zero());
        Ok(Self {
            points: HeaderPoints { vk: key.vk.clone(), beta_g1: key.beta_g1, delta_g1: key.delta_g1 },
            wires,
            quotient,
            a_query: key.a_query.clone(),
            b_g1_query: key.b_g1_query.clone(),
            b_g2_query: key.b_g2_query.clone(),
            l_query: after_identities::<C::G1>(instance, &key.l_query)?,
            h_query,
            a,
            b,
            c: Some(c),
        })
    }
}

/// Elements of the largest domain of a field that can be used.
fn largest_domain<F: FftField>() -> u64 {
    let small = match (F::SMALL_SUBGROUP_BASE, F::SMALL_SUBGROUP_BASE_ADICITY) {
        (Some(base), Some(power)) => u64::from(base).saturating_pow(power),
        _ => 1,
    };
    small.saturating_mul(1 << F::TWO_ADICITY.min(31)).min(1 << 31)
}

/// Appends the rows `(row constraints + i) = wire i` that keep public inputs apart.
fn bind_inputs<F: One>(a: &mut Csr<F>, instance: usize) {
    for wire in 0..instance as u32 {
        a.columns.push(wire);
        a.values.push(F::one());
        a.row_offsets.push(a.columns.len() as u32);
    }
}

fn after_identities<G: Group>(
    identities: usize,
    points: &[AffineOf<G>],
) -> Result<Vec<AffineOf<G>>, KeyError> {
    let mut all = Vec::new();
    let count = identities + points.len();
    let bytes = count as u64 * size_of::<AffineOf<G>>() as u64;
    all.try_reserve_exact(count).map_err(|_| KeyError::Memory { bytes })?;
    all.resize(identities, AffineOf::<G>::zero());
    all.extend_from_slice(points);
    Ok(all)
}

pub(super) fn on_curve<G: Group>(query: &'static str, points: &[AffineOf<G>]) -> Result<(), KeyError> {
    match first(points.len(), &|i| !ProjectiveOf::<G>::is_on_curve(&points[i])) {
        Some(index) => Err(KeyError::OffCurve { query, index }),
        None => Ok(()),
    }
}
