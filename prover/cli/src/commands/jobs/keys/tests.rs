use super::super::memory::HostMemory;
use super::super::prover::Proof;
use super::*;
use std::fs;
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, SystemTime};
use tempfile::TempDir;

/// Keys on the device, the one that was used last at the end.
fn names(keys: &Keys) -> Vec<String> {
    let name = |kept: &Arc<Kept>| kept.path.file_name().unwrap().to_str().unwrap().to_owned();
    keys.lock_kept().iter().map(name).collect()
}

fn make_ready(keys: &Keys, path: &Path) -> Result<(), Failure> {
    keys.with(path, |prover| assert_eq!(prover.curve(), "small"))
}

fn no_memory() -> Failure {
    Failure::Device(DeviceFault::Memory, "full".into())
}

/// Proves while it shares the device's memory with no more than one other.
struct Small(Arc<()>);

impl Prover for Small {
    fn curve(&self) -> &'static str {
        "small"
    }

    fn prove(&self, witnesses: &[&Path]) -> Vec<Result<Proof, Failure>> {
        let prove = |witness: &&Path| match Arc::strong_count(&self.0) {
            1..=3 => Ok(Proof { proof: witness.display().to_string(), public: String::new() }),
            _ => Err(no_memory()),
        };
        witnesses.iter().map(prove).collect()
    }
}

fn host(limit: u64) -> Host {
    Host { memory: HostMemory::new(limit), files: KeyFiles::default() }
}

/// Keys whose files say `key`, on a device with room for so many.
fn keys(room: usize, limit: usize) -> Keys {
    counted_keys(room, limit, Arc::default())
}

/// The same, with the number of files that were read.
fn counted_keys(room: usize, limit: usize, reads: Arc<AtomicU64>) -> Keys {
    let device = Arc::new(());
    let read = move |path: &Path, _room: &Room<'_>| -> Result<Unready, Failure> {
        reads.fetch_add(1, Ordering::Relaxed);
        if fs::read(path).unwrap() != b"key" {
            return Err(Failure::Input("no key".into()));
        }
        let device = device.clone();
        // The device's own, this one, and those of the keys.
        Ok(Box::new(move || match Arc::strong_count(&device) - 2 < room {
            true => Ok(Box::new(Small(device))),
            false => Err(no_memory()),
        }))
    };
    Keys::new("small".to_owned(), read, limit, host(u64::MAX))
}

fn files() -> TempDir {
    let folder = TempDir::new().unwrap();
    ["a", "b", "c", "d"].iter().for_each(|name| fs::write(folder.path().join(name), "key").unwrap());
    folder
}

#[test]
fn the_keys_used_last_are_kept() {
    let folder = files();
    let at = |name: &str| folder.path().join(name);
    let keys = keys(9, 2);
    for (name, kept) in [("a", &["a"][..]), ("b", &["a", "b"]), ("a", &["b", "a"]), ("c", &["a", "c"])] {
        make_ready(&keys, &at(name)).unwrap();
        assert_eq!(names(&keys), kept);
    }
    // What cannot be read costs no other key its place, and is not kept.
    fs::write(at("b"), "zkey").unwrap();
    assert!(make_ready(&keys, &at("b")).is_err());
    assert_eq!(names(&keys), ["a", "c"]);
    fs::remove_file(at("a")).unwrap();
    assert!(make_ready(&keys, &at("a")).is_err());
    assert_eq!(names(&keys), ["c"]);
    keys.forget(&at("c"));
    assert!(names(&keys).is_empty());
}

#[test]
fn keys_make_room_for_one_that_finds_none() {
    let folder = files();
    let keys = keys(2, 9);
    for (name, kept) in [("a", &["a"][..]), ("b", &["a", "b"]), ("c", &["b", "c"]), ("d", &["c", "d"])] {
        make_ready(&keys, &folder.path().join(name)).unwrap();
        assert_eq!(names(&keys), kept);
    }
    let none = self::keys(0, 9);
    assert!(make_ready(&none, &folder.path().join("a")).is_err_and(|failure| is_memory(&failure)));
    assert!(names(&none).is_empty());
}

/// Each takes 40 bytes of the host's 100.
#[test]
fn keys_make_room_on_the_host_too() {
    struct Held40(super::super::memory::Held);
    impl Prover for Held40 {
        fn curve(&self) -> &'static str {
            "small"
        }

        fn prove(&self, witnesses: &[&Path]) -> Vec<Result<Proof, Failure>> {
            let (count, _held) = self.0.memory().for_witnesses(witnesses.len(), 20).unwrap();
            let proof = || Proof { proof: count.to_string(), public: String::new() };
            witnesses.iter().map(|_| Ok(proof())).collect()
        }
    }
    let folder = files();
    let read = |_: &Path, room: &Room<'_>| -> Result<Unready, Failure> {
        let held = room(40)?;
        Ok(Box::new(|| Ok(Box::new(Held40(held)))))
    };
    let host = host(100);
    let keys = Keys::new("small".to_owned(), read, 9, host.clone());
    for (name, kept) in [("a", &["a"][..]), ("b", &["a", "b"]), ("c", &["b", "c"])] {
        make_ready(&keys, &folder.path().join(name)).unwrap();
        assert_eq!(
            (names(&keys), keys.files().len()),
            (kept.iter().map(|k| k.to_string()).collect(), kept.len())
        );
    }
    let many = keys.with(&folder.path().join("b"), |prover| prover.prove(&[Path::new("x"); 3])).unwrap();
    assert_eq!(many[0].as_ref().unwrap().proof, "1");
    // Another device's keys are not dropped.
    let other = Keys::new("other".to_owned(), read, 9, host);
    let failure = make_ready(&other, &folder.path().join("a")).unwrap_err();
    assert_eq!(failure.kind(), "internal");
    assert!(failure.to_string().ends_with("jobs may take 100 B, of which keys have 80 B"), "{failure}");
}

#[test]
fn a_proof_may_have_the_device_for_itself() {
    let folder = files();
    let keys = keys(9, 9);
    let starve = |prover: &dyn Prover| prover.prove(&[Path::new("x")]).pop().unwrap().err();
    for (name, kept) in [("a", &["a"][..]), ("b", &["a", "b"]), ("c", &["a", "b", "c"])] {
        let path = folder.path().join(name);
        let failure = keys.with(&path, starve).unwrap();
        assert_eq!(failure.is_some_and(|failure| is_memory(&failure)), kept.len() > 2);
        assert_eq!(names(&keys), kept);
    }
    assert!(keys.with_alone(&folder.path().join("c"), starve).unwrap().is_none());
    assert_eq!(names(&keys), ["c"]);
    // One that was dropped meanwhile.
    assert!(keys.with_alone(&folder.path().join("a"), starve).unwrap().is_none());
    assert_eq!(names(&keys), ["a"]);
}

/// Both are at work at the same time, or the test hangs; and both keys are read once.
#[test]
fn a_key_is_used_by_several_and_while_another_is_read() {
    let folder = files();
    let reads = Arc::new(AtomicU64::default());
    let keys = counted_keys(9, 9, reads.clone());
    let (a, b) = (folder.path().join("a"), folder.path().join("b"));
    let met = Barrier::new(3);
    std::thread::scope(|scope| {
        for path in [&a, &a, &b] {
            let (keys, met) = (&keys, &met);
            scope.spawn(move || keys.with(path, |_| met.wait()).unwrap());
        }
    });
    assert_eq!((names(&keys).len(), reads.load(Ordering::Relaxed)), (2, 2));
}

/// A key makes room when the proofs that use it are made.
#[test]
fn a_key_in_use_is_not_dropped() {
    let folder = files();
    let keys = keys(9, 1);
    let (a, b) = (folder.path().join("a"), folder.path().join("b"));
    let (begun, done) = (Barrier::new(2), AtomicBool::new(false));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            keys.with(&a, |prover| {
                begun.wait();
                std::thread::sleep(Duration::from_millis(50));
                assert!(prover.prove(&[Path::new("x")])[0].is_ok());
                done.store(true, Ordering::SeqCst);
            })
        });
        begun.wait();
        make_ready(&keys, &b).unwrap();
        assert!(done.load(Ordering::SeqCst));
    });
    assert_eq!(names(&keys), ["b"]);
}

/// Another file takes the key's name while it is being read, so often.
fn exchanged(times: u64) -> (TempDir, Arc<AtomicU64>, Keys) {
    let folder = files();
    let reads = Arc::new(AtomicU64::default());
    let keys = keys(9, 9);
    let counted = reads.clone();
    let read = move |path: &Path, room: &Room<'_>| {
        let done = (keys.read)(path, room);
        if counted.fetch_add(1, Ordering::Relaxed) < times {
            let other = path.with_extension("new");
            fs::write(&other, "key").unwrap();
            fs::rename(&other, path).unwrap();
        }
        done
    };
    (folder, reads, Keys::new("small".to_owned(), read, 9, host(u64::MAX)))
}

#[test]
fn a_key_that_another_took_the_place_of_is_read_again() {
    let (folder, reads, keys) = exchanged(1);
    make_ready(&keys, &folder.path().join("a")).unwrap();
    make_ready(&keys, &folder.path().join("a")).unwrap();
    assert_eq!((names(&keys), reads.load(Ordering::Relaxed)), (vec!["a".to_owned()], 2));
}

#[test]
fn a_key_that_changes_all_the_time_is_tried_again_later() {
    let (folder, reads, keys) = exchanged(u64::MAX);
    let failure = make_ready(&keys, &folder.path().join("a")).unwrap_err();
    assert_eq!((failure.kind(), reads.load(Ordering::Relaxed)), ("internal", 2));
    assert!(failure.to_string().contains("changed again while it was read"), "{failure}");
    assert!(names(&keys).is_empty());
}

#[test]
fn each_part_of_the_state_tells_files_apart() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("file");
    let state = || FileState::of(&path).ok().unwrap();
    let set_time = |seconds| {
        let file = fs::OpenOptions::new().write(true).open(&path).unwrap();
        file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)).unwrap();
    };
    fs::write(&path, "one").unwrap();
    set_time(5);
    let first = state();
    set_time(6);
    assert!(state() != first);
    fs::write(&path, "three").unwrap();
    set_time(5);
    assert!(state() != first);
    fs::write(&path, "two").unwrap();
    set_time(5);
    assert!(state() == first);
    let other = folder.path().join("other");
    fs::write(&other, "two").unwrap();
    fs::rename(&other, &path).unwrap();
    set_time(5);
    assert_eq!(state() != first, cfg!(unix));
}
