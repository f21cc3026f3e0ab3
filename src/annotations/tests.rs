use std::path::{Path, PathBuf};

use super::*;

fn load(source: &str) -> Result<Library, Vec<AnnotationError>> {
    let mut library = Library::default();
    let mut errors = Vec::new();
    library.add_file(Path::new("acme.yaml"), source, &mut errors);
    if errors.is_empty() { Ok(library) } else { Err(errors) }
}

#[test]
fn builtin_function_is_found_by_every_name() {
    let library = Library::builtin();
    let spec = library.function("torch.nn.functional.linear").expect("a built-in function");
    assert_eq!(spec.parameters.len(), 3);
    assert!(library.function("torch._C._nn.linear").is_some());
    let class = library.class("torch.nn.modules.linear.Linear").expect("a class by its module's alias");
    assert_eq!(&*class.qualified_name, "torch.nn.Linear");
    assert!(library.module("torch.nn"));
    assert!(library.module("torch.nn.modules.linear"));
    assert!(!library.module("torch.n"));
}

fn builtin_files() -> Vec<PathBuf> {
    vec![PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("api_annotations")]
}

#[test]
fn every_builtin_entry_is_free_of_mistakes() {
    if let Err(errors) = Library::with_user_files(&builtin_files()) {
        let messages: Vec<String> = errors.iter().map(ToString::to_string).collect();
        panic!("{}", messages.join("\n"));
    }
}
