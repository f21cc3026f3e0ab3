//! Closures over the structure of the program that rest on no assumption, as compiled Datalog.

// The macro's code is not ours to lint.
#![allow(clippy::all, missing_docs)]

/// What varies from one iteration of a loop to the next. Numbers stand for statements, variables and loops.
pub mod varying {
    use crepe::crepe;
    use rustc_hash::FxBuildHasher;

    crepe! {
        @input
        /// What a statement in the body of a loop reads of a variable comes from the loop's header, from an earlier iteration, or from one of
        /// several places, or is changed in place in the loop.
        pub struct Unsteady(pub u32, pub u32, pub u32);
        @input
        /// What it reads comes from an assignment in the same iteration: assignment, statement, variable, loop.
        pub struct FreshFrom(pub u32, pub u32, pub u32, pub u32);
        @input
        /// The statement's value does not depend on what it reads alone.
        pub struct ImpureIn(pub u32, pub u32);

        @output
        #[derive(Debug, PartialOrd, Ord)]
        pub struct VariesUse(pub u32, pub u32, pub u32);
        @output
        #[derive(Debug, PartialOrd, Ord)]
        pub struct Varies(pub u32, pub u32);

        VariesUse(u, v, l) <- Unsteady(u, v, l);
        VariesUse(u, v, l) <- Varies(d, l), FreshFrom(d, u, v, l);
        Varies(u, l) <- VariesUse(u, _, l);
        Varies(s, l) <- ImpureIn(s, l);
    }

    /// The rows of both outputs, sorted.
    pub fn closure(
        unsteady: Vec<Unsteady>,
        fresh: Vec<FreshFrom>,
        impure: Vec<ImpureIn>,
    ) -> (Vec<VariesUse>, Vec<Varies>) {
        let mut runtime = Crepe::new();
        runtime.extend(unsteady);
        runtime.extend(fresh);
        runtime.extend(impure);
        let (uses, statements) = runtime.run_with_hasher::<FxBuildHasher>();
        let mut uses: Vec<VariesUse> = uses.into_iter().collect();
        let mut statements: Vec<Varies> = statements.into_iter().collect();
        uses.sort_unstable();
        statements.sort_unstable();
        (uses, statements)
    }
}

/// Nesting, reachability of functions from loops, and flows between statements.
pub mod reachability {
    use harp_limits::light_tick;
    use rustc_hash::{FxHashMap, FxHashSet};

    /// Goes through all pairs of a start and what can be reached from it, in ascending order: its direct targets, and along edges from there. The pairs
    /// may be very many: no more are looked for once `found` says that they are enough.
    pub fn each(mut starts: Vec<[u32; 2]>, edges: &[[u32; 2]], mut found: impl FnMut(u32, u32) -> bool) {
        let mut targets: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
        for [from, to] in edges {
            targets.entry(*from).or_default().push(*to);
        }
        starts.sort_unstable();
        for of_start in starts.chunk_by(|one, other| one[0] == other[0]) {
            let mut seen: FxHashSet<u32> = FxHashSet::default();
            let mut waiting: Vec<u32> = of_start.iter().map(|[_, to]| *to).collect();
            while let Some(next) = waiting.pop() {
                light_tick();
                if seen.insert(next) {
                    waiting.extend(targets.get(&next).into_iter().flatten().filter(|to| !seen.contains(to)));
                }
            }
            let mut reached: Vec<u32> = seen.into_iter().collect();
            reached.sort_unstable();
            if !reached.into_iter().all(|to| found(of_start[0][0], to)) {
                return;
            }
        }
    }
}
