//! torchtext's tokenisers: what one makes of a text has a length that nobody knows, and that of a text in another
//! language has nothing to do with it.

use harp_interp::api::library_model::MethodHandler;
use harp_interp::budget::costly_calls::EntryKind;
use harp_interp::calls::call::CallArguments;
use harp_interp::state::interpreter::{Eval, Interpreter};
use harp_interp::values::fresh_dims::VOCABULARIES;
use harp_interp::values::value::Value;
use harp_python::name::name;
use harp_shape::{Dim, Var, VarInfo};

/// What the number of words of a text is called.
const TOKENS: &str = "tokens";

pub fn instance_call(class: &str) -> Option<MethodHandler> {
    Some(match class {
        "torchtext.data.utils.get_tokenizer" => tokenize,
        "torchtext.vocab.Vocab" => look_up,
        _ => return None,
    })
}

/// Methods of a vocabulary: `forward` and `lookup_indices` do what calling it does.
pub fn method(name: &str) -> Option<MethodHandler> {
    matches!(name, "torchtext.vocab.Vocab.forward" | "torchtext.vocab.Vocab.lookup_indices").then_some(look_up)
}

/// A tokeniser by name is a library's; without a name it takes texts apart at spaces; any other is the program's own function.
fn tokenize(interpreter: &mut Interpreter<'_>, tokenizer: &Value, arguments: CallArguments) -> Eval {
    let Some(data) = interpreter.instance_data(tokenizer) else { return Ok(Value::Unknown("tokens")) };
    let argument = |name: &str| {
        let given = data.arguments.iter().find(|(known, _)| known.as_str() == name);
        given.map(|(_, value)| interpreter.read(value))
    };
    let (name, language) = (argument("tokenizer"), argument("language"));
    match name {
        Some(Value::Str(name)) => {
            let source = name.zip(language.as_ref().and_then(Value::as_text).map(str::to_owned));
            let source = source.map(|(name, language)| number_of(&[&name, &language]));
            let count = number_of_tokens(interpreter, source);
            Ok(interpreter.list_of_length(Value::Str(None), count))
        }
        Some(Value::None) => {
            let text = arguments.positional.first().cloned().unwrap_or(Value::Str(None));
            let split = interpreter.get_attribute(&text, name!("split"), arguments.span)?;
            interpreter.call(&split, CallArguments::empty(arguments.span))
        }
        Some(function @ (Value::Function(_) | Value::BoundMethod(_) | Value::Library(_) | Value::LibraryMethod(_))) => {
            interpreter.call(&function, arguments)
        }
        _ => Ok(Value::Unknown("tokens")),
    }
}

/// As many numbers as there are words.
fn look_up(interpreter: &mut Interpreter<'_>, _: &Value, arguments: CallArguments) -> Eval {
    let words = arguments.get(0, "tokens").cloned().unwrap_or(Value::None);
    let index = Value::Int(interpreter.free_dim("index", 0));
    if let Some(count) =
        interpreter.length_of(&words).and_then(Dim::as_const).and_then(|count| usize::try_from(count).ok())
    {
        return Ok(Value::List(interpreter.heap.allocate_list(vec![index; count])));
    }
    let count = interpreter.length_of_open(&words);
    let count = count.unwrap_or_else(|| number_of_tokens(interpreter, None));
    Ok(interpreter.list_of_length(index, count))
}

/// Whoever calls a function that nobody calls knows how long the texts are that it gets.
pub(crate) fn number_of_tokens(interpreter: &mut Interpreter<'_>, source: Option<u32>) -> Dim {
    if interpreter.entry.kind == EntryKind::Symbolic {
        return interpreter.free_dim(TOKENS, 0);
    }
    Dim::var(Var::fresh(VarInfo::counted(TOKENS).counted_in(source)))
}

/// A number for texts: other texts have another one, but for what chance makes the same (FNV-1a).
fn number_of(texts: &[&str]) -> u32 {
    let bytes = texts.iter().flat_map(|text| text.bytes().chain([0]));
    let hash = bytes.fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    hash.max(VOCABULARIES + 1)
}
