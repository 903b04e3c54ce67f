//! The block of a family.

use super::{COMMON, Family, Given, Kind, NAMES, TWISTS};
use crate::ast::{FieldOptions, Over};
use crate::error::{self, Errors};
use crate::parse::{Block, FIELD_OPTIONS, assigned, field_option, keyword, point, set, statements};
use curvesmith_codegen::declaration::family::Twist;
use proc_macro2::Ident;
use syn::parse::ParseStream;
use syn::{Token, braced, token};

/// `: name { options }`
pub(crate) fn family(input: ParseStream, errors: &mut Errors) -> syn::Result<Family> {
    input.parse::<Token![:]>()?;
    let name = keyword(input, NAMES)?;
    let text = name.to_string();
    // Every one of these is a name.
    let kind = Kind::named(&text).unwrap_or(Kind::Bls12);
    let content;
    let braces = braced!(content in input);
    let (required, optional) = kind.options();
    let keys = [required, optional, COMMON].concat();
    let (mut given, mut own) = (Given::default(), Errors::default());
    let block = Block { of: &text, kind: "option", keys: &keys };
    let seen =
        statements(&content, &block, &mut own, |input, key, errors| option(input, key, &mut given, errors));
    seen.require(required, &text, braces.span.close(), &mut own);
    let faults = own.into_error();
    let faulty = faults.is_some();
    faults.into_iter().for_each(|fault| errors.push_error(fault));
    Ok(Family { kind, span: name.span(), given, faulty })
}

/// One statement behind its key, which the family knows.
fn option(input: ParseStream, key: &Ident, given: &mut Given, errors: &mut Errors) -> syn::Result<()> {
    let name = key.to_string();
    let number = match name.as_str() {
        "x" => &mut given.x,
        "h_t" => &mut given.h_t,
        "h_y" => &mut given.h_y,
        "t_mod_x" => &mut given.t_mod_x,
        "p" => &mut given.p,
        "r" => &mut given.r,
        "a" => &mut given.a,
        "b" => &mut given.b,
        "fq" => return fields(input, &name, &mut given.fq, errors),
        "fr" => return fields(input, &name, &mut given.fr, errors),
        "twist" => return twist(input, given),
        "g1_generator" => {
            set(&mut given.g1, point(input)?);
            return Ok(());
        }
        "g2_generator" => {
            set(&mut given.g2, point(input)?);
            return Ok(());
        }
        _ => {
            let level = name.strip_suffix("_nonresidue").and_then(Over::named).unwrap_or(Over::FQ);
            given.nonresidues.push((level, assigned(input)?));
            return Ok(());
        }
    };
    set(number, assigned(input)?);
    Ok(())
}

/// `{ field options }`
fn fields(
    input: ParseStream,
    name: &str,
    slot: &mut Option<FieldOptions>,
    errors: &mut Errors,
) -> syn::Result<()> {
    if !input.peek(token::Brace) {
        return Err(syn::Error::new(input.span(), error::FAMILY_FIELD));
    }
    let content;
    braced!(content in input);
    let mut options = FieldOptions::default();
    let block = Block { of: name, kind: "option", keys: FIELD_OPTIONS };
    statements(&content, &block, errors, |input, key, _| field_option(input, key, &mut options));
    set(slot, options);
    Ok(())
}

/// `= m` or `= d`
fn twist(input: ParseStream, given: &mut Given) -> syn::Result<()> {
    input.parse::<Token![=]>()?;
    let word = keyword(input, TWISTS)?;
    let twist = if word == "m" { Twist::M } else { Twist::D };
    set(&mut given.twist, (twist, word.span()));
    Ok(())
}
