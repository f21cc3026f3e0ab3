//! Arrays and tables that are read from files: what they hold is not known, but that they hold numbers is taken for granted where they are used.

use std::rc::Rc;

use crate::corpus::Span;
use crate::interp::assumption::{AssumptionKind, words};
use crate::interp::calls::CallArguments;
use crate::interp::handlers::datasets::plain_tensor;
use crate::interp::handlers::{FunctionHandler, MethodHandler};
use crate::interp::heap::{InstanceData, Payload};
use crate::interp::library::argument_of;
use crate::interp::machine::{Eval, Interpreter};
use crate::interp::value::{Iteration, Tensor, TensorKind, Value};
use crate::python::name::Name;
use crate::shape::{DType, Dim, Element, Shape, Var, VarInfo};

const FRAME: &str = "pandas.DataFrame";
const SERIES: &str = "pandas.Series";
/// What `iloc` and `loc` give.
const INDEXER: &str = "pandas.indexer";

pub fn function(name: &str) -> Option<FunctionHandler> {
    Some(match name {
        "numpy.load" => load_array,
        "numpy.loadtxt" | "numpy.genfromtxt" | "numpy.fromfile" => |this, name, arguments| {
            // A table of texts has a record in each row: how many there are is no setting of the program.
            let shape = match arguments.get(1, "dtype") {
                Some(dtype) if is_text_type(this, dtype) => {
                    Shape::known(vec![Dim::var(Var::fresh(VarInfo::counted("rows").between(Some(1), None)))])
                        .concat(&Shape::unknown("array"))
                }
                _ => Shape::unknown("array"),
            };
            Ok(read_tensor(this, name, shape, DType::Unknown, arguments.span))
        },
        "cv2.imread" => |this, name, arguments| {
            let (height, width) = (this.free_dim("height", 1), this.free_dim("width", 1));
            let shape = match arguments.get(1, "flags").map(Value::as_int) {
                None | Some(Some(1)) => Shape::known(vec![height, width, Dim::constant(3)]),
                Some(Some(0)) => Shape::known(vec![height, width]),
                Some(_) => Shape::unknown("pixels"),
            };
            Ok(read_tensor(this, name, shape, DType::UInt8, arguments.span))
        },
        "pandas.read_csv"
        | "pandas.read_excel"
        | "pandas.read_table"
        | "pandas.read_parquet"
        | "pandas.read_feather"
        | "pandas.DataFrame" => |this, _, arguments| {
            let (rows, columns) = (this.free_dim("rows", 1), this.free_dim("columns", 1));
            Ok(frame(this, rows, columns, arguments.span))
        },
        "sklearn.model_selection.train_test_split" => train_test_split,
        _ => return None,
    })
}

pub fn method(name: &str) -> Option<MethodHandler> {
    // How many words texts have is given with them.
    if name == "torchtext.vocab.Vocab.__len__" {
        return Some(|this, vocabulary, arguments| match vocabulary {
            Value::Instance(id) => Ok(Value::Int(this.count_of_data(*id, arguments.span))),
            _ => Ok(Value::Unknown("length")),
        });
    }
    let (class, method) = name.rsplit_once('.')?;
    match (class, method) {
        (INDEXER, "__getitem__") => Some(item_by_position),
        (FRAME, "__getitem__") => Some(columns_of),
        (FRAME | SERIES, "__len__") => Some(|this, table, _| Ok(Value::Int(size(this, table, "rows")))),
        (FRAME | SERIES, "to_numpy") => Some(|this, table, arguments| Ok(values(this, table, arguments.span))),
        (
            FRAME | SERIES,
            "astype" | "fillna" | "copy" | "reset_index" | "apply" | "sort_values" | "replace" | "set_index" | "rename"
            | "map" | "round" | "abs" | "clip",
        ) => Some(|_, table, _| Ok(table.clone())),
        (FRAME | SERIES, "head" | "tail" | "sample" | "dropna" | "query" | "drop_duplicates") => {
            Some(|this, table, arguments| {
                let rows = this.free_dim("rows", 0);
                Ok(with_rows(this, table, rows, arguments.span))
            })
        }
        (FRAME, "drop") => Some(|this, table, arguments| {
            // Columns or rows are dropped.
            let (rows, columns) = (this.free_dim("rows", 1), this.free_dim("columns", 1));
            let of_columns = arguments.keyword("columns").is_some()
                || arguments.get(1, "axis").is_some_and(|axis| axis.as_int() == Some(1) || axis.as_text().is_some());
            let (rows, columns) =
                if of_columns { (size(this, table, "rows"), columns) } else { (rows, size(this, table, "columns")) };
            Ok(frame(this, rows, columns, arguments.span))
        }),
        _ => None,
    }
}

fn load_array(interpreter: &mut Interpreter<'_>, name: Name, arguments: CallArguments) -> Eval {
    let is_archive = arguments.get(0, "file").and_then(Value::as_text).is_some_and(|path| path.ends_with(".npz"));
    let array = read_tensor(interpreter, name, Shape::unknown("array"), DType::Unknown, arguments.span);
    if !is_archive {
        return Ok(array);
    }
    let dict = interpreter.heap.allocate_dict(Vec::new());
    interpreter.heap.change_dict(dict, |data| data.rest = Some((Value::Str(None), array)));
    Ok(Value::Dict(dict))
}

/// An array that a file holds.
fn read_tensor(interpreter: &mut Interpreter<'_>, name: Name, shape: Shape, dtype: DType, span: Span) -> Value {
    let speculation = interpreter.speculate(
        AssumptionKind::InputOutput,
        name.as_str(),
        words::input_output_array(),
        format!("`{name}` reads it"),
        span,
    );
    let Some(assumptions) = speculation.granted() else {
        return interpreter.symbolic(&format!("{name}(…)"), span, true);
    };
    match plain_tensor(shape, dtype, TensorKind::NumPy, span) {
        Value::Tensor(tensor) => {
            Value::Tensor(Rc::new(Tensor { assumptions, name: Some(name), ..Tensor::clone(&tensor) }))
        }
        other => other,
    }
}

fn table(interpreter: &mut Interpreter<'_>, class: &str, arguments: Vec<(Name, Value)>, origin: Span) -> Value {
    let data = InstanceData { class: Value::library(class), arguments, origin };
    Value::Instance(interpreter.heap.allocate(Payload::Instance(Rc::new(data))))
}

fn frame(interpreter: &mut Interpreter<'_>, rows: Dim, columns: Dim, origin: Span) -> Value {
    let sizes = vec![(Name::new("rows"), Value::Int(rows)), (Name::new("columns"), Value::Int(columns))];
    table(interpreter, FRAME, sizes, origin)
}

fn series(interpreter: &mut Interpreter<'_>, rows: Dim, origin: Span) -> Value {
    table(interpreter, SERIES, vec![(Name::new("rows"), Value::Int(rows))], origin)
}

fn size(interpreter: &mut Interpreter<'_>, table: &Value, name: &str) -> Dim {
    let known = interpreter.instance_data(table).and_then(|data| argument_of(&data, name).as_dim());
    known.unwrap_or_else(|| interpreter.free_dim(name, 1))
}

fn with_rows(interpreter: &mut Interpreter<'_>, table: &Value, rows: Dim, origin: Span) -> Value {
    if interpreter.is_instance_of(table, SERIES) {
        return series(interpreter, rows, origin);
    }
    let columns = size(interpreter, table, "columns");
    frame(interpreter, rows, columns, origin)
}

/// The numbers of a table as an array.
fn values(interpreter: &mut Interpreter<'_>, table: &Value, span: Span) -> Value {
    let mut dims = vec![size(interpreter, table, "rows")];
    if !interpreter.is_instance_of(table, SERIES) {
        dims.push(size(interpreter, table, "columns"));
    }
    read_tensor(interpreter, Name::new("pandas.DataFrame.values"), Shape::known(dims), DType::Unknown, span)
}

/// `frame["name"]`, `frame[["a", "b"]]`, `frame[mask]`.
fn columns_of(interpreter: &mut Interpreter<'_>, table: &Value, arguments: CallArguments) -> Eval {
    let span = arguments.span;
    let rows = size(interpreter, table, "rows");
    let index = arguments.positional.first().map_or(Value::Unknown("column"), |index| interpreter.read(index));
    Ok(match &index {
        Value::Str(_) => series(interpreter, rows, span),
        Value::List(_) => {
            let count = interpreter.length_of(&index).unwrap_or_else(|| interpreter.free_dim("columns", 1));
            frame(interpreter, rows, count, span)
        }
        _ => {
            let rows = interpreter.free_dim("rows", 0);
            with_rows(interpreter, table, rows, span)
        }
    })
}

/// `frame.iloc[rows, columns]` and `frame.loc[…]`.
fn item_by_position(interpreter: &mut Interpreter<'_>, indexer: &Value, arguments: CallArguments) -> Eval {
    let span = arguments.span;
    let data = interpreter.instance_data(indexer);
    let Some(table) = data.map(|data| argument_of(&data, "table")) else { return Ok(Value::Unknown("item")) };
    let index = arguments.positional.first().map_or(Value::Unknown("index"), |index| interpreter.read(index));
    let whole = Value::Slice(Rc::new([Value::None, Value::None, Value::None]));
    let (row, column) = match &index {
        Value::Tuple(parts) if parts.len() == 2 => (parts[0].clone(), parts[1].clone()),
        row => (row.clone(), whole),
    };
    let is_series = interpreter.is_instance_of(&table, SERIES);
    let rows = selected(interpreter, &row, &table, "rows");
    let columns = if is_series { None } else { selected(interpreter, &column, &table, "columns") };
    Ok(match (rows, columns) {
        (Some(rows), Some(columns)) => frame(interpreter, rows, columns, span),
        (Some(count), None) | (None, Some(count)) => series(interpreter, count, span),
        (None, None) => interpreter.symbolic("cell of a table", span, true),
    })
}

/// How many rows or columns an index takes; `None` where it takes one, whose axis is lost.
fn selected(interpreter: &mut Interpreter<'_>, index: &Value, table: &Value, axis: &str) -> Option<Dim> {
    match interpreter.read(index) {
        Value::Slice(bounds) => {
            let all = size(interpreter, table, axis);
            let (lower, upper) = (bounds[0].as_int(), bounds[1].as_int());
            Some(match (&bounds[0], &bounds[1], lower, upper) {
                (Value::None, Value::None, _, _) => all,
                // That there are as many as the program asks for is taken for granted.
                (Value::None, _, _, Some(count @ 0..)) => Dim::constant(count),
                (_, _, Some(from @ 0..), Some(to @ 0..)) if to >= from => Dim::constant(to - from),
                (Value::None, _, _, Some(left)) => all + Dim::constant(left),
                (_, Value::None, Some(from @ 0..), _) => all - Dim::constant(from),
                _ => interpreter.free_dim(axis, 0),
            })
        }
        Value::Int(_) | Value::Str(_) => None,
        list @ Value::List(_) => Some(interpreter.length_of(&list).unwrap_or_else(|| interpreter.free_dim(axis, 0))),
        _ => Some(interpreter.free_dim(axis, 0)),
    }
}

impl Interpreter<'_> {
    /// The attributes of a table that tell its sizes or give its contents.
    pub fn table_attribute(&mut self, receiver: &Value, base: Name, name: Name, span: Span) -> Option<Value> {
        if !matches!(base.as_str(), FRAME | SERIES) {
            return None;
        }
        let is_series = base.as_str() == SERIES;
        Some(match name.as_str() {
            "values" => values(self, receiver, span),
            "shape" => {
                let mut sizes = vec![Value::Int(size(self, receiver, "rows"))];
                if !is_series {
                    sizes.push(Value::Int(size(self, receiver, "columns")));
                }
                Value::tuple(sizes)
            }
            "iloc" | "loc" => table(self, INDEXER, vec![(Name::new("table"), receiver.clone())], span),
            _ => return None,
        })
    }
}

/// `train_test_split(x, y, …)`: each array in two parts, whose lengths are the same for all.
fn train_test_split(interpreter: &mut Interpreter<'_>, _: Name, arguments: CallArguments) -> Eval {
    let span = arguments.span;
    let sizes = [interpreter.free_dim("train", 1), interpreter.free_dim("test", 1)];
    let mut parts = Vec::with_capacity(arguments.positional.len() * 2);
    for array in &arguments.positional {
        let array = interpreter.read(array);
        for size in sizes {
            parts.push(match &array {
                Value::Tensor(tensor) => {
                    let shape = interpreter.solver.resolve_shape(&tensor.shape);
                    match interpreter.solver.split(&shape, 1, 0) {
                        Some((_, rest, _)) => {
                            let mut elements = vec![Element::Dim(size)];
                            elements.extend(rest.elements().iter().cloned());
                            Value::Tensor(Rc::new(Tensor { shape: Shape::new(elements), ..Tensor::clone(tensor) }))
                        }
                        None => array.clone(),
                    }
                }
                Value::Instance(_) if interpreter.is_instance_of(&array, FRAME) => {
                    with_rows(interpreter, &array, size, span)
                }
                Value::Instance(_) if interpreter.is_instance_of(&array, SERIES) => series(interpreter, size, span),
                _ => match interpreter.iterate(&array)? {
                    Iteration::Items(items) if items.is_empty() => array.clone(),
                    iteration => {
                        let item = interpreter.any_item(iteration, span);
                        let data = crate::interp::heap::ListData { items: Vec::new(), rest: Some(item) };
                        Value::List(interpreter.heap.allocate(Payload::List(Rc::new(data))))
                    }
                },
            });
        }
    }
    Ok(Value::List(interpreter.heap.allocate_list(parts)))
}

/// `str`, `np.str_`, `object`, and what `np.dtype` makes of them.
fn is_text_type(interpreter: &Interpreter<'_>, dtype: &Value) -> bool {
    match interpreter.read(dtype) {
        Value::Library(name) => {
            matches!(
                name.as_str(),
                "builtins.str" | "builtins.object" | "numpy.str_" | "numpy.object_" | "numpy.bytes_"
            )
        }
        Value::Instance(_) if interpreter.is_instance_of(dtype, "numpy.dtype") => interpreter
            .instance_data(dtype)
            .is_some_and(|data| data.arguments.iter().any(|(_, argument)| is_text_type(interpreter, argument))),
        Value::Str(Some(name)) => name.starts_with(['U', 'S', 'O']) || matches!(&*name, "str" | "object"),
        _ => false,
    }
}
