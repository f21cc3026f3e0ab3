mod builtin_subclasses {
    use harp::interp::classes::builtin_subclasses::OF_VALUES;

    #[test]
    fn functions_are_sorted_for_the_search() {
        assert!(OF_VALUES.is_sorted_by_key(|(name, _)| *name));
    }
}

mod mro {
    use harp::interp::classes::mro::Merge;

    /// The order of classes that are numbers, from the orders of bases.
    fn merged(orders: &[&[usize]], classes: usize) -> Vec<usize> {
        let orders = orders.iter().map(|order| order.iter().rev().copied().collect()).collect();
        let mut merge = Merge::new(orders, vec![Vec::new(); classes]);
        let mut order = Vec::new();
        while let Some(class) = merge.next_class() {
            merge.take(class);
            order.push(class);
        }
        order
    }

    #[test]
    fn orders_are_merged_as_python_does() {
        // class A(O), B(O), C(A, B): C's bases come before O.
        assert_eq!(merged(&[&[1, 0], &[2, 0], &[1, 2]], 3), [1, 2, 0]);
        // K1(A, B, C), K2(D, B, E), K3(D, A), Z(K1, K2, K3), of the paper on C3 linearisation.
        let [o, a, b, c, d, e, k1, k2, k3] = [0, 1, 2, 3, 4, 5, 6, 7, 8];
        let order = merged(&[&[k1, a, b, c, o], &[k2, d, b, e, o], &[k3, d, a, o], &[k1, k2, k3]], 9);
        assert_eq!(order, [k1, k2, k3, d, a, b, c, e, o]);
    }

    #[test]
    fn orders_that_contradict_each_other_have_each_class_once() {
        assert_eq!(merged(&[&[1, 2, 0], &[2, 1, 0], &[1, 2]], 3), [1, 2, 0]);
    }
}
