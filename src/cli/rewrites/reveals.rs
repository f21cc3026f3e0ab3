//! Checks a rewrite by what lives on after the edited statement: `reveal_type(…)` in a line behind it, of the program
//! as it is and of the program as it would be.

use std::collections::{BTreeMap, BTreeSet};

use harp_corpus::{Replacement, SourceFile, Span};
use harp_python::ir::{Expr, ExprKind, Module, Range, Stmt, StmtKind};
use harp_python::name::Name;
use harp_python::{blocks_of, enclosing, names_in, parse_module};
use harp_report::Edit;

use super::placing::{is_appended, line_break};

/// What is asked behind a line: the line's indentation, and variables.
pub type Questions = BTreeMap<u32, (String, BTreeSet<String>)>;

/// Adds what to ask behind the statements in which some places lie.
pub fn ask(file: &SourceFile, module: &Module, places: impl Iterator<Item = Span>, questions: &mut Questions) {
    for place in places {
        // What is inserted stands before the indentation of the statement behind it.
        let line = file.text.get(place.start as usize..).unwrap_or("");
        let blanks = if place.start == place.end { line.len() - line.trim_start().len() } else { 0 };
        let range = Range { start: place.start + blanks as u32, end: place.end + blanks as u32 };
        let Some(statement) = enclosing(module, range).statement else { continue };
        let mut variables = BTreeSet::new();
        assigned(file, statement, &mut variables);
        let (first, last) = (file.line(statement.range.start as usize), file.line(statement.range.end as usize));
        let before = &file.text[first.start..(statement.range.start as usize).max(first.start)];
        let after = file.text.get(statement.range.end as usize..last.end).unwrap_or("").trim_start();
        let is_alone = before.trim().is_empty() && (after.is_empty() || after.starts_with('#'));
        if let (false, true, Ok(end)) = (variables.is_empty(), is_alone, u32::try_from(last.end)) {
            questions.entry(end).or_insert_with(|| (before.to_owned(), BTreeSet::new())).1.append(&mut variables);
        }
    }
}

/// Adds what to ask behind lines that are appended to a statement: what they give values to.
pub fn ask_behind(file: &SourceFile, edit: &Edit, questions: &mut Questions) {
    let text = edit.replacement.trim_start_matches(['\n', '\r']);
    let indentation = &text[..text.len() - text.trim_start().len()];
    let lines: Vec<&str> = text.lines().map(str::trim_start).collect();
    let parsed = parse_module(file.id, Name::new("module"), false, &lines.join("\n"));
    let (_, names) = names_in(&parsed.module, Range { start: 0, end: u32::MAX });
    let asked = questions.entry(edit.span.start).or_insert_with(|| (indentation.to_owned(), BTreeSet::new()));
    asked.1.extend(names.iter().map(|name| name.as_str().to_owned()));
}

/// Where something is asked in a statement that a rewrite appends lines to, right behind what it edits there: the lines may be needed for the answer
/// to be what it was.
pub fn answered_later(file: &SourceFile, module: &Module, edits: &[Edit]) -> BTreeSet<u32> {
    let Some(end) = edits.iter().filter(|edit| is_appended(edit)).map(|edit| edit.span.start).max() else {
        return BTreeSet::new();
    };
    let before = edits.iter().filter(|edit| !is_appended(edit) && edit.span.start < end);
    let mut questions = Questions::new();
    ask(file, module, before.map(|edit| edit.span), &mut questions);
    questions.into_keys().filter(|at| *at < end).collect()
}

/// The lines that ask.
pub fn insertions(file: &SourceFile, questions: &Questions) -> Vec<Replacement> {
    let line_break = line_break(file);
    let insertion = |(at, (indentation, variables)): (&u32, &(String, BTreeSet<String>))| {
        let lines = variables.iter().map(|variable| format!("{line_break}{indentation}reveal_type({variable})"));
        Replacement { start: *at, end: *at, text: lines.collect() }
    };
    questions.iter().map(insertion).collect()
}

/// What a statement gives values to: its targets, and of a compound statement the objects whose items and attributes are set in it. What names
/// mean that it assigns shows where they are used.
fn assigned(file: &SourceFile, statement: &Stmt, variables: &mut BTreeSet<String>) {
    match &statement.kind {
        StmtKind::Assign { targets, .. } => targets.iter().for_each(|target| add(file, target, true, variables)),
        StmtKind::AnnotatedAssign { target, .. } | StmtKind::AugmentedAssign { target, .. } => {
            add(file, target, true, variables);
        }
        StmtKind::Function(_) | StmtKind::Class(_) => {}
        _ => {
            let mut left: Vec<&Stmt> = blocks_of(statement).into_iter().flatten().collect();
            while let Some(inner) = left.pop() {
                match &inner.kind {
                    StmtKind::Assign { targets, .. } => {
                        targets.iter().for_each(|target| add(file, target, false, variables));
                    }
                    StmtKind::AugmentedAssign { target, .. } => add(file, target, false, variables),
                    _ => left.extend(blocks_of(inner).into_iter().flatten()),
                }
            }
        }
    }
}

fn add(file: &SourceFile, target: &Expr, with_names: bool, variables: &mut BTreeSet<String>) {
    let shown = |expression: &Expr| file.slice(expression.range.start..expression.range.end).to_owned();
    match &target.kind {
        ExprKind::Name(_) if with_names => {
            variables.insert(shown(target));
        }
        ExprKind::Attribute { .. } if is_plain(target) => {
            variables.insert(shown(target));
        }
        ExprKind::Subscript { value, .. } if is_plain(value) => {
            variables.insert(shown(value));
        }
        ExprKind::Subscript { value, .. } => add(file, value, false, variables),
        ExprKind::Tuple(items) | ExprKind::List(items) => {
            items.iter().for_each(|item| add(file, item, with_names, variables));
        }
        _ => {}
    }
}

/// Names with attributes, which can be asked for without doing anything.
fn is_plain(expression: &Expr) -> bool {
    match &expression.kind {
        ExprKind::Name(_) => true,
        ExprKind::Attribute { value, .. } => is_plain(value),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rewrites::parsed;
    use harp_corpus::{Corpus, FileId, Replacements};

    #[test]
    fn containers_and_targets_are_asked_for() {
        let text = "if c:\n    for i in x:\n        t = b[i]\n        a.b[i], d[0][i] = t, t  # why\n    e = f(a)\n";
        let corpus = Corpus::single("a.py", text);
        let file = &corpus.files[0];
        let (module, _) = parsed(file);
        let mut questions = Questions::new();
        let span = |part: &str| {
            let start = text.find(part).expect("a part") as u32;
            Span::new(FileId(0), start, start + part.len() as u32)
        };
        let places = [span("for i in x:\n        t = b[i]\n        a.b[i], d[0][i] = t, t"), span("f(a)")];
        ask(file, &module, places.into_iter(), &mut questions);
        let asked = Replacements::new(insertions(file, &questions)).and_then(|asked| asked.apply(text));
        let expected = "if c:\n    for i in x:\n        t = b[i]\n        a.b[i], d[0][i] = t, t  # why\n    reveal_type(a.b)\n    \
                        reveal_type(d)\n    e = f(a)\n    reveal_type(e)\n";
        assert_eq!(asked.as_deref(), Some(expected));
    }
}
