"""Programs in batches, with each of which one thing is done."""

import random

from . import scenarios
from .cases import Batch, Case
from .grammar import Generator
from .splice import Splicer
from .tokens import rebyte

# One of so many batches is run program by program: Harp follows a program further, the smaller its project is.
ALONE = 10


def batches(seed, count, together):
    """How programs are shared out: the number of a batch, its first program and its end."""
    for number, first in enumerate(range(0, count, together)):
        end = min(first + together, count)
        _, most = scenarios.drawn(seed, number)
        step = min(most, together) if number % ALONE else 1
        yield from ((number, one, min(one + step, end)) for one in range(first, end, step))


def program(seed, number, corpus):
    """The bytes of one program; two of three are made of real ones."""
    draw = random.Random(f"{seed} program {number}")
    text = Splicer(draw, corpus).program() if number % 3 else Generator(draw).program()
    if number % 3 == 0 and draw.random() < 0.1:
        text = Splicer(draw, corpus).finished(text)
    data = text.encode("utf-8", "surrogatepass")
    return rebyte(draw, data) if draw.random() < 0.03 else data


def batch(seed, number, first, end, corpus):
    scenario, _ = scenarios.drawn(seed, number)
    cases = []
    for one in range(first, end):
        name = f"p{one:06}"
        cases.append(Case(name, {f"{name}.py": program(seed, one, corpus)}, is_flat=True))
    return Batch("programs", number, cases, scenario, f"{seed} {number}")
