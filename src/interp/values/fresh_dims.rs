//! Abstract values of sizes: fresh dimensions and counts that the program does not tell.

use crate::state::interpreter::{ANY_INTEGER, Interpreter};
use crate::values::value::{ObjectId, Value};
use harp_corpus::Span;
use harp_python::name::Name;
use harp_shape::{Constraint, Dim, Var, VarInfo, VarKind, Verdict};

/// Of more dimensions it is not asked what they are at least.
const MOST_DIMS: usize = 16;

/// Of more numbers it is not asked what bounds them all.
const MOST_BOUNDED: usize = 8;

/// The source of the sizes of vocabularies: how many words a language has is the length of no text.
pub const VOCABULARIES: u32 = 0;

impl<'p> Interpreter<'p> {
    /// A fresh dimension that requirements may bind.
    pub fn free_dim(&mut self, name: &str, lower: i64) -> Dim {
        Dim::var(Var::fresh(VarInfo {
            name: name.to_owned(),
            kind: VarKind::Free,
            default: None,
            lower: Some(lower),
            upper: None,
            source: None,
        }))
    }

    /// A dimension that may be one or another of these, whatever the inputs are.
    pub fn one_by_chance(&mut self, dims: &[Dim]) -> Dim {
        let is_positive = |dim: &Dim| self.solver.judge(&Constraint::LessEqual(Dim::ONE, *dim)) == Verdict::Holds;
        let lower = i64::from(dims.len() <= MOST_DIMS && dims.iter().all(is_positive));
        let dim = self.free_dim("d", lower);
        dim.vars().into_iter().for_each(|var| self.tables.by_chance.insert(var, ()));
        dim
    }

    /// How many items a container of the program has whose filling was not followed item by item: the same number until it changes.
    pub fn count_of_items(&mut self, container: &Value, span: Span) -> Option<Dim> {
        if self.inference.is_some() {
            return None;
        }
        let (id, payload) = match self.read(container) {
            Value::List(id) | Value::Set(id) | Value::Dict(id) => (id, self.heap.payload(id).clone()),
            _ => return None,
        };
        if let Some((known, count)) = self.tables.counts.get(&id)
            && known.is_one_with(&payload)
        {
            return Some(*count);
        }
        let count = self.new_count(span, None);
        self.tables.counts.insert(id, (payload, count));
        Some(count)
    }

    fn new_count(&self, span: Span, source: Option<u32>) -> Dim {
        let text = self.source_text(span);
        let is_short = text.len() <= 40 && text.starts_with("len(") && !text.contains('\n');
        Dim::var(Var::fresh(VarInfo::counted(if is_short { text } else { "length" }).counted_in(source)))
    }

    /// How many items an object has that holds data from outside, such as a vocabulary: always the same number.
    pub fn count_of_data(&mut self, data: ObjectId, span: Span) -> Dim {
        const COUNT: &str = "#count";
        if let Some(Value::Int(count)) = self.heap.attribute(data, Name::new(COUNT)) {
            return *count;
        }
        let count = self.new_count(span, Some(VOCABULARIES));
        self.heap.set_attribute(data, Name::new(COUNT), Value::Int(count));
        count
    }

    /// An integer of which nothing is known; it may be negative.
    pub fn any_integer(&mut self, name: &str) -> Value {
        Value::Int(Dim::var(Var::fresh(VarInfo {
            name: name.to_owned(),
            kind: VarKind::Free,
            default: None,
            lower: Some(ANY_INTEGER),
            upper: None,
            source: None,
        })))
    }

    /// One of these integers, in the range that they are from.
    pub(crate) fn integer_among(&mut self, values: &[Value]) -> Value {
        let bounds = |value: &Value| value.as_dim().map_or((None, None), |dim| self.solver.bounds(dim));
        let all: Vec<(Option<i64>, Option<i64>)> = values.iter().map(bounds).collect();
        let lower = all.iter().map(|(lower, _)| *lower).min().flatten();
        let upper = all.iter().map(|(_, upper)| *upper).try_fold(i64::MIN, |most, upper| Some(most.max(upper?)));
        let info =
            VarInfo { name: "n".to_owned(), kind: VarKind::Free, default: None, lower: None, upper, source: None };
        let number = Dim::var(Var::fresh(VarInfo { lower: Some(lower.unwrap_or(ANY_INTEGER)), ..info }));
        self.bound_like_all(number, values);
        Value::Int(number)
    }

    /// What none of these numbers exceeds, as an index that was drawn again does not exceed the last one, one of them does not exceed either.
    fn bound_like_all(&mut self, number: Dim, values: &[Value]) {
        let all: Vec<Dim> = values.iter().filter_map(Value::as_dim).collect();
        let Some(first) = all.first().filter(|_| self.inference.is_none() && all.len() <= MOST_BOUNDED) else { return };
        let bound = |fact: &Constraint| match fact {
            Constraint::LessEqual(known, bound) if known == first && bound.as_const().is_none() => Some(*bound),
            _ => None,
        };
        let bounds: Vec<Dim> = self.solver.facts().iter().filter_map(bound).take(MOST_BOUNDED).collect();
        for bound in bounds {
            let holds = |value: &Dim| self.solver.judge(&Constraint::LessEqual(*value, bound)) == Verdict::Holds;
            if all.iter().all(holds) {
                self.solver.assume(&Constraint::LessEqual(number, bound));
            }
        }
    }
}
