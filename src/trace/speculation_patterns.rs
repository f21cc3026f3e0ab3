//! The patterns of speculation, as `speculation/patterns.yaml` has them, and the names that some of them go by.

include!(concat!(env!("OUT_DIR"), "/speculation.rs"));

/// A pattern of speculation.
#[derive(Debug)]
pub struct Pattern {
    pub kind: AssumptionKind,
    /// The name that reports and configuration use.
    pub name: &'static str,
    /// The class of speculation: S1 to S5 of HARP's paper, S6 to S13 beyond it.
    pub class: Option<&'static str>,
    /// Where it is made.
    pub matches: &'static str,
    /// What is taken for granted there.
    pub assumes: &'static str,
    /// Sentences by what is assumed, with names in braces.
    pub sentences: &'static [(&'static str, &'static str)],
}

impl AssumptionKind {
    pub fn pattern(self) -> &'static Pattern {
        &PATTERNS[self as usize]
    }

    /// The kind of that name.
    pub fn parse(text: &str) -> Option<AssumptionKind> {
        PATTERNS.iter().find(|pattern| pattern.name == text).map(|pattern| pattern.kind)
    }

    /// The kinds that a name or a class means.
    pub fn of_name_or_class(text: &str) -> Vec<AssumptionKind> {
        let is_meant = |pattern: &&Pattern| pattern.name == text || pattern.class == Some(text);
        PATTERNS.iter().filter(is_meant).map(|pattern| pattern.kind).collect()
    }

    /// The name that reports and configuration use.
    pub fn as_str(self) -> &'static str {
        self.pattern().name
    }

    /// The class of the kind of that name; `None` where it has none, or is none.
    pub fn class_of(name: &str) -> Option<&'static str> {
        AssumptionKind::parse(name).and_then(|kind| kind.pattern().class)
    }
}

/// Whether an attribute of that name makes its owner a tensor.
pub fn is_tensor_member(name: &str) -> bool {
    members::MEMBER_NAME_TENSOR.binary_search(&name).is_ok()
}

/// Whether a member is a tensor's but no method, such as `shape`.
pub fn is_attribute_of_arrays(name: &str) -> bool {
    members::MEMBER_NAME_ATTRIBUTE.binary_search(&name).is_ok()
}

/// Whether objects of other kinds have a method of that name as well.
pub fn is_shared_method(name: &str) -> bool {
    members::MEMBER_NAME_SHARED.binary_search(&name).is_ok()
}

/// Whether an array of NumPy has the member as well.
pub fn is_array_member(name: &str) -> bool {
    members::MEMBER_NAME_ARRAY.binary_search(&name).is_ok()
}

/// Whether a member makes its owner a tensor where it is called.
pub fn is_member_by_call(name: &str) -> bool {
    members::MEMBER_NAME_CALLED.binary_search(&name).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_those_of_their_kinds() {
        for (index, kind) in AssumptionKind::ALL.into_iter().enumerate() {
            assert_eq!((kind as usize, PATTERNS[index].kind), (index, kind));
            assert_eq!(AssumptionKind::parse(kind.as_str()), Some(kind));
        }
        assert_eq!(AssumptionKind::parse("loop"), None);
    }

    #[test]
    fn every_class_has_a_pattern() {
        for class in 1..=13 {
            assert!(!AssumptionKind::of_name_or_class(&format!("S{class}")).is_empty(), "S{class}");
        }
        let used = AssumptionKind::of_name_or_class("S2");
        assert_eq!(used, [AssumptionKind::MemberName, AssumptionKind::UsedAs]);
    }

    #[test]
    fn members_are_sorted_for_the_search() {
        for members in [&members::MEMBER_NAME_TENSOR[..], &members::MEMBER_NAME_ARRAY, &members::MEMBER_NAME_SHARED] {
            assert!(members.is_sorted());
        }
        assert!(is_tensor_member("backward") && is_tensor_member("grad") && is_attribute_of_arrays("T"));
        assert!(!is_tensor_member("append") && is_member_by_call("size"));
    }
}
