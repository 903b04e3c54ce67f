//! Gives the library the name that programs are linked to.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let system = std::env::var("CARGO_CFG_TARGET_OS").unwrap_or_default();
    let version = std::env::var("CARGO_PKG_VERSION_MAJOR").unwrap_or_default();
    // Calls from within go to this library, whatever others the process has.
    if ["linux", "freebsd", "netbsd", "openbsd"].contains(&&*system) {
        println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libcurvesmith.so.{version}");
        println!("cargo:rustc-cdylib-link-arg=-Wl,-Bsymbolic");
    }
}
