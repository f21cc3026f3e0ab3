//! What the relations say of values, attributes, objects, control and sizes.

use super::relations::Facts;

/// Rows without the place of the program's file, as far as they contain a text.
fn with(facts: &Facts, relation: &str, text: &str) -> Vec<String> {
    facts.all(relation).into_iter().filter(|row| row.contains(text)).collect()
}

#[test]
fn operations_have_several_results() {
    let facts = Facts::of(
        "\
import torch

y = torch.rand(2, 8)
a, b = y.split(4, 1)
v, i = torch.max(y, 1)
c = a @ b.T
d = v + 1
h, (s, t) = torch.nn.LSTM(8, 4)(y)
e = t * 2
for row in y:
    f = row + 1
",
    );
    assert_eq!(with(&facts, "output", "4:8-21#2"), ["4:8-21#2 0 4:8-21#2.0", "4:8-21#2 1 4:8-21#2.1"]);
    assert_eq!(with(&facts, "value_shape", "#2.1"), ["4:8-21#2.1 [2, 4]"]);
    assert_eq!(with(&facts, "value_dtype", "#3."), ["5:8-23#3.0 float32", "5:8-23#3.1 int64"]);
    // `b.T` takes the second half, the product the first one.
    assert_eq!(with(&facts, "input", "#4 "), ["6:9-12#4 0 self 4:8-21#2.1"]);
    assert_eq!(with(&facts, "input", "#5 "), ["6:5-12#5 0 input 4:8-21#2.0", "6:5-12#5 1 other 6:9-12#4.0"]);
    assert_eq!(with(&facts, "input", "#6 "), ["7:5-10#6 0 input 5:8-23#3.0"]);
    // The results of an LSTM are told one after the other: `t` is the third.
    assert_eq!(with(&facts, "output", "8:13-35#7 ").len(), 3);
    assert_eq!(with(&facts, "input", "#8 "), ["9:5-10#8 0 input 8:13-35#7.2"]);
    // A row is a part of what it comes from.
    assert!(with(&facts, "input", "11:9-16#9 ").iter().all(|row| row.ends_with("3:5-21#1.0[…]")));
    assert_eq!(facts.all("part_of"), ["3:5-21#1.0[…] 3:5-21#1.0"]);
}

#[test]
fn attributes_have_values_and_defaults() {
    let facts = Facts::of(
        "\
import torch
import torch.nn as nn

d = -1
k = 3
conv = nn.Conv2d(3, 8, k, bias=False, stride=2)
bn = nn.BatchNorm2d(8).eval()
x = torch.rand(1, 3, 9, 9)
y = torch.softmax(bn(conv(x)), dim=d)
z = y.sum(dim=(0, 1), keepdim=True)
",
    );
    for row in ["kernel_size 3", "stride 2", "bias False", "padding_mode zeros", "groups 1"] {
        assert_eq!(with(&facts, "attribute", row), [format!("9:22-29#2 {row}")]);
    }
    assert_eq!(with(&facts, "attribute_number", "#2 kernel_size"), ["9:22-29#2 kernel_size 3"]);
    assert_eq!(with(&facts, "attribute_number", "#4 dim"), ["9:5-38#4 dim -1"]);
    assert_eq!(with(&facts, "attribute", "#5 dim"), ["10:5-36#5 dim (0, 1)"]);
    assert_eq!(with(&facts, "attribute", "#5 keepdim"), ["10:5-36#5 keepdim True"]);
    assert_eq!(with(&facts, "attribute", "#5 dtype"), ["10:5-36#5 dtype None"]);
    // Of two modules one evaluates.
    assert_eq!(facts.all("operation_evaluates"), ["9:19-30#3"]);
}

#[test]
fn an_operation_knows_its_module_and_who_holds_it() {
    let facts = Facts::of(
        "\
import torch
import torch.nn as nn

class Block(nn.Module):
    def __init__(self, c, bias=True):
        super().__init__()
        self.conv = nn.Conv2d(c, c, 3, padding=1, bias=bias)
    def forward(self, x):
        return torch.relu(self.conv(x))

net = nn.Sequential(Block(3), Block(3, bias=False))
y = net(torch.rand(1, 3, 8, 8))
",
    );
    // One call of a constructor made two objects, and each has an operation.
    assert_eq!(
        with(&facts, "object", "Conv2d"),
        ["7:21-61@3 7:21-61 torch.nn.Conv2d", "7:21-61@4 7:21-61 torch.nn.Conv2d"]
    );
    assert_eq!(facts.all("operation_object"), ["9:27-39#2 7:21-61@3", "9:27-39#4 7:21-61@4"]);
    assert_eq!(with(&facts, "object_attribute", " bias "), ["7:21-61@3 bias True", "7:21-61@4 bias False"]);
    let holds = facts.all("holds");
    let owner = |object: &str| {
        let row = holds.iter().find(|row| row.ends_with(object)).expect("somebody holds it");
        let (owner, name) = row.rsplit_once(' ').and_then(|(row, _)| row.split_once(' ')).expect("three columns");
        (owner.to_owned(), name.to_owned())
    };
    for (object, index) in [("7:21-61@3", "0"), ("7:21-61@4", "1")] {
        let (block, name) = owner(object);
        assert_eq!((name.as_str(), owner(&block).1.as_str()), ("conv", index), "{holds:?}");
    }
}

#[test]
fn branches_and_loops_of_callers_control_operations() {
    let facts = Facts::of(
        "\
import sys
import torch

def step(x, deep):
    y = x * 2
    if deep:
        y = torch.relu(y)
    return y

for epoch in range(3):
    step(torch.rand(2, 4), len(sys.argv) > 2)
",
    );
    let of = |place: &str| {
        let rows = with(&facts, "control_input", place);
        let mut controls: Vec<&str> = rows.iter().filter_map(|row| row.split(' ').nth(1)).collect();
        controls.sort_unstable();
        controls.dedup();
        controls.join(" ")
    };
    assert_eq!((of("5:9-14#").as_str(), of("7:13-26#").as_str()), ("10:1", "10:1 6:5"));
}

#[test]
fn sizes_that_may_differ_have_names_of_their_own() {
    let facts = Facts::of(
        "\
import torch

def f(x):
    b, n, c = x.size(0), x.size(1), x.size(2)
    return torch.relu(x.reshape(b, n, c))

def g(x):
    return torch.relu(x).reshape(x.size(0), -1)
",
    );
    let dims = |place: &str| {
        let rows = with(&facts, "output_dim", place);
        rows.iter().filter_map(|row| row.rsplit(' ').next().map(str::to_owned)).collect::<Vec<_>>()
    };
    let (of_f, of_g) = (dims("5:12-42"), dims("8:12-48"));
    let mut all: Vec<&String> = of_f.iter().chain(&of_g[..1]).collect();
    all.sort_unstable();
    all.dedup();
    assert_eq!((of_f.len(), all.len()), (3, 4), "{of_f:?} {of_g:?}");
}

#[test]
fn amounts_at_defaults_rest_on_them() {
    let facts = Facts::of(
        "\
import argparse
import torch

p = argparse.ArgumentParser()
p.add_argument('--hidden', type=int, default=512)
a = p.parse_args()
w = torch.rand(a.hidden, 64)
v = torch.rand(64, 64)
for i in range(9):
    print(w @ v)
    print(v @ v)
",
    );
    assert_eq!(facts.assumptions("work(\"a.py:10:11-16\", n)"), 1);
    assert_eq!(facts.assumptions("work(\"a.py:11:11-16\", n)"), 0);
    assert_eq!(facts.assumptions("elements(\"a.py:7:5-29\", n)"), 1);
    assert_eq!(facts.assumptions("default_size(\"hidden\", n)"), 1);
    assert_eq!(facts.assumptions("default_size(\"64\", n)"), 0);
}

#[test]
fn parameters_of_a_function_are_the_same_in_every_iteration() {
    let facts = Facts::of(
        "\
import torch

def f(w, v, xs):
    for i in range(9):
        print(torch.softmax(w, -1) @ v)
        print(torch.rot90(w, i))
    for x in xs:
        v = torch.relu(v)
",
    );
    let values = |place: &str| {
        let rows = with(&facts, "value_number", place);
        rows.iter().filter_map(|row| row.rsplit(' ').next().map(str::to_owned)).collect::<Vec<_>>()
    };
    let (same, other) = (values("5:15-35#"), values("6:15-32#"));
    assert!(same.len() > 1 && same.iter().all(|value| *value == same[0]), "{same:?}");
    assert!(other.len() > 1 && other[0] != other[1], "{other:?}");
}

#[test]
fn an_execution_knows_what_it_feeds_fetches_and_updates() {
    let facts = Facts::of(
        "\
import numpy as np
import tensorflow.compat.v1 as tf
x = tf.placeholder(tf.float32, [None, 4])
w = tf.Variable(tf.zeros([4, 3]))
b = tf.get_variable('b', [3])
loss = tf.reduce_mean(tf.matmul(x, w) + b)
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
count = tf.Variable(0)
up = tf.assign(count, count + 1)
with tf.Session() as session:
    session.run(train, feed_dict={x: np.zeros((5, 4))})
    session.run({'n': up})
",
    );
    let executions: Vec<String> = facts.all("execution");
    let [train, up] = executions.as_slice() else { panic!("two runs: {executions:?}") };
    assert!(train.starts_with("11:5-56#") && up.starts_with("12:5-27#"), "{executions:?}");
    assert_eq!(facts.all("feeds"), [format!("{train} 3:5-42#1.0")]);
    let fetched = facts.all("fetches");
    assert!(fetched.contains(&format!("{train} 6:8-43#7.0")) && fetched.len() == 2, "{fetched:?}");
    // The optimizer trains what its loss is computed from, and the assignment writes its variable.
    let updated = facts.all("updates");
    let of = |run: &str| -> Vec<&str> {
        updated
            .iter()
            .filter_map(|row| row.strip_prefix(run))
            .filter_map(|row| row.trim().split_once('#'))
            .map(|row| row.0)
            .collect()
    };
    let mut trained = of(train);
    trained.sort_unstable();
    assert_eq!((trained, of(up)), (vec!["4:5-34", "5:5-30"], vec!["8:9-23"]), "{updated:?}");
    // The array that is fed is none of the graph's.
    let built = facts.all("builds_graph");
    assert!(built.iter().any(|row| row.starts_with("6:8-43#")), "{built:?}");
    assert!(!built.iter().any(|row| row.starts_with("11:") || row.starts_with("12:")), "{built:?}");
}

#[test]
fn a_program_that_computes_at_once_builds_no_graph() {
    let facts = Facts::of("import tensorflow as tf\nx = tf.ones([3])\nfor i in range(9):\n    y = tf.square(x) + 1\n");
    assert_eq!((facts.all("builds_graph"), facts.all("execution")), (Vec::new(), Vec::new()));
}
