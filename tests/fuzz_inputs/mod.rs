//! Inputs for the fuzz targets: files of the repository, and what is made of them by chance that is the same every time.

use std::fs;
use std::path::{Path, PathBuf};

/// A generator of numbers (SplitMix64), so that a seed gives the same inputs on every machine and with every version of the libraries.
pub struct Draw(u64);

impl Draw {
    pub fn new(seed: u64) -> Draw {
        Draw(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below the end, or 0 where there is none.
    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }

    pub fn one<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }
}

/// What inputs are made of.
pub struct Inputs {
    pub seeds: Vec<Vec<u8>>,
    pub words: Vec<Vec<u8>>,
}

/// A part of a long seed is as good as the whole, and faster.
const LONGEST_SEED: usize = 3_000;

impl Inputs {
    /// An input: a seed, or a part of it, with some changes.
    pub fn draw(&self, draw: &mut Draw) -> Vec<u8> {
        let mut bytes = self.part(draw);
        for _ in 0..draw.below(5) {
            self.change(draw, &mut bytes);
        }
        bytes
    }

    /// Some lines of a seed.
    fn part(&self, draw: &mut Draw) -> Vec<u8> {
        let seed = draw.one(&self.seeds);
        if seed.len() <= LONGEST_SEED {
            return seed.clone();
        }
        let ends = seed.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
        let starts: Vec<usize> = [0].into_iter().chain(ends.map(|(at, _)| at + 1)).collect();
        let first = if draw.below(3) == 0 { 0 } else { *draw.one(&starts) };
        seed[first..seed.len().min(first + LONGEST_SEED)].to_vec()
    }

    fn change(&self, draw: &mut Draw, bytes: &mut Vec<u8>) {
        let at = draw.below(bytes.len() + 1);
        let length = *draw.one(&[1, 1, 2, 4, 10, 40, 200]);
        let end = (at + length).min(bytes.len());
        match draw.below(8) {
            0 => drop(bytes.drain(at..end)),
            1 => {
                let piece = bytes[at..end].repeat(*draw.one(&[1, 1, 2, 20]));
                drop(bytes.splice(at..at, piece));
            }
            2 if at < bytes.len() => bytes[at] ^= 1 << draw.below(8),
            3 => {
                let number = *draw.one(&NUMBERS);
                drop(bytes.splice(at..at, number.bytes()));
            }
            4 => number_replaced(draw, bytes),
            5 => {
                let line = self.line(draw);
                let start = line_start(bytes, at);
                drop(bytes.splice(start..start, line));
            }
            _ => {
                let word = draw.one(&self.words).clone();
                drop(bytes.splice(at..at, word));
            }
        }
    }

    /// Some lines of another seed.
    fn line(&self, draw: &mut Draw) -> Vec<u8> {
        let seed = draw.one(&self.seeds);
        let start = line_start(seed, draw.below(seed.len() + 1));
        let lines = seed[start..].split_inclusive(|byte| *byte == b'\n').take(1 + draw.below(6));
        lines.flatten().copied().collect()
    }
}

const NUMBERS: [&str; 10] = [
    "0",
    "-1",
    "1",
    "2147483648",
    "1000000000000000000",
    "9223372036854775807",
    "-9223372036854775808",
    "10**30",
    "1e999",
    "0.5",
];

fn line_start(bytes: &[u8], at: usize) -> usize {
    bytes[..at].iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1)
}

/// Puts an extreme number in the place of one that is there.
fn number_replaced(draw: &mut Draw, bytes: &mut Vec<u8>) {
    let at = draw.below(bytes.len());
    let Some(first) = bytes[at..].iter().position(u8::is_ascii_digit).map(|found| at + found) else { return };
    let length = bytes[first..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let number = *draw.one(&NUMBERS);
    drop(bytes.splice(first..first + length, number.bytes()));
}

/// The inputs of a target.
pub fn inputs(target: &str) -> Inputs {
    let (seeds, words) = match target {
        "python" => (python(), include_str!("../../fuzz/words/python.dict")),
        "notebook" => (notebooks(), include_str!("../../fuzz/words/notebook.dict")),
        "rules" => (files("rules", "dl"), include_str!("../../fuzz/words/rules.dict")),
        "annotations" => (files("api_annotations", "yaml"), include_str!("../../fuzz/words/annotations.dict")),
        "shapes" => (texts(&SIGNATURES), include_str!("../../fuzz/words/shapes.dict")),
        "einops" => (texts(&PATTERNS), include_str!("../../fuzz/words/shapes.dict")),
        _ => (settings(), include_str!("../../fuzz/words/settings.dict")),
    };
    assert!(!seeds.is_empty(), "{target}");
    Inputs { seeds, words: words.lines().map(word).collect() }
}

/// A word of a dictionary as libFuzzer reads it: in quotes, with `\\`, `\"` and `\xAB`.
fn word(line: &str) -> Vec<u8> {
    let quoted = line.strip_prefix('"').and_then(|line| line.strip_suffix('"')).expect("a word in quotes");
    let mut bytes = quoted.bytes();
    let mut word = Vec::new();
    while let Some(byte) = bytes.next() {
        word.push(match byte {
            b'\\' => match bytes.next().expect("something behind a backslash") {
                b'x' => {
                    let digits = [bytes.next(), bytes.next()].map(|digit| digit.map_or(' ', char::from));
                    u8::from_str_radix(&String::from_iter(digits), 16).expect("two hexadecimal digits")
                }
                escaped => escaped,
            },
            byte => byte,
        });
    }
    word
}

fn texts(texts: &[&str]) -> Vec<Vec<u8>> {
    texts.iter().map(|text| text.as_bytes().to_vec()).collect()
}

/// The files of a folder of the repository, in the order of their paths.
fn files(folder: &str, extension: &str) -> Vec<Vec<u8>> {
    let mut open = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)];
    let mut found: Vec<PathBuf> = Vec::new();
    while let Some(folder) = open.pop() {
        for path in fs::read_dir(&folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|own| own == extension) {
                found.push(path);
            }
        }
    }
    found.sort();
    found.iter().map(|path| fs::read(path).expect("a file")).filter(|bytes| !bytes.is_empty()).collect()
}

/// Programs, and the blocks of the tests in Markdown.
fn python() -> Vec<Vec<u8>> {
    let mut seeds = files("examples", "py");
    seeds.extend(files("tests/data/programs", "py"));
    seeds.extend(blocks("python"));
    seeds
}

/// The blocks of a language in the tests in Markdown.
fn blocks(language: &str) -> Vec<Vec<u8>> {
    let mut blocks = Vec::new();
    for page in files("tests/markdown", "md").into_iter().chain(files("rules", "md")) {
        let page = String::from_utf8(page).expect("a page is UTF-8");
        let opening = format!("```{language}");
        let mut rest = page.as_str();
        while let Some((_, after)) = rest.split_once(&opening) {
            let (_, body) = after.split_once('\n').unwrap_or_default();
            let (block, after) = body.split_once("\n```").unwrap_or((body, ""));
            blocks.push(format!("{block}\n").into_bytes());
            rest = after;
        }
    }
    blocks
}

fn notebooks() -> Vec<Vec<u8>> {
    let cell = |source: &[u8]| {
        let source = String::from_utf8_lossy(source);
        let lines: Vec<&str> = source.split_inclusive('\n').collect();
        serde_json::json!({"cell_type": "code", "execution_count": null, "metadata": {}, "outputs": [], "source": lines})
    };
    // Whole notebooks, since a part of one is none.
    let sources: Vec<_> = blocks("python").into_iter().filter(|block| block.len() < LONGEST_SEED / 4).collect();
    let notebook = |cells: &[Vec<u8>]| {
        let magic = cell(b"%matplotlib inline\n!pip install torch\nx = !ls\n");
        let cells: Vec<_> = cells.iter().map(|source| cell(source)).chain([magic]).collect();
        let metadata = serde_json::json!({"kernelspec": {"language": "python", "name": "python3"}});
        serde_json::json!({"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5})
            .to_string()
            .into_bytes()
    };
    sources.chunks(2).step_by(10).map(notebook).collect()
}

/// Files of settings; the first byte of a seed says which kind it is.
fn settings() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    let kinds: [(&str, &[u8]); 4] =
        [("yaml", b"\x00\x01"), ("json", b"\x02\x07"), ("toml", b"\x03\x08\x09"), ("ini", b"\x04\x05\x06")];
    for (language, bytes) in kinds {
        for block in blocks(language) {
            seeds.extend(bytes.iter().map(|kind| [&[*kind][..], &block].concat()));
        }
    }
    seeds.extend(texts(&DOCUMENTS));
    seeds
}

const DOCUMENTS: [&str; 12] = [
    "\x00a: 3\nb: &x 4\nc: {d: *x, <<: {e: 5}}\nlayers:\n  - {name: conv, out: 8}\n  - {name: fc, out: 1e-3}\n",
    "\x00x: &x [1, 2]\ny: &y [*x, *x]\nz: &z [*y, *y]\na: *z\nb: 4\n",
    "\x01a: 3\nb: ${a}\nc: ${oc.env:HOME,3}\nd: ???\nmodel: {size: ${..a}}\n",
    "\x02{\"a\": 3, \"b\": 4, \"c\": [1, 2, {\"d\": null}], \"e\": 1e3}",
    "\x03a = 3\nb = 4\n[c]\nd = [1, 2]\n[[e]]\nf.g = 1\n",
    "\x04[s]\na = 3\nb = %(a)s\n[t]\nc: 4\n",
    "\x05export A=3\nB='4' # four\nC=${A}\n",
    "\x06a,b\n1,2\n\"3,\n\",4\n",
    "\x07{\"a\": 3, \"b\": 4}\n{\"a\": 5}\n",
    "\x08exclude = [\"x\"]\nmax-file-size = \"5MiB\"\nargs = \"--b 32\"\ntarget-torch = \">=1.8,<2\"\nignore = [\"shape\"]\n[severity]\n\"harp\" = \"note\"\n",
    "\x08[[assume]]\nkind = \"default-value\"\n[[deny]]\nkind = \"trip-count\"\nfile = \"src/*.py\"\n[speculate]\ndisable = [\"S3\", \"size\"]\n",
    "\x09[project]\nname = \"x\"\n[tool.harp]\nignore = [\"harp/loop-invariant\"]\n",
];

const SIGNATURES: [&str; 14] = [
    "(x: s@[n, k], w: [k, m]) -> s@[n, m]",
    "(x: s@[k], weight: [m, k]) -> s@[scale * m]",
    "(*parts: replace(s, dim, _)) -> replace(s, dim, sum(p[dim] for p in parts))",
    "(x: s, mask?: s) -> (replace(s, dim, 1) if keepdim else drop(s, dim), s) if both else drop(s, dim)",
    "(x: s) -> list of replace(s, dim, n) for n in sizes where sum(n for n in sizes) == s[dim]",
    "(x: [b, c, h, w]) -> [b, c, (h + 2 * p - d * (k - 1) - 1) // stride + 1, w % 2]",
    "(x: [b, *rest]) -> [*rest, b] where b % 2 == 0 and b > 0",
    "s@[n, 3]",
    "k % groups == 0 and (groups > 0 or not k)",
    "batch seq 3 dim",
    "*batch h=2 w/2",
    "b ... n+1",
    "2**n // (m - 1)",
    "",
];

const PATTERNS: [&str; 12] = [
    "a b c -> c (a b)",
    "(a b) c d -> a b c d",
    "b ... -> ... b",
    "a b c ->",
    "b h w -> b 1 h w c",
    "a (b c) d -> (a d) b c",
    "abc,cd->abd",
    "abc , bc",
    "...ab,...bc->...ac",
    "aab->ab",
    "a b, b c -> a c",
    "* c",
];
