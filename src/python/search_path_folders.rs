//! Finds in a file's text the folders that it adds to `sys.path`, to resolve imports.

use std::path::{Component, Path, PathBuf};

use crate::ir::{Call, Expr, ExprKind, Module, Stmt, StmtKind};
use crate::module_paths::Places;
use crate::subexpressions::subexpressions;
use harp_corpus::{Corpus, SourceFile};

/// A folder that a file adds to `sys.path`, and the root of the file: modules of other roots do not look there.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct AddedFolder {
    pub root: PathBuf,
    pub folder: PathBuf,
}

/// The folders that the statements at the top of files add, in the order of files.
///
/// Where a program is started is not known, and most paths begin with what only a run tells (`os.path.dirname(__file__)`): the texts in the
/// argument are a path below the file's folder, or below one around it.
pub(super) fn added_folders(corpus: &Corpus, modules: &[Module], places: &Places) -> Vec<AddedFolder> {
    let mut found: Vec<AddedFolder> = Vec::new();
    for (file, module) in corpus.files.iter().zip(modules) {
        for path in module.body.iter().filter_map(added_path) {
            let Some(folder) = folder_of(file, &path, places) else { continue };
            let added = AddedFolder { root: file.root.clone(), folder };
            if !found.contains(&added) {
                found.push(added);
            }
        }
    }
    found
}

/// The argument of `sys.path.insert(0, …)` or `sys.path.append(…)`, as the texts in it tell it.
fn added_path(statement: &Stmt) -> Option<PathBuf> {
    let StmtKind::Expr(Expr { kind: ExprKind::Call(call), .. }) = &statement.kind else { return None };
    let path = call.arguments.get(place_of_path(call)?)?;
    let mut texts = PathBuf::new();
    collect_texts(&path.value, &mut texts);
    (texts.is_relative() && texts.components().any(|part| matches!(part, Component::Normal(_)))).then_some(texts)
}

fn place_of_path(call: &Call) -> Option<usize> {
    let ExprKind::Attribute { value, attribute, .. } = &call.function.kind else { return None };
    let ExprKind::Attribute { value: owner, attribute: list, .. } = &value.kind else { return None };
    let is_search_path =
        list.as_str() == "path" && matches!(&owner.kind, ExprKind::Name(name) if name.as_str() == "sys");
    match attribute.as_str() {
        "insert" if is_search_path => Some(1),
        "append" if is_search_path => Some(0),
        _ => None,
    }
}

fn collect_texts(expression: &Expr, path: &mut PathBuf) {
    if let ExprKind::Str(text) = &expression.kind {
        path.push(&**text);
    }
    subexpressions(expression).into_iter().for_each(|part| collect_texts(part, path));
}

/// The folder that a path means from a file, or from the innermost folder around it that has such a folder.
fn folder_of(file: &SourceFile, path: &Path, places: &Places) -> Option<PathBuf> {
    let folder = file.path.parent()?;
    let below: PathBuf = path.components().filter(|part| matches!(part, Component::Normal(_))).collect();
    let around = folder.ancestors().take_while(|around| around.starts_with(&file.root));
    let direct = climbed(folder, path);
    direct.into_iter().chain(around.map(|around| around.join(&below))).find(|folder| places.is_folder(folder))
}

/// A path below a folder without `..` in it.
fn climbed(folder: &Path, path: &Path) -> Option<PathBuf> {
    let mut climbed = folder.to_owned();
    for part in path.components() {
        match part {
            Component::ParentDir => climbed.pop().then_some(())?,
            Component::Normal(part) => climbed.push(part),
            _ => {}
        }
    }
    Some(climbed)
}
