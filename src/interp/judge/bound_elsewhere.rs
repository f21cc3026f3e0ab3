//! For issues of undefined names: which names texts bind by other ways than a statement of their own module, as
//! `module.name = …`, `setattr`, built-ins that a program adds. They are read from all files once, when the first name is
//! met that nothing around it binds.

use harp_corpus::SourceFile;
use harp_limits::tick;
use harp_python::name::Name;
use harp_python::{Written, ir, visit_written};
use rustc_hash::{FxHashMap, FxHashSet};

/// A file that mentions all of one of these may give other modules any name that it mentions.
const REACHES_INTO_MODULES: [&[&str]; 7] = [
    &["builtins"],
    &["__dict__", "sys.modules"],
    &["__globals__"],
    &["f_globals"],
    &["init_globals"],
    &["run_path("],
    &["run_module("],
];

/// A line that mentions one of these may give a module the names in its texts, as keys of a dictionary or in code.
const REACHES_BY_TEXT: [&str; 6] = ["setattr(", "__dict__[", "__dict__.update(", "vars(", "exec(", ".install("];

/// The names that some file gives modules, or anything else, as members.
#[derive(Debug, Default)]
pub struct BoundElsewhere<'p> {
    names: FxHashSet<&'p str>,
}

impl<'p> BoundElsewhere<'p> {
    pub(crate) fn of(files: &'p [SourceFile]) -> BoundElsewhere<'p> {
        let mut names = FxHashSet::default();
        for file in files {
            tick();
            if REACHES_INTO_MODULES.iter().any(|all| all.iter().all(|word| file.text.contains(word))) {
                names.extend(words(&file.text));
            } else {
                add_members(&file.text, &mut names);
            }
        }
        BoundElsewhere { names }
    }

    pub(crate) fn contains(&self, name: Name) -> bool {
        self.names.contains(name.as_str())
    }
}

fn is_of_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

/// The identifiers, keywords and numbers of a text.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|character| !is_of_word(character)).filter(|word| !word.is_empty());
    words.inspect(|_| tick())
}

/// Adds the names `name` of `something.name = …`, and those that stand in texts where members are set by name.
pub fn add_members<'p>(text: &'p str, names: &mut FxHashSet<&'p str>) {
    for (place, _) in text.match_indices('=') {
        tick();
        let before = text[..place].trim_end_matches([' ', '\t']);
        let owner = before.trim_end_matches(is_of_word);
        if owner.ends_with('.') && owner.len() < before.len() && !text[place + 1..].starts_with('=') {
            names.insert(&before[owner.len()..]);
        }
    }
    for line in text.lines() {
        tick();
        if REACHES_BY_TEXT.iter().any(|way| line.contains(way)) {
            names.extend(line.split(['"', '\'']).skip(1).step_by(2).flat_map(words));
        }
        // What translates texts: `gettext.install("domain")`.
        if line.contains(".install(") {
            names.insert("_");
        }
    }
}

/// Where names have a meaning of their own in a file: in functions, and in what has type parameters.
#[derive(Debug, Default)]
pub struct LocalNames {
    /// By name, the outermost functions and classes that have a variable or type parameter of that name, in the order of the text: no two of them overlap.
    ranges: FxHashMap<Name, Vec<ir::Range>>,
}

impl LocalNames {
    pub fn of(body: &[ir::Stmt]) -> LocalNames {
        let mut ranges: FxHashMap<Name, Vec<ir::Range>> = FxHashMap::default();
        visit_written(body, &mut |written| {
            tick();
            let (names, range) = match written {
                Written::Function(function, _) | Written::Lambda(function) => {
                    ([&*function.locals, &function.nonlocals, &function.type_parameters], function.range)
                }
                Written::Class(class) => ([&*class.type_parameters, &[], &[]], class.range),
                Written::Call(_) => return,
            };
            for name in names.into_iter().flatten() {
                ranges.entry(*name).or_default().push(range);
            }
        });
        for known in ranges.values_mut() {
            // Those that begin at one place: the larger first.
            known.sort_unstable_by_key(|range| (range.start, std::cmp::Reverse(range.end)));
            let mut end = 0;
            known.retain(|range| {
                let is_outermost = range.end > end;
                end = end.max(range.end);
                is_outermost
            });
        }
        LocalNames { ranges }
    }

    /// Whether a function around the place has a variable of that name, which may have no value yet.
    pub fn has(&self, name: Name, place: ir::Range) -> bool {
        let Some(known) = self.ranges.get(&name) else { return false };
        let next = known.partition_point(|range| range.start <= place.start);
        next.checked_sub(1).and_then(|index| known.get(index)).is_some_and(|range| place.end <= range.end)
    }
}
