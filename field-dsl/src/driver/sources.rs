//! Declarations in source files.

use super::{DriverError, Result};
use crate::images::Declaration;
use crate::{check, parse};
use curvesmith_codegen::declaration::{FieldDesc, GroupDesc};
use curvesmith_codegen::targets::ptx::emit::Emitter;
use curvesmith_codegen::{Plan, plan_common, plan_constant, plan_field, plan_group};
use proc_macro2::TokenStream;
use std::path::PathBuf;
use syn::parse::Parser;

/// A macro's input as it stands in a file.
pub(super) struct Item {
    /// `field` or `curve`.
    pub(super) is_curve: bool,
    pub(super) tokens: TokenStream,
    path: String,
}

/// What has kernels.
pub(super) enum Owner {
    Field(FieldDesc),
    Group(GroupDesc),
    /// A group's constant work.
    Constant(GroupDesc),
}

impl Owner {
    pub(super) fn name(&self) -> &str {
        match self {
            Owner::Field(field) => &field.name,
            Owner::Group(group) | Owner::Constant(group) => &group.name,
        }
    }

    /// Words of an element, times the extension degree.
    pub(super) fn limbs(&self) -> usize {
        match self {
            Owner::Field(field) => field.words,
            Owner::Group(group) | Owner::Constant(group) => group.base.words * group.degree(),
        }
    }
}

/// All fields and groups declared.
pub(super) struct Declared(pub(super) Vec<Owner>);

impl Declared {
    /// Reads and checks every declaration of the files and folders.
    pub(super) fn read(from: &[PathBuf]) -> Result<Declared> {
        let mut owners = Vec::new();
        for item in items(from)? {
            owners.extend(item.owners()?);
        }
        for (i, owner) in owners.iter().enumerate() {
            if owners[..i].iter().any(|o: &Owner| o.name() == owner.name()) {
                return Err(DriverError::Twice(owner.name().to_owned()));
            }
        }
        Ok(Declared(owners))
    }

    /// What images are made for, in the order of [`plans`](Declared::plans).
    pub(super) fn declarations(&self, common: bool) -> Vec<Declaration<'_>> {
        let own = self.0.iter().map(|owner| match owner {
            Owner::Field(field) => Declaration::Field(field),
            Owner::Group(group) => Declaration::Group(group),
            Owner::Constant(group) => Declaration::Constant(group),
        });
        common.then_some(Declaration::Common).into_iter().chain(own).collect()
    }

    /// The images of every owner by name, in PTX; the common one comes first.
    pub(super) fn plans(&self, emitter: Emitter) -> Vec<(&str, Vec<Plan>)> {
        let plans = |owner: &Owner| match owner {
            Owner::Field(field) => plan_field(emitter, field),
            Owner::Group(group) => plan_group(emitter, group),
            Owner::Constant(group) => plan_constant(emitter, group),
        };
        let own = self.0.iter().map(|owner| (owner.name(), plans(owner)));
        std::iter::once(("common", plan_common(emitter))).chain(own).collect()
    }

    /// Words of an owner's elements; `None` for the common image.
    pub(super) fn limbs(&self, name: &str) -> Option<usize> {
        self.0.iter().find(|owner| owner.name() == name).map(Owner::limbs)
    }
}

impl Item {
    /// The identifier after `mod`; empty where there is none.
    pub(super) fn name(&self) -> String {
        let mut words = self.tokens.clone().into_iter().map(|token| token.to_string());
        words.find(|word| word == "mod").and_then(|_| words.next()).unwrap_or_default()
    }

    fn owners(&self) -> Result<Vec<Owner>> {
        let fault = |error: &syn::Error| {
            let all: Vec<String> = error.clone().into_iter().map(|e| e.to_string()).collect();
            DriverError::Source { path: self.path.clone(), item: self.name(), message: all.join("; ") }
        };
        let tokens = self.tokens.clone();
        let (owners, errors) = if self.is_curve {
            let (declaration, mut errors) = parse::curve.parse2(tokens).map_err(|e| fault(&e))?;
            let model = check::curve(&declaration, &mut errors);
            (model.map(curve_owners).unwrap_or_default(), errors)
        } else {
            let (declaration, mut errors) = parse::field.parse2(tokens).map_err(|e| fault(&e))?;
            let model = check::field(&declaration, &mut errors);
            (model.map(|m| vec![Owner::Field(m.desc)]).unwrap_or_default(), errors)
        };
        errors.into_error().map_or(Ok(owners), |error| Err(fault(&error)))
    }
}

fn curve_owners(model: check::CurveModel) -> Vec<Owner> {
    let groups = std::iter::once(model.g1).chain(model.g2);
    let groups = groups.flat_map(|group| {
        let own = [Some(Owner::Group(group.desc)), group.form.map(|form| Owner::Group(form.desc))];
        own.into_iter().flatten().chain(group.constant.map(Owner::Constant))
    });
    [model.fq, model.fr].into_iter().map(|field| Owner::Field(field.desc)).chain(groups).collect()
}

/// The macro calls of the files, and of the Rust files of the folders, in order of their paths.
pub(super) fn items(from: &[PathBuf]) -> Result<Vec<Item>> {
    let mut found = Vec::new();
    for path in files(from)? {
        let name = path.display().to_string();
        let text = std::fs::read_to_string(&path)
            .map_err(|source| DriverError::File { path: name.clone(), source })?;
        let file = syn::parse_file(&text).map_err(|e| DriverError::Source {
            path: name.clone(),
            item: String::new(),
            message: e.to_string(),
        })?;
        collect(file.items, &name, &mut found);
    }
    Ok(found)
}

fn collect(items: Vec<syn::Item>, path: &str, found: &mut Vec<Item>) {
    for item in items {
        match item {
            syn::Item::Macro(call) => {
                let Some(name) = call.mac.path.segments.last().map(|s| &s.ident) else { continue };
                if name == "curve" || name == "field" {
                    let (is_curve, tokens) = (name == "curve", call.mac.tokens);
                    found.push(Item { is_curve, tokens, path: path.to_owned() });
                }
            }
            syn::Item::Mod(module) => {
                collect(module.content.map(|(_, items)| items).unwrap_or_default(), path, found);
            }
            _ => {}
        }
    }
}

fn files(from: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in from {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let fault = |source| DriverError::File { path: path.display().to_string(), source };
        for entry in std::fs::read_dir(path).map_err(fault)? {
            let path = entry.map_err(fault)?.path();
            if path.is_dir() {
                files.extend(self::files(&[path])?);
            } else if path.extension().is_some_and(|e| e == "rs") {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}

/// Whether a path names `part` of the declaration `whole`: `bn254_g1` of `bn254`.
pub(super) fn is_part(part: &str, whole: &str) -> bool {
    part.strip_prefix(whole).is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
}
