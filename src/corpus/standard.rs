//! Parts of Python's own library, and of small packages, as sources, for what is said more briefly in Python than in Rust. They are read like the sources of an
//! installed package.

use std::path::PathBuf;
use std::sync::OnceLock;

use crate::{FileId, ShownPath, SourceFile};

/// The modules, by name.
const SOURCES: [(&str, &str); 66] = [
    ("accelerate", include_str!("../../python_library/accelerate.py")),
    ("asyncio", include_str!("../../python_library/asyncio.py")),
    ("bisect", include_str!("../../python_library/bisect.py")),
    ("builtins", include_str!("../../python_library/builtins.py")),
    ("collections", include_str!("../../python_library/collections.py")),
    ("collections._mixed", include_str!("../../python_library/collections._mixed.py")),
    ("contextlib", include_str!("../../python_library/contextlib.py")),
    ("contextvars", include_str!("../../python_library/contextvars.py")),
    ("csv", include_str!("../../python_library/csv.py")),
    ("dataclasses", include_str!("../../python_library/dataclasses.py")),
    ("datasets", include_str!("../../python_library/datasets.py")),
    ("datetime", include_str!("../../python_library/datetime.py")),
    ("fnmatch", include_str!("../../python_library/fnmatch.py")),
    ("fractions", include_str!("../../python_library/fractions.py")),
    ("functools", include_str!("../../python_library/functools.py")),
    ("getopt", include_str!("../../python_library/getopt.py")),
    ("heapq", include_str!("../../python_library/heapq.py")),
    ("inspect", include_str!("../../python_library/inspect.py")),
    ("io", include_str!("../../python_library/io.py")),
    ("itertools", include_str!("../../python_library/itertools.py")),
    ("math", include_str!("../../python_library/math.py")),
    ("numpy.lib.stride_tricks", include_str!("../../python_library/numpy.lib.stride_tricks.py")),
    ("operator", include_str!("../../python_library/operator.py")),
    ("packaging.version", include_str!("../../python_library/packaging.version.py")),
    ("pandas", include_str!("../../python_library/pandas.py")),
    ("pydantic", include_str!("../../python_library/pydantic.py")),
    ("pydantic_settings", include_str!("../../python_library/pydantic_settings.py")),
    ("queue", include_str!("../../python_library/queue.py")),
    ("scipy.ndimage", include_str!("../../python_library/scipy.ndimage.py")),
    ("scipy.optimize", include_str!("../../python_library/scipy.optimize.py")),
    ("scipy.signal", include_str!("../../python_library/scipy.signal.py")),
    ("scipy.sparse", include_str!("../../python_library/scipy.sparse.py")),
    ("scipy.spatial.distance", include_str!("../../python_library/scipy.spatial.distance.py")),
    ("scipy.special", include_str!("../../python_library/scipy.special.py")),
    ("sklearn._tables", include_str!("../../python_library/sklearn._tables.py")),
    ("sklearn.datasets", include_str!("../../python_library/sklearn.datasets.py")),
    ("sklearn.decomposition", include_str!("../../python_library/sklearn.decomposition.py")),
    ("sklearn.feature_extraction.text", include_str!("../../python_library/sklearn.feature_extraction.text.py")),
    ("sklearn.impute", include_str!("../../python_library/sklearn.impute.py")),
    ("sklearn.metrics", include_str!("../../python_library/sklearn.metrics.py")),
    ("sklearn.model_selection", include_str!("../../python_library/sklearn.model_selection.py")),
    ("sklearn.preprocessing", include_str!("../../python_library/sklearn.preprocessing.py")),
    ("sklearn.utils.class_weight", include_str!("../../python_library/sklearn.utils.class_weight.py")),
    ("statistics", include_str!("../../python_library/statistics.py")),
    ("string", include_str!("../../python_library/string.py")),
    ("tempfile", include_str!("../../python_library/tempfile.py")),
    ("textwrap", include_str!("../../python_library/textwrap.py")),
    ("threading", include_str!("../../python_library/threading.py")),
    ("torch.distributions", include_str!("../../python_library/torch.distributions.py")),
    ("torch.fx", include_str!("../../python_library/torch.fx.py")),
    ("torch.optim.swa_utils", include_str!("../../python_library/torch.optim.swa_utils.py")),
    ("torch.utils.data._stacked", include_str!("../../python_library/torch.utils.data._stacked.py")),
    ("torchmetrics", include_str!("../../python_library/torchmetrics.py")),
    ("torchtext.legacy.data", include_str!("../../python_library/torchtext.legacy.data.py")),
    ("torchtext.legacy.datasets", include_str!("../../python_library/torchtext.legacy.datasets.py")),
    ("torchvision.models._families", include_str!("../../python_library/torchvision.models._families.py")),
    (
        "torchvision.models.feature_extraction",
        include_str!("../../python_library/torchvision.models.feature_extraction.py"),
    ),
    ("torchvision.ops._pyramids", include_str!("../../python_library/torchvision.ops._pyramids.py")),
    ("transformers._text", include_str!("../../python_library/transformers._text.py")),
    ("transformers.trainer", include_str!("../../python_library/transformers.trainer.py")),
    ("transformers.training_args", include_str!("../../python_library/transformers.training_args.py")),
    ("types", include_str!("../../python_library/types.py")),
    ("typing", include_str!("../../python_library/typing.py")),
    ("unittest.mock.patch", include_str!("../../python_library/unittest.mock.patch.py")),
    ("weakref", include_str!("../../python_library/weakref.py")),
    ("yacs.config", include_str!("../../python_library/yacs.config.py")),
];

/// How many there are.
pub const COUNT: usize = SOURCES.len();

/// The number of the first: no corpus and no environment has so many files.
const FIRST: u32 = u32::MAX - 128;

/// The position of a file among them.
pub fn index(id: FileId) -> Option<usize> {
    id.0.checked_sub(FIRST).map(|index| index as usize).filter(|&index| index < COUNT)
}

/// Packages whose names all stand in one of the sources, wherever the packages themselves define them.
const IN_ONE_SOURCE: [(&str, &[&str]); 11] = [
    ("accelerate", &["accelerate"]),
    ("datasets", &["datasets"]),
    ("scipy.ndimage", &["scipy.ndimage"]),
    ("scipy.spatial", &["scipy.spatial.distance"]),
    ("torch.distributions", &["torch.distributions"]),
    ("torch.fx", &["torch.fx"]),
    ("torch.utils.data", &["torch.utils.data._stacked"]),
    ("torchmetrics", &["torchmetrics"]),
    ("torchvision.models", &["torchvision.models._families"]),
    ("torchvision.ops", &["torchvision.ops._pyramids"]),
    ("transformers", &["transformers.trainer", "transformers.training_args", "transformers._text"]),
];

/// The sources in which a name of a module or package may stand.
pub fn sources_of(owner: &str) -> impl Iterator<Item = FileId> {
    let is_below =
        |package: &str| owner.strip_prefix(package).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
    let gathered = IN_ONE_SOURCE.iter().find(|(package, _)| is_below(package)).map_or(&[][..], |(_, sources)| *sources);
    let own = module(owner).filter(|_| !gathered.contains(&owner));
    own.into_iter().chain(gathered.iter().filter_map(|source| module(source)))
}

/// The name under which programs know what a source defines; `None` for files that are none of the sources.
pub fn public_name(file: FileId, name: &str) -> Option<String> {
    let (source, _) = SOURCES.get(index(file)?)?;
    let gathered = IN_ONE_SOURCE.iter().find(|(_, sources)| sources.contains(source));
    let owner = gathered.map_or(*source, |(package, _)| package);
    Some(format!("{owner}.{name}"))
}

/// The source of a module.
pub fn module(name: &str) -> Option<FileId> {
    let index = SOURCES.binary_search_by_key(&name, |(known, _)| known).ok()?;
    Some(FileId(FIRST + u32::try_from(index).ok()?))
}

/// The source of that number.
pub fn file(id: FileId) -> Option<&'static SourceFile> {
    static FILES: OnceLock<Vec<SourceFile>> = OnceLock::new();
    let files = FILES.get_or_init(|| {
        let file = |(index, (name, text)): (usize, &(&str, &str))| {
            let path = format!("python/{name}.py");
            let shown = ShownPath { text: path.clone(), uri: path.clone() };
            let mut file = SourceFile::new(PathBuf::from(path), PathBuf::new(), shown, (*text).to_owned(), None);
            file.id = FileId(FIRST + index as u32);
            file
        };
        SOURCES.iter().enumerate().map(file).collect()
    });
    files.get(index(id)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_are_sorted_for_the_search() {
        assert!(SOURCES.is_sorted_by_key(|(name, _)| *name));
        let file = module("itertools").and_then(file).expect("a source");
        assert!(file.text.contains("def takewhile"));
        let name = public_name(file.id, "takewhile");
        assert_eq!(name.as_deref(), Some("itertools.takewhile"));
        let family = sources_of("torchvision.models").next().and_then(|source| public_name(source, "resnet18"));
        assert_eq!(family.as_deref(), Some("torchvision.models.resnet18"));
        assert_eq!(public_name(FileId(0), "x"), None);
    }
}
