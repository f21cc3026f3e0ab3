use std::fs::File;
use std::io::{BufReader, Seek, SeekFrom};
use std::sync::Arc;

use arrow_array::types::Int8Type;
use arrow_array::{ArrayRef, DictionaryArray, LargeBinaryArray, NullArray, RecordBatch, StringArray, StringViewArray};
use arrow_ipc::writer::StreamWriter;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::file::properties::{WriterProperties, WriterPropertiesBuilder, WriterVersion};

use super::parquet_rows::rows_within;
use super::{ColumnNames, FileRow, LONGEST_NAME, arrow_stream, parquet_file, repositories_of_parquet};

fn batch(columns: [(&str, ArrayRef); 4]) -> RecordBatch {
    RecordBatch::try_from_iter_with_nullable(columns.map(|(name, values)| (name, values, true))).expect("a batch")
}

/// Rows of all the types that a table may have.
fn mixed() -> RecordBatch {
    let keys: DictionaryArray<Int8Type> = [Some("b"), None, Some("a"), Some("b")].into_iter().collect();
    batch([
        ("repository", Arc::new(keys)),
        ("revision", Arc::new(NullArray::new(4))),
        ("path", Arc::new(StringViewArray::from(vec![Some("1.py"), Some("2.py"), None, Some("4.py")]))),
        ("content", Arc::new(LargeBinaryArray::from_opt_vec(vec![Some(b"x"), Some(b"\xff"), None, Some(b"long")]))),
    ])
}

fn expected() -> Vec<FileRow> {
    let row = |repository: Option<&str>, path: &str, content: Option<&[u8]>| FileRow {
        repository: repository.map(ToOwned::to_owned),
        revision: None,
        path: path.as_bytes().to_vec(),
        content: content.map(<[u8]>::to_vec),
    };
    let [x, odd] = [b"x", b"\xff"].map(|content| Some(content.as_slice()));
    vec![row(Some("b"), "1.py", x), row(None, "2.py", odd), row(Some("a"), "", None), row(Some("b"), "4.py", None)]
}

fn parquet(batch: &RecordBatch) -> File {
    parquet_with(batch, WriterProperties::builder())
}

fn parquet_with(batch: &RecordBatch, properties: WriterPropertiesBuilder) -> File {
    let file = tempfile::tempfile().expect("a file");
    let properties = properties
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_max_row_group_row_count(Some(batch.num_rows().div_ceil(2).max(3)))
        .build();
    let mut writer = ArrowWriter::try_new(file.try_clone().expect("a file"), batch.schema(), Some(properties));
    let writer = writer.as_mut().expect("a table");
    writer.write(batch).expect("rows");
    writer.finish().expect("a table");
    file
}

#[test]
fn columns_are_of_any_type_of_text() {
    let file = parquet(&mixed());
    let names = ColumnNames::default();
    let rows = parquet_file(file.try_clone().expect("a file"), &names, 3).expect("a table");
    assert_eq!(rows.collect::<Result<Vec<_>, _>>().expect("rows"), expected());
    let repositories = repositories_of_parquet(file, &names).expect("a table");
    let repositories: Vec<Option<String>> = repositories.collect::<Result<_, _>>().expect("names");
    assert_eq!(repositories, expected().into_iter().map(|row| row.repository).collect::<Vec<_>>());
}

#[test]
fn texts_are_encoded_in_any_way() {
    for (encoding, version) in [
        (Encoding::DELTA_BYTE_ARRAY, WriterVersion::PARQUET_1_0),
        (Encoding::DELTA_BYTE_ARRAY, WriterVersion::PARQUET_2_0),
        (Encoding::DELTA_LENGTH_BYTE_ARRAY, WriterVersion::PARQUET_1_0),
        (Encoding::DELTA_LENGTH_BYTE_ARRAY, WriterVersion::PARQUET_2_0),
    ] {
        let texts = |end: &str| {
            let text = |number: usize| (!number.is_multiple_of(7)).then(|| format!("{}{end}", "a".repeat(number)));
            Arc::new(StringArray::from_iter((0..300).map(text))) as ArrayRef
        };
        let table = batch([
            ("repository", texts("")),
            ("revision", texts("r")),
            ("path", texts(".py")),
            ("content", texts("c")),
        ]);
        let properties = WriterProperties::builder()
            .set_dictionary_enabled(false)
            .set_encoding(encoding)
            .set_writer_version(version);
        let file = parquet_with(&table, properties);
        let rows = parquet_file(file, &ColumnNames::default(), 1 << 20).expect("a table");
        let contents = rows.map(|row| row.map(|row| row.content.map(|content| content.len())));
        let expected: Vec<Option<usize>> =
            (0_usize..300).map(|number| (!number.is_multiple_of(7)).then_some(number + 1)).collect();
        assert_eq!(contents.collect::<Result<Vec<_>, _>>().expect("rows"), expected, "{encoding} {version:?}");
    }
}

#[test]
fn streams_have_the_same_rows() {
    let mut file = tempfile::tempfile().expect("a file");
    let mut writer = StreamWriter::try_new(&file, &mixed().schema()).expect("a stream");
    writer.write(&mixed()).expect("rows");
    writer.finish().expect("a stream");
    file.seek(SeekFrom::Start(0)).expect("a file");
    let rows = arrow_stream(BufReader::new(file), &ColumnNames::default(), 3).expect("a stream");
    assert_eq!(rows.collect::<Result<Vec<_>, _>>().expect("rows"), expected());
}

#[test]
fn pages_are_not_unpacked_where_they_are_too_large() {
    let texts = |length: usize| Arc::new(StringArray::from_iter_values([1, 2].map(|n| n.to_string().repeat(length))));
    let table = |[repository, path, content]: [usize; 3]| {
        parquet(&batch([
            ("repository", texts(repository)),
            ("revision", texts(1)),
            ("path", texts(path)),
            ("content", texts(content)),
        ]))
    };
    let sizes = |lengths: [usize; 3]| {
        let rows = rows_within(table(lengths), &ColumnNames::default(), 1 << 20, [1 << 10, 1 << 14]).expect("a table");
        let size = |row: FileRow| row.content.map_or(0, |content| content.len());
        rows.map(|row| row.map(size).map_err(|error| error.to_string())).collect::<Result<Vec<_>, _>>()
    };
    assert_eq!(sizes([100, 100, 8000]), Ok(vec![8000, 8000]));
    for lengths in [[600, 1, 1], [1, 600, 1], [1, 1, 9000]] {
        assert!(sizes(lengths).is_err_and(|error| error.contains("a page of")), "{lengths:?}");
    }
}

#[test]
fn names_are_cut_where_they_are_too_long() {
    let texts = |length: usize| Arc::new(StringArray::from_iter_values(["a".repeat(length)])) as ArrayRef;
    let table =
        batch([("repository", texts(9000)), ("revision", texts(9000)), ("path", texts(1)), ("content", texts(1))]);
    let mut rows = parquet_file(parquet(&table), &ColumnNames::default(), 1).expect("a table");
    let FileRow { repository, revision, .. } = rows.next().expect("a row").expect("a row");
    assert_eq!([repository, revision].map(|name| name.map(|name| name.len())), [Some(LONGEST_NAME); 2]);
}

#[test]
fn a_column_that_is_not_there_is_told() {
    let names = ColumnNames { content: "text".to_owned(), ..ColumnNames::default() };
    let error = parquet_file(parquet(&mixed()), &names, 1).err().expect("no such column");
    assert_eq!(error.to_string(), "there is no column `text` among repository, revision, path, content");
    assert_eq!(error.kind(), std::io::ErrorKind::InvalidInput);
}
