//! Where a suppression comment for a finding goes, so that formatters keep it with the statement.
//!
//! A comment stands behind the last line of its statement: one that is split over several lines keeps it behind its closing bracket. What cannot have a
//! comment behind it, a magic of a notebook, gets one above. A comment that names rules already gets further ones.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::logical_lines::LogicalLines;
use crate::silence_comments::named_rules_of;

/// A change of a text that silences some findings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddedSilence {
    /// The bytes that are replaced.
    pub range: Range<usize>,
    /// What takes their place.
    pub text: String,
    /// The findings, by their places among those that were given.
    pub findings: Vec<usize>,
}

/// What silences findings, each given by where it begins and its rule; and of those that cannot be silenced the reason, as a clause.
pub fn additions(
    text: &str,
    findings: &[(usize, &str)],
    reason: &str,
    line_break: &str,
) -> (Vec<AddedSilence>, Vec<(usize, &'static str)>) {
    let lines = LogicalLines::of(text);
    let mut by_line: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let mut impossible = Vec::new();
    for (index, (start, _)) in findings.iter().enumerate() {
        match lines.around(*start) {
            Some(line) => by_line.entry(line).or_default().push(index),
            None => impossible.push((index, "it lies in no statement")),
        }
    }
    let mut added = Vec::new();
    for (line, of_line) in by_line {
        let mut rules: Vec<&str> = of_line.iter().map(|index| findings[*index].1).collect();
        rules.sort_unstable();
        rules.dedup();
        let statement = lines.lines[line].range.clone();
        match change(text, &lines, line, statement, &rules, reason, line_break) {
            Some((range, text)) => added.push(AddedSilence { range, text, findings: of_line }),
            None => impossible.extend(of_line.into_iter().map(|index| (index, "a cell magic takes no comment"))),
        }
    }
    (added, impossible)
}

/// What is replaced by what, so that rules are silent in a statement.
fn change(
    text: &str,
    lines: &LogicalLines,
    line: usize,
    statement: Range<usize>,
    rules: &[&str],
    reason: &str,
    line_break: &str,
) -> Option<(Range<usize>, String)> {
    let rules = rules.join(", ");
    if let Some(end) = named_rules_of(text, lines, line) {
        return Some((end..end, format!(", {rules}")));
    }
    let reason = if reason.is_empty() { String::new() } else { format!(" {reason}") };
    let comment = format!("# harp: ignore[{rules}]{reason}");
    let code = &text[statement.clone()];
    if code.starts_with("%%") {
        return None;
    }
    if code.starts_with(['%', '!']) {
        let first = text[..statement.start].rfind(['\n', '\r']).map_or(0, |at| at + 1);
        let indentation = &text[first..statement.start];
        return Some((first..first, format!("{indentation}{comment}{line_break}")));
    }
    let rest = &text[statement.end..];
    let end = statement.end + rest.find(['\n', '\r']).unwrap_or(rest.len());
    let last = text[..end].trim_end_matches([' ', '\t']).len().max(statement.end);
    Some((last..end, format!("  {comment}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text after rules are silenced at the parts of it.
    fn silenced(text: &str, findings: &[(&str, &str)], reason: &str) -> String {
        let places: Vec<(usize, &str)> =
            findings.iter().map(|(part, rule)| (text.find(part).expect("a part"), *rule)).collect();
        let (added, impossible) = additions(text, &places, reason, "\n");
        assert_eq!(impossible, []);
        let mut new = text.to_owned();
        for addition in added.iter().rev() {
            new.replace_range(addition.range.clone(), &addition.text);
        }
        new
    }

    #[test]
    fn a_comment_stands_behind_the_last_line_of_its_statement() {
        assert_eq!(silenced("f(x)  \ng(y)", &[("f(x)", "a/b")], ""), "f(x)  # harp: ignore[a/b]\ng(y)");
        assert_eq!(
            silenced("f(x)", &[("f", "a/b"), ("x", "a/c"), ("f", "a/b")], "why"),
            "f(x)  # harp: ignore[a/b, a/c] why"
        );
        assert_eq!(silenced("f(\r\n  x,\r\n)\r\n", &[("x", "a/b")], ""), "f(\r\n  x,\r\n)  # harp: ignore[a/b]\r\n");
        assert_eq!(silenced("f(x)  # noqa\n", &[("f", "a/b")], ""), "f(x)  # noqa  # harp: ignore[a/b]\n");
        assert_eq!(silenced("if a: f(x)\n", &[("f", "a/b")], ""), "if a: f(x)  # harp: ignore[a/b]\n");
        assert_eq!(silenced("s = '''\n# no\n'''\n", &[("s", "a/b")], ""), "s = '''\n# no\n'''  # harp: ignore[a/b]\n");
    }

    #[test]
    fn a_comment_that_is_there_names_further_rules() {
        assert_eq!(
            silenced("f(x)  # harp: ignore[a/b, c] why\n", &[("f", "d/e")], "other"),
            "f(x)  # harp: ignore[a/b, c, d/e] why\n"
        );
        assert_eq!(silenced("# harp: ignore[c]\nf(x)\n", &[("f", "d/e")], ""), "# harp: ignore[c, d/e]\nf(x)\n");
        let block = "def f():  # harp: ignore-block[c]\n    g()\n";
        assert_eq!(
            silenced(block, &[("g()", "d/e")], ""),
            "def f():  # harp: ignore-block[c]\n    g()  # harp: ignore[d/e]\n"
        );
    }

    #[test]
    fn magics_of_notebooks_get_one_above() {
        assert_eq!(silenced("x\n  %time f(x)\n", &[("%time", "a/b")], ""), "x\n  # harp: ignore[a/b]\n  %time f(x)\n");
        assert_eq!(additions("%%time\n", &[(0, "a/b")], "", "\n").1, [(0, "a cell magic takes no comment")]);
        assert_eq!(additions("\n\n# x\n", &[(1, "a/b")], "", "\n").1, [(0, "it lies in no statement")]);
    }
}
