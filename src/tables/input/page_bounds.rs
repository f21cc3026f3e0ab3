//! Bounds what a page of a Parquet file may unpack to, before it is unpacked: some thousand bytes can stand for gigabytes.

use std::fs::File;
use std::io::{self, Read};

use bytes::Bytes;
use parquet::errors::{ParquetError, Result};
use parquet::file::reader::{ChunkReader, Length};

/// Structs within structs are no deeper.
const DEEPEST: usize = 16;

/// A file whose pages unpack to at most so many bytes each.
pub(super) struct BoundedPages {
    pub file: File,
    pub most: u64,
}

impl Length for BoundedPages {
    fn len(&self) -> u64 {
        self.file.len()
    }
}

impl ChunkReader for BoundedPages {
    type T = <File as ChunkReader>::T;

    /// The header of a page is read through this, and what it stands for through the other one.
    fn get_read(&self, start: u64) -> Result<Self::T> {
        let size = unpacked_size(&mut Input(self.file.get_read(start)?))?;
        if size > self.most {
            return Err(ParquetError::General(format!(
                "a page of {} MiB, and none of that column may have more than {} MiB",
                size >> 20,
                self.most >> 20
            )));
        }
        self.file.get_read(start)
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        self.file.get_bytes(start, length)
    }
}

/// The greatest size that a header of a page tells for it unpacked: a hostile header may tell several.
fn unpacked_size(input: &mut Input<impl Read>) -> io::Result<u64> {
    let mut greatest = 0;
    input.fields(0, |input, field, kind| {
        // Whoever reads the page takes the last bits of numbers that are too large, and a number for what says that it is none.
        if field as i16 != UNPACKED_SIZE {
            return Ok(false);
        }
        if kind != kinds::I32 {
            return Err(io::Error::other("the size of a page is no number of 32 bits"));
        }
        // Negative ones are an error to whoever reads the page.
        greatest = greatest.max(u64::try_from(signed(input.varint()?) as i32).unwrap_or(0));
        Ok(true)
    })?;
    Ok(greatest)
}

/// The number of the field.
const UNPACKED_SIZE: i16 = 2;

/// A number as it is written: the sign is the last bit.
fn signed(number: u64) -> i64 {
    (number >> 1).cast_signed() ^ -(number & 1).cast_signed()
}

/// Kinds of values in Thrift's compact form.
mod kinds {
    pub const STOP: u8 = 0;
    pub const TRUE: u8 = 1;
    pub const FALSE: u8 = 2;
    pub const BYTE: u8 = 3;
    pub const I16: u8 = 4;
    pub const I32: u8 = 5;
    pub const I64: u8 = 6;
    pub const DOUBLE: u8 = 7;
    pub const BINARY: u8 = 8;
    pub const LIST: u8 = 9;
    pub const SET: u8 = 10;
    pub const STRUCT: u8 = 12;
}

/// Bytes in Thrift's compact form.
struct Input<R>(R);

impl<R: Read> Input<R> {
    /// Goes through the fields of a struct. `read` tells whether it read the value of a field; the others are passed over.
    fn fields(&mut self, depth: usize, mut read: impl FnMut(&mut Self, i64, u8) -> io::Result<bool>) -> io::Result<()> {
        let mut field: i64 = 0;
        loop {
            let byte = self.byte()?;
            let kind = byte & 0x0f;
            if kind == kinds::STOP {
                return Ok(());
            }
            field = match byte >> 4 {
                0 => signed(self.varint()?),
                step => field + i64::from(step),
            };
            if !read(self, field, kind)? {
                self.pass(kind, depth)?;
            }
        }
    }

    fn pass(&mut self, kind: u8, depth: usize) -> io::Result<()> {
        match kind {
            kinds::TRUE | kinds::FALSE => Ok(()),
            kinds::BYTE => self.skip(1),
            kinds::I16 | kinds::I32 | kinds::I64 => self.varint().map(drop),
            kinds::DOUBLE => self.skip(8),
            kinds::BINARY => {
                let length = self.varint()?;
                self.skip(length)
            }
            kinds::LIST | kinds::SET if depth < DEEPEST => {
                let byte = self.byte()?;
                let count = match byte >> 4 {
                    15 => self.varint()?,
                    count => u64::from(count),
                };
                (0..count).try_for_each(|_| match byte & 0x0f {
                    // Alone it is a field, and here a byte.
                    kinds::TRUE | kinds::FALSE => self.skip(1),
                    kind => self.pass(kind, depth + 1),
                })
            }
            kinds::STRUCT if depth < DEEPEST => self.fields(depth + 1, |_, _, _| Ok(false)),
            _ => Err(damaged()),
        }
    }

    fn byte(&mut self) -> io::Result<u8> {
        let mut byte = [0];
        self.0.read_exact(&mut byte)?;
        Ok(byte[0])
    }

    fn varint(&mut self) -> io::Result<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err(damaged())
    }

    fn skip(&mut self, length: u64) -> io::Result<()> {
        match io::copy(&mut (&mut self.0).take(length), &mut io::sink())? == length {
            true => Ok(()),
            false => Err(damaged()),
        }
    }
}

fn damaged() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "the header of a page is damaged")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_greatest_size_of_a_header_counts() {
        let size = |bytes: &[u8]| unpacked_size(&mut Input(bytes)).ok();
        // Type 0, 300 bytes, 5 bytes packed, a struct with a number and a text, the end.
        let header = [0x15, 0, 0x15, 0xd8, 0x04, 0x15, 10, 0x2c, 0x15, 4, 0x18, 2, b'a', b'b', 0, 0];
        assert_eq!(size(&header), Some(300));
        // Again field 2, with its number in full: 3000 bytes.
        let mut twice = header[..header.len() - 1].to_vec();
        twice.extend([0x05, 4, 0xf0, 0x2e, 0]);
        assert_eq!(size(&twice), Some(3000));
        // The same as field 65538, and as a number of which 32 bits are 300; then as one of 64 bits.
        assert_eq!(size(&[0x05, 0x84, 0x80, 0x08, 0xd8, 0x04, 0]), Some(300));
        assert_eq!(size(&[0x25, 0xd8, 0x84, 0x80, 0x80, 0x20, 0]), Some(300));
        assert_eq!(size(&[0x26, 0xd8, 0x04, 0]), None);
        assert_eq!(size(&header[..9]), None);
        assert_eq!(size(&[0x1c; 64]), None, "structs within structs");
    }
}
