//! `.zkey` files: Groth16 proving keys of snarkjs.
//!
//! | section | content |
//! | --- | --- |
//! | 1 | `u32` protocol: 1 Groth16, 2 PLONK, 10 FFLONK |
//! | 2 | header: q, r, counts, α₁ β₁ β₂ γ₂ δ₁ δ₂ |
//! | 3 | IC: nPublic + 1 points of G1 |
//! | 4 | A and B coefficients: `u32` count, then `(u32 matrix, u32 row, u32 signal, value)` |
//! | 5, 6, 7 | A (G1), B (G1), B (G2): nVars points each |
//! | 8 | C: nVars − nPublic − 1 points of G1 |
//! | 9 | H: domain points of G1, for the quotient's values on the odd coset |
//! | 10 | contributions, not needed to prove |
//!
//! Coordinates are in Montgomery form, coefficients multiplied by R², the identity is
//! all zero. The rows that bind public inputs (row nConstraints + s has 1 at signal s in
//! A) are part of section 4.

use super::curve::{SnarkjsCurve, ZkeyCurve, modulus};
use super::format_error::{FormatError, ZkeyError};
use super::sections::{Fields, Section, SectionName, Sections, filled, le_u32, room};
use super::source::Source;
use crate::montgomery::MontgomeryField;
use ark_ec::AffineRepr;
use ark_ff::{FftField, Field as _, PrimeField, Zero};
use ark_groth16::VerifyingKey;
use curvesmith_runtime::Csr;
use curvesmith_runtime::field::Field;
use curvesmith_runtime::group::{AffineOf, CoordinateOf, Group, PairingCurve, Points as _, ProjectiveOf};
use curvesmith_runtime::parallel::{join, try_chunks};
use num_bigint::BigUint;
use std::fmt;
use std::path::{Path, PathBuf};

const PROTOCOL: SectionName = SectionName { id: 1, name: "protocol" };
const HEADER: SectionName = SectionName { id: 2, name: "header" };
const IC: SectionName = SectionName { id: 3, name: "IC" };
const COEFFICIENTS: SectionName = SectionName { id: 4, name: "coefficients" };
const POINTS_A: SectionName = SectionName { id: 5, name: "points A" };
const POINTS_B1: SectionName = SectionName { id: 6, name: "points B1" };
const POINTS_B2: SectionName = SectionName { id: 7, name: "points B2" };
const POINTS_C: SectionName = SectionName { id: 8, name: "points C" };
const POINTS_H: SectionName = SectionName { id: 9, name: "points H" };

/// Points, or coefficients, read and checked by one task.
const CHUNK: usize = 1 << 12;
/// Bytes of the largest header: BLS12-381's is 960.
const MAX_HEADER: u64 = 4096;

/// Sizes of a circuit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ZkeyDimensions {
    /// Wires, the constant one included.
    pub wires: u32,
    /// Public inputs and outputs, the constant one not included.
    pub public: u32,
    /// Logarithm of the size of the evaluation domain.
    pub log_domain: u32,
}

/// An opened `.zkey` file whose section table, protocol and counts are checked.
pub struct ZkeyFile {
    path: PathBuf,
    sections: Sections,
    header: Section,
    header_bytes: Vec<u8>,
    q: BigUint,
    r: BigUint,
    dimensions: ZkeyDimensions,
}

/// A Groth16 proving key of snarkjs.
#[derive(Clone)]
pub struct Zkey<C: PairingCurve> {
    /// Sizes of the circuit.
    pub dimensions: ZkeyDimensions,
    /// What a verifier needs.
    pub vk: VerifyingKey<C::Engine>,
    /// β in G1.
    pub beta_g1: AffineOf<C::G1>,
    /// δ in G1.
    pub delta_g1: AffineOf<C::G1>,
    /// One point per wire.
    pub a_query: Vec<AffineOf<C::G1>>,
    /// One point per wire.
    pub b_g1_query: Vec<AffineOf<C::G1>>,
    /// One point per wire.
    pub b_g2_query: Vec<AffineOf<C::G2>>,
    /// One point per wire that is neither public nor the constant.
    pub l_query: Vec<AffineOf<C::G1>>,
    /// One point per element of the domain.
    pub h_query: Vec<AffineOf<C::G1>>,
    /// A, with the rows that bind public inputs; `domain` rows, one column per wire.
    pub a: Csr<<C::Fr as Field>::Ark>,
    /// B, as A.
    pub b: Csr<<C::Fr as Field>::Ark>,
}

impl fmt::Debug for ZkeyFile {
    // Points are for no log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut this = f.debug_struct("ZkeyFile");
        this.field("path", &self.path).field("dimensions", &self.dimensions).finish_non_exhaustive()
    }
}

impl<C: PairingCurve> fmt::Debug for Zkey<C> {
    // As of its file.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut this = f.debug_struct("Zkey");
        this.field("curve", &C::NAME).field("dimensions", &self.dimensions).finish_non_exhaustive()
    }
}

impl ZkeyFile {
    /// Opens a key and reads its header.
    ///
    /// Errors: an unreadable file, one that is not a Groth16 key of a curve of
    /// [`SnarkjsCurve`], or one whose counts contradict each other.
    pub fn open(path: &Path) -> Result<Self, ZkeyError> {
        Source::open(path)
            .map_err(FormatError::from)
            .and_then(|source| Self::read_header(path.to_owned(), source))
            .map_err(|problem| ZkeyError { path: path.to_owned(), problem })
    }

    /// As [`ZkeyFile::open`], from bytes in memory.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Self, ZkeyError> {
        let path = PathBuf::from("key");
        Self::read_header(path.clone(), Source::Bytes(bytes.into()))
            .map_err(|problem| ZkeyError { path, problem })
    }

    /// The curve of the key.
    pub fn curve(&self) -> SnarkjsCurve {
        SnarkjsCurve::from_primes(&self.q, &self.r).expect("checked when the header was read")
    }

    /// Sizes of the circuit.
    pub fn dimensions(&self) -> ZkeyDimensions {
        self.dimensions
    }

    /// Bytes of host memory that the key takes once it is read, as its header and the sizes of its
    /// sections have it.
    ///
    /// Errors: a key of another curve than `C`, sections of other sizes than the header asks for.
    pub fn memory<C: ZkeyCurve>(&self) -> Result<u64, ZkeyError> {
        self.memory_of::<C>().map_err(|problem| ZkeyError { path: self.path.clone(), problem })
    }

    fn memory_of<C: ZkeyCurve>(&self) -> Result<u64, FormatError> {
        self.check_curve::<C>()?;
        self.check_sizes::<C>()?;
        let ZkeyDimensions { wires, public, log_domain } = self.dimensions;
        let (wires, g1) = (u64::from(wires), size_of::<AffineOf<C::G1>>() as u64);
        let (g2, scalar) = (size_of::<AffineOf<C::G2>>() as u64, size_of::<<C::Fr as Field>::Ark>() as u64);
        // A, B, L, in whose place identities stand for public wires, and H; and what a verifier needs.
        let points = (3 * wires + (1 << log_domain) + u64::from(public)) * g1 + wires * g2;
        let coefficients = self.sections.unique(COEFFICIENTS)?.size / (12 + scalar);
        Ok(points + coefficients * (4 + scalar) + (8 << log_domain))
    }

    fn read_header(path: PathBuf, source: Source) -> Result<Self, FormatError> {
        let sections = Sections::open(source, "zkey", 1)?;
        check_protocol(&sections)?;
        let header = sections.unique(HEADER)?;
        if header.size > MAX_HEADER {
            return Err(header.wrong_size(format!("at most {MAX_HEADER}")));
        }
        let header_bytes = sections.bytes(header, MAX_HEADER)?;
        let mut fields = Fields::new(header, &header_bytes);
        let n8q = fields.u32()?;
        let q = BigUint::from_bytes_le(fields.take(n8q as usize)?);
        let n8r = fields.u32()?;
        let r = BigUint::from_bytes_le(fields.take(n8r as usize)?);
        if SnarkjsCurve::from_primes(&q, &r).is_none() {
            return Err(FormatError::Curve {
                q: short(&q),
                r: short(&r),
                expected: "bn128 or bls12381".into(),
            });
        }
        for (name, n8, prime) in [("n8q", n8q, &q), ("n8r", n8r, &r)] {
            let expected = prime.bits().div_ceil(64) * 8;
            if u64::from(n8) != expected {
                return Err(header.wrong_value(name, expected, n8));
            }
        }
        let wires = fields.u32()?;
        let public = fields.u32()?;
        let domain = fields.u32()?;
        let log_domain = domain.trailing_zeros();
        if !domain.is_power_of_two() {
            return Err(header.wrong_value("domain size", "a power of two", domain));
        }
        if u64::from(domain) < u64::from(public) + 1 {
            return Err(header.wrong_value(
                "domain size",
                format_args!("at least {}", u64::from(public) + 1),
                domain,
            ));
        }
        if u64::from(wires) < u64::from(public) + 1 {
            return Err(header.wrong_value(
                "number of wires",
                format_args!("at least {}", u64::from(public) + 1),
                wires,
            ));
        }
        header.holds(1, 20 + u64::from(n8r) + u64::from(n8q) * (1 + 3 * 2 + 3 * 4))?;
        Ok(Self {
            path,
            sections,
            header,
            header_bytes,
            q,
            r,
            dimensions: ZkeyDimensions { wires, public, log_domain },
        })
    }

    /// Reads the whole key.
    ///
    /// With `trust_points` false every point is checked to lie on its curve, and those of
    /// the header to lie in the subgroup of order r; true skips both, for keys that were
    /// checked before. Canonical coordinates, sizes and indices are checked always.
    ///
    /// Errors: a key of another curve than `C`, everything that can be wrong in a file, and
    /// [`FormatError::Changed`].
    pub fn read<C: ZkeyCurve>(&self, trust_points: bool) -> Result<Zkey<C>, ZkeyError> {
        let key = self.sections.unless_changed(self.read_key(!trust_points));
        key.map_err(|problem| ZkeyError { path: self.path.clone(), problem })
    }

    /// Reads what a verifier needs and no more, checked as by [`ZkeyFile::read`] of points that are not
    /// trusted.
    pub fn read_verifying_key<C: ZkeyCurve>(&self) -> Result<VerifyingKey<C::Engine>, ZkeyError> {
        let checked = self.check_curve::<C>().and_then(|()| self.check_size_of_ic::<C>());
        let key = checked.and_then(|()| self.verifying_key::<C>(true));
        self.sections
            .unless_changed(key)
            .map(|(vk, _)| vk)
            .map_err(|problem| ZkeyError { path: self.path.clone(), problem })
    }

    /// The verification key, and the header's other points.
    fn verifying_key<C: ZkeyCurve>(
        &self,
        check: bool,
    ) -> Result<(VerifyingKey<C::Engine>, HeaderPoints<C>), FormatError> {
        let header = HeaderPoints::<C>::read(self, check)?;
        let public = self.dimensions.public;
        let vk = VerifyingKey {
            alpha_g1: header.alpha_g1,
            beta_g2: header.beta_g2,
            gamma_g2: header.gamma_g2,
            delta_g2: header.delta_g2,
            gamma_abc_g1: self.points::<C::G1>(IC, public + 1, check)?,
        };
        Ok((vk, header))
    }

    /// Is this a key of curve `C`, for a domain that its field has?
    fn check_curve<C: ZkeyCurve>(&self) -> Result<(), FormatError> {
        type Fq<C> = <<C as PairingCurve>::Fq as Field>::Ark;
        type Fr<C> = <<C as PairingCurve>::Fr as Field>::Ark;
        if self.q != modulus::<Fq<C>>() || self.r != modulus::<Fr<C>>() {
            return Err(FormatError::Curve {
                q: short(&self.q),
                r: short(&self.r),
                expected: C::NAME.into(),
            });
        }
        let log_domain = self.dimensions.log_domain;
        if log_domain > Fr::<C>::TWO_ADICITY {
            let limit = format!("at most 2^{}", Fr::<C>::TWO_ADICITY);
            return Err(self.header.wrong_value("domain size", limit, format_args!("2^{log_domain}")));
        }
        Ok(())
    }

    fn read_key<C: ZkeyCurve>(&self, check: bool) -> Result<Zkey<C>, FormatError> {
        self.check_curve::<C>()?;
        self.check_sizes::<C>()?;
        let ZkeyDimensions { wires, public, log_domain } = self.dimensions;
        let (vk, header) = self.verifying_key::<C>(check)?;
        let (a, b) = self.matrices::<<C::Fr as Field>::Ark>()?;
        let l_count = wires - public - 1;
        Ok(Zkey {
            dimensions: self.dimensions,
            vk,
            beta_g1: header.beta_g1,
            delta_g1: header.delta_g1,
            a_query: self.points::<C::G1>(POINTS_A, wires, check)?,
            b_g1_query: self.points::<C::G1>(POINTS_B1, wires, check)?,
            b_g2_query: self.points::<C::G2>(POINTS_B2, wires, check)?,
            l_query: self.points::<C::G1>(POINTS_C, l_count, check)?,
            h_query: self.points::<C::G1>(POINTS_H, 1 << log_domain, check)?,
            a,
            b,
        })
    }

    fn check_size_of_ic<C: ZkeyCurve>(&self) -> Result<(), FormatError> {
        self.sections.unique(IC)?.holds(u64::from(self.dimensions.public) + 1, point_bytes::<C::G1>() as u64)
    }

    /// Checks every size that follows from the counts, before memory is taken for any.
    fn check_sizes<C: ZkeyCurve>(&self) -> Result<(), FormatError> {
        self.check_size_of_ic::<C>()?;
        let ZkeyDimensions { wires, public, log_domain } = self.dimensions;
        let (g1, g2) = (point_bytes::<C::G1>() as u64, point_bytes::<C::G2>() as u64);
        for (name, count, each) in [
            (POINTS_A, wires.into(), g1),
            (POINTS_B1, wires.into(), g1),
            (POINTS_B2, wires.into(), g2),
            (POINTS_C, u64::from(wires - public - 1), g1),
            (POINTS_H, 1 << log_domain, g1),
        ] {
            self.sections.unique(name)?.holds(count, each)?;
        }
        Ok(())
    }

    /// Reads a section of `count` points, whose size has been checked.
    fn points<G: Group>(
        &self,
        name: SectionName,
        count: u32,
        check: bool,
    ) -> Result<Vec<AffineOf<G>>, FormatError>
    where
        <G::Base as Field>::Ark: MontgomeryField,
    {
        let section = self.sections.unique(name)?;
        let each = point_bytes::<G>();
        let mut points = filled(name.name, count as usize, AffineOf::<G>::zero())?;
        try_chunks(&mut points, CHUNK, &|chunk, out| {
            let mut bytes = vec![0; out.len() * each];
            self.sections.read(section, (chunk * CHUNK * each) as u64, &mut bytes)?;
            for (i, (point, bytes)) in out.iter_mut().zip(bytes.chunks_exact(each)).enumerate() {
                *point = parse_point::<G>(bytes, check)
                    .map_err(|problem| problem.at(section, format_args!("point {}", chunk * CHUNK + i)))?;
            }
            Ok::<_, FormatError>(())
        })?;
        Ok(points)
    }

    /// Reads the coefficients into A and B.
    #[allow(clippy::type_complexity, reason = "a pair of matrices needs no name of its own")]
    fn matrices<F: MontgomeryField>(&self) -> Result<(Csr<F>, Csr<F>), FormatError> {
        let section = self.sections.unique(COEFFICIENTS)?;
        let each = 12 + 8 * F::LIMBS;
        if section.size < 4 {
            return Err(section.wrong_size("at least 4"));
        }
        let mut count = [0u8; 4];
        self.sections.read(section, 0, &mut count)?;
        let count = le_u32(&count) as usize;
        if count as u64 * each as u64 != section.size - 4 {
            return Err(section.wrong_size(format!("4 + {count} of {each}")));
        }
        let empty = Entry { matrix: 0, row: 0, column: 0, value: F::zero() };
        let mut entries = filled(COEFFICIENTS.name, count, empty)?;
        let limits = [2, 1 << self.dimensions.log_domain, self.dimensions.wires];
        try_chunks(&mut entries, CHUNK, &|chunk, out| {
            let mut bytes = vec![0; out.len() * each];
            self.sections.read(section, 4 + (chunk * CHUNK * each) as u64, &mut bytes)?;
            for (i, (entry, bytes)) in out.iter_mut().zip(bytes.chunks_exact(each)).enumerate() {
                *entry = parse_entry(bytes, limits).map_err(|(field, expected, found)| {
                    let field = format!("{field} of coefficient {}", chunk * CHUNK + i);
                    section.wrong_value(field, expected, found)
                })?;
            }
            Ok::<_, FormatError>(())
        })?;
        let rows = 1usize << self.dimensions.log_domain;
        let build = |matrix| to_csr(&entries, matrix, rows, self.dimensions.wires);
        let (a, b) = join(|| build(0), || build(1));
        Ok((a?, b?))
    }
}

/// Points of the header, in file order.
struct HeaderPoints<C: PairingCurve> {
    alpha_g1: AffineOf<C::G1>,
    beta_g1: AffineOf<C::G1>,
    beta_g2: AffineOf<C::G2>,
    gamma_g2: AffineOf<C::G2>,
    delta_g1: AffineOf<C::G1>,
    delta_g2: AffineOf<C::G2>,
}

impl<C: ZkeyCurve> HeaderPoints<C> {
    fn read(file: &ZkeyFile, check: bool) -> Result<Self, FormatError> {
        let header = file.header;
        let points = 3 * (point_bytes::<C::G1>() + point_bytes::<C::G2>());
        let start = file.header_bytes.len().checked_sub(points).expect("size checked with the counts");
        let mut fields = Fields::new(header, &file.header_bytes[start..]);
        let points = Self {
            alpha_g1: header_point::<C::G1>(&mut fields, header, "alpha1", check)?,
            beta_g1: header_point::<C::G1>(&mut fields, header, "beta1", check)?,
            beta_g2: header_point::<C::G2>(&mut fields, header, "beta2", check)?,
            gamma_g2: header_point::<C::G2>(&mut fields, header, "gamma2", check)?,
            delta_g1: header_point::<C::G1>(&mut fields, header, "delta1", check)?,
            delta_g2: header_point::<C::G2>(&mut fields, header, "delta2", check)?,
        };
        fields.end()?;
        Ok(points)
    }
}

fn header_point<G: Group>(
    fields: &mut Fields<'_>,
    header: Section,
    name: &str,
    check: bool,
) -> Result<AffineOf<G>, FormatError>
where
    <G::Base as Field>::Ark: MontgomeryField,
{
    let point = parse_point::<G>(fields.take(point_bytes::<G>())?, check).map_err(|p| p.at(header, name))?;
    if check && !ProjectiveOf::<G>::is_in_subgroup(&point) {
        return Err(PointProblem::OutsideSubgroup.at(header, name));
    }
    Ok(point)
}

fn check_protocol(sections: &Sections) -> Result<(), FormatError> {
    let section = sections.unique(PROTOCOL)?;
    section.holds(1, 4)?;
    match le_u32(&sections.bytes(section, 4)?) {
        1 => Ok(()),
        other => Err(FormatError::Protocol {
            protocol: match other {
                2 => "plonk".into(),
                10 => "fflonk".into(),
                number => format!("protocol {number}"),
            },
        }),
    }
}

/// Bytes of an affine point in a file.
fn point_bytes<G: Group>() -> usize
where
    <G::Base as Field>::Ark: MontgomeryField,
{
    2 * G::DEGREE * 8 * <<G::Base as Field>::Ark as MontgomeryField>::LIMBS
}

enum PointProblem {
    NotCanonical,
    OffCurve,
    OutsideSubgroup,
}

impl PointProblem {
    fn at(self, section: Section, field: impl ToString) -> FormatError {
        let (expected, found) = match self {
            Self::NotCanonical => ("coordinates below q", "not below it"),
            Self::OffCurve => ("a point on the curve", "off the curve"),
            Self::OutsideSubgroup => ("a point of order r", "outside the subgroup"),
        };
        section.wrong_value(field, expected, found)
    }
}

fn parse_point<G: Group>(bytes: &[u8], check: bool) -> Result<AffineOf<G>, PointProblem>
where
    <G::Base as Field>::Ark: MontgomeryField,
{
    if bytes.iter().all(|b| *b == 0) {
        return Ok(AffineOf::<G>::zero());
    }
    let (x, y) = bytes.split_at(bytes.len() / 2);
    let point = ProjectiveOf::<G>::affine(parse_coordinate::<G>(x)?, parse_coordinate::<G>(y)?);
    if check && !ProjectiveOf::<G>::is_on_curve(&point) {
        return Err(PointProblem::OffCurve);
    }
    Ok(point)
}

fn parse_coordinate<G: Group>(bytes: &[u8]) -> Result<CoordinateOf<G>, PointProblem>
where
    <G::Base as Field>::Ark: MontgomeryField,
{
    let each = bytes.len() / G::DEGREE;
    let mut canonical = true;
    let parts = bytes.chunks_exact(each).map(|part| {
        <G::Base as Field>::Ark::from_montgomery_le(part).unwrap_or_else(|| {
            canonical = false;
            <G::Base as Field>::Ark::zero()
        })
    });
    let coordinate = CoordinateOf::<G>::from_base_prime_field_elems(parts);
    coordinate.filter(|_| canonical).ok_or(PointProblem::NotCanonical)
}

/// One coefficient: `value` at `row`, `column` of A (`matrix` 0) or B (1).
#[derive(Clone, Copy)]
struct Entry<F> {
    matrix: u32,
    row: u32,
    column: u32,
    value: F,
}

/// Parses a coefficient. `limits` bound matrix, row and signal from above, exclusively;
/// the error is the field, what was expected and what was found.
fn parse_entry<F: MontgomeryField>(
    bytes: &[u8],
    limits: [u32; 3],
) -> Result<Entry<F>, (&'static str, String, String)> {
    let [matrix, row, column] = [le_u32(bytes), le_u32(&bytes[4..]), le_u32(&bytes[8..])];
    for (field, value, limit) in
        [("matrix", matrix, limits[0]), ("constraint", row, limits[1]), ("signal", column, limits[2])]
    {
        if value >= limit {
            return Err((field, format!("below {limit}"), value.to_string()));
        }
    }
    // The bytes are value·R²; read as Montgomery form that is value·R.
    let value = F::from_montgomery_le(&bytes[12..])
        .ok_or_else(|| ("value", "below r".to_owned(), "not below it".to_owned()))?
        .div_r();
    Ok(Entry { matrix, row, column, value })
}

/// Sorts the entries of one matrix by row and column, summing those of equal place.
fn to_csr<F: PrimeField>(
    entries: &[Entry<F>],
    matrix: u32,
    rows: usize,
    width: u32,
) -> Result<Csr<F>, FormatError> {
    const WHAT: &str = "matrices";
    let mut starts = filled(WHAT, rows + 1, 0u32)?;
    for entry in entries.iter().filter(|e| e.matrix == matrix) {
        starts[entry.row as usize + 1] += 1;
    }
    for row in 0..rows {
        starts[row + 1] += starts[row];
    }
    let mut next = room(WHAT, rows + 1)?;
    next.extend_from_slice(&starts);
    let mut sorted = filled(WHAT, starts[rows] as usize, (0u32, F::zero()))?;
    for entry in entries.iter().filter(|e| e.matrix == matrix) {
        let place = &mut next[entry.row as usize];
        sorted[*place as usize] = (entry.column, entry.value);
        *place += 1;
    }
    let mut csr = Csr {
        row_offsets: room(WHAT, rows + 1)?,
        columns: room(WHAT, sorted.len())?,
        values: room(WHAT, sorted.len())?,
        width,
    };
    csr.row_offsets.push(0);
    for row in 0..rows {
        let row = &mut sorted[starts[row] as usize..starts[row + 1] as usize];
        row.sort_unstable_by_key(|(column, _)| *column);
        let first = csr.columns.len();
        for (column, value) in row {
            match csr.columns.last() {
                Some(last) if csr.columns.len() > first && last == column => {
                    *csr.values.last_mut().expect("as many values as columns") += value;
                }
                _ => {
                    csr.columns.push(*column);
                    csr.values.push(*value);
                }
            }
        }
        csr.row_offsets.push(csr.columns.len() as u32);
    }
    Ok(csr)
}

/// A number for an error line: all digits of a curve's prime, not of a megabyte of them.
fn short(n: &BigUint) -> String {
    let text = n.to_str_radix(16);
    if text.len() <= 96 { format!("0x{text}") } else { format!("0x{}… ({} bits)", &text[..16], n.bits()) }
}
