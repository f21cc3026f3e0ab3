//! Options of the analysed program's command line without a default that it computes with: `None` is no number, so that
//! nobody means it there.

use harp_corpus::Corpus;

/// Whether the program computes with an attribute of that name, and nowhere asks whether there is one.
pub(crate) fn is_number_everywhere(corpus: &Corpus, attribute: &str) -> bool {
    let uses: Vec<Use> = corpus.files.iter().flat_map(|file| uses_in(&file.text, attribute)).collect();
    uses.contains(&Use::Number) && !uses.contains(&Use::Question)
}

/// How an attribute is used at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Use {
    /// It is calculated with, compared by size, or counts the rounds of a loop.
    Number,
    /// It is asked whether it is there.
    Question,
    Other,
}

/// Functions that take numbers alone.
const OF_NUMBERS: [&str; 3] = ["range(", "float(", "int("];

fn uses_in(text: &str, attribute: &str) -> Vec<Use> {
    let is_of_word = |next: char| next.is_alphanumeric() || next == '_';
    let places = text.match_indices(attribute).filter(|(place, _)| {
        let after = &text[place + attribute.len()..];
        text[..*place].ends_with('.') && !after.starts_with(is_of_word)
    });
    places.map(|(place, _)| use_at(&text[..place], &text[place + attribute.len()..])).collect()
}

fn use_at(before: &str, after: &str) -> Use {
    let owner = before.trim_end_matches(|next: char| next.is_alphanumeric() || matches!(next, '_' | '.'));
    let (left, right) = (owner.trim_end_matches([' ', '\t']), after.trim_start_matches([' ', '\t']));
    let last_word = left.rsplit(|next: char| !next.is_alphanumeric() && next != '_').next().unwrap_or_default();
    let asks_before = matches!(last_word, "not" | "or" | "and" | "if" | "elif" | "while" | "bool")
        && !right.starts_with(['*', '/', '%', '<', '>', '+', '-']);
    let words = ["is ", "or ", "and ", "==", "!=", "in ", "if ", "else"];
    if asks_before || words.iter().any(|word| right.starts_with(word)) && is_question(right) {
        return Use::Question;
    }
    let is_assigned = right.starts_with('=') && !right.starts_with("==");
    let is_star = left.ends_with('*') && left.trim_end_matches('*').trim_end().ends_with(['(', ',', '[']);
    let is_operand = right.starts_with(['*', '/', '%', '<', '>', '+'])
        || right.starts_with('-') && !right.starts_with("->")
        || left.ends_with(['*', '/', '%', '<', '>', '+', '-']) && !is_star && !left.ends_with("->");
    let is_taken = OF_NUMBERS.iter().any(|function| left.ends_with(function)) && right.starts_with([')', ',']);
    match is_operand || is_taken {
        true => Use::Number,
        // Something else gives it a value, perhaps where there is none.
        false if is_assigned => Use::Question,
        false => Use::Other,
    }
}

/// Whether what follows a value asks for it, rather than chooses by something else: `x if y else z`.
fn is_question(right: &str) -> bool {
    !right.starts_with("if ") && !right.starts_with("else")
        || right.starts_with("==") && right.contains("None")
        || right.starts_with("is ")
}
