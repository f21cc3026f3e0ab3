//! The report of a review as JSON. The form is described in `docs/review.md`; adding a member keeps the version, any
//! other change raises it.

use std::io::{self, Write};

use serde_json::{Value, json};

use crate::comparison::Review;
use crate::finding::Finding;
use crate::json::{self, VERSION, finding_value, summary_value};

/// Writes the review as one JSON document.
pub fn render(review: &Review<'_>, out: &mut dyn Write) -> io::Result<()> {
    let new = |finding: &Finding| finding_value(finding, review.new.sources);
    let old = |finding: &Finding| finding_value(finding, review.old.sources);
    let introduced = review.told().filter(|(_, before)| before.is_none()).map(|(finding, _)| new(finding));
    let worse =
        review.told().filter_map(|(finding, before)| Some(json!({ "before": old(before?), "now": new(finding) })));
    let renamed = review.lines.files().iter().filter_map(|file| match (&file.old, &file.new) {
        (Some(old), Some(new)) if old != new => Some(json!({ "from": old, "to": new })),
        _ => None,
    });
    let counts = review.comparison.counts();
    let document = json!({
        "version": VERSION,
        "tool": { "name": "harp", "version": env!("CARGO_PKG_VERSION") },
        "change": { "title": review.title, "base": review.commits[0], "head": review.commits[1] },
        "introduced": introduced.collect::<Vec<Value>>(),
        "worse": worse.collect::<Vec<Value>>(),
        "fixed": review.fixed().map(old).collect::<Vec<Value>>(),
        "unchanged": counts.unchanged,
        "renamed": renamed.collect::<Vec<Value>>(),
        "notes": review.notes,
        "summary": summary_value(review.new),
    });
    json::write(&document, out)
}
