//! What texts of WGSL and the devices that run them agree on: where a text has one part for devices with
//! words of 64 bits, which naga has beyond the language, and another one for all others.
//!
//! The first is a comment of the language, so that the text is one of the language as it is.

/// The function by which every module multiplies words, `low + 2^32·high = a·b + c + d`: by half products,
/// whose parts in units of `2^16` are added up with what carries.
pub const MUL_ADD: &str = "\
fn mul_add(a: u32, b: u32, c: u32, d: u32) -> vec2<u32> {
  let a0 = a & 0xffffu;
  let a1 = a >> 16u;
  let b0 = b & 0xffffu;
  let b1 = b >> 16u;
  let p00 = a0 * b0;
  let p01 = a0 * b1;
  let p10 = a1 * b0;
  let middle = (p00 >> 16u) + (p01 & 0xffffu) + (p10 & 0xffffu);
  let low = (middle << 16u) | (p00 & 0xffffu);
  let with_c = low + c;
  let all = with_c + d;
  let high = a1 * b1 + (p01 >> 16u) + (p10 >> 16u) + (middle >> 16u);
  return vec2<u32>(all, high + u32(with_c < c) + u32(all < d));
}
";

/// The same by words of 64 bits.
pub const MUL_ADD_64: &str = "\
fn mul_add(a: u32, b: u32, c: u32, d: u32) -> vec2<u32> {
  let all = u64(a) * u64(b) + u64(c) + u64(d);
  return vec2<u32>(u32(all), u32(all >> 32u));
}
";

const BEGIN: &str = "/* with words of 64 bits:\n";
const ELSE: &str = "else: */\n";
const END: &str = "// end\n";

/// A part by words of 64 bits, in lines of its own and without comments, and one that every device runs.
pub fn either(words_64: &str, others: &str) -> String {
    [BEGIN, words_64, ELSE, others, END].concat()
}

/// A text with the parts by words of 64 bits.
pub fn by_words_64(text: &str) -> String {
    let (mut out, mut rest) = (String::new(), text);
    while let Some((before, parts)) = rest.split_once(BEGIN)
        && let Some((words_64, others)) = parts.split_once(ELSE)
        && let Some((_, behind)) = others.split_once(END)
    {
        out.extend([before, words_64]);
        rest = behind;
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_has_both() {
        let text = format!("a\n{}b\n{}c\n", either("d\n", "e\n"), either("", "f\n"));
        assert_eq!(by_words_64(&text), "a\nd\nb\nc\n");
        assert_eq!(by_words_64("a\n"), "a\n");
        // What is cut short stays as it is.
        let short = text.strip_suffix("// end\nc\n").expect("it ends so");
        assert_eq!(by_words_64(short), format!("a\nd\nb\n{}", &either("", "f\n").replace(END, "")));
    }
}
