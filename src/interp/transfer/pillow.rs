//! Images of Pillow, seen as `[channels, height, width]`. A file's image has 1 to 4 channels until it is converted.

use super::images::given;
use super::support::{Evaluated, constant};
use crate::interp::operation::{Argument, Operation, Output};
use crate::shape::{DType, Dim, Shape, Var, VarInfo};

fn picture(dims: [Dim; 3]) -> Evaluated {
    Ok(Output::tensor(Shape::known(dims.to_vec()), DType::UInt8))
}

/// The number of channels that a mode stands for.
pub fn bands(mode: &str) -> i64 {
    match mode {
        "RGB" | "YCbCr" | "LAB" | "HSV" => 3,
        "RGBA" | "CMYK" | "RGBX" | "RGBa" => 4,
        "LA" | "PA" | "La" => 2,
        _ => 1,
    }
}

/// A number of channels that only the file tells.
fn any_channels() -> Dim {
    Dim::var(Var::fresh(VarInfo::fixed("channels").between(Some(1), Some(4))))
}

fn mode_channels(op: &Operation) -> Dim {
    op.text_argument("mode").map_or_else(any_channels, |mode| constant(bands(mode)))
}

/// The channels, height and width of the image itself.
fn own(op: &mut Operation, name: &str) -> [Dim; 3] {
    let image = op.tensor(name);
    match op.dims(&image.shape).as_deref() {
        Some([channels, height, width]) => [*channels, *height, *width],
        _ => [any_channels(), given("height"), given("width")],
    }
}

/// Pillow's sizes are (width, height).
fn size(op: &Operation) -> Option<(Dim, Dim)> {
    match op.arguments.get("size")? {
        Argument::Sequence(items) => match items.as_slice() {
            [width, height] => Some((op.solver.resolve(height.as_dim()?), op.solver.resolve(width.as_dim()?))),
            _ => None,
        },
        _ => None,
    }
}

/// `Image.open(path)`.
pub(super) fn image_open(_: &mut Operation) -> Evaluated {
    picture([any_channels(), given("height"), given("width")])
}

/// `Image.new(mode, size)`.
pub(super) fn image_new(op: &mut Operation) -> Evaluated {
    let (height, width) = size(op).unwrap_or_else(|| (given("height"), given("width")));
    picture([mode_channels(op), height, width])
}

/// `img.convert(mode)`.
pub(super) fn image_convert(op: &mut Operation) -> Evaluated {
    let [channels, height, width] = own(op, "self");
    let channels = if op.is_absent("mode") { channels } else { mode_channels(op) };
    picture([channels, height, width])
}

/// `img.resize((width, height))`.
pub(super) fn image_scaled(op: &mut Operation) -> Evaluated {
    let [channels, _, _] = own(op, "self");
    let (height, width) = size(op).unwrap_or_else(|| (given("height"), given("width")));
    picture([channels, height, width])
}

/// `img.crop((left, top, right, bottom))`.
pub(super) fn image_cut(op: &mut Operation) -> Evaluated {
    let [channels, height, width] = own(op, "self");
    let corner = match op.arguments.get("box") {
        Some(Argument::None) | None => return picture([channels, height, width]),
        Some(Argument::Sequence(items)) => items.iter().map(Argument::as_dim).collect::<Option<Vec<Dim>>>(),
        Some(_) => None,
    };
    match corner.as_deref() {
        Some([left, top, right, bottom]) => {
            let (height, width) = (op.solver.resolve(*bottom - *top), op.solver.resolve(*right - *left));
            picture([channels, height, width])
        }
        _ => picture([channels, given("height"), given("width")]),
    }
}

/// Methods that keep the size and the mode.
pub(super) fn image_kept(op: &mut Operation) -> Evaluated {
    let own = own(op, "self");
    let expands = op.arguments.get("expand").is_some() && op.arguments.flag("expand") != Some(false);
    if expands { picture([own[0], given("height"), given("width")]) } else { picture(own) }
}

/// `img.transpose(method)`: a quarter turn swaps height and width.
pub(super) fn image_turned(op: &mut Operation) -> Evaluated {
    let [channels, height, width] = own(op, "self");
    match op.int_argument("method") {
        Some(0 | 1 | 3) => picture([channels, height, width]),
        Some(_) => picture([channels, width, height]),
        None if height == width => picture([channels, height, width]),
        None => picture([channels, given("height"), given("width")]),
    }
}

/// `img.split()`: an image for each channel.
pub(super) fn image_split(op: &mut Operation) -> Evaluated {
    let [channels, height, width] = own(op, "self");
    let Some(number @ 1..=4) = channels.as_const() else {
        return Ok(Output::Unknown("the number of channels is not known"));
    };
    let channel = Output::tensor(Shape::known(vec![constant(1), height, width]), DType::UInt8);
    Ok(Output::Tuple(vec![channel; number as usize]))
}

/// `img.getchannel(channel)`.
pub(super) fn image_channel(op: &mut Operation) -> Evaluated {
    let [_, height, width] = own(op, "self");
    picture([constant(1), height, width])
}

/// `Image.merge(mode, bands)`.
pub(super) fn image_merge(op: &mut Operation) -> Evaluated {
    let first = match op.arguments.get("bands") {
        Some(Argument::Sequence(bands)) => bands.first().cloned(),
        _ => None,
    };
    let shape = first.map(|first| op.as_tensor(&first, "bands").shape);
    let dims = shape.and_then(|shape| op.dims(&shape));
    let (height, width) = match dims.as_deref() {
        Some([_, height, width]) => (*height, *width),
        _ => (given("height"), given("width")),
    };
    picture([mode_channels(op), height, width])
}

/// `Image.blend(im1, im2, alpha)`.
pub(super) fn image_blend(op: &mut Operation) -> Evaluated {
    let own = own(op, "im1");
    picture(own)
}

/// `Image.fromarray(obj)`: an array `[height, width, channels]` or `[height, width]`.
pub(super) fn image_from_array(op: &mut Operation) -> Evaluated {
    let array = op.tensor("obj");
    match op.dims(&array.shape).as_deref() {
        Some([height, width]) => picture([constant(1), *height, *width]),
        Some([height, width, channels]) => picture([*channels, *height, *width]),
        Some(_) => op.reject(&["obj"], format!("{} is no image: it must have 2 or 3 dimensions", op.operand("obj", &array.shape))),
        None => picture([any_channels(), given("height"), given("width")]),
    }
}
