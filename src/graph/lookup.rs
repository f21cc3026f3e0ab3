//! Finds what the graph has at a place of the program: single statements, expressions and operations.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::ops::Range;

use rustc_hash::FxHashMap;

use crate::Program;
use crate::host::{ExpressionId, FunctionId, Host, StatementId, VariableId};
use crate::value_rows::is_from_outside;
use harp_corpus::{FileId, Span};
use harp_python::name::Name;

/// Each list is made when it is first needed.
#[derive(Debug, Default)]
pub struct Lookup {
    /// By where they begin.
    statements: OnceCell<ByKey<(FileId, u32), StatementId>>,
    /// By where they begin.
    functions: OnceCell<ByKey<(FileId, u32), FunctionId>>,
    statements_of: OnceCell<ByNumber<StatementId>>,
    expressions: OnceCell<ByFile>,
    expressions_in: OnceCell<ByNumber<ExpressionId>>,
    /// The statement after each in its block.
    following: OnceCell<Vec<Option<StatementId>>>,
    /// Indices of calls.
    calls_in: OnceCell<ByNumber<u32>>,
    /// Indices of operations.
    operations: OnceCell<ByKey<Span, u32>>,
    /// Indices of operations, by where the loops around them begin.
    operations_in: OnceCell<FxHashMap<(FileId, u32), Vec<u32>>>,
    /// Indices of operations, by the calls through which they were reached.
    operations_through: OnceCell<FxHashMap<Span, Vec<u32>>>,
    /// Indices of operations, by the number of a value from outside that they take.
    operations_given: OnceCell<FxHashMap<u32, Vec<u32>>>,
    operations_of: OnceCell<BTreeMap<Name, Vec<u32>>>,
    /// Indices of operations, by those whose results they are given.
    readers: OnceCell<ByKey<u32, u32>>,
    /// Statements, by the variables that they use.
    users: OnceCell<ByKey<VariableId, StatementId>>,
    /// Expressions, by what made their values.
    values: OnceCell<FxHashMap<Span, Vec<ExpressionId>>>,
}

/// Items with the same key together, there in the order in which they came.
#[derive(Debug)]
pub struct ByKey<K, T> {
    keys: Vec<K>,
    list: Vec<T>,
}

impl<K: Ord, T> ByKey<K, T> {
    /// Puts the items with one key together.
    pub fn new(items: impl Iterator<Item = (K, T)>) -> ByKey<K, T> {
        let mut items: Vec<(K, T)> = items.collect();
        items.sort_by(|(one, _), (other, _)| one.cmp(other));
        let (keys, list) = items.into_iter().unzip();
        ByKey { keys, list }
    }

    /// The items with a key.
    pub fn get(&self, key: &K) -> &[T] {
        &self.list[range_of(&self.keys, key)]
    }
}

/// Where a key stands in a sorted list.
fn range_of<K: Ord>(keys: &[K], key: &K) -> Range<usize> {
    let start = keys.partition_point(|other| other < key);
    // There are few: to look further one by one is shorter than another search.
    let count = keys[start..].iter().take_while(|other| *other == key).count();
    start..start + count
}

/// Items by the number of what they are part of, there in the order in which they came.
#[derive(Debug)]
pub struct ByNumber<T> {
    /// Where the items of each number begin; the last is the end of all.
    starts: Vec<u32>,
    list: Vec<T>,
}

impl<T: Copy> ByNumber<T> {
    /// The items are those that `make` gives for numbers below `count`; what they are part of has numbers below `wholes`.
    pub fn new(wholes: usize, count: usize, make: impl Fn(u32) -> T, whole: impl Fn(T) -> usize) -> ByNumber<T> {
        let mut starts = vec![0u32; wholes + 1];
        let items = || (0..count as u32).map(&make);
        items().for_each(|item| starts[whole(item) + 1] += 1);
        for index in 1..starts.len() {
            starts[index] += starts[index - 1];
        }
        let mut next = starts.clone();
        let mut list: Vec<T> = items().collect();
        for item in items() {
            let place = &mut next[whole(item)];
            list[*place as usize] = item;
            *place += 1;
        }
        ByNumber { starts, list }
    }

    /// The items of a whole.
    pub fn get(&self, whole: usize) -> &[T] {
        match self.starts.get(whole..whole + 2) {
            Some(&[start, end]) => &self.list[start as usize..end as usize],
            _ => &[],
        }
    }
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
        let end_of = |id: &ExpressionId| host.span_of(*id).end;
        let there = &self.list[first..first + count];
        let there = &there[there.partition_point(|id| end_of(id) < place.end)..];
        &there[..there.iter().take_while(|id| end_of(id) == place.end).count()]
    }
}

impl Lookup {
    /// The statements that begin where a place does.
    pub fn statements(&self, host: &Host, place: Span) -> &[StatementId] {
        let all = || (0u32..).zip(&host.statements).map(|(index, node)| (beginning(node.span), StatementId(index)));
        self.statements.get_or_init(|| ByKey::new(all())).get(&beginning(place))
    }

    /// The functions that begin where a place does.
    pub fn functions(&self, host: &Host, place: Span) -> &[FunctionId] {
        let all = || (0u32..).zip(&host.functions).map(|(index, node)| (beginning(node.span), FunctionId(index)));
        self.functions.get_or_init(|| ByKey::new(all())).get(&beginning(place))
    }

    pub fn expressions(&self, host: &Host, place: Span) -> &[ExpressionId] {
        self.expressions.get_or_init(|| ByFile::new(host)).at(host, place)
    }

    /// The statements of a function's own code.
    pub fn statements_of(&self, host: &Host, function: FunctionId) -> &[StatementId] {
        let of = |id: StatementId| host.statement(id).function.index();
        let make = || ByNumber::new(host.functions.len(), host.statements.len(), StatementId, of);
        self.statements_of.get_or_init(make).get(function.index())
    }

    /// The expressions of a statement's own code.
    pub fn expressions_in(&self, host: &Host, statement: StatementId) -> &[ExpressionId] {
        let of = |id: ExpressionId| host.expression(id).statement.index();
        let make = || ByNumber::new(host.statements.len(), host.expressions.len(), ExpressionId, of);
        self.expressions_in.get_or_init(make).get(statement.index())
    }

    /// The statement behind another in the same block.
    pub fn following(&self, host: &Host, statement: StatementId) -> Option<StatementId> {
        let following = self.following.get_or_init(|| {
            let blocks = host.statements.iter().flat_map(|node| &node.blocks).map(|(_, block)| block);
            let of_modules = host.functions.iter().filter(|function| function.span.end == 0);
            let all = blocks.chain(of_modules.map(|function| &function.body));
            let mut following = vec![None; host.statements.len()];
            all.flat_map(|block| block.windows(2)).for_each(|pair| following[pair[0].index()] = Some(pair[1]));
            following
        });
        following.get(statement.index()).copied().flatten()
    }

    /// Indices of the calls in a statement.
    pub fn calls_in(&self, host: &Host, statement: StatementId) -> &[u32] {
        let of = |index: u32| host.calls[index as usize].statement.index();
        let make = || ByNumber::new(host.statements.len(), host.calls.len(), |index| index, of);
        self.calls_in.get_or_init(make).get(statement.index())
    }

    /// Indices of the operations at a place.
    pub fn operations(&self, program: Program<'_>, place: Span) -> &[u32] {
        let all = || (0u32..).zip(&program.trace.operations).map(|(index, record)| (record.span, index));
        self.operations.get_or_init(|| ByKey::new(all())).get(&place)
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

    /// Indices of the operations that were reached through a call.
    pub fn operations_through(&self, program: Program<'_>, call: Span) -> &[u32] {
        let by_call = self.operations_through.get_or_init(|| {
            let mut by_call: FxHashMap<Span, Vec<u32>> = FxHashMap::default();
            for (index, record) in program.trace.operations.iter().enumerate() {
                record.calls.iter().for_each(|call| by_call.entry(*call).or_default().push(index as u32));
            }
            by_call
        });
        by_call.get(&call).map_or(&[], Vec::as_slice)
    }

    /// Indices of the operations that take a value from outside.
    pub fn operations_given(&self, program: Program<'_>, number: u32) -> &[u32] {
        let by_source = self.operations_given.get_or_init(|| {
            let mut by_source: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
            for (index, record) in program.trace.operations.iter().enumerate() {
                for given in record.given.iter().filter(|given| is_from_outside(given)) {
                    by_source.entry(given.part).or_default().push(index as u32);
                }
            }
            by_source
        });
        by_source.get(&number).map_or(&[], Vec::as_slice)
    }

    /// Indices of the operations that run an API.
    pub fn operations_of(&self, program: Program<'_>, api: Name) -> &[u32] {
        self.by_api(program).get(&api).map_or(&[], Vec::as_slice)
    }

    /// The APIs that operations run.
    pub fn apis(&self, program: Program<'_>) -> Vec<Name> {
        self.by_api(program).keys().copied().collect()
    }

    fn by_api(&self, program: Program<'_>) -> &BTreeMap<Name, Vec<u32>> {
        self.operations_of.get_or_init(|| {
            let mut by_api: FxHashMap<Name, Vec<u32>> = FxHashMap::default();
            for (index, record) in program.trace.operations.iter().enumerate() {
                by_api.entry(record.api).or_default().push(index as u32);
            }
            by_api.into_iter().collect()
        })
    }

    /// Indices of the operations that are given what another one gives.
    pub fn readers_of(&self, program: Program<'_>, index: usize) -> &[u32] {
        let readers = self.readers.get_or_init(|| {
            let numbered = (0u32..).zip(&program.trace.operations);
            ByKey::new(numbered.flat_map(|(index, record)| {
                let given = record.given.iter().filter_map(|given| given.operation.0.checked_sub(1));
                given.map(move |giver| (giver, index))
            }))
        });
        u32::try_from(index).map_or(&[], |index| readers.get(&index))
    }

    /// The statements that use a variable.
    pub fn users_of(&self, host: &Host, variable: VariableId) -> &[StatementId] {
        let users = self.users.get_or_init(|| {
            let statements = (0..host.statements.len() as u32).map(StatementId);
            ByKey::new(statements.flat_map(|id| host.uses_of(id).map(move |variable| (variable, id))))
        });
        users.get(&variable)
    }

    /// The expressions whose values were made at a place.
    pub fn values_from(&self, program: Program<'_>, host: &Host, place: Span) -> &[ExpressionId] {
        let values = self.values.get_or_init(|| {
            let mut values: FxHashMap<Span, Vec<ExpressionId>> = FxHashMap::default();
            for id in (0..host.expressions.len() as u32).map(ExpressionId) {
                let Some(site) = program.trace.sites.get(&host.span_of(id)) else { continue };
                site.origins.places().iter().for_each(|origin| values.entry(*origin).or_default().push(id));
            }
            values
        });
        values.get(&place).map_or(&[], Vec::as_slice)
    }
}

fn beginning(place: Span) -> (FileId, u32) {
    (place.file, place.start)
}
