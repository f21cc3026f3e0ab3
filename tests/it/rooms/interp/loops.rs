mod items_that_differ {
    use harp::interp::loops::items_that_differ::differ_from_those_before;
    use harp::interp::values::value::Value;

    fn pairs(items: &[(i64, i64)]) -> Vec<Value> {
        items.iter().map(|(a, b)| Value::tuple(vec![Value::int(*a), Value::int(*b)])).collect()
    }

    #[test]
    fn another_width_differs_and_the_same_does_not() {
        let widths = [64, 64, 1].map(Value::int);
        assert!(differ_from_those_before(&widths, 1));
        assert!(!differ_from_those_before(&widths[..2], 1));
        assert!(!differ_from_those_before(&widths, 0), "nothing was executed yet");
    }

    #[test]
    fn the_count_of_enumerate_is_no_difference() {
        assert!(!differ_from_those_before(&pairs(&[(0, 64), (1, 64), (2, 64)]), 1));
        assert!(differ_from_those_before(&pairs(&[(0, 64), (1, 64), (2, 1)]), 1));
        assert!(differ_from_those_before(&pairs(&[(64, 64), (128, 64)]), 1));
    }

    #[test]
    fn many_items_are_not_looked_at() {
        let many: Vec<Value> = (0..40).map(Value::int).collect();
        assert!(!differ_from_those_before(&many, 2));
        assert!(differ_from_those_before(&many, 30));
    }
}
