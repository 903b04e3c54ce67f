//! Issue rates of single instructions, alone and mixed.
//!
//! Every thread runs a loop over a long straight body of independent chains and reads the clock register
//! around it. What a PTX instruction becomes was read off machine code of ptxas 13.5 for sm_90.

use super::device::Gpu;
use anyhow::Result;
use curvesmith_abi::Arg;
use std::fmt::Write;

/// Independent chains of each instruction.
const CHAINS: usize = 8;
/// Times every chain advances in one round of the loop.
const UNROLL: usize = 32;
/// Rounds of the loop.
const ROUNDS: u64 = 64;
/// Threads a block: four warps a scheduler.
const BLOCK: u32 = 512;

/// One link of a chain in PTX.
type Link = fn(usize) -> String;

/// `IMAD.WIDE.U32`: a 64-bit accumulator takes its own upper word as the factor, so that nothing folds.
fn wide(c: usize) -> String {
    let (lo, hi) = (2 * c, 2 * c + 1);
    format!("mad.lo.cc.u32 w{lo}, w{hi}, y, w{lo}; madc.hi.u32 w{hi}, w{hi}, y, w{hi};")
}

/// `IMAD.WIDE.U32` and three `IMAD.WIDE.U32.X`: a chain of four products with its carries.
fn wide_chain(c: usize) -> String {
    let mut text = String::new();
    let base = 8 * (c % 2);
    for k in 0..4 {
        let (lo, hi) = (base + 2 * k, base + 2 * k + 1);
        let (first, last) = (if k == 0 { "mad" } else { "madc" }, if k == 3 { "" } else { ".cc" });
        let _ = write!(
            text,
            "{first}.lo.cc.u32 w{lo}, m{k}, y, w{lo}; madc.hi{last}.u32 w{hi}, m{k}, y, w{hi}; "
        );
    }
    text
}

/// `IMAD.HI.U32`
fn high(c: usize) -> String {
    format!("mad.hi.u32 h{c}, h{c}, y, z;")
}

/// `IMAD`
fn low(c: usize) -> String {
    format!("mad.lo.u32 l{c}, l{c}, y, z;")
}

/// `LOP3`
fn logic(c: usize) -> String {
    format!("lop3.b32 b{c}, b{c}, y, z, 0x1e;")
}

/// `LOP3` on other registers.
fn more_logic(c: usize) -> String {
    format!("lop3.b32 c{c}, c{c}, y, z, 0x1e;")
}

/// `IADD3` and seven `IADD3.X`: an addition of eight words.
fn add_chain(_: usize) -> String {
    let links = (0..8).map(|k| {
        let (first, last) = (if k == 0 { "add" } else { "addc" }, if k == 7 { "" } else { ".cc" });
        format!("{first}{last}.u32 b{k}, b{k}, m{}; ", k % 4)
    });
    links.collect()
}

/// `DFMA`
fn double(c: usize) -> String {
    format!("fma.rn.f64 f{c}, f{c}, fy, fz;")
}

/// `DFMA` on other registers.
fn more_double(c: usize) -> String {
    format!("fma.rn.f64 g{c}, g{c}, fy, fz;")
}

/// Name, links, and machine instructions that the links of one chain make together.
const MIXES: &[(&str, &[Link], usize)] = &[
    ("IMAD.WIDE", &[wide], 1),
    ("IMAD.WIDE + 3 IMAD.WIDE.X (chain)", &[wide_chain], 4),
    ("IMAD.HI", &[high], 1),
    ("IMAD", &[low], 1),
    ("LOP3", &[logic], 1),
    ("IADD3 + 7 IADD3.X (chain)", &[add_chain], 8),
    ("DFMA", &[double], 1),
    ("IMAD + LOP3", &[low, logic], 2),
    ("IMAD.WIDE + LOP3", &[wide, logic], 2),
    ("IMAD.WIDE + 2 LOP3", &[wide, logic, more_logic], 3),
    ("4 IMAD.WIDE.X + 8 IADD3.X", &[wide_chain, add_chain], 12),
    ("4 IMAD.WIDE.X + 4 LOP3", &[wide_chain, logic, more_logic, logic, more_logic], 8),
    ("IMAD.WIDE + IMAD", &[wide, low], 2),
    ("IMAD.WIDE + IMAD.HI", &[wide, high], 2),
    ("IMAD.HI + LOP3", &[high, logic], 2),
    ("IMAD.WIDE + DFMA", &[wide, double], 2),
    ("IMAD.WIDE + 2 DFMA", &[wide, double, more_double], 3),
    ("IMAD.WIDE + DFMA + LOP3", &[wide, double, logic], 3),
];

pub(crate) fn report(gpu: &Gpu) -> Result<()> {
    println!("issue rates: cycles per scheduler for the whole mix, {} warps a scheduler", BLOCK / 128);
    for (name, links, instructions) in MIXES {
        let module = gpu.load(&kernel(links), "k")?;
        let out = gpu.alloc(16)?;
        let args = [Arg::Buffer(out.whole()), Arg::U32(5)];
        gpu.time(&module, "k", gpu.multiprocessors(), BLOCK, &args)?;
        let cycles = u64::from_le_bytes(gpu.read(&out, 8)?.try_into().unwrap_or_default());
        let mixes = ROUNDS * (CHAINS * UNROLL) as u64 * u64::from(BLOCK / 128);
        println!("  {name:36} {:6.2}  ({instructions} instructions)", cycles as f64 / mixes as f64);
    }
    println!();
    Ok(())
}

/// The loop over `links`, with every chain's end folded into a word that is stored if it is a value that
/// it never is.
pub(crate) fn kernel(links: &[Link]) -> String {
    let mut t = format!(
        ".version 7.0\n.target sm_75\n.address_size 64\n\
         .visible .entry k(.param .u64 out, .param .u32 seed) .maxntid {BLOCK}, 1, 1\n{{\n\
         .reg .u32 w<16>, m<4>, h<8>, l<8>, b<8>, c<8>, x, y, z, i, s, tid;\n\
         .reg .f64 f<8>, g<8>, fy, fz; .reg .u64 o, t0, t1; .reg .pred q;\n\
         ld.param.u64 o, [out]; ld.param.u32 x, [seed]; mov.u32 tid, %tid.x;\n\
         add.u32 x, x, tid; mad.lo.u32 y, x, x, 7; xor.b32 z, y, x; cvt.rn.f64.u32 fy, y; cvt.rn.f64.u32 fz, z;\n"
    );
    for (name, count) in [("w", 16), ("m", 4), ("h", 8), ("l", 8), ("b", 8), ("c", 8)] {
        for k in 0..count {
            let _ = writeln!(t, "mad.lo.u32 {name}{k}, x, {}, {k};", 2 * k + 3);
        }
    }
    for k in 0..8 {
        let _ = writeln!(t, "cvt.rn.f64.u32 f{k}, w{k}; cvt.rn.f64.u32 g{k}, h{k};");
    }
    t += "bar.sync 0;\nmov.u64 t0, %clock64;\nmov.u32 i, 0;\nagain:\n";
    for _ in 0..UNROLL {
        for c in 0..CHAINS {
            for link in links {
                let _ = writeln!(t, "{}", link(c));
            }
        }
    }
    let _ = writeln!(t, "add.u32 i, i, 1; setp.lt.u32 q, i, {ROUNDS}; @q bra again;\nbar.sync 0;");
    t += "mov.u64 t1, %clock64; sub.u64 t1, t1, t0;\nmov.u32 s, 0;\n";
    for (name, count) in [("w", 16), ("h", 8), ("l", 8), ("b", 8), ("c", 8)] {
        for k in 0..count {
            let _ = writeln!(t, "mad.lo.u32 s, s, 3, {name}{k};");
        }
    }
    for k in 0..8 {
        let _ = writeln!(
            t,
            "cvt.rzi.u32.f64 x, f{k}; xor.b32 s, s, x; cvt.rzi.u32.f64 x, g{k}; xor.b32 s, s, x;"
        );
    }
    t + "setp.eq.u32 q, s, 305419896; @q st.global.u32 [o+8], s;\n\
         mov.u32 s, %ctaid.x; or.b32 s, s, tid; setp.eq.u32 q, s, 0; @q st.global.u64 [o], t1;\nret;\n}\n"
}
