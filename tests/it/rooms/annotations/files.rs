use crate::common::families::rules;
use std::fmt::Write as _;
use std::path::Path;

use harp::annotations::attributes::{ShapePart, TensorRole};
use harp::annotations::*;
use harp::shape::notation::Actual;
use harp::shape::{Dim, Shape, Solver};

fn load(source: &str) -> Result<Library, Vec<AnnotationError>> {
    let mut library = Library::default();
    let mut errors = Vec::new();
    library.add_file(Path::new("acme.yaml"), source, &mut errors);
    if errors.is_empty() { Ok(library) } else { Err(errors) }
}

/// A file with one function, whose keys after the name are these.
fn function(keys: &str) -> String {
    let mut source = "library: acme\napis:\n  - function: acme.project\n".to_owned();
    keys.lines().for_each(|line| writeln!(source, "    {line}").unwrap_or_default());
    source
}

fn class(keys: &str) -> String {
    function(keys).replace("function: acme.project", "class: acme.Project")
}

/// The errors of a file, each with the line that it points at.
fn rendered(source: &str) -> String {
    let Err(errors) = load(source) else { return "no error\n".to_owned() };
    let mut text = String::new();
    for error in errors {
        writeln!(text, "{error}").unwrap_or_default();
        let line = source.lines().nth(error.line.saturating_sub(1)).unwrap_or_default();
        let length =
            error.range.map_or(1, |(start, end)| source[start..end].lines().next().unwrap_or("").chars().count());
        let margin = " ".repeat(error.column.saturating_sub(1));
        writeln!(text, "  | {line}\n  | {margin}{}", "^".repeat(length.max(1))).unwrap_or_default();
    }
    text
}

#[test]
fn a_file_tells_the_forms_of_calls() {
    let source = "library: acme\nkeywords: {axis: dim}\ncalls:\n  acme.project: [\"x: tensor, dim: int\", \"x\"]\n";
    let library = load(source).expect("the file has no mistake");
    let forms = library.call_forms("acme.project").expect("the file tells forms");
    assert_eq!(forms.forms.len(), 2);
    assert_eq!(forms.keywords, [("axis".into(), "dim".into())]);
    assert!(library.call_forms("acme.other").is_none());
}

#[test]
fn mistakes_are_shown_where_they_are() {
    let cases = [
        ("not YAML", "library: acme\napis:\n  - function: [acme.project\n".to_owned()),
        ("an unknown key of a file", "library: acme\nmodule: [acme.nn]\n".to_owned()),
        ("a missing key", "modules: [acme.nn]\n".to_owned()),
        ("an unknown key", function("paramters: \"x\"")),
        ("an unknown kind in a form of a call", "library: acme\ncalls:\n  acme.project: [\"x: tenser\"]\n".to_owned()),
        ("a key given twice", function("parameters: \"x\"\nparameters: \"y\"")),
        ("brackets without quotes", function("parameters: \"x\"\nsignature: [n] -> [n]")),
        ("a list where a text belongs", function("parameters: [x, y]")),
        ("two kinds of entry", function("class: acme.Project")),
        ("no kind of entry", "library: acme\napis:\n  - parameters: \"x\"\n".to_owned()),
        ("a name that is none", "library: acme\napis:\n  - function: acme.2d\n".to_owned()),
        ("a key of another kind of entry", function("bases: [acme.Base]")),
        ("a key of a class in its call", class("call:\n  module: true")),
        ("a constant without value", "library: acme\napis:\n  - constant: acme.PI\n".to_owned()),
        (
            "a constant with an unknown dtype",
            "library: acme\napis:\n  - constant: acme.real\n    value: dtype float31\n".to_owned(),
        ),
        ("a parameter without default after one with", function("parameters: \"x, y=1, z\"")),
        ("a parameter given twice", function("parameters: \"x, x\"")),
        ("a default that is no literal", function("parameters: \"x, y=[1, 2\"")),
        ("a list that does not go on", function("parameters: \"x y\"")),
        ("a parameter after the last", function("parameters: \"**options, x\"")),
        ("a slash out of place", function("parameters: \"/, x\"")),
        ("a number that is none", function("parameters: \"x=1.2.3\"")),
        ("a signature without result", function("parameters: \"x\"\nsignature: \"(x: [n])\"")),
        ("a signature that does not parse", function("parameters: \"x\"\nsignature: \"(x: [n/2]) -> [n]\"")),
        ("a signature without names", function("parameters: \"x\"\nsignature: \"([n]) -> [n]\"")),
        (
            "a signature with an unknown parameter",
            function("parameters: \"weights\"\nsignature: \"(weight: [n]) -> [n]\""),
        ),
        ("an unbound dimension", function("parameters: \"x\"\nsignature: \"(x: [n, k]) -> [n, m]\"")),
        ("an unbound shape variable", function("parameters: \"x\"\nsignature: \"(x: [n, k]) -> s@[k]\"")),
        ("a dimension used as a shape", function("parameters: \"x\"\nsignature: \"(x: [n]) -> n@[n]\"")),
        ("two results", function("parameters: \"x\"\nsignature: \"(x: s) -> s\"\nreturns: tensor")),
        ("a transfer function that is no name", function("parameters: \"x\"\ntransfer: acme.project")),
        ("an unknown type", function("returns: tensr")),
        ("a list of nothing", function("returns: list")),
        ("an unknown dtype rule", function("parameters: \"x\"\nsignature: \"(x: s) -> s\"\ndtype: same_as(x)")),
        ("a dtype of an unknown parameter", function("parameters: \"x\"\nsignature: \"(x: s) -> s\"\ndtype: same(y)")),
        ("a default dtype without parameter", function("parameters: \"x\"\ndtype: default(float32)")),
        ("an unknown effect", function("effects: [pur]")),
        ("an effect that contradicts another", function("effects: [pure, rng]")),
        ("a written parameter that is not there", function("parameters: \"x\"\neffects: [writes y]")),
        ("an unknown cost", function("cost: expensive")),
        ("a version that is none", function("since: v2")),
        ("a requirement that does not parse", function("parameters: \"n\"\nrequire: \"n is even\"")),
        ("a requirement on an unknown name", function("parameters: \"n\"\nrequire: \"m % 2 == 0\"")),
        ("a keyword for an unknown parameter", function("parameters: \"x\"\nkeywords: {axis: dim}")),
        ("an attribute of an unknown parameter", class("parameters: \"size\"\nattributes: {length: sise}")),
        (
            "an attribute's shape with an unknown parameter",
            class("parameters: \"size\"\nattributes: {weight: \"[size, width]\"}"),
        ),
        (
            "an attribute's condition on an unknown parameter",
            class("parameters: \"size\"\nattributes: {bias: \"[size] if bias\"}"),
        ),
        ("a repetition without count", class("parameters: \"size\"\nattributes: {size: repeat(size)}")),
        (
            "a data set's condition on an unknown parameter",
            class("parameters: \"root, train=True\"\ndataset: {length: {\"test=True\": 10}}"),
        ),
        ("a data set's length that is none", class("parameters: \"root\"\ndataset: {length: many}")),
        ("an image of no size", class("parameters: \"root\"\ndataset: {sample: [image RGB 32]}")),
        (
            "a name described twice",
            "library: acme\napis:\n  - function: acme.project\n  - function: [acme.other, acme.project]\n".to_owned(),
        ),
        ("several mistakes", function("parameters: \"x\"\nsignature: \"(x: s) -> t\"\ndtype: float31\ncost: none")),
    ];
    let mut text = String::new();
    for (what, source) in cases {
        writeln!(text, "== {what}\n{}", rendered(&source)).unwrap_or_default();
    }
    insta::assert_snapshot!(text);
}

#[test]
fn parameters_have_kinds_and_defaults() {
    let source = function("parameters: \"a, /, b, c=-1.5, *sizes, flag=True, mode='max', **options\"");
    let library = load(&source).expect("a file without mistakes");
    let spec = library.function("acme.project").expect("the function");
    use ParameterKind::{KeywordOnly, PositionalOnly, PositionalOrKeyword, VariadicKeyword, VariadicPositional};
    let kinds: Vec<ParameterKind> = spec.parameters.iter().map(|parameter| parameter.kind).collect();
    let expected = [
        PositionalOnly,
        PositionalOrKeyword,
        PositionalOrKeyword,
        VariadicPositional,
        KeywordOnly,
        KeywordOnly,
        VariadicKeyword,
    ];
    assert_eq!(kinds, expected);
    assert_eq!(spec.parameter("c").and_then(|parameter| parameter.default.clone()), Some(Literal::Float(-1.5)));
    assert_eq!(
        spec.parameter("mode").and_then(|parameter| parameter.default.clone()),
        Some(Literal::Text("max".into()))
    );
}

#[test]
fn a_signature_is_applied_by_the_names_of_parameters() {
    let source = function(
        "parameters: \"x, weight, scale=2\"\nsignature: \"(x: s@[k], weight: [m, k]) -> s@[scale * m]\"\nrequire: \"scale > 0\"",
    );
    let library = load(&source).expect("a file without mistakes");
    let spec = library.function("acme.project").expect("the function");
    let Behaviour::Signature(signature) = &spec.behaviour else { panic!("a signature") };
    let known = |dims: &[i64]| Shape::known(dims.iter().map(|dim| Dim::constant(*dim)).collect::<Vec<_>>());
    let argument = |name: &str| match name {
        "x" => Actual::Shape(known(&[2, 3, 4])),
        "weight" => Actual::Shape(known(&[5, 4])),
        "scale" => Actual::Integer(Dim::constant(2)),
        _ => Actual::Unknown,
    };
    let mut solver = Solver::new();
    let applied = signature.apply(rules("torch.Tensor"), &mut solver, &argument);
    assert_eq!(applied.shapes(), [known(&[2, 3, 10])]);
    assert!(applied.outcomes.is_empty());
    let constraint = spec.require[0].constraint(&mut solver, &argument).expect("its only name has a value");
    assert_eq!(constraint.to_string(), "0 < 2");
}

#[test]
fn a_class_describes_what_its_instances_hold() {
    let keys = "bases: [torch.nn.Module]\nmodule: true\nparameters: \"width, kernel=3, bias=True\"\nattributes:\n  \
                width: width\n  weight: \"parameter [width, *repeat(kernel, 2)]\"\n  bias: \"[width] if bias\"\n  \
                steps: buffer [] int64\n  inner: torch.nn.Linear(width, 2 , bias=bias)\ncall:\n  parameters: x\n  \
                signature: \"(x: s@[width]) -> s\"\nmethods:\n  reset: {returns: None, effects: writes self}";
    let library = load(&class(keys)).expect("a file without mistakes");
    let spec = library.class("acme.Project").expect("the class");
    assert!(spec.is_module);
    let Some(AttributeValue::Tensor(weight)) = spec.attribute("weight") else { panic!("a tensor") };
    assert_eq!(weight.role, TensorRole::Parameter);
    let kernel = ShapePart::Repeated { parameter: "kernel".into(), count: 2 };
    assert_eq!(weight.shape, [ShapePart::Dimension("width".into()), kernel]);
    let Some(AttributeValue::Tensor(bias)) = spec.attribute("bias") else { panic!("a tensor") };
    assert_eq!(bias.condition.as_deref(), Some("bias"));
    let Some(AttributeValue::Instance { class, arguments }) = spec.attribute("inner") else { panic!("an instance") };
    assert_eq!((&**class, arguments.len()), ("torch.nn.Linear", 3));
    assert_eq!(spec.call.as_ref().map(|call| &*call.qualified_name), Some("acme.Project"));
    assert!(library.method("acme.Project", "reset").is_some_and(|reset| reset.effects.writes("self")));
}

#[test]
fn keywords_and_renames_of_a_file_concern_the_entries_with_the_parameter() {
    let source = "library: acme\nkeywords: {axis: dim}\nrenames: {a: input}\napis:\n  - function: acme.total\n    \
                  parameters: \"a, dim=None\"\n    transfer: sum\n  - function: acme.count\n    parameters: \"b, axis\"\n";
    let library = load(source).expect("a file without mistakes");
    let total = library.function("acme.total").expect("the function");
    assert_eq!(total.keyword("axis").map(|parameter| &*parameter.name), Some("dim"));
    assert_eq!((total.argument_name("a"), total.argument_name("dim")), ("input", "dim"));
    assert_eq!(total.parameter_read_as("input"), "a");
    assert_eq!(total.keywords_of("dim").collect::<Vec<_>>(), ["axis"]);
    let count = library.function("acme.count").expect("the function");
    assert_eq!(count.keyword("axis").map(|parameter| &*parameter.name), Some("axis"));
}

/// The example of `docs/annotations.md` is a file that loads.
#[test]
fn the_documented_example_loads() {
    let page = include_str!("../../../../docs/annotations.md");
    let example = page.split("```yaml\n").nth(1).and_then(|rest| rest.split("```").next()).expect("an example");
    let library = load(example).unwrap_or_else(|errors| panic!("{errors:?}"));
    assert!(library.function("acme.project").is_some());
    let digits = library.class("acme.data.Digits").and_then(|class| class.dataset.as_ref()).expect("a data set");
    let train = ("train".into(), Literal::Bool(true), 60000);
    assert!(matches!(&digits.length, DatasetLength::By(lengths) if lengths.contains(&train)));
    let size = ImageSize::Pixels { height: 28, width: 28 };
    assert_eq!(digits.sample[0], SampleItem::Image { mode: "L".into(), size });
    let epsilon = library.constant("acme.EPSILON").map(|constant| constant.value.clone());
    assert_eq!(epsilon, Some(ConstantValue::Literal(Literal::Float(1e-6))));
}
