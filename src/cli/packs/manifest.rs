//! Loads rule packs: the manifest `harp-pack.toml`.

use std::ops::Range;

use serde::Deserialize;
use toml::Spanned;

use harp_graph::schema;
use harp_report::{UserError, closest};

use crate::answer_findings::ANSWER_RULES;
use crate::config::table::readable;

use super::MANIFEST;
use super::pattern::Pattern;

/// Where the rules of a pack are that does not say it.
const USUAL_RULES: &str = "rules/**/*.dl";
/// Longer names help nobody.
const LONGEST_NAME: usize = 64;

const KEYS: [&str; 7] = ["name", "version", "schema_version", "licence", "description", "rules", "tests"];

/// What a pack says of itself.
#[derive(Clone, Debug)]
pub struct Manifest {
    /// The first part of its rules' ids.
    pub name: String,
    /// The pack's own version, for readers.
    pub version: String,
    /// Under which others may use the pack.
    pub licence: String,
    /// For readers; may be empty.
    pub description: String,
    /// The files with rules.
    pub rules: Vec<Paths>,
    /// Markdown files with tests, besides the pages.
    pub tests: Vec<Paths>,
    file: String,
    text: String,
    name_range: Range<usize>,
}

/// Paths that a manifest names.
#[derive(Clone, Debug)]
pub struct Paths {
    /// Relative to the pack's folder.
    pub pattern: Pattern,
    /// Where in the manifest; none for those that hold without saying.
    range: Option<Range<usize>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawManifest {
    name: Spanned<String>,
    version: Spanned<String>,
    #[serde(rename = "schema_version")]
    _schema_version: i64,
    licence: Spanned<String>,
    #[serde(default)]
    description: String,
    rules: Option<Spanned<Vec<Spanned<String>>>>,
    #[serde(default)]
    tests: Vec<Spanned<String>>,
}

/// The version alone: a pack for another version may have keys that this one does not know.
#[derive(Deserialize)]
struct SchemaVersion {
    schema_version: Spanned<i64>,
}

impl Manifest {
    /// Reads a manifest; `file` is how it is called in messages.
    pub fn parse(file: &str, text: &str) -> Result<Manifest, Box<UserError>> {
        if let Ok(wanted) = toml::from_str::<SchemaVersion>(text) {
            let range = wanted.schema_version.span();
            check_schema_version(wanted.schema_version.into_inner())
                .map_err(|error| Box::new(error.at(file, text, range, "")))?;
        }
        let raw: RawManifest = toml::from_str(text).map_err(|error| Box::new(explain(&error, file, text)))?;
        let at = |error: UserError, range| Box::new(error.at(file, text, range, ""));
        let name = raw.name.get_ref();
        if let Err(reason) = check_name(name) {
            let error = UserError::new(format!("`{name}` is not a valid pack name")).hint(reason);
            return Err(at(error, raw.name.span()));
        }
        let version = raw.version.get_ref();
        if !is_version(version) {
            let error = UserError::new(format!("`{version}` is not a version"));
            return Err(at(
                error.hint("write three numbers, such as `0.1.0` (https://semver.org)"),
                raw.version.span(),
            ));
        }
        if raw.licence.get_ref().trim().is_empty() {
            let error = UserError::new("the pack has no licence");
            return Err(at(error.hint("write for example `licence = \"MIT\"`"), raw.licence.span()));
        }
        let paths = |list: &[Spanned<String>]| list.iter().map(|path| read_path(path, file, text)).collect();
        let rules = match &raw.rules {
            None => vec![Paths { pattern: usual_rules(), range: None }],
            Some(list) if list.get_ref().is_empty() => {
                let error = UserError::new("the pack names no rules").hint(format!("the usual is [\"{USUAL_RULES}\"]"));
                return Err(at(error, list.span()));
            }
            Some(list) => {
                Result::<Vec<Paths>, _>::from_iter(list.get_ref().iter().map(|path| read_path(path, file, text)))?
            }
        };
        let tests: Result<Vec<Paths>, _> = paths(&raw.tests);
        Ok(Manifest {
            rules,
            tests: tests?,
            name_range: raw.name.span(),
            name: raw.name.into_inner(),
            version: raw.version.into_inner(),
            licence: raw.licence.into_inner(),
            description: raw.description,
            file: file.to_owned(),
            text: text.to_owned(),
        })
    }

    /// Points an error at the pack's name.
    pub fn at_name(&self, error: UserError) -> UserError {
        error.at(&self.file, &self.text, self.name_range.clone(), "")
    }

    /// Points an error at the paths, where the manifest has them.
    pub fn at_paths(&self, error: UserError, paths: &Paths) -> UserError {
        match &paths.range {
            Some(range) => error.at(&self.file, &self.text, range.clone(), ""),
            None => error,
        }
    }
}

fn usual_rules() -> Pattern {
    Pattern::parse(USUAL_RULES).unwrap_or_else(|reason| unreachable!("{reason}"))
}

fn read_path(path: &Spanned<String>, file: &str, text: &str) -> Result<Paths, Box<UserError>> {
    match Pattern::parse(path.get_ref()) {
        Ok(pattern) => Ok(Paths { pattern, range: Some(path.span()) }),
        Err(reason) => {
            let error = UserError::new(format!("`{}` is not a path in the pack", path.get_ref()));
            Err(Box::new(error.at(file, text, path.span(), reason)))
        }
    }
}

/// Whether `text` may be the name of a pack, or why not.
pub fn check_name(text: &str) -> Result<(), &'static str> {
    let allowed = |character: char| character.is_ascii_lowercase() || character.is_ascii_digit() || character == '-';
    if text.len() > LONGEST_NAME {
        Err("a name has at most 64 characters")
    } else if !text.starts_with(|first: char| first.is_ascii_lowercase()) || !text.chars().all(allowed) {
        Err("a name begins with a letter and has small letters, digits and `-`, such as `our-rules`")
    } else if text == ANSWER_RULES {
        Err("Harp's own findings about answers begin with `answer/`; choose another name")
    } else {
        Ok(())
    }
}

fn check_schema_version(wanted: i64) -> Result<(), UserError> {
    let known = i64::from(schema::VERSION);
    let error =
        UserError::new(format!("the pack reads version {wanted} of the relations; this Harp has version {known}"));
    match wanted.cmp(&known) {
        std::cmp::Ordering::Equal => Ok(()),
        std::cmp::Ordering::Greater => {
            Err(error.note("the pack is for a newer Harp").hint("use a newer Harp, or an older version of the pack"))
        }
        std::cmp::Ordering::Less => Err(error
            .note("the pack is for an older Harp; relations that it reads have changed since")
            .hint(format!("compare its rules with `harp schema`, then write `schema_version = {known}`"))),
    }
}

/// Whether `text` is a version after <https://semver.org>.
fn is_version(text: &str) -> bool {
    let (text, build) = text.split_once('+').map_or((text, None), |(text, build)| (text, Some(build)));
    let (core, pre) = text.split_once('-').map_or((text, None), |(core, pre)| (core, Some(pre)));
    let digits = |part: &str| !part.is_empty() && part.len() < 20 && part.bytes().all(|byte| byte.is_ascii_digit());
    let number = |part: &str| digits(part) && (part == "0" || !part.starts_with('0'));
    let word = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    core.split('.').count() == 3
        && core.split('.').all(number)
        && pre.is_none_or(|pre| pre.split('.').all(|part| word(part) && (!digits(part) || number(part))))
        && build.is_none_or(|build| build.split('.').all(word))
}

/// A TOML error with its place, and a hint where it is a mistyped or missing key.
fn explain(error: &toml::de::Error, file: &str, text: &str) -> UserError {
    let message = error.message();
    let named = |prefix: &str| message.strip_prefix(prefix).and_then(|rest| rest.split('`').next());
    let range = error.span().unwrap_or(0..0);
    if let Some(key) = named("unknown field `") {
        let unknown = UserError::new(format!("unknown key `{key}` in the manifest")).at(file, text, range, "");
        return match closest(key, KEYS) {
            Some(meant) => unknown.hint(format!("did you mean `{meant}`?")),
            None => unknown.note(format!("the keys are {}", KEYS.map(|key| format!("`{key}`")).join(", "))),
        };
    }
    if let Some(key) = named("missing field `") {
        let example = match key {
            "name" => "name = \"our-rules\"".to_owned(),
            "version" => "version = \"0.1.0\"".to_owned(),
            "schema_version" => format!("schema_version = {}", schema::VERSION),
            key => format!("{key} = \"MIT\""),
        };
        // The whole file lacks the key; there is no place for a caret but its beginning.
        let missing = UserError::new(format!("the manifest has no `{key}`")).at(file, text, 0..0, "");
        return missing.hint(format!("write for example `{example}`"));
    }
    UserError::new(format!("{MANIFEST} is not valid")).at(file, text, range, readable(message))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ORDERLY: &str = "name = 'acme'\nversion = '0.1.0'\nschema_version = 1\nlicence = 'MIT'\n";

    fn error(text: &str) -> String {
        Manifest::parse("harp-pack.toml", text).map(|_| ()).expect_err("the manifest is wrong").to_string()
    }

    #[test]
    fn an_orderly_manifest_is_read() {
        let text = format!("{ORDERLY}description = 'Ours'\nrules = ['a.dl', 'b/*.dl']\ntests = ['tests/*.md']\n");
        let manifest = Manifest::parse("harp-pack.toml", &text).expect("the manifest is in order");
        assert_eq!((manifest.name.as_str(), manifest.version.as_str()), ("acme", "0.1.0"));
        assert_eq!((manifest.rules.len(), manifest.tests.len()), (2, 1));
        let usual = Manifest::parse("harp-pack.toml", ORDERLY).expect("the manifest is in order");
        assert!(usual.rules[0].pattern.matches("rules/deep/a.dl"));
    }

    #[test]
    fn unknown_and_missing_keys_are_shown_with_a_hint() {
        insta::assert_snapshot!(error(&format!("{ORDERLY}rule = ['a.dl']\n")), @r"
        error: unknown key `rule` in the manifest
         --> harp-pack.toml:5:1
          |
        5 | rule = ['a.dl']
          | ^^^^
          |
          = help: did you mean `rules`?
        ");
        let missing = error("name = 'acme'\nversion = '0.1.0'\nschema_version = 1\n");
        assert!(missing.contains("has no `licence`") && missing.contains("licence = \"MIT\""), "{missing}");
        assert!(error("name = ").contains("harp-pack.toml is not valid"));
        assert!(error("schema_version = 'x'").contains("expected a whole number"));
        assert!(error("").contains("has no `name`"));
    }

    #[test]
    fn names_and_versions_have_a_form() {
        for name in ["Acme", "1acme", "a_b", "", "a/b", "../a", &"a".repeat(65)] {
            assert!(error(&ORDERLY.replace("acme", name)).contains("is not a valid pack name"), "{name}");
        }
        for version in ["1", "1.0", "1.0.0.0", "1.0.x", "01.0.0", "1.0.0-", "1.0.0-01", "v1.0.0", ""] {
            assert!(error(&ORDERLY.replace("0.1.0", version)).contains("is not a version"), "{version}");
        }
        for version in ["1.0.0", "10.20.30", "1.0.0-alpha.1", "1.0.0+build.5", "1.0.0-rc.1+x-y"] {
            assert!(Manifest::parse("m", &ORDERLY.replace("0.1.0", version)).is_ok(), "{version}");
        }
    }

    #[test]
    fn another_version_of_the_relations_is_refused_with_the_reason() {
        let newer = error(&ORDERLY.replace("schema_version = 1", "schema_version = 99\nfuture_key = 1"));
        assert!(newer.contains("version 99") && newer.contains("newer Harp"), "{newer}");
        assert!(newer.contains("harp-pack.toml:3:18"), "{newer}");
        let older = error(&ORDERLY.replace("schema_version = 1", "schema_version = 0"));
        assert!(older.contains("older Harp") && older.contains("harp schema"), "{older}");
    }

    #[test]
    fn paths_out_of_the_pack_are_refused() {
        insta::assert_snapshot!(error(&format!("{ORDERLY}rules = ['rules/a.dl', '../b.dl']\n")), @r"
        error: `../b.dl` is not a path in the pack
         --> harp-pack.toml:5:24
          |
        5 | rules = ['rules/a.dl', '../b.dl']
          |                        ^^^^^^^^^ the path leaves the pack
        ");
        assert!(error(&format!("{ORDERLY}tests = ['/etc/*.md']\n")).contains("absolute"));
        assert!(error(&format!("{ORDERLY}rules = []\n")).contains("names no rules"));
    }
}
