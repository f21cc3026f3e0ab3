//! `harp infer`: the signatures that functions imply.

use harp_corpus::shortened;
use harp_interp::inference::Inference;
use harp_libraries::ALL;
use harp_report::UserError;
use harp_report::signatures::{Signatures, json, stub, text};
use harp_report::text::Color;

use super::defects::Defects;
use super::options::{ColorChoice, InferFormat, InferOptions};
use super::output::{self, Destination};
use super::pipeline::{self, AnalysisOptions};
use super::replaced_libraries::Replaced;
use super::subject::Subject;
use crate::Outcome;

/// Infers the signatures of all functions of the given files and writes them.
pub(super) fn run(options: InferOptions, color: ColorChoice) -> Result<Outcome, UserError> {
    let analysis = AnalysisOptions::new(&options.input)?;
    let destination = Destination::from(options.output);
    let run = || {
        let (subject, mut errors) = Subject::load(&analysis);
        errors.extend_from_slice(&subject.errors);
        let Subject { corpus, library, .. } = &subject;
        output::show_errors(&errors, color);
        output::show_errors(&analysis.warnings, color);
        output::show_errors(&subject.warnings, color);
        if corpus.files.is_empty() && !errors.is_empty() {
            return Ok(Outcome::Failed);
        }
        let mut project = subject.project(analysis.ceilings());
        let mut replaced = Replaced::by_modules(&mut project, &subject, analysis.isolated);
        let inference = harp_interp::infer((corpus, &project), (&**library, ALL), &analysis.interpreter_options());
        let Inference { functions, defects: ended } = inference;
        replaced.add_packs(&project, &subject, analysis.annotations_of_project);
        output::show_errors(&replaced.warnings(), color);
        let mut defects = Defects::default();
        defects.add_of_entries(&ended, corpus);
        output::show_errors(&defects.messages(), color);
        let signatures = Signatures { functions: &functions, sources: corpus, shows_all: options.all };
        destination.write(Color::Never, |out| match options.format {
            InferFormat::Text => text::render(&signatures, out),
            InferFormat::Json => json::render(&signatures, out),
            InferFormat::Pyi => stub::render(&signatures, stub::Style::Comments, out),
            InferFormat::Jaxtyping => stub::render(&signatures, stub::Style::Jaxtyping, out),
        })?;
        for skipped in &corpus.skipped {
            let path = shortened(&skipped.path);
            output::show_errors(&[UserError::new(format!("{path} was not read: {}", skipped.reason))], color);
        }
        let nothing_read = corpus.files.is_empty() && !corpus.skipped.is_empty();
        Ok(if errors.is_empty() && defects.is_empty() && !nothing_read { Outcome::Clean } else { Outcome::Failed })
    };
    pipeline::with_threads(analysis.threads, run)
}
