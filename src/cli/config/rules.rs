//! The rules that a configuration names, which are only known when the packs are read.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use harp_corpus::shortened;
use harp_report::{UserError, closest};

use crate::pipeline::{AnalysisOptions, Rules, known_rules};

/// A rule, or a pack, that a configuration names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedRule {
    pub name: String,
    pub place: RulePlace,
}

/// Where a rule is named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RulePlace {
    /// In a configuration: the file as it is shown, and its text.
    Configuration { file: Arc<str>, text: Arc<str>, range: Range<usize> },
    /// As the value of this option.
    Option(Box<str>),
}

impl NamedRule {
    /// A rule that an option names.
    pub fn on_command_line(option: &str, name: &str) -> NamedRule {
        NamedRule { name: name.to_owned(), place: RulePlace::Option(option.into()) }
    }
}

/// More mistakes of the same kind help nobody.
const MOST_MISTAKES: usize = 20;

/// What is wrong with the names: a name of nothing silences nothing, and who wrote it believes that it does.
pub(crate) fn unknown(named: &[NamedRule], rules: &Rules<'_>) -> Vec<UserError> {
    // Where a pack could not be read, nobody knows its rules.
    if named.is_empty() || !rules.errors.is_empty() {
        return Vec::new();
    }
    let known = rules.program.as_ref().map(|program| known_rules(program)).unwrap_or_default();
    let is_known = |name: &String| match name.strip_suffix('*') {
        Some(start) => known.iter().any(|known| known.starts_with(start)),
        None => known.contains(name),
    };
    let unknown = named.iter().filter(|rule| !is_known(&rule.name));
    unknown.take(MOST_MISTAKES).map(|rule| mistake(rule, &known)).collect()
}

/// What is wrong with the rules that the command line names: those that no project has. Nothing is analysed for a slip.
pub(crate) fn unknown_in_all<'p>(
    named: &[NamedRule],
    projects: impl IntoIterator<Item = &'p AnalysisOptions>,
) -> Vec<UserError> {
    let mut left: Vec<(&NamedRule, Option<UserError>)> = named.iter().map(|rule| (rule, None)).collect();
    for project in projects {
        if left.is_empty() {
            break;
        }
        Rules::with(project, |rules, _| {
            left = std::mem::take(&mut left)
                .into_iter()
                .filter_map(|(rule, before)| {
                    let here = unknown(std::slice::from_ref(rule), rules).pop()?;
                    Some((rule, before.or(Some(here))))
                })
                .collect();
        });
    }
    left.into_iter().filter_map(|(_, error)| error).take(MOST_MISTAKES).collect()
}

fn mistake(rule: &NamedRule, known: &BTreeSet<String>) -> UserError {
    let message = format!("there is no rule, pack or tag `{}`", shortened(&rule.name));
    let error = match &rule.place {
        RulePlace::Configuration { file, text, range } => {
            UserError::new(message).at(&**file, &**text, range.clone(), "")
        }
        RulePlace::Option(option) => UserError::new(format!("`{option}`: {message}")),
    };
    if let Some((pack, _)) = rule.name.split_once('/')
        && !known.contains(pack)
        && closest(pack, known.iter().map(String::as_str)).is_none()
    {
        return error
            .hint(format!("no pack `{}` is loaded: name its folder under `packs`, or with `--pack`", shortened(pack)));
    }
    match closest(&rule.name, known.iter().map(String::as_str)) {
        Some(meant) => error.hint(format!("did you mean `{meant}`?")),
        None => error.hint("`harp rules` lists them"),
    }
}
