//! Evaluates comparisons: order, equality and membership.

use std::rc::Rc;

use crate::builtins::sorted;
use crate::calls::call::CallArguments;
use crate::evaluate::membership::is_excluded;
use crate::evaluate::operator_overloads::is_not_implemented;
use crate::paths::predicates::{ASKED_OF, COMPARED, EQUALS, Question};
use crate::state::bounded_walk::Walk;
use crate::state::interpreter::{Eval, Interpreter};
use crate::values::number_arithmetic::number;
use crate::values::value::{Iteration, ObjectId, TRUTH, Value, ViewPart};
use harp_corpus::Span;
use harp_python::ir::CompareOperator;
use harp_python::name::{Name, name};
use harp_shape::{Constraint, DType, Dim, Shape};

impl Interpreter<'_> {
    pub fn compare(
        &mut self,
        operator: CompareOperator,
        left: &Value,
        right: &Value,
        span: Span,
        spans: [Span; 2],
    ) -> Eval {
        self.for_each_alternative(left, |this, left| {
            this.for_each_alternative(right, |this, right| {
                this.within(span, |this| this.compare_one(operator, &left, &right, span, spans))
            })
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
            Op::In => {
                self.refuse_search_of_many(right, left, span);
                return self.membership(right, left, span);
            }
            Op::NotIn => {
                self.refuse_search_of_many(right, left, span);
                let contained = self.membership(right, left, span)?;
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
                // An array of NumPy compares each of its elements, whatever they are.
                let is_array = |value: &&&Value| matches!(value, Value::Tensor(tensor) if tensor.kind.known_rules().is_some_and(|rules| rules.holds_objects));
                let is_none = left.is_none() || right.is_none();
                let array = [left, right].iter().find(is_array).filter(|_| !is_none).map(|array| (*array).clone());
                return match array {
                    Some(array) => self.tensor_operator(name, vec![(array, None), (Value::int(0), None)], span),
                    None => Ok(Value::Bool(operator == Op::NotEqual)),
                };
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
        if let Some((left, right)) = self.held_operands(left, right) {
            return self.compare_one(operator, &left, &right, span, spans);
        }
        if let Some((left, right)) = self.views_as_sets(left, right, span)? {
            return self.compare_one(operator, &left, &right, span, spans);
        }
        let is_order = !matches!(operator, Op::Equal | Op::NotEqual);
        self.refuse_equality_of_many(left, right, is_order, span);
        Ok(match operator {
            Op::Equal => self.equals(left, right),
            Op::NotEqual => match self.equals(left, right) {
                Value::Symbolic(equal) => self.opposite(equal),
                equal => self.negate(&equal),
            },
            _ => self.order(operator, left, right),
        })
    }

    /// The keys and entries of a dictionary are compared as sets are.
    fn views_as_sets(&mut self, left: &Value, right: &Value, span: Span) -> Eval<Option<(Value, Value)>> {
        let is_view = |value: &Value| matches!(value, Value::Iterator(it) if matches!(**it, Iteration::View { part, .. } if part != ViewPart::Values));
        if !is_view(left) && !is_view(right) || left.same(right) {
            return Ok(None);
        }
        if ![left, right].iter().all(|value| is_view(value) || matches!(value, Value::Set(_))) {
            return Ok(None);
        }
        let set = Value::library("builtins.set");
        let left = self.call(&set, CallArguments::positional(vec![left.clone()], span))?;
        let right = self.call(&set, CallArguments::positional(vec![right.clone()], span))?;
        Ok(Some((left, right)))
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
                let answer = self.call(&bound, CallArguments::positional(vec![other.clone()], span))?;
                if is_not_implemented(&answer) {
                    continue;
                }
                return Ok(Some(answer));
            }
            if operator == Op::NotEqual
                && let Some(method @ Value::Function(_)) = self.class_attribute(receiver, name!("__eq__"))
            {
                let bound = self.bind_method(receiver, method);
                let equal = self.call(&bound, CallArguments::positional(vec![other.clone()], span))?;
                return self.for_each_alternative(&equal, |this, equal| Ok(this.negate(&equal))).map(Some);
            }
        }
        if let Some((left, right)) = self.as_records(left, right) {
            return self.compare(operator, &left, &right, span, [span; 2]).map(Some);
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
        if let (Value::Set(a), Value::Set(b)) = (left, right) {
            let answers = self.is_subset(*a, *b).zip(self.is_subset(*b, *a));
            return match (operator, answers) {
                (Op::LessEqual, Some((answer, _))) | (Op::GreaterEqual, Some((_, answer))) => Value::Bool(answer),
                (Op::Less, Some((below, above))) => Value::Bool(below && !above),
                (Op::Greater, Some((below, above))) => Value::Bool(above && !below),
                _ => Value::Unknown("comparison"),
            };
        }
        if let (Value::List(a), Value::List(b)) = (left, right) {
            let items = |id: &ObjectId| self.heap.list(*id).filter(|it| it.rest.is_none()).map(|it| it.items.clone());
            return match (items(a), items(b)) {
                (Some(a), Some(b)) => self.order(operator, &Value::tuple(a), &Value::tuple(b)),
                _ => Value::Unknown("comparison"),
            };
        }
        if let (Value::Tuple(_), Value::Tuple(_)) = (left, right) {
            return match sorted::compare(left, right) {
                Some(order) => Value::Bool(match operator {
                    Op::Less => order.is_lt(),
                    Op::LessEqual => order.is_le(),
                    Op::Greater => order.is_gt(),
                    _ => order.is_ge(),
                }),
                None => Value::Unknown("comparison"),
            };
        }
        let numbers = floats(left, right);
        match (numbers, left, right) {
            (Some((a, b)), _, _) => Value::Bool(match operator {
                Op::Less => a < b,
                Op::LessEqual => a <= b,
                Op::Greater => a > b,
                _ => a >= b,
            }),
            // Nothing is below minus infinity, and nothing above infinity.
            _ if operator == Op::Less && (is_infinite(left, 1.0) || is_infinite(right, -1.0))
                || operator == Op::Greater && (is_infinite(left, -1.0) || is_infinite(right, 1.0)) =>
            {
                Value::Bool(false)
            }
            (None, Value::Str(Some(a)), Value::Str(Some(b))) => Value::Bool(match operator {
                Op::Less => a < b,
                Op::LessEqual => a <= b,
                Op::Greater => a > b,
                _ => a >= b,
            }),
            _ => self.order_of_unknown(operator, left, right),
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

    /// The items of a tuple as sizes.
    fn dims_of_items(&mut self, items: &[Value]) -> Option<Vec<Dim>> {
        items
            .iter()
            .map(|item| match self.read(item) {
                Value::Symbolic(id) if self.inference.is_some() && self.is_input(id) => {
                    let span = self.current_span();
                    self.refine_to_integer(id, "it is compared with a size", span)
                }
                item => item.as_dim(),
            })
            .collect()
    }

    /// `left == right`.
    pub fn equals(&mut self, left: &Value, right: &Value) -> Value {
        self.equals_within(left, right, &mut Walk::new())
    }

    fn equals_within(&mut self, left: &Value, right: &Value, walk: &mut Walk) -> Value {
        let answer = walk.part(|walk| self.equals_here(left, right, walk));
        answer.unwrap_or(Value::Unknown("comparison of deeply nested values"))
    }

    fn equals_here(&mut self, left: &Value, right: &Value, walk: &mut Walk) -> Value {
        if let (Some(a), Some(b)) = (left.as_dim(), right.as_dim()) {
            return self.constraint_value(Constraint::Equal(a, b));
        }
        if let Some(answer) = self.compare_mode(left, right) {
            return answer;
        }
        if let Some(answer) = self.compare_types(left, right) {
            return answer;
        }
        if matches!((left, right), (Value::DType(a), Value::DType(b)) if a != b && (*a == DType::Unknown || *b == DType::Unknown))
        {
            return Value::Unknown("comparison of element types");
        }
        // Some libraries take the name of a type for the type.
        if let (Value::DType(dtype), Value::Str(Some(text))) | (Value::Str(Some(text)), Value::DType(dtype)) =
            (left, right)
            && let Some(answer) = self.type_is_text(*dtype, text)
        {
            return answer;
        }
        // Of bytes and complex numbers only the type is known.
        if matches!((left, right), (Value::Bytes, Value::Bytes)) || is_complex_comparison(left, right) {
            return Value::Unknown(TRUTH);
        }
        // A member that is not called may be an attribute that nothing is known of.
        if matches!(left, Value::LibraryMethod(_)) != matches!(right, Value::LibraryMethod(_)) {
            return Value::Unknown("comparison with a member");
        }
        match (left, right) {
            (Value::Range(a), Value::Range(b)) if !left.same(right) => {
                let numbers = |bounds: &Rc<[Dim; 3]>| {
                    let [start, stop, step] = bounds.map(|bound| bound.as_const());
                    let count = crate::loops::loop_statements::count_of(bounds[0], bounds[2], Some(bounds[1]))?;
                    (stop.is_some()).then_some((count, (count > 0).then_some(start?), (count > 1).then_some(step?)))
                };
                match (numbers(a), numbers(b)) {
                    (Some(a), Some(b)) => Value::Bool(a == b),
                    _ => Value::Unknown("comparison of ranges"),
                }
            }
            (Value::Size(a), Value::Size(b)) => self.constraint_value(Constraint::SameShape(a.clone(), b.clone())),
            (Value::Size(shape), Value::Tuple(items)) | (Value::Tuple(items), Value::Size(shape)) => {
                let items = Rc::clone(items);
                match self.dims_of_items(&items) {
                    Some(dims) => self.constraint_value(Constraint::SameShape(shape.clone(), Shape::known(dims))),
                    None => Value::Unknown("comparison"),
                }
            }
            (Value::Tuple(a), Value::Tuple(b)) => {
                let (a, b) = (Rc::clone(a), Rc::clone(b));
                self.equal_items(&a, &b, walk)
            }
            (shape @ (Value::Tuple(_) | Value::Size(_)), list @ Value::List(_))
            | (list @ Value::List(_), shape @ (Value::Tuple(_) | Value::Size(_)))
                if let Some(items) = self.list_beside_shape(shape, list) =>
            {
                self.equals_within(shape, &Value::Tuple(items), walk)
            }
            (Value::List(a), Value::List(b)) => {
                let (Some(a), Some(b)) = (self.heap.list(*a).cloned(), self.heap.list(*b).cloned()) else {
                    return Value::Unknown("comparison");
                };
                if a.rest.is_some() || b.rest.is_some() {
                    return Value::Unknown("comparison");
                }
                self.equal_items(&a.items, &b.items, walk)
            }
            (Value::Str(Some(a)), Value::Str(Some(b))) => Value::Bool(self.same_texts(a, b)),
            (Value::None, text @ Value::Str(Some(_))) | (text @ Value::Str(Some(_)), Value::None) => {
                self.note_sought_texts(&Value::None, std::slice::from_ref(text), self.current_span());
                Value::Bool(false)
            }
            (
                Value::Float(Some(_)) | Value::Int(_) | Value::Bool(_),
                Value::Float(Some(_)) | Value::Int(_) | Value::Bool(_),
            ) => match floats(left, right) {
                Some((a, b)) => Value::Bool(a == b),
                None => Value::Unknown("comparison"),
            },
            _ if left.is_unknown() || right.is_unknown() => match (left, right) {
                (Value::Symbolic(a), Value::Symbolic(b)) if a == b => Value::Bool(true),
                _ => self.memoised_comparison(left, right),
            },
            (Value::Str(None) | Value::Float(_) | Value::Ratio(_), _)
            | (_, Value::Str(None) | Value::Float(_) | Value::Ratio(_))
                if same_type(left, right) =>
            {
                Value::Unknown(TRUTH)
            }
            // An object is not `None`, unless its class says so.
            (object @ Value::Instance(_), Value::None) | (Value::None, object @ Value::Instance(_))
                if self.class_attribute(object, name!("__eq__")).is_none() =>
            {
                Value::Bool(false)
            }
            (Value::Set(a), Value::Set(b)) if let Some(answer) = self.is_subset(*a, *b).zip(self.is_subset(*b, *a)) => {
                Value::Bool(answer == (true, true))
            }
            (Value::Dict(_) | Value::Set(_), other) | (other, Value::Dict(_) | Value::Set(_))
                if is_number_or_text(other) =>
            {
                Value::Bool(false)
            }
            (Value::Dict(a), Value::Dict(b)) if let Some(answer) = self.equal_entries(*a, *b, walk) => answer,
            (Value::Instance(_), Value::Instance(_)) if let Some(answer) = self.equal_namespaces(left, right) => answer,
            (Value::Instance(_) | Value::Dict(_) | Value::Set(_), _) | (_, Value::Instance(_)) => {
                // Each member of an enumeration is one object.
                let is_none = left.is_none() || right.is_none();
                if is_none
                    && [left, right].iter().any(|it| self.is_device_class(&self.class_of(it)) || self.is_module(it))
                {
                    return Value::Bool(false);
                }
                if !left.same(right) && (self.is_enumerated(left) || self.is_enumerated(right)) && !left.is_unknown() {
                    Value::Bool(false)
                } else if left.same(right) {
                    Value::Bool(true)
                } else if self.are_other_objects(left, right) {
                    Value::Bool(false)
                } else {
                    Value::Unknown("comparison")
                }
            }
            (tensor @ Value::Tensor(_), other) | (other, tensor @ Value::Tensor(_)) if !left.same(right) => {
                self.equals_element(tensor, other)
            }
            _ => Value::Bool(left.same(right)),
        }
    }

    /// Whether what a tensor holds is equal to something, as the items of a list are compared with it.
    fn equals_element(&mut self, value: &Value, other: &Value) -> Value {
        let Value::Tensor(tensor) = value else { return Value::Unknown("comparison") };
        let holds_numbers = tensor.dtype.is_integer() || tensor.dtype.is_floating();
        match other {
            Value::None => Value::Bool(false),
            Value::Str(_) if holds_numbers => Value::Bool(false),
            _ => match (other.as_dim(), self.drawn_number(value)) {
                (Some(number), Some(element)) => self.constraint_value(Constraint::Equal(number, element)),
                _ => Value::Unknown("comparison with an element"),
            },
        }
    }

    /// A comparison of an unknown value with a constant gives the same answer each time it is asked, and agrees with what the path says
    /// of other constants.
    pub(crate) fn memoised_comparison(&mut self, left: &Value, right: &Value) -> Value {
        let ((Value::Symbolic(id), constant) | (constant, Value::Symbolic(id))) = (left, right) else {
            return Value::Unknown("comparison");
        };
        let constant = &self.value_of_member(constant);
        if constant.is_unknown() {
            return Value::Unknown("comparison");
        }
        if self.is_ruled_out(*id, constant) {
            return Value::Bool(false);
        }
        let answer = self.memoised_answer(*id, &format!("{EQUALS}{}", constant.describe()));
        if let (Value::Symbolic(answer), Value::Int(_)) = (&answer, constant) {
            self.heap.set_attribute(*answer, Name::new(COMPARED), constant.clone());
        }
        answer
    }

    /// Decisions on whether an unknown value equals some integer are decisions on a number once the value turns out to be one.
    pub fn decisions_on_integer(&mut self, id: ObjectId, dim: Dim) {
        let questions = self.heap.object(id).attributes.iter();
        let answers: Vec<ObjectId> = questions
            .filter(|(question, _)| question.as_str().starts_with(EQUALS))
            .filter_map(|(_, answer)| if let Value::Symbolic(answer) = answer { Some(*answer) } else { None })
            .collect();
        for answer in answers {
            let Some(Value::Int(other)) = self.heap.attribute(answer, Name::new(COMPARED)).cloned() else { continue };
            let decision =
                self.tables.object_decisions.get(&answer).and_then(|id| self.decisions.get_mut(id.0 as usize));
            if let Some(decision) = decision {
                decision.constraint = Some(Constraint::Equal(dim, other));
            }
            if let Some(taken) = self.decision_of(answer) {
                let fact = Constraint::Equal(dim, other);
                self.solver.assume(&if taken { fact } else { fact.negated() });
            }
        }
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
        if let Value::Symbolic(answer) = answer {
            self.heap.set_attribute(answer, Name::new(ASKED_OF), Value::Symbolic(id));
        }
        self.heap.set_attribute(id, key, answer.clone());
        answer
    }

    /// What an answer answers, and of which value.
    pub(crate) fn question_of(&self, answer: ObjectId) -> Option<(ObjectId, Question)> {
        let Some(Value::Symbolic(of)) = self.heap.attribute(answer, Name::new(ASKED_OF)) else { return None };
        Some((*of, Question::parse(&self.heap.symbolic(answer)?.description)?))
    }

    /// Whether the path says that an unknown value is another text or number than this one: it equals another one, is one of some others,
    /// or is none of some among which this one is.
    fn is_ruled_out(&self, id: ObjectId, constant: &Value) -> bool {
        is_plain_constant(constant) && is_excluded(self.library, &self.answered(id), constant)
    }

    /// What the path says of questions about an unknown value.
    pub(crate) fn answered(&self, id: ObjectId) -> Vec<(Question, bool)> {
        let attributes = self.heap.object(id).attributes.iter();
        let answers = attributes.filter_map(|(question, answer)| {
            let Value::Symbolic(answer) = answer else { return None };
            let taken = self.decision_of(*answer)?;
            Some((Question::parse(question.as_str())?, taken))
        });
        answers.collect()
    }

    pub(crate) fn equal_items(&mut self, left: &[Value], right: &[Value], walk: &mut Walk) -> Value {
        if left.len() != right.len() {
            return Value::Bool(false);
        }
        let mut constraints = Vec::new();
        for (a, b) in left.iter().zip(right) {
            match self.equals_within(a, b, walk) {
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

    pub(crate) fn identical(&mut self, left: &Value, right: &Value) -> Value {
        match (left, right) {
            (Value::None, Value::None) => Value::Bool(true),
            (Value::Bool(a), Value::Bool(b)) => Value::Bool(a == b),
            // What `None` stands for where a signature is inferred is a case of its own.
            (Value::Symbolic(id), Value::None) | (Value::None, Value::Symbolic(id))
                if self.inference.is_some() && self.is_input(*id) =>
            {
                Value::Bool(false)
            }
            // What was asked for a member is not `None`, and neither is a text.
            (Value::Symbolic(id), Value::None) | (Value::None, Value::Symbolic(id))
                if self.has_members_read(*id) || self.is_some_text(*id) || self.is_made_by_class(*id) =>
            {
                Value::Bool(false)
            }
            (Value::Symbolic(_) | Value::Unknown(_), _) | (_, Value::Symbolic(_) | Value::Unknown(_)) => {
                self.memoised_comparison(left, right)
            }
            (Value::Complex, Value::Complex) | (Value::Bytes, Value::Bytes) => Value::Unknown(TRUTH),
            (member @ Value::LibraryMethod(_), other) | (other, member @ Value::LibraryMethod(_))
                if !matches!(other, Value::LibraryMethod(_)) && !self.is_surely_a_method(member) =>
            {
                Value::Unknown("comparison with a member")
            }
            // Tensors that are alike may be one or two: what is computed in place, and some views, are the operand itself.
            (Value::Tensor(a), Value::Tensor(b)) if !Rc::ptr_eq(a, b) && left.same(right) => {
                Value::Unknown("identity of tensors")
            }
            _ => Value::Bool(left.same(right)),
        }
    }

    /// Whether a member that nobody called is a method: what is not described may be an attribute that nothing is known of.
    fn is_surely_a_method(&self, member: &Value) -> bool {
        let Value::LibraryMethod(method) = member else { return false };
        self.method_handler(method.api).is_some() || self.library_entry(method.api).is_some()
    }
}

/// Whether a complex number, of which the value is not known, is compared with a number.
fn is_complex_comparison(left: &Value, right: &Value) -> bool {
    let is_number =
        |value: &Value| matches!(value, Value::Complex | Value::Ratio(_) | Value::Float(_)) || value.as_dim().is_some();
    matches!(left, Value::Complex) && is_number(right) || matches!(right, Value::Complex) && is_number(left)
}

/// A constant that equals no other one.
pub(crate) fn is_plain_constant(value: &Value) -> bool {
    matches!(value, Value::Str(Some(_)) | Value::None) || value.as_int().is_some()
}

/// Two numbers as floats, where floats tell them apart: from 2**53 on, they are not all integers.
fn floats(left: &Value, right: &Value) -> Option<(f64, f64)> {
    const ALL_INTEGERS: u64 = 1 << 53;
    let is_exact = |value: &Value| value.as_int().is_none_or(|integer| integer.unsigned_abs() <= ALL_INTEGERS);
    number(left).zip(number(right)).filter(|_| is_exact(left) && is_exact(right))
}

fn same_type(left: &Value, right: &Value) -> bool {
    matches!(
        (left, right),
        (Value::Str(_), Value::Str(_))
            | (Value::Float(_) | Value::Ratio(_) | Value::Int(_), Value::Float(_) | Value::Ratio(_) | Value::Int(_))
    )
}

/// Whether a value is a number or a text that is known: no container is equal to one.
fn is_number_or_text(value: &Value) -> bool {
    matches!(value, Value::Int(_) | Value::Bool(_) | Value::Float(Some(_)) | Value::Str(Some(_)))
}

/// Whether a value is infinity, of the sign.
fn is_infinite(value: &Value, sign: f64) -> bool {
    matches!(value, Value::Float(Some(number)) if number.is_infinite() && number.signum() == sign)
}
