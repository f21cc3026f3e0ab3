//! Lowers string, bytes and f-string literals to Harp's own syntax tree, adjacent ones joined.

use std::sync::Arc;

use ruff_python_ast as ast;

use super::Lowering;
use crate::ir::{ExprKind, FStringFormat, FStringPart};

pub(super) fn bytes(value: &ast::BytesLiteralValue) -> ExprKind {
    match value.as_slice() {
        [single] => ExprKind::Bytes(Arc::from(&*single.value)),
        parts => ExprKind::Bytes(parts.iter().flat_map(|part| part.value.iter().copied()).collect()),
    }
}

/// Literal text is gathered until an interpolation ends it.
#[derive(Default)]
struct Parts {
    parts: Vec<FStringPart>,
    literal: String,
}

impl Parts {
    fn end_literal(&mut self) {
        if !self.literal.is_empty() {
            self.parts.push(FStringPart::Literal(Arc::from(self.literal.as_str())));
            self.literal.clear();
        }
    }
}

impl<'a> Lowering<'a> {
    /// An f-string, with the plain strings next to it. Without interpolations it is a `Str`.
    pub(super) fn fstring(&mut self, value: &'a ast::FStringValue) -> ExprKind {
        let mut parts = Parts::default();
        for part in value {
            match part {
                ast::FStringPart::Literal(text) => parts.literal.push_str(&text.value),
                ast::FStringPart::FString(fstring) => {
                    for element in &fstring.elements {
                        self.element(element, &mut parts);
                    }
                }
            }
        }
        if parts.parts.is_empty() {
            return ExprKind::Str(Arc::from(parts.literal.as_str()));
        }
        parts.end_literal();
        ExprKind::FString(parts.parts)
    }

    fn element(&mut self, element: &'a ast::InterpolatedStringElement, parts: &mut Parts) {
        let interpolation = match element {
            ast::InterpolatedStringElement::Literal(text) => return parts.literal.push_str(&text.value),
            ast::InterpolatedStringElement::Interpolation(interpolation) => interpolation,
        };
        if let Some(debug_text) = &interpolation.debug_text {
            parts.literal.push_str(debug_text.as_str());
        }
        parts.end_literal();
        let value = self.expr(&interpolation.expression);
        let conversion = match interpolation.conversion {
            ast::ConversionFlag::Str => Some('s'),
            ast::ConversionFlag::Ascii => Some('a'),
            ast::ConversionFlag::Repr => Some('r'),
            // `f"{x=}"` shows the representation unless told otherwise.
            ast::ConversionFlag::None => {
                (interpolation.debug_text.is_some() && interpolation.format_spec.is_none()).then_some('r')
            }
        };
        let format = interpolation.format_spec.as_deref().map(|format| match constant_format(format) {
            Some(text) => FStringFormat::Constant(text),
            None => {
                let mut inner = Parts::default();
                for element in &format.elements {
                    self.element(element, &mut inner);
                }
                inner.end_literal();
                FStringFormat::Computed(inner.parts)
            }
        });
        parts.parts.push(FStringPart::Interpolation { value, conversion, format });
    }
}

fn constant_format(format: &ast::InterpolatedStringFormatSpec) -> Option<Arc<str>> {
    let mut text = String::new();
    for element in &format.elements {
        match element {
            ast::InterpolatedStringElement::Literal(literal) => text.push_str(&literal.value),
            ast::InterpolatedStringElement::Interpolation(_) => return None,
        }
    }
    Some(Arc::from(text.as_str()))
}
