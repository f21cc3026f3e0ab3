//! Parses modules of installed packages when they are first imported.

use std::sync::{Arc, OnceLock};

use crate::ir::Module;
use crate::name::Name;
use crate::parse_module;
use crate::project::ModuleId;
use crate::stdlib_names::is_standard_library;
use harp_corpus::{Environment, FileId, LibrarySources};

/// Which libraries are known without their sources.
#[derive(Clone, Debug, Default)]
pub struct Described {
    /// Their names; such a library is not read, except for
    pub libraries: Vec<String>,
    /// these modules of theirs, with all that lies below them.
    pub sources: Vec<String>,
}

impl Described {
    /// Whether a module is known without its source.
    fn has(&self, dotted: &str) -> bool {
        let top_level = dotted.split('.').next().unwrap_or(dotted);
        let is_source = |module: &String| {
            dotted.strip_prefix(module.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        self.libraries.iter().any(|library| library == top_level) && !self.sources.iter().any(is_source)
    }
}

/// The modules of an environment.
#[derive(Debug)]
pub(super) struct Foreign {
    environment: Arc<Environment>,
    described: Described,
    packs: Arc<LibrarySources>,
    modules: Vec<OnceLock<Module>>,
}

impl Foreign {
    /// The modules of an environment; what is described, or written in library packs, is not read.
    pub fn new(environment: Arc<Environment>, described: Described, packs: Arc<LibrarySources>) -> Foreign {
        Foreign { environment, described, packs, modules: Vec::new() }.with_slots()
    }

    fn with_slots(mut self) -> Foreign {
        self.modules.resize_with(self.environment.capacity(), OnceLock::new);
        self
    }

    /// The module of a dotted name, where its source is there and is to be read.
    pub fn find(&self, dotted: &str) -> Option<ModuleId> {
        let top_level = dotted.split('.').next().unwrap_or(dotted);
        if is_standard_library(top_level) || self.described.has(dotted) || self.packs.module(dotted).is_some() {
            return None;
        }
        self.environment.module(dotted).map(|file| ModuleId(file.0))
    }

    /// Whether the text of a module mentions a word. It is not kept.
    pub fn mentions(&self, dotted: &str, word: &str) -> bool {
        !self.described.has(dotted) && self.environment.mentions(dotted, word)
    }

    /// The module of a number that [`Foreign::find`] gave.
    pub fn module(&self, id: ModuleId) -> Option<&Module> {
        let file = self.environment.file(FileId(id.0))?;
        let slot = self.modules.get(self.environment.index(file.id)?)?;
        Some(slot.get_or_init(|| {
            let is_package = file.path.file_name().is_some_and(|name| name == "__init__.py");
            let mut parts: Vec<String> = file.packages.clone();
            if !is_package {
                parts.extend(file.path.file_stem().map(|stem| stem.to_string_lossy().into_owned()));
            }
            parse_module(file.id, Name::new(&parts.join(".")), is_package, &file.text).module
        }))
    }
}
