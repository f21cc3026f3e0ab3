//! The abstract values, which programs compute with, as far as the analysis knows them.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

use harp_corpus::Span;
use harp_limits::light_tick;
use harp_python::ir;
use harp_python::name::Name;
use harp_shape::{Constraint, DType, Dim, Family, Shape};
use harp_trace::assumption::AssumptionSet;
pub use harp_trace::device::Device;
pub use harp_trace::ids::{DecisionId, Literal, OperationId};
pub use harp_trace::tensor_kind::TensorKind;

/// An object on the heap: whatever Python can mutate or compare by identity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectId(pub u32);

/// A conjunction of literals under which an alternative of a value is the one.
pub type Guard = Rc<[Literal]>;

/// Why a value is not known that is a truth value even so.
pub const TRUTH: &str = "a truth value";

#[derive(Clone, Debug)]
pub enum Value {
    None,
    Bool(bool),
    /// An integer, possibly symbolic.
    Int(Dim),
    /// A float, with its value where known.
    Float(Option<f64>),
    /// A float that is this quotient of integers of which not both are known.
    Ratio(Rc<[Dim; 2]>),
    /// A string, with its text where known.
    Str(Option<Rc<str>>),
    Bytes,
    Complex,
    Ellipsis,
    /// A truth value that depends on dimensions.
    Condition(Rc<Constraint>),
    Tuple(Rc<[Value]>),
    List(ObjectId),
    Dict(ObjectId),
    Set(ObjectId),
    Slice(Rc<[Value; 3]>),
    Range(Rc<[Dim; 3]>),
    Function(Rc<Closure>),
    BoundMethod(Rc<BoundMethod>),
    /// A class of the analysed program.
    Class(ObjectId),
    /// An instance of a class of the program or of a library.
    Instance(ObjectId),
    /// A module of the analysed program.
    Module(ObjectId),
    /// A module, function, class or constant of a library or of Python's own library, by qualified name.
    Library(Name),
    /// A method of a library class with its receiver: `api` is qualified, such as `torch.Tensor.view`.
    LibraryMethod(Rc<LibraryMethod>),
    Super(Rc<SuperProxy>),
    Tensor(Rc<Tensor>),
    DType(DType),
    /// The `torch.Size` of a tensor whose rank is not known; with a known rank it is a tuple.
    Size(Shape),
    /// Something that is iterated over.
    Iterator(Rc<Iteration>),
    /// An iterator that remembers what was taken from it.
    Cursor(ObjectId),
    /// A parameter or an unmodelled result, whose type follows from its use.
    Symbolic(ObjectId),
    /// Values of which exactly one is the value, depending on decisions.
    Alternatives(Rc<Vec<(Guard, Value)>>),
    /// Nothing is known, and nothing will be.
    Unknown(&'static str),
}

/// Why a default of a library's parameter is unknown: its description says `...`. It is the same at each call.
pub const DEFAULT_OF_LIBRARY: &str = "default of a library";

/// A function of the program with the scopes that it closes over.
#[derive(Debug)]
pub struct Closure {
    pub function: Arc<ir::Function>,
    /// The namespace of the module that defines it.
    pub globals: ObjectId,
    /// Local namespaces of the enclosing functions, innermost first.
    pub enclosing: Rc<[ObjectId]>,
    /// Defaults in the order of the parameters.
    pub defaults: Vec<Option<Value>>,
    /// The class in whose body it was defined, for `super()`.
    pub class: Option<ObjectId>,
    pub kind: FunctionKind,
    /// The function that it stands for, by `functools.wraps`.
    pub wrapped: Option<Value>,
    /// What sets and deletes the property, where `property(…)` was told.
    pub accessors: Option<Rc<[Option<Value>; 2]>>,
    /// The object that holds the attributes that the program gives it.
    pub attributes: Rc<Cell<Option<ObjectId>>>,
    /// The family of arrays whose operations a compiler traces while the function runs.
    pub traces: Option<Family>,
}

impl Closure {
    /// The same function over the same scopes, as another object.
    pub fn copy(&self) -> Closure {
        Closure {
            function: Arc::clone(&self.function),
            globals: self.globals,
            enclosing: Rc::clone(&self.enclosing),
            defaults: self.defaults.clone(),
            class: self.class,
            kind: self.kind,
            wrapped: self.wrapped.clone(),
            accessors: self.accessors.clone(),
            attributes: Rc::clone(&self.attributes),
            traces: self.traces,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FunctionKind {
    Plain,
    Static,
    ClassMethod,
    Property,
    /// A property whose first value is kept.
    CachedProperty,
}

#[derive(Debug)]
pub struct BoundMethod {
    pub receiver: Value,
    pub function: Value,
}

#[derive(Debug)]
pub struct LibraryMethod {
    pub receiver: Value,
    pub api: Name,
}

#[derive(Debug)]
pub struct SuperProxy {
    /// The class whose bases are searched.
    pub class: ObjectId,
    pub receiver: Value,
}

/// One of an operation's results, and nobody knows which.
pub const SOME_PART: u8 = u8::MAX;

/// An edge of the graph: a tensor with what is known of it.
#[derive(Clone, Debug)]
pub struct Tensor {
    pub shape: Shape,
    pub dtype: DType,
    pub kind: TensorKind,
    pub device: Device,
    /// The operation that produced it.
    pub operation: OperationId,
    /// Which of the operation's results it is, counted from 0; [`SOME_PART`] where that is not known.
    pub part: u8,
    /// Where it was made, for "this shape comes from".
    pub origin: Span,
    /// The speculations that its shape rests on.
    pub assumptions: AssumptionSet,
    /// For a parameter or buffer, or a tensor whose gradient was read: the heap object that holds `.grad`, `.data`.
    pub name: Option<Name>,
    /// Its numbers, where the program says them.
    pub elements: Option<Rc<crate::values::tensor_elements::Elements>>,
}

impl Tensor {
    /// A tensor that no recorded operation made, on a device that is not known.
    pub fn without_operation(shape: Shape, dtype: DType, kind: TensorKind, origin: Span) -> Tensor {
        Tensor {
            shape,
            dtype,
            kind,
            device: Device::Unknown,
            operation: OperationId::NONE,
            part: 0,
            origin,
            assumptions: AssumptionSet::default(),
            name: None,
            elements: None,
        }
    }
}

/// What iterating over a value yields.
#[derive(Debug, Clone)]
pub enum Iteration {
    /// Exactly these items.
    Items(Vec<Value>),
    /// `element` again and again, `count` times where known; a data loader's last batch may differ.
    Repeated { element: Value, count: Option<Dim>, residual: Option<Rc<Residual>> },
    /// The counter `start`, `start + step`, … paired with nothing: an unbounded or symbolic counter.
    Counter { start: Dim, step: Dim, stop: Option<Dim> },
    /// What a dictionary shows of its entries whenever it is looked at. [`iterate`](crate::state::interpreter::Interpreter::iterate) never gives it.
    View { dict: ObjectId, part: ViewPart },
}

/// `keys()`, `values()` and `items()` of a dictionary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ViewPart {
    Keys,
    Values,
    Items,
}

impl ViewPart {
    pub fn of(self, (key, value): &(Value, Value)) -> Value {
        match self {
            ViewPart::Keys => key.clone(),
            ViewPart::Values => value.clone(),
            ViewPart::Items => Value::tuple(vec![key.clone(), value.clone()]),
        }
    }
}

/// The last, smaller mini-batch of a data loader.
#[derive(Debug, Clone)]
pub struct Residual {
    pub element: Value,
    /// When there is one: `len(dataset) % 64 != 0`.
    pub condition: Constraint,
    /// Whether the condition is known to hold.
    pub certain: bool,
    pub text: String,
    /// What a program does that wants none.
    pub advice: &'static str,
    /// The part of it that helps where nothing in the program states a size.
    pub advice_alone: &'static str,
    /// The size of the other mini-batches.
    pub batch: Dim,
    /// The number of samples in all mini-batches.
    pub samples: Dim,
    /// Where the loader was made.
    pub origin: Span,
}

/// Values within values are compared so far down.
const DEEPEST_COMPARED: u32 = 64;

thread_local! {
    /// How many values were compared that hold others.
    static COMPARED: Cell<u64> = const { Cell::new(0) };
}

/// How many values of this thread were compared so far that hold others: who compares many pays for the difference.
pub fn compared_so_far() -> u64 {
    COMPARED.get()
}

fn note_compared() {
    COMPARED.set(COMPARED.get().wrapping_add(1));
    light_tick();
}

impl Value {
    pub fn int(value: i64) -> Value {
        Value::Int(Dim::constant(value))
    }

    pub fn str(text: &str) -> Value {
        Value::Str(Some(Rc::from(text)))
    }

    pub fn tuple(items: Vec<Value>) -> Value {
        Value::Tuple(Rc::from(items))
    }

    pub fn library(name: &str) -> Value {
        Value::Library(Name::new(name))
    }

    /// The text of a known string.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Value::Str(Some(text)) => Some(text),
            _ => None,
        }
    }

    /// The integer, possibly symbolic; `True` counts as 1.
    pub fn as_dim(&self) -> Option<Dim> {
        match self {
            Value::Int(dim) => Some(*dim),
            Value::Bool(value) => Some(Dim::constant(i64::from(*value))),
            _ => None,
        }
    }

    /// The integer, where its value is known.
    pub fn as_int(&self) -> Option<i64> {
        self.as_dim().and_then(Dim::as_const)
    }

    pub fn is_none(&self) -> bool {
        matches!(self, Value::None)
    }

    /// Whether nothing is known of the value.
    pub fn is_unknown(&self) -> bool {
        matches!(self, Value::Unknown(_) | Value::Symbolic(_))
    }

    /// Whether two values are the same for all that the analysis can tell: equal constants, the same object, tensors of equal
    /// shape and dtype.
    pub fn same(&self, other: &Value) -> bool {
        self.same_within(other, DEEPEST_COMPARED)
    }

    /// What lies deeper may differ.
    fn same_within(&self, other: &Value, depth: u32) -> bool {
        let Some(below) = depth.checked_sub(1) else { return false };
        match (self, other) {
            (Value::None, Value::None)
            | (Value::Bytes, Value::Bytes)
            | (Value::Complex, Value::Complex)
            | (Value::Ellipsis, Value::Ellipsis)
            | (Value::Unknown(_), Value::Unknown(_)) => true,
            (Value::Bool(a), Value::Bool(b)) => a == b,
            (Value::Int(a), Value::Int(b)) => a == b,
            (Value::Float(a), Value::Float(b)) => a.map(f64::to_bits) == b.map(f64::to_bits),
            (Value::Ratio(a), Value::Ratio(b)) => a == b,
            (Value::Str(a), Value::Str(b)) => a == b,
            (Value::Condition(a), Value::Condition(b)) => a == b,
            (Value::Tuple(a), Value::Tuple(b)) => {
                // Values that hold one another twice have more ways through them than anyone can go.
                note_compared();
                Rc::ptr_eq(a, b) || (a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| a.same_within(b, below)))
            }
            (Value::List(a), Value::List(b))
            | (Value::Dict(a), Value::Dict(b))
            | (Value::Set(a), Value::Set(b))
            | (Value::Class(a), Value::Class(b))
            | (Value::Instance(a), Value::Instance(b))
            | (Value::Module(a), Value::Module(b))
            | (Value::Cursor(a), Value::Cursor(b))
            | (Value::Symbolic(a), Value::Symbolic(b)) => a == b,
            (Value::Slice(a), Value::Slice(b)) => a.iter().zip(b.iter()).all(|(a, b)| a.same_within(b, below)),
            (Value::Range(a), Value::Range(b)) => a == b,
            (Value::Function(a), Value::Function(b)) => {
                Rc::ptr_eq(a, b) || (Arc::ptr_eq(&a.function, &b.function) && a.enclosing == b.enclosing)
            }
            (Value::BoundMethod(a), Value::BoundMethod(b)) => {
                note_compared();
                a.receiver.same_within(&b.receiver, below) && a.function.same_within(&b.function, below)
            }
            (Value::Library(a), Value::Library(b)) => a == b,
            (Value::LibraryMethod(a), Value::LibraryMethod(b)) => {
                note_compared();
                a.api == b.api && a.receiver.same_within(&b.receiver, below)
            }
            (Value::Tensor(a), Value::Tensor(b)) => {
                Rc::ptr_eq(a, b) || (a.shape == b.shape && a.dtype == b.dtype && a.kind == b.kind)
            }
            (Value::DType(a), Value::DType(b)) => a == b,
            (Value::Size(a), Value::Size(b)) => a == b,
            (Value::Iterator(a), Value::Iterator(b)) => Rc::ptr_eq(a, b),
            (Value::Alternatives(a), Value::Alternatives(b)) => {
                note_compared();
                Rc::ptr_eq(a, b)
                    || (a.len() == b.len()
                        && a.iter()
                            .zip(b.iter())
                            .all(|((left, a), (right, b))| left == right && a.same_within(b, below)))
            }
            _ => false,
        }
    }

    /// Whether two keys of dictionaries or items of sets are one: `1`, `1.0` and `True` are.
    pub fn same_key(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::Tuple(a), Value::Tuple(b)) => {
                light_tick();
                Rc::ptr_eq(a, b) || (a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| a.same_key(b)))
            }
            // Tensors are keys by what they are, and not by what is in them.
            (Value::Tensor(a), Value::Tensor(b))
                if a.operation != OperationId::NONE && b.operation != OperationId::NONE =>
            {
                let is_open = a.part == SOME_PART || b.part == SOME_PART;
                a.operation == b.operation && if is_open { self.same(other) } else { a.part == b.part }
            }
            (Value::Bool(_) | Value::Float(Some(_)), _) | (_, Value::Bool(_) | Value::Float(Some(_))) => {
                self.as_whole_key() == other.as_whole_key() && self.as_whole_key().is_some() || self.same(other)
            }
            _ => self.same(other),
        }
    }

    /// The integer that a key is equal to.
    pub fn as_whole_key(&self) -> Option<Dim> {
        /// Larger floats are not told from their neighbours.
        const LARGEST: f64 = 9_007_199_254_740_992.0;
        match self {
            Value::Float(Some(value)) if value.fract() == 0.0 && value.abs() < LARGEST => {
                Some(Dim::constant(*value as i64))
            }
            value => value.as_dim(),
        }
    }

    /// What kind of value it is, in a word or two for messages.
    pub fn describe(&self) -> String {
        match self {
            Value::None => "None".into(),
            Value::Bool(value) => if *value { "True" } else { "False" }.into(),
            Value::Int(dim) => dim.to_string(),
            Value::Float(Some(value)) => format!("{value:?}"),
            Value::Float(None) | Value::Ratio(_) => "float".into(),
            Value::Str(Some(text)) => quoted(text),
            Value::Str(None) => "str".into(),
            Value::Bytes => "bytes".into(),
            Value::Complex => "complex".into(),
            Value::Ellipsis => "...".into(),
            Value::Condition(condition) => condition.to_string(),
            Value::Tuple(_) => {
                let mut text = String::new();
                self.describe_tuple(&mut text);
                text
            }
            Value::List(_) => "list".into(),
            Value::Dict(_) => "dict".into(),
            Value::Set(_) => "set".into(),
            Value::Slice(_) => "slice".into(),
            Value::Range(bounds) => format!("range({}, {}, {})", bounds[0], bounds[1], bounds[2]),
            Value::Function(closure) => format!("function {}", closure.function.qualified_name),
            Value::BoundMethod(_) | Value::LibraryMethod(_) => "method".into(),
            Value::Class(_) => "class".into(),
            Value::Instance(_) => "object".into(),
            Value::Module(_) => "module".into(),
            Value::Library(name) => name.to_string(),
            Value::Super(_) => "super".into(),
            Value::Tensor(tensor) => format!("{} {}", tensor.shape, tensor.dtype),
            Value::DType(dtype) => format!("dtype {dtype}"),
            Value::Size(shape) => shape.to_string(),
            Value::Iterator(_) | Value::Cursor(_) => "iterator".into(),
            Value::Symbolic(_) => "unknown".into(),
            Value::Unknown(reason) => format!("unknown ({reason})"),
            Value::Alternatives(alternatives) => {
                let texts: Vec<String> = alternatives.iter().map(|(_, value)| value.describe()).collect();
                texts.join(" | ")
            }
        }
    }

    /// Writes a tuple with its first items. Tuples that hold one another twice would be told forever.
    fn describe_tuple(&self, text: &mut String) {
        const LONGEST: usize = 4096;
        let Value::Tuple(items) = self else { return text.push_str(&self.describe()) };
        text.push('(');
        for (index, item) in items.iter().take(8).enumerate() {
            text.push_str(if index == 0 { "" } else { ", " });
            if text.len() > LONGEST {
                text.push('…');
                break;
            }
            item.describe_tuple(text);
        }
        text.push(')');
    }
}

/// A text as Python shows it. Most need no escapes, and are written without looking for them one by one.
fn quoted(text: &str) -> String {
    let is_plain = text.bytes().all(|byte| matches!(byte, b' '..=b'~') && byte != b'"' && byte != b'\\');
    if is_plain { ["\"", text, "\""].concat() } else { format!("{text:?}") }
}
