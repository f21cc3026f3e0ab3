//! `harp test`: compares what the library gave in a recorded call with what is revealed.

use serde_json::Value;

use super::revealed::Revealed;
use super::{Answer, Line};

/// What is right of a part of a result; the least of all parts is that of the whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    Wrong,
    Unknown,
    Known,
}

/// Compares a result with what is revealed of it.
pub fn compare(line: &Line, found: &str) -> Answer {
    let revealed = Revealed::read(found);
    // What was not known when the call was traced is as it was when it was run, if it is told at all.
    if !line.run_shape.is_null() && fit(&line.run_shape, &revealed) == Fit::Wrong {
        return Answer::Wrong(format!("a run gives {}, and here it is {found}", line.run_shape));
    }
    match fit(&line.shape, &revealed) {
        Fit::Wrong => return Answer::Wrong(format!("the library gives {}, and here it is {found}", line.shape)),
        Fit::Unknown if line.value_dependent => return Answer::Open,
        Fit::Unknown => return Answer::Unknown(found.to_owned()),
        Fit::Known => {}
    }
    match (line.dtype.as_deref(), revealed) {
        (Some(expected), Revealed::Tensor { dtype, .. }) if dtype != "unknown" && dtype != expected => {
            Answer::Wrong(format!("the library gives {expected}, and here it is {dtype}"))
        }
        _ => Answer::Known,
    }
}

fn fit(recorded: &Value, revealed: &Revealed<'_>) -> Fit {
    match recorded {
        // The library does not know the number of axes either.
        Value::String(unknown) if unknown == "?" => match revealed {
            Revealed::Tensor { .. } => Fit::Known,
            Revealed::Other(text) if !matches!(*text, "" | "unknown") => Fit::Known,
            _ => Fit::Unknown,
        },
        Value::Array(sizes) => match revealed {
            Revealed::Tensor { sizes: found, .. } => sizes_fit(sizes, found),
            Revealed::Items(_) | Revealed::Dict(_) => Fit::Wrong,
            // A scalar tensor whose value is known is revealed as that.
            Revealed::Other(text) if sizes.is_empty() && is_number(text) => Fit::Known,
            Revealed::Other(_) => Fit::Unknown,
        },
        Value::Object(parts) => match parts.iter().next().map(|(form, part)| (form.as_str(), part)) {
            Some(("t", Value::Array(items))) => items_fit(items, revealed),
            Some(("d", Value::Object(entries))) => entries_fit(entries, revealed),
            Some(("size", Value::Array(sizes))) => match revealed {
                Revealed::Items(found) => all(sizes, found, |size, found| number_fits(size, found)),
                // An array of the sizes is no answer, and another thing no mistake: shapes are objects of their own in some libraries.
                _ => Fit::Unknown,
            },
            Some(("key", Value::Array(sizes))) => match revealed {
                Revealed::Tensor { sizes: found, .. } => sizes_fit(sizes, found),
                _ => Fit::Unknown,
            },
            Some(("v", Value::Null)) => {
                if *revealed == Revealed::Other("None") {
                    Fit::Known
                } else {
                    Fit::Unknown
                }
            }
            Some(("v", value)) => number_fits(value, revealed),
            // What is in an object of a library: its sizes, or the results that it holds.
            Some((_, part @ Value::Array(sizes))) => match revealed {
                Revealed::Items(found) => all(sizes, found, |size, found| number_fits(size, found)),
                _ => fit(part, revealed),
            },
            Some((_, part)) => fit(part, revealed),
            None => Fit::Unknown,
        },
        _ => Fit::Unknown,
    }
}

fn items_fit(items: &[Value], revealed: &Revealed<'_>) -> Fit {
    match revealed {
        Revealed::Items(found) => all(items, found, fit),
        Revealed::Tensor { .. } | Revealed::Dict(_) => Fit::Wrong,
        Revealed::Other(_) => Fit::Unknown,
    }
}

fn all<'v, 't>(recorded: &'v [Value], found: &[Revealed<'t>], fit: impl Fn(&'v Value, &Revealed<'t>) -> Fit) -> Fit {
    if recorded.len() != found.len() {
        return Fit::Wrong;
    }
    recorded.iter().zip(found).map(|(recorded, found)| fit(recorded, found)).min().unwrap_or(Fit::Known)
}

fn entries_fit(entries: &serde_json::Map<String, Value>, revealed: &Revealed<'_>) -> Fit {
    let Revealed::Dict(found) = revealed else { return Fit::Unknown };
    if found.iter().any(|(key, _)| !entries.contains_key(*key)) || found.len() != entries.len() {
        return Fit::Wrong;
    }
    found
        .iter()
        .map(|(key, found)| entries.get(*key).map_or(Fit::Wrong, |entry| fit(entry, found)))
        .min()
        .unwrap_or(Fit::Known)
}

fn is_number(text: &str) -> bool {
    matches!(text, "True" | "False") || text.parse::<f64>().is_ok()
}

/// Compares a number or a word. A number that was not recorded may be any.
fn number_fits(recorded: &Value, revealed: &Revealed<'_>) -> Fit {
    let Revealed::Other(found) = revealed else { return Fit::Unknown };
    let (expected, are_alike) = match recorded {
        Value::Null => return if matches!(*found, "" | "unknown") { Fit::Unknown } else { Fit::Known },
        Value::Bool(true) => ("True".to_owned(), *found == "False"),
        Value::Bool(false) => ("False".to_owned(), *found == "True"),
        other => (other.to_string(), found.parse::<i64>().is_ok()),
    };
    match *found == expected {
        true => Fit::Known,
        false if are_alike => Fit::Wrong,
        false => Fit::Unknown,
    }
}

/// Whether sizes that are revealed are those that were recorded. A size that was not recorded may be any.
fn sizes_fit(expected: &[Value], sizes: &str) -> Fit {
    let sizes = separated(sizes);
    let is_several = |size: &&str| size.starts_with('*') || size.contains(['…', '@']) || size.contains("..");
    if sizes.iter().any(is_several) {
        return Fit::Unknown;
    }
    if sizes.len() != expected.len() {
        return Fit::Wrong;
    }
    let one = |(expected, size): (&Value, &&str)| match (expected.as_u64(), size.parse::<u64>()) {
        (Some(expected), Ok(size)) if expected != size => Fit::Wrong,
        (Some(_), Err(_)) => Fit::Unknown,
        _ => Fit::Known,
    };
    expected.iter().zip(&sizes).map(one).min().unwrap_or(Fit::Known)
}

/// The sizes of a shape; commas within a size separate none.
fn separated(sizes: &str) -> Vec<&str> {
    let mut depth = 0usize;
    let parts = sizes.split(|letter: char| {
        match letter {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        letter == ',' && depth == 0
    });
    parts.map(str::trim).filter(|size| !size.is_empty()).collect()
}
