//! JSON Schema, draft 7, as far as the schemas under `tests/data/schemas/` use it. A keyword that is not known here is a panic, so that
//! nothing is taken for checked which is not.

use regex::Regex;
use serde_json::{Map, Value};

/// A schema with the definitions that it refers to.
pub struct Schema {
    root: Value,
}

impl Schema {
    /// The schema in a file of `tests/data/schemas/`.
    pub fn named(file: &str) -> Schema {
        let path = format!("{}/tests/data/schemas/{file}", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
        Schema { root: serde_json::from_str(&text).expect("a schema is JSON") }
    }

    /// What a document violates: a line a violation, with the place in the document.
    pub fn violations(&self, document: &Value) -> Vec<String> {
        self.check(&self.root, document, "")
    }

    fn check(&self, schema: &Value, value: &Value, place: &str) -> Vec<String> {
        let schema = match schema {
            Value::Object(schema) => schema,
            Value::Bool(true) => return Vec::new(),
            Value::Bool(false) => return vec![format!("{place}: nothing may be here")],
            other => panic!("{other} is no schema"),
        };
        // Beside a reference nothing else counts.
        if let Some(reference) = schema.get("$ref") {
            return self.check(self.referred(reference), value, place);
        }
        let mut found = Vec::new();
        for (keyword, demand) in schema {
            match keyword.as_str() {
                "$schema" | "$id" | "title" | "description" | "default" | "definitions" => {}
                "properties" | "additionalProperties" => {}
                "anyOf" | "oneOf" => found.extend(self.alternatives(keyword, list(demand), value, place)),
                "items" => {
                    let items = value.as_array().into_iter().flatten().enumerate();
                    found.extend(items.flat_map(|(index, item)| self.check(demand, item, &format!("{place}/{index}"))));
                }
                _ => found.extend(violated(keyword, demand, value).map(|what| format!("{place}: {what}: {value}"))),
            }
        }
        if let Value::Object(members) = value {
            found.extend(self.check_members(schema, members, place));
        }
        found
    }

    fn referred(&self, reference: &Value) -> &Value {
        let pointer =
            reference.as_str().and_then(|reference| reference.strip_prefix('#')).expect("a place in this file");
        self.root.pointer(pointer).unwrap_or_else(|| panic!("{pointer} is not there"))
    }

    fn alternatives(&self, keyword: &str, alternatives: &[Value], value: &Value, place: &str) -> Option<String> {
        let fitting = alternatives.iter().filter(|schema| self.check(schema, value, place).is_empty()).count();
        let is_right = if keyword == "oneOf" { fitting == 1 } else { fitting > 0 };
        (!is_right).then(|| format!("{place}: {fitting} of {keyword} fit"))
    }

    fn check_members(&self, schema: &Map<String, Value>, members: &Map<String, Value>, place: &str) -> Vec<String> {
        let known = schema.get("properties").and_then(Value::as_object);
        let others = schema.get("additionalProperties").unwrap_or(&Value::Bool(true));
        let checked = members.iter().flat_map(|(name, member)| {
            let demand = known.and_then(|known| known.get(name)).unwrap_or(others);
            self.check(demand, member, &format!("{place}/{name}"))
        });
        checked.collect()
    }
}

/// How a value violates a keyword that needs no other schema.
fn violated(keyword: &str, demand: &Value, value: &Value) -> Option<String> {
    let is_right = match keyword {
        "type" => match demand {
            Value::Array(types) => types.iter().any(|wanted| is_of_type(wanted, value)),
            wanted => is_of_type(wanted, value),
        },
        "enum" => list(demand).contains(value),
        "required" => value
            .as_object()
            .is_none_or(|members| list(demand).iter().all(|name| members.contains_key(name.as_str().expect("a name")))),
        "minItems" => value.as_array().is_none_or(|items| items.len() as u64 >= demand.as_u64().expect("a number")),
        "uniqueItems" => value.as_array().is_none_or(|items| {
            demand != &Value::Bool(true) || (1..items.len()).all(|end| !items[..end].contains(&items[end]))
        }),
        "minimum" => value.as_f64().is_none_or(|number| number >= demand.as_f64().expect("a number")),
        "maximum" => value.as_f64().is_none_or(|number| number <= demand.as_f64().expect("a number")),
        "pattern" => value
            .as_str()
            .is_none_or(|text| Regex::new(demand.as_str().expect("a pattern")).expect("a pattern").is_match(text)),
        "format" => value.as_str().is_none_or(|text| is_of_format(demand.as_str().expect("a format"), text)),
        other => panic!("the keyword {other} is not known here"),
    };
    (!is_right).then(|| format!("{keyword} is {demand}"))
}

fn list(demand: &Value) -> &[Value] {
    demand.as_array().expect("a list")
}

fn is_of_type(wanted: &Value, value: &Value) -> bool {
    match wanted.as_str().expect("a type") {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "number" => value.is_number(),
        "integer" => value.is_i64() || value.is_u64(),
        other => panic!("the type {other} is not known here"),
    }
}

/// The characters of RFC 3986, with each `%` before two digits; the absolute ones begin with a scheme.
fn is_of_format(format: &str, text: &str) -> bool {
    let reference = Regex::new(r"^(?:[A-Za-z0-9._~:/?#\[\]@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*$").expect("a pattern");
    let scheme = Regex::new(r"^[A-Za-z][A-Za-z0-9+.-]*:").expect("a pattern");
    match format {
        "uri-reference" => reference.is_match(text),
        "uri" => reference.is_match(text) && scheme.is_match(text),
        other => panic!("the format {other} is not known here"),
    }
}

#[test]
fn what_a_schema_forbids_is_found() {
    let schema = Schema {
        root: serde_json::json!({
            "type": "object",
            "required": ["a"],
            "additionalProperties": false,
            "properties": {
                "a": { "$ref": "#/definitions/size" },
                "b": { "type": "array", "minItems": 1, "uniqueItems": true, "items": { "type": "string", "format": "uri-reference" } },
                "c": { "oneOf": [{ "enum": [1] }, { "type": "integer", "maximum": 3 }] },
            },
            "definitions": { "size": { "type": ["integer", "null"], "minimum": 1 } },
        }),
    };
    let said = |document: Value| schema.violations(&document);
    assert_eq!(said(serde_json::json!({ "a": 1, "b": ["x%20y"], "c": 2 })), [""; 0]);
    assert_eq!(said(serde_json::json!({ "a": null })), [""; 0]);
    for wrong in [
        serde_json::json!({}),
        serde_json::json!([]),
        serde_json::json!({ "a": 0 }),
        serde_json::json!({ "a": 1.5 }),
        serde_json::json!({ "a": 1, "d": 1 }),
        serde_json::json!({ "a": 1, "b": [] }),
        serde_json::json!({ "a": 1, "b": ["x", "x"] }),
        serde_json::json!({ "a": 1, "b": ["x y"] }),
        serde_json::json!({ "a": 1, "c": 1 }),
        serde_json::json!({ "a": 1, "c": 4 }),
    ] {
        assert_eq!(said(wrong.clone()).len(), 1, "{wrong}: {:?}", said(wrong.clone()));
    }
}
