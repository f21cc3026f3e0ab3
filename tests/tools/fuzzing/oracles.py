"""What must hold of what Harp says, beside that it ends in order: forms that parse, sources that still compile."""

import csv
import io
import json
import re
import subprocess
import sys
from html.parser import HTMLParser
from xml.etree import ElementTree

# Tells which of the files that are named on its standard input compile. The compiler may take very long, or end the process, for what is deeply nested.
COMPILES = """
import sys, warnings
warnings.simplefilter("ignore")
for path in sys.stdin.buffer.read().split(b"\\0"):
    try:
        compile(open(path, "rb").read(), "f", "exec", dont_inherit=True)
    except BaseException:
        continue
    sys.stdout.buffer.write(path + b"\\0")
"""
SECONDS_TO_COMPILE = 60
# A terminal shows what is between them, and nothing else happens.
HARMFUL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
VOID = frozenset("area base br col embed hr img input link meta source track wbr circle ellipse line path polygon polyline rect use".split())
QUOTED = re.compile(r'"(?:\\.|[^"\\])*"')


class Wrong(Exception):
    """An output that is not in its form."""


def without_twins(pairs):
    found = dict(pairs)
    if len(found) < len(pairs):
        raise Wrong("a key stands twice")
    return found


def one_json(text):
    return json.loads(text, object_pairs_hook=without_twins)


def json_lines(text):
    for line in text.splitlines():
        one_json(line)


class Page(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open = []

    def handle_starttag(self, tag, attrs):
        if len(dict(attrs)) < len(attrs) or any(name.startswith("on") for name, _ in attrs):
            raise Wrong(f"attributes of <{tag}>")
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        if tag in VOID:
            return
        while self.open and self.open[-1] != tag and self.open[-1] in ("li", "p", "td", "th", "tr", "dt", "dd", "option", "tbody", "thead"):
            self.open.pop()
        if not self.open or self.open.pop() != tag:
            raise Wrong(f"</{tag}> without its beginning")


def page(text):
    parser = Page()
    parser.feed(text)
    parser.close()
    if "html" in parser.open or not text.rstrip().endswith("</html>"):
        raise Wrong("the page does not end")


def drawing(text):
    bare = QUOTED.sub("", text)
    if not text.startswith("digraph") or bare.count("{") != bare.count("}") or '"' in bare:
        raise Wrong("the drawing is not closed")


def table(text):
    if len({len(row) for row in csv.reader(io.StringIO(text))}) > 1:
        raise Wrong("rows of different length")


def facts_of_souffle(text):
    if len({line.count("\t") for line in text.split("\n") if line}) > 1:
        raise Wrong("rows of different length")


def stub(text):
    try:
        compile(text, "stub", "exec", dont_inherit=True)
    except (MemoryError, RecursionError):
        pass


def plain(text):
    found = HARMFUL.search(text)
    if found:
        raise Wrong(f"the character {found[0]!r}")


PARSERS = {
    "json": one_json, "sarif": one_json, "gitlab": one_json, "github-review": one_json, "json-lines": json_lines,
    "junit": ElementTree.fromstring, "html": page, "dot": drawing, "csv": table, "souffle": facts_of_souffle, "pyi": stub,
    "jaxtyping": stub, "text": plain, "concise": plain, "github": plain, "markdown": plain, "diff": plain,
}


def misfit(form, data):
    """Why an output is not in its form; `None` where it is."""
    try:
        PARSERS[form](data.decode("utf-8"))
    except (Wrong, ValueError, SyntaxError, AssertionError, ElementTree.ParseError, csv.Error) as error:
        return f"{type(error).__name__}: {error}"[:300]
    except RecursionError:
        # Python reads less deep trees than Harp writes.
        return None
    return None


def compiling(paths):
    """Those of the files that Python compiles."""
    names = b"\0".join(str(path).encode("utf-8", "surrogateescape") for path in paths)
    command = [sys.executable, "-c", COMPILES]
    try:
        done = subprocess.run(command, input=names, capture_output=True, timeout=SECONDS_TO_COMPILE, check=False)
    except subprocess.TimeoutExpired:
        return set()
    # Where the compiler ended the process, what it told of before counts.
    return {path for path in paths if str(path).encode("utf-8", "surrogateescape") in done.stdout.split(b"\0")}
