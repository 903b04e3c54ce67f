//! The committed source is what the compiler emits now. `BLESS=1` writes it.

use curvesmith_codegen::declaration::FieldDesc;
use curvesmith_codegen::passes::prepare;
use curvesmith_codegen::targets::BackEnd;
use curvesmith_codegen::targets::portable::{Portable, library};
use num_bigint::BigUint;
use std::path::Path;

const FIELDS: [(&str, &str); 4] = [
    ("bn254_fq", "30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47"),
    (
        "bls12_381_fq",
        "1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaab",
    ),
    ("secp256k1_fq", "fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f"),
    ("p279", "7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffbb"),
];

#[test]
fn the_source_is_what_is_committed() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/portable/generated");
    for (name, p) in FIELDS {
        let field = FieldDesc::new(name, BigUint::parse_bytes(p.as_bytes(), 16).unwrap());
        let functions: Result<Vec<_>, _> = library(&field).iter().map(prepare).collect();
        let text = Portable::emit(&functions.unwrap(), ()).unwrap().text;
        let path = folder.join(format!("{name}.rs"));
        if std::env::var_os("BLESS").is_some() {
            std::fs::write(&path, &text).unwrap();
        }
        let committed = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(committed == text, "{} differs: BLESS=1 rewrites it, if it is meant", path.display());
    }
}
