//! The solver's speed: judgements of typical requirements, and the constraints of deep networks.
//!
//! `cargo bench --bench shape` prints judgements per CPU second for each kind of requirement, and the CPU time and memory of networks
//! of 250, 500 and 1,000 layers.

use std::alloc::{GlobalAlloc, Layout, System};
use std::hint::black_box;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use harp::shape::notation::Actual;
use harp::shape::{
    Constraint, Dim, Outcome, Shape, Signature, Solver, Var, VarInfo, Verdict, forget_everything, parse_signature,
};

/// Counts the bytes in use.
struct Counting;

static LIVE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

#[global_allocator]
static ALLOCATOR: Counting = Counting;

// SAFETY: everything is handed on to the system's allocator; only numbers are kept beside it.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let live = LIVE.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        PEAK.fetch_max(live, Ordering::Relaxed);
        // SAFETY: the caller's promises are the ones that the system's allocator asks for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }
}

fn main() {
    judgements();
    println!();
    networks();
}

fn cpu_time() -> Duration {
    let text = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    text.split_whitespace().next().and_then(|word| word.parse().ok()).map(Duration::from_nanos).unwrap_or_default()
}

fn fixed(name: &str) -> Dim {
    Dim::var(Var::fresh(VarInfo::fixed(name)))
}

fn free(name: &str) -> Dim {
    Dim::var(Var::fresh(VarInfo::free(name)))
}

const ROUNDS: u32 = 1_000_000;

fn judgements() {
    let mut solver = Solver::new();
    let cases = requirements(&mut solver);
    println!("{:<42} {:>16}", "requirement", "judgements/CPU s");
    let mut all = Duration::ZERO;
    for (name, constraint) in &cases {
        let verdict = solver.judge(constraint);
        assert_ne!(verdict, Verdict::Unknown, "{constraint}");
        let start = cpu_time();
        for _ in 0..ROUNDS {
            black_box(solver.judge(black_box(constraint)));
        }
        let time = cpu_time() - start;
        all += time;
        println!("{name:<42} {:>16.0}", f64::from(ROUNDS) / time.as_secs_f64());
    }
    let count = f64::from(ROUNDS) * cases.len() as f64;
    println!("{:<42} {:>16.0}", "all, each as often", count / all.as_secs_f64());
}

/// What operations of a vision and a language model require, on a path with conditions.
fn requirements(solver: &mut Solver) -> Vec<(&'static str, Constraint)> {
    let c = Dim::constant;
    let (n, h, w, length, bound) = (fixed("n"), fixed("h"), fixed("w"), fixed("length"), free("channels"));
    let (heads, width) = (fixed("heads"), fixed("width"));
    let (nhid, ninp) = (VarInfo::config("nhid", 200), VarInfo::config("ninp", 200));
    let (nhid, ninp) = (Dim::var(Var::fresh(nhid)), Dim::var(Var::fresh(ninp)));
    solver.assume(&Constraint::LessEqual(c(32), h));
    solver.assume(&Constraint::Divides { divisor: c(32), value: w });
    solver.assume(&Constraint::Divides { divisor: heads, value: width });
    solver.assume(&Constraint::LessEqual(length, c(512)));
    assert_eq!(solver.require(&Constraint::Equal(bound, c(64))), Outcome::Assumed);
    let conv = |size: Dim| (size + c(2) - c(3)).floor_div(c(2)) + c(1);
    let image = |channels: Dim| Shape::known([n, channels, h, w]);
    vec![
        ("two numbers", Constraint::Equal(c(64), c(64))),
        ("two numbers that differ", Constraint::Equal(c(784), c(512))),
        ("a dimension with itself", Constraint::Equal(n, n)),
        ("a bound dimension and a number", Constraint::Equal(bound, c(64))),
        ("two products", Constraint::Equal(n * c(3) * h * w, h * w * n * c(3))),
        ("a halved size twice", Constraint::Equal(h.floor_div(c(2)).floor_div(c(2)), h.floor_div(c(4)))),
        ("a strided convolution's size", Constraint::Equal(conv(h), (h + c(1)).floor_div(c(2)))),
        ("a product that cannot be", Constraint::Equal(n * c(98_304), n * c(128))),
        ("a multiple", Constraint::Divides { divisor: c(8), value: n * c(512) }),
        ("a multiple by a condition", Constraint::Divides { divisor: c(16), value: w }),
        ("heads that divide by a condition", Constraint::Equal(width.floor_div(heads) * heads, width)),
        ("a kernel that fits by a condition", Constraint::LessEqual(c(3), h)),
        ("a length within a table by a condition", Constraint::LessEqual(length, c(1_024))),
        ("an index that is out of bounds", Constraint::Less(c(2), c(2))),
        ("a size that is not empty", Constraint::LessEqual(c(1), conv(h))),
        ("numbers that broadcast", Constraint::Broadcastable(c(1), c(10))),
        ("dimensions that broadcast", Constraint::Broadcastable(n, n)),
        ("two shapes", Constraint::SameShape(image(c(3)), image(c(3)))),
        ("two shapes with a bound dimension", Constraint::SameShape(image(bound), image(c(64)))),
        ("a rank", Constraint::Rank(image(c(3)), 4)),
        ("two settings", Constraint::Equal(nhid, ninp)),
    ]
}

fn networks() {
    println!("{:>8} {:>12} {:>10} {:>16} {:>16}", "layers", "requirements", "CPU ms", "KiB", "bytes/layer");
    for layers in [250, 500, 1_000] {
        let mut best = Duration::MAX;
        let mut memory = 0;
        let mut count = 0;
        for _ in 0..5 {
            forget_everything();
            let before = LIVE.load(Ordering::Relaxed);
            PEAK.store(before, Ordering::Relaxed);
            let start = cpu_time();
            count = network(layers);
            best = best.min(cpu_time() - start);
            memory = PEAK.load(Ordering::Relaxed) - before;
        }
        let (time, kib) = (best.as_secs_f64() * 1e3, memory as f64 / 1024.0);
        println!("{layers:>8} {count:>12} {time:>10.1} {kib:>16.0} {:>16}", memory / layers);
    }
}

/// The constraints of a residual network on images of unknown size: convolutions with their norms and residual sums, and a
/// smaller image every 50 layers. A weight's sizes are inputs of their own, as in a function that nobody calls.
fn network(layers: usize) -> usize {
    let read = |text: &str| parse_signature(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    let convolution = read(
        "(input: [n, c, h, w], weight: [o, c//groups, k, k]) -> [n, o, (h + 2*p - k)//stride + 1, (w + 2*p - k)//stride + 1] \
         where c % groups == 0 and o % groups == 0 and h + 2*p >= k and w + 2*p >= k",
    );
    let norm = read("(input: [n, c]@s, weight: [c], bias: [c]) -> [n, c]@s");
    let sum = read("(s, t) -> broadcast(s, t)");
    let mut solver = Solver::new();
    let mut requirements = 0;
    let mut apply = |solver: &mut Solver, signature: &Signature, inputs: &[&Shape], stride: i64| {
        let inputs: Vec<Actual> = inputs.iter().map(|shape| Actual::Shape((*shape).clone())).collect();
        let parameters = |name: &str| match name {
            "groups" | "p" => Actual::Integer(Dim::ONE),
            "stride" => Actual::Integer(Dim::constant(stride)),
            _ => Actual::Unknown,
        };
        let applied = signature.apply(solver, &inputs, &parameters);
        assert!(!applied.is_violated());
        requirements += applied.outcomes.len() + 1;
        applied.shapes().into_iter().next().unwrap_or_else(Shape::scalar)
    };
    let mut image = Shape::known([free("n"), Dim::constant(64), free("h"), free("w")]);
    for layer in 0..layers {
        let stride = if layer % 50 == 49 && layer < 300 { 2 } else { 1 };
        let weight = Shape::known([Dim::constant(64), free("c"), Dim::constant(3), Dim::constant(3)]);
        let (scale, shift) = (Shape::known([free("scale")]), Shape::known([free("shift")]));
        let convolved = apply(&mut solver, &convolution, &[&image, &weight], stride);
        let normed = apply(&mut solver, &norm, &[&convolved, &scale, &shift], 1);
        image = if stride == 1 { apply(&mut solver, &sum, &[&image, &normed], 1) } else { normed };
    }
    requirements
}
