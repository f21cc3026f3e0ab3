//! The columns of the tables. `docs/audit.md` describes them; adding a column keeps the version, any other change raises it.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use arrow_schema::{DataType, Field, Fields, Schema, SchemaRef};

use crate::facts::Column;

/// The version of the form of all tables.
pub const VERSION: u32 = 1;

/// Where the schema's metadata says it.
pub const VERSION_KEY: &str = "harp.audit.version";

/// The list of findings in a row of a repository.
pub const FINDINGS: &str = "findings";

/// The list of files that were analysed in a row of a repository.
pub const PATHS: &str = "paths";

/// One row for each finding.
pub fn findings() -> SchemaRef {
    static SCHEMA: LazyLock<SchemaRef> = LazyLock::new(|| schema(name_fields().chain(finding_fields())));
    Arc::clone(&SCHEMA)
}

/// One row for each repository.
pub fn repositories() -> SchemaRef {
    static SCHEMA: LazyLock<SchemaRef> = LazyLock::new(|| {
        let more = [field("duplicate_of", DataType::Utf8, true), field("key", DataType::Utf8, true)];
        schema(name_fields().chain(repository_fields()).chain(more))
    });
    Arc::clone(&SCHEMA)
}

/// One row for each repository, with its files and findings as lists.
pub fn nested() -> SchemaRef {
    static SCHEMA: LazyLock<SchemaRef> = LazyLock::new(|| {
        let paths = field(PATHS, list_of(DataType::Utf8), false);
        let findings = field(FINDINGS, list_of(DataType::Struct(finding_fields().collect())), false);
        schema(name_fields().chain(repository_fields()).chain([paths, findings]))
    });
    Arc::clone(&SCHEMA)
}

/// One row for each row of a relation with these columns. One that is called as a column of the repository's name has `_` behind its own.
pub fn facts(columns: &[Column]) -> SchemaRef {
    let mut fields: Vec<Field> = name_fields().collect();
    for Column { name, is_number } in columns {
        let kind = if *is_number { DataType::Int64 } else { DataType::Utf8 };
        let mut name = name.clone();
        while fields.iter().any(|field| *field.name() == name) {
            name.push('_');
        }
        fields.push(field(&name, kind, false));
    }
    schema(fields.into_iter())
}

fn schema(fields: impl Iterator<Item = Field>) -> SchemaRef {
    let metadata = HashMap::from([(VERSION_KEY.to_owned(), VERSION.to_string())]);
    Arc::new(Schema::new_with_metadata(fields.collect::<Vec<_>>(), metadata))
}

fn field(name: &str, kind: DataType, is_nullable: bool) -> Field {
    Field::new(name, kind, is_nullable)
}

/// A list without empty places.
pub(crate) fn list_of(kind: DataType) -> DataType {
    DataType::List(Arc::new(item(kind)))
}

pub(crate) fn item(kind: DataType) -> Field {
    Field::new("item", kind, false)
}

/// The columns of a repository's name come first in all tables.
pub(crate) const NAME_COLUMNS: usize = 2;

fn name_fields() -> impl Iterator<Item = Field> {
    [field("repository", DataType::Utf8, false), field("revision", DataType::Utf8, true)].into_iter()
}

fn repository_fields() -> impl Iterator<Item = Field> {
    use DataType::{UInt64, Utf8};
    [
        field("status", Utf8, false),
        field("reason", Utf8, false),
        field("files", UInt64, false),
        field("lines", UInt64, false),
        field("skipped", UInt64, false),
        field("entries_no_error", UInt64, false),
        field("entries_error", UInt64, false),
        field("entries_unknown", UInt64, false),
        field("training_step", Utf8, true),
        field("not_understood", UInt64, false),
        field("finding_count", UInt64, false),
        field("cpu_ms", UInt64, true),
        field("peak_memory", UInt64, true),
        field("tool_version", Utf8, false),
    ]
    .into_iter()
}

fn place_fields() -> impl Iterator<Item = Field> {
    use DataType::{UInt32, Utf8};
    [
        field("path", Utf8, false),
        field("cell", UInt32, true),
        field("line", UInt32, false),
        field("column", UInt32, false),
        field("end_line", UInt32, false),
        field("end_column", UInt32, false),
    ]
    .into_iter()
}

fn finding_fields() -> impl Iterator<Item = Field> {
    use DataType::{Boolean, Utf8};
    let own = [
        field("rule", Utf8, false),
        field("severity", Utf8, false),
        field("certain", Boolean, false),
        field("condition", Utf8, true),
        field("fingerprint", Utf8, false),
        field("message", Utf8, false),
        field("help", Utf8, true),
        field("code", Utf8, false),
        field("assumptions", list_of(DataType::Struct(assumption_fields())), false),
        field("saving", DataType::Struct(saving_fields()), true),
        field("edits", list_of(DataType::Struct(edit_fields())), false),
        field("applicability", Utf8, true),
    ];
    place_fields().chain(own)
}

pub(crate) fn assumption_fields() -> Fields {
    ["kind", "subject", "text", "evidence"].into_iter().map(|name| field(name, DataType::Utf8, false)).collect()
}

pub(crate) fn saving_fields() -> Fields {
    let numbers = ["calls", "bytes", "flops", "syncs"].map(|name| field(name, DataType::Int64, true));
    numbers.into_iter().chain([field("text", DataType::Utf8, false)]).collect()
}

pub(crate) fn edit_fields() -> Fields {
    place_fields().chain([field("replacement", DataType::Utf8, false)]).collect()
}

/// The columns of a finding without its repository.
pub(crate) fn finding_columns() -> Fields {
    finding_fields().collect()
}
