//! How long expansions take.

use super::Result;
use super::sources::items;
use crate::error::Errors;
use crate::{check, expand, parse};
use proc_macro2::TokenStream;
use std::path::PathBuf;
use std::time::Instant;
use syn::parse::Parser;

/// One line a declaration: its name and the seconds from tokens to tokens, with the cache that
/// `CURVESMITH_CACHE` names.
pub(super) fn time(from: &[PathBuf]) -> Result<String> {
    let mut out = String::new();
    let mut line = |name: &str, start: Instant| {
        out.push_str(&format!("{name}\t{:.4}\n", start.elapsed().as_secs_f64()));
    };
    let start = Instant::now();
    expand::common(TokenStream::new(), &mut Errors::default());
    line("common", start);
    for item in items(from)? {
        let start = Instant::now();
        let (name, tokens) = (item.name(), item.tokens.clone());
        // Faults would be reported by rustc; what they cost is measured all the same.
        if item.is_curve {
            if let Ok((declaration, mut errors)) = parse::curve.parse2(tokens) {
                let model = check::curve(&declaration, &mut errors);
                expand::curve(&declaration, model, &mut errors);
            }
        } else if let Ok((declaration, mut errors)) = parse::field.parse2(tokens) {
            let model = check::field(&declaration, &mut errors);
            expand::field(&declaration, model, &mut errors);
        }
        line(&name, start);
    }
    Ok(out)
}
