"""Runs Harp on cases under limits, and finds the case that breaks one."""

import os
import re
import shutil
import signal
import subprocess
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

from .cases import Batch

# Sets limits before Harp begins: the address space, as a net below the limit of resident memory that is looked at afterwards, and seconds
# of CPU.
LIMITED = 'ulimit -v "$1"; ulimit -t "$2"; shift 2; exec "$@"'
# What threads reserve for their stacks, and the allocator for later, beside the memory that they use.
RESERVED = 4 << 30
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
class Outcome:
    """How a process ended, and what is wrong with that; empty where all held."""

    code: int = 0
    cpu: float = 0.0
    memory: int = 0
    broken: list = field(default_factory=list)
    said: bytes = b""


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
        self.environment = {"PATH": "/usr/bin:/bin", "HOME": str(self.folder), "LANG": "C.UTF-8"}

    def new_folder(self):
        with self.lock:
            self.count += 1
            return self.folder / f"run{self.count}"

    def run(self, batch):
        """Runs one process on all cases of a batch."""
        folder = self.new_folder()
        try:
            write(batch, folder / "files")
            return self.judged(*self.process(batch, folder))
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def process(self, batch, folder):
        case = batch.cases[0]
        # One case is given time to show what it takes; several are taken apart in any case.
        seconds = self.limits.cpu * 3 if len(batch.cases) == 1 else self.limits.cpu + 1
        kibibytes = (self.limits.memory + RESERVED) >> 10
        command = ["/bin/sh", "-c", LIMITED, "sh", str(kibibytes), str(int(seconds)), self.harp, *case.arguments]
        (folder / "in").write_bytes(case.stdin)
        with open(folder / "in", "rb") as given, open(folder / "out", "wb") as out, open(folder / "err", "wb") as err:
            streams = {"stdin": given, "stdout": out, "stderr": err}
            child = subprocess.Popen(command, cwd=folder / "files", env=self.environment, process_group=0, **streams)
            code, usage, late = self.wait(child, seconds * 2 + SECONDS_FOR_EACH * (1 + len(batch.cases)))
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

    def judged(self, code, usage, late, out, err):
        # What the process before `exec` held counts, too, so that small figures are those of this program.
        outcome = Outcome(code, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, said=err[-20_000:])
        if late:
            outcome.broken.append("it did not end")
        elif code == -signal.SIGXCPU or (code == -signal.SIGKILL and outcome.cpu > NEARLY * self.limits.cpu):
            outcome.broken.append("CPU")
        elif code < 0:
            outcome.broken.append(f"signal {signal.Signals(-code).name}")
        elif code > 2:
            outcome.broken.append(f"exit code {code}")
        elif outcome.cpu > self.limits.cpu:
            outcome.broken.append("CPU")
        if outcome.memory > self.limits.memory:
            outcome.broken.append("memory")
        if DEFECT.search(err) or DEFECT.search(out):
            outcome.broken.append("defect")
        return outcome

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
        if not found and outcome.broken != ["CPU"]:
            found.append(Offence(batch, outcome))
        return found

    def checked(self, batch):
        """A batch's outcome, and its offences."""
        outcome = self.run(batch)
        return outcome, self.offences(batch, outcome) if outcome.broken else []


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
