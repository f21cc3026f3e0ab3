//! Ceilings of memory and time that hold while work runs.

use std::cell::Cell;
use std::time::Instant;

use super::contained::{Stopped, contained};
use super::memory;

/// What a run may not go beyond.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ceiling {
    Memory,
    /// The wall clock, where the user has set a limit.
    Time,
}

impl Ceiling {
    /// What ran out.
    pub fn name(self) -> &'static str {
        match self {
            Ceiling::Memory => "memory",
            Ceiling::Time => "time",
        }
    }
}

/// What a process may use.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ceilings {
    /// Bytes of memory; `None` for any number.
    pub memory: Option<u64>,
    /// When everything ends at the latest.
    pub until: Option<Instant>,
}

/// How exactly the memory of a process is told: what threads keep for later differs a little from run to run, and results must not.
const GRAIN: u64 = 32 << 20;

impl Ceilings {
    /// What the running thread may do until the process uses a part of what it may, where no other thread works.
    pub fn part(self, [numerator, denominator]: [u64; 2]) -> Watch {
        let level = |memory: u64| {
            let used = memory::in_use()?.next_multiple_of(GRAIN);
            let left = (memory / denominator).saturating_mul(numerator).saturating_sub(used);
            Some(memory::of_thread()?.saturating_add_unsigned(left))
        };
        Watch { level: self.memory.and_then(level).unwrap_or(i64::MAX), until: self.until }
    }
}

/// What work may use.
#[derive(Clone, Copy, Debug)]
pub struct Watch {
    /// The bytes of the running thread at which the work ends.
    level: i64,
    /// When it ends at the latest.
    pub until: Option<Instant>,
}

impl Default for Watch {
    fn default() -> Watch {
        UNWATCHED
    }
}

const UNWATCHED: Watch = Watch { level: i64::MAX, until: None };

/// So many ticks pass before anyone looks.
const STRIDE: u32 = 64;

thread_local! {
    static COUNTDOWN: Cell<u32> = const { Cell::new(STRIDE) };
    static KEPT: Cell<Watch> = const { Cell::new(UNWATCHED) };
}

/// Runs work under a watch, within those that are kept already: once it has used what it may, it ends at the next [`tick`] or, in order, where it asks
/// whether a ceiling is [`reached`].
pub fn watched<T>(watch: Watch, work: impl FnOnce() -> T) -> Result<T, Stopped> {
    let outer = KEPT.get();
    let until = match (watch.until, outer.until) {
        (Some(own), Some(outer)) => Some(own.min(outer)),
        (own, outer) => own.or(outer),
    };
    KEPT.set(Watch { level: watch.level.min(outer.level), until });
    let result = contained(work);
    KEPT.set(outer);
    result
}

/// The ceiling that the running work has reached, if any.
pub fn reached() -> Option<Ceiling> {
    let kept = KEPT.get();
    if kept.level != i64::MAX && memory::of_thread().is_some_and(|used| used > kept.level) {
        return Some(Ceiling::Memory);
    }
    kept.until.filter(|until| Instant::now() >= *until).map(|_| Ceiling::Time)
}

/// Is called by work that goes on and on: unwinds to whoever watches the work, once it has reached a ceiling.
#[inline]
pub fn tick() {
    let left = COUNTDOWN.get();
    if left == 0 {
        look();
    } else {
        COUNTDOWN.set(left - 1);
    }
}

#[cold]
fn look() {
    COUNTDOWN.set(STRIDE);
    if let Some(ceiling) = reached() {
        // While a panic unwinds, what it drops may tick.
        if !std::thread::panicking() {
            std::panic::resume_unwind(Box::new(ceiling));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn work_ends_when_its_time_is_up() {
        let watch = Watch { until: Some(Instant::now() + Duration::from_millis(5)), ..Watch::default() };
        let endless = watched(watch, || {
            loop {
                tick();
            }
        });
        assert_eq!(endless, Err::<(), _>(Stopped::Ceiling(Ceiling::Time)));
        assert_eq!(reached(), None);
        (0..1000).for_each(|_| tick());
        assert_eq!(watched(Watch::default(), || 5), Ok(5));
    }

    #[test]
    fn a_watch_within_a_watch_does_not_last_longer() {
        let now = Watch { until: Some(Instant::now()), ..Watch::default() };
        let later = Watch { until: Some(Instant::now() + Duration::from_secs(1000)), ..Watch::default() };
        let inner = watched(now, || {
            watched(later, || {
                loop {
                    tick()
                }
            })
        });
        assert_eq!(inner, Ok(Err::<(), _>(Stopped::Ceiling(Ceiling::Time))));
    }
}
