//! Builds every feature of the declared curves by itself, packages without what they have by default; all on
//! a machine that has no LLVM, as far as the build can tell, and with images that were made before.

use crate::shell;
use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::path::Path;

/// The package whose features are curves.
const PACKAGE: &str = "curvesmith-curves";
/// Its features that are not.
const OTHERS: [&str; 3] = ["llvm", "default", "long-tests"];

/// Packages and features of theirs that are checked in place of the default ones.
const WITHOUT_DEFAULT: [(&str, &str); 13] = [
    ("curvesmith-abi", ""),
    ("curvesmith-device", ""),
    ("curvesmith-emulator", ""),
    ("curvesmith-wgpu", ""),
    ("curvesmith-codegen", ""),
    ("curvesmith-field-dsl", ""),
    ("curvesmith-curves", "bn254"),
    ("curvesmith-runtime", ""),
    ("curvesmith-runtime", "emulator"),
    ("curvesmith-runtime", "wgpu"),
    ("curvesmith", ""),
    ("curvesmith", "known-answers"),
    ("curvesmith-cli", "bn254"),
];

/// Curves that are checked alone by every run: a pairing with a cycle of curves, one with a tower of degree
/// 24, an Edwards curve, and one without a pairing.
const EVERY_RUN: [&str; 4] = ["bls24-315", "jubjub", "mnt4-298", "secp256r1"];

/// Checks declared curves each alone, and with none, and other packages with few features. A long run checks
/// every curve.
pub(crate) fn run(images: &Path, long: bool) -> Result<()> {
    let mut metadata = shell::cargo();
    let text = shell::output(metadata.args(["metadata", "--no-deps", "--format-version", "1"]))
        .context("`cargo metadata` failed")?;
    let curves = curves(&serde_json::from_str(&text).context("`cargo metadata` did not print JSON")?)?;
    let curves = alone(&curves, long)?;
    let alone = curves.iter().map(|curve| (PACKAGE, (*curve).to_owned()));
    let others = WITHOUT_DEFAULT.map(|(package, features)| (package, features.to_owned()));
    for (package, features) in others.into_iter().chain([(PACKAGE, String::new())]).chain(alone) {
        let mut check = shell::without_llvm(shell::cargo());
        shell::with_images(&mut check, Some(images));
        check.args(["check", "--quiet", "--package", package, "--no-default-features"]);
        shell::run(check.args(["--features", &features]))?;
    }
    Ok(())
}

/// The curves to check.
fn alone(curves: &[String], long: bool) -> Result<Vec<&str>> {
    let missing = EVERY_RUN.iter().find(|name| !curves.iter().any(|curve| curve == *name));
    ensure!(missing.is_none(), "{PACKAGE} has no feature {missing:?}");
    let taken = |curve: &&String| long || EVERY_RUN.contains(&curve.as_str());
    Ok(curves.iter().filter(taken).map(String::as_str).collect())
}

fn curves(metadata: &Value) -> Result<Vec<String>> {
    let packages = metadata["packages"].as_array().context("`cargo metadata` lists no packages")?;
    let package = packages.iter().find(|package| package["name"] == PACKAGE);
    let features = package.and_then(|package| package["features"].as_object());
    let features = features.with_context(|| format!("`cargo metadata` lists no features of {PACKAGE}"))?;
    let curves: Vec<String> =
        features.keys().filter(|name| !OTHERS.contains(&name.as_str())).cloned().collect();
    ensure!(!curves.is_empty(), "{PACKAGE} has no features for curves");
    Ok(curves)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn curves_are_the_features_that_are_nothing_else() {
        let of = |features: Value| curves(&json!({"packages": [{"name": PACKAGE, "features": features}]}));
        let all = json!({"default": ["bn254"], "llvm": [], "bn254": [], "vesta": [], "long-tests": []});
        assert_eq!(of(all).expect("two curves"), ["bn254", "vesta"]);
        assert!(of(json!({"default": []})).is_err());
        assert!(curves(&json!({"packages": []})).is_err());
    }

    #[test]
    fn a_long_run_takes_every_curve() {
        let curves =
            [&EVERY_RUN[..], &["bn254"]].concat().iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        assert_eq!(alone(&curves, true).expect("all"), curves);
        assert_eq!(alone(&curves, false).expect("some"), EVERY_RUN);
        assert!(alone(&curves[1..], false).is_err());
    }
}
