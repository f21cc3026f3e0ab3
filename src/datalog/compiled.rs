//! Compiled programs as bytes: rules that come with a program are parsed and checked when that is built, and not at each of its starts.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::closed_words::AskedText;
use super::functors::{FunctorSignature, Functors};
use super::lower::Constant;
use super::program::Program;
use super::rule::{RelationInfo, Rule};
use super::source::{Diagnostic, Sources};
use super::strata::Stratum;

/// Everything of a program but its functors, of which the bytes have the signatures: rules name them by number.
#[derive(Serialize, Deserialize)]
struct Compiled {
    functors: Vec<FunctorSignature>,
    sources: Sources,
    relations: Vec<RelationInfo>,
    rules: Vec<Rule>,
    strata: Vec<Stratum>,
    constants: Vec<Constant>,
    lineages: Vec<Vec<String>>,
    texts: Vec<AskedText>,
    warnings: Vec<Diagnostic>,
}

/// Bytes that [`Program::to_bytes`] did not make, or did for other functors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotCompiled;

impl fmt::Display for NotCompiled {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("these bytes are no program over these functors")
    }
}

impl std::error::Error for NotCompiled {}

impl<'f> Program<'f> {
    /// The program as bytes, for [`Program::from_bytes`] of the same version of this crate. The same program has the same bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let compiled = Compiled {
            functors: self.functors.signatures(),
            sources: self.sources.clone(),
            relations: self.relations.clone(),
            rules: self.rules.clone(),
            strata: self.strata.clone(),
            constants: self.constants.clone(),
            lineages: self.lineages.clone(),
            texts: self.texts.clone(),
            warnings: self.warnings.clone(),
        };
        // Nothing in it is of a length that is not known beforehand, which is all that could fail.
        postcard::to_allocvec(&compiled).unwrap_or_default()
    }

    /// The program of which these are the bytes. They are trusted: a program of others would be checked no more.
    ///
    /// # Errors
    ///
    /// Where the bytes are of something else, or were made with other functors.
    pub fn from_bytes(bytes: &[u8], functors: &'f dyn Functors) -> Result<Program<'f>, NotCompiled> {
        let compiled: Compiled = postcard::from_bytes(bytes).map_err(|_| NotCompiled)?;
        if compiled.functors != functors.signatures() {
            return Err(NotCompiled);
        }
        Ok(Program {
            sources: compiled.sources,
            relations: compiled.relations,
            rules: compiled.rules,
            strata: compiled.strata,
            constants: compiled.constants,
            functors,
            lineages: compiled.lineages,
            texts: compiled.texts,
            warnings: compiled.warnings,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Base, Cell, Database, Limits, NoFunctors, Source, Values};

    const RULES: &str = ".decl path(from: symbol, to: symbol)\npath(x, y) :- edge(x, y).\npath(x, z) :- path(x, y), edge(y, z).\n\
        /// @id test/long @message \"{n} from {x}\" @severity note\n.decl long(x: symbol, n: number)\n\
        long(x, n) :- edge(x, _), n = count : { path(x, _) }, n > 1, match(\"[a-z]\", x).";

    fn sources() -> ([Source; 1], [Source; 1]) {
        ([Source::new("schema.dl", ".decl edge(from: symbol, to: symbol)")], [Source::new("rules.dl", RULES)])
    }

    struct One;

    impl Functors for One {
        fn signatures(&self) -> Vec<FunctorSignature> {
            vec![FunctorSignature::new("one", &[Base::Symbol], None)]
        }

        fn apply(&self, _: usize, _: &[Cell], _: &mut Values) -> Option<Cell> {
            None
        }
    }

    #[test]
    fn a_program_of_its_bytes_gives_the_same() {
        let (schema, rules) = sources();
        let program = Program::compile(&schema, &rules, &NoFunctors).expect("the rules are in order");
        let bytes = program.to_bytes();
        let again = Program::from_bytes(&bytes, &NoFunctors).expect("its bytes");
        assert_eq!(again.to_bytes(), bytes);
        assert_eq!(again.relations(), program.relations());
        let rows = |program: &Program<'_>| {
            let mut database = Database::new();
            let [a, b, c] = ["a", "b", "c"].map(|name| database.symbol(name));
            database.insert("edge", &[a, b], &[]);
            database.insert("edge", &[b, c], &[]);
            let evaluation = program.evaluate(database, &Limits::default());
            evaluation.findings().iter().map(|finding| finding.message.clone()).collect::<Vec<_>>()
        };
        assert_eq!(rows(&again), rows(&program));
        assert_eq!(rows(&again), ["2 from a"]);
    }

    #[test]
    fn other_bytes_and_other_functors_are_refused() {
        let (schema, rules) = sources();
        let program = Program::compile(&schema, &rules, &NoFunctors).expect("the rules are in order");
        let bytes = program.to_bytes();
        assert_eq!(Program::from_bytes(&bytes, &One).err(), Some(NotCompiled));
        assert_eq!(Program::from_bytes(&bytes[..bytes.len() / 2], &NoFunctors).err(), Some(NotCompiled));
        assert_eq!(Program::from_bytes(&[], &NoFunctors).err(), Some(NotCompiled));
    }
}
