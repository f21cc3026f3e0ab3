//! `--solver z3`: starts a `z3` process, which answers questions in SMT-LIB.
//!
//! One process serves all questions, one after another. Whatever it does, a question ends: the process has a time limit and a
//! memory limit of its own, and is ended where it does not keep to them.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use harp_report::UserError;
use harp_shape::Oracle;

use super::options::SolverName;
use super::programs::{Found, Program, Started};
use super::project_folders::Projects;

/// A longer question is not asked.
const MAX_QUESTION: usize = 64 * 1024;
/// More of an answer's line is not read.
const MAX_LINE: u64 = 4 * 1024;
/// What the process may use, in megabytes.
const MEMORY: u32 = 1024;
/// A process that hangs or ends this often is not started again.
const MAX_STARTS: u32 = 4;
/// The process is ended after this time, and may be started again: a run asks for longer only of very large programs.
const LONGEST_RUN: Duration = Duration::from_secs(3600);
/// How long past its own limit the process may take to say so.
const GRACE: Duration = Duration::from_secs(2);

/// What a question of an analysis may cost. The work is what ends most questions, so that answers do not depend on the machine.
const BUDGET: Budget = Budget { time: Duration::from_millis(500), work: 400_000 };

/// What one question may cost.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// By the clock, after which the process gives up by itself.
    pub time: Duration,
    /// Z3's own measure of work, which is the same on every machine; 0 means no limit.
    pub work: u32,
}

/// A program, and the process that runs it.
#[derive(Debug)]
pub struct Z3 {
    program: Found,
    budget: Budget,
    process: Option<Process>,
    starts: u32,
}

#[derive(Debug)]
struct Process {
    /// Ends with this.
    _started: Started,
    input: ChildStdin,
    lines: Receiver<String>,
}

/// The program `z3` in a folder of `PATH`.
pub fn find() -> Option<PathBuf> {
    Program::Z3.find(&Projects::default()).ok().map(Found::into_path)
}

/// The oracle that the command line, or a configuration of the user's, asks for. Missing is an error only where the command line asks.
pub(super) fn oracle(
    wanted: Option<SolverName>,
    configured: Option<SolverName>,
    analysed: &[PathBuf],
) -> Result<Option<Arc<dyn Oracle>>, UserError> {
    if wanted.or(configured).is_none() {
        return Ok(None);
    }
    match Program::Z3.find(&around(analysed)) {
        Ok(program) => Ok(Some(Arc::new(SharedZ3(Mutex::new(Z3::of(program, BUDGET)))))),
        Err(_) if wanted.is_none() => Ok(None),
        Err(missing) => {
            Err(missing.error("install it, for example with `pip install z3-solver`, or leave out `--solver z3`"))
        }
    }
}

/// The projects of what is analysed. The standard input is a file of the current folder.
fn around(analysed: &[PathBuf]) -> Projects {
    let is_file = |path: &PathBuf| path.as_os_str() != "-";
    let current = std::env::current_dir().ok().filter(|_| !analysed.iter().all(is_file));
    Projects::around(&analysed.iter().filter(|path| is_file(path)).cloned().chain(current).collect::<Vec<_>>())
}

/// An oracle that any number of threads may ask; one process answers them all.
pub fn shared(program: &Path, budget: Budget) -> Arc<dyn Oracle> {
    Arc::new(SharedZ3(Mutex::new(Z3::new(program, budget))))
}

#[derive(Debug)]
struct SharedZ3(Mutex<Z3>);

impl Oracle for SharedZ3 {
    fn is_satisfiable(&self, assertions: &str) -> Option<bool> {
        self.0.lock().ok()?.is_satisfiable(assertions)
    }
}

impl Z3 {
    /// The solver at a path; its process starts with the first question.
    pub fn new(program: &Path, budget: Budget) -> Z3 {
        Z3::of(Found::at(Program::Z3, program), budget)
    }

    fn of(program: Found, budget: Budget) -> Z3 {
        Z3 { program, budget, process: None, starts: 0 }
    }

    /// Whether declarations and assertions can all be true; `None` where that was not found out.
    pub fn is_satisfiable(&mut self, assertions: &str) -> Option<bool> {
        if assertions.len() > MAX_QUESTION {
            return None;
        }
        if self.process.is_none() {
            if self.starts >= MAX_STARTS {
                return None;
            }
            self.starts += 1;
            self.process = Process::start(&self.program);
        }
        let answer = self.process.as_mut()?.ask(assertions, self.budget);
        if answer.is_err() {
            self.process = None;
        }
        answer.ok().flatten()
    }
}

/// The process did not answer.
struct Silent;

impl Process {
    fn start(program: &Found) -> Option<Process> {
        let mut call = program.call(&std::env::temp_dir(), ["-in", "-smt2", &format!("-memory:{MEMORY}")]);
        call.command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let started = call.start(LONGEST_RUN).ok()?;
        let (input, output) = started.with(|child| (child.stdin.take(), child.stdout.take()));
        let (input, output) = (input?, output?);
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            let mut output = BufReader::new(output);
            let mut line = Vec::new();
            while (&mut output).take(MAX_LINE).read_until(b'\n', &mut line).is_ok_and(|length| length > 0) {
                if sender.send(String::from_utf8_lossy(&line).trim().to_owned()).is_err() {
                    return;
                }
                line.clear();
            }
        });
        Some(Process { _started: started, input, lines })
    }

    /// Every question begins in a fresh state and is followed by a word of ours, up to which the answers are read.
    fn ask(&mut self, assertions: &str, budget: Budget) -> Result<Option<bool>, Silent> {
        let time = budget.time.as_millis();
        let limits = format!("(reset)(set-option :timeout {time})(set-option :rlimit {})", budget.work);
        let question = format!("{limits}\n{assertions}\n(check-sat)\n(echo \"end\")\n");
        self.input.write_all(question.as_bytes()).and_then(|()| self.input.flush()).map_err(|_| Silent)?;
        let (mut answer, mut is_understood) = (None, true);
        loop {
            match self.lines.recv_timeout(budget.time + GRACE).map_err(|_| Silent)?.as_str() {
                "sat" => answer = Some(true),
                "unsat" => answer = Some(false),
                "unknown" => answer = None,
                "end" => return Ok(answer.filter(|_| is_understood)),
                // An error: what was asked is not what was meant.
                _ => is_understood = false,
            }
        }
    }
}
