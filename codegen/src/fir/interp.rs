//! The definition of FIR: an interpreter over big integers.
//!
//! A launch runs its blocks one after another, and the threads of a block statement by statement together; so
//! barriers and warp operations have the meaning of the CUDA programming model under one particular schedule.
//! Field values are elements, without a representation; only [`Op::Word`], [`Op::FromWords`] and
//! [`FieldOp::FromMont`](crate::declaration::FieldOp) know `R`. Where words may be those of several
//! representatives, they are not the canonical ones.

mod ops;

use super::ir::*;
use crate::declaration::FieldDesc;
use crate::declaration::tower::Element;
use curvesmith_abi::{ParamKind, padded_words};
use num_bigint::BigUint;

/// An argument of a launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Argument {
    /// The words of a buffer, layout as in the contract.
    Buffer(Vec<u32>),
    /// A u32.
    U32(u32),
    /// A u64.
    U64(u64),
}

/// Why a kernel has no meaning on these arguments.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{symbol}: block {block}, thread {thread}: {reason}")]
pub struct InterpError {
    /// The kernel.
    pub symbol: String,
    /// The block.
    pub block: u32,
    /// The first thread concerned.
    pub thread: u32,
    /// What it did.
    pub reason: String,
}

/// Statements a block may run, so that a lost loop ends.
const STEP_LIMIT: u64 = 3_000_000;

/// Runs `grid` blocks of a verified kernel; buffers in `args` are changed in place. Arguments of other kinds
/// than its parameters are an error.
pub fn launch(kernel: &Kernel, grid: u32, args: &mut [Argument]) -> Result<(), InterpError> {
    for (param, arg) in kernel.desc.params.iter().zip(&*args) {
        if !arg.fits(param.kind) {
            return Err(refusal(kernel, format!("{} is {:?}, given {}", param.name, param.kind, arg.kind())));
        }
    }
    let scalars: Vec<u64> = args.iter().map(Argument::scalar).collect();
    (0..grid).try_for_each(|block| run_block(kernel, Position { block, grid }, &scalars, args))
}

/// A block's place in its launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// The block.
    pub block: u32,
    /// Blocks of the launch.
    pub grid: u32,
}

/// The buffers of a launch as a block sees them.
pub trait Memory {
    /// Word `at` of the buffer that is parameter `param`; none outside.
    fn read(&mut self, param: usize, at: usize) -> Option<u32>;
    /// Replaces it; none outside.
    fn write(&mut self, param: usize, at: usize, word: u32) -> Option<()>;
}

impl Memory for [Argument] {
    fn read(&mut self, param: usize, at: usize) -> Option<u32> {
        let Some(Argument::Buffer(words)) = self.get(param) else { return None };
        words.get(at).copied()
    }
    fn write(&mut self, param: usize, at: usize, word: u32) -> Option<()> {
        let Some(Argument::Buffer(words)) = self.get_mut(param) else { return None };
        words.get_mut(at).map(|w| *w = word)
    }
}

/// An error that is about no thread.
fn refusal(kernel: &Kernel, reason: String) -> InterpError {
    InterpError { symbol: kernel.symbol.clone(), block: 0, thread: 0, reason }
}

impl Argument {
    fn fits(&self, kind: ParamKind) -> bool {
        matches!(
            (self, kind),
            (Argument::Buffer(_), ParamKind::Buffer(..))
                | (Argument::U32(_), ParamKind::U32)
                | (Argument::U64(_), ParamKind::U64)
        )
    }

    fn kind(&self) -> &'static str {
        match self {
            Argument::Buffer(_) => "a buffer",
            Argument::U32(_) => "a u32",
            Argument::U64(_) => "a u64",
        }
    }

    /// The value of a scalar, and zero for a buffer.
    fn scalar(&self) -> u64 {
        match self {
            Argument::Buffer(_) => 0,
            Argument::U32(x) => u64::from(*x),
            Argument::U64(x) => *x,
        }
    }
}

/// Runs one block of a verified kernel on any memory. `scalars` has an entry a parameter, else that is an
/// error, as is one that its type does not hold; those of buffers are not looked at.
pub fn run_block<M: Memory + ?Sized>(
    kernel: &Kernel,
    position: Position,
    scalars: &[u64],
    memory: &mut M,
) -> Result<(), InterpError> {
    let params = kernel.desc.params;
    if scalars.len() != params.len() {
        return Err(refusal(kernel, format!("{} arguments for {} parameters", scalars.len(), params.len())));
    }
    for (param, scalar) in params.iter().zip(scalars) {
        if param.kind == ParamKind::U32 && u32::try_from(*scalar).is_err() {
            return Err(refusal(kernel, format!("{} is U32, given {scalar:#x}", param.name)));
        }
    }
    let threads = kernel.desc.block as usize;
    let words = kernel.field.as_ref().map_or(0, |f| f.words);
    let mut run = Run {
        kernel,
        block: position.block,
        grid: position.grid,
        scalars,
        memory,
        r_inv: kernel.field.as_ref().map(|f| f.r_mod_p().modinv(&f.p).expect("R is prime to p")),
        values: vec![vec![]; kernel.values().count()],
        locals: vec![vec![None; threads]; kernel.locals.len()],
        shared: kernel.shared.iter().map(|s| vec![None; s.length as usize * s.stride(words)]).collect(),
        returned: vec![false; threads],
        broken: vec![],
        steps: 0,
        arguments: vec![],
        yielded: vec![],
    };
    run.block(&kernel.body, &vec![true; threads])
}

#[derive(Clone, Debug)]
enum Val {
    Pred(bool),
    U32(u32),
    U64(u64),
    Field(BigUint),
    Fields(Vec<BigUint>),
    /// An element of a level of the tower.
    Ext(Element),
}

struct Run<'a, M: ?Sized> {
    kernel: &'a Kernel,
    block: u32,
    grid: u32,
    scalars: &'a [u64],
    memory: &'a mut M,
    r_inv: Option<BigUint>,
    values: Vec<Vec<Option<Val>>>,
    locals: Vec<Vec<Option<Val>>>,
    shared: Vec<Vec<Option<u32>>>,
    returned: Vec<bool>,
    /// Threads that left each open loop.
    broken: Vec<Vec<bool>>,
    steps: u64,
    /// What a function is given, by argument and thread.
    arguments: Vec<Vec<Option<Val>>>,
    /// What it gives, by result and thread.
    yielded: Vec<Vec<Option<Val>>>,
}

type Mask = Vec<bool>;

impl<M: Memory + ?Sized> Run<'_, M> {
    fn error<T>(&self, thread: usize, reason: impl Into<String>) -> Result<T, InterpError> {
        let symbol = self.kernel.symbol.clone();
        Err(InterpError { symbol, block: self.block, thread: thread as u32, reason: reason.into() })
    }

    fn field(&self) -> &FieldDesc {
        self.kernel.field()
    }

    fn get(&self, v: Value, t: usize) -> &Val {
        self.values[v.0 as usize][t].as_ref().expect("verified kernels define values before use")
    }
    fn u32(&self, v: Value, t: usize) -> u32 {
        let Val::U32(x) = self.get(v, t) else { unreachable!("verified types") };
        *x
    }
    fn pred(&self, v: Value, t: usize) -> bool {
        let Val::Pred(x) = self.get(v, t) else { unreachable!("verified types") };
        *x
    }
    fn fe(&self, v: Value, t: usize) -> &BigUint {
        let Val::Field(x) = self.get(v, t) else { unreachable!("verified types") };
        x
    }
    fn define(&mut self, v: Value, t: usize, x: Val) {
        let slots = &mut self.values[v.0 as usize];
        slots.resize(self.returned.len(), None);
        slots[t] = Some(x);
    }

    /// Threads of `mask` that still run.
    fn live(&self, mask: &Mask) -> Mask {
        (0..mask.len())
            .map(|t| mask[t] && !self.returned[t] && !self.broken.last().is_some_and(|b| b[t]))
            .collect()
    }

    fn block(&mut self, block: &Block, mask: &Mask) -> Result<(), InterpError> {
        for stmt in block {
            let active = self.live(mask);
            let Some(first) = active.iter().position(|a| *a) else { return Ok(()) };
            self.steps += 1;
            if self.steps > STEP_LIMIT {
                return self.error(first, "does not end");
            }
            self.stmt(stmt, &active)?;
        }
        Ok(())
    }

    fn stmt(&mut self, stmt: &Stmt, active: &Mask) -> Result<(), InterpError> {
        let threads: Vec<usize> = (0..active.len()).filter(|t| active[*t]).collect();
        match stmt {
            Stmt::Let(v) => {
                for &t in &threads {
                    let x = self.op(*v, t)?;
                    self.define(*v, t, x);
                }
            }
            Stmt::Set(l, v) => {
                for &t in &threads {
                    self.locals[l.0 as usize][t] = Some(self.get(*v, t).clone());
                }
            }
            Stmt::If { cond, then, otherwise } => {
                let arm = |run: &Self, want: bool| -> Mask {
                    (0..active.len()).map(|t| active[t] && run.pred(*cond, t) == want).collect()
                };
                let (yes, no) = (arm(self, true), arm(self, false));
                self.block(then, &yes)?;
                self.block(otherwise, &no)?;
            }
            Stmt::Loop(body) => {
                // Threads that left an outer loop are not in `active`.
                self.broken.push(active.iter().map(|a| !a).collect());
                while self.live(active).contains(&true) {
                    self.block(body, active)?;
                    self.steps += 1;
                    if self.steps > STEP_LIMIT {
                        return self.error(threads[0], "does not end");
                    }
                }
                self.broken.pop();
            }
            Stmt::Break => {
                let broken = self.broken.last_mut().expect("verified: a loop is open");
                threads.iter().for_each(|&t| broken[t] = true);
            }
            Stmt::Return => threads.iter().for_each(|&t| self.returned[t] = true),
            Stmt::Call { results, function, args } => {
                let args = args.iter().map(|v| self.values[v.0 as usize].clone()).collect();
                let callee = &self.kernel.functions[function.0 as usize];
                let given = self.call(callee, args, active)?;
                for (r, given) in results.iter().zip(given) {
                    for &t in &threads {
                        let x = given[t].clone().expect("verified: functions end by a yield");
                        self.define(*r, t, x);
                    }
                }
            }
            Stmt::Yield(values) => {
                self.yielded = values.iter().map(|v| self.values[v.0 as usize].clone()).collect();
            }
            Stmt::Barrier => {
                if let Some(t) = (0..active.len()).find(|&t| !active[t] && !self.returned[t]) {
                    return self.error(t, "does not reach a barrier that others reach");
                }
            }
            Stmt::Fence(_) => {}
            Stmt::SyncWarp { mask } => self.check_masks(*mask, &threads, active)?,
            Stmt::Load { results, place } => {
                for &t in &threads {
                    for (i, r) in results.iter().enumerate() {
                        let x = self.read(place, i, t)?;
                        self.define(*r, t, Val::U32(x));
                    }
                }
            }
            Stmt::Store { place, words } => {
                for &t in &threads {
                    for (i, w) in words.iter().enumerate() {
                        let x = self.u32(*w, t);
                        self.write(place, i, t, x)?;
                    }
                }
            }
            Stmt::Prefetch { place } => {
                for &t in &threads {
                    self.read(place, 0, t)?;
                }
            }
            Stmt::LoadOrdered { result, place, .. } => {
                for &t in &threads {
                    let x = self.read(place, 0, t)?;
                    self.define(*result, t, Val::U32(x));
                }
            }
            Stmt::StoreOrdered { place, value, .. } => {
                for &t in &threads {
                    let x = self.u32(*value, t);
                    self.write(place, 0, t, x)?;
                }
            }
            Stmt::Atomic { result, op, place, value, .. } => {
                for &t in &threads {
                    let (x, before) = (self.u32(*value, t), self.read(place, 0, t)?);
                    let after = match op {
                        AtomicOp::Add => before.wrapping_add(x),
                        AtomicOp::Min => before.min(x),
                        AtomicOp::Max => before.max(x),
                        AtomicOp::Exchange => x,
                    };
                    self.write(place, 0, t, after)?;
                    self.define(*result, t, Val::U32(before));
                }
            }
            Stmt::Shuffle { result, mode, value, arg, mask } => {
                self.check_masks(*mask, &threads, active)?;
                for &t in &threads {
                    let (lane, arg) = ((t % 32) as u32, self.u32(*arg, t));
                    let from = match mode {
                        ShuffleMode::Index => arg % 32,
                        ShuffleMode::Up => lane.checked_sub(arg).unwrap_or(lane),
                        ShuffleMode::Down => {
                            if lane + arg < 32 {
                                lane + arg
                            } else {
                                lane
                            }
                        }
                        ShuffleMode::Xor => (lane ^ arg) % 32,
                    };
                    let source = t - t % 32 + from as usize;
                    if self.u32(*mask, t) >> from & 1 == 0 {
                        return self.error(t, format!("shuffles from lane {from}, which is not in the mask"));
                    }
                    let x = self.get(*value, source).clone();
                    self.define(*result, t, x);
                }
            }
            Stmt::Ballot { result, cond, mask } => {
                self.check_masks(*mask, &threads, active)?;
                for &t in &threads {
                    let bits =
                        self.lanes(*mask, t).filter(|&o| self.pred(*cond, o)).map(|o| 1u32 << (o % 32)).sum();
                    self.define(*result, t, Val::U32(bits));
                }
            }
            Stmt::MatchAny { result, value, bits, mask } => {
                self.check_masks(*mask, &threads, active)?;
                for &t in &threads {
                    let low = |thread| self.u32(*value, thread) << (32 - bits);
                    let same = self.lanes(*mask, t).filter(|&o| low(o) == low(t));
                    let bits = same.map(|o| 1u32 << (o % 32)).sum();
                    self.define(*result, t, Val::U32(bits));
                }
            }
        }
        Ok(())
    }

    /// What a function gives the active threads, by result.
    fn call(
        &mut self,
        function: &Kernel,
        arguments: Vec<Vec<Option<Val>>>,
        active: &Mask,
    ) -> Result<Vec<Vec<Option<Val>>>, InterpError> {
        let threads = active.len();
        let mut run = Run {
            kernel: function,
            block: self.block,
            grid: self.grid,
            scalars: self.scalars,
            memory: &mut *self.memory,
            r_inv: self.r_inv.clone(),
            values: vec![vec![]; function.values().count()],
            locals: vec![vec![None; threads]; function.locals.len()],
            shared: vec![],
            returned: vec![false; threads],
            broken: vec![],
            steps: self.steps,
            arguments,
            yielded: vec![],
        };
        run.block(&function.body, active)?;
        self.steps = run.steps;
        Ok(run.yielded)
    }

    /// Threads named by thread `t`'s mask.
    fn lanes(&self, mask: Value, t: usize) -> impl Iterator<Item = usize> + use<M> {
        let bits = self.u32(mask, t);
        (0..32).filter(move |l| bits >> l & 1 == 1).map(move |l| t - t % 32 + l)
    }

    fn check_masks(&self, mask: Value, threads: &[usize], active: &Mask) -> Result<(), InterpError> {
        for &t in threads {
            let bits = self.u32(mask, t);
            if bits >> (t % 32) & 1 == 0 {
                return self.error(t, "its own lane is not in the mask");
            }
            for o in self.lanes(mask, t) {
                if !active.get(o).copied().unwrap_or(false) || self.u32(mask, o) != bits {
                    return self.error(t, format!("lane {} of the mask does not take part", o % 32));
                }
            }
        }
        Ok(())
    }

    fn address(&self, place: &Place, offset: usize, t: usize) -> (Option<usize>, usize) {
        match *place {
            Place::Global { buffer, index, word } => {
                let ParamKind::Buffer(_, element) = self.kernel.desc.params[buffer.0 as usize].kind else {
                    unreachable!("verified: a buffer")
                };
                let words = self.kernel.field.as_ref().map_or(1, |f| f.words);
                let stride = element.bytes(self.kernel.form, words, self.kernel.tower.degree()) / 4;
                (Some(buffer.0 as usize), self.u32(index, t) as usize * stride + word as usize + offset)
            }
            Place::Part { buffer, index, part, word } => {
                let words = padded_words(self.field().words);
                let point = Place::Global { buffer, index, word: 0 };
                let (buffer, first) = self.address(&point, 0, t);
                (buffer, first + self.u32(part, t) as usize * words + word as usize + offset)
            }
            Place::Shared { array, index } => {
                let words = self.kernel.field.as_ref().map_or(0, |f| f.words);
                let stride = self.kernel.shared[array.0 as usize].stride(words);
                (None, self.u32(index, t) as usize * stride + offset)
            }
        }
    }

    fn read(&mut self, place: &Place, offset: usize, t: usize) -> Result<u32, InterpError> {
        let (buffer, at) = self.address(place, offset, t);
        let word = match (buffer, place) {
            (Some(b), _) => self.memory.read(b, at),
            (None, Place::Shared { array, .. }) => match self.shared[array.0 as usize].get(at) {
                Some(None) => {
                    return self.error(t, format!("reads an uninitialised word at word {at} of {place:?}"));
                }
                word => word.copied().flatten(),
            },
            _ => unreachable!("places are global or shared"),
        };
        match word {
            Some(word) => Ok(word),
            None => self.error(t, format!("reads outside at word {at} of {place:?}")),
        }
    }

    fn write(&mut self, place: &Place, offset: usize, t: usize, x: u32) -> Result<(), InterpError> {
        let (buffer, at) = self.address(place, offset, t);
        let slot = match (buffer, place) {
            (Some(b), _) => self.memory.write(b, at, x),
            (None, Place::Shared { array, .. }) => {
                self.shared[array.0 as usize].get_mut(at).map(|w| *w = Some(x))
            }
            _ => unreachable!("places are global or shared"),
        };
        match slot {
            Some(()) => Ok(()),
            None => self.error(t, format!("writes outside at word {at} of {place:?}")),
        }
    }
}

/// The padded device words of field elements: Montgomery, canonical.
pub fn to_words(field: &FieldDesc, elements: &[BigUint]) -> Vec<u32> {
    let mut out = vec![];
    for x in elements {
        out.extend(field.limbs(&field.to_mont(x)));
        out.resize(out.len().next_multiple_of(padded_words(field.words)), 0);
    }
    out
}

/// The field elements behind padded device words.
pub fn from_words(field: &FieldDesc, words: &[u32]) -> Vec<BigUint> {
    let r_inv = field.r_mod_p().modinv(&field.p).expect("R is prime to p");
    words
        .chunks_exact(padded_words(field.words))
        .map(|w| BigUint::new(w[..field.words].to_vec()) * &r_inv % &field.p)
        .collect()
}
