"""Files beside a program that Harp reads: each kind is generated, or made of those of the repository."""

import json
import random

from .cases import CHECK, COMMON, Batch, Case
from .documents import ini, json_text, toml, yaml
from .grammar import Generator
from .scenarios import as_said, patch_of_case
from .splice import Splicer
from .templates import BASELINE, CONFIGURATION, DECLARATIONS, MANIFEST, OF_LIBRARY, OTHER_PROGRAM, PAGE, PATCH, PROGRAM, READERS, REQUIREMENTS, RULE, USES
from .tokens import rebyte, reline, renumber, retokenise
from .words import BASELINES, IGNORED, MAGIC, PAGES, PATCHES, VERSIONS, dictionary

NUMBERS = ("0", "-1", "2147483648", "1000000000000000000", "9" * 30, "1e999", "0.5", "nan")
LARGEST = 400_000
# How many of a hundred data files are of a kind.
SHARES = {
    "settings": 30, "notebook": 15, "annotations": 12, "rules": 12, "configuration": 8, "ignore": 6, "requirements": 5, "query": 3,
    "page": 2, "baseline": 3, "patch": 4,
}
# How many of one kind a process runs: one, where the files are those of the whole process.
TOGETHER = {"settings": 25, "notebook": 25, "ignore": 25}


def mutated(draw, text, words, others=()):
    """A text with one to three kinds of changes, as bytes."""
    for _ in range(draw.choice((1, 1, 2, 3))):
        what = draw.randrange(4)
        if what < 2:
            text = retokenise(draw, text, words)
        elif what == 2:
            text = reline(draw, text, draw.choice(others) if others else None)
        else:
            text = renumber(draw, text, NUMBERS)
    data = text.encode("utf-8", "surrogatepass")[:LARGEST]
    return rebyte(draw, data) if draw.random() < 0.2 else data


class Data:
    """Makes cases of each kind."""

    def __init__(self, seed, corpus):
        self.seed = seed
        self.corpus = corpus
        self.words = {name: dictionary(name) for name in ("settings", "notebook", "annotations", "rules")}

    def batches(self, count):
        """How `count` files are shared out: kind, number of the batch, first and last case."""
        number = 0
        for kind, share in SHARES.items():
            total = count * share // 100
            for first in range(0, total, TOGETHER.get(kind, 1)):
                yield kind, number, first, min(first + TOGETHER.get(kind, 1), total)
                number += 1

    def batch(self, kind, number, first, last):
        make = getattr(self, kind)
        made = [make(random.Random(f"{self.seed} {kind} {one}"), f"{kind[:3]}{one:06}") for one in range(first, last)]
        return Batch(kind, number, made, patch_of_case if kind == "patch" else as_said, f"{self.seed} {kind} {first}")

    # Files that the program reads, and the program.

    def settings(self, draw, name):
        if self.corpus.with_settings and draw.random() < 0.4:
            project = draw.choice(self.corpus.with_settings)
            files = {path: text.encode() for path, text in project.files.items() if path not in ("harp.toml", "pyproject.toml")}
            chosen = draw.choice(project.settings())
            files[chosen] = self.document(draw, chosen, project.files[chosen])
            return Case(name, files)
        path, program = draw.choice(READERS)
        return Case(name, {"main.py": f"import torch\n{program}\n{USES}".encode(), path: self.document(draw, path, None)})

    def document(self, draw, path, text):
        """A file of settings of the kind that its name says."""
        makers = {"yaml": yaml, "yml": yaml, "json": json_text, "jsonl": json_text, "ndjson": json_text, "toml": toml}
        if text is None or draw.random() < 0.2:
            text = makers.get(path.rsplit(".", 1)[-1], ini)(draw)
        return mutated(draw, text, self.words["settings"]) if draw.random() < 0.8 else text.encode("utf-8", "surrogatepass")

    def notebook(self, draw, name):
        language = draw.choice(("python", "python", "python", "R", "julia", 3, None))
        cells = [self.cell(draw) for _ in range(draw.choice((0, 1, 2, 5, 12)))]
        metadata = {"kernelspec": {"language": language, "name": "python3"}, "language_info": {"name": language}}
        notebook = {"cells": cells, "metadata": metadata, "nbformat": draw.choice((4, 4, 4, 3, "4", -1)), "nbformat_minor": 5}
        if draw.random() < 0.1:
            wrong = (None, [], {}, "x", [None], [{"cells": cells}])
            notebook[draw.choice(("cells", "metadata", "nbformat", "worksheets"))] = draw.choice(wrong)
        text = json.dumps(notebook, indent=draw.choice((None, 1)))
        return Case(name, {"book.ipynb": mutated(draw, text, self.words["notebook"]) if draw.random() < 0.5 else text.encode()})

    def cell(self, draw):
        text = Splicer(draw, self.corpus).program() if draw.random() < 0.5 else Generator(draw).program()
        source = draw.choice(MAGIC) + text[: draw.choice((100, 800, 4000))]
        shown = draw.choice((source, source.splitlines(keepends=True)))
        if draw.random() < 0.1:
            shown = draw.choice(([source, 5, None], {"a": source}, 7, [[source]]))
        kind = draw.choice(("code", "code", "code", "markdown", "raw", "", None))
        cell = {"cell_type": kind, "metadata": {}, "outputs": [], "source": shown}
        if draw.random() < 0.1:
            cell.pop(draw.choice(list(cell)))
        return cell

    # Files that say what is analysed, and how.

    def ignore(self, draw, name):
        def pattern():
            return "".join(draw.choice(IGNORED) for _ in range(draw.choice((1, 2, 4, 8, 60))))

        data = "\n".join(pattern() for _ in range(draw.choice((1, 3, 10, 300)))).encode()
        data = rebyte(draw, data) if draw.random() < 0.2 else data
        path = draw.choice((".gitignore", ".ignore", "sub/.gitignore", "sub/.ignore", ".git/info/exclude"))
        return Case(name, {"main.py": PROGRAM, "sub/a/b.py": OTHER_PROGRAM, path: data})

    def configuration(self, draw, name):
        others = self.corpus.configurations
        text = draw.choice(others) if others and draw.random() < 0.5 else CONFIGURATION
        data = mutated(draw, text, self.words["settings"], others) if draw.random() < 0.85 else toml(draw).encode()
        files = {"main.py": PROGRAM, "lint/rules/a.dl": RULE.encode(), "lint/harp-pack.toml": MANIFEST.encode()}
        if draw.random() < 0.3:
            return Case(name, {**files, "pyproject.toml": b"[tool.harp]\n" + data})
        return Case(name, {**files, "harp.toml": data})

    def requirements(self, draw, name):
        files = {"main.py": PROGRAM}
        for path in draw.sample(sorted(REQUIREMENTS), draw.choice((1, 1, 2, 5))):
            files[path] = mutated(draw, REQUIREMENTS[path], VERSIONS, list(REQUIREMENTS.values()))
        return Case(name, files)

    # Files that say what is known, and what is looked for.

    def annotations(self, draw, name):
        lines = draw.choice(self.corpus.annotations).split("\n")
        if len(lines) > 80 and draw.random() < 0.8:
            # A part of a large file, so that a change does not drown: its head, and some entries.
            starts = [at for at, line in enumerate(lines) if line.startswith("  - ")] or [0]
            begin = draw.choice(starts)
            lines = lines[: starts[0]] + lines[begin : begin + draw.choice((8, 30, 80))]
        data = yaml(draw).encode()
        if draw.random() < 0.92:
            data = mutated(draw, "\n".join(lines), self.words["annotations"], self.corpus.annotations)
        return Case(name, {"main.py": PROGRAM + OF_LIBRARY, "lib.yaml": data}, (*CHECK, "--annotations", "lib.yaml", "main.py"))

    def rule_text(self, draw):
        words = self.words["rules"]
        if draw.random() < 0.3:
            return (DECLARATIONS + " ".join(draw.choice(words) for _ in range(draw.randint(1, 60)))).encode()
        return mutated(draw, draw.choice([RULE, *self.corpus.rules]), words, self.corpus.rules)

    def rules(self, draw, name):
        data, manifest = self.rule_text(draw), MANIFEST.encode()
        if draw.random() < 0.5:
            # The ids of another pack are refused before anything else.
            data = RULE.encode() + data.replace(b"@id shape/", b"@id acme/").replace(b"@id harp/", b"@id acme/")
        if draw.random() < 0.2:
            manifest = mutated(draw, MANIFEST + 'rules = ["rules/**/*.dl"]\ntests = ["*.md"]\n', self.words["settings"])
        files = {"main.py": PROGRAM, "pack/rules/r.dl": data, "pack/harp-pack.toml": manifest}
        return Case(name, files, (*CHECK, "--pack", "pack", "main.py"))

    def query(self, draw, name):
        return Case(name, {"main.py": PROGRAM}, ("query", "-", *COMMON, "--assumptions", "main.py"), stdin=self.rule_text(draw))

    def page(self, draw, name):
        files = {"pack/rules/r.dl": RULE.encode(), "pack/harp-pack.toml": MANIFEST.encode(), "pack/rule.md": mutated(draw, PAGE, PAGES)}
        return Case(name, files, ("test", "pack", *COMMON))

    # Files of a run before, and of a change.

    def baseline(self, draw, name):
        files = {"main.py": PROGRAM, "sub/b.py": OTHER_PROGRAM, "known.json": mutated(draw, BASELINE, BASELINES)}
        more = ("--update-baseline",) if draw.random() < 0.2 else ()
        return Case(name, files, (*CHECK, "--baseline", "known.json", *more, "."))

    def patch(self, draw, name):
        return Case(name, {"main.py": PROGRAM, "sub/b.py": OTHER_PROGRAM}, ("review", "-", *COMMON), stdin=mutated(draw, PATCH, PATCHES))
