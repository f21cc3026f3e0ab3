#!/usr/bin/env python3
"""Opens the page that `harp check --output html:FILE` writes in Chromium, and tries what a reader does with it.

    tests/tools/report_in_browser.py [--harp target/debug/harp] [--large COUNT] [--pictures FOLDER]

Without Chromium it says so and ends with 0. `--large` also opens a page of so many findings, and fails where that takes longer than two seconds.
`--pictures` keeps what was seen: in light, in dark, and printed. Needs nothing but Python: the browser is driven through its pipe.
"""

import argparse
import base64
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

BROWSERS = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]
SECONDS_TO_OPEN = 2.0
# A large page is opened so often, and the best time counts.
OPENED = 4


class Browser:
    """Chromium without a window, spoken to in its DevTools protocol: JSON texts that end with a zero byte."""

    def __init__(self, program, profile):
        to_browser, self.writing = os.pipe()
        self.reading, from_browser = os.pipe()

        # The browser reads from 3 and writes to 4.
        def connect():
            one, other = os.dup(to_browser), os.dup(from_browser)
            os.dup2(one, 3)
            os.dup2(other, 4)

        flags = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--remote-debugging-pipe", f"--user-data-dir={profile}"]
        self.process = subprocess.Popen([program, *flags, "about:blank"], preexec_fn=connect, close_fds=False,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.buffer = b""
        self.number = 0
        self.runs_scripts = True
        self.session = None
        self.events = []
        target = next(it for it in self.call("Target.getTargets")["targetInfos"] if it["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        for domain in ["Page", "Runtime", "Network", "Log"]:
            self.call(f"{domain}.enable")

    def message(self):
        while b"\0" not in self.buffer:
            part = os.read(self.reading, 1 << 20)
            if not part:
                raise SystemExit("the browser ended")
            self.buffer += part
        text, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, **params):
        self.number += 1
        request = {"id": self.number, "method": method, "params": params}
        # Some questions are the whole browser's.
        if self.session and not method.startswith("SystemInfo."):
            request["sessionId"] = self.session
        os.write(self.writing, json.dumps(request).encode() + b"\0")
        while True:
            message = self.message()
            if message.get("id") == self.number:
                if "error" in message:
                    raise SystemExit(f"{method}: {message['error']}")
                return message["result"]
            self.events.append(message)

    def wait_for(self, method):
        while not any(event.get("method") == method for event in self.events):
            self.events.append(self.message())

    def busy(self):
        """The seconds of processor time that the renderers took so far."""
        processes = self.call("SystemInfo.getProcessInfo")["processInfo"]
        return sum(it["cpuTime"] for it in processes if it["type"] == "renderer")

    def open(self, path, anchor=""):
        """Opens a file; the seconds until it was drawn."""
        self.events = []
        self.call("Page.navigate", url="about:blank")
        self.wait_for("Page.loadEventFired")
        self.events = []
        started = time.monotonic()
        self.call("Page.navigate", url=pathlib.Path(path).as_uri() + anchor)
        self.wait_for("Page.loadEventFired")
        if self.runs_scripts:
            self.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        return time.monotonic() - started

    def run_scripts(self, runs_scripts):
        self.runs_scripts = runs_scripts
        self.call("Emulation.setScriptExecutionDisabled", value=not runs_scripts)

    def evaluate(self, expression):
        told = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True, userGesture=True)
        if "exceptionDetails" in told:
            raise SystemExit(f"{expression}: {told['exceptionDetails']}")
        return told["result"].get("value")

    def press(self, key, text=None):
        # Keys that write something have a text.
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, **({"text": text} if text else {}))
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key)

    def type(self, text):
        for character in text:
            self.press(character, character)

    def picture(self, path, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        data = self.call("Page.captureScreenshot", format="png")["data"]
        path.write_bytes(base64.b64decode(data))

    def complaints(self):
        """What the browser says against the page: violations of its policy, exceptions, requests for anything but the page itself."""
        told = []
        for event in self.events:
            params = event.get("params", {})
            if event.get("method") == "Log.entryAdded":
                told.append(params["entry"]["text"])
            elif event.get("method") == "Runtime.exceptionThrown":
                told.append(str(params["exceptionDetails"].get("text")))
            elif event.get("method") == "Network.requestWillBeSent" and not params["request"]["url"].startswith(("file:", "about:")):
                told.append("asks for " + params["request"]["url"])
        return told

    def close(self):
        self.session = None
        self.call("Browser.close")
        self.process.wait()


class Checks:
    def __init__(self):
        self.failed = 0

    def equal(self, what, found, expected):
        if found != expected:
            self.failed += 1
            print(f"{what}: {found!r} in place of {expected!r}", file=sys.stderr)

    def holds(self, what, found):
        self.equal(what, bool(found), True)


SHOWN = "document.querySelectorAll('.finding:not([hidden])').length"
FOCUSED = "findings().indexOf(document.activeElement.closest('.finding'))"
HELPER = "var findings = () => Array.from(document.querySelectorAll('.finding:not([hidden])'))"


def try_small(browser, page, checks, pictures):
    """A page of a few findings, of several rules and files: everything that a reader can do."""
    browser.open(page)
    browser.evaluate(HELPER)
    count = browser.evaluate(SHOWN)
    checks.holds("there are findings", count >= 3)
    checks.equal("findings that are open", browser.evaluate("document.querySelectorAll('.finding[open]').length"), count)
    checks.holds("a drawing", browser.evaluate("document.querySelectorAll('.finding svg rect').length > 1"))
    checks.equal("the filter", browser.evaluate("document.querySelector('#filter').hidden"), False)

    browser.press("/", "/")
    checks.equal("the focus behind /", browser.evaluate("document.activeElement.id"), "query")
    browser.type("loop-inv")
    checks.equal("findings that fit the filter", browser.evaluate(SHOWN), 1)
    checks.equal("what is told", browser.evaluate("document.querySelector('#shown').textContent"), f"1 of {count} findings")
    checks.equal("files of them", browser.evaluate("document.querySelectorAll('.file:not([hidden])').length"), 1)
    browser.press("Escape")
    checks.equal("findings behind Escape", browser.evaluate(SHOWN), count)

    browser.press("j", "j")
    checks.equal("the finding behind j", browser.evaluate(FOCUSED), 0)
    browser.press("j", "j")
    browser.press("j", "j")
    browser.press("k", "k")
    checks.equal("the finding behind j, j, k", browser.evaluate(FOCUSED), 1)
    browser.press("Enter", "\r")
    checks.equal("a finding that was closed", browser.evaluate("findings()[1].open"), False)
    browser.press("Enter", "\r")
    checks.equal("a finding that was opened", browser.evaluate("findings()[1].open"), True)

    browser.evaluate("document.querySelector('a[data-rule=\"harp/loop-invariant\"]').click()")
    checks.equal("findings of a rule", browser.evaluate(SHOWN), 1)
    browser.press("Escape")
    browser.evaluate("document.querySelector('a[data-assumption]').click()")
    checks.equal("findings that rest on an assumption", browser.evaluate(SHOWN), 1)
    browser.press("Escape")
    browser.evaluate("const rests = document.querySelector('#rests'); rests.value = '-'; rests.dispatchEvent(new Event('input', {bubbles: true}))")
    checks.equal("findings that are certain", browser.evaluate(SHOWN), 2)
    browser.press("Escape")

    browser.evaluate("document.querySelectorAll('.tables table')[1].querySelectorAll('a')[1].click()")
    checks.holds("a link to a file", browser.evaluate("location.hash.startsWith('#file-') && scrollY > 0"))
    browser.call("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
    browser.evaluate("document.querySelector('#assumptions .answer button').click()")
    time.sleep(0.3)
    checks.equal("a button that copies", browser.evaluate("document.querySelector('#assumptions .answer button').textContent"), "copied")
    anchor = browser.evaluate("'#' + findings()[2].id")
    checks.equal("complaints", browser.complaints(), [])

    browser.open(page, anchor)
    browser.evaluate(HELPER)
    checks.equal("the finding of a link", browser.evaluate(FOCUSED), 2)

    for scheme, dark in [("light", False), ("dark", True)]:
        browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        browser.open(page)
        light = browser.evaluate("Number(/\\d+/.exec(getComputedStyle(document.body).backgroundColor)[0])")
        checks.equal(f"dark in {scheme}", light < 128, dark)
        if pictures:
            browser.picture(pictures / f"report-{scheme}.png", 1100, 1500)
    browser.call("Emulation.setEmulatedMedia", features=[])
    printed = base64.b64decode(browser.call("Page.printToPDF", printBackground=False)["data"])
    checks.holds("a print", printed.startswith(b"%PDF") and len(printed) > 10_000)
    if pictures:
        (pictures / "report.pdf").write_bytes(printed)

    browser.run_scripts(False)
    browser.open(page)
    visible = "document.querySelectorAll('.finding .body').length"
    checks.equal("findings without the script", browser.evaluate(visible), count)
    checks.equal("the filter without the script", browser.evaluate("document.querySelector('#filter').hidden"), True)
    browser.run_scripts(True)


def try_large(browser, page, count, checks):
    """A page of very many findings: it opens quickly, and its findings are whole once they are opened."""
    times = []
    for _ in range(OPENED):
        before = browser.busy()
        seconds = browser.open(page)
        # On a machine that does other things at once, its processor time tells more.
        times.append((min(seconds, browser.busy() - before), seconds))
    busy, seconds = min(times)
    size = page.stat().st_size / 1e6
    print(f"{count} findings: {size:.1f} MB, open in {seconds:.2f} s, of which {busy:.2f} s are processor time")
    checks.holds(f"{busy:.2f} s are at most {SECONDS_TO_OPEN}", busy <= SECONDS_TO_OPEN)
    browser.evaluate(HELPER)
    checks.equal("findings", browser.evaluate(SHOWN), count)
    started = time.monotonic()
    browser.press("/", "/")
    browser.type("module_7.py:")
    shown = browser.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(%s))))" % SHOWN)
    print(f"12 letters in the filter: {time.monotonic() - started:.2f} s")
    checks.holds(f"some are filtered: {shown}", 0 < shown < count)
    browser.press("Enter", "\r")
    checks.equal("the first one", browser.evaluate(FOCUSED), 0)
    browser.press("Enter", "\r")
    time.sleep(0.3)
    checks.holds("its details", browser.evaluate("findings()[0].querySelector('.body pre') !== null"))
    checks.equal("complaints", browser.complaints(), [])
    browser.run_scripts(False)
    browser.open(page)
    checks.equal("details without the script", browser.evaluate("document.querySelectorAll('.finding .body').length"), count)
    browser.run_scripts(True)


def report(harp, source, page):
    """Writes the page of a folder; the exit code 1 tells of findings."""
    ended = subprocess.run([harp, "check", source, "--output", f"html:{page}"], check=False)
    if ended.returncode != 1:
        raise SystemExit(f"harp ended with {ended.returncode}")


def large_project(folder, count):
    files = 100
    folder.mkdir()
    for file in range(files):
        lines = [f"x_{line} = torch.rand(2, {line + 3}) @ torch.rand({line + 4}, 5)" for line in range(count // files)]
        (folder / f"module_{file}.py").write_text("import torch\n\n" + "\n".join(lines) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--harp", default="target/debug/harp")
    parser.add_argument("--large", type=int, default=0, metavar="COUNT")
    parser.add_argument("--pictures", type=pathlib.Path, metavar="FOLDER")
    options = parser.parse_args()
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        print("there is no Chromium: the HTML report is not tried in a browser", file=sys.stderr)
        return 0
    checks = Checks()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = pathlib.Path(name)
        report(options.harp, "examples/digits", folder / "digits.html")
        if options.large:
            large_project(folder / "large", options.large)
            report(options.harp, folder / "large", folder / "large.html")
        browser = Browser(program, folder / "profile")
        try:
            try_small(browser, folder / "digits.html", checks, options.pictures)
            if options.large:
                try_large(browser, folder / "large.html", options.large, checks)
        finally:
            browser.close()
    return 1 if checks.failed else 0


if __name__ == "__main__":
    sys.exit(main())
