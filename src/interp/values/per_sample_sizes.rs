//! Abstract values of sizes that differ from one sample to the next: those that its index decides, and those of the
//! item that the index takes out of a list.

use crate::state::interpreter::Interpreter;
use crate::values::value::{ObjectId, Tensor, Value};
use harp_operations::size_names::DRAWN;
use harp_shape::{Dim, Shape, Var, VarInfo};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// The attribute of a dictionary that says that a loader made it; no name of a program's attribute.
pub const BATCH: &str = "#batch";
/// How deep samples are looked into.
const DEEPEST_SAMPLE: usize = 8;

/// So many items of a list within a sample are looked at.
const MOST_ITEMS: usize = 16;

/// Whether two shapes are certainly not the same.
pub fn differ(left: &[Dim], right: &[Dim]) -> bool {
    let differs =
        |(left, right): (&Dim, &Dim)| matches!((left.as_const(), right.as_const()), (Some(l), Some(r)) if l != r);
    left.len() != right.len() || left.iter().zip(right).any(differs)
}

impl Interpreter<'_> {
    /// The shapes of the tensors of a sample, each at its place.
    pub fn shapes_within(&self, sample: &Value, depth: usize) -> Vec<Option<Vec<Dim>>> {
        match self.read(sample) {
            Value::Tensor(tensor) => vec![self.solver.resolve_shape(&tensor.shape).dims()],
            Value::Tuple(items) if depth < DEEPEST_SAMPLE => {
                items.iter().flat_map(|item| self.shapes_within(item, depth + 1)).collect()
            }
            Value::List(id) if depth < DEEPEST_SAMPLE => self.shapes_of_list(id, depth),
            Value::Dict(id) if depth < DEEPEST_SAMPLE => match self.heap.dict(id) {
                Some(data) => data.entries.iter().flat_map(|(_, item)| self.shapes_within(item, depth + 1)).collect(),
                None => vec![None],
            },
            _ => vec![None],
        }
    }

    /// A list's length comes first, as lists of other lengths make no batch either, and then what it holds.
    fn shapes_of_list(&self, id: ObjectId, depth: usize) -> Vec<Option<Vec<Dim>>> {
        let Some(data) = self.heap.list(id) else { return vec![None] };
        if data.rest.is_some() {
            return vec![Some(vec![Dim::var(Var::fresh(VarInfo::fixed("length")))])];
        }
        let length = Some(vec![Dim::constant(data.items.len() as i64)]);
        let items = data.items.iter().take(MOST_ITEMS).flat_map(|item| self.shapes_within(item, depth + 1));
        std::iter::once(length).chain(items).collect()
    }

    /// Whether the index of the sample decides a size, and nothing else does.
    pub fn is_by_index(&self, dim: Dim) -> bool {
        let Some(index) = self.loops.drawing.index else { return false };
        let dim = self.solver.resolve(dim);
        if dim.as_const().is_some() || dim.vars() != [index] || index.info().upper.is_some_and(|upper| upper < 1) {
            return false;
        }
        let at = |place: i64| dim.evaluate(&mut |_| Some(place));
        matches!((at(0), at(1)), (Some(first), Some(second)) if first != second)
    }

    /// One of some items, by the index of the sample: where these are known to differ in their sizes, the size is the sample's own.
    pub fn item_by_sample(&mut self, items: &[Value]) -> Value {
        let shapes: Vec<_> = items.iter().map(|item| self.shapes_within(item, 0)).collect();
        let are_different = shapes.first().is_some_and(|first| {
            shapes.iter().any(|other| {
                first.iter().zip(other).any(|pair| matches!(pair, (Some(one), Some(other)) if differ(one, other)))
            })
        });
        let before = Var::fresh(VarInfo::fixed("item"));
        let item = self.one_of(items);
        if are_different { self.with_own_sizes(&item, before, &mut FxHashMap::default()) } else { item }
    }

    /// Whether an index is that of the sample which is drawn.
    pub(crate) fn is_index_of_sample(&self, index: &Value) -> bool {
        let drawn = self.loops.drawing.index;
        drawn.is_some() && index.as_dim().is_some_and(|dim| self.solver.resolve(dim).as_var() == drawn)
    }

    /// The same value with sizes that are drawn in place of those that came after `before`.
    fn with_own_sizes(&mut self, value: &Value, before: Var, own: &mut FxHashMap<Var, Dim>) -> Value {
        match value {
            Value::Tensor(tensor) => {
                let Some(dims) = self.solver.resolve_shape(&tensor.shape).dims() else { return value.clone() };
                let mut drawn = |variable: Var| {
                    let info = VarInfo::fixed(DRAWN).between(Some(0), variable.info().upper);
                    let fresh = || Dim::var(Var::fresh(info));
                    (variable > before).then(|| *own.entry(variable).or_insert_with(fresh))
                };
                let dims: Vec<Dim> = dims.into_iter().map(|dim| dim.substitute(&mut drawn)).collect();
                Value::Tensor(Rc::new(Tensor { shape: Shape::known(dims), ..Tensor::clone(tensor) }))
            }
            Value::Tuple(items) => {
                Value::tuple(items.iter().map(|item| self.with_own_sizes(item, before, own)).collect())
            }
            other => other.clone(),
        }
    }
}
