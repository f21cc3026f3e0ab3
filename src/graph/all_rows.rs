//! Makes all wanted rows of the graph at once: within what a run may use, and of each relation no more than a reader
//! could want.

use crate::default_grounds::DefaultGrounds;
use crate::defects::DefectOfGraph;
use crate::effects::{AliasGroups, Effects};
use crate::facts::{FactAssumption, Facts, Wanted};
use crate::host::Host;
use crate::host_rows::{Emitter, HostSymbols};
use crate::loop_variance::Variation;
use crate::schema::Relation;
use crate::speculations::OnRequest;
use crate::{Program, effects, loop_variance, observed_changes, operation_rows, read_statements};
use harp_limits::{Ceiling, Stopped, Watch, watched};
use harp_python::Project;
use harp_trace::answers::Reply;

/// What rows are made from, beside the program and the host's nodes.
pub(super) struct Sources {
    pub groups: AliasGroups,
    pub effects: Effects,
    pub variation: Variation,
    pub defaults: DefaultGrounds,
    pub symbols: HostSymbols,
    pub on_request: OnRequest,
}

impl Sources {
    /// Makes the wanted rows, and gives what others are made from.
    pub fn fill(
        program: Program<'_>,
        project: &Project,
        host: &mut Host,
        wanted: &Wanted,
        facts: &mut Facts,
    ) -> Sources {
        operation_rows::add_assumptions(program, facts);
        operation_rows::add_requirements(program, facts);
        let groups = AliasGroups::new(&std::mem::take(&mut host.aliases));
        operation_rows::add_operations(program, host, facts);
        let everything = [Relation::Mutates, Relation::MayMutate, Relation::Repeatable];
        let scope = if wanted.any(&everything) { effects::Scope::Everything } else { effects::Scope::Loops };
        let mut effects = effects::propagate(host, &groups, scope);
        if facts.wants_any(&[Relation::Mutates, Relation::MayMutate]) {
            effects.mark_all(host);
        }
        let variation = loop_variance::analyse(host, &groups, observed_changes::observed(program, host));
        let mut symbols = HostSymbols::new(host);
        let defaults = DefaultGrounds::new(program, host);
        let emitter =
            Emitter { program, host, variation: &variation, defaults: &defaults, facts, symbols: &mut symbols };
        let on_request = { emitter }.all(&groups, project);
        let answers = &program.trace.answers;
        if !answers.is_empty() {
            let reply = |assumption: &FactAssumption| answers.reply(&assumption.asked(), program.corpus);
            let replies: Vec<Option<Reply>> = facts.assumptions().map(|assumption| reply(assumption?)).collect();
            facts.settle(&replies);
        }
        Sources { groups, effects, variation, defaults, symbols, on_request }
    }
}

/// A relation has at most so many rows where all are made at once,
const MOST_ROWS: usize = 500_000;
/// and so many more for each byte of the program. Of ordinary programs, the largest relation has a third of a row for each.
const ROWS_OF_A_BYTE: usize = 20;

/// All wanted relations, made under a watch. What is left out of them is among the defects, with the relation at which that began.
pub fn build(program: Program<'_>, project: &Project, wanted: &Wanted, watch: Watch) -> Facts {
    let bytes: usize = program.corpus.files.iter().map(|file| file.text.len()).sum();
    build_bounded(program, project, wanted, watch, MOST_ROWS.saturating_add(ROWS_OF_A_BYTE.saturating_mul(bytes)))
}

fn build_bounded(program: Program<'_>, project: &Project, wanted: &Wanted, watch: Watch, most_rows: usize) -> Facts {
    let mut facts = Facts::bounded(wanted, most_rows);
    let _names = harp_shape::naming::apart();
    let made = watched(watch, || {
        let mut host = read_statements::read(program, project, &mut facts.defects);
        Sources::fill(program, project, &mut host, wanted, &mut facts);
    });
    let cut: Vec<&str> = facts.cut_relations().map(Relation::name).collect();
    for relation in cut {
        let stopped = Stopped::Ceiling(Ceiling::Rows);
        facts
            .defects
            .push(DefectOfGraph::of(stopped, format!("the rows of `{relation}` beyond the first {most_rows}")));
    }
    if let Err(stopped) = made {
        let what = match facts.last_relation() {
            Some(relation) => format!("the rows from `{}` on", relation.name()),
            None => "all rows".to_owned(),
        };
        facts.defects.push(DefectOfGraph::of(stopped, what));
    }
    facts
}
