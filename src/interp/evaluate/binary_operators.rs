//! Evaluates arithmetic operators.

use std::rc::Rc;

use crate::calls::call::CallArguments;
use crate::evaluate::operator_overloads::is_not_implemented;
use crate::heap::objects::Payload;
use crate::state::interpreter::{Eval, Interpreter};
use crate::values::number_arithmetic::float_binary;
use crate::values::number_errors::is_complex_power;
use crate::values::value::{LibraryMethod, Tensor, TensorKind, Value};
use harp_corpus::Span;
use harp_operations::operator_names::name_of;
use harp_python::ir::{BinaryOperator, UnaryOperator};
use harp_python::name::{Name, name};
use harp_shape::{Assumed, DType, Dim, Family};
use harp_trace::assumption::AssumptionKind;

/// Longer sequences that the program puts together are not held item by item.
pub const LONGEST_SEQUENCE: usize = 4096;
/// Longer texts are not built.
pub const LONGEST_TEXT: usize = 1 << 16;

impl Interpreter<'_> {
    pub fn unary(&mut self, operator: UnaryOperator, operand: &Value, span: Span) -> Eval {
        Ok(match (operator, operand) {
            (UnaryOperator::Not, value) => self.negate(value),
            (UnaryOperator::Plus, Value::Int(_) | Value::Float(_) | Value::Ratio(_))
            | (UnaryOperator::Minus, Value::Complex) => operand.clone(),
            (UnaryOperator::Minus, Value::Int(dim)) => Value::Int(-*dim),
            (UnaryOperator::Minus, Value::Bool(value)) => Value::int(-i64::from(*value)),
            (UnaryOperator::Minus, Value::Float(value)) => Value::Float(value.map(|value| -value)),
            (UnaryOperator::Minus, Value::Ratio(parts)) => Value::Ratio(Rc::new([-parts[0], parts[1]])),
            (UnaryOperator::Plus | UnaryOperator::Minus, Value::Symbolic(id)) if self.is_some_number(*id) => {
                self.some_number(self.source_text(span), span, true)
            }
            (UnaryOperator::Invert, Value::Int(dim)) => Value::Int(-*dim - Dim::constant(1)),
            (_, Value::Tensor(_)) => {
                let name = match operator {
                    UnaryOperator::Minus => "neg",
                    UnaryOperator::Invert => "bitwise_not",
                    _ => "positive",
                };
                return self.tensor_operator(name, vec![(operand.clone(), None)], span);
            }
            (_, Value::Instance(_)) => {
                let name = match operator {
                    UnaryOperator::Minus => "__neg__",
                    UnaryOperator::Invert => "__invert__",
                    _ => "__pos__",
                };
                match self.class_attribute(operand, Name::new(name)) {
                    Some(method @ Value::Function(_)) => {
                        let bound = self.bind_method(operand, method);
                        return self.call(&bound, CallArguments::empty(span));
                    }
                    _ => match self.plain_of(operand) {
                        Some(held) => return self.unary(operator, &held, span),
                        None => self.symbolic("result", span, true),
                    },
                }
            }
            _ => self.symbolic(self.source_text(span), span, true),
        })
    }

    /// `left op right`, for each combination of their alternatives.
    pub fn binary(
        &mut self,
        operator: BinaryOperator,
        left: &Value,
        right: &Value,
        span: Span,
        spans: [Span; 2],
    ) -> Eval {
        let (left, right) = (self.plain_text(left), self.plain_text(right));
        self.for_each_alternative(&left, |this, left| {
            this.for_each_alternative(&right, |this, right| {
                this.within(span, |this| this.binary_one(operator, &left, &right, span, spans))
            })
        })
    }

    /// The operator that Python calls: in Python 2, `/` between whole numbers gives a whole number.
    fn operator_of_language(&self, operator: BinaryOperator, operands: [&Value; 2]) -> BinaryOperator {
        let is_whole = |value: &&Value| matches!(value, Value::Int(_) | Value::Bool(_));
        if operator == BinaryOperator::Divide
            && operands.iter().all(is_whole)
            && self.python_2(self.file()).is_some_and(|language| language.divides_whole)
        {
            return BinaryOperator::FloorDivide;
        }
        operator
    }

    /// `left op= right`: lists grow in place and tensors keep their shape; everything else is as `left op right`.
    pub fn augmented(&mut self, operator: BinaryOperator, left: &Value, right: &Value, span: Span) -> Eval {
        self.for_each_alternative(left, |this, left| {
            if let Some(changed) = this.changed_in_place(operator, &left, right, span)? {
                return Ok(changed);
            }
            match this.in_place_method(operator, &left) {
                Some(method @ Value::BoundMethod(_)) => {
                    match this.call(&method, CallArguments::positional(vec![right.clone()], span))? {
                        result if is_not_implemented(&result) => {
                            this.binary(operator, &left, right, span, [span, span])
                        }
                        result => Ok(result),
                    }
                }
                Some(method) => this.call(&method, CallArguments::positional(vec![right.clone()], span)),
                None => {
                    let result = this.binary(operator, &left, right, span, [span, span])?;
                    Ok(this.array_or_number(&left, result))
                }
            }
        })
    }

    /// What `x op= y` makes of an array of unknown rank: an array keeps its type, and a number takes the other's.
    fn array_or_number(&self, left: &Value, result: Value) -> Value {
        match (left, result) {
            (Value::Tensor(before), Value::Tensor(after))
                if before.kind.known_rules().is_some_and(|rules| rules.scalars_are_numbers)
                    && before.dtype != after.dtype
                    && self.solver.resolve_shape(&before.shape).rank().is_none() =>
            {
                Value::Tensor(Rc::new(Tensor { dtype: DType::Unknown, ..Tensor::clone(&after) }))
            }
            (_, result) => result,
        }
    }

    /// The method of a tensor that an augmented assignment calls.
    fn in_place_method(&mut self, operator: BinaryOperator, left: &Value) -> Option<Value> {
        use BinaryOperator as Op;
        if let Value::Instance(_) = left
            && let Some(method) = self.own_method(left, &format!("__i{}__", name_of(operator)))
        {
            return Some(method);
        }
        let Value::Tensor(tensor) = left else {
            // `modules += [block]`
            let extend = name!("extend");
            let list = Some(left).filter(|left| self.holds_parts(left))?;
            let api = self.qualified(self.class_with_method(list, extend)?, extend);
            let method = LibraryMethod { receiver: left.clone(), api };
            return (operator == Op::Add).then(|| Value::LibraryMethod(Rc::new(method)));
        };
        if tensor.kind.families().any(|family| !family.rules().in_place) {
            return None;
        }
        let class = tensor.kind.class_name();
        // NumPy's scalars are values: `x /= 2` gives the name another one. What has no known rank may be one.
        if tensor.kind.known_rules().is_some_and(|rules| rules.scalars_are_numbers)
            && matches!(self.solver.resolve_shape(&tensor.shape).rank(), None | Some(0))
        {
            return None;
        }
        let name = match operator {
            Op::Add => "add_",
            Op::Subtract => "sub_",
            Op::Multiply => "mul_",
            Op::Divide => "div_",
            Op::FloorDivide => "floor_divide_",
            Op::Modulo => "remainder_",
            Op::Power => "pow_",
            Op::BitAnd => "bitwise_and_",
            Op::BitOr => "bitwise_or_",
            Op::BitXor => "bitwise_xor_",
            _ => return None,
        };
        self.library.method(class, name)?;
        let api = Name::new(&format!("{class}.{name}"));
        Some(Value::LibraryMethod(Rc::new(LibraryMethod { receiver: left.clone(), api })))
    }

    /// Whether a value may stand in a union of types, `int | str | None`, which is a tuple of its members here.
    fn is_type(&self, value: &Value) -> bool {
        match value {
            Value::Class(_) | Value::None => true,
            Value::Library(name) => is_name_of_type(name.as_str()) || self.library_class(*name).is_some(),
            Value::Tuple(members) => !members.is_empty() && members.iter().all(|member| self.is_type(member)),
            _ => false,
        }
    }

    fn binary_one(
        &mut self,
        operator: BinaryOperator,
        left: &Value,
        right: &Value,
        span: Span,
        spans: [Span; 2],
    ) -> Eval {
        let operator = self.operator_of_language(operator, [left, right]);
        if let Some(result) = self.models.before_operator(self, operator, [left, right], span)? {
            return Ok(result);
        }
        if let Value::Class(class) = left
            && let Some(method) = self.method_of_metaclass(*class, &format!("__{}__", name_of(operator)))
        {
            return self.call(&method, CallArguments::positional(vec![left.clone(), right.clone()], span));
        }
        if self.inference.is_some() {
            let (left, right) = self.as_operands(left, right, span);
            return self.binary_of_types(operator, &left, &right, span, spans);
        }
        if operator == BinaryOperator::MatrixMultiply
            && let (Value::Symbolic(one), Value::Symbolic(other)) = (left, right)
            && self.is_argument(*one)
            && self.is_argument(*other)
        {
            let evidence = || "it is an operand of `@`".to_owned();
            for (id, place) in [(*one, spans[0]), (*other, spans[1])] {
                if self
                    .refine_to_tensor(id, self.assumed_open_kind(place), AssumptionKind::UsedAs, evidence(), place)
                    .is_none()
                {
                    break;
                }
            }
            let (left, right) = (self.read(left), self.read(right));
            return self.binary_of_types(operator, &left, &right, span, spans);
        }
        self.binary_of_types(operator, left, right, span, spans)
    }

    fn binary_of_types(
        &mut self,
        operator: BinaryOperator,
        left: &Value,
        right: &Value,
        span: Span,
        spans: [Span; 2],
    ) -> Eval {
        use BinaryOperator as Op;
        let (mut left, mut right) = (left, right);
        let operands;
        let held = self.operands_without_methods(operator, left, right);
        if let Some((one, other)) = &held {
            (left, right) = (one, other);
        }
        match self.with_numbers(left, right, span) {
            Some(Ok(known)) => {
                operands = known;
                (left, right) = (&operands.0, &operands.1);
            }
            Some(Err(number)) => return Ok(number),
            None => {}
        }
        if let Some(result) = self.shape_with_list(operator, left, right, span) {
            return result;
        }
        if self.operands_misfit(operator, left, right, span) {
            return Ok(self.computed_of_unknown(operator, [left, right], span));
        }
        if matches!(left, Value::Tensor(_)) || matches!(right, Value::Tensor(_)) {
            return self.tensor_binary(operator, left, right, span, spans);
        }
        self.raise_for_operands(operator, left, right, span)?;
        if is_complex_power(operator, left, right) {
            return Ok(Value::Complex);
        }
        if let (Some(a), Some(b)) = (left.as_dim(), right.as_dim()) {
            return Ok(self.integer_binary(operator, a, b));
        }
        if matches!(left, Value::Dict(id) if self.dict_class(*id).is_some_and(|class| matches!(class, Value::Class(_))))
        {
            let method = format!("__{}__", name_of(operator));
            if self.own_method(left, &method).is_some() {
                return self.overloaded(operator, left, right, span);
            }
        }
        if let Some(result) = self.models.operator(self, operator, [left, right], span)? {
            return Ok(result);
        }
        match (operator, left, right) {
            (Op::Add, Value::Str(Some(a)), Value::Str(Some(b))) if a.len() + b.len() <= LONGEST_TEXT => {
                Ok(Value::str(&format!("{a}{b}")))
            }
            (Op::Modulo, Value::Str(_), _) | (Op::Add, Value::Str(_), Value::Str(_)) => {
                Ok(self.format_percent(left, right))
            }
            (Op::Multiply, Value::Str(Some(text)), Value::Int(count))
            | (Op::Multiply, Value::Int(count), Value::Str(Some(text))) => Ok(match count.as_const() {
                Some(count @ 0..=4096) if text.len() < 1024 => Value::str(&text.repeat(count as usize)),
                _ => Value::Str(None),
            }),
            (Op::Add, Value::Tuple(_) | Value::Size(_), Value::Tuple(_) | Value::Size(_)) => {
                self.concatenate(left, right)
            }
            (Op::Add, Value::List(a), Value::List(b)) => Ok(self.concatenate_lists(*a, *b)),
            (Op::Multiply, Value::Tuple(_) | Value::List(_), Value::Int(count)) => Ok(self.repeat(left, *count)),
            (Op::Multiply, Value::Int(count), Value::Tuple(_) | Value::List(_)) => Ok(self.repeat(right, *count)),
            (Op::Multiply, Value::Int(dim), Value::Float(Some(factor)))
            | (Op::Multiply, Value::Float(Some(factor)), Value::Int(dim))
                if self.inference.is_some() && factor.fract() == 0.0 && factor.abs() < 1e9 =>
            {
                // A float with a whole value; a constructor makes an integer of it again.
                Ok(Value::Int(*dim * Dim::constant(*factor as i64)))
            }
            (
                _,
                Value::Float(_) | Value::Ratio(_) | Value::Int(_) | Value::Bool(_),
                Value::Float(_) | Value::Ratio(_) | Value::Int(_) | Value::Bool(_),
            ) => match self.fraction_binary(operator, left, right) {
                Some(fraction) => Ok(fraction),
                None => Ok(Value::Float(float_binary(operator, left, right))),
            },
            (
                _,
                Value::Complex,
                Value::Complex | Value::Float(_) | Value::Ratio(_) | Value::Int(_) | Value::Bool(_),
            )
            | (_, Value::Float(_) | Value::Ratio(_) | Value::Int(_) | Value::Bool(_), Value::Complex) => {
                Ok(Value::Complex)
            }
            (Op::BitOr, left, right) if self.is_type(left) && self.is_type(right) => {
                Ok(Value::tuple(members_of_union(left).chain(members_of_union(right)).cloned().collect()))
            }
            (Op::BitOr | Op::BitAnd | Op::BitXor | Op::Subtract, Value::Set(a), Value::Set(b)) => {
                Ok(self.combine_sets(operator, *a, *b))
            }
            // The keys and entries of a dictionary are combined like sets.
            (Op::BitOr | Op::BitAnd | Op::BitXor | Op::Subtract, Value::Set(_) | Value::Iterator(_), other)
            | (Op::BitOr | Op::BitAnd | Op::BitXor | Op::Subtract, other, Value::Set(_) | Value::Iterator(_))
                if crate::builtins::set::combine_as_sets(other, left, right) =>
            {
                let set = Value::library("builtins.set");
                let left = self.call(&set, CallArguments::positional(vec![left.clone()], span))?;
                let right = self.call(&set, CallArguments::positional(vec![right.clone()], span))?;
                match (left, right) {
                    (Value::Set(a), Value::Set(b)) => Ok(self.combine_sets(operator, a, b)),
                    _ => Ok(Value::Unknown("set")),
                }
            }
            (Op::BitOr, Value::Dict(a), Value::Dict(b)) => {
                let mut data = self.heap.dict(*a).map(|data| (**data).clone()).unwrap_or_default();
                for (key, value) in self.heap.dict(*b).map(|data| data.entries.clone()).unwrap_or_default() {
                    crate::evaluate::expressions::insert(&mut data, key, value);
                }
                Ok(Value::Dict(self.heap.allocate(Payload::Dict(Rc::new(data)))))
            }
            (_, Value::Instance(_), _) | (_, _, Value::Instance(_)) => self.overloaded(operator, left, right, span),
            _ => {
                if are_of_plain_types(operator, left, right) {
                    self.raise_if_caught("TypeError", "unsupported operand types", span)?;
                }
                Ok(self.computed_of_unknown(operator, [left, right], span))
            }
        }
    }

    fn tensor_binary(
        &mut self,
        operator: BinaryOperator,
        left: &Value,
        right: &Value,
        span: Span,
        spans: [Span; 2],
    ) -> Eval {
        for (value, place) in [(left, spans[0]), (right, spans[1])] {
            self.heed(value);
            if let Value::Symbolic(id) = value
                && operator == BinaryOperator::MatrixMultiply
            {
                let evidence = "it is multiplied with a tensor by `@`".to_owned();
                self.refine_to_tensor(*id, self.assumed_open_kind(place), AssumptionKind::UsedAs, evidence, place);
            }
            if let Value::Instance(_) = value {
                return self.overloaded(operator, left, right, span);
            }
        }
        let name = match operator {
            BinaryOperator::Add => "add",
            BinaryOperator::Subtract => "sub",
            BinaryOperator::Multiply => "mul",
            BinaryOperator::MatrixMultiply => "matmul",
            BinaryOperator::Divide => "div",
            BinaryOperator::FloorDivide => "floor_divide",
            BinaryOperator::Modulo => "remainder",
            BinaryOperator::Power => "pow",
            BinaryOperator::LeftShift => "bitwise_left_shift",
            BinaryOperator::RightShift => "bitwise_right_shift",
            BinaryOperator::BitOr => "bitwise_or",
            BinaryOperator::BitXor => "bitwise_xor",
            BinaryOperator::BitAnd => "bitwise_and",
        };
        let (left, right) = (self.read(left), self.read(right));
        self.tensor_operator(name, vec![(left, Some(spans[0])), (right, Some(spans[1]))], span)
    }

    /// An operator on tensors is the library function of its name.
    pub fn tensor_operator(&mut self, name: &str, operands: Vec<(Value, Option<Span>)>, span: Span) -> Eval {
        let (family, kind) = self.family_of_operator(name, operands.iter().map(|(value, _)| value));
        let api = family.operator(name);
        let (positional, positional_spans) = operands.into_iter().unzip();
        let arguments = CallArguments { positional_spans, ..CallArguments::positional(positional, span) };
        let result = self.call_library(Name::new(&api), arguments)?;
        Ok(match result {
            Value::Tensor(tensor) if kind.is_open() => {
                Value::Tensor(Rc::new(Tensor { kind, ..Tensor::clone(&tensor) }))
            }
            result => result,
        })
    }

    /// Whose operators are called, and what they give. Of a tensor and an array the tensor's library makes a tensor; what is combined with an
    /// array alone may be one, too, where it may be either.
    fn family_of_operator<'v>(&self, name: &str, operands: impl Iterator<Item = &'v Value>) -> (Family, TensorKind) {
        let kinds: Vec<TensorKind> = operands
            .filter_map(|value| match value {
                Value::Tensor(tensor) => Some(tensor.kind),
                _ => None,
            })
            .collect();
        let usual = self.families().usual();
        let mut known = kinds.iter().filter_map(|kind| kind.only_family());
        let is_array = |family: &Family| family.rules().assumed == Assumed::AsWell;
        // A picture has no operators of its own here.
        let of_operators = |family: Family| if family.rules().is_picture { usual } else { family };
        if let Some(firm) = known.clone().find(|family| !is_array(family)).map(of_operators) {
            return (firm, TensorKind::of(firm));
        }
        let open = kinds.iter().find(|kind| kind.is_open()).map(|kind| kind.untrained());
        // Nothing is refused of what may be of a family that takes it.
        let refuses = |family: &Family| family.rules().refuses_truth.iter().any(|refused| **refused == *name);
        match (open, known.next()) {
            (Some(open), Some(array)) => (array, open),
            (Some(open), None) => (open.families().find(|it| !refuses(it)).unwrap_or(open.family()), open),
            (None, array) => array.map_or((usual, TensorKind::of(usual)), |array| (array, TensorKind::of(array))),
        }
    }
}

/// Whether a name of the standard library or of a library that nobody describes is written as types are.
fn is_name_of_type(name: &str) -> bool {
    let last = name.rsplit('.').next().unwrap_or(name);
    let is_camel = last.starts_with(|first: char| first.is_ascii_uppercase()) && last.contains(char::is_lowercase);
    let builtin = name.strip_prefix("builtins.");
    is_camel
        || builtin.is_some_and(|name| {
            matches!(
                name,
                "bool"
                    | "bytes"
                    | "complex"
                    | "dict"
                    | "float"
                    | "frozenset"
                    | "int"
                    | "list"
                    | "object"
                    | "set"
                    | "str"
                    | "tuple"
                    | "type"
            )
        })
}

fn members_of_union(value: &Value) -> impl Iterator<Item = &Value> {
    match value {
        Value::Tuple(members) => members.iter(),
        value => std::slice::from_ref(value).iter(),
    }
}

/// Whether both are of types that have no such operation in common.
fn are_of_plain_types(operator: BinaryOperator, left: &Value, right: &Value) -> bool {
    let kind = |value: &Value| match value {
        Value::Int(_) | Value::Float(_) | Value::Ratio(_) | Value::Bool(_) => Some(0),
        Value::Str(_) => Some(1),
        Value::None => Some(2),
        Value::Dict(_) => Some(3),
        _ => None,
    };
    match (kind(left), kind(right)) {
        (Some(2), Some(_)) | (Some(_), Some(2)) => !matches!((operator, left), (BinaryOperator::Modulo, Value::Str(_))),
        // A text formats what stands behind `%`, and is repeated by numbers.
        (Some(left), Some(right)) if left != right => {
            operator != BinaryOperator::Multiply && (left != 1 || operator != BinaryOperator::Modulo)
        }
        _ => false,
    }
}
