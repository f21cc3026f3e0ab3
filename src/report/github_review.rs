//! A review as GitHub takes it: the body of <https://docs.github.com/rest/pulls/reviews#create-a-review-for-a-pull-request>.
//!
//! GitHub refuses a whole review where one comment is on a line that the pull request's diff does not show. Findings elsewhere, and those of
//! notebooks, whose lines are not those of their files, stand in the review's own text.

use std::io::{self, Write};
use std::ops::Range;

use serde::Serialize;

use crate::comparison::Review;
use crate::finding::Finding;
use crate::sources::Sources;
use crate::suggested_lines::{self, SuggestedLines};
use crate::{json, markdown};

/// More comments make a review that nobody reads; the others stand in its text.
const MOST_COMMENTS: usize = 50;

#[derive(Serialize)]
struct Document<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    commit_id: Option<&'a str>,
    event: &'static str,
    body: String,
    comments: Vec<Comment<'a>>,
}

#[derive(Serialize)]
struct Comment<'a> {
    path: &'a str,
    /// The last line.
    line: u32,
    side: &'static str,
    /// The first one, where there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    start_line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    start_side: Option<&'static str>,
    body: String,
}

/// Writes the review as JSON.
pub fn render(review: &Review<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut comments = Vec::new();
    let mut elsewhere = Vec::new();
    for (finding, before) in review.told() {
        match comment(finding, before, review).filter(|_| comments.len() < MOST_COMMENTS) {
            Some(comment) => comments.push(comment),
            None => elsewhere.push((finding, before)),
        }
    }
    let body = markdown::comment(review, &elsewhere);
    let document = Document { commit_id: review.commits[1], event: "COMMENT", body, comments };
    json::write(&document, out)
}

/// The comment on a finding; `None` where the change does not show its lines.
fn comment<'a>(finding: &Finding, before: Option<&Finding>, review: &Review<'a>) -> Option<Comment<'a>> {
    let sources = review.new.sources;
    let span = finding.primary.span;
    let name = sources.name(span.file);
    let mut body = markdown::body(finding, before, sources);
    let is_shown = |lines: &Range<u32>| !lines.is_empty() && review.lines.shows(name, lines);
    let is_of_file = finding.edits.iter().all(|edit| edit.span.file == span.file);
    let suggested = suggested_lines::of(finding, sources).filter(|it| is_of_file && is_shown(&it.lines));
    let lines = match suggested {
        Some(SuggestedLines { lines, text }) => {
            body.push_str(&format!("\n{}", markdown::fence("suggestion", &text)));
            lines
        }
        None => lines_of(finding, sources).filter(is_shown)?,
    };
    let last = lines.end - 1;
    let several = (lines.start < last).then_some(lines.start);
    let start_side = several.map(|_| "RIGHT");
    Some(Comment { path: name, line: last, side: "RIGHT", start_line: several, start_side, body })
}

/// The lines that a finding points to; of many the first, which is where it begins. `None` in a notebook.
fn lines_of(finding: &Finding, sources: &dyn Sources) -> Option<Range<u32>> {
    const MOST_LINES: u32 = 20;
    let span = finding.primary.span;
    let [start, end] = [span.start, span.end.max(span.start)].map(|offset| sources.position(span.file, offset));
    let last = if end.line.saturating_sub(start.line) < MOST_LINES { end.line.max(start.line) } else { start.line };
    // A range that ends before the first character of a line does not touch it.
    let last = if last > start.line && end.column == 1 { last - 1 } else { last };
    start.cell.is_none().then_some(start.line..last + 1)
}
