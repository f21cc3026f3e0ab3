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

#![deny(missing_docs)]

mod absence;
mod answered_assumptions;
mod antichain;
mod assumptions;
mod budget;
mod check;
mod closed_words;
mod compiled;
mod database;
mod demand;
mod derivation_graph;
mod did_you_mean;
mod disjunctions;
mod evaluate;
mod foreign_syntax_hints;
mod functors;
mod id_table;
mod index;
mod lexer;
mod lower;
mod memory_shares;
mod metadata;
mod parser;
mod patterns;
mod plan;
mod plan_steps;
mod program;
mod proof;
mod query;
mod relation;
mod results;
mod rule;
mod rule_matches;
mod run_plan;
mod savings;
mod scope;
mod source;
mod strata;
mod support_sets;
mod syntax;
mod used_relations;
mod values;
mod why_not;

#[cfg(test)]
mod tests;

pub use answered_assumptions::Standing;
pub use assumptions::{Assumption, AssumptionSets};
pub use budget::Limits;
pub use closed_words::ComparedText;
pub use compiled::NotCompiled;
pub use database::Database;
pub use demand::Supplier;
pub use evaluate::RuleProfile;
pub use functors::{Base, FunctorSignature, Functors, NoFunctors};
pub use metadata::{EditKind, EditTemplate, Metadata, Severity, Template};
pub use program::{ColumnDescription, Program, RelationDescription};
pub use proof::{Condition, ProofTree, RuleReference};
pub use query::{Query, VisibleName};
pub use results::{EditRow, Evaluation, FindingRow, SavedRow, Value};
pub use rule::RelationId;
pub use savings::{Quantity, Removed, SavesTemplate};
pub use scope::Resolver;
pub use source::{Diagnostic, Level, Note, Source};
pub use values::{Cell, Values};
pub use why_not::{Answer, Failure, WhyNot};
