//! Guards all output: the last writer before a stream or a file. Whatever text comes to it, the terminal stays as it
//! is, and no line is a command to a CI system.
//!
//! CI systems read what programs print, and take some of it for commands:
//!
//! | system | takes for a command | says so |
//! |---|---|---|
//! | GitHub, Gitea, act | a line that begins with `::`, behind blanks | `ActionCommand.TryParseV2` in actions/runner: `TrimStart`, then `StartsWith("::")` |
//! | the same, older form | `##[` anywhere in a line | `ActionCommand.TryParse` there: `IndexOf("##[")` |
//! | Azure | `##vso[` anywhere in a line, and `##[` to format it | `Command.TryParse` in microsoft/azure-pipelines-agent: `IndexOf("##vso[")` |
//! | TeamCity | `##teamcity[` anywhere | `ServiceMessageParser` in JetBrains/TeamCity.ServiceMessages |
//! | GitLab | `section_start:…` and `section_end:…` before `\r` and `ESC [0K` | `logs_section_suffix_regex` in lib/gitlab/regex.rb |
//!
//! Both streams are read, and a carriage return ends a line for most. So no line begins with `::`, there is no `##[` even with a word
//! before the bracket, and there is no carriage return but in a line's end.

use std::io::{self, Write};

use harp_corpus::is_harmful;

use super::text::Color;

/// The form of what is written, which decides how a harmful character is written out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notation {
    /// For people. Colours pass where they are wanted.
    Text(Color),
    /// Harmful characters stand only in strings, where they have escapes.
    Json,
    /// Graphviz reads a backslash in a label as an escape.
    Dot,
    /// Commands for GitHub: lines begin with `::` because they are to. What stands in them cannot end a line.
    Commands,
    /// Values between tabs. The same value is written alike in every column, so that rows can be joined.
    Values,
}

impl Notation {
    fn escape(self, character: char, out: &mut String) {
        match self {
            Notation::Text(_) | Notation::Values | Notation::Commands => out.extend(character.escape_unicode()),
            Notation::Dot => {
                out.push('\\');
                out.extend(character.escape_unicode());
            }
            Notation::Json => {
                for unit in character.encode_utf16(&mut [0; 2]) {
                    out.push_str(&format!("\\u{unit:04x}"));
                }
            }
        }
    }

    /// Writes the character that would make a command of those before it.
    fn defuse(self, character: char, out: &mut String) {
        match self {
            Notation::Json => return self.escape(character, out),
            Notation::Text(_) | Notation::Values | Notation::Commands => out.push('\\'),
            Notation::Dot => out.push_str("\\\\"),
        }
        out.push(character);
    }

    /// The characters of a colour or a line end at the start of the text, which pass as they are.
    fn passing(self, text: &str) -> usize {
        let Notation::Text(color) = self else { return 0 };
        if text.starts_with("\r\n") {
            return 1;
        }
        let Some(codes) = text.strip_prefix("\u{1b}[").filter(|_| color == Color::Always) else { return 0 };
        let length = codes.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b';').count();
        if codes[length..].starts_with('m') { "\u{1b}[".len() + length + 1 } else { 0 }
    }
}

/// How much of a command the line ends with so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// There are only blanks.
    Blank,
    /// Blanks and one `:`.
    Colon,
    /// A `#`.
    Hash,
    /// `##` and perhaps a word.
    Marker,
    Within,
}

/// Writes on what it gets, made harmless. What is harmless already stays as it is, so that a guard may stand behind another.
pub struct Guard<W> {
    notation: Notation,
    state: State,
    out: W,
}

impl<W: Write> Guard<W> {
    /// A guard of what begins at the start of a line.
    pub fn new(out: W, notation: Notation) -> Guard<W> {
        Guard { notation, state: State::Blank, out }
    }

    /// The text, made harmless; `None` where it is.
    fn guarded(&mut self, text: &str) -> Option<String> {
        let mut changed: Option<String> = None;
        let mut rest = text;
        while let Some(character) = rest.chars().next() {
            let passing = self.passing(rest);
            let (part, after) = rest.split_at(if passing > 0 { passing } else { character.len_utf8() });
            let is_harmful = passing == 0 && !matches!(character, '\n' | '\t') && is_harmful(character);
            let is_command = passing == 0 && self.completes_command(character);
            if is_harmful || is_command {
                let out = changed.get_or_insert_with(|| text[..text.len() - rest.len()].to_owned());
                match is_harmful {
                    true => self.notation.escape(character, out),
                    false => self.notation.defuse(character, out),
                }
            } else if let Some(out) = &mut changed {
                out.push_str(part);
            }
            rest = after;
        }
        changed
    }

    /// How many bytes pass at once and leave the state as it is. Documents have megabytes of plain characters.
    fn passing(&self, text: &str) -> usize {
        let run = |is_plain: fn(&u8) -> bool| text.bytes().take_while(is_plain).count();
        let plain = match self.state {
            State::Within => run(|byte| matches!(byte, b' '..=b'"' | b'$'..=b'~')),
            State::Blank => run(|byte| *byte == b' '),
            _ => 0,
        };
        if plain > 0 { plain } else { self.notation.passing(text) }
    }

    /// Whether a command would begin with this character, which is the next one.
    fn completes_command(&mut self, character: char) -> bool {
        let (state, completes) = match (self.state, character) {
            (_, '\n') => (State::Blank, false),
            (_, '\t') if self.notation == Notation::Values => (State::Blank, false),
            (State::Blank, ':') if self.notation == Notation::Commands => (State::Within, false),
            (State::Blank, ':') => (State::Colon, false),
            (State::Colon, ':') => (State::Within, true),
            (State::Blank, blank) if blank.is_whitespace() => (State::Blank, false),
            (State::Hash | State::Marker, '#') => (State::Marker, false),
            (_, '#') => (State::Hash, false),
            (State::Marker, '[') => (State::Within, true),
            (State::Marker, word) if word.is_alphanumeric() => (State::Marker, false),
            _ => (State::Within, false),
        };
        self.state = state;
        completes
    }
}

/// The state behind a text in which nothing can be harmful, whatever its lines begin with; `None` where it has to be looked at more closely.
/// Nearly all that is written is of this kind, and both passes over it take many bytes at once.
fn behind_plain(state: State, bytes: &[u8]) -> Option<State> {
    let is_plain = |byte: u8| (byte == b'\n') | ((b' '..=b'~').contains(&byte) & (byte != b'#'));
    let is_open = !matches!(state, State::Blank | State::Within);
    if is_open || !bytes.iter().fold(true, |plain, byte| plain & is_plain(*byte)) {
        return None;
    }
    let pairs = bytes.iter().zip(bytes.iter().skip(1));
    if pairs.fold(false, |found, (one, next)| found | ((*one == b':') & (*next == b':'))) {
        return None;
    }
    let last_line = match bytes.iter().rposition(|byte| *byte == b'\n') {
        Some(end) => &bytes[end + 1..],
        None if state == State::Within => return Some(state),
        None => bytes,
    };
    Some(match last_line.trim_ascii_start() {
        [] => State::Blank,
        [b':'] => State::Colon,
        _ => State::Within,
    })
}

impl<W: Write> Write for Guard<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Some(state) = behind_plain(self.state, bytes) {
            self.out.write_all(bytes)?;
            self.state = state;
            return Ok(bytes.len());
        }
        let (text, length) = match std::str::from_utf8(bytes) {
            Ok(text) => (text, bytes.len()),
            Err(error) => match std::str::from_utf8(&bytes[..error.valid_up_to()]) {
                Ok(text) if !text.is_empty() => (text, text.len()),
                // Nothing of Harp's writes half a character.
                _ => ("\u{fffd}", error.error_len().unwrap_or(bytes.len())),
            },
        };
        match self.guarded(text) {
            Some(changed) => self.out.write_all(changed.as_bytes())?,
            None => self.out.write_all(text.as_bytes())?,
        }
        Ok(length)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const PLAIN: Notation = Notation::Text(Color::Never);
    /// What members of a document are called.
    const KEY: &str = "[ :#\\[a\"\r\n\u{1b}\u{e0041}😀]{0,12}";

    /// What comes out when the parts are written one after the other.
    fn written(notation: Notation, parts: &[&str]) -> String {
        let mut guard = Guard::new(Vec::new(), notation);
        for part in parts {
            guard.write_all(part.as_bytes()).unwrap();
        }
        String::from_utf8(guard.out).unwrap()
    }

    /// A line that one of the systems takes for a command.
    fn command(text: &str) -> Option<&str> {
        let marker = regex::Regex::new(r"##\w*\[").unwrap();
        text.split(['\n', '\r']).find(|line| line.trim_start().starts_with("::") || marker.is_match(line))
    }

    #[test]
    fn commands_are_broken_by_a_backslash() {
        for (text, expected) in [
            ("::error file=a.py::x", ":\\:error file=a.py::x"),
            (
                "a ::error::\n \t\u{a0}\u{3000}::set-output name=a::b",
                "a ::error::\n \t\u{a0}\u{3000}:\\:set-output name=a::b",
            ),
            ("::: a.py", ":\\:: a.py"),
            (": :", ": :"),
            ("x = a[::2]  ##[error]no", "x = a[::2]  ##\\[error]no"),
            ("a ##vso[task.setvariable]", "a ##vso\\[task.setvariable]"),
            ("####teamcity[buildStop]", "####teamcity\\[buildStop]"),
            ("#[a] ## [b] ##a b[c] # #[d]", "#[a] ## [b] ##a b[c] # #[d]"),
            ("section_start:1:a\r\u{1b}[0Kb", "section_start:1:a\\u{d}\\u{1b}[0Kb"),
            ("a\r::error::\r\n::b", "a\\u{d}::error::\r\n:\\:b"),
            ("\u{202e}\u{9b}2J", "\\u{202e}\\u{9b}2J"),
        ] {
            assert_eq!(written(PLAIN, &[text]), expected);
        }
    }

    proptest! {
        #[test]
        fn plain_texts_leave_the_same_state_in_short(before in "[ :a\n]{0,4}", text in "[ :a#\n]{0,12}") {
            for notation in [PLAIN, Notation::Json, Notation::Dot, Notation::Values] {
                let mut guard = Guard::new(Vec::new(), notation);
                guard.guarded(&before);
                let expected = behind_plain(guard.state, text.as_bytes());
                let changed = guard.guarded(&text);
                prop_assert!(expected.is_none() || (changed.is_none() && expected == Some(guard.state)));
            }
        }
    }

    #[test]
    fn only_colours_pass_and_only_where_they_are_wanted() {
        let text = "\u{1b}[1m\u{1b}[38;5;9m ::error\u{1b}[0m\u{1b}[2J\u{1b}]0;t\u{7}";
        let harmless = "\\u{1b}[2J\\u{1b}]0;t\\u{7}";
        let expected = format!("\u{1b}[1m\u{1b}[38;5;9m :\\:error\u{1b}[0m{harmless}");
        assert_eq!(written(Notation::Text(Color::Always), &[text]), expected);
        assert!(!written(PLAIN, &[text]).contains('\u{1b}'));
    }

    #[test]
    fn drawings_and_values_stay_what_they_are() {
        assert_eq!(written(Notation::Dot, &["[label=\"##[a]\u{1b}\"];"]), "[label=\"##\\\\[a]\\\\u{1b}\"];");
        assert_eq!(written(Notation::Values, &["::a\t1\t::a\n1\t ::a\ta::b"]), ":\\:a\t1\t:\\:a\n1\t :\\:a\ta::b");
    }

    #[test]
    fn half_a_character_is_replaced() {
        let mut guard = Guard::new(Vec::new(), PLAIN);
        guard.write_all(b"a\xff\xc3").unwrap();
        assert_eq!(String::from_utf8(guard.out).unwrap(), "a\u{fffd}\u{fffd}");
    }

    proptest! {
        #[test]
        fn nothing_harmful_comes_out(parts in prop::collection::vec("[ a\t\r\n:#\\[vö\u{1b}m0\u{85}\u{a0}\u{202e}]{0,12}", 0..6)) {
            let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
            for notation in [PLAIN, Notation::Dot, Notation::Values, Notation::Text(Color::Always)] {
                let text = written(notation, &parts);
                prop_assert_eq!(command(&text), None);
                prop_assert_eq!(&written(notation, &[&text]), &text, "a second guard changes nothing");
            }
            let text = written(PLAIN, &parts);
            let harmful = text.replace("\r\n", "\n").chars().find(|it| !matches!(it, '\n' | '\t') && is_harmful(*it));
            prop_assert_eq!(harmful, None);
        }

        #[test]
        fn json_stays_the_same_document(values in prop::collection::btree_map(KEY, "[ :#\\[a\u{9b}]{0,12}", 0..6)) {
            let mut document = Vec::new();
            crate::json::write(&values, &mut document).unwrap();
            let document = String::from_utf8(document).unwrap();
            prop_assert_eq!(command(&document), None);
            prop_assert!(!document.chars().any(|it| it != '\n' && is_harmful(it)));
            prop_assert_eq!(&written(PLAIN, &[&document]), &document);
            let read: std::collections::BTreeMap<String, String> = serde_json::from_str(&document).unwrap();
            prop_assert_eq!(read, values);
        }
    }
}
