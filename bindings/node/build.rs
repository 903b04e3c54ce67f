//! What linkers of macOS and Windows need to build an addon.

fn main() {
    napi_build::setup();
}
