//! What the help of a finding says to write: it mends the program, or there is none.

use std::process::Command;

use serde_json::Value;

use crate::common::folder;

const HEAD: &str = "import argparse\nimport torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n";
const OPTIONS: &str = "parser = argparse.ArgumentParser()\nparser.add_argument('--hidden', type=int, default=128)\nargs = parser.parse_args()\n";

fn findings(text: &str) -> Vec<Value> {
    let folder = folder(&[("a.py", text)]);
    let mut command = Command::new(env!("CARGO_BIN_EXE_harp"));
    command.current_dir(folder.path()).args(["check", "a.py", "--format", "json"]);
    let output = command.output().expect("it starts");
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    report["findings"].as_array().expect("findings").clone()
}

/// The help of the only finding of a program, and the line after its remedy.
fn remedy(lines: &str) -> (Option<String>, Option<String>) {
    let text = format!("{HEAD}{OPTIONS}{lines}");
    let findings = findings(&text);
    let [finding] = &findings[..] else { panic!("{findings:#?}") };
    let help = finding["help"].as_str().map(str::to_owned);
    let edited = finding["remedy"].as_object().map(|edit| {
        let at = |end: &str| edit["bytes"][end].as_u64().expect("a byte") as usize;
        let mut edited = text.clone();
        let replacement = edit["replacement"].as_str().expect("a text");
        edited.replace_range(at("start")..at("end"), replacement);
        let line = text[..at("start")].matches('\n').count();
        edited.lines().nth(line).expect("a line").trim().to_owned()
    });
    (help, edited)
}

/// Programs, with the line that mends them.
#[test]
fn help_says_what_mends_the_program() {
    for (lines, mended) in [
        ("out = nn.Linear(128, 10)\nout(torch.rand(64, args.hidden))\n", "out = nn.Linear(args.hidden, 10)"),
        (
            "out = nn.Linear(in_features=128, out_features=10)\nout(torch.rand(64, args.hidden))\n",
            "out = nn.Linear(in_features=args.hidden, out_features=10)",
        ),
        (
            "class Net(nn.Module):\n    def __init__(self, hidden):\n        super().__init__()\n        self.a = nn.Linear(8, hidden)\n        \
             self.b = nn.Linear(128, 2)\n\n    def forward(self, x):\n        return self.b(self.a(x))\n\nNet(args.hidden)(torch.rand(2, 8))\n",
            "self.b = nn.Linear(hidden, 2)",
        ),
        ("out = nn.Linear(2 * 5 * 5, 10)\nout(torch.rand(64, 48))\n", "out = nn.Linear(48, 10)"),
        ("layers = {'a': nn.Linear(9, 2)}\nlayers['a'](torch.rand(4, 8))\n", "layers = {'a': nn.Linear(8, 2)}"),
        ("nn.Conv1d(6, 8, 1)(torch.rand(4, 9, 6))\n", "nn.Conv1d(6, 8, 1)(torch.rand(4, 9, 6).transpose(-2, -1))"),
        ("x = torch.rand(4, 6, 5)\nx.view(-1, 31)\n", "x.view(-1, 30)"),
        ("x, y = torch.rand(4, 6), torch.rand(4)\nx * y\n", "x * y.unsqueeze(1)"),
        ("x = torch.rand(4, 3)\nF.cross_entropy(x, torch.zeros(4))\n", "F.cross_entropy(x, torch.zeros(4).long())"),
        ("x = torch.rand(4, 3)\ntorch.cat([x, torch.rand(4, 2)], dim=0)\n", "torch.cat([x, torch.rand(4, 2)], dim=1)"),
        (
            "rnn = nn.GRU(8, 6)\nrnn(torch.rand(4, 5, 8), torch.zeros(1, 4, 6))\n",
            "rnn = nn.GRU(8, 6, batch_first=True)",
        ),
    ] {
        assert_eq!(remedy(lines).1.as_deref(), Some(mended), "{lines}");
    }
}

/// Programs that no small change mends for sure.
#[test]
fn doubtful_help_is_not_given() {
    for lines in [
        // An option says the size, and another type or a further dimension changes none.
        "torch.rand(2, 64).view(2, args.hidden)\n",
        "F.mse_loss(torch.rand(4, args.hidden), torch.rand(4, 128))\n",
        "x = torch.rand(5, args.hidden) + torch.rand(5, 128)\n",
        // Every item with every other.
        "x = torch.rand(64) - torch.rand(32)\n",
        "F.mse_loss(torch.rand(8, 3), torch.rand(8))\n",
        // Either operand may be the wrong one.
        "x, y = torch.rand(3, 4), torch.rand(3, 4)\nx @ y\n",
        "x = torch.rand(3, 4) + torch.rand(4, 3)\n",
        // The layer fits where it is called otherwise.
        "a = nn.Linear(8, 8)\na(torch.rand(2, 8))\na(torch.rand(2, 7))\n",
        // Its size is computed, and right for others.
        "def make(size):\n    return nn.Linear(size, 2)\nmake(8)(torch.rand(2, 9))\n",
        // Mended like this, it fails at the next layer.
        "a, b = nn.Linear(8, 6), nn.BatchNorm2d(6)\nb(a(torch.rand(2, 8)))\n",
    ] {
        let (help, mended) = remedy(lines);
        let is_edit = help.as_deref().is_some_and(|help| help.contains("fits") || help.contains("create `"));
        assert!(mended.is_none() && !is_edit, "{lines}: {help:?}");
    }
}

/// What made an operand of a wrong shape comes before what would fit it.
#[test]
fn causes_come_before_symptoms() {
    let folded = "x = torch.rand(32, 16, 5, 5)\nx = x.view(-1, 256)\nnn.Linear(400, 10)(x)\n";
    assert!(remedy(folded).0.is_some_and(|help| help.contains("folds the first dimension")));
    let squeezed = "x = torch.rand(1, 12, 1, 1)\nx = x.squeeze()\nnn.BatchNorm1d(12)(x)\n";
    assert!(remedy(squeezed).0.is_some_and(|help| help.contains("drops the first dimension")));
}
