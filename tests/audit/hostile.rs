//! Repositories that mean harm cost their own row, and nothing else.

use std::fs::File;
use std::io::Write;

use harp_tables::rows::Status;

use crate::scene::{BROKEN, FINE, Scene};

fn status(scene: &Scene, repository: &str) -> (Status, String) {
    scene.statuses("out").remove(repository).expect("a row")
}

#[test]
fn archives_lead_nowhere() {
    let scene = Scene::new();
    let file = File::create(scene.path("x.tar")).expect("a file");
    let mut archive = tar::Builder::new(file);
    let mut add = |path: &str, kind: tar::EntryType, link: Option<&str>, text: &str| {
        let mut header = tar::Header::new_gnu();
        // As a program would that means harm: the library refuses such names.
        header.as_old_mut().name[..path.len()].copy_from_slice(path.as_bytes());
        header.set_entry_type(kind);
        header.set_size(text.len() as u64);
        header.set_mode(0o644);
        if let Some(link) = link {
            header.set_link_name(link).expect("a link");
        }
        header.set_cksum();
        archive.append(&header, text.as_bytes()).expect("an entry");
    };
    add("train.py", tar::EntryType::Regular, None, BROKEN);
    add("../outside.py", tar::EntryType::Regular, None, BROKEN);
    add("/absolute.py", tar::EntryType::Regular, None, BROKEN);
    add("link.py", tar::EntryType::Symlink, Some("/etc/passwd"), "");
    add("hard.py", tar::EntryType::Link, Some("train.py"), "");
    add(".git/config", tar::EntryType::Regular, None, "[core]\n\tfsmonitor = touch here\n");
    archive.finish().expect("an archive");
    scene.audit(&["x.tar", "--out", "out"]);
    assert_eq!(scene.told("out/findings.parquet"), ["x train.py:4:5 shape/mismatch"]);
    assert_eq!(scene.names(""), ["out", "x.tar"]);
}

#[test]
fn an_archive_of_too_many_times_its_size_is_refused() {
    let scene = Scene::new();
    let mut archive = zip::ZipWriter::new(File::create(scene.path("bomb.zip")).expect("a file"));
    let zeros = vec![b'#'; 4 << 20];
    for number in 0..70 {
        archive.start_file(format!("{number}.py"), zip::write::SimpleFileOptions::default()).expect("an entry");
        archive.write_all(&zeros).expect("an entry");
    }
    archive.finish().expect("an archive");
    scene.put("damaged.tar.gz", b"\x1f\x8b and no more");
    scene.put("empty.zip", b"");
    scene.put("fine/train.py", BROKEN);
    scene.audit(&["bomb.zip", "damaged.tar.gz", "empty.zip", "fine", "--out", "out"]);
    let (bomb, reason) = status(&scene, "bomb");
    assert_eq!((bomb, reason.as_str()), (Status::Refused, "unpacked, the archive has too many times its size"));
    assert_eq!(status(&scene, "damaged").0, Status::Refused);
    assert_eq!(status(&scene, "empty").0, Status::NoTarget);
    assert_eq!(scene.told("out/findings.parquet"), ["fine train.py:4:5 shape/mismatch"]);
}

#[test]
fn a_long_header_is_not_held() {
    let scene = Scene::new();
    let file = File::create(scene.path("x.tar.gz")).expect("a file");
    let mut archive = tar::Builder::new(flate2::write::GzEncoder::new(file, flate2::Compression::fast()));
    let mut add = |path: &str, kind: tar::EntryType, text: &[u8]| {
        let mut header = tar::Header::new_gnu();
        header.set_path(path).expect("a path");
        header.set_entry_type(kind);
        header.set_size(text.len() as u64);
        header.set_mode(0o644);
        header.set_cksum();
        archive.append(&header, text).expect("an entry");
    };
    // Data of that size is passed over.
    add("weights.bin", tar::EntryType::Regular, &vec![b'#'; 6 << 20]);
    add("pax", tar::EntryType::XHeader, &vec![b'#'; 5 << 20]);
    add("train.py", tar::EntryType::Regular, BROKEN.as_bytes());
    archive.into_inner().expect("an archive").finish().expect("an archive");
    scene.audit(&["x.tar.gz", "--out", "out"]);
    let (x, reason) = status(&scene, "x");
    assert_eq!((x, reason.as_str()), (Status::Refused, "an entry has a header of more than 4 MiB"));
}

#[cfg(unix)]
#[test]
fn names_that_are_no_text_do_not_stop_others() {
    use std::os::unix::ffi::OsStrExt;
    let scene = Scene::new();
    for name in [b"a\xff".as_slice(), b"a\xfe", b"b\nc"] {
        let folder = scene.path("all").join(std::ffi::OsStr::from_bytes(name));
        std::fs::create_dir_all(&folder).expect("a folder");
        std::fs::write(folder.join("train.py"), BROKEN).expect("a file");
    }
    assert_eq!(scene.audit(&["all", "--list"]), "a\\xfe\na\\xff\nb\\nc\n");
    scene.audit(&["all", "--out", "out"]);
    let statuses = scene.statuses("out");
    assert_eq!(statuses.keys().collect::<Vec<_>>(), ["a\\xfe", "a\\xff", "b\nc"]);
}

#[cfg(unix)]
#[test]
fn a_folder_that_cannot_be_read_costs_its_row_alone() {
    use std::os::unix::fs::PermissionsExt;
    let scene = Scene::new();
    scene.put("all/bad/train.py", BROKEN);
    scene.put("all/good/train.py", BROKEN);
    let of_mode = |mode| std::fs::set_permissions(scene.path("all/bad"), std::fs::Permissions::from_mode(mode));
    of_mode(0).expect("its owner may");
    // To the superuser all folders are open.
    let is_closed = std::fs::read_dir(scene.path("all/bad")).is_err();
    scene.audit(&["all", "--out", "out"]);
    of_mode(0o755).expect("its owner may");
    let (bad, reason) = status(&scene, "bad");
    assert_eq!(bad == Status::Refused, is_closed, "{reason}");
    assert_eq!(status(&scene, "good").0, Status::Ok);
}

#[test]
fn files_that_lie_too_deep_are_skipped() {
    let scene = Scene::new();
    let deep = format!("{}train.py", "d/".repeat(65));
    scene.put(&format!("all/a/{deep}"), BROKEN);
    scene.put("all/a/train.py", FINE);
    let row = |path: &str, text: &str| serde_json::json!({ "repository": "b", "path": path, "content": text });
    scene.put("b.jsonl", format!("{}\n{}\n", row(&deep, BROKEN), row("train.py", FINE)));
    scene.audit(&["all", "b.jsonl", "--out", "out"]);
    assert_eq!(scene.told("out/findings.parquet"), [""; 0]);
}

#[test]
fn a_process_that_ends_costs_its_row_alone() {
    let scene = Scene::new();
    scene.put("all/a/crash.py", "import torch\n");
    scene.put("all/b/train.py", BROKEN);
    let output = scene.command(&["all", "--out", "out"]).env("HARP_FAULTS", "repository crash.py").output();
    assert!(output.expect("the program starts").status.success());
    let (crash, reason) = status(&scene, "a");
    assert_eq!(crash, Status::Crash);
    assert!(reason.contains("Harp failed on this input"), "{reason}");
    assert_eq!(scene.told("out/findings.parquet"), ["b train.py:4:5 shape/mismatch"]);
    // It stays so until somebody asks for more.
    scene.audit(&["all", "--out", "out"]);
    assert_eq!(status(&scene, "a").0, Status::Crash);
    scene.audit(&["all", "--out", "out", "--retry"]);
    assert_eq!(status(&scene, "a").0, Status::Ok);
}

#[test]
fn bounds_are_those_of_one_repository() {
    let scene = Scene::new();
    let statements: String = (0..3000).map(|n| format!("x{n} = torch.zeros({n} + 1)\n")).collect();
    scene.put("all/deep/train.py", format!("import torch\n\n{statements}"));
    scene.put("all/fine/train.py", BROKEN);
    scene.audit(&["all", "--steps", "1000", "--out", "out"]);
    let (deep, reason) = status(&scene, "deep");
    assert_eq!(deep, Status::Partial);
    assert!(reason.contains("stopped at the step limit"), "{reason}");
    assert_eq!(status(&scene, "fine").0, Status::Ok);
}

#[test]
fn configurations_of_repositories_are_not_read() {
    let scene = Scene::new();
    scene.put("all/quiet/harp.toml", "ignore = [\"shape\"]\nexclude = [\"*.py\"]\n");
    scene.put("all/quiet/train.py", BROKEN);
    scene.audit(&["all", "--out", "out"]);
    assert_eq!(scene.told("out/findings.parquet"), ["quiet train.py:4:5 shape/mismatch"]);
}

#[test]
fn a_folder_of_others_is_left_alone() {
    let scene = Scene::new();
    scene.put("all/a/train.py", FINE);
    scene.put("mine/thesis.txt", "years of work");
    let told = scene.refusal(&["all", "--out", "mine"]);
    assert!(told.contains("mine has files of others"), "{told}");
    assert_eq!(scene.names("mine"), ["thesis.txt"]);
}

#[test]
fn no_variable_of_the_runner_comes_into_a_table() {
    let scene = Scene::new();
    let text = "import os\nimport torch\n\nkey = os.environ['SECRET']\ntorch.zeros(2, 3) @ torch.zeros(len(key), 5)\n";
    scene.put("all/a/train.py", text);
    let output = scene.command(&["all", "--out", "out"]).env("SECRET", "open sesame").output();
    assert!(output.expect("the program starts").status.success());
    for table in ["findings", "repositories"] {
        let bytes = std::fs::read(scene.path(&format!("out/{table}.parquet"))).expect("a table");
        assert!(!bytes.windows(11).any(|part| part == b"open sesame"));
    }
}
