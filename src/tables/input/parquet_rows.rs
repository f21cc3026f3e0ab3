//! Rows of a file of Parquet, one after the other: of each column no more is unpacked than a page and a dictionary, and values are parts of these.
//! Reading many rows at once would copy the values of a dictionary as often as they occur.

use std::fs::File;
use std::io;
use std::sync::Arc;

use parquet::basic::{ConvertedType, LogicalType, Type};
use parquet::column::reader::{ColumnReaderImpl, get_column_reader, get_typed_column_reader};
use parquet::data_type::{ByteArray, ByteArrayType};
use parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader};
use parquet::file::serialized_reader::SerializedPageReader;

use super::checked_pages::CheckedPages;
use super::page_bounds::BoundedPages;
use super::{ColumnNames, FileRow, name};
use crate::part::io_error;

/// A page of contents unpacks to no more. That is what the format allows, and common writers make such pages of large files.
const LARGEST_CONTENTS: u64 = 2 << 30;
/// The same for names, revisions and paths.
const LARGEST_NAMES: u64 = 128 << 20;

/// The rows of a file of Parquet, in their order. Contents of more than `limit` bytes are left out.
///
/// # Errors
///
/// Where it is no such file, or lacks a column: an error of the kind `InvalidInput`.
pub fn parquet_file(
    file: File,
    names: &ColumnNames,
    limit: u64,
) -> io::Result<impl Iterator<Item = io::Result<FileRow>> + Send + use<>> {
    rows_within(file, names, limit, [LARGEST_NAMES, LARGEST_CONTENTS])
}

/// The same with the bytes that pages may have, of names and of contents.
pub(super) fn rows_within(
    file: File,
    names: &ColumnNames,
    limit: u64,
    [of_names, of_contents]: [u64; 2],
) -> io::Result<impl Iterator<Item = io::Result<FileRow>> + Send + use<>> {
    let table = Table::open(file)?;
    let repository = table.needed(&names.repository, of_names)?;
    let revision = table.column(&names.revision, of_names).transpose()?;
    let path = table.needed(&names.path, of_names)?;
    let content = table.needed(&names.content, of_contents)?;
    let mut columns = vec![repository, path, content];
    columns.extend(revision);
    Ok(table.rows(columns, move |values| {
        let [repository, path, content, rest @ ..] = values else { return Err(ends_early()) };
        let bytes = |value: &ByteArray| value.data().to_vec();
        Ok(FileRow {
            repository: repository.as_ref().map(|value| name(value.data())),
            revision: rest.first().and_then(Option::as_ref).map(|value| name(value.data())),
            path: path.as_ref().map(bytes).unwrap_or_default(),
            content: content.as_ref().filter(|content| content.len() as u64 <= limit).map(bytes),
        })
    }))
}

/// The names of repositories in a file of Parquet, a row each.
///
/// # Errors
///
/// Where it is no such file, or lacks the column: an error of the kind `InvalidInput`.
pub fn repositories_of_parquet(
    file: File,
    names: &ColumnNames,
) -> io::Result<impl Iterator<Item = io::Result<Option<String>>> + use<>> {
    let table = Table::open(file)?;
    let columns = vec![table.needed(&names.repository, LARGEST_NAMES)?];
    Ok(table.rows(columns, |values| Ok(values.iter().flatten().next().map(|value| name(value.data())))))
}

/// A file has no more rows.
const MOST_ROWS: i64 = 1 << 31;

struct Table {
    file: File,
    metadata: ParquetMetaData,
}

/// Where a column is.
#[derive(Clone, Copy)]
struct Place {
    /// `None` where it has no values at all, and so no type.
    leaf: Option<usize>,
    /// A page has no more bytes.
    largest_page: u64,
}

impl Table {
    fn open(file: File) -> io::Result<Table> {
        let metadata = ParquetMetaDataReader::new().parse_and_finish(&file).map_err(io_error)?;
        // Rows without values take no bytes, so that a small file may say that it has any number of them.
        let rows = metadata.row_groups().iter().fold(0_i64, |rows, group| rows.saturating_add(group.num_rows().max(0)));
        if rows > MOST_ROWS {
            return Err(io::Error::other(format!("it has more than {MOST_ROWS} rows: divide it")));
        }
        Ok(Table { file, metadata })
    }

    fn needed(&self, name: &str, largest_page: u64) -> io::Result<Place> {
        self.column(name, largest_page).unwrap_or_else(|| {
            let fields = self.metadata.file_metadata().schema_descr().root_schema().get_fields();
            let there: Vec<&str> = fields.iter().map(|field| field.name()).collect();
            Err(unfit(format!("there is no column `{name}` among {}", there.join(", "))))
        })
    }

    fn column(&self, name: &str, largest_page: u64) -> Option<io::Result<Place>> {
        let schema = self.metadata.file_metadata().schema_descr();
        let leaf = (0..schema.num_columns()).find(|leaf| schema.get_column_root(*leaf).name() == name)?;
        let column = schema.column(leaf);
        let is_alone = column.path().parts().len() == 1 && column.max_rep_level() == 0;
        let is_number = column.converted_type() == ConvertedType::DECIMAL;
        let leaf = match column.logical_type_ref() {
            Some(LogicalType::Unknown) if is_alone => None,
            _ if is_alone && column.physical_type() == Type::BYTE_ARRAY && !is_number => Some(leaf),
            _ => return Some(Err(unfit(format!("the column `{name}` is neither text nor bytes")))),
        };
        Some(Ok(Place { leaf, largest_page }))
    }

    /// What `row` makes of the values of each row.
    fn rows<T>(
        self,
        columns: Vec<Place>,
        row: impl Fn(&[Option<ByteArray>]) -> io::Result<T>,
    ) -> impl Iterator<Item = io::Result<T>> {
        let mut groups = 0..self.metadata.num_row_groups();
        let (mut readers, mut left): (Vec<Column>, i64) = (Vec::new(), 0);
        let mut values: Vec<Option<ByteArray>> = Vec::new();
        let mut next = move || -> io::Result<Option<T>> {
            while left <= 0 {
                let Some(group) = groups.next() else { return Ok(None) };
                left = self.metadata.row_group(group).num_rows();
                // What was unpacked of the group before goes first.
                readers.clear();
                for place in &columns {
                    readers.push(self.reader(group, *place)?);
                }
            }
            left -= 1;
            values.clear();
            for reader in &mut readers {
                values.push(reader.next()?);
            }
            row(&values).map(Some)
        };
        let mut is_over = false;
        std::iter::from_fn(move || {
            let row = if is_over { None } else { next().transpose() };
            is_over = !matches!(row, Some(Ok(_)));
            row
        })
    }

    fn reader(&self, group: usize, place: Place) -> io::Result<Column> {
        let Some(leaf) = place.leaf else { return Ok(Column::Empty) };
        let group = self.metadata.row_group(group);
        let rows = usize::try_from(group.num_rows()).map_err(io::Error::other)?;
        let file = BoundedPages { file: self.file.try_clone()?, most: place.largest_page };
        let column = group.columns().get(leaf).ok_or_else(ends_early)?;
        let pages = SerializedPageReader::new(Arc::new(file), column, rows, None).map_err(io_error)?;
        let description = column.column_descr_ptr();
        let pages = CheckedPages { pages, has_levels: description.max_def_level() > 0 };
        let reader = get_column_reader(description, Box::new(pages));
        let reader = Box::new(get_typed_column_reader(reader));
        Ok(Column::Values { reader, values: Vec::new(), levels: Vec::new() })
    }
}

/// A column in a group of rows.
enum Column {
    Empty,
    Values { reader: Box<ColumnReaderImpl<ByteArrayType>>, values: Vec<ByteArray>, levels: Vec<i16> },
}

impl Column {
    /// The value of the next row.
    fn next(&mut self) -> io::Result<Option<ByteArray>> {
        let Column::Values { reader, values, levels } = self else { return Ok(None) };
        values.clear();
        levels.clear();
        let (rows, ..) = reader.read_records(1, Some(levels), None, values).map_err(io_error)?;
        match rows {
            1 => Ok(values.pop()),
            _ => Err(ends_early()),
        }
    }
}

fn unfit(what: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, what)
}

fn ends_early() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "a column ends before the others")
}
