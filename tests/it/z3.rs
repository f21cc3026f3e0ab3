//! The solver beside Z3, on generated questions.
//!
//! Z3's answers are recorded in `tests/data/z3.txt`, one letter a question, so that the comparison is made on every machine. A run asks every fourth
//! question; with `HARP_ALL_QUESTIONS=1` it asks all. With `HARP_Z3_LIVE=1` the program `z3` on the `PATH` is asked again, whose answers depend on how fast
//! the machine is, and `HARP_Z3_RECORD=1` writes its answers down.
//! `HARP_Z3_MISSED=FILE` lists what Z3 decides and Harp does not.

mod questions;
mod smt;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use harp::cli::z3::{self, Budget, Z3};
use harp::shape::notation::{Actual, Scope};
use harp::shape::{Constraint, Dim, Oracle, Solver, Var, VarInfo, Verdict, forget_everything};

use questions::{Question, Random, question};

/// `HARP_Z3_SEED` gives another one, whose questions only a live `z3` answers.
const SEED: u64 = 4;
const COUNT: usize = 10_000;
/// One question in so many is asked where not all are.
const PART: usize = 4;
const RECORD: &str = "tests/data/z3.txt";
/// What Z3 may take for one question.
const BUDGET: Budget = Budget { time: Duration::from_millis(100), work: 0 };
/// Of what Z3 decides, the part in percent that must be decided without it.
const WANTED: usize = 95;

/// What is certain of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Answer {
    Holds,
    Violated,
    /// True for some values and false for others.
    Open,
    /// The facts contradict each other.
    Absurd,
    Unknown,
}

impl Answer {
    const LETTERS: [(Answer, char); 5] = [
        (Answer::Holds, 'h'),
        (Answer::Violated, 'v'),
        (Answer::Open, 'o'),
        (Answer::Absurd, 'a'),
        (Answer::Unknown, '?'),
    ];

    fn letter(self) -> char {
        Answer::LETTERS.iter().find(|(answer, _)| *answer == self).map_or('?', |(_, letter)| *letter)
    }

    fn of_letter(wanted: char) -> Answer {
        Answer::LETTERS.iter().find(|(_, letter)| *letter == wanted).map_or(Answer::Unknown, |(answer, _)| *answer)
    }
}

fn generated(seed: u64) -> Vec<Question> {
    let mut random = Random::new(seed);
    (0..COUNT).map(|_| question(&mut random)).collect()
}

/// The program `z3`, where it is to be asked.
fn live() -> Option<std::path::PathBuf> {
    let program =
        std::env::var_os("HARP_Z3_LIVE").or_else(|| std::env::var_os("HARP_Z3_RECORD")).and_then(|_| z3::find());
    if program.is_none() {
        eprintln!("without HARP_Z3_LIVE=1 and a program `z3` on the PATH: only its recorded answers are compared");
    }
    program
}

fn text(question: &Question) -> String {
    let mut text = String::new();
    for variable in &question.variables {
        let upper = variable.upper.map(|upper| format!(" <= {upper}")).unwrap_or_default();
        let default = variable.default.map(|default| format!(" (default {default})")).unwrap_or_default();
        write!(text, "{} <= {}{upper}{default}; ", variable.lower, variable.name).unwrap();
    }
    for fact in &question.facts {
        write!(text, "{fact}; ").unwrap();
    }
    format!("{text}=> {}", question.claim)
}

/// What Z3 says. With settings, `violated` is meant at their defaults, and Z3 is asked so.
fn ask(z3: &mut Z3, question: &Question) -> Answer {
    let claim = smt::claim(question);
    let (everywhere, at_defaults) = (smt::premises(question, false), smt::premises(question, true));
    let can_fail = z3.is_satisfiable(&format!("{everywhere}(assert (not {claim}))"));
    let can_hold = z3.is_satisfiable(&format!("{at_defaults}(assert {claim})"));
    match (can_hold, can_fail) {
        (Some(true), Some(true)) => Answer::Open,
        (Some(false), Some(false)) => Answer::Absurd,
        // Defaults may contradict facts that the variables satisfy otherwise, and then the claim cannot hold at them even where it is true.
        (Some(false), None) if has_settings(question) => Answer::Unknown,
        // One answer is enough to exclude the contrary, and is a decision unless the facts are absurd.
        (_, Some(false)) => Answer::Holds,
        (Some(false), _) => Answer::Violated,
        _ => Answer::Unknown,
    }
}

/// What Harp says.
fn judge(question: &Question, oracle: Option<Arc<dyn Oracle>>) -> (Answer, Verdict) {
    let vars: BTreeMap<&str, Dim> = question
        .variables
        .iter()
        .map(|variable| {
            let info = match variable.default {
                Some(default) => VarInfo::config(variable.name, default),
                None => VarInfo::fixed(variable.name),
            };
            (variable.name, Dim::var(Var::fresh(info.between(Some(variable.lower), variable.upper))))
        })
        .collect();
    let value = |name: &str| vars.get(name).map_or(Actual::Unknown, |dim| Actual::Integer(*dim));
    let mut scope = Scope::new(&value);
    let mut solver = Solver::with_oracle(oracle);
    let mut constraint = |condition| -> Constraint {
        scope.condition(condition, &mut Solver::new()).unwrap_or_else(|| panic!("{condition} has a value"))
    };
    let (facts, claim): (Vec<Constraint>, Constraint) =
        (question.facts.iter().map(&mut constraint).collect(), constraint(&question.claim));
    facts.iter().for_each(|fact| solver.assume(fact));
    let verdict = solver.judge(&claim);
    let answer = match &verdict {
        _ if solver.is_contradictory() => Answer::Absurd,
        Verdict::Holds => Answer::Holds,
        Verdict::Violated => Answer::Violated,
        Verdict::Possible(_) => Answer::Open,
        Verdict::Unknown => Answer::Unknown,
    };
    (answer, verdict)
}

fn has_settings(question: &Question) -> bool {
    question.variables.iter().any(|variable| variable.default.is_some())
}

/// Whether both can be right.
fn agree(question: &Question, harp: Answer, z3: Answer) -> bool {
    // Where settings' defaults contradict the facts, the truth at the defaults is a matter of words.
    match (harp, z3) {
        (_, Answer::Unknown) | (Answer::Unknown, _) | (_, Answer::Absurd) => true,
        (Answer::Absurd, _) => false,
        (Answer::Open, Answer::Violated) if has_settings(question) => true,
        (harp, z3) => harp == z3,
    }
}

/// Answers every question in the same way.
#[derive(Debug)]
struct Always(Option<bool>);

impl Oracle for Always {
    fn is_satisfiable(&self, assertions: &str) -> Option<bool> {
        assert!(assertions.contains("(assert "), "{assertions}");
        self.0
    }
}

#[test]
fn an_oracle_decides_only_what_stays_unknown() {
    for question in generated(SEED).iter().take(1_000) {
        let (alone, _) = judge(question, None);
        assert_eq!(judge(question, Some(Arc::new(Always(None)))).0, alone);
        let (asked, _) = judge(question, Some(Arc::new(Always(Some(false)))));
        assert!(asked == alone || alone == Answer::Unknown, "{}", text(question));
    }
}

/// The questions that the solver alone leaves open, through the whole way: its own forms, the text, the process.
#[test]
fn z3_decides_what_the_solver_leaves_open() {
    let Some(program) = live() else { return };
    let oracle = z3::shared(&program, BUDGET);
    let mut z3 = Z3::new(&program, BUDGET);
    let (mut open, mut decided) = (0, 0);
    for question in generated(SEED).iter().take(4_000).filter(|question| judge(question, None).0 == Answer::Unknown) {
        let truth = ask(&mut z3, question);
        if !matches!(truth, Answer::Holds | Answer::Violated) {
            continue;
        }
        let (answer, verdict) = judge(question, Some(Arc::clone(&oracle)));
        assert!(agree(question, answer, truth), "{}: {verdict:?}, z3: {truth:?}", text(question));
        open += 1;
        decided += usize::from(answer != Answer::Unknown);
    }
    println!("Of {open} questions that the solver leaves open, {decided} are decided with z3");
    assert!(decided * 2 >= open, "{decided} of {open}");
}

#[test]
fn the_solver_agrees_with_z3() {
    let other = std::env::var("HARP_Z3_SEED").ok().and_then(|text| text.parse().ok());
    let questions = generated(other.unwrap_or(SEED));
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(RECORD);
    let live = live().map(|program| {
        let mut z3 = Z3::new(&program, BUDGET);
        questions.iter().map(|question| ask(&mut z3, question)).collect::<Vec<_>>()
    });
    if let (Some(answers), true, None) = (&live, std::env::var_os("HARP_Z3_RECORD").is_some(), other) {
        std::fs::write(&path, record(answers)).expect("the record can be written");
    }
    if let Some(answers) = &live {
        compare("z3", questions.iter().zip(answers));
    }
    if other.is_some() {
        return;
    }
    let recorded: Vec<Answer> = std::fs::read_to_string(&path)
        .unwrap_or_default()
        .lines()
        .filter(|line| !line.starts_with('#'))
        .flat_map(|line| line.chars().map(Answer::of_letter))
        .collect();
    assert_eq!(recorded.len(), COUNT, "HARP_Z3_RECORD=1 records the answers of `z3`");
    let part = if std::env::var_os("HARP_ALL_QUESTIONS").is_some() { 1 } else { PART };
    compare("the record of z3", questions.iter().zip(&recorded).step_by(part));
}

fn record(answers: &[Answer]) -> String {
    let letters: Vec<char> = answers.iter().map(|answer| answer.letter()).collect();
    let mut text = "# What Z3 says within 100 ms of the questions that tests/z3 generates, in order:\n\
                    # h holds, v violated, o true for some values and false for others, a the facts are absurd, ? unknown.\n"
        .to_owned();
    for line in letters.chunks(100) {
        text.extend(line);
        text.push('\n');
    }
    text
}

fn compare<'a>(whose: &str, answered: impl Iterator<Item = (&'a Question, &'a Answer)>) {
    let mut wrong = Vec::new();
    let mut counts: BTreeMap<Answer, [usize; 2]> = BTreeMap::new();
    let mut missed = Vec::new();
    let mut asked = 0;
    for (question, z3) in answered {
        asked += 1;
        if asked % 500 == 0 {
            forget_everything();
        }
        let (harp, verdict) = judge(question, None);
        if !agree(question, harp, *z3) {
            wrong.push(format!("{}\n    Harp: {verdict:?}, z3: {z3:?}", text(question)));
        }
        let count = counts.entry(*z3).or_default();
        count[0] += 1;
        count[1] += usize::from(harp != Answer::Unknown);
        if harp == Answer::Unknown && !matches!(z3, Answer::Unknown | Answer::Absurd) {
            missed.push(format!("{z3:?}: {}", text(question)));
        }
    }
    println!("Of {asked} questions, {whose} says:");
    for (answer, [all, decided]) in &counts {
        println!("{answer:?} {all}, of which Harp decides {decided}");
    }
    if let Some(path) = std::env::var_os("HARP_Z3_MISSED") {
        std::fs::write(path, missed.join("\n")).expect("the list can be written");
    }
    assert!(wrong.is_empty(), "{} disagreements\n{}", wrong.len(), wrong.join("\n"));
    for answer in [Answer::Holds, Answer::Violated, Answer::Open] {
        let [all, decided] = counts.get(&answer).copied().unwrap_or_default();
        assert!(
            decided * 100 >= all * WANTED,
            "of {all} claims of which {whose} says {answer:?}, {decided} are decided"
        );
    }
}
