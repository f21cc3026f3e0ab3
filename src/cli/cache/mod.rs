//! Results that are kept from run to run. What an analysis gives depends on the program, on what it asks of files beside the program, on rules, on
//! annotations, on options, and on Harp itself; where all of these are the same, the results are, and nothing is executed.
//!
//! Results lie in a folder of the user's, never in the analysed project: whoever can write there could say that a project is clean.

mod clean;
mod folder;
mod kept;
pub(crate) mod key;
pub(crate) mod program_identity;

use std::path::PathBuf;

use clap::Args;
use clap::builder::{FalseyValueParser, OsStringValueParser, TypedValueParser};
use harp_corpus::Corpus;
use harp_report::UserError;

use crate::pipeline::{self, Analysis, AnalysisOptions};
use crate::progress::Progress;
use crate::project_folders::{Projects, shown};
use crate::project_root;
use crate::subject::Subject;
pub(crate) use clean::run as clean;
use folder::Folder;
use kept::Kept;
use key::Key;

/// Whether results are kept, and where.
#[derive(Clone, Debug, Default, Args)]
pub struct CacheOptions {
    /// Neither read nor write the cache
    #[arg(long, help_heading = "Cache", env = "HARP_NO_CACHE", value_parser = FalseyValueParser::new(), hide_env_values = true)]
    pub no_cache: bool,
    /// The cache folder, instead of the default
    #[arg(long, help_heading = "Cache", value_name = "DIR", env = "HARP_CACHE_DIR", value_parser = cache_dir(), hide_env_values = true)]
    pub cache_dir: Option<PathBuf>,
}

/// Any path, and also none: CI systems set variables that have no value to an empty text.
pub fn cache_dir() -> impl TypedValueParser<Value = PathBuf> {
    OsStringValueParser::new().map(PathBuf::from)
}

impl CacheOptions {
    /// The folder with results, where there is to be one.
    fn folder(&self) -> Option<Folder> {
        if self.no_cache {
            return None;
        }
        self.cache_dir.clone().filter(|named| !named.as_os_str().is_empty()).or_else(folder::usual).map(Folder::new)
    }
}

/// Analyses the files and folders that the options name, unless results for just these are kept.
pub fn analyse(options: &AnalysisOptions, cache: &CacheOptions, progress: &Progress) -> Analysis {
    let Some(folder) = cache.folder().filter(|_| key::depends_on_files_alone(options)) else {
        return pipeline::analyse(options, progress);
    };
    if is_within_project(&folder, options) {
        let mut analysis = pipeline::analyse(options, progress);
        analysis.warnings.extend(cache.cache_dir.is_some().then(|| within_project(&folder)));
        return analysis;
    }
    if let Some(why) = folder.objection() {
        let mut analysis = pipeline::analyse(options, progress);
        analysis.warnings.push(of_others(&folder, why));
        return analysis;
    }
    pipeline::with_threads(options.threads, || {
        let (corpus, errors) = Subject::read(options);
        match Key::of(options, &corpus).filter(|_| errors.is_empty()) {
            Some(key) => with_key(&folder, &key, corpus, options, progress),
            None => without_key(corpus, errors, options, progress),
        }
    })
}

/// Whether a folder lies in what is analysed, or in the project around it.
fn is_within_project(folder: &Folder, options: &AnalysisOptions) -> bool {
    let roots = options.paths.iter().filter_map(|path| project_root::around(path));
    Projects::of(&options.paths.iter().cloned().chain(roots).collect::<Vec<_>>()).hold(folder.path())
}

fn within_project(folder: &Folder) -> UserError {
    UserError::warning(format!("no results are kept in {}, which is part of the project", shown(folder.path())))
        .note("whoever changes a file of the project could change there what is found")
        .hint("name a folder outside of it with `--cache-dir`")
}

fn of_others(folder: &Folder, why: &str) -> UserError {
    UserError::warning(format!("no results are kept in {}, which {why}", shown(folder.path())))
        .note("whoever writes there could change what is found")
        .hint("name a folder of your own with `--cache-dir`, or leave results out with `--no-cache`")
}

fn with_key(folder: &Folder, key: &Key, corpus: Corpus, options: &AnalysisOptions, progress: &Progress) -> Analysis {
    let Some(kept) = folder.read(key.name()).and_then(|bytes| Kept::of_bytes(&bytes, key)) else {
        return analysed(folder, key, corpus, options, progress);
    };
    if let Some(analysis) = kept.analysis(corpus, options) {
        return analysis;
    }
    // Files of an environment that were asked for have other numbers now than an analysis would give them.
    let (corpus, errors) = Subject::read(options);
    match Key::of(options, &corpus).filter(|_| errors.is_empty()) {
        Some(key) => analysed(folder, &key, corpus, options, progress),
        None => without_key(corpus, errors, options, progress),
    }
}

fn analysed(folder: &Folder, key: &Key, corpus: Corpus, options: &AnalysisOptions, progress: &Progress) -> Analysis {
    let analysis = without_key(corpus, Vec::new(), options, progress);
    if let Some(bytes) = Kept::of(&analysis, options).and_then(|kept| kept.bytes(key)) {
        folder.write(key.name(), &bytes);
    }
    analysis
}

fn without_key(corpus: Corpus, errors: Vec<UserError>, options: &AnalysisOptions, progress: &Progress) -> Analysis {
    let mut analysis = pipeline::analyse_corpus(corpus, options, progress);
    analysis.errors.splice(0..0, errors);
    analysis
}
