//! Decoding of branches, calls, barriers and warp-wide operations.

use super::counts::OpClass;
use super::decode::{Builder, Modifiers, Result, Symbol, arg};
use super::parse::{Instruction, Operand, Variable};
use super::program::*;

impl<'a, 'm> Builder<'a, 'm> {
    /// Branches, calls, barriers and warp-wide operations.
    pub(super) fn control(&mut self, i: &'m Instruction<'a>, m: &mut Modifiers<'a>) -> Result<bool> {
        let o = &i.operands;
        match m.base {
            "bra" => {
                m.take("uni");
                let [Operand::Name(label)] = o.as_slice() else { return Err("expected a label".into()) };
                self.branches.push((self.out.code.len(), label, self.line));
                self.emit(OpClass::Control, Inst::Branch { target: NO_PC });
            }
            "ret" => {
                m.take("uni");
                self.emit(OpClass::Control, Inst::Ret);
            }
            "exit" => self.emit(OpClass::Control, Inst::Exit),
            "trap" => self.emit(OpClass::Control, Inst::Trap),
            // Hints without an effect that the emulator models.
            "nanosleep" => {
                m.take("u32");
            }
            "prefetchu" => m.clear(),
            "call" => {
                m.take("uni");
                self.call(o)?;
            }
            "bar" | "barrier" => {
                m.take("cta");
                if m.take("warp") {
                    m.require("sync")?;
                    let mask = self.source(arg(o, 0)?, 32)?;
                    self.emit(OpClass::Sync, Inst::WarpSync { mask });
                    return Ok(true);
                }
                m.require("sync")?;
                m.take("aligned");
                let literal = |o: &Operand<'_>| match o {
                    Operand::Int(v) => {
                        u32::try_from(*v).map_err(|_| format!("barrier operand {v} is out of range"))
                    }
                    _ => Err("barrier operands must be immediates".to_string()),
                };
                let id = literal(arg(o, 0)?)?;
                if id > 15 {
                    return Err(format!("barrier {id}; there are 16"));
                }
                let threads = o.get(1).map(literal).transpose()?;
                if threads.is_some_and(|t| t == 0 || t % 32 != 0) {
                    return Err("barrier thread count is no multiple of 32".into());
                }
                self.emit(OpClass::Sync, Inst::Barrier { id, threads });
            }
            "membar" => {
                let scope = if m.take("cta") {
                    Scope::Cta
                } else if m.take("gl") || m.take("sys") {
                    Scope::Gpu
                } else {
                    return Err("membar without a level".into());
                };
                self.emit(OpClass::Sync, Inst::Fence { scope });
            }
            "fence" => {
                let _ = m.take("acq_rel") || m.take("sc");
                let scope = m.scope();
                self.emit(OpClass::Sync, Inst::Fence { scope });
            }
            "activemask" => {
                m.require("b32")?;
                let d = self.destination(arg(o, 0)?, 32)?;
                self.emit(OpClass::Exchange, Inst::ActiveMask { d });
            }
            "shfl" => {
                m.require("sync")?;
                let mode = if m.take("idx") {
                    ShflMode::Idx
                } else if m.take("up") {
                    ShflMode::Up
                } else if m.take("down") {
                    ShflMode::Down
                } else {
                    m.require("bfly")?;
                    ShflMode::Bfly
                };
                m.require("b32")?;
                let (d, p) = match arg(o, 0)? {
                    Operand::Pair(d, p) => {
                        (self.destination(&Operand::Name(d), 32)?, self.predicate_or_sink(p)?)
                    }
                    d => (self.destination(d, 32)?, SINK),
                };
                let mut s = [0; 4];
                for (k, s) in s.iter_mut().enumerate() {
                    *s = self.source(arg(o, k + 1)?, 32)?;
                }
                let [a, b, c, mask] = s;
                self.emit(OpClass::Exchange, Inst::Shfl(Box::new(Shfl { mode, d, p, a, b, c, mask })));
            }
            "vote" => {
                m.require("sync")?;
                let mode = if m.take("any") {
                    VoteMode::Any
                } else if m.take("all") {
                    VoteMode::All
                } else if m.take("uni") {
                    VoteMode::Uni
                } else {
                    m.require("ballot")?;
                    VoteMode::Ballot
                };
                let d = if mode == VoteMode::Ballot {
                    m.require("b32")?;
                    self.destination(arg(o, 0)?, 32)?
                } else {
                    m.require("pred")?;
                    self.predicate_operand(arg(o, 0)?)?.0
                };
                let (p, negated) = self.predicate_operand(arg(o, 1)?)?;
                let mask = self.source(arg(o, 2)?, 32)?;
                self.emit(OpClass::Exchange, Inst::Vote { mode, d, p, negated, mask });
            }
            "match" => {
                m.require("any")?;
                m.require("sync")?;
                let wide = m.take("b64");
                if !wide {
                    m.require("b32")?;
                }
                let d = self.destination(arg(o, 0)?, 32)?;
                let a = self.source(arg(o, 1)?, if wide { 64 } else { 32 })?;
                let mask = self.source(arg(o, 2)?, 32)?;
                self.emit(OpClass::Exchange, Inst::Match { d, a, wide, mask });
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn predicate_or_sink(&self, name: &str) -> Result<u32> {
        if name == "_" { Ok(SINK) } else { self.predicate(name) }
    }

    fn call(&mut self, o: &'m [Operand<'a>]) -> Result<()> {
        let (results, name, args): (&[&str], _, &[&str]) = match o {
            [Operand::Name(f)] => (&[], f, &[]),
            [Operand::Name(f), Operand::List(a)] => (&[], f, a),
            [Operand::List(r), Operand::Name(f)] => (r, f, &[]),
            [Operand::List(r), Operand::Name(f), Operand::List(a)] => (r, f, a),
            _ => return Err("expected a direct call".into()),
        };
        let &function = self.functions.get(name).ok_or_else(|| format!("no function `{name}`"))?;
        let callee = &self.module.functions[function];
        if callee.entry {
            return Err(format!("`{name}` is a kernel"));
        }
        let bind = |names: &[&str], decls: &[Variable<'a>]| -> Result<Vec<u32>> {
            if names.len() != decls.len() {
                return Err(format!("`{name}` takes {} arguments, given {}", decls.len(), names.len()));
            }
            let mut out = Vec::new();
            for (n, decl) in names.iter().zip(decls) {
                let Some(Symbol::Words(first, bytes)) = self.lookup(n) else {
                    return Err(format!("`{n}` is not a parameter"));
                };
                if bytes != decl.bytes {
                    return Err(format!("`{n}` has {bytes} bytes, `{}` {}", decl.name, decl.bytes));
                }
                out.extend(first..first + bytes.div_ceil(4) as u32);
            }
            Ok(out)
        };
        let args = bind(args, &callee.params)?;
        let results = bind(results, &callee.results)?;
        self.emit(OpClass::Control, Inst::Call(Box::new(Call { function, args, results })));
        Ok(())
    }
}
