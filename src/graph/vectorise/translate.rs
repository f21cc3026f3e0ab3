//! Vectorises a loop: statements on single elements become statements on slices of arrays.

use crate::Program;
use crate::callee;
use crate::subscripts::{RangeLoop, dotted, index_parts, text};
use crate::vectorise::bounds::Bound;
use crate::vectorise::element_types::type_of_result;
use crate::vectorise::slices::Target;
use crate::vectorise::{Container, ContainerKind, FileOfLoop};
use harp_corpus::Span;
use harp_python::ir::{ArgumentKind, BinaryOperator, Call, Expr, ExprKind, Stmt, StmtKind, UnaryOperator};
use harp_python::name::Name;
use harp_shape::DType;
use harp_trace::device::Device;
use harp_trace::{Site, TensorOrigin, ValueKind};

/// An expression on whole arrays.
#[derive(Clone)]
pub struct Piece {
    pub text: String,
    /// The strength of its outermost operator.
    pub precedence: u8,
    /// Whether it has a value for each iteration, and is not the same in all.
    pub varies: bool,
    /// Where it is one of Python's integers, which have no bound: as which power of the loop variable it grows.
    pub degree: Option<u32>,
    /// Whether a function of Python's `math` gives the same of one element and of the array.
    pub rounds_alike: bool,
    /// Whether it is a part of an array itself, so that it changes with the array.
    pub is_view: bool,
    /// Whether one element is a number of NumPy's or a tensor, and no number of Python's.
    pub is_of_library: bool,
    /// The type of the elements, where it is known to be that of the array.
    pub dtype: Option<DType>,
}

pub const ATOM: u8 = 9;

/// Larger integers have no exact floating-point number.
const LARGEST_EXACT: i128 = 1 << 53;

pub struct Translator<'a, 'l> {
    pub program: Program<'a>,
    pub range_loop: &'l RangeLoop<'a>,
    pub file: &'l FileOfLoop<'a>,
    pub start: Bound,
    pub stop: Bound,
    /// The number of iterations, where it is known.
    pub trips: Option<i64>,
    pub temporaries: Vec<Name>,
    /// Those whose elements are of a library.
    of_library: Vec<Name>,
    /// Names that the body assigns.
    pub assigned: Vec<Name>,
    pub containers: Vec<Container>,
    /// The roots of what is read that is the same in all iterations.
    pub steady_roots: Vec<Name>,
    /// Indices that are taken for numbers.
    pub assumed_numbers: Vec<Span>,
    /// Temporaries that are parts of containers, by the roots of these.
    pub views: Vec<Name>,
    pub arithmetic: usize,
    pub floating: usize,
    pub reads_steady: bool,
    pub reads_index: bool,
    /// What may be different after the rewrite, as clauses.
    pub risks: Vec<&'static str>,
    is_torch: bool,
    /// Whether tensors are read that are the same in all iterations, and arrays or lists.
    pub reads_tensors: bool,
    pub reads_arrays: bool,
    /// The first tensor of the loop, and whether it surely lies on the CPU.
    tensor: Option<(String, bool)>,
}

impl<'a, 'l> Translator<'a, 'l> {
    pub fn new(
        program: Program<'a>,
        range_loop: &'l RangeLoop<'a>,
        file: &'l FileOfLoop<'a>,
        (start, stop): (Bound, Bound),
        trips: Option<i64>,
    ) -> Self {
        Translator {
            program,
            range_loop,
            file,
            start,
            stop,
            trips,
            temporaries: Vec::new(),
            of_library: Vec::new(),
            assigned: Vec::new(),
            containers: Vec::new(),
            steady_roots: Vec::new(),
            assumed_numbers: Vec::new(),
            views: Vec::new(),
            arithmetic: 0,
            floating: 0,
            reads_steady: false,
            reads_index: false,
            risks: Vec::new(),
            is_torch: false,
            reads_tensors: false,
            reads_arrays: false,
            tensor: None,
        }
    }

    /// Which names the body assigns, and of what kind the containers are.
    pub fn survey(&mut self, body: &[Stmt]) -> Option<()> {
        for statement in body {
            let (target, value) = match &statement.kind {
                StmtKind::Assign { targets, value } => match &targets[..] {
                    [target] => (target, value),
                    _ => return None,
                },
                StmtKind::AugmentedAssign { target, value, .. } => (target, value),
                StmtKind::Pass => continue,
                _ => return None,
            };
            if let ExprKind::Name(name) = &target.kind {
                self.assigned.push(*name);
            }
            self.note_library(target);
            self.note_library(value);
        }
        (!self.assigned.contains(&self.range_loop.target)).then_some(())
    }

    /// Tensors are computed with torch, everything else with NumPy.
    fn note_library(&mut self, expression: &Expr) {
        match &expression.kind {
            ExprKind::Subscript { value, .. } => {
                let torch = ValueKind::Tensor(TensorOrigin::Torch);
                if let Some(site) = self.site(value).filter(|site| site.kinds.contains(&torch)) {
                    let tensor = (text(self.program, self.range_loop.span(value)), site.device == Some(Device::Cpu));
                    self.is_torch = true;
                    self.tensor.get_or_insert(tensor);
                }
                self.note_library(value);
            }
            ExprKind::Binary { left, right, .. } => {
                self.note_library(left);
                self.note_library(right);
            }
            ExprKind::Call(call) => call.arguments.iter().for_each(|argument| self.note_library(&argument.value)),
            ExprKind::Unary { operand, .. } => self.note_library(operand),
            _ => {}
        }
    }

    pub fn site(&self, expression: &Expr) -> Option<&'a Site> {
        self.program.trace.sites.get(&self.range_loop.span(expression))
    }

    pub fn risk(&mut self, what: &'static str) {
        if !self.risks.contains(&what) {
            self.risks.push(what);
        }
    }

    /// The library that computes with the loop's arrays, by its name in the file.
    fn library(&self) -> &'l str {
        if self.is_torch { &self.file.libraries.torch } else { &self.file.libraries.numpy }
    }

    pub fn numpy(&self) -> &'l str {
        &self.file.libraries.numpy
    }

    pub fn statement(&mut self, statement: &Stmt) -> Option<String> {
        match &statement.kind {
            StmtKind::Assign { targets, value } => {
                let value = self.expression(value)?;
                match &targets.first()?.kind {
                    ExprKind::Name(name) => self.temporary(*name, value),
                    ExprKind::Subscript { value: container, index } => {
                        let target = self.moving_slice(container, index_parts(index), true)?;
                        self.stored(&target, &value)
                    }
                    _ => None,
                }
            }
            // A sum over all iterations, or a running value, is no element-wise operation.
            StmtKind::AugmentedAssign { target, operator, value } => match &target.kind {
                ExprKind::Subscript { value: container, index } => self.augmented((container, index), *operator, value),
                _ => None,
            },
            StmtKind::Pass => Some("pass".to_owned()),
            _ => None,
        }
    }

    /// A value between two steps. A part of an array would change with it, where one element is a number of its own.
    fn temporary(&mut self, name: Name, value: Piece) -> Option<String> {
        self.temporaries.push(name);
        self.of_library.retain(|other| *other != name);
        if value.is_of_library {
            self.of_library.push(name);
        }
        let mut text = value.text;
        if let Some(container) = self.containers.last().filter(|_| value.is_view) {
            let is_row = container.has_rank && container.before + container.behind > 0;
            match container.kind {
                ContainerKind::Array if container.has_rank && !is_row => text = format!("{text}.copy()"),
                ContainerKind::Array | ContainerKind::Tensor if is_row || container.kind == ContainerKind::Tensor => {}
                // Whether it is a copy is as open as what it is.
                _ => self.views.push(container.root),
            }
        }
        Some(format!("{} = {text}", name.as_str()))
    }

    fn stored(&mut self, target: &Target, value: &Piece) -> Option<String> {
        if target.kind != ContainerKind::List {
            return Some(format!("{} = {}", target.text, value.text));
        }
        // Items of a list take a list, and one for each iteration.
        self.risk("numbers of lists have no bound, and those of arrays have one type");
        value.varies.then(|| match value.is_of_library {
            true => format!("{} = list({})", target.text, value.text),
            false => format!("{} = {}.tolist()", target.text, value.wrapped(ATOM)),
        })
    }

    /// `x[i] += y`. An element of an array becomes another number, of any type; an array is changed in place, and takes no other type.
    fn augmented(
        &mut self,
        (container, index): (&Expr, &Expr),
        operator: BinaryOperator,
        value: &Expr,
    ) -> Option<String> {
        let old = self.read_slice(container, index)?;
        let value = self.expression(value)?;
        let target = self.moving_slice(container, index_parts(index), true)?;
        self.arithmetic += 1;
        let is_changed_in_place = target.kind == ContainerKind::Tensor
            || target.kind == ContainerKind::Array
                && (target.rank.is_some_and(|rank| rank > 1) || target.dtype.is_some_and(|dtype| dtype.is_floating()));
        if is_changed_in_place {
            let [_, value] = self.of_one_type([old, value]);
            return Some(format!("{} {}= {}", target.text, sign(operator)?.0, value.text));
        }
        let whole = self.binary(operator, old, value)?;
        self.stored(&target, &whole)
    }

    fn expression(&mut self, expression: &Expr) -> Option<Piece> {
        match &expression.kind {
            ExprKind::Int(_) => Some(Piece { degree: Some(0), ..self.as_written(expression) }),
            ExprKind::Float(_) => {
                self.floating += 1;
                Some(self.as_written(expression))
            }
            ExprKind::Name(name) if *name == self.range_loop.target => {
                self.reads_index = true;
                let (start, stop) = (self.start.moved(0)?, self.stop.moved(0)?);
                let range = if start == "0" { stop } else { format!("{start}, {stop}") };
                let device = match &self.tensor {
                    Some((tensor, false)) => format!(", device={tensor}.device"),
                    _ => String::new(),
                };
                let text = format!("{}.arange({range}{device})", self.library());
                Some(Piece { text, varies: true, degree: Some(1), ..Piece::number(ATOM) })
            }
            ExprKind::Name(name) => {
                let is_temporary = self.temporaries.contains(name);
                if !is_temporary && self.assigned.contains(name) {
                    return None;
                }
                if is_temporary {
                    let is_of_library = self.of_library.contains(name);
                    let written = self.as_written(expression);
                    return Some(Piece { varies: true, rounds_alike: false, is_of_library, ..written });
                }
                self.steady(expression, *name)
            }
            ExprKind::Attribute { .. } => {
                let (root, _) = dotted(expression)?;
                let is_steady = root != self.range_loop.target && !self.assigned.contains(&root);
                is_steady.then(|| self.steady(expression, root)).flatten()
            }
            ExprKind::Subscript { value, index } => {
                let piece = self.read_slice(value, index)?;
                Some(if piece.varies { piece } else { self.as_seen(expression, piece) })
            }
            ExprKind::Unary { operator, operand } => {
                let sign = match operator {
                    UnaryOperator::Minus => "-",
                    UnaryOperator::Plus => "+",
                    UnaryOperator::Not | UnaryOperator::Invert => return None,
                };
                let operand = self.expression(operand)?;
                self.arithmetic += 1;
                let text = format!("{sign}{}", operand.wrapped(3));
                Some(Piece { text, precedence: 3, is_view: false, ..operand })
            }
            ExprKind::Binary { operator, left, right } => {
                // What is the same in all iterations may be of the other library.
                let kinds = self.site(expression).map_or(&[][..], |site| &site.kinds);
                self.reads_tensors |= kinds.contains(&ValueKind::Tensor(TensorOrigin::Torch));
                self.reads_arrays |= kinds.contains(&ValueKind::Tensor(TensorOrigin::NumPy));
                let (left, right) = (self.expression(left)?, self.expression(right)?);
                self.arithmetic += 1;
                // Elements that are tensors themselves are no numbers of a list.
                let has_list = self.containers.iter().any(|container| container.kind == ContainerKind::List);
                if has_list && self.site(expression).is_some_and(|site| !site.apis.is_empty()) {
                    return None;
                }
                self.binary(*operator, left, right)
            }
            ExprKind::Call(call) => self.call(call),
            _ => None,
        }
    }

    fn binary(&mut self, operator: BinaryOperator, left: Piece, right: Piece) -> Option<Piece> {
        use BinaryOperator as B;
        let (sign, precedence) = sign(operator)?;
        let [left, right] = self.of_one_type([left, right]);
        if operator == B::Divide && self.reads_tensors && left.is_python_number() {
            self.risk("PyTorch divides a number by a tensor with its reciprocal");
        }
        let divides = matches!(operator, B::Divide | B::FloorDivide | B::Modulo);
        self.floating += usize::from(operator == B::Divide);
        let degree = self.degree(operator, &left, &right)?;
        let is_python = |piece: &Piece| piece.degree.is_some() || piece.text.contains(".asarray(");
        if divides && right.varies && is_python(&right) {
            self.risk("a division by zero raises no error");
        }
        let (left_least, right_least) = if operator == B::Power { (5, 3) } else { (precedence, precedence + 1) };
        let text = format!("{} {sign} {}", left.wrapped(left_least), right.wrapped(right_least));
        Some(Piece {
            text,
            precedence,
            varies: left.varies || right.varies,
            degree,
            rounds_alike: left.rounds_alike && right.rounds_alike,
            is_view: false,
            is_of_library: left.is_of_library || right.is_of_library,
            dtype: type_of_result(operator, &left, &right),
        })
    }

    /// How integers of Python grow; `None` where they may outgrow those of an array.
    #[expect(clippy::option_option, reason = "the outer one says whether it may be written at all")]
    fn degree(&self, operator: BinaryOperator, left: &Piece, right: &Piece) -> Option<Option<u32>> {
        use BinaryOperator as B;
        let (Some(first), Some(second)) = (left.degree, right.degree) else { return Some(None) };
        let degree = match operator {
            B::Divide => return Some(None),
            B::Multiply => first.saturating_add(second),
            B::Power if second > 0 => return None,
            B::Power if first > 0 => first.saturating_mul(right.text.parse().ok()?),
            _ => first.max(second),
        };
        let fits = degree <= 2 || self.largest_index().is_some_and(|index| power(index, degree) < LARGEST_EXACT);
        fits.then_some(Some(degree))
    }

    /// The largest value of the loop variable, where it is known.
    fn largest_index(&self) -> Option<i64> {
        let Bound::Constant(start) = self.start else { return None };
        start.checked_add(self.trips?)
    }

    /// What is the same in all iterations, and no container of numbers.
    fn steady(&mut self, expression: &Expr, root: Name) -> Option<Piece> {
        let kinds = self.site(expression).map_or(&[][..], |site| &site.kinds);
        let (definitions, file) = (&self.file.definitions, self.range_loop.file);
        let is_plain =
            matches!(&expression.kind, ExprKind::Name(name) if definitions.is_plain_number(self.program, file, *name));
        if !is_plain {
            self.risk("what is the same in all iterations may be no plain number");
        }
        if let ExprKind::Name(name) = &expression.kind {
            self.reads_tensors |= self.file.definitions.may_be_tensor(self.program, self.range_loop.file, *name);
        }
        let is_other =
            |kind: &ValueKind| matches!(kind, ValueKind::List | ValueKind::Tuple | ValueKind::Dict | ValueKind::Text);
        if kinds.iter().any(is_other) {
            return None;
        }
        self.reads_tensors |= kinds.contains(&ValueKind::Tensor(TensorOrigin::Torch));
        self.reads_arrays |= kinds.contains(&ValueKind::Tensor(TensorOrigin::NumPy));
        self.reads_steady = true;
        self.steady_roots.push(root);
        Some(Piece { degree: Some(0), ..self.as_written(expression) })
    }

    fn as_written(&self, expression: &Expr) -> Piece {
        Piece { text: text(self.program, self.range_loop.span(expression)), ..Piece::number(ATOM) }
    }

    /// Calls of functions on one number become those on arrays.
    fn call(&mut self, call: &Call) -> Option<Piece> {
        if call.arguments.iter().any(|argument| argument.kind != ArgumentKind::Positional) {
            return None;
        }
        let arguments: Option<Vec<Piece>> =
            call.arguments.iter().map(|argument| self.expression(&argument.value)).collect();
        let mut arguments = arguments?;
        if let Ok(both) = <[Piece; 2]>::try_from(arguments.clone()) {
            arguments = self.of_one_type(both).into();
        }
        if let ExprKind::Name(name) = &call.function.kind
            && let ("float", [number]) = (name.as_str(), &arguments[..])
        {
            return self.as_float(number);
        }
        let varies = arguments.iter().any(|argument| argument.varies);
        let function = if varies { self.array_function(call, &mut arguments)? } else { self.own_function(call)? };
        self.arithmetic += 1;
        let texts: Vec<&str> = arguments.iter().map(|argument| argument.text.as_str()).collect();
        let text = format!("{function}({})", texts.join(", "));
        let is_of_math = matches!(&call.function.kind, ExprKind::Attribute { value, .. } if is_named(value, "math"));
        let of_function = matches!(call.function.kind, ExprKind::Attribute { .. }) && !is_of_math;
        let is_of_library = of_function || !is_of_math && arguments.iter().any(|it| it.is_of_library);
        let rounds_alike = is_of_math || arguments.iter().all(|argument| argument.rounds_alike);
        Some(Piece { text, varies, rounds_alike, is_of_library, ..Piece::number(ATOM) })
    }

    /// `float(x)` of one element, which is not rounded and does not overflow any more.
    fn as_float(&mut self, number: &Piece) -> Option<Piece> {
        let conversion = match (number.varies, self.is_torch) {
            (false, _) => return Some(Piece { text: format!("float({})", number.text), ..Piece::number(ATOM) }),
            (true, true) => "detach().double()",
            (true, false) if self.containers.iter().any(|it| it.kind == ContainerKind::Unknown) => return None,
            (true, false) => "astype(float)",
        };
        let text = format!("{}.{conversion}", number.wrapped(ATOM));
        Some(Piece { text, varies: true, rounds_alike: true, ..Piece::number(ATOM) })
    }

    /// The function of arrays for one of numbers.
    fn array_function(&mut self, call: &Call, arguments: &mut [Piece]) -> Option<String> {
        let library = self.library();
        match &call.function.kind {
            ExprKind::Name(name) => {
                let function = match (name.as_str(), arguments.len()) {
                    ("abs", 1) => "abs",
                    ("max", 2) => "maximum",
                    ("min", 2) => "minimum",
                    _ => return None,
                };
                // Of tensors the function takes no plain number.
                if function != "abs" {
                    self.risk("`max` and `min` take what is not a number otherwise");
                    if self.is_torch && arguments.iter().any(|argument| !argument.varies) {
                        return None;
                    }
                }
                Some(format!("{library}.{function}"))
            }
            ExprKind::Attribute { value, attribute, .. } => {
                let ExprKind::Name(module) = &value.kind else { return None };
                let name = callee::array_function(attribute.as_str());
                if is_named(value, "math") {
                    self.floating += 1;
                    self.risk("functions of `math` raise errors where those of arrays give no number");
                    // `math` computes with 64 bits, whatever the number's type is.
                    for argument in arguments.iter_mut().filter(|argument| argument.varies && !argument.rounds_alike) {
                        match argument.is_of_library && !self.is_torch {
                            true => *argument = self.as_float(argument)?,
                            false => self.risk("they round to the type of the arrays"),
                        }
                    }
                    let name = name?;
                    let name = if self.is_torch && name == "power" { "pow" } else { name };
                    return Some(format!("{library}.{name}"));
                }
                let is_library =
                    [&self.file.libraries.numpy, &self.file.libraries.torch].contains(&&module.to_string());
                let name = name.or_else(|| {
                    matches!(attribute.as_str(), "abs" | "maximum" | "minimum").then_some(attribute.as_str())
                });
                is_library.then_some(()).and(name).map(|name| format!("{module}.{name}"))
            }
            _ => None,
        }
    }

    /// A function of what is the same in all iterations stays, where it is one of those that do nothing else.
    fn own_function(&self, call: &Call) -> Option<String> {
        let is_known = match &call.function.kind {
            ExprKind::Name(name) => matches!(name.as_str(), "abs" | "max" | "min"),
            ExprKind::Attribute { value, attribute, .. } => {
                matches!(&value.kind, ExprKind::Name(module) if matches!(module.as_str(), "math" | "np" | "numpy" | "torch"))
                    && callee::array_function(attribute.as_str()).is_some()
            }
            _ => false,
        };
        is_known.then(|| text(self.program, self.range_loop.span(&call.function)))
    }
}

impl Piece {
    /// A number that nothing else is known of.
    pub fn number(precedence: u8) -> Piece {
        Piece {
            text: String::new(),
            precedence,
            varies: false,
            degree: None,
            rounds_alike: true,
            is_view: false,
            is_of_library: false,
            dtype: None,
        }
    }

    /// Whether each element is a number of Python's, which takes the type of what it meets; an array of them does not.
    pub fn is_python_number(&self) -> bool {
        self.varies && !self.is_of_library
    }

    /// In parentheses where it binds less than what is around it.
    pub fn wrapped(&self, least: u8) -> String {
        if self.precedence < least { format!("({})", self.text) } else { self.text.clone() }
    }
}

fn is_named(expression: &Expr, wanted: &str) -> bool {
    matches!(&expression.kind, ExprKind::Name(name) if name.as_str() == wanted)
}

fn power(base: i64, exponent: u32) -> i128 {
    (0..exponent).try_fold(1_i128, |power, _| power.checked_mul(i128::from(base))).unwrap_or(i128::MAX)
}

/// How an element-wise operator is written, and how strongly it binds.
fn sign(operator: BinaryOperator) -> Option<(&'static str, u8)> {
    Some(match operator {
        BinaryOperator::Add => ("+", 1),
        BinaryOperator::Subtract => ("-", 1),
        BinaryOperator::Multiply => ("*", 2),
        BinaryOperator::Divide => ("/", 2),
        BinaryOperator::FloorDivide => ("//", 2),
        BinaryOperator::Modulo => ("%", 2),
        BinaryOperator::Power => ("**", 4),
        _ => return None,
    })
}

pub fn mentions(expression: &Expr, variable: Name) -> bool {
    match &expression.kind {
        ExprKind::Name(name) => *name == variable,
        ExprKind::Binary { left, right, .. } => mentions(left, variable) || mentions(right, variable),
        ExprKind::Unary { operand, .. } => mentions(operand, variable),
        ExprKind::Attribute { value, .. } => mentions(value, variable),
        ExprKind::Subscript { value, index } => mentions(value, variable) || mentions(index, variable),
        ExprKind::Tuple(items) => items.iter().any(|item| mentions(item, variable)),
        ExprKind::Slice { lower, upper, step } => {
            [lower, upper, step].into_iter().flatten().any(|bound| mentions(bound, variable))
        }
        ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Str(_) | ExprKind::None | ExprKind::Ellipsis => false,
        // What is not looked into counts as mentioning it.
        _ => true,
    }
}
