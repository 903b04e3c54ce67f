//! Statements that speak to other threads or order memory, as text with placeholders: an output is `$0` where
//! there is one, then come the operands.

use super::layout::space;
use crate::fir::ir::{AtomicOp, Order, Scope, ShuffleMode, Stmt};

/// What a block of text does besides computing its outputs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Effect {
    /// Nothing.
    #[cfg_attr(not(feature = "llvm"), expect(dead_code, reason = "LLVM asks, a text is in order"))]
    Pure,
    /// Speaks to other lanes or to caches: may not be duplicated, moved across branches or deleted.
    Warp,
    /// As `Warp`, and orders or touches memory.
    Memory,
}

/// The text of a statement.
#[derive(Debug)]
pub(super) struct Text {
    /// With placeholders.
    pub(super) text: String,
    /// 0 or 1.
    pub(super) outputs: usize,
    /// What it does besides.
    #[cfg_attr(not(feature = "llvm"), expect(dead_code, reason = "LLVM asks, a text is in order"))]
    pub(super) effect: Effect,
}

/// Most bits of a match that are voted on one by one: those of a digit of the sort.
const MOST_VOTES: u32 = 8;

/// The text of an effect; `None` for statements that are no effect by themselves.
pub(super) fn text(stmt: &Stmt) -> Option<Text> {
    let (text, outputs, effect) = match stmt {
        Stmt::Prefetch { place } => (format!("prefetch.{}.L2 [$0];", space(place)), 0, Effect::Warp),
        Stmt::LoadOrdered { place, order, scope, .. } => {
            let order = ordered(*order, "acquire");
            (format!("ld.{order}.{}.{}.u32 $0, [$1];", threads(*scope), space(place)), 1, Effect::Memory)
        }
        Stmt::StoreOrdered { place, order, scope, .. } => {
            let order = ordered(*order, "release");
            (format!("st.{order}.{}.{}.u32 [$0], $1;", threads(*scope), space(place)), 0, Effect::Memory)
        }
        Stmt::Atomic { op, place, order, scope, .. } => {
            let op = match op {
                AtomicOp::Add => "add.u32",
                AtomicOp::Min => "min.u32",
                AtomicOp::Max => "max.u32",
                AtomicOp::Exchange => "exch.b32",
            };
            let (order, scope, space) = (ordered(*order, "acq_rel"), threads(*scope), space(place));
            (format!("atom.{order}.{scope}.{space}.{op} $0, [$1], $2;"), 1, Effect::Memory)
        }
        Stmt::Barrier => ("bar.sync 0;".into(), 0, Effect::Memory),
        Stmt::SyncWarp { .. } => ("bar.warp.sync $0;".into(), 0, Effect::Memory),
        Stmt::Fence(scope) => (format!("fence.acq_rel.{};", threads(*scope)), 0, Effect::Memory),
        Stmt::Shuffle { mode, .. } => {
            // The last operand but one: lanes are clamped to the whole warp.
            let (mode, clamp) = match mode {
                ShuffleMode::Index => ("idx", 31),
                ShuffleMode::Up => ("up", 0),
                ShuffleMode::Down => ("down", 31),
                ShuffleMode::Xor => ("bfly", 31),
            };
            (format!("shfl.sync.{mode}.b32 $0, $1, $2, {clamp}, $3;"), 1, Effect::Warp)
        }
        Stmt::Ballot { .. } => ("vote.sync.ballot.b32 $0, $1, $2;".into(), 1, Effect::Warp),
        Stmt::MatchAny { bits, .. } => (match_any(*bits), 1, Effect::Warp),
        _ => return None,
    };
    Some(Text { text, outputs, effect })
}

/// Matches the low `bits` bits of `$1`: of a few by a vote a bit, four instructions each, which are the same
/// for all values. For the machine's own a word takes as many steps as there are different ones.
fn match_any(bits: u32) -> String {
    if bits > MOST_VOTES {
        let shift = 32 - bits;
        return format!("{{ .reg .b32 low; shl.b32 low, $1, {shift}; match.any.sync.b32 $0, low, $2; }}");
    }
    let mut text = "{ .reg .pred p; .reg .b32 b, others; mov.b32 $0, $2;".to_owned();
    for bit in 0..bits {
        let mask = 1 << bit;
        text += &format!(
            " and.b32 b, $1, {mask}; setp.ne.u32 p, b, 0; vote.sync.ballot.b32 b, p, $2; selp.b32 others, 0, -1, p; xor.b32 b, b, others; and.b32 $0, $0, b;"
        );
    }
    text + " }"
}

fn ordered(order: Order, both: &'static str) -> &'static str {
    match order {
        Order::Relaxed => "relaxed",
        Order::AcquireRelease => both,
    }
}

fn threads(scope: Scope) -> &'static str {
    match scope {
        Scope::Block => "cta",
        Scope::Device => "gpu",
    }
}
