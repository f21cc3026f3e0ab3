//! Shows a rewrite: the new code for people.

use harp_corpus::{Replacements, SourceFile};

/// A rewrite of so many lines is shown as a whole; of longer ones the lines that do not change are left out.
const LONGEST: usize = 12;

/// The lines that change, as they are afterwards, without the indentation that they have in common.
pub fn code(file: &SourceFile, edits: &Replacements) -> String {
    let mut parts: Vec<String> = Vec::new();
    let (Some(first), Some(last)) = (edits.iter().next(), edits.iter().last()) else { return String::new() };
    let whole = between(file, edits, first.start, last.end);
    if whole.lines().count() <= LONGEST {
        parts.push(whole);
    } else {
        for edit in edits.iter() {
            // Of what is appended to a statement not the statement's last line.
            let appended = || edit.text.trim_start_matches(['\n', '\r']).to_owned();
            let part = if edit.is_behind_statement() { appended() } else { between(file, edits, edit.start, edit.end) };
            // Several edits may be in one line.
            if parts.last() != Some(&part) && !part.trim().is_empty() {
                parts.push(part);
            }
        }
    }
    let lines: Vec<&str> = parts.iter().flat_map(|part| part.lines()).collect();
    let common = lines.iter().filter(|line| !line.trim().is_empty()).map(|line| indentation(line)).min().unwrap_or(0);
    let shown = |part: &String| {
        part.lines().map(|line| line.get(common..).unwrap_or("").trim_end().to_owned()).collect::<Vec<_>>().join("\n")
    };
    parts.iter().map(shown).collect::<Vec<_>>().join("\n...\n")
}

fn indentation(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// The edited lines between two places of the file.
fn between(file: &SourceFile, edits: &Replacements, start: u32, end: u32) -> String {
    let Some(edited) = edits.apply(&file.text) else { return String::new() };
    let first = file.line(start as usize).start;
    let mut last = file.line(end as usize).end;
    // What is inserted before a line leaves that line as it is.
    if start == end && first == start as usize {
        last = first;
    }
    let shift = |offset: usize, inclusive: bool| {
        let moved = edits
            .iter()
            .take_while(|edit| if inclusive { edit.end as usize <= offset } else { (edit.start as usize) < offset });
        let shift: i64 = moved.map(|edit| edit.text.len() as i64 - i64::from(edit.end - edit.start)).sum();
        usize::try_from(offset as i64 + shift).unwrap_or(0)
    };
    let range = shift(first, false)..shift(last, true);
    edited.get(range).unwrap_or("").trim_end_matches(['\n', '\r']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use harp_corpus::{Corpus, Replacement};

    fn shown(text: &str, edits: &[(&str, &str)]) -> String {
        let corpus = Corpus::single("a.py", text);
        let edits = edits.iter().map(|(part, new)| {
            let start = text.find(part).expect("a part") as u32;
            let length = if new.ends_with('\n') { 0 } else { part.len() as u32 };
            Replacement { start, end: start + length, text: (*new).to_owned() }
        });
        code(&corpus.files[0], &Replacements::new(edits.collect()).expect("apart"))
    }

    #[test]
    fn changed_lines_are_shown() {
        let text = "def f():\n    for i in x:\n        a = b @ c\n        d(a)\n";
        assert_eq!(shown(text, &[("    for", "    a = b @ c\n"), ("b @ c", "a")]), "a = b @ c\nfor i in x:\n    a = a");
        assert_eq!(shown(text, &[("d(a)", "e()")]), "e()");
        assert_eq!(shown(text, &[("    for", "    a = 1\n")]), "a = 1");
    }

    #[test]
    fn of_long_rewrites_the_parts_are_shown() {
        let text = format!("for i in x:\n{}    a = b @ c\n", "    f()\n".repeat(20));
        assert_eq!(shown(&text, &[("for", "t = b @ c\n"), ("b @ c", "t")]), "t = b @ c\n...\n    a = t");
    }
}
