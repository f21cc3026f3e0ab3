//! Methods of classes of dictionaries: the constructors of libraries' classes, and what a class of the program finds by
//! `super()`.

use crate::api::library_model::{FunctionHandler, MethodHandler};
use crate::calls::call::CallArguments;
use crate::classes::dict_subclasses::is_open_class;
use crate::heap::objects::DictData;
use crate::state::interpreter::{Eval, Interpreter};
use crate::values::value::Value;
use harp_python::name::{Name, name};
use harp_shape::{Dim, VarKind};

pub fn function(name: &str) -> Option<FunctionHandler> {
    Some(match name {
        "munch.Munch" | "munch.DefaultMunch" => |this, name, arguments| {
            let contents = contents(this, arguments)?;
            let entries = match contents {
                Value::Dict(id) => this.heap.dict(id).map(|data| data.entries.clone()).unwrap_or_default(),
                _ => Vec::new(),
            };
            Ok(this.new_dict_of_class(Value::Library(name), entries))
        },
        "ml_collections.config_dict.placeholder" | "ml_collections.config_dict.required_placeholder" => {
            |this, _, arguments| Ok(this.data_from_outside("setting", arguments.span))
        }
        "munch.munchify" | "munch.Munch.fromDict" => |this, _, arguments| {
            let value = arguments.positional.first().cloned().unwrap_or(Value::None);
            Ok(this.opened(&value, &Value::library("munch.Munch")))
        },
        "munch.Munch.fromYAML" | "munch.DefaultMunch.fromYAML" => {
            |this, _, arguments| parsed(this, name!("yaml.safe_load"), arguments, "munch.Munch")
        }
        "munch.Munch.fromJSON" | "munch.DefaultMunch.fromJSON" => {
            |this, _, arguments| parsed(this, name!("json.loads"), arguments, "munch.Munch")
        }
        "box.Box.from_yaml" => |this, _, arguments| from_file(this, name!("yaml.safe_load"), arguments),
        "box.Box.from_json" => |this, _, arguments| from_file(this, name!("json.load"), arguments),
        "munch.unmunchify" => |this, _, arguments| {
            let value = arguments.positional.first().cloned().unwrap_or(Value::None);
            Ok(this.plain_copy(&value))
        },
        name if is_open_class(name) && name != crate::classes::dict_subclasses::OMEGA_DICT => {
            |this, name, mut arguments| {
                if name.as_str().starts_with("box.") {
                    arguments.keywords.retain(|(keyword, _)| !is_option_of_box(keyword.as_str()));
                }
                let contents = contents(this, arguments)?;
                Ok(this.opened(&contents, &Value::Library(name)))
            }
        }
        _ => return None,
    })
}

/// A dictionary of the class with what a parser reads.
fn parsed(interpreter: &mut Interpreter<'_>, parser: Name, arguments: CallArguments, class: &str) -> Eval {
    let value = interpreter.call_library(parser, CallArguments { keywords: Vec::new(), ..arguments })?;
    Ok(interpreter.opened(&value, &Value::library(class)))
}

/// `Box.from_yaml(text)` and `Box.from_yaml(filename=path)`.
fn from_file(interpreter: &mut Interpreter<'_>, parser: Name, arguments: CallArguments) -> Eval {
    const PATH: usize = 1;
    let path = arguments.keyword("filename").or_else(|| arguments.positional.get(PATH)).cloned();
    let text = arguments.positional.first().or_else(|| arguments.keyword("yaml_string")).cloned();
    let span = arguments.span;
    let source = match (path, text) {
        (Some(path), _) => {
            interpreter.call_library(name!("builtins.open"), CallArguments::positional(vec![path], span))?
        }
        (None, Some(text)) => text,
        (None, None) => return Ok(interpreter.symbolic("settings", span, true)),
    };
    parsed(interpreter, parser, CallArguments::positional(vec![source], span), "box.Box")
}

/// Keywords of `Box(…)` that say how it behaves, and are no entries (python-box, "Box's Parameters").
fn is_option_of_box(keyword: &str) -> bool {
    keyword.starts_with("box_")
        || keyword.starts_with("default_box")
        || matches!(keyword, "frozen_box" | "camel_killer_box" | "conversion_box" | "modify_tuples_box")
}

/// What `dict(…)` makes of the arguments.
fn contents(interpreter: &mut Interpreter<'_>, arguments: CallArguments) -> Eval {
    let none = arguments.positional.first().is_some_and(Value::is_none);
    let arguments = if none { CallArguments { positional: Vec::new(), ..arguments } } else { arguments };
    interpreter.call_library(name!("builtins.dict"), arguments)
}

pub fn method(name: &str) -> Option<MethodHandler> {
    Some(match name {
        "addict.Dict.to_dict" | "addict.Dict.toDict" => |this, dict, _| Ok(this.plain_copy(dict)),
        // A `ConfigDict` gives itself back, which others do not.
        "addict.Dict.lock" | "addict.Dict.unlock" | "addict.Dict.freeze" => {
            |this, dict, _| Ok(if this.is_config_dict(dict) { dict.clone() } else { Value::None })
        }
        "addict.Dict.copy_and_resolve_references" => |this, dict, _| {
            let copy = this.plain_copy(dict);
            let class = this.class_of(dict);
            Ok(this.opened(&copy, &class))
        },
        "addict.Dict.unlocked" => |_, dict, _| Ok(dict.clone()),
        "builtins.dict.__init__" => |this, dict, arguments| {
            let filled = contents(this, arguments)?;
            if let (Value::Dict(id), Value::Dict(filled)) = (dict, filled)
                && let Some(data) = this.heap.dict(filled).cloned()
            {
                this.heap.change_dict(*id, |known| {
                    for (key, value) in &data.entries {
                        crate::evaluate::expressions::insert(known, key.clone(), value.clone());
                    }
                    known.rest = known.rest.clone().or_else(|| data.rest.clone());
                });
            }
            Ok(Value::None)
        },
        "builtins.dict.__getitem__" => |this, dict, arguments| {
            let key = arguments.positional.first().map_or(Value::Unknown("key"), |key| this.read(key));
            if let Value::Dict(id) = dict
                && this.lacks_key(*id, &key)
                && this.heap.attribute(*id, name!("default_factory")).is_none()
            {
                this.raise_if_caught("KeyError", key.as_text().unwrap_or_default(), arguments.span)?;
            }
            Ok(match dict {
                Value::Dict(id) => this.item_of_dict(*id, &key, arguments.span),
                _ => this.symbolic("item", arguments.span, true),
            })
        },
        "builtins.dict.__setitem__" => |this, dict, arguments| {
            if let [key, value] = &arguments.positional[..] {
                this.store_item(dict, key, value.clone(), arguments.span)?;
            }
            Ok(Value::None)
        },
        "builtins.dict.__setattr__" => |this, dict, arguments| {
            if let (Value::Dict(id), [name, value]) = (dict, &arguments.positional[..])
                && let Some(name) = name.as_text()
            {
                this.store_attribute_of_dict(*id, Name::new(name), value.clone(), arguments.span)?;
            }
            Ok(Value::None)
        },
        _ => return None,
    })
}

impl Interpreter<'_> {
    /// Whether a dictionary is one of `ml_collections`.
    pub(crate) fn is_config_dict(&self, dict: &Value) -> bool {
        matches!(self.class_of(dict), Value::Library(class) if class.as_str().starts_with("ml_collections."))
    }

    /// Whether an entry of a dictionary stands for many: its key is a number or text of which only a representative is known, as a loop over
    /// data from outside uses it.
    pub(crate) fn stands_for_many(&self, data: &DictData) -> bool {
        let is_open = |dim: &Dim| {
            dim.vars().iter().any(|var| {
                self.tables.counters.contains_key(var)
                    || (var.kind() == VarKind::Free && var.info().lower.is_some_and(|least| least < 0))
            })
        };
        data.entries.iter().any(|(key, _)| match key {
            Value::Int(dim) => dim.as_const().is_none() && is_open(dim),
            Value::Str(None) => true,
            _ => false,
        })
    }
}
