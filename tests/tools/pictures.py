#!/usr/bin/env python3
"""Makes the pictures of the README: what `harp check examples/digits` shows in a terminal, and its report in a browser.

    tests/tools/pictures.py [--harp target/debug/harp]

The terminal is drawn as SVG, with nothing but Python; the report needs Chromium.
"""

import argparse
import html
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unicodedata

from report_in_browser import BROWSERS, Browser, report

FOLDER = pathlib.Path("docs/pictures")
# What a terminal of this look makes of the codes that Harp writes.
COLORS = {"91": "#ff8a8f", "93": "#f0b45a", "33": "#f0b45a", "92": "#7fd6a4", "94": "#8ab4f8", "96": "#7fd6d6"}
TEXT, PAGE, PROMPT = "#e4e7ec", "#14171c", "#7fd6a4"
WIDTH_OF_CHARACTER, HEIGHT_OF_LINE, MARGIN = 7.8, 18, 16
# The first finding and the summary are enough of a picture.
LINES_SHOWN = 34


def runs(line):
    """Parts of a line with their colours, and whether they are bold."""
    color, bold = TEXT, False
    for part in re.split(r"(\x1b\[[0-9;]*m)", line):
        codes = re.fullmatch(r"\x1b\[([0-9;]*)m", part)
        if not codes:
            if part:
                yield part, color, bold
            continue
        for code in codes[1].split(";"):
            if code in ("", "0"):
                color, bold = TEXT, False
            elif code == "1":
                bold = True
            color = COLORS.get(code, color)


def cells(text):
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)


def terminal(command, text):
    """A drawing of a terminal in which a command was typed."""
    lines = [f"\x1b[92m$\x1b[0m \x1b[1m{command}\x1b[0m", *text.rstrip("\n").split("\n")]
    widest = max(cells(re.sub(r"\x1b\[[0-9;]*m", "", line)) for line in lines)
    width, height = round(widest * WIDTH_OF_CHARACTER + 2 * MARGIN), len(lines) * HEIGHT_OF_LINE + 2 * MARGIN
    drawn = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">',
        f"<title>{html.escape(command)}</title>",
        f'<rect width="{width}" height="{height}" rx="8" fill="{PAGE}"/>',
        '<g font-family="ui-monospace, Menlo, Consolas, DejaVu Sans Mono, monospace" font-size="13">',
    ]
    for number, line in enumerate(lines):
        column, y = 0, MARGIN + number * HEIGHT_OF_LINE + 13
        for part, color, bold in runs(line):
            text = part.strip()
            if text:
                # Not every program that draws keeps blanks.
                indent = cells(part) - cells(part.lstrip())
                x = round(MARGIN + (column + indent) * WIDTH_OF_CHARACTER, 1)
                length = round(cells(text) * WIDTH_OF_CHARACTER, 1)
                weight = ' font-weight="bold"' if bold else ""
                drawn.append(f'<text x="{x}" y="{y}" textLength="{length}" fill="{color}"{weight}>{html.escape(text)}</text>')
            column += cells(part)
    return "\n".join([*drawn, "</g>", "</svg>", ""])


def shortened(text):
    """The first finding and the last lines."""
    findings = text.rstrip("\n").split("\n\n")
    first = findings[0].split("\n")[:LINES_SHOWN]
    return "\n".join([*first, "", "…", "", *findings[-1].split("\n")])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--harp", default="target/debug/harp")
    options = parser.parse_args()
    FOLDER.mkdir(parents=True, exist_ok=True)
    arguments = ["check", "examples/digits"]
    shown = subprocess.run([options.harp, *arguments, "--color", "always"], check=False, capture_output=True, text=True)
    (FOLDER / "terminal.svg").write_text(terminal("harp " + " ".join(arguments), shortened(shown.stdout)))
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        print("there is no Chromium: the picture of the report stays as it is", file=sys.stderr)
        return 0
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = pathlib.Path(name)
        report(options.harp, "examples/digits", folder / "digits.html")
        browser = Browser(program, folder / "profile")
        try:
            browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "light"}])
            browser.call("Emulation.setDeviceMetricsOverride", width=1000, height=1480, deviceScaleFactor=1, mobile=False)
            browser.open(folder / "digits.html")
            browser.evaluate("document.querySelector('#findings').scrollIntoView()")
            browser.picture(FOLDER / "report.png", 1000, 1480)
        finally:
            browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
