//! Parses chains of methods that are written on several lines, for the line that Python names when a call fails.

use ruff_python_ast as ast;
use ruff_python_parser::{Mode, ParseOptions, parse_unchecked};
use ruff_text_size::Ranged;

use crate::nesting;

/// Longer texts are no chains that somebody wrote, and neither are deeper ones.
const LONGEST: usize = 20_000;
const DEEPEST: u32 = 60;

/// Where the method's name stands in the text of a call, if that is on a later line than the one on which the call begins. That is the line which
/// Python names when the call fails.
pub fn start_of_last_link(text: &str) -> Option<usize> {
    if text.len() > LONGEST || !text.contains('\n') || !text.ends_with(')') {
        return None;
    }
    // In parentheses its lines are one.
    let nesting = nesting::scan(&format!("({text})"), 0);
    if nesting.deepest > DEEPEST || !nesting.refused.is_empty() {
        return None;
    }
    let parsed = parse_unchecked(text, ParseOptions::from(Mode::ParenthesizedExpression));
    let ast::Mod::Expression(module) = parsed.syntax() else { return None };
    let ast::Expr::Call(call) = &*module.body else { return None };
    let ast::Expr::Attribute(function) = &*call.func else { return None };
    let start = function.attr.range().start().to_usize();
    text.get(..start)?.contains('\n').then_some(start)
}

#[cfg(test)]
mod tests {
    use super::start_of_last_link;

    #[test]
    fn names_the_method_on_a_later_line() {
        let link = |text: &str| start_of_last_link(text).map(|start| text[start..].to_owned());
        assert_eq!(link("torch.zeros(2, 3) \\\n    .view(7)"), Some("view(7)".to_owned()));
        assert_eq!(link("x\n    .view(\n  2)\n  .t()"), Some("t()".to_owned()));
        assert_eq!(link("torch.cat([\n  x, y])"), None);
        assert_eq!(link("f(x)(\n  y)"), None);
        assert_eq!(link("x +\n y.f()"), None);
        assert_eq!(link("x.(\n"), None);
    }
}
