//! Names that several handlers claim: the first one gets them, so that an order which nobody sees would decide what a call means.

use std::collections::BTreeSet;
use std::path::Path;

use harp::interp::NoModels;
use harp::interp::api::registry;
use harp::libraries::ALL;
use harp::libraries::tested::{FUNCTIONS, INSTANCE_CALLS, METHODS};

/// Names that are claimed twice, with those that claim them, in the order in which they are asked. The first one is meant.
const TWICE: [(&str, &[&str]); 0] = [];

/// Everything that may be a name: the texts in the sources of handlers, and what annotations describe, with the methods of built-in types.
fn candidates() -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for folder in ["libraries", "interp/builtins", "interp/classes", "interp/generators"] {
        texts_below(&source.join(folder), &mut names);
    }
    // Handlers of methods take the class and the method apart.
    let (classes, members): (Vec<String>, Vec<String>) =
        names.iter().filter(|name| name.is_ascii()).cloned().partition(|name| name.contains('.'));
    let of_kind = |class: &&String| {
        class.rsplit('.').next().is_some_and(|last| last.starts_with(char::is_uppercase))
            || class.starts_with("builtins.")
            || class.starts_with("collections.")
    };
    for class in classes.iter().filter(of_kind) {
        names.extend(members.iter().filter(|member| is_name(member)).map(|member| format!("{class}.{member}")));
    }
    for entry in harp::builtin::library().entries() {
        match entry {
            harp::annotations::Entry::Api(spec) => _ = names.insert(spec.qualified_name.to_string()),
            harp::annotations::Entry::Class(class) => _ = names.insert(class.qualified_name.to_string()),
            harp::annotations::Entry::Constant(_) => {}
        }
    }
    names
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}

/// The string literals of Rust files that could be qualified names or parts of them.
fn texts_below(folder: &Path, names: &mut BTreeSet<String>) {
    for path in std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
        if path.is_dir() {
            texts_below(&path, names);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = std::fs::read_to_string(&path).expect("a file");
            let parts = text.split('"').skip(1).step_by(2);
            names.extend(parts.filter(|part| part.split('.').all(is_name)).map(str::to_owned));
        }
    }
}

#[test]
fn no_name_is_claimed_twice_unseen() {
    let mut found: Vec<(String, Vec<&str>)> = Vec::new();
    for name in candidates() {
        let mut note = |mut claims: Vec<&'static str>, by_python: bool| {
            claims.extend(by_python.then_some("builtins"));
            if claims.len() > 1 {
                found.push((name.clone(), claims));
            }
        };
        let claims = FUNCTIONS.iter().filter(|(_, of)| of(&name).is_some()).map(|(who, _)| *who).collect();
        note(claims, registry::function(&NoModels, &name).is_some());
        let claims = METHODS.iter().filter(|(_, of)| of(&name).is_some()).map(|(who, _)| *who).collect();
        note(claims, registry::method(&NoModels, &name).is_some());
        let claims = INSTANCE_CALLS.iter().filter(|(_, of)| of(&name).is_some()).map(|(who, _)| *who).collect();
        note(claims, registry::instance_call(&NoModels, &name).is_some());
        let claims = ALL.constructor(&name).is_some().then_some("libraries").into_iter().collect();
        note(claims, registry::constructor(&NoModels, &name).is_some());
    }
    let known: Vec<(String, Vec<&str>)> =
        TWICE.iter().map(|(name, claims)| ((*name).to_owned(), claims.to_vec())).collect();
    assert_eq!(found, known, "a name that several claim is listed, and the first is meant");
}
