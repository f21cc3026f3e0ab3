//! Issues of names that libraries had in former versions, and no longer have: `np.int`, `from scipy.misc import
//! imresize`, `import cPickle`. They are told where they are read or imported, as that is where the program fails;
//! which ones they are, and since when, annotations say.

use crate::judge::member_lists::module_has;
use crate::state::interpreter::Interpreter;
use crate::state::lookup_cache::remembered;
use harp_corpus::Span;
use harp_python::is_standard_library;
use harp_python::name::Name;
use harp_trace::Subject;

/// What conditions mention that tell versions apart, or ask whether there is such a name.
const ASKS: [&str; 5] = ["version", "PY2", "PY3", "hasattr", "six."];

impl Interpreter<'_> {
    /// Reports that a name of a library is read which its newest version no longer has, unless the project runs with an older one. Returns whether it
    /// does.
    pub(crate) fn name_is_removed(&mut self, qualified: Name, span: Span) -> bool {
        let Some((module, name)) = qualified.as_str().rsplit_once('.') else { return false };
        let message = |since: &str| format!("`{module}` has no `{name}` since {since}");
        self.is_gone(qualified, span)
            && module_has(module, name) != Some(true)
            && !self.is_put_back(name)
            && self.tell_removed(Subject::Attribute, qualified, message, span)
    }

    /// The same of a name that is imported, which may be a module of its own.
    pub(crate) fn import_is_removed(&mut self, qualified: Name, span: Span) -> bool {
        let message = |since: &str| match qualified.as_str().rsplit_once('.') {
            Some((module, name)) => format!("`{module}` has no `{name}` to import since {since}"),
            None => format!("there is no module `{qualified}` since {since}"),
        };
        self.is_gone(qualified, span) && self.tell_removed(Subject::Name, qualified, message, span)
    }

    /// Whether the program fails where it asks for a name, as far as versions tell.
    fn is_gone(&self, qualified: Name, span: Span) -> bool {
        self.is_removed(qualified)
            && self.exceptions.caught == 0
            && self.inference.is_none()
            && !self.entry.is_behind_end
            && !self.corpus.is_foreign(span.file)
            && self.library.gone_since(qualified.as_str()).is_some()
    }

    fn tell_removed(
        &mut self,
        subject: Subject,
        qualified: Name,
        message: impl Fn(&str) -> String,
        span: Span,
    ) -> bool {
        let Some(version) = self.library.gone_since(qualified.as_str()) else { return false };
        let conditions = self.path_conditions();
        if conditions.iter().any(|condition| ASKS.iter().any(|asked| condition.contains(asked))) {
            return false;
        }
        let top_level = qualified.as_str().split('.').next().unwrap_or_default();
        let is_pythons = qualified.as_str() == top_level || is_standard_library(top_level);
        let since = if is_pythons { format!("Python {version}") } else { format!("version {version}") };
        let is_always = self.fails_on_every_way(span);
        match is_always {
            true => self.fails_always(subject, qualified.as_str(), message(&since), None, span),
            false => self.fails_on_this_way(subject, qualified.as_str(), message(&since), span),
        }
        true
    }

    /// Whether the program gives the library the name again: `np.int = int`, `setattr(np, "int", int)`.
    fn is_put_back(&self, name: &str) -> bool {
        remembered(&self.caches.lookups.put_back, Name::new(name), || {
            self.corpus.files.iter().any(|file| puts_back(&file.text, name))
        })
    }
}

fn puts_back(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(place, _)| {
        let (before, after) = (&text[..place], &text[place + name.len()..]);
        let is_whole = !after.starts_with(|next: char| next.is_alphanumeric() || next == '_');
        let rest = after.trim_start_matches([' ', '\t']);
        let is_assigned = before.ends_with('.') && rest.starts_with('=') && !rest.starts_with("==");
        let line = before.rsplit('\n').next().unwrap_or_default();
        let is_named = before.ends_with(['"', '\'']) && (line.contains("setattr(") || line.contains("hasattr("));
        is_whole && (is_assigned || is_named)
    })
}
