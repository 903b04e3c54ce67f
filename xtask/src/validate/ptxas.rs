//! What `ptxas -v` says about each kernel.

use std::collections::BTreeMap;

/// What a kernel takes of a multiprocessor.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Resources {
    /// 32-bit registers of a thread.
    pub(super) registers: u32,
    /// Static shared memory of a block, in bytes.
    pub(super) shared: u32,
    /// Stack of a thread, its callees' included, in bytes.
    pub(super) stack: u32,
    /// Bytes of spill stores and of spill loads, its callees' included.
    pub(super) spills: (u32, u32),
    /// Time that the assembler took, in milliseconds.
    pub(super) millis: f64,
}

/// Entry points by symbol.
///
/// An entry begins with `Compiling entry function`; the properties of its callees follow
/// its own, before the next entry.
pub(super) fn parse(info: &str) -> BTreeMap<String, Resources> {
    let mut entries: BTreeMap<String, Resources> = BTreeMap::new();
    let mut symbol = String::new();
    for line in info.lines() {
        if let Some(rest) = after(line, "Compiling entry function '") {
            symbol = rest.split('\'').next().unwrap_or_default().to_owned();
            entries.insert(symbol.clone(), Resources::default());
            continue;
        }
        let Some(entry) = entries.get_mut(&symbol) else { continue };
        if let Some(registers) = after(line, "Used ").and_then(leading) {
            entry.registers = registers;
            entry.shared = counted(line, "bytes smem").unwrap_or(0);
            entry.stack = entry.stack.max(counted(line, "bytes cumulative stack size").unwrap_or(0));
        } else if let Some(millis) = after(line, "Compile time = ") {
            entry.millis = millis.split_whitespace().next().and_then(|t| t.parse().ok()).unwrap_or(0.0);
        } else if let Some(stack) = counted(line, "bytes stack frame") {
            entry.stack = entry.stack.max(stack);
            entry.spills.0 += counted(line, "bytes spill stores").unwrap_or(0);
            entry.spills.1 += counted(line, "bytes spill loads").unwrap_or(0);
        }
    }
    entries
}

fn after<'a>(line: &'a str, mark: &str) -> Option<&'a str> {
    line.split_once(mark).map(|(_, rest)| rest)
}

fn leading(text: &str) -> Option<u32> {
    text.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

/// The number before `what` in a list separated by commas.
fn counted(line: &str, what: &str) -> Option<u32> {
    line.split(',').find_map(|part| part.trim().strip_suffix(what)?.trim().parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    const INFO: &str = "\
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'plain' for 'sm_75'
ptxas info    : Function properties for plain
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 4 registers, used 0 barriers, 360 bytes cmem[0]
ptxas info    : Compile time = 1.330 ms
ptxas info    : Compiling entry function 'toy_mul' for 'sm_75'
ptxas info    : Function properties for toy_mul
    64 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads
ptxas info    : Used 14 registers, used 1 barriers, 80 bytes cumulative stack size, 512 bytes smem, 364 bytes cmem[0]
ptxas info    : Compile time = 2.113 ms
ptxas info    : Function properties for helper
    16 bytes stack frame, 4 bytes spill stores, 0 bytes spill loads
";

    #[test]
    fn entries_gather_their_callees() {
        let entries = parse(INFO);
        assert_eq!(entries["plain"], Resources { registers: 4, millis: 1.33, ..Resources::default() });
        let toy = Resources { registers: 14, shared: 512, stack: 80, spills: (12, 12), millis: 2.113 };
        assert_eq!(entries["toy_mul"], toy);
        assert_eq!(entries.len(), 2);
    }
}
