//! Loads, stores and atomics of a warp.

use super::banks;
use super::counts::OpCounts;
use super::decode::{LOCAL_WINDOW, SHARED_WINDOW};
use super::effects::each;
use super::error::{FaultKind, Space};
use super::exec::{Constants, Registers};
use super::program::*;
use super::race::Touch;
use super::warp::{BlockContext, LaunchContext, Polled, Warp};

/// Extends the low `bytes` of a value.
pub(super) fn extend(value: u64, bytes: u8, signed: bool) -> u64 {
    let shift = 64 - 8 * u32::from(bytes);
    if signed { (((value << shift) as i64) >> shift) as u64 } else { (value << shift) >> shift }
}

/// Where an address points once its window is known.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Global,
    Shared,
    Local,
}

impl Place {
    fn space(self) -> Space {
        match self {
            Place::Global => Space::Global,
            Place::Shared => Space::Shared,
            Place::Local => Space::Local,
        }
    }
}

fn resolve(window: Window, address: u64) -> (Place, u64) {
    match window {
        Window::Global => (Place::Global, address),
        Window::Shared => (Place::Shared, address),
        Window::Local => (Place::Local, address),
        Window::Generic if address >= LOCAL_WINDOW => (Place::Local, address - LOCAL_WINDOW),
        Window::Generic if address >= SHARED_WINDOW => (Place::Shared, address - SHARED_WINDOW),
        Window::Generic => (Place::Global, address),
    }
}

fn mix(h: u64, v: u64) -> u64 {
    (h ^ v).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)
}

impl Warp {
    /// Forgets what was read: an effect of this warp makes the next round a new one.
    pub(super) fn acted(&mut self) {
        self.polled.clear();
        self.idle = false;
    }

    fn note_read(&mut self, addresses: u64, values: u64) {
        self.polled.push(Polled { at: (0, NO_PC), addresses, values, counts: OpCounts::default() });
    }

    /// Counts the conflicts of an access, of the lanes whose addresses are in shared memory.
    fn note_banks(&mut self, window: Window, base: &Lanes64, offset: i64, mask: u32, bytes: u32) {
        if matches!(window, Window::Global | Window::Local) {
            return;
        }
        let places = base.map(|base| resolve(window, base.wrapping_add_signed(offset)));
        let shared = each(mask).filter(|lane| places[*lane].0 == Place::Shared);
        let shared = shared.fold(0, |lanes, lane| lanes | 1 << lane);
        self.counts.bank_conflicts += banks::conflicts(&places.map(|place| place.1), shared, bytes);
    }

    #[inline(always)]
    pub(super) fn load(
        &mut self,
        ctx: &LaunchContext<'_>,
        block: &mut BlockContext<'_>,
        k: Constants<'_>,
        mask: u32,
        m: &Access,
        line: u32,
    ) -> Result<bool, (FaultKind, u32)> {
        let base = *self.regs.get64(k, m.base);
        let count = m.data.len();
        let total = u32::from(m.bytes) * count as u32;
        self.note_banks(m.window, &base, m.offset, mask, total);
        // Words of each lane; a vector has at most four elements of at most two words.
        let mut words = [[0u32; LANES]; 8];
        let per_element = if m.bytes == 8 { 2 } else { 1 };
        let plain = m.order == Order::Weak && m.bytes >= 4 && block.race.is_none();
        let fast = plain && {
            let addresses = base.map(|b| b.wrapping_add_signed(m.offset));
            let (global, shared, hint) = (&ctx.global, &*block.shared, &mut self.hint);
            match (m.window, total) {
                (Window::Global, 4) => global.load_lanes::<1>(&addresses, mask, hint, &mut words),
                (Window::Global, 8) => global.load_lanes::<2>(&addresses, mask, hint, &mut words),
                (Window::Global, 16) => global.load_lanes::<4>(&addresses, mask, hint, &mut words),
                (Window::Shared, 4) => shared.load_lanes::<1>(&addresses, mask, &mut words),
                (Window::Shared, 8) => shared.load_lanes::<2>(&addresses, mask, &mut words),
                (Window::Shared, 16) => shared.load_lanes::<4>(&addresses, mask, &mut words),
                _ => false,
            }
        };
        // One by one where lanes differ in allocation, or to say which lane is at fault.
        for lane in each(if fast { 0 } else { mask }) {
            let (place, address) = resolve(m.window, base[lane].wrapping_add_signed(m.offset));
            let at = |kind| (kind, lane as u32);
            let address = self.aligned(ctx, place, address, total).map_err(at)?;
            if let Some(race) = block.race.as_deref_mut() {
                let (actor, space) = (self.actor(block.index, lane), place.space());
                let (order, scope, non_coherent) = (m.order, m.scope, m.non_coherent);
                let touch = Touch { actor, space, address, bytes: total, order, scope, non_coherent, line };
                race.load(touch).map_err(at)?;
            }
            let _single = ctx.global.single(m.order != Order::Weak, m.bytes.into());
            match (place, m.bytes >= 4, total) {
                (Place::Global, true, 4) => {
                    let [v] = ctx.global.load_words(address, m.order, &mut self.hint).map_err(at)?;
                    words[0][lane] = v;
                }
                (Place::Global, true, 8) => {
                    let v: [u32; 2] = ctx.global.load_words(address, m.order, &mut self.hint).map_err(at)?;
                    words[0][lane] = v[0];
                    words[1][lane] = v[1];
                }
                (Place::Global, true, 16) => {
                    let v: [u32; 4] = ctx.global.load_words(address, m.order, &mut self.hint).map_err(at)?;
                    for (w, v) in words.iter_mut().zip(v) {
                        w[lane] = v;
                    }
                }
                (Place::Global, true, _) => {
                    let v: [u32; 8] = ctx.global.load_words(address, m.order, &mut self.hint).map_err(at)?;
                    for (w, v) in words.iter_mut().zip(v) {
                        w[lane] = v;
                    }
                }
                _ => {
                    let step = u32::from(m.bytes).min(4);
                    for (i, w) in words.iter_mut().enumerate().take(count * per_element) {
                        let address = address + u64::from(step) * i as u64;
                        w[lane] = match place {
                            Place::Global => ctx.global.load_narrow(address, step, &mut self.hint),
                            Place::Shared => block.shared.load(address, step),
                            Place::Local => self.local.load(ctx.checks(), lane, address, step),
                        }
                        .map_err(at)?;
                    }
                }
            }
        }
        let strong = m.order != Order::Weak;
        if strong {
            let (mut addresses, mut values) = (u64::from(mask), 0);
            for lane in each(mask) {
                addresses = mix(addresses, base[lane]);
                for w in words.iter().take(count * per_element) {
                    values = mix(values, u64::from(w[lane]));
                }
            }
            self.note_read(addresses, values);
        }
        for (i, &(d, file)) in m.data.iter().enumerate() {
            match (file, m.bytes) {
                (File::R64, 8) => {
                    let (low, high) = (&words[2 * i], &words[2 * i + 1]);
                    let out = std::array::from_fn(|l| u64::from(low[l]) | u64::from(high[l]) << 32);
                    self.regs.set64(mask, d, &out);
                }
                (File::R64, bytes) => {
                    let out = words[i].map(|w| extend(u64::from(w), bytes, m.signed));
                    self.regs.set64(mask, d, &out);
                }
                (_, 4) => self.regs.set32(mask, d, &words[i]),
                (_, bytes) => {
                    let out = words[i].map(|w| extend(u64::from(w), bytes, m.signed) as u32);
                    self.regs.set32(mask, d, &out);
                }
            }
        }
        Ok(strong)
    }

    /// Checks alignment; with checks off, rounds down as the hardware would not.
    fn aligned(
        &self,
        ctx: &LaunchContext<'_>,
        place: Place,
        address: u64,
        bytes: u32,
    ) -> Result<u64, FaultKind> {
        if address & u64::from(bytes - 1) == 0 {
            return Ok(address);
        }
        if ctx.checks().memory {
            return Err(FaultKind::Misaligned { space: place.space(), address, bytes });
        }
        Ok(address & !u64::from(bytes - 1))
    }

    #[inline(always)]
    pub(super) fn store(
        &mut self,
        ctx: &LaunchContext<'_>,
        block: &mut BlockContext<'_>,
        k: Constants<'_>,
        mask: u32,
        m: &Access,
        line: u32,
    ) -> Result<(), (FaultKind, u32)> {
        let base = *self.regs.get64(k, m.base);
        let count = m.data.len();
        let total = u32::from(m.bytes) * count as u32;
        self.note_banks(m.window, &base, m.offset, mask, total);
        let per_element = if m.bytes == 8 { 2 } else { 1 };
        let mut words = [[0u32; LANES]; 8];
        for (i, &(r, file)) in m.data.iter().enumerate() {
            match (file, m.bytes) {
                (File::R64, 8) => {
                    let v = self.regs.get64(k, r);
                    words[2 * i] = v.map(|v| v as u32);
                    words[2 * i + 1] = v.map(|v| (v >> 32) as u32);
                }
                (File::R64, _) => words[i] = self.regs.get64(k, r).map(|v| v as u32),
                _ => words[i] = *self.regs.get32(k, r),
            }
        }
        if let Some(race) = block.race.as_deref_mut() {
            race.store_begins();
        }
        let zero = ctx.zero_stores && m.window != Window::Shared;
        let plain = m.order == Order::Weak && m.bytes >= 4 && block.race.is_none();
        let fast = plain && !zero && {
            let addresses = base.map(|b| b.wrapping_add_signed(m.offset));
            let (global, shared, hint) = (&ctx.global, &mut *block.shared, &mut self.hint);
            match (m.window, total) {
                (Window::Global, 4) => global.store_lanes::<1>(&addresses, mask, hint, &words),
                (Window::Global, 8) => global.store_lanes::<2>(&addresses, mask, hint, &words),
                (Window::Global, 16) => global.store_lanes::<4>(&addresses, mask, hint, &words),
                (Window::Shared, 4) => shared.store_lanes::<1>(&addresses, mask, &words),
                (Window::Shared, 8) => shared.store_lanes::<2>(&addresses, mask, &words),
                (Window::Shared, 16) => shared.store_lanes::<4>(&addresses, mask, &words),
                _ => false,
            }
        };
        for lane in each(if fast { 0 } else { mask }) {
            let (place, address) = resolve(m.window, base[lane].wrapping_add_signed(m.offset));
            let at = |kind| (kind, lane as u32);
            let address = self.aligned(ctx, place, address, total).map_err(at)?;
            if let Some(race) = block.race.as_deref_mut() {
                let (actor, space) = (self.actor(block.index, lane), place.space());
                let (order, scope, non_coherent) = (m.order, m.scope, false);
                let value = std::array::from_fn(|i| words[i][lane]);
                let touch = Touch { actor, space, address, bytes: total, order, scope, non_coherent, line };
                race.store(touch, value).map_err(at)?;
            }
            if place == Place::Global && ctx.zero_stores {
                for w in &mut words {
                    w[lane] = 0;
                }
            }
            let hint = &mut self.hint;
            let _single = ctx.global.single(m.order != Order::Weak, m.bytes.into());
            let w = |i: usize| words[i][lane];
            match (place, m.bytes >= 4, total) {
                (Place::Global, true, 4) => ctx.global.store_words(address, [w(0)], m.order, hint),
                (Place::Global, true, 8) => ctx.global.store_words(address, [w(0), w(1)], m.order, hint),
                (Place::Global, true, 16) => {
                    ctx.global.store_words(address, [w(0), w(1), w(2), w(3)], m.order, hint)
                }
                (Place::Global, true, _) => {
                    ctx.global.store_words::<8>(address, std::array::from_fn(w), m.order, hint)
                }
                _ => {
                    let step = u32::from(m.bytes).min(4);
                    (0..count * per_element).try_for_each(|i| {
                        let address = address + u64::from(step) * i as u64;
                        match place {
                            Place::Global => ctx.global.store_narrow(address, step, w(i), hint),
                            Place::Shared => block.shared.store(address, step, w(i)),
                            Place::Local => self.local.store(ctx.checks(), lane, address, step, w(i)),
                        }
                    })
                }
            }
            .map_err(at)?;
        }
        Ok(())
    }

    pub(super) fn atomic(
        &mut self,
        ctx: &LaunchContext<'_>,
        block: &mut BlockContext<'_>,
        k: Constants<'_>,
        mask: u32,
        m: &Atomic,
        line: u32,
    ) -> Result<bool, (FaultKind, u32)> {
        let base = *self.regs.get64(k, m.base);
        let wide = m.file == File::R64;
        let operand = |regs: &Registers, r: u32| -> Lanes64 {
            if r == SINK {
                [0; LANES]
            } else if wide {
                *regs.get64(k, r)
            } else {
                regs.get32(k, r).map(u64::from)
            }
        };
        let (b, c) = (operand(&self.regs, m.b), operand(&self.regs, m.c));
        let bytes = if wide { 8 } else { 4 };
        self.note_banks(m.window, &base, m.offset, mask, bytes);
        let mut out = [0u64; LANES];
        let mut changed = false;
        let (mut addresses, mut values) = (u64::from(mask), 0);
        for lane in each(mask) {
            let (place, address) = resolve(m.window, base[lane].wrapping_add_signed(m.offset));
            let at = |kind| (kind, lane as u32);
            let address = self.aligned(ctx, place, address, bytes).map_err(at)?;
            if let Some(race) = block.race.as_deref_mut() {
                let (actor, space) = (self.actor(block.index, lane), place.space());
                let (order, scope, non_coherent) = (m.order, m.scope, false);
                let touch = Touch { actor, space, address, bytes, order, scope, non_coherent, line };
                race.atomic(touch).map_err(at)?;
            }
            let zero = ctx.zero_stores && place == Place::Global;
            let apply = |old: u64| if zero { 0 } else { combine(m.op, wide, old, b[lane], c[lane]) };
            let hint = &mut self.hint;
            let _single = ctx.global.single(place == Place::Global, bytes);
            let old = match (place, wide) {
                (Place::Global, false) => {
                    ctx.global.update(address, hint, |v| apply(u64::from(v)) as u32).map(u64::from)
                }
                (Place::Global, true) => (|| {
                    let [low, high] = ctx.global.load_words(address, Order::Acquire, hint)?;
                    let old = u64::from(low) | u64::from(high) << 32;
                    let new = apply(old);
                    ctx.global.store_words(
                        address,
                        [new as u32, (new >> 32) as u32],
                        Order::Release,
                        hint,
                    )?;
                    Ok(old)
                })(),
                (Place::Shared, _) => (|| {
                    let mut old = u64::from(block.shared.load(address, 4)?);
                    if wide {
                        old |= u64::from(block.shared.load(address + 4, 4)?) << 32;
                    }
                    let new = apply(old);
                    block.shared.store(address, 4, new as u32)?;
                    if wide {
                        block.shared.store(address + 4, 4, (new >> 32) as u32)?;
                    }
                    Ok(old)
                })(),
                (Place::Local, _) => Err(FaultKind::OutOfBounds { space: Space::Local, address, bytes }),
            }
            .map_err(at)?;
            changed |= apply(old) != old;
            out[lane] = old;
            addresses = mix(addresses, base[lane]);
            values = mix(values, old);
        }
        if wide {
            self.regs.set64(mask, m.d, &out);
        } else {
            self.regs.set32(mask, m.d, &out.map(|v| v as u32));
        }
        if changed {
            self.acted();
            return Ok(false);
        }
        self.note_read(addresses, values);
        Ok(true)
    }
}

/// The new value of an atomic; 32-bit operands are zero-extended.
fn combine(op: AtomOp, wide: bool, old: u64, b: u64, c: u64) -> u64 {
    let signed = |v: u64| if wide { v as i64 } else { i64::from(v as u32 as i32) };
    let out = match op {
        AtomOp::Add => old.wrapping_add(b),
        AtomOp::MinU => old.min(b),
        AtomOp::MaxU => old.max(b),
        AtomOp::MinS => signed(old).min(signed(b)) as u64,
        AtomOp::MaxS => signed(old).max(signed(b)) as u64,
        AtomOp::Exch => b,
        AtomOp::Cas => {
            if old == b {
                c
            } else {
                old
            }
        }
        AtomOp::And => old & b,
        AtomOp::Or => old | b,
        AtomOp::Xor => old ^ b,
        AtomOp::Inc => {
            if old >= b {
                0
            } else {
                old + 1
            }
        }
        AtomOp::Dec => {
            if old == 0 || old > b {
                b
            } else {
                old - 1
            }
        }
    };
    if wide { out } else { u64::from(out as u32) }
}
