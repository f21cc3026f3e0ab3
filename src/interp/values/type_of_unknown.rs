//! The type of an abstract value of which nothing else is known: classes of values that have no object in common, and
//! what the path says of them.

use std::rc::Rc;

use crate::paths::predicates::{ANY_OF, IS_INSTANCE, Question};
use crate::state::interpreter::Interpreter;
use crate::values::value::{ObjectId, Value};
use harp_annotations::{Library, ObjectKind};
use harp_python::name::Name;
use harp_shape::Family;

/// Python's classes of values by kind. Each kind has its own layout in memory, so that no object is of two of them.
const KINDS: [(&str, &[&str]); 9] = [
    ("text", &["str"]),
    ("bytes", &["bytes", "bytearray"]),
    ("integer", &["int", "bool"]),
    ("float", &["float"]),
    ("list", &["list"]),
    (TUPLE, &["tuple"]),
    ("dictionary", &["dict", "collections.OrderedDict", "collections.defaultdict", "collections.Counter"]),
    ("set", &["set", "frozenset"]),
    ("none", &["NoneType", "types.NoneType"]),
];
const TUPLE: &str = "tuple";

/// Python's kinds whose slices are of the same class as the whole.
const SLICED: [&str; 4] = ["text", "list", TUPLE, "bytes"];

/// What kind of value an object of a class is.
fn kind_of<'l>(library: &'l Library, class: &str) -> Option<ObjectKind<'l>> {
    let short = class.strip_prefix("builtins.").unwrap_or(class);
    match KINDS.iter().find(|(_, classes)| classes.contains(&short)) {
        Some((kind, _)) => Some(ObjectKind::Named(kind)),
        None => match library.kind_of_objects(class)? {
            ObjectKind::Sizes => Some(ObjectKind::Named(TUPLE)),
            kind => Some(kind),
        },
    }
}

/// Whether no object is an instance of both classes, as far as values go.
pub(crate) fn have_nothing_in_common(library: &Library, class: &str, other: &str) -> bool {
    matches!((kind_of(library, class), kind_of(library, other)), (Some(one), Some(other)) if one != other)
}

/// Whether one value can be what each of these says, each a class or several of which it is one, with whether it is.
pub(crate) fn can_be(answers: &[(&[Rc<str>], bool)], are_apart: impl Fn(&str, &str) -> bool) -> bool {
    let ruled_out: Vec<&Rc<str>> =
        answers.iter().filter(|(_, taken)| !taken).flat_map(|(classes, _)| *classes).collect();
    let open: Vec<Vec<&Rc<str>>> = answers
        .iter()
        .filter(|(_, taken)| *taken)
        .map(|(classes, _)| classes.iter().filter(|class| !ruled_out.contains(class)).collect())
        .collect();
    open.iter().enumerate().all(|(index, classes)| {
        !classes.is_empty()
            && open[index + 1..]
                .iter()
                .all(|others| classes.iter().any(|class| others.iter().any(|other| !are_apart(class, other))))
    })
}

/// Whether what an unknown value turned out to be agrees with what was answered of it before.
pub(crate) fn fits_answers(library: &Library, value: &Value, answers: &[(&Question, bool)]) -> bool {
    let classes: Vec<&str> = match value {
        Value::Int(_) => vec!["int", "float"],
        Value::Tensor(_) => {
            let families = library.families().iter().filter(|family| !family.rules().is_picture);
            families.map(Family::class).collect()
        }
        _ => return true,
    };
    answers.iter().filter(|(_, taken)| *taken).all(|(question, _)| match question {
        Question::IsCallable => false,
        Question::IsInstance(others) => {
            others.iter().any(|other| classes.iter().any(|class| !have_nothing_in_common(library, class, other)))
        }
        _ => true,
    })
}

/// The attribute of what a class made of which nothing is known but its name.
const MADE_BY_CLASS: &str = "\u{1}made by a class";
/// The attribute of what gives the functions for an array.
const NAMESPACE: &str = "\u{1}namespace";

impl Interpreter<'_> {
    /// Notes that something is an object where a class made it, as its name says (PEP 8, "Class Names").
    pub(crate) fn note_maker(&mut self, made: &Value, callee: &str) {
        let name = callee.rsplit('.').next().unwrap_or(callee);
        let is_class = name.starts_with(|first: char| first.is_ascii_uppercase())
            && name.chars().all(|letter| letter.is_ascii_alphanumeric())
            && name.contains(|letter: char| letter.is_ascii_lowercase());
        let Value::Symbolic(id) = made else { return };
        if is_class {
            self.heap.set_attribute(*id, Name::new(MADE_BY_CLASS), Value::Bool(true));
        }
        if matches!(name, "array_namespace" | "get_namespace" | "__array_namespace__") {
            self.heap.set_attribute(*id, Name::new(NAMESPACE), Value::Bool(true));
        }
    }

    /// Whether this is the module whose functions compute with an array, by the array API standard. Its functions are called as methods of
    /// arrays are, but get the array as their first argument.
    pub(crate) fn is_namespace(&self, id: ObjectId) -> bool {
        self.heap.attribute(id, Name::new(NAMESPACE)).is_some()
    }

    /// Whether a class made this, which is therefore not `None`.
    pub(crate) fn is_made_by_class(&self, id: ObjectId) -> bool {
        self.heap.attribute(id, Name::new(MADE_BY_CLASS)).is_some()
    }

    /// Whether an unknown value is an instance of one of these classes: what the path says of other classes decides it, or it is open, and the
    /// same each time.
    pub(crate) fn instance_of_unknown(&mut self, id: ObjectId, classes: &[Rc<str>]) -> Value {
        let answers = self.instance_answers(id);
        let question = Question::IsInstance(classes.to_vec());
        if !answers.is_empty() {
            let is_possible = |taken: bool| {
                let all: Vec<(&Question, bool)> =
                    answers.iter().map(|(known, taken)| (known, *taken)).chain([(&question, taken)]).collect();
                Question::is_possible(self.library, &all)
            };
            match (is_possible(true), is_possible(false)) {
                (false, true) => return Value::Bool(false),
                (true, false) => return Value::Bool(true),
                _ => {}
            }
        }
        self.memoised_answer(id, &format!("{IS_INSTANCE}{}", classes.join(&*ANY_OF.to_string())))
    }

    /// Whether the path says that a value is a space of integers.
    pub(crate) fn is_discrete_space(&self, id: ObjectId) -> bool {
        self.instance_answers(id).iter().any(|(question, taken)| match question {
            Question::IsInstance(classes) => *taken && classes.iter().all(|class| class.ends_with("spaces.Discrete")),
            _ => false,
        })
    }

    /// What the path says of an unknown value's classes.
    fn instance_answers(&self, id: ObjectId) -> Vec<(Question, bool)> {
        let attributes = self.heap.object(id).attributes.iter();
        attributes
            .filter_map(|(question, answer)| {
                let taken = match answer {
                    Value::Bool(taken) if question.as_str().starts_with(IS_INSTANCE) => *taken,
                    Value::Symbolic(answer) => self.decision_of(*answer)?,
                    _ => return None,
                };
                Some((Question::parse(question.as_str())?, taken))
            })
            .collect()
    }

    /// A part of an unknown value is of the class that the path says of the whole where it is a slice, and where it is an item of a tensor.
    pub(crate) fn note_kind_of_part(&mut self, whole: ObjectId, index: &Value, part: &Value) {
        let Value::Symbolic(part) = part else { return };
        let is_slice = |index: &Value| matches!(index, Value::Slice(_) | Value::Ellipsis);
        let is_slice = match index {
            Value::Tuple(items) => items.iter().any(is_slice),
            index => is_slice(index),
        };
        for (question, taken) in self.instance_answers(whole) {
            let Question::IsInstance(classes) = question else { continue };
            let [class] = &classes[..] else { continue };
            let Some(kind) = kind_of(self.library, class).filter(|_| taken) else { continue };
            let is_index = matches!(index, Value::Int(_) | Value::None | Value::Tuple(_));
            let keeps_class = match kind {
                ObjectKind::Tensor(family) => {
                    let rules = family.rules();
                    !rules.is_picture && (is_slice || is_index && !rules.scalars_are_numbers)
                }
                ObjectKind::Named(kind) => is_slice && SLICED.contains(&kind),
                ObjectKind::Sizes | ObjectKind::Module => false,
            };
            if keeps_class {
                self.heap.set_attribute(*part, Name::new(&format!("{IS_INSTANCE}{class}")), Value::Bool(true));
            }
        }
    }
}
