//! The rule language: parser, checker, evaluation, proofs.
//!
//! The language is Soufflé's dialect of Datalog (`docs/rules/grammar.md`); what its programs mean is written in
//! `docs/rules/semantics.md`. This room knows nothing of Python or tensors: functors over shapes come in through [`Functors`],
//! rows through a [`Database`].
//!
//! ```
//! use harp_datalog::{Database, Limits, NoFunctors, Program, Source};
//!
//! let schema = Source::new("schema.dl", ".decl edge(from: symbol, to: symbol)");
//! let rules = Source::new("rules.dl", ".decl path(from: symbol, to: symbol)\npath(x, y) :- edge(x, y).\npath(x, z) :- path(x, y), edge(y, z).");
//! let program = Program::compile(&[schema], &[rules], &NoFunctors).expect("the rules are in order");
//! let mut database = Database::new();
//! let [a, b, c] = ["a", "b", "c"].map(|name| database.symbol(name));
//! database.insert("edge", &[a, b], &[]);
//! database.insert("edge", &[b, c], &[]);
//! let evaluation = program.evaluate(database, &Limits::default());
//! assert_eq!(evaluation.rows(program.relation("path").unwrap()).len(), 3);
//! ```

mod alternatives;
mod antichain;
mod assumptions;
mod budget;
mod check;
mod database;
mod demand;
mod evaluate;
mod evaluation;
mod functors;
mod hints;
mod index;
mod lexer;
mod lower;
mod machine;
mod matches;
mod metadata;
mod nearest;
mod parser;
mod parser_body;
mod plan;
mod program;
mod proof;
mod query;
mod relation;
mod rule;
mod scope;
mod settled;
mod source;
mod steps;
mod strata;
mod support;
mod syntax;
mod table;
mod used;
mod values;
mod why_not;

#[cfg(test)]
mod tests;

pub use assumptions::{Assumption, AssumptionSets};
pub use budget::Limits;
pub use database::Database;
pub use demand::Supplier;
pub use evaluate::RuleProfile;
pub use evaluation::{Evaluation, FindingRow, Value};
pub use functors::{Base, FunctorSignature, Functors, NoFunctors};
pub use metadata::{Metadata, Severity, Template};
pub use program::{ColumnDescription, Program, RelationDescription};
pub use proof::{Condition, ProofTree, RuleReference};
pub use query::{Query, VisibleName};
pub use rule::RelationId;
pub use scope::Resolver;
pub use settled::Standing;
pub use source::{Diagnostic, Level, Note, Source};
pub use values::{Cell, Values};
pub use why_not::{Answer, Failure, WhyNot};
