//! What IPython's cells hold beside Python: commands with a `%`, those that it takes without one, and which of them may bind names.

/// Commands that IPython takes without a `%` where they are a cell's only line and the line is no Python, its own and those of its shell, as far as a
/// notebook has the names after them that it had before.
const AUTOMATIC: [&str; 58] = [
    "alias",
    "autoreload",
    "bookmark",
    "cat",
    "cd",
    "clear",
    "cls",
    "colors",
    "conda",
    "config",
    "cp",
    "debug",
    "dhist",
    "dirs",
    "doctest_mode",
    "env",
    "gui",
    "hist",
    "history",
    "ldir",
    "less",
    "lf",
    "lk",
    "ll",
    "load_ext",
    "logstart",
    "ls",
    "lsmagic",
    "lx",
    "magic",
    "mamba",
    "man",
    "matplotlib",
    "mkdir",
    "more",
    "mv",
    "page",
    "pdb",
    "pdoc",
    "pinfo",
    "pip",
    "popd",
    "precision",
    "prun",
    "psource",
    "pushd",
    "pwd",
    "reload_ext",
    "reset",
    "rm",
    "rmdir",
    "save",
    "set_env",
    "time",
    "timeit",
    "uv",
    "who",
    "whos",
];

/// Such commands that may bind names.
const AUTOMATIC_BINDING: [&str; 8] = ["ed", "edit", "load", "macro", "pylab", "rerun", "run", "store"];

/// Commands with a `%` alone that bind no names, but for options that keep their output. Those of other extensions are not known.
const WITHOUT_NAMES: [&str; 58] = [
    "HTML",
    "SVG",
    "alias_magic",
    "autoawait",
    "autocall",
    "automagic",
    "bash",
    "capture",
    "cmd",
    "code_wrap",
    "file",
    "html",
    "javascript",
    "js",
    "killbgscripts",
    "lab_black",
    "latex",
    "logoff",
    "logon",
    "logstate",
    "logstop",
    "lprun",
    "markdown",
    "memit",
    "micromamba",
    "mprun",
    "nb_black",
    "notebook",
    "pastebin",
    "pdef",
    "perl",
    "pfile",
    "pinfo2",
    "pprint",
    "psearch",
    "pycat",
    "pypy",
    "python",
    "python2",
    "python3",
    "quickref",
    "rehashx",
    "reset_selective",
    "ruby",
    "script",
    "sh",
    "shell",
    "svg",
    "sx",
    "system",
    "tb",
    "tensorboard",
    "tensorflow_version",
    "unalias",
    "unload_ext",
    "watermark",
    "writefile",
    "xmode",
];

/// Options by which commands that run programs keep in names what these write.
const KEEPING_OPTIONS: [&str; 3] = ["--out", "--err", "--proc"];

/// Statements that may not stand behind another one in a line.
const COMPOUND: [&str; 9] = ["@", "async", "class", "def", "for", "if", "try", "while", "with"];

/// Whether IPython takes a line that starts with this word for a command, where the line is no Python.
pub fn is_automatic_command(word: &str) -> bool {
    AUTOMATIC.contains(&word) || AUTOMATIC_BINDING.contains(&word)
}

/// Whether a line with a command, from its `%` on, may give names values, or run Python that is not followed.
pub fn may_bind_names(command: &str) -> bool {
    let line = command.trim_start_matches('%');
    if line.starts_with('!') {
        return false;
    }
    let name = line.split(|next: char| !is_of_word(next)).next().unwrap_or_default();
    let rest = line[name.len()..].trim();
    let is_cell = command.starts_with("%%");
    let mut words = rest.split_whitespace();
    if !AUTOMATIC.contains(&name) && !WITHOUT_NAMES.contains(&name) {
        return true;
    }
    match name {
        // The line is a statement.
        "time" | "prun" | "memit" if !is_cell => !rest.is_empty() && statement_of_command(command).is_none(),
        // They run a statement behind their options.
        "lprun" | "mprun" => rest.contains('='),
        "debug" => !rest.is_empty() || is_cell,
        "capture" => words.any(|word| !word.starts_with('-')),
        _ => words.any(|word| KEEPING_OPTIONS.iter().any(|option| word.starts_with(option))),
    }
}

/// How many bytes of `%time STATEMENT`, `%prun STATEMENT` and `%memit STATEMENT`, from the `%` on, stand before the statement; of one without a `%` too.
/// `None` of other commands, and of statements that must begin their line.
pub fn statement_of_command(command: &str) -> Option<usize> {
    let line = command.strip_prefix('%').unwrap_or(command);
    let rest = ["time", "prun", "memit"].into_iter().find_map(|name| line.strip_prefix(name))?;
    let statement = rest.trim_start_matches([' ', '\t']);
    let first = statement.split(|next: char| !is_of_word(next)).next().unwrap_or_default();
    let is_option = statement.starts_with('-');
    let is_compound = COMPOUND.contains(&first) || statement.starts_with('@');
    (statement.len() < rest.len() && !statement.is_empty() && !is_option && !is_compound)
        .then(|| command.len() - statement.len())
}

fn is_of_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_may_bind_names() {
        for command in [
            "%run other.py",
            "%pylab",
            "%%capture out",
            "%%bash --out text",
            "%%script --out=so bash",
            "%%cython -a",
            "%%bigquery df",
            "%%spark -o sdf",
            "%%px --local",
            "%macro mine 1",
            "%time for i in range(3): x = i",
            "%prun -l 3 f()",
            "%memit -r 1 x = f()",
            "%lprun -f f x = f()",
            "%R x",
            "%load other.py",
            "%debug f()",
            "%reset_other",
        ] {
            assert!(may_bind_names(command), "{command}");
        }
        for command in [
            "%load_ext autoreload",
            "%autoreload 2",
            "%matplotlib inline",
            "%%bash",
            "%%html",
            "%%capture",
            "%%capture --no-stderr",
            "%time z = 3",
            "%%time",
            "%timeit f()",
            "%memit x = f()",
            "%lprun -f f f()",
            "%pip install x",
            "%%!",
            "%debug",
        ] {
            assert!(!may_bind_names(command), "{command}");
        }
    }

    #[test]
    fn commands_may_be_statements() {
        assert_eq!(statement_of_command("%time z = 3"), Some(6));
        assert_eq!(statement_of_command("%prun  f()"), Some(7));
        assert_eq!(statement_of_command("time q = 1"), Some(5));
        assert_eq!(statement_of_command("%memit q = 1"), Some(7));
        for command in ["%time", "%time ", "%timeit f()", "%prun -l 3 f()", "%time with f() as x: pass", "%cd x"] {
            assert_eq!(statement_of_command(command), None, "{command}");
        }
    }
}
