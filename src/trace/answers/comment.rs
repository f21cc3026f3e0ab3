//! Answers of users in comments: what `# harp: …` says, `assume x: [b, 784] float32`, `assume[kind] text`, `deny[kind]
//! text`.

use crate::answers::selector::Reply;
use crate::assumption::AssumptionKind;
use crate::device::Device;
use harp_python::ir::{Expr, ExprKind, Range};
use harp_python::name::Name;
use harp_shape::notation::{PatternDim, PatternElement, PatternPart, PatternShape};
use harp_shape::{DType, parse_shape};

/// Longer paths are refused.
const LONGEST_PATH: usize = 16;

/// What a comment says.
#[derive(Debug)]
pub enum Words {
    /// It speaks of something else, such as what to ignore.
    Other,
    Answer {
        reply: Reply,
        kind: Option<AssumptionKind>,
        text: Option<String>,
    },
    Value {
        path: Expr,
        path_text: String,
        described: Described,
    },
}

/// What a user says of a value.
#[derive(Clone, Debug, Default)]
pub struct Described {
    pub shape: Option<PatternShape>,
    pub dtype: Option<DType>,
    /// The word that says whose tensor it is: `numpy`.
    pub library: Option<String>,
    pub device: Option<Device>,
}

/// What is wrong with a comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Malformed {
    /// Where in the comment's words, in bytes.
    pub offset: usize,
    pub message: String,
    pub hint: Option<String>,
}

impl Malformed {
    fn new(offset: usize, message: impl Into<String>, hint: impl Into<Option<String>>) -> Malformed {
        Malformed { offset, message: message.into(), hint: hint.into() }
    }
}

/// So many characters of a word that means nothing are quoted.
const LONGEST_QUOTED: usize = 80;

/// The beginning of a text that may be as long as a file.
fn quoted(text: &str) -> String {
    let mut shown: String = text.chars().take(LONGEST_QUOTED).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    shown
}

/// The words with which a comment begins.
const DIRECTIVES: [&str; 5] = ["ignore", "ignore-block", "ignore-file", "assume", "deny"];

/// The directive that a misspelt one most likely meant: at most two edits away, and fewer than the word has letters.
fn nearest_directive(verb: &str) -> Option<&'static str> {
    const LONGEST: usize = 16;
    let verb = verb.to_lowercase();
    if verb.len() > LONGEST {
        return None;
    }
    let edits = DIRECTIVES.map(|directive| (strsim::osa_distance(&verb, directive), directive));
    edits.into_iter().filter(|(edits, _)| *edits <= 2 && edits * 2 < verb.len()).min().map(|(_, directive)| directive)
}

/// Reads the words of a remark, which stand at `start` of the file.
pub fn read(words: &str, start: u32) -> Result<Words, Malformed> {
    let end = words.find(|c: char| !(c.is_alphanumeric() || c == '-' || c == '_')).unwrap_or(words.len());
    let (verb, rest) = words.split_at(end);
    let reply = match verb {
        "ignore" | "ignore-block" | "ignore-file" => return Ok(Words::Other),
        "assume" => Reply::Confirmed,
        "deny" => Reply::Denied,
        _ => {
            let hint = match nearest_directive(verb) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => format!("the directives are {}", DIRECTIVES.map(|it| format!("`{it}`")).join(", ")),
            };
            return Err(Malformed::new(0, format!("unknown directive `{}`", quoted(verb)), hint));
        }
    };
    let (kind, rest) = bracketed_kind(rest, verb.len())?;
    let text = rest.trim();
    if reply == Reply::Confirmed
        && kind.is_none()
        && let Some(value) = value(text, words.len() - rest.trim_start().len(), start)?
    {
        return Ok(value);
    }
    let text = (!text.is_empty()).then(|| text.to_owned());
    Ok(Words::Answer { reply, kind, text })
}

/// The kind in `[…]` directly behind the verb, and what follows.
fn bracketed_kind(rest: &str, offset: usize) -> Result<(Option<AssumptionKind>, &str), Malformed> {
    let Some(inside) = rest.strip_prefix('[') else { return Ok((None, rest)) };
    let Some((name, rest)) = inside.split_once(']') else {
        return Err(Malformed::new(
            offset,
            "the `[` is not closed",
            "write the kind of assumption as `[kind]`".to_owned(),
        ));
    };
    match AssumptionKind::parse(name.trim()) {
        Some(kind) => Ok((Some(kind), rest)),
        None => {
            let kinds = AssumptionKind::ALL.map(AssumptionKind::as_str).join(", ");
            let message = format!("`{}` is not a kind of assumption", quoted(name.trim()));
            Err(Malformed::new(offset + 1, message, format!("the kinds are {kinds}")))
        }
    }
}

/// `path: shape dtype device`. `None` where the text does not begin with a path and a colon.
fn value(text: &str, offset: usize, start: u32) -> Result<Option<Words>, Malformed> {
    let at = Range { start: start + offset as u32, end: start + offset as u32 };
    let Some((path, length)) = path(text, at) else { return Ok(None) };
    let Some(rest) = text[length..].trim_start().strip_prefix(':') else { return Ok(None) };
    let path_text: String = text[..length].chars().filter(|c| !c.is_whitespace()).collect();
    let described = describe(rest, offset + text.len() - rest.len())?;
    Ok(Some(Words::Value { path, path_text, described }))
}

/// A name with attributes and constant subscripts, at the beginning of the text; and its length.
fn path(text: &str, at: Range) -> Option<(Expr, usize)> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let name_length = |text: &str| {
        let starts = text.starts_with(|c: char| c.is_alphabetic() || c == '_');
        if starts { text.find(|c| !is_name(c)).unwrap_or(text.len()) } else { 0 }
    };
    let mut length = name_length(text);
    if length == 0 {
        return None;
    }
    let mut path = Expr::new(range(at, length), ExprKind::Name(Name::new(&text[..length])));
    for _ in 0..LONGEST_PATH {
        let rest = &text[length..];
        if let Some(rest) = rest.strip_prefix('.') {
            let attribute = name_length(rest);
            if attribute == 0 {
                return None;
            }
            length += 1 + attribute;
            let attribute_range = range(at, length);
            let attribute = Name::new(&rest[..attribute]);
            let kind = ExprKind::Attribute { value: Box::new(path), attribute, attribute_range };
            path = Expr::new(attribute_range, kind);
        } else if let Some(rest) = rest.strip_prefix('[') {
            let (index, _) = rest.split_once(']')?;
            length += index.len() + 2;
            let kind = constant(index.trim())?;
            let index = Box::new(Expr::new(range(at, length), kind));
            path = Expr::new(range(at, length), ExprKind::Subscript { value: Box::new(path), index });
        } else {
            return Some((path, length));
        }
    }
    None
}

fn range(at: Range, length: usize) -> Range {
    Range { start: at.start, end: at.start + length as u32 }
}

/// An integer or a string without escapes.
fn constant(text: &str) -> Option<ExprKind> {
    if let Ok(number) = text.parse::<i64>() {
        return Some(ExprKind::Int(number));
    }
    let inside = ['"', '\''].iter().find_map(|quote| text.strip_prefix(*quote)?.strip_suffix(*quote))?;
    (!inside.contains(['\\', '"', '\''])).then(|| ExprKind::Str(inside.into()))
}

/// A shape, an element type, a device and `numpy`, of which all but one may be left out; the shape comes first.
fn describe(text: &str, offset: usize) -> Result<Described, Malformed> {
    let mut described = Described::default();
    let mut rest = text.trim();
    while let Some(word) = rest.split_whitespace().next_back().filter(|word| !word.contains([']', '@', '['])) {
        let before = rest[..rest.len() - word.len()].trim_end();
        // Alone, a word that is no dtype is a shape variable.
        if let Some(dtype) = DType::parse(word).filter(|dtype| dtype.is_known() && described.dtype.is_none()) {
            described.dtype = Some(dtype);
            if let Some((library, _)) = word.split_once('.') {
                described.library = Some(library.to_owned());
            }
        } else if let Some(device) = device(word).filter(|_| !before.is_empty()) {
            described.device = Some(device);
        // A word of the notation of comments, which knows no families: what the word names is looked up where the comment is used.
        } else if matches!(word, "numpy" | "ndarray") && !before.is_empty() {
            described.library = Some(word.to_owned());
        } else {
            break;
        }
        rest = match before.strip_suffix(" on") {
            Some(before) => before.trim_end(),
            None => before,
        };
    }
    if rest.is_empty() && described.dtype.is_some() {
        return Ok(described);
    }
    let first = offset + text.find(rest).unwrap_or(0);
    let example = || "write `assume x: [b, 784] float32`".to_owned();
    if rest.is_empty() {
        return Err(Malformed::new(first, "nothing is said of the value", example()));
    }
    let shape = parse_shape(rest).map_err(|error| {
        let hint = error.hint.unwrap_or_else(example);
        Malformed::new(first + error.offset.min(rest.len()), error.message, hint)
    })?;
    if has_negative(&shape) {
        return Err(Malformed::new(first, "a dimension is not negative", "write `_` for one of any size".to_owned()));
    }
    described.shape = Some(shape);
    Ok(described)
}

fn device(word: &str) -> Option<Device> {
    match word.split(':').next()? {
        "cpu" => Some(Device::Cpu),
        "cuda" | "mps" | "xpu" | "accelerator" => Some(Device::Accelerator),
        _ => None,
    }
}

fn has_negative(shape: &PatternShape) -> bool {
    shape.parts.iter().any(|part| match part {
        PatternPart::Dims(elements) => elements.iter().any(|element| match element {
            PatternElement::Dim(PatternDim::Constant(value)) => *value < 0,
            PatternElement::Dim(PatternDim::Negate(inner)) => matches!(**inner, PatternDim::Constant(_)),
            _ => false,
        }),
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(words: &str) -> String {
        match read(words, 0) {
            Ok(Words::Other) => "other".to_owned(),
            Ok(Words::Answer { reply, kind, text }) => {
                format!("{} {:?} {text:?}", reply.as_str(), kind.map(AssumptionKind::as_str))
            }
            Ok(Words::Value { path_text, described, .. }) => {
                let shape = described.shape.map_or("?".to_owned(), |shape| shape.to_string());
                format!("{path_text} is {shape} {:?} {:?} {:?}", described.dtype, described.library, described.device)
            }
            Err(error) => format!("{}: {}", error.offset, error.message),
        }
    }

    #[test]
    fn values() {
        assert_eq!(shown("assume x: [b, 784]"), "x is [b, 784] None None None");
        assert_eq!(shown("assume x : [b, 784]  float32"), "x is [b, 784] Some(Float32) None None");
        assert_eq!(
            shown("assume self.net.weight: [h, 2*h] torch.long on cuda:0"),
            "self.net.weight is [h, 2*h] Some(Int64) Some(\"torch\") Some(Accelerator)"
        );
        assert_eq!(
            shown("assume batch[\"image\"]: s@[3] numpy"),
            "batch[\"image\"] is s@[3] None Some(\"numpy\") None"
        );
        assert_eq!(shown("assume xs[-1]: []"), "xs[-1] is [] None None None");
        assert_eq!(shown("assume x: np.uint8"), "x is ? Some(UInt8) Some(\"np\") None");
        assert_eq!(shown("assume größe: [n]"), "größe is [n] None None None");
    }

    #[test]
    fn answers() {
        assert_eq!(shown("deny"), "denied None None");
        assert_eq!(shown("deny[trip-count]"), "denied Some(\"trip-count\") None");
        assert_eq!(shown("deny[ trip-count ] runs"), "denied Some(\"trip-count\") Some(\"runs\")");
        assert_eq!(shown("assume the loop: runs often"), "confirmed None Some(\"the loop: runs often\")");
        assert_eq!(shown("assume[size] x: [b]"), "confirmed Some(\"size\") Some(\"x: [b]\")");
        assert_eq!(shown("ignore[shape]"), "other");
    }

    #[test]
    fn mistakes_have_a_place() {
        assert_eq!(shown("asume x: [b]"), "0: unknown directive `asume`");
        assert_eq!(shown("deny[trip-count"), "4: the `[` is not closed");
        assert_eq!(shown("deny[trips] x"), "5: `trips` is not a kind of assumption");
        assert_eq!(shown("assume x:"), "9: nothing is said of the value");
        assert_eq!(shown("assume x: [-1, 4]"), "10: a dimension is not negative");
        assert!(shown("assume x: [b, 784").starts_with("17: "), "{}", shown("assume x: [b, 784"));
        assert!(shown("assume x: [b, 784] flat32").starts_with("19: "), "{}", shown("assume x: [b, 784] flat32"));
    }

    #[test]
    fn a_misspelt_directive_is_recognised() {
        for (typed, meant) in
            [("asume", "assume"), ("Ignore", "ignore"), ("ignore_file", "ignore-file"), ("dney", "deny")]
        {
            assert_eq!(nearest_directive(typed), Some(meant), "{typed}");
        }
        for typed in ["", "x", "noqa", "skip", &"assume".repeat(1000)] {
            assert_eq!(nearest_directive(typed), None, "{typed}");
        }
    }

    #[test]
    fn no_text_makes_the_reader_panic() {
        let parts = ["assume ", "deny", "x", ".", "[", "]", "\"", ":", "é", " ", "float32", "on", "@", "-1", "#", "9"];
        let mut state = 7usize;
        for _ in 0..5_000 {
            let mut words = String::from("assume ");
            for _ in 0..8 {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                words.push_str(parts[(state >> 33) % parts.len()]);
            }
            let _ = read(&words, 3);
        }
    }
}
