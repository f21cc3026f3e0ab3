//! Runs a function along each of its paths for its signature.

use std::rc::Rc;

use crate::inference::alternatives;
use crate::inference::alternatives::Followed;
use crate::inference::generalise::Arguments;
use crate::inference::path_choices::{Choice, Choices, Waiting};
use crate::inference::subjects::Subject;
use crate::inference::{Run, Speculation};
use crate::state::interpreter::{Eval, Interpreter, Interrupt};
use crate::values::value::{Closure, FunctionKind, Value};
use harp_python::ir::{Function, ParameterKind};
use harp_trace::assumption::{Assumption, AssumptionKind, words};
use harp_trace::inferred_signature::{Alternative, InferredFunction, InferredParameter, Pattern, Problem, Receiver};

/// Paths of a function that are followed.
const MOST_PATHS: usize = 24;
/// Steps of all paths of a function: between these, by its share of the project's.
const MOST_STEPS: u64 = 80_000;
const FEWEST_STEPS: u64 = 2_000;

/// What was inferred under one speculation.
struct Inferred {
    function: InferredFunction,
    /// Whether an operation was met that only tensors have.
    touches_library: bool,
    consulted: Speculation,
    steps: u64,
}

/// How a path ended.
pub(super) enum Ending {
    /// With a signature; and for each choice what it says of the arguments, where that can be said of sizes.
    Returns(Box<Alternative>, Vec<Option<Vec<String>>>),
    /// An exception: the program rejects what leads here.
    Raises,
    /// An operation certainly fails.
    Clashes(Problem),
    /// A bound ran out.
    Exhausted(&'static str),
}

/// What tells one ending from another.
impl std::fmt::Display for Ending {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Ending::Returns(alternative, _) => {
                for parameter in &alternative.parameters {
                    write!(formatter, "{parameter}, ")?;
                }
                write!(formatter, "-> {} where {}", alternative.result, alternative.requirements.join(" and "))
            }
            Ending::Raises => formatter.write_str("raises"),
            Ending::Clashes(problem) => write!(formatter, "fails: {}", problem.text),
            Ending::Exhausted(what) => write!(formatter, "needs more {what}"),
        }
    }
}

impl Interpreter<'_> {
    /// Infers the signature of a function, or says why there is none.
    pub(super) fn infer_function(&mut self, subject: &Subject) -> InferredFunction {
        let Some(closure) = &subject.closure else {
            let text = "its name stands for something else when the program runs".to_owned();
            return self.without_signature(subject, text);
        };
        if subject.function.is_generator {
            return self.without_signature(subject, "it is a generator".to_owned());
        }
        let takes_arrays = subject.takes_arrays;
        let mut best: Option<(Badness, InferredFunction)> = None;
        let mut tried: Vec<(Speculation, Speculation)> = Vec::new();
        let most = self.steps_of_a_function();
        let mut steps = 0;
        for (takes_arrays, opens_integers) in [(takes_arrays, true), (takes_arrays, false), (false, false)] {
            let speculation = Speculation { takes_arrays, opens_integers };
            if tried.iter().any(|(known, consulted)| known.goes_as(speculation, *consulted)) {
                continue;
            }
            let inferred = self.infer_closure(subject, closure, speculation, most);
            tried.push((speculation, inferred.consulted));
            steps += inferred.steps;
            if takes_arrays && !inferred.touches_library && is_guessed(&inferred.function) {
                // Perhaps all of it is arithmetic with numbers.
                continue;
            }
            let badness = badness(&inferred.function);
            if best.as_ref().is_none_or(|(known, _)| badness < *known) {
                best = Some((badness, inferred.function));
            }
            if best.as_ref().is_none_or(|(known, _)| *known == Badness::default()) || steps > most {
                break;
            }
        }
        self.work.shares.project = self.work.shares.project.saturating_sub(steps);
        best.map_or_else(|| self.without_signature(subject, "nothing is known of it".to_owned()), |(_, best)| best)
    }

    /// A few times the even share of what the project has left, because most functions take less.
    fn steps_of_a_function(&self) -> u64 {
        let even = self.work.shares.project / self.work.shares.waiting.max(1);
        (8 * even).clamp(FEWEST_STEPS, MOST_STEPS)
    }

    fn without_signature(&self, subject: &Subject, text: String) -> InferredFunction {
        let receiver = receiver_of(subject);
        InferredFunction {
            name: subject.name.clone(),
            qualified_name: subject.function.qualified_name.to_string(),
            span: subject.function.name_range.in_file(subject.function.file),
            receiver,
            parameters: parameters(&subject.function, is_given(receiver)),
            alternatives: Vec::new(),
            problems: vec![Problem { text, span: None }],
            has_tensors: false,
        }
    }

    /// `most` are the steps that all its paths may take.
    fn infer_closure(
        &mut self,
        subject: &Subject,
        closure: &Rc<Closure>,
        speculation: Speculation,
        most: u64,
    ) -> Inferred {
        let mut waiting = Waiting::new(MOST_PATHS);
        let mut followed: Vec<Followed> = Vec::new();
        let mut problems = Vec::new();
        let (mut steps, mut consulted, mut touches_library) = (0, Speculation::default(), false);
        let function = subject.function.range.in_file(subject.function.file);
        let place = subject.function.name_range.in_file(subject.function.file);
        while let Some(planned) = waiting.next_planned() {
            let (made, ending, used, run) = self.isolated(most / 2, |this| {
                this.inference = Some(Box::new(Run::new(Choices::new(planned.given.clone()), speculation, function)));
                let ending = this.follow(subject, closure);
                let mut run = this.inference.take().unwrap_or_default();
                let made = this.described(std::mem::take(&mut run.choices.made));
                (made, ending, this.entry.steps, run)
            });
            waiting.add_turns(&planned, &made, &ending.to_string());
            followed.push(Followed { choices: made, ending });
            steps += used;
            touches_library |= run.touches_library;
            consulted = consulted.or(run.consulted);
            if steps > most {
                break;
            }
        }
        if waiting.is_cut_short() {
            let text = format!("{} paths were followed, and there are more", followed.len());
            problems.push(Problem { text, span: None });
        }
        let (mut alternatives, more) = alternatives::collapse(followed);
        if waiting.leaves_idle_turns() {
            let text = words::uniform_returns_independent();
            let evidence = "there are too many paths to follow all of them".to_owned();
            let (kind, subject) = (AssumptionKind::UniformReturns, String::new());
            let assumption = Assumption { kind, subject, text, evidence, span: place };
            alternatives.iter_mut().for_each(|alternative| alternative.assumptions.push(assumption.clone()));
        }
        problems.extend(more);
        let has_tensors = alternatives.iter().any(|alternative| {
            alternative.clash.is_some()
                || alternative.result.has_tensor()
                || alternative.parameters.iter().any(Pattern::has_tensor)
        });
        let receiver = receiver_of(subject);
        let function = InferredFunction {
            name: subject.name.clone(),
            qualified_name: subject.function.qualified_name.to_string(),
            span: place,
            receiver,
            parameters: parameters(&subject.function, is_given(receiver)),
            alternatives,
            problems,
            has_tensors,
        };
        Inferred { function, touches_library, consulted, steps }
    }

    /// The conditions of the choices, as the program writes them.
    fn described(&self, made: Vec<Choice>) -> Vec<(Choice, String)> {
        let text = |choice: &Choice| {
            let mut parts: Vec<String> = Vec::new();
            for literal in &choice.literals {
                let Some(decision) = self.decisions.get(literal.decision.0 as usize) else { continue };
                let text: Vec<&str> = decision.text.split_whitespace().collect();
                let text: String = text.join(" ").chars().take(160).collect();
                let part = match (literal.taken, text.strip_suffix(" is None")) {
                    (true, _) => text,
                    (false, Some(value)) if is_plain(value) => format!("{value} is not None"),
                    (false, _) if is_plain(&text) => format!("not {text}"),
                    (false, _) => format!("not ({text})"),
                };
                if !parts.contains(&part) {
                    parts.push(part);
                }
            }
            parts.join(" and ")
        };
        made.into_iter().map(|choice| (choice.clone(), text(&choice))).collect()
    }

    fn follow(&mut self, subject: &Subject, closure: &Rc<Closure>) -> Ending {
        let facts = self.solver.facts().len();
        self.solver.fixes_ranks = true;
        let place = subject.function.name_range.in_file(subject.function.file);
        let outcome = self.contained((subject.name.as_str(), place), |this| this.call_symbolically(subject, closure));
        if let Some(what) = self.entry.exhausted {
            return Ending::Exhausted(what);
        }
        let clash = self.inference.as_mut().and_then(|run| run.clash.take());
        match outcome {
            Err(Interrupt::Budget(what)) => Ending::Exhausted(what),
            Err(Interrupt::Raise | Interrupt::Yield) => clash.map_or(Ending::Raises, Ending::Clashes),
            Ok(_) if self.solver.is_contradictory() => Ending::Raises,
            Ok((arguments, result)) => match clash {
                Some(clash) => Ending::Clashes(clash),
                None => self.generalise(&arguments, &result, facts),
            },
        }
    }

    fn call_symbolically(&mut self, subject: &Subject, closure: &Rc<Closure>) -> Eval<(Arguments, Value)> {
        let span = closure.function.name_range.in_file(closure.function.file);
        let receiver = match subject.class {
            Some(class) => self.symbolic_receiver(class, closure)?,
            None => None,
        };
        let has_receiver = receiver.is_some();
        let call = self.symbolic_arguments(closure, receiver, span);
        let named = parameters(&closure.function, has_receiver);
        let mut positional = call.positional.iter().skip(usize::from(has_receiver)).cloned();
        let mut values = Vec::with_capacity(named.len());
        for parameter in &named {
            values.push(match parameter.kind {
                ParameterKind::Variadic | ParameterKind::VariadicKeyword => Value::None,
                ParameterKind::KeywordOnly => call.keyword(&parameter.name).cloned().unwrap_or(Value::None),
                ParameterKind::PositionalOnly | ParameterKind::Normal => positional.next().unwrap_or(Value::None),
            });
        }
        self.apply_hints(&closure.function, &values, has_receiver);
        let result = match &subject.decorated {
            Some(decorated) => self.call(decorated, call)?,
            None => self.call_closure(closure, call)?,
        };
        let clash = self.apply_result_hint(&closure.function, &result);
        if let (Some(run), Some(clash)) = (&mut self.inference, clash) {
            run.clash.get_or_insert(clash);
        }
        Ok((Arguments { parameters: named, values, place: span }, result))
    }
}

/// Whether parameters are tensors only because of arithmetic.
fn is_guessed(function: &InferredFunction) -> bool {
    let is_guess = |assumption: &Assumption| assumption.evidence == "it is used in arithmetic";
    function.alternatives.iter().any(|alternative| alternative.assumptions.iter().any(is_guess))
}

/// What is wanting in what was inferred, the worst first: nothing at all, errors, results that are not known, and requirements that cannot be
/// said.
type Badness = (usize, usize, usize, usize);

fn badness(function: &InferredFunction) -> Badness {
    let count =
        |is_meant: &dyn Fn(&Alternative) -> bool| function.alternatives.iter().filter(|it| is_meant(it)).count();
    let unsaid = |it: &Alternative| {
        let hidden = it.assumptions.iter().filter(|it| it.kind == AssumptionKind::NoException).count();
        hidden + it.not_understood.len()
    };
    (
        usize::from(function.alternatives.is_empty()),
        count(&|it| it.clash.is_some()) + function.problems.len(),
        count(&|it| it.result.is_unknown()),
        function.alternatives.iter().map(unsaid).max().unwrap_or(0),
    )
}

fn receiver_of(subject: &Subject) -> Receiver {
    match (subject.class, subject.closure.as_ref().map(|closure| closure.kind)) {
        (None, _) => Receiver::None,
        (Some(_), Some(FunctionKind::Static)) => Receiver::Static,
        (Some(_), Some(FunctionKind::ClassMethod)) => Receiver::Class,
        (Some(_), _) => Receiver::Instance,
    }
}

/// Whether the first parameter is given by what the function is called on.
fn is_given(receiver: Receiver) -> bool {
    matches!(receiver, Receiver::Instance | Receiver::Class)
}

fn is_plain(text: &str) -> bool {
    text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.'))
}

/// The parameters that a caller gives.
fn parameters(function: &Function, skips_receiver: bool) -> Vec<InferredParameter> {
    function
        .parameters
        .iter()
        .skip(usize::from(skips_receiver))
        .map(|parameter| InferredParameter {
            name: parameter.name.to_string(),
            kind: parameter.kind,
            has_default: parameter.default.is_some(),
        })
        .collect()
}
