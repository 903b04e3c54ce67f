//! `.r1cs` files: the constraints of a circuit, as circom writes them.
//!
//! Section 1: `u32 n8`, the prime (`n8` bytes), `u32` wires, public outputs, public inputs and
//! private inputs, `u64` labels, `u32` constraints. Section 2: for each constraint A, B and C as
//! `u32` count and so many `(u32 wire, value)`, canonical little-endian. Section 3, the labels of
//! wires, is not needed. Sections 4 and 5, gates of other proof systems, must be empty.

use super::curve::{SnarkjsCurve, modulus};
use super::format_error::{FormatError, R1csFileError};
use super::sections::{Fields, Section, SectionName, Sections, le_u32, room};
use super::source::Source;
use crate::montgomery::MontgomeryField;
use crate::r1cs::R1cs;
use curvesmith_runtime::Csr;
use num_bigint::BigUint;
use std::path::{Path, PathBuf};

const HEADER: SectionName = SectionName { id: 1, name: "header" };
const CONSTRAINTS: SectionName = SectionName { id: 2, name: "constraints" };
const GATES: [SectionName; 2] =
    [SectionName { id: 4, name: "custom gates" }, SectionName { id: 5, name: "uses of custom gates" }];

/// Bytes of the largest header: of 255-bit fields it is 64.
const MAX_HEADER: u64 = 256;
/// Bytes of the constraints that are in memory as the file has them.
const BLOCK: usize = 1 << 20;

/// Sizes of a circuit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct R1csDimensions {
    /// Wires, the constant one included.
    pub wires: u32,
    /// Public outputs, the wires after the constant one.
    pub public_outputs: u32,
    /// Public inputs, the wires after the outputs.
    pub public_inputs: u32,
    /// Private inputs of the circuit's source. Those that no constraint needs may have no wire.
    pub private_inputs: u32,
    /// Constraints.
    pub constraints: u32,
}

/// An opened `.r1cs` file whose section table and header are checked.
#[derive(Debug)]
pub struct R1csFile {
    path: PathBuf,
    sections: Sections,
    curve: SnarkjsCurve,
    dimensions: R1csDimensions,
}

impl R1csFile {
    /// Opens a circuit and reads its header.
    ///
    /// Errors: an unreadable file, or one that does not hold the constraints of a circuit over the scalar
    /// field of a curve of [`SnarkjsCurve`].
    pub fn open(path: &Path) -> Result<Self, R1csFileError> {
        Source::open(path)
            .map_err(FormatError::from)
            .and_then(|source| Self::read_header(path.to_owned(), source))
            .map_err(|problem| R1csFileError { path: path.to_owned(), problem })
    }

    /// As [`R1csFile::open`], from bytes in memory.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Self, R1csFileError> {
        let path = PathBuf::from("circuit");
        Self::read_header(path.clone(), Source::Bytes(bytes.into()))
            .map_err(|problem| R1csFileError { path, problem })
    }

    /// The curve whose scalar field the circuit is over.
    pub fn curve(&self) -> SnarkjsCurve {
        self.curve
    }

    /// Sizes of the circuit.
    pub fn dimensions(&self) -> R1csDimensions {
        self.dimensions
    }

    fn read_header(path: PathBuf, source: Source) -> Result<Self, FormatError> {
        let sections = Sections::open(source, "r1cs", 1)?;
        let header = sections.unique(HEADER)?;
        if header.size > MAX_HEADER {
            return Err(header.wrong_size(format!("at most {MAX_HEADER}")));
        }
        let bytes = sections.bytes(header, MAX_HEADER)?;
        let mut fields = Fields::new(header, &bytes);
        let n8 = fields.u32()?;
        let prime = BigUint::from_bytes_le(fields.take(n8 as usize)?);
        let curve = SnarkjsCurve::from_scalar_prime(&prime)
            .ok_or_else(|| header.wrong_value("prime", "that of bn128 or bls12381", &prime))?;
        let expected = prime.bits().div_ceil(64) * 8;
        if u64::from(n8) != expected {
            return Err(header.wrong_value("n8", expected, n8));
        }
        let [wires, public_outputs, public_inputs, private_inputs] =
            [fields.u32()?, fields.u32()?, fields.u32()?, fields.u32()?];
        // The number of labels, which are not read.
        fields.take(8)?;
        let constraints = fields.u32()?;
        fields.end()?;
        // Private inputs are counted as the source has them, those too that circom's optimiser has
        // removed.
        let named = 1 + u64::from(public_outputs) + u64::from(public_inputs);
        if u64::from(wires) < named {
            return Err(header.wrong_value("number of wires", format_args!("at least {named}"), wires));
        }
        check_no_gates(&sections)?;
        let dimensions = R1csDimensions { wires, public_outputs, public_inputs, private_inputs, constraints };
        Ok(Self { path, sections, curve, dimensions })
    }

    /// Reads the constraints; all matrices are as wide as there are wires.
    ///
    /// Errors: a circuit over another field than `F`, and everything that can be wrong in a file.
    pub fn read<F: MontgomeryField>(&self) -> Result<R1cs<F>, R1csFileError> {
        let read = self.sections.unless_changed(self.read_matrices());
        read.map_err(|problem| R1csFileError { path: self.path.clone(), problem })
    }

    fn read_matrices<F: MontgomeryField>(&self) -> Result<R1cs<F>, FormatError> {
        let header = self.sections.unique(HEADER)?;
        let wanted = SnarkjsCurve::from_scalar_prime(&modulus::<F>());
        if wanted != Some(self.curve) {
            let wanted = wanted.map_or("that of another field", SnarkjsCurve::name);
            return Err(header.wrong_value("curve", wanted, self.curve));
        }
        let section = self.sections.unique(CONSTRAINTS)?;
        let R1csDimensions { wires, constraints, .. } = self.dimensions;
        let least = 3 * 4 * u64::from(constraints);
        if section.size < least {
            return Err(section.wrong_size(format!("at least {least}")));
        }
        let rows = constraints as usize;
        // Once for the counts, so that memory of the exact size is taken.
        let [a, b, c] = self.count_entries(section, 4 + 8 * F::LIMBS)?;
        let mut matrices = [empty(rows, a, wires)?, empty(rows, b, wires)?, empty(rows, c, wires)?];
        let mut cursor = Cursor::new(&self.sections, section);
        let mut order = Vec::new();
        for constraint in 0..constraints {
            for (name, matrix) in ["A", "B", "C"].into_iter().zip(&mut matrices) {
                let place = Place { section, name, constraint };
                read_row(&mut cursor, matrix, place, &mut order)?;
            }
        }
        let [a, b, c] = matrices;
        Ok(R1cs { a, b, c })
    }

    /// Entries of A, B and C. That the constraints end with the section is checked here.
    fn count_entries(&self, section: Section, each: usize) -> Result<[u32; 3], FormatError> {
        let mut totals = [0u32; 3];
        let mut cursor = Cursor::new(&self.sections, section);
        for _ in 0..self.dimensions.constraints {
            for total in &mut totals {
                let count = le_u32(cursor.take(4)?);
                cursor.skip(u64::from(count) * each as u64)?;
                let sum = total.checked_add(count).filter(|sum| *sum < u32::MAX);
                *total = sum.ok_or_else(|| section.wrong_value("number of entries", "below 2^32", "more"))?;
            }
        }
        cursor.end()?;
        Ok(totals)
    }
}

fn check_no_gates(sections: &Sections) -> Result<(), FormatError> {
    for name in GATES {
        if let Some(section) = sections.optional(name)? {
            let mut count = [0u8; 4];
            if section.size < 4 {
                return Err(section.wrong_size("at least 4"));
            }
            sections.read(section, 0, &mut count)?;
            if le_u32(&count) != 0 {
                return Err(section.wrong_value("count", 0, le_u32(&count)));
            }
        }
    }
    Ok(())
}

/// A matrix with room for its entries.
fn empty<F: MontgomeryField>(rows: usize, entries: u32, width: u32) -> Result<Csr<F>, FormatError> {
    let mut csr = Csr {
        row_offsets: room(CONSTRAINTS.name, rows + 1)?,
        columns: room(CONSTRAINTS.name, entries as usize)?,
        values: room(CONSTRAINTS.name, entries as usize)?,
        width,
    };
    csr.row_offsets.push(0);
    Ok(csr)
}

/// What an error names.
#[derive(Clone, Copy)]
struct Place {
    section: Section,
    name: &'static str,
    constraint: u32,
}

impl Place {
    fn wrong(self, what: &str, expected: impl ToString, found: impl ToString) -> FormatError {
        let field = format!("{what} in {} of constraint {}", self.name, self.constraint);
        self.section.wrong_value(field, expected, found)
    }
}

/// Appends a row. `order` is scratch.
fn read_row<F: MontgomeryField>(
    cursor: &mut Cursor<'_>,
    matrix: &mut Csr<F>,
    place: Place,
    order: &mut Vec<u32>,
) -> Result<(), FormatError> {
    let count = le_u32(cursor.take(4)?);
    let first = matrix.columns.len();
    for _ in 0..count {
        let bytes = cursor.take(4 + 8 * F::LIMBS)?;
        let wire = le_u32(bytes);
        if wire >= matrix.width {
            return Err(place.wrong("a wire", format_args!("below {}", matrix.width), wire));
        }
        let value = F::from_canonical_le(&bytes[4..]);
        matrix.values.push(value.ok_or_else(|| place.wrong("a value", "below the prime", "not below it"))?);
        matrix.columns.push(wire);
    }
    matrix.row_offsets.push(matrix.columns.len() as u32);
    let row = &matrix.columns[first..];
    if !row.is_sorted_by(|a, b| a < b) {
        order.clear();
        order.extend_from_slice(row);
        order.sort_unstable();
        // snarkjs takes the last one, others the sum.
        if let Some(pair) = order.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(place.wrong("a wire", "each once", format_args!("{} twice", pair[0])));
        }
    }
    Ok(())
}

/// Reads a section from its beginning, a block at a time.
struct Cursor<'a> {
    sections: &'a Sections,
    section: Section,
    block: Vec<u8>,
    /// Offset of the block in the section.
    offset: u64,
    /// What of the block was taken.
    taken: usize,
}

impl<'a> Cursor<'a> {
    fn new(sections: &'a Sections, section: Section) -> Self {
        Self { sections, section, block: Vec::new(), offset: 0, taken: 0 }
    }

    fn position(&self) -> u64 {
        self.offset + self.taken as u64
    }

    /// The next bytes, fewer than a block has.
    fn take(&mut self, len: usize) -> Result<&[u8], FormatError> {
        if self.block.len() - self.taken < len {
            let start = self.position();
            let left = self.section.size - start;
            if left < len as u64 {
                return Err(self.section.wrong_size(format!("at least {}", start + len as u64)));
            }
            self.block.clear();
            self.block.resize(left.min(BLOCK as u64) as usize, 0);
            self.sections.read(self.section, start, &mut self.block)?;
            (self.offset, self.taken) = (start, 0);
        }
        self.taken += len;
        Ok(&self.block[self.taken - len..self.taken])
    }

    /// Passes over bytes.
    fn skip(&mut self, len: u64) -> Result<(), FormatError> {
        let to = self.position() + len;
        if to > self.section.size {
            return Err(self.section.wrong_size(format!("at least {to}")));
        }
        if to - self.offset <= self.block.len() as u64 {
            self.taken = (to - self.offset) as usize;
        } else {
            self.block.clear();
            (self.offset, self.taken) = (to, 0);
        }
        Ok(())
    }

    /// All bytes must have been taken.
    fn end(self) -> Result<(), FormatError> {
        match self.position() {
            position if position == self.section.size => Ok(()),
            position => Err(self.section.wrong_size(position)),
        }
    }
}
