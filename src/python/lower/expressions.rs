//! Lowers expressions, arguments and comprehensions to Harp's own syntax tree.

use std::sync::Arc;

use ruff_python_ast as ast;

use super::{Lowering, range_of, strings};
use crate::ir::{
    Argument, ArgumentKind, BinaryOperator, BooleanOperator, Call, CompareOperator, Comprehension, ComprehensionKind,
    Expr, ExprKind, Generator, Range, UnaryOperator,
};

impl<'a> Lowering<'a> {
    pub(super) fn expr(&mut self, node: &'a ast::Expr) -> Expr {
        let range = range_of(node);
        let kind = self.deeper(range, ExprKind::Invalid, |lowering| lowering.expr_kind(node));
        let imported = match &kind {
            ExprKind::Name(name) => self.imported.get(name).copied().flatten(),
            _ => None,
        };
        Expr { range, kind, imported }
    }

    fn boxed(&mut self, node: &'a ast::Expr) -> Box<Expr> {
        Box::new(self.expr(node))
    }

    fn optional_box(&mut self, node: Option<&'a ast::Expr>) -> Option<Box<Expr>> {
        node.map(|node| self.boxed(node))
    }

    pub(super) fn exprs(&mut self, nodes: &'a [ast::Expr]) -> Vec<Expr> {
        nodes.iter().map(|node| self.expr(node)).collect()
    }

    fn expr_kind(&mut self, node: &'a ast::Expr) -> ExprKind {
        match node {
            // The parser recovers with empty names where an expression is missing.
            ast::Expr::Name(node) if node.id.is_empty() => ExprKind::Invalid,
            ast::Expr::Name(node) => ExprKind::Name(self.name(node.id.as_str())),
            ast::Expr::Attribute(node) => self.attribute(node),
            ast::Expr::Call(node) => self.call(node),
            ast::Expr::Subscript(node) => {
                ExprKind::Subscript { value: self.boxed(&node.value), index: self.boxed(&node.slice) }
            }
            ast::Expr::Slice(node) => ExprKind::Slice {
                lower: self.optional_box(node.lower.as_deref()),
                upper: self.optional_box(node.upper.as_deref()),
                step: self.optional_box(node.step.as_deref()),
            },
            ast::Expr::BinOp(node) => ExprKind::Binary {
                operator: binary_operator(node.op),
                left: self.boxed(&node.left),
                right: self.boxed(&node.right),
            },
            ast::Expr::UnaryOp(node) => {
                ExprKind::Unary { operator: unary_operator(node.op), operand: self.boxed(&node.operand) }
            }
            ast::Expr::BoolOp(node) => {
                ExprKind::Boolean { operator: boolean_operator(node.op), values: self.exprs(&node.values) }
            }
            ast::Expr::Compare(node) => self.compare(node),
            ast::Expr::If(node) => ExprKind::Conditional {
                test: self.boxed(&node.test),
                body: self.boxed(&node.body),
                orelse: self.boxed(&node.orelse),
            },
            ast::Expr::Lambda(node) => ExprKind::Lambda(self.lambda(node)),
            ast::Expr::Named(node) => self.named(node),
            ast::Expr::Starred(node) => ExprKind::Starred(self.boxed(&node.value)),
            ast::Expr::Await(node) => ExprKind::Await(self.boxed(&node.value)),
            ast::Expr::Yield(node) => {
                self.scope().mark_generator();
                ExprKind::Yield(self.optional_box(node.value.as_deref()))
            }
            ast::Expr::YieldFrom(node) => {
                self.scope().mark_generator();
                ExprKind::YieldFrom(self.boxed(&node.value))
            }
            ast::Expr::IpyEscapeCommand(_) | ast::Expr::TString(_) => ExprKind::Invalid,
            _ => self.display_or_literal(node),
        }
    }

    fn display_or_literal(&mut self, node: &'a ast::Expr) -> ExprKind {
        match node {
            ast::Expr::List(node) => ExprKind::List(self.exprs(&node.elts)),
            ast::Expr::Tuple(node) => ExprKind::Tuple(self.exprs(&node.elts)),
            ast::Expr::Set(node) => ExprKind::Set(self.exprs(&node.elts)),
            ast::Expr::Dict(node) => {
                let items = node.items.iter();
                let items = items.map(|item| (item.key.as_ref().map(|key| self.expr(key)), self.expr(&item.value)));
                ExprKind::Dict(items.collect())
            }
            ast::Expr::ListComp(node) => self.comprehension(ComprehensionKind::List, &node.elt, None, &node.generators),
            ast::Expr::SetComp(node) => self.comprehension(ComprehensionKind::Set, &node.elt, None, &node.generators),
            ast::Expr::Generator(node) => {
                self.comprehension(ComprehensionKind::Generator, &node.elt, None, &node.generators)
            }
            ast::Expr::DictComp(node) => match node.key.as_deref() {
                Some(key) => self.comprehension(ComprehensionKind::Dict, key, Some(&node.value), &node.generators),
                None => ExprKind::Invalid,
            },
            ast::Expr::FString(node) => self.fstring(&node.value),
            ast::Expr::StringLiteral(node) => ExprKind::Str(Arc::from(node.value.to_str())),
            ast::Expr::BytesLiteral(node) => strings::bytes(&node.value),
            ast::Expr::NumberLiteral(node) => number(&node.value),
            ast::Expr::BooleanLiteral(node) => ExprKind::Bool(node.value),
            ast::Expr::NoneLiteral(_) => ExprKind::None,
            ast::Expr::EllipsisLiteral(_) => ExprKind::Ellipsis,
            _ => ExprKind::Invalid,
        }
    }

    fn attribute(&mut self, node: &'a ast::ExprAttribute) -> ExprKind {
        if node.attr.id.is_empty() {
            return ExprKind::Invalid;
        }
        ExprKind::Attribute {
            value: self.boxed(&node.value),
            attribute: self.identifier(&node.attr),
            attribute_range: range_of(&node.attr),
        }
    }

    fn call(&mut self, node: &'a ast::ExprCall) -> ExprKind {
        let function = self.expr(&node.func);
        ExprKind::Call(Box::new(Call { function, arguments: self.arguments(&node.arguments) }))
    }

    /// The arguments of a call or a class, in the order of the text.
    pub(super) fn arguments(&mut self, node: &'a ast::Arguments) -> Vec<Argument> {
        let mut arguments = Vec::with_capacity(node.args.len() + node.keywords.len());
        for argument in node.iter_source_order() {
            match argument {
                ast::ArgOrKeyword::Arg(value) => self.add_positional(value, &mut arguments),
                ast::ArgOrKeyword::Keyword(keyword) => {
                    let kind = match &keyword.arg {
                        Some(name) => ArgumentKind::Keyword(self.identifier(name)),
                        None => ArgumentKind::DoubleStar,
                    };
                    arguments.push(self.argument(range_of(keyword), kind, &keyword.value));
                }
            }
        }
        arguments
    }

    /// `f(*(a, b))` is `f(a, b)`: how many arguments there are is written there.
    fn add_positional(&mut self, value: &'a ast::Expr, arguments: &mut Vec<Argument>) {
        let ast::Expr::Starred(starred) = value else {
            let argument = self.argument(range_of(value), ArgumentKind::Positional, value);
            return arguments.push(argument);
        };
        let items = match &*starred.value {
            ast::Expr::Tuple(tuple) => &tuple.elts,
            ast::Expr::List(list) => &list.elts,
            other => {
                let argument = self.argument(range_of(starred), ArgumentKind::Star, other);
                return arguments.push(argument);
            }
        };
        self.deeper(range_of(value), (), |lowering| {
            items.iter().for_each(|item| lowering.add_positional(item, arguments));
        });
    }

    pub(super) fn argument(&mut self, range: Range, kind: ArgumentKind, value: &'a ast::Expr) -> Argument {
        Argument { range, kind, value: self.expr(value) }
    }

    fn compare(&mut self, node: &'a ast::ExprCompare) -> ExprKind {
        let left = self.boxed(&node.left);
        let pairs = node.ops.iter().zip(&*node.comparators);
        let rest = pairs.map(|(operator, right)| (compare_operator(*operator), self.expr(right))).collect();
        ExprKind::Compare { left, rest }
    }

    fn named(&mut self, node: &'a ast::ExprNamed) -> ExprKind {
        let value = self.boxed(&node.value);
        let ast::Expr::Name(target) = &*node.target else { return ExprKind::Invalid };
        let name = self.name(target.id.as_str());
        // Also from within a comprehension, the name belongs to the function around it.
        self.bind(name);
        ExprKind::Named { target: name, target_range: range_of(target), value }
    }

    /// The targets are names of the comprehension's own, so they are not bound in the scope around it.
    fn comprehension(
        &mut self,
        kind: ComprehensionKind,
        element: &'a ast::Expr,
        value: Option<&'a ast::Expr>,
        generators: &'a [ast::Comprehension],
    ) -> ExprKind {
        let closures = self.closures;
        let element = self.expr(element);
        let value = value.map(|value| self.expr(value));
        let generators = generators.iter().map(|generator| Generator {
            target: self.expr(&generator.target),
            iterable: self.expr(&generator.iter),
            conditions: self.exprs(&generator.ifs),
        });
        let generators: Vec<Generator> = generators.collect();
        let has_closures = self.closures > closures;
        self.closures += u32::from(kind == ComprehensionKind::Generator);
        ExprKind::Comprehension(Arc::new(Comprehension { kind, element, value, generators, has_closures }))
    }
}

fn number(number: &ast::Number) -> ExprKind {
    match number {
        ast::Number::Int(value) => value.as_i64().map_or(ExprKind::BigInt, ExprKind::Int),
        ast::Number::Float(value) => ExprKind::Float(*value),
        ast::Number::Complex { .. } => ExprKind::Complex,
    }
}

pub(super) fn binary_operator(operator: ast::Operator) -> BinaryOperator {
    match operator {
        ast::Operator::Add => BinaryOperator::Add,
        ast::Operator::Sub => BinaryOperator::Subtract,
        ast::Operator::Mult => BinaryOperator::Multiply,
        ast::Operator::MatMult => BinaryOperator::MatrixMultiply,
        ast::Operator::Div => BinaryOperator::Divide,
        ast::Operator::Mod => BinaryOperator::Modulo,
        ast::Operator::Pow => BinaryOperator::Power,
        ast::Operator::LShift => BinaryOperator::LeftShift,
        ast::Operator::RShift => BinaryOperator::RightShift,
        ast::Operator::BitOr => BinaryOperator::BitOr,
        ast::Operator::BitXor => BinaryOperator::BitXor,
        ast::Operator::BitAnd => BinaryOperator::BitAnd,
        ast::Operator::FloorDiv => BinaryOperator::FloorDivide,
    }
}

fn unary_operator(operator: ast::UnaryOp) -> UnaryOperator {
    match operator {
        ast::UnaryOp::Invert => UnaryOperator::Invert,
        ast::UnaryOp::Not => UnaryOperator::Not,
        ast::UnaryOp::UAdd => UnaryOperator::Plus,
        ast::UnaryOp::USub => UnaryOperator::Minus,
    }
}

fn boolean_operator(operator: ast::BoolOp) -> BooleanOperator {
    match operator {
        ast::BoolOp::And => BooleanOperator::And,
        ast::BoolOp::Or => BooleanOperator::Or,
    }
}

fn compare_operator(operator: ast::CmpOp) -> CompareOperator {
    match operator {
        ast::CmpOp::Eq => CompareOperator::Equal,
        ast::CmpOp::NotEq => CompareOperator::NotEqual,
        ast::CmpOp::Lt => CompareOperator::Less,
        ast::CmpOp::LtE => CompareOperator::LessEqual,
        ast::CmpOp::Gt => CompareOperator::Greater,
        ast::CmpOp::GtE => CompareOperator::GreaterEqual,
        ast::CmpOp::Is => CompareOperator::Is,
        ast::CmpOp::IsNot => CompareOperator::IsNot,
        ast::CmpOp::In => CompareOperator::In,
        ast::CmpOp::NotIn => CompareOperator::NotIn,
    }
}
