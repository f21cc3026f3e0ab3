//! Makes the explanation of each finding for the report: its proof, and the part of the computation graph that leads to
//! it.

use rustc_hash::FxHashMap;

use harp_corpus::Span;
use harp_datalog::{Evaluation, FindingRow};
use harp_report::{Explanation, Finding};

use crate::defects::Defects;
use crate::graph_slices::Slices;
use crate::pipeline::Examined;
use crate::present_rows::Presenter;
use crate::proof::ProofWriter;
use crate::rule_findings;

/// So many findings of a run are explained: nobody reads more, and `harp explain` tells of any other.
const MOST_EXPLAINED: usize = 2_000;

/// What makes two findings one in the report.
type Key<'f> = (Span, &'f str, &'f str, Option<&'f str>);

fn key(finding: &Finding) -> Key<'_> {
    (finding.primary.span, &finding.rule, &finding.message, finding.condition.as_deref())
}

/// Explains the findings of a report, which come of these rows.
pub(super) fn attach(
    findings: &mut [Finding],
    found: &[(Finding, Option<FindingRow>)],
    examined: &Examined<'_>,
    defects: &mut Defects,
) {
    let mut rows: FxHashMap<Key<'_>, Option<&FindingRow>> = FxHashMap::default();
    for (finding, row) in found {
        rows.entry(key(finding)).or_insert(row.as_ref());
    }
    let slices = Slices::of(examined.program.trace);
    for finding in findings.iter_mut().take(MOST_EXPLAINED) {
        let row = rows.get(&key(finding)).copied().flatten();
        let explanation =
            defects.contain("explanation of", &finding.rule, || explanation(finding, row, examined, &slices));
        finding.explanation = explanation.map(Box::new);
    }
}

fn explanation(
    finding: &Finding,
    row: Option<&FindingRow>,
    examined: &Examined<'_>,
    slices: &Slices<'_>,
) -> Explanation {
    let (facts, trace) = (examined.facts, examined.program.trace);
    let of_row = examined.evaluation.zip(row);
    let requirements =
        of_row.map_or(Vec::new(), |(evaluation, row)| rule_findings::requirements(evaluation, row, facts));
    let issue = requirements.iter().find_map(|number| trace.issues.get(*number));
    let slice = match issue {
        Some(issue) => slices.of_issue(issue),
        None => slices.at(finding.primary.span),
    };
    let presenter = Presenter { home: Some(finding.primary.span.file), ..examined.presenter() };
    let proof = of_row.map_or(String::new(), |(evaluation, row)| proof(evaluation, row, presenter));
    Explanation { slice, proof }
}

fn proof(evaluation: &Evaluation<'_>, row: &FindingRow, presenter: Presenter<'_>) -> String {
    let tree = evaluation.proof(row.relation, row.row);
    let mut lines = Vec::new();
    // Memory takes everything.
    let _ = ProofWriter::new(evaluation, presenter).text(&tree, "", &mut lines);
    String::from_utf8_lossy(&lines).into_owned()
}
