//! The way through a loop that its work takes, in machine code.

use super::sass::{Counts, Line, is_predicated, opcode, target};
use std::collections::{BTreeMap, BTreeSet};

/// Instructions without a branch among them, but at the end.
#[derive(Debug, Default)]
struct Block {
    counts: Counts,
    /// Barrier register and block where its threads meet: `BSSY B0, ...`.
    meets: Vec<(String, usize)>,
    next: Vec<usize>,
    /// `BSYNC B0`: goes on where the last `BSSY` of that register said.
    sync: Option<String>,
    calls: Vec<usize>,
}

/// One turn of the loop that does the most multiplication: the cheapest way from the block with the
/// most wide products back to it. Arms that this way avoids (an identity, equal points, the end of a
/// run) are not in it. A call counts the whole of what it calls.
///
/// `Err` says why it cannot be read off.
pub(super) fn turn(lines: &[Line]) -> Result<Counts, String> {
    let mut blocks = cut(lines)?;
    resolve(&mut blocks)?;
    let bodies: Vec<Counts> = (0..blocks.len()).map(|i| weight(&blocks, i)).collect();
    let ways = (0..blocks.len()).filter_map(|i| Some((i, cycle(&blocks, &bodies, i)?)));
    let hottest = ways.max_by_key(|(i, _)| bodies[*i].wide);
    hottest.map(|(_, counts)| counts).ok_or_else(|| "it has no loop".to_owned())
}

/// Blocks in text order, with their successors but for `BSYNC`.
fn cut(lines: &[Line]) -> Result<Vec<Block>, String> {
    let mut starts = BTreeMap::new();
    let mut texts: Vec<Vec<&str>> = vec![vec![]];
    for line in lines {
        match line {
            Line::Label(label) => {
                if texts.last().is_some_and(|block| !block.is_empty()) {
                    texts.push(vec![]);
                }
                starts.insert(label.as_str(), texts.len() - 1);
            }
            Line::Instruction(text) => {
                texts.last_mut().expect("there is always one").push(text);
                if ends(text) {
                    texts.push(vec![]);
                }
            }
        }
    }
    let at = |text: &str| {
        let label = target(text).ok_or_else(|| format!("`{text}` names no target"))?;
        starts.get(label).copied().ok_or_else(|| format!("`{text}` goes to an unknown label"))
    };
    let count = texts.len();
    texts.iter().enumerate().map(|(i, text)| block(text, i, count, &at)).collect()
}

/// Whether an instruction can go elsewhere than to the next.
fn ends(text: &str) -> bool {
    matches!(base(text), "BRA" | "BRX" | "JMP" | "EXIT" | "RET" | "BSYNC")
}

fn base(text: &str) -> &str {
    opcode(text).split('.').next().unwrap_or_default()
}

fn block(
    text: &[&str],
    index: usize,
    count: usize,
    at: &impl Fn(&str) -> Result<usize, String>,
) -> Result<Block, String> {
    let mut block = Block::default();
    let mut falls = true;
    for line in text {
        block.counts.add(opcode(line));
        match base(line) {
            "BRX" | "JMP" => return Err(format!("`{line}` goes to a computed place")),
            "CALL" => block.calls.push(at(line)?),
            "BSSY" => block.meets.push((barrier(line)?, at(line)?)),
            "BRA" => block.next.push(at(line)?),
            "BSYNC" => block.sync = Some(barrier(line)?),
            _ => {}
        }
        // `BRA.DIV` is taken where lanes have parted.
        let conditional = is_predicated(line) || opcode(line).contains(".DIV");
        falls &= !ends(line) || conditional;
    }
    if falls && index + 1 < count {
        block.next.push(index + 1);
    }
    Ok(block)
}

/// `B3` of `BSSY B3, ...` and `BSYNC B3`.
fn barrier(text: &str) -> Result<String, String> {
    let words = text.split([' ', ',', ';']).filter(|word| !word.is_empty());
    let is_barrier = |word: &&str| word.strip_prefix('B').is_some_and(|n| n.parse::<u32>().is_ok());
    words.into_iter().find(is_barrier).map(str::to_owned).ok_or_else(|| format!("`{text}` names no barrier"))
}

/// Gives `BSYNC` its successors: where the `BSSY`s that reach it have their threads meet.
fn resolve(blocks: &mut [Block]) -> Result<(), String> {
    type Meets = BTreeSet<(String, usize)>;
    let mut entry: Vec<Option<Meets>> = vec![None; blocks.len()];
    let mut work: Vec<(usize, Meets)> = vec![(0, Meets::new())];
    work.extend(blocks.iter().flat_map(|b| &b.calls).map(|callee| (*callee, Meets::new())));
    while let Some((i, incoming)) = work.pop() {
        let fresh = entry[i].is_none();
        let known = entry[i].get_or_insert_with(Meets::new);
        let before = known.len();
        known.extend(incoming);
        if !fresh && known.len() == before {
            continue;
        }
        let mut state = known.clone();
        for (register, to) in &blocks[i].meets {
            state.retain(|(r, _)| r != register);
            state.insert((register.clone(), *to));
        }
        if let Some(register) = blocks[i].sync.clone() {
            let places: Vec<usize> =
                state.iter().filter(|(r, _)| *r == register).map(|(_, to)| *to).collect();
            for place in places {
                if !blocks[i].next.contains(&place) {
                    blocks[i].next.push(place);
                }
            }
        }
        work.extend(blocks[i].next.iter().map(|next| (*next, state.clone())));
    }
    let lost = blocks.iter().zip(&entry).find(|(b, e)| e.is_some() && b.sync.is_some() && b.next.is_empty());
    lost.map_or(Ok(()), |(b, _)| Err(format!("BSYNC {} has no BSSY", b.sync.as_deref().unwrap_or_default())))
}

/// A block's instructions and all that its calls execute.
fn weight(blocks: &[Block], i: usize) -> Counts {
    let mut sum = blocks[i].counts.clone();
    for &callee in &blocks[i].calls {
        for j in reachable(blocks, callee) {
            sum += blocks[j].counts.clone();
        }
    }
    sum
}

fn reachable(blocks: &[Block], from: usize) -> BTreeSet<usize> {
    let (mut seen, mut work) = (BTreeSet::new(), vec![from]);
    while let Some(i) = work.pop() {
        if seen.insert(i) {
            work.extend(blocks[i].next.iter().chain(&blocks[i].calls));
        }
    }
    seen
}

/// The least instructions from a block back to it; `None` where there is no way.
fn cycle(blocks: &[Block], bodies: &[Counts], start: usize) -> Option<Counts> {
    let mut best: Vec<Option<u32>> = vec![None; blocks.len()];
    let mut from = vec![start; blocks.len()];
    let mut queue: BTreeSet<(u32, usize, usize)> =
        blocks[start].next.iter().map(|&next| (0, next, start)).collect();
    while let Some((cost, i, before)) = queue.pop_first() {
        if best[i].is_some() {
            continue;
        }
        best[i] = Some(cost);
        from[i] = before;
        if i == start {
            return Some(way(&from, bodies, start));
        }
        let cost = cost + bodies[i].total;
        queue.extend(blocks[i].next.iter().map(|&next| (cost, next, i)));
    }
    None
}

fn way(from: &[usize], bodies: &[Counts], start: usize) -> Counts {
    let mut sum = bodies[start].clone();
    let mut i = from[start];
    while i != start {
        sum += bodies[i].clone();
        i = from[i];
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `name:` is a label, everything else an instruction.
    fn lines(text: &str) -> Vec<Line> {
        let line = |line: &str| match line.strip_suffix(':') {
            Some(label) => Line::Label(label.to_owned()),
            None => Line::Instruction(line.to_owned()),
        };
        text.lines().map(str::trim).filter(|l| !l.is_empty()).map(line).collect()
    }

    const WIDE: &str = "IMAD.WIDE.U32 R2, R5, R6, R2 ;\n";

    #[test]
    fn a_turn_avoids_the_arms() {
        let code = format!(
            "MOV R1, R2 ;
            .L_head:
            LDG.E R0, desc[UR4][R2.64] ;
            @P0 BRA `(.L_next) ;
            {WIDE}{WIDE}
            BSSY B0, `(.L_meet) ;
            @P1 BRA `(.L_rare) ;
            {WIDE}{WIDE}{WIDE}
            BSYNC B0 ;
            .L_rare:
            {WIDE}{WIDE}
            BSYNC B0 ;
            .L_meet:
            IADD3 R1, R1, 0x1, RZ ;
            .L_next:
            @P2 BRA `(.L_head) ;
            EXIT ;"
        );
        let turn = turn(&lines(&code)).expect("the loop can be read");
        let expected = Counts { total: 12, wide: 5, alu: 1, global: 1, control: 5, ..Counts::default() };
        assert_eq!(turn, expected);
    }

    #[test]
    fn a_call_counts_what_it_calls() {
        let code = format!(
            ".L_head:
            CALL.REL.NOINC `($f) ;
            @P2 BRA `(.L_head) ;
            EXIT ;
            $f:
            {WIDE}{WIDE}
            RET.REL.NODEC R4 `(k) ;"
        );
        let turn = turn(&lines(&code)).expect("the loop can be read");
        assert_eq!((turn.total, turn.wide), (5, 2));
    }

    #[test]
    fn the_loop_with_the_multiplications_is_taken() {
        let code = format!(
            ".L_a:
            IADD3 R1, R1, 0x1, RZ ;
            @P0 BRA `(.L_a) ;
            .L_b:
            {WIDE}
            @P0 BRA `(.L_b) ;
            EXIT ;"
        );
        assert_eq!(turn(&lines(&code)).map(|t| (t.total, t.wide)), Ok((2, 1)));
    }

    #[test]
    fn what_cannot_be_read_is_said() {
        let reason = |text: &str| turn(&lines(text)).expect_err("it is refused");
        assert_eq!(reason("EXIT ;"), "it has no loop");
        assert!(reason("BRX R2 -0x10 ;").contains("computed place"));
        assert!(reason("BRA `(.L_nowhere) ;").contains("unknown label"));
        assert!(reason(".L_a:\nBSYNC B0 ;\nBRA `(.L_a) ;").contains("no BSSY"));
    }
}
