//! Questions as shape analysis asks them, generated from a seed.

use harp::shape::notation::{Condition, parse_condition};

/// A number in a question.
#[derive(Clone, Debug)]
pub struct Variable {
    pub name: &'static str,
    pub lower: i64,
    pub upper: Option<i64>,
    /// It is a setting with this default.
    pub default: Option<i64>,
}

/// Whether a claim holds, given facts.
#[derive(Clone, Debug)]
pub struct Question {
    pub variables: Vec<Variable>,
    pub facts: Vec<Condition>,
    pub claim: Condition,
}

const NAMES: [&str; 6] = ["a", "b", "c", "d", "e", "f"];

/// What the facts are and what is claimed: `$x` is a variable, `#k` a number; the same letter is the same one. Most claims are true, some
/// are false, some are open, and the generator spoils a part of them.
const PATTERNS: &[(&str, &str)] = &[
    // Divisibility: heads, groups, patches, reshapes.
    ("", "$a % #k == 0"),
    ("$a % #k == 0", "$a//#k*#k == $a"),
    ("$a % #k == 0", "$a % #m == 0"),
    ("$a % (#k*#m) == 0", "$a % #k == 0"),
    ("$a % (#k*#m) == 0", "($a//#k) % #m == 0"),
    ("$a % #k == 0 and $a % #m == 0", "($a + #k*#m) % #k == 0"),
    ("$a % $b == 0", "$a//$b*$b == $a"),
    ("$a % $b == 0", "$a*$c % $b == 0"),
    ("$a % $b == 0 and $b % $c == 0", "$a % $c == 0"),
    ("$a % $b == 0", "$b <= $a"),
    ("$a % $b == 0", "$c*$b*($a//$b) == $c*$a"),
    ("", "$a*$b % $b == 0"),
    ("", "$a*$b//$b == $a"),
    ("", "(3*$a)//3 == $a"),
    ("", "$a*#k % #m == 0"),
    ("$a % #k == 0 and $b % #k == 0", "($a + $b) % #k == 0"),
    ("$a % #k == 0 and $b % #k == 0", "($a//#k)*($b//#k)*#k*#k == $a*$b"),
    ("$a % (#k*#k) == 0", "$a//(#k*#k)*#k*#k == $a"),
    ("$a % #k == #m", "($a - #m) % #k == 0"),
    ("", "$a//#k*#k + $a % #k == $a"),
    ("", "$a//$b*$b + $a % $b == $a"),
    ("", "$a % $b < $b"),
    ("", "$a % #k < #k"),
    ("$a % #k != 0", "$a % #k >= 1"),
    ("$a % #k != 0", "ceil_div($a, #k) == $a//#k + 1"),
    ("$a*#k == $b*#m", "$a*#k % #m == 0"),
    // Convolutions, pools, strides.
    ("", "($a + 2*#p - #k)//#s + 1 == $a"),
    ("$a >= #k", "($a - #k)//#s + 1 >= 1"),
    ("", "($a - #k)//#s + 1 >= 1"),
    ("", "($a - 1)//#s + 1 == ceil_div($a, #s)"),
    ("", "($a + 2*1 - 3)//#s + 1 == ceil_div($a, #s)"),
    ("$b == ($a + 2*#p - #k)//#s + 1", "$b <= $a + 2*#p"),
    ("$b == ($a - #k)//#s + 1 and $b >= 1", "$a >= #k"),
    ("", "(($a - 1)*#s + #k - #k)//#s + 1 == $a"),
    ("", "$a//2//2 == $a//4"),
    ("", "$a//#k//#m == $a//(#k*#m)"),
    ("", "$a//2*2 == $a"),
    ("", "$a//2*2 <= $a"),
    ("$a % 2 == 0", "$a//2*2 == $a"),
    ("$a % 16 == 0", "$a//2//2*2*2 == $a"),
    ("$a % 2 == 1", "($a - 1)//2 == $a//2"),
    ("", "($a + 1)//2 + $a//2 == $a"),
    ("", "$a - $a//2 == ($a + 1)//2"),
    ("", "2*($a//2) == $a or 2*($a//2) + 1 == $a"),
    ("$a//2 == $b", "$a >= 2*$b"),
    ("$a//#k == $b", "$a <= #k*$b + #k - 1"),
    ("$a//#k == #n", "$a >= #n"),
    ("$a//2 == $b and $a % 2 == 0", "$a == 2*$b"),
    ("", "($a + (-$a) % #k) % #k == 0"),
    ("", "$a + (-$a) % #k >= $a"),
    ("", "ceil_div($a, #k)*#k >= $a"),
    ("", "ceil_div($a, #k)*#k - $a < #k"),
    ("", "ceil_div($a, #k) == ($a + #k - 1)//#k"),
    ("", "ceil_div($a, $b)*$b >= $a"),
    ("$a >= $b", "$a//$b >= 1"),
    ("$a < $b", "$a//$b == 0"),
    ("", "$a//$b <= $a"),
    ("$a <= $b", "$a//#k <= $b//#k"),
    ("", "($a + $b)//#k >= $a//#k + $b//#k"),
    // Products: views, flattening.
    ("", "$a*$b*$c == $c*$a*$b"),
    ("$a == $b*$c", "$a % $b == 0"),
    ("$a == $b*$c", "$a//$b == $c"),
    ("$a == $b*$c and $b == #k", "$a == #k*$c"),
    ("$a*$b == $c*$d and $a == $c", "$b == $d"),
    ("$a*$b == $a*$c", "$b == $c"),
    ("$a*$b == #n", "$a <= #n"),
    ("$a*$b == #n and $a == #k", "$b*#k == #n"),
    ("$a*#k == $b*#k*#m", "$a == $b*#m"),
    ("$a*#k == $b*#m", "$a*#k*$c == $b*#m*$c"),
    ("", "$a*$b >= $a"),
    ("$a >= $b", "$a*$c >= $b*$c"),
    ("$a > $b", "$a*$c > $b*$c"),
    ("$a*$a == $b*$b", "$a == $b"),
    ("", "($a + 1)*($a - 1) == $a*$a - 1"),
    ("", "($a + $b)*$c == $a*$c + $b*$c"),
    ("$a == $b", "$a*$c == $b*$c"),
    ("$a*$b*$c == #n", "#n % $a == 0"),
    ("$a*98304 == $a*$b", "$b == 98304"),
    // Equalities and bounds of paths.
    ("$a == $b and $b == $c", "$a == $c"),
    ("$a == $b + #k and $b == $c", "$a == $c + #k"),
    ("$a + $b == $c", "$c - $a == $b"),
    ("$a + $b == $c and $c == #n", "$a <= #n"),
    ("$a <= $b and $b <= $c", "$a <= $c"),
    ("$a <= $b and $b < $c", "$a != $c"),
    ("$a + #k <= $b and $b + #m <= $c", "$a + #k <= $c"),
    ("$a <= $b and $b <= $a", "$a == $b"),
    ("$a < $b", "$a + 1 <= $b"),
    ("$a != 1", "$a > 1"),
    ("$a != $b and $a <= $b", "$a < $b"),
    ("$a != #k", "$a > #k or $a < #k"),
    ("$a >= #k", "$a > #m"),
    ("$a > #k", "$a - #k >= 1"),
    ("$a == 2*$b and $c == 2*$d and $a == $c", "$b == $d"),
    ("$a - $b == $c - $d and $b == $d", "$a == $c"),
    ("$a == #k or $a == #m", "$a <= #n"),
    ("$a == #k or $a == #m", "$a % 2 == 0"),
    ("$a == #k or $a == $b", "$a != $b or $a == $b"),
    ("$a == 1 or $b == 1", "$a*$b == $a or $a*$b == $b"),
    ("not ($a == $b)", "$a < $b or $b < $a"),
    ("not ($a > #k and $b > #k)", "$a <= #k or $b <= #k"),
    ("$a > #k or $b > #k", "max($a, $b) > #k"),
    // Broadcasting.
    ("", "$a == $b or $a == 1 or $b == 1"),
    ("$a == $b or $a == 1 or $b == 1", "max($a, $b) == $a or max($a, $b) == $b"),
    ("$a == $b or $b == 1", "max($a, $b) == $a"),
    ("$a == $b or $a == 1 or $b == 1", "max($a, $b) % $a == 0"),
    ("$a == $b or $a == 1 or $b == 1 and $a > 1", "$b <= $a"),
    ("$a == $b or $a == 1", "$b % $a == 0"),
    ("$a != 1 and ($a == $b or $a == 1 or $b == 1)", "$b == 1 or $b == $a"),
    ("$a > 1 and $b > 1 and ($a == $b or $a == 1 or $b == 1)", "$a == $b"),
    // Slices and batches.
    ("", "min($a, #k) <= #k"),
    ("$a <= #k", "min($a, #k) == $a"),
    ("$a >= #k", "min($a, #k) == #k"),
    ("$a >= #k", "max(0, $a - #k) == $a - #k"),
    ("", "max($a - #k, 0) + min($a, #k) == $a"),
    ("", "min($a, $b) + max($a, $b) == $a + $b"),
    ("", "min($a, $b) <= $a"),
    ("", "min($a, $b)*max($a, $b) == $a*$b"),
    ("$a <= $b", "min($a, #k) <= min($b, #k)"),
    ("", "max(0, min($a, #k) - #m) <= $a"),
    ("$c <= $a", "max(0, min($b, $a) - $c) <= $a"),
    ("$a > 1", "max($a - 1, 1) == $a - 1"),
    ("$a % #k != 0", "$a - $a//#k*#k >= 1"),
    ("", "ceil_div($a, #k) - $a//#k <= 1"),
    ("$a > #k", "ceil_div($a, #k) >= 2"),
    ("", "min($a//#k*#k + #k, $a) == $a"),
    ("$b < ceil_div($a, #k) and $b >= 0", "min(#k, $a - $b*#k) >= 1"),
    ("$b < ceil_div($a, #k)", "$b*#k < $a"),
    ("$a == min($b, #k) and $b > #k", "$a == #k"),
];

/// Numbers as they occur in programs.
const NUMBERS: [i64; 20] = [1, 2, 2, 2, 3, 3, 4, 4, 5, 6, 7, 8, 8, 10, 16, 16, 32, 64, 128, 784];

/// Steele, Lea and Flood's SplitMix64.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    fn is_one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    fn choose<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }
}

/// A question: three in five from a pattern, the others at random.
pub fn question(random: &mut Random) -> Question {
    let (facts, claim) = if random.below(5) < 3 { from_pattern(random) } else { at_random(random) };
    let mut facts: Vec<String> = facts;
    if random.is_one_in(4) {
        // What is known beside it.
        let name = random.choose(&NAMES[..3]);
        let number = random.choose(&NUMBERS);
        facts.push(format!("{name} {} {number}", random.choose(&["<=", ">=", ">", "!=", "<"])));
    }
    let is_about_settings = random.is_one_in(10);
    let variables = NAMES.map(|name| {
        let lower = i64::from(!random.is_one_in(5));
        let upper = random.is_one_in(8).then(|| lower + random.choose(&NUMBERS));
        let default = (is_about_settings && !random.is_one_in(4))
            .then(|| random.choose(&NUMBERS).clamp(lower, upper.unwrap_or(i64::MAX)));
        Variable { name, lower, upper, default }
    });
    let read = |text: &String| parse_condition(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    let (facts, claim): (Vec<Condition>, Condition) = (facts.iter().map(read).collect(), read(&claim));
    let mut used = Vec::new();
    facts
        .iter()
        .chain([&claim])
        .for_each(|condition| condition.for_each_name(&mut |name, _| used.push(name.to_owned())));
    let variables = variables.into_iter().filter(|variable| used.iter().any(|name| name == variable.name)).collect();
    Question { variables, facts, claim }
}

fn from_pattern(random: &mut Random) -> (Vec<String>, String) {
    let (facts, claim) = random.choose(PATTERNS);
    let mut names = NAMES;
    for index in (1..names.len()).rev() {
        names.swap(index, random.below(index + 1));
    }
    // Now and then two variables are the same one.
    if random.is_one_in(12) {
        names[1] = names[0];
    }
    let numbers: Vec<i64> = (0..26).map(|_| random.choose(&NUMBERS)).collect();
    let fill = |text: &str| {
        let mut filled = String::new();
        let mut characters = text.chars();
        while let Some(character) = characters.next() {
            let mut letter = || characters.next().map_or(0, |letter| letter as usize - 'a' as usize);
            match character {
                '$' => filled.push_str(names[letter()]),
                '#' => filled.push_str(&numbers[letter()].to_string()),
                other => filled.push(other),
            }
        }
        filled
    };
    let (mut facts, mut claim): (Vec<String>, String) = (vec![fill(facts)], fill(claim));
    facts.retain(|fact| !fact.is_empty());
    if random.is_one_in(3) {
        claim = spoilt(&claim, random);
    }
    if random.is_one_in(12) {
        facts.pop();
    }
    if random.is_one_in(10) {
        claim = format!("not ({claim})");
    }
    (facts, claim)
}

/// The text with one number or one comparison changed.
fn spoilt(text: &str, random: &mut Random) -> String {
    let words: Vec<&str> = text.split(' ').collect();
    let place = random.below(words.len());
    let mut changed: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
    let comparisons = ["==", "!=", "<", "<=", ">", ">="];
    changed[place] = match words[place] {
        word if comparisons.contains(&word) => random.choose(&comparisons).to_owned(),
        "+" => "-".to_owned(),
        "-" => "+".to_owned(),
        word if word.parse::<i64>().is_ok() => random.choose(&NUMBERS).to_string(),
        word if NAMES.contains(&word) => format!("({word} + 1)"),
        word => word.to_owned(),
    };
    changed.join(" ")
}

fn at_random(random: &mut Random) -> (Vec<String>, String) {
    let facts = (0..random.below(3)).map(|_| comparison(random, 1)).collect();
    let claim = match random.below(10) {
        0 => format!("{} or {}", comparison(random, 1), comparison(random, 1)),
        1 => format!("{} and {}", comparison(random, 1), comparison(random, 1)),
        2 => format!("not ({})", comparison(random, 1)),
        _ => comparison(random, 2),
    };
    (facts, claim)
}

fn comparison(random: &mut Random, depth: usize) -> String {
    let operator = random.choose(&["==", "==", "==", "!=", "<", "<=", ">", ">="]);
    if random.is_one_in(5) {
        return format!("{} % {} == 0", operand(random, depth), operand(random, 0));
    }
    format!("{} {operator} {}", number(random, depth), number(random, depth.saturating_sub(1)))
}

fn number(random: &mut Random, depth: usize) -> String {
    if depth == 0 {
        return leaf(random);
    }
    let (left, right) = (operand(random, depth - 1), operand(random, depth - 1));
    match random.below(12) {
        0..3 => format!("{left} + {right}"),
        3..5 => format!("{left} - {right}"),
        5..7 => format!("{left}*{right}"),
        7 => format!("{left}//{}", divisor(random)),
        8 => format!("{left} % {}", divisor(random)),
        9 => format!("min({left}, {right})"),
        10 => format!("max({left}, {right})"),
        _ => format!("ceil_div({left}, {})", divisor(random)),
    }
}

fn operand(random: &mut Random, depth: usize) -> String {
    if depth == 0 || random.is_one_in(2) { leaf(random) } else { format!("({})", number(random, depth)) }
}

/// Mostly a number: programs seldom divide by what they do not know.
fn divisor(random: &mut Random) -> String {
    if random.is_one_in(4) { random.choose(&NAMES[..4]).to_owned() } else { random.choose(&NUMBERS).to_string() }
}

fn leaf(random: &mut Random) -> String {
    if random.is_one_in(3) { random.choose(&NUMBERS).to_string() } else { random.choose(&NAMES[..4]).to_owned() }
}
