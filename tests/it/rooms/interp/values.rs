mod builtin_names {
    use harp::interp::values::builtin_names::{NAMES, lookup};
    use harp::python::name::Name;

    #[test]
    fn names_are_sorted_for_the_search() {
        assert!(NAMES.is_sorted());
        assert!(lookup(Name::new("len")).is_some());
        assert!(lookup(Name::new("numpy")).is_none());
    }
}

mod decimal_rounding {
    use harp::interp::values::decimal_rounding::{float_rounded_to_tens, rounded_to_tens};

    #[test]
    fn halves_are_rounded_to_even() {
        let rounded = [(1234, -2), (1250, -2), (1350, -2), (-1250, -2), (-1251, -2), (15, -1), (5, -1), (7, -40)];
        let rounded = rounded.map(|(value, digits)| rounded_to_tens(value, digits));
        assert_eq!(rounded, [1200, 1200, 1400, -1200, -1300, 20, 0, 0].map(Some));
    }

    #[test]
    fn what_is_more_than_a_half_is_rounded_up() {
        let rounded = [1234.5, 1249.9, 1250.0, 1250.1, 1350.0, -1250.5].map(|value| float_rounded_to_tens(value, -2));
        assert_eq!(rounded, [1200.0, 1200.0, 1200.0, 1300.0, 1400.0, -1300.0].map(Some));
    }
}

mod number_errors {
    use harp::interp::values::number_errors::{DOMAIN, RANGE, error_of_math, error_of_operator};
    use harp::interp::values::value::Value;
    use harp::python::ir::BinaryOperator;

    #[test]
    fn numbers_outside_of_a_function_s_domain_are_refused() {
        assert_eq!(error_of_math("math.sqrt", &[-1.0]), Some(DOMAIN));
        assert_eq!(error_of_math("math.exp", &[1000.0]), Some(RANGE));
        assert_eq!(error_of_math("math.log", &[8.0, 2.0]), None);
        assert_eq!(
            error_of_operator(BinaryOperator::Power, &Value::int(0), &Value::int(-1)).map(|it| it.0),
            Some("ZeroDivisionError")
        );
        assert_eq!(error_of_operator(BinaryOperator::Power, &Value::int(10), &Value::int(400)), None);
    }
}

mod text_of_value {
    use harp::interp::values::text_of_value::{quoted, text_of_float};

    #[test]
    fn texts_are_those_of_python() {
        assert_eq!(quoted("it's").as_deref(), Some("\"it's\""));
        assert_eq!(quoted("a\"'\n").as_deref(), Some("'a\"\\'\\n'"));
        assert_eq!(text_of_float(1e-5).as_deref(), Some("1e-05"));
        assert_eq!(text_of_float(2.5e22).as_deref(), Some("2.5e+22"));
        assert_eq!(text_of_float(1.5).as_deref(), Some("1.5"));
        assert_eq!(text_of_float(3.0).as_deref(), Some("3.0"));
    }
}
