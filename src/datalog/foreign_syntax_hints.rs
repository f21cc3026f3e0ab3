//! Suggests what the author of a rule most likely meant who wrote something that other languages have.

use crate::lexer::Token;
use crate::parser::Parser;
use crate::source::Problem;

impl Parser<'_> {
    /// Adds a hint to the problem that the next token is not expected.
    pub(super) fn with_hint(&self, problem: Problem) -> Problem {
        let before = self.slice(self.previous());
        let word = self.slice(self.here());
        let hint = match (self.peek(), before, word) {
            (Some(Token::Equal), "=", _) => "equality is written with one `=`",
            (Some(Token::Bar), ..) => "alternatives are separated by `;`",
            (Some(Token::Greater), "=", _) => "it is written `>=`",
            (Some(Token::Less), "=", _) => "it is written `<=`",
            (Some(Token::Greater), "<", _) => "it is written `!=`",
            (Some(Token::Identifier), "not", _) => "negation is written `!`, as in `!p(x)`",
            (Some(Token::Identifier), _, "and") => "literals are joined by `,`",
            (Some(Token::Identifier), _, "or") => "alternatives are separated by `;`",
            (Some(Token::If), ..) => "is a `.` missing at the end of the rule before?",
            _ => return problem,
        };
        problem.hint(hint)
    }

    /// What is wrong where a clause neither goes on nor ends.
    pub(super) fn unfinished(&self, expected: &str, has_body: bool) -> Box<Problem> {
        let problem = *self.unexpected(expected);
        let arrow = match (self.peek(), self.peek_after(1)) {
            (Some(Token::Less), Some(Token::Minus)) | (Some(Token::Equal), Some(Token::Greater)) => true,
            (Some(Token::Colon | Token::Equal | Token::Minus), _) => true,
            (Some(Token::Identifier), _) => matches!(self.slice(self.here()), "if" | "where" | "when"),
            _ => false,
        };
        if arrow && !has_body {
            return Box::new(problem.hint("a rule is written `head(…) :- body.`"));
        }
        let next_line = (self.text.get(self.previous().range().end..self.here().range().start))
            .is_some_and(|gap| gap.contains('\n'));
        let begins = matches!(self.peek(), Some(Token::Identifier | Token::Directive | Token::Doc) | None);
        if next_line && begins || self.peek().is_none() {
            // The caret belongs where the dot does.
            let end = self.previous();
            let message = "the rule does not end";
            return Box::new(
                Problem::error(end, message, "a `.` is missing behind this").hint("a rule or fact ends with `.`"),
            );
        }
        Box::new(problem)
    }
}

/// A hint for characters that begin no token.
pub(super) fn for_characters(text: &str) -> Option<&'static str> {
    match text.chars().next()? {
        '\'' | '`' => Some("a text stands in double quotes, on one line"),
        '#' => Some("a comment begins with `//`"),
        '&' => Some("literals are joined by `,`"),
        '\\' => Some("negation is written `!`, as in `!p(x)`"),
        _ => None,
    }
}

/// Why a functor or aggregate of Soufflé is not known.
pub(super) fn for_functor(name: &str) -> Option<&'static str> {
    match name {
        "ord" | "autoinc" => Some("it is left out, as its values would depend on the order of evaluation"),
        "range" => Some("it is left out; write a recursive rule that counts up to a bound"),
        "mean" => {
            Some("averages are left out, as there are no decimal numbers; compare `sum` with a multiple of `count`")
        }
        "to_float" | "to_unsigned" | "ftoi" | "ftou" | "itof" | "itou" | "utof" | "utoi" => {
            Some("there are no decimal and no unsigned numbers")
        }
        _ => None,
    }
}

/// What a test of another name is called here.
pub(super) fn for_name_of_test(name: &str) -> Option<&'static str> {
    match name.to_ascii_lowercase().replace('_', "").as_str() {
        "startswith" | "beginswith" | "hasprefix" => Some("write `match(\"beginning.*\", text)`"),
        "endswith" | "hassuffix" => Some("write `match(\".*end\", text)`"),
        "includes" | "hassubstring" | "issubstring" => Some("write `contains(\"part\", text)`"),
        "matches" | "regex" | "regexp" | "regexmatch" | "regexpmatch" | "fullmatch" | "rematch" => {
            Some("write `match(\"pattern\", text)`, which asks about the whole text")
        }
        _ => None,
    }
}

/// What a functor of another name is called here.
pub(super) fn for_name_of_functor(name: &str) -> Option<&'static str> {
    match name.to_ascii_lowercase().replace('_', "").as_str() {
        "len" | "length" | "size" => Some("write `strlen(text)`"),
        "concat" | "concatenate" | "join" | "format" => Some("write `cat(a, b, …)`"),
        "slice" | "substring" => Some("write `substr(text, start, length)`"),
        "str" | "tostr" | "itos" => Some("write `to_string(number)`"),
        "int" | "toint" | "parseint" | "stoi" => Some("write `to_number(text)`"),
        "abs" => Some("write `max(x, -x)`"),
        "mod" | "modulo" => Some("write `x % y`"),
        "pow" | "power" => Some("write `x ^ y`"),
        "lower" | "lowercase" | "tolower" | "upper" | "uppercase" | "toupper" => {
            Some("write `match(\"(?i)pattern\", text)`, which takes small and capital letters for the same")
        }
        _ => for_name_of_test(name),
    }
}

/// Whether a type of that name has numbers elsewhere.
pub(super) fn is_number(name: &str) -> bool {
    for_type(name).is_some_and(|hint| hint.starts_with("say `number`"))
}

/// What a type of another name is called here.
pub(super) fn for_type(name: &str) -> Option<&'static str> {
    match name.to_ascii_lowercase().as_str() {
        "int" | "integer" | "i32" | "i64" | "int32" | "int64" | "long" => Some("say `number`"),
        "unsigned" | "uint" | "u32" | "u64" => Some("say `number`, which has a sign"),
        "float" | "double" | "real" | "decimal" | "f32" | "f64" => {
            Some("say `number`, and write a smaller unit: numbers are whole")
        }
        "bool" | "boolean" => Some("say `number`, for 0 and 1, or declare a relation for what holds"),
        "str" | "string" | "text" | "char" | "varchar" => Some("say `symbol`"),
        _ => None,
    }
}
