//! Files of Python 2, rewritten byte for byte into what the parser of Python 3 reads, so that every place in the text stays where it is.
//!
//! | Python 2 | is parsed as | |
//! |---|---|---|
//! | `print x, y` | `print,x, y` | the lowering makes a call of it |
//! | `print` | `pass ` | |
//! | `exec code` | `None,code` | the code is not executed |
//! | `raise E, text` | `raise E; text` | |
//! | `a <> b` | `a != b` | |
//! | `` `x` `` | `'x'` | a text, whose words are not right |
//! | `0777`, `10L`, `ur'…'` | `511 `, `10 `, ` r'…'` | |
//!
//! The grammar is that of Python 2.7's reference, chapters 2 (lexical analysis) and 6 (simple statements).

/// Whether a line that the parser of Python 3 does not understand is a statement of Python 2. `offset` lies in the line.
pub(super) fn statement_at(text: &str, offset: usize) -> Option<&'static str> {
    let before = text.get(..offset)?;
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let line = text[line_start..].lines().next().unwrap_or_default();
    // Behind `if x:` and `;` another statement may stand.
    line.split([':', ';']).find_map(|part| statement(part.trim_start_matches([' ', '\t'])))
}

fn statement(code: &str) -> Option<&'static str> {
    let word = ["print", "exec"].into_iter().find(|word| code.starts_with(word));
    if let Some(word) = word {
        return code[word.len()..].starts_with([' ', '\t', '"', '\'']).then_some(word);
    }
    let raised = code.strip_prefix("raise ")?;
    let class = raised.trim_start_matches(|letter: char| letter.is_alphanumeric() || ['_', '.'].contains(&letter));
    (class.len() < raised.len() && class.trim_start().starts_with(',')).then_some("raise E, value")
}

/// A text of Python 2 as one of Python 3 of the same length.
pub(super) struct Rewritten {
    pub text: String,
    /// Where its `print` statements begin, in order.
    pub prints: Vec<u32>,
}

pub(super) fn rewrite(text: &str) -> Rewritten {
    let mut rewriter = Rewriter {
        bytes: text.as_bytes().to_vec(),
        position: 0,
        brackets: 0,
        starts_statement: true,
        raises: false,
        prints: Vec::new(),
    };
    while rewriter.position < rewriter.bytes.len() {
        rewriter.step();
    }
    let text = String::from_utf8(rewriter.bytes).unwrap_or_else(|_| text.to_owned());
    Rewritten { text, prints: rewriter.prints }
}

struct Rewriter {
    bytes: Vec<u8>,
    position: usize,
    /// How many brackets are open.
    brackets: usize,
    /// Whether nothing of the statement was seen so far.
    starts_statement: bool,
    /// Whether it is a `raise` whose first comma is still to come.
    raises: bool,
    prints: Vec<u32>,
}

impl Rewriter {
    fn at(&self, offset: usize) -> u8 {
        self.bytes.get(self.position + offset).copied().unwrap_or(b'\n')
    }

    fn step(&mut self) {
        match self.at(0) {
            b'#' => self.skip_line(),
            b'"' | b'\'' => self.text(),
            b'\\' => self.position += 2,
            b'\n' => self.end_statement(self.brackets == 0),
            b':' | b';' => self.end_statement(self.brackets == 0),
            b' ' | b'\t' | b'\r' | b'\x0c' => self.position += 1,
            b'`' => self.backticks(),
            byte if byte.is_ascii_digit() => self.number(),
            byte if is_of_word(byte) => self.word(),
            byte => self.sign(byte),
        }
    }

    fn end_statement(&mut self, ends: bool) {
        self.starts_statement |= ends;
        self.raises &= !ends;
        self.position += 1;
    }

    fn skip_line(&mut self) {
        while self.position < self.bytes.len() && self.at(0) != b'\n' {
            self.position += 1;
        }
    }

    /// A text, with one quote at each end or three.
    fn text(&mut self) {
        self.starts_statement = false;
        let quote = self.at(0);
        let is_long = self.at(1) == quote && self.at(2) == quote;
        self.position += if is_long { 3 } else { 1 };
        while self.position < self.bytes.len() {
            match self.at(0) {
                b'\\' => self.position += 1,
                b'\n' if !is_long => return,
                byte if byte == quote && !is_long => break,
                byte if byte == quote && self.at(1) == quote && self.at(2) == quote => {
                    self.position += 2;
                    break;
                }
                _ => {}
            }
            self.position += 1;
        }
        self.position += 1;
    }

    fn backticks(&mut self) {
        self.starts_statement = false;
        let rest = &self.bytes[self.position + 1..];
        let line = rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
        let Some(length) = rest[..line].iter().position(|byte| *byte == b'`') else {
            self.position += 1;
            return;
        };
        let quote = if rest[..length].contains(&b'\'') { b'"' } else { b'\'' };
        let (start, end) = (self.position, self.position + length + 1);
        (self.bytes[start], self.bytes[end]) = (quote, quote);
        self.position = end + 1;
    }

    /// A number: one with a zero before it counts by eights, and `L` makes a long one.
    fn number(&mut self) {
        self.starts_statement = false;
        let start = self.position;
        while is_of_word(self.at(0)) || self.at(0) == b'.' {
            self.position += 1;
        }
        let digits = String::from_utf8_lossy(&self.bytes[start..self.position]).into_owned();
        let (whole, is_long) = match digits.strip_suffix(['L', 'l']) {
            Some(whole) => (whole, true),
            None => (digits.as_str(), false),
        };
        let is_octal =
            whole.len() > 1 && whole.starts_with('0') && whole.bytes().all(|digit| (b'0'..b'8').contains(&digit));
        let value = if is_octal { i64::from_str_radix(whole, 8).ok().map(|value| value.to_string()) } else { None };
        let written = match value {
            Some(value) => value,
            None if is_long => whole.to_owned(),
            None => return,
        };
        for (index, byte) in (start..self.position).zip(written.bytes().chain(std::iter::repeat(b' '))) {
            self.bytes[index] = byte;
        }
    }

    fn word(&mut self) {
        let (start, starts_statement) = (self.position, self.starts_statement);
        self.starts_statement = false;
        while is_of_word(self.at(0)) {
            self.position += 1;
        }
        match &self.bytes[start..self.position] {
            b"print" if starts_statement => self.print(start),
            b"exec" if starts_statement && [b' ', b'\t'].contains(&self.at(0)) && self.has_operand() => {
                self.bytes[start..self.position].copy_from_slice(b"None");
                self.bytes[self.position] = b',';
                self.position += 1;
            }
            b"raise" => self.raises = starts_statement,
            b"ur" | b"UR" | b"Ur" | b"uR" if [b'"', b'\''].contains(&self.at(0)) => self.bytes[start] = b' ',
            _ => {}
        }
    }

    /// `print` as a statement: with what it prints, or alone.
    fn print(&mut self, start: usize) {
        if self.ends_line() {
            self.bytes[start..self.position].copy_from_slice(b"pass ");
            return;
        }
        if !self.has_operand() {
            return;
        }
        let is_apart = [b' ', b'\t'].contains(&self.at(0));
        if is_apart {
            self.bytes[self.position] = b',';
            self.position += 1;
        } else {
            self.bytes[start..self.position].copy_from_slice(b"None,");
        }
        self.prints.push(start as u32);
        // `print >>file, x`
        let blanks = (0..).take_while(|offset| [b' ', b'\t'].contains(&self.at(*offset))).count();
        if self.at(blanks) == b'>' && self.at(blanks + 1) == b'>' {
            let at = self.position + blanks;
            self.bytes[at..at + 2].copy_from_slice(b"  ");
        }
    }

    fn ends_line(&self) -> bool {
        let rest = &self.bytes[self.position.min(self.bytes.len())..];
        let next = rest.iter().find(|byte| ![b' ', b'\t', b'\r'].contains(byte));
        next.is_none_or(|byte| [b'\n', b';', b'#'].contains(byte))
    }

    /// Whether what follows a word is its operand: neither a call nor a use of a variable of that name.
    fn has_operand(&self) -> bool {
        let blanks = (0..).take_while(|offset| [b' ', b'\t'].contains(&self.at(*offset))).count();
        let (next, behind) = (self.at(blanks), self.at(blanks + 1));
        match next {
            b'(' => false,
            b'>' => behind == b'>',
            b'-' | b'+' | b'~' => blanks > 0 && behind != b' ' && behind != b'=',
            b'[' | b'{' => blanks > 0,
            byte => {
                byte == b'"'
                    || byte == b'\''
                    || byte == b'`'
                    || (blanks > 0 && is_of_word(byte) && !self.is_operator(blanks))
            }
        }
    }

    /// Whether a word that joins two operands stands there.
    fn is_operator(&self, offset: usize) -> bool {
        let rest = &self.bytes[(self.position + offset).min(self.bytes.len())..];
        [&b"in "[..], b"is ", b"and ", b"or ", b"if ", b"for "].iter().any(|word| rest.starts_with(word))
    }

    fn sign(&mut self, byte: u8) {
        self.starts_statement = false;
        match byte {
            b'(' | b'[' | b'{' => self.brackets += 1,
            b')' | b']' | b'}' => self.brackets = self.brackets.saturating_sub(1),
            b'<' if self.at(1) == b'>' => {
                self.bytes[self.position] = b'!';
                self.bytes[self.position + 1] = b'=';
                self.position += 1;
            }
            b',' if self.raises && self.brackets == 0 => {
                self.bytes[self.position] = b';';
                self.raises = false;
            }
            _ => {}
        }
        self.position += 1;
    }
}

/// Whether a byte belongs to a name or a number; those beyond ASCII do.
fn is_of_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

#[cfg(test)]
mod tests {
    use super::rewrite;

    #[test]
    fn what_only_python_2_writes_keeps_its_place() {
        for (old, new) in [
            ("print \"a\", b\n", "print,\"a\", b\n"),
            ("if x: print 'a' % 3,", "if x: print,'a' % 3,"),
            ("print\nx", "pass \nx"),
            ("print'a'", "None,'a'"),
            ("print >>f, 'a'", "print,  f, 'a'"),
            ("print ('a'), 3", "print ('a'), 3"),
            ("print = 3; print.x", "print = 3; print.x"),
            ("exec code in space", "None,code in space"),
            ("raise E, 'a', b", "raise E; 'a', b"),
            ("raise E('a', b)", "raise E('a', b)"),
            ("raise E(1), 2", "raise E(1); 2"),
            ("a <> `b`", "a != 'b'"),
            ("0777 + 0xffL + 10l + 08.5 + 0", "511  + 0xff  + 10  + 08.5 + 0"),
            ("ur'print x' + u'y'", " r'print x' + u'y'"),
            ("'''\nprint x\n'''\n# print x\nf(a,\n  print_x)", "'''\nprint x\n'''\n# print x\nf(a,\n  print_x)"),
            ("d = {1:\n print}", "d = {1:\n print}"),
        ] {
            assert_eq!(rewrite(old).text, new, "{old}");
        }
    }
}
