//! Issues of names that nothing binds: a misspelt variable, a module that nobody imported, a built-in of Python 2.
//!
//! Python looks a name up when it comes to it, so what counts is whether anything could have bound it by then: no scope around the place does, at
//! no place, and nothing in the program reaches into the module from elsewhere.

use std::rc::Rc;

use harp_corpus::Span;
use harp_python::ir;
use harp_python::name::Name;
use harp_trace::Subject;

use crate::heap::objects::Payload;
use crate::judge::bound_elsewhere::{BoundElsewhere, LocalNames};
use crate::judge::misused_values::Certainty;
use crate::judge::surroundings::Surroundings;
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

impl Interpreter<'_> {
    /// Reports a name that has no value wherever the program comes from to the place. Returns whether it does.
    pub(crate) fn name_is_undefined(&mut self, name: Name, span: Span) -> bool {
        let in_class_body = self.frames.last().is_none_or(|frame| frame.is_class_body);
        // What stands behind the end of the program is looked at, and never comes to the name.
        let is_judged = self.exceptions.caught == 0 && self.inference.is_none() && !self.entry.is_behind_end;
        let is_of_its_time = of_python_2(name).is_some() && self.python_2(span.file).is_some();
        if !is_judged || in_class_body || is_of_its_time || name.as_str().starts_with("__") {
            return false;
        }
        if !self.is_followed(Certainty::Made, span) || !self.is_unbound(name, span) || !self.fails_on_every_way(span) {
            return false;
        }
        let advice = of_python_2(name);
        self.loops.advice.extend(advice);
        self.fails_always(Subject::Name, name.as_str(), format!("`{name}` is not defined"), None, span);
        if advice.is_some() {
            self.loops.advice.pop();
        }
        true
    }

    /// Reports a built-in name of Python 2 that nothing else binds; what follows goes on with what it was meant to be.
    pub(crate) fn check_builtin_of_python_2(&mut self, name: Name, span: Span) {
        if self.python_2(span.file).is_some() {
            return;
        }
        let asks_for_version = || self.surroundings(span).is_some_and(|surroundings| surroundings.asks_for_version);
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
        let is_judged = self.exceptions.caught == 0 && self.inference.is_none() && !self.entry.is_behind_end;
        if !is_judged || is_package || !is_own || name.as_str().starts_with("__") {
            return false;
        }
        let to = to.id;
        let is_bound =
            self.caches.broken.contains_key(&to) || self.file_may_define(to, name) || self.is_set_in_modules(name);
        if is_bound || !self.is_followed(Certainty::Made, span) || !self.fails_on_every_way(span) {
            return false;
        }
        self.fails_always(Subject::Name, dotted.as_str(), format!("`{dotted}` has no `{name}` to import"), None, span);
        true
    }

    /// Whether nothing could have bound a name before the place is reached.
    fn is_unbound(&self, name: Name, span: Span) -> bool {
        // The part of a file that is no Python may have bound it.
        let is_broken = self.caches.broken.contains_key(&span.file);
        !is_broken && !self.is_bound_around(name, span) && !self.is_bound_from_elsewhere(name, span)
    }

    /// Whether a function around the place has a variable of that name, which may have no value yet.
    fn is_bound_around(&self, name: Name, span: Span) -> bool {
        let names = remembered(&self.caches.lookups.locals, span.file, || {
            let module = self.project.module(self.project.module_of_file(span.file))?;
            Some(Rc::new(LocalNames::of(&module.body)))
        });
        names.is_none_or(|names| names.has(name, ir::Range { start: span.start, end: span.end }))
    }

    /// Whether another module, or the program in which a notebook runs, may give the module a value of that name.
    fn is_bound_from_elsewhere(&self, name: Name, span: Span) -> bool {
        let Some(surroundings) = self.surroundings(span) else { return true };
        surroundings.may_bind(name, span) || self.is_set_in_modules(name)
    }

    /// Whether some file gives modules, or anything else, members of that name.
    fn is_set_in_modules(&self, name: Name) -> bool {
        self.caches.lookups.elsewhere.get_or_init(|| BoundElsewhere::of(&self.corpus.files)).contains(name)
    }

    /// What the text of a file says of where it runs.
    fn surroundings(&self, span: Span) -> Option<Rc<Surroundings>> {
        remembered(&self.caches.lookups.surroundings, span.file, || {
            Some(Rc::new(Surroundings::of(self.corpus.file(span.file)?)))
        })
    }
}

fn of_python_2(name: Name) -> Option<&'static str> {
    OF_PYTHON_2.iter().find(|(old, _)| *old == name.as_str()).map(|(_, advice)| *advice)
}
