//! The embedded PTX on a GPU; skipped loudly where there is none, unless `REQUIRE_GPU=1`.

use super::checks;
use curvesmith_curves::toy::{babybear, toy_curve};
use curvesmith_curves::{bls12_381, bn254};
use curvesmith_runtime::cuda::Cuda;
use curvesmith_runtime::kernels::Kernels;

fn gpu() -> Option<Cuda> {
    match Cuda::new(0) {
        Ok(gpu) => Some(gpu),
        Err(error) if std::env::var_os("REQUIRE_GPU").is_some_and(|v| v == "1") => panic!("{error}"),
        Err(error) => {
            eprintln!("SKIPPED, no GPU: {error}");
            None
        }
    }
}

#[test]
fn everything_the_emulator_does() {
    let Some(gpu) = gpu() else { return };
    let device = Kernels::new(gpu.clone()).unwrap();
    for n in [0, 1, 300, 100_000] {
        checks::pointwise::<_, toy_curve::FrField>(&device, n);
        checks::pointwise::<_, bn254::FrField>(&device, n);
        checks::pointwise::<_, bls12_381::FqField>(&device, n);
    }
    checks::ntts::<_, babybear::FpField>(&gpu, 0..=20);
    checks::ntts::<_, bn254::FrField>(&gpu, 0..=16);
    checks::ntts::<_, bls12_381::FrField>(&gpu, 0..=16);
    checks::sparse_products::<_, bn254::FrField>(&device, 100_000);
    for (n, key_bits) in [(0, 8), (1, 8), (1025, 17), (70_000, 21), (5_000_000, 32)] {
        checks::sort(&device, n, key_bits);
    }
    for n in [1, 2, 33, 300, 5000] {
        checks::msm::<_, toy_curve::G1>(&device, n, None);
        checks::msm::<_, bn254::G1>(&device, n, None);
        checks::msm::<_, bn254::G2>(&device, n, None);
        checks::msm::<_, bls12_381::G1>(&device, n, None);
        checks::msm::<_, bls12_381::G2>(&device, n, None);
    }
}
