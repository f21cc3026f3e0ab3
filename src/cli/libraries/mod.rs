//! What is known of libraries: the built-in packs, and the files and packs that the user or a configuration names. A user's pack is a folder of the
//! same form as a built-in one, and may say no less.

mod files;
mod needs;
mod replaced;
mod sources;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use harp_annotations::{AnnotationError, Library, Manifest};
use harp_builtin::{ANNOTATIONS, ONLY_WHERE_MISSING};
use harp_corpus::{Digest, LibrarySource, LibrarySources, NamedPath};
use harp_report::UserError;
use harp_shape::Family;

use super::project_folders::shown;
use files::Files;
use needs::Need;
pub(super) use needs::with_needed;
pub(super) use replaced::{ReplacedName, is_known, is_library};

/// What stands for all that the user's files and packs say; `None` where something is wrong with them.
pub(super) fn digest(paths: &[NamedPath]) -> Option<Digest> {
    let Files { yaml, packs, errors, warnings, .. } = Files::read(paths);
    let packs: Vec<_> = packs.into_iter().map(|pack| (pack.given, pack.manifest, pack.sources)).collect();
    errors.is_empty().then(|| Digest::of(&(yaml, packs, format!("{warnings:?}"))))
}

/// What is known of libraries.
pub(super) struct Libraries {
    pub library: Library,
    /// What is said in Python.
    pub sources: Arc<LibrarySources>,
    /// Packages that are read from an environment where it has them, in place of what is said here.
    pub only_where_missing: Vec<String>,
    /// The names of the packs that lie where the first path leads, in the order of their folders.
    pub names: Vec<String>,
    /// What is wrong with what the user says; the built-in packs alone are there then.
    pub errors: Vec<UserError>,
    /// What is odd and no mistake.
    pub warnings: Vec<UserError>,
    /// What Harp knows of libraries and a user's file or pack says in its place.
    pub replaced: Vec<ReplacedName>,
}

/// What the packs of a user say beside their files in YAML.
#[derive(Default)]
struct Packs {
    sources: Vec<LibrarySource>,
    gathered: BTreeMap<String, Vec<String>>,
    followed: Vec<String>,
    only_where_missing: Vec<String>,
    families: Vec<Family>,
    /// The manifests that declare families or tell kinds of objects, each with the path that was given for it and the names that it speaks of.
    declared: Vec<Declared>,
    kinds: BTreeMap<String, String>,
    installed: Vec<String>,
    plain: Vec<String>,
    names: Vec<String>,
    /// How many of them lie where the first path leads.
    first: usize,
    needs: Vec<Need>,
    errors: Vec<UserError>,
}

/// What the manifest of a user's pack says of values.
struct Declared {
    manifest: PathBuf,
    given: usize,
    families: Vec<Family>,
    kinds: BTreeMap<String, String>,
}

impl Libraries {
    /// The built-in packs with those in files and folders.
    pub fn read(paths: &[NamedPath]) -> Libraries {
        let files = Files::read(paths);
        let mut errors = files.errors.clone();
        let known = Library::with_user_files(&ANNOTATIONS, &files.yaml, harp_operations::names());
        let library = known.unwrap_or_else(|mistakes| {
            let texts: BTreeMap<&Path, &str> =
                files.yaml.iter().map(|(path, text)| (path.as_path(), text.as_str())).collect();
            let shown = |mistake: AnnotationError| {
                let text = texts.get(mistake.file.as_path()).copied();
                user_error(mistake, text)
            };
            // Mistakes come before files that could not be read.
            errors.splice(0..0, mistakes.into_iter().map(shown));
            Library::of(&ANNOTATIONS)
        });
        let packs = Packs::of(&files);
        errors.extend(packs.errors);
        errors.extend(needs::unmet(&packs.needs, &packs.names));
        let mut names = packs.names;
        names.truncate(packs.first);
        let builtin = harp_builtin::sources();
        let builtin_packages: Vec<String> = ONLY_WHERE_MISSING.iter().map(|it| (*it).to_owned()).collect();
        if !errors.is_empty() {
            let (library, warnings) = (Library::of(&ANNOTATIONS), files.warnings);
            let (sources, replaced, only_where_missing) = (builtin, Vec::new(), builtin_packages);
            return Libraries { library, sources, only_where_missing, names, errors, warnings, replaced };
        }
        let mut replaced = replaced::names(&files, &library, &packs.sources, &packs.gathered);
        replaced.extend(packs.declared.iter().flat_map(replaced::of_values));
        let described: Vec<String> = library.own_names().map(str::to_owned).collect();
        let sources = match packs.sources.is_empty() && described.is_empty() {
            true => builtin,
            false => {
                let sources = LibrarySources::over(Some(builtin), packs.sources, packs.gathered);
                Arc::new(sources.with_described(described))
            }
        };
        let missing = told_by_no_source(&files, &library, &sources);
        if !missing.is_empty() {
            let (library, warnings) = (Library::of(&ANNOTATIONS), files.warnings);
            let (errors, replaced, only_where_missing) = (missing, Vec::new(), builtin_packages);
            let sources = harp_builtin::sources();
            return Libraries { library, sources, only_where_missing, names, errors, warnings, replaced };
        }
        let kinds = packs.kinds.iter().map(|(class, kind)| (class.as_str(), kind.as_str()));
        let library = library
            .with_followed(packs.followed.iter().map(String::as_str))
            .with_kinds_and_installed(kinds, packs.installed.iter().map(String::as_str))
            .with_plain(packs.plain.iter().map(String::as_str))
            .with_families(packs.families);
        let only_where_missing = builtin_packages.into_iter().chain(packs.only_where_missing).collect();
        Libraries { library, sources, only_where_missing, names, errors, warnings: files.warnings, replaced }
    }
}

/// The entries of a user's files that leave the result to a source which does not define them.
fn told_by_no_source(files: &Files, library: &Library, sources: &LibrarySources) -> Vec<UserError> {
    let mut errors = Vec::new();
    for (stated, name) in library.left_to_sources() {
        let is_member = || name.rsplit_once('.').is_some_and(|(class, _)| harp_python::defines(sources, class));
        if harp_python::defines(sources, &name) || is_member() {
            continue;
        }
        let text = files.yaml.iter().find(|(path, _)| *path == stated.file).map(|(_, text)| text.clone());
        let shown_name = shown(&stated.file);
        let message = format!("no source of the pack defines `{name}`");
        let hint = "`source: true` leaves the result to the function or class of that name in `python/`";
        errors.push(match text {
            Some(text) => {
                let start = text.find(name.as_str()).unwrap_or_default();
                let end = if text[start..].starts_with(name.as_str()) { start + name.len() } else { start };
                UserError::new(message).at(shown_name, text, start..end, "").note(hint)
            }
            None => UserError::new(format!("{shown_name}: {message}")).note(hint),
        });
    }
    errors
}

impl Packs {
    fn of(files: &Files) -> Packs {
        let mut packs = Packs::default();
        for pack in &files.packs {
            let (sources, errors) = sources::of(pack);
            packs.errors.extend(errors);
            let modules: Vec<&str> = sources.iter().map(LibrarySource::module).collect();
            match Manifest::parse(&pack.manifest.0, &pack.manifest.1, &modules) {
                Ok(manifest) => {
                    packs.first += usize::from(pack.given == 0);
                    packs.declared.push(Declared {
                        manifest: pack.manifest.0.clone(),
                        given: pack.given,
                        families: manifest.tensors.clone(),
                        kinds: manifest.kinds.clone(),
                    });
                    packs.add(manifest, &pack.manifest);
                }
                Err(mistakes) => {
                    packs.errors.extend(mistakes.into_iter().map(|it| user_error(it, Some(&pack.manifest.1))));
                }
            }
            for source in sources {
                match packs.sources.iter().find(|other| other.module() == source.module()) {
                    Some(other) => {
                        let message = format!("there are two sources of the module `{}`", source.module());
                        let note = format!("the other one is {}", shown(other.path()));
                        let (path, text) = (shown(source.path()), source.text().to_owned());
                        packs.errors.push(UserError::new(message).at(path, text, 0..0, "").note(note));
                    }
                    None => packs.sources.push(source),
                }
            }
        }
        packs
    }

    fn add(&mut self, manifest: Manifest, (path, text): &files::Read) {
        for (needed, range) in manifest.needs {
            let (pack, text) = (manifest.name.clone(), text.clone());
            self.needs.push(Need { pack, needed, path: shown(path), text, range });
        }
        self.names.push(manifest.name);
        self.followed.extend(manifest.follows);
        self.only_where_missing.extend(manifest.only_where_missing);
        self.kinds.extend(manifest.kinds);
        self.installed.extend(manifest.installed);
        self.plain.extend(manifest.plain);
        for family in manifest.tensors {
            if self.families.iter().any(|known| known.class() == family.class()) {
                let start = text.find(family.class()).unwrap_or_default();
                let error = UserError::new(format!("`{}` is declared by another pack, too", family.class()));
                self.errors.push(error.at(shown(path), text.clone(), start..start + family.class().len(), ""));
                continue;
            }
            self.families.push(family);
        }
        for (package, modules) in manifest.gathers {
            if self.gathered.insert(package.clone(), modules).is_some() {
                let start = text.find(package.as_str()).unwrap_or_default();
                let error = UserError::new(format!("the names of `{package}` are gathered by another pack, too"));
                self.errors.push(error.at(shown(path), text.clone(), start..start + package.len(), ""));
            }
        }
    }
}

/// A mistake with the line of the text that it is in.
fn user_error(mistake: AnnotationError, text: Option<&str>) -> UserError {
    let name = shown(&mistake.file);
    let error = match (mistake.range, text) {
        (Some((start, end)), Some(text)) => UserError::new(mistake.message).at(name, text, start..end, ""),
        // The position alone is known: a caret stands there.
        (None, Some(text)) if mistake.line > 0 => {
            let start: usize = text.split_inclusive('\n').take(mistake.line - 1).map(str::len).sum();
            let line = text[start..].lines().next().unwrap_or_default();
            let column = mistake.column.saturating_sub(1);
            let at = start + line.char_indices().nth(column).map_or(line.len(), |(at, _)| at);
            let end = at + text[at..].chars().next().map_or(0, char::len_utf8);
            UserError::new(mistake.message).at(name, text, at..end, "")
        }
        _ if mistake.line > 0 => {
            UserError::new(format!("{name}:{}:{}: {}", mistake.line, mistake.column, mistake.message))
        }
        _ => UserError::new(format!("{name}: {}", mistake.message)),
    };
    mistake.hint.into_iter().fold(error, UserError::hint)
}
