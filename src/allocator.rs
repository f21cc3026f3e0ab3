//! The memory allocator of the program, and how it tells what is in use.

#[cfg(all(feature = "jemalloc", not(target_env = "msvc")))]
mod chosen {
    use std::cell::OnceCell;

    use tikv_jemalloc_ctl::thread::{self, ThreadLocal};

    use harp::limits::Meter;

    /// The interpreter makes and drops small values all the time; `reports/performance/history.md` says what this saves.
    #[global_allocator]
    static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

    /// One arena: the threads that parse would otherwise keep the memory of the syntax trees to themselves, when these are long freed. What is
    /// freed goes back to the system after a second, not after ten: a phase then has what the one before it needed no more. A thread looks
    /// through what it keeps of freed memory once for each MiB that it allocates, not sixteen times.
    #[unsafe(export_name = "_rjem_malloc_conf")]
    pub static ALLOCATOR_OPTIONS: &[u8; 76] =
        b"narenas:1,dirty_decay_ms:1000,muzzy_decay_ms:0,tcache_gc_incr_bytes:1048576\0";

    /// What a thread has allocated and what it has freed, which the allocator counts anyway.
    type Counters = (ThreadLocal<u64>, ThreadLocal<u64>);

    thread_local! {
        static COUNTERS: OnceCell<Option<Counters>> = const { OnceCell::new() };
    }

    pub const METER: Meter = of_thread;

    fn of_thread() -> i64 {
        let read = || Some((thread::allocatedp::read().ok()?, thread::deallocatedp::read().ok()?));
        COUNTERS.with(|counters| match counters.get_or_init(read) {
            Some((allocated, freed)) => allocated.get().wrapping_sub(freed.get()).cast_signed(),
            None => 0,
        })
    }
}

#[cfg(not(all(feature = "jemalloc", not(target_env = "msvc"))))]
mod chosen {
    use std::alloc::{GlobalAlloc, Layout, System};
    use std::cell::Cell;

    use harp::limits::Meter;

    /// The system's allocator, which counts the bytes that are in use.
    struct Counting;

    thread_local! {
        static OF_THREAD: Cell<i64> = const { Cell::new(0) };
    }

    #[global_allocator]
    static ALLOCATOR: Counting = Counting;

    pub const METER: Meter = of_thread;

    fn of_thread() -> i64 {
        OF_THREAD.get()
    }

    fn count(bytes: i64) {
        // A thread that ends has no counter any more.
        let _ = OF_THREAD.try_with(|used| used.set(used.get() + bytes));
    }

    // SAFETY: each call goes on to the system's allocator as it came; counting neither allocates nor unwinds.
    unsafe impl GlobalAlloc for Counting {
        unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
            count(layout.size() as i64);
            // SAFETY: the caller's promises are those that the system's allocator asks for.
            unsafe { System.alloc(layout) }
        }

        unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
            count(layout.size() as i64);
            // SAFETY: as above.
            unsafe { System.alloc_zeroed(layout) }
        }

        unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
            count(-(layout.size() as i64));
            // SAFETY: as above.
            unsafe { System.dealloc(pointer, layout) }
        }

        unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
            count(size as i64 - layout.size() as i64);
            // SAFETY: as above.
            unsafe { System.realloc(pointer, layout, size) }
        }
    }
}

pub use chosen::METER;
