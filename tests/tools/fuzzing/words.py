"""The dictionaries of `fuzz/words`, which the fuzz targets use, too, and words for files that have no target."""

import ast

from .corpus import REPOSITORY

MAGIC = (
    "%matplotlib inline\n", "!pip install x\n", "%%bash\n", "%%time\n", "?x\n", "x = !ls\n", "%%writefile a.py\n", "%%html\n",
    "get_ipython().run_line_magic('time', '')\n", "", "", "",
)
VERSIONS = (
    ">=", "==", "~=", "!=", "===", "<", ">", "^", "*", ",", ";", "1.12.1", "2.0.0rc1", "1!2.0", "99999999999999999999.0", "0", ".",
    "+cu113", ".post1", "torch", "numpy", "torchvision", "[x]", "@ file:///etc/passwd", "-r requirements.txt", "-c ../c.txt", "\\\n", "#",
    "'", '"', "and", "or", "python_version", "(", ")",
)
IGNORED = (
    "*", "**", "?", "[", "]", "[!a-z]", "[z-a]", "{a,b}", "{", "}", "!", "\\", "/", "**/", "/**/", "*.py", "#", " ", "\t", "..", "./", "//",
    "a/b", "sub", "\\ ", "[[:alpha:]]", "\x00", "\n", "(?i)", "!/",
)
PAGES = (
    "```", "````", "`a.py`:", "# expect: ", "# ok", '# error: [x] "y"', "# revealed: ", "# signature: ", "#", "\n\n", "python",
    "toml harp.toml", "text args", '"', "[", "../x.py", "/etc/x.py", "\t",
)


BASELINES = (
    '"version"', "1", "2", '"findings"', '"path"', '"rule"', '"code"', '"message"', '"fingerprint"', '"count"', "null", "[]", "{}", ",", ":", "\\u0000",
    "../x.py", "/etc/passwd", "1e999", "-1", '""', "[" * 200,
)
PATCHES = (
    "@@ -1,5 +1,6 @@\n", "@@ -0,0 +1 @@\n", "@@ -1 +0,0 @@\n", "@@ -99999999999999999999,1 +1 @@\n", "--- /dev/null\n", "+++ /dev/null\n",
    "--- a/main.py\n", "+++ b/main.py\n", "rename from main.py\n", "rename to x.py\n", "copy from main.py\n", "copy to y.py\n", "deleted file mode 100644\n",
    "new file mode 120000\n", "new file mode 160000\n", "GIT binary patch\n", "literal 5\n", "\\ No newline at end of file\n", "+", "-", " ", "\n",
    "diff --git a/main.py b/main.py\n", "../x.py", "a/.git/config", '"a/\\303\\251.py"', "/etc/passwd", "\r\n", "similarity index 100%\n",
)


def dictionary(name):
    """The words of a dictionary in libFuzzer's form, which is that of bytes in Python, too."""
    lines = (REPOSITORY / "fuzz/words" / f"{name}.dict").read_text(encoding="ascii").splitlines()
    return tuple(ast.literal_eval("b" + line).decode("utf-8", "surrogatepass") for line in lines)
