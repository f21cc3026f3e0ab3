//! Python's `operator`: operators as functions.

use harp_interp::api::library_model::FunctionHandler;
use harp_interp::calls::call::CallArguments;
use harp_interp::state::interpreter::{Eval, Interpreter};
use harp_python::ir::BinaryOperator;
use harp_python::name::Name;

pub fn function(name: &str) -> Option<FunctionHandler> {
    let short = name.strip_prefix("operator.")?;
    match short {
        "getitem" => Some(|this, _, arguments| match &arguments.positional[..] {
            [object, index] => {
                let (object, index) = (object.clone(), index.clone());
                this.get_item(&object, &index, arguments.span)
            }
            _ => Ok(this.symbolic("operator.getitem", arguments.span, true)),
        }),
        _ => operator(short).map(|_| apply as FunctionHandler),
    }
}

fn operator(short: &str) -> Option<BinaryOperator> {
    Some(match short {
        "add" | "concat" => BinaryOperator::Add,
        "sub" => BinaryOperator::Subtract,
        "mul" => BinaryOperator::Multiply,
        "matmul" => BinaryOperator::MatrixMultiply,
        "truediv" => BinaryOperator::Divide,
        "floordiv" => BinaryOperator::FloorDivide,
        "mod" => BinaryOperator::Modulo,
        "pow" => BinaryOperator::Power,
        "or_" => BinaryOperator::BitOr,
        "and_" => BinaryOperator::BitAnd,
        "xor" => BinaryOperator::BitXor,
        _ => return None,
    })
}

/// `mul(left, right)` is `left * right`.
fn apply(interpreter: &mut Interpreter<'_>, name: Name, arguments: CallArguments) -> Eval {
    let span = arguments.span;
    let operator = operator(name.as_str().trim_start_matches("operator."));
    let (Some(operator), [left, right], false) = (operator, &arguments.positional[..], arguments.is_open) else {
        return Ok(interpreter.symbolic(name.as_str(), span, true));
    };
    interpreter.binary(operator, left, right, span, [span, span])
}
