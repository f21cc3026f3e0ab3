//! Rule packs: folders with a manifest, rules, and a page for each rule. The built-in ones are compiled in and are otherwise loaded
//! like a user's.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::Deserialize;

use crate::datalog::{Diagnostic, Functors, Level, Program, Source};
use crate::graph::schema;
use crate::report::{RuleDescription, Severity, UserError};

include!(concat!(env!("OUT_DIR"), "/builtin_packs.rs"));

/// The file that makes a folder a pack.
pub const MANIFEST: &str = "harp-pack.toml";

/// The file under which diagnostics name the schema.
pub const SCHEMA_NAME: &str = "schema.dl";

/// A pack in memory.
#[derive(Clone, Debug)]
pub struct Pack {
    pub manifest: Manifest,
    /// In the order of their names.
    pub rules: Vec<Source>,
    /// Pages in Markdown, by the file's name without its ending.
    pub pages: BTreeMap<String, String>,
}

/// What a pack says of itself.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The first part of its rules' ids.
    pub name: String,
    pub version: String,
    /// The version of the relations that its rules read.
    pub schema_version: u32,
    pub licence: String,
    #[serde(default)]
    pub description: String,
}

/// The built-in packs and those in `folders`. Mistakes in a pack leave that pack out.
pub fn load(folders: &[impl AsRef<Path>]) -> (Vec<Pack>, Vec<UserError>) {
    let mut packs: Vec<Pack> = Vec::new();
    let mut errors = Vec::new();
    let builtin = BUILTIN_PACKS.iter().map(|(name, files)| {
        let files = files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned()));
        pack(&format!("rules/{name}"), files.collect())
    });
    let own = folders.iter().map(|folder| read(folder.as_ref()).and_then(|files| pack(&shown(folder.as_ref()), files)));
    for loaded in builtin.chain(own) {
        match loaded {
            Ok(pack) => match packs.iter().find(|other| other.manifest.name == pack.manifest.name) {
                Some(_) => {
                    let message = format!("there are two packs of the name `{}`", pack.manifest.name);
                    errors.push(UserError::new(message).hint("rename one of them in its manifest"));
                }
                None => packs.push(pack),
            },
            Err(error) => errors.push(*error),
        }
    }
    (packs, errors)
}

fn shown(folder: &Path) -> String {
    folder.display().to_string().trim_end_matches('/').to_owned()
}

/// The files of a pack's folder, by their paths in it.
fn read(folder: &Path) -> Result<BTreeMap<String, String>, Box<UserError>> {
    if !folder.join(MANIFEST).is_file() {
        let message = format!("{} is no rule pack: it has no {MANIFEST}", folder.display());
        let example = "a pack is a folder with a manifest, `rules/*.dl`, and a page for each rule";
        return Err(Box::new(UserError::new(message).hint(example)));
    }
    let mut files = BTreeMap::new();
    for (subfolder, prefix) in [(folder.to_owned(), ""), (folder.join("rules"), "rules/")] {
        let Ok(children) = fs::read_dir(&subfolder) else { continue };
        for path in children.flatten().map(|child| child.path()) {
            let Some(name) = path.file_name().and_then(|name| name.to_str()) else { continue };
            let is_rule = !prefix.is_empty() && name.ends_with(".dl");
            let is_other = prefix.is_empty() && (name == MANIFEST || name.ends_with(".md"));
            if !(is_rule || is_other) || !path.is_file() {
                continue;
            }
            let text = fs::read_to_string(&path)
                .map_err(|error| Box::new(UserError::new(format!("{} cannot be read: {error}", path.display()))))?;
            files.insert(format!("{prefix}{name}"), text);
        }
    }
    Ok(files)
}

/// Makes a pack of its files; `place` is how its folder is called in messages.
fn pack(place: &str, files: BTreeMap<String, String>) -> Result<Pack, Box<UserError>> {
    let text = files.get(MANIFEST).map_or("", String::as_str);
    let manifest = manifest(&format!("{place}/{MANIFEST}"), text)?;
    let mut pack = Pack { manifest, rules: Vec::new(), pages: BTreeMap::new() };
    for (path, text) in files {
        if path.ends_with(".dl") {
            pack.rules.push(Source::new(format!("{place}/{path}"), text));
        } else if let Some(name) = path.strip_suffix(".md") {
            pack.pages.insert(name.to_owned(), text);
        }
    }
    if pack.rules.is_empty() {
        return Err(Box::new(UserError::new(format!("the pack {place} has no `rules/*.dl`"))));
    }
    Ok(pack)
}

fn manifest(file: &str, text: &str) -> Result<Manifest, Box<UserError>> {
    let manifest: Manifest = toml::from_str(text).map_err(|error| {
        let range = error.span().unwrap_or(0..0);
        Box::new(UserError::new(error.message()).at(file, text, range, ""))
    })?;
    if manifest.schema_version != schema::VERSION {
        let message =
            format!("the pack reads version {} of the relations; this is {}", manifest.schema_version, schema::VERSION);
        let start = text.find("schema_version").unwrap_or(0);
        let end = text[start..].find('\n').map_or(text.len(), |length| start + length);
        return Err(Box::new(UserError::new(message).at(file, text, start..end, "")));
    }
    Ok(manifest)
}

/// Compiles all packs over the schema. A pack with mistakes is left out, and its mistakes are returned.
pub fn compile<'f>(packs: &mut Vec<Pack>, functors: &'f dyn Functors) -> (Option<Program<'f>>, Vec<UserError>) {
    let schema = [Source::new(SCHEMA_NAME, schema::SOURCE)];
    let mut errors = Vec::new();
    loop {
        let rules: Vec<Source> = packs.iter().flat_map(|pack| pack.rules.clone()).collect();
        let diagnostics = match Program::compile(&schema, &rules, functors) {
            Ok(program) => {
                errors.extend(foreign_ids(packs, &program));
                return (Some(program), errors);
            }
            Err(diagnostics) => diagnostics,
        };
        let wrong = |pack: &Pack| {
            pack.rules.iter().any(|source| diagnostics.iter().any(|diagnostic| diagnostic.source == source.name))
        };
        errors.extend(diagnostics.iter().map(|diagnostic| user_error(diagnostic, &rules)));
        let before = packs.len();
        packs.retain(|pack| !wrong(pack));
        if packs.len() == before {
            return (None, errors);
        }
    }
}

/// Rules whose id does not begin with their pack's name.
fn foreign_ids(packs: &[Pack], program: &Program<'_>) -> Vec<UserError> {
    let mut errors = Vec::new();
    for relation in program.relations() {
        let Some(metadata) = &relation.metadata else { continue };
        let owner = packs.iter().find(|pack| pack.rules.iter().any(|source| source.name == relation.source));
        let Some(owner) = owner else { continue };
        let name = &owner.manifest.name;
        if metadata.id.strip_prefix(name.as_str()).is_none_or(|rest| !rest.starts_with('/')) {
            let message = format!(
                "{}:{}: the rule id `{}` does not begin with the pack's name",
                relation.source, relation.line, metadata.id
            );
            errors.push(UserError::new(message).hint(format!("for example `{name}/{}`", relation.name)));
        }
    }
    errors
}

/// A mistake in a rule, with the line that it is on.
pub fn user_error(diagnostic: &Diagnostic, sources: &[Source]) -> UserError {
    let text_of = |name: &str| sources.iter().find(|source| source.name == name).map(|source| source.text.clone());
    let mut error = match diagnostic.level {
        Level::Error => UserError::new(&diagnostic.message),
        Level::Warning => UserError::warning(&diagnostic.message),
    };
    match text_of(&diagnostic.source) {
        Some(text) => error = error.at(&diagnostic.source, text, diagnostic.range.clone(), &diagnostic.label),
        None => error = error.note(format!("in {}", diagnostic.source)),
    }
    if let Some(hint) = &diagnostic.hint {
        error = error.hint(hint);
    }
    for note in &diagnostic.notes {
        let line = text_of(&note.source)
            .map_or(1, |text| text.as_bytes().iter().take(note.range.start).filter(|byte| **byte == b'\n').count() + 1);
        error = error.note(format!("{}:{line}: {}", note.source, note.message));
    }
    error
}

/// What outputs say of the rules, in the order of their ids.
pub fn descriptions(packs: &[Pack], program: &Program<'_>) -> Vec<RuleDescription> {
    let mut rules = Vec::new();
    for relation in program.relations() {
        let Some(metadata) = relation.metadata else { continue };
        let page = metadata
            .id
            .split_once('/')
            .and_then(|(pack, rule)| packs.iter().find(|known| known.manifest.name == pack)?.pages.get(rule));
        rules.push(RuleDescription {
            severity: severity(metadata.severity),
            title: relation.documentation.lines().collect::<Vec<_>>().join(" "),
            page: page.cloned().unwrap_or_default(),
            id: metadata.id,
        });
    }
    rules.sort();
    rules
}

/// The report's word for a rule's severity.
pub fn severity(severity: crate::datalog::Severity) -> Severity {
    match severity {
        crate::datalog::Severity::Error => Severity::Error,
        crate::datalog::Severity::Warning => Severity::Warning,
        crate::datalog::Severity::Note => Severity::Note,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::functors::ShapeFunctors;

    #[test]
    fn the_built_in_packs_are_in_order() {
        let (mut packs, errors) = load(&[] as &[&Path]);
        assert_eq!(errors, []);
        let functors = ShapeFunctors::default();
        let (program, errors) = compile(&mut packs, &functors);
        let program = program.expect("the packs compile");
        assert_eq!(errors, []);
        assert!(program.warnings.is_empty(), "{:?}", program.warnings);
        for rule in descriptions(&packs, &program) {
            assert!(!rule.title.is_empty(), "{} says nothing of itself", rule.id);
            assert!(rule.page.starts_with("# "), "{} has no page", rule.id);
        }
    }

    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        fs::create_dir(folder.path().join("rules")).expect("a folder");
        for (name, text) in files {
            fs::write(folder.path().join(name), text).expect("a file");
        }
        folder
    }

    const ORDERLY: &str = "name = 'acme'\nversion = '1'\nschema_version = 1\nlicence = 'MIT'\n";

    fn errors(files: &[(&str, &str)]) -> Vec<String> {
        let folder = folder(files);
        let (mut packs, mut errors) = load(&[folder.path()]);
        let builtin = BUILTIN_PACKS.len();
        let functors = ShapeFunctors::default();
        let (program, more) = compile(&mut packs, &functors);
        assert!(program.is_some(), "the built-in packs still run");
        errors.extend(more);
        assert!(packs.len() >= builtin);
        errors.iter().map(|error| error.to_string().replace(&shown(folder.path()), "pack")).collect()
    }

    #[test]
    fn a_pack_in_order_is_loaded() {
        let rule = "/// Says so.\n/// @id acme/loop @severity warning @message \"a loop\" @at l\n.decl found(l: Loop)\nfound(l) :- loop(l, _).\n";
        assert_eq!(errors(&[(MANIFEST, ORDERLY), ("rules/loop.dl", rule)]), Vec::<String>::new());
    }

    #[test]
    fn a_broken_pack_is_left_out_with_a_message() {
        let unknown = format!("{ORDERLY}colour = 'red'\n");
        assert!(errors(&[(MANIFEST, &unknown)])[0].contains("unknown field `colour`"));
        let future = ORDERLY.replace("schema_version = 1", "schema_version = 99");
        assert!(errors(&[(MANIFEST, &future)])[0].contains("version 99"));
        assert!(errors(&[(MANIFEST, ORDERLY)])[0].contains("no `rules/*.dl`"));
        assert!(errors(&[("README.md", "")])[0].contains("no rule pack"));
        let arity = ".decl found(l: Loop)\nfound(l) :- loop(l).\n";
        assert!(errors(&[(MANIFEST, ORDERLY), ("rules/a.dl", arity)])[0].contains("`loop` has 2 columns, not 1"));
        let foreign = "/// @id other/loop @severity warning @message \"a loop\" @at l\n.decl found(l: Loop)\nfound(l) :- loop(l, _).\n";
        assert!(errors(&[(MANIFEST, ORDERLY), ("rules/a.dl", foreign)])[0].contains("pack's name"));
    }
}
