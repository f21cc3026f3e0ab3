//! Functors over shapes: what rules may ask of a shape or dimension, beyond the rule language's own functors.

mod reading;
mod table;

use std::sync::{Mutex, PoisonError};

use rustc_hash::FxHashMap;
use serde_json::{Value, json};

use harp_datalog::{Base, Cell, FunctorSignature, Functors, Values};

use reading::ShapeText;
use table::Functor;
pub use table::{Description, FUNCTORS};

impl Description {
    /// `dim(shape: symbol, axis: number): symbol`
    pub fn signature(&self) -> String {
        let arguments: Vec<String> =
            self.arguments.iter().map(|(name, base)| format!("{name}: {}", base.name())).collect();
        let result = self.result.map_or(String::new(), |base| format!(": {}", base.name()));
        format!("{}({}){result}", self.name, arguments.join(", "))
    }
}

/// The functors as comments of the schema, which Soufflé and Harp skip.
pub fn as_comments() -> String {
    let mut text = String::from(
        "\n// ---- Functors over shapes and dimensions in the shape notation, beside those of the language ----\n//\n",
    );
    for functor in &FUNCTORS {
        text.push_str(&format!("// {}\n//     {}\n", functor.signature(), functor.documentation));
    }
    text
}

/// The functors as a part of the schema's JSON document.
pub fn as_json() -> Value {
    let described = FUNCTORS.iter().map(|functor| {
        let arguments: Vec<Value> =
            functor.arguments.iter().map(|(name, base)| json!({"name": name, "type": base.name()})).collect();
        json!({
            "name": functor.name,
            "arguments": arguments,
            "result": functor.result.map(Base::name),
            "documentation": functor.documentation,
        })
    });
    described.collect()
}

/// The functors over shapes, for compiling and evaluating rules. What was read once is remembered.
#[derive(Default)]
pub struct ShapeFunctors {
    memory: Mutex<Memory>,
}

#[derive(Default)]
struct Memory {
    shapes: FxHashMap<Box<str>, Option<ShapeText>>,
    answers: FxHashMap<(Functor, Box<str>, Box<str>), &'static str>,
}

/// So many texts are remembered.
const MOST_REMEMBERED: usize = 1 << 16;

impl Memory {
    /// What is asked of the shape that a text describes.
    fn shape<T>(&mut self, text: &str, ask: impl FnOnce(&ShapeText) -> Option<T>) -> Option<T> {
        if let Some(known) = self.shapes.get(text) {
            return known.as_ref().and_then(ask);
        }
        if self.shapes.len() >= MOST_REMEMBERED {
            self.shapes.clear();
        }
        let read = ShapeText::read(text);
        let answer = read.as_ref().and_then(ask);
        self.shapes.insert(text.into(), read);
        answer
    }

    fn judge(&mut self, functor: Functor, left: &str, right: &str) -> &'static str {
        let key = (functor, Box::from(left), Box::from(right));
        if let Some(known) = self.answers.get(&key) {
            return known;
        }
        if self.answers.len() >= MOST_REMEMBERED {
            self.answers.clear();
        }
        let answer = match functor {
            Functor::Divides => reading::divisibility(left, right),
            _ => reading::equality(left, right),
        };
        self.answers.insert(key, answer.word());
        answer.word()
    }
}

impl Functors for ShapeFunctors {
    fn signatures(&self) -> Vec<FunctorSignature> {
        table::signatures()
    }

    fn apply(&self, index: usize, arguments: &[Cell], values: &mut Values) -> Option<Cell> {
        let functor = FUNCTORS.get(index)?.functor;
        let first = *arguments.first()?;
        let mut memory = self.memory.lock().unwrap_or_else(PoisonError::into_inner);
        match functor {
            Functor::Rank => {
                let rank = memory.shape(values.text(first), ShapeText::rank)?;
                Some(values.number(i64::try_from(rank).ok()?))
            }
            Functor::Dim => {
                let axis = values.integer(*arguments.get(1)?);
                let dim = memory.shape(values.text(first), |shape| shape.dim(axis).map(str::to_owned))?;
                Some(values.symbol(&dim))
            }
            Functor::Prod => {
                let product = memory.shape(values.text(first), ShapeText::product)?;
                Some(values.symbol(&product))
            }
            Functor::Known => {
                let text = values.text(first);
                let is_known = reading::is_constant(text)
                    || memory.shape(text, |shape| shape.is_constant().then_some(())).is_some();
                is_known.then_some(first)
            }
            Functor::DimEq | Functor::Divides => {
                let word = memory.judge(functor, values.text(first), values.text(*arguments.get(1)?));
                Some(values.symbol(word))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use harp_datalog::{Database, Limits, Program, Source};

    /// The rows of `found` where `shape` has these rows.
    fn found(rules: &str, shapes: &[&str]) -> Vec<String> {
        let functors = ShapeFunctors::default();
        let schema = Source::new("schema.dl", ".decl shape(s: symbol)");
        let program = Program::compile(&[schema], &[Source::new("rules.dl", rules)], &functors);
        let program = program.unwrap_or_else(|errors| panic!("{errors:?}"));
        let mut database = Database::new();
        for shape in shapes {
            let cell = database.symbol(shape);
            database.insert("shape", &[cell], &[]);
        }
        let evaluation = program.evaluate(database, &Limits::default());
        let relation = program.relation("found").expect("the relation is declared");
        let rows = evaluation.rows(relation).len();
        let mut found: Vec<String> = (0..rows)
            .map(|row| {
                let values = evaluation.row(relation, row);
                values.iter().map(ToString::to_string).collect::<Vec<_>>().join(" | ")
            })
            .collect();
        found.sort();
        found
    }

    #[test]
    fn rules_ask_shapes() {
        let shapes = ["[b, 784]", "[n, 3, h//2]", "s@[d]", "unknown", "[3", "[]"];
        let rank = ".decl found(s: symbol, n: number)\nfound(s, n) :- shape(s), n = rank(s).";
        assert_eq!(found(rank, &shapes), ["[] | 0", "[b, 784] | 2", "[n, 3, h//2] | 3"]);
        let last = ".decl found(s: symbol, d: symbol)\nfound(s, d) :- shape(s), d = @dim(s, -1).";
        assert_eq!(found(last, &shapes), ["[b, 784] | 784", "[n, 3, h//2] | h//2", "s@[d] | d"]);
        let product = ".decl found(d: symbol)\nfound(prod(s)) :- shape(s), rank(s) = 2.";
        assert_eq!(found(product, &shapes), ["784*b"]);
        let known = ".decl found(d: symbol)\nfound(dim(s, 1)) :- shape(s), known(dim(s, 1)).";
        assert_eq!(found(known, &shapes), ["3", "784"]);
        let number = ".decl found(n: number)\nfound(n) :- shape(s), n = to_number(dim(s, 1)) % 8.";
        assert_eq!(found(number, &shapes), ["0", "3"]);
    }

    #[test]
    fn a_functor_without_a_value_makes_its_literal_not_hold() {
        let shapes = ["[b, 784]", "unknown"];
        let negated = ".decl found(s: symbol)\nfound(s) :- shape(s), !known(dim(s, 0)).";
        assert_eq!(found(negated, &shapes), ["[b, 784]"]);
        let unequal = ".decl found(s: symbol)\nfound(s) :- shape(s), dim(s, 0) != \"c\".";
        assert_eq!(found(unequal, &shapes), ["[b, 784]"]);
    }

    #[test]
    fn judgements_are_words() {
        let rule = ".decl found(x: symbol, y: symbol, w: symbol)\n\
                    found(x, y, dim_eq(x, y)) :- shape(x), shape(y), x < y.";
        assert_eq!(
            found(rule, &["b", "b + 1", "c"]),
            ["b + 1 | c | unknown", "b | b + 1 | violated", "b | c | unknown"]
        );
        let rule = ".decl found(x: symbol)\nfound(x) :- shape(x), divides(\"8\", x) = \"violated\".";
        assert_eq!(found(rule, &["33278", "64", "h", "8*h + 4"]), ["33278", "8*h + 4"]);
    }

    #[test]
    fn every_functor_says_what_it_does() {
        for functor in &FUNCTORS {
            assert!(functor.documentation.ends_with('.'), "{} has no sentence", functor.name);
        }
        assert_eq!(FUNCTORS[1].signature(), "dim(shape: symbol, axis: number): symbol");
    }
}
