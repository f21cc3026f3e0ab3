//! Checks a rewrite's names: whether those in new code mean something where they are used, and whether those that it
//! makes are free.

use std::collections::BTreeSet;

use harp_corpus::{Replacements, SourceFile};
use harp_interp::values::builtin_names;
use harp_python::ir::{Module, Range};
use harp_python::name::Name;
use harp_python::{SyntaxError, comments_in, enclosing, names_in};
use harp_report::Edit;

use super::{parsed_text, replacements};

/// Names that rewrites bind, each with where its scope begins.
pub type Bound = BTreeSet<(u32, Name)>;

/// Names are numbered up to this where several rewrites of one scope use the same.
const MOST_OF_ONE_NAME: usize = 50;

/// The edits as replacements, with the names that they bind anew. Where rewrites that were shown before use these, the edits get others: whoever makes
/// several rewrites needs them apart.
pub fn apart(
    file: &SourceFile,
    before: &Module,
    edits: &mut [Edit],
    taken: &Bound,
) -> Result<(Replacements, Bound), &'static str> {
    let all = replacements(edits)?;
    let bound = bound_anew(file, before, &all)?;
    if bound.is_disjoint(taken) {
        return Ok((all, bound));
    }
    for number in 2..=MOST_OF_ONE_NAME {
        let mut others = edits.to_vec();
        for edit in &mut others {
            for (_, name) in &bound {
                edit.replacement = with_word_replaced(&edit.replacement, name.as_str(), &format!("{name}_{number}"));
            }
        }
        let all = replacements(&others)?;
        let renamed = bound_anew(file, before, &all)?;
        if renamed.is_disjoint(taken) {
            edits.clone_from_slice(&others);
            return Ok((all, renamed));
        }
    }
    Err("other rewrites use the same name")
}

fn with_word_replaced(text: &str, word: &str, new: &str) -> String {
    let (mut replaced, mut left) = (String::new(), text);
    while let Some(at) = find_word(left, word) {
        let is_attribute = left[..at].ends_with('.');
        replaced.push_str(&left[..at]);
        replaced.push_str(if is_attribute { word } else { new });
        left = &left[at + word.len()..];
    }
    replaced + left
}

/// The names that the new texts bind and the replaced ones did not, each with where its scope begins. What is wrong, where the edited file does not parse,
/// where a name that they read is bound in no scope around, and where one that they bind is used in its scope already. In which order things run is
/// seen when the program is executed.
pub fn bound_anew(file: &SourceFile, before: &Module, edits: &Replacements) -> Result<Bound, &'static str> {
    let text = edits.apply(&file.text).ok_or("it lies outside of the file")?;
    let (module, errors) = parsed_text(file, &text, file.edited_cells(edits).as_deref());
    let whole = Range { start: 0, end: u32::try_from(text.len()).unwrap_or(u32::MAX) };
    let (_, in_module) = names_in(&module, whole);
    let code = without_comments(&text);
    let mut bound = Bound::new();
    for (start, edit) in edits.placed() {
        let new = Range { start, end: start + edit.text.len() as u32 };
        let around = enclosing(&module, content(&text, new));
        let (read, assigned) = names_in(&module, new);
        let is_local = |name: Name| around.functions.iter().any(|function| function.is_local(name));
        let exists =
            |name: &Name| is_local(*name) || binds(&text, &in_module, *name) || builtin_names::lookup(*name).is_some();
        let scope = around.scope(whole);
        let is_free = |name: &Name| {
            first_mention(&code, scope, *name, edits).is_none_or(|at| new.end <= at && is_same_line(&code, at, new))
        };
        // What is appended to a statement may give another value to a variable that is there; which one is seen when the program is executed.
        let is_there = |name: Name| {
            edit.is_behind_statement() && first_mention(&code, scope, name, edits).is_some_and(|at| at < start)
        };
        let anew = assigned.into_iter().filter(|name| !is_bound_by_replaced(before, edits, *name) && !is_there(*name));
        let anew: Vec<Name> = anew.collect();
        if !read.iter().all(exists) {
            return Err("it reads a name that is not there");
        }
        if !anew.iter().all(is_free) {
            return Err("it assigns a name that is in use");
        }
        let start_of_scope = around.functions.last().map_or(0, |function| function.range.start);
        bound.extend(anew.into_iter().map(|name| (start_of_scope, name)));
    }
    if errors.is_empty() || is_as_wrong(file, &errors, edits) {
        Ok(bound)
    } else {
        Err("it is not Python where it stands")
    }
}

/// Whether the text was no Python before in the same ways, and none of them is in a text that is new.
fn is_as_wrong(file: &SourceFile, errors: &[SyntaxError], edits: &Replacements) -> bool {
    let is_within = |error: &SyntaxError| {
        edits
            .placed()
            .any(|(start, edit)| error.range.start <= start + edit.text.len() as u32 && start <= error.range.end)
    };
    let (_, before) = parsed_text(file, &file.text, file.cells.as_deref());
    let messages = |errors: &[SyntaxError]| {
        let mut messages: Vec<String> = errors.iter().map(|error| error.message.clone()).collect();
        messages.sort();
        messages
    };
    messages(errors) == messages(&before) && !errors.iter().any(is_within)
}

/// The range without the blanks around it, so that it lies within statements.
fn content(text: &str, range: Range) -> Range {
    let part = text.get(range.start as usize..range.end as usize).unwrap_or("");
    let start = range.start + (part.len() - part.trim_start().len()) as u32;
    Range { start, end: start + part.trim().len() as u32 }
}

/// Whether a module binds the name outside of the functions that do not see each other's names; a star import may bring any.
fn binds(text: &str, assigned: &[Name], name: Name) -> bool {
    let word = name.as_str();
    let is_import = |line: &str| {
        let line = line.trim_start();
        (line.starts_with("import ") || line.starts_with("from ")) && has_word(line, word)
    };
    assigned.contains(&name)
        || text.contains("import *")
        || text.lines().any(|line| {
            is_import(line)
                || ["def ", "class "]
                    .iter()
                    .any(|start| line.trim_start().strip_prefix(start).is_some_and(|rest| rest.starts_with(word)))
        })
}

/// Whether what is replaced gave the name a value.
fn is_bound_by_replaced(before: &Module, edits: &Replacements, name: Name) -> bool {
    edits.iter().filter(|edit| edit.start < edit.end).any(|edit| {
        let (_, assigned) = names_in(before, Range { start: edit.start, end: edit.end });
        assigned.contains(&name)
    })
}

/// The text with blanks in place of its comments.
fn without_comments(text: &str) -> String {
    let mut code = text.to_owned();
    for comment in comments_in(text) {
        let range = comment.start as usize..comment.end as usize;
        code.replace_range(range.clone(), &" ".repeat(range.len()));
    }
    code
}

/// Where the scope has the word first, outside of the new texts.
fn first_mention(text: &str, scope: Range, name: Name, edits: &Replacements) -> Option<u32> {
    let mut left = scope.start;
    let mut rest: Vec<(u32, u32)> = Vec::new();
    for (start, edit) in edits.placed() {
        rest.push((left, start.min(scope.end)));
        left = left.max(start + edit.text.len() as u32);
    }
    rest.push((left, scope.end));
    rest.into_iter().find_map(|(start, end)| {
        let part = text.get(start as usize..end as usize)?;
        find_word(part, name.as_str()).map(|at| start + at as u32)
    })
}

/// Whether the line around a place is also one of the new text: the variable gets earlier what it gets there, and nothing reads it before.
fn is_same_line(text: &str, at: u32, new: Range) -> bool {
    let start = text[..at as usize].rfind('\n').map_or(0, |line_break| line_break + 1);
    let line = text[start..].lines().next().unwrap_or("").trim();
    text.get(new.start as usize..new.end as usize).unwrap_or("").lines().any(|other| other.trim() == line)
}

fn find_word(text: &str, word: &str) -> Option<usize> {
    let is_part = |character: char| character.is_alphanumeric() || character == '_';
    let is_word = |at: &usize| !text[..*at].ends_with(is_part) && !text[at + word.len()..].starts_with(is_part);
    text.match_indices(word).map(|(at, _)| at).find(is_word)
}

fn has_word(text: &str, word: &str) -> bool {
    find_word(text, word).is_some()
}
