mod bound_elsewhere {
    use harp::corpus::FileId;
    use harp::interp::judge::bound_elsewhere::{LocalNames, add_members};
    use harp::python::ir;
    use harp::python::name::Name;
    use harp::python::parse_module;
    use rustc_hash::FxHashSet;

    #[test]
    fn members_are_set_by_assignment_and_by_name() {
        let sets = |text: &str| {
            let mut names = FxHashSet::default();
            add_members(text, &mut names);
            names.contains("seed")
        };
        for text in [
            "m.seed = 3",
            "m.seed= 3",
            "setattr(m, 'seed', 3)",
            "x\nsetattr(module, \"seed\", 3)",
            "m.__dict__['seed'] = 3",
            "exec('seed = 3', vars(m))",
        ] {
            assert!(sets(text), "{text}");
        }
        for text in ["m.seed == 3", "seed = 3", "f(x, 'seed')", "print('seed')", "m.seeds = 3", "m.seed", "=", ". = 3"]
        {
            assert!(!sets(text), "{text}");
        }
    }

    #[test]
    fn functions_have_variables_from_their_start_to_their_end() {
        let text = "def f():\n    x = 1\n    def g():\n        x = 2\n    return x\nx\ng = lambda y: y\ny\n";
        let parsed = parse_module(FileId(0), Name::new("m"), false, text);
        let names = LocalNames::of(&parsed.module.body);
        let at = |text_before: &str, name: &str| {
            let start = text_before.len() as u32;
            names.has(Name::new(name), ir::Range { start, end: start + 1 })
        };
        let (function, rest) = text.split_at(text.find("x\ng =").unwrap());
        assert!(at("def f():\n    ", "x") && at(&function[..function.len() - 2], "x"));
        assert!(!at(function, "x"));
        let lambda = function.len() + rest.find(": y").unwrap() + 2;
        assert!(at(&text[..lambda], "y") && !at(&text[..text.len() - 2], "y"));
    }
}

mod filters {
    use harp::interp::judge::filters::filter_names;

    #[test]
    fn every_filter_has_a_name_of_its_own() {
        let mut names: Vec<&str> = filter_names().collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}

mod member_lists {
    use harp::interp::judge::member_lists::{class_has, module_has};

    #[test]
    fn members_are_found_by_class() {
        assert_eq!(class_has("torch.Tensor", "view"), Some(true));
        assert_eq!(class_has("torch.device", "parameters"), Some(false));
        assert_eq!(class_has("pandas.DataFrame", "head"), None);
        assert_eq!(module_has("torch.nn.functional", "relu"), Some(true));
        assert_eq!(module_has("torch", "relux"), Some(false));
    }
}

mod missing_members {
    use harp::interp::judge::missing_members::sets_attribute;

    #[test]
    fn attributes_are_set_by_assignments_and_by_name() {
        for text in ["x.size_hint = 3", "x.size_hint: int", "setattr(x, 'size_hint', 3)", "x.size_hint, y = 1, 2"] {
            assert!(sets_attribute(text, "size_hint"), "{text}");
        }
        for text in ["x.size_hint == 3", "x.size_hint()", "x.size_hint_2 = 3", "size_hint = 3"] {
            assert!(!sets_attribute(text, "size_hint"), "{text}");
        }
    }
}

mod surroundings {
    use harp::interp::judge::surroundings::{automatic_commands, has_commands, is_numbered, reaches_into_cells};

    #[test]
    fn ipython_keeps_inputs_and_outputs() {
        for name in ["_1", "_i", "_i12", "_23"] {
            assert!(is_numbered(name), "{name}");
        }
        for name in ["_", "_i1x", "i1", "_ix", "x_1", ""] {
            assert!(!is_numbered(name), "{name}");
        }
    }

    #[test]
    fn commands_are_whole_words_at_the_start_of_a_statement() {
        for text in ["%run other.py", "x = 1\n  %store -r", "a, b = %mine 3", "%%cython"] {
            assert!(has_commands(text), "{text}");
        }
        for text in ["%load_ext autoreload", "print('a = %s' % x)", "x = 5 % run", "% run"] {
            assert!(!has_commands(text), "{text}");
        }
    }

    #[test]
    fn code_reaches_into_cells() {
        for text in ["get_ipython().user_ns['a'] = 3", "ip.push({'a': 3})", "get_ipython().run_line_magic('pylab', '')"]
        {
            assert!(reaches_into_cells(text), "{text}");
        }
        for text in [
            "get_ipython().run_line_magic('matplotlib', 'inline')",
            "get_ipython().magic('load_ext autoreload')",
            "repository.push('main')",
        ] {
            assert!(!reaches_into_cells(text), "{text}");
        }
    }

    #[test]
    fn lines_may_be_commands() {
        assert_eq!(automatic_commands("ls -la\nx = 3\nls\ntime.sleep(3)\ncat = 5\n").len(), 2);
    }
}

mod named_classes {
    use harp::interp::judge::named_classes::{NamedClasses, names_elsewhere};

    #[test]
    fn one_pass_over_texts_says_what_a_search_for_each_name_says() {
        let texts = [
            "class One(Two):\n    x = super(One, self)\nclass Two:\n    '''Like Three_, not Two_.'''\n",
            "é = Four()\nclass Four: pass\nclass Three: \"Fünf\"\nclass Fünf: pass\nclass  Six: pass\nSix()\nmakes = Seven",
            "class Seven: pass\nsubclass Eight\nclass Eight: pass\nclass Nine",
        ];
        let classes = NamedClasses::new(texts.into_iter());
        for name in ["One", "Two", "Three", "Four", "Fünf", "Seven", "Eight", "Nine"] {
            let found = texts.iter().any(|text| names_elsewhere(text, name));
            assert_eq!(classes.is_named(name), Some(found), "{name}");
        }
        assert_eq!(classes.is_named("Six"), None);
        assert_eq!(classes.is_named("One"), Some(false));
        assert_eq!(classes.is_named("Two"), Some(true));
    }
}
