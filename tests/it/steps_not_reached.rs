//! Scripts whose training step no run reaches: the text says so, as JSON does.

use std::path::Path;
use std::process::Command;

use crate::common::folder;

fn harp(folder: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_harp"));
    let output = command.args(["check", "--no-cache"]).args(arguments).current_dir(folder).output().expect("it starts");
    String::from_utf8(output.stdout).expect("output is UTF-8")
}

const BEGIN: &str = "import argparse\nimport torch\nfrom torch import nn\nfrom torch.utils.data import DataLoader, TensorDataset\n\
p = argparse.ArgumentParser()\np.add_argument('--epochs', type=int, default=0)\np.add_argument('--train', action='store_true')\n\
a = p.parse_args()\nnet = nn.Linear(4, 2)\nopt = torch.optim.SGD(net.parameters(), lr=0.1)\n\
data = TensorDataset(torch.rand(10, 4))\n\
def step(x):\n    loss = net(x).sum()\n    loss.backward()\n    opt.step()\n";

#[test]
fn a_step_that_no_run_reaches_is_not_vouched_for() {
    for body in [
        "for e in range(a.epochs):\n    step(torch.rand(3, 4))\n",
        "for (x,) in DataLoader(data, batch_size=64, drop_last=True):\n    step(x)\n",
        "for x in []:\n    step(x)\n",
        "while a.epochs > 0:\n    step(torch.rand(3, 4))\n",
        "if False:\n    step(torch.rand(3, 4))\n",
    ] {
        let folder = folder(&[("a.py", &format!("{BEGIN}{body}"))]);
        let told = "note: the training step of module a was not reached, so that nothing is said of it\n";
        let text = harp(folder.path(), &["a.py"]);
        assert!(text.contains(told), "{body}{text}");
        let text = harp(folder.path(), &["a.py", "--verbose"]);
        assert!(text.contains("; its training step was not reached\n"), "{body}{text}");
        assert!(text.contains("1 no shape error, training step not reached"), "{body}{text}");
    }
}

#[test]
fn nothing_is_said_of_a_step_that_is_reached() {
    for body in [
        "for e in range(3):\n    step(torch.rand(3, 4))\n",
        "for (x,) in DataLoader(data, batch_size=4, drop_last=True):\n    step(x)\n",
        "if a.train:\n    step(torch.rand(3, 4))\n",
    ] {
        let folder = folder(&[("a.py", &format!("{BEGIN}{body}"))]);
        let text = harp(folder.path(), &["a.py"]);
        assert!(!text.contains("was not reached"), "{body}{text}");
    }
}

#[test]
fn the_size_of_a_mini_batch_is_told_where_it_helps() {
    let loop_of =
        |body: &str| format!("{BEGIN}norm = nn.BatchNorm1d(256)\nwide = TensorDataset(torch.rand(65, 256))\n{body}");
    for (body, helps) in [
        ("for (x,) in DataLoader(wide, batch_size=64):\n    norm(x)\n", false),
        (
            "for (x,) in DataLoader(TensorDataset(torch.rand(1001, 4)), batch_size=64):\n    a, b = x.chunk(2)\n    a + b\n",
            false,
        ),
        (
            "for (x,) in DataLoader(TensorDataset(torch.rand(66, 4)), batch_size=64):\n    x + torch.zeros(64, 4)\n",
            true,
        ),
        ("for (x,) in DataLoader(wide, batch_size=64):\n    torch.cat([x, torch.zeros(64, 3)], 1)\n", true),
        ("for (x,) in DataLoader(wide, batch_size=64):\n    x.view(64, 16, 16)\n", true),
    ] {
        let folder = folder(&[("a.py", &loop_of(body))]);
        let text = harp(folder.path(), &["a.py"]);
        assert!(text.contains("create the loader with `drop_last=True`"), "{body}{text}");
        assert_eq!(text.contains("or take the size"), helps, "{body}{text}");
    }
}
