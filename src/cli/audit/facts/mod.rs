//! `--facts`: rows of relations as tables, one for each relation.
//!
//! The process of a repository makes the rows once the findings are known, of the same trace: the findings are those of an audit without `--facts`.

mod asked;
mod rows;

use std::io;
use std::path::PathBuf;

use harp_corpus::open_file;
use harp_limits::contained_reading;
use harp_tables::facts::{FactTable, Rows, is_whole};

use super::parts::Folder;
use super::run::{Done, Known};

pub(super) use asked::Asked;
pub(super) use rows::rows;

/// The file of a relation without rows.
fn empty(asked: &Asked) -> io::Result<Vec<u8>> {
    Rows::new(&asked.columns)?.finish()
}

/// Whether the rows of all relations are known of a tree.
pub(super) fn are_known(folder: &Folder, key: &str, asked: &[Asked]) -> bool {
    let is_known = |asked: &Asked| {
        let file = open_file(&folder.facts(key, &asked.table));
        // What reads Parquet panics on some damaged files.
        file.is_ok_and(|file| contained_reading(|| is_whole(file, &asked.columns)).unwrap_or(false))
    };
    asked.iter().all(is_known)
}

/// Keeps the rows of a tree; there are none where its process failed.
pub(super) fn keep(folder: &Folder, key: &str, asked: &[Asked], files: &[Vec<u8>]) -> io::Result<()> {
    for (number, asked) in asked.iter().enumerate() {
        let path = folder.facts(key, &asked.table);
        match files.get(number) {
            Some(file) => folder.put_below(&path, |out| out.write_all(file))?,
            None => folder.put_below(&path, |out| out.write_all(&empty(asked)?))?,
        }
    }
    Ok(())
}

/// Writes the table of each relation. `path` says where one is by its name.
pub(super) fn write(folder: &Folder, done: &[Done], asked: &[Asked], path: impl Fn(&str) -> PathBuf) -> io::Result<()> {
    for asked in asked {
        folder.put_below(&path(&asked.table), |out| {
            let mut table = FactTable::new(out, &asked.columns)?;
            for Done { name, known } in done {
                if let Known::Part(key) = known {
                    let file = open_file(&folder.facts(key, &asked.table)).map_err(io::Error::other)?;
                    table.add(name, file)?;
                }
            }
            table.finish().map(drop)
        })?;
    }
    Ok(())
}
