mod notation {
    use harp::interp::hints::notation::{Part, notation, words};
    use harp::shape::notation::PatternDim;

    fn name(text: &str) -> Part {
        Part::Dim(PatternDim::Name(text.to_owned()))
    }

    #[test]
    fn words_of_jaxtyping() {
        assert_eq!(words("batch 3"), Some(vec![name("batch"), Part::Dim(PatternDim::Constant(3))]));
        assert_eq!(
            words("*s _ rows=4"),
            Some(vec![Part::Named("s".into()), Part::Any, Part::Dim(PatternDim::Constant(4))])
        );
        assert_eq!(words("... #b"), Some(vec![Part::Rest, Part::Any]));
        assert_eq!(words(""), Some(Vec::new()));
        assert_eq!(words("a ]b"), None);
    }

    #[test]
    fn texts_in_the_notation() {
        assert_eq!(notation("[n]@s"), Some(vec![name("n"), Part::Named("s".into())]));
        assert_eq!(notation("torch.Tensor"), None);
        assert_eq!(notation("broadcast(s, t)@[n]"), None);
    }
}
