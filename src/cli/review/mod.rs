//! `harp review`: what a change introduced, fixed and made worse.
//!
//! Both sides are put into folders of Harp's own ([`sides`]), from the objects of the repository or from the files of the work tree, and analysed
//! there as `harp check` would. The checkout is read and never written, and nothing that the repository says is run: see [`crate::revisions`].

mod analysis;
mod apply;
mod change;
mod difference;
mod left_out;
mod options;
mod patch;
mod render;
mod settings;
mod side;
mod sides;
mod working_folder;

use harp_report::{Notice, UserError};

use super::options::ColorChoice;
use super::output;
use super::output_argument;
use super::progress::Progress;
use crate::Outcome;
use crate::config::rules;
use analysis::Reviewed;
use change::Change;
use settings::Settings;
use sides::Sides;

pub use options::{ReviewFormat, ReviewOptions};

pub(super) fn run(options: ReviewOptions, color: ColorChoice) -> Result<Outcome, UserError> {
    let change = Change::parse(&options.change)?;
    let outputs = output_argument::outputs(&options.output, options.format)?;
    let sides = Sides::prepare(&change, &options)?;
    let settings = Settings::of(&options, &sides)?;
    let unknown =
        rules::unknown_in_all(&options.report.named_rules(), settings.projects.iter().map(|it| &it.options[1]));
    if !unknown.is_empty() {
        output::show_errors(&unknown, color);
        return Ok(Outcome::Failed);
    }
    let progress = Progress::on_terminal();
    let reviewed = Reviewed::of(&sides, &settings, outputs.iter().any(|it| must_know_all(it.format)), &progress)?;
    drop(progress);
    output::show_errors(&reviewed.errors(), color);
    output::show_errors(&reviewed.warnings(), color);
    output::show_errors(&reviewed.defects(), color);
    if options.quiet {
        output::show_errors(&reviewed.notices().iter().map(Notice::warning).collect::<Vec<_>>(), color);
    }
    let notes = [sides.notes.clone(), settings.notes, reviewed.notes.clone()].concat();
    let told = render::Told { options: &options, sides: &sides, reviewed: &reviewed, notes: &notes };
    // One that cannot be written keeps none of the others from it.
    let unwritten: Vec<UserError> =
        outputs.iter().filter_map(|it| told.write(it.format, &it.destination, color).err()).collect();
    output::show_errors(&unwritten, color);
    Ok(if unwritten.is_empty() { outcome(&reviewed, &options) } else { Outcome::Failed })
}

/// Whether a form of a review has what did not change, so that it is analysed where nothing did.
fn must_know_all(format: ReviewFormat) -> bool {
    matches!(format, ReviewFormat::Sarif | ReviewFormat::Json)
}

/// As for `harp check`, by what is told.
fn outcome(reviewed: &Reviewed, options: &ReviewOptions) -> Outcome {
    let newly_unknown = reviewed.newly_unknown();
    let all_skipped = newly_unknown.files == 0 && !newly_unknown.skipped.is_empty();
    if !reviewed.errors().is_empty() || all_skipped {
        Outcome::Failed
    } else if options.report.fails(&reviewed.told(), &newly_unknown) {
        Outcome::Findings
    } else if !reviewed.defects().is_empty() {
        Outcome::Failed
    } else {
        Outcome::Clean
    }
}
