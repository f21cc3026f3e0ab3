//! Tables of a configuration.

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::{Deserialize, Deserializer, de};

/// A table that is read into `T`. Alone, a structure is also made of a list, and its name shows in messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Table<T>(pub T);

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
