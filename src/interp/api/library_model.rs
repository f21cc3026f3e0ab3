//! The trait [`LibraryModel`]: what API calls ask the models of libraries that annotations do not say. It names no
//! library: each question goes to the models of the libraries, which stand in a crate above.
//!
//! Handlers are looked up by qualified name. Hooks are asked at fixed moments; one that has nothing to say answers `None`, `false` or leaves things
//! as they are, as the defaults here do.

use harp_annotations::{ApiSpec, ClassSpec};
use harp_corpus::{FileId, Span};
use harp_operations::operation::Arguments as Operands;
use harp_python::ir::{BinaryOperator, Expr};
use harp_python::name::Name;
use harp_shape::DType;
use std::rc::Rc;

use crate::api::call_api::Bound;
use crate::calls::call::CallArguments;
use crate::heap::objects::{Heap, InstanceData, ListData, Payload};
use crate::state::interpreter::{Eval, Interpreter};
use crate::values::value::{Closure, Iteration, ObjectId, Value};

/// `name(…)`: the name is the one called, so that one handler may serve several.
pub type FunctionHandler = fn(&mut Interpreter<'_>, Name, CallArguments) -> Eval;
/// `receiver.method(…)`, and `instance(…)`.
pub type MethodHandler = fn(&mut Interpreter<'_>, &Value, CallArguments) -> Eval;
/// `super().__init__(…)` on an instance of a class of the program.
pub type ConstructorHandler = fn(&mut Interpreter<'_>, ObjectId, CallArguments) -> Eval<()>;
/// `for item in instance`.
pub type IterationHandler = fn(&mut Interpreter<'_>, &Value) -> Eval<Iteration>;

/// The models of libraries.
#[allow(unused_variables, reason = "the defaults answer without looking")]
pub trait LibraryModel: Sync {
    // Handlers by qualified name.

    /// What a function or a class does when it is called.
    fn function(&self, name: &str) -> Option<FunctionHandler> {
        None
    }

    /// What a method of a library class does.
    fn method(&self, name: &str) -> Option<MethodHandler> {
        None
    }

    /// What a method does of a class that annotations describe as a data set.
    fn method_of_data_sets(&self, method: &str) -> Option<MethodHandler> {
        None
    }

    /// What the constructor of a class does to an instance of a class of the program that derives from it.
    fn constructor(&self, class: &str) -> Option<ConstructorHandler> {
        None
    }

    /// What calling an instance of a library class does.
    fn instance_call(&self, class: &str) -> Option<MethodHandler> {
        None
    }

    /// What iterating over an instance of a library class gives.
    fn iteration(&self, class: &str) -> Option<IterationHandler> {
        None
    }

    /// A constant that annotations do not describe.
    fn constant(&self, name: &str) -> Option<Value> {
        None
    }

    /// Whether a function makes something else of what it decorates when it stands there without parentheses.
    fn is_decorator(&self, name: &str) -> bool {
        false
    }

    /// Whether the text of a file has calls that load objects from files.
    fn loads_objects(&self, text: &str) -> bool {
        false
    }

    /// Whether the text of a file has calls that save objects in files.
    fn saves_objects(&self, text: &str) -> bool {
        false
    }

    /// How many axes tensors have at most that a function gives, where it reads them from a file.
    fn most_axes(&self, function: &str) -> Option<usize> {
        None
    }

    /// Whether a future still waits for what others do; `None` of what is none.
    fn is_pending(&self, it: &Interpreter<'_>, value: &Value) -> Option<bool> {
        None
    }

    // Attributes.

    /// A value of a library that depends on the run: a version, the words of the command line.
    fn value_of_name(&self, it: &mut Interpreter<'_>, name: Name) -> Option<Value> {
        None
    }

    /// A member that an object has from a library class among its bases.
    fn attribute(
        &self,
        it: &mut Interpreter<'_>,
        receiver: &Value,
        class: Name,
        member: Name,
        span: Span,
    ) -> Option<Value> {
        None
    }

    /// An attribute that every object of some kind has of itself, whatever its class defines.
    fn own_attribute(&self, it: &mut Interpreter<'_>, instance: ObjectId, name: Name) -> Option<Value> {
        None
    }

    /// An attribute of a module of the program.
    fn attribute_of_module(&self, it: &mut Interpreter<'_>, module: ObjectId, name: Name) -> Option<Value> {
        None
    }

    /// An attribute of an object whose class is not known.
    fn attribute_of_unknown(
        &self,
        it: &mut Interpreter<'_>,
        object: ObjectId,
        name: Name,
        span: Span,
    ) -> Option<Value> {
        None
    }

    /// Stores an attribute of a library's module; `false` where that is nothing special.
    fn set_attribute_of_module(&self, it: &mut Interpreter<'_>, module: Name, name: Name, value: &Value) -> bool {
        false
    }

    /// Before `target.name = value`.
    fn attribute_is_set(
        &self,
        it: &mut Interpreter<'_>,
        (target, holder): (&Expr, &Value),
        name: Name,
        value: &Value,
        span: Span,
    ) -> Eval<()> {
        Ok(())
    }

    // Items.

    /// `name[index]` of a library's object.
    fn item_of_name(&self, it: &mut Interpreter<'_>, name: Name, index: &Value, span: Span) -> Option<Eval> {
        None
    }

    /// `name[index] = value`; `false` where that is nothing special.
    fn set_item_of_name(&self, it: &mut Interpreter<'_>, name: Name, index: &Value, value: &Value) -> bool {
        false
    }

    /// `del name[index]`; `false` where that is nothing special.
    fn delete_item_of_name(&self, it: &mut Interpreter<'_>, name: Name, index: &Value) -> bool {
        false
    }

    /// `instance[index] = value`, where its class does not say it.
    fn set_item(&self, it: &mut Interpreter<'_>, instance: ObjectId, index: &Value, value: Value, span: Span) {}

    /// `del instance[index]`, where its class does not say it.
    fn delete_item(&self, it: &mut Interpreter<'_>, instance: ObjectId, index: &Value, span: Span) -> Eval<()> {
        Ok(())
    }

    /// An entry of a dictionary was stored.
    fn entry_is_set(&self, it: &mut Interpreter<'_>, dict: ObjectId, key: &Value, span: Span) {}

    /// `item in container`.
    fn contains(&self, it: &mut Interpreter<'_>, container: &Value, item: &Value) -> Option<Value> {
        None
    }

    /// Whether a list with too few items has as many as the user gives it.
    fn is_list_of_user(&self, it: &Interpreter<'_>, list: &Rc<ListData>) -> bool {
        false
    }

    // Iteration and operators.

    /// What iterating over an object whose class is not known gives.
    fn iterate_unknown(&self, it: &mut Interpreter<'_>, object: ObjectId) -> Option<Iteration> {
        None
    }

    /// What iterating over an instance gives whose class has no method for it.
    fn iterate_instance(
        &self,
        it: &mut Interpreter<'_>,
        instance: &Value,
        bases: &[Name],
        span: Span,
    ) -> Eval<Option<Iteration>> {
        Ok(None)
    }

    /// The parts of a value that is assigned to so many targets.
    fn unpack(&self, it: &mut Interpreter<'_>, value: &Value, width: usize) -> Eval<Option<Vec<Value>>> {
        Ok(None)
    }

    /// `left operator right`, before the operands are asked.
    fn before_operator(
        &self,
        it: &mut Interpreter<'_>,
        operator: BinaryOperator,
        operands: [&Value; 2],
        span: Span,
    ) -> Eval<Option<Value>> {
        Ok(None)
    }

    /// `left operator right`, where no method of the program says it.
    fn operator(
        &self,
        it: &mut Interpreter<'_>,
        operator: BinaryOperator,
        operands: [&Value; 2],
        span: Span,
    ) -> Eval<Option<Value>> {
        Ok(None)
    }

    /// Whether an element type is of a kind of types that a library names by a class; `None` where the class is none.
    fn is_of_kind_of_types(&self, dtype: DType, class: &str) -> Option<bool> {
        None
    }

    /// Whether an instance counts as one of a class besides those that it derives from.
    fn is_instance(&self, it: &Interpreter<'_>, instance: ObjectId, class: &str) -> bool {
        false
    }

    /// Whether a class with a source in Python is the library class of that name.
    fn stands_for(&self, it: &Interpreter<'_>, class: &Value, name: &str) -> bool {
        false
    }

    // Conditions.

    /// Whether a value is one that users need not give, and that is taken as not given.
    fn is_absent(&self, it: &mut Interpreter<'_>, value: &Value) -> bool {
        false
    }

    /// The answer to a condition that asks whether the user gave something.
    fn presumed(&self, it: &mut Interpreter<'_>, test: &Expr) -> Option<bool> {
        None
    }

    /// Gives what a condition demands of the user; `true` where it is to be asked anew.
    fn supply(&self, it: &mut Interpreter<'_>, test: &Expr) -> Eval<bool> {
        Ok(false)
    }

    // Calls.

    /// Before anything is called: the result, where something intercepts the call.
    fn before_call(&self, it: &mut Interpreter<'_>, callee: &Value, arguments: &CallArguments) -> Eval<Option<Value>> {
        Ok(None)
    }

    /// After a call that is written as one: what it gives.
    fn after_call(&self, it: &mut Interpreter<'_>, function: &Expr, callee: &Value, result: Value) -> Eval {
        Ok(result)
    }

    /// Before a function of the program runs: what it gives, where that is known.
    fn before_function(&self, it: &Interpreter<'_>, closure: &Rc<Closure>, arguments: &CallArguments) -> Option<Value> {
        None
    }

    /// A function of the program is about to run.
    fn function_runs(&self, it: &mut Interpreter<'_>, closure: &Rc<Closure>, arguments: &CallArguments) {}

    /// Before a library function runs: the result, where an argument decides it.
    fn before_library_call(
        &self,
        it: &mut Interpreter<'_>,
        name: Name,
        arguments: &mut CallArguments,
    ) -> Eval<Option<Value>> {
        Ok(None)
    }

    /// Before an instance is called: the result, where something intercepts the call.
    fn before_instance_call(
        &self,
        it: &mut Interpreter<'_>,
        instance: ObjectId,
        arguments: &CallArguments,
    ) -> Eval<Option<Value>> {
        Ok(None)
    }

    /// The same, after what the program registered around calls has run.
    fn before_plain_call(
        &self,
        it: &mut Interpreter<'_>,
        instance: ObjectId,
        arguments: &CallArguments,
    ) -> Eval<Option<Value>> {
        Ok(None)
    }

    /// Before an instance of an annotated class is called as its annotation says.
    fn before_annotated_call(
        &self,
        it: &mut Interpreter<'_>,
        class: Name,
        instance: ObjectId,
        arguments: &CallArguments,
    ) -> Eval<Option<Value>> {
        Ok(None)
    }

    /// Whether the program registered functions that run around calls of an instance.
    fn has_hooks(&self, it: &Interpreter<'_>, instance: ObjectId) -> bool {
        false
    }

    /// Calls an instance with what is registered around its calls.
    fn call_with_hooks(&self, it: &mut Interpreter<'_>, instance: ObjectId, arguments: CallArguments) -> Eval {
        it.call_plain_instance(instance, arguments)
    }

    /// A method of that name of an object that is not known gets these arguments.
    fn unknown_method_is_called(&self, it: &mut Interpreter<'_>, method: &str, arguments: &CallArguments) -> Eval<()> {
        Ok(())
    }

    /// A library function that is not known gets these arguments.
    fn escaped(&self, it: &mut Interpreter<'_>, arguments: &[Value]) {}

    // Annotated functions and classes.

    /// What makes an object of a class where its arguments are such that its annotation does not say it.
    fn maker(&self, it: &Interpreter<'_>, class: Name, arguments: &CallArguments) -> Option<FunctionHandler> {
        None
    }

    /// The arguments of an annotated function were bound to its parameters.
    fn arguments_are_bound(&self, it: &mut Interpreter<'_>, name: Name, bound: &mut Bound, span: Span) -> Eval<()> {
        Ok(())
    }

    /// The operands of an operation were made of its arguments.
    fn operands_are_made(&self, name: Name, spec: &ApiSpec, operands: &mut Operands) {}

    /// The result of an annotated function was made.
    fn result_is_made(&self, it: &mut Interpreter<'_>, name: Name, bound: &Bound, result: Value) -> Value {
        result
    }

    /// Before the constructor of an annotated class is checked.
    fn constructor_is_bound(
        &self,
        it: &mut Interpreter<'_>,
        spec: &ClassSpec,
        class: Name,
        bound: &Bound,
        arguments: &CallArguments,
    ) -> Eval<()> {
        Ok(())
    }

    /// An object of an annotated class is made.
    fn object_is_made(&self, it: &mut Interpreter<'_>, spec: &ClassSpec, bound: &Bound) {}

    /// An argument that calls of an object get besides those of its constructor.
    fn further_argument(
        &self,
        it: &Interpreter<'_>,
        instance: ObjectId,
        spec: &ClassSpec,
        data: &InstanceData,
    ) -> Option<(Name, Value)> {
        None
    }

    /// The arguments of an object's constructor, as calls of the object see them.
    fn arguments_of_object(&self, it: &Interpreter<'_>, instance: ObjectId, spec: &ClassSpec, arguments: &mut Bound) {}

    /// The dtype of an object's parameters, where their annotation does not say it.
    fn dtype_of_parameters(&self, it: &Interpreter<'_>, instance: ObjectId, data: &InstanceData) -> DType {
        DType::Unknown
    }

    // Objects that hold others.

    /// The parts of a container, in order.
    fn children(&self, it: &Interpreter<'_>, instance: ObjectId) -> Vec<(Name, Value)> {
        Vec::new()
    }

    /// What stands for parts of a container that are not known one by one.
    fn further_children(&self, it: &mut Interpreter<'_>, instance: ObjectId) -> Option<Value> {
        None
    }

    /// Methods that are not followed may have changed an instance.
    fn state_is_forgotten(&self, it: &mut Interpreter<'_>, instance: ObjectId, span: Span) {}

    // Entries.

    /// The object that holds what programs register with libraries; it is there before the program begins.
    fn new_registry(&self, heap: &mut Heap) -> ObjectId {
        heap.allocate(Payload::Plain)
    }

    /// An entry begins.
    fn entry_begins(&self, it: &mut Interpreter<'_>) {}

    /// An entry of that script ended, and what it left behind is kept.
    fn entry_ends(&self, it: &mut Interpreter<'_>, script: FileId) {}
}

/// No library has a model.
#[derive(Debug)]
pub struct NoModels;

impl LibraryModel for NoModels {}
