//! Rows that the user adds from files to what rule packs declare as `.input`: the times of a profiler, the owners of modules.

mod file_names;
mod files;
mod mistakes;
mod tables;

use harp_corpus::{Corpus, NamedPath};
use harp_datalog::{Program, RelationDescription, Value};
use harp_report::{UserError, closest};

use crate::packs::SCHEMA_NAME;
use file_names::FileNames;
use files::{FactFile, Files};
use tables::Columns;

/// All files together may have this many rows.
const MOST_ROWS: usize = 1_000_000;

/// Where the rows come from.
#[derive(Clone, Debug, Default)]
pub enum FactSource {
    /// There are none.
    #[default]
    Nothing,
    /// The files of a folder.
    Folder(NamedPath),
    /// Files that are nowhere on disk: names with their texts.
    Given(Vec<(String, String)>),
}

/// The rows of a relation.
#[derive(Clone, Debug)]
pub struct Table {
    /// The relation as [`Program::relation`] knows it.
    pub relation: String,
    /// In the order of the file; the values in that of the relation's columns.
    pub rows: Vec<Vec<Value>>,
}

/// What the files gave.
#[derive(Debug, Default)]
pub struct ExternalFacts {
    /// A file with a mistake has none.
    pub tables: Vec<Table>,
    /// What is wrong with files, which are left out for it.
    pub errors: Vec<UserError>,
    /// What is odd and no mistake.
    pub warnings: Vec<UserError>,
}

impl ExternalFacts {
    /// Reads the files for the inputs that the rules declare, in the order of their names.
    pub fn read(source: &FactSource, program: &Program<'_>, corpus: &Corpus) -> ExternalFacts {
        let files = match source {
            FactSource::Nothing => return ExternalFacts::default(),
            FactSource::Folder(folder) => Files::of_folder(folder),
            FactSource::Given(files) => Files::in_memory(files),
        };
        let Files { list, errors } = files;
        let relations = program.relations();
        let names = FileNames::of(corpus);
        let mut facts = ExternalFacts { errors, ..ExternalFacts::default() };
        for (number, file) in list.iter().enumerate() {
            if let Some(other) = list[..number].iter().find(|other| other.relation == file.relation) {
                let message = format!("{}: {} has rows of `{}`, too", file.shown, other.shown, file.relation);
                facts.errors.push(UserError::new(message).hint("keep one of the two files"));
                continue;
            }
            let mut inputs = relations.iter().filter(|relation| is_input(relation) && relation.name == file.relation);
            match inputs.next() {
                None => facts.errors.push(unknown(file, &relations)),
                Some(first) => {
                    std::iter::once(first).chain(inputs).for_each(|input| facts.add(file, input, &names));
                }
            }
        }
        if let FactSource::Folder(folder) = source
            && facts.errors.is_empty()
        {
            facts.warn_of_missing(folder, &list, program, &relations);
        } else {
            // The files of a test are about what is tested.
            facts.warnings.clear();
        }
        facts
    }

    fn add(&mut self, file: &FactFile, input: &RelationDescription, names: &FileNames) {
        let left = MOST_ROWS.saturating_sub(self.tables.iter().map(|table| table.rows.len()).sum());
        let columns = Columns { input, names, most_rows: left };
        match tables::read(file, &columns) {
            Ok(rows) => {
                if let Some(warning) = names_no_file(file, input, &rows, names) {
                    self.warnings.push(warning);
                }
                self.tables.push(Table { relation: format!("{}:{}", input.source, input.name), rows });
            }
            // Two packs that declare the same have the same mistakes.
            Err(mistakes) => {
                let new: Vec<UserError> = mistakes.into_iter().filter(|it| !self.errors.contains(it)).collect();
                self.errors.extend(new);
            }
        }
    }

    /// An input that rules read and that has no file is most likely misspelt, or was forgotten.
    fn warn_of_missing(
        &mut self,
        folder: &NamedPath,
        list: &[FactFile],
        program: &Program<'_>,
        relations: &[RelationDescription],
    ) {
        for name in program.inputs_read() {
            let Some(input) = relations.iter().find(|relation| is_input(relation) && relation.name == name) else {
                continue;
            };
            if list.iter().all(|file| file.relation != name) {
                let shown = files::shown_in(folder, &format!("{name}.csv"));
                let message = format!("`{name}` has no rows: there is no {shown}");
                let note = format!("{}:{} declares it as an input", input.source, input.line);
                self.warnings.push(UserError::warning(message).note(note));
            }
        }
    }
}

/// Whether the user supplies the rows. Those of the schema come from the program.
fn is_input(relation: &RelationDescription) -> bool {
    relation.input && relation.source != SCHEMA_NAME
}

/// Why there is no such input.
fn unknown(file: &FactFile, relations: &[RelationDescription]) -> UserError {
    let name = file.relation.as_str();
    let declared = relations.iter().find(|relation| relation.name == name);
    if let Some(declared) = declared.filter(|relation| relation.source == SCHEMA_NAME) {
        let message = format!("{}: the rows of `{}` come from the analysed program", file.shown, declared.name);
        return UserError::new(message).hint("declare a relation of another name in a rule pack, with `.input`");
    }
    let error = UserError::new(format!("{}: no rule pack has an input `{name}`", file.shown));
    if let Some(declared) = declared {
        let hint = format!("write `.input {name}` below its declaration, {}:{}", declared.source, declared.line);
        return error.hint(hint);
    }
    let inputs = relations.iter().filter(|relation| is_input(relation)).map(|relation| relation.name.as_str());
    match closest(name, inputs) {
        Some(near) => error.hint(format!("did you mean `{near}`?")),
        None => error.hint(format!("declare it in the pack's rules: `.decl {name}(…)` and `.input {name}`")),
    }
}

/// Rows of which none names a file of the program join nothing.
fn names_no_file(
    file: &FactFile,
    input: &RelationDescription,
    rows: &[Vec<Value>],
    names: &FileNames,
) -> Option<UserError> {
    let column = input.columns.iter().position(tables::is_file)?;
    let named = |row: &Vec<Value>| match row.get(column) {
        Some(Value::Symbol(text)) => names.is_shown(text),
        _ => false,
    };
    let first = rows.first()?;
    if rows.iter().any(named) {
        return None;
    }
    let message = format!("{}: no row names a file of the analysed program", file.shown);
    let note = format!("the first row names `{}`", mistakes::shortened(&first.get(column)?.to_string()));
    let example = names.first().map(|name| format!("reports name files like this: `{name}`"));
    let warning = UserError::warning(message).note(note);
    Some(match example {
        Some(example) => warning.hint(example),
        None => warning,
    })
}
