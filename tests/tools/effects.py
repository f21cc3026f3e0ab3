"""What the rules about inefficiency save, measured with the real libraries on a CPU.

    python tests/tools/effects.py                    # measures all of tests/data/effects and writes docs/effects.md
    python tests/tools/effects.py perf/full-sort     # measures this rule anew and writes the page
    python tests/tools/effects.py --only-page        # writes the page from what was measured
    python tests/tools/effects.py --find target/debug/harp   # whether Harp finds each `before`, and nothing in `after`

It needs PyTorch, torchvision, NumPy, pandas, scikit-learn, TensorFlow, JAX and TensorBoard.

`tests/data/effects/PACK/RULE.py` is a program for the rule PACK/RULE:

- its docstring says what is compared;
- `CASES` names sizes: `{"10 of 100,000": (100_000, 10)}`; the first is the one by which the rule is judged, the others show where its advice turns;
- `setup(*sizes)` makes the arguments of both functions, anew for each of them, and is not measured;
- `before(*arguments)` is what the rule finds, `after(*arguments)` what its page advises. Where both return something, it must be the same numbers;
- `ON_DEVICE = True` where waits are counted that come from moving tensors to "cuda": on tensors without contents, and without gradients;
- `MEASURE` is one of `MEASURES` below, "time" if it is left out, or several.

A program runs in a process of its own, on one processor, with one thread for each library. Time is that of the processor, in all threads of the process;
`before` and `after` alternate, `ROUNDS` times, and the least of each counts, so that other programs on the machine hardly matter. All of that
is done `SERIES` times, each in a new process. Memory is the peak of the resident set, above what is left of a run before.
"""

import argparse
import gc
import importlib.util
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = ROOT / "tests/data/effects"
MEASURED = PROGRAMS / "measured.json"
PAGE = ROOT / "docs/effects.md"
# Of these, a program belongs to the last one that it imports.
LIBRARIES = ["numpy", "pandas", "torch", "torchvision", "jax", "tensorflow"]
PACKS = ["harp", "perf", "training", "tensorflow", "jax"]
ROUNDS = 15
# Where one is many times as fast as the other, fewer rounds tell as much.
FEW, CLEAR = 5, 3
SERIES = 2
# A rule whose main case saves less than this is told on request only.
FLOOR = 1.15

MEASURES = {
    "time": "time",
    "wall time": "wall time, with child processes",
    "memory": "peak of memory",
    "waits": "times that the host waits for an accelerator",
    "moved bytes": "bytes moved to and from an accelerator",
    "counted bytes": "bytes that the functions themselves return",
}

CLOCKS = {"time": time.process_time, "wall time": time.perf_counter}

ONE_THREAD = {
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "TF_NUM_INTRAOP_THREADS": "1",
    "TF_NUM_INTEROP_THREADS": "1",
    "TF_CPP_MIN_LOG_LEVEL": "3",
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1",
    "JAX_PLATFORMS": "cpu",
    "CUDA_VISIBLE_DEVICES": "",
    "PYTHONHASHSEED": "0",
}


# ---- One program, in a process of its own ----


def load(path):
    spec = importlib.util.spec_from_file_location("program", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["program"] = module
    spec.loader.exec_module(module)
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(1)
    return module


def seed():
    import random

    random.seed(0)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(0)
    if "torch" in sys.modules:
        sys.modules["torch"].manual_seed(0)


def made(module, case):
    seed()
    arguments = module.setup(*module.CASES[case])
    return arguments if isinstance(arguments, tuple) else (arguments,)


def numbers(value):
    """All numbers of a result, in order."""
    if value is None or isinstance(value, str):
        return []
    if isinstance(value, dict):
        return [n for item in value.values() for n in numbers(item)]
    if isinstance(value, (list, tuple)):
        return [n for item in value for n in numbers(item)]
    if hasattr(value, "detach"):
        value = value.detach().cpu()
    import numpy

    return [float(n) for n in numpy.asarray(value, dtype=numpy.float64).ravel()]


def check_same(first, second):
    if first is None or second is None:
        return
    a, b = numbers(first), numbers(second)
    if len(a) != len(b):
        raise SystemExit(f"before gives {len(a)} numbers, after {len(b)}")
    scale = max([abs(n) for n in a if math.isfinite(n)], default=1.0)
    for m, n in zip(a, b):
        if not (math.isclose(m, n, rel_tol=1e-3, abs_tol=1e-3 * scale + 1e-6) or (math.isnan(m) and math.isnan(n)) or m == n):
            raise SystemExit(f"before gives {m}, after {n}")


def timed(module, case, clock):
    runs = []
    for function in (module.before, module.after):
        arguments = made(module, case)
        seed()
        result = function(*arguments)
        # Once more: what is compiled or read once for all is no part of it.
        begin = clock()
        function(*arguments)
        once = max(clock() - begin, 1e-7)
        runs.append([function, arguments, max(1, math.ceil(0.004 / once)), result])
    check_same(runs[0][3], runs[1][3])
    least = [math.inf, math.inf]
    gc.collect()
    for number in range(ROUNDS):
        if number >= FEW and least[0] > CLEAR * least[1]:
            break
        for i, (function, arguments, often, _) in enumerate(runs):
            begin = clock()
            for _ in range(often):
                function(*arguments)
            least[i] = min(least[i], (clock() - begin) / often)
    return least


def resident(field):
    for line in open("/proc/self/status"):
        if line.startswith(field):
            return int(line.split()[1]) * 1024
    raise SystemExit(f"no {field}")


def peak(module, case, which):
    """How far memory rises, with all that the program holds. `which` is run alone in its process, once before, as libraries are read from the disk when they are used."""
    import ctypes

    function = getattr(module, which)
    function(*made(module, case))
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    base = resident("VmRSS")
    # The peak is counted from here on.
    Path("/proc/self/clear_refs").write_text("5")
    held = function(*made(module, case))
    top = resident("VmHWM")
    del held
    return max(top - base, 4096)


def counting_mode(of_device):
    """A mode of PyTorch that counts what makes the host wait, and what is moved."""
    import torch
    from torch.utils._python_dispatch import TorchDispatchMode

    class Counts(TorchDispatchMode):
        def __init__(self):
            super().__init__()
            self.waits = self.moved = 0

        def __torch_dispatch__(self, function, types, args=(), kwargs=None):
            name, kwargs = function.name(), kwargs or {}
            if name == "aten::_local_scalar_dense":
                self.waits += 1
                # Tensors without contents have no number.
                return 1.0 if of_device else function(*args, **kwargs)
            if re.fullmatch(r"aten::(nonzero|masked_select|_unique2|unique_dim|unique_consecutive)(\..*)?", name):
                self.waits += 1
            if name.startswith("aten::index") and len(args) > 1 and isinstance(args[1], (list, tuple)):
                self.waits += any(i is not None and i.dtype == torch.bool for i in args[1])
            if name == "aten::_to_copy" and kwargs.get("device") is not None and torch.device(kwargs["device"]).type != args[0].device.type:
                self.moved += args[0].numel() * args[0].element_size()
                self.waits += not kwargs.get("non_blocking")
            return function(*args, **kwargs)

    return Counts()


def counted(module, case, measure, which):
    import torch

    function = getattr(module, which)
    if measure == "counted bytes":
        return function(*made(module, case))
    # A program that moves tensors needs a device that is not there.
    on_device = measure == "moved bytes" or getattr(module, "ON_DEVICE", False)
    counts = counting_mode(on_device)
    # There is no accelerator: what is called to wait for one is counted, and not called.
    torch.cuda.synchronize = lambda *_: setattr(counts, "waits", counts.waits + 1)
    if measure == "waits" and not on_device:
        arguments = made(module, case)
        with counts:
            function(*arguments)
        return counts.waits
    # Tensors without contents, which may be on a device that is not there.
    from torch._subclasses.fake_tensor import FakeTensorMode

    with FakeTensorMode(), torch.no_grad():
        arguments = made(module, case)
        with counts:
            function(*arguments)
    return counts.moved if measure == "moved bytes" else counts.waits


def run_one(path, case, measure, which):
    """In a process of its own: only that one has run the program before."""
    if measure != "wall time":
        os.sched_setaffinity(0, {sorted(os.sched_getaffinity(0))[-1]})
    module = load(path)
    if measure in CLOCKS:
        return timed(module, case, CLOCKS[measure])
    if measure == "memory":
        return peak(module, case, which)
    return counted(module, case, measure, which)


def forked(*arguments):
    """What `run_one` gives in a copy of this process, which has imported the library already and done nothing with it."""
    end, begin = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(end)
        try:
            said = {"result": run_one(*arguments)}
        except BaseException as error:
            import traceback

            said = {"error": f"{error!r} {traceback.format_exc()[-1200:]}"}
        os.write(begin, json.dumps(said).encode())
        os._exit(0)
    os.close(begin)
    with os.fdopen(end) as read:
        text = read.read()
    os.waitpid(child, 0)
    said = json.loads(text or '{"error": "the process died"}')
    if "error" in said:
        raise RuntimeError(said["error"])
    return said["result"]


# ---- All programs ----


def constants(path):
    """The docstring, `CASES` and `MEASURE` of a program, without running it."""
    import ast

    tree = ast.parse(path.read_text())
    values = {"MEASURE": "time"}
    for statement in tree.body:
        if isinstance(statement, ast.Assign) and getattr(statement.targets[0], "id", None) in ("CASES", "MEASURE"):
            values[statement.targets[0].id] = ast.literal_eval(statement.value)
    measures = values["MEASURE"]
    return ast.get_docstring(tree), list(values["CASES"]), [measures] if isinstance(measures, str) else list(measures)


def library(path):
    """The heavy library that a program imports."""
    text = path.read_text()
    return next((name for name in reversed(LIBRARIES) if re.search(rf"^(import|from) {name}\b", text, re.M)), "numpy")


def programs(wanted):
    paths = sorted(PROGRAMS.glob("*/*.py"), key=lambda p: (PACKS.index(p.parent.name), p.stem))
    for path in paths:
        rule = f"{path.parent.name}/{path.stem}"
        if not wanted or rule in wanted:
            yield rule, path


def measure_group(name, wanted):
    """In a process of its own: all wanted programs of a library. Whether all of them could be measured."""
    importlib.import_module(name)
    if name == "torch":
        importlib.import_module("numpy")
    well = True
    for rule, path in programs(wanted):
        _, cases, measures = constants(path)
        rows = []
        try:
            for case in cases:
                for measure in measures:
                    parts = ["both"] if measure in CLOCKS else ["before", "after"]
                    series = [[forked(path, case, measure, part) for part in parts] for _ in range(SERIES)]
                    rows.append({"case": case, "measure": measure, "series": [pair[0] if measure in CLOCKS else pair for pair in series]})
                    told = "  ".join(f"{ratio(pair):.3g}" for pair in rows[-1]["series"])
                    print(f"{rule:40} {case:45} {measure:12} {told}", flush=True)
        except RuntimeError as error:
            print(f"{rule}: {error}", flush=True)
            well = False
            continue
        kept = json.loads(MEASURED.read_text()) if MEASURED.exists() else {}
        kept[rule] = rows
        MEASURED.write_text(json.dumps(dict(sorted(kept.items())), indent=1) + "\n")
    return well


def measure_all(wanted):
    groups = {}
    for rule, path in programs(wanted):
        groups.setdefault(library(path), []).append(rule)
    failed = False
    # What takes longest comes last.
    for name, rules in sorted(groups.items(), key=lambda group: LIBRARIES.index(group[0])):
        done = subprocess.run([sys.executable, __file__, "--group", name, *rules], env={**os.environ, **ONE_THREAD})
        failed |= done.returncode != 0
    return failed


# ---- The page ----


def ratio(pair):
    before, after = pair
    if after == 0:
        return math.inf if before else 1.0
    return before / after


def of_series(row):
    """The ratio of the least of all series."""
    befores, afters = zip(*row["series"])
    return ratio((min(befores), min(afters)))


def spread(row):
    """By how much the ratios of the series differ, in per cent."""
    ratios = [ratio(pair) for pair in row["series"]]
    return 0.0 if math.inf in ratios else (max(ratios) / min(ratios) - 1) * 100


def amount(value, measure):
    if "bytes" in measure or measure == "memory":
        for unit, size in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
            if value >= size:
                return f"{value / size:.3g} {unit}"
        return f"{value:.0f} B"
    if measure == "waits":
        return str(value)
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if value >= size:
            return f"{value / size:.3g} {unit}"
    return f"{value * 1e9:.0f} ns"


def shown(value):
    if value == math.inf:
        return "all"
    if value >= 100:
        return f"{float(f'{value:.2g}'):,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def on_request(rule):
    """Whether the rule is told on request only, as its Datalog says."""
    pack = ROOT / "rules" / rule.split("/")[0] / "rules"
    for file in pack.glob("**/*.dl"):
        found = re.search(rf"^/// @id {re.escape(rule)}\s.*$", file.read_text(), re.M)
        if found:
            return "@on-request" in found[0]
    raise SystemExit(f"no rule {rule}")


def all_rules():
    for pack in PACKS:
        for page in sorted((ROOT / "rules" / pack).glob("*.md")):
            yield f"{pack}/{page.stem}"


def not_measured():
    """Rules without a program, and why: lines `RULE: WHY`."""
    lines = (PROGRAMS / "not-measured.txt").read_text().splitlines()
    return dict(line.split(": ", 1) for line in lines if line and not line.startswith("#"))


def versions():
    import importlib.metadata as metadata

    names = {"PyTorch": "torch", "NumPy": "numpy", "pandas": "pandas", "TensorFlow": "tensorflow-cpu", "Keras": "keras", "JAX": "jax"}
    found = []
    for shown_as, name in names.items():
        try:
            found.append(f"{shown_as} {metadata.version(name).split('+')[0]}")
        except metadata.PackageNotFoundError:
            continue
    return ", ".join(found)


def rows_of(rule, rows, docstring):
    link = f"[{rule}](../rules/{rule}.md)" + (" (on request)" if on_request(rule) else "")
    what = " ".join(docstring.split())
    # Pages of memory are too coarse for less.
    rows = [row for row in rows if row["measure"] != "memory" or max(map(max, row["series"])) >= 1e6]
    for number, row in enumerate(rows):
        befores, afters = zip(*row["series"])
        value, differs = of_series(row), spread(row)
        yield (
            f"| {link if number == 0 else ''} | {what if number == 0 else ''} | {row['case']} | {row['measure']} "
            f"| {amount(min(befores), row['measure'])} | {amount(min(afters), row['measure'])} | {shown(value)} | {differs:.0f} % |"
        )


def page(machine):
    measured = json.loads(MEASURED.read_text())
    missing = not_measured()
    text = (PROGRAMS / "page.md").read_text().replace("{versions}", versions()).replace("{machine}", machine).replace("{floor}", str(FLOOR))
    blocks = []
    for pack in PACKS:
        lines = [f"## {pack}", "", "| rule | what is compared | sizes | of what | before | after | ratio | differs |", "|---|---|---|---|---:|---:|---:|---:|"]
        for rule, path in programs(None):
            if rule.startswith(pack + "/") and rule in measured:
                lines += rows_of(rule, measured[rule], constants(path)[0])
        blocks.append("\n".join(lines))
    lines = ["| rule | why |", "|---|---|"]
    for rule in all_rules():
        if rule in missing:
            lines.append(f"| [{rule}](../rules/{rule}.md){' (on request)' if on_request(rule) else ''} | {missing[rule]} |")
        elif rule not in measured and not rule.startswith("training/"):
            print(f"neither measured nor said why not: {rule}")
    PAGE.write_text(text.replace("{tables}", "\n\n".join(blocks)).replace("{not measured}", "\n".join(lines)))
    for rule, rows in sorted(measured.items()):
        main = [row for row in rows if row["case"] == rows[0]["case"]]
        if max(of_series(row) for row in main) < FLOOR and not on_request(rule):
            print(f"{rule} saves less than {FLOOR}, and is on by default")
        for row in rows:
            if spread(row) > 10 and of_series(row) < 3:
                print(f"{rule}, {row['case']}, {row['measure']}: the series differ by {spread(row):.0f} %")


# ---- What Harp says of the programs ----


def findings(harp, rule, text):
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "program.py")
        file.write_text(text)
        command = [harp, "check", str(file), "--format", "json", "--threads", "1", "--extend-select", rule, "--no-cache"]
        done = subprocess.run(command, capture_output=True, text=True, cwd=folder)
    return re.findall(rf'"{re.escape(rule)}"', done.stdout)


def find_all(harp, wanted):
    """Each function of a program is called with the sizes of its cases, and Harp asked for the rule."""
    for rule, path in programs(wanted):
        for case in constants(path)[1]:
            said = []
            for function in ("before", "after"):
                text = path.read_text() + f"\n\narguments = setup(*CASES[{case!r}])\n{function}(*arguments)\n"
                other = "after" if function == "before" else "before"
                # The other function is left out: it would be an entry of its own.
                text = re.sub(rf"(?ms)^def {other}\(.*?(?=^\S|\Z)", "", text)
                said.append(bool(findings(harp, rule, text)))
            print(f"{rule:40} {case:45} before: {'found' if said[0] else '-':6} after: {'found' if said[1] else '-'}", flush=True)


def main():
    if sys.argv[1:2] == ["--group"]:
        return 0 if measure_group(sys.argv[2], sys.argv[3:]) else 1
    parser = argparse.ArgumentParser(description="Measure what the rules about inefficiency save, and write docs/effects.md.")
    parser.add_argument("rules", nargs="*", metavar="RULE")
    parser.add_argument("--only-page", action="store_true", help="write the page from what was measured")
    parser.add_argument("--find", metavar="HARP", help="ask this Harp what it finds in the programs, and measure nothing")
    parser.add_argument("--machine", default="2-core x86-64 machine", help="what the page calls the machine")
    options = parser.parse_args()
    if options.find:
        return find_all(options.find, options.rules)
    failed = not options.only_page and measure_all(options.rules)
    page(options.machine)
    return "some programs could not be measured" if failed else None


if __name__ == "__main__":
    sys.exit(main())
