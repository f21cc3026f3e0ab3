//! Transforms of images.

use crate::common::families::rules;
use harp::operations::lookup;
use harp::operations::operation::{Argument, Arguments, Operation, Output, TensorArgument};
use harp::shape::{DType, Dim, Shape, Solver};

fn constant(value: i64) -> Dim {
    Dim::constant(value)
}

fn known(dims: &[i64]) -> Shape {
    Shape::known(dims.iter().copied().map(constant).collect::<Vec<_>>())
}

fn integers(values: &[i64]) -> Argument {
    Argument::Sequence(values.iter().map(|value| Argument::Integer(constant(*value))).collect())
}

/// The shape that a transform gives of an image of this shape, or the message of the requirement that it breaks.
fn transformed(api: &str, transfer: &str, dims: &[i64], arguments: &[(&str, Argument)]) -> Result<String, String> {
    let mut bound = Arguments::default();
    arguments.iter().for_each(|(name, value)| bound.push(name, value.clone()));
    bound.push("input", Argument::Tensor(TensorArgument { shape: known(dims), dtype: DType::UInt8 }));
    let mut solver = Solver::new();
    let mut operation = Operation::new(api, rules(api), &bound, &mut solver);
    let output = lookup(transfer).expect("a transfer function")(&mut operation);
    match (output, operation.judged.first()) {
        (_, Some(judged)) => Err(judged.message.clone()),
        (Output::Tensor { shape, dtype }, None) => Ok(format!("{shape} {dtype}")),
        (other, None) => Ok(format!("{other:?}")),
    }
}

#[test]
fn a_tensor_has_its_channels_first() {
    let to_tensor = |dims: &[i64]| transformed("torchvision.transforms.ToTensor", "image_to_tensor", dims, &[]);
    assert_eq!(to_tensor(&[1, 28, 28]), Ok("[1, 28, 28] float32".to_owned()));
    assert_eq!(to_tensor(&[3, 30, 40]), Ok("[3, 30, 40] float32".to_owned()));
    assert_eq!(to_tensor(&[30, 40]), Ok("[1, 30, 40] float32".to_owned()));
    let kept = transformed("torchvision.transforms.PILToTensor", "image_to_tensor", &[3, 8, 8], &[]);
    assert_eq!(kept, Ok("[3, 8, 8] uint8".to_owned()));
}

#[test]
fn the_shorter_side_is_resized_to_one_number() {
    let resize = |dims: &[i64], size| transformed("Resize", "image_resize", dims, &[("size", size)]);
    assert_eq!(resize(&[3, 100, 200], Argument::Integer(constant(50))), Ok("[3, 50, 100] uint8".to_owned()));
    assert_eq!(resize(&[3, 201, 100], Argument::Integer(constant(50))), Ok("[3, 100, 50] uint8".to_owned()));
    assert_eq!(resize(&[3, 100, 200], integers(&[7, 9])), Ok("[3, 7, 9] uint8".to_owned()));
    assert_eq!(resize(&[1, 64, 64], integers(&[32])), Ok("[1, 32, 32] uint8".to_owned()));
}

#[test]
fn crops_and_padding_change_height_and_width() {
    let crop = transformed("CenterCrop", "image_crop", &[3, 100, 200], &[("size", integers(&[24, 32]))]);
    assert_eq!(crop, Ok("[3, 24, 32] uint8".to_owned()));
    let pad = |amounts| transformed("Pad", "image_pad", &[3, 10, 20], &[("padding", amounts)]);
    assert_eq!(pad(Argument::Integer(constant(2))), Ok("[3, 14, 24] uint8".to_owned()));
    assert_eq!(pad(integers(&[1, 2])), Ok("[3, 14, 22] uint8".to_owned()));
    assert_eq!(pad(integers(&[1, 2, 3, 4])), Ok("[3, 16, 24] uint8".to_owned()));
    let gray = transformed("Grayscale", "image_grayscale", &[3, 10, 20], &[]);
    assert_eq!(gray, Ok("[1, 10, 20] uint8".to_owned()));
}

#[test]
fn normalization_takes_a_value_a_channel() {
    let floats = |count: usize| Argument::Sequence(vec![Argument::Float(Some(0.5)); count]);
    let normalize = |dims: &[i64], count| {
        transformed("Normalize", "image_normalize", dims, &[("mean", floats(count)), ("std", floats(count))])
    };
    assert_eq!(normalize(&[3, 8, 8], 3), Ok("[3, 8, 8] uint8".to_owned()));
    assert_eq!(normalize(&[3, 8, 8], 1), Ok("[3, 8, 8] uint8".to_owned()));
    assert!(normalize(&[4, 8, 8], 3).is_err());
    // The result would have three channels, but is written into the one.
    assert!(normalize(&[1, 8, 8], 3).is_err());
}

#[test]
fn modes_of_images_have_channels() {
    let convert = |mode: &str| {
        transformed("PIL.Image.Image.convert", "image_mode", &[3, 8, 9], &[("mode", Argument::Text(mode.into()))])
    };
    assert_eq!(convert("L"), Ok("[1, 8, 9] uint8".to_owned()));
    assert_eq!(convert("RGBA"), Ok("[4, 8, 9] uint8".to_owned()));
    let scaled = transformed("resize", "image_scaled", &[3, 8, 9], &[("size", integers(&[20, 10]))]);
    assert_eq!(scaled, Ok("[3, 10, 20] uint8".to_owned()));
}
