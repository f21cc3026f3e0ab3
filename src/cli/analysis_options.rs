//! What a command analyses, and with which knowledge: the command line over the configuration of a project.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use harp_annotations::Target;
use harp_corpus::{LoadOptions, NamedPath, Reach};
use harp_limits::Ceilings;
use harp_report::{Selection, UserError};
use harp_shape::Oracle;
use harp_trace::answers::Answer;

use crate::bounds::{Bounds, TimeLimit};
use crate::config::rules::NamedRule;
use crate::config::{self, Config};
use crate::external_facts::FactSource;
use crate::options::{BoundOptions, InputOptions};
use crate::project_folders::Projects;
use crate::standard_input::StandardInput;
use crate::{library_versions, projects, z3};

/// The part of the memory that the texts of the files may take, in parts of it.
const PART_FOR_TEXT: u64 = 8;

/// What is analysed, and with which knowledge.
#[derive(Clone, Debug, Default)]
pub struct AnalysisOptions {
    /// Files and folders, as the user gave them.
    pub paths: Vec<PathBuf>,
    /// What is analysed in their place: a file that came on the standard input.
    pub standard_input: Option<Arc<StandardInput>>,
    /// The command line of the analysed program, without its name; empty means the defaults.
    pub arguments: Vec<String>,
    /// The limit of file sizes in bytes, where it is not the usual one.
    pub max_file_size: Option<u64>,
    /// Patterns of files and folders to leave out, as in a `.gitignore`.
    pub exclude: Vec<String>,
    /// The folder to which they are relative for paths, where they leave out these, too.
    pub exclude_given_below: Option<PathBuf>,
    /// Folders below the paths that are analysed apart, with a configuration of their own.
    pub apart: Vec<PathBuf>,
    /// Folders around the paths from which their files import, too.
    pub import_roots: Vec<PathBuf>,
    /// Folders with rules beside the built-in ones.
    pub packs: Vec<NamedPath>,
    /// Rows for what rules declare as inputs.
    pub facts: FactSource,
    /// Annotation files, or folders of them, beside the built-in ones.
    pub annotations: Vec<NamedPath>,
    /// So many of them, the first ones, are named by a configuration of the project.
    pub annotations_of_project: usize,
    /// Whether no file of the project stands for a library that Harp knows.
    pub isolated: bool,
    /// Which rules are silent, and the severities of others.
    pub selection: Selection,
    /// The rules that the configuration names.
    pub named_rules: Vec<NamedRule>,
    /// The findings that the project knows of, where its configuration names them.
    pub baseline: Option<NamedPath>,
    /// What the user says of assumptions.
    pub answers: Vec<Answer>,
    /// The versions of libraries that the project runs with.
    pub targets: BTreeMap<Box<str>, Target>,
    /// Those of them that the configuration tells.
    pub configured_targets: BTreeMap<Box<str>, Target>,
    /// The Python environment whose packages the program imports.
    pub python: Option<NamedPath>,
    /// 0 means one per processor.
    pub threads: usize,
    /// What the analysis may use.
    pub bounds: Bounds,
    /// When it ends at the latest.
    pub until: Option<Instant>,
    /// Whether the analysis tells what it followed of each file.
    pub coverage: bool,
    /// Whether findings tell the way that leads to them.
    pub explain_path: bool,
    /// Whether findings come with their proofs and the part of the graph that leads to them.
    pub explains: bool,
    /// The functions and methods with inputs that nobody gives which are followed, by the names of their entries, where it is not all.
    pub entries: Option<Arc<BTreeSet<String>>>,
    /// Whether scripts are run with their defaults alone, and nothing is asked of what rests on which of them.
    pub runs_once: bool,
    /// Who is asked about what the solver cannot decide.
    pub oracle: Option<Arc<dyn Oracle>>,
    /// What the user should know of the configuration.
    pub warnings: Vec<UserError>,
}

impl AnalysisOptions {
    /// The command line's options over those of the configuration that is nearest to the first path; lists add up.
    pub(super) fn new(input: &InputOptions) -> Result<AnalysisOptions, UserError> {
        AnalysisOptions::within(input, &Projects::of(&input.paths))
    }

    /// The same, where it is known which files the project's authors wrote.
    pub(super) fn within(input: &InputOptions, projects: &Projects) -> Result<AnalysisOptions, UserError> {
        let config = match (&input.config, input.paths.first()) {
            _ if input.isolated => Config::default(),
            (Some(file), _) => config::load(&projects.named_by_user(file))?,
            (None, Some(path)) => {
                let mut config = config::discover(path)?;
                config.warnings.extend(projects::not_read(&input.paths));
                config
            }
            (None, None) => Config::default(),
        };
        let found_in = config.found_in.as_deref();
        let detected = input.paths.first().map(|path| library_versions::detect(path, found_in));
        AnalysisOptions::with_config(input, projects, config, detected.unwrap_or_default())
    }

    /// The same with a configuration that was read, and the versions of libraries that the requirements of the project tell.
    pub(super) fn with_config(
        input: &InputOptions,
        projects: &Projects,
        config: Config,
        detected: BTreeMap<Box<str>, Target>,
    ) -> Result<AnalysisOptions, UserError> {
        let config_solver = config.solver;
        let bounds = Bounds::of(&input.bounds, &config.bounds);
        let found_in = config.found_in.clone();
        let exclude_given_below = (input.force_exclude || config.force_exclude)
            .then(|| found_in.clone().or_else(|| std::env::current_dir().ok()))
            .flatten();
        let configured = AnalysisOptions::from(config);
        let mut targets = detected;
        targets.extend(configured.configured_targets.clone());
        Ok(AnalysisOptions {
            paths: input.paths.clone(),
            standard_input: None,
            max_file_size: input.max_file_size.or(configured.max_file_size),
            arguments: input.args.as_ref().map_or(configured.arguments, |args| args.0.clone()),
            exclude: [configured.exclude, input.exclude.clone()].concat(),
            exclude_given_below,
            apart: Vec::new(),
            import_roots: Vec::new(),
            packs: [configured.packs, projects.all_named_by_user(&input.pack)].concat(),
            facts: input
                .facts
                .as_deref()
                .map_or(FactSource::Nothing, |it| FactSource::Folder(projects.named_by_user(it))),
            annotations: [configured.annotations, projects.all_named_by_user(&input.annotations)].concat(),
            annotations_of_project: configured.annotations_of_project,
            isolated: input.isolated,
            selection: configured.selection,
            named_rules: configured.named_rules,
            baseline: configured.baseline,
            answers: configured.answers,
            targets,
            configured_targets: configured.configured_targets,
            python: input.python.clone().map(NamedPath::by_user).or(configured.python),
            warnings: configured.warnings,
            threads: input.threads,
            bounds,
            until: bounds.time.and_then(TimeLimit::end),
            coverage: false,
            explain_path: false,
            explains: false,
            entries: None,
            runs_once: false,
            oracle: z3::oracle(input.solver, config_solver, &input.paths)?,
        })
    }

    pub(super) fn interpreter_options(&self) -> harp_interp::Options {
        let arguments = (!self.arguments.is_empty()).then(|| self.arguments.clone());
        let oracle = self.oracle.clone();
        let answers = self.answers.clone();
        let limits = harp_interp::Limits { steps: self.bounds.steps, ..harp_interp::Limits::default() };
        let ceilings = self.ceilings();
        let (routes, runs_once, entries) = (self.explain_path, self.runs_once, self.entries.clone());
        let usual = harp_interp::Options::default();
        harp_interp::Options { arguments, answers, limits, ceilings, routes, entries, runs_once, oracle, ..usual }
    }

    /// What the process may use.
    pub(super) fn ceilings(&self) -> Ceilings {
        Ceilings { memory: Some(self.bounds.memory).filter(|bytes| *bytes > 0), until: self.until }
    }

    /// The same for an analysis that begins now: a limit of time that a configuration sets is one for its own files.
    pub(super) fn begun(&self) -> AnalysisOptions {
        let until = match self.bounds.time {
            Some(limit @ TimeLimit::OfProject(_)) => limit.end(),
            _ => self.until,
        };
        AnalysisOptions { until, ..self.clone() }
    }

    pub(super) fn load_options(&self) -> LoadOptions {
        let usual = LoadOptions::default();
        let max_file_size = self.max_file_size.unwrap_or(usual.max_file_size);
        let max_total_size = match self.bounds.memory {
            0 => u64::MAX,
            memory => memory / PART_FOR_TEXT,
        };
        let (exclude, exclude_given_below) = (self.exclude.clone(), self.exclude_given_below.clone());
        let (apart, import_roots) = (self.apart.clone(), self.import_roots.clone());
        LoadOptions { max_file_size, max_total_size, exclude, exclude_given_below, apart, import_roots, ..usual }
    }
}

impl From<Config> for AnalysisOptions {
    fn from(config: Config) -> AnalysisOptions {
        let is_of_project = |named: &&NamedPath| matches!(named.reach, Reach::Within(_));
        AnalysisOptions {
            annotations_of_project: config.annotations.iter().filter(is_of_project).count(),
            max_file_size: config.max_file_size,
            arguments: config.args.unwrap_or_default(),
            exclude: config.exclude,
            packs: config.packs,
            annotations: config.annotations,
            selection: config.selection,
            named_rules: config.named_rules,
            baseline: config.baseline,
            answers: config.answers,
            targets: config.targets.clone(),
            configured_targets: config.targets,
            python: config.python,
            bounds: Bounds::of(&BoundOptions::default(), &config.bounds),
            warnings: config.warnings,
            ..AnalysisOptions::default()
        }
    }
}
