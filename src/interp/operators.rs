//! Arithmetic, comparison and membership.

use std::rc::Rc;

use crate::corpus::Span;
use crate::interp::assumption::AssumptionKind;
use crate::interp::calls::CallArguments;
use crate::interp::handlers::ordering;
use crate::interp::heap::{ListData, Payload};
use crate::interp::machine::{Eval, Interpreter};
use crate::interp::value::{Iteration, LibraryMethod, ObjectId, Value};
use crate::python::ir::{BinaryOperator, CompareOperator, UnaryOperator};
use crate::python::name::Name;
use crate::shape::{Constraint, Dim};

impl Interpreter<'_> {
    pub fn unary(&mut self, operator: UnaryOperator, operand: &Value, span: Span) -> Eval {
        Ok(match (operator, operand) {
            (UnaryOperator::Not, value) => self.negate(value),
            (UnaryOperator::Plus, Value::Int(_) | Value::Float(_)) => operand.clone(),
            (UnaryOperator::Minus, Value::Int(dim)) => Value::Int(-*dim),
            (UnaryOperator::Minus, Value::Bool(value)) => Value::int(-i64::from(*value)),
            (UnaryOperator::Minus, Value::Float(value)) => Value::Float(value.map(|value| -value)),
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
                    _ => self.symbolic("result", span, true),
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
        self.for_each_alternative(left, |this, left| {
            this.for_each_alternative(right, |this, right| this.binary_one(operator, &left, &right, span, spans))
        })
    }

    /// `left op= right`: lists grow in place and tensors keep their shape; everything else is as `left op right`.
    pub fn augmented(&mut self, operator: BinaryOperator, left: &Value, right: &Value, span: Span) -> Eval {
        if let (Value::List(id), BinaryOperator::Add) = (left, operator) {
            let iteration = self.iterate(right)?;
            let (items, exact, _) = self.sample(iteration);
            let rest = if exact { None } else { items.first().cloned() };
            self.heap.change_list(*id, |data| {
                if exact {
                    data.items.extend(items);
                } else {
                    data.rest = rest;
                }
            });
            return Ok(left.clone());
        }
        self.for_each_alternative(left, |this, left| match this.in_place_method(operator, &left) {
            Some(method) => this.call(&method, CallArguments::positional(vec![right.clone()], span)),
            None => this.binary(operator, &left, right, span, [span, span]),
        })
    }

    /// The method of a tensor that an augmented assignment calls.
    fn in_place_method(&self, operator: BinaryOperator, left: &Value) -> Option<Value> {
        use BinaryOperator as Op;
        let Value::Tensor(tensor) = left else { return None };
        let class = tensor.kind.class_name();
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

    fn binary_one(
        &mut self,
        operator: BinaryOperator,
        left: &Value,
        right: &Value,
        span: Span,
        spans: [Span; 2],
    ) -> Eval {
        use BinaryOperator as Op;
        if matches!(left, Value::Tensor(_)) || matches!(right, Value::Tensor(_)) {
            return self.tensor_binary(operator, left, right, span, spans);
        }
        if let (Some(a), Some(b)) = (left.as_dim(), right.as_dim()) {
            return Ok(self.integer_binary(operator, a, b));
        }
        match (operator, left, right) {
            (Op::Add, Value::Str(Some(a)), Value::Str(Some(b))) if a.len() + b.len() < 1 << 16 => {
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
            (_, Value::Float(_) | Value::Int(_) | Value::Bool(_), Value::Float(_) | Value::Int(_) | Value::Bool(_)) => {
                Ok(Value::Float(float_binary(operator, left, right)))
            }
            (Op::BitOr, Value::Dict(a), Value::Dict(b)) => {
                let mut data = self.heap.dict(*a).map(|data| (**data).clone()).unwrap_or_default();
                for (key, value) in self.heap.dict(*b).map(|data| data.entries.clone()).unwrap_or_default() {
                    crate::interp::expressions::insert(&mut data, key, value);
                }
                Ok(Value::Dict(self.heap.allocate(Payload::Dict(Rc::new(data)))))
            }
            (_, Value::Instance(_), _) | (_, _, Value::Instance(_)) => self.overloaded(operator, left, right, span),
            _ => Ok(self.symbolic(self.source_text(span), span, true)),
        }
    }

    fn concatenate(&mut self, left: &Value, right: &Value) -> Eval {
        match (self.iterate(left)?, self.iterate(right)?) {
            (Iteration::Items(mut items), Iteration::Items(more)) => {
                items.extend(more);
                Ok(Value::tuple(items))
            }
            _ => Ok(Value::Unknown("tuples of unknown length")),
        }
    }

    fn concatenate_lists(
        &mut self,
        left: crate::interp::value::ObjectId,
        right: crate::interp::value::ObjectId,
    ) -> Value {
        let (Some(a), Some(b)) = (self.heap.list(left).cloned(), self.heap.list(right).cloned()) else {
            return Value::Unknown("list");
        };
        let data = if a.rest.is_none() {
            let mut items = a.items.clone();
            items.extend(b.items.iter().cloned());
            ListData { items, rest: b.rest.clone() }
        } else {
            let mut rest: Vec<Value> = a.rest.iter().cloned().collect();
            rest.extend(b.items.iter().cloned());
            rest.extend(b.rest.clone());
            ListData { items: a.items.clone(), rest: Some(self.widen(&rest)) }
        };
        Value::List(self.heap.allocate(Payload::List(Rc::new(data))))
    }

    fn repeat(&mut self, sequence: &Value, count: Dim) -> Value {
        let count = self.solver.resolve(count);
        let is_tuple = matches!(sequence, Value::Tuple(_));
        let (items, rest) = match sequence {
            Value::Tuple(items) => (items.to_vec(), None),
            Value::List(id) => match self.heap.list(*id) {
                Some(data) => (data.items.clone(), data.rest.clone()),
                None => return Value::Unknown("list"),
            },
            _ => return Value::Unknown("sequence"),
        };
        match (count.as_const(), rest) {
            (Some(count), None) if count.max(0).saturating_mul(items.len() as i64) <= 4096 => {
                let repeated: Vec<Value> = (0..count.max(0)).flat_map(|_| items.iter().cloned()).collect();
                if is_tuple { Value::tuple(repeated) } else { Value::List(self.heap.allocate_list(repeated)) }
            }
            (_, rest) => {
                let mut all = items;
                all.extend(rest);
                let rest = self.widen(&all);
                let data = ListData { items: Vec::new(), rest: Some(rest) };
                Value::List(self.heap.allocate(Payload::List(Rc::new(data))))
            }
        }
    }

    fn integer_binary(&mut self, operator: BinaryOperator, left: Dim, right: Dim) -> Value {
        use BinaryOperator as Op;
        let (left, right) = (self.solver.resolve(left), self.solver.resolve(right));
        let constants = left.as_const().zip(right.as_const());
        match operator {
            Op::Add => Value::Int(left + right),
            Op::Subtract => Value::Int(left - right),
            Op::Multiply => Value::Int(left * right),
            Op::FloorDivide => Value::Int(left.floor_div(right)),
            Op::Modulo => Value::Int(left.modulo(right)),
            Op::Divide => Value::Float(constants.filter(|(_, b)| *b != 0).map(|(a, b)| a as f64 / b as f64)),
            Op::Power => match constants {
                Some((base, exponent @ 0..=62)) => {
                    base.checked_pow(exponent as u32).map_or_else(|| self.any_integer("n"), Value::int)
                }
                Some((base, exponent)) => Value::Float(Some((base as f64).powf(exponent as f64))),
                None => match right.as_const() {
                    Some(exponent @ 0..=4) => {
                        Value::Int((0..exponent).fold(Dim::constant(1), |product, _| product * left))
                    }
                    _ => self.any_integer("n"),
                },
            },
            Op::LeftShift | Op::RightShift | Op::BitAnd | Op::BitOr | Op::BitXor => match constants {
                Some((a, b)) => match shift_or_bits(operator, a, b) {
                    Some(value) => Value::int(value),
                    None => self.any_integer("n"),
                },
                None => self.any_integer("n"),
            },
            Op::MatrixMultiply => Value::Unknown("matrix product of integers"),
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
            if let Value::Symbolic(id) = value
                && operator == BinaryOperator::MatrixMultiply
            {
                let evidence = "it is multiplied with a tensor by `@`".to_owned();
                self.refine_to_tensor(*id, AssumptionKind::UsedAs, evidence, place);
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
        let is_numpy = operands.iter().all(|(value, _)| match value {
            Value::Tensor(tensor) => tensor.kind == crate::interp::value::TensorKind::NumPy,
            _ => true,
        });
        let api = if is_numpy { format!("numpy.{}", numpy_name(name)) } else { format!("torch.{name}") };
        let (positional, positional_spans) = operands.into_iter().unzip();
        let arguments = CallArguments {
            positional,
            keywords: Vec::new(),
            positional_spans,
            keyword_spans: Vec::new(),
            is_open: false,
            span,
        };
        self.call_library(Name::new(&api), arguments)
    }

    fn overloaded(&mut self, operator: BinaryOperator, left: &Value, right: &Value, span: Span) -> Eval {
        let name = match operator {
            BinaryOperator::Add => "add",
            BinaryOperator::Subtract => "sub",
            BinaryOperator::Multiply => "mul",
            BinaryOperator::MatrixMultiply => "matmul",
            BinaryOperator::Divide => "truediv",
            BinaryOperator::FloorDivide => "floordiv",
            BinaryOperator::Modulo => "mod",
            BinaryOperator::Power => "pow",
            BinaryOperator::LeftShift => "lshift",
            BinaryOperator::RightShift => "rshift",
            BinaryOperator::BitOr => "or",
            BinaryOperator::BitXor => "xor",
            BinaryOperator::BitAnd => "and",
        };
        for (receiver, other, prefix) in [(left, right, ""), (right, left, "r")] {
            if let Some(method @ Value::Function(_)) =
                self.class_attribute(receiver, Name::new(&format!("__{prefix}{name}__")))
            {
                let bound = self.bind_method(receiver, method);
                return self.call(&bound, CallArguments::positional(vec![other.clone()], span));
            }
        }
        Ok(self.symbolic(self.source_text(span), span, true))
    }

    pub fn compare(
        &mut self,
        operator: CompareOperator,
        left: &Value,
        right: &Value,
        span: Span,
        spans: [Span; 2],
    ) -> Eval {
        self.for_each_alternative(left, |this, left| {
            this.for_each_alternative(right, |this, right| this.compare_one(operator, &left, &right, span, spans))
        })
    }

    fn compare_one(
        &mut self,
        operator: CompareOperator,
        left: &Value,
        right: &Value,
        span: Span,
        spans: [Span; 2],
    ) -> Eval {
        use CompareOperator as Op;
        match operator {
            Op::Is => return Ok(self.identical(left, right)),
            Op::IsNot => {
                let same = self.identical(left, right);
                return Ok(self.negate(&same));
            }
            Op::In => return Ok(self.contains(right, left)),
            Op::NotIn => {
                let contained = self.contains(right, left);
                return Ok(self.negate(&contained));
            }
            _ => {}
        }
        if matches!(left, Value::Tensor(_)) || matches!(right, Value::Tensor(_)) {
            let name = match operator {
                Op::Equal => "eq",
                Op::NotEqual => "ne",
                Op::Less => "lt",
                Op::LessEqual => "le",
                Op::Greater => "gt",
                _ => "ge",
            };
            if left.is_none() || right.is_none() || matches!((left, right), (Value::Str(_), _) | (_, Value::Str(_))) {
                return Ok(Value::Bool(operator == Op::NotEqual));
            }
            return self.tensor_operator(
                name,
                vec![(left.clone(), Some(spans[0])), (right.clone(), Some(spans[1]))],
                span,
            );
        }
        if let Some(answer) = self.overloaded_comparison(operator, left, right, span)? {
            return Ok(answer);
        }
        Ok(match operator {
            Op::Equal => self.equals(left, right),
            Op::NotEqual => {
                let equal = self.equals(left, right);
                self.negate(&equal)
            }
            _ => self.order(operator, left, right),
        })
    }

    /// A comparison that a class of the program defines.
    fn overloaded_comparison(
        &mut self,
        operator: CompareOperator,
        left: &Value,
        right: &Value,
        span: Span,
    ) -> Eval<Option<Value>> {
        use CompareOperator as Op;
        let (name, mirrored) = match operator {
            Op::Equal => ("__eq__", "__eq__"),
            Op::NotEqual => ("__ne__", "__ne__"),
            Op::Less => ("__lt__", "__gt__"),
            Op::LessEqual => ("__le__", "__ge__"),
            Op::Greater => ("__gt__", "__lt__"),
            Op::GreaterEqual => ("__ge__", "__le__"),
            _ => return Ok(None),
        };
        for (receiver, other, name) in [(left, right, name), (right, left, mirrored)] {
            if !matches!(receiver, Value::Instance(_)) {
                continue;
            }
            if let Some(method @ Value::Function(_)) = self.class_attribute(receiver, Name::new(name)) {
                let bound = self.bind_method(receiver, method);
                return self.call(&bound, CallArguments::positional(vec![other.clone()], span)).map(Some);
            }
            if operator == Op::NotEqual
                && let Some(method @ Value::Function(_)) = self.class_attribute(receiver, Name::new("__eq__"))
            {
                let bound = self.bind_method(receiver, method);
                let equal = self.call(&bound, CallArguments::positional(vec![other.clone()], span))?;
                return self.for_each_alternative(&equal, |this, equal| Ok(this.negate(&equal))).map(Some);
            }
        }
        Ok(None)
    }

    fn order(&mut self, operator: CompareOperator, left: &Value, right: &Value) -> Value {
        use CompareOperator as Op;
        if let (Some(a), Some(b)) = (left.as_dim(), right.as_dim()) {
            let constraint = match operator {
                Op::Less => Constraint::Less(a, b),
                Op::LessEqual => Constraint::LessEqual(a, b),
                Op::Greater => Constraint::Less(b, a),
                _ => Constraint::LessEqual(b, a),
            };
            return self.constraint_value(constraint);
        }
        if let (Value::Tuple(_), Value::Tuple(_)) = (left, right) {
            return match ordering::compare(left, right) {
                Some(order) => Value::Bool(match operator {
                    Op::Less => order.is_lt(),
                    Op::LessEqual => order.is_le(),
                    Op::Greater => order.is_gt(),
                    _ => order.is_ge(),
                }),
                None => Value::Unknown("comparison"),
            };
        }
        let numbers = number(left).zip(number(right));
        match (numbers, left, right) {
            (Some((a, b)), _, _) => Value::Bool(match operator {
                Op::Less => a < b,
                Op::LessEqual => a <= b,
                Op::Greater => a > b,
                _ => a >= b,
            }),
            (None, Value::Str(Some(a)), Value::Str(Some(b))) => Value::Bool(match operator {
                Op::Less => a < b,
                Op::LessEqual => a <= b,
                Op::Greater => a > b,
                _ => a >= b,
            }),
            _ => Value::Unknown("comparison"),
        }
    }

    /// A constraint as a truth value: constant ones are decided at once.
    pub fn constraint_value(&mut self, constraint: Constraint) -> Value {
        let constraint = self.solver.resolve_constraint(&constraint);
        if constraint.variables().is_empty()
            && let Some(value) = constraint.evaluate(&mut |_| None)
        {
            return Value::Bool(value);
        }
        Value::Condition(Rc::new(constraint))
    }

    /// `left == right`.
    pub fn equals(&mut self, left: &Value, right: &Value) -> Value {
        if let (Some(a), Some(b)) = (left.as_dim(), right.as_dim()) {
            return self.constraint_value(Constraint::Equal(a, b));
        }
        if let Some(answer) = self.compare_mode(left, right) {
            return answer;
        }
        match (left, right) {
            (Value::Size(a), Value::Size(b)) => self.constraint_value(Constraint::SameShape(a.clone(), b.clone())),
            (Value::Tuple(a), Value::Tuple(b)) => {
                let (a, b) = (Rc::clone(a), Rc::clone(b));
                self.equal_items(&a, &b)
            }
            (Value::List(a), Value::List(b)) => {
                let (Some(a), Some(b)) = (self.heap.list(*a).cloned(), self.heap.list(*b).cloned()) else {
                    return Value::Unknown("comparison");
                };
                if a.rest.is_some() || b.rest.is_some() {
                    return Value::Unknown("comparison");
                }
                self.equal_items(&a.items, &b.items)
            }
            (Value::Str(Some(a)), Value::Str(Some(b))) => Value::Bool(a == b),
            (Value::Float(Some(_)) | Value::Int(_), Value::Float(Some(_)) | Value::Int(_)) => {
                match number(left).zip(number(right)) {
                    Some((a, b)) => Value::Bool(a == b),
                    None => Value::Unknown("comparison"),
                }
            }
            _ if left.is_unknown() || right.is_unknown() => match (left, right) {
                (Value::Symbolic(a), Value::Symbolic(b)) if a == b => Value::Bool(true),
                _ => self.memoised_comparison(left, right),
            },
            (Value::Str(None) | Value::Float(_), _) | (_, Value::Str(None) | Value::Float(_))
                if same_type(left, right) =>
            {
                Value::Unknown("comparison")
            }
            (Value::Instance(_) | Value::Dict(_) | Value::Set(_), _) | (_, Value::Instance(_)) => {
                if left.same(right) {
                    Value::Bool(true)
                } else {
                    Value::Unknown("comparison")
                }
            }
            _ => Value::Bool(left.same(right)),
        }
    }

    /// A comparison of an unknown value with a constant gives the same answer each time it is asked, and agrees with what the path says
    /// of other constants.
    fn memoised_comparison(&mut self, left: &Value, right: &Value) -> Value {
        let ((Value::Symbolic(id), constant) | (constant, Value::Symbolic(id))) = (left, right) else {
            return Value::Unknown("comparison");
        };
        if constant.is_unknown() {
            return Value::Unknown("comparison");
        }
        if self.is_ruled_out(*id, constant) {
            return Value::Bool(false);
        }
        self.memoised_answer(*id, &format!("{EQUALS}{}", constant.describe()))
    }

    /// The answer to a question about an unknown value: unknown too, but the same each time.
    pub fn memoised_answer(&mut self, id: ObjectId, question: &str) -> Value {
        let key = Name::new(question);
        if let Some(known) = self.heap.attribute(id, key) {
            return known.clone();
        }
        let origin = self.heap.symbolic(id).map(|data| data.origin);
        let Some(origin) = origin else { return Value::Unknown("question") };
        let answer = self.symbolic(question, origin, true);
        self.heap.set_attribute(id, key, answer.clone());
        answer
    }

    /// Whether the path says that an unknown value is another text or number than this one: it equals another one, is one of some others,
    /// or is none of some among which this one is.
    fn is_ruled_out(&self, id: ObjectId, constant: &Value) -> bool {
        if !is_plain_constant(constant) {
            return false;
        }
        let constant = constant.describe();
        self.heap.object(id).attributes.iter().any(|(question, answer)| {
            let Value::Symbolic(answer) = answer else { return false };
            let Some(decision) = self.object_decisions.get(answer) else { return false };
            let Some(literal) = self.path.iter().find(|literal| literal.decision == *decision) else { return false };
            if let Some(other) = question.as_str().strip_prefix(EQUALS) {
                let is_plain = other.starts_with('"') || other == "None" || other.parse::<i64>().is_ok();
                return literal.taken && is_plain && other != constant;
            }
            let Some(others) = question.as_str().strip_prefix(ONE_OF) else { return false };
            others.split(SEPARATOR).any(|other| other == constant) != literal.taken
        })
    }

    fn equal_items(&mut self, left: &[Value], right: &[Value]) -> Value {
        if left.len() != right.len() {
            return Value::Bool(false);
        }
        let mut constraints = Vec::new();
        for (a, b) in left.iter().zip(right) {
            match self.equals(a, b) {
                Value::Bool(true) => {}
                Value::Bool(false) => return Value::Bool(false),
                Value::Condition(constraint) => constraints.push((*constraint).clone()),
                _ => return Value::Unknown("comparison"),
            }
        }
        match constraints.len() {
            0 => Value::Bool(true),
            1 => Value::Condition(Rc::new(constraints.swap_remove(0))),
            _ => Value::Condition(Rc::new(Constraint::And(constraints))),
        }
    }

    fn identical(&mut self, left: &Value, right: &Value) -> Value {
        match (left, right) {
            (Value::None, Value::None) => Value::Bool(true),
            (Value::Bool(a), Value::Bool(b)) => Value::Bool(a == b),
            (Value::Symbolic(_) | Value::Unknown(_), _) | (_, Value::Symbolic(_) | Value::Unknown(_)) => {
                self.memoised_comparison(left, right)
            }
            _ => Value::Bool(left.same(right)),
        }
    }

    /// `item in container`.
    fn contains(&mut self, container: &Value, item: &Value) -> Value {
        let candidates: Vec<Value> = match container {
            Value::Str(Some(text)) => {
                return match item.as_text() {
                    Some(part) => Value::Bool(text.contains(part)),
                    None => Value::Unknown("membership"),
                };
            }
            Value::Tuple(items) => items.to_vec(),
            Value::List(id) | Value::Set(id) => match self.heap.list(*id) {
                Some(data) if data.rest.is_none() => data.items.clone(),
                _ => return Value::Unknown("membership"),
            },
            Value::Dict(id) => match self.heap.dict(*id) {
                Some(data) if data.rest.is_none() => data.entries.iter().map(|(key, _)| key.clone()).collect(),
                Some(data) => {
                    let found = data.entries.iter().any(|(key, _)| key.same(item));
                    return if found { Value::Bool(true) } else { Value::Unknown("membership") };
                }
                None => return Value::Unknown("membership"),
            },
            Value::Range(bounds) => {
                let Some(item) = item.as_dim() else { return Value::Unknown("membership") };
                let [start, stop, step] = **bounds;
                if step.as_const() != Some(1) {
                    return Value::Unknown("membership");
                }
                let inside = vec![Constraint::LessEqual(start, item), Constraint::Less(item, stop)];
                return self.constraint_value(Constraint::And(inside));
            }
            Value::Instance(id) => {
                let known = item.as_text().map(Name::new);
                return match known {
                    Some(name) if self.is_module(container) => Value::Bool(self.heap.attribute(*id, name).is_some()),
                    _ => Value::Unknown("membership"),
                };
            }
            _ => return Value::Unknown("membership"),
        };
        if let Value::Symbolic(id) = item
            && candidates.iter().all(is_plain_constant)
        {
            let open: Vec<&Value> = candidates.iter().filter(|candidate| !self.is_ruled_out(*id, candidate)).collect();
            let texts: Vec<String> = open.iter().map(|candidate| candidate.describe()).collect();
            return match &open[..] {
                [] => Value::Bool(false),
                [one] => self.memoised_comparison(item, one),
                _ => self.memoised_answer(*id, &format!("{ONE_OF}{}", texts.join(SEPARATOR))),
            };
        }
        let mut is_open = false;
        for candidate in candidates {
            match self.equals(&candidate, item) {
                Value::Bool(true) => return Value::Bool(true),
                Value::Bool(false) => {}
                _ => is_open = true,
            }
        }
        if is_open { Value::Unknown("membership") } else { Value::Bool(false) }
    }
}

/// Questions about unknown values, by the names under which their answers are kept.
const EQUALS: &str = "== ";
const ONE_OF: &str = "in ";
const SEPARATOR: &str = "\u{1}";

/// A constant that equals no other one.
fn is_plain_constant(value: &Value) -> bool {
    matches!(value, Value::Str(Some(_)) | Value::None) || value.as_int().is_some()
}

fn same_type(left: &Value, right: &Value) -> bool {
    matches!(
        (left, right),
        (Value::Str(_), Value::Str(_)) | (Value::Float(_) | Value::Int(_), Value::Float(_) | Value::Int(_))
    )
}

fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Int(dim) => dim.as_const().map(|value| value as f64),
        Value::Bool(value) => Some(f64::from(u8::from(*value))),
        Value::Float(value) => *value,
        _ => None,
    }
}

fn float_binary(operator: BinaryOperator, left: &Value, right: &Value) -> Option<f64> {
    let (a, b) = (number(left)?, number(right)?);
    match operator {
        BinaryOperator::Add => Some(a + b),
        BinaryOperator::Subtract => Some(a - b),
        BinaryOperator::Multiply => Some(a * b),
        BinaryOperator::Divide if b != 0.0 => Some(a / b),
        BinaryOperator::FloorDivide if b != 0.0 => Some((a / b).floor()),
        BinaryOperator::Modulo if b != 0.0 => Some(a - b * (a / b).floor()),
        BinaryOperator::Power => Some(a.powf(b)),
        _ => None,
    }
}

fn shift_or_bits(operator: BinaryOperator, left: i64, right: i64) -> Option<i64> {
    match operator {
        BinaryOperator::LeftShift => left.checked_mul(1_i64.checked_shl(u32::try_from(right).ok()?)?),
        BinaryOperator::RightShift => left.checked_shr(u32::try_from(right).ok()?),
        BinaryOperator::BitAnd => Some(left & right),
        BinaryOperator::BitOr => Some(left | right),
        BinaryOperator::BitXor => Some(left ^ right),
        _ => None,
    }
}

fn numpy_name(name: &str) -> &str {
    match name {
        "sub" => "subtract",
        "mul" => "multiply",
        "div" => "divide",
        "pow" => "power",
        "neg" => "negative",
        "eq" => "equal",
        "ne" => "not_equal",
        "lt" => "less",
        "le" => "less_equal",
        "gt" => "greater",
        "ge" => "greater_equal",
        "bitwise_not" => "invert",
        other => other,
    }
}
