//! The file formats of circom and snarkjs: `.zkey`, `.wtns`, `.r1cs` and JSON.
//!
//! | file | content |
//! | --- | --- |
//! | `.zkey` | [`Zkey`]: Groth16 proving key, with the constraints' A and B matrices |
//! | `.wtns` | [`read_witness`]: value of every wire, canonical little-endian |
//! | `.r1cs` | [`R1csFile`]: a circuit's constraints |
//! | `proof.json`, `public.json`, `verification_key.json` | [`json`] |
//!
//! Nothing in a file is trusted: every length is checked against the file before
//! memory is taken, every value against its field, every index against its count.

mod curve;
mod format_error;
pub mod json;
mod r1cs;
mod sections;
mod source;
mod wtns;
mod zkey;

#[cfg(test)]
pub(crate) use curve::modulus;
pub use curve::{SnarkjsCurve, ZkeyCurve};
pub use format_error::{FormatError, R1csFileError, WtnsError, ZkeyError};
pub use r1cs::{R1csDimensions, R1csFile};
pub use wtns::{max_witness_bytes, parse_witness, read_witness};
pub use zkey::{Zkey, ZkeyDimensions, ZkeyFile};
