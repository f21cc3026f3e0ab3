mod solver_cost {
    use harp::interp::budget::solver_cost::{MOST_FREE, SolverWork};

    #[test]
    fn work_beyond_what_is_free_counts_as_steps() {
        let mut work = SolverWork::of_entry(40, 1_000);
        assert_eq!(work.beyond_free(1_001), 0);
        assert_eq!(work.beyond_free(1_150), 0);
        assert_eq!(work.beyond_free(1_250), 25);
        assert_eq!(work.beyond_free(1_260), 5);
        assert_eq!(work.beyond_free(1_260), 0);
        assert_eq!(SolverWork::of_entry(u64::MAX, 0).free, MOST_FREE);
    }
}

mod step_shares {
    use harp::interp::budget::step_shares::{FEWEST_OF_A_SCRIPT, Shares, share_of_script};

    #[test]
    fn what_entries_save_is_for_those_that_come_later() {
        let mut shares = Shares::default();
        shares.begin(1_000_000, 1_000);
        assert_eq!(shares.saved(), 0);
        // A hundred functions took 20 steps each in place of 1,000.
        (shares.waiting, shares.project) = (900, 998_000);
        assert_eq!(shares.saved(), 98_000);
        // They took more than their share.
        shares.project = 800_000;
        assert_eq!(shares.saved(), 0);
    }

    #[test]
    fn scripts_take_less_when_there_are_many() {
        assert_eq!(share_of_script(u64::MAX, 400_000), 400_000);
        assert_eq!(share_of_script(4_000_000, 400_000), 400_000);
        assert_eq!(share_of_script(800_000, 400_000), 100_000);
        assert_eq!(share_of_script(0, 400_000), FEWEST_OF_A_SCRIPT);
        assert_eq!(share_of_script(0, 100), 100);
        // A hundred scripts that never end take little more together than twice what there is.
        let mut left = 4_000_000_u64;
        let taken: u64 = (0..100)
            .map(|_| {
                let share = share_of_script(left, 400_000);
                left = left.saturating_sub(share);
                share
            })
            .sum();
        assert!(taken < 9_000_000, "{taken}");
    }
}
