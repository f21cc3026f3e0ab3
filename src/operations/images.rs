//! Transfer functions of images and their transforms. An image is a tensor `[channels, height, width]`, one of Pillow
//! too.

use crate::dtypes::is_real;
use crate::image_modes::fresh_edge;
use crate::operation::{Argument, Operation, Output, TensorArgument};
use crate::size_names::PROPORTIONAL;
use crate::support::{Evaluated, Stop, constant, fresh, items, joined, unknown_tensor};
use harp_shape::{Constraint, DType, Dim, Shape};

/// The image taken apart: what stands before height and width (channels, perhaps a batch), height, width.
pub(crate) struct Image {
    pub(crate) leading: Shape,
    pub(crate) height: Dim,
    pub(crate) width: Dim,
    pub(crate) dtype: DType,
}

impl Image {
    pub(crate) fn read(op: &mut Operation) -> Option<Image> {
        let TensorArgument { shape, dtype } = op.input();
        let (_, leading, sides) = op.solver.split(&shape, 0, 2)?;
        match sides.as_slice() {
            [height, width] => Some(Image { leading, height: *height, width: *width, dtype }),
            _ => None,
        }
    }

    pub(crate) fn sized(&self, height: Dim, width: Dim) -> Output {
        Output::tensor(joined(&[], Some(&self.leading), &[height, width]), self.dtype)
    }
}

pub(crate) fn unknown_image(op: &mut Operation) -> Evaluated {
    let dtype = op.input().dtype;
    Ok(unknown_tensor(dtype))
}

/// Requires the dimensions of an image of a float tensor; masks and images of Pillow may come without channels.
fn has_channels(op: &mut Operation) -> Result<(), Stop> {
    let input = op.input();
    if input.dtype.is_floating() && op.rank(&input.shape).is_some_and(|rank| rank < 3) {
        let message = format!("{} must have channels, height and width", op.operand(op.input_name(), &input.shape));
        return op.reject(&[op.input_name()], message);
    }
    Ok(())
}

/// Changes of perspective: the shape stays.
pub(crate) fn warped(op: &mut Operation) -> Evaluated {
    has_channels(op)?;
    has_pixels(op)?;
    let input = op.input();
    Ok(Output::tensor(input.shape, input.dtype))
}

/// Requires a height and a width.
fn has_pixels(op: &mut Operation) -> Result<(), Stop> {
    let Some(image) = Image::read(op) else { return Ok(()) };
    if [image.height, image.width].iter().any(|side| side.as_const() == Some(0)) {
        let message = format!("{} has no pixels", {
            let shape = op.input_shape();
            op.text(&shape)
        });
        return op.reject(&[op.input_name()], message);
    }
    Ok(())
}

/// `equalize(img)`: bytes alone.
pub(crate) fn equalized(op: &mut Operation) -> Evaluated {
    let input = op.input();
    if input.dtype.is_floating() {
        let message = format!("`equalize` takes uint8 images, got {}", input.dtype);
        return op.reject(&[op.input_name()], message);
    }
    Ok(Output::tensor(input.shape, input.dtype))
}

/// Requires two or three dimensions of what becomes an image, or comes from one.
fn is_picture(op: &mut Operation, name: &str) -> Result<(), Stop> {
    let input = op.tensor(name);
    if op.rank(&input.shape).is_some_and(|rank| rank != 2 && rank != 3) {
        let message = format!("an image has 2 or 3 dimensions, but the shape is {}", op.text(&input.shape));
        return op.reject(&[name], message);
    }
    Ok(())
}

/// `ToTensor()(pic)`, `PILToTensor`; the interpreter has put the channels of arrays first.
pub(crate) fn to_tensor(op: &mut Operation) -> Evaluated {
    let input = op.input();
    if matches!(op.short_name(), "ToTensor" | "to_tensor") {
        is_picture(op, op.input_name())?;
    }
    let keeps_type = op.short_name().to_ascii_lowercase().contains("pil");
    let dtype = if !keeps_type && input.dtype == DType::UInt8 { DType::Float32 } else { input.dtype };
    let shape = match op.dims(&input.shape).as_deref() {
        Some([height, width]) => Shape::known(vec![constant(1), *height, *width]),
        _ => input.shape,
    };
    Ok(Output::tensor(shape, dtype))
}

/// `ToPILImage()(pic)`, `Image.fromarray(obj)`: from `[channels, height, width]`, `[height, width, channels]` or `[height, width]`.
pub(crate) fn to_image(op: &mut Operation) -> Evaluated {
    let input = ["obj", "pic"].into_iter().find(|name| op.arguments.get(name).is_some()).unwrap_or(op.input_name());
    if matches!(op.short_name(), "ToPILImage" | "to_pil_image") {
        is_picture(op, input)?;
    }
    let name = input;
    let input = op.tensor(name);
    if op.short_name() == "fromarray" {
        check_array(op, name, &input)?;
    }
    let is_channels = |dim: &Dim| matches!(dim.as_const(), Some(1 | 3 | 4));
    let shape = match op.dims(&input.shape).as_deref() {
        Some([height, width]) => Shape::known(vec![constant(1), *height, *width]),
        Some([height, width, channels]) if is_channels(channels) && !is_channels(height) => {
            Shape::known(vec![*channels, *height, *width])
        }
        Some([_, _, _]) => input.shape,
        _ => Shape::known(vec![fresh("channels"), fresh_edge("height"), fresh_edge("width")]),
    };
    Ok(Output::tensor(shape, DType::UInt8))
}

/// `Image.fromarray(obj)` takes `[height, width]`, or 2 to 4 channels of bytes behind them.
fn check_array(op: &mut Operation, name: &str, array: &TensorArgument) -> Result<(), Stop> {
    let dims = op.dims(&array.shape);
    let Some([_, _, channels]) = dims.as_deref() else { return Ok(()) };
    // Modes of one channel have no dimension for it.
    const FLAT: [&str; 5] = ["1", "L", "I", "P", "F"];
    if let Some(Argument::Text(mode)) = op.arguments.get("mode")
        && FLAT.contains(&&**mode)
    {
        let message =
            format!("an image of the mode {mode:?} has 2 dimensions, but {} has 3", op.operand(name, &array.shape));
        return op.reject(&[name], message);
    }
    let has_channels = channels.as_const().is_none_or(|channels| matches!(channels, 2..=4));
    if !has_channels || is_real(array.dtype) {
        let message =
            format!("no image is made of {}: it takes 2 to 4 channels of uint8", op.operand(name, &array.shape));
        return op.reject(&[name], message);
    }
    Ok(())
}

/// `Normalize(mean, std)(tensor)`: one value a channel.
pub(crate) fn normalize(op: &mut Operation) -> Evaluated {
    let input = op.input();
    if matches!(input.dtype, DType::Bool | DType::Int32 | DType::Int64) {
        let message = format!("an image must be of floats to be normalized, got {}", input.dtype);
        return op.reject(&[op.input_name()], message);
    }
    let Some((_, _, last)) = op.solver.split(&input.shape, 0, 3) else {
        let message = format!("{} must have channels, height and width", op.operand("tensor", &input.shape));
        return op.reject(&[op.input_name()], message);
    };
    let channels = last.first().copied().unwrap_or(constant(1));
    for name in ["mean", "std"] {
        let Some(Argument::Sequence(values)) = op.arguments.get(name) else { continue };
        let count = crate::support::count(values.len());
        let message = format_args!(
            "`{name}` must have one value for each of the {channels} channels of {}, got {count}",
            op.operand("tensor", &input.shape)
        );
        // A single value fits all channels. The tensor is changed in place and cannot grow, but the second version makes a new one.
        let fits = if count.as_const() == Some(1) {
            Constraint::True
        } else if op.api.contains(".v2.") {
            Constraint::Broadcastable(count, channels)
        } else {
            Constraint::Equal(channels, count)
        };
        op.demand(fits, &[name, op.input_name()], || message.to_string())?;
    }
    Ok(Output::tensor(input.shape, input.dtype))
}

/// The height and width in a parameter that is `(height, width)`, or one number for both.
pub(crate) fn sides(op: &mut Operation, name: &str) -> Result<Option<(Dim, Dim)>, Stop> {
    let Some(values) = op.arguments.get(name).and_then(items) else { return Ok(None) };
    let dims: Option<Vec<Dim>> = values.iter().map(|value| value.as_dim().map(|dim| op.solver.resolve(dim))).collect();
    Ok(match dims.as_deref() {
        Some([both]) => Some((*both, *both)),
        Some([height, width]) => Some((*height, *width)),
        Some(other) => {
            let message = format!("`{name}` must be one size or (height, width), got {} values", other.len());
            return op.reject(&[name], message);
        }
        None => None,
    })
}

/// `Resize(size)(img)`: to height and width, or the shorter side to one number.
pub(crate) fn resize(op: &mut Operation) -> Evaluated {
    let Some(image) = Image::read(op) else { return unknown_image(op) };
    resized(op, &image)
}

/// `resized_crop(img, top, left, height, width, size)`: the part is resized.
pub(crate) fn resized_crop(op: &mut Operation) -> Evaluated {
    let Some(mut image) = Image::read(op) else { return unknown_image(op) };
    let Some((height, width)) = op.dim_argument("height").zip(op.dim_argument("width")) else {
        return Ok(image.sized(fresh("height"), fresh("width")));
    };
    (image.height, image.width) = (height, width);
    resized(op, &image)
}

fn resized(op: &mut Operation, image: &Image) -> Evaluated {
    has_channels(op)?;
    let is_pair = op.arguments.get("size").and_then(items).is_some_and(|sizes| sizes.len() == 2);
    let Some((height, width)) = sides(op, "size")? else { return Ok(image.sized(fresh("height"), fresh("width"))) };
    if let Some(side) = [height, width].into_iter().find(|side| side.as_const().is_some_and(|side| side <= 0)) {
        return op.reject(&["size"], format!("`size` must be positive, got {side}"));
    }
    if is_pair {
        if op.int_argument("max_size").is_some() {
            let message = "`max_size` goes with one size, that of the shorter side".to_owned();
            return op.reject(&["max_size", "size"], message);
        }
        return Ok(image.sized(height, width));
    }
    let (old_height, old_width) = (op.solver.resolve(image.height), op.solver.resolve(image.width));
    if !op.is_absent("max_size") {
        let all = [old_height.as_const(), old_width.as_const(), height.as_const(), op.int_argument("max_size")];
        let [Some(old_height), Some(old_width), Some(size), Some(most)] = all else {
            return Ok(image.sized(fresh("height"), fresh("width")));
        };
        return limited(op, image, (old_height, old_width), size, most);
    }
    if old_height == old_width {
        return Ok(image.sized(height, width));
    }
    let scaled = |longer: Dim, shorter: Dim| (height * longer).floor_div(shorter);
    Ok(match (old_height.as_const(), old_width.as_const()) {
        (Some(old_h), Some(old_w)) if old_h < old_w => image.sized(height, scaled(old_width, old_height)),
        (Some(_), Some(_)) => image.sized(scaled(old_height, old_width), width),
        // Which side is the shorter one is not known.
        _ => image.sized(fresh(PROPORTIONAL.0), fresh(PROPORTIONAL.1)),
    })
}

/// The shorter side becomes `size`, unless the longer one then exceeds `most`.
fn limited(op: &mut Operation, image: &Image, old: (i64, i64), size: i64, most: i64) -> Evaluated {
    let (short, long) = (old.0.min(old.1), old.0.max(old.1));
    if most <= size {
        let message = format!("`max_size` ({most}) must be greater than `size` ({size})");
        return op.reject(&["max_size", "size"], message);
    }
    if short == 0 {
        return Ok(image.sized(fresh("height"), fresh("width")));
    }
    let longer = size * long / short;
    let (short, long) = if longer > most { (most * size / longer, most) } else { (size, longer) };
    let (height, width) = if old.0 <= old.1 { (short, long) } else { (long, short) };
    Ok(image.sized(constant(height), constant(width)))
}

/// `CenterCrop(size)(img)`, `RandomCrop`, `RandomResizedCrop`, `crop(img, top, left, height, width)`.
pub(crate) fn crop(op: &mut Operation) -> Evaluated {
    let Some(image) = Image::read(op) else { return unknown_image(op) };
    let size = if op.arguments.get("size").is_some() {
        sides(op, "size")?
    } else {
        op.dim_argument("height").zip(op.dim_argument("width"))
    };
    let (height, width) = size.unwrap_or_else(|| (fresh("height"), fresh("width")));
    let positive = |dim: Dim| if dim.as_const().is_some_and(|dim| dim < 0) { constant(0) } else { dim };
    let (height, width) = (positive(height), positive(width));
    if op.short_name() == "RandomCrop" && op.flag_or("pad_if_needed", false) == Some(false) {
        crop_fits(op, &image, height, width)?;
    }
    Ok(image.sized(height, width))
}

/// Requires that a crop is not larger than the padded image, where all of it is known.
fn crop_fits(op: &mut Operation, image: &Image, height: Dim, width: Dim) -> Result<(), Stop> {
    let amounts = if op.is_absent("padding") { Some(vec![0]) } else { op.int_list("padding") };
    let (down, across) = match amounts.as_deref() {
        Some([all]) => (2 * all, 2 * all),
        Some([across, down]) => (2 * down, 2 * across),
        Some([left, top, right, bottom]) => (top + bottom, left + right),
        _ => return Ok(()),
    };
    for (part, whole, padding) in [(height, image.height, down), (width, image.width, across)] {
        if let (Some(part), Some(whole)) = (part.as_const(), whole.as_const())
            && part > whole + padding
        {
            let message = format!("the crop ({part}) is larger than a side of the padded image ({})", whole + padding);
            return op.reject(&["size", op.input_name()], message);
        }
    }
    Ok(())
}

/// `FiveCrop(size)(img)`, `TenCrop`: a tuple of crops, which are not larger than the image.
pub(crate) fn crops(op: &mut Operation) -> Evaluated {
    let count = if op.short_name().to_ascii_lowercase().starts_with("ten") { 10 } else { 5 };
    if let (Some(image), Some((height, width))) = (Image::read(op), sides(op, "size")?) {
        for (part, whole) in [(height, image.height), (width, image.width)] {
            if let (Some(part), Some(whole)) = (part.as_const(), whole.as_const())
                && part > whole
            {
                let message = format!("the crops of {part} are larger than a side of the image ({whole})");
                return op.reject(&["size", op.input_name()], message);
            }
        }
    }
    let one = crop(op)?;
    Ok(Output::Tuple(vec![one; count]))
}

/// `Pad(padding)(img)`: one width, (left and right, top and bottom), or (left, top, right, bottom).
pub(crate) fn pad(op: &mut Operation) -> Evaluated {
    let Some(image) = Image::read(op) else { return unknown_image(op) };
    let amounts = op.arguments.get("padding").and_then(items);
    let amounts: Option<Vec<Dim>> = amounts.and_then(|amounts| amounts.iter().map(Argument::as_dim).collect());
    if let Some(amounts) = &amounts
        && !matches!(amounts.len(), 1 | 2 | 4)
    {
        return op.reject(&["padding"], format!("`padding` must be one width, 2 or 4 of them, got {}", amounts.len()));
    }
    if op.api.contains(".v2.") {
        has_channels(op)?;
    }
    let two = constant(2);
    Ok(match amounts.as_deref() {
        Some([all]) => image.sized(image.height + two * *all, image.width + two * *all),
        Some([across, down]) => image.sized(image.height + two * *down, image.width + two * *across),
        Some([left, top, right, bottom]) => image.sized(image.height + *top + *bottom, image.width + *left + *right),
        _ => image.sized(fresh("height"), fresh("width")),
    })
}

/// The image with another number of channels.
pub(crate) fn with_channels(op: &mut Operation, channels: Dim) -> Evaluated {
    let input = op.input();
    let Some((_, leading, last)) = op.solver.split(&input.shape, 0, 3) else { return unknown_image(op) };
    let sides = last.get(1..).unwrap_or_default();
    let back: Vec<Dim> = std::iter::once(channels).chain(sides.iter().copied()).collect();
    Ok(Output::tensor(joined(&[], Some(&leading), &back), input.dtype))
}

/// `Grayscale(num_output_channels=1)(img)`.
pub(crate) fn grayscale(op: &mut Operation) -> Evaluated {
    let channels = op.dim_argument("num_output_channels").unwrap_or(constant(1));
    let message = format_args!("`num_output_channels` must be 1 or 3, got {channels}");
    let one_of =
        Constraint::Or(vec![Constraint::Equal(channels, constant(1)), Constraint::Equal(channels, constant(3))]);
    op.demand(one_of, &["num_output_channels"], || message.to_string())?;
    let input = op.input();
    colours_fit(op)?;
    // A tensor that is gray already stays as it is; an image of Pillow gets the channels.
    let is_gray = op.solver.split(&input.shape, 0, 3).is_some_and(|(_, _, last)| last[0].as_const() == Some(1));
    if is_gray && input.dtype.is_floating() {
        return Ok(Output::tensor(input.shape, input.dtype));
    }
    with_channels(op, channels)
}

/// Requires that a tensor (of floats: images of Pillow have more modes) has the channels of a gray or a coloured image.
fn colours_fit(op: &mut Operation) -> Result<(), Stop> {
    let input = op.input();
    let is_tensor = input.dtype.is_floating() || matches!(input.dtype, DType::Bool | DType::Int32 | DType::Int64);
    if !is_tensor || op.rank(&input.shape).is_none() {
        return Ok(());
    }
    let name = op.input_name();
    let subject = op.operand(name, &input.shape);
    let Some((_, _, last)) = op.solver.split(&input.shape, 0, 3) else {
        return op.reject(&[name], format!("{subject} must have channels, height and width"));
    };
    match last[0].as_const() {
        Some(1 | 3) | None => Ok(()),
        Some(channels) => op.reject(&[name], format!("{subject} must have 1 or 3 channels, got {channels}")),
    }
}

/// Changes of colours: the shape stays.
pub(crate) fn coloured(op: &mut Operation) -> Evaluated {
    colours_fit(op)?;
    let input = op.input();
    Ok(Output::tensor(input.shape, input.dtype))
}

/// `gaussian_blur(img, kernel_size)`: odd sizes, and an image that padding by reflection takes.
pub(crate) fn blurred(op: &mut Operation) -> Evaluated {
    if let Some(sizes) = op.int_list("kernel_size") {
        if sizes.len() > 2 || sizes.is_empty() {
            return op.reject(&["kernel_size"], format!("`kernel_size` must be one size or two, got {}", sizes.len()));
        }
        if sizes.len() == 1
            && !op.api.contains(".v2.")
            && !op.api.contains("GaussianBlur")
            && matches!(op.arguments.get("kernel_size"), Some(Argument::Sequence(_)))
        {
            return op.reject(&["kernel_size"], "`kernel_size` must be a number or have two sizes".to_owned());
        }
        if let Some(size) = sizes.iter().find(|size| **size <= 0 || **size % 2 == 0) {
            return op.reject(&["kernel_size"], format!("`kernel_size` must be odd and positive, got {size}"));
        }
        reflects(op, &sizes)?;
    }
    has_channels(op)?;
    has_pixels(op)?;
    let input = op.input();
    Ok(Output::tensor(input.shape, input.dtype))
}

/// Requires that half a kernel (width first) is smaller than the image, which is padded by reflection.
fn reflects(op: &mut Operation, sizes: &[i64]) -> Result<(), Stop> {
    let Some(image) = Image::read(op) else { return Ok(()) };
    let (across, down) = (sizes[0] / 2, sizes[sizes.len() - 1] / 2);
    for (padding, side) in [(across, image.width), (down, image.height)] {
        if side.as_const().is_some_and(|side| side > 0 && padding >= side) && image.dtype.is_floating() {
            let message = format!("the kernel reaches {padding} pixels beyond the image, which has a side of {side}");
            return op.reject(&["kernel_size", op.input_name()], message);
        }
    }
    Ok(())
}

/// The sides of an image that is turned by an angle (in degrees) and keeps all its corners.
fn turned(height: i64, width: i64, angle: f64) -> (i64, i64) {
    // The library computes in 32 bits, and rounds away what is below a ten-thousandth of a pixel.
    let (sine, cosine) = angle.to_radians().sin_cos();
    let (sine, cosine) = (sine as f32, cosine as f32);
    let (half_width, half_height) = (width as f32 / 2.0, height as f32 / 2.0);
    let across = (half_width * cosine).abs() + (half_height * sine).abs();
    let down = (half_width * sine).abs() + (half_height * cosine).abs();
    let extent = |half: f32, reach: f32| {
        let tolerance = 1e-4;
        let (low, high) = (half - reach, half + reach);
        let upper = ((high / tolerance).trunc() * tolerance).ceil();
        let lower = ((low / tolerance).trunc() * tolerance).floor();
        (upper - lower) as i64
    };
    (extent(half_height, down), extent(half_width, across))
}

/// `RandomRotation(degrees, expand=False)(img)`.
pub(crate) fn rotate(op: &mut Operation) -> Evaluated {
    has_channels(op)?;
    has_pixels(op)?;
    let Some(image) = Image::read(op) else { return unknown_image(op) };
    let angle = match op.arguments.get("angle") {
        Some(Argument::Integer(angle)) => angle.as_const().map(|angle| angle as f64),
        Some(Argument::Float(angle)) => *angle,
        _ => None,
    };
    let known = image.height.as_const().zip(image.width.as_const()).zip(angle);
    Ok(match op.flag_or("expand", false) {
        Some(false) => image.sized(image.height, image.width),
        Some(true)
            if image.dtype.is_floating()
                && let Some(((height, width), angle)) = known =>
        {
            let (height, width) = turned(height, width, angle);
            image.sized(constant(height), constant(width))
        }
        _ => image.sized(fresh("height"), fresh("width")),
    })
}

/// `get_dimensions(img)`: channels, height, width; `get_size`: height, width; `get_image_size`: width, height.
pub(crate) fn measures(op: &mut Operation) -> Evaluated {
    let input = op.input();
    let known = op.solver.split(&input.shape, 0, 3).map(|(_, _, last)| last);
    let Some([channels, height, width]) = known.as_deref() else {
        return Ok(Output::Unknown("the image is not known"));
    };
    let numbers = match op.short_name() {
        "get_image_size" => vec![*width, *height],
        "get_size" | "get_size_image" => vec![*height, *width],
        "get_image_num_channels" | "get_num_channels" => return Ok(Output::Integer(*channels)),
        _ => vec![*channels, *height, *width],
    };
    Ok(Output::List(numbers.into_iter().map(Output::Integer).collect()))
}
