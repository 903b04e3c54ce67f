//! The host memory that keys and witnesses of jobs may take.
//!
//! What a file says it holds can be more than the machine has, and costs whoever made it nothing:
//! the system would end the process. So memory is taken from a budget before anything is read.

use crate::failure::Failure;
use crate::output::show_bytes;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// Bytes that may be taken, and who has them.
pub(crate) struct HostMemory {
    limit: u64,
    taken: Mutex<Taken>,
    returned: Condvar,
}

#[derive(Default)]
struct Taken {
    keys: u64,
    witnesses: u64,
}

#[derive(Clone, Copy)]
enum What {
    Key,
    Witnesses,
}

/// Bytes that are given back when this is dropped.
pub(crate) struct Held {
    memory: Arc<HostMemory>,
    what: What,
    bytes: u64,
}

impl HostMemory {
    /// At most so many bytes together.
    pub(crate) fn new(limit: u64) -> Arc<Self> {
        Arc::new(Self { limit, taken: Mutex::default(), returned: Condvar::new() })
    }

    /// Memory for a key, for which others make room one after the other while `drop_another` finds
    /// one, and witnesses when they are proven.
    pub(super) fn for_key(
        self: &Arc<Self>,
        bytes: u64,
        mut drop_another: impl FnMut() -> bool,
    ) -> Result<Held, Failure> {
        loop {
            let taken = self.lock();
            if self.has(&taken, bytes) {
                return Ok(self.hold(taken, What::Key, bytes));
            }
            if bytes > self.limit {
                return Err(self.refusal("the key", bytes, 0));
            }
            let waits = taken.witnesses > 0;
            drop(taken);
            if drop_another() {
                continue;
            }
            let taken = self.lock();
            match (waits, taken.witnesses) {
                (false, 0) => return Err(self.refusal("the key", bytes, taken.keys)),
                (_, 0) => {}
                _ => drop(self.returned.wait(taken)),
            }
        }
    }

    /// Memory for as many of `most` witnesses as there is room for now, but for one at least: that
    /// waits until others are proven. How many, and their memory.
    pub(super) fn for_witnesses(self: &Arc<Self>, most: usize, each: u64) -> Result<(usize, Held), Failure> {
        let mut taken = self.lock();
        while !self.has(&taken, each) {
            if taken.witnesses == 0 {
                return Err(self.refusal("the witness", each, taken.keys));
            }
            taken = self.returned.wait(taken).unwrap_or_else(PoisonError::into_inner);
        }
        let room = (self.limit - taken.keys - taken.witnesses).checked_div(each).unwrap_or(u64::MAX);
        let count = most.min(usize::try_from(room).unwrap_or(usize::MAX));
        Ok((count, self.hold(taken, What::Witnesses, count as u64 * each)))
    }

    fn has(&self, taken: &Taken, bytes: u64) -> bool {
        bytes <= self.limit.saturating_sub(taken.keys).saturating_sub(taken.witnesses)
    }

    fn hold(self: &Arc<Self>, mut taken: MutexGuard<'_, Taken>, what: What, bytes: u64) -> Held {
        *taken.of(what) += bytes;
        Held { memory: self.clone(), what, bytes }
    }

    fn refusal(&self, what: &str, bytes: u64, keys: u64) -> Failure {
        let of = match keys {
            0 => String::new(),
            keys => format!(", of which keys have {}", show_bytes(keys)),
        };
        let (bytes, limit) = (show_bytes(bytes), show_bytes(self.limit));
        Failure::Internal(format!("{what} takes {bytes} of host memory, and jobs may take {limit}{of}"))
    }

    fn lock(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Taken {
    fn of(&mut self, what: What) -> &mut u64 {
        match what {
            What::Key => &mut self.keys,
            What::Witnesses => &mut self.witnesses,
        }
    }
}

impl Held {
    /// What it is a part of.
    pub(super) fn memory(&self) -> &Arc<HostMemory> {
        &self.memory
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        *self.memory.lock().of(self.what) -= self.bytes;
        self.memory.returned.notify_all();
    }
}

/// Three quarters of the memory of the machine or of its control group, whichever has less; all
/// there may be where the system does not tell.
pub(crate) fn default_limit() -> u64 {
    let machine = std::fs::read_to_string("/proc/meminfo").ok().and_then(|text| total(&text));
    let groups = std::fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let groups = groups.lines().flat_map(limit_files).filter_map(|file| {
        // One without a limit says `max`, or has a limit that no machine has.
        std::fs::read_to_string(file).ok()?.trim().parse().ok()
    });
    machine.into_iter().chain(groups).min().map_or(u64::MAX, |bytes| bytes / 4 * 3)
}

/// The bytes that `/proc/meminfo` gives the machine.
fn total(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes << 10)
}

/// The files that may limit the memory of the group of a line of `/proc/self/cgroup`, in version 2
/// or 1: its own, and those of the groups that it is in.
fn limit_files(line: &str) -> Vec<String> {
    let mut fields = line.splitn(3, ':').skip(1);
    let (Some(controllers), Some(path)) = (fields.next(), fields.next()) else { return Vec::new() };
    let (root, file) = match controllers {
        "" => ("/sys/fs/cgroup", "memory.max"),
        some if some.split(',').any(|name| name == "memory") => {
            ("/sys/fs/cgroup/memory", "memory.limit_in_bytes")
        }
        _ => return Vec::new(),
    };
    let groups = std::path::Path::new(path).ancestors().map(|group| group.to_string_lossy().into_owned());
    groups.map(|group| format!("{root}{}/{file}", group.trim_end_matches('/'))).collect()
}

/// Reads a number of bytes, which may end in K, M, G or T for the powers of 1024.
pub(crate) fn parse_bytes(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(['K', 'M', 'G', 'T']);
    let shift = match &text[digits.len()..] {
        "" => 0,
        "K" => 10,
        "M" => 20,
        "G" => 30,
        "T" => 40,
        _ => return Err("expected a number of bytes, as 8G".into()),
    };
    let number: u64 = digits.parse().map_err(|_| "expected a number of bytes, as 8G".to_owned())?;
    number.checked_mul(1 << shift).filter(|bytes| *bytes > 0).ok_or_else(|| "out of range".into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;
    use std::time::Duration;

    #[test]
    fn keys_make_room_or_are_refused_with_both_numbers() {
        let memory = HostMemory::new(3 << 20);
        let none = || -> bool { panic!("there is room, or there never will be") };
        let mut first = Some(memory.for_key(2 << 20, none).ok().unwrap());
        let refused = |result: Result<Held, Failure>| result.err().unwrap().to_string();
        assert_eq!(
            refused(memory.for_key(4 << 20, none)),
            "the key takes 4.0 MiB of host memory, and jobs may take 3.0 MiB"
        );
        assert_eq!(
            refused(memory.for_key(2 << 20, || false)),
            "the key takes 2.0 MiB of host memory, and jobs may take 3.0 MiB, of which keys have 2.0 MiB"
        );
        assert!(memory.for_key(2 << 20, || first.take().is_some()).is_ok());
    }

    #[test]
    fn witnesses_are_as_many_as_fit_and_wait_for_others() {
        let memory = HostMemory::new(100);
        let key = memory.for_key(30, || false).ok().unwrap();
        let (count, held) = memory.for_witnesses(8, 20).ok().unwrap();
        assert_eq!(count, 3);
        std::thread::scope(|scope| {
            let (told, hears) = mpsc::channel();
            let memory = &memory;
            scope.spawn(move || {
                let (count, _held) = memory.for_witnesses(2, 20).ok().unwrap();
                told.send(count).unwrap();
            });
            assert!(hears.recv_timeout(Duration::from_millis(50)).is_err());
            drop(held);
            assert_eq!(hears.recv_timeout(Duration::from_secs(20)), Ok(2));
        });
        let error = memory.for_witnesses(1, 80).err().unwrap().to_string();
        assert_eq!(
            error,
            "the witness takes 80 B of host memory, and jobs may take 100 B, of which keys have 30 B"
        );
        drop(key);
        assert!(memory.for_witnesses(1, 80).is_ok());
    }

    #[test]
    fn limits_are_those_of_the_machine_and_of_all_groups() {
        assert_eq!(total("MemFree: 1 kB\nMemTotal:       24603140 kB\n"), Some(24_603_140 << 10));
        let second = ["/a/b", "/a", ""].map(|group| format!("/sys/fs/cgroup{group}/memory.max"));
        assert_eq!(limit_files("0::/a/b"), second);
        let first = ["/a", ""].map(|group| format!("/sys/fs/cgroup/memory{group}/memory.limit_in_bytes"));
        assert_eq!(limit_files("4:hugetlb,memory:/a"), first);
        assert!(limit_files("8:pids:/a").is_empty() && limit_files("").is_empty());
        assert!(default_limit() > 1 << 20);
    }

    #[test]
    fn numbers_of_bytes_have_units() {
        assert_eq!(parse_bytes("1000"), Ok(1000));
        assert_eq!(parse_bytes("3G"), Ok(3 << 30));
        for wrong in ["", "G", "1GK", "-1", "1.5G", "0", "99999999999T"] {
            assert!(parse_bytes(wrong).is_err(), "{wrong}");
        }
    }
}
