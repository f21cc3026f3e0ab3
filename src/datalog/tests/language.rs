//! What programs mean, one construct at a time.

use super::*;

const EDGES: &str = ".decl edge(a: symbol, b: symbol)\n.input edge\n";

#[test]
fn recursion_reaches_its_end() {
    let rules = format!(
        "{EDGES}.decl path(a: symbol, b: symbol)\npath(x, y) :- edge(x, y).\npath(x, z) :- path(x, y), path(y, z)."
    );
    let facts = "edge a b\nedge b c\nedge c a\nedge d d";
    assert_eq!(derive(&rules, facts, "path").len(), 10);
}

#[test]
fn negation_asks_for_absence() {
    let rules = format!(
        "{EDGES}.decl node(x: symbol)\nnode(x), node(y) :- edge(x, y).\n\
         .decl leaf(x: symbol)\nleaf(x) :- node(x), !edge(x, _).\n\
         .decl apart(x: symbol, y: symbol)\napart(x, y) :- node(x), node(y), !(edge(x, y); edge(y, x); x = y)."
    );
    let facts = "edge a b\nedge b c";
    assert_eq!(derive(&rules, facts, "leaf"), ["c"]);
    assert_eq!(derive(&rules, facts, "apart"), ["a c", "c a"]);
}

#[test]
fn alternatives_and_several_heads() {
    let rules = format!(
        "{EDGES}.decl near(x: symbol, y: symbol)\n.decl seen(x: symbol)\n\
         near(x, y), seen(x) :- (edge(x, y); edge(y, x)), x != \"c\"."
    );
    assert_eq!(derive(&rules, "edge a b\nedge b c", "near"), ["a b", "b a", "b c"]);
    assert_eq!(derive(&rules, "edge a b\nedge b c", "seen"), ["a", "b"]);
}

#[test]
fn arithmetic_and_functors() {
    let rules = ".decl size(x: symbol, n: number)\n.input size\n\
        .decl out(x: symbol, n: number, t: symbol)\n\
        out(cat(x, \"!\"), (n + 1) * 2 - -3 % 2, to_string(n ^ 2)) :- size(x, n), n >= 0x2, strlen(x) = 1.\n\
        .decl cut(t: symbol)\ncut(substr(x, 1, 2)) :- size(x, _).\n\
        .decl back(n: number)\nback(to_number(\"12\") + max(1, 2, n)) :- size(_, n).";
    let facts = "size a 1\nsize b 2\nsize c 3\nsize long 9";
    assert_eq!(derive(rules, facts, "out"), ["b! 7 4", "c! 9 9"]);
    assert_eq!(derive(rules, facts, "cut"), ["", "on"]);
    assert_eq!(derive(rules, facts, "back"), ["14", "15", "21"]);
}

#[test]
fn a_partial_function_has_no_value_where_it_would_fail() {
    let rules = ".decl p(n: number, d: number)\n.input p\n.decl q(n: number)\n\
        q(n / d) :- p(n, d).\n.decl r(n: number)\nr(n) :- p(n, d), d != 0, n / d > 1.\n\
        .decl over(n: number)\nover(n + 9223372036854775807) :- p(n, _).";
    assert_eq!(derive(rules, "p 6 2\np 5 0", "q"), ["3"]);
    assert_eq!(derive(rules, "p 6 2\np 5 0", "r"), ["6"]);
    assert!(derive(rules, "p 6 2", "over").is_empty());
}

#[test]
fn tests_match_texts() {
    let rules = ".decl call(api: symbol)\n.input call\n.decl hit(api: symbol)\n.decl part(api: symbol)\n.decl other(api: symbol)\n\
        hit(a) :- call(a), match(\"torch\\\\.(eye|zeros)\", a).\n\
        part(a) :- call(a), contains(\"eye\", a).\nother(a) :- call(a), !match(\"torch.*\", a).";
    let facts = "call torch.eye\ncall torch.eyes\ncall torch_zeros\ncall numpy.eye";
    assert_eq!(derive(rules, facts, "hit"), ["torch.eye"]);
    assert_eq!(derive(rules, facts, "part"), ["numpy.eye", "torch.eye", "torch.eyes"]);
    assert_eq!(derive(rules, facts, "other"), ["numpy.eye"]);
}

#[test]
fn comparisons_order_texts_and_numbers() {
    let rules = ".decl p(x: symbol, n: number)\n.input p\n.decl less(x: symbol, y: symbol)\n\
        less(x, y) :- p(x, n), p(y, m), x < y, n <= m, !(n = m).";
    assert_eq!(derive(rules, "p a 10\np b 9\np c 11", "less"), ["a c", "b c"]);
}

#[test]
fn aggregates_look_at_every_match() {
    let rules = ".decl p(g: symbol, n: number)\n.input p\n.decl group(g: symbol)\ngroup(g) :- p(g, _).\ngroup(\"none\").\n\
        .decl stat(g: symbol, c: number, s: number)\n\
        stat(g, c, s) :- group(g), c = count : { p(g, _) }, s = sum n * 2 : { p(g, n) }.\n\
        .decl span(g: symbol, a: number, b: number)\n\
        span(g, a, b) :- group(g), a = min n : { p(g, n), n > 0 }, b = max n : { p(g, n) }.\n\
        .decl many(g: symbol)\nmany(g) :- group(g), count : { p(g, _) } > 1.\n\
        .decl all(n: number)\nall(count : p(_, _)).";
    let facts = "p x 1\np x 3\np y 0\np y 5\np z 4";
    assert_eq!(derive(rules, facts, "stat"), ["none 0 0", "x 2 8", "y 2 10", "z 1 8"]);
    assert_eq!(derive(rules, facts, "span"), ["x 1 3", "y 5 5", "z 4 4"]);
    assert_eq!(derive(rules, facts, "many"), ["x", "y"]);
    assert_eq!(derive(rules, facts, "all"), ["5"]);
}

#[test]
fn aggregates_may_hold_aggregates() {
    let rules = ".decl p(g: symbol, n: number)\n.input p\n.decl top(n: number)\n\
        top(m) :- m = max c : { p(g, _), c = count : { p(g, _) } }.";
    assert_eq!(derive(rules, "p x 1\np x 3\np y 0", "top"), ["2"]);
}

#[test]
fn aggregates_may_have_alternatives() {
    let rules = ".decl p(g: symbol, n: number)\n.input p\n.decl q(n: number, g: symbol)\n.input q\n\
        .decl c(g: symbol, n: number)\nc(g, n) :- p(g, _), n = count : { p(g, _); q(m, g), m > 1 }.\n\
        .decl s(n: number)\ns(sum n : { p(_, n); q(n, _) }).\n\
        .decl m(g: symbol, n: number)\nm(g, n) :- p(g, _), n = max k * 2 : { p(g, k), !q(k, g); q(k, g), k < 9 }.\n\
        .decl d(n: number)\nd(n) :- n = count : { p(_, x), (x = 1; x = 3; x > 2) }.";
    let facts = "p x 1\np x 3\np y 0\nq 3 x\nq 9 x\nq 1 x";
    assert_eq!(derive(rules, facts, "c"), ["x 4", "y 1"]);
    assert_eq!(derive(rules, facts, "s"), ["17"]);
    assert_eq!(derive(rules, facts, "m"), ["x 6", "y 0"]);
    // A match of two alternatives counts for each.
    assert_eq!(derive(rules, facts, "d"), ["3"]);
}

#[test]
fn operators_bind_as_in_souffle() {
    let value = |expression: &str| {
        let rules = format!(".decl n(x: number)\nn({expression}).");
        derive(&rules, "", "n").remove(0)
    };
    assert_eq!(value("1 + 2 * 3 ^ 2 ^ 1"), "19");
    assert_eq!(value("-2 ^ 2"), "-4");
    assert_eq!(value("-(2) ^ 2 + 1"), "-3");
    assert_eq!(value("7 % 4 - 10 / 3"), "0");
    assert_eq!(value("6 band 3 + 1"), "4");
    assert_eq!(value("8 bor 6 bxor 2 band 3"), "12");
    assert_eq!(value("1 bshl 3 + 1"), "16");
    assert_eq!(value("-16 bshr 2"), "-4");
    assert_eq!(value("-1 bshru 62"), "3");
    assert_eq!(value("bnot 5 band 7"), "2");
    assert_eq!(value("0 land 1 lor 3"), "1");
    assert_eq!(value("lnot 0 lxor 1"), "0");
    assert_eq!(value("bnot(0)"), "-1");
    assert_eq!(value("-9223372036854775808"), "-9223372036854775808");
}

#[test]
fn facts_constants_and_relations_without_columns() {
    let rules = ".decl flag()\nflag() :- p(\"a\").\n.decl p(x: symbol)\np(\"a\"). p(\"b\").\n\
        .decl q(x: symbol, n: number)\nq(x, -1) :- p(x), flag().\n.decl r(x: symbol)\nr(x) :- p(x), true; p(x), false.\n\
        .decl never(x: symbol)\nnever(x) :- p(x), !flag().";
    assert_eq!(derive(rules, "", "q"), ["a -1", "b -1"]);
    assert_eq!(derive(rules, "", "r"), ["a", "b"]);
    assert_eq!(derive(rules, "", "flag"), [""]);
    assert!(derive(rules, "", "never").is_empty());
}

#[test]
fn repeated_variables_and_expressions_as_arguments() {
    let rules = ".decl p(a: number, b: number, c: number)\n.input p\n.decl loop(a: number)\nloop(a) :- p(a, a, _).\n\
        .decl step(a: number)\nstep(a) :- p(a, a + 1, _).\n.decl gap(a: number)\ngap(a) :- p(a, _, _), !p(a + 1, _, _).";
    let facts = "p 1 1 0\np 1 2 0\np 2 3 9\np 5 5 5";
    assert_eq!(derive(rules, facts, "loop"), ["1", "5"]);
    assert_eq!(derive(rules, facts, "step"), ["1", "2"]);
    assert_eq!(derive(rules, facts, "gap"), ["2", "5"]);
}

#[test]
fn mutual_recursion() {
    let rules = ".decl next(a: number, b: number)\n.input next\n.decl even(a: number)\n.decl odd(a: number)\n\
        even(0).\nodd(b) :- even(a), next(a, b).\neven(b) :- odd(a), next(a, b).";
    let facts: String = (0..50).map(|n| format!("next {n} {}\n", n + 1)).collect();
    assert_eq!(derive(rules, &facts, "even").len(), 26);
    assert_eq!(derive(rules, &facts, "odd").len(), 25);
}

#[test]
fn subtypes_narrow_and_casts_allow() {
    let rules = ".type Node <: symbol\n.type Leaf <: Node\n.type Any = Node | Leaf\n\
        .decl n(x: Node)\n.decl l(x: Leaf)\nn(\"a\"). n(\"b\"). l(\"b\").\n\
        .decl both(x: Leaf)\nboth(x) :- n(x), l(x).\n.decl cast(x: Leaf)\ncast(as(x, Leaf)) :- n(x).\n\
        .decl any(x: Any)\nany(x) :- l(x).";
    assert_eq!(derive(rules, "", "both"), ["b"]);
    assert_eq!(derive(rules, "", "cast"), ["a", "b"]);
    assert_eq!(derive(rules, "", "any"), ["b"]);
}

#[test]
fn large_numbers_keep_their_value() {
    let rules = ".decl p(n: number)\n.input p\n.decl q(n: number)\nq(n * 4) :- p(n), n > 4000000000.";
    assert_eq!(derive(rules, "p 4000000001\np 1073741824", "q"), ["16000000004"]);
}

#[test]
fn directives_of_souffle_are_read_over() {
    let rules = ".pragma \"x\" \"y\"\n.decl p(x: symbol) btree\n.input p(IO=file, filename=\"p.facts\")\n\
        .decl q(x: symbol)\n.output q, p\n.printsize q\n.limitsize q(n=5)\nq(x) :- p(x).";
    assert_eq!(derive(rules, "p a", "q"), ["a"]);
}

#[test]
fn files_include_files_and_keep_their_names_apart() {
    let schema = Source::new("schema.dl", ".type Stmt <: symbol\n.decl call(s: Stmt, api: symbol)");
    let helper =
        Source::new("one/rules/common.dl", ".include \"schema.dl\"\n.decl hot(s: Stmt)\nhot(s) :- call(s, \"hot\").");
    let one = Source::new("one/rules/a.dl", ".include \"common.dl\"\n.decl finding(s: Stmt)\nfinding(s) :- hot(s).");
    let two = Source::new("two/rules/a.dl", ".decl finding(s: Stmt)\nfinding(s) :- call(s, \"cold\").");
    let program = Program::compile(&[schema], &[one, two, helper], &NoFunctors).expect("in order");
    let mut database = Database::new();
    let [s1, s2, hot, cold] = ["s1", "s2", "hot", "cold"].map(|text| database.symbol(text));
    database.insert("call", &[s1, hot], &[]);
    database.insert("call", &[s2, cold], &[]);
    let evaluation = program.evaluate(database, &Limits::default());
    assert_eq!(rows(&evaluation, "one/rules/a.dl:finding"), ["s1"]);
    assert_eq!(rows(&evaluation, "two/rules/a.dl:finding"), ["s2"]);
}

struct Lengths;

impl Functors for Lengths {
    fn signatures(&self) -> Vec<FunctorSignature> {
        vec![
            FunctorSignature::new("rank", &[Base::Symbol], Some(Base::Number)),
            FunctorSignature::new("known", &[Base::Symbol], None),
        ]
    }

    fn apply(&self, index: usize, arguments: &[Cell], values: &mut Values) -> Option<Cell> {
        let text = values.text(*arguments.first()?).to_owned();
        match index {
            0 if text != "?" => Some(values.number(text.split(',').count() as i64)),
            1 => (text != "?").then_some(arguments[0]),
            _ => None,
        }
    }
}

#[test]
fn functors_come_from_the_caller() {
    let rules = ".functor rank(x: symbol): number\n.decl shape(s: symbol)\n.input shape\n.decl r(s: symbol, n: number)\n\
        .decl u(s: symbol)\nr(s, @rank(s)) :- shape(s), known(s), rank(s) > 1.\nu(s) :- shape(s), !known(s).";
    let program = Program::compile(&[], &[Source::new("a.dl", rules)], &Lengths).expect("in order");
    let evaluation = program.evaluate(database("shape 2,3\nshape x\nshape ?"), &Limits::default());
    assert_eq!(rows(&evaluation, "r"), ["2,3 2"]);
    assert_eq!(rows(&evaluation, "u"), ["?"]);
}

#[test]
fn budgets_stop_a_rule_and_keep_the_others() {
    let rules = ".decl n(x: number)\nn(0).\nn(x + 1) :- n(x).\n.decl other(x: number)\nother(7).\n\
        .decl uses(x: number)\nuses(x) :- n(x), x < 3.\n.decl without(x: number)\nwithout(x) :- other(x), !n(x).\n\
        .decl after(x: number)\nafter(x) :- other(x), !without(x).";
    let program = compile(rules);
    let limits = Limits { rows_per_rule: 100, ..Limits::default() };
    let evaluation = program.evaluate(Database::new(), &limits);
    assert_eq!(rows(&evaluation, "other"), ["7"]);
    assert_eq!(rows(&evaluation, "uses"), ["0", "1", "2"]);
    // What asks for the absence of rows that may be missing has no answer.
    assert!(rows(&evaluation, "without").is_empty() && rows(&evaluation, "after").is_empty());
    let messages: Vec<&str> = evaluation.warnings.iter().map(|warning| warning.message.as_str()).collect();
    assert_eq!(messages.len(), 3, "{messages:?}");
    assert!(messages[0].contains("n (rules.dl:3) was stopped: it has more than 100 rows"), "{messages:?}");
    assert!(messages[1].contains("without (rules.dl:9) was not evaluated"), "{messages:?}");
}

#[test]
fn endless_recursion_ends_by_rounds() {
    let program = compile(".decl n(x: number)\nn(0).\nn(x + 1) :- n(x).");
    let evaluation = program.evaluate(Database::new(), &Limits { rounds: 50, ..Limits::default() });
    assert_eq!(rows(&evaluation, "n").len(), 51);
    assert!(evaluation.warnings[0].message.contains("did not end within 50 rounds"));
}

#[test]
fn endless_recursion_over_texts_ends() {
    let program = compile(".decl t(x: symbol)\nt(\"abcdefgh\").\nt(cat(x, x)) :- t(x).");
    let evaluation = program.evaluate(Database::new(), &Limits::default());
    assert!(rows(&evaluation, "t").len() < 30);
    assert!(evaluation.warnings[0].message.contains("it makes too much text"), "{:?}", evaluation.warnings);
}

#[test]
fn a_product_is_warned_of_and_stopped() {
    let rules = ".decl a(x: number)\n.input a\n.decl b(x: number)\n.input b\n.decl p(x: number, y: number)\n\
        p(x, y) :- a(x), b(y), x + y = 1000000.";
    let mut database = Database::new();
    for number in 0..4000 {
        let cell = database.number(number);
        database.insert("a", &[cell], &[]);
        database.insert("b", &[cell], &[]);
    }
    let program = compile(rules);
    let limits = Limits { steps_per_rule: 100_000, ..Limits::default() };
    let evaluation = program.evaluate(database, &limits);
    let messages: Vec<&str> = evaluation.warnings.iter().map(|warning| warning.message.as_str()).collect();
    assert!(messages[0].contains("multiplies unrelated rows"), "{messages:?}");
    assert!(messages[1].contains("took more than 100000 steps"), "{messages:?}");
    assert!(evaluation.profile[0].steps > 100_000);
}

#[test]
fn rows_that_do_not_fit_the_schema_are_left_out() {
    let program = compile(".decl p(x: symbol)\n.input p");
    let evaluation = program.evaluate(database("p a\np a b\nq c"), &Limits::default());
    assert_eq!(rows(&evaluation, "p"), ["a"]);
    assert_eq!(evaluation.warnings.len(), 2);
}
