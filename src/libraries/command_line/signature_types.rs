//! What the annotations of parameters and fields say of the words of the analysed program's command line.

use harp_corpus::Span;
use harp_interp::api::dispatch::argument_of;
use harp_interp::state::interpreter::Interpreter;
use harp_interp::values::value::{ObjectId, Value};
use harp_python::ir::{ArgumentKind, Expr, ExprKind, StmtKind};
use harp_python::name::Name;

/// An annotated field of a data class.
pub struct Field {
    pub name: Name,
    pub kind: Kind,
    /// The data class that its annotation names.
    pub class: Option<ObjectId>,
    /// The enumeration that its annotation names.
    pub choices: Option<Value>,
    pub place: Span,
}

/// The annotated fields of a data class, those of its bases first.
pub fn annotated_fields(interpreter: &Interpreter<'_>, class: ObjectId) -> Vec<Field> {
    let mut fields: Vec<Field> = Vec::new();
    for base in interpreter.bases_with_fields(class) {
        let Some(data) = interpreter.heap.class(base) else { continue };
        let file = data.definition.file;
        let module = interpreter.project.module_of_file(file);
        let as_main = interpreter.tables.modules.get(&(module, true));
        let globals = as_main.or_else(|| interpreter.tables.modules.get(&(module, false))).copied();
        for statement in &data.definition.body {
            if let StmtKind::AnnotatedAssign { target, annotation, .. } = &statement.kind
                && let ExprKind::Name(name) = &target.kind
            {
                let class = globals.and_then(|globals| class_named(interpreter, annotation, globals));
                let choices = globals.and_then(|globals| enumeration_named(interpreter, annotation, globals));
                let place = statement.range.in_file(file);
                let field = Field { name: *name, kind: kind_of(annotation), class, choices, place };
                match fields.iter_mut().find(|known| known.name == *name) {
                    Some(known) => *known = field,
                    None => fields.push(field),
                }
            }
        }
    }
    fields
}

/// The data class that an annotation names.
pub fn class_named(interpreter: &Interpreter<'_>, annotation: &Expr, globals: ObjectId) -> Option<ObjectId> {
    let ExprKind::Name(name) = &annotation.kind else { return None };
    let value = interpreter.heap.attribute(globals, *name)?;
    match interpreter.read(value) {
        Value::Class(class) if interpreter.is_record_class(class) => Some(class),
        _ => None,
    }
}

/// The enumeration that an annotation names: a word is the value of one of its members.
pub fn enumeration_named(interpreter: &Interpreter<'_>, annotation: &Expr, globals: ObjectId) -> Option<Value> {
    let ExprKind::Name(name) = &annotation.kind else { return None };
    let value = interpreter.read(interpreter.heap.attribute(globals, *name)?);
    interpreter.is_enumeration(&value).then_some(value)
}

/// What an annotation says of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Int,
    Float,
    Bool,
    Text,
    /// Several, of whole numbers or not.
    List(bool),
    Path,
    /// What a word becomes the annotation says, and is not followed.
    Made,
    Other,
}

impl Kind {
    /// Where the annotation says nothing, the default does.
    pub fn or_of(self, default: Option<&Value>) -> Kind {
        match (self, default) {
            (Kind::Other | Kind::Made, Some(Value::Int(_))) => Kind::Int,
            (Kind::Other | Kind::Made, Some(Value::Float(_) | Value::Ratio(_))) => Kind::Float,
            (Kind::Other | Kind::Made, Some(Value::Bool(_))) => Kind::Bool,
            (kind, _) => kind,
        }
    }
}

/// The flags that `Annotated[int, typer.Option("--width", "-w")]` names.
pub fn flags_of_annotation(annotation: &Expr) -> Vec<String> {
    let ExprKind::Subscript { value, index } = &annotation.kind else { return Vec::new() };
    let Some(outer) = value.last_name() else { return Vec::new() };
    let (true, ExprKind::Tuple(parts)) = (outer.as_str() == "Annotated", &index.kind) else { return Vec::new() };
    let calls = parts.iter().skip(1).filter_map(|part| match &part.kind {
        ExprKind::Call(call) => Some(call),
        _ => None,
    });
    calls
        .flat_map(|call| &call.arguments)
        .filter(|argument| argument.kind == ArgumentKind::Positional)
        .filter_map(|argument| match &argument.value.kind {
            ExprKind::Str(text) if text.starts_with('-') => Some(text.to_string()),
            _ => None,
        })
        .collect()
}

pub fn kind_of(annotation: &Expr) -> Kind {
    match &annotation.kind {
        ExprKind::Name(_) | ExprKind::Attribute { .. } => match annotation.last_name().map_or("", Name::as_str) {
            "int" => Kind::Int,
            "float" => Kind::Float,
            "bool" => Kind::Bool,
            "str" => Kind::Text,
            "Path" | "PurePath" => Kind::Path,
            "Any" | "object" | "Literal" => Kind::Other,
            _ => Kind::Made,
        },
        // `Optional[int]`, `Annotated[int, …]`, `List[int]`
        ExprKind::Subscript { value, index } => {
            let Some(outer) = value.last_name() else { return Kind::Other };
            let inner = match &index.kind {
                ExprKind::Tuple(items) => items.first().map_or(Kind::Other, kind_of),
                _ => kind_of(index),
            };
            match outer.as_str() {
                "Optional" | "Annotated" | "Union" | "Final" => inner,
                "List" | "list" | "Sequence" | "Tuple" | "tuple" => Kind::List(inner == Kind::Int),
                _ => Kind::Other,
            }
        }
        // `int | None`
        ExprKind::Binary { left, .. } => kind_of(left),
        _ => Kind::Other,
    }
}

/// Whether `Annotated[str, typer.Argument()]` says that a word without a flag is meant.
pub fn says_argument(annotation: &Expr) -> bool {
    let ExprKind::Subscript { index, .. } = &annotation.kind else { return false };
    let ExprKind::Tuple(parts) = &index.kind else { return false };
    parts.iter().skip(1).any(|part| match &part.kind {
        ExprKind::Call(call) => call.function.last_name().is_some_and(|name| name.as_str() == "Argument"),
        _ => false,
    })
}

/// Whether a default is `typer.Argument(…)`.
pub fn is_argument_marker(interpreter: &Interpreter<'_>, default: &Value) -> bool {
    interpreter
        .instance_data(default)
        .is_some_and(|data| matches!(&data.class, Value::Library(name) if name.as_str() == "typer.Argument"))
}

/// The flags that `typer.Option(default, "--width", "-w")` names.
pub fn flags_of_option(interpreter: &Interpreter<'_>, value: &Value) -> Vec<String> {
    let Some(data) = interpreter.instance_data(value) else { return Vec::new() };
    match argument_of(&data, "flags") {
        Value::Tuple(flags) => flags.iter().filter_map(|flag| flag.as_text().map(str::to_owned)).collect(),
        _ => Vec::new(),
    }
}
