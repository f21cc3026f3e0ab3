//! `harp infer` as a user meets it, also with input that is wrong.

use std::path::Path;
use std::process::{Command, Output};

use crate::common::folder;

/// Runs `harp` in a folder.
fn harp(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_harp")).args(arguments).current_dir(folder).output().expect("the program starts")
}

/// Exit code, standard output, standard error.
fn told(output: &Output) -> (Option<i32>, String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("output is UTF-8");
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

#[track_caller]
fn contains(text: &str, part: &str) {
    assert!(text.contains(part), "`{part}` is not in:\n{text}");
}

const NET: &str = "\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, in_features, out, heads=4):
        super().__init__()
        assert out % heads == 0
        self.heads = heads
        self.layer = nn.Linear(in_features, out)

    def forward(self, x, keepdim: bool = False):
        return self.layer(x).sum(dim=-1, keepdim=keepdim)

    @staticmethod
    def last(*, x):
        return x.mean(dim=-1)


def number(n):
    return n + 1
";

#[test]
fn signatures_are_printed_with_cases_and_requirements() {
    let folder = folder(&[("net.py", NET)]);
    let (code, out, err) = told(&harp(folder.path(), &["infer", "net.py"]));
    assert_eq!((code, err.as_str()), (Some(0), ""));
    assert_eq!(
        out,
        "\
net.py:12:9: net.Net.forward
    when not keepdim:
      (x: a@[in_features], keepdim: _) -> a
        requires out % heads == 0
    when keepdim:
      (x: a@[in_features], keepdim: _) -> a@[1]
        requires out % heads == 0

net.py:16:9: net.Net.last
    (x: a@[b]) -> a

1 function takes no tensor and gives none; `--all` shows it too
"
    );
    let (_, out, _) = told(&harp(folder.path(), &["infer", "--all", "net.py"]));
    contains(&out, "net.number\n    (n: _) -> _\n");
}

#[test]
fn stubs_say_shapes_in_comments_or_in_the_words_of_jaxtyping() {
    let folder = folder(&[("net.py", NET)]);
    let (code, out, _) = told(&harp(folder.path(), &["infer", "--format", "jaxtyping", "net.py"]));
    assert_eq!(code, Some(0));
    contains(&out, "class Net:\n");
    contains(&out, "    # when keepdim: (x: a@[in_features], keepdim: _) -> a@[1] where out % heads == 0\n");
    contains(
        &out,
        "    def forward(self, x: Shaped[Tensor, \"*a in_features\"], keepdim: bool = ...) -> Tensor: ...\n",
    );
    contains(&out, "    @staticmethod\n    def last(*, x: Shaped[Tensor, \"*a b\"]) -> Shaped[Tensor, \"*a\"]: ...\n");
    let (_, out, _) = told(&harp(folder.path(), &["infer", "--format", "pyi", "net.py"]));
    contains(&out, "    def last(*, x: Tensor) -> Tensor: ...\n");
}

/// Whatever a function with a broken header takes, its stub is Python.
#[test]
fn stubs_of_broken_headers_can_be_read() {
    let folder = folder(&[("f.py", "import torch\n\ndef f(x: torch.Tensor)\n    return x.t()\n")]);
    let (_, out, _) = told(&harp(folder.path(), &["infer", "--format", "pyi", "f.py"]));
    contains(&out, "def f(x: Tensor, *others, **named_others) -> Tensor: ...\n");
}

#[test]
fn json_tells_what_is_certain() {
    let text = "import torch\n\ndef f(x, mode=\"a\"):\n    return x.t()\n\ndef g(x):\n    return x.t()\n";
    let folder = folder(&[("f.py", text)]);
    let (code, out, _) = told(&harp(folder.path(), &["infer", "--format", "json", "f.py"]));
    assert_eq!(code, Some(0));
    let document: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(document["version"], 1);
    let signature = |index: usize| &document["functions"][index]["signatures"][0];
    assert_eq!(document["functions"][0]["name"], "f.f");
    assert_eq!(signature(0)["assumptions"][0]["kind"], "default-value");
    assert_eq!(signature(1)["result"]["kind"], "tensor");
}

#[test]
fn wrong_input_is_told_and_the_rest_is_done() {
    let folder = folder(&[("good.py", NET), ("broken.py", "def f(:\n  x = = 1\n\ndef g(x):\n    return x.t()\n")]);
    let (code, out, err) = told(&harp(folder.path(), &["infer", "missing.py"]));
    assert_eq!((code, out.as_str()), (Some(2), ""));
    contains(&err, "no such file or folder: missing.py");
    let (code, out, _) = told(&harp(folder.path(), &["infer", "missing.py", "good.py"]));
    assert_eq!(code, Some(2));
    contains(&out, "net.py:12:9".replace("net", "good").as_str());
    let (code, _, err) = told(&harp(folder.path(), &["infer", "broken.py"]));
    assert_eq!(code, Some(0), "{err}");
    let (code, _, err) = told(&harp(folder.path(), &["infer", "--format", "yaml", "good.py"]));
    assert_eq!(code, Some(2));
    contains(&err, "possible values");
    let (code, _, err) = told(&harp(folder.path(), &["infer", "good.py", "--output", "no/such/folder/out.txt"]));
    assert_eq!(code, Some(2));
    contains(&err, "cannot be written");
}

#[test]
fn an_empty_file_and_a_deep_one_do_no_harm() {
    let deep = format!("import torch\n\ndef f(x):\n    return {}x{}\n", "(".repeat(3000), ")".repeat(3000));
    let branches: String = (0..40).map(|index| format!("    if c{index}:\n        x = x + {index}\n")).collect();
    let flags: Vec<String> = (0..40).map(|index| format!("c{index}=False")).collect();
    let wide = format!("import torch\n\ndef f(x: torch.Tensor, {}):\n{branches}    return x\n", flags.join(", "));
    let endless =
        "import torch\n\ndef f(x):\n    while True:\n        x = torch.cat([x, x])\n\ndef g(x):\n    return g(x)\n";
    let names = "import torch\n\ndef f(x):\n    a\u{1b}[31m = 1\n    return x.t()\n";
    let folder = folder(&[
        ("empty.py", ""),
        ("deep.py", &deep),
        ("wide.py", &wide),
        ("endless.py", endless),
        ("names.py", names),
    ]);
    let (code, out, err) = told(&harp(folder.path(), &["infer", "."]));
    assert_eq!(code, Some(0), "{err}");
    contains(&out, "wide.f");
    assert!(!out.contains('\u{1b}'), "{out}");
    let (_, again, _) = told(&harp(folder.path(), &["infer", "."]));
    assert_eq!(out, again);
}

/// What is printed is the notation that annotations are written in.
#[test]
fn signatures_read_back() {
    let program = "\
import torch

def several(x: torch.Tensor, *others: torch.Tensor, flag: bool = False, mask=None, **options):
    parts = [row * 2 for row in x]
    if mask is not None:
        x = x + mask
    return (x,), parts, x.sum(-1, keepdim=flag), x.view(-1)

def pieces(x: torch.Tensor, n: int):
    a, b, c = x.view(3, n, -1).unbind(0)
    return [a @ b.T, c], {'x': x}, n, x.chunk(2)

def one(x: torch.Tensor):
    return (torch.stack([x, x]),)
";
    let folder = folder(&[("f.py", program)]);
    let (code, out, err) = told(&harp(folder.path(), &["infer", "--all", "--format", "json", "f.py"]));
    assert_eq!((code, err.as_str()), (Some(0), ""));
    let document: serde_json::Value = serde_json::from_str(&out).expect("the output is JSON");
    let mut texts = Vec::new();
    for function in document["functions"].as_array().expect("functions") {
        for signature in function["signatures"].as_array().expect("signatures") {
            let mut text = signature["text"].as_str().expect("a text").to_owned();
            for (index, requirement) in signature["requirements"].as_array().expect("requirements").iter().enumerate() {
                text.push_str(if index > 0 { " and " } else { " where " });
                text.push_str(requirement.as_str().expect("a text"));
            }
            let read = harp::shape::parse_signature(&text);
            let printed = read.as_ref().map(ToString::to_string).unwrap_or_default();
            assert_eq!(harp::shape::parse_signature(&printed), read);
            assert!(read.is_ok(), "{text}: {read:?}");
            texts.push(text);
        }
    }
    assert!(texts.iter().any(|text| text.contains("**options: _") && text.contains("list of ")), "{texts:#?}");
    assert!(texts.iter().any(|text| text.contains(",)")), "{texts:#?}");
}

#[test]
fn a_function_s_signature_does_not_depend_on_those_before_it() {
    let head = "import torch\nfrom torch import nn\n\n";
    let body = |name: &str| {
        format!(
            "class {name}(nn.Module):\n    def __init__(self, dim):\n        super().__init__()\n        self.k = nn.Linear(dim, dim)\n\n    \
             def forward(self, x):\n        b, n, c = self.k(x).shape\n        return self.k(x).view(b, n // 2, 2 * c).transpose(1, 2)\n\n"
        )
    };
    let alone = folder(&[("net.py", &format!("{head}{}", body("Net0")))]);
    let (_, expected, _) = told(&harp(alone.path(), &["infer", "net.py"]));
    let all: String = (0..4).map(|index| body(&format!("Net{index}"))).collect();
    let together = folder(&[("net.py", &format!("{head}{all}"))]);
    let (_, out, _) = told(&harp(together.path(), &["infer", "net.py"]));
    let signature = expected.lines().nth(1).expect("a signature");
    assert_eq!(out.lines().filter(|line| *line == signature).count(), 4, "{out}");
}
