//! Instructions of a warp that reach beyond one lane, memory apart.

use super::access::extend;
use super::clock::Actor;
use super::error::FaultKind;
use super::exec::Constants;
use super::program::*;
use super::warp::{BlockContext, LaunchContext, Warp};

/// Lanes of a mask, lowest first.
pub(super) fn each(mask: u32) -> impl Iterator<Item = usize> {
    let mut rest = mask;
    std::iter::from_fn(move || {
        (rest != 0).then(|| {
            let lane = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            lane
        })
    })
}

impl Warp {
    /// Instructions with an effect beyond their own lane. True if it was a strong read that changed
    /// nothing, noted as the last entry of `polled`.
    #[inline(always)]
    pub(super) fn effect(
        &mut self,
        ctx: &LaunchContext<'_>,
        block: &mut BlockContext<'_>,
        k: Constants<'_>,
        mask: u32,
        inst: &Inst,
        line: u32,
    ) -> Result<bool, (FaultKind, u32)> {
        match inst {
            Inst::Special { d, which } => {
                let out = self.special(ctx, block.index, *which);
                self.regs.set32(mask, *d, &out);
            }
            Inst::Param { d, file, offset, bytes, signed } => {
                let mut raw = [0; 8];
                let n = usize::from(*bytes);
                let at = *offset as usize;
                raw[..n].copy_from_slice(&ctx.params[at..at + n]);
                let value = extend(u64::from_le_bytes(raw), *bytes, *signed);
                if *file == File::R64 {
                    self.regs.set64(mask, *d, &[value; LANES]);
                } else {
                    self.regs.set32(mask, *d, &[value as u32; LANES]);
                }
            }
            Inst::LocalBase { d, offset } => {
                let base = self.frames.last().map_or(0, |f| f.local_base);
                self.regs.set64(mask, *d, &[base.wrapping_add(*offset); LANES]);
            }
            Inst::Load(m) => return self.load(ctx, block, k, mask, m, line),
            Inst::Store(m) => {
                self.acted();
                self.store(ctx, block, k, mask, m, line)?;
            }
            Inst::Atomic(m) => return self.atomic(ctx, block, k, mask, m, line),
            Inst::WarpSync { mask: m } => {
                let masks = *self.regs.get32(k, *m);
                self.check_masks(ctx, mask, &masks)?;
                if let Some(race) = block.race.as_deref_mut() {
                    race.warp_sync(block.index, self.index, mask, &masks);
                }
            }
            Inst::Shfl(s) => {
                let masks = *self.regs.get32(k, s.mask);
                self.check_masks(ctx, mask, &masks)?;
                self.shuffle(ctx, k, mask, &masks, s)?;
            }
            Inst::Vote { mode, d, p, negated, mask: m } => {
                let masks = *self.regs.get32(k, *m);
                self.check_masks(ctx, mask, &masks)?;
                let p = self.regs.get_pred(*p) ^ if *negated { u32::MAX } else { 0 };
                let mut ballot = [0; LANES];
                let mut truth = 0;
                for lane in each(mask) {
                    let peers = masks[lane] & mask;
                    let votes = p & peers;
                    ballot[lane] = votes;
                    let yes = match mode {
                        VoteMode::Any | VoteMode::Ballot => votes != 0,
                        VoteMode::All => votes == peers,
                        VoteMode::Uni => votes == 0 || votes == peers,
                    };
                    truth |= u32::from(yes) << lane;
                }
                if *mode == VoteMode::Ballot {
                    self.regs.set32(mask, *d, &ballot);
                } else {
                    self.regs.set_pred(mask, *d, truth);
                }
            }
            Inst::Match { d, a, wide, mask: m } => {
                let masks = *self.regs.get32(k, *m);
                self.check_masks(ctx, mask, &masks)?;
                let values: Lanes64 =
                    if *wide { *self.regs.get64(k, *a) } else { self.regs.get32(k, *a).map(u64::from) };
                let mut out = [0; LANES];
                for lane in each(mask) {
                    out[lane] = each(masks[lane] & mask)
                        .filter(|&other| values[other] == values[lane])
                        .fold(0, |m, other| m | 1 << other);
                }
                self.regs.set32(mask, *d, &out);
            }
            Inst::ActiveMask { d } => self.regs.set32(mask, *d, &[mask; LANES]),
            Inst::Fence { scope } => {
                if let Some(race) = block.race.as_deref_mut() {
                    for lane in each(mask) {
                        race.fence(self.actor(block.index, lane), *scope);
                    }
                }
            }
            Inst::Alu { .. }
            | Inst::Branch { .. }
            | Inst::Call(_)
            | Inst::Ret
            | Inst::Exit
            | Inst::Trap
            | Inst::Barrier { .. } => {}
        }
        Ok(false)
    }

    pub(super) fn actor(&self, block: u32, lane: usize) -> Actor {
        Actor { block, thread: self.index * LANES as u32 + lane as u32 }
    }

    fn special(&self, ctx: &LaunchContext<'_>, block: u32, which: Special) -> Lanes32 {
        let lane = |f: fn(u32) -> u32| std::array::from_fn(|i| f(i as u32));
        match which {
            Special::TidX => std::array::from_fn(|i| self.index * LANES as u32 + i as u32),
            Special::NtidX => [ctx.block; LANES],
            Special::CtaidX => [block; LANES],
            Special::NctaidX => [ctx.grid; LANES],
            Special::LaneId => lane(|i| i),
            Special::WarpId => [self.index; LANES],
            Special::NwarpId => [ctx.block.div_ceil(32); LANES],
            Special::SmId => [block % ctx.multiprocessors.max(1); LANES],
            Special::NsmId => [ctx.multiprocessors; LANES],
            Special::LanemaskEq => lane(|i| 1 << i),
            Special::LanemaskLt => lane(|i| (1 << i) - 1),
            Special::LanemaskLe => lane(|i| u32::MAX >> (31 - i)),
            Special::LanemaskGt => lane(|i| !(u32::MAX >> (31 - i))),
            Special::LanemaskGe => lane(|i| u32::MAX << i),
            Special::DynamicShared => [ctx.dynamic_shared; LANES],
            Special::Zero => [0; LANES],
            Special::One => [1; LANES],
        }
    }

    /// Every lane must be in its own mask, and the lanes that execute with this mask must be its lanes
    /// that have not ended.
    fn check_masks(
        &self,
        ctx: &LaunchContext<'_>,
        executing: u32,
        masks: &Lanes32,
    ) -> Result<(), (FaultKind, u32)> {
        if !ctx.sync_check {
            return Ok(());
        }
        let mut rest = executing;
        while rest != 0 {
            let lane = rest.trailing_zeros();
            let mask = masks[lane as usize];
            let with = each(executing).filter(|&l| masks[l] == mask).fold(0, |m, l| m | 1u32 << l);
            if mask & self.live != with {
                return Err((FaultKind::SyncMask { mask, executing: with }, lane));
            }
            rest &= !with;
        }
        Ok(())
    }

    fn shuffle(
        &mut self,
        ctx: &LaunchContext<'_>,
        k: Constants<'_>,
        mask: u32,
        masks: &Lanes32,
        s: &Shfl,
    ) -> Result<(), (FaultKind, u32)> {
        let (a, b, c) = (*self.regs.get32(k, s.a), *self.regs.get32(k, s.b), *self.regs.get32(k, s.c));
        let mut out = a;
        let mut valid = 0u32;
        for lane in each(mask) {
            let l = lane as u32;
            let clamp = c[lane] & 0x1f;
            let segment = (c[lane] >> 8) & 0x1f;
            let shift = b[lane] & 0x1f;
            let max = (l & segment) | (clamp & !segment);
            let min = l & segment;
            let (source, inside) = match s.mode {
                ShflMode::Up => (l.wrapping_sub(shift), l >= shift && (l - shift) >= max),
                ShflMode::Down => (l + shift, l + shift <= max),
                ShflMode::Bfly => (l ^ shift, (l ^ shift) <= max),
                ShflMode::Idx => {
                    let source = min | (shift & !segment);
                    (source, source <= max)
                }
            };
            if inside {
                let source = (source & 31) as usize;
                if ctx.sync_check && (masks[lane] & mask) >> source & 1 == 0 {
                    return Err((FaultKind::ShuffleSource { source_lane: source as u32 }, l));
                }
                out[lane] = a[source];
                valid |= 1 << lane;
            }
        }
        self.regs.set32(mask, s.d, &out);
        self.regs.set_pred(mask, s.p, valid);
        Ok(())
    }
}
