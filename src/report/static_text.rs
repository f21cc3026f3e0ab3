//! Words in a report that are constants of the program, read back from results that were kept.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Deserializer};

/// A word of a fixed set, such as the name of a filter.
pub type StaticText = &'static str;

/// The words that were read; there are as many as the program has constants.
static KNOWN: Mutex<BTreeSet<StaticText>> = Mutex::new(BTreeSet::new());

pub(crate) fn one<'de, D: Deserializer<'de>>(deserializer: D) -> Result<StaticText, D::Error> {
    String::deserialize(deserializer).map(known)
}

pub(crate) fn optional<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<StaticText>, D::Error> {
    Ok(Option::<String>::deserialize(deserializer)?.map(known))
}

fn known(text: String) -> StaticText {
    let mut all = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = all.get(text.as_str()) {
        return known;
    }
    let text: StaticText = Box::leak(text.into_boxed_str());
    all.insert(text);
    text
}
