//! Turns the patterns of speculation (`speculation/patterns.yaml`) into Rust: the kinds of assumption, their words, and the names they go by.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::{env, fs};

use serde::Deserialize;

const FILE: &str = "../../speculation/patterns.yaml";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Pattern {
    name: String,
    class: Option<String>,
    matches: String,
    assumes: String,
    sentences: BTreeMap<String, String>,
    #[serde(default)]
    members: BTreeMap<String, BTreeSet<String>>,
}

impl Pattern {
    fn variant(&self) -> String {
        self.name.split('-').map(|word| format!("{}{}", word[..1].to_uppercase(), &word[1..])).collect()
    }

    fn snake(&self) -> String {
        self.name.replace('-', "_")
    }
}

/// Writes `speculation.rs` into the folder of the build, for the module of that name.
fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed={FILE}");
    println!("cargo::rerun-if-changed=build.rs");
    let patterns: Vec<Pattern> = serde_saphyr::from_str(&fs::read_to_string(FILE)?)?;
    let mut names = BTreeSet::new();
    if let Some(twice) = patterns.iter().find(|pattern| !names.insert(&pattern.name)) {
        return Err(format!("{FILE}: the pattern `{}` is there twice", twice.name).into());
    }
    let output = PathBuf::from(env::var("OUT_DIR")?).join("speculation.rs");
    fs::write(output, source(&patterns)?)?;
    Ok(())
}

fn source(patterns: &[Pattern]) -> Result<String, Box<dyn Error>> {
    let count = patterns.len();
    let mut kinds = String::new();
    let mut list = String::new();
    let mut table = String::new();
    let mut words = String::new();
    let mut members = String::new();
    for pattern in patterns {
        let Pattern { name, class, matches, assumes, sentences, .. } = pattern;
        let variant = pattern.variant();
        let shown = class.as_ref().map_or(String::new(), |class| format!("{class}: "));
        writeln!(kinds, "/// {shown}{assumes}, where {matches}.\n{variant},")?;
        writeln!(list, "AssumptionKind::{variant},")?;
        let sentence_list: Vec<_> = sentences.iter().collect();
        writeln!(
            table,
            "Pattern {{ kind: AssumptionKind::{variant}, name: {name:?}, class: {class:?}, matches: {matches:?}, \
             assumes: {assumes:?}, sentences: &{sentence_list:?} }},"
        )?;
        for (key, sentence) in sentences {
            let names = placeholders(sentence)?;
            let parameters: Vec<String> = names.iter().map(|name| format!("{name}: impl Display")).collect();
            let text =
                if names.is_empty() { format!("{sentence:?}.to_owned()") } else { format!("format!({sentence:?})") };
            let (function, parameters) = (format!("{}_{key}", pattern.snake()), parameters.join(", "));
            writeln!(words, "/// {sentence:?}\npub fn {function}({parameters}) -> String {{ {text} }}")?;
        }
        for (key, names) in &pattern.members {
            let (constant, count) = (format!("{}_{key}", pattern.snake()).to_uppercase(), names.len());
            let names: Vec<_> = names.iter().collect();
            writeln!(members, "pub static {constant}: [&str; {count}] = {names:?};")?;
        }
    }
    Ok(format!(
        "/// What is assumed: a pattern of `{FILE}`.\n\
         #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]\n\
         pub enum AssumptionKind {{ {kinds} }}\n\
         impl AssumptionKind {{ pub const ALL: [AssumptionKind; {count}] = [{list}]; }}\n\
         pub static PATTERNS: [Pattern; {count}] = [{table}];\n\
         /// The sentences of assumptions.\npub mod words {{ use std::fmt::Display; {words} }}\n\
         /// Names that patterns go by, sorted.\npub mod members {{ {members} }}\n"
    ))
}

/// The names in braces, each once, in their order.
fn placeholders(sentence: &str) -> Result<Vec<&str>, Box<dyn Error>> {
    let mut names = Vec::new();
    let mut rest = sentence;
    while let Some((_, after)) = rest.split_once('{') {
        let (name, behind) = after.split_once('}').ok_or_else(|| format!("{FILE}: `{sentence}` has an open brace"))?;
        if !names.contains(&name) {
            names.push(name);
        }
        rest = behind;
    }
    Ok(names)
}
