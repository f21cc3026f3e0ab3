//! The options of `harp audit`.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, ValueEnum};
use harp_corpus::LoadOptions;
use harp_tables::input::ColumnNames;

use crate::argument_types;
use crate::options::BoundOptions;
use crate::rule_choice::RuleChoice;

/// A repository may take so many seconds where nobody says more.
const USUAL_TIME: Duration = Duration::from_secs(900);

/// The forms of streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum StreamForm {
    /// A stream of Arrow's record batches
    Arrow,
}

/// A part of all repositories.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// From 1.
    pub number: u64,
    /// How many parts there are.
    pub of: u64,
}

/// The words of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Words(pub Vec<String>);

/// The options of `harp audit`.
#[derive(Clone, Debug, Args)]
pub struct AuditOptions {
    /// Repositories or folders of them, bare git repositories, archives and wheels, tables of files (parquet, jsonl)
    #[arg(value_name = "INPUT", required_unless_present_any = ["names", "stdin", "one"])]
    pub inputs: Vec<PathBuf>,
    /// The folder for the tables; what is there already is not analysed again
    #[arg(long, value_name = "DIR", required_unless_present_any = ["stdin", "one", "list"])]
    pub out: Option<PathBuf>,
    /// How many repositories are analysed at once; 0 means one per processor, and one where a stream is read
    #[arg(long, default_value_t = 0, value_name = "COUNT")]
    pub jobs: usize,
    /// Analyse this part of the repositories alone, such as 3/8
    #[arg(long, value_name = "I/N", value_parser = shard)]
    pub shard: Option<Shard>,
    /// Analyse again what ended by time, memory or a crash
    #[arg(long)]
    pub retry: bool,
    /// Compare with the tables in this folder, and write what is new, fixed and gone
    #[arg(long, value_name = "DIR", conflicts_with = "shard")]
    pub since: Option<PathBuf>,
    /// Write a SARIF log for each repository to the folder sarif beside the tables; its index.json says whose is which
    #[arg(long, conflicts_with_all = ["stdin", "list"])]
    pub sarif: bool,
    /// Write the rows of these relations as tables to the folder facts: names as in queries, such as function,calls_function
    #[arg(long, value_name = "RELATIONS", value_delimiter = ',', conflicts_with_all = ["stdin", "list"])]
    pub facts: Vec<String>,
    /// Print the names of the repositories, and analyse none
    #[arg(long)]
    pub list: bool,
    /// The revision that is read from git repositories, instead of the files that are checked out
    #[arg(long, help_heading = "Inputs", value_name = "REVISION")]
    pub revision: Option<String>,
    /// The columns of tables of files, such as repo=repo_name,path=path,content=content
    #[arg(long, help_heading = "Inputs", value_name = "COLUMNS", value_parser = columns)]
    pub columns: Option<ColumnNames>,
    /// A file with names of repositories that --fetch brings, a line each
    #[arg(long, help_heading = "Inputs", value_name = "FILE", requires = "fetch")]
    pub names: Option<PathBuf>,
    /// The command that brings one: {} is its name, {folder} where its files go; no shell reads it
    #[arg(long, help_heading = "Inputs", value_name = "COMMAND", requires = "names", value_parser = words)]
    pub fetch: Option<Words>,
    /// Analyse only repositories that import one of these packages
    #[arg(long, help_heading = "Inputs", value_name = "PACKAGES", value_delimiter = ',')]
    pub only_importing: Vec<String>,
    /// Larger files are skipped
    #[arg(long, help_heading = "Inputs", value_name = "SIZE", value_parser = argument_types::size)]
    pub max_file_size: Option<u64>,
    /// Read files of repositories from the standard input: columns repository, path, content; rows of a repository follow each other
    #[arg(long, help_heading = "Streams", value_enum, value_name = "FORM", requires = "stdout", conflicts_with_all = ["inputs", "out", "shard", "retry", "since", "list", "revision", "names"])]
    pub stdin: Option<StreamForm>,
    /// Write a row for each repository to the standard output, with its findings as a list
    #[arg(long, help_heading = "Streams", value_enum, value_name = "FORM", requires = "stdin")]
    pub stdout: Option<StreamForm>,
    /// How each repository is analysed.
    #[command(flatten)]
    pub analysis: UnitOptions,
    /// The folder of the one repository that this process analyses for another.
    #[arg(long, hide = true, value_name = "DIR")]
    pub one: Option<PathBuf>,
}

/// How each repository is analysed. Configurations in repositories are not read.
#[derive(Clone, Debug, Args)]
pub struct UnitOptions {
    /// A folder with rules of your own
    #[arg(long, help_heading = "Analysis", value_name = "DIR")]
    pub pack: Vec<PathBuf>,
    /// Descriptions of libraries: a YAML file of annotations, a library pack, or a folder of them
    #[arg(long, help_heading = "Analysis", value_name = "PATH")]
    pub annotations: Vec<PathBuf>,
    /// Which rules are reported.
    #[command(flatten)]
    pub choice: RuleChoice,
    /// What the analysis of a repository may use; its time is 900 seconds where nobody says more.
    #[command(flatten)]
    pub bounds: BoundOptions,
}

impl AuditOptions {
    /// Why a repository without a file to analyse is none.
    pub fn no_target(&self) -> String {
        match self.only_importing.is_empty() {
            true => "it has no Python file".to_owned(),
            false => format!("no file of it imports {}", self.only_importing.join(", ")),
        }
    }

    /// The names of the columns of tables.
    pub fn columns(&self) -> ColumnNames {
        self.columns.clone().unwrap_or_default()
    }

    /// Files above so many bytes are skipped.
    pub fn file_limit(&self) -> u64 {
        self.max_file_size.unwrap_or(LoadOptions::default().max_file_size)
    }

    /// The names of relations whose rows are asked for, each once and in order.
    pub fn relations(&self) -> Vec<&str> {
        self.facts.iter().map(String::as_str).collect::<BTreeSet<&str>>().into_iter().collect()
    }

    /// How long a repository may take.
    pub fn time(&self) -> Duration {
        self.analysis.bounds.time_limit.unwrap_or(USUAL_TIME)
    }

    /// What the process of a repository is told, which any current folder means the same by.
    pub fn arguments_of_one(&self) -> Vec<OsString> {
        let UnitOptions { pack, annotations, choice, bounds } = &self.analysis;
        let RuleChoice { select, extend_select, ignore, min_severity, certain_only } = choice;
        let mut arguments: Vec<OsString> = Vec::new();
        let mut add = |name: &str, value: OsString| arguments.extend([name.into(), value]);
        let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned()).into_os_string();
        pack.iter().for_each(|path| add("--pack", absolute(path)));
        annotations.iter().for_each(|path| add("--annotations", absolute(path)));
        for (name, rules) in [("--select", select), ("--extend-select", extend_select), ("--ignore", ignore)] {
            if !rules.is_empty() {
                add(name, rules.join(",").into());
            }
        }
        if let Some(word) = min_severity.and_then(|least| least.to_possible_value()) {
            add("--min-severity", word.get_name().into());
        }
        if let Some(effort) = bounds.effort.and_then(|effort| effort.to_possible_value()) {
            add("--effort", effort.get_name().into());
        }
        if let Some(steps) = bounds.steps {
            add("--steps", steps.to_string().into());
        }
        if let Some(memory) = bounds.memory {
            add("--memory", memory.to_string().into());
        }
        if !self.facts.is_empty() {
            add("--facts", self.relations().join(",").into());
        }
        add("--max-file-size", self.file_limit().to_string().into());
        if *certain_only {
            arguments.push("--certain-only".into());
        }
        arguments
    }
}

fn shard(text: &str) -> Result<Shard, String> {
    let parsed = text.split_once('/').and_then(|(number, of)| Some((number.parse().ok()?, of.parse().ok()?)));
    match parsed {
        Some((number, of)) if 0 < number && number <= of => Ok(Shard { number, of }),
        _ => Err("write the number of the part and how many there are, such as 3/8".to_owned()),
    }
}

fn columns(text: &str) -> Result<ColumnNames, String> {
    let mut columns = ColumnNames::default();
    for pair in text.split(',') {
        let (known, name) = pair.split_once('=').ok_or("write pairs such as repo=repo_name")?;
        let place = match known.trim() {
            "repo" | "repository" => &mut columns.repository,
            "revision" => &mut columns.revision,
            "path" => &mut columns.path,
            "content" => &mut columns.content,
            other => return Err(format!("`{other}` is none of repo, revision, path and content")),
        };
        name.trim().clone_into(place);
    }
    Ok(columns)
}

fn words(text: &str) -> Result<Words, String> {
    let words = argument_types::split(text)?.0;
    if !words.iter().any(|word| word.contains("{}")) || !words.iter().any(|word| word.contains("{folder}")) {
        return Err("write {} for the name and {folder} for where its files go".to_owned());
    }
    Ok(Words(words))
}
