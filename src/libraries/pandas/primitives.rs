//! What `api_annotations/pandas/python/pandas.py` asks of Harp beside the primitives that all sources may use: cells, and files that the program
//! writes and reads again.

use crate::methods::*;
use crate::numpy::loaded_arrays;
use crate::stdlib::saved_objects;
use harp_interp::api::library_model::FunctionHandler;
use harp_interp::values::value::Value;
use harp_python::name::name;
use harp_shape::{DType, Shape};

pub fn function(name: &str) -> Option<FunctionHandler> {
    Some(match name {
        // `_cells(sizes)`: the cells of a table or column as an array.
        "pandas._cells" => |this, _, arguments| {
            let span = this.place_in_program(arguments.span);
            let sizes = arguments.get(0, "sizes").map(|sizes| this.read(sizes));
            let shape = match sizes.and_then(|sizes| this.dims_of(&sizes)) {
                Some(dims) => Shape::known(dims),
                None => Shape::unknown("cells"),
            };
            Ok(loaded_arrays::read_tensor(this, name!("pandas.DataFrame.values"), shape, DType::Unknown, span))
        },
        // `_text_table(path, separator)`: the names and columns of a table that lies beside the program, as `None` where it does not.
        "pandas._text_table" => |this, _, arguments| {
            let path = arguments.get(0, "path").and_then(|path| this.path_of(path));
            let separator = arguments.get(1, "separator").and_then(Value::as_text).unwrap_or(",").to_owned();
            let table = path.and_then(|path| this.text_table(&path, &separator));
            let Some((names, rows, columns)) = table else { return Ok(Value::None) };
            let names = Value::List(this.heap.allocate_list(names));
            let columns = columns.into_iter().map(|column| Value::List(this.heap.allocate_list(column))).collect();
            let columns = Value::List(this.heap.allocate_list(columns));
            Ok(Value::tuple(vec![names, Value::Int(rows), columns]))
        },
        // `raise _failure(message)`: the library refuses what it was given.
        "pandas._failure" => |this, _, arguments| {
            let message = arguments.get(0, "message").and_then(Value::as_text).unwrap_or("it fails").to_owned();
            this.sequence_fails("pandas", message, arguments.span);
            Err(this.raise("ValueError", "", arguments.span))
        },
        "pandas._keep" => |this, _, arguments| {
            let (table, path) = (arguments.positional.first().cloned(), arguments.positional.get(1).cloned());
            saved_objects::write(this, table, path, arguments.span);
            Ok(Value::None)
        },
        "pandas._kept" => {
            |this, _, arguments| Ok(saved_objects::kept(this, arguments.positional.first()).unwrap_or(Value::None))
        }
        _ => return None,
    })
}
