//! The gate for writing: files and folders have a name of their own until they are complete. One that does not get its
//! final name goes, also where the program is ended by a signal.

use std::collections::BTreeSet;
use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::scratch;

/// What is unfinished now. Who holds it cannot be ended by a signal.
static UNFINISHED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// The number of the next name. None is used twice: a file that got its final name would otherwise take the file of another thread away, which got the
/// name that became free.
static NEXT: AtomicUsize = AtomicUsize::new(0);

/// So many names are tried; those that are taken are from programs that were killed.
const MOST_NAMES: usize = 1000;

/// A file or folder without its final name.
#[derive(Debug)]
pub(crate) struct Unfinished {
    path: PathBuf,
    /// Of a temporary folder, what says that it is in use.
    lock: Option<File>,
}

/// Whether a file has the name of one that is not finished.
pub(crate) fn is_unfinished(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let numbers = name.strip_prefix(".harp-").and_then(|rest| rest.strip_suffix(".tmp"));
    numbers.is_some_and(|numbers| numbers.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-'))
}

impl Unfinished {
    /// A new file in a folder.
    pub fn file_in(folder: &Path) -> io::Result<(Unfinished, File)> {
        Unfinished::make(folder, |path| File::options().write(true).create_new(true).open(path))
    }

    /// The same that its owner alone may read.
    pub fn private_file_in(folder: &Path) -> io::Result<(Unfinished, File)> {
        let mut options = File::options();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        Unfinished::make(folder, |path| options.open(path))
    }

    /// A new folder in a folder.
    pub fn folder_in(folder: &Path) -> io::Result<Unfinished> {
        Unfinished::make(folder, |path| fs::create_dir(path)).map(|(folder, ())| folder)
    }

    /// A new folder among the system's temporary ones, which nobody else may read.
    pub fn temporary_folder() -> io::Result<Unfinished> {
        signals::watch();
        // It may take long, and no signal waits for it.
        scratch::sweep_once();
        let mut unfinished = unfinished();
        let (path, lock) = scratch::make()?;
        unfinished.insert(path.clone());
        Ok(Unfinished { path, lock: Some(lock) })
    }

    fn make<T>(folder: &Path, make: impl Fn(&Path) -> io::Result<T>) -> io::Result<(Unfinished, T)> {
        signals::watch();
        let mut unfinished = unfinished();
        for _ in 0..MOST_NAMES {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let path = folder.join(format!(".harp-{}-{number}.tmp", std::process::id()));
            match make(&path) {
                Ok(made) => {
                    unfinished.insert(path.clone());
                    return Ok((Unfinished { path, lock: None }, made));
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Puts the file in the place of `target`, or where nothing is.
    pub fn replace(self, target: &Path) -> io::Result<()> {
        let _held = unfinished();
        replace(&self.path, target)
        // What is left is removed when `self` is dropped, after the lock.
    }

    /// Gives the file this name. A link that has it is replaced, and not followed.
    pub fn rename(self, target: &Path) -> io::Result<()> {
        let _held = unfinished();
        fs::rename(&self.path, target)
    }

    /// Puts all that is in the folder into another one. What has the same name there goes, of a folder all that is in it.
    #[cfg(feature = "tables")]
    pub fn put_into(self, target: &Path) -> io::Result<()> {
        let old = Unfinished::folder_in(target)?;
        let _held = unfinished();
        for child in fs::read_dir(&self.path)? {
            let name = child?.file_name();
            let place = target.join(&name);
            let mut attempts = 0;
            // Another program may put the same there at the same time: that of the last one stays.
            while let Err(error) = put(&self.path.join(&name), &place, &old.path) {
                attempts += 1;
                if attempts == MOST_NAMES || !fs::symlink_metadata(&place).is_ok_and(|there| there.is_dir()) {
                    return Err(error);
                }
            }
        }
        Ok(())
        // What was there is removed when `old` is dropped, after the lock.
    }

    /// Gives the folder its name, or puts all that is in it into the folder that has the name already.
    pub fn merge_into(self, target: &Path) -> io::Result<()> {
        let _held = unfinished();
        if !target.is_dir() {
            return fs::rename(&self.path, target);
        }
        for child in fs::read_dir(&self.path)? {
            let child = child?;
            replace(&child.path(), &target.join(child.file_name()))?;
        }
        Ok(())
    }
}

/// Puts something in its place, and a folder that is there into another one.
#[cfg(feature = "tables")]
fn put(from: &Path, place: &Path, old: &Path) -> io::Result<()> {
    let there = fs::symlink_metadata(place);
    if there.as_ref().is_ok_and(Metadata::is_symlink) {
        fs::remove_file(place)?;
    }
    let mut away = None;
    if there.is_ok_and(|there| there.is_dir()) {
        let folder = tempfile::Builder::new().tempdir_in(old)?.keep().join("old");
        // It may have been put away by another program.
        away = fs::rename(place, &folder).is_ok().then_some(folder);
    }
    fs::rename(from, place).inspect_err(|_| {
        // Where nothing new takes its place, the old one stays.
        if let Some(away) = away {
            let _ = fs::rename(away, place);
        }
    })
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        let mut unfinished = unfinished();
        unfinished.remove(&self.path);
        // Some systems remove no file that is open.
        self.lock = None;
        remove(&self.path);
    }
}

fn unfinished() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Another thread may still write into a folder while it is removed; it soon ends, or waits for what is held here.
const MOST_ATTEMPTS: usize = 500;

/// Nothing more can be done where this fails. What has its final name is not there any more.
fn remove(path: &Path) {
    for _ in 0..MOST_ATTEMPTS {
        let removed = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
        if removed.is_ok() || fs::symlink_metadata(path).is_err() {
            return;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Gives a file the name of another, which keeps its permissions. One that has further names, or another owner, keeps these too: it
/// gets the new contents.
fn replace(from: &Path, target: &Path) -> io::Result<()> {
    let Ok(old) = fs::metadata(target) else { return fs::rename(from, target) };
    if !old.is_file() {
        return fs::rename(from, target);
    }
    if is_more_than_a_name(&old, &fs::metadata(from)?) {
        return overwrite(target, File::open(from)?);
    }
    fs::set_permissions(from, old.permissions())?;
    // A file that is mounted by itself, as into a container, can be written but not replaced.
    fs::rename(from, target).or_else(|_| overwrite(target, File::open(from)?))
}

/// Writes new contents into a file that is there.
pub(super) fn overwrite(target: &Path, mut contents: impl Read) -> io::Result<()> {
    io::copy(&mut contents, &mut File::options().write(true).truncate(true).open(target)?).map(|_| ())
}

#[cfg(unix)]
fn is_more_than_a_name(old: &Metadata, new: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    old.nlink() > 1 || (old.uid(), old.gid()) != (new.uid(), new.gid())
}

#[cfg(not(unix))]
fn is_more_than_a_name(_: &Metadata, _: &Metadata) -> bool {
    false
}

#[cfg(unix)]
mod signals {
    use std::sync::{Once, mpsc};

    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;
    use signal_hook::low_level::emulate_default_handler;

    /// Removes what is unfinished when a signal ends the program, and lets it end as it would have.
    pub fn watch() {
        static STARTED: Once = Once::new();
        STARTED.call_once(|| {
            let wanted: Vec<i32> =
                [SIGHUP, SIGINT, SIGTERM].into_iter().filter(|signal| !is_ignored(*signal)).collect();
            let (ready, started) = mpsc::channel();
            // The signals are asked for by the thread that waits for them: without it nobody could end the program any more.
            let wait = move || {
                let signals = Signals::new(wanted);
                let _ = ready.send(());
                let Some(signal) = signals.ok().and_then(|mut signals| signals.forever().next()) else { return };
                // Held to the end: nothing new is begun.
                let _groups = crate::process_groups::end_all();
                let unfinished = super::unfinished();
                unfinished.iter().for_each(|path| super::remove(path));
                let _ = emulate_default_handler(signal);
            };
            let _ = std::thread::Builder::new().name("signals".to_owned()).spawn(wait);
            // Where there is no thread, there is nothing to wait for either.
            let _ = started.recv();
        });
    }

    /// Whether the program was started so that it is not ended by this signal, as by `nohup`. Where the system does not tell, a terminal
    /// that closes is left alone.
    fn is_ignored(signal: i32) -> bool {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        match mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()) {
            Some(mask) => mask & (1 << (signal - 1)) != 0,
            None => signal == SIGHUP,
        }
    }
}

#[cfg(not(unix))]
mod signals {
    pub fn watch() {}
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let children = fs::read_dir(folder).expect("a folder");
        let mut names: Vec<String> =
            children.map(|child| child.expect("a name").file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    #[test]
    fn what_is_not_finished_goes() {
        let folder = tempfile::tempdir().expect("a folder");
        let (file, _) = Unfinished::file_in(folder.path()).expect("a file");
        let other = Unfinished::folder_in(folder.path()).expect("another name");
        fs::write(other.path().join("a"), "a").expect("a file");
        assert_eq!(names(folder.path()).len(), 2);
        drop((file, other));
        assert_eq!(names(folder.path()), Vec::<String>::new());
    }

    #[test]
    fn files_of_several_threads_do_not_take_each_other_away() {
        let folder = tempfile::tempdir().expect("a folder");
        let work = |thread: usize| {
            for number in 0..500 {
                let (unfinished, _) = Unfinished::file_in(folder.path()).expect("a file");
                unfinished.rename(&folder.path().join(format!("{thread}-{number}"))).expect("it is still there");
            }
        };
        std::thread::scope(|scope| (0..4).for_each(|thread| drop(scope.spawn(move || work(thread)))));
        assert_eq!(names(folder.path()).len(), 2000);
    }

    #[test]
    fn folders_get_their_name_or_fill_one_that_is_there() {
        let folder = tempfile::tempdir().expect("a folder");
        let target = folder.path().join("facts");
        for text in ["old", "new"] {
            let staged = Unfinished::folder_in(folder.path()).expect("a folder");
            fs::write(staged.path().join("a"), text).expect("a file");
            staged.merge_into(&target).expect("it gets its place");
            assert_eq!(fs::read_to_string(target.join("a")).expect("a file"), text);
            fs::write(target.join("b"), "kept").expect("a file");
        }
        assert_eq!(
            (names(folder.path()), names(&target)),
            (vec!["facts".to_owned()], vec!["a".to_owned(), "b".to_owned()])
        );
    }

    #[cfg(feature = "tables")]
    #[test]
    fn a_folder_takes_the_place_of_an_earlier_one() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("other"), "kept").expect("a file");
        for (first, second) in [("1", "2"), ("3", "4")] {
            let staged = Unfinished::folder_in(folder.path()).expect("a folder");
            fs::create_dir(staged.path().join("report")).expect("a folder");
            fs::write(staged.path().join("report").join(first), "").expect("a file");
            fs::write(staged.path().join("report.html"), second).expect("a file");
            staged.put_into(folder.path()).expect("it gets its place");
            assert_eq!(fs::read_to_string(folder.path().join("report.html")).expect("a file"), second);
            assert_eq!(names(&folder.path().join("report")), [first]);
        }
        assert_eq!(names(folder.path()), ["other", "report", "report.html"]);
    }

    #[cfg(unix)]
    #[test]
    fn a_file_keeps_its_permissions_and_its_other_names() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().expect("a folder");
        let (target, other) = (folder.path().join("report"), folder.path().join("other"));
        let put = |text: &str| {
            let (staged, mut file) = Unfinished::file_in(folder.path()).expect("a file");
            io::Write::write_all(&mut file, text.as_bytes()).expect("it is written");
            staged.replace(&target).expect("it gets its place");
        };
        put("first");
        fs::set_permissions(&target, fs::Permissions::from_mode(0o600)).expect("it is ours");
        put("second");
        assert_eq!(fs::metadata(&target).expect("a file").permissions().mode() & 0o777, 0o600);
        fs::hard_link(&target, &other).expect("a second name");
        put("third");
        assert_eq!(fs::read_to_string(&other).expect("a file"), "third");
        assert_eq!(names(folder.path()), ["other", "report"]);
    }
}
