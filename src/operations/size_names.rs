//! Names of sizes and arguments in transfer functions by which others know them again.

/// A number that the program drew at random: no other one need be the same.
pub const DRAWN: &str = "random";
/// A number that was read out of a tensor, as `item()` does.
pub const READ_FROM_TENSOR: &str = "item";
/// The sizes of a picture that keeps its proportions, height and width, which are its own: no other picture need have the same.
pub const PROPORTIONAL: (&str, &str) = ("resized_height", "resized_width");
/// The argument under which an operation gets the dtype that the weights of its module have.
pub const WEIGHT_TYPE: &str = "type of the weights";
