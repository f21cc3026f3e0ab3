//! Items of `torch.nn.Sequential` and its like, written and deleted by their place: `classifier[-1] = nn.Linear(512,
//! 10)`, `del features[-1]`.

use crate::methods::*;
use crate::torch::nn::module::{REST, is_container};
use harp_corpus::Span;
use harp_interp::api::library_model::MethodHandler;
use harp_interp::builtins::attribute_tests::has_attribute;
use harp_interp::calls::call::CallArguments;
use harp_interp::state::interpreter::{Eval, Interpreter};
use harp_interp::values::value::{ObjectId, Value};
use harp_python::ir::BinaryOperator;
use harp_python::name::Name;

/// A sequence of modules is repeated so often at most.
const MOST_COPIES: i64 = 64;

pub fn method(name: &str) -> Option<MethodHandler> {
    (name == "pop").then_some(pop as MethodHandler)
}

#[easy_ext::ext(ContainerItemsMethods)]
pub impl Interpreter<'_> {
    fn is_container_of_modules(&self, id: ObjectId) -> bool {
        let class = self.class_of(&Value::Instance(id));
        self.library_bases(&class, None).iter().any(|base| is_container(base.as_str()))
    }

    /// `modules + others`, and `modules * 2` of a sequence: a new container of the same kind.
    fn joined_modules(
        &mut self,
        operator: BinaryOperator,
        left: &Value,
        right: &Value,
        span: Span,
    ) -> Eval<Option<Value>> {
        let Value::Instance(one) = left else { return Ok(None) };
        let kinds = ["torch.nn.Sequential", "torch.nn.ModuleList"];
        let Some(kind) = kinds.into_iter().find(|kind| self.is_instance_of(left, kind)) else { return Ok(None) };
        let is_open = |this: &Self, id: &ObjectId| this.heap.attribute(*id, Name::new(REST)).is_some();
        let mut items: Vec<Value> = self.children(*one).into_iter().map(|(_, value)| value).collect();
        match (operator, right) {
            (BinaryOperator::Add, Value::Instance(other)) if !is_open(self, one) && !is_open(self, other) => {
                if !self.is_container_of_modules(*other) {
                    return Ok(None);
                }
                items.extend(self.children(*other).into_iter().map(|(_, value)| value));
            }
            (BinaryOperator::Multiply, Value::Int(count)) if !is_open(self, one) => {
                let Some(count @ 1..=MOST_COPIES) = count.as_const() else { return Ok(None) };
                let times = usize::try_from(count).unwrap_or(1);
                items = std::iter::repeat_n(items, times).flatten().collect();
            }
            _ => return Ok(None),
        }
        let given = if kind == kinds[0] { items } else { vec![Value::List(self.heap.allocate_list(items))] };
        self.call_library(Name::new(kind), CallArguments::positional(given, span)).map(Some)
    }

    /// Writes an item of an object that has no `__setitem__` of the program's: a module in its place.
    fn set_item_of_instance(&mut self, id: ObjectId, index: &Value, value: Value, span: Span) {
        match self.read(index) {
            Value::Str(Some(name)) => self.heap.set_attribute(id, Name::new(&name), value),
            Value::Int(dim) if self.is_container_of_modules(id) => {
                let children = self.children(id);
                let place = self.solver.resolve(dim).as_const().map(|place| placed(place, children.len()));
                match place {
                    Some(Some(place)) => self.heap.set_attribute(id, children[place].0, value),
                    // One of those behind.
                    Some(None) if self.heap.attribute(id, Name::new(REST)).is_some() => {
                        let rest = self.symbolic("module", span, true);
                        self.heap.set_attribute(id, Name::new(REST), rest);
                    }
                    Some(None) => {}
                    // Any of them may be the one.
                    None => {
                        for (name, before) in children {
                            let either = self.widen(&[before, value.clone()]);
                            self.heap.set_attribute(id, name, either);
                        }
                    }
                }
            }
            Value::Int(dim) => self.heap.set_attribute(id, Name::new(&dim.to_string()), value),
            _ => {}
        }
    }

    /// `del modules[index]`: those behind move up.
    fn delete_item_of_instance(&mut self, id: ObjectId, index: &Value, span: Span) -> Eval<()> {
        if self.is_container_of_modules(id) {
            self.without_item(id, index, span)?;
        }
        Ok(())
    }

    /// Takes an item out of a container, and gives it where it is known.
    fn without_item(&mut self, id: ObjectId, index: &Value, span: Span) -> Eval<Option<Value>> {
        let children = self.children(id);
        let index = self.read(index);
        if let Value::Str(Some(name)) = &index {
            let name = Name::new(name.as_ref());
            let taken = children.into_iter().find(|(known, _)| *known == name).map(|(_, value)| value);
            self.heap.delete_attribute(id, name);
            return Ok(taken);
        }
        let items: Vec<Value> = children.iter().map(|(_, value)| value.clone()).collect();
        let places = match &index {
            Value::Slice(_) => {
                let places = (0..items.len()).map(|place| Value::int(place as i64)).collect();
                let gone = self.get_item(&Value::tuple(places), &index, span)?;
                match gone {
                    Value::Tuple(gone) => gone.iter().map(Value::as_int).collect::<Option<Vec<i64>>>(),
                    _ => None,
                }
            }
            index => index.as_int().map(|place| vec![place]),
        };
        let is_open = self.heap.attribute(id, Name::new(REST)).is_some();
        let Some(places) = places.filter(|_| !is_open) else {
            // How many there are is no longer known.
            let rest = self.symbolic("module", span, true);
            self.heap.set_attribute(id, Name::new(REST), rest);
            return Ok(None);
        };
        let gone: Vec<usize> = places.into_iter().filter_map(|place| placed(place, items.len())).collect();
        let taken = gone.first().map(|&place| items[place].clone());
        let is_numbered = children.iter().enumerate().all(|(place, (name, _))| name.as_str() == place.to_string());
        for (name, _) in &children {
            self.heap.delete_attribute(id, *name);
        }
        let kept = children.into_iter().enumerate().filter(|(place, _)| !gone.contains(place)).map(|(_, child)| child);
        for (place, (name, item)) in kept.enumerate() {
            let name = if is_numbered { Name::new(&place.to_string()) } else { name };
            self.heap.set_attribute(id, name, item);
        }
        Ok(taken)
    }
}

fn placed(place: i64, count: usize) -> Option<usize> {
    let count = i64::try_from(count).ok()?;
    let place = if place < 0 { place + count } else { place };
    usize::try_from(place).ok().filter(|_| place < count)
}

/// `modules.pop(index)`.
fn pop(interpreter: &mut Interpreter<'_>, module: &Value, arguments: CallArguments) -> Eval {
    let Value::Instance(id) = module else { return Ok(Value::Unknown("module")) };
    let index = arguments.positional.first().cloned().unwrap_or(Value::int(-1));
    let taken = interpreter.without_item(*id, &index, arguments.span)?;
    Ok(taken.unwrap_or_else(|| interpreter.symbolic("module", arguments.span, true)))
}

/// `super().__getattr__(name)`: what a module keeps as a parameter, a buffer or a module.
pub(crate) fn member_of_parts(interpreter: &mut Interpreter<'_>, module: &Value, arguments: CallArguments) -> Eval {
    let (Value::Instance(id), Some(name)) = (module, arguments.get(0, "name").and_then(Value::as_text)) else {
        return Ok(interpreter.symbolic("member of a module", arguments.span, true));
    };
    let name = Name::new(name);
    if let Some(known) = interpreter.heap.attribute(*id, name).cloned() {
        return Ok(interpreter.read(&known));
    }
    if has_attribute(interpreter, module, name) == Some(false) {
        interpreter.raise_if_caught("AttributeError", name.as_str(), arguments.span)?;
    }
    let class = interpreter.class_of(module);
    let bases = interpreter.library_bases(&class, None);
    Ok(interpreter.library_member(module, &bases, name, arguments.span))
}
