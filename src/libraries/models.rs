//! The models of libraries, put together: the evaluator asks here, and each question goes to the folder of its library.

use crate::methods::*;
use std::rc::Rc;

use harp_annotations::{ApiSpec, ClassSpec};
use harp_corpus::{FileId, Span};
use harp_operations::operation::Arguments as Operands;
use harp_python::ir::{BinaryOperator, Expr};
use harp_python::name::{Name, name};
use harp_shape::DType;

use crate::command_line::{absl_flags, argparse, click};
use crate::numpy::{array_likes, index_grids, lists_as_array_items};
use crate::stdlib::{collections, mock_patch, os_environ};
use crate::torch::data::dataset;
use crate::torch::in_place_reshape::RESIZE;
use crate::torch::nn::hooks;
use crate::torch::tensors_from_lists;
use crate::torchvision::transforms_v2;
use harp_interp::api::call_api::Bound;
use harp_interp::api::library_model::{
    ConstructorHandler, FunctionHandler, IterationHandler, LibraryModel, MethodHandler,
};
use harp_interp::calls::call::CallArguments;
use harp_interp::heap::objects::{Heap, InstanceData, ListData};
use harp_interp::state::interpreter::{Eval, Interpreter};
use harp_interp::values::value::{Closure, Iteration, ObjectId, Value};

/// The folder of a library, and its handlers by qualified name.
pub type Claim<Handler> = (&'static str, fn(&str) -> Option<Handler>);

/// Who is asked for it, in this order.
pub const FUNCTIONS: [Claim<FunctionHandler>; 54] = [
    ("torch::python_checks", crate::torch::python_checks::function),
    ("numpy::numbers", crate::numpy::numbers::function),
    ("settings::open_files", crate::settings::open_files::function),
    ("settings::yaml_dump", crate::settings::yaml_dump::function),
    ("command_line::absl_flags", crate::command_line::absl_flags::function),
    ("lightning", crate::lightning::function),
    ("settings::hydra", crate::settings::hydra::function),
    ("settings::omegaconf", crate::settings::omegaconf::function),
    ("command_line::click", crate::command_line::click::function),
    ("command_line::signature_options", crate::command_line::signature_options::function),
    ("stdlib::mock_patch", crate::stdlib::mock_patch::function),
    ("stdlib::paths", crate::stdlib::paths::function),
    ("stdlib::importlib_util", crate::stdlib::importlib_util::function),
    ("stdlib::json_dumps", crate::stdlib::json_dumps::function),
    ("stdlib::file_like_objects", crate::stdlib::file_like_objects::function),
    ("stdlib::os_environ", crate::stdlib::os_environ::function),
    ("stdlib::inspect", crate::stdlib::inspect::function),
    ("torch::nn::weight_norm", crate::torch::nn::weight_norm::function),
    ("stdlib::re", crate::stdlib::re::function),
    ("stdlib::collections", crate::stdlib::collections::function),
    ("stdlib::heapq", crate::stdlib::heapq::function),
    ("stdlib::pkgutil", crate::stdlib::pkgutil::function),
    ("torch::nn::module", crate::torch::nn::module::function),
    ("command_line::argparse", crate::command_line::argparse::function),
    ("torch::data::loader", crate::torch::data::loader::function),
    ("numpy::loaded_arrays", crate::numpy::loaded_arrays::function),
    ("numpy::array_files", crate::numpy::array_files::function),
    ("numpy::scalars", crate::numpy::scalars::function),
    ("pandas::primitives", crate::pandas::primitives::function),
    ("library_primitives", crate::library_primitives::function),
    ("suppositions", crate::suppositions::function),
    ("trees", crate::trees::function),
    ("torch::tensors_from_lists", crate::torch::tensors_from_lists::function),
    ("torch::nn::functions_with_object_results", crate::torch::nn::functions_with_object_results::function),
    ("torch::nn::packed_sequences", crate::torch::nn::packed_sequences::function),
    ("torch::nn::parametrizations", crate::torch::nn::parametrizations::function),
    ("torchvision::transforms", crate::torchvision::transforms::function),
    ("torchvision::models", crate::torchvision::models::function),
    ("torch::data::dataset", crate::torch::data::dataset::function),
    ("torchvision::residual_blocks", crate::torchvision::residual_blocks::function),
    ("stdlib::multiprocessing", crate::stdlib::multiprocessing::function),
    ("stdlib::futures", crate::stdlib::futures::function),
    ("torch::distributed_rpc", crate::torch::distributed_rpc::function),
    ("torch::nn::wrappers", crate::torch::nn::wrappers::function),
    ("torch::torch_classes", crate::torch::torch_classes::function),
    ("torch::fx::graph", crate::torch::fx::graph::function),
    ("gymnasium", crate::gymnasium::function),
    ("stdlib::random", crate::stdlib::random::function),
    ("stdlib::operator", crate::stdlib::operator::function),
    ("torch::autograd_function", crate::torch::autograd_function::function),
    ("torch::func", crate::torch::func::function),
    ("stdlib::saved_objects", crate::stdlib::saved_objects::function),
    ("hugging_face", crate::hugging_face::function),
    ("stdlib::package_versions", crate::stdlib::package_versions::function),
];

/// Who is asked for it, in this order.
pub const METHODS: [Claim<MethodHandler>; 31] = [
    ("torch::python_checks", crate::torch::python_checks::method),
    ("command_line::absl_flags", crate::command_line::absl_flags::method),
    ("lightning", crate::lightning::method),
    ("settings::hydra", crate::settings::hydra::method),
    ("command_line::click", crate::command_line::click::method),
    ("command_line::signature_options", crate::command_line::signature_options::method),
    ("settings::open_files", crate::settings::open_files::method),
    ("stdlib::paths", crate::stdlib::paths::method),
    ("stdlib::pkgutil", crate::stdlib::pkgutil::method),
    ("stdlib::collections", crate::stdlib::collections::method),
    ("stdlib::re", crate::stdlib::re::method),
    ("torch::autograd_function", crate::torch::autograd_function::method),
    ("torch::nn::module", crate::torch::nn::module::method),
    ("command_line::argparse", crate::command_line::argparse::method),
    ("torch::data::loader", crate::torch::data::loader::method),
    ("numpy::array_files", crate::numpy::array_files::method),
    ("numpy::loaded_arrays", crate::numpy::loaded_arrays::method),
    ("torch::data::dataset", crate::torch::data::dataset::method),
    ("torch::nn::packed_sequences", crate::torch::nn::packed_sequences::method),
    ("torch::nn::transformer_stacks", crate::torch::nn::transformer_stacks::method),
    ("stdlib::multiprocessing", crate::stdlib::multiprocessing::method),
    ("stdlib::futures", crate::stdlib::futures::method),
    ("torch::distributed_rpc", crate::torch::distributed_rpc::method),
    ("torch::torch_classes", crate::torch::torch_classes::method),
    ("gymnasium", crate::gymnasium::method),
    ("stdlib::importlib_util", crate::stdlib::importlib_util::method),
    ("settings::omegaconf", crate::settings::omegaconf::method),
    ("torch::nn::hooks", crate::torch::nn::hooks::method),
    ("torchtext::tokens", crate::torchtext::tokens::method),
    ("torch::optimizer_state", crate::torch::optimizer_state::method),
    ("torch::tensors_from_lists", crate::torch::tensors_from_lists::method),
];

/// Who is asked for it, in this order.
pub const INSTANCE_CALLS: [Claim<MethodHandler>; 16] = [
    ("torch::nn::module", crate::torch::nn::module::instance_call),
    ("torch::nn::transformer_stacks", crate::torch::nn::transformer_stacks::instance_call),
    ("torchvision::transforms", crate::torchvision::transforms::instance_call),
    ("torchvision::models", crate::torchvision::models::instance_call),
    ("torchvision::residual_blocks", crate::torchvision::residual_blocks::instance_call),
    ("torch::nn::packed_sequences", crate::torch::nn::packed_sequences::instance_call),
    ("torch::nn::lazy_layers", crate::torch::nn::lazy_layers::instance_call),
    ("torch::func", crate::torch::func::instance_call),
    ("torch::distributed_rpc", crate::torch::distributed_rpc::instance_call),
    ("torch::nn::wrappers", crate::torch::nn::wrappers::instance_call),
    ("torch::torch_classes", crate::torch::torch_classes::instance_call),
    ("command_line::absl_flags", crate::command_line::absl_flags::instance_call),
    ("settings::hydra", crate::settings::hydra::instance_call),
    ("command_line::click", crate::command_line::click::instance_call),
    ("command_line::signature_options", crate::command_line::signature_options::instance_call),
    ("torchtext::tokens", crate::torchtext::tokens::instance_call),
];

/// All models.
pub static ALL: &dyn LibraryModel = &Libraries;

/// PyTorch, NumPy, torchvision, Python's own library, command lines, settings, and the smaller ones.
#[derive(Debug)]
pub struct Libraries;

impl LibraryModel for Libraries {
    fn is_of_kind_of_types(&self, dtype: DType, class: &str) -> Option<bool> {
        crate::numpy::numbers::is_of_kind(dtype, class)
    }

    fn function(&self, name: &str) -> Option<FunctionHandler> {
        FUNCTIONS.iter().find_map(|(_, of)| of(name))
    }

    fn method(&self, name: &str) -> Option<MethodHandler> {
        METHODS.iter().find_map(|(_, of)| of(name))
    }

    fn method_of_data_sets(&self, method: &str) -> Option<MethodHandler> {
        dataset::member(method)
    }

    fn constructor(&self, class: &str) -> Option<ConstructorHandler> {
        crate::torch::nn::module::constructor(class).or_else(|| crate::command_line::argparse::constructor(class))
    }

    fn instance_call(&self, class: &str) -> Option<MethodHandler> {
        if class == "functools.partial" {
            return Some(collections::call_partial);
        }
        INSTANCE_CALLS.iter().find_map(|(_, of)| of(class))
    }

    fn iteration(&self, class: &str) -> Option<IterationHandler> {
        crate::torch::nn::module::iteration(class).or_else(|| crate::torch::data::loader::iteration(class))
    }

    fn constant(&self, name: &str) -> Option<Value> {
        match name {
            "math.pi" => Some(Value::Float(Some(std::f64::consts::PI))),
            "math.e" => Some(Value::Float(Some(std::f64::consts::E))),
            "math.inf" | "numpy.inf" | "torch.inf" => Some(Value::Float(Some(f64::INFINITY))),
            "omegaconf.MISSING" => Some(Value::str("???")),
            "typing.TYPE_CHECKING" => Some(Value::Bool(false)),
            "sys.maxsize" => Some(Value::int(i64::MAX)),
            "logging.NOTSET" => Some(Value::int(0)),
            "logging.DEBUG" => Some(Value::int(10)),
            "logging.INFO" => Some(Value::int(20)),
            "logging.WARNING" | "logging.WARN" => Some(Value::int(30)),
            "logging.ERROR" => Some(Value::int(40)),
            "logging.CRITICAL" | "logging.FATAL" => Some(Value::int(50)),
            _ => crate::torchvision::residual_blocks::constant(name).or_else(|| crate::stdlib::re::constant(name)),
        }
    }

    fn is_decorator(&self, name: &str) -> bool {
        click::is_decorator(name) || crate::torch::func::is_decorator(name)
    }

    fn loads_objects(&self, text: &str) -> bool {
        crate::stdlib::saved_objects::LOADS.iter().any(|call| text.contains(call))
    }

    fn saves_objects(&self, text: &str) -> bool {
        crate::stdlib::saved_objects::SAVES.iter().any(|call| text.contains(call))
    }

    fn most_axes(&self, function: &str) -> Option<usize> {
        crate::numpy::loaded_arrays::most_axes(function)
    }

    fn is_pending(&self, it: &Interpreter<'_>, value: &Value) -> Option<bool> {
        let value = it.read(value);
        it.is_instance_of(&value, crate::stdlib::futures::FUTURE)
            .then(|| crate::stdlib::futures::is_pending(it, &value))
    }

    fn value_of_name(&self, it: &mut Interpreter<'_>, name: Name) -> Option<Value> {
        match name.as_str() {
            "torch.__version__" | "torch.version.__version__" => Some(it.version_of_torch()),
            "sys.argv" => Some(os_environ::argument_vector(it)),
            absl_flags::FLAGS => Some(Value::Instance(it.settings.registry)),
            _ => None,
        }
    }

    fn attribute(
        &self,
        it: &mut Interpreter<'_>,
        receiver: &Value,
        class: Name,
        member: Name,
        span: Span,
    ) -> Option<Value> {
        it.dataset_attribute(receiver, class, member, span)
            .or_else(|| it.proxy_attribute(receiver, class, member, span))
            .or_else(|| it.traced_attribute(receiver, class, member, span))
            .or_else(|| it.layers_of_stack(receiver, class, member, span))
            .or_else(|| it.space_of(receiver, class, member, span))
            .or_else(|| it.part_of_optimizer(receiver, class, member))
            .or_else(|| it.recurrent_weight(receiver, class, member, span))
    }

    fn own_attribute(&self, it: &mut Interpreter<'_>, instance: ObjectId, name: Name) -> Option<Value> {
        match name.as_str() {
            "_parameters" | "_buffers" => it.parts_of_module(instance, name),
            "_modules" => it.modules_as_dict(instance),
            _ => None,
        }
    }

    fn attribute_of_module(&self, it: &mut Interpreter<'_>, module: ObjectId, name: Name) -> Option<Value> {
        if name.as_str() == "__path__" { it.path_of_package(module) } else { None }
    }

    fn attribute_of_unknown(
        &self,
        it: &mut Interpreter<'_>,
        object: ObjectId,
        name: Name,
        span: Span,
    ) -> Option<Value> {
        it.attribute_of_path(object, name, span).or_else(|| {
            let fixture = &it.heap.symbolic(object)?.description;
            mock_patch::member_of_fixture(fixture, name.as_str())
        })
    }

    fn set_attribute_of_module(&self, it: &mut Interpreter<'_>, module: Name, name: Name, value: &Value) -> bool {
        let is_words = module.as_str() == "sys" && name.as_str() == "argv";
        if is_words {
            os_environ::set_argument_vector(it, value.clone());
        }
        is_words
    }

    fn attribute_is_set(
        &self,
        it: &mut Interpreter<'_>,
        (target, holder): (&Expr, &Value),
        name: Name,
        value: &Value,
        span: Span,
    ) -> Eval<()> {
        match name.as_str() {
            "data" => it.variable_is_reshaped(target, holder, value),
            "shape" => it.form_is_set(target, holder, (name!("numpy.ndarray.reshape"), value), span),
            "dtype" => it.form_is_set(target, holder, (name!("numpy.ndarray.view"), value), span),
            _ => Ok(()),
        }
    }

    fn item_of_name(&self, it: &mut Interpreter<'_>, name: Name, index: &Value, span: Span) -> Option<Eval> {
        match name.as_str() {
            os_environ::VARIABLES => Some(it.variable_item(index, span)),
            grid => index_grids::item(it, grid, index, span).map(Ok),
        }
    }

    fn set_item_of_name(&self, it: &mut Interpreter<'_>, name: Name, index: &Value, value: &Value) -> bool {
        let is_variable = name.as_str() == os_environ::VARIABLES;
        if is_variable {
            it.store_variable(index, value.clone());
        }
        is_variable
    }

    fn delete_item_of_name(&self, it: &mut Interpreter<'_>, name: Name, index: &Value) -> bool {
        let is_variable = name.as_str() == os_environ::VARIABLES;
        if is_variable {
            let index = it.read(index);
            it.forget_variable(&index);
        }
        is_variable
    }

    fn set_item(&self, it: &mut Interpreter<'_>, instance: ObjectId, index: &Value, value: Value, span: Span) {
        it.set_item_of_instance(instance, index, value, span);
    }

    fn delete_item(&self, it: &mut Interpreter<'_>, instance: ObjectId, index: &Value, span: Span) -> Eval<()> {
        it.delete_item_of_instance(instance, index, span)
    }

    fn entry_is_set(&self, it: &mut Interpreter<'_>, dict: ObjectId, key: &Value, span: Span) {
        it.configuration_changed(dict, key, span);
    }

    fn contains(&self, it: &mut Interpreter<'_>, container: &Value, item: &Value) -> Option<Value> {
        it.variable_test(container, item)
    }

    fn is_list_of_user(&self, it: &Interpreter<'_>, list: &Rc<ListData>) -> bool {
        os_environ::lacks_words(it, list)
    }

    fn iterate_unknown(&self, it: &mut Interpreter<'_>, object: ObjectId) -> Option<Iteration> {
        it.lines_of_file(object)
    }

    fn iterate_instance(
        &self,
        it: &mut Interpreter<'_>,
        instance: &Value,
        bases: &[Name],
        span: Span,
    ) -> Eval<Option<Iteration>> {
        if !it.is_dataset(bases) {
            return Ok(None);
        }
        let element = it.sample_of_dataset(instance, span)?;
        let count = it.length_of_dataset(instance, span)?;
        Ok(Some(Iteration::Repeated { element, count, residual: None }))
    }

    fn unpack(&self, it: &mut Interpreter<'_>, value: &Value, width: usize) -> Eval<Option<Vec<Value>>> {
        it.items_of_proxy(value, width)
    }

    fn before_operator(
        &self,
        it: &mut Interpreter<'_>,
        operator: BinaryOperator,
        [left, right]: [&Value; 2],
        span: Span,
    ) -> Eval<Option<Value>> {
        it.operator_by_protocol(operator, left, right, span)
    }

    fn operator(
        &self,
        it: &mut Interpreter<'_>,
        operator: BinaryOperator,
        [left, right]: [&Value; 2],
        span: Span,
    ) -> Eval<Option<Value>> {
        match (operator, left) {
            // `path / "name"`
            (BinaryOperator::Divide, Value::Symbolic(_)) => it.joined_path(left, right, span).transpose(),
            (BinaryOperator::Add | BinaryOperator::Multiply, Value::Instance(_)) => {
                match it.joined_modules(operator, left, right, span)? {
                    None if operator == BinaryOperator::Add => it.joined_datasets(left, right, span),
                    joined => Ok(joined),
                }
            }
            _ => Ok(None),
        }
    }

    fn is_instance(&self, it: &Interpreter<'_>, instance: ObjectId, class: &str) -> bool {
        it.has_mixed_in(instance, class)
    }

    fn stands_for(&self, it: &Interpreter<'_>, class: &Value, name: &str) -> bool {
        it.stands_for(class, name)
    }

    fn is_absent(&self, it: &mut Interpreter<'_>, value: &Value) -> bool {
        it.is_unset_variable(value)
    }

    fn presumed(&self, it: &mut Interpreter<'_>, test: &Expr) -> Option<bool> {
        it.asked_for_variable(test)
    }

    fn supply(&self, it: &mut Interpreter<'_>, test: &Expr) -> Eval<bool> {
        argparse::give_demanded(it, test)
    }

    fn before_call(&self, it: &mut Interpreter<'_>, callee: &Value, arguments: &CallArguments) -> Eval<Option<Value>> {
        it.call_by_protocol(callee, arguments)
    }

    fn after_call(&self, it: &mut Interpreter<'_>, function: &Expr, callee: &Value, result: Value) -> Eval {
        it.receiver_is_reshaped(function, callee, &result)?;
        let is_resize = matches!(callee, Value::LibraryMethod(method) if method.api.as_str() == RESIZE);
        Ok(if is_resize { Value::None } else { result })
    }

    fn before_function(&self, it: &Interpreter<'_>, closure: &Rc<Closure>, arguments: &CallArguments) -> Option<Value> {
        it.known_of_package(closure, arguments)
    }

    fn function_runs(&self, it: &mut Interpreter<'_>, closure: &Rc<Closure>, arguments: &CallArguments) {
        it.note_entered(closure, arguments);
    }

    fn before_library_call(
        &self,
        it: &mut Interpreter<'_>,
        name: Name,
        arguments: &mut CallArguments,
    ) -> Eval<Option<Value>> {
        it.call_on_arrays(name, arguments)
    }

    fn before_instance_call(
        &self,
        it: &mut Interpreter<'_>,
        instance: ObjectId,
        arguments: &CallArguments,
    ) -> Eval<Option<Value>> {
        it.call_traced_module(instance, arguments)
    }

    fn before_plain_call(
        &self,
        it: &mut Interpreter<'_>,
        instance: ObjectId,
        arguments: &CallArguments,
    ) -> Eval<Option<Value>> {
        it.layer_on_proxies(instance, arguments)
    }

    fn before_annotated_call(
        &self,
        it: &mut Interpreter<'_>,
        class: Name,
        instance: ObjectId,
        arguments: &CallArguments,
    ) -> Eval<Option<Value>> {
        if !class.as_str().starts_with("torchvision.transforms.") || !transforms_v2::is_sample(it, arguments) {
            return Ok(None);
        }
        it.transform_sample(&[Value::Instance(instance)], arguments.clone()).map(Some)
    }

    fn has_hooks(&self, it: &Interpreter<'_>, instance: ObjectId) -> bool {
        it.has_hooks(instance)
    }

    fn call_with_hooks(&self, it: &mut Interpreter<'_>, instance: ObjectId, arguments: CallArguments) -> Eval {
        it.call_with_hooks(instance, arguments, |it, arguments| it.call_plain_instance(instance, arguments))
    }

    fn unknown_method_is_called(&self, it: &mut Interpreter<'_>, method: &str, arguments: &CallArguments) -> Eval<()> {
        if hooks::registers(method) { it.run_hook_some_time(method, arguments) } else { Ok(()) }
    }

    fn escaped(&self, it: &mut Interpreter<'_>, arguments: &[Value]) {
        it.streams_may_change(arguments);
    }

    fn maker(&self, it: &Interpreter<'_>, class: Name, arguments: &CallArguments) -> Option<FunctionHandler> {
        tensors_from_lists::tensor_constructor(it, class, arguments)
    }

    fn arguments_are_bound(&self, it: &mut Interpreter<'_>, name: Name, bound: &mut Bound, span: Span) -> Eval<()> {
        // A picture is an array of rows there.
        for (_, value) in bound.iter_mut() {
            if matches!(it.read(value), Value::Tensor(tensor) if tensor.kind.rules().is_picture) {
                *value = crate::torchvision::transforms::laid_out(it, value, true);
            }
        }
        it.make_arrays(name, bound, span)
    }

    fn operands_are_made(&self, name: Name, spec: &ApiSpec, operands: &mut Operands) {
        lists_as_array_items::with_arrays(name, |name| spec.argument_name(name).to_owned(), operands);
    }

    fn result_is_made(&self, it: &mut Interpreter<'_>, name: Name, bound: &Bound, result: Value) -> Value {
        if array_likes::makes_array(name.as_str())
            && let (Some((_, given)), Value::Tensor(array)) = (bound.first(), &result)
        {
            it.forget_items_handed_out(given, array.origin);
        }
        it.reshape_given(name, bound, result)
    }

    fn constructor_is_bound(
        &self,
        it: &mut Interpreter<'_>,
        spec: &ClassSpec,
        class: Name,
        bound: &Bound,
        arguments: &CallArguments,
    ) -> Eval<()> {
        it.check_sizes_of_weights(spec, class, bound, arguments)
    }

    fn object_is_made(&self, it: &mut Interpreter<'_>, spec: &ClassSpec, bound: &Bound) {
        it.learn_of_weights(spec, bound);
    }

    fn further_argument(
        &self,
        it: &Interpreter<'_>,
        instance: ObjectId,
        spec: &ClassSpec,
        data: &InstanceData,
    ) -> Option<(Name, Value)> {
        it.weight_type_argument(instance, spec, data)
    }

    fn arguments_of_object(&self, it: &Interpreter<'_>, instance: ObjectId, spec: &ClassSpec, arguments: &mut Bound) {
        it.follow_replaced_weights(instance, spec, arguments);
    }

    fn dtype_of_parameters(&self, it: &Interpreter<'_>, instance: ObjectId, data: &InstanceData) -> DType {
        it.weight_type(instance, data)
    }

    fn children(&self, it: &Interpreter<'_>, instance: ObjectId) -> Vec<(Name, Value)> {
        it.children(instance)
    }

    fn further_children(&self, it: &mut Interpreter<'_>, instance: ObjectId) -> Option<Value> {
        it.rest_of_modules(instance)
    }

    fn state_is_forgotten(&self, it: &mut Interpreter<'_>, instance: ObjectId, span: Span) {
        it.open_empty_container(instance, span);
    }

    fn new_registry(&self, heap: &mut Heap) -> ObjectId {
        absl_flags::new_registry(heap)
    }

    fn entry_begins(&self, it: &mut Interpreter<'_>) {
        os_environ::forget_argument_vector(it);
    }

    fn entry_ends(&self, it: &mut Interpreter<'_>, script: FileId) {
        it.keep_saved_files(script);
    }
}
