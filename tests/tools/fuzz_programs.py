#!/usr/bin/env python3
"""Looks for inputs on which Harp fails or takes too much: programs and data files that are generated, or made of real ones.

    python3 tests/tools/fuzz_programs.py --harp target/release/harp --programs 100000 --data 20000 --jobs 2 --seed 1
        [--corpus DIR …] [--keep DIR]

An input offends where Harp is ended by a signal or has another exit code than 0, 1 and 2, where it says that it failed, where it uses more
than 2 GiB of resident memory, and where one input alone takes more than 20 seconds of CPU. Inputs are run in batches; a batch that breaks a
limit is halved until the input is found. Harp follows a program further, the smaller its project is, so that every tenth batch is run
program by program, and with `--together 1` every one is.

With each batch of programs, one thing is done that the seed draws (`fuzzing/scenarios.py`): `check` in one form or several, `infer`, `query`,
`graph`, `facts`, `explain`, `why-not`; the same on one thread and on two, with a cold, a warm and a corrupted cache; `check --fix` and
`suppress` in the batch's own copy, twice; a baseline that is written, read, and corrupted; a review of two versions in a repository, and of
a patch. What must hold besides (`fuzzing/oracles.py`):

  - each form parses: JSON without twin keys, XML, pages whose elements are closed, tables, drawings, stubs, texts without characters that
    change a terminal;
  - one thread and two, and the cache however it is, give the same bytes and the same exit code;
  - edited files compile where they did before, and a second run edits nothing;
  - a baseline knows all that it was made of.

What rests on a ceiling of memory or time, or says that another run goes on, is exempt from being equal, and counted. The tables at the end
have the figures of each command and of each of these. Scenarios of many steps take few programs at a time.

The same seed gives the same inputs, however many jobs there are. `--keep` is a folder for the files of offenders; its INDEX has the
commands that show them. `--only program:1234` runs one input again, and `--write DIR` writes it out. The exit code is 0 where nothing
offends, else 1.
"""

import argparse
import itertools
import signal
import sys
import tempfile
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from fuzzing import programs  # noqa: E402
from fuzzing.corpus import Corpus  # noqa: E402
from fuzzing.data_files import Data  # noqa: E402
from fuzzing.figures import Figures, say  # noqa: E402
from fuzzing.running import Limits, Runner, Stopping, write  # noqa: E402


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--harp", default="target/release/harp", help="the program to try")
    parser.add_argument("--programs", type=int, default=1000, metavar="COUNT")
    parser.add_argument("--data", type=int, default=1000, metavar="COUNT", help="data files")
    parser.add_argument("--together", type=int, default=25, metavar="COUNT", help="programs in one process")
    parser.add_argument("--jobs", type=int, default=1, metavar="COUNT", help="processes at once")
    parser.add_argument("--seed", default="1", help="another seed gives other inputs")
    parser.add_argument("--corpus", action="append", default=[], metavar="DIR", help="a folder with programs to make others of")
    parser.add_argument("--keep", metavar="DIR", help="where the files of offenders are put")
    parser.add_argument("--cpu", type=float, default=20.0, metavar="SECONDS", help="for one input")
    parser.add_argument("--memory", type=float, default=2.0, metavar="GIB", help="resident, of one process")
    parser.add_argument("--only", metavar="KIND:NUMBER", help="one input of this kind: program, settings, …")
    parser.add_argument("--write", metavar="DIR", help="with --only: write the input there and do not run it")
    return parser.parse_args()


def works(given, corpus):
    """What makes each batch, one after another."""
    data = Data(given.seed, corpus)
    if given.only:
        kind, number = given.only.split(":")
        return [one(kind, int(number), given, corpus, data)]
    shares = programs.batches(given.seed, given.programs, given.together)
    of_programs = [lambda shared=shared: programs.batch(given.seed, *shared, corpus) for shared in shares]
    of_data = [lambda shared=shared: data.batch(*shared) for shared in data.batches(given.data)]
    # In turns, so that a run that is stopped early has tried both.
    return [work for pair in itertools.zip_longest(of_programs, of_data) for work in pair if work]


def one(kind, number, given, corpus, data):
    if kind == "program":
        return lambda: programs.batch(given.seed, number // given.together, number, number + 1, corpus)
    return lambda: data.batch(kind, 0, number, number + 1)


def run_all(given, work, runner, figures):
    def task(make):
        batch = make()
        return batch, *runner.checked(batch)

    total = given.programs + given.data
    executor = ThreadPoolExecutor(given.jobs)
    left, running = iter(work), set()
    try:
        while True:
            running |= {executor.submit(task, make) for make in itertools.islice(left, 2 * given.jobs - len(running))}
            if not running:
                return
            done, running = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                figures.add(*future.result())
            figures.progress(total)
    except BaseException:
        runner.stop.set()
        raise
    finally:
        executor.shutdown(cancel_futures=True)


def stopped(*_):
    raise KeyboardInterrupt


def main():
    given = options()
    if not Path(given.harp).is_file():
        sys.exit(f"{given.harp} is no program")
    signal.signal(signal.SIGTERM, stopped)
    corpus = Corpus(given.corpus)
    work = works(given, corpus)
    if given.write:
        write(work[0](), Path(given.write))
        return 0
    figures = Figures(given.keep)
    with tempfile.TemporaryDirectory(prefix="harp-fuzz-") as folder:
        runner = Runner(given.harp, Limits(given.cpu, int(given.memory * (1 << 30))), folder)
        try:
            run_all(given, work, runner, figures)
        except (KeyboardInterrupt, Stopping):
            say("stopped")
            figures.show()
            return 1
        try:
            figures.show(runner)
        except (KeyboardInterrupt, Stopping):
            say("stopped before it was known which input takes most")
    return 1 if figures.offences else 0


if __name__ == "__main__":
    sys.exit(main())
