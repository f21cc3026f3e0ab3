//! Checks pages in which lengths are packed as differences: these say how many lengths they have, and the library makes place for all of them before
//! it looks whether they are there.

use parquet::basic::Encoding;
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::errors::{ParquetError, Result};

/// A page has no more values in such a form.
const MOST_VALUES: u32 = 1 << 24;

/// Pages that have the lengths that they say.
pub(super) struct CheckedPages<Pages> {
    pub pages: Pages,
    /// Whether values may be missing, of which each page tells which ones are.
    pub has_levels: bool,
}

impl<Pages: PageReader> CheckedPages<Pages> {
    fn checked(&self, page: Page) -> Result<Page> {
        let lists = match page.encoding() {
            Encoding::DELTA_LENGTH_BYTE_ARRAY => 1,
            Encoding::DELTA_BYTE_ARRAY => 2,
            _ => return Ok(page),
        };
        let most = page.num_values();
        let mut rest = values(&page, self.has_levels).filter(|_| most <= MOST_VALUES);
        for _ in 0..lists {
            rest = rest.and_then(|rest| rest.get(end_of_list(rest, u64::from(most))?..));
        }
        match rest {
            Some(_) => Ok(page),
            None => Err(ParquetError::General("a page has not the lengths that it says".to_owned())),
        }
    }
}

impl<Pages: PageReader> Iterator for CheckedPages<Pages> {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

impl<Pages: PageReader> PageReader for CheckedPages<Pages> {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        let page = self.pages.get_next_page()?;
        page.map(|page| self.checked(page)).transpose()
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        self.pages.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.pages.skip_next_page()
    }

    fn at_record_boundary(&mut self) -> Result<bool> {
        self.pages.at_record_boundary()
    }
}

/// What stands in a page behind the levels, which tell for each row whether it has a value.
fn values(page: &Page, has_levels: bool) -> Option<&[u8]> {
    let bytes = page.buffer();
    let start = match page {
        Page::DataPageV2 { def_levels_byte_len, rep_levels_byte_len, .. } => {
            u64::from(*def_levels_byte_len) + u64::from(*rep_levels_byte_len)
        }
        Page::DataPage { def_level_encoding: Encoding::RLE, .. } if has_levels => {
            let length = bytes.first_chunk::<4>()?;
            4 + u64::from(u32::from_le_bytes(*length))
        }
        Page::DataPage { num_values, .. } if has_levels => u64::from(num_values.div_ceil(8)),
        _ => 0,
    };
    bytes.get(usize::try_from(start).ok()?..)
}

/// Where a list of packed differences ends; `None` where it has more than `most` numbers, or fewer than it says.
fn end_of_list(bytes: &[u8], most: u64) -> Option<usize> {
    let mut at = 0;
    let [block, parts, count] = [varint(bytes, &mut at)?, varint(bytes, &mut at)?, varint(bytes, &mut at)?];
    // The first number stands in the header.
    varint(bytes, &mut at)?;
    let in_part = block.checked_div(parts).filter(|in_part| *in_part > 0 && *in_part <= u64::from(u32::MAX))?;
    let mut left = Some(count).filter(|count| *count <= most)?.saturating_sub(1);
    while left > 0 {
        varint(bytes, &mut at)?;
        let end = at.checked_add(usize::try_from(parts).ok()?)?;
        let widths = bytes.get(at..end)?;
        at = end;
        // Parts behind the last number have no bytes, whatever is said of them.
        for width in widths {
            if left > 0 {
                at = at.checked_add(usize::try_from(u64::from(*width) * in_part / 8).ok()?)?;
            }
            left = left.saturating_sub(in_part);
        }
    }
    (at <= bytes.len()).then_some(at)
}

fn varint(bytes: &[u8], at: &mut usize) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let byte = *bytes.get(*at)?;
        *at += 1;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_have_the_numbers_that_they_say() {
        // Blocks of 128 in 4 parts, 2 numbers, the first of which is 5; the difference is 1, without further bits.
        let list = [0x80, 1, 4, 2, 10, 2, 0, 0, 0, 0];
        assert_eq!(end_of_list(&list, 2), Some(10));
        assert_eq!(end_of_list(&list, 1), None);
        assert_eq!(end_of_list(&list[..9], 2), None);
        // A billion numbers.
        let many = [0x80, 1, 4, 0x80, 0x94, 0xeb, 0xdc, 3, 10, 2, 0, 0, 0, 0];
        assert_eq!(end_of_list(&many, 1 << 24), None);
        assert_eq!(end_of_list(&many, 1 << 40), None);
    }
}
