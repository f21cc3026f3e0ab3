//! What a transfer function gets: one library operation being evaluated in shapes, with its arguments, the solver, and
//! what was required of them.
//!
//! Transfer functions and annotation signatures both work on an [`Operation`] and return an [`Output`]; neither sees the
//! interpreter's values, so library knowledge can be tested without a program.

use std::rc::Rc;

use harp_python::name::Name;
use harp_shape::{Constraint, DType, Dim, FamilyRules, Outcome, Shape, Solver};

/// A tensor as an operation sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct TensorArgument {
    pub shape: Shape,
    pub dtype: DType,
}

/// An argument of an operation, reduced to what shapes can depend on.
#[derive(Clone, Debug, PartialEq)]
pub enum Argument {
    Tensor(TensorArgument),
    /// A Python integer; also a `bool` where its value is not known.
    Integer(Dim),
    /// A Python float, with its value where known.
    Float(Option<f64>),
    Boolean(bool),
    /// A truth value that is not known.
    Truth,
    Text(Rc<str>),
    None,
    DType(DType),
    /// A tuple, list or `torch.Size` of known length.
    Sequence(Vec<Argument>),
    Ellipsis,
    /// A slice in an index; `None` where a bound was left out.
    Slice {
        lower: Box<Argument>,
        upper: Box<Argument>,
        step: Box<Argument>,
    },
    /// A value of which the analysis knows nothing that shapes need; a check that would need it is turned off.
    Unknown,
}

impl Argument {
    /// The integer, where the argument is one (`True` counts as 1).
    pub fn as_dim(&self) -> Option<Dim> {
        match self {
            Argument::Integer(dim) => Some(*dim),
            Argument::Boolean(value) => Some(Dim::constant(i64::from(*value))),
            _ => None,
        }
    }

    /// The integer, where its value is known.
    pub fn as_int(&self) -> Option<i64> {
        self.as_dim().and_then(Dim::as_const)
    }

    pub fn as_tensor(&self) -> Option<&TensorArgument> {
        match self {
            Argument::Tensor(tensor) => Some(tensor),
            _ => None,
        }
    }

    pub fn is_none(&self) -> bool {
        matches!(self, Argument::None)
    }
}

/// Arguments bound to the parameters of an API, by parameter name, in the order of its signature. Defaults are filled in.
/// For the `forward` of a library module the constructor's parameters come first (see [`Arguments::push`]).
#[derive(Clone, Debug, Default)]
pub struct Arguments {
    bound: Vec<(Name, Argument)>,
    /// Some tensor among them may as well be an array of NumPy, which takes what PyTorch rejects.
    pub may_be_arrays: bool,
    /// The tensors within sequences are arrays of NumPy, which PyTorch takes for sequences themselves.
    pub has_array_items: bool,
}

impl Arguments {
    /// Without arguments yet, of which so many are to come.
    pub fn with_room_for(count: usize) -> Arguments {
        Arguments { bound: Vec::with_capacity(count), ..Arguments::default() }
    }

    pub fn push(&mut self, name: &str, value: Argument) {
        self.push_named(Name::new(name), value);
    }

    pub fn push_named(&mut self, name: Name, value: Argument) {
        self.bound.push((name, value));
    }

    /// The argument of a parameter; the last one where a call's parameter has the name of a constructor's.
    pub fn get(&self, name: &str) -> Option<&Argument> {
        self.bound.iter().rev().find(|(bound, _)| bound.as_str() == name).map(|(_, value)| value)
    }

    /// Like [`Arguments::get`], with `Unknown` for a parameter that the API does not have.
    pub fn value(&self, name: &str) -> Argument {
        self.get(name).cloned().unwrap_or(Argument::Unknown)
    }

    pub fn tensor(&self, name: &str) -> Option<&TensorArgument> {
        self.get(name).and_then(Argument::as_tensor)
    }

    /// A flag's value, where it is known.
    pub fn flag(&self, name: &str) -> Option<bool> {
        match self.get(name)? {
            Argument::Boolean(value) => Some(*value),
            Argument::Integer(dim) => dim.as_const().map(|value| value != 0),
            Argument::None => Some(false),
            _ => None,
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = (&str, &Argument)> {
        self.bound.iter().map(|(name, value)| (name.as_str(), value))
    }
}

/// A requirement that was judged.
#[derive(Clone, Debug)]
pub struct Judged {
    pub constraint: Constraint,
    pub outcome: Outcome,
    /// What the library demands, as a clause a user understands, with the shapes in it:
    /// "the last dimension of `input` ([64, 9216]) must be `in_features` (9217)".
    pub message: String,
    /// The parameters whose shapes clash; the report labels these operands.
    pub operands: Vec<Rc<str>>,
    /// Their shapes as they were before the program went on, where it goes on only with others: `[batch, hidden]`, though from there on
    /// `hidden` is `batch`.
    pub shapes: Vec<(Rc<str>, Shape)>,
}

impl Judged {
    /// A requirement that is certainly violated.
    pub fn violated(message: String, operands: Vec<Rc<str>>) -> Judged {
        let (constraint, outcome) = (Constraint::False, Outcome::Violated);
        Judged { constraint, outcome, message, operands, shapes: Vec::new() }
    }

    /// Whether it fails, or does for some sizes.
    pub fn may_fail(&self) -> bool {
        matches!(self.outcome, Outcome::Violated | Outcome::Possible(_))
    }
}

/// Tensors with more dimensions are not followed. PyTorch reduces none of more than 64, and NumPy has none.
const MOST_DIMENSIONS: usize = 128;

/// What an operation returns.
#[derive(Clone, Debug, PartialEq)]
pub enum Output {
    Tensor {
        shape: Shape,
        dtype: DType,
    },
    /// A view or in-place result: the argument itself, unchanged.
    Argument(Rc<str>),
    Tuple(Vec<Output>),
    List(Vec<Output>),
    /// A sequence whose items are alike, of a length that is known at most as a symbolic number.
    Several(Box<Output>, Option<Dim>),
    Size(Vec<Dim>),
    /// The size of a tensor whose rank is not known.
    OpenSize(Shape),
    Integer(Dim),
    Float,
    Boolean(Option<bool>),
    None,
    /// Nothing is known, for this reason (also after a requirement without which there is no result shape).
    Unknown(&'static str),
}

impl Output {
    pub fn tensor(shape: Shape, dtype: DType) -> Output {
        Output::Tensor { shape, dtype }
    }

    /// The output with other types of elements.
    #[must_use]
    pub fn with_types(self, of: &dyn Fn(DType) -> DType) -> Output {
        match self {
            Output::Tensor { shape, dtype } => Output::Tensor { shape, dtype: of(dtype) },
            Output::Tuple(items) => Output::Tuple(items.into_iter().map(|item| item.with_types(of)).collect()),
            Output::List(items) => Output::List(items.into_iter().map(|item| item.with_types(of)).collect()),
            Output::Several(item, count) => Output::Several(Box::new(item.with_types(of)), count),
            other => other,
        }
    }

    /// The output with nothing known of tensors that have more dimensions than are followed. A loop that adds a dimension in each of its iterations
    /// would make shapes of thousands, each of them anew.
    #[must_use]
    pub fn of_followed_ranks(self) -> Output {
        let is_followed = |shape: &Shape| shape.elements().len() <= MOST_DIMENSIONS;
        match self {
            Output::Tensor { shape, .. } | Output::OpenSize(shape) if !is_followed(&shape) => {
                Output::Unknown("a tensor of more dimensions than are followed")
            }
            Output::Tuple(items) => Output::Tuple(items.into_iter().map(Output::of_followed_ranks).collect()),
            Output::List(items) => Output::List(items.into_iter().map(Output::of_followed_ranks).collect()),
            Output::Several(item, count) => Output::Several(Box::new(item.of_followed_ranks()), count),
            other => other,
        }
    }
}

/// An operation under evaluation.
pub struct Operation<'a> {
    /// The qualified name of the API, such as `torch.nn.functional.conv2d`.
    pub api: &'a str,
    /// What is true of the tensors of the API's family.
    pub rules: &'static FamilyRules,
    pub arguments: &'a Arguments,
    pub solver: &'a mut Solver,
    pub judged: Vec<Judged>,
    /// Remarks that are not errors, such as a broadcast that was surely not meant.
    pub remarks: Vec<Remark>,
    /// What was taken for granted of operands of unknown rank.
    pub guesses: Vec<Guess>,
}

/// Something that an operation takes for granted of an operand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guess {
    /// The parameter; empty where it is not known which.
    pub operand: Rc<str>,
    /// What it has: "4 dimensions".
    pub text: String,
    /// How many dimensions more it could have instead, or less.
    pub others: Vec<i64>,
}

/// Something that runs, but surely was not meant.
#[derive(Clone, Debug)]
pub enum Remark {
    /// `(n, 1)` against `(n,)` gives `(n, n)`.
    SuspiciousBroadcast { left: Shape, right: Shape, result: Shape, operands: Vec<Rc<str>> },
}

impl<'a> Operation<'a> {
    pub fn new(api: &'a str, rules: &'static FamilyRules, arguments: &'a Arguments, solver: &'a mut Solver) -> Self {
        Operation { api, rules, arguments, solver, judged: Vec::new(), remarks: Vec::new(), guesses: Vec::new() }
    }

    /// Whether functions and constructors take lists and numbers, and axes, sizes and element types in the forms of the array API.
    pub(crate) fn takes_arrays(&self) -> bool {
        self.rules.array_functions
    }

    /// Whether the API is a method: the name before its own is that of a class.
    pub(crate) fn is_method(&self) -> bool {
        let owner = self.api.rsplit('.').nth(1);
        owner.is_some_and(|owner| owner.starts_with(|first: char| first.is_ascii_uppercase()))
    }

    /// Judges a requirement and records the outcome unless it simply holds. Returns whether the operation can go on (it cannot
    /// where the requirement is certainly violated).
    pub fn require(
        &mut self,
        constraint: Constraint,
        operands: &[&str],
        message: impl FnOnce(&Solver) -> String,
    ) -> bool {
        let outcome = self.solver.require(&constraint);
        let goes_on = !matches!(outcome, Outcome::Violated);
        if !matches!(outcome, Outcome::Holds) {
            let message = message(self.solver);
            let operands: Vec<Rc<str>> = operands.iter().map(|name| Rc::from(*name)).collect();
            let mut shapes = Vec::new();
            if matches!(outcome, Outcome::Possible(_)) {
                shapes = operands.iter().filter_map(|name| Some((Rc::clone(name), self.shape_of(name)?))).collect();
                // Where it does not hold, the program stops here.
                self.solver.assume(&constraint);
            }
            self.judged.push(Judged { constraint, outcome, message, operands, shapes });
        }
        goes_on
    }

    /// Records what is taken for granted of an operand.
    pub fn guess(&mut self, operand: &str, text: String, others: Vec<i64>) {
        self.guesses.push(Guess { operand: Rc::from(operand), text, others });
    }

    /// Records a requirement that is certainly violated, such as a rank the operation never accepts.
    pub fn fail(&mut self, operands: &[&str], message: String) {
        let operands = operands.iter().map(|name| Rc::from(*name)).collect();
        self.judged.push(Judged::violated(message, operands));
    }

    /// The shape that a tensor has here.
    fn shape_of(&self, name: &str) -> Option<Shape> {
        match self.arguments.get(name)? {
            Argument::Tensor(tensor) => Some(self.solver.resolve_shape(&tensor.shape)),
            _ => None,
        }
    }
}
