mod naming {
    use harp::interp::inference::naming::Naming;
    use harp::shape::{DType, Dim, Element, Shape, ShapeVar, Var, VarInfo};

    #[test]
    fn the_program_s_names_go_before_letters() {
        let (n, k) = (Var::fresh(VarInfo::free("x_0")), Var::fresh(VarInfo::free("x_1")));
        let rest = ShapeVar::fresh("x");
        let mut naming = Naming::new([(k, "a".to_owned())], []);
        let shape = Shape::new(vec![Element::Rest(rest), Element::Dim(Dim::var(n)), Element::Dim(Dim::var(k))]);
        assert_eq!(naming.tensor(&shape, DType::Unknown).text, "b@[c, a]");
        assert_eq!(naming.dim(Dim::product(rest) * Dim::var(n)).to_string(), "c*prod(b)");
    }

    #[test]
    fn there_are_names_enough() {
        let mut naming = Naming::new([], ["b".to_owned()]);
        let names: Vec<String> = (0..30).map(|_| naming.next_letter()).collect();
        assert_eq!((&*names[1], &*names[24], &*names[25]), ("c", "z", "a1"));
    }
}

mod path_choices {
    use harp::interp::inference::path_choices::{Choice, Choices, Waiting};

    fn choice(at: usize, taken: usize, arms: usize) -> (Choice, String) {
        let key = at.to_string();
        (Choice { taken, arms, literals: Vec::new(), constraint: None, key: key.clone() }, key)
    }

    #[test]
    fn every_path_is_followed_once_and_near_ones_first() {
        let mut waiting = Waiting::new(100);
        let mut followed = Vec::new();
        while let Some(planned) = waiting.next_planned() {
            let first = Choices::new(planned.given.clone()).next(2);
            let second = planned.given.get(1).copied().unwrap_or(0);
            let made = [choice(0, first, 2), choice(1, second, 3)];
            waiting.add_turns(&planned, &made, &format!("{first} {second}"));
            followed.push((first, second));
        }
        assert_eq!(followed, [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)]);
        assert!(!waiting.is_cut_short() && !waiting.leaves_idle_turns());
    }

    #[test]
    fn the_number_of_paths_is_bounded() {
        let mut waiting = Waiting::new(8);
        let mut count = 0;
        while let Some(planned) = waiting.next_planned() {
            let arm = |at| planned.given.get(at).copied().unwrap_or(0);
            let made: Vec<(Choice, String)> = (0..64).map(|at| choice(at, arm(at), 2)).collect();
            waiting.add_turns(&planned, &made, &count.to_string());
            count += 1;
        }
        assert_eq!(count, 8);
        assert!(waiting.is_cut_short());
    }

    #[test]
    fn turns_that_change_nothing_come_last() {
        let mut waiting = Waiting::new(6);
        let mut followed = Vec::new();
        while let Some(planned) = waiting.next_planned() {
            let arm = |at| planned.given.get(at).copied().unwrap_or(0);
            let made: Vec<(Choice, String)> = (0..4).map(|at| choice(at, arm(at), 2)).collect();
            // Only the first choice matters.
            waiting.add_turns(&planned, &made, &arm(0).to_string());
            followed.push(planned.given);
        }
        assert_eq!(followed.len(), 6);
        assert!(waiting.leaves_idle_turns());
    }
}
