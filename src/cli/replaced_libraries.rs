//! What a project puts in place of libraries that Harp knows: modules with their names, and library packs that describe them. Python takes such a
//! module, too, so it is followed; but whoever can write a file could hide any error so. The report tells the file, and what rests on it assumes
//! that it does what the library does.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use harp_corpus::{Corpus, FileId};
use harp_python::name::Name;
use harp_python::project::{ImportTarget, ModuleId};
use harp_python::{ImportedName, Imports, Project, blocks_of, exports, names_bound_in};
use harp_report::{Assumption, Finding, Notice, Summary, UserError};
use harp_trace::assumption::{AssumptionKind, words};

use super::libraries::{ReplacedName, is_known, is_library};
use super::project_folders::shown;
use super::subject::Subject;

/// Libraries whose names nobody gives to a module that is not meant to be the library. Of others, such as `datasets`, a module of the project counts
/// where it has a name that the library has.
const UNMISTAKABLE: [&str; 20] = [
    "PIL",
    "accelerate",
    "einops",
    "gymnasium",
    "huggingface_hub",
    "matplotlib",
    "numpy",
    "omegaconf",
    "onnxruntime",
    "pandas",
    "pytorch_lightning",
    "safetensors",
    "scipy",
    "sklearn",
    "torch",
    "torchaudio",
    "torchmetrics",
    "torchtext",
    "torchvision",
    "yacs",
];
/// What a file mentions that gives a module names which no statement tells.
const UNTOLD_NAMES: [&str; 7] = ["globals()", "vars()", "locals()", "exec(", "sys.modules", "__getattr__", "__all__"];
/// What a file mentions that imports modules by names which it makes.
const UNTOLD_IMPORTS: [&str; 2] = ["__import__", "import_module"];
/// So many pairs of a file and a name are looked up.
const MOST_MADE_NAMES: usize = 100_000;
/// So many libraries are told one by one.
const MOST_NOTICES: usize = 10;
/// So many names are told of a file.
const MOST_NAMES: usize = 3;

/// What stands in place of libraries in a program.
#[derive(Debug, Default)]
pub(crate) struct Replaced {
    /// What every form of the report says of it.
    pub notices: Vec<Notice>,
    assumed: Vec<Assumed>,
    imports: Option<Imports>,
}

/// What the files that use a library rest on.
#[derive(Debug)]
struct Assumed {
    assumption: Assumption,
    files: BTreeSet<FileId>,
    /// The names that were replaced, where it is not all of the library: a finding that speaks of others is as certain as it was.
    names: Option<BTreeSet<String>>,
}

/// The files that stand for a library, and those that import them by its name.
#[derive(Debug, Default)]
struct Found {
    modules: BTreeSet<ModuleId>,
    importers: Vec<ModuleId>,
}

impl Replaced {
    /// The modules of a project that stand for libraries. Where they must not, programs get the libraries.
    pub fn by_modules(project: &mut Project, subject: &Subject, is_isolated: bool) -> Replaced {
        let has_namesake = project.modules.iter().any(|module| module.name.as_str().split('.').any(is_library));
        if !has_namesake && subject.replaced.is_empty() {
            return Replaced::default();
        }
        let imports = project.imports();
        let made = made_names(project, &subject.corpus);
        let mut search = Search { project, corpus: &subject.corpus, names: BTreeMap::new() };
        let mut found: BTreeMap<&str, Found> = BTreeMap::new();
        let named = imports.names.iter().filter(|import| is_library(top_level(import.dotted.as_str())));
        for import in named.chain(&made) {
            if let Some(module) = import.target.filter(|module| search.stands_for(import, *module)) {
                let library = top_level(import.dotted.as_str());
                let found = found.entry(library).or_default();
                found.modules.insert(module);
                found.importers.push(import.from);
            }
        }
        let mut replaced = Replaced::default();
        replaced.tell_modules(&found, &subject.corpus, is_isolated);
        for (library, found) in found.iter().filter(|_| !is_isolated) {
            let text = words::replaced_library_module(library);
            let files = imports.reaching(found.importers.iter().copied().chain(untold(project, &subject.corpus)));
            replaced.assume(library, (text, "Python would import it"), None, files);
        }
        if is_isolated {
            let libraries: Vec<String> = found.keys().map(|library| (*library).to_owned()).collect();
            project.keep_apart(libraries);
        }
        replaced.imports = Some(imports);
        replaced
    }

    /// Says which files stand for libraries. Of many, all are told that nobody mistakes for anything else.
    fn tell_modules(&mut self, found: &BTreeMap<&str, Found>, corpus: &Corpus, is_isolated: bool) {
        let (clear, others): (Vec<_>, Vec<_>) = found.iter().partition(|(library, _)| UNMISTAKABLE.contains(*library));
        let (told, further) = others.split_at(others.len().min(MOST_NOTICES));
        for (library, found) in clear.iter().chain(told) {
            let files = found.modules.iter().filter_map(|module| corpus.file(FileId(module.0)));
            let files: Vec<&str> = files.map(|file| &*file.display_path).collect();
            let Some(first) = files.first() else { continue };
            let (names, verb) = match files.len() {
                1 => (format!("`{first}`"), ["is", "stands"]),
                count => (format!("`{first}` and {}", others_of(count)), ["are", "stand"]),
            };
            let text = match is_isolated {
                true => format!("{names} {} not taken for the library `{library}`", verb[0]),
                false => format!("{names} of the project {} in place of the library `{library}`", verb[1]),
            };
            self.notices.push(Notice { text, file: Some((*first).to_owned()) });
        }
        if let Some((library, _)) = further.first() {
            let count = further.len();
            let text = format!("other modules have the names of {count} further libraries, such as `{library}`");
            self.notices.push(Notice { text, file: None });
        }
    }

    /// Adds what packs say in place of libraries, once the program was executed: what nobody asked for changes nothing. The first
    /// `of_project` paths are those that the project names; those of the user are trusted, and told.
    pub fn add_packs(&mut self, project: &Project, subject: &Subject, of_project: usize) {
        let mut by_library: BTreeMap<&str, Vec<&ReplacedName>> = BTreeMap::new();
        for name in subject.replaced.iter() {
            by_library.entry(top_level(&name.name)).or_default().push(name);
        }
        let mut assumed: BTreeMap<&str, Vec<&ReplacedName>> = BTreeMap::new();
        for (library, names) in &by_library {
            let all: BTreeSet<&str> = names.iter().map(|name| name.name.as_str()).collect();
            let files: BTreeSet<&Path> = names.iter().map(|name| name.file.as_path()).collect();
            let Some(first) = files.first().map(|file| shown(file)) else { continue };
            let verb = match files.len() {
                1 => "replaces".to_owned(),
                count => format!("and {} replace", others_of(count)),
            };
            let text = format!("`{first}` {verb} what Harp knows of {}", listed(&all, library));
            self.notices.push(Notice { text, file: Some(first) });
            let read = names.iter().filter(|name| name.given < of_project && name.is_read(&subject.library));
            let read: Vec<&ReplacedName> = read.copied().collect();
            if !read.is_empty() {
                assumed.insert(*library, read);
            }
        }
        for (library, read) in assumed {
            let names: BTreeSet<&str> = read.iter().map(|name| name.name.as_str()).collect();
            // What the values are decides what every operation on them says, whatever it is called.
            let is_of_values = read.iter().any(|name| name.is_of_values);
            let own = (!is_of_values).then(|| names.iter().map(|name| (*name).to_owned()).collect());
            let verb = if names.len() == 1 { "is" } else { "are" };
            let text = words::replaced_library_pack(listed(&names, library), verb);
            let files: Vec<ModuleId> = match is_of_values {
                true => (0..).map(ModuleId).take(project.modules.len()).collect(),
                false => self.users_of(project, subject, library, &names).into_iter().collect(),
            };
            self.assume(library, (text, "the project's configuration names the pack"), own, files);
        }
    }

    /// The files that may use what a library has. What is a method needs no import: objects come from anywhere.
    fn users_of(
        &self,
        project: &Project,
        subject: &Subject,
        library: &str,
        names: &BTreeSet<&str>,
    ) -> impl IntoIterator<Item = ModuleId> + use<> {
        let of_class =
            |name: &&str| name.rsplit_once('.').is_some_and(|(owner, _)| subject.library.class(owner).is_some());
        let all = || (0..).map(ModuleId).take(project.modules.len());
        match &self.imports {
            Some(imports) if library != "builtins" && !library.contains('*') && !names.iter().any(of_class) => {
                let direct = imports.names.iter().filter(|import| top_level(import.dotted.as_str()) == library);
                imports.reaching(direct.map(|import| import.from).chain(untold(project, &subject.corpus)))
            }
            _ => all().collect(),
        }
    }

    fn assume(
        &mut self,
        library: &str,
        (text, evidence): (String, &str),
        names: Option<BTreeSet<String>>,
        files: impl IntoIterator<Item = ModuleId>,
    ) {
        let kind = AssumptionKind::ReplacedLibrary;
        let assumption = Assumption {
            id: u32::MAX,
            kind: kind.as_str().to_owned(),
            class: kind.pattern().class,
            subject: library.to_owned(),
            text,
            span: None,
            evidence: evidence.to_owned(),
        };
        let files = files.into_iter().map(|module| FileId(module.0)).collect();
        self.assumed.push(Assumed { assumption, files, names });
    }

    /// Lets a finding rest on what stands in place of libraries in the files that it speaks of.
    pub fn mark_finding(&self, finding: &mut Finding) {
        if self.assumed.is_empty() {
            return;
        }
        let spans = finding.labels.iter().map(|label| label.span).chain([finding.primary.span]);
        let files: BTreeSet<FileId> = spans.map(|span| span.file).collect();
        for assumed in self.assumed.iter().filter(|assumed| !assumed.files.is_disjoint(&files)) {
            if assumed.names.as_ref().is_none_or(|names| speaks_of(finding, names)) {
                finding.assumptions.push(assumed.assumption.clone());
            }
        }
    }

    /// The same for entries, and adds what the report says.
    pub fn mark_entries(&self, summary: &mut Summary) {
        for entry in &mut summary.entries {
            let assumed = self.assumed.iter().filter(|assumed| assumed.files.contains(&entry.span.file));
            entry.assumptions.extend(assumed.map(|assumed| assumed.assumption.clone()));
        }
        summary.notices.extend(self.notices.iter().cloned());
    }

    /// The same for commands that give no report.
    pub fn warnings(&self) -> Vec<UserError> {
        self.notices.iter().map(Notice::warning).collect()
    }
}

/// Which modules have names that libraries have.
struct Search<'a> {
    project: &'a Project,
    corpus: &'a Corpus,
    /// The names of modules; `None` where statements do not tell them.
    names: BTreeMap<ModuleId, Option<Vec<Name>>>,
}

impl Search<'_> {
    /// Whether an import of a library's name gets something that the library has, from a file of the project.
    fn stands_for(&mut self, import: &ImportedName, module: ModuleId) -> bool {
        let dotted = import.dotted.as_str();
        if UNMISTAKABLE.contains(&top_level(dotted)) {
            return true;
        }
        let (project, corpus) = (self.project, self.corpus);
        let names = self.names.entry(module).or_insert_with(|| names_of(project, corpus, module));
        let is_known = |name: &&Name| is_known(&format!("{dotted}.{name}"));
        match (&import.taken, names) {
            (Some(taken), Some(names)) => taken.iter().filter(is_known).any(|name| names.contains(name)),
            (Some(taken), None) => taken.iter().any(|name| is_known(&name)),
            (None, Some(names)) => names.iter().any(|name| is_known(&name)),
            (None, None) => true,
        }
    }
}

/// The names that a module has; `None` where its statements do not tell them.
fn names_of(project: &Project, corpus: &Corpus, id: ModuleId) -> Option<Vec<Name>> {
    let text = &corpus.file(FileId(id.0))?.text;
    if let Some(names) = names_bound_in(project, id, text) {
        let is_told = names.iter().all(|name| name.as_str() != "__getattr__");
        return is_told.then(|| names.into_iter().collect());
    }
    if UNTOLD_NAMES.iter().any(|word| text.contains(word)) {
        return None;
    }
    // What is left are names that come from other modules all at once.
    let mut names = exports(project, id);
    let mut blocks = vec![&project.module(id)?.body[..]];
    while let Some(block) = blocks.pop() {
        for statement in block {
            blocks.extend(blocks_of(statement));
            if let harp_python::ir::StmtKind::ImportFrom(import) = &statement.kind
                && import.is_star
                && let ImportTarget::External(library) = project.resolve_import_from(id, import.level, import.module)
            {
                names.extend(harp_builtin::library().members(library.as_str()).into_iter().map(Name::new));
            }
        }
    }
    Some(names)
}

/// What files may import by names that they make: all modules of the project that have the name of a library, as far as Python would find them.
fn made_names(project: &Project, corpus: &Corpus) -> Vec<ImportedName> {
    let importers: Vec<ModuleId> = untold(project, corpus).collect();
    let mut namesakes: BTreeMap<&str, ModuleId> = BTreeMap::new();
    for (module, id) in project.modules.iter().zip((0..).map(ModuleId)).filter(|_| !importers.is_empty()) {
        let name = module.name.as_str();
        let starts = [0].into_iter().chain(name.match_indices('.').map(|(at, _)| at + 1));
        for dotted in starts.map(|start| &name[start..]).filter(|dotted| is_library(top_level(dotted))) {
            namesakes.entry(dotted).or_insert(id);
        }
    }
    let import = |from: ModuleId, dotted: &str, target| ImportedName {
        from,
        dotted: Name::new(dotted),
        target: Some(target),
        taken: None,
    };
    if importers.len().saturating_mul(namesakes.len()) > MOST_MADE_NAMES {
        // Nobody looks which of so many are found.
        return namesakes.iter().map(|(dotted, module)| import(importers[0], dotted, *module)).collect();
    }
    let found = |from: ModuleId, dotted: &str| match project.resolve_import(from, Name::new(dotted)) {
        ImportTarget::Module(module) if (module.0 as usize) < project.modules.len() => Some(module),
        _ => None,
    };
    let pairs = importers.iter().flat_map(|from| namesakes.keys().map(move |dotted| (*from, *dotted)));
    pairs.filter_map(|(from, dotted)| Some(import(from, dotted, found(from, dotted)?))).collect()
}

/// The files that import what no statement names.
fn untold<'a>(project: &'a Project, corpus: &'a Corpus) -> impl Iterator<Item = ModuleId> + 'a {
    let imports = |id: &ModuleId| {
        let file = corpus.file(FileId(id.0));
        file.is_some_and(|file| UNTOLD_IMPORTS.iter().any(|word| file.text.contains(word)))
    };
    (0..).map(ModuleId).take(project.modules.len()).filter(imports)
}

/// Whether a finding names one of these: as what fails, or as where an operand comes from.
fn speaks_of(finding: &Finding, names: &BTreeSet<String>) -> bool {
    let labels = finding.labels.iter().chain([&finding.primary]).map(|label| label.text.as_str());
    let texts = labels.chain([finding.message.as_str()]).chain(finding.notes.iter().map(String::as_str));
    let is_part = |character: char| character.is_alphanumeric() || character == '_' || character == '.';
    let mut words = texts.flat_map(|text| text.split(|character: char| !is_part(character)));
    words.any(|word| names.contains(word.trim_matches('.')))
}

/// `torch.zeros` and `torch.ones`, or how many of them.
fn listed(names: &BTreeSet<&str>, library: &str) -> String {
    let shown: Vec<String> = names.iter().take(MOST_NAMES).map(|name| format!("`{name}`")).collect();
    match (names.len() > MOST_NAMES, shown.split_last()) {
        (true, _) => format!("{} names of `{library}`, such as {}", names.len(), shown[0]),
        (false, Some((last, rest))) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => shown.concat(),
    }
}

/// `1 other file`, of so many together.
fn others_of(count: usize) -> String {
    if count == 2 { "1 other file".to_owned() } else { format!("{} other files", count - 1) }
}

fn top_level(dotted: &str) -> &str {
    dotted.split('.').next().unwrap_or(dotted)
}
