mod arm_effects {
    use harp::interp::heap::location::Location;
    use harp::interp::heap::objects::Heap;
    use harp::interp::heap::objects::Payload;
    use harp::interp::values::value::Value;
    use harp::python::name::Name;

    #[test]
    fn own_objects_stay_and_common_ones_are_undone() {
        let mut heap = Heap::default();
        let name = Name::new("x");
        let old = heap.allocate(Payload::Plain);
        heap.set_attribute(old, name, Value::int(1));
        let mark = heap.mark();
        let (own, common) = (heap.allocate(Payload::Plain), heap.allocate_common());
        let list = heap.allocate_list(Vec::new());
        for id in [old, own, common] {
            heap.set_attribute(id, name, Value::int(2));
        }
        heap.push_item(list, Value::None);
        let delta = heap.delta_of_arm(mark, mark.objects);
        let changed: Vec<Location> = delta.changes.iter().map(|(location, _)| *location).collect();
        assert_eq!(changed, [Location::Attribute(old, name), Location::Attribute(common, name)]);
        heap.undo_all_but(mark, mark.objects);
        let value = |id| heap.attribute(id, name).and_then(Value::as_int);
        assert_eq!((value(old), value(own), value(common)), (Some(1), Some(2), None));
        assert_eq!(heap.list(list).map(|data| data.items.len()), Some(1));
    }

    #[test]
    fn what_others_may_resume_is_undone_like_all_else() {
        let mut heap = Heap::default();
        let name = Name::new("x");
        let mark = heap.mark();
        let shared = heap.allocate(Payload::Plain);
        heap.set_attribute(shared, name, Value::int(1));
        let own = heap.len();
        let later = heap.allocate(Payload::Plain);
        heap.set_attribute(later, name, Value::int(1));
        let delta = heap.delta_of_arm(mark, own);
        heap.undo_all_but(mark, own);
        assert!(heap.attribute(shared, name).is_none());
        assert!(heap.attribute(later, name).is_some());
        for (location, content) in delta.changes {
            heap.store(location, content);
        }
        assert!(heap.attribute(shared, name).is_some());
    }
}

mod fails_on_every_path {
    use harp::corpus::FileId;
    use harp::corpus::Span;
    use harp::interp::paths::fails_on_every_path::FailingWays;
    use harp::interp::values::value::DecisionId;
    use harp::interp::values::value::Literal;

    fn way(literals: &[(u32, bool)]) -> Vec<Literal> {
        literals.iter().map(|(decision, taken)| Literal { decision: DecisionId(*decision), taken: *taken }).collect()
    }

    #[test]
    fn opposite_ways_are_all() {
        let place = Span { file: FileId(0), start: 1, end: 2 };
        let mut ways = FailingWays::default();
        assert!(!ways.note(place, way(&[(1, true)])));
        assert!(!ways.note(place, way(&[(1, true)])));
        assert!(ways.note(place, way(&[(1, false)])));
    }

    #[test]
    fn all_of_four_ways_are_needed() {
        let place = Span { file: FileId(0), start: 1, end: 2 };
        let mut ways = FailingWays::default();
        assert!(!ways.note(place, way(&[(1, true), (2, true)])));
        assert!(!ways.note(place, way(&[(1, true), (2, false)])));
        assert!(!ways.note(place, way(&[(1, false), (2, true)])));
        assert!(ways.note(place, way(&[(1, false), (2, false)])));
    }

    #[test]
    fn ways_to_other_places_do_not_count() {
        let mut ways = FailingWays::default();
        assert!(!ways.note(Span { file: FileId(0), start: 1, end: 2 }, way(&[(1, true)])));
        assert!(!ways.note(Span { file: FileId(0), start: 3, end: 4 }, way(&[(1, false)])));
    }
}

mod join {
    use harp::interp::paths::join::{complement, conjunction};
    use harp::interp::values::value::{DecisionId, Guard, Literal};

    /// Positive numbers are decisions that are taken, negative ones their opposites.
    fn guard(literals: &[i64]) -> Guard {
        let literal = |number: &i64| Literal { decision: DecisionId(number.unsigned_abs() as u32), taken: *number > 0 };
        literals.iter().map(literal).collect()
    }

    #[test]
    fn guards_that_differ_in_one_decision_fall_together() {
        let merged = |left: &[i64], right: &[i64]| complement(&guard(left), &guard(right));
        assert_eq!(merged(&[1, 2], &[1, -2]), Some(guard(&[1])));
        assert_eq!(merged(&[2, 1], &[1, -2]), Some(guard(&[1])));
        assert_eq!(merged(&[1, 2, 3], &[1, -2, 3]), Some(guard(&[1, 3])));
        // One implies the other.
        assert_eq!(merged(&[1, 2], &[1]), Some(guard(&[1])));
        assert_eq!(merged(&[1], &[1, 2]), Some(guard(&[1])));
        // Also where they are long.
        let decisions: Vec<i64> = (1..300).collect();
        let other_order: Vec<i64> = decisions.iter().rev().map(|it| if *it == 7 { -7 } else { *it }).collect();
        let without: Vec<i64> = decisions.iter().copied().filter(|it| *it != 7).collect();
        assert_eq!(merged(&decisions, &other_order), Some(guard(&without)));
        assert_eq!(merged(&decisions, &without), Some(guard(&without)));
        assert_eq!(merged(&decisions, &other_order[1..]), None);
        assert_eq!(merged(&[3, 2, 1], &[1]), Some(guard(&[1])));
        assert_eq!(merged(&[], &[1]), Some(guard(&[])));
        assert_eq!(merged(&[1, 2], &[2, 1]), Some(guard(&[1, 2])));
    }

    #[test]
    fn guards_are_taken_together_however_long_they_are() {
        let together = |left: &[i64], right: &[i64]| conjunction(&guard(left), &guard(right));
        let decisions: Vec<i64> = (1..300).collect();
        for alike in [&decisions[..2], &decisions] {
            let with = |own: &[i64]| [alike, own].concat();
            assert_eq!(together(&with(&[400]), &with(&[500, 400])), Some(guard(&with(&[400, 500]))));
            assert_eq!(together(&with(&[400]), &with(&[500, -400])), None);
            assert_eq!(together(&with(&[400]), &with(&[-1])), None);
            let many: Vec<i64> = (600..620).collect();
            assert_eq!(together(&with(&[400]), &with(&many)), Some(guard(&[&with(&[400]), &many[..]].concat())));
            assert_eq!(together(&with(&[-610]), &with(&many)), None);
            assert_eq!(together(&with(&[400]), &with(&[])), Some(guard(&with(&[400]))));
        }
    }

    #[test]
    fn others_stay_apart() {
        let merged = |left: &[i64], right: &[i64]| complement(&guard(left), &guard(right));
        assert_eq!(merged(&[1, 2], &[1, 3]), None);
        assert_eq!(merged(&[1, 2], &[-1, -2]), None);
        assert_eq!(merged(&[1, 2, 3], &[1, -2]), None);
        assert_eq!(merged(&[1, -2], &[1, 2, 3]), None);
        assert_eq!(merged(&[1, 2, 3, 4], &[-1, 5]), None);
    }
}

mod path_condition {
    use harp::interp::paths::path_condition::Path;
    use harp::interp::values::value::{DecisionId, Literal};

    fn literal(number: u32, taken: bool) -> Literal {
        Literal { decision: DecisionId(number), taken }
    }

    #[test]
    fn a_path_knows_which_way_its_decisions_went() {
        let mut path = Path::default();
        path.extend([literal(3, true), literal(1, false), literal(3, false)], &[]);
        assert_eq!([path.way_of(DecisionId(3)), path.way_of(DecisionId(1))], [Some(true), Some(false)]);
        assert_eq!([path.way_of(DecisionId(2)), path.way_of(DecisionId(9))], [None, None]);
        assert!(path.has_opposite(literal(3, true)) && path.has_opposite(literal(3, false)));
        path.pop();
        assert!(!path.has_opposite(literal(3, true)) && path.has_opposite(literal(3, false)));
        path.go_to(&[literal(3, true), literal(4, true)], &[]);
        assert_eq!(path.way_of(DecisionId(1)), None);
        assert_eq!(*path, [literal(3, true), literal(4, true)]);
        path.clear();
        assert_eq!(path.way_of(DecisionId(3)), None);
    }
}
