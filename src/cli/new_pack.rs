//! `harp new-pack`: a small pack that works, to begin with.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use harp_graph::schema;
use harp_report::text::Color;
use harp_report::{UserError, terminal_escape};

use super::options::NewPackOptions;
use super::output::{self, Destination};
use super::packs::manifest::check_name;
use super::packs::{MANIFEST, is_builtin};
use crate::Outcome;

const RULE: &str = include_str!("new_pack/created-in-loop.dl");
const PAGE: &str = include_str!("new_pack/created-in-loop.md");
/// What stands for the pack's name in them.
const NAME: &str = "PACK";

/// Writes the pack and says what to do next.
pub(super) fn run(options: &NewPackOptions) -> Result<Outcome, UserError> {
    let name = &options.name;
    if let Err(reason) = check_name(name) {
        return Err(UserError::new(format!("`{name}` is no name of a pack")).hint(reason));
    }
    if is_builtin(name) {
        let error = UserError::new(format!("`{name}` is the name of a pack that comes with Harp"));
        return Err(error.hint("choose another name"));
    }
    let folder = options.path.clone().unwrap_or_else(|| PathBuf::from(name));
    let shown = terminal_escape::name(&folder.display().to_string());
    if fs::symlink_metadata(&folder).is_ok() && !is_empty_folder(&folder) {
        let error = UserError::new(format!("{shown} is there already"));
        return Err(error.hint("choose another place with `--path`; nothing was written"));
    }
    output::write_folder(&folder, |folder| fill(name, folder))?;
    Destination::StandardOutput.write(Color::Never, |out| {
        writeln!(out, "The pack `{name}` is in {shown}:\n")?;
        for (path, what) in [
            (MANIFEST, "what the pack is"),
            ("rules/created-in-loop.dl", "a rule"),
            ("created-in-loop.md", "its page, which explains and tests it"),
        ] {
            writeln!(out, "    {path:26}{what}")?;
        }
        writeln!(out, "\nNext:\n")?;
        for (command, what) in [
            (format!("harp test {shown}"), "run its tests"),
            (format!("harp check PATH --pack {shown}"), "use it"),
            ("harp schema".to_owned(), "see what rules can ask"),
        ] {
            writeln!(out, "    {command:width$}  {what}", width = shown.len() + 23)?;
        }
        writeln!(out, "\nIn a project's configuration: packs = [\"{shown}\"]")
    })?;
    Ok(Outcome::Clean)
}

fn is_empty_folder(folder: &Path) -> bool {
    let is_folder = fs::symlink_metadata(folder).is_ok_and(|metadata| metadata.is_dir());
    is_folder && fs::read_dir(folder).is_ok_and(|mut children| children.next().is_none())
}

fn fill(name: &str, folder: &Path) -> io::Result<()> {
    fs::create_dir(folder.join("rules"))?;
    let manifest = format!(
        "name = \"{name}\"\nversion = \"0.1.0\"\nschema_version = {}\nlicence = \"MIT\"\ndescription = \"Rules of our own\"\n",
        schema::VERSION
    );
    fs::write(folder.join(MANIFEST), manifest)?;
    fs::write(folder.join("rules/created-in-loop.dl"), RULE.replace(NAME, name))?;
    fs::write(folder.join("created-in-loop.md"), PAGE.replace(NAME, name))
}
