//! `harp test`: the command.

use crate::options::{ColorChoice, ListFormat, TestOptions};
use crate::output::{self, Destination};
use crate::pipeline::{self, Rules};
use crate::project_folders::Projects;
use crate::{Outcome, packs, rule_findings};
use harp_corpus::NamedPath;
use harp_report::UserError;

use super::library_packs;
use super::packs::{PackResult, Totals, test};
use super::recorded::Recorded;
use super::render;

/// Runs the tests of the packs; all of them beside the built-in ones, so that a pack may expect findings of another.
pub fn run(options: &TestOptions, color: ColorChoice) -> Result<Outcome, UserError> {
    let functors = rule_findings::functors();
    let projects = Projects::of(&options.packs);
    let (results, errors) = pipeline::with_threads(options.threads, || {
        let named = projects.all_named_by_user(&options.packs);
        let (libraries, folders): (Vec<NamedPath>, Vec<NamedPath>) = named.into_iter().partition(library_packs::is_one);
        let oracle = options.oracle.as_deref().map(|file| projects.named_by_user(file));
        if oracle.is_some() && libraries.is_empty() {
            let error = UserError::new("recorded calls (`--oracle`) are of library packs");
            return (Vec::new(), vec![error.hint("`harp test PACK… --oracle FILE`")]);
        }
        let rules = Rules::compile(packs::load_in_place(&folders), &functors);
        output::show_errors(&rules.warnings, color);
        let mut results: Vec<PackResult> = Vec::new();
        let mut errors = Vec::new();
        // Packs that are compiled in have no folder.
        for pack in rules.packs.iter().filter(|pack| pack.root().is_some()) {
            match test(&rules, pack) {
                Ok(result) => results.push(result),
                Err(error) => errors.push(*error),
            }
        }
        for library in &libraries {
            match library_packs::test(&rules, library, oracle.is_some(), color) {
                Ok(result) => results.push(result),
                Err(found) => errors.extend(found),
            }
        }
        if let Some(oracle) = oracle.filter(|_| errors.is_empty()) {
            match library_packs::replay(&rules, &libraries, &oracle) {
                Ok(recorded) => add_recorded(&mut results, libraries.len(), recorded),
                Err(error) => errors.push(error),
            }
        }
        errors.splice(0..0, rules.errors);
        (results, errors)
    });
    output::show_errors(&errors, color);
    let destination = Destination::from(options.output.clone());
    if !results.is_empty() || options.format == ListFormat::Json {
        let color = destination.color(color);
        destination.write(color, |out| match options.format {
            ListFormat::Text => render::text(&results, color, out),
            ListFormat::Json => render::json(&results, out),
        })?;
    }
    Ok(if !errors.is_empty() {
        Outcome::Failed
    } else if Totals::of(&results).failures > 0 {
        Outcome::Findings
    } else {
        Outcome::Clean
    })
}

/// What came of recorded calls belongs to the library pack that was named; of several, all last, it is a result of its own.
fn add_recorded(results: &mut Vec<PackResult>, libraries: usize, recorded: Recorded) {
    if libraries > 1 {
        let names: Vec<&str> = results[results.len() - libraries..].iter().map(|pack| pack.name.as_str()).collect();
        results.push(PackResult { name: names.join(", "), ..PackResult::default() });
    }
    if let Some(last) = results.last_mut() {
        last.failures.extend(recorded.wrong.iter().cloned());
        last.recorded = Some(recorded);
    }
}
