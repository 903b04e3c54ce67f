//! Builds every feature of the declared curves by itself, and packages without what they have by
//! default.

use crate::shell;
use anyhow::{Context, Result, ensure};
use serde_json::Value;

/// The package whose features are curves.
const PACKAGE: &str = "curvesmith-curves";
/// Its features that are not.
const OTHERS: [&str; 3] = ["llvm", "default", "long-tests"];

/// Packages and features of theirs that are checked in place of the default ones. Without `llvm`
/// the images of kernels come from elsewhere, for `curvesmith-runtime` and what depends on it from
/// a folder that a check has not.
const WITHOUT_DEFAULT: [(&str, &str); 9] = [
    ("curvesmith-abi", ""),
    ("curvesmith-device", ""),
    ("curvesmith-emulator", ""),
    ("curvesmith-codegen", ""),
    ("curvesmith-field-dsl", ""),
    ("curvesmith-runtime", "llvm"),
    ("curvesmith-runtime", "llvm,emulator"),
    ("curvesmith", "llvm"),
    ("curvesmith", "llvm,known-answers"),
];

/// Checks the declared curves each alone, and with none, and other packages with few features.
pub(crate) fn run() -> Result<()> {
    let mut metadata = shell::cargo();
    let text = shell::output(metadata.args(["metadata", "--no-deps", "--format-version", "1"]))
        .context("`cargo metadata` failed")?;
    let curves = curves(&serde_json::from_str(&text).context("`cargo metadata` did not print JSON")?)?;
    let alone = curves.iter().map(|curve| (PACKAGE, format!("llvm,{curve}")));
    let others = WITHOUT_DEFAULT.map(|(package, features)| (package, features.to_owned()));
    for (package, features) in others.into_iter().chain([(PACKAGE, "llvm".to_owned())]).chain(alone) {
        let mut check = shell::cargo();
        check.args(["check", "--quiet", "--package", package, "--no-default-features"]);
        shell::run(check.args(["--features", &features]))?;
    }
    Ok(())
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
}
