//! Whether a file that was read may be written: not where a link leads out of what was given.

use std::path::{Path, PathBuf};

use crate::project_folders::place_in_checkout;

/// Why a file is not written, as a clause; `None` where it is. `file` is absolute and without links; `given` is what the user named.
pub(super) fn objection(file: &Path, given: &[PathBuf]) -> Option<&'static str> {
    let leads_here = |path: &&PathBuf| path.canonicalize().is_ok_and(|real| file.starts_with(real));
    let mut ways = given.iter().filter(leads_here).peekable();
    // What nobody named by a path on disk has no link on its way.
    let is_reached = ways.peek().is_none() || ways.any(|path| stays_inside(path));
    (!is_reached).then_some("a link leads out of the project to its file")
}

/// Whether no link leads from a path out of the git checkout that it is in or, outside of checkouts, out of its folder.
fn stays_inside(path: &Path) -> bool {
    if let Some(place) = place_in_checkout(path) {
        return place.is_ok();
    }
    let is_link = path.symlink_metadata().is_ok_and(|metadata| metadata.is_symlink());
    let folder = std::path::absolute(path).ok().and_then(|path| path.parent()?.canonicalize().ok());
    !is_link || folder.is_some_and(|folder| path.canonicalize().is_ok_and(|real| real.starts_with(folder)))
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn links_out_of_the_project_are_not_written_through() {
        let folder = tempfile::tempdir().expect("a folder");
        let outer = folder.path().canonicalize().expect("a folder");
        let checkout = outer.join("checkout");
        fs::create_dir_all(checkout.join(".git")).expect("a folder");
        fs::write(outer.join("a.py"), "").expect("a file");
        fs::write(checkout.join("b.py"), "").expect("a file");
        symlink(outer.join("a.py"), checkout.join("out.py")).expect("a link");
        symlink("b.py", checkout.join("in.py")).expect("a link");
        symlink("checkout/b.py", outer.join("below.py")).expect("a link");
        let of = |file: &str, given: &str| objection(&outer.join(file), &[outer.join(given)]).is_none();
        assert!(of("a.py", "a.py") && of("checkout/b.py", "checkout"));
        assert!(of("checkout/b.py", "checkout/in.py") && of("checkout/b.py", "below.py"));
        assert!(!of("a.py", "checkout/out.py"));
        assert!(objection(&outer.join("a.py"), &[checkout.join("out.py"), outer.join("a.py")]).is_none());
    }
}
