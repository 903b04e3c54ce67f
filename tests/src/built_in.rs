//! The built-in curves, one after the other.

use curvesmith_curves::*;
use curvesmith_runtime::field::Field;
use curvesmith_runtime::group::Group;

/// What is done with a curve.
pub trait Visitor {
    /// With its scalar field.
    fn scalars<F: Field>(&mut self);
    /// With a group of it.
    fn group<G: Group>(&mut self);
}

macro_rules! built_in {
    ($($curve:ident: $($group:ident)+;)+) => {
        /// The modules of the curves, and the groups that each has.
        pub const BUILT_IN: &[(&str, &[&str])] = &[$((stringify!($curve), &[$(stringify!($group)),+])),+];

        /// Shows all built-in curves to a visitor, whose code is compiled for each.
        pub fn visit_built_in(visitor: &mut impl Visitor) {
            $(
                visitor.scalars::<$curve::FrField>();
                $(visitor.group::<$curve::$group>();)+
            )+
        }
    };
}

built_in! {
    bandersnatch: G1;
    bls12_377: G1 G2;
    bls12_381: G1 G2;
    bls24_315: G1 G2;
    bn254: G1 G2;
    bn462: G1 G2;
    bw6_761: G1 G2;
    curve25519: G1;
    grumpkin: G1;
    jubjub: G1;
    mnt4_298: G1 G2;
    mnt4_753: G1 G2;
    mnt6_298: G1 G2;
    mnt6_753: G1 G2;
    pallas: G1;
    secp256k1: G1;
    secp256r1: G1;
    vesta: G1;
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::path::Path;

    /// A curve that is declared and not listed would not be tested where all are.
    #[test]
    fn all_declared_curves_are_listed() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../curves/src");
        let mut declared: Vec<(String, Vec<&str>)> = fs::read_dir(folder)
            .expect("the folder of declarations")
            .map(|entry| entry.expect("a file").path())
            .filter_map(|path| Some((path.file_stem()?.to_str()?.to_owned(), path)))
            .filter(|(name, _)| name != "lib" && !name.starts_with("toy"))
            .map(|(name, path)| {
                let text = fs::read_to_string(path).expect("a text");
                let has = |group: &&str| text.contains(&format!("\n        {}: ", group.to_lowercase()));
                (name, ["G1", "G2"].into_iter().filter(has).collect())
            })
            .collect();
        declared.sort();
        let listed: Vec<_> =
            BUILT_IN.iter().map(|(name, groups)| ((*name).to_owned(), groups.to_vec())).collect();
        assert_eq!(declared, listed);
    }
}
