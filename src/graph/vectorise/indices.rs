//! What a name in an index is: a number, or an array that picks several elements at once.

use crate::Program;
use crate::host::{Host, LoopKind, StatementId};
use crate::host_rows::source;
use harp_corpus::FileId;
use harp_python::name::Name;

/// What the assignments of a name tell of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexKind {
    /// All of them give it an integer.
    Number,
    /// Nothing tells.
    Unknown,
    /// One of them gives it an array, a list, or something else that is no number.
    Other,
}

impl IndexKind {
    /// What the assignments in a file tell of all variables of that name.
    pub fn of(program: Program<'_>, host: &Host, file: FileId, name: Name) -> IndexKind {
        let all = (0..host.statements.len()).map(|index| host.statement(StatementId(index as u32)));
        let assigns = |id: &crate::host::VariableId| {
            let variable = host.variable(*id);
            variable.root == name && variable.path.is_none()
        };
        let assignments = all.filter(|node| node.span.file == file && node.definitions.iter().any(assigns));
        let kinds = assignments.map(|node| match (node.loop_kind, node.value) {
            (Some(LoopKind::Range), _) => IndexKind::Number,
            (_, Some((_, value))) => of_value(program, host, value),
            _ => IndexKind::Unknown,
        });
        let join = |left: IndexKind, right: IndexKind| match (left, right) {
            (IndexKind::Other, _) | (_, IndexKind::Other) => IndexKind::Other,
            (IndexKind::Number, IndexKind::Number) => IndexKind::Number,
            _ => IndexKind::Unknown,
        };
        kinds.reduce(join).unwrap_or(IndexKind::Unknown)
    }
}

fn of_value(program: Program<'_>, host: &Host, value: crate::host::ExpressionId) -> IndexKind {
    let span = host.span_of(value);
    let text = source(program, span);
    let is_made_by_library = program.trace.sites.get(&span).is_some_and(|site| !site.apis.is_empty());
    if text.parse::<i64>().is_ok() || text.starts_with("len(") {
        IndexKind::Number
    } else if is_made_by_library || text.starts_with(['[', '(', '{', '"', '\'']) || text.starts_with("slice(") {
        IndexKind::Other
    } else {
        IndexKind::Unknown
    }
}
