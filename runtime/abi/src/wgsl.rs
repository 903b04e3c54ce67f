//! What texts of WGSL and the devices that run them agree on.

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

/// The same by words of 64 bits, which naga has beyond the language, for devices that have them.
pub const MUL_ADD_64: &str = "\
fn mul_add(a: u32, b: u32, c: u32, d: u32) -> vec2<u32> {
  let all = u64(a) * u64(b) + u64(c) + u64(d);
  return vec2<u32>(u32(all), u32(all >> 32u));
}
";

/// A text that multiplies by words of 64 bits. Nothing else of it changes; one that does not multiply stays
/// as it is.
pub fn by_words_64(text: &str) -> String {
    text.replacen(MUL_ADD, MUL_ADD_64, 1)
}
