//! Findings, proofs, assumptions of single rows, and questions about rows that are not there.

use super::*;

const SCHEMA: &str = "\
.type Stmt <: symbol
.type Loop <: symbol
/// A statement inside a loop.
.decl inside(s: Stmt, l: Loop)
.decl call(s: Stmt, api: symbol)
.decl pure(api: symbol)
/// A statement changes something that the loop's statements use.
/// @open
.decl mutated_in(s: Stmt, l: Loop)
";

const RULES: &str = "\
/// Work that is the same in every iteration.
/// @id acme/hoist   @severity warning   @tags performance, hoist   @on-request
/// @message \"`{api}` gives the same tensor; see {{this}}\"
/// @at s   @related l \"the loop of {api}\"
/// @help \"move it\" @fix create it before `{l}`
.decl finding(s: Stmt, l: Loop, api: symbol)
finding(s, l, api) :- inside(s, l), call(s, api), match(\"torch\\\\.(eye|zeros)\", api),
    pure(api), !mutated_in(s, l).
";

const FACTS: &str = "\
inside s2 l1 | 7
inside s1 l1
inside s3 l1
call s1 torch.eye
call s2 torch.zeros | 3 5
call s3 torch.rand
pure torch.eye
pure torch.zeros
pure torch.rand";

fn program() -> Program<'static> {
    Program::compile(&[Source::new("schema.dl", SCHEMA)], &[Source::new("acme.dl", RULES)], &NoFunctors)
        .expect("in order")
}

#[test]
fn findings_carry_their_metadata() {
    let program = program();
    let evaluation = program.evaluate(database(FACTS), &Limits::default());
    let findings = evaluation.findings();
    assert_eq!(findings.len(), 2);
    let first = &findings[0];
    assert_eq!(first.rule_id, "acme/hoist");
    assert_eq!(first.severity, Severity::Warning);
    assert_eq!(first.tags, ["performance", "hoist"]);
    assert!(program.metadata(first.relation).is_some_and(|metadata| metadata.on_request));
    assert_eq!(first.message, "`torch.eye` gives the same tensor; see {this}");
    assert_eq!(first.at.as_deref(), Some("s1"));
    assert_eq!(first.related, [("l1".to_owned(), "the loop of torch.eye".to_owned())]);
    assert_eq!(first.help.as_deref(), Some("move it"));
    assert_eq!(first.fix.as_deref(), Some("create it before `l1`"));
    assert_eq!(findings[1].at.as_deref(), Some("s2"));
    let description = program.describe(first.relation);
    assert_eq!(description.documentation, "Work that is the same in every iteration.");
    assert_eq!(program.finding("acme/hoist"), Some(first.relation));
}

#[test]
fn a_finding_lists_what_it_rests_on() {
    let program = program();
    let evaluation = program.evaluate(database(FACTS), &Limits::default());
    let findings = evaluation.findings();
    let absent = |statement: &str| Assumption::Absent {
        relation: "mutated_in".to_owned(),
        row: vec![Some(Value::Symbol(statement.to_owned())), Some(Value::Symbol("l1".to_owned()))],
    };
    let first = evaluation.assumptions(findings[0].relation, findings[0].row);
    assert_eq!(first, AssumptionSets { sets: vec![vec![absent("s1")]], truncated: false });
    let second = evaluation.assumptions(findings[1].relation, findings[1].row);
    let given = |id| Assumption::Given(id);
    assert_eq!(second.sets, [vec![given(3), given(5), given(7), absent("s2")]]);
    assert!(!second.is_certain());
}

#[test]
fn proofs_show_premises_and_conditions() {
    let program = program();
    let evaluation = program.evaluate(database(FACTS), &Limits::default());
    let finding = &evaluation.findings()[0];
    let proof = evaluation.proof(finding.relation, finding.row);
    assert_eq!(
        proof.to_string(),
        "finding(s1, l1, torch.eye)  [acme.dl:7]\n  match(\"torch\\\\.(eye|zeros)\", api) (api = torch.eye)\n  \
         no mutated_in(s1, l1)\n  inside(s1, l1)\n  call(s1, torch.eye)\n  pure(torch.eye)\n"
    );
}

#[test]
fn long_proofs_are_cut() {
    let rules = ".decl next(a: number, b: number)\n.input next\n.decl n(x: number)\nn(0).\nn(b) :- n(a), next(a, b).";
    let facts: String = (0..200).map(|n| format!("next {n} {}\n", n + 1)).collect();
    let program = compile(rules);
    let evaluation = program.evaluate(database(&facts), &Limits::default());
    let relation = program.relation("n").expect("declared");
    let row = evaluation.find(relation, &[Value::Number(200)]).expect("derived");
    let proof = evaluation.proof(relation, row).to_string();
    assert!(proof.contains('…') && proof.lines().count() < 200, "{proof}");
}

#[test]
fn why_not_names_the_literal_that_failed() {
    let program = program();
    let evaluation = program.evaluate(database(FACTS), &Limits::default());
    let relation = program.finding("acme/hoist").expect("declared");
    let ask = |statement: &str| {
        let known = [("s", Value::Symbol(statement.to_owned()))];
        evaluation.why_not(relation, &known).expect("a column").remove(0).answer
    };
    assert_eq!(ask("s1"), Answer::Holds);
    let Answer::Fails { literal, values, range, reason, progress, known } = ask("s3") else { panic!("it fails") };
    assert_eq!(literal, "match(\"torch\\\\.(eye|zeros)\", api)");
    assert_eq!(values, [("api".to_owned(), Value::Symbol("torch.rand".to_owned()))]);
    assert_eq!(&RULES[range], literal);
    assert_eq!(known.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["s", "l", "api"]);
    assert_eq!((reason, progress.0 > 0 && progress.0 < progress.1), (Failure::Untrue, true));
    let Answer::Fails { literal, values, .. } = ask("s9") else { panic!("it fails") };
    assert_eq!((literal.as_str(), values.len()), ("inside(s, l)", 1));
    assert!(evaluation.why_not(relation, &[("apj", Value::Number(1))]).expect_err("no column").contains("`api`"));
}

#[test]
fn alternatives_give_several_sets() {
    let rules = ".decl e(a: symbol, b: symbol)\n.input e\n.decl path(a: symbol, b: symbol)\n\
        path(x, y) :- e(x, y).\npath(x, z) :- path(x, y), e(y, z).";
    let program = compile(rules);
    let facts = "e a b | 1\ne b d | 2\ne a c | 3\ne c d | 4\ne a d | 1 4\ne b c | 9";
    let evaluation = program.evaluate(database(facts), &Limits::default());
    let relation = program.relation("path").expect("declared");
    let row = evaluation.find(relation, &[Value::Symbol("a".into()), Value::Symbol("d".into())]).expect("derived");
    let sets = evaluation.assumptions(relation, row);
    let given = |ids: &[u32]| ids.iter().copied().map(Assumption::Given).collect::<Vec<_>>();
    assert_eq!(sets.sets, [given(&[1, 2]), given(&[1, 4]), given(&[3, 4])]);
    assert!(!sets.truncated);
}

#[test]
fn more_alternatives_than_are_kept_are_told() {
    let program = compile(".decl e(a: symbol)\n.input e\n.decl f()\nf() :- e(_).");
    let facts: String = (0..20).map(|n| format!("e x{n} | {n}\n")).collect();
    let evaluation = program.evaluate(database(&facts), &Limits::default());
    let sets = evaluation.assumptions(program.relation("f").expect("declared"), 0);
    assert_eq!((sets.sets.len(), sets.truncated), (8, true));
}

#[test]
fn truncation_begins_where_a_set_is_left_out() {
    let program = compile(".decl e(a: symbol)\n.input e\n.decl f()\nf() :- e(_).\n.decl g()\ng() :- f().");
    for (count, truncated) in [(7, false), (8, false), (9, true)] {
        let facts: String = (0..count).map(|n| format!("e x{n} | {n}\n")).collect();
        let evaluation = program.evaluate(database(&facts), &Limits::default());
        for relation in ["f", "g"] {
            let sets = evaluation.assumptions(program.relation(relation).expect("declared"), 0);
            assert_eq!((sets.sets.len(), sets.truncated), (count.min(8), truncated));
        }
    }
    // Sets that contain another are not left out for lack of room.
    let facts: String = (1..20).map(|n| format!("e x{n} | 0 {n}\n")).collect::<String>() + "e y | 0";
    let evaluation = program.evaluate(database(&facts), &Limits::default());
    let sets = evaluation.assumptions(program.relation("f").expect("declared"), 0);
    assert_eq!(sets.sets, [[Assumption::Given(0)]]);
}

#[test]
fn a_row_given_twice_has_alternatives() {
    let program = compile(".decl e(a: symbol)\n.input e\n.decl f(a: symbol)\nf(x) :- e(x).");
    let evaluation = program.evaluate(database("e a | 1\ne a | 2\ne b | 3\ne b"), &Limits::default());
    let relation = program.relation("f").expect("declared");
    let sets = evaluation.assumptions(relation, 0).sets;
    assert_eq!(sets, [[Assumption::Given(1)], [Assumption::Given(2)]]);
    assert!(evaluation.assumptions(relation, 1).is_certain());
}

#[test]
fn what_blocks_a_negated_row_is_an_assumption_too() {
    let rules = ".decl a(x: symbol)\n.input a\n.decl b(x: symbol)\n.input b\n.decl bad(x: symbol)\n\
        bad(x) :- a(x), !b(x).\n.decl good(x: symbol)\ngood(x) :- a(x), !bad(x).";
    let program = compile(rules);
    let evaluation = program.evaluate(database("a x\nb x | 4"), &Limits::default());
    let sets = evaluation.assumptions(program.relation("good").expect("declared"), 0);
    assert_eq!(sets, AssumptionSets { sets: vec![vec![Assumption::Given(4)]], truncated: false });
}

#[test]
fn aggregates_rest_on_the_rows_they_look_at() {
    let rules = ".decl p(g: symbol, n: number)\n.input p\n.decl many(g: symbol)\n\
        many(g) :- p(g, _), count : { p(g, _) } > 1.\n.decl top(g: symbol, m: number)\n\
        top(g, m) :- p(g, _), m = max n : { p(g, n) }.";
    let program = compile(rules);
    let evaluation = program.evaluate(database("p x 1 | 1\np x 2 | 2\np x 0"), &Limits::default());
    let sets = evaluation.assumptions(program.relation("many").expect("declared"), 0).sets;
    assert_eq!(sets, [[Assumption::Given(1), Assumption::Given(2)]]);
    let sets = evaluation.assumptions(program.relation("top").expect("declared"), 0).sets;
    assert_eq!(sets, [[Assumption::Given(2)]]);
}

#[test]
fn findings_carry_their_edits() {
    let rules = "\
/// @id acme/hoist   @message \"moves\"   @at s
/// @insert l \"x = {api}\"   @edit s \"\"   @unsafe \"{why}\"
.decl finding(s: Stmt, l: Loop, api: symbol, why: symbol)
finding(s, l, api, why) :- inside(s, l), call(s, api), pure(api), api = \"torch.eye\", why = \"\".
";
    let compile = |rules: &str| {
        Program::compile(&[Source::new("schema.dl", SCHEMA)], &[Source::new("acme.dl", rules)], &NoFunctors)
    };
    let program = compile(rules).expect("in order");
    let evaluation = program.evaluate(database(FACTS), &Limits::default());
    let [row] = &evaluation.findings()[..] else { panic!("one finding") };
    let edits: Vec<(EditKind, &str, &str)> =
        row.edits.iter().map(|edit| (edit.kind, edit.place.as_str(), edit.text.as_str())).collect();
    assert_eq!(edits, [(EditKind::InsertBefore, "l1", "x = torch.eye"), (EditKind::Replace, "s1", "")]);
    assert_eq!(row.unsafe_because, None);
    assert!(compile(&rules.replace("@edit s", "@edit t")).is_err());
}

#[test]
fn findings_carry_what_they_save() {
    let rules = "\
/// @id acme/hoist   @message \"moves\"   @at s
/// @saves s repeats in l   @saves s each: calls, flops = n   @floor calls 10, bytes 4_096
.decl finding(s: Stmt, l: Loop, n: number)
finding(s, l, 7) :- inside(s, l), call(s, \"torch.eye\").
";
    let compile = |rules: &str| {
        Program::compile(&[Source::new("schema.dl", SCHEMA)], &[Source::new("acme.dl", rules)], &NoFunctors)
    };
    let program = compile(rules).expect("in order");
    let evaluation = program.evaluate(database(FACTS), &Limits::default());
    let [row] = &evaluation.findings()[..] else { panic!("one finding") };
    let [repeats, each] = &row.saves[..] else { panic!("two of them") };
    assert_eq!(
        (repeats.place.as_str(), repeats.removed, repeats.in_loop.as_deref()),
        ("s1", Removed::Repeats, Some("l1"))
    );
    assert_eq!((each.removed, each.in_loop.as_deref()), (Removed::Each, None));
    assert_eq!(each.only, Some(vec![(Quantity::Calls, None), (Quantity::Flops, Some(7))]));
    assert_eq!(row.floor, [(Quantity::Calls, 10), (Quantity::Bytes, 4096)]);
    for (right, wrong) in [
        ("repeats in l", "repeats"),
        ("repeats in l", "repeats in m"),
        ("flops = n", "flops = s"),
        ("flops = n", "joules"),
        ("calls 10,", "calls ten,"),
        ("calls 10,", "10 calls,"),
    ] {
        assert!(compile(&rules.replace(right, wrong)).is_err(), "{wrong}");
    }
}
