mod unknown_calls {
    #[test]
    fn the_names_are_sorted() {
        assert!(harp::interp::unknown::unknown_calls::ONLOOKERS.is_sorted());
    }
}
