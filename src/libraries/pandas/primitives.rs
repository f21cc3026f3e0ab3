//! What `python_library/pandas.py` asks of Harp: sizes and cells that only the data tells, and files that the program writes and reads again.

use crate::methods::*;
use std::rc::Rc;

use crate::numpy::loaded_arrays;
use crate::stdlib::saved_objects;
use harp_corpus::Span;
use harp_interp::api::registry::FunctionHandler;
use harp_interp::heap::objects::{ListData, Payload};
use harp_interp::state::interpreter::Interpreter;
use harp_interp::values::value::{Iteration, Value};
use harp_limits::light_tick;
use harp_python::name::name;
use harp_shape::{DType, Shape};

pub fn function(name: &str) -> Option<FunctionHandler> {
    Some(match name {
        // `_count(name, least)`: how many there are of something.
        "pandas._count" => |this, _, arguments| {
            let name = arguments.get(0, "name").and_then(Value::as_text).unwrap_or("rows").to_owned();
            let least = arguments.get(1, "least").and_then(Value::as_int).unwrap_or(0);
            Ok(Value::Int(this.free_dim(&name, least)))
        },
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
        // `_cell()`, `_number()`: a cell, and what is computed from cells.
        "pandas._cell" | "pandas._number" => |this, _, arguments| {
            let span = this.place_in_program(arguments.span);
            Ok(this.data_from_outside("cell of a table", span))
        },
        // `_unknown(name)`: an attribute that is not followed.
        "pandas._unknown" => |this, _, arguments| {
            let span = this.place_in_program(arguments.span);
            let name = arguments.get(0, "name").and_then(Value::as_text).unwrap_or("attribute");
            let name = format!("pandas.{name}");
            Ok(this.unanswered(&name, &name, span))
        },
        // `_is_known(value)`: whether a number is one number, and a sequence has known items.
        "pandas._is_known" => |this, _, arguments| {
            let value = arguments.positional.first().map(|value| this.read(value));
            Ok(Value::Bool(value.is_some_and(|value| is_known(this, &value))))
        },
        // `_some_of(items)`: a list of unknown length of such items.
        "pandas._some_of" => |this, _, arguments| {
            let items = arguments.positional.first().map_or(Value::Unknown("items"), |items| this.read(items));
            Ok(match this.iterate(&items)? {
                Iteration::Items(items) if items.is_empty() => Value::List(this.heap.allocate_list(items)),
                iteration => {
                    let item = this.any_item(iteration, arguments.span);
                    let data = ListData { items: Vec::new(), rest: Some(item) };
                    Value::List(this.heap.allocate(Payload::List(Rc::new(data))))
                }
            })
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

fn is_known(interpreter: &Interpreter<'_>, value: &Value) -> bool {
    light_tick();
    match value {
        Value::Int(_) => value.as_int().is_some(),
        Value::Float(number) => number.is_some(),
        Value::Str(text) => text.is_some(),
        Value::Bool(_) => true,
        Value::List(id) => interpreter.heap.list(*id).is_some_and(|list| {
            list.rest.is_none() && list.items.iter().all(|item| is_known(interpreter, &interpreter.read(item)))
        }),
        _ => false,
    }
}

#[easy_ext::ext(PrimitivesMethods)]
impl Interpreter<'_> {
    /// The program's own call on the way to a place in the source of a library.
    fn place_in_program(&self, span: Span) -> Span {
        let own = self.call_stack.iter().rev().find(|call| !self.corpus.is_foreign(call.file));
        if self.corpus.is_foreign(span.file) { own.copied().unwrap_or(span) } else { span }
    }
}
