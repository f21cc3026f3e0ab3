//! With which settings both sides are analysed: those of the old side. Who proposes a change does not choose how it is looked at.

use std::path::{Path, PathBuf};

use harp_corpus::{LoadOptions, NamedPath, outermost_folders, read_utf8};
use harp_report::baseline::Baseline;
use harp_report::{Selection, Severity, UserError};

use super::options::ReviewOptions;
use super::sides::{Sides, listed};
use super::working_folder::WorkingFolder;
use crate::config::{self, Config};
use crate::options::InputOptions;
use crate::pipeline::AnalysisOptions;
use crate::project_folders::{Projects, working_folder};
use crate::{baselines, library_versions};

/// A larger file is no configuration.
const LARGEST_FILE: u64 = 4 << 20;

/// What both analyses are told.
pub(super) struct Settings {
    /// Of the old side and of the new one.
    pub options: [AnalysisOptions; 2],
    /// The findings that are known and not told.
    pub baseline: Option<Baseline>,
    /// What a reader should know.
    pub notes: Vec<String>,
}

impl Settings {
    pub fn of(options: &ReviewOptions, sides: &Sides) -> Result<Settings, UserError> {
        let work_tree = sides.repository.work_tree.as_deref();
        let projects = Projects::of(&work_tree.map(Path::to_owned).into_iter().collect::<Vec<_>>());
        let below = below_repository(&options.input.paths, sides)?;
        let paths = [sides.old_folder(), sides.new_folder()].map(|folder| paths_in(folder, &below));
        if paths.iter().all(Vec::is_empty) {
            let what = listed(&shown(&below));
            return Err(UserError::new(format!("no such file or folder on either side: {what}")));
        }
        let named = options.input.config.as_deref().map(absolute).transpose()?;
        let baseline = options.baseline.as_deref().map(absolute).transpose()?;
        let input = InputOptions { paths: paths[0].clone(), ..absolute_input(&options.input)? };

        let folders = Folders::of(sides);
        let _within = WorkingFolder::enter(sides.old_folder())?;
        let first = paths[0].first().map_or(sides.old_folder(), PathBuf::as_path);
        let config = match &named {
            _ if input.isolated => Config::default(),
            Some(file) => config::load(&projects.named_by_user(file))?,
            None => config::discover(first).map_err(|error| {
                error.note(format!("this is the configuration of `{}`; `--config FILE` names another", base(sides)))
            })?,
        };
        let notes = match &named {
            None if !input.isolated => {
                let others = not_read(&paths[0], sides);
                changed_settings(&config, sides).into_iter().chain(others).collect()
            }
            _ => Vec::new(),
        };
        let detected = library_versions::detect(first, None);
        let mut old = AnalysisOptions::with_config(&input, &projects, config.clone(), detected)?;
        old.python = python(old.python.take(), sides);
        let baseline = baselines::chosen(baseline.as_ref(), old.baseline.take());
        let baseline = baseline.map(|file| baselines::read(&file)).transpose()?;
        let mut targets = library_versions::detect(paths[1].first().map_or(sides.new_folder(), PathBuf::as_path), None);
        targets.extend(config.targets);
        let [_, paths] = paths;
        let mut new = AnalysisOptions { paths, targets, ..old.clone() };
        let mut chosen = folders.in_old_side(std::mem::take(&mut old.selection));
        options.report.refine(&mut chosen, &folders.working_in_old_side());
        new.selection = chosen.clone().moved(&folders.old, &folders.new);
        new.named_rules.extend(options.report.named_rules());
        // What was less severe before is made worse, and not new.
        old.selection = chosen;
        (old.selection.least, old.selection.certain_only) = (Severity::Note, false);
        Ok(Settings { options: [old, new], baseline, notes })
    }
}

/// So many folders are looked for whose configuration is not read.
const MOST_NOT_READ: usize = 10;

/// Says which folders below the reviewed ones have a configuration of their own: a review has one for all.
fn not_read(paths: &[PathBuf], sides: &Sides) -> Option<String> {
    let root = sides.old_folder();
    let below = paths.iter().filter(|path| path.is_dir()).filter_map(|path| {
        let path = path.canonicalize().ok()?;
        outermost_folders(&path, &LoadOptions::default(), MOST_NOT_READ, config::has_configuration).ok()
    });
    let real = root.canonicalize().unwrap_or_else(|_| root.to_owned());
    let name = |folder: PathBuf| shown(&[folder.strip_prefix(&real).unwrap_or(&folder).to_owned()]).concat();
    let names: Vec<String> = below.flatten().map(name).collect();
    (!names.is_empty()).then(|| {
        format!("configurations of their own are not read, but for reviews of these folders alone: {}", listed(&names))
    })
}

/// Where the patterns of a choice of findings look: in the checkout, or in the folders that have its place. All are absolute and without links.
struct Folders {
    work_tree: PathBuf,
    working: PathBuf,
    old: PathBuf,
    new: PathBuf,
}

impl Folders {
    fn of(sides: &Sides) -> Folders {
        let real = |folder: &Path| folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        let working = working_folder();
        let work_tree = sides.repository.work_tree.as_deref().map_or_else(|| working.clone(), real);
        Folders { work_tree, working, old: real(sides.old_folder()), new: real(sides.new_folder()) }
    }

    /// A choice whose patterns look in the old side, where they look in the checkout.
    fn in_old_side(&self, selection: Selection) -> Selection {
        selection.moved(&self.work_tree, &self.old)
    }

    /// The folder in which the user is, on the old side.
    fn working_in_old_side(&self) -> PathBuf {
        self.working.strip_prefix(&self.work_tree).map_or_else(|_| self.old.clone(), |below| self.old.join(below))
    }
}

/// The paths of the user, from the folder of the repository; none means all of it.
fn below_repository(paths: &[PathBuf], sides: &Sides) -> Result<Vec<PathBuf>, UserError> {
    let below = |path: &PathBuf| {
        let whole = absolute(path)?;
        let root = sides.repository.work_tree.clone().unwrap_or(std::env::current_dir().unwrap_or_default());
        let mut plain = PathBuf::new();
        for part in whole.components() {
            match part {
                std::path::Component::ParentDir => drop(plain.pop()),
                other => plain.push(other),
            }
        }
        plain.strip_prefix(&root).map(Path::to_owned).map_err(|_| {
            UserError::new(format!("{} does not lie in the repository", path.display()))
                .hint("paths come behind the change: `harp review HEAD src`")
        })
    };
    if paths.is_empty() { Ok(vec![PathBuf::new()]) } else { paths.iter().map(below).collect() }
}

/// Those of the paths that a side has.
fn paths_in(folder: &Path, below: &[PathBuf]) -> Vec<PathBuf> {
    let whole = |below: &PathBuf| if *below == Path::new("") { folder.to_owned() } else { folder.join(below) };
    below.iter().map(whole).filter(|path| path.exists()).collect()
}

fn shown(paths: &[PathBuf]) -> Vec<String> {
    paths.iter().map(|path| path.display().to_string()).collect()
}

/// The same wherever the process works.
fn absolute(path: &Path) -> Result<PathBuf, UserError> {
    std::path::absolute(path).map_err(|error| UserError::new(format!("{} is no path: {error}", path.display())))
}

fn absolute_input(input: &InputOptions) -> Result<InputOptions, UserError> {
    let all = |paths: &[PathBuf]| paths.iter().map(|path| absolute(path)).collect::<Result<Vec<_>, _>>();
    Ok(InputOptions {
        pack: all(&input.pack)?,
        annotations: all(&input.annotations)?,
        facts: input.facts.as_deref().map(absolute).transpose()?,
        python: input.python.as_deref().map(absolute).transpose()?,
        ..input.clone()
    })
}

/// The environment that a configuration names lies in the checkout; no commit has it.
fn python(python: Option<NamedPath>, sides: &Sides) -> Option<NamedPath> {
    let python = python?;
    match (python.path.strip_prefix(sides.old_folder()), &sides.repository.work_tree) {
        (Ok(below), Some(root)) => Some(NamedPath::within(root.join(below), root)),
        (Ok(_), None) => None,
        (Err(_), _) => Some(python),
    }
}

/// Says which of the settings the change touches, as it is not they that count.
fn changed_settings(config: &Config, sides: &Sides) -> Vec<String> {
    let named = config.packs.iter().chain(&config.annotations).chain(&config.baseline);
    let named: Vec<PathBuf> =
        named.filter_map(|file| Some(file.path.strip_prefix(sides.old_folder()).ok()?.to_owned())).collect();
    let is_setting = |name: &String| {
        let path = Path::new(name);
        match path.file_name().and_then(|name| name.to_str()) {
            Some("harp.toml") => true,
            Some("pyproject.toml") => {
                section(&sides.old_folder().join(path)) != section(&sides.new_folder().join(path))
            }
            _ => named.iter().any(|named| path.starts_with(named)),
        }
    };
    let names = sides.lines.files().iter().flat_map(|file| [&file.old, &file.new]).flatten();
    let mut changed: Vec<String> = names.filter(|name| is_setting(name)).cloned().collect();
    changed.sort();
    changed.dedup();
    let note = || format!("{} changed; the configuration of `{}` holds for both sides", listed(&changed), base(sides));
    if changed.is_empty() { Vec::new() } else { vec![note()] }
}

/// How the user calls the old side.
fn base(sides: &Sides) -> &str {
    sides.title.split("..").next().unwrap_or_default()
}

/// What a `pyproject.toml` says of Harp.
fn section(file: &Path) -> Option<toml::Value> {
    let table = toml::from_str::<toml::Table>(&read_utf8(file, LARGEST_FILE).ok()?).ok()?;
    table.get("tool")?.get("harp").cloned()
}
