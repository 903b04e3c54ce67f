//! Devices whose blocks may not wait for each other: digits are sorted by counting, and sums are the same.

use super::{Terms, launches, memory, odd, on, scalars, shapes, streamed, sum};
use ark_ff::{AdditiveGroup, Field as _};
use curvesmith_curves::toy::{toy_curve, toy_edwards, toy_tower};
use curvesmith_curves::{bls12_381, bn254};
use curvesmith_emulator::{Emulator, EmulatorOptions};
use curvesmith_runtime::group::{Group, ScalarOf};
use curvesmith_runtime::{Device, Msm, MsmOptions, MsmStrategy};
use curvesmith_tests::{Size, without_progress};

/// Every pair of conflicting accesses must be ordered; the seed permutes blocks and divergent paths.
fn emulator(seed: u64) -> Emulator {
    let options = EmulatorOptions::default().racecheck(true).seed(seed).resident_blocks(3);
    Emulator::new(without_progress(options))
}

fn device(seed: u64) -> Device {
    on(&emulator(seed))
}

/// All of one number, 0 and 1 by turns, powers of two and their neighbours, and few distinct ones.
fn hard_scalars<G: Group>(n: usize) -> Vec<(&'static str, Vec<ScalarOf<G>>)> {
    let (zero, one) = (ScalarOf::<G>::ZERO, ScalarOf::<G>::ONE);
    let random = scalars::<G>(n.max(32), 7);
    let power = |k: usize| ScalarOf::<G>::from(2u64).pow([k as u64]);
    let all = |f: &dyn Fn(usize) -> ScalarOf<G>| (0..n).map(f).collect::<Vec<_>>();
    vec![
        ("random", random[..n].to_vec()),
        ("0", vec![zero; n]),
        ("1", vec![one; n]),
        ("r - 1", vec![-one; n]),
        ("equal", vec![random[31]; n]),
        ("0 and 1", all(&|i| if i % 2 == 0 { zero } else { one })),
        ("1 and r - 1", all(&|i| if i % 2 == 0 { one } else { -one })),
        ("2^k", all(&power)),
        ("2^k - 1", all(&|i| power(i) - one)),
        ("2^k + 1", all(&|i| power(i) + one)),
        ("32 distinct", all(&|i| random[i % 32])),
    ]
}

/// All kinds of scalars, one seed of the schedule each; a third of them in a short run, which ones by `n`:
/// the lengths of a test have other remainders by seven, so that together they have all kinds.
fn sums<G: Group>(n: usize, options: &MsmOptions) {
    let points = Terms::<G>::new(n, 1).points;
    let step = Size::from_env().pick(3, 1);
    for (seed, (name, scalars)) in (1..).zip(hard_scalars::<G>(n)).skip(n % 7 % step).step_by(step) {
        let emulator = emulator(seed);
        let plan = Msm::<G>::new(&on(&emulator), &points, options.clone()).unwrap();
        let found = plan.run(&scalars).unwrap();
        assert_eq!(found, sum::<G>(&points, &scalars), "{n} of {} {name}, {options:?}", G::NAME);
        let sorts = ["bucket_counts", "bucket_scatter"].map(|kernel| launches(&emulator, kernel));
        assert!(n == 0 || (sorts[0] == sorts[1] && sorts[0] > 0), "{sorts:?}");
        let others = emulator.launches().into_iter().map(|launch| launch.symbol);
        let mut others = others.filter(|symbol| symbol.contains("radix") || symbol.contains("bucket_starts"));
        assert_eq!(others.next(), None);
    }
}

#[test]
fn hard_scalars_of_a_toy_curve() {
    let plain = MsmOptions::default();
    for n in [0, 1, 31, 33, 127, 129] {
        sums::<toy_curve::G1>(n, &plain);
    }
    for n in [1, 31, 33] {
        for options in [
            plain.clone().window(3),
            plain.clone().window(3).multiples(2),
            plain.clone().window(2).multiples(300),
            plain.clone().stored_doublings(1).window(4),
            plain.clone().stored_doublings(3).window(4).multiples(2),
            plain.clone().stored_doublings(100).window(8).multiples(300),
            plain.clone().strategy(MsmStrategy::RowBalanced),
            plain.clone().constant_work(),
            plain.clone().constant_work().window(2).multiples(3),
        ] {
            sums::<toy_curve::G1>(n, &options);
        }
    }
    sums::<toy_tower::G2>(33, &plain);
    sums::<toy_edwards::G1>(33, &plain.multiples(3));
}

#[test]
fn hard_scalars_of_real_curves() {
    let plain = MsmOptions::default();
    for n in [1, 31] {
        sums::<bn254::G1>(n, &plain);
    }
    sums::<bn254::G1>(33, &plain.clone().window(9).multiples(3));
    sums::<bn254::G1>(17, &plain.clone().stored_doublings(8).window(9));
    sums::<bls12_381::G1>(9, &plain);
    // By sums of affine pairs and on pairs of lanes.
    sums::<bls12_381::G2>(5, &plain.strategy(MsmStrategy::BatchedAffine).window(3));
}

#[test]
fn other_calls_count_too() {
    shapes::ranges::<toy_curve::G1>(&device(3), 40);
    shapes::batches::<toy_curve::G1>(&device(1), 40);
    shapes::masked::<toy_curve::G1>(&device(9), 40);
    for tau in [1, 4, 100] {
        odd::sums::<toy_curve::G1>(&device(2), 50, &MsmOptions::default().stored_doublings(tau));
    }
    // One sort for both groups.
    let emulator = emulator(4);
    let (g, h) = (Terms::<toy_curve::G1>::new(33, 5), Terms::<toy_curve::G2>::new(33, 6));
    let of_g = Msm::<toy_curve::G1>::new(&on(&emulator), &g.points, MsmOptions::default()).unwrap();
    let of_h = Msm::<toy_curve::G2>::new(of_g.device(), &h.points, MsmOptions::default()).unwrap();
    let expected = (g.sum(), sum::<toy_curve::G2>(&h.points, &g.scalars));
    assert_eq!(of_g.run_with(&of_h, &g.scalars).unwrap(), expected);
    assert_eq!(launches(&emulator, "bucket_scatter"), 1);
}

#[test]
fn what_it_takes_is_known() {
    for options in [
        MsmOptions::default().window(3),
        MsmOptions::default().window(12),
        MsmOptions::default().window(12).multiples(3),
        MsmOptions::default().window(8).stored_doublings(20),
    ] {
        let emulator = Emulator::new(without_progress(EmulatorOptions::default()));
        memory::estimate::<toy_curve::G1>(&on(&emulator), &emulator, 3000, &options);
    }
    let streamed = |window| {
        let emulator = Emulator::new(without_progress(EmulatorOptions::default()));
        streamed::within_budgets::<toy_curve::G1>(&emulator, 600, &MsmOptions::default().window(window));
    };
    [4, 9].into_iter().for_each(streamed);
}

/// The same instructions on the same lanes for all scalars of constant work, whose codes have no zeros. Of
/// others they differ.
#[test]
fn constant_work_has_one_trace() {
    type G = bn254::G1;
    let n = 40;
    let points = Terms::<G>::new(n, 3).points;
    let traces = |options: &MsmOptions, scalars: &[ScalarOf<G>]| {
        let emulator = Emulator::new(without_progress(EmulatorOptions::default().trace(true)));
        let plan = Msm::<G>::new(&on(&emulator), &points, options.clone()).unwrap();
        emulator.clear_launches();
        assert_eq!(plan.run(scalars).unwrap(), sum::<G>(&points, scalars));
        let log = emulator.launches().into_iter();
        log.map(|launch| (launch.symbol, launch.grid, launch.trace)).collect::<Vec<_>>()
    };
    let sets: Vec<_> = hard_scalars::<G>(n).into_iter().take(5).map(|(_, scalars)| scalars).collect();
    for options in [MsmOptions::default().window(4), MsmOptions::default().window(10).multiples(300)] {
        let constant = options.clone().constant_work();
        let found: Vec<_> = sets.iter().map(|scalars| traces(&constant, scalars)).collect();
        assert!(found.windows(2).all(|pair| pair[0] == pair[1]), "{found:?}");
        assert_ne!(traces(&options, &sets[0]), traces(&options, &sets[1]));
    }
}
