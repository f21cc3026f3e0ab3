//! Says once for a command which files are read as Python 2.

use harp_corpus::Corpus;
use harp_python::Project;
use harp_report::Notice;

/// What a reader must know where files of the project are read as Python 2.
pub(super) fn notice(project: &Project, corpus: &Corpus) -> Option<Notice> {
    let of_python_2 = || project.modules.iter().filter(|module| module.python_2.is_some());
    let (first, statement) = of_python_2().find_map(|module| Some((module, module.python_2?.statement?)))?;
    let files = match of_python_2().count() {
        1 => "1 file is".to_owned(),
        count => format!("{count} files are"),
    };
    let shown = &corpus.file(first.file)?.display_path;
    let text = format!("{files} read as Python 2: `{shown}` has the statement `{statement}`, which Python 3 lacks");
    Some(Notice { text, file: Some(shown.clone()) })
}
