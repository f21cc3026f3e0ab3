//! Properties that must hold for all expressions, checked on random ones against plain evaluation.

use proptest::prelude::*;

use crate::evaluator::Evaluator;
use crate::formula::Formula;
use crate::*;

/// An expression as written, before any canonical form.
#[derive(Clone, Debug)]
enum Tree {
    Constant(i64),
    Var(usize),
    Binary(Operator, Box<Tree>, Box<Tree>),
}

#[derive(Clone, Copy, Debug)]
enum Operator {
    Add,
    Subtract,
    Multiply,
    FloorDivide,
    Modulo,
    CeilDivide,
    Minimum,
    Maximum,
}

const OPERATORS: [Operator; 8] = [
    Operator::Add,
    Operator::Subtract,
    Operator::Multiply,
    Operator::FloorDivide,
    Operator::Modulo,
    Operator::CeilDivide,
    Operator::Minimum,
    Operator::Maximum,
];

/// Number of variables in the expressions.
const VARS: usize = 3;

impl Tree {
    fn dim(&self, vars: &[Var]) -> Dim {
        match self {
            Tree::Constant(value) => Dim::constant(*value),
            Tree::Var(index) => Dim::var(vars[*index]),
            Tree::Binary(operator, left, right) => {
                let (left, right) = (left.dim(vars), right.dim(vars));
                match operator {
                    Operator::Add => left + right,
                    Operator::Subtract => left - right,
                    Operator::Multiply => left * right,
                    Operator::FloorDivide => left.floor_div(right),
                    Operator::Modulo => left.modulo(right),
                    Operator::CeilDivide => left.ceil_div(right),
                    Operator::Minimum => left.min(right),
                    Operator::Maximum => left.max(right),
                }
            }
        }
    }

    /// The value by Python's rules; `None` for a division by zero.
    fn value(&self, values: &[i64]) -> Option<i128> {
        match self {
            Tree::Constant(value) => Some(i128::from(*value)),
            Tree::Var(index) => Some(i128::from(values[*index])),
            Tree::Binary(operator, left, right) => {
                let (left, right) = (left.value(values)?, right.value(values)?);
                let floor = |a: i128, b: i128| {
                    let quotient = a.checked_div(b)?;
                    Some(if a % b != 0 && (a < 0) != (b < 0) { quotient - 1 } else { quotient })
                };
                match operator {
                    Operator::Add => left.checked_add(right),
                    Operator::Subtract => left.checked_sub(right),
                    Operator::Multiply => left.checked_mul(right),
                    Operator::FloorDivide => floor(left, right),
                    Operator::Modulo => {
                        floor(left, right).and_then(|quotient| left.checked_sub(right.checked_mul(quotient)?))
                    }
                    Operator::CeilDivide => floor(left.checked_neg()?, right).map(|quotient| -quotient),
                    Operator::Minimum => Some(left.min(right)),
                    Operator::Maximum => Some(left.max(right)),
                }
            }
        }
    }
}

/// Expressions with numbers at the limits of 64 bits.
fn extreme_trees() -> impl Strategy<Value = Tree> {
    let numbers = vec![i64::MIN, i64::MIN + 1, i64::MAX, i64::MAX - 1, i64::MIN / 2, i64::MAX / 2 + 1, -1, 0, 1, 2, 3];
    let leaf = prop_oneof![(0..VARS).prop_map(Tree::Var), prop::sample::select(numbers).prop_map(Tree::Constant)];
    leaf.prop_recursive(4, 16, 2, |inner| {
        (prop::sample::select(OPERATORS.to_vec()), inner.clone(), inner)
            .prop_map(|(operator, a, b)| Tree::Binary(operator, Box::new(a), Box::new(b)))
    })
}

fn trees(depth: u32) -> impl Strategy<Value = Tree> {
    let leaf = prop_oneof![3 => (0..VARS).prop_map(Tree::Var), 2 => (-4_i64..9).prop_map(Tree::Constant)];
    leaf.prop_recursive(depth, 16, 2, |inner| {
        (prop::sample::select(OPERATORS.to_vec()), inner.clone(), inner)
            .prop_map(|(operator, a, b)| Tree::Binary(operator, Box::new(a), Box::new(b)))
    })
}

/// A constraint as written.
#[derive(Clone, Debug)]
enum Claim {
    Equal(Tree, Tree),
    NotEqual(Tree, Tree),
    Less(Tree, Tree),
    LessEqual(Tree, Tree),
    Divides(Tree, Tree),
    Broadcastable(Tree, Tree),
    Either(Box<Claim>, Box<Claim>),
    Both(Box<Claim>, Box<Claim>),
    Not(Box<Claim>),
}

impl Claim {
    fn constraint(&self, vars: &[Var]) -> Constraint {
        match self {
            Claim::Equal(a, b) => Constraint::Equal(a.dim(vars), b.dim(vars)),
            Claim::NotEqual(a, b) => Constraint::NotEqual(a.dim(vars), b.dim(vars)),
            Claim::Less(a, b) => Constraint::Less(a.dim(vars), b.dim(vars)),
            Claim::LessEqual(a, b) => Constraint::LessEqual(a.dim(vars), b.dim(vars)),
            Claim::Divides(a, b) => Constraint::Divides { divisor: a.dim(vars), value: b.dim(vars) },
            Claim::Broadcastable(a, b) => Constraint::Broadcastable(a.dim(vars), b.dim(vars)),
            Claim::Either(a, b) => Constraint::Or(vec![a.constraint(vars), b.constraint(vars)]),
            Claim::Both(a, b) => Constraint::And(vec![a.constraint(vars), b.constraint(vars)]),
            Claim::Not(inner) => Constraint::Not(Box::new(inner.constraint(vars))),
        }
    }

    fn value(&self, values: &[i64]) -> Option<bool> {
        let pair = |a: &Tree, b: &Tree| Some((a.value(values)?, b.value(values)?));
        Some(match self {
            Claim::Equal(a, b) => pair(a, b).map(|(a, b)| a == b)?,
            Claim::NotEqual(a, b) => pair(a, b).map(|(a, b)| a != b)?,
            Claim::Less(a, b) => pair(a, b).map(|(a, b)| a < b)?,
            Claim::LessEqual(a, b) => pair(a, b).map(|(a, b)| a <= b)?,
            Claim::Divides(a, b) => pair(a, b).and_then(|(a, b)| b.checked_rem(a)).map(|rest| rest == 0)?,
            Claim::Broadcastable(a, b) => pair(a, b).map(|(a, b)| a == b || a == 1 || b == 1)?,
            Claim::Either(a, b) => a.value(values)? | b.value(values)?,
            Claim::Both(a, b) => a.value(values)? & b.value(values)?,
            Claim::Not(inner) => !inner.value(values)?,
        })
    }
}

fn claims() -> impl Strategy<Value = Claim> {
    let pair = || (trees(2), trees(2));
    let leaf = prop_oneof![
        3 => pair().prop_map(|(a, b)| Claim::Equal(a, b)),
        1 => pair().prop_map(|(a, b)| Claim::NotEqual(a, b)),
        1 => pair().prop_map(|(a, b)| Claim::Less(a, b)),
        1 => pair().prop_map(|(a, b)| Claim::LessEqual(a, b)),
        1 => pair().prop_map(|(a, b)| Claim::Divides(a, b)),
        1 => pair().prop_map(|(a, b)| Claim::Broadcastable(a, b)),
    ];
    leaf.prop_recursive(1, 3, 2, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(a, b)| Claim::Either(Box::new(a), Box::new(b))),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| Claim::Both(Box::new(a), Box::new(b))),
            inner.prop_map(|a| Claim::Not(Box::new(a))),
        ]
    })
}

/// Variables with small ranges, so that all their values can be tried.
fn infos(kinds: &'static [VarKind]) -> impl Strategy<Value = Vec<VarInfo>> {
    let info =
        (prop::sample::select(kinds.to_vec()), -2_i64..4, 0_i64..6, 0_i64..6).prop_map(|(kind, low, size, at)| {
            let name = "v".to_owned();
            let default = (kind == VarKind::Config).then_some(low + at.min(size));
            VarInfo { name, kind, default, lower: Some(low), upper: Some(low + size), source: None }
        });
    prop::collection::vec(info, VARS)
}

fn assignments(infos: &[VarInfo]) -> Vec<Vec<i64>> {
    let range = |info: &VarInfo| info.lower.unwrap_or(1)..=info.upper.unwrap_or(1);
    infos.iter().fold(vec![Vec::new()], |all, info| {
        let extend =
            |prefix: &Vec<i64>| range(info).map(|value| [prefix.as_slice(), &[value]].concat()).collect::<Vec<_>>();
        all.iter().flat_map(extend).collect()
    })
}

fn fresh(infos: &[VarInfo]) -> Vec<Var> {
    infos.iter().cloned().map(Var::fresh).collect()
}

fn lookup<'a>(vars: &'a [Var], values: &'a [i64]) -> impl FnMut(Var) -> Option<i64> + 'a {
    |var| vars.iter().position(|known| *known == var).map(|index| values[index])
}

const ANY: &[VarKind] = &[VarKind::Free, VarKind::Config, VarKind::Fixed];

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn canonical_forms_have_the_value_of_what_was_written(tree in trees(4), infos in infos(ANY)) {
        let vars = fresh(&infos);
        let dim = tree.dim(&vars);
        for values in assignments(&infos) {
            let Some(expected) = tree.value(&values).and_then(|value| i64::try_from(value).ok()) else {
                continue;
            };
            prop_assert!(dim.interval().contains(expected), "{dim} in {:?}", dim.interval());
            if let Some(value) = dim.evaluate(&mut lookup(&vars, &values)) {
                prop_assert_eq!(value, expected, "{} at {:?}", dim, values);
            }
            let mut sorted = vars.clone();
            sorted.sort_unstable();
            let mut evaluator = Evaluator::new(&sorted);
            let statement = evaluator.statement(&Formula::Zero(dim));
            let mut of_var = lookup(&vars, &values);
            evaluator.assign(sorted.iter().map(|var| of_var(*var)));
            let value = dim.evaluate(&mut lookup(&vars, &values));
            prop_assert_eq!(evaluator.value_of(dim), value, "{} at {:?}", dim, values);
            prop_assert_eq!(evaluator.truth(&statement), value.map(|value| value == 0), "{} at {:?}", dim, values);
            let mut value = lookup(&vars, &values);
            let substituted = dim.substitute(&mut |var| value(var).map(Dim::constant));
            if let Some(value) = substituted.as_const() {
                prop_assert_eq!(value, expected, "{} at {:?}", dim, values);
            }
        }
    }

    #[test]
    fn extreme_numbers_are_opaque_or_right(a in extreme_trees(), b in extreme_trees(), infos in infos(ANY)) {
        let vars = fresh(&infos);
        let (left, right) = (a.dim(&vars), b.dim(&vars));
        let mut solver = Solver::new();
        solver.assume(&Constraint::LessEqual(left, right));
        solver.require(&Constraint::Equal(left, right));
        let _ = (solver.judge(&Constraint::Less(right, left)), left.to_string(), solver.resolve(left - right));
        let values: Vec<i64> = infos.iter().map(|info| info.lower.unwrap_or(1)).collect();
        if let (Some(value), Some(expected)) = (left.evaluate(&mut lookup(&vars, &values)), a.value(&values)) {
            prop_assert_eq!(i128::from(value), expected, "{}", left);
        }
    }

    #[test]
    fn verdicts_are_right_for_every_assignment(claim in claims(), facts in prop::collection::vec(claims(), 0..3), infos in infos(ANY)) {
        let vars = fresh(&infos);
        let mut solver = Solver::new();
        for fact in &facts {
            solver.assume(&fact.constraint(&vars));
        }
        let verdict = solver.judge(&claim.constraint(&vars));
        // Where an expression divides by zero, the program has stopped before.
        let is_possible = |values: &Vec<i64>| {
            facts.iter().all(|fact| fact.value(values) == Some(true)) && claim.value(values).is_some()
        };
        let possible: Vec<Vec<i64>> = assignments(&infos).into_iter().filter(is_possible).collect();
        prop_assert!(!solver.is_contradictory() || possible.is_empty());
        let is_true = |values: &Vec<i64>| claim.value(values) == Some(true);
        let is_default = |values: &Vec<i64>| {
            infos.iter().zip(values).all(|(info, value)| info.default.is_none_or(|default| default == *value))
        };
        match verdict {
            Verdict::Holds => prop_assert!(possible.iter().all(is_true)),
            Verdict::Violated => prop_assert!(!possible.iter().any(|values| is_default(values) && is_true(values))),
            Verdict::Possible(found) => {
                let fails = |values: &&Vec<i64>| {
                    !is_true(values)
                        && found.assignment.iter().all(|(var, value)| lookup(&vars, values)(*var) == Some(*value))
                };
                let is_undefined = |values: &Vec<i64>| {
                    claim.value(values).is_none() || facts.iter().any(|fact| fact.value(values).is_none())
                };
                let undefined = assignments(&infos).iter().any(is_undefined);
                // A counter-example satisfies the facts that bear on it. Facts about other variables that clash among
                // themselves need not be seen: the solver is incomplete there, and no assignment is left to compare with.
                let is_comparable = !undefined && !possible.is_empty();
                prop_assert!(!is_comparable || possible.iter().any(|values| fails(&values)), "{:?}", found);
            }
            Verdict::Unknown => {}
        }
    }

    #[test]
    fn requirements_bind_only_what_follows_and_rollback_undoes_it(
        required in prop::collection::vec(claims(), 1..5), seen in trees(2), infos in infos(&[VarKind::Free, VarKind::Free, VarKind::Fixed])
    ) {
        let vars = fresh(&infos);
        let mut solver = Solver::new();
        let (before, mark) = (solver.clone(), solver.mark());
        let mut possible = assignments(&infos);
        let dim = seen.dim(&vars);
        for claim in &required {
            possible.retain(|values| claim.value(values).is_some());
            let outcome = solver.require(&claim.constraint(&vars));
            let is_true = |values: &Vec<i64>| claim.value(values) == Some(true);
            match outcome {
                Outcome::Holds => prop_assert!(possible.iter().all(is_true), "{:?}", claim),
                Outcome::Violated => prop_assert!(!possible.iter().any(is_true), "{:?}", claim),
                Outcome::Assumed => possible.retain(is_true),
                // Parts of a conjunction may have been assumed although the whole is not certain.
                Outcome::Possible(_) | Outcome::Unknown if matches!(claim, Claim::Both(..) | Claim::Not(_)) => break,
                Outcome::Possible(_) | Outcome::Unknown => {}
            }
            let resolved = solver.resolve(dim);
            for values in &possible {
                let (Some(before), Some(after)) = (seen.value(values), resolved.evaluate(&mut lookup(&vars, values))) else {
                    continue;
                };
                prop_assert_eq!(i128::from(after), before, "{} became {}", dim, resolved);
            }
        }
        solver.rollback(mark);
        prop_assert_eq!(solver, before);
    }

    #[test]
    fn broadcast_shapes_are_numpys(
        a in prop::collection::vec(trees(0), 0..4), b in prop::collection::vec(trees(0), 0..4), infos in infos(&[VarKind::Free, VarKind::Fixed, VarKind::Config])
    ) {
        let vars = fresh(&infos);
        let shape = |trees: &[Tree]| Shape::known(trees.iter().map(|tree| tree.dim(&vars)).collect::<Vec<_>>());
        let mut solver = Solver::new();
        let (result, outcome) = solver.broadcast(&shape(&a), &shape(&b));
        for values in assignments(&infos) {
            let is_default = infos.iter().zip(&values).all(|(info, value)| info.default.is_none_or(|default| default == *value));
            let numbers = |trees: &[Tree]| trees.iter().map(|tree| tree.value(&values).unwrap()).collect::<Vec<_>>();
            let expected = numpy_broadcast(&numbers(&a), &numbers(&b));
            match (&result, expected) {
                (Some(result), Some(expected)) if is_default => {
                    let dims = solver.resolve_shape(result).dims().unwrap();
                    prop_assert_eq!(dims.len(), expected.len());
                    for (dim, expected) in dims.iter().zip(&expected) {
                        if let Some(value) = dim.evaluate(&mut lookup(&vars, &values)) {
                            prop_assert_eq!(i128::from(value), *expected, "{} at {:?}", result, values);
                        }
                    }
                }
                (_, None) => prop_assert!(outcome != Outcome::Holds),
                (None, Some(_)) => prop_assert!(!is_default),
                _ => {}
            }
        }
    }
}

fn numpy_broadcast(a: &[i128], b: &[i128]) -> Option<Vec<i128>> {
    let rank = a.len().max(b.len());
    let at = |dims: &[i128], place: usize| (place + dims.len()).checked_sub(rank).map_or(1, |index| dims[index]);
    (0..rank)
        .map(|place| match (at(a, place), at(b, place)) {
            (x, y) if x == y || y == 1 => Some(x),
            (1, y) => Some(y),
            _ => None,
        })
        .collect()
}
