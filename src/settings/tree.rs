//! The tree that a text of settings is read as, whatever its form.

use std::rc::Rc;

use rustc_hash::FxHashMap;

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

/// Whether two keys are one in Python, where `1`, `1.0` and `True` are equal.
fn is_same_key(one: &Kind, other: &Kind) -> bool {
    let number = |kind: &Kind| match kind {
        Kind::Bool(truth) => Some(f64::from(u8::from(*truth))),
        Kind::Int(number) => Some(*number as f64),
        Kind::Float(number) => Some(*number),
        _ => None,
    };
    match (one, other) {
        // A float does not tell large numbers apart.
        (Kind::Int(one), Kind::Int(other)) => one == other,
        _ => one == other || number(one).is_some_and(|one| Some(one) == number(other)),
    }
}

/// The entries of a map that is being read: a later key takes the place of an earlier one.
#[derive(Debug, Default)]
pub struct Entries {
    list: Vec<(Node, Node)>,
    /// Where the texts are; tables of words have many.
    texts: FxHashMap<Rc<str>, usize>,
}

impl Entries {
    /// Sets a key; tells whether it is a new one.
    pub fn set(&mut self, key: Node, value: Node) -> bool {
        let known = match &key.kind {
            Kind::Text(text) => self.texts.get(text).copied(),
            kind => self.list.iter().position(|(known, _)| is_same_key(&known.kind, kind)),
        };
        match known {
            Some(place) => self.list[place].1 = value,
            None => {
                if let Kind::Text(text) = &key.kind {
                    self.texts.insert(Rc::clone(text), self.list.len());
                }
                self.list.push((key, value));
            }
        }
        known.is_none()
    }

    /// The entries, in the order in which their keys came first.
    pub fn into_list(self) -> Vec<(Node, Node)> {
        self.list
    }
}

/// Sets a key among a few: a later one takes the place of an earlier one.
pub fn set(entries: &mut Vec<(Node, Node)>, key: Node, value: Node) {
    match entries.iter_mut().find(|(known, _)| known.kind == key.kind) {
        Some((_, known)) => *known = value,
        None => entries.push((key, value)),
    }
}
