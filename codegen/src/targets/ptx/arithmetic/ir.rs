//! Limb programs: straight-line PTX instructions on u32 words.
//!
//! A [`Block`] is what one inline-asm block holds: typed instructions in the order they are
//! emitted, each word written once. The carry flag `CC.CF` starts unset and dies with the block.
//!
//! PTX drops a carry silently when an instruction lacks `.cc`. Here every instruction that can
//! carry says which of three things is meant ([`CarryOut`]), and the interpreter checks the claim
//! [`CarryOut::Never`] on every value it sees. The builder hands the flag out as a [`Carry`] that
//! only the next flag-reading instruction can consume.

/// A virtual register of 32 bits, written by exactly one instruction or input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Word(pub(in crate::targets::ptx) u32);

impl Word {
    /// Index below [`Block::words`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A virtual predicate register, written by exactly one `setp`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pred(pub(in crate::targets::ptx) u32);

impl Pred {
    /// Index below [`Block::preds`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A source operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Src {
    /// The value of a word.
    Word(Word),
    /// A constant.
    Imm(u32),
}

impl From<Word> for Src {
    fn from(word: Word) -> Self {
        Src::Word(word)
    }
}

impl From<u32> for Src {
    fn from(value: u32) -> Self {
        Src::Imm(value)
    }
}

/// What becomes of the carry (or borrow) out of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CarryOut {
    /// Written to `CC.CF` (`.cc`).
    Flag,
    /// Not written, because the bounds of the variant say that it is 0. The interpreter checks it.
    Never,
    /// Not written, because only the low word is wanted.
    Lost,
}

/// Operation of an [`Inst::Logic`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Logic {
    /// `a & b`
    And,
    /// `a | b`
    Or,
    /// `a ^ b`
    Xor,
}

/// Unsigned comparison of an [`Inst::Setp`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cmp {
    /// `a == b`
    Eq,
    /// `a != b`
    Ne,
    /// `a >= b`
    Ge,
}

/// One PTX instruction. `cin` adds (for [`Inst::Sub`] subtracts) `CC.CF`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "d, a, b, c, q are PTX's own operand names")]
pub enum Inst {
    /// `add`, `add.cc`, `addc`, `addc.cc`. With a guard: when it is false, `d = a` and the flag
    /// keeps its value.
    Add { d: Word, a: Src, b: Src, cin: bool, out: CarryOut, guard: Option<Pred> },
    /// `sub`, `sub.cc`, `subc`, `subc.cc`; the flag holds the borrow. Guard as for `Add`.
    Sub { d: Word, a: Src, b: Src, cin: bool, out: CarryOut, guard: Option<Pred> },
    /// `mul.lo`: low word of `a·b`.
    MulLo { d: Word, a: Src, b: Src },
    /// `mul.hi`: high word of `a·b`.
    MulHi { d: Word, a: Src, b: Src },
    /// `mul.wide`: both words of `a·b`. On a pair of words that nothing has been added to yet, since
    /// ptxas pulls a `mul.hi` away from its `mul.lo`.
    MulWide { lo: Word, hi: Word, a: Src, b: Src },
    /// `mad.lo`, `madc.lo`, with or without `.cc`: low word of `a·b`, plus `c`. The carry is the
    /// sum's, not the product's.
    MadLo { d: Word, a: Src, b: Src, c: Src, cin: bool, out: CarryOut },
    /// `mad.hi`, `madc.hi`, with or without `.cc`: high word of `a·b`, plus `c`.
    MadHi { d: Word, a: Src, b: Src, c: Src, cin: bool, out: CarryOut },
    /// `and`, `or`, `xor`.
    Logic { op: Logic, d: Word, a: Src, b: Src },
    /// `shl.b32`, `by` in `[1, 31]`.
    Shl { d: Word, a: Src, by: u32 },
    /// `shr.u32`, `by` in `[1, 31]`.
    Shr { d: Word, a: Src, by: u32 },
    /// `shf.l.wrap.b32`: high word of `(hi:lo) << by`, `by` in `[1, 31]`.
    ShfL { d: Word, lo: Src, hi: Src, by: u32 },
    /// `setp.<cmp>.u32`.
    Setp { q: Pred, cmp: Cmp, a: Src, b: Src },
    /// `selp.u32`: `q ? a : b`.
    Selp { d: Word, a: Src, b: Src, q: Pred },
}

impl Inst {
    /// The words it reads.
    pub fn reads(&self) -> impl Iterator<Item = Word> + use<> {
        let none = Src::Imm(0);
        let sources = match *self {
            Inst::MadLo { a, b, c, .. } | Inst::MadHi { a, b, c, .. } => [a, b, c],
            // Where its guard does not hold, the word it writes is `a`.
            Inst::Add { a, b, .. }
            | Inst::Sub { a, b, .. }
            | Inst::MulLo { a, b, .. }
            | Inst::MulHi { a, b, .. }
            | Inst::MulWide { a, b, .. }
            | Inst::Logic { a, b, .. }
            | Inst::Setp { a, b, .. }
            | Inst::Selp { a, b, .. } => [a, b, none],
            Inst::ShfL { lo, hi, .. } => [lo, hi, none],
            Inst::Shl { a, .. } | Inst::Shr { a, .. } => [a, none, none],
        };
        sources.into_iter().filter_map(|source| match source {
            Src::Word(word) => Some(word),
            Src::Imm(_) => None,
        })
    }

    /// The word it writes, the high one of two; `None` for `setp`.
    pub fn dst(&self) -> Option<Word> {
        match *self {
            Inst::MulWide { hi, .. } => Some(hi),
            Inst::Add { d, .. }
            | Inst::Sub { d, .. }
            | Inst::MulLo { d, .. }
            | Inst::MulHi { d, .. }
            | Inst::MadLo { d, .. }
            | Inst::MadHi { d, .. }
            | Inst::Logic { d, .. }
            | Inst::Shl { d, .. }
            | Inst::Shr { d, .. }
            | Inst::ShfL { d, .. }
            | Inst::Selp { d, .. } => Some(d),
            Inst::Setp { .. } => None,
        }
    }
}

/// A named operand: little-endian words.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Input {
    /// Name, for printing.
    pub name: String,
    /// Its words, least significant first.
    pub words: Vec<Word>,
}

/// A named result: little-endian words. A predicate is one word, 0 or 1.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Output {
    /// Name, for printing.
    pub name: String,
    /// Where its words come from, least significant first.
    pub words: Vec<Src>,
}

/// A straight-line program from input words to output words.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Block {
    pub(in crate::targets::ptx) name: String,
    pub(in crate::targets::ptx) inputs: Vec<Input>,
    pub(in crate::targets::ptx) outputs: Vec<Output>,
    pub(in crate::targets::ptx) insts: Vec<Inst>,
    pub(in crate::targets::ptx) words: u32,
    pub(in crate::targets::ptx) preds: u32,
}

impl Block {
    /// `<field>_<op>_<variant>`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Operands in order; their words are the first of the block.
    pub fn inputs(&self) -> &[Input] {
        &self.inputs
    }

    /// Results in order.
    pub fn outputs(&self) -> &[Output] {
        &self.outputs
    }

    /// Instructions in order.
    pub fn insts(&self) -> &[Inst] {
        &self.insts
    }

    /// Number of words, inputs included.
    pub fn words(&self) -> usize {
        self.words as usize
    }

    /// Number of predicates.
    pub fn preds(&self) -> usize {
        self.preds as usize
    }

    /// Number of input words, over all inputs.
    pub fn input_words(&self) -> usize {
        self.inputs.iter().map(|input| input.words.len()).sum()
    }

    /// Number of output words, over all outputs.
    pub fn output_words(&self) -> usize {
        self.outputs.iter().map(|output| output.words.len()).sum()
    }
}

impl Block {
    /// The most words that are live at once in the order as it stands: registers that the block needs,
    /// inputs and outputs included.
    pub fn pressure(&self) -> usize {
        let mut live = std::collections::BTreeSet::new();
        for source in self.outputs.iter().flat_map(|output| &output.words) {
            if let Src::Word(word) = source {
                live.insert(*word);
            }
        }
        let mut peak = live.len().max(self.input_words());
        for inst in self.insts.iter().rev() {
            if let Inst::MulWide { lo, .. } = inst {
                live.remove(lo);
            }
            inst.dst().iter().for_each(|word| {
                live.remove(word);
            });
            live.extend(inst.reads());
            peak = peak.max(live.len());
        }
        peak
    }
}

/// The live carry flag. The next instruction that writes or reads the flag must consume it.
#[derive(Debug, PartialEq, Eq)]
#[must_use = "a carry is consumed by the next instruction of its chain or ignored explicitly"]
pub struct Carry {
    serial: u32,
    kind: Flag,
}

/// What the flag holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::targets::ptx) enum Flag {
    /// The carry of an addition.
    Carry,
    /// The borrow of a subtraction.
    Borrow,
}

/// [`Builder::add`] or [`Builder::sub`].
type Step = fn(&mut Builder, Src, Src, Option<Carry>, CarryOut) -> (Src, Option<Carry>);

/// Writes a [`Block`]. Panics where the flag is used out of turn: that is a bug of the variant.
#[derive(Debug)]
pub struct Builder {
    block: Block,
    live: Option<Carry>,
    carries: u32,
}

impl Builder {
    /// An empty block.
    pub fn new(name: impl Into<String>) -> Self {
        let block = Block {
            name: name.into(),
            inputs: Vec::new(),
            outputs: Vec::new(),
            insts: Vec::new(),
            words: 0,
            preds: 0,
        };
        Builder { block, live: None, carries: 0 }
    }

    /// Appends an operand of `words` words. All inputs come before the first instruction.
    pub fn input(&mut self, name: impl Into<String>, words: usize) -> Vec<Src> {
        assert!(self.block.insts.is_empty(), "input after the first instruction");
        let words: Vec<Word> = (0..words).map(|_| self.word()).collect();
        let sources = words.iter().map(|&word| word.into()).collect();
        self.block.inputs.push(Input { name: name.into(), words });
        sources
    }

    /// Appends a result.
    pub fn output(&mut self, name: impl Into<String>, words: Vec<Src>) {
        self.block.outputs.push(Output { name: name.into(), words });
    }

    /// The finished block.
    pub fn finish(self) -> Block {
        assert!(self.live.is_none(), "{}: a carry is neither consumed nor ignored", self.block.name);
        self.block
    }

    /// `a + b + cin`.
    pub fn add(&mut self, a: Src, b: Src, cin: Option<Carry>, out: CarryOut) -> (Src, Option<Carry>) {
        let cin = self.take(cin, Flag::Carry);
        let d = self.word();
        self.block.insts.push(Inst::Add { d, a, b, cin, out, guard: None });
        (d.into(), self.give(out, Flag::Carry))
    }

    /// `a - b - cin`.
    pub fn sub(&mut self, a: Src, b: Src, cin: Option<Carry>, out: CarryOut) -> (Src, Option<Carry>) {
        let cin = self.take(cin, Flag::Borrow);
        let d = self.word();
        self.block.insts.push(Inst::Sub { d, a, b, cin, out, guard: None });
        (d.into(), self.give(out, Flag::Borrow))
    }

    /// Low word of `a·b`.
    pub fn mul_lo(&mut self, a: Src, b: Src) -> Src {
        let d = self.word();
        self.block.insts.push(Inst::MulLo { d, a, b });
        d.into()
    }

    /// High word of `a·b`.
    pub fn mul_hi(&mut self, a: Src, b: Src) -> Src {
        let d = self.word();
        self.block.insts.push(Inst::MulHi { d, a, b });
        d.into()
    }

    /// Low and high word of `a·b`.
    pub fn mul_wide(&mut self, a: Src, b: Src) -> (Src, Src) {
        let (lo, hi) = (self.word(), self.word());
        self.block.insts.push(Inst::MulWide { lo, hi, a, b });
        (lo.into(), hi.into())
    }

    /// Low word of `a·b`, plus `c + cin`.
    pub fn mad_lo(
        &mut self,
        (a, b, c): (Src, Src, Src),
        cin: Option<Carry>,
        out: CarryOut,
    ) -> (Src, Option<Carry>) {
        let cin = self.take(cin, Flag::Carry);
        let d = self.word();
        self.block.insts.push(Inst::MadLo { d, a, b, c, cin, out });
        (d.into(), self.give(out, Flag::Carry))
    }

    /// High word of `a·b`, plus `c + cin`.
    pub fn mad_hi(
        &mut self,
        (a, b, c): (Src, Src, Src),
        cin: Option<Carry>,
        out: CarryOut,
    ) -> (Src, Option<Carry>) {
        let cin = self.take(cin, Flag::Carry);
        let d = self.word();
        self.block.insts.push(Inst::MadHi { d, a, b, c, cin, out });
        (d.into(), self.give(out, Flag::Carry))
    }

    /// Bitwise operation.
    pub fn logic(&mut self, op: Logic, a: Src, b: Src) -> Src {
        let d = self.word();
        self.block.insts.push(Inst::Logic { op, d, a, b });
        d.into()
    }

    /// `a << by`, `by` in `[1, 31]`.
    pub fn shl(&mut self, a: Src, by: u32) -> Src {
        let d = self.word();
        self.block.insts.push(Inst::Shl { d, a, by });
        d.into()
    }

    /// `a >> by`, `by` in `[1, 31]`.
    pub fn shr(&mut self, a: Src, by: u32) -> Src {
        let d = self.word();
        self.block.insts.push(Inst::Shr { d, a, by });
        d.into()
    }

    /// High word of `(hi:lo) << by`, `by` in `[1, 31]`.
    pub fn shf_l(&mut self, lo: Src, hi: Src, by: u32) -> Src {
        let d = self.word();
        self.block.insts.push(Inst::ShfL { d, lo, hi, by });
        d.into()
    }

    /// Compares.
    pub fn setp(&mut self, cmp: Cmp, a: Src, b: Src) -> Pred {
        let q = Pred(self.block.preds);
        self.block.preds += 1;
        self.block.insts.push(Inst::Setp { q, cmp, a, b });
        q
    }

    /// `q ? a : b`.
    pub fn selp(&mut self, a: Src, b: Src, q: Pred) -> Src {
        let d = self.word();
        self.block.insts.push(Inst::Selp { d, a, b, q });
        d.into()
    }

    /// Ends a chain whose last carry is meant to be thrown away.
    pub fn ignore(&mut self, carry: Option<Carry>) {
        if let Some(kind) = carry.as_ref().map(|carry| carry.kind) {
            self.take(carry, kind);
        }
    }

    /// `x + y` word by word; the shorter is padded with zeros.
    pub fn add_words(&mut self, x: &[Src], y: &[Src], out: CarryOut) -> (Vec<Src>, Option<Carry>) {
        self.words_chain(x, y, out, Self::add)
    }

    /// `x - y` word by word; the shorter is padded with zeros.
    pub fn sub_words(&mut self, x: &[Src], y: &[Src], out: CarryOut) -> (Vec<Src>, Option<Carry>) {
        self.words_chain(x, y, out, Self::sub)
    }

    /// `q ? x + y : x`; a carry out of the last word is lost.
    pub fn add_words_if(&mut self, q: Pred, x: &[Src], y: &[Src]) -> Vec<Src> {
        self.guarded_chain(q, x, y, |d, a, b, cin, out, guard| Inst::Add { d, a, b, cin, out, guard })
    }

    /// `q ? x - y : x`; a borrow out of the last word is lost.
    pub fn sub_words_if(&mut self, q: Pred, x: &[Src], y: &[Src]) -> Vec<Src> {
        self.guarded_chain(q, x, y, |d, a, b, cin, out, guard| Inst::Sub { d, a, b, cin, out, guard })
    }

    fn words_chain(&mut self, x: &[Src], y: &[Src], out: CarryOut, step: Step) -> (Vec<Src>, Option<Carry>) {
        let n = x.len().max(y.len());
        let (mut words, mut carry) = (Vec::with_capacity(n), None);
        for i in 0..n {
            let at = |v: &[Src]| v.get(i).copied().unwrap_or(Src::Imm(0));
            let out = if i + 1 == n { out } else { CarryOut::Flag };
            let (word, next) = step(self, at(x), at(y), carry, out);
            words.push(word);
            carry = next;
        }
        (words, carry)
    }

    fn guarded_chain(
        &mut self,
        q: Pred,
        x: &[Src],
        y: &[Src],
        inst: fn(Word, Src, Src, bool, CarryOut, Option<Pred>) -> Inst,
    ) -> Vec<Src> {
        assert_eq!(x.len(), y.len(), "{}: guarded chain", self.block.name);
        assert!(self.live.is_none(), "{}: the flag is in use", self.block.name);
        let chain = (0..x.len()).map(|i| {
            let d = self.word();
            let out = if i + 1 == x.len() { CarryOut::Lost } else { CarryOut::Flag };
            self.block.insts.push(inst(d, x[i], y[i], i > 0, out, Some(q)));
            d.into()
        });
        chain.collect()
    }

    fn word(&mut self) -> Word {
        let word = Word(self.block.words);
        self.block.words += 1;
        word
    }

    fn take(&mut self, carry: Option<Carry>, kind: Flag) -> bool {
        let cin = carry.is_some();
        assert!(carry.as_ref().is_none_or(|c| c.kind == kind), "{}: flag of the other kind", self.block.name);
        assert_eq!(self.live.take(), carry, "{}: flag used out of turn", self.block.name);
        cin
    }

    fn give(&mut self, out: CarryOut, kind: Flag) -> Option<Carry> {
        (out == CarryOut::Flag).then(|| {
            self.carries += 1;
            let serial = self.carries;
            self.live = Some(Carry { serial, kind });
            Carry { serial, kind }
        })
    }
}
