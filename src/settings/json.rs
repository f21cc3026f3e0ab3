//! Reads JSON texts of settings as Python's `json` does: strict, but for `NaN` and `Infinity`.

use super::tree::{Entries, Kind, Node};
use super::{DEEPEST, MOST_NODES};

/// What a JSON text holds; `None` where it is malformed or too much.
pub fn parse(text: &str) -> Option<Node> {
    Reader::new(text).document()
}

/// Whether Python surely refuses a text.
pub fn is_malformed(text: &str) -> bool {
    let mut reader = Reader::new(text);
    reader.document().is_none() && !reader.is_too_much
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    line: usize,
    /// How many values may still be read.
    left: usize,
    /// Whether the reading ended at what Python reads and this reader does not.
    is_too_much: bool,
}

impl<'t> Reader<'t> {
    fn new(text: &'t str) -> Reader<'t> {
        Reader { text, at: 0, line: 1, left: MOST_NODES, is_too_much: false }
    }

    fn document(&mut self) -> Option<Node> {
        self.skip_blanks();
        let node = self.value(0)?;
        self.skip_blanks();
        (self.at == self.text.len()).then_some(node)
    }

    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn skip_blanks(&mut self) {
        for byte in self.rest().bytes() {
            match byte {
                b'\n' => self.line += 1,
                b' ' | b'\t' | b'\r' => {}
                _ => return,
            }
            self.at += 1;
        }
    }

    /// Goes over a part of the text, if it is there.
    fn eat(&mut self, part: &str) -> bool {
        let is_there = self.rest().starts_with(part);
        self.at += if is_there { part.len() } else { 0 };
        is_there
    }

    fn value(&mut self, depth: usize) -> Option<Node> {
        if self.left == 0 || depth >= DEEPEST {
            self.is_too_much = true;
            return None;
        }
        self.left -= 1;
        let line = self.line;
        let kind = match self.rest().bytes().next()? {
            b'{' => self.object(depth)?,
            b'[' => self.array(depth)?,
            b'"' => self.string()?,
            _ => self.word()?,
        };
        Some(Node::new(line, kind))
    }

    fn array(&mut self, depth: usize) -> Option<Kind> {
        self.eat("[");
        self.skip_blanks();
        let mut items = Vec::new();
        if self.eat("]") {
            return Some(Kind::List(items));
        }
        loop {
            self.skip_blanks();
            items.push(self.value(depth + 1)?);
            self.skip_blanks();
            if self.eat("]") {
                return Some(Kind::List(items));
            }
            self.eat(",").then_some(())?;
        }
    }

    fn object(&mut self, depth: usize) -> Option<Kind> {
        self.eat("{");
        self.skip_blanks();
        let mut entries = Entries::default();
        if self.eat("}") {
            return Some(Kind::Map(entries.into_list()));
        }
        loop {
            self.skip_blanks();
            let line = self.line;
            let name = self.string()?;
            self.skip_blanks();
            self.eat(":").then_some(())?;
            self.skip_blanks();
            let value = self.value(depth + 1)?;
            // A text that cannot be held may be any other key.
            if name == Kind::Other {
                self.is_too_much = true;
                return None;
            }
            entries.set(Node::new(line, name), value);
            self.skip_blanks();
            if self.eat("}") {
                return Some(Kind::Map(entries.into_list()));
            }
            self.eat(",").then_some(())?;
        }
    }

    /// A text in quotes. One with half a surrogate pair, which Python keeps, is known to be there alone.
    fn string(&mut self) -> Option<Kind> {
        self.eat("\"").then_some(())?;
        let mut text = String::new();
        let mut is_whole = true;
        loop {
            let rest = self.rest();
            let plain = rest.find(['"', '\\']).filter(|end| !rest[..*end].bytes().any(|byte| byte < 0x20))?;
            text.push_str(&rest[..plain]);
            self.at += plain + 1;
            if rest.as_bytes()[plain] == b'"' {
                return Some(if is_whole { Kind::Text(text.into()) } else { Kind::Other });
            }
            match self.escape()? {
                Ok(character) => text.push(character),
                Err(_) => is_whole = false,
            }
        }
    }

    /// What stands behind a backslash: a character, or the number of half a surrogate pair.
    fn escape(&mut self) -> Option<Result<char, u32>> {
        let letter = self.rest().chars().next()?;
        self.at += letter.len_utf8();
        Some(Ok(match letter {
            '"' | '\\' | '/' => letter,
            'b' => '\u{8}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'u' => return self.unicode(),
            _ => return None,
        }))
    }

    fn unicode(&mut self) -> Option<Result<char, u32>> {
        let first = self.hexadecimal()?;
        let behind = self.at;
        if (0xd800..0xdc00).contains(&first) && self.eat("\\u") {
            let second = self.hexadecimal()?;
            if (0xdc00..0xe000).contains(&second) {
                return char::from_u32(0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00)).map(Ok);
            }
            self.at = behind;
        }
        Some(char::from_u32(first).ok_or(first))
    }

    fn hexadecimal(&mut self) -> Option<u32> {
        let digits = self.rest().get(..4).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
        self.at += 4;
        u32::from_str_radix(digits, 16).ok()
    }

    /// A number, or a word that stands for a value.
    fn word(&mut self) -> Option<Kind> {
        let words = [
            ("null", Kind::Null),
            ("true", Kind::Bool(true)),
            ("false", Kind::Bool(false)),
            ("NaN", Kind::Float(f64::NAN)),
            ("Infinity", Kind::Float(f64::INFINITY)),
            ("-Infinity", Kind::Float(f64::NEG_INFINITY)),
        ];
        for (word, kind) in words {
            if self.eat(word) {
                return Some(kind);
            }
        }
        self.number()
    }

    fn number(&mut self) -> Option<Kind> {
        let rest = self.rest();
        let digits_from = |start: usize| start + rest[start..].bytes().take_while(u8::is_ascii_digit).count();
        let start = usize::from(rest.starts_with('-'));
        let mut end = if rest[start..].starts_with('0') { start + 1 } else { digits_from(start) };
        if end == start {
            return None;
        }
        let whole = end;
        if rest[end..].starts_with('.') && digits_from(end + 1) > end + 1 {
            end = digits_from(end + 1);
        }
        if rest[end..].starts_with(['e', 'E']) {
            let sign = usize::from(rest[end + 1..].starts_with(['+', '-']));
            let exponent = end + 1 + sign;
            end = if digits_from(exponent) > exponent { digits_from(exponent) } else { end };
        }
        self.at += end;
        Some(match end == whole {
            // Python's numbers have no end.
            true => rest[..end].parse().map_or(Kind::Other, Kind::Int),
            false => Kind::Float(rest[..end].parse().ok()?),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_those_of_python() {
        for (text, expected) in [
            (" 12 ", Kind::Int(12)),
            ("-0", Kind::Int(0)),
            ("1.5e3", Kind::Float(1500.0)),
            ("1E5", Kind::Float(1e5)),
            ("1e400", Kind::Float(f64::INFINITY)),
            ("-Infinity", Kind::Float(f64::NEG_INFINITY)),
            ("9223372036854775807", Kind::Int(i64::MAX)),
            ("9223372036854775808", Kind::Other),
            ("\"a\\n\\u00e9\\ud83d\\ude00\"", Kind::Text("a\n\u{e9}\u{1f600}".into())),
            ("\"\\ud83d\"", Kind::Other),
            ("null", Kind::Null),
            ("[ ]", Kind::List(Vec::new())),
            ("{\r\n}", Kind::Map(Vec::new())),
        ] {
            assert_eq!(parse(text).map(|node| node.kind), Some(expected), "{text}");
        }
        assert!(matches!(parse("NaN").map(|node| node.kind), Some(Kind::Float(number)) if number.is_nan()));
    }

    #[test]
    fn the_last_of_equal_keys_counts_and_lines_are_kept() {
        let tree = parse("{\"a\": 1,\n \"b\": [2,\n 3],\n \"a\": 4}").expect("it is JSON");
        assert_eq!(tree.get("a"), Some(&Node::new(4, Kind::Int(4))));
        assert_eq!(tree.get("b").map(|list| list.line), Some(2));
        assert_eq!(tree.size(), 7);
    }

    #[test]
    fn what_python_refuses_is_nothing() {
        for text in [
            "",
            " ",
            "hello",
            "{n: \"x\"}",
            "{\"n\":3,}",
            "[1,]",
            "[1 2]",
            "{\"a\" 1}",
            "{\"a\":}",
            "'a'",
            "\"a",
            "\"\\x\"",
            "\"a\nb\"",
            "01",
            "+1",
            ".5",
            "1.",
            "1.e5",
            "0x10",
            "1e",
            "--1",
            "nan",
            "True",
            "1 2",
            "{\"a\": 1} x",
            "\u{a0}1",
            "\"\\u12\"",
            "// c\n1",
            "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n",
        ] {
            assert_eq!(parse(text), None, "{text}");
            assert!(is_malformed(text), "{text}");
        }
        for much in ["[".repeat(100_000), "{\"\\ud83d\": 1}".to_owned()] {
            assert!(parse(&much).is_none() && !is_malformed(&much));
        }
        assert_eq!(parse(&format!("[{}1]", "1,".repeat(30_000))), None);
    }
}
