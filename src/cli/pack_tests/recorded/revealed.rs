//! `harp test`: reads what is revealed of a recorded call's value, `dict of ("w": [2, 5] float32 on cpu, "b": (3,
//! None))`.

/// A value as it is revealed.
#[derive(Debug, PartialEq, Eq)]
pub enum Revealed<'t> {
    /// A tensor: its sizes as they are written, and its element type, which may be `unknown`.
    Tensor { sizes: &'t str, dtype: &'t str },
    /// A tuple, a named tuple, or a list of known length.
    Items(Vec<Revealed<'t>>),
    /// A dict with the keys as they are written, without quotes.
    Dict(Vec<(&'t str, Revealed<'t>)>),
    /// A number, a word, or what is not read here.
    Other(&'t str),
}

impl<'t> Revealed<'t> {
    /// Reads a text. What has another form is `Other` as a whole.
    pub fn read(text: &'t str) -> Revealed<'t> {
        let mut reader = Reader { rest: text };
        match reader.value() {
            Some(value) if reader.rest.trim().is_empty() => value,
            _ => Revealed::Other(text),
        }
    }
}

struct Reader<'t> {
    rest: &'t str,
}

impl<'t> Reader<'t> {
    fn value(&mut self) -> Option<Revealed<'t>> {
        if let Some(behind) = self.rest.strip_prefix("dict of (") {
            self.rest = behind;
            return self.entries();
        }
        if self.rest.starts_with('[') {
            return self.tensor();
        }
        // The name of a named tuple, and the word in front of a list's items.
        let items = self.rest.strip_prefix("list of ").unwrap_or(self.rest);
        let items = items.trim_start_matches(|letter: char| letter.is_alphanumeric() || letter == '_');
        if let Some(behind) = items.strip_prefix('(') {
            self.rest = behind;
            return self.items();
        }
        let end = end_of_value(self.rest);
        let (value, rest) = self.rest.split_at(end);
        self.rest = rest;
        (!value.is_empty()).then_some(Revealed::Other(value.trim()))
    }

    fn tensor(&mut self) -> Option<Revealed<'t>> {
        let close = closing(self.rest)?;
        let sizes = &self.rest[1..close];
        let behind = &self.rest[close + 1..];
        let (words, rest) = behind.split_at(end_of_value(behind));
        // One of several shapes, and axes around a shape variable.
        if words.contains(" or ") || words.starts_with('@') {
            return None;
        }
        self.rest = rest;
        Some(Revealed::Tensor { sizes, dtype: words.split_whitespace().next().unwrap_or_default() })
    }

    fn items(&mut self) -> Option<Revealed<'t>> {
        let mut items = Vec::new();
        while !self.takes(")") {
            if !items.is_empty() && !self.takes(", ") {
                return None;
            }
            // The name of a field.
            let name = self.rest.find(|letter: char| !(letter.is_alphanumeric() || letter == '_')).unwrap_or(0);
            if name > 0 && self.rest[name..].starts_with('=') {
                self.rest = &self.rest[name + 1..];
            }
            items.push(self.value()?);
        }
        Some(Revealed::Items(items))
    }

    fn entries(&mut self) -> Option<Revealed<'t>> {
        let mut entries = Vec::new();
        while !self.takes(")") {
            if !entries.is_empty() && !self.takes(", ") {
                return None;
            }
            let (key, behind) = self.rest.split_once(": ")?;
            self.rest = behind;
            entries.push((key.trim_matches('"'), self.value()?));
        }
        Some(Revealed::Dict(entries))
    }

    fn takes(&mut self, text: &str) -> bool {
        let behind = self.rest.strip_prefix(text);
        self.rest = behind.unwrap_or(self.rest);
        behind.is_some()
    }
}

/// Where a value ends that other values may follow: at a comma or a closing parenthesis that is not within it.
fn end_of_value(text: &str) -> usize {
    let mut depth = 0usize;
    for (place, letter) in text.char_indices() {
        match letter {
            '(' | '[' => depth += 1,
            ')' | ',' if depth == 0 => return place,
            ')' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    text.len()
}

/// Where the bracket closes that a text begins with.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0usize;
    for (place, letter) in text.char_indices() {
        match letter {
            '[' => depth += 1,
            ']' if depth <= 1 => return Some(place),
            ']' => depth -= 1,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tensor<'t>(sizes: &'t str, dtype: &'t str) -> Revealed<'t> {
        Revealed::Tensor { sizes, dtype }
    }

    #[test]
    fn values_within_values_are_read() {
        let text = "dict of (\"w\": [2, min(5, n)] float32 on unknown device, \"b\": (3, None, LSTMStateTuple(c=[4] int32 on cpu)))";
        let inner = Revealed::Items(vec![tensor("4", "int32")]);
        let items = Revealed::Items(vec![Revealed::Other("3"), Revealed::Other("None"), inner]);
        let entries = vec![("w", tensor("2, min(5, n)", "float32")), ("b", items)];
        assert_eq!(Revealed::read(text), Revealed::Dict(entries));
        assert_eq!(Revealed::read("list of ([] bool on cpu)"), Revealed::Items(vec![tensor("", "bool")]));
        assert_eq!(Revealed::read("()"), Revealed::Items(Vec::new()));
    }

    #[test]
    fn what_has_another_form_is_left_as_it_is() {
        for text in [
            "unknown",
            "list of [2] float32 on cpu",
            "shape@[n] float32 on cpu",
            "[1]@shape float32",
            "[2] float32 or [3] float32",
            "(2",
            "",
        ] {
            assert_eq!(Revealed::read(text), Revealed::Other(text));
        }
    }
}
