//! Mistakes in rule files are shown with their place, a caret and a hint. Each file of `tests/data/rule_errors/` has the
//! mistakes of one kind; what Harp says of them is in the snapshot of its name.
//!
//! `INSTA_UPDATE=always cargo test --test rule_errors` writes the snapshots anew.

use std::path::Path;

use harp::cli::packs::user_error;
use harp::datalog::{NoFunctors, Program, Source};

/// Everything that is said of a file, as the command line shows it.
fn messages(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/rule_errors").join(format!("{name}.dl"));
    let text = std::fs::read_to_string(path).expect("the file is there");
    let schema = Source::new("schema.dl", include_str!("../../src/graph/schema.dl"));
    let rules = Source::new(format!("{name}.dl"), text);
    let sources = [schema.clone(), rules.clone()];
    let Err(diagnostics) = Program::compile(&[schema], &[rules], &NoFunctors) else {
        panic!("{name}.dl has no mistakes");
    };
    let shown: Vec<String> = diagnostics.iter().map(|one| user_error(one, &sources).to_string()).collect();
    without_schema_lines(&shown.join("\n\n"))
}

/// The schema grows; on which of its lines a relation stands is not what these tests are about.
fn without_schema_lines(text: &str) -> String {
    let mut parts = text.split("schema.dl:");
    let mut kept = parts.next().unwrap_or("").to_owned();
    for part in parts {
        kept.push_str("schema.dl:…");
        kept.push_str(part.trim_start_matches(|character: char| character.is_ascii_digit()));
    }
    kept
}

macro_rules! snapshots {
    ($($name:ident)*) => {
        $(
            #[test]
            fn $name() {
                let settings = {
                    let mut settings = insta::Settings::clone_current();
                    settings.set_snapshot_path("../data/rule_errors");
                    settings.set_prepend_module_to_snapshot(false);
                    settings.set_omit_expression(true);
                    settings
                };
                settings.bind(|| insta::assert_snapshot!(stringify!($name), messages(stringify!($name))));
            }
        )*
    };
}

snapshots! {
    arity
    cycle
    declared_elsewhere
    metadata
    not_supported
    other_languages
    syntax
    types
    unclosed_comment
    unknown_names
    variables
    words
}
