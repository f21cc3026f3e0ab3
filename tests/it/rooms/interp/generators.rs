mod resumable_bodies {
    use harp::corpus::FileId;
    use harp::interp::generators::resumable_bodies::stops_at_each_yield;
    use harp::python::ir::StmtKind;
    use harp::python::name::Name;

    fn stops(body: &str) -> bool {
        let source = format!("def g():\n    {}\n", body.replace('\n', "\n    "));
        let parsed = harp::python::parse_module(FileId(0), Name::new("test"), false, &source);
        match &parsed.module.body[0].kind {
            StmtKind::Function(function) => stops_at_each_yield(&function.body),
            _ => panic!("no function"),
        }
    }

    #[test]
    fn what_comes_before_a_yield_decides() {
        assert!(stops("x = yield total\nfor a in b():\n    yield f(a)"));
        assert!(stops("total += yield a"));
        assert!(stops("x = (yield 1) + (yield g(2))"));
        assert!(!stops("x = f() + (yield 1)"));
        assert!(!stops("self.x += yield 1"));
        assert!(stops("self.x = yield 1"));
    }
}
