//! What is done with the bytes of a fuzzer, of `fuzz/` and of `tests/it/fuzz.rs` alike. Harp contains its panics, so that a target panics itself where
//! Harp says that it failed.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;

use tempfile::TempDir;

use harp::cli::bounds::Bounds;
use harp::cli::config;
use harp::cli::pipeline::{Analysis, AnalysisOptions, analyse, analyse_corpus};
use harp::cli::progress::Progress;
use harp::cli::{STACK_SIZE, argument_types};
use harp::corpus::{Corpus, NamedPath};
use harp::interp;
use harp::python::Project;
use harp::shape::{parse_condition, parse_dim, parse_shape, parse_signature};

/// A name, and what is done with bytes under it.
pub type Target = (&'static str, fn(&[u8]));

pub const TARGETS: [Target; 7] = [
    ("python", python),
    ("notebook", notebook),
    ("rules", rules),
    ("annotations", annotations),
    ("shapes", shapes),
    ("einops", einops),
    ("settings", settings),
];

/// Nobody measures memory here, so that steps alone keep a run small.
const BOUNDS: Bounds = Bounds { memory: 64 << 20, steps: 2_000, time: None };
/// Longer inputs take long and find nothing that shorter ones do not.
const LONGEST: usize = 32 << 10;

/// Has what rules and annotations speak of: a loop, calls, an operation that fails.
const PROGRAM: &str = "import torch\nimport acme\n\ndef step(x, w):\n    return x @ w\n\ntotal = torch.zeros(3)\nfor i in range(50):\n    \
                       total = total + torch.eye(300) @ torch.ones(300, 3)\ny = acme.f(torch.rand(2, 3))\nacme.f(y, torch.rand(4))\n\
                       step(torch.rand(2, 3), torch.rand(4, 5))\n";
const MANIFEST: &str = "name = \"acme\"\nversion = \"0.1.0\"\nschema_version = 1\nlicence = \"MIT\"\n";

/// A file of Python.
pub fn python(bytes: &[u8]) {
    on_disk(&[("main.py", bytes)], |_| {});
    infer(Corpus::single("main.py", &String::from_utf8_lossy(cut(bytes))));
}

/// A Jupyter notebook.
pub fn notebook(bytes: &[u8]) {
    on_disk(&[("book.ipynb", bytes)], |_| {});
}

/// The rules of a pack, and its manifest where the text begins as one.
pub fn rules(bytes: &[u8]) {
    let manifest = if bytes.starts_with(b"name") { bytes } else { MANIFEST.as_bytes() };
    let files = [("main.py", PROGRAM.as_bytes()), ("pack/harp-pack.toml", manifest), ("pack/rules/r.dl", bytes)];
    on_disk(&files, |options| options.packs = vec![NamedPath::by_user(options.paths[0].join("pack"))]);
}

/// Annotations of a library.
pub fn annotations(bytes: &[u8]) {
    let files = [("main.py", PROGRAM.as_bytes()), ("acme.yaml", bytes)];
    on_disk(&files, |options| options.annotations = vec![NamedPath::by_user(options.paths[0].join("acme.yaml"))]);
}

/// The notation of shapes: by itself, in an annotation of a library, and in one of the program.
pub fn shapes(bytes: &[u8]) {
    let text = &*String::from_utf8_lossy(cut(bytes));
    let _ = (parse_dim(text).map(|dim| dim.to_string()), parse_condition(text).map(|condition| condition.to_string()));
    let _ = parse_shape(text).map(|shape| shape.to_string());
    let quoted = serde_json::to_string(text).unwrap_or_default();
    if parse_signature(text).is_ok() {
        annotations(
            format!("library: acme\napis:\n  - function: acme.f\n    parameters: x, y=1\n    signature: {quoted}\n")
                .as_bytes(),
        );
    }
    in_memory(&[(
        "main.py",
        &format!(
            "import torch\nfrom torch import Tensor\nfrom jaxtyping import Float\n\ndef f(x: Float[Tensor, {quoted}], y: Float[Tensor, {quoted}]):\n    \
             return x + y\nf(torch.rand(2, 3), torch.rand(2, 4))\n"
        ),
    )]);
}

/// A pattern of einops, which also stands for what `einsum` is asked for.
pub fn einops(bytes: &[u8]) {
    let pattern = serde_json::to_string(&String::from_utf8_lossy(cut(bytes))).unwrap_or_default();
    let program = format!(
        "import einops, numpy as np, torch\nx, y = torch.rand(2, 3, 4), torch.rand(3, 4)\np = {pattern}\nfor t in (x, y):\n    \
         reveal_type(einops.rearrange(t, p, a=2))\n    reveal_type(einops.reduce(t, p, 'mean', b=3))\n    reveal_type(einops.repeat(t, p, a=2, c=5))\n    \
         einops.einsum(t, y, p)\n    torch.einsum(p, t)\n    torch.einsum(p, t, y)\n    einops.pack([t, y], p)\n    \
         einops.layers.torch.Rearrange(p, a=2)(t)\nnp.einsum(p, x, x, y)\ndef f(z, k):\n    return einops.rearrange(z, p, a=k)\n"
    );
    in_memory(&[("main.py", &program)]);
    infer(Corpus::single("main.py", &program));
}

/// What a program reads of a file, by the ending of the file.
const READERS: [(&str, &str); 8] = [
    ("c.yaml", "import yaml\nc = yaml.safe_load(open('c.yaml'))"),
    ("c.yaml", "from omegaconf import OmegaConf\nc = OmegaConf.load('c.yaml')\nOmegaConf.resolve(c)"),
    ("c.json", "import json\nc = json.load(open('c.json'))"),
    ("c.toml", "import tomllib\nc = tomllib.load(open('c.toml', 'rb'))"),
    (
        "c.ini",
        "import configparser\nc = configparser.ConfigParser()\nc.read('c.ini')\nc = {s: dict(c[s]) for s in c.sections()}",
    ),
    (
        "c.env",
        "import os, dotenv\ndotenv.load_dotenv('c.env')\nc = {'a': int(os.environ['A']), 'b': int(os.getenv('B', 4))}",
    ),
    ("c.csv", "import pandas as pd\nt = pd.read_csv('c.csv')\nc = {'a': len(t), 'b': len(t.columns)}"),
    ("c.jsonl", "import json\nc = [json.loads(line) for line in open('c.jsonl')][0]"),
];

/// A file of settings or data, of the kind that the first byte says, or a configuration of Harp.
pub fn settings(bytes: &[u8]) {
    let Some((kind, bytes)) = bytes.split_first() else { return };
    let kind = *kind as usize % (READERS.len() + 2);
    let Some((path, reader)) = READERS.get(kind) else { return configuration(bytes, kind == READERS.len()) };
    let uses = "import torch\nm = torch.nn.Linear(c['a'], c['b'])\nm(torch.rand(4, c['a']))\nfor k, v in c.items():\n    reveal_type(v)\n";
    on_disk(&[("main.py", format!("{reader}\n{uses}").as_bytes()), (path, bytes)], |_| {});
}

fn configuration(bytes: &[u8], is_of_harp: bool) {
    let text = &*String::from_utf8_lossy(cut(bytes));
    let name = if is_of_harp { "harp.toml" } else { "pyproject.toml" };
    let Ok(configuration) = config::parse(name, text, NamedPath::within("/nowhere", "/nowhere")) else { return };
    let _ = argument_types::split(text);
    let corpus = Corpus::single("main.py", PROGRAM);
    held(corpus, AnalysisOptions::from(configuration));
}

fn cut(bytes: &[u8]) -> &[u8] {
    &bytes[..bytes.len().min(LONGEST)]
}

fn options(paths: Vec<PathBuf>) -> AnalysisOptions {
    AnalysisOptions { paths, threads: 1, bounds: BOUNDS, explain_path: true, ..AnalysisOptions::default() }
}

/// Checks a folder with these files.
fn on_disk(files: &[(&str, &[u8])], set: impl Fn(&mut AnalysisOptions)) {
    let folder = TempDir::new().expect("a temporary folder");
    for (path, bytes) in files {
        write(&folder.path().join(path), cut(bytes));
    }
    let mut options = options(vec![folder.path().to_owned()]);
    set(&mut options);
    let analysis = analyse(&options, &Progress::hidden());
    no_defects(&analysis);
}

fn write(path: &Path, bytes: &[u8]) {
    fs::create_dir_all(path.parent().expect("a parent")).expect("a folder can be made");
    fs::write(path, bytes).expect("a file can be written");
}

fn in_memory(files: &[(&str, &str)]) {
    let files = files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
    held(Corpus::in_memory(files), options(Vec::new()));
}

fn held(corpus: Corpus, options: AnalysisOptions) {
    let options = AnalysisOptions { threads: 1, bounds: BOUNDS, ..options };
    on_a_large_stack(move || no_defects(&analyse_corpus(corpus, &options, &Progress::hidden())));
}

/// Infers the signatures of a program's functions.
fn infer(corpus: Corpus) {
    let corpus = corpus.with_libraries(harp::builtin::sources());
    on_a_large_stack(move || {
        let project = Project::build(&corpus);
        let limits = interp::Limits { steps: BOUNDS.steps, ..interp::Limits::default() };
        let options = interp::Options { limits, ..interp::Options::default() };
        let library = harp::builtin::library();
        let inference = interp::infer((&corpus, &project), (library, harp::libraries::ALL), &options);
        assert!(inference.defects.is_empty(), "{:?}", inference.defects);
    });
}

/// The analysis needs as much stack as the program gives it, and remembers what belongs to one thread.
fn on_a_large_stack(run: impl FnOnce() + Send + 'static) {
    let thread = thread::Builder::new().stack_size(STACK_SIZE).spawn(run).expect("a thread can be started");
    if let Err(panic) = thread.join() {
        std::panic::resume_unwind(panic);
    }
}

fn no_defects(analysis: &Analysis) {
    assert!(analysis.defects.is_empty(), "{:?}", analysis.defects.messages());
}
