//! Classes of the program: method resolution order (MRO), descriptors, special methods, dataclasses, enumerations, named tuples, properties,
//! subclasses of built-in types, classes made while the program runs.

pub mod abc_mixins;
pub mod abstract_methods;
pub mod attrs_fields;
pub mod builtin_subclasses;
pub mod class_hooks;
pub mod class_lookup;
pub mod class_reassignment;
pub mod dataclasses;
pub mod descriptors_and_dunders;
pub mod dict_subclass_methods;
pub mod dict_subclasses;
pub mod dir;
pub mod dunder_new;
pub mod dynamic_classes;
pub mod enums;
pub mod lasting_guards;
pub mod late_attributes;
pub mod mro;
pub mod named_tuples;
pub mod namespace_equality;
pub mod property_objects;
pub mod pydantic_fields;
pub mod runtime_annotations;
pub mod runtime_protocols;
pub mod shared_dict_state;
pub mod subclass_hooks;
pub mod tensor_subclasses;
