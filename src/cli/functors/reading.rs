//! Functors over shapes: read the texts that rules have for shapes and dimensions.
//!
//! The texts come from facts, and from whatever else a rule passes. Reading is lenient: of a text that the notation cannot say, as
//! much is known as its brackets and commas tell.

use std::collections::BTreeMap;

use harp_shape::notation::{Actual, PatternDim, Scope};
use harp_shape::{Constraint, Dim, Shape, Solver, Var, VarInfo, Verdict, parse_dim};

/// Longer texts are not read.
const LONGEST: usize = 4_096;

/// A shape, as far as its text tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShapeText {
    /// Parts in their order.
    parts: Vec<Part>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Dim(String),
    /// Any number of dimensions.
    Rest(String),
}

impl ShapeText {
    /// Reads a shape; `None` where the text is none.
    pub fn read(text: &str) -> Option<ShapeText> {
        if text.len() > LONGEST {
            return None;
        }
        let mut parts = Vec::new();
        for piece in split(text, '@')? {
            match piece.strip_prefix('[').and_then(|inner| inner.strip_suffix(']')) {
                Some(inner) if inner.trim().is_empty() => {}
                Some(inner) => {
                    for dim in split(inner, ',')? {
                        if dim.is_empty() {
                            return None;
                        }
                        parts.push(Part::Dim(dim.to_owned()));
                    }
                }
                None if is_rest(piece) => parts.push(Part::Rest(piece.to_owned())),
                None => return None,
            }
        }
        Some(ShapeText { parts })
    }

    /// The number of dimensions, where it is known.
    pub fn rank(&self) -> Option<usize> {
        let is_known = self.parts.iter().all(|part| matches!(part, Part::Dim(_)));
        is_known.then_some(self.parts.len())
    }

    /// A dimension, counted from the end where the axis is negative.
    pub fn dim(&self, axis: i64) -> Option<&str> {
        let distance = usize::try_from(if axis < 0 { -(axis + 1) } else { axis }).ok()?;
        let before = |part: &&Part| matches!(part, Part::Dim(_));
        let found = if axis < 0 {
            self.parts.iter().rev().take_while(before).nth(distance)
        } else {
            self.parts.iter().take_while(before).nth(distance)
        };
        match found? {
            Part::Dim(dim) => Some(dim),
            Part::Rest(_) => None,
        }
    }

    /// The number of elements as a polynomial; `None` where a dimension is ragged or cannot be read.
    pub fn product(&self) -> Option<String> {
        let mut reader = Dimensions::default();
        let mut product = Dim::ONE;
        for part in &self.parts {
            product = product
                * match part {
                    Part::Dim(dim) => reader.read(dim)?,
                    Part::Rest(name) => reader.shape(name).prod(),
                };
        }
        (!product.is_opaque()).then(|| product.to_string())
    }

    /// Whether all dimensions are constants.
    pub fn is_constant(&self) -> bool {
        self.parts.iter().all(|part| matches!(part, Part::Dim(dim) if is_constant(dim)))
    }
}

/// Whether a dimension's text is a whole number.
pub fn is_constant(dim: &str) -> bool {
    dim.trim().parse::<i64>().is_ok()
}

/// What is certain of the equality of two dimensions.
pub fn equality(left: &str, right: &str) -> Answer {
    let mut reader = Dimensions::default();
    match (reader.read(left), reader.read(right)) {
        (Some(left), Some(right)) => reader.judge(&Constraint::Equal(left, right)),
        _ => Answer::Unknown,
    }
}

/// What is certain of a dimension being a multiple of another.
pub fn divisibility(divisor: &str, value: &str) -> Answer {
    let mut reader = Dimensions::default();
    match (reader.read(divisor), reader.read(value)) {
        // Nothing is a multiple of zero but zero, and rules that pass it surely mean something else.
        (Some(Dim::ZERO), _) => Answer::Unknown,
        (Some(divisor), Some(value)) => reader.judge(&Constraint::Divides { divisor, value }),
        _ => Answer::Unknown,
    }
}

/// What can be said for certain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    Holds,
    Violated,
    Unknown,
}

impl Answer {
    pub fn word(self) -> &'static str {
        match self {
            Answer::Holds => "holds",
            Answer::Violated => "violated",
            Answer::Unknown => "unknown",
        }
    }
}

/// Reads dimensions in which equal names are equal numbers of at least 1.
#[derive(Default)]
struct Dimensions {
    names: BTreeMap<String, Dim>,
    shapes: BTreeMap<String, Shape>,
    solver: Solver,
}

impl Dimensions {
    /// `None` where the notation cannot say it, or it stands for any number.
    fn read(&mut self, text: &str) -> Option<Dim> {
        if text.len() > LONGEST {
            return None;
        }
        let pattern = parse_dim(text).ok()?;
        self.note_names(&pattern);
        let no_parameters = |_: &str| Actual::Unknown;
        let mut scope = Scope::new(&no_parameters);
        scope.dims.clone_from(&self.names);
        scope.shapes.clone_from(&self.shapes);
        let dim = scope.dim(&pattern, &mut self.solver)?;
        let dim = self.solver.resolve(dim);
        (!dim.is_opaque()).then_some(dim)
    }

    /// A name stands for one number, and for one shape.
    fn note_names(&mut self, pattern: &PatternDim) {
        pattern.for_each_name(&mut |name, _| {
            self.names.entry(name.to_owned()).or_insert_with(|| Dim::var(Var::fresh(VarInfo::fixed(name))));
            self.shapes.entry(name.to_owned()).or_insert_with(|| Shape::unknown(name));
        });
    }

    fn shape(&mut self, name: &str) -> Shape {
        self.shapes.entry(name.to_owned()).or_insert_with(|| Shape::unknown(name)).clone()
    }

    fn judge(&self, constraint: &Constraint) -> Answer {
        match self.solver.judge(constraint) {
            Verdict::Holds => Answer::Holds,
            Verdict::Violated => Answer::Violated,
            Verdict::Possible(_) | Verdict::Unknown => Answer::Unknown,
        }
    }
}

/// The pieces between separators outside of brackets, trimmed; `None` where brackets do not match.
fn split(text: &str, separator: char) -> Option<Vec<&str>> {
    let mut pieces = Vec::new();
    let mut open = Vec::new();
    let mut start = 0;
    for (index, character) in text.char_indices() {
        match character {
            '[' => open.push(']'),
            '(' => open.push(')'),
            ']' | ')' if open.pop() != Some(character) => return None,
            other if other == separator && open.is_empty() => {
                pieces.push(text[start..index].trim());
                start = index + other.len_utf8();
            }
            _ => {}
        }
    }
    pieces.push(text[start..].trim());
    open.is_empty().then_some(pieces)
}

/// A shape variable, a part of one, or a broadcast.
fn is_rest(piece: &str) -> bool {
    let name_end = piece.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '.').unwrap_or(piece.len());
    let (name, rest) = piece.split_at(name_end);
    let is_name = name.starts_with(|first: char| first.is_alphabetic() || first == '_');
    let is_slice = rest.starts_with('[') && rest.ends_with(']') && rest.contains(':');
    let is_broadcast = name == "broadcast" && rest.starts_with('(') && rest.ends_with(')');
    is_name && (rest.is_empty() || is_slice || is_broadcast)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> ShapeText {
        ShapeText::read(text).unwrap_or_else(|| panic!("{text} is a shape"))
    }

    #[test]
    fn ranks_and_dimensions_are_those_that_the_text_tells() {
        assert_eq!(read("[b, 784]").rank(), Some(2));
        assert_eq!(read("[]").rank(), Some(0));
        assert_eq!(read("[ ]").rank(), Some(0));
        assert_eq!(read("s").rank(), None);
        assert_eq!(read("s@[d]").rank(), None);
        assert_eq!(read("[a]@[b, min(c, 2)]").rank(), Some(3));
        assert_eq!(read("[n, 3, h//2]").dim(2), Some("h//2"));
        assert_eq!(read("[n, 3, h//2]").dim(-1), Some("h//2"));
        assert_eq!(read("[n, 3, h//2]").dim(-3), Some("n"));
        assert_eq!(read("[n, 3]").dim(2), None);
        assert_eq!(read("[n, 3]").dim(-3), None);
        assert_eq!(read("[n, 3]").dim(i64::MIN), None);
        assert_eq!(read("[n, 3]").dim(i64::MAX), None);
        assert_eq!(read("[n]@s@[d, 7]").dim(0), Some("n"));
        assert_eq!(read("[n]@s@[d, 7]").dim(1), None);
        assert_eq!(read("[n]@s@[d, 7]").dim(-2), Some("d"));
        assert_eq!(read("[n]@s@[d, 7]").dim(-3), None);
        assert_eq!(read("[min(a, b), s[0]]").dim(1), Some("s[0]"));
    }

    #[test]
    fn products_are_polynomials() {
        let product = |text: &str| read(text).product();
        assert_eq!(product("[]").as_deref(), Some("1"));
        assert_eq!(product("[2, 3, 4]").as_deref(), Some("24"));
        assert_eq!(product("[b, 3, b]").as_deref(), Some("3*b*b"));
        assert_eq!(product("s@[2]").as_deref(), Some("2*prod(s)"));
        assert_eq!(product("[b, *]"), None);
        assert_eq!(product("[?, 2]"), None);
        assert_eq!(product("[9223372036854775807, 2]"), None);
    }

    #[test]
    fn constants_are_known() {
        assert!(read("[]").is_constant());
        assert!(read("[2, 3]").is_constant());
        assert!(!read("[2, b]").is_constant());
        assert!(!read("s").is_constant());
        assert!(is_constant("784") && !is_constant("b") && !is_constant("") && !is_constant("*"));
    }

    #[test]
    fn equality_knows_that_dimensions_are_at_least_one() {
        for (left, right, word) in [
            ("b", "b", "holds"),
            ("2*b", "b + b", "holds"),
            ("b", "b + 1", "violated"),
            ("b", "0", "violated"),
            ("b", "c", "unknown"),
            ("b", "1", "unknown"),
            ("2*b", "7", "violated"),
            ("3", "3", "holds"),
            ("3", "4", "violated"),
            ("prod(s)", "prod(s)", "holds"),
            ("s[0]", "s[0]", "holds"),
            ("?", "?", "unknown"),
            ("*", "*", "unknown"),
            ("_", "_", "unknown"),
            ("", "", "unknown"),
            ("(", "3", "unknown"),
        ] {
            assert_eq!(equality(left, right).word(), word, "{left} == {right}");
        }
    }

    #[test]
    fn divisibility_looks_into_the_polynomial() {
        for (divisor, value, word) in [
            ("8", "64", "holds"),
            ("8", "33278", "violated"),
            ("8", "8*h", "holds"),
            ("8", "16*h + 8", "holds"),
            ("8", "8*h + 4", "violated"),
            ("8", "h", "unknown"),
            ("8", "h//2", "unknown"),
            ("h", "h*w", "holds"),
            ("0", "8", "unknown"),
            ("8", "?", "unknown"),
        ] {
            assert_eq!(divisibility(divisor, value).word(), word, "{divisor} divides {value}");
        }
    }

    #[test]
    fn texts_that_are_no_shapes_are_refused() {
        let deep = "[".repeat(3_000);
        let long = format!("[{}1]", "1, ".repeat(3_000));
        for text in ["", "[", "]", "[3", "[3)]", "[3,, 4]", "[,]", "3", "a b", "a@", "@", "%", deep.as_str(), &long] {
            assert_eq!(ShapeText::read(text), None, "{text:.20}");
        }
        // Names that the notation reserves occur as names of shapes of which nothing is known.
        assert_eq!(read("broadcast").rank(), None);
        assert_eq!(read("where@[n]").dim(-1), Some("n"));
        assert_eq!(equality(&"(".repeat(100_000), "1").word(), "unknown");
    }
}
