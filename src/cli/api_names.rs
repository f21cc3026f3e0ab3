//! Warns of names of APIs in rules that no library has, where one is near: most likely they are misspelt. Libraries
//! have more functions than are annotated, so that other unknown names may be right.

use harp_annotations::Library;
use harp_datalog::{ComparedText, Diagnostic, Level, Program};
use harp_report::{UserError, edit_distance};

use crate::packs;

/// The schema's type of APIs.
const API_TYPE: &str = "Api";
/// Names with a last part that is shorter than this are near to too many others.
const SHORTEST: usize = 3;
/// From this length of the last part on, two letters may be wrong, else one.
const LONG: usize = 6;

/// What is said of rules that users wrote.
pub fn warnings(program: &Program<'_>, library: &Library) -> Vec<UserError> {
    let own = |compared: &ComparedText| !packs::is_builtin_source(&compared.source);
    misspelt(program, library, own).iter().map(|it| packs::user_error(it, program.sources())).collect()
}

/// The names that are most likely misspelt, of the texts that count.
fn misspelt(program: &Program<'_>, library: &Library, counts: impl Fn(&ComparedText) -> bool) -> Vec<Diagnostic> {
    let compared = program.compared_with(API_TYPE).into_iter().filter(counts);
    let names = compared.filter_map(|compared| Some((name_of(&compared)?, compared)));
    let packages = library.packages();
    let of_library = names.filter(|(name, _)| {
        name.split_once('.').is_some_and(|(first, _)| packages.iter().any(|package| package == first))
    });
    let found = of_library.filter(|(name, _)| !is_known(library, name));
    found.filter_map(|(name, compared)| Some(diagnostic(&name, nearest(library, &name)?, compared))).collect()
}

/// The name that a text asks for; nothing where a pattern may fit several.
fn name_of(compared: &ComparedText) -> Option<String> {
    let name = match compared.is_pattern {
        // A dot that should have a backslash is meant as one.
        true => compared.text.replace("\\.", "."),
        false => compared.text.clone(),
    };
    let is_plain = |character: char| character.is_alphanumeric() || matches!(character, '.' | '_');
    name.chars().all(is_plain).then_some(name)
}

fn is_known(library: &Library, name: &str) -> bool {
    let method = |(class, method): (&str, &str)| {
        library.class(class).is_some()
            && (library.method(class, method).is_some() || library.property(class, method).is_some())
    };
    library.entry(name).is_some() || name.rsplit_once('.').is_some_and(method)
}

/// The annotated name that is as near as a slip of the fingers.
fn nearest<'l>(library: &'l Library, name: &str) -> Option<&'l str> {
    let last = name.rsplit('.').next().unwrap_or(name).chars().count();
    let most = if last >= LONG { 2 } else { 1 };
    if last < SHORTEST {
        return None;
    }
    let package = name.split_once('.')?.0;
    let near = library.entry_names().filter(|known| {
        // `Pool3d` beside `Pool2d` is one more function, and no slip.
        known.len().abs_diff(name.len()) <= most
            && known.starts_with(package)
            && !without_digits(known).eq(without_digits(name))
    });
    let distances = near.map(|known| (edit_distance(name, known), known));
    distances.filter(|(distance, _)| *distance <= most).min().map(|(_, known)| known)
}

fn without_digits(name: &str) -> impl Iterator<Item = char> + '_ {
    name.chars().filter(|character| !character.is_ascii_digit())
}

fn diagnostic(name: &str, near: &str, compared: ComparedText) -> Diagnostic {
    Diagnostic {
        level: Level::Warning,
        source: compared.source,
        range: compared.range,
        message: format!("no library has `{name}`, as far as Harp knows"),
        label: "most likely joins nothing".to_owned(),
        hint: Some(format!("did you mean `{near}`?")),
        notes: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipeline::Rules;
    use crate::rule_findings;

    #[test]
    fn the_built_in_packs_misspell_no_name() {
        let functors = rule_findings::functors();
        let rules = Rules::load(&[], &functors);
        let program = rules.program.expect("the packs are in order");
        assert!(program.compared_with(API_TYPE).len() > 20, "names are found");
        assert_eq!(misspelt(&program, harp_builtin::library(), |_| true), []);
    }

    #[test]
    fn slips_are_told_and_other_unknown_names_are_not() {
        let library = harp_builtin::library();
        let near = |name: &str| if is_known(library, name) { None } else { nearest(library, name) };
        for (name, meant) in [
            ("torch.matmull", Some("torch.matmul")),
            ("torch.Tensor.matmull", Some("torch.Tensor.matmul")),
            ("torch.nn.functional.sofmtax", Some("torch.nn.functional.softmax")),
            ("numpy.concatinate", Some("numpy.concatenate")),
            ("torch.matmul", None),
            ("torch.distributed.init_process_group_of_mine", None),
            ("torch.nn.Conv7d", None),
            ("torch.xy", None),
        ] {
            assert_eq!(near(name), meant, "{name}");
        }
    }
}
