mod call_chains {
    use harp::graph::tested::short_name;

    #[test]
    fn methods_are_named_with_their_class() {
        assert_eq!(short_name("train.Trainer.step"), "Trainer.step");
        assert_eq!(short_name("package.train.step"), "step");
        assert_eq!(short_name("step"), "step");
        assert_eq!(short_name("ä.Ö.ü"), "Ö.ü");
    }
}

mod closures {
    use harp::graph::tested::{reachability, varying};

    #[test]
    fn reachability_follows_edges() {
        let mut pairs = Vec::new();
        reachability::each(vec![[7, 2], [0, 1]], &[[1, 2], [2, 3], [3, 1], [1, 2]], |from, to| {
            pairs.push((from, to));
            pairs.len() < 5
        });
        assert_eq!(pairs, [(0, 1), (0, 2), (0, 3), (7, 1), (7, 2)]);
    }

    #[test]
    fn what_is_computed_from_varying_values_varies() {
        use varying::{FreshFrom, ImpureIn, Unsteady, closure};
        // In loop 9: statement 1 is impure, 2 reads what 1 assigns, 3 reads what a statement outside assigns.
        let (uses, statements) = closure(
            vec![Unsteady(4, 40, 9), Unsteady(5, 50, 9)],
            vec![FreshFrom(1, 2, 20, 9), FreshFrom(6, 3, 30, 9)],
            vec![ImpureIn(1, 9)],
        );
        let uses: Vec<u32> = uses.iter().map(|row| row.0).collect();
        let statements: Vec<u32> = statements.iter().map(|row| row.0).collect();
        assert_eq!(uses, [2, 4, 5]);
        assert_eq!(statements, [1, 2, 4, 5]);
    }
}

mod dot {
    use harp::graph::dot::quoted;

    #[test]
    fn labels_cannot_leave_their_quotes() {
        assert_eq!(quoted("a\"b\\\n"), "\"a\\\"b\\\\\\n\"");
    }
}

mod effects {
    use harp::graph::tested::{AliasGroups, VariableId};

    #[test]
    fn groups_join_through_chains() {
        let [a, b, c, d, e] = [0, 1, 2, 3, 4].map(VariableId);
        let groups = AliasGroups::new(&[(a, b), (c, d), (d, b)]);
        assert_eq!(groups.members(&c), [a, b, c, d]);
        assert_eq!(groups.members(&e), [e]);
    }
}

mod facts {
    use harp::graph::{Facts, Relation, Wanted};
    use harp::trace::answers::Reply;

    #[test]
    fn rows_that_rest_on_denied_assumptions_go() {
        let mut facts = Facts::new(&Wanted::All);
        let rows: [&[u32]; 4] = [&[0], &[1, 2], &[], &[2]];
        for (index, assumptions) in rows.iter().enumerate() {
            let symbol = facts.symbol(&index.to_string());
            facts.add_assuming(Relation::RunsOften, [symbol.into()], assumptions);
        }
        facts.settle(&[Some(Reply::Denied), Some(Reply::Confirmed), None]);
        let rows: Vec<(String, Vec<u32>)> = facts
            .rows(Relation::RunsOften)
            .iter()
            .map(|(row, assumptions)| (facts.text(row[0].symbol()).into_owned(), assumptions.to_vec()))
            .collect();
        assert_eq!(rows, [("1".to_owned(), vec![2]), ("2".to_owned(), vec![]), ("3".to_owned(), vec![2])]);
    }
}

mod host_rows {
    use harp::graph::tested::without_comment;

    #[test]
    fn a_comment_ends_the_header() {
        assert_eq!(without_comment("for i in x:  # all"), "for i in x:  ");
        assert_eq!(without_comment("for i in f('#', \"a\\\"#\"):"), "for i in f('#', \"a\\\"#\"):");
        assert_eq!(without_comment("while x['é']: # '"), "while x['é']: ");
    }
}

mod lookup {
    use harp::graph::tested::{ByKey, ByNumber};

    #[test]
    fn items_with_a_key_lie_together() {
        let by_key = ByKey::new((0..6).map(|index| (index % 3, index)));
        assert_eq!(by_key.get(&1), [1, 4]);
        assert_eq!(by_key.get(&7), [0; 0]);
        let by_number = ByNumber::new(4, 6, |index| index, |index| [3, 0, 3, 1, 0, 3][index as usize]);
        assert_eq!(
            [0, 1, 2, 3, 4].map(|whole| by_number.get(whole).to_vec()),
            [vec![1, 4], vec![3], vec![], vec![0, 2, 5], vec![]]
        );
    }
}

mod schema {
    use std::collections::BTreeSet;

    use harp::annotations::{Cost, Effects};
    use harp::graph::schema::{Relation, Schema};
    use harp::graph::tested::FOLLOWED;

    #[test]
    fn the_enumeration_is_the_schema_in_its_order() {
        let declared: Vec<&str> = Schema::get().relations.iter().map(|relation| relation.name.as_str()).collect();
        let listed: Vec<&str> = Relation::ALL.iter().map(|relation| relation.name()).collect();
        assert_eq!(declared, listed);
    }

    #[test]
    fn every_relation_has_a_sentence_and_known_types() {
        let schema = Schema::get();
        let known = |name: &str| {
            name == "number" || name == "symbol" || schema.types.iter().any(|declared| declared.name == name)
        };
        for relation in &schema.relations {
            assert!(relation.documentation.ends_with(['.', '…', ')']), "{}: no sentence", relation.name);
            assert!(!relation.columns.is_empty(), "{}: no columns", relation.name);
            for column in &relation.columns {
                assert!(known(&column.type_name), "{}: unknown type {}", relation.name, column.type_name);
            }
        }
        assert!(schema.types.iter().all(|declared| known(&declared.parent)));
        assert!(schema.relations.iter().any(|relation| relation.open));
    }

    #[test]
    fn the_words_of_columns_are_those_of_the_rooms() {
        let words = |relation: Relation, column: usize| -> BTreeSet<&str> {
            Schema::get().relation(relation).columns[column].words.iter().map(String::as_str).collect()
        };
        let effects: BTreeSet<&str> = Effects::WORDS.iter().map(|(word, _)| *word).collect();
        let beside = BTreeSet::from(["files", "logging", "writes …"]);
        assert_eq!(words(Relation::Effect, 1), effects.union(&beside).copied().collect());
        assert_eq!(words(Relation::Cost, 1), Cost::WORDS.iter().map(|(word, _)| *word).collect());
        assert_eq!(words(Relation::ReachesEffect, 1), FOLLOWED.into_iter().collect());
        let devices = words(Relation::ExprDevice, 1);
        for (relation, column) in [(Relation::OutputDevice, 1), (Relation::InputDevice, 2), (Relation::Transfer, 1)] {
            assert_eq!(words(relation, column), devices);
        }
        assert_eq!(words(Relation::ExprDtype, 1), words(Relation::OutputDtype, 1));
    }
}

mod text_table {
    use harp::corpus::{Corpus, Span};
    use harp::graph::tested::{Form, Texts};

    #[test]
    fn places_are_found_by_their_texts() {
        let corpus = Corpus::single("a.py", "x = 1\ny = (x +\n     2)\n");
        let (name, file) = (corpus.files[0].display_path.clone(), corpus.files[0].id);
        let mut texts = Texts::default();
        let written = texts.symbol(&format!("{name}:1:1"));
        let expected = [
            (Span::new(file, 0, 5), Form::Start, ":1:1"),
            (Span::new(file, 0, 0), Form::Start, ""),
            (Span::new(file, 4, 5), Form::Range, ":1:5-6"),
            (Span::new(file, 10, 22), Form::Range, ":2:5-3:8"),
        ];
        for (span, form, text) in expected {
            let symbol = texts.place(&corpus, span, form);
            let text = format!("{name}{text}");
            assert_eq!(texts.get(symbol), text);
            assert_eq!(texts.find(&text), Some(symbol));
            assert_eq!(texts.symbol(&text), symbol);
            assert_eq!(texts.span(symbol), Some(span));
        }
        let later = Span::new(file, 0, 1);
        assert_eq!(texts.place(&corpus, later, Form::Start), written);
        assert_eq!(texts.span(written), Some(later));
        assert_eq!(texts.len(), 4);
        assert_eq!(texts.find("b.py"), None);
    }
}

mod bounds {
    use harp::graph::tested::{Bound, moved_text};

    #[test]
    fn bounds_move_with_the_offset() {
        assert_eq!(moved_text("n - 1", 1), "n");
        assert_eq!(moved_text("n", 2), "n + 2");
        assert_eq!(moved_text("len(a)", -1), "len(a) - 1");
        assert_eq!(moved_text("a * b - 1", 1), "a * b - 1 + 1");
        assert_eq!(Bound::Constant(1).moved(-1).as_deref(), Some("0"));
        assert_eq!(Bound::Constant(0).moved(-1), None);
    }
}
