use super::*;

fn c(value: i64) -> Dim {
    Dim::constant(value)
}

fn free(name: &str) -> Dim {
    Dim::var(Var::fresh(VarInfo::free(name)))
}

fn config(name: &str, default: i64) -> Dim {
    Dim::var(Var::fresh(VarInfo::config(name, default)))
}

fn fixed(name: &str) -> Dim {
    Dim::var(Var::fresh(VarInfo::fixed(name)))
}

#[test]
fn constants_are_judged() {
    let solver = Solver::new();
    assert_eq!(solver.judge(&Constraint::Equal(c(3), c(3))), Verdict::Holds);
    assert_eq!(solver.judge(&Constraint::Equal(c(3), c(4))), Verdict::Violated);
    assert_eq!(solver.judge(&Constraint::Less(c(3), c(4))), Verdict::Holds);
    assert_eq!(solver.judge(&Constraint::Divides { divisor: c(4), value: c(10) }), Verdict::Violated);
    assert_eq!(solver.judge(&Constraint::Broadcastable(c(1), c(10))), Verdict::Holds);
}

#[test]
fn a_positive_factor_cancels() {
    let batch = free("B");
    let solver = Solver::new();
    assert_eq!(solver.judge(&Constraint::Equal(batch * c(98304), batch * c(128))), Verdict::Violated);
    let k = free("k");
    let mut solver = Solver::new();
    assert_eq!(solver.require(&Constraint::Equal(batch * k, batch * c(128))), Outcome::Assumed);
    assert_eq!(solver.resolve(k), c(128));
}

#[test]
fn a_requirement_binds_a_free_variable_and_rollback_unbinds_it() {
    let n = free("n");
    let mut solver = Solver::new();
    let mark = solver.mark();
    assert_eq!(solver.require(&Constraint::Equal(n, c(5))), Outcome::Assumed);
    assert_eq!(solver.require(&Constraint::Equal(n, c(5))), Outcome::Holds);
    assert_eq!(solver.require(&Constraint::Equal(n, c(6))), Outcome::Violated);
    solver.rollback(mark);
    assert_eq!(solver.resolve(n), n);
    assert_eq!(solver.require(&Constraint::Equal(n, c(6))), Outcome::Assumed);
}

#[test]
fn settings_are_judged_at_their_defaults() {
    let (nhid, ninp) = (config("nhid", 200), config("ninp", 200));
    let equal = Constraint::Equal(nhid, ninp);
    let mut solver = Solver::new();
    let Outcome::Possible(counterexample) = solver.require(&equal) else { panic!("possible") };
    assert_eq!(counterexample.condition.to_string(), "nhid != ninp");
    assert_ne!(counterexample.assignment[0].1, counterexample.assignment[1].1);
    solver.assume(&equal);
    assert_eq!(solver.require(&equal), Outcome::Holds);
    let bad = config("bad", 100);
    assert_eq!(solver.require(&Constraint::Equal(bad, ninp)), Outcome::Violated);
    assert_eq!(solver.at_default(bad + ninp), Some(300));
}

#[test]
fn a_given_number_is_never_bound() {
    let (length, n) = (fixed("length"), free("n"));
    let mut solver = Solver::new();
    let Outcome::Possible(found) = solver.require(&Constraint::Divides { divisor: c(32), value: length }) else {
        panic!("possible")
    };
    assert_eq!(found.condition.to_string(), "length % 32 != 0");
    assert_eq!(solver.require(&Constraint::Equal(n, length)), Outcome::Assumed);
    assert_eq!(solver.resolve(n), length);
}

#[test]
fn a_recorded_fact_is_contradicted_later() {
    let n = free("n");
    let mut solver = Solver::new();
    assert_eq!(solver.require(&Constraint::Divides { divisor: c(8), value: n }), Outcome::Assumed);
    assert_eq!(solver.judge(&Constraint::Divides { divisor: c(4), value: n }), Verdict::Holds);
    assert_eq!(solver.judge(&Constraint::Equal(n.floor_div(c(8)) * c(8), n)), Verdict::Holds);
    assert_eq!(solver.judge(&Constraint::Equal(n, c(12))), Verdict::Violated);
    assert_eq!(solver.require(&Constraint::LessEqual(n, c(40))), Outcome::Assumed);
    assert_eq!(solver.require(&Constraint::Less(c(40), n)), Outcome::Violated);
}

#[test]
fn bounds_chain() {
    let (a, b, d) = (fixed("a"), fixed("b"), fixed("d"));
    let mut solver = Solver::new();
    solver.assume(&Constraint::Less(a, b));
    solver.assume(&Constraint::LessEqual(b, d));
    assert_eq!(solver.judge(&Constraint::Less(a, d)), Verdict::Holds);
    assert_eq!(solver.judge(&Constraint::Equal(a, d)), Verdict::Violated);
    solver.assume(&Constraint::LessEqual(d, a));
    assert!(solver.is_contradictory());
}

#[test]
fn shapes_unify_from_both_ends() {
    let (n, m) = (free("n"), free("m"));
    let open = Shape::new(vec![Element::Rest(ShapeVar::fresh("s")), Element::Dim(n)]);
    let mut solver = Solver::new();
    assert_eq!(solver.unify(&open, &Shape::known([c(2), m, c(4)])), Outcome::Assumed);
    assert_eq!(solver.resolve_shape(&open).to_string(), "[2, m, 4]");
    assert_eq!(solver.unify(&open, &Shape::known([c(2), c(4)])), Outcome::Violated);
    let mark = solver.mark();
    assert_eq!(solver.unify(&Shape::known([m, m]), &Shape::known([c(3), c(4)])), Outcome::Violated);
    assert_eq!(solver.mark(), mark);
    assert_eq!(solver.resolve(m), m);
}

#[test]
fn split_and_rank_give_dimensions_to_a_shape_variable() {
    let shape = Shape::unknown("x");
    let mut solver = Solver::new();
    let (front, rest, back) = solver.split(&shape, 1, 2).unwrap();
    assert_eq!((front.len(), back.len()), (1, 2));
    assert_eq!(rest.rank(), None);
    assert_eq!(solver.resolve_shape(&shape).minimum_rank(), 3);
    assert_eq!(solver.with_rank(&shape, 2), None);
    assert_eq!(solver.judge(&Constraint::Rank(shape.clone(), 2)), Verdict::Violated);
    assert_eq!(solver.with_rank(&shape, 4).map(|dims| dims.len()), Some(4));
    assert_eq!(solver.split(&shape, 3, 2), None);
}

#[test]
fn broadcasting() {
    let n = free("n");
    let unknown = Shape::unknown("s");
    let open = unknown.concat(&Shape::known([n]));
    let mut solver = Solver::new();
    let mut shape = |a: &Shape, b: &Shape| {
        let (result, outcome) = solver.broadcast(a, b);
        (result.map(|shape| shape.to_string()).unwrap_or_default(), outcome)
    };
    let known = |dims: &[i64]| Shape::known(dims.iter().map(|d| c(*d)).collect::<Vec<_>>());
    assert_eq!(shape(&known(&[4, 1, 3]), &known(&[5, 1])), ("[4, 5, 3]".to_owned(), Outcome::Holds));
    assert_eq!(shape(&known(&[4, 3]), &known(&[4])), (String::new(), Outcome::Violated));
    assert_eq!(shape(&Shape::scalar(), &unknown), ("s".to_owned(), Outcome::Holds));
    assert_eq!(shape(&open, &Shape::known([n])), ("s@[n]".to_owned(), Outcome::Holds));
    assert_eq!(shape(&Shape::known([n]), &known(&[3])), ("[3]".to_owned(), Outcome::Assumed));
    assert_eq!(shape(&Shape::known([n]), &known(&[4])).0, "[4]");
    assert_eq!(shape(&unknown, &known(&[3, 1])).1, Outcome::Assumed);
    // `n` fits 3 and 4, so it must be 1.
    assert_eq!(solver.judge(&Constraint::Equal(n, c(1))), Verdict::Holds);
}
