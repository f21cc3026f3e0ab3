//! What parsing and lowering make of whole texts, good and bad.

use proptest::prelude::*;

use crate::ir::{
    ArgumentKind, Class, ExprKind, FStringFormat, FStringPart, Function, Module, ParameterKind, Pattern, Range, Stmt,
    StmtKind,
};
use crate::name::Name;
use crate::{ParsedModule, parse_module, parse_notebook};
use harp_corpus::FileId;

fn parse(text: &str) -> ParsedModule {
    parse_module(FileId(0), Name::new("test"), false, text)
}

fn module(text: &str) -> Module {
    let parsed = parse(text);
    assert_eq!(parsed.errors, [], "in {text:?}");
    parsed.module
}

fn functions(body: &[Stmt]) -> Vec<&Function> {
    body.iter()
        .filter_map(|statement| match &statement.kind {
            StmtKind::Function(function) => Some(&**function),
            _ => None,
        })
        .collect()
}

fn classes(body: &[Stmt]) -> Vec<&Class> {
    body.iter()
        .filter_map(|statement| match &statement.kind {
            StmtKind::Class(class) => Some(&**class),
            _ => None,
        })
        .collect()
}

fn texts(names: &[Name]) -> Vec<&'static str> {
    let mut texts: Vec<&str> = names.iter().map(|name| name.as_str()).collect();
    texts.sort_unstable();
    texts
}

/// The value of `x = …`, as text of its `Debug` form without ranges.
fn value_kind(text: &str) -> ExprKind {
    let mut body = module(&format!("x = {text}\n")).body;
    match body.pop().map(|statement| statement.kind) {
        Some(StmtKind::Assign { value, .. }) => value.kind,
        other => panic!("{text:?} became {other:?}"),
    }
}

#[test]
fn locals_are_all_that_a_function_binds() {
    let module = module(
        "def f(a, *args, b=1, **kwargs):\n\
         \x20   global g\n\
         \x20   g = shared = 1\n\
         \x20   (c, [d, *e]), self.x, y[0] = a\n\
         \x20   for i in range(3):\n\
         \x20       pass\n\
         \x20   with open(a) as (h, j):\n\
         \x20       import numpy.linalg, torch as t\n\
         \x20       from x import k as l, m\n\
         \x20   try:\n\
         \x20       pass\n\
         \x20   except E as error:\n\
         \x20       del n\n\
         \x20   z = [(last := q) for q in a if (w := q)]\n\
         \x20   def inner(p):\n\
         \x20       nonlocal shared\n\
         \x20       shared = p\n\
         \x20       def innermost(): pass\n\
         \x20   class Local: attribute = 1\n\
         \x20   match a:\n\
         \x20       case [first, *rest] | {'k': first, **rest}: pass\n\
         \x20       case Point(x=u) as v: pass\n\
         \x20   annotated: int\n\
         \x20   augmented += 1\n\
         \x20   return lambda o: o\n",
    );
    let function = functions(&module.body)[0];
    let expected = [
        "Local",
        "a",
        "annotated",
        "args",
        "augmented",
        "b",
        "c",
        "d",
        "e",
        "error",
        "first",
        "h",
        "i",
        "inner",
        "j",
        "kwargs",
        "l",
        "last",
        "m",
        "n",
        "numpy",
        "rest",
        "shared",
        "t",
        "u",
        "v",
        "w",
        "z",
    ];
    assert_eq!(texts(&function.locals), expected);
    assert_eq!(texts(&function.globals), ["g"]);
    assert!(function.is_local(Name::new("last")) && !function.is_local(Name::new("q")));
    let inner = functions(&function.body)[0];
    assert_eq!((texts(&inner.locals), texts(&inner.nonlocals)), (vec!["innermost", "p"], vec!["shared"]));
    assert_eq!(inner.qualified_name.as_str(), "f.<locals>.inner");
    assert_eq!(functions(&inner.body)[0].qualified_name.as_str(), "f.<locals>.inner.<locals>.innermost");
    assert_eq!(classes(&function.body)[0].qualified_name.as_str(), "f.<locals>.Local");
}

#[test]
fn generators_are_known() {
    let module = module(
        "def f():\n    x = yield 1\ndef g():\n    yield from f()\ndef h():\n    return lambda: (yield)\nasync def i(): pass\n",
    );
    let functions = functions(&module.body);
    assert_eq!(functions.iter().map(|function| function.is_generator).collect::<Vec<_>>(), [true, true, false, false]);
    assert!(functions[3].is_async);
}

#[test]
fn classes_keep_bases_and_methods() {
    let text = "@register\nclass Net(nn.Module, metaclass=Meta):\n    size: int = 3\n    def forward(self, x, /, y=2, *, z): ...\n";
    let module = module(text);
    let class = classes(&module.body)[0];
    assert_eq!(class.decorators.len(), 1);
    assert_eq!(class.arguments[1].kind, ArgumentKind::Keyword(Name::new("metaclass")));
    assert_eq!(&text[class.name_range.start as usize..class.name_range.end as usize], "Net");
    assert_eq!(class.range.start, 0);
    let forward = functions(&class.body)[0];
    assert_eq!(forward.qualified_name.as_str(), "Net.forward");
    let kinds: Vec<_> = forward.parameters.iter().map(|parameter| parameter.kind).collect();
    let (positional, normal) = (ParameterKind::PositionalOnly, ParameterKind::Normal);
    assert_eq!(kinds, [positional, positional, normal, ParameterKind::KeywordOnly]);
    assert!(forward.parameters[2].default.is_some());
}

#[test]
fn main_guards_are_known() {
    assert!(module("if __name__ == '__main__':\n    main()\n").has_main_guard);
    assert!(module("if \"__main__\" == __name__ and x:\n    main()\n").has_main_guard);
    assert!(!module("if __name__ != '__main__':\n    main()\n").has_main_guard);
    assert!(!module("def f():\n    if __name__ == '__main__': pass\n").has_main_guard);
}

#[test]
fn literals_keep_their_values() {
    assert!(matches!(value_kind("'a' \"b\" '''c'''"), ExprKind::Str(text) if &*text == "abc"));
    assert!(matches!(value_kind("b'a' b'\\x00'"), ExprKind::Bytes(bytes) if *bytes == *b"a\0"));
    assert!(matches!(value_kind("0x_ff"), ExprKind::Int(255)));
    assert!(matches!(value_kind("9223372036854775808"), ExprKind::BigInt));
    assert!(matches!(value_kind("1e-3"), ExprKind::Float(value) if value == 0.001));
    assert!(matches!(value_kind("2j"), ExprKind::Complex));
    assert!(matches!(value_kind("a < b <= c != d"), ExprKind::Compare { rest, .. } if rest.len() == 3));
    assert!(
        matches!(value_kind("{**a, 'b': 1}"), ExprKind::Dict(items) if items[0].0.is_none() && items[1].0.is_some())
    );
    assert!(matches!(value_kind("a or b or c"), ExprKind::Boolean { values, .. } if values.len() == 3));
    assert!(matches!(value_kind("a, *b"), ExprKind::Tuple(items) if matches!(items[1].kind, ExprKind::Starred(_))));
}

#[test]
fn fstrings_keep_their_parts() {
    let ExprKind::FString(parts) = value_kind("'n=' f'{n} {x!r:>{width}}' f'{y=:.2f}{z=}'") else { panic!() };
    let texts: Vec<String> = parts
        .iter()
        .map(|part| match part {
            FStringPart::Literal(text) => text.to_string(),
            FStringPart::Interpolation { conversion, format, .. } => match format {
                Some(FStringFormat::Constant(text)) => format!("{conversion:?} {text}"),
                Some(FStringFormat::Computed(_)) => format!("{conversion:?} computed"),
                None => format!("{conversion:?} None"),
            },
        })
        .collect();
    let expected = ["n=", "None None", " ", "Some('r') computed", "y=", "None .2f", "z=", "Some('r') None"];
    assert_eq!(texts, expected);
    assert!(matches!(value_kind("f'plain' ' text'"), ExprKind::Str(text) if &*text == "plain text"));
}

#[test]
fn arguments_keep_their_order() {
    let ExprKind::Call(call) = value_kind("f(a, *b, c=1, *d, **e)") else { panic!() };
    let kinds: Vec<_> = call.arguments.iter().map(|argument| argument.kind).collect();
    let keyword = ArgumentKind::Keyword(Name::new("c"));
    let star = ArgumentKind::Star;
    assert_eq!(kinds, [ArgumentKind::Positional, star, keyword, star, ArgumentKind::DoubleStar]);
}

#[test]
fn elif_is_a_lone_if_in_orelse() {
    let module = module("if a:\n    b\nelif c:\n    d\nelse:\n    e\n    f\n");
    let StmtKind::If { orelse, .. } = &module.body[0].kind else { panic!() };
    let [Stmt { kind: StmtKind::If { orelse, .. }, range }] = &orelse[..] else { panic!() };
    assert_eq!((range.start, orelse.len()), (12, 2));
}

#[test]
fn patterns_keep_their_structure() {
    let module = module("match x:\n    case [1, *_, None] | Point(0, y=b.c): pass\n    case _: pass\n");
    let StmtKind::Match { cases, .. } = &module.body[0].kind else { panic!() };
    let Pattern::Or(alternatives) = &cases[0].pattern else { panic!() };
    let Pattern::Sequence(items) = &alternatives[0] else { panic!() };
    assert!(matches!(items[..], [Pattern::Value(_), Pattern::Star(None), Pattern::Singleton(_)]));
    assert!(
        matches!(&alternatives[1], Pattern::Class { positional, keywords, .. } if positional.len() == 1 && keywords.len() == 1)
    );
    assert!(matches!(cases[1].pattern, Pattern::Capture(None)));
}

#[test]
fn a_broken_statement_leaves_the_rest() {
    let parsed = parse("import a\ndef f(x):\n    y = (x +\n    return y\n\nclass After:\n    def g(self): return 1\n");
    assert_eq!(parsed.errors.len(), 1);
    assert_eq!(parsed.errors[0].message, "'(' was never closed");
    assert_eq!(functions(&parsed.module.body)[0].body.len(), 2);
    assert_eq!(functions(&classes(&parsed.module.body)[0].body).len(), 1);
}

#[test]
fn errors_are_one_a_line_and_in_order() {
    let parsed = parse("x = = = ) ]\ny = 1\nz = ) ( ]\n");
    assert_eq!(parsed.errors.len(), 2);
    assert!(parsed.errors[0].range < parsed.errors[1].range);
    let noise = parse(&") ]\n".repeat(5_000));
    assert_eq!(noise.errors.len(), 20);
    assert!(noise.errors[19].message.ends_with("(4980 more syntax errors follow in this file)"));
}

#[test]
fn files_with_statements_of_python_2_are_read_as_such() {
    let parsed = parse(&"print 'x', y\nif x:\n    exec y\n".repeat(500));
    let python_2 = parsed.module.python_2.expect("it is of Python 2");
    assert_eq!((parsed.errors.len(), python_2.statement, python_2.divides_whole), (0, Some("print"), true));
    let StmtKind::Expr(crate::ir::Expr { kind: ExprKind::Call(call), .. }) = &parsed.module.body[0].kind else {
        panic!()
    };
    assert_eq!(call.arguments.len(), 2);

    let parsed = parse(
        "from __future__ import division\nclass Old:\n    def m(self, a):\n        print 'x', a\n        raise ValueError, 'no'\n\
         def f(x):\n    try:\n        exec 'y'\n    except E, e:\n        print >>out, `e`\n    return 0777L <> 1\n\
         def g(): return ur'x'\n",
    );
    assert!(parsed.errors.is_empty(), "{:?}", parsed.errors);
    assert_eq!(parsed.module.python_2.map(|it| it.divides_whole), Some(false));
    assert_eq!(classes(&parsed.module.body).len(), 1);
    let functions = functions(&parsed.module.body);
    let StmtKind::Try { handlers, .. } = &functions[0].body[0].kind else { panic!() };
    assert_eq!(handlers[0].name, Some(Name::new("e")));

    // A mistake of Python 3 makes no file one of Python 2.
    let parsed = parse("print('x'\ny = 1 +\nprint(y)\n");
    assert!(parsed.module.python_2.is_none() && !parsed.errors.is_empty());
}

#[test]
fn deep_nesting_is_refused_where_it_is() {
    let deep = |text: String| {
        let parsed = parse(&format!("def before(): pass\nif x:\n    {text}\ndef after(): pass\n"));
        assert_eq!(functions(&parsed.module.body).len(), 2, "{:?}", parsed.errors);
        parsed.errors.into_iter().map(|error| error.message).collect::<Vec<_>>()
    };
    let brackets = "too many nested parentheses";
    let expression = "expression nested too deeply";
    assert_eq!(deep(format!("x = {}1{}", "(".repeat(2_000), ")".repeat(2_000))), [brackets]);
    assert_eq!(deep(format!("x = {}1{}", "[".repeat(10_000), "]".repeat(10_000))), [brackets]);
    assert_eq!(deep(format!("x = {}", "(".repeat(100_000))), [brackets]);
    assert_eq!(deep(format!("x = {}", vec!["a"; 100_000].join(" + "))), [expression]);
    assert_eq!(deep(format!("x = a{}", ".b(1)".repeat(100_000))), [expression]);
    assert_eq!(deep(format!("x = {}1", "lambda: ".repeat(50_000))), [expression]);
    assert_eq!(deep(format!("x = {}1", "1 if a else ".repeat(50_000))), [expression]);
    assert_eq!(deep(format!("x = {}a", "-~".repeat(50_000))), [expression]);
    assert_eq!(deep(format!("x = {}1{}", "f'{".repeat(5_000), "}'".repeat(5_000))), [brackets]);
}

#[test]
fn what_python_accepts_is_not_refused() {
    module(&format!("x = {}1{}\n", "(".repeat(190), ")".repeat(190)));
    module(&format!("x = {}\n", vec!["a"; 900].join(" + ")));
    module(&format!("x = [{}]\n", vec!["-1.5 + 2"; 100_000].join(",")));
    module(&format!("x = a{}\n", " or not a".repeat(400)));
    let mut nested = String::new();
    for level in 0..95 {
        nested.push_str(&format!("{}if x:\n", " ".repeat(level)));
    }
    module(&format!("{nested}{}pass\n", " ".repeat(95)));
}

#[test]
fn what_python_may_accept_is_no_syntax_error() {
    let is_limit = |text: String| parse(&text).errors.iter().map(|error| error.is_limit).collect::<Vec<_>>();
    assert_eq!(is_limit(format!("x = {}\n", vec!["1"; 1_100].join("+"))), [true]);
    assert_eq!(is_limit(format!("x = {}1{}\n", "(".repeat(2_000), ")".repeat(2_000))), [false]);
    assert_eq!(is_limit("x = )\n".to_owned()), [false]);
}

#[test]
fn long_elif_chains_end_in_an_error() {
    let parsed = parse(&format!("if a:\n    b\n{}", "elif a:\n    b\n".repeat(20_000)));
    assert_eq!(parsed.errors.len(), 1);
    assert_eq!(parsed.errors[0].message, "too many elif clauses");
    assert!(parsed.errors[0].is_limit);
}

#[test]
fn cells_are_parsed_alone() {
    let cells = ["%matplotlib inline\n!pip install 'x", "x = (1 +", "y = !ls\ndef f(): pass"];
    let mut ranges = Vec::new();
    let mut text = String::new();
    for cell in cells {
        let start = text.len() as u32;
        text.push_str(cell);
        ranges.push(Range { start, end: text.len() as u32 });
        text.push('\n');
    }
    let parsed = parse_notebook(FileId(0), Name::new("notebook"), &text, &ranges);
    assert_eq!(parsed.errors.len(), 1, "{:?}", parsed.errors);
    assert_eq!(functions(&parsed.module.body).len(), 1);
    assert!(matches!(parsed.module.body[0].kind, StmtKind::Unsupported { .. }));
}

proptest! {
    #[test]
    fn any_text_is_parsed(text in any::<String>()) {
        parse(&text);
    }

    #[test]
    fn any_sequence_of_tokens_is_parsed(
        tokens in prop::collection::vec(prop::sample::select(TOKENS), 0..120)
    ) {
        let text: String = tokens.concat();
        let parsed = parse(&text);
        for error in parsed.errors {
            prop_assert!(error.range.end as usize <= text.len());
        }
    }

    #[test]
    fn any_cells_are_parsed(
        cells in prop::collection::vec(prop::collection::vec(prop::sample::select(TOKENS), 0..20), 0..5)
    ) {
        let mut ranges = Vec::new();
        let mut text = String::new();
        for cell in cells {
            let start = text.len() as u32;
            text.push_str(&cell.concat());
            ranges.push(Range { start, end: text.len() as u32 });
            text.push('\n');
        }
        parse_notebook(FileId(0), Name::new("notebook"), &text, &ranges);
    }
}

const TOKENS: &[&str] = &[
    "a", " b", "1", ".5", "'", "\"", "\"\"\"", "f'", "f\"\"\"", "{", "}", "(", ")", "[", "]", ":", ":=", "=", "==",
    "->", ",", ";", ".", "+", "**", "*", "@", "\\", "\n", "\n    ", "\n\t", "\r\n", "# c", " if ", " else ", "elif ",
    "for ", " in ", "while ", "def ", "class ", "lambda ", "return ", "yield ", "await ", "async ", "match ", "case ",
    "with ", " as ", "try:", "except ", "finally:", "import ", "from ", "global ", "del ", "not ", " and ", "print ",
    "type ", "%", "!", "?", "\u{e9}", "\u{0}", "`", "$", "_", "|", "~", "<>",
];
