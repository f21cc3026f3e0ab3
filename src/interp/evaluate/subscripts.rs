//! Evaluates subscripts: reading, writing and deleting items.

use std::rc::Rc;

use crate::api::call_api::Bound;
use crate::budget::costly_calls::EntryKind;
use crate::calls::call::CallArguments;
use crate::evaluate::item_assignment::names_one_key;
use crate::evaluate::sequence_items::{index_text, lies_outside, takes_slice};
use crate::heap::dict_key_index::{is_constant_key, may_be_constant};
use crate::heap::objects::DictData;
use crate::judge::misused_values::Use;
use crate::paths::predicates::IS_NONE;
use crate::state::interpreter::{Eval, Interpreter};
use crate::unknown::escaped_objects::CHANGED;
use crate::values::value::{Iteration, LibraryMethod, ObjectId, OperationId, Tensor, Value};
use harp_annotations::ApiSpec;
use harp_corpus::Span;
use harp_python::ir::{Expr, ExprKind};
use harp_python::name::{Name, name};
use harp_shape::{DType, Dim, Shape};

/// A dictionary with this many entries gets no more for keys that are not known: registries would grow with every access.
const OPEN_KEYS: usize = 64;
/// Where a dictionary that makes its entries itself notes when it made the last one under a key that is not known.
const LAST_ENTRY: &str = "#last-entry";
/// More entries are not told from each other by the number under which one stands.
const MOST_ENTRIES: usize = 64;

impl Interpreter<'_> {
    /// Some readers of files give arrays of at most two dimensions: a table with records, of which rows and columns are taken, has two.
    fn note_table(&mut self, tensor: &Tensor, index: &Value) {
        let is_table = tensor.name.is_some_and(|name| self.models.most_axes(name.as_str()) == Some(2));
        let has_records = is_table && self.solver.resolve_shape(&tensor.shape).minimum_rank() == 1;
        if let (true, Value::Tuple(parts)) = (has_records, index)
            && parts.len() == 2
            && parts.iter().all(|part| matches!(part, Value::Int(_) | Value::Slice(_)))
        {
            let sizes = self.solver.with_rank(&tensor.shape, 2);
            if let Some(&[rows, columns]) = sizes.as_deref() {
                self.name_dim(rows, name!("rows"));
                self.name_dim(columns, name!("columns"));
            }
        }
    }

    /// The value of an index expression, in which slices may stand.
    pub fn evaluate_index(&mut self, index: &Expr) -> Eval {
        match &index.kind {
            ExprKind::Slice { lower, upper, step } => {
                let mut bounds = [Value::None, Value::None, Value::None];
                for (bound, part) in bounds.iter_mut().zip([lower, upper, step]) {
                    if let Some(part) = part {
                        let value = self.evaluate(part)?;
                        let own = match &value {
                            Value::Instance(_) => self.ask(&value, "__index__", self.span(part.range))?,
                            _ => None,
                        };
                        *bound = own.unwrap_or(value);
                    }
                }
                self.slice_within(bounds)
            }
            ExprKind::Tuple(items) => {
                let mut values = Vec::with_capacity(items.len());
                let mut is_open = false;
                for item in items {
                    let ExprKind::Starred(inner) = &item.kind else {
                        values.push(self.evaluate_index(item)?);
                        continue;
                    };
                    let several = self.evaluate(inner)?;
                    match self.iterate(&several)? {
                        Iteration::Items(more) => values.extend(more),
                        _ => is_open = true,
                    }
                }
                Ok(if is_open { Value::Unknown("an index of unknown length") } else { Value::tuple(values) })
            }
            _ => self.evaluate(index),
        }
    }

    /// A slice; in scripts one for each of what its bounds may be.
    fn slice_within(&mut self, bounds: [Value; 3]) -> Eval {
        let is_open = |bound: &Value| matches!(self.read(bound), Value::Alternatives(_));
        let is_script = self.entry.kind != EntryKind::Symbolic && self.inference.is_none();
        if !is_script || !bounds.iter().any(is_open) {
            return Ok(Value::Slice(Rc::new(bounds)));
        }
        let [lower, upper, step] = bounds;
        self.for_each_alternative(&lower, |this, lower| {
            this.for_each_alternative(&upper, |_, upper| {
                Ok(Value::Slice(Rc::new([lower.clone(), upper, step.clone()])))
            })
        })
    }

    pub fn get_item(&mut self, object: &Value, index: &Value, span: Span) -> Eval {
        let sought = index;
        let (object, index) = (&*self.plain_text(object), &*self.plain_text(index));
        let number = match (self.read(object), self.read(index)) {
            (Value::List(_) | Value::Tuple(_) | Value::Range(_) | Value::Str(_), own @ Value::Instance(_)) => {
                self.ask(&own, "__index__", span)?.or_else(|| self.plain_of(&own))
            }
            (Value::Dict(id), own @ Value::Set(_)) => Some(self.key_in(id, &own)),
            (Value::Dict(id), own) if self.hooks.holds && !matches!(own, Value::Alternatives(_)) => {
                Some(self.key_in(id, &own))
            }
            _ => None,
        };
        let index = number.as_ref().unwrap_or(index);
        self.for_each_alternative(object, |this, object| {
            this.for_each_alternative(index, |this, index| {
                this.within(span, |this| match &object {
                    Value::Dict(id) if let Some(entry) = this.entry_by_text(*id, sought, span) => Ok(entry),
                    _ => this.item_of(&object, &index, span),
                })
            })
        })
    }

    /// The entry of a table that stands under a text of which nothing is known but which one it is.
    fn entry_by_text(&mut self, id: ObjectId, key: &Value, span: Span) -> Option<Value> {
        if !matches!(key, Value::Symbolic(text) if self.is_some_text(*text)) {
            return None;
        }
        let data = self.heap.dict(id).filter(|data| data.rest.is_none() && !data.entries.is_empty()).cloned()?;
        let is_plain = self.own_method_of_dict(id, "__getitem__").is_none()
            && self.heap.attribute(id, name!("default_factory")).is_none()
            && !self.may_be_changed(&Value::Dict(id));
        let is_table = self.owner_of_attributes(id).is_some() || self.is_told_apart(&data.entries[0].1);
        (is_plain && is_table).then(|| self.entry_of_open_key(id, &data, key, span))
    }

    /// Whether an index is a text, or a path of several with texts among them, as mappings of mappings take it.
    pub(crate) fn names_an_item(&self, index: &Value) -> bool {
        match self.read(index) {
            Value::Str(_) => true,
            Value::Tuple(items) => items.iter().any(|item| self.names_an_item(item)),
            _ => false,
        }
    }

    fn item_of(&mut self, object: &Value, index: &Value, span: Span) -> Eval {
        if self.may_be_changed(object) {
            return Ok(Value::Unknown(CHANGED));
        }
        match object {
            Value::None
            | Value::Int(_)
            | Value::Float(_)
            | Value::Bool(_)
            | Value::Function(_)
            | Value::BoundMethod(_)
            | Value::LibraryMethod(_)
            | Value::Instance(_)
                if self.use_misfits(object, Use::Item, span) =>
            {
                Ok(self.symbolic(self.source_text(span), span, true))
            }
            Value::Tuple(_) | Value::List(_) if self.index_misfits(object, index, span) => {
                Ok(self.symbolic(self.source_text(span), span, true))
            }
            // No tensor has items by name: what is known of the object is a wrong guess.
            Value::Tensor(_) if self.names_an_item(index) => Ok(self.symbolic(self.source_text(span), span, true)),
            Value::Tensor(tensor) if self.may_be_an_object(tensor) => {
                Ok(self.symbolic(self.source_text(span), span, true))
            }
            Value::Tensor(tensor) => {
                self.note_table(tensor, index);
                self.check_numbers_of_index(tensor, index, span);
                self.refuse_traced_index(object, index, span);
                let items = subscript_items(&self.read(index));
                let mut arguments = CallArguments::positional(vec![object.clone(), items], span);
                arguments.positional_spans = vec![None, None];
                let class = self.class_of(object);
                let Value::Library(class) = class else { return Ok(Value::Unknown("item")) };
                let result = self.call_special_method(class, name!("__getitem__"), arguments)?;
                Ok(self.with_known_count(result, index))
            }
            Value::Tuple(items) => {
                let items = Rc::clone(items);
                if index.as_int().is_some_and(|index| lies_outside(index, items.len())) {
                    self.raise_if_caught("IndexError", "tuple index out of range", span)?;
                    self.size_lacks(&items, index, span);
                }
                let item = self.item_of_sequence(&items, None, index, true, span);
                if matches!(index, Value::Slice(_)) && self.is_size(&items) == Some(true) {
                    self.note_size(&item);
                }
                Ok(item)
            }
            Value::List(id) => match self.heap.list(*id).cloned() {
                Some(data) => {
                    let length = data.items.len();
                    if data.rest.is_none() && index.as_int().is_some_and(|index| lies_outside(index, length)) {
                        let message = "list index out of range";
                        self.raise_if_caught("IndexError", message, span)?;
                        if self.models.is_list_of_user(self, &data) {
                            return Err(self.raise("IndexError", message, span));
                        }
                        self.number_is_missing(*id, &data, index, span);
                    }
                    let item = self.item_of_sequence(&data.items, data.rest.as_ref(), index, false, span);
                    self.note_item_of_several(*id, &item);
                    if data.rest.is_some()
                        && let Value::Slice(bounds) = index
                    {
                        self.note_length_of_slice(*id, bounds, &item);
                    }
                    Ok(item)
                }
                None => Ok(Value::Unknown("item")),
            },
            Value::Size(shape) => {
                let shape = shape.clone();
                Ok(self.item_of_size(&shape, index, span))
            }
            Value::Library(name) if let Some(item) = self.models.item_of_name(self, *name, index, span) => item,
            Value::Dict(id) if let Some(method) = self.own_method_of_dict(*id, "__getitem__") => {
                self.call(&method, CallArguments::positional(vec![index.clone()], span))
            }
            Value::Dict(id) => {
                let known = self.equal_key(*id, index, span)?;
                let index = known.as_ref().unwrap_or(index);
                self.note_sought_key(*id, index, span);
                if self.lacks_key(*id, index) {
                    if let Some(method) = self.own_method_of_dict(*id, "__missing__") {
                        return self.call(&method, CallArguments::positional(vec![index.clone()], span));
                    }
                    if self.heap.attribute(*id, name!("default_factory")).is_none() {
                        self.raise_if_caught("KeyError", index.as_text().unwrap_or_default(), span)?;
                        self.key_misfits(*id, index, span);
                    }
                }
                Ok(self.item_of_dict(*id, index, span))
            }
            Value::Str(Some(text)) => {
                if index.as_int().is_some_and(|index| lies_outside(index, text.chars().count())) {
                    self.raise_if_caught("IndexError", "string index out of range", span)?;
                }
                Ok(index_text(text, index))
            }
            Value::Str(None) => Ok(Value::Str(None)),
            Value::Range(bounds)
                if let Value::Slice(part) = index
                    && let Some(part) = self.known_part_of_range(**bounds, part) =>
            {
                Ok(part)
            }
            Value::Range(_) if let Some(items) = self.small_range(object, index) => {
                self.get_item(&Value::tuple(items), index, span)
            }
            Value::Range(bounds) if let Value::Slice(part) = index => {
                let part = self.part_of_range(**bounds, part);
                Ok(part.unwrap_or_else(|| self.symbolic(self.source_text(span), span, true)))
            }
            Value::Range(bounds) => match index.as_dim() {
                Some(index) if index.as_const().is_some_and(|index| index >= 0) => {
                    Ok(Value::Int(bounds[0] + index * bounds[2]))
                }
                _ if bounds[2].as_const().is_some_and(|step| step > 0) => {
                    Ok(self.counter(bounds[0], bounds[2], Some(bounds[1])))
                }
                _ => Ok(self.any_integer("i")),
            },
            Value::Instance(id) => self.item_of_instance(*id, index, span),
            Value::Symbolic(id) => self.item_of_symbolic(*id, index, span),
            Value::Library(name) if name.as_str() == "sys.modules" => {
                let module = index.as_text().and_then(|module| self.imported_module(module));
                Ok(module.unwrap_or_else(|| self.symbolic(self.source_text(span), span, true)))
            }
            // `Order["FIRST"]`
            Value::Class(id) if index.as_text().is_some() && self.is_enumeration(object) => {
                let wanted = index.as_text().unwrap_or_default();
                let found = self.named_members(*id).into_iter().find(|(name, _)| name.as_str() == wanted);
                if found.is_none() {
                    self.raise_if_caught("KeyError", wanted, span)?;
                }
                Ok(found.map_or_else(|| self.symbolic(self.source_text(span), span, true), |(_, member)| member))
            }
            Value::Class(id) if let Some(method) = self.method_of_metaclass(*id, "__getitem__") => {
                self.call(&method, CallArguments::positional(vec![object.clone(), index.clone()], span))
            }
            Value::Class(id) if let Some(method) = self.member_of(object, name!("__class_getitem__"), None) => {
                let arguments = CallArguments::positional(vec![Value::Class(*id), index.clone()], span);
                self.call(&method, arguments)
            }
            Value::Library(_) if let Some(written) = self.evaluated_type(object, index, span) => Ok(written),
            // `list[int]` and the like in annotations.
            Value::Library(_) | Value::Class(_) => Ok(object.clone()),
            _ => Ok(self.symbolic(self.source_text(span), span, true)),
        }
    }

    /// A slice of a range of known numbers, which is a range again.
    fn known_part_of_range(&self, bounds: [Dim; 3], part: &[Value; 3]) -> Option<Value> {
        let [start, stop, step] = bounds.map(|bound| self.solver.resolve(bound).as_const());
        let (start, stop, step) = (i128::from(start?), i128::from(stop?), i128::from(step?));
        if step == 0 {
            return None;
        }
        let distance = if step > 0 { stop - start } else { start - stop };
        let count = if distance > 0 { (distance - 1) / step.abs() + 1 } else { 0 };
        let [first, last, stride] = self.slice_indices(part, count)?;
        let number = |place: i128| i64::try_from(start + place * step).ok().map(Dim::constant);
        let step = i64::try_from(step * stride).ok().map(Dim::constant)?;
        Some(Value::Range(Rc::new([number(first)?, number(last)?, step])))
    }

    /// A slice of a range whose ends are not known: what is left of it from a place on or up to one, and the range backwards.
    fn part_of_range(&self, [start, stop, step]: [Dim; 3], part: &[Value; 3]) -> Option<Value> {
        let [lower, upper, stride] = part.each_ref().map(|bound| self.read(bound));
        let is_plain = stride.is_none() || stride.as_int() == Some(1);
        let bounds = match (lower.as_int(), upper.as_int(), stride.as_int()) {
            (None, None, _) if is_plain && lower.is_none() && upper.is_none() => [start, stop, step],
            (None, None, Some(-1)) if step == Dim::ONE && lower.is_none() && upper.is_none() => {
                [stop - Dim::ONE, start - Dim::ONE, Dim::constant(-1)]
            }
            (Some(from), None, _) if is_plain && from >= 0 && step == Dim::ONE && upper.is_none() => {
                [start + Dim::constant(from), stop, step]
            }
            (None, Some(to), _) if is_plain && to < 0 && step == Dim::ONE && lower.is_none() => {
                [start, stop + Dim::constant(to), step]
            }
            _ => return None,
        };
        Some(Value::Range(Rc::new(bounds)))
    }

    /// Whether what is taken for a single number of an array may be anything else: arrays of objects and of texts have other elements.
    pub(crate) fn may_be_an_object(&self, tensor: &Tensor) -> bool {
        tensor.kind.known_rules().is_some_and(|rules| rules.holds_objects)
            && tensor.dtype == DType::Unknown
            && self.solver.resolve_shape(&tensor.shape).rank() == Some(0)
    }

    /// What a mask selects, with the count of what it selected before: one mask selects as much of every tensor.
    fn with_known_count(&mut self, result: Value, index: &Value) -> Value {
        let items: Rc<[Value]> = match index {
            Value::Tuple(items) => Rc::clone(items),
            item => Rc::from([item.clone()]),
        };
        let mask_of = |item: &Value| match item {
            Value::Tensor(tensor) if tensor.dtype == DType::Bool && tensor.operation != OperationId::NONE => {
                Some(tensor.operation)
            }
            _ => None,
        };
        let Some(place) = items.iter().position(|item| !matches!(item, Value::Slice(_))) else { return result };
        let Some(mask) = mask_of(&items[place]) else { return result };
        let Value::Tensor(tensor) = &result else { return result };
        let is_alone = items[place + 1..].iter().all(|item| matches!(item, Value::Slice(_)));
        let Some(mut dims) = self.solver.resolve_shape(&tensor.shape).dims().filter(|_| is_alone) else {
            return result;
        };
        let Some(count) = dims.get_mut(place).filter(|count| count.as_const().is_none()) else { return result };
        let known = *self.model_state.mask_counts.get_or_insert_with(mask, || *count);
        if *count == known {
            return result;
        }
        *count = known;
        Value::Tensor(Rc::new(Tensor { shape: Shape::known(dims), ..Tensor::clone(tensor) }))
    }

    /// Forgets how much masks select where an operation writes what may be one, or a view of one.
    pub(crate) fn forget_written_masks(&mut self, spec: &ApiSpec, bound: &Bound) {
        if self.model_state.mask_counts.holds_nothing() {
            return;
        }
        let may_be_mask = |value: &Value| match self.read(value) {
            Value::Tensor(tensor) => matches!(tensor.dtype, DType::Bool | DType::Unknown),
            value => value.is_unknown(),
        };
        let is_written = |name: &Name| name.as_str() == "out" || spec.effects.writes(name.as_str());
        if bound.iter().any(|(name, value)| is_written(name) && may_be_mask(value)) {
            self.model_state.mask_counts.remove_all();
        }
    }

    /// Whether a tensor is a single integer, as far as is known.
    pub(crate) fn is_index(&self, tensor: &Tensor) -> bool {
        let dims = self.solver.resolve_shape(&tensor.shape).dims();
        dims.is_some_and(|dims| dims.iter().all(|dim| dim.as_const() == Some(1)))
            && matches!(tensor.dtype, DType::Int64 | DType::Int32 | DType::Unknown)
    }

    /// Whether a dictionary certainly has no such key.
    /// Notes the keys of a dictionary in which the value of an option is looked for: it may be given each of them.
    pub(crate) fn note_sought_key(&mut self, id: ObjectId, key: &Value, span: Span) {
        if !self.entry.defaults.others.may_be_option(key) {
            return;
        }
        let Some(data) = self.heap.dict(id) else { return };
        let keys: Vec<Value> = data.entries.iter().map(|(known, _)| known.clone()).filter(|it| !it.same(key)).collect();
        self.note_sought_texts(key, &keys, span);
    }

    pub(crate) fn lacks_key(&self, id: ObjectId, key: &Value) -> bool {
        let Some(data) = self.heap.dict(id) else { return false };
        is_constant_key(key)
            && data.rest.is_none()
            && !self.is_filled_by_callers(id)
            && data.find(key).is_none()
            && !data.entries.iter().any(|(key, _)| may_be_constant(key))
    }

    pub fn item_of_dict(&mut self, id: ObjectId, key: &Value, span: Span) -> Value {
        let Some(data) = self.heap.dict(id).cloned() else { return Value::Unknown("item") };
        if let Some((_, value)) = data.find(key) {
            return self.read(value);
        }
        if let Some(value) = self.entry_of_setting(&data, key) {
            return value;
        }
        if let Some((_, value)) = &data.rest {
            // What stands under one key of many tells nothing of what stands under another.
            let is_known_key = matches!(key, Value::Str(Some(_)));
            if value.is_unknown() || is_known_key {
                return self.symbolic(self.source_text(span), span, true);
            }
            return self.another(value);
        }
        let is_constant = is_constant_key(key);
        let factory = name!("default_factory");
        // A number that came up after the last entry was made is likely one of the keys: the loop that fills the dictionary has its own.
        let is_known = !is_constant && self.is_newer_than_entries(id, key);
        if let Some(factory) = self.heap.attribute(id, factory).cloned().filter(|_| !is_known) {
            let value = self.call(&factory, CallArguments::empty(span)).unwrap_or(Value::Unknown("default"));
            let stored = value.clone();
            let key = self.read(key);
            if !names_one_key(&key) {
                self.heap.change_dict(id, |data| data.rest = Some((key, stored)));
            } else if is_constant || data.entries.len() < OPEN_KEYS {
                self.heap.push_entry(id, key, stored);
                if !is_constant {
                    let now = Value::Int(self.free_dim("entry", 0));
                    self.heap.set_attribute(id, Name::new(LAST_ENTRY), now);
                }
            }
            return value;
        }
        if !is_constant && !data.entries.is_empty() {
            return self.entry_of_open_key(id, &data, key, span);
        }
        self.symbolic(self.source_text(span), span, true)
    }

    /// Which entry it is depends on the run: any of them.
    fn entry_of_open_key(&mut self, id: ObjectId, data: &DictData, key: &Value, span: Span) -> Value {
        let values: Vec<Value> = data.entries.iter().map(|(_, value)| value.clone()).collect();
        self.forget_what_is_not_set(&values, span);
        let joined = self.entry_of_number(id, key, values);
        if joined.is_unknown()
            && self.owner_of_attributes(id).is_some()
            && let Some(member) = self.member_of_names(&data.entries, key, span)
        {
            return member;
        }
        self.entry_by_key(key, &data.entries, joined, span)
    }

    /// What stands under the number that settings have by default: the defaults hold from here on.
    pub(crate) fn entry_of_setting(&mut self, data: &DictData, key: &Value) -> Option<Value> {
        let Value::Int(number) = self.read(key) else { return None };
        let number = self.solver.resolve(number);
        let default = self.default_of_configured(number).filter(|_| number.as_const().is_none())?;
        let (_, value) = data.find(&Value::int(default)).filter(|_| self.inference.is_none() && data.rest.is_none())?;
        self.settle(number, Dim::constant(default));
        Some(self.read(value))
    }

    /// One of several entries. Of arrays it is the same one as long as the number is the same under which it stands, and the entries are.
    /// Whether a key is a number that is not known and came up after the last entry under such a key was made.
    fn is_newer_than_entries(&self, id: ObjectId, key: &Value) -> bool {
        let Some(Value::Int(last)) = self.heap.attribute(id, Name::new(LAST_ENTRY)) else { return false };
        let Value::Int(number) = self.read(key) else { return false };
        let newest = self.solver.resolve(number).vars().into_iter().max();
        newest.is_some_and(|newest| last.as_var().is_some_and(|last| newest > last))
    }

    fn entry_of_number(&mut self, id: ObjectId, key: &Value, values: Vec<Value>) -> Value {
        let number = match self.read(key) {
            Value::Int(number) => self.solver.resolve(number).as_var(),
            _ => None,
        };
        let are_arrays =
            values.len() <= MOST_ENTRIES && values.iter().all(|value| matches!(self.read(value), Value::Tensor(_)));
        let Some(name) = number.filter(|_| are_arrays).map(|number| Name::new(&format!("#entry {number:?}"))) else {
            return self.widen(&values);
        };
        if let Some(Value::Tuple(known)) = self.heap.attribute(id, name)
            && let Some((entry, from)) = known.split_first()
            && from.len() == values.len()
            && from.iter().zip(&values).all(|(from, value)| from.same(value))
        {
            return entry.clone();
        }
        let entry = self.widen(&values);
        let kept = std::iter::once(entry.clone()).chain(values).collect();
        self.heap.set_attribute(id, name, Value::tuple(kept));
        entry
    }

    fn item_of_instance(&mut self, id: ObjectId, index: &Value, span: Span) -> Eval {
        let instance = Value::Instance(id);
        if let Some(method @ Value::Function(_)) = self.class_attribute(&instance, name!("__getitem__")) {
            let bound = self.bind_method(&instance, method);
            let before = self.trace.operations.len();
            let item = self.call(&bound, CallArguments::positional(vec![index.clone()], span));
            self.note_running_access(before, span);
            return item;
        }
        if let Some(held) = self.plain_of(&instance) {
            return self.get_item(&held, index, span);
        }
        let class = self.class_of(&instance);
        let bases = self.library_bases(&class, None);
        for base in &bases {
            if let Some(handler) = self.method_handler(self.qualified(*base, name!("__getitem__"))) {
                return handler(self, &instance, CallArguments::positional(vec![index.clone()], span));
            }
        }
        for base in &bases {
            if self.annotated_method(*base, name!("__getitem__")).is_some() {
                let api = self.qualified(*base, name!("__getitem__"));
                let method = LibraryMethod { receiver: instance, api };
                return self.call_library_method(&method, CallArguments::positional(vec![index.clone()], span));
            }
        }
        if let Some(name) = index.as_text()
            && let Some(value) = self.heap.attribute(id, Name::new(name)).cloned()
        {
            return Ok(self.read(&value));
        }
        let what = bases.first().map_or_else(|| "item of an object".to_owned(), |base| format!("{base}.__getitem__"));
        self.not_understood(&what, span);
        Ok(self.symbolic(self.source_text(span), span, true))
    }

    /// Forgets the item of an unknown object that the program replaces, but by itself.
    pub(crate) fn forget_items_of_symbolic(&mut self, id: ObjectId, index: &Value, value: &Value) {
        let is_another =
            |(name, known): &(Name, &Value)| name.as_str().starts_with('[') && !self.read(known).same(value);
        let attributes = self.heap.object(id).attributes.iter();
        let items: Vec<Name> = attributes.filter(is_another).map(|(name, _)| name).collect();
        let replaced = name_of_item(&self.read(index));
        for name in items.into_iter().filter(|name| replaced.is_none_or(|replaced| replaced == *name)) {
            self.heap.delete_attribute(id, name);
        }
    }

    fn item_of_symbolic(&mut self, id: ObjectId, index: &Value, span: Span) -> Eval {
        // Reading an item twice gives the same object, where the index is a constant.
        let key = name_of_item(index);
        if let Some(known) = key.and_then(|key| self.heap.attribute(id, key)) {
            let known = known.clone();
            return Ok(self.read(&known));
        }
        let description = match (self.heap.symbolic(id), key) {
            (Some(data), Some(key)) => format!("{}{}", data.description, key),
            _ => self.source_text(span).to_owned(),
        };
        let value = self.part_of_symbolic(id, &description, span);
        self.note_kind_of_part(id, index, &value);
        if let (true, Value::Symbolic(part)) = (takes_slice(index), &value) {
            // What is sliced is never `None`.
            self.heap.set_attribute(*part, Name::new(IS_NONE), Value::Bool(false));
        }
        if let Some(key) = key {
            self.heap.set_attribute(id, key, value.clone());
        }
        Ok(value)
    }
}

/// Where an unknown object keeps its item of a constant index.
fn name_of_item(index: &Value) -> Option<Name> {
    match index {
        Value::Int(dim) if dim.as_const().is_some() => Some(Name::new(&format!("[{dim}]"))),
        Value::Str(Some(text)) => Some(Name::new(&format!("[{text:?}]"))),
        _ => None,
    }
}

/// The items of a tensor's subscript: a tuple has several, while a list is one, an array of indices.
pub(crate) fn subscript_items(index: &Value) -> Value {
    match index {
        Value::Tuple(_) => index.clone(),
        single => Value::tuple(vec![single.clone()]),
    }
}
