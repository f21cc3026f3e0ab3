//! Classes of records, which `dataclass` and `attrs` make of fields: which fields there are, what the constructor takes, and what it does.

use std::rc::Rc;

use crate::budget::costly_calls::EntryKind;
use crate::calls::call::CallArguments;
use crate::classes::class_lookup::RECORD;
use crate::classes::named_tuples::TYPED;
use crate::heap::objects::InstanceData;
use crate::state::interpreter::{Eval, Interpreter, Interrupt};
use crate::values::value::{ObjectId, Value};
use harp_corpus::Span;
use harp_python::ir::{self, Expr, ExprKind, Stmt, StmtKind};
use harp_python::name::{Name, name};
use harp_trace::Subject;

impl Interpreter<'_> {
    /// Whether instances are made from annotated fields: `@dataclass` and `NamedTuple`.
    pub fn is_record_class(&self, class: ObjectId) -> bool {
        let Some(data) = self.heap.class(class) else { return false };
        self.is_itself_record(class)
            || data.resolution_order.iter().any(|base| self.is_model_class(base))
            || data.resolution_order.iter().any(|base| matches!(base, Value::Library(name) if name.as_str() == TYPED))
            || data.resolution_order[1..]
                .iter()
                .any(|base| matches!(base, Value::Class(id) if *id != class && self.is_itself_record(*id)))
    }

    /// Whether a class is a record, whatever its bases are.
    pub(crate) fn is_itself_record(&self, class: ObjectId) -> bool {
        let Some(data) = self.heap.class(class) else { return false };
        data.definition.decorators.iter().any(makes_record) || self.heap.attribute(class, Name::new(RECORD)).is_some()
    }

    /// The classes whose annotations are fields of a record, the bases first: those of a base that is no record are not.
    pub fn bases_with_fields(&self, class: ObjectId) -> Vec<ObjectId> {
        let order = self.resolution_order(&Value::Class(class));
        let is_derived =
            |name: &str| order.iter().any(|base| matches!(base, Value::Library(known) if known.as_str() == name));
        let all =
            is_derived(TYPED) || order.iter().any(|base| self.is_model_class(base)) || !self.is_itself_record(class);
        let has_fields = |base: &ObjectId| all || *base == class || self.is_itself_record(*base);
        let classes = order.iter().rev().filter_map(|base| match base {
            Value::Class(base) => Some(*base),
            _ => None,
        });
        classes.filter(has_fields).collect()
    }

    /// Whether a class is that of `pydantic`'s models.
    pub fn is_model_class(&self, class: &Value) -> bool {
        let Value::Class(id) = class else { return false };
        let Some(data) = self.heap.class(*id) else { return false };
        data.definition.name.as_str() == "BaseModel" && self.corpus.is_standard(data.definition.file)
    }

    /// The annotated fields of a class, those of its bases first.
    pub fn record_fields(&self, class: ObjectId) -> Vec<Name> {
        let mut fields: Vec<Name> = Vec::new();
        for base in self.bases_with_fields(class) {
            let Some(data) = self.heap.class(base) else { continue };
            let has_plain_fields = data.definition.decorators.iter().any(is_of_attrs);
            for statement in &data.definition.body {
                if let Some((name, annotation, _)) = field_of(statement, has_plain_fields)
                    && annotation.is_none_or(|annotation| last_name(annotation) != "ClassVar")
                    && !fields.contains(&name)
                {
                    fields.push(name);
                }
            }
        }
        let parameters = self.record_parameters(class);
        let is_field = |name: &Name| parameters.iter().any(|it| it.name == *name && !it.is_for_post_init);
        fields.retain(is_field);
        fields
    }

    /// Assigns constructor arguments to annotated fields in order; missing ones get their class-level default.
    pub fn fill_record(&mut self, class: ObjectId, instance: &Value, arguments: CallArguments) -> Eval<()> {
        let (Value::Instance(id) | Value::Dict(id)) = instance else { return Ok(()) };
        let parameters = self.record_parameters(class);
        let is_model = parameters.iter().any(|parameter| parameter.is_converted);
        let is_of_attrs = self.is_class_of_attrs(class);
        if !is_model && !is_of_attrs {
            self.check_record_call(class, &parameters, &arguments);
        }
        let arguments = if is_model { self.given_to_model(class, arguments)? } else { arguments };
        let mut positional = arguments.positional.iter();
        let mut for_post_init = Vec::new();
        for parameter in parameters {
            let field = parameter.name;
            let in_place = if parameter.is_keyword || !parameter.is_given { None } else { positional.next() };
            let named = if parameter.is_given { arguments.keyword(field.as_str()) } else { None };
            let alias = match (is_model, is_of_attrs) {
                (true, _) => self.alias_of(class, field),
                // `_width` is given as `width`.
                (_, true) => field.as_str().strip_prefix('_').map(Name::new),
                _ => None,
            };
            let named = alias.and_then(|alias| arguments.keyword(alias.as_str())).or(named);
            let value = match in_place.or(named).cloned() {
                Some(value) if is_model => self.validated(class, field, value, arguments.span)?,
                Some(value) => value,
                // Unpacked arguments of unknown contents may give any field a value.
                None if arguments.is_open && parameter.is_given => self.symbolic(field.as_str(), arguments.span, true),
                None => match self.member_of(&Value::Class(class), field, None) {
                    Some(value) => {
                        let default = match self.default_by_instance(&value, instance, arguments.span)? {
                            Some(default) => default,
                            None => self.field_default(value.clone(), arguments.span),
                        };
                        // Without a default, `__post_init__` is to set it.
                        if !parameter.is_given && default.same(&value) && matches!(default, Value::Instance(_)) {
                            continue;
                        }
                        default
                    }
                    None => self.symbolic(field.as_str(), arguments.span, true),
                },
            };
            let value = if is_of_attrs { self.through_converter(class, field, value, arguments.span)? } else { value };
            let is_dict = matches!(instance, Value::Dict(_));
            if parameter.is_for_post_init {
                for_post_init.push(value);
            } else if !is_dict || !matches!(self.set_attribute_of_dict(*id, field, &value, arguments.span), Ok(true)) {
                self.heap.set_attribute(*id, field, value);
            }
        }
        if is_model {
            return self.validate_model(class, instance, arguments.span);
        }
        if self.derives_from(&Value::Class(class), TYPED) {
            self.hold_fields(*id);
        }
        if is_of_attrs {
            self.run_validators(class, instance, arguments.span)?;
        }
        let after = if is_of_attrs { "__attrs_post_init__" } else { "__post_init__" };
        if let Some(method @ Value::Function(_)) = self.class_attribute(instance, Name::new(after)) {
            let bound = self.bind_method(instance, method);
            let call = CallArguments::positional(for_post_init, arguments.span);
            match self.call(&bound, call) {
                Err(Interrupt::Raise) if self.exceptions.caught > 0 => {
                    return Err(Interrupt::Raise);
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Reports arguments that are not those of the fields of a record.
    fn check_record_call(&mut self, class: ObjectId, parameters: &[RecordParameter], arguments: &CallArguments) {
        let is_open = arguments.is_open || arguments.is_from_outside || arguments.passes_on;
        let is_sure = !arguments.is_unpacked || self.entry.not_understood.is_empty();
        if is_open || !is_sure || arguments.unpacked.is_some() || self.exceptions.caught > 0 || self.inference.is_some()
        {
            return;
        }
        let value = Value::Class(class);
        let is_named_tuple = self.derives_from(&value, TYPED);
        let is_plain = |base: &Value| match base {
            Value::Class(base) => self.heap.class(*base).is_some_and(|data| {
                let file = self.corpus.file(data.definition.file);
                let leaves_out = |word: &str| file.is_some_and(|file| !file.text.contains(word));
                let decorators = &data.definition.decorators;
                let is_standard = |decorator: &Expr| last_name(callee_of(decorator)) == "dataclass";
                // `dataclass(cls)`, as `__init_subclass__` of a base calls it.
                let is_marked = || matches!(self.heap.attribute(*base, Name::new(RECORD)), Some(Value::Bool(true)));
                // A base that is no record has no fields, and its `__init__` is not that of the record.
                let is_bare = || decorators.is_empty() && *base != class && self.metaclass_of(*base).is_none();
                match is_named_tuple {
                    // `Pair.__new__.__defaults__ = (None, None)`
                    true => leaves_out("__defaults__"),
                    // Those of pydantic leave out what they do not know.
                    false => (decorators.iter().any(is_standard) || is_marked() || is_bare()) && leaves_out("pydantic"),
                }
            }),
            Value::Library(name) => matches!(name.as_str(), "builtins.object" | TYPED),
            _ => false,
        };
        let is_general = self.entry.kind == EntryKind::Symbolic && self.is_own_class(&value, arguments.span);
        // A `__new__` of its own takes other arguments than the fields.
        let has_own_new = matches!(self.member_of(&value, name!("__new__"), None), Some(Value::Function(_)));
        let is_another = has_own_new || is_general;
        if is_another || !self.resolution_order(&value).iter().all(is_plain) {
            return;
        }
        let Some(message) = self.misfit_of_record(class, parameters, arguments) else { return };
        if self.fails_on_every_way(arguments.span) {
            let name = self.name_of_class(&value);
            self.fails_always(Subject::Arguments, name.as_str(), message, None, arguments.span);
        }
    }

    /// Why arguments are not those of the fields of a record.
    fn misfit_of_record(
        &self,
        class: ObjectId,
        parameters: &[RecordParameter],
        arguments: &CallArguments,
    ) -> Option<String> {
        // `replace` gives those too that a caller cannot give.
        let is_field = |name: &Name| parameters.iter().any(|parameter| parameter.name == *name);
        if let Some((strange, _)) = arguments.keywords.iter().find(|(name, _)| !is_field(name)) {
            return Some(format!("it has no parameter `{strange}`"));
        }
        // Other decorators than the one that makes it a record, and one without a constructor, may have it take other arguments.
        let decorators = self.heap.class(class).map_or(&[][..], |data| &data.definition.decorators[..]);
        if decorators.iter().any(|it| !makes_record(it) || leaves_constructor(it)) {
            return None;
        }
        let (most, given) =
            (parameters.iter().filter(|it| it.is_given && !it.is_keyword).count(), arguments.positional.len());
        if given > most {
            let word = if most == 1 { "argument" } else { "arguments" };
            return Some(format!("it takes at most {most} positional {word}, but {given} are given"));
        }
        let mut places = 0;
        for parameter in parameters.iter().filter(|parameter| parameter.is_given) {
            let is_placed = !parameter.is_keyword && places < given;
            places += usize::from(!parameter.is_keyword);
            let is_named = arguments.keyword(parameter.name.as_str()).is_some();
            if is_placed && is_named {
                return Some(format!("`{}` is given twice", parameter.name));
            }
            // What stands in the class besides the annotation is the default, or describes one.
            let has_default = self.member_of(&Value::Class(class), parameter.name, None).is_some();
            if !is_placed && !is_named && !has_default {
                return Some(format!("the argument `{}` is missing", parameter.name));
            }
        }
        None
    }

    /// `field(default=…)` and `field(default_factory=…)` stand for the value that they describe.
    pub fn field_default(&mut self, value: Value, span: Span) -> Value {
        match self.stated_default(Some(value.clone())) {
            (Some(default), _) => default,
            (None, Some(factory)) => self.call(&factory, CallArguments::empty(span)).unwrap_or(Value::Unknown("field")),
            (None, None) => value,
        }
    }

    /// The default of a field and what makes it, by what its class says of it.
    pub fn stated_default(&self, stated: Option<Value>) -> (Option<Value>, Option<Value>) {
        let Some(Value::Instance(id)) = &stated else { return (stated, None) };
        let data = self.heap.instance(*id).cloned();
        let is_field = |data: &Rc<InstanceData>| matches!(&data.class, Value::Library(name) if name.as_str() == "dataclasses.field");
        let Some(data) = data.filter(is_field) else { return (stated, None) };
        let find = |name: &str| {
            data.arguments.iter().find(|(known, _)| known.as_str() == name).map(|(_, value)| value.clone())
        };
        (find("default"), find("default_factory"))
    }

    /// The parameters of the constructor that `@dataclass` writes.
    pub fn record_parameters(&self, class: ObjectId) -> Vec<RecordParameter> {
        let mut parameters: Vec<RecordParameter> = Vec::new();
        let is_model = self.resolution_order(&Value::Class(class)).iter().any(|base| self.is_model_class(base));
        for base in self.bases_with_fields(class) {
            let Some(data) = self.heap.class(base) else { continue };
            let mut is_keyword = data.definition.decorators.iter().any(has_keyword_only);
            let has_plain_fields = data.definition.decorators.iter().any(is_of_attrs);
            for statement in &data.definition.body {
                let Some((name, annotation, value)) = field_of(statement, has_plain_fields) else { continue };
                if is_model && (name.as_str() == "model_config" || name.as_str().starts_with('_')) {
                    continue;
                }
                let hint = annotation.map_or("", last_name);
                if hint == "KW_ONLY" {
                    is_keyword = true;
                }
                if matches!(hint, "KW_ONLY" | "ClassVar") {
                    continue;
                }
                let option = |option: &str| match value.map(|value| &value.kind) {
                    Some(ExprKind::Call(call)) if makes_field(&call.function) => {
                        call.arguments.iter().find_map(|argument| match (argument.kind, &argument.value.kind) {
                            (ir::ArgumentKind::Keyword(name), ExprKind::Bool(value)) if name.as_str() == option => {
                                Some(*value)
                            }
                            _ => None,
                        })
                    }
                    _ => None,
                };
                let parameter = RecordParameter {
                    name,
                    is_keyword: is_model || option("kw_only").unwrap_or(is_keyword),
                    is_given: option("init") != Some(false),
                    is_for_post_init: hint == "InitVar",
                    is_converted: is_model,
                    is_compared: option("compare") != Some(false) && option("eq") != Some(false),
                };
                match parameters.iter_mut().find(|known| known.name == name) {
                    Some(known) => *known = parameter,
                    None => parameters.push(parameter),
                }
            }
        }
        parameters
    }
}

/// A field of a class of records, as its constructor takes it.
#[derive(Clone, Copy, Debug)]
pub struct RecordParameter {
    pub name: Name,
    pub is_keyword: bool,
    /// Whether the constructor takes it at all.
    pub is_given: bool,
    /// Whether it is handed to `__post_init__` and is no attribute.
    pub is_for_post_init: bool,
    /// Whether what is given is made what the annotation says.
    pub is_converted: bool,
    /// Whether objects that differ in it alone are equal.
    pub is_compared: bool,
}

fn has_keyword_only(decorator: &ir::Expr) -> bool {
    let ExprKind::Call(call) = &decorator.kind else { return false };
    call.arguments.iter().any(|argument| {
        matches!(argument.kind, ir::ArgumentKind::Keyword(name) if name.as_str() == "kw_only")
            && matches!(argument.value.kind, ExprKind::Bool(true))
    })
}

/// `@dataclass(init=False)`
fn leaves_constructor(decorator: &Expr) -> bool {
    let ExprKind::Call(call) = &decorator.kind else { return false };
    call.arguments.iter().any(|argument| {
        matches!(argument.kind, ir::ArgumentKind::Keyword(name) if name.as_str() == "init")
            && matches!(argument.value.kind, ExprKind::Bool(false))
    })
}

/// Whether a decorator makes a class of records.
fn makes_record(decorator: &Expr) -> bool {
    matches!(last_name(callee_of(decorator)), "dataclass" | "define" | "mutable" | "frozen" | "attrs" | "attributes")
        || is_of_attrs(decorator)
}

/// Whether a decorator is one of `attrs`, by whose fields need no annotation.
pub(crate) fn is_of_attrs(decorator: &Expr) -> bool {
    let callee = callee_of(decorator);
    match &callee.kind {
        ExprKind::Name(_) => matches!(last_name(callee), "define" | "mutable" | "frozen" | "attrs"),
        ExprKind::Attribute { value, attribute, .. } => match &value.kind {
            ExprKind::Name(_) if matches!(last_name(value), "attr" | "attrs") => {
                matches!(
                    attribute.as_str(),
                    "s" | "attrs" | "attributes" | "dataclass" | "define" | "mutable" | "frozen"
                )
            }
            _ => false,
        },
        _ => false,
    }
}

/// `@frozen` and `@attrs.frozen`.
pub(crate) fn is_frozen_of_attrs(decorator: &Expr) -> bool {
    is_of_attrs(decorator) && last_name(callee_of(decorator)) == "frozen"
}

pub(crate) fn callee_of(decorator: &Expr) -> &Expr {
    if let ExprKind::Call(call) = &decorator.kind { &call.function } else { decorator }
}

/// Whether a function describes a field: `field` of `dataclasses` and `attrs`, `attr.ib`.
fn makes_field(function: &Expr) -> bool {
    matches!(last_name(function), "field" | "ib" | "attrib")
}

/// The field that a statement of a class's body declares, with its annotation and what it says of the field; `has_plain_fields` tells whether one
/// without an annotation counts.
fn field_of(statement: &Stmt, has_plain_fields: bool) -> Option<(Name, Option<&Expr>, Option<&Expr>)> {
    match &statement.kind {
        StmtKind::AnnotatedAssign { target, annotation, value } => match &target.kind {
            ExprKind::Name(name) => Some((*name, Some(annotation), value.as_ref())),
            _ => None,
        },
        StmtKind::Assign { targets, value } if has_plain_fields => match (&targets[..], &value.kind) {
            ([Expr { kind: ExprKind::Name(name), .. }], ExprKind::Call(call)) if makes_field(&call.function) => {
                Some((*name, None, Some(value)))
            }
            _ => None,
        },
        _ => None,
    }
}

/// The last part of a name, and of what is subscripted: `ClassVar` of `typing.ClassVar[int]`.
pub(crate) fn last_name(expression: &Expr) -> &'static str {
    match &expression.kind {
        ExprKind::Subscript { value, .. } => last_name(value),
        ExprKind::Str(text) if text.starts_with("ClassVar") || text.starts_with("typing.ClassVar") => "ClassVar",
        _ => expression.last_name().map_or("", Name::as_str),
    }
}
