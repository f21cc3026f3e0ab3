//! The built-in rules for loop-invariant work give what the same rules give when `crepe` compiles them.
//!
//! `rules/harp/rules/loop-invariant.dl` is read as it is shipped, and each of its relations stands below once more in Rust, so a
//! change of the one asks for a change of the other. Facts are those of small programs made up of products and sums in
//! loops, over the relations of the schema.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use harp::datalog::{Database, Limits, NoFunctors, Program, Source};
use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};

const SCHEMA: &str = include_str!("../../src/graph/schema.dl");
const RULES: &str = include_str!("../../rules/harp/rules/loop-invariant.dl");
/// What these include: of the loops here none is measured, and none stands in tests.
const MEASURED: &str = include_str!("../../rules/harp/rules/measured.dl");
/// No expression of the generated programs has a shape, so that it has no rows.
const FEW_NUMBERS: &str = include_str!("../../rules/harp/rules/few-numbers.dl");
const FILE: &str = "loop-invariant.dl";

/// A value of a fact or a result, as text.
type Rows = BTreeSet<Vec<String>>;

/// Facts by relation.
type Facts = BTreeMap<&'static str, Rows>;

/// Texts by number, as `crepe` wants values that can be copied.
#[derive(Default)]
struct Texts {
    list: Vec<String>,
    numbers: HashMap<String, u32>,
}

thread_local! {
    static TEXTS: RefCell<Texts> = RefCell::default();
}

fn id(text: &str) -> u32 {
    TEXTS.with_borrow_mut(|texts| match texts.numbers.get(text) {
        Some(number) => *number,
        None => {
            let number = texts.list.len() as u32;
            texts.list.push(text.to_owned());
            texts.numbers.insert(text.to_owned(), number);
            number
        }
    })
}

fn text(id: u32) -> String {
    TEXTS.with_borrow(|texts| texts.list[id as usize].clone())
}

mod compiled {
    use super::{Facts, Rows, id, text};
    use crepe::crepe;

    crepe! {
        @input
        struct Work(u32, i64);
        @input
        struct WorkUnknown(u32);
        @input
        struct RunsOften(u32);
        @input
        struct Trains(u32);
        @input
        struct ExprStmt(u32, u32);
        @input
        struct Inside(u32, u32);
        @input
        struct VariesExpr(u32, u32);
        @input
        struct PlainAccess(u32);
        @input
        struct Call(u32, u32, u32);
        @input
        struct Pure(u32);
        @input
        struct Conditional(u32, u32);
        @input
        struct Part(u32, u32);
        @input
        struct LoopParent(u32, u32);
        @input
        struct TripCount(u32, i64);
        @input
        struct Assigned(u32, u32, u32);
        @input
        struct MutatedIn(u32, u32);
        @input
        struct ComputedFrom(u32, u32, u32);
        @input
        struct Variable(u32, u32);
        @input
        struct SourceText(u32, u32);
        @input
        struct OperandText(u32, u32);
        @input
        struct Header(u32, u32);
        @input
        struct Argument(u32, i64, u32, u32);
        @input
        struct Reads(u32, u32);
        @input
        struct StandsFor(u32, u32);
        @input
        struct Elements(u32, i64);
        @input
        struct Reassociable(u32);
        @input
        struct Def(u32, u32);
        @input
        struct LoopOf(u32, u32);

        @output
        struct Worthwhile(u32);
        @output
        struct Candidate(u32);
        @output
        struct InLoop(u32, u32);
        @output
        struct Steady(u32, u32);
        @output
        struct Expensive(u32);
        @output
        struct Around(u32, u32, u32);
        @output
        struct Largest(u32, u32);
        @output
        struct Movable(u32, u32);
        @output
        struct ChangedLater(u32, u32);
        @output
        struct Before(u32, u32, u32);
        @output
        struct Rewrite(u32, u32, u32, u32, u32);
        @output
        struct Invariant(u32, u32, u32, u32, u32, u32, u32);
        @output
        struct Product(u32, u32, u32);
        @output
        struct Sum(u32, u32, u32, u32);
        @output
        struct Always(u32, u32);
        @output
        struct Distributed(u32, u32, u32, u32, u32, u32, u32, u32);
        @output
        struct Pays(u32, u32);
        @output
        struct ChangedOperand(u32, u32);
        @output
        struct Bracketed(u32, u32, u32);
        @output
        struct MultipliedOut(u32, u32, u32, u32);
        @output
        struct InvariantSum(u32, u32, u32, u32, u32);
        @output
        struct Matters(u32);
        @output
        struct Looped(u32, u32);
        @output
        struct Multiplied(u32);
        @output
        struct Summed(u32, u32);
        @output
        struct Sole(u32, u32, u32);
        @output
        struct Moved(u32, u32, u32);
        @output
        struct AssignedBesides(u32, u32);
        @output
        struct Risk(u32, u32);
        @output
        struct SurelyRuns(u32);
        @output
        struct SummedCode(u32, u32, u32, u32);

        Worthwhile(e) <- Work(e, n), (n >= 100_000);
        Worthwhile(e) <- WorkUnknown(e);
        Candidate(l) <- RunsOften(l), !Trains(l);
        InLoop(e, l) <- Matters(e), ExprStmt(e, s), Inside(s, l);
        Steady(e, l) <- InLoop(e, l), Candidate(l), !VariesExpr(e, l), PlainAccess(e);
        Expensive(e) <- Worthwhile(e), Call(e, _, api), Pure(api);

        Around(e, e, l) <- Expensive(e), ExprStmt(e, s), Inside(s, l), Candidate(l), !Conditional(s, l);
        Around(e, p, l) <- Around(e, q, l), Part(q, p);
        Largest(p, l) <- Around(_, p, l), Steady(p, l), !Part(p, _);
        Largest(p, l) <- Around(_, p, l), Steady(p, l), Part(p, q), VariesExpr(q, l);
        Movable(p, l) <- Largest(p, l), !LoopParent(l, _);
        Movable(p, l) <- Largest(p, l), LoopParent(l, m), VariesExpr(p, m);
        Movable(p, l) <- Largest(p, l), LoopParent(l, m), Trains(m);
        Movable(p, l) <- Largest(p, l), LoopParent(l, m), ExprStmt(p, s), Conditional(s, m);
        Movable(p, l) <- Largest(p, l), LoopParent(l, m), TripCount(m, n), (n <= 5);
        ChangedLater(p, l) <- Assigned(_, v, p), MutatedIn(v, l);
        Before(p, l, joined) <- Movable(p, l), ComputedFrom(p, l, code), let joined = cat(&[&text(code), "\n"]);
        Before(p, l, nothing) <- Movable(p, l), !ComputedFrom(p, l, _), let nothing = id("");
        Moved(s, p, v) <- Before(p, _, _), Assigned(s, v, p), Inside(s, _);
        AssignedBesides(s, v) <- Moved(s, _, v), Def(t, v), (t != s);
        AssignedBesides(s, v) <- Moved(s, _, v), Def(s, w), (w != v);
        Sole(s, p, v) <- Moved(s, p, v), !AssignedBesides(s, v);
        Rewrite(p, l, s, nothing, moved) <- Before(p, l, first), Sole(s, p, v), Variable(v, name), SourceText(p, code),
            let nothing = id(""), let moved = cat(&[&text(first), &text(name), " = ", &text(code)]);
        Rewrite(p, l, p, new, kept) <- Before(p, l, first), !Sole(_, p, _), SourceText(p, code),
            let new = id("product"), let kept = cat(&[&text(first), "product = ", &text(code)]);
        SurelyRuns(l) <- TripCount(l, n), (n > 0);
        Risk(l, none) <- SurelyRuns(l), let none = id("");
        Risk(l, why) <- LoopOf(l, _), !SurelyRuns(l), let why = id("it is computed also where the loop has no iterations");
        Invariant(p, l, code, place, new, first, why) <- Rewrite(p, l, place, new, first), Risk(l, why), !ChangedLater(p, l),
            SourceText(p, code);

        Looped(e, api) <- Call(e, s, api), Pure(api), Inside(s, _);
        Multiplied(e) <- Looped(e, api), (is_one_of(api, &["matmul", "mm", "dot", "__matmul__"]));
        Product(e, a, b) <- Multiplied(e), Argument(e, 0, _, a), Argument(e, 1, _, b);
        Summed(e, sign) <- Looped(e, api), (is_one_of(api, &["sub", "subtract", "__sub__"])), let sign = id(" - ");
        Summed(e, sign) <- Looped(e, api), (is_one_of(api, &["add", "__add__"])), let sign = id(" + ");
        Sum(e, x, y, sign) <- Summed(e, sign), Argument(e, 0, _, x), Argument(e, 1, _, y);
        Matters(p) <- Around(_, p, _);
        Matters(e) <- Product(e, _, _);
        Matters(a) <- Product(_, a, _);
        Matters(x) <- Sum(_, x, _, _);
        Matters(y) <- Sum(_, _, y, _);
        Always(e, l) <- Product(e, _, _), ExprStmt(e, s), Inside(s, l), !Conditional(s, l);
        Distributed(e, l, d, x, m, t, a, sign) <- Product(e, d, w), Steady(d, l), Always(e, l), StandsFor(w, s), Sum(s, x, y, sign),
            Steady(x, l), StandsFor(y, m), Product(m, t, a), Reads(a, _), VariesExpr(a, l), Steady(t, l), InLoop(m, l);
        Distributed(e, l, d, x, m, t, a, plus) <- Product(e, d, w), Steady(d, l), Always(e, l), let plus = id(" + "),
            StandsFor(w, s), Sum(s, y, x, plus), Steady(x, l), StandsFor(y, m), Product(m, t, a), Reads(a, _), VariesExpr(a, l),
            Steady(t, l), InLoop(m, l);
        Pays(e, m) <- Distributed(e, _, _, _, m, _, _, _), Expensive(e), WorkUnknown(e);
        Pays(e, m) <- Distributed(e, _, _, _, m, _, _, _), Expensive(e), WorkUnknown(m);
        Pays(e, m) <- Expensive(e), Work(e, before), Work(m, inner), Elements(m, k), Elements(e, n),
            (k > 0 && n * (inner / k) < before + inner);
        ChangedOperand(a, l) <- Distributed(_, l, _, _, _, _, a, _), Reads(a, v), MutatedIn(v, l);
        SummedCode(e, a, sign, code) <- Distributed(e, _, _, _, _, _, a, sign), OperandText(a, ac),
            let code = cat(&["t1", &text(sign), "t2 @ ", &text(ac)]);
        Bracketed(e, code, code) <- Distributed(e, _, _, _, _, _, a, sign), SummedCode(e, a, sign, code), Assigned(_, _, e);
        Bracketed(e, code, whole) <- Distributed(e, _, _, _, _, _, a, sign), SummedCode(e, a, sign, code), !Assigned(_, _, e),
            let whole = cat(&["(", &text(code), ")"]);
        MultipliedOut(e, l, first, new) <- Distributed(e, l, d, x, m, t, a, sign), Pays(e, m), Reassociable(l), !ChangedOperand(a, l),
            OperandText(d, dc), OperandText(x, xc), OperandText(t, tc), SummedCode(e, a, sign, code), Bracketed(e, code, new),
            let first = cat(&["t1 = ", &text(dc), " @ ", &text(xc), "\nt2 = ", &text(dc), " @ ", &text(tc)]);
        InvariantSum(e, l, code, first, new) <- MultipliedOut(e, l, first, new), SourceText(e, code);
    }

    fn cat(parts: &[&str]) -> u32 {
        id(&parts.concat())
    }

    /// What `match("(.*\\.)?(a|b)", api)` says.
    fn is_one_of(api: u32, names: &[&str]) -> bool {
        let api = text(api);
        names.contains(&api.rsplit('.').next().unwrap_or(""))
    }

    fn number(text: &str) -> i64 {
        text.parse().expect("a number")
    }

    /// The rows of every relation, by its name in the rule file.
    pub fn run(facts: &Facts) -> Vec<(&'static str, Rows)> {
        let mut runtime = Crepe::new();
        let rows = |name: &str| facts.get(name).into_iter().flatten();
        macro_rules! load {
            ($($name:literal $relation:ident ($($kind:ident $column:literal),*))*) => {
                $(runtime.extend(rows($name).map(|row| $relation($($kind(&row[$column])),*)));)*
            };
        }
        load! {
            "work" Work(id 0, number 1)
            "work_unknown" WorkUnknown(id 0)
            "runs_often" RunsOften(id 0)
            "trains" Trains(id 0)
            "expr_stmt" ExprStmt(id 0, id 1)
            "inside" Inside(id 0, id 1)
            "varies_expr" VariesExpr(id 0, id 1)
            "plain_access" PlainAccess(id 0)
            "call" Call(id 0, id 1, id 2)
            "pure" Pure(id 0)
            "conditional" Conditional(id 0, id 1)
            "part" Part(id 0, id 1)
            "loop_parent" LoopParent(id 0, id 1)
            "trip_count" TripCount(id 0, number 1)
            "assigned" Assigned(id 0, id 1, id 2)
            "mutated_in" MutatedIn(id 0, id 1)
            "computed_from" ComputedFrom(id 0, id 1, id 2)
            "variable" Variable(id 0, id 1)
            "text" SourceText(id 0, id 1)
            "operand_text" OperandText(id 0, id 1)
            "header" Header(id 0, id 1)
            "argument" Argument(id 0, number 1, id 2, id 3)
            "reads" Reads(id 0, id 1)
            "stands_for" StandsFor(id 0, id 1)
            "elements" Elements(id 0, number 1)
            "reassociable" Reassociable(id 0)
            "def" Def(id 0, id 1)
            "loop" LoopOf(id 0, id 1)
        }
        let results = runtime.run();
        macro_rules! rows {
            ($($place:tt $name:literal ($($column:tt),*))*) => {
                vec![$(($name, results.$place.iter().map(|row| vec![$(text(row.$column)),*]).collect())),*]
            };
        }
        rows! {
            0 "worthwhile" (0)
            1 "candidate" (0)
            2 "in_loop" (0, 1)
            3 "steady" (0, 1)
            4 "expensive" (0)
            5 "around" (0, 1, 2)
            6 "largest" (0, 1)
            7 "movable" (0, 1)
            8 "changed_later" (0, 1)
            9 "before" (0, 1, 2)
            10 "rewrite" (0, 1, 2, 3, 4)
            11 "invariant" (0, 1, 2, 3, 4, 5, 6)
            12 "product" (0, 1, 2)
            13 "total" (0, 1, 2, 3)
            14 "always" (0, 1)
            15 "distributed" (0, 1, 2, 3, 4, 5, 6, 7)
            16 "pays" (0, 1)
            17 "changed_operand" (0, 1)
            18 "bracketed" (0, 1, 2)
            19 "multiplied_out" (0, 1, 2, 3)
            20 "invariant_sum" (0, 1, 2, 3, 4)
            21 "matters" (0)
            22 "looped" (0, 1)
            23 "multiplied" (0)
            24 "summed" (0, 1)
            25 "sole" (0, 1, 2)
            26 "moved" (0, 1, 2)
            27 "assigned_besides" (0, 1)
            28 "risk" (0, 1)
            29 "surely_runs" (0)
            30 "summed_code" (0, 1, 2, 3)
        }
    }
}

/// Makes up programs: loops, some in each other, with statements of products and sums.
struct Generator {
    choices: Vec<u8>,
    at: usize,
    facts: Facts,
    expressions: usize,
}

const APIS: [&str; 9] = [
    "torch.matmul",
    "numpy.dot",
    "torch.Tensor.__matmul__",
    "mm",
    "torch.matmuls",
    "torch.add",
    "torch.Tensor.__add__",
    "torch.sub",
    "numpy.subtract",
];

impl Generator {
    fn pick(&mut self, below: usize) -> usize {
        self.at += 1;
        self.choices.get(self.at - 1).map_or(0, |choice| *choice as usize % below)
    }

    /// Whether something holds that does so in this many of ten cases.
    fn chance(&mut self, of_ten: usize) -> bool {
        self.pick(10) < of_ten
    }

    fn add(&mut self, relation: &'static str, row: &[&str]) {
        self.facts.entry(relation).or_default().insert(row.iter().map(|&cell| cell.to_owned()).collect());
    }

    fn program(mut self) -> Facts {
        for api in APIS {
            if self.chance(9) {
                self.add("pure", &[api]);
            }
        }
        for variable in 0..3 {
            self.add("variable", &[&format!("v{variable}"), &format!("name{variable}")]);
        }
        let loops = 1 + self.pick(3);
        for number in 0..loops {
            self.one_loop(number);
        }
        for number in 0..1 + self.pick(3) {
            self.statement(&format!("s{number}"), loops);
        }
        self.facts
    }

    fn one_loop(&mut self, number: usize) {
        let this = format!("l{number}");
        self.add("header", &[&this, &format!("for i in range({number})")]);
        self.add("loop", &[&this, "range"]);
        if self.chance(9) {
            self.add("runs_often", &[&this]);
        }
        if self.chance(1) {
            self.add("trains", &[&this]);
        }
        if self.chance(8) {
            self.add("reassociable", &[&this]);
        }
        if self.chance(4) {
            let count = (3 + self.pick(5)).to_string();
            self.add("trip_count", &[&this, &count]);
        }
        if number > 0 && self.chance(7) {
            self.add("loop_parent", &[&this, &format!("l{}", number - 1)]);
        }
        if self.chance(3) {
            let variable = format!("v{}", self.pick(3));
            self.add("mutated_in", &[&variable, &this]);
        }
    }

    fn statement(&mut self, statement: &str, loops: usize) {
        let innermost = self.pick(loops);
        for number in 0..=innermost {
            self.add("inside", &[statement, &format!("l{number}")]);
            if self.chance(1) {
                self.add("conditional", &[statement, &format!("l{number}")]);
            }
        }
        let root = if self.chance(5) {
            self.distributed(statement, innermost)
        } else {
            self.expression(statement, innermost, 3)
        };
        if self.chance(5) {
            let variable = format!("v{}", self.pick(3));
            self.add("assigned", &[statement, &variable, &root]);
            self.add("def", &[statement, &variable]);
        }
        if self.chance(2) {
            let other = format!("v{}", self.pick(3));
            self.add("def", &[statement, &other]);
        }
    }

    /// `d @ (x ± t @ a)`, mostly.
    fn distributed(&mut self, statement: &str, innermost: usize) -> String {
        let [t, a] = [0, 1].map(|_| self.expression(statement, innermost, 0));
        let product = self.pick(4);
        let m = self.call(statement, innermost, product, [&t, &a]);
        let x = self.expression(statement, innermost, 0);
        let sum = 5 + self.pick(4);
        let operands = if self.chance(7) { [&x, &m] } else { [&m, &x] };
        let s = self.call(statement, innermost, sum, operands);
        let d = self.expression(statement, innermost, 0);
        let product = self.pick(4);
        self.add("varies_expr", &[&a, &format!("l{innermost}")]);
        self.call(statement, innermost, product, [&d, &s])
    }

    fn expression(&mut self, statement: &str, innermost: usize, depth: usize) -> String {
        if depth == 0 || self.chance(3) {
            let read = self.known(statement, innermost, 2);
            let variable = format!("v{}", self.pick(3));
            self.add("reads", &[&read, &variable]);
            return read;
        }
        let [left, right] = [0, 1].map(|_| self.expression(statement, innermost, depth - 1));
        let api = self.pick(APIS.len());
        self.call(statement, innermost, api, [&left, &right])
    }

    fn call(&mut self, statement: &str, innermost: usize, api: usize, operands: [&String; 2]) -> String {
        let call = self.known(statement, innermost, 1);
        self.add("call", &[&call, statement, APIS[api]]);
        for (index, operand) in operands.into_iter().enumerate() {
            self.add("argument", &[&call, &index.to_string(), ["input", "other"][index], operand]);
            self.add("part", &[operand, &call]);
        }
        match self.pick(4) {
            0 => self.add("work_unknown", &[&call]),
            one => self.add("work", &[&call, ["99999", "100000", "5000000"][one - 1]]),
        }
        if self.chance(8) {
            let count = [0, 10, 1000, 100_000][self.pick(4)].to_string();
            self.add("elements", &[&call, &count]);
        }
        call
    }

    /// What is known of any expression.
    fn known(&mut self, statement: &str, innermost: usize, varies: usize) -> String {
        let this = format!("e{}", self.expressions);
        self.expressions += 1;
        self.add("expr_stmt", &[&this, statement]);
        self.add("plain_access", &[&this]);
        self.add("text", &[&this, &format!("text of {this}")]);
        self.add("operand_text", &[&this, &format!("({this})")]);
        self.add("stands_for", &[&this, &this]);
        if self.expressions > 1 && self.chance(1) {
            let other = format!("e{}", self.pick(self.expressions));
            self.add("stands_for", &[&this, &other]);
        }
        for number in 0..=innermost {
            let number = format!("l{number}");
            if self.chance(varies) {
                self.add("varies_expr", &[&this, &number]);
            }
            if self.chance(2) {
                self.add("computed_from", &[&this, &number, &format!("{this} = h({number})")]);
            }
        }
        this
    }
}

/// The rows of every relation that the shipped file declares.
fn interpreted(program: &Program, facts: &Facts) -> Vec<(String, Rows)> {
    let mut database = Database::new();
    for (name, rows) in facts {
        let relation = program.describe(program.relation(name).expect("the schema declares it"));
        for row in rows {
            let cells: Vec<_> = row
                .iter()
                .zip(&relation.columns)
                .map(|(cell, column)| match column.base {
                    harp::datalog::Base::Number => database.number(cell.parse().expect("a number")),
                    harp::datalog::Base::Symbol => database.symbol(cell),
                })
                .collect();
            database.insert(name, &cells, &[]);
        }
    }
    let evaluation = program.evaluate(database, &Limits::default());
    assert!(evaluation.warnings.is_empty(), "{:?}", evaluation.warnings);
    let declared = program.relations().into_iter().filter(|relation| relation.source == FILE);
    declared
        .map(|relation| {
            let rows = evaluation.rows(relation.id);
            (relation.name, rows.iter().map(|row| row.iter().map(ToString::to_string).collect()).collect())
        })
        .collect()
}

#[test]
fn the_shipped_rules_agree_with_compiled_ones() {
    let program = Program::compile(
        &[Source::new("schema.dl", SCHEMA)],
        &[Source::new(FILE, RULES), Source::new("measured.dl", MEASURED), Source::new("few-numbers.dl", FEW_NUMBERS)],
        &NoFunctors,
    )
    .expect("the rules are in order");
    let filled: RefCell<BTreeMap<String, usize>> = RefCell::default();
    let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    let fewest = config.cases as usize / 100;
    // The same programs each time: how many of them fill a relation is not left to chance.
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let outcome = runner.run(&proptest::collection::vec(any::<u8>(), 400), |choices| {
        let facts = Generator { choices, at: 0, facts: Facts::new(), expressions: 0 }.program();
        let mut expected: Vec<(String, Rows)> =
            compiled::run(&facts).into_iter().map(|(name, rows)| (name.to_owned(), rows)).collect();
        let mut found = interpreted(&program, &facts);
        expected.sort();
        found.sort();
        for (name, rows) in &found {
            *filled.borrow_mut().entry(name.clone()).or_default() += usize::from(!rows.is_empty());
        }
        prop_assert_eq!(&found, &expected, "{:#?}", facts);
        Ok(())
    });
    if let Err(error) = outcome {
        panic!("{error}");
    }
    // Rules without rows would agree without saying anything.
    let filled = filled.into_inner();
    assert!(filled.len() > 20 && filled.values().all(|count| *count >= fewest), "{filled:?}");
}
