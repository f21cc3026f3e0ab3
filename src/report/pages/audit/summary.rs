//! The report of an audit: its aggregates as a short document in Markdown.

use std::io::{self, Write};

use minijinja::context;
use minijinja::value::{Serde, Value};

use super::overview::Overview;
use super::totals::Totals;
use crate::pages::templates;

/// So many of the rules are told.
const MOST_RULES: usize = 20;

/// Writes the document.
///
/// # Errors
///
/// Where it cannot be written.
pub fn render(totals: &Totals, out: &mut dyn Write) -> io::Result<()> {
    let overview = Overview::with_rules(totals, MOST_RULES);
    templates::write(&templates::environment()?, "audit.md", context! { it => Value::from(Serde(&overview)) }, out)
}
