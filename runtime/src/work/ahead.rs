//! Copies ahead of the work on what they bring.

use super::Work;
use crate::error::Result;

/// Runs `count` steps of a call, for each of which values of the host are copied while the step before is
/// worked on. `room` takes device memory for a step, in the order of `work`; `fill` copies to it, beside
/// `work`; `run` submits the step. Room is there for two steps.
pub(crate) fn ahead<R>(
    work: &Work,
    count: usize,
    room: impl Fn(&Work, usize) -> Result<R>,
    fill: impl Fn(&Work, &mut R, usize) -> Result<()>,
    mut run: impl FnMut(&Work, R, usize) -> Result<()>,
) -> Result<()> {
    if count == 0 {
        return Ok(());
    }
    let mut next = Some(room(work, 0)?);
    let copies = work.fork()?;
    for i in 0..count {
        if i == 0 {
            next.iter_mut().try_for_each(|room| copies.stage("upload", |copies| fill(copies, room, 0)))?;
        }
        let Some(filled) = next.take() else { break };
        next = (i + 1 < count).then(|| room(work, i + 1)).transpose()?;
        // It may be memory that the step before the last was done with.
        copies.after(work)?;
        work.after(&copies)?;
        run(work, filled, i)?;
        next.iter_mut().try_for_each(|room| copies.stage("upload", |copies| fill(copies, room, i + 1)))?;
    }
    work.join(copies)
}
