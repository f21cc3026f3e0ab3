//! Tables of a configuration, and what is said where a value is of another kind.

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::{Deserialize, Deserializer, de};

/// A table that is read into `T`. Alone, a structure is also made of a list, and its name shows in messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Table<T>(pub T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Table<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Table<T>, D::Error> {
        deserializer.deserialize_map(Entries(PhantomData))
    }
}

struct Entries<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> de::Visitor<'de> for Entries<T> {
    type Value = Table<T>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a table")
    }

    fn visit_map<A: de::MapAccess<'de>>(self, entries: A) -> Result<Table<T>, A::Error> {
        T::deserialize(MapAccessDeserializer::new(entries)).map(Table)
    }
}

/// What the parser says of a value, in words that are not those of Rust.
pub(crate) fn readable(message: &str) -> String {
    let mut message = message.replace("` as i128", "`").replace("` as u128", "`");
    if let Some(before) = message.strip_suffix("expected a sequence") {
        message = format!("{before}expected a list");
    }
    for name in ["i64", "u64", "u32"] {
        if let Some(before) = message.strip_suffix(&format!("expected {name}")) {
            message = format!("{before}expected a whole number{}", if name == "i64" { "" } else { " from 0 on" });
        }
    }
    message
}
