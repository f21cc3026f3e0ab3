//! Reads TOML texts of settings as trees.

use toml::Value;

use super::tree::{Kind, Node};
use super::{DEEPEST, MOST_NODES};

/// What a TOML text holds; `None` where it is malformed or too much.
pub fn parse(text: &str) -> Option<Node> {
    let table: toml::Table = text.parse().ok()?;
    let node = node(Value::Table(table), 0)?;
    (node.size() <= MOST_NODES).then_some(node)
}

fn node(value: Value, depth: usize) -> Option<Node> {
    if depth >= DEEPEST {
        return None;
    }
    let kind = match value {
        Value::String(text) => Kind::Text(text.into()),
        Value::Integer(number) => Kind::Int(number),
        Value::Float(number) => Kind::Float(number),
        Value::Boolean(truth) => Kind::Bool(truth),
        Value::Datetime(_) => Kind::Other,
        Value::Array(items) => Kind::List(items.into_iter().map(|item| node(item, depth + 1)).collect::<Option<_>>()?),
        Value::Table(table) => {
            let entry = |(key, value): (String, Value)| Some((Node::text(0, &key), node(value, depth + 1)?));
            Kind::Map(table.into_iter().map(entry).collect::<Option<_>>()?)
        }
    };
    Some(Node::new(0, kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_maps() {
        let tree = parse("top = 1\n[model]\nsizes = [2, 3]\nlr = 0.1\n").unwrap();
        assert_eq!(tree.get("model").and_then(|model| model.get("lr")).map(|node| &node.kind), Some(&Kind::Float(0.1)));
        assert_eq!(tree.integers(), 3);
        assert_eq!(parse("a = "), None);
    }
}
