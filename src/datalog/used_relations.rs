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
    use crate::{Database, Limits, NoFunctors, Program, Source};

    #[test]
    fn only_what_rules_read_is_named() {
        let schema =
            Source::new("s.dl", ".decl a(x: symbol)\n.decl b(x: symbol)\n.decl c(x: symbol)\n.decl d(x: symbol)");
        let rules = Source::new("r.dl", ".decl r(n: symbol)\nr(x) :- a(x), !b(x), 0 < count : { c(_) }.");
        let program = Program::compile(&[schema], &[rules], &NoFunctors).expect("in order");
        assert_eq!(program.inputs_read(), ["a", "b", "c"]);
    }

    #[test]
    fn rules_that_nobody_asks_for_are_left_out() {
        let schema = Source::new("s.dl", ".decl a(x: symbol)\n.decl b(x: symbol)\n.decl c(x: symbol)");
        let rules = ".decl r(x: symbol)\nr(x) :- a(x).\n.decl s(x: symbol)\ns(x) :- r(x), !t(x).\n\
                     .decl t(x: symbol)\nt(x) :- b(x), t(x).\nt(x) :- b(x).\n.decl u(x: symbol)\nu(x) :- c(x).";
        let program = Program::compile(&[schema], &[Source::new("r.dl", rules)], &NoFunctors).expect("in order");
        let id = |name: &str| program.relation(name).expect("it is declared");
        let read = |asked: &[&str]| {
            let only = program.only(&asked.iter().map(|name| id(name)).collect::<Vec<_>>());
            only.inputs_read().into_iter().map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(read(&["r"]), ["a"]);
        assert_eq!(read(&["s"]), ["a", "b"]);
        assert_eq!(read(&["r", "u"]), ["a", "c"]);
        assert_eq!(read(&["a"]), [""; 0]);
        let mut database = Database::new();
        for (relation, text) in [("a", "1"), ("a", "2"), ("b", "1"), ("c", "1")] {
            let cell = database.symbol(text);
            database.insert(relation, &[cell], &[]);
        }
        let only = program.only(&[id("s")]);
        let evaluation = only.evaluate(database, &Limits::default());
        assert_eq!(["r", "s", "u"].map(|name| evaluation.row_count(id(name))), [2, 1, 0]);
    }
}
