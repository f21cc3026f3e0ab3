//! Objects that are arrays where NumPy or PyTorch wants one: they say which by `__array__`, and what becomes of the result of a universal
//! function by `__array_wrap__` (NumPy's reference, "Interoperability with NumPy").

use harp_annotations::Entry;
use harp_interp::calls::call::CallArguments;
use harp_interp::state::interpreter::{Eval, Interpreter};
use harp_interp::values::value::Value;
use harp_python::name::{Name, name};

/// Functions of PyTorch that take what NumPy takes for an array.
const OF_TORCH: [&str; 3] = ["torch.as_tensor", "torch.asarray", "torch.tensor"];

#[easy_ext::ext(ArrayProtocolMethods)]
pub impl Interpreter<'_> {
    /// The result of a function for objects that wrap it; for others, their arrays are put in their places among the arguments.
    fn call_on_arrays(&mut self, name: Name, arguments: &mut CallArguments) -> Eval<Option<Value>> {
        let Some(wrapper) = self.with_arrays_of_objects(name, arguments)? else { return Ok(None) };
        let place = CallArguments::empty(arguments.span);
        let arguments = std::mem::replace(arguments, CallArguments::empty(arguments.span));
        let result = self.call_described(name, arguments)?;
        self.wrapped_array(&wrapper, result, place).map(Some)
    }

    /// Puts their arrays in the place of objects among the arguments of a function; gives the object that wraps the result, if one does.
    fn with_arrays_of_objects(&mut self, name: Name, arguments: &mut CallArguments) -> Eval<Option<Value>> {
        let mut wrapper = None;
        let is_asked = |value: &Value| matches!(value, Value::Instance(_) | Value::List(_) | Value::Tuple(_));
        if !arguments.positional.iter().any(is_asked)
            || !(name.as_str().starts_with("numpy.") || OF_TORCH.contains(&name.as_str()))
        {
            return Ok(None);
        }
        for place in 0..arguments.positional.len() {
            let argument = arguments.positional[place].clone();
            if let Some(array) = self.array_of_object(&argument, arguments)? {
                wrapper = wrapper.or(Some(argument));
                arguments.positional[place] = array;
            } else if let Some(items) = self.objects_of_sequence(&argument) {
                let mut arrays = Vec::with_capacity(items.len());
                for item in items {
                    arrays.push(self.array_of_object(&item, arguments)?.unwrap_or(item));
                }
                arguments.positional[place] = Value::List(self.heap.allocate_list(arrays));
            }
        }
        Ok(wrapper.filter(|_| self.is_universal(name)))
    }

    /// What a universal function gives for objects that wrap it.
    fn wrapped_array(&mut self, wrapper: &Value, result: Value, arguments: CallArguments) -> Eval {
        match self.class_attribute(wrapper, name!("__array_wrap__")) {
            Some(method @ Value::Function(_)) if matches!(result, Value::Tensor(_)) => {
                let bound = self.bind_method(wrapper, method);
                self.call(&bound, CallArguments { positional: vec![result], ..arguments })
            }
            _ => Ok(result),
        }
    }

    fn array_of_object(&mut self, object: &Value, arguments: &CallArguments) -> Eval<Option<Value>> {
        let Value::Instance(_) = object else { return Ok(None) };
        let Some(method @ Value::Function(_)) = self.class_attribute(object, name!("__array__")) else {
            return Ok(None);
        };
        let bound = self.bind_method(object, method);
        let array = self.call(&bound, CallArguments::empty(arguments.span))?;
        Ok(matches!(array, Value::Tensor(_)).then_some(array))
    }

    /// The items of a sequence that begins with an object.
    fn objects_of_sequence(&self, sequence: &Value) -> Option<Vec<Value>> {
        let items = match sequence {
            Value::Tuple(items) => items.to_vec(),
            Value::List(id) => self.heap.list(*id).filter(|list| list.rest.is_none())?.items.clone(),
            _ => return None,
        };
        matches!(items.first()?, Value::Instance(_)).then_some(items)
    }

    /// Whether a function is one of NumPy's that work element by element, all of which have these parameters. `numpy.array` has one of them.
    fn is_universal(&mut self, name: Name) -> bool {
        let Some(Entry::Api(spec)) = self.library_entry(name) else { return false };
        ["subok", "where"].into_iter().all(|own| spec.parameters.iter().any(|parameter| &*parameter.name == own))
    }
}
