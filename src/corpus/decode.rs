//! From bytes to text as Python does it, and back: a byte order mark, else a declaration in one of the first two lines, else UTF-8.

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

use crate::SkipReason;

/// Decodes a file's bytes, without the byte order mark.
pub(super) fn decode(bytes: Vec<u8>) -> Result<String, SkipReason> {
    if let Some((encoding, length)) = Encoding::for_bom(&bytes) {
        // What follows the mark of UTF-16 is not to hold characters that are NUL either.
        let text = decode_as(encoding, &bytes[length..])?;
        return if text.contains('\0') { Err(SkipReason::Binary) } else { Ok(text) };
    }
    if bytes.contains(&0) {
        return Err(SkipReason::Binary);
    }
    let Some(declared) = declared_encoding(&bytes) else {
        return String::from_utf8(bytes).map_err(|_| undecodable("UTF-8, and no other is declared"));
    };
    match codec(&declared) {
        Some(Codec::Latin1) => Ok(encoding_rs::mem::decode_latin1(&bytes).into_owned()),
        Some(Codec::Known(encoding)) => decode_as(encoding, &bytes),
        None => String::from_utf8(bytes).map_err(|_| SkipReason::UnknownEncoding(declared)),
    }
}

fn undecodable(encoding: &str) -> SkipReason {
    SkipReason::Undecodable { encoding: encoding.to_owned() }
}

fn decode_as(encoding: &'static Encoding, bytes: &[u8]) -> Result<String, SkipReason> {
    match encoding.decode_without_bom_handling_and_without_replacement(bytes) {
        Some(text) => Ok(text.into_owned()),
        None => Err(undecodable(encoding.name())),
    }
}

/// The bytes of a text in the encoding of others, with the byte order mark that those have. The text is not to declare another encoding than they do.
pub(super) fn encode_like(bytes: &[u8], text: &str) -> Result<Vec<u8>, SkipReason> {
    if let Some((encoding, length)) = Encoding::for_bom(bytes) {
        let mut encoded = bytes[..length].to_vec();
        match encoding {
            _ if encoding == UTF_16LE => encoded.extend(text.encode_utf16().flat_map(u16::to_le_bytes)),
            _ if encoding == UTF_16BE => encoded.extend(text.encode_utf16().flat_map(u16::to_be_bytes)),
            _ => encoded.extend(text.as_bytes()),
        }
        return Ok(encoded);
    }
    match declared_encoding(bytes).as_deref().and_then(codec) {
        Some(Codec::Latin1) => {
            let byte = |character: char| u8::try_from(u32::from(character));
            text.chars().map(byte).collect::<Result<_, _>>().map_err(|_| undecodable("latin-1"))
        }
        Some(Codec::Known(encoding)) => match encoding.encode(text) {
            (encoded, used, false) if used == encoding => Ok(encoded.into_owned()),
            _ => Err(undecodable(encoding.name())),
        },
        None => Ok(text.as_bytes().to_vec()),
    }
}

enum Codec {
    /// Python's latin-1 maps every byte to the character of that number, which the web's does not.
    Latin1,
    Known(&'static Encoding),
}

/// The codec that Python knows under a name, for those that occur.
fn codec(name: &str) -> Option<Codec> {
    let name = name.to_ascii_lowercase().replace('_', "-");
    // Editors append the kind of line break.
    let name = ["-unix", "-dos", "-mac"].iter().find_map(|suffix| name.strip_suffix(suffix)).unwrap_or(&name);
    let label = match name {
        "latin-1" | "latin1" | "latin" | "l1" | "iso-8859-1" | "iso8859-1" | "8859" | "cp819" | "iso-latin-1" => {
            return Some(Codec::Latin1);
        }
        "utf8" | "utf-8" | "utf-8-sig" | "u8" | "ascii" | "us-ascii" | "utf" | "utf-8-emacs" => {
            return Some(Codec::Known(UTF_8));
        }
        "cp936" | "936" | "ms936" => "gbk",
        "cp932" | "932" | "mskanji" | "ms-kanji" => "shift_jis",
        "cp949" | "949" | "ms949" | "uhc" => "euc-kr",
        "cp950" | "950" | "ms950" | "big5-tw" => "big5",
        "eucjp" | "ujis" => "euc-jp",
        "euckr" => "euc-kr",
        "mac-roman" | "macroman" => "macintosh",
        "latin9" | "latin-9" | "l9" => "iso-8859-15",
        "latin2" | "latin-2" | "l2" => "iso-8859-2",
        "shift-jis" | "shiftjis" | "s-jis" => "shift_jis",
        "koi8-r" => "koi8-r",
        other => other,
    };
    // UTF-16 in a declaration contradicts the bytes in which the declaration was read.
    let encoding = Encoding::for_label_no_replacement(label.as_bytes())?;
    encoding.is_ascii_compatible().then_some(Codec::Known(encoding))
}

/// What `coding: name` or `coding=name` in a comment of the first two lines names.
fn declared_encoding(bytes: &[u8]) -> Option<String> {
    let (first, rest) = first_line(bytes);
    if let Some(name) = declaration(first) {
        return Some(name);
    }
    let is_blank = matches!(trim_indentation(first), [] | [b'#', ..]);
    if is_blank { declaration(first_line(rest).0) } else { None }
}

/// The first line without its end, which is `\n`, `\r\n` or `\r`, and what follows.
fn first_line(bytes: &[u8]) -> (&[u8], &[u8]) {
    let end = bytes.iter().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(bytes.len());
    let rest = &bytes[end..];
    let rest = rest.strip_prefix(b"\r\n").or_else(|| rest.get(1..)).unwrap_or_default();
    (&bytes[..end], rest)
}

fn trim_indentation(line: &[u8]) -> &[u8] {
    let start = line.iter().position(|byte| !matches!(byte, b' ' | b'\t' | 0x0c)).unwrap_or(line.len());
    &line[start..]
}

fn declaration(line: &[u8]) -> Option<String> {
    let comment = trim_indentation(line).strip_prefix(b"#")?;
    let keyword = b"coding";
    let mut rest = comment;
    loop {
        let start = rest.windows(keyword.len()).position(|window| window == keyword)?;
        rest = &rest[start + keyword.len()..];
        let Some((b':' | b'=', after)) = rest.split_first() else { continue };
        let after = trim_indentation(after);
        let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
        let length = after.iter().position(|byte| !is_name(byte)).unwrap_or(after.len());
        if length > 0 {
            return Some(String::from_utf8_lossy(&after[..length]).into_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{decode, encode_like};
    use crate::SkipReason;

    #[test]
    fn texts_are_written_as_they_were_read() {
        let files: [&[u8]; 7] = [
            b"x = 1\r\n",
            b"\xef\xbb\xbfx = 1",
            b"\xff\xfex\0\xe9\0",
            b"\xfe\xff\0x\0\xe9",
            b"# coding: latin-1\nx = '\xe9'\n",
            b"# coding: gbk\nx = '\xc4\xe3'\n",
            b"# coding: klingon\nx",
        ];
        for bytes in files {
            assert_eq!(encode_like(bytes, &text(bytes)).as_deref(), Ok(bytes));
        }
        let latin = b"# coding: latin-1\nx = '\xe9'\n";
        assert!(encode_like(latin, "# coding: latin-1\nx = '\u{2713}'\n").is_err());
        assert!(encode_like(b"# coding: gbk\n", "# coding: gbk\n\u{1f600}").is_err());
    }

    fn text(bytes: &[u8]) -> String {
        decode(bytes.to_vec()).unwrap()
    }

    #[test]
    fn marks_and_declarations_choose_the_encoding() {
        assert_eq!(text("é".as_bytes()), "é");
        assert_eq!(text(b"\xef\xbb\xbfx = 1"), "x = 1");
        assert_eq!(text(b"\xff\xfex\0=\0"), "x=");
        assert_eq!(text(b"\xfe\xff\0x\0="), "x=");
        assert_eq!(text(b"# -*- coding: latin-1 -*-\n'\xe9\x80'"), "# -*- coding: latin-1 -*-\n'é\u{80}'");
        assert_eq!(text(b"#!/usr/bin/python\n# vim: set fileencoding=cp1252 :\n'\x80'").lines().last(), Some("'€'"));
        assert_eq!(text(b"# coding=gbk\n'\xc4\xe3'").lines().last(), Some("'你'"));
        assert_eq!(text(b"\n#coding:shift_jis\n'\x83\x51'").lines().last(), Some("'ゲ'"));
        assert_eq!(text(b"# coding: cp932\n'\x83\x51'").lines().last(), Some("'ゲ'"));
        assert_eq!(text(b"\r# coding: latin-1\r'\xe9'"), "\r# coding: latin-1\r'é'");
        assert_eq!(text(b"\r\n# coding: latin-1\r\n'\xe9'").lines().last(), Some("'é'"));
        assert_eq!(text(b"# encoding: Latin_1-unix\n'\xe9'").lines().last(), Some("'é'"));
    }

    #[test]
    fn a_declaration_counts_only_where_python_looks() {
        let late = b"x = 1\n# coding: latin-1\n'\xe9'";
        assert!(matches!(decode(late.to_vec()), Err(SkipReason::Undecodable { .. })));
        assert!(matches!(decode(b"\r\r# coding: latin-1\r'\xe9'".to_vec()), Err(SkipReason::Undecodable { .. })));
        let third = b"\n\n# coding: latin-1\n'\xe9'";
        assert!(matches!(decode(third.to_vec()), Err(SkipReason::Undecodable { .. })));
    }

    #[test]
    fn what_is_no_text_has_a_reason() {
        assert_eq!(decode(b"\x7fELF\0\0".to_vec()), Err(SkipReason::Binary));
        assert_eq!(decode(b"\xff\xfe\0\0x\0\0\0".to_vec()), Err(SkipReason::Binary));
        assert!(matches!(decode(b"'\xe9'".to_vec()), Err(SkipReason::Undecodable { .. })));
        assert!(matches!(decode(b"# coding: gbk\n\xff\xff".to_vec()), Err(SkipReason::Undecodable { .. })));
        let unknown = b"# coding: klingon\n\xe9".to_vec();
        assert_eq!(decode(unknown), Err(SkipReason::UnknownEncoding("klingon".to_owned())));
        assert_eq!(text(b"# coding: klingon\nx"), "# coding: klingon\nx");
        assert_eq!(text(b"# coding: utf-16\nx"), "# coding: utf-16\nx");
    }
}
