//! Windows that were measured go before the model's, and what cannot be a table of them is no table.

use super::{Terms, emulator, on};
use ark_std::rand::{SeedableRng, rngs::StdRng};
use curvesmith_curves::bn254;
use curvesmith_device::KernelDevice;
use curvesmith_emulator::{Emulator, EmulatorOptions};
use curvesmith_runtime::group::Group;
use curvesmith_runtime::policy::Policy;
use curvesmith_runtime::{
    Detail, Device, MeasuredWindow, MeasuredWindows, Msm, MsmOptions, RuntimeError, TuneOptions, Tuned,
    tune_windows,
};
use std::fs;
use std::path::Path;
use std::time::Instant;

type G = bn254::G1;
type Fr = <G as Group>::Scalar;
const N: usize = 40;

fn device() -> Device {
    on(&emulator())
}

fn tune(device: &Device, sizes: &[usize], options: &TuneOptions) -> Vec<Tuned> {
    let (mut found, mut rng) = (Vec::new(), StdRng::seed_from_u64(1));
    tune_windows::<G>(device, sizes, options, &mut rng, &mut |row| found.push(row)).unwrap();
    found
}

/// A row as measured, but for its window.
fn row(window: u32) -> MeasuredWindow {
    let tuned = tune(&device(), &[N], &TuneOptions::default().runs(1).reach(0));
    MeasuredWindow { window, ..tuned[0].row.clone() }
}

fn table(rows: &[MeasuredWindow]) -> MeasuredWindows {
    let mut windows = MeasuredWindows::default();
    rows.iter().for_each(|row| windows.insert(row.clone()));
    windows
}

/// A device with the table of a directory.
fn with_table(emulator: &Emulator, directory: &Path) -> Device {
    let windows = MeasuredWindows::load(directory, emulator);
    let policy = Policy { windows, ..Policy::for_device(emulator.properties()) };
    Device::on_emulator(emulator.clone(), Some(policy))
}

/// The window that the device likes without multiples, and the bytes of window sums of an MSM, whose result
/// is checked.
fn windows(device: &Device, options: MsmOptions) -> (u32, u64) {
    let terms = Terms::<G>::new(N, 1);
    let plan = Msm::<G>::new(device, &terms.points, options).unwrap();
    let (sum, report) = plan.run_with_report(&terms.scalars, Detail::Counts).unwrap();
    assert_eq!(sum, terms.sum());
    (device.work().unwrap().digit_shape::<Fr>(N).window, report.bytes_down)
}

/// What the default device does in windows of so many bits.
fn by_hand(window: u32) -> u64 {
    windows(&device(), MsmOptions::default().window(window)).1
}

#[test]
fn a_table_changes_the_window() {
    let directory = tempfile::tempdir().unwrap();
    let emulator = emulator();
    let (model, bytes) = windows(&device(), MsmOptions::default());
    assert_ne!(model, 7);
    assert_ne!(bytes, by_hand(7));
    let path = device().keep_windows(&table(&[row(7)]), Some(directory.path())).unwrap();
    assert_eq!(path.parent(), Some(directory.path()));
    let tuned = with_table(&emulator, directory.path());
    assert_eq!(windows(&tuned, MsmOptions::default()), (7, by_hand(7)));
    // What is set by hand wins; other sizes and short scalars have the model's.
    assert_eq!(windows(&tuned, MsmOptions::default().window(6)).1, by_hand(6));
    let model_of = |n| device().work().unwrap().digit_shape::<Fr>(n);
    let tuned_of = |n| tuned.work().unwrap().digit_shape::<Fr>(n);
    assert_eq!((tuned_of(2 * N).window, tuned_of(2 * N + 1)), (7, model_of(2 * N + 1)));
    let terms = Terms::<G>::new(N, 2);
    let bits: Vec<bool> = (0..N).map(|i| i % 3 == 0).collect();
    let ones: bn254::G1Projective = terms.points.iter().step_by(3).sum();
    let plan = Msm::<G>::new(&tuned, &terms.points, MsmOptions::default()).unwrap();
    assert_eq!(plan.msm_u1(&bits).unwrap(), ones);
    // Another row does not end the first.
    let more = MeasuredWindow { n: 1 << 20, ..row(13) };
    device().keep_windows(&table(&[more]), Some(directory.path())).unwrap();
    let both = with_table(&emulator, directory.path());
    let window = |n| both.work().unwrap().digit_shape::<Fr>(n).window;
    assert_eq!((window(N), window(1 << 20)), (7, 13));
}

#[test]
fn multiples_have_windows_of_their_own() {
    let directory = tempfile::tempdir().unwrap();
    let rows = [MeasuredWindow { most: 300, window: 9, ..row(7) }, row(7)];
    device().keep_windows(&table(&rows), Some(directory.path())).unwrap();
    let tuned = with_table(&emulator(), directory.path());
    let shape = |most| tuned.work().unwrap().shape_with_multiples::<Fr>(N, most);
    assert_eq!([1, 300].map(|most| shape(most).window), [7, 9]);
    let plan = Msm::<G>::new(&tuned, &Terms::<G>::new(N, 1).points, MsmOptions::default().multiples(300));
    assert_eq!(plan.unwrap().bases().multiples(), 29);
    windows(&tuned, MsmOptions::default().multiples(300));
}

#[test]
fn what_is_no_table_of_the_device_is_ignored() {
    let directory = tempfile::tempdir().unwrap();
    let emulator = emulator();
    let (model, _) = windows(&device(), MsmOptions::default());
    let ignored = |what: &str| {
        let tuned = with_table(&emulator, directory.path());
        assert_eq!(windows(&tuned, MsmOptions::default()).0, model, "{what}");
    };
    ignored("none");
    let path = device().keep_windows(&table(&[row(7)]), Some(directory.path())).unwrap();
    let whole = fs::read(&path).unwrap();
    for len in [0, 1, 31, 32, whole.len() / 2, whole.len() - 1] {
        fs::write(&path, &whole[..len]).unwrap();
        ignored("truncated");
    }
    let mut damaged = whole.clone();
    let last = damaged.len() - 10;
    damaged[last] ^= 1;
    fs::write(&path, damaged).unwrap();
    ignored("damaged");
    fs::write(&path, b"{}").unwrap();
    ignored("something else");

    // That of another device, as it is and under this one's name.
    fs::remove_file(&path).unwrap();
    let other = Emulator::new(EmulatorOptions::default().multiprocessors(5));
    let other = Device::on_emulator(other, None);
    let foreign = other.keep_windows(&table(&[row(7)]), Some(directory.path())).unwrap();
    assert_ne!(foreign, path);
    ignored("of another device");
    fs::copy(&foreign, &path).unwrap();
    ignored("of another device, renamed");

    // A damaged one is replaced. Rows of other kernels are none.
    let stale = MeasuredWindow { kernels: "0".repeat(32), ..row(7) };
    device().keep_windows(&table(&[stale]), Some(directory.path())).unwrap();
    ignored("of other kernels");
    device().keep_windows(&table(&[row(7)]), Some(directory.path())).unwrap();
    assert_eq!(windows(&with_table(&emulator, directory.path()), MsmOptions::default()).0, 7);
}

#[test]
fn a_table_that_cannot_be_written_is_an_error() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let rows = table(&[row(7)]);
    for device in [device(), Device::cpu()] {
        let error = device.keep_windows(&rows, Some(&file.path().join("below"))).unwrap_err();
        assert!(matches!(error, RuntimeError::Input { what: "measured windows", .. }), "{error}");
    }
}

#[test]
fn windows_around_the_models_are_measured() {
    let device = device();
    let options = TuneOptions::default().runs(2).reach(1).multiples(300);
    let found = tune(&device, &[30, 0, 20, 30], &options);
    let of = |tuned: &Tuned| (tuned.row.n, tuned.row.most);
    assert_eq!(found.iter().map(of).collect::<Vec<_>>(), [(20, 1), (20, 300), (30, 1), (30, 300)]);
    for Tuned { row, model, times, .. } in &found {
        assert!(times.len() > 1 && times[0].0 == *model, "{times:?}");
        assert!(times.iter().any(|(window, _)| *window == row.window));
        assert!(times.iter().all(|(window, time)| window.abs_diff(*model) <= 1 && !time.is_zero()));
        assert_eq!(row.field, "bn254_fr");
    }
    assert!(tune(&device, &[30], &options.until(Instant::now())).is_empty());
    let mut none = |_| panic!("nothing is measured there");
    let mut rng = StdRng::seed_from_u64(1);
    let error = tune_windows::<G>(&Device::cpu(), &[8], &TuneOptions::default(), &mut rng, &mut none);
    assert!(matches!(error, Err(RuntimeError::Input { what: "device", .. })));
}
