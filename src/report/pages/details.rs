//! Pages of a report: what they show of one finding.

use serde::Serialize;

use crate::explanation::{GraphSlice, SliceNodeKind};
use crate::finding::{Finding, PathStep};
use crate::saving::Saving;
use crate::text::{self, Color};
use crate::{Report, terminal_escape};

use super::overview::{AssumptionView, NumberedAssumptions, file_anchor};
use super::picture::{self, Picture};
use super::places::place;

/// Longer proofs are cut: `harp explain` prints the whole.
const LONGEST_PROOF: usize = 12_000;

/// A finding for a reader.
#[derive(Debug, Serialize)]
pub struct Details {
    anchor: String,
    /// The file whose first finding it is.
    opens: Option<FileHeading>,
    rule: String,
    severity: &'static str,
    certain: bool,
    place: String,
    message: String,
    condition: Option<String>,
    counterexample: Option<String>,
    notes: Vec<String>,
    help: Option<String>,
    /// What the rewrite saves, and in how many iterations.
    saves: Option<String>,
    /// The code with its labels, perhaps with the codes of colours.
    code: String,
    rewrite: Option<Rewrite>,
    operands: Vec<OperandRow>,
    /// The numbers of its assumptions in the overview.
    assumes: Vec<usize>,
    /// Their kinds.
    kinds: Vec<String>,
    assumptions: Vec<AssumptionView>,
    path: Vec<Step>,
    picture: Option<Picture>,
    slice: Vec<SliceLine>,
    proof: String,
    /// What to call `harp explain` with.
    fingerprint: String,
}

#[derive(Debug, Serialize)]
struct FileHeading {
    file: String,
    anchor: String,
}

#[derive(Debug, Serialize)]
struct Rewrite {
    title: String,
    code: String,
}

/// An operand of what fails, and where it comes from.
#[derive(Debug, Serialize)]
struct OperandRow {
    operand: String,
    shape: String,
    made_by: String,
    place: String,
}

#[derive(Debug, Serialize)]
struct Step {
    depth: u32,
    place: String,
    text: String,
}

/// A node of the graph as a line of a text.
#[derive(Debug, Serialize)]
struct SliceLine {
    name: String,
    takes: Vec<String>,
    place: String,
}

/// Whatever the details of a report's findings have in common.
pub struct Detailer<'a> {
    /// The report.
    pub report: &'a Report<'a>,
    /// The assumptions of all findings.
    pub assumptions: &'a NumberedAssumptions<'a>,
    /// Whether code has colours.
    pub color: Color,
}

impl Detailer<'_> {
    /// What is shown of the finding with this index, whose anchor it is.
    pub fn details(&self, index: usize, anchor: &str, fingerprint: &str) -> Details {
        let finding = &self.report.findings[index];
        let sources = self.report.sources;
        let line = |text: &String| terminal_escape::line(text);
        let slice = finding.explanation.as_ref().map(|explanation| &explanation.slice);
        let mut kinds: Vec<String> = finding.assumptions.iter().map(|it| terminal_escape::line(&it.kind)).collect();
        kinds.sort_unstable();
        kinds.dedup();
        Details {
            anchor: anchor.to_owned(),
            opens: self.opened_file(index),
            rule: terminal_escape::line(&finding.rule),
            severity: finding.severity.as_str(),
            certain: finding.certain(),
            place: place(finding.primary.span, sources),
            message: terminal_escape::line(&finding.message),
            condition: finding.condition.as_ref().map(line),
            counterexample: finding.counterexample.as_ref().map(line),
            notes: finding.notes.iter().map(line).collect(),
            help: finding.help.as_ref().map(line),
            saves: finding.saving.as_ref().and_then(|saving| saves(saving)),
            code: text::render_code(finding, sources, self.color),
            rewrite: self.rewrite(finding),
            operands: slice.map_or(Vec::new(), |slice| self.operands(slice)),
            assumes: self.assumptions.numbers_of(finding),
            kinds,
            assumptions: finding.assumptions.iter().map(|it| AssumptionView::of(it, self.report)).collect(),
            path: finding.path.iter().map(|step| self.step(step)).collect(),
            picture: slice.and_then(|slice| picture::picture(slice, sources)),
            slice: slice.map_or(Vec::new(), |slice| self.slice_lines(slice)),
            proof: finding.explanation.as_ref().map_or(String::new(), |explanation| proof(&explanation.proof)),
            fingerprint: fingerprint.to_owned(),
        }
    }

    fn opened_file(&self, index: usize) -> Option<FileHeading> {
        let file_of = |index: usize| self.report.findings[index].primary.span.file;
        let file = file_of(index);
        if index > 0 && file_of(index - 1) == file {
            return None;
        }
        let name = terminal_escape::path(self.report.sources.name(file));
        Some(FileHeading { file: name, anchor: file_anchor(file) })
    }

    fn rewrite(&self, finding: &Finding) -> Option<Rewrite> {
        let code = text::rewritten_code(finding, self.report.sources)?;
        Some(Rewrite { title: text::rewrite_title(finding), code })
    }

    /// What the first node of a slice takes.
    fn operands(&self, slice: &GraphSlice) -> Vec<OperandRow> {
        let of_subject = slice.edges.iter().filter(|edge| edge.to == 0);
        let row = of_subject.map(|edge| {
            let from = &slice.nodes[edge.from];
            OperandRow {
                operand: match (edge.operand.as_str(), from.kind) {
                    ("", SliceNodeKind::Object) => "the object".to_owned(),
                    (operand, _) => terminal_escape::line(operand),
                },
                shape: edge.shape.as_deref().map_or(String::new(), terminal_escape::line),
                made_by: terminal_escape::line(&from.name),
                place: from.span.map_or(String::new(), |span| place(span, self.report.sources)),
            }
        });
        row.collect()
    }

    fn slice_lines(&self, slice: &GraphSlice) -> Vec<SliceLine> {
        let takes = |node: usize| {
            let edges = slice.edges.iter().filter(move |edge| edge.to == node);
            edges.map(|edge| {
                let label = picture::label(&edge.operand, edge.shape.as_deref());
                let from = terminal_escape::line(&slice.nodes[edge.from].name);
                if label.is_empty() { from } else { format!("{label} of {from}") }
            })
        };
        let line = |(index, node): (usize, &crate::SliceNode)| SliceLine {
            name: terminal_escape::line(&node.name),
            takes: takes(index).collect(),
            place: node.span.map_or(String::new(), |span| place(span, self.report.sources)),
        };
        slice.nodes.iter().enumerate().map(line).collect()
    }

    fn step(&self, step: &PathStep) -> Step {
        Step {
            depth: step.depth,
            place: place(step.span, self.report.sources),
            text: terminal_escape::line(&step.text),
        }
    }
}

/// What a rewrite saves, in words.
fn saves(saving: &Saving) -> Option<String> {
    Some(saving.sentence()).filter(|sentence| !sentence.is_empty()).map(|sentence| terminal_escape::line(&sentence))
}

/// A proof, harmless and not too long.
fn proof(text: &str) -> String {
    let text = terminal_escape::whole(text.trim_end());
    match text.char_indices().nth(LONGEST_PROOF) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.into_owned(),
    }
}
