//! Which package may depend on which.

use crate::shell;
use anyhow::{Context, Result};
use serde_json::Value;

/// Workspace packages and the workspace packages that their libraries may use. Packages
/// that are not listed (`tests`, `benches`, `docs`) may use all; tests of any may.
pub(super) const EDGES: &[(&str, &[&str])] = &[
    ("curvesmith-abi", &[]),
    ("curvesmith-codegen", &["curvesmith-abi"]),
    ("curvesmith-field-dsl", &["curvesmith-codegen", "curvesmith-abi"]),
    ("curvesmith-device", &["curvesmith-abi"]),
    ("curvesmith-emulator", &["curvesmith-abi", "curvesmith-device"]),
    ("curvesmith-wgpu", &["curvesmith-abi", "curvesmith-device"]),
    (
        "curvesmith-runtime",
        &[
            "curvesmith-abi",
            "curvesmith-device",
            "curvesmith-emulator",
            "curvesmith-field-dsl",
            "curvesmith-wgpu",
        ],
    ),
    ("curvesmith-curves", &["curvesmith-field-dsl", "curvesmith-runtime"]),
    ("curvesmith", &["curvesmith-runtime", "curvesmith-curves", "curvesmith-field-dsl"]),
    ("curvesmith-capi", &["curvesmith-bindings"]),
    ("curvesmith-sample", &[]),
    ("curvesmith-cli", &["curvesmith", "curvesmith-runtime", "curvesmith-curves", "curvesmith-sample"]),
    ("curvesmith-node", &["curvesmith-bindings"]),
    ("curvesmith-python", &["curvesmith-bindings"]),
    ("xtask", &[]),
];

/// Foreign packages that only some workspace packages may use outside tests.
pub(super) const OWNERS: &[(&str, &[&str])] = &[
    ("inkwell", &["curvesmith-codegen"]),
    ("llvm-sys", &["curvesmith-codegen"]),
    ("cudarc", &["curvesmith-runtime"]),
    ("wgpu", &["curvesmith-wgpu"]),
    ("syn", &["curvesmith-bindings", "curvesmith-field-dsl"]),
    ("quote", &["curvesmith-field-dsl"]),
    ("proc-macro2", &["curvesmith-field-dsl"]),
    ("clap", &["curvesmith-cli", "xtask", "curvesmith-benches", "curvesmith-tests"]),
    ("clap_complete", &["curvesmith-cli"]),
    ("clap_mangen", &["curvesmith-cli"]),
    ("indicatif", &["curvesmith-cli"]),
    ("redis", &["curvesmith-cli"]),
    ("mpi", &["curvesmith"]),
    ("napi", &["curvesmith-node"]),
    ("napi-build", &["curvesmith-node"]),
    ("napi-derive", &["curvesmith-node"]),
    ("numpy", &["curvesmith-python"]),
    ("pyo3", &["curvesmith-python"]),
    ("pyo3-build-config", &["curvesmith-python"]),
    ("ark-bn254", &["curvesmith-curves", "curvesmith-tests", "curvesmith-benches", "curvesmith-docs"]),
    ("ark-bls12-377", &["curvesmith-curves"]),
    ("ark-bw6-761", &["curvesmith-curves"]),
    ("ark-bls12-381", &["curvesmith-curves", "curvesmith-tests", "curvesmith-benches", "curvesmith-docs"]),
    (
        "ark-groth16",
        &[
            "curvesmith",
            "curvesmith-bindings",
            "curvesmith-cli",
            "curvesmith-tests",
            "curvesmith-benches",
            "curvesmith-docs",
        ],
    ),
];

/// One finding a forbidden edge.
pub(super) fn check() -> Result<Vec<String>> {
    let mut metadata = shell::cargo();
    let text = shell::output(metadata.args(["metadata", "--no-deps", "--format-version", "1"]))
        .context("`cargo metadata` failed")?;
    judge(&serde_json::from_str(&text).context("`cargo metadata` did not print JSON")?)
}

fn judge(metadata: &Value) -> Result<Vec<String>> {
    let packages = metadata["packages"].as_array().context("`cargo metadata` lists no packages")?;
    let name = |v: &Value| v["name"].as_str().unwrap_or_default().to_owned();
    let members: Vec<String> = packages.iter().map(name).collect();
    let mut findings = Vec::new();
    for (package, from) in packages.iter().zip(&members) {
        for dependency in package["dependencies"].as_array().into_iter().flatten() {
            // `kind` is null for an ordinary dependency.
            if dependency["kind"] == "dev" {
                continue;
            }
            let to = name(dependency);
            let allowed = if members.contains(&to) {
                EDGES.iter().find(|e| e.0 == from).is_none_or(|e| e.1.contains(&to.as_str()))
            } else {
                OWNERS.iter().find(|o| o.0 == to).is_none_or(|o| o.1.contains(&from.as_str()))
            };
            if !allowed {
                findings.push(format!("{from} may not depend on {to} [dependencies]"));
            }
        }
    }
    Ok(findings)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn forbidden_edges_are_named() {
        let package = |name: &str, deps: &[(&str, Value)]| {
            let deps: Vec<_> = deps.iter().map(|(n, kind)| json!({"name": n, "kind": kind})).collect();
            json!({"name": name, "dependencies": deps})
        };
        let normal = Value::Null;
        let metadata = json!({"packages": [
            package("curvesmith-abi", &[("curvesmith-runtime", normal.clone()), ("thiserror", normal.clone())]),
            package("curvesmith-runtime", &[("curvesmith-abi", normal.clone()), ("inkwell", normal.clone()), ("ark-bn254", json!("dev"))]),
            package("curvesmith-tests", &[("curvesmith-runtime", normal)]),
        ]});
        let findings = judge(&metadata).expect("metadata is well-formed");
        assert_eq!(
            findings,
            [
                "curvesmith-abi may not depend on curvesmith-runtime [dependencies]",
                "curvesmith-runtime may not depend on inkwell [dependencies]",
            ]
        );
    }
}
