use crate::interner::{forget_since, remembered};
use crate::*;

fn c(value: i64) -> Dim {
    Dim::constant(value)
}

fn free(name: &str) -> Dim {
    Dim::var(Var::fresh(VarInfo::free(name)))
}

/// The output size of a convolution.
fn convolution(size: Dim, kernel: i64, stride: i64, padding: i64) -> Dim {
    (size + c(2 * padding) - c(kernel)).floor_div(c(stride)) + c(1)
}

#[test]
fn equal_expressions_have_equal_handles() {
    let (n, k, b) = (free("n"), free("k"), free("b"));
    let equal = [
        ((c(6) * n).floor_div(c(2)), c(3) * n),
        ((n * k).floor_div(k), n),
        ((n * k).modulo(k), c(0)),
        ((n * k + n).floor_div(k + c(1)), n),
        ((n * k + c(3) * k).floor_div(n * k + c(3) * k), c(1)),
        (n.floor_div(c(2)).floor_div(c(3)), n.floor_div(c(6))),
        (n.floor_div(k).floor_div(b), n.floor_div(k * b)),
        ((n * b).floor_div(k * b), n.floor_div(k)),
        ((n * b).modulo(k * b), b * n.modulo(k)),
        ((n + c(8)).floor_div(c(4)), n.floor_div(c(4)) + c(2)),
        ((c(4) * n + c(2)).floor_div(c(8)), n.floor_div(c(2))),
        (n.modulo(c(8)).modulo(c(4)), n.modulo(c(4))),
        ((c(5) * n).modulo(c(4)), n.modulo(c(4))),
        (n.min(n + c(1)), n),
        (n.max(c(1)), n),
        (n.min(k), k.min(n)),
        (-((-n).floor_div(c(2))), n.ceil_div(c(2))),
        ((n + k) * (n - k), n * n - k * k),
    ];
    for (left, right) in equal {
        assert_eq!(left, right, "{left} and {right}");
    }
    assert_ne!(n.floor_div(k), k.floor_div(n));
}

#[test]
fn a_chain_of_convolutions_stays_one_quotient() {
    let h = free("h");
    let same = convolution(h, 3, 1, 1);
    assert_eq!(same, h);
    let stages = (0..5).fold(h, |size, _| convolution(size, 3, 2, 1));
    assert_eq!(stages.to_string(), "(h + 31)//32");
    let pooled = (0..3).fold(h, |size, _| size.floor_div(c(2)));
    assert_eq!(pooled.to_string(), "h//8");
}

#[test]
fn dimensions_read_as_they_are_written() {
    let (n, m) = (free("n"), free("m"));
    let cases = [
        (c(2) * n * m + n - c(1), "2*m*n + n - 1"),
        (c(3) - n, "3 - n"),
        (-n, "-n"),
        (n.floor_div(c(2)) + c(1), "n//2 + 1"),
        ((n + c(1)).floor_div(m), "(n + 1)//m"),
        (c(2) * n.floor_div(c(3)), "2*(n//3)"),
        (n.modulo(c(8)), "n % 8"),
        ((-n).modulo(c(8)), "(-n) % 8"),
        (n.min(c(3)), "min(n, 3)"),
        (n.max(m), "max(m, n)"),
        (-n.floor_div(c(2)), "-(n//2)"),
        (c(5) - n.floor_div(c(2)), "5 - n//2"),
        (Shape::unknown("s").prod() * c(2), "2*prod(s)"),
        (Shape::unknown("s").rank_dim() + c(1), "rank(s) + 1"),
    ];
    for (dim, expected) in cases {
        assert_eq!(dim.to_string(), expected);
        assert!(parse_dim(expected).is_ok(), "{expected}");
    }
}

#[test]
fn what_cannot_be_expressed_is_opaque() {
    let n = free("n");
    let huge = c(i64::MAX);
    assert_eq!(huge.as_const(), Some(i64::MAX));
    assert_eq!(huge - c(1), c(i64::MAX - 1));
    for dim in
        [huge + c(1), huge * n * c(3), c(3).floor_div(c(0)), n.modulo(c(0)), -c(i64::MIN), c(i64::MIN).floor_div(c(-1))]
    {
        assert!(dim.is_opaque(), "{dim}");
        assert_ne!(dim, dim + c(1));
    }
    let mut deep = n;
    for _ in 0..200 {
        deep = (deep * n + c(1)).floor_div(deep + n);
    }
    assert!(deep.is_opaque());
    let wide = (0..200).fold(c(0), |sum, index| sum + free(&format!("v{index}")));
    assert!(wide.is_opaque());
}

#[test]
fn variables_are_listed_replaced_and_evaluated() {
    let (n, m) = (free("n"), free("m"));
    let dim = (n * m + c(1)).floor_div(m).max(n);
    let vars = [n, m].map(|dim| dim.as_var().unwrap());
    assert_eq!(dim.vars(), vars);
    assert_eq!(dim.substitute(&mut |var| (var == vars[0]).then_some(c(4))).vars(), [vars[1]]);
    assert_eq!(dim.evaluate(&mut |var| Some(if var == vars[0] { 4 } else { 1 })), Some(5));
    assert_eq!(dim.evaluate(&mut |_| None), None);
}

#[test]
fn forgetting_everything_makes_old_handles_harmless() {
    std::thread::spawn(|| {
        let dim = (free("n") + c(1)).floor_div(free("k"));
        forget_everything();
        assert_eq!(dim.to_string(), "0");
        assert_eq!((dim + c(1)).as_const(), Some(1));
    })
    .join()
    .unwrap();
}

#[test]
fn what_was_made_since_a_moment_is_forgotten_and_the_rest_is_kept() {
    let n = free("n");
    let kept = (n + c(1)).floor_div(c(2));
    let moment = remembered();
    let rounds = (0..3).map(|_| {
        let k = free("k");
        let text = (kept * k.max(n)).modulo(k).to_string();
        let length = (k.as_var().unwrap(), remembered());
        forget_since(moment);
        (text, format!("{length:?}"))
    });
    let rounds: Vec<_> = rounds.collect();
    assert!(rounds.iter().all(|round| *round == rounds[0]), "{rounds:?}");
    assert_eq!(kept.to_string(), "(n + 1)//2");
    assert_eq!((n + c(1)).floor_div(c(2)), kept);
}

#[test]
fn what_a_number_reduced_to_is_forgotten_with_it() {
    use crate::{Constraint, Outcome, Solver};
    let moment = remembered();
    // The handles of both rounds are the same, their numbers are not.
    let outcomes = [true, false].map(|is_equal| {
        let (n, k) = (free("n"), free("k"));
        let (left, right) = if is_equal { (n + n, n * c(2)) } else { (n + n, k + k) };
        let mut solver = Solver::new();
        let outcome = solver.require(&Constraint::Equal(left + c(1), right + c(1)));
        let resolved = solver.resolve(left) == solver.resolve(right);
        forget_since(moment);
        (outcome, resolved)
    });
    assert_eq!(outcomes, [(Outcome::Holds, true), (Outcome::Assumed, true)]);
}
