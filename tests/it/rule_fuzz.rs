//! No text makes the rule language panic, hang or use much memory: soups of its tokens, built-in rule files with pieces moved,
//! and arbitrary bytes go through the parser, the checker, evaluation and the questions about results.
//!
//! `HARP_FUZZ_CASES=100000 cargo test --test it rule_fuzz` looks longer than the test suite does.

use std::fmt::Write;

use harp::datalog::{Database, Limits, NoFunctors, Program, Source};
use proptest::prelude::*;

const SCHEMA: &str = include_str!("../../src/graph/schema.dl");
const RULES: [&str; 5] = [
    include_str!("../../rules/harp/rules/loop-invariant.dl"),
    include_str!("../../rules/harp/rules/vectorisable-loop.dl"),
    include_str!("../../rules/shape/rules/mismatch.dl"),
    include_str!("../../rules/shape/rules/possible.dl"),
    include_str!("../../rules/shape/rules/suspicious-broadcast.dl"),
];

/// A declaration of what the soups speak of, so that many of them pass the checker.
const DECLARATIONS: &str = ".decl p(x: number, y: number)\n.decl q(x: number)\n.decl s(t: symbol)\n.decl e(x: number, y: number)\n\
    .input e\n/// @open\n.decl o(x: number)\n.input o\n";

const TOKENS: [&str; 78] = [
    "p",
    "q",
    "s",
    "e",
    "o",
    "x",
    "y",
    "z",
    "t",
    "_",
    "p(x, y)",
    "q(x)",
    "s(t)",
    "e(x, y)",
    "o(x)",
    "e(x, _)",
    "!o(x)",
    "!q(y)",
    "(",
    ")",
    "{",
    "}",
    ",",
    ",",
    ";",
    ".",
    ".\n",
    ":-",
    ":-",
    "!",
    "=",
    "!=",
    "<",
    "<=",
    ">",
    ">=",
    "+",
    "-",
    "*",
    "/",
    "%",
    "^",
    "0",
    "1",
    "2",
    "7",
    "9223372036854775807",
    "\"a\"",
    "\"\"",
    "\"(a|b)*\"",
    "count : {",
    "sum x : {",
    "min y : {",
    "max x * y : {",
    "q(x) :-",
    "p(x, y) :-",
    "s(t) :-",
    "x = 1",
    "x + 1 = y",
    "cat(t, t)",
    "strlen(t)",
    "substr(t, 1, 2)",
    "to_number(t)",
    "to_string(x)",
    "match(\"a.*\", t)",
    "contains(t, t)",
    "band",
    "bshl",
    "bnot",
    "as(x, number)",
    "true",
    "false",
    ".decl r(x: number)\n",
    ".type T <: number\n",
    "/// @id a/b @message \"{x}\" @at x\n",
    "@",
    "[",
    "|",
];

fn cases(least: u32) -> ProptestConfig {
    let cases = std::env::var("HARP_FUZZ_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(least);
    ProptestConfig { cases, failure_persistence: None, max_shrink_iters: 2000, ..ProptestConfig::default() }
}

fn limits() -> Limits {
    Limits {
        rows_per_rule: 2000,
        steps_per_rule: 100_000,
        steps: 1_000_000,
        made_per_rule: 1 << 16,
        rounds: 300,
        // The other bounds suffice, and what they cut does not depend on the machine.
        time_per_rule: None,
        ..Limits::default()
    }
}

/// Compiles and evaluates, and asks about the first rows of every relation. Whether there was a program.
fn everything(schema: &[Source], text: &str) -> bool {
    let rules = [Source::new("rules.dl", text)];
    let program = match Program::compile(schema, &rules, &NoFunctors) {
        Ok(program) => program,
        Err(diagnostics) => {
            for one in &diagnostics {
                let source = schema.iter().chain(&rules).find(|source| source.name == one.source).expect("a source");
                assert!(source.text.get(one.range.clone()).is_some(), "{one:?} in {text:?}");
            }
            assert!(!diagnostics.is_empty());
            return false;
        }
    };
    let mut database = Database::new();
    for number in 0..12u32 {
        let [one, other] = [number % 4, number % 5].map(|value| database.number(i64::from(value)));
        database.insert("e", &[one, other], if number % 3 == 0 { &[] } else { std::slice::from_ref(&number) });
        database.insert("o", &[one], &[number]);
    }
    let evaluation = program.evaluate(database, &limits());
    let mut shown = String::new();
    for relation in program.relations() {
        for row in 0..evaluation.row_count(relation.id).min(3) {
            let _ = write!(shown, "{}", evaluation.proof(relation.id, row));
            assert!(!evaluation.assumptions(relation.id, row).sets.is_empty());
        }
        assert!(evaluation.why_not(relation.id, &[]).is_ok());
    }
    evaluation.findings();
    true
}

fn schema() -> Vec<Source> {
    vec![Source::new("schema.dl", SCHEMA)]
}

proptest! {
    #![proptest_config(cases(1500))]

    #[test]
    fn token_soups(tokens in proptest::collection::vec(0..TOKENS.len(), 0..40)) {
        let text: Vec<&str> = tokens.iter().map(|token| TOKENS[*token]).collect();
        everything(&[], &format!("{DECLARATIONS}{}", text.join(" ")));
    }

    /// Rules of known shape with arbitrary literals: most of them are programs.
    #[test]
    fn rules_of_random_literals(heads in proptest::collection::vec((0..3usize, proptest::collection::vec(0..LITERALS.len(), 1..6)), 1..6)) {
        let mut text = DECLARATIONS.to_owned();
        for (head, body) in heads {
            let body: Vec<&str> = body.iter().map(|literal| LITERALS[*literal]).collect();
            let _ = writeln!(text, "{} :- e(x, y), {}.", ["p(x, y)", "q(x)", "q(x + y)"][head], body.join(", "));
        }
        everything(&[], &text);
    }

    #[test]
    fn arbitrary_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        everything(&[], &String::from_utf8_lossy(&bytes));
    }
}

const LITERALS: [&str; 22] = [
    "o(x)",
    "!o(y)",
    "p(y, _)",
    "p(_, x)",
    "q(x)",
    "!q(x)",
    "x < y",
    "x != y + 1",
    "y = x * 2 - 1",
    "(q(y); o(y))",
    "!(q(y), o(y))",
    "count : { e(_, y) } > 1",
    "0 < sum z : { e(x, z); o(z) }",
    "x = min z : { e(z, _), o(z) }",
    "y < max z ^ 2 : { p(z, _) }",
    "1 < count : { e(x, z), z = count : { o(_) } }",
    "strlen(to_string(x)) = 1",
    "contains(\"1\", to_string(x * y))",
    "x / y > 0",
    "10 % x = y",
    "match(\"[0-2]\", to_string(y))",
    "true",
];

proptest! {
    #![proptest_config(cases(150))]

    /// Pieces of the built-in rules taken out, doubled and exchanged.
    #[test]
    fn changed_rule_files(file in 0..RULES.len(), changes in proptest::collection::vec((any::<u16>(), any::<u16>(), 0u16..40, 0..4usize), 1..6)) {
        let mut text: Vec<char> = RULES[file].chars().collect();
        for (from, to, length, what) in changes {
            let from = from as usize % text.len();
            let end = (from + length as usize).min(text.len());
            let piece: Vec<char> = text[from..end].to_vec();
            let at = to as usize % text.len();
            match what {
                0 => drop(text.drain(from..end)),
                1 => drop(text.splice(at..at, piece)),
                2 => drop(text.splice(at..(at + piece.len()).min(text.len()), piece)),
                _ => drop(text.splice(at..at, TOKENS[from % TOKENS.len()].chars())),
            }
            if text.is_empty() {
                text.push(' ');
            }
        }
        everything(&schema(), &text.into_iter().collect::<String>());
    }
}

/// What could make work grow faster than the text.
#[test]
fn contrived_programs_end() {
    let types: String =
        (1..40).fold(".type A <: symbol\n.type B <: symbol\n.type U0 = A | B\n".to_owned(), |text, n| {
            let before = n - 1;
            format!("{text}.type U{n} = U{before} | U{before} | A\n")
        });
    everything(&[], &format!("{types}.type C <: symbol\n.decl u(x: U39)\n.decl c(x: C)\nc(x) :- u(x).\nu(x) :- c(x)."));
    let heads = ["q(x)"; 120].join(", ");
    let alternatives = ["(x = 1; x = 2)"; 8].join(", ");
    let rule = format!("{heads} :- e(x, _), {alternatives}.\n");
    assert!(!everything(&[], &format!("{DECLARATIONS}{}", rule.repeat(200))));
    let nested = (0..8).fold("e(x, _)".to_owned(), |inner, _| {
        format!("(x = 1; x = 2), (x = 1; x = 3), (x = 4; x = 5), (x = 6; x = 7), 1 < count : {{ {inner} }}")
    });
    assert!(!everything(&[], &format!("{DECLARATIONS}q(x) :- e(x, _), {nested}.")));
    let chain: String =
        (0..3000).map(|n| format!(".decl c{n}(x: number)\nc{}(x + 1) :- c{n}(x).\n", (n + 1) % 3000)).collect();
    assert!(everything(&[], &format!("{chain}c0(0).")));
    let cycle: String =
        (0..3000).map(|n| format!(".decl c{n}(x: number)\nc{}(x) :- c{n}(x), !c7(x).\n", (n + 1) % 3000)).collect();
    assert!(!everything(&[], &cycle));
    let unknown: String =
        (0..3000).map(|n| format!(".decl known{n}(x: number)\nknown{n}(x) :- unknown{n}(x).\n")).collect();
    assert!(!everything(&[], &unknown));
}
