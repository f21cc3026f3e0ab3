//! The families of tensors that the built-in packs declare.

use std::sync::OnceLock;

use harp::annotations::Library;
use harp::shape::{Families, FamilyRules};

/// What is true of the tensors that an API makes.
pub fn rules(api: &str) -> &'static FamilyRules {
    static FAMILIES: OnceLock<Families> = OnceLock::new();
    let families = FAMILIES.get_or_init(|| Library::of(&harp::builtin::ANNOTATIONS).families().clone());
    families.made_by(api).unwrap_or_else(|| families.usual()).rules()
}
