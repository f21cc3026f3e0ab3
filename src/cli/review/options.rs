//! What can be typed after `harp review`.

use std::path::PathBuf;

use clap::builder::{OsStringValueParser, TypedValueParser};
use clap::{Args, ValueEnum};

use crate::options::InputOptions;
use crate::output_argument::{self, OutputArgument};
use crate::report_options::ReportOptions;

/// The forms of a review.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ReviewFormat {
    /// For people
    Text,
    /// One line a finding: PATH:LINE:COLUMN: SEVERITY[RULE] MESSAGE
    Concise,
    /// A comment on a pull request
    Markdown,
    /// Harp's own JSON, described in docs/review.md
    Json,
    /// One JSON object a finding and line
    JsonLines,
    /// SARIF 2.1.0, in which each finding has its `baselineState`
    Sarif,
    /// Commands that annotate a pull request on GitHub
    Github,
    /// The body of GitHub's request for a review, with suggestions
    GithubReview,
    /// GitLab's code quality report
    Gitlab,
    /// JUnit's XML
    Junit,
}

/// The options of `harp review`.
#[derive(Debug, Args)]
pub struct ReviewOptions {
    /// BASE..HEAD, BASE...HEAD (since HEAD parted from BASE), BASE (against the work tree), or - for a patch on the standard input, applied to HEAD
    #[arg(value_name = "CHANGE", default_value = "HEAD")]
    pub change: String,
    /// What is analysed; without a path, all of the repository.
    #[command(flatten)]
    pub input: InputOptions,
    /// Which findings are reported.
    #[command(flatten)]
    pub report: ReportOptions,
    /// Let git read the objects of the repositories that `objects/info/alternates` names
    #[arg(long, help_heading = "Configuration")]
    pub alternates: bool,
    /// Do not report the findings that this file knows
    #[arg(long, help_heading = "Baseline", value_name = "FILE")]
    pub baseline: Option<PathBuf>,
    /// The form of the review
    #[arg(long, help_heading = "Output", visible_alias = "output-format", value_enum, default_value_t = ReviewFormat::Text, value_name = "FORMAT")]
    pub format: ReviewFormat,
    /// Write the review to this file; FORMAT:FILE writes another form of it, also several, and FORMAT alone writes that to the standard output
    #[arg(long, help_heading = "Output", value_name = "[FORMAT:]FILE", value_parser = OsStringValueParser::new().try_map(output_argument::parse::<ReviewFormat>))]
    pub output: Vec<OutputArgument<ReviewFormat>>,
    /// List what was fixed, and which files have other names
    #[arg(long, help_heading = "Output", short)]
    pub verbose: bool,
    /// Write findings and nothing else
    #[arg(long, help_heading = "Output", short, conflicts_with = "verbose")]
    pub quiet: bool,
}
