//! Issues of values that are used as their types cannot be: a device that is iterated over, `None` that is called, a
//! loader of which an item is taken.
//!
//! Only what is certain is reported: nothing of it is raised on purpose, it happens on every way to the place, and the value is one that the
//! program made while it was followed. What a function that nobody calls is given may be of another class.

use crate::budget::costly_calls::EntryKind;
use crate::calls::call::CallArguments;
use crate::classes::dataclasses::{callee_of, last_name};
use crate::state::interpreter::{Eval, Interpreter};
use crate::values::equivalent_modules::MODULE;
use crate::values::tensor_members::OF_A_GUESS;
use crate::values::value::{Closure, FunctionKind, Iteration, ObjectId, Value};
use harp_annotations::ClassSpec;
use harp_corpus::{FileId, Span};
use harp_operations::operator_names::name_of;
use harp_python::ir::{self, BinaryOperator, Expr};
use harp_python::name::Name;
use harp_trace::Subject;
use harp_trace::assumption::{Assumption, AssumptionKind};

/// What is done with a value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Use {
    Call,
    Iteration,
    Length,
    Item,
}

impl Use {
    /// The methods of which a class must have one.
    fn methods(self) -> &'static [&'static str] {
        match self {
            Use::Call => &["__call__"],
            Use::Iteration => &["__iter__", "__getitem__", "__aiter__"],
            Use::Length => &["__len__"],
            Use::Item => &["__getitem__"],
        }
    }

    fn problem(self) -> &'static str {
        match self {
            Use::Call => "cannot be called",
            Use::Iteration => "cannot be iterated over",
            Use::Length => "has no length",
            Use::Item => "has no items",
        }
    }
}

/// How sure a value's type is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Certainty {
    /// The program makes it where it is followed, and nothing else does.
    Made,
    /// In a program that runs as a whole. A function that nobody calls may be given other values.
    Followed,
    /// The same where everything was understood: texts and containers stand for what was not, too.
    Understood,
}

/// How the assumption ends that an option has no value where it is not given.
const NONE_BY_DEFAULT: &str = " default None";

/// Built-in functions whose argument at a place is iterated over.
const ITERATING: [(&str, usize); 17] = [
    ("builtins.all", 0),
    ("builtins.any", 0),
    ("builtins.dict.fromkeys", 0),
    ("builtins.enumerate", 0),
    ("builtins.filter", 1),
    ("builtins.frozenset", 0),
    ("builtins.iter", 0),
    ("builtins.list", 0),
    ("builtins.map", 1),
    ("builtins.set", 0),
    ("builtins.sorted", 0),
    ("builtins.sum", 0),
    ("builtins.tuple", 0),
    ("builtins.zip", 0),
    ("builtins.zip", 1),
    ("itertools.chain.from_iterable", 0),
    ("itertools.cycle", 0),
];

/// Classes of Python that give those that derive from them none of the methods.
const WITHOUT_METHODS: [&str; 3] = ["builtins.object", "abc.ABC", "typing.Generic"];

/// Methods by which an object stands for a number, a tensor or a sequence.
const DATA_METHODS: [&str; 8] = [
    "__array__",
    "__complex__",
    "__float__",
    "__index__",
    "__int__",
    "__len__",
    "__torch_function__",
    "__cuda_array_interface__",
];

impl Interpreter<'_> {
    /// Reports a value that cannot be used like this. Returns whether it does.
    pub(crate) fn use_misfits(&mut self, value: &Value, usage: Use, span: Span) -> bool {
        if self.exceptions.caught > 0 || self.inference.is_some() || self.is_other_in_python_2(value, span) {
            return false;
        }
        let Some((what, class, certainty)) = self.refuses(value, usage) else { return false };
        if !self.is_followed(certainty, span) || !self.fails_on_every_way(span) {
            return false;
        }
        let method = usage.methods()[0];
        let subject = if matches!(value, Value::None) { Subject::None } else { Subject::Type };
        self.fails_always(subject, &format!("{class}.{method}"), format!("{what} {}", usage.problem()), None, span);
        true
    }

    /// What iterating over a value yields, which the program does at a place of its own. Reports what cannot be iterated over.
    pub(crate) fn iterate_at(&mut self, value: &Value, span: Span) -> Eval<Iteration> {
        let known = self.read(value);
        self.use_misfits(&known, Use::Iteration, span);
        self.refuse_rows_of_scalar(&known, span);
        self.iterate(&known)
    }

    /// Reports an argument of a built-in function that is to be iterated over and cannot be.
    pub(crate) fn iterable_argument_misfits(&mut self, function: Name, arguments: &CallArguments) -> bool {
        let (given, span) = (&arguments.positional, arguments.span);
        if arguments.is_open || arguments.is_unpacked || self.exceptions.caught > 0 || self.inference.is_some() {
            return false;
        }
        if function.as_str() == "builtins.len" {
            let Some(value) = given.first().map(|value| self.read(value)) else { return false };
            return self.use_misfits(&value, Use::Length, span);
        }
        let places = ITERATING.iter().filter(|(name, _)| *name == function.as_str());
        for (_, place) in places {
            let Some(value) = given.get(*place).map(|value| self.read(value)) else { continue };
            // `iter(function, end)` calls it.
            if function.as_str() == "builtins.iter" && given.len() > 1 {
                continue;
            }
            if self.use_misfits(&value, Use::Iteration, span) {
                return true;
            }
        }
        false
    }

    /// Reports `left op right` where no type of either takes the other. Returns whether it does.
    pub(crate) fn operands_misfit(
        &mut self,
        operator: BinaryOperator,
        left: &Value,
        right: &Value,
        span: Span,
    ) -> bool {
        let is_other = |value| self.is_other_in_python_2(value, span);
        if self.exceptions.caught > 0 || self.inference.is_some() || is_other(left) || is_other(right) {
            return false;
        }
        let (Some(one), Some(other)) = (self.operand_kind(operator, left), self.operand_kind(operator, right)) else {
            return false;
        };
        if takes(operator, one, other) {
            return false;
        }
        let certainty = match (one.certainty(), other.certainty()) {
            (Certainty::Understood, _) | (_, Certainty::Understood) => Certainty::Understood,
            (Certainty::Followed, _) | (_, Certainty::Followed) => Certainty::Followed,
            _ => Certainty::Made,
        };
        if !self.is_followed(certainty, span) || !self.fails_on_every_way(span) {
            return false;
        }
        let sign = sign_of(operator);
        let message = format!("`{sign}` does not take {} and {}", one.describe(), other.describe());
        let is_none = [left, right].iter().any(|value| matches!(self.read(value), Value::None));
        let subject = if is_none { Subject::None } else { Subject::Type };
        self.fails_always(subject, &format!("operator {sign}"), message, None, span);
        true
    }

    /// Whether the value is of a type that does otherwise in Python 2, in a file that is read as that: what `range`, `map` and `keys` give are
    /// lists there, texts and bytes mix, and dictionaries have further methods.
    pub(crate) fn is_other_in_python_2(&self, value: &Value, span: Span) -> bool {
        let differs = || {
            let value = self.read(value);
            matches!(value, Value::Range(_) | Value::Iterator(_) | Value::Str(_) | Value::List(_) | Value::Dict(_))
        };
        self.python_2(span.file).is_some() && differs()
    }

    /// How a file is read that is of Python 2.
    pub(crate) fn python_2(&self, file: FileId) -> Option<ir::Python2> {
        self.project.module(self.project.module_of_file(file))?.python_2
    }

    /// Whether a value of such certainty is followed well enough here to blame it.
    pub fn is_followed(&self, certainty: Certainty, span: Span) -> bool {
        if self.corpus.is_foreign(span.file) {
            return false;
        }
        let is_whole = self.entry.kind != EntryKind::Symbolic;
        match certainty {
            Certainty::Made => is_whole || self.entry.not_understood.is_empty(),
            Certainty::Followed => is_whole,
            Certainty::Understood => is_whole && self.entry.not_understood.is_empty(),
        }
    }

    /// Whether `None` may stand for an option that the command line always gives: one whose default it is.
    pub(crate) fn may_be_given(&self) -> bool {
        let is_none = |assumption: &Assumption| {
            assumption.kind == AssumptionKind::DefaultValue && assumption.text.ends_with(NONE_BY_DEFAULT)
        };
        self.entry.assumptions.iter().filter_map(|id| self.trace.assumptions.get(id)).any(is_none)
    }

    /// What a value is that cannot be used like this, its class, and how certain that is.
    fn refuses(&mut self, value: &Value, usage: Use) -> Option<(String, String, Certainty)> {
        let plain = |what: &str, class: &str, certainty| Some((what.to_owned(), class.to_owned(), certainty));
        match value {
            Value::None if self.may_be_given() => None,
            Value::None => plain("`None`", "NoneType", Certainty::Followed),
            // Members of enumerations stand for their values.
            Value::Int(_) | Value::Str(_) if self.hooks.plain_members => None,
            Value::Int(_) => plain("a number", "int", Certainty::Followed),
            Value::Float(_) | Value::Ratio(_) => plain("a number", "float", Certainty::Followed),
            Value::Bool(_) | Value::Condition(_) => plain("a truth value", "bool", Certainty::Followed),
            Value::Str(_) if usage == Use::Call => plain("a text", "str", Certainty::Understood),
            Value::Tuple(_) | Value::Size(_) if usage == Use::Call => plain("a tuple", "tuple", Certainty::Understood),
            Value::List(_) if usage == Use::Call => plain("a list", "list", Certainty::Understood),
            Value::Tensor(tensor) if usage == Use::Call => {
                let is_sure = self.is_surely_a_tensor(tensor) && self.is_made_of_tensors(tensor);
                is_sure.then(|| ("a tensor".to_owned(), tensor.kind.class_name().to_owned(), Certainty::Understood))
            }
            // An element type does not tell whose it is; the usual library has a class of that name.
            Value::DType(_) if usage != Use::Call => plain("a type of elements", "torch.dtype", Certainty::Followed),
            Value::Function(closure) if usage != Use::Call && is_plain_function(closure) => {
                plain("a function", "function", Certainty::Made)
            }
            Value::BoundMethod(method) if usage != Use::Call => match &method.function {
                Value::Function(closure) if is_plain_function(closure) => plain("a method", "method", Certainty::Made),
                _ => None,
            },
            Value::LibraryMethod(method) if usage != Use::Call && self.is_described_method(method.api) => {
                let is_sure = match self.read(&method.receiver) {
                    Value::Tensor(tensor) => self.is_surely_a_tensor(&tensor) && self.is_made_of_tensors(&tensor),
                    Value::Symbolic(_) | Value::Unknown(_) | Value::Size(_) => false,
                    _ => true,
                };
                if is_sure { plain("a method", "method", Certainty::Made) } else { None }
            }
            Value::Module(_) if usage == Use::Call => plain("a module of Python", "module", Certainty::Followed),
            Value::Instance(_) if self.may_be_changed(value) => None,
            Value::Instance(id) => self.instance_without(*id, usage.methods()),
            _ => None,
        }
    }

    /// Whether a library's member is known to be a method: others may be properties.
    fn is_described_method(&mut self, api: Name) -> bool {
        matches!(self.library_entry(api), Some(harp_annotations::Entry::Api(_))) || self.method_handler(api).is_some()
    }

    /// The same of an object: no class that it is of has one of the methods.
    fn instance_without(&self, id: ObjectId, methods: &[&str]) -> Option<(String, String, Certainty)> {
        let instance = Value::Instance(id);
        if self.models.has_hooks(self, id) || self.heap.attribute(id, Name::new(OF_A_GUESS)).is_some() {
            return None;
        }
        let class = self.class_of(&instance);
        // A class of which nothing but the common base is known may have any method.
        if matches!(&class, Value::Library(name) if name.as_str() == MODULE) {
            return None;
        }
        if methods.iter().any(|method| self.class_attribute(&instance, Name::new(method)).is_some()) {
            return None;
        }
        for base in self.resolution_order(&class) {
            match &base {
                Value::Class(base) if self.is_told_whole(*base) => {}
                Value::Library(name) if self.gives_none_of(*name, methods) => {}
                Value::Library(name) if self.library_class_lacks_methods(*name, methods) => {}
                _ => return None,
            }
        }
        let is_device = self.is_device_class(&class);
        let certainty = if is_device { Certainty::Made } else { Certainty::Followed };
        Some((self.called(&class), self.name_of_class(&class), certainty))
    }

    /// Whether an object is neither a number, nor a text, nor a sequence, nor anything that PyTorch takes for a tensor.
    pub(crate) fn is_no_data(&self, object: &Value) -> bool {
        let Value::Instance(id) = object else { return false };
        let has = |method: &&str| self.class_attribute(object, Name::new(method)).is_some();
        self.entry.kind != EntryKind::Symbolic
            && !DATA_METHODS.iter().any(has)
            && self.instance_without(*id, Use::Iteration.methods()).is_some()
            && !self.is_device_class(&self.class_of(object))
    }

    /// Whether a class of the program has no members but those that are written in its body: nothing stands around it that may add some.
    pub fn is_told_whole(&self, class: ObjectId) -> bool {
        self.heap.class(class).is_some_and(|data| {
            // What stands for a package in Harp has not all of its members.
            if self.corpus.is_foreign(data.definition.file) {
                return false;
            }
            let is_harmless = |decorator: &Expr| last_name(callee_of(decorator)) == "dataclass";
            data.definition.decorators.iter().all(is_harmless) && self.metaclass_call(class).is_none()
        }) && !self.is_enumeration(&Value::Class(class))
    }

    fn library_class_lacks_methods(&self, name: Name, methods: &[&str]) -> bool {
        let ancestors = self.ancestors(name);
        let spec = |class: &Name| self.library_class(*class);
        // A library that only derives from the class may say more of its objects.
        if ancestors.iter().filter_map(spec).any(|spec| spec.is_container) || !self.is_of_tensors(name) {
            return false;
        }
        let told = ancestors.iter().filter_map(spec).find(|spec| spec.called.is_some());
        told.is_some_and(|spec| lacks_all(spec, methods))
    }

    /// Whether a class of a library gives those that derive from it none of these methods.
    pub(crate) fn gives_none_of(&self, class: Name, methods: &[&str]) -> bool {
        let told = || {
            self.library_class(class).filter(|spec| spec.called.is_none()).is_some_and(|spec| lacks_all(spec, methods))
        };
        WITHOUT_METHODS.contains(&class.as_str()) || told()
    }

    /// The class of a library, of those that an object is of, that describes a method.
    pub(crate) fn class_with_method(&self, object: &Value, method: Name) -> Option<Name> {
        let bases = self.library_bases(&self.class_of(object), None);
        bases.into_iter().find(|base| self.annotated_method(*base, method).is_some())
    }

    /// Whether an object is of a class of a library that holds parts as lists and dictionaries do.
    pub(crate) fn holds_parts(&self, object: &Value) -> bool {
        let bases = || self.library_bases(&self.class_of(object), None);
        matches!(object, Value::Instance(_))
            && bases().iter().any(|base| self.library_class(*base).is_some_and(|spec| spec.is_container))
    }

    /// What readers call an object of a class.
    pub(crate) fn called(&self, class: &Value) -> String {
        if let Value::Library(name) = class
            && let Some((_, what)) = self.listed_ancestor(*name)
        {
            return what;
        }
        format!("an object of `{}`", self.name_of_class(class))
    }

    fn operand_kind(&self, operator: BinaryOperator, value: &Value) -> Option<Operand> {
        Some(match value {
            Value::Int(_) | Value::Str(_) if self.hooks.plain_members => return None,
            Value::None if self.may_be_given() => return None,
            Value::None => Operand::None,
            Value::Int(_) | Value::Float(_) | Value::Ratio(_) | Value::Bool(_) | Value::Condition(_) => Operand::Number,
            Value::Str(_) => Operand::Text,
            // A sequence of unknown length may be a tuple: it is held as a list.
            Value::List(id) if self.heap.list(*id).is_none_or(|data| data.rest.is_some()) => Operand::Sequence,
            Value::List(_) => Operand::List,
            Value::Tuple(_) => Operand::Tuple,
            Value::Dict(id) => match self.class_of(&Value::Dict(*id)) {
                Value::Library(name) if name.as_str() == "builtins.dict" => Operand::Dict,
                _ => return None,
            },
            Value::Function(closure) if is_plain_function(closure) => Operand::Function,
            Value::BoundMethod(method) => match &method.function {
                Value::Function(closure) if is_plain_function(closure) => Operand::Function,
                _ => return None,
            },
            Value::Instance(id) => {
                let name = name_of(operator);
                let methods = [format!("__{name}__"), format!("__r{name}__")];
                self.instance_without(*id, &[&methods[0], &methods[1]]).map(|_| Operand::Object)?
            }
            Value::Tensor(tensor)
                if !tensor.kind.rules().array_functions
                    && self.is_surely_a_tensor(tensor)
                    && self.is_made_of_tensors(tensor) =>
            {
                Operand::Tensor
            }
            _ => return None,
        })
    }
}

/// What an operand is, as far as operators tell types from each other.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Operand {
    None,
    Number,
    Text,
    List,
    Tuple,
    /// A list or a tuple.
    Sequence,
    Dict,
    Function,
    Object,
    Tensor,
}

impl Operand {
    fn describe(self) -> &'static str {
        match self {
            Operand::None => "`None`",
            Operand::Number => "a number",
            Operand::Text => "a text",
            Operand::List => "a list",
            Operand::Tuple => "a tuple",
            Operand::Sequence => "a sequence",
            Operand::Dict => "a dictionary",
            Operand::Function => "a function",
            Operand::Object => "an object",
            Operand::Tensor => "a tensor",
        }
    }

    fn certainty(self) -> Certainty {
        match self {
            Operand::Function => Certainty::Made,
            Operand::None | Operand::Number | Operand::Tensor | Operand::Object => Certainty::Followed,
            Operand::Text | Operand::List | Operand::Tuple | Operand::Sequence | Operand::Dict => Certainty::Understood,
        }
    }
}

/// How an operator is written.
fn sign_of(operator: BinaryOperator) -> &'static str {
    match operator {
        BinaryOperator::Add => "+",
        BinaryOperator::Subtract => "-",
        BinaryOperator::Multiply => "*",
        BinaryOperator::MatrixMultiply => "@",
        BinaryOperator::Divide => "/",
        BinaryOperator::FloorDivide => "//",
        BinaryOperator::Modulo => "%",
        BinaryOperator::Power => "**",
        BinaryOperator::LeftShift => "<<",
        BinaryOperator::RightShift => ">>",
        BinaryOperator::BitOr => "|",
        BinaryOperator::BitXor => "^",
        BinaryOperator::BitAnd => "&",
    }
}

/// Whether Python, or PyTorch, computes `one op other`.
fn takes(operator: BinaryOperator, one: Operand, other: Operand) -> bool {
    use BinaryOperator as Op;
    use Operand as Kind;
    let is_bare = |kind: Kind| matches!(kind, Kind::None | Kind::Function | Kind::Object);
    let is_sequence = |kind: Kind| matches!(kind, Kind::Text | Kind::List | Kind::Tuple | Kind::Sequence);
    let may_be_same = |one: Kind, other: Kind| match (one, other) {
        (Kind::Sequence, other) | (other, Kind::Sequence) => other != Kind::Text,
        _ => one == other,
    };
    match (one, other) {
        // A union of types is a tuple of them here, and functions may stand for types.
        _ if operator == Op::BitOr && ![Kind::Number, Kind::Text, Kind::List, Kind::Sequence].contains(&one) => true,
        (Kind::Text, _) if operator == Op::Modulo => true,
        (one, other) if is_bare(one) || is_bare(other) => false,
        (Kind::Tensor, Kind::Dict | Kind::Text) | (Kind::Dict | Kind::Text, Kind::Tensor) => false,
        // What PyTorch makes of sequences is left to it.
        (Kind::Tensor, _) | (_, Kind::Tensor) | (Kind::Number, Kind::Number) => true,
        (one, Kind::Number) | (Kind::Number, one) if is_sequence(one) => operator == Op::Multiply,
        (one, other) => is_sequence(one) && is_sequence(other) && may_be_same(one, other) && operator == Op::Add,
    }
}

/// Whether a function of the program is no more than it says: decorators make subscriptable kernels and properties of functions.
pub fn is_plain_function(closure: &Closure) -> bool {
    closure.kind == FunctionKind::Plain && closure.function.decorators.is_empty() && closure.wrapped.is_none()
}

/// Whether objects of a class have none of these special methods, as far as the class says which they have.
fn lacks_all(spec: &ClassSpec, methods: &[&str]) -> bool {
    let has = |method: &&str| spec.special_methods.iter().flatten().any(|known| **known == **method);
    spec.special_methods.is_some() && !methods.iter().any(has)
}
