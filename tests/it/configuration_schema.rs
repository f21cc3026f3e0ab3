//! The JSON schema of the configuration: it is written from the keys that the reader has, and both accept the same.

use std::fs;
use std::path::Path;

use harp::cli::config::{self, keys::KEYS, schema::json_schema};
use serde_json::{Map, Value, json};

const PAGE: &str = "docs/harp.schema.json";

fn written() -> String {
    format!("{}\n", serde_json::to_string_pretty(&json_schema()).expect("JSON"))
}

#[test]
fn the_schema_is_what_the_keys_say() {
    if std::env::var_os("HARP_WRITE_PAGES").is_some() {
        fs::write(PAGE, written()).expect("the schema can be written");
    }
    assert_eq!(fs::read_to_string(PAGE).unwrap_or_default(), written(), "write it with HARP_WRITE_PAGES=1");
}

/// Why a value does not fit a schema. What is no keyword of those that the schema uses is a mistake in the schema.
fn refusal(schema: &Value, value: &Value, place: &str) -> Option<String> {
    let Value::Object(keywords) = schema else { panic!("a schema is a table: {schema}") };
    keywords.iter().find_map(|(keyword, wanted)| {
        let is_fitting = match keyword.as_str() {
            "$schema" | "title" | "description" => wanted.is_string(),
            "type" => match wanted.as_str().expect("a name") {
                "object" => value.is_object(),
                "array" => value.is_array(),
                "string" => value.is_string(),
                "boolean" => value.is_boolean(),
                "integer" => value.is_i64() || value.is_u64(),
                "number" => value.is_number(),
                other => panic!("{other} is no type"),
            },
            "enum" => wanted.as_array().expect("a list").contains(value),
            "minimum" => value.as_f64().is_none_or(|number| number >= wanted.as_f64().expect("a number")),
            "pattern" => value.as_str().is_none_or(|text| {
                regex::Regex::new(wanted.as_str().expect("a text")).expect("a pattern").is_match(text)
            }),
            "anyOf" => wanted.as_array().expect("a list").iter().any(|one| refusal(one, value, place).is_none()),
            "items" => {
                let items = value.as_array().into_iter().flatten();
                return items.enumerate().find_map(|(at, item)| refusal(wanted, item, &format!("{place}[{at}]")));
            }
            "properties" => return in_properties(wanted, value, place),
            "additionalProperties" => return in_others(schema, wanted, value, place),
            other => panic!("{other} is no keyword of the schema"),
        };
        (!is_fitting).then(|| format!("{place}: {value} is not {keyword} {wanted}"))
    })
}

fn in_properties(properties: &Value, value: &Value, place: &str) -> Option<String> {
    let members = value.as_object().into_iter().flatten();
    members.into_iter().find_map(|(key, value)| refusal(properties.get(key)?, value, &format!("{place}.{key}")))
}

fn in_others(schema: &Value, wanted: &Value, value: &Value, place: &str) -> Option<String> {
    let known = schema.get("properties").and_then(Value::as_object);
    let members = value.as_object().into_iter().flatten();
    let mut others = members.into_iter().filter(|(key, _)| known.is_none_or(|known| !known.contains_key(*key)));
    match wanted {
        Value::Bool(true) => None,
        Value::Bool(false) => others.next().map(|(key, _)| format!("{place}: unknown key {key}")),
        wanted => others.find_map(|(key, value)| refusal(wanted, value, &format!("{place}.{key}"))),
    }
}

/// What the reader says of a configuration, and what the schema does.
fn judged(document: &Map<String, Value>) -> (Result<(), String>, Option<String>) {
    let text = toml_of(document);
    let read = config::parse("harp.toml", &text, Path::new("/nowhere")).map(drop).map_err(|error| error.to_string());
    (read, refusal(&json_schema(), &Value::Object(document.clone()), "configuration"))
}

/// JSON as TOML, with inline tables.
fn toml_of(document: &Map<String, Value>) -> String {
    document.iter().map(|(key, value)| format!("{} = {}\n", json!(key), inline(value))).collect()
}

fn inline(value: &Value) -> String {
    match value {
        Value::Array(items) => format!("[{}]", items.iter().map(inline).collect::<Vec<_>>().join(", ")),
        Value::Object(members) => {
            let members = members.iter().map(|(key, value)| format!("{} = {}", json!(key), inline(value)));
            format!("{{ {} }}", members.collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}

/// Values of every kind, right and wrong ones.
fn values() -> Vec<Value> {
    vec![
        json!(true),
        json!(0),
        json!(7),
        json!(-1),
        json!(0.5),
        json!(-0.5),
        json!("shape"),
        json!("2.1"),
        json!("5MiB"),
        json!("5 miles"),
        json!("low"),
        json!("z3"),
        json!(["a", "b"]),
        json!(["S2", 3]),
        json!([]),
        json!({}),
        json!({ "shape": "note" }),
        json!({ "shape": "off" }),
        json!({ "shape": "fatal" }),
        json!({ "tests/**": ["shape"] }),
        json!({ "tests/**": "shape" }),
        json!({ "disable": ["S2"] }),
        json!({ "disabel": ["S2"] }),
        json!([{ "kind": "trip-count" }]),
        json!([{ "kind": "no such kind" }]),
        json!([{ "file": "a.py", "line": 3 }]),
        json!([{ "file": "a.py", "line": "3" }]),
        json!([{ "fil": "a.py" }]),
        json!([[]]),
    ]
}

#[test]
fn what_the_reader_accepts_the_schema_accepts() {
    let mut accepted = 0;
    for key in KEYS {
        let mut is_ever_accepted = false;
        for value in values() {
            let document = Map::from_iter([(key.name(), value)]);
            let (read, refused) = judged(&document);
            if read.is_ok() {
                assert_eq!(refused, None, "{document:?}");
                is_ever_accepted = true;
                accepted += 1;
            } else if let Err(told) = read {
                // Where the kind of a value is wrong, an editor shows it.
                let is_of_kind =
                    told.contains("invalid type") || told.contains("unknown key") || told.contains("found ");
                assert!(!is_of_kind || refused.is_some(), "{document:?}\n{told}");
            }
        }
        assert!(is_ever_accepted, "no value is right for `{}`", key.name());
        assert!(!key.description().is_empty() && key.description().ends_with('.'), "{}", key.description());
    }
    assert!(accepted > KEYS.len());
}

#[test]
fn unknown_keys_are_refused_by_both() {
    let (read, refused) = judged(&Map::from_iter([("exlude".to_owned(), json!(["a"]))]));
    assert!(read.is_err_and(|told| told.contains("exlude")));
    assert_eq!(refused.as_deref(), Some("configuration: unknown key exlude"));
}

/// The configurations that pages show, with the pages' names.
fn documented() -> Vec<(String, String)> {
    let pages = ["docs/configuration.md", "docs/assumptions.md", "docs/commands.md", "docs/output.md", "README.md"];
    let mut examples = Vec::new();
    for page in pages {
        let text = fs::read_to_string(page).expect("the page is there");
        let blocks = text.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next());
        examples.extend(blocks.map(|block| (page.to_owned(), block.to_owned())));
    }
    examples
}

#[test]
fn documented_examples_are_right() {
    let examples = documented();
    assert!(examples.len() >= 3, "{}", examples.len());
    for (page, text) in examples {
        let name = if text.lines().any(|line| line.starts_with("[tool.harp")) { "pyproject.toml" } else { "harp.toml" };
        if let Err(error) = config::parse(name, &text, Path::new("/nowhere")) {
            panic!("{page}: {error}\n{text}");
        }
        let document: toml::Table = toml::from_str(&text).expect("TOML");
        let mut document = serde_json::to_value(document).expect("JSON");
        if name == "pyproject.toml" {
            document = document["tool"]["harp"].take();
        }
        assert_eq!(refusal(&json_schema(), &document, &page), None, "{text}");
    }
}

/// The page shows every key, so that somebody who reads it knows them all.
#[test]
fn every_key_is_described() {
    let page = fs::read_to_string("docs/configuration.md").expect("the page is there");
    for key in KEYS {
        let name = key.name();
        let is_shown = [format!("\n{name} = "), format!("[{name}]"), format!("[[{name}]]"), format!("`{name}`")];
        assert!(is_shown.iter().any(|form| page.contains(form.as_str())), "{name} is not in docs/configuration.md");
    }
}
