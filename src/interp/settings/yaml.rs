//! YAML as PyYAML understands it, which is YAML 1.1; with it JSON, which is a part of it but for the meaning of plain words.

use std::rc::Rc;

use granit_parser::{Event, Parser, ScalarStyle};
use rustc_hash::FxHashMap;

use super::tree::{Kind, Node, set};
use super::{DEEPEST, MOST_NODES};

/// Which words are numbers and truth values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// PyYAML: `yes` is true, and `1e-3` a text.
    PyYaml,
    /// OmegaConf: `1e-3` is a number.
    OmegaConf,
    Json,
}

/// The one document that a text holds; `None` where it is malformed, has bounds exceeded, or holds several.
pub fn parse(text: &str, dialect: Dialect) -> Option<Node> {
    let mut reader =
        Reader { parser: Parser::new_from_str(text), dialect, anchors: FxHashMap::default(), left: MOST_NODES };
    reader.document()
}

/// What a word means, as on the command line of a program that is configured so.
pub fn word(text: &str, dialect: Dialect) -> Node {
    parse(text, dialect).unwrap_or_else(|| Node::text(0, text))
}

struct Reader<'t> {
    parser: Parser<'t, granit_parser::StrInput<'t>>,
    dialect: Dialect,
    anchors: FxHashMap<usize, Node>,
    /// How many values may still be read.
    left: usize,
}

impl<'t> Reader<'t> {
    fn next(&mut self) -> Option<(Event<'t>, usize)> {
        loop {
            let (event, span) = self.parser.next_event()?.ok()?;
            if !matches!(event, Event::Comment(..)) {
                return Some((event, span.start.line()));
            }
        }
    }

    fn document(&mut self) -> Option<Node> {
        let mut root = None;
        loop {
            match self.next()? {
                (Event::StreamEnd, _) => return Some(root.unwrap_or(Node::new(1, Kind::Null))),
                (Event::StreamStart | Event::DocumentEnd, _) => {}
                (Event::DocumentStart(..), _) if root.is_none() => {
                    let (event, line) = self.next()?;
                    root = Some(self.node(event, line, 0)?);
                }
                _ => return None,
            }
        }
    }

    fn node(&mut self, event: Event<'t>, line: usize, depth: usize) -> Option<Node> {
        self.left = self.left.checked_sub(1).filter(|_| depth < DEEPEST)?;
        let (kind, anchor) = match event {
            Event::Alias(anchor) => {
                // What is named again and again counts each time.
                let node = self.anchors.get(&anchor)?.clone();
                self.left = self.left.checked_sub(node.size())?;
                return Some(node);
            }
            Event::Scalar(text, style, anchor, tag) => {
                let tag = tag.as_ref().map(|tag| tag.suffix());
                let kind = match (tag, style) {
                    (Some("str"), _) | (None, ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted) => {
                        Kind::Text(Rc::from(&*text))
                    }
                    (None | Some("int" | "float" | "bool" | "null"), ScalarStyle::Plain) => plain(&text, self.dialect),
                    (None, _) => Kind::Text(Rc::from(&*text)),
                    _ => Kind::Other,
                };
                (kind, anchor)
            }
            Event::SequenceStart(_, anchor, tag) => {
                let mut items = Vec::new();
                loop {
                    match self.next()? {
                        (Event::SequenceEnd, _) => break,
                        (event, line) => items.push(self.node(event, line, depth + 1)?),
                    }
                }
                (if is_own(tag.as_deref()) { Kind::Other } else { Kind::List(items) }, anchor)
            }
            Event::MappingStart(_, anchor, tag) => {
                let mapping = self.mapping(depth)?;
                (if is_own(tag.as_deref()) { Kind::Other } else { mapping }, anchor)
            }
            _ => return None,
        };
        let node = Node::new(line, kind);
        if anchor != 0 {
            self.anchors.insert(anchor, node.clone());
        }
        Some(node)
    }

    fn mapping(&mut self, depth: usize) -> Option<Kind> {
        let (mut merged, mut own) = (Vec::new(), Vec::new());
        loop {
            let (event, line) = match self.next()? {
                (Event::MappingEnd, _) => break,
                other => other,
            };
            let is_plain = matches!(&event, Event::Scalar(_, ScalarStyle::Plain, ..));
            let key = self.node(event, line, depth + 1)?;
            let (event, line) = self.next()?;
            let value = self.node(event, line, depth + 1)?;
            if is_plain && self.dialect != Dialect::Json && matches!(&key.kind, Kind::Text(text) if &**text == "<<") {
                let sources = if let Kind::List(items) = value.kind { items } else { vec![value] };
                // The first of several has the say.
                for source in sources.into_iter().rev() {
                    let Kind::Map(entries) = source.kind else { return None };
                    entries.into_iter().for_each(|(key, value)| set(&mut merged, key, value));
                }
            } else {
                set(&mut own, key, value);
            }
        }
        own.into_iter().for_each(|(key, value)| set(&mut merged, key, value));
        Some(Kind::Map(merged))
    }
}

/// The meaning of a word without quotes.
fn plain(text: &str, dialect: Dialect) -> Kind {
    let known = match text {
        "null" => Some(Kind::Null),
        "true" => Some(Kind::Bool(true)),
        "false" => Some(Kind::Bool(false)),
        _ if dialect == Dialect::Json => None,
        "" | "~" | "Null" | "NULL" => Some(Kind::Null),
        "True" | "TRUE" | "yes" | "Yes" | "YES" | "on" | "On" | "ON" => Some(Kind::Bool(true)),
        "False" | "FALSE" | "no" | "No" | "NO" | "off" | "Off" | "OFF" => Some(Kind::Bool(false)),
        _ => None,
    };
    known.or_else(|| integer(text)).or_else(|| float(text, dialect)).unwrap_or_else(|| {
        let is_date =
            text.len() >= 8 && text.bytes().take(4).all(|byte| byte.is_ascii_digit()) && text[4..].starts_with('-');
        if is_date && dialect == Dialect::PyYaml { Kind::Other } else { Kind::Text(Rc::from(text)) }
    })
}

fn integer(text: &str) -> Option<Kind> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    if !digits.starts_with(|first: char| first.is_ascii_digit()) {
        return None;
    }
    let digits = digits.replace('_', "");
    let value = if let Some(binary) = digits.strip_prefix("0b") {
        i64::from_str_radix(binary, 2).ok()?
    } else if let Some(hexadecimal) = digits.strip_prefix("0x") {
        i64::from_str_radix(hexadecimal, 16).ok()?
    } else if digits.len() > 1 && digits.starts_with('0') {
        i64::from_str_radix(&digits, 8).ok()?
    } else {
        digits.parse().ok()?
    };
    Some(Kind::Int(sign * value))
}

fn float(text: &str, dialect: Dialect) -> Option<Kind> {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    match unsigned {
        ".inf" | ".Inf" | ".INF" => {
            return Some(Kind::Float(if text.starts_with('-') { f64::NEG_INFINITY } else { f64::INFINITY }));
        }
        ".nan" | ".NaN" | ".NAN" => return Some(Kind::Float(f64::NAN)),
        _ => {}
    }
    if !unsigned.starts_with(|first: char| first.is_ascii_digit() || first == '.') {
        return None;
    }
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned, None),
    };
    // PyYAML wants a point, and a sign in the exponent.
    let fits = mantissa.contains('.') && exponent.is_none_or(|exponent| exponent.starts_with(['-', '+']));
    let is_number = mantissa.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'_'));
    if !is_number || (dialect == Dialect::PyYaml && !fits) {
        return None;
    }
    text.replace('_', "").parse().ok().map(Kind::Float)
}

/// Whether a tag is one of the program's, `!include`: what it makes of the node is not known.
fn is_own(tag: Option<&granit_parser::Tag>) -> bool {
    tag.is_some_and(|tag| tag.handle() == "!")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(text: &str) -> Kind {
        parse(text, Dialect::PyYaml).unwrap().kind
    }

    #[test]
    fn plain_words_are_those_of_pyyaml() {
        for (text, expected) in [
            ("12", Kind::Int(12)),
            ("-1_000", Kind::Int(-1000)),
            ("0x10", Kind::Int(16)),
            ("010", Kind::Int(8)),
            ("1.5e-3", Kind::Float(0.0015)),
            ("yes", Kind::Bool(true)),
            ("~", Kind::Null),
            ("1e-3", Kind::Text("1e-3".into())),
            ("1.0e5", Kind::Text("1.0e5".into())),
            ("'12'", Kind::Text("12".into())),
            ("!!str 12", Kind::Text("12".into())),
            ("!!python/tuple 3", Kind::Other),
            ("2020-01-01", Kind::Other),
            ("", Kind::Null),
        ] {
            assert_eq!(kind(text), expected, "{text}");
        }
        assert_eq!(word("1e-3", Dialect::OmegaConf).kind, Kind::Float(1e-3));
        assert_eq!(word("1E5", Dialect::Json).kind, Kind::Float(1e5));
        assert_eq!(word("yes", Dialect::Json).kind, Kind::Text("yes".into()));
    }

    #[test]
    fn keys_keep_their_lines_and_anchors_are_merged() {
        let tree =
            parse("base: &b\n  a: 1\n  c: 2\nnew:\n  <<: *b\n  c: 3\n  d: {e: [4, 5]}\n", Dialect::PyYaml).unwrap();
        let new = tree.get("new").unwrap();
        assert_eq!(new.get("a"), Some(&Node::new(2, Kind::Int(1))));
        assert_eq!(new.get("c"), Some(&Node::new(6, Kind::Int(3))));
        assert_eq!(tree.integers(), 6);
    }

    #[test]
    fn what_is_too_much_is_nothing() {
        let mut laughs = "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n".to_owned();
        for level in 1..12 {
            let below = format!("*a{}, ", level - 1).repeat(10);
            laughs.push_str(&format!("a{level}: &a{level} [{below}]\n"));
        }
        assert_eq!(parse(&laughs, Dialect::PyYaml), None);
        assert_eq!(parse(&"[".repeat(1000), Dialect::PyYaml), None);
        assert_eq!(parse("a: 1\n---\nb: 2\n", Dialect::PyYaml), None);
        assert_eq!(parse("a: [1\nb", Dialect::PyYaml), None);
    }
}
