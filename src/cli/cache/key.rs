//! The cache's key: what the results of an analysis depend on, as far as it is known before it is made.

use std::env;

use harp_corpus::{Corpus, Digest, NamedPath, SourceFile};

use super::program_identity;
use crate::bounds::Bounds;
use crate::external_facts::FactSource;
use crate::libraries;
use crate::pipeline::{AnalysisOptions, Rules};
use crate::rule_findings::functors;

/// The name of the results that depend on all of this.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Key(String);

impl Key {
    /// The key of an analysis of this corpus; `None` where nothing is kept, such as with rules that have mistakes.
    pub fn of(options: &AnalysisOptions, corpus: &Corpus) -> Option<Key> {
        let parts = [
            program_identity::of_this_program()?,
            of_options(options),
            of_packs(&options.packs)?,
            libraries::digest(&options.annotations)?,
            of_corpus(corpus),
        ];
        Some(Key(Digest::of(&parts.map(|Digest(bytes)| bytes)).hex()))
    }

    /// In hexadecimal digits.
    pub fn name(&self) -> &str {
        &self.0
    }
}

/// Whether all that an analysis with these options depends on is looked at here.
pub(super) fn depends_on_files_alone(options: &AnalysisOptions) -> bool {
    let is_whole_program = options.standard_input.is_none() && options.entries.is_none() && !options.runs_once;
    let asks_nobody = options.oracle.is_none() && matches!(options.facts, FactSource::Nothing);
    is_whole_program && asks_nobody && !options.coverage
}

/// Everything but what is named here changes results or their order, or how files are shown.
fn of_options(options: &AnalysisOptions) -> Digest {
    let asked = AnalysisOptions {
        // What is found is the same with any number of threads, and in less time than the limit, or it is not kept.
        threads: 0,
        until: None,
        bounds: Bounds { time: None, ..options.bounds },
        // Compared with what is found.
        baseline: None,
        // By their names alone, and not with the text around them.
        named_rules: Vec::new(),
        ..options.clone()
    };
    let named: Vec<&str> = options.named_rules.iter().map(|rule| rule.name.as_str()).collect();
    Digest::of(&format!("{:?} {asked:?} {named:?}", env::current_dir().ok()))
}

/// The user's packs, with all files that they include.
pub(crate) fn of_packs(folders: &[NamedPath]) -> Option<Digest> {
    if folders.is_empty() {
        return Some(Digest::of(&()));
    }
    let functors = functors();
    let rules = Rules::load(folders, &functors);
    let own = rules.packs.iter().filter(|pack| pack.root().is_some());
    let texts: Vec<(&str, Vec<(String, String)>)> = own.map(|pack| (&*pack.place, pack.texts())).collect();
    rules.errors.is_empty().then(|| Digest::of(&texts))
}

fn of_corpus(corpus: &Corpus) -> Digest {
    let files: Vec<[u8; 32]> = corpus.files.iter().map(|file| of_file(file).0).collect();
    let folders = corpus.environment.as_ref().map(|environment| environment.folders());
    Digest::of(&(files, format!("{:?} {:?}", corpus.skipped, corpus.roots), folders))
}

fn of_file(file: &SourceFile) -> Digest {
    let SourceFile { display_path, uri, path, root, project_root, origin, packages, text, cells, .. } = file;
    let place = format!("{display_path:?} {uri:?} {path:?} {root:?} {project_root:?} {origin:?} {packages:?}");
    Digest::of(&(place, text, format!("{cells:?}")))
}
