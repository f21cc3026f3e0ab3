//! Rewrites: edits that a program can apply, and what is not shown as one.

use std::process::Command;

use serde_json::Value;

use crate::common::folder;

fn checked(files: &[(&str, &str)], more: &[&str]) -> String {
    let folder = folder(files);
    let mut command = Command::new(env!("CARGO_BIN_EXE_harp"));
    let output = command.current_dir(folder.path()).args(["check", "."]).args(more).output().expect("it starts");
    String::from_utf8(output.stdout).expect("UTF-8")
}

fn report(files: &[(&str, &str)], more: &[&str]) -> Value {
    let more = [&["--format", "json"], more].concat();
    serde_json::from_str(&checked(files, &more)).expect("JSON")
}

/// The file after the only edits of a report, and whether they are safe.
fn rewritten(text: &str) -> Option<(String, Option<String>)> {
    rewritten_with(text, &[])
}

fn rewritten_with(text: &str, options: &[&str]) -> Option<(String, Option<String>)> {
    let report = report(&[("a.py", text)], options);
    let findings = report["findings"].as_array().expect("findings").iter();
    let with_edits: Vec<&Value> =
        findings.filter(|it| it["edits"].as_array().is_some_and(|it| !it.is_empty())).collect();
    let [finding] = with_edits[..] else { return None };
    let mut edits: Vec<&Value> = finding["edits"].as_array().expect("edits").iter().collect();
    edits.sort_by_key(|edit| edit["bytes"]["start"].as_u64());
    let mut edited = text.to_owned();
    for edit in edits.iter().rev() {
        let at = |end: &str| edit["bytes"][end].as_u64().expect("a byte") as usize;
        edited.replace_range(at("start")..at("end"), edit["replacement"].as_str().expect("a text"));
    }
    Some((edited, finding["unsafe_because"].as_str().map(str::to_owned)))
}

const LOOP: &str = "import numpy as np\n\na, b = np.zeros(1000), np.ones(1000)\nif True:\n    for i in range(1000):\n        a[i] = b[i] * 2\nprint(a.sum())\n";

#[test]
fn an_edit_can_be_applied_by_a_program() {
    let (edited, reason) = rewritten(LOOP).expect("an edit");
    assert_eq!(
        edited,
        "import numpy as np\n\na, b = np.zeros(1000), np.ones(1000)\nif True:\n    a[:1000] = b[:1000] * 2\nprint(a.sum())\n"
    );
    assert_eq!(reason, None);
    let report = report(&[("a.py", LOOP)], &[]);
    assert_eq!(report["findings"][0]["applicability"], "safe");
    assert_eq!(report["findings"][0]["suggestion"], "a[:1000] = b[:1000] * 2");
    assert_eq!(report["summary"]["rewrites"]["checked"], 1);
}

#[test]
fn one_element_beside_others_may_give_them_another_type() {
    let text = |before: &str, value: &str| {
        format!(
            "import torch\nx, z = torch.arange(250, dtype=torch.uint8), torch.arange(250)\nf = torch.rand(250)\n{before}\n\
             y = torch.zeros(250)\nfor i in range(250):\n    y[i] = {value}\n"
        )
    };
    let why = "an element that is the same in all iterations may give the result another type";
    for (before, value) in [
        ("", "x[i] * z[3]"),
        ("", "-z[3] + x[i]"),
        ("", "x[i] * abs(z[3])"),
        ("class H: pass\nh = H()\nh.z = z", "x[i] - h.z[0]"),
        ("", "x[i] * torch.sqrt(z[2])"),
    ] {
        let (_, reason) = rewritten(&text(before, value)).expect("an edit");
        assert!(reason.as_deref().is_some_and(|reason| reason.contains(why)), "{value}: {reason:?}");
    }
    let (_, reason) = rewritten(&text("pair = [z[1], z[2]]", "x[i] * pair[1]")).expect("an edit");
    assert!(reason.is_some_and(|reason| reason.contains("may be no plain number")));
    for (before, value) in
        [("", "z[i] * z[3]"), ("", "f[i] * z[3]"), ("", "z[i] * f[3]"), ("w = [0.5, 2.0]", "f[i] * w[1]")]
    {
        let (_, reason) = rewritten(&text(before, value)).expect("an edit");
        assert!(!reason.unwrap_or_default().contains(why), "{value}");
    }
}

#[test]
fn lines_end_as_in_the_file() {
    let text = "import torch\r\nD, X = torch.rand(512, 512), torch.rand(512, 512)\r\ntotal = torch.zeros(512, 512)\r\nfor step in range(100):\r\n    total = total + D @ X\r\n";
    let (edited, _) = rewritten(text).expect("an edit");
    let tail = "product = D @ X\r\nfor step in range(100):\r\n    total = total + product\r\n";
    assert!(edited.ends_with(tail), "{edited}");
}

#[test]
fn a_statement_moves_and_leaves_its_block_whole() {
    let text =
        "import torch\nD, X = torch.rand(512, 512), torch.rand(512, 512)\nfor step in range(100):\n    t = D @ X\n";
    let (edited, _) = rewritten(text).expect("an edit");
    // A loop of which nothing is left goes with it,
    assert!(edited.ends_with("torch.rand(512, 512)\nt = D @ X\n"), "{edited}");
    // unless its variable is read, or something else is in it.
    assert_eq!(rewritten(&format!("{text}print(step)\n")), None);
    let text = text.replace("    t", "    if step < 0:\n        print(1)\n    t");
    let (edited, _) = rewritten(&text).expect("an edit");
    assert!(edited.ends_with("t = D @ X\nfor step in range(100):\n    if step < 0:\n        print(1)\n"), "{edited}");
}

#[test]
fn what_is_lost_makes_an_edit_unsafe() {
    let text = LOOP.replace("        a[i]", "        # twice\n        a[i]");
    let (_, reason) = rewritten(&text).expect("an edit");
    assert_eq!(reason.as_deref(), Some("the comment in line 6 is lost"));
    let text = checked(&[("a.py", &text)], &[]);
    assert!(text.contains("help: write instead (unsafe: the comment in line 6 is lost)"), "{text}");
}

/// The finding is there, without code, for this reason.
fn withheld(text: &str, reason: &str) {
    let report = report(&[("a.py", text)], &[]);
    let findings = report["findings"].as_array().expect("findings");
    assert!(findings.iter().all(|finding| finding["edits"].as_array().is_some_and(Vec::is_empty)), "{report:#}");
    assert!(findings.iter().all(|finding| finding["suggestion"].is_null()), "{report:#}");
    assert_eq!(report["summary"]["rewrites"]["withheld"][0]["reason"], reason, "{report:#}");
}

#[test]
fn what_a_check_does_not_confirm_is_not_shown() {
    let lists =
        "prices, doubled = [1.0] * 1000, [0.0] * 1000\nfor i in range(1000):\n    doubled[i] = prices[i] * 2 + 1\n";
    withheld(lists, "it reads a name that is not there");
    let taken = "import torch\nproduct = 3\nD, X = torch.rand(512, 512), torch.rand(512, 512)\ntotal = torch.zeros(512, 512)\n\
                 for step in range(100):\n    total = total + D @ X\nprint(product)\n";
    withheld(taken, "it assigns a name that is in use");
    let short = "import numpy as np\na, b = np.zeros(1000), np.ones(500)\nfor i in range(1000):\n    a[i] = b[i] * 2\n";
    withheld(short, "something else would be found");
}

#[test]
fn checks_are_bounded_and_what_is_left_is_told() {
    let names: Vec<String> = (0..52).map(|number| format!("a{number}.py")).collect();
    let short = LOOP.replace("1000", "50");
    let files: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), short.as_str())).collect();
    let out = checked(&files, &[]);
    assert_eq!(out.matches("write instead").count(), 50);
    assert!(out.contains("50 rewrites checked; 2 more not checked, and not shown as code"), "{out}");
}

#[test]
fn other_files_that_use_the_edited_one_are_looked_at() {
    let library = "import numpy as np\n\ndef double(b):\n    a = np.zeros(1000)\n    for i in range(1000):\n        a[i] = b[i] * 2\n    return a\n";
    let main = "import numpy as np\nfrom library import double\n\nprint(double(np.ones(1000)) + np.ones(1000))\n";
    let report = report(&[("library.py", library), ("main.py", main), ("other.py", "x = 1\n")], &[]);
    assert_eq!(report["findings"][0]["suggestion"], "a[:1000] = b[:1000] * 2", "{report:#}");
}

const PACK: [(&str, &str); 3] = [
    (
        "acme/harp-pack.toml",
        "name = \"acme\"\nversion = \"0.1.0\"\nschema_version = 1\nlicence = \"MIT\"\ndescription = \"tests\"\n",
    ),
    (
        "acme/rules/made.dl",
        "/// A call that another one replaces.\n/// @id acme/made   @message \"made anew\"   @at e\n\
         /// @edit e \"{new}\"   @unsafe \"{why}\"\n.decl made(e: Expr, new: symbol, why: symbol)\n\
         made(e, \"torch.zeros(3)\", \"\") :- call(e, _, \"torch.ones\").\n\
         made(e, \"torch.zeros(4)\", \"values differ\") :- call(e, _, \"torch.eye\").\n",
    ),
    ("acme/made.md", "# acme/made\n\nA call that another one replaces.\n"),
];

#[test]
fn rules_of_users_give_edits() {
    let with = |program: &str| report(&[&PACK[..], &[("a.py", program)]].concat(), &["--pack", "acme"]);
    let same = with("import torch\nx = torch.ones(3)\nprint(x)\n");
    assert_eq!(same["findings"][0]["edits"][0]["replacement"], "torch.zeros(3)", "{same:#}");
    assert_eq!(same["findings"][0]["applicability"], "safe");
    // Here it would have another shape.
    let other = with("import torch\nx = torch.ones(5)\nprint(x)\n");
    assert!(other["findings"][0]["edits"].as_array().is_some_and(Vec::is_empty), "{other:#}");
    assert_eq!(
        other["summary"]["rewrites"]["withheld"][0]["reason"], "an expression would have another value",
        "{other:#}"
    );
}

#[test]
fn notebooks_have_edits_without_bytes_and_no_fixes() {
    let cell = "[\"import numpy as np\\n\", \"a, b = np.zeros(1000), np.ones(1000)\\n\", \"for i in range(1000):\\n\", \"    a[i] = b[i] * 2\"]";
    let notebook = format!(
        "{{\"cells\": [{{\"cell_type\": \"code\", \"source\": {cell}}}, {{\"cell_type\": \"code\", \"source\": [\"print(a.sum())\"]}}], \
         \"metadata\": {{}}, \"nbformat\": 4, \"nbformat_minor\": 5}}"
    );
    let report = report(&[("a.ipynb", &notebook)], &[]);
    let edit = &report["findings"][0]["edits"][0];
    assert_eq!((&edit["replacement"], &edit["bytes"]), (&Value::from("a[:1000] = b[:1000] * 2"), &Value::Null));
    let sarif = checked(&[("a.ipynb", &notebook)], &["--format", "sarif"]);
    assert!(!sarif.contains("\"fixes\""));
    assert!(checked(&[("a.py", LOOP)], &["--format", "sarif"]).contains("\"fixes\""));
}

#[test]
fn what_is_said_once_stands_before_the_outermost_loop() {
    let text = "import torch\nfrom torch import nn\nfrom torch.utils.data import DataLoader, TensorDataset\n\nnet = nn.Conv2d(3, 16, 3).cuda()\n\
        data = TensorDataset(torch.rand(100, 3, 32, 32), torch.zeros(100))\nloader = DataLoader(data, batch_size=32, drop_last=True)\n\
        for epoch in range(10):\n    for x, y in loader:\n        net(x.cuda()).sum().backward()\n";
    let expected = text.replace("for epoch", "torch.backends.cudnn.benchmark = True\nfor epoch");
    let told = rewritten_with(text, &["--select", "harp/untuned-convolutions"]);
    assert_eq!(told.map(|(text, _)| text), Some(expected));
}

#[test]
fn what_moves_leaves_no_assignment_behind_that_nothing_reads() {
    let text = "import torch\nD, X = torch.rand(512, 512), torch.rand(512, 512)\ntotal = torch.zeros(512, 512)\nfor step in range(100):\n    S = D + X\n    \
        P = S @ X\n    total = total + P\n";
    let (edited, _) = rewritten(text).expect("an edit");
    assert!(edited.ends_with("S = D + X\nP = S @ X\nfor step in range(100):\n    total = total + P\n"), "{edited}");
    let (edited, _) = rewritten(&text.replace("total + P", "total + P + S")).expect("an edit");
    assert!(edited.ends_with("for step in range(100):\n    S = D + X\n    total = total + P + S\n"), "{edited}");
}
