mod format_spec {
    use harp::interp::builtins::format_spec::{float, integer, parse};

    fn of(value: f64, specification: &str) -> String {
        float(value, &parse(specification).expect("a specification")).expect("a text")
    }

    #[test]
    fn numbers_are_written_as_python_writes_them() {
        let whole = |value, text| integer(value, &parse(text).expect("a specification")).expect("a text");
        assert_eq!(whole(7, "03"), "007");
        assert_eq!(whole(-7, "05d"), "-0007");
        assert_eq!(whole(255, "#x"), "0xff");
        assert_eq!(whole(1_234_567, ","), "1,234,567");
        assert_eq!(whole(12, ">4"), "  12");
        assert_eq!(whole(5, "b"), "101");
        assert_eq!(of(2.55, ".1f"), "2.5");
        assert_eq!(of(0.5, ".0%"), "50%");
        assert_eq!(of(1e-3, ".1e"), "1.0e-03");
        assert_eq!(of(3.0, ""), "3.0");
        assert_eq!(of(0.25, "g"), "0.25");
        assert_eq!(of(1234.5, "+,.2f"), "+1,234.50");
        assert!(parse("a.b.c").is_none());
    }
}

mod str_case {
    use harp::interp::builtins::str_case::{capitalised, expanded, is_identifier, title};
    use harp::interp::values::value::Value;

    #[test]
    fn letters_change_as_in_python() {
        assert_eq!(title("hello wORLD it's 3d"), "Hello World It'S 3D");
        assert_eq!(capitalised("aB c"), "Ab c");
        assert_eq!(expanded("ab\tc"), "ab      c");
        assert!(matches!(is_identifier("a_1"), Value::Bool(true)) && matches!(is_identifier("1a"), Value::Bool(false)));
    }
}
