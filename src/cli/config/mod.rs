//! The configuration: `harp.toml`, or `[tool.harp]` in `pyproject.toml`.

pub(crate) mod answers;
pub(crate) mod rules;
pub(crate) mod table;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Deserializer, de::Error};

use harp_annotations::Target;
use harp_corpus::{FileError, NamedPath, Reach, check_exclude};
use harp_report::{Selection, Severity, UserError, closest};
use harp_trace::answers::Answer;

use super::options::SolverName;
use super::project_folders::{ProjectFolder, at_and_above, shown};
use crate::argument_types;
use crate::config::answers::{RawAnswer, RawAnswers, RawSpeculation};
use crate::config::rules::{NamedRule, RulePlace};
use crate::config::table::{Table, readable};

/// The keys of the configuration, for hints.
const KEYS: [&str; 19] = [
    "annotations",
    "args",
    "assume",
    "baseline",
    "deny",
    "exclude",
    "extend-select",
    "force-exclude",
    "ignore",
    "max-file-size",
    "packs",
    "python",
    "select",
    "severity",
    "solver",
    "speculate",
    "target-numpy",
    "target-torch",
    "target-torchvision",
];

/// A larger file is no configuration.
const LARGEST_FILE: u64 = 4 << 20;

/// What a configuration says; relative paths are resolved against its folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Config {
    /// Patterns of files and folders to leave out, as in a `.gitignore`.
    pub exclude: Vec<String>,
    /// Whether they leave out what is given by name, too.
    pub force_exclude: bool,
    /// Folders with rules beside the built-in ones.
    pub packs: Vec<NamedPath>,
    /// Annotation files, or folders of them, beside the built-in ones.
    pub annotations: Vec<NamedPath>,
    /// The limit of file sizes in bytes, where it is not the usual one.
    pub max_file_size: Option<u64>,
    /// The command line of the analysed program, without its name.
    pub args: Option<Vec<String>>,
    /// Which rules are silent, and the severities of others.
    pub selection: Selection,
    /// The rules that the selection names.
    pub named_rules: Vec<NamedRule>,
    /// The findings that the project knows of.
    pub baseline: Option<NamedPath>,
    /// Who is asked about what the solver cannot decide, where it is on the machine.
    pub solver: Option<SolverName>,
    /// The Python environment of the analysed program.
    pub python: Option<NamedPath>,
    /// What is said of assumptions.
    pub answers: Vec<Answer>,
    /// The versions of libraries that the project runs with.
    pub targets: BTreeMap<Box<str>, Target>,
    /// The folder of a configuration that was found by search.
    pub found_in: Option<PathBuf>,
    /// What the user should know.
    pub warnings: Vec<UserError>,
}

/// The nearest configuration at or above `path`. The search ends at the root of a git checkout and at the user's home. What it finds and what that
/// names lies within the checkout, or within its own folder where there is no checkout.
pub fn discover(path: &Path) -> Result<Config, UserError> {
    let mut warnings = Vec::new();
    for folder in at_and_above(path) {
        match root_mark(&folder) {
            Some(RootMark::Configuration(file)) => return Ok(Config { warnings, ..found(&folder, &file)? }),
            Some(RootMark::Unreadable(error)) => {
                let name = shown(&folder.shown.join("pyproject.toml"));
                warnings.push(UserError::warning(format!("{name} is not read: {error}")));
            }
            Some(RootMark::Checkout) | None => {}
        }
    }
    Ok(Config { warnings, ..Config::default() })
}

/// What makes a folder the root of a project.
pub(super) enum RootMark {
    /// A file with a configuration.
    Configuration(NamedPath),
    /// A `pyproject.toml` that may not be read, so that nobody knows whether it speaks of Harp.
    Unreadable(FileError),
    /// A git checkout.
    Checkout,
}

/// What makes this folder the root of a project, if it is one.
pub(super) fn root_mark(folder: &ProjectFolder) -> Option<RootMark> {
    let own = folder.named(Path::new("harp.toml"));
    if is_there(&own.path) {
        return Some(RootMark::Configuration(own));
    }
    let project = folder.named(Path::new("pyproject.toml"));
    if is_there(&project.path) {
        match project.read_utf8(LARGEST_FILE) {
            Ok(text) if speaks_of_harp(&text) => return Some(RootMark::Configuration(project)),
            Err(error @ FileError::Outside) => return Some(RootMark::Unreadable(error)),
            Ok(_) | Err(_) => {}
        }
    }
    (folder.is_checked_out && folder.real == folder.root).then_some(RootMark::Checkout)
}

/// Whether there is something by that name that may be a file.
fn is_there(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|metadata| !metadata.is_dir())
}

/// Reads a configuration that a search found in a folder.
fn found(folder: &ProjectFolder, file: &NamedPath) -> Result<Config, UserError> {
    let name = shown(&folder.shown.join(file.path.file_name().unwrap_or_default()));
    let config = read(file, &name, &folder.real, &Reach::Within(folder.root.clone()))?;
    Ok(Config { found_in: Some(folder.shown.clone()), ..config })
}

/// Reads a configuration that the user named; a file named `pyproject.toml` has it in `[tool.harp]`. What it names may lie as far as it may.
pub fn load(file: &NamedPath) -> Result<Config, UserError> {
    let folder = file.path.parent().unwrap_or(Path::new("."));
    read(file, &shown(&file.path), folder, &file.reach)
}

fn read(file: &NamedPath, name: &str, folder: &Path, reach: &Reach) -> Result<Config, UserError> {
    let text = file
        .read_utf8(LARGEST_FILE)
        .map_err(|error| UserError::new(format!("the configuration {name} cannot be read: {error}")))?;
    parse(name, &text, NamedPath { path: folder.to_owned(), reach: reach.clone() })
}

/// Reads the text of a configuration file. `folder` is what relative paths in it are relative to; they may lead as far as it.
pub fn parse(name: &str, text: &str, folder: impl Into<NamedPath>) -> Result<Config, UserError> {
    let folder = folder.into();
    let raw = if Path::new(name).file_name().is_some_and(|name| name == "pyproject.toml") {
        toml::from_str::<PyProject>(text).map(|project| project.tool.0.harp.0)
    } else {
        toml::from_str::<RawConfig>(text)
    };
    raw.map_err(|error| explain(&error, name, text))?
        .resolve(name, text, &|path| NamedPath { path: folder.path.join(path), reach: folder.reach.clone() })
}

/// Whether a `pyproject.toml` may have a section for Harp. One without is another tool's business, even where it is broken.
fn speaks_of_harp(text: &str) -> bool {
    match toml::from_str::<toml::Table>(text) {
        Ok(table) => table.get("tool").and_then(|tool| tool.get("harp")).is_some(),
        Err(_) => text.contains("tool.harp"),
    }
}

/// A TOML error with its place, and a hint where it is a mistyped key.
fn explain(error: &toml::de::Error, name: &str, text: &str) -> UserError {
    let range = error.span().unwrap_or(0..0);
    let message = error.message();
    if message.starts_with("missing field `") {
        return UserError::new(format!("{name} has no section `[tool.harp]`"))
            .hint("name a file that has one, or a `harp.toml`");
    }
    let Some(key) = message.strip_prefix("unknown field `").and_then(|rest| rest.split('`').next()) else {
        return UserError::new("the configuration is not valid").at(name, text, range, readable(message));
    };
    let unknown = UserError::new(format!("unknown key `{key}` in the configuration")).at(name, text, range, "");
    // The parser lists what the table may have.
    let listed: Vec<&str> = message.split('`').skip(3).step_by(2).collect();
    let keys = if listed.is_empty() { KEYS.to_vec() } else { listed };
    match closest(key, keys.iter().copied()) {
        Some(meant) => unknown.hint(format!("did you mean `{meant}`?")),
        None => {
            let keys: Vec<String> = keys.iter().map(|key| format!("`{key}`")).collect();
            unknown.note(format!("the keys are {}", keys.join(", ")))
        }
    }
}

#[derive(Deserialize)]
struct PyProject {
    tool: Table<PyProjectTool>,
}

#[derive(Deserialize)]
struct PyProjectTool {
    harp: Table<RawConfig>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
struct RawConfig {
    exclude: Vec<toml::Spanned<String>>,
    #[serde(default)]
    force_exclude: bool,
    packs: Vec<PathBuf>,
    annotations: Vec<PathBuf>,
    max_file_size: Option<Size>,
    args: Option<ProgramArguments>,
    select: Option<Vec<toml::Spanned<String>>>,
    extend_select: Vec<toml::Spanned<String>>,
    ignore: Vec<toml::Spanned<String>>,
    solver: Option<SolverName>,
    baseline: Option<PathBuf>,
    python: Option<PathBuf>,
    severity: BTreeMap<toml::Spanned<String>, SeverityName>,
    assume: Vec<toml::Spanned<Table<RawAnswer>>>,
    deny: Vec<toml::Spanned<Table<RawAnswer>>>,
    speculate: Table<RawSpeculation>,
    target_numpy: Option<TargetText>,
    target_torch: Option<TargetText>,
    target_torchvision: Option<TargetText>,
}

/// A version, or the versions that a requirement allows.
struct TargetText(Target);

impl<'de> Deserialize<'de> for TargetText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<TargetText, D::Error> {
        let text = String::deserialize(deserializer)?;
        let target = Target::parse(&text).ok_or_else(|| {
            D::Error::custom(format!(
                "`{text}` is not a version; write one such as \"2.1\", or bounds such as \">=1.8,<2.0\""
            ))
        })?;
        match target.is_empty() {
            true => Err(D::Error::custom(format!("no version is within `{text}`"))),
            false => Ok(TargetText(target)),
        }
    }
}

impl RawConfig {
    fn resolve(self, name: &str, text: &str, named: &dyn Fn(PathBuf) -> NamedPath) -> Result<Config, UserError> {
        if let Some((pattern, reason)) =
            self.exclude.iter().find_map(|pattern| Some((pattern, check_exclude(pattern.get_ref()).err()?)))
        {
            let error = UserError::new(format!("`{}` is no pattern of files", pattern.get_ref()));
            return Err(error.at(name, text, pattern.span(), reason));
        }
        let selected = self.select.iter().flatten().chain(&self.extend_select);
        let named_rules = named_rules(selected.chain(&self.ignore).chain(self.severity.keys()), name, text);
        let select = self
            .select
            .map(|select| select.into_iter().chain(self.extend_select).map(toml::Spanned::into_inner).collect());
        let ignore = self.ignore.into_iter().map(toml::Spanned::into_inner).collect();
        let severity = self.severity.into_iter();
        let severity = severity.map(|(rule, SeverityName(severity))| (rule.into_inner(), severity)).collect();
        let disabled = answers::disabled(self.speculate.0, name, text)?;
        let answers = RawAnswers { assume: self.assume, deny: self.deny };
        let targets =
            [("numpy", self.target_numpy), ("torch", self.target_torch), ("torchvision", self.target_torchvision)];
        let file = Path::new(name).file_name().map_or(name.into(), |file| file.to_string_lossy());
        let targets = targets.into_iter().filter_map(|(library, target)| {
            let target = target?.0.from_origin(&format!("`target-{library}` in {file}"));
            Some((library.into(), target))
        });
        Ok(Config {
            targets: targets.collect(),
            exclude: self.exclude.into_iter().map(toml::Spanned::into_inner).collect(),
            force_exclude: self.force_exclude,
            packs: self.packs.into_iter().map(named).collect(),
            annotations: self.annotations.into_iter().map(named).collect(),
            max_file_size: self.max_file_size.map(|Size(size)| size),
            args: self.args.map(|ProgramArguments(args)| args),
            selection: Selection { select, ignore, severity, ..Selection::default() },
            named_rules,
            solver: self.solver,
            baseline: self.baseline.map(named),
            python: self.python.map(named),
            answers: [disabled, answers::resolve(answers, name, text)?].concat(),
            found_in: None,
            warnings: Vec::new(),
        })
    }
}

fn named_rules<'a>(names: impl Iterator<Item = &'a toml::Spanned<String>>, file: &str, text: &str) -> Vec<NamedRule> {
    let (file, text): (Arc<str>, Arc<str>) = (file.into(), text.into());
    let named = |rule: &toml::Spanned<String>| NamedRule {
        name: rule.get_ref().clone(),
        place: RulePlace::Configuration { file: Arc::clone(&file), text: Arc::clone(&text), range: rule.span() },
    };
    names.map(named).collect()
}

/// A number of bytes, or a text such as `"5MiB"`.
struct Size(u64);

impl<'de> Deserialize<'de> for Size {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Size, D::Error> {
        match toml::Value::deserialize(deserializer)? {
            toml::Value::Integer(size) => {
                u64::try_from(size).map(Size).map_err(|_| D::Error::custom("a size is not negative"))
            }
            toml::Value::String(text) => argument_types::size(&text).map(Size).map_err(D::Error::custom),
            other => Err(D::Error::custom(format!("expected a size, found {}", other.type_str()))),
        }
    }
}

/// A command line as one string, or its words.
struct ProgramArguments(Vec<String>);

impl<'de> Deserialize<'de> for ProgramArguments {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<ProgramArguments, D::Error> {
        match toml::Value::deserialize(deserializer)? {
            toml::Value::String(text) => {
                argument_types::split(&text).map(|words| ProgramArguments(words.0)).map_err(D::Error::custom)
            }
            toml::Value::Array(words) => {
                let words = words.into_iter().map(|word| match word {
                    toml::Value::String(word) => Ok(word),
                    other => Err(D::Error::custom(format!("expected a string, found {}", other.type_str()))),
                });
                words.collect::<Result<_, _>>().map(ProgramArguments)
            }
            other => {
                Err(D::Error::custom(format!("expected a string or a list of strings, found {}", other.type_str())))
            }
        }
    }
}

struct SeverityName(Severity);

impl<'de> Deserialize<'de> for SeverityName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<SeverityName, D::Error> {
        let name = String::deserialize(deserializer)?;
        let severity = Severity::parse(&name).map(SeverityName);
        severity.ok_or_else(|| D::Error::custom(format!("`{name}` is not a severity; write error, warning or note")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use harp_report::text::Color;

    /// Writes files into a new folder.
    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        folder
    }

    fn error(name: &str, text: &str) -> String {
        let folder = folder(&[(name, text)]);
        let error = load(&folder.path().join(name).into()).expect_err("the configuration is wrong");
        error.render(Color::Never).replace(&folder.path().display().to_string(), "")
    }

    #[test]
    fn every_key_is_read() {
        let folder = folder(&[(
            "harp.toml",
            "exclude = ['old']\npacks = ['rules']\nannotations = ['a.yaml']\npython = '.venv'\nmax-file-size = '1MiB'\nargs = '--nhid 5'\n\
             ignore = ['shape']\n[severity]\n'shape/mismatch' = 'note'\n",
        )]);
        let config = load(&folder.path().join("harp.toml").into()).unwrap();
        assert_eq!(config.exclude, ["old"]);
        assert_eq!(config.packs, [folder.path().join("rules").into()]);
        assert_eq!(config.annotations, [folder.path().join("a.yaml").into()]);
        assert_eq!(config.python, Some(folder.path().join(".venv").into()));
        assert_eq!(config.max_file_size, Some(1 << 20));
        assert_eq!(config.args, Some(vec!["--nhid".to_owned(), "5".to_owned()]));
        assert_eq!(config.selection.ignore, ["shape"]);
        assert_eq!(config.selection.severity["shape/mismatch"], Severity::Note);
    }

    #[test]
    fn the_nearest_configuration_wins_and_the_checkout_is_the_limit() {
        let folder = folder(&[
            ("harp.toml", "args = 'outer'"),
            ("repo/.git/HEAD", ""),
            ("repo/a.py", ""),
            ("repo/pkg/pyproject.toml", "[tool.harp]\nargs = ['pkg']"),
            ("repo/pkg/sub/pyproject.toml", "[tool.other]\nx = 1"),
            ("repo/pkg/sub/a.py", ""),
            ("repo/broken/pyproject.toml", "[tool.other\n"),
        ]);
        let args = |path: &str| discover(&folder.path().join(path)).unwrap().args;
        assert_eq!(args("repo/pkg/sub/a.py"), Some(vec!["pkg".to_owned()]));
        assert_eq!(args("repo/a.py"), None);
        assert_eq!(args("repo/broken"), None);
        assert_eq!(args("no/such/path"), Some(vec!["outer".to_owned()]));
    }

    #[test]
    fn a_mistyped_key_is_shown_with_a_hint() {
        insta::assert_snapshot!(error("pyproject.toml", "[project]\nname = 'x'\n[tool.harp]\nexlude = ['a']\n"), @r"
        error: unknown key `exlude` in the configuration
         --> /pyproject.toml:4:1
          |
        4 | exlude = ['a']
          | ^^^^^^
          |
          = help: did you mean `exclude`?
        ");
    }

    #[test]
    fn a_version_that_is_none_is_shown() {
        insta::assert_snapshot!(error("harp.toml", "target-torch = 'newest'\n"), @r#"
        error: the configuration is not valid
         --> /harp.toml:1:16
          |
        1 | target-torch = 'newest'
          |                ^^^^^^^^ `newest` is not a version; write one such as "2.1", or bounds such as ">=1.8,<2.0"
        "#);
    }

    #[test]
    fn a_range_without_versions_is_shown() {
        let text = error("harp.toml", "target-torch = '>=2,<1'\n");
        assert!(text.contains("harp.toml:1:16") && text.contains("no version is within `>=2,<1`"), "{text}");
    }

    #[test]
    fn a_section_is_a_table() {
        for (text, place) in [
            ("[tool]\nharp = []\n", ":2:8"),
            ("[[tool.harp]]\nargs = ''\n", ":1:1"),
            ("[tool]\nharp = 3\n", ":2:8"),
            ("[tool.harp]\nspeculate = []\n", ":2:13"),
            ("[tool.harp]\nassume = [[]]\n", ":2:11"),
            ("[tool.harp]\nseverity = 'note'\n", ":2:12"),
            ("[[tool.harp.assume]]\nfile = 'a.py'\nline = -1\n", ":3:8"),
            ("[[tool.harp.assume]]\nfile = 'a.py'\nline = 99999999999999999999\n", ":3:8"),
        ] {
            let message = error("pyproject.toml", text);
            assert!(message.contains(&format!("pyproject.toml{place}")), "{text}{message}");
            for internal in ["Raw", "struct", "u32", "i128"] {
                assert!(!message.contains(internal), "{text}{message}");
            }
        }
        assert!(error("pyproject.toml", "[tool.other]\n").contains("has no section `[tool.harp]`"));
    }

    #[test]
    fn a_pattern_that_says_nothing_is_shown() {
        for pattern in ["", " ", "/", "!a.py", "{"] {
            let message = error("harp.toml", &format!("exclude = ['b.py', '{pattern}']\n"));
            assert!(message.contains("is no pattern") && message.contains("harp.toml:1:20"), "{message}");
        }
    }

    #[test]
    fn broken_toml_is_shown() {
        insta::assert_snapshot!(error("harp.toml", "exclude = ['a'\nargs = 1\n"), @r"
        error: the configuration is not valid
         --> /harp.toml:2:1
          |
        2 | args = 1
          | ^ missing comma between array elements, expected `,`
        ");
    }

    #[test]
    fn a_value_of_the_wrong_kind_is_shown() {
        insta::assert_snapshot!(error("harp.toml", "[severity]\nshape = 'fatal'\n"), @r"
        error: the configuration is not valid
         --> /harp.toml:2:9
          |
        2 | shape = 'fatal'
          |         ^^^^^^^ `fatal` is not a severity; write error, warning or note
        ");
    }
}
