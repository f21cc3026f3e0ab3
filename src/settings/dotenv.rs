//! Reads texts of settings for `dotenv`: variables of the environment, a line each.

use super::MOST_NODES;
use crate::tree::{Kind, Node, set};

/// The variables of a text. A value is only known where it is a number or a switch: what else such files hold is often secret.
pub fn parse(text: &str) -> Option<Node> {
    let mut entries = Vec::new();
    for (index, line) in text.lines().enumerate() {
        if index >= MOST_NODES {
            return None;
        }
        let line_number = index + 1;
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let line = line.strip_prefix("export ").unwrap_or(line);
        let (name, value) = line.split_once('=').unwrap_or((line, ""));
        let value = value.trim();
        let plain = match value.chars().next() {
            Some(quote @ ('"' | '\'')) => value[1..].split(quote).next().unwrap_or(""),
            _ => value.split(" #").next().unwrap_or("").trim_end(),
        };
        let is_shown = plain.parse::<f64>().is_ok() && plain.len() <= 12
            || matches!(plain.to_ascii_lowercase().as_str(), "true" | "false" | "yes" | "no" | "on" | "off");
        let node = if is_shown { Node::text(line_number, plain) } else { Node::new(line_number, Kind::Other) };
        set(&mut entries, Node::text(line_number, name.trim()), node);
    }
    Some(Node::new(1, Kind::Map(entries)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_known_and_secrets_are_not() {
        let tree = parse("# c\nWIDTH=8\nexport DEPTH = '3' \nRATE=0.5 # half\nKEY=sk-12ab\n").unwrap();
        assert_eq!(tree.get("WIDTH"), Some(&Node::text(2, "8")));
        assert_eq!(tree.get("DEPTH"), Some(&Node::text(3, "3")));
        assert_eq!(tree.get("RATE"), Some(&Node::text(4, "0.5")));
        assert_eq!(tree.get("KEY").map(|node| &node.kind), Some(&Kind::Other));
    }
}
