"""Runs Harp on cases under limits, and finds the case that breaks one."""

import itertools
import os
import random
import re
import shutil
import signal
import subprocess
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

from .cases import Batch
from .oracles import misfit

# Sets limits before Harp begins: the address space, as a net below the limit of resident memory that is looked at afterwards, and seconds
# of CPU.
LIMITED = 'ulimit -v "$1"; ulimit -t "$2"; shift 2; exec "$@"'
# What threads reserve for their stacks, and the allocator for later, beside the memory that they use.
RESERVED = 4 << 30
RAN_OUT = re.compile(rb": (?:memory|time)\b|(?:memory|time) ran out|can be fixed by another run")
DEFECT = re.compile(rb"a defect in Harp|Harp failed on|defect of Harp")
PLACE = re.compile(rb"panicked at ([^\n]*)")
LOOK_EVERY = 0.004
# What ends a process for its seconds of CPU counts a little otherwise than what tells them afterwards.
NEARLY = 0.95
# The clock goes on while others use the processors: only what waits for nothing at all is ended by it.
SECONDS_FOR_EACH = 30


@dataclass
class Limits:
    cpu: float = 20.0
    memory: int = 2 << 30


@dataclass
class Process:
    """How a process ended, and what is wrong with that; empty where all held."""

    label: str = ""
    arguments: tuple = ()
    cases: int = 0
    code: int = 0
    cpu: float = 0.0
    memory: int = 0
    broken: list = field(default_factory=list)
    out: bytes = b""
    err: bytes = b""

    @property
    def ran_out(self):
        """Whether what it says rests on how much time or memory there was."""
        return bool(RAN_OUT.search(self.out) or RAN_OUT.search(self.err))


@dataclass
class Outcome:
    """What the processes of a batch took, and what is wrong with them."""

    processes: list = field(default_factory=list)
    # By the name of what must hold: how often it held, was not asked for, and did not hold.
    oracles: dict = field(default_factory=dict)
    broken: list = field(default_factory=list)
    said: bytes = b""

    @property
    def cpu(self):
        return max((process.cpu for process in self.processes), default=0.0)

    @property
    def memory(self):
        return max((process.memory for process in self.processes), default=0)


@dataclass
class Offence:
    batch: Batch
    outcome: Outcome

    def place(self):
        """Where Harp failed, or what was broken: two offences with the same are alike."""
        found = PLACE.search(self.outcome.said)
        return found[1].decode(errors="replace")[:200] if found else ", ".join(self.outcome.broken)


class Stopping(Exception):
    """The user has asked for an end."""


class Runner:
    def __init__(self, harp, limits, folder):
        self.harp = str(Path(harp).resolve())
        self.limits = limits
        self.folder = Path(folder)
        self.stop = threading.Event()
        self.count = 0
        self.lock = threading.Lock()
        # No configuration of the user, no backtraces, and no faults that tests ask for.
        self.environment = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(self.folder), "LANG": "C.UTF-8"}

    def new_folder(self):
        with self.lock:
            self.count += 1
            return self.folder / f"run{self.count}"

    def run(self, batch):
        """Does what is to be done with all cases of a batch."""
        folder = self.new_folder()
        session = Session(self, batch, folder)
        try:
            write(batch, folder / "files")
            batch.scenario(session, random.Random(f"scenario {batch.seed}"))
        except Broken:
            pass
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        return session.outcome

    def process(self, cases, folder, arguments, stdin):
        # One case is given time to show what it takes; several are taken apart in any case.
        seconds = self.limits.cpu * 3 if cases == 1 else self.limits.cpu + 1
        kibibytes = (self.limits.memory + RESERVED) >> 10
        command = ["/bin/sh", "-c", LIMITED, "sh", str(kibibytes), str(int(seconds)), self.harp, *arguments]
        (folder / "in").write_bytes(stdin)
        with open(folder / "in", "rb") as given, open(folder / "out", "wb") as out, open(folder / "err", "wb") as err:
            streams = {"stdin": given, "stdout": out, "stderr": err}
            child = subprocess.Popen(command, cwd=folder / "files", env=self.environment, process_group=0, **streams)
            code, usage, late = self.wait(child, seconds * 2 + SECONDS_FOR_EACH * (1 + cases))
        return code, usage, late, (folder / "out").read_bytes(), (folder / "err").read_bytes()

    def wait(self, child, seconds):
        """Waits for the end of a process with what it used; ends it when its time is over or everything is to stop."""
        until, late = time.monotonic() + seconds, False
        try:
            while True:
                pid, status, usage = os.wait4(child.pid, os.WNOHANG)
                if pid:
                    child.returncode = os.waitstatus_to_exitcode(status)
                    return child.returncode, usage, late
                if self.stop.is_set():
                    raise Stopping
                if time.monotonic() > until:
                    late = True
                    end(child)
                time.sleep(LOOK_EVERY)
        finally:
            if child.returncode is None:
                end(child)
                child.wait()

    def judged(self, process, usage, late):
        # What the process before `exec` held counts, too, so that small figures are those of this program.
        process.cpu, process.memory = usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024
        code, broken = process.code, process.broken
        if late:
            broken.append("it did not end")
        elif code == -signal.SIGXCPU or (code == -signal.SIGKILL and process.cpu > NEARLY * self.limits.cpu):
            broken.append("CPU")
        elif code < 0:
            broken.append(f"signal {signal.Signals(-code).name}")
        elif code > 2:
            broken.append(f"exit code {code}")
        elif process.cpu > self.limits.cpu:
            broken.append("CPU")
        if process.memory > self.limits.memory:
            broken.append("memory")
        if DEFECT.search(process.err) or DEFECT.search(process.out):
            broken.append("defect")
        return process

    def offences(self, batch, outcome):
        """The smallest parts of a batch that break a limit, with all outcomes on the way there."""
        if len(batch.cases) == 1:
            return [Offence(batch, outcome)]
        found = []
        for half in batch.halves():
            of_half = self.run(half)
            if of_half.broken:
                found += self.offences(half, of_half)
        # CPU adds up and is no offence of several; all else that only several show together is one.
        if not found and set(outcome.broken) != {"CPU"}:
            found.append(Offence(batch, outcome))
        return found

    def checked(self, batch):
        """A batch's outcome, and its offences."""
        outcome = self.run(batch)
        return outcome, self.offences(batch, outcome) if outcome.broken else []


class Broken(Exception):
    """A process broke a limit: what would come after it tells nothing more."""


class Session:
    """What is done with a batch in a folder of its own, and what came of it."""

    def __init__(self, runner, batch, folder):
        self.runner, self.batch, self.folder = runner, batch, folder
        self.files = folder / "files"
        self.environment = runner.environment
        self.outcome = Outcome()

    def sources(self):
        return sorted(path for path in self.files.rglob("*.py") if path.is_file())

    def run(self, *arguments, stdin=b"", label=None):
        cases = len(self.batch.cases)
        code, usage, late, out, err = self.runner.process(cases, self.folder, arguments, stdin)
        process = Process(label or arguments[0], arguments, cases, code, out=out, err=err)
        self.runner.judged(process, usage, late)
        self.outcome.processes.append(process)
        if process.broken:
            self.outcome.broken += [what for what in process.broken if what not in self.outcome.broken]
            self.outcome.said = (process.err + process.out if b"defect" in process.out else process.err)[-20_000:]
            raise Broken
        return process

    def must(self, name, trouble, exempt=False):
        """Counts whether something holds; `trouble` says why it does not."""
        counts = self.outcome.oracles.setdefault(name, [0, 0, 0])
        counts[1 if exempt else 2 if trouble else 0] += 1
        if trouble and not exempt:
            if f"oracle: {name}" not in self.outcome.broken:
                self.outcome.broken.append(f"oracle: {name}")
            self.outcome.said += f"{name}: {trouble}\n".encode()

    def misfit(self, form, data):
        return misfit(form, data)

    def parses(self, form, process):
        # What could not be done has no report.
        self.must(f"{form} parses", misfit(form, process.out), exempt=process.code == 2 and not process.out)

    def same(self, name, one, two):
        is_same = (one.code, one.out) == (two.code, two.out)
        trouble = "" if is_same else f"{difference(one.out, two.out)} (exit codes {one.code} and {two.code})"
        self.must(f"{name}: equal bytes", trouble, exempt=one.ran_out or two.ran_out)


def difference(one, two):
    pairs = itertools.zip_longest(one.splitlines(), two.splitlines())
    first = next(((number, pair) for number, pair in enumerate(pairs, 1) if pair[0] != pair[1]), None)
    return f"line {first[0]}: {str(first[1])[:400]}" if first else "equal lines"


def end(child):
    """Ends a process with those that it has started."""
    try:
        os.killpg(child.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def write(batch, folder):
    folder.mkdir(parents=True)
    alone = len(batch.cases) == 1
    for case in batch.cases:
        base = folder if alone or case.is_flat else folder / case.name
        for path, data in case.files.items():
            path = base / path
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
    # A configuration is searched no further than the root of a checkout.
    (folder / ".git").mkdir(exist_ok=True)
