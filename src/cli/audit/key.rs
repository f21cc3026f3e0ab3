//! What names the rows of a tree: all that they depend on.

use harp_corpus::{Digest, NamedPath};
use harp_report::UserError;
use harp_tables::schema;

use super::options::AuditOptions;
use super::unit::Tree;
use crate::cache::{key, program_identity};
use crate::config::rules;
use crate::libraries;
use crate::pipeline::AnalysisOptions;

/// What the rows of all trees of an audit depend on, beside the trees.
pub(super) struct Base(Digest);

impl Base {
    /// The program, the user's packs and annotations, and the options.
    pub fn of(options: &AuditOptions) -> Result<Base, UserError> {
        let unit = &options.analysis;
        let named = |paths: &[std::path::PathBuf]| paths.iter().map(NamedPath::by_user).collect::<Vec<_>>();
        let wrong = |what: &str| {
            UserError::new(format!("the {what} have mistakes")).hint("`harp check` with the same options shows where")
        };
        let program = program_identity::of_this_program()
            .ok_or_else(|| UserError::new("the file of this program cannot be read"))?;
        let packs = key::of_packs(&named(&unit.pack)).ok_or_else(|| wrong("packs"))?;
        let annotations = libraries::digest(&named(&unit.annotations)).ok_or_else(|| wrong("annotations"))?;
        let named_rules = unit.choice.named_rules();
        if !named_rules.is_empty() {
            let with_packs = AnalysisOptions { packs: named(&unit.pack), ..AnalysisOptions::default() };
            if let Some(unknown) = rules::unknown_in_all(&named_rules, [&with_packs]).into_iter().next() {
                return Err(unknown);
            }
        }
        // Where packs and annotations lie does not matter, and neither does how long a repository may take.
        let mut elsewhere = options.clone();
        elsewhere.analysis.pack.clear();
        elsewhere.analysis.annotations.clear();
        let arguments = elsewhere.arguments_of_one();
        Ok(Base(Digest::of(&(schema::VERSION, program.0, packs.0, annotations.0, arguments))))
    }

    /// The name of a tree's rows, in hexadecimal digits.
    pub fn key(&self, tree: &Tree) -> String {
        Digest::of(&(self.0.0, tree.digest().0)).hex()
    }

    /// The name of what a command brings, before it is brought.
    pub fn key_of_name(&self, name: &str, command: &[String]) -> String {
        Digest::of(&(self.0.0, name, command)).hex()
    }
}
