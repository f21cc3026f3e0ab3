//! Lists the files of the built-in rule packs for `packs.rs`, and compiles their rules: a mistake in one ends the build, and no start of Harp reads them.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

use harp_datalog::{Cell, FunctorSignature, Functors, Program, Source, Values};

/// Of the functors only what they are called and take is known here.
#[path = "functors/table.rs"]
#[allow(dead_code, reason = "the program uses the rest of it")]
mod table;

const PACKS: &str = "../../rules";
const SCHEMA: &str = "../graph/schema.dl";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed={PACKS}");
    println!("cargo::rerun-if-changed={SCHEMA}");
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?).join(PACKS).canonicalize()?;
    let mut packs: BTreeMap<String, BTreeMap<String, PathBuf>> = BTreeMap::new();
    for pack in fs::read_dir(&root)? {
        let pack = pack?.path();
        if !pack.is_dir() {
            continue;
        }
        let files = packs.entry(file_name(&pack)).or_default();
        for (folder, prefix) in [(pack.clone(), ""), (pack.join("rules"), "rules/")] {
            for child in fs::read_dir(folder)? {
                let path = child?.path();
                if path.is_file() {
                    files.insert(format!("{prefix}{}", file_name(&path)), path);
                }
            }
        }
    }
    fs::write(PathBuf::from(env::var("OUT_DIR")?).join("builtin_rules.bin"), compiled(&packs)?)?;
    let mut source = String::from("type PackFiles = &'static [(&'static str, &'static str)];\n");
    writeln!(source, "static BUILTIN_PACKS: [(&str, PackFiles); {}] = [", packs.len())?;
    for (pack, files) in packs {
        writeln!(source, "({pack:?}, &[")?;
        for (name, path) in files {
            writeln!(source, "({name:?}, include_str!({path:?})),")?;
        }
        writeln!(source, "]),")?;
    }
    source.push_str("];\n");
    fs::write(PathBuf::from(env::var("OUT_DIR")?).join("builtin_packs.rs"), source)?;
    Ok(())
}

/// The rules of all packs in the order and with the names that `packs.rs` gives them, as bytes; a test there holds the two together.
fn compiled(packs: &BTreeMap<String, BTreeMap<String, PathBuf>>) -> Result<Vec<u8>, Box<dyn Error>> {
    let schema = [Source::new("schema.dl", fs::read_to_string(SCHEMA)?)];
    let mut rules = Vec::new();
    for (pack, files) in packs {
        for (name, path) in files.iter().filter(|(name, _)| name.starts_with("rules/") && name.ends_with(".dl")) {
            rules.push(Source::new(format!("rules/{pack}/{name}"), fs::read_to_string(path)?));
        }
    }
    let program = Program::compile(&schema, &rules, &Signatures).map_err(|mistakes| {
        let told = mistakes.iter().map(|mistake| {
            let source = rules.iter().find(|source| source.name == mistake.source);
            let line = source.map_or(1, |source| source.text[..mistake.range.start].lines().count());
            format!("{}:{line}: {}: {}", mistake.source, mistake.message, mistake.label)
        });
        told.collect::<Vec<_>>().join("\n")
    })?;
    Ok(program.to_bytes())
}

struct Signatures;

impl Functors for Signatures {
    fn signatures(&self) -> Vec<FunctorSignature> {
        table::signatures()
    }

    fn apply(&self, _: usize, _: &[Cell], _: &mut Values) -> Option<Cell> {
        None
    }
}

fn file_name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}
