//! Programs that start further ones, which end with them: a program of the user leads a group of processes, and the group is ended where the program
//! takes too long or Harp ends by a signal. What still runs when its leader has ended by itself is left alone.

use std::collections::BTreeSet;
use std::io;
use std::process::{Child, Command, ExitStatus};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Leaders that were not waited for yet: the number of such a group stands for no other one.
static LEADERS: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());

fn leaders() -> MutexGuard<'static, BTreeSet<u32>> {
    LEADERS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts a program with `spawn`, as the leader of a group.
pub(super) fn start(command: &mut Command, spawn: impl FnOnce(&mut Command) -> io::Result<Child>) -> io::Result<Child> {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    // Held, so that a signal finds the group or nothing was started.
    let mut leaders = leaders();
    let child = spawn(command)?;
    leaders.insert(child.id());
    Ok(child)
}

/// How a leader ended, if it did. Its group has no number from then on.
pub(super) fn status(child: &mut Child) -> io::Result<Option<ExitStatus>> {
    let mut leaders = leaders();
    let status = child.try_wait();
    if !matches!(status, Ok(None)) {
        leaders.remove(&child.id());
    }
    status
}

/// Ends the group of a leader that was not waited for.
pub(super) fn end(child: &Child) {
    if leaders().contains(&child.id()) {
        end_group(child.id());
    }
}

/// A leader that was ended is about to be waited for.
pub(super) fn forget(child: &Child) {
    leaders().remove(&child.id());
}

/// Ends all groups, before Harp itself is ended: nothing is started any more.
pub(super) fn end_all() -> impl Sized {
    let leaders = leaders();
    leaders.iter().for_each(|leader| end_group(*leader));
    leaders
}

#[cfg(unix)]
fn end_group(leader: u32) {
    use rustix::process::{Pid, Signal, kill_process_group};
    if let Some(group) = i32::try_from(leader).ok().and_then(Pid::from_raw) {
        // All of it may have ended.
        let _ = kill_process_group(group, Signal::KILL);
    }
}

/// The leader alone is ended there.
#[cfg(not(unix))]
fn end_group(_: u32) {}
