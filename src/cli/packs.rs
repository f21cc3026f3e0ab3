//! Loads rule packs: folders with a manifest, rules, and a page for each rule. The built-in ones are compiled in and
//! are otherwise loaded like a user's.

pub mod files;
pub mod manifest;
pub mod pattern;

use std::collections::BTreeMap;
use std::path::Path;

use harp_corpus::{FileError, NamedPath};
use harp_datalog::{Diagnostic, Functors, Level, Metadata, Program, RelationDescription, RelationId, Source};
use harp_graph::schema;
use harp_report::{Kind, RuleDescription, Selection, Severity, UserError, line_number, terminal_escape};

use super::project_folders;
use files::Files;
use manifest::{Manifest, Paths};
use pattern::Pattern;

include!(concat!(env!("OUT_DIR"), "/builtin_packs.rs"));

/// The rules of the built-in packs, compiled over the schema.
static BUILTIN_RULES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/builtin_rules.bin"));

/// The file that makes a folder a pack.
pub const MANIFEST: &str = "harp-pack.toml";

/// The file under which diagnostics name the schema.
pub const SCHEMA_NAME: &str = "schema.dl";

/// The pages of a pack's rules.
const PAGES: &str = "*.md";

/// The `.include`s of all packs together may bring in this many files, and this many bytes; the same file counts each time.
const MOST_INCLUDES: usize = 10_000;
const MOST_INCLUDED_BYTES: usize = 256 << 20;

/// A pack in memory.
#[derive(Debug)]
pub struct Pack {
    /// What it says of itself.
    pub manifest: Manifest,
    /// How its folder is called in messages. No two packs of a run have the same.
    pub place: String,
    /// In the order of their names.
    pub rules: Vec<Source>,
    /// Pages in Markdown, by the file's name without its ending.
    pub pages: BTreeMap<String, String>,
    files: Files,
}

/// Whether a pack comes with Harp.
pub fn is_builtin(name: &str) -> bool {
    BUILTIN_PACKS.iter().any(|(builtin, _)| *builtin == name)
}

/// The built-in packs and those in `folders`. Mistakes in a pack leave that pack out.
pub fn load(folders: &[NamedPath]) -> (Vec<Pack>, Vec<UserError>) {
    let (own, mut errors) = read_all(folders);
    let mut packs = builtin();
    for pack in own {
        if is_builtin(&pack.manifest.name) {
            let error = UserError::new(format!("`{}` is a pack that comes with Harp", pack.manifest.name));
            let hint = "give the pack another name; `harp test` tests a changed copy of a built-in pack in its place";
            errors.push(pack.manifest.at_name(error).hint(hint));
        } else {
            packs.push(pack);
        }
    }
    (packs, errors)
}

/// As [`load`], but a pack in `folders` takes the place of the built-in one of its name.
pub fn load_in_place(folders: &[NamedPath]) -> (Vec<Pack>, Vec<UserError>) {
    let (own, errors) = read_all(folders);
    let mut packs = builtin();
    packs.retain(|pack| own.iter().all(|other| other.manifest.name != pack.manifest.name));
    packs.extend(own);
    (packs, errors)
}

fn builtin() -> Vec<Pack> {
    let packs = BUILTIN_PACKS.iter().map(|(name, files)| {
        let files = files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned()));
        // A test loads them all, so that none is missing without notice.
        Pack::new(format!("rules/{name}"), Files::in_memory(files))
    });
    packs.filter_map(Result::ok).collect()
}

/// The packs in folders; a folder that is given twice is one pack.
fn read_all(folders: &[NamedPath]) -> (Vec<Pack>, Vec<UserError>) {
    let mut packs: Vec<Pack> = Vec::new();
    let mut errors = Vec::new();
    for folder in folders {
        match read(folder, &packs) {
            Ok(Some(pack)) => match packs.iter().find(|other| other.manifest.name == pack.manifest.name) {
                Some(other) => {
                    let error = UserError::new(format!("there are two packs of the name `{}`", pack.manifest.name));
                    let note = format!("the other one is in {}", other.place);
                    errors.push(pack.manifest.at_name(error).note(note).hint("rename one of them in its manifest"));
                }
                None => packs.push(pack),
            },
            Ok(None) => {}
            Err(error) => errors.push(*error),
        }
    }
    (packs, errors)
}

/// The pack in a folder; none where it is read already.
fn read(named: &NamedPath, others: &[Pack]) -> Result<Option<Pack>, Box<UserError>> {
    let folder = named.path.as_path();
    let none = |reason: String| {
        Box::new(UserError::new(format!("{} is not a rule pack: {reason}", terminal_escape::line(&shown(folder)))))
    };
    let form =
        "a pack is a folder with a manifest, `rules/*.dl`, and a page for each rule; `harp new-pack NAME` makes one";
    let real = named.resolve().map_err(|error| match error {
        FileError::Outside => {
            Box::new(none(error.to_string()).hint("what lies elsewhere is named on the command line: `--pack FOLDER`"))
        }
        FileError::Unreadable(error) if error.kind() == std::io::ErrorKind::NotFound => {
            Box::new(none("there is no such folder".to_owned()).hint(form))
        }
        other => Box::new(none(other.to_string()).hint(form)),
    })?;
    let files = Files::of(&real).map_err(|error| {
        let reason = match error.kind() {
            std::io::ErrorKind::NotFound => "there is no such folder".to_owned(),
            std::io::ErrorKind::NotADirectory => "it is not a folder".to_owned(),
            _ => error.to_string(),
        };
        Box::new(none(reason).hint(form))
    })?;
    if others.iter().any(|other| other.files.root() == files.root()) {
        return Ok(None);
    }
    if files.root().is_some_and(|root| std::fs::symlink_metadata(root.join(MANIFEST)).is_err()) {
        return Err(Box::new(none(format!("it has no {MANIFEST}")).hint(form)));
    }
    let place = terminal_escape::name(&shown(folder));
    let taken = is_builtin_place(&place) || others.iter().any(|other| other.place == place);
    let place = match files.root() {
        Some(root) if taken => terminal_escape::name(&root.display().to_string()),
        _ => place,
    };
    Pack::new(place, files).map(Some)
}

/// Whether a rule file of that name comes with Harp.
pub fn is_builtin_source(name: &str) -> bool {
    name.strip_prefix("rules/").and_then(|rest| rest.split_once('/')).is_some_and(|(pack, _)| is_builtin(pack))
}

fn is_builtin_place(place: &str) -> bool {
    place.strip_prefix("rules/").is_some_and(is_builtin)
}

/// A folder as the user would write it from the current one.
fn shown(folder: &Path) -> String {
    let name = project_folders::shown(folder);
    match name.trim_end_matches('/') {
        "" => {
            if folder.is_absolute() && name.starts_with('/') {
                "/".to_owned()
            } else {
                ".".to_owned()
            }
        }
        trimmed => trimmed.to_owned(),
    }
}

impl Pack {
    /// Makes a pack of its files; `place` is how its folder is called in messages.
    fn new(place: String, files: Files) -> Result<Pack, Box<UserError>> {
        let unusable = |path: &str, reason: String| {
            Box::new(UserError::new(format!("{} {reason}", terminal_escape::line(&format!("{place}/{path}")))))
        };
        let text = files.read(MANIFEST).map_err(|reason| unusable(MANIFEST, reason))?;
        let manifest = Manifest::parse(&format!("{place}/{MANIFEST}"), &text)?;
        let mut rules = BTreeMap::new();
        for paths in &manifest.rules {
            let found = files.list(&paths.pattern).map_err(|reason| manifest.refused(&place, paths, reason))?;
            for path in &found {
                let text = files.read(path).map_err(|reason| {
                    manifest.refused(&place, paths, format!("`{}` {reason}", terminal_escape::line(path)))
                })?;
                rules.insert(path.clone(), text);
            }
            if found.is_empty() {
                return Err(manifest.refused(
                    &place,
                    paths,
                    "no file fits its `rules`, which usually are `rules/*.dl`".to_owned(),
                ));
            }
        }
        let rules = rules
            .into_iter()
            .map(|(path, text)| Source::new(terminal_escape::name(&format!("{place}/{path}")), text))
            .collect();
        let mut pack = Pack { manifest, place, rules, pages: BTreeMap::new(), files };
        for path in pack.page_paths()? {
            let text = pack.files.read(&path).map_err(|reason| pack.unusable(&path, &reason))?;
            pack.pages.insert(path.trim_end_matches(".md").to_owned(), text);
        }
        Ok(pack)
    }

    /// The Markdown files in the pack's own folder.
    fn page_paths(&self) -> Result<Vec<String>, Box<UserError>> {
        let pattern = Pattern::parse(PAGES).map_err(|reason| self.unusable("", reason))?;
        self.files.list(&pattern).map_err(|reason| self.unusable("", &reason))
    }

    fn unusable(&self, path: &str, reason: &str) -> Box<UserError> {
        Box::new(UserError::new(format!("{}: {reason}", terminal_escape::line(&format!("{}/{path}", self.place)))))
    }

    /// The Markdown files with tests, by their paths in the pack: the pages, and those that the manifest names.
    pub fn tests(&self) -> Result<BTreeMap<String, String>, Box<UserError>> {
        let mut tests: BTreeMap<String, String> =
            self.pages.iter().map(|(name, text)| (format!("{name}.md"), text.clone())).collect();
        for paths in &self.manifest.tests {
            let refused = |reason| self.manifest.refused(&self.place, paths, reason);
            let found = self.files.list(&paths.pattern).map_err(refused)?;
            if found.is_empty() {
                return Err(refused("no file fits this path".to_owned()));
            }
            for path in found {
                let text = self
                    .files
                    .read(&path)
                    .map_err(|reason| refused(format!("`{}` {reason}", terminal_escape::line(&path))))?;
                tests.insert(path, text);
            }
        }
        Ok(tests)
    }

    /// The folder on disk, without links; none for packs that are compiled in.
    pub fn root(&self) -> Option<&Path> {
        self.files.root()
    }

    /// Every file that was read, by its path in the pack.
    pub fn texts(&self) -> Vec<(String, String)> {
        self.files.texts()
    }

    /// How a file of the pack is called in messages.
    pub fn name_of(&self, path: &str) -> String {
        terminal_escape::name(&format!("{}/{path}", self.place))
    }

    /// Every rule file that was read, also those that others include.
    fn sources(&self) -> Vec<Source> {
        self.files.texts().into_iter().map(|(path, text)| Source::new(self.name_of(&path), text)).collect()
    }
}

impl Manifest {
    /// An error about paths that it names, or about the usual ones.
    fn refused(&self, place: &str, paths: &Paths, reason: String) -> Box<UserError> {
        Box::new(self.at_paths(UserError::new(format!("the pack {place} cannot be read: {reason}")), paths))
    }
}

/// Compiles all packs over the schema. A pack with mistakes is left out, and its mistakes are returned.
pub fn compile<'f>(packs: &mut Vec<Pack>, functors: &'f dyn Functors) -> (Option<Program<'f>>, Vec<UserError>) {
    let are_builtin = packs.len() == BUILTIN_PACKS.len() && packs.iter().all(|pack| pack.root().is_none());
    if are_builtin && let Ok(program) = Program::from_bytes(BUILTIN_RULES, functors) {
        return (Some(program), Vec::new());
    }
    if let Ok(program) = compile_together(packs, functors) {
        let rules: Vec<RelationDescription> = program.identified().collect();
        if packs.iter().all(|pack| foreign_ids(pack, &rules).is_empty()) {
            return (Some(program), Vec::new());
        }
    }
    // Alone each pack has its own mistakes only, whatever the order of the packs.
    let mut errors = Vec::new();
    packs.retain(|pack| {
        let found = mistakes(pack, functors);
        let in_order = found.is_empty();
        errors.extend(found);
        in_order
    });
    match compile_together(packs, functors) {
        Ok(program) => (Some(program), errors),
        Err(diagnostics) => {
            errors.extend(shown_mistakes(packs, &diagnostics));
            (None, errors)
        }
    }
}

fn compile_together<'f>(packs: &[Pack], functors: &'f dyn Functors) -> Result<Program<'f>, Vec<Diagnostic>> {
    let schema = [Source::new(SCHEMA_NAME, schema::SOURCE)];
    let rules: Vec<Source> = packs.iter().flat_map(|pack| pack.rules.clone()).collect();
    let mut included = Included::default();
    Program::compile_with(&schema, &rules, functors, &mut |from, path| included.resolve(packs, from, path))
}

/// What is wrong with a pack.
fn mistakes(pack: &Pack, functors: &dyn Functors) -> Vec<UserError> {
    let pack = std::slice::from_ref(pack);
    match compile_together(pack, functors) {
        Ok(program) => foreign_ids(&pack[0], &program.identified().collect::<Vec<_>>()),
        Err(diagnostics) => shown_mistakes(pack, &diagnostics),
    }
}

fn shown_mistakes(packs: &[Pack], diagnostics: &[Diagnostic]) -> Vec<UserError> {
    let mut sources: Vec<Source> = packs.iter().flat_map(Pack::sources).collect();
    // Notes say on which of its lines something is declared.
    sources.push(Source::new(SCHEMA_NAME, schema::SOURCE));
    let errors = diagnostics.iter().filter(|diagnostic| diagnostic.level == Level::Error);
    errors.map(|diagnostic| user_error(diagnostic, &sources)).collect()
}

/// The files that `.include`s brought in so far.
#[derive(Default)]
struct Included {
    files: usize,
    bytes: usize,
}

impl Included {
    /// The file that an `.include` means: one of the same pack, by its path beside the including file, or the schema.
    fn resolve(&mut self, packs: &[Pack], from: &str, path: &str) -> Result<Source, String> {
        if path == SCHEMA_NAME {
            return Ok(Source::new(SCHEMA_NAME, schema::SOURCE));
        }
        let place = packs.iter().find_map(|pack| {
            let paths = pack.files.paths().into_iter();
            paths.map(|path| (pack, path)).find(|(_, path)| pack.name_of(path) == from)
        });
        let (pack, from) = place.ok_or("the including file is in no pack")?;
        let path = beside(&from, path)?;
        let text = pack.files.read(&path).map_err(|reason| format!("`{}` {reason}", terminal_escape::line(&path)))?;
        self.files += 1;
        self.bytes += text.len();
        if self.files > MOST_INCLUDES || self.bytes > MOST_INCLUDED_BYTES {
            return Err("too much is included".to_owned());
        }
        Ok(Source::new(pack.name_of(&path), text))
    }
}

/// A path as it is written in a file of a pack, as a path in the pack.
fn beside(from: &str, path: &str) -> Result<String, &'static str> {
    if path.starts_with('/') || path.contains('\\') || path.split('/').next().is_some_and(|first| first.contains(':')) {
        return Err("the path is absolute; write it as seen from this file");
    }
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop().ok_or("the path leaves the pack")?;
            }
            part => parts.push(part),
        }
    }
    Ok(parts.join("/"))
}

/// More mistakes of the same kind help nobody.
const MOST_FOREIGN_IDS: usize = 20;

/// Those of these rules that are of the pack and whose id does not begin with its name.
fn foreign_ids(pack: &Pack, rules: &[RelationDescription]) -> Vec<UserError> {
    let name = &pack.manifest.name;
    let sources = pack.sources();
    let mut errors = Vec::new();
    for relation in rules {
        let (Some(metadata), Some(range)) = (&relation.metadata, relation.id_range.clone()) else { continue };
        if metadata.id.strip_prefix(name.as_str()).is_some_and(|rest| rest.len() > 1 && rest.starts_with('/')) {
            continue;
        }
        let Some(source) = sources.iter().find(|source| source.name == relation.source) else { continue };
        if errors.len() >= MOST_FOREIGN_IDS {
            break;
        }
        let message = format!("the rule id `{}` does not begin with the pack's name", metadata.id);
        let error = UserError::new(message).at(&source.name, source.text.as_str(), range, "");
        errors.push(error.hint(format!("for example `{name}/{}`", relation.name.replace('_', "-"))));
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
        let line = text_of(&note.source).map_or(1, |text| line_number(&text, note.range.start));
        error = error.note(format!("{}:{line}: {}", note.source, note.message));
    }
    error
}

/// What outputs say of the rules, in the order of their ids.
pub fn descriptions(packs: &[Pack], program: &Program<'_>) -> Vec<RuleDescription> {
    let mut rules = Vec::new();
    for relation in program.identified() {
        let Some(metadata) = relation.metadata else { continue };
        let page = metadata
            .id
            .split_once('/')
            .and_then(|(pack, rule)| packs.iter().find(|known| known.manifest.name == pack)?.pages.get(rule));
        rules.push(RuleDescription {
            severity: severity(metadata.severity),
            kind: kind_of(&metadata),
            title: relation.documentation.lines().collect::<Vec<_>>().join(" "),
            page: page.cloned().unwrap_or_default(),
            id: metadata.id,
        });
    }
    rules.sort();
    rules
}

/// What the rule of a finding relation says of its kind.
pub fn kind(program: &Program<'_>, relation: RelationId) -> Kind {
    program.metadata(relation).map(kind_of).unwrap_or_default()
}

/// Whether a rule's findings are of use: those on request where somebody selects them, of others what a comment silences counts as well.
pub fn is_told(metadata: &Metadata, selection: &Selection) -> bool {
    !metadata.on_request || selection.asks_for_rule(&metadata.id, &kind_of(metadata))
}

fn kind_of(metadata: &Metadata) -> Kind {
    Kind { tags: metadata.tags.clone(), is_on_request: metadata.on_request }
}

/// The report's word for a rule's severity.
pub fn severity(severity: harp_datalog::Severity) -> Severity {
    match severity {
        harp_datalog::Severity::Error => Severity::Error,
        harp_datalog::Severity::Warning => Severity::Warning,
        harp_datalog::Severity::Note => Severity::Note,
    }
}

#[cfg(test)]
#[path = "packs/tests.rs"]
mod tests;
