//! Models of `torchvision.models` whose parts programs replace and reuse, built of the layers of `torch.nn` that they have, and models that are seen
//! as a whole. Most families are written in Python (`api_annotations/torchvision/python/torchvision.models._families.py`).

use std::rc::Rc;

use crate::torch::nn::module::REST;
use harp_annotations::ResultType;
use harp_corpus::Span;
use harp_interp::api::call_api::Callee;
use harp_interp::api::dispatch::argument_of;
use harp_interp::api::library_model::{FunctionHandler, MethodHandler};
use harp_interp::calls::call::CallArguments;
use harp_interp::heap::objects::{InstanceData, Payload};
use harp_interp::state::interpreter::{Eval, Interpreter};
use harp_interp::values::value::Value;
use harp_python::name::{Name, name};

const SEQUENTIAL: &str = "torchvision.models.FeatureClassifier";
/// Models that are seen as a whole.
const WHOLE: &str = "torchvision.models.Classifier";
const WHOLE_FAMILIES: [&str; 6] = ["efficientnet_v2_l", "googlenet", "inception_v3", "maxvit_t", "regnet_", "swin_"];
const DEFAULT_CLASSES: i64 = 1000;

/// The parts that a model runs, in order; what comes before the last one is flattened.
fn parts(class: &str) -> Option<&'static [&'static str]> {
    match class {
        SEQUENTIAL => Some(&["features", "avgpool", "classifier"]),
        _ => None,
    }
}

pub fn function(name: &str) -> Option<FunctionHandler> {
    let model = name.strip_prefix("torchvision.models.")?;
    match model {
        "get_model" => Some(by_name),
        _ if recipe(model).is_some() => Some(sequential),
        _ if WHOLE_FAMILIES.iter().any(|family| model.starts_with(family)) => Some(|this, name, arguments| {
            let model = whole(this, &arguments);
            note_name(this, &model, name);
            Ok(model)
        }),
        _ => None,
    }
}

pub fn instance_call(class: &str) -> Option<MethodHandler> {
    match class {
        WHOLE => Some(run_whole),
        _ => parts(class).map(|_| run as MethodHandler),
    }
}

/// A layer of a model that is not residual.
#[derive(Clone, Copy)]
enum Layer {
    /// In, out, kernel, stride, padding.
    Convolution(i64, i64, i64, i64, i64),
    Normalisation(i64),
    Activation,
    Pool(i64, i64),
    Dropout,
    Linear(i64, i64),
    /// To the number of classes.
    Output(i64),
}

use Layer::{Activation, Convolution, Dropout, Linear, Normalisation, Output, Pool};

/// What a model is built of.
struct Recipe {
    features: Vec<Layer>,
    /// Height and width before the classifier.
    pooled: i64,
    classifier: Vec<Layer>,
}

fn recipe(model: &str) -> Option<Recipe> {
    Some(match model {
        "alexnet" => alexnet(),
        "vgg11" => vgg([1, 1, 2, 2, 2], false),
        "vgg13" => vgg([2, 2, 2, 2, 2], false),
        "vgg16" => vgg([2, 2, 3, 3, 3], false),
        "vgg19" => vgg([2, 2, 4, 4, 4], false),
        "vgg11_bn" => vgg([1, 1, 2, 2, 2], true),
        "vgg13_bn" => vgg([2, 2, 2, 2, 2], true),
        "vgg16_bn" => vgg([2, 2, 3, 3, 3], true),
        "vgg19_bn" => vgg([2, 2, 4, 4, 4], true),
        _ => return None,
    })
}

fn vgg(blocks: [usize; 5], has_norm: bool) -> Recipe {
    let mut features = Vec::new();
    let mut from = 3;
    for (count, to) in blocks.into_iter().zip([64, 128, 256, 512, 512]) {
        for _ in 0..count {
            features.push(Convolution(from, to, 3, 1, 1));
            features.extend(has_norm.then_some(Normalisation(to)));
            features.push(Activation);
            from = to;
        }
        features.push(Pool(2, 2));
    }
    let classifier =
        vec![Linear(512 * 7 * 7, 4096), Activation, Dropout, Linear(4096, 4096), Activation, Dropout, Output(4096)];
    Recipe { features, pooled: 7, classifier }
}

fn alexnet() -> Recipe {
    let features = vec![
        Convolution(3, 64, 11, 4, 2),
        Activation,
        Pool(3, 2),
        Convolution(64, 192, 5, 1, 2),
        Activation,
        Pool(3, 2),
        Convolution(192, 384, 3, 1, 1),
        Activation,
        Convolution(384, 256, 3, 1, 1),
        Activation,
        Convolution(256, 256, 3, 1, 1),
        Activation,
        Pool(3, 2),
    ];
    let classifier =
        vec![Dropout, Linear(256 * 6 * 6, 4096), Activation, Dropout, Linear(4096, 4096), Activation, Output(4096)];
    Recipe { features, pooled: 6, classifier }
}

/// Builds layers for one call of the program.
struct Builder<'i, 'p> {
    interpreter: &'i mut Interpreter<'p>,
    span: Span,
    classes: Value,
}

impl Builder<'_, '_> {
    fn make(&mut self, class: &str, positional: Vec<Value>, keywords: &[(&str, i64)]) -> Eval {
        let mut call = CallArguments::positional(positional, self.span);
        for (keyword, value) in keywords {
            call.keywords.push((Name::new(keyword), Value::int(*value)));
            call.keyword_spans.push(None);
        }
        self.interpreter.call_library(Name::new(&format!("torch.nn.{class}")), call)
    }

    fn layer(&mut self, layer: Layer) -> Eval {
        let ints = |values: &[i64]| values.iter().map(|value| Value::int(*value)).collect::<Vec<_>>();
        match layer {
            Convolution(from, to, kernel, stride, padding) => {
                self.make("Conv2d", ints(&[from, to, kernel]), &[("stride", stride), ("padding", padding)])
            }
            Normalisation(channels) => self.make("BatchNorm2d", ints(&[channels]), &[]),
            Activation => self.make("ReLU", Vec::new(), &[]),
            Pool(kernel, stride) => self.make("MaxPool2d", ints(&[kernel, stride]), &[]),
            Dropout => self.make("Dropout", Vec::new(), &[]),
            Linear(from, to) => self.make("Linear", ints(&[from, to]), &[]),
            Output(from) => {
                let classes = self.classes.clone();
                self.make("Linear", vec![Value::int(from), classes], &[])
            }
        }
    }

    fn sequence(&mut self, layers: &[Layer]) -> Eval {
        let mut modules = Vec::with_capacity(layers.len());
        for layer in layers {
            modules.push(self.layer(*layer)?);
        }
        self.make("Sequential", modules, &[])
    }

    fn model(&mut self, class: &str, members: Vec<(&str, Value)>) -> Value {
        let data = InstanceData { class: Value::library(class), arguments: Vec::new(), origin: self.span };
        let id = self.interpreter.heap.allocate(Payload::Instance(Rc::new(data)));
        for (name, member) in members {
            self.interpreter.heap.set_attribute(id, Name::new(name), member);
        }
        Value::Instance(id)
    }
}

fn builder<'i, 'p>(interpreter: &'i mut Interpreter<'p>, arguments: &CallArguments) -> Builder<'i, 'p> {
    let classes = arguments.keyword("num_classes").cloned().unwrap_or(Value::int(DEFAULT_CLASSES));
    Builder { interpreter, span: arguments.span, classes }
}

/// `get_model("resnet18", …)`.
fn by_name(interpreter: &mut Interpreter<'_>, name: Name, mut arguments: CallArguments) -> Eval {
    let model = arguments.get(0, "name").and_then(Value::as_text).unwrap_or_default().to_lowercase();
    if !arguments.positional.is_empty() {
        arguments.positional.remove(0);
        arguments.positional_spans.truncate(arguments.positional.len());
    }
    arguments.keywords.retain(|(keyword, _)| keyword.as_str() != "name");
    arguments.keyword_spans.clear();
    let found = ["", "segmentation.", "detection.", "video."]
        .iter()
        .map(|group| Name::new(&format!("torchvision.models.{group}{model}")))
        .find(|model| interpreter.library_entry(*model).is_some());
    match found {
        Some(model) => {
            let model = interpreter.library_value(model, arguments.span);
            interpreter.call(&model, arguments)
        }
        None => {
            interpreter.not_understood(name.as_str(), arguments.span);
            Ok(interpreter.symbolic("model", arguments.span, true))
        }
    }
}

/// A model of which input and output are known, and nothing of what lies between them.
fn whole(interpreter: &mut Interpreter<'_>, arguments: &CallArguments) -> Value {
    // `**config` may say how many classes there are.
    let unless_open = |value: i64| if arguments.is_open { Value::Unknown("setting") } else { Value::int(value) };
    let setting = |name: &str, default: i64| match arguments.keyword(name) {
        Some(value) if !value.is_none() => value.clone(),
        _ => unless_open(default),
    };
    let made = vec![(name!("num_classes"), setting("num_classes", DEFAULT_CLASSES))];
    let data = InstanceData { class: Value::library(WHOLE), arguments: made, origin: arguments.span };
    let id = interpreter.heap.allocate(Payload::Instance(Rc::new(data)));
    // What it is made of is not known.
    let parts = interpreter.symbolic("module", arguments.span, true);
    interpreter.heap.set_attribute(id, Name::new(REST), parts);
    Value::Instance(id)
}

/// Keeps which model an object is, among the arguments that it was made with.
fn note_name(interpreter: &mut Interpreter<'_>, model: &Value, name: Name) {
    let (Value::Instance(id), Some(data)) = (model, interpreter.instance_data(model)) else { return };
    let mut arguments = data.arguments.clone();
    arguments.push((name!("name"), Value::str(name.as_str())));
    let data = InstanceData { class: data.class.clone(), arguments, origin: data.origin };
    interpreter.heap.set_payload(*id, Payload::Instance(Rc::new(data)));
}

/// Runs a model as a whole, unless the program may have replaced parts of it.
fn run_whole(interpreter: &mut Interpreter<'_>, model: &Value, arguments: CallArguments) -> Eval {
    // What its parts ask of the input is not looked at.
    interpreter.not_understood("the inside of a model that is known from outside alone", arguments.span);
    let unknown = |this: &mut Interpreter<'_>| this.result_value(&ResultType::Tensor, Name::new(WHOLE), arguments.span);
    let (Value::Instance(id), Some(data)) = (model, interpreter.instance_data(model)) else {
        return Ok(unknown(interpreter));
    };
    let training = name!("training");
    let is_whole =
        interpreter.heap.object(*id).attributes.iter().all(|(name, _)| name == training || name.as_str() == REST);
    let class = match &data.class {
        Value::Library(class) if is_whole => *class,
        _ => return Ok(unknown(interpreter)),
    };
    let evaluates = matches!(interpreter.heap.attribute(*id, training), Some(Value::Bool(false)));
    let name = argument_of(&data, "name");
    let has_more = name.as_text().is_some_and(|name| name.ends_with("googlenet") || name.ends_with("inception_v3"));
    if has_more && !evaluates {
        // In training these give the results of their auxiliary heads, too.
        return Ok(interpreter.symbolic("result of a model", arguments.span, true));
    }
    let Some(call) = interpreter.library_class(class).and_then(|spec| spec.call.as_ref()) else {
        return Ok(unknown(interpreter));
    };
    let callee = Callee { spec: call, api: class };
    interpreter.call_api(callee, None, Some(&*data), arguments)
}

fn sequential(interpreter: &mut Interpreter<'_>, name: Name, arguments: CallArguments) -> Eval {
    let Some(recipe) = name.as_str().rsplit('.').next().and_then(recipe) else { return Ok(Value::Unknown("model")) };
    let mut build = builder(interpreter, &arguments);
    let features = build.sequence(&recipe.features)?;
    let pool = build.make("AdaptiveAvgPool2d", vec![Value::int(recipe.pooled)], &[])?;
    let classifier = match recipe.classifier[..] {
        [only] => build.layer(only)?,
        _ => build.sequence(&recipe.classifier)?,
    };
    Ok(build.model(SEQUENTIAL, vec![("features", features), ("avgpool", pool), ("classifier", classifier)]))
}

/// Runs the parts of a model, as they are now.
fn run(interpreter: &mut Interpreter<'_>, model: &Value, arguments: CallArguments) -> Eval {
    let Value::Library(class) = interpreter.library_model(model) else { return Ok(Value::Unknown("model")) };
    let parts = parts(class.as_str()).unwrap_or_default();
    let span = arguments.span;
    let mut place = arguments.positional_spans.first().copied().flatten();
    let mut value = arguments.get(0, "x").cloned().unwrap_or(Value::Unknown("missing input"));
    for (position, name) in parts.iter().enumerate() {
        if position + 1 == parts.len() {
            let call = CallArguments::positional(vec![value, Value::int(1)], span);
            value = interpreter.call_library(name!("torch.flatten"), call)?;
        }
        let part = interpreter.get_attribute(model, Name::new(name), span)?;
        let mut call = CallArguments::positional(vec![value], span);
        call.positional_spans = vec![place.take()];
        value = interpreter.call(&part, call)?;
    }
    Ok(value)
}

#[easy_ext::ext(ModelsMethods)]
impl Interpreter<'_> {
    /// The class of this room that a model is or derives from.
    fn library_model(&self, model: &Value) -> Value {
        let bases = self.library_bases(&self.class_of(model), None);
        bases.into_iter().find(|base| parts(base.as_str()).is_some()).map_or(Value::None, Value::Library)
    }
}
