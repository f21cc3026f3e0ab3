//! `harp review`: with which settings both sides are analysed, those of the old side. Who proposes a change does not
//! choose how it is looked at.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use harp_annotations::Target;
use harp_corpus::{NamedPath, read_utf8};
use harp_report::baseline::Baseline;
use harp_report::{Selection, Severity, UserError};

use super::options::ReviewOptions;
use super::sides::{Sides, listed};
use super::working_folder::WorkingFolder;
use crate::options::InputOptions;
use crate::pipeline::AnalysisOptions;
use crate::project_folders::{Projects, working_folder};
use crate::projects::RunProjects;
use crate::report_options::ReportOptions;
use crate::{baselines, library_versions};

/// A larger file is no configuration.
const LARGEST_FILE: u64 = 4 << 20;

/// What the analyses are told.
pub(super) struct Settings {
    /// The paths with one nearest configuration each.
    pub projects: Vec<ProjectSettings>,
    /// The findings that are known of all of them, where the user names a file.
    pub baseline: Option<Baseline>,
    /// What is wrong with the settings of others, which are left out for it.
    pub errors: Vec<UserError>,
    /// What a reader should know.
    pub notes: Vec<String>,
}

/// What both analyses of a project are told.
pub(super) struct ProjectSettings {
    /// Of the old side and of the new one.
    pub options: [AnalysisOptions; 2],
    /// The findings that its configuration says are known.
    pub baseline: Option<Baseline>,
}

impl Settings {
    pub fn of(options: &ReviewOptions, sides: &Sides) -> Result<Settings, UserError> {
        let work_tree = sides.repository.work_tree.as_deref();
        let checkouts = Projects::of(&work_tree.map(Path::to_owned).into_iter().collect::<Vec<_>>());
        let below = below_repository(&options.input.paths, sides)?;
        let folders = [sides.old_folder(), sides.new_folder()];
        let is_there = |below: &PathBuf| folders.iter().any(|folder| at(folder, below).exists());
        if !below.iter().any(is_there) {
            let what = listed(&shown(&below));
            return Err(UserError::new(format!("no such file or folder on either side: {what}")));
        }
        let input = absolute_input(&options.input)?;
        let of_all = options.baseline.as_deref().map(absolute).transpose()?;
        let folders = Folders::of(sides);
        // All configurations are those of the old side, also for what only the new one has.
        let paths = below.iter().filter(|path| is_there(path)).map(|below| at(sides.old_folder(), below)).collect();
        let _within = WorkingFolder::enter(sides.old_folder())?;
        let note = format!("this is the configuration of `{}`; `--config FILE` names another", base(sides));
        let run = RunProjects::within(&InputOptions { paths, ..input.clone() }, checkouts, Some(&note))?;
        let notes = match input.config.is_none() && !input.isolated {
            true => changed_settings(&run.projects, sides),
            false => Vec::new(),
        };
        let baseline = of_all.map(|file| baselines::read(&NamedPath::by_user(file))).transpose()?;
        let mut settings = Settings { projects: Vec::new(), baseline, errors: run.errors, notes };
        let count = run.projects.len();
        for mut project in run.projects {
            project.python = python(project.python.take(), sides);
            let own = project.baseline.take().filter(|_| settings.baseline.is_none());
            match own.map(|own| baselines::read(&own)).transpose() {
                Ok(baseline) => {
                    let options = folders.both_sides(project, &options.report);
                    settings.projects.push(ProjectSettings { options, baseline });
                }
                Err(error) if count == 1 => return Err(error),
                Err(error) => settings.errors.push(error),
            }
        }
        Ok(settings)
    }
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

    /// The options of a project on the old side, and those on the new one.
    fn both_sides(&self, project: AnalysisOptions, report: &ReportOptions) -> [AnalysisOptions; 2] {
        let mut old = project;
        let mut chosen = self.in_old_side(std::mem::take(&mut old.selection));
        report.refine(&mut chosen, &self.working_in_old_side());
        let new = AnalysisOptions {
            paths: self.all_in_new_side(&old.paths),
            apart: self.all_in_new_side(&old.apart),
            import_roots: self.all_in_new_side(&old.import_roots),
            exclude_given_below: old.exclude_given_below.as_deref().map(|folder| self.in_new_side(folder)),
            targets: self.targets_in_new_side(&old),
            selection: chosen.clone().moved(&self.old, &self.new),
            ..old.clone()
        };
        // What was less severe before is made worse, and not new.
        old.selection = chosen;
        (old.selection.least, old.selection.certain_only) = (Severity::Note, false);
        [old, new].map(|mut side| {
            side.paths.retain(|path| path.exists());
            side
        })
    }

    /// The same place on the new side.
    fn in_new_side(&self, old: &Path) -> PathBuf {
        old.strip_prefix(&self.old).map_or_else(|_| old.to_owned(), |below| at(&self.new, below))
    }

    fn all_in_new_side(&self, old: &[PathBuf]) -> Vec<PathBuf> {
        old.iter().map(|path| self.in_new_side(path)).collect()
    }

    /// The versions of libraries that the requirements of the new side tell, unless the configuration does.
    fn targets_in_new_side(&self, old: &AnalysisOptions) -> BTreeMap<Box<str>, Target> {
        let first = old.paths.first();
        let mut targets = first.map(|path| library_versions::detect(&self.in_new_side(path), None)).unwrap_or_default();
        targets.extend(old.configured_targets.clone());
        targets
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

/// A path of the repository in the folder of a side.
fn at(folder: &Path, below: &Path) -> PathBuf {
    if below == Path::new("") { folder.to_owned() } else { folder.join(below) }
}

fn shown(paths: &[PathBuf]) -> Vec<String> {
    paths.iter().map(|path| path.display().to_string()).collect()
}

/// The same wherever the process works.
fn absolute(path: &Path) -> Result<PathBuf, UserError> {
    std::path::absolute(path).map_err(|error| UserError::new(format!("{} is not a path: {error}", path.display())))
}

fn absolute_input(input: &InputOptions) -> Result<InputOptions, UserError> {
    let all = |paths: &[PathBuf]| paths.iter().map(|path| absolute(path)).collect::<Result<Vec<_>, _>>();
    Ok(InputOptions {
        pack: all(&input.pack)?,
        annotations: all(&input.annotations)?,
        config: input.config.as_deref().map(absolute).transpose()?,
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
fn changed_settings(projects: &[AnalysisOptions], sides: &Sides) -> Vec<String> {
    let named = projects.iter().flat_map(|it| it.packs.iter().chain(&it.annotations).chain(&it.baseline));
    let named: Vec<PathBuf> =
        named.filter_map(|file| Some(file.path.strip_prefix(sides.old_folder()).ok()?.to_owned())).collect();
    let is_setting = |name: &&String| {
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
    let mut changed: Vec<String> = names.filter(is_setting).cloned().collect();
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
