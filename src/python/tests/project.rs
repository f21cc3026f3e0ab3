//! Which file an import means, over whole projects in memory.

use crate::name::Name;
use crate::{ImportTarget, ModuleId, Project, exports};
use harp_corpus::{Corpus, FileId};

struct Files {
    corpus: Corpus,
    project: Project,
}

fn project(files: &[(&str, &str)]) -> Files {
    let corpus = Corpus::in_memory(files.iter().map(|(path, text)| (path.to_string(), text.to_string())).collect());
    let project = Project::build(&corpus);
    Files { corpus, project }
}

impl Files {
    fn id(&self, path: &str) -> ModuleId {
        let index = self.corpus.files.iter().position(|file| file.display_path == path).unwrap();
        ModuleId(index as u32)
    }

    fn show(&self, target: ImportTarget) -> String {
        match target {
            ImportTarget::Module(id) => self.corpus.files[id.0 as usize].display_path.clone(),
            ImportTarget::Package(id) => format!("folder {}", self.project.namespace_name(id)),
            ImportTarget::External(name) => format!("external {name}"),
        }
    }

    /// What `import dotted` means in the file `from`.
    fn import(&self, from: &str, dotted: &str) -> String {
        self.show(self.project.resolve_import(self.id(from), Name::new(dotted)))
    }

    /// What `from <dots>module import …` means in the file `from`.
    fn import_from(&self, from: &str, level: u32, module: &str) -> String {
        let module = (!module.is_empty()).then(|| Name::new(module));
        self.show(self.project.resolve_import_from(self.id(from), level, module))
    }

    fn exports(&self, path: &str) -> String {
        let names: Vec<_> = exports(&self.project, self.id(path)).iter().map(|name| name.as_str()).collect();
        names.join(" ")
    }
}

#[test]
fn modules_have_dotted_names() {
    let files = project(&[
        ("main.py", ""),
        ("tools/run.py", ""),
        ("src/lib/__init__.py", ""),
        ("src/lib/nn/__init__.py", ""),
        ("src/lib/nn/net.py", ""),
    ]);
    let names: Vec<_> = files.project.modules.iter().map(|module| module.name.as_str()).collect();
    assert_eq!(names, ["main", "lib", "lib.nn", "lib.nn.net", "tools.run"]);
    assert!(files.project.modules[1].is_package && !files.project.modules[3].is_package);
    assert_eq!(files.project.find_module(Name::new("lib.nn.net")), Some(ModuleId(3)));
    assert_eq!(files.project.find_module(Name::new("src.lib.nn")), Some(ModuleId(2)));
    assert_eq!(files.project.find_module(Name::new("torch")), None);
}

#[test]
fn scripts_import_their_neighbours_first() {
    let files = project(&[
        ("a/main.py", ""),
        ("a/model.py", ""),
        ("b/main.py", ""),
        ("b/model.py", ""),
        ("model.py", ""),
        ("c/main.py", ""),
        ("c/deep/main.py", ""),
        ("c/data.py", ""),
    ]);
    assert_eq!(files.import("a/main.py", "model"), "a/model.py");
    assert_eq!(files.import("b/main.py", "model"), "b/model.py");
    assert_eq!(files.import("c/main.py", "model"), "model.py");
    assert_eq!(files.import("c/deep/main.py", "data"), "c/data.py");
    assert_eq!(files.import("a/main.py", "b.model"), "b/model.py");
    assert_eq!(files.import("a/main.py", "data"), "external data");
    assert_eq!(files.import("a/main.py", "torch.nn"), "external torch.nn");
}

#[test]
fn packages_are_found_from_around_them_and_from_tests() {
    let files = project(&[
        ("src/lib/__init__.py", ""),
        ("src/lib/net.py", ""),
        ("src/lib/random.py", ""),
        ("src/lib/run.py", "if __name__ == '__main__': pass"),
        ("src/lib/helper.py", ""),
        ("tests/test_net.py", ""),
        ("train.py", ""),
    ]);
    assert_eq!(files.import("src/lib/net.py", "lib.net"), "src/lib/net.py");
    assert_eq!(files.import("tests/test_net.py", "lib.net"), "src/lib/net.py");
    assert_eq!(files.import("train.py", "lib"), "src/lib/__init__.py");
    assert_eq!(files.import("train.py", "lib.absent"), "external lib.absent");
    // Inside a package the standard library is meant, unless the file is started as a program.
    assert_eq!(files.import("src/lib/net.py", "random"), "external random");
    assert_eq!(files.import("src/lib/run.py", "random"), "src/lib/random.py");
    assert_eq!(files.import("src/lib/net.py", "helper"), "src/lib/helper.py");
}

#[test]
fn the_standard_library_is_hidden_only_by_neighbours_of_programs() {
    let files = project(&[
        ("queue.py", ""),
        ("main.py", ""),
        ("sub/run.py", ""),
        ("test/__init__.py", ""),
        ("test/a.py", ""),
        ("test/b.py", ""),
    ]);
    assert_eq!(files.import("main.py", "queue"), "queue.py");
    assert_eq!(files.import("sub/run.py", "queue"), "external queue");
    assert_eq!(files.import("test/a.py", "test.b"), "test/b.py");
}

#[test]
fn folders_without_init_are_packages_of_last_resort() {
    let files = project(&[
        ("main.py", ""),
        ("models/unet.py", ""),
        ("data/sets/mnist.py", ""),
        ("sub/run.py", ""),
        ("sub/data/x.py", ""),
        ("data.py", ""),
    ]);
    assert_eq!(files.import("main.py", "models"), "folder models");
    assert_eq!(files.import("main.py", "models.unet"), "models/unet.py");
    // A module anywhere on the path wins over a folder.
    assert_eq!(files.import("sub/run.py", "data"), "data.py");
    let models = files.project.resolve_import(files.id("main.py"), Name::new("models"));
    let unet = files.project.submodule(models, Name::new("unet")).unwrap();
    assert_eq!(files.show(unet), "models/unet.py");
    assert_eq!(files.project.submodule(models, Name::new("absent")), None);
}

#[test]
fn relative_imports_follow_the_folders() {
    let files = project(&[
        ("p/__init__.py", ""),
        ("p/m.py", ""),
        ("p/q/__init__.py", ""),
        ("p/q/m.py", ""),
        ("loose/a.py", ""),
        ("loose/b.py", ""),
    ]);
    assert_eq!(files.import_from("p/q/m.py", 1, ""), "p/q/__init__.py");
    assert_eq!(files.import_from("p/q/m.py", 1, "m"), "p/q/m.py");
    assert_eq!(files.import_from("p/q/m.py", 2, "m"), "p/m.py");
    assert_eq!(files.import_from("p/q/__init__.py", 1, "m"), "p/q/m.py");
    assert_eq!(files.import_from("p/q/__init__.py", 2, ""), "p/__init__.py");
    assert_eq!(files.import_from("p/q/m.py", 2, "absent"), "external p.absent");
    assert_eq!(files.import_from("p/q/m.py", 9, "m"), "external .........m");
    assert_eq!(files.import_from("loose/a.py", 1, "b"), "loose/b.py");
    let name = |from: &str, level, module: Option<&str>| {
        let name = files.project.resolve_relative(files.id(from), level, module.map(Name::new));
        name.map(|name| name.as_str())
    };
    assert_eq!(name("p/q/m.py", 2, Some("x.y")), Some("p.x.y"));
    assert_eq!(name("p/q/__init__.py", 1, None), Some("p.q"));
    assert_eq!(name("p/m.py", 3, Some("x")), None);
    let package = ImportTarget::Module(files.id("p/__init__.py"));
    assert_eq!(
        files.project.submodule(package, Name::new("q")).map(|target| files.show(target)),
        Some("p/q/__init__.py".into())
    );
}

#[test]
fn stars_bring_public_names() {
    let files = project(&[
        (
            "a.py",
            "import os.path, numpy as np\nfrom b import *\nx, (y, *_z) = 1, 2\nif x:\n    def f(): pass\nelse:\n    class C: pass\nfor i in x: pass\nwith x as w: pass\ntry: t = 1\nfinally: pass\nx = 2\n",
        ),
        ("b.py", "from a import *\n__version__ = 1\nname = _private = 3\n"),
        ("c.py", "__all__ = ['g'] + ['h']\n__all__ += ('k',)\n__all__.append('l')\n__all__.extend(['m'])\nz = 1\n"),
        ("d.py", "import c\n__all__ = ['g'] + c.__all__\nz = _y = 1\n"),
    ]);
    assert_eq!(files.exports("a.py"), "os np name x y f C i w t");
    assert_eq!(files.exports("c.py"), "g h k l m");
    assert_eq!(files.exports("d.py"), "g c z");
    assert!(files.exports("b.py").ends_with("t name"));
}

#[test]
fn errors_name_their_file() {
    let files = project(&[("a.py", "x = 1\n"), ("b.py", "x = = 1\ndef f(): pass\n"), ("c.py", "y = 1\n")]);
    assert_eq!(files.project.errors.len(), 1);
    assert_eq!(files.project.errors[0].0, FileId(1));
    assert_eq!(files.project.modules.len(), 3);
    assert!(files.project.modules[1].body.len() >= 2);
}

#[test]
fn notebooks_import_but_are_not_imported() {
    let notebook = r#"{"cells": [{"cell_type": "code", "source": "%matplotlib inline\nimport helper"}]}"#;
    let files = project(&[("n/book.ipynb", notebook), ("n/helper.py", ""), ("n/other.py", "")]);
    assert!(files.project.errors.is_empty());
    assert_eq!(files.project.modules[0].body.len(), 2);
    assert_eq!(files.import("n/book.ipynb", "helper"), "n/helper.py");
    assert_eq!(files.import("n/other.py", "book"), "external book");
}

#[test]
fn an_adapter_for_a_framework_does_not_stand_for_it() {
    let files = project(&[
        ("layers/__init__.py", ""),
        ("layers/backend/__init__.py", ""),
        ("layers/backend/jax/__init__.py", ""),
        ("layers/backend/jax/numpy.py", ""),
        ("layers/backend/own/__init__.py", ""),
        ("layers/backend/jax/nn.py", "import jax.numpy"),
    ]);
    assert_eq!(files.import("layers/backend/jax/nn.py", "jax.numpy"), "external jax.numpy");
    assert_eq!(files.import("layers/backend/jax/nn.py", "layers.backend.jax.numpy"), "layers/backend/jax/numpy.py");
}

#[test]
fn modules_that_others_import_are_known_wherever_the_import_stands() {
    let files = project(&[
        ("p/__init__.py", ""),
        ("p/q/__init__.py", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from .lazy import Thing\n"),
        ("p/q/lazy.py", "import p.q.lazy\n"),
        ("p/deep.py", ""),
        ("p/alone.py", "def f():\n    class C:\n        import p.q\n        from . import alone\n"),
        ("p/taken.py", "import torch\n"),
        ("script.py", "import script\ntry:\n    from p import deep, taken as t\nexcept ImportError:\n    pass\n"),
    ]);
    let found = files.project.modules_that_others_import();
    let mut names: Vec<_> = found.iter().map(|id| files.show(ImportTarget::Module(*id))).collect();
    names.sort();
    assert_eq!(names, ["p/__init__.py", "p/deep.py", "p/q/__init__.py", "p/q/lazy.py", "p/taken.py"]);
}
