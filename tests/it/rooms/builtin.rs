use std::path::PathBuf;

use harp::annotations::manifest::{MANIFEST, Manifest};
use harp::annotations::{AttributeValue, Behaviour, Entry, Library, ResultType};
use harp::python::name::Name;
use harp::python::parse_module;

use harp::builtin::{ANNOTATIONS, PYTHON};

#[test]
fn a_users_entry_hides_a_built_in_one() {
    let source = "library: acme\napis:\n  - function: torch.relu\n    parameters: \"x\"\n    returns: int\n";
    let files = [(PathBuf::from("acme.yaml"), source.to_owned())];
    let library = Library::with_user_files(&ANNOTATIONS, &files, []).expect("a file without mistakes");
    let own = library.function("torch.relu").expect("the function");
    assert!(matches!(own.behaviour, Behaviour::Opaque(ResultType::Integer)));
    assert!(
        harp::builtin::library()
            .function("torch.relu")
            .is_some_and(|spec| matches!(spec.behaviour, Behaviour::Signature(_)))
    );
}

#[test]
fn a_users_class_has_the_methods_of_a_built_in_base() {
    let source = "library: acme\napis:\n  - class: acme.Project\n    bases: [torch.nn.Module]\n";
    let files = [(PathBuf::from("acme.yaml"), source.to_owned())];
    let library = Library::with_user_files(&ANNOTATIONS, &files, []).expect("a file without mistakes");
    assert!(library.method("acme.Project", "state_dict").is_some());
}

#[test]
fn aliases_of_modules_are_found_by_their_packages() {
    for alias in ANNOTATIONS.module_aliases {
        let package = alias.0.split('.').next().unwrap_or(alias.0);
        assert!(!package.contains('*'), "{}", alias.0);
        let member = format!("{}.member", alias.0);
        assert!(ANNOTATIONS.aliases_that_may_fit(&member).any(|found| found == *alias), "{}", alias.0);
    }
    assert_eq!(ANNOTATIONS.aliases_that_may_fit("nothing.of.the.kind").count(), 0);
}

#[test]
fn entries_are_found_by_every_name() {
    let library = harp::builtin::library();
    let function = |name: &str| library.function(name).map(|spec| spec.qualified_name.to_string());
    // Names of one entry stay what they are; an alias gives the first name.
    assert_eq!(function("torch.nn.functional.conv2d").as_deref(), Some("torch.nn.functional.conv2d"));
    assert_eq!(function("torch.conv3d").as_deref(), Some("torch.conv3d"));
    assert_eq!(function("torch._C._nn.linear").as_deref(), Some("torch.nn.functional.linear"));
    let class = library.class("torch.nn.modules.linear.Linear").expect("a class by its module's alias");
    assert_eq!(&*class.qualified_name, "torch.nn.Linear");
    assert!(library.method("torch.Tensor", "view").is_some());
    assert!(library.method("numpy.ndarray", "any").is_some(), "an own method");
    assert!(library.method("torch.nn.Parameter", "view").is_some(), "a method of a base class");
    assert!(library.property("torch.Tensor", "T").is_some());
    assert!(library.method("torch.Tensor", "T").is_none(), "a property is no method");
    assert!(library.constant("numpy.pi").is_some());
    for module in ["torch", "torch.nn", "torch.nn.modules.linear", "torchvision.datasets", "os"] {
        assert!(library.module(module), "{module}");
    }
    assert!(!library.module("torch.n"));
    assert!(library.function("torch.no_such_function").is_none());
}

fn builtin_files() -> Vec<(PathBuf, String)> {
    let mut files = Vec::new();
    let mut folders = vec![PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("api_annotations")];
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(&folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "yaml") && !path.ends_with(MANIFEST) {
                let text = std::fs::read_to_string(&path).expect("a file");
                files.push((path, text));
            }
        }
    }
    files
}

#[test]
fn every_builtin_entry_is_free_of_mistakes() {
    match Library::with_user_files(&ANNOTATIONS, &builtin_files(), []) {
        Ok(library) => assert_eq!(library.entries().count(), 2 * harp::builtin::library().entries().count()),
        Err(errors) => {
            let messages: Vec<String> = errors.iter().map(ToString::to_string).collect();
            panic!("{}", messages.join("\n"));
        }
    }
}

/// Classes, bases and defaults that entries mention must themselves be described.
#[test]
fn builtin_entries_mention_only_what_is_described() {
    let library = harp::builtin::library();
    let mut missing = Vec::new();
    for entry in library.entries() {
        match entry {
            Entry::Class(class) => {
                // Exceptions of Python have no entries.
                let is_unknown = |base: &str| !base.starts_with("builtins.") && library.class(base).is_none();
                missing.extend(class.bases.iter().filter(|base| is_unknown(base)).cloned());
                for (_, value) in &class.attributes {
                    if let AttributeValue::Instance { class, .. } = value
                        && library.class(class).is_none()
                    {
                        missing.push(class.clone());
                    }
                }
            }
            Entry::Api(spec) => {
                if let Behaviour::Opaque(ResultType::Instance(class)) = &spec.behaviour
                    && library.class(class).is_none()
                {
                    missing.push(class.clone());
                }
                let writes = spec.effects.writes.iter().filter(|name| spec.parameter(name).is_none());
                missing.extend(writes.map(|name| format!("{}: {name}", spec.qualified_name).into()));
            }
            Entry::Constant(_) => {}
        }
    }
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn every_folder_is_a_pack_with_a_manifest_free_of_mistakes() {
    let modules: Vec<&str> = PYTHON.iter().map(|(module, _)| *module).collect();
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("api_annotations");
    for pack in std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
        let path = pack.join(MANIFEST);
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let manifest = Manifest::parse(&path, &text, &modules).unwrap_or_else(|errors| panic!("{errors:?}"));
        assert_eq!(Some(manifest.name.as_str()), pack.file_name().and_then(|name| name.to_str()));
    }
}

#[test]
fn every_source_is_python_and_is_found() {
    let sources = harp::builtin::sources();
    for (module, text) in PYTHON {
        let id = sources.module(module).expect("a source");
        let errors = parse_module(id, Name::new(module), false, text).errors;
        assert!(errors.is_empty(), "{module}: {errors:?}");
    }
    let family = sources.sources_of("torchvision.models").next().expect("a source");
    assert_eq!(sources.public_name(family, "resnet18").as_deref(), Some("torchvision.models.resnet18"));
}

#[test]
fn packages_that_packs_follow_are_known() {
    let packages = harp::builtin::library().packages();
    for package in ["pandas", "omegaconf", "torch"] {
        assert!(packages.iter().any(|known| known == package), "{package}");
    }
    assert!(!packages.iter().any(|known| known == "scipy"), "its own sources say more than the pack");
}
