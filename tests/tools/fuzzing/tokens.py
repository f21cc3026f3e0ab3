"""Changes of a text's tokens, lines and bytes, for programs and for data alike."""

import re

TOKEN = re.compile(r"[A-Za-z_]\w*|\d+(?:\.\d+)?(?:e[-+]?\d+)?|\"[^\"\n]*\"|'[^'\n]*'|\s+|.", re.DOTALL)
NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.])")

NUMBERS = (
    "0", "1", "-1", "2", "3", "7", "64", "255", "1000", "65536", "2**31", "2**31-1", "2**32", "10**18", "-10**18", "2**63", "2**63-1",
    "-2**63", "2**64", "10**30", "9223372036854775807", "18446744073709551616", "1e308", "1e-3", "0.5", "1e999", "float('nan')",
    "True", "None", "10**9", "10**6", "-(10**9)", "1j", "0x7fffffff",
)
OPERATORS = ("+", "-", "*", "/", "//", "%", "**", "@", "<<", ">>", "&", "|", "^", "<", ">", "==", "!=", "<=", ">=", " and ", " or ", " in ",
             " is ", " if ", " not in ")
WORDS = (
    "lambda x: x", "*", "**", "(", ")", "[", "]", "{", "}", ":", ",", "=", ":=", "...", "self", "super()", "None", "yield", "await ",
    "async ", "return", "raise", "del ", "global ", "nonlocal ", "match ", "case _:", "not ", "-", "~", "[0]", "[-1]", "[:]", "[::-1]",
    "[None]", "[..., None]", "()", ".T", ".shape", ".size(0)", ".view(-1)", ".item()", ".__class__", ".__dict__", "#", "\\", "\"", "'",
    "\"\"\"", "f\"{x!r:>{10}}\"", "if x else y", "for x in x", "@", "->", "\t", "\n", "\f", "\x00", "é", "名", "\u202e", "\ud7ff", "🦜",
)


def retokenise(draw, text, words=WORDS, numbers=NUMBERS, most=6):
    """Some tokens deleted, doubled, exchanged, or replaced by words."""
    tokens = TOKEN.findall(text)
    for _ in range(draw.randint(1, most)):
        if not tokens:
            break
        at = draw.randrange(len(tokens))
        length = draw.choice((1, 1, 1, 2, 5))
        what = draw.randrange(7)
        if what == 0:
            del tokens[at : at + length]
        elif what == 1:
            tokens[at:at] = tokens[at : at + length] * draw.choice((1, 1, 1, 3, 40))
        elif what == 2:
            other = draw.randrange(len(tokens))
            tokens[at], tokens[other] = tokens[other], tokens[at]
        elif what == 3:
            tokens[at] = draw.choice(words)
        elif what == 4:
            tokens.insert(at, draw.choice(words))
        elif what == 5:
            tokens.insert(at, draw.choice(numbers))
        else:
            source = draw.randrange(len(tokens))
            tokens[at : at + length] = tokens[source : source + draw.randint(1, 12)]
    return "".join(tokens)


def renumber(draw, text, numbers=NUMBERS, most=4):
    """Some numbers replaced by extreme ones."""
    places = [match.span() for match in NUMBER.finditer(text)]
    for first, last in sorted(draw.sample(places, min(len(places), draw.randint(1, most))), reverse=True):
        text = text[:first] + draw.choice(numbers) + text[last:]
    return text


def reline(draw, text, other=None, most=4):
    """Lines deleted, doubled, moved, indented, or taken from another text."""
    lines = text.split("\n")
    others = (other or text).split("\n")
    for _ in range(draw.randint(1, most)):
        at = draw.randrange(len(lines) + 1)
        length = draw.choice((1, 1, 2, 5, 20))
        what = draw.randrange(6)
        if what == 0:
            del lines[at : at + length]
        elif what == 1:
            lines[at:at] = lines[at : at + length] * draw.choice((1, 1, 2, 30))
        elif what == 2:
            source = draw.randrange(len(others))
            lines[at:at] = others[source : source + length]
        elif what == 3:
            moved = lines[at : at + length]
            del lines[at : at + length]
            to = draw.randrange(len(lines) + 1)
            lines[to:to] = moved
        elif what == 4:
            indent = draw.choice(("  ", "    ", "\t", "- ", "      "))
            lines[at : at + length] = [indent + line for line in lines[at : at + length]]
        else:
            lines[at : at + length] = [line.lstrip() for line in lines[at : at + length]]
    return "\n".join(lines)


def rebyte(draw, data, most=6):
    """Bits flipped, bytes deleted, doubled and inserted."""
    data = bytearray(data)
    for _ in range(draw.randint(1, most)):
        at = draw.randrange(len(data) + 1)
        length = draw.choice((1, 1, 2, 4, 16, 100))
        what = draw.randrange(5)
        if what == 0 and at < len(data):
            data[at] ^= 1 << draw.randrange(8)
        elif what == 1:
            del data[at : at + length]
        elif what == 2:
            data[at:at] = data[at : at + length]
        elif what == 3:
            data[at:at] = bytes(draw.randrange(256) for _ in range(draw.choice((1, 2, 8))))
        else:
            data[at:at] = draw.choice((b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b"\r\n", b"\r", b"\xed\xa0\x80", b"\xf0\x9f", b"\x1b[2J"))
    return bytes(data)
