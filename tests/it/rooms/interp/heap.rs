mod dict_key_index {
    use harp::interp::heap::dict_key_index::{KeyIndex, NeedsSearch};
    use harp::interp::heap::objects::Heap;
    use harp::interp::values::value::Value;

    fn numbered(range: std::ops::Range<i64>) -> Vec<(Value, Value)> {
        range.map(|at| (Value::tuple(vec![Value::int(at), Value::str("x")]), Value::int(at))).collect()
    }

    #[test]
    fn keys_are_found_also_after_changes() {
        let mut heap = Heap::default();
        let dict = heap.allocate_dict(numbered(0..200));
        let key = |at: i64| Value::tuple(vec![Value::int(at), Value::str("x")]);
        let found = |heap: &Heap, at: i64| heap.dict(dict)?.find(&key(at))?.1.as_int();
        assert_eq!((found(&heap, 150), found(&heap, 200)), (Some(150), None));
        let mark = heap.mark();
        heap.push_entry(dict, key(200), Value::int(200));
        assert_eq!(found(&heap, 200), Some(200));
        heap.undo(mark);
        heap.push_entry(dict, key(300), Value::int(300));
        assert_eq!((found(&heap, 200), found(&heap, 300)), (None, Some(300)));
        heap.change_dict(dict, |data| drop(data.entries.remove(0)));
        assert_eq!((found(&heap, 0), found(&heap, 1), found(&heap, 300)), (None, Some(1), Some(300)));
    }

    #[test]
    fn keys_without_a_hash_are_searched_for() {
        let mut entries = numbered(0..100);
        entries.push((Value::Bytes, Value::None));
        let index = KeyIndex::default();
        assert_eq!(index.find(&entries, &Value::Bytes), Err(NeedsSearch));
        assert_eq!(index.find(&entries, &entries[7].0.clone()), Ok(Some(7)));
        assert_eq!(index.find(&entries, &Value::int(7)), Err(NeedsSearch));
    }
}

mod objects {
    use harp::interp::heap::objects::{Heap, Payload};
    use harp::interp::values::value::Value;
    use harp::python::name::Name;

    #[test]
    fn many_names_are_found_by_hash() {
        let mut heap = Heap::default();
        let object = heap.allocate(Payload::Plain);
        for index in 0..100 {
            heap.set_attribute(object, Name::new(&format!("name{index}")), Value::int(index));
        }
        assert_eq!(heap.attribute(object, Name::new("name77")).and_then(Value::as_int), Some(77));
        heap.delete_attribute(object, Name::new("name77"));
        assert!(heap.attribute(object, Name::new("name77")).is_none());
        assert_eq!(heap.object(object).attributes.iter().count(), 99);
    }
}

mod read_log {
    use harp::interp::heap::location::Location;
    use harp::interp::heap::objects::LogMark;
    use harp::interp::heap::read_log::{Read, ReadLog};
    use harp::interp::values::value::ObjectId;

    fn payload(id: u32) -> Read {
        Read::Place(Location::Payload(ObjectId(id)))
    }

    #[test]
    fn a_call_reads_what_the_calls_in_it_read_but_for_its_own_objects() {
        let log = ReadLog::default();
        let mark = |objects| LogMark { changes: 0, objects };
        log.note(|| payload(0));
        log.begin(mark(2));
        log.note(|| payload(1));
        log.note(|| payload(2));
        log.begin(mark(4));
        log.note(|| payload(1));
        log.note(|| payload(3));
        log.note(|| payload(0));
        log.note(|| payload(4));
        assert_eq!(log.end(), Some(vec![payload(1), payload(3), payload(0)]));
        assert_eq!(log.end(), Some(vec![payload(1), payload(0)]));
        log.note(|| payload(0));
        assert_eq!(log.end(), None);
    }

    #[test]
    fn a_call_that_reads_too_much_is_told_from_others() {
        let log = ReadLog::default();
        log.begin(LogMark { changes: 0, objects: usize::MAX });
        (0..ReadLog::MOST as u32 + 10).for_each(|id| log.note(|| payload(id)));
        assert_eq!(log.end(), None);
    }
}

mod undo_log {
    use harp::interp::heap::location::Location;
    use harp::interp::heap::objects::{Content, Delta, Heap, Payload};
    use harp::interp::values::value::Value;
    use harp::python::name::Name;

    #[test]
    fn undo_restores_attributes_and_payloads() {
        let mut heap = Heap::default();
        let object = heap.allocate(Payload::Plain);
        let list = heap.allocate_list(vec![Value::int(1)]);
        let name = Name::new("x");
        heap.set_attribute(object, name, Value::int(1));
        let mark = heap.mark();
        heap.set_attribute(object, name, Value::int(2));
        heap.change_list(list, |data| data.items.push(Value::None));
        assert_eq!(heap.delta_since(mark).len(), 2);
        heap.undo(mark);
        assert_eq!(heap.attribute(object, name).and_then(Value::as_int), Some(1));
        assert_eq!(heap.list(list).map(|data| data.items.len()), Some(1));
    }

    #[test]
    fn a_compact_log_undoes_as_much() {
        let mut heap = Heap::default();
        let object = heap.allocate(Payload::Plain);
        let (x, y) = (Name::new("x"), Name::new("y"));
        heap.set_attribute(object, x, Value::int(1));
        let mark = heap.mark();
        for value in 2..5 {
            heap.set_attribute(object, x, Value::int(value));
            heap.set_attribute(object, y, Value::int(value));
        }
        let before: Vec<Location> = heap.delta_since(mark).into_iter().map(|(location, _)| location).collect();
        heap.compact(mark);
        let after: Vec<Location> = heap.delta_since(mark).into_iter().map(|(location, _)| location).collect();
        assert_eq!(before, after);
        assert_eq!(heap.mark().changes, 3);
        heap.undo(mark);
        assert_eq!(heap.attribute(object, x).and_then(Value::as_int), Some(1));
        assert!(heap.attribute(object, y).is_none());
    }

    #[test]
    fn items_that_are_added_are_undone_and_seen() {
        let lengths = |delta: Delta| -> Vec<usize> {
            let length = |(_, content)| match content {
                Content::Payload(Payload::Dict(data)) => data.entries.len(),
                Content::Payload(Payload::List(data)) => data.items.len(),
                _ => 0,
            };
            delta.into_iter().map(length).collect()
        };
        let mut heap = Heap::default();
        let (list, dict) = (heap.allocate_list(vec![Value::None]), heap.allocate_dict(Vec::new()));
        let mark = heap.mark();
        for value in 0..3 {
            heap.push_item(list, Value::int(value));
            heap.push_entry(dict, Value::int(value), Value::None);
        }
        // A change that is more than an end, and more ends behind it.
        heap.change_dict(dict, |data| drop(data.entries.remove(0)));
        heap.push_entry(dict, Value::int(7), Value::None);
        assert_eq!(lengths(heap.delta_since(mark)), [4, 3]);
        assert_eq!(lengths(heap.old_since(mark)), [1, 0]);
        heap.compact(mark);
        assert_eq!(heap.mark().changes, 2);
        assert_eq!(lengths(heap.old_since(mark)), [1, 0]);
        heap.undo(mark);
        assert_eq!(heap.list(list).map(|data| data.items.len()), Some(1));
        assert_eq!(heap.dict(dict).map(|data| data.entries.len()), Some(0));
    }
}
