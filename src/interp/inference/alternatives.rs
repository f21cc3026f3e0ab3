//! The paths of a function become the cases of its signature: cases that agree fall together, and what one way rejects becomes a requirement
//! of the other.

use crate::entries::containment::DEFECT;
use crate::inference::path_choices::Choice;
use crate::inference::paths::Ending;
use harp_trace::assumption::Assumption;
use harp_trace::inferred_signature::{Alternative, Pattern, Problem};

/// A path with its choices, each with its condition as the program writes it.
pub(super) struct Followed {
    pub choices: Vec<(Choice, String)>,
    pub ending: Ending,
}

/// An alternative, with what each choice on the way to it says of the arguments.
struct Case {
    alternative: Alternative,
    choices: Vec<Option<Vec<String>>>,
}

/// What is known below a choice.
#[derive(Default)]
struct Cases {
    alternatives: Vec<Case>,
    problems: Vec<Problem>,
    /// Whether a way was rejected by the program itself.
    raises: bool,
}

/// The cases, and what stands in the way of more.
pub(super) fn collapse(followed: Vec<Followed>) -> (Vec<Alternative>, Vec<Problem>) {
    let mut cases = below(followed, 0);
    if cases.alternatives.is_empty() && cases.problems.is_empty() {
        cases.problems.push(Problem { text: "every path through it raises an exception".to_owned(), span: None });
    }
    cases.problems.dedup();
    (cases.alternatives.into_iter().map(|case| case.alternative).collect(), cases.problems)
}

/// The cases of paths that agree on their first `depth` choices.
fn below(followed: Vec<Followed>, depth: usize) -> Cases {
    let is_over = followed.iter().any(|path| path.choices.len() <= depth);
    if is_over {
        return followed.into_iter().next().map(end).unwrap_or_default();
    }
    let mut arms: Vec<(usize, String, Vec<Followed>)> = Vec::new();
    for path in followed {
        let (taken, text) = (path.choices[depth].0.taken, path.choices[depth].1.clone());
        match arms.iter_mut().find(|(arm, _, _)| *arm == taken) {
            Some((_, _, paths)) => paths.push(path),
            None => arms.push((taken, text, vec![path])),
        }
    }
    arms.sort_by_key(|(taken, _, _)| *taken);
    let cases: Vec<(String, Cases)> =
        arms.into_iter().map(|(_, text, paths)| (text, below(paths, depth + 1))).collect();
    merge(cases, depth)
}

fn end(path: Followed) -> Cases {
    match path.ending {
        Ending::Returns(alternative, choices) => {
            Cases { alternatives: vec![Case { alternative: *alternative, choices }], ..Cases::default() }
        }
        Ending::Raises => Cases { raises: true, ..Cases::default() },
        Ending::Clashes(clash) => {
            let alternative = Alternative {
                conditions: Vec::new(),
                parameters: Vec::new(),
                result: Pattern::Other("nothing".to_owned()),
                requirements: Vec::new(),
                assumptions: Vec::new(),
                not_understood: Vec::new(),
                clash: Some(clash),
            };
            Cases { alternatives: vec![Case { alternative, choices: Vec::new() }], ..Cases::default() }
        }
        Ending::Exhausted(what) => {
            let text = match what {
                DEFECT => format!("of {DEFECT}"),
                what => format!("it takes more {what} than the analysis has"),
            };
            let problem = Problem { text, span: None };
            Cases { problems: vec![problem], ..Cases::default() }
        }
    }
}

/// One set of cases for the arms of the choice at `depth`.
fn merge(arms: Vec<(String, Cases)>, depth: usize) -> Cases {
    let mut merged = Cases { raises: arms.iter().all(|(_, arm)| is_rejected(arm)), ..Cases::default() };
    let rejects = arms.iter().any(|(_, arm)| is_rejected(arm));
    let mut open: Vec<(String, Vec<Case>)> = Vec::new();
    for (text, arm) in arms {
        merged.problems.extend(arm.problems);
        if !arm.alternatives.is_empty() {
            open.push((text, arm.alternatives));
        }
    }
    if let [(text, cases)] = &mut open[..] {
        if rejects {
            cases.iter_mut().for_each(|case| require(case, text, depth));
        }
        merged.alternatives = std::mem::take(cases);
        return merged;
    }
    let agree = open.windows(2).all(|pair| agree(&pair[0].1, &pair[1].1));
    if agree && !rejects {
        let mut arms = open.into_iter().map(|(_, alternatives)| alternatives);
        let mut all = arms.next().unwrap_or_default();
        for others in arms {
            for (case, other) in all.iter_mut().zip(others) {
                join(&mut case.alternative, other.alternative);
            }
        }
        merged.alternatives = all;
        return merged;
    }
    for (text, cases) in open {
        for mut case in cases {
            if !text.is_empty() && !case.alternative.conditions.contains(&text) {
                case.alternative.conditions.insert(0, text.clone());
            }
            merged.alternatives.push(case);
        }
    }
    merged
}

/// Requires what the choice at `depth` says, because the program rejects what takes the other ways.
fn require(case: &mut Case, text: &str, depth: usize) {
    let said = case.choices.get(depth).cloned().flatten();
    let required = said.unwrap_or_else(|| vec![text.to_owned()]);
    for requirement in required {
        let known = &mut case.alternative.requirements;
        if !requirement.is_empty() && !known.contains(&requirement) {
            known.push(requirement);
        }
    }
}

fn is_rejected(cases: &Cases) -> bool {
    cases.raises && cases.alternatives.is_empty() && cases.problems.is_empty()
}

/// Whether two arms give the same signatures under the same further conditions.
fn agree(left: &[Case], right: &[Case]) -> bool {
    left.len() == right.len()
        && left.iter().zip(right).all(|(left, right)| {
            let (a, b) = (&left.alternative, &right.alternative);
            a.conditions == b.conditions
                && a.requirements == b.requirements
                && a.clash == b.clash
                && a.result.to_string() == b.result.to_string()
                && a.parameters.len() == b.parameters.len()
                && a.parameters.iter().zip(&b.parameters).all(|(a, b)| a.to_string() == b.to_string())
        })
}

/// Adds what the other one rests on.
fn join(alternative: &mut Alternative, other: Alternative) {
    let is_known = |known: &[Assumption], text: &str| known.iter().any(|assumption| assumption.text == text);
    for assumption in other.assumptions {
        if !is_known(&alternative.assumptions, &assumption.text) {
            alternative.assumptions.push(assumption);
        }
    }
    alternative.assumptions.sort_by(|a, b| (a.span, &a.text).cmp(&(b.span, &b.text)));
    for problem in other.not_understood {
        if !alternative.not_understood.contains(&problem) {
            alternative.not_understood.push(problem);
        }
    }
}
