//! Sums over several processes are those of one. Each test starts itself again in processes of `mpirun`.

use ark_bn254::{Fr, G1Affine, G1Projective, G2Projective};
use ark_ec::{AffineRepr, CurveGroup, VariableBaseMSM};
use ark_ff::UniformRand;
use ark_std::rand::{SeedableRng, rngs::StdRng};
use curvesmith::mpi::{MpiError, MpiMsm, share};
use curvesmith::{Device, MsmOptions, RuntimeError, bn254};
use mpi::environment::Universe;
use mpi::traits::Communicator;
use std::process::Command;

/// Runs `in_each` in `processes` of mpirun; called in one of them, it is one.
fn processes(test: &str, processes: usize, in_each: impl FnOnce(Universe)) {
    if std::env::var_os("OMPI_COMM_WORLD_RANK").is_some() {
        return in_each(mpi::initialize().expect("one test a process"));
    }
    let mut run = Command::new("mpirun");
    run.args(["--oversubscribe", "-n", &processes.to_string()]);
    run.arg(std::env::current_exe().expect("a test has a path"));
    run.args([test, "--exact", "--nocapture", "--test-threads=1"]);
    // Containers have no other user, and no rights to read the memory of another process.
    run.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    run.env("OMPI_MCA_btl_vader_single_copy_mechanism", "none");
    let output = run.output().expect("mpirun is installed with the MPI this was linked to");
    let text =
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{text}");
    let passed = text.matches("1 passed").count();
    assert_eq!(passed, processes, "processes that ran the test: {text}");
}

fn inputs<P: CurveGroup<ScalarField = Fr> + UniformRand>(len: usize) -> (Vec<P::Affine>, Vec<Fr>) {
    let mut rng = StdRng::seed_from_u64(26);
    let bases: Vec<P> = (0..len).map(|_| P::rand(&mut rng)).collect();
    (P::normalize_batch(&bases), (0..len).map(|_| Fr::rand(&mut rng)).collect())
}

#[test]
fn two_processes_add_what_one_does() {
    processes("two_processes_add_what_one_does", 2, |universe| {
        let world = universe.world();
        assert_eq!(world.size(), 2);
        let device = Device::cpu();
        for len in [0, 1, 2, 33, 1000] {
            let (bases, scalars) = inputs::<G1Projective>(len);
            let mine = share(len, &world);
            let msm = MpiMsm::<bn254::G1>::new(&world, &device, &bases[mine.clone()], MsmOptions::default())
                .expect("fits");
            let expected = G1Projective::msm(&bases, &scalars).expect("as many").into_affine();
            for _ in 0..2 {
                let sum = msm.run(&scalars[mine.clone()]).expect("fits");
                assert_eq!(sum.into_affine(), expected, "{len} bases");
            }
        }
        let (bases, scalars) = inputs::<G2Projective>(100);
        // Shares of any lengths: all of them in one process.
        let mine = if world.rank() == 1 { 0..100 } else { 0..0 };
        let msm = MpiMsm::<bn254::G2>::new(&world, &device, &bases[mine.clone()], MsmOptions::default())
            .expect("fits");
        let sum = msm.run(&scalars[mine]).expect("fits");
        assert_eq!(sum, G2Projective::msm(&bases, &scalars).expect("as many"));
    });
}

#[test]
fn a_process_that_fails_holds_nobody_up() {
    processes("a_process_that_fails_holds_nobody_up", 3, |universe| {
        let world = universe.world();
        let (bases, scalars) = inputs::<G1Projective>(99);
        let mine = share(99, &world);
        let device = Device::cpu();
        let options = MsmOptions::default();
        let msm =
            MpiMsm::<bn254::G1>::new(&world, &device, &bases[mine.clone()], options.clone()).expect("fits");
        let wrong = if world.rank() == 1 { mine.start..mine.end - 1 } else { mine.clone() };
        match (world.rank(), msm.run(&scalars[wrong])) {
            (1, Err(MpiError::Here(RuntimeError::Length { .. }))) => {}
            (0 | 2, Err(MpiError::Elsewhere(failures))) => {
                assert_eq!(failures.len(), 1, "{failures:?}");
                assert_eq!(failures[0].rank, 1);
                assert!(failures[0].reason.contains("32"), "{}", failures[0].reason);
            }
            (rank, result) => panic!("process {rank}: {result:?}"),
        }
        // And the next call of all succeeds.
        let sum = msm.run(&scalars[mine.clone()]).expect("as many");
        assert_eq!(sum, G1Projective::msm(&bases, &scalars).expect("as many"));
        // A plan that one process cannot have, nobody has.
        let options = if world.rank() == 2 { options.window(99) } else { options };
        match (world.rank(), MpiMsm::<bn254::G1>::new(&world, &device, &bases[mine], options)) {
            (2, Err(MpiError::Here(_))) => {}
            (0 | 1, Err(MpiError::Elsewhere(failures))) => assert_eq!(failures[0].rank, 2),
            (rank, result) => panic!("process {rank}: {result:?}"),
        }
    });
}

#[test]
fn processes_that_mean_other_groups_are_told() {
    processes("processes_that_mean_other_groups_are_told", 2, |universe| {
        let world = universe.world();
        let device = Device::cpu();
        let options = MsmOptions::default();
        let error = match world.rank() {
            0 => MpiMsm::<bn254::G1>::new(&world, &device, &[G1Affine::generator()], options).err(),
            _ => MpiMsm::<bn254::G2>::new(&world, &device, &[], options).err(),
        };
        match error {
            Some(MpiError::OtherGroup { rank, .. }) => assert_eq!(rank, 1 - world.rank() as usize),
            other => panic!("{other:?}"),
        }
    });
}
