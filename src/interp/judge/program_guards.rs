//! Issues of the program's own guards: an assertion of sizes, or an `if` that raises where sizes differ, whose sizes
//! are known and do not fit.

use crate::budget::costly_calls::EntryKind;
use crate::state::interpreter::{Eval, Interpreter};
use crate::values::value::Value;
use harp_corpus::Span;
use harp_python::ir::{
    BinaryOperator, BooleanOperator, CompareOperator, Expr, ExprKind, Stmt, StmtKind, UnaryOperator,
};
use harp_python::name::Name;
use harp_shape::{Constraint, Dim, Shape, Var, VarKind, Verdict};
use harp_trace::Subject;

/// Methods and functions that say how large something is.
const MEASURES: [&str; 5] = ["dim", "len", "ndimension", "numel", "size"];
/// Functions of Python that only read what they get.
const PURE: [&str; 8] = ["abs", "int", "len", "list", "max", "min", "sum", "tuple"];
/// Attributes that do.
const MEASURED: [&str; 2] = ["ndim", "shape"];

/// A comparison that decides a guard: both sides, and what stands between them.
struct Comparison<'a> {
    left: &'a Expr,
    operator: CompareOperator,
    right: &'a Expr,
}

impl Interpreter<'_> {
    /// Reports a guard of sizes that certainly stops the program: `test` is not what it has to be. Nothing is said where somebody expects the
    /// exception, and where the way to it rests on conditions other than settings that are as they are by default, unless it stops the program
    /// on every way. Returns whether it was reported.
    pub(crate) fn report_guard(&mut self, api: &'static str, test: &Expr, wanted: bool, place: Span) -> Eval<bool> {
        let is_script = self.entry.kind != EntryKind::Symbolic && self.inference.is_none();
        if !is_script || self.exceptions.caught > 0 {
            return Ok(false);
        }
        let Some(Comparison { left, operator, right }) = self.failing_comparison(test, wanted)? else {
            return Ok(false);
        };
        let mut sides = Vec::with_capacity(2);
        for side in [left, right] {
            let value = self.evaluate(side)?;
            let Some(dims) = self.measured_sizes(&value) else { return Ok(false) };
            sides.push(dims);
        }
        if !self.is_way_of_defaults() && !self.fails_on_every_way(place) {
            return Ok(false);
        }
        let texts = sides.iter().zip([left, right]).map(|(dims, side)| {
            let is_one = !matches!(side.kind, ExprKind::Tuple(_) | ExprKind::List(_)) && dims.len() == 1;
            let known = if is_one { dims[0].to_string() } else { Shape::known(dims.clone()).to_string() };
            let text = self.source_text(self.span(side.range));
            if text == known { known } else { format!("`{text}` is {known}") }
        });
        let texts: Vec<String> = texts.collect();
        let sign = sign_of(operator);
        let message = if wanted {
            format!("`{sign}` must hold, but {} and {}", texts[0], texts[1])
        } else {
            format!("`{sign}` makes the program stop: {} and {}", texts[0], texts[1])
        };
        self.sequence_fails(api, message, place);
        Ok(true)
    }

    /// Whether nothing but settings decides that the program comes here, and their defaults lead here.
    fn is_way_of_defaults(&self) -> bool {
        let is_setting = |var: &Var| var.kind() == VarKind::Config;
        let is_of_settings = |constraint: &Constraint| {
            let constraint = constraint.map(&mut |dim| self.solver.resolve(dim), &mut Shape::clone);
            !constraint.is_about_shapes() && constraint.variables().iter().all(is_setting)
        };
        let mut open = self.path.iter().filter(|literal| !self.settled.contains(literal));
        self.path_conditions().is_empty()
            || !self.solver.excludes_defaults()
                && open.all(|literal| {
                    let decision = self.decisions.get(literal.decision.0 as usize);
                    decision.and_then(|it| it.constraint.as_ref()).is_some_and(is_of_settings)
                })
    }

    /// Whether a condition is surely not what it has to be, whatever positive numbers the settings are.
    pub(crate) fn surely_is(&mut self, value: &Value, truth: bool) -> bool {
        let Value::Condition(constraint) = value else { return matches!(value, Value::Bool(it) if *it == truth) };
        let known = if truth { Constraint::clone(constraint) } else { constraint.negated() };
        let mark = self.solver.mark();
        for setting in constraint.variables().into_iter().filter(|var| var.kind() == VarKind::Config) {
            self.solver.assume(&Constraint::LessEqual(Dim::ONE, Dim::var(setting)));
        }
        let is_sure = !self.solver.is_contradictory() && self.solver.judge(&known) == Verdict::Holds;
        self.solver.rollback(mark);
        is_sure
    }

    /// Reports an `if` that raises with the settings as they are.
    pub(crate) fn report_raise_at_defaults(&mut self, value: &Value, test: &Expr, body: &[Stmt]) -> Eval<()> {
        match body.first() {
            Some(Stmt { kind: StmtKind::Raise { exception: Some(_), .. }, range }) => {
                let place = self.span(*range);
                self.report_guard_at_defaults("raise", value, test, false, place)
            }
            _ => Ok(()),
        }
    }

    /// Reports a guard of sizes that stops the program with the settings that its files hold. What options have by default may never be
    /// used.
    pub(crate) fn report_guard_at_defaults(
        &mut self,
        api: &'static str,
        value: &Value,
        test: &Expr,
        wanted: bool,
        place: Span,
    ) -> Eval<()> {
        let is_script = self.entry.kind != EntryKind::Symbolic && self.inference.is_none();
        if matches!(value, Value::Bool(_)) || !is_script || self.exceptions.caught > 0 {
            return Ok(());
        }
        let Some(Comparison { left, operator, right }) = self.comparison_of_sizes(test, wanted) else { return Ok(()) };
        let mut sides = Vec::with_capacity(2);
        for side in [left, right] {
            let value = self.evaluate(side)?;
            let Some(dims) = self.measured_sizes(&value) else { return Ok(()) };
            if !dims.iter().all(|dim| self.is_told_by_files(*dim)) {
                return Ok(());
            }
            let defaults: Option<Vec<i64>> = dims.iter().map(|dim| self.solver.at_default(*dim)).collect();
            let Some(defaults) = defaults else { return Ok(()) };
            sides.push((dims, defaults));
        }
        let (first, second) = (&sides[0].1, &sides[1].1);
        if first.len() != second.len() || compares(first, operator, second) == wanted {
            return Ok(());
        }
        if !self.fails_on_every_way(place) {
            return Ok(());
        }
        let shown = |dims: &[Dim]| match dims {
            [dim] => dim.to_string(),
            _ => Shape::known(dims.to_vec()).to_string(),
        };
        let (first, second) = (shown(&sides[0].0), shown(&sides[1].0));
        let sign = sign_of(operator);
        let source = self.source_text(self.span(test.range)).to_owned();
        let (message, condition) = if wanted {
            (format!("`{source}` must hold, but does not with the settings as they are"), sign_of(opposite(operator)))
        } else {
            (format!("`{source}` makes the program stop with the settings as they are"), sign)
        };
        self.fails_always(Subject::Operands, api, message, Some(format!("{first} {condition} {second}")), place);
        Ok(())
    }

    /// Whether no setting but those of the program's files decides a size.
    fn is_told_by_files(&self, dim: Dim) -> bool {
        let is_known = |var: &Var| self.model_state.settings.variables.values().any(|known| known == var);
        self.solver.resolve(dim).vars().iter().all(|var| var.kind() == VarKind::Config && is_known(var))
    }

    /// The comparison of sizes that makes a condition what it must not be.
    fn failing_comparison<'e>(&mut self, test: &'e Expr, wanted: bool) -> Eval<Option<Comparison<'e>>> {
        match &test.kind {
            ExprKind::Unary { operator: UnaryOperator::Not, operand } => self.failing_comparison(operand, !wanted),
            ExprKind::Boolean { operator, values } => {
                // Of a conjunction that must hold, and of a disjunction that must not, one part is enough. Of the others, all parts are what
                // they must not be, and one that compares sizes says why.
                let is_one_enough = (*operator == BooleanOperator::And) == wanted;
                for value in values {
                    if !is_plain(value) {
                        return Ok(None);
                    }
                    if !is_one_enough {
                        match self.failing_comparison(value, wanted)? {
                            Some(comparison) => return Ok(Some(comparison)),
                            None => continue,
                        }
                    }
                    let part = self.evaluate_condition(value)?;
                    if self.surely_is(&part, !wanted) {
                        return self.failing_comparison(value, wanted);
                    }
                }
                Ok(None)
            }
            ExprKind::Compare { .. } => Ok(self.comparison_of_sizes(test, wanted)),
            _ => Ok(None),
        }
    }

    /// A comparison that is one of sizes, where it guards against what it must not be.
    fn comparison_of_sizes<'e>(&self, test: &'e Expr, wanted: bool) -> Option<Comparison<'e>> {
        match &test.kind {
            ExprKind::Unary { operator: UnaryOperator::Not, operand } => self.comparison_of_sizes(operand, !wanted),
            ExprKind::Compare { left, rest } => {
                let [(operator, right)] = rest.as_slice() else { return None };
                let is_equation = *operator == if wanted { CompareOperator::Equal } else { CompareOperator::NotEqual };
                let is_order = matches!(
                    operator,
                    CompareOperator::Less
                        | CompareOperator::LessEqual
                        | CompareOperator::Greater
                        | CompareOperator::GreaterEqual
                );
                let measures = self.measures_here(left) || self.measures_here(right);
                let divides = is_remainder(left) || is_remainder(right);
                let is_of_sizes = (is_equation && (measures || divides)) || (is_order && measures);
                let is_pure = is_plain(left) && is_plain(right);
                (is_of_sizes && is_pure).then_some(Comparison { left, operator: *operator, right })
            }
            _ => None,
        }
    }

    /// Whether an expression asks a tensor how large it is, or names what the running function got from such a question.
    fn measures_here(&self, expression: &Expr) -> bool {
        let named = |name: Name| {
            let function = self.frames.last().and_then(|frame| frame.function.clone());
            function.is_some_and(|function| is_measured_once(&function.body, name))
        };
        match &expression.kind {
            ExprKind::Name(name) => named(*name),
            ExprKind::Binary { left, right, .. } => self.measures_here(left) || self.measures_here(right),
            _ => measures(expression),
        }
    }

    /// The numbers of a size, a tuple of sizes, or a shape.
    fn measured_sizes(&self, value: &Value) -> Option<Vec<Dim>> {
        match self.read(value) {
            Value::Int(dim) => Some(vec![self.solver.resolve(dim)]),
            Value::Tuple(items) => {
                items.iter().map(|item| self.read(item).as_dim().map(|dim| self.solver.resolve(dim))).collect()
            }
            Value::List(id) => {
                let data = self.heap.list(id).filter(|data| data.rest.is_none())?;
                data.items.iter().map(|item| self.read(item).as_dim().map(|dim| self.solver.resolve(dim))).collect()
            }
            Value::Size(shape) => self.solver.resolve_shape(&shape).dims(),
            _ => None,
        }
    }
}

/// Whether an expression may be evaluated again without doing anything.
fn is_plain(expression: &Expr) -> bool {
    match &expression.kind {
        ExprKind::Name(_) | ExprKind::Int(_) | ExprKind::Bool(_) | ExprKind::None => true,
        ExprKind::Attribute { value, .. } => is_plain(value),
        ExprKind::Subscript { value, index } => is_plain(value) && is_plain(index),
        ExprKind::Slice { lower, upper, step } => {
            [lower, upper, step].into_iter().flatten().all(|bound| is_plain(bound))
        }
        ExprKind::Unary { operand, .. } | ExprKind::Starred(operand) => is_plain(operand),
        ExprKind::Binary { left, right, .. } => is_plain(left) && is_plain(right),
        ExprKind::Boolean { values, .. } => values.iter().all(is_plain),
        ExprKind::Compare { left, rest } => is_plain(left) && rest.iter().all(|(_, right)| is_plain(right)),
        ExprKind::Tuple(items) | ExprKind::List(items) => items.iter().all(is_plain),
        ExprKind::Call(call) => {
            let is_measure = match &call.function.kind {
                ExprKind::Name(name) => PURE.contains(&name.as_str()),
                ExprKind::Attribute { value, attribute, .. } => {
                    MEASURES.contains(&attribute.as_str()) && is_plain(value)
                }
                _ => false,
            };
            is_measure && call.arguments.iter().all(|argument| is_plain(&argument.value))
        }
        _ => false,
    }
}

/// Whether statements give a name a value once only, outside of branches and loops, and that a size: `batch, length = x.shape`.
fn is_measured_once(body: &[Stmt], name: Name) -> bool {
    let is_name = |target: &Expr| matches!(&target.kind, ExprKind::Name(known) if *known == name);
    let mut given = body.iter().filter_map(|statement| match &statement.kind {
        StmtKind::Assign { targets, value } => {
            let gives = targets.iter().any(|target| match &target.kind {
                ExprKind::Tuple(parts) | ExprKind::List(parts) => parts.iter().any(is_name),
                _ => is_name(target),
            });
            gives.then_some(Some(value))
        }
        StmtKind::AugmentedAssign { target, .. } => is_name(target).then_some(None),
        _ => None,
    });
    given.next().flatten().is_some_and(measures) && given.next().is_none()
}

/// Whether an expression asks a tensor how large it is.
fn measures(expression: &Expr) -> bool {
    match &expression.kind {
        ExprKind::Attribute { value, attribute, .. } => MEASURED.contains(&attribute.as_str()) || measures(value),
        ExprKind::Subscript { value, .. } => measures(value),
        ExprKind::Unary { operand, .. } => measures(operand),
        ExprKind::Binary { left, right, .. } => measures(left) || measures(right),
        ExprKind::Tuple(items) | ExprKind::List(items) => items.iter().any(measures),
        ExprKind::Call(call) => match &call.function.kind {
            ExprKind::Attribute { attribute, .. } => MEASURES.contains(&attribute.as_str()),
            _ => false,
        },
        _ => false,
    }
}

fn is_remainder(expression: &Expr) -> bool {
    matches!(&expression.kind, ExprKind::Binary { operator: BinaryOperator::Modulo, .. })
}

/// Whether two lists of as many numbers compare as an operator says.
fn compares(first: &[i64], operator: CompareOperator, second: &[i64]) -> bool {
    match operator {
        CompareOperator::NotEqual => first != second,
        CompareOperator::Less => first < second,
        CompareOperator::LessEqual => first <= second,
        CompareOperator::Greater => first > second,
        CompareOperator::GreaterEqual => first >= second,
        _ => first == second,
    }
}

fn opposite(operator: CompareOperator) -> CompareOperator {
    match operator {
        CompareOperator::NotEqual => CompareOperator::Equal,
        CompareOperator::Less => CompareOperator::GreaterEqual,
        CompareOperator::LessEqual => CompareOperator::Greater,
        CompareOperator::Greater => CompareOperator::LessEqual,
        CompareOperator::GreaterEqual => CompareOperator::Less,
        _ => CompareOperator::NotEqual,
    }
}

fn sign_of(operator: CompareOperator) -> &'static str {
    match operator {
        CompareOperator::NotEqual => "!=",
        CompareOperator::Less => "<",
        CompareOperator::LessEqual => "<=",
        CompareOperator::Greater => ">",
        CompareOperator::GreaterEqual => ">=",
        _ => "==",
    }
}
