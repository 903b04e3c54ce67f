//! Compiles and runs the code of the README and of the curvesmith book.
//!
//! Every page is the documentation of an item here, so that rustdoc tests it. The build script finds the
//! pages.

#![cfg(doctest)]

include!(concat!(env!("OUT_DIR"), "/pages.rs"));
