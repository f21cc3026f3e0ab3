//! The table of all transfer functions.

use harp::operations::{lookup, names};

#[test]
fn the_table_is_sorted_and_without_duplicates() {
    let names: Vec<&str> = names().collect();
    assert!(names.windows(2).all(|pair| pair[0] < pair[1]), "{names:?}");
    assert!(names.iter().all(|name| lookup(name).is_some()));
    assert!(lookup("no such operation").is_none());
}
