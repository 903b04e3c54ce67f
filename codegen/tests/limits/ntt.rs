//! Passes of transforms and their twiddles.

use super::field::Case;
use super::{Limits, Touched};
use curvesmith_abi::Kernel as Contract;
use curvesmith_abi::kernels::*;
use curvesmith_codegen::spec::FieldDesc;
use num_bigint::BigUint;

/// The most that `2^log_n < 2^31` allows.
const MOST: u32 = 30;

/// What a pass reads as twiddles.
#[derive(Clone, Copy, PartialEq)]
enum Form {
    Ones,
    Elements,
    /// Tables of so many entries.
    Tables(u64),
}

pub(super) fn passes(case: &mut Case) {
    let Case { field, limits } = case;
    let (words, bits) = (field.words, field.p.bits() as usize);
    let later = ntt_later_log_radix(words);
    let entries = NTT_TABLE.fit(words).entries(words) as u64;
    for log_r in 1..=ntt_max_log_radix(words) {
        for log_n in [log_r, 27, 28, MOST] {
            let pass = Pass { log_n, log_r, form: Form::Ones, log_done: 0 };
            let mut forms = vec![pass];
            if log_r >= later {
                let done =
                    [log_n / 2, log_n - log_r].into_iter().filter(|done| done + log_r <= log_n && *done > 0);
                forms.extend(done.map(|log_done| Pass { form: Form::Elements, log_done, ..pass }));
            }
            for pass in forms {
                match log_r {
                    1 => pass.check::<NttRadix2>(field, limits),
                    2 => pass.check::<NttRadix4>(field, limits),
                    3 => pass.check::<NttRadix8>(field, limits),
                    _ => pass.check::<NttRadix16>(field, limits),
                }
                match (pass.form, pass.last()) {
                    _ if log_r != 3 || log_n == 3 || !ntt_has_lazy(words, bits) => {}
                    (Form::Ones, _) => pass.check::<NttRadix8First>(field, limits),
                    (_, true) => pass.check::<NttRadix8Last>(field, limits),
                    (_, false) => pass.check::<NttRadix8Lazy>(field, limits),
                }
            }
        }
        let log_s = MOST - log_r;
        twiddles::<NttTwiddles>(field, limits, log_r, log_s, None);
        if ntt_has_tables(words, bits) && log_r >= NTT_TABLE_LOG_RADIX {
            // The tables are below 2^31 too.
            let fits = |log_s: u32| (((1 << log_r) - 1) * entries) << log_s < 1 << 31;
            let log_s = (0..=log_s).rev().find(|log_s| fits(*log_s)).expect("one fits");
            twiddles::<NttTwiddleTables>(field, limits, log_r, log_s, Some(entries));
            let log_n = log_s + log_r;
            for (log_n, log_done) in [(log_n, log_s), (log_n, 5), (27, 27 - log_r), (MOST, 13)] {
                let pass = Pass { log_n, log_r, form: Form::Tables(entries), log_done };
                match log_r {
                    3 => pass.check::<NttRadix8Table>(field, limits),
                    _ => pass.check::<NttRadix16Table>(field, limits),
                }
            }
        }
    }
}

#[derive(Clone, Copy)]
struct Pass {
    log_n: u32,
    log_r: u32,
    form: Form,
    log_done: u32,
}

impl Pass {
    fn last(self) -> bool {
        self.log_done + self.log_r == self.log_n
    }

    fn check<K: Contract>(self, field: &FieldDesc, limits: &mut Limits) {
        for turn in [1, (1 << self.log_r) - 1] {
            self.check_sign::<K>(field, limits, turn, 1);
            if self.last() {
                self.check_sign::<K>(field, limits, turn, -1);
            }
        }
    }

    /// `turn` is that of the contract for `sign = 1`.
    fn check_sign<K: Contract>(self, field: &FieldDesc, limits: &mut Limits, turn: i64, sign: i64) {
        let Pass { log_n, log_r, form, log_done } = self;
        let (n, r, s) = (1u64 << log_n, 1u64 << log_r, 1u64 << log_done);
        let scalars = [
            ("log_n", u64::from(log_n)),
            ("log_done", u64::from(log_done)),
            ("turn", (turn * sign) as u32 as u64),
            ("sign", sign as u32 as u64),
        ];
        // A table of zeros is that of zero.
        let contents = |buffer: &str, i: u64| Case::words(field, if buffer == "a" { i + 1 } else { 0 });
        limits.check::<K>(n / r, &scalars, contents, |j, touched: &mut Touched| {
            if j >= n / r {
                return;
            }
            let k = j % s;
            for q in 0..r {
                touched.read("a", j + q * (n / r));
                let twiddle = match form {
                    _ if q == 0 => 0..0,
                    Form::Ones => 0..0,
                    Form::Elements => q - 1..q,
                    Form::Tables(entries) => (q - 1) * entries..q * entries,
                };
                twiddle.for_each(|place| touched.read("twiddles", place * s + k));
                let start = i128::from(sign) * i128::from(r * (j - k) + k);
                let turned = (i128::from(turn * sign) * i128::from(q)).rem_euclid(i128::from(r));
                let at = (start + turned * i128::from(s)).rem_euclid(i128::from(n));
                touched.write("out", at as u64);
            }
        });
    }
}

/// The twiddles of a pass in radix `2^log_r` after `log_s` stages, as elements or as tables of so many entries.
fn twiddles<K: Contract>(
    field: &FieldDesc,
    limits: &mut Limits,
    log_r: u32,
    log_s: u32,
    entries: Option<u64>,
) {
    let s = 1u64 << log_s;
    let n = ((1 << log_r) - 1) * s;
    let contents = |buffer: &str, i: u64| match buffer {
        "base_pows" => Case::base_pow(field, i),
        _ => Case::words(field, 0u32),
    };
    let shape = NTT_TABLE.fit(field.words);
    limits.check::<K>(n, &[("log_done", u64::from(log_s)), ("n", n)], contents, |i, touched| {
        if i >= n {
            return;
        }
        let (q, k) = (i / s + 1, i % s);
        (0..32).filter(|j| (q * k) >> j & 1 == 1).for_each(|j| touched.read("base_pows", j));
        let power = Case::power(field, q * k);
        match entries {
            None => touched.write_words("out", (q - 1) * s + k, Case::words(field, power)),
            Some(entries) => {
                for e in 0..entries {
                    let exponent = 32 * (u64::from(shape.rows) + u64::from(shape.step) * e);
                    let integer = (&power * (BigUint::from(1u32) << exponent)) % &field.p;
                    let mut words = field.limbs(&integer);
                    words.resize(curvesmith_abi::padded_words(field.words), 0);
                    touched.write_words("out", ((q - 1) * entries + e) * s + k, words);
                }
            }
        }
    });
}
