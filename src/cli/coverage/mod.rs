//! `harp check --coverage`: file by file, what was followed and what not.

mod advice;
mod statements;

use std::collections::{BTreeMap, BTreeSet};

use harp_annotations::Library;
use harp_corpus::{FileId, Span};
use harp_report::coverage::{Coverage, FileCoverage, Gap};
use harp_report::{EntryVerdict, Summary, Verdict};
use harp_trace::{AFTER_END, Trace};

use crate::pipeline::{AnalysisOptions, Examined};
use advice::Advisor;
use statements::Statements;

/// Options whose defaults decide what a script does are named up to this number.
const MOST_OPTIONS: usize = 3;

/// What a user can do so that entries are analysed that were not, with how many each helps.
pub(super) fn hints(entries: &[EntryVerdict], library: &Library, has_environment: bool) -> BTreeMap<String, usize> {
    let advisor = Advisor { packages: library.packages(), has_environment };
    let mut hints: BTreeMap<String, usize> = BTreeMap::new();
    for entry in entries {
        let Verdict::DontKnow(reasons) = &entry.verdict else { continue };
        let mut of_entry: BTreeSet<String> = reasons.iter().filter_map(|reason| advisor.hint(reason)).collect();
        // A script that ends early for want of an option goes on with it.
        let has_options =
            || entry.assumptions.iter().any(|it| it.kind == "default-value" && it.subject.starts_with('-'));
        if reasons.iter().any(|reason| reason == AFTER_END) && has_options() {
            of_entry.insert("the program's options (`--args`)".to_owned());
        }
        of_entry.into_iter().for_each(|hint| *hints.entry(hint).or_default() += 1);
    }
    hints
}

/// What a run covered.
pub(super) fn of(examined: &Examined<'_>, summary: &Summary, options: &AnalysisOptions) -> Coverage {
    let harp_graph::Program { corpus, trace, library, .. } = examined.program;
    let executed = executed_places(trace);
    let advisor = Advisor { packages: library.packages(), has_environment: options.python.is_some() };
    let mut met = gaps_by_file(trace);
    let mut files: Vec<FileCoverage> = Vec::new();
    for file in corpus.files.iter().filter(|file| !corpus.is_imported(file.id)) {
        let found = Statements::of(file, &executed);
        let of_file = |entry: &&EntryVerdict| entry.span.file == file.id;
        let entries = summary.entries.iter().filter(of_file);
        let is_complete = |entry: &&EntryVerdict| !matches!(entry.verdict, Verdict::DontKnow(_));
        let mut gaps: Vec<Gap> = Vec::new();
        for (what, (names, span)) in met.remove(&file.id).unwrap_or_default() {
            let (kind, advice) = advisor.advise(&what);
            gaps.push(Gap { kind, what, entries: names.len(), span, advice });
        }
        gaps.sort_by(|a, b| b.entries.cmp(&a.entries).then_with(|| (a.span, &a.what).cmp(&(b.span, &b.what))));
        if let Some(first) = found.first_unreached {
            gaps.push(unreached(&found, first, &options_of(summary, file.id)));
        }
        files.push(FileCoverage {
            file: file.id,
            statements: found.all,
            followed: found.followed,
            entries: entries.clone().count(),
            complete: entries.filter(is_complete).count(),
            gaps,
        });
    }
    files.sort_by_key(|file| corpus.file(file.file).map(|file| file.display_path.clone()));
    Coverage { files }
}

/// By file and what was not followed: the entries that met it, and where the first did.
type Met<'t> = BTreeMap<FileId, BTreeMap<String, (BTreeSet<&'t str>, Span)>>;

fn gaps_by_file(trace: &Trace) -> Met<'_> {
    let mut met: Met<'_> = BTreeMap::new();
    for entry in &trace.entries {
        let gaps = entry.not_understood.iter().chain(&entry.not_followed).cloned();
        let exhausted = entry.exhausted.map(|budget| (format!("{budget} ran out"), entry.span));
        for (what, span) in gaps.chain(exhausted) {
            let known = met.entry(span.file).or_default().entry(what).or_insert_with(|| (BTreeSet::new(), span));
            known.0.insert(&entry.name);
            known.1 = known.1.min(span);
        }
    }
    met
}

/// Where expressions were executed, in order; also those of whose values nothing is known.
fn executed_places(trace: &Trace) -> BTreeSet<(FileId, u32)> {
    let met = trace.entries.iter().flat_map(|entry| entry.not_understood.iter().chain(&entry.not_followed));
    let places = trace.sites.iter().map(|(span, _)| span).chain(met.map(|(_, span)| *span));
    places.map(|span| (span.file, span.start)).collect()
}

/// The options of a file's command line that have their defaults.
fn options_of(summary: &Summary, file: FileId) -> Vec<String> {
    let assumptions = summary.entries.iter().flat_map(|entry| &entry.assumptions);
    let of_file = assumptions.filter(|it| it.kind == "default-value" && it.span.is_some_and(|span| span.file == file));
    let names: BTreeSet<&String> = of_file.map(|it| &it.subject).collect();
    names.into_iter().filter(|name| name.starts_with('-')).take(MOST_OPTIONS).cloned().collect()
}

fn unreached(found: &Statements, span: Span, options: &[String]) -> Gap {
    let left = found.all - found.followed;
    let what =
        if left == 1 { "1 statement is not reached".to_owned() } else { format!("{left} statements are not reached") };
    let advice = match options {
        [] => "no analysed code reaches it: nothing calls it, or a condition that is known excludes it".to_owned(),
        options => format!("other options may lead here: --args \"{} …\"", options.join(" … ")),
    };
    Gap { kind: "unreached", what, entries: 0, span, advice }
}
