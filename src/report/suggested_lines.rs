//! A finding's rewrite as whole lines, which is what code hosts apply with a click.

use std::ops::Range;

use crate::finding::{Edit, Finding};
use crate::sources::Sources;

/// Lines, and what takes their place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SuggestedLines {
    /// Counted from 1.
    pub lines: Range<u32>,
    /// Whole lines; none where the old ones only go.
    pub text: String,
}

/// The rewrite of a finding; `None` where it has none, where it is one of a notebook, or where lines end as only Python knows.
pub(crate) fn of(finding: &Finding, sources: &dyn Sources) -> Option<SuggestedLines> {
    let mut edits: Vec<&Edit> = finding.edits.iter().collect();
    edits.sort();
    let (first, last) = (edits.first()?, edits.last()?);
    let file = first.span.file;
    let text = sources.text(file);
    let is_in_cell = sources.position(file, first.span.start).cell.is_some();
    let has_odd_ends = || text.replace("\r\n", "").contains('\r');
    if is_in_cell || last.span.file != file || has_odd_ends() {
        return None;
    }
    let start = sources.line(file, first.span.start as usize).start;
    let mut end = last.span.end as usize;
    if end <= start || !text.get(..end)?.ends_with('\n') {
        end = behind_line(text, end)?;
    }
    let mut code = edited(text, start..end, &edits)?;
    while !code.is_empty() && !code.ends_with('\n') && end < text.len() {
        let next = behind_line(text, end)?;
        code.push_str(text.get(end..next)?);
        end = next;
    }
    let line = |offset: usize| Some(sources.position(file, u32::try_from(offset).ok()?).line);
    let is_cut = !text.get(..end)?.ends_with('\n');
    if !code.is_empty() && !code.ends_with('\n') {
        code.push('\n');
    }
    Some(SuggestedLines { lines: line(start)?..line(end)? + u32::from(is_cut), text: code.replace("\r\n", "\n") })
}

/// The first byte behind the line that holds a byte.
fn behind_line(text: &str, offset: usize) -> Option<usize> {
    Some(text.get(offset..)?.find('\n').map_or(text.len(), |line_break| offset + line_break + 1))
}

fn edited(text: &str, range: Range<usize>, edits: &[&Edit]) -> Option<String> {
    let mut code = String::new();
    let mut offset = range.start;
    for edit in edits {
        code.push_str(text.get(offset..edit.span.start as usize)?);
        code.push_str(&edit.replacement);
        offset = edit.span.end as usize;
    }
    code.push_str(text.get(offset..range.end)?);
    Some(code)
}

#[cfg(test)]
mod tests {
    use harp_corpus::Span;

    use super::*;
    use crate::finding::{Label, Severity};
    use crate::sources::MemorySources;

    /// The suggestion, and the text after somebody applied it by lines.
    fn suggested(text: &str, edits: &[(u32, u32, &str)]) -> Option<(Range<u32>, String, String)> {
        let mut sources = MemorySources::new();
        let file = sources.add("a.py", text);
        let mut finding = Finding::new("r", Severity::Warning, "", Label::new(Span::new(file, 0, 1), ""));
        finding.edits = edits
            .iter()
            .map(|(start, end, new)| Edit { span: Span::new(file, *start, *end), replacement: (*new).to_owned() })
            .collect();
        let SuggestedLines { lines, text: code } = of(&finding, &sources)?;
        let old: Vec<&str> = text.split_inclusive('\n').collect();
        let (start, end) = (lines.start as usize - 1, lines.end as usize - 1);
        let after = format!("{}{code}{}", old[..start].concat(), old[end..].concat());
        Some((lines, code, after))
    }

    #[test]
    fn edits_become_the_lines_around_them() {
        let inside = suggested("a = 1\n  b = 2\nc = 3\n", &[(12, 13, "20")]);
        assert_eq!(inside, Some((2..3, "  b = 20\n".into(), "a = 1\n  b = 20\nc = 3\n".into())));
        let two = suggested("a\nb\nc\n", &[(0, 0, "x\n"), (2, 4, "")]);
        assert_eq!(two, Some((1..3, "x\na\n".into(), "x\na\nc\n".into())));
        let gone = suggested("a\nb\nc\n", &[(2, 4, "")]);
        assert_eq!(gone, Some((2..3, String::new(), "a\nc\n".into())));
        let joined = suggested("a\nb\nc\n", &[(1, 2, " + ")]);
        assert_eq!(joined, Some((1..3, "a + b\n".into(), "a + b\nc\n".into())));
        let inserted = suggested("a\nb\n", &[(2, 2, "x\n")]);
        assert_eq!(inserted, Some((2..3, "x\nb\n".into(), "a\nx\nb\n".into())));
        let at_the_end = suggested("a\nb", &[(2, 3, "c")]);
        assert_eq!(at_the_end, Some((2..3, "c\n".into(), "a\nc\n".into())));
        assert_eq!(suggested("a\rb\n", &[(2, 3, "c")]), None);
        assert_eq!(suggested("a\n", &[]), None);
    }
}
