//! The borders at which a panic or a ceiling ends work, and nothing else.

use std::any::Any;
use std::backtrace::Backtrace;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind};
use std::sync::{Mutex, PoisonError};

use super::Ceiling;

/// A panic: a mistake in Harp, which the analysed program only brought to light.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Defect {
    /// What the panic said, or that it said nothing.
    pub message: String,
    /// The file and line of Harp's source; empty where it is not known.
    pub place: String,
}

/// Why work has no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// A bound of the run was reached: no mistake, but the rest of the work is not done.
    Ceiling(Ceiling),
    /// The work panicked.
    Defect(Defect),
}

thread_local! {
    /// Whether a panic of this thread is expected.
    static IS_READING: Cell<bool> = const { Cell::new(false) };
    /// The last panic of this thread.
    static OWN: RefCell<Option<Defect>> = const { RefCell::new(None) };
}

/// The last panic of any thread: where threads share work, one of them panics and another one is told.
static LAST: Mutex<Option<Defect>> = Mutex::new(None);

/// Runs work; a panic, or a ceiling that is reached, ends it and nothing else. What the work has changed may be half done: whoever calls this
/// puts it in order, or never looks at it again.
pub fn contained<T>(work: impl FnOnce() -> T) -> Result<T, Stopped> {
    catch_unwind(AssertUnwindSafe(work)).map_err(stopped)
}

/// The same for work of which a panic is no mistake in Harp, but tells that what it reads is damaged: no backtrace is printed.
pub fn contained_reading<T>(work: impl FnOnce() -> T) -> Result<T, Stopped> {
    let before = IS_READING.replace(true);
    let result = contained(work);
    IS_READING.set(before);
    result
}

/// Makes panics silent and remembers them for whoever contains them. With `RUST_BACKTRACE` set, a backtrace is printed.
pub fn install_panic_hook() {
    std::panic::set_hook(Box::new(remember));
}

fn remember(panic: &PanicHookInfo<'_>) {
    let message = message(panic.payload());
    let place = panic.location().map(|place| format!("{}:{}", place.file(), place.line())).unwrap_or_default();
    if !IS_READING.get() && std::env::var_os("RUST_BACKTRACE").is_some_and(|value| value != "0") {
        eprintln!("a panic at {place}:\n{}", Backtrace::force_capture());
    }
    let defect = Defect { message, place };
    OWN.with_borrow_mut(|own| *own = Some(defect.clone()));
    *LAST.lock().unwrap_or_else(PoisonError::into_inner) = Some(defect);
}

fn stopped(payload: Box<dyn Any + Send>) -> Stopped {
    if let Some(ceiling) = payload.downcast_ref::<Ceiling>() {
        return Stopped::Ceiling(*ceiling);
    }
    let own = OWN.with_borrow_mut(Option::take);
    let last = || LAST.lock().unwrap_or_else(PoisonError::into_inner).take();
    let unknown = || Defect { message: message(&*payload), place: String::new() };
    Stopped::Defect(own.or_else(last).unwrap_or_else(unknown))
}

fn message(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| payload.downcast_ref::<String>().cloned());
    text.unwrap_or_else(|| "a panic without a message".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_ends_with_the_work() {
        assert_eq!(contained(|| 3), Ok(3));
        let stopped = contained(|| -> u8 { panic!("no {}", "way") });
        assert!(matches!(stopped, Err(Stopped::Defect(defect)) if defect.message == "no way"));
        let stopped = contained(|| -> u8 { std::panic::resume_unwind(Box::new(Ceiling::Memory)) });
        assert_eq!(stopped, Err(Stopped::Ceiling(Ceiling::Memory)));
    }
}
