//! Basic blocks and where divergent lanes meet again.
//!
//! Lanes that part at a branch meet at its immediate post-dominator, found with the iteration of
//! Cooper, Harvey and Kennedy ("A Simple, Fast Dominance Algorithm") on the reversed graph.

use super::program::{Decoded, Inst, NO_PC, SINK};

/// Basic blocks of a function, in code order.
#[derive(Debug)]
pub(super) struct Blocks {
    /// First instruction of each block.
    pub(super) starts: Vec<usize>,
    /// Successors; a block that may leave the function has `None` among them.
    pub(super) successors: Vec<Vec<Option<usize>>>,
    /// Number of instructions in the function.
    len: usize,
}

impl Blocks {
    /// Splits code at labels that are jumped to and after jumps.
    pub(super) fn new(code: &[Decoded]) -> Blocks {
        let mut leader = vec![false; code.len() + 1];
        leader[0] = true;
        for (i, d) in code.iter().enumerate() {
            match d.inst {
                Inst::Branch { target } => {
                    leader[target as usize] = true;
                    leader[i + 1] = true;
                }
                Inst::Ret | Inst::Exit | Inst::Trap => leader[i + 1] = true,
                _ => {}
            }
        }
        let starts: Vec<usize> = (0..code.len()).filter(|&i| leader[i]).collect();
        let mut index = vec![usize::MAX; code.len() + 1];
        for (b, &s) in starts.iter().enumerate() {
            index[s] = b;
        }
        let mut successors = Vec::with_capacity(starts.len());
        for b in 0..starts.len() {
            let end = starts.get(b + 1).copied().unwrap_or(code.len());
            let last = &code[end - 1];
            let guarded = last.guard != SINK;
            // Code ends in an unguarded return, so a block that falls through has a successor.
            let fall = index.get(end).copied().filter(|&i| i != usize::MAX);
            successors.push(match last.inst {
                Inst::Branch { target } => {
                    let target = Some(index[target as usize]);
                    if guarded { vec![target, fall] } else { vec![target] }
                }
                Inst::Ret | Inst::Exit | Inst::Trap => {
                    if guarded {
                        vec![None, fall]
                    } else {
                        vec![None]
                    }
                }
                _ => vec![fall],
            });
        }
        Blocks { starts, successors, len: code.len() }
    }

    /// Instructions of block `b`.
    pub(super) fn range(&self, b: usize) -> std::ops::Range<usize> {
        self.starts[b]..self.starts.get(b + 1).copied().unwrap_or(self.len)
    }

    /// Number of blocks.
    pub(super) fn count(&self) -> usize {
        self.starts.len()
    }
}

/// For every guarded branch the instruction where its lanes meet; [`NO_PC`] at other instructions
/// and where they meet only at the function's end.
pub(super) fn reconvergence(code: &[Decoded]) -> Vec<u32> {
    let blocks = Blocks::new(code);
    let ipdom = post_dominators(&blocks);
    let mut out = vec![NO_PC; code.len()];
    for (b, target) in ipdom.iter().enumerate() {
        let last = blocks.range(b).end - 1;
        if matches!(code[last].inst, Inst::Branch { .. })
            && code[last].guard != SINK
            && let Some(t) = target
        {
            out[last] = blocks.starts[*t] as u32;
        }
    }
    out
}

/// Immediate post-dominator of each block; `None` for the function's end, and for blocks from which
/// the end cannot be reached.
fn post_dominators(blocks: &Blocks) -> Vec<Option<usize>> {
    let n = blocks.count();
    let exit = n;
    let mut predecessors = vec![Vec::new(); n + 1];
    for (b, succ) in blocks.successors.iter().enumerate() {
        for s in succ {
            predecessors[s.unwrap_or(exit)].push(b);
        }
    }
    // Post-order of the reversed graph from the exit, without recursion.
    let mut order = Vec::with_capacity(n + 1);
    let mut number = vec![usize::MAX; n + 1];
    let mut seen = vec![false; n + 1];
    let mut stack = vec![(exit, 0)];
    seen[exit] = true;
    while let Some((b, i)) = stack.pop() {
        if let Some(&p) = predecessors[b].get(i) {
            stack.push((b, i + 1));
            if !seen[p] {
                seen[p] = true;
                stack.push((p, 0));
            }
        } else {
            number[b] = order.len();
            order.push(b);
        }
    }
    let mut idom = vec![usize::MAX; n + 1];
    idom[exit] = exit;
    let intersect = |idom: &[usize], mut a: usize, mut b: usize| {
        while a != b {
            while number[a] < number[b] {
                a = idom[a];
            }
            while number[b] < number[a] {
                b = idom[b];
            }
        }
        a
    };
    let mut changed = true;
    while changed {
        changed = false;
        for &b in order.iter().rev().filter(|&&b| b != exit) {
            let mut new = usize::MAX;
            for s in &blocks.successors[b] {
                let s = s.unwrap_or(exit);
                if idom[s] != usize::MAX {
                    new = if new == usize::MAX { s } else { intersect(&idom, s, new) };
                }
            }
            if idom[b] != new {
                idom[b] = new;
                changed = true;
            }
        }
    }
    (0..n).map(|b| Some(idom[b]).filter(|&d| d < exit)).collect()
}
