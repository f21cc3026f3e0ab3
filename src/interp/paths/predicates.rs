//! Predicates of path conditions: what a program asks of unknown values, and which answers go together.

use std::rc::Rc;

use crate::values::type_of_unknown::{can_be, have_nothing_in_common};
use harp_annotations::Library;

/// Questions about unknown values, by the names under which their answers are kept.
pub(crate) const EQUALS: &str = "== ";
pub(crate) const ONE_OF: &str = "in ";
pub(crate) const ORDERED: &str = "order ";
pub(crate) const IS_INSTANCE: &str = "isinstance ";
/// The question whether a value is `None`.
pub(crate) const IS_NONE: &str = "== None";
/// What stands between classes of which a value is asked to be one.
pub(crate) const ANY_OF: char = '\u{1}';
/// The attribute by which an answer knows the integer that was compared with.
pub(crate) const COMPARED: &str = "\u{1}compared";
pub(crate) const SEPARATOR: &str = "\u{1}";
/// The attribute by which an answer knows the value of which it was asked.
pub(crate) const ASKED_OF: &str = "\u{1}asked of";

/// Whether a text has another as a part, begins with it, and ends with it.
pub(crate) const HAS: &str = "has ";
pub(crate) const BEGINS: &str = "begins with ";
pub(crate) const ENDS: &str = "ends with ";

/// Whether it can be called.
pub(crate) const IS_CALLABLE: &str = "callable";

/// What a program asks of an unknown value, with constants as they are written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Question {
    Equals(Rc<str>),
    OneOf(Vec<Rc<str>>),
    /// Whether it is an instance of one of these classes, by their full names.
    IsInstance(Vec<Rc<str>>),
    IsCallable,
    /// Whether a text has this part there.
    Has(Place, Rc<str>),
}

/// Where a text has another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Anywhere,
    Begin,
    End,
}

impl Place {
    /// Whether a text has a part there.
    pub fn holds(self, text: &str, part: &str) -> bool {
        match self {
            Place::Anywhere => text.contains(part),
            Place::Begin => text.starts_with(part),
            Place::End => text.ends_with(part),
        }
    }

    /// The question by whose name the answer is kept.
    pub(crate) fn question(self, part: &str) -> String {
        let asked = match self {
            Place::Anywhere => HAS,
            Place::Begin => BEGINS,
            Place::End => ENDS,
        };
        format!("{asked}{part}")
    }

    fn parse(question: &str) -> Option<Question> {
        [(HAS, Place::Anywhere), (BEGINS, Place::Begin), (ENDS, Place::End)]
            .into_iter()
            .find_map(|(asked, place)| Some(Question::Has(place, Rc::from(question.strip_prefix(asked)?))))
    }
}

/// The text of a constant as it is written.
fn text_of(constant: &str) -> Option<&str> {
    constant.strip_prefix('"')?.strip_suffix('"')
}

impl Question {
    pub(crate) fn parse(text: &str) -> Option<Question> {
        let equals = text.strip_prefix(EQUALS).map(|constant| Question::Equals(Rc::from(constant)));
        if text == IS_CALLABLE {
            return Some(Question::IsCallable);
        }
        if let Some(part) = Place::parse(text) {
            return Some(part);
        }
        let classes = text.strip_prefix(IS_INSTANCE);
        let classes = classes.map(|classes| Question::IsInstance(classes.split(ANY_OF).map(Rc::from).collect()));
        equals.or(classes).or_else(|| {
            let constants = text.strip_prefix(ONE_OF)?;
            Some(Question::OneOf(constants.split(SEPARATOR).map(Rc::from).collect()))
        })
    }

    /// Whether one value can give these answers to questions.
    pub fn is_possible(library: &Library, answers: &[(&Question, bool)]) -> bool {
        let classes: Vec<(&[Rc<str>], bool)> = answers
            .iter()
            .filter_map(|(question, taken)| match question {
                Question::IsInstance(classes) => Some((&classes[..], *taken)),
                _ => None,
            })
            .collect();
        let are_apart = |class: &str, other: &str| {
            have_nothing_in_common(library, class, other) || are_of_different_kinds(library, class, other)
        };
        if !can_be(&classes, are_apart) {
            return false;
        }
        let mut equal = answers.iter().filter_map(|(question, taken)| match question {
            Question::Equals(constant) if *taken && is_plain_text(constant) => Some(constant),
            _ => None,
        });
        let Some(value) = equal.next() else { return true };
        let class = match &**value {
            "None" => Some("NoneType"),
            text if text.starts_with('"') => Some("str"),
            _ => None,
        };
        let is_apart = |other: &Rc<str>| class.is_some_and(|class| have_nothing_in_common(library, class, other));
        if classes.iter().any(|(classes, taken)| *taken && classes.iter().all(is_apart)) {
            return false;
        }
        equal.all(|other| other == value)
            && answers.iter().all(|(question, taken)| match question {
                Question::Equals(constant) => *taken || constant != value,
                Question::OneOf(constants) => constants.contains(value) == *taken,
                Question::Has(place, part) => text_of(value).is_none_or(|text| place.holds(text, part) == *taken),
                Question::IsInstance(_) | Question::IsCallable => true,
            })
    }

    /// Whether this very value, as it is written, gives these answers.
    pub fn fit(answers: &[(&Question, bool)], value: &str) -> bool {
        answers.iter().all(|(question, taken)| match question {
            Question::Equals(constant) => (**constant == *value) == *taken,
            Question::OneOf(constants) => constants.iter().any(|constant| **constant == *value) == *taken,
            Question::Has(place, part) => text_of(value).is_none_or(|text| place.holds(text, part) == *taken),
            Question::IsInstance(_) | Question::IsCallable => true,
        })
    }
}

/// Whether two classes of one package are kinds of the same thing, of which an object is one: `spaces.Box` and `spaces.Discrete`. Modules of
/// abstract classes and of layers have no such kinds, nor do classes of which one has the name of the module's kind, as `spaces.Space`.
fn are_of_different_kinds(library: &Library, class: &str, other: &str) -> bool {
    const ABSTRACT: [&str; 5] = ["abc", "builtins", "collections", "numbers", "typing"];
    let (Some((module, name)), Some((other_module, other_name))) = (class.rsplit_once('.'), other.rsplit_once('.'))
    else {
        return false;
    };
    let kind = module.rsplit('.').next().unwrap_or(module).trim_end_matches('s');
    let is_kind = |name: &str| name.eq_ignore_ascii_case(kind) || name.contains("Base") || name.contains("Abstract");
    module == other_module
        && name != other_name
        && module.contains('.')
        && !ABSTRACT.contains(&module.split('.').next().unwrap_or(""))
        && library.families().made_by(module).is_none()
        && !is_kind(name)
        && !is_kind(other_name)
        && !name.contains(other_name)
        && !other_name.contains(name)
}

/// Whether a constant as it is written equals no other one.
fn is_plain_text(constant: &str) -> bool {
    constant.starts_with('"') || constant == "None" || constant.parse::<i64>().is_ok()
}
