//! Abstract values of numbers that are drawn at random between bounds that the program says, so that a window that
//! begins at one is as long as the program wants: `start = torch.randint(len(data) - 16, (4,))`, `data[i : i + 16]`.

use crate::api::call_api::Bound;
use crate::calls::call::CallArguments;
use crate::state::interpreter::{Eval, Interpreter};
use crate::values::element_bounds::Extent;
use crate::values::tensor_elements::{Elements, Numbers};
use crate::values::value::{Tensor, Value};
use harp_operations::size_names::DRAWN;
use harp_python::name::Name;
use harp_shape::{Constraint, Dim, Shape, Var, VarInfo, VarKind};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// Longer lists of such numbers are not written out.
const MOST_LISTED: usize = 256;
/// Of more draws than these it is not told which of them a size is.
const MOST_DRAWS: usize = 256;

/// Sizes of which each is one of several numbers that were drawn.
#[derive(Debug, Default)]
pub struct Draws {
    /// One of these, by the numbers in their order: what has one of each of them is equally large wherever it is.
    among: FxHashMap<Vec<Dim>, Dim>,
    /// The bounds between which numbers were drawn, where these are not constant.
    bounds: FxHashMap<Var, (Dim, Dim)>,
    several: FxHashSet<Var>,
}

impl Draws {
    /// Whether a number stands for several that were drawn.
    pub fn is_one_of_several(&self, var: Var) -> bool {
        self.several.contains(&var)
    }

    pub fn clear(&mut self) {
        self.among.clear();
        self.bounds.clear();
        self.several.clear();
    }
}

/// Whether the program drew a number by itself, for which no requirement decides.
pub fn is_drawn(var: Var) -> bool {
    var.kind() == VarKind::Fixed && var.name() == DRAWN
}
/// The least number that one of which nothing is known may be.
const LEAST: i64 = i32::MIN as i64;

impl Interpreter<'_> {
    /// An integer from `low` to `high`, which it may be: the program draws it here, and no requirement decides what it is.
    pub fn new_number_within(&mut self, low: Dim, high: Dim) -> Dim {
        self.number_of_kind(VarKind::Fixed, low, high)
    }

    /// One of several numbers from `low` to `high` that were drawn before; it may be the same as another one of them.
    fn number_within(&mut self, low: Dim, high: Dim) -> Dim {
        self.number_of_kind(VarKind::Free, low, high)
    }

    /// The bounds between which a number was drawn before. Of one that is drawn by itself, the requirements of operations are judged.
    pub(crate) fn bounds_of_drawn(&self, number: Dim) -> Option<(Dim, Dim)> {
        let var = number.as_var().filter(|var| var.kind() == VarKind::Free && var.name() == DRAWN)?;
        let info = var.info();
        let known = info.lower.filter(|low| *low > LEAST).zip(info.upper);
        let known = known.map(|(low, high)| (Dim::constant(low), Dim::constant(high)));
        known.or_else(|| self.sizes.draws.bounds.get(&var).copied())
    }

    /// One of several sizes that were all drawn; none where they were not.
    pub(crate) fn one_of_drawn(&mut self, dims: &[Dim]) -> Option<Dim> {
        let drawn: Option<Vec<Var>> =
            dims.iter().take(MOST_DRAWS).map(|dim| dim.as_var().filter(|var| is_drawn(*var))).collect();
        let drawn = drawn.filter(|drawn| drawn.len() == dims.len() && self.inference.is_none())?;
        if let Some(known) = self.sizes.draws.among.get(dims) {
            return Some(*known);
        }
        let bounds = drawn.iter().map(|var| var.info());
        let (lower, upper): (Vec<Option<i64>>, Vec<Option<i64>>) =
            bounds.map(|info| (info.lower.or(Some(1)), info.upper)).unzip();
        let least = lower.into_iter().flatten().min();
        let most = upper.into_iter().try_fold(i64::MIN, |most, upper| Some(most.max(upper?)));
        let var = Var::fresh(VarInfo::fixed(DRAWN).between(least, most));
        self.sizes.draws.several.insert(var);
        self.sizes.draws.among.insert(dims.to_vec(), Dim::var(var));
        Some(Dim::var(var))
    }

    /// One of several numbers that were all drawn between the same bounds, as a number is that a loop draws again.
    pub(crate) fn drawn_again(&mut self, numbers: &[Value]) -> Option<Value> {
        let bounds = |value: &Value| self.sizes.draws.bounds.get(&value.as_dim()?.as_var()?).copied();
        let (low, high) = bounds(numbers.first()?)?;
        let are_alike = self.inference.is_none() && numbers.iter().all(|value| bounds(value) == Some((low, high)));
        are_alike.then(|| Value::Int(self.number_within(low, high)))
    }

    fn number_of_kind(&mut self, kind: VarKind, low: Dim, high: Dim) -> Dim {
        let (low, high) = (self.solver.resolve(low), self.solver.resolve(high));
        let (least, most) = (low.as_const(), high.as_const());
        let is_empty = matches!((least, most), (Some(least), Some(most)) if most < least);
        let number = Dim::var(Var::fresh(VarInfo {
            name: DRAWN.to_owned(),
            kind,
            default: None,
            lower: least.filter(|_| !is_empty).or(Some(LEAST)),
            upper: most.filter(|_| !is_empty),
            source: None,
        }));
        if let (Some(var), false) = (number.as_var(), least.is_some() && most.is_some()) {
            self.sizes.draws.bounds.insert(var, (low, high));
        }
        if least.is_none() {
            self.solver.assume(&Constraint::LessEqual(low, number));
        }
        if most.is_none() {
            self.solver.assume(&Constraint::LessEqual(number, high));
        }
        number
    }

    /// `random.randint(a, b)` and `random.randrange(start, stop)`.
    pub fn random_integer(&mut self, name: Name, arguments: &CallArguments) -> Eval {
        let bound = |this: &Self, value: Option<&Value>| value.map(|value| this.read(value)).and_then(|v| v.as_dim());
        let is_range = name.as_str().ends_with("randrange");
        let (first, second) = match is_range {
            true => ("start", "stop"),
            false => ("a", "b"),
        };
        let is_plain = arguments.get(2, "step").is_none() && !arguments.is_open;
        let first_given = bound(self, arguments.get(0, first));
        let bounds = match (first_given, arguments.get(1, second)) {
            (Some(stop), None) if is_range => Some((Dim::constant(0), stop)),
            (Some(start), Some(stop)) => bound(self, Some(stop)).map(|stop| (start, stop)),
            _ => None,
        };
        Ok(match bounds.filter(|_| is_plain) {
            Some((low, high)) => {
                let high = if is_range { high - Dim::constant(1) } else { high };
                Value::Int(self.new_number_within(low, high))
            }
            None => self.any_integer("random"),
        })
    }

    /// The result of an operation that draws integers or computes with such, with what is known of them.
    pub(crate) fn with_drawn(&mut self, name: &str, bound: &Bound, result: &Value) -> Option<Value> {
        match (name, result) {
            ("randint" | "integers", Value::Tensor(tensor)) => {
                let [low, high] = self.bounds_of_draw(bound)?;
                let elements = match self.is_single(&tensor.shape) {
                    true => Elements::of(Numbers::One(self.new_number_within(low, high))),
                    false => Elements::of(Numbers::Within(low, high)),
                };
                Some(holding(tensor, elements))
            }
            ("random_", Value::Tensor(tensor)) => {
                let [low, high] = self.bounds_of_draw(bound)?;
                Some(holding(tensor, Elements::of(Numbers::Within(low, high))))
            }
            ("randint" | "integers", Value::Int(_)) => {
                let [low, high] = self.bounds_of_draw(bound)?;
                Some(Value::Int(self.new_number_within(low, high)))
            }
            ("randperm" | "permutation", Value::Tensor(tensor)) => {
                let given = bound.iter().find(|(name, _)| matches!(name.as_str(), "n" | "x"))?;
                let Value::Int(count) = self.read(&given.1) else { return None };
                let numbers = Numbers::Between(Dim::ZERO, count - Dim::ONE, Extent::Reached);
                Some(holding(tensor, Elements::of(numbers)))
            }
            ("arange", Value::Tensor(tensor)) => {
                let count = self.counted_by(bound)?;
                Some(holding(tensor, Elements::of(Numbers::Counted(count))))
            }
            ("tolist", Value::Unknown(_) | Value::Symbolic(_)) => self.drawn_list(bound),
            ("item", Value::Int(_)) => self.drawn_number(&bound.first()?.1).map(Value::Int),
            ("__getitem__", Value::Tensor(tensor)) => {
                let Value::Tensor(own) = self.read(&bound.first()?.1) else { return None };
                let Numbers::Within(low, high) = own.elements.as_ref()?.drawn()? else { return None };
                // A mask of the numbers themselves chooses those that it likes.
                if self.chooses(&bound.get(1)?.1) {
                    return None;
                }
                // A part shares the memory of the whole.
                let numbers = self.numbers_within(&tensor.shape, *low, *high);
                Some(holding(tensor, own.elements.as_ref()?.sharing(numbers)))
            }
            ("__add__" | "add" | "__radd__" | "__sub__" | "sub", Value::Tensor(tensor)) => {
                let elements = self.moved(name, bound)?;
                Some(holding(tensor, elements))
            }
            _ => None,
        }
    }

    /// The numbers of a vector as a list.
    fn drawn_list(&mut self, bound: &Bound) -> Option<Value> {
        let Value::Tensor(tensor) = self.read(&bound.first()?.1) else { return None };
        let (Numbers::Within(low, high) | Numbers::Between(low, high, _)) = *tensor.elements.as_ref()?.drawn()? else {
            return None;
        };
        let [count] = self.solver.resolve_shape(&tensor.shape).dims()?[..] else { return None };
        let count = usize::try_from(count.as_const()?).ok().filter(|count| *count <= MOST_LISTED)?;
        let items = (0..count).map(|_| Value::Int(self.number_within(low, high))).collect();
        Some(Value::List(self.heap.allocate_list(items)))
    }

    /// A row of a tensor, with a number of its own where the rows are numbers that were drawn.
    pub(crate) fn drawn_row(&mut self, tensor: &Tensor, row: &Value, place: usize) -> Value {
        if let (Some(elements), Value::Tensor(row)) = (self.size_in_row(tensor, place), row) {
            return holding(row, elements);
        }
        let Value::Tensor(row) = row else { return row.clone() };
        // What is written into a row is written into the tensor.
        let elements =
            tensor.elements.clone().filter(|elements| elements.drawn().is_some() || tensor.numbers().is_some());
        let elements = elements.and_then(|elements| {
            let numbers = match elements.drawn() {
                Some(Numbers::Within(low, high) | Numbers::Between(low, high, Extent::Any | Extent::Reached)) => {
                    self.numbers_within(&row.shape, *low, *high)
                }
                _ => {
                    let range = self.range_of_tensor(tensor)?.in_part();
                    Numbers::Between(range.low, range.high, range.extent)
                }
            };
            Some(elements.sharing(numbers))
        });
        // Each row is a tensor of its own.
        Value::Tensor(Rc::new(Tensor { elements, ..Tensor::clone(row) }))
    }

    /// The number that a tensor of one element holds.
    pub fn drawn_number(&mut self, value: &Value) -> Option<Dim> {
        let Value::Tensor(tensor) = self.read(value) else { return None };
        if let Some([number]) = tensor.numbers().filter(|_| tensor.dtype.is_integer()) {
            return Some(Dim::constant(*number as i64));
        }
        match tensor.elements.as_ref()?.drawn()? {
            Numbers::One(number) => Some(*number),
            Numbers::Within(low, high) => Some(self.number_within(*low, *high)),
            Numbers::Between(low, high, _) if low == high => Some(*low),
            Numbers::Between(low, high, _) => Some(self.number_within(*low, *high)),
            Numbers::Listed(_) | Numbers::Counted(_) | Numbers::Sizes(_) | Numbers::Diagonal { .. } => None,
        }
    }

    fn numbers_within(&mut self, shape: &Shape, low: Dim, high: Dim) -> Numbers {
        match self.is_single(shape) {
            true => Numbers::One(self.number_within(low, high)),
            false => Numbers::Within(low, high),
        }
    }

    fn is_single(&self, shape: &Shape) -> bool {
        self.solver.resolve_shape(shape).dims().is_some_and(|dims| dims.iter().all(|dim| *dim == Dim::ONE))
    }

    /// The least and the largest number of `randint(low, high, size)` and `randint(high, size)`.
    fn bounds_of_draw(&self, bound: &Bound) -> Option<[Dim; 2]> {
        let given = |wanted: &str| {
            bound
                .iter()
                .find(|(name, _)| name.as_str() == wanted)
                .map(|(_, value)| self.read(value))
                .unwrap_or(Value::None)
        };
        if !matches!(given("endpoint"), Value::None | Value::Bool(false)) {
            return None;
        }
        // `x.random_(0, 10)` writes what it draws into the tensor.
        let names =
            if bound.iter().any(|(name, _)| name.as_str() == "from_") { ["from_", "to"] } else { ["low", "high"] };
        let first = given(names[0]).as_dim()?;
        let (low, stop) = match given(names[1]) {
            Value::Int(high) => (first, high),
            Value::Bool(_) | Value::Float(_) | Value::Ratio(_) | Value::Tensor(_) | Value::Unknown(_) => return None,
            Value::Symbolic(_) | Value::Alternatives(_) => return None,
            _ => (Dim::constant(0), first),
        };
        Some([low, stop - Dim::constant(1)])
    }

    /// How many numbers `arange(count)` has, where they are not listed one by one.
    fn counted_by(&self, bound: &Bound) -> Option<Dim> {
        let given = |wanted: &[&str]| {
            let found =
                bound.iter().find(|(name, _)| wanted.contains(&name.as_str())).map(|(_, value)| self.read(value));
            found.filter(|value| !value.is_none() && !matches!(value, Value::Unknown(_)))
        };
        let is_one = given(&["step"]).is_none_or(|step| step.as_int() == Some(1));
        let first = given(&["start"])?.as_dim()?;
        let count = match given(&["end", "stop"]) {
            None => first,
            Some(end) if first.as_const() == Some(0) => end.as_dim()?,
            Some(_) => return None,
        };
        let is_listed = !is_one || (self.loops.stack.is_empty() && count.as_const().is_some());
        (!is_listed).then_some(count)
    }

    /// The sum or difference of what was drawn and a number.
    fn moved(&mut self, name: &str, bound: &Bound) -> Option<Rc<Elements>> {
        let [(_, first), (_, second), ..] = bound.as_slice() else { return None };
        let (Value::Tensor(tensor), Value::Int(by)) = (self.read(first), self.read(second)) else { return None };
        let has_factor = bound[2..].iter().any(|(name, value)| name.as_str() == "alpha" && value.as_int() != Some(1));
        if has_factor {
            return None;
        }
        let by = if name.trim_matches('_') == "sub" { Dim::constant(0) - by } else { by };
        Some(Elements::of(match tensor.elements.as_ref()?.drawn()? {
            Numbers::One(number) => Numbers::One(*number + by),
            Numbers::Within(low, high) => Numbers::Within(*low + by, *high + by),
            Numbers::Listed(_)
            | Numbers::Between(..)
            | Numbers::Counted(_)
            | Numbers::Sizes(_)
            | Numbers::Diagonal { .. } => return None,
        }))
    }
}

fn holding(tensor: &Tensor, elements: Rc<Elements>) -> Value {
    Value::Tensor(Rc::new(Tensor { elements: Some(elements), ..Tensor::clone(tensor) }))
}
