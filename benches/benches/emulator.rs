//! Lane-instructions per second of the emulator on one core, with memory checks on.
//!
//! Criterion's elements are executed lane-instructions as the emulator's own log counts them.

use ark_std::rand::{SeedableRng, rngs::StdRng};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use curvesmith::{Groth16, KeyOptions, Witness, bn254};
use curvesmith_abi::Arg;
use curvesmith_benches::fixture;
use curvesmith_device::{KernelDevice, Launch, write_bytes};
use curvesmith_emulator::{Emulator, EmulatorOptions};
use curvesmith_runtime::Device;
use std::fmt::Write;
use std::sync::Arc;

const GRID: u32 = 16;
const BLOCK: u32 = 128;
const THREADS: usize = (GRID * BLOCK) as usize;

/// A kernel around a body: `%r0` is the global thread index, `%rd0` and `%rd1` this thread's rows of
/// `row` bytes of the input and the output.
fn kernel(row: usize, body: &str) -> String {
    format!(
        ".version 6.3\n.target sm_75\n.address_size 64\n\
         .visible .entry k(.param .u64 a, .param .u64 b)\n{{\n\
         .reg .pred %p<4>; .reg .b32 %r<16>; .reg .b64 %rd<8>;\n.shared .align 16 .b8 sm[{shared}];\n\
         ld.param.u64 %rd0, [a]; ld.param.u64 %rd1, [b];\n\
         mov.u32 %r1, %ctaid.x; mov.u32 %r2, %tid.x; mad.lo.s32 %r0, %r1, {BLOCK}, %r2;\n\
         mul.wide.u32 %rd2, %r0, {row}; add.s64 %rd0, %rd0, %rd2; add.s64 %rd1, %rd1, %rd2;\n\
         {body}\nret;\n}}\n",
        shared = 16 * BLOCK
    )
}

/// `rounds` products of `n`-word numbers by rows of carry chains, each folded to `n` words: the code
/// that field kernels consist of.
fn carry_chains(n: usize, rounds: usize) -> String {
    let mut t = format!("{{ .reg .u32 t<{}>; .reg .u32 x<{n}>; .reg .u32 y<{n}>;\n", 2 * n);
    for k in 0..n {
        let _ = writeln!(t, "ld.global.u32 x{k}, [%rd0+{}]; mov.u32 y{k}, x{k};", 4 * k);
    }
    t += "mov.u32 %r5, 0;\n$L__round:\n";
    for k in 0..2 * n {
        let _ = writeln!(t, "mov.u32 t{k}, 0;");
    }
    for i in 0..n {
        for j in 0..n {
            let op = if j == 0 { "mad.lo.cc" } else { "madc.lo.cc" };
            let _ = writeln!(t, "{op}.u32 t{0}, x{j}, y{i}, t{0};", i + j);
        }
        let _ = writeln!(t, "addc.u32 t{0}, t{0}, 0;", i + n);
        for j in 0..n {
            let op = match j {
                0 => "mad.hi.cc",
                _ if j == n - 1 => "madc.hi",
                _ => "madc.hi.cc",
            };
            let _ = writeln!(t, "{op}.u32 t{0}, x{j}, y{i}, t{0};", i + j + 1);
        }
    }
    for k in 0..n {
        let _ = writeln!(t, "xor.b32 x{k}, t{k}, t{};", k + n);
    }
    let _ = writeln!(t, "add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, {rounds}; @%p1 bra $L__round;");
    for k in 0..n {
        let _ = writeln!(t, "st.global.u32 [%rd1+{}], x{k};", 4 * k);
    }
    kernel(4 * n, &(t + "}"))
}

/// Nothing but memory: vectors through global and shared memory.
fn memory(rounds: usize) -> String {
    let round = "ld.global.v4.u32 {%r4, %r5, %r6, %r7}, [%rd0];\nst.shared.v4.u32 [%rd3], {%r4, %r5, %r6, %r7};\n\
                 ld.shared.v4.u32 {%r8, %r9, %r10, %r11}, [%rd3];\nst.global.v4.u32 [%rd1], {%r8, %r9, %r10, %r11};\n";
    kernel(
        16,
        &format!(
            "mul.wide.u32 %rd3, %r2, 16; mov.u64 %rd4, sm; add.s64 %rd3, %rd3, %rd4;\n{}",
            round.repeat(rounds)
        ),
    )
}

/// Collatz steps: a loop whose lanes leave one by one.
fn divergent() -> String {
    kernel(
        4,
        "ld.global.u32 %r3, [%rd0];\n$L__loop:\nand.b32 %r4, %r3, 1;\nsetp.eq.u32 %p1, %r4, 0;\n\
         @%p1 bra $L__even;\nmad.lo.u32 %r3, %r3, 3, 1;\n$L__even:\nshr.u32 %r3, %r3, 1;\n\
         setp.gt.u32 %p2, %r3, 1;\n@%p2 bra $L__loop;\nst.global.u32 [%rd1], %r3;",
    )
}

fn benches(c: &mut Criterion) {
    let mut group = c.benchmark_group("emulator");
    let kernels =
        [("carry_chains", carry_chains(8, 50), 8), ("memory", memory(100), 4), ("divergent", divergent(), 1)];
    for (name, ptx, words) in kernels {
        let device = Emulator::new(EmulatorOptions::default().threads(1));
        let setup = || -> Result<_, Box<dyn std::error::Error>> {
            let module = device.load_ptx(&ptx)?;
            let stream = device.stream()?;
            let (a, b) =
                (device.alloc((4 * words * THREADS) as u64)?, device.alloc((4 * words * THREADS) as u64)?);
            let input: Vec<u8> =
                (0..(words * THREADS) as u32).flat_map(|i| (i % 1000 + 2).to_le_bytes()).collect();
            write_bytes(&device, &stream, &a, 0, &input)?;
            Ok((module, stream, a, b))
        };
        let (module, stream, a, b) = setup().expect("the benchmark's own kernels load");
        let args = [Arg::Buffer(a.whole()), Arg::Buffer(b.whole())];
        let run = || {
            let launch = Launch { symbol: "k", grid: GRID, block: BLOCK, shared: 0, args: &args };
            device
                .launch(&stream, &module, launch)
                .and_then(|()| device.synchronize(&stream))
                .expect("the benchmark's own kernels run");
        };
        run();
        let lanes = device.launches().last().map_or(0, |l| l.counts.lane_total());
        group.throughput(Throughput::Elements(lanes));
        group.bench_function(BenchmarkId::from_parameter(name), |bencher| bencher.iter(run));
        device.clear_launches();
    }
    group.finish();
}

/// A whole proof: the mixture of code that users run. Some of its time is the host's.
fn proof(c: &mut Criterion) {
    let case = "bn128_semaphore20_ceremony";
    let log = Emulator::new(EmulatorOptions::default().threads(1));
    let device = Device::with_kernels(Arc::new(log.clone()), None);
    let key = fixture(case, "circuit.zkey");
    let prover =
        Groth16::<bn254::Curve>::from_zkey(&device, &key, &KeyOptions::default()).expect("a valid key");
    let witness = Witness::from_wtns(&fixture(case, "witness.wtns")).expect("the fixture");
    let mut rng = StdRng::seed_from_u64(0);
    log.clear_launches();
    prover.prove(&witness, &mut rng).expect("a proof");
    let lanes = log.launches().iter().map(|l| l.counts.lane_total()).sum();
    let mut group = c.benchmark_group("emulator");
    group.sample_size(10).throughput(Throughput::Elements(lanes));
    group.bench_function("semaphore20", |bencher| {
        bencher.iter(|| prover.prove(&witness, &mut rng).expect("a proof"));
    });
    group.finish();
}

criterion_group!(emulator, benches, proof);
criterion_main!(emulator);
