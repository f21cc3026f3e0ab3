//! What annotations say of sizes, where the program is executed: they say what values are of which nothing else is known, and where they say
//! something else than is known, the annotation is wrong.
//!
//! Names of sizes are those of one call of the function whose annotations they stand in; a class may have names of its own, which its methods
//! do not share here: the layers that an instance is made of tell the same.

pub mod check_known_shape;
pub mod notation;
pub mod shapes_stated_in_comments;

use std::rc::Rc;
use std::sync::Arc;

pub use notation::{Annotated, Hint, Part, hint, tuple_parts};

use crate::state::interpreter::{Eval, Interpreter, Speculation};
use crate::values::value::{Device, OperationId, Tensor, TensorKind, Value};
use harp_corpus::{FileId, Span};
use harp_python::ir::{Argument, ArgumentKind, Call, Expr, ExprKind, Function, ParameterKind, StmtKind};
use harp_python::name::Name;
use harp_python::{ImportTarget, ModuleId};
use harp_shape::notation::PatternDim;
use harp_shape::{DType, Dim, Element, Shape};
use harp_trace::assumption::{AssumptionKind, AssumptionSet, words};

/// An alias is looked for through so many imports.
const LONGEST_WAY: usize = 3;

/// What the annotations of a function say of sizes.
#[derive(Debug, Default)]
pub struct FunctionHints {
    parameters: Vec<(Name, Annotated, Span)>,
    result: Option<(Annotated, Span)>,
}

/// Where an annotation stands, and of what it speaks.
#[derive(Clone, Copy)]
struct Said<'a> {
    subject: &'a str,
    place: Span,
}

impl Interpreter<'_> {
    /// Takes what the annotations of the parameters say, when a function begins.
    pub(super) fn take_parameter_hints(&mut self, function: &Arc<Function>) {
        let Some(hints) = self.function_hints(function) else { return };
        let Some(locals) = self.frames.last().map(|frame| frame.locals) else { return };
        for (name, annotated, place) in &hints.parameters {
            let Some(value) = self.heap.attribute(locals, *name).cloned() else { continue };
            let said = Said { subject: name.as_str(), place: *place };
            if let Some(value) = self.as_annotated(&value, annotated, said) {
                self.heap.set_attribute(locals, *name, value);
            }
        }
    }

    /// The result of the running function, as its annotation says.
    pub(super) fn take_result_hint(&mut self, function: &Arc<Function>, result: Value) -> Value {
        let Some(hints) = self.function_hints(function) else { return result };
        let Some((annotated, place)) = &hints.result else { return result };
        let subject = format!("the result of {}", function.name);
        self.as_annotated(&result, annotated, Said { subject: &subject, place: *place }).unwrap_or(result)
    }

    /// A value that is said to be of a type: by `x: T = value`, `cast(T, value)` or `assert_type(value, T)`.
    pub(super) fn take_hint(&mut self, annotation: &Expr, subject: &Expr, value: Value) -> Value {
        if self.inference.is_some() {
            return value;
        }
        let Some(annotated) = self.annotated(annotation, self.file()) else { return value };
        let place = self.span(annotation.range);
        let text = self.source_text(self.span(subject.range));
        let subject: String = text.chars().take(60).collect();
        self.as_annotated(&value, &annotated, Said { subject: &subject, place }).unwrap_or(value)
    }

    /// `cast(T, value)` and `assert_type(value, T)`, which give their value back.
    pub(super) fn evaluate_hinted(&mut self, callee: &Value, call: &Call) -> Option<Eval> {
        let Value::Library(name) = callee else { return None };
        let [first, second] = call.arguments.as_slice() else { return None };
        let is_plain = |argument: &Argument| argument.kind == ArgumentKind::Positional;
        let (annotation, value) = match name.as_str() {
            "typing.cast" | "typing_extensions.cast" => (&first.value, &second.value),
            "typing.assert_type" | "typing_extensions.assert_type" => (&second.value, &first.value),
            _ => return None,
        };
        if !(is_plain(first) && is_plain(second)) {
            return None;
        }
        Some(self.evaluate(value).map(|known| self.take_hint(annotation, value, known)))
    }

    fn function_hints(&mut self, function: &Arc<Function>) -> Option<Rc<FunctionHints>> {
        if self.inference.is_some() {
            return None;
        }
        let key = (function.file, function.range.start);
        if let Some(known) = self.caches.hints.get(&key) {
            return known.clone();
        }
        let mut hints = FunctionHints::default();
        for parameter in &function.parameters {
            let is_one = !matches!(parameter.kind, ParameterKind::Variadic | ParameterKind::VariadicKeyword);
            if let Some(annotation) = parameter.annotation.as_ref().filter(|_| is_one)
                && let Some(annotated) = self.annotated(annotation, function.file)
            {
                hints.parameters.push((parameter.name, annotated, parameter.range.in_file(function.file)));
            }
        }
        // A generator's annotation speaks of what it yields.
        if let Some(annotation) = function.returns.as_ref().filter(|_| !function.is_generator)
            && let Some(annotated) = self.annotated(annotation, function.file)
        {
            hints.result = Some((annotated, annotation.range.in_file(function.file)));
        }
        let found = (!hints.parameters.is_empty() || hints.result.is_some()).then(|| Rc::new(hints));
        self.caches.hints.insert(key, found.clone());
        found
    }

    /// What an annotation says, or the alias that it names.
    fn annotated(&self, annotation: &Expr, file: FileId) -> Option<Annotated> {
        if let ExprKind::Name(name) = &annotation.kind {
            return notation::annotated(self.alias(*name, self.project.module_of_file(file), 0)?);
        }
        notation::annotated(annotation)
    }

    /// `Image = Float[Tensor, "3 h w"]` at the top of a module, or of one that it is imported from.
    fn alias(&self, name: Name, module: ModuleId, depth: usize) -> Option<&Expr> {
        let is_it = |target: &Expr| matches!(&target.kind, ExprKind::Name(known) if *known == name);
        self.project.module(module)?.body.iter().rev().find_map(|statement| match &statement.kind {
            StmtKind::Assign { targets, value } => {
                (targets.iter().any(is_it) && matches!(value.kind, ExprKind::Subscript { .. })).then_some(value)
            }
            StmtKind::AnnotatedAssign { target, value: Some(value), .. } => {
                (is_it(target) && matches!(value.kind, ExprKind::Subscript { .. })).then_some(value)
            }
            StmtKind::ImportFrom(import) if depth < LONGEST_WAY => {
                let imported = import.names.iter().find(|it| it.alias.unwrap_or(it.name) == name)?;
                match self.project.resolve_import_from(module, import.level, import.module) {
                    ImportTarget::Module(from) => self.alias(imported.name, from, depth + 1),
                    _ => None,
                }
            }
            _ => None,
        })
    }

    /// The value with what an annotation says of it; `None` where it stays as it is.
    fn as_annotated(&mut self, value: &Value, annotated: &Annotated, said: Said<'_>) -> Option<Value> {
        if let Value::Alternatives(alternatives) = value {
            // What is known of an alternative is told by the way that led to it.
            let is_open = |value: &Value| matches!(self.read(value), Value::Symbolic(_) | Value::Unknown(_));
            if !alternatives.iter().any(|(_, value)| is_open(value)) {
                return None;
            }
            let alternatives = Rc::clone(alternatives);
            let one = |(guard, value): &(_, Value)| {
                let read = self.read(value);
                let is_open = matches!(read, Value::Symbolic(_) | Value::Unknown(_));
                let value =
                    if is_open { self.as_annotated(&read, annotated, said).unwrap_or(read) } else { value.clone() };
                (Rc::clone(guard), value)
            };
            return Some(Value::Alternatives(Rc::new(alternatives.iter().map(one).collect())));
        }
        match (annotated, self.read(value)) {
            (Annotated::Tensor(hint), Value::Tensor(tensor)) => self.known_as_annotated(&tensor, hint, said),
            (Annotated::Tensor(hint), Value::Symbolic(id)) => {
                let shape = self.shape_of_value(id);
                let tensor = self.new_as_annotated(shape, hint, said)?;
                self.refine(id, Value::Tensor(Rc::clone(&tensor)));
                self.members_of_tensor(id, &tensor);
                Some(Value::Tensor(tensor))
            }
            (Annotated::Tensor(hint), Value::Unknown(_)) => {
                let shape = Shape::unknown("s");
                self.new_as_annotated(shape, hint, said).map(Value::Tensor)
            }
            // `cast(T, ...)` declares a value for the checker alone.
            (Annotated::Tensor(hint), value) if is_placeholder(&value) => {
                let shape = Shape::unknown("s");
                self.new_as_annotated(shape, hint, said).map(Value::Tensor)
            }
            (Annotated::Number(number), value) => self.number_as_annotated(&value, number),
            (Annotated::Tuple(parts), Value::Tuple(items)) if parts.len() == items.len() => {
                let mut items = items.to_vec();
                let mut is_changed = false;
                for (item, part) in items.iter_mut().zip(parts) {
                    let Some(part) = part else { continue };
                    if let Some(changed) = self.as_annotated(item, part, said) {
                        (*item, is_changed) = (changed, true);
                    }
                }
                is_changed.then(|| Value::tuple(items))
            }
            (Annotated::Tuple(parts), Value::Symbolic(_) | Value::Unknown(_)) if parts.iter().all(Option::is_some) => {
                let item = |part: &Annotated| match part {
                    Annotated::Number(_) => Value::Int(self.free_dim("n", 0)),
                    _ => Value::Unknown("a value of which only the annotation tells"),
                };
                let items: Vec<Value> = parts.iter().flatten().map(item).collect();
                let tuple = Value::tuple(items);
                self.as_annotated(&tuple, annotated, said)
            }
            _ => None,
        }
    }

    /// A tensor of which nothing but the annotation tells.
    fn new_as_annotated(&mut self, shape: Shape, hint: &Hint, said: Said<'_>) -> Option<Rc<Tensor>> {
        let assumptions = self.assume_annotated(hint, said)?;
        let annotated = self.shape_of_parts(&hint.parts, &assumptions);
        let shape = if self.make_equal(&shape, &annotated) { shape } else { annotated };
        let tensor = Rc::new(Tensor {
            shape,
            dtype: hint.dtype,
            kind: self.annotated_kind(hint, said.place),
            device: Device::Unknown,
            operation: OperationId::NONE,
            part: 0,
            origin: said.place,
            assumptions,
            name: Some(Name::new(said.subject)),
            elements: None,
        });
        self.executions.is_input(&tensor);
        Some(tensor)
    }

    /// The assumption that a value is what its annotation says; `None` where the user denies it.
    fn assume_annotated(&mut self, hint: &Hint, said: Said<'_>) -> Option<AssumptionSet> {
        let text = words::annotation_shape(said.subject, hint);
        let evidence = "its annotation says so".to_owned();
        match self.speculate(AssumptionKind::Annotation, said.subject, text, evidence, said.place) {
            Speculation::Denied => None,
            granted => granted.granted(),
        }
    }

    /// A number that an annotation names: the name stands for it from now on.
    fn number_as_annotated(&mut self, value: &Value, number: &PatternDim) -> Option<Value> {
        let known = match value {
            Value::Int(dim) => Some(*dim),
            Value::Symbolic(_) | Value::Unknown(_) => None,
            _ => return None,
        };
        if let (Some(known), PatternDim::Name(name)) = (known, number)
            && self.letter(name).is_none()
        {
            self.set_letter(name, known);
            return None;
        }
        let annotated = self.dim_of(number, &AssumptionSet::default())?;
        match (known, value) {
            (None, Value::Symbolic(id)) => {
                self.refine(*id, Value::Int(annotated));
                self.decisions_on_integer(*id, annotated);
                Some(Value::Int(annotated))
            }
            (None, _) => Some(Value::Int(annotated)),
            (Some(_), _) => None,
        }
    }

    /// The shape of an annotation, in which a name stands for the same as in the other annotations of this call.
    fn shape_of_parts(&mut self, parts: &[Part], assumptions: &AssumptionSet) -> Shape {
        let mut elements = Vec::with_capacity(parts.len());
        for part in parts {
            match part {
                Part::Any => elements.push(Element::Dim(self.assumed_dim("d", assumptions))),
                Part::Rest => elements.extend(Shape::unknown("s").elements().iter().cloned()),
                Part::Named(name) => elements.extend(self.named_shape(name).elements().iter().cloned()),
                Part::Dim(dim) => {
                    let dim = self.dim_of(dim, assumptions);
                    let dim = dim.unwrap_or_else(|| self.assumed_dim("d", assumptions));
                    elements.push(Element::Dim(dim));
                }
            }
        }
        Shape::new(elements)
    }

    fn dim_of(&mut self, pattern: &PatternDim, assumptions: &AssumptionSet) -> Option<Dim> {
        Some(match pattern {
            PatternDim::Constant(value) => Dim::constant(*value),
            PatternDim::Name(name) => match self.letter(name) {
                Some(dim) => dim,
                None => {
                    let dim = self.assumed_dim(name, assumptions);
                    self.note_independent(dim);
                    self.set_letter(name, dim);
                    dim
                }
            },
            PatternDim::Negate(inner) => -self.dim_of(inner, assumptions)?,
            PatternDim::Binary(operator, left, right) => {
                let (left, right) = (self.dim_of(left, assumptions)?, self.dim_of(right, assumptions)?);
                operator.apply(left, right)
            }
            _ => return None,
        })
    }

    fn named_shape(&mut self, name: &str) -> Shape {
        if let Some(known) = self.letter_shape(name) {
            return known;
        }
        let shape = Shape::unknown(name);
        self.set_letter_shape(name, shape.clone());
        shape
    }

    /// A size of which findings say that the annotation named it.
    fn assumed_dim(&mut self, name: &str, assumptions: &AssumptionSet) -> Dim {
        let dim = self.free_dim(name, 1);
        if let (Some(variable), Some(id)) = (dim.as_var(), assumptions.iter().next()) {
            self.rests_on(variable, id);
        }
        dim
    }
}

impl Interpreter<'_> {
    /// Whose tensors an annotation speaks of: of a class that no family has, tensors or arrays.
    pub(crate) fn annotated_kind(&self, hint: &Hint, place: Span) -> TensorKind {
        self.kind_of_words(hint.class.as_deref(), place).unwrap_or_else(|| self.assumed_open_kind(place))
    }
}

/// What stands where the program gives no value: `...`.
fn is_placeholder(value: &Value) -> bool {
    matches!(value, Value::Ellipsis)
}

/// The type of elements that is known of both.
fn narrower(known: DType, annotated: DType) -> DType {
    if known.is_known() { known } else { annotated }
}

/// Whose tensors they are, by what is known and what the annotation says.
fn narrower_kind(known: TensorKind, annotated: TensorKind) -> TensorKind {
    if known.is_open() { annotated } else { known }
}
