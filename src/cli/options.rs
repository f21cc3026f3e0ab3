//! What can be typed after `harp`.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use super::words;

/// Finds tensor-shape errors and inefficiencies in Python machine-learning code without running it.
#[derive(Debug, Parser)]
#[command(name = "harp", version, about, disable_help_subcommand = true)]
#[command(after_help = "Exit codes: 0 clean, 1 findings, 2 Harp could not do its work.")]
pub struct CommandLine {
    #[command(subcommand)]
    pub command: Command,
    /// Whether to use colour
    #[arg(long, global = true, value_enum, default_value_t = ColorChoice::Auto, value_name = "WHEN")]
    pub color: ColorChoice,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Report shape errors and inefficiencies
    Check(CheckOptions),
    /// Print the shape signatures that functions imply
    Infer(InferOptions),
    /// Write the relations that rules read
    Facts(FactsOptions),
    /// Draw the operations of a program
    Graph(GraphOptions),
    /// Print the declarations of the relations
    Schema(SchemaOptions),
    /// List the rules, or print one rule's page
    Rules(RulesOptions),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ColorChoice {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    Always,
    Never,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OutputFormat {
    /// For people
    Text,
    /// Harp's own JSON, described in docs/output.md
    Json,
    /// SARIF 2.1.0, for code scanning
    Sarif,
}

#[derive(Debug, Args)]
pub struct CheckOptions {
    #[command(flatten)]
    pub input: InputOptions,
    /// The form of the report
    #[arg(long, value_enum, default_value_t = OutputFormat::Text, value_name = "FORMAT")]
    pub output_format: OutputFormat,
    /// Write the report to this file in place of the standard output
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// List every entry, assumption and call that was not understood
    #[arg(long, short)]
    pub verbose: bool,
}

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

#[derive(Debug, Args)]
pub struct InferOptions {
    #[command(flatten)]
    pub input: InputOptions,
    /// The form of the signatures
    #[arg(long, value_enum, default_value_t = InferFormat::Text, value_name = "FORMAT")]
    pub format: InferFormat,
    /// Write to this file in place of the standard output
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Show functions that neither take nor give tensors too
    #[arg(long)]
    pub all: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FactsFormat {
    /// A `.facts` file for each relation, and the schema, as Soufflé reads them
    Souffle,
    /// One document, with the assumptions that rows rest on
    Json,
}

#[derive(Debug, Args)]
pub struct FactsOptions {
    #[command(flatten)]
    pub input: InputOptions,
    /// The folder to write to
    #[arg(long, value_name = "DIR")]
    pub output: PathBuf,
    /// The form of the files
    #[arg(long, value_enum, default_value_t = FactsFormat::Souffle, value_name = "FORMAT")]
    pub format: FactsFormat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum GraphFormat {
    /// For Graphviz
    Dot,
}

#[derive(Debug, Args)]
pub struct GraphOptions {
    #[command(flatten)]
    pub input: InputOptions,
    /// The form of the drawing
    #[arg(long, value_enum, default_value_t = GraphFormat::Dot, value_name = "FORMAT")]
    pub format: GraphFormat,
    /// Write to this file in place of the standard output
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SchemaFormat {
    /// As rules include it
    Dl,
    Json,
}

#[derive(Debug, Args)]
pub struct SchemaOptions {
    /// The form of the declarations
    #[arg(long, value_enum, default_value_t = SchemaFormat::Dl, value_name = "FORMAT")]
    pub format: SchemaFormat,
}

#[derive(Debug, Args)]
pub struct RulesOptions {
    /// The rule whose page to print, such as shape/mismatch
    #[arg(value_name = "RULE")]
    pub rule: Option<String>,
    /// A folder with rules of your own
    #[arg(long, value_name = "DIR")]
    pub pack: Vec<PathBuf>,
}

/// What is analysed and with which knowledge.
#[derive(Debug, Args)]
pub struct InputOptions {
    /// Files and folders
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// The command line of the analysed program, such as "--nhid 100 --cuda"
    #[arg(long, value_name = "ARGS", allow_hyphen_values = true, value_parser = words::split)]
    pub args: Option<Arguments>,
    /// Larger files are skipped and reported
    #[arg(long, value_name = "SIZE", value_parser = words::size)]
    pub max_file_size: Option<u64>,
    /// Files and folders to leave out (patterns as in .gitignore)
    #[arg(long, value_name = "PATTERN")]
    pub exclude: Vec<String>,
    /// A folder with rules of your own
    #[arg(long, value_name = "DIR")]
    pub pack: Vec<PathBuf>,
    /// API annotations of your own: a YAML file, or a folder of them
    #[arg(long, value_name = "PATH")]
    pub annotations: Vec<PathBuf>,
    /// The configuration, in place of the nearest harp.toml or pyproject.toml
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// How many threads to use; 0 means one per processor
    #[arg(long, default_value_t = 0, value_name = "COUNT")]
    pub threads: usize,
}

/// The words of a command line. A type of its own, since clap gives a `Vec` another meaning.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Arguments(pub Vec<String>);
