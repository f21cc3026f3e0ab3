//! Shape signatures of annotations: `(input: s@[k], weight: [m, k]) -> s@[m]`, the shape notation with named parameters.

use super::error::Mistake;
use super::parameters::{ParameterKind, ParameterSpec};
use harp_shape::notation::{Actual, Condition, Names, Passing, PatternShape, Scope};
use harp_shape::{Applied, Constraint, FamilyRules, NotationError, Solver};

/// A shape signature whose inputs are named by parameters.
#[derive(Clone, Debug)]
pub struct Signature {
    /// As the file has it.
    pub text: Box<str>,
    notation: harp_shape::Signature,
}

impl Signature {
    /// The parameters that have a pattern. A parameter that is not among them is not looked at.
    pub fn parameters(&self) -> impl Iterator<Item = &str> {
        self.notation.inputs.iter().map(|input| input.name.as_deref().unwrap_or(""))
    }

    /// Applies the signature. `argument` gives what is known of a parameter's argument; `Unknown` for a name that is no parameter.
    /// `rules` are those of the tensors that it is a function of.
    pub fn apply(&self, rules: &FamilyRules, solver: &mut Solver, argument: &dyn Fn(&str) -> Actual) -> Applied {
        let inputs: Vec<Actual> = self.parameters().map(argument).collect();
        self.notation.apply_where(rules.scalars_have_axis, solver, &inputs, argument)
    }
}

/// A condition over the values of parameters, such as `in_channels % groups == 0`.
#[derive(Clone, Debug)]
pub struct Requirement {
    /// As the file has it.
    pub text: Box<str>,
    condition: Condition,
}

impl Requirement {
    /// The constraint for these values of parameters; `None` where one of them is not known.
    pub fn constraint(&self, solver: &mut Solver, argument: &dyn Fn(&str) -> Actual) -> Option<Constraint> {
        Scope::new(argument).condition(&self.condition, solver)
    }

    /// What it demands, as a sentence.
    pub fn sentence(&self, argument: &dyn Fn(&str) -> Actual) -> String {
        let operand = |base: &PatternShape| format!("`{base}`");
        let sentence = self.condition.sentence(&Names { argument, operand: &operand });
        sentence.unwrap_or_else(|| format!("`{}` must hold", self.text))
    }
}

/// Parses a signature of an API with these parameters; `known` are those whose values its dimensions may mention, which for a
/// class's call includes the constructor's.
pub fn parse_signature(
    text: &str,
    parameters: &[ParameterSpec],
    known: &[ParameterSpec],
) -> Result<Signature, Mistake> {
    let notation = harp_shape::parse_signature(text).map_err(mistake)?;
    let names: Vec<&str> = parameters.iter().map(|parameter| &*parameter.name).collect();
    for input in &notation.inputs {
        let Some(name) = &input.name else {
            return Err(Mistake::new("each input of a signature needs the name of its parameter")
                .hint("write `(input: [n, k]) -> [n]`, with a parameter's name before its shape"));
        };
        if !names.contains(&name.as_str()) {
            return Err(Mistake::unknown("parameter", name, &names).at(text.find(name.as_str()).unwrap_or(0)));
        }
        let parameter = parameters.iter().find(|parameter| &*parameter.name == name);
        check_passing(name, input.passing, parameter)
            .map_err(|mistake| mistake.at(text.find(name.as_str()).unwrap_or(0)))?;
    }
    let unbound = notation.unbound(|name| known.iter().any(|parameter| &*parameter.name == name));
    if let Some(name) = unbound.first() {
        return Err(Mistake::new(format!("`{name}` is not bound: no input's shape and no parameter has this name"))
            .at(last_word(text, name))
            .hint("every variable of a result must occur in an input's shape or be the name of a parameter"));
    }
    Ok(Signature { text: text.into(), notation })
}

/// That a parameter is passed as its signature says.
fn check_passing(name: &str, passing: Passing, parameter: Option<&ParameterSpec>) -> Result<(), Mistake> {
    let Some(parameter) = parameter else { return Ok(()) };
    let is_variadic = parameter.kind == ParameterKind::VariadicPositional;
    match passing {
        Passing::Variadic if !is_variadic => Err(Mistake::new(format!("`{name}` is not variadic"))
            .hint(format!("write `{name}: list of …` for a parameter that holds several tensors"))),
        Passing::Keywords if parameter.kind != ParameterKind::VariadicKeyword => {
            Err(Mistake::new(format!("`{name}` does not take any keywords")).hint(format!("write `{name}: …`")))
        }
        Passing::Optional if parameter.default.is_none() => {
            Err(Mistake::new(format!("`{name}` has no default, so it is not optional"))
                .hint(format!("write `{name}: …`, or give it a default among the parameters: `{name}=None`")))
        }
        _ => Ok(()),
    }
}

/// Parses a further requirement; its names must be parameters.
pub fn parse_requirement(text: &str, known: &[ParameterSpec]) -> Result<Requirement, Mistake> {
    let condition = harp_shape::parse_condition(text).map_err(mistake)?;
    let names: Vec<&str> = known.iter().map(|parameter| &*parameter.name).collect();
    let mut unknown = None;
    condition.for_each_name(&mut |name, _| {
        if !names.contains(&name) && unknown.is_none() {
            unknown = Some(name.to_owned());
        }
    });
    match unknown {
        Some(name) => Err(Mistake::unknown("parameter", &name, &names).at(last_word(text, &name))),
        None => Ok(Requirement { text: text.into(), condition }),
    }
}

/// Checks a dimension expression over parameters.
pub fn check_dimension(text: &str, parameters: &[ParameterSpec]) -> Result<(), Mistake> {
    let dimension = harp_shape::parse_dim(text).map_err(mistake)?;
    let names: Vec<&str> = parameters.iter().map(|parameter| &*parameter.name).collect();
    let mut unknown = None;
    dimension.for_each_name(&mut |name, _| {
        if !names.contains(&name) && unknown.is_none() {
            unknown = Some(name.to_owned());
        }
    });
    match unknown {
        Some(name) => Err(Mistake::unknown("constructor parameter", &name, &names).at(last_word(text, &name))),
        None => Ok(()),
    }
}

fn mistake(error: NotationError) -> Mistake {
    Mistake { offset: error.offset, message: error.message, hint: error.hint }
}

/// Where a word stands last in a text: an unbound name stands in the result.
fn last_word(text: &str, word: &str) -> usize {
    let is_part = |character: char| character.is_alphanumeric() || character == '_';
    let places = text.match_indices(word).filter(|(start, found)| {
        !text[..*start].ends_with(is_part) && !text[start + found.len()..].starts_with(is_part)
    });
    places.last().map_or(0, |(start, _)| start)
}
