//! Keys that were made ready on the device, the most recently used ones.

use super::prover::{Loaded, Proof, Prover};
use crate::curves::{Curve, with_curve};
use crate::failure::{DeviceFault, Failure};
use curvesmith::snarkjs::{ZkeyCurve, ZkeyFile};
use curvesmith::{Device, Groth16, KeyOptions};
use std::fs::Metadata;
use std::path::{Path, PathBuf};

pub(super) struct Keys {
    device: Device,
    options: KeyOptions,
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
    /// Keeps at most `limit` keys.
    pub(super) fn new(device: Device, options: KeyOptions, limit: usize) -> Self {
        Self { device, options, limit, kept: Vec::new() }
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

    fn load(&mut self, path: &Path) -> Result<Box<dyn Prover>, Failure> {
        let file = ZkeyFile::open(path)?;
        with_curve!(Curve::of_file(file.curve())?, C => self.load_of::<C>(path, &file))
    }

    /// Other keys make room before this one is on the device, and where there is no room for it.
    fn load_of<C: ZkeyCurve>(&mut self, path: &Path, file: &ZkeyFile) -> Result<Box<dyn Prover>, Failure> {
        loop {
            let key = file.read::<C>(self.options.trust_key)?;
            self.kept.drain(..(self.kept.len() + 1).saturating_sub(self.limit));
            let prover = Groth16::from_zkey_parts(&self.device, key, &self.options)
                .map_err(|error| Failure::of_key(error, path));
            match prover {
                Err(failure) if is_memory(Some(&failure)) && !self.kept.is_empty() => {
                    drop(self.kept.remove(0))
                }
                prover => return Ok(Box::new(Loaded(prover?))),
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
    use std::time::{Duration, SystemTime};

    fn names(keys: &Keys) -> Vec<&str> {
        keys.kept.iter().map(|kept| kept.path.file_name().unwrap().to_str().unwrap()).collect()
    }

    #[test]
    fn the_keys_used_last_are_kept() {
        let folder = tempfile::TempDir::new().unwrap();
        let fixture =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/bn128_mult/circuit.zkey");
        let at = |name: &str| folder.path().join(name);
        for name in ["a", "b", "c"] {
            std::fs::copy(&fixture, at(name)).unwrap();
        }
        let mut keys = Keys::new(Device::cpu(), KeyOptions::default(), 2);
        for (name, kept) in [("a", &["a"][..]), ("b", &["a", "b"]), ("a", &["b", "a"]), ("c", &["a", "c"])] {
            keys.make_ready(&at(name)).unwrap();
            assert_eq!(names(&keys), kept);
        }
        // What cannot be read costs no other key its place, and is not kept.
        std::fs::write(at("b"), "zkey").unwrap();
        assert!(keys.make_ready(&at("b")).is_err());
        assert_eq!(names(&keys), ["a", "c"]);
        std::fs::remove_file(at("a")).unwrap();
        assert!(keys.make_ready(&at("a")).is_err());
        assert_eq!(names(&keys), ["c"]);
        keys.forget(&at("c"));
        assert!(keys.kept.is_empty());
    }

    #[test]
    fn each_part_of_the_state_tells_files_apart() {
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("file");
        let state = || FileState::of(&path).ok().unwrap();
        let set_time = |seconds| {
            let file = std::fs::OpenOptions::new().write(true).open(&path).unwrap();
            file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)).unwrap();
        };
        std::fs::write(&path, "one").unwrap();
        set_time(5);
        let first = state();
        set_time(6);
        assert!(state() != first);
        std::fs::write(&path, "three").unwrap();
        set_time(5);
        assert!(state() != first);
        std::fs::write(&path, "two").unwrap();
        set_time(5);
        assert!(state() == first);
        let other = folder.path().join("other");
        std::fs::write(&other, "two").unwrap();
        std::fs::rename(&other, &path).unwrap();
        set_time(5);
        assert_eq!(state() != first, cfg!(unix));
    }
}
