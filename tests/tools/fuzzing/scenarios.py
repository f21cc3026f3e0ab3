"""What is done with the programs of a batch: one command, or several that must go together. The seed draws one for each batch."""

import json
import os
import random
import subprocess

from .cases import COMMON
from .oracles import compiling
from .tokens import rebyte

QUERIES = (
    "inside(s, l), call(e, s, api)",
    "call(e, s, api), match(\".*(matmul|Linear).*\", api)",
    "violated(r), requirement(r, e, m)",
    "r(x, y) :- assigned(x, _, y). q(x, z) :- r(x, y), r(z, y), x != z.",
    "harp/loop-invariant.steady(e, l)",
    "n = count : { call(_, _, _) }",
    "mutated_in(v, l)",
    "flows(a, b)",
    "operation_in(o, l)",
)
RULES = ("shape/mismatch", "shape/possible", "harp/loop-invariant", "perf/to-in-loop", "python/attribute", "perf/nothing")
FORMS = ("text", "concise", "json", "json-lines", "sarif", "github", "gitlab", "junit", "html", "markdown")
OF_REVIEWS = ("text", "concise", "markdown", "json", "json-lines", "sarif", "github", "github-review", "gitlab", "junit")
PLAIN = ("--no-cache", "--threads", "1")
# Of the findings of a batch, so many are asked about.
ASKED = 2
GIT = {
    "GIT_CONFIG_NOSYSTEM": "1", "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b",
    "GIT_AUTHOR_DATE": "2026-01-01T00:00:00Z", "GIT_COMMITTER_DATE": "2026-01-01T00:00:00Z", "HOME": "/nonexistent",
}
# Of a batch, reviews, patches and edits are many times the work of a check.
FEW = 5


def as_said(session, draw):
    case = session.batch.cases[0]
    form = case.arguments[case.arguments.index("--format") + 1] if "--format" in case.arguments else "text"
    arguments = (*case.arguments, "--no-cache") if case.arguments[0] == "check" else case.arguments
    result = session.run(*arguments, stdin=case.stdin)
    session.parses(form, result)


def check(session, draw):
    more = draw.choice(((), (), (), ("--explain-path", "--verbose"), ("--coverage",), ("--statistics",), ("--certain-only",)))
    form = "text" if "--statistics" in more or "--coverage" in more else "json"
    session.parses(form, session.run("check", *PLAIN, "--format", form, *more, "."))


def form(session, draw):
    chosen = draw.choice(FORMS)
    more = draw.choice(((), ("--verbose",), ("--explain-path",)))
    result = session.run("check", *PLAIN, "--format", chosen, *more, ".", label=f"check {chosen}")
    session.parses(chosen, result)


def several_forms(session, draw):
    chosen = draw.sample(FORMS, 4)
    outputs = [word for number, one in enumerate(chosen) for word in ("--output", f"{one}:../said{number}")]
    session.run("check", *PLAIN, *outputs, ".", label="check, pages and forms")
    for number, one in enumerate(chosen):
        path = session.folder / f"said{number}"
        if path.exists():
            session.must(f"{one} parses", session.misfit(one, path.read_bytes()))


def infer(session, draw):
    chosen = draw.choice(("json", "json", "json", "text", "pyi", "jaxtyping"))
    more = draw.choice(((), ("--all",))) if chosen in ("json", "text") else ()
    session.parses(chosen, session.run("infer", "--threads", "1", "--format", chosen, *more, "."))


def query(session, draw):
    chosen = draw.choice(("json", "json", "csv", "text"))
    more = draw.choice((("--assumptions",), ("--limit", "0"), ()))
    session.parses(chosen, session.run("query", draw.choice(QUERIES), "--threads", "1", "--format", chosen, *more, "."))


def graph(session, draw):
    session.parses("dot", session.run("graph", "--threads", "1", "."))


def facts(session, draw):
    if draw.random() < 0.5:
        session.run("facts", *COMMON, "--output", "../facts", ".")
        path = session.folder / "facts/facts.json"
        if path.exists():
            session.must("json parses", session.misfit("json", path.read_bytes()))
        return
    session.run("facts", "--threads", "1", "--output", "../facts", ".")
    for path in sorted((session.folder / "facts").glob("*.facts")):
        session.must("souffle parses", session.misfit("souffle", path.read_bytes()))


def explain(session, draw):
    for finding in found(session, draw):
        place = finding["place"]
        name = f"{finding['rule']}@{place['file']}:{place['start']['line']}:{place['start']['column']}"
        chosen = draw.choice(("json", "text"))
        session.parses(chosen, session.run("explain", name, "--threads", "1", "--format", chosen, "."))


def why_not(session, draw):
    for _ in range(ASKED):
        path = draw.choice(session.sources())
        lines = max(1, path.read_bytes().count(b"\n"))
        place = f"{path.relative_to(session.files)}:{draw.randint(1, lines)}"
        chosen = draw.choice(("json", "text"))
        session.parses(chosen, session.run("why-not", draw.choice(RULES), place, "--threads", "1", "--format", chosen))


def found(session, draw):
    """Some of the findings of a check."""
    result = session.run("check", *PLAIN, "--format", "json", ".")
    try:
        findings = json.loads(result.out)["findings"]
    except (ValueError, KeyError):
        return []
    return draw.sample(findings, min(ASKED, len(findings)))


def threads(session, draw):
    command = draw.choice((
        ("check", "--no-cache", "--format", "json", "--verbose"), ("check", "--no-cache", "--format", "sarif"), ("infer", "--format", "json"),
        ("query", draw.choice(QUERIES), "--format", "json"), ("check", "--no-cache", "--format", "markdown"), ("graph",),
    ))
    one, two = (session.run(*command, "--threads", count, ".", label=f"{command[0]} on {count} threads") for count in "12")
    session.same("threads", one, two)


def cache(session, draw):
    command = ("check", "--threads", "1", "--format", draw.choice(("json", "sarif", "text")), "--cache-dir", "../cache", ".")
    cold = session.run(*command, label="check, cache cold")
    session.same("cold and warm", cold, session.run(*command, label="check, cache warm"))
    kept = [path for path in sorted((session.folder / "cache").rglob("*")) if path.is_file()]
    for path in draw.sample(kept, min(len(kept), 3)):
        path.write_bytes(rebyte(draw, path.read_bytes()))
    session.same("cache corrupted", cold, session.run(*command, label="check, cache corrupted"))


def fix(session, draw):
    more = draw.choice(((), ("--unsafe-fixes",)))
    session.parses("diff", session.run("check", *PLAIN, *more, "--diff", ".", label="check --diff"))
    edited(session, draw, ("check", *PLAIN, "--fix", *more, "."), "check --fix")


def suppress(session, draw):
    session.parses("diff", session.run("suppress", "--threads", "1", "--diff", ".", label="suppress --diff"))
    edited(session, draw, ("suppress", "--threads", "1", "."), "suppress")


def edited(session, draw, command, label):
    """Edits the files of the batch, twice."""
    sources = session.sources()
    before = {path: path.read_bytes() for path in sources}
    compile_before = compiling(sources)
    session.run(*command, label=label)
    after = {path: path.read_bytes() for path in sources}
    changed = [path for path in sources if after[path] != before[path]]
    broken = {path for path in changed if path in compile_before} - compiling(changed)
    session.must(f"{label}: edited files compile", ", ".join(sorted(path.name for path in broken)))
    again = session.run(*command, label=label)
    names = sorted(path.name for path in sources if path.read_bytes() != after[path])
    session.must(f"{label}: a second run changes nothing", ", ".join(names), exempt=again.ran_out)


def baseline(session, draw):
    session.run("check", *PLAIN, "--baseline", "../known.json", "--update-baseline", ".", label="check --update-baseline")
    path = session.folder / "known.json"
    if not path.exists():
        return
    session.must("json parses", session.misfit("json", path.read_bytes()))
    result = session.run("check", *PLAIN, "--format", "json", "--baseline", "../known.json", ".", label="check --baseline")
    try:
        new = len(json.loads(result.out)["findings"])
    except (ValueError, KeyError):
        new = 0
    session.must("a baseline knows what it was made of", f"{new} are new" if new else "", exempt=result.ran_out)
    path.write_bytes(rebyte(draw, path.read_bytes()))
    result = session.run("check", *PLAIN, "--format", "json", "--baseline", "../known.json", ".", label="check, baseline corrupted")
    session.parses("json", result)


def changed_lines(draw, data):
    """Another version of a file: lines that go, come twice, move or are indented."""
    lines = data.split(b"\n")
    for _ in range(draw.choice((0, 1, 2, 6))):
        at = draw.randrange(len(lines))
        what = draw.randrange(4)
        if what == 0 and len(lines) > 1:
            del lines[at]
        elif what == 1:
            lines.insert(at, draw.choice(lines))
        elif what == 2:
            lines[at] = lines[at] + b"  # more"
        else:
            lines.insert(at, b"import torch; torch.rand(2, 3) @ torch.rand(4, 5)")
    return b"\n".join(lines)


def git(session, *arguments):
    environment = {**session.environment, **GIT}
    command = ["git", "-c", "core.autocrlf=false", "-c", "gc.auto=0", *arguments]
    return subprocess.run(command, cwd=session.files, env=environment, capture_output=True, check=False, timeout=60).stdout


def commit(session):
    git(session, "add", "-A", "-f", ".")
    git(session, "commit", "-q", "--allow-empty", "--no-verify", "-m", "a version")


def two_versions(session, draw):
    """A checkout with a version of the batch's files that is committed, and another one in the work tree."""
    git(session, "init", "-q", "-b", "main")
    commit(session)
    for path in session.sources():
        if draw.random() < 0.1:
            os.rename(path, path.with_name(f"moved_{path.name}"))
        else:
            path.write_bytes(changed_lines(draw, path.read_bytes()))


def review(session, draw):
    two_versions(session, draw)
    chosen = draw.choice(OF_REVIEWS)
    change = "HEAD"
    if draw.random() < 0.5:
        commit(session)
        change = "HEAD~1..HEAD"
    session.parses(chosen, session.run("review", change, "--threads", "1", "--format", chosen))


def patch(session, draw):
    two_versions(session, draw)
    git(session, "add", "-A", "-f", ".")
    whole = git(session, "diff", "--cached", "-M", f"-U{draw.choice((0, 1, 3))}", "HEAD")
    said = rebyte(draw, whole) if draw.random() < 0.5 and whole else whole
    session.parses("json", session.run("review", "-", *COMMON, stdin=said, label="review -"))


def patch_of_case(session, draw):
    git(session, "init", "-q", "-b", "main")
    commit(session)
    case = session.batch.cases[0]
    session.parses("json", session.run(*case.arguments, stdin=case.stdin, label="review -"))


# What is done, with how often of a hundred batches, and with how many programs at most.
SCENARIOS = (
    (22, check, 1000), (14, form, 1000), (4, several_forms, 1000), (8, infer, 1000), (5, query, 1000), (2, graph, 1000), (4, facts, 1000),
    (4, explain, FEW), (4, why_not, FEW), (8, threads, 1000), (6, cache, FEW), (6, fix, FEW), (4, suppress, FEW), (3, baseline, FEW),
    (4, review, FEW), (2, patch, FEW),
)


def drawn(seed, number):
    """The scenario of a batch and how many programs it takes at most."""
    draw = random.Random(f"{seed} batch {number}")
    weights = [weight for weight, *_ in SCENARIOS]
    _, scenario, most = draw.choices(SCENARIOS, weights)[0]
    return scenario, most

