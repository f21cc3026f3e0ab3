//! Which files outside of the corpus an analysis asked to read: settings beside the program, and installed packages. An
//! analysis depends on the answers; whoever keeps its results asks the same again to know whether they still hold.

use std::collections::BTreeMap;
use std::hash::Hash;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use crate::{Corpus, Digest, FileId};

/// What was asked.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Question {
    /// The file of settings that a program names which begins in the file `from`: [`Corpus::data_file`].
    Data {
        /// The program's file.
        from: FileId,
        /// As the program names it.
        path: String,
    },
    /// The files of settings beside a file: [`Corpus::settings_beside`].
    SettingsBeside {
        /// The program's file.
        from: FileId,
    },
    /// A file of the environment.
    Installed(InstalledFile),
    /// Whether the source of an installed module mentions a word: [`crate::Environment::mentions`].
    Mentions {
        /// The module.
        dotted: String,
        /// The word.
        word: String,
    },
}

/// Where a file of the environment is looked for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct InstalledFile {
    /// Which of its folders.
    pub folder: usize,
    /// The path below it.
    pub path: PathBuf,
    /// The names of the packages around it.
    pub packages: Vec<String>,
}

/// What was asked of files beside the program, and what the answers were.
#[derive(Debug, Default)]
pub struct Observed(Mutex<BTreeMap<Question, Digest>>);

impl Observed {
    pub(crate) fn note<T: Hash>(&self, question: Question, found: &T) {
        let answer = Digest::of(found);
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(question, answer);
    }
}

impl Corpus {
    /// Everything that was asked so far of files that are no part of the corpus, with what stands for the answers.
    pub fn questions(&self) -> Vec<(Question, Digest)> {
        let beside = self.observed.0.lock().unwrap_or_else(PoisonError::into_inner);
        let beside = beside.iter().map(|(question, answer)| (question.clone(), *answer));
        // Files of the environment are numbered as they are asked for.
        beside.chain(self.environment.iter().flat_map(|environment| environment.asked())).collect()
    }

    /// Whether questions that were asked of the same corpus have the same answers now. The files of the environment are there after it, with
    /// the numbers that they had.
    pub fn answers_again(&self, questions: &[(Question, Digest)]) -> bool {
        questions.iter().all(|(question, known)| self.asked_again(question) == Some(*known))
    }

    fn asked_again(&self, question: &Question) -> Option<Digest> {
        let environment = self.environment.as_ref();
        match question {
            Question::Data { from, path } => Some(Digest::of(&self.data_file(*from, path))),
            Question::SettingsBeside { from } => Some(Digest::of(&self.settings_beside(*from))),
            Question::Installed(file) => Some(environment?.read_again(file)),
            Question::Mentions { dotted, word } => Some(Digest::of(&environment?.mentions(dotted, word))),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::{Environment, LoadOptions, NamedPath, load};

    fn with_environment(folder: &std::path::Path) -> Corpus {
        let corpus = load(&[folder.join("given")], &LoadOptions::default()).unwrap();
        let environment = Environment::open(&NamedPath::by_user(folder.join("packages")), u64::MAX).unwrap();
        corpus.with_environment(environment)
    }

    #[test]
    fn what_was_asked_is_asked_again_with_the_same_numbers() {
        let folder = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write("given/main.py", "x = 1\n");
        write("packages/a/__init__.py", "a = 1\n");
        write("packages/b.py", "b = 1\n");
        let first = with_environment(folder.path());
        let environment = first.environment.as_ref().unwrap();
        let (b, a) = (environment.module("b").unwrap(), environment.module("a").unwrap());
        assert!(environment.module("missing").is_none() && environment.mentions("a", "= 1"));
        assert!(first.data_file(FileId(0), "conf.yaml").is_none());
        assert!(first.settings_beside(FileId(0)).is_empty());
        let questions = first.questions();

        let second = with_environment(folder.path());
        assert!(second.answers_again(&questions));
        let environment = second.environment.as_ref().unwrap();
        assert_eq!((environment.module("b"), environment.module("a")), (Some(b), Some(a)));

        let changes = [
            ("given/conf.yaml", "k: 1\n"),
            ("packages/missing.py", ""),
            ("packages/b.py", "b = 2\n"),
            ("packages/a.py", ""),
        ];
        for (index, (path, text)) in changes.into_iter().enumerate() {
            let before = fs::read_to_string(folder.path().join(path)).ok();
            write(path, text);
            // What lies behind a package's folder was not looked at.
            assert_eq!(with_environment(folder.path()).answers_again(&questions), index == 3, "{path}");
            match before {
                Some(before) => write(path, &before),
                None => fs::remove_file(folder.path().join(path)).unwrap(),
            }
        }
    }

    #[test]
    fn a_question_that_leads_out_of_the_packages_is_not_answered() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("packages/a")).unwrap();
        fs::create_dir_all(folder.path().join("given")).unwrap();
        fs::write(folder.path().join("packages/a/__init__.py"), "").unwrap();
        fs::write(folder.path().join("secret.py"), "x = 1\n").unwrap();
        let corpus = with_environment(folder.path());
        let file = InstalledFile { folder: 0, path: PathBuf::from("../secret.py"), packages: Vec::new() };
        corpus.asked_again(&Question::Installed(file)).unwrap();
        assert!(corpus.environment.as_ref().unwrap().asked().is_empty());
    }
}
