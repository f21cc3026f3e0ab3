//! Vectorises a loop: what the names of a file are assigned, wherever in the file, and what that tells of arrays and
//! indices.

use rustc_hash::FxHashMap;

use crate::Program;
use crate::callee;
use harp_annotations::Effects;
use harp_corpus::FileId;
use harp_python::blocks_of;
use harp_python::ir::{Expr, ExprKind, Module, Stmt, StmtKind};
use harp_python::name::Name;
use harp_trace::{TensorOrigin, ValueKind};

/// What a name is assigned at a place.
#[derive(Clone, Copy)]
enum Value<'a> {
    Is(&'a Expr),
    /// It is the variable of a loop over a range.
    Counter,
    /// It is a parameter of a function.
    Parameter,
    /// Something else binds it.
    Unclear,
}

/// All assignments of a file by name, whichever variables they mean.
#[derive(Default)]
pub struct Definitions<'a> {
    of_names: FxHashMap<Name, Vec<Value<'a>>>,
}

/// What a name in an index is: a number, or an array that picks several elements at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexKind {
    /// All assignments give it an integer.
    Number,
    /// Nothing tells.
    Unknown,
    /// One of them gives it an array, a list, or something else that is no number.
    Other,
}

/// Where the array of a name comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A library's operation gave it.
    Fresh,
    /// A caller gives it.
    Given,
    /// It may be a part of another one.
    Unclear,
}

impl Origin {
    /// Whether arrays of two names surely share no elements, where none of them is known for a view of the other.
    pub fn is_apart_from(self, other: Origin) -> bool {
        matches!((self, other), (Origin::Fresh, Origin::Fresh | Origin::Given) | (Origin::Given, Origin::Fresh))
    }
}

impl<'a> Definitions<'a> {
    pub fn of(module: Option<&'a Module>) -> Definitions<'a> {
        let mut definitions = Definitions::default();
        module.into_iter().for_each(|module| definitions.block(&module.body));
        definitions
    }

    /// What a name in an index is.
    pub fn index(&self, program: Program<'_>, file: FileId, name: Name) -> IndexKind {
        let kinds = self.values(name).iter().map(|value| match value {
            Value::Is(value) => index_kind(program, file, value),
            Value::Counter => IndexKind::Number,
            Value::Parameter | Value::Unclear => IndexKind::Unknown,
        });
        let join = |left: IndexKind, right: IndexKind| match (left, right) {
            (IndexKind::Other, _) | (_, IndexKind::Other) => IndexKind::Other,
            (IndexKind::Number, IndexKind::Number) => IndexKind::Number,
            _ => IndexKind::Unknown,
        };
        kinds.reduce(join).unwrap_or(IndexKind::Unknown)
    }

    /// Whether a name is assigned nothing but numbers of Python's.
    pub fn is_plain_number(&self, program: Program<'_>, file: FileId, name: Name) -> bool {
        let is_literal = |value: &Value<'_>| {
            let Value::Is(value) = value else { return matches!(value, Value::Counter) };
            let number = match &value.kind {
                ExprKind::Unary { operand, .. } => &**operand,
                _ => *value,
            };
            matches!(number.kind, ExprKind::Int(_) | ExprKind::Float(_))
        };
        let values = self.values(name);
        let are_literal = !values.is_empty() && values.iter().all(is_literal);
        are_literal || self.index(program, file, name) == IndexKind::Number
    }

    /// Whether a name is assigned nothing but lists of numbers as they are written.
    pub fn has_numbers(&self, name: Name) -> bool {
        let is_number = |item: &Expr| matches!(item.kind, ExprKind::Int(_) | ExprKind::Float(_));
        let is_list = |value: &Value<'_>| match value {
            Value::Is(Expr { kind: ExprKind::List(items) | ExprKind::Tuple(items), .. }) => items.iter().all(is_number),
            _ => false,
        };
        let values = self.values(name);
        !values.is_empty() && values.iter().all(is_list)
    }

    /// Whether a name is assigned a tensor of PyTorch somewhere in its file.
    pub fn may_be_tensor(&self, program: Program<'_>, file: FileId, name: Name) -> bool {
        self.values(name).iter().any(|value| {
            let Value::Is(value) = value else { return false };
            let site = program.trace.sites.get(&value.range.in_file(file));
            site.is_some_and(|site| {
                site.kinds.contains(&ValueKind::Tensor(TensorOrigin::Torch))
                    || site.shape.is_some() && site.apis.iter().any(|api| api.as_str().starts_with("torch."))
            })
        })
    }

    /// Where the array of a name comes from.
    pub fn origin(&self, program: Program<'_>, file: FileId, name: Name) -> Origin {
        let values = self.values(name);
        let is_fresh = |value: &Value<'_>| match value {
            Value::Is(Expr { kind: ExprKind::Call(_) | ExprKind::Binary { .. }, range, .. }) => {
                let site = program.trace.sites.get(&range.in_file(file));
                site.is_some_and(|site| !site.apis.is_empty() && !callee::known(program, site).any(gives_view))
            }
            _ => false,
        };
        if !values.is_empty() && values.iter().all(|value| matches!(value, Value::Parameter)) {
            Origin::Given
        } else if !values.is_empty() && values.iter().all(is_fresh) {
            Origin::Fresh
        } else {
            Origin::Unclear
        }
    }

    fn values(&self, name: Name) -> &[Value<'a>] {
        self.of_names.get(&name).map_or(&[], Vec::as_slice)
    }

    fn block(&mut self, body: &'a [Stmt]) {
        for statement in body {
            self.statement(statement);
            blocks_of(statement).into_iter().for_each(|block| self.block(block));
        }
    }

    fn statement(&mut self, statement: &'a Stmt) {
        match &statement.kind {
            StmtKind::Assign { targets, value } => targets.iter().for_each(|target| self.assign(target, Some(value))),
            StmtKind::AnnotatedAssign { target, value: Some(value), .. } => self.assign(target, Some(value)),
            // The array stays the one that it is.
            StmtKind::AugmentedAssign { target, .. } if !matches!(target.kind, ExprKind::Name(_)) => {}
            StmtKind::AugmentedAssign { target, .. } => self.assign(target, None),
            StmtKind::For { target, iterable, .. } => match (&target.kind, &iterable.kind) {
                (ExprKind::Name(name), ExprKind::Call(call)) if matches!(&call.function.kind, ExprKind::Name(range) if range.as_str() == "range") =>
                {
                    self.add(*name, Value::Counter);
                }
                _ => self.assign(target, None),
            },
            StmtKind::With { items, .. } => {
                items.iter().filter_map(|item| item.target.as_ref()).for_each(|target| self.assign(target, None));
            }
            StmtKind::Import(modules) => {
                modules.iter().for_each(|it| self.add(it.alias.unwrap_or(it.module), Value::Unclear));
            }
            StmtKind::ImportFrom(import) => {
                import.names.iter().for_each(|it| self.add(it.alias.unwrap_or(it.name), Value::Unclear));
            }
            StmtKind::Function(function) => {
                function.parameters.iter().for_each(|parameter| self.add(parameter.name, Value::Parameter));
                self.block(&function.body);
            }
            StmtKind::Class(class) => self.block(&class.body),
            _ => {}
        }
    }

    fn assign(&mut self, target: &'a Expr, value: Option<&'a Expr>) {
        match (&target.kind, value.map(|value| &value.kind)) {
            (ExprKind::Name(name), _) => self.add(*name, value.map_or(Value::Unclear, Value::Is)),
            (ExprKind::Tuple(targets), Some(ExprKind::Tuple(values))) if targets.len() == values.len() => {
                targets.iter().zip(values).for_each(|(target, value)| self.assign(target, Some(value)));
            }
            (ExprKind::Tuple(targets) | ExprKind::List(targets), _) => {
                targets.iter().for_each(|target| self.assign(target, None));
            }
            (ExprKind::Starred(inner), _) => self.assign(inner, None),
            _ => {}
        }
    }

    fn add(&mut self, name: Name, value: Value<'a>) {
        self.of_names.entry(name).or_default().push(value);
    }
}

fn gives_view(api: callee::Known<'_>) -> bool {
    api.spec.is_none_or(|spec| spec.effects.has(Effects::VIEWS) || !spec.effects.writes.is_empty())
}

fn index_kind(program: Program<'_>, file: FileId, value: &Expr) -> IndexKind {
    let is_made_by_library =
        program.trace.sites.get(&value.range.in_file(file)).is_some_and(|site| !site.apis.is_empty());
    match &value.kind {
        ExprKind::Int(_) => IndexKind::Number,
        ExprKind::Unary { operand, .. } => index_kind(program, file, operand),
        ExprKind::Call(call) if matches!(&call.function.kind, ExprKind::Name(len) if len.as_str() == "len") => {
            IndexKind::Number
        }
        ExprKind::List(_) | ExprKind::Tuple(_) | ExprKind::Str(_) | ExprKind::Comprehension(_) | ExprKind::Dict(_) => {
            IndexKind::Other
        }
        _ if is_made_by_library => IndexKind::Other,
        _ => IndexKind::Unknown,
    }
}
