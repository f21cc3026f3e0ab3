#!/usr/bin/env python3
"""Runs Harp over hostile projects under `strace`, and lists what it starts and what it changes on disk.

    python3 tests/tools/what_it_touches.py --harp target/release/harp FOLDER…

Each folder is copied into a checkout of its own, in which git has an executable hook, and every command is run there: those that write with an
output beside the project. Harp may start `git` for reviews alone, change what the command names and the scratch folder of the system, and reach
no network. Scripts (`*.sh`) of a folder are run as well, in a copy, with `HARP` naming a wrapper that traces: they build what cannot be committed, and
are run as they are, so give only those that you know. The exit code is 0 where nothing else was touched. Needs Linux, strace and git.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

# Calls that start a program, change a file by its path, or reach a network.
CALLS = "execve,execveat,open,openat,openat2,creat,rename,renameat,renameat2,unlink,unlinkat,mkdir,mkdirat,rmdir,link,linkat,symlink,symlinkat,chmod,fchmodat,truncate,mknod,mknodat,utimensat,socket,connect"
# A path, with the folder that it is relative to.
PATH = re.compile(r'(?:(?:AT_FDCWD|\d+)<([^>]*)>, )?"((?:[^"\\]|\\.)*)"')
NETWORK = re.compile(r"\b(?:socket|connect)\((?:AF_|\d+, \{sa_family=AF_)(INET6?)")


def commands(beside):
    """Every command, and what each is allowed to write."""
    report = beside / "report"
    plain = [
        ["check", "."],
        ["check", ".", "--verbose", "--coverage"],
        ["check", ".", "--format", "json", "--explain-path"],
        ["check", ".", "--diff", "--unsafe-fixes"],
        ["suppress", ".", "--diff"],
        ["infer", "."],
        ["graph", "."],
        ["query", ".", "call(x, _, api)"],
        ["rules"],
        ["test", "."],
        ["review"],
        ["why-not", "shape/mismatch", "a.py:2"],
        ["check", ".", "--update-baseline"],
    ]
    yield from ((command, []) for command in plain)
    for form in ("json", "html", "markdown", "sarif"):
        yield ["check", ".", "--output", f"{form}:{report}.{form}"], [beside]
    yield ["facts", ".", "--format", "json", "--output", str(beside / "facts")], [beside]
    yield ["check", ".", "--cache-dir", str(beside / "cache")], [beside]
    yield ["check", ".", "--baseline", str(beside / "known.json"), "--update-baseline"], [beside]
    # The project itself, but neither its hooks nor anything that git reads.
    yield ["check", ".", "--fix", "--unsafe-fixes"], ["project"]
    yield ["suppress", "."], ["project"]


def parts(line):
    """The call of a line, its paths, and whether it failed."""
    found = re.match(r"(?:\[pid +\d+\] |\d+ +)?(\w+)\((.*)\) += (-?\d+|\?)", line)
    if not found:
        return None
    name, inside, result = found.groups()
    plain = lambda text: text.encode("latin-1", "replace").decode("unicode_escape").encode("latin-1", "replace").decode("utf-8", "replace")  # noqa: E731
    paths = [Path(os.path.normpath(Path(plain(folder or "/")) / plain(text))) for folder, text in PATH.findall(inside)]
    return name, inside, paths, result.startswith("-")


def offences(trace, project, allowed, may_start):
    """What a trace has that nobody asked for."""
    first = True
    scratch = Path(tempfile.gettempdir()).resolve()
    for line in trace.read_text(errors="replace").splitlines():
        if NETWORK.search(line):
            yield f"network: {line[:200]}"
        call = parts(line)
        if call is None or call[0] in ("socket", "connect"):
            continue
        name, inside, paths, failed = call
        if failed or not paths:
            continue
        if name.startswith("execve"):
            program = paths[0].resolve()
            if program.is_relative_to(project) or not (first or program.name in may_start):
                yield f"starts {program}"
            first = False
            continue
        is_open = name.startswith("open")
        if is_open and not re.search(r"O_(WRONLY|RDWR|CREAT|TRUNC|APPEND)", inside):
            continue
        for path in paths[:1] if is_open else paths:
            if str(path).startswith(("/dev/", "/proc/")):
                continue
            if path.is_relative_to(project):
                if "project" not in allowed or ".git" in path.relative_to(project).parts:
                    yield f"changes {path.relative_to(project)} of the project ({name})"
            elif not any(path.is_relative_to(it) for it in [scratch, *(it for it in allowed if isinstance(it, Path))]):
                yield f"changes {path} ({name})"


def traced(command, folder, trace, env, seconds):
    line = ["strace", "-f", "-y", "-qq", "-s", "4096", "-e", f"trace={CALLS}", "-o", str(trace), *command]
    try:
        return subprocess.run(line, cwd=folder, env=env, capture_output=True, timeout=seconds).returncode
    except subprocess.TimeoutExpired:
        return None


def checkout(source, folder):
    shutil.copytree(source, folder, symlinks=True)
    names = {f"GIT_{who}_{what}": "a" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    env = {**os.environ, **names, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"}
    for arguments in (["init", "-q"], ["add", "-A", "."], ["commit", "-qm", "one", "--allow-empty"]):
        subprocess.run(["git", *arguments], cwd=folder, env=env, check=True, capture_output=True)
    hook = folder / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nexit 0\n")
    hook.chmod(0o755)
    return hook


def of_folder(source, harp, seconds):
    """The offences of all commands over a folder."""
    with tempfile.TemporaryDirectory() as outer:
        # Beside the scratch folder, so that what lies there is not taken for it.
        outer = Path(outer).resolve()
        (outer / "beside").mkdir()
        (outer / "tmp").mkdir()
        tempfile.tempdir = str(outer / "tmp")
        folder = outer / "project"
        hook = checkout(source, folder)
        programs = [str(outer / "project" / "bin"), os.environ["PATH"]]
        env = {**os.environ, "PATH": os.pathsep.join(programs), "HOME": str(outer / "home"), "TMPDIR": str(outer / "tmp"), "HARP_NO_CACHE": "1"}
        for command, allowed in commands(outer / "beside"):
            if "--cache-dir" in command:
                env.pop("HARP_NO_CACHE", None)
            code = traced([harp, *command], folder, outer / "trace", env, seconds)
            told = [f"{' '.join(command[:3])}: {it}" for it in offences(outer / "trace", folder, allowed, {"git"} if command[0] == "review" else set())]
            if code not in (0, 1, 2, None):
                told.append(f"{' '.join(command[:3])}: exit code {code}")
            yield from told
            env["HARP_NO_CACHE"] = "1"
        if hook.read_text() != "#!/bin/sh\nexit 0\n":
            yield "the hook has other text"
        tempfile.tempdir = None


def of_script(script, harp, seconds):
    """The offences of all runs that a script makes, in a copy of its folder."""
    with tempfile.TemporaryDirectory() as outer:
        outer = Path(outer).resolve()
        folder = outer / "project"
        shutil.copytree(script.parent, folder, symlinks=True)
        for name in ("tmp", "traces"):
            (outer / name).mkdir()
        wrapper = outer / "harp"
        wrapper.write_text(f'#!/bin/sh\nexec strace -f -y -qq -s 4096 -e trace={CALLS} -o "{outer}/traces/$$" {harp} "$@"\n')
        wrapper.chmod(0o755)
        env = {**os.environ, "HARP": str(wrapper), "HOME": str(outer / "home"), "TMPDIR": str(outer / "tmp"), "HARP_NO_CACHE": "1"}
        subprocess.run(["sh", script.name], cwd=folder, env=env, capture_output=True, timeout=seconds * 20)
        tempfile.tempdir = str(outer / "tmp")
        for trace in sorted((outer / "traces").iterdir()):
            # What a script makes lies in its folder, or in a temporary one.
            yield from (f"{script.name}: {it}" for it in offences(trace, folder, {"project"}, {"git"}))
        tempfile.tempdir = None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--harp", default="target/release/harp")
    parser.add_argument("--seconds", type=int, default=120, help="for one command; one that takes longer is ended and counted")
    parser.add_argument("folders", nargs="+", type=Path)
    given = parser.parse_args()
    harp = str(Path(given.harp).resolve())
    count = total = 0
    for source in given.folders:
        total += 1
        source = source.resolve()
        found = [*of_folder(source, harp, given.seconds)]
        for script in sorted(source.rglob("*.sh")):
            found += of_script(script, harp, given.seconds)
        for offence in found:
            count += 1
            print(f"{source.name}: {offence}")
    ran = sum(1 for _ in commands(Path("x")))
    print(f"{total} folders with {ran} commands each: {count} things that nobody asked for")
    sys.exit(1 if count else 0)


main()
