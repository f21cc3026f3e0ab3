//! PyTorch's data sets: how long they are, and what a sample of them is. A data set of the program is asked through its
//! own `__getitem__` and `__len__`, one of a library through its annotation.

use crate::known_families::KnownFamilies;
use std::rc::Rc;

use harp_annotations::{DatasetLength, DatasetSpec, ImageSize, SampleItem};
use harp_corpus::Span;
use harp_interp::api::dispatch::argument_of;
use harp_interp::api::library_model::{FunctionHandler, MethodHandler};
use harp_interp::calls::call::CallArguments;
use harp_interp::heap::objects::{InstanceData, Payload};
use harp_interp::state::interpreter::{Eval, Interpreter};
use harp_interp::values::value::{Device, Iteration, Tensor, TensorKind, Value};
use harp_operations::channels_of;
use harp_python::name::{Name, name};
use harp_shape::{Constraint, DType, Dim, Shape, Var, VarInfo, Verdict};

const COMBINED: [&str; 5] = [
    "torch.utils.data.TensorDataset",
    "torch.utils.data.Subset",
    "torch.utils.data.ConcatDataset",
    "torch.utils.data.ChainDataset",
    "torch.utils.data.StackDataset",
];
/// Where a data set keeps its length, once it was asked for.
const LENGTH: &str = "#length";

pub fn function(name: &str) -> Option<FunctionHandler> {
    match name {
        "torch.utils.data.random_split" => Some(random_split),
        "torch.utils.data.TensorDataset" => Some(tensor_dataset),
        _ => None,
    }
}

pub fn method(name: &str) -> Option<MethodHandler> {
    let (class, method) = name.rsplit_once('.')?;
    if !COMBINED.contains(&class) && !class.starts_with("torchvision.datasets.") {
        return None;
    }
    member(method)
}

/// A method that every data set has of which an annotation tells the samples.
pub fn member(method: &str) -> Option<MethodHandler> {
    match method {
        "__getitem__" => Some(get_item),
        "__len__" => Some(length),
        _ => None,
    }
}

/// A number that is given from outside and that no requirement decides.
pub fn given(name: &str, lower: Option<i64>, upper: Option<i64>) -> Dim {
    Dim::var(Var::fresh(VarInfo::fixed(name).between(lower, upper)))
}

#[easy_ext::ext(DatasetMethods)]
pub impl<'p> Interpreter<'p> {
    /// `one + other` of data sets without an operator of their own: one after the other.
    fn joined_datasets(&mut self, left: &Value, right: &Value, span: Span) -> Eval<Option<Value>> {
        let is_plain = |this: &Self| {
            this.is_instance_of(left, "torch.utils.data.Dataset")
                && this.class_attribute(left, name!("__add__")).is_none()
                && !this.is_instance_of(left, "torch.utils.data.IterableDataset")
        };
        if !is_plain(self) {
            return Ok(None);
        }
        let both = Value::List(self.heap.allocate_list(vec![left.clone(), right.clone()]));
        let name = Name::new("torch.utils.data.ConcatDataset");
        self.call_library(name, CallArguments::positional(vec![both], span)).map(Some)
    }

    /// Whether a class with these bases is a data set of which samples are known.
    fn is_dataset(&self, bases: &[Name]) -> bool {
        bases.iter().any(|base| COMBINED.contains(&base.as_str())) || self.dataset_spec(bases).is_some()
    }

    /// A sample of a data set: what indexing it with any index gives.
    fn sample_of_dataset(&mut self, dataset: &Value, span: Span) -> Eval {
        self.for_each_alternative(dataset, |this, dataset| this.sample_of_one(&dataset, span))
    }

    fn sample_of_one(&mut self, dataset: &Value, span: Span) -> Eval {
        let index = self.index_of_sample(dataset, span)?;
        self.loops.drawing.index = index.as_dim().and_then(Dim::as_var);
        match dataset {
            Value::Instance(_) => {
                if let Some(method @ Value::Function(_)) = self.class_attribute(dataset, name!("__getitem__")) {
                    let bound = self.bind_method(dataset, method);
                    return self.call(&bound, CallArguments::positional(vec![index], span));
                }
                if let Some(Value::Function(_)) = self.class_attribute(dataset, name!("__iter__")) {
                    let iteration = self.iterate(dataset)?;
                    return Ok(self.any_item(iteration, span));
                }
                self.get_item(dataset, &index, span)
            }
            Value::List(_) | Value::Tuple(_) | Value::Iterator(_) | Value::Dict(_) => {
                let iteration = self.iterate(dataset)?;
                let (items, _, _) = self.sample(iteration);
                Ok(if items.is_empty() { self.symbolic("sample", span, true) } else { self.item_by_sample(&items) })
            }
            _ => self.get_item(dataset, &index, span),
        }
    }

    /// Any index of a sample: whoever draws samples keeps within the length, whatever that is.
    fn index_of_sample(&mut self, dataset: &Value, span: Span) -> Eval {
        let length = match dataset {
            Value::Instance(_) => self.length_of_dataset(dataset, span)?,
            _ => None,
        };
        Ok(Value::Int(match (length, length.and_then(Dim::as_const)) {
            (_, Some(length)) if length > 0 => given("index", Some(0), Some(length - 1)),
            (Some(length), None) => {
                let index = self.free_dim("index", 0);
                self.solver.assume(&Constraint::Less(index, length));
                index
            }
            _ => self.free_dim("index", 0),
        }))
    }

    /// What the items of an iteration have in common.
    fn any_item(&mut self, iteration: Iteration, span: Span) -> Value {
        let (items, _, _) = self.sample(iteration);
        if items.is_empty() { self.symbolic("sample", span, true) } else { self.one_of(&items) }
    }

    /// The number of samples, where it is known or the data set says it.
    fn length_of_dataset(&mut self, dataset: &Value, span: Span) -> Eval<Option<Dim>> {
        let dataset = self.read(dataset);
        let Value::Instance(id) = dataset else { return Ok(self.length_of(&dataset)) };
        if let Some(Value::Int(known)) = self.heap.attribute(id, Name::new(LENGTH)) {
            return Ok(Some(*known));
        }
        if let Some(method @ Value::Function(_)) = self.class_attribute(&dataset, name!("__len__")) {
            let bound = self.bind_method(&dataset, method);
            let length = self.call(&bound, CallArguments::empty(span))?;
            return Ok(self.read(&length).as_dim().map(|dim| self.solver.resolve(dim)));
        }
        self.library_length(&dataset, span)
    }

    /// Remembers the length of a data set, so that asking again gives the same number.
    fn keep_length(&mut self, dataset: &Value, length: Dim) {
        if let Value::Instance(id) = self.read(dataset) {
            let has_own =
                matches!(self.class_attribute(&Value::Instance(id), name!("__len__")), Some(Value::Function(_)));
            if !has_own {
                self.heap.set_attribute(id, Name::new(LENGTH), Value::Int(length));
            }
        }
    }

    fn library_length(&mut self, dataset: &Value, span: Span) -> Eval<Option<Dim>> {
        let Some(data) = self.instance_data(dataset) else { return Ok(None) };
        let bases = self.library_bases(&self.class_of(dataset), None);
        for base in &bases {
            match base.as_str() {
                "torch.utils.data.Subset" => {
                    let indices = argument_of(&data, "indices");
                    return Ok(self.length_of(&indices));
                }
                "torch.utils.data.TensorDataset" => {
                    let Value::Tuple(tensors) = argument_of(&data, "tensors") else { return Ok(None) };
                    return Ok(tensors.first().and_then(|first| self.length_of(first)));
                }
                "torch.utils.data.ConcatDataset" => {
                    let Iteration::Items(parts) = self.iterate(&argument_of(&data, "datasets"))? else {
                        return Ok(None);
                    };
                    let mut total = Dim::constant(0);
                    for part in &parts {
                        let Some(length) = self.length_of_dataset(part, span)? else { return Ok(None) };
                        total = total + length;
                    }
                    return Ok(Some(total));
                }
                _ => {}
            }
        }
        Ok(self.dataset_spec(&bases).and_then(|spec| self.described_length(spec, &data)))
    }

    fn described_length(&mut self, spec: &DatasetSpec, data: &InstanceData) -> Option<Dim> {
        match &spec.length {
            DatasetLength::Unknown => None,
            DatasetLength::Constant(length) => Some(Dim::constant(*length)),
            DatasetLength::Parameter(parameter) => argument_of(data, parameter).as_dim(),
            DatasetLength::By(cases) => cases.iter().find_map(|(parameter, literal, length)| {
                let given = self.read(&argument_of(data, parameter));
                self.literal_value(literal).same(&given).then(|| Dim::constant(*length))
            }),
        }
    }

    /// The pixels or labels that a data set of a library holds as a whole.
    fn dataset_attribute(&mut self, receiver: &Value, base: Name, name: Name, span: Span) -> Option<Value> {
        if base.as_str() == "torch.utils.data.ConcatDataset" && name.as_str() == "cumulative_sizes" {
            return self.cumulative_sizes(receiver, span);
        }
        let is_label = matches!(name.as_str(), "targets" | "labels" | "test_labels" | "train_labels");
        if !is_label && !matches!(name.as_str(), "data" | "train_data" | "test_data") {
            return None;
        }
        let spec = self.dataset_spec(&[base])?;
        let length = self.length_of_dataset(receiver, span).ok().flatten()?;
        let Some(SampleItem::Image { mode, size: ImageSize::Pixels { height, width } }) = spec.sample.first() else {
            return None;
        };
        let (height, width) = (Dim::constant(*height), Dim::constant(*width));
        // Each family of data sets stores its pixels in a layout of its own.
        let layout = base.as_str().rsplit('.').next().unwrap_or("");
        let (kind, pixels) = match layout {
            "MNIST" | "FashionMNIST" | "KMNIST" | "QMNIST" | "EMNIST" => {
                (self.torch_tensor(), vec![length, height, width])
            }
            "CIFAR10" | "CIFAR100" => (self.numpy_array(), vec![length, height, width, Dim::constant(3)]),
            "SVHN" | "STL10" => (self.numpy_array(), vec![length, channels(mode), height, width]),
            _ => return None,
        };
        if is_label {
            if kind == self.numpy_array() && layout.starts_with("CIFAR") {
                return None;
            }
            return Some(plain_tensor(Shape::known(vec![length]), DType::Int64, kind, span));
        }
        Some(plain_tensor(Shape::known(pixels), DType::UInt8, kind, span))
    }

    /// How many samples joined data sets have up to the end of each.
    fn cumulative_sizes(&mut self, joined: &Value, span: Span) -> Option<Value> {
        let data = self.instance_data(joined)?;
        let Iteration::Items(parts) = self.iterate(&argument_of(&data, "datasets")).ok()? else { return None };
        let mut total = Dim::constant(0);
        let mut sums = Vec::with_capacity(parts.len());
        for part in &parts {
            total = total + self.length_of_dataset(part, span).ok()??;
            sums.push(Value::Int(total));
        }
        Some(Value::List(self.heap.allocate_list(sums)))
    }

    /// The annotation of the nearest base that is a data set.
    fn dataset_spec(&self, bases: &[Name]) -> Option<&'p DatasetSpec> {
        let library: &'p harp_annotations::Library = self.library;
        bases.iter().find_map(|base| library.class(base.as_str())?.dataset.as_ref())
    }

    /// A sample of a data set of a library, with the transforms applied.
    fn described_sample(&mut self, dataset: &Value, span: Span) -> Eval<Option<Value>> {
        let (Value::Instance(id), Some(data)) = (dataset, self.instance_data(dataset)) else { return Ok(None) };
        let bases = self.library_bases(&self.class_of(dataset), None);
        let library: &'p harp_annotations::Library = self.library;
        let spec = bases.iter().find_map(|base| Some((*base, library.class(base.as_str())?.dataset.as_ref()?)));
        let Some((base, spec)) = spec else { return Ok(None) };
        let mut items = Vec::with_capacity(spec.sample.len());
        for item in &spec.sample {
            items.push(match item {
                SampleItem::Image { mode, size } => self.described_image(mode, size, &data, span),
                SampleItem::Value(value) => self.attribute_value(value, &data, base, span),
            });
        }
        for (position, name) in ["transform", "target_transform"].into_iter().enumerate() {
            let transform = self.heap.attribute(*id, Name::new(name)).cloned();
            let transform = transform.unwrap_or_else(|| argument_of(&data, name));
            let transform = self.read(&transform);
            if let (Some(item), false) = (items.get_mut(position), matches!(transform, Value::None | Value::Unknown(_)))
            {
                *item = self.call(&transform, CallArguments::positional(vec![item.clone()], span))?;
            }
        }
        let joint = self.heap.attribute(*id, name!("transforms")).cloned();
        let joint = self.read(&joint.unwrap_or_else(|| argument_of(&data, "transforms")));
        if !matches!(joint, Value::None | Value::Unknown(_)) {
            return self.call(&joint, CallArguments::positional(items, span)).map(Some);
        }
        Ok(Some(match items.len() {
            1 => items.swap_remove(0),
            _ => Value::tuple(items),
        }))
    }

    fn described_image(&mut self, mode: &str, size: &ImageSize, data: &InstanceData, span: Span) -> Value {
        let dims = match size {
            ImageSize::Pixels { height, width } => {
                Some([channels(mode), Dim::constant(*height), Dim::constant(*width)].to_vec())
            }
            ImageSize::Parameter(parameter) => self.dims_of(&argument_of(data, parameter)),
            ImageSize::Unknown => None,
        };
        let dims = dims
            .filter(|dims| dims.len() == 3)
            .unwrap_or_else(|| vec![channels(mode), self.free_dim("height", 1), self.free_dim("width", 1)]);
        plain_tensor(Shape::known(dims), DType::UInt8, self.picture(), span)
    }
}

/// The number of channels of a mode of Pillow.
fn channels(mode: &str) -> Dim {
    channels_of(mode).map_or_else(|| given("channels", Some(1), Some(4)), Dim::constant)
}

/// A tensor that no recorded operation made.
pub fn plain_tensor(shape: Shape, dtype: DType, kind: TensorKind, origin: Span) -> Value {
    let made = Tensor::without_operation(shape, dtype, kind, origin);
    Value::Tensor(Rc::new(Tensor { device: Device::Cpu, ..made }))
}

fn length(interpreter: &mut Interpreter<'_>, dataset: &Value, arguments: CallArguments) -> Eval {
    let length = match interpreter.library_length(dataset, arguments.span)? {
        Some(length) => length,
        None => match interpreter.length_of_dataset(dataset, arguments.span)? {
            Some(length) => length,
            None => {
                let length = given("len(dataset)", None, None);
                interpreter.keep_length(dataset, length);
                length
            }
        },
    };
    Ok(Value::Int(length))
}

/// `dataset[index]` of a library's data set.
fn get_item(interpreter: &mut Interpreter<'_>, dataset: &Value, arguments: CallArguments) -> Eval {
    let span = arguments.span;
    let index = arguments.positional.first().cloned().unwrap_or(Value::Unknown("index"));
    let Some(data) = interpreter.instance_data(dataset) else { return Ok(Value::Unknown("sample")) };
    let bases = interpreter.library_bases(&interpreter.class_of(dataset), None);
    for base in bases {
        match base.as_str() {
            "torch.utils.data.TensorDataset" | "torch.utils.data.StackDataset" => {
                let parts = match base.as_str() {
                    "torch.utils.data.TensorDataset" => argument_of(&data, "tensors"),
                    _ => argument_of(&data, "args"),
                };
                let Value::Tuple(parts) = parts else { return Ok(interpreter.symbolic("sample", span, true)) };
                let mut row = Vec::with_capacity(parts.len());
                for part in parts.iter() {
                    row.push(match part {
                        Value::Instance(_) => interpreter.sample_of_dataset(part, span)?,
                        part => interpreter.get_item(part, &index, span)?,
                    });
                }
                return Ok(Value::tuple(row));
            }
            "torch.utils.data.Subset" => {
                return interpreter.sample_of_dataset(&argument_of(&data, "dataset"), span);
            }
            "torch.utils.data.ConcatDataset" | "torch.utils.data.ChainDataset" => {
                let iteration = interpreter.iterate(&argument_of(&data, "datasets"))?;
                let (parts, _, _) = interpreter.sample(iteration);
                let mut samples = Vec::with_capacity(parts.len());
                for part in &parts {
                    samples.push(interpreter.sample_of_dataset(part, span)?);
                }
                return Ok(interpreter.one_of(&samples));
            }
            _ => {}
        }
    }
    match interpreter.described_sample(dataset, span)? {
        Some(sample) => Ok(sample),
        None => Ok(interpreter.symbolic("sample", span, true)),
    }
}

/// `TensorDataset(*tensors)`: a row of each tensor for each sample.
fn tensor_dataset(interpreter: &mut Interpreter<'_>, name: Name, arguments: CallArguments) -> Eval {
    let lengths: Vec<Dim> = arguments.positional.iter().filter_map(|tensor| interpreter.length_of(tensor)).collect();
    let first = lengths.first().copied();
    let other = first.and_then(|first| {
        let differs =
            |length: &&Dim| interpreter.solver.judge(&Constraint::Equal(first, **length)) == Verdict::Violated;
        lengths.iter().find(differs).map(|other| (first, *other))
    });
    if let Some((first, other)) = other.filter(|_| !arguments.is_open && lengths.len() == arguments.positional.len()) {
        let message =
            format!("the tensors of a data set must have equally many rows, but one has {first} and another {other}");
        interpreter.sequence_fails(name.as_str(), message, arguments.span);
    }
    interpreter.call_described(name, arguments)
}

/// `random_split(dataset, lengths)`: parts whose lengths are given as numbers or as fractions.
fn random_split(interpreter: &mut Interpreter<'_>, _: Name, arguments: CallArguments) -> Eval {
    let span = arguments.span;
    let dataset = arguments.get(0, "dataset").cloned().unwrap_or(Value::Unknown("dataset"));
    let lengths = arguments.get(1, "lengths").cloned().unwrap_or(Value::Unknown("lengths"));
    let Iteration::Items(lengths) = interpreter.iterate(&lengths)? else {
        interpreter.not_understood("random_split into a number of parts that is not known", span);
        return Ok(interpreter.symbolic("parts of a data set", span, true));
    };
    let total = interpreter.length_of_dataset(&dataset, span)?;
    let sizes = part_sizes(&lengths, total);
    let all = sizes.iter().fold(Dim::constant(0), |sum, size| sum + *size);
    if let Some(total) = total
        && lengths.iter().all(|length| matches!(length, Value::Int(_)))
        && interpreter.solver.judge(&Constraint::Equal(all, total)) == Verdict::Violated
    {
        let message = format!("the parts have {all} samples together, but the data set has {total}");
        interpreter.sequence_fails("torch.utils.data.random_split", message, span);
    }
    let mut parts = Vec::with_capacity(sizes.len());
    for size in sizes {
        let bounds = [Dim::constant(0), size, Dim::constant(1)];
        let data = InstanceData {
            class: Value::library("torch.utils.data.Subset"),
            arguments: vec![(name!("dataset"), dataset.clone()), (name!("indices"), Value::Range(Rc::new(bounds)))],
            origin: span,
        };
        parts.push(Value::Instance(interpreter.heap.allocate(Payload::Instance(Rc::new(data)))));
    }
    Ok(Value::List(interpreter.heap.allocate_list(parts)))
}

/// The lengths of the parts. Fractions are rounded down, and what is left goes to the first parts, one each.
fn part_sizes(lengths: &[Value], total: Option<Dim>) -> Vec<Dim> {
    let fractions: Option<Vec<f64>> =
        lengths.iter().map(|length| if let Value::Float(fraction) = length { *fraction } else { None }).collect();
    let total = total.and_then(Dim::as_const);
    if let (Some(fractions), Some(total)) = (fractions, total) {
        let mut sizes: Vec<i64> = fractions.iter().map(|fraction| (total as f64 * fraction).floor() as i64).collect();
        let left = total - sizes.iter().sum::<i64>();
        for size in sizes.iter_mut().take(usize::try_from(left).unwrap_or(0)) {
            *size += 1;
        }
        return sizes.into_iter().map(Dim::constant).collect();
    }
    lengths.iter().map(|length| length.as_dim().unwrap_or_else(|| given("len(part)", None, None))).collect()
}
