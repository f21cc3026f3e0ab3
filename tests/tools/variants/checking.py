"""Asks Harp about programs, many in one run."""

import collections
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SECONDS = 900
# Harp reads no more configurations in one run than 100. Each start of it costs as much as some twenty programs.
BLOCKS_IN_ONE_RUN = 24
# Edited packs get names of their own, as those of the packs that come with Harp are taken.
EDITED = "edited-"


def batches(found):
    """The programs of several blocks, by block."""
    blocks = collections.defaultdict(list)
    for case in found:
        blocks[case.example.rule, case.example.number].append(case)
    every = list(blocks.values())
    return [every[begin : begin + BLOCKS_IN_ONE_RUN] for begin in range(0, len(every), BLOCKS_IN_ONE_RUN)]


def check(harp, blocks, names, packs):
    """What Harp says of the programs of some blocks. Those of one block lie in one folder that has a configuration, and so is a project of its
    own: what one program sets speaks for its whole project. Variants that give the same program share it."""
    names = [*names, *(f"{EDITED}{name}" for name in names if name.split("/")[0] in packs)]
    with tempfile.TemporaryDirectory() as folder:
        for number, some in enumerate(blocks):
            home = pathlib.Path(folder, f"block{number}")
            home.mkdir()
            (home / "harp.toml").write_text("")
            programs = {}
            for case in some:
                case.findings = programs.setdefault(case.key, case).findings
            for case in programs.values():
                write(case, home / case.prefix)
        command = [os.path.abspath(harp), "check", ".", "--no-cache", "--format", "json", "--exit-zero", "--threads", "1"]
        command += ["--select", ",".join(names)]
        for pack in packs.values():
            command += ["--pack", str(pack)]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=SECONDS)
    if done.returncode not in (0, 1):
        raise RuntimeError(f"exit code {done.returncode}: {done.stderr[:2000]}")
    said = json.loads(done.stdout)
    if said["summary"]["budgets"]:
        print(f"a bound was reached: {said['summary']['budgets'][:3]}", file=sys.stderr)
    by_prefix = {case.prefix: case for some in blocks for case in some}
    for finding in said["findings"]:
        pack, _, name = finding["rule"].partition("/")
        if pack in packs:
            continue
        finding["rule"] = f"{pack.removeprefix(EDITED)}/{name}"
        by_prefix[os.path.basename(finding["place"]["file"])[:6]].findings.append(finding)


def write(case, folder):
    folder.mkdir(parents=True, exist_ok=True)
    for name, (text, _, _) in case.files.items():
        (folder / name).write_text(text)


def edited_packs(names, source, folder):
    """Copies of packs that can be loaded beside the built-in ones, by name."""
    copies = {}
    for name in names:
        copy = pathlib.Path(folder, EDITED + name)
        shutil.copytree(pathlib.Path(source, name), copy)
        manifest = copy / "harp-pack.toml"
        manifest.write_text(manifest.read_text().replace(f'name = "{name}"', f'name = "{EDITED}{name}"'))
        for rules in copy.rglob("*.dl"):
            rules.write_text(re.sub(rf"@id {name}/", f"@id {EDITED}{name}/", rules.read_text()))
        copies[name] = copy
    return copies
