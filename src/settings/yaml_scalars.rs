//! What the words of YAML mean to PyYAML: its resolvers, which say what a word without quotes is, and its constructors, which say what
//! becomes of it.

use std::rc::Rc;
use std::sync::LazyLock;

use regex::Regex;

use crate::tree::Kind;

/// Which words are numbers and truth values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// PyYAML: `yes` is true, and `1e-3` a text.
    PyYaml,
    /// OmegaConf: `1e-3` is a number, and no word is a date.
    OmegaConf,
}

static FLOAT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"[-+]?[0-9][0-9_]*\.[0-9_]*([eE][-+][0-9]+)?|\.[0-9][0-9_]*([eE][-+][0-9]+)?
        |[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+\.[0-9_]*|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)",
    )
});
static INTEGER: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"[-+]?0b[0-1_]+|[-+]?0[0-7_]+|[-+]?(0|[1-9][0-9_]*)|[-+]?0x[0-9a-fA-F_]+
        |[-+]?[1-9][0-9_]*(:[0-5]?[0-9])+",
    )
});
static DATE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"[0-9]{4}-[0-9]{2}-[0-9]{2}
        |[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([Tt]|[\ \t]+)[0-9]{1,2}:[0-9]{2}:[0-9]{2}(\.[0-9]*)?
         ([\ \t]*(Z|[-+][0-9]{1,2}(:[0-9]{2})?))?",
    )
});
/// What is a number to OmegaConf, where it is nothing to PyYAML.
static OMEGA_FLOAT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"[-+]?[0-9][0-9_]*\.[0-9_]*([eE][-+]?[0-9]+)?|[-+]?[0-9][0-9_]*[eE][-+]?[0-9]+
        |\.[0-9_]+([eE][-+][0-9]+)?",
    )
});

fn pattern(alternatives: &str) -> Regex {
    Regex::new(&format!("(?x)^(?:{alternatives})$")).unwrap_or_else(|error| unreachable!("{error}"))
}

/// The meaning of a word without quotes.
pub fn plain(text: &str, dialect: Dialect) -> Kind {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Kind::Null,
        "true" | "True" | "TRUE" | "yes" | "Yes" | "YES" | "on" | "On" | "ON" => return Kind::Bool(true),
        "false" | "False" | "FALSE" | "no" | "No" | "NO" | "off" | "Off" | "OFF" => return Kind::Bool(false),
        // It has a tag of which PyYAML makes nothing.
        "=" => return Kind::Other,
        _ => {}
    }
    // Numbers and dates begin so; most words do not.
    if !text.starts_with(|first: char| first.is_ascii_digit() || matches!(first, '-' | '+' | '.')) {
        return Kind::Text(Rc::from(text));
    }
    if FLOAT.is_match(text) {
        float(text)
    } else if INTEGER.is_match(text) {
        integer(text)
    } else if dialect == Dialect::PyYaml && DATE.is_match(text) {
        Kind::Other
    } else if dialect == Dialect::OmegaConf && OMEGA_FLOAT.is_match(text) {
        float(text)
    } else {
        Kind::Text(Rc::from(text))
    }
}

/// The meaning of a word that a tag of YAML says the kind of, `!!float 3`. What PyYAML refuses is not known.
pub fn tagged(text: &str, tag: &str) -> Kind {
    match tag {
        "str" => Kind::Text(Rc::from(text)),
        "int" => integer(text),
        "float" => float(text),
        "null" => Kind::Null,
        "bool" => match text.to_lowercase().as_str() {
            "yes" | "true" | "on" => Kind::Bool(true),
            "no" | "false" | "off" => Kind::Bool(false),
            _ => Kind::Other,
        },
        _ => Kind::Other,
    }
}

/// A number without its underlines, its sign, and the rest.
fn signed(text: &str) -> (String, i64) {
    let text = text.replace('_', "");
    match text.strip_prefix('-') {
        Some(rest) => (rest.to_owned(), -1),
        None => (text.strip_prefix('+').unwrap_or(&text).to_owned(), 1),
    }
}

/// A whole number; Python's have no end, and of one that is larger than ours nothing is known.
fn integer(text: &str) -> Kind {
    let (digits, sign) = signed(text);
    // Our parser would take a second sign.
    let begins_well = digits.starts_with(|first: char| first.is_ascii_digit());
    let in_base = |digits: &str, base| match digits.starts_with(['-', '+']) {
        true => None,
        false => i64::from_str_radix(digits, base).ok(),
    };
    let number = if let Some(binary) = digits.strip_prefix("0b") {
        in_base(binary, 2)
    } else if let Some(hexadecimal) = digits.strip_prefix("0x") {
        in_base(hexadecimal, 16)
    } else if digits.len() > 1 && digits.starts_with('0') {
        in_base(&digits, 8)
    } else {
        digits.split(':').try_fold(0i64, |number, part| number.checked_mul(60)?.checked_add(in_base(part, 10)?))
    };
    number.filter(|_| begins_well).map_or(Kind::Other, |number| Kind::Int(sign * number))
}

fn float(text: &str) -> Kind {
    let (digits, sign) = signed(&text.to_lowercase());
    let sign = sign as f64;
    let number = match digits.as_str() {
        ".inf" => Some(f64::INFINITY),
        ".nan" => return Kind::Float(f64::NAN),
        digits => digits.split(':').try_fold(0.0, |number: f64, part| {
            let is_number = part.starts_with(|first: char| first.is_ascii_digit() || first == '.');
            Some(number * 60.0 + part.parse::<f64>().ok().filter(|_| is_number)?)
        }),
    };
    number.map_or(Kind::Other, |number| Kind::Float(sign * number))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Kind {
        Kind::Text(text.into())
    }

    /// What PyYAML 6 says of them.
    #[test]
    fn plain_words_are_those_of_pyyaml() {
        for (word, expected) in [
            ("12", Kind::Int(12)),
            ("-1_000", Kind::Int(-1000)),
            ("+0x1F", Kind::Int(31)),
            ("0x_", Kind::Other),
            ("0X1F", text("0X1F")),
            ("0b1_01", Kind::Int(5)),
            ("0b2", text("0b2")),
            ("010", Kind::Int(8)),
            ("-017", Kind::Int(-15)),
            ("08", text("08")),
            ("0o17", text("0o17")),
            ("0_", Kind::Int(0)),
            ("12:30:45", Kind::Int(45_045)),
            ("1:30", Kind::Int(90)),
            ("-1:30", Kind::Int(-90)),
            ("1:60", text("1:60")),
            ("01:30", text("01:30")),
            ("9223372036854775808", Kind::Other),
            ("99999999999999999999", Kind::Other),
            ("99999999:00:00:00:00:00:00:00", Kind::Other),
            ("1.", Kind::Float(1.0)),
            (".5", Kind::Float(0.5)),
            ("-.5", text("-.5")),
            ("1.5e-3", Kind::Float(0.0015)),
            ("1.0e5", text("1.0e5")),
            ("1e5", text("1e5")),
            ("1e-3", text("1e-3")),
            ("1:30.5", Kind::Float(90.5)),
            ("-.INF", Kind::Float(f64::NEG_INFINITY)),
            ("-.nan", text("-.nan")),
            ("._", text("._")),
            ("yes", Kind::Bool(true)),
            ("y", text("y")),
            ("oN", text("oN")),
            ("Off", Kind::Bool(false)),
            ("~", Kind::Null),
            ("nULL", text("nULL")),
            ("=", Kind::Other),
            ("2020-01-01", Kind::Other),
            ("2020-1-1", text("2020-1-1")),
            ("2020-1-1 10:00:00.5 +01:00", Kind::Other),
            ("1234-abcd", text("1234-abcd")),
            ("--1", text("--1")),
            ("+", text("+")),
        ] {
            assert_eq!(plain(word, Dialect::PyYaml), expected, "{word}");
        }
        assert!(matches!(plain(".NaN", Dialect::PyYaml), Kind::Float(number) if number.is_nan()));
    }

    #[test]
    fn omegaconf_has_more_numbers_and_no_dates() {
        for (word, expected) in [
            ("1e-3", Kind::Float(1e-3)),
            ("1.0e5", Kind::Float(1e5)),
            ("1_0E5", Kind::Float(1e6)),
            ("._", Kind::Other),
            ("2020-01-01", text("2020-01-01")),
            ("1:30", Kind::Int(90)),
            ("99999999999999999999", Kind::Other),
        ] {
            assert_eq!(plain(word, Dialect::OmegaConf), expected, "{word}");
        }
    }

    #[test]
    fn tags_say_what_a_word_is() {
        for (word, tag, expected) in [
            ("3", "float", Kind::Float(3.0)),
            ("1e5", "float", Kind::Float(1e5)),
            ("12", "str", text("12")),
            ("1_2", "int", Kind::Int(12)),
            ("3.5", "int", Kind::Other),
            ("-+3", "int", Kind::Other),
            ("0x10", "float", Kind::Other),
            ("infinity", "float", Kind::Other),
            ("YES", "bool", Kind::Bool(true)),
            ("maybe", "bool", Kind::Other),
            ("x", "null", Kind::Null),
            ("2020-01-01", "timestamp", Kind::Other),
        ] {
            assert_eq!(tagged(word, tag), expected, "{word}");
        }
    }
}
