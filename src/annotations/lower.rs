//! Turns the outer form of an annotation into its typed specification; every mistake is collected with its position.

use std::collections::BTreeMap;

use serde_saphyr::Location;

use super::attributes::parse_attribute;
use super::error::{AnnotationError, Locator, Mistake};
use super::parameters::{Literal, ParameterKind, ParameterSpec, parse_literal, parse_parameters};
use super::raw::{RawDataset, RawEntry, RawLength, Spanned, Text, Texts};
use super::signature::{parse_requirement, parse_signature};
use super::spec::{
    ApiKind, ApiSpec, Behaviour, ClassSpec, ConstantSpec, ConstantValue, Construct, DTypeRule, DatasetLength,
    DatasetSpec, DeviceRule, Effects, Entry, ResultType, Role, Setting,
};
use super::spec::{NUMBER_RULES, ROLES};
use super::versions::{Lifetime, Version};
use crate::key_languages::{
    dtype_name, parse_condition, parse_cost, parse_dtype_rule, parse_effect, parse_result_type, parse_sample,
};

/// Turns one entry into its specification. Mistakes go to `errors`; an entry with mistakes is not used.
pub fn lower_entry(
    entry: &Spanned<RawEntry>,
    locator: &Locator<'_>,
    errors: &mut Vec<AnnotationError>,
) -> Option<Entry> {
    let mut lowering = Lowering { locator, errors };
    let before = lowering.errors.len();
    let lowered = lowering.entry(entry);
    (lowering.errors.len() == before).then_some(lowered).flatten()
}

/// The name of a data set's number of samples in the shapes of its attributes.
pub const DATASET_LENGTH: &str = "length";

struct Lowering<'a> {
    locator: &'a Locator<'a>,
    errors: &'a mut Vec<AnnotationError>,
}

/// The names of an entry.
#[derive(Clone)]
struct Names {
    written: Vec<Box<str>>,
    aliases: Vec<Box<str>>,
}

impl Names {
    fn one(name: Box<str>) -> Self {
        Names { written: vec![name], aliases: Vec::new() }
    }

    fn first(&self) -> Box<str> {
        self.written.first().cloned().unwrap_or_default()
    }
}

/// What an entry describes. It decides which keys make sense.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Api,
    Constant,
    Class,
    /// The `call` or a method of a class.
    Nested,
}

impl Lowering<'_> {
    fn mistake(&mut self, location: Location, text: &str, mistake: Mistake) {
        self.errors.push(self.locator.error(location, text, mistake));
    }

    /// The result of parsing a text; a mistake in it is recorded at its place.
    fn parse<T>(&mut self, text: &Text, parse: impl FnOnce(&str) -> Result<T, Mistake>) -> Option<T> {
        match parse(&text.value) {
            Ok(value) => Some(value),
            Err(mistake) => {
                self.mistake(text.referenced, &text.value, mistake);
                None
            }
        }
    }

    fn parse_optional<T>(&mut self, text: Option<&Text>, parse: impl FnOnce(&str) -> Result<T, Mistake>) -> Option<T> {
        text.and_then(|text| self.parse(text, parse))
    }

    fn entry(&mut self, entry: &Spanned<RawEntry>) -> Option<Entry> {
        let raw = &entry.value;
        let groups = [
            !(raw.function.is_empty() && raw.method.is_empty()),
            !raw.property.is_empty(),
            !raw.constant.is_empty(),
            !raw.class.is_empty(),
        ];
        if groups.iter().filter(|given| **given).count() != 1 {
            let mistake =
                Mistake::new("an entry needs exactly one of `function` or `method`, `property`, `constant`, `class`");
            self.mistake(entry.referenced, "", mistake);
            return None;
        }
        let names = self.names(raw);
        match groups {
            [true, ..] => self
                .reject_keys(entry, Kind::Api)
                .api(raw, &[], names, ApiKind::Function)
                .map(|api| Entry::Api(Box::new(api))),
            [_, true, ..] => self
                .reject_keys(entry, Kind::Api)
                .api(raw, &[], names, ApiKind::Property)
                .map(|api| Entry::Api(Box::new(api))),
            [_, _, true, _] => self.reject_keys(entry, Kind::Constant).constant(entry, names).map(Entry::Constant),
            _ => self.reject_keys(entry, Kind::Class).class(raw, names).map(|class| Entry::Class(Box::new(class))),
        }
    }

    fn names(&mut self, raw: &RawEntry) -> Names {
        let groups = [&raw.function, &raw.method, &raw.property, &raw.constant, &raw.class];
        let written =
            groups.into_iter().flat_map(Texts::iter).filter_map(|text| self.parse(text, qualified_name)).collect();
        let aliases = raw.aliases.iter().filter_map(|text| self.parse(text, qualified_name)).collect();
        Names { written, aliases }
    }

    /// Keys that do not belong to this kind of entry.
    fn reject_keys(&mut self, entry: &Spanned<RawEntry>, kind: Kind) -> &mut Self {
        let raw = &entry.value;
        let is_call = matches!(kind, Kind::Api | Kind::Nested);
        let keys = [
            ("aliases", !raw.aliases.is_empty(), kind != Kind::Nested),
            ("parameters", raw.parameters.is_some(), kind != Kind::Constant),
            ("keywords", !raw.keywords.is_empty(), kind != Kind::Constant),
            ("renames", !raw.renames.is_empty(), kind != Kind::Constant),
            ("signature", raw.signature.is_some(), kind != Kind::Constant),
            ("transfer", raw.transfer.is_some(), kind != Kind::Constant),
            ("returns", raw.returns.is_some(), is_call),
            ("source", raw.source.is_some(), kind != Kind::Constant),
            ("require", !raw.require.is_empty(), kind != Kind::Constant),
            ("dtype", raw.dtype.is_some(), kind != Kind::Constant),
            ("device", raw.device.is_some(), kind != Kind::Constant),
            ("sets", !raw.sets.is_empty(), is_call),
            ("stands_for", raw.stands_for.is_some(), matches!(kind, Kind::Api | Kind::Class)),
            ("class_methods", !raw.class_methods.is_empty(), kind == Kind::Class),
            ("refuses", raw.refuses.is_some(), is_call),
            ("called", raw.called.is_some(), kind == Kind::Class),
            ("special_methods", raw.special_methods.is_some(), kind == Kind::Class),
            ("container", raw.container.is_some(), kind == Kind::Class),
            ("takes", raw.takes.is_some(), is_call),
            ("family", raw.family.is_some(), is_call),
            ("numbers", raw.numbers.is_some(), is_call),
            ("effects", !raw.effects.is_empty(), kind != Kind::Constant),
            ("roles", !raw.roles.is_empty(), kind != Kind::Constant),
            ("computation", raw.computation.is_some(), is_call),
            ("cost", raw.cost.is_some(), kind != Kind::Constant),
            ("before", !raw.before.is_empty(), kind != Kind::Constant),
            ("value", raw.value.is_some(), kind == Kind::Constant),
            ("bases", !raw.bases.is_empty(), kind == Kind::Class),
            ("module", raw.module.is_some(), kind == Kind::Class),
            ("attributes", !raw.attributes.is_empty(), kind == Kind::Class),
            ("call", raw.call.is_some(), kind == Kind::Class),
            ("methods", !raw.methods.is_empty(), kind == Kind::Class),
            ("dataset", raw.dataset.is_some(), kind == Kind::Class),
        ];
        let what = match kind {
            Kind::Api => "a function, method or property",
            Kind::Constant => "a constant",
            Kind::Class => "a class",
            Kind::Nested => "a class's call or method",
        };
        for (key, given, allowed) in keys {
            if given && !allowed {
                self.mistake(entry.referenced, "", Mistake::new(format!("the key `{key}` does not belong to {what}")));
            }
        }
        self
    }

    fn parameters(&mut self, raw: &RawEntry, unnamed: &str) -> Option<Vec<ParameterSpec>> {
        match &raw.parameters {
            Some(text) => self.parse(text, parse_parameters),
            None => parse_parameters(unnamed).ok(),
        }
    }

    /// A function, method, property, call or constructor. `outer` are the constructor's parameters, which the texts of a call
    /// may mention too.
    fn api(&mut self, raw: &RawEntry, outer: &[ParameterSpec], names: Names, kind: ApiKind) -> Option<ApiSpec> {
        let parameters = self.parameters(raw, if kind == ApiKind::Property { "self" } else { "" })?;
        self.api_with(raw, outer, parameters, names, kind)
    }

    fn api_with(
        &mut self,
        raw: &RawEntry,
        outer: &[ParameterSpec],
        parameters: Vec<ParameterSpec>,
        names: Names,
        kind: ApiKind,
    ) -> Option<ApiSpec> {
        let known: Vec<ParameterSpec> = outer.iter().chain(&parameters).cloned().collect();
        let behaviour = self.behaviour(raw, &parameters, &known);
        let dtype = self.parse_optional(raw.dtype.as_ref(), |text| parse_dtype_rule(text, &known));
        let mut effects = Effects::default();
        for effect in raw.effects.iter() {
            self.parse(effect, |text| parse_effect(text, &known, &mut effects));
        }
        if let (true, Some(effect)) = (effects.is_pure() && effects != pure(), raw.effects.iter().next()) {
            // What is added to a graph gives the same whenever the graph runs.
            let allowed = [Effects::ALLOCATES, Effects::VIEWS, Effects::READS, Effects::BUILDS_GRAPH];
            let mut permitted = pure();
            allowed.iter().filter(|bit| effects.has(**bit)).for_each(|bit| permitted.add(*bit));
            if permitted != effects {
                self.mistake(
                    effect.referenced,
                    &effect.value,
                    Mistake::new("`pure` contradicts another effect of this entry"),
                );
            }
        }
        let cost = self.parse_optional(raw.cost.as_ref(), parse_cost).unwrap_or_default();
        Some(ApiSpec {
            qualified_name: names.first(),
            names: names.written,
            aliases: names.aliases,
            kind,
            keywords: self.pairs(&raw.keywords, |keyword, parameter| has(&parameters, parameter).map(|()| keyword)),
            renames: self.pairs(&raw.renames, |own, name| {
                has(&parameters, own).and_then(|()| qualified_name(name)).map(|_| own)
            }),
            parameters,
            behaviour: behaviour?,
            require: raw
                .require
                .iter()
                .filter_map(|text| self.parse(text, |text| parse_requirement(text, &known)))
                .collect(),
            dtype: dtype.unwrap_or(DTypeRule::Promote(Vec::new())),
            device: self.parse_optional(raw.device.as_ref(), |text| parse_device(text, &known)),
            sets: raw.sets.iter().filter_map(|text| self.parse(text, parse_setting)).collect(),
            takes_arrays: self.parse_optional(raw.takes.as_ref(), parse_takes).is_some(),
            refuses_pictures: self.parse_optional(raw.refuses.as_ref(), parse_refused).is_some(),
            stands_for: match raw.class.is_empty() {
                true => self.parse_optional(raw.stands_for.as_ref(), |text| {
                    one_of("word for what a function stands for", text, &Construct::WORDS)
                }),
                false => None,
            },
            family: self.parse_optional(raw.family.as_ref(), qualified_name),
            numbers: self.parse_optional(raw.numbers.as_ref(), |text| match NUMBER_RULES.contains(&text) {
                true => Ok(text.into()),
                false => Err(Mistake::unknown("way in which numbers follow", text, &NUMBER_RULES)),
            }),
            effects,
            roles: raw.roles.iter().filter_map(|text| self.parse(text, role)).collect(),
            computation: raw.computation.as_ref().map(|text| text.value.as_str().into()),
            cost,
            lifetime: Lifetime {
                since: self.parse_optional(raw.since.as_ref(), version),
                until: self.parse_optional(raw.until.as_ref(), version),
            },
            earlier_defaults: self.earlier_defaults(raw, &known),
        })
    }

    /// The defaults that parameters had before versions, the oldest version first.
    fn earlier_defaults(&mut self, raw: &RawEntry, known: &[ParameterSpec]) -> Vec<(Box<str>, Vec<ParameterSpec>)> {
        let mut earlier = Vec::new();
        for (before, text) in &raw.before {
            let defaults = self.parse(text, |text| {
                // A key of a mapping has no position of its own; its value's is the nearest.
                version(before).map_err(|mistake| mistake.at(0))?;
                let defaults = parse_parameters(text)?;
                for parameter in &defaults {
                    has(known, &parameter.name)?;
                    if parameter.default.is_none() {
                        return Err(Mistake::new(format!("`{}` has no default here", parameter.name))
                            .hint("write `name=default`"));
                    }
                }
                Ok(defaults)
            });
            earlier.extend(defaults.map(|defaults| (before.as_str().into(), defaults)));
        }
        earlier.sort_by_key(|(version, _): &(Box<str>, _)| Version::parse(version));
        earlier
    }

    /// The pairs of a mapping; `check` gets both texts of a pair.
    fn pairs(
        &mut self,
        pairs: &BTreeMap<String, Text>,
        check: impl for<'t> Fn(&'t str, &'t str) -> Result<&'t str, Mistake>,
    ) -> Vec<(Box<str>, Box<str>)> {
        let mut checked = Vec::new();
        for (left, right) in pairs {
            if self.parse(right, |right| check(left, right).map(|_| ())).is_some() {
                checked.push((left.as_str().into(), right.value.as_str().into()));
            }
        }
        checked
    }

    fn behaviour(&mut self, raw: &RawEntry, own: &[ParameterSpec], known: &[ParameterSpec]) -> Option<Behaviour> {
        let ways: Vec<&Text> = [&raw.signature, &raw.transfer, &raw.returns].into_iter().flatten().collect();
        if let [_, second, ..] = ways.as_slice() {
            let mistake = Mistake::new("only one of `signature`, `transfer` and `returns` can say what is returned");
            self.mistake(second.referenced, &second.value, mistake);
            return None;
        }
        if let Some(source) = raw.source.as_ref().filter(|source| source.value) {
            if let Some(way) = ways.first() {
                let mistake =
                    Mistake::new("`source: true` leaves what is returned to Python; the key beside it says it, too");
                self.mistake(way.referenced, &way.value, mistake);
                return None;
            }
            if !raw.require.is_empty() {
                let mistake = Mistake::new("what a function in Python requires is said there, by `require` or `judge`");
                self.mistake(source.referenced, "", mistake);
                return None;
            }
            return Some(Behaviour::Source);
        }
        if let Some(signature) = &raw.signature {
            let parsed = self.parse(signature, |text| parse_signature(text, own, known))?;
            return Some(Behaviour::Signature(Box::new(parsed)));
        }
        if let Some(transfer) = &raw.transfer {
            return self.parse(transfer, transfer_name).map(Behaviour::Transfer);
        }
        match &raw.returns {
            Some(returns) => self.parse(returns, parse_result_type).map(Behaviour::Opaque),
            None => Some(Behaviour::Opaque(ResultType::Unknown)),
        }
    }

    fn class(&mut self, raw: &RawEntry, names: Names) -> Option<ClassSpec> {
        let constructor = self.api(raw, &[], names.clone(), ApiKind::Function)?;
        let own = constructor.parameters.clone();
        let mut visible = own.clone();
        if raw.dataset.is_some() {
            visible.push(ParameterSpec {
                name: DATASET_LENGTH.into(),
                kind: ParameterKind::KeywordOnly,
                default: None,
            });
        }
        let mut attributes = Vec::new();
        for (name, text) in &raw.attributes {
            if let Some(value) = self.parse(text, |text| parse_attribute(text, &visible)) {
                attributes.push((name.as_str().into(), value));
            }
        }
        let class_name = names.first();
        let call = raw.call.as_ref().and_then(|call| {
            self.reject_keys(call, Kind::Nested).api(
                &call.value,
                &own,
                Names::one(class_name.clone()),
                ApiKind::Function,
            )
        });
        let mut methods = Vec::new();
        for (name, method) in &raw.methods {
            let qualified = Names::one(format!("{class_name}.{name}").into());
            let spec = self.reject_keys(method, Kind::Nested).api(&method.value, &own, qualified, ApiKind::Function);
            if let Some(spec) = spec {
                methods.push((name.as_str().into(), spec));
            }
        }
        let dataset = raw.dataset.as_ref().and_then(|dataset| self.dataset(&dataset.value, &own));
        let bases = raw.bases.iter().filter_map(|base| self.parse(base, qualified_name)).collect();
        let role = self.parse_optional(raw.stands_for.as_ref(), |text| {
            one_of("word for what an object stands for", text, &Role::WORDS)
        });
        let is_module = raw.module.as_ref().is_some_and(|module| module.value);
        Some(ClassSpec {
            qualified_name: class_name,
            names: names.written,
            aliases: names.aliases,
            bases,
            called: raw.called.as_ref().map(|text| text.value.as_str().into()),
            special_methods: raw
                .special_methods
                .as_ref()
                .map(|names| names.iter().map(|name| name.value.as_str().into()).collect()),
            is_container: raw.container.as_ref().is_some_and(|container| container.value),
            role,
            class_methods: raw.class_methods.iter().map(|name| name.value.as_str().into()).collect(),
            is_module,
            constructor,
            attributes,
            call,
            methods,
            dataset,
        })
    }

    fn dataset(&mut self, raw: &RawDataset, parameters: &[ParameterSpec]) -> Option<DatasetSpec> {
        let length = match &raw.length {
            None => DatasetLength::Unknown,
            Some(length) => self.dataset_length(length, parameters)?,
        };
        let sample =
            raw.sample.iter().filter_map(|item| self.parse(item, |text| parse_sample(text, parameters))).collect();
        let classes = self.parse_optional(raw.classes.as_ref(), |text| {
            text.parse().map_err(|_| Mistake::new(format!("`{text}` is not a number of classes")))
        });
        Some(DatasetSpec { length, sample, classes })
    }

    fn dataset_length(&mut self, length: &Spanned<RawLength>, parameters: &[ParameterSpec]) -> Option<DatasetLength> {
        match &length.value {
            RawLength::Always(text) => {
                if let Ok(number) = text.parse() {
                    return Some(DatasetLength::Constant(number));
                }
                if parameters.iter().any(|parameter| *parameter.name == **text) {
                    return Some(DatasetLength::Parameter(text.as_str().into()));
                }
                let mistake = Mistake::new(format!("`{text}` is neither a number nor a constructor parameter"));
                self.mistake(length.referenced, text, mistake);
                None
            }
            RawLength::By(lengths) => {
                let mut by = Vec::new();
                for (condition, number) in lengths {
                    // Keys of a mapping have no position of their own; their value's is the nearest.
                    let (parameter, value) = self
                        .parse(number, |_| parse_condition(condition, parameters).map_err(|mistake| mistake.at(0)))?;
                    let number = self.parse(number, |text| {
                        text.parse().map_err(|_| Mistake::new(format!("`{text}` is not a number")))
                    })?;
                    by.push((parameter, value, number));
                }
                Some(DatasetLength::By(by))
            }
        }
    }

    fn constant(&mut self, entry: &Spanned<RawEntry>, names: Names) -> Option<ConstantSpec> {
        let Some(text) = &entry.value.value else {
            self.mistake(entry.referenced, "", Mistake::new("a constant needs the key `value`"));
            return None;
        };
        let value = self.parse(text, constant_value)?;
        Some(ConstantSpec { qualified_name: names.first(), names: names.written, aliases: names.aliases, value })
    }
}

fn pure() -> Effects {
    let mut effects = Effects::default();
    effects.add(Effects::PURE);
    effects
}

/// `dtype float32`, `type instance torch.Generator`, or a literal.
fn constant_value(text: &str) -> Result<ConstantValue, Mistake> {
    if let Some(dtype) = text.strip_prefix("dtype ") {
        return dtype_name(dtype.trim()).map(ConstantValue::DType);
    }
    if let Some(result) = text.strip_prefix("type ") {
        return parse_result_type(result).map(ConstantValue::Opaque);
    }
    match parse_literal(text)? {
        Literal::Name(name) if matches!(&*name, "inf" | "nan") => {
            Ok(ConstantValue::Literal(Literal::Float(if &*name == "inf" { f64::INFINITY } else { f64::NAN })))
        }
        literal => Ok(ConstantValue::Literal(literal)),
    }
}

fn has(parameters: &[ParameterSpec], name: &str) -> Result<(), Mistake> {
    let known: Vec<&str> = parameters.iter().map(|parameter| &*parameter.name).collect();
    if known.contains(&name) { Ok(()) } else { Err(Mistake::unknown("parameter", name, &known)) }
}

/// Checks a dotted Python name.
pub fn qualified_name(text: &str) -> Result<Box<str>, Mistake> {
    let is_identifier = |part: &str| {
        part.chars().all(|character| character.is_alphanumeric() || character == '_')
            && part.starts_with(|character: char| character.is_alphabetic() || character == '_')
    };
    if text.split('.').all(is_identifier) {
        Ok(text.into())
    } else {
        Err(Mistake::new(format!("`{text}` is not a qualified name")))
    }
}

/// A qualified name, or one with a parameter of it in parentheses.
pub fn name_with_parameter(text: &str) -> Result<Box<str>, Mistake> {
    if let Some((name, parameter)) = text.strip_suffix(')').and_then(|text| text.split_once('(')) {
        qualified_name(name)?;
        qualified_name(parameter)?;
        if parameter.contains('.') {
            return Err(Mistake::new(format!("`{parameter}` is not the name of a parameter")));
        }
        return Ok(text.into());
    }
    qualified_name(text)
}

/// Whether a transfer function of this name exists is for the interpreter to know; here it must only be a name.
fn transfer_name(text: &str) -> Result<Box<str>, Mistake> {
    if text.contains('.') {
        Err(Mistake::new(format!("`{text}` is not the name of a transfer function")))
    } else {
        qualified_name(text)
    }
}

/// Checks a version, such as `2.1`.
pub fn version(text: &str) -> Result<Box<str>, Mistake> {
    let well_formed = text.split('.').all(|part| !part.is_empty() && part.chars().all(|digit| digit.is_ascii_digit()));
    if well_formed {
        Ok(text.into())
    } else {
        Err(Mistake::new(format!("`{text}` is not a version")).hint("write it as `2.1`"))
    }
}

fn parse_device(text: &str, known: &[ParameterSpec]) -> Result<DeviceRule, Mistake> {
    match text.split_once(' ') {
        None if text == "cpu" => Ok(DeviceRule::Cpu),
        None if text == "accelerator" => Ok(DeviceRule::Accelerator),
        Some(("as", parameter)) => has(known, parameter).map(|()| DeviceRule::As(parameter.into())),
        Some(("in", parameter)) => has(known, parameter).map(|()| DeviceRule::In(parameter.into())),
        _ => Err(Mistake::unknown("device", text, &["cpu", "accelerator", "as PARAMETER", "in PARAMETER"])),
    }
}

fn parse_setting(text: &str) -> Result<Setting, Mistake> {
    match text {
        "default-device" => Ok(Setting::DefaultDevice),
        "default-float" => Ok(Setting::DefaultFloat),
        other => Err(Mistake::unknown("setting", other, &["default-device", "default-float"])),
    }
}

/// What one of a few words stands for.
fn one_of<T: Copy>(what: &str, text: &str, words: &[(&str, T)]) -> Result<T, Mistake> {
    let known: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
    let found = words.iter().find(|(word, _)| *word == text);
    found.map(|(_, meaning)| *meaning).ok_or_else(|| Mistake::unknown(what, text, &known))
}

fn parse_refused(text: &str) -> Result<(), Mistake> {
    one_of("word for what is refused", text, &[("pictures", ())])
}

fn parse_takes(text: &str) -> Result<(), Mistake> {
    if text == "arrays" { Ok(()) } else { Err(Mistake::unknown("word for what is taken", text, &["arrays"])) }
}

fn role(text: &str) -> Result<&'static str, Mistake> {
    ROLES.iter().find(|role| **role == text).copied().ok_or_else(|| Mistake::unknown("role", text, &ROLES))
}
