//! Parses Python with recovery: every text yields a syntax tree, and a list of what was wrong with it.

use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};

use ruff_python_ast::token::{Token, TokenKind};
use ruff_python_ast::{Mod, PythonVersion, Stmt};
use ruff_python_parser::{Mode, ParseError, ParseOptions, Parsed, parse_cells_unchecked, parse_unchecked};
use ruff_text_size::{Ranged, TextRange, TextSize};

use crate::harp_comments::{self, Remark};
use crate::ir::{Module, Python2, Range};
use crate::lower::{LoweredModule, lower_module};
use crate::name::Name;
use crate::nesting::{self, Nesting, Refused};
use crate::plain_commands::with_plain_commands;
use crate::python_2;
use harp_corpus::FileId;
use harp_limits::note_memory;

/// Trees deeper than this are handled on a thread with a large stack.
const ORDINARY_DEPTH: u32 = 60;
const LARGE_STACK: usize = 256 << 20;
/// A file with more tokens holds data; its tree would take gigabytes.
const MOST_TOKENS: usize = 2_000_000;
/// A file that is no Python at all would otherwise yield one error a line.
const MAX_ERRORS: usize = 20;
/// How many errors of the parser are looked at.
const MAX_PARSE_ERRORS: usize = 100_000;

/// A module and the syntax errors found in it, in the order of the text.
#[derive(Debug)]
pub struct ParsedModule {
    /// What could be parsed.
    pub module: Module,
    /// Empty where all of the text could be parsed.
    pub errors: Vec<SyntaxError>,
}

/// A place that is left out of the tree, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// Where the text goes wrong; it may be empty.
    pub range: Range,
    /// For the user, without the place.
    pub message: String,
    /// Whether it may well be Python, but goes beyond what is followed here.
    pub is_limit: bool,
}

impl SyntaxError {
    /// A mistake in the text.
    pub fn new(range: Range, message: impl Into<String>) -> SyntaxError {
        SyntaxError { range, message: message.into(), is_limit: false }
    }

    /// Code that Python accepts, or may accept, and that is left out because of its size.
    pub fn limit(range: Range, message: impl Into<String>) -> SyntaxError {
        SyntaxError { is_limit: true, ..SyntaxError::new(range, message) }
    }
}

/// A module that is not parsed, for a reason that lies not in its file.
pub fn left_out(file: FileId, name: Name, is_package: bool, reason: &str) -> ParsedModule {
    ParsedModule {
        module: Module::empty(file, name, is_package),
        errors: vec![SyntaxError { is_limit: true, ..error_at(0, reason) }],
    }
}

/// Parses a Python file. What cannot be parsed is left out of the tree and reported, at most one error a line.
pub fn parse_module(file: FileId, name: Name, is_package: bool, text: &str) -> ParsedModule {
    parse(file, name, is_package, text, &Source::File { is_python_2: false })
}

/// The same of a file that is known to be of Python 2, since one that has its statements imports it.
pub(crate) fn parse_python_2(file: FileId, name: Name, is_package: bool, text: &str) -> ParsedModule {
    parse(file, name, is_package, text, &Source::File { is_python_2: true })
}

/// Parses the concatenated cells of a notebook. Each cell (a range that excludes the line break before the next one) is parsed
/// alone, so that a broken cell does not break the next; IPython's `%` and `!` commands are allowed.
pub fn parse_notebook(file: FileId, name: Name, text: &str, cells: &[Range]) -> ParsedModule {
    parse(file, name, false, text, &Source::Cells(cells))
}

enum Source<'a> {
    File { is_python_2: bool },
    Cells(&'a [Range]),
}

fn parse(file: FileId, name: Name, is_package: bool, text: &str, source: &Source<'_>) -> ParsedModule {
    let empty = || Module::empty(file, name, is_package);
    if u32::try_from(text.len()).is_err() {
        return left_out(file, name, is_package, "file too large to parse");
    }
    let text = match source {
        Source::File { .. } => Cow::Borrowed(text),
        Source::Cells(cells) => with_plain_commands(text, cells),
    };
    let nesting = scan(&text, source);
    if nesting.tokens > MOST_TOKENS {
        let message = format!("this file has more than {MOST_TOKENS} tokens, and is not followed");
        return left_out(file, name, is_package, &message);
    }
    let mut errors = refusals(&nesting);
    let text = without_refused(&text, &nesting);
    let lowered = on_sufficient_stack(nesting.deepest, || parse_and_lower(file, &text, source));
    let Some((lowered, parse_errors)) = lowered else {
        errors.push(error_at(0, "the parser failed on this file"));
        return ParsedModule { module: empty(), errors };
    };
    errors.extend(parse_errors);
    errors.extend(lowered.errors);
    let Lowered { module: LoweredModule { body, has_main_guard, .. }, remarks, python_2, .. } = lowered;
    ParsedModule {
        module: Module { file, name, is_package, body, has_main_guard, remarks, python_2 },
        errors: one_error_a_line(&text, errors),
    }
}

fn error_at(offset: u32, message: &str) -> SyntaxError {
    SyntaxError::new(Range { start: offset, end: offset }, message)
}

fn scan(text: &str, source: &Source<'_>) -> Nesting {
    let Source::Cells(cells) = source else { return nesting::scan(text, 0) };
    let mut whole = Nesting { deepest: 0, refused: Vec::new(), tokens: 0 };
    for cell in *cells {
        let Some(upto) = text.get(..cell.end as usize) else { continue };
        let part = nesting::scan(upto, cell.start as usize);
        whole.deepest = whole.deepest.max(part.deepest);
        whole.refused.extend(part.refused);
        whole.tokens += part.tokens;
    }
    whole
}

fn refusals(nesting: &Nesting) -> Vec<SyntaxError> {
    let mut errors: Vec<SyntaxError> = Vec::new();
    let mut previous: Option<&Refused> = None;
    for refused in &nesting.refused {
        // One message for a run of lines.
        let continues =
            previous.is_some_and(|line| line.reason == refused.reason && refused.range.start <= line.range.end + 2);
        previous = Some(refused);
        if !continues {
            let is_limit = refused.reason == nesting::TOO_DEEP;
            errors.push(SyntaxError { is_limit, ..SyntaxError::new(refused.place, refused.reason) });
        }
    }
    errors
}

/// The text with every refused line replaced by `pass` and blanks, so that all offsets stay as they are.
fn without_refused<'a>(text: &'a str, nesting: &Nesting) -> Cow<'a, str> {
    if nesting.refused.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut kept = String::with_capacity(text.len());
    let mut position = 0;
    for refused in &nesting.refused {
        let (start, end) = (refused.range.start as usize, refused.range.end as usize);
        kept.push_str(&text[position..start]);
        let line = &text[start..end];
        let indentation = line.len() - line.trim_start().len();
        let statement = if line.len() - indentation >= 4 { "pass" } else { "" };
        kept.push_str(&line[..indentation]);
        kept.push_str(statement);
        kept.extend(std::iter::repeat_n(' ', line.len() - indentation - statement.len()));
        position = end;
    }
    kept.push_str(&text[position..]);
    Cow::Owned(kept)
}

/// Runs `work`, on a thread with a large stack where the tree is deep. `None` if it panicked.
fn on_sufficient_stack<T: Send>(depth: u32, work: impl FnOnce() -> T + Send) -> Option<T> {
    let guarded = AssertUnwindSafe(work);
    if depth <= ORDINARY_DEPTH {
        return catch_unwind(guarded).ok();
    }
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(LARGE_STACK).spawn_scoped(scope, move || {
            let guarded = guarded;
            let result = catch_unwind(guarded).ok();
            note_memory();
            result
        });
        thread.ok()?.join().ok().flatten()
    })
}

struct Lowered {
    module: LoweredModule,
    remarks: Vec<Remark>,
    errors: Vec<SyntaxError>,
    python_2: Option<Python2>,
}

fn parse_and_lower(file: FileId, text: &str, source: &Source<'_>) -> (Lowered, Vec<SyntaxError>) {
    let (mut rewritten, mut only_python_2) = (None, None);
    let (body, errors, comments) = match source {
        Source::File { is_python_2 } => {
            let (mut parsed, mut errors) = parse_file(text);
            only_python_2 = errors.iter().find_map(|error| python_2::statement_at(text, error.range.start as usize));
            if only_python_2.is_some() || (*is_python_2 && !parsed.tokens().iter().any(only_python_3_has)) {
                let again = rewritten.insert(python_2::rewrite(text));
                (parsed, errors) = parse_file(&again.text);
            }
            let comments = comments(text, parsed.tokens());
            let body = parsed.into_syntax().module().map(|module| module.body).unwrap_or_default();
            (body, errors, comments)
        }
        Source::Cells(cells) => {
            let options = ParseOptions::from(Mode::Ipython).with_target_version(PythonVersion::latest());
            let ranges = cells.iter().map(|cell| TextRange::new(TextSize::new(cell.start), TextSize::new(cell.end)));
            let parsed = parse_cells_unchecked(text, ranges, &options);
            let errors = syntax_errors(parsed.errors());
            let comments = comments(text, parsed.tokens());
            (parsed.into_syntax().body, errors, comments)
        }
    };
    let divides_whole = !body.iter().any(|statement| imports_from_future(statement, "division"));
    let python_2 = rewritten.as_ref().map(|_| Python2 { statement: only_python_2, divides_whole });
    let prints = rewritten.as_ref().map(|rewritten| &*rewritten.prints);
    let mut module = lower_module(file, text, &body, &errors, prints);
    if module.exceeded_depth {
        // The scan of the nesting was misled by broken syntax; the destructor of this tree would recurse as deep.
        std::mem::forget(body);
    }
    let lowering_errors = std::mem::take(&mut module.errors);
    let remarks = harp_comments::remarks(text, comments.into_iter(), &module.body);
    (Lowered { module, remarks, errors: lowering_errors, python_2 }, errors)
}

fn parse_file(text: &str) -> (Parsed<Mod>, Vec<SyntaxError>) {
    let parsed = parse_unchecked(text, ParseOptions::from(Mode::Module).with_target_version(PythonVersion::latest()));
    let errors = syntax_errors(parsed.errors());
    (parsed, errors)
}

fn only_python_3_has(token: &Token) -> bool {
    use TokenKind::{Async, Await, ColonEqual, FStringStart, Nonlocal, Rarrow};
    matches!(token.kind(), Async | Await | ColonEqual | FStringStart | Nonlocal | Rarrow)
}

fn imports_from_future(statement: &Stmt, feature: &str) -> bool {
    let Stmt::ImportFrom(import) = statement else { return false };
    let is_future = import.module.as_ref().is_some_and(|module| module.as_str() == "__future__");
    is_future && import.names.iter().any(|alias| alias.name.as_str() == feature)
}

/// The comments in a piece of a program, which need not be whole statements.
pub fn comments_in(code: &str) -> Vec<Range> {
    if !code.contains('#') {
        return Vec::new();
    }
    let parsed = parse_unchecked(code, ParseOptions::from(Mode::Module).with_target_version(PythonVersion::latest()));
    ranges_of_comments(parsed.tokens())
}

/// The comments of a text that may speak to Harp.
fn comments(text: &str, tokens: &[Token]) -> Vec<Range> {
    if !harp_comments::may_have_remarks(text) {
        return Vec::new();
    }
    ranges_of_comments(tokens)
}

fn ranges_of_comments(tokens: &[Token]) -> Vec<Range> {
    let comments = tokens.iter().filter(|token| token.kind() == TokenKind::Comment).map(Ranged::range);
    comments.map(|range| Range { start: range.start().to_u32(), end: range.end().to_u32() }).collect()
}

fn syntax_errors(errors: &[ParseError]) -> Vec<SyntaxError> {
    let convert = |error: &ParseError| {
        let range = Range { start: error.range().start().to_u32(), end: error.range().end().to_u32() };
        SyntaxError::new(range, error.error.to_string())
    };
    errors.iter().take(MAX_PARSE_ERRORS).map(convert).collect()
}

/// Sorts the errors and keeps the first of each line: what follows on the line is mostly its consequence.
fn one_error_a_line(text: &str, mut errors: Vec<SyntaxError>) -> Vec<SyntaxError> {
    errors.sort_by_key(|error| error.range);
    let mut kept: Vec<SyntaxError> = Vec::new();
    let mut previous_start = None;
    let mut omitted = 0;
    for error in errors {
        let start = error.range.start;
        let between = previous_start.and_then(|previous| text.as_bytes().get(previous as usize..start as usize));
        if between.is_some_and(|bytes| !bytes.contains(&b'\n')) {
            continue;
        }
        previous_start = Some(start);
        if kept.len() < MAX_ERRORS {
            kept.push(error);
        } else {
            omitted += 1;
        }
    }
    if let Some(last) = kept.last_mut().filter(|_| omitted > 0) {
        last.message.push_str(&format!(" ({omitted} more syntax errors follow in this file)"));
    }
    kept
}
