//! What TensorFlow, Keras, JAX, Flax and Optax said of single expressions, replayed by `harp test --oracle`: see `tests/data/README.md`.

use std::fs;
use std::path::Path;
use std::process::Command;

/// The recordings, and calls that are refused here though the library accepts them, each for a reason of the library's.
const RECORDED: [(&str, &[&str]); 5] = [
    // To version 2 tensors that do not go together are different, which is one truth; to `tf.equal` and version 1 they are an error.
    ("tensorflow", &["`tf.ones([3, 4]) != tf.ones([4, 4])`"]),
    // The backend makes a product of matrices of this equation, and broadcasts the axes that the equation does not name.
    ("keras", &["keras.ops.einsum('ij,jk->ik'"]),
    ("jax", &[]),
    ("flax", &[]),
    ("optax", &[]),
];

/// Of the calls that a library accepts, so many of a hundred are known here, and of those that it refuses, so many are reported.
const KNOWN: u64 = 95;
const REPORTED: u64 = 90;

/// What `harp test --format json` says of the pack.
fn replayed(library: &str) -> serde_json::Value {
    let folder = tempfile::tempdir().expect("a temporary folder");
    // An empty pack: the built-in ones are there besides.
    let pack = folder.path().join("recorded");
    fs::create_dir(&pack).expect("a folder can be made");
    fs::write(pack.join("harp-library.yaml"), "name: recorded\n").expect("a file can be written");
    let calls = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/data/{library}.jsonl"));
    let output = Command::new(env!("CARGO_BIN_EXE_harp"))
        .args(["test", "recorded", "--format", "json", "--oracle"])
        .arg(calls)
        .current_dir(folder.path())
        .output()
        .expect("the program starts");
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).expect("a document");
    document["packs"][0].clone()
}

#[test]
fn the_packs_agree_with_the_recorded_calls() {
    let mut failures = Vec::new();
    for (library, excused) in RECORDED {
        let pack = replayed(library);
        let totals = &pack["recorded"]["totals"];
        let count = |name: &str| totals[name].as_u64().expect("a number");
        let wrong = pack["failures"].as_array().expect("a list").iter().filter_map(|failure| failure.as_str());
        let wrong = wrong.filter(|failure| !excused.iter().any(|code| failure.contains(code)));
        failures.extend(wrong.map(str::to_owned));
        let accepted = count("known") + count("unknown") + count("wrong") + count("false");
        let refused = count("reported") + count("not_reported");
        if count("known") * 100 < accepted * KNOWN || count("reported") * 100 < refused * REPORTED {
            failures.push(format!("{library}: {totals}, {}", pack["recorded"]["gaps"]));
        }
        assert!(accepted >= 80 && refused >= 10, "{library}: {totals}");
    }
    assert!(failures.is_empty(), "{failures:#?}");
}
