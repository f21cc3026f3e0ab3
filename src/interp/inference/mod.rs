//! Signatures: what a function's body implies of the shapes that it takes and gives.
//!
//! Every function is run with symbolic arguments, once for each path through it. Its operations bind what is free in the shapes of the
//! arguments; what stays free is what callers may choose. The paths' signatures fall together where they agree.

pub mod alternatives;
pub mod generalise;
pub mod hints;
pub mod list_lengths;
pub mod naming;
pub mod parameter_uses;
pub mod path_choices;
pub mod paths;
pub mod requirements;
pub mod subjects;

pub use harp_trace::inferred_signature::{
    Alternative, InferredFunction, InferredParameter, Pattern, Problem, Receiver, ShapePart, TensorPattern,
};
pub use list_lengths::Growth;
pub use path_choices::Choice;

use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::api::library_model::LibraryModel;
use crate::heap::objects::ListData;
use crate::state::interpreter::{Interpreter, Options, Speculation as Answered};
use crate::values::value::{Guard, Literal, ObjectId, Value};
use harp_annotations::Library;
use harp_corpus::{Corpus, Span};
use harp_operations::operation::Judged;
use harp_python::ir::{Function, Parameter};
use harp_python::name::Name;
use harp_python::project::Project;
use harp_shape::{Constraint, Dim, Outcome, Remembered, ShapeVar, Var, forget_since, remembered};
use harp_trace::assumption::{AssumptionKind, words};
use harp_trace::defect_of_entry::DefectOfEntry;

use path_choices::Choices;

/// What was inferred.
#[derive(Debug, Default)]
pub struct Inference {
    pub functions: Vec<InferredFunction>,
    /// Panics that the inference of functions ended with.
    pub defects: Vec<DefectOfEntry>,
}

/// Infers the signatures of all functions and methods of a project, in the order of files and places.
pub fn infer(
    (corpus, project): (&Corpus, &Project),
    libraries: (&Library, &'static dyn LibraryModel),
    options: &Options,
) -> Inference {
    let mut interpreter = Interpreter::new((corpus, project), libraries, options);
    interpreter.execute_modules();
    let subjects = interpreter.subjects();
    interpreter.work.shares.begin(project_steps(corpus), subjects.len() as u64);
    let moment = remembered();
    let mut functions: Vec<InferredFunction> = Vec::new();
    for subject in subjects {
        functions.push(interpreter.infer_function(&subject));
        interpreter.work.shares.waiting -= 1;
        interpreter.forget_since(moment);
    }
    functions.sort_by(|a, b| (a.span, &a.name).cmp(&(b.span, &b.name)));
    Inference { functions, defects: std::mem::take(&mut interpreter.trace.defects) }
}

/// Steps for all functions of a project: enough for small projects to be followed whole, and in proportion to its lines beyond.
fn project_steps(corpus: &Corpus) -> u64 {
    let bytes: u64 = corpus.files.iter().map(|file| file.text.len() as u64).sum();
    3_000_000 + bytes / 3
}

/// The path of a function that is being followed.
#[derive(Debug, Default)]
pub struct Run {
    pub choices: Choices,
    /// What the program calls its sizes, in the order in which it does.
    names: Vec<(Var, Name)>,
    /// Requirements that could not be judged; what they say is part of the signature all the same.
    unproven: Vec<Constraint>,
    clash: Option<Problem>,
    speculation: Speculation,
    /// What of the speculation made a difference to the path.
    consulted: Speculation,
    /// The file and the bytes of the function whose signature is inferred.
    function: Option<Span>,
    /// Whether the receiver is being made: its settings are numbers.
    constructs: bool,
    /// Whether an operation was met that only tensors have, so that arithmetic may be theirs too.
    pub touches_library: bool,
    /// Counters of loops, which are in range by themselves.
    pub counters: Vec<Var>,
    /// How long the lists are that loops fill, while they stay as the loop left them.
    lengths: FxHashMap<ObjectId, (Rc<ListData>, Dim)>,
    /// What names in annotations stand for.
    hints: FxHashMap<String, Dim>,
    hinted_shapes: FxHashMap<String, ShapeVar>,
}

/// What is taken for granted of parameters of which nothing is said.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Speculation {
    /// Those that are used in arithmetic are tensors.
    takes_arrays: bool,
    /// Integers with a default may be any, so that the signature holds for all of them; else they are the default.
    opens_integers: bool,
}

impl Speculation {
    /// Whether a run under the other speculation goes as one under this did, of which only these parts were asked for.
    fn goes_as(self, other: Speculation, consulted: Speculation) -> bool {
        (self.takes_arrays == other.takes_arrays || !consulted.takes_arrays)
            && (self.opens_integers == other.opens_integers || !consulted.opens_integers)
    }

    /// What either asked for.
    fn or(self, other: Speculation) -> Speculation {
        Speculation {
            takes_arrays: self.takes_arrays || other.takes_arrays,
            opens_integers: self.opens_integers || other.opens_integers,
        }
    }
}

impl Run {
    fn new(choices: Choices, speculation: Speculation, function: Span) -> Run {
        Run { choices, speculation, function: Some(function), ..Run::default() }
    }

    /// Notes what an operation required.
    pub fn note(&mut self, judged: &[Judged], span: Span) {
        for judged in judged {
            match judged.outcome {
                Outcome::Violated if self.clash.is_none() => {
                    self.clash = Some(Problem { text: judged.message.clone(), span: Some(span) });
                }
                Outcome::Unknown => self.unproven.push(judged.constraint.clone()),
                _ => {}
            }
        }
    }
}

impl Interpreter<'_> {
    /// Frees what the inference of a function left behind. Its signature is text; nothing else of it is kept.
    fn forget_since(&mut self, moment: Remembered) {
        self.trace.sites.clear();
        self.model_state.last_batches.clear();
        self.sizes.draws.clear();
        self.sizes.settled_math.clear();
        self.tables.variable_assumptions.retain(|var| moment.has(*var));
        self.model_state.settings.retain(&|var| moment.has(var));
        self.tables.by_chance.retain(|var| moment.has(*var));
        self.tables.counters.retain(|var| moment.has(*var));
        self.tables.shapes_of_values.clear();
        self.solver.forget_answers();
        forget_since(moment);
    }

    /// Notes what the program calls a size.
    pub fn name_dim(&mut self, dim: Dim, name: Name) {
        if self.inference.is_none() || name.as_str() == "_" {
            return;
        }
        let variable = self.solver.resolve(dim).as_var();
        if let (Some(run), Some(variable)) = (&mut self.inference, variable)
            && !run.names.iter().any(|(known, _)| *known == variable)
        {
            run.names.push((variable, name));
        }
    }

    /// Whether the running function is the one whose signature is inferred, not one that it calls.
    pub fn is_in_inferred_function(&self) -> bool {
        let Some(inferred) = self.inference.as_ref().and_then(|run| run.function) else { return false };
        let running = self.frames.last().and_then(|frame| frame.function.as_ref());
        running.is_some_and(|running| running.range.in_file(running.file) == inferred)
    }

    /// Whether something stands in the function whose signature is inferred.
    pub(super) fn is_place_in_inferred_function(&self, place: Span) -> bool {
        let function = self.inference.as_ref().and_then(|run| run.function);
        function.is_some_and(|function| {
            function.file == place.file && (function.start..function.end).contains(&place.start)
        })
    }

    /// Whether a value of unknown type is a parameter of the function, or a part of one.
    pub(crate) fn is_input(&self, id: ObjectId) -> bool {
        self.heap.symbolic(id).is_some_and(|data| !data.is_result && data.refined.is_none())
    }

    /// Whether a value is an argument of which nothing is known, and no part of one.
    pub(crate) fn is_argument(&self, id: ObjectId) -> bool {
        let is_part = |text: &str| text.contains(['.', '[', '(']);
        self.is_input(id) && self.heap.symbolic(id).is_some_and(|data| !is_part(&data.description))
    }

    /// What the run speculates, of which these parts make a difference.
    fn consult(&mut self, parts: Speculation) -> Speculation {
        self.inference.as_mut().map_or_else(Speculation::default, |run| {
            run.consulted = run.consulted.or(parts);
            run.speculation
        })
    }

    /// The operands of arithmetic: a parameter of which nothing is known is a tensor there, and a setting of a constructor that meets an
    /// integer is one too.
    pub(super) fn as_operands(&mut self, left: &Value, right: &Value, span: Span) -> (Value, Value) {
        let (left, right) = (self.read(left), self.read(right));
        let Some(run) = &self.inference else { return (left, right) };
        if run.constructs {
            let meets_integer = |other: &Value| matches!(other, Value::Int(_) | Value::Symbolic(_));
            let both = [(&left, &right), (&right, &left)];
            for (value, other) in both {
                if let Value::Symbolic(id) = value
                    && self.is_input(*id)
                    && meets_integer(other)
                {
                    self.refine_to_integer(*id, "it is used in arithmetic", span);
                }
            }
        } else {
            let takes_arrays = run.speculation.takes_arrays;
            for value in [&left, &right] {
                if let Value::Symbolic(id) = value
                    && self.is_input(*id)
                {
                    self.consult(Speculation { takes_arrays: true, ..Speculation::default() });
                    if takes_arrays {
                        self.refine_operand(*id, span);
                    }
                }
            }
        }
        (self.read(&left), self.read(&right))
    }

    /// A parameter of the function is a tensor, a setting of its class a number.
    fn refine_operand(&mut self, id: ObjectId, span: Span) {
        let evidence = "it is used in arithmetic".to_owned();
        let Some(data) = self.heap.symbolic(id).cloned() else { return };
        let is_own = self.is_place_in_inferred_function(data.origin);
        if is_own {
            self.refine_to_tensor(id, self.assumed_open_kind(span), AssumptionKind::UsedAs, evidence, span);
        } else {
            let subject = data.description.to_string();
            let text = words::used_as_number(&subject);
            if self.speculate(AssumptionKind::UsedAs, &subject, text, evidence, span) != Answered::Denied {
                self.refine(id, Value::Float(None));
            }
        }
    }

    /// A parameter with a default: a flag may be either, what is `None` by default may be given, and anything else is the default.
    pub(super) fn open_default(
        &mut self,
        scope: ObjectId,
        function: &Function,
        parameter: &Parameter,
        default: Value,
        place: Span,
    ) -> Value {
        let name = parameter.name.as_str();
        let ways: [(bool, Value); 2] = match &default {
            Value::Bool(value) => [(*value, Value::Bool(*value)), (!value, Value::Bool(!value))],
            Value::None => [(true, Value::None), (false, self.symbolic_parameter(scope, function, parameter, place))],
            Value::Int(value)
                if value.as_const().is_some_and(|value| value > 1)
                    && self.consult(Speculation { opens_integers: true, ..Speculation::default() }).opens_integers =>
            {
                let dim = self.free_dim(name, 1);
                self.name_dim(dim, parameter.name);
                return Value::Int(dim);
            }
            _ => {
                let text = words::default_value_setting(name, default.describe());
                let (kind, evidence) = (AssumptionKind::DefaultValue, "nobody calls the function".to_owned());
                return match self.speculate(kind, name, text, evidence, place) {
                    Answered::Denied => self.symbolic_parameter(scope, function, parameter, place),
                    Answered::Assumed(_) | Answered::Confirmed => default,
                };
            }
        };
        let text = if default.is_none() { format!("{name} is None") } else { name.to_owned() };
        let decision = self.new_decision(&text, None);
        let alternatives = ways.map(|(taken, value)| (Guard::from([Literal { decision, taken }]), value));
        Value::Alternatives(Rc::new(alternatives.to_vec()))
    }
}
