//! For issues of undefined names: where the code of a file runs, and which names IPython, or another program that reads
//! the file, gives it.

use harp_corpus::{SourceFile, Span, is_automatic_command, may_bind_names};
use harp_limits::tick;
use harp_python::ir;
use harp_python::name::Name;

/// What a file mentions that runs some of its code in one version of Python alone.
const VERSION_TESTS: [&str; 5] = ["PY2", "PY3", "version_info", "python_version", "sys.version"];

/// Names that IPython gives its cells, and scripts that are made of notebooks; those of Spark's shells and notebooks are bound there too.
const OF_IPYTHON: [&str; 16] = [
    "In",
    "Out",
    "_",
    "__",
    "___",
    "_dh",
    "_ih",
    "_ii",
    "_iii",
    "_oh",
    "dbutils",
    "display",
    "get_ipython",
    "sc",
    "spark",
    "sqlContext",
];

/// By which code reaches into the names of IPython's cells.
const INTO_CELLS: [&str; 9] = [
    // SymPy's.
    "init_session(",
    "user_ns",
    "user_global_ns",
    "run_cell(",
    "get_ipython().push(",
    "ip.push(",
    "shell.push(",
    ".ex(",
    ".safe_execfile(",
];

/// What the text of a file mentions where IPython, or a notebook of Databricks, runs it.
const INTERACTIVE: [&str; 2] = ["get_ipython", "# Databricks notebook source"];

/// How a cell begins in a notebook that is a Python file.
const CELL: &str = "# %%";

/// Names that programs give the files that they read, by the beginning and the end of a file's name.
const GIVEN_BY_READERS: [(&str, &str, &[&str]); 4] = [
    ("jupyter_", "config.py", &["c", "get_config", "load_subconfig"]),
    ("ipython_", "config.py", &["c", "get_config", "load_subconfig"]),
    ("ipcluster_", "config.py", &["c", "get_config", "load_subconfig"]),
    ("conf.py", "", &["tags"]),
];

/// Files that a build tool reads with names of its own, of which it has many.
const OF_BUILD_TOOLS: [&str; 6] = ["SConstruct", "SConscript", "Sconstruct", "sconstruct", "wscript", "Snakefile"];

/// What the text of a file says of where it runs.
#[derive(Debug)]
pub struct Surroundings {
    /// Whether IPython runs it.
    is_interactive: bool,
    /// Whether it has commands, or code, that may bind any name.
    binds_any_name: bool,
    /// Its lines that IPython may take for commands without a `%`.
    automatic_commands: Vec<ir::Range>,
    /// Whether some of it runs in one version of Python alone.
    pub(crate) asks_for_version: bool,
    /// What the program that reads it gives it.
    given: Vec<&'static str>,
}

impl Surroundings {
    pub(crate) fn of(file: &SourceFile) -> Surroundings {
        let text = file.text.as_str();
        let is_interactive = file.cells.is_some()
            || INTERACTIVE.iter().any(|mark| text.contains(mark))
            || text.lines().any(|line| line.starts_with(CELL));
        let lines = if is_interactive { text } else { "" };
        let name = file.path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let is_of_build_tool = OF_BUILD_TOOLS.contains(&name.split('.').next().unwrap_or_default());
        let readers = GIVEN_BY_READERS.iter().filter(|(start, end, _)| name.starts_with(start) && name.ends_with(end));
        Surroundings {
            is_interactive,
            binds_any_name: is_of_build_tool || is_interactive && (has_commands(lines) || reaches_into_cells(lines)),
            automatic_commands: automatic_commands(lines),
            asks_for_version: VERSION_TESTS.iter().any(|test| text.contains(test)),
            given: readers.flat_map(|(_, _, names)| *names).copied().collect(),
        }
    }

    /// Whether the code may have a value for a name at a place that its own statements do not give it.
    pub(crate) fn may_bind(&self, name: Name, span: Span) -> bool {
        let in_command = || {
            let next = self.automatic_commands.partition_point(|line| line.end <= span.start);
            self.automatic_commands.get(next).is_some_and(|line| line.start <= span.start)
        };
        let name = name.as_str();
        let is_given = || OF_IPYTHON.contains(&name) || is_numbered(name) || in_command();
        self.binds_any_name || self.given.contains(&name) || self.is_interactive && is_given()
    }
}

/// Whether IPython keeps a cell's input or output under a name: `_3`, `_i3`.
pub fn is_numbered(name: &str) -> bool {
    let number = name.strip_prefix("_i").or_else(|| name.strip_prefix('_')).unwrap_or_default();
    name == "_i" || !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a notebook has commands that may bind names.
pub fn has_commands(text: &str) -> bool {
    text.lines().any(|line| {
        tick();
        command_in(line.trim_start()).is_some_and(may_bind_names)
    })
}

/// The command of a line, from its `%` on: `%run x.py`, `lines = %sx ls`.
fn command_in(line: &str) -> Option<&str> {
    let is_target = |before: &str| before.chars().all(|next| next.is_alphanumeric() || "_, ".contains(next));
    let assigned = || line.split_once('=').filter(|(before, _)| is_target(before)).map(|(_, value)| value.trim_start());
    let command = if line.starts_with('%') { line } else { assigned()? };
    let name = command.strip_prefix("%%").or_else(|| command.strip_prefix('%'))?;
    name.starts_with(|first: char| first.is_alphabetic() || first == '_').then_some(command)
}

/// Whether code gives names to cells by an object of IPython's: `get_ipython().run_line_magic("run", "other.py")`.
pub fn reaches_into_cells(text: &str) -> bool {
    let may_bind = |(place, call): (usize, &str)| {
        tick();
        let mut texts =
            text[place + call.len()..].lines().next().unwrap_or_default().split(['"', '\'']).skip(1).step_by(2);
        let mark = if call.starts_with("run_cell") { "%%" } else { "%" };
        let (name, rest) = (texts.next().unwrap_or_default(), texts.next().unwrap_or_default());
        let runs_python = mark == "%%" && ["time", "timeit", "capture", "prun"].contains(&name);
        runs_python || may_bind_names(&format!("{mark}{name} {rest}"))
    };
    INTO_CELLS.iter().any(|way| text.contains(way))
        || ["run_line_magic(", "run_cell_magic(", ".magic("]
            .iter()
            .flat_map(|call| text.match_indices(call))
            .any(may_bind)
}

/// The lines that IPython may take for commands without a `%`, though they are Python: `ls -la` is no subtraction.
pub fn automatic_commands(text: &str) -> Vec<ir::Range> {
    let mut found = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        tick();
        let end = start + line.len() as u32;
        let word = line.split(|next: char| !next.is_alphanumeric() && next != '_').next().unwrap_or_default();
        let rest = &line[word.len()..];
        let is_operand = rest.trim_start_matches([' ', '\t']).starts_with(['-', '*', '/', '~', '\n', '\r']);
        if is_automatic_command(word) && (rest.is_empty() || is_operand) && !rest.contains('=') {
            found.push(ir::Range { start, end });
        }
        start = end;
    }
    found
}
