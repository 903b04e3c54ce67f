//! `cargo curvesmith`: the macros as a program. It reads declarations in Rust source files and writes what
//! the compiler makes of them: images that a crate keeps beside its sources, and texts for
//! `cargo xtask dump`, `validate`, `replay` and `cost`.
//!
//! It is made of the macros' own modules, so that there is one reader of declarations and one list
//! of curves: the source that declares them.

mod ast;
mod check;
mod driver;
mod error;
mod expand;
mod expression;
mod family;
mod images;
mod known;
mod literal;
mod parallel;
mod parse;
#[cfg(test)]
mod tests;

use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match driver::run(&args) {
        Ok(text) => {
            use std::io::Write as _;
            // A reader that stops reading, like `head`, is no fault.
            let _ = std::io::stdout().write_all(text.as_bytes());
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}
