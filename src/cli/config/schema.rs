//! The JSON schema of the configuration, for editors: made of the table of keys that the reader is made of.

use serde_json::{Map, Value, json};

use harp_trace::assumption::AssumptionKind;

use super::keys::{Form, KEYS, Key};
use super::targets::target_keys;

/// The schema of a `harp.toml`, and of `[tool.harp]` in a `pyproject.toml`.
pub fn json_schema() -> Value {
    let mut schema = table(KEYS);
    for (key, description) in target_keys() {
        schema["properties"][key] = json!({ "type": "string", "description": description });
    }
    schema["$schema"] = json!("http://json-schema.org/draft-07/schema#");
    schema["title"] = json!("Configuration of Harp");
    schema["description"] = json!("harp.toml, or [tool.harp] in pyproject.toml; docs/configuration.md describes it");
    schema
}

fn table(keys: &[Key]) -> Value {
    let properties: Map<String, Value> = keys
        .iter()
        .map(|key| {
            let mut value = value(&key.form);
            value["description"] = json!(key.description());
            (key.name(), value)
        })
        .collect();
    json!({ "type": "object", "additionalProperties": false, "properties": properties })
}

fn value(form: &Form) -> Value {
    let texts = || json!({ "type": "array", "items": { "type": "string" } });
    let whole_number = |least: u64| json!({ "type": "integer", "minimum": least });
    match form {
        Form::Flag => json!({ "type": "boolean" }),
        Form::Text => json!({ "type": "string" }),
        Form::Texts => texts(),
        Form::OneOf(names) => json!({ "type": "string", "enum": names }),
        Form::AssumptionKind => {
            json!({ "type": "string", "enum": AssumptionKind::ALL.map(AssumptionKind::as_str) })
        }
        Form::WholeNumber(least) => whole_number(*least),
        Form::Size => {
            let text = json!({ "type": "string", "pattern": "^[0-9]+ *([bB]|[kKmMgG]([iI]?[bB])?)?$" });
            json!({ "anyOf": [whole_number(0), text] })
        }
        Form::Seconds => json!({ "type": "number", "minimum": 0 }),
        Form::Words => json!({ "anyOf": [{ "type": "string" }, texts()] }),
        Form::TableOf(names) => {
            json!({ "type": "object", "additionalProperties": { "type": "string", "enum": names } })
        }
        Form::TableOfTexts => json!({ "type": "object", "additionalProperties": texts() }),
        Form::Table(keys) => table(keys),
        Form::Tables(keys) => json!({ "type": "array", "items": table(keys) }),
    }
}
