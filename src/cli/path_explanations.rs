//! `harp check --explain-path`: the decisions on the way to a finding, in words.

use harp_corpus::{Corpus, Span};
use harp_report::{Finding, PathStep};
use harp_trace::route::{Route, Step, StepKind, Why};
use harp_trace::{Issue, Operand, Trace};

/// So many steps of a way are shown, besides the entry and the calls.
const MOST_STEPS: usize = 40;
/// So many steps are shown of the way on which an operand was made.
const MOST_OF_ORIGIN: usize = 6;
/// Conditions and headers are cut behind so many characters.
const WIDEST: usize = 100;

/// Tells a finding's way, where the trace has it: that of its requirement, else that of an operation or loop at its place.
pub fn describe(issue: Option<&Issue>, trace: &Trace, corpus: &Corpus, finding: &mut Finding) {
    let Some(route) = issue.map(|issue| &issue.route).or_else(|| route_to(finding.primary.span, trace)) else { return };
    let steps = route.steps();
    if steps.is_empty() {
        return;
    }
    let teller = Teller { trace, corpus };
    let mut told = teller.steps(&steps);
    let depth = told.last().map_or(0, |last| last.depth + u32::from(last.kind == "call"));
    if let Some(issue) = issue {
        teller.origins(issue, depth, &mut told);
    }
    let text = format!("here: {}", finding.message);
    told.push(PathStep { kind: "finding", span: finding.primary.span, text, depth, holds: None, reason: None });
    finding.path = told;
}

/// Whether the trace has any ways; without, there is nothing to look for.
pub fn are_kept(trace: &Trace) -> bool {
    let of_issues = trace.issues.iter().map(|issue| &issue.route);
    let of_operations = trace.operations.iter().map(|record| &record.route);
    let mut all = of_issues.chain(of_operations).chain(trace.loop_routes.values());
    all.any(|route| !route.steps().is_empty())
}

/// How an operation or a loop at the place was reached first.
fn route_to(span: Span, trace: &Trace) -> Option<&Route> {
    if let Some(route) = trace.loop_routes.get(&span) {
        return Some(route);
    }
    let lies_in =
        |inner: Span, outer: Span| inner.file == outer.file && outer.start <= inner.start && inner.end <= outer.end;
    let exact = trace.operations.iter().find(|record| record.span == span);
    let record = exact.or_else(|| trace.operations.iter().find(|record| lies_in(record.span, span)));
    record.map(|record| &record.route)
}

struct Teller<'a> {
    trace: &'a Trace,
    corpus: &'a Corpus,
}

impl Teller<'_> {
    fn steps(&self, steps: &[&Step]) -> Vec<PathStep> {
        let shown = selected(steps, |step| self.is_of_the_analysis(step));
        let omitted = steps.iter().filter(|step| !self.is_of_the_analysis(step)).count() - shown.len();
        let mut told = Vec::with_capacity(shown.len() + 1);
        let mut depth = 0;
        for &index in &shown {
            let step = steps[index];
            let only_way = steps[index..].iter().find_map(|later| match later.kind {
                StepKind::OnlyWay { ends } if later.span == step.span => Some(ends),
                _ => None,
            });
            told.push(self.step(step, only_way, depth));
            depth += u32::from(step.kind == StepKind::Call);
        }
        if let (Some(first), 1..) = (told.first(), omitted) {
            let text = format!("{omitted} more steps, which are repeated or matter least, are not shown");
            let span = first.span;
            told.insert(1, PathStep { kind: "omitted", span, text, depth: 0, holds: None, reason: None });
        }
        told
    }

    /// What nobody calls is called by the analysis, as its entry says already; and what became of the other ways is told with the branch.
    fn is_of_the_analysis(&self, step: &Step) -> bool {
        match step.kind {
            StepKind::Call => self.trace.entries.iter().any(|entry| entry.span == step.span),
            StepKind::OnlyWay { .. } => true,
            _ => false,
        }
    }

    fn step(&self, step: &Step, only_way: Option<bool>, depth: u32) -> PathStep {
        let source = self.source(step.span);
        let word = |holds: bool| if holds { "true" } else { "false" };
        let (kind, text, holds, reason) = match &step.kind {
            StepKind::Entry => ("entry", entry(&step.text), None, None),
            StepKind::Call => ("call", format!("`{}` is called", step.text), None, None),
            StepKind::Decided { holds, why } => {
                let (reason, because) = match why {
                    Why::Constant => ("constant", "its operands are known".to_owned()),
                    Why::Default(settings) => ("default", settings.to_string()),
                    Why::Sizes(condition) => {
                        ("sizes", format!("it asks for `{condition}`, which the known sizes decide"))
                    }
                    Why::Before => ("before", "it was decided before".to_owned()),
                };
                ("branch", format!("`{source}` is {}: {because}", word(*holds)), Some(*holds), Some(reason))
            }
            StepKind::Followed { holds } => {
                let (reason, text) = match only_way {
                    Some(true) => {
                        ("only-way", format!("`{source}` is taken to be {}: otherwise the program ends", word(*holds)))
                    }
                    Some(false) => {
                        let text = format!("`{source}` is taken to be {}: otherwise the block is left", word(*holds));
                        ("only-way", text)
                    }
                    None => {
                        let text = format!("`{source}` is not known; on this path it is {}", word(*holds));
                        ("followed", text)
                    }
                };
                ("branch", text, Some(*holds), Some(reason))
            }
            StepKind::Alternative => (
                "alternative",
                format!("of several values the one that is there where {}", cut(&step.text)),
                None,
                None,
            ),
            StepKind::Iteration => ("iteration", format!("`{source}`: {}", step.text), None, None),
            StepKind::Merged { ways } => {
                ("merge", format!("`{source}` is not known; its {ways} paths joined again"), None, None)
            }
            StepKind::OnlyWay { .. } => ("branch", format!("`{source}`"), None, None),
        };
        PathStep { kind, span: step.span, text, depth, holds, reason }
    }

    /// Where the operands come from, with what was decided on the way there.
    fn origins(&self, issue: &Issue, depth: u32, told: &mut Vec<PathStep>) {
        let plain = |kind, span, text, depth| PathStep { kind, span, text, depth, holds: None, reason: None };
        for operand in &issue.operands {
            let Some((made_by, span)) = &operand.origin else { continue };
            self.way_to_origin(operand, issue, depth + 1, told);
            let text = format!("`{}` is {}, from {made_by}", operand.name, operand.shape);
            told.push(plain("operand", *span, text, depth));
        }
        if let Some((class, span)) = &issue.module_origin {
            told.push(plain("operand", *span, format!("the `{class}` is made"), depth));
        }
    }

    fn way_to_origin(&self, operand: &Operand, issue: &Issue, depth: u32, told: &mut Vec<PathStep>) {
        let Some(record) = self.trace.operation(operand.operation) else { return };
        let steps = record.route.apart_from(&issue.route);
        let matters = |step: &&&Step| {
            let is_constant = matches!(step.kind, StepKind::Decided { why: Why::Constant, .. });
            !is_constant
                && !matches!(step.kind, StepKind::Merged { .. } | StepKind::Entry)
                && !self.is_of_the_analysis(step)
        };
        let steps: Vec<&Step> = steps.iter().filter(matters).copied().collect();
        let shown = &steps[steps.len().saturating_sub(MOST_OF_ORIGIN)..];
        told.extend(shown.iter().map(|step| self.step(step, None, depth)));
    }

    /// The first line of a place's text, without the colon of a header.
    fn source(&self, span: Span) -> String {
        let text = self.corpus.file(span.file).map_or("", |file| file.slice(span.start..span.end));
        let mut lines = text.lines();
        let first = cut(lines.next().unwrap_or("").trim_end());
        match (first.strip_suffix(':'), lines.next()) {
            (Some(header), Some(_)) => header.to_owned(),
            (None, Some(_)) => format!("{first} …"),
            _ => first,
        }
    }
}

/// The steps that are shown, by their places: each once, and of long ways those that matter most.
fn selected(steps: &[&Step], is_left_out: impl Fn(&Step) -> bool) -> Vec<usize> {
    let mut seen = rustc_hash::FxHashSet::default();
    let mut shown: Vec<usize> = (0..steps.len())
        .rev()
        .filter(|&index| !is_left_out(steps[index]))
        .filter(|&index| {
            let step = steps[index];
            let is_repeatable = matches!(step.kind, StepKind::Call | StepKind::Entry);
            is_repeatable || seen.insert((std::mem::discriminant(&step.kind), step.span, &*step.text))
        })
        .collect();
    shown.reverse();
    // What says least goes first, the older before the younger.
    let rank = |kind: &StepKind| match kind {
        StepKind::Merged { .. } => 0,
        StepKind::Decided { why: Why::Constant | Why::Before, .. } => 1,
        StepKind::Decided { .. } | StepKind::Alternative => 2,
        StepKind::Followed { .. } | StepKind::Iteration | StepKind::OnlyWay { .. } => 3,
        StepKind::Call | StepKind::Entry => 4,
    };
    let mut by_rank: Vec<usize> = shown.iter().copied().filter(|&index| rank(&steps[index].kind) < 4).collect();
    by_rank.sort_by_key(|&index| (rank(&steps[index].kind), index));
    let surplus = by_rank.len().saturating_sub(MOST_STEPS);
    let dropped: rustc_hash::FxHashSet<usize> = by_rank[..surplus].iter().copied().collect();
    shown.retain(|index| !dropped.contains(index));
    shown
}

fn entry(name: &str) -> String {
    match name.split_once(' ') {
        Some((kind @ ("script" | "module"), name)) => format!("the {kind} `{name}` starts"),
        _ => format!("`{name}` starts with unknown inputs, as nobody calls it"),
    }
}

fn cut(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match text.char_indices().nth(WIDEST) {
        None => text,
        Some(_) => text.chars().take(WIDEST - 1).chain(['…']).collect(),
    }
}
