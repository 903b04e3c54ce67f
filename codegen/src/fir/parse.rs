//! Reads the text form of FIR; the inverse of [`super::print::print`].

use super::ir::*;
use super::print::*;
use crate::declaration::tower::DEGREES;
use crate::declaration::{FieldDesc, FieldOp, Tower};
use curvesmith_abi::{Form, Geometry, kernels};
use num_bigint::BigUint;
use std::str::FromStr;
use std::sync::Arc;

/// Why a line is not FIR.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("line {line}: {reason}")]
pub struct ParseError {
    /// Line, from 1.
    pub line: usize,
    /// What is wrong there.
    pub reason: String,
}

/// Reads one kernel and the functions before it. The text is well formed, not necessarily valid: see
/// [`verify`](super::verify::verify).
pub fn parse(text: &str) -> Result<Kernel, ParseError> {
    let lines: Vec<&str> = text.lines().map(|l| l.split(';').next().unwrap_or("").trim()).collect();
    let mut p = Parser { lines, at: 0, functions: vec![], kernel: None, values: vec![] };
    loop {
        p.header()?;
        let (body, closing) = p.block()?;
        if closing != "}" {
            return p.fail("expected } at the end of the kernel");
        }
        let mut kernel = p.kernel.take().expect("the header made it");
        kernel.body = body;
        if kernel.function.is_none() {
            return Ok(kernel);
        }
        p.functions.push(Arc::new(kernel));
        p.values.clear();
    }
}

struct Parser<'a> {
    lines: Vec<&'a str>,
    at: usize,
    /// Those read so far.
    functions: Vec<Arc<Kernel>>,
    kernel: Option<Kernel>,
    /// Values by printed number.
    values: Vec<Value>,
}

type Parsed<T> = Result<T, ParseError>;

impl<'a> Parser<'a> {
    fn fail<T>(&self, reason: impl Into<String>) -> Parsed<T> {
        Err(ParseError { line: self.at, reason: reason.into() })
    }

    /// The next line that is not empty.
    fn line(&mut self) -> Parsed<&'a str> {
        while let Some(line) = self.lines.get(self.at) {
            self.at += 1;
            if !line.is_empty() {
                return Ok(line);
            }
        }
        self.fail("unexpected end of text")
    }

    fn kernel(&mut self) -> &mut Kernel {
        self.kernel.as_mut().expect("the header is parsed first")
    }

    fn header(&mut self) -> Parsed<()> {
        let line = self.line()?;
        self.kernel = Some(match (line.strip_prefix("function "), line.strip_prefix("kernel ")) {
            (Some(rest), _) => self.function(rest)?,
            (_, Some(rest)) => self.entry(rest)?,
            _ => {
                return self.fail("expected `kernel <symbol>: <signature>` or `function <symbol>(…) -> (…)`");
            }
        });
        self.declarations()
    }

    /// `toy_mul: Field mul[128](…)`
    fn entry(&self, text: &str) -> Parsed<Kernel> {
        let Some((symbol, signature)) = text.split_once(": ") else {
            return self.fail("expected `kernel <symbol>: <signature>`");
        };
        // Of coordinates of one word, and of wide ones.
        let all = kernels::all(&Geometry::PTX);
        let contracts = all.iter().flat_map(|d| [d.of_width(1, 1), d.of_width(usize::MAX, 1)]);
        let mut contracts = contracts.flat_map(|d| Form::ALL.map(|form| (d, form)));
        let Some((desc, form)) = contracts.find(|(d, form)| d.signature(*form) == signature) else {
            return self.fail(format!("no kernel has the contract `{signature}`"));
        };
        let mut kernel = Kernel::new(symbol.into(), desc, None, Tower::prime());
        kernel.form = form;
        Ok(kernel)
    }

    /// `toy_norm(field, field) -> (field)`
    fn function(&self, text: &str) -> Parsed<Kernel> {
        let parts = text.strip_suffix(')').and_then(|text| {
            let (symbol, rest) = text.split_once('(')?;
            let (arguments, results) = rest.split_once(") -> (")?;
            Some((symbol, arguments, results))
        });
        let Some((symbol, arguments, results)) = parts else {
            return self.fail("expected `function <symbol>(<types>) -> (<types>)`");
        };
        let types = |text: &str| -> Parsed<Vec<Type>> {
            text.split(", ").filter(|ty| !ty.is_empty()).map(|ty| self.name(type_from, ty)).collect()
        };
        let signature = Signature { arguments: types(arguments)?, results: types(results)? };
        Ok(Kernel::new_function(symbol.into(), signature, None, Tower::prime()))
    }

    fn declarations(&mut self) -> Parsed<()> {
        loop {
            let line = self.line()?;
            if line == "{" {
                return Ok(());
            } else if let Some(rest) = line.strip_prefix("field ") {
                let Some((name, p)) = rest.split_once(" = ") else {
                    return self.fail("expected `field <name> = <p>`");
                };
                let p: BigUint = self.number(p)?;
                if !p.bit(0) || p < 3u32.into() {
                    return self.fail("the modulus is an odd number from 3");
                }
                self.kernel().field = Some(FieldDesc::new(name, p));
            } else if let Some((degree, nonresidue)) =
                line.strip_prefix("extension ").and_then(|l| l.split_once(" by "))
            {
                self.extension(degree, nonresidue)?;
            } else if let Some((_, symbol)) = line.strip_prefix("calls ").and_then(|l| l.split_once(": ")) {
                let Some(function) = self.functions.iter().find(|f| f.symbol == symbol).cloned() else {
                    return self.fail(format!("no function `{symbol}` before"));
                };
                self.kernel().functions.push(function);
            } else if let Some(blocks) = line.strip_prefix("resident ") {
                self.kernel().resident = self.number(blocks)?;
            } else if line == "unguarded" {
                self.kernel().unguarded = true;
            } else if let Some((_, array)) = line.strip_prefix("shared ").and_then(|l| l.split_once(": ")) {
                let (length, holds) = match array.split_once(" field") {
                    None => (array, Holds::Words),
                    Some((length, bound)) => {
                        let parts: Vec<&str> = bound.split('.').skip(1).collect();
                        (length, Holds::Elements(self.below(&parts)?))
                    }
                };
                let length = self.number(length)?;
                self.kernel().shared.push(SharedDecl { length, holds });
            } else if let Some((_, ty)) = line.strip_prefix("local ").and_then(|l| l.split_once(": ")) {
                let Some(ty) = type_from(ty) else { return self.fail(format!("unknown type {ty}")) };
                self.kernel().locals.push(LocalDecl { ty });
            } else {
                return self.fail(format!("unexpected `{line}` in the header"));
            }
        }
    }

    /// One more level of the tower.
    fn extension(&mut self, degree: &str, nonresidue: &str) -> Parsed<()> {
        let degree = self.number(degree)?;
        let nonresidue: Parsed<Vec<BigUint>> = nonresidue.split(',').map(|x| self.number(x)).collect();
        let (nonresidue, below) = (nonresidue?, self.kernel().tower.clone());
        if !DEGREES.contains(&degree) {
            return self.fail(format!("an extension of degree {degree}, expected 2 or 3"));
        }
        if nonresidue.len() != below.degree() {
            return self.fail(format!("{} coordinates, expected {}", nonresidue.len(), below.degree()));
        }
        self.kernel().tower = below.extended(degree, nonresidue);
        Ok(())
    }

    fn number<T: FromStr>(&self, text: &str) -> Parsed<T> {
        text.trim().parse().or_else(|_| self.fail(format!("`{text}` is not a number in range")))
    }

    fn value(&self, text: &str) -> Parsed<Value> {
        let text = text.trim();
        let known =
            text.strip_prefix('v').and_then(|n| n.parse::<usize>().ok()).and_then(|n| self.values.get(n));
        match known {
            Some(v) => Ok(*v),
            None => self.fail(format!("`{text}` is not a value defined before")),
        }
    }

    fn values_of(&self, text: &str) -> Parsed<Vec<Value>> {
        if text.trim().is_empty() {
            return Ok(vec![]);
        }
        text.split(',').map(|t| self.value(t)).collect()
    }

    fn exactly<const N: usize>(&self, text: &str) -> Parsed<[Value; N]> {
        let found = self.values_of(text)?;
        found
            .try_into()
            .or_else(|f: Vec<Value>| self.fail(format!("expected {N} operands, found {}", f.len())))
    }

    fn index(&self, prefix: char, text: &str) -> Parsed<u32> {
        match text.trim().strip_prefix(prefix) {
            Some(n) => self.number(n),
            None => self.fail(format!("expected {prefix}<number>, found `{text}`")),
        }
    }

    fn local(&self, text: &str) -> Parsed<Local> {
        let l = Local(self.index('l', text)?);
        let declared = self.kernel.as_ref().map_or(0, |k| k.locals.len());
        if (l.0 as usize) < declared { Ok(l) } else { self.fail(format!("{l} is not declared")) }
    }

    fn place(&self, text: &str) -> Parsed<Place> {
        let Some((base, rest)) = text.trim().split_once('[') else {
            return self.fail(format!("`{text}` is no place"));
        };
        let Some((index, offset)) = rest.split_once(']') else {
            return self.fail(format!("`{text}` is no place"));
        };
        let index = self.value(index)?;
        if let Some((part, word)) = offset.strip_prefix(".part[").and_then(|rest| rest.split_once("]+")) {
            let (buffer, part) = (ParamId(self.index('p', base)?), self.value(part)?);
            return Ok(Place::Part { buffer, index, part, word: self.number(word)? });
        }
        match offset.strip_prefix('+') {
            Some(word) => {
                Ok(Place::Global { buffer: ParamId(self.index('p', base)?), index, word: self.number(word)? })
            }
            None => Ok(Place::Shared { array: SharedId(self.index('s', base)?), index }),
        }
    }

    /// Statements up to the line that closes the block, and that line.
    fn block(&mut self) -> Parsed<(Block, &'a str)> {
        let mut block = vec![];
        loop {
            let line = self.line()?;
            if line.starts_with('}') {
                return Ok((block, line));
            }
            let stmt = self.stmt(line)?;
            block.push(stmt);
        }
    }

    fn stmt(&mut self, line: &'a str) -> Parsed<Stmt> {
        if let Some((left, right)) = line.split_once(" = ") {
            return self.definition(left, right);
        }
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let parts: Vec<&str> = word.split('.').collect();
        Ok(match parts[..] {
            ["break"] => Stmt::Break,
            ["return"] => Stmt::Return,
            ["yield"] => Stmt::Yield(self.values_of(rest)?),
            ["barrier"] => Stmt::Barrier,
            ["fence"] => Stmt::Fence(self.name(scope_from, rest)?),
            ["syncwarp"] => Stmt::SyncWarp { mask: self.value(rest)? },
            ["set"] => {
                let (l, v) = self.pair(rest)?;
                Stmt::Set(self.local(l)?, self.value(v)?)
            }
            ["prefetch"] => Stmt::Prefetch { place: self.place(rest)? },
            ["store"] => {
                let (place, words) = self.pair(rest)?;
                Stmt::Store { place: self.place(place)?, words: self.values_of(words)? }
            }
            ["store", order, scope] => {
                let (place, value) = self.pair(rest)?;
                let (order, scope) = (self.name(store_order_from, order)?, self.name(scope_from, scope)?);
                Stmt::StoreOrdered { place: self.place(place)?, value: self.value(value)?, order, scope }
            }
            ["loop"] => {
                let (body, closing) = self.block()?;
                if closing != "}" {
                    return self.fail("expected } at the end of the loop");
                }
                Stmt::Loop(body)
            }
            ["if"] => {
                let cond = self.value(rest.trim_end_matches('{'))?;
                let (then, closing) = self.block()?;
                let (otherwise, closing) =
                    if closing == "} else {" { self.block()? } else { (vec![], closing) };
                if closing != "}" {
                    return self.fail("expected } at the end of the if");
                }
                Stmt::If { cond, then, otherwise }
            }
            _ => return self.fail(format!("unknown statement `{word}`")),
        })
    }

    fn pair<'t>(&self, text: &'t str) -> Parsed<(&'t str, &'t str)> {
        match text.split_once(", ") {
            Some(pair) => Ok(pair),
            None => self.fail(format!("expected two operands, found `{text}`")),
        }
    }

    fn name<T>(&self, from: fn(&str) -> Option<T>, text: &str) -> Parsed<T> {
        from(text).map_or_else(|| self.fail(format!("unknown name `{text}`")), Ok)
    }

    fn definition(&mut self, left: &str, right: &'a str) -> Parsed<Stmt> {
        for (i, name) in left.split(',').enumerate() {
            let expected = format!("v{}", self.values.len() + i);
            if name.trim() != expected {
                return self.fail(format!("expected {expected} to be defined here, found {}", name.trim()));
            }
        }
        let count = left.split(',').count();
        let (word, rest) = right.split_once(' ').unwrap_or((right, ""));
        let parts: Vec<&str> = word.split('.').collect();
        let none = Value(u32::MAX);
        let mut stmt = match parts[..] {
            ["load"] => Stmt::Load { results: vec![], place: self.place(rest)? },
            ["call"] => return self.call(count, rest),
            ["load", order, scope] => Stmt::LoadOrdered {
                result: none,
                place: self.place(rest)?,
                order: self.name(load_order_from, order)?,
                scope: self.name(scope_from, scope)?,
            },
            ["atomic", op, order, scope] => {
                let (place, value) = self.pair(rest)?;
                Stmt::Atomic {
                    result: none,
                    op: self.name(atomic_from, op)?,
                    place: self.place(place)?,
                    value: self.value(value)?,
                    order: self.name(order_from, order)?,
                    scope: self.name(scope_from, scope)?,
                }
            }
            ["shuffle", mode] => {
                let [value, arg, mask] = self.exactly(rest)?;
                Stmt::Shuffle { result: none, mode: self.name(shuffle_from, mode)?, value, arg, mask }
            }
            ["ballot"] => {
                let [cond, mask] = self.exactly(rest)?;
                Stmt::Ballot { result: none, cond, mask }
            }
            ["match_any", bits] => {
                let [value, mask] = self.exactly(rest)?;
                Stmt::MatchAny { result: none, value, bits: self.number(bits)?, mask }
            }
            _ => {
                let op = self.op(&parts, rest)?;
                let v = self.kernel().push(op);
                self.values.push(v);
                if count != 1 {
                    return self.fail("an operation defines one value");
                }
                return Ok(Stmt::Let(v));
            }
        };
        let ty = match stmt {
            Stmt::Shuffle { value, .. } => self.kernel().ty(value),
            _ => Type::U32,
        };
        let defined: Vec<Value> = (0..count).map(|_| self.kernel().push(Op::Result(ty))).collect();
        self.values.extend(&defined);
        match &mut stmt {
            Stmt::Load { results, .. } => *results = defined,
            Stmt::LoadOrdered { result, .. }
            | Stmt::Atomic { result, .. }
            | Stmt::Shuffle { result, .. }
            | Stmt::Ballot { result, .. }
            | Stmt::MatchAny { result, .. } => {
                if count != 1 {
                    return self.fail("this statement defines one value");
                }
                *result = defined[0];
            }
            _ => unreachable!("only statements with results are made above"),
        }
        Ok(stmt)
    }

    /// `f0, v1, v2` as the right side of `count` values.
    fn call(&mut self, count: usize, text: &str) -> Parsed<Stmt> {
        let (function, args) = text.split_once(", ").unwrap_or((text, ""));
        let (function, args) = (FunctionId(self.index('f', function)?), self.values_of(args)?);
        let signature =
            self.kernel().functions.get(function.0 as usize).and_then(|callee| callee.function.clone());
        let Some(Signature { results: types, .. }) = signature else {
            return self.fail(format!("{function} is not declared"));
        };
        if types.len() != count {
            return self.fail(format!("{function} gives {} values", types.len()));
        }
        let results: Vec<Value> = types.into_iter().map(|ty| self.kernel().push(Op::Result(ty))).collect();
        self.values.extend(&results);
        Ok(Stmt::Call { results, function, args })
    }

    fn op(&self, parts: &[&str], rest: &str) -> Parsed<Op> {
        let one = |f: fn(Value) -> Op| self.exactly(rest).map(|[a]| f(a));
        match *parts {
            ["get"] => Ok(Op::Get(self.local(rest)?)),
            ["param"] => {
                let p = self.index('p', rest)?;
                let params = self.kernel.as_ref().map_or(0, |k| k.desc.params.len());
                if (p as usize) < params {
                    Ok(Op::Param(ParamId(p)))
                } else {
                    self.fail(format!("no parameter p{p}"))
                }
            }
            ["argument"] => {
                let i = self.number(rest)?;
                let signature = self.kernel.as_ref().and_then(|k| k.function.as_ref());
                if signature.is_none_or(|signature| i as usize >= signature.arguments.len()) {
                    return self.fail(format!("no argument {i}"));
                }
                Ok(Op::Argument(i))
            }
            ["special"] => Ok(Op::Special(self.name(special_from, rest)?)),
            ["bool"] => Ok(Op::Bool(self.number(rest)?)),
            ["u32"] => Ok(Op::U32(self.number(rest)?)),
            ["u64"] => Ok(Op::U64(self.number(rest)?)),
            ["const"] => Ok(Op::Const(self.number(rest)?)),
            ["int", op] => {
                let op = self.name(int_from, op)?;
                self.exactly(rest).map(|[a, b]| Op::Int(op, a, b))
            }
            ["bit", op] => {
                let op = self.name(bit_from, op)?;
                self.exactly(rest).map(|[a]| Op::Bit(op, a))
            }
            ["cmp", op] => {
                let op = self.name(cmp_from, op)?;
                self.exactly(rest).map(|[a, b]| Op::Cmp(op, a, b))
            }
            ["select"] => self.exactly(rest).map(|[c, a, b]| Op::Select(c, a, b)),
            ["word", ref below @ ..] => {
                let (a, i) = self.pair(rest)?;
                Ok(Op::Word(self.value(a)?, self.number(i)?, self.below(below)?))
            }
            ["part"] => {
                let (a, i) = self.pair(rest)?;
                Ok(Op::Part(self.value(a)?, self.number(i)?))
            }
            ["compose", level] => Ok(Op::Compose(self.number(level)?, self.values_of(rest)?)),
            ["coefficient"] => {
                let (a, i) = self.pair(rest)?;
                Ok(Op::Coefficient(self.value(a)?, self.number(i)?))
            }
            ["from_words", ref below @ ..] => Ok(Op::FromWords(self.values_of(rest)?, self.below(below)?)),
            ["not"] => one(Op::Not),
            ["widen"] => one(Op::Widen),
            ["narrow"] => one(Op::Narrow),
            _ => self.field_op(parts, rest),
        }
    }

    /// The bound of words: none is written of canonical ones.
    fn below(&self, parts: &[&str]) -> Parsed<Below> {
        match *parts {
            [] => Ok(Below::CANONICAL),
            [lazy] => match lazy.strip_prefix("lazy") {
                Some(times) => Ok(Below(self.number(times)?)),
                None => self.fail(format!("unknown bound `{lazy}`")),
            },
            _ => self.fail(format!("unknown bound `{}`", parts.join("."))),
        }
    }

    /// An operation of the field: values, and at the end a number where it has one.
    fn field_op(&self, parts: &[&str], rest: &str) -> Parsed<Op> {
        let (values, number) = match rest.rsplit_once(", ") {
            Some((values, last)) if !last.starts_with('v') => (values, Some(self.number(last)?)),
            _ => (rest, None),
        };
        let count = if values.trim().is_empty() { 0 } else { values.split(',').count() };
        match FieldOp::parse(parts, count, number.as_ref()) {
            Some(op) => Ok(Op::Field(op, self.values_of(values)?)),
            None => self.fail(format!("unknown operation `{}` of {count} values", parts.join("."))),
        }
    }
}
