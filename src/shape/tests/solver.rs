use crate::*;

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

#[test]
fn residues_are_tried() {
    let n = fixed("n");
    let solver = Solver::new();
    // Hermite's identity.
    assert_eq!(solver.judge(&Constraint::Equal(n.floor_div(c(2)) + (n + c(1)).floor_div(c(2)), n)), Verdict::Holds);
    assert_eq!(solver.judge(&Constraint::Equal((c(2) * n + c(1)).modulo(c(4)), c(2))), Verdict::Violated);
    let even = Constraint::Divides { divisor: c(2), value: n * (n + c(1)) };
    assert_eq!(solver.judge(&even), Verdict::Holds);
}

#[test]
fn quotients_and_extremes_are_bounded_by_their_meaning() {
    let (n, k) = (fixed("n"), fixed("k"));
    let solver = Solver::new();
    assert_eq!(solver.judge(&Constraint::LessEqual(n.floor_div(k) * k, n)), Verdict::Holds);
    assert_eq!(solver.judge(&Constraint::Less(n.modulo(k), k)), Verdict::Holds);
    assert_eq!(solver.judge(&Constraint::LessEqual(n.min(k), k)), Verdict::Holds);
    assert_eq!(solver.judge(&Constraint::Less(n.max(k), n)), Verdict::Violated);
    assert_eq!(solver.judge(&Constraint::Equal(n.min(k) + n.max(k), n + k)), Verdict::Holds);
}

#[test]
fn a_head_count_that_must_divide_is_a_condition_on_settings() {
    let (embed, heads) = (config("embed", 512), config("heads", 8));
    let mut solver = Solver::new();
    // `view(batch, embed // heads * heads)` needs all of `embed`.
    let exact = Constraint::Equal(embed.floor_div(heads) * heads, embed);
    let Outcome::Possible(found) = solver.require(&exact) else { panic!("possible") };
    assert_eq!(found.condition.to_string(), "heads*(embed//heads) != embed");
    solver.assume(&Constraint::Divides { divisor: heads, value: embed });
    assert_eq!(solver.require(&exact), Outcome::Holds);
}

#[test]
fn reshape_with_an_inferred_dimension() {
    let n = free("n");
    let mut solver = Solver::new();
    // `x: s`, `x.view(-1, 12)`, with `s` later known.
    let s = Shape::unknown("s");
    let rows = s.prod().floor_div(c(12));
    assert_eq!(solver.require(&Constraint::Divides { divisor: c(12), value: s.prod() }), Outcome::Assumed);
    assert_eq!(solver.unify(&s, &Shape::known([n, c(3), c(8)])), Outcome::Assumed);
    assert_eq!(solver.resolve(rows), c(2) * n);
    // 784 elements do not make rows of 10.
    let image = Shape::known([n, c(784)]);
    let divides = Constraint::Divides { divisor: c(10), value: image.prod() };
    assert_eq!(solver.require(&divides), Outcome::Assumed);
    assert_eq!(solver.judge(&Constraint::Equal(n, c(3))), Verdict::Violated);
    assert_eq!(solver.judge(&Constraint::Divides { divisor: c(5), value: n }), Verdict::Holds);
}

#[test]
fn a_product_is_inverted() {
    let (n, k) = (free("n"), config("k", 3));
    let mut solver = Solver::new();
    assert_eq!(solver.require(&Constraint::Equal(c(2) * n, c(10))), Outcome::Assumed);
    assert_eq!(solver.resolve(n), c(5));
    let (m, j) = (free("m"), free("j"));
    assert_eq!(solver.require(&Constraint::Equal(m * k, j * k * c(4))), Outcome::Assumed);
    assert_eq!(solver.resolve(m) - c(4) * solver.resolve(j), c(0));
    let odd = free("odd");
    assert_eq!(solver.require(&Constraint::Equal(c(2) * odd, c(11))), Outcome::Violated);
}

#[test]
fn conditions_hold_on_the_path_only() {
    let n = fixed("n");
    let mut solver = Solver::new();
    let mark = solver.mark();
    solver.assume(&Constraint::Or(vec![Constraint::Equal(n, c(2)), Constraint::Equal(n, c(4))]));
    assert_eq!(solver.judge(&Constraint::Divides { divisor: c(2), value: n }), Verdict::Holds);
    assert_eq!(solver.judge(&Constraint::Equal(n, c(3))), Verdict::Violated);
    solver.assume(&Constraint::NotEqual(n, c(2)));
    assert_eq!(solver.judge(&Constraint::Equal(n, c(4))), Verdict::Holds);
    solver.rollback(mark);
    assert!(matches!(solver.judge(&Constraint::Equal(n, c(3))), Verdict::Possible(_)));
    solver.assume(&Constraint::Not(Box::new(Constraint::Less(c(1), n))));
    assert_eq!(solver.judge(&Constraint::Equal(n, c(1))), Verdict::Holds);
}

#[test]
fn a_path_that_the_defaults_do_not_take_has_no_default_errors() {
    let layers = config("layers", 2);
    let mut solver = Solver::new();
    assert_eq!(solver.judge(&Constraint::Less(c(2), layers)), Verdict::Violated);
    solver.assume(&Constraint::Less(c(2), layers));
    assert!(solver.excludes_defaults() && !solver.is_contradictory());
    assert_eq!(solver.judge(&Constraint::Less(c(1), layers)), Verdict::Holds);
    assert!(matches!(solver.judge(&Constraint::Equal(layers, c(4))), Verdict::Possible(_)));
}

#[test]
fn a_failing_condition_is_simplified() {
    let (nhid, ninp, heads) = (config("nhid", 200), config("ninp", 200), config("heads", 2));
    let solver = Solver::new();
    let condition = |constraint: Constraint| match solver.judge(&constraint) {
        Verdict::Possible(found) => found.condition.to_string(),
        other => format!("{other:?}"),
    };
    assert_eq!(condition(Constraint::Equal(c(4) * nhid, c(4) * ninp)), "nhid != ninp");
    assert_eq!(condition(Constraint::Divides { divisor: heads, value: nhid }), "nhid % heads != 0");
    assert_eq!(condition(Constraint::LessEqual(heads, c(8))), "8 < heads");
    assert_eq!(condition(Constraint::Less(heads, c(8))), "8 <= heads");
    assert_eq!(condition(Constraint::Broadcastable(nhid, c(200))), "nhid != 200 and nhid != 1");
    let shapes = Constraint::SameShape(Shape::known([c(4), nhid]), Shape::known([c(4), ninp]));
    assert_eq!(condition(shapes), "nhid != ninp");
}

#[test]
fn ragged_and_repeated_shape_variables() {
    let (s, t) = (ShapeVar::fresh("s"), ShapeVar::fresh("t"));
    let shape = |elements: Vec<Element>| Shape::new(elements);
    let (n, ragged) = (Element::Dim(c(3)), Element::Ragged);
    let mut solver = Solver::new();
    assert_eq!(solver.unify(&shape(vec![n, ragged]), &shape(vec![n, ragged])), Outcome::Holds);
    assert_eq!(solver.unify(&shape(vec![n, ragged]), &shape(vec![n, n])), Outcome::Unknown);
    // s@[3] == s cannot be; s@t == s leaves nothing for t.
    let both = shape(vec![Element::Rest(s), n]);
    assert_eq!(solver.unify(&both, &shape(vec![Element::Rest(s)])), Outcome::Violated);
    let pair = shape(vec![Element::Rest(s), Element::Rest(t)]);
    assert_eq!(solver.unify(&pair, &shape(vec![Element::Rest(s)])), Outcome::Assumed);
    assert_eq!(solver.resolve_shape(&pair).to_string(), "s");
    assert_eq!(shape(vec![n, Element::Rest(s), ragged, n]).to_string(), "[3]@s@[*, 3]");
}

#[test]
fn two_unknown_dimensions_broadcast_to_the_greater() {
    let (n, m) = (free("n"), free("m"));
    let maybe_empty = Dim::var(Var::fresh(VarInfo::free("e").between(Some(0), None)));
    let mut solver = Solver::new();
    let (dim, outcome) = solver.broadcast_dims(n, m);
    assert_eq!((dim.to_string().as_str(), outcome), ("max(m, n)", Outcome::Assumed));
    assert_eq!(solver.require(&Constraint::Equal(m, c(5))), Outcome::Assumed);
    assert_eq!(solver.judge(&Constraint::Equal(n, c(4))), Verdict::Violated);
    assert_eq!(solver.judge(&Constraint::Equal(dim, c(5))), Verdict::Holds);
    let (dim, _) = solver.broadcast_dims(n, maybe_empty);
    assert_ne!(dim, n.max(maybe_empty));
    let large = Dim::var(Var::fresh(VarInfo::free("large").between(Some(2), None)));
    assert_eq!(solver.broadcast_dims(n, large).0, large);
}

#[test]
fn hard_work_is_bounded() {
    let vars: Vec<Dim> = (0..12).map(|index| fixed(&format!("v{index}"))).collect();
    let mut solver = Solver::new();
    for pair in vars.windows(2) {
        solver.assume(&Constraint::Or(vec![
            Constraint::Less(pair[0], pair[1]),
            Constraint::Equal(pair[0] * pair[1], c(6)),
        ]));
    }
    let sum = vars.iter().fold(c(0), |sum, var| sum + var.floor_div(c(7)).min(var.modulo(c(5))));
    let _ = solver.judge(&Constraint::Equal(sum.modulo(c(3)), c(1)));
    let residues = vars.iter().fold(c(0), |sum, var| sum + var.modulo(c(61)) * var.modulo(c(59)));
    let _ = Solver::new().judge(&Constraint::Equal(residues, c(7)));
    let mut chain = Solver::new();
    let fresh: Vec<Dim> = (0..2_000).map(|_| free("n")).collect();
    for pair in fresh.windows(2) {
        assert_eq!(chain.require(&Constraint::Equal(pair[0], pair[1])), Outcome::Assumed);
    }
    assert_eq!(chain.resolve(fresh[1_999]), fresh[0]);
}

#[test]
fn what_may_divide_by_zero_is_not_cancelled() {
    let n = Dim::var(Var::fresh(VarInfo::fixed("n").between(Some(0), None)));
    assert_eq!(n.modulo(n).to_string(), "n % n");
    let mut solver = Solver::new();
    // Where it was evaluated, `n` is not 0.
    assert_eq!(solver.judge(&Constraint::Equal(n.modulo(n), c(0))), Verdict::Holds);
    solver.assume(&Constraint::Equal((n + n).modulo(n), c(0)));
    assert_eq!(solver.judge(&Constraint::LessEqual(c(1), n)), Verdict::Holds);
    // Of alternatives only one need have been evaluated.
    let k = Dim::var(Var::fresh(VarInfo::fixed("k").between(Some(0), None)));
    solver.assume(&Constraint::Or(vec![
        Constraint::Equal(k, c(0)),
        Constraint::Divides { divisor: k, value: fixed("m") },
    ]));
    assert_ne!(solver.judge(&Constraint::LessEqual(c(1), k)), Verdict::Holds);
}

#[test]
fn products_and_alternatives_are_refuted() {
    let (a, b, f) = (fixed("a"), fixed("b"), fixed("f"));
    let mut solver = Solver::new();
    solver.assume(&Constraint::Less(b, f));
    assert_eq!(solver.judge(&Constraint::Less(b * a, f * a)), Verdict::Holds);
    assert_eq!(solver.judge(&Constraint::Equal(b.floor_div(f), c(0))), Verdict::Holds);
    let either = Constraint::Or(vec![Constraint::Less(a, b), Constraint::Less(b, a)]);
    assert_eq!(solver.judge(&Constraint::Or(vec![either, Constraint::Equal(a, b)])), Verdict::Holds);
    solver.assume(&Constraint::Divides { divisor: b, value: a });
    assert_eq!(solver.judge(&Constraint::Less(a, b)), Verdict::Violated);
    assert_eq!(solver.judge(&Constraint::LessEqual((a + b).floor_div(c(64)), a)), Verdict::Holds);
}

#[test]
fn strange_values_that_satisfy_both_requirements_are_no_alarm() {
    let (dim, heads) = (free("dim"), free("heads"));
    let size = dim.floor_div(heads);
    let mut solver = Solver::new();
    assert_eq!(solver.require(&Constraint::Equal(dim * c(2), heads * size * c(3))), Outcome::Assumed);
    assert_ne!(solver.require(&Constraint::Equal(dim, heads * size)), Outcome::Violated);
}

#[test]
fn counterexamples_lie_beyond_small_numbers() {
    let (a, b, d) = (fixed("a"), fixed("b"), fixed("d"));
    let mut solver = Solver::new();
    solver.assume(&Constraint::Equal(a.floor_div(c(784)), b));
    let claim = Constraint::LessEqual(b * c(100), d + a.modulo(c(784)));
    assert!(matches!(solver.judge(&claim), Verdict::Possible(_)));
}

#[test]
fn explanations_name_what_clashes_and_nothing_else() {
    let [n, h, k, other] = ["n", "h", "k", "other"].map(free);
    let mut solver = Solver::new();
    let mut learn = |reason: u32, constraint: Constraint| {
        solver.speak_for(Some(Reason(reason)));
        assert_eq!(solver.require(&constraint), Outcome::Assumed);
    };
    learn(1, Constraint::Equal(h, k));
    learn(2, Constraint::Equal(k, c(10)));
    learn(3, Constraint::Equal(other, c(7)));
    learn(4, Constraint::Broadcastable(n, c(4)));
    learn(5, Constraint::LessEqual(free("m") + n, c(64)));
    let told = |claim: &Constraint, shape: &Shape| -> Vec<String> {
        assert_eq!(solver.judge(claim), Verdict::Violated);
        solver
            .explain(claim, std::slice::from_ref(shape))
            .into_iter()
            .map(|one| format!("{}: {}", one.reason.0, one.text))
            .collect()
    };
    let shape = Shape::known([n, h, other]);
    // `k` was the newer one and became `h`, which then became 10.
    assert_eq!(told(&Constraint::Equal(solver.resolve(k), c(12)), &Shape::known([n, k])), ["1: k == 10", "2: h == 10"]);
    assert_eq!(told(&Constraint::Equal(n, c(9)), &shape), ["4: n == 4 or n == 1"]);
}

#[test]
fn quotients_and_remainders_by_negative_numbers_have_ranges() {
    let fixed = |low, high| Dim::var(Var::fresh(VarInfo::free("v").between(Some(low), Some(high))));
    let (one, divisor) = (Dim::constant(1), fixed(-1, -1));
    let mut solver = Solver::new();
    solver.assume(&Constraint::Equal(divisor + one, fixed(0, 0) - one.floor_div(divisor)));
    assert!(solver.is_contradictory());
    let remainder = fixed(0, 9).modulo(fixed(-4, -2));
    assert_eq!(Solver::new().judge(&Constraint::LessEqual(remainder, Dim::ZERO)), Verdict::Holds);
    assert_eq!(Solver::new().judge(&Constraint::Less(Dim::constant(-4), remainder)), Verdict::Holds);
}

#[test]
fn shapes_broadcast_together_in_many_ways_are_told_apart_in_bounded_time() {
    let mut solver = Solver::new();
    let shapes: Vec<Shape> = (0..12).map(|_| Shape::unknown("s")).collect();
    for (index, left) in shapes.iter().enumerate() {
        for right in &shapes[index + 1..] {
            if let (Some(result), _) = solver.broadcast(left, right) {
                solver.unify(&result, &shapes[0]);
            }
        }
    }
    let other = Shape::unknown("t");
    let (result, outcome) = solver.broadcast(&shapes[0], &other);
    assert_eq!(outcome, Outcome::Assumed);
    assert!(result.is_some_and(|result| result != shapes[0] && result != other));
}

#[test]
fn answers_that_are_remembered_take_no_work() {
    let (mut solver, [a, b, d]) = (Solver::new(), ["a", "b", "d"].map(config_of_nine));
    solver.assume(&Constraint::LessEqual(a, b.floor_div(c(2))));
    let question = Constraint::Less(d * a, b.modulo(c(3)) + d);
    let started = work_done();
    let answer = solver.judge(&question);
    let worked = work_done();
    assert!(worked > started);
    assert_eq!(solver.judge(&question), answer);
    assert_eq!(work_done(), worked);
}

fn config_of_nine(name: &str) -> Dim {
    config(name, 9)
}

#[test]
fn the_end_of_a_loop_is_forgotten_with_its_bound() {
    let mut solver = Solver::new();
    let [early, late] = ["i", "j"].map(|name| Var::fresh(VarInfo::free(name)));
    solver.limit_counter(early, c(10));
    let moment = remembered();
    let bound = free("n");
    solver.limit_counter(late, bound);
    assert!(solver.limit_of_counter(late).is_some());
    solver.forget_since(moment);
    crate::forget_since(moment);
    assert!(solver.limit_of_counter(early).is_some());
    assert!(solver.limit_of_counter(late).is_none());
    solver.limit_counter(late, c(3));
    solver.forget_since(remembered());
    assert!(solver.limit_of_counter(late).is_some());
}

#[test]
fn long_chains_of_equal_shapes_lead_to_the_last() {
    let shapes: Vec<Shape> = (0..300).map(|number| Shape::unknown(&format!("s{number}"))).collect();
    let mut solver = Solver::new();
    for pair in shapes.windows(2) {
        let halves = pair[1].prod().floor_div(c(2));
        assert_eq!(solver.require(&Constraint::Less(c(3), halves)), Outcome::Assumed);
        assert_eq!(solver.unify(&pair[0], &pair[1]), Outcome::Assumed);
    }
    let last = &shapes[299];
    assert!(shapes.iter().all(|shape| solver.resolve_shape(shape) == *last));
    assert!(shapes.iter().all(|shape| solver.resolve(shape.prod()) == last.prod()));
}
