//! `harp check --coverage`: what to do about something that was not followed.

use harp_python::is_standard_library;
use harp_trace::{AFTER_END, NOT_DECIDED};

/// Who knows what the run had at hand.
pub(super) struct Advisor {
    /// The packages that Harp knows annotations of.
    pub packages: Vec<String>,
    /// Whether an environment was given.
    pub has_environment: bool,
}

impl Advisor {
    /// The kind of a gap, in one word, and what to do about it.
    pub fn advise(&self, what: &str) -> (&'static str, String) {
        if let Some(budget) = what.strip_suffix(" ran out") {
            return ("budget", of_budget(budget).to_owned());
        }
        if what.contains("syntax error") {
            return ("syntax", "fix the syntax error; the code is not analysed".to_owned());
        }
        if what.starts_with("the name `") || what.ends_with("which the module does not define") {
            return ("name", "define or import it; names that are set at run time are not followed".to_owned());
        }
        if let Some(name) = api_name(what).filter(|_| !what.ends_with(NOT_DECIDED)) {
            return self.of_api(name);
        }
        if what.starts_with("call of ") || what.starts_with("attribute: ") {
            let advice = "annotate the parameter or variable, or say what it is: `# harp: assume x: [b, 3]` (docs/assumptions.md)";
            return ("value", advice.to_owned());
        }
        if ["getattr ", "setattr ", "statement: ", "recursion ", "a class that is made"]
            .iter()
            .any(|it| what.starts_with(it))
        {
            return ("dynamic", "Harp does not follow this; write it differently, or annotate the result".to_owned());
        }
        ("size", "state the sizes: annotate them, or `# harp: assume` (docs/assumptions.md)".to_owned())
    }

    /// What helps against a reason for which an entry is incomplete, as a noun; `None` where nothing short does.
    pub fn hint(&self, reason: &str) -> Option<String> {
        let limits =
            ["step limit (`--effort high` or `--steps`)", "memory limit (`--memory`)", "time limit (`--time-limit`)"];
        if let Some(limit) = limits.iter().find(|limit| reason.ends_with(**limit)) {
            let option = limit.split('`').nth(1)?;
            return Some(format!("`{option}`"));
        }
        if reason.starts_with("stopped") || reason == AFTER_END {
            return None;
        }
        let (kind, _) = self.advise(reason);
        match (kind, self.has_environment) {
            ("package", false) => Some("the sources of installed packages (`--python ENV`)".to_owned()),
            ("package", true) => {
                let package = api_name(reason)?.split('.').next()?;
                Some(format!("`{package}` in the environment of `--python`"))
            }
            ("api", _) => {
                let name = api_name(reason)?;
                let is_standard = is_standard_library(name.split('.').next()?);
                (!is_standard).then(|| format!("a description of `{name}` (`--annotations`)"))
            }
            ("value" | "size", _) => Some("an annotation such as `# harp: assume x: [b, 3]`".to_owned()),
            _ => None,
        }
    }

    fn of_api(&self, name: &str) -> (&'static str, String) {
        let package = name.split('.').next().unwrap_or(name);
        if is_standard_library(package) || self.packages.iter().any(|known| known == package) {
            let advice = format!("describe `{name}` in a file for `--annotations` (docs/annotations.md)");
            return ("api", advice);
        }
        let advice = match self.has_environment {
            true => format!("install `{package}` into the environment that `--python` names"),
            false => format!("install `{package}` into an environment and give it: `--python ENV`"),
        };
        let otherwise = format!(", or describe it: `harp new-pack --library {package}`");
        ("package", advice + &otherwise)
    }
}

/// The qualified name of what is called: words with dots between them, perhaps with what is wrong behind a colon or comma.
fn api_name(what: &str) -> Option<&str> {
    let name = what.split([':', ',', ' ']).next()?;
    let is_word = |word: &str| word.chars().all(|letter| letter.is_alphanumeric() || letter == '_') && !word.is_empty();
    (name.contains('.') && name.split('.').all(is_word)).then_some(name)
}

fn of_budget(budget: &str) -> &'static str {
    match budget {
        "memory" => "give the analysis more: `--memory SIZE`",
        "time" => "give the analysis more: `--time-limit SECONDS`",
        "a defect in Harp" => "this is a defect of Harp and not of the program; a report of it is welcome",
        _ => "raise the step limit: `--effort high`, or `--steps COUNT`",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_has_a_hint_where_something_short_helps() {
        let hint = |what: &str, has_environment| {
            Advisor { packages: vec!["torch".to_owned()], has_environment }.hint(what).unwrap_or_default()
        };
        assert_eq!(hint(&crate::pipeline::stopped_at("steps"), false), "`--effort high`");
        assert_eq!(hint(&crate::pipeline::stopped_at("memory"), false), "`--memory`");
        assert_eq!(hint("elsewhere.change", false), "the sources of installed packages (`--python ENV`)");
        assert_eq!(hint("elsewhere.change", true), "`elsewhere` in the environment of `--python`");
        assert_eq!(hint("torch.nn.New: it is not known", false), "a description of `torch.nn.New` (`--annotations`)");
        for (decided_by, expected) in [
            (format!("torch.matmul: {NOT_DECIDED}"), "an annotation such as `# harp: assume x: [b, 3]`"),
            ("builtins.int.log".to_owned(), ""),
            ("stopped: copied items".to_owned(), ""),
            ("a syntax error".to_owned(), ""),
        ] {
            assert_eq!(hint(&decided_by, false), expected, "{decided_by}");
        }
    }

    #[test]
    fn each_gap_has_something_to_do() {
        let advisor = Advisor { packages: vec!["torch".to_owned()], has_environment: false };
        for (what, kind, part) in [
            ("elsewhere.change", "package", "install `elsewhere` into an environment"),
            ("torch.nn.New: it is not known", "api", "describe `torch.nn.New`"),
            ("os.environb", "api", "--annotations"),
            ("call of `self.a.go`, of which nothing is known", "value", "annotate"),
            ("the name `x`, which is not defined", "name", "define"),
            ("steps ran out", "budget", "--effort high"),
            ("memory ran out", "budget", "--memory"),
            ("getattr with a computed name", "dynamic", "does not follow"),
            ("a syntax error", "syntax", "syntax error"),
            ("`a` and `b` may differ", "size", "assume"),
        ] {
            let (told, advice) = advisor.advise(what);
            assert_eq!(told, kind, "{what}");
            assert!(advice.contains(part), "{what}: {advice}");
        }
    }
}
