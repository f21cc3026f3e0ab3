//! Element types of tensors (dtypes).

use std::fmt;

/// The type of a tensor's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DType {
    /// `bool`
    Bool,
    /// `uint8`
    UInt8,
    /// `uint16`
    UInt16,
    /// `uint32`
    UInt32,
    /// `uint64`
    UInt64,
    /// `int8`
    Int8,
    /// `int16`
    Int16,
    /// `int32`
    Int32,
    /// `int64`
    Int64,
    /// `float16`: five bits of exponent.
    Float16,
    /// `bfloat16`: eight bits of exponent, as `float32`.
    BFloat16,
    /// `float32`
    Float32,
    /// `float64`
    Float64,
    /// `complex64`: two `float32`.
    Complex64,
    /// `complex128`: two `float64`.
    Complex128,
    /// Not known; arithmetic with it yields it.
    Unknown,
}

/// What arithmetic between two types yields: the wider kind wins.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Bool,
    Integer,
    Float,
    Complex,
}

const NAMES: &[(&str, DType)] = &[
    ("bool", DType::Bool),
    ("uint8", DType::UInt8),
    ("uint16", DType::UInt16),
    ("uint32", DType::UInt32),
    ("uint64", DType::UInt64),
    ("int8", DType::Int8),
    ("int16", DType::Int16),
    ("int32", DType::Int32),
    ("int64", DType::Int64),
    ("float16", DType::Float16),
    ("bfloat16", DType::BFloat16),
    ("float32", DType::Float32),
    ("float64", DType::Float64),
    ("complex64", DType::Complex64),
    ("complex128", DType::Complex128),
    // Other names for the same types, after those under which they are printed.
    ("bool_", DType::Bool),
    ("byte", DType::UInt8),
    ("char", DType::Int8),
    ("short", DType::Int16),
    ("int", DType::Int32),
    ("long", DType::Int64),
    ("half", DType::Float16),
    ("float", DType::Float32),
    ("double", DType::Float64),
    ("cfloat", DType::Complex64),
    ("cdouble", DType::Complex128),
    ("unknown", DType::Unknown),
];

impl DType {
    /// Reads a name of PyTorch, NumPy or TensorFlow, with or without its module: `float32`, `torch.long`, `np.uint8`.
    /// `int` and `float` are PyTorch's: 32 bits.
    pub fn parse(text: &str) -> Option<DType> {
        let name = text.rsplit('.').next().unwrap_or(text);
        NAMES.iter().find(|(known, _)| *known == name).map(|(_, dtype)| *dtype)
    }

    /// The type of `a + b` for two tensors of rank 1 or more, as PyTorch has it.
    pub fn promote(a: DType, b: DType) -> DType {
        let (Some(a_kind), Some(b_kind)) = (a.kind(), b.kind()) else {
            return DType::Unknown;
        };
        if a == b {
            return a;
        }
        if a_kind != b_kind {
            let (narrow, wide) = if a_kind < b_kind { (a, b) } else { (b, a) };
            // A complex result keeps the precision of a 64-bit float.
            return if narrow == DType::Float64 && wide == DType::Complex64 { DType::Complex128 } else { wide };
        }
        match a_kind {
            Kind::Bool => a,
            Kind::Integer => promote_integers(a, b),
            // Neither 16-bit float holds the other.
            Kind::Float if a.bits() == b.bits() => DType::Float32,
            Kind::Float | Kind::Complex => wider(a, b),
        }
    }

    /// Whether it is a real type with fractions.
    pub fn is_floating(self) -> bool {
        self.kind() == Some(Kind::Float)
    }

    /// Whether it is an integer type; `bool` is none.
    pub fn is_integer(self) -> bool {
        self.kind() == Some(Kind::Integer)
    }

    /// Whether it is a complex type.
    pub fn is_complex(self) -> bool {
        self.kind() == Some(Kind::Complex)
    }

    /// Whether anything is known of it.
    pub fn is_known(self) -> bool {
        self != DType::Unknown
    }

    /// The size of an element in bits; 0 where the type is unknown.
    pub fn bits(self) -> u32 {
        match self {
            DType::Unknown => 0,
            DType::Bool | DType::UInt8 | DType::Int8 => 8,
            DType::UInt16 | DType::Int16 | DType::Float16 | DType::BFloat16 => 16,
            DType::UInt32 | DType::Int32 | DType::Float32 => 32,
            DType::UInt64 | DType::Int64 | DType::Float64 | DType::Complex64 => 64,
            DType::Complex128 => 128,
        }
    }

    fn kind(self) -> Option<Kind> {
        Some(match self {
            DType::Unknown => return None,
            DType::Bool => Kind::Bool,
            DType::UInt8 | DType::UInt16 | DType::UInt32 | DType::UInt64 => Kind::Integer,
            DType::Int8 | DType::Int16 | DType::Int32 | DType::Int64 => Kind::Integer,
            DType::Float16 | DType::BFloat16 | DType::Float32 | DType::Float64 => Kind::Float,
            DType::Complex64 | DType::Complex128 => Kind::Complex,
        })
    }

    /// Whether it is an integer type without a sign; `bool` is none.
    pub fn is_unsigned(self) -> bool {
        matches!(self, DType::UInt8 | DType::UInt16 | DType::UInt32 | DType::UInt64)
    }
}

fn wider(a: DType, b: DType) -> DType {
    if a.bits() >= b.bits() { a } else { b }
}

fn promote_integers(a: DType, b: DType) -> DType {
    let (signed, unsigned) = match (a.is_unsigned(), b.is_unsigned()) {
        (false, true) => (a, b),
        (true, false) => (b, a),
        _ => return wider(a, b),
    };
    if signed.bits() > unsigned.bits() {
        return signed;
    }
    match unsigned {
        DType::UInt8 => DType::Int16,
        // PyTorch promotes only 8-bit unsigned integers with signed ones of the same or a lesser size.
        _ => DType::Unknown,
    }
}

impl fmt::Display for DType {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = NAMES.iter().find(|(_, dtype)| dtype == self).map_or("unknown", |(name, _)| name);
        formatter.write_str(name)
    }
}

#[cfg(test)]
mod tests {
    use super::DType;

    #[test]
    fn every_name_is_read_back() {
        for name in ["bool", "uint8", "int64", "bfloat16", "float32", "complex128", "unknown"] {
            assert_eq!(DType::parse(name).map(|dtype| dtype.to_string()).as_deref(), Some(name));
        }
        assert_eq!(DType::parse("torch.long"), Some(DType::Int64));
        assert_eq!(DType::parse("np.float16"), Some(DType::Float16));
        assert_eq!(DType::parse("string"), None);
    }

    #[test]
    fn promotion_follows_pytorch() {
        let cases = [
            (DType::Float16, DType::BFloat16, DType::Float32),
            (DType::UInt8, DType::Int8, DType::Int16),
            (DType::Int64, DType::Float16, DType::Float16),
            (DType::Bool, DType::Int8, DType::Int8),
            (DType::Float64, DType::Complex64, DType::Complex128),
            (DType::Float32, DType::Complex64, DType::Complex64),
            (DType::UInt8, DType::Int32, DType::Int32),
            (DType::Float32, DType::Float64, DType::Float64),
            (DType::Unknown, DType::Float32, DType::Unknown),
        ];
        for (a, b, expected) in cases {
            assert_eq!(DType::promote(a, b), expected, "{a} with {b}");
            assert_eq!(DType::promote(b, a), expected, "{b} with {a}");
        }
    }
}
