//! The command line: what can be typed after `harp`.

use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{OsStringValueParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use serde::Deserialize;

use crate::argument_types;
use crate::cache::{CacheOptions, cache_dir};
use crate::fix_options::FixOptions;
use crate::output_argument::{self, OutputArgument};
use crate::report_options::ReportOptions;
use crate::review::ReviewOptions;
use harp_corpus::check_pattern;

/// Finds tensor-shape errors and inefficiencies in Python machine-learning code without running it.
#[derive(Debug, Parser)]
#[command(name = "harp", version)]
#[command(
    after_help = "Exit codes: 0 no errors or warnings, 1 findings, 2 Harp could not run.\nStart with `harp check PATH`; `harp check -h` lists its options."
)]
pub struct CommandLine {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
    /// Whether to use colour
    #[arg(long, global = true, value_enum, default_value_t = ColorChoice::Auto, value_name = "WHEN")]
    pub color: ColorChoice,
}

/// The commands of `harp`; each has options of its own.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Report shape errors and inefficiencies
    Check(CheckOptions),
    /// Report what a change introduced, fixed and made worse
    #[command(mut_arg("paths", |paths| paths.default_values(Vec::<&str>::new())))]
    Review(ReviewOptions),
    /// Analyse many repositories, and write what is found as tables
    #[cfg(feature = "tables")]
    Audit(Box<crate::audit::AuditOptions>),
    /// Write comments that suppress the current findings
    Suppress(SuppressOptions),
    /// Print the shape signatures that functions imply
    Infer(InferOptions),
    /// Write the facts that rules read
    Facts(FactsOptions),
    /// Draw the operations of a program
    Graph(GraphOptions),
    /// Print the declarations of the tables
    Schema(SchemaOptions),
    /// List the rules, or print one rule's page
    Rules(RulesOptions),
    /// Query the facts of a program
    Query(QueryOptions),
    /// Show why a finding is there
    Explain(ExplainOptions),
    /// Show why a rule finds nothing at a line
    #[command(mut_arg("paths", |paths| paths.default_values(Vec::<&str>::new())))]
    WhyNot(WhyNotOptions),
    /// Run the tests of rule packs
    Test(TestOptions),
    /// Create a small rule pack to start from
    NewPack(NewPackOptions),
    /// Remove cached results
    Clean(CleanOptions),
    /// Write a shell completion script
    Completions(CompletionsOptions),
    /// Write a manual page
    Man(ManOptions),
}

/// A program that decides constraints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SolverName {
    /// The program `z3` on the PATH
    Z3,
}

/// How far entries are followed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Effort {
    /// A fifth of the usual steps: for a first look at many repositories
    Low,
    /// As far as scripts and models commonly go
    #[default]
    Normal,
    /// Five times the usual steps
    High,
}

/// When text is coloured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ColorChoice {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    /// Also in files and pipes
    Always,
    /// Plain text
    Never,
}

/// The forms of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OutputFormat {
    /// For people
    Text,
    /// One line a finding: PATH:LINE:COLUMN: SEVERITY[RULE] MESSAGE
    Concise,
    /// Harp's own JSON, described in docs/output.md
    Json,
    /// One JSON object a finding and line
    JsonLines,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// Commands that annotate a pull request on GitHub
    Github,
    /// GitLab's code quality report
    Gitlab,
    /// JUnit's XML
    Junit,
    /// A page for people, in one file that needs nothing else
    Html,
    /// A document for people
    Markdown,
}

/// The options of `harp check`.
#[derive(Clone, Debug, Args)]
pub struct CheckOptions {
    /// What is analysed.
    #[command(flatten)]
    pub input: InputOptions,
    /// Which findings are reported.
    #[command(flatten)]
    pub report: ReportOptions,
    /// Whether findings are fixed.
    #[command(flatten)]
    pub fix: FixOptions,
    /// Whether results are kept.
    #[command(flatten)]
    pub cache: CacheOptions,
    /// Report only findings that are new since this baseline; --update-baseline writes it
    #[arg(long, help_heading = "Baseline", value_name = "FILE")]
    pub baseline: Option<PathBuf>,
    /// Write the findings to the baseline instead of reporting them
    #[arg(long, help_heading = "Baseline")]
    pub update_baseline: bool,
    /// The form of the report
    #[arg(long, help_heading = "Output", visible_alias = "output-format", value_enum, default_value_t = OutputFormat::Text, value_name = "FORMAT")]
    pub format: OutputFormat,
    /// Write the report to a file, such as sarif:harp.sarif; may be given several times. FORMAT alone writes to the standard
    /// output
    #[arg(long, help_heading = "Output", value_name = "[FORMAT:]FILE", value_parser = OsStringValueParser::new().try_map(output_argument::parse::<OutputFormat>))]
    pub output: Vec<OutputArgument<OutputFormat>>,
    /// List every entry point, assumption, unknown call, and suppressed finding
    #[arg(long, help_heading = "Output", short)]
    pub verbose: bool,
    /// Write findings and nothing else
    #[arg(long, help_heading = "Output", short, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Count the findings of each rule instead of listing them
    #[arg(long, help_heading = "Output", conflicts_with = "verbose")]
    pub statistics: bool,
    /// The order of findings in text, JSON and other lists; by saving, those come first whose rewrites save most, and text says how much
    #[arg(long, help_heading = "Output", value_enum, default_value_t = SortOrder::Place, value_name = "ORDER")]
    pub sort: SortOrder,
    /// The path of the file that is read from the standard input (`harp check -`)
    #[arg(long, help_heading = "File selection", value_name = "PATH")]
    pub stdin_filename: Option<PathBuf>,
    /// Report what was analysed of each file, and how to analyse the rest (text or JSON), instead of the findings
    #[arg(long, help_heading = "Output", conflicts_with_all = ["fix", "diff", "update_baseline", "statistics", "quiet"])]
    pub coverage: bool,
    /// List the files that would be checked
    #[arg(long, help_heading = "Output")]
    pub show_files: bool,
    /// Check again whenever a file changes, until interrupted
    #[arg(long, conflicts_with_all = ["show_files", "update_baseline", "diff"])]
    pub watch: bool,
    /// Show the path to each finding: entry point, calls, branches, iterations, and where the operands come from
    #[arg(long, help_heading = "Output")]
    pub explain_path: bool,
    /// Report how long each step took
    #[arg(long, help_heading = "Output")]
    pub profile: bool,
}

/// The order of findings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum SortOrder {
    /// By file and place
    #[default]
    Place,
    /// By what their rewrites save
    Saving,
}

/// The options of `harp clean`.
#[derive(Debug, Args)]
pub struct CleanOptions {
    /// The cache folder, if it is not the default
    #[arg(long, value_name = "DIR", env = "HARP_CACHE_DIR", value_parser = cache_dir(), hide_env_values = true)]
    pub cache_dir: Option<PathBuf>,
}

/// The options of `harp suppress`.
#[derive(Debug, Args)]
pub struct SuppressOptions {
    /// What is analysed.
    #[command(flatten)]
    pub input: InputOptions,
    /// Suppress these rules and no others: ids, packs, or how ids begin ('perf/loop-*')
    #[arg(long, value_name = "RULES", value_delimiter = ',')]
    pub select: Vec<String>,
    /// The reason to write after each comment
    #[arg(long, value_name = "TEXT")]
    pub reason: Option<String>,
    /// Print what would change, and write nothing; exit code 1 where it is something
    #[arg(long)]
    pub diff: bool,
}

/// The forms of inferred signatures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum InferFormat {
    /// For people
    Text,
    /// Harp's own JSON, described in docs/infer.md
    Json,
    /// A Python stub with the signatures in comments
    Pyi,
    /// A Python stub with jaxtyping's annotations
    Jaxtyping,
}

/// The options of `harp infer`.
#[derive(Debug, Args)]
pub struct InferOptions {
    /// What is analysed.
    #[command(flatten)]
    pub input: InputOptions,
    /// The form of the signatures
    #[arg(long, visible_alias = "output-format", value_enum, default_value_t = InferFormat::Text, value_name = "FORMAT")]
    pub format: InferFormat,
    /// Write to this file instead of the standard output
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Include functions that neither take nor return tensors
    #[arg(long)]
    pub all: bool,
}

/// The forms of a program's relations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FactsFormat {
    /// A `.facts` file for each relation, and the schema, as Soufflé reads them
    Souffle,
    /// One document, with the assumptions that rows rest on
    Json,
}

/// The options of `harp facts`.
#[derive(Debug, Args)]
pub struct FactsOptions {
    /// What is analysed.
    #[command(flatten)]
    pub input: InputOptions,
    /// The folder to write to
    #[arg(long, value_name = "DIR")]
    pub output: PathBuf,
    /// The form of the files
    #[arg(long, visible_alias = "output-format", value_enum, default_value_t = FactsFormat::Souffle, value_name = "FORMAT")]
    pub format: FactsFormat,
}

/// The forms of a drawing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum GraphFormat {
    /// For Graphviz
    Dot,
}

/// The options of `harp graph`.
#[derive(Debug, Args)]
pub struct GraphOptions {
    /// What is analysed.
    #[command(flatten)]
    pub input: InputOptions,
    /// The form of the drawing
    #[arg(long, visible_alias = "output-format", value_enum, default_value_t = GraphFormat::Dot, value_name = "FORMAT")]
    pub format: GraphFormat,
    /// Write to this file instead of the standard output
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// The forms of the schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SchemaFormat {
    /// As rules include it
    Dl,
    /// For programs
    Json,
}

/// The options of `harp schema`.
#[derive(Debug, Args)]
pub struct SchemaOptions {
    /// The form of the declarations
    #[arg(long, visible_alias = "output-format", value_enum, default_value_t = SchemaFormat::Dl, value_name = "FORMAT")]
    pub format: SchemaFormat,
}

/// The options of `harp rules`.
#[derive(Debug, Args)]
pub struct RulesOptions {
    /// The rule whose page to print, such as shape/mismatch
    #[arg(value_name = "RULE")]
    pub rule: Option<String>,
    /// A folder with rules of your own
    #[arg(long, value_name = "DIR")]
    pub pack: Vec<PathBuf>,
    /// The form of the list
    #[arg(long, visible_alias = "output-format", value_enum, default_value_t = ListFormat::Text, value_name = "FORMAT")]
    pub format: ListFormat,
}

/// The forms of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ListFormat {
    /// For people
    Text,
    /// For programs, described in docs/output.md
    Json,
}

/// The options of `harp test`.
#[derive(Debug, Args)]
pub struct TestOptions {
    /// Folders with rule packs or library packs
    #[arg(required = true, value_name = "PACK")]
    pub packs: Vec<PathBuf>,
    /// Replay recorded calls of the library, one JSON object a line, through the analysis
    #[arg(long, value_name = "FILE")]
    pub oracle: Option<PathBuf>,
    /// The form of the results
    #[arg(long, visible_alias = "output-format", value_enum, default_value_t = ListFormat::Text, value_name = "FORMAT")]
    pub format: ListFormat,
    /// Write the results to this file instead of the standard output
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// How many threads to use; 0 means one per processor
    #[arg(long, default_value_t = 0, value_name = "COUNT")]
    pub threads: usize,
}

/// The options of `harp new-pack`.
#[derive(Debug, Args)]
pub struct NewPackOptions {
    /// The pack's name: the first part of its rules' ids, or the module that it describes
    #[arg(value_name = "NAME")]
    pub name: String,
    /// Create a library pack instead of a rule pack
    #[arg(long)]
    pub library: bool,
    /// The folder to create, instead of one with the pack's name
    #[arg(long, value_name = "DIR")]
    pub path: Option<PathBuf>,
}

/// The options of `harp completions`.
#[derive(Debug, Args)]
pub struct CompletionsOptions {
    /// The shell
    #[arg(value_enum, value_name = "SHELL")]
    pub shell: Shell,
}

/// The options of `harp man`.
#[derive(Debug, Args)]
pub struct ManOptions {
    /// The command whose page to write, instead of that of harp
    #[arg(value_name = "COMMAND")]
    pub command: Option<String>,
}

/// The forms of a query's answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TableFormat {
    /// A table for people
    Text,
    /// For programs
    Json,
    /// Comma-separated values, with a header
    Csv,
}

/// The options of `harp query`.
#[derive(Debug, Args)]
pub struct QueryOptions {
    /// An atom, a body or rules, such as "inside(s, l), call(e, s, api)"; - reads it from the standard input
    #[arg(value_name = "QUERY")]
    pub query: String,
    /// What is analysed.
    #[command(flatten)]
    pub input: InputOptions,
    /// The form of the answers
    #[arg(long, visible_alias = "output-format", value_enum, default_value_t = TableFormat::Text, value_name = "FORMAT")]
    pub format: TableFormat,
    /// The most answers to show; 0 means all
    #[arg(long, default_value_t = 1000, value_name = "COUNT")]
    pub limit: usize,
    /// Show the smallest sets of assumptions that each answer rests on
    #[arg(long)]
    pub assumptions: bool,
}

/// The forms of an answer to why something is reported, or is not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum AnswerFormat {
    /// For people
    Text,
    /// For programs
    Json,
}

/// The options of `harp explain`.
#[derive(Debug, Args)]
pub struct ExplainOptions {
    /// A fingerprint or its first digits, FILE:LINE, or RULE@FILE:LINE
    #[arg(value_name = "FINDING")]
    pub finding: String,
    /// What is analysed.
    #[command(flatten)]
    pub input: InputOptions,
    /// The form of the explanation
    #[arg(long, visible_alias = "output-format", value_enum, default_value_t = AnswerFormat::Text, value_name = "FORMAT")]
    pub format: AnswerFormat,
}

/// The options of `harp why-not`.
#[derive(Debug, Args)]
pub struct WhyNotOptions {
    /// The rule, such as shape/mismatch
    #[arg(value_name = "RULE")]
    pub rule: String,
    /// Where it finds nothing; without PATH, that file alone is analysed
    #[arg(value_name = "FILE:LINE")]
    pub place: String,
    /// What is analysed.
    #[command(flatten)]
    pub input: InputOptions,
    /// The form of the answer
    #[arg(long, visible_alias = "output-format", value_enum, default_value_t = AnswerFormat::Text, value_name = "FORMAT")]
    pub format: AnswerFormat,
}

/// What is analysed and with which knowledge.
#[derive(Clone, Debug, Args)]
pub struct InputOptions {
    /// Files and folders; the current directory by default. For `harp check`, `-` is the standard input
    #[arg(value_name = "PATH", default_value = ".", help_heading = None::<&str>)]
    pub paths: Vec<PathBuf>,
    /// The command line of the analysed program, such as "--nhid 100 --cuda"
    #[arg(long, help_heading = "Program", value_name = "ARGS", allow_hyphen_values = true, value_parser = argument_types::split)]
    pub args: Option<Arguments>,
    /// Larger files are skipped and reported
    #[arg(long, help_heading = "File selection", value_name = "SIZE", value_parser = argument_types::size)]
    pub max_file_size: Option<u64>,
    /// Files and folders to leave out (patterns as in .gitignore)
    #[arg(long, help_heading = "File selection", value_name = "PATTERN", value_parser = exclude)]
    pub exclude: Vec<String>,
    /// Exclude files even where they are given by name
    #[arg(long, help_heading = "File selection")]
    pub force_exclude: bool,
    /// A folder with rules of your own
    #[arg(long, help_heading = "Program", value_name = "DIR")]
    pub pack: Vec<PathBuf>,
    /// A folder with input facts for rule packs: RELATION.csv with a header, or RELATION.jsonl
    #[arg(long, help_heading = "Program", value_name = "DIR")]
    pub facts: Option<PathBuf>,
    /// Another solver for what the built-in one cannot decide
    #[arg(long, help_heading = "Resources", value_enum, value_name = "SOLVER")]
    pub solver: Option<SolverName>,
    /// Descriptions of libraries: a YAML file of annotations, a library pack, or a folder of them
    #[arg(long, help_heading = "Program", value_name = "PATH")]
    pub annotations: Vec<PathBuf>,
    /// The Python environment of the analysed program: its folder or interpreter. Its packages are read and never run
    #[arg(long, help_heading = "Program", value_name = "ENV")]
    pub python: Option<PathBuf>,
    /// The configuration file, instead of the nearest harp.toml or pyproject.toml
    #[arg(long, help_heading = "Configuration", value_name = "FILE", conflicts_with = "isolated")]
    pub config: Option<PathBuf>,
    /// Read no configuration
    #[arg(long, help_heading = "Configuration")]
    pub isolated: bool,
    /// How many threads to use; 0 means one per processor
    #[arg(long, help_heading = "Resources", default_value_t = 0, value_name = "COUNT")]
    pub threads: usize,
    /// What the analysis may use.
    #[command(flatten)]
    pub bounds: BoundOptions,
}

/// What an analysis may use. What runs out is told, and what was found until then is reported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Args)]
pub struct BoundOptions {
    /// The memory that the analysis may use; 0 means any amount [default: 2GiB]
    #[arg(long, help_heading = "Resources", value_name = "SIZE", value_parser = argument_types::size)]
    pub memory: Option<u64>,
    /// How far each entry point is followed [default: normal]
    #[arg(long, help_heading = "Resources", value_enum, value_name = "EFFORT")]
    pub effort: Option<Effort>,
    /// The most statements and calls to follow in one entry point, instead of those of --effort
    #[arg(long, help_heading = "Resources", value_name = "COUNT")]
    pub steps: Option<u64>,
    /// Stop the analysis after so many seconds; results then depend on the machine
    #[arg(long, help_heading = "Resources", value_name = "SECONDS", value_parser = argument_types::seconds)]
    pub time_limit: Option<Duration>,
}

/// A pattern of what to leave out.
fn exclude(pattern: &str) -> Result<String, String> {
    check_pattern(pattern).map(|()| pattern.to_owned())
}

/// The words of a command line. A type of its own, since clap gives a `Vec` another meaning.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Arguments(pub Vec<String>);
