//! The one gate through which Harp starts other programs, such as git. Those that Harp starts are named here, lie
//! outside of every analysed project, get nothing of the environment but what they need, and end in time. No
//! configuration of a project names one or has one started.

use std::env;
use std::ffi::OsStr;
use std::fmt;
use std::io;
#[cfg(feature = "tables")]
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::sleep;
use std::time::Duration;

use harp_report::UserError;

use super::process_groups;
use super::project_folders::{Projects, shown};

/// The programs that Harp starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Program {
    /// Reads commits for reviews.
    Git,
    /// Answers what the solver cannot decide.
    Z3,
    /// Harp itself, which analyses a repository in a process of its own.
    #[cfg(feature = "tables")]
    Harp,
    /// What the user names on the command line to bring repositories.
    #[cfg(feature = "tables")]
    Given,
}

impl Program {
    /// Whether it may start further programs, which end with it.
    fn leads(self) -> bool {
        #[cfg(feature = "tables")]
        return self == Program::Given;
        #[cfg(not(feature = "tables"))]
        false
    }

    const fn name(self) -> &'static str {
        match self {
            Program::Git => "git",
            Program::Z3 => "z3",
            #[cfg(feature = "tables")]
            Program::Harp => "harp",
            #[cfg(feature = "tables")]
            Program::Given => "the command",
        }
    }

    /// The program in an absolute folder of `PATH`, outside of these projects. Relative folders are left out: who wrote the current folder wrote what is in it.
    pub fn find(self, projects: &Projects) -> Result<Found, NotFound> {
        let name = format!("{}{}", self.name(), env::consts::EXE_SUFFIX);
        let path = env::var_os("PATH").unwrap_or_default();
        let folders: Vec<PathBuf> = env::split_paths(&path).filter(|folder| folder.is_absolute()).collect();
        let mut in_project = None;
        for candidate in folders.iter().map(|folder| folder.join(&name)).filter(|path| path.is_file()) {
            // Also where the program is a link into a project.
            if !projects.hold(&candidate) {
                let folders = folders.into_iter().filter(|folder| !projects.hold(folder)).collect();
                return Ok(Found { program: self, path: candidate, folders });
            }
            in_project.get_or_insert(candidate);
        }
        Err(NotFound { program: self, in_project })
    }
}

/// A program that may not be started, or is not there.
#[derive(Debug)]
pub(super) struct NotFound {
    program: Program,
    in_project: Option<PathBuf>,
}

impl NotFound {
    /// What its user is told.
    pub fn error(&self, hint: &str) -> UserError {
        let error = UserError::new(self.to_string());
        match self.in_project {
            Some(_) => error.note("whoever writes the project could have it do anything").hint("install it elsewhere"),
            None => error.hint(hint),
        }
    }
}

impl fmt::Display for NotFound {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.program.name();
        match &self.in_project {
            Some(path) => {
                write!(formatter, "the program `{}` lies in the analysed project, and is not started", shown(path))
            }
            None => write!(formatter, "there is no program `{name}` in the folders of PATH"),
        }
    }
}

/// A program that may be started.
#[derive(Clone, Debug)]
pub(super) struct Found {
    program: Program,
    path: PathBuf,
    /// Where it finds other programs.
    folders: Vec<PathBuf>,
}

impl Found {
    /// A program that a test chose.
    pub fn at(program: Program, path: &Path) -> Found {
        Found { program, path: path.to_owned(), folders: Vec::new() }
    }

    /// Where it is.
    pub fn into_path(self) -> PathBuf {
        self.path
    }

    /// A call of the program in a folder outside of the project. Without more, it reads nothing, and nobody reads what it writes.
    pub fn call<Argument: AsRef<OsStr>>(&self, folder: &Path, arguments: impl IntoIterator<Item = Argument>) -> Call {
        let mut command = Command::new(&self.path);
        command.env_clear().current_dir(folder).args(arguments);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        // Without these no program starts on Windows.
        let kept = ["SystemRoot", "TEMP", "TMP"];
        command.envs(kept.into_iter().filter_map(|name| Some((name, env::var_os(name)?))));
        if let Ok(path) = env::join_paths(&self.folders) {
            command.env("PATH", path);
        }
        Call { command, program: self.program }
    }
}

/// Harp itself.
#[cfg(feature = "tables")]
pub(super) fn itself() -> io::Result<Found> {
    Ok(Found { program: Program::Harp, path: env::current_exe()?, folders: Vec::new() })
}

/// A program that the user names on the command line, which gets the user's environment.
#[cfg(feature = "tables")]
pub(super) struct Given(PathBuf);

#[cfg(feature = "tables")]
impl Given {
    /// The program at a path, or of a name in an absolute folder of `PATH`.
    pub fn find(name: &str) -> Result<Given, String> {
        let path = Path::new(name);
        if path.components().count() > 1 {
            let path = std::path::absolute(path).map_err(|error| error.to_string())?;
            return Ok(Given(path));
        }
        let folders = env::var_os("PATH").unwrap_or_default();
        let mut candidates = env::split_paths(&folders)
            .filter(|folder| folder.is_absolute())
            .map(|folder| folder.join(format!("{name}{}", env::consts::EXE_SUFFIX)));
        candidates
            .find(|path| path.is_file())
            .map(Given)
            .ok_or_else(|| format!("there is no program `{name}` in the folders of PATH"))
    }

    /// Runs the program in a folder, and waits for its end; what went wrong is the end of what it says.
    pub fn run(&self, folder: &Path, arguments: &[String], limit: Duration) -> Result<(), String> {
        const LONGEST_SAID: u64 = 4 << 10;
        let mut said = tempfile::tempfile_in(folder).map_err(|error| error.to_string())?;
        let mut command = Command::new(&self.0);
        command.current_dir(folder).args(arguments).stdin(Stdio::null()).stdout(Stdio::null());
        command.stderr(said.try_clone().map_err(|error| error.to_string())?);
        let call = Call { command, program: Program::Given };
        let started = call.start(limit).map_err(|error| format!("{} cannot be started: {error}", self.0.display()))?;
        let status = started.wait()?;
        if status.success() {
            return Ok(());
        }
        let mut text = Vec::new();
        let length = said.metadata().map_or(0, |metadata| metadata.len());
        let _ = said.seek(SeekFrom::Start(length.saturating_sub(LONGEST_SAID)));
        let _ = said.take(LONGEST_SAID).read_to_end(&mut text);
        let text = String::from_utf8_lossy(&text);
        let line = text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("it says nothing");
        Err(format!("the command failed: {}", line.trim()))
    }
}

/// A program with what it is given.
pub(super) struct Call {
    /// To add to the environment and to connect it.
    pub command: Command,
    program: Program,
}

impl Call {
    /// Starts the program. It is ended where it takes longer than the limit.
    pub fn start(mut self, limit: Duration) -> io::Result<Started> {
        let leads = self.program.leads();
        let child = match leads {
            true => process_groups::start(&mut self.command, Command::spawn)?,
            false => self.command.spawn()?,
        };
        let child = Arc::new(Mutex::new(child));
        let is_late = Arc::new(AtomicBool::new(false));
        let (ended, waiting) = channel::<()>();
        let (watched, late) = (Arc::clone(&child), Arc::clone(&is_late));
        let watch = move || {
            if waiting.recv_timeout(limit) == Err(RecvTimeoutError::Timeout) {
                late.store(true, Ordering::Relaxed);
                // It may have ended just now.
                let _ = end(&mut watched.lock().unwrap_or_else(PoisonError::into_inner), leads);
            }
        };
        std::thread::Builder::new().name("time limit".to_owned()).spawn(watch)?;
        Ok(Started { child, is_late, limit, program: self.program, _ended: ended })
    }
}

/// Ends a program, with those that it started where it leads them.
fn end(child: &mut Child, leads: bool) -> io::Result<()> {
    if leads {
        process_groups::end(child);
    }
    child.kill()
}

/// A program that runs, and does not outlive this.
#[derive(Debug)]
pub(super) struct Started {
    child: Arc<Mutex<Child>>,
    is_late: Arc<AtomicBool>,
    limit: Duration,
    program: Program,
    /// Lets the one who watches go.
    _ended: Sender<()>,
}

/// Between two looks whether a program has ended.
const LOOKS: [Duration; 2] = [Duration::from_micros(200), Duration::from_millis(10)];

impl Started {
    /// Its ends, which are taken once.
    pub fn with<T>(&self, take: impl FnOnce(&mut Child) -> T) -> T {
        take(&mut self.child.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Waits for the end, which comes within the limit of time.
    pub fn wait(&self) -> Result<ExitStatus, String> {
        let [mut rest, longest] = LOOKS;
        loop {
            let status = match self.program.leads() {
                true => self.with(process_groups::status),
                false => self.with(Child::try_wait),
            };
            match status {
                Ok(Some(_)) if self.is_late() => return Err(self.told()),
                Ok(Some(status)) => return Ok(status),
                Ok(None) => sleep(rest),
                Err(error) => return Err(error.to_string()),
            }
            rest = (rest * 2).min(longest);
        }
    }

    /// Whether it was ended since it took too long.
    pub fn is_late(&self) -> bool {
        self.is_late.load(Ordering::Relaxed)
    }

    fn told(&self) -> String {
        format!("{} took longer than {} seconds", self.program.name(), self.limit.as_secs())
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        // It is ended, or has ended by itself.
        let leads = self.program.leads();
        self.with(|child| {
            let _ = end(child, leads);
            if leads {
                process_groups::forget(child);
            }
            let _ = child.wait();
        });
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_program_ends_in_time() {
        let shell = Found::at(Program::Git, Path::new("/bin/sh"));
        let started = shell.call(Path::new("/"), ["-c", "while :; do :; done"]).start(Duration::from_millis(20));
        let told = started.expect("it starts").wait().expect_err("it is ended");
        assert!(told.contains("took longer"), "{told}");
        let started = shell.call(Path::new("/"), ["-c", "exit 3"]).start(Duration::from_secs(600)).expect("it starts");
        assert_eq!(started.wait().expect("it ends").code(), Some(3));
    }

    #[test]
    fn a_program_gets_no_variables_of_the_environment() {
        let shell = Found::at(Program::Git, Path::new("/bin/sh"));
        let started = shell.call(Path::new("/"), ["-c", "test -z \"$CARGO_MANIFEST_DIR$HOME\""]);
        let status = started.start(Duration::from_secs(600)).expect("it starts").wait().expect("it ends");
        assert!(status.success() && env::var_os("CARGO_MANIFEST_DIR").is_some());
    }
}
