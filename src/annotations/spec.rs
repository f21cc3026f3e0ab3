//! What is known of an API, a class, or a constant: the typed form of an annotation.

use std::fmt;

use super::attributes::AttributeValue;
use super::parameters::{Literal, ParameterKind, ParameterSpec};
use super::signature::{Requirement, Signature};
use super::versions::{Lifetime, Target};

/// An entry of the library.
#[derive(Clone, Debug)]
pub enum Entry {
    /// A function, method or property.
    Api(Box<ApiSpec>),
    /// A class, with its constructor and members.
    Class(Box<ClassSpec>),
    /// A module-level value, or a class attribute.
    Constant(ConstantSpec),
}

impl Entry {
    fn parts(&self) -> (&[Box<str>], &[Box<str>]) {
        match self {
            Entry::Api(spec) => (&spec.names, &spec.aliases),
            Entry::Class(spec) => (&spec.names, &spec.aliases),
            Entry::Constant(spec) => (&spec.names, &spec.aliases),
        }
    }

    /// The names of what the entry describes.
    pub fn names(&self) -> &[Box<str>] {
        self.parts().0
    }

    /// Further names of the first one.
    pub fn aliases(&self) -> &[Box<str>] {
        self.parts().1
    }

    /// The entry as it is found under this name.
    #[must_use]
    pub fn under(mut self, name: &str) -> Entry {
        if self.names().iter().any(|known| &**known == name) {
            match &mut self {
                Entry::Api(spec) => spec.qualified_name = name.into(),
                Entry::Class(spec) => spec.qualified_name = name.into(),
                Entry::Constant(spec) => spec.qualified_name = name.into(),
            }
        }
        self
    }
}

/// How an entry is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApiKind {
    /// It is called; methods are among them.
    Function,
    /// It is read as an attribute.
    Property,
}

/// A function, method or property.
#[derive(Clone, Debug)]
pub struct ApiSpec {
    /// The name under which the API was found, or the first name of the entry where that was an alias.
    pub qualified_name: Box<str>,
    /// All names of the entry: the APIs that it describes.
    pub names: Vec<Box<str>>,
    /// Further names of the first one.
    pub aliases: Vec<Box<str>>,
    /// How it is reached.
    pub kind: ApiKind,
    /// For a method, the receiver is the first parameter, whatever its name.
    pub parameters: Vec<ParameterSpec>,
    /// Other keywords by which a caller may name a parameter: (`axis`, `dim`).
    pub keywords: Vec<(Box<str>, Box<str>)>,
    /// Names under which the transfer function reads parameters that the library calls otherwise: (`a`, `input`).
    pub renames: Vec<(Box<str>, Box<str>)>,
    /// How the shapes of its result are found.
    pub behaviour: Behaviour,
    /// Conditions over the values of parameters, of the constructor's too for a class's call.
    pub require: Vec<Requirement>,
    /// How the dtypes of its result are found, where `behaviour` does not give them.
    pub dtype: DTypeRule,
    /// The class of the tensors that it gives, where its name does not tell.
    pub family: Option<Box<str>>,
    /// How the whole numbers in a small result follow from those in its arguments: one of [`NUMBER_RULES`].
    pub numbers: Option<Box<str>>,
    /// Where its result lies, where that is not where its arguments are.
    pub device: Option<DeviceRule>,
    /// What its first argument decides for all that is made later.
    pub sets: Vec<Setting>,
    /// Whether it makes tensors of lists, numbers and objects that stand for arrays, where it takes tensors.
    pub takes_arrays: bool,
    /// Whether it takes tensors alone and refuses pictures.
    pub refuses_pictures: bool,
    /// The part of the language that it stands for.
    pub stands_for: Option<Construct>,
    /// What a call does besides.
    pub effects: Effects,
    /// What it is to a program, in words that rules of several libraries share: some of [`ROLES`].
    pub roles: Vec<&'static str>,
    /// ONNX's operator name, where one exists.
    pub computation: Option<Box<str>>,
    /// How much work a call is.
    pub cost: Cost,
    /// The library versions that have the API as described.
    pub lifetime: Lifetime,
    /// Defaults that parameters had before a version, the oldest version first.
    pub earlier_defaults: Vec<(Box<str>, Vec<ParameterSpec>)>,
}

/// What APIs are to programs.
pub const ROLES: [&str; 16] = [
    "backward",
    "compiles",
    "compiles-once",
    "copies-to-array",
    "detects-anomalies",
    "empties-cache",
    "gives-array",
    "gives-list",
    "gives-number",
    "inverts",
    "joins",
    "moves",
    "opens-file",
    "trains",
    "turns-gradients-off",
    "waits",
];

/// How whole numbers in small tensors follow.
pub const NUMBER_RULES: [&str; 15] = [
    "same", "stack", "concat", "item", "sum", "prod", "max", "min", "add", "sub", "mul", "floordiv", "mod", "maximum",
    "minimum",
];

impl ApiSpec {
    /// A parameter by its own name; [`ApiSpec::keyword`] knows other names.
    pub fn parameter(&self, name: &str) -> Option<&ParameterSpec> {
        self.parameters.iter().find(|parameter| &*parameter.name == name)
    }

    /// The default of a parameter in the versions that a project targets.
    pub fn default_of<'a>(&'a self, parameter: &'a ParameterSpec, target: Option<&Target>) -> Option<&'a Literal> {
        let earlier =
            self.earlier_defaults.iter().filter(|(version, _)| target.is_some_and(|target| target.is_before(version)));
        let mut changed = earlier.flat_map(|(_, defaults)| defaults).filter(|changed| changed.name == parameter.name);
        changed.next().unwrap_or(parameter).default.as_ref()
    }

    /// The parameter that a caller's keyword names.
    pub fn keyword(&self, keyword: &str) -> Option<&ParameterSpec> {
        self.parameter(keyword).or_else(|| {
            let (_, name) = self.keywords.iter().find(|(alias, _)| &**alias == keyword)?;
            self.parameter(name)
        })
    }

    /// The other keywords by which a caller may name this parameter.
    pub fn keywords_of<'a>(&'a self, parameter: &'a str) -> impl Iterator<Item = &'a str> {
        self.keywords.iter().filter(move |(_, name)| &**name == parameter).map(|(alias, _)| &**alias)
    }

    /// The parameter that the transfer function reads under this name: the reverse of [`ApiSpec::argument_name`].
    pub fn parameter_read_as<'a>(&'a self, argument: &'a str) -> &'a str {
        self.renames.iter().find(|(_, name)| &**name == argument).map_or(argument, |(own, _)| own)
    }

    /// The name under which the transfer function reads a parameter.
    pub fn argument_name<'a>(&'a self, parameter: &'a str) -> &'a str {
        self.renames.iter().find(|(own, _)| &**own == parameter).map_or(parameter, |(_, name)| name)
    }

    /// The `*args` parameter, where there is one.
    pub fn variadic(&self) -> Option<&ParameterSpec> {
        self.parameters.iter().find(|parameter| parameter.kind == ParameterKind::VariadicPositional)
    }
}

/// What the objects of a class stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The name of a device.
    Device,
    /// What gives mini-batches where a program iterates over it.
    Loader,
    /// What changes the parameters of a model at each of its steps.
    Optimizer,
}

impl Role {
    /// The words of annotation files and what they stand for.
    pub const WORDS: [(&'static str, Role); 3] =
        [("device", Role::Device), ("loader", Role::Loader), ("optimizer", Role::Optimizer)];
}

/// The part of the language that a function stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Construct {
    /// `assert condition, message`, which are its arguments.
    Assert,
    /// The decorator `property`.
    Property,
}

impl Construct {
    /// The words of annotation files and what they stand for.
    pub const WORDS: [(&'static str, Construct); 2] =
        [("assert", Construct::Assert), ("property", Construct::Property)];
}

/// Where the result of an API lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeviceRule {
    /// In the main memory.
    Cpu,
    /// On an accelerator.
    Accelerator,
    /// Where the argument of this parameter lies, or tensors of the type that it names; else where the first argument lies.
    As(Box<str>),
    /// Where one of the arguments of this parameter says, which takes any number of them.
    In(Box<str>),
}

/// What a call decides for all that is made after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setting {
    /// Where new tensors lie.
    DefaultDevice,
    /// The type of floats where nothing else is said.
    DefaultFloat,
}

/// How an API's result is found.
#[derive(Clone, Debug)]
pub enum Behaviour {
    /// By a signature in the shape notation.
    Signature(Box<Signature>),
    /// By a function of `interp::operations`, by name.
    Transfer(Box<str>),
    /// By the function of this name in a source of the pack, which is executed.
    Source,
    /// Shapes play no part, or nothing is known of them.
    Opaque(ResultType),
}

/// The type of a result whose shape a signature or a transfer function does not tell.
#[derive(Clone, Debug, PartialEq)]
pub enum ResultType {
    /// Nothing is known of it.
    Unknown,
    /// `None`
    None,
    /// A Python `bool`.
    Bool,
    /// A Python `int` of unknown value.
    Integer,
    /// A Python `float` of unknown value.
    Float,
    /// A Python `str` of unknown value.
    Text,
    /// A tensor of unknown shape.
    Tensor,
    /// An unknown dtype.
    DType,
    /// A dictionary with unknown entries.
    Dict,
    /// The argument of this parameter itself, as an in-place operation returns its receiver.
    Argument(Box<str>),
    /// A new object of a class.
    Instance(Box<str>),
    /// A tuple of these items.
    Tuple(Vec<ResultType>),
    /// A list of unknown length.
    List(Box<ResultType>),
    /// An iterator over unknowingly many values.
    Iterator(Box<ResultType>),
}

/// Which dtype the tensors of a result have. A transfer function gives dtypes itself and is not asked about this rule.
#[derive(Clone, Debug, PartialEq)]
pub enum DTypeRule {
    /// The common dtype of these parameters' tensors, or of all tensor arguments where none is named.
    Promote(Vec<Box<str>>),
    /// The dtype of this parameter's tensor.
    Same(Box<str>),
    /// By the rule, but integers and booleans give this dtype, or the default float dtype.
    Floating(Box<DTypeRule>, Option<Box<str>>),
    /// As `Same`, but integers and booleans are an error.
    Inexact(Box<str>),
    /// The type of the magnitudes of another rule's numbers: real.
    Real(Box<DTypeRule>),
    /// As `Same`, but small integers and booleans give `int64`, as sums do.
    Sum(Box<str>),
    /// Always this dtype, by its name in the notation.
    Fixed(Box<str>),
    /// The dtype that the parameter is given; the other rule where it is `None`.
    Parameter {
        /// The parameter's name.
        parameter: Box<str>,
        /// For calls that leave it `None`.
        fallback: Box<DTypeRule>,
    },
    /// A rule for each result of a tuple.
    Each(Vec<DTypeRule>),
    /// Nothing is known of it.
    Unknown,
}

/// What a call does besides computing its result.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Effects {
    bits: u16,
    /// Parameters whose arguments are changed in place.
    pub writes: Vec<Box<str>>,
}

impl Effects {
    /// Equal arguments give equal results, and nothing else happens.
    pub const PURE: u16 = 1;
    /// Reads state that may change.
    pub const READS: u16 = 1 << 1;
    /// Draws random numbers.
    pub const RNG: u16 = 1 << 2;
    /// Reads or writes files, the network or the terminal.
    pub const IO: u16 = 1 << 3;
    /// Adds to a computation graph.
    pub const BUILDS_GRAPH: u16 = 1 << 4;
    /// Runs a computation graph, as `backward` does.
    pub const RUNS_GRAPH: u16 = 1 << 5;
    /// Waits for the device, as `item` and `cpu` do.
    pub const SYNCS_DEVICE: u16 = 1 << 6;
    /// Moves data between devices.
    pub const TRANSFERS_DEVICE: u16 = 1 << 7;
    /// Makes new memory.
    pub const ALLOCATES: u16 = 1 << 8;
    /// The result shares memory with an argument.
    pub const VIEWS: u16 = 1 << 9;
    /// Changes state that no parameter stands for, such as a mode or a seed.
    pub const GLOBAL: u16 = 1 << 10;

    /// The words of annotation files and their bits.
    pub const WORDS: [(&'static str, u16); 11] = [
        ("pure", Self::PURE),
        ("reads", Self::READS),
        ("rng", Self::RNG),
        ("io", Self::IO),
        ("builds-graph", Self::BUILDS_GRAPH),
        ("runs-graph", Self::RUNS_GRAPH),
        ("syncs-device", Self::SYNCS_DEVICE),
        ("transfers-device", Self::TRANSFERS_DEVICE),
        ("allocates", Self::ALLOCATES),
        ("views", Self::VIEWS),
        ("global", Self::GLOBAL),
    ];

    /// Adds one of the constants of this type, or several by `|`.
    pub fn add(&mut self, effect: u16) {
        self.bits |= effect;
    }

    /// Whether it has one of these effects.
    pub fn has(&self, effect: u16) -> bool {
        self.bits & effect != 0
    }

    /// Whether equal arguments give equal results and nothing else happens.
    pub fn is_pure(&self) -> bool {
        self.has(Self::PURE)
    }

    /// Whether the argument of a parameter is changed in place.
    pub fn writes(&self, parameter: &str) -> bool {
        // Whatever is given as `out` takes the result, in every library.
        parameter == "out" || self.writes.iter().any(|written| &**written == parameter)
    }

    /// The words for these effects, in a fixed order; a written parameter as `writes input`.
    pub fn words(&self) -> Vec<String> {
        let flags = Self::WORDS.iter().filter(|(_, bit)| self.has(*bit)).map(|(word, _)| (*word).to_owned());
        flags.chain(self.writes.iter().map(|parameter| format!("writes {parameter}"))).collect()
    }
}

/// The class of work that a call does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cost {
    /// Bookkeeping: views, queries, configuration.
    #[default]
    Trivial,
    /// In proportion to the elements, each by itself.
    Elementwise,
    /// In proportion to the elements, which are put together.
    Reduction,
    /// Products of matrices.
    Matmul,
    /// Convolutions.
    Convolution,
    /// Moves or creates data without arithmetic.
    Memory,
    /// Files, the network, the terminal.
    Io,
}

impl Cost {
    /// Whether its work grows with more than the number of elements.
    pub fn is_much(self) -> bool {
        matches!(self, Cost::Matmul | Cost::Convolution)
    }

    /// The words of annotation files and what they stand for.
    pub const WORDS: [(&'static str, Cost); 7] = [
        ("trivial", Cost::Trivial),
        ("elementwise", Cost::Elementwise),
        ("reduction", Cost::Reduction),
        ("matmul", Cost::Matmul),
        ("convolution", Cost::Convolution),
        ("memory", Cost::Memory),
        ("io", Cost::Io),
    ];
}

impl fmt::Display for Cost {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = Self::WORDS.iter().find(|(_, cost)| cost == self).map_or("trivial", |(word, _)| word);
        formatter.write_str(word)
    }
}

/// A class of a library.
#[derive(Clone, Debug)]
pub struct ClassSpec {
    /// The name under which the class was found, or the first name of the entry where that was an alias.
    pub qualified_name: Box<str>,
    /// All names of the entry: the classes that it describes.
    pub names: Vec<Box<str>>,
    /// Further names of the first one.
    pub aliases: Vec<Box<str>>,
    /// Qualified names, nearest first.
    pub bases: Vec<Box<str>>,
    /// What readers call an object: `a loader`.
    pub called: Option<Box<str>>,
    /// Python's special methods that objects have; `None` where these are not known.
    pub special_methods: Option<Vec<Box<str>>>,
    /// Whether it holds parts as lists and dictionaries do: it has a length, and an empty one is false.
    pub is_container: bool,
    /// What an object stands for.
    pub role: Option<Role>,
    /// Methods that are called with the class in place of an object.
    pub class_methods: Vec<Box<str>>,
    /// Whether instances are `nn.Module`s: calling one runs `forward`, which is [`ClassSpec::call`].
    pub is_module: bool,
    /// The constructor, without a receiver. With a signature, or with a transfer function that returns a tensor, calling the
    /// class gives that tensor (`torch.Tensor(2, 3)`, `nn.Parameter(data)`); in all other cases it gives an instance, and a
    /// transfer function only checks the arguments.
    pub constructor: ApiSpec,
    /// Attributes that a new instance has, by name.
    pub attributes: Vec<(Box<str>, AttributeValue)>,
    /// Calling an instance (`forward`, for a module). The parameters have no receiver, and the qualified name is the class's.
    /// Texts may mention the constructor's parameters too.
    pub call: Option<ApiSpec>,
    /// Methods, by name, without a receiver among the parameters. Methods that entries of their own describe
    /// (`method: torch.Tensor.view`) are found by [`Library::method`](crate::Library::method).
    pub methods: Vec<(Box<str>, ApiSpec)>,
    /// For a data set, how many samples it has and what they are.
    pub dataset: Option<DatasetSpec>,
}

impl ClassSpec {
    /// What a new instance has under this name; attributes of base classes are not looked at.
    pub fn attribute(&self, name: &str) -> Option<&AttributeValue> {
        self.attributes.iter().find(|(known, _)| &**known == name).map(|(_, value)| value)
    }

    /// A method of the class's own entry; [`Library::method`](crate::Library::method) finds those of bases and other entries.
    pub fn method(&self, name: &str) -> Option<&ApiSpec> {
        self.methods.iter().find(|(known, _)| &**known == name).map(|(_, spec)| spec)
    }
}

/// A module-level value, or a class attribute.
#[derive(Clone, Debug)]
pub struct ConstantSpec {
    /// The name under which the constant was found, or the first name of the entry where that was an alias.
    pub qualified_name: Box<str>,
    /// All names of the entry: the constants that it describes.
    pub names: Vec<Box<str>>,
    /// Further names of the first one.
    pub aliases: Vec<Box<str>>,
    /// What is known of its value.
    pub value: ConstantValue,
}

/// The value of a constant, as far as it is known.
#[derive(Clone, Debug, PartialEq)]
pub enum ConstantValue {
    /// The value itself.
    Literal(Literal),
    /// A dtype, by its name in the notation.
    DType(Box<str>),
    /// A value of which only the type is known.
    Opaque(ResultType),
}

/// What is known of a data set: enough to iterate over it without reading it.
#[derive(Clone, Debug, PartialEq)]
pub struct DatasetSpec {
    /// How many samples it has.
    pub length: DatasetLength,
    /// What indexing gives before the transforms: the items of a tuple, or the one item. The constructor's parameter
    /// `transform` applies to the first item, `target_transform` to the second.
    pub sample: Vec<SampleItem>,
    /// The number of classes, where its targets are such.
    pub classes: Option<i64>,
}

/// How many samples a data set has.
#[derive(Clone, Debug, PartialEq)]
pub enum DatasetLength {
    /// Nothing is known of it.
    Unknown,
    /// Always so many.
    Constant(i64),
    /// The value of this constructor parameter.
    Parameter(Box<str>),
    /// By the value of a constructor parameter, such as `train=True`.
    By(Vec<(Box<str>, Literal, i64)>),
}

/// What a sample consists of.
#[derive(Clone, Debug, PartialEq)]
pub enum SampleItem {
    /// A PIL image.
    Image {
        /// As PIL calls it (`L`, `RGB`).
        mode: Box<str>,
        /// Before the transforms.
        size: ImageSize,
    },
    /// An item that is not an image.
    Value(AttributeValue),
}

/// The size of an image in pixels.
#[derive(Clone, Debug, PartialEq)]
pub enum ImageSize {
    /// Nothing is known of it.
    Unknown,
    /// Always the same.
    Pixels {
        /// Rows.
        height: i64,
        /// Columns.
        width: i64,
    },
    /// A constructor parameter that holds `(channels, height, width)`.
    Parameter(Box<str>),
}
