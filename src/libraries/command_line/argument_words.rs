//! The words of the analysed program's command line, divided among declared options as `argparse` does it.

use harp_corpus::Span;
use harp_interp::values::value::Value;
use harp_python::name::Name;

/// An option or positional argument of a parser.
#[derive(Debug, Clone)]
pub struct Declared {
    /// The attribute that holds its value.
    pub destination: String,
    /// As the program declares them: `-n`, `--name`, or the name of a positional argument.
    pub flags: Vec<String>,
    pub is_positional: bool,
    /// The `type`, by which words are converted; `None` for text.
    pub conversion: Value,
    pub default: Value,
    pub action: Action,
    pub arity: Arity,
    /// Whether the program cannot run without it.
    pub is_required: bool,
    pub constant: Value,
    /// The values that it may have; `None` where it may have any.
    pub choices: Value,
    /// The class of an action of the program's own.
    pub custom: Value,
    /// Flags that turn a switch off, besides `--no-…`.
    pub negations: Vec<String>,
    pub span: Span,
}

/// What an option does with its words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    Store,
    StoreTrue,
    StoreFalse,
    StoreConstant,
    /// `--flag` and `--no-flag`.
    Switch,
    Append,
    /// Each group's words one by one.
    Extend,
    /// The constant, each time.
    AppendConstant,
    Count,
    /// Help, version, or an action of the program's own.
    Ignored,
}

/// How many words an option takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arity {
    One,
    Exactly(usize),
    Optional,
    Any,
    Some,
    /// All words from there on, flags too.
    Remainder,
}

impl Action {
    pub fn named(name: &str) -> Action {
        match name {
            "store" => Action::Store,
            "store_true" => Action::StoreTrue,
            "store_false" => Action::StoreFalse,
            "store_const" => Action::StoreConstant,
            "append_const" => Action::AppendConstant,
            "append" => Action::Append,
            "extend" => Action::Extend,
            "count" => Action::Count,
            _ => Action::Ignored,
        }
    }

    fn takes_words(self) -> bool {
        matches!(self, Action::Store | Action::Append | Action::Extend)
    }
}

impl Arity {
    pub fn named(name: Option<&str>) -> Arity {
        match name {
            Some("?") => Arity::Optional,
            Some("+") => Arity::Some,
            Some("...") => Arity::Remainder,
            Some(_) => Arity::Any,
            None => Arity::One,
        }
    }

    fn bounds(self) -> (usize, usize) {
        match self {
            Arity::One => (1, 1),
            Arity::Exactly(count) => (count, count),
            Arity::Optional => (0, 1),
            Arity::Any | Arity::Remainder => (0, usize::MAX),
            Arity::Some => (1, usize::MAX),
        }
    }
}

impl Declared {
    /// Its longest flag, as users know it.
    pub fn label(&self) -> &str {
        self.flags.iter().max_by_key(|flag| flag.len()).map_or(&self.destination, |flag| flag)
    }

    /// Whether it takes one word, which is a number.
    pub fn is_number(&self) -> bool {
        let is_float = || match &self.conversion {
            Value::Library(name) => name.as_str() == "builtins.float",
            Value::Str(Some(name)) => &**name == "float",
            _ => false,
        };
        matches!(self.arity, Arity::One) && matches!(self.action, Action::Store) && (self.is_integer() || is_float())
    }

    /// Whether its words are integers.
    pub fn is_integer(&self) -> bool {
        match &self.conversion {
            Value::Library(name) => name.as_str() == "builtins.int",
            Value::Str(Some(name)) => matches!(&**name, "int" | "long"),
            _ => false,
        }
    }
}

/// The attribute that an option without `dest` is stored in.
pub fn destination(flags: &[String]) -> Option<String> {
    let long = flags.iter().find(|flag| flag.starts_with("--"));
    let flag = long.or_else(|| flags.first())?;
    Some(flag.trim_start_matches('-').replace('-', "_"))
}

/// The words that an option was given, a group for each time.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Given {
    pub groups: Vec<Vec<String>>,
    /// The first flag of the option that each group was given to: several may share what they are stored in.
    pub by: Vec<String>,
    /// `--no-flag` of a switch.
    pub is_negated: bool,
}

#[derive(Debug, Default, PartialEq, Eq)]
pub struct Parsed {
    pub given: Vec<(String, Given)>,
    pub rest: Vec<String>,
    /// The command that was chosen, with the words after it.
    pub command: Option<(String, Vec<String>)>,
}

/// Divides the words among the options; `commands` are the names of sub-commands.
pub fn parse(options: &[Declared], words: &[String], commands: &[&str]) -> Parsed {
    let mut parsed = Parsed::default();
    let mut loose: Vec<String> = Vec::new();
    // Where the words stand that no flag takes: what is left in the end is in the order of the command line.
    let mut places: Vec<usize> = Vec::new();
    let mut left: Vec<(usize, String)> = Vec::new();
    let mut position = 0;
    while let Some(word) = words.get(position) {
        position += 1;
        if commands.contains(&word.as_str()) {
            parsed.command = Some((word.clone(), words[position..].to_vec()));
            break;
        }
        if !is_flag(word) {
            loose.push(word.clone());
            places.push(position - 1);
            if takes_all_from(options, loose.len()) {
                loose.extend_from_slice(&words[position..]);
                places.extend(position..words.len());
                break;
            }
            continue;
        }
        let (flag, value) = match word.split_once('=') {
            Some((flag, value)) => (flag, Some(value.to_owned())),
            None => (word.as_str(), None),
        };
        if let Some(cluster) = cluster_of(options, word) {
            for option in cluster {
                give(&mut parsed, option, Vec::new(), false);
            }
            continue;
        }
        // `-k7` is `-k 7`.
        let attached = || {
            let (place, _) = word.char_indices().nth(2).filter(|_| !word.starts_with("--"))?;
            let (flag, value) = word.split_at(place);
            let (option, is_negated) = find(options, flag).filter(|(option, _)| option.action.takes_words())?;
            Some((option, is_negated, Some(value.strip_prefix('=').unwrap_or(value).to_owned())))
        };
        let found = find(options, flag).map(|(option, is_negated)| (option, is_negated, value));
        let Some((option, is_negated, value)) = found.or_else(attached) else {
            left.push((position - 1, word.clone()));
            continue;
        };
        let group = match value {
            Some(value) => vec![value],
            None if option.action.takes_words() => {
                let (_, most) = option.arity.bounds();
                let count = words[position..].iter().take(most).take_while(|word| !is_flag(word)).count();
                position += count;
                words[position - count..position].to_vec()
            }
            None => Vec::new(),
        };
        give(&mut parsed, option, group, is_negated);
    }
    give_positional(options, loose, &mut parsed);
    let kept = places.len() - parsed.rest.len();
    left.extend(places.split_off(kept).into_iter().zip(std::mem::take(&mut parsed.rest)));
    left.sort_by_key(|(place, _)| *place);
    parsed.rest = left.into_iter().map(|(_, word)| word).collect();
    parsed
}

/// Whether the positional argument that has the first of so many words, or one of them as its own, takes all further words as they are.
fn takes_all_from(options: &[Declared], count: usize) -> bool {
    let mut before = 0;
    for option in options.iter().filter(|option| option.is_positional) {
        if option.arity == Arity::Remainder {
            return count > before;
        }
        before += option.arity.bounds().0;
    }
    false
}

fn give(parsed: &mut Parsed, option: &Declared, group: Vec<String>, is_negated: bool) {
    let index = parsed.given.iter().position(|(known, _)| *known == option.destination);
    let index = index.unwrap_or_else(|| {
        parsed.given.push((option.destination.clone(), Given::default()));
        parsed.given.len() - 1
    });
    parsed.given[index].1.groups.push(group);
    parsed.given[index].1.by.push(option.flags.first().cloned().unwrap_or_default());
    parsed.given[index].1.is_negated = is_negated;
}

/// Positional arguments take the other words in order; one with an open number leaves what those after it need.
fn give_positional(options: &[Declared], mut loose: Vec<String>, parsed: &mut Parsed) {
    let positional: Vec<&Declared> = options.iter().filter(|option| option.is_positional).collect();
    for (index, option) in positional.iter().enumerate() {
        let needed: usize = positional[index + 1..].iter().map(|later| later.arity.bounds().0).sum();
        let (least, most) = option.arity.bounds();
        let count = loose.len().saturating_sub(needed).min(most);
        if count == 0 || count < least {
            continue;
        }
        let group = loose.drain(..count).collect();
        give(parsed, option, group, false);
    }
    parsed.rest.extend(loose);
}

/// The options that `-abc` stands for: several of one letter that take no words.
fn cluster_of<'a>(options: &'a [Declared], word: &str) -> Option<Vec<&'a Declared>> {
    let letters = word.strip_prefix('-').filter(|letters| letters.chars().count() > 1)?;
    if letters.starts_with('-') || options.iter().any(|option| option.flags.iter().any(|flag| flag == word)) {
        return None;
    }
    let named = |letter: char| {
        let flag = format!("-{letter}");
        options.iter().find(|option| option.flags.contains(&flag)).filter(|option| !option.action.takes_words())
    };
    letters.chars().map(named).collect()
}

/// A negative number is a value.
fn is_flag(word: &str) -> bool {
    word.len() > 1 && word.starts_with('-') && word.parse::<f64>().is_err()
}

/// The option that a flag names; a long one may be cut short where that is unambiguous.
fn find<'a>(options: &'a [Declared], flag: &str) -> Option<(&'a Declared, bool)> {
    if let Some(option) = options.iter().find(|option| option.flags.iter().any(|known| known == flag)) {
        return Some((option, false));
    }
    if let Some(option) = options.iter().find(|option| option.negations.iter().any(|known| known == flag)) {
        return Some((option, true));
    }
    if let Some(positive) = flag.strip_prefix("--no-") {
        let positive = format!("--{positive}");
        let switch = options.iter().find(|option| option.action == Action::Switch && option.flags.contains(&positive));
        if let Some(option) = switch {
            return Some((option, true));
        }
    }
    if !flag.starts_with("--") {
        return None;
    }
    let mut matching =
        options.iter().filter(|option| option.flags.iter().any(|known| known.starts_with(flag) && known != flag));
    let option = matching.next()?;
    matching.next().is_none().then_some((option, false))
}

/// The words without flags of these names and their values.
pub fn without_flags(words: Vec<String>, names: &[Name]) -> Vec<String> {
    let mut kept = Vec::with_capacity(words.len());
    let mut words = words.into_iter().peekable();
    while let Some(word) = words.next() {
        let Some(flag) = word.strip_prefix("--") else {
            kept.push(word);
            continue;
        };
        let name = Name::new(&flag.split('=').next().unwrap_or(flag).replace('-', "_"));
        if !names.contains(&name) {
            kept.push(word);
        } else if !flag.contains('=') {
            words.next_if(|next| !next.starts_with("--"));
        }
    }
    kept
}
