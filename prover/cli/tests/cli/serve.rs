//! `serve`: jobs in, answers out, whatever comes between.

use super::{curvesmith, fixture, verify};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tempfile::TempDir;

pub(super) const BN: &str = "bn128_mult";
pub(super) const BLS: &str = "bls12381_mult";

/// A service whose answers a thread collects.
pub(super) struct Service {
    pub(super) child: Child,
    input: Option<ChildStdin>,
    answers: std::sync::mpsc::Receiver<Value>,
}

impl Service {
    fn start(options: &[&str]) -> Self {
        // A shell has background jobs ignore SIGINT, and so would whatever a test in one starts.
        let mut child = Command::new("env")
            .args(["--default-signal=HUP,INT,TERM", env!("CARGO_BIN_EXE_curvesmith"), "serve"])
            .args(options)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let (sender, answers) = std::sync::mpsc::channel();
        let output = BufReader::new(child.stdout.take().unwrap());
        std::thread::spawn(move || {
            for line in output.lines() {
                sender.send(serde_json::from_str(&line.unwrap()).unwrap()).unwrap();
            }
        });
        Service { input: child.stdin.take(), child, answers }
    }

    fn send(&mut self, line: &str) {
        let input = self.input.as_mut().unwrap();
        input.write_all(format!("{line}\n").as_bytes()).unwrap();
    }

    #[track_caller]
    fn answer(&self) -> Value {
        self.answers.recv_timeout(Duration::from_secs(120)).unwrap()
    }

    /// Sends one job and waits for its answer.
    #[track_caller]
    fn ask(&mut self, job: &Value) -> Value {
        self.send(&job.to_string());
        let answer = self.answer();
        assert_eq!(answer["id"], job["id"]);
        answer
    }

    /// Ends its input and waits for its end: the answers that were left, the code and the errors.
    fn finish(mut self) -> (Vec<Value>, Option<i32>, String) {
        drop(self.input.take());
        let answers = self.answers.iter().collect();
        let output = self.child.wait_with_output().unwrap();
        (answers, output.status.code(), String::from_utf8(output.stderr).unwrap())
    }
}

pub(super) fn job(id: impl Into<Value>, case: &str) -> Value {
    let files = ["circuit.zkey", "witness.wtns"].map(|file| fixture(case, file));
    json!({ "id": id.into(), "zkey": files[0], "witness": files[1] })
}

/// The answer holds a valid proof of the fixture.
#[track_caller]
pub(super) fn proven(answer: &Value, case: &str) {
    assert_eq!(answer["ok"], true, "{answer}");
    let dir = TempDir::new().unwrap();
    for name in ["proof", "public"] {
        fs::write(dir.path().join(format!("{name}.json")), answer[name].to_string()).unwrap();
    }
    assert_eq!(verify(case, dir.path()).status.code(), Some(0), "{answer}");
    assert!(answer["prove_s"].as_f64().unwrap() > 0.0);
    assert_eq!(answer["curve"], if case == BN { "bn254" } else { "bls12_381" });
}

#[track_caller]
pub(super) fn refused(answer: &Value, kind: &str, message: &str) {
    assert_eq!((&answer["ok"], &answer["kind"]), (&json!(false), &json!(kind)), "{answer}");
    let error = answer["error"].as_str().unwrap();
    assert!(error.contains(message) && error.lines().count() == 1, "{error:?} has no {message:?}");
}

#[test]
fn good_and_bad_jobs_of_two_keys_are_answered() {
    for device in ["cpu", "emulator"] {
        let files = TempDir::new().unwrap();
        let mut wrong = fs::read(fixture(BN, "witness.wtns")).unwrap();
        let last = wrong.len() - 32;
        wrong[last] ^= 1;
        fs::write(files.path().join("wrong.wtns"), wrong).unwrap();
        let mut service = Service::start(&["--device", device]);
        let mut invalid = job("invalid", BN);
        invalid["witness"] = files.path().join("wrong.wtns").to_str().into();
        let mut other_curve = job(-7, BN);
        other_curve["witness"] = fixture(BLS, "witness.wtns").to_str().into();
        let mut missing = job("missing", BN);
        missing["zkey"] = "/nonexistent.zkey".into();
        let mut written = job("written", BN);
        for name in ["proof", "public"] {
            written[name] = files.path().join(format!("{name}.json")).to_str().into();
        }
        let jobs = [
            job(1, BN),
            invalid,
            job("two", BLS),
            other_curve,
            missing,
            written,
            job(u64::MAX, BLS),
            job(3, BN),
        ];
        service.send(&jobs.each_ref().map(Value::to_string).join("\n"));
        let (answers, code, errors) = service.finish();
        assert_eq!((code, answers.len()), (Some(0), jobs.len()), "{errors}");
        let of = |id: Value| answers.iter().find(|answer| answer["id"] == id).unwrap();
        proven(of(1.into()), BN);
        proven(of(3.into()), BN);
        proven(of("two".into()), BLS);
        proven(of(u64::MAX.into()), BLS);
        refused(of("invalid".into()), "invalid", "witness or key at fault");
        refused(of((-7).into()), "input", "witness.wtns: section 1 (header)");
        refused(of("missing".into()), "input", "/nonexistent.zkey: No such file");
        let written = of("written".into());
        assert_eq!(written["ok"], true);
        assert!(written.get("proof").is_none() && written.get("public").is_none(), "{written}");
        assert_eq!(verify(BN, files.path()).status.code(), Some(0));
        assert_eq!(fs::read_dir(files.path()).unwrap().count(), 3);
        // What waited while the first key was read is proven together.
        assert_eq!(of(3.into())["batch"], 5, "{answers:?}");
    }
}

/// Two devices take jobs in turn, one key's as well as several keys', and neither takes all that wait.
#[test]
fn jobs_go_to_every_device() {
    let mut service = Service::start(&["--device", "cpu", "--device", "emulator"]);
    let jobs: Vec<String> = (0..16).map(|i| job(i, if i < 10 { BN } else { BLS }).to_string()).collect();
    service.send(&jobs.join("\n"));
    let (answers, code, errors) = service.finish();
    assert_eq!((code, answers.len()), (Some(0), jobs.len()), "{errors}");
    let mut devices = BTreeMap::new();
    for answer in &answers {
        assert!(answer["batch"].as_u64().unwrap() <= 5, "half of what waits for a key: {answer}");
        proven(answer, if answer["id"].as_u64().unwrap() < 10 { BN } else { BLS });
        *devices.entry(answer["device"].as_str().unwrap()).or_insert(0) += 1;
    }
    assert_eq!(devices.keys().collect::<Vec<_>>(), [&"cpu", &"emulator"], "{devices:?}");
    let missing = Service::start(&["--device", "cpu", "--device", "cuda:4096"]);
    let (answers, code, errors) = missing.finish();
    assert_eq!((answers.len(), code), (0, Some(3)), "{errors}");
    assert!(errors.contains("cuda:4096"), "{errors}");
}

/// Several batches of a device, each with its share of what waits, with less room for keys than there are
/// keys.
#[test]
fn batches_of_a_device_run_side_by_side() {
    for options in [
        &["--device", "cpu", "--batches", "3"][..],
        &["--device", "emulator", "--batches", "2", "--keys", "1"],
    ] {
        let mut service = Service::start(options);
        let jobs: Vec<String> =
            (0..12).map(|i| job(i, if i % 4 < 3 { BN } else { BLS }).to_string()).collect();
        service.send(&jobs.join("\n"));
        let (answers, code, errors) = service.finish();
        assert_eq!((code, answers.len()), (Some(0), jobs.len()), "{errors}");
        for answer in &answers {
            assert!(answer["batch"].as_u64().unwrap() <= 5, "a share of what waits for a key: {answer}");
            proven(answer, if answer["id"].as_u64().unwrap() % 4 < 3 { BN } else { BLS });
        }
    }
}

#[test]
fn lines_that_are_no_jobs_are_answered_in_their_place() {
    let mut service = Service::start(&["--device", "cpu"]);
    let long = format!("{{\"id\":1,\"zkey\":\"{}\"}}", "x".repeat(1 << 20));
    let with = |change: &dyn Fn(&mut Value)| {
        let mut job = job("x", BN);
        change(&mut job);
        job.to_string()
    };
    let deep = "[".repeat(100_000);
    let twice = with(&|_| {}).replacen('{', "{\"id\":1,", 1);
    let many = (0..20).map(|i| format!("\"{i}\":0")).collect::<Vec<_>>().join(",");
    let many = format!("{{{many}}}");
    let cases = [
        (&*many, Value::Null, "unknown member \"0\""),
        ("what", Value::Null, "not a job: expected value"),
        ("[]", Value::Null, "expected an object"),
        ("{", Value::Null, "not a job: EOF"),
        ("{} {}", Value::Null, "trailing characters"),
        (&deep, Value::Null, "not a job"),
        (&long, Value::Null, "the line has more than 1048576 bytes"),
        (&twice, Value::Null, "\"id\" is given twice"),
        (
            &with(&|job| job["id"] = Value::Null),
            Value::Null,
            "an id that is a string or an integer of 64 bits",
        ),
        (
            &with(&|job| job["id"] = 1.5.into()),
            Value::Null,
            "an id that is a string or an integer of 64 bits",
        ),
        ("{}", Value::Null, "id is missing"),
        ("{\"id\":5}", 5.into(), "zkey is missing"),
        ("{\"id\":5,\"zkey\":\"k\"}", 5.into(), "witness is missing"),
        (&with(&|job| job["zkey"] = 7.into()), "x".into(), "zkey is not a path"),
        (&with(&|job| job["witness"] = "".into()), "x".into(), "witness is not a path"),
        (&with(&|job| job["prof"] = "p".into()), "x".into(), "unknown member \"prof\""),
        (
            &with(&|job| job["proof"] = "/no/such/folder/p".into()),
            "x".into(),
            "/no/such/folder/p: cannot be written",
        ),
        (&with(&|job| job["witness"] = job["zkey"].clone()), "x".into(), "begins with `wtns`"),
        (&with(&|job| job["proof"] = job["zkey"].clone()), "x".into(), "is the same file as"),
    ];
    for (line, id, message) in cases {
        service.send(line);
        let answer = service.answer();
        assert_eq!(answer["id"], id, "{answer}");
        refused(&answer, "input", message);
    }
    let input = service.input.as_mut().unwrap();
    input.write_all(b"{\"id\": \"\xff\"}\n\n \r\n").unwrap();
    refused(&service.answer(), "input", "not a job");
    proven(&service.ask(&job("good", BN)), BN);
    // The last line needs no end.
    service.input.as_mut().unwrap().write_all(b"{").unwrap();
    let (answers, code, errors) = service.finish();
    assert_eq!((answers.len(), code, &*errors), (1, Some(0), ""));
}

#[test]
fn one_output_may_go_to_a_file() {
    let dir = TempDir::new().unwrap();
    let mut service = Service::start(&["--device", "cpu"]);
    for (file, other) in [("proof", "public"), ("public", "proof")] {
        let mut job = job(file, BN);
        let path = dir.path().join(format!("{file}.json"));
        job[file] = path.to_str().into();
        let answer = service.ask(&job);
        assert!(answer.get(file).is_none() && answer.get(other).is_some(), "{answer}");
        assert!(path.is_file());
    }
    let public: Value = serde_json::from_slice(&fs::read(fixture(BN, "public.json")).unwrap()).unwrap();
    assert_eq!(service.ask(&job(1, BN))["public"], public);
}

/// What a proof would replace may be a key, of whatever job it was.
#[test]
fn a_proof_takes_no_keys_place() {
    let dir = TempDir::new().unwrap();
    let key = dir.path().join("key");
    fs::copy(fixture(BN, "circuit.zkey"), &key).unwrap();
    let mut first = job(1, BN);
    first["zkey"] = key.to_str().into();
    let mut service = Service::start(&["--device", "cpu", "--device", "cpu"]);
    proven(&service.ask(&first), BN);
    for (member, other) in [("proof", "public"), ("public", "proof")] {
        for with_other in [false, true] {
            let mut second = job(2, BLS);
            second[member] = key.to_str().into();
            if with_other {
                second[other] = dir.path().join("other").to_str().into();
            }
            refused(&service.ask(&second), "input", "key");
        }
    }
    assert_eq!(fs::read(&key).unwrap(), fs::read(fixture(BN, "circuit.zkey")).unwrap());
    proven(&service.ask(&first), BN);
    service.finish();
}

/// A key of four million wires that takes no place on the disk, and one that fits alone.
#[test]
fn keys_and_witnesses_take_no_more_memory_than_they_may() {
    let dir = TempDir::new().unwrap();
    let key = dir.path().join("large.zkey");
    super::hostile::large_key(&key);
    let mut large = job(1, BN);
    large["zkey"] = key.to_str().into();
    let mut service = Service::start(&["--device", "cpu", "--host-memory", "1G"]);
    refused(&service.ask(&large), "internal", "GiB of host memory, and jobs may take 1.00 GiB");
    proven(&service.ask(&job(2, BN)), BN);
    service.finish();
    let mut small = Service::start(&["--device", "cpu", "--host-memory", "1K"]);
    refused(&small.ask(&job(3, BN)), "internal", "kiB of host memory, and jobs may take 1.0 kiB");
    small.finish();
}

#[test]
fn a_key_that_has_changed_is_read_again() {
    let dir = TempDir::new().unwrap();
    let key = dir.path().join("key.zkey");
    let install = |case: &str| fs::copy(fixture(case, "circuit.zkey"), &key).unwrap();
    let of = |case: &str| {
        let mut job = job(1, case);
        job["zkey"] = key.to_str().into();
        job
    };
    // One key only: another path's makes room, and has to give it back.
    let mut service = Service::start(&["--device", "cpu", "--keys", "1"]);
    install(BN);
    proven(&service.ask(&of(BN)), BN);
    proven(&service.ask(&job(1, BLS)), BLS);
    proven(&service.ask(&of(BN)), BN);
    install(BLS);
    proven(&service.ask(&of(BLS)), BLS);
    refused(&service.ask(&of(BN)), "input", "witness.wtns: section 1 (header)");
    fs::remove_file(&key).unwrap();
    refused(&service.ask(&of(BLS)), "input", "No such file");
    install(BN);
    proven(&service.ask(&of(BN)), BN);
    fs::write(&key, "zkey").unwrap();
    refused(&service.ask(&of(BN)), "input", "key.zkey: the file header needs 12 bytes");
}

/// Answers that nobody reads stop the service, and with it whoever brings jobs; nothing is lost.
#[test]
fn a_full_queue_makes_the_client_wait() {
    const JOBS: usize = 2000;
    let mut child = curvesmith()
        .args(["serve", "--device", "cpu"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let sent = AtomicUsize::new(0);
    let mut missing = job(0, BN);
    missing["witness"] = "/nonexistent.wtns".into();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for id in 0..JOBS {
                missing["id"] = id.into();
                input.write_all(format!("{missing}{}\n", " ".repeat(1 << 12)).as_bytes()).unwrap();
                sent.fetch_add(1, Ordering::Relaxed);
            }
            drop(input);
        });
        let mut before = 0;
        let deadline = Instant::now() + Duration::from_secs(60);
        loop {
            std::thread::sleep(Duration::from_secs(1));
            let now = sent.load(Ordering::Relaxed);
            if now == before && now > 0 {
                break;
            }
            assert!(Instant::now() < deadline);
            before = now;
        }
        // A pipe of 64 KiB has room for some 600 answers, the other one for 16 jobs.
        assert!(before < 1500, "{before} jobs were taken");
        let mut ids: Vec<u64> = BufReader::new(child.stdout.take().unwrap())
            .lines()
            .map(|line| serde_json::from_str::<Value>(&line.unwrap()).unwrap()["id"].as_u64().unwrap())
            .collect();
        ids.sort_unstable();
        assert!(ids.iter().copied().eq(0..JOBS as u64), "{} answers", ids.len());
    });
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

/// A standard output that is full holds up neither the end by a signal nor one that has begun.
#[cfg(target_os = "linux")]
#[test]
fn a_signal_waits_for_no_reader() {
    for ended in [false, true] {
        let mut child = Command::new("env")
            .args(["--default-signal=TERM", env!("CARGO_BIN_EXE_curvesmith"), "serve", "--device", "cpu"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut input = child.stdin.take().unwrap();
        // More than a pipe takes, and less than stops the reading.
        let line = format!("{{\"id\":\"{}\"}}\n", "x".repeat(1000));
        input.write_all(line.repeat(200).as_bytes()).unwrap();
        let input = (!ended).then_some(input);
        std::thread::sleep(Duration::from_secs(1));
        kill(&child, "TERM");
        let asked = Instant::now();
        let code = child.wait().unwrap().code();
        assert!(asked.elapsed() < Duration::from_secs(10), "{:?}", asked.elapsed());
        assert_eq!(code, Some(143));
        drop(input);
    }
}

#[test]
fn a_reader_that_has_gone_ends_the_service() {
    let mut child = curvesmith()
        .args(["serve", "--device", "cpu"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let mut input = child.stdin.take().unwrap();
    for _ in 0..3 {
        let _ = input.write_all(b"{}\n");
        std::thread::sleep(Duration::from_millis(200));
    }
    drop(input);
    let output = child.wait_with_output().unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{errors}");
    assert!(errors.contains("error: standard output: cannot be written"), "{errors}");
}

#[cfg(target_os = "linux")]
pub(super) fn kill(child: &Child, signal: &str) {
    let arguments = ["-s", signal, &child.id().to_string()].map(str::to_owned);
    assert!(Command::new("kill").args(arguments).status().unwrap().success());
}

/// Waits until `dir` has as many files.
#[track_caller]
pub(super) fn wait_for(dir: &Path, files: usize) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while fs::read_dir(dir).unwrap().count() < files {
        assert!(Instant::now() < deadline);
        std::thread::sleep(Duration::from_millis(2));
    }
}

pub(super) fn written_to(dir: &Path, case: &str) -> Value {
    let mut job = job("under way", case);
    for name in ["proof", "public"] {
        job[name] = dir.join(format!("{name}.json")).to_str().into();
    }
    job
}

#[cfg(target_os = "linux")]
#[test]
fn a_signal_waits_for_what_is_under_way() {
    for (signal, number) in [("INT", 2), ("TERM", 15)] {
        let dirs: [TempDir; 8] = std::array::from_fn(|_| TempDir::new().unwrap());
        let mut service = Service::start(&["--device", "emulator"]);
        let batch = dirs.each_ref().map(|dir| written_to(dir.path(), BN).to_string()).join("\n");
        service.send(&format!("{batch}\n{}", job("waits", BLS)));
        dirs.iter().for_each(|dir| wait_for(dir.path(), 2));
        kill(&service.child, signal);
        for dir in &dirs {
            let answer = service.answer();
            assert_eq!((&answer["id"], &answer["ok"]), (&json!("under way"), &json!(true)), "{answer}");
            assert_eq!(verify(BN, dir.path()).status.code(), Some(0));
            assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 2);
        }
        refused(&service.answer(), "internal", "not begun: the service ends");
        // Its input is still open.
        let status = service.child.wait().unwrap();
        assert_eq!(status.code(), Some(128 + number), "{status}");

        // Of several devices one is told of the signal, whichever is the first to look.
        let mut idle = Service::start(&["--device", "cpu"].repeat(6));
        proven(&idle.ask(&job(1, BN)), BN);
        kill(&idle.child, signal);
        assert_eq!(idle.child.wait().unwrap().code(), Some(128 + number));
    }
}

#[cfg(unix)]
pub(super) mod socket {
    use super::*;
    use std::os::unix::fs::{FileTypeExt, PermissionsExt};
    use std::os::unix::net::{UnixListener, UnixStream};

    pub(crate) fn start(path: &Path, device: &str) -> Service {
        let service = Service::start(&["--device", device, "--socket", path.to_str().unwrap()]);
        let deadline = Instant::now() + Duration::from_secs(60);
        while UnixStream::connect(path).is_err() {
            assert!(Instant::now() < deadline);
            std::thread::sleep(Duration::from_millis(5));
        }
        service
    }

    /// Sends jobs and the end of them; all answers.
    fn ask(path: &Path, jobs: &[Value]) -> Vec<Value> {
        let mut stream = UnixStream::connect(path).unwrap();
        for job in jobs {
            stream.write_all(format!("{job}\n").as_bytes()).unwrap();
        }
        stream.shutdown(std::net::Shutdown::Write).unwrap();
        let lines = BufReader::new(stream).lines();
        lines.map(|line| serde_json::from_str(&line.unwrap()).unwrap()).collect()
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn clients_get_their_own_answers() {
        let dir = TempDir::new().unwrap();
        let path = dir.path().join("socket");
        // One that nobody listens on is replaced.
        drop(UnixListener::bind(&path).unwrap());
        let mut service = start(&path, "cpu");
        let meta = fs::metadata(&path).unwrap();
        assert!(meta.file_type().is_socket());
        assert_eq!(meta.permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
        std::thread::scope(|scope| {
            for client in 0..4u64 {
                let path = &path;
                scope.spawn(move || {
                    let case = [BN, BLS][client as usize % 2];
                    let answers = ask(path, &[job(client, case), json!({}), job(client, case)]);
                    assert_eq!(answers.len(), 3);
                    for answer in &answers {
                        match &answer["id"] {
                            Value::Null => refused(answer, "input", "id is missing"),
                            id => {
                                assert_eq!(*id, json!(client));
                                proven(answer, case);
                            }
                        }
                    }
                });
            }
        });
        // A client that leaves early disturbs nobody.
        let mut rude = UnixStream::connect(&path).unwrap();
        rude.write_all(format!("{}\n{}\n{{", job(1, BN), job(2, BLS)).as_bytes()).unwrap();
        drop(rude);
        proven(&ask(&path, &[job(9, BN)])[0], BN);
        kill(&service.child, "TERM");
        assert_eq!(service.child.wait().unwrap().code(), Some(143));
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn one_client_too_many_is_told_so() {
        let dir = TempDir::new().unwrap();
        let path = dir.path().join("socket");
        let mut service = start(&path, "cpu");
        let mut clients: Vec<_> = (0..64).map(|_| UnixStream::connect(&path).unwrap()).collect();
        let first = |stream: &UnixStream| {
            stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
            let mut line = String::new();
            BufReader::new(stream).read_line(&mut line).unwrap();
            serde_json::from_str::<Value>(&line).unwrap()
        };
        refused(&first(&UnixStream::connect(&path).unwrap()), "internal", "64 clients are connected already");
        clients.truncate(63);
        let deadline = Instant::now() + Duration::from_secs(60);
        loop {
            let mut stream = UnixStream::connect(&path).unwrap();
            // One that is refused is not read.
            let _ = stream.write_all(b"{}\n");
            if first(&stream)["kind"] == "input" {
                break;
            }
            assert!(Instant::now() < deadline);
        }
        kill(&service.child, "TERM");
        assert_eq!(service.child.wait().unwrap().code(), Some(143));
    }

    /// It keeps jobs coming and takes a little of its answers at times; nobody else waits for it.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_slow_reader_is_dropped_and_delays_nobody() {
        let dir = TempDir::new().unwrap();
        let path = dir.path().join("socket");
        let mut service = start(&path, "cpu");
        let mut slow = UnixStream::connect(&path).unwrap();
        let mut writing = slow.try_clone().unwrap();
        let mut missing = job(0, BN);
        missing["witness"] = format!("/nonexistent/{}.wtns", "x".repeat(150)).into();
        // Ends when the service has dropped it.
        let writer = std::thread::spawn(move || {
            (0..).take_while(|_| writing.write_all(format!("{missing}\n").as_bytes()).is_ok()).count()
        });
        let (begun, mut some) = (Instant::now(), [0; 1300]);
        while !writer.is_finished() {
            assert!(begun.elapsed() < Duration::from_secs(30), "it is not dropped");
            let asked = Instant::now();
            proven(&ask(&path, &[job(1, BN)])[0], BN);
            assert!(asked.elapsed() < Duration::from_secs(5), "{:?}", asked.elapsed());
            std::io::Read::read_exact(&mut slow, &mut some).unwrap();
            std::thread::sleep(Duration::from_secs(2));
        }
        assert!(begun.elapsed() > Duration::from_secs(8), "it is given its time");
        // The end comes after what was written, and is no error.
        slow.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        std::io::copy(&mut slow, &mut std::io::sink()).unwrap();
        // Another one, when the service ends.
        let mut silent = UnixStream::connect(&path).unwrap();
        silent.set_write_timeout(Some(Duration::from_secs(1))).unwrap();
        while silent.write_all(&b"{}\n".repeat(1000)).is_ok() {}
        kill(&service.child, "TERM");
        let asked = Instant::now();
        assert_eq!(service.child.wait().unwrap().code(), Some(143));
        assert!(asked.elapsed() < Duration::from_secs(10), "{:?}", asked.elapsed());
        let mut errors = String::new();
        std::io::Read::read_to_string(&mut service.child.stderr.take().unwrap(), &mut errors).unwrap();
        assert!(errors.contains("it leaves answers unread ids=0 0 0"), "{errors}");
        assert!(errors.contains("the service ends ids=null null"), "{errors}");
    }

    #[test]
    fn a_path_that_is_taken_is_refused() {
        let dir = TempDir::new().unwrap();
        let at = |name: &str| dir.path().join(name);
        fs::write(at("file"), "content").unwrap();
        let _listener = UnixListener::bind(at("taken")).unwrap();
        std::os::unix::fs::symlink("nowhere", at("link")).unwrap();
        for (name, message) in [
            ("file", "file: is there, and not a socket"),
            ("link", "link: is there, and not a socket"),
            ("taken", "taken: another process listens there"),
            ("no/folder/s", "No such file"),
            (&*"x".repeat(120), "path must be shorter than SUN_LEN"),
        ] {
            // One that listens in spite of it has to be ended.
            let limited = ["30", env!("CARGO_BIN_EXE_curvesmith"), "serve", "--device", "cpu", "--socket"];
            let output = Command::new("timeout").args(limited).arg(at(name)).output().unwrap();
            let text = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(2), "{text}");
            assert!(text.contains(message) && text.lines().count() == 1, "{text}");
        }
        assert_eq!(fs::read(at("file")).unwrap(), b"content");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 3);
    }

    /// A path that was freed by hand is another service's by the end of the first.
    #[cfg(target_os = "linux")]
    #[test]
    fn the_end_of_a_service_leaves_the_socket_of_another() {
        for signals in [&["TERM"][..], &["TERM", "INT"]] {
            let dir = TempDir::new().unwrap();
            let path = dir.path().join("socket");
            let mut older = start(&path, "cpu");
            fs::remove_file(&path).unwrap();
            let mut newer = start(&path, "cpu");
            signals.iter().for_each(|signal| kill(&older.child, signal));
            assert!(older.child.wait().unwrap().code() >= Some(130));
            proven(&ask(&path, &[job(1, BN)])[0], BN);
            kill(&newer.child, "TERM");
            assert_eq!(newer.child.wait().unwrap().code(), Some(143));
            assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
        }
    }

    /// Those that come second see that the first one lives, though a dead socket was there.
    #[test]
    fn of_services_that_start_at_once_one_gets_the_path() {
        for _ in 0..8 {
            let dir = TempDir::new().unwrap();
            let path = dir.path().join("socket");
            drop(UnixListener::bind(&path).unwrap());
            let start = || {
                let mut command = Command::new(env!("CARGO_BIN_EXE_curvesmith"));
                command.args(["serve", "--device", "cpu", "--socket"]).arg(&path);
                command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
            };
            let mut services: Vec<Child> = (0..4).map(|_| start()).collect();
            let deadline = Instant::now() + Duration::from_secs(60);
            while services.len() > 1 && Instant::now() < deadline {
                services.retain_mut(|service| match service.try_wait().unwrap() {
                    None => true,
                    Some(status) => {
                        assert_eq!(status.code(), Some(2));
                        false
                    }
                });
            }
            let left = services.len();
            let answer = ask(&path, &[job(1, BN)]);
            services.iter_mut().for_each(|service| {
                service.kill().unwrap();
                service.wait().unwrap();
            });
            assert_eq!(left, 1);
            proven(&answer[0], BN);
        }
    }

    /// Two that both found a dead socket would both remove what is there.
    #[test]
    fn a_dead_socket_is_removed_by_one_service_at_a_time() {
        use rustix::fs::{FlockOperation, flock};
        let dir = TempDir::new().unwrap();
        let path = dir.path().join("socket");
        drop(UnixListener::bind(&path).unwrap());
        let lock = fs::File::open(dir.path()).unwrap();
        flock(&lock, FlockOperation::NonBlockingLockExclusive).unwrap();
        let mut service = Service::start(&["--device", "cpu", "--socket", path.to_str().unwrap()]);
        std::thread::sleep(Duration::from_millis(1500));
        let refused = UnixStream::connect(&path).unwrap_err();
        assert_eq!(refused.kind(), std::io::ErrorKind::ConnectionRefused);
        assert!(service.child.try_wait().unwrap().is_none());
        drop(lock);
        let deadline = Instant::now() + Duration::from_secs(60);
        while UnixStream::connect(&path).is_err() {
            assert!(Instant::now() < deadline);
            std::thread::sleep(Duration::from_millis(5));
        }
        kill(&service.child, "TERM");
        assert_eq!(service.child.wait().unwrap().code(), Some(143));
    }

    /// Semaphore on the emulator takes many seconds.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_second_signal_leaves_nothing_either() {
        let (dir, out) = (TempDir::new().unwrap(), TempDir::new().unwrap());
        let path = dir.path().join("socket");
        let mut service = start(&path, "emulator");
        let mut stream = UnixStream::connect(&path).unwrap();
        let job = written_to(out.path(), "bn128_semaphore20_ceremony");
        stream.write_all(format!("{job}\n").as_bytes()).unwrap();
        wait_for(out.path(), 2);
        kill(&service.child, "TERM");
        std::thread::sleep(Duration::from_millis(200));
        assert!(service.child.try_wait().unwrap().is_none());
        kill(&service.child, "INT");
        assert_eq!(service.child.wait().unwrap().code(), Some(130));
        for dir in [dir, out] {
            assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
        }
    }
}
