//! Projects that put something of theirs in place of a library that Harp knows: no error is hidden so in silence.

use crate::common::folder;
use crate::common::repository::{Repository, Said, harp_in};

const PROGRAM: &str = "import torch\ny = torch.zeros(2, 3) @ torch.zeros(4, 5)\n";
const MANIFEST: &str = "name: torchfix\nfollows: torch\n";
const UNKNOWN: &str = "def zeros(*a, **k):\n    import harp_library\n    return harp_library.unknown('x')\n";

const WITH_PACK: [(&str, &str); 4] = [
    ("a.py", PROGRAM),
    ("harp.toml", "annotations = [\"lib\"]\n"),
    ("lib/harp-library.yaml", MANIFEST),
    ("lib/python/torch.py", UNKNOWN),
];
const PACK_IS_TOLD: &str = "`lib/python/torch.py` replaces what Harp knows of `torch.zeros`";
const MODULE_IS_TOLD: &str = "`torch.py` of the project stands in place of the library `torch`";

fn check(files: &[(&str, &str)], arguments: &[&str]) -> Said {
    let folder = folder(files);
    harp_in(folder.path(), &[&["check", "--no-cache"], arguments].concat(), b"")
}

/// What is assumed of the first entry of `a.py`.
fn kinds_of_entry(files: &[(&str, &str)], arguments: &[&str]) -> Vec<String> {
    let report = check(files, &[&[".", "--verbose", "--format", "json"], arguments].concat()).json();
    let entries = report["summary"]["entries"].as_array().expect("entries").clone();
    let entry = entries.iter().find(|entry| entry["place"]["file"] == "a.py").expect("an entry of the program");
    let kinds =
        entry["assumptions"].as_array().expect("a list").iter().map(|it| it["kind"].as_str().map(str::to_owned));
    kinds.collect::<Option<_>>().expect("kinds")
}

#[test]
fn a_pack_of_the_project_is_told_in_every_form_and_assumed() {
    for form in ["text", "concise", "json", "json-lines", "sarif", "github", "gitlab", "junit", "html", "markdown"] {
        let said = check(&WITH_PACK, &[".", "--format", form]);
        assert_eq!(said.code, Some(0), "{form}: {said:?}");
        let plain = said.out.replace("</code>", "`").replace("<code>", "`");
        assert!(plain.contains(PACK_IS_TOLD), "{form}: {said:?}");
        assert_eq!(plain.matches("replaces what Harp knows").count(), 1, "{form}: {said:?}");
    }
    for option in ["--quiet", "--coverage", "--diff"] {
        let said = check(&WITH_PACK, &[".", option]);
        assert!(!said.out.contains(PACK_IS_TOLD) && said.err.contains(PACK_IS_TOLD), "{option}: {said:?}");
    }
    assert_eq!(kinds_of_entry(&WITH_PACK, &[]), ["replaced-library"]);
    // Nothing of the project confirms it.
    let mut confirmed = WITH_PACK;
    let answer = "annotations = [\"lib\"]\n[[assume]]\nkind = \"replaced-library\"\n";
    confirmed[1] = ("harp.toml", answer);
    assert_eq!(kinds_of_entry(&confirmed, &[]), ["replaced-library"]);
    let denied = "annotations = [\"lib\"]\n[speculate]\ndisable = [\"replaced-library\"]\n";
    confirmed[1] = ("harp.toml", denied);
    assert_eq!(kinds_of_entry(&confirmed, &[]), ["replaced-library"]);
}

#[test]
fn isolated_runs_take_nothing_of_the_project_for_a_library() {
    for files in [&WITH_PACK[..], &[("a.py", PROGRAM), ("torch.py", "def zeros(*a):\n    return 1\n")]] {
        let said = check(files, &["a.py", "torch.py", "--isolated", "--format", "concise"]);
        assert!(said.out.contains("a.py:2:5: error[shape/mismatch]"), "{said:?}");
        let said = check(files, &[".", "--isolated", "--format", "concise"]);
        assert!(said.out.contains("a.py:2:5: error[shape/mismatch]"), "{said:?}");
        assert!(!said.out.contains("replaces") && !said.out.contains("in place of"), "{said:?}");
    }
}

#[test]
fn modules_with_the_names_of_libraries_are_told_and_assumed() {
    let one = "def zeros(*a, **k):\n    return 1.0\n";
    let quiet = "import torch\ny = torch.zeros(2, 3) + torch.zeros(4, 5)\n";
    let through = "from helper import make\ny = make(2, 3) + make(4, 5)\n";
    let cases: [&[(&str, &str)]; 6] = [
        &[("a.py", quiet), ("torch.py", one)],
        &[("a.py", quiet), ("torch/__init__.py", one)],
        &[("a.py", quiet), ("src/torch/__init__.py", "from .impl import *\n"), ("src/torch/impl.py", one)],
        &[("a.py", through), ("helper.py", "import torch\nmake = torch.zeros\n"), ("torch.py", one)],
        &[("a.py", quiet), ("torch.py", "__all__ = []\nglobals()['zeros'] = lambda *a: 1.0\n")],
        &[("a.py", &quiet.replace("\ny", "\ntorch.zeros = lambda *a: 1.0\ny")), ("torch.py", "")],
    ];
    for files in cases {
        let said = check(files, &["."]);
        assert!(said.out.contains("in place of the library `torch`"), "{files:?}: {said:?}");
        assert!(kinds_of_entry(files, &[]).contains(&"replaced-library".to_owned()), "{files:?}");
    }
    let said = check(cases[0], &[".", "--format", "concise"]);
    assert!(said.out.contains(MODULE_IS_TOLD), "{said:?}");
    // The module alone, and what names it by a text.
    let dynamic = "import importlib\ntorch = importlib.import_module('torch')\ny = torch.zeros(2) + torch.zeros(3)\n";
    let files = [("a.py", dynamic), ("b.py", "import torch\n"), ("torch.py", one)];
    assert_eq!(kinds_of_entry(&files, &[]), ["replaced-library"]);
    let files = [("a.py", dynamic), ("torch.py", one)];
    assert_eq!(kinds_of_entry(&files, &[]), ["replaced-library"]);
    assert!(check(&files, &["."]).out.contains(MODULE_IS_TOLD));
}

#[test]
fn findings_that_rest_on_a_module_of_the_project_say_so() {
    let files = [("a.py", PROGRAM), ("torch.py", "def zeros(*a):\n    return object()\n")];
    let report = check(&files, &[".", "--format", "json"]).json();
    assert_eq!(report["findings"][0]["assumptions"][0]["kind"], "replaced-library", "{report:#}");
    assert_eq!(report["findings"][0]["certain"], false);
    assert_eq!(report["summary"]["notices"][0]["file"], "torch.py");
    // Of a pack that replaces something else, a finding is as certain as it was.
    let mut files = WITH_PACK;
    files[0] = ("a.py", "import torch\ny = torch.zeros(2)\nz = torch.ones(2, 3) @ torch.ones(4, 5)\n");
    let report = check(&files, &[".", "--format", "json"]).json();
    assert_eq!(report["findings"][0]["certain"], true, "{report:#}");
}

#[test]
fn ordinary_modules_and_packs_are_not_told() {
    let uses = "import torch\nfrom datasets import build\nfrom models import net\nfrom utils import log\nbuild(), net(), log()\n";
    let own = "from torch.utils.data import Dataset\n\ndef build():\n    return 1\n\nclass Own(Dataset):\n    pass\n";
    let small = |name: &str| format!("def {name}():\n    return 1\n");
    let ordinary = [
        ("a.py", uses),
        ("datasets/__init__.py", own),
        ("models/__init__.py", &small("net")),
        ("utils/__init__.py", &small("log")),
        ("types.py", &small("kind")),
        ("backend/__init__.py", ""),
        ("backend/torch/__init__.py", "import torch\n"),
        ("backend/numpy.py", "import numpy\n"),
        (
            "backend/load.py",
            "import importlib\n\ndef load(name):\n    return importlib.import_module('backend.' + name)\n",
        ),
    ];
    let said = check(&ordinary, &["."]);
    assert!(!said.out.contains("note:"), "{said:?}");
    assert!(!kinds_of_entry(&ordinary, &[]).contains(&"replaced-library".to_owned()));
    // Names that Harp does not know replace nothing, neither in a library of one's own nor in one that Harp knows.
    let entry = |name: &str| {
        format!("library: torch\napis:\n  - function: {name}\n    parameters: x\n    signature: \"(x: s) -> s\"\n")
    };
    for (name, is_told) in [("acme.twice", false), ("torch.own_extension", false), ("torch.relu", true)] {
        let text = entry(name);
        let files = [("a.py", "import torch\n"), ("harp.toml", "annotations = [\"own.yaml\"]\n"), ("own.yaml", &text)];
        let said = check(&files, &["."]);
        assert_eq!(said.out.contains(&format!("`own.yaml` replaces what Harp knows of `{name}`")), is_told, "{said:?}");
        // Nobody asked for it.
        assert!(!kinds_of_entry(&files, &[]).contains(&"replaced-library".to_owned()), "{name}");
    }
    let text = entry("torch.relu");
    let used = "import torch\nx = torch.relu(torch.zeros(2))\n";
    let files = [("a.py", used), ("harp.toml", "annotations = [\"own.yaml\"]\n"), ("own.yaml", &text)];
    assert_eq!(kinds_of_entry(&files, &[]), ["replaced-library"]);
}

/// A pack has further words than entries for what it says of a library.
#[test]
fn whatever_a_pack_says_of_a_library_is_told() {
    for (text, name) in [
        ("library: own\nmodule_aliases: {torch.nn: own.nn}\n", "torch.nn"),
        ("library: own\nmodule_aliases: {\"torch.nn.modules.*\": own.nn}\n", "torch.nn.modules.*"),
        ("library: own\nmodule_aliases: {\"torc*\": own}\n", "torc*"),
        ("library: own\nversions: {\"9.0\": {added: [torch.zeros]}}\n", "torch.zeros"),
        ("library: torch\nsources: [torch.nn]\n", "torch.nn"),
    ] {
        let files = [("a.py", PROGRAM), ("harp.toml", "annotations = [\"own.yaml\"]\n"), ("own.yaml", text)];
        let said = check(&files, &["."]);
        assert!(said.out.contains(&format!("`own.yaml` replaces what Harp knows of `{name}`")), "{text}: {said:?}");
        assert!(kinds_of_entry(&files, &[]).contains(&"replaced-library".to_owned()), "{text}");
    }
    let gathered = "name: own\nfollows: own\ngathers:\n  torch: [own]\n";
    let files = [
        ("a.py", PROGRAM),
        ("harp.toml", "annotations = [\"lib\"]\n"),
        ("lib/harp-library.yaml", gathered),
        ("lib/python/own.py", UNKNOWN),
    ];
    let said = check(&files, &["."]);
    assert!(said.out.contains("`lib/python/own.py` replaces what Harp knows of `torch.zeros`"), "{said:?}");
    // Harp's own source of a module is hidden as a whole.
    let manifest = "name: own\nfollows: own\n";
    let files = [
        ("a.py", "import itertools\n"),
        ("harp.toml", "annotations = [\"lib\"]\n"),
        ("lib/harp-library.yaml", manifest),
        ("lib/python/itertools.py", ""),
    ];
    let said = check(&files, &["."]);
    assert!(said.out.contains("`lib/python/itertools.py` replaces what Harp knows of"), "{said:?}");
    assert!(kinds_of_entry(&files, &[]).contains(&"replaced-library".to_owned()));
}

/// A family decides what every operation on its tensors says.
#[test]
fn families_and_kinds_of_objects_are_told() {
    let array = "name: own\ntensors:\n  numpy.ndarray:\n    of: [numpy]\n    assumed: as well\n";
    let makes = "name: own\ntensors:\n  own.Array:\n    of: [own, torch.linalg]\n";
    let kinds = "name: own\nkinds:\n  table: [torch.Tensor]\n";
    for (manifest, name) in [(array, "numpy.ndarray"), (makes, "torch.linalg"), (kinds, "torch.Tensor")] {
        let files =
            [("a.py", PROGRAM), ("harp.toml", "annotations = [\"lib\"]\n"), ("lib/harp-library.yaml", manifest)];
        let said = check(&files, &["."]);
        let told = format!("`lib/harp-library.yaml` replaces what Harp knows of `{name}`");
        assert!(said.out.contains(&told), "{said:?}");
        assert!(kinds_of_entry(&files, &[]).contains(&"replaced-library".to_owned()), "{name}");
        let report = check(&files, &[".", "--format", "json"]).json();
        assert_eq!(report["findings"][0]["certain"], false, "{name}: {report:#}");
        // The user is trusted.
        let files = [files[0], ("harp.toml", ""), files[2]];
        assert!(kinds_of_entry(&files, &["--annotations", "lib"]).is_empty(), "{name}");
    }
    // New ones replace nothing.
    let own = "name: own\nkinds:\n  song: [own.Song]\ntensors:\n  own.Array:\n    of: [own]\n";
    let files = [("a.py", PROGRAM), ("harp.toml", "annotations = [\"lib\"]\n"), ("lib/harp-library.yaml", own)];
    assert!(!check(&files, &["."]).out.contains("replaces"), "{own}");
}

#[test]
fn what_the_user_names_is_told_and_trusted() {
    let mut files = WITH_PACK;
    files[1] = ("harp.toml", "");
    let said = check(&files, &["a.py", "--annotations", "lib"]);
    assert!(said.out.contains(PACK_IS_TOLD), "{said:?}");
    assert!(kinds_of_entry(&files, &["--annotations", "lib"]).is_empty());
}

#[test]
fn results_that_are_kept_tell_it_too() {
    let (folder, kept) = (folder(&WITH_PACK), tempfile::tempdir().expect("a folder"));
    let kept = kept.path().display().to_string();
    let run = || harp_in(folder.path(), &["check", "--cache-dir", &kept, "--verbose"], b"");
    let (first, second) = (run(), run());
    assert!(first.out.contains(PACK_IS_TOLD), "{first:?}");
    assert_eq!(first.out, second.out);
    // What is kept of one kind of run is nothing for the other.
    let isolated = harp_in(folder.path(), &["check", "--cache-dir", &kept, "--isolated", "--format", "concise"], b"");
    assert!(isolated.out.contains("a.py:2:5: error"), "{isolated:?}");
}

#[test]
fn other_commands_and_reviews_tell_it_too() {
    let folder = folder(&WITH_PACK);
    for command in [&["infer", "."][..], &["query", "operation(A, B, C)", "."], &["graph", "."]] {
        let said = harp_in(folder.path(), command, b"");
        assert!(said.err.contains("replaces what Harp knows"), "{command:?}: {said:?}");
    }
    let of_module = crate::common::folder(&[("torch.py", "def zeros(*a):\n    return 1.0\n"), ("a.py", PROGRAM)]);
    let said = harp_in(of_module.path(), &["suppress", "--diff"], b"");
    assert!(said.err.contains(MODULE_IS_TOLD), "{said:?}");
    let repository = Repository::new(&WITH_PACK);
    repository.write("a.py", &format!("{PROGRAM}x = 1\n"));
    for form in
        ["text", "concise", "markdown", "json", "json-lines", "sarif", "github", "github-review", "gitlab", "junit"]
    {
        let said = repository.harp(&["review", "--format", form]);
        assert!(said.out.contains(PACK_IS_TOLD), "{form}: {said:?}");
        assert!(!said.out.contains("/old/"), "{form}: {said:?}");
    }
    let quiet = repository.harp(&["review", "--quiet"]);
    assert!(quiet.err.contains(PACK_IS_TOLD), "{quiet:?}");
    let repository = Repository::new(&[("a.py", PROGRAM)]);
    repository.commit(&[("torch.py", "def zeros(*a):\n    return 1.0\n"), ("a.py", &PROGRAM.replace('@', "+"))]);
    let said = repository.harp(&["review", "HEAD^..HEAD"]);
    assert!(said.out.contains(&format!("note: {MODULE_IS_TOLD}\n")), "{said:?}");
}
