//! Families of tensors as the manifests of library packs declare them.

use harp_shape::{Assumed, DType, Family, FamilyRules, Mixing, OutOfRange};

use super::error::{AnnotationError, Locator, Mistake};
use super::lower::qualified_name;
use super::raw::{RawFamily, Spanned, Text, Texts};

const ASSUMED: [(&str, Assumed); 4] = [
    ("everywhere", Assumed::Everywhere),
    ("where imported", Assumed::WhereImported),
    ("as well", Assumed::AsWell),
    ("never", Assumed::Never),
];
const OUT_OF_RANGE: [(&str, OutOfRange); 2] = [("error", OutOfRange::Fails), ("clamp", OutOfRange::Clamps)];
const MIXING: [(&str, Mixing); 4] = [
    ("by category", Mixing::ByCategory),
    ("by kind", Mixing::ByKind),
    ("by width", Mixing::ByWidth),
    ("never", Mixing::Never),
];

/// The family that a manifest declares; `None` where something in it is wrong, which is added to `errors`.
pub(crate) fn family(
    class: &str,
    raw: &Spanned<RawFamily>,
    locator: &Locator<'_>,
    errors: &mut Vec<AnnotationError>,
) -> Option<Family> {
    let known = errors.len();
    let mut fails = |text: &Text, mistake: Mistake| errors.push(locator.error(text.referenced, &text.value, mistake));
    let family = &raw.value;
    let lists = [&family.of, &family.parameters].into_iter().flat_map(Texts::iter);
    for text in lists.chain(&family.operators).chain(&family.sizes) {
        if let Err(mistake) = qualified_name(&text.value) {
            fails(text, mistake);
        }
    }
    let default_float = match &family.default_float {
        None => DType::Float32,
        Some(text) => DType::parse(&text.value).filter(|dtype| dtype.is_floating()).unwrap_or_else(|| {
            fails(text, Mistake::new(format!("`{}` is no type of floats", text.value)).hint("`float32`, for instance"));
            DType::Unknown
        }),
    };
    let default_int = match &family.default_int {
        None => DType::Int64,
        Some(text) => DType::parse(&text.value).filter(|dtype| dtype.is_integer()).unwrap_or_else(|| {
            fails(text, Mistake::new(format!("`{}` is no type of integers", text.value)).hint("`int32`, for instance"));
            DType::Unknown
        }),
    };
    let out_of_range =
        one_of("what an index out of range does", family.out_of_range.as_ref(), &OUT_OF_RANGE, &mut fails);
    let mixing = one_of("way to mix types", family.mixes_dtypes.as_ref(), &MIXING, &mut fails);
    let assumed = one_of("word for where it is assumed", family.assumed.as_ref(), &ASSUMED, &mut fails);
    if let Err(mistake) = qualified_name(class) {
        errors.push(locator.error(raw.referenced, class, mistake));
    }
    if family.of.is_empty() {
        let mistake =
            Mistake::new(format!("`of` is missing: whose functions make a `{class}`?")).hint("`of: [package]`");
        errors.push(locator.error(raw.referenced, "", mistake));
    }
    let module = class.rsplit_once('.').map_or(class, |(module, _)| module);
    let texts = |texts: &Texts| texts.iter().map(|text| text.value.as_str().into()).collect();
    let rules = FamilyRules {
        class: class.into(),
        noun: family.noun.as_ref().map_or("tensor", |text| &text.value).into(),
        words: texts(&family.words),
        of: texts(&family.of),
        operators: family.operators.as_ref().map_or(module, |text| &text.value).into(),
        operator_names: family
            .operator_names
            .iter()
            .map(|(name, other)| (name.as_str().into(), other.value.as_str().into()))
            .collect(),
        refuses_truth: texts(&family.refuses_truth),
        parameters: texts(&family.parameters),
        protocols: texts(&family.protocols),
        sizes: family.sizes.as_ref().map(|text| text.value.as_str().into()),
        in_place: family.in_place,
        array_functions: family.array_functions,
        lists_hold_tensors: family.lists_hold_tensors,
        tuple_subscripts: family.tuple_subscripts,
        scalars_are_numbers: family.scalars_are_numbers,
        scalars_have_axis: family.scalars_have_axis,
        negative_steps: family.negative_steps,
        types_equal_names: family.types_equal_names,
        takes_vectors: family.takes_vectors,
        out_of_range,
        mixing,
        default_float,
        default_int,
        narrow_unless: texts(&family.narrow_unless),
        holds_objects: family.holds_objects,
        placed_by_program: family.placed_by_program,
        on_host: family.on_host,
        is_picture: family.is_picture,
        has_gradient: family.has_gradient,
        assumed,
    };
    (errors.len() == known).then(|| Family::new(rules))
}

/// What one of a few words stands for.
fn one_of<T: Copy + Default>(
    what: &str,
    text: Option<&Text>,
    words: &[(&str, T)],
    fails: &mut impl FnMut(&Text, Mistake),
) -> T {
    let Some(text) = text else { return T::default() };
    if let Some((_, meaning)) = words.iter().find(|(word, _)| *word == text.value) {
        return *meaning;
    }
    let known: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
    fails(text, Mistake::unknown(what, &text.value, &known));
    T::default()
}
