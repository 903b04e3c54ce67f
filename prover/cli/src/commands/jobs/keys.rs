//! Keys that were made ready on the device, the most recently used ones.

use super::prover::{Proof, Prover, Unready};
use crate::failure::{DeviceFault, Failure};
use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::sync::Arc;

type Read = dyn Fn(&Path) -> Result<Unready, Failure>;

pub(crate) struct Keys {
    device: Arc<str>,
    read: Box<Read>,
    limit: usize,
    /// The last one was used last.
    kept: Vec<Kept>,
}

struct Kept {
    path: PathBuf,
    state: FileState,
    prover: Box<dyn Prover>,
}

impl Keys {
    /// Keeps at most `limit` keys of those that `read` reads for the device of this name.
    pub(super) fn new(
        device: String,
        read: impl Fn(&Path) -> Result<Unready, Failure> + 'static,
        limit: usize,
    ) -> Self {
        Self { device: device.into(), read: Box::new(read), limit, kept: Vec::new() }
    }

    /// Name of the device.
    pub(super) fn device(&self) -> Arc<str> {
        self.device.clone()
    }

    /// Has the key of this file on the device, as the one used last. A file that has changed is read again.
    pub(super) fn make_ready(&mut self, path: &Path) -> Result<(), Failure> {
        let at = self.kept.iter().position(|kept| kept.path == path);
        let kept = at.map(|at| self.kept.remove(at));
        let state = FileState::of(path)?;
        let kept = match kept {
            Some(kept) if kept.state == state => kept,
            changed => {
                drop(changed);
                let prover = self.load(path)?;
                if FileState::of(path)? != state {
                    return Err(Failure::Input(format!("{}: changed while it was read", path.display())));
                }
                Kept { path: path.to_owned(), state, prover }
            }
        };
        self.kept.push(kept);
        Ok(())
    }

    /// Proves the witnesses of these files with the key that was made ready last: the name of its curve, and a result each.
    pub(super) fn prove(&mut self, witnesses: &[&Path]) -> (&'static str, Vec<Result<Proof, Failure>>) {
        let Some(last) = self.kept.pop() else { return ("", Vec::new()) };
        let mut results = last.prover.prove(witnesses);
        let no_memory = |result: &Result<Proof, Failure>| is_memory(result.as_ref().err());
        if results.iter().any(no_memory) && !self.kept.is_empty() {
            // The others' share, for those that had none.
            self.kept.clear();
            for (result, witness) in results.iter_mut().zip(witnesses).filter(|(result, _)| no_memory(result))
            {
                *result = last.prover.prove(&[witness]).remove(0);
            }
        }
        let curve = last.prover.curve();
        self.kept.push(last);
        (curve, results)
    }

    /// Drops the key of this file.
    pub(super) fn forget(&mut self, path: &Path) {
        self.kept.retain(|kept| kept.path != path);
    }

    /// Other keys make room before this one is on the device, and where there is no room for it.
    fn load(&mut self, path: &Path) -> Result<Box<dyn Prover>, Failure> {
        loop {
            let unready = (self.read)(path)?;
            self.kept.drain(..(self.kept.len() + 1).saturating_sub(self.limit));
            match unready() {
                Err(failure) if is_memory(Some(&failure)) && !self.kept.is_empty() => {
                    drop(self.kept.remove(0))
                }
                prover => return prover,
            }
        }
    }
}

fn is_memory(failure: Option<&Failure>) -> bool {
    matches!(failure, Some(Failure::Device(DeviceFault::Memory, _)))
}

/// What tells that a file is another one, or was written since.
#[derive(PartialEq, Eq)]
struct FileState {
    #[cfg(unix)]
    inode: (u64, u64),
    size: u64,
    modified: std::time::SystemTime,
}

impl FileState {
    fn of(path: &Path) -> Result<Self, Failure> {
        let of = |meta: Metadata| {
            Ok(Self {
                #[cfg(unix)]
                inode: {
                    use std::os::unix::fs::MetadataExt;
                    (meta.dev(), meta.ino())
                },
                size: meta.len(),
                modified: meta.modified()?,
            })
        };
        let state = std::fs::metadata(path).and_then(of);
        state.map_err(|error| Failure::Input(format!("{}: {error}", path.display())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::rc::Rc;
    use std::time::{Duration, SystemTime};
    use tempfile::TempDir;

    fn names(keys: &Keys) -> Vec<&str> {
        keys.kept.iter().map(|kept| kept.path.file_name().unwrap().to_str().unwrap()).collect()
    }

    fn no_memory() -> Failure {
        Failure::Device(DeviceFault::Memory, "full".into())
    }

    /// Proves while it shares the device's memory with no more than one other.
    struct Small(Rc<()>);

    impl Prover for Small {
        fn curve(&self) -> &'static str {
            "small"
        }

        fn prove(&self, witnesses: &[&Path]) -> Vec<Result<Proof, Failure>> {
            let prove = |witness: &&Path| match Rc::strong_count(&self.0) {
                1..=3 => Ok(Proof { proof: witness.display().to_string(), public: String::new() }),
                _ => Err(no_memory()),
            };
            witnesses.iter().map(prove).collect()
        }
    }

    /// Keys whose files say `key`, on a device with room for so many.
    fn keys(room: usize, limit: usize) -> Keys {
        let device = Rc::new(());
        let read = move |path: &Path| -> Result<Unready, Failure> {
            if fs::read(path).unwrap() != b"key" {
                return Err(Failure::Input("no key".into()));
            }
            let device = device.clone();
            // The device's own, this one, and those of the keys.
            Ok(Box::new(move || match Rc::strong_count(&device) - 2 < room {
                true => Ok(Box::new(Small(device))),
                false => Err(no_memory()),
            }))
        };
        Keys::new("small".to_owned(), read, limit)
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
        let mut keys = keys(9, 2);
        for (name, kept) in [("a", &["a"][..]), ("b", &["a", "b"]), ("a", &["b", "a"]), ("c", &["a", "c"])] {
            keys.make_ready(&at(name)).unwrap();
            assert_eq!(names(&keys), kept);
        }
        // What cannot be read costs no other key its place, and is not kept.
        fs::write(at("b"), "zkey").unwrap();
        assert!(keys.make_ready(&at("b")).is_err());
        assert_eq!(names(&keys), ["a", "c"]);
        fs::remove_file(at("a")).unwrap();
        assert!(keys.make_ready(&at("a")).is_err());
        assert_eq!(names(&keys), ["c"]);
        keys.forget(&at("c"));
        assert!(keys.kept.is_empty());
    }

    #[test]
    fn keys_make_room_for_one_that_finds_none() {
        let folder = files();
        let mut keys = keys(2, 9);
        for (name, kept) in [("a", &["a"][..]), ("b", &["a", "b"]), ("c", &["b", "c"]), ("d", &["c", "d"])] {
            keys.make_ready(&folder.path().join(name)).unwrap();
            assert_eq!(names(&keys), kept);
        }
        let mut none = self::keys(0, 9);
        assert!(is_memory(none.make_ready(&folder.path().join("a")).err().as_ref()));
        assert!(none.kept.is_empty());
    }

    #[test]
    fn keys_make_room_for_a_proof_that_finds_none() {
        let folder = files();
        let mut keys = keys(9, 9);
        let witnesses = [Path::new("x"), Path::new("y")];
        for (name, kept) in [("a", &["a"][..]), ("b", &["a", "b"]), ("c", &["c"])] {
            keys.make_ready(&folder.path().join(name)).unwrap();
            let (curve, proofs) = keys.prove(&witnesses);
            assert_eq!(curve, "small");
            let proofs: Vec<_> =
                proofs.into_iter().map(|proof| proof.ok().map(|proof| proof.proof)).collect();
            assert_eq!(proofs, ["x", "y"].map(|name| Some(name.to_owned())));
            assert_eq!(names(&keys), kept);
        }
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
}
