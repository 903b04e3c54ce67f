//! How long expansions take.

use super::Result;
use super::sources::items;
use crate::error::Errors;
use crate::{check, expand, parse};
use proc_macro2::TokenStream;
use std::path::PathBuf;
use std::time::Instant;
use syn::parse::Parser;

/// One line a declaration: its name, the seconds from tokens to tokens, with the cache that
/// `CURVESMITH_CACHE` names, the words of its widest field and the highest degree of a group's coordinates.
pub(super) fn time(from: &[PathBuf]) -> Result<String> {
    let mut out = String::new();
    let mut line = |name: &str, start: Instant, [words, degree]: [usize; 2]| {
        out.push_str(&format!("{name}\t{:.4}\t{words}\t{degree}\n", start.elapsed().as_secs_f64()));
    };
    let start = Instant::now();
    expand::common(TokenStream::new(), &mut Errors::default());
    line("common", start, [1, 1]);
    for item in items(from)? {
        let start = Instant::now();
        let (name, tokens) = (item.name(), item.tokens.clone());
        let mut size = [1, 1];
        // Faults would be reported by rustc; what they cost is measured all the same.
        if item.is_curve {
            if let Ok((declaration, mut errors)) = parse::curve.parse2(tokens) {
                let model = check::curve(&declaration, &mut errors);
                if let Some(model) = &model {
                    let groups = [Some(&model.g1), model.g2.as_ref()].into_iter().flatten();
                    let degree = groups.map(|group| group.desc.degree()).max().unwrap_or(1);
                    size = [model.fq.desc.words.max(model.fr.desc.words), degree];
                }
                expand::curve(&declaration, model, &mut errors);
            }
        } else if let Ok((declaration, mut errors)) = parse::field.parse2(tokens) {
            let model = check::field(&declaration, &mut errors);
            size[0] = model.as_ref().map_or(1, |model| model.desc.words);
            expand::field(&declaration, model, &mut errors);
        }
        line(&name, start, size);
    }
    Ok(out)
}
