//! Loading a key of 89 MB from the page cache.

use criterion::{Criterion, criterion_group, criterion_main};
use curvesmith::bn254;
use curvesmith::snarkjs::ZkeyFile;
use curvesmith_benches::fixture;
use curvesmith_benches::synthetic::{Shape, write_zkey};
use std::io::BufWriter;

fn load(criterion: &mut Criterion) {
    let file = tempfile::NamedTempFile::new().expect("a temporary folder");
    write_zkey(&Shape::SHA256_2048, 0, &mut BufWriter::new(file.as_file())).expect("room for 89 MB");
    let mut group = criterion.benchmark_group("load");
    group.sample_size(10);
    for (name, path) in [
        ("sha256_2048", file.path().to_owned()),
        ("semaphore20", fixture("bn128_semaphore20_ceremony", "circuit.zkey")),
    ] {
        for (mode, trust) in [("trusted", true), ("checked", false)] {
            group.bench_function(format!("{name}/{mode}"), |bencher| {
                bencher.iter(|| {
                    let file = ZkeyFile::open(&path).expect("a key");
                    file.read::<bn254::Curve>(trust).expect("a valid key")
                });
            });
        }
    }
    group.finish();
}

criterion_group!(benches, load);
criterion_main!(benches);
