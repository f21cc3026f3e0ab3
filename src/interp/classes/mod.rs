//! Classes of the program: method resolution order (MRO), descriptors, special methods, dataclasses, enumerations, named tuples, properties,
//! subclasses of built-in types, classes made while the program runs.

pub(crate) mod abc_mixins;
pub(crate) mod abstract_methods;
pub(crate) mod attrs_fields;
pub(crate) mod builtin_subclasses;
pub(crate) mod class_hooks;
pub(crate) mod class_lookup;
pub(crate) mod class_reassignment;
pub(crate) mod dataclasses;
pub(crate) mod descriptors_and_dunders;
pub(crate) mod dict_subclass_methods;
pub(crate) mod dict_subclasses;
pub(crate) mod dir;
pub(crate) mod dunder_new;
pub(crate) mod dynamic_classes;
pub(crate) mod enums;
pub(crate) mod late_attributes;
pub(crate) mod mro;
pub(crate) mod named_tuples;
pub(crate) mod namespace_equality;
pub(crate) mod property_objects;
pub(crate) mod pydantic_fields;
pub(crate) mod runtime_annotations;
pub(crate) mod runtime_protocols;
pub(crate) mod shared_dict_state;
pub(crate) mod subclass_hooks;
pub(crate) mod tensor_subclasses;
