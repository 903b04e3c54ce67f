//! How a bundle's texts are compressed: by the C library where LLVM is linked too, else in Rust, which takes more room. Both write
//! what every decoder of zstd (RFC 8878) reads.

use crate::error::EmitError;

#[cfg(feature = "llvm")]
pub(crate) fn compress(bytes: &[u8]) -> Result<Vec<u8>, EmitError> {
    use zstd::bulk::Compressor;
    use zstd::zstd_safe::{CParameter, Strategy};
    // On texts of BLS12-381 (4.2 MB), one bundle a declaration: zstd's level 9 gives 288 kB in 0.15 s, this 248 kB in 0.4 s, level
    // 17 239 kB in 1.2 s; at level 18 and each image by itself they are 286 kB.
    const PARAMETERS: [CParameter; 7] = [
        CParameter::WindowLog(23),
        CParameter::HashLog(22),
        CParameter::ChainLog(22),
        CParameter::SearchLog(2),
        CParameter::MinMatch(5),
        CParameter::TargetLength(32),
        CParameter::Strategy(Strategy::ZSTD_btopt),
    ];
    let mut compressor = Compressor::new(zstd::DEFAULT_COMPRESSION_LEVEL).map_err(EmitError::Compress)?;
    PARAMETERS.into_iter().try_for_each(|p| compressor.set_parameter(p)).map_err(EmitError::Compress)?;
    compressor.compress(bytes).map_err(EmitError::Compress)
}

#[cfg(not(feature = "llvm"))]
pub(crate) fn compress(bytes: &[u8]) -> Result<Vec<u8>, EmitError> {
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};
    Ok(compress_to_vec(bytes, CompressionLevel::Fastest))
}
