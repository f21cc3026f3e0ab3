//! Statements on single elements, translated into statements on slices of arrays.

use crate::Program;
use crate::callee;
use crate::subscripts::{Affine, RangeLoop, affine, dotted, index_parts, text};
use crate::vectorise::{Container, ContainerKind};
use harp_python::ir::{ArgumentKind, BinaryOperator, Call, Expr, ExprKind, Stmt, StmtKind, UnaryOperator};
use harp_python::name::Name;
use harp_trace::{TensorOrigin, ValueKind};

/// An expression on whole arrays, with the strength of its outermost operator.
struct Piece {
    text: String,
    precedence: u8,
}

const ATOM: u8 = 9;

pub struct Translator<'a, 'l> {
    program: Program<'a>,
    range_loop: &'l RangeLoop<'a>,
    start: Bound,
    stop: Bound,
    pub temporaries: Vec<Name>,
    /// Names that the body assigns.
    assigned: Vec<Name>,
    pub containers: Vec<Container>,
    pub arithmetic: usize,
    pub floating: usize,
    pub reads_steady: bool,
    pub reads_index: bool,
    library: &'static str,
}

/// A bound of the range.
pub enum Bound {
    Constant(i64),
    Text(String),
}

impl Bound {
    pub fn of(expression: Option<&Expr>, text: impl FnOnce(&Expr) -> String) -> Bound {
        match expression {
            None => Bound::Constant(0),
            Some(Expr { kind: ExprKind::Int(value), .. }) => Bound::Constant(*value),
            Some(other) => Bound::Text(text(other)),
        }
    }

    /// The bound moved by an offset; `None` where it would wrap around to the end.
    fn moved(&self, offset: i64) -> Option<String> {
        match self {
            Bound::Constant(value) => {
                let moved = value.checked_add(offset)?;
                (moved >= 0).then(|| moved.to_string())
            }
            Bound::Text(text) => Some(moved_text(text, offset)),
        }
    }
}

/// `n - 1` moved by 1 is `n`.
fn moved_text(text: &str, offset: i64) -> String {
    for (sign, factor) in [(" - ", -1), (" + ", 1)] {
        if let Some((rest, last)) = text.rsplit_once(sign)
            && let Ok(value) = last.parse::<i64>()
            && !rest.contains(['+', '-', '*', '/', '%', '(', ')'])
        {
            return match factor * value + offset {
                0 => rest.to_owned(),
                sum if sum > 0 => format!("{rest} + {sum}"),
                sum => format!("{rest} - {}", sum.unsigned_abs()),
            };
        }
    }
    match offset {
        0 => text.to_owned(),
        _ if offset > 0 => format!("{text} + {offset}"),
        _ => format!("{text} - {}", offset.unsigned_abs()),
    }
}

impl<'a, 'l> Translator<'a, 'l> {
    pub fn new(program: Program<'a>, range_loop: &'l RangeLoop<'a>, start: Bound, stop: Bound) -> Self {
        Translator {
            program,
            range_loop,
            start,
            stop,
            temporaries: Vec::new(),
            assigned: Vec::new(),
            containers: Vec::new(),
            arithmetic: 0,
            floating: 0,
            reads_steady: false,
            reads_index: false,
            library: "np",
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
                let kinds = self.program.trace.sites.get(&self.range_loop.span(value)).map(|site| &site.kinds);
                if kinds.is_some_and(|kinds| kinds.contains(&ValueKind::Tensor(TensorOrigin::Torch))) {
                    self.library = "torch";
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

    pub fn statement(&mut self, statement: &Stmt) -> Option<String> {
        match &statement.kind {
            StmtKind::Assign { targets, value } => {
                let value = self.expression(value)?;
                let target = self.target(targets.first()?)?;
                Some(format!("{target} = {}", value.text))
            }
            StmtKind::AugmentedAssign { target, operator, value } => {
                let sign = sign(*operator)?.0;
                let value = self.expression(value)?;
                // A sum over all iterations, or a running value, is no element-wise operation.
                if matches!(target.kind, ExprKind::Name(_)) {
                    return None;
                }
                self.arithmetic += 1;
                let target = self.target(target)?;
                Some(format!("{target} {sign}= {}", value.text))
            }
            StmtKind::Pass => Some("pass".to_owned()),
            _ => None,
        }
    }

    fn target(&mut self, target: &Expr) -> Option<String> {
        match &target.kind {
            ExprKind::Name(name) => {
                self.temporaries.push(*name);
                Some(name.as_str().to_owned())
            }
            ExprKind::Subscript { value, index } => self.slice(value, index, true),
            _ => None,
        }
    }

    fn expression(&mut self, expression: &Expr) -> Option<Piece> {
        match &expression.kind {
            ExprKind::Int(_) => Some(self.as_written(expression, ATOM)),
            ExprKind::Float(_) => {
                self.floating += 1;
                Some(self.as_written(expression, ATOM))
            }
            ExprKind::Name(name) if *name == self.range_loop.target => {
                self.reads_index = true;
                let (start, stop) = (self.start.moved(0)?, self.stop.moved(0)?);
                let range = if start == "0" { stop } else { format!("{start}, {stop}") };
                Some(Piece { text: format!("{}.arange({range})", self.library), precedence: ATOM })
            }
            ExprKind::Name(name) => {
                let is_ready = self.temporaries.contains(name) || !self.assigned.contains(name);
                self.reads_steady |= !self.assigned.contains(name);
                is_ready.then(|| self.as_written(expression, ATOM))
            }
            ExprKind::Attribute { .. } => {
                let (root, _) = dotted(expression)?;
                let is_steady = root != self.range_loop.target && !self.assigned.contains(&root);
                self.reads_steady = true;
                is_steady.then(|| self.as_written(expression, ATOM))
            }
            ExprKind::Subscript { value, index } => {
                let text = self.slice(value, index, false)?;
                Some(Piece { text, precedence: ATOM })
            }
            ExprKind::Unary { operator, operand } => {
                let sign = match operator {
                    UnaryOperator::Minus => "-",
                    UnaryOperator::Plus => "+",
                    UnaryOperator::Not | UnaryOperator::Invert => return None,
                };
                let operand = self.expression(operand)?;
                self.arithmetic += 1;
                Some(Piece { text: format!("{sign}{}", operand.wrapped(3)), precedence: 3 })
            }
            ExprKind::Binary { operator, left, right } => {
                let (sign, precedence) = sign(*operator)?;
                let (left, right) = (self.expression(left)?, self.expression(right)?);
                self.arithmetic += 1;
                self.floating += usize::from(*operator == BinaryOperator::Divide);
                let (left_least, right_least) =
                    if *operator == BinaryOperator::Power { (5, 3) } else { (precedence, precedence + 1) };
                let text = format!("{} {sign} {}", left.wrapped(left_least), right.wrapped(right_least));
                Some(Piece { text, precedence })
            }
            ExprKind::Call(call) => self.call(call),
            _ => None,
        }
    }

    fn as_written(&self, expression: &Expr, precedence: u8) -> Piece {
        Piece { text: text(self.program, self.range_loop.span(expression)), precedence }
    }

    /// Calls of functions on one number become those on arrays.
    fn call(&mut self, call: &Call) -> Option<Piece> {
        if call.arguments.iter().any(|argument| argument.kind != ArgumentKind::Positional) {
            return None;
        }
        let arguments: Option<Vec<Piece>> =
            call.arguments.iter().map(|argument| self.expression(&argument.value)).collect();
        let mut arguments = arguments?;
        let library = self.library;
        let function = match &call.function.kind {
            ExprKind::Name(name) => match (name.as_str(), arguments.len()) {
                ("float", 1) => return arguments.pop(),
                ("abs", 1) => format!("{library}.abs"),
                ("max", 2) => format!("{library}.maximum"),
                ("min", 2) => format!("{library}.minimum"),
                _ => return None,
            },
            ExprKind::Attribute { value, attribute, .. } => match &value.kind {
                ExprKind::Name(module) if module.as_str() == "math" => {
                    self.floating += 1;
                    let name = callee::array_function(attribute.as_str())?;
                    let name = if library == "torch" && name == "power" { "pow" } else { name };
                    format!("{library}.{name}")
                }
                ExprKind::Name(module) if matches!(module.as_str(), "np" | "numpy" | "torch") => {
                    let name = callee::array_function(attribute.as_str()).or_else(|| {
                        matches!(attribute.as_str(), "abs" | "maximum" | "minimum").then_some(attribute.as_str())
                    });
                    format!("{module}.{}", name?)
                }
                _ => return None,
            },
            _ => return None,
        };
        self.arithmetic += 1;
        let arguments: Vec<String> = arguments.into_iter().map(|argument| argument.text).collect();
        Some(Piece { text: format!("{function}({})", arguments.join(", ")), precedence: ATOM })
    }

    /// `x[i + 1]` as a slice; an index without the loop variable stays.
    fn slice(&mut self, value: &Expr, index: &Expr, is_write: bool) -> Option<String> {
        let parts = index_parts(index);
        let variable = self.range_loop.target;
        let moving: Vec<usize> = (0..parts.len()).filter(|part| mentions(&parts[*part], variable)).collect();
        match &moving[..] {
            [] if is_write || mentions(value, variable) => None,
            [] => {
                let (root, _) = dotted(crate::read_statements::base(value))?;
                self.reads_steady = true;
                let is_written = self.containers.iter().any(|it| it.is_written && it.root == root);
                let is_steady =
                    !is_written && !self.assigned.contains(&root) && parts.iter().all(|part| self.is_steady(part));
                is_steady.then(|| {
                    format!("{}[{}]", text(self.program, self.range_loop.span(value)), self.joined(parts, None))
                })
            }
            [position] => {
                if mentions(value, variable)
                    || !parts.iter().enumerate().all(|(at, part)| at == *position || self.is_steady(part))
                {
                    return None;
                }
                let Affine { coefficient: 1, offset } = affine(&parts[*position], variable)? else { return None };
                self.moving_slice(value, parts, *position, offset, is_write)
            }
            _ => None,
        }
    }

    fn moving_slice(
        &mut self,
        value: &Expr,
        parts: &[Expr],
        position: usize,
        offset: i64,
        is_write: bool,
    ) -> Option<String> {
        let container = crate::read_statements::base(value);
        let (root, path) = dotted(container)?;
        if self.assigned.contains(&root) {
            return None;
        }
        let kind = self.kind(value, is_write)?;
        let (before, behind, has_rank) = self.dimensions_of_element(value, parts, position)?;
        let shown = text(self.program, self.range_loop.span(container));
        self.containers.push(Container {
            text: shown,
            root,
            path,
            kind,
            position,
            before,
            behind,
            has_rank,
            offset,
            is_written: is_write,
            span: self.range_loop.span(container),
        });
        let whole = text(self.program, self.range_loop.span(value));
        let is_all = matches!(&self.stop, Bound::Text(stop) if *stop == format!("len({whole})"))
            && matches!(self.start, Bound::Constant(0))
            && offset == 0
            && parts.len() == 1;
        if is_all {
            return Some(if is_write { format!("{whole}[:]") } else { whole });
        }
        let (start, stop) = (self.start.moved(offset)?, self.stop.moved(offset)?);
        let start = if start == "0" { String::new() } else { start };
        Some(format!("{whole}[{}]", self.joined(parts, Some((position, format!("{start}:{stop}"))))))
    }

    /// The dimensions of an element before and behind the loop's one, and whether they are known; `None` where the index adds some.
    fn dimensions_of_element(&self, value: &Expr, parts: &[Expr], position: usize) -> Option<(usize, usize, bool)> {
        if parts.iter().any(|part| matches!(part.kind, ExprKind::Ellipsis | ExprKind::None)) {
            return None;
        }
        let slices = |parts: &[Expr]| parts.iter().filter(|part| matches!(part.kind, ExprKind::Slice { .. })).count();
        let rank = self.program.trace.sites.get(&self.range_loop.span(value)).and_then(|site| site.rank());
        let left = rank.map_or(0, |rank| rank.saturating_sub(parts.len()));
        Some((slices(&parts[..position]), slices(&parts[position + 1..]) + left, rank.is_some()))
    }

    fn joined(&self, parts: &[Expr], replaced: Option<(usize, String)>) -> String {
        let shown = parts.iter().enumerate().map(|(at, part)| match &replaced {
            Some((position, slice)) if *position == at => slice.clone(),
            _ => text(self.program, self.range_loop.span(part)),
        });
        shown.collect::<Vec<_>>().join(", ")
    }

    /// Whether an index has the same value in all iterations: names that the body does not assign, and constants.
    fn is_steady(&self, index: &Expr) -> bool {
        match &index.kind {
            ExprKind::Name(name) => *name != self.range_loop.target && !self.assigned.contains(name),
            ExprKind::Int(_) | ExprKind::Ellipsis | ExprKind::None => true,
            ExprKind::Attribute { value, .. } => self.is_steady(value),
            ExprKind::Binary { left, right, .. } => self.is_steady(left) && self.is_steady(right),
            ExprKind::Unary { operand, .. } => self.is_steady(operand),
            ExprKind::Slice { lower, upper, step } => {
                [lower, upper, step].into_iter().flatten().all(|bound| self.is_steady(bound))
            }
            _ => false,
        }
    }

    /// The kind of a container; `None` for one whose elements are no numbers at places.
    fn kind(&self, value: &Expr, is_write: bool) -> Option<ContainerKind> {
        let site = self.program.trace.sites.get(&self.range_loop.span(value));
        let mut found = ContainerKind::Unknown;
        for kind in site.map_or(&[][..], |site| &site.kinds) {
            found = match kind {
                ValueKind::Tensor(TensorOrigin::Torch) => ContainerKind::Tensor,
                ValueKind::Tensor(TensorOrigin::NumPy) => ContainerKind::Array,
                ValueKind::List => ContainerKind::List,
                ValueKind::Tuple if !is_write => ContainerKind::List,
                ValueKind::Unknown => found,
                _ => return None,
            };
        }
        Some(found)
    }
}

impl Piece {
    /// In parentheses where it binds less than what is around it.
    fn wrapped(&self, least: u8) -> String {
        if self.precedence < least { format!("({})", self.text) } else { self.text.clone() }
    }
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

fn mentions(expression: &Expr, variable: Name) -> bool {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_move_with_the_offset() {
        assert_eq!(moved_text("n - 1", 1), "n");
        assert_eq!(moved_text("n", 2), "n + 2");
        assert_eq!(moved_text("len(a)", -1), "len(a) - 1");
        assert_eq!(moved_text("a * b - 1", 1), "a * b - 1 + 1");
        assert_eq!(Bound::Constant(1).moved(-1).as_deref(), Some("0"));
        assert_eq!(Bound::Constant(0).moved(-1), None);
    }
}
