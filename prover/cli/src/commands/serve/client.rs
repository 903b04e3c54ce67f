//! Who asks for proofs, and what they are answered.

use super::queue::Queue;
use crate::commands::jobs::{self, Answer};
use crate::failure::Failure;
use serde_json::Value;
use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::sync::Notify;
use tokio::time::{Instant, timeout_at};

/// Most answers, and bytes of them, that wait for one who need not be waited for.
const MOST: (usize, usize) = (1024, 4 << 20);

/// Answers, and bytes of them, with which no more of a client's lines are read.
const ENOUGH: (usize, usize) = (256, 1 << 20);

/// Characters of an id that a log shows.
const SHOWN: usize = 80;

/// Those who are served now.
#[derive(Default)]
pub(super) struct Clients(Mutex<Vec<Weak<Answers>>>);

/// What takes the answers to the jobs of one input. When the last one who could answer has dropped
/// it, and all is written, its output is closed.
pub(super) struct Client(Arc<Answers>);

/// Answers that wait to be written, by a task that does nothing else.
pub(super) struct Answers {
    state: Mutex<State>,
    changed: Notify,
    /// How long an answer may wait until all of it is written; then its client is dropped.
    patience: Option<Duration>,
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

impl Clients {
    /// Reads jobs into the queue and writes their answers, until both are done or the client can be
    /// answered no more. Whether it was told all; an error of reading.
    pub(super) async fn serve(
        &self,
        input: impl AsyncRead + Unpin,
        output: &mut (impl AsyncWrite + Unpin),
        patience: Option<Duration>,
        queue: &Queue,
    ) -> io::Result<bool> {
        let answers = Arc::new(Answers { state: Mutex::default(), changed: Notify::new(), patience });
        self.add(&answers);
        let client = Arc::new(Client(answers.clone()));
        let reading = super::job::read_jobs(BufReader::new(input), client, queue);
        let (read, told) = tokio::join!(reading, answers.write_all_to(output));
        read.map(|()| told)
    }

    fn add(&self, answers: &Arc<Answers>) {
        let mut clients = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        clients.retain(|client| client.strong_count() > 0);
        clients.push(Arc::downgrade(answers));
    }

    fn answers(&self) -> Vec<Arc<Answers>> {
        let clients = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        clients.iter().filter_map(Weak::upgrade).collect()
    }

    /// Waits until all answers are written, or cannot be.
    pub(super) async fn have_all(&self) {
        for answers in self.answers() {
            answers.until(|state| state.waiting.is_empty().then_some(())).await;
        }
    }

    /// Writes no more, and tells a log what is lost.
    pub(super) fn give_up(&self, why: &str) {
        self.answers().iter().for_each(|answers| answers.give_up(why));
    }
}

impl Client {
    /// Has one line written, and waits for nobody.
    pub(super) fn answer(&self, id: &Value, result: &Result<Answer, Failure>) {
        self.0.push(id, line(id, result));
    }

    /// Waits until so few answers wait that more jobs may be read; whether it can be answered
    /// still.
    pub(super) async fn is_ready(&self) -> bool {
        let ready = |state: &mut State| (state.gone || !state.has(ENOUGH)).then_some(!state.gone);
        self.0.until(ready).await
    }

    /// What comes of this, `None` if the client can be answered no more before it is done.
    pub(super) async fn unless_gone<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        tokio::select! {
            biased;
            () = self.0.until(|state| state.gone.then_some(())) => None,
            done = work => Some(done),
        }
    }

    /// Whether it can be answered no more.
    pub(super) fn is_gone(&self) -> bool {
        self.0.lock().gone
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.complete = true;
        state.log_lost("it is gone");
        self.0.changed.notify_waiters();
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
        self.changed.notify_waiters();
        drop(state);
        if too_many {
            self.give_up("too many answers wait");
        }
    }

    /// Writes answers until no more come; whether all were written.
    async fn write_all_to(&self, output: &mut (impl AsyncWrite + Unpin)) -> bool {
        let first = |state: &mut State| match state.waiting.front() {
            Some(first) => Some(Some((first.line.clone(), first.since))),
            None => (state.gone || state.complete).then_some(None),
        };
        while let Some((line, since)) = self.until(first).await {
            if let Err(error) = self.write(output, &line, since).await {
                self.give_up(&error.to_string());
                break;
            }
            let mut state = self.lock();
            if state.waiting.pop_front().is_some() {
                state.bytes -= line.len();
            }
            self.changed.notify_waiters();
        }
        !self.lock().gone
    }

    async fn write(
        &self,
        output: &mut (impl AsyncWrite + Unpin),
        line: &[u8],
        since: Instant,
    ) -> io::Result<()> {
        let write = async {
            output.write_all(line).await?;
            output.flush().await
        };
        let gone = self.until(|state| state.gone.then_some(()));
        tokio::select! {
            () = gone => Ok(()),
            // Whoever takes a little at times is as slow as one that takes nothing.
            written = async {
                match self.patience {
                    None => write.await,
                    Some(patience) => timeout_at(since + patience, write).await.map_err(|_| unread())?,
                }
            } => written,
        }
    }

    /// Writes no more, and tells a log what is lost.
    fn give_up(&self, why: &str) {
        let mut state = self.lock();
        if !state.gone {
            state.gone = true;
            state.bytes = 0;
            state.lost = state.waiting.drain(..).map(|waiting| waiting.id).collect();
            state.log_lost(why);
        }
        self.changed.notify_waiters();
    }

    /// Waits until this is found in the state.
    async fn until<T>(&self, mut find: impl FnMut(&mut State) -> Option<T>) -> T {
        loop {
            // Changes that follow are seen.
            let changed = self.changed.notified();
            let found = find(&mut self.lock());
            match found {
                Some(found) => return found,
                None => changed.await,
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn unread() -> io::Error {
    io::Error::new(io::ErrorKind::TimedOut, "it leaves answers unread")
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
