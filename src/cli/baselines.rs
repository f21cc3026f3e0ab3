//! `--baseline`: findings that the project knows of are not reported again.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use harp_corpus::{Corpus, FileError, NamedPath, count};
use harp_report::baseline::{Baseline, Compared, LookedAt};
use harp_report::{Finding, Selection, Summary, UserError};

use super::options::CheckOptions;
use super::output;
use super::pipeline::{Analysis, AnalysisOptions};
use super::project_folders::shown;
use super::project_root;
use crate::writing::{LARGEST_BASELINE, gate};

/// The baselines of a run, and of each project what is looked at.
pub(super) struct Baselines {
    files: Files,
    looks: Vec<Looks>,
}

enum Files {
    /// Each project has its own, or none.
    OfProjects(Vec<Option<KnownFile>>),
    /// Several projects have one, which the command line names.
    Common { file: KnownFile, is_fixing: bool },
}

/// A file with a baseline, which is read once.
struct KnownFile {
    path: NamedPath,
    content: OnceCell<Result<Baseline, UserError>>,
}

impl KnownFile {
    fn new(path: NamedPath) -> KnownFile {
        KnownFile { path, content: OnceCell::new() }
    }

    fn baseline(&self) -> Result<&Baseline, UserError> {
        self.content.get_or_init(|| read(&self.path)).as_ref().map_err(Clone::clone)
    }
}

impl Baselines {
    /// What the command line names, or else the configuration of each project.
    ///
    /// # Errors
    ///
    /// Where one is to be written, and has no name.
    pub fn of(options: &CheckOptions, projects: &[AnalysisOptions]) -> Result<Baselines, UserError> {
        let looks = projects.iter().map(Looks::of).collect();
        if let (Some(file), 2..) = (&options.baseline, projects.len()) {
            let is_fixing = options.fix.mode().is_some();
            return Ok(Baselines {
                files: Files::Common { file: KnownFile::new(NamedPath::by_user(file.clone())), is_fixing },
                looks,
            });
        }
        let of_project = |project: &AnalysisOptions| chosen(options.baseline.as_ref(), project.baseline.clone());
        let files: Vec<Option<KnownFile>> = projects.iter().map(|it| of_project(it).map(KnownFile::new)).collect();
        // Around projects there may be a folder that has nothing to find.
        let is_empty =
            |project: &AnalysisOptions| projects.len() > 1 && count(&project.paths, &project.load_options()) == 0;
        let mut without = projects.iter().zip(&files).filter(|(project, file)| file.is_none() && !is_empty(project));
        let without = if options.update_baseline { without.next() } else { None };
        if let Some((project, _)) = without {
            let error = UserError::new("`--update-baseline` needs to know which file")
                .hint("name it with `--baseline FILE`, or as `baseline` in the configuration");
            return Err(match project.paths.first() {
                Some(path) if projects.len() > 1 => error.note(format!(
                    "the configuration of `{}` names none; each project has a baseline of its own",
                    shown(path)
                )),
                _ => error,
            });
        }
        if options.update_baseline {
            no_file_twice(&files)?;
        }
        Ok(Baselines { files: Files::OfProjects(files), looks })
    }

    /// The projects whose baseline cannot be read, so that nothing can be said of their findings, and why.
    ///
    /// # Errors
    ///
    /// Where nothing is left to check.
    pub fn unread(&self) -> Result<BTreeMap<usize, UserError>, UserError> {
        match &self.files {
            Files::Common { file, .. } => file.baseline().map(|_| BTreeMap::new()),
            Files::OfProjects(files) => {
                let error = |file: &Option<KnownFile>| file.as_ref()?.baseline().err();
                let unread = files.iter().enumerate().filter_map(|(index, file)| Some((index, error(file)?)));
                let unread: BTreeMap<usize, UserError> = unread.collect();
                match unread.values().next() {
                    Some(error) if files.len() == 1 => Err(error.clone()),
                    _ => Ok(unread),
                }
            }
        }
    }

    /// Leaves out of a project's analysis what its baseline knows. One of all projects is compared with all of them, unless fixes are made before.
    pub fn leave_out(&self, project: usize, analysis: &mut Analysis) -> Result<(), UserError> {
        let file = match &self.files {
            Files::OfProjects(files) => files.get(project).and_then(Option::as_ref),
            Files::Common { file, is_fixing } => is_fixing.then_some(file),
        };
        if let Some(file) = file {
            compare(file.baseline()?, analysis, self.looks_of(project));
        }
        Ok(())
    }

    /// Leaves out of the analyses of all projects what their baseline knows.
    pub fn leave_out_common(&self, analysis: &mut Analysis) -> Result<(), UserError> {
        match &self.files {
            Files::Common { file, is_fixing: false } => compare(file.baseline()?, analysis, &self.looks),
            // What one project does not have, another one may.
            Files::Common { is_fixing: true, .. } => analysis.summary.gone_from_baseline = 0,
            Files::OfProjects(_) => {}
        }
        Ok(())
    }

    fn looks_of(&self, project: usize) -> &[Looks] {
        self.looks.get(project).map(std::slice::from_ref).unwrap_or_default()
    }

    /// Writes the baseline of a project, and says what it says. Where something was not done, what would be missing in it stays.
    pub fn update(&self, project: usize, analysis: &Analysis) -> Result<Option<String>, UserError> {
        match &self.files {
            Files::OfProjects(files) => match files.get(project) {
                Some(Some(file)) if is_whole(analysis) => {
                    update(&file.path, analysis, self.looks_of(project)).map(Some)
                }
                _ => Ok(None),
            },
            Files::Common { .. } => Ok(None),
        }
    }

    /// The same for the baseline of all projects.
    pub fn update_common(&self, analysis: &Analysis) -> Result<Option<String>, UserError> {
        match &self.files {
            Files::Common { file, .. } if is_whole(analysis) => update(&file.path, analysis, &self.looks).map(Some),
            _ => Ok(None),
        }
    }
}

/// Whoever writes a baseline of one project forgets what another one has written to the same file.
fn no_file_twice(files: &[Option<KnownFile>]) -> Result<(), UserError> {
    let mut seen = BTreeSet::new();
    for path in files.iter().flatten().map(|file| &file.path) {
        let place = gate::place(path).unwrap_or_else(|_| path.path.clone());
        if !seen.insert(place) {
            let error = UserError::new(format!("two projects have {} for their baseline", shown(&path.path)));
            return Err(error.hint("give each its own, or name one for all with `--baseline`"));
        }
    }
    Ok(())
}

fn is_whole(analysis: &Analysis) -> bool {
    analysis.errors.is_empty() && analysis.defects.is_empty()
}

/// Leaves out of an analysis what the baseline of its project knows.
pub(super) fn leave_out(file: &NamedPath, analysis: &mut Analysis, project: &AnalysisOptions) -> Result<(), UserError> {
    compare(&read(file)?, analysis, &[Looks::of(project)]);
    Ok(())
}

fn compare(baseline: &Baseline, analysis: &mut Analysis, looks: &[Looks]) {
    let Analysis { findings, corpus, summary, .. } = analysis;
    leave_out_known(baseline, findings, summary, corpus, looks);
}

/// Leaves out of findings, which these looks found, what a baseline knows, and counts it.
pub(super) fn leave_out_known(
    baseline: &Baseline,
    findings: &mut Vec<Finding>,
    summary: &mut Summary,
    corpus: &Corpus,
    looks: &[Looks],
) {
    let Compared { known, gone } = looked_at(looks, |looked_at| baseline.leave_out(findings, corpus, looked_at));
    (summary.in_baseline, summary.gone_from_baseline) = (known, gone);
}

/// Writes the baseline in which all findings of an analysis are known, and says what it says. What is known of the rest of the project stays.
fn update(file: &NamedPath, analysis: &Analysis, looks: &[Looks]) -> Result<String, UserError> {
    let name = shown(&file.path);
    let mut baseline = Baseline::of(&analysis.findings, &analysis.corpus);
    // What is none is not written over.
    if let Ok(old) = read(file) {
        baseline = looked_at(looks, |looked_at| baseline.with_rest_of(old, looked_at));
    }
    output::write_baseline(file, &baseline.text())?;
    let count = baseline.len();
    let findings = if count == 1 { "1 finding".to_owned() } else { format!("{count} findings") };
    Ok(format!("{findings} in {name}"))
}

/// What a project's run looks at.
pub(super) struct Looks {
    /// Without links.
    paths: Vec<PathBuf>,
    /// The folders from which paths in a baseline lead.
    roots: BTreeSet<PathBuf>,
    selection: Selection,
}

impl Looks {
    pub fn of(project: &AnalysisOptions) -> Looks {
        let paths: Vec<PathBuf> = project.paths.iter().filter_map(|path| path.canonicalize().ok()).collect();
        let roots = paths.iter().filter_map(|path| project_root::around(path)).collect();
        Looks { paths, roots, selection: project.selection.clone() }
    }

    /// Whether a file of a baseline is checked.
    fn has(&self, file: &Path) -> bool {
        self.paths.iter().any(|path| file.starts_with(path))
    }
}

/// Tells what all of these look at. A file that is no more is looked at by everybody.
fn looked_at<T>(looks: &[Looks], then: impl FnOnce(&LookedAt<'_>) -> T) -> T {
    let roots: BTreeSet<&PathBuf> = looks.iter().flat_map(|looks| &looks.roots).collect();
    let file = |path: &str| {
        let path = Path::new(path);
        // Whoever wrote a path that leads elsewhere is not told whether something is there.
        if !path.components().all(|part| matches!(part, Component::Normal(_))) {
            return true;
        }
        let there: Vec<PathBuf> = roots.iter().map(|root| root.join(path)).filter(|path| path.exists()).collect();
        there.is_empty() || there.iter().any(|file| looks.iter().any(|looks| looks.has(file)))
    };
    let rule = |rule: &str| looks.iter().any(|looks| looks.selection.asks_for_all_of(rule));
    then(&LookedAt { file: &file, rule: &rule })
}

/// Reads the file of a baseline.
pub(super) fn read(file: &NamedPath) -> Result<Baseline, UserError> {
    let name = shown(&file.path);
    let text = file.read_utf8(LARGEST_BASELINE).map_err(|error| {
        let told = UserError::new(format!("{name} cannot be read: {error}"));
        match error {
            FileError::Unreadable(_) if !file.path.exists() => told.hint("`--update-baseline` writes it"),
            _ => told,
        }
    })?;
    Baseline::parse(&text).map_err(|(reason, line, column)| {
        let before: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
        let at = (before + column.saturating_sub(1)).min(text.len());
        let at = (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        let error = UserError::new(format!("{name} is not a baseline: {reason}"));
        error.at(&*name, &*text, at..at, "").hint("remove it, and `--update-baseline` writes it anew")
    })
}

/// The baseline of the command line, or else that of the configuration.
pub(super) fn chosen(option: Option<&PathBuf>, configured: Option<NamedPath>) -> Option<NamedPath> {
    option.map(|path| NamedPath::by_user(path.clone())).or(configured)
}
