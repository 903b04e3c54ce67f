//! Checked models to items.

mod bind;
mod engine;
mod field;
mod group;
mod lanes;
mod level;

use crate::ast::{Bindings, CurveDeclaration, FieldDeclaration, Header, Over};
use crate::check::{CurveModel, FieldModel, LevelModel, stand_in, stem};
use crate::error::{self, Errors};
use crate::images::{self, Declaration, Lanes};
use level::Source;
use num_bigint::BigUint;
use proc_macro2::{Delimiter, Group, Literal, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::spanned::Spanned;

/// Where expansions find the runtime and arkworks: `<crate path>::__private`.
struct Root(TokenStream);

impl ToTokens for Root {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        self.0.to_tokens(tokens);
    }
}

impl Root {
    fn new(header: &Header) -> Root {
        let krate = match &header.krate {
            Some(path) => inside(path).to_token_stream(),
            None => quote!(::curvesmith),
        };
        Root(quote!(#krate::__private))
    }
}

/// A path written beside the declaration, as it must be written inside its module.
fn inside(path: &syn::Path) -> syn::Path {
    let mut path = path.clone();
    let Some(first) = path.segments.first().filter(|_| path.leading_colon.is_none()) else { return path };
    let span = first.ident.span();
    let outer = syn::PathSegment::from(syn::Ident::new("super", span));
    if first.ident == "self" {
        path.segments[0] = outer;
    } else if first.ident == "super" {
        path.segments.insert(0, outer);
    }
    path
}

/// A binding's path in items that are [`located`]: it keeps its place, so that the compiler reports once that
/// it leads nowhere.
fn apart(path: &syn::Path) -> TokenStream {
    TokenTree::from(Group::new(Delimiter::None, path.to_token_stream())).into()
}

/// Items of something bound, so that the compiler reports their faults at the binding's path.
fn located(tokens: TokenStream, span: Span) -> TokenStream {
    let one = |mut token: TokenTree| {
        if let TokenTree::Group(group) = &token {
            if group.delimiter() == Delimiter::None {
                return token;
            }
            let mut inner = Group::new(group.delimiter(), located(group.stream(), span));
            inner.set_span(group.span());
            token = inner.into();
        }
        token.set_span(token.span().located_at(span));
        token
    };
    tokens.into_iter().map(one).collect()
}

/// The module of a `field!`; stand-ins and no images if the model is missing.
pub(crate) fn field(
    declaration: &FieldDeclaration,
    model: Option<FieldModel>,
    errors: &mut Errors,
) -> TokenStream {
    let root = Root::new(&declaration.header);
    let valid = model.is_some();
    let model = model.unwrap_or_else(|| stand_in::field(stem(&declaration.header.name)));
    let binding = declaration.bindings.as_ref().and_then(|b| b.get("fp"));
    let declared = valid.then_some(Declaration::Field(&model.desc));
    let span = declaration.header.name.span();
    let images = embedded(declared.as_slice(), span, errors);
    let lanes = in_lanes(declared.as_slice(), span, errors);
    let compiled = field::Compiled {
        images: literal(images.first()),
        lanes: lanes.first().map(|lanes| lanes::of_field(&root, &model.desc, lanes)).unwrap_or_default(),
    };
    let items = field::items(&root, "Fp", "fp", &model, binding, valid, &compiled);
    module(&declaration.header, items)
}

/// The module of a `curve!`; stand-ins and no images if the model is missing.
pub(crate) fn curve(
    declaration: &CurveDeclaration,
    model: Option<CurveModel>,
    errors: &mut Errors,
) -> TokenStream {
    let header = &declaration.header;
    let root = Root::new(header);
    let valid = model.is_some();
    let model = model.unwrap_or_else(|| stand_in::curve(declaration));
    // Bindings that lack a required type have been reported and would not fit the generated rest.
    let required = ["fq", "fr", "g1"].into_iter().chain(declaration.g2.is_some().then_some("g2"));
    let complete = |b: &&Bindings| required.clone().all(|key| b.get(key).is_some());
    let bindings = declaration.bindings.as_ref().filter(complete);
    let bound = |key: &str| bindings.and_then(|b| b.get(key));

    let fields = [("Fq", "fq", &model.fq), ("Fr", "fr", &model.fr)];
    let groups = [("G1", "g1", Some(&model.g1)), ("G2", "g2", model.g2.as_ref())];
    let groups = groups.into_iter().filter_map(|(marker, key, group)| Some((marker, key, group?)));
    let mut declarations = vec![];
    if valid {
        declarations.extend(fields.iter().map(|(.., field)| Declaration::Field(&field.desc)));
        declarations.extend(groups.clone().map(|(.., group)| Declaration::Group(&group.desc)));
        let forms = groups.clone().filter_map(|(.., group)| group.form.as_ref());
        declarations.extend(forms.map(|form| Declaration::Group(&form.desc)));
        let constants = groups.clone().filter_map(|(.., group)| group.constant.as_ref());
        declarations.extend(constants.map(Declaration::Constant));
    }
    let images = embedded(&declarations, header.name.span(), errors);
    let own = fields.len() + groups.clone().count();
    let in_lanes = in_lanes(declarations.get(..own).unwrap_or_default(), header.name.span(), errors);
    let mut in_lanes = in_lanes.iter();
    let forms = groups.clone().filter(|(.., group)| group.form.is_some()).count();
    let mut constants = images.iter().skip(own + forms);
    let (mut images, mut forms) = (images.iter(), images.iter().skip(own));

    let mut items = TokenStream::new();
    for (ark, key, field) in fields {
        let images = literal(images.next());
        let lanes = in_lanes.next().map(|lanes| lanes::of_field(&root, &field.desc, lanes));
        let compiled = field::Compiled { images, lanes: lanes.unwrap_or_default() };
        items.extend(field::items(&root, ark, key, field, bound(key), valid, &compiled));
    }
    // The last bound group: the second, where there are two over a level.
    let over = |level: Over| {
        let mut groups = groups.clone();
        let found = groups.rfind(|(_, key, group)| group.desc.degree() == level.0 && bound(key).is_some());
        found.and_then(|(marker, key, _)| Some((marker, bound(key)?.span())))
    };
    let sources = sources(&model.levels, bindings, &over);
    for (level, source) in model.levels.iter().zip(&sources) {
        items.extend(level::items(&root, &model.fq, level, source, valid));
    }
    for (marker, key, group) in groups {
        let form = group.form.as_ref().map(|_| literal(forms.next()));
        let constant = group.constant.as_ref().map(|_| literal(constants.next()));
        let own = literal(images.next());
        let lanes = in_lanes.next().map(|lanes| lanes::of_group(&root, group, lanes)).unwrap_or_default();
        let compiled = group::Compiled { own, form, constant, lanes };
        items.extend(group::items(&root, marker, group, &model.fr, bound(key), valid, &compiled));
    }
    let name = stem(&header.name);
    if let (Some(engine), Some(_)) = (bound("engine"), &model.g2) {
        items.extend(group::bound_pairing(&root, &name, engine));
    } else if let (Some(pairing), None) = (&declaration.pairing, bindings) {
        items.extend(engine::items(&root, &name, &model, pairing, valid));
    }
    module(header, items)
}

/// Where the types of the levels are from. What a bound type is over is not generated anew.
fn sources(
    levels: &[LevelModel],
    bindings: Option<&Bindings>,
    group_over: &dyn Fn(Over) -> Option<(&'static str, Span)>,
) -> Vec<Source> {
    let mut sources: Vec<Source> = Vec::new();
    for (i, level) in levels.iter().enumerate().rev() {
        let above = |above: &&LevelModel| above.below == level.tower();
        let not_generated = levels[i + 1..].iter().zip(sources.iter().rev());
        let mut not_generated = not_generated.filter(|(_, source)| !matches!(source, Source::Generated));
        let above = not_generated.find(|(level, _)| above(level));
        let above = above.and_then(|(level, source)| Some((level.name, source.span()?)));
        sources.push(
            match (bindings.and_then(|b| b.get(&level.name.to_string())), group_over(level.name), above) {
                (Some(path), ..) => Source::Bound(path.clone()),
                (_, Some((marker, span)), _) => Source::Group(marker, span),
                (.., Some((above, span))) => Source::Below(above, span),
                _ => Source::Generated,
            },
        );
    }
    sources.reverse();
    sources
}

/// The images of `common_images!` as an expression.
pub(crate) fn common(input: TokenStream, errors: &mut Errors) -> TokenStream {
    if let Some(token) = input.into_iter().next() {
        errors.push(token.span(), error::COMMON_TAKES_NOTHING);
    }
    let images = embedded(&[Declaration::Common], Span::call_site(), errors);
    literal(images.first())
}

fn module(header: &Header, items: TokenStream) -> TokenStream {
    let Header { attrs, vis, keyword, name, braces, .. } = header;
    let mut body = Group::new(Delimiter::Brace, items);
    body.set_span(braces.span.join());
    quote! {
        #(#attrs)*
        #[allow(unreachable_pub, clippy::all, clippy::pedantic, reason = "generated")]
        #vis #keyword #name #body
    }
}

/// The encoded images of declarations; none after an error. Images that cannot be had are a fault of the
/// installation, reported once.
fn embedded(declarations: &[Declaration<'_>], span: Span, errors: &mut Errors) -> Vec<Vec<u8>> {
    if !errors.is_empty() {
        return vec![];
    }
    errors.keep(span, images::images(declarations)).unwrap_or_default()
}

/// Functions in lanes of declarations; none after an error.
fn in_lanes(declarations: &[Declaration<'_>], span: Span, errors: &mut Errors) -> Vec<Lanes> {
    if !errors.is_empty() {
        return vec![];
    }
    errors.keep(span, images::lanes(declarations)).unwrap_or_default()
}

/// Images as an expression, empty if there are none. A static has one address and is there once; the compiler
/// copies a literal into every crate that the function with it is inlined into.
fn literal(images: Option<&Vec<u8>>) -> TokenStream {
    let images = Literal::byte_string(images.map_or(&[], Vec::as_slice));
    quote!({
        static IMAGES: &[u8] = #images;
        IMAGES
    })
}

/// `x` as `count` little-endian 64-bit words.
fn words(x: &BigUint, count: usize) -> Vec<u64> {
    let mut words = x.to_u64_digits();
    words.resize(count.max(words.len()), 0);
    words
}

/// Words of an arkworks element.
fn ark_words(p: &BigUint) -> usize {
    p.bits().div_ceil(64) as usize
}

/// `x` in arkworks' Montgomery form, `R = 2^(64·words)`.
fn ark_mont(x: &BigUint, p: &BigUint) -> Vec<u64> {
    let n = ark_words(p);
    words(&((x << (64 * n)) % p), n)
}
