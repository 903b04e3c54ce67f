use crate::support::{Bench, words};
use curvesmith_device::{KernelDevice as _, Staging, read_bytes, write_bytes};

fn pattern(len: usize, seed: usize) -> Vec<u8> {
    (0..len).map(|i| ((i * 31 + seed) % 251) as u8).collect()
}

#[test]
fn copies_of_any_length_begin_anywhere() {
    let Some(bench) = Bench::new() else { return };
    let (device, stream) = (&bench.device, &bench.stream);
    let memory = device.alloc(40).expect("there is room");
    let mut expected = pattern(40, 0);
    write_bytes(device, stream, &memory, 0, &expected).expect("it is written");
    for len in [0, 1, 2, 3, 4, 5, 8, 11] {
        for offset in 0..8 {
            let bytes = pattern(len, 7 * len + offset);
            write_bytes(device, stream, &memory, offset as u64, &bytes).expect("it is written");
            expected[offset..offset + len].copy_from_slice(&bytes);
            let all = read_bytes(device, stream, &memory, 0, 40).expect("it is read");
            assert_eq!(all, expected, "{len} bytes at {offset}");
            let part = read_bytes(device, stream, &memory, offset as u64, len).expect("it is read");
            assert_eq!(part, bytes, "{len} bytes at {offset}");
        }
    }
    // The last bytes of an allocation of an odd length.
    let memory = device.alloc(13).expect("there is room");
    write_bytes(device, stream, &memory, 0, &pattern(13, 3)).expect("it is written");
    assert_eq!(read_bytes(device, stream, &memory, 0, 13).expect("it is read"), pattern(13, 3));
    assert!(read_bytes(device, stream, &memory, 1, 13).is_err(), "it ends before");
    assert!(write_bytes(device, stream, &memory, 13, &[1]).is_err(), "it ends before");
}

#[test]
fn fills_are_of_any_byte() {
    let Some(bench) = Bench::new() else { return };
    let (device, stream) = (&bench.device, &bench.stream);
    let memory = device.alloc(5000).expect("there is room");
    let mut expected = pattern(5000, 1);
    write_bytes(device, stream, &memory, 0, &expected).expect("it is written");
    let cases =
        [(0, 16, 0), (20, 8, 0xff), (33, 1, 7), (41, 2, 0), (47, 5, 9), (101, 4001, 0xa5), (4999, 1, 1)];
    for (offset, len, byte) in cases {
        device.fill(stream, &memory, offset as u64, len as u64, byte).expect("it is submitted");
        expected[offset..offset + len].fill(byte);
    }
    assert_eq!(read_bytes(device, stream, &memory, 0, 5000).expect("it is read"), expected);
}

/// Hundreds of launches, with copies between, and nobody waits.
#[test]
fn copies_and_launches_keep_their_order() {
    let Some(bench) = Bench::new() else { return };
    let memory = bench.alloc(64);
    let mut staging = bench.device.staging(256).expect("there is room");
    let mut arrived: Vec<_> = (0..8).map(|_| bench.device.staging(256).expect("there is room")).collect();
    let (mut value, mut expected) = (0u32, Vec::new());
    for round in 0..8u32 {
        for i in 0..60 {
            if i % 20 == 7 {
                value = round * 1000 + i;
                for bytes in staging.bytes().expect("no copy fails").as_chunks_mut::<4>().0 {
                    *bytes = value.to_le_bytes();
                }
                bench.device.upload(&bench.stream, &memory, 0, &mut *staging, 256).expect("it is submitted");
                // The next bytes are not those of the copy.
                staging.bytes().expect("no copy fails").fill(0xee);
            }
            bench.bump(words(&memory, 0, 64), 64, i);
            value = value.wrapping_mul(3).wrapping_add(i);
        }
        expected.push(value);
        let to = &mut *arrived[round as usize];
        bench.device.download(&bench.stream, &memory, 0, to, 256).expect("it is submitted");
    }
    for (staging, value) in arrived.iter_mut().zip(expected) {
        assert_eq!(staging.bytes().expect("no copy fails"), value.to_le_bytes().repeat(64));
    }
}

/// What is too long to travel with the launches.
#[test]
fn long_copies_keep_their_order() {
    let Some(bench) = Bench::new() else { return };
    let n = 5 << 20;
    let memory = bench.alloc(n);
    let mut staging = bench.device.staging(4 * n as usize).expect("there is room");
    for round in 0..20u32 {
        for bytes in staging.bytes().expect("no copy fails").as_chunks_mut::<4>().0 {
            *bytes = round.to_le_bytes();
        }
        bench
            .device
            .upload(&bench.stream, &memory, 0, &mut *staging, 4 * n as usize)
            .expect("it is submitted");
        bench.bump(words(&memory, 64, 64), 64, 1);
    }
    assert_eq!(bench.read(&memory, 0, 64), [19; 64]);
    assert_eq!(bench.read(&memory, 64, 64), [58; 64]);
    assert_eq!(bench.read(&memory, n - 1, 1), [19]);
}

#[test]
fn one_staging_memory_serves_many_copies() {
    let Some(bench) = Bench::new() else { return };
    let (device, stream) = (&bench.device, &bench.stream);
    let [a, b] = [(); 2].map(|()| bench.alloc(4));
    bench.write(&a, 0, &[1, 2, 3, 4]);
    let mut staging = device.staging(16).expect("there is room");
    device.download(stream, &a, 0, &mut *staging, 16).expect("it is submitted");
    device.upload(stream, &b, 0, &mut *staging, 16).expect("it is submitted");
    device.download(stream, &a, 8, &mut *staging, 4).expect("it is submitted");
    device.download(stream, &b, 4, &mut *staging, 8).expect("it is submitted");
    assert_eq!(staging.bytes().expect("no copy fails")[..8], [2, 0, 0, 0, 3, 0, 0, 0]);
    assert_eq!(staging.capacity(), 16);
    assert!(device.upload(stream, &b, 0, &mut *staging, 17).is_err(), "it is shorter");
    drop(a);
    assert_eq!(bench.read(&b, 0, 4), [1, 2, 3, 4]);
}

/// Long uploads leave from memory of their own: it has what was written last, by either way, and nothing is
/// written before the last copy from it is done.
#[test]
fn staging_that_is_written_for_the_device_is_uploaded() {
    const PART: usize = 50_000;
    let Some(bench) = Bench::new() else { return };
    let (device, stream) = (&bench.device, &bench.stream);
    let len = 4 * PART;
    let memory = device.alloc(2 * len as u64).expect("there is room");
    let mut staging = device.staging(len).expect("there is room");
    let mut upload = |write: &dyn Fn(&mut dyn Staging, &mut [u8]), offset: usize| {
        let mut expected = pattern(len, offset);
        staging.bytes().expect("no copy fails").copy_from_slice(&expected);
        write(&mut *staging, &mut expected);
        device.upload(stream, &memory, offset as u64, &mut *staging, len).expect("it is submitted");
        // Of the next upload, whatever it is.
        staging.write(0, &[0xee; PART]).expect("no copy fails");
        expected
    };
    let put = |staging: &mut dyn Staging, expected: &mut [u8], at: usize, len: usize| {
        let bytes = pattern(len, at + 5);
        staging.write(at, &bytes).expect("no copy fails");
        expected[at..at + len].copy_from_slice(&bytes);
    };
    let check = |expected: Vec<u8>, offset: usize, what: &str| {
        let found = read_bytes(device, stream, &memory, offset as u64, len).expect("it is read");
        assert!(found == expected, "{what}");
    };
    for round in 0..3 {
        let expected = upload(&|_, _| (), 4 * round);
        check(expected, 4 * round, "nothing is written");
        let in_order = |staging: &mut dyn Staging, expected: &mut [u8]| {
            (0..4).for_each(|k| put(staging, expected, k * PART, PART));
        };
        check(upload(&in_order, 0), 0, "all of it in order");
        let any_order = |staging: &mut dyn Staging, expected: &mut [u8]| {
            put(staging, expected, 2 * PART, PART);
            put(staging, expected, 0, PART);
            put(staging, expected, 10, PART);
        };
        check(upload(&any_order, 8), 8, "parts in another order");
        let changed = |staging: &mut dyn Staging, expected: &mut [u8]| {
            put(staging, expected, 0, PART);
            staging.bytes().expect("no copy fails")[7] = 9;
            expected[7] = 9;
        };
        check(upload(&changed, 0), 0, "what is changed after it was written");
        check(upload(&in_order, 3), 3, "at a byte within a word");
    }
}

#[test]
fn staging_is_wiped() {
    let Some(bench) = Bench::new() else { return };
    let (device, stream) = (&bench.device, &bench.stream);
    let len = 100_000;
    let memory = device.alloc(len as u64).expect("there is room");
    let mut staging = device.staging(len).expect("there is room");
    for used in [len, 70_000] {
        staging.write(0, &pattern(len, 1)).expect("no copy fails");
        device.upload(stream, &memory, 0, &mut *staging, len).expect("it is submitted");
        staging.wipe(used).expect("no copy fails");
        // As it was left for the device.
        device.upload(stream, &memory, 0, &mut *staging, used).expect("it is submitted");
        let left = read_bytes(device, stream, &memory, 0, len).expect("it is read");
        assert!(left[..used].iter().all(|byte| *byte == 0));
        assert_eq!(left[used..], pattern(len, 1)[used..]);
        let bytes = staging.bytes().expect("no copy fails");
        assert!(bytes[..used].iter().all(|byte| *byte == 0));
        bytes.fill(0);
    }
}
