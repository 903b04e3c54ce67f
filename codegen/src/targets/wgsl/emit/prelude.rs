//! What a module begins with: products of words, and words of 64 bits as pairs, the low one first.

use curvesmith_abi::wgsl::{MUL_ADD, MUL_ADD_64, either};

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
pub(super) fn text() -> String {
    either(MUL_ADD_64, MUL_ADD) + PAIRS
}
