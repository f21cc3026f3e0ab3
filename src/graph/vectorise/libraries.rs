//! Vectorises a loop: under which names a file has the libraries that compute with arrays.

use harp_python::ir::{Module, StmtKind};

/// The names of libraries in a file; those that they usually have where the file does not import them.
pub struct Libraries {
    pub numpy: String,
    pub torch: String,
}

impl Libraries {
    pub fn of(module: Option<&Module>) -> Libraries {
        let name = |library: &str| {
            let imports = module?.body.iter().filter_map(|statement| match &statement.kind {
                StmtKind::Import(imported) => Some(imported),
                _ => None,
            });
            let mut imported = imports.flatten().filter(|imported| imported.module.as_str() == library);
            imported.next().map(|imported| imported.alias.unwrap_or(imported.module).to_string())
        };
        Libraries {
            numpy: name("numpy").unwrap_or_else(|| "np".to_owned()),
            torch: name("torch").unwrap_or_else(|| "torch".to_owned()),
        }
    }
}
