//! PTX texts as they are compressed: numbers of names as differences.
//!
//! Code that a compiler wrote repeats itself, but for the numbers of its registers and labels, which count
//! up. A number at the end of a name is written as its difference to the number that stood in the same place
//! before: the names of both end alike without the number, and are as many names from the beginning of their
//! lines. What is left of unrolled and inlined code are equal lines, which a compressor finds.

use crate::ImageError;

/// Differences, zigzag, 5 bits a byte, the lowest first.
const MORE: u8 = 0x80;
const LAST: u8 = 0xa0;
/// Before a byte that is no ASCII.
const RAW: u8 = 0xff;

/// Longest number that is written as a difference.
const DIGITS: usize = 9;
/// Numbers of a line that have places of their own.
const PLACES: usize = 16;

/// The last number at each place.
struct Numbers {
    /// By the byte before it and its place in the line.
    last: Box<[[i64; PLACES]; 128]>,
    /// Numbers of the line so far.
    place: usize,
}

impl Numbers {
    fn new() -> Self {
        Numbers { last: Box::new([[0; PLACES]; 128]), place: 0 }
    }

    /// The number before one after `kind`; `None` if no number follows such a byte.
    fn last(&mut self, kind: Option<u8>) -> Option<&mut i64> {
        let kind = kind.filter(|kind| kind.is_ascii_alphabetic() || b"_%$".contains(kind))?;
        let place = self.place.min(PLACES - 1);
        self.place += 1;
        Some(&mut self.last[usize::from(kind)][place])
    }

    /// The byte after `before` is the end of a line. Blocks count anew.
    fn end_line(&mut self, before: Option<u8>) {
        self.place = 0;
        if before == Some(b'{') {
            self.last.as_flattened_mut().fill(0);
        }
    }
}

/// The text with differences; [`decode`] is the inverse.
pub fn encode(text: &str) -> Vec<u8> {
    let (mut out, mut numbers) = (Vec::with_capacity(text.len()), Numbers::new());
    let (mut rest, mut before) = (text.as_bytes(), None);
    while let [byte, ..] = rest {
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let is_number = digits == 1 || (2..=DIGITS).contains(&digits) && *byte != b'0';
        if let Some(last) = is_number.then(|| numbers.last(before)).flatten() {
            let number = rest[..digits].iter().fold(0, |number, digit| 10 * number + i64::from(digit - b'0'));
            put(&mut out, number - *last);
            *last = number;
            (before, rest) = (Some(rest[digits - 1]), &rest[digits..]);
            continue;
        }
        // The digits of a longer one are no names' ends.
        let copied = digits.max(1);
        match byte {
            b'\n' => numbers.end_line(before),
            0x80.. => out.push(RAW),
            _ => {}
        }
        out.extend_from_slice(&rest[..copied]);
        (before, rest) = (Some(rest[copied - 1]), &rest[copied..]);
    }
    out
}

fn put(out: &mut Vec<u8>, difference: i64) {
    let mut zigzag = (difference << 1 ^ difference >> 63) as u64;
    while zigzag >= 32 {
        out.push(MORE | (zigzag & 31) as u8);
        zigzag >>= 5;
    }
    out.push(LAST | zigzag as u8);
}

/// The text that [`encode`] wrote so.
pub fn decode(bytes: &[u8]) -> Result<String, ImageError> {
    let damaged = ImageError::Damaged("wrong number of a name");
    let (mut out, mut numbers) = (Vec::with_capacity(2 * bytes.len()), Numbers::new());
    let mut rest = bytes.iter();
    while let Some(&byte) = rest.next() {
        match byte {
            0..MORE => {
                if byte == b'\n' {
                    numbers.end_line(out.last().copied());
                }
                out.push(byte);
            }
            RAW => out.push(*rest.next().ok_or(ImageError::Damaged("truncated text"))?),
            _ => {
                let (mut zigzag, mut shift, mut part) = (0u64, 0, byte);
                while (MORE..LAST).contains(&part) && shift < 40 {
                    zigzag |= u64::from(part & 31) << shift;
                    shift += 5;
                    part = *rest.next().ok_or(ImageError::Damaged("truncated text"))?;
                }
                if !(LAST..LAST + 32).contains(&part) {
                    return Err(damaged);
                }
                zigzag |= u64::from(part & 31) << shift;
                let difference = (zigzag >> 1) as i64 ^ -((zigzag & 1) as i64);
                let last = numbers.last(out.last().copied()).ok_or(damaged.clone())?;
                *last += difference;
                let number = u32::try_from(*last).ok().filter(|number| *number < 10u32.pow(DIGITS as u32));
                push_decimal(&mut out, number.ok_or(damaged.clone())?);
            }
        }
    }
    String::from_utf8(out).map_err(|_| ImageError::Damaged("text is not UTF-8"))
}

fn push_decimal(out: &mut Vec<u8>, mut number: u32) {
    let mut digits = [0; DIGITS];
    let mut first = DIGITS;
    loop {
        first -= 1;
        digits[first] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[first..]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_differ_by_counting_become_equal() {
        let code = encode("\tadd %r10, %r11, t0;\n\tadd %r13, %r14, t3;\n\tadd %r16, %r17, t6;\n");
        let lines: Vec<_> = code.split(|byte| *byte == b'\n').collect();
        assert_eq!(lines[1], b"\tadd %r\xa6, %r\xa6, t\xa6;");
        assert_eq!(lines[1], lines[2]);
        // A block counts anew, and so do blocks after it.
        let blocks = encode("{\nt7 t9\n}\n{\nt7 t9\n}\n");
        let (first, second) = blocks.split_at(blocks.len() / 2);
        assert_eq!(first, second);
    }

    #[test]
    fn texts_come_back() {
        let long = (0..40).map(|i| format!("r{} ", i * i * 1000)).collect::<String>();
        for text in [
            "",
            "7",
            "r",
            "r0 r00 r01 r999999999 r1000000000 r4294967295 r0",
            "%r1 $L__BB0_2: x0x1f3a 12ab34 v4.u32 [a+8] [a12-3] _5_6_7",
            "a1{\na1\na2{\na3",
            "größe1 größe3 ÿ4 \u{7f}9 \u{80}9",
            "r5\r\nr6\nr7",
            &long,
            &format!("{long}\n{long}"),
        ] {
            assert_eq!(decode(&encode(text)).as_deref(), Ok(text));
        }
    }

    /// Whatever bytes come, there is a text or an error.
    #[test]
    fn damage_is_an_error_and_no_panic() {
        let good = encode("%r100 %r7 $L5\nt3, t900000000 größe\n");
        for n in 0..good.len() {
            drop(decode(&good[..n]));
            for byte in 0..=255 {
                let mut bad = good.clone();
                bad[n] = byte;
                drop(decode(&bad));
            }
        }
        let damaged = Err(ImageError::Damaged("wrong number of a name"));
        // Nothing before the number, a byte that ends no name, a negative one, one that is too large, one
        // without end, an unused byte.
        for bytes in [
            &b"\xa2"[..],
            b"+\xa2",
            b"r\xa1",
            b"r\x80\x80\x80\x80\x80\x80\xbf",
            b"r\x80\x80\x80\x80\x80\x80\x80\x80\x80\xa0",
            b"r\xc3",
        ] {
            assert_eq!(decode(bytes), damaged, "{bytes:x?}");
        }
        for bytes in [&b"r\x81"[..], b"\xff"] {
            assert_eq!(decode(bytes), Err(ImageError::Damaged("truncated text")), "{bytes:x?}");
        }
        assert_eq!(decode(b"\xff\xfe"), Err(ImageError::Damaged("text is not UTF-8")));
    }
}
