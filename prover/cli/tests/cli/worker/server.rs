//! A Redis of one test, and workers on it.

use redis::{Connection, FromRedisValue};
use serde_json::Value;
use std::collections::HashMap;
use std::fs::{self, File};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Whether a test without a server fails.
const REQUIRED: &str = "REQUIRE_REDIS";

/// An entry of a stream.
pub(super) type Fields = HashMap<String, String>;

/// Waits until there is what is asked for.
#[track_caller]
pub(super) fn wait<T>(mut ask: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + Duration::from_secs(30);
    loop {
        if let Some(found) = ask() {
            return found;
        }
        assert!(Instant::now() < deadline, "waited in vain");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// A server on a socket in a folder of its own, which keeps nothing.
pub(super) struct Redis {
    child: Child,
    dir: TempDir,
}

impl Redis {
    /// `None`, said aloud, where there is no server.
    pub(super) fn start() -> Option<Self> {
        let required = std::env::var(REQUIRED).is_ok_and(|value| value == "1");
        if let Err(error) = Command::new("redis-server").arg("--version").output() {
            assert!(!required, "{REQUIRED}=1, and redis-server cannot be started: {error}");
            eprintln!("SKIPPED: redis-server cannot be started: {error}");
            return None;
        }
        let dir = TempDir::new().unwrap();
        let redis = Self { child: serve(&dir), dir };
        redis.wait_until_up();
        Some(redis)
    }

    /// Ends without a word to anyone.
    pub(super) fn stop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Begins again, with nothing.
    pub(super) fn start_anew(&mut self) {
        self.child = serve(&self.dir);
        self.wait_until_up();
    }

    fn wait_until_up(&self) {
        wait(|| redis::cmd("PING").exec(&mut self.connect().ok()?).ok());
    }

    pub(super) fn url(&self) -> String {
        format!("unix://{}", socket(&self.dir).display())
    }

    fn connect(&self) -> redis::RedisResult<Connection> {
        redis::Client::open(self.url())?.get_connection()
    }

    /// What the server says to a command.
    #[track_caller]
    pub(super) fn ask<T: FromRedisValue>(&self, words: &[&str]) -> T {
        redis::cmd(words[0]).arg(&words[1..]).query(&mut self.connect().unwrap()).unwrap()
    }

    /// Enqueues a job.
    pub(super) fn add(&self, job: &Value) {
        self.add_text(&job.to_string());
    }

    pub(super) fn add_text(&self, job: &str) {
        let _: String = self.ask(&["XADD", "jobs", "*", "job", job]);
    }

    /// The answer of an id, once it is there.
    #[track_caller]
    pub(super) fn answer(&self, id: &str) -> Value {
        let answer: String = wait(|| self.ask(&["GET", &format!("jobs:result:{id}")]));
        serde_json::from_str(&answer).unwrap()
    }

    pub(super) fn is_answered(&self, id: &str) -> bool {
        self.ask(&["EXISTS", &format!("jobs:result:{id}")])
    }

    /// Waits until no jobs are left.
    #[track_caller]
    pub(super) fn wait_until_done(&self) {
        wait(|| (self.ask::<u64>(&["XLEN", "jobs"]) == 0).then_some(()));
        assert!(self.pending().is_empty());
    }

    /// Of the entries that workers have: consumer and deliveries.
    pub(super) fn pending(&self) -> Vec<(String, u64)> {
        let mut command = redis::cmd("XPENDING");
        command.arg(&["jobs", "provers", "-", "+", "100"]);
        let pending: Vec<(String, String, u64, u64)> = match command.query(&mut self.connect().unwrap()) {
            // The first worker makes the group.
            Err(error) if error.code() == Some("NOGROUP") => Vec::new(),
            pending => pending.unwrap(),
        };
        pending.into_iter().map(|(_, consumer, _, deliveries)| (consumer, deliveries)).collect()
    }

    /// The entries of a stream.
    pub(super) fn entries(&self, stream: &str) -> Vec<Fields> {
        let entries: Vec<(String, Fields)> = self.ask(&["XRANGE", stream, "-", "+"]);
        entries.into_iter().map(|(_, fields)| fields).collect()
    }

    /// How many answers there were for an id.
    pub(super) fn answers(&self, id: &str) -> usize {
        self.entries("jobs:results").iter().filter(|fields| fields["id"] == id).count()
    }

    /// A worker with its name and these options besides.
    pub(super) fn worker(&self, name: &str, options: &[&str]) -> Worker {
        self.worker_after(":", name, options)
    }

    /// One that a shell starts after this command.
    pub(super) fn worker_after(&self, command: &str, name: &str, options: &[&str]) -> Worker {
        let log = self.dir.path().join(format!("{name}.log"));
        // A shell has background jobs ignore SIGINT, and so would whatever a test in one starts.
        let script = format!("{command}; exec env --default-signal=HUP,INT,TERM \"$@\"");
        let mut shell = Command::new("sh");
        shell.args(["-c", &script, "sh", env!("CARGO_BIN_EXE_curvesmith"), "worker"]);
        shell.args(["--redis", &self.url(), "--consumer", name]).args(options);
        shell.env("RAYON_NUM_THREADS", "2");
        let child = shell.stdin(Stdio::null()).stderr(File::create(&log).unwrap()).spawn().unwrap();
        Worker { child, log }
    }
}

impl Drop for Redis {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn socket(dir: &TempDir) -> PathBuf {
    dir.path().join("redis")
}

fn serve(dir: &TempDir) -> Child {
    let mut server = Command::new("redis-server");
    server.args(["--port", "0", "--save", "", "--appendonly", "no", "--daemonize", "no"]);
    server.arg("--unixsocket").arg(socket(dir)).arg("--dir").arg(dir.path());
    server.stdin(Stdio::null()).stdout(Stdio::null()).spawn().unwrap()
}

/// A worker, killed with its test.
pub(super) struct Worker {
    pub(super) child: Child,
    log: PathBuf,
}

impl Worker {
    /// `SIGKILL`.
    pub(super) fn die(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Its end, and what it said.
    pub(super) fn end(&mut self) -> (ExitStatus, String) {
        let status = wait(|| self.child.try_wait().unwrap());
        (status, fs::read_to_string(&self.log).unwrap())
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        if std::thread::panicking() {
            eprintln!("{}:\n{}", self.log.display(), fs::read_to_string(&self.log).unwrap_or_default());
        }
    }
}
