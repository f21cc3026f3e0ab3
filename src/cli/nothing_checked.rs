//! What a command says where it has nothing to check: a run that looks at nothing is clean, and seldom what its user
//! meant.

use harp_corpus::{LoadOptions, count};
use harp_report::{Summary, UserError};

use crate::pipeline::AnalysisOptions;
use crate::project_folders::shown;

/// So many paths are named.
const MOST_NAMED: usize = 3;

/// A warning with the reason, where nothing was checked and nothing else was said about it.
pub(super) fn warning(options: &AnalysisOptions, summary: &Summary) -> Option<UserError> {
    if summary.files > 0 || !summary.skipped.is_empty() {
        return None;
    }
    let usual = options.load_options();
    let not_excluded = LoadOptions { exclude: Vec::new(), exclude_given_below: None, ..usual.clone() };
    let all = LoadOptions { respect_ignore_files: false, ..not_excluded.clone() };
    let (excluded, ignored) = match options.standard_input {
        Some(_) => (1, 0),
        None => (count(&options.paths, &not_excluded), count(&options.paths, &all)),
    };
    let paths = paths(options);
    let warning = |reason: String| UserError::warning(format!("nothing was checked: {reason}"));
    Some(match (excluded, ignored) {
        (1.., _) => warning(format!("{} in {paths} {} left out by `exclude`", files(excluded), is_or_are(excluded)))
            .hint("`exclude` stands in the configuration, and on the command line"),
        (0, 1..) => warning(format!("{} in {paths} {} hidden or left out by ignore rules", files(ignored), is_or_are(ignored)))
            .hint("the rules stand in `.gitignore`, `.ignore` and `.git/info/exclude`; a file that is given by name is checked"),
        (0, 0) => warning(format!("there is no Python file or notebook in {paths}")),
    })
}

fn files(count: usize) -> String {
    match count {
        1 => "the only Python file or notebook".to_owned(),
        count => format!("all {count} Python files and notebooks"),
    }
}

fn is_or_are(count: usize) -> &'static str {
    if count == 1 { "is" } else { "are" }
}

/// The paths that were given.
fn paths(options: &AnalysisOptions) -> String {
    let named: Vec<String> = options.paths.iter().take(MOST_NAMED).map(|path| format!("`{}`", shown(path))).collect();
    let more = options.paths.len().saturating_sub(named.len());
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", named.join(", "))
}
