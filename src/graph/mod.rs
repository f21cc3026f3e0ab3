//! The augmented computation graph: the host program and the operations that it runs, as relations (`schema.dl`).
//!
//! This room turns the syntax trees and the interpreter's trace into rows; it knows nothing of how a rule is evaluated.

mod apis;
mod calls;
mod chains;
mod closures;
mod contexts;
mod devices;
pub mod dot;
mod effects;
mod emit;
pub mod export;
mod expressions;
mod facts;
mod host;
mod hot;
mod operations;
mod phases;
mod reaching;
pub mod schema;
mod scopes;
mod speculations;
mod subscripts;
mod variation;
mod vector;
mod walk;

use crate::annotations::Library;
use crate::corpus::Corpus;
use crate::interp::answers::Reply;
use crate::interp::trace::Trace;
use crate::python::Project;

pub use facts::{Cell, FactAssumption, Facts, Rows, Symbol, Wanted};
pub use operations::are_tensors_wanted;
pub use schema::{Relation, Schema};

/// What the relations are made from.
#[derive(Clone, Copy)]
pub struct Program<'a> {
    pub corpus: &'a Corpus,
    pub project: &'a Project,
    pub library: &'a Library,
    pub trace: &'a Trace,
}

/// The relations of an analysed program, as far as they are wanted.
pub fn build(program: Program<'_>, wanted: &Wanted) -> Facts {
    let mut facts = Facts::new(wanted);
    operations::add_assumptions(program, &mut facts);
    operations::add_requirements(program, &mut facts);
    let mut host = walk::read(program);
    let groups = effects::AliasGroups::new(&host.aliases);
    operations::add_operations(program, &host, &mut facts);
    let everything = [Relation::Mutates, Relation::MayMutate];
    let scope = if facts.wants_any(&everything) { effects::Scope::Everything } else { effects::Scope::Loops };
    effects::propagate(&mut host, &groups, scope);
    let variation = variation::analyse(&host, &groups);
    emit::Emitter::new(program, &host, &variation, &mut facts).all(&groups);
    let answers = &program.trace.answers;
    let asked = facts.assumptions.iter().map(|assumption| answers.reply(&assumption.asked(), program.corpus));
    let replies: Vec<Option<Reply>> = asked.collect();
    facts.settle(&replies);
    facts
}
