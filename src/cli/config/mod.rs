//! The configuration: `harp.toml`, or `[tool.harp]` in `pyproject.toml`.

pub(crate) mod answers;
pub mod keys;
pub(crate) mod rules;
pub mod schema;
pub(crate) mod table;
pub mod targets;
mod values;

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Deserialize;
use toml::Spanned;

use harp_annotations::Target;
use harp_corpus::{FileError, MOST_WILDCARDS, NamedPath, PathPattern, Reach, check_pattern, wildcards_in};
use harp_report::{PerFileIgnore, Selection, UserError, closest};
use harp_trace::answers::Answer;

use super::options::SolverName;
use super::project_folders::{ProjectFolder, at_and_above, shown};
use crate::bounds::USUAL_MEMORY;
use crate::config::answers::RawAnswers;
use crate::config::rules::{NamedRule, RulePlace};
use crate::config::table::{Table, readable};
use crate::options::{BoundOptions, Effort};
use keys::{KEYS, Key, RawConfig};
use targets::{WithTargets, target_keys};
use values::{EffortName, GradeName, ProgramArguments, Seconds, Size};

/// A larger file is no configuration.
const LARGEST_FILE: u64 = 4 << 20;

/// More patterns than these are a list of files and no patterns; a file is compared with each.
const MOST_EXCLUDES: usize = 10_000;
/// Those of files with rules that are ignored in them.
const MOST_PER_FILE_IGNORES: usize = 1_000;
/// More names than these are no choice of a person; a finding is compared with each.
const MOST_NAMED_RULES: usize = 10_000;

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
    /// What the analysis may use.
    pub bounds: BoundOptions,
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
    let Nearest { found, unreadable } = Nearest::of(path);
    let warnings = unreadable
        .into_iter()
        .map(|(file, error)| UserError::warning(format!("{} is not read: {error}", shown(&file))));
    let warnings = warnings.collect();
    match found {
        Some((folder, file)) => Ok(Config { warnings, ..read_found(&folder, &file)? }),
        None => Ok(Config { warnings, ..Config::default() }),
    }
}

/// The configuration that is nearest to a path, which nobody has read yet.
pub(super) struct Nearest {
    /// The folder that has one, and the file.
    pub found: Option<(ProjectFolder, NamedPath)>,
    /// Files that are nearer and may have one, but may not be read.
    unreadable: Vec<(PathBuf, FileError)>,
}

impl Nearest {
    pub fn of(path: &Path) -> Nearest {
        let mut unreadable = Vec::new();
        for folder in at_and_above(path) {
            match root_mark(&folder) {
                Some(RootMark::Configuration(file)) => return Nearest { found: Some((folder, file)), unreadable },
                Some(RootMark::Unreadable(error)) => unreadable.push((folder.shown.join("pyproject.toml"), error)),
                Some(RootMark::Checkout) | None => {}
            }
        }
        Nearest { found: None, unreadable }
    }

    /// The folder that has it, without links: what is the same for all paths with one configuration.
    pub fn folder(&self) -> Option<&Path> {
        self.found.as_ref().map(|(folder, _)| folder.real.as_path())
    }
}

/// Whether a folder, which is absolute and without links, has a configuration of its own.
pub(super) fn has_configuration(folder: &Path) -> bool {
    // Most folders have neither file, and of these nobody asks for the checkout.
    let may_have = ["harp.toml", "pyproject.toml"].iter().any(|name| is_there(&folder.join(name)));
    may_have && Nearest::of(folder).folder() == Some(folder)
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
fn read_found(folder: &ProjectFolder, file: &NamedPath) -> Result<Config, UserError> {
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
    let raw = if is_pyproject(name) {
        toml::from_str::<PyProject>(text).map(|project| project.tool.0.harp.0)
    } else {
        toml::from_str::<WithTargets>(text)
    };
    let WithTargets { config, targets } = raw.map_err(|error| explain(&error, name, text))?;
    config.resolve(targets, &Written { name, text, folder: &folder })
}

/// Whether a `pyproject.toml` may have a section for Harp. One without is another tool's business, even where it is broken.
fn speaks_of_harp(text: &str) -> bool {
    match toml::from_str::<toml::Table>(text) {
        Ok(table) => table.get("tool").and_then(|tool| tool.get("harp")).is_some(),
        Err(_) => text.contains("tool.harp"),
    }
}

fn is_pyproject(name: &str) -> bool {
    Path::new(name).file_name().is_some_and(|name| name == "pyproject.toml")
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
    if key == "tool" && !is_pyproject(name) {
        return unknown.hint("in a file of its own, keys stand without `[tool.harp]`");
    }
    // The parser lists what the table may have.
    let listed: Vec<&str> = message.split('`').skip(3).step_by(2).collect();
    let all: Vec<String> = KEYS.iter().map(Key::name).chain(target_keys().map(|(key, _)| key)).collect();
    let keys = if listed.is_empty() { all.iter().map(String::as_str).collect() } else { listed };
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
    harp: Table<WithTargets>,
}

/// Where a text of a configuration is from, for complaints.
struct Written<'a> {
    name: &'a str,
    text: &'a str,
    /// The folder that paths are relative to.
    folder: &'a NamedPath,
}

impl Written<'_> {
    fn error(&self, message: String, range: Range<usize>, label: impl Into<String>) -> UserError {
        UserError::new(message).at(self.name, self.text, range, label)
    }

    fn path(&self, path: PathBuf) -> NamedPath {
        NamedPath { path: self.folder.path.join(path), reach: self.folder.reach.clone() }
    }

    /// The folder as findings name it: absolute and without links.
    fn real_folder(&self) -> PathBuf {
        let folder = std::path::absolute(&self.folder.path).unwrap_or_else(|_| self.folder.path.clone());
        folder.canonicalize().unwrap_or(folder)
    }

    fn excludes(&self, patterns: Vec<Spanned<String>>) -> Result<Vec<String>, UserError> {
        if let Some(pattern) = patterns.get(MOST_EXCLUDES) {
            let error = format!("there are more than {MOST_EXCLUDES} patterns of what to leave out");
            return Err(self.error(error, pattern.span(), "").hint("leave out the folders around them"));
        }
        for pattern in &patterns {
            if let Err(reason) = check_pattern(pattern.get_ref()) {
                return Err(self.no_pattern(pattern, reason));
            }
        }
        self.few_wildcards(patterns.iter())?;
        Ok(patterns.into_iter().map(Spanned::into_inner).collect())
    }

    /// Patterns are read together, in time and memory that their wildcards decide.
    fn few_wildcards<'p>(&self, patterns: impl Iterator<Item = &'p Spanned<String>>) -> Result<(), UserError> {
        let mut wildcards = 0;
        for pattern in patterns {
            wildcards += wildcards_in(pattern.get_ref());
            if wildcards > MOST_WILDCARDS {
                let error = format!("these patterns have more than {MOST_WILDCARDS} wildcards");
                return Err(self
                    .error(error, pattern.span(), "")
                    .hint("write patterns of the folders around the files"));
            }
        }
        Ok(())
    }

    fn per_file_ignores(
        &self,
        table: &BTreeMap<Spanned<String>, Vec<Spanned<String>>>,
    ) -> Result<Vec<PerFileIgnore>, UserError> {
        if let Some((pattern, _)) = table.iter().nth(MOST_PER_FILE_IGNORES) {
            let error = format!("there are more than {MOST_PER_FILE_IGNORES} patterns in `per-file-ignores`");
            return Err(self.error(error, pattern.span(), "").hint("write patterns of folders in place of each file"));
        }
        self.few_wildcards(table.keys())?;
        let base = if table.is_empty() { PathBuf::new() } else { self.real_folder() };
        let read = |(pattern, rules): (&Spanned<String>, &Vec<Spanned<String>>)| {
            let files =
                PathPattern::new(&base, pattern.get_ref()).map_err(|reason| self.no_pattern(pattern, reason))?;
            Ok(PerFileIgnore { files, rules: rules.iter().map(|rule| rule.get_ref().clone()).collect() })
        };
        table.iter().map(read).collect()
    }

    /// A path that is to name a file.
    fn file(&self, path: &Spanned<PathBuf>) -> Result<NamedPath, UserError> {
        let names_one =
            path.get_ref().file_name().is_some() && !path.get_ref().as_os_str().as_encoded_bytes().contains(&0);
        match names_one {
            true => Ok(self.path(path.get_ref().clone())),
            false => Err(self.error("this names no file".to_owned(), path.span(), "")),
        }
    }

    fn no_pattern(&self, pattern: &Spanned<String>, reason: String) -> UserError {
        // A caret under a very long text helps nobody.
        let shown: String = pattern.get_ref().chars().take(LONGEST_SHOWN).collect();
        let more = if shown.len() < pattern.get_ref().len() { "…" } else { "" };
        self.error(format!("`{shown}{more}` is not a pattern of files"), pattern.span(), reason)
    }

    fn named_rules(&self, names: Vec<&Spanned<String>>) -> Result<Vec<NamedRule>, UserError> {
        if let Some(name) = names.get(MOST_NAMED_RULES) {
            let error = format!("rules are named more than {MOST_NAMED_RULES} times");
            let hint = "a pack (`perf`) or the beginning of ids (`perf/loop-*`) names many rules at once";
            return Err(self.error(error, name.span(), "").hint(hint));
        }
        let (file, text): (Arc<str>, Arc<str>) = (self.name.into(), self.text.into());
        let named = |rule: &Spanned<String>| NamedRule {
            name: rule.get_ref().clone(),
            place: RulePlace::Configuration { file: Arc::clone(&file), text: Arc::clone(&text), range: rule.span() },
        };
        Ok(names.into_iter().map(named).collect())
    }

    /// Who is asked. A project has no program started.
    fn solver(&self, solver: &Option<Spanned<SolverName>>) -> Result<Option<SolverName>, UserError> {
        match solver {
            Some(solver) if self.folder.reach != Reach::Anywhere => {
                let error =
                    self.error("a configuration of the project starts no program".to_owned(), solver.span(), "");
                Err(error.hint("ask for it with `--solver` on the command line"))
            }
            solver => Ok(solver.as_ref().map(|solver| *solver.get_ref())),
        }
    }

    /// What the analysis may use. Who is analysed does not raise what keeps the analysis in bounds.
    fn bounds(&self, raw: &RawConfig) -> Result<BoundOptions, UserError> {
        let is_users = self.folder.reach == Reach::Anywhere;
        let refused = |key: &str, most: String, range: Range<usize>| {
            let error = format!("a configuration of the project sets `{key}` to no more than {most}");
            Err(self.error(error, range, "").hint(format!("give more with `--{key}` on the command line")))
        };
        let memory = raw.memory.as_ref().map(|size| (size.get_ref().0, size.span()));
        if let Some((_, range)) = memory.clone().filter(|(size, _)| !is_users && (*size == 0 || *size > USUAL_MEMORY)) {
            return refused("memory", "2GiB".to_owned(), range);
        }
        let most = Effort::High.steps();
        if let Some(steps) = raw.steps.as_ref().filter(|steps| !is_users && *steps.get_ref() > most) {
            return refused("steps", format!("{most}, those of the effort `high`"), steps.span());
        }
        Ok(BoundOptions {
            memory: memory.map(|(size, _)| size),
            effort: raw.effort.as_ref().map(|EffortName(effort)| *effort),
            steps: raw.steps.as_ref().map(|steps| *steps.get_ref()),
            time_limit: raw.time_limit.as_ref().map(|Seconds(limit)| *limit),
        })
    }
}

/// So much of a wrong pattern is shown.
const LONGEST_SHOWN: usize = 60;

impl RawConfig {
    fn resolve(self, targets: BTreeMap<&'static str, Target>, written: &Written<'_>) -> Result<Config, UserError> {
        let Written { name, text, .. } = *written;
        let bounds = written.bounds(&self)?;
        let exclude = written.excludes(self.exclude)?;
        let per_file_ignores = written.per_file_ignores(&self.per_file_ignores)?;
        let selected = self.select.iter().flatten().chain(&self.extend_select).chain(&self.ignore);
        let in_files = self.per_file_ignores.values().flatten();
        let named_rules = written.named_rules(selected.chain(in_files).chain(self.severity.keys()).collect())?;
        let of_rules = |list: Vec<Spanned<String>>| list.into_iter().map(Spanned::into_inner).collect::<Vec<String>>();
        let mut select = self.select.map(of_rules);
        let mut extend_select = of_rules(self.extend_select);
        select.iter_mut().for_each(|select| select.append(&mut extend_select));
        let ignore = self.ignore.into_iter().map(Spanned::into_inner).collect();
        let severity = self.severity.into_iter();
        let severity = severity.map(|(rule, GradeName(grade))| (rule.into_inner(), grade)).collect();
        let disabled = answers::disabled(self.speculate.0, name, text)?;
        let answers = RawAnswers { assume: self.assume, deny: self.deny };
        let file = Path::new(name).file_name().map_or(name.into(), |file| file.to_string_lossy());
        let targets = targets
            .into_iter()
            .map(|(library, target)| (library.into(), target.from_origin(&format!("`target-{library}` in {file}"))));
        Ok(Config {
            targets: targets.collect(),
            exclude,
            force_exclude: self.force_exclude,
            packs: self.packs.into_iter().map(|path| written.path(path)).collect(),
            annotations: self.annotations.into_iter().map(|path| written.path(path)).collect(),
            max_file_size: self.max_file_size.map(|Size(size)| size),
            args: self.args.map(|ProgramArguments(args)| args),
            selection: Selection {
                is_select_configured: select.is_some(),
                select,
                extend_select,
                ignore,
                per_file_ignores,
                severity,
                ..Selection::default()
            },
            named_rules,
            solver: written.solver(&self.solver)?,
            baseline: self.baseline.as_ref().map(|path| written.file(path)).transpose()?,
            python: self.python.map(|path| written.path(path)),
            answers: [disabled, answers::resolve(answers, name, text)?].concat(),
            bounds,
            found_in: None,
            warnings: Vec::new(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use harp_report::text::Color;
    use harp_report::{Grade, Severity};

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
        assert_eq!(config.selection.severity["shape/mismatch"], Grade::Severity(Severity::Note));
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
    fn a_version_of_a_library_without_versions_is_shown() {
        insta::assert_snapshot!(error("harp.toml", "ignore = ['shape']\ntarget-tensorflw = '1.8'\n"), @r"
        error: unknown key `target-tensorflw` in the configuration
         --> /harp.toml:2:1
          |
        2 | target-tensorflw = '1.8'
          | ^^^^^^^^^^^^^^^^
          |
          = help: did you mean `target-tensorflow`?
        ");
        let text = error("pyproject.toml", "[tool.harp]\ntarget-numpi = '1.8'\n");
        assert!(text.contains("pyproject.toml:2:1") && text.contains("did you mean `target-numpy`?"), "{text}");
        let text = error("harp.toml", "target-nothing-like-it = '1.8'\n");
        assert!(text.contains("harp.toml:1:1") && text.contains("`target-jax`"), "{text}");
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
            assert!(message.contains("is not a pattern") && message.contains("harp.toml:1:20"), "{message}");
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
          |         ^^^^^^^ `fatal` is not a severity; write error, warning, note or off
        ");
    }
}
