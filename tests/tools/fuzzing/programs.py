"""Programs in batches, each of one command."""

import random

from .cases import COMMON, CHECK, Batch, Case
from .grammar import Generator
from .splice import Splicer
from .tokens import rebyte

QUERIES = (
    "inside(s, l), call(e, s, api)",
    "call(e, s, api), match(\".*(matmul|Linear).*\", api)",
    "violated(r), requirement(r, e, m)",
    "r(x, y) :- assigned(x, _, y). q(x, z) :- r(x, y), r(z, y), x != z.",
    "harp/loop-invariant.steady(e, l)",
    "n = count : { call(_, _, _) }",
    "mutated_in(v, l)",
)
# The questions that are asked, with how often of a hundred batches.
COMMANDS = (
    (74, lambda draw: (*CHECK, ".")),
    (6, lambda draw: (*CHECK, "--explain-path", "--verbose", ".")),
    (2, lambda draw: ("check", "--threads", "2", "--format", "sarif", ".")),
    (2, lambda draw: ("check", "--threads", "1", "--verbose", ".")),
    (8, lambda draw: ("infer", *COMMON, "--all", ".")),
    (1, lambda draw: ("infer", "--format", draw.choice(("pyi", "jaxtyping", "text")), "--threads", "1", ".")),
    (4, lambda draw: ("query", draw.choice(QUERIES), *COMMON, "--assumptions", ".")),
    (2, lambda draw: ("graph", "--threads", "1", ".")),
    (1, lambda draw: ("facts", *COMMON, "--output", "facts", ".")),
)

# One of so many batches is run program by program: Harp follows a program further, the smaller its project is.
ALONE = 10


def batches(count, together):
    """How programs are shared out: the number of a batch, its first program and its end."""
    for number, first in enumerate(range(0, count, together)):
        end = min(first + together, count)
        if number % ALONE:
            yield number, first, end
        else:
            yield from ((number, one, one + 1) for one in range(first, end))


def arguments(draw):
    weights, makers = zip(*COMMANDS)
    return draw.choices(makers, weights)[0](draw)


def program(seed, number, corpus):
    """The bytes of one program; two of three are made of real ones."""
    draw = random.Random(f"{seed} program {number}")
    text = Splicer(draw, corpus).program() if number % 3 else Generator(draw).program()
    if number % 3 == 0 and draw.random() < 0.1:
        text = Splicer(draw, corpus).finished(text)
    data = text.encode("utf-8", "surrogatepass")
    return rebyte(draw, data) if draw.random() < 0.03 else data


def batch(seed, number, first, end, corpus):
    said = arguments(random.Random(f"{seed} batch {number}"))
    cases = []
    for one in range(first, end):
        name = f"p{one:06}"
        cases.append(Case(name, {f"{name}.py": program(seed, one, corpus)}, said, is_flat=True))
    return Batch("programs", number, cases)
