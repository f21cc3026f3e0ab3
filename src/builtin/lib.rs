//! What Harp brings along of libraries: the packs of `api_annotations/` as tables and sources in Python. The room stands above those that read
//! them, so that a changed word in a file compiles this room and the program, and nothing else.

#![deny(missing_docs)]

use std::sync::{Arc, OnceLock};

use harp_annotations::Library;
use harp_annotations::builtin::{Decoded, Forms, Tables};
use harp_corpus::{LibrarySource, LibrarySources};

include!(concat!(env!("OUT_DIR"), "/annotations.rs"));

/// The built-in entries alone.
pub fn library() -> &'static Library {
    static LIBRARY: OnceLock<Library> = OnceLock::new();
    LIBRARY.get_or_init(|| Library::of(&ANNOTATIONS))
}

/// The built-in sources in Python. All who ask share them, so that each is parsed once.
pub fn sources() -> Arc<LibrarySources> {
    static SHARED: OnceLock<Arc<LibrarySources>> = OnceLock::new();
    let shared = SHARED.get_or_init(|| {
        let sources =
            PYTHON.iter().map(|(module, text)| LibrarySource::new(*module, format!("python/{module}.py"), *text));
        let owned = |modules: &[&str]| modules.iter().map(|module| (*module).to_owned()).collect();
        let gathered = GATHERED.iter().map(|(package, modules)| ((*package).to_owned(), owned(modules)));
        Arc::new(LibrarySources::over(None, sources.collect(), gathered.collect()))
    });
    Arc::clone(shared)
}
