//! Machine code as `nvdisasm -c` prints it: opcodes counted by the pipe they go to.

use super::rates::Rates;
use std::collections::BTreeMap;

/// Instructions of one kernel, its callees included; a loop's body counts once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// All, without padding.
    pub(crate) total: u32,
    /// `IMAD.WIDE` and `IMAD.HI`: 32 × 32 bits with more than the low half of the product.
    pub(crate) wide: u32,
    /// Any other `IMAD`.
    pub(crate) imad: u32,
    /// The ALU pipe: additions, logic, selects, shifts, comparisons, moves.
    pub(crate) alu: u32,
    /// Of these, all but additions, selects, comparisons and moves.
    pub(crate) logic: u32,
    /// Loads and stores of global memory.
    pub(crate) global: u32,
    /// Loads and stores of shared memory.
    pub(crate) shared: u32,
    /// `LDL` and `STL`.
    pub(crate) local: u32,
    /// `P2R` and `R2P`: carries that did not fit the predicate registers.
    pub(crate) predicates: u32,
    /// Branches, calls, returns, barriers and their bookkeeping.
    pub(crate) control: u32,
    /// Of these, branches, calls and ends that depend on a predicate.
    pub(crate) conditional: u32,
}

impl std::ops::AddAssign for Counts {
    fn add_assign(&mut self, other: Counts) {
        let Counts { total, wide, imad, alu, logic, global, shared, local, predicates, control, conditional } =
            other;
        self.total += total;
        self.wide += wide;
        self.imad += imad;
        self.alu += alu;
        self.logic += logic;
        self.global += global;
        self.shared += shared;
        self.local += local;
        self.predicates += predicates;
        self.control += control;
        self.conditional += conditional;
    }
}

impl Counts {
    /// Cycles of the pipe that takes longest, per warp and scheduler, if every instruction is
    /// executed once.
    ///
    /// The pipes take what [`Rates`] says, issue 1 each.
    pub(crate) fn bound(&self, rates: Rates) -> u32 {
        self.multiply(rates).max(self.alu(rates)).max(self.total)
    }

    /// Cycles of the multiply pipe.
    pub(crate) fn multiply(&self, rates: Rates) -> u32 {
        rates.wide * self.wide + rates.imad * self.imad
    }

    /// Cycles of the ALU pipe.
    pub(crate) fn alu(&self, rates: Rates) -> u32 {
        rates.add * (self.alu - self.logic) + rates.logic * self.logic
    }

    /// Cycles that an H200 was seen to take with four warps a scheduler, rounded up: an instruction
    /// of the ALU adds 0.9 to the multiply pipe's (`docs/log/experiments.md`, "On a GPU").
    pub(crate) fn time(&self, rates: Rates) -> u32 {
        (self.multiply(rates) + (9 * self.alu).div_ceil(10)).max(self.bound(rates))
    }

    /// Instructions in no class of their own.
    pub(super) fn other(&self) -> u32 {
        self.total - self.wide - self.imad - self.alu - self.global - self.shared - self.local - self.control
    }

    pub(super) fn add(&mut self, opcode: &str) {
        let mut parts = opcode.split('.');
        let base = parts.next().unwrap_or_default();
        let has = |part| opcode.split('.').skip(1).any(|p| p == part);
        self.total += 1;
        let class = match base {
            "IMAD" if has("WIDE") || has("HI") => &mut self.wide,
            "IMAD" => &mut self.imad,
            "LDG" | "STG" | "LD" | "ST" | "ATOM" | "ATOMG" | "RED" | "REDG" | "LDGSTS" => &mut self.global,
            "LDS" | "STS" | "ATOMS" | "LDSM" => &mut self.shared,
            "LDL" | "STL" => &mut self.local,
            "BRA" | "EXIT" | "CALL" | "RET" | "BSSY" | "BSYNC" | "BREAK" | "BAR" | "WARPSYNC" | "BRX"
            | "JMP" | "MEMBAR" | "ERRBAR" | "DEPBAR" | "YIELD" | "BMOV" | "CCTL" => &mut self.control,
            _ if ALU.contains(&base) => {
                self.logic += u32::from(!QUICK.contains(&base));
                &mut self.alu
            }
            _ => return,
        };
        *class += 1;
        self.predicates += u32::from(base == "P2R" || base == "R2P");
    }
}

/// Opcodes of the ALU pipe; the uniform datapath (`U...`) is another.
const ALU: &[&str] = &[
    "IADD",
    "IADD3",
    "VIADD",
    "LOP3",
    "LOP",
    "SEL",
    "FSEL",
    "SHF",
    "SHL",
    "SHR",
    "LEA",
    "ISETP",
    "PLOP3",
    "PRMT",
    "P2R",
    "R2P",
    "MOV",
    "IABS",
    "IMNMX",
    "VIMNMX",
    "VIMNMX3",
    "VIADDMNMX",
    "SGXT",
    "BMSK",
    "VOTE",
    "CS2R",
];

/// Of these, what issues like an addition.
const QUICK: &[&str] = &["IADD", "IADD3", "VIADD", "SEL", "FSEL", "ISETP", "MOV"];

/// A line of a kernel's code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// Where branches go.
    Label(String),
    /// An instruction, with its predicate and operands.
    Instruction(String),
}

/// Code by the symbol of the `.text` section, without padding and traps.
pub(super) fn listing(code: &str) -> BTreeMap<String, Vec<Line>> {
    let mut kernels: BTreeMap<String, Vec<Line>> = BTreeMap::new();
    let mut symbol = None;
    // The label directly above: `nvdisasm` ends each section with a branch to itself.
    let mut label = "";
    for line in code.lines().map(str::trim) {
        if let Some(section) =
            line.strip_prefix(".section").filter(|rest| rest.starts_with(char::is_whitespace))
        {
            let name = section.trim_start().split(',').next().unwrap_or_default();
            symbol = name.strip_prefix(".text.").map(str::to_owned);
        }
        let above = std::mem::replace(&mut label, line.strip_suffix(':').unwrap_or_default());
        let Some(symbol) = &symbol else { continue };
        let lines = kernels.entry(symbol.clone()).or_default();
        if !label.is_empty() {
            lines.push(Line::Label(label.to_owned()));
        }
        let Some(instruction) = instruction(line) else { continue };
        let opcode = opcode(instruction);
        let trap = opcode == "BRA" && !above.is_empty() && target(instruction) == Some(above);
        if !opcode.is_empty() && opcode != "NOP" && !trap {
            lines.push(Line::Instruction(instruction.to_owned()));
        }
    }
    kernels
}

/// All instructions of a listing.
pub(super) fn count(lines: &[Line]) -> Counts {
    let mut counts = Counts::default();
    for line in lines {
        if let Line::Instruction(text) = line {
            counts.add(opcode(text));
            counts.conditional += u32::from(is_conditional(text));
        }
    }
    counts
}

/// Where a branch goes: `` `(.L_x_3) ``.
pub(super) fn target(instruction: &str) -> Option<&str> {
    Some(instruction.split_once("`(")?.1.split_once(')')?.0)
}

/// Whether an instruction has a predicate.
pub(super) fn is_predicated(instruction: &str) -> bool {
    instruction.trim_start_matches(['{', ' ']).starts_with('@')
}

/// Whether an instruction goes elsewhere only where a predicate says so: that it is under, or that it takes.
fn is_conditional(instruction: &str) -> bool {
    let base = opcode(instruction).split('.').next().unwrap_or_default();
    let takes = || {
        let operands = instruction.split_once(base).map_or("", |(_, operands)| operands);
        operands.split([' ', ',']).any(|operand| {
            let name = operand.trim_start_matches('!').trim_start_matches('U');
            name.strip_prefix('P').is_some_and(|number| number.parse::<u8>().is_ok())
        })
    };
    ["BRA", "BRX", "JMP", "EXIT", "CALL", "RET", "BREAK"].contains(&base)
        && (is_predicated(instruction) || takes())
}

/// The text after the address comment `/*01f0*/`.
pub(super) fn instruction(line: &str) -> Option<&str> {
    let (address, rest) = line.strip_prefix("/*")?.split_once("*/")?;
    address.bytes().all(|b| b.is_ascii_hexdigit()).then(|| rest.trim())
}

/// The opcode with its modifiers, after an optional predicate and brace.
pub(super) fn opcode(instruction: &str) -> &str {
    let text = instruction.trim_start_matches(['{', ' ']);
    let text = match text.strip_prefix('@') {
        Some(rest) => rest.split_once(' ').map_or("", |(_, rest)| rest.trim_start()),
        None => text,
    };
    text.split(|c: char| c.is_whitespace() || c == ';').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const CODE: &str = "\
\t.target\tsm_90
\t.section\t.text.plain,\"ax\",@progbits
plain:
.text.plain:
        /*0000*/                   LDC R1, c[0x0][0x28] ;
        /*0030*/                   LDG.E R0, desc[UR4][R2.64] ;
        /*0040*/                   IMAD R5, R0, R0, RZ ;
        /*0050*/                   STG.E desc[UR4][R2.64], R5 ;
        /*0060*/                   EXIT ;
.L_x_0:
        /*0070*/                   BRA `(.L_x_0);
        /*0080*/                   NOP;
.L_x_6:
\t.section\t.text.toy_mul,\"ax\",@progbits
\t.sectioninfo\t@\"SHI_REGISTERS=14\"
.text.toy_mul:
        /*0050*/               @P0 EXIT ;
.L_x_3:
        /*0080*/                   IMAD.WIDE.U32 R2, R5, 0x10, R2 ;
        /*00b0*/                   IADD3 R4, P0, R1, UR4, RZ ;
        /*00d0*/                   IMAD.X R5, RZ, RZ, UR4, P0 ;
        /*00e0*/              @!P1 IMAD.HI.U32 R6, R5, R4, RZ ;
        /*00f0*/                   P2R R7, PR, RZ, 0x1 ;
        /*0140*/                   STL [R6], R9 ;
        /*0180*/                   STS [UR4], R4 ;
        /*0190*/                   BAR.SYNC.DEFER_BLOCKING 0x0 ;
        /*01c0*/                   CALL.REL.NOINC `($toy_mul$helper) ;
        /*01d0*/               @P2 BRA `(.L_x_3) ;
$toy_mul$helper:
        /*01f0*/                   UMOV UR4, 0x400 ;
        /*0240*/                   RET.REL.NODEC R4 `(toy_mul) ;
\t.section\t.nv.info,\"\",@\"SHT_CUDA_INFO\"
        /*0000*/                   .byte 0x04 ;
";

    #[test]
    fn opcodes_go_to_their_classes() {
        let listing = listing(CODE);
        let kernels: BTreeMap<_, _> =
            listing.iter().map(|(symbol, lines)| (symbol.as_str(), count(lines))).collect();
        let plain = Counts { total: 5, imad: 1, global: 2, control: 1, ..Counts::default() };
        assert_eq!(kernels["plain"], plain);
        assert_eq!(plain.other(), 1);
        let toy = &kernels["toy_mul"];
        let expected = Counts {
            total: 13,
            wide: 2,
            imad: 1,
            alu: 2,
            logic: 1,
            shared: 1,
            local: 1,
            predicates: 1,
            control: 5,
            conditional: 2,
            ..Counts::default()
        };
        assert_eq!(*toy, expected);
        assert_eq!(kernels.len(), 2);
    }

    #[test]
    fn what_depends_on_a_predicate_is_conditional() {
        for text in
            ["@P0 EXIT ;", "@!UP2 BRA `(.L_x_3) ;", "{ @P1 CALL.REL.NOINC `(f) ;", "BRA !P6, `(.L_x_3) ;"]
        {
            assert!(is_conditional(text), "{text}");
        }
        for text in
            ["EXIT ;", "BRA `(.L_x_P0) ;", "@P0 IADD3 R4, P0, R1, UR4, RZ ;", "BRA.DIV ~URZ, `(.L_x_3) ;"]
        {
            assert!(!is_conditional(text), "{text}");
        }
    }

    #[test]
    fn the_bound_is_the_slowest_pipe() {
        // The best hand-written 8-limb multiplication: 120 + 8 wide, 8 IMAD, 38 IADD3, 8 SEL, 1 ISETP.
        let mul = Counts { total: 183, wide: 128, imad: 8, alu: 47, ..Counts::default() };
        let rates = Rates::of(90);
        assert_eq!(mul.bound(rates), 528);
        assert_eq!(mul.time(rates), 571);
        let sums = Counts { total: 26, alu: 26, logic: 5, ..Counts::default() };
        assert_eq!((sums.bound(rates), sums.bound(Rates::of(120))), (52, 31));
        assert_eq!(Counts { total: 26, alu: 3, ..Counts::default() }.bound(rates), 26);
    }
}
