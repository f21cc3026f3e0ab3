//! Places a rewrite: turns what a rule says into replacements of text, with whole lines, their indentation, and
//! comments that would be lost.

use harp_corpus::{Corpus, SourceFile, Span};
use harp_datalog::{EditKind, EditRow};
use harp_python::ir::{ExprKind, Range, StmtKind};
use harp_python::{comments_in, enclosing};
use harp_report::Edit;

use super::{parsed, replacement};

/// The replacements that a row stands for.
pub struct Placed {
    /// All in one file.
    pub edits: Vec<Edit>,
    /// What is lost by them, as clauses.
    pub losses: Vec<String>,
}

/// The replacements of a row; `None` where they cannot be made in the text as it is written: a statement that shares its line with others, a
/// place in a file of somebody else, or in several files.
pub fn place(rows: &[EditRow], place: impl Fn(&str) -> Option<Span>, corpus: &Corpus) -> Option<Placed> {
    if let Some(placed) = place_instead_of_loop(rows, &place, corpus) {
        return Some(placed);
    }
    let mut placed = Placed { edits: Vec::new(), losses: Vec::new() };
    for row in rows {
        let span = place(&row.place)?;
        let file = corpus.file(span.file).filter(|_| !corpus.is_foreign(span.file))?;
        match row.kind {
            EditKind::InsertBefore if row.text.is_empty() => {}
            EditKind::InsertBefore => {
                placed.edits.push(inserted(file, span, &row.text)?);
                let replaced = rows.iter().filter(|row| row.kind == EditKind::Replace);
                let replaced = replaced.map(|row| place(&row.place)).collect::<Option<Vec<Span>>>()?;
                for dead in dead_definitions(file, span, &row.text, replaced) {
                    placed.edits.push(removed(file, dead, true)?);
                }
            }
            EditKind::InsertAfter | EditKind::Wrap if row.text.is_empty() => {}
            EditKind::Wrap => placed.edits.push(wrapped(file, span, &row.text)?),
            EditKind::InsertAfter => placed.edits.push(appended(file, span, &row.text)?),
            EditKind::Replace => {
                placed.losses.extend(lost_comments(file, span, &row.text));
                placed.edits.push(replaced(file, span, &row.text)?);
            }
        }
    }
    // A rule that edits up to so many places names one of them again where there are fewer, or leaves what stands there as it is.
    let mut seen: Vec<Edit> = Vec::new();
    let spans: Vec<Span> = placed.edits.iter().map(|edit| edit.span).collect();
    placed.edits.retain(|edit| {
        let is_within = |span: &Span| *span != edit.span && span.start <= edit.span.start && edit.span.end <= span.end;
        let is_same = corpus.file(edit.span.file).is_some_and(|file| {
            let there = file.slice(edit.span.start..edit.span.end);
            edit.replacement.split_whitespace().eq(there.split_whitespace()) && spans.iter().any(is_within)
        });
        let is_new = !is_same && !seen.contains(edit);
        seen.push(edit.clone());
        is_new
    });
    let first = placed.edits.first()?.span.file;
    placed.edits.iter().all(|edit| edit.span.file == first).then_some(placed)
}

/// Where the only statement of a loop moves before it, it stands in place of the loop, of which nothing is left.
fn place_instead_of_loop(rows: &[EditRow], place: impl Fn(&str) -> Option<Span>, corpus: &Corpus) -> Option<Placed> {
    let [one, other] = rows else { return None };
    let is_insertion = |row: &EditRow| row.kind == EditKind::InsertBefore;
    let (moved, gone) = if is_insertion(one) { (one, other) } else { (other, one) };
    if !is_insertion(moved) || gone.kind != EditKind::Replace || !gone.text.is_empty() {
        return None;
    }
    let (whole, statement) = (place(&moved.place)?, place(&gone.place)?);
    let file = corpus.file(whole.file).filter(|_| !corpus.is_foreign(whole.file))?;
    let (module, _) = parsed(file);
    let StmtKind::For { target, iterable, body, orelse } =
        &enclosing(&module, Range { start: whole.start, end: whole.end }).statement?.kind
    else {
        return None;
    };
    let [only] = &body[..] else { return None };
    let is_it = only.range == Range { start: statement.start, end: statement.end };
    let (ExprKind::Name(target), ExprKind::Call(call)) = (&target.kind, &iterable.kind) else { return None };
    let is_range = matches!(&call.function.kind, ExprKind::Name(name) if name.as_str() == "range");
    let rest = [file.slice(0..whole.start), file.slice(whole.end..file.text.len() as u32), &moved.text];
    if !is_it || !is_range || !orelse.is_empty() || rest.iter().any(|text| has_word(text, target.as_str())) {
        return None;
    }
    let losses = lost_comments(file, whole, &moved.text).into_iter().collect();
    Some(Placed { edits: vec![replaced(file, whole, &moved.text)?], losses })
}

/// Assignments of a block that an insertion before it repeats, and that nothing reads any more but what is replaced.
fn dead_definitions(file: &SourceFile, block: Span, inserted: &str, replaced: Vec<Span>) -> Vec<Span> {
    let lines: Vec<&str> = inserted.lines().collect();
    let Some((_, definitions)) = lines.split_last() else { return Vec::new() };
    let (mut gone, mut dead) = (replaced, Vec::new());
    for definition in definitions.iter().rev() {
        let Some((name, _)) = definition.split_once(" = ") else { continue };
        let mut places = file.slice(block.start..block.end).match_indices(definition);
        let (Some((at, _)), None) = (places.next(), places.next()) else { continue };
        let start = block.start + at as u32;
        let place = Span { start, end: start + definition.len() as u32, ..block };
        let line = file.line(start as usize);
        if file.text.get(line.start..line.end).map(str::trim) != Some(*definition) {
            continue;
        }
        let mut rest = gone.clone();
        rest.push(place);
        rest.sort_by_key(|span| span.start);
        let ends = rest.iter().map(|span| span.start).chain([file.text.len() as u32]);
        let starts = [0].into_iter().chain(rest.iter().map(|span| span.end));
        if !starts.zip(ends).any(|(start, end)| start < end && has_word(file.slice(start..end), name)) {
            gone.push(place);
            dead.push(place);
        }
    }
    dead
}

fn has_word(text: &str, word: &str) -> bool {
    text.split(|char: char| !char.is_alphanumeric() && char != '_').any(|other| other == word)
}

/// Lines of their own before the line in which the place begins, which must begin with it.
fn inserted(file: &SourceFile, span: Span, text: &str) -> Option<Edit> {
    let line = file.line(span.start as usize);
    let indentation = file.text.get(line.start..span.start as usize)?;
    if !indentation.trim().is_empty() {
        return None;
    }
    let line_break = line_break(file);
    let lines = text.lines().map(|line| format!("{indentation}{line}{line_break}"));
    let start = u32::try_from(line.start).ok()?;
    Some(Edit { span: Span { start, end: start, ..span }, replacement: lines.collect() })
}

/// Lines of their own behind the line in which the statement ends; it must stand in lines of its own.
fn appended(file: &SourceFile, span: Span, text: &str) -> Option<Edit> {
    let (first, last) = (file.line(span.start as usize), file.line(span.end as usize));
    let indentation = file.text.get(first.start..span.start as usize)?;
    let rest = file.text.get(span.end as usize..last.end)?.trim_start();
    if !indentation.trim().is_empty() || !(rest.is_empty() || rest.starts_with('#')) {
        return None;
    }
    let line_break = line_break(file);
    let lines = text.lines().map(|line| format!("{line_break}{indentation}{line}"));
    let end = u32::try_from(last.end).ok()?;
    Some(Edit { span: Span { start: end, end, ..span }, replacement: lines.collect() })
}

/// The statement below a line that opens a block. What strings hold is not indented, so that there must be none over several lines.
fn wrapped(file: &SourceFile, span: Span, header: &str) -> Option<Edit> {
    let (first, last) = (file.line(span.start as usize), file.line(span.end as usize));
    let indentation = file.text.get(first.start..span.start as usize)?;
    let rest = file.text.get(span.end as usize..last.end)?.trim_start();
    let text = file.slice(span.start..span.end);
    let is_alone = indentation.trim().is_empty() && (rest.is_empty() || rest.starts_with('#'));
    if !is_alone || text.contains("\"\"\"") || text.contains("'''") || text.contains("\\\n") || text.contains("\\\r") {
        return None;
    }
    let deeper = if indentation.contains('\t') { "\t" } else { "    " };
    let line_break = line_break(file);
    let lines = text.lines().enumerate().map(|(number, line)| match (number, line.trim()) {
        (_, "") => line_break.to_owned(),
        (0, _) => format!("{line_break}{indentation}{deeper}{line}"),
        _ => format!("{line_break}{deeper}{line}"),
    });
    Some(Edit { span, replacement: std::iter::once(header.to_owned()).chain(lines).collect() })
}

/// Whether an edit is lines behind a statement.
pub fn is_appended(edit: &Edit) -> bool {
    replacement(edit).is_behind_statement()
}

fn replaced(file: &SourceFile, span: Span, text: &str) -> Option<Edit> {
    let (first, last) = (file.line(span.start as usize), file.line(span.end as usize));
    let before = file.text.get(first.start..span.start as usize)?;
    let after = file.text.get(span.end as usize..last.end)?.trim_start();
    if !text.is_empty() && !text.contains('\n') {
        return Some(Edit { span, replacement: text.to_owned() });
    }
    // What takes whole lines, or leaves none, needs them for itself.
    if !before.trim().is_empty() || !(after.is_empty() || after.starts_with('#')) {
        return None;
    }
    if text.is_empty() {
        return removed(file, span, after.is_empty());
    }
    let line_break = format!("{}{before}", line_break(file));
    Some(Edit { span, replacement: text.lines().collect::<Vec<_>>().join(&line_break) })
}

/// A statement that goes: with its lines, unless something else is left there, or nothing is left of the block.
fn removed(file: &SourceFile, span: Span, is_line_empty: bool) -> Option<Edit> {
    let (module, _) = parsed(file);
    let range = Range { start: span.start, end: span.end };
    let around = enclosing(&module, range);
    if around.statement.is_none_or(|statement| statement.range != range) {
        return None;
    }
    // A loop that does nothing any more is no program that somebody would write.
    if around.siblings == 0 && around.is_in_loop {
        return None;
    }
    if around.siblings == 0 || !is_line_empty {
        return Some(Edit { span, replacement: "pass".to_owned() });
    }
    let line = file.line(span.start as usize);
    let cell_start = file.cell_at(span.start).map_or(0, |cell| cell.start as usize);
    let start = match line.start.checked_sub(1).filter(|_| line.start > cell_start) {
        Some(before) => file.line(before).end.min(before),
        None => line.start,
    };
    let (start, end) = (u32::try_from(start).ok()?, u32::try_from(file.line(span.end as usize).end).ok()?);
    Some(Edit { span: Span { start, end, ..span }, replacement: String::new() })
}

/// The comments in what is replaced that the new text does not have.
fn lost_comments(file: &SourceFile, span: Span, text: &str) -> Option<String> {
    let old = file.slice(span.start..span.end);
    let lost = comments_in(old).into_iter().filter(|comment| {
        let words = old.get(comment.start as usize..comment.end as usize).unwrap_or_default();
        !text.contains(words)
    });
    let lines: Vec<u32> = lost.map(|comment| file.line_column(span.start + comment.start).line).collect();
    match lines[..] {
        [] => None,
        [line] => Some(format!("the comment in line {line} is lost")),
        [first, .., last] => Some(format!("the comments in lines {first} to {last} are lost")),
    }
}

/// How the lines of a file end.
pub fn line_break(file: &SourceFile) -> &'static str {
    let ends_with_both = file.text.find('\n').is_some_and(|at| file.text[..at].ends_with('\r'));
    if ends_with_both { "\r\n" } else { "\n" }
}

#[cfg(test)]
mod tests {
    use super::*;
    use harp_corpus::FileId;

    fn edited(text: &str, part: &str, kind: EditKind, new: &str) -> Option<(String, Vec<String>)> {
        let corpus = Corpus::single("a.py", text);
        let start = text.find(part).expect("a part") as u32;
        let span = Span::new(FileId(0), start, start + part.len() as u32);
        let row = EditRow { kind, place: String::new(), text: new.to_owned() };
        let Placed { edits, losses } = place(&[row], |_| Some(span), &corpus)?;
        let Edit { span, replacement } = &edits[0];
        Some((format!("{}{replacement}{}", &text[..span.start as usize], &text[span.end as usize..]), losses))
    }

    fn text(text: &str, part: &str, kind: EditKind, new: &str) -> Option<String> {
        edited(text, part, kind, new).map(|(text, _)| text)
    }

    #[test]
    fn lines_keep_their_indentation_and_their_ends() {
        let code = "if x:\r\n    f()  # why\r\n    g()\r\n";
        let replaced = text(code, "f()", EditKind::Replace, "a()\nb()");
        assert_eq!(replaced.as_deref(), Some("if x:\r\n    a()\r\n    b()  # why\r\n    g()\r\n"));
        let inserted = text(code, "g()", EditKind::InsertBefore, "a()\nb()");
        assert_eq!(inserted.as_deref(), Some("if x:\r\n    f()  # why\r\n    a()\r\n    b()\r\n    g()\r\n"));
    }

    #[test]
    fn lines_are_appended_behind_a_statement() {
        let code = "if x:\r\n    for i in y:\r\n        f()  # why\r\n    g()";
        let loop_ = "for i in y:\r\n        f()";
        let appended = text(code, loop_, EditKind::InsertAfter, "a()\nb()");
        let expected = "if x:\r\n    for i in y:\r\n        f()  # why\r\n    a()\r\n    b()\r\n    g()";
        assert_eq!(appended.as_deref(), Some(expected));
        assert_eq!(text("x = 1", "x = 1", EditKind::InsertAfter, "a()").as_deref(), Some("x = 1\na()"));
        assert_eq!(text("if x: f()\n", "f()", EditKind::InsertAfter, "a()"), None);
        assert_eq!(text("f(); g()\n", "f()", EditKind::InsertAfter, "a()"), None);
    }

    #[test]
    fn statements_are_wrapped() {
        let code = "if x:\r\n    y = f(\r\n        a)  # why\r\n";
        let wrapped = text(code, "y = f(\r\n        a)", EditKind::Wrap, "with z:");
        assert_eq!(wrapped.as_deref(), Some("if x:\r\n    with z:\r\n        y = f(\r\n            a)  # why\r\n"));
        assert_eq!(text("\tf()\n", "f()", EditKind::Wrap, "with z:").as_deref(), Some("\twith z:\n\t\tf()\n"));
        assert_eq!(text("f(); g()\n", "f()", EditKind::Wrap, "with z:"), None);
        let with_text = "f(\"\"\"a\nb\"\"\")\n";
        assert_eq!(text(with_text, with_text.trim_end(), EditKind::Wrap, "with z:"), None);
    }

    #[test]
    fn what_goes_leaves_a_block_behind() {
        assert_eq!(
            text("if x:\n    f()\n    g()\n", "f()", EditKind::Replace, "").as_deref(),
            Some("if x:\n    g()\n")
        );
        assert_eq!(text("if x:\n    f()\n", "f()", EditKind::Replace, "").as_deref(), Some("if x:\n    pass\n"));
        assert_eq!(text("f()\ng()", "g()", EditKind::Replace, "").as_deref(), Some("f()"));
        // A loop of `pass` alone is no program that somebody would write.
        assert_eq!(text("for x in y:\n    f()\n", "f()", EditKind::Replace, ""), None);
        assert_eq!(
            text("for x in y:\n    if x:\n        f()\n", "f()", EditKind::Replace, "").as_deref(),
            Some("for x in y:\n    if x:\n        pass\n")
        );
    }

    #[test]
    fn statements_that_share_a_line_stay() {
        assert_eq!(text("if x: f()\n", "f()", EditKind::InsertBefore, "a()"), None);
        assert_eq!(text("f(); g()\n", "f()", EditKind::Replace, "a()\nb()"), None);
        assert_eq!(text("f(); g()\n", "f()", EditKind::Replace, "a()").as_deref(), Some("a(); g()\n"));
    }

    #[test]
    fn lost_comments_are_told() {
        let code = "for i in x:\n    # why\n    f(i)  # how\n";
        let part = code.trim_end();
        let (_, losses) = edited(code, part, EditKind::Replace, "f(x)").expect("an edit");
        assert_eq!(losses, ["the comments in lines 2 to 3 are lost"]);
        let (_, losses) = edited(code, part, EditKind::Replace, "f(x)  # how").expect("an edit");
        assert_eq!(losses, ["the comment in line 2 is lost"]);
    }
}
