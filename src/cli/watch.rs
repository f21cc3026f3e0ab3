//! `harp check --watch`: checks again whenever a file changes that an analysis may read.
//!
//! Files are looked at from time to time: that works on every file system, in containers and over networks, and costs little beside an analysis.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant, SystemTime};

use harp_corpus::unignored_files;
use harp_report::{UserError, terminal_escape};

use crate::Outcome;
use crate::check;
use crate::config;
use crate::options::{CheckOptions, ColorChoice, OutputFormat};
use crate::output;
use crate::project_folders::at_and_above;
use crate::standard_input;

/// Between two looks at the files passes at least this time, and so many times what a look took.
const REST: Duration = Duration::from_millis(400);
const REST_TO_LOOK: u32 = 10;
/// Programs write several files one after another: what changed is analysed once nothing changes for this time, or after so many looks.
const QUIET: Duration = Duration::from_millis(100);
const MOST_QUIET_LOOKS: usize = 20;
/// So many changed files are named.
const MOST_NAMED: usize = 3;

/// Checks until it is interrupted.
pub(super) fn run(options: &CheckOptions, color: ColorChoice) -> Result<Outcome, UserError> {
    if standard_input::path(&options.input.paths, options.stdin_filename.as_deref())?.is_some() {
        return Err(UserError::new("the standard input cannot be watched").hint("name the file"));
    }
    loop {
        // Looked at before: what changes during the analysis is analysed next.
        let seen = Seen::now(options);
        begin(options);
        if let Err(error) = check::run_once(options.clone(), color) {
            output::show_errors(&[error], color);
        }
        tell("watching for changes; Ctrl-C ends");
        let changed = seen.wait(options);
        tell(&format!("changed: {}", named(&changed)));
    }
}

/// A terminal shows the newest report alone.
fn begin(options: &CheckOptions) {
    let is_text = options.output.is_empty() && matches!(options.format, OutputFormat::Text | OutputFormat::Concise);
    if is_text && io::stdout().is_terminal() {
        // Nobody is left to tell where the terminal is gone.
        let _ = io::stdout().write_all(b"\x1b[2J\x1b[H").and_then(|()| io::stdout().flush());
    }
}

fn tell(what: &str) {
    let _ = writeln!(io::stderr(), "{what}");
}

fn named(changed: &[PathBuf]) -> String {
    let working_folder = std::env::current_dir().unwrap_or_default();
    let name =
        |path: &PathBuf| terminal_escape::line(&path.strip_prefix(&working_folder).unwrap_or(path).to_string_lossy());
    let names: Vec<String> = changed.iter().take(MOST_NAMED).map(name).collect();
    let more = changed.len().saturating_sub(MOST_NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", names.join(", "))
}

/// The files that an analysis may read, with what tells one state of a file from another.
#[derive(PartialEq, Eq)]
struct Seen(BTreeMap<PathBuf, (u64, Option<SystemTime>)>);

impl Seen {
    fn now(options: &CheckOptions) -> Seen {
        let written: Vec<PathBuf> =
            options.output.iter().filter_map(|output| output.file.as_ref()?.canonicalize().ok()).collect();
        let input = &options.input;
        let mut files = BTreeMap::new();
        let projects = input.paths.iter().filter_map(|path| project_of(path));
        let beside = input.pack.iter().chain(&input.annotations).chain(&input.facts).chain(&input.config);
        for root in projects.chain(beside.filter_map(|path| path.canonicalize().ok())) {
            for path in looked_at(&root).into_iter().filter(|path| !written.contains(path)) {
                let Ok(metadata) = fs::symlink_metadata(&path) else { continue };
                files.insert(path, (metadata.len(), metadata.modified().ok()));
            }
        }
        Seen(files)
    }

    /// Waits until something changes, and gives what did.
    fn wait(self, options: &CheckOptions) -> Vec<PathBuf> {
        loop {
            let started = Instant::now();
            let mut now = Seen::now(options);
            if now == self {
                sleep(REST.max(started.elapsed() * REST_TO_LOOK));
                continue;
            }
            for _ in 0..MOST_QUIET_LOOKS {
                sleep(QUIET);
                let later = Seen::now(options);
                if later == now {
                    break;
                }
                now = later;
            }
            let changed = self.changed(&now);
            // What was put back as it was is no change.
            if !changed.is_empty() {
                return changed;
            }
        }
    }

    fn changed(&self, now: &Seen) -> Vec<PathBuf> {
        let gone = self.0.keys().filter(|path| !now.0.contains_key(*path));
        let new = now.0.iter().filter(|(path, state)| self.0.get(*path) != Some(state)).map(|(path, _)| path);
        let mut changed: Vec<PathBuf> = gone.chain(new).cloned().collect();
        changed.sort();
        changed
    }
}

/// The files that are looked at of a folder, or the file itself.
fn looked_at(root: &Path) -> Vec<PathBuf> {
    if !root.is_dir() {
        return vec![root.to_owned()];
    }
    let below = unignored_files(root).into_iter().filter(|file| is_looked_at(file));
    below.chain([PathBuf::from(".gitignore")]).map(|file| root.join(file)).collect()
}

/// Whether a change of a file is looked at: of sources, settings, rules and annotations. What programs write while they run is data, and mostly of other kinds.
fn is_looked_at(path: &Path) -> bool {
    const ENDINGS: [&str; 10] = ["py", "ipynb", "toml", "yaml", "yml", "cfg", "ini", "env", "dl", "md"];
    path.extension().is_some_and(|ending| ENDINGS.iter().any(|known| ending == *known)) || path.ends_with(".env")
}

/// The folder in which a path's own modules, settings and configuration lie, without links: its checkout, else the nearest folder with a
/// configuration, else itself.
fn project_of(path: &Path) -> Option<PathBuf> {
    let folders = at_and_above(path);
    let checkout = folders.last().filter(|folder| folder.is_checked_out);
    let configured = || folders.iter().find(|folder| config::has_configuration(&folder.shown));
    checkout.or_else(configured).or(folders.first()).map(|folder| folder.real.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(files: &[(&str, u64)]) -> Seen {
        Seen(files.iter().map(|(path, length)| (PathBuf::from(path), (*length, None))).collect())
    }

    #[test]
    fn what_is_new_gone_or_other_changed() {
        let before = seen(&[("/a.py", 1), ("/b.py", 2), ("/c.py", 3)]);
        let after = seen(&[("/b.py", 2), ("/c.py", 4), ("/d.py", 5)]);
        assert_eq!(before.changed(&after), ["/a.py", "/c.py", "/d.py"].map(PathBuf::from));
        assert_eq!(named(&before.changed(&after)), "/a.py, /c.py, /d.py");
        assert_eq!(
            named(&["/a\u{1b}.py", "/b", "/c", "/d", "/e"].map(PathBuf::from)),
            "/a\\u{1b}.py, /b, /c and 2 more"
        );
    }
}
