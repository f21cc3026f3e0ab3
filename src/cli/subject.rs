//! What a command analyses: a corpus, and what is known of the libraries that it uses.

use std::path::PathBuf;
use std::sync::Arc;

use harp_annotations::Library;
use harp_corpus::{self, Corpus, CorpusError, Environment, LoadOptions};
use harp_limits::Ceilings;
use harp_python::{Described, Project, follow_imports};
use harp_report::UserError;

use super::libraries::{Libraries, ReplacedName};
use super::pipeline::AnalysisOptions;
use super::project_root;

/// A program, and what is known of the libraries that it uses.
pub struct Subject {
    /// The files.
    pub corpus: Corpus,
    /// What is known of libraries, with what the user brings.
    pub library: Arc<Library>,
    /// What is wrong with what the user says of libraries, which is left out then.
    pub errors: Vec<UserError>,
    /// What is odd in it and no mistake.
    pub warnings: Vec<UserError>,
    /// What Harp knows of libraries and files of the project or of the user say in its place.
    pub(super) replaced: Arc<[ReplacedName]>,
    /// Packages of which the environment has the sources that are read in place of what packs say.
    read_from_environment: Arc<[String]>,
}

impl Subject {
    /// A program that was read, with the libraries of the options.
    pub fn new(corpus: Corpus, options: &AnalysisOptions) -> Subject {
        let libraries = Libraries::read(&options.annotations);
        let Libraries { library, mut sources, only_where_missing, errors, warnings, replaced, .. } = libraries;
        let library = Arc::new(library.with_targets(options.targets.clone()));
        let is_there = |package: &String| corpus.environment.as_ref().is_some_and(|it| it.module(package).is_some());
        let installed: Vec<String> = only_where_missing.into_iter().filter(is_there).collect();
        if !installed.is_empty() {
            sources = Arc::new(sources.without(installed.iter().cloned()));
        }
        let (replaced, read_from_environment) = (replaced.into(), installed.into());
        Subject { corpus: corpus.with_libraries(sources), library, errors, warnings, replaced, read_from_environment }
    }

    /// Reads what can be read; a path that does not exist is an error and does not stop the others.
    pub(super) fn load(options: &AnalysisOptions) -> (Subject, Vec<UserError>) {
        let (corpus, errors) = Subject::read(options);
        (Subject::new(corpus, options), errors)
    }

    /// The files of a program alone.
    pub(super) fn read(options: &AnalysisOptions) -> (Corpus, Vec<UserError>) {
        let mut errors = Vec::new();
        let load_options = options.load_options();
        let mut corpus = match &options.standard_input {
            Some(given) if given.is_excluded(&load_options) => Corpus::default(),
            Some(given) => Corpus::of_bytes(&given.path, given.bytes.clone()),
            None => load_paths(&options.paths, &load_options, &mut errors),
        };
        follow_imports(&mut corpus, &load_options, &harp_builtin::library().packages());
        project_root::find(&mut corpus);
        match open_environment(options) {
            Ok(Some(environment)) => corpus = corpus.with_environment(environment),
            Ok(None) => {}
            Err(error) => errors.push(error),
        }
        (corpus, errors)
    }

    /// Another program with the same libraries.
    pub fn with_corpus(&self, corpus: Corpus) -> Subject {
        let (library, replaced) = (Arc::clone(&self.library), Arc::clone(&self.replaced));
        let read_from_environment = Arc::clone(&self.read_from_environment);
        Subject { corpus, library, errors: Vec::new(), warnings: Vec::new(), replaced, read_from_environment }
    }

    /// The program with its meaning. What the library describes is not read from an environment.
    pub(super) fn project(&self, ceilings: Ceilings) -> Project {
        let mut libraries = self.library.packages();
        libraries.retain(|package| !self.read_from_environment.contains(package));
        let described = Described { libraries, sources: self.library.sources() };
        Project::with_described(&self.corpus, described, ceilings)
    }
}

/// The files of paths. One that does not exist is an error and does not stop the others.
fn load_paths(given: &[PathBuf], options: &LoadOptions, errors: &mut Vec<UserError>) -> Corpus {
    let (paths, missing): (Vec<PathBuf>, Vec<PathBuf>) = given.iter().cloned().partition(|path| path.exists());
    errors.extend(missing.into_iter().map(|path| UserError::new(unresolved(path).to_string())));
    harp_corpus::load(&paths, options).unwrap_or_else(|error| {
        errors.push(UserError::new(error.to_string()));
        Corpus::default()
    })
}

/// What is wrong with a path that leads to no file.
fn unresolved(path: PathBuf) -> CorpusError {
    match path.canonicalize() {
        Err(error) => CorpusError::unresolved(path, error),
        Ok(_) => CorpusError::NotFound { path },
    }
}

/// The environment that the options name.
fn open_environment(options: &AnalysisOptions) -> Result<Option<Environment>, UserError> {
    let Some(path) = &options.python else { return Ok(None) };
    Environment::open(path, options.load_options().max_file_size).map(Some).map_err(|error| {
        let hint =
            "give the environment's folder (`.venv`), its interpreter (`.venv/bin/python`), or a folder with packages";
        UserError::new(error.to_string()).hint(hint)
    })
}
