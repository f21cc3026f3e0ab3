//! How deeply a file nests, found before it is parsed.
//!
//! A parser, a lowering and a destructor recurse as deep as the tree that they visit. Python itself refuses more than 200 nested
//! brackets and more than 100 levels of indentation, so a statement beyond these is no Python; this scan finds such statements
//! (and chains of thousands of operators) in one pass over the bytes, and the parser never sees them. Nor does it see a
//! statement with a bracket that was never closed, which would take the definitions after it along.

use crate::ir::Range;

/// Python's own limit on nested brackets.
const MAX_BRACKETS: usize = 200;
/// Python's own limit on levels of indentation.
const MAX_INDENTATION: usize = 100;
/// Each bracket left open has the text after it scanned anew, so that a hostile file could take quadratic time.
const MAX_UNCLOSED: usize = 50;
/// The limit on the depth of an expression's tree: every operator, attribute, call and bracket on the way to a leaf.
pub const MAX_EXPRESSION_DEPTH: u32 = 1_000;

/// Why an expression is refused that Python may well accept.
pub(super) const TOO_DEEP: &str = "expression nested too deeply";

/// What the scan of a file found.
pub(super) struct Nesting {
    /// An upper bound on the depth of any expression's tree, in statements that were not refused.
    pub deepest: u32,
    /// The logical lines that nest too deeply, in order.
    pub refused: Vec<Refused>,
    /// About how many tokens the file has.
    pub tokens: usize,
}

/// A logical line that the parser must not see.
pub(super) struct Refused {
    pub range: Range,
    /// Where the message points.
    pub place: Range,
    pub reason: &'static str,
}

/// Scans the part of `text` from byte `start` on.
pub(super) fn scan(text: &str, start: usize) -> Nesting {
    let mut scanner = Scanner {
        bytes: text.as_bytes(),
        position: start,
        line_start: start,
        line_deepest: 0,
        line_problem: None,
        levels: vec![Level { kind: LevelKind::Statement, start, chain: 0 }],
        depth: 0,
        indentation: Vec::new(),
        unclosed: 0,
        nesting: Nesting { deepest: 0, refused: Vec::new(), tokens: 0 },
    };
    scanner.run();
    scanner.nesting
}

/// Keywords that start a statement and occur in no expression.
const STATEMENT_KEYWORDS: [&[u8]; 17] = [
    b"def",
    b"class",
    b"import",
    b"return",
    b"raise",
    b"while",
    b"with",
    b"try",
    b"assert",
    b"elif",
    b"except",
    b"finally",
    b"global",
    b"nonlocal",
    b"del",
    b"break",
    b"continue",
];

/// For each byte whether it is of a kind: most bytes are passed over in runs.
type Kind = [bool; 256];

/// Of an identifier or keyword.
const WORD: Kind = {
    let mut kind = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        kind[byte] = (byte as u8).is_ascii_alphanumeric() || byte == b'_' as usize || byte >= 0x80;
        byte += 1;
    }
    kind
};
/// Of a line of a string, but for quotes and backslashes.
const TEXT: Kind = without(b"'\"\\\n\r");
/// The same in a string of several lines.
const LINES: Kind = without(b"'\"\\");
const COMMENT: Kind = without(b"\n\r");

const fn without(others: &[u8]) -> Kind {
    let mut kind = [true; 256];
    let mut index = 0;
    while index < others.len() {
        kind[others[index] as usize] = false;
        index += 1;
    }
    kind
}

struct Scanner<'a> {
    bytes: &'a [u8],
    position: usize,
    /// Where the current logical line began.
    line_start: usize,
    line_deepest: u32,
    line_problem: Option<&'static str>,
    levels: Vec<Level>,
    /// The sum of the chains of all levels.
    depth: u32,
    /// The columns of the enclosing blocks.
    indentation: Vec<u32>,
    /// How many brackets were never closed.
    unclosed: usize,
    nesting: Nesting,
}

/// What encloses the current byte.
struct Level {
    kind: LevelKind,
    /// Where its opening bracket or quote is.
    start: usize,
    /// Operators since the last comma, each of which may add a level to the tree.
    chain: u32,
}

#[derive(Clone, Copy, PartialEq)]
enum LevelKind {
    Statement,
    Bracket,
    /// The literal part of an f-string.
    FString {
        quote: u8,
        triple: bool,
    },
    /// `{…}` in an f-string, before its `:`.
    Field,
    /// `{…:` in an f-string, which is literal again.
    FormatSpec,
}

impl Scanner<'_> {
    fn run(&mut self) {
        self.begin_line();
        loop {
            self.scan_to_end();
            self.position = self.bytes.len();
            if !self.abandon_unclosed() {
                break;
            }
        }
        self.end_line();
    }

    fn scan_to_end(&mut self) {
        while let Some(&byte) = self.bytes.get(self.position) {
            match self.top() {
                LevelKind::FString { quote, triple } => self.fstring_byte(byte, quote, triple),
                LevelKind::FormatSpec => self.format_spec_byte(byte),
                LevelKind::Statement | LevelKind::Bracket | LevelKind::Field => self.code_byte(byte),
            }
        }
    }

    fn top(&self) -> LevelKind {
        self.levels.last().map_or(LevelKind::Statement, |level| level.kind)
    }

    fn code_byte(&mut self, byte: u8) {
        let is_further_digit =
            byte.is_ascii_digit() && self.position > 0 && WORD[self.bytes[self.position - 1] as usize];
        self.nesting.tokens += usize::from(!(is_further_digit || matches!(byte, b' ' | b',' | b'\n' | b'\r')));
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | 0x80.. => return self.word(),
            b'\'' | b'"' => return self.string(false),
            b'#' => return self.skip_comment(),
            b'\n' | b'\r' => return self.newline(),
            b'\\' => self.position += if self.bytes[self.position + 1..].starts_with(b"\r\n") { 2 } else { 1 },
            b'(' | b'[' | b'{' => self.open(LevelKind::Bracket),
            b')' | b']' => self.close(),
            b'}' => self.close(),
            b',' | b';' => self.reset_chain(),
            b':' if self.top() == LevelKind::Field => self.replace_top(LevelKind::FormatSpec),
            b'+' | b'-' | b'*' | b'/' | b'%' | b'@' | b'&' | b'|' | b'^' | b'~' | b'.' => self.deepen(),
            b'<' | b'>' if self.peek(1) == Some(byte) => self.deepen(),
            b':' if self.peek(1) == Some(b'=') => self.deepen(),
            _ => {}
        }
        self.position += 1;
    }

    fn peek(&self, ahead: usize) -> Option<u8> {
        self.bytes.get(self.position + ahead).copied()
    }

    /// Passes over the bytes of a kind.
    fn skip(&mut self, kind: &Kind) {
        let rest = self.bytes.get(self.position..).unwrap_or_default();
        self.position += rest.iter().position(|byte| !kind[usize::from(*byte)]).unwrap_or(rest.len());
    }

    fn deepen(&mut self) {
        self.depth = self.depth.saturating_add(1);
        if let Some(level) = self.levels.last_mut() {
            level.chain = level.chain.saturating_add(1);
        }
        self.line_deepest = self.line_deepest.max(self.depth);
        if self.depth > MAX_EXPRESSION_DEPTH {
            self.line_problem.get_or_insert(TOO_DEEP);
        }
    }

    fn reset_chain(&mut self) {
        if let Some(level) = self.levels.last_mut() {
            self.depth = self.depth.saturating_sub(level.chain);
            level.chain = 0;
        }
    }

    fn open(&mut self, kind: LevelKind) {
        self.deepen();
        self.levels.push(Level { kind, start: self.position, chain: 0 });
        if self.levels.len() > MAX_BRACKETS + 1 {
            self.line_problem = Some("too many nested parentheses");
        }
    }

    fn close(&mut self) {
        if self.levels.len() > 1 {
            self.reset_chain();
            self.levels.pop();
        }
    }

    fn replace_top(&mut self, kind: LevelKind) {
        if let Some(level) = self.levels.last_mut() {
            level.kind = kind;
        }
    }

    /// An identifier, a keyword, or the prefix of a string.
    fn word(&mut self) {
        let start = self.position;
        self.skip(&WORD);
        let word = &self.bytes[start..self.position];
        if word.len() <= 2 && matches!(self.peek(0), Some(b'\'' | b'"')) {
            return self.string(word.iter().any(|letter| matches!(letter, b'f' | b'F' | b't' | b'T')));
        }
        if matches!(word, b"not" | b"lambda" | b"else" | b"await" | b"async" | b"yield") {
            self.deepen();
        }
    }

    /// A string from its opening quote on. An f-string becomes a level of its own.
    fn string(&mut self, is_fstring: bool) {
        let quote = self.bytes[self.position];
        let triple = self.peek(1) == Some(quote) && self.peek(2) == Some(quote);
        self.position += if triple { 3 } else { 1 };
        if is_fstring {
            return self.open(LevelKind::FString { quote, triple });
        }
        let plain = if triple { &LINES } else { &TEXT };
        loop {
            self.skip(plain);
            let Some(byte) = self.peek(0) else { return };
            match byte {
                b'\\' => self.position += 2,
                b'\n' | b'\r' if !triple => return,
                _ if byte == quote && self.closes_string(quote, triple) => {
                    self.position += if triple { 3 } else { 1 };
                    return;
                }
                _ => self.position += 1,
            }
        }
    }

    fn closes_string(&self, quote: u8, triple: bool) -> bool {
        !triple || (self.peek(1) == Some(quote) && self.peek(2) == Some(quote))
    }

    fn fstring_byte(&mut self, byte: u8, quote: u8, triple: bool) {
        match byte {
            b'\\' => self.position += 2,
            b'{' if self.peek(1) == Some(b'{') => self.position += 2,
            b'{' => {
                self.open(LevelKind::Field);
                self.position += 1;
            }
            b'\n' | b'\r' if !triple => self.close(),
            _ if byte == quote && self.closes_string(quote, triple) => {
                self.position += if triple { 3 } else { 1 };
                self.close();
            }
            _ => self.position += 1,
        }
    }

    fn format_spec_byte(&mut self, byte: u8) {
        match byte {
            b'{' => self.open(LevelKind::Field),
            b'}' => self.close(),
            // Without its brace the field ends where its line does.
            b'\n' | b'\r' => return self.close(),
            _ => {}
        }
        self.position += 1;
    }

    fn skip_comment(&mut self) {
        self.skip(&COMMENT);
    }

    fn newline(&mut self) {
        if self.levels.len() > 1 {
            if !self.statement_follows() {
                self.position += 1;
                return;
            }
            if self.abandon_unclosed() {
                return;
            }
        }
        self.end_line();
        self.position += if self.bytes[self.position..].starts_with(b"\r\n") { 2 } else { 1 };
        self.begin_line();
    }

    /// Where a bracket was left open, refuses its statement and goes back to the next line that is not indented deeper.
    fn abandon_unclosed(&mut self) -> bool {
        let is_bracket = |level: &&Level| matches!(level.kind, LevelKind::Bracket | LevelKind::Field);
        let Some(start) = self.levels.iter().rev().find(is_bracket).map(|level| level.start) else { return false };
        if self.line_problem.is_some() || self.unclosed >= MAX_UNCLOSED {
            return false;
        }
        self.unclosed += 1;
        let reason = match self.bytes[start] {
            b'(' => "'(' was never closed",
            b'[' => "'[' was never closed",
            _ => "'{' was never closed",
        };
        self.position = self.end_of_statement(start);
        let range = Range { start: self.line_start as u32, end: self.position as u32 };
        let place = Range { start: start as u32, end: start as u32 + 1 };
        self.nesting.refused.push(Refused { range, place, reason });
        self.forget_line();
        true
    }

    /// The end of the lines after `from` that are blank or indented deeper than the current statement.
    fn end_of_statement(&self, from: usize) -> usize {
        let column = |line: &[u8]| line.iter().position(|byte| !matches!(byte, b' ' | b'\t' | 0x0c | b'\r'));
        let own = column(&self.bytes[self.line_start..]).unwrap_or(0);
        let mut end = from;
        loop {
            end += self.bytes[end..].iter().position(|&byte| byte == b'\n').unwrap_or(self.bytes.len() - end);
            let Some(next) = self.bytes.get(end + 1..) else { return self.bytes.len() };
            let length = next.iter().position(|&byte| byte == b'\n').unwrap_or(next.len());
            if column(&next[..length]).is_some_and(|column| column <= own) {
                return end;
            }
            end += 1;
        }
    }

    /// Whether the next line starts with a keyword that no expression contains. Inside brackets this means that one was left open.
    fn statement_follows(&self) -> bool {
        let rest = &self.bytes[self.position..];
        let Some(start) = rest.iter().position(|byte| !byte.is_ascii_whitespace()) else { return false };
        let rest = &rest[start..];
        let word = rest.iter().position(|byte| !WORD[usize::from(*byte)]).map_or(rest, |end| &rest[..end]);
        STATEMENT_KEYWORDS.contains(&word)
    }

    fn end_line(&mut self) {
        let range = Range { start: self.line_start as u32, end: self.position as u32 };
        match self.line_problem.take() {
            Some(reason) => {
                let place = Range { start: range.start, end: range.start };
                self.nesting.refused.push(Refused { range, place, reason });
            }
            None => self.nesting.deepest = self.nesting.deepest.max(self.line_deepest),
        }
        self.forget_line();
    }

    fn forget_line(&mut self) {
        self.levels.truncate(1);
        self.levels[0].chain = 0;
        self.depth = 0;
        self.line_deepest = 0;
    }

    /// Reads a logical line's indentation. Blank lines and comments do not count.
    fn begin_line(&mut self) {
        self.line_start = self.position;
        let mut column = 0;
        while let Some(byte @ (b' ' | b'\t' | 0x0c)) = self.peek(0) {
            column = if byte == b'\t' { (column / 8 + 1) * 8 } else { column + 1 };
            self.position += 1;
        }
        if matches!(self.peek(0), None | Some(b'\n' | b'\r' | b'#')) {
            return;
        }
        while self.indentation.last().is_some_and(|&enclosing| enclosing > column) {
            self.indentation.pop();
        }
        if column > self.indentation.last().copied().unwrap_or(0) {
            self.indentation.push(column);
        }
        if self.indentation.len() > MAX_INDENTATION {
            self.line_problem = Some("too many levels of indentation");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{MAX_EXPRESSION_DEPTH, scan};

    fn reasons(text: &str) -> Vec<&'static str> {
        scan(text, 0).refused.iter().map(|refused| refused.reason).collect()
    }

    #[test]
    fn brackets_beyond_pythons_limit_are_refused_alone() {
        let deep = format!("x = 1\ny = {}1{}\nz = 2\n", "(".repeat(2_000), ")".repeat(2_000));
        let nesting = scan(&deep, 0);
        assert_eq!(nesting.refused.len(), 1);
        assert_eq!(nesting.refused[0].reason, "too many nested parentheses");
        let range = nesting.refused[0].range;
        assert!(deep[range.start as usize..range.end as usize].starts_with("y = ((("));
        assert!(reasons(&format!("{}1{}", "[".repeat(199), "]".repeat(199))).is_empty());
    }

    #[test]
    fn long_chains_are_refused_but_long_lists_are_not() {
        assert_eq!(reasons(&vec!["a"; 5_000].join(" + ")), ["expression nested too deeply"]);
        assert_eq!(reasons(&format!("x{}", ".f()".repeat(5_000))), ["expression nested too deeply"]);
        assert_eq!(reasons(&format!("{}1", "not ".repeat(5_000))), ["expression nested too deeply"]);
        let list = format!("[{}]", vec!["-1 + 2.5"; 50_000].join(", "));
        assert!(reasons(&list).is_empty());
        assert!(scan(&list, 0).deepest < 10);
    }

    #[test]
    fn strings_and_comments_do_not_nest() {
        let text = format!("x = '{0}' # {0}\n\"\"\"{0}\n{0}\"\"\"\n", "((-".repeat(3_000));
        assert!(reasons(&text).is_empty());
    }

    #[test]
    fn fstrings_nest_in_their_fields() {
        let quoted = format!("x = f\"{{\"a\" + {}1{}}}\"\n", "(".repeat(3_000), ")".repeat(3_000));
        assert_eq!(reasons(&quoted), ["too many nested parentheses"]);
        assert_eq!(reasons(&format!("{}1{}", "f'{".repeat(500), "}'".repeat(500))), ["too many nested parentheses"]);
        assert!(reasons(&format!("x = f'{}'\n", "((-".repeat(3_000))).is_empty());
        assert!(reasons("x = f'{a:>{width}}' + f\"{b!r:{{}}\"\n").is_empty());
    }

    #[test]
    fn a_bracket_left_open_takes_its_own_lines_along() {
        let text = "def f():\n    x = g(a,\n        [b\n\n    y = 1\n    return x\nz = (\n  w\n";
        let nesting = scan(text, 0);
        let refused: Vec<_> = nesting
            .refused
            .iter()
            .map(|refused| (&text[refused.range.start as usize..refused.range.end as usize], refused.reason))
            .collect();
        let expected =
            [("    x = g(a,\n        [b\n", "'[' was never closed"), ("z = (\n  w\n", "'(' was never closed")];
        assert_eq!(refused, expected);
        assert!(reasons("x = (1,\n import_y,\n)\nreturn x\n").is_empty());
    }

    #[test]
    fn an_open_bracket_does_not_reach_beyond_the_next_definition() {
        let mut text = String::from("x = foo(1\n");
        for index in 0..MAX_EXPRESSION_DEPTH {
            text.push_str(&format!("def f{index}(a):\n    return a + 1\n"));
        }
        assert_eq!(reasons(&text), ["'(' was never closed"]);
    }

    #[test]
    fn deep_indentation_is_refused() {
        let mut text = String::new();
        for level in 0..150 {
            text.push_str(&format!("{}if x:\n", " ".repeat(level)));
        }
        assert_eq!(reasons(&text)[0], "too many levels of indentation");
    }
}
