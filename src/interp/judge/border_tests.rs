//! Tests whether a neighbour lies within a border: `if row + i >= len(rows): use(rows[row])`. The first iteration, in which `i` is a certain
//! number, would say of `row` itself that it lies outside; the other iterations do not, and the program takes it to lie within.

use crate::calls::arguments::CallArguments;
use crate::state::interpreter::Interpreter;
use harp_python::ir::{Expr, ExprKind};
use harp_python::name::Name;
use harp_shape::Constraint;

impl Interpreter<'_> {
    /// Runs a loop whose iterations give these targets their values.
    pub(crate) fn counting<'e, T>(
        &mut self,
        targets: impl Iterator<Item = &'e Expr>,
        run: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let mut names = Vec::new();
        targets.for_each(|target| collect_names(target, &mut names));
        let frame = self.frames.last().map_or(0, |frame| frame.number);
        let outer = self.loops.running_targets.len();
        self.loops.running_targets.push((frame, names));
        let result = run(self);
        self.loops.running_targets.truncate(outer);
        result
    }

    /// Whether an index is out of range because of what the path says of another index, which a running loop counts.
    pub(crate) fn is_refused_at_border(&self, constraint: &Constraint, call: &CallArguments) -> bool {
        let sizes = constraint.variables();
        let used = self.source_text(call.span);
        self.path.iter().any(|literal| {
            let Some(decision) = self.decisions.get(literal.decision.0 as usize) else { return false };
            let (Some(place), Some(frame), Some(known)) = (decision.asked_at, decision.asked_in, &decision.constraint)
            else {
                return false;
            };
            let is_counted = || {
                let test = self.source_text(place);
                let names = self.loops.running_targets.iter().filter(|(running, _)| *running == frame);
                names.flat_map(|(_, names)| names).any(|name| has_word(test, *name) && !has_word(used, *name))
            };
            known.variables().iter().any(|size| sizes.contains(size)) && is_counted()
        })
    }
}

fn collect_names(target: &Expr, names: &mut Vec<Name>) {
    match &target.kind {
        ExprKind::Name(name) => names.push(*name),
        ExprKind::Tuple(items) | ExprKind::List(items) => items.iter().for_each(|item| collect_names(item, names)),
        ExprKind::Starred(inner) => collect_names(inner, names),
        _ => {}
    }
}

fn has_word(text: &str, word: Name) -> bool {
    text.split(|letter: char| !letter.is_alphanumeric() && letter != '_').any(|part| part == word.as_str())
}
