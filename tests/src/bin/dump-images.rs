//! Writes the PTX of every embedded kernel image to a folder, for `cargo xtask validate`.
//!
//! The images are those that the macros put into the built crates; nothing is emitted here.
//! `images.json` lists them: `name`, `file`, `min_compute`, `limbs` (words of a coordinate or
//! element times its extension degree, `null` for the common image) and `kernels`, each with
//! `symbol` and `name`.

use anyhow::{Context, Result, ensure};
use curvesmith_abi::Image;
use curvesmith_curves::{bls12_381, bn254, toy};
use curvesmith_runtime::common;
use curvesmith_runtime::field::Field;
use curvesmith_runtime::group::Group;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

fn main() -> Result<()> {
    let folder = std::env::args_os().nth(1).context("usage: dump-images <folder>")?;
    let mut dump = Dump::new(Path::new(&folder))?;
    dump.images("common", common::images(), None)?;
    dump.field::<bn254::FqField>()?;
    dump.field::<bn254::FrField>()?;
    dump.group::<bn254::G1>()?;
    dump.group::<bn254::G2>()?;
    dump.field::<bls12_381::FqField>()?;
    dump.field::<bls12_381::FrField>()?;
    dump.group::<bls12_381::G1>()?;
    dump.group::<bls12_381::G2>()?;
    dump.field::<toy::toy17::FpField>()?;
    dump.field::<toy::toy7681::FpField>()?;
    dump.field::<toy::babybear::FpField>()?;
    dump.field::<toy::toy_curve::FqField>()?;
    dump.field::<toy::toy_curve::FrField>()?;
    dump.group::<toy::toy_curve::G1>()?;
    dump.group::<toy::toy_curve::G2>()?;
    dump.finish()
}

struct Dump {
    folder: PathBuf,
    images: BTreeMap<String, (Image, Value)>,
}

impl Dump {
    fn new(folder: &Path) -> Result<Dump> {
        std::fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
        Ok(Dump { folder: folder.to_owned(), images: BTreeMap::new() })
    }

    fn field<F: Field>(&mut self) -> Result<()> {
        self.images(F::NAME, F::images(), Some(F::WORDS))
    }

    fn group<G: Group>(&mut self) -> Result<()> {
        self.images(G::NAME, G::images(), Some(G::Base::WORDS * G::DEGREE))
    }

    fn images(&mut self, owner: &str, images: &[&[u8]], limbs: Option<usize>) -> Result<()> {
        ensure!(!images.is_empty(), "{owner} embeds no image");
        for bytes in images {
            let image = Image::decode(bytes).with_context(|| format!("an image of {owner}"))?;
            if let Some((same, _)) = self.images.get(&image.name) {
                ensure!(*same == image, "two images are called {}", image.name);
                continue;
            }
            let ptx =
                zstd::decode_all(&image.ptx_zstd[..]).with_context(|| format!("PTX of {}", image.name))?;
            ensure!(
                ptx.len() as u64 == image.ptx_len,
                "{}: {} bytes of PTX, not {}",
                image.name,
                ptx.len(),
                image.ptx_len
            );
            let file = format!("{}.ptx", image.name);
            let path = self.folder.join(&file);
            std::fs::write(&path, ptx).with_context(|| format!("cannot write {}", path.display()))?;
            let kernels: Vec<_> =
                image.kernels.iter().map(|k| json!({ "symbol": k.symbol, "name": k.name })).collect();
            let entry = json!({
                "name": image.name,
                "file": file,
                "min_compute": image.min_compute,
                "limbs": limbs,
                "kernels": kernels,
            });
            self.images.insert(image.name.clone(), (image, entry));
        }
        Ok(())
    }

    fn finish(self) -> Result<()> {
        let list: Vec<_> = self.images.into_values().map(|(_, entry)| entry).collect();
        let path = self.folder.join("images.json");
        std::fs::write(&path, format!("{:#}", Value::from(list)))
            .with_context(|| format!("cannot write {}", path.display()))
    }
}
