//! The bundled example is reported as its README says, and no more.

use std::path::Path;
use std::process::Command;

/// The findings of `harp check examples/digits` as (rule, file, the line's text).
fn findings() -> Vec<(String, String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let output = Command::new(env!("CARGO_BIN_EXE_harp"))
        .args(["check", "examples/digits", "--format", "json"])
        .current_dir(root)
        .output()
        .expect("the program starts");
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("the report is JSON");
    let mut findings: Vec<(String, String, String)> = report["findings"]
        .as_array()
        .expect("a list of findings")
        .iter()
        .map(|finding| {
            let path = finding["place"]["file"].as_str().expect("a path");
            let line = finding["place"]["start"]["line"].as_u64().expect("a line") as usize;
            let text = std::fs::read_to_string(root.join(path)).expect("the file is there");
            let line = text.lines().nth(line - 1).expect("the line is there").trim().to_owned();
            (finding["rule"].as_str().expect("a rule").to_owned(), path.to_owned(), line)
        })
        .collect();
    findings.sort();
    findings
}

#[test]
fn the_example_has_its_three_faults_and_no_other() {
    let expected = [
        ("shape/mismatch", "examples/digits/model.py", "x = F.relu(self.hidden(self.encoder(images)))"),
        ("shape/mismatch", "examples/digits/model.py", "drawn = self.decoder(torch.cat([features, noise], dim=1))"),
        (
            "harp/loop-invariant",
            "examples/digits/smooth.py",
            "image = image - rate * (difference.t() @ difference) @ image",
        ),
    ];
    let mut expected = expected.map(|(rule, file, line)| (rule.to_owned(), file.to_owned(), line.to_owned()));
    expected.sort();
    assert_eq!(findings(), expected);
}
