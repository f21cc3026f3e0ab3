//! Lists the files of the built-in rule packs for `packs.rs`.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

const PACKS: &str = "../../rules";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed={PACKS}");
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

fn file_name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}
