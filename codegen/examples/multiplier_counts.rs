//! Instructions of every variant of a product, square and sum of two products, as ptxas assembles
//! them: `cargo run --release --example multiplier_counts -- <folder of ptxas and nvdisasm> [field]`.
//!
//! Counts per operation: a kernel of four operations in a row less one of one, divided by three.
//! Registers are those of the kernel of four. A table in Markdown, beside the model's numbers.

use curvesmith_codegen::declaration::FieldDesc;
use curvesmith_codegen::targets::ptx::emit::chain;
use curvesmith_codegen::targets::ptx::{Bound, Choice, FieldOp, Pipes, all_choices};
use num_bigint::BigUint;
use std::path::{Path, PathBuf};
use std::process::Command;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// Name and modulus in hex.
const FIELDS: &[(&str, &str)] = &[
    ("bn254_fq", "30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47"),
    ("bn254_fr", "30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001"),
    ("bls12_381_fr", "73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001"),
    (
        "bls12_381_fq",
        "1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaab",
    ),
    (
        "bls12_377_fq",
        "01ae3a4617c510eac63b05c06ca1493b1a22d9f300f5138f1ef3622fba094800170b5d44300000008508c00000000001",
    ),
    (
        "bw6_761_fq",
        "122e824fb83ce0ad187c94004faff3eb926186a81d14688528275ef8087be41707ba638e584e91903cebaff25b423048\
         689c8ed12f9fd9071dcd3dc73ebff2e98a116c25667a8f8160cf8aeeaf0a437e6913e6870000082f49d00000000008b",
    ),
];

fn main() -> Result<()> {
    let mut args = std::env::args().skip(1);
    let tools = PathBuf::from(args.next().ok_or("the folder of ptxas and nvdisasm is missing")?);
    let filter = args.next().unwrap_or_default();
    let scratch = std::env::temp_dir().join(format!("multiplier-counts-{}", std::process::id()));
    std::fs::create_dir_all(&scratch)?;
    println!(
        "| field, variant | bound of result | instructions | WIDE | HI | IMAD | ALU | cycles (bound) | registers | model: bound, time |"
    );
    println!("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
    for (name, p) in FIELDS.iter().filter(|(name, _)| name.contains(&filter)) {
        let p = BigUint::parse_bytes(p.as_bytes(), 16).ok_or("a modulus is not a number")?;
        let field = FieldDesc::new(*name, p);
        for op in [FieldOp::Mul, FieldOp::Sqr, FieldOp::Dot(2)] {
            let operands = vec![Bound::Canonical; op.operands(&field)];
            let all = all_choices(&field, &op, &operands);
            for choice in all.iter().filter(|choice| !choice.variant.contains("canonical")) {
                println!("{}", row(&tools, &scratch, &field, choice)?);
            }
        }
    }
    std::fs::remove_dir_all(&scratch)?;
    Ok(())
}

fn row(tools: &Path, scratch: &Path, field: &FieldDesc, choice: &Choice) -> Result<String> {
    let (one, _) = assemble(tools, scratch, &chain::kernel(choice.block(), "chain", 1))?;
    let (four, registers) = assemble(tools, scratch, &chain::kernel(choice.block(), "chain", 4))?;
    let each: Vec<f64> =
        four.iter().zip(one).map(|(four, one)| (f64::from(*four) - f64::from(one)) / 3.0).collect();
    let [total, wide, hi, imad, alu] = each[..] else { return Err("five classes are counted".into()) };
    let bound = (4.0 * (wide + hi) + 2.0 * imad).max(2.0 * alu).max(total);
    let (cost, pipes) = (choice.cost, Pipes::SM_90);
    Ok(format!(
        "| {} {} | {} | {total:.0} | {wide:.0} | {hi:.0} | {imad:.0} | {alu:.0} | {bound:.0} | {registers} | {}, {} |",
        field.name,
        choice.variant,
        choice.out.display(field),
        cost.balanced(&pipes).cycles(&pipes),
        cost.tenths(&pipes) / 10
    ))
}

/// Instructions: all, IMAD.WIDE, IMAD.HI, other IMAD, of the ALU; and registers.
fn assemble(tools: &Path, scratch: &Path, ptx: &str) -> Result<([u32; 5], u32)> {
    let (source, cubin) = (scratch.join("chain.ptx"), scratch.join("chain.cubin"));
    std::fs::write(&source, ptx)?;
    let mut ptxas = Command::new(tools.join("ptxas"));
    let output = ptxas.args(["-arch=sm_90", "-O3", "-v"]).arg(&source).arg("-o").arg(&cubin).output()?;
    let info = String::from_utf8(output.stderr)?;
    if !output.status.success() {
        return Err(info.into());
    }
    let registers = info.split_once("Used ").and_then(|(_, rest)| rest.split(' ').next()?.parse().ok());
    let code = Command::new(tools.join("nvdisasm")).arg("-c").arg(&cubin).output()?;
    let mut counts = [0; 5];
    for line in String::from_utf8(code.stdout)?.lines() {
        count(line.trim(), &mut counts);
    }
    Ok((counts, registers.ok_or("ptxas names no registers")?))
}

fn count(line: &str, counts: &mut [u32; 5]) {
    // `/*0120*/ @P0 IMAD.WIDE.U32 R4, ...`
    let Some((address, rest)) = line.strip_prefix("/*").and_then(|rest| rest.split_once("*/")) else {
        return;
    };
    if !address.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return;
    }
    let mut words = rest.split_whitespace().filter(|word| !word.starts_with('@') && *word != "{");
    let opcode = words.next().unwrap_or_default().trim_end_matches(';');
    let base = opcode.split('.').next().unwrap_or_default();
    let class = match base {
        "NOP" | "BRA" | "" => return,
        "IMAD" if opcode.contains(".WIDE") => 1,
        "IMAD" if opcode.contains(".HI") => 2,
        "IMAD" => 3,
        "IADD3" | "IADD" | "VIADD" | "LOP3" | "SEL" | "SHF" | "LEA" | "ISETP" | "PLOP3" | "PRMT" | "P2R"
        | "R2P" | "MOV" => 4,
        _ => {
            counts[0] += 1;
            return;
        }
    };
    counts[0] += 1;
    counts[class] += 1;
}
