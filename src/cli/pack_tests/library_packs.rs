//! `harp test`: the tests of a library pack, its pages `tests/*.md`.

use rayon::prelude::*;

use harp_annotations::manifest::MANIFEST;
use harp_corpus::NamedPath;
use harp_report::{UserError, terminal_escape};

use crate::libraries::{Libraries, with_needed};
use crate::options::ColorChoice;
use crate::output;
use crate::packs::files::Files;
use crate::packs::pattern::Pattern;
use crate::pipeline::Rules;
use crate::project_folders::shown;

use super::Bench;
use super::packs::{PackResult, Page};
use super::recorded::{self, Recorded};

/// The pages of a library pack.
const PAGES: &str = "tests/*.md";

/// Whether a folder is a library pack.
pub fn is_one(named: &NamedPath) -> bool {
    named.resolve().is_ok_and(|folder| std::fs::symlink_metadata(folder.join(MANIFEST)).is_ok())
}

/// Runs the pages of a library pack; all mistakes of the pack where it has some. One without pages is tested where calls of it were recorded.
pub fn test(
    rules: &Rules<'_>,
    named: &NamedPath,
    has_recorded: bool,
    color: ColorChoice,
) -> Result<PackResult, Vec<UserError>> {
    let place = shown(&named.path);
    let place = place.trim_end_matches('/');
    let needed = with_needed(named);
    let libraries = Libraries::read(&needed);
    output::show_errors(&libraries.warnings, color);
    if !libraries.errors.is_empty() {
        return Err(libraries.errors);
    }
    let unusable = |reason: String| vec![UserError::new(format!("{}: {reason}", terminal_escape::line(place)))];
    let folder = named.resolve().map_err(|error| unusable(error.to_string()))?;
    let files = Files::of(&folder).map_err(|error| unusable(error.to_string()))?;
    let pattern = Pattern::parse(PAGES).map_err(|reason| unusable(reason.to_owned()))?;
    let mut texts = Vec::new();
    for path in files.list(&pattern).map_err(unusable)? {
        let text = files.read(&path).map_err(|reason| unusable(format!("`{path}` {reason}")))?;
        texts.push((path, text));
    }
    let bench = Bench::of_libraries(rules, &needed, files.root().unwrap_or(&folder));
    let run = |(path, text): (String, String)| {
        let result = bench.run(&text);
        Page { file: terminal_escape::name(&format!("{place}/{path}")), text, result }
    };
    let pages: Vec<Page> = texts.into_par_iter().map(run).collect();
    let mut result = PackResult {
        name: libraries.names.join(", "),
        pages,
        failures: Vec::new(),
        warnings: Vec::new(),
        recorded: None,
    };
    if result.pages.is_empty() && !has_recorded {
        result.failures.push(format!("the library pack {} has no tests: `{PAGES}`", terminal_escape::line(place)));
    }
    for page in &result.pages {
        result.warnings.extend(page.result.warnings.iter().map(|warning| format!("{}: {warning}", page.file)));
    }
    Ok(result)
}

/// Replays the recorded calls of a file with some library packs and those that they need.
pub fn replay(rules: &Rules<'_>, packs: &[NamedPath], oracle: &NamedPath) -> Result<Recorded, UserError> {
    let mut needed: Vec<NamedPath> = Vec::new();
    for pack in packs.iter().flat_map(with_needed) {
        if !needed.contains(&pack) {
            needed.push(pack);
        }
    }
    let folder = match packs.first().map(NamedPath::resolve) {
        Some(Ok(folder)) => folder,
        Some(Err(error)) => return Err(UserError::new(error.to_string())),
        None => return Err(UserError::new("recorded calls (`--oracle`) are of library packs")),
    };
    recorded::replay(&Bench::of_libraries(rules, &needed, &folder), oracle)
}
