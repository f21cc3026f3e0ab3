//! Reads texts of settings for `configparser`: sections of keys with texts.

use super::MOST_NODES;
use super::tree::{Kind, Node, set};

/// What a parser of INI files takes beyond what all take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IniForm {
    /// Keys without a value.
    pub has_bare_keys: bool,
    /// Sections and keys that are there twice.
    pub has_repeats: bool,
}

/// The section whose entries all others have, too.
const DEFAULT: &str = "DEFAULT";

/// The sections of a text, each a map of texts by lower-case key; `None` where it is malformed or too much.
pub fn parse(text: &str, form: IniForm) -> Option<Node> {
    let mut sections: Vec<(Node, Vec<(Node, Node)>)> = Vec::new();
    let mut last = 0;
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let number = index + 1;
        let word = line.trim();
        if index >= MOST_NODES {
            return None;
        }
        if word.starts_with(['#', ';']) {
            continue;
        }
        let goes_on = last == index;
        last = number;
        // A line that is indented goes on with the value before, which is then no number.
        if line.starts_with([' ', '\t'])
            && let Some((_, (_, value))) =
                sections.last_mut().and_then(|(name, entries)| Some((name, entries.last_mut()?)))
        {
            value.kind = match &value.kind {
                Kind::Text(before) if goes_on => Kind::Text(format!("{before}\n{word}").into()),
                _ => Kind::Other,
            };
            continue;
        }
        if let Some(name) = word.strip_prefix('[') {
            let name = Node::text(number, &name[..name.rfind(']').filter(|end| *end > 0)?]);
            match sections.iter().position(|(known, _)| known.kind == name.kind) {
                Some(_) if !form.has_repeats => return None,
                // What follows goes on with the section.
                Some(place) => {
                    let section = sections.remove(place);
                    sections.push(section);
                }
                None => sections.push((name, Vec::new())),
            }
            continue;
        }
        let (_, entries) = sections.last_mut()?;
        let (key, value) = match word.split_once(['=', ':']) {
            Some((key, value)) => (key, Node::text(number, value.trim())),
            None if form.has_bare_keys => (word, Node::new(number, Kind::Null)),
            None => return None,
        };
        let key = Node::text(number, &key.trim().to_lowercase());
        let is_known = entries.iter().any(|(known, _)| known.kind == key.kind);
        if key.kind == Kind::Text("".into()) || is_known && !form.has_repeats {
            return None;
        }
        set(entries, key, value);
    }
    let of_all: Vec<(Node, Node)> = sections
        .iter()
        .filter(|(name, _)| name.kind == Kind::Text(DEFAULT.into()))
        .flat_map(|(_, entries)| entries.clone())
        .collect();
    let whole = |(name, entries): (Node, Vec<(Node, Node)>)| {
        let mut all = of_all.clone();
        entries.into_iter().for_each(|(key, value)| set(&mut all, key, value));
        let known = all.clone();
        for (_, value) in &mut all {
            interpolate(value, &known);
        }
        let line = name.line;
        (name, Node::new(line, Kind::Map(all)))
    };
    Some(Node::new(1, Kind::Map(sections.into_iter().map(whole).collect())))
}

/// Puts in what a value says of others of its section: `%(width)s`. What does not name one, or writes `%` as `%%`, which raw parsers leave as
/// it is, is not known.
fn interpolate(value: &mut Node, known: &[(Node, Node)]) {
    const DEEPEST: usize = 10;
    for _ in 0..DEEPEST {
        let Kind::Text(text) = &value.kind else { return };
        let Some((before, rest)) = text.split_once('%') else { return };
        let named = rest.strip_prefix('(').and_then(|rest| rest.split_once(")s"));
        let found = named.and_then(|(name, behind)| {
            let name = name.to_lowercase();
            let (_, found) = known.iter().find(|(key, _)| matches!(&key.kind, Kind::Text(key) if **key == *name))?;
            if let Kind::Text(found) = &found.kind { Some(format!("{before}{found}{behind}")) } else { None }
        });
        value.kind = found.map_or(Kind::Other, |text| Kind::Text(text.into()));
    }
    value.kind = Kind::Other;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_may_take_more() {
        let form = IniForm { has_bare_keys: true, has_repeats: true };
        let tree = parse("[a]\nflag\nx = 1\n[b]\n[a]\nx = 2\n", form).unwrap();
        let section = tree.get("a").unwrap();
        assert_eq!(section.get("x"), Some(&Node::text(6, "2")));
        assert_eq!(section.get("flag").map(|node| &node.kind), Some(&Kind::Null));
    }

    #[test]
    fn sections_have_texts_and_what_is_default() {
        let parse = |text| parse(text, IniForm::default());
        let tree = parse("# c\n[DEFAULT]\na = 1\n[model]\nWidth: 12\nname = x y\n  z\n").unwrap();
        let model = tree.get("model").unwrap();
        assert_eq!(model.get("a"), Some(&Node::text(3, "1")));
        assert_eq!(model.get("width"), Some(&Node::text(5, "12")));
        assert_eq!(model.get("name").map(|node| &node.kind), Some(&Kind::Text("x y\nz".into())));
        for refused in ["a = 1", "[a]\nx = 1\nX: 2\n", "[a]\n[b]\n[a]\n", "[a]\nflag\n", "[a\n", "[]\n", "[a]\n=1\n"] {
            assert_eq!(parse(refused), None, "{refused}");
        }
        let tree = parse("[DEFAULT]\nw = 3\n[m]\ntwice = %(W)s%(w)s\nodd = 5%%\n").unwrap();
        let model = tree.get("m").unwrap();
        assert_eq!(model.get("twice").map(|node| &node.kind), Some(&Kind::Text("33".into())));
        assert_eq!(model.get("odd").map(|node| &node.kind), Some(&Kind::Other));
    }
}
