#!/usr/bin/env python3
"""Opens the report of an audit in Chromium, and tries what a reader does with it.

    harp audit FOLDERS… --out DIR && tests/tools/audit_in_browser.py DIR
    HARP_LARGE_AUDIT=DIR cargo test -p harp_report pages::audit && tests/tools/audit_in_browser.py DIR

Without Chromium it says so and ends with 0. It fails where a page is not open and filtered within two seconds. `--pictures FOLDER` keeps what was seen.
The audit needs findings, and a rule with some on its first page that have no `z` in them.
"""

import argparse
import pathlib
import shutil
import sys
import tempfile
import time

from report_in_browser import BROWSERS, OPENED, SECONDS_TO_OPEN, Browser, Checks

SHOWN = "document.querySelectorAll('.row:not([hidden])').length"
DRAWN = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(%s))))"


def opened(browser, page, checks, letters):
    """The seconds until a page is drawn, and until letters in its filter have their effect."""
    times = []
    for _ in range(OPENED):
        before = browser.busy()
        seconds = browser.open(page)
        # On a machine that does other things at once, its processor time tells more.
        times.append((min(seconds, browser.busy() - before), seconds))
    busy, seconds = min(times)
    rows = browser.evaluate(SHOWN)
    before, started = browser.busy(), time.monotonic()
    browser.press("/", "/")
    checks.equal("the focus behind /", browser.evaluate("document.activeElement.id"), "query")
    browser.type(letters)
    shown = browser.evaluate(DRAWN % SHOWN)
    filtered = time.monotonic() - started
    filtering = min(filtered, browser.busy() - before)
    size = page.stat().st_size / 1e6
    print(f"{page.name}: {size:.2f} MB, {rows} rows, open in {seconds:.2f} s ({busy:.2f} s of processor time), "
          f"{len(letters)} letters in the filter in {filtered:.2f} s ({filtering:.2f} s); {shown} rows fit")
    checks.holds(f"{page.name} is open and filtered within {SECONDS_TO_OPEN} s", busy + filtering <= SECONDS_TO_OPEN)
    checks.holds(f"{page.name}: some rows are hidden", shown < rows)
    browser.press("Escape")
    checks.equal(f"{page.name}: rows behind Escape", browser.evaluate(SHOWN), rows)
    checks.equal(f"complaints about {page.name}", browser.complaints(), [])
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("audit", type=pathlib.Path, metavar="DIR")
    parser.add_argument("--pictures", type=pathlib.Path, metavar="FOLDER")
    options = parser.parse_args()
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        print("there is no Chromium: the report of the audit is not tried in a browser", file=sys.stderr)
        return 0
    checks = Checks()
    folder = options.audit.resolve()
    pages = [folder / "report.html"] + [folder / "report" / f"{name}-1.html" for name in ["rule-1", "findings", "repositories"]]
    # Where the audit was compared with an earlier one that found less.
    pages += sorted(folder.glob("report/changes-new-1.html"))
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        browser = Browser(program, pathlib.Path(name) / "profile")
        try:
            rows = {page: opened(browser, page, checks, "zzzz no such") for page in pages}
            browser.open(pages[0])
            browser.evaluate("document.querySelector('a[href^=\"report/rule-1-\"]').click()")
            time.sleep(1)
            checks.equal("the page of a rule", browser.evaluate("location.pathname.split('/').pop()"), "rule-1-1.html")
            browser.evaluate("document.querySelector('.row a').click()")
            time.sleep(1)
            checks.holds("the findings of a repository", browser.evaluate("document.querySelector('tbody:target .row') !== null"))
            browser.open(pages[1])
            browser.evaluate("const box = document.querySelector('[name=severity]'); box.checked = false; box.dispatchEvent(new Event('input', {bubbles: true}))")
            checks.holds("rows of other severities", browser.evaluate(SHOWN) < rows[pages[1]])
            for scheme, dark in [("light", False), ("dark", True)]:
                browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
                for page in pages:
                    browser.open(page)
                    light = browser.evaluate("Number(/\\d+/.exec(getComputedStyle(document.body).backgroundColor)[0])")
                    checks.equal(f"dark in {scheme}", light < 128, dark)
                    if options.pictures:
                        browser.picture(options.pictures / f"{page.stem}-{scheme}.png", 1200, 1400)
            browser.run_scripts(False)
            for page in pages:
                browser.open(page)
                checks.equal(f"rows of {page.name} without the script", browser.evaluate("document.querySelectorAll('.row').length") >= rows[page], True)
                checks.equal("the filter without the script", browser.evaluate("document.querySelector('#filter').hidden"), True)
            checks.equal("complaints", browser.complaints(), [])
        finally:
            browser.close()
    return 1 if checks.failed else 0


if __name__ == "__main__":
    sys.exit(main())
