"""What is told of a run: figures, offenders with their files, and progress on a terminal."""

import heapq
import itertools
import shlex
import shutil
import sys
import time
from pathlib import Path

from .running import Offence, write

# Of batches that took most, so many are run case by case at the end, to name the case that takes most.
TAKEN_APART = 3
# Of offences that are alike, so many are kept.
KEPT_ALIKE = 10


class Figures:
    def __init__(self, keep):
        self.keep = Path(keep) if keep else None
        self.started = time.monotonic()
        self.cases = {}
        self.codes = {}
        self.commands = {}
        self.oracles = {}
        self.offences = []
        self.alike = {}
        self.offenders = set()
        self.heaviest, self.slowest = [], []
        self.cpu = 0.0
        # Of equal figures no batches are compared.
        self.turn = itertools.count()
        self.last_shown = 0.0
        if self.keep:
            self.keep.mkdir(parents=True, exist_ok=True)

    def add(self, batch, outcome, offences):
        self.cases[batch.kind] = self.cases.get(batch.kind, 0) + len(batch.cases)
        for process in outcome.processes:
            self.codes[process.code] = self.codes.get(process.code, 0) + 1
            self.cpu += process.cpu
            self.commands.setdefault(process.label, Command()).add(process)
        for name, counts in outcome.oracles.items():
            self.oracles[name] = [sum(pair) for pair in zip(self.oracles.get(name, (0, 0, 0)), counts)]
        for heap, figure in ((self.heaviest, outcome.memory), (self.slowest, outcome.cpu)):
            heapq.heappush(heap, (figure, batch.kind, batch.name(), next(self.turn), batch, outcome))
            if len(heap) > TAKEN_APART:
                heapq.heappop(heap)
        for offence in offences:
            self.offend(offence)

    def offend(self, offence):
        self.offences.append(offence)
        self.offenders.add((offence.batch.kind, offence.batch.name()))
        place = offence.place()
        self.alike.setdefault(place, []).append(offence)
        say(f"{', '.join(offence.outcome.broken)}: {offence.batch.kind} {offence.batch.name()}: {place}")
        if self.keep and len(self.alike[place]) <= KEPT_ALIKE:
            self.put_away(offence, place)

    def put_away(self, offence, place):
        """The files of an offence, and a line of the index with the command that shows it."""
        batch, outcome = offence.batch, offence.outcome
        name = f"{batch.kind}-{batch.name()}"
        shutil.rmtree(self.keep / name, ignore_errors=True)
        write(batch, self.keep / name)
        case = batch.cases[0]
        command = " && ".join(shlex.join(["harp", *process.arguments]) for process in outcome.processes)
        if case.stdin:
            (self.keep / f"{name}.in").write_bytes(case.stdin)
            command += f" < ../{name}.in"
        (self.keep / f"{name}.said").write_bytes(outcome.said)
        codes = ", ".join(str(process.code) for process in outcome.processes)
        broken = f"{', '.join(outcome.broken)}; {outcome.cpu:.1f} s of CPU, {outcome.memory >> 20} MiB, exit codes {codes}"
        with open(self.keep / "INDEX", "a", encoding="utf-8") as index:
            index.write(f"{name}\t{broken}\t{place}\tcd {name} && {command}\n")

    def progress(self, total):
        now = time.monotonic()
        if sys.stderr.isatty() and now - self.last_shown > 0.5:
            self.last_shown = now
            done = sum(self.cases.values())
            line = f"{done} of {total}, {len(self.offences)} offences, {now - self.started:.0f} s"
            print(f"\r{line}\x1b[K", end="", file=sys.stderr, flush=True)

    def most(self, runner):
        """The case that took most memory, and the one that took most CPU: figure and name. What breaks a limit alone is an offence."""
        found = []
        for heap, figure in ((self.heaviest, "memory"), (self.slowest, "cpu")):
            best = (0, "none")
            for *_, batch, outcome in heap:
                for case, of_case in self.alone(batch, outcome, runner):
                    best = max(best, (getattr(of_case, figure), case))
            found.append(best)
        return found

    def alone(self, batch, outcome, runner):
        """The cases of a batch, each run by itself: name and outcome."""
        for case in batch.cases:
            if len(batch.cases) > 1:
                alone = batch.part([case])
                outcome = runner.run(alone)
                if outcome.broken and (batch.kind, case.name) not in self.offenders:
                    self.offend(Offence(alone, outcome))
            yield f"{batch.kind} {case.name}", outcome

    def show(self, runner=None):
        """Prints everything; with a runner, also which case took most."""
        clear()
        programs = self.cases.get("programs", 0)
        print(f"programs            {programs}")
        print(f"data files          {sum(self.cases.values()) - programs}")
        for kind, count in sorted(self.cases.items()):
            if kind != "programs":
                print(f"  {kind:17} {count}")
        print(f"processes by exit   {', '.join(f'{code}: {count}' for code, count in sorted(self.codes.items()))}")
        print(f"defects             {sum('defect' in offence.outcome.broken for offence in self.offences)}")
        print(f"ended by a signal   {sum(command.signals for command in self.commands.values())}")
        print(f"oracles that failed {sum(counts[2] for counts in self.oracles.values())}")
        print(f"offences            {len(self.offences)}")
        for place, alike in sorted(self.alike.items()):
            print(f"  {len(alike)} × {place}, such as {alike[0].batch.kind} {alike[0].batch.name()}")
        self.show_tables()
        # Of one process, also of several cases together.
        print(f"memory of a process {max((entry[0] for entry in self.heaviest), default=0) >> 20} MiB")
        print(f"CPU in all          {self.cpu:.0f} s")
        print(f"elapsed             {time.monotonic() - self.started:.0f} s", flush=True)
        # This takes a while, and whoever stops it has seen the rest.
        if runner:
            (memory, heavy), (cpu, slow) = self.most(runner)
            print(f"highest memory      {memory >> 20} MiB, {heavy}")
            print(f"highest CPU         {cpu:.1f} s, {slow}", flush=True)


    def show_tables(self):
        print("\n| command | inputs | processes | defects | signals | ran out | most memory | most CPU |\n|---|---|---|---|---|---|---|---|")
        for label, command in sorted(self.commands.items()):
            print(f"| {label} {command.row()}")
        print("\n| what must hold | held | exempt | failed |\n|---|---|---|---|")
        for name, counts in sorted(self.oracles.items()):
            print(f"| {name} | {' | '.join(map(str, counts))} |")
        print()


class Command:
    """What the processes of one command took."""

    def __init__(self):
        self.cases = self.processes = self.defects = self.signals = self.ran_out = self.memory = 0
        self.cpu = 0.0

    def add(self, process):
        self.cases += process.cases
        self.processes += 1
        self.defects += "defect" in process.broken
        self.signals += any(what.startswith("signal") for what in process.broken)
        self.ran_out += process.ran_out
        self.memory, self.cpu = max(self.memory, process.memory), max(self.cpu, process.cpu)

    def row(self):
        figures = (self.cases, self.processes, self.defects, self.signals, self.ran_out, f"{self.memory >> 20} MiB", f"{self.cpu:.1f} s")
        return "".join(f"| {figure} " for figure in figures) + "|"


def clear():
    if sys.stderr.isatty():
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def say(line):
    clear()
    print(line, flush=True)
