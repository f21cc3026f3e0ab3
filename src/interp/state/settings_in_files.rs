//! Interpreter state of library models: what was read of files of settings, and which numbers of the program came from
//! them.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::heap::objects::ListData;
use crate::values::value::ObjectId;
use harp_corpus::{DataFile, FileId};
use harp_shape::Var;

/// Stands for the file of numbers that a name says, which is itself a setting.
pub const NAMES: &str = "#names";

/// What was read so far.
#[derive(Debug)]
pub struct Settings {
    /// By the script that runs, the file that asks, and the path.
    pub files: FxHashMap<(FileId, FileId, String), Option<Rc<DataFile>>>,
    /// Where a text comes from that the program read and has not made anything of.
    pub texts: FxHashMap<Rc<str>, Rc<str>>,
    /// The variable of a file's key: it is the same each time the file is read.
    pub variables: FxHashMap<(Rc<str>, String, i64), Var>,
    /// Holds what the program registers with libraries: flags, stored configurations.
    pub registry: ObjectId,
    /// Whether words of the command line are what they say in Python, as `fire` has it.
    pub reads_literals: bool,
    /// `sys.argv` as the user gives it, where the program has asked for it: it is changed where the list holds something else.
    pub first_argv: Option<Rc<ListData>>,
    /// Whose words an option's default stands for.
    pub words: Words,
}

/// Whose words a command line is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Words {
    /// The user's, who may give others.
    #[default]
    OfUser,
    /// Those that the program writes down: an option that is not among them has its default.
    Written,
    /// Those that the program puts together from others: an option may be among them.
    Unknown,
}

impl Settings {
    pub fn new(registry: ObjectId) -> Settings {
        let (files, texts, variables) = Default::default();
        let words = Words::default();
        Settings { files, texts, variables, registry, reads_literals: false, first_argv: None, words }
    }

    /// Whether several variables are numbers of one file: who changes one of them has the others before their eyes, and that they fit each
    /// other as they stand is what the file is for.
    pub fn are_of_one_file(&self, variables: &[Var]) -> bool {
        let file_of = |variable: &Var| {
            let known = self.variables.iter().find(|(_, known)| *known == variable);
            known.map(|((file, _, _), _)| file)
        };
        let Some((first, others)) = variables.split_first() else { return false };
        // Who gives another name gives the numbers that go with it.
        if variables.iter().any(|variable| file_of(variable).is_some_and(|file| &**file == NAMES)) {
            return true;
        }
        let Some(file) = file_of(first) else { return false };
        !others.is_empty() && others.iter().all(|other| file_of(other) == Some(file))
    }

    /// Whether a text is what a file holds, which may hold something else.
    pub fn is_from_file(&self, text: &str) -> bool {
        self.texts.contains_key(text)
    }

    /// Forgets variables that are no more.
    pub fn retain(&mut self, is_known: &dyn Fn(Var) -> bool) {
        self.variables.retain(|_, variable| is_known(*variable));
    }
}
