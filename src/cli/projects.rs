//! Which configuration holds for which paths: those with one nearest configuration are one project, analysed with its
//! settings alone.
//!
//! A folder below a given one that has a configuration is a project of its own, and left out of the one around it. So no configuration speaks of the
//! files of another: the closest counts as a whole.

use std::path::{Path, PathBuf};

use harp_corpus::{LoadOptions, outermost_folders};
use harp_report::UserError;

use crate::config::{self, Nearest};
use crate::library_versions;
use crate::options::InputOptions;
use crate::pipeline::AnalysisOptions;
use crate::project_folders::{Projects, shown};

/// More configurations than these are not read in one run: each costs an analysis. `docs/configuration.md` says so.
const MOST_CONFIGURATIONS: usize = 100;

/// What is analysed in a run.
#[derive(Default)]
pub(super) struct RunProjects {
    /// In the order of the paths; those of folders below come behind.
    pub projects: Vec<AnalysisOptions>,
    /// What is wrong with the configurations of others, which are left out for it.
    pub errors: Vec<UserError>,
}

impl RunProjects {
    /// The projects of the paths that the user gave. With `--config` or `--isolated` that is one.
    ///
    /// # Errors
    ///
    /// Where there are too many, where the only one has a mistake, or an option has.
    pub fn of(input: &InputOptions) -> Result<RunProjects, UserError> {
        RunProjects::within(input, Projects::of(&input.paths), None)
    }

    /// The same, where it is known which files the projects' authors wrote; `note` is said of configurations with mistakes. Of a path that is not there,
    /// the folders above tell the configuration.
    pub fn within(input: &InputOptions, projects: Projects, note: Option<&str>) -> Result<RunProjects, UserError> {
        if input.config.is_some() || input.isolated {
            let project = AnalysisOptions::within(input, &projects)?;
            return Ok(RunProjects { projects: vec![project], errors: Vec::new() });
        }
        let mut search = Search { input, projects, note, found: Vec::new() };
        for path in &input.paths {
            search.add(path.clone(), &[]);
        }
        let mut next = 0;
        while next < search.found.len() {
            search.configure(next)?;
            next += 1;
        }
        search.finish()
    }
}

/// The paths with one nearest configuration.
struct Found {
    /// The folder of the configuration, without links; `None` of paths without one.
    folder: Option<PathBuf>,
    paths: Vec<PathBuf>,
    /// The folders that the user gave around those that were found below them; without links.
    import_roots: Vec<PathBuf>,
    /// What is read apart from the paths.
    apart: Vec<PathBuf>,
    options: Option<Result<AnalysisOptions, UserError>>,
}

struct Search<'a> {
    input: &'a InputOptions,
    projects: Projects,
    /// What is said of configurations with mistakes.
    note: Option<&'a str>,
    found: Vec<Found>,
}

impl Search<'_> {
    /// Adds a path to those with its configuration.
    fn add(&mut self, path: PathBuf, import_roots: &[PathBuf]) {
        let folder = Nearest::of(&path).folder().map(Path::to_owned);
        let known = self.found.iter().position(|found| found.folder == folder).unwrap_or_else(|| {
            let (paths, import_roots, apart) = (Vec::new(), Vec::new(), Vec::new());
            self.found.push(Found { folder, paths, import_roots, apart, options: None });
            self.found.len() - 1
        });
        let found = &mut self.found[known];
        // A folder that was given, and is found below another one that was given, too.
        let real = path.canonicalize().ok();
        if real.is_none() || !found.paths.iter().any(|other| other.canonicalize().ok() == real) {
            found.paths.push(path);
        }
        let new: Vec<PathBuf> = import_roots.iter().filter(|it| !found.import_roots.contains(it)).cloned().collect();
        found.import_roots.extend(new);
    }

    /// Reads the configuration of some paths, and finds those in folders below them.
    fn configure(&mut self, index: usize) -> Result<(), UserError> {
        let Found { paths, import_roots, .. } = &self.found[index];
        let (paths, import_roots) = (paths.clone(), import_roots.clone());
        let options = self.read(&paths);
        let load = options.as_ref().map(AnalysisOptions::load_options).unwrap_or_default();
        for path in paths.iter().filter(|path| path.is_dir()) {
            let Ok(real) = path.canonicalize() else { continue };
            for below in nested(path, &real, &load)? {
                let inside = below.strip_prefix(&real).unwrap_or(&below);
                let shown = if path == Path::new(".") { inside.to_owned() } else { path.join(inside) };
                self.add(shown, &[import_roots.as_slice(), std::slice::from_ref(&real)].concat());
                self.found[index].apart.push(below);
            }
            if self.found.iter().filter(|found| found.folder.is_some()).count() > MOST_CONFIGURATIONS {
                return Err(too_many(path));
            }
        }
        self.found[index].options = Some(options);
        Ok(())
    }

    fn read(&self, paths: &[PathBuf]) -> Result<AnalysisOptions, UserError> {
        let Some(first) = paths.first() else { return AnalysisOptions::new(self.input) };
        let with_note = |error: UserError| match self.note {
            Some(note) => error.note(note),
            None => error,
        };
        let config = config::discover(first).map_err(with_note)?;
        let detected = library_versions::detect(first, config.found_in.as_deref());
        let input = InputOptions { paths: paths.to_vec(), ..self.input.clone() };
        AnalysisOptions::with_config(&input, &self.projects, config, detected)
    }

    fn finish(self) -> Result<RunProjects, UserError> {
        let mut run = RunProjects::default();
        for Found { paths, import_roots, apart, options, .. } in self.found {
            match options {
                Some(Ok(options)) => {
                    run.projects.push(AnalysisOptions { paths, import_roots, apart, ..options });
                }
                Some(Err(error)) => run.errors.push(error),
                None => {}
            }
        }
        // An option of the command line that is wrong is wrong everywhere.
        let mut told: Vec<UserError> = Vec::new();
        run.errors.retain(|error| {
            !told.contains(error) && {
                told.push(error.clone());
                true
            }
        });
        match (run.projects.is_empty(), run.errors.len()) {
            (true, 1) => Err(run.errors.remove(0)),
            _ => Ok(run),
        }
    }
}

/// The folders below a given one that have a configuration, each nearest to what lies in it.
fn nested(given: &Path, real: &Path, options: &LoadOptions) -> Result<Vec<PathBuf>, UserError> {
    let options = LoadOptions { apart: Vec::new(), ..options.clone() };
    match outermost_folders(real, &options, MOST_CONFIGURATIONS, config::has_configuration) {
        Ok(folders) if folders.len() > MOST_CONFIGURATIONS => Err(too_many(given)),
        Ok(folders) => Ok(folders),
        // What cannot be listed is told where it is read.
        Err(_) => Ok(Vec::new()),
    }
}

fn too_many(folder: &Path) -> UserError {
    let name = Some(shown(folder)).filter(|name| !name.is_empty()).unwrap_or(".".to_owned());
    UserError::new(format!("there are more than {MOST_CONFIGURATIONS} configurations in `{name}`"))
        .hint("give fewer folders, or name one configuration for all of them with `--config FILE`")
}

/// The project that a file belongs to, of those of a run; the first where none has it.
pub(super) fn of_file<'p>(file: &Path, projects: &'p [AnalysisOptions]) -> Option<&'p AnalysisOptions> {
    let Ok(file) = file.canonicalize() else { return projects.first() };
    let holds = |folder: &Path| folder.canonicalize().is_ok_and(|folder| file.starts_with(folder));
    let has_it = |project: &&AnalysisOptions| {
        project.paths.iter().any(|path| holds(path)) && !project.apart.iter().any(|apart| file.starts_with(apart))
    };
    projects.iter().find(has_it).or(projects.first())
}

/// Warnings for paths whose configuration is not read, where a command has one for all.
pub(super) fn not_read(paths: &[PathBuf]) -> Vec<UserError> {
    let Some((first, others)) = paths.split_first() else { return Vec::new() };
    let taken = Nearest::of(first);
    let mut warnings: Vec<UserError> = Vec::new();
    for path in others {
        let own = Nearest::of(path);
        let Some((_, file)) = own.found.as_ref().filter(|_| own.folder() != taken.folder()) else { continue };
        let warning = UserError::warning(format!("{} is not read", shown(&file.path)))
            .note(format!("the configuration of `{}` holds for all paths of this command", shown(first)));
        if !warnings.contains(&warning) {
            warnings.push(warning);
        }
    }
    warnings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input(paths: &[PathBuf]) -> InputOptions {
        use clap::Parser;
        let mut words = vec!["harp".into(), "facts".into(), "--output".into(), "x".into()];
        words.extend(paths.iter().map(|path| path.clone().into_os_string()));
        match crate::options::CommandLine::parse_from(words).command {
            crate::options::Command::Facts(options) => options.input,
            _ => unreachable!("the command is facts"),
        }
    }

    #[test]
    fn each_path_has_its_nearest_configuration() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().canonicalize().expect("a folder");
        for (path, text) in [
            (".git/HEAD", ""),
            ("harp.toml", "exclude = ['vendor']"),
            ("a.py", ""),
            ("one/pyproject.toml", "[tool.harp]\nargs = 'one'"),
            ("one/deep/inner/harp.toml", "args = 'inner'"),
            ("two/pyproject.toml", "[tool.other]"),
            ("vendor/harp.toml", "args = 'vendor'"),
            (".hidden/harp.toml", "args = 'hidden'"),
            ("venv/harp.toml", "args = 'venv'"),
        ] {
            let path = root.join(path);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            std::fs::write(path, text).expect("a file");
        }
        let split = |paths: &[&str]| {
            let paths: Vec<PathBuf> = paths.iter().map(|path| root.join(path)).collect();
            let run = RunProjects::of(&input(&paths)).expect("the configurations are right");
            let below = |path: &PathBuf| path.strip_prefix(&root).expect("below").display().to_string();
            let project = |options: &AnalysisOptions| {
                (options.arguments.concat(), options.paths.iter().map(below).collect::<Vec<_>>().join(" "))
            };
            run.projects.iter().map(project).collect::<Vec<_>>()
        };
        let pair = |name: &str, paths: &str| (name.to_owned(), paths.to_owned());
        assert_eq!(split(&[""]), [pair("", ""), pair("one", "one"), pair("inner", "one/deep/inner")]);
        assert_eq!(
            split(&["one/deep", "a.py", "two"]),
            [pair("one", "one/deep"), pair("", "a.py two"), pair("inner", "one/deep/inner")]
        );
        assert_eq!(split(&["vendor", "one/deep/inner"]), [pair("vendor", "vendor"), pair("inner", "one/deep/inner")]);
        assert_eq!(split(&["", "one"])[1], pair("one", "one"));
    }
}
