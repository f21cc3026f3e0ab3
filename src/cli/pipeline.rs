//! The way through the rooms, once, from left to right: which files, what they mean, what runs, which rules fire, what is reported.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::annotations::{AnnotationError, Library, Target};
use crate::corpus::{self, Corpus, CorpusError, FileId, LoadOptions};
use crate::datalog::NoFunctors;
use crate::graph::{self, Wanted};
use crate::interp::{self, answers::Answer};
use crate::python::{Project, SyntaxError};
use crate::report::{
    Finding, Label, Report, RuleDescription, Selection, Severity, Skipped, Summary, UserError, finish,
};

use super::config::{self, Config};
use super::options::InputOptions;
use super::progress::Progress;
use super::{answers, issues, packs, rules, targets};

/// The rule of the findings that say where a file is not Python.
pub const SYNTAX_RULE: &str = "syntax-error";

/// What is analysed, and with which knowledge.
#[derive(Clone, Debug, Default)]
pub struct AnalysisOptions {
    pub paths: Vec<PathBuf>,
    /// The command line of the analysed program, without its name; empty means the defaults.
    pub arguments: Vec<String>,
    /// The limit of file sizes in bytes, where it is not the usual one.
    pub max_file_size: Option<u64>,
    pub exclude: Vec<String>,
    /// Folders with rules beside the built-in ones.
    pub packs: Vec<PathBuf>,
    /// Annotation files, or folders of them, beside the built-in ones.
    pub annotations: Vec<PathBuf>,
    pub selection: Selection,
    /// What the user says of assumptions.
    pub answers: Vec<Answer>,
    /// The versions of libraries that the project runs with.
    pub targets: BTreeMap<Box<str>, Target>,
    /// 0 means one per processor.
    pub threads: usize,
}

/// What came out.
pub struct Analysis {
    /// What could not be done; the rest was.
    pub errors: Vec<UserError>,
    pub corpus: Corpus,
    /// In their final form and order.
    pub findings: Vec<Finding>,
    pub summary: Summary,
    pub rules: Vec<RuleDescription>,
}

impl AnalysisOptions {
    /// The command line's options over those of the configuration; lists add up.
    pub(super) fn new(input: &InputOptions) -> Result<AnalysisOptions, UserError> {
        let config = match (&input.config, input.paths.first()) {
            (Some(file), _) => config::load(file)?,
            (None, Some(path)) => config::discover(path)?,
            (None, None) => Config::default(),
        };
        let configured = AnalysisOptions::from(config);
        let mut targets = input.paths.first().map(|path| targets::detect(path)).unwrap_or_default();
        targets.extend(configured.targets);
        Ok(AnalysisOptions {
            paths: input.paths.clone(),
            max_file_size: input.max_file_size.or(configured.max_file_size),
            arguments: input.args.as_ref().map_or(configured.arguments, |args| args.0.clone()),
            exclude: [configured.exclude, input.exclude.clone()].concat(),
            packs: [configured.packs, input.pack.clone()].concat(),
            annotations: [configured.annotations, input.annotations.clone()].concat(),
            selection: configured.selection,
            answers: configured.answers,
            targets,
            threads: input.threads,
        })
    }

    pub(super) fn interpreter_options(&self) -> interp::Options {
        let arguments = (!self.arguments.is_empty()).then(|| self.arguments.clone());
        interp::Options { arguments, answers: self.answers.clone(), ..interp::Options::default() }
    }

    fn load_options(&self) -> LoadOptions {
        let usual = LoadOptions::default();
        let max_file_size = self.max_file_size.unwrap_or(usual.max_file_size);
        LoadOptions { max_file_size, exclude: self.exclude.clone(), ..usual }
    }
}

impl From<Config> for AnalysisOptions {
    fn from(config: Config) -> AnalysisOptions {
        AnalysisOptions {
            max_file_size: config.max_file_size,
            arguments: config.args.unwrap_or_default(),
            exclude: config.exclude,
            packs: config.packs,
            annotations: config.annotations,
            selection: config.selection,
            answers: config.answers,
            targets: config.targets,
            ..AnalysisOptions::default()
        }
    }
}

impl Analysis {
    /// What the renderers show.
    pub fn report(&self) -> Report<'_> {
        Report { findings: &self.findings, summary: &self.summary, sources: &self.corpus, rules: &self.rules }
    }
}

/// Analyses the files and folders that the options name.
pub fn analyse(options: &AnalysisOptions, progress: &Progress) -> Analysis {
    let run = || {
        let (corpus, errors) = load(options);
        let mut analysis = analyse_corpus(corpus, options, progress);
        analysis.errors.splice(0..0, errors);
        analysis
    };
    with_threads(options.threads, run)
}

/// Runs on so many threads, whose stacks are large enough for the analysis.
pub(super) fn with_threads<T: Send>(threads: usize, run: impl FnOnce() -> T + Send) -> T {
    match rayon::ThreadPoolBuilder::new().num_threads(threads).stack_size(super::STACK_SIZE).build() {
        Ok(pool) => pool.install(run),
        // Without threads of its own the process's common ones do.
        Err(_) => run(),
    }
}

/// Reads what can be read; a path that does not exist is an error and does not stop the others.
pub(super) fn load(options: &AnalysisOptions) -> (Corpus, Vec<UserError>) {
    let mut errors = Vec::new();
    let (paths, missing): (Vec<PathBuf>, Vec<PathBuf>) = options.paths.iter().cloned().partition(|path| path.exists());
    errors.extend(missing.into_iter().map(|path| UserError::new(CorpusError::NotFound { path }.to_string())));
    let corpus = corpus::load(&paths, &options.load_options()).unwrap_or_else(|error| {
        errors.push(UserError::new(error.to_string()));
        Corpus::default()
    });
    (corpus, errors)
}

/// The built-in annotations and the user's; without the user's where they are wrong.
pub(super) fn library(options: &AnalysisOptions) -> (Library, Vec<UserError>) {
    let targets = options.targets.clone();
    match Library::with_user_files(&options.annotations, interp::transfer::names()) {
        Ok(library) => (library.with_targets(targets), Vec::new()),
        Err(errors) => (Library::default().with_targets(targets), errors.into_iter().map(annotation_error).collect()),
    }
}

fn annotation_error(error: AnnotationError) -> UserError {
    let name = error.file.display().to_string();
    let shown = match (error.range, std::fs::read_to_string(&error.file)) {
        (Some((start, end)), Ok(text)) => UserError::new(error.message).at(name, text, start..end, ""),
        // The position alone is known: a caret stands there.
        (None, Ok(text)) if error.line > 0 => {
            let start: usize = text.split_inclusive('\n').take(error.line - 1).map(str::len).sum();
            let line = text[start..].lines().next().unwrap_or_default();
            let at = start + line.char_indices().nth(error.column.saturating_sub(1)).map_or(line.len(), |(at, _)| at);
            let end = at + text[at..].chars().next().map_or(0, char::len_utf8);
            UserError::new(error.message).at(name, text, at..end, "")
        }
        _ if error.line > 0 => UserError::new(format!("{name}:{}:{}: {}", error.line, error.column, error.message)),
        _ => UserError::new(format!("{name}: {}", error.message)),
    };
    error.hint.into_iter().fold(shown, UserError::hint)
}

/// Analyses files that were read. Nothing is read from disk but the packs and annotations of the options.
pub fn analyse_corpus(corpus: Corpus, options: &AnalysisOptions, progress: &Progress) -> Analysis {
    let (library, mut errors) = library(options);
    let (mut packs, pack_errors) = packs::load(&options.packs);
    errors.extend(pack_errors);
    let (program, rule_errors) = packs::compile(&mut packs, &NoFunctors);
    errors.extend(rule_errors);

    progress.step("parsing", corpus.files.len());
    let project = Project::build(&corpus);
    let mut findings: Vec<Finding> = project.errors.iter().map(|(file, error)| syntax_error(*file, error)).collect();
    progress.step("executing", corpus.files.len());
    let trace = interp::analyse(&corpus, &project, &library, &options.interpreter_options());

    progress.step("applying rules", 1);
    let wanted = program.as_ref().map_or(Wanted::Only(Vec::new()), rules::wanted);
    let facts =
        graph::build(graph::Program { corpus: &corpus, project: &project, library: &library, trace: &trace }, &wanted);
    let mut summary = summary(&corpus);
    findings.extend(issues::reveals(&trace, &facts));
    if let Some(program) = &program {
        let ran = rules::run(program, &facts, &trace, &corpus);
        findings.extend(ran.findings);
        summary.budgets.extend(ran.budgets);
    }
    findings.extend(answers::findings(&trace));
    answers::summarise(&trace, &mut summary);
    issues::summarise(&trace, &facts, &mut summary);
    let rules = program.as_ref().map_or(Vec::new(), |program| packs::descriptions(&packs, program));
    finish(&mut findings, &mut summary, &options.selection, &corpus);
    Analysis { errors, corpus, findings, summary, rules }
}

fn summary(corpus: &Corpus) -> Summary {
    let skipped = corpus.skipped.iter();
    Summary {
        files: corpus.files.len(),
        lines: corpus.files.iter().map(|file| file.text.lines().count()).sum(),
        skipped: skipped.map(|it| Skipped { path: it.path.clone(), reason: it.reason.to_string() }).collect(),
        ..Summary::default()
    }
}

fn syntax_error(file: FileId, error: &SyntaxError) -> Finding {
    let span = error.range.in_file(file);
    Finding::new(SYNTAX_RULE, Severity::Error, &error.message, Label::new(span, ""))
}
