//! Tokens to declarations and statements; names are still text.

use super::lex::{LexError, Token, lex};

/// A module-, function- or call-level variable with its initial bytes.
#[derive(Clone, Debug)]
pub(super) struct Variable<'a> {
    pub(super) space: VarSpace,
    pub(super) name: &'a str,
    pub(super) align: u64,
    pub(super) bytes: u64,
    /// Bytes given in the text; the rest is zero. `None` for no initialiser.
    pub(super) init: Option<Vec<u8>>,
    /// `name[]`: as long as the launch says.
    pub(super) unsized_array: bool,
}

/// Where a variable lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum VarSpace {
    Global,
    Const,
    Shared,
    Local,
    Param,
}

/// Width class of a declared register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RegType {
    Pred,
    B16,
    B32,
    B64,
}

/// An operand as written.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Operand<'a> {
    Name(&'a str),
    Not(&'a str),
    Int(i128),
    /// `[base + offset]`; an absent base is an absolute address.
    Memory(Option<&'a str>, i64),
    /// `name + offset` outside brackets.
    Offset(&'a str, i64),
    /// `{a, b, ..}`
    Vector(Vec<Operand<'a>>),
    /// `a|b`
    Pair(&'a str, &'a str),
    /// `(a, b, ..)` of a call.
    List(Vec<&'a str>),
}

/// One instruction.
#[derive(Clone, Debug)]
pub(super) struct Instruction<'a> {
    /// Predicate and whether it is negated.
    pub(super) guard: Option<(&'a str, bool)>,
    pub(super) opcode: &'a str,
    pub(super) operands: Vec<Operand<'a>>,
}

/// What stands in a body.
#[derive(Clone, Debug)]
pub(super) enum Statement<'a> {
    Open,
    Close,
    Label(&'a str),
    /// Registers `name` (no count) or `name0 .. name<count-1>`.
    Registers(RegType, &'a str, Option<u32>),
    Variable(Variable<'a>),
    Instruction(Instruction<'a>),
}

/// A function or kernel.
#[derive(Clone, Debug)]
pub(super) struct Function<'a> {
    pub(super) name: &'a str,
    pub(super) entry: bool,
    pub(super) results: Vec<Variable<'a>>,
    pub(super) params: Vec<Variable<'a>>,
    /// `.maxntid`: most threads in a block.
    pub(super) max_threads: Option<u64>,
    /// `.reqntid`: exact number of threads in a block.
    pub(super) exact_threads: Option<u64>,
    pub(super) body: Vec<(Statement<'a>, u32)>,
}

/// A whole module.
#[derive(Clone, Debug, Default)]
pub(super) struct Module<'a> {
    pub(super) variables: Vec<(Variable<'a>, u32)>,
    pub(super) functions: Vec<Function<'a>>,
}

/// Where and why parsing ended.
#[derive(Debug)]
pub(super) struct ParseError {
    pub(super) function: String,
    pub(super) line: u32,
    pub(super) reason: String,
}

impl From<LexError> for ParseError {
    fn from(e: LexError) -> Self {
        ParseError { function: "module".into(), line: e.line, reason: e.reason }
    }
}

type Result<T> = std::result::Result<T, ParseError>;

/// Most bytes a declared array may have: nothing the compiler emits comes near.
const ARRAY_LIMIT: u64 = 1 << 28;

/// Parses a module.
pub(super) fn parse(text: &str) -> Result<Module<'_>> {
    let tokens = lex(text)?;
    let mut p = Parser { tokens, at: 0, function: "module" };
    let mut module = Module::default();
    while p.peek().is_some() {
        p.item(&mut module)?;
    }
    Ok(module)
}

struct Parser<'a> {
    tokens: Vec<(Token<'a>, u32)>,
    at: usize,
    function: &'a str,
}

impl<'a> Parser<'a> {
    fn peek(&self) -> Option<Token<'a>> {
        self.tokens.get(self.at).map(|t| t.0)
    }

    fn line(&self) -> u32 {
        self.tokens.get(self.at).or(self.tokens.last()).map_or(1, |t| t.1)
    }

    fn error<T>(&self, reason: impl Into<String>) -> Result<T> {
        Err(ParseError { function: self.function.into(), line: self.line(), reason: reason.into() })
    }

    fn next(&mut self) -> Result<Token<'a>> {
        let Some(t) = self.peek() else { return self.error("unexpected end of text") };
        self.at += 1;
        Ok(t)
    }

    fn eat(&mut self, b: u8) -> bool {
        let hit = self.peek() == Some(Token::Punct(b));
        self.at += usize::from(hit);
        hit
    }

    fn expect(&mut self, b: u8) -> Result<()> {
        if self.eat(b) { Ok(()) } else { self.error(format!("expected `{}`", b as char)) }
    }

    fn word(&mut self) -> Result<&'a str> {
        match self.peek() {
            Some(Token::Word(w)) => {
                self.at += 1;
                Ok(w)
            }
            Some(_) => self.error("expected a name"),
            None => self.error("unexpected end of text"),
        }
    }

    fn int(&mut self) -> Result<u64> {
        match self.peek() {
            Some(Token::Int(v)) => {
                self.at += 1;
                Ok(v)
            }
            _ => self.error("expected an integer"),
        }
    }

    /// Skips what follows a directive on its line: none of those ends in a semicolon.
    fn skip_line(&mut self) {
        let line = self.tokens[self.at - 1].1;
        while self.tokens.get(self.at).is_some_and(|t| t.1 == line) {
            self.at += 1;
        }
    }

    fn item(&mut self, module: &mut Module<'a>) -> Result<()> {
        self.function = "module";
        let line = self.line();
        match self.word()? {
            ".version" | ".target" | ".address_size" | ".file" | ".loc" => self.skip_line(),
            ".visible" | ".weak" | ".extern" | ".internal" | ".common" => {}
            ".section" => {
                self.word()?;
                self.expect(b'{')?;
                while !self.eat(b'}') {
                    self.next()?;
                }
            }
            ".entry" => self.function(module, true)?,
            ".func" => self.function(module, false)?,
            ".global" => self.module_variable(module, VarSpace::Global, line)?,
            ".const" => self.module_variable(module, VarSpace::Const, line)?,
            ".shared" => self.module_variable(module, VarSpace::Shared, line)?,
            w => {
                self.at -= 1;
                return self.error(format!("unknown directive `{w}`"));
            }
        }
        Ok(())
    }

    fn module_variable(&mut self, module: &mut Module<'a>, space: VarSpace, line: u32) -> Result<()> {
        let v = self.variable(space)?;
        self.expect(b';')?;
        module.variables.push((v, line));
        Ok(())
    }

    /// After the state space: `.align N .type name[len] = {..}` up to but not including `;`, `,` or `)`.
    fn variable(&mut self, space: VarSpace) -> Result<Variable<'a>> {
        let mut align = None;
        let mut width = None;
        let name = loop {
            match self.word()? {
                ".align" => align = Some(self.int()?),
                // Attributes of pointer parameters say nothing that execution needs.
                ".ptr" | ".global" | ".shared" | ".local" | ".const" | ".generic" => {}
                w if w.starts_with('.') => {
                    let Some(bytes) = type_bytes(w) else {
                        return self.error(format!("unknown type `{w}`"));
                    };
                    width = Some(bytes);
                }
                name => break name,
            }
        };
        let Some(width) = width else { return self.error("variable without a type") };
        let mut bytes = width;
        let mut unsized_array = false;
        if self.eat(b'[') {
            if self.eat(b']') {
                unsized_array = true;
                bytes = 0;
            } else {
                let Some(total) = self.int()?.checked_mul(width).filter(|&b| b <= ARRAY_LIMIT) else {
                    return self.error(format!("array exceeds {ARRAY_LIMIT} bytes"));
                };
                bytes = total;
                self.expect(b']')?;
            }
        }
        let mut init = None;
        if self.eat(b'=') {
            let mut data = Vec::new();
            let braces = self.eat(b'{');
            loop {
                let value = self.signed()?;
                data.extend_from_slice(&(value as u64).to_le_bytes()[..width as usize]);
                if !braces || !self.eat(b',') {
                    break;
                }
            }
            if braces {
                self.expect(b'}')?;
            }
            if data.len() as u64 > bytes {
                return self.error("initialiser is longer than its variable");
            }
            init = Some(data);
        }
        let align = align.unwrap_or(width);
        if !align.is_power_of_two() || align > 4096 {
            return self.error(format!("alignment {align} is not a power of two up to 4096"));
        }
        Ok(Variable { space, name, align, bytes, init, unsized_array })
    }

    fn signed(&mut self) -> Result<i128> {
        let negative = self.eat(b'-');
        let v = i128::from(self.int()?);
        Ok(if negative { -v } else { v })
    }

    fn params(&mut self) -> Result<Vec<Variable<'a>>> {
        let mut out = Vec::new();
        self.expect(b'(')?;
        while !self.eat(b')') {
            let w = self.word()?;
            if w != ".param" {
                return self.error(format!("expected `.param`, found `{w}`"));
            }
            out.push(self.variable(VarSpace::Param)?);
            self.eat(b',');
        }
        Ok(out)
    }

    fn function(&mut self, module: &mut Module<'a>, entry: bool) -> Result<()> {
        let results = if self.peek() == Some(Token::Punct(b'(')) { self.params()? } else { Vec::new() };
        let name = self.word()?;
        self.function = name;
        let params = if self.peek() == Some(Token::Punct(b'(')) { self.params()? } else { Vec::new() };
        let mut f = Function {
            name,
            entry,
            results,
            params,
            max_threads: None,
            exact_threads: None,
            body: Vec::new(),
        };
        loop {
            match self.next()? {
                Token::Punct(b';') => return Ok(()), // a forward declaration
                Token::Punct(b'{') => break,
                Token::Word(".maxntid") => f.max_threads = Some(self.product()?),
                Token::Word(".reqntid") => f.exact_threads = Some(self.product()?),
                Token::Word(".minnctapersm" | ".maxnctapersm" | ".maxnreg") => {
                    self.int()?;
                }
                Token::Word(".noreturn") => {}
                Token::Word(".pragma") => {
                    self.next()?;
                    self.expect(b';')?;
                }
                t => {
                    self.at -= 1;
                    return self.error(format!("unknown function directive {t:?}"));
                }
            }
        }
        let mut depth = 0;
        loop {
            let line = self.line();
            if self.eat(b'}') {
                if depth == 0 {
                    break;
                }
                depth -= 1;
                f.body.push((Statement::Close, line));
            } else if self.eat(b'{') {
                depth += 1;
                f.body.push((Statement::Open, line));
            } else if !self.eat(b';') {
                self.statement(&mut f.body, line)?;
            }
        }
        module.functions.push(f);
        Ok(())
    }

    fn product(&mut self) -> Result<u64> {
        let mut n = self.int()?;
        while self.eat(b',') {
            n = n.saturating_mul(self.int()?);
        }
        Ok(n)
    }

    fn statement(&mut self, body: &mut Vec<(Statement<'a>, u32)>, line: u32) -> Result<()> {
        if self.eat(b'@') {
            let negated = self.eat(b'!');
            let guard = Some((self.word()?, negated));
            let opcode = self.word()?;
            return self.instruction(body, line, guard, opcode);
        }
        let w = self.word()?;
        match w {
            ".reg" => {
                let ty = self.word()?;
                let ty = match ty {
                    ".pred" => RegType::Pred,
                    ".b16" | ".u16" | ".s16" => RegType::B16,
                    ".b32" | ".u32" | ".s32" => RegType::B32,
                    ".b64" | ".u64" | ".s64" => RegType::B64,
                    _ => return self.error(format!("registers of type `{ty}` are not supported")),
                };
                loop {
                    let name = self.word()?;
                    let mut count = None;
                    if self.eat(b'<') {
                        let n = self.int()?;
                        let Some(n) = u32::try_from(n).ok().filter(|&n| n < 1 << 24) else {
                            return self.error(format!("{n} registers in one declaration"));
                        };
                        count = Some(n);
                        self.expect(b'>')?;
                    }
                    body.push((Statement::Registers(ty, name, count), line));
                    if !self.eat(b',') {
                        break;
                    }
                }
                self.expect(b';')?;
            }
            ".param" | ".local" | ".shared" => {
                let space = match w {
                    ".param" => VarSpace::Param,
                    ".local" => VarSpace::Local,
                    _ => VarSpace::Shared,
                };
                let v = self.variable(space)?;
                self.expect(b';')?;
                body.push((Statement::Variable(v), line));
            }
            ".loc" | ".file" => self.skip_line(),
            ".pragma" => {
                self.next()?;
                self.expect(b';')?;
            }
            w if self.eat(b':') => body.push((Statement::Label(w), line)),
            w => return self.instruction(body, line, None, w),
        }
        Ok(())
    }

    fn instruction(
        &mut self,
        body: &mut Vec<(Statement<'a>, u32)>,
        line: u32,
        guard: Option<(&'a str, bool)>,
        opcode: &'a str,
    ) -> Result<()> {
        let mut operands = Vec::with_capacity(4);
        if !self.eat(b';') {
            loop {
                operands.push(self.operand()?);
                if !self.eat(b',') {
                    break;
                }
            }
            self.expect(b';')?;
        }
        body.push((Statement::Instruction(Instruction { guard, opcode, operands }), line));
        Ok(())
    }

    fn offset(&mut self) -> Result<i64> {
        let mut total = 0i64;
        loop {
            let minus = match self.peek() {
                Some(Token::Punct(b'+')) => false,
                Some(Token::Punct(b'-')) => true,
                _ => return Ok(total),
            };
            self.at += 1;
            let v = self.signed()?;
            let v = if minus { -v } else { v };
            let Some(sum) = i64::try_from(v).ok().and_then(|v| total.checked_add(v)) else {
                return self.error("offset is out of range");
            };
            total = sum;
        }
    }

    fn operand(&mut self) -> Result<Operand<'a>> {
        Ok(match self.next()? {
            Token::Int(v) => Operand::Int(v.into()),
            Token::Punct(b'-') => Operand::Int(-i128::from(self.int()?)),
            Token::Punct(b'!') => Operand::Not(self.word()?),
            Token::Punct(b'[') => {
                let m = match self.peek() {
                    Some(Token::Word(w)) => {
                        self.at += 1;
                        Operand::Memory(Some(w), self.offset()?)
                    }
                    _ => match i64::try_from(self.signed()?) {
                        Ok(v) => Operand::Memory(None, v),
                        Err(_) => return self.error("address is out of range"),
                    },
                };
                self.expect(b']')?;
                m
            }
            Token::Punct(b'{') => {
                let mut items = Vec::with_capacity(4);
                loop {
                    if self.peek() == Some(Token::Punct(b'{')) {
                        return self.error("nested vector");
                    }
                    items.push(self.operand()?);
                    if !self.eat(b',') {
                        break;
                    }
                }
                self.expect(b'}')?;
                Operand::Vector(items)
            }
            Token::Punct(b'(') => {
                let mut items = Vec::new();
                while !self.eat(b')') {
                    items.push(self.word()?);
                    self.eat(b',');
                }
                Operand::List(items)
            }
            Token::Word(w) => {
                if self.eat(b'|') {
                    Operand::Pair(w, self.word()?)
                } else if matches!(self.peek(), Some(Token::Punct(b'+' | b'-'))) {
                    Operand::Offset(w, self.offset()?)
                } else {
                    Operand::Name(w)
                }
            }
            t => {
                self.at -= 1;
                return self.error(format!("unexpected {t:?}"));
            }
        })
    }
}

/// Bytes of a fundamental type given with its dot.
pub(super) fn type_bytes(ty: &str) -> Option<u64> {
    Some(match ty {
        ".b8" | ".u8" | ".s8" => 1,
        ".b16" | ".u16" | ".s16" => 2,
        ".b32" | ".u32" | ".s32" => 4,
        ".b64" | ".u64" | ".s64" => 8,
        _ => return None,
    })
}
