# `fnmatch`: names that fit a pattern with `*`, `?` and `[…]`.
import re


def translate(pat):
    out, place = "", 0
    while place < len(pat):
        letter = pat[place]
        place += 1
        if letter == "*":
            out += ".*"
        elif letter == "?":
            out += "."
        elif letter == "[" and "]" in pat[place:]:
            end = pat.index("]", place)
            inside = pat[place:end]
            out += "[" + ("^" + inside[1:] if inside.startswith("!") else inside) + "]"
            place = end + 1
        else:
            out += re.escape(letter)
    return out


def fnmatchcase(name, pat):
    return re.fullmatch(translate(pat), name) is not None


def fnmatch(name, pat):
    return fnmatchcase(name, pat)


def filter(names, pat):
    return [name for name in names if fnmatchcase(name, pat)]
