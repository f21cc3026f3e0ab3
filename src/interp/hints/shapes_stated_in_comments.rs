//! Gives a value the shape that a hint in a comment states, where the program is executed: `# harp: assume x: [b,
//! 784]`.
//!
//! What a user says is given: nothing that follows from it rests on an assumption. It replaces what Harp guessed; where it contradicts
//! what Harp knows, the comment is wrong, and the analysis goes on with what it knows.

use std::rc::Rc;

use crate::state::interpreter::{Eval, Interpreter, Interrupt};
use crate::values::value::{Device, Guard, OperationId, Tensor, Value};
use harp_corpus::Span;
use harp_python::ir::{Expr, ExprKind};
use harp_python::name::Name;
use harp_shape::notation::{Actual, PatternDim, PatternElement, PatternPart, PatternShape, Role, Scope};
use harp_shape::{Constraint, DType, Dim, Shape, Var, VarInfo, Verdict};
use harp_trace::answers::{Contradiction, Moment, Stated};
use harp_trace::assumption::AssumptionSet;

/// How reports call the origin of what a comment says.
const ORIGIN: &str = "this comment";

impl Interpreter<'_> {
    /// What a name of a size stands for in the running function.
    pub(crate) fn letter(&self, name: &str) -> Option<Dim> {
        self.frames.last()?.letters.dims.get(name).copied()
    }

    pub(crate) fn set_letter(&mut self, name: &str, dim: Dim) {
        if let Some(frame) = self.frames.last_mut() {
            frame.letters.dims.insert(name.to_owned(), dim);
        }
    }

    /// What a name of any number of dimensions stands for in the running function.
    pub(crate) fn letter_shape(&self, name: &str) -> Option<Shape> {
        self.frames.last()?.letters.shapes.get(name).cloned()
    }

    pub(crate) fn set_letter_shape(&mut self, name: &str, shape: Shape) {
        if let Some(frame) = self.frames.last_mut() {
            frame.letters.shapes.insert(name.to_owned(), shape);
        }
    }
}

impl Interpreter<'_> {
    /// Takes what comments say before or after a statement for known.
    pub(crate) fn take_stated(&mut self, start: u32, moment: Moment) -> Eval<()> {
        let file = self.file();
        let answers = &self.trace.answers;
        let stated = match moment {
            Moment::Before => answers.stated_before(file, start),
            Moment::After => answers.stated_after(file, start),
        };
        // Taking one changes the state that holds them.
        let stated: Vec<Rc<Stated>> = stated.to_vec();
        for stated in stated {
            self.step()?;
            match self.take(&stated) {
                Err(Interrupt::Raise) | Ok(()) => {}
                Err(budget) => return Err(budget),
            }
        }
        Ok(())
    }

    /// Whether a comment says of a function's parameter what it is when the function begins.
    pub(crate) fn is_stated_parameter(&self, function: &harp_python::ir::Function, name: Name) -> bool {
        let Some(first) = function.body.first() else { return false };
        let stated = self.trace.answers.stated_before(function.file, first.range.start);
        stated.iter().any(|stated| matches!(stated.path.kind, ExprKind::Name(known) if known == name))
    }

    fn take(&mut self, stated: &Stated) -> Eval<()> {
        if !self.has_root(&stated.path) {
            return Ok(());
        }
        let value = self.evaluate(&stated.path)?;
        let shape = stated.described.shape.as_ref().and_then(|pattern| self.stated_shape(pattern));
        stated.is_used.set(true);
        let arms = self.arms_of(&value);
        let mut kept: Vec<(Guard, Value)> = Vec::new();
        let mut contradiction = None;
        for (arm, value) in arms {
            match self.agreed(&value, shape.as_ref(), stated) {
                Ok(value) => kept.push((Rc::from(arm.literals), value)),
                // The user says that this alternative is not the one.
                Err(other) => contradiction = contradiction.or(Some(other)),
            }
        }
        match (kept.is_empty(), contradiction) {
            (true, Some(contradiction)) => self.note_contradiction(contradiction),
            (true, None) => {}
            (false, _) => {
                let value = if kept.len() == 1 { kept.remove(0).1 } else { self.join(kept) };
                self.assign(&stated.path, value)?;
            }
        }
        Ok(())
    }

    /// Whether the program has a variable of the path's first name.
    fn has_root(&self, path: &Expr) -> bool {
        let mut path = path;
        let name = loop {
            match &path.kind {
                ExprKind::Attribute { value, .. } | ExprKind::Subscript { value, .. } => path = value,
                ExprKind::Name(name) => break *name,
                _ => return false,
            }
        };
        self.variable(name).is_some()
    }

    /// A variable of the program, without the built-in names.
    fn variable(&self, name: Name) -> Option<Value> {
        let frame = self.frames.last()?;
        let mut scopes = std::iter::once(&frame.locals).chain(frame.enclosing.iter()).chain([&frame.globals]);
        scopes.find_map(|scope| self.heap.attribute(*scope, name)).map(|value| self.read(value))
    }

    /// The value as the user describes it.
    fn agreed(&mut self, value: &Value, shape: Option<&Shape>, stated: &Stated) -> Result<Value, Contradiction> {
        match self.read(value) {
            Value::Tensor(tensor) => self.agreed_tensor(&tensor, shape, stated),
            Value::Symbolic(id) => {
                let tensor = Value::Tensor(Rc::new(self.new_tensor(shape, stated)));
                self.refine(id, tensor.clone());
                Ok(tensor)
            }
            Value::Unknown(_) | Value::Instance(_) => Ok(Value::Tensor(Rc::new(self.new_tensor(shape, stated)))),
            // NumPy's scalars are numbers here.
            number @ (Value::Int(_) | Value::Float(_) | Value::Ratio(_) | Value::Bool(_))
                if shape.is_none_or(|shape| shape.rank() == Some(0)) =>
            {
                Ok(number)
            }
            other => {
                let message = format!("`{}` is not a tensor here: {}", stated.path_text, other.describe());
                Err(self.contradiction(stated, message, None))
            }
        }
    }

    fn agreed_tensor(
        &mut self,
        tensor: &Rc<Tensor>,
        shape: Option<&Shape>,
        stated: &Stated,
    ) -> Result<Value, Contradiction> {
        let is_guess = !tensor.assumptions.is_empty();
        let described = &stated.described;
        let shape_fits = shape.is_none_or(|shape| self.make_equal(&tensor.shape, shape));
        let dtype = described.dtype.unwrap_or(tensor.dtype);
        let dtype_fits = !tensor.dtype.is_known() || dtype == tensor.dtype;
        let fits = shape_fits && dtype_fits;
        if !(fits || is_guess) {
            let known = self.solver.resolve_shape(&tensor.shape);
            let known = if tensor.dtype.is_known() { format!("{known} {}", tensor.dtype) } else { known.to_string() };
            let said = match (shape_fits, shape) {
                (false, Some(shape)) => self.solver.resolve_shape(shape).to_string(),
                _ => dtype.to_string(),
            };
            let message = format!("`{}` is {known} here, not {said}", stated.path_text);
            let origin = (tensor.origin != stated.span).then_some((known, tensor.origin));
            return Err(self.contradiction(stated, message, origin));
        }
        let is_new = !shape_fits || is_guess || tensor.shape.rank().is_none();
        Ok(Value::Tensor(Rc::new(Tensor {
            shape: shape.unwrap_or(&tensor.shape).clone(),
            dtype,
            kind: self.kind_of_words(described.library.as_deref(), stated.span).unwrap_or(tensor.kind),
            device: described.device.unwrap_or(tensor.device),
            origin: if is_new { stated.span } else { tensor.origin },
            operation: if is_new { OperationId::NONE } else { tensor.operation },
            part: if is_new { 0 } else { tensor.part },
            assumptions: AssumptionSet::default(),
            elements: None,
            name: if is_new { Some(Name::new(ORIGIN)) } else { tensor.name },
        })))
    }

    /// Takes two shapes for equal; `false` where they cannot be, and nothing is taken then.
    pub(crate) fn make_equal(&mut self, known: &Shape, stated: &Shape) -> bool {
        let equal = Constraint::SameShape(known.clone(), stated.clone());
        if self.solver.judge(&equal) == Verdict::Violated {
            return false;
        }
        let was_contradictory = self.solver.is_contradictory();
        let mark = self.solver.mark();
        self.solver.assume(&equal);
        let fits = was_contradictory || !self.solver.is_contradictory();
        if !fits {
            self.solver.rollback(mark);
        }
        fits
    }

    fn contradiction(&self, stated: &Stated, message: String, origin: Option<(String, Span)>) -> Contradiction {
        Contradiction { span: stated.span, message, origin, call: self.calls.stack.last().copied() }
    }

    /// Keeps the first contradiction of each comment, which is what there is to mend.
    fn note_contradiction(&mut self, contradiction: Contradiction) {
        let contradictions = &mut self.trace.contradictions;
        if !contradictions.iter().any(|known| known.span == contradiction.span) {
            contradictions.push(contradiction);
        }
    }

    /// The shape that a comment writes. A name stands for the program's integer of that name, else for the same size as in the other
    /// comments that this execution of the function met.
    fn stated_shape(&mut self, pattern: &PatternShape) -> Option<Shape> {
        let (mut dims, mut shapes) = (Vec::new(), Vec::new());
        pattern.for_each_name(&mut |name, role| match role {
            Role::Dim => dims.push(name.to_owned()),
            Role::Shape => shapes.push(name.to_owned()),
            Role::Parameter => {}
        });
        let mut letters = self.frames.last().map(|frame| frame.letters.clone()).unwrap_or_default();
        for name in &dims {
            match self.integer(name) {
                Some(dim) => _ = letters.dims.insert(name.clone(), dim),
                None => _ = letters.dims.entry(name.clone()).or_insert_with(|| fresh_dim(VarInfo::fixed(name))),
            }
        }
        for name in &shapes {
            letters.shapes.entry(name.clone()).or_insert_with(|| Shape::unknown(name));
        }
        if let Some(frame) = self.frames.last_mut() {
            frame.letters = letters.clone();
        }
        let nothing = |_: &str| Actual::Unknown;
        let mut scope = Scope::new(&nothing);
        scope.dims = letters.dims;
        scope.shapes = letters.shapes;
        let mut pattern = pattern.clone();
        name_wildcards(&mut pattern, &mut scope);
        scope.shape(&pattern, &mut self.solver)
    }

    /// The program's integer under a dotted name.
    fn integer(&self, name: &str) -> Option<Dim> {
        let mut parts = name.split('.');
        let mut value = self.variable(Name::new(parts.next()?))?;
        for part in parts {
            let (Value::Instance(id) | Value::Module(id) | Value::Class(id)) = value else { return None };
            value = self.read(self.heap.attribute(id, Name::new(part))?);
        }
        match value {
            Value::Int(dim) => Some(dim),
            _ => None,
        }
    }
}

/// A named size is the caller's, so that no operation may choose it; one without a name is whatever fits.
fn fresh_dim(info: VarInfo) -> Dim {
    Dim::var(Var::fresh(info))
}

/// Gives each `_` in brackets a name of its own.
fn name_wildcards(pattern: &mut PatternShape, scope: &mut Scope<'_>) {
    let elements = pattern.parts.iter_mut().filter_map(|part| match part {
        PatternPart::Dims(elements) => Some(elements),
        _ => None,
    });
    for (index, element) in elements.flatten().enumerate() {
        if let PatternElement::Dim(dim @ PatternDim::Any) = element {
            // No name of the notation looks like this.
            let name = format!("_{index}?");
            scope.dims.insert(name.clone(), fresh_dim(VarInfo::free("d")));
            *dim = PatternDim::Name(name);
        }
    }
}

impl Interpreter<'_> {
    fn new_tensor(&self, shape: Option<&Shape>, stated: &Stated) -> Tensor {
        let described = &stated.described;
        Tensor {
            shape: shape.cloned().unwrap_or_else(|| Shape::unknown("s")),
            dtype: described.dtype.unwrap_or(DType::Unknown),
            kind: self
                .kind_of_words(described.library.as_deref(), stated.span)
                .unwrap_or_else(|| self.assumed_kind(stated.span)),
            device: described.device.unwrap_or(Device::Unknown),
            operation: OperationId::NONE,
            part: 0,
            origin: stated.span,
            assumptions: AssumptionSet::default(),
            name: Some(Name::new(ORIGIN)),
            elements: None,
        }
    }
}
