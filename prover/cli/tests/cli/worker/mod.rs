//! `worker`: jobs from a stream, answered once, whatever becomes of workers and server.

mod server;

use super::hostile::large_key;
use super::serve::{BLS, BN, job, kill, proven, refused, wait_for, written_to};
use super::{curvesmith, fixture, verify};
use serde_json::{Value, json};
use server::{Fields, Redis, wait};
use std::fs;
use std::time::Duration;
use tempfile::TempDir;

/// On the emulator its proof takes seconds.
const SLOW: &str = "bn128_semaphore20_ceremony";

/// Takes over what is a second old.
const QUICK: [&str; 4] = ["--device", "cpu", "--claim-after", "1"];
/// The same, at the pace of the emulator.
const SLOWLY: [&str; 4] = ["--device", "emulator", "--claim-after", "1"];
/// Takes over nothing in the time of a test.
const ALONE: [&str; 4] = ["--device", "cpu", "--claim-after", "600"];

/// A job of this id whose outputs go to `dir`.
fn slow(id: &str, dir: &TempDir) -> Value {
    let mut job = written_to(dir.path(), SLOW);
    job["id"] = id.into();
    job
}

#[test]
fn jobs_of_two_keys_are_answered_by_two_workers() {
    let Some(redis) = Redis::start() else { return };
    let files = TempDir::new().unwrap();
    let mut written = written_to(files.path(), BN);
    written["id"] = (-7).into();
    let good = [job(1, BN), job("two", BLS), written, job(u64::MAX, BLS)];
    // They were there before any worker.
    good.iter().for_each(|job| redis.add(job));
    let _workers = ["a", "b"].map(|name| redis.worker(name, &ALONE));
    redis.wait_until_done();
    for job in &good {
        let id = job["id"].to_string();
        let id = id.trim_matches('"');
        let answer = redis.answer(id);
        assert_eq!(answer["id"], job["id"]);
        match id {
            "-7" => assert_eq!(verify(BN, files.path()).status.code(), Some(0)),
            "1" => proven(&answer, BN),
            _ => proven(&answer, BLS),
        }
        assert!(redis.ask::<i64>(&["TTL", &format!("jobs:result:{id}")]) > 604_000);
        let found: Vec<Fields> = redis.entries("jobs:results");
        let found: Vec<_> = found.iter().filter(|fields| fields["id"] == id).collect();
        assert_eq!(found.len(), 1);
        assert_eq!(serde_json::from_str::<Value>(&found[0]["answer"]).unwrap(), answer);
    }
    assert!(redis.entries("jobs:dead").is_empty());
}

#[test]
fn bad_jobs_are_answered_and_kept_with_the_reason() {
    let Some(redis) = Redis::start() else { return };
    let files = TempDir::new().unwrap();
    let wrong = files.path().join("wrong.wtns");
    let mut bytes = fs::read(fixture(BN, "witness.wtns")).unwrap();
    *bytes.iter_mut().nth_back(31).unwrap() ^= 1;
    fs::write(&wrong, bytes).unwrap();
    let with = |id: &str, member: &str, value: &str| {
        let mut job = job(id, BN);
        job[member] = value.into();
        job.to_string()
    };
    let long = format!("{{\"id\":1,\"zkey\":\"{}\"}}", "x".repeat(1 << 20));
    let cases = [
        (Some("invalid"), with("invalid", "witness", wrong.to_str().unwrap()), "invalid", "at fault"),
        (Some("missing"), with("missing", "zkey", "/nonexistent.zkey"), "input", "No such file"),
        (Some("unknown"), with("unknown", "prof", "p"), "input", "unknown member \"prof\""),
        (Some("5"), "{\"id\":5}".into(), "input", "zkey is missing"),
        (None, "what".into(), "input", "not a job"),
        (None, long, "input", "the job has more than 1048576 bytes"),
    ];
    cases.iter().for_each(|(_, text, ..)| redis.add_text(text));
    let _: String = redis.ask(&["XADD", "jobs", "*", "other", "field"]);
    let _worker = redis.worker("a", &ALONE);
    redis.add(&job("good", BN));
    proven(&redis.answer("good"), BN);
    redis.wait_until_done();

    let (dead, results) = (redis.entries("jobs:dead"), redis.entries("jobs:results"));
    assert_eq!((dead.len(), results.len()), (cases.len() + 1, cases.len() + 2));
    for (id, text, kind, message) in &cases {
        let letter = dead.iter().find(|fields| fields.get("job") == Some(text)).unwrap();
        assert_eq!((&*letter["kind"], &*letter["deliveries"]), (*kind, "1"));
        assert_eq!(letter["id"], id.unwrap_or_default());
        assert!(letter["reason"].contains(message), "{letter:?}");
        let result = results.iter().find(|fields| fields["entry"] == letter["entry"]).unwrap();
        let answer: Value = serde_json::from_str(&result["answer"]).unwrap();
        refused(&answer, kind, message);
        match id {
            Some(id) => assert_eq!(redis.answer(id), answer),
            None => assert_eq!(answer["id"], Value::Null),
        }
    }
    let letter = dead.iter().find(|fields| !fields.contains_key("job")).unwrap();
    assert_eq!(letter["reason"], "the entry has no field job");
}

#[test]
fn an_id_has_one_proof() {
    let Some(redis) = Redis::start() else { return };
    let files = TempDir::new().unwrap();
    let mut first = job("x", BN);
    first["proof"] = files.path().join("proof.json").to_str().into();
    let proof = || fs::read(files.path().join("proof.json")).unwrap();
    let worker = redis.worker("a", &ALONE);
    redis.add(&first);
    let (answer, made) = (redis.answer("x"), proof());
    redis.add(&first);
    redis.add(&job("x", BLS));
    redis.wait_until_done();
    assert_eq!((redis.answer("x"), proof(), redis.answers("x")), (answer, made, 1));
    worker.die();

    // In one batch, of one key and of two; a number and its text are one id.
    [job(5, BN), job("y", BN), job("y", BN), job("5", BN), job("y", BLS)]
        .iter()
        .for_each(|job| redis.add(job));
    let _worker = redis.worker("b", &ALONE);
    redis.wait_until_done();
    for id in ["5", "y"] {
        assert_eq!((&redis.answer(id)["batch"], redis.answers(id)), (&json!(2), 1));
    }
    assert!(redis.entries("jobs:dead").is_empty());
}

/// What two workers answer, one of which was not heard of for a while.
#[test]
fn the_first_of_two_answers_stays() {
    let Some(redis) = Redis::start() else { return };
    let dir = TempDir::new().unwrap();
    let mut x = written_to(dir.path(), BN);
    x["id"] = "x".into();
    let sleepy = redis.worker("sleepy", &SLOWLY);
    redis.add(&x);
    wait_for(dir.path(), 2);
    kill(&sleepy.child, "STOP");
    assert!(!redis.is_answered("x"));
    let other = redis.worker("other", &QUICK);
    let answer = redis.answer("x");
    other.die();
    kill(&sleepy.child, "CONT");
    // Its turn comes after the one that was under way.
    redis.add(&job("next", BN));
    proven(&redis.answer("next"), BN);
    assert_eq!((redis.answer("x"), redis.answers("x")), (answer, 1));
    assert_eq!(verify(BN, dir.path()).status.code(), Some(0));
    redis.wait_until_done();
}

#[test]
fn a_killed_workers_jobs_are_done_by_another() {
    let Some(redis) = Redis::start() else { return };
    let dir = TempDir::new().unwrap();
    // Four in a batch take much longer than the time below, whatever the machine.
    redis.add(&slow("slow", &dir));
    let others = [("a", SLOW), ("b", SLOW), ("c", SLOW), ("1", BN), ("2", BN)];
    others.iter().for_each(|(id, case)| redis.add(&job(*id, case)));
    let first = redis.worker("first", &SLOWLY);
    wait_for(dir.path(), 2);
    let _second = redis.worker("second", &QUICK);
    // While the first one lives its jobs stay its own, however long they take.
    std::thread::sleep(Duration::from_millis(2500));
    assert_eq!(redis.pending(), vec![("first".into(), 1); 6]);
    first.die();
    redis.answer("slow");
    assert_eq!(verify(SLOW, dir.path()).status.code(), Some(0));
    redis.wait_until_done();
    for (id, _) in others {
        let answer = redis.answer(id);
        // Each alone: one of them might be what ended the first worker.
        assert_eq!((&answer["ok"], &answer["batch"]), (&json!(true), &json!(1)), "{answer}");
    }
    assert!(redis.entries("jobs:dead").is_empty());
}

#[test]
fn a_job_that_ends_its_workers_is_given_up() {
    let Some(redis) = Redis::start() else { return };
    let dir = TempDir::new().unwrap();
    let poison = slow("poison", &dir);
    redis.add(&poison);
    for (name, files) in [("first", 2), ("second", 4)] {
        let worker = redis.worker(name, &[&SLOWLY[..], &["--batches", "2"]].concat());
        // A temporary file stays of each that is killed.
        wait_for(dir.path(), files);
        if name == "second" {
            // It may be about to end this one too: nothing is begun beside it, so that nothing else is lost.
            redis.add(&job("good", BN));
            std::thread::sleep(Duration::from_millis(1500));
            assert_eq!(redis.pending(), vec![("second".into(), 2)]);
        }
        assert!(!redis.is_answered("poison"));
        worker.die();
    }
    let _third = redis.worker("third", &[&QUICK[..], &["--max-deliveries", "2"]].concat());
    refused(&redis.answer("poison"), "internal", "delivered 2 times");
    let dead = redis.entries("jobs:dead");
    let members = ["id", "kind", "deliveries", "job"].map(|name| dead[0][name].clone());
    assert_eq!(
        (dead.len(), members),
        (1, ["poison", "internal", "2", &poison.to_string()].map(str::to_owned))
    );
    assert!(dead[0]["reason"].contains("each worker died or was not heard of"));
    proven(&redis.answer("good"), BN);
    redis.wait_until_done();
}

/// Batches of one worker, side by side, each id once; a signal ends all of them.
#[test]
fn a_worker_has_several_batches_under_way() {
    let Some(redis) = Redis::start() else { return };
    let options = ["--device", "emulator", "--claim-after", "600", "--batches", "3", "--batch", "2"];
    let mut worker = redis.worker("worker", &options);
    let ids: Vec<String> = (0..9).map(|i| i.to_string()).collect();
    let case = |id: &str| if id < "6" { BN } else { BLS };
    ids.iter().for_each(|id| redis.add(&job(&**id, case(id))));
    for id in &ids {
        let answer = redis.answer(id);
        proven(&answer, case(id));
        assert!(answer["batch"].as_u64().unwrap() <= 2, "{answer}");
        assert_eq!(redis.answers(id), 1);
    }
    redis.wait_until_done();
    kill(&worker.child, "TERM");
    let (status, log) = worker.end();
    assert_eq!(status.code(), Some(143), "{log}");
    assert!(redis.pending().is_empty());
    let consumers: Vec<redis::Value> = redis.ask(&["XINFO", "CONSUMERS", "jobs", "provers"]);
    assert!(consumers.is_empty());
}

/// Too little memory, which another worker might have.
#[test]
fn a_failure_that_is_not_the_jobs_own_is_tried_again() {
    let Some(redis) = Redis::start() else { return };
    let files = TempDir::new().unwrap();
    let key = files.path().join("large.zkey");
    large_key(&key);
    let mut large = job("large", BN);
    large["zkey"] = key.to_str().into();
    redis.add(&large);
    let options = [&QUICK[..], &["--max-deliveries", "2"]].concat();
    let _worker = redis.worker_after("ulimit -v 400000", "a", &options);
    wait(|| redis.pending().contains(&("a".into(), 1)).then_some(()));
    refused(&redis.answer("large"), "internal", "no memory for 268435456 bytes");
    let dead = redis.entries("jobs:dead");
    assert_eq!((dead.len(), &*dead[0]["deliveries"]), (1, "2"));
    redis.add(&job("good", BN));
    proven(&redis.answer("good"), BN);
}

/// No file may be written: the worker ends, and another one finds its jobs as if it had not been.
#[test]
fn a_worker_whose_machine_fails_ends_and_loses_no_job() {
    let Some(redis) = Redis::start() else { return };
    let dir = TempDir::new().unwrap();
    let mut job = written_to(dir.path(), BN);
    job["id"] = "written".into();
    redis.add(&job);
    let options = [&QUICK[..], &["--max-deliveries", "1"]].concat();
    let mut full = redis.worker_after("ulimit -f 0; exec 2>/dev/null", "full", &options);
    assert_eq!(full.end().0.code(), Some(3));
    assert_eq!(redis.pending(), vec![("nobody".into(), 0)]);
    assert!(redis.entries("jobs:dead").is_empty() && !redis.is_answered("written"));
    let _other = redis.worker("other", &options);
    redis.answer("written");
    assert_eq!(verify(BN, dir.path()).status.code(), Some(0));
    redis.wait_until_done();
}

/// What cannot be stored whole is not stored in part, however often it is tried.
#[test]
fn a_key_of_another_type_repeats_no_letter() {
    let Some(redis) = Redis::start() else { return };
    let _: String = redis.ask(&["SET", "jobs:results", "mine"]);
    redis.add_text("what");
    for name in ["a", "b"] {
        let (status, log) = redis.worker(name, &QUICK).end();
        assert_eq!(status.code(), Some(2), "{log}");
        assert!(log.contains("jobs:results is not a stream"), "{log}");
    }
    assert!(redis.entries("jobs:dead").is_empty());
    let _: i64 = redis.ask(&["DEL", "jobs:results"]);
    let _worker = redis.worker("c", &QUICK);
    redis.wait_until_done();
    assert_eq!(redis.entries("jobs:dead").len(), 1);
}

/// An entry of 200 MiB, in 300 MB of addresses: its length is asked for, and no more.
#[test]
fn a_job_of_any_length_ends_no_worker() {
    let Some(redis) = Redis::start() else { return };
    redis.add_text(&"x".repeat(200 << 20));
    redis.add(&job("good", BN));
    let mut worker = redis.worker_after("ulimit -v 300000", "a", &QUICK);
    proven(&redis.answer("good"), BN);
    redis.wait_until_done();
    let reasons: Vec<String> = redis.ask(&[
        "EVAL",
        "local all = {} for _, entry in ipairs(redis.call('XRANGE', 'jobs:dead', '-', '+')) do \
         table.insert(all, entry[2][8]) end return all",
        "0",
    ]);
    assert_eq!(reasons, ["the job has more than 1048576 bytes"]);
    kill(&worker.child, "TERM");
    assert_eq!(worker.end().0.code(), Some(143));
}

#[test]
fn a_server_that_comes_back_is_found() {
    let Some(mut redis) = Redis::start() else { return };
    let dir = TempDir::new().unwrap();
    let mut worker = redis.worker("a", &[&SLOWLY[..], &["--reconnect-for", "1"]].concat());
    let mut under_way = written_to(dir.path(), BN);
    under_way["id"] = "under way".into();
    redis.add(&under_way);
    wait_for(dir.path(), 2);
    let _: u64 = redis.ask(&["CLIENT", "KILL", "TYPE", "normal"]);
    assert_eq!(redis.answer("under way")["ok"], true);
    assert_eq!(verify(BN, dir.path()).status.code(), Some(0));

    // Stream and group are gone, with a server and by command.
    redis.stop();
    redis.start_anew();
    redis.add(&job(1, BN));
    proven(&redis.answer("1"), BN);
    let _: () = redis.ask(&["FLUSHALL"]);
    redis.add(&job(2, BN));
    proven(&redis.answer("2"), BN);
    let _: u64 = redis.ask(&["XGROUP", "DESTROY", "jobs", "provers"]);
    redis.add(&job(3, BN));
    proven(&redis.answer("3"), BN);

    redis.stop();
    let (status, log) = worker.end();
    assert_eq!(status.code(), Some(3), "{log}");
    assert!(log.contains("error: redis: lost, and not back after 1 s: "), "{log}");
}

#[test]
fn a_redis_that_cannot_be_used_is_told() {
    let Some(redis) = Redis::start() else { return };
    let run = |url: Option<&str>, variable: Option<&str>, stream: &str| {
        let mut command = curvesmith();
        command.args(["worker", "--device", "cpu", "--stream", stream]).env_remove("CURVESMITH_REDIS");
        url.map(|url| command.args(["--redis", url]));
        variable.map(|url| command.env("CURVESMITH_REDIS", url));
        let output = command.output().unwrap();
        let text = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), text.lines().count()), (Some(2), 1), "{text}");
        assert!(!text.contains("secret"), "{text}");
        text
    };
    let url = redis.url();
    let nowhere = format!("{url}-not");
    let _: () = redis.ask(&["SET", "text", "no stream"]);
    for (url, variable, stream, message) in [
        (None, None, "jobs", "no Redis: give --redis, or set CURVESMITH_REDIS"),
        (Some("http://localhost"), None, "jobs", "redis: Redis URL did not parse"),
        (Some("rediss://localhost"), None, "jobs", "TLS"),
        (Some(&*nowhere), Some(&*url), "jobs", "redis: No such file"),
        (None, Some(&*nowhere), "jobs", "redis: No such file"),
        (Some(&*format!("{url}?pass=secret")), None, "jobs", "redis: "),
        (Some(&*url), None, "text", "WRONGTYPE"),
    ] {
        let text = run(url, variable, stream);
        assert!(text.starts_with("error: ") && text.contains(message), "{text}");
    }
}

#[test]
fn a_signal_waits_for_what_is_under_way_and_gives_back_the_rest() {
    let Some(redis) = Redis::start() else { return };
    let dir = TempDir::new().unwrap();
    redis.add(&written_to(dir.path(), BN));
    let waiting = ["1", "2"];
    waiting.iter().for_each(|id| redis.add(&job(*id, BLS)));
    let mut first = redis.worker("first", &["--device", "emulator", "--claim-after", "600"]);
    wait_for(dir.path(), 2);
    kill(&first.child, "TERM");
    let (status, log) = first.end();
    assert_eq!(status.code(), Some(143), "{log}");
    assert_eq!(redis.answer("under way")["ok"], true);
    assert_eq!(verify(BN, dir.path()).status.code(), Some(0));
    assert!(!waiting.iter().any(|id| redis.is_answered(id)));
    assert_eq!(redis.pending(), vec![("nobody".into(), 0); 2]);

    // Whoever comes next need not wait until they are old.
    let mut second = redis.worker("second", &[&ALONE[..], &["--max-deliveries", "1"]].concat());
    waiting.iter().for_each(|id| proven(&redis.answer(id), BLS));
    redis.wait_until_done();
    kill(&second.child, "INT");
    assert_eq!(second.end().0.code(), Some(130));
    // Nothing is left of their names.
    let consumers: Vec<redis::Value> = redis.ask(&["XINFO", "CONSUMERS", "jobs", "provers"]);
    assert_eq!(consumers.len(), 1);
}
