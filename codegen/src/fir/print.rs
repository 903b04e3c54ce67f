//! The text form of FIR. [`parse`](super::parse) reads it back.
//!
//! Values are numbered by definition, so that values no statement computes do not show.
//! ```text
//! kernel toy_mul: Field mul[128](a: in field<1p, …)
//! field toy = 13
//! extension 2 by 12
//! shared s0: 256
//! local l0: u32
//! {
//!   v0 = special block
//!   if v0 {
//!     v1, v2 = load p0[v0]+4
//!     set l0, v1
//!   } else {
//!     return
//!   }
//! }
//! ```
//! The functions that a kernel calls come before it, each once, callees before callers:
//! ```text
//! function toy_norm(field, field) -> (field)
//! field toy = 13
//! {
//!   v0 = argument 0
//!   …
//!   yield v4
//! }
//! kernel toy_mul: Field mul[128](a: in field<1p, …)
//! field toy = 13
//! calls f0: toy_norm
//! {
//!   …
//!   v7 = call f0, v5, v6
//! ```

use super::ir::*;
use std::fmt::Write;

/// The kernel as text, with what it calls.
pub fn print(kernel: &Kernel) -> String {
    let functions: String = kernel.callees().iter().map(|f| print_noted(f, &|_| None, &|_| None)).collect();
    functions + &print_noted(kernel, &|_| None, &|_| None)
}

/// The kernel alone as text, with a note behind the definition of a value and the declaration of a local.
/// A note is a comment of the text form.
pub fn print_noted(
    kernel: &Kernel,
    value: &dyn Fn(Value) -> Option<String>,
    local: &dyn Fn(Local) -> Option<String>,
) -> String {
    let names = ValueMap::filled(kernel, u32::MAX);
    let mut p = Printer { kernel, names, next: 0, out: String::new(), value_note: value, local_note: local };
    p.header();
    p.block(&kernel.body, 0);
    p.out.push('\n');
    p.out
}

fn comment(note: Option<String>) -> String {
    note.map_or_else(String::new, |note| format!("  ; {note}"))
}

struct Printer<'a> {
    kernel: &'a Kernel,
    names: ValueMap<u32>,
    next: u32,
    out: String,
    value_note: &'a dyn Fn(Value) -> Option<String>,
    local_note: &'a dyn Fn(Local) -> Option<String>,
}

impl Printer<'_> {
    fn header(&mut self) {
        let k = self.kernel;
        let types = |types: &[Type]| types.iter().map(|ty| type_name(*ty)).collect::<Vec<_>>().join(", ");
        let _ = match &k.function {
            Some(Signature { arguments, results }) => {
                writeln!(self.out, "function {}({}) -> ({})", k.symbol, types(arguments), types(results))
            }
            None => writeln!(self.out, "kernel {}: {}", k.symbol, k.signature()),
        };
        if let Some(f) = &k.field {
            let _ = writeln!(self.out, "field {} = {}", f.name, f.p);
        }
        for level in k.tower.levels() {
            let nonresidue: Vec<String> = level.nonresidue.iter().map(ToString::to_string).collect();
            let _ = writeln!(self.out, "extension {} by {}", level.degree, nonresidue.join(", "));
        }
        for (i, f) in k.functions.iter().enumerate() {
            let _ = writeln!(self.out, "calls f{i}: {}", f.symbol);
        }
        if k.resident != 1 {
            let _ = writeln!(self.out, "resident {}", k.resident);
        }
        if k.unguarded {
            let _ = writeln!(self.out, "unguarded");
        }
        for (i, s) in k.shared.iter().enumerate() {
            let holds = match s.holds {
                Holds::Words => String::new(),
                Holds::Elements(below) => format!(" field{}", bound_name(below)),
            };
            let _ = writeln!(self.out, "shared s{i}: {}{holds}", s.length);
        }
        for (i, l) in k.locals.iter().enumerate() {
            let note = comment((self.local_note)(Local(i as u32)));
            let _ = writeln!(self.out, "local l{i}: {}{note}", type_name(l.ty));
        }
    }

    fn block(&mut self, block: &Block, depth: usize) {
        self.out.push_str("{\n");
        for stmt in block {
            self.out.push_str(&"  ".repeat(depth + 1));
            self.stmt(stmt, depth + 1);
            self.out.push('\n');
        }
        self.out.push_str(&"  ".repeat(depth));
        self.out.push('}');
    }

    fn define(&mut self, v: Value) -> String {
        self.names[v] = self.next;
        self.next += 1;
        format!("v{}", self.names[v])
    }

    fn v(&self, v: Value) -> String {
        match self.names[v] {
            u32::MAX => format!("undefined{}", v.0),
            n => format!("v{n}"),
        }
    }

    fn vs(&self, vs: &[Value]) -> String {
        vs.iter().map(|v| self.v(*v)).collect::<Vec<_>>().join(", ")
    }

    fn stmt(&mut self, stmt: &Stmt, depth: usize) {
        let text = match stmt {
            Stmt::Let(v) => {
                let op = self.op(&self.kernel[*v]);
                format!("{} = {op}{}", self.define(*v), comment((self.value_note)(*v)))
            }
            Stmt::Set(l, v) => format!("set {l}, {}", self.v(*v)),
            Stmt::If { cond, then, otherwise } => {
                let _ = write!(self.out, "if {} ", self.v(*cond));
                self.block(then, depth);
                if !otherwise.is_empty() {
                    self.out.push_str(" else ");
                    self.block(otherwise, depth);
                }
                return;
            }
            Stmt::Loop(body) => {
                self.out.push_str("loop ");
                return self.block(body, depth);
            }
            Stmt::Break => "break".into(),
            Stmt::Return => "return".into(),
            Stmt::Yield(values) => format!("yield {}", self.vs(values)),
            Stmt::Barrier => "barrier".into(),
            Stmt::Fence(scope) => format!("fence {}", scope_name(*scope)),
            Stmt::SyncWarp { mask } => format!("syncwarp {}", self.v(*mask)),
            Stmt::Prefetch { place } => format!("prefetch {}", self.place(place)),
            Stmt::Store { place, words } => format!("store {}, {}", self.place(place), self.vs(words)),
            Stmt::StoreOrdered { place, value, order, scope } => {
                let (order, scope) = (store_order_name(*order), scope_name(*scope));
                format!("store.{order}.{scope} {}, {}", self.place(place), self.v(*value))
            }
            Stmt::Load { .. }
            | Stmt::Call { .. }
            | Stmt::LoadOrdered { .. }
            | Stmt::Atomic { .. }
            | Stmt::Shuffle { .. }
            | Stmt::Ballot { .. }
            | Stmt::MatchAny { .. } => {
                let right = self.effect(stmt);
                let left: Vec<String> = stmt.results().into_iter().map(|v| self.define(v)).collect();
                format!("{} = {right}", left.join(", "))
            }
        };
        self.out.push_str(&text);
    }

    fn effect(&self, stmt: &Stmt) -> String {
        match stmt {
            Stmt::Load { place, .. } => format!("load {}", self.place(place)),
            Stmt::Call { function, args, .. } => {
                args.iter().fold(format!("call {function}"), |text, v| text + ", " + &self.v(*v))
            }
            Stmt::LoadOrdered { place, order, scope, .. } => {
                let (order, scope) = (load_order_name(*order), scope_name(*scope));
                format!("load.{order}.{scope} {}", self.place(place))
            }
            Stmt::Atomic { op, place, value, order, scope, .. } => format!(
                "atomic.{}.{}.{} {}, {}",
                atomic_name(*op),
                order_name(*order),
                scope_name(*scope),
                self.place(place),
                self.v(*value)
            ),
            Stmt::Shuffle { mode, value, arg, mask, .. } => {
                format!("shuffle.{} {}", shuffle_name(*mode), self.vs(&[*value, *arg, *mask]))
            }
            Stmt::Ballot { cond, mask, .. } => format!("ballot {}", self.vs(&[*cond, *mask])),
            Stmt::MatchAny { value, bits, mask, .. } => {
                format!("match_any.{bits} {}", self.vs(&[*value, *mask]))
            }
            _ => unreachable!("only statements with results come here"),
        }
    }

    fn place(&self, place: &Place) -> String {
        match place {
            Place::Global { buffer, index, word } => format!("{buffer}[{}]+{word}", self.v(*index)),
            Place::Part { buffer, index, part, word } => {
                format!("{buffer}[{}].part[{}]+{word}", self.v(*index), self.v(*part))
            }
            Place::Shared { array, index } => format!("{array}[{}]", self.v(*index)),
        }
    }

    fn op(&self, op: &Op) -> String {
        match op {
            Op::Result(ty) => format!("result {}", type_name(*ty)),
            Op::Get(l) => format!("get {l}"),
            Op::Param(p) => format!("param {p}"),
            Op::Argument(i) => format!("argument {i}"),
            Op::Special(s) => format!("special {}", special_name(*s)),
            Op::Bool(x) => format!("bool {x}"),
            Op::U32(x) => format!("u32 {x}"),
            Op::U64(x) => format!("u64 {x}"),
            Op::Const(x) => format!("const {x}"),
            Op::Field(op, args) => match op.immediate() {
                Some(number) => format!("{} {}, {number}", op.name(), self.vs(args)),
                None => format!("{} {}", op.name(), self.vs(args)),
            },
            Op::Word(a, i, below) => format!("word{} {}, {i}", bound_name(*below), self.v(*a)),
            Op::Part(a, i) => format!("part {}, {i}", self.v(*a)),
            Op::Compose(level, parts) => format!("compose.{level} {}", self.vs(parts)),
            Op::Coefficient(a, i) => format!("coefficient {}, {i}", self.v(*a)),
            _ => format!("{} {}", mnemonic(op), self.vs(&op.args())),
        }
    }
}

/// Mnemonic of the operations whose operands are all values.
pub(super) fn mnemonic(op: &Op) -> String {
    match op {
        Op::Int(o, ..) => format!("int.{}", int_name(*o)),
        Op::Not(_) => "not".into(),
        Op::Bit(o, _) => format!("bit.{}", bit_name(*o)),
        Op::Cmp(o, ..) => format!("cmp.{}", cmp_name(*o)),
        Op::Widen(_) => "widen".into(),
        Op::Narrow(_) => "narrow".into(),
        Op::Select(..) => "select".into(),
        Op::FromWords(_, below) => format!("from_words{}", bound_name(*below)),
        _ => unreachable!("operations with immediates are printed by hand"),
    }
}

/// Behind the name of an operation on words: nothing for canonical ones.
fn bound_name(below: Below) -> String {
    if below == Below::CANONICAL { String::new() } else { format!(".lazy{}", below.0) }
}

pub(crate) fn type_name(ty: Type) -> String {
    match ty {
        Type::Pred => "pred".into(),
        Type::U32 => "u32".into(),
        Type::U64 => "u64".into(),
        Type::Field => "field".into(),
        Type::Ext(level) => format!("ext{level}"),
        Type::Fields => "fields".into(),
    }
}

pub(super) fn type_from(name: &str) -> Option<Type> {
    Some(match name {
        "pred" => Type::Pred,
        "u32" => Type::U32,
        "u64" => Type::U64,
        "field" => Type::Field,
        "fields" => Type::Fields,
        _ => Type::Ext(name.strip_prefix("ext")?.parse().ok().filter(|level| *level > 0)?),
    })
}

macro_rules! names {
    ($($fn:ident($ty:ident) from $from:ident { $($variant:ident = $name:literal),* $(,)? })*) => {$(
        pub(super) fn $fn(x: $ty) -> &'static str {
            match x { $($ty::$variant => $name),* }
        }
        pub(super) fn $from(name: &str) -> Option<$ty> {
            match name { $($name => Some($ty::$variant),)* _ => None }
        }
    )*};
}

names! {
    int_name(IntOp) from int_from {
        Add = "add", Sub = "sub", Mul = "mul", And = "and", Or = "or", Xor = "xor", Shl = "shl", Shr = "shr",
        Min = "min", Max = "max", Div = "div", Rem = "rem",
    }
    bit_name(BitOp) from bit_from { Popc = "popc", Clz = "clz", Brev = "brev" }
    cmp_name(CmpOp) from cmp_from { Eq = "eq", Ne = "ne", Lt = "lt", Le = "le" }
    special_name(Special) from special_from {
        Thread = "thread", Block = "block", BlockSize = "block_size", GridSize = "grid_size", Lane = "lane",
    }
    scope_name(Scope) from scope_from { Block = "block", Device = "device" }
    order_name(Order) from order_from { Relaxed = "relaxed", AcquireRelease = "acq_rel" }
    load_order_name(Order) from load_order_from { Relaxed = "relaxed", AcquireRelease = "acquire" }
    store_order_name(Order) from store_order_from { Relaxed = "relaxed", AcquireRelease = "release" }
    atomic_name(AtomicOp) from atomic_from { Add = "add", Min = "min", Max = "max", Exchange = "exchange" }
    shuffle_name(ShuffleMode) from shuffle_from { Index = "index", Up = "up", Down = "down", Xor = "xor" }
}
