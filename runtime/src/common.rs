//! The kernels that no field or curve shapes: sort and scan, built once with this crate.

/// The embedded images, encoded [`curvesmith_abi::Bundle`]s, one a flavour.
pub fn images() -> &'static [u8] {
    curvesmith_field_dsl::common_images!()
}
