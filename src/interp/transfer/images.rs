//! Transforms of images. An image of Pillow is seen as a tensor `[channels, height, width]`; tensors may have more dimensions in front.

use super::support::{Evaluated, constant, count, items, joined};
use crate::interp::operation::{Argument, Operation, Output, TensorArgument};
use crate::shape::{Constraint, DType, Dim, Shape, Var, VarInfo};

/// A size of an image that is read from a file or chosen at random: no requirement decides it.
pub(super) fn given(name: &str) -> Dim {
    Dim::var(Var::fresh(VarInfo::fixed(name)))
}

/// The argument that holds the image.
fn image(op: &mut Operation) -> TensorArgument {
    let name = image_name(op);
    op.tensor(name)
}

fn image_name(op: &Operation) -> &'static str {
    ["img", "pic", "tensor", "image", "inpt", "self"]
        .into_iter()
        .find(|name| op.arguments.get(name).is_some())
        .unwrap_or("img")
}

/// What stands before height and width, and these two; `None` where the image has fewer than two dimensions or is not known.
fn parts(op: &mut Operation, image: &TensorArgument) -> Option<(Shape, Dim, Dim)> {
    let (_, rest, back) = op.solver.split(&image.shape, 0, 2)?;
    Some((rest, back[0], back[1]))
}

fn with_size(front: &Shape, height: Dim, width: Dim, dtype: DType) -> Evaluated {
    Ok(Output::tensor(joined(&[], Some(front), &[height, width]), dtype))
}

/// A size argument: one number, or height and width.
enum Size {
    One(Dim),
    Both(Dim, Dim),
    Unknown,
}

fn size_of(op: &Operation, name: &str) -> Size {
    let Some(items) = op.arguments.get(name).and_then(items) else { return Size::Unknown };
    let dims: Option<Vec<Dim>> = items.iter().map(|item| item.as_dim().map(|dim| op.solver.resolve(dim))).collect();
    match dims.as_deref() {
        Some([one]) => Size::One(*one),
        Some([height, width]) => Size::Both(*height, *width),
        _ => Size::Unknown,
    }
}

/// `ToTensor()(pic)`: bytes become floats between 0 and 1; `PILToTensor` keeps them.
pub(super) fn image_to_tensor(op: &mut Operation) -> Evaluated {
    let pic = image(op);
    let scales = matches!(op.short_name(), "ToTensor" | "to_tensor");
    let dtype = match pic.dtype {
        DType::UInt8 | DType::Bool if scales => DType::Float32,
        dtype => dtype,
    };
    Ok(Output::tensor(pic.shape, dtype))
}

/// `ToPILImage()(pic)`.
pub(super) fn tensor_to_image(op: &mut Operation) -> Evaluated {
    let name = image_name(op);
    let pic = op.tensor(name);
    let Some(dims) = op.dims(&pic.shape) else {
        let dims = [given("channels"), given("height"), given("width")];
        return Ok(Output::tensor(Shape::known(dims.to_vec()), DType::UInt8));
    };
    match dims[..] {
        [height, width] => Ok(Output::tensor(Shape::known(vec![constant(1), height, width]), DType::UInt8)),
        [channels, _, _] => {
            let message = format!("{} has {channels} channels, but an image has 1 to 4", op.operand(name, &pic.shape));
            op.demand(Constraint::LessEqual(channels, constant(4)), &[name], || message)?;
            Ok(Output::tensor(pic.shape, DType::UInt8))
        }
        _ => op.reject(&[name], format!("{} is no image: it must have 2 or 3 dimensions", op.operand(name, &pic.shape))),
    }
}

/// `Normalize(mean, std)(tensor)`: one value for all channels, or one each. The tensor is changed in place, so that it cannot grow.
pub(super) fn image_normalize(op: &mut Operation) -> Evaluated {
    let name = image_name(op);
    let tensor = op.tensor(name);
    if op.rank(&tensor.shape).is_some_and(|rank| rank < 3) {
        return op.reject(&[name], format!("{} must have at least 3 dimensions", op.operand(name, &tensor.shape)));
    }
    if tensor.dtype == DType::UInt8 {
        op.fail(&[name], format!("`{name}` must be a float tensor, but is {}", tensor.dtype));
    }
    let Some((_, _, back)) = op.solver.split(&tensor.shape, 0, 3) else {
        return Ok(Output::tensor(tensor.shape, tensor.dtype));
    };
    let channels = back[0];
    for parameter in ["mean", "std"] {
        let Some(Argument::Sequence(values)) = op.arguments.get(parameter) else { continue };
        let number = values.len();
        if number == 1 {
            continue;
        }
        let message = format!(
            "`{parameter}` has {number} values, but {} has {channels} channels",
            op.operand(name, &tensor.shape)
        );
        op.demand(Constraint::Equal(channels, count(number)), &[name, parameter], || message)?;
    }
    let shape = op.solver.resolve_shape(&tensor.shape);
    Ok(Output::tensor(shape, tensor.dtype))
}

/// `Resize(size)(img)`: a number is the length of the shorter edge, and the other one keeps the proportion.
pub(super) fn image_resize(op: &mut Operation) -> Evaluated {
    let image = image(op);
    let Some((front, height, width)) = parts(op, &image) else {
        return Ok(Output::tensor(Shape::unknown("image"), image.dtype));
    };
    let (new_height, new_width) = match size_of(op, "size") {
        Size::Both(height, width) => (height, width),
        Size::One(edge) if op.is_absent("max_size") => resized(height, width, edge),
        _ => (given("height"), given("width")),
    };
    with_size(&front, new_height, new_width, image.dtype)
}

/// The size of an image whose shorter edge becomes `edge`.
fn resized(height: Dim, width: Dim, edge: Dim) -> (Dim, Dim) {
    if height == width {
        return (edge, edge);
    }
    match (height.as_const(), width.as_const()) {
        (Some(high), Some(wide)) if high < wide => (edge, (edge * width).floor_div(height)),
        (Some(_), Some(_)) => ((edge * height).floor_div(width), edge),
        _ => {
            let longer = |name: &str| {
                let least = edge.as_const();
                Dim::var(Var::fresh(VarInfo::fixed(name).between(least, None)))
            };
            (longer("height"), longer("width"))
        }
    }
}

/// Transforms that cut out a part of a given size: `CenterCrop`, `RandomCrop`, `RandomResizedCrop`, `crop`.
pub(super) fn image_crop(op: &mut Operation) -> Evaluated {
    let image = image(op);
    let Some((front, height, width)) = parts(op, &image) else {
        return Ok(Output::tensor(Shape::unknown("image"), image.dtype));
    };
    let (new_height, new_width) = match size_of(op, "size") {
        Size::One(edge) => (edge, edge),
        Size::Both(height, width) => (height, width),
        Size::Unknown => match (op.dim_argument("height"), op.dim_argument("width")) {
            (Some(height), Some(width)) => (height, width),
            _ => (given("height"), given("width")),
        },
    };
    if op.short_name() == "RandomCrop" && op.is_absent("padding") && op.flag_or("pad_if_needed", false) == Some(false) {
        let name = image_name(op);
        for (axis, size, wanted) in [("high", height, new_height), ("wide", width, new_width)] {
            if let (Some(size), Some(wanted)) = (size.as_const(), wanted.as_const())
                && size < wanted
            {
                let message = format!("{} is {size} {axis}, less than the crop's {wanted}", op.operand(name, &image.shape));
                return op.reject(&[name, "size"], message);
            }
        }
    }
    with_size(&front, new_height, new_width, image.dtype)
}

/// `FiveCrop` and `TenCrop`: a tuple of crops.
pub(super) fn image_crops(op: &mut Operation) -> Evaluated {
    let number = if op.short_name().to_ascii_lowercase().starts_with("ten") { 10 } else { 5 };
    let crop = image_crop(op)?;
    Ok(Output::Tuple(vec![crop; number]))
}

/// `Pad(padding)`: one number, one for each axis (horizontal first), or one for each edge.
pub(super) fn image_pad(op: &mut Operation) -> Evaluated {
    let image = image(op);
    let Some((front, height, width)) = parts(op, &image) else {
        return Ok(Output::tensor(Shape::unknown("image"), image.dtype));
    };
    let padding = op.arguments.get("padding").and_then(items);
    let padding: Option<Vec<Dim>> =
        padding.and_then(|items| items.iter().map(|item| item.as_dim().map(|dim| op.solver.resolve(dim))).collect());
    let (horizontal, vertical) = match padding.as_deref() {
        Some([all]) => (*all + *all, *all + *all),
        Some([horizontal, vertical]) => (*horizontal + *horizontal, *vertical + *vertical),
        Some([left, top, right, bottom]) => (*left + *right, *top + *bottom),
        _ => return with_size(&front, given("height"), given("width"), image.dtype),
    };
    with_size(&front, height + vertical, width + horizontal, image.dtype)
}

/// `Grayscale(num_output_channels)`.
pub(super) fn image_grayscale(op: &mut Operation) -> Evaluated {
    let image = image(op);
    let channels = op.dim_argument("num_output_channels").unwrap_or(constant(1));
    let Some((front, _, back)) = op.solver.split(&image.shape, 0, 3).map(|(_, front, back)| (front, (), back)) else {
        return Ok(Output::tensor(Shape::unknown("image"), image.dtype));
    };
    Ok(Output::tensor(joined(&[], Some(&front), &[channels, back[1], back[2]]), image.dtype))
}

/// `RandomRotation(degrees, expand)`.
pub(super) fn image_rotate(op: &mut Operation) -> Evaluated {
    let image = image(op);
    let expands = op.arguments.get("expand").is_some() && op.arguments.flag("expand") != Some(false);
    if !expands {
        return Ok(Output::tensor(image.shape, image.dtype));
    }
    match parts(op, &image) {
        Some((front, _, _)) => with_size(&front, given("height"), given("width"), image.dtype),
        None => Ok(Output::tensor(Shape::unknown("image"), image.dtype)),
    }
}
