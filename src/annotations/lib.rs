//! What is known of library APIs: `api_annotations/**/*.yaml` and users' files of the same form, as typed specifications.
//!
//! `docs/annotations.md` describes the format. A file goes through `raw` (which keys exist), `lower` (what the texts mean) and
//! ends as a [`spec::Entry`] in a [`Library`]. The room knows nothing of Python source.

#![deny(missing_docs)]

pub mod attributes;
pub mod builtin;
pub mod call_forms;
pub mod error;
mod families;
mod key_languages;
pub mod library;
mod lower;
pub mod manifest;
pub mod parameters;
mod raw;
pub mod signature;
mod slots;
pub mod spec;
pub mod versions;

pub use attributes::{AttributeValue, ShapePart, TensorAttribute, TensorRole};
pub use call_forms::{CallForm, CallForms, Kinds};
pub use error::AnnotationError;
pub use library::{Library, ObjectKind, Stated};
pub use lower::{DATASET_LENGTH, qualified_name};
pub use manifest::Manifest;
pub use parameters::{Literal, ParameterKind, ParameterSpec};
pub use signature::{Requirement, Signature};
pub use spec::{
    ApiKind, ApiSpec, Behaviour, ClassSpec, ConstantSpec, ConstantValue, Construct, Cost, DTypeRule, DatasetLength,
    DatasetSpec, DeviceRule, Effects, Entry, ImageSize, ResultType, Role, SampleItem, Setting,
};

pub use versions::{Absence, Lifetime, Target};
