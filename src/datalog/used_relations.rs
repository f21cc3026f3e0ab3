//! Which relations of the schema a program's rules read, so that a caller need not make the others.

use crate::program::Program;
use crate::rule::uses;

impl Program<'_> {
    /// The names of the input relations that some rule reads, sorted.
    pub fn inputs_read(&self) -> Vec<&str> {
        let mut names = Vec::new();
        for rule in &self.rules {
            uses(&rule.body, &mut |relation, _, _| {
                let info = &self.relations[relation.index()];
                if info.input {
                    names.push(info.name.as_str());
                }
            });
        }
        names.sort_unstable();
        names.dedup();
        names
    }
}

#[cfg(test)]
mod tests {
    use crate::{NoFunctors, Program, Source};

    #[test]
    fn only_what_rules_read_is_named() {
        let schema =
            Source::new("s.dl", ".decl a(x: symbol)\n.decl b(x: symbol)\n.decl c(x: symbol)\n.decl d(x: symbol)");
        let rules = Source::new("r.dl", ".decl r(n: symbol)\nr(x) :- a(x), !b(x), 0 < count : { c(_) }.");
        let program = Program::compile(&[schema], &[rules], &NoFunctors).expect("in order");
        assert_eq!(program.inputs_read(), ["a", "b", "c"]);
    }
}
