//! Entries of modules that a function of the program makes and returns, such as `def resnet18(): return ResNet(Block,
//! [2, 2, 2, 2])`: what nobody calls is run on an input of which nothing is known, so that the sizes with which it was
//! made are checked against each other.

use crate::state::interpreter::{Eval, Interpreter};
use crate::values::value::{Closure, Value};
use harp_corpus::{FileId, Span};
use harp_python::name::name;

/// More modules than this are not looked at.
const MOST_MODULES: usize = 2_000;

/// A class, by the place of its definition.
pub type ClassPlace = (FileId, u32);

impl Interpreter<'_> {
    /// Runs a module that an entry returns, unless functions before it returned modules of all the classes that it is made of: each class
    /// is run as one function makes it, which keeps the work in proportion to the program.
    pub(crate) fn run_returned(&mut self, value: &Value, function: &Closure, span: Span) -> Eval<()> {
        let module = self.read(value);
        if !self.is_module(&module) || self.inference.is_some() || self.corpus.is_foreign(function.function.file) {
            return Ok(());
        }
        let Some(Value::Function(forward)) = self.class_attribute(&module, name!("forward")) else { return Ok(()) };
        let by: ClassPlace = (function.function.file, function.function.range.start);
        let classes = self.classes_within(&module);
        if classes.iter().all(|class| self.caches.returned.get(class).is_some_and(|known| *known != by)) {
            return Ok(());
        }
        for class in classes {
            self.caches.returned.entry(class).or_insert(by);
        }
        self.forget_later_state(&module, "forward", span);
        let arguments = self.symbolic_arguments(&forward, Some(module), span);
        self.call_closure(&forward, arguments).map(|_| ())
    }

    /// The program's classes of a module and of the modules within it.
    fn classes_within(&self, module: &Value) -> Vec<ClassPlace> {
        let mut classes = Vec::new();
        let mut waiting = vec![module.clone()];
        let mut seen = rustc_hash::FxHashSet::default();
        while let Some(value) = waiting.pop() {
            let Value::Instance(id) = value else { continue };
            if !seen.insert(id) || seen.len() > MOST_MODULES {
                continue;
            }
            if let Value::Class(class) = self.class_of(&Value::Instance(id))
                && let Some(data) = self.heap.class(class)
            {
                let place = (data.definition.file, data.definition.name_range.start);
                if !classes.contains(&place) {
                    classes.push(place);
                }
            }
            waiting.extend(self.models.children(self, id).into_iter().map(|(_, child)| child));
        }
        classes
    }
}
