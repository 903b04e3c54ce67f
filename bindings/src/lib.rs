//! What the libraries for C, Node and Python share.
//!
//! A binding knows the curve of a key when it reads it, and that of a sum when it is called; so everything
//! here takes and returns bytes and text, and no type of a curve. The code of each curve is compiled once, in
//! this package.
//!
//! Each call of a binding runs in [`call`], which turns panics into errors and refuses to work in a process
//! that was forked from one that had used the library.

mod call;
mod cancel;
mod curves;
mod device;
mod error;
mod key;
mod keys;
mod msm;
mod ntt;
mod verify;
mod words;

pub use call::call;
pub use cancel::Cancel;
pub use curves::{Shapes, curves, most_coordinate_bits, shapes};
pub use curvesmith::{Device, KeyOptions};
pub use device::{DEVICE, default_device, device, devices};
pub use error::{Error, ErrorKind, Result};
pub use key::{Key, Proof, Source, Stage};
pub use keys::{KEYS, Keys};
pub use msm::Msm;
pub use ntt::Ntt;
pub use verify::{Verdict, verify};
pub use words::Form;
