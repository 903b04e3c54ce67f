//! Many clients of one service, some of them of bad manners, and signals at any time. Sizes are
//! those of `CURVESMITH_TEST_SIZE`.

use super::serve::{BLS, BN, Service, job, kill, proven, refused, written_to};
use super::{fixture, verify};
use ark_std::rand::{Rng, SeedableRng, rngs::StdRng};
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The first of two by default, the second in a long run.
fn size(normal: usize, long: usize) -> usize {
    match std::env::var("CURVESMITH_TEST_SIZE").as_deref() {
        Ok("long") => long,
        _ => normal,
    }
}

/// A client with a line at a time.
struct Client {
    stream: UnixStream,
    answers: BufReader<UnixStream>,
}

impl Client {
    /// Comes again for as long as it is told that the service is full.
    fn connect(path: &Path) -> Self {
        loop {
            // Nobody is served sooner for an empty line, and one that is refused is told so.
            let Ok(stream) = UnixStream::connect(path) else {
                std::thread::sleep(Duration::from_millis(20));
                continue;
            };
            stream.set_read_timeout(Some(Duration::from_secs(120))).unwrap();
            let answers = BufReader::new(stream.try_clone().unwrap());
            let mut client = Self { stream, answers };
            if client.send(&json!({})) && client.receive().is_some_and(|answer| answer["kind"] == "input") {
                return client;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn send(&mut self, job: &Value) -> bool {
        self.stream.write_all(format!("{job}\n").as_bytes()).is_ok()
    }

    fn receive(&mut self) -> Option<Value> {
        let mut line = String::new();
        let any = self.answers.read_line(&mut line).is_ok_and(|len| len > 0);
        any.then(|| serde_json::from_str(&line).unwrap())
    }
}

/// Jobs of one client that may be good or bad; each is answered once, as it deserves.
fn ask_for_many(path: &Path, client: usize, jobs: usize) {
    let mut rng = StdRng::seed_from_u64(client as u64);
    let mut connected = Client::connect(path);
    let mut expected = Vec::new();
    for i in 0..jobs {
        let (case, other) = if rng.r#gen() { (BN, BLS) } else { (BLS, BN) };
        let mut job = job(format!("{client}-{i}"), case);
        let kind = rng.gen_range(0..8);
        match kind {
            0 => job["witness"] = "/nonexistent.wtns".into(),
            1 => job["witness"] = fixture(other, "witness.wtns").to_str().into(),
            2 => job["more"] = 1.into(),
            _ => {}
        }
        assert!(connected.send(&job));
        expected.push((job["id"].clone(), case, kind));
    }
    for _ in 0..jobs {
        let answer = connected.receive().unwrap();
        let of =
            expected.iter().position(|(id, ..)| *id == answer["id"]).expect("an answer of its own, once");
        let (_, case, kind) = expected.swap_remove(of);
        match kind {
            0 => refused(&answer, "input", "nonexistent.wtns"),
            1 => refused(&answer, "input", "prime"),
            2 => refused(&answer, "input", "unknown member"),
            _ => {
                let curve = if case == BN { "bn254" } else { "bls12_381" };
                assert_eq!((&answer["ok"], &answer["curve"]), (&json!(true), &json!(curve)), "{answer}");
            }
        }
    }
}

/// Keeps jobs coming and reads a few bytes of their answers at times.
fn drip(path: &Path, done: &AtomicBool) {
    let mut client = Client::connect(path);
    let mut writing = client.stream.try_clone().unwrap();
    writing.set_write_timeout(Some(Duration::from_secs(1))).unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                // A part of a line that is not taken in time ends it.
                if writing.write_all(format!("{}\n", job("drip", BN)).as_bytes()).is_err() {
                    break;
                }
            }
        });
        let mut some = [0; 1300];
        while !done.load(Ordering::Relaxed) && client.answers.read(&mut some).is_ok_and(|len| len > 0) {
            std::thread::sleep(Duration::from_millis(500));
        }
        let _ = client.stream.shutdown(std::net::Shutdown::Both);
    });
}

/// Tells those that go on for ever when the test ends or fails.
struct End<'a>(&'a AtomicBool);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// One that is well-behaved gets each answer in time, whatever others do.
#[test]
fn a_crowd_delays_nobody() {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("socket");
    let mut service = super::serve::socket::start(&path, "cpu");
    let mut log = service.child.stderr.take().unwrap();
    // Nobody may wait for it: it tells of every answer that is lost.
    let log = std::thread::spawn(move || std::io::copy(&mut log, &mut std::io::sink()));
    let ask = |client: &mut Client, case: &str| {
        let asked = Instant::now();
        assert!(client.send(&job(1, case)));
        (client.receive().unwrap(), asked.elapsed())
    };
    let mut observer = Client::connect(&path);
    // Reads the keys.
    [BN, BLS].iter().for_each(|case| proven(&ask(&mut observer, case).0, case));
    let (_, alone) = ask(&mut observer, BN);
    let done = AtomicBool::new(false);
    let mut longest = Duration::ZERO;
    std::thread::scope(|scope| {
        let spawn = |work: Box<dyn FnOnce() + Send>| {
            std::thread::Builder::new().stack_size(256 << 10).spawn_scoped(scope, work).unwrap()
        };
        let _end = End(&done);
        let (path, done) = (&path, &done);
        (0..size(6, 60)).for_each(|_| drop(spawn(Box::new(|| drip(path, done)))));
        let mut others = vec![spawn(Box::new(|| {
            let mut rng = StdRng::seed_from_u64(1);
            for i in 0..size(20, 200) {
                let mut client = Client::connect(path);
                (0..rng.gen_range(1..20)).all(|_| client.send(&job(i as u64, BN)));
                let _ = client.stream.write_all(&b"{\"id\": 1, \"zk"[..rng.gen_range(0..13)]);
            }
        }))];
        others.extend((0..40).map(|i| spawn(Box::new(move || ask_for_many(path, i, size(3, 12))))));
        others.extend((0..size(60, 1000)).map(|i| {
            spawn(Box::new(move || {
                let mut client = Client::connect(path);
                assert!(client.send(&job(i as u64, BN)));
                assert_eq!(client.receive().unwrap()["id"], i as u64);
            }))
        }));
        while !others.iter().all(|thread| thread.is_finished()) {
            let (answer, time) = ask(&mut observer, BN);
            assert_eq!(answer["ok"], true, "{answer}");
            longest = longest.max(time);
            std::thread::sleep(Duration::from_millis(50));
        }
    });
    eprintln!("alone {alone:?}, in the crowd {longest:?} at most");
    assert!(longest < alone + Duration::from_secs(size(10, 1) as u64), "{alone:?} alone, {longest:?}");
    kill(&service.child, "TERM");
    assert_eq!(service.child.wait().unwrap().code(), Some(143));
    log.join().unwrap().unwrap();
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
}

/// A service that is told to end at any time leaves whole files and whole lines.
#[test]
fn a_signal_at_any_time_leaves_nothing_half_done() {
    let mut rng = StdRng::seed_from_u64(7);
    for round in 0..size(12, 120) {
        let (dir, out) = (TempDir::new().unwrap(), TempDir::new().unwrap());
        let path = dir.path().join("socket");
        let mut service: Service = super::serve::socket::start(&path, "cpu");
        let mut stream = UnixStream::connect(&path).unwrap();
        let jobs = [1, 5, 40, 100][round % 4];
        let reading = stream.try_clone().unwrap();
        let answers = std::thread::spawn(move || {
            let whole = |line: &String| serde_json::from_str::<Value>(line).ok();
            let lines = BufReader::new(reading).lines().map_while(Result::ok);
            lines.map(|line| whole(&line).map(|answer| answer["id"].clone())).collect::<Vec<_>>()
        });
        for i in 0..jobs {
            let folder = out.path().join(i.to_string());
            fs::create_dir(&folder).unwrap();
            let mut job = written_to(&folder, BN);
            job["id"] = i.into();
            // It may have ended.
            let _ = stream.write_all(format!("{job}\n").as_bytes());
        }
        std::thread::sleep(Duration::from_millis(rng.gen_range(0..120)));
        kill(&service.child, ["TERM", "INT", "HUP"][round % 3]);
        let at_once = rng.gen_range(0..3) == 0;
        if at_once {
            kill(&service.child, "TERM");
        }
        let code = service.child.wait().unwrap().code();
        assert!([Some(129), Some(130), Some(143)].contains(&code), "{code:?}");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
        let mut ids = answers.join().unwrap();
        // Of one that ends at once the last line may be broken.
        assert!(at_once || ids.iter().all(Option::is_some));
        ids.retain(Option::is_some);
        ids.sort_by_key(|id| id.as_ref().and_then(Value::as_u64));
        let all = ids.len();
        ids.dedup();
        assert_eq!(all, ids.len(), "answered twice");
        for i in 0..jobs {
            let folder = out.path().join(i.to_string());
            match fs::read_dir(&folder).unwrap().count() {
                0 => {}
                2 => assert!(round % 6 != 0 || verify(BN, &folder).status.code() == Some(0)),
                other => panic!("{other} files in {}", folder.display()),
            }
        }
    }
}
