//! Classes that are enumerations: their members, made of what a class's body assigns, and how they are found.

use crate::calls::call::CallArguments;
use crate::state::interpreter::{Eval, Interpreter};
use crate::values::value::{FunctionKind, ObjectId, Value};
use harp_corpus::Span;
use harp_python::name::{Name, name};

/// What `auto()` of a text is until the name is known.
const AUTO: &str = "auto of a text";

impl Interpreter<'_> {
    /// Whether a class lists its instances.
    pub fn is_enumeration(&self, class: &Value) -> bool {
        ["enum.Enum", "enum.IntEnum", "enum.StrEnum"].iter().any(|base| self.derives_from(class, base))
    }

    /// Whether the members of an enumeration are objects; those of one that is made of numbers or texts stand for these.
    fn has_member_objects(&self, class: &Value) -> bool {
        let plain = ["enum.IntEnum", "enum.StrEnum", "enum.Flag", "enum.IntFlag", "builtins.int", "builtins.str"];
        self.derives_from(class, "enum.Enum") && !plain.iter().any(|base| self.derives_from(class, base))
    }

    /// The members of an enumeration by name, with the values that its `_generate_next_value_` gives those that are `auto()`.
    fn with_generated_values(&mut self, id: ObjectId, span: Span) -> Eval<Vec<(Name, Value)>> {
        let mut assigned = self.members_of_enumeration(id);
        let own = self.member_of(&Value::Class(id), name!("_generate_next_value_"), None);
        let Some(function @ Value::Function(_)) = own else { return Ok(assigned) };
        for place in 0..assigned.len() {
            if !matches!(assigned[place].1, Value::Unknown(AUTO)) {
                continue;
            }
            let before = assigned[..place].iter().map(|(_, value)| value.clone()).collect();
            let before = Value::List(self.heap.allocate_list(before));
            let name = assigned[place].0;
            let given = vec![Value::str(name.as_str()), Value::int(1), Value::int(place as i64), before];
            let value = self.call(&function, CallArguments::positional(given, span))?;
            self.heap.set_attribute(id, name, value.clone());
            assigned[place].1 = value;
        }
        Ok(assigned)
    }

    /// Whether the members of an enumeration that are numbers or texts have methods and properties of the program's besides: they are objects then
    /// that hold their value.
    fn has_members_with_methods(&self, class: &Value, assigned: &[(Name, Value)]) -> bool {
        let is_flag = ["enum.Flag", "enum.IntFlag"].iter().any(|base| self.derives_from(class, base));
        let makes_its_own = matches!(self.member_of(class, name!("__new__"), None), Some(Value::Function(_)));
        let is_plain = |value: &Value| matches!(value, Value::Int(_) | Value::Str(Some(_)) | Value::Float(Some(_)));
        let is_needed = |name: Name, value: &Value| match value {
            Value::Function(closure) => {
                matches!(closure.kind, FunctionKind::Plain | FunctionKind::Property | FunctionKind::CachedProperty)
                    && !name.as_str().starts_with('_')
            }
            _ => false,
        };
        !is_flag
            && !makes_its_own
            && self.is_enumeration(class)
            && assigned.iter().all(|(_, value)| is_plain(value))
            && self.resolution_order(class).iter().any(|base| match base {
                Value::Class(base) => {
                    self.heap.object(*base).attributes.iter().any(|(name, value)| is_needed(name, value))
                }
                _ => false,
            })
    }

    /// Makes the members of an enumeration of what its body assigned.
    pub fn make_members(&mut self, id: ObjectId, span: Span) -> Eval<()> {
        let class = Value::Class(id);
        let is_of_enum = self.library_bases(&class, None).iter().any(|base| base.as_str().starts_with("enum."));
        self.hooks.plain_members |= is_of_enum && !self.has_member_objects(&class);
        let assigned = self.with_generated_values(id, span)?;
        let are_holders = !self.has_member_objects(&class) && self.has_members_with_methods(&class, &assigned);
        if !self.has_member_objects(&class) && !are_holders {
            // `auto()` of a text is the name.
            for (name, value) in assigned {
                if matches!(value, Value::Unknown(AUTO)) && self.is_enumeration(&class) {
                    self.heap.set_attribute(id, name, Value::str(&name.as_str().to_lowercase()));
                } else if is_of_enum {
                    self.plain_members.push((value, name));
                }
            }
            return Ok(());
        }
        let mut members: Vec<(Value, Value)> = Vec::new();
        for (name, value) in assigned {
            if matches!(value, Value::Class(_)) || self.own_method(&value, "__get__").is_some() {
                continue;
            }
            let known = members.iter().find(|(known, _)| known.same(&value)).map(|(_, member)| member.clone());
            let member = match known {
                Some(member) => member,
                None => {
                    let member = self.allocate_instance(id, span);
                    let Value::Instance(object) = member else { continue };
                    for (attribute, content) in [("name", Value::str(name.as_str())), ("value", value.clone())] {
                        self.heap.set_attribute(object, Name::new(attribute), content.clone());
                        self.heap.set_attribute(object, Name::new(&format!("_{attribute}_")), content);
                    }
                    if are_holders {
                        self.hold_value(object, value.clone());
                    }
                    if let Some(constructor) = self.own_method(&member, "__init__") {
                        let parts = match &value {
                            Value::Tuple(parts) => parts.to_vec(),
                            value => vec![value.clone()],
                        };
                        self.call(&constructor, CallArguments::positional(parts, span))?;
                    }
                    members.push((value, member.clone()));
                    member
                }
            };
            self.heap.set_attribute(id, name, member);
        }
        Ok(())
    }

    /// The name of the member that a number or a text stands for; any text where enumerations have several names for it.
    pub(crate) fn name_of_plain_member(&self, member: &Value) -> Option<Value> {
        let mut names = self.plain_members.iter().filter(|(value, _)| value.same(member)).map(|(_, name)| *name);
        let first = names.next()?;
        Some(if names.all(|name| name == first) { Value::str(first.as_str()) } else { Value::Str(None) })
    }

    /// `auto()` in the body of an enumeration: the next number, or the next bit of a flag.
    pub fn automatic_value(&mut self) -> Value {
        let Some(id) = self.frames.last().filter(|frame| frame.is_class_body).map(|frame| frame.locals) else {
            return Value::Unknown("auto");
        };
        let class = Value::Class(id);
        let has_own = self.member_of(&class, name!("_generate_next_value_"), None);
        if self.derives_from(&class, "enum.StrEnum") || matches!(has_own, Some(Value::Function(_))) {
            return Value::Unknown(AUTO);
        }
        let numbers: Vec<i64> =
            self.members_of_enumeration(id).iter().filter_map(|(_, value)| value.as_int()).collect();
        let is_flag = self.derives_from(&class, "enum.Flag") || self.derives_from(&class, "enum.IntFlag");
        let highest = numbers.iter().copied().max().unwrap_or(0);
        Value::int(match is_flag {
            true if highest > 0 => 1i64.checked_shl(64 - highest.leading_zeros()).unwrap_or(1),
            true => 1,
            false => highest.saturating_add(1),
        })
    }

    /// The members of an enumeration by all their names, in their order, each standing for its value: what its body assigns, but no functions and no
    /// special names.
    pub fn named_members(&self, class: ObjectId) -> Vec<(Name, Value)> {
        let is_member =
            |name: &Name, value: &Value| !name.as_str().starts_with(['_', '(']) && !matches!(value, Value::Function(_));
        let names = self.heap.object(class).attributes.iter();
        let mut members: Vec<(Name, Value)> =
            names.filter(|(name, value)| is_member(name, value)).map(|(name, value)| (name, value.clone())).collect();
        let own = Value::Class(class);
        if members.iter().any(|(_, member)| self.class_of(member).same(&own)) {
            members.retain(|(_, member)| self.class_of(member).same(&own));
        }
        members
    }

    /// Whether the members of an enumeration are objects of it.
    pub fn has_objects_for_members(&self, class: ObjectId) -> bool {
        let own = Value::Class(class);
        self.named_members(class).iter().any(|(_, member)| self.class_of(member).same(&own))
    }

    /// The members of an enumeration without their further names.
    pub fn members_of_enumeration(&self, class: ObjectId) -> Vec<(Name, Value)> {
        let mut members = self.named_members(class);
        let own = Value::Class(class);
        if members.iter().any(|(_, member)| self.class_of(member).same(&own)) {
            let mut seen: Vec<Value> = Vec::new();
            members.retain(|(_, member)| {
                let is_new = !seen.iter().any(|known| known.same(member));
                seen.push(member.clone());
                is_new
            });
        }
        members
    }

    /// `Enumeration(value)`: the member of that value, which stands for it.
    pub fn member_of_enumeration(&mut self, class: ObjectId, arguments: &CallArguments) -> Eval {
        let value = self.read(&arguments.positional.first().cloned().unwrap_or(Value::Unknown("missing argument")));
        let members = self.members_of_enumeration(class);
        let value_of = |member: &Value| match member {
            Value::Instance(id) => self.heap.attribute(*id, name!("_value_")).cloned(),
            member => Some(member.clone()),
        };
        let is_meant = |member: &Value| member.same(&value) || value_of(member).is_some_and(|known| known.same(&value));
        let is_constant = |value: &Value| value.as_text().is_some() || value.as_int().is_some();
        let is_closed =
            is_constant(&value) && members.iter().all(|(_, it)| value_of(it).is_some_and(|it| is_constant(&it)));
        let member = members.into_iter().map(|(_, member)| member).find(is_meant);
        Ok(match member {
            Some(member) if !value.is_unknown() => member,
            None if !value.is_unknown()
                && let Some(missing @ Value::Function(_)) =
                    self.member_of(&Value::Class(class), name!("_missing_"), None) =>
            {
                let bound = self.bind_method(&Value::Class(class), missing);
                let found = self.call(&bound, CallArguments::positional(vec![value], arguments.span))?;
                if found.is_none() {
                    self.raise_if_caught("ValueError", "not a value of the enumeration", arguments.span)?;
                }
                found
            }
            None if is_closed
                && !["enum.Flag", "enum.IntFlag"].iter().any(|it| self.derives_from(&Value::Class(class), it)) =>
            {
                self.raise_if_caught("ValueError", "not a value of the enumeration", arguments.span)?;
                self.symbolic("member of an enumeration", arguments.span, true)
            }
            _ => self.symbolic("member of an enumeration", arguments.span, true),
        })
    }
}
