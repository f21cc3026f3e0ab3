"""Documents of settings, generated: YAML with anchors and depth, JSON, TOML and INI."""

import json

KEYS = (
    "a", "b", "c", "model", "hidden", "layers", "_target_", "defaults", "in_features", "x y", "", "0", "é", "true", "on", "<<",
    "A", "k" * 300,
)
SCALARS = (
    "3", "4", "16", "0", "-1", "2147483648", "1000000000000000000", "1e-3", "1e999", ".nan", "yes", "no", "~", "null", "'text'",
    '"t\\n\\u00e9"', "1_000", "0x1f", "0o17", "12:30:45", "2020-01-01", "???", "${a}", "${..a}", "${a.b.c}", "${oc.env:HOME,3}",
    "${${a}}", "torch.nn.Linear", "[1, 2, 3]", "{a: 1, b: 2}", "x" * 500, "!!int '3'", "!!python/name:os.system",
)


VALUES = (
    3, 4, 0, -1, 2**31, 10**18, 2**63, 10**40, 0.5, 1e308, True, None, "text", "", "é\u0000", "x" * 200, "torch.nn.Linear", "3",
)


def yaml(draw):
    what = draw.random()
    if what < 0.06:
        return laughs(draw)
    if what < 0.12:
        depth = draw.choice((10, 47, 48, 49, 1000, 20_000))
        steps = "".join(" " * at + "a:\n" for at in range(min(depth, 400)))
        return draw.choice(("[" * depth, "{a: " * depth, "- " * depth, "? " * depth, "[" * depth + "]" * depth, steps))
    if what < 0.16:
        count = draw.choice((100, 300, 21_000))
        return "".join(f"k{number}: {number}\n" for number in range(count)) + "a: 3\nb: 4\n"
    lines = ["a: 3", "b: 4"] if draw.random() < 0.7 else []
    return "\n".join(lines + mapping(draw, 0)) + "\n"


def laughs(draw):
    """Each anchor stands for several of the one before."""
    lines = ["a0: &a0 [3, 3, 3]"]
    for number in range(1, draw.choice((3, 9, 40))):
        lines.append(f"a{number}: &a{number} [{', '.join([f'*a{number - 1}'] * draw.choice((2, 9)))}]")
    lines.append(draw.choice((f"a: *a{len(lines) - 1}", "a: &x {<<: *x, y: *x}", "a: &x [*x]", f"<<: *a{len(lines) - 1}")))
    return "\n".join(lines) + "\nb: 4\n"


def mapping(draw, depth):
    lines = []
    for _ in range(draw.choice((1, 2, 3, 6))):
        pad, key = " " * depth, draw.choice(KEYS[:11]) or "''"
        if depth < 12 and draw.random() < 0.35:
            lines += [f"{pad}{key}:{draw.choice(('', '', ' &x', ' !!map'))}", *mapping(draw, depth + draw.choice((1, 2, 4)))]
        elif depth < 12 and draw.random() < 0.2:
            lines.append(f"{pad}{key}:")
            lines += [f"{pad}- {draw.choice((draw.choice(SCALARS), f'a: {draw.choice(SCALARS)}'))}" for _ in range(draw.choice((1, 3, 30)))]
        elif draw.random() < 0.05:
            lines += [f"{pad}{key}: {draw.choice('|>')}{draw.choice(('', '-', '+', '9'))}", f"{pad}  text", f"{pad}   more"]
        else:
            lines.append(f"{pad}{key}: {draw.choice(SCALARS)}")
    return lines


def value(draw, depth=0):
    if depth > 5 or draw.random() < 0.5:
        return draw.choice(VALUES)
    if draw.random() < 0.4:
        return [value(draw, depth + 1) for _ in range(draw.choice((0, 1, 2, 5)))]
    return {draw.choice(KEYS): value(draw, depth + 1) for _ in range(draw.choice((0, 1, 2, 5)))}


def json_text(draw):
    if draw.random() < 0.08:
        depth = draw.choice((10, 47, 49, 127, 129, 1000, 100_000))
        return draw.choice(("[" * depth + "]" * depth, '{"a":' * depth + "3" + "}" * depth, "[" * depth))
    first = {"a": 3, "b": 4} if draw.random() < 0.7 else {}
    text = json.dumps({**first, **{draw.choice(KEYS): value(draw) for _ in range(draw.choice((1, 3, 8)))}}, indent=draw.choice((None, 2)))
    return "\n".join([text] * draw.choice((1, 1, 1, 70))) + draw.choice(("", "\n", ",", "//c", "\ufeff"))


def toml(draw):
    lines = ["a = 3", "b = 4"] if draw.random() < 0.7 else []
    for _ in range(draw.choice((1, 4, 12))):
        key = draw.choice(("a", "b.c", "a.b.c.d", '"x y"', "''", "model", ".".join("abcdefgh" * 20)))
        shown = draw.choice((
            "1", "-0", "1_000", "0x1f", "inf", "nan", "1e400", "true", '"t"', "'''\n'''", '"\\U0010ffff"', "1979-05-27T07:32:00Z",
            "[1, [2, [3]]]", "{a = 1, b = {c = 2}}", "9223372036854775808", "[" * draw.choice((3, 200, 20_000)),
            "{a=" * draw.choice((3, 200, 20_000)),
        ))
        lines.append(draw.choice((f"{key} = {shown}", f"{key} = {shown}", f"[{key}]", f"[[{key}]]")))
    return "\n".join(lines) + "\n"


def ini(draw):
    if draw.random() < 0.2:
        columns = draw.choice((1, 3, 50))
        rows = draw.choice((0, 2, 65, 3000))
        head = ",".join(f"c{number}" for number in range(columns))
        cells = ("1", "x", '"a,b"', "", "1e5", '"')
        return "\n".join([head, *(",".join(draw.choice(cells) for _ in range(columns)) for _ in range(rows))])
    lines = ["[s]", "A=3", "a = 3"] if draw.random() < 0.6 else []
    for _ in range(draw.choice((1, 4, 30))):
        lines.append(draw.choice((
            "[s]", "[DEFAULT]", "[", "b = %(a)s", "a = %(a)s", "c = %(b)s%(b)s", "B=4", "export A=${B}", "x: y", "  more", "; c",
            "= 3", "a", "k = " + "v" * 400, "A='3", "word word", "word",
        )))
    return "\n".join(lines) + "\n"
