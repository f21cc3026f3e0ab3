//! Repositories that a command brings, which the user names.

use std::path::Path;
use std::time::Duration;

use crate::audit::unit::{Refusal, Source, Tree, without_place};
use crate::programs::Given;
use crate::writing::unfinished::Unfinished;

/// A command takes no longer.
const LONGEST_FETCH: Duration = Duration::from_secs(1800);

/// Starts the command, reads what it brings, and removes that.
pub(in crate::audit) fn read(name: &str, command: &[String], limit: u64) -> Result<Tree, Refusal> {
    // What begins with a dash would be an option to the command.
    if name.starts_with('-') {
        return Err("a name that begins with a dash".to_owned());
    }
    let scratch = Unfinished::temporary_folder().map_err(|error| error.to_string())?;
    let folder = scratch.path().join("fetched");
    let word = |word: &String| word.replace("{folder}", &folder.to_string_lossy()).replace("{}", name);
    let words: Vec<String> = command.iter().map(word).collect();
    let (program, arguments) = words.split_first().ok_or("an empty command")?;
    let run = || {
        Given::find(program)?.run(scratch.path(), arguments, LONGEST_FETCH)?;
        let source = fetched(&folder).ok_or("the command left nothing in `{folder}`")?;
        source.read(name, limit)
    };
    // The folder has another name each time.
    run().map_err(|reason| without_place(&without_place(&reason, &folder, "{folder}"), scratch.path(), "{folder}/.."))
}

/// What the command left: an archive in place of the folder is as good.
fn fetched(folder: &Path) -> Option<Source> {
    let metadata = folder.symlink_metadata().ok()?;
    let is_bare = || crate::writing::gate::is_repository(folder) && !folder.join(".git").exists();
    match () {
        () if metadata.is_file() => Some(Source::Archive(folder.to_owned())),
        () if !metadata.is_dir() => None,
        () if is_bare() => Some(Source::Commit { repository: folder.to_owned(), revision: "HEAD".to_owned() }),
        () => Some(Source::Folder { folder: folder.to_owned(), without: Vec::new() }),
    }
}
