//! `harp new-pack`: a small pack that works, to begin with.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use harp_annotations::manifest::{MANIFEST as LIBRARY_MANIFEST, SOURCES, TESTS};
use harp_annotations::qualified_name;
use harp_graph::schema;
use harp_report::text::Color;
use harp_report::{UserError, terminal_escape};

use super::options::NewPackOptions;
use super::output::{self, Destination};
use super::packs::manifest::check_name;
use super::packs::{MANIFEST, is_builtin};
use crate::Outcome;
use crate::writing::files::put_new;

const RULE: &str = include_str!("new_pack/created-in-loop.dl");
const PAGE: &str = include_str!("new_pack/created-in-loop.md");
const SOURCE: &str = include_str!("new_pack/joined.py");
const LIBRARY_PAGE: &str = include_str!("new_pack/joined.md");
/// What stands for the pack's name in them.
const NAME: &str = "PACK";

/// Writes the pack and says what to do next.
pub(super) fn run(options: &NewPackOptions) -> Result<Outcome, UserError> {
    let name = &options.name;
    if options.library {
        check_module(name)?;
    } else {
        check_rules_name(name)?;
    }
    let folder = options.path.clone().unwrap_or_else(|| PathBuf::from(name));
    let shown = terminal_escape::name(&folder.display().to_string());
    if fs::symlink_metadata(&folder).is_ok() && !is_empty_folder(&folder) {
        let error = UserError::new(format!("{shown} is there already"));
        return Err(error.hint("choose another place with `--path`; nothing was written"));
    }
    let (source, page) = (format!("{SOURCES}/{name}.py"), format!("{TESTS}/{name}.md"));
    let (key, flag) = if options.library { ("annotations", "--annotations") } else { ("packs", "--pack") };
    let files = match options.library {
        true => [
            (LIBRARY_MANIFEST, "what the pack is"),
            (&source, "what the module does to sizes, in Python"),
            (&page, "a page that explains and tests it"),
        ],
        false => [
            (MANIFEST, "what the pack is"),
            ("rules/created-in-loop.dl", "a rule"),
            ("created-in-loop.md", "its page, which explains and tests it"),
        ],
    };
    let mut commands =
        vec![(format!("harp test {shown}"), "run its tests"), (format!("harp check PATH {flag} {shown}"), "use it")];
    if !options.library {
        commands.push(("harp schema".to_owned(), "see what rules can ask"));
    }
    output::write_folder(&folder, |folder| match options.library {
        true => fill_library(name, folder),
        false => fill(name, folder),
    })?;
    Destination::StandardOutput.write(Color::Never, |out| {
        writeln!(out, "The pack `{name}` is in {shown}:\n")?;
        let width = files.iter().map(|(path, _)| path.len()).max().unwrap_or_default() + 2;
        for (path, what) in files {
            writeln!(out, "    {path:width$}{what}")?;
        }
        writeln!(out, "\nNext:\n")?;
        let width = commands.iter().map(|(command, _)| command.len()).max().unwrap_or_default();
        for (command, what) in &commands {
            writeln!(out, "    {command:width$}  {what}")?;
        }
        writeln!(out, "\nIn a project's configuration: {key} = [\"{shown}\"]")
    })?;
    Ok(Outcome::Clean)
}

fn check_rules_name(name: &str) -> Result<(), UserError> {
    if let Err(reason) = check_name(name) {
        return Err(UserError::new(format!("`{name}` is not a valid pack name")).hint(reason));
    }
    if is_builtin(name) {
        let error = UserError::new(format!("`{name}` is the name of a pack that comes with Harp"));
        return Err(error.hint("choose another name"));
    }
    Ok(())
}

/// A library pack is named after the module that it describes.
fn check_module(name: &str) -> Result<(), UserError> {
    match qualified_name(name) {
        Ok(_) => Ok(()),
        Err(_) => {
            Err(UserError::new(format!("`{name}` is not a valid module name")).hint("such as `acme` or `acme.layers`"))
        }
    }
}

fn is_empty_folder(folder: &Path) -> bool {
    let is_folder = fs::symlink_metadata(folder).is_ok_and(|metadata| metadata.is_dir());
    is_folder && fs::read_dir(folder).is_ok_and(|mut children| children.next().is_none())
}

fn fill(name: &str, folder: &Path) -> io::Result<()> {
    let manifest = format!(
        "name = \"{name}\"\nversion = \"0.1.0\"\nschema_version = {}\nlicence = \"MIT\"\ndescription = \"Rules of our own\"\n",
        schema::VERSION
    );
    put_new(&folder.join(MANIFEST), manifest.as_bytes())?;
    put_new(&folder.join("rules/created-in-loop.dl"), RULE.replace(NAME, name).as_bytes())?;
    put_new(&folder.join("created-in-loop.md"), PAGE.replace(NAME, name).as_bytes())
}

fn fill_library(name: &str, folder: &Path) -> io::Result<()> {
    let package = name.split('.').next().unwrap_or(name);
    let manifest = format!("name: {name}\ndescription: \"What we know of {name}\"\nfollows: {package}\n");
    put_new(&folder.join(LIBRARY_MANIFEST), manifest.as_bytes())?;
    put_new(&folder.join(SOURCES).join(format!("{name}.py")), SOURCE.replace(NAME, name).as_bytes())?;
    put_new(&folder.join(TESTS).join(format!("{name}.md")), LIBRARY_PAGE.replace(NAME, name).as_bytes())
}
