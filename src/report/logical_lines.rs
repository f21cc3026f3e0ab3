//! The logical lines of Python text that suppression comments speak of, and its comments, as far as both can be told
//! without a parser: text that is no Python has them, too.

use std::ops::Range;

/// A comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Comment {
    /// Its bytes, from the `#` to the end of the line.
    pub range: Range<usize>,
    /// Whether nothing stands before it on its line.
    pub is_alone: bool,
}

/// What a statement, or the header of a compound one, stands on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LogicalLine {
    /// From its first to behind its last character.
    pub range: Range<usize>,
    /// How far it is indented, in characters.
    pub indent: usize,
}

/// The logical lines and the comments of a text, both in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct LogicalLines {
    pub lines: Vec<LogicalLine>,
    pub comments: Vec<Comment>,
}

impl LogicalLines {
    /// Reads a text once, from its start to its end.
    pub fn of(text: &str) -> LogicalLines {
        let mut reader =
            Reader { bytes: text.as_bytes(), at: 0, ignores_brackets: false, found: LogicalLines::default() };
        while reader.at < reader.bytes.len() {
            reader.line();
        }
        reader.found
    }

    /// The logical line around a byte; nothing between two of them.
    pub fn around(&self, at: usize) -> Option<usize> {
        let index = self.lines.partition_point(|line| line.range.start <= at).checked_sub(1)?;
        (at <= self.lines[index].range.end).then_some(index)
    }

    /// The first logical line behind a byte.
    pub fn behind(&self, at: usize) -> Option<usize> {
        let index = self.lines.partition_point(|line| line.range.start < at);
        (index < self.lines.len()).then_some(index)
    }

    /// What a header opens, with the header: the following lines that are indented further.
    pub fn block(&self, header: usize) -> Range<usize> {
        let indent = self.lines[header].indent;
        let inner = self.lines[header + 1..].iter().take_while(|line| line.indent > indent).count();
        header..header + 1 + inner
    }
}

struct Reader<'t> {
    bytes: &'t [u8],
    at: usize,
    /// Whether a bracket was met that nothing closes: from there on each line is one of its own.
    ignores_brackets: bool,
    found: LogicalLines,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn is_at_break(&self) -> bool {
        matches!(self.peek(), None | Some(b'\n' | b'\r'))
    }

    /// Reads a logical line, or a blank one, with its comments.
    fn line(&mut self) {
        let begin = self.at;
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\x0c')) {
            self.at += 1;
        }
        let (start, indent) = (self.at, self.at - begin);
        let (mut end, mut depth) = (start, 0_usize);
        let known_comments = self.found.comments.len();
        loop {
            match self.peek() {
                None if depth > 0 => {
                    // Only once, so that the text is read twice at most.
                    self.ignores_brackets = true;
                    self.at = begin;
                    self.found.comments.truncate(known_comments);
                    return;
                }
                None => break,
                Some(b'\n' | b'\r') if depth == 0 => {
                    self.at += 1;
                    break;
                }
                Some(b'#') => self.comment(),
                Some(quote @ (b'"' | b'\'')) => {
                    self.string(quote);
                    end = self.at;
                }
                Some(b'\\') => {
                    // A break behind it ends nothing.
                    self.at = (self.at + 1).min(self.bytes.len());
                    if self.bytes[self.at..].starts_with(b"\r\n") {
                        self.at += 1;
                    }
                    self.at = (self.at + 1).min(self.bytes.len());
                    end = self.at;
                }
                Some(byte) => {
                    match byte {
                        b'(' | b'[' | b'{' if !self.ignores_brackets => depth += 1,
                        b')' | b']' | b'}' => depth = depth.saturating_sub(1),
                        _ => {}
                    }
                    self.at += 1;
                    if !byte.is_ascii_whitespace() {
                        end = self.at;
                    }
                }
            }
        }
        if end > start {
            self.found.lines.push(LogicalLine { range: start..end, indent });
        }
    }

    fn comment(&mut self) {
        let start = self.at;
        let before = self.bytes[..start].iter().rev().take_while(|byte| !matches!(byte, b'\n' | b'\r'));
        let is_alone = before.into_iter().all(u8::is_ascii_whitespace);
        while !self.is_at_break() {
            self.at += 1;
        }
        self.found.comments.push(Comment { range: start..self.at, is_alone });
    }

    /// A string, also one that does not end: in one line it ends there, in several at the end of the text.
    fn string(&mut self, quote: u8) {
        let is_long = self.bytes[self.at..].starts_with(&[quote; 3]);
        self.at += if is_long { 3 } else { 1 };
        while let Some(byte) = self.peek() {
            match byte {
                b'\\' => self.at = (self.at + 2).min(self.bytes.len()),
                b'\n' | b'\r' if !is_long => return,
                _ if is_long && self.bytes[self.at..].starts_with(&[quote; 3]) => {
                    self.at += 3;
                    return;
                }
                _ if !is_long && byte == quote => {
                    self.at += 1;
                    return;
                }
                _ => self.at += 1,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn lines(text: &str) -> Vec<&str> {
        LogicalLines::of(text).lines.into_iter().map(|line| &text[line.range]).collect()
    }

    fn comments(text: &str) -> Vec<(&str, bool)> {
        LogicalLines::of(text).comments.into_iter().map(|it| (&text[it.range], it.is_alone)).collect()
    }

    #[test]
    fn brackets_strings_and_backslashes_join_lines() {
        assert_eq!(lines("a = (1,\n  2)\n\nb = 3\n"), ["a = (1,\n  2)", "b = 3"]);
        assert_eq!(lines("a = '''x\n# y\n'''\nb"), ["a = '''x\n# y\n'''", "b"]);
        assert_eq!(lines("a = 1 + \\\n  2\nb"), ["a = 1 + \\\n  2", "b"]);
        assert_eq!(lines("a = '(\nb = \"\\\"(\"\nc"), ["a = '(", "b = \"\\\"(\"", "c"]);
        assert_eq!(lines("x = )\ny"), ["x = )", "y"]);
        assert_eq!(lines("x = (1,\n2)\ny = (\nz\n[a]"), ["x = (1,\n2)", "y = (", "z", "[a]"]);
        assert_eq!(comments("x = (  # a\ny  # b\n"), [("# a", false), ("# b", false)]);
        assert_eq!(lines("a\r\nb\rc"), ["a", "b", "c"]);
    }

    #[test]
    fn comments_are_told_from_strings() {
        let text = "# one\na = '# no'  # two\nb = (  # three\n    # four\n    1)\n";
        assert_eq!(comments(text), [("# one", true), ("# two", false), ("# three", false), ("# four", true)]);
    }

    #[test]
    fn blocks_end_where_the_indentation_does() {
        let found = LogicalLines::of("def f(\n    x):\n    a\n    if b:\n        c\n    d\ne\n");
        assert_eq!(found.block(0), 0..5);
        assert_eq!(found.block(2), 2..4);
        assert_eq!(found.block(5), 5..6);
    }

    proptest! {
        #[test]
        fn any_text_has_lines_in_order(text in "[a-c('\"#\\\\\n\r \\)é]{0,60}") {
            let found = LogicalLines::of(&text);
            let ranges = found.lines.iter().map(|line| line.range.clone());
            let ranges: Vec<_> = ranges.chain(found.comments.iter().map(|it| it.range.clone())).collect();
            for range in &ranges {
                prop_assert!(range.start < range.end && text.get(range.clone()).is_some());
            }
            prop_assert!(found.lines.windows(2).all(|pair| pair[0].range.end <= pair[1].range.start));
        }
    }
}
