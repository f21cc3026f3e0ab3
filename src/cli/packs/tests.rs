use super::*;
use crate::functors::ShapeFunctors;
use std::fs;

#[test]
fn the_built_in_packs_are_in_order() {
    let (mut packs, errors) = load(&[]);
    assert_eq!(errors, []);
    assert_eq!(packs.len(), BUILTIN_PACKS.len());
    let functors = ShapeFunctors::default();
    let (program, errors) = compile(&mut packs, &functors);
    let program = program.expect("the packs compile");
    assert_eq!(errors, []);
    assert!(program.warnings.is_empty(), "{:?}", program.warnings);
    for rule in descriptions(&packs, &program) {
        assert!(!rule.title.is_empty(), "{} says nothing of itself", rule.id);
        assert!(rule.page.starts_with("# "), "{} has no page", rule.id);
    }
}

#[test]
fn the_build_compiles_what_the_packs_are() {
    let (packs, _) = load(&[]);
    let functors = ShapeFunctors::default();
    let program = compile_together(&packs, &functors).unwrap_or_else(|mistakes| panic!("{mistakes:?}"));
    assert!(program.to_bytes() == BUILTIN_RULES);
    let rules: Vec<RelationDescription> = program.identified().collect();
    assert!(packs.iter().all(|pack| foreign_ids(pack, &rules).is_empty()));
}

/// A folder with a pack of these files.
fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        fs::write(path, text).expect("a file");
    }
    folder
}

const ORDERLY: &str = "name = 'acme'\nversion = '0.1.0'\nschema_version = 1\nlicence = 'MIT'\n";
const RULE: &str = "/// Says so.\n/// @id acme/loop @severity warning @message \"a loop\" @at l\n.decl found(l: Loop)\nfound(l) :- loop(l, _).\n";

fn named(folders: &[&Path]) -> Vec<NamedPath> {
    folders.iter().map(|folder| NamedPath::by_user(*folder)).collect()
}

/// The mistakes of packs in these folders; the built-in packs run in any case.
fn errors_of(folders: &[&Path]) -> Vec<String> {
    let (mut packs, mut errors) = load(&named(folders));
    let functors = ShapeFunctors::default();
    let (program, more) = compile(&mut packs, &functors);
    assert!(program.is_some(), "the built-in packs still run");
    errors.extend(more);
    assert!(packs.len() >= BUILTIN_PACKS.len());
    let hide = |text: String| {
        folders
            .iter()
            .enumerate()
            .fold(text, |text, (index, folder)| text.replace(&shown(folder), &format!("pack{index}")))
    };
    errors.iter().map(|error| hide(error.to_string())).collect()
}

fn errors(files: &[(&str, &str)]) -> Vec<String> {
    errors_of(&[folder(files).path()])
}

#[test]
fn a_pack_in_order_is_loaded() {
    assert_eq!(errors(&[(MANIFEST, ORDERLY), ("rules/loop.dl", RULE)]), Vec::<String>::new());
    assert_eq!(errors(&[(MANIFEST, ORDERLY), ("rules/deep/er/loop.dl", RULE)]), Vec::<String>::new());
    let named = format!("{ORDERLY}rules = ['loops/*.dl']\n");
    assert_eq!(errors(&[(MANIFEST, &named), ("loops/loop.dl", RULE)]), Vec::<String>::new());
}

#[test]
fn a_broken_pack_is_left_out_with_a_message() {
    assert!(errors(&[(MANIFEST, ORDERLY)])[0].contains("no file fits"));
    assert!(errors(&[("README.md", "")])[0].contains("not a rule pack"));
    let arity = ".decl found(l: Loop)\nfound(l) :- loop(l).\n";
    assert!(errors(&[(MANIFEST, ORDERLY), ("rules/a.dl", arity)])[0].contains("`loop` has 2 columns, not 1"));
    let nothing = format!("{ORDERLY}rules = ['rules/*.rules']\n");
    let found = errors(&[(MANIFEST, &nothing), ("rules/a.dl", RULE)]);
    assert!(found[0].contains("no file fits") && found[0].contains("harp-pack.toml:5:10"), "{}", found[0]);
}

#[test]
fn a_rule_id_of_another_pack_is_refused_where_it_stands() {
    let foreign = RULE.replace("acme/", "shape/");
    let found = errors(&[(MANIFEST, ORDERLY), ("rules/a.dl", &foreign)]);
    assert_eq!(found.len(), 1);
    assert!(found[0].contains("pack's name") && found[0].contains("a.dl:2:9"), "{}", found[0]);
    // One that a built-in pack has already.
    let taken = RULE.replace("acme/loop", "shape/mismatch");
    let found = errors(&[(MANIFEST, ORDERLY), ("rules/a.dl", &taken)]);
    assert!(found[0].contains("pack's name"), "{}", found[0]);
}

#[test]
fn mistakes_of_one_pack_do_not_touch_another() {
    let good = folder(&[(MANIFEST, ORDERLY), ("rules/loop.dl", RULE)]);
    let thief = folder(&[(MANIFEST, &ORDERLY.replace("acme", "thief")), ("rules/loop.dl", RULE)]);
    for folders in [[good.path(), thief.path()], [thief.path(), good.path()]] {
        let (mut packs, _) = load(&named(&folders));
        let functors = ShapeFunctors::default();
        let (program, errors) = compile(&mut packs, &functors);
        assert_eq!(errors.len(), 1);
        assert!(packs.iter().any(|pack| pack.manifest.name == "acme"));
        assert!(packs.iter().all(|pack| pack.manifest.name != "thief"));
        assert!(program.expect("the others compile").finding("acme/loop").is_some());
    }
}

#[test]
fn two_rules_with_one_id_are_shown_with_both_places() {
    let found = errors(&[(MANIFEST, ORDERLY), ("rules/a.dl", RULE), ("rules/b.dl", RULE)]);
    assert!(found[0].contains("is taken") && found[0].contains("b.dl:2:9"), "{}", found[0]);
    assert!(found[0].contains("rules/a.dl:2: first used here"), "{}", found[0]);
}

#[test]
fn names_of_packs_are_unique() {
    let [one, two] = [0, 1].map(|_| folder(&[(MANIFEST, ORDERLY), ("rules/loop.dl", RULE)]));
    let found = errors_of(&[one.path(), two.path()]);
    assert!(
        found[0].contains("two packs of the name `acme`") && found[0].contains("harp-pack.toml:1:8"),
        "{}",
        found[0]
    );
    // The same folder is the same pack.
    assert_eq!(errors_of(&[one.path(), &one.path().join("rules/..")]), Vec::<String>::new());
    let builtin = ORDERLY.replace("acme", "shape");
    let found = errors(&[(MANIFEST, &builtin), ("rules/a.dl", &RULE.replace("acme", "shape"))]);
    assert!(found[0].contains("comes with Harp"), "{}", found[0]);
}

#[test]
fn a_pack_under_test_takes_the_place_of_the_built_in_one() {
    let files = [(MANIFEST, &*ORDERLY.replace("acme", "shape")), ("rules/a.dl", &*RULE.replace("acme", "shape"))];
    let folder = folder(&files);
    let (mut packs, errors) = load_in_place(&[folder.path().to_owned().into()]);
    assert_eq!(errors, []);
    let functors = ShapeFunctors::default();
    let (program, errors) = compile(&mut packs, &functors);
    assert_eq!(errors, []);
    let program = program.expect("the packs compile");
    assert!(program.finding("shape/loop").is_some() && program.finding("shape/mismatch").is_none());
    assert_eq!(packs.len(), BUILTIN_PACKS.len());
}

#[test]
fn files_of_the_pack_can_be_included_and_no_others() {
    let with = |include: &str| {
        let rule = format!(".include \"{include}\"\n{}", RULE.replace("loop(l, _)", "often(l)"));
        let library = ".decl often(l: Loop)\noften(l) :- runs_often(l).\n";
        errors(&[(MANIFEST, ORDERLY), ("rules/a.dl", &rule), ("library/often.dl", library)])
    };
    assert_eq!(with("../library/often.dl"), Vec::<String>::new());
    for (path, reason) in [
        ("../../often.dl", "the path leaves the pack"),
        ("/etc/passwd", "the path is absolute"),
        ("often.dl", "`rules/often.dl` does not exist"),
        ("../../../../../../etc/passwd", "the path leaves the pack"),
    ] {
        let found = with(path);
        assert!(found[0].contains(reason) && found[0].contains("a.dl:1:10"), "{path}: {}", found[0]);
    }
}

#[test]
fn includes_in_a_circle_end() {
    let rule = format!(".include \"b.dl\"\n.include \"a.dl\"\n{RULE}");
    let other = ".include \"a.dl\"\n.include \"schema.dl\"\n";
    assert_eq!(errors(&[(MANIFEST, ORDERLY), ("rules/a.dl", &rule), ("rules/b.dl", other)]), Vec::<String>::new());
}
