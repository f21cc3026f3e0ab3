//! The report of a review as Markdown, for a comment on a pull request.
//!
//! Whatever is not Harp's own text stands in code: there, nothing is a link, a mention, an image or HTML.

use std::io::{self, Write};

use crate::comparison::Review;
use crate::finding::Finding;
use crate::sources::Sources;
use crate::terminal_escape;
use crate::text::{self, TextOptions, whole_place};

/// What is longer does not fit into a comment; GitHub takes 65,536 characters.
const LONGEST: usize = 60_000;
/// One finding takes no more of it.
const LONGEST_FINDING: usize = 8_000;
/// So many findings that are gone are listed.
const MOST_FIXED: usize = 20;

/// Writes the comment.
pub fn render(review: &Review<'_>, out: &mut dyn Write) -> io::Result<()> {
    let told: Vec<_> = review.told().collect();
    out.write_all(comment(review, &told).as_bytes())
}

/// The comment with these findings, each with what it was before.
pub(crate) fn comment(review: &Review<'_>, told: &[(&Finding, Option<&Finding>)]) -> String {
    let mut text = format!("### Harp: {} ({})\n", review.comparison.counts(), code_span(review.title));
    for (index, (finding, before)) in told.iter().enumerate() {
        let part = format!("\n{}", section(finding, *before, review.new.sources));
        if text.len() + part.len() > LONGEST {
            text.push_str(&format!("\n… and {} more.\n", told.len() - index));
            break;
        }
        text.push_str(&part);
    }
    text.push_str(&fixed(review));
    for note in review.notes {
        text.push_str(&format!("\nNote:\n{}", fence("text", &terminal_escape::message(note))));
    }
    text
}

/// One finding with its place.
fn section(finding: &Finding, before: Option<&Finding>, sources: &dyn Sources) -> String {
    let place = code_span(&whole_place(finding.primary.span, sources));
    format!("{place}: {}", body(finding, before, sources, None))
}

/// One finding in a sentence, with the whole of it folded. Where it is shown at another place, `at` says what is there, and the sentence where the
/// finding is.
pub(crate) fn body(finding: &Finding, before: Option<&Finding>, sources: &dyn Sources, at: Option<&str>) -> String {
    let rule = code_span(&terminal_escape::line(&finding.rule));
    let worse = before.map_or_else(String::new, |before| {
        let rule = code_span(&terminal_escape::line(&before.rule));
        let condition = before
            .condition
            .as_ref()
            .map_or_else(String::new, |condition| format!(" when {}", code_span(&terminal_escape::line(condition))));
        format!(", made worse: it was **{}** {rule}{condition}", before.severity)
    });
    let whole = text::render_finding(finding, sources, TextOptions::default());
    let shown = match whole.char_indices().nth(LONGEST_FINDING) {
        Some((end, _)) => format!("{}…", &whole[..end]),
        None => whole,
    };
    let message = code_span(&terminal_escape::line(&finding.message));
    let condition = finding
        .condition
        .as_ref()
        .map_or_else(String::new, |condition| format!(", when {}", code_span(&terminal_escape::line(condition))));
    let elsewhere = at.map_or_else(String::new, |at| {
        let place = code_span(&whole_place(finding.primary.span, sources));
        format!(" at {place}, to which this line leads: {}", code_span(&terminal_escape::line(at)))
    });
    let block = fence("text", &shown);
    format!(
        "**{}** {rule}{worse}: {message}{condition}{elsewhere}\n\n<details>\n<summary>Details</summary>\n\n{block}\n</details>\n",
        finding.severity
    )
}

fn fixed(review: &Review<'_>) -> String {
    let count = review.comparison.fixed.len();
    if count == 0 {
        return String::new();
    }
    let mut text = "\nFixed:\n\n".to_owned();
    for finding in review.fixed().take(MOST_FIXED) {
        let rule = code_span(&terminal_escape::line(&finding.rule));
        text.push_str(&format!("- {}: {rule}\n", code_span(&whole_place(finding.primary.span, review.old.sources))));
    }
    if count > MOST_FIXED {
        text.push_str(&format!("- … and {} more\n", count - MOST_FIXED));
    }
    text
}

/// A block of code, behind more backticks than there are in it.
pub(crate) fn fence(info: &str, content: &str) -> String {
    let marks = "`".repeat(longest_run(content).max(2) + 1);
    let line_end = if content.is_empty() || content.ends_with('\n') { "" } else { "\n" };
    format!("{marks}{info}\n{content}{line_end}{marks}\n")
}

/// Code within a line.
pub(crate) fn code_span(content: &str) -> String {
    let content = content.replace(['\n', '\r'], " ");
    let marks = "`".repeat(longest_run(&content) + 1);
    let padding = if content.starts_with('`') || content.ends_with('`') { " " } else { "" };
    format!("{marks}{padding}{content}{padding}{marks}")
}

fn longest_run(text: &str) -> usize {
    text.split(|character| character != '`').map(str::len).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_does_not_end_before_its_end() {
        assert_eq!(fence("text", "a\n```\n@all"), "````text\na\n```\n@all\n````\n");
        assert_eq!(fence("suggestion", ""), "```suggestion\n```\n");
        assert_eq!(code_span("a`b``"), "``` a`b`` ```");
        assert_eq!(code_span("a\nb"), "`a b`");
    }
}
