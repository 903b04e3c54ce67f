//! The container that `.zkey`, `.wtns` and `.r1cs` share: magic, version, and a list of
//! `(u32 id, u64 size, bytes)` sections in any order.

use super::format_error::FormatError;
use super::source::Source;

/// A section that a format knows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SectionName {
    pub(crate) id: u32,
    pub(crate) name: &'static str,
}

/// Where a section's bytes lie; always inside the file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Section {
    pub(crate) name: SectionName,
    pub(crate) offset: u64,
    pub(crate) size: u64,
}

/// More sections than any writer makes; bounds the work on hostile files.
const MAX_SECTIONS: u32 = 4096;

/// The section table of a file.
#[derive(Debug)]
pub(crate) struct Sections {
    pub(crate) source: Source,
    found: Vec<(u32, u64, u64)>,
}

impl Sections {
    /// Reads the table. Every section is checked to lie inside the file, and the
    /// last one to end it.
    pub(crate) fn open(source: Source, magic: &'static str, version: u32) -> Result<Self, FormatError> {
        let end = source.len();
        let mut head = [0u8; 12];
        read_at(&source, &mut head, 0, "the file header")?;
        if &head[..4] != magic.as_bytes() {
            return Err(FormatError::Magic { expected: magic });
        }
        let found_version = le_u32(&head[4..8]);
        if found_version != version {
            return Err(FormatError::Version { expected: version, found: found_version });
        }
        let count = le_u32(&head[8..12]);
        if count > MAX_SECTIONS {
            return Err(FormatError::Value {
                id: 0,
                name: "file header",
                field: "number of sections".into(),
                expected: format!("at most {MAX_SECTIONS}"),
                found: count.to_string(),
            });
        }
        let mut found = Vec::new();
        let mut offset = 12u64;
        for index in 0..count {
            let mut head = [0u8; 12];
            read_at(&source, &mut head, offset, &format!("header of section number {index} in the file"))?;
            let id = le_u32(&head[..4]);
            let size = u64::from_le_bytes(head[4..12].try_into().expect("8 bytes"));
            offset += 12;
            let next = offset.checked_add(size).filter(|next| *next <= end);
            let Some(next) = next else {
                return Err(FormatError::Truncated {
                    what: format!("section {id}"),
                    offset,
                    needed: size,
                    end,
                });
            };
            found.push((id, offset, size));
            offset = next;
        }
        if offset != end {
            return Err(FormatError::Trailing { extra: end - offset });
        }
        Ok(Self { source, found })
    }

    /// What was read, unless the file has changed since it was opened: then neither a value nor an error
    /// means anything.
    pub(crate) fn unless_changed<T>(&self, read: Result<T, FormatError>) -> Result<T, FormatError> {
        if self.source.has_changed()? { Err(FormatError::Changed) } else { read }
    }

    /// The section `name`, which must be there exactly once.
    pub(crate) fn unique(&self, name: SectionName) -> Result<Section, FormatError> {
        let mut matches = self.found.iter().filter(|(id, ..)| *id == name.id);
        let SectionName { id, name: text } = name;
        let (_, offset, size) = *matches.next().ok_or(FormatError::SectionMissing { id, name: text })?;
        if matches.next().is_some() {
            return Err(FormatError::SectionTwice { id, name: text });
        }
        Ok(Section { name, offset, size })
    }

    /// As [`Sections::unique`]; `None` if it is not there.
    pub(crate) fn optional(&self, name: SectionName) -> Result<Option<Section>, FormatError> {
        match self.unique(name) {
            Ok(section) => Ok(Some(section)),
            Err(FormatError::SectionMissing { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The section's bytes, at most `limit` of them: sections read whole are small.
    pub(crate) fn bytes(&self, section: Section, limit: u64) -> Result<Vec<u8>, FormatError> {
        let size = section.size.min(limit);
        let mut bytes = vec![0u8; usize::try_from(size).map_err(|_| section.wrong_size("less"))?];
        self.read(section, 0, &mut bytes)?;
        Ok(bytes)
    }

    /// Fills `buffer` from `offset` within the section.
    pub(crate) fn read(&self, section: Section, offset: u64, buffer: &mut [u8]) -> Result<(), FormatError> {
        debug_assert!(offset + buffer.len() as u64 <= section.size);
        read_at(&self.source, buffer, section.offset + offset, section.name.name)
    }
}

impl Section {
    pub(crate) fn wrong_size(&self, expected: impl ToString) -> FormatError {
        FormatError::SectionSize {
            id: self.name.id,
            name: self.name.name,
            expected: expected.to_string(),
            found: self.size,
        }
    }

    /// Checks the size against `count · each`.
    pub(crate) fn holds(&self, count: u64, each: u64) -> Result<(), FormatError> {
        match count.checked_mul(each) {
            Some(size) if size == self.size => Ok(()),
            Some(size) => Err(self.wrong_size(format!("{size} ({count} of {each})"))),
            None => Err(self.wrong_size(format!("{count} times {each}"))),
        }
    }

    pub(crate) fn wrong_value(
        &self,
        field: impl ToString,
        expected: impl ToString,
        found: impl ToString,
    ) -> FormatError {
        FormatError::Value {
            id: self.name.id,
            name: self.name.name,
            field: field.to_string(),
            expected: expected.to_string(),
            found: found.to_string(),
        }
    }
}

/// A cursor over the bytes of a small section.
pub(crate) struct Fields<'a> {
    section: Section,
    rest: &'a [u8],
}

impl<'a> Fields<'a> {
    pub(crate) fn new(section: Section, bytes: &'a [u8]) -> Self {
        Self { section, rest: bytes }
    }

    pub(crate) fn take(&mut self, len: usize) -> Result<&'a [u8], FormatError> {
        let (head, rest) = self
            .rest
            .split_at_checked(len)
            .ok_or_else(|| self.section.wrong_size(format!("at least {}", self.section.size + len as u64)))?;
        self.rest = rest;
        Ok(head)
    }

    pub(crate) fn u32(&mut self) -> Result<u32, FormatError> {
        Ok(le_u32(self.take(4)?))
    }

    /// All bytes must have been taken.
    pub(crate) fn end(self) -> Result<(), FormatError> {
        if self.rest.is_empty() {
            return Ok(());
        }
        Err(self.section.wrong_size(self.section.size - self.rest.len() as u64))
    }
}

/// An empty vector with room for `count` items: a key can be larger than the memory.
pub(crate) fn room<T>(what: &'static str, count: usize) -> Result<Vec<T>, FormatError> {
    let mut items = Vec::new();
    let bytes = (count as u64).saturating_mul(size_of::<T>() as u64);
    items.try_reserve_exact(count).map_err(|_| FormatError::Memory { what, bytes })?;
    Ok(items)
}

/// As [`room`], filled with `item`.
pub(crate) fn filled<T: Clone>(what: &'static str, count: usize, item: T) -> Result<Vec<T>, FormatError> {
    let mut items = room(what, count)?;
    items.resize(count, item);
    Ok(items)
}

pub(crate) fn le_u32(bytes: &[u8]) -> u32 {
    u32::from_le_bytes(bytes[..4].try_into().expect("4 bytes"))
}

fn read_at(source: &Source, buffer: &mut [u8], offset: u64, what: &str) -> Result<(), FormatError> {
    let needed = buffer.len() as u64;
    if offset.checked_add(needed).is_none_or(|end| end > source.len()) {
        return Err(FormatError::Truncated { what: what.into(), offset, needed, end: source.len() });
    }
    Ok(source.read_at(buffer, offset)?)
}
