//! The committed reports of the bundled example are what Harp writes. `HARP_WRITE_PAGES=1` writes them anew.

use std::fs;
use std::path::Path;
use std::process::Command;

const SAMPLES: [(&str, &str); 2] = [("html", "reports/sample/digits.html"), ("markdown", "reports/sample/digits.md")];

#[test]
fn the_sample_reports_are_those_of_the_example() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for (format, sample) in SAMPLES {
        let output = Command::new(env!("CARGO_BIN_EXE_harp"))
            .args(["check", "examples/digits", "--format", format])
            .current_dir(root)
            .output()
            .expect("the program starts");
        assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
        let written = String::from_utf8(output.stdout).expect("output is UTF-8");
        let path = root.join(sample);
        if std::env::var_os("HARP_WRITE_PAGES").is_some() {
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder can be made");
            fs::write(&path, &written).expect("the sample can be written");
        }
        let committed = fs::read_to_string(&path).unwrap_or_default();
        assert!(committed == written, "{sample} is another: write it with HARP_WRITE_PAGES=1");
    }
}
