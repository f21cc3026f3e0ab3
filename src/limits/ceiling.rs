//! Ceilings of memory and time that hold while work runs.

use std::cell::Cell;
use std::time::Instant;

use super::contained::{Stopped, contained};
use super::memory;

/// What a run may not go beyond.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ceiling {
    /// The bytes that are allocated; only the program that installs a meter can tell.
    Memory,
    /// Ticks, which count work finely and the same on every machine.
    Work,
    /// The wall clock, where the user has set a limit.
    Time,
    /// The rows of one relation.
    Rows,
}

impl Ceiling {
    /// What ran out.
    pub fn name(self) -> &'static str {
        match self {
            Ceiling::Memory => "memory",
            Ceiling::Work => "work",
            Ceiling::Time => "time",
            Ceiling::Rows => "rows",
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
    /// Whether the process uses more than a part of the memory that it may.
    pub fn is_used_up(self, [numerator, denominator]: [u64; 2]) -> bool {
        let used = || memory::in_use().map_or(0, |used| used.next_multiple_of(GRAIN));
        self.memory.is_some_and(|memory| used() > (memory / denominator).saturating_mul(numerator))
    }

    /// What the running thread may do until the process uses a part of what it may, where no other thread works.
    pub fn part(self, [numerator, denominator]: [u64; 2]) -> Watch {
        let level = |memory: u64| {
            let used = memory::in_use()?.next_multiple_of(GRAIN);
            let left = (memory / denominator).saturating_mul(numerator).saturating_sub(used);
            Some(memory::of_thread()?.saturating_add_unsigned(left))
        };
        Watch { level: self.memory.and_then(level).unwrap_or(i64::MAX), ..Watch::until(self.until) }
    }
}

/// What work may use.
#[derive(Clone, Copy, Debug)]
pub struct Watch {
    /// The bytes of the running thread at which the work ends.
    level: i64,
    /// The ticks of the running thread at which it ends.
    ticks: u64,
    /// When it ends at the latest.
    until: Option<Instant>,
}

impl Watch {
    /// Work that may go on until then.
    pub fn until(until: Option<Instant>) -> Watch {
        Watch { until, ..UNWATCHED }
    }

    /// The same watch for work that may take so many more ticks.
    #[must_use]
    pub fn with_ticks(self, ticks: u64) -> Watch {
        Watch { ticks: self.ticks.min(ticks_done().saturating_add(ticks)), ..self }
    }

    /// The ticks that work under this watch may still take.
    pub fn ticks_left(self) -> u64 {
        self.ticks.saturating_sub(ticks_done())
    }
}

impl Watch {
    /// The same watch for work that may allocate so many more bytes.
    #[must_use]
    pub fn with_memory(self, bytes: u64) -> Watch {
        let level = memory::of_thread().map_or(i64::MAX, |used| used.saturating_add_unsigned(bytes));
        Watch { level: self.level.min(level), ..self }
    }
}

/// The bytes that the running work may still allocate; `None` where nothing bounds them.
pub fn memory_left() -> Option<u64> {
    let level = KEPT.get().level;
    (level != i64::MAX).then(memory::of_thread)?.map(|used| level.saturating_sub(used).max(0).cast_unsigned())
}

impl Default for Watch {
    fn default() -> Watch {
        UNWATCHED
    }
}

const UNWATCHED: Watch = Watch { level: i64::MAX, ticks: u64::MAX, until: None };

/// So many ticks pass before anyone looks.
const STRIDE: u32 = 64;

thread_local! {
    static COUNTDOWN: Cell<u32> = const { Cell::new(STRIDE) };
    static LIGHT: Cell<u32> = const { Cell::new(0) };
    static TICKS: Cell<u64> = const { Cell::new(0) };
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
    COUNTDOWN.set(STRIDE);
    KEPT.set(Watch { level: watch.level.min(outer.level), ticks: watch.ticks.min(outer.ticks), until });
    let result = contained(work);
    KEPT.set(outer);
    result
}

/// Runs work that may take so many ticks of its own. They count for none of the watches that are kept already. Returns what it took, too.
pub fn apart<T>(ticks: u64, work: impl FnOnce() -> T) -> (T, u64) {
    let (outer, before) = (KEPT.get(), ticks_done());
    KEPT.set(Watch { ticks: before.saturating_add(ticks), ..outer });
    let result = work();
    let taken = ticks_done().saturating_sub(before);
    TICKS.set(before);
    KEPT.set(outer);
    (result, taken)
}

/// The ceiling that the running work has reached, if any.
pub fn reached() -> Option<Ceiling> {
    let kept = KEPT.get();
    if kept.level != i64::MAX && memory::of_thread().is_some_and(|used| used > kept.level) {
        return Some(Ceiling::Memory);
    }
    if ticks_done() > kept.ticks {
        return Some(Ceiling::Work);
    }
    kept.until.filter(|until| Instant::now() >= *until).map(|_| Ceiling::Time)
}

/// The ticks of the running thread so far, but for the last few.
pub fn ticks_done() -> u64 {
    TICKS.get()
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

/// So many comparisons and the like take as long as what ticks.
const LIGHT_TICKS: u32 = 16;

/// As [`tick`], for what takes a few nanoseconds.
#[inline]
pub fn light_tick() {
    let count = LIGHT.get() + 1;
    LIGHT.set(count % LIGHT_TICKS);
    if count == LIGHT_TICKS {
        tick();
    }
}

/// As so many [`tick`]s, for work whose size is known when it begins.
#[inline]
pub fn ticks(count: usize) {
    let left = COUNTDOWN.get();
    match u32::try_from(count).ok().and_then(|count| left.checked_sub(count)) {
        Some(left) => COUNTDOWN.set(left),
        None => {
            // What `look` does not count itself.
            let more = (count as u64).saturating_sub(u64::from(left) + 1);
            TICKS.set(TICKS.get().saturating_add(more));
            look();
        }
    }
}

/// As so many [`light_tick`]s.
#[inline]
pub fn light_ticks(count: usize) {
    let count = (LIGHT.get() as usize).saturating_add(count);
    LIGHT.set((count % LIGHT_TICKS as usize) as u32);
    ticks(count / LIGHT_TICKS as usize);
}

#[cold]
fn look() {
    COUNTDOWN.set(STRIDE);
    TICKS.set(TICKS.get() + u64::from(STRIDE) + 1);
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
        let watch = Watch::until(Some(Instant::now() + Duration::from_millis(5)));
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
    fn work_ends_at_the_same_tick_every_time() {
        let count = || {
            let done = Cell::new(0);
            let ended = watched(Watch::default().with_ticks(1000), || {
                loop {
                    done.set(done.get() + 1);
                    tick();
                }
            });
            assert_eq!(ended, Err::<(), _>(Stopped::Ceiling(Ceiling::Work)));
            done.get()
        };
        let first = count();
        assert!((1000..1200).contains(&first), "{first}");
        assert_eq!(count(), first);
    }

    #[test]
    fn work_apart_counts_for_nobody_and_has_an_end() {
        let took = |ticks| (0..ticks).for_each(|_| tick());
        let around = watched(Watch::default().with_ticks(1000), || {
            took(500);
            let ((), taken) = apart(100_000, || took(50_000));
            took(300);
            taken
        });
        assert!(around.is_ok_and(|taken| taken.abs_diff(50_000) <= 128));
        let endless = watched(Watch::default(), || apart(1000, || took(u64::MAX)));
        assert_eq!(endless, Err(Stopped::Ceiling(Ceiling::Work)));
        assert_eq!(reached(), None);
    }

    #[test]
    fn many_ticks_at_once_count_as_many() {
        let spent = |work: &dyn Fn()| {
            let before = ticks_done();
            work();
            ticks_done() - before
        };
        let one_by_one = spent(&|| (0..650_000).for_each(|_| tick()));
        let at_once = spent(&|| (0..650).for_each(|_| ticks(1000)));
        assert!(one_by_one.abs_diff(at_once) <= 128, "{one_by_one} {at_once}");
        let light = spent(&|| (0..650).for_each(|_| light_ticks(16_000)));
        assert!(one_by_one.abs_diff(light) <= 128, "{one_by_one} {light}");
        let ended = watched(Watch::default().with_ticks(1000), || ticks(1_000_000));
        assert_eq!(ended, Err(Stopped::Ceiling(Ceiling::Work)));
        (0..1000).for_each(|_| ticks(3));
    }

    #[test]
    fn a_watch_within_a_watch_does_not_last_longer() {
        let now = Watch::until(Some(Instant::now()));
        let later = Watch::until(Some(Instant::now() + Duration::from_secs(1000)));
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
