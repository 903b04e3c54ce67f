//! Tokens to declarations. A fault costs one statement, not the rest of the declaration.

use crate::ast::{
    Bindings, Coordinates, CurveDeclaration, Field, FieldDeclaration, FieldOptions, Group, Header, Level,
    Model, Over, Rule, SmallSubgroup,
};
use crate::error::{self, Errors, Item};
use crate::family;
use crate::literal::Number;
use curvesmith_codegen::declaration::tower::DEGREES;
use proc_macro2::{Ident, Span, TokenTree};
use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::{Token, braced, bracketed, parenthesized, token};

/// Most tokens of a binding's path.
const MAX_PATH: usize = 256;
/// Longest module name: it becomes part of every kernel's symbol.
const MAX_NAME: usize = 64;

/// Keywords of a `field!`, of a `curve!`, and so on; every one is in the grammar of the book.
pub(crate) const FIELD_ITEMS: &[&str] =
    &["crate", "p", "generator", "two_adic_root", "small_subgroup", "arkworks"];
pub(crate) const CURVE_ITEMS: &[&str] =
    &["crate", "family", "fq", "fr", "fq2", "fq3", "fq4", "fq6", "fq12", "g1", "g2", "allow", "arkworks"];
pub(crate) const FIELD_OPTIONS: &[&str] = &["generator", "two_adic_root", "small_subgroup"];
pub(crate) const WEIERSTRASS_OPTIONS: &[&str] =
    &["a", "b", "generator", "cofactor", "edwards_form", "constant_work"];
pub(crate) const MONTGOMERY_OPTIONS: &[&str] = &["a", "b", "generator", "cofactor", "constant_work"];
pub(crate) const EDWARDS_OPTIONS: &[&str] = &["a", "d", "generator", "cofactor", "constant_work"];
/// Those of each that a group has to have come first.
const REQUIRED_OPTIONS: usize = 4;
pub(crate) const FIELD_BINDINGS: &[&str] = &["fp"];
pub(crate) const CURVE_BINDINGS: &[&str] =
    &["fq", "fr", "fq2", "fq3", "fq4", "fq6", "fq12", "g1", "g2", "engine"];
pub(crate) const LINTS: &[&str] = &["weak_curve"];

pub(crate) fn field(input: ParseStream) -> syn::Result<(FieldDeclaration, Errors)> {
    let mut errors = Errors::default();
    let (mut header, content) = header(input, &mut errors)?;
    let mut modulus = None;
    let mut options = FieldOptions::default();
    let mut bindings = None;
    let block = Block { of: "", kind: "item", keys: FIELD_ITEMS };
    let seen = statements(&content.0, &block, &mut errors, |input, key, errors| {
        match key.to_string().as_str() {
            "crate" => set(&mut header.krate, krate(input)?),
            "p" => set(&mut modulus, assigned(input)?),
            "arkworks" => set(&mut bindings, arkworks(input, key.span(), FIELD_BINDINGS, errors)?),
            _ => field_option(input, key, &mut options)?,
        }
        Ok(())
    });
    seen.require(&["p"], "", header.name.span(), &mut errors);
    if let Some((bindings, seen)) = &bindings {
        seen.require(&["fp"], "arkworks", bindings.span, &mut errors);
    }
    let field = modulus.map(|modulus| Field { modulus, options });
    trailing(input, &mut errors);
    Ok((FieldDeclaration { header, field, bindings: bindings.map(|b| b.0) }, errors))
}

pub(crate) fn curve(input: ParseStream) -> syn::Result<(CurveDeclaration, Errors)> {
    let mut errors = Errors::default();
    let (mut header, content) = header(input, &mut errors)?;
    let (mut fq, mut fr, mut g1, mut g2, mut bindings) = (None, None, None, None, None);
    let (mut levels, mut family) = (Vec::new(), None);
    let mut allow_weak = false;
    let block = Block { of: "", kind: "item", keys: CURVE_ITEMS };
    let seen = statements(&content.0, &block, &mut errors, |input, key, errors| {
        match key.to_string().as_str() {
            "crate" => set(&mut header.krate, krate(input)?),
            "family" => set(&mut family, family::family(input, errors)?),
            "fq" => set(&mut fq, prime_field(input, "fq", errors)?),
            "fr" => set(&mut fr, prime_field(input, "fr", errors)?),
            "g1" => return group(input, key, "g1", &mut g1, errors),
            "g2" => return group(input, key, "g2", &mut g2, errors),
            "allow" => {
                allow(input)?;
                allow_weak = true;
            }
            "arkworks" => set(&mut bindings, arkworks(input, key.span(), CURVE_BINDINGS, errors)?),
            name => match Over::named(name) {
                Some(name) => return level(input, key, name, &mut levels),
                None => return Err(input.error("unexpected token")),
            },
        }
        Ok(())
    });
    if !seen.has("family") {
        seen.require(&["fq", "fr", "g1"], "", header.name.span(), &mut errors);
    }
    if let Some((bindings, seen)) = &bindings {
        let mut required = vec!["fq", "fr", "g1"];
        required.extend((g2.is_some() || family.is_some()).then_some("g2"));
        seen.require(&required, "arkworks", bindings.span, &mut errors);
    }
    trailing(input, &mut errors);
    let bindings = bindings.map(|b| b.0);
    let mut declaration =
        CurveDeclaration { header, fq, fr, levels, g1, g2, bindings, allow_weak, pairing: None };
    if let Some(family) = family {
        family.fill(&mut declaration, &mut errors);
    }
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
        errors.push_error(syn::Error::new(input.span(), error::TRAILING));
        drain(input);
    }
}

/// Statements between braces: what they belong to, what they are called in messages, and their keywords.
pub(crate) struct Block<'a> {
    pub(crate) of: &'a str,
    pub(crate) kind: &'a str,
    pub(crate) keys: &'a [&'a str],
}

/// The keywords that were there, read or not.
#[derive(Default)]
pub(crate) struct Seen {
    keys: Vec<String>,
    /// A statement could not be told from any other.
    lost: bool,
}

impl Seen {
    fn has(&self, key: &str) -> bool {
        self.keys.iter().any(|seen| seen == key)
    }

    /// Reports what is missing, unless it is there and could not be read.
    pub(crate) fn require(&self, keys: &[&str], of: &str, span: Span, errors: &mut Errors) {
        for key in keys.iter().filter(|key| !self.lost && !self.keys.iter().any(|seen| seen == *key)) {
            errors.push(span, error::missing(Item { key, of }));
        }
    }
}

/// Runs `one` behind every keyword until the input ends. A fault costs one statement; a missing semicolon
/// before the next statement costs none.
pub(crate) fn statements(
    input: ParseStream,
    block: &Block<'_>,
    errors: &mut Errors,
    mut one: impl FnMut(ParseStream, &Ident, &mut Errors) -> syn::Result<()>,
) -> Seen {
    let mut seen = Seen::default();
    while !input.is_empty() {
        let key = match input.call(Ident::parse_any) {
            Ok(key) => key,
            Err(fault) => {
                errors.push(fault.span(), error::expected_statement(block.kind, block.of));
                seen.lost = true;
                skip_statement(input);
                continue;
            }
        };
        let name = key.to_string();
        let item = Item { key: &name, of: block.of };
        if !block.keys.contains(&name.as_str()) {
            errors.push(key.span(), error::unknown(block.kind, item, block.keys));
            seen.keys.extend(error::nearest(&name, block.keys).map(str::to_owned));
            skip_statement(input);
            continue;
        }
        if seen.keys.contains(&name) {
            errors.push(key.span(), error::repeated(item));
        }
        match one(input, &key, errors) {
            Ok(()) => seen.lost |= !semicolon(input, item, errors),
            Err(fault) => {
                errors.push_in(item, fault);
                skip_statement(input);
            }
        }
        seen.keys.push(name);
    }
    seen
}

/// `;`, which may be missing behind the braces of `arkworks`. Returns whether what follows is a statement.
fn semicolon(input: ParseStream, item: Item<'_>, errors: &mut Errors) -> bool {
    if input.peek(Token![;]) {
        skip_statement(input);
    } else if item.key != "arkworks" {
        errors.push(input.span(), error::semicolon(item));
        if !input.is_empty() && !input.peek(Ident::peek_any) {
            skip_statement(input);
            return false;
        }
    }
    true
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

/// The first value counts; a second one has been reported.
pub(crate) fn set<T>(slot: &mut Option<T>, value: T) {
    slot.get_or_insert(value);
}

/// `= value`
pub(crate) fn assigned<T: syn::parse::Parse>(input: ParseStream) -> syn::Result<T> {
    input.parse::<Token![=]>()?;
    input.parse()
}

/// `= path`
fn krate(input: ParseStream) -> syn::Result<syn::Path> {
    input.parse::<Token![=]>()?;
    bounded(input)?;
    input.call(syn::Path::parse_mod_style)
}

/// `(lint)`
fn allow(input: ParseStream) -> syn::Result<()> {
    let content;
    parenthesized!(content in input);
    whole(&content, |c| keyword(c, LINTS)).map(|_| ())
}

/// One of some words.
pub(crate) fn keyword(input: ParseStream, known: &[&str]) -> syn::Result<Ident> {
    let fault = |span, found: &str| syn::Error::new(span, error::expected(found, known));
    let word: Ident = input.call(Ident::parse_any).map_err(|e| fault(e.span(), ""))?;
    let found = word.to_string();
    if known.contains(&found.as_str()) { Ok(word) } else { Err(fault(word.span(), &found)) }
}

/// `= modulus [ { options } ]`
fn prime_field(input: ParseStream, name: &str, errors: &mut Errors) -> syn::Result<Field> {
    let modulus = assigned(input)?;
    let mut options = FieldOptions::default();
    if input.peek(token::Brace) {
        let content;
        braced!(content in input);
        let block = Block { of: name, kind: "option", keys: FIELD_OPTIONS };
        statements(&content, &block, errors, |input, key, _| field_option(input, key, &mut options));
    }
    Ok(Field { modulus, options })
}

pub(crate) fn field_option(input: ParseStream, key: &Ident, options: &mut FieldOptions) -> syn::Result<()> {
    match key.to_string().as_str() {
        "generator" => set(&mut options.generator, assigned(input)?),
        "two_adic_root" => set(&mut options.two_adic_root, assigned(input)?),
        _ => {
            input.parse::<Token![=]>()?;
            let base = Number::operand(input)?;
            input.parse::<Token![^]>()?;
            let power = input.parse()?;
            set(&mut options.small_subgroup, SmallSubgroup { base, power });
        }
    }
    Ok(())
}

/// A level that cannot be read is declared all the same.
fn level(input: ParseStream, key: &Ident, name: Over, levels: &mut Vec<Level>) -> syn::Result<()> {
    let (rule, read) = match extension(input) {
        Ok(rule) => (Some(rule), Ok(())),
        Err(error) => (None, Err(error)),
    };
    if levels.iter().all(|level| level.name != name) {
        levels.push(Level { name, span: key.span(), rule });
    }
    read
}

/// `= below[u] / (u^power - nonresidue)`
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
    whole(&content, |c| {
        expect_ident(c, &variable.to_string())?;
        c.parse::<Token![^]>()?;
        let Number { value, span: power_span } = Number::operand(c)?;
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
    })
}

/// `fq` or a level.
fn over(input: ParseStream) -> syn::Result<(Over, Span)> {
    let name = keyword(input, &Over::NAMES)?;
    // Every one of these is a name.
    Ok((Over::named(&name.to_string()).unwrap_or(Over::FQ), name.span()))
}

fn expect_ident(input: ParseStream, name: &str) -> syn::Result<()> {
    let ident: Ident = input.parse()?;
    if ident == name { Ok(()) } else { Err(syn::Error::new(ident.span(), error::EXTENSION)) }
}

/// A group that cannot be read is declared all the same.
fn group(
    input: ParseStream,
    key: &Ident,
    name: &str,
    slot: &mut Option<Group>,
    errors: &mut Errors,
) -> syn::Result<()> {
    let mut group = Group {
        span: key.span(),
        model: Model::ShortWeierstrass,
        over: Over::FQ,
        over_span: key.span(),
        a: None,
        other: None,
        generator: None,
        cofactor: None,
        edwards_form: None,
        constant_work: false,
    };
    let read = group_parts(input, name, &mut group, errors);
    set(slot, group);
    read
}

/// `: short_weierstrass over fq { … }`, or another model
fn group_parts(input: ParseStream, name: &str, group: &mut Group, errors: &mut Errors) -> syn::Result<()> {
    input.parse::<Token![:]>()?;
    let model = keyword(input, &Model::NAMES)?;
    // Every one of these is a model.
    group.model = Model::named(&model.to_string()).unwrap_or(Model::ShortWeierstrass);
    keyword(input, &["over"])?;
    (group.over, group.over_span) = over(input)?;
    let content;
    let braces = braced!(content in input);
    let keys = match group.model {
        Model::ShortWeierstrass => WEIERSTRASS_OPTIONS,
        Model::TwistedEdwards => EDWARDS_OPTIONS,
        Model::Montgomery => MONTGOMERY_OPTIONS,
    };
    let block = Block { of: name, kind: "option", keys };
    let seen = statements(&content, &block, errors, |input, key, _| {
        match key.to_string().as_str() {
            "a" => set(&mut group.a, assigned(input)?),
            "generator" => set(&mut group.generator, point(input)?),
            "cofactor" => set(&mut group.cofactor, assigned(input)?),
            "edwards_form" => group.edwards_form = Some(key.span()),
            "constant_work" => group.constant_work = true,
            _ => set(&mut group.other, assigned(input)?),
        }
        Ok(())
    });
    seen.require(&keys[..REQUIRED_OPTIONS], name, braces.span.close(), errors);
    Ok(())
}

/// `= (x, y)`
pub(crate) fn point(input: ParseStream) -> syn::Result<(Coordinates, Coordinates)> {
    input.parse::<Token![=]>()?;
    let content;
    parenthesized!(content in input);
    whole(&content, |c| {
        let x = c.parse()?;
        c.parse::<Token![,]>()?;
        let y = c.parse()?;
        if c.peek(Token![,]) {
            c.parse::<Token![,]>()?;
        }
        Ok((x, y))
    })
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

/// `{ key = path; … }`
fn arkworks(
    input: ParseStream,
    span: Span,
    keys: &[&str],
    errors: &mut Errors,
) -> syn::Result<(Bindings, Seen)> {
    let content;
    braced!(content in input);
    let mut paths = Vec::new();
    let block = Block { of: "arkworks", kind: "binding", keys };
    let seen = statements(&content, &block, errors, |input, key, _| {
        input.parse::<Token![=]>()?;
        bounded(input)?;
        paths.push((key.clone(), input.parse()?));
        Ok(())
    });
    Ok((Bindings { span, paths }, seen))
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
