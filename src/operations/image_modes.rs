//! What transfer functions need of PIL's images: modes, channels and sides.

use crate::images::{Image, sides, unknown_image, with_channels};
use crate::operation::{Argument, Operation, Output, TensorArgument};
use crate::support::{Evaluated, constant, fresh, items, unknown_tensor};
use harp_shape::{DType, Dim, Shape, Var, VarInfo};

/// The channels of a mode of Pillow.
pub fn channels_of(mode: &str) -> Option<i64> {
    match mode {
        "1" | "L" | "P" | "I" | "F" | "I;16" => Some(1),
        "LA" | "PA" | "La" => Some(2),
        "RGB" | "YCbCr" | "LAB" | "HSV" => Some(3),
        "RGBA" | "CMYK" | "RGBX" | "RGBa" => Some(4),
        _ => None,
    }
}

pub(crate) fn mode_channels(op: &Operation) -> Dim {
    op.text_argument("mode").and_then(channels_of).map_or_else(|| fresh("channels"), constant)
}

/// `image.convert(mode)`.
pub(crate) fn mode(op: &mut Operation) -> Evaluated {
    if op.arguments.get("mode").is_some() && op.is_absent("mode") {
        let TensorArgument { shape, dtype } = op.input();
        return Ok(Output::tensor(shape, dtype));
    }
    let channels = mode_channels(op);
    with_channels(op, channels)
}

/// `Image.open(path)`: what the file holds is not known, but it has 1 to 4 channels, and no requirement decides how many.
pub(crate) fn open(_: &mut Operation) -> Evaluated {
    let channels = Dim::var(Var::fresh(VarInfo::fixed("channels").between(Some(1), Some(4))));
    Ok(Output::tensor(Shape::known(vec![channels, fresh_edge("height"), fresh_edge("width")]), DType::UInt8))
}

/// The edge of a picture that somebody took: no picture is a line.
pub(crate) fn fresh_edge(name: &str) -> Dim {
    Dim::var(Var::fresh(VarInfo::free(name).between(Some(2), None)))
}

/// `image.transpose(method)`: a quarter turn swaps height and width.
pub(crate) fn turn(op: &mut Operation) -> Evaluated {
    let Some(image) = Image::read(op) else { return unknown_image(op) };
    Ok(match op.int_argument("method") {
        Some(0 | 1 | 3) => image.sized(image.height, image.width),
        Some(_) => image.sized(image.width, image.height),
        None if image.height == image.width => image.sized(image.height, image.width),
        None => image.sized(fresh("height"), fresh("width")),
    })
}

/// `Image.new(mode, size)`, with `size` as (width, height).
pub(crate) fn new(op: &mut Operation) -> Evaluated {
    let channels = mode_channels(op);
    let (width, height) = sides(op, "size")?.unwrap_or_else(|| (fresh("width"), fresh("height")));
    Ok(Output::tensor(Shape::known(vec![channels, height, width]), DType::UInt8))
}

/// `image.resize((width, height))`.
pub(crate) fn scaled(op: &mut Operation) -> Evaluated {
    let Some(image) = Image::read(op) else { return unknown_image(op) };
    let (width, height) = sides(op, "size")?.unwrap_or_else(|| (fresh("width"), fresh("height")));
    Ok(image.sized(height, width))
}

/// `image.crop((left, upper, right, lower))`.
pub(crate) fn boxed(op: &mut Operation) -> Evaluated {
    let Some(image) = Image::read(op) else { return unknown_image(op) };
    let corners = op.arguments.get("box").and_then(items);
    let corners: Option<Vec<Dim>> = corners.and_then(|corners| corners.iter().map(Argument::as_dim).collect());
    Ok(match corners.as_deref() {
        Some([left, upper, right, lower]) => image.sized(*lower - *upper, *right - *left),
        _ => image.sized(fresh("height"), fresh("width")),
    })
}

/// `image.split()`: an image of one channel for each channel.
pub(crate) fn bands(op: &mut Operation) -> Evaluated {
    let input = op.input();
    Ok(match op.dims(&input.shape).as_deref() {
        Some([channels, height, width]) => match channels.as_const().and_then(|count| usize::try_from(count).ok()) {
            Some(count) if count <= 4 => {
                let band = Output::tensor(Shape::known(vec![constant(1), *height, *width]), input.dtype);
                Output::Tuple(vec![band; count])
            }
            _ => Output::Unknown("the number of channels is not known"),
        },
        _ => Output::Unknown("the number of channels is not known"),
    })
}

/// `Image.merge(mode, bands)`.
pub(crate) fn merge(op: &mut Operation) -> Evaluated {
    let channels = mode_channels(op);
    let first = match op.arguments.get("bands") {
        Some(Argument::Sequence(bands)) => bands.first().cloned(),
        _ => None,
    };
    let Some(Argument::Tensor(TensorArgument { shape, dtype })) = first else {
        return Ok(unknown_tensor(DType::UInt8));
    };
    Ok(match op.dims(&shape).as_deref() {
        Some([_, height, width]) => Output::tensor(Shape::known(vec![channels, *height, *width]), dtype),
        _ => unknown_tensor(dtype),
    })
}
