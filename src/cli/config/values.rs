//! Values of the configuration that are more than a text or number.

use std::time::Duration;

use serde::{Deserialize, Deserializer, de::Error};

use harp_annotations::Target;
use harp_report::{Grade, Severity, closest};

use crate::argument_types;
use crate::options::Effort;

/// A version, or the versions that a requirement allows.
pub(crate) struct TargetText(pub Target);

impl<'de> Deserialize<'de> for TargetText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<TargetText, D::Error> {
        let text = String::deserialize(deserializer)?;
        let target = Target::parse(&text).ok_or_else(|| {
            D::Error::custom(format!(
                "`{text}` is not a version; write one such as \"2.1\", or bounds such as \">=1.8,<2.0\""
            ))
        })?;
        match target.is_empty() {
            true => Err(D::Error::custom(format!("no version is within `{text}`"))),
            false => Ok(TargetText(target)),
        }
    }
}

/// A number of bytes, or a text such as `"5MiB"`.
pub(crate) struct Size(pub u64);

impl<'de> Deserialize<'de> for Size {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Size, D::Error> {
        match toml::Value::deserialize(deserializer)? {
            toml::Value::Integer(size) => {
                u64::try_from(size).map(Size).map_err(|_| D::Error::custom("a size is not negative"))
            }
            toml::Value::String(text) => argument_types::size(&text).map(Size).map_err(D::Error::custom),
            other => Err(D::Error::custom(format!("expected a size, found {}", other.type_str()))),
        }
    }
}

/// A number of seconds.
pub(crate) struct Seconds(pub Duration);

impl<'de> Deserialize<'de> for Seconds {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Seconds, D::Error> {
        let number = match toml::Value::deserialize(deserializer)? {
            toml::Value::Integer(number) => number.to_string(),
            toml::Value::Float(number) => number.to_string(),
            other => {
                return Err(D::Error::custom(format!("expected a number of seconds, found {}", other.type_str())));
            }
        };
        argument_types::seconds(&number).map(Seconds).map_err(D::Error::custom)
    }
}

/// A command line as one string, or its words.
pub(crate) struct ProgramArguments(pub Vec<String>);

impl<'de> Deserialize<'de> for ProgramArguments {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<ProgramArguments, D::Error> {
        match toml::Value::deserialize(deserializer)? {
            toml::Value::String(text) => {
                argument_types::split(&text).map(|words| ProgramArguments(words.0)).map_err(D::Error::custom)
            }
            toml::Value::Array(words) => {
                let words = words.into_iter().map(|word| match word {
                    toml::Value::String(word) => Ok(word),
                    other => Err(D::Error::custom(format!("expected a string, found {}", other.type_str()))),
                });
                words.collect::<Result<_, _>>().map(ProgramArguments)
            }
            other => {
                Err(D::Error::custom(format!("expected a string or a list of strings, found {}", other.type_str())))
            }
        }
    }
}

/// A severity, or `off`.
pub(crate) struct GradeName(pub Grade);

impl<'de> Deserialize<'de> for GradeName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<GradeName, D::Error> {
        let name = String::deserialize(deserializer)?;
        let grade = match name.as_str() {
            "off" => Some(Grade::Off),
            name => Severity::parse(name).map(Grade::Severity),
        };
        grade
            .map(GradeName)
            .ok_or_else(|| D::Error::custom(format!("`{name}` is not a severity; write error, warning, note or off")))
    }
}

/// How far entries are followed.
pub(crate) struct EffortName(pub Effort);

impl<'de> Deserialize<'de> for EffortName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<EffortName, D::Error> {
        let name = String::deserialize(deserializer)?;
        let efforts = [("low", Effort::Low), ("normal", Effort::Normal), ("high", Effort::High)];
        let known = efforts.iter().find(|(known, _)| *known == name);
        known.map(|(_, effort)| EffortName(*effort)).ok_or_else(|| {
            let hint = match closest(&name, efforts.map(|(known, _)| known)) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => "write low, normal or high".to_owned(),
            };
            D::Error::custom(format!("`{name}` is not an effort; {hint}"))
        })
    }
}
