//! Issues of indices that leave what they are indices of: the vectors of an embedding, the classes of a loss, a
//! dimension of a tensor.

use crate::api::call_api::Bound;
use crate::state::interpreter::Interpreter;
use crate::values::element_bounds::{Extent, Range};
use crate::values::value::{Tensor, Value};
use harp_annotations::{ApiSpec, Behaviour};
use harp_corpus::Span;
use harp_operations::operation::Output;
use harp_python::name::Name;
use harp_shape::{Constraint, DType, Dim, OutOfRange, Verdict};

/// A number beyond the bounds of what it stands for.
struct Misplaced {
    number: Dim,
    is_certain: bool,
    /// Whether it is too small.
    is_below: bool,
}

/// What indices are held to.
struct Places<'a> {
    api: &'a str,
    /// How many places there are.
    count: Dim,
    /// The least index.
    least: Dim,
    /// What an index is called: `index`, `class`.
    noun: &'a str,
    /// What follows where an index is out of range.
    behind: String,
}

impl Interpreter<'_> {
    /// A number of a range that is not among the places; where there may be no numbers at all, none is certain.
    fn misplaced(&self, range: Range, count: Dim, least: Dim) -> Option<Misplaced> {
        let fails = |constraint: Constraint| self.solver.judge(&constraint) == Verdict::Violated;
        let is_reached = range.extent.is_reached();
        if fails(Constraint::Less(range.high, count)) {
            let are_all = fails(Constraint::Less(range.low, count));
            let is_told = are_all || range.extent != Extent::Loose;
            return is_told.then_some(Misplaced {
                number: range.high,
                is_certain: is_reached || are_all,
                is_below: false,
            });
        }
        if fails(Constraint::LessEqual(least, range.low)) {
            let are_all = fails(Constraint::LessEqual(least, range.high));
            let is_told = are_all || range.extent != Extent::Loose;
            return is_told.then_some(Misplaced {
                number: range.low,
                is_certain: is_reached || are_all,
                is_below: true,
            });
        }
        None
    }

    /// Reports numbers that leave their places. Returns whether it does.
    fn check_places(&mut self, numbers: Option<&Tensor>, range: Range, places: &Places<'_>, span: Span) -> bool {
        if numbers.is_some_and(|numbers| self.may_be_empty(numbers)) {
            return false;
        }
        let Some(found) = self.misplaced(range, places.count, places.least) else { return false };
        let Places { api, count, least, noun, behind } = places;
        let number = found.number;
        if found.is_certain {
            self.sequence_fails(api, format!("{noun} {number} is out of range{behind}"), span);
            return true;
        }
        // What the program asked before may have been about these numbers.
        if !self.path_conditions().is_empty() {
            return false;
        }
        let message = format!("{noun} {number} may be drawn and is out of range{behind}");
        let condition = match found.is_below {
            true => format!("{} {noun} is below {least}", article(noun)),
            false => format!("{} {noun} is {count} or more", article(noun)),
        };
        self.may_fail(api, message, condition, span);
        true
    }

    /// Reports an index of a tensor whose numbers are known to leave the dimension that they stand for.
    pub(crate) fn check_numbers_of_index(&mut self, tensor: &Tensor, index: &Value, span: Span) {
        if tensor.kind.families().any(|family| family.rules().out_of_range == OutOfRange::Clamps) {
            return;
        }
        let items = match self.read(index) {
            Value::Tuple(items) => items.to_vec(),
            index => vec![index],
        };
        let has_numbers = |item: &Value| match item {
            Value::Tensor(tensor) => tensor.elements.is_some(),
            Value::Int(number) => self.bounds_of_drawn(*number).is_some(),
            Value::List(_) | Value::Range(_) => true,
            _ => false,
        };
        let items: Vec<Value> = items.iter().map(|item| self.read(item)).collect();
        if !items.iter().any(has_numbers) {
            return;
        }
        let Some(dims) = self.solver.resolve_shape(&tensor.shape).dims() else { return };
        let api = format!("{}.__getitem__", tensor.kind.class_name());
        let mut axis = 0;
        for (place, item) in items.iter().enumerate() {
            match item {
                Value::None => continue,
                Value::Ellipsis => {
                    let Some(behind) = self.axes_taken(&items[place + 1..]) else { return };
                    let Some(next) = dims.len().checked_sub(behind).filter(|next| *next >= axis) else { return };
                    axis = next;
                    continue;
                }
                _ => {}
            }
            let (Some(taken), Some(size)) = (self.axes_taken(std::slice::from_ref(item)), dims.get(axis)) else {
                return;
            };
            if taken == 1 && self.index_leaves(item, (axis, *size), &api, span) {
                return;
            }
            axis += taken;
        }
    }

    /// How many dimensions indices stand for; `None` where that is not known.
    fn axes_taken(&self, items: &[Value]) -> Option<usize> {
        let taken = items.iter().map(|item| match item {
            Value::None => Some(0),
            Value::Tensor(mask) if mask.dtype == DType::UInt8 => None,
            Value::Tensor(mask) if mask.dtype == DType::Bool => self.solver.resolve_shape(&mask.shape).rank(),
            Value::Tensor(numbers) => numbers.dtype.is_integer().then_some(1),
            Value::List(id) => {
                let data = self.heap.list(*id).filter(|data| data.rest.is_none())?;
                data.items.iter().all(|item| matches!(self.read(item), Value::Int(_))).then_some(1)
            }
            Value::Int(_) | Value::Slice(_) | Value::Range(_) => Some(1),
            _ => None,
        });
        taken.sum()
    }

    /// Reports one part of an index. Returns whether it does.
    fn index_leaves(&mut self, item: &Value, (axis, size): (usize, Dim), api: &str, span: Span) -> bool {
        let behind = format!(" for dimension {axis}, whose size is {size}");
        match item {
            // PyTorch takes bytes for a mask.
            Value::Tensor(numbers) if !matches!(numbers.dtype, DType::Bool | DType::UInt8) => {
                let Some(range) = self.range_of_tensor(numbers) else { return false };
                let places = Places { api, count: size, least: Dim::ZERO - size, noun: "index", behind };
                self.check_places(Some(numbers), range, &places, span)
            }
            // What is known of a number that was read from such a tensor is what the tensor's bounds say.
            Value::Int(number) => {
                let Some((low, high)) = self.bounds_of_drawn(*number) else { return false };
                let range = Range { low, high, extent: Extent::Any };
                let places = Places { api, count: size, least: Dim::ZERO - size, noun: "index", behind };
                self.check_places(None, range, &places, span)
            }
            Value::List(_) | Value::Range(_) => {
                let Some(size) = size.as_const() else { return false };
                let wrong = self.whole_indices(item).into_iter().find(|number| *number >= size || *number < -size);
                if let Some(wrong) = wrong {
                    self.sequence_fails(api, format!("index {wrong} is out of range{behind}"), span);
                }
                wrong.is_some()
            }
            _ => false,
        }
    }

    /// The indices of a list, or the first and last one of a range.
    fn whole_indices(&self, item: &Value) -> Vec<i64> {
        let number = |value: &Value| match self.read(value) {
            Value::Int(index) => self.solver.resolve(index).as_const(),
            _ => None,
        };
        match item {
            Value::List(id) => {
                let numbers =
                    self.heap.list(*id).map(|data| data.items.iter().map(number).collect::<Option<Vec<i64>>>());
                numbers.flatten().unwrap_or_default()
            }
            Value::Range(bounds) => match bounds.map(|bound| self.solver.resolve(bound).as_const()) {
                [Some(start), Some(stop), Some(step)] if step > 0 && start < stop => {
                    vec![start, stop - 1 - (stop - 1 - start).rem_euclid(step)]
                }
                _ => Vec::new(),
            },
            _ => Vec::new(),
        }
    }

    /// Whether numbers that are followed lie within what the operation takes them for: rows, classes, positions, lengths.
    pub(crate) fn check_numbers(&mut self, spec: &ApiSpec, api: Name, bound: &Bound, output: &Output, span: Span) {
        let Behaviour::Transfer(name) = &spec.behaviour else { return };
        match &**name {
            "embedding" | "embedding_bag" => self.check_numbers_of_embedding(api, bound, span),
            "cross_entropy" | "nll_loss" | "one_hot" => self.check_numbers_of_classes(name, api, bound, span),
            "pack_padded" => self.bound_longest(bound, output),
            "ctc" => self.check_lengths_of_sequences(api, bound, span),
            "array_take"
            | "gather"
            | "index_add"
            | "index_add_in_place"
            | "index_fill"
            | "index_fill_in_place"
            | "index_select"
            | "scatter"
            | "scatter_in_place"
            | "take" => self.check_numbers_along(name, api, bound, span),
            _ => {}
        }
    }

    /// Reports an index of an embedding whose numbers are known to go beyond its vectors.
    fn check_numbers_of_embedding(&mut self, api: Name, bound: &Bound, span: Span) {
        let Some(Value::Tensor(input)) = self.given(bound, "input") else { return };
        let rows = |weight: &Tensor| self.solver.resolve_shape(&weight.shape).dims()?.first().copied();
        let count = match self.given(bound, "weight") {
            Some(Value::Tensor(weight)) => rows(&weight),
            _ => self.given(bound, "num_embeddings").and_then(|count| count.as_dim()),
        };
        let (Some(count), Some(range)) = (count, self.range_of_tensor(&input)) else { return };
        let behind = format!(": the embedding has {count} vectors");
        let places = Places { api: api.as_str(), count, least: Dim::ZERO, noun: "index", behind };
        self.check_places(Some(&input), range, &places, span);
    }

    /// The longest of packed sequences is as long as one of their lengths says.
    fn bound_longest(&mut self, bound: &Bound, output: &Output) {
        let Some(Value::Tensor(lengths)) = self.given(bound, "lengths") else { return };
        let Output::Tuple(parts) = output else { return };
        let Some(Output::Tensor { shape, .. }) = parts.get(1) else { return };
        let longest = shape.dims().and_then(|dims| dims.first().copied());
        let (Some(range), Some(longest)) = (self.range_of_tensor(&lengths), longest) else { return };
        self.solver.assume(&Constraint::LessEqual(range.low, longest));
        self.solver.assume(&Constraint::LessEqual(longest, range.high));
    }

    /// Reports indices of `gather` and its like that leave the dimension along which they count.
    fn check_numbers_along(&mut self, transfer: &str, api: Name, bound: &Bound, span: Span) {
        let index = self.given(bound, "index").or_else(|| self.given(bound, "indices"));
        let (Some(Value::Tensor(index)), Some((_, input))) = (index, bound.first()) else { return };
        let Value::Tensor(input) = self.read(input) else { return };
        let Some(range) = self.range_of_tensor(&index) else { return };
        let Some(dims) = self.solver.resolve_shape(&input.shape).dims() else { return };
        let along = self.given(bound, "dim").or_else(|| self.given(bound, "axis"));
        let (count, of) = match along {
            // `take` counts all elements.
            None | Some(Value::None) => {
                (dims.iter().fold(Dim::ONE, |product, dim| product * *dim), "the elements".to_owned())
            }
            Some(dim) => {
                let (Some(dim), Ok(rank)) = (dim.as_int(), i64::try_from(dims.len())) else { return };
                let place = usize::try_from(if dim < 0 { dim + rank } else { dim }).ok();
                let Some(count) = place.and_then(|place| dims.get(place)) else { return };
                (*count, format!("dimension {}", place.unwrap_or_default()))
            }
        };
        // NumPy is told whether it takes others as well.
        if self.given(bound, "mode").is_some_and(|mode| mode.as_text() != Some("raise")) {
            return;
        }
        let counts_from_end = matches!(transfer, "take" | "array_take" | "index_fill" | "index_fill_in_place");
        let least = if counts_from_end { Dim::ZERO - count } else { Dim::ZERO };
        let behind = format!(" for {of}, of which there are {count}");
        let behind = if of.starts_with("dimension") { format!(" for {of}, whose size is {count}") } else { behind };
        let places = Places { api: api.as_str(), count, least, noun: "index", behind };
        self.check_places(Some(&index), range, &places, span);
    }

    /// Reports classes that are known to be none of those that a loss or `one_hot` counts.
    fn check_numbers_of_classes(&mut self, transfer: &str, api: Name, bound: &Bound, span: Span) {
        let (numbers, count, ignored) = match transfer {
            "one_hot" => {
                (self.given(bound, "tensor"), self.given(bound, "num_classes").and_then(|count| count.as_dim()), None)
            }
            _ => {
                let classes = match self.given(bound, "input") {
                    Some(Value::Tensor(input)) => self.classes_of(&input),
                    _ => None,
                };
                let ignored = match self.given(bound, "ignore_index") {
                    None => IGNORED,
                    Some(index) => match index.as_int() {
                        Some(index) => index,
                        None => return,
                    },
                };
                let ignored = Some(ignored);
                (self.given(bound, "target"), classes, ignored)
            }
        };
        let (Some(Value::Tensor(numbers)), Some(count)) = (numbers, count) else { return };
        // `one_hot(labels)` and `num_classes=-1` count for themselves.
        if numbers.dtype.is_floating() || count.as_const().is_some_and(|count| count < 0) {
            return;
        }
        let Some(range) = self.range_of_classes(&numbers, ignored) else { return };
        let behind = format!(": there are {count} classes");
        let places = Places { api: api.as_str(), count, least: Dim::ZERO, noun: "class", behind };
        self.check_places(Some(&numbers), range, &places, span);
    }

    /// The range of classes without the one that a loss leaves out.
    fn range_of_classes(&self, numbers: &Tensor, ignored: Option<i64>) -> Option<Range> {
        if let Some(known) = numbers.numbers() {
            let classes = known.iter().map(|number| *number as i64).filter(|class| Some(*class) != ignored);
            let classes: Vec<i64> = classes.collect();
            let [low, high] = [classes.iter().min()?, classes.iter().max()?].map(|bound| Dim::constant(*bound));
            return Some(Range { low, high, extent: Extent::Reached });
        }
        let range = self.range_of_tensor(numbers)?;
        // What lies between is not told apart from the one that is left out.
        let is_ignored = |bound: Dim| ignored.is_some() && bound.as_const() == ignored;
        (!is_ignored(range.low) && !is_ignored(range.high)).then_some(range)
    }

    /// The dimension of classes: the second, or the only one.
    fn classes_of(&self, input: &Tensor) -> Option<Dim> {
        let dims = self.solver.resolve_shape(&input.shape).dims()?;
        dims.get(1).or(dims.first()).copied()
    }

    /// Reports lengths of `ctc_loss` that are more than the sequences have.
    fn check_lengths_of_sequences(&mut self, api: Name, bound: &Bound, span: Span) {
        let dims = |this: &Self, name: &str| match this.given(bound, name) {
            Some(Value::Tensor(tensor)) => this.solver.resolve_shape(&tensor.shape).dims(),
            _ => None,
        };
        let (scores, targets) = (dims(self, "log_probs"), dims(self, "targets"));
        let steps = scores.as_ref().and_then(|dims| dims.first()).copied();
        let most = match targets.as_deref() {
            Some([_, most]) => Some(*most),
            _ => None,
        };
        for (name, count, of) in [("input_lengths", steps, "log_probs"), ("target_lengths", most, "targets")] {
            let (Some(count), Some(lengths)) = (count, self.given(bound, name)) else { continue };
            let Some(range) = self.range_of(&lengths).or_else(|| self.range_of_listed(&lengths)) else { continue };
            let behind = format!(": the sequences of `{of}` have {count} entries, and `{name}` counts them");
            let count = count + Dim::ONE;
            let places = Places { api: api.as_str(), count, least: Dim::ZERO, noun: "length", behind };
            let tensor = if let Value::Tensor(tensor) = &lengths { Some(&**tensor) } else { None };
            if self.check_places(tensor, range, &places, span) {
                return;
            }
        }
        if let (Some([entries]), Some(lengths)) = (targets.as_deref(), self.given(bound, "target_lengths"))
            && let (Some(total), Some(entries)) = (self.total_of(&lengths), entries.as_const())
            && scores.is_some_and(|dims| dims.len() == 3)
            && total != entries
        {
            let message = format!("`targets` has {entries} entries, but `target_lengths` counts {total}");
            self.sequence_fails(api.as_str(), message, span);
        }
    }

    /// The sum of numbers that are all known.
    fn total_of(&self, numbers: &Value) -> Option<i64> {
        let items = match numbers {
            Value::Tensor(tensor) => return tensor.numbers().map(|numbers| numbers.iter().sum::<f64>() as i64),
            Value::Tuple(items) => items.to_vec(),
            Value::List(id) => self.heap.list(*id).filter(|data| data.rest.is_none())?.items.clone(),
            _ => return None,
        };
        items.iter().map(|item| self.read(item).as_int()).sum()
    }

    fn given(&self, bound: &Bound, wanted: &str) -> Option<Value> {
        bound.iter().find(|(name, _)| name.as_str() == wanted).map(|(_, value)| self.read(value))
    }
}

/// The class that losses leave out where nothing else is said.
const IGNORED: i64 = -100;

fn article(noun: &str) -> &'static str {
    if noun.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" }
}
