//! Tokens to declarations. A fault costs one statement, not the rest of the declaration.

use crate::ast::{
    Bindings, Coordinates, CurveDeclaration, Field, FieldDeclaration, FieldOptions, Group, Header, Level,
    Model, Over, Rule, SmallSubgroup,
};
use crate::error::{self, Errors};
use crate::literal::Number;
use curvesmith_codegen::spec::tower::DEGREES;
use proc_macro2::{Ident, Span, TokenTree};
use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::{Token, braced, bracketed, parenthesized, token};

/// Most tokens of a binding's path.
const MAX_PATH: usize = 256;
/// Longest module name: it becomes part of every kernel's symbol.
const MAX_NAME: usize = 64;

pub(crate) fn field(input: ParseStream) -> syn::Result<(FieldDeclaration, Errors)> {
    let mut errors = Errors::default();
    let (mut header, content) = header(input, &mut errors)?;
    let mut modulus = None;
    let mut options = FieldOptions::default();
    let mut bindings = None;
    statements(&content.0, &mut errors, |input, errors| {
        let key = input.call(Ident::parse_any)?;
        match key.to_string().as_str() {
            "crate" => krate(input, &key, &mut header, errors),
            "p" => set(&mut modulus, &key, assigned(input)?, errors),
            "arkworks" => set(&mut bindings, &key, arkworks(input, &["fp"], errors)?, errors),
            _ => field_option(input, &key, &mut options, errors, error::UNKNOWN_FIELD_ITEM),
        }
    });
    if modulus.is_none() && errors.is_empty() {
        errors.push(header.name.span(), error::missing("p"));
    }
    require_bindings(bindings.as_ref(), &["fp"], header.name.span(), &mut errors);
    let field = modulus.map(|modulus| Field { modulus, options });
    trailing(input, &mut errors);
    Ok((FieldDeclaration { header, field, bindings }, errors))
}

pub(crate) fn curve(input: ParseStream) -> syn::Result<(CurveDeclaration, Errors)> {
    let mut errors = Errors::default();
    let (mut header, content) = header(input, &mut errors)?;
    let (mut fq, mut fr, mut g1, mut g2, mut bindings) = (None, None, None, None, None);
    let mut levels = Vec::new();
    statements(&content.0, &mut errors, |input, errors| {
        let key = input.call(Ident::parse_any)?;
        match key.to_string().as_str() {
            "crate" => krate(input, &key, &mut header, errors),
            "fq" => set(&mut fq, &key, prime_field(input, errors)?, errors),
            "fr" => set(&mut fr, &key, prime_field(input, errors)?, errors),
            "g1" => set(&mut g1, &key, group(input, errors)?, errors),
            "g2" => set(&mut g2, &key, group(input, errors)?, errors),
            "arkworks" => {
                let keys = ["fq", "fr", "fq2", "fq3", "fq4", "fq6", "fq12", "g1", "g2", "engine"];
                set(&mut bindings, &key, arkworks(input, &keys, errors)?, errors)
            }
            "family" => Err(syn::Error::new(key.span(), error::FAMILY)),
            name => match Over::named(name) {
                Some(name) => level(input, &key, name, &mut levels, errors),
                None => Err(syn::Error::new(key.span(), error::UNKNOWN_CURVE_ITEM)),
            },
        }
    });
    // After a syntax error a part may be missing only because it could not be read.
    if errors.is_empty() {
        for (what, missing) in [("fq", fq.is_none()), ("fr", fr.is_none()), ("g1", g1.is_none())] {
            if missing {
                errors.push(header.name.span(), error::missing(what));
            }
        }
    }
    let mut required = vec!["fq", "fr", "g1"];
    required.extend(g2.is_some().then_some("g2"));
    require_bindings(bindings.as_ref(), &required, header.name.span(), &mut errors);
    trailing(input, &mut errors);
    let declaration = CurveDeclaration { header, fq, fr, levels, g1, g2, bindings };
    Ok((declaration, errors))
}

/// A brace group's content; a type of its own because [`syn::parse::ParseBuffer`] borrows.
struct Content<'a>(syn::parse::ParseBuffer<'a>);

fn header<'a>(input: ParseStream<'a>, errors: &mut Errors) -> syn::Result<(Header, Content<'a>)> {
    let attrs = input.call(syn::Attribute::parse_outer)?;
    let vis = input.parse()?;
    let keyword = input.parse()?;
    let name: Ident = input.parse()?;
    if !name.to_string().is_ascii() {
        errors.push(name.span(), error::MODULE_NAME);
    } else if name.to_string().len() > MAX_NAME {
        errors.push(name.span(), error::MODULE_NAME_TOO_LONG);
    }
    let content;
    let braces = braced!(content in input);
    Ok((Header { attrs, vis, keyword, name, braces, krate: None }, Content(content)))
}

fn trailing(input: ParseStream, errors: &mut Errors) {
    if !input.is_empty() {
        errors.push_error(input.error("unexpected token after the module"));
        drain(input);
    }
}

/// Runs `one` until the input ends; after a fault, goes on behind the next semicolon.
fn statements(
    input: ParseStream,
    errors: &mut Errors,
    mut one: impl FnMut(ParseStream, &mut Errors) -> syn::Result<()>,
) {
    while !input.is_empty() {
        if let Err(error) = one(input, errors) {
            errors.push_error(error);
            skip_statement(input);
        }
    }
}

fn skip_statement(input: ParseStream) {
    while let Ok(token) = input.parse::<TokenTree>() {
        if matches!(&token, TokenTree::Punct(punct) if punct.as_char() == ';') {
            return;
        }
    }
}

/// Leftover tokens of a nested buffer would become a second error in syn.
fn drain(input: ParseStream) {
    while input.parse::<TokenTree>().is_ok() {}
}

/// Parses all of a nested buffer.
pub(crate) fn whole<T>(
    content: ParseStream,
    parse: impl FnOnce(ParseStream) -> syn::Result<T>,
) -> syn::Result<T> {
    let result = parse(content).and_then(|value| {
        if content.is_empty() { Ok(value) } else { Err(content.error("unexpected token")) }
    });
    if result.is_err() {
        drain(content);
    }
    result
}

fn set<T>(slot: &mut Option<T>, key: &Ident, value: T, errors: &mut Errors) -> syn::Result<()> {
    if slot.is_some() {
        errors.push(key.span(), error::REPEATED);
    } else {
        *slot = Some(value);
    }
    Ok(())
}

/// `= value ;`
fn assigned<T: syn::parse::Parse>(input: ParseStream) -> syn::Result<T> {
    input.parse::<Token![=]>()?;
    let value = input.parse()?;
    input.parse::<Token![;]>()?;
    Ok(value)
}

fn krate(input: ParseStream, key: &Ident, header: &mut Header, errors: &mut Errors) -> syn::Result<()> {
    input.parse::<Token![=]>()?;
    let path = input.call(syn::Path::parse_mod_style)?;
    input.parse::<Token![;]>()?;
    set(&mut header.krate, key, path, errors)
}

/// `= modulus [ { options } ] ;`
fn prime_field(input: ParseStream, errors: &mut Errors) -> syn::Result<Field> {
    input.parse::<Token![=]>()?;
    let modulus = input.parse()?;
    let mut options = FieldOptions::default();
    if input.peek(token::Brace) {
        let content;
        braced!(content in input);
        statements(&content, errors, |input, errors| {
            let key = input.call(Ident::parse_any)?;
            field_option(input, &key, &mut options, errors, error::UNKNOWN_FIELD_OPTION)
        });
    }
    input.parse::<Token![;]>()?;
    Ok(Field { modulus, options })
}

fn field_option(
    input: ParseStream,
    key: &Ident,
    options: &mut FieldOptions,
    errors: &mut Errors,
    unknown: &str,
) -> syn::Result<()> {
    match key.to_string().as_str() {
        "generator" => set(&mut options.generator, key, assigned(input)?, errors),
        "two_adic_root" => set(&mut options.two_adic_root, key, assigned(input)?, errors),
        "small_subgroup" => {
            input.parse::<Token![=]>()?;
            let base = input.parse()?;
            input.parse::<Token![^]>()?;
            let power = input.parse()?;
            input.parse::<Token![;]>()?;
            set(&mut options.small_subgroup, key, SmallSubgroup { base, power }, errors)
        }
        _ => Err(syn::Error::new(key.span(), unknown)),
    }
}

/// A level that cannot be read is declared all the same.
fn level(
    input: ParseStream,
    key: &Ident,
    name: Over,
    levels: &mut Vec<Level>,
    errors: &mut Errors,
) -> syn::Result<()> {
    let (rule, read) = match extension(input) {
        Ok(rule) => (Some(rule), Ok(())),
        Err(error) => (None, Err(error)),
    };
    if levels.iter().any(|level| level.name == name) {
        errors.push(key.span(), error::REPEATED);
    } else {
        levels.push(Level { name, span: key.span(), rule });
    }
    read
}

/// `= below[u] / (u^power - nonresidue) ;`
fn extension(input: ParseStream) -> syn::Result<Rule> {
    input.parse::<Token![=]>()?;
    let (below, below_span) = over(input)?;
    let variable: Ident = {
        let content;
        bracketed!(content in input);
        whole(&content, |c| c.parse())?
    };
    input.parse::<Token![/]>()?;
    let content;
    parenthesized!(content in input);
    let rule = whole(&content, |c| {
        expect_ident(c, &variable.to_string())?;
        c.parse::<Token![^]>()?;
        let Number { value, span: power_span } = c.parse()?;
        let power = DEGREES.into_iter().find(|degree| value == (*degree).into());
        let power = power.ok_or_else(|| syn::Error::new(power_span, error::EXTENSION))?;
        let plus = c.peek(Token![+]);
        if plus {
            c.parse::<Token![+]>()?;
        } else {
            c.parse::<Token![-]>()?;
        }
        let mut nonresidue: Coordinates = c.parse()?;
        if plus {
            nonresidue.numbers.iter_mut().for_each(|n| n.value = -std::mem::take(&mut n.value));
        }
        Ok(Rule { below, below_span, power, power_span, nonresidue })
    })?;
    input.parse::<Token![;]>()?;
    Ok(rule)
}

/// `fq` or a level.
fn over(input: ParseStream) -> syn::Result<(Over, Span)> {
    let name: Ident = input.parse()?;
    let over = Over::named(&name.to_string()).ok_or_else(|| syn::Error::new(name.span(), error::OVER))?;
    Ok((over, name.span()))
}

fn expect_ident(input: ParseStream, name: &str) -> syn::Result<()> {
    let ident: Ident = input.parse()?;
    if ident == name { Ok(()) } else { Err(syn::Error::new(ident.span(), error::EXTENSION)) }
}

/// `: short_weierstrass over fq { … } ;`, or `twisted_edwards`
fn group(input: ParseStream, errors: &mut Errors) -> syn::Result<Group> {
    input.parse::<Token![:]>()?;
    let model_ident: Ident = input.parse()?;
    let model = match model_ident.to_string().as_str() {
        "short_weierstrass" => Model::ShortWeierstrass,
        "twisted_edwards" => Model::TwistedEdwards,
        _ => return Err(syn::Error::new(model_ident.span(), error::MODEL)),
    };
    let keyword: Ident = input.parse()?;
    if keyword != "over" {
        return Err(syn::Error::new(keyword.span(), "expected `over`"));
    }
    let (over, over_span) = over(input)?;
    let content;
    let braces = braced!(content in input);
    let (mut a, mut other, mut generator, mut cofactor) = (None, None, None, None);
    let mut own = Errors::default();
    statements(&content, &mut own, |input, errors| {
        let key = input.call(Ident::parse_any)?;
        match key.to_string().as_str() {
            "a" => set(&mut a, &key, assigned(input)?, errors),
            key_name if key_name == model.other() => set(&mut other, &key, assigned(input)?, errors),
            "generator" => set(&mut generator, &key, point(input)?, errors),
            "cofactor" => set(&mut cofactor, &key, assigned(input)?, errors),
            _ => Err(syn::Error::new(key.span(), error::unknown_group_option(model.other()))),
        }
    });
    if own.is_empty() {
        let parts = [
            ("a", a.is_none()),
            (model.other(), other.is_none()),
            ("generator", generator.is_none()),
            ("cofactor", cofactor.is_none()),
        ];
        for (what, missing) in parts {
            if missing {
                own.push(braces.span.close(), error::missing(what));
            }
        }
    }
    errors.append(own);
    input.parse::<Token![;]>()?;
    Ok(Group { model, over, over_span, a, other, generator, cofactor })
}

/// `= (x, y) ;`
fn point(input: ParseStream) -> syn::Result<(Coordinates, Coordinates)> {
    input.parse::<Token![=]>()?;
    let content;
    parenthesized!(content in input);
    let point = whole(&content, |c| {
        let x = c.parse()?;
        c.parse::<Token![,]>()?;
        let y = c.parse()?;
        if c.peek(Token![,]) {
            c.parse::<Token![,]>()?;
        }
        Ok((x, y))
    })?;
    input.parse::<Token![;]>()?;
    Ok(point)
}

impl syn::parse::Parse for Coordinates {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        if !input.peek(token::Bracket) {
            let number: Number = input.parse()?;
            let span = number.span;
            return Ok(Coordinates { numbers: vec![number], bracketed: false, span });
        }
        let content;
        let brackets = bracketed!(content in input);
        let numbers = whole(&content, |c| c.parse_terminated(Number::parse, Token![,]))?;
        let span: Span = brackets.span.join();
        Ok(Coordinates { numbers: numbers.into_iter().collect(), bracketed: true, span })
    }
}

/// `{ key = path; … } [;]`
fn arkworks(input: ParseStream, keys: &[&str], errors: &mut Errors) -> syn::Result<Bindings> {
    let content;
    braced!(content in input);
    let mut bindings = Bindings::default();
    statements(&content, errors, |input, errors| {
        let key = input.call(Ident::parse_any)?;
        if !keys.iter().any(|k| key == k) {
            let message = format!("{}: expected one of {}", error::UNKNOWN_BINDING, keys.join(", "));
            return Err(syn::Error::new(key.span(), message));
        }
        bounded(input)?;
        let path: syn::Path = assigned(input)?;
        if bindings.get(&key.to_string()).is_some() {
            errors.push(key.span(), error::REPEATED);
        }
        bindings.0.push((key, path));
        Ok(())
    });
    if input.peek(Token![;]) {
        input.parse::<Token![;]>()?;
    }
    Ok(bindings)
}

/// Refuses a statement whose path is long enough to nest too deeply for syn's recursion: a stack
/// that overflows would end rustc.
fn bounded(input: ParseStream) -> syn::Result<()> {
    let ahead = input.fork();
    let mut tokens = 0;
    while let Ok(token) = ahead.parse::<TokenTree>() {
        if matches!(&token, TokenTree::Punct(punct) if punct.as_char() == ';') {
            break;
        }
        tokens += 1;
        if tokens > MAX_PATH {
            return Err(input.error(error::PATH_TOO_LONG));
        }
    }
    Ok(())
}

fn require_bindings(bindings: Option<&Bindings>, required: &[&str], span: Span, errors: &mut Errors) {
    let Some(bindings) = bindings else { return };
    if !errors.is_empty() {
        return;
    }
    for key in required {
        if bindings.get(key).is_none() {
            let span = bindings.0.first().map_or(span, |(first, _)| first.span());
            errors.push(span, format!("{} in arkworks", error::missing(key)));
        }
    }
}
