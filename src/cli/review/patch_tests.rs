use proptest::prelude::*;

use super::*;

fn error(text: &str) -> (usize, String) {
    let error = parse(text.as_bytes()).expect_err("it is no patch");
    (error.at, error.message)
}

#[test]
fn names_are_read_as_git_writes_them() {
    let text = "From: somebody\n\ndiff --git \"a/\\303\\251 \\\"x\\\".py\" \"b/\\303\\251 \\\"x\\\".py\"\nindex 1..2 100644\n\
                --- \"a/\\303\\251 \\\"x\\\".py\"\n+++ \"b/\\303\\251 \\\"x\\\".py\"\n@@ -1 +1 @@\n-a\n+b\n-- \n2.40\n";
    let files = parse(text.as_bytes()).expect("a patch");
    assert_eq!(files.len(), 1);
    assert_eq!(files[0].new, Some(PathBuf::from("é \"x\".py")));
    assert_eq!(files[0].hunks[0].lines, [Line::Removed(b"a\n".to_vec()), Line::Added(b"b\n".to_vec())]);
    let dated = "--- old/a b.py\t2024-01-01 00:00:00\n+++ new/a b.py\t2024-01-01 00:00:00\n@@ -1 +1 @@\n-a\n+b\n";
    assert_eq!(parse(dated.as_bytes()).expect("a patch")[0].old, Some(PathBuf::from("old/a b.py")));
}

#[test]
fn what_leads_out_of_the_repository_is_refused() {
    for name in ["../../etc/passwd", "/etc/passwd", ".git/hooks/post-checkout", "x/../../y.py"] {
        let text = format!("--- a/{name}\n+++ b/{name}\n@@ -0,0 +1 @@\n+x\n");
        assert!(error(&text).1.contains("is not a name of a file in the repository"), "{name}");
        let made =
            format!("diff --git a/x.py b/x.py\nnew file mode 100644\n--- /dev/null\n+++ b/{name}\n@@ -0,0 +1 @@\n+x\n");
        assert!(parse(made.as_bytes()).is_err(), "{name}");
        let renamed = format!("diff --git a/x.py b/{name}\nrename from x.py\nrename to {name}\n");
        assert!(parse(renamed.as_bytes()).is_err(), "{name}");
    }
}

#[test]
fn broken_patches_are_told_with_their_line() {
    let start = "--- a/a.py\n+++ b/a.py\n";
    assert_eq!(error(&format!("{start}@@ -1,2 +1,2 @@\n a\n")), (3, "the patch ends within a hunk".to_owned()));
    assert_eq!(error(&format!("{start}@@ -1 +1 @@\n?\n")), (3, "this line is none of a hunk".to_owned()));
    assert_eq!(error(&format!("{start}@@ -x @@\n")).0, 2);
    assert_eq!(error(&format!("{start}@@ -1 +99999999999 @@\n")).0, 2);
    assert_eq!(error("@@ -1 +1 @@\n-a\n+b\n").0, 0);
    assert!(error("diff --cc a.py\n").1.contains("merge"));
    assert!(error(&format!("{start}@@ -1,1 +1,0 @@\n a\n")).1.contains("more lines"));
}

proptest! {
    /// Whatever comes in, it is a patch or none.
    #[test]
    fn no_input_stops_the_reader(text in "(diff --git a/x b/x\n|--- a/x\n|\\+\\+\\+ b/x\n|@@ -1,2 \\+1 @@\n|[-+ \\\\\"]?[a\"]{0,3}\n){0,12}") {
        let _ = parse(text.as_bytes());
    }

    #[test]
    fn no_bytes_stop_the_reader(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = parse(&bytes);
        let _ = unquoted(&bytes);
    }
}
