mod call_forms {
    use harp::annotations::ParameterKind;
    use harp::annotations::call_forms::{Kinds, parse_form};

    #[test]
    fn a_form_has_kinds_and_defaults() {
        let form = parse_form("input: tensor, dim: int | ints = ..., /, *rest: int, out = None, **others").unwrap();
        let kinds: Vec<ParameterKind> = form.parameters.iter().map(|parameter| parameter.kind).collect();
        assert_eq!(
            kinds,
            [
                ParameterKind::PositionalOnly,
                ParameterKind::PositionalOnly,
                ParameterKind::VariadicPositional,
                ParameterKind::KeywordOnly,
                ParameterKind::VariadicKeyword
            ]
        );
        assert_eq!(form.parameters[1].takes, Some(Kinds::INTEGER.with(Kinds::INTEGERS)));
        assert!(form.parameters[3].is_optional && !form.parameters[0].is_optional);
        assert_eq!(parse_form("").unwrap().parameters, []);
    }

    #[test]
    fn mistakes_in_forms_have_places() {
        assert_eq!(parse_form("input: tenser").unwrap_err().offset, 7);
        assert!(parse_form("a, a").unwrap_err().message.contains("twice"));
        assert!(parse_form("a b").is_err());
        assert!(parse_form("a: int |").is_err());
        assert!(parse_form("**").is_err());
    }
}

mod manifest {
    use std::path::Path;

    use harp::annotations::manifest::Manifest;

    fn errors(text: &str) -> Vec<String> {
        let result = Manifest::parse(Path::new("m.yaml"), text, &["acme.shapes"]);
        result.expect_err("a mistake").iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_manifest_says_what_it_says() {
        let text = "name: acme\nversion: '1'\nfollows: acme\ngathers: {acme: acme.shapes}\n";
        let manifest = Manifest::parse(Path::new("m.yaml"), text, &["acme.shapes"]).expect("no mistake");
        assert_eq!((manifest.name.as_str(), &*manifest.follows), ("acme", &["acme".to_owned()][..]));
        assert_eq!(manifest.gathers["acme"], ["acme.shapes"]);
    }

    #[test]
    fn mistakes_are_shown_where_they_stand() {
        assert_eq!(errors("follows: acme\n"), ["m.yaml:1:1: the key `name` is missing"]);
        assert!(errors("name: a\nfollow: b\n")[0].starts_with("m.yaml:2:1: unknown key `follow`"));
        assert!(errors("name: a\nfollows: [a-b]\n")[0].starts_with("m.yaml:2:11: `a-b` is not a qualified name"));
        assert_eq!(
            errors("name: a\ngathers:\n  acme: acme.shape\n"),
            ["m.yaml:3:9: unknown source `acme.shape`\n  hint: did you mean `acme.shapes`?"]
        );
        assert!(errors("name: 'a b'\n")[0].contains("not a valid name of a library pack"));
    }
}

mod versions {
    use harp::annotations::versions::{Absence, Lifetime, Target, Version};

    fn lifetime(since: Option<&str>, until: Option<&str>) -> Lifetime {
        Lifetime { since: since.map(Into::into), until: until.map(Into::into) }
    }

    #[test]
    fn versions_compare_by_number() {
        let version = |text| Version::parse(text).unwrap();
        assert!(version("1.10") > version("1.9.1"));
        assert!(version("2") == version("2.0.0"));
        assert!(version("2.1.0+cu121") == version("2.1"));
        assert!(version("1.13rc1") < version("2"));
        assert!(Version::parse("latest").is_none());
    }

    #[test]
    fn requirements_bound_a_target() {
        let pinned = Target::parse("==1.12.1").unwrap();
        assert_eq!(pinned.lacks(&lifetime(Some("2.0"), None)), Some(Absence::Added("2.0".to_owned())));
        assert_eq!(pinned.lacks(&lifetime(None, Some("1.8"))), Some(Absence::Removed("1.8".to_owned())));
        assert_eq!(pinned.lacks(&lifetime(Some("1.7"), Some("2.0"))), None);
        let open = Target::parse(">=1.8").unwrap();
        assert_eq!(open.lacks(&lifetime(Some("2.6"), None)), None);
        assert!(open.lacks(&lifetime(None, Some("1.8"))).is_some());
        let release = Target::parse("~=2.1").unwrap();
        assert!(release.lacks(&lifetime(Some("3.0"), None)).is_some());
        assert_eq!(release.lacks(&lifetime(Some("2.9"), None)), None);
        assert!(Target::parse("2.1").unwrap().is_before("2.2"));
        assert!(!Target::parse("2.1").unwrap().is_before("2.1"));
        assert!(Target::parse(">=2,<1").unwrap().is_empty() && !release.is_empty() && !open.is_empty());
        assert_eq!(Target::parse(">=2,>=1"), Target::parse(">=2"));
        assert_eq!(Target::parse("!=2.0"), None);
        assert_eq!(Target::parse(""), None);
    }
}
