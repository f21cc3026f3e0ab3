//! For issues of missing members: the public members of classes and modules of PyTorch and NumPy, as these list them
//! themselves.

use std::sync::LazyLock;

use rustc_hash::{FxHashMap, FxHashSet};

type Members = FxHashMap<&'static str, FxHashSet<&'static str>>;

static OF_CLASSES: LazyLock<Members> = LazyLock::new(|| parse(include_str!("members_of_classes.txt")));
static OF_MODULES: LazyLock<Members> = LazyLock::new(|| parse(include_str!("members_of_modules.txt")));

/// Whether a class has a member, where its members are listed.
pub fn class_has(class: &str, member: &str) -> Option<bool> {
    OF_CLASSES.get(class).map(|members| members.contains(member))
}

/// Whether a module has a name, where its names are listed.
pub fn module_has(module: &str, name: &str) -> Option<bool> {
    OF_MODULES.get(module).map(|names| names.contains(name))
}

/// Lines that end with a colon begin a group; `#` begins a comment.
fn parse(text: &'static str) -> Members {
    let mut members = Members::default();
    let mut group = "";
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        match line.strip_suffix(':') {
            Some(name) => group = name,
            None => members.entry(group).or_default().extend(line.split_whitespace()),
        }
    }
    members
}
