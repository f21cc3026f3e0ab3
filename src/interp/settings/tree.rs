//! What a file of settings holds, whatever its form.

use std::rc::Rc;

/// A value, and the line on which it stands; 0 where that is not known.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    pub line: usize,
    pub kind: Kind,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    Null,
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(Rc<str>),
    List(Vec<Node>),
    /// Keys with values, in the order of the file.
    Map(Vec<(Node, Node)>),
    /// Something else: a date, an object of a class.
    Other,
}

impl Node {
    pub fn new(line: usize, kind: Kind) -> Node {
        Node { line, kind }
    }

    pub fn text(line: usize, text: &str) -> Node {
        Node::new(line, Kind::Text(Rc::from(text)))
    }

    /// How many values it is, itself included.
    pub fn size(&self) -> usize {
        1 + match &self.kind {
            Kind::List(items) => items.iter().map(Node::size).sum(),
            Kind::Map(entries) => entries.iter().map(|(_, value)| 1 + value.size()).sum(),
            _ => 0,
        }
    }

    /// How many whole numbers are in it.
    pub fn integers(&self) -> usize {
        match &self.kind {
            Kind::Int(_) => 1,
            Kind::List(items) => items.iter().map(Node::integers).sum(),
            Kind::Map(entries) => entries.iter().map(|(_, value)| value.integers()).sum(),
            _ => 0,
        }
    }
}

#[cfg(test)]
impl Node {
    /// The value of a key that is a text.
    #[cfg(test)]
    pub fn get(&self, key: &str) -> Option<&Node> {
        let Kind::Map(entries) = &self.kind else { return None };
        entries
            .iter()
            .find(|(known, _)| matches!(&known.kind, Kind::Text(text) if &**text == key))
            .map(|(_, value)| value)
    }
}

/// Sets a key: a later one takes the place of an earlier one.
pub fn set(entries: &mut Vec<(Node, Node)>, key: Node, value: Node) {
    match entries.iter_mut().find(|(known, _)| known.kind == key.kind) {
        Some((_, known)) => *known = value,
        None => entries.push((key, value)),
    }
}
