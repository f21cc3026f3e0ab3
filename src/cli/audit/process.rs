//! One process for each repository: it can neither end another, nor read what is not its own, nor use more than its bounds.

use std::ffi::OsString;
use std::io::{self, Read, Seek, SeekFrom};
use std::process::Stdio;
use std::time::Duration;

use harp_corpus::read_utf8;
use harp_tables::rows::{Repository, Status};

use super::options::AuditOptions;
use super::unit::Tree;
use crate::bounds::Bounds;
use crate::options::BoundOptions;
use crate::programs;
use crate::revisions::written;
use crate::writing::unfinished::Unfinished;

/// What an answer begins with.
pub(super) const BEGINNING: &[u8] = b"harp audit 1\n";
/// A longer answer is none.
const LARGEST_ANSWER: u64 = 1 << 30;
/// Beside its own limit of time, after which a process ends in order, it has so much before it is ended.
const GRACE: Duration = Duration::from_secs(60);
/// So often a process is started where another one ends it.
const MOST_ATTEMPTS: usize = 3;
/// What is said of a process that ends early is read so far.
const LONGEST_SAID: u64 = 4 << 10;
/// A process may reserve so many times the memory that its analysis may use, and this much more: stacks are large and hardly used.
const RESERVED: [u64; 2] = [2, 4 << 30];

/// Analyses a tree in a process of its own.
///
/// # Errors
///
/// Where it is the machine that is to blame: its disk is full, or no process can be started.
pub(super) fn analyse(tree: &Tree, options: &AuditOptions, arguments: &[OsString]) -> io::Result<Answer> {
    let scratch = Unfinished::temporary_folder()?;
    let folder = scratch.path().join("repository");
    let left_out = written::write(&folder, &tree.files)?;
    written::mark_as_checkout(&folder, b"")?;
    let mut repository = Repository::without(Status::Crash, "");
    let (mut log, mut facts) = (None, Vec::new());
    for _ in 0..MOST_ATTEMPTS {
        match attempt(&folder, &scratch, options, arguments)? {
            Ended::Answered(answer) => Answer { repository, log, facts } = *answer,
            Ended::Late => {
                let seconds = options.time().as_secs();
                repository = Repository::without(Status::Time, format!("it was ended after {seconds} seconds"));
            }
            Ended::OutOfMemory(reason) => repository = Repository::without(Status::Memory, reason),
            Ended::Failed(reason) => repository = Repository::without(Status::Crash, reason),
            // Who ended it may not mean the repository: the machine, or somebody who looks for large processes.
            Ended::Signalled(signal) => {
                repository = Repository::without(Status::Crash, format!("it was ended by signal {signal}"));
                continue;
            }
        }
        break;
    }
    repository.skipped += tree.skipped + tree.missing + left_out.len() as u64;
    if tree.missing > 0 && repository.status == Status::Ok {
        repository.status = Status::Partial;
        repository.reason = format!("{} of its files are not in the clone", tree.missing);
    }
    Ok(Answer { repository, log, facts })
}

/// What is known of a tree.
pub(super) struct Answer {
    pub repository: Repository,
    /// In SARIF, where it was asked for and the process came so far.
    pub log: Option<Vec<u8>>,
    /// The rows of each relation that was asked for; none where the process did not come so far.
    pub facts: Vec<Vec<u8>>,
}

/// How a process ended.
enum Ended {
    Answered(Box<Answer>),
    Late,
    OutOfMemory(String),
    Failed(String),
    Signalled(i32),
}

fn attempt(
    folder: &std::path::Path,
    scratch: &Unfinished,
    options: &AuditOptions,
    arguments: &[OsString],
) -> io::Result<Ended> {
    let mut call = programs::itself()?.call(scratch.path(), [OsString::from("audit"), "--one".into()]);
    let mut said = tempfile::tempfile_in(scratch.path())?;
    call.command.arg(folder).args(arguments).arg("--time-limit").arg(options.time().as_secs_f64().to_string());
    if options.sarif {
        call.command.arg("--sarif");
    }
    call.command.stdout(Stdio::piped()).stderr(said.try_clone()?);
    pass_faults(&mut call);
    let started = call.start(options.time().saturating_add(GRACE))?;
    let mut answer = Vec::new();
    if let Some(out) = started.with(|child| child.stdout.take()) {
        // What a process that is ended wrote is no answer.
        let _ = out.take(LARGEST_ANSWER).read_to_end(&mut answer);
    }
    let status = match started.wait() {
        Ok(status) => status,
        Err(_) if started.is_late() => return Ok(Ended::Late),
        Err(reason) => return Err(io::Error::other(reason)),
    };
    let answer = answer.strip_prefix(BEGINNING).filter(|_| status.success());
    if let Some(((repository, facts), rest)) = answer.and_then(|bytes| postcard::take_from_bytes(bytes).ok()) {
        let facts: Vec<&[u8]> = facts;
        let facts = facts.into_iter().map(<[u8]>::to_vec).collect();
        let log = options.sarif.then(|| rest.to_vec());
        return Ok(Ended::Answered(Box::new(Answer { repository, log, facts })));
    }
    let mut text = Vec::new();
    said.seek(SeekFrom::Start(0))?;
    said.take(LONGEST_SAID).read_to_end(&mut text)?;
    let said = String::from_utf8_lossy(&text).into_owned();
    let first = said.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("it says nothing").to_owned();
    Ok(match signal(status) {
        _ if said.contains("memory allocation of") || said.contains("memory ran out") => Ended::OutOfMemory(first),
        Some(signal) if is_of_another(signal) => Ended::Signalled(signal),
        Some(signal) => Ended::Failed(format!("it was ended by signal {signal}: {first}")),
        None => Ended::Failed(first),
    })
}

#[cfg(unix)]
fn signal(status: std::process::ExitStatus) -> Option<i32> {
    std::os::unix::process::ExitStatusExt::signal(&status)
}

#[cfg(not(unix))]
fn signal(_: std::process::ExitStatus) -> Option<i32> {
    None
}

/// Whether a signal comes from outside of a process: SIGHUP, SIGINT, SIGKILL, SIGTERM.
fn is_of_another(signal: i32) -> bool {
    [1, 2, 9, 15].contains(&signal)
}

/// Tests ask for faults by a variable of the environment, of which a process gets nothing else.
fn pass_faults(call: &mut programs::Call) {
    if let Some((name, value)) = harp_limits::faults_asked_for() {
        call.command.env(name, value);
    }
}

/// Lets this process end with the one that started it, however that ends.
pub(super) fn end_with_parent() {
    #[cfg(target_os = "linux")]
    // Elsewhere it ends by its limit of time.
    let _ = rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL));
}

/// Has the system refuse this process more memory than it may have.
pub(super) fn bound_memory(options: &AuditOptions) {
    let memory = Bounds::of(&options.analysis.bounds, &BoundOptions::default()).memory;
    #[cfg(unix)]
    if memory > 0 {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        let bytes = memory.saturating_mul(RESERVED[0]).saturating_add(RESERVED[1]);
        let maximum = getrlimit(Resource::As).maximum;
        let current = Some(maximum.map_or(bytes, |maximum| maximum.min(bytes)));
        // A system without such a limit leaves it to the analysis, which counts what it holds.
        let _ = setrlimit(Resource::As, Rlimit { current, maximum });
        let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: getrlimit(Resource::Core).maximum });
    }
    #[cfg(not(unix))]
    let _ = memory;
}

/// The milliseconds of processor time that this process used, and the most bytes that it held, as far as the system tells.
pub(super) fn used() -> (Option<u64>, Option<u64>) {
    (processor_time(), peak_memory())
}

#[cfg(unix)]
fn processor_time() -> Option<u64> {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    let (seconds, nanoseconds) = (u64::try_from(time.tv_sec).ok()?, u64::try_from(time.tv_nsec).ok()?);
    Some(seconds * 1000 + nanoseconds / 1_000_000)
}

#[cfg(not(unix))]
fn processor_time() -> Option<u64> {
    None
}

/// Linux tells it in kibibytes.
fn peak_memory() -> Option<u64> {
    let text = read_utf8(std::path::Path::new("/proc/self/status"), 64 << 10).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kibibytes| kibibytes << 10)
}
