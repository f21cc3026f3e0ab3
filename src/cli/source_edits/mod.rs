//! Files of the analysed program that Harp edits because its user asks for it. They are edited in memory, where the program is analysed again, and written when
//! everything is known to be in order: each as a whole, or not at all.

mod unified_diff;

use std::collections::BTreeMap;

use harp_corpus::{Corpus, FileId, Replacements, SourceFile, read_bytes};
use harp_report::{UserError, terminal_escape};

use crate::output::write_source;
use crate::pipeline::AnalysisOptions;
use crate::writing::sources;

/// The files that were edited, as they were read.
pub(super) struct SourceEdits<'a> {
    options: &'a AnalysisOptions,
    before: BTreeMap<FileId, SourceFile>,
}

impl<'a> SourceEdits<'a> {
    /// No file is edited yet.
    pub fn new(options: &'a AnalysisOptions) -> SourceEdits<'a> {
        SourceEdits { options, before: BTreeMap::new() }
    }

    /// Why a file is not edited, as a clause; `None` where it may be.
    pub fn objection(&self, corpus: &Corpus, file: FileId) -> Option<&'static str> {
        match corpus.files.get(file.0 as usize) {
            Some(file) if !corpus.is_imported(file.id) => sources::objection(&file.path, &self.options.paths),
            _ => Some("its file is not one of those that are checked"),
        }
    }

    /// The corpus after further replacements. Files keep the text that they had before the first ones.
    pub fn apply(&mut self, corpus: &Corpus, replacements: &BTreeMap<FileId, Replacements>) -> Option<Corpus> {
        for id in replacements.keys() {
            let file = corpus.files.get(id.0 as usize)?;
            self.before.entry(*id).or_insert_with(|| file.clone());
        }
        corpus.with_replacements(replacements)
    }

    /// The files that differ from what was read: as they were, and as they are in `corpus`.
    fn changed<'c>(&'c self, corpus: &'c Corpus) -> impl Iterator<Item = (&'c SourceFile, &'c SourceFile)> {
        let pairs = self.before.iter().filter_map(|(id, before)| Some((before, corpus.files.get(id.0 as usize)?)));
        pairs.filter(|(before, after)| before.text != after.text)
    }

    /// How many files differ from what was read.
    pub fn count(&self, corpus: &Corpus) -> usize {
        self.changed(corpus).count()
    }

    /// A file that was edited and could not be written, and why, as a clause with its name before it.
    pub fn unwritable(&self, corpus: &Corpus) -> Option<(FileId, String)> {
        self.changed(corpus).find_map(|(before, after)| Some((before.id, self.bytes(before, after).err()?)))
    }

    /// The bytes of an edited file. What the file holds now must be what was read.
    fn bytes(&self, before: &SourceFile, after: &SourceFile) -> Result<Vec<u8>, String> {
        let told = |reason: String| format!("{}: {reason}", terminal_escape::path(&before.display_path));
        let bytes = match &self.options.standard_input {
            Some(given) => given.bytes.clone(),
            None => {
                let limit = self.options.load_options().max_file_size;
                read_bytes(&before.path, limit).map_err(|error| told(error.to_string()))?
            }
        };
        before.bytes_of(after, &bytes).map_err(|error| told(error.to_string()))
    }

    /// Writes what was edited, and gives back what could not be written. What came on the standard input goes to the standard output, edited or not.
    pub fn write(&self, corpus: &Corpus) -> Vec<UserError> {
        if let Some(bytes) = self.of_standard_input(corpus) {
            let written = bytes.map_err(UserError::new).and_then(|bytes| write_source(&bytes));
            return written.err().into_iter().collect();
        }
        let write = |(before, after): (&SourceFile, &SourceFile)| {
            let bytes = self.bytes(before, after)?;
            let name = terminal_escape::path(&before.display_path);
            sources::replace(&before.path, &bytes).map_err(|error| format!("{name}: {error}"))
        };
        let failed = self.changed(corpus).filter_map(|pair| write(pair).err());
        failed.map(|reason| UserError::new(format!("a file was not written: {reason}"))).collect()
    }

    /// What came on the standard input, as it is after the edits; `None` where files were analysed.
    fn of_standard_input(&self, corpus: &Corpus) -> Option<Result<Vec<u8>, String>> {
        let given = self.options.standard_input.as_ref()?;
        Some(
            self.changed(corpus)
                .next()
                .map_or_else(|| Ok(given.bytes.clone()), |(before, after)| self.bytes(before, after)),
        )
    }

    /// What was edited, as a unified diff; empty where nothing was.
    pub fn diff(&self, corpus: &Corpus) -> String {
        let mut pairs: Vec<_> = self.changed(corpus).collect();
        pairs.sort_by(|left, right| left.0.display_path.cmp(&right.0.display_path));
        pairs.into_iter().map(|(before, after)| unified_diff::of_file(before, after)).collect()
    }
}
