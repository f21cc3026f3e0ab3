//! For judging the sizes of a class's objects: which classes a program names other than where it defines them, found in
//! one pass over its texts.

use rustc_hash::FxHashMap;

/// What stands before the name of a class that is defined.
const DEFINITION: &str = "class ";
/// What stands before the name of a class whose members are asked for by a class that derives from it.
const SUPER: &str = "super(";

/// The classes that texts define, and whether a text names them elsewhere.
#[derive(Debug, Default)]
pub struct NamedClasses<'p> {
    is_named: FxHashMap<&'p str, bool>,
}

impl<'p> NamedClasses<'p> {
    pub fn new(texts: impl Iterator<Item = &'p str> + Clone) -> NamedClasses<'p> {
        let mut classes = NamedClasses::default();
        for text in texts.clone() {
            for (place, _) in text.match_indices(DEFINITION) {
                let after = &text[place + DEFINITION.len()..];
                let name = &after[..after.find(|next| !is_part(next)).unwrap_or(after.len())];
                classes.is_named.insert(name, false);
            }
        }
        if !classes.is_named.is_empty() {
            texts.for_each(|text| classes.note_names(text));
        }
        classes
    }

    fn note_names(&mut self, text: &'p str) {
        let mut rest = text;
        while let Some(start) = rest.find(is_part) {
            let from = text.len() - rest.len() + start;
            rest = &text[from..];
            let length = rest.find(|next| !is_part(next)).unwrap_or(rest.len());
            let name = &rest[..length];
            rest = &rest[length..];
            if let Some(is_named) = self.is_named.get_mut(name) {
                *is_named = *is_named || is_elsewhere(&text[..from]);
            }
        }
    }

    /// Whether a text names a class other than where one of that name is defined, and its members by `super`. `None` for a class that is defined in
    /// another way than texts are searched for.
    pub fn is_named(&self, class: &str) -> Option<bool> {
        self.is_named.get(class).copied()
    }
}

fn is_part(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// Whether a name behind this text is not that of a definition.
fn is_elsewhere(before: &str) -> bool {
    !before.ends_with(DEFINITION) && !before.ends_with(SUPER)
}

/// As [`NamedClasses::is_named`], for any class and one text.
pub fn names_elsewhere(text: &str, class: &str) -> bool {
    text.match_indices(class).any(|(place, _)| {
        let (before, after) = (&text[..place], &text[place + class.len()..]);
        !before.ends_with(is_part) && !after.starts_with(is_part) && is_elsewhere(before)
    })
}
