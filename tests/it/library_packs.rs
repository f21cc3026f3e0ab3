//! Library packs of one's own: a folder with a manifest, YAML, sources in Python and pages, in the same form as the built-in ones.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use tempfile::TempDir;

const MANIFEST: &str = "name: acme\nfollows: acme\n";
const SOURCE: &str = "import numpy as np
from harp_library import array, free_size, outside, require, tensor, unknown


def joined(left, right):
    require(left.shape[1:] == right.shape[1:], \"`left` and `right` differ behind the first axis\")
    return array((left.shape[0] + right.shape[0],) + left.shape[1:], left.dtype)


class Recording:
    def __init__(self, path, channels=2):
        self.channels = channels
        self.samples = free_size(\"samples\", 1)
        self.rate = outside(\"the rate of a recording\")

    def read(self):
        return tensor((self.channels, self.samples), \"float32\")

    def title(self):
        return unknown(\"the title of a recording\")

    def marks(self):
        return unknown(\"the marks of a recording\")
";
const PROGRAM: &str = "import numpy as np
import torch
import acme

sound = acme.Recording('a.wav', channels=4).read()
reveal_type(sound)
reveal_type(acme.joined(np.zeros((2, 3)), np.ones((5, 3))))
acme.joined(np.zeros((2, 3)), np.ones((5, 4)))
";

fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (path, text) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder can be made");
        fs::write(path, text).expect("a file can be written");
    }
    folder
}

/// What a command says, and its exit code.
fn harp(folder: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    let output: Output = Command::new(env!("CARGO_BIN_EXE_harp"))
        .args(arguments)
        .current_dir(folder)
        .env("NO_COLOR", "1")
        .output()
        .expect("the program starts");
    let said = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8_lossy(&said).into_owned())
}

/// What `harp check` says of a program with a pack `acme` of these files.
fn check(pack: &[(&str, &str)], program: &str) -> (Option<i32>, String) {
    let mut files: Vec<(String, &str)> = pack.iter().map(|(path, text)| (format!("acme/{path}"), *text)).collect();
    files.push(("main.py".to_owned(), program));
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), *text)).collect();
    let folder = folder(&files);
    harp(folder.path(), &["check", "main.py", "--annotations", "acme", "--verbose"])
}

#[track_caller]
fn contains(text: &str, part: &str) {
    assert!(text.contains(part), "`{part}` is not in:\n{text}");
}

#[track_caller]
fn lacks(text: &str, part: &str) {
    assert!(!text.contains(part), "`{part}` is in:\n{text}");
}

#[test]
fn plain_packages_give_data_from_outside() {
    let program = "import torch\nimport acme_ui\nfrom acme_ui.widgets import Label\nx = torch.ones(3)\n\
                   label = Label(x)\nlabel.show(x)\ntorch.zeros(label.count(x), 3)\nacme_ui.run(x)\nacme_uis.run(x)\n";
    let manifest = "name: acme\nplain: [acme_ui]\n";
    let (_, said) = check(&[("harp-library.yaml", manifest)], &program.replace("acme_uis.run(x)\n", ""));
    assert!(!said.contains("not understood"), "{said}");
    // A package whose name begins like one is another.
    let (_, said) =
        check(&[("harp-library.yaml", manifest)], &program.replace("acme_ui.run", "import acme_uis; acme_uis.run"));
    contains(&said, "acme_uis.run");
}

#[test]
fn a_parameter_of_a_class_of_a_source_is_any_object_of_it() {
    let source = "from harp_library import array, free_size\n\
                  class Table:\n    def __init__(self, rows):\n        self.rows = rows\n    @classmethod\n\
                  \x20   def _of_anything(cls):\n        return cls(free_size('rows', 0))\n    @property\n\
                  \x20   def values(self):\n        return array((self.rows, 3), 'float64')\n";
    let program = "import acme\nfrom acme import Table\n\
                   def f(a: acme.Table, b: 'Table', c: 'acme.Table'):\n\
                   \x20   reveal_type(a.values)\n    reveal_type(b.values)\n    reveal_type(c.values)\n";
    let (_, said) = check(&[("harp-library.yaml", MANIFEST), ("python/acme.py", source)], program);
    assert_eq!(said.matches("[rows, 3] float64").count(), 3, "{said}");
}

#[test]
fn what_a_hook_of_attributes_gives_from_outside_stays_that() {
    let source = "from harp_library import outside\nclass Handle:\n    def __getattr__(self, name):\n        return outside(name)\n";
    let program = "import torch\nimport acme\nhandle = acme.Handle()\ntorch.zeros(handle.rows, 3)\n";
    let (_, said) = check(&[("harp-library.yaml", MANIFEST), ("python/acme.py", source)], program);
    assert!(!said.contains("not understood"), "{said}");
}

#[test]
fn the_longest_alias_of_a_module_decides() {
    let entries = "library: acme\nmodules: [acme]\nmodule_aliases: {acme.core: acme, acme.core.module: acme}\n\
                   apis:\n  - function: acme.twice\n    parameters: 'x'\n    signature: '(x: [n]) -> [2*n]'\n    dtype: same(x)\n";
    let program = "import torch\nfrom acme.core.module import twice\nreveal_type(twice(torch.ones(3)))\n";
    let (_, said) = check(&[("harp-library.yaml", MANIFEST), ("acme.yaml", entries)], program);
    contains(&said, "[6] float32");
}

#[test]
fn sources_in_python_say_what_a_library_does() {
    let (code, said) = check(&[("harp-library.yaml", MANIFEST), ("python/acme.py", SOURCE)], PROGRAM);
    assert_eq!(code, Some(1), "{said}");
    contains(&said, "note[reveal-type]: [4, samples] float32");
    contains(&said, "note[reveal-type]: [7, 3] float64");
    // What the library requires fails at the program's call, with the library's words.
    contains(&said, "error[shape/mismatch]: `left` and `right` differ behind the first axis\n --> main.py:8:1");
    contains(&said, "`acme.joined` fails inside this call");
    contains(&said, "acme/python/acme.py:6:5");
    lacks(&said, "not understood");
}

#[test]
fn a_requirement_is_judged_as_one_of_an_annotation_is() {
    let program =
        "import acme\nimport numpy as np\n\ndef f(x: np.ndarray):\n    return acme.joined(x, np.zeros((2, 3)))\n";
    let files = [("acme/harp-library.yaml", MANIFEST), ("acme/python/acme.py", SOURCE), ("main.py", program)];
    let folder = folder(&files);
    let (code, said) = harp(folder.path(), &["infer", "main.py", "--annotations", "acme"]);
    assert_eq!(code, Some(0), "{said}");
    contains(&said, "3]");
    // In a `try`, it is an exception like any other.
    let caught = "import acme\nimport numpy as np\ntry:\n    acme.joined(np.zeros((2, 3)), np.ones((5, 4)))\nexcept ValueError:\n    reveal_type(np.zeros(9))\n";
    let (code, said) = check(&[("harp-library.yaml", MANIFEST), ("python/acme.py", SOURCE)], caught);
    assert_eq!(code, Some(0), "{said}");
    contains(&said, "[9] float64");
}

#[test]
fn what_is_judged_is_not_remembered() {
    let source = "from harp_library import free_size, judge, require, supposing, tensor

def rows(least=1):
    return tensor((free_size('rows', least), 4))

def judged(left, right):
    judge(left.shape[0] == right.shape[0], '`left` and `right` have another number of rows')

def required(left, right):
    require(left.shape[0] == right.shape[0], '`left` and `right` have another number of rows')

def with_rows(x, count):
    return supposing({x.shape[0]: count}, x)

def twice(x, count):
    return supposing([(x.shape[0], count)], [x.shape[0] * 2, {'x': x, 'both': (x, x.shape)}, None])
";
    let program = "import acme
import numpy as np

x = acme.rows()
acme.judged(x, np.zeros((5, 4)))
acme.judged(x, np.zeros((6, 4)))
reveal_type(x.shape)
reveal_type(acme.with_rows(x, 5))
reveal_type(x)
both = acme.twice(x, 7)
reveal_type(both[0])
reveal_type(both[1]['both'])
acme.judged(acme.with_rows(x, 5), np.zeros((6, 4)))
acme.judged(acme.with_rows(x, 6), np.zeros((6, 4)))

def f(a: np.ndarray, b: np.ndarray):
    acme.judged(a, b)
    acme.judged(a, acme.rows(0))
    return a + b
acme.required(x, np.zeros((5, 4)))
reveal_type(x)
";
    let (code, said) = check(&[("harp-library.yaml", MANIFEST), ("python/acme.py", source)], program);
    assert_eq!(code, Some(1), "{said}");
    for (line, what) in [
        (7, "(rows, 4)"),
        (8, "[5, 4]"),
        (9, "[rows, 4]"),
        (11, "14"),
        (12, "([7, 4] unknown dtype on cpu, (7, 4))"),
        (21, "[5, 4]"),
    ] {
        let found = format!("note[reveal-type]: {what}");
        let place = format!("--> main.py:{line}:");
        let shown = said.lines().zip(said.lines().skip(1)).find(|(_, at)| at.contains(&place));
        assert!(shown.is_some_and(|(note, _)| note.starts_with(&found)), "line {line}, `{what}`:\n{said}");
    }
    assert_eq!(said.matches("error[").count(), 1, "{said}");
    contains(&said, "have another number of rows\n  --> main.py:13:1");
}

#[test]
fn behind_a_refusal_the_program_is_looked_at_further() {
    let program = "import acme
import numpy as np

def main():
    for size in (4, 5):
        acme.joined(np.zeros((2, 3)), np.ones((5, size)))
    joined = acme.joined(np.zeros((2, 3)), np.ones((5, 6)))
    reveal_type(joined)
    np.zeros(3) + np.zeros(4)

main()
";
    let (_, said) = check(&[("harp-library.yaml", MANIFEST), ("python/acme.py", SOURCE)], program);
    contains(&said, "--> main.py:6:9");
    contains(&said, "--> main.py:7:14");
    contains(&said, "note[reveal-type]: unknown");
    contains(&said, "--> main.py:9:5");
}

#[test]
fn what_is_not_followed_is_counted_where_a_size_is_made_of_it() {
    let program =
        "import acme\nimport numpy as np\nprint(acme.Recording('a').title())\nnp.zeros(acme.Recording('a').marks())\n";
    let (code, said) = check(&[("harp-library.yaml", MANIFEST), ("python/acme.py", SOURCE)], program);
    assert_eq!(code, Some(0), "{said}");
    contains(&said, "1 the marks of a recording (for example main.py:4");
    lacks(&said, "title");
}

#[test]
fn a_configuration_names_packs_too() {
    let files = [
        ("api/acme/harp-library.yaml", MANIFEST),
        ("api/acme/python/acme.py", SOURCE),
        ("harp.toml", "annotations = ['api']\n"),
        ("main.py", PROGRAM),
    ];
    let folder = folder(&files);
    let (code, said) = harp(folder.path(), &["check", "main.py"]);
    assert_eq!(code, Some(1), "{said}");
    contains(&said, "[4, samples] float32");
}

#[test]
fn a_users_source_hides_a_built_in_one_and_what_harp_does_itself() {
    let source = "import numpy as np\n\ndef read_csv(path):\n    return np.zeros((7, 7))\n";
    let program =
        "import pandas\nimport yaml\nreveal_type(pandas.read_csv('a.csv'))\nreveal_type(yaml.safe_load('[1]'))\n";
    let yaml = "import numpy as np\n\ndef safe_load(text):\n    return np.zeros(5)\n";
    let files = [("harp-library.yaml", "name: own\n"), ("python/pandas.py", source), ("python/yaml.py", yaml)];
    let (_, said) = check(&files, program);
    contains(&said, "note[reveal-type]: [7, 7] float64");
    contains(&said, "note[reveal-type]: [5] float64");
    let (_, said) = check(&[], program);
    lacks(&said, "[7, 7]");
}

#[test]
fn a_users_entry_hides_a_built_in_source() {
    let entry = "library: own\napis:\n  - function: scipy.ndimage.zoom\n    parameters: \"input, zoom\"\n    signature: \"(input: s) -> [1, 2, 3]\"\n";
    let program = "import numpy as np\nfrom scipy import ndimage\nreveal_type(ndimage.zoom(np.zeros((4, 4)), 2))\n";
    let (_, said) = check(&[("own.yaml", entry)], program);
    contains(&said, "[1, 2, 3]");
    let (_, said) = check(&[], program);
    contains(&said, "[8, 8]");
}

#[test]
fn the_names_of_a_package_may_stand_in_one_source() {
    let manifest = "name: acme\ngathers: {acme.nets: [acme._nets]}\n";
    let source = "import numpy as np\n\ndef small():\n    return np.zeros(6)\n";
    let program = "from acme.nets import small\nfrom acme.nets.families import small as other\nreveal_type(small())\nreveal_type(other())\n";
    let (_, said) = check(&[("harp-library.yaml", manifest), ("python/acme._nets.py", source)], program);
    assert_eq!(said.matches("[6] float64").count(), 2, "{said}");
}

#[test]
fn a_package_that_a_pack_follows_is_not_read_from_an_environment() {
    let package = "import numpy as np\n\ndef other():\n    return np.zeros(3)\n";
    let program = "import acme.parts\nreveal_type(acme.parts.other())\n";
    let answers = [MANIFEST, "name: acme\n"].map(|manifest| {
        let files = [
            ("pack/harp-library.yaml", manifest),
            ("pack/python/acme.py", "x = 1\n"),
            ("packages/acme/__init__.py", ""),
            ("packages/acme/parts.py", package),
            ("main.py", program),
        ];
        let folder = folder(&files);
        harp(folder.path(), &["check", "main.py", "--annotations", "pack", "--python", "packages"]).1
    });
    lacks(&answers[0], "[3] float64");
    contains(&answers[1], "[3] float64");
}

#[test]
fn mistakes_are_shown_with_their_place_and_the_exit_code_is_2() {
    for (path, text, message, hint) in [
        (
            "harp-library.yaml",
            "name: acme\nfollow: x\n",
            "unknown key `follow`\n --> acme/harp-library.yaml:2:1",
            "`follows`",
        ),
        ("harp-library.yaml", "follows: x\n", "the key `name` is missing\n --> acme/harp-library.yaml:1:1", ""),
        (
            "harp-library.yaml",
            "name: acme\ngathers: {acme: acme.non}\n",
            "unknown source `acme.non`\n --> acme/harp-library.yaml:2:17",
            "did you mean `acme.nn`?",
        ),
        ("python/other.py", "x = 1\ndef f(:\n", " --> acme/python/other.py:2:6", "the file must be Python"),
        ("python/my-file.py", "x = 1\n", "not that of a module\n --> acme/python/my-file.py:1:1", "`python/a.b.py`"),
        (
            "python/acme/layers.py",
            "x = 1\n",
            "no folders of their own\n --> acme/python/acme/layers.py:1:1",
            "the source of the module `acme.layers` is the file `python/acme.layers.py`",
        ),
    ] {
        let mut files = vec![("harp-library.yaml", MANIFEST), ("python/acme.nn.py", SOURCE)];
        files.retain(|(known, _)| *known != path);
        files.push((path, text));
        let (code, said) = check(&files, PROGRAM);
        assert_eq!(code, Some(2), "{said}");
        contains(&said, message);
        contains(&said, hint);
    }
    let (code, said) = check(
        &[
            ("a/harp-library.yaml", "name: a\n"),
            ("b/harp-library.yaml", "name: b\n"),
            ("a/python/m.py", ""),
            ("b/python/m.py", ""),
        ],
        "",
    );
    assert_eq!(code, Some(2), "{said}");
    contains(&said, "there are two sources of the module `m`");
}

#[test]
fn sources_without_a_manifest_are_not_read_and_it_is_said() {
    let (code, said) = check(&[("acme.yaml", "library: acme\n"), ("python/acme.py", SOURCE)], "x = 1\n");
    assert_eq!(code, Some(0), "{said}");
    contains(&said, "warning: acme/python/acme.py is not read: it is in no library pack");
    contains(&said, "`harp-library.yaml`");
}

#[test]
fn a_source_that_is_too_large_is_refused() {
    let source = "# a comment\n".repeat(100_000);
    let (code, said) = check(&[("harp-library.yaml", MANIFEST), ("python/acme.py", &source)], "x = 1\n");
    assert_eq!(code, Some(2), "{said}");
    contains(&said, "acme/python/acme.py: cannot read the annotations: it is larger than 1 MiB");
}

#[test]
fn the_pages_of_a_pack_are_run() {
    let page =
        "# acme\n\n```python\nimport acme\n\nreveal_type(acme.Recording('a').read())  # revealed: [2, samples]\n```\n";
    let files = |page| {
        folder(&[("acme/harp-library.yaml", MANIFEST), ("acme/python/acme.py", SOURCE), ("acme/tests/acme.md", page)])
    };
    let right = files(page);
    assert_eq!(
        harp(right.path(), &["test", "acme"]),
        (Some(0), "acme: 1 page, 1 block, 1 statement, 0 failures\n".to_owned())
    );
    let wrong = page.replace("[2, ", "[3, ");
    let (code, said) = harp(files(&wrong).path(), &["test", "acme"]);
    assert_eq!(code, Some(1), "{said}");
    contains(&said, "acme/tests/acme.md:6: reveal_type");
    contains(&said, "+ found    note: [reveal-type] \"[2, samples] float32");
    // An error that nobody states fails the page.
    let silent =
        page.replace("reveal_type", "import numpy as np\nacme.joined(np.zeros((1, 2)), np.zeros((1, 3)))\nreveal_type");
    let (code, said) = harp(files(&silent).path(), &["test", "acme"]);
    assert_eq!(code, Some(1), "{said}");
    let bare = folder(&[("acme/harp-library.yaml", MANIFEST)]);
    let (code, said) = harp(bare.path(), &["test", "acme"]);
    assert_eq!(code, Some(1), "{said}");
    contains(&said, "has no tests: `tests/*.md`");
    let broken = folder(&[("acme/harp-library.yaml", "nam: acme\n")]);
    assert_eq!(harp(broken.path(), &["test", "acme"]).0, Some(2));
}

/// Packs whose families of tensors have rules that no built-in family has.
#[test]
fn the_packs_of_the_tests_pass_their_pages() {
    let packs = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/packs");
    let names: Vec<_> =
        fs::read_dir(&packs).expect("packs").map(|entry| entry.expect("an entry").file_name()).collect();
    assert!(names.len() > 1, "{names:?}");
    for name in names {
        let (code, said) = harp(&packs, &["test", name.to_str().expect("a name")]);
        assert_eq!(code, Some(0), "{said}");
    }
}

/// The files of two packs: `acme` needs another.
fn needing(needs: &str) -> TempDir {
    let page = "# acme\n\n```python\nimport acme\n\nreveal_type(acme.both())  # revealed: [3] float64\n```\n";
    let manifest = format!("name: acme\nneeds: [{needs}]\n");
    folder(&[
        ("packs/acme/harp-library.yaml", &manifest),
        ("packs/acme/python/acme.py", "import other\n\ndef both():\n    return other.make()\n"),
        ("packs/acme/tests/acme.md", page),
        ("packs/other/harp-library.yaml", "name: other\nneeds: [third, numpy]\n"),
        ("packs/other/python/other.py", "import third\n\ndef make():\n    return third.make()\n"),
        ("packs/third/harp-library.yaml", "name: third\n"),
        ("packs/third/python/third.py", "import numpy as np\n\ndef make():\n    return np.zeros(3)\n"),
        ("main.py", "import acme\nreveal_type(acme.both())\n"),
    ])
}

#[test]
fn a_pack_may_need_others() {
    let packs = needing("other");
    let (code, said) = harp(packs.path(), &["test", "packs/acme"]);
    assert_eq!((code, said.as_str()), (Some(0), "acme: 1 page, 1 block, 1 statement, 0 failures\n"));
    // Also from within the folder.
    let (code, said) = harp(&packs.path().join("packs/acme"), &["test", "."]);
    assert_eq!((code, said.as_str()), (Some(0), "acme: 1 page, 1 block, 1 statement, 0 failures\n"));
    let (code, said) = harp(packs.path(), &["check", "main.py", "--annotations", "packs/acme"]);
    assert_eq!(code, Some(2), "{said}");
    contains(
        &said,
        "error: `acme` needs the library pack `other`, which is not given\n --> packs/acme/harp-library.yaml:2:9",
    );
    contains(&said, "`--annotations PATH`");
    let (code, said) = harp(packs.path(), &["check", "main.py", "--annotations", "packs"]);
    assert_eq!(code, Some(0), "{said}");
    contains(&said, "[3] float64");
}

#[test]
fn what_a_pack_needs_must_be_there_and_need_nothing_back() {
    for (needs, message) in [
        ("othr", "`acme` needs the library pack `othr`, which is not given\n --> packs/acme/harp-library.yaml:2:9"),
        ("othr", "did you mean `other`?"),
        ("acme", "`acme` needs itself\n --> packs/acme/harp-library.yaml:2:9"),
        ("'a/b'", "`a/b` is not a valid name of a library pack\n --> packs/acme/harp-library.yaml:2:10"),
        ("..", "`..` is not a valid name of a library pack\n --> packs/acme/harp-library.yaml:2:9"),
    ] {
        let (code, said) = harp(needing(needs).path(), &["check", "main.py", "--annotations", "packs"]);
        assert_eq!(code, Some(2), "{said}");
        contains(&said, message);
    }
    let circle = needing("other");
    fs::write(circle.path().join("packs/third/harp-library.yaml"), "name: third\nneeds: [acme]\n").expect("a manifest");
    for arguments in [&["check", "main.py", "--annotations", "packs"][..], &["test", "packs/acme"]] {
        let (code, said) = harp(circle.path(), arguments);
        assert_eq!(code, Some(2), "{said}");
        contains(&said, "`acme` needs `other`, which needs `acme`");
    }
    let (code, said) = harp(needing("missing").path(), &["test", "packs/acme"]);
    assert_eq!(code, Some(2), "{said}");
    contains(&said, "which is not given");
}

#[test]
fn silenced_requirements_of_a_source_are_told_in_its_tests() {
    let source = "from harp_library import free_size, require, tensor

def made(x):
    if free_size('rows') > 5:
        require(x.shape[0] == 3, 'there are three rows')
    return x
";
    let page = |statement| {
        format!("# acme\n\n```python\nimport numpy as np\nimport acme\n\nacme.made(np.zeros(4)){statement}\n```\n")
    };
    let tested = |page: &str| {
        let files =
            [("acme/harp-library.yaml", MANIFEST), ("acme/python/acme.py", source), ("acme/tests/acme.md", page)];
        harp(folder(&files).path(), &["test", "acme"])
    };
    let (code, said) = tested(&page(""));
    assert_eq!(code, Some(0), "{said}");
    contains(
        &said,
        "warning: acme/tests/acme.md: line 7: the filter `inside-package` silences what a source requires: `acme.made`: there are three rows",
    );
    let (code, said) = tested(&page("  # silenced: inside-package"));
    assert_eq!((code, said.as_str()), (Some(0), "acme: 1 page, 1 block, 1 statement, 0 failures\n"));
}

#[test]
fn whether_arrays_have_an_attribute_is_decided_by_the_members_of_their_class() {
    let source = "from harp_library import require

def rows(x):
    if hasattr(x, 'toarray'):
        x = x.toarray()
    if not hasattr(x, 'ndim') or hasattr(x, 'detach') or hasattr(x, 'no_such_thing'):
        return 'none'
    require(x.shape[0] == 3, 'there are three rows')
    return x.shape[0]
";
    let program = "import acme\nimport numpy as np\nreveal_type(acme.rows(np.zeros(3)))\nacme.rows(np.zeros(4))\n";
    let (code, said) = check(&[("harp-library.yaml", MANIFEST), ("python/acme.py", source)], program);
    assert_eq!(code, Some(1), "{said}");
    contains(&said, "note[reveal-type]: 3");
    contains(&said, "there are three rows\n --> main.py:4:1");
}

#[test]
fn recorded_calls_are_replayed() {
    let calls = "{\"imports\": \"import numpy as np, acme\"}
{\"op\": \"joined\", \"code\": \"acme.joined(np.zeros((2, 3)), np.ones((5, 3)))\", \"ok\": true, \"shape\": [7, 3], \"dtype\": \"float64\"}
{\"op\": \"joined\", \"code\": \"acme.joined(np.zeros((2, 3)), np.ones((5, 4)))\", \"ok\": false, \"error\": \"no\"}
{\"op\": \"joined\", \"code\": \"acme.joined(np.zeros((2, 3)), np.ones((5, 4)))\", \"ok\": true, \"shape\": [7, 3]}
{\"op\": \"joined\", \"code\": \"acme.joined(np.zeros((2, 3)), np.ones((5, 3)))\", \"ok\": true, \"shape\": [7, 4]}
{\"op\": \"joined\", \"code\": \"(acme.joined(np.zeros((2, 3)), np.ones((5, 3))), np.ones(2))\", \"ok\": true, \"shape\": {\"t\": [[7, 3], [2]]}}
{\"op\": \"other\", \"code\": \"acme.Recording('a').title()\", \"ok\": true, \"shape\": [7, 3]}
{\"op\": \"read\", \"code\": \"acme.Recording('a').read()\", \"ok\": true, \"shape\": [2, 100], \"dtype\": \"float32\"}
{\"op\": \"read\", \"code\": \"acme.Recording('a').read()\", \"ok\": true, \"shape\": [2, null], \"dtype\": \"int64\"}
{\"op\": \"read\", \"code\": \"x\", \"ok\": true, \"shape\": [2], \"args\": [[\"x\", \"float32\", [2]]]}
";
    let files = [("acme/harp-library.yaml", MANIFEST), ("acme/python/acme.py", SOURCE), ("calls.jsonl", calls)];
    let packs = folder(&files);
    let (code, said) = harp(packs.path(), &["test", "acme", "--oracle", "calls.jsonl"]);
    assert_eq!(code, Some(1), "{said}");
    contains(
        &said,
        "calls.jsonl:4: `acme.joined(np.zeros((2, 3)), np.ones((5, 4)))`: the library accepts it, and here it fails",
    );
    contains(
        &said,
        "calls.jsonl:5: `acme.joined(np.zeros((2, 3)), np.ones((5, 3)))`: the library gives [7,4], and here it is [7, 3] float64",
    );
    contains(&said, "calls.jsonl:9: `acme.Recording('a').read()`: the library gives int64, and here it is float32");
    contains(
        &said,
        "  joined: 3 right, 0 unknown, 2 wrong\n  other: 0 right, 1 unknown, 0 wrong\n  read: 0 right, 1 unknown, 1 wrong\n\
         recorded calls: 7 accepted (2 known = 28.5 %, 2 unknown, 2 wrong, 1 false), 1 refused (1 reported = 100.0 %), 1 left out\nacme: 0 pages, 0 blocks, 0 statements, 3 failures\n",
    );
    let (_, said) = harp(packs.path(), &["test", "acme", "--oracle", "calls.jsonl", "--format", "json"]);
    contains(&said, "\"left_out\": 1");
    for (text, message) in
        [("[1]\n", "calls.jsonl: line 1 is no recorded call"), ("{\"code\": 5}\n", "line 1 is no recorded call")]
    {
        fs::write(packs.path().join("calls.jsonl"), text).expect("a file");
        let (code, said) = harp(packs.path(), &["test", "acme", "--oracle", "calls.jsonl"]);
        assert_eq!(code, Some(2), "{said}");
        contains(&said, message);
    }
    fs::create_dir(packs.path().join("empty")).expect("a folder");
    let (code, said) = harp(packs.path(), &["test", "empty", "--oracle", "calls.jsonl"]);
    assert_eq!(code, Some(2), "{said}");
    contains(&said, "recorded calls (`--oracle`) are of library packs");
}

#[test]
fn recorded_calls_are_of_several_packs_and_of_what_is_in_objects() {
    let boxes = "import numpy as np

class Box:
    def __init__(self, array):
        self.array = array

class Row(Box):
    pass
";
    let calls = "{\"imports\": \"import numpy as np, acme, boxes\", \"content\": \"({code}).array\"}
{\"op\": \"box\", \"code\": \"boxes.Box(acme.joined(np.zeros((2, 3)), np.ones((5, 3))))\", \"ok\": true, \"shape\": {\"box\": [7, 3]}}
{\"op\": \"box\", \"code\": \"boxes.Box((np.zeros(2), 4))\", \"ok\": true, \"shape\": {\"box\": {\"t\": [[2], {\"v\": 4}]}}}
{\"op\": \"box\", \"code\": \"boxes.Box((2, None))\", \"ok\": true, \"shape\": {\"box\": [2, null]}}
{\"op\": \"row\", \"code\": \"boxes.Row(np.zeros((2, 3)))\", \"ok\": true, \"shape\": {\"box\": [2, 4]}}
{\"op\": \"row\", \"code\": \"boxes\", \"ok\": true, \"shape\": {\"box\": [2, 4]}}
";
    let files = [
        ("acme/harp-library.yaml", MANIFEST),
        ("acme/python/acme.py", SOURCE),
        ("boxes/harp-library.yaml", "name: boxes\n"),
        ("boxes/python/boxes.py", boxes),
        ("calls.jsonl", calls),
    ];
    let packs = folder(&files);
    let (code, said) = harp(packs.path(), &["test", "acme", "boxes", "--oracle", "calls.jsonl"]);
    assert_eq!(code, Some(1), "{said}");
    contains(
        &said,
        "calls.jsonl:5: `boxes.Row(np.zeros((2, 3)))`: the library gives {\"box\":[2,4]}, and here it is [2, 3] float64",
    );
    contains(
        &said,
        "  box: 3 right, 0 unknown, 0 wrong\n  row: 0 right, 1 unknown, 1 wrong\n\
         recorded calls: 5 accepted (3 known = 60.0 %, 1 unknown, 1 wrong, 0 false), 0 refused (0 reported)\n\
         acme, boxes: 0 pages, 0 blocks, 0 statements, 1 failure\n",
    );
}

#[test]
fn recorded_calls_do_not_disturb_each_other() {
    let calls = "{\"imports\": \"import numpy as np, acme\"}
{\"op\": \"joined\", \"code\": \"acme.joined(np.zeros((2, 3)), np.ones((5, 4)))\", \"ok\": false}
{\"op\": \"joined\", \"code\": \"acme.joined(np.zeros((2, 3)), \", \"ok\": false}
{\"op\": \"joined\", \"code\": \"np.undefined_here(3)\", \"ok\": false}
{\"op\": \"joined\", \"code\": \"acme.joined(np.zeros((2, 3)), np.ones((5, 3)))\", \"ok\": true, \"shape\": [7, 3]}
{\"op\": \"joined\", \"code\": \"np.zeros((3, 3))[np.ones(3, bool)]\", \"ok\": true, \"shape\": [3, 3], \"value_dependent\": true}
{\"op\": \"joined\", \"code\": \"{'a': np.ones(2), 'b': (np.ones(3), [4, None])}\", \"ok\": true, \"shape\": {\"d\": {\"a\": [2], \"b\": {\"t\": [[3], {\"t\": [{\"v\": 4}, {\"v\": null}]}]}}}}
{\"op\": \"nested\", \"code\": \"{'a': np.ones(2), 'b': (np.ones(3),)}\", \"ok\": true, \"shape\": {\"d\": {\"a\": [2], \"b\": {\"t\": [[4]]}}}}
{\"op\": \"nested\", \"code\": \"{'a': np.ones(2)}\", \"ok\": true, \"shape\": {\"d\": {\"b\": [2]}}}
";
    let files = [("acme/harp-library.yaml", MANIFEST), ("acme/python/acme.py", SOURCE), ("calls.jsonl", calls)];
    let packs = folder(&files);
    let (code, said) = harp(packs.path(), &["test", "acme", "--oracle", "calls.jsonl"]);
    assert_eq!(code, Some(1), "{said}");
    contains(&said, "calls.jsonl:8: ");
    contains(&said, "calls.jsonl:9: ");
    contains(
        &said,
        "recorded calls: 4 accepted (2 known = 50.0 %, 0 unknown, 2 wrong, 0 false), 3 refused (3 reported = 100.0 %), 1 depend on values\n",
    );
}

#[test]
fn a_new_pack_works() {
    let folder = folder(&[]);
    let (code, said) = harp(folder.path(), &["new-pack", "--library", "acme.nets"]);
    assert_eq!(code, Some(0), "{said}");
    contains(&said, "python/acme.nets.py");
    contains(&said, "annotations = [\"acme.nets\"]");
    let (code, said) = harp(folder.path(), &["test", "acme.nets"]);
    assert_eq!((code, said.as_str()), (Some(0), "acme.nets: 1 page, 1 block, 2 statements, 0 failures\n"));
    let (code, said) = harp(folder.path(), &["new-pack", "--library", "acme-nets"]);
    assert_eq!(code, Some(2), "{said}");
    contains(&said, "`acme-nets` is not a valid module name");
}

/// Of what a source requires and nobody can decide, nothing is promised.
#[test]
fn what_a_source_requires_undecided_is_not_vouched_for() {
    let source = "from harp_library import require, tensor\n\n\ndef scaled(factor):\n    \
                  require(factor.kind == \"small\", \"only small factors\")\n    return tensor((2, 3))\n";
    let program = "import acme\n\n\ndef run(factor):\n    return acme.scaled(factor)\n";
    let (code, said) = check(&[("harp-library.yaml", MANIFEST), ("python/acme.py", source)], program);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("acme.scaled: could not decide whether its operands fit"), "{said}");
}
