//! Rewrites commands of IPython into the form in which the parser of Python reads them. All offsets stay as they are.

use std::borrow::Cow;

use harp_corpus::{is_automatic_command, statement_of_command};
use ruff_python_ast::PythonVersion;
use ruff_python_ast::token::TokenKind;
use ruff_python_parser::{Mode, ParseOptions, parse_unchecked};
use ruff_text_size::Ranged;

use crate::ir::Range;
use crate::nesting;

/// Cells that nest more deeply are left as they are.
const DEEPEST: u32 = 60;

/// The cells with `pass; x = 3` for `%time x = 3`, which binds names as the statement does, and with a `%` for the first letter of a line that IPython
/// takes for a command without one: it does so where a cell is this line, and the line is no Python.
pub(super) fn with_plain_commands<'a>(text: &'a str, cells: &[Range]) -> Cow<'a, str> {
    let mut changes: Vec<(usize, String)> = Vec::new();
    for cell in cells {
        let Some(source) = text.get(cell.start as usize..cell.end as usize) else { continue };
        let start = cell.start as usize;
        if let Some((place, replacement)) = automatic(source) {
            changes.push((start + place, replacement));
            continue;
        }
        let searches = if source.contains('*') && source.contains('?') { searches(source) } else { Vec::new() };
        changes.extend(searches.into_iter().map(|(place, change)| (start + place, change)));
        if ["%time ", "%prun ", "%memit "].iter().any(|command| source.contains(command)) {
            changes.extend(statements(source).into_iter().map(|(place, change)| (start + place, change)));
        }
    }
    if changes.is_empty() {
        return Cow::Borrowed(text);
    }
    changes.sort_by_key(|(place, _)| *place);
    let mut changed = String::with_capacity(text.len());
    for (place, replacement) in changes {
        if let Some(kept) = text.get(changed.len()..place) {
            changed.push_str(kept);
            changed.push_str(&replacement);
        }
    }
    changed.push_str(text.get(changed.len()..).unwrap_or_default());
    Cow::Owned(changed)
}

/// Where a cell's only line is a command without a `%`, and what stands there for it.
fn automatic(source: &str) -> Option<(usize, String)> {
    let line = source.trim();
    let word = line.split(|next: char| !next.is_alphanumeric() && next != '_').next().unwrap_or_default();
    let is_separate = line[word.len()..].starts_with([' ', '\t']);
    if line.contains(['\n', '\r']) || !is_separate || !is_automatic_command(word) || !is_shallow(line) {
        return None;
    }
    let parsed = parse_unchecked(line, ParseOptions::from(Mode::Module).with_target_version(PythonVersion::latest()));
    let place = source.len() - source.trim_start().len();
    (!parsed.errors().is_empty()).then(|| (place, as_statement(line).unwrap_or_else(|| "%".to_owned())))
}

/// The lines of a cell that search for names, as `torch.*Tensor?` and `?*_like` do, with comments in their place: the parser reads names alone where
/// IPython explains what they name.
fn searches(source: &str) -> Vec<(usize, String)> {
    let is_search = |line: &str| {
        let names = line.trim_matches('?');
        let is_of_name = |next: char| next.is_alphanumeric() || matches!(next, '_' | '.' | '*');
        names.len() < line.len()
            && names.len() + 2 >= line.len()
            && names.contains('*')
            && names.chars().all(is_of_name)
    };
    let mut place = 0;
    let mut found = Vec::new();
    for line in source.split_inclusive('\n') {
        let command = line.trim();
        if is_search(command) {
            let indent = line.len() - line.trim_start().len();
            found.push((place + indent, format!("#{}", " ".repeat(command.len() - 1))));
        }
        place += line.len();
    }
    if found.is_empty() || !is_shallow(source) {
        return Vec::new();
    }
    // In a text that spans lines it is none.
    let options = ParseOptions::from(Mode::Ipython).with_target_version(PythonVersion::latest());
    if parse_unchecked(source, options).errors().is_empty() { Vec::new() } else { found }
}

/// The commands of a cell that run a statement, each with what stands before the statement in its place.
fn statements(source: &str) -> Vec<(usize, String)> {
    if !is_shallow(source) {
        return Vec::new();
    }
    let options = ParseOptions::from(Mode::Ipython).with_target_version(PythonVersion::latest());
    let parsed = parse_unchecked(source, options);
    let commands = parsed.tokens().iter().filter(|token| token.kind() == TokenKind::IpyEscapeCommand);
    let places = commands.map(|token| (token.range().start().to_usize(), token.range().end().to_usize()));
    places
        .filter_map(|(start, end)| {
            let line_start = source[..start].rfind('\n').map_or(0, |newline| newline + 1);
            let is_statement = source[line_start..start].trim().is_empty();
            let command = source.get(start..end).filter(|_| is_statement)?;
            Some((start, as_statement(command)?))
        })
        .collect()
}

/// What stands before the statement of a command, as long as what stood there.
fn as_statement(command: &str) -> Option<String> {
    let length = statement_of_command(command)?;
    Some(format!("pass;{}", " ".repeat(length.checked_sub("pass;".len())?)))
}

fn is_shallow(source: &str) -> bool {
    let nesting = nesting::scan(source, 0);
    nesting.deepest <= DEEPEST && nesting.refused.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(source: &str) -> String {
        with_plain_commands(source, &[Range { start: 0, end: source.len() as u32 }]).into_owned()
    }

    #[test]
    fn commands_are_read_as_the_statements_that_they_run() {
        assert_eq!(changed("torch.*Tensor?\ny = 1\n"), "#             \ny = 1\n");
        // The parser reads this one as the command that it is.
        assert_eq!(changed("?*_like"), "?*_like");
        assert_eq!(changed("text = \"\"\"\nwhat*?\n\"\"\"\n"), "text = \"\"\"\nwhat*?\n\"\"\"\n");
        assert_eq!(
            changed("x = 1\n%time z = 3\nif x:\n    %prun w = f(5)\n"),
            "x = 1\npass; z = 3\nif x:\n    pass; w = f(5)\n"
        );
        assert_eq!(changed("time q = 1"), "pass;q = 1");
        for same in ["%time", "%timeit f()", "x = %time f()", "t = '''\n%time z = 3\n'''", "%time for x in y: z = x"] {
            assert_eq!(changed(same), same);
        }
    }

    #[test]
    fn lines_that_are_no_python_are_commands() {
        assert_eq!(changed("pip install foo"), "%ip install foo");
        assert_eq!(changed("\n\ncd ..\n"), "\n\n%d ..\n");
        for same in ["ls -la", "cd ..\nx = 1", "# Go up\ncd ..", "cat", "pip = 3", "time.sleep(3)", "dog foo.txt"] {
            assert_eq!(changed(same), same);
        }
    }
}
