//! Lowers the patterns of `match` statements to Harp's own syntax tree. Captures bind names.

use ruff_python_ast as ast;

use super::{Lowering, range_of};
use crate::ir::{Expr, ExprKind, Pattern};
use crate::name::Name;

impl<'a> Lowering<'a> {
    pub(super) fn pattern(&mut self, node: &'a ast::Pattern) -> Pattern {
        self.deeper(range_of(node), Pattern::Capture(None), |lowering| lowering.pattern_kind(node))
    }

    fn pattern_kind(&mut self, node: &'a ast::Pattern) -> Pattern {
        match node {
            ast::Pattern::MatchValue(node) => Pattern::Value(self.expr(&node.value)),
            ast::Pattern::MatchSingleton(node) => {
                let kind = match node.value {
                    ast::Singleton::None => ExprKind::None,
                    ast::Singleton::True => ExprKind::Bool(true),
                    ast::Singleton::False => ExprKind::Bool(false),
                };
                Pattern::Singleton(Expr::new(range_of(node), kind))
            }
            ast::Pattern::MatchSequence(node) => Pattern::Sequence(self.patterns(&node.patterns)),
            ast::Pattern::MatchStar(node) => Pattern::Star(self.capture(node.name.as_ref())),
            ast::Pattern::MatchMapping(node) => {
                let pairs = node.keys.iter().zip(&node.patterns);
                let entries = pairs.map(|(key, pattern)| (self.expr(key), self.pattern(pattern))).collect();
                Pattern::Mapping { entries, rest: self.capture(node.rest.as_ref()) }
            }
            ast::Pattern::MatchClass(node) => {
                let class = self.expr(&node.cls);
                let positional = self.patterns(&node.arguments.patterns);
                let keywords = node.arguments.keywords.iter();
                let keywords = keywords.map(|keyword| (self.identifier(&keyword.attr), self.pattern(&keyword.pattern)));
                Pattern::Class { class, positional, keywords: keywords.collect() }
            }
            ast::Pattern::MatchAs(node) => {
                let pattern = node.pattern.as_deref().map(|pattern| self.pattern(pattern));
                match (pattern, self.capture(node.name.as_ref())) {
                    (Some(pattern), Some(name)) => Pattern::As { pattern: Box::new(pattern), name },
                    (Some(pattern), None) => pattern,
                    (None, name) => Pattern::Capture(name),
                }
            }
            ast::Pattern::MatchOr(node) => Pattern::Or(self.patterns(&node.patterns)),
        }
    }

    fn patterns(&mut self, nodes: &'a [ast::Pattern]) -> Vec<Pattern> {
        nodes.iter().map(|node| self.pattern(node)).collect()
    }

    fn capture(&mut self, identifier: Option<&'a ast::Identifier>) -> Option<Name> {
        let name = self.identifier(identifier?);
        self.bind(name);
        Some(name)
    }
}
