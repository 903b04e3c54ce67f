//! `.wtns` files.
//!
//! Section 1: `u32 n8`, the prime (`n8` bytes), `u32 count`. Section 2: `count` values
//! of `n8` bytes, canonical little-endian.

use super::curve::{ZkeyCurve, modulus};
use super::format_error::{FormatError, WtnsError};
use super::sections::{Fields, Section, SectionName, Sections, filled};
use super::source::Source;
use crate::montgomery::MontgomeryField;
use crate::r1cs::Witness;
use curvesmith_runtime::parallel::try_chunks;
use num_bigint::BigUint;
use std::path::{Path, PathBuf};
use zeroize::Zeroizing;

const HEADER: SectionName = SectionName { id: 1, name: "header" };
const VALUES: SectionName = SectionName { id: 2, name: "values" };
const CHUNK: usize = 1 << 14;

/// Most bytes of a witness of so many values over `F`: what writers make, and room for what they
/// may add.
pub fn max_witness_bytes<F: MontgomeryField>(wires: usize) -> u64 {
    const ROOM: u64 = 64 << 10;
    (wires as u64).saturating_mul(8 * F::LIMBS as u64).saturating_add(ROOM)
}

/// Reads a witness: one value per wire, in wire order, the first of them one.
///
/// Errors: anything but a version 2 `.wtns` file over the field `F` with canonical
/// values; with `wires`, another number of them, which is found before any value is read.
pub fn read_witness<F: MontgomeryField>(
    path: &Path,
    wires: Option<usize>,
) -> Result<Zeroizing<Vec<F>>, WtnsError> {
    Source::open(path)
        .map_err(FormatError::from)
        .and_then(|source| read(source, wires))
        .map_err(|problem| WtnsError { path: path.to_owned(), problem })
}

/// As [`read_witness`], from bytes in memory, which are wiped.
pub fn parse_witness<F: MontgomeryField>(
    bytes: Vec<u8>,
    wires: Option<usize>,
) -> Result<Zeroizing<Vec<F>>, WtnsError> {
    read(Source::Bytes(bytes.into()), wires)
        .map_err(|problem| WtnsError { path: PathBuf::from("witness"), problem })
}

impl<C: ZkeyCurve> Witness<C> {
    /// Reads a `.wtns` file, whatever number of values it has.
    pub fn from_wtns(path: &Path) -> Result<Self, WtnsError> {
        Ok(Self { values: read_witness(path, None)? })
    }

    /// As [`Witness::from_wtns`], for a circuit of so many wires: memory is taken for no other
    /// number of values.
    pub fn from_wtns_of(path: &Path, wires: usize) -> Result<Self, WtnsError> {
        Ok(Self { values: read_witness(path, Some(wires))? })
    }

    /// As [`Witness::from_wtns_of`], from the file's bytes, which are wiped.
    pub fn from_wtns_bytes(bytes: Vec<u8>, wires: usize) -> Result<Self, WtnsError> {
        Ok(Self { values: parse_witness(bytes, Some(wires))? })
    }
}

fn read<F: MontgomeryField>(source: Source, wires: Option<usize>) -> Result<Zeroizing<Vec<F>>, FormatError> {
    let sections = Sections::open(source, "wtns", 2)?;
    sections.unless_changed(read_sections(&sections, wires))
}

fn read_sections<F: MontgomeryField>(
    sections: &Sections,
    wires: Option<usize>,
) -> Result<Zeroizing<Vec<F>>, FormatError> {
    let header = sections.unique(HEADER)?;
    let each = 8 * F::LIMBS;
    header.holds(1, 8 + each as u64)?;
    let bytes = sections.bytes(header, 8 + each as u64)?;
    let mut fields = Fields::new(header, &bytes);
    let n8 = fields.u32()?;
    if n8 as usize != each {
        return Err(header.wrong_value("n8", each, n8));
    }
    let prime = BigUint::from_bytes_le(fields.take(each)?);
    if prime != modulus::<F>() {
        return Err(header.wrong_value("prime", modulus::<F>(), prime));
    }
    let count = fields.u32()?;
    fields.end()?;
    if count == 0 {
        return Err(header.wrong_value("number of values", "at least 1", 0));
    }
    if let Some(expected) = wires.filter(|wires| *wires != count as usize) {
        return Err(FormatError::WitnessLength { expected, found: count as usize });
    }
    let section = sections.unique(VALUES)?;
    section.holds(u64::from(count), each as u64)?;
    let values = read_values::<F>(sections, section, count as usize)?;
    if !values[0].is_one() {
        // Without it: one that is out of place is another wire's.
        return Err(section.wrong_value("value 0", 1, "another number"));
    }
    Ok(values)
}

fn read_values<F: MontgomeryField>(
    sections: &Sections,
    section: Section,
    count: usize,
) -> Result<Zeroizing<Vec<F>>, FormatError> {
    let each = 8 * F::LIMBS;
    let mut values = Zeroizing::new(filled(VALUES.name, count, F::zero())?);
    // On an error what was read is overwritten as it is dropped.
    try_chunks(&mut values, CHUNK, &|chunk, out| {
        let mut bytes = Zeroizing::new(vec![0u8; out.len() * each]);
        sections.read(section, (chunk * CHUNK * each) as u64, &mut bytes)?;
        for (i, (value, bytes)) in out.iter_mut().zip(bytes.chunks_exact(each)).enumerate() {
            // Named without the value: witnesses are secret.
            *value = F::from_canonical_le(bytes).ok_or_else(|| {
                section.wrong_value(
                    format_args!("value {}", chunk * CHUNK + i),
                    "a number below the prime",
                    "not below it",
                )
            })?;
        }
        Ok::<_, FormatError>(())
    })?;
    Ok(values)
}
