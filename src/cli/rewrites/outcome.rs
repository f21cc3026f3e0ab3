//! Compares a program before and after a rewrite: what an analysis says of it, in the places of the text that was not
//! edited.

use std::collections::{BTreeMap, BTreeSet};

use harp_corpus::{FileId, Provenance, Replacements, Span};
use harp_report::REVEAL_RULE;
use harp_shape::DType;
use harp_trace::{Site, ValueKind};

use crate::defects::Defects;
use crate::pipeline::Examined;

/// Where something begins: in which file, and where that was before the file was edited.
type Place = (FileId, Provenance);

/// What an analysis says of a program.
#[derive(Default)]
pub struct Outcome {
    /// How often a rule says something of a place; without what was asked for.
    findings: BTreeMap<(Place, String, String), usize>,
    /// Rules on request that found something: an edit may bring what only these tell.
    on_request: BTreeSet<String>,
    /// What is known of expressions that were there before.
    sites: BTreeMap<(Place, Place), Known>,
    /// What the answers to `reveal_type` say.
    revealed: BTreeMap<Place, Vec<String>>,
    /// What was not understood.
    doubts: Vec<String>,
    /// Where something was executed that was not understood, or not followed.
    reached: BTreeSet<Place>,
    /// Entries whose bounds ran out before their end.
    exhausted: BTreeSet<String>,
    /// Whether all rules were applied.
    is_complete: bool,
}

/// What is known of an expression.
#[derive(PartialEq, Eq)]
struct Known {
    kinds: Vec<ValueKind>,
    shape: Option<String>,
    dtype: Option<DType>,
}

/// A finding that is to be gone.
pub struct Target<'a> {
    pub rule: &'a str,
    pub message: &'a str,
    pub span: Span,
    /// Whether its edit is for a person to look at.
    pub is_unsafe: bool,
}

impl Outcome {
    /// What came of the program in which one file was edited so.
    pub fn of(examined: &Examined<'_>, file: FileId, edits: &Replacements) -> Outcome {
        let trace = examined.program.trace;
        let place = |span: Span| {
            if span.file == file {
                (file, edits.provenance(span.start))
            } else {
                (span.file, Provenance::Kept(span.start))
            }
        };
        // By its last byte: what is asked may stand right behind an expression.
        let end = |span: Span| place(Span { start: span.end.saturating_sub(1).max(span.start), ..span });
        let mut defects = Defects::default();
        let mut outcome = Outcome::default();
        for (finding, _) in examined.found_alone(&mut defects) {
            if finding.kind.is_on_request {
                outcome.on_request.insert(finding.rule.clone());
            }
            if finding.rule != REVEAL_RULE {
                let key = (place(finding.primary.span), finding.rule, finding.message);
                *outcome.findings.entry(key).or_default() += 1;
            }
        }
        for (span, site) in trace.sites.iter() {
            if let ((_, Provenance::Kept(_)), (_, Provenance::Kept(_))) = (place(span), end(span)) {
                outcome.sites.insert((place(span), end(span)), Known::of(site));
            }
        }
        for reveal in &trace.reveals {
            outcome.revealed.entry(place(reveal.span)).or_default().push(reveal.text.clone());
        }
        outcome.revealed.values_mut().for_each(|texts| texts.sort());
        outcome.doubts = trace.not_understood.keys().cloned().collect();
        let doubts = trace.entries.iter().flat_map(|entry| entry.not_understood.iter().chain(&entry.not_followed));
        outcome.reached = doubts.map(|(_, span)| place(*span)).collect();
        let exhausted = trace.entries.iter().filter(|entry| entry.exhausted.is_some());
        outcome.exhausted = exhausted.map(|entry| entry.name.clone()).collect();
        outcome.is_complete = is_complete(examined) && defects.is_empty();
        outcome
    }

    /// Whether something that begins in a range of a file was executed.
    pub fn has_executed(&self, span: Span) -> bool {
        let at = |offset| (span.file, Provenance::Kept(offset));
        let first = (at(span.start), (FileId(0), Provenance::Kept(0)));
        let end = at(span.end.max(span.start + 1));
        let is_known = self.sites.range(first..).next().is_some_and(|((start, _), _)| *start < end);
        is_known || self.reached.range(at(span.start)..end).next().is_some()
    }

    /// Why the program of `after` is not shown in place of this one, of which `target` is said; `None` where nothing speaks against it. What is asked at
    /// the places that are `answered_later` is no matter.
    pub fn objection(
        &self,
        after: &Outcome,
        target: &Target<'_>,
        edited: &[Span],
        answered_later: &BTreeSet<u32>,
    ) -> Option<&'static str> {
        let is_target = |((place, rule, message), _): (&(Place, String, String), &usize)| {
            let is_there = match place.1 {
                Provenance::Kept(start) => start == target.span.start,
                Provenance::New { start, .. } => edited.iter().any(|span| span.start == start),
            };
            rule == target.rule && message == target.message && place.0 == target.span.file && is_there
        };
        // What is not followed either way speaks against an edit that nobody looks at.
        let is_followed_alike = self.exhausted == after.exhausted && (target.is_unsafe || self.exhausted.is_empty());
        if !self.is_complete || !after.is_complete || !is_followed_alike {
            return Some("not all of the program was followed");
        }
        if !self.findings.iter().any(is_target) {
            return Some("the finding depends on the rest of the program");
        }
        if after.findings.iter().any(is_target) {
            return Some("the finding would stay");
        }
        let is_new = |(key, count): (&(Place, String, String), &usize)| {
            self.findings.get(key).is_none_or(|before| before < count) && !after.on_request.contains(&key.1)
        };
        if after.findings.iter().any(is_new) {
            return Some("something else would be found");
        }
        if after.doubts.iter().any(|doubt| !self.doubts.contains(doubt)) {
            return Some("something in it is not understood");
        }
        let agrees =
            |(place, known): (&(Place, Place), &Known)| after.sites.get(place).is_none_or(|other| known.agrees(other));
        if !self.sites.iter().all(agrees) {
            return Some("an expression would have another value");
        }
        // What nothing was asked of here is no loss; what was, and has no answer any more, is not reached.
        let is_same = |(place, texts): (&Place, &Vec<String>)| {
            let is_later = matches!(place.1, Provenance::New { start, .. } if answered_later.contains(&start));
            is_later || after.revealed.get(place).is_some_and(|others| is_same_value(texts, others))
        };
        (!self.revealed.iter().all(is_same)).then_some("a variable would have another value")
    }
}

/// Whether rules and facts came to their end. That something was not understood is no matter: it is not understood either way.
fn is_complete(examined: &Examined<'_>) -> bool {
    let evaluation = examined.evaluation.is_some_and(|evaluation| evaluation.warnings.is_empty());
    let facts = examined.facts.defects.is_empty() && examined.defects.is_empty();
    evaluation && facts
}

impl Known {
    fn of(site: &Site) -> Known {
        let mut kinds: Vec<ValueKind> = site.kinds.iter().copied().filter(|kind| *kind != ValueKind::Unknown).collect();
        kinds.sort();
        let shape = site.rank().and(site.shape.as_ref()).map(ToString::to_string);
        Known { kinds, shape, dtype: site.dtype.filter(|dtype| *dtype != DType::Unknown) }
    }

    /// Whether they are equal as far as both are known.
    fn agrees(&self, other: &Known) -> bool {
        fn fits<T: PartialEq>(left: &Option<T>, right: &Option<T>) -> bool {
            left.is_none() || right.is_none() || left == right
        }
        let kinds = self.kinds.is_empty() || other.kinds.is_empty() || self.kinds == other.kinds;
        kinds && fits(&self.shape, &other.shape) && fits(&self.dtype, &other.dtype)
    }
}

/// Whether answers are equal as far as both are known: of lists, that they are some.
fn is_same_value(before: &[String], after: &[String]) -> bool {
    let is_list = |text: &String| text.starts_with("list");
    // A shape that is a name stands for any number of axes.
    let is_any_shape = |text: &String| text.starts_with("any shape") || text.contains("]@");
    let is_unknown = |text: &String| text.starts_with("unknown") || is_any_shape(text);
    let is_among = |one: &String, other: &String| other.split(" or ").any(|part| part == one);
    // `n` is a number that data decide, such as what `int` makes of a tensor.
    let is_number = |text: &String| text.starts_with(|first: char| first.is_ascii_digit()) || is_sum_of_numbers(text);
    let is_some_number = || matches!(after, [after] if after == "n") && before.iter().all(is_number);
    let is_as_known = || before.len() == after.len() && before.iter().zip(after).all(|(one, other)| fits(one, other));
    before == after
        || before.iter().chain(after).all(is_list)
        || before.iter().any(is_unknown)
        || after.iter().any(is_unknown)
        || is_some_number()
        || before.len() == after.len() && before.iter().zip(after).all(|(one, other)| is_among(one, other))
        || is_as_known()
}

/// Whether the text is a number with parts that are not known: `item + item`.
fn is_sum_of_numbers(text: &str) -> bool {
    const OTHERS: [&str; 13] = [
        "float", "str", "bytes", "complex", "list", "dict", "set", "slice", "method", "class", "object", "module",
        "super",
    ];
    text.split(' ').all(|word| {
        let is_name = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        matches!(word, "+" | "-") || is_name && !OTHERS.contains(&word)
    })
}

/// Whether the one says what the other does, but for what is known in the one alone: `[1000, 3] float64` and `[n, 3] unknown dtype`.
fn fits(before: &str, after: &str) -> bool {
    let words = |text: &str| -> Vec<String> {
        text.replace("unknown dtype", "unknown").split([' ', ',', '[', ']']).map(str::to_owned).collect()
    };
    let is_number = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    let is_name = |word: &str| word.bytes().next().is_some_and(|byte| byte.is_ascii_lowercase());
    let (before, after) = (words(before), words(after));
    before.len() == after.len()
        && before
            .iter()
            .zip(&after)
            .all(|(one, other)| one == other || other == "unknown" || is_number(one) && is_name(other))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_may_be_known_no_more() {
        assert!(fits("[1000, 3] float64 on cpu", "[n, 3] float64 on cpu"));
        assert!(fits("[1000, 3] float64 on cpu", "[n, 3] unknown dtype on cpu"));
        assert!(!fits("[1000, 3] float64 on cpu", "[n, 4] float64 on cpu"));
        assert!(!fits("[b, 3] float64 on cpu", "[n, 3] float64 on cpu"));
        assert!(!fits("[1000, 3] float64 on cpu", "[n, 3] float32 on cpu"));
        assert!(!fits("[1000, 3] float64 on cpu", "[n, m, 3] float64 on cpu"));
    }
}
