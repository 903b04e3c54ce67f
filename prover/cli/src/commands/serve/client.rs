//! Who asks for proofs, and what they are answered.

use crate::commands::jobs::{self, Answer};
use crate::failure::Failure;
use serde_json::Value;
use std::collections::VecDeque;
use std::io::{self, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Most answers, and bytes of them, that wait for one who need not be waited for.
const MOST: (usize, usize) = (1024, 4 << 20);

/// Answers, and bytes of them, with which no more of a client's lines are read.
const ENOUGH: (usize, usize) = (256, 1 << 20);

/// Bytes of the stacks of a client's threads, which read and write lines.
pub(super) const STACK: usize = 256 << 10;

/// Characters of an id that a log shows.
const SHOWN: usize = 80;

/// What takes the answers to the jobs of one input. When the last one who could answer has dropped
/// it, and all is written, its output is closed.
pub(super) struct Client(Arc<Answers>);

/// Answers that wait to be written, by a thread that does nothing else.
pub(super) struct Answers {
    state: Mutex<State>,
    changed: Condvar,
    /// How long an answer may wait until all of it is written; then its client is dropped.
    patience: Option<Duration>,
    /// Ends all that goes on with the client.
    cut: Box<dyn Fn() + Send + Sync>,
}

#[derive(Default)]
struct State {
    /// The first one is being written.
    waiting: VecDeque<Waiting>,
    bytes: usize,
    /// No more will come.
    complete: bool,
    /// Nothing can be written any more: the rest of a broken line must not look like an answer.
    gone: bool,
    /// What it did not get and no log has told of.
    lost: Vec<String>,
}

struct Waiting {
    id: String,
    line: Arc<[u8]>,
    since: Instant,
}

impl Client {
    /// Starts the thread that writes to `output`; `cut` ends all use of it, and `place` is dropped
    /// when it is not used any more.
    ///
    /// With a patience, writing has to return after a time much shorter than that.
    pub(super) fn start<O>(
        output: Arc<O>,
        patience: Option<Duration>,
        cut: impl Fn() + Send + Sync + 'static,
        place: impl Send + 'static,
    ) -> io::Result<Self>
    where
        O: Send + Sync + 'static,
        for<'a> &'a O: Write,
    {
        let (state, changed) = (Mutex::default(), Condvar::new());
        let answers = Arc::new(Answers { state, changed, patience, cut: Box::new(cut) });
        std::thread::Builder::new().name("answers".into()).stack_size(STACK).spawn({
            let answers = answers.clone();
            move || {
                answers.write_all_to(&*output);
                drop(place);
            }
        })?;
        Ok(Self(answers))
    }

    /// Has one line written, and waits for nobody.
    pub(super) fn answer(&self, id: &Value, result: &Result<Answer, Failure>) {
        self.0.push(id, line(id, result));
    }

    /// Waits until so few answers wait that more jobs may be read; whether it can be answered
    /// still.
    pub(super) fn is_ready(&self) -> bool {
        let full = |state: &mut State| !state.gone && state.has(ENOUGH);
        let answers = &self.0;
        !answers.changed.wait_while(answers.lock(), full).unwrap_or_else(PoisonError::into_inner).gone
    }

    /// Whether it can be answered no more.
    pub(super) fn is_gone(&self) -> bool {
        self.0.lock().gone
    }

    /// What waits to be written.
    pub(super) fn answers(&self) -> &Arc<Answers> {
        &self.0
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.complete = true;
        state.log_lost("it is gone");
        self.0.changed.notify_all();
    }
}

impl Answers {
    fn push(&self, id: &Value, line: String) {
        let shown = id.to_string().chars().take(SHOWN).collect();
        let mut state = self.lock();
        if state.gone {
            state.lost.push(shown);
            return;
        }
        state.bytes += line.len();
        // One alone may be as long as it likes.
        let too_many = self.patience.is_some() && !state.waiting.is_empty() && state.has(MOST);
        state.waiting.push_back(Waiting { id: shown, line: line.into_bytes().into(), since: Instant::now() });
        self.changed.notify_all();
        drop(state);
        if too_many {
            self.give_up("too many answers wait");
        }
    }

    fn write_all_to<O>(&self, output: &O)
    where
        for<'a> &'a O: Write,
    {
        loop {
            let idle = |state: &mut State| state.waiting.is_empty() && !state.gone && !state.complete;
            let mut state =
                self.changed.wait_while(self.lock(), idle).unwrap_or_else(PoisonError::into_inner);
            let Some((line, since)) = state.waiting.front().map(|first| (first.line.clone(), first.since))
            else {
                state.gone = true;
                break;
            };
            drop(state);
            if let Err(error) = self.write(output, &line, since) {
                return self.give_up(&error.to_string());
            }
            let mut state = self.lock();
            if state.waiting.pop_front().is_some() {
                state.bytes -= line.len();
            }
            self.changed.notify_all();
        }
        (self.cut)();
    }

    fn write<O>(&self, mut output: &O, mut line: &[u8], since: Instant) -> io::Result<()>
    where
        for<'a> &'a O: Write,
    {
        while !line.is_empty() {
            // Whoever takes a little at times is as slow as one that takes nothing.
            if self.patience.is_some_and(|patience| since.elapsed() > patience) {
                return Err(io::Error::new(io::ErrorKind::TimedOut, "it leaves answers unread"));
            }
            match output.write(line) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(len) => line = &line[len..],
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock && self.patience.is_some() => {}
                Err(error) => return Err(error),
            }
        }
        output.flush()
    }

    /// Waits until all is written or cannot be, for some time; whether that is so.
    pub(super) fn are_done_within(&self, time: Duration) -> bool {
        let busy = |state: &mut State| !state.waiting.is_empty();
        let waited = self.changed.wait_timeout_while(self.lock(), time, busy);
        !waited.unwrap_or_else(PoisonError::into_inner).1.timed_out()
    }

    /// Writes no more, and tells a log what is lost.
    pub(super) fn give_up(&self, why: &str) {
        let mut state = self.lock();
        if !state.gone {
            state.gone = true;
            state.bytes = 0;
            state.lost = state.waiting.drain(..).map(|waiting| waiting.id).collect();
            state.log_lost(why);
        }
        self.changed.notify_all();
        drop(state);
        (self.cut)();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn has(&self, (answers, bytes): (usize, usize)) -> bool {
        self.waiting.len() >= answers || self.bytes >= bytes
    }

    fn log_lost(&mut self, why: &str) {
        if !self.lost.is_empty() {
            let ids = std::mem::take(&mut self.lost).join(" ");
            tracing::warn!(%why, %ids, "a client takes no more answers");
        }
    }
}

/// An answer as it is written.
pub(super) fn line(id: &Value, result: &Result<Answer, Failure>) -> String {
    let mut line = jobs::answer_text(id, result);
    line.push('\n');
    line
}
