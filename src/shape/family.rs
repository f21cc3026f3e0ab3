//! Families of tensors: what is true of all arrays of one library, as the library's pack tells it.

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};
use std::sync::{Mutex, PoisonError};

use crate::DType;

/// When a value of unknown type is taken for a tensor of a family.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Assumed {
    /// Never.
    #[default]
    Never,
    /// Where its file imports the family's library, and none whose family is assumed everywhere.
    WhereImported,
    /// Where its file imports no other library with tensors.
    Everywhere,
    /// Beside the family that is assumed there: nothing was done with the value that only tensors of one of them can do.
    AsWell,
}

/// What an index does that lies out of range.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OutOfRange {
    /// The program fails.
    #[default]
    Fails,
    /// The nearest element is taken.
    Clamps,
}

/// How an operator mixes the element types of its operands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mixing {
    /// The higher category (truth values, integers, floats, complex numbers) decides; an operand without axes only by its category
    /// (PyTorch's "Type promotion").
    #[default]
    ByCategory,
    /// Floats get wide enough for the integers that they meet (NumPy's `result_type`).
    ByWidth,
    /// The higher category decides, of operands without axes as of others; of Python's numbers the category alone (JAX's lattice).
    ByKind,
    /// Operands of two types are refused; Python's numbers take the type of the tensor.
    Never,
}

/// What is true of all tensors of a family.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FamilyRules {
    /// The qualified name of the class that has the methods.
    pub class: Box<str>,
    /// What a tensor of the family is called where kinds of values are listed.
    pub noun: Box<str>,
    /// Words that stand for one in annotations and comments, beside the packages: `NDArray`, `np`.
    pub words: Vec<Box<str>>,
    /// Packages and modules whose functions make tensors of the family; the longest that a name begins with decides.
    pub of: Vec<Box<str>>,
    /// The module with the functions that operators call.
    pub operators: Box<str>,
    /// The functions that have other names there, by the names that operators have here.
    pub operator_names: Vec<(Box<str>, Box<str>)>,
    /// Functions and operators of which it refuses truth values that other families take.
    pub refuses_truth: Vec<Box<str>>,
    /// Classes of tensors that a program trains.
    pub parameters: Vec<Box<str>>,
    /// Methods by which a class that derives from it says itself what operations do with its objects.
    pub protocols: Vec<Box<str>>,
    /// The class of a shape; a tuple, where none is told.
    pub sizes: Option<Box<str>>,
    /// Whether `x += y` writes into `x`.
    pub in_place: bool,
    /// Whether its functions and constructors take lists and numbers, and axes, sizes and element types in the forms of the array API.
    pub array_functions: bool,
    /// Whether a list with tensors becomes a tensor of them, as one with lists does.
    pub lists_hold_tensors: bool,
    /// Whether a list of tensors in a subscript is a tuple, and bytes there are a mask.
    pub tuple_subscripts: bool,
    /// Whether a single element is a number, which has no place that could be written into.
    pub scalars_are_numbers: bool,
    /// Whether a tensor without dimensions has an axis 0.
    pub scalars_have_axis: bool,
    /// Whether slices may go backwards.
    pub negative_steps: bool,
    /// Whether an element type is equal to the text of its name.
    pub types_equal_names: bool,
    /// Whether its products take vectors as often as matrices, so that nothing is assumed of an operand of unknown rank.
    pub takes_vectors: bool,
    /// What an index does that lies out of range.
    pub out_of_range: OutOfRange,
    /// How operators mix element types.
    pub mixing: Mixing,
    /// The type of floats where nothing else is said.
    pub default_float: DType,
    /// The type that Python's integers become.
    pub default_int: DType,
    /// Words without which in the program no tensor has elements of 64 bits: they have half of that. With one of them, it is not known which.
    pub narrow_unless: Vec<Box<str>>,
    /// Whether elements may be objects and texts.
    pub holds_objects: bool,
    /// Whether they lie where the program says; else the library decides.
    pub placed_by_program: bool,
    /// Whether its tensors never leave the main memory.
    pub on_host: bool,
    /// Whether it is a picture, seen as channels, height, width, and no sequence of rows.
    pub is_picture: bool,
    /// Whether operations on it can be taken part in a gradient: it has `data` and `grad`.
    pub has_gradient: bool,
    /// When unknown values are taken for one.
    pub assumed: Assumed,
}

impl Default for FamilyRules {
    fn default() -> Self {
        FamilyRules {
            class: "".into(),
            noun: "tensor".into(),
            words: Vec::new(),
            of: Vec::new(),
            operators: "".into(),
            operator_names: Vec::new(),
            refuses_truth: Vec::new(),
            parameters: Vec::new(),
            protocols: Vec::new(),
            sizes: None,
            in_place: false,
            array_functions: false,
            lists_hold_tensors: false,
            tuple_subscripts: false,
            scalars_are_numbers: false,
            scalars_have_axis: false,
            negative_steps: false,
            types_equal_names: false,
            takes_vectors: false,
            out_of_range: OutOfRange::default(),
            mixing: Mixing::default(),
            default_float: DType::Float32,
            default_int: DType::Int64,
            narrow_unless: Vec::new(),
            holds_objects: false,
            placed_by_program: false,
            on_host: false,
            is_picture: false,
            has_gradient: false,
            assumed: Assumed::default(),
        }
    }
}

/// A family of tensors. Families with the same rules are the same; they are kept as long as the program runs, as there are as many as packs declare.
#[derive(Clone, Copy, Debug)]
pub struct Family(&'static FamilyRules);

static KNOWN: Mutex<Vec<&'static FamilyRules>> = Mutex::new(Vec::new());

impl Family {
    /// The family with these rules.
    pub fn new(rules: FamilyRules) -> Family {
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(same) = known.iter().find(|other| ***other == rules) {
            return Family(same);
        }
        let rules: &'static FamilyRules = Box::leak(Box::new(rules));
        known.push(rules);
        Family(rules)
    }

    /// What is true of its tensors.
    pub fn rules(self) -> &'static FamilyRules {
        self.0
    }

    /// The qualified name of its class.
    pub fn class(self) -> &'static str {
        &self.0.class
    }

    /// Whether a word stands for a tensor of the family in annotations and comments.
    pub fn is_called(self, word: &str) -> bool {
        self.0.words.iter().chain(&self.0.of).any(|known| **known == *word)
    }

    /// The qualified name of the function that an operator of this name calls.
    pub fn operator(self, name: &str) -> String {
        let other = self.0.operator_names.iter().find(|(known, _)| **known == *name);
        format!("{}.{}", self.0.operators, other.map_or(name, |(_, other)| other))
    }

    /// How much of a qualified name tells that it makes tensors of the family; 0 where it does not.
    pub fn makes(self, name: &str) -> usize {
        let begins =
            |module: &str| name.strip_prefix(module).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
        self.0.of.iter().filter(|module| begins(module)).map(|module| module.len()).max().unwrap_or(0)
    }
}

impl PartialEq for Family {
    fn eq(&self, other: &Family) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

impl Eq for Family {}

impl Hash for Family {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.class.hash(state);
    }
}

impl PartialOrd for Family {
    fn partial_cmp(&self, other: &Family) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Family {
    fn cmp(&self, other: &Family) -> Ordering {
        // Two families of a name have other rules, in an order that does not depend on which was read first.
        self.0.class.cmp(&other.0.class).then_with(|| match self == other {
            true => Ordering::Equal,
            false => format!("{:?}", self.0).cmp(&format!("{:?}", other.0)),
        })
    }
}

/// The families that packs declare, with the built-in ones.
#[derive(Clone, Debug, Default)]
pub struct Families(Vec<Family>);

impl Families {
    /// These families.
    pub fn new(families: impl IntoIterator<Item = Family>) -> Families {
        Families(families.into_iter().collect())
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = Family> {
        self.0.iter().copied()
    }

    /// The family with a class.
    pub fn of_class(&self, class: &str) -> Option<Family> {
        self.iter().find(|family| family.class() == class)
    }

    /// The family of which a function makes tensors, by its qualified name.
    pub fn made_by(&self, api: &str) -> Option<Family> {
        // Of equal lengths the first counts.
        let mut best: Option<(usize, Family)> = None;
        for family in self.iter() {
            let length = family.makes(api);
            if length > best.map_or(0, |(known, _)| known) {
                best = Some((length, family));
            }
        }
        best.map(|(_, family)| family)
    }

    /// The family that is assumed where nothing tells another; one without a name where packs declare none.
    pub fn usual(&self) -> Family {
        self.assumed(Assumed::Everywhere).unwrap_or_else(|| Family::new(FamilyRules::default()))
    }

    /// The first family that is assumed so.
    pub fn assumed(&self, when: Assumed) -> Option<Family> {
        self.iter().find(|family| family.rules().assumed == when)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn family(class: &str, of: &[&str]) -> Family {
        let of = of.iter().map(|module| Box::from(*module)).collect();
        Family::new(FamilyRules { class: class.into(), of, operators: "m".into(), ..FamilyRules::default() })
    }

    #[test]
    fn families_with_the_same_rules_are_the_same() {
        assert_eq!(family("a.A", &["a"]), family("a.A", &["a"]));
        assert_ne!(family("a.A", &["a"]), family("a.A", &["a", "b"]));
        assert!(family("a.A", &["a"]) < family("b.B", &["a"]));
    }

    #[test]
    fn the_longest_module_decides_who_makes_a_tensor() {
        let (outer, inner) = (family("a.A", &["a"]), family("a.b.B", &["a.b"]));
        let families = Families::new([outer, inner]);
        assert_eq!(families.made_by("a.f"), Some(outer));
        assert_eq!(families.made_by("a.b.f"), Some(inner));
        assert_eq!(families.made_by("a.bc.f"), Some(outer));
        assert_eq!(families.made_by("abc.f"), None);
    }

    #[test]
    fn an_operator_has_another_name_where_the_family_tells_one() {
        let names = vec![("sub".into(), "subtract".into())];
        let rules =
            FamilyRules { class: "c.C".into(), operators: "c".into(), operator_names: names, ..FamilyRules::default() };
        assert_eq!(Family::new(rules.clone()).operator("sub"), "c.subtract");
        assert_eq!(Family::new(rules).operator("add"), "c.add");
    }
}
