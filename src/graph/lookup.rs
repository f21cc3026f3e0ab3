//! From places back to what stands there: for questions about single statements, expressions and operations.

use std::cell::OnceCell;

use rustc_hash::FxHashMap;

use crate::corpus::{FileId, Span};
use crate::graph::Program;
use crate::graph::host::{ExpressionId, FunctionId, Host, StatementId};

/// Each list is made when it is first needed.
#[derive(Debug, Default)]
pub struct Lookup {
    /// By where they begin.
    statements: OnceCell<Vec<StatementId>>,
    /// By where they begin.
    functions: OnceCell<Vec<FunctionId>>,
    /// By their functions.
    statements_of: OnceCell<Vec<StatementId>>,
    expressions: OnceCell<ByFile>,
    /// By their statements.
    expressions_in: OnceCell<Vec<ExpressionId>>,
    /// The statement after each in its block.
    following: OnceCell<FxHashMap<StatementId, StatementId>>,
    /// Indices of calls, by their statements.
    calls_in: OnceCell<Vec<u32>>,
    /// Indices of operations, by their places.
    operations: OnceCell<Vec<u32>>,
    /// Indices of operations, by where the loops around them begin.
    operations_in: OnceCell<FxHashMap<(FileId, u32), Vec<u32>>>,
}

/// Expressions, those of a file together, there by their places.
#[derive(Debug, Default)]
struct ByFile {
    list: Vec<ExpressionId>,
    /// Where each begins.
    starts: Vec<u32>,
    /// The part of each file.
    parts: FxHashMap<FileId, (usize, usize)>,
}

impl ByFile {
    fn new(host: &Host) -> ByFile {
        let file = |id: &ExpressionId| host.span_of(*id).file;
        let mut by_file =
            ByFile { list: (0..host.expressions.len() as u32).map(ExpressionId).collect(), ..ByFile::default() };
        // Files are read one after the other, so that this finds them in order.
        by_file.list.sort_by_key(file);
        let mut start = 0;
        for part in by_file.list.chunk_by_mut(|one, other| file(one) == file(other)) {
            part.sort_by_cached_key(|id| {
                let span = host.span_of(*id);
                (span.start, span.end)
            });
            by_file.parts.insert(file(&part[0]), (start, start + part.len()));
            start += part.len();
        }
        by_file.starts = by_file.list.iter().map(|id| host.span_of(*id).start).collect();
        by_file
    }

    /// Those at a place.
    fn at(&self, host: &Host, place: Span) -> &[ExpressionId] {
        let Some((first, end)) = self.parts.get(&place.file).copied() else { return &[] };
        let first = first + self.starts[first..end].partition_point(|start| *start < place.start);
        let count = self.starts[first..end].iter().take_while(|start| **start == place.start).count();
        with_key(&self.list[first..first + count], &place.end, |id| host.span_of(*id).end)
    }
}

/// The part of a sorted list whose items have a key.
fn with_key<'l, T, K: Ord>(list: &'l [T], key: &K, of: impl Fn(&T) -> K) -> &'l [T] {
    let start = list.partition_point(|item| of(item) < *key);
    // There are few: to look further one by one is shorter than another search.
    let count = list[start..].iter().take_while(|item| of(item) == *key).count();
    &list[start..start + count]
}

fn numbered<T, K: Ord>(count: usize, make: impl Fn(u32) -> T, key: impl Fn(&T) -> K) -> Vec<T> {
    let mut list: Vec<T> = (0..count as u32).map(make).collect();
    list.sort_by_key(key);
    list
}

impl Lookup {
    /// The statements that begin where a place does.
    pub fn statements(&self, host: &Host, place: Span) -> &[StatementId] {
        let start = |id: &StatementId| {
            let span = host.statement(*id).span;
            (span.file, span.start)
        };
        let list = self.statements.get_or_init(|| numbered(host.statements.len(), StatementId, start));
        with_key(list, &(place.file, place.start), start)
    }

    /// The functions that begin where a place does.
    pub fn functions(&self, host: &Host, place: Span) -> &[FunctionId] {
        let start = |id: &FunctionId| {
            let span = host.function(*id).span;
            (span.file, span.start)
        };
        let list = self.functions.get_or_init(|| numbered(host.functions.len(), FunctionId, start));
        with_key(list, &(place.file, place.start), start)
    }

    pub fn expressions(&self, host: &Host, place: Span) -> &[ExpressionId] {
        self.expressions.get_or_init(|| ByFile::new(host)).at(host, place)
    }

    /// The statements of a function's own code.
    pub fn statements_of(&self, host: &Host, function: FunctionId) -> &[StatementId] {
        let of = |id: &StatementId| host.statement(*id).function;
        let list = self.statements_of.get_or_init(|| numbered(host.statements.len(), StatementId, of));
        with_key(list, &function, of)
    }

    /// The expressions of a statement's own code.
    pub fn expressions_in(&self, host: &Host, statement: StatementId) -> &[ExpressionId] {
        let of = |id: &ExpressionId| host.expression(*id).statement;
        let list = self.expressions_in.get_or_init(|| numbered(host.expressions.len(), ExpressionId, of));
        with_key(list, &statement, of)
    }

    /// The statement behind another in the same block.
    pub fn following(&self, host: &Host, statement: StatementId) -> Option<StatementId> {
        let following = self.following.get_or_init(|| {
            let blocks = host.statements.iter().flat_map(|node| &node.blocks).map(|(_, block)| block);
            let of_modules = host.functions.iter().filter(|function| function.span.end == 0);
            let all = blocks.chain(of_modules.map(|function| &function.body));
            all.flat_map(|block| block.windows(2)).map(|pair| (pair[0], pair[1])).collect()
        });
        following.get(&statement).copied()
    }

    /// Indices of the calls in a statement.
    pub fn calls_in(&self, host: &Host, statement: StatementId) -> &[u32] {
        let of = |index: &u32| host.calls[*index as usize].statement;
        let list = self.calls_in.get_or_init(|| numbered(host.calls.len(), |index| index, of));
        with_key(list, &statement, of)
    }

    /// Indices of the operations at a place.
    pub fn operations(&self, program: Program<'_>, place: Span) -> &[u32] {
        let operations = &program.trace.operations;
        let span = |index: &u32| operations[*index as usize].span;
        let list = self.operations.get_or_init(|| numbered(operations.len(), |index| index, span));
        with_key(list, &place, span)
    }

    /// Indices of the operations in a loop.
    pub fn operations_in(&self, program: Program<'_>, place: Span) -> &[u32] {
        let by_loop = self.operations_in.get_or_init(|| {
            let mut by_loop: FxHashMap<(FileId, u32), Vec<u32>> = FxHashMap::default();
            for (index, record) in program.trace.operations.iter().enumerate() {
                for around in record.loops.iter() {
                    by_loop.entry((around.file, around.start)).or_default().push(index as u32);
                }
            }
            by_loop
        });
        by_loop.get(&(place.file, place.start)).map_or(&[], Vec::as_slice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_with_a_key_lie_together() {
        let list = numbered(6, |index| index, |index| index % 3);
        assert_eq!(with_key(&list, &1, |index| index % 3), [1, 4]);
        assert_eq!(with_key(&list, &7, |index| index % 3), [0; 0]);
    }
}
