//! The keys `target-LIBRARY`: the versions of libraries that a project runs with. Which libraries there are, the packs say.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::value::{MapAccessDeserializer, StringDeserializer};
use serde::de::{DeserializeSeed, Error, IntoDeserializer, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use harp_annotations::Target;

use super::keys::RawConfig;
use super::values::TargetText;

/// What the keys begin with.
const PREFIX: &str = "target-";

/// The packages whose version a project may tell, each with the other names that requirements have for it.
pub(crate) fn libraries() -> &'static [(&'static str, &'static [&'static str])] {
    harp_builtin::ANNOTATIONS.targets
}

/// The keys, sorted, each with what it says.
pub fn target_keys() -> impl Iterator<Item = (String, String)> {
    let about = |library: &str| {
        format!("The version of the package `{library}` that the project runs with, or bounds as in requirements.")
    };
    libraries().iter().map(move |(library, _)| (format!("{PREFIX}{library}"), about(library)))
}

/// The configuration, where the versions of libraries stand among the other keys.
#[derive(Default)]
pub(crate) struct WithTargets {
    pub config: RawConfig,
    /// By library.
    pub targets: BTreeMap<&'static str, Target>,
}

impl<'de> Deserialize<'de> for WithTargets {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<WithTargets, D::Error> {
        struct Keys;
        impl<'de> Visitor<'de> for Keys {
            type Value = WithTargets;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a table")
            }

            fn visit_map<A: MapAccess<'de>>(self, entries: A) -> Result<WithTargets, A::Error> {
                let mut targets = BTreeMap::new();
                let others = Others { entries, targets: &mut targets };
                let config = RawConfig::deserialize(MapAccessDeserializer::new(others))?;
                Ok(WithTargets { config, targets })
            }
        }
        deserializer.deserialize_map(Keys)
    }
}

/// The entries of a table without those of targets, which are kept apart.
struct Others<'t, A> {
    entries: A,
    targets: &'t mut BTreeMap<&'static str, Target>,
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Others<'_, A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, A::Error> {
        let mut seed = seed;
        loop {
            match self.entries.next_key_seed(OneKey(seed))? {
                None => return Ok(None),
                Some(Read::Other(key)) => return Ok(Some(key)),
                Some(Read::Target(library, unused)) => {
                    let TargetText(target) = self.entries.next_value()?;
                    self.targets.insert(library, target);
                    seed = unused;
                }
            }
        }
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        self.entries.next_value_seed(seed)
    }
}

/// Reads a key; the table of the other keys is asked only for those.
struct OneKey<K>(K);

enum Read<V, K> {
    Other(V),
    Target(&'static str, K),
}

impl<'de, K: DeserializeSeed<'de>> DeserializeSeed<'de> for OneKey<K> {
    type Value = Read<K::Value, K>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        let key = String::deserialize(deserializer)?;
        let Some(library) = key.strip_prefix(PREFIX) else {
            let key: StringDeserializer<D::Error> = key.into_deserializer();
            return self.0.deserialize(key).map(Read::Other);
        };
        match libraries().iter().find(|(known, _)| *known == library) {
            Some((known, _)) => Ok(Read::Target(known, self.0)),
            None => {
                let keys: Vec<String> = target_keys().map(|(key, _)| format!("`{key}`")).collect();
                Err(D::Error::custom(format!("unknown field `{key}`, expected one of {}", keys.join(", "))))
            }
        }
    }
}
