//! Programs on limbs of 13 bits as functions, and elements from words and back.

use super::{Dialect, module};
use crate::declaration::FieldDesc;
use crate::error::EmitError;
use crate::passes::Checked;
use crate::targets::wgsl::columns::ir::{Limb, Op, Program, Src};
use crate::targets::wgsl::narrow::{BITS, Narrow, limbs, packed, unpacked};
use crate::targets::{Artefact, BackEnd, Layout, Unproven};
use std::fmt::Write as _;

impl BackEnd for Narrow {
    type Emitter = ();

    fn layout(field: &FieldDesc) -> Layout {
        Layout { limbs: limbs(field), bits: BITS }
    }

    /// As of [`Wgsl`](super::Wgsl): what is bound, and what lies there, is the same.
    fn emit(kernels: &[Checked<Narrow>], (): ()) -> Result<Artefact, EmitError> {
        module(kernels)
    }
}

impl Dialect for Narrow {
    const REGROUPS: bool = true;

    fn prelude(field: &FieldDesc) -> Result<String, Unproven> {
        let words = field.words;
        let list = |of: &dyn Fn(usize) -> String| (0..words).map(of).collect::<Vec<_>>().join(", ");
        let (fields, arguments) = (list(&|i| format!("m{i}: u32")), list(&|i| format!("x{i}: u32")));
        let unpack = written(&unpacked(field)?, &|limb| format!("x{limb}"));
        let pack = written(&packed(field)?, &|limb| format!("x.w{limb}"));
        Ok(format!(
            "struct M {{ {fields} }}\nfn unpack({arguments}) -> E {{\n{}  return E({});\n}}\nfn pack(x: E) -> M {{\n{}  \
             return M({});\n}}\n",
            unpack.0, unpack.1, pack.0, pack.1
        ))
    }

    fn function(name: &str, program: &Program, n: usize) -> String {
        let (text, words) = written(program, &|limb| format!("x{}.w{}", limb / n, limb % n));
        let arguments: Vec<String> = (0..program.inputs).map(|k| format!("x{k}: E")).collect();
        format!("fn {name}({}) -> E {{\n{text}  return E({words});\n}}\n", arguments.join(", "))
    }
}

/// The lines of a program whose inputs are called so, and its results. Writing to a string cannot fail.
fn written(program: &Program, input: &dyn Fn(usize) -> String) -> (String, String) {
    let needed = program.needed();
    let first = needed.iter().map(|(limb, _)| limb.0).min().unwrap_or(program.limbs);
    let name = |limb: Limb| if limb.0 < first { input(limb.0 as usize) } else { format!("t{}", limb.0) };
    let source = |src: Src| match src {
        Src::Limb(limb) => name(limb),
        Src::Imm(value) => format!("{value}u"),
    };
    let mut text = String::new();
    for (limb, op) in needed {
        let value = match op {
            Op::Add(a, b) => format!("{} + {}", source(a), source(b)),
            Op::Sub(a, b) => format!("{} - {}", source(a), source(b)),
            Op::Mul { sum: Src::Imm(0), a, b } => format!("{} * {}", source(a), source(b)),
            Op::Mul { sum, a, b } => format!("{} + {} * {}", source(sum), source(a), source(b)),
            Op::Quotient { a, by, bits } => format!("({} * {by}u) & {}u", name(a), mask(bits)),
            Op::Carry { a, q, p0, bits } => format!("({} + {} * {p0}u) >> {bits}u", name(a), name(q)),
            Op::Shift { a, bits, signed: false } => format!("{} >> {bits}u", name(a)),
            Op::Shift { a, bits, signed: true } => {
                format!("bitcast<u32>(bitcast<i32>({}) >> {bits}u)", name(a))
            }
            Op::Mask { a, bits } => format!("{} & {}u", name(a), mask(bits)),
            Op::Double { a, bits } => format!("{} << {bits}u", name(a)),
            Op::Select { sign, a, b } => {
                format!("select({}, {}, bitcast<i32>({}) < 0)", source(b), source(a), name(sign))
            }
        };
        let _ = writeln!(text, "  let t{} = {value};", limb.0);
    }
    let words: Vec<String> = program.output.iter().map(|src| source(*src)).collect();
    (text, words.join(", "))
}

fn mask(bits: u32) -> u32 {
    (1 << bits) - 1
}
