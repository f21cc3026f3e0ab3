//! Names that nothing binds: a misspelt variable, a module that nobody imported, a built-in of Python 2.
//!
//! Python looks a name up when it comes to it, so what counts is whether anything could have bound it by then: no scope around the place does, at
//! no place, and nothing in the program reaches into the module from elsewhere.

use harp_corpus::{SourceFile, Span};
use harp_python::name::Name;
use harp_python::{Written, names_bound_in, visit_written};
use harp_trace::Subject;

use crate::heap::objects::Payload;
use crate::judge::misused_values::Certainty;
use crate::state::interpreter::Interpreter;
use crate::state::lookup_cache::remembered;
use crate::values::value::ObjectId;

/// The built-in names of Python 2, with what stands for them in Python 3.
const OF_PYTHON_2: [(&str, &str); 14] = [
    ("basestring", "write `str`: the name is of Python 2"),
    ("cmp", "write `(a > b) - (a < b)`: the function is of Python 2"),
    ("execfile", "write `exec(open(path).read())`: the function is of Python 2"),
    ("file", "write `open`: the name is of Python 2"),
    ("intern", "write `sys.intern`: the built-in function is of Python 2"),
    ("long", "write `int`: the name is of Python 2"),
    ("raw_input", "write `input`: the name is of Python 2"),
    ("reduce", "write `functools.reduce`: the built-in function is of Python 2"),
    ("reload", "write `importlib.reload`: the built-in function is of Python 2"),
    ("unichr", "write `chr`: the name is of Python 2"),
    ("unicode", "write `str`: the name is of Python 2"),
    ("xrange", "write `range`: the name is of Python 2"),
    ("StandardError", "write `Exception`: the class is of Python 2"),
    ("WindowsError", "write `OSError`: Python has the name on Windows alone"),
];

/// What a file mentions that runs some of its code in one version of Python alone.
const VERSION_TESTS: [&str; 5] = ["PY2", "PY3", "version_info", "python_version", "sys.version"];

/// Names that IPython gives its cells, and scripts that are made of notebooks.
const OF_IPYTHON: [&str; 6] = ["In", "Out", "display", "get_ipython", "_", "__"];

/// Commands that IPython takes without a `%` where a line begins with them: `ls -a` is no subtraction.
const AUTOMATIC_COMMANDS: [&str; 20] = [
    "cat", "cd", "clear", "conda", "cp", "history", "ldir", "less", "ll", "ls", "man", "mkdir", "more", "mv", "pip",
    "pwd", "rm", "rmdir", "who", "whos",
];

/// Commands of IPython that may bind names.
const BINDING_COMMANDS: [&str; 8] = ["%run", "%pylab", "%store", "%load", "%%capture", "%sql", "%R", "%rpush"];

impl Interpreter<'_> {
    /// Reports a name that has no value wherever the program comes from to the place. Returns whether it does.
    pub(crate) fn name_is_undefined(&mut self, name: Name, span: Span) -> bool {
        let in_class_body = self.frames.last().is_none_or(|frame| frame.is_class_body);
        if self.caught > 0 || self.inference.is_some() || in_class_body || name.as_str().starts_with("__") {
            return false;
        }
        if !self.is_followed(Certainty::Made, span) || !self.is_unbound(name, span) || !self.fails_on_every_way(span) {
            return false;
        }
        let advice = of_python_2(name);
        self.advice.extend(advice);
        self.fails_always(Subject::Name, name.as_str(), format!("`{name}` is not defined"), None, span);
        if advice.is_some() {
            self.advice.pop();
        }
        true
    }

    /// Reports a built-in name of Python 2 that nothing else binds; what follows goes on with what it was meant to be.
    pub(crate) fn check_builtin_of_python_2(&mut self, name: Name, span: Span) {
        let asks_for_version = || {
            let text = self.corpus.file(span.file).map_or("", |file| &file.text);
            VERSION_TESTS.iter().any(|test| text.contains(test))
        };
        if of_python_2(name).is_some() && !self.may_be_defined(name) && !asks_for_version() {
            self.name_is_undefined(name, span);
        }
    }

    /// Reports an import of a name that a module of the program's own package never binds. Returns whether it does. Of another module it is not
    /// known that it is the one which Python finds, and a package may have parts that are built when it is installed.
    pub(crate) fn import_is_missing(&mut self, module: ObjectId, dotted: Name, name: Name, span: Span) -> bool {
        let Payload::Module(data) = self.heap.payload(module) else { return false };
        let id = data.module;
        let Some((from, to)) =
            self.project.module(id).and_then(|tree| Some((self.corpus.file(span.file)?, self.corpus.file(tree.file)?)))
        else {
            return false;
        };
        let is_package = to.path.file_stem().is_some_and(|stem| stem == "__init__");
        let is_own = !from.packages.is_empty() && from.packages.first() == to.packages.first() && from.root == to.root;
        if self.caught > 0 || self.inference.is_some() || is_package || !is_own || name.as_str().starts_with("__") {
            return false;
        }
        let to = to.id;
        let is_unbound = self.place_is_unbound(name, span, || {
            let bound = names_bound_in(self.project, id, &self.corpus.file(to)?.text)?;
            Some(!bound.contains(&name) && !self.broken.contains_key(&to) && !self.is_set_in_modules(name.as_str()))
        });
        if !is_unbound || !self.is_followed(Certainty::Made, span) || !self.fails_on_every_way(span) {
            return false;
        }
        self.fails_always(Subject::Name, dotted.as_str(), format!("`{dotted}` has no `{name}` to import"), None, span);
        true
    }

    /// Whether nothing could have bound a name before the place is reached.
    fn is_unbound(&self, name: Name, span: Span) -> bool {
        self.place_is_unbound(name, span, || {
            // The part of a file that is no Python may have bound it.
            let is_bound = self.broken.contains_key(&span.file)
                || self.is_bound_around(name, span)
                || self.is_bound_from_elsewhere(name, span);
            Some(!is_bound)
        })
    }

    /// What is found of a name at a place, which is looked for in all files once, however often the place is reached.
    fn place_is_unbound(&self, name: Name, span: Span, find: impl FnOnce() -> Option<bool>) -> bool {
        remembered(&self.lookups.unbound, (name, span), || find().unwrap_or(false))
    }

    /// Whether a function around the place has a variable of that name, which may have no value yet.
    fn is_bound_around(&self, name: Name, span: Span) -> bool {
        let Some(module) = self.project.module(self.project.module_of_file(span.file)) else { return true };
        let mut is_bound = false;
        visit_written(&module.body, &mut |written| {
            let (Written::Function(function, _) | Written::Lambda(function)) = written else { return };
            let is_around = function.range.start <= span.start && span.end <= function.range.end;
            is_bound |= is_around && (function.is_local(name) || function.nonlocals.contains(&name));
        });
        is_bound
    }

    /// Whether another module, or the program in which a notebook runs, may give the module a value of that name.
    fn is_bound_from_elsewhere(&self, name: Name, span: Span) -> bool {
        let Some(file) = self.corpus.file(span.file) else { return true };
        let name = name.as_str();
        let is_interactive = file.cells.is_some() || file.text.contains("get_ipython");
        if is_interactive && (OF_IPYTHON.contains(&name) || has_commands(&file.text, span.start as usize)) {
            return true;
        }
        let adds_builtin = |file: &SourceFile| file.text.contains("builtins") && file.text.contains(name);
        self.corpus.files.iter().any(adds_builtin) || self.is_set_in_modules(name)
    }

    /// Whether some file gives modules, or anything else, members of that name.
    fn is_set_in_modules(&self, name: &str) -> bool {
        let is_set = |text: &str| {
            sets_member(text, name)
                || (text.contains("__dict__") && text.contains("sys.modules") && text.contains(name))
        };
        self.corpus.files.iter().any(|file| is_set(&file.text))
    }
}

/// Whether a notebook's text has commands that may bind names, or one in the line of this byte.
fn has_commands(text: &str, at: usize) -> bool {
    let before = text.get(..at).unwrap_or_default();
    let line = text.get(before.rfind('\n').map_or(0, |end| end + 1)..).unwrap_or_default();
    let first = line.split(|next: char| !next.is_alphanumeric()).next().unwrap_or_default();
    AUTOMATIC_COMMANDS.contains(&first) || BINDING_COMMANDS.iter().any(|command| text.contains(command))
}

fn of_python_2(name: Name) -> Option<&'static str> {
    OF_PYTHON_2.iter().find(|(old, _)| *old == name.as_str()).map(|(_, advice)| *advice)
}

/// Whether a text assigns to `something.name`, or sets it by name.
fn sets_member(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(place, _)| {
        let (before, after) = (&text[..place], &text[place + name.len()..]);
        let rest = after.trim_start_matches([' ', '\t']);
        let is_assigned = before.ends_with('.') && rest.starts_with('=') && !rest.starts_with("==");
        let start = before.trim_end_matches(['"', '\'']).trim_end();
        let is_set = start.ends_with(',')
            && after.starts_with(['"', '\''])
            && start.lines().last().is_some_and(|line| line.contains("setattr("));
        is_assigned || is_set
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_set_by_assignment_and_by_name() {
        for text in ["m.seed = 3", "m.seed= 3", "setattr(m, 'seed', 3)", "x\nsetattr(module, \"seed\", 3)"] {
            assert!(sets_member(text, "seed"), "{text}");
        }
        for text in ["m.seed == 3", "seed = 3", "f(x, 'seed')", "print('seed')", "m.seeds = 3"] {
            assert!(!sets_member(text, "seed"), "{text}");
        }
    }
}
