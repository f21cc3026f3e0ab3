//! Every kind of mistake gives its message, at its place, with its hint.

use super::*;

/// The messages for rules, with the text at the caret and the hint.
fn problems(rules: &str) -> Vec<(String, String, String)> {
    match Program::compile(&[], &[Source::new("rules.dl", rules)], &NoFunctors) {
        Ok(program) => panic!("no error; warnings {:?}", program.warnings),
        Err(diagnostics) => diagnostics
            .into_iter()
            .map(|one| {
                let at = rules.get(one.range.clone()).unwrap_or("?").to_owned();
                (one.message, at, one.hint.unwrap_or_default())
            })
            .collect(),
    }
}

/// Asserts that there is one problem, with these parts.
fn one_problem(rules: &str, message: &str, at: &str, hint: &str) {
    let found = problems(rules);
    assert_eq!(found.len(), 1, "{found:#?}");
    assert!(found[0].0.contains(message), "{found:#?}");
    assert_eq!(found[0].1, at, "{found:#?}");
    assert!(found[0].2.contains(hint), "{found:#?}");
}

const P: &str = ".decl p(x: symbol, n: number)\n.input p\n.decl q(x: symbol)\n";

#[test]
fn names_that_are_not_known() {
    one_problem(&format!("{P}q(x) :- pp(x, _)."), "unknown relation `pp`", "pp", "did you mean `p`?");
    one_problem(&format!("{P}q(x) :- p(x, _), mach(\"a\", x)."), "unknown relation `mach`", "mach", "functor `match`");
    one_problem(
        &format!("{P}r(x) :- p(x, _)."),
        "the rule is for `r`, which is not declared",
        "r",
        ".decl r(x: symbol)",
    );
    one_problem(&format!("{P}q(x) :- p(x, n), n = strln(x)."), "unknown functor `strln`", "strln", "`strlen`");
    one_problem(".type A <: symbol\n.decl q(x: B)", "unknown type `B`", "B", "");
    one_problem(".decl q(x: float)", "unknown type `float`", "float", "say `number`");
    one_problem(".type A <: B", "unknown type `B`", "B", "");
    one_problem(".decl q(x: symbol)\nq(x) :- q(x), as(x, Nod) = x.", "unknown type `Nod`", "Nod", "declare it");
    one_problem(".input nothing", "unknown relation `nothing`", "nothing", "");
    one_problem(".functor rank(x: symbol): number", "there is no functor `rank`", "rank", "");
}

#[test]
fn names_that_are_taken() {
    one_problem(".decl q(x: symbol)\n.decl q(x: number)", "`q` is declared already", "q", "");
    one_problem(".decl sum(x: symbol)\n.input sum", "`sum` is the name of an aggregate", "sum", "another name");
    one_problem(".decl match(x: symbol)\n.input match", "`match` is the name of a functor", "match", "");
    one_problem(".decl q(x: symbol, x: number)", "two columns `x`", "x", "");
    one_problem(".type A <: symbol\n.type A <: number", "`A` is declared already", "A", "");
    one_problem(".type A <: symbol\n.type B <: number\n.type C = A | B", "mixes symbols and numbers", "C", "");
    let schema = Source::new("schema.dl", ".decl call(s: symbol)");
    let rules = Source::new("r.dl", "call(\"a\").");
    let found = Program::compile(&[schema], &[rules], &NoFunctors).err().expect("refused");
    assert!(found[0].message.contains("`call` is declared elsewhere"), "{found:?}");
    assert_eq!(found[0].notes[0].source, "schema.dl");
}

#[test]
fn wrong_numbers_of_columns() {
    one_problem(&format!("{P}q(x) :- p(x)."), "`p` has 2 columns, not 1", "p(x)", "");
    one_problem(&format!("{P}q(x, 1) :- p(x, _)."), "`q` has 1 column, not 2", "q(x, 1)", "");
    one_problem(
        &format!("{P}q(x) :- p(x, n), n = strlen(x, x)."),
        "`strlen` has 1 argument, not 2",
        "strlen(x, x)",
        "",
    );
    one_problem(&format!("{P}q(x) :- p(x, _), match(x)."), "`match` has 2 arguments, not 1", "match(x)", "");
}

#[test]
fn types_that_do_not_agree() {
    one_problem(&format!("{P}q(x) :- p(_, x)."), "`x` is a `number` and cannot be a `symbol`", "x", "");
    one_problem(&format!("{P}q(x) :- p(x, \"a\")."), "expected a number, found a symbol", "\"a\"", "");
    one_problem(&format!("{P}q(x) :- p(x, n), n = x."), "a number is compared with a symbol", "n = x", "");
    one_problem(&format!("{P}q(x) :- p(x, n), n > \"a\"."), "a number is compared with a symbol", "n > \"a\"", "");
    one_problem(&format!("{P}q(x) :- p(x, n), strlen(n) > 1."), "`n` is a `number`", "n", "");
    one_problem(&format!("{P}q(x) :- p(x, n), n + \"a\" > 1."), "expected a number", "\"a\"", "");
    one_problem(&format!("{P}q(cat(n, \"a\")) :- p(_, n)."), "`n` is a `number`", "n", "");
    let types = ".type Stmt <: symbol\n.type Loop <: symbol\n.decl s(x: Stmt)\n.input s\n.decl l(x: Loop)\n.input l\n";
    one_problem(
        &format!("{types}.decl r(x: Stmt)\nr(x) :- s(x), l(x)."),
        "`x` is a `Stmt` and cannot be a `Loop`",
        "x",
        "",
    );
    one_problem(&format!("{types}.decl r(x: Stmt)\nr(x) :- l(x)."), "`x` is a `Loop` and cannot be a `Stmt`", "x", "");
    one_problem(&format!("{types}.decl r(x: Stmt)\nr(x) :- s(x), !l(x)."), "cannot be a `Loop`", "x", "");
    one_problem(
        &format!("{types}.decl t(x: symbol)\n.input t\n.decl r(x: Stmt)\nr(x) :- t(x)."),
        "`x` is a `symbol` and cannot be a `Stmt`",
        "x",
        "as(x, Stmt)",
    );
}

#[test]
fn variables_without_a_value() {
    one_problem(&format!("{P}q(y) :- p(_, _)."), "the variable `y` is not bound", "y", "positive literal");
    one_problem(&format!("{P}q(x) :- p(x, _), !p(x, m), m > 1."), "`m` is not bound", "m", "");
    one_problem(&format!("{P}q(x) :- p(x, n), n < m, m = m."), "`m` is not bound", "m", "");
    one_problem(&format!("{P}q(x) :- p(x, n), n + m = 3, m != 1."), "`m` is not bound", "m", "");
    one_problem(&format!("{P}q(x)."), "`x` is not bound", "x", "");
    one_problem(&format!("{P}q(xname) :- p(xnane, _), xnane != \"\"."), "`xname` is not bound", "xname", "`xnane`");
    one_problem(&format!("{P}q(x) :- p(x, n), n = sum m : {{ p(x, _) }}, n > 1, n < 2."), "`m` is not bound", "m", "");
    one_problem(&format!("{P}q(_) :- p(_, _)."), "`_` has no value to put into the head", "_", "");
    one_problem(&format!("{P}q(x) :- p(x, n), n > _."), "`_` has no value to compare", "n > _", "");
    one_problem(&format!("{P}q(x) :- p(x, n), n = strlen(_)."), "`_` has no value for `strlen`", "_", "");
}

#[test]
fn variables_that_are_not_used() {
    one_problem(&format!("{P}q(x) :- p(x, n)."), "the variable `n` is not used", "n", "write `_`");
    one_problem(&format!("{P}q(val) :- p(val, _), p(_, vall)."), "`vall` is not used", "vall", "did you mean `val`?");
    assert_eq!(derive(&format!("{P}q(x) :- p(x, _n)."), "p a 1", "q"), ["a"]);
}

#[test]
fn a_cycle_through_negation_is_shown() {
    let rules = ".decl e(x: symbol)\n.input e\n.decl a(x: symbol)\n.decl b(x: symbol)\n.decl c(x: symbol)\n\
        a(x) :- e(x), !b(x).\nb(x) :- c(x).\nc(x) :- a(x).";
    let found = Program::compile(&[], &[Source::new("r.dl", rules)], &NoFunctors).err().expect("refused");
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].message, "`a` depends on the absence of `b`, which depends on `a`");
    assert_eq!(found[0].label, "the cycle is a → b → c → a");
    assert_eq!(&rules[found[0].range.clone()], "b(x)");
    assert_eq!(found[0].notes.len(), 2);
    one_problem(
        ".decl a(x: number)\na(x) :- x = count : { a(_) }.",
        "depends on an aggregate over itself",
        "count : { a(_) }",
        "",
    );
    one_problem(
        ".decl a(x: symbol)\na(\"b\") :- !a(\"a\").",
        "`a` depends on the absence of itself",
        "a(\"a\")",
        "break",
    );
}

#[test]
fn text_that_is_no_rule() {
    one_problem(&format!("{P}q(x) : p(x, _)."), "expected `:-` or `.` after the head, found `:`", ":", "");
    one_problem(&format!("{P}q(x) :- p(x, _)"), "the rule does not end", ")", "ends with `.`");
    one_problem(&format!("{P}q(x) :- x."), "expected a comparison", ".", "a relation is written `x(…)`");
    one_problem(&format!("{P}q(\"a)."), "the string does not end", "\"a).", "");
    one_problem(&format!("{P}/* q"), "the comment does not end", "/*", "");
    one_problem(&format!("{P}q(\"a\\.b\")."), "unknown escape `\\.`", "\\.", "`\\\\.`");
    one_problem(&format!("{P}q(x) :- p(x, 1.5)."), "decimal numbers", "1.5", "");
    one_problem(&format!("{P}q(x) :- p(x, 99999999999999999999)."), "too large", "99999999999999999999", "");
    one_problem(&format!("{P}.comp A"), "`.comp` is not part of the rule language", ".comp", "");
    one_problem(".decl p(x symbol)", "expected `:` and a type", "symbol", "");
    one_problem(".type A symbol", "expected `<:`", "symbol", ".type A <: symbol");
    one_problem(&format!("{P}q(x) :- p(x, n), n = count x : {{ p(x, _) }}."), "`count` takes no expression", "x", "");
    one_problem(&format!("{P}q(x) :- p(x, n), n = sum : {{ p(x, _) }}."), "`sum` needs an expression", "sum", "");
    one_problem(&format!("{P}q(x) :- strlen(x), p(x, _)."), "`strlen` is a value", "strlen(x)", "");
    one_problem(&format!("{P}q(x) :- p(x, n), n = contains(x, x)."), "is a test", "contains(x, x)", "");
    one_problem(&format!("{P}q(x) :- p(x, n), n = p(x, 1)."), "unknown functor `p`", "p", "is a relation");
    one_problem(&format!("{P}q(x) :- p(x, _), match(\"(\", x)."), "not a regular expression", "\"(\"", "");
    one_problem(".include \"gone.dl\"", "`gone.dl` cannot be included", "\"gone.dl\"", "");
    one_problem("§§", "not part of the rule language", "§§", "");
    one_problem(".decl a(x: symbol) eqrel", "not supported", "eqrel", "");
}

#[test]
fn several_mistakes_are_told_at_once() {
    let rules = format!("{P}q(x) :- .\nq(x) :- pp(x, _).\n.decl (\nq(y) :- p(_, _).\nq(x) :- p(x, n).");
    let found = problems(&rules);
    assert_eq!(found.len(), 5, "{found:#?}");
}

#[test]
fn nesting_and_multiplying_are_bounded() {
    let deep = format!("{P}q(x) :- p(x, n), n = {}1{}.", "(".repeat(3000), ")".repeat(3000));
    assert!(problems(&deep)[0].0.contains("nested more than 64 deep"));
    let negations = format!("{P}q(x) :- {}p(x, _).", "!".repeat(3000));
    assert!(problems(&negations)[0].0.contains("nested more than 64 deep"));
    let sum = format!("{P}q(x) :- p(x, n), n = 1{}.", " + 1".repeat(3000));
    assert!(problems(&sum)[0].0.contains("too large"), "{:?}", &problems(&sum)[0].0);
    let product = format!("{P}q(x) :- p(x, _){}.", ", (p(x, 1); p(x, 2))".repeat(20));
    assert!(problems(&product)[0].0.contains("multiply to too many"));
    let minus = format!("{P}q(x) :- p(x, n), n = {}n.", "- ".repeat(3000));
    assert!(problems(&minus)[0].0.contains("nested more than 64 deep"));
    let line = format!("{P}q(x) :- p(x, n), {}n = 1.", "n = 1, ".repeat(150_000));
    assert!(problems(&line)[0].0.contains("too large"), "{:?}", &problems(&line)[0].0);
}

#[test]
fn bad_metadata() {
    let with = |metadata: &str| format!("{metadata}\n.decl f(s: symbol, n: number)\n.input f");
    let good = "/// @id a/b @message \"m\"";
    one_problem(&with("/// @id a/b @mesage \"m\""), "unknown key `@mesage`", "@mesage", "`@message`");
    one_problem(&with("/// @id a/b"), "`a/b` has no message", "a/b", "@message");
    one_problem(&with("/// @message \"m\""), "`@message` without `@id`", "@message", "");
    one_problem(&with(&format!("{good} @severity bad")), "`bad` is not a severity", "bad", "`error`, `warning`");
    one_problem(&with(&format!("{good} @at t")), "`f` has no column `t`", "t", "`s`, `n`");
    one_problem(&with(&format!("{good} @at n")), "`n` is a number, not a place", "n", "");
    one_problem(&with("/// @id a/b @message \"`{x}` is\""), "`f` has no column `x`", "{x}", "");
    one_problem(&with("/// @id a/b @message \"m"), "the text does not end", "\"m", "");
    one_problem(&with(&format!("{good} @id c")), "`@id` is given twice", "@id", "");
    one_problem(&with(&format!("{good} @at")), "`@at` has no value", "@at", "");
    one_problem(&with(&format!("{good} words here")), "this belongs to no key", "words here", "quotes");
    one_problem(&with("/// @id a§b @message \"m\""), "is not a rule id", "a§b", "");
    one_problem(&with("/// @id a/b @message \"\u{1b}[31mred\""), "control characters", "\u{1b}[31mred", "");
    one_problem(
        "/// @id a/b @message \"m\"\n.pragma \"x\"",
        "metadata belongs above a `.decl`",
        " @id a/b @message \"m\"",
        "",
    );
    let twice = format!("{}\n{good}\n.decl g(s: symbol)\n.input g", with(good));
    one_problem(&twice, "the rule id `a/b` is taken", "a/b", "");
}

#[test]
fn a_relation_without_rules_is_warned_of() {
    let program = compile(".decl p(x: symbol)\n.decl q(x: symbol)\nq(x) :- p(x).");
    assert_eq!(program.warnings.len(), 1);
    assert_eq!(program.warnings[0].level, Level::Warning);
    assert!(program.warnings[0].message.contains("`p` has no rules"));
}
