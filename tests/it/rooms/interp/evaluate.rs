mod exceptions {
    use harp::interp::evaluate::exceptions::{BASES, is_kind_of};

    #[test]
    fn bases_are_sorted_for_the_search() {
        assert!(BASES.is_sorted_by_key(|(name, _)| *name));
        assert!(is_kind_of("KeyError", "Exception") && is_kind_of("KeyError", "LookupError"));
        assert!(!is_kind_of("SystemExit", "Exception") && is_kind_of("SystemExit", "BaseException"));
        assert!(is_kind_of("FileNotFoundError", "IOError"));
    }
}

mod sequence_items {
    use harp::interp::evaluate::sequence_items::slice_positions;

    #[test]
    fn slices_select_as_python_does() {
        let of = |lower, upper, step| slice_positions(5, lower, upper, step).collect::<Vec<_>>();
        assert_eq!(of(None, None, 1), [0, 1, 2, 3, 4]);
        assert_eq!(of(Some(1), Some(-1), 1), [1, 2, 3]);
        assert_eq!(of(None, None, -1), [4, 3, 2, 1, 0]);
        assert_eq!(of(Some(-2), None, 1), [3, 4]);
        assert_eq!(of(Some(9), None, 1), Vec::<i64>::new());
        assert_eq!(of(Some(3), Some(0), -2), [3, 1]);
    }
}
