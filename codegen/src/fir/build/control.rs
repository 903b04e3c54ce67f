//! Branches and loops, a thread's place, and what threads say to each other.

use super::{Builder, Pred, U32};
use crate::fir::ir::*;

/// All lanes of a warp.
pub const FULL_MASK: u32 = 0xffff_ffff;

impl Builder {
    /// Launch position.
    pub fn special(&self, s: Special) -> U32<'_> {
        self.emit(Op::Special(s))
    }

    /// Thread in the block.
    pub fn thread(&self) -> U32<'_> {
        self.special(Special::Thread)
    }

    /// Block in the grid.
    pub fn block_index(&self) -> U32<'_> {
        self.special(Special::Block)
    }

    /// Lane in the warp.
    pub fn lane(&self) -> U32<'_> {
        self.special(Special::Lane)
    }

    /// `block · block size + thread`.
    pub fn global_index(&self) -> U32<'_> {
        self.block_index() * self.special(Special::BlockSize) + self.thread()
    }

    /// Runs `then` where `cond` holds.
    pub fn if_(&self, cond: Pred<'_>, then: impl FnOnce()) {
        self.if_else(cond, then, || {});
    }

    /// Runs one of the two.
    pub fn if_else(&self, cond: Pred<'_>, then: impl FnOnce(), otherwise: impl FnOnce()) {
        let (then, otherwise) = (self.block(then), self.block(otherwise));
        self.stmt(Stmt::If { cond: cond.id, then, otherwise });
    }

    /// Runs `body` until [`Builder::break_if`] leaves it.
    pub fn loop_(&self, body: impl FnOnce()) {
        let body = self.block(body);
        self.stmt(Stmt::Loop(body));
    }

    /// Leaves the innermost loop where `cond` holds.
    pub fn break_if(&self, cond: Pred<'_>) {
        self.if_(cond, || self.stmt(Stmt::Break));
    }

    /// Ends the thread where `cond` holds.
    pub fn return_if(&self, cond: Pred<'_>) {
        self.if_(cond, || self.stmt(Stmt::Return));
    }

    /// Runs `body` while `cond`, evaluated before each round, holds.
    pub fn while_<'k>(&'k self, cond: impl FnOnce() -> Pred<'k>, body: impl FnOnce()) {
        self.loop_(|| {
            self.break_if(!cond());
            body();
        });
    }

    /// Runs `body(i)` for `i = start, start + step, …` below `end` (no wrap-around: `end + step ≤ 2^32`).
    pub fn for_<'k>(&'k self, start: U32<'k>, end: U32<'k>, step: u32, body: impl FnOnce(U32<'k>)) {
        let i = self.var(start);
        self.while_(
            || i.get().lt(end),
            || {
                let now = i.get();
                body(now);
                i.set(now + step);
            },
        );
    }

    /// All threads of the block meet.
    pub fn barrier(&self) {
        self.stmt(Stmt::Barrier);
    }

    /// The lanes of `mask` meet.
    pub fn sync_warp(&self, mask: U32<'_>) {
        self.stmt(Stmt::SyncWarp { mask: mask.id });
    }

    /// Orders this thread's accesses.
    pub fn fence(&self, scope: Scope) {
        self.stmt(Stmt::Fence(scope));
    }

    /// Another lane's word.
    pub fn shuffle<'k>(&'k self, mode: ShuffleMode, value: U32<'k>, arg: U32<'k>, mask: U32<'k>) -> U32<'k> {
        let result = self.result();
        self.stmt(Stmt::Shuffle { result: result.id, mode, value: value.id, arg: arg.id, mask: mask.id });
        result
    }

    /// One bit for each lane of `mask` where `cond` holds.
    pub fn ballot<'k>(&'k self, cond: Pred<'k>, mask: U32<'k>) -> U32<'k> {
        let result = self.result();
        self.stmt(Stmt::Ballot { result: result.id, cond: cond.id, mask: mask.id });
        result
    }

    /// One bit for each lane of `mask` whose word has the same low `bits` bits as the own.
    pub fn match_any<'k>(&'k self, value: U32<'k>, bits: u32, mask: U32<'k>) -> U32<'k> {
        let result = self.result();
        self.stmt(Stmt::MatchAny { result: result.id, value: value.id, bits, mask: mask.id });
        result
    }
}
