//! What a module begins with: products of words, and words of 64 bits as pairs, the low one first.

use super::Products;

/// `low + 2^32·high = a·b + c + d` by half products: the parts of `a·b` in units of `2^16` are added up with what carries.
const HALVES: &str = "\
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

const WORDS_64: &str = "\
fn mul_add(a: u32, b: u32, c: u32, d: u32) -> vec2<u32> {
  let all = u64(a) * u64(b) + u64(c) + u64(d);
  return vec2<u32>(u32(all), u32(all >> 32u));
}
";

const PAIRS: &str = "\
fn add_pair(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  let low = a.x + b.x;
  return vec2<u32>(low, a.y + b.y + u32(low < a.x));
}
fn sub_pair(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  return vec2<u32>(a.x - b.x, a.y - b.y - u32(a.x < b.x));
}
fn mul_pair(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  let low = mul_add(a.x, b.x, 0u, 0u);
  return vec2<u32>(low.x, low.y + a.x * b.y + a.y * b.x);
}
fn shl_pair(a: vec2<u32>, n: u32) -> vec2<u32> {
  let m = n & 31u;
  let carried = select((a.x >> 1u) >> (31u - m), 0u, m == 0u);
  let short = vec2<u32>(a.x << m, (a.y << m) | carried);
  return select(short, vec2<u32>(0u, a.x << m), n >= 32u);
}
fn shr_pair(a: vec2<u32>, n: u32) -> vec2<u32> {
  let m = n & 31u;
  let carried = select((a.y << 1u) << (31u - m), 0u, m == 0u);
  let short = vec2<u32>((a.x >> m) | carried, a.y >> m);
  return select(short, vec2<u32>(a.y >> m, 0u), n >= 32u);
}
fn lt_pair(a: vec2<u32>, b: vec2<u32>) -> bool {
  return a.y < b.y || (a.y == b.y && a.x < b.x);
}
";

/// The functions that every module has.
pub(super) fn text(products: Products) -> String {
    let mul_add = match products {
        Products::Halves => HALVES,
        Products::Words64 => WORDS_64,
    };
    mul_add.to_owned() + PAIRS
}
