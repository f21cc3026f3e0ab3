//! PyTorch Lightning: `trainer.fit(model, data)` sets the data up, asks for loaders and optimizers, and calls the steps of the model on their
//! batches.

use crate::methods::*;
use std::rc::Rc;
use std::sync::Arc;

use crate::command_line::signature_options::made_of_command_line;
use harp_corpus::Span;
use harp_interp::api::library_model::{FunctionHandler, MethodHandler};
use harp_interp::calls::call::CallArguments;
use harp_interp::state::interpreter::{Eval, Interpreter, Interrupt};
use harp_interp::values::value::{Closure, FunctionKind, ObjectId, Value};
use harp_python::ir::{
    Argument, ArgumentKind, Call, Expr, ExprKind, Function, Parameter, ParameterKind, Range, Stmt, StmtKind,
};
use harp_python::name::{Name, name};

const DATA_MODULE: &str = "pytorch_lightning.LightningDataModule";
/// Where a trainer keeps what it was last given.
const MODEL: &str = "#model";
const DATA: &str = "#data";
/// The class of a module's `hparams`.
const HYPERPARAMETERS: &str = "munch.Munch";

pub fn function(name: &str) -> Option<FunctionHandler> {
    (name == "pytorch_lightning.LightningCLI").then_some(command_line as FunctionHandler)
}

pub fn method(name: &str) -> Option<MethodHandler> {
    let (class, method) = name.strip_prefix("pytorch_lightning.")?.split_once('.')?;
    Some(match (class, method) {
        ("Trainer", "fit") => |this, trainer, arguments| {
            let run = Run::new(this, trainer, &arguments, "train_dataloaders")?;
            run.fit(this, &arguments)
        },
        ("Trainer", "validate") => |this, trainer, arguments| {
            let run = Run::new(this, trainer, &arguments, "dataloaders")?;
            run.evaluate(this, &arguments, "validate", "val_dataloader", "validation_step")
        },
        ("Trainer", "test") => |this, trainer, arguments| {
            let run = Run::new(this, trainer, &arguments, "dataloaders")?;
            run.evaluate(this, &arguments, "test", "test_dataloader", "test_step")
        },
        ("Trainer", "predict") => |this, trainer, arguments| {
            let run = Run::new(this, trainer, &arguments, "dataloaders")?;
            run.evaluate(this, &arguments, "predict", "predict_dataloader", "predict_step")
        },
        ("LightningModule" | "LightningDataModule", "save_hyperparameters") => save_hyperparameters,
        _ => return None,
    })
}

/// `self.save_hyperparameters()`: the arguments of the constructor that runs are in `self.hparams`.
fn save_hyperparameters(interpreter: &mut Interpreter<'_>, module: &Value, arguments: CallArguments) -> Eval {
    let Value::Instance(id) = module else { return Ok(Value::None) };
    let names = |value: &Value, this: &Interpreter<'_>| -> Vec<String> {
        let items = match this.read(value) {
            Value::List(id) => this.heap.list(id).map(|data| data.items.clone()).unwrap_or_default(),
            Value::Tuple(items) => items.to_vec(),
            value => vec![value],
        };
        items.iter().filter_map(|item| item.as_text().map(str::to_owned)).collect()
    };
    let ignored = arguments.keyword("ignore").map(|ignored| names(ignored, interpreter)).unwrap_or_default();
    let first = arguments.positional.first().map(|first| interpreter.read(first));
    let mut entries: Vec<(Value, Value)> = Vec::new();
    match first {
        // A namespace or a dictionary has them all.
        Some(Value::Dict(given)) => {
            entries = interpreter.heap.dict(given).map(|data| data.entries.clone()).unwrap_or_default();
        }
        Some(Value::Instance(given)) => {
            let known = interpreter.heap.object(given).attributes.iter();
            entries = known.map(|(name, value)| (Value::str(name.as_str()), value.clone())).collect();
        }
        _ => {
            let wanted: Vec<String> = arguments.positional.iter().flat_map(|name| names(name, interpreter)).collect();
            let Some((function, locals)) =
                interpreter.frames.last().and_then(|frame| Some((frame.function.clone()?, frame.locals)))
            else {
                return Ok(Value::None);
            };
            for parameter in function.parameters.iter().skip(1) {
                let Some(value) = interpreter.heap.attribute(locals, parameter.name).cloned() else { continue };
                match (parameter.kind, interpreter.read(&value)) {
                    (ParameterKind::VariadicKeyword, Value::Dict(more)) => {
                        entries
                            .extend(interpreter.heap.dict(more).map(|data| data.entries.clone()).unwrap_or_default());
                    }
                    (ParameterKind::Variadic | ParameterKind::VariadicKeyword, _) => {}
                    (_, value) => entries.push((Value::str(parameter.name.as_str()), value)),
                }
            }
            let is_wanted = |name: &str| wanted.is_empty() || wanted.iter().any(|known| known == name);
            entries.retain(|(name, _)| name.as_text().is_some_and(is_wanted));
        }
    }
    entries.retain(|(name, _)| name.as_text().is_some_and(|name| !ignored.iter().any(|known| known == name)));
    let saved = interpreter.new_dict_of_class(Value::library(HYPERPARAMETERS), entries);
    interpreter.heap.set_attribute(*id, name!("hparams"), saved);
    Ok(Value::None)
}

/// `LightningCLI(Model, Data)`: objects with what the command line says, and `fit`, unless it only makes them.
fn command_line(interpreter: &mut Interpreter<'_>, name: Name, arguments: CallArguments) -> Eval {
    let span = arguments.span;
    let object = interpreter.library_object(name, Vec::new(), span);
    let Value::Instance(id) = object else { return Ok(object) };
    let trainer = interpreter.call_library(name!("pytorch_lightning.Trainer"), CallArguments::empty(span))?;
    let mut given = vec![trainer.clone()];
    for (position, parameter, attribute) in [(0, "model_class", "model"), (1, "datamodule_class", "datamodule")] {
        let class = arguments.get(position, parameter).cloned().unwrap_or(Value::None);
        let made = if matches!(class, Value::Class(_)) {
            made_of_command_line(interpreter, &class, attribute, span)?
        } else {
            class
        };
        interpreter.heap.set_attribute(id, Name::new(attribute), made.clone());
        given.push(made);
    }
    interpreter.heap.set_attribute(id, name!("trainer"), trainer.clone());
    if !matches!(arguments.keyword("run"), Some(Value::Bool(false))) {
        let mut call = CallArguments::positional(vec![given[1].clone()], span);
        call.keywords.push((name!("datamodule"), given[2].clone()));
        call.keyword_spans.push(None);
        let fit = interpreter.get_attribute(&trainer, name!("fit"), span)?;
        interpreter.call(&fit, call)?;
    }
    Ok(object)
}

/// What a trainer runs.
struct Run {
    model: Value,
    data: Value,
    /// The loaders that the call gives.
    loaders: Value,
    span: Span,
}

impl Run {
    fn new(interpreter: &mut Interpreter<'_>, trainer: &Value, arguments: &CallArguments, loaders: &str) -> Eval<Run> {
        let remembered = |this: &Interpreter<'_>, name: &str| match trainer {
            Value::Instance(id) => this.heap.attribute(*id, Name::new(name)).cloned(),
            _ => None,
        };
        let given =
            |position: usize, name: &str| arguments.get(position, name).filter(|given| !given.is_none()).cloned();
        let is_data = |this: &Interpreter<'_>, value: &Value| this.is_instance_of(&this.read(value), DATA_MODULE);
        let model = given(0, "model").or_else(|| remembered(interpreter, MODEL)).unwrap_or(Value::None);
        let mut loaders = given(1, loaders).unwrap_or(Value::None);
        let mut data = arguments.keyword("datamodule").filter(|data| !data.is_none()).cloned();
        // A data module may stand where loaders do.
        if is_data(interpreter, &loaders) {
            data = Some(std::mem::replace(&mut loaders, Value::None));
        }
        let data = data.or_else(|| arguments.positional.get(3).filter(|data| is_data(interpreter, data)).cloned());
        let data = data.or_else(|| remembered(interpreter, DATA).filter(|_| loaders.is_none())).unwrap_or(Value::None);
        let (model, data) = (interpreter.read(&model), interpreter.read(&data));
        if let Value::Instance(id) = trainer {
            interpreter.heap.set_attribute(*id, Name::new(MODEL), model.clone());
            interpreter.heap.set_attribute(*id, Name::new(DATA), data.clone());
        }
        for part in [&model, &data] {
            if let Value::Instance(id) = part {
                interpreter.heap.set_attribute(*id, name!("trainer"), trainer.clone());
            }
        }
        Ok(Run { model, data, loaders, span: arguments.span })
    }

    fn fit(&self, interpreter: &mut Interpreter<'_>, arguments: &CallArguments) -> Eval {
        if !self.is_known(interpreter, "pytorch_lightning.Trainer.fit") {
            return Ok(Value::None);
        }
        self.set_up(interpreter, "fit")?;
        let training = self.loaders_of(interpreter, &self.loaders, "train_dataloader")?;
        let given = arguments.get(2, "val_dataloaders").cloned().unwrap_or(Value::None);
        let validating = self.loaders_of(interpreter, &given, "val_dataloader")?;
        self.hook(interpreter, &self.model, "configure_optimizers", Vec::new())?;
        self.hook(interpreter, &self.model, "on_fit_start", Vec::new())?;
        self.hook(interpreter, &self.model, "on_train_start", Vec::new())?;
        self.hook(interpreter, &self.model, "on_train_epoch_start", Vec::new())?;
        self.steps(interpreter, &training, "training_step")?;
        self.hook(interpreter, &self.model, "on_validation_epoch_start", Vec::new())?;
        self.steps(interpreter, &validating, "validation_step")?;
        self.hook(interpreter, &self.model, "on_validation_epoch_end", Vec::new())?;
        self.hook(interpreter, &self.model, "on_train_epoch_end", Vec::new())?;
        self.hook(interpreter, &self.model, "on_fit_end", Vec::new())?;
        Ok(Value::None)
    }

    fn evaluate(
        &self,
        interpreter: &mut Interpreter<'_>,
        _: &CallArguments,
        stage: &str,
        loader: &str,
        step: &str,
    ) -> Eval {
        if !self.is_known(interpreter, &format!("pytorch_lightning.Trainer.{stage}")) {
            return Ok(interpreter.data_from_outside("results", self.span));
        }
        self.set_up(interpreter, stage)?;
        let loaders = self.loaders_of(interpreter, &self.loaders, loader)?;
        self.steps(interpreter, &loaders, step)?;
        let end = match stage {
            "validate" => "on_validation_epoch_end",
            "test" => "on_test_epoch_end",
            _ => "on_predict_epoch_end",
        };
        self.hook(interpreter, &self.model, end, Vec::new())?;
        Ok(interpreter.data_from_outside("results", self.span))
    }

    fn is_known(&self, interpreter: &mut Interpreter<'_>, what: &str) -> bool {
        let is_known = matches!(self.model, Value::Instance(_));
        if !is_known {
            interpreter.not_understood(what, self.span);
        }
        is_known
    }

    fn set_up(&self, interpreter: &mut Interpreter<'_>, stage: &str) -> Eval<()> {
        for part in [&self.data, &self.model] {
            self.hook(interpreter, part, "prepare_data", Vec::new())?;
            self.hook(interpreter, part, "setup", vec![Value::str(stage)])?;
        }
        Ok(())
    }

    /// The loaders of a stage: those given, else those of the data, else the model's.
    fn loaders_of(&self, interpreter: &mut Interpreter<'_>, given: &Value, method: &str) -> Eval<Vec<Value>> {
        let mut loaders = interpreter.read(given);
        for part in [&self.data, &self.model] {
            if loaders.is_none() {
                loaders = self.hook(interpreter, part, method, Vec::new())?;
            }
        }
        Ok(match interpreter.read(&loaders) {
            Value::None => Vec::new(),
            Value::List(id) => interpreter.heap.list(id).map(|data| data.items.clone()).unwrap_or_default(),
            Value::Tuple(items) => items.to_vec(),
            loader => vec![loader],
        })
    }

    /// Calls a method that the program defines, with as many of the arguments as it takes.
    fn hook(&self, interpreter: &mut Interpreter<'_>, part: &Value, name: &str, arguments: Vec<Value>) -> Eval {
        let Some((method, taken)) = self.method(interpreter, part, name) else { return Ok(Value::None) };
        let arguments = arguments.into_iter().take(taken).collect();
        match interpreter.call(&method, CallArguments::positional(arguments, self.span)) {
            Err(Interrupt::Raise) => Ok(Value::None),
            result => result,
        }
    }

    /// A method of the program's own, and how many arguments it takes.
    fn method(&self, interpreter: &mut Interpreter<'_>, part: &Value, name: &str) -> Option<(Value, usize)> {
        let Some(Value::Function(closure)) = interpreter.class_attribute(part, Name::new(name)) else { return None };
        let parameters = &closure.function.parameters;
        let is_variadic = parameters.iter().any(|parameter| parameter.kind == ParameterKind::Variadic);
        let taken = if is_variadic { usize::MAX } else { parameters.len().saturating_sub(1) };
        Some((interpreter.bind_method(part, Value::Function(closure)), taken))
    }

    fn steps(&self, interpreter: &mut Interpreter<'_>, loaders: &[Value], name: &str) -> Eval<()> {
        let Some((step, taken)) = self.method(interpreter, &self.model, name) else { return Ok(()) };
        for (index, loader) in loaders.iter().enumerate() {
            if loader.is_unknown() {
                interpreter.not_understood("the batches of an unknown loader", self.span);
                continue;
            }
            let further = if taken > 2 && loaders.len() > 1 { Some(index) } else { None };
            let function = loop_of_steps(self.span, taken.min(2), further);
            let numbered = interpreter.call_library(
                name!("builtins.enumerate"),
                CallArguments::positional(vec![loader.clone()], self.span),
            )?;
            let globals = interpreter.frames.last().map_or(ObjectId(0), |frame| frame.globals);
            let closure = Closure {
                defaults: vec![None; function.parameters.len()],
                function: Arc::new(function),
                globals,
                enclosing: Rc::from([]),
                class: None,
                kind: FunctionKind::Plain,
                wrapped: None,
                accessors: None,
                attributes: Rc::default(),
                traces: None,
            };
            let arguments = CallArguments::positional(vec![numbered, step.clone()], self.span);
            match interpreter.run_in_place(&Rc::new(closure), arguments) {
                Ok(_) | Err(Interrupt::Raise) => {}
                Err(budget) => return Err(budget),
            }
        }
        Ok(())
    }
}

/// `for index, batch in batches: step(batch, index)`, as if it stood at the call of the trainer.
fn loop_of_steps(span: Span, taken: usize, further: Option<usize>) -> Function {
    let range = Range { start: span.start, end: span.end };
    let expression = |kind| Expr::new(range, kind);
    let name = |name: &str| expression(ExprKind::Name(Name::new(name)));
    let argument = |value| Argument { range, kind: ArgumentKind::Positional, value };
    let mut arguments: Vec<Argument> =
        ["batch", "index"].into_iter().take(taken).map(|text| argument(name(text))).collect();
    if let Some(further) = further {
        arguments.push(argument(expression(ExprKind::Int(further as i64))));
    }
    let call = expression(ExprKind::Call(Box::new(Call { function: name("step"), arguments })));
    let body = vec![Stmt { range, kind: StmtKind::Expr(call) }];
    let target = expression(ExprKind::Tuple(vec![name("index"), name("batch")]));
    let kind = StmtKind::For { target, iterable: name("batches"), body, orelse: Vec::new() };
    let parameter = |text: &str| Parameter {
        range,
        name: Name::new(text),
        kind: ParameterKind::Normal,
        default: None,
        annotation: None,
    };
    let mut locals: Vec<Name> = ["batch", "batches", "index", "step"].into_iter().map(Name::new).collect();
    locals.sort();
    Function {
        file: span.file,
        name: name!("fit"),
        qualified_name: name!("pytorch_lightning.Trainer.fit"),
        range,
        name_range: range,
        type_parameters: Vec::new(),
        parameters: vec![parameter("batches"), parameter("step")],
        body: vec![Stmt { range, kind }],
        decorators: Vec::new(),
        returns: None,
        is_async: false,
        is_generator: false,
        is_lambda: false,
        locals,
        globals: Vec::new(),
        nonlocals: Vec::new(),
    }
}
