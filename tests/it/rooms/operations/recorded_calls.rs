//! The transfer functions against recorded results of the real library, one expression a case.
//!
//! A small evaluator walks the expression: enough Python for these cases and no more. Every run replays the calls that the library refuses and some that it
//! accepts; with `HARP_ALL_CALLS=1` it replays all.

use crate::common::families::rules;
use std::collections::BTreeMap;
use std::path::PathBuf;

use harp::annotations::{ApiSpec, Behaviour, Literal, ParameterKind};
use harp::corpus::FileId;
use harp::operations::apply_signature::apply_signature;
use harp::operations::operation::{Argument, Arguments, Judged, Operation, Output, TensorArgument};
use harp::operations::{field_names, lookup};
use harp::python::ir::{ArgumentKind, BinaryOperator, CompareOperator, Expr, ExprKind, StmtKind, UnaryOperator};
use harp::python::name::Name;
use harp::python::parse_module;
use harp::shape::{DType, Dim, Outcome, Shape, Solver, Var, VarInfo};

use crate::common::recorded_calls;

/// A value of the evaluator.
#[derive(Clone)]
enum Value {
    /// A module, function or class by its qualified name.
    Qualified(String),
    Argument(Argument),
    Size(Vec<Dim>),
    /// A tuple that an operation returned, with the name of the operation.
    Results(Vec<Value>, String),
    Instance {
        class: String,
        constructor: Arguments,
        training: bool,
    },
    Sequential(Vec<Value>),
    BoundMethod(Box<Value>, String),
    Text(&'static str),
}

/// Why there is no value.
enum Failure {
    Violated(String),
    Unknown(String),
}

type Evaluated = Result<Value, Failure>;

fn unknown<T>(reason: impl Into<String>) -> Result<T, Failure> {
    Err(Failure::Unknown(reason.into()))
}

/// What the evaluator hides from the operations.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Hidden {
    Nothing,
    /// The sizes of created tensors: each is a free variable.
    Sizes,
    /// As `Sizes`, and a requirement cannot bind them.
    FixedSizes,
    /// The shapes of created tensors.
    Shapes,
    /// Integers that are passed to anything but the creation of a tensor.
    Integers,
}

struct Evaluator {
    solver: Solver,
    remarks: usize,
    hidden: Hidden,
    /// The sizes behind the variables.
    sizes: BTreeMap<Var, i64>,
}

impl Evaluator {
    fn new(hidden: Hidden) -> Evaluator {
        Evaluator { solver: Solver::new(), remarks: 0, hidden, sizes: BTreeMap::new() }
    }

    /// A created tensor without what is to be hidden of it.
    fn hide(&mut self, tensor: TensorArgument) -> TensorArgument {
        let shape = match self.hidden {
            Hidden::Sizes | Hidden::FixedSizes => tensor.shape.map_dims(|dim| {
                let Some(size) = dim.as_const() else { return dim };
                let info = if self.hidden == Hidden::Sizes { VarInfo::free("n") } else { VarInfo::fixed("n") };
                let variable = Var::fresh(info.between(Some(size.min(1)), None));
                self.sizes.insert(variable, size);
                Dim::var(variable)
            }),
            Hidden::Shapes => Shape::unknown("s"),
            Hidden::Nothing | Hidden::Integers => tensor.shape,
        };
        TensorArgument { shape, dtype: tensor.dtype }
    }

    /// The value of a dimension at the sizes behind the variables.
    fn size(&self, dim: Dim) -> Option<i64> {
        self.solver.resolve(dim).evaluate(&mut |variable| self.sizes.get(&variable).copied())
    }
}

impl Evaluator {
    fn expression(&mut self, expr: &Expr) -> Evaluated {
        match &expr.kind {
            ExprKind::Name(name) => Ok(Value::Qualified(match name.as_str() {
                "nn" => "torch.nn".to_owned(),
                "F" => "torch.nn.functional".to_owned(),
                other => other.to_owned(),
            })),
            ExprKind::None => Ok(Value::Argument(Argument::None)),
            ExprKind::Bool(value) => Ok(Value::Argument(Argument::Boolean(*value))),
            ExprKind::Int(value) => Ok(Value::Argument(Argument::Integer(Dim::constant(*value)))),
            ExprKind::Float(value) => Ok(Value::Argument(Argument::Float(Some(*value)))),
            ExprKind::Str(text) => Ok(Value::Argument(Argument::Text(text.to_string().into()))),
            ExprKind::Ellipsis => Ok(Value::Argument(Argument::Ellipsis)),
            ExprKind::List(items) | ExprKind::Tuple(items) => {
                let items = items.iter().map(|item| self.argument(item)).collect::<Result<Vec<_>, _>>()?;
                Ok(Value::Argument(Argument::Sequence(items)))
            }
            ExprKind::Slice { lower, upper, step } => {
                let mut bound = |bound: &Option<Box<Expr>>| match bound {
                    Some(bound) => self.argument(bound).map(Box::new),
                    None => Ok(Box::new(Argument::None)),
                };
                Ok(Value::Argument(Argument::Slice { lower: bound(lower)?, upper: bound(upper)?, step: bound(step)? }))
            }
            ExprKind::Unary { operator: UnaryOperator::Minus, operand } => match self.argument(operand)? {
                Argument::Integer(dim) => Ok(Value::Argument(Argument::Integer(dim.neg()))),
                Argument::Float(Some(value)) => Ok(Value::Argument(Argument::Float(Some(-value)))),
                _ => unknown("minus"),
            },
            ExprKind::Binary { operator, left, right } => {
                let method = match operator {
                    BinaryOperator::Add => "__add__",
                    BinaryOperator::Subtract => "__sub__",
                    BinaryOperator::Multiply => "__mul__",
                    BinaryOperator::Divide => "__truediv__",
                    BinaryOperator::Power => "__pow__",
                    BinaryOperator::MatrixMultiply => "__matmul__",
                    _ => return unknown("operator"),
                };
                self.operator(method, left, right)
            }
            ExprKind::Compare { left, rest } => {
                let method = match rest[0].0 {
                    CompareOperator::Less => "__lt__",
                    CompareOperator::Greater => "__gt__",
                    CompareOperator::Equal => "__eq__",
                    _ => return unknown("comparison"),
                };
                self.operator(method, left, &rest[0].1)
            }
            ExprKind::Attribute { value, attribute, .. } => {
                let value = self.expression(value)?;
                self.attribute(value, attribute.as_str())
            }
            ExprKind::Subscript { value, index } => {
                let value = self.expression(value)?;
                self.subscript(value, index)
            }
            ExprKind::Call(call) => {
                let function = self.expression(&call.function)?;
                let mut positional = Vec::new();
                let mut keywords = Vec::new();
                for argument in &call.arguments {
                    let value = self.expression(&argument.value)?;
                    match argument.kind {
                        ArgumentKind::Positional => positional.push(value),
                        ArgumentKind::Keyword(name) => keywords.push((name.as_str().to_owned(), value)),
                        _ => return unknown("starred argument"),
                    }
                }
                self.call(function, positional, &keywords)
            }
            _ => unknown("expression"),
        }
    }

    fn argument(&mut self, expr: &Expr) -> Result<Argument, Failure> {
        let value = self.expression(expr)?;
        to_argument(value)
    }

    fn operator(&mut self, method: &str, left: &Expr, right: &Expr) -> Evaluated {
        let (left, right) = (self.expression(left)?, self.expression(right)?);
        let is_tensor = |value: &Value| matches!(value, Value::Argument(Argument::Tensor(_)));
        let (receiver, argument) = if is_tensor(&left) { (left, right) } else { (right, left) };
        self.call(Value::BoundMethod(Box::new(receiver), method.to_owned()), vec![argument], &[])
    }

    fn attribute(&mut self, value: Value, name: &str) -> Evaluated {
        match &value {
            Value::Qualified(qualified) => Ok(Value::Qualified(format!("{qualified}.{name}"))),
            Value::Argument(Argument::Tensor(_)) => match harp::builtin::library().property("torch.Tensor", name) {
                Some(spec) => self.run(spec, &format!("torch.Tensor.{name}"), vec![value], &[], Arguments::default()),
                None => Ok(Value::BoundMethod(Box::new(value), name.to_owned())),
            },
            Value::Results(items, operation) => {
                let position = field_names(operation).iter().position(|field| *field == name);
                position.and_then(|position| items.get(position)).cloned().map_or_else(|| unknown(name), Ok)
            }
            _ => Ok(Value::BoundMethod(Box::new(value), name.to_owned())),
        }
    }

    fn subscript(&mut self, value: Value, index: &Expr) -> Evaluated {
        if let Value::Argument(Argument::Tensor(_)) = &value {
            let items = match &index.kind {
                ExprKind::Tuple(items) => {
                    items.iter().map(|item| self.argument(item)).collect::<Result<Vec<_>, _>>()?
                }
                _ => vec![self.argument(index)?],
            };
            let index = Value::Argument(Argument::Sequence(items));
            return self.call(Value::BoundMethod(Box::new(value), "__getitem__".to_owned()), vec![index], &[]);
        }
        let items: Vec<Value> = match value {
            Value::Results(items, _) => items,
            Value::Size(dims) => dims.into_iter().map(|dim| Value::Argument(Argument::Integer(dim))).collect(),
            _ => return unknown("subscript"),
        };
        let index = self.argument(index)?.as_int().unwrap_or(0);
        let length = items.len() as i64;
        let place = if index < 0 { index + length } else { index };
        items
            .get(usize::try_from(place).unwrap_or(usize::MAX))
            .cloned()
            .ok_or_else(|| Failure::Violated("index out of range".to_owned()))
    }

    fn call(&mut self, function: Value, mut positional: Vec<Value>, keywords: &[(String, Value)]) -> Evaluated {
        match function {
            Value::Qualified(name) if name.ends_with(".Sequential") => Ok(Value::Sequential(positional)),
            Value::Qualified(name) => {
                if let Some(spec) = harp::builtin::library().function(&name) {
                    return self.run(spec, &name, positional, keywords, Arguments::default());
                }
                let Some(class) = harp::builtin::library().class(&name) else { return unknown(name) };
                let constructor = bind(&class.constructor, &positional, keywords, Arguments::default())?;
                if let Behaviour::Transfer(transfer) = &class.constructor.behaviour {
                    self.transfer(transfer, &name, &constructor)?;
                }
                Ok(Value::Instance { class: name, constructor, training: true })
            }
            Value::Instance { class, mut constructor, training } => {
                let Some(spec) = harp::builtin::library().class(&class).and_then(|class| class.call.as_ref()) else {
                    return unknown(class);
                };
                constructor.push("training", Argument::Boolean(training));
                self.run(spec, &class, positional, keywords, constructor)
            }
            Value::Sequential(layers) => {
                for layer in layers {
                    positional = vec![self.call(layer, positional, &[])?];
                }
                positional.pop().map_or_else(|| unknown("sequential"), Ok)
            }
            Value::BoundMethod(receiver, name) => match *receiver {
                Value::Instance { class, constructor, .. } if name == "eval" => {
                    Ok(Value::Instance { class, constructor, training: false })
                }
                receiver @ Value::Argument(Argument::Tensor(_)) => {
                    let Some(spec) = harp::builtin::library().method("torch.Tensor", &name) else {
                        return unknown(name);
                    };
                    positional.insert(0, receiver);
                    if name == "__setitem__" {
                        positional[1] = Value::Argument(match positional[1].clone() {
                            Value::Argument(Argument::Sequence(items)) => Argument::Sequence(items),
                            other => Argument::Sequence(vec![to_argument(other)?]),
                        });
                    }
                    self.run(spec, &format!("torch.Tensor.{name}"), positional, keywords, Arguments::default())
                }
                _ => unknown(name),
            },
            _ => unknown("call"),
        }
    }

    fn run(
        &mut self,
        spec: &ApiSpec,
        api: &str,
        positional: Vec<Value>,
        keywords: &[(String, Value)],
        before: Arguments,
    ) -> Evaluated {
        let arguments = bind(spec, &positional, keywords, before)?;
        match &spec.behaviour {
            Behaviour::Transfer(name) => {
                let created = matches!(&**name, "create");
                let arguments = if created { arguments } else { self.without_integers(arguments) };
                Ok(match self.transfer(name, api, &arguments)? {
                    Value::Argument(Argument::Tensor(tensor)) if created => {
                        Value::Argument(Argument::Tensor(self.hide(tensor)))
                    }
                    value => value,
                })
            }
            Behaviour::Signature(signature) => {
                let arguments = self.without_integers(arguments);
                let (output, judged) = apply_signature(&mut self.solver, api, rules(api), spec, signature, &arguments);
                self.result(output, &judged, api, &arguments)
            }
            Behaviour::Opaque(harp::annotations::ResultType::Argument(name)) => {
                Ok(Value::Argument(arguments.value(name)))
            }
            Behaviour::Source => unknown(format!("{api}: a source in Python")),
            Behaviour::Opaque(_) => unknown(format!("{api}: opaque")),
        }
    }

    fn without_integers(&self, arguments: Arguments) -> Arguments {
        if self.hidden != Hidden::Integers {
            return arguments;
        }
        let mut hidden = Arguments::default();
        for (name, argument) in arguments.iter() {
            let is_integer = |argument: &Argument| matches!(argument, Argument::Integer(_));
            hidden.push(
                name,
                match argument {
                    Argument::Integer(_) => Argument::Unknown,
                    Argument::Sequence(items) if items.iter().all(is_integer) => Argument::Unknown,
                    other => other.clone(),
                },
            );
        }
        hidden
    }

    fn transfer(&mut self, name: &str, api: &str, arguments: &Arguments) -> Evaluated {
        let Some(transfer) = lookup(name) else { return unknown(format!("{api}: no transfer {name}")) };
        let mut operation = Operation::new(api, rules(api), arguments, &mut self.solver);
        let output = transfer(&mut operation);
        let (remarks, judged) = (operation.remarks.len(), operation.judged);
        self.remarks += remarks;
        self.result(output, &judged, api, arguments)
    }

    fn result(&self, output: Output, judged: &[Judged], api: &str, arguments: &Arguments) -> Evaluated {
        // Sizes that are given but not known make most requirements possible to break.
        let possible = self.hidden != Hidden::FixedSizes;
        let fails = |outcome: &Outcome| match outcome {
            Outcome::Violated => true,
            Outcome::Possible(_) => possible,
            _ => false,
        };
        if let Some(judged) = judged.iter().find(|judged| fails(&judged.outcome)) {
            return Err(Failure::Violated(judged.message.clone()));
        }
        value_of(output, api, arguments)
    }
}

fn value_of(output: Output, api: &str, arguments: &Arguments) -> Evaluated {
    Ok(match output {
        Output::Tensor { shape, dtype } => Value::Argument(Argument::Tensor(TensorArgument { shape, dtype })),
        Output::Argument(name) => Value::Argument(arguments.value(&name)),
        Output::Tuple(items) | Output::List(items) => {
            let items = items.into_iter().map(|item| value_of(item, api, arguments)).collect::<Result<Vec<_>, _>>()?;
            Value::Results(items, api.to_owned())
        }
        Output::Size(dims) => Value::Size(dims),
        Output::Integer(dim) => Value::Argument(Argument::Integer(dim)),
        Output::Float => Value::Text("float"),
        Output::Boolean(_) => Value::Text("bool"),
        Output::None => Value::Argument(Argument::None),
        Output::OpenSize(_) => return unknown(format!("{api}: a size of unknown rank")),
        Output::Several(..) => return unknown(format!("{api}: several results")),
        Output::Unknown(reason) => return unknown(format!("{api}: {reason}")),
    })
}

fn to_argument(value: Value) -> Result<Argument, Failure> {
    Ok(match value {
        Value::Argument(argument) => argument,
        Value::Size(dims) => Argument::Sequence(dims.into_iter().map(Argument::Integer).collect()),
        Value::Results(items, _) => {
            Argument::Sequence(items.into_iter().map(to_argument).collect::<Result<Vec<_>, _>>()?)
        }
        Value::Qualified(name) => DType::parse(&name).map_or(Argument::Unknown, Argument::DType),
        _ => Argument::Unknown,
    })
}

fn bind(
    spec: &ApiSpec,
    positional: &[Value],
    keywords: &[(String, Value)],
    mut arguments: Arguments,
) -> Result<Arguments, Failure> {
    let mut given: BTreeMap<&str, Argument> = BTreeMap::new();
    let mut rest = positional.iter();
    for parameter in &spec.parameters {
        match parameter.kind {
            ParameterKind::VariadicPositional => {
                let items = rest.by_ref().map(|value| to_argument(value.clone())).collect::<Result<Vec<_>, _>>()?;
                if !items.is_empty() || !keywords.iter().any(|(name, _)| **name == *parameter.name) {
                    given.insert(&parameter.name, Argument::Sequence(items));
                }
            }
            ParameterKind::PositionalOnly | ParameterKind::PositionalOrKeyword => {
                if let Some(value) = rest.next() {
                    given.insert(&parameter.name, to_argument(value.clone())?);
                }
            }
            _ => {}
        }
    }
    if rest.next().is_some() {
        return Err(Failure::Violated("too many arguments".to_owned()));
    }
    for (name, value) in keywords {
        let Some(parameter) = spec.keyword(name) else {
            return unknown(format!("keyword {name} of {}", spec.qualified_name));
        };
        given.insert(&parameter.name, to_argument(value.clone())?);
    }
    for parameter in &spec.parameters {
        let value = given.remove(&*parameter.name).or_else(|| parameter.default.as_ref().map(literal));
        if let Some(value) = value {
            arguments.push(spec.argument_name(&parameter.name), value);
        }
    }
    Ok(arguments)
}

fn literal(literal: &Literal) -> Argument {
    match literal {
        Literal::None => Argument::None,
        Literal::Bool(value) => Argument::Boolean(*value),
        Literal::Integer(value) => Argument::Integer(Dim::constant(*value)),
        Literal::Float(value) => Argument::Float(Some(*value)),
        Literal::Text(text) => Argument::Text(text.to_string().into()),
        Literal::Tuple(items) | Literal::List(items) => Argument::Sequence(items.iter().map(self::literal).collect()),
        Literal::Name(name) => DType::parse(name).map_or(Argument::Unknown, Argument::DType),
        Literal::Ellipsis => Argument::Unknown,
    }
}

/// A value in the form in which results are recorded; `None` where a part is not known.
fn recorded(value: &Value, evaluator: &Evaluator) -> Option<serde_json::Value> {
    let solver = &evaluator.solver;
    let dims = |dims: &[Dim]| -> Option<serde_json::Value> {
        let dims: Option<Vec<i64>> = dims.iter().map(|dim| evaluator.size(*dim)).collect();
        Some(dims?.into())
    };
    Some(match value {
        Value::Argument(Argument::Tensor(tensor)) => dims(&solver.resolve_shape(&tensor.shape).dims()?)?,
        Value::Argument(Argument::None) => serde_json::json!({"v": null}),
        Value::Argument(Argument::Integer(dim)) => serde_json::json!({"v": evaluator.size(*dim)?}),
        Value::Size(sizes) => serde_json::json!({"size": dims(sizes)?}),
        Value::Results(items, _) => {
            let items: Option<Vec<_>> = items.iter().map(|item| recorded(item, evaluator)).collect();
            serde_json::json!({"t": items?})
        }
        Value::Text(text) => serde_json::json!({"v": text}),
        _ => return None,
    })
}

/// How a case went.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Verdict {
    Agree,
    Unknown,
    Wrong,
    WrongType,
    FalseAlarm,
    Found,
    Missed,
    MissedWarning,
}

#[derive(serde::Deserialize)]
struct Case {
    op: String,
    code: String,
    ok: bool,
    shape: Option<serde_json::Value>,
    dtype: Option<String>,
    error: Option<String>,
    warn: Option<String>,
}

fn judge(case: &Case, hidden: Hidden) -> (Verdict, String) {
    let parsed = parse_module(FileId(0), Name::new("case"), false, &case.code);
    let Some(StmtKind::Expr(expr)) = parsed.module.body.first().map(|stmt| &stmt.kind) else {
        return (Verdict::Unknown, "not parsed".to_owned());
    };
    let mut evaluator = Evaluator::new(hidden);
    let result = evaluator.expression(expr);
    match (case.ok, result) {
        (true, Err(Failure::Violated(message))) => (Verdict::FalseAlarm, message),
        (false, Err(Failure::Violated(message))) => (Verdict::Found, message),
        (true, Err(Failure::Unknown(reason))) => (Verdict::Unknown, reason),
        (false, Err(Failure::Unknown(reason))) => (Verdict::Missed, reason),
        (false, Ok(_)) => (Verdict::Missed, case.error.clone().unwrap_or_default()),
        (true, Ok(value)) => {
            let Some(found) = recorded(&value, &evaluator) else { return (Verdict::Unknown, "a size".to_owned()) };
            if Some(&found) != case.shape.as_ref() {
                return (Verdict::Wrong, found.to_string());
            }
            if let (Value::Argument(Argument::Tensor(tensor)), Some(dtype)) = (&value, &case.dtype)
                && tensor.dtype.is_known()
                && tensor.dtype.to_string() != *dtype
            {
                return (Verdict::WrongType, tensor.dtype.to_string());
            }
            if case.warn.is_some() && evaluator.remarks == 0 {
                return (Verdict::MissedWarning, String::new());
            }
            (Verdict::Agree, String::new())
        }
    }
}

/// The recorded results: of the operations that programs use most, and of rarer ones.
const FILES: [&str; 2] = ["torch_ops.jsonl", "torch_rarer_ops.jsonl"];

fn cases() -> Vec<Case> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let mut cases = Vec::new();
    for file in FILES {
        let text = std::fs::read_to_string(folder.join(file)).expect("the recorded results are part of the repository");
        cases.extend(text.lines().map(|line| serde_json::from_str::<Case>(line).expect("a case a line")));
    }
    let chosen = recorded_calls::chosen(&cases, |case: &Case| (case.ok, &case.op, &case.code));
    cases.into_iter().zip(chosen).filter_map(|(case, is)| is.then_some(case)).collect()
}

/// Judges all cases; gives the counts, and prints what is not as it should be.
fn judge_all(hidden: Hidden, printed: &[Verdict]) -> BTreeMap<Verdict, usize> {
    let speculates = |op: &str| hidden != Hidden::Nothing && SPECULATIVE.contains(&op);
    let mut counts: BTreeMap<Verdict, usize> = BTreeMap::new();
    let mut shown: BTreeMap<(Verdict, String), Vec<String>> = BTreeMap::new();
    for case in cases().into_iter().filter(|case| !speculates(&case.op)) {
        let (verdict, detail) = judge(&case, hidden);
        *counts.entry(verdict).or_default() += 1;
        if printed.contains(&verdict) {
            let shape = case.shape.map(|shape| shape.to_string());
            let line = format!("{} => {detail}   (real: {shape:?} {:?})", case.code, case.error);
            shown.entry((verdict, case.op)).or_default().push(line);
        }
    }
    for ((verdict, op), lines) in &shown {
        println!("{verdict:?} {op} {}", lines.len());
        lines.iter().take(4).for_each(|line| println!("    {line}"));
    }
    println!("{counts:?}");
    counts
}

/// Operations that take a symbolic size for a typical one: `squeeze` for one that is not 1, `chunk` for one that suffices for all
/// chunks, `einsum` for one that is the same wherever its subscript stands.
const SPECULATIVE: [&str; 5] = ["chunk", "chunk_item", "m.squeeze", "torch.squeeze", "einsum"];

/// At most so many valid cases have an unknown result, and so many errors are not found; the numbers only go down.
const MOST: [(Verdict, usize); 2] = [(Verdict::Unknown, 67), (Verdict::Missed, 12)];

const NEVER: [Verdict; 3] = [Verdict::Wrong, Verdict::WrongType, Verdict::FalseAlarm];

#[test]
fn agrees_with_the_real_library() {
    let counts = judge_all(
        Hidden::Nothing,
        &[NEVER.as_slice(), &[Verdict::Unknown, Verdict::Missed, Verdict::MissedWarning]].concat(),
    );
    assert!(NEVER.iter().all(|verdict| !counts.contains_key(verdict)), "{counts:?}");
    for (verdict, most) in MOST {
        let count = counts.get(&verdict).copied().unwrap_or(0);
        assert!(count <= most, "{count} cases are {verdict:?}, at most {most} may be");
    }
}

#[test]
fn agrees_where_sizes_are_free() {
    let counts = judge_all(Hidden::Sizes, &NEVER);
    assert!(NEVER.iter().all(|verdict| !counts.contains_key(verdict)), "{counts:?}");
}

#[test]
fn agrees_where_sizes_are_fixed() {
    let counts = judge_all(Hidden::FixedSizes, &NEVER);
    assert!(NEVER.iter().all(|verdict| !counts.contains_key(verdict)), "{counts:?}");
}

#[test]
fn raises_no_alarm_where_shapes_are_unknown() {
    let counts = judge_all(Hidden::Shapes, &NEVER);
    assert!(NEVER.iter().all(|verdict| !counts.contains_key(verdict)), "{counts:?}");
}

#[test]
fn raises_no_alarm_where_integers_are_unknown() {
    let counts = judge_all(Hidden::Integers, &NEVER);
    assert!(NEVER.iter().all(|verdict| !counts.contains_key(verdict)), "{counts:?}");
}
