//! What the relations say of work that is done again: values, iterations, sequences, variance, and what rows rest on.

use std::collections::BTreeMap;
use std::process::Command;

use super::relations::Facts;

/// The numbers of the values of the operations at each place, in the order in which they run.
fn values(facts: &Facts) -> BTreeMap<String, Vec<String>> {
    let mut values: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for row in facts.all("value_number") {
        let (operation, number) = row.split_once(' ').expect("two columns");
        let place = operation.split('#').next().expect("a place");
        values.entry(place.to_owned()).or_default().push(number.to_owned());
    }
    values
}

fn are_equal(values: &[String]) -> bool {
    values.iter().all(|value| *value == values[0])
}

#[test]
fn two_methods_of_a_model_compute_the_same_part() {
    let facts = Facts::of(
        "\
import torch
import torch.nn as nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Linear(784, 512), nn.ReLU())
        self.head = nn.Linear(512, 10)
    def logits(self, x):
        return self.head(self.features(x))
    def probabilities(self, x):
        return torch.softmax(self.head(self.features(x)), dim=-1)

net, other = Net(), Net()
x = torch.rand(256, 784)
net.logits(x)
net.probabilities(x)
other.logits(x)
",
    );
    let values = values(&facts);
    let (logits, probabilities) = (&values["10:26-42"], &values["12:40-56"]);
    assert_eq!(logits[..2], probabilities[..]);
    // Another object has other weights.
    assert_ne!(logits[..2], logits[2..]);
    let sequence = facts.all("sequence");
    let ways: Vec<&str> = sequence.iter().filter_map(|row| row.split(' ').nth(1)).collect();
    assert!(ways.iter().all(|way| *way == ways[0]), "{sequence:?}");
}

#[test]
fn iterations_of_a_called_function_are_compared() {
    let facts = Facts::of(
        "\
import torch

def step(d, x, a):
    return d @ (x - d.T @ a)

def learn(d, x, a, rounds):
    for i in range(rounds):
        a = step(d, x, a)
    return a

learn(torch.rand(9, 9), torch.rand(9, 9), torch.zeros(9, 9), 100)
",
    );
    let values = values(&facts);
    assert!(are_equal(&values["4:21-24"]), "d.T: {values:?}");
    assert!(!are_equal(&values["4:21-28"]), "d.T @ a: {values:?}");
    let iterations = facts.with("iteration", "4:21-24#");
    assert!(iterations.len() > 1 && iterations[0].ends_with(" 7:5 1") && iterations[1].ends_with(" 7:5 2"));
}

#[test]
fn what_is_changed_in_place_is_another_value() {
    let facts = Facts::of(
        "\
import torch
import torch.nn as nn

w = torch.rand(8, 8)
x = torch.rand(8, 8)
for i in range(3):
    w += 1.0
    print(x @ w)
lin = nn.Linear(8, 8)
opt = torch.optim.SGD(lin.parameters(), lr=0.1)
for i in range(3):
    print(lin(x))
    for p in lin.parameters():
        p.data.mul_(0.9)
for i in range(3):
    lin(x).sum().backward()
    opt.step()
for i in range(3):
    print(nn.functional.dropout(x))
steady = nn.Dropout().eval()
for i in range(3):
    print(steady(x))
",
    );
    let values = values(&facts);
    for place in ["8:11-16", "12:11-17", "16:5-11", "19:11-35"] {
        assert!(!are_equal(&values[place]), "{place}: {values:?}");
    }
    assert!(are_equal(&values["22:11-20"]), "{values:?}");
}

/// Results of operations that give several, items, iterations and what stands for many are no values of their own.
#[test]
fn parts_of_a_value_are_not_taken_for_each_other() {
    let facts = Facts::of(
        "\
import torch

w = torch.rand(8, 8)
x = torch.rand(4, 8, 8)
a, b, c, d = x
p, q = x.chunk(2)
y, z = torch.meshgrid(torch.arange(8.0), torch.arange(8.0), indexing='ij')
many = [torch.rand(8, 8) for _ in range(1000)]
best = torch.max(x, 0)
l = list(x)
print(a @ w, b @ w)
print(p @ w, q @ w)
print(y @ w, z @ w)
print(many[0] @ w, many[1] @ w)
print(best.values @ w, best[0] @ w, best.indices.float() @ w)
print(l[0] @ w, l[1] @ w)
print(x[0] @ w, x[1] @ w, x[0] @ w)
",
    );
    let values = values(&facts);
    let products = |line: &str| -> Vec<&String> {
        values.iter().filter(|(place, _)| place.starts_with(line)).flat_map(|(_, numbers)| numbers).collect()
    };
    for line in ["11:", "12:", "13:", "14:", "16:"] {
        let of_line = products(line);
        let of_products: Vec<_> = of_line.iter().collect();
        let mut unique = of_products.clone();
        unique.dedup();
        assert_eq!(unique.len(), of_products.len(), "{line} {values:?}");
    }
    assert_eq!(values["17:7-15"], values["17:27-35"]);
    assert_ne!(values["17:7-15"], values["17:17-25"]);
    // The first of two results, by name and by number, and the second one.
    assert_eq!(values["15:7-22"], values["15:24-35"]);
    assert_ne!(values["15:7-22"], values["15:37-61"]);
}

#[test]
fn every_way_to_change_a_tensor_counts() {
    let changes = [
        "x[0] = 1",
        "x.view(-1).add_(1)",
        "torch.add(x, 1, out=x)",
        "x.data[0] = 5",
        "x.detach().mul_(2)",
        "mystery.touch(x)",
        "change(x)",
        "net.weight.data.copy_(x)",
        "net.load_state_dict(torch.load('a.pt'))",
        "nn.init.xavier_uniform_(net.weight)",
        "net.weight = nn.Parameter(x)",
        "setattr(net, 'weight', nn.Parameter(x))",
        "torch.optim.SGD(net.parameters(), lr=0.1).step()",
        "net.register_forward_hook(lambda m, i, o: o * 2)",
    ];
    for change in changes {
        let program = format!(
            "\
import mystery
import torch
import torch.nn as nn

def change(t):
    t[0] = 2

net = nn.Linear(8, 8)
x = torch.rand(8, 8)
first = net(x)
{change}
second = net(x)
"
        );
        let values = values(&Facts::of(&program));
        assert_ne!(values["10:9-15"], values["12:10-16"], "{change}");
    }
    for line in ["print(x.shape)", "y = x + 1", "print(net.training)", "total = sum([1, 2])"] {
        let program = format!(
            "import torch\nnet = torch.nn.Linear(8, 8)\nx = torch.rand(8, 8)\nfirst = net(x)\n{line}\nsecond = net(x)\n"
        );
        let values = values(&Facts::of(&program));
        assert_eq!(values["4:9-15"], values["6:10-16"], "{line}");
    }
}

#[test]
fn arms_of_a_branch_do_not_follow_each_other() {
    let facts = Facts::of(
        "\
import sys
import torch

x = torch.rand(8, 8)
if len(sys.argv) > 1:
    y = x @ x
else:
    y = x @ x + 1
z = x @ x
",
    );
    let values = values(&facts);
    assert_eq!(values["6:9-14"], values["8:9-14"]);
    let way = |place: &str| facts.with("sequence", place)[0].split(' ').nth(1).expect("a way").to_owned();
    assert_ne!(way("6:9-14#"), way("8:9-14#"));
    assert_ne!(way("6:9-14#"), way("9:5-10#"));
}

#[test]
fn the_head_of_an_inner_loop_varies_in_the_outer_one() {
    let facts = Facts::of(
        "\
import torch

w = torch.rand(8, 8)
rows = [torch.rand(8, 8), torch.rand(8, 8)]
for epoch in range(20):
    for x in rows:
        z = x @ w
        v = w @ w
",
    );
    assert_eq!(facts.with("varies_expr", "7:13-18 "), ["7:13-18 6:5", "7:13-18 5:1"]);
    assert!(facts.with("varies_expr", "8:13-18 ").is_empty());
    assert_eq!(facts.with("iterates", "6:5"), ["6:5 6:14-18"]);
}

#[test]
fn calls_do_not_change_what_is_imported() {
    let facts = Facts::of(
        "\
import torch
import mystery

net = torch.nn.Linear(8, 8)
for i in range(10):
    fast = torch.compile(net)
    mystery.touch(net)
",
    );
    assert!(facts.with("may_mutate", "torch").is_empty());
    assert!(facts.with("may_mutate", " mystery").is_empty());
    assert_eq!(facts.with("may_mutate", "7:5 "), ["7:5 net"]);
}

#[test]
fn what_python_s_own_functions_are_given_is_told() {
    let facts = Facts::of("import numpy as np\na = np.zeros(500)\nprint(sum(a), max(3, key=abs))\n");
    assert_eq!(facts.with("argument", "3:7-13 "), ["3:7-13 0  3:11-12"]);
    assert_eq!(facts.with("value_kind", "3:11-12"), ["3:11-12 ndarray"]);
    assert_eq!(facts.with("elements", "3:11-12"), ["3:11-12 500"]);
    assert!(facts.with("argument", "key").contains(&"3:15-30 -1 key 3:26-29".to_owned()));
}

/// A value that is taken for a tensor because of the name of a member makes no certain finding.
#[test]
fn rows_carry_what_was_taken_for_granted() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = "def f(other, x):\n    y = other.thing(x)\n    return y.softmax(-1).log()\n";
    std::fs::write(folder.path().join("a.py"), program).expect("a file");
    let harp = |arguments: &[&str]| {
        let output =
            Command::new(env!("CARGO_BIN_EXE_harp")).args(arguments).current_dir(folder.path()).output().expect("harp");
        String::from_utf8(output.stdout).expect("UTF-8")
    };
    let found = harp(&["check", "a.py", "--format", "json"]);
    let found: serde_json::Value = serde_json::from_str(&found).expect("JSON");
    let finding = &found["findings"][0];
    assert_eq!(finding["rule"], "harp/log-of-softmax");
    assert_eq!(finding["certain"], false);
    // Who denies it loses the finding.
    let denied = program.replace("(-1).log()", "(-1).log()  # harp: deny[member-name]");
    std::fs::write(folder.path().join("a.py"), denied).expect("a file");
    let found: serde_json::Value = serde_json::from_str(&harp(&["check", "a.py", "--format", "json"])).expect("JSON");
    assert_eq!(found["findings"], serde_json::json!([]));
}
