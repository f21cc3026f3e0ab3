//! The small languages of an annotation's single keys: `dtype`, `effects`, `cost`, `returns`, `length`, `sample`.

use crate::attributes::parse_attribute;
use crate::error::Mistake;
use crate::parameters::{Literal, ParameterSpec, Scanner};
use crate::spec::{Cost, DTypeRule, Effects, ImageSize, ResultType, SampleItem};

const DTYPES: [&str; 14] = [
    "float16",
    "bfloat16",
    "float32",
    "float64",
    "complex64",
    "complex128",
    "uint8",
    "int8",
    "int16",
    "int32",
    "int64",
    "bool",
    "uint16",
    "uint32",
];

/// Checks the name of a dtype.
pub fn dtype_name(text: &str) -> Result<Box<str>, Mistake> {
    if DTYPES.contains(&text) { Ok(text.into()) } else { Err(Mistake::unknown("dtype", text, &DTYPES)) }
}

/// `promote`, `same(input)`, `floating(input)`, `sum(input)`, `float32`, `default(float32, dtype)`, `unknown`; several in
/// parentheses, one for each result.
pub fn parse_dtype_rule(text: &str, parameters: &[ParameterSpec]) -> Result<DTypeRule, Mistake> {
    let mut scanner = Scanner::new(text);
    let rule = if scanner.eat("(") {
        let mut rules = vec![dtype_rule(&mut scanner, parameters, 0)?];
        while scanner.eat(",") {
            rules.push(dtype_rule(&mut scanner, parameters, 0)?);
        }
        if !scanner.eat(")") {
            return Err(scanner
                .unexpected("expected `,` or `)`")
                .hint("write a rule for each result: `(same(x), int64)`"));
        }
        DTypeRule::Each(rules)
    } else {
        dtype_rule(&mut scanner, parameters, 0)?
    };
    if scanner.at_end() { Ok(rule) } else { Err(scanner.unexpected("unexpected text after the dtype")) }
}

fn dtype_rule(scanner: &mut Scanner<'_>, parameters: &[ParameterSpec], depth: usize) -> Result<DTypeRule, Mistake> {
    let offset = scanner.offset();
    let word = scanner.identifier().ok_or_else(|| scanner.unexpected("expected a dtype rule"))?;
    let known_rules = ["promote", "same", "floating", "inexact", "sum", "real", "default", "unknown"];
    if !known_rules.contains(&word) {
        let known: Vec<&str> = known_rules.iter().chain(&DTYPES).copied().collect();
        return dtype_name(word)
            .map(DTypeRule::Fixed)
            .map_err(|_| Mistake::unknown("dtype rule", word, &known).at(offset));
    }
    if word == "unknown" {
        return Ok(DTypeRule::Unknown);
    }
    if word == "default" {
        return default_rule(scanner, parameters, depth);
    }
    if word == "real" {
        let form = "write `real(rule)`, as in `real(floating(input))`";
        if depth > 4 || !scanner.eat("(") {
            return Err(scanner.unexpected("expected `(`").hint(form));
        }
        let inner = dtype_rule(scanner, parameters, depth + 1)?;
        if !scanner.eat(")") {
            return Err(scanner.unexpected("expected `)`").hint(form));
        }
        return Ok(DTypeRule::Real(Box::new(inner)));
    }
    if word == "floating" {
        return floating_rule(scanner, parameters, depth);
    }
    let names = names_in_brackets(scanner, parameters)?;
    let rule = match (word, <[Box<str>; 1]>::try_from(names)) {
        ("promote", Ok([name])) => DTypeRule::Promote(vec![name]),
        ("promote", Err(names)) => DTypeRule::Promote(names),
        ("same", Ok([name])) => DTypeRule::Same(name),
        ("inexact", Ok([name])) => DTypeRule::Inexact(name),
        ("sum", Ok([name])) => DTypeRule::Sum(name),
        _ => return Err(Mistake::new(format!("`{word}` needs one parameter, as in `{word}(input)`")).at(offset)),
    };
    Ok(rule)
}

fn default_rule(scanner: &mut Scanner<'_>, parameters: &[ParameterSpec], depth: usize) -> Result<DTypeRule, Mistake> {
    let form = "write `default(rule, parameter)`: the rule holds where the parameter is `None`";
    if depth > 4 || !scanner.eat("(") {
        return Err(scanner.unexpected("expected `(`").hint(form));
    }
    let fallback = Box::new(dtype_rule(scanner, parameters, depth + 1)?);
    if !scanner.eat(",") {
        return Err(scanner.unexpected("expected `,`").hint(form));
    }
    let offset = scanner.offset();
    let name = scanner.identifier().ok_or_else(|| scanner.unexpected("expected a parameter").hint(form))?;
    let parameter = known_parameter(name, parameters).map_err(|mistake| mistake.at(offset))?;
    if !scanner.eat(")") {
        return Err(scanner.unexpected("expected `)`").hint(form));
    }
    Ok(DTypeRule::Parameter { parameter, fallback })
}

/// What follows `floating`: a parameter or a rule, and the dtype that integers give.
fn floating_rule(scanner: &mut Scanner<'_>, parameters: &[ParameterSpec], depth: usize) -> Result<DTypeRule, Mistake> {
    let form = "write `floating(input)`, or `floating(input, float64)` with the dtype that integers give";
    if depth > 4 || !scanner.eat("(") {
        return Err(scanner.unexpected("expected `(`").hint(form));
    }
    let word = |scanner: &mut Scanner<'_>, check: &dyn Fn(&str) -> Result<Box<str>, Mistake>| {
        let offset = scanner.offset();
        let word = scanner.identifier().ok_or_else(|| scanner.unexpected("expected a name").hint(form))?;
        check(word).map_err(|mistake| mistake.at(offset))
    };
    let start = scanner.offset();
    let is_rule = scanner.identifier().is_some() && scanner.peek() == Some('(');
    scanner.rewind(start);
    let rule = match is_rule {
        true => dtype_rule(scanner, parameters, depth + 1)?,
        false => DTypeRule::Same(word(scanner, &|name| known_parameter(name, parameters))?),
    };
    let otherwise = if scanner.eat(",") { Some(word(scanner, &dtype_name)?) } else { None };
    if !scanner.eat(")") {
        return Err(scanner.unexpected("expected `)`").hint(form));
    }
    Ok(DTypeRule::Floating(Box::new(rule), otherwise))
}

fn names_in_brackets(scanner: &mut Scanner<'_>, parameters: &[ParameterSpec]) -> Result<Vec<Box<str>>, Mistake> {
    let mut names = Vec::new();
    if !scanner.eat("(") {
        return Ok(names);
    }
    while !scanner.eat(")") {
        let offset = scanner.offset();
        let name = scanner.identifier().ok_or_else(|| scanner.unexpected("expected a parameter"))?;
        names.push(known_parameter(name, parameters).map_err(|mistake| mistake.at(offset))?);
        if !scanner.eat(",") && scanner.peek() != Some(')') {
            return Err(scanner.unexpected("expected `,` or `)`"));
        }
    }
    Ok(names)
}

fn known_parameter(name: &str, parameters: &[ParameterSpec]) -> Result<Box<str>, Mistake> {
    if parameters.iter().any(|parameter| &*parameter.name == name) {
        return Ok(name.into());
    }
    let known: Vec<&str> = parameters.iter().map(|parameter| &*parameter.name).collect();
    Err(Mistake::unknown("parameter", name, &known))
}

/// Adds one effect, such as `rng` or `writes self`.
pub fn parse_effect(text: &str, parameters: &[ParameterSpec], effects: &mut Effects) -> Result<(), Mistake> {
    if let Some(parameter) = text.strip_prefix("writes ") {
        let offset = text.len() - parameter.trim_start().len();
        // A method's receiver is not among the parameters of a method that its class lists.
        let name = match parameter.trim() {
            "self" => "self".into(),
            name => known_parameter(name, parameters).map_err(|mistake| mistake.at(offset))?,
        };
        effects.writes.push(name);
        return Ok(());
    }
    let Some((_, bit)) = Effects::WORDS.iter().find(|(word, _)| *word == text) else {
        let known: Vec<&str> = Effects::WORDS.iter().map(|(word, _)| *word).chain(["writes"]).collect();
        return Err(Mistake::unknown("effect", text, &known));
    };
    effects.add(*bit);
    Ok(())
}

pub fn parse_cost(text: &str) -> Result<Cost, Mistake> {
    let known: Vec<&str> = Cost::WORDS.iter().map(|(word, _)| *word).collect();
    let found = Cost::WORDS.iter().find(|(word, _)| *word == text).map(|(_, cost)| *cost);
    found.ok_or_else(|| Mistake::unknown("cost", text, &known))
}

/// `None`, `int`, `tensor`, `instance torch.Generator`, `(tensor, int)`, `list of tensor`, …
pub fn parse_result_type(text: &str) -> Result<ResultType, Mistake> {
    let mut scanner = Scanner::new(text);
    let result = result_type(&mut scanner, 0)?;
    if scanner.at_end() { Ok(result) } else { Err(scanner.unexpected("unexpected text after the type")) }
}

fn result_type(scanner: &mut Scanner<'_>, depth: usize) -> Result<ResultType, Mistake> {
    if depth > 8 {
        return Err(Mistake::new("the type is nested too deeply").at(scanner.offset()));
    }
    if scanner.eat("(") {
        let mut items = Vec::new();
        while !scanner.eat(")") {
            items.push(result_type(scanner, depth + 1)?);
            if !scanner.eat(",") && scanner.peek() != Some(')') {
                return Err(scanner.unexpected("expected `,` or `)`"));
            }
        }
        return Ok(ResultType::Tuple(items));
    }
    let offset = scanner.offset();
    let word = scanner.identifier().ok_or_else(|| scanner.unexpected("expected a type"))?;
    let result = match word {
        "unknown" => ResultType::Unknown,
        "None" => ResultType::None,
        "bool" => ResultType::Bool,
        "int" => ResultType::Integer,
        "float" => ResultType::Float,
        "str" => ResultType::Text,
        "tensor" => ResultType::Tensor,
        "dtype" => ResultType::DType,
        "dict" => ResultType::Dict,
        "self" => ResultType::Argument("self".into()),
        "argument" => {
            let name =
                scanner.identifier().ok_or_else(|| scanner.unexpected("expected a parameter after `argument`"))?;
            ResultType::Argument(name.into())
        }
        "instance" => {
            let name =
                scanner.qualified_name().ok_or_else(|| scanner.unexpected("expected a class after `instance`"))?;
            ResultType::Instance(name.into())
        }
        "list" | "iterator" => {
            if !scanner.eat_word("of") {
                return Err(scanner.unexpected("expected `of`").hint(format!("write `{word} of tensor`")));
            }
            let item = Box::new(result_type(scanner, depth + 1)?);
            if word == "list" { ResultType::List(item) } else { ResultType::Iterator(item) }
        }
        _ => {
            let known = [
                "unknown", "None", "bool", "int", "float", "str", "tensor", "dtype", "dict", "self", "argument",
                "instance", "list", "iterator",
            ];
            return Err(Mistake::unknown("type", word, &known).at(offset));
        }
    };
    Ok(result)
}

/// `image L 28x28`, `image RGB`, `image RGB from image_size`, or a value as an attribute has it.
pub fn parse_sample(text: &str, parameters: &[ParameterSpec]) -> Result<SampleItem, Mistake> {
    let mut scanner = Scanner::new(text);
    if !scanner.eat_word("image") {
        if let Ok(result) = parse_result_type(text) {
            return Ok(SampleItem::Value(crate::attributes::AttributeValue::Opaque(result)));
        }
        return parse_attribute(text, parameters).map(SampleItem::Value);
    }
    let mode: Box<str> =
        scanner.identifier().ok_or_else(|| scanner.unexpected("expected an image mode such as `RGB`"))?.into();
    if scanner.eat_word("from") {
        let offset = scanner.offset();
        let name = scanner.identifier().ok_or_else(|| scanner.unexpected("expected a parameter after `from`"))?;
        let parameter = known_parameter(name, parameters).map_err(|mistake| mistake.at(offset))?;
        return Ok(SampleItem::Image { mode, size: ImageSize::Parameter(parameter) });
    }
    let offset = scanner.offset();
    let size = match scanner.remaining() {
        "" => ImageSize::Unknown,
        size => {
            let sides =
                size.split_once('x').and_then(|(height, width)| Some((height.parse().ok()?, width.parse().ok()?)));
            let Some((height, width)) = sides else {
                return Err(Mistake::new(format!("`{size}` is not a size"))
                    .at(offset)
                    .hint("write height and width: `image RGB 32x32`"));
            };
            ImageSize::Pixels { height, width }
        }
    };
    Ok(SampleItem::Image { mode, size })
}

/// `train=True`
pub fn parse_condition(text: &str, parameters: &[ParameterSpec]) -> Result<(Box<str>, Literal), Mistake> {
    let mut scanner = Scanner::new(text);
    let name = scanner
        .keyword()
        .ok_or_else(|| Mistake::new(format!("`{text}` is not a condition")).hint("write `parameter=value`"))?;
    let parameter = known_parameter(name, parameters)?;
    let value = scanner.literal(0)?;
    Ok((parameter, value))
}
