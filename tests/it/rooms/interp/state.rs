mod bounded_walk {
    use harp::interp::state::bounded_walk::{DEPTH, PARTS, Walk};

    /// A tree whose branches are one and the same.
    fn visit(walk: &mut Walk, depth: u32) -> u64 {
        if depth == 0 {
            return 1;
        }
        (0..2).filter_map(|_| walk.part(|walk| visit(walk, depth - 1))).sum()
    }

    #[test]
    fn depth_and_work_are_bounded() {
        assert_eq!(visit(&mut Walk::new(), 10), 1 << 10);
        assert_eq!(visit(&mut Walk::new(), DEPTH + 1), 0);
        assert!(visit(&mut Walk::new(), DEPTH) < u64::from(PARTS));
    }
}

mod compiled_patterns {
    use harp::interp::state::compiled_patterns::{Expressions, MOST_COMPILED};

    #[test]
    fn patterns_are_compiled_once_and_do_not_become_many() {
        let mut expressions = Expressions::default();
        for _ in 0..3 {
            assert!(expressions.expression("a+", false).is_some_and(|it| it.is_match("baa")));
            assert!(expressions.expression("a+", true).is_some_and(|it| !it.is_match("baa")));
            assert!(expressions.expression("(", false).is_none());
        }
        assert_eq!(expressions.by_text.len(), 3);
        for index in 0..1000 {
            expressions.expression(&format!("a{index}"), false);
        }
        assert!(expressions.by_text.len() <= MOST_COMPILED);
    }
}

mod scoped_table {
    use harp::interp::state::scoped_table::Scoped;

    #[test]
    fn what_came_since_is_taken_back() {
        let mut table = Scoped::default();
        table.insert(1, "one");
        let length = table.len();
        table.insert(2, "two");
        table.insert(1, "again");
        table.get_or_insert_with(3, || "three");
        table.insert(4, "four");
        table.remove(&2);
        table.remove(&1);
        table.remove(&5);
        assert_eq!((table.get(&1), table.get(&4)), (None, Some(&"four")));
        table.forget_since(length);
        let found: Vec<_> = (1..5).map(|key| table.get(&key).copied()).collect();
        assert_eq!(found, [Some("one"), None, None, None]);
        assert_eq!(table.len(), 1);
        table.forget_since(0);
        assert!(!table.contains_key(&1) && table.is_empty());
    }
}
