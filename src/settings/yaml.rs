//! Reads YAML texts of settings as PyYAML understands them, which is YAML 1.1.

use std::rc::Rc;

use granit_parser::{Event, Parser, ScalarStyle};
use rustc_hash::FxHashMap;

use super::tree::{Entries, Kind, Node};
use super::{DEEPEST, MOST_NODES};
use crate::yaml_scalars::{Dialect, plain, tagged};

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
                let kind = match (tag.as_deref(), style) {
                    (None, ScalarStyle::Plain) => plain(&text, self.dialect),
                    (None, _) => Kind::Text(Rc::from(&*text)),
                    (Some(tag), _) => tag.core_suffix().map_or(Kind::Other, |tag| tagged(&text, tag)),
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
                (if is_plain_list(tag.as_deref()) { Kind::List(items) } else { Kind::Other }, anchor)
            }
            Event::MappingStart(_, anchor, tag) => {
                let mapping = self.mapping(depth)?;
                (if is_plain_map(tag.as_deref()) { mapping } else { Kind::Other }, anchor)
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
        let (mut merged, mut own) = (Entries::default(), Entries::default());
        loop {
            let (event, line) = match self.next()? {
                (Event::MappingEnd, _) => break,
                other => other,
            };
            let is_plain = matches!(&event, Event::Scalar(_, ScalarStyle::Plain, ..));
            let key = self.node(event, line, depth + 1)?;
            let (event, line) = self.next()?;
            let value = self.node(event, line, depth + 1)?;
            // Python's dictionaries have no keys that can be changed.
            if matches!(key.kind, Kind::List(_) | Kind::Map(_)) {
                return None;
            }
            if is_plain && matches!(&key.kind, Kind::Text(text) if &**text == "<<") {
                let sources = if let Kind::List(items) = value.kind { items } else { vec![value] };
                // The first of several has the say.
                for source in sources.into_iter().rev() {
                    let Kind::Map(entries) = source.kind else { return None };
                    for (key, value) in entries {
                        merged.set(key, value);
                    }
                }
            } else if !own.set(key, value) && self.dialect == Dialect::OmegaConf {
                // OmegaConf refuses what PyYAML takes.
                return None;
            }
        }
        for (key, value) in own.into_list() {
            merged.set(key, value);
        }
        Some(Kind::Map(merged.into_list()))
    }
}

/// Whether a list with this tag is one in Python, or a tuple. Of sets, and of what a program makes of its own tags (`!include`), nothing is
/// known.
fn is_plain_list(tag: Option<&granit_parser::Tag>) -> bool {
    tag.is_none_or(|tag| tag.core_suffix() == Some("seq") || tag.suffix().ends_with("python/tuple"))
}

/// Whether a map with this tag is a dictionary in Python.
fn is_plain_map(tag: Option<&granit_parser::Tag>) -> bool {
    tag.is_none_or(|tag| tag.core_suffix() == Some("map"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_mean_what_quotes_and_tags_say() {
        for (text, expected) in [
            ("12", Kind::Int(12)),
            ("'12'", Kind::Text("12".into())),
            ("!!str 12", Kind::Text("12".into())),
            ("!!float 3", Kind::Float(3.0)),
            ("!!int '3'", Kind::Int(3)),
            ("!<tag:yaml.org,2002:int> 3", Kind::Int(3)),
            ("!int 3", Kind::Other),
            ("!!python/tuple 3", Kind::Other),
            ("{[1]: 2}", Kind::Other),
            ("!!set {a}", Kind::Other),
            ("!!int [1]", Kind::Other),
            ("!!seq [1]", Kind::List(vec![Node::new(1, Kind::Int(1))])),
            ("", Kind::Null),
        ] {
            let known = parse(text, Dialect::PyYaml).map_or(Kind::Other, |node| node.kind);
            assert_eq!(known, expected, "{text}");
        }
        assert_eq!(word("1e-3", Dialect::OmegaConf).kind, Kind::Float(1e-3));
        assert_eq!(parse("a: 1\na: 2\n", Dialect::OmegaConf), None);
        let same = parse("1: 2\n1.0: 3\ntrue: 4\n", Dialect::PyYaml).unwrap();
        assert_eq!(same.size(), 3, "the keys are equal in Python: {same:?}");
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
