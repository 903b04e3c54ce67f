//! `xtask-glue MODULE.wasm FOLDER`: the JavaScript that loads a module in a browser, in a folder.

use anyhow::{Result, bail};
use std::env::args_os;
use wasm_bindgen_cli_support::Bindgen;

fn main() -> Result<()> {
    let arguments: Vec<_> = args_os().skip(1).collect();
    let [module, folder] = &arguments[..] else { bail!("expected a module and a folder") };
    let mut bindgen = Bindgen::new();
    bindgen.input_path(module).web(true)?.typescript(false).remove_name_section(true);
    bindgen.remove_producers_section(true).generate(folder)
}
