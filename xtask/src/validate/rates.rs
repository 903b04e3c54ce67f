//! Issue intervals in ptxas' own schedule.
//!
//! ptxas decides statically when the next instruction of a warp may issue and writes it into each
//! instruction: bits 105 to 108 of its 128 are the cycles until then. Between neighbours of one pipe that do
//! not depend on each other this is the interval at which the pipe takes them, as the assembler believes
//! it. For the pipes of integers an H200 agreed (`docs/log/experiments.md`, "On a GPU"); DFMA, where the few
//! FP64 lanes of 12.0 keep a queue, has an interval there that is not its rate.
//!
//! The committed table is what `codegen::targets::ptx::Pipes` is tested against and what bounds of machine
//! code are counted with. Here it is compared with what ptxas does now.

use super::policy::Verdict;
use super::{TARGETS, tables, tools};
use crate::files::clear;
use crate::shell;
use anyhow::{Context, Result, bail};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// The committed table, as it was when this program was built.
const COMMITTED: &str = include_str!("../../tables/rates.tsv");

/// Independent chains of a probe, and links of each.
const CHAINS: usize = 8;
const LINKS: usize = 8;
/// Predicates of a probe; a thread has seven.
const PREDICATES: usize = 6;
/// Neighbours of one kind that an interval has to be seen between.
const LEAST_PAIRS: u32 = 16;

/// Issue intervals of one compute capability, in cycles per warp-instruction and scheduler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rates {
    /// `IMAD.WIDE` and `IMAD.HI`.
    pub(crate) wide: u32,
    /// Any other `IMAD`.
    pub(crate) imad: u32,
    /// Additions, selects, comparisons, moves.
    pub(crate) add: u32,
    /// Logic, shifts and the rest of the ALU pipe.
    pub(crate) logic: u32,
}

impl Rates {
    /// Of a compute capability of [`TARGETS`].
    pub(crate) fn of(arch: u32) -> Rates {
        static TABLE: LazyLock<Table> =
            LazyLock::new(|| parse(COMMITTED).expect("a test reads the committed table"));
        let row = TABLE.get(&arch).expect("the committed table has every target");
        let of = |name: &str| row[KINDS.iter().position(|kind| kind.name == name).expect("a kind's name")];
        Rates { wide: of("wide"), imad: of("imad"), add: of("add"), logic: of("logic") }
    }
}

/// Instructions of one pipe.
struct Kind {
    name: &'static str,
    /// PTX of one link; `@` is the chain's number, `?` another chain's, `&` that of a
    /// predicate, `%x` and `%y` are operands of all.
    ptx: &'static str,
    /// Whether an opcode of machine code is of the kind.
    holds: fn(&str) -> bool,
}

const KINDS: [Kind; 9] = [
    // Without an addition, which ptxas would take apart.
    Kind {
        name: "wide",
        ptx: "mul.wide.u32 %d, %s@, %t@; mov.b64 {%s@, %t@}, %d;",
        holds: |o| o.starts_with("IMAD.WIDE"),
    },
    Kind { name: "high", ptx: "mad.hi.u32 %s@, %s@, %x, %y;", holds: |o| o.starts_with("IMAD.HI") },
    Kind { name: "imad", ptx: "mad.lo.u32 %s@, %s@, %x, %y;", holds: |o| o == "IMAD" },
    // With carries: additions of two words go to two pipes.
    Kind { name: "add", ptx: "add.cc.u32 %s@, %s@, %x; addc.u32 %t@, %t@, %y;", holds: |o| base(o, "IADD") },
    Kind { name: "select", ptx: "selp.u32 %s@, %s?, %s@, %p&;", holds: |o| base(o, "SEL") },
    Kind { name: "compare", ptx: "setp.lt.and.u32 %p&, %s@, %s?, %p&;", holds: |o| base(o, "ISETP") },
    Kind { name: "logic", ptx: "lop3.b32 %s@, %s@, %x, %s?, 0xe8;", holds: |o| base(o, "LOP3") },
    Kind { name: "shift", ptx: "shf.l.wrap.b32 %s@, %s@, %s?, 7;", holds: |o| base(o, "SHF") },
    Kind { name: "double", ptx: "fma.rn.f64 %f@, %f@, %f?, %f@;", holds: |o| base(o, "DFMA") },
];

/// Whether an opcode is `name`, with or without a digit of the number of its operands, whatever its
/// modifiers.
fn base(opcode: &str, name: &str) -> bool {
    opcode.split('.').next().is_some_and(|base| base.trim_end_matches('3') == name.trim_end_matches('3'))
}

/// Intervals by compute capability, in the order of [`KINDS`].
type Table = BTreeMap<u32, [u32; KINDS.len()]>;

fn path() -> PathBuf {
    shell::root().join("xtask/tables/rates.tsv")
}

/// Compares the committed table with the assembler's schedule.
pub(super) fn check(tools: &tools::Tools, folder: &Path, verdict: &mut Verdict) -> Result<()> {
    compare(&parse(COMMITTED)?, &measure(tools, folder)?, verdict);
    Ok(())
}

fn compare(committed: &Table, now: &Table, verdict: &mut Verdict) {
    for (arch, row) in now {
        let before = committed.get(arch);
        for (i, kind) in KINDS.iter().enumerate().filter(|(i, _)| before.map(|b| b[*i]) != Some(row[*i])) {
            let before = before.map_or_else(|| "none".to_owned(), |b| b[i].to_string());
            verdict.failures.push(format!(
                "{} for sm_{arch}: ptxas' interval is {}, the table says {before}: if it is meant, run \
                 `cargo xtask bless` and give `Pipes` the same",
                kind.name, row[i]
            ));
        }
    }
}

/// Rewrites the table. Fails where it changed, since this program counts with the old one.
pub(super) fn write(tools: &tools::Tools, folder: &Path) -> Result<()> {
    let text = print(&measure(tools, folder)?);
    std::fs::write(path(), &text).with_context(|| format!("cannot write {}", path().display()))?;
    if text != COMMITTED {
        bail!("{} changed; bless once more, for bounds by the new intervals", path().display());
    }
    Ok(())
}

fn print(table: &Table) -> String {
    let names: Vec<&str> = KINDS.iter().map(|kind| kind.name).collect();
    let mut out = format!("{}\nsm\t{}\n", tables::head(), names.join("\t"));
    for (arch, row) in table {
        let numbers: Vec<String> = row.iter().map(u32::to_string).collect();
        // Writing to a string cannot fail.
        let _ = writeln!(out, "{arch}\t{}", numbers.join("\t"));
    }
    out
}

fn parse(text: &str) -> Result<Table> {
    let row = |line: &str| {
        let (arch, numbers) = line.split_once('\t')?;
        let numbers: Option<Vec<u32>> = numbers.split('\t').map(|n| n.parse().ok()).collect();
        Some((arch.parse().ok()?, numbers?.try_into().ok()?))
    };
    let rows = text.lines().skip(2).map(|line| row(line).with_context(|| format!("`{line}` is no row")));
    let table = rows.collect::<Result<Table>>()?;
    if print(&table) != text {
        bail!("{} is not as `cargo xtask bless` writes it", path().display());
    }
    Ok(table)
}

fn measure(tools: &tools::Tools, folder: &Path) -> Result<Table> {
    clear(folder)?;
    let source = folder.join("rates.ptx");
    std::fs::write(&source, module()).with_context(|| format!("cannot write {}", source.display()))?;
    let one = |&arch: &u32| {
        let cubin = folder.join(format!("rates.sm_{arch}.cubin"));
        let mut ptxas = shell::command(&tools.ptxas);
        ptxas.arg(format!("-arch=sm_{arch}")).arg("-O3").arg(&source).arg("-o").arg(&cubin);
        tools::stderr(&mut ptxas)?;
        let code = tools::stdout(shell::command(&tools.nvdisasm).args(["-hex", "-c"]).arg(&cubin))?;
        let stalls = stalls(&code);
        let interval = |kind: &Kind| {
            let list = stalls.get(kind.name).map_or(&[][..], Vec::as_slice);
            interval(kind, list).with_context(|| format!("{} for sm_{arch}", kind.name))
        };
        let row = KINDS.iter().map(interval).collect::<Result<Vec<u32>>>()?;
        Ok((arch, row.try_into().expect("a number a kind")))
    };
    TARGETS.iter().map(one).collect()
}

/// An entry for each kind, by its name: loads by thread, so that nothing is uniform; the chains, a link of
/// each in turn; stores.
fn module() -> String {
    let mut text = ".version 6.3\n.target sm_75\n.address_size 64\n".to_owned();
    for kind in &KINDS {
        let mut body = String::new();
        for (register, width, count) in registers(kind) {
            for i in 0..count {
                // Writing to a string cannot fail.
                let _ = writeln!(body, "ld.global.{width} %{register}{i}, [%in+{}];", offset(register, i));
            }
        }
        body.push_str("mov.u32 %x, %s8;\nmov.u32 %y, %s9;\n");
        for i in 0..PREDICATES {
            let _ = writeln!(body, "setp.eq.u32 %p{i}, %s{i}, %y;");
        }
        for link in 0..LINKS {
            for chain in 0..CHAINS {
                let other = (chain + link + 1) % CHAINS;
                let predicate = (chain % PREDICATES).to_string();
                let line = kind.ptx.replace('@', &chain.to_string()).replace('?', &other.to_string());
                let line = line.replace('&', &predicate);
                let _ = writeln!(body, "{line}");
            }
        }
        for i in 0..PREDICATES {
            let _ = writeln!(body, "selp.u32 %s{i}, %s{i}, %x, %p{i};");
        }
        for (register, width, count) in registers(kind) {
            for i in 0..count {
                let _ = writeln!(body, "st.global.{width} [%out+{}], %{register}{i};", offset(register, i));
            }
        }
        let _ = writeln!(
            text,
            ".visible .entry {}(.param .u64 in, .param .u64 out)\n{{\n.reg .pred %p<8>;\n\
             .reg .u32 %x, %y, %thread, %s<10>, %t<8>;\n.reg .u64 %in, %out, %at, %d;\n.reg .f64 %f<8>;\n\
             ld.param.u64 %in, [in];\nld.param.u64 %out, [out];\nmov.u32 %thread, %tid.x;\n\
             mul.wide.u32 %at, %thread, 1024;\nadd.u64 %in, %in, %at;\nadd.u64 %out, %out, %at;\n{body}ret;\n}}",
            kind.name
        );
    }
    text
}

/// What a probe loads and stores: register, width and number.
fn registers(kind: &Kind) -> Vec<(&'static str, &'static str, usize)> {
    let all = [("s", "u32", CHAINS + 2), ("t", "u32", CHAINS), ("f", "f64", CHAINS)];
    all.into_iter().filter(|(r, ..)| *r == "s" || kind.ptx.contains(&format!("%{r}@"))).collect()
}

/// Bytes from the thread's place.
fn offset(register: &str, i: usize) -> usize {
    match register {
        "s" => 4 * i,
        "t" => 64 + 4 * i,
        _ => 128 + 8 * i,
    }
}

/// Opcode and stall count of every instruction by entry, from `nvdisasm -hex`: an instruction's line ends
/// with the low half of its encoding, the next line is the high half.
fn stalls(code: &str) -> BTreeMap<String, Vec<(String, u32)>> {
    let mut entries: BTreeMap<String, Vec<(String, u32)>> = BTreeMap::new();
    let (mut entry, mut pending) = (String::new(), None);
    for line in code.lines().map(str::trim) {
        if let Some(name) = line.strip_prefix(".text.").and_then(|rest| rest.strip_suffix(':')) {
            entry = name.to_owned();
        }
        let Some(half) = encoding(line) else { continue };
        match pending.take() {
            None => pending = super::sass::instruction(line).map(super::sass::opcode),
            Some(opcode) => {
                let stall = ((half >> (105 - 64)) & 15) as u32;
                entries.entry(entry.clone()).or_default().push((opcode.to_owned(), stall));
            }
        }
    }
    entries
}

/// The comment that ends a line, `/* 0x00000a00ff017b82 */`.
fn encoding(line: &str) -> Option<u64> {
    let (_, digits) = line.strip_suffix("*/")?.trim_end().rsplit_once("/* 0x")?;
    (digits.len() == 16).then(|| u64::from_str_radix(digits, 16).ok()).flatten()
}

/// The stall between neighbours of a kind: the least, which has to be the most frequent too. Longer ones wait
/// for results.
fn interval(kind: &Kind, list: &[(String, u32)]) -> Result<u32> {
    let mut seen: BTreeMap<u32, u32> = BTreeMap::new();
    for pair in list.windows(2).filter(|pair| pair.iter().all(|(opcode, _)| (kind.holds)(opcode))) {
        *seen.entry(pair[0].1).or_default() += 1;
    }
    let pairs: u32 = seen.values().sum();
    match seen.first_key_value() {
        Some((&least, &times)) if pairs >= LEAST_PAIRS && seen.values().all(|n| *n <= times) => Ok(least),
        _ => bail!("no clear interval in {pairs} pairs: {seen:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CODE: &str = "\
\t.section\t.text.imad,\"ax\",@progbits
.text.imad:
        /*0060*/                   IMAD R4, R4, R6, R7 ;         /* 0x0000000604047224 */
                                                                 /* 0x004fe400078e0207 */
        /*0070*/              @!P0 IMAD.WIDE.U32 R6, R15, 0x400, R6 ;   /* 0x000004000f067825 */
                                                                        /* 0x001fca00078e0006 */
        /*0080*/                   EXIT ;                        /* 0x000000000000794d */
                                                                 /* 0x000fea0003800000 */
";

    #[test]
    fn stall_counts_are_read() {
        let stalls = stalls(CODE);
        let expected = [("IMAD", 2), ("IMAD.WIDE.U32", 5), ("EXIT", 5)];
        assert_eq!(stalls["imad"], expected.map(|(opcode, stall)| (opcode.to_owned(), stall)));
        assert_eq!(stalls.len(), 1);
    }

    #[test]
    fn an_interval_has_to_be_clear() {
        let imad = &KINDS[2];
        let list = |stalls: &[u32]| -> Vec<_> { stalls.iter().map(|s| ("IMAD".to_owned(), *s)).collect() };
        let mut steady = vec![2; 17];
        assert_eq!(interval(imad, &list(&steady)).ok(), Some(2));
        assert!(interval(imad, &list(&steady[1..])).is_err());
        steady[3] = 1;
        assert!(interval(imad, &list(&steady)).is_err());
        let other = steady.iter().map(|s| ("IMAD.HI.U32".to_owned(), *s)).collect::<Vec<_>>();
        assert!(interval(imad, &other).is_err());
    }

    #[test]
    fn opcodes_are_known_by_their_kind() {
        let kinds = |opcode: &str| -> Vec<&str> {
            KINDS.iter().filter(|kind| (kind.holds)(opcode)).map(|kind| kind.name).collect()
        };
        assert_eq!(kinds("IADD3.X"), ["add"]);
        assert_eq!(kinds("IADD.64"), ["add"]);
        assert_eq!(kinds("IMAD.X"), [""; 0]);
        assert_eq!(kinds("IMAD.WIDE.U32.X"), ["wide"]);
        assert_eq!(kinds("LOP3.LUT"), ["logic"]);
    }

    #[test]
    fn the_committed_table_has_every_target() {
        let table = parse(COMMITTED).expect("it was written by bless");
        assert_eq!(table.keys().copied().collect::<Vec<_>>(), TARGETS);
        let mut verdict = Verdict::default();
        compare(&table, &table, &mut verdict);
        assert!(verdict.failures.is_empty());
        let mut other = table.clone();
        other.get_mut(&90).expect("a target")[0] += 1;
        other.remove(&75);
        compare(&other, &table, &mut verdict);
        assert_eq!(verdict.failures.len(), 1 + KINDS.len());
        assert!(parse(&COMMITTED.replace("wide", "narrow")).is_err());
    }
}
