//! Interpreter state that is undone: the tables of objects and variables in which an entry's changes are taken back
//! when it ends.

use std::rc::Rc;

use crate::heap::objects::Payload;
use crate::state::scoped_table::Scoped;
use crate::unknown::escaped_objects::Recipient;
use crate::values::value::{Closure, DecisionId, ObjectId};
use harp_python::name::Name;
use harp_python::project::ModuleId;
use harp_shape::{Dim, Shape, Var};
use harp_trace::assumption::AssumptionId;

/// Tables of objects and variables in which an entry's changes are taken back when it ends.
pub struct Tables {
    pub modules: Scoped<(ModuleId, bool), ObjectId>,
    /// Functions of modules and classes that a decorator replaced by something else, by scope and name.
    pub decorated: Scoped<(ObjectId, Name), Rc<Closure>>,
    /// Sizes that the elements of tensors decide, or which way was taken: a requirement on them is not proved by taking it to hold.
    pub by_chance: Scoped<Var, ()>,
    /// Sizes that stand for all values: parameters of constructors, and the names of annotations.
    pub independent: Scoped<Var, ()>,
    /// The numbers of items of containers, with the content that they were asked for.
    pub counts: Scoped<ObjectId, (Payload, Dim)>,
    /// Objects that a call got which was not understood.
    pub(crate) handed_out: Scoped<ObjectId, Recipient>,
    /// Where each dimension variable came from, for messages and assumptions.
    pub variable_assumptions: Scoped<Var, AssumptionId>,
    /// Whether packages are installed that may be missing.
    pub installed: Scoped<Name, DecisionId>,
    /// The counters of loops whose number of iterations is not known.
    pub counters: Scoped<Var, ()>,
    /// Those of `counters` that count iterations after the first, of which there may be none.
    pub later_counters: Scoped<Var, ()>,
    /// The shapes that values of unknown type have, should they be tensors.
    pub shapes_of_values: Scoped<ObjectId, Shape>,
    /// Decisions about the truth of objects; asking twice, also on another path, is one decision.
    pub object_decisions: Scoped<ObjectId, DecisionId>,
}

/// How many changes of each table can be taken back at a moment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TablesMoment {
    modules: usize,
    decorated: usize,
    by_chance: usize,
    independent: usize,
    counts: usize,
    handed_out: usize,
    variable_assumptions: usize,
    installed: usize,
    counters: usize,
    shapes_of_values: usize,
    object_decisions: usize,
}

impl Tables {
    /// The same before anything ran.
    pub(crate) fn new() -> Self {
        Tables {
            modules: Scoped::default(),
            decorated: Scoped::default(),
            by_chance: Scoped::default(),
            independent: Scoped::default(),
            counts: Scoped::default(),
            handed_out: Scoped::default(),
            variable_assumptions: Scoped::default(),
            installed: Scoped::default(),
            counters: Default::default(),
            later_counters: Default::default(),
            shapes_of_values: Scoped::default(),
            object_decisions: Scoped::default(),
        }
    }

    /// The moment to which they can go back.
    pub(crate) fn moment(&self) -> TablesMoment {
        TablesMoment {
            modules: self.modules.len(),
            decorated: self.decorated.len(),
            by_chance: self.by_chance.len(),
            independent: self.independent.len(),
            counts: self.counts.len(),
            handed_out: self.handed_out.len(),
            variable_assumptions: self.variable_assumptions.len(),
            installed: self.installed.len(),
            counters: self.counters.len(),
            shapes_of_values: self.shapes_of_values.len(),
            object_decisions: self.object_decisions.len(),
        }
    }

    /// Takes back what was said of objects since a moment.
    pub(crate) fn go_back(&mut self, moment: TablesMoment) {
        self.modules.forget_since(moment.modules);
        self.decorated.forget_since(moment.decorated);
        self.counts.forget_since(moment.counts);
        self.handed_out.forget_since(moment.handed_out);
        self.installed.forget_since(moment.installed);
        self.shapes_of_values.forget_since(moment.shapes_of_values);
        self.object_decisions.forget_since(moment.object_decisions);
    }

    /// Takes back what was said of sizes since a moment, which no text will name any more.
    pub(crate) fn forget_sizes(&mut self, moment: TablesMoment) {
        self.variable_assumptions.forget_since(moment.variable_assumptions);
        self.counters.forget_since(moment.counters);
        self.by_chance.forget_since(moment.by_chance);
        self.independent.forget_since(moment.independent);
        self.later_counters.clear();
    }
}
