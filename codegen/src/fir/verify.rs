//! What makes a kernel valid.
//!
//! 1. Every value is defined exactly once, and before its uses in an enclosing block.
//! 2. Operands have the types their operation or statement asks for.
//! 3. A local is set on every path before it is read.
//! 4. `break` stands in a loop.
//! 5. Places name declared parameters and arrays; words lie within the element; `in` buffers are not written.
//! 6. Field operations occur only in kernels with a field; constants are below `p`, word numbers below
//!    `words`, bounds of words not above what the words hold.
//! 7. Several elements are read by `part` only, and not held in locals; a table has the entries of its shape.
//! 8. Elements of extensions are of levels that the tower has, and have as many coefficients as their level's
//!    degree; operations on them are those that extensions have, on elements of one level.
//! 9. Functions are declared, give something, are over the field and tower of their caller, and are called
//!    with the types of their signature. They know neither memory nor threads, do not return early, and
//!    `yield` what their signature says as the last statement of their body; nothing else yields or has
//!    arguments.
//! 10. Words of elements go to buffers, and come from them, under the buffer's bound: a word that is stored
//!     is under it, and an element made of words that were loaded is made under no less. So do those of
//!     shared arrays of elements, which are read and written whole; their bounds are ones that words hold.
//! 11. What is shuffled is a word or an element of the field.

use super::ir::*;
use crate::declaration::Gives;
use curvesmith_abi::{Access, Element, ParamKind};
use std::collections::{BTreeMap, BTreeSet};

/// A broken rule: always a bug in a kernel's builder or in a pass.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{symbol}: {at}: {reason}")]
pub struct VerifyError {
    /// The kernel.
    pub symbol: String,
    /// The value or statement.
    pub at: String,
    /// The rule that is broken.
    pub reason: String,
}

/// Checks all rules; all violations at once.
pub fn verify(kernel: &Kernel) -> Result<(), Vec<VerifyError>> {
    let mut v = Verifier {
        kernel,
        visible: vec![BTreeSet::new()],
        defined: BTreeSet::new(),
        loaded: BTreeMap::new(),
        errors: vec![],
    };
    v.shared();
    let mut locals = BTreeSet::new();
    v.block(&kernel.body, &mut locals, None);
    v.functions();
    if v.errors.is_empty() { Ok(()) } else { Err(v.errors) }
}

struct Verifier<'a> {
    kernel: &'a Kernel,
    /// Values defined in each open block.
    visible: Vec<BTreeSet<Value>>,
    defined: BTreeSet<Value>,
    /// Words that come from buffers of elements, and their bound.
    loaded: BTreeMap<Value, Below>,
    errors: Vec<VerifyError>,
}

/// Locals set on every path; `None` where no path arrives.
type Assigned = Option<BTreeSet<Local>>;

fn meet(a: Assigned, b: Assigned) -> Assigned {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.intersection(&b).copied().collect()),
        (a, b) => a.or(b),
    }
}

impl Verifier<'_> {
    fn error(&mut self, at: impl std::fmt::Display, reason: impl Into<String>) {
        let symbol = self.kernel.symbol.clone();
        self.errors.push(VerifyError { symbol, at: at.to_string(), reason: reason.into() });
    }

    /// Checks a block; `locals` are those set on entry and, on return, on exit (all of them
    /// where the end is not reached). `breaks` collects the state at each `break`.
    fn block(
        &mut self,
        block: &Block,
        locals: &mut BTreeSet<Local>,
        mut breaks: Option<&mut Assigned>,
    ) -> bool {
        for stmt in block {
            for v in stmt.uses() {
                self.usable(v, &format!("{stmt:?}"));
            }
            match stmt {
                Stmt::Let(v) => self.op(*v, locals),
                Stmt::Set(l, v) => {
                    match self.kernel.locals.get(l.0 as usize) {
                        Some(decl) if decl.ty == Type::Fields => self.error(l, "holds several elements"),
                        Some(decl) if decl.ty == self.kernel.ty(*v) => {}
                        Some(decl) => {
                            self.error(l, format!("is {:?}, set to {:?}", decl.ty, self.kernel.ty(*v)))
                        }
                        None => self.error(l, "is not declared"),
                    }
                    locals.insert(*l);
                }
                Stmt::If { cond, then, otherwise } => {
                    self.expect(*cond, Type::Pred, "if");
                    let arms = [then, otherwise].map(|arm| {
                        let mut inner = locals.clone();
                        self.visible.push(BTreeSet::new());
                        let falls = self.block(arm, &mut inner, breaks.as_deref_mut());
                        self.visible.pop();
                        falls.then_some(inner)
                    });
                    let [a, b] = arms;
                    match meet(a, b) {
                        Some(after) => *locals = after,
                        None => return self.end(stmt, block),
                    }
                }
                Stmt::Loop(body) => {
                    let mut inner = locals.clone();
                    let mut at_breaks: Assigned = None;
                    self.visible.push(BTreeSet::new());
                    self.block(body, &mut inner, Some(&mut at_breaks));
                    self.visible.pop();
                    match at_breaks {
                        Some(after) => *locals = after,
                        None => return self.end(stmt, block),
                    }
                }
                Stmt::Call { results, function, args } => self.call(results, *function, args),
                Stmt::Break => {
                    match breaks {
                        Some(at) => *at = meet(at.take(), Some(locals.clone())),
                        None => self.error("break", "stands outside of a loop"),
                    }
                    return self.end(stmt, block);
                }
                Stmt::Return => {
                    if self.kernel.function.is_some() {
                        self.error("return", "stands in a function");
                    }
                    return self.end(stmt, block);
                }
                Stmt::Yield(values) => {
                    self.gives(values, block);
                    return self.end(stmt, block);
                }
                _ => self.effect(stmt),
            }
            if !matches!(stmt, Stmt::Let(_) | Stmt::Call { .. }) {
                for v in stmt.results() {
                    let ty = if matches!(stmt, Stmt::Shuffle { .. }) { self.kernel.ty(v) } else { Type::U32 };
                    if self.kernel[v] != Op::Result(ty) {
                        self.error(v, "is the result of a statement but not a u32 result");
                    }
                    self.define(v);
                }
            }
        }
        true
    }

    /// Rule 9 of what is called, and all rules within.
    fn functions(&mut self) {
        for function in &self.kernel.functions {
            if function.function.is_none() {
                self.error(&function.symbol, "is no function");
            }
            if (&function.field, &function.tower) != (&self.kernel.field, &self.kernel.tower) {
                self.error(&function.symbol, "is over another field or tower");
            }
            self.errors.extend(verify(function).err().into_iter().flatten());
        }
        if self.kernel.function.is_some() && !matches!(self.kernel.body.last(), Some(Stmt::Yield(_))) {
            self.error("function", "does not yield at its end");
        }
    }

    fn call(&mut self, results: &[Value], function: FunctionId, args: &[Value]) {
        let callee = self.kernel.functions.get(function.0 as usize).and_then(|f| f.function.as_ref());
        let Some(signature) = callee else {
            return self.error(function, "is not declared");
        };
        let types = |values: &[Value]| values.iter().map(|v| self.kernel.ty(*v)).collect::<Vec<_>>();
        if types(args) != signature.arguments || types(results) != signature.results {
            let given = (types(args), types(results));
            self.error(function, format!("is called as {given:?}, and is {signature:?}"));
        }
        for &v in results {
            if !matches!(self.kernel[v], Op::Result(_)) {
                self.error(v, "is the result of a call but not a result");
            }
            self.define(v);
        }
    }

    fn gives(&mut self, values: &[Value], block: &Block) {
        let Some(signature) = &self.kernel.function else {
            return self.error("yield", "stands in a kernel");
        };
        if !std::ptr::eq(block, &self.kernel.body) {
            self.error("yield", "stands in a branch or a loop");
        }
        let types: Vec<Type> = values.iter().map(|v| self.kernel.ty(*v)).collect();
        if types != signature.results || types.is_empty() {
            self.error("yield", format!("{types:?}, expected {:?}", signature.results));
        }
    }

    /// The end of the block is not reached after `stmt`; nothing may follow it.
    fn end(&mut self, stmt: &Stmt, block: &Block) -> bool {
        let last = block.last().is_some_and(|last| std::ptr::eq(last, stmt));
        if !last {
            self.error(format!("{stmt:?}"), "statements after it are never reached");
        }
        false
    }

    fn define(&mut self, v: Value) {
        if !self.defined.insert(v) {
            self.error(v, "is defined twice");
        }
        self.visible.last_mut().expect("a block is open").insert(v);
    }

    fn usable(&mut self, v: Value, at: &str) {
        if !self.visible.iter().any(|block| block.contains(&v)) {
            self.error(at, format!("{v} is not defined in an enclosing block before this"));
        }
    }

    fn expect(&mut self, v: Value, ty: Type, at: impl std::fmt::Display) {
        let found = self.kernel.ty(v);
        if found != ty {
            self.error(at, format!("{v} is {found:?}, expected {ty:?}"));
        }
    }

    fn op(&mut self, v: Value, locals: &BTreeSet<Local>) {
        use Type::{Field, Pred};
        let op = &self.kernel[v];
        for a in op.args() {
            self.usable(a, &v.to_string());
        }
        let field = self.kernel.field.as_ref();
        match op {
            Op::Result(_) => self.error(v, "a result is defined by its statement, not by a let"),
            Op::Get(l) if !locals.contains(l) => {
                self.error(v, format!("{l} is read before it is set on every path"))
            }
            Op::Argument(_) if self.kernel.function.is_none() => self.error(v, "kernels have no arguments"),
            Op::Special(_) if self.kernel.function.is_some() => self.error(v, "functions know no threads"),
            Op::Argument(_) | Op::Get(_) | Op::Special(_) | Op::Bool(_) | Op::U32(_) | Op::U64(_) => {}
            Op::Param(p) => {
                if !matches!(self.kernel.desc.params[p.0 as usize].kind, ParamKind::U32 | ParamKind::U64) {
                    self.error(v, format!("{p} is a buffer, not a scalar"));
                }
            }
            Op::Int(IntOp::Shl | IntOp::Shr, a, b) => {
                self.integer(*a, v);
                self.expect(*b, Type::U32, v);
            }
            Op::Int(int, a, b) => {
                let bitwise = matches!(int, IntOp::And | IntOp::Or | IntOp::Xor);
                if !(bitwise && self.kernel.ty(*a) == Pred) {
                    self.integer(*a, v);
                }
                self.expect(*b, self.kernel.ty(*a), v);
            }
            Op::Not(a) => {
                if matches!(self.kernel.ty(*a), Field | Type::Fields | Type::Ext(_)) {
                    self.error(v, "not of a field element");
                }
            }
            Op::Bit(_, a) | Op::Widen(a) => self.expect(*a, Type::U32, v),
            Op::Narrow(a) => self.expect(*a, Type::U64, v),
            Op::Cmp(_, a, b) => {
                self.integer(*a, v);
                self.expect(*b, self.kernel.ty(*a), v);
            }
            Op::Select(c, a, b) => {
                self.expect(*c, Pred, v);
                self.expect(*b, self.kernel.ty(*a), v);
                if self.kernel.ty(*a) == Type::Fields {
                    self.error(v, "selects among several elements");
                }
            }
            Op::FromWords(words, below) => {
                if let Some(bound) = words.iter().filter_map(|w| self.loaded.get(w)).find(|b| *b > below) {
                    let (bound, below) = (bound.0, below.0);
                    self.error(v, format!("is made below {below}p of words that are below {bound}p"));
                }
                for w in words {
                    self.expect(*w, Type::U32, v);
                }
                if field.is_some_and(|f| f.words != words.len()) {
                    self.error(v, format!("{} words given", words.len()));
                }
            }
            Op::Part(a, i) => match self.kernel[*a].field() {
                Some((op, _)) if op.gives() == Gives::Elements && (*i as usize) < op.results() => {}
                Some((op, _)) if op.gives() == Gives::Elements => {
                    self.error(v, format!("part {i} of {} elements", op.results()));
                }
                _ => self.error(v, format!("{a} is one element")),
            },
            Op::Word(a, ..) => self.expect(*a, Field, v),
            Op::Const(_) => {}
            Op::Field(field_op, args) => {
                let ty = args.first().map_or(Field, |a| self.kernel.ty(*a));
                let ty = if field_op.of_extensions() && ty.level().is_some() { ty } else { Field };
                args.iter().for_each(|a| self.expect(*a, ty, v));
            }
            Op::Compose(level, parts) => self.compose(v, usize::from(*level), parts),
            Op::Coefficient(a, i) => match self.kernel.ty(*a) {
                Type::Ext(level) => {
                    let extension = self.kernel.tower.levels().get(usize::from(level) - 1);
                    if extension.is_none_or(|extension| *i as usize >= extension.degree) {
                        self.error(v, format!("coefficient {i} of an element of level {level}"));
                    }
                }
                other => self.error(v, format!("{a} is {other:?}, expected an element of an extension")),
            },
        }
        self.field_op(v, field);
        self.define(v);
    }

    /// Rule 8.
    fn compose(&mut self, v: Value, level: usize, parts: &[Value]) {
        let extension = level.checked_sub(1).and_then(|below| self.kernel.tower.levels().get(below));
        let Some(extension) = extension else {
            return self.error(v, format!("the tower has no level {level}"));
        };
        if parts.len() != extension.degree {
            let degree = extension.degree;
            self.error(v, format!("{} coefficients, expected {degree}", parts.len()));
        }
        parts.iter().for_each(|part| self.expect(*part, Type::element(level - 1), v));
    }

    fn field_op(&mut self, v: Value, field: Option<&crate::declaration::FieldDesc>) {
        let op = &self.kernel[v];
        let touches_field = matches!(op, Op::Field(..) | Op::Word(..))
            || self.kernel.ty(v).level().is_some()
            || self.kernel.ty(v) == Type::Fields;
        match (field, op) {
            (None, _) if touches_field => self.error(v, "the kernel has no field"),
            (Some(f), Op::Const(c)) if *c >= f.p => self.error(v, "constant is not below p"),
            (Some(f), Op::Word(_, i, _)) if *i as usize >= f.words => {
                self.error(v, "word number is not below words")
            }
            (Some(f), Op::Word(.., below) | Op::FromWords(_, below)) if !below.fits(f) => {
                self.error(v, format!("{} times p is no bound of {} words", below.0, f.words))
            }
            (Some(f), Op::Field(op, args)) => {
                if let Some(fault) = op.fault(f, args.len()) {
                    self.error(v, fault);
                }
            }
            _ => {}
        }
    }

    fn integer(&mut self, a: Value, at: Value) {
        if !matches!(self.kernel.ty(a), Type::U32 | Type::U64) {
            self.error(at, format!("{a} is {:?}, expected an integer", self.kernel.ty(a)));
        }
    }

    fn effect(&mut self, stmt: &Stmt) {
        if self.kernel.function.is_some() {
            self.error(format!("{stmt:?}"), "functions know neither memory nor threads");
        }
        let u32s = |v: &mut Self, values: &[Value]| {
            for x in values {
                v.expect(*x, Type::U32, format!("{stmt:?}"));
            }
        };
        match stmt {
            Stmt::Load { results, place } => {
                self.place(place, results.len(), false, stmt);
                if let Some(below) = self.bound(place) {
                    self.loaded.extend(results.iter().map(|v| (*v, below)));
                }
            }
            Stmt::Store { place, words } => {
                u32s(self, words);
                words.iter().for_each(|w| self.stored(*w, place, stmt));
                self.place(place, words.len(), true, stmt);
            }
            Stmt::Prefetch { place } => {
                self.place(place, 1, false, stmt);
                if let Place::Shared { array, .. } = place {
                    self.error(format!("{stmt:?}"), format!("{array} is in no cache"));
                }
            }
            Stmt::LoadOrdered { place, .. } => self.place(place, 1, false, stmt),
            Stmt::StoreOrdered { place, value, .. } | Stmt::Atomic { place, value, .. } => {
                u32s(self, &[*value]);
                self.place(place, 1, true, stmt);
            }
            Stmt::MatchAny { bits: 0 | 33.., .. } => {
                self.error(format!("{stmt:?}"), "1 to 32 bits are compared")
            }
            Stmt::Ballot { cond, mask, .. } => {
                self.expect(*cond, Type::Pred, format!("{stmt:?}"));
                u32s(self, &[*mask]);
            }
            Stmt::Shuffle { result, value, arg, mask, .. } => {
                let ty = self.kernel.ty(*value);
                if !matches!(ty, Type::U32 | Type::Field) {
                    self.error(
                        format!("{stmt:?}"),
                        format!("{value} is {ty:?}, which no lane reads of another"),
                    );
                }
                self.expect(*result, ty, format!("{stmt:?}"));
                u32s(self, &[*arg, *mask]);
            }
            _ => u32s(self, &stmt.uses()),
        }
    }

    /// Shared arrays of elements have a field, and its words hold their bounds.
    fn shared(&mut self) {
        for (i, array) in self.kernel.shared.iter().enumerate() {
            match (array.holds, &self.kernel.field) {
                (Holds::Elements(below), Some(f)) if below.fits(f) => {}
                (Holds::Elements(_), None) => self.error(SharedId(i as u32), "the kernel has no field"),
                (Holds::Elements(below), Some(f)) => {
                    let reason = format!("{} times p is no bound of {} words", below.0, f.words);
                    self.error(SharedId(i as u32), reason);
                }
                (Holds::Words, _) => {}
            }
        }
    }

    /// The bound of the elements at a place; none where there are none.
    fn bound(&self, place: &Place) -> Option<Below> {
        match place {
            Place::Global { buffer, .. } | Place::Part { buffer, .. } => {
                match self.kernel.desc.params.get(buffer.0 as usize)?.kind {
                    ParamKind::Buffer(_, element) => {
                        Some(Below(element.below()?).fit(self.kernel.field.as_ref()?))
                    }
                    _ => None,
                }
            }
            Place::Shared { array, .. } => match self.kernel.shared.get(array.0 as usize)?.holds {
                Holds::Words => None,
                Holds::Elements(below) => Some(below),
            },
        }
    }

    /// Rule 10 for a word that is stored. Buffers without elements take canonical ones, shared words any.
    fn stored(&mut self, word: Value, place: &Place, stmt: &Stmt) {
        let bound = match (self.bound(place), place) {
            (Some(bound), _) => bound,
            (None, Place::Global { .. } | Place::Part { .. }) => Below::CANONICAL,
            (None, Place::Shared { .. }) => return,
        };
        let below = match self.kernel[word] {
            Op::Word(.., below) => Some(below),
            _ => self.loaded.get(&word).copied(),
        };
        if let Some(below) = below.filter(|below| *below > bound) {
            let (below, bound) = (below.0, bound.0);
            self.error(format!("{stmt:?}"), format!("{word} is below {below}p, the elements there {bound}p"));
        }
    }

    /// What a buffer that is accessed holds; none where that is an error.
    fn buffer(&mut self, buffer: ParamId, write: bool, at: &str) -> Option<Element> {
        let Some(param) = self.kernel.desc.params.get(buffer.0 as usize) else {
            self.error(at, format!("{buffer} does not exist"));
            return None;
        };
        let ParamKind::Buffer(access, element) = param.kind else {
            self.error(at, format!("{buffer} is not a buffer"));
            return None;
        };
        if write && access == Access::In {
            self.error(at, format!("{buffer} is an input"));
        }
        Some(element)
    }

    fn place(&mut self, place: &Place, words: usize, write: bool, stmt: &Stmt) {
        let at = format!("{stmt:?}");
        match *place {
            Place::Global { buffer, index, word } => {
                self.expect(index, Type::U32, &at);
                let Some(element) = self.buffer(buffer, write, &at) else { return };
                let of_field = self.kernel.field.as_ref().map_or(1, |f| f.words);
                if word as usize + words
                    > element.bytes(self.kernel.form, of_field, self.kernel.tower.degree()) / 4
                {
                    self.error(at, format!("words {word}+{words} leave the element"));
                }
            }
            Place::Part { buffer, index, part, word } => {
                [index, part].into_iter().for_each(|v| self.expect(v, Type::U32, &at));
                let Some(element) = self.buffer(buffer, write, &at) else { return };
                match &self.kernel.field {
                    Some(f) if matches!(element, Element::Affine | Element::Point) => {
                        let bytes = element.bytes(self.kernel.form, f.words, self.kernel.tower.degree());
                        if word as usize + words > bytes / 4 {
                            self.error(at, format!("words {word}+{words} leave the element"));
                        }
                    }
                    _ => self.error(at, format!("{buffer} holds no points")),
                }
            }
            Place::Shared { array, index } => {
                self.expect(index, Type::U32, &at);
                let of_field = self.kernel.field.as_ref().map_or(0, |f| f.words);
                match self.kernel.shared.get(array.0 as usize) {
                    None => self.error(at, format!("{array} is not declared")),
                    Some(SharedDecl { holds: Holds::Elements(_), .. }) if words != of_field => {
                        self.error(at, format!("{words} words of an element, which has {of_field}"));
                    }
                    Some(_) => {}
                }
            }
        }
    }
}
