//! What `Debug` shows of public types: what they are, and no digit of what they hold.

use crate::field::{ElementOf, Field, MontLimbs};
use crate::group::{AffineOf, Group};
use crate::vocabulary::{Direction, Transform};
use crate::work::{SumBytes, Work};
use crate::*;
use ark_ec::{AffineRepr, CurveGroup};
use ark_ff::{Field as _, PrimeField, Zero as _};
use curvesmith_emulator::{Emulator, EmulatorOptions};
use std::collections::BTreeSet;
use std::fmt::Debug;
use std::path::Path;
use std::sync::Arc;

type Scalar = ark_bn254::Fr;

#[derive(Clone, Copy, Debug)]
struct Fq;
impl Field for Fq {
    type Ark = ark_bn254::Fq;
    const NAME: &'static str = "fq";
    const WORDS: usize = 8;
    fn images() -> &'static [u8] {
        &[]
    }
}
impl ElementOf<Fq> for ark_bn254::Fq {}

#[derive(Clone, Copy, Debug)]
struct Fr;
impl Field for Fr {
    type Ark = Scalar;
    const NAME: &'static str = "fr";
    const WORDS: usize = 8;
    fn images() -> &'static [u8] {
        &[]
    }
}
impl ElementOf<Fr> for Scalar {}

#[derive(Clone, Copy, Debug)]
struct G1;
impl Group for G1 {
    type Projective = ark_bn254::G1Projective;
    type Base = Fq;
    type Scalar = Fr;
    const NAME: &'static str = "g1";
    const DEGREE: usize = 1;
    fn images() -> &'static [u8] {
        &[]
    }
}

/// Types that hold no values of a caller: options, sizes, policies, constants of declarations, reports and
/// errors.
const WITHOUT_VALUES: &[&str] = &[
    "BinaryOp",
    "Cancel",
    "CofactorInverse",
    "ConstantWork",
    "Coordinates",
    "CubicPart",
    "Cuda",
    "CurveForm",
    "Detail",
    "DigitMap",
    "DigitShape",
    "Direction",
    "Edwards",
    "EdwardsForm",
    "FieldLanes",
    "FormError",
    "Gpu",
    "GroupLanes",
    "Kind",
    "MeasuredWindow",
    "MeasuredWindows",
    "Message",
    "MsmOptions",
    "MsmPolicy",
    "MsmStrategy",
    "Nonresidue",
    "NttBatch",
    "NttPolicy",
    "OddDigits",
    "Order",
    "Owner",
    "PartsPolicy",
    "PointLanes",
    "PointwisePolicy",
    "Policy",
    "Prices",
    "QuadraticPart",
    "SpMvOptions",
    "SpMvPolicy",
    "SpMvSchedule",
    "SpMvStrategy",
    "Span",
    "StreamParts",
    "Tier",
    "TuneOptions",
    "Tuned",
    "UnaryOp",
    "Weierstrass",
];

/// Types that hold values and cannot be shown.
const NOT_SHOWN: &[&str] = &["Block", "Rows", "WindowTerms"];

/// Neither of two implementations is the one that is meant where a type can be shown.
macro_rules! cannot_be_shown {
    ($($ty:ty),*) => {
        $(const _: fn() = || {
            struct Shown;
            trait Which<T> {
                fn is() {}
            }
            impl<T: ?Sized> Which<()> for T {}
            impl<T: ?Sized + Debug> Which<Shown> for T {}
            let _ = <$ty as Which<_>>::is;
        };)*
    };
}

cannot_be_shown!(host::WindowTerms<'static>);
#[cfg(target_arch = "x86_64")]
cannot_be_shown!(lanes::Block<'static>, lanes::Rows<'static>);

/// Every way in which a number's digits are written: of itself, of its negative and of their Montgomery
/// forms.
fn written<F: PrimeField + MontLimbs>(number: F) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for number in [number, -number] {
        found.insert(number.to_string());
        for limbs in [number.into_bigint().as_ref(), number.mont_limbs()] {
            for limb in limbs {
                for word in [limb & 0xffff_ffff, limb >> 32, *limb] {
                    found.extend([format!("{word}"), format!("{word:x}"), format!("{word:X}")]);
                }
                let bytes = limb.to_le_bytes().map(|byte| byte.to_string());
                found.insert(bytes[..4].join(","));
                found.insert(bytes.iter().rev().take(4).cloned().collect::<Vec<_>>().join(","));
            }
            found.extend([false, true].map(|upper| hex(limbs, upper)));
        }
    }
    // Shorter ones stand in addresses and sizes too.
    found.retain(|digits| digits.len() > 5);
    found
}

fn hex(limbs: &[u64], upper: bool) -> String {
    let text: String = limbs.iter().rev().map(|limb| format!("{limb:016x}")).collect();
    if upper { text.to_uppercase() } else { text }
}

struct Walk {
    secrets: BTreeSet<String>,
    walked: BTreeSet<&'static str>,
}

impl Walk {
    /// Shows a value of type `name`.
    fn shows(&mut self, name: &'static str, value: &dyn Debug) {
        for text in self.hides(value) {
            assert!(text.contains(name), "{text} does not say that it is a {name}");
        }
        self.walked.insert(name);
    }

    /// The texts of a value, which hold no secret.
    fn hides(&self, value: &dyn Debug) -> [String; 2] {
        let texts = [format!("{value:?}"), format!("{value:#?}")];
        for text in &texts {
            let bare: String = text.split_whitespace().collect();
            let shown = self.secrets.iter().find(|digits| bare.contains(*digits));
            assert!(shown.is_none(), "{} in {text}", shown.map_or("", |digits| digits));
        }
        texts
    }
}

fn secret() -> Scalar {
    Scalar::from(0x5ec2_e7ab_1234_5679u64).pow([9])
}

fn point() -> AffineOf<G1> {
    (AffineOf::<G1>::generator() * secret()).into_affine()
}

/// The names of the public types of this crate, from its text.
fn public_types(folder: &Path, found: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            public_types(&path, found);
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        // Not those that a macro makes for the expansions of others.
        for line in text.lines().filter(|line| !line.contains('$')) {
            let Some(name) = ["pub struct ", "pub enum "].iter().find_map(|kind| line.strip_prefix(kind))
            else {
                continue;
            };
            let end = name.find(|c: char| !c.is_alphanumeric()).unwrap_or(name.len());
            found.insert(name[..end].to_owned());
        }
    }
}

#[test]
fn no_value_is_shown() {
    let (x, y) = point().xy().unwrap();
    let secrets = [written(secret()), written(x), written(y)].into_iter().flatten().collect();
    let mut walk = Walk { secrets, walked: BTreeSet::new() };
    for device in
        [Device::cpu(), Device::with_kernels(Arc::new(Emulator::new(EmulatorOptions::default())), None)]
    {
        memory(&mut walk, &device);
    }
    values(&mut walk);
    plans(&mut walk);
    errors(&walk);
    let mut all = BTreeSet::new();
    public_types(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut all);
    let without: BTreeSet<&str> = WITHOUT_VALUES.iter().copied().collect();
    assert_eq!(without.intersection(&walk.walked).next(), None);
    let known = without.union(&walk.walked).chain(NOT_SHOWN).map(|name| (*name).to_owned());
    let known: BTreeSet<String> = known.collect();
    assert_eq!(known, all, "every public type is walked, or known to hold no values");
}

/// What a device's memory holds.
fn memory(walk: &mut Walk, device: &Device) {
    walk.shows("Device", device);
    let work = device.work().unwrap();
    let scalars = work.upload::<Fr>(&[secret(); 3]).unwrap();
    walk.shows("DeviceVec", &scalars);
    walk.shows("DeviceBases", &work.bases::<G1>(vec![point(); 3].into()).unwrap());
    walk.shows("Sums", &work.sums(64).unwrap());
    walk.shows("Work", &work);
    if let Some(stream) = work.stream() {
        walk.shows("Stream", stream);
        walk.shows("Buffer", &stream.words(4).unwrap());
    }
    walk.shows("Report", &work.finish().unwrap());
}

/// What calls on the CPU take and make.
fn values(walk: &mut Walk) {
    let csr = Csr { row_offsets: vec![0, 2], columns: vec![0, 1], values: vec![secret(); 2], width: 2 };
    walk.shows("Csr", &csr);
    let device = Device::cpu();
    let work: Work = device.work().unwrap();
    walk.shows("Matrix", &work.matrix::<Fr>(&csr).unwrap());
    walk.shows("HostBases", &host::bases::<G1>(vec![point(); 3].into()).unwrap());
    walk.shows("HostDigits", &host::digits::<Fr>(&[secret(); 3]).unwrap());
    let bases = work.bases::<G1>(vec![AffineOf::<G1>::generator()].into()).unwrap();
    let scalars = work.upload::<Fr>(&[secret()]).unwrap();
    let digits = work.digits::<Fr>(&scalars, work.digit_shape::<Fr>(1)).unwrap();
    walk.shows("Digits", &digits);
    let sums = work.sums(0).unwrap();
    let sum = work.msm_into(&digits, &bases, &sums).unwrap();
    // Its own coordinates are not those of the affine point.
    let point = sum.point(&SumBytes(Vec::new())).unwrap();
    walk.secrets.extend([point.x, point.y, point.z].into_iter().flat_map(written));
    walk.shows("Sum", &sum);
    let bytes: Vec<u8> = secret().mont_limbs().iter().flat_map(|limb| limb.to_le_bytes()).collect();
    walk.shows("SumBytes", &SumBytes(bytes));
    walk.shows("Transform", &Transform::new(Direction::Forward, secret()));
    walk.shows("NttOptions", &NttOptions::default().omega(secret()).shift(secret()));
    let omega = <Scalar as ark_ff::FftField>::get_root_of_unity(4).unwrap();
    walk.shows("NttTables", &work.ntt_tables::<Fr>(4, omega).unwrap());
    let job: Job<Vec<Scalar>> = Job::start(|_| Ok(vec![secret()]));
    while !job.is_finished() {
        std::thread::yield_now();
    }
    walk.shows("Job", &job);
}

fn plans(walk: &mut Walk) {
    let device = Device::cpu();
    let points = [point(); 2];
    walk.shows("Msm", &Msm::<G1>::new(&device, &points, MsmOptions::default()).unwrap());
    let devices = [Device::cpu(), Device::cpu()];
    walk.shows("ShardedMsm", &ShardedMsm::<G1>::new(&devices, &points, MsmOptions::default()).unwrap());
    walk.shows("StreamedMsm", &StreamedMsm::<G1>::new(&device, points, MsmOptions::default()).unwrap());
    walk.shows("Ntt", &Ntt::<Fr>::new(&device, 2, NttOptions::default().shift(secret())).unwrap());
    walk.shows("Pointwise", &Pointwise::<Fr>::new(&device).unwrap());
    let csr = Csr { row_offsets: vec![0, 1], columns: vec![0], values: vec![secret()], width: 1 };
    walk.shows("SpMv", &SpMv::<Fr>::new(&device, &csr, SpMvOptions::default()).unwrap());
}

/// What a caller did wrong with a secret.
fn errors(walk: &Walk) {
    let device = Device::cpu();
    let msm = Msm::<G1>::new(&device, &[point(); 2], MsmOptions::default()).unwrap();
    let mut large = secret().into_bigint();
    ark_ff::BigInteger::add_with_carry(&mut large, &Scalar::MODULUS);
    let csr = Csr { row_offsets: vec![0, 1], columns: vec![1], values: vec![secret()], width: 1 };
    let found = [
        msm.run(&[secret()]).unwrap_err(),
        msm.msm_bigint(&[large; 2]).unwrap_err(),
        Ntt::<Fr>::new(&device, 2, NttOptions::default().omega(secret())).unwrap_err(),
        Ntt::<Fr>::new(&device, 2, NttOptions::default().shift(Scalar::zero())).unwrap_err(),
        SpMv::<Fr>::new(&device, &csr, SpMvOptions::default()).unwrap_err(),
        Pointwise::<Fr>::new(&device).unwrap().add(&[secret()], &[]).unwrap_err(),
    ];
    for error in &found {
        walk.hides(error);
        walk.hides(&error.to_string());
    }
}
