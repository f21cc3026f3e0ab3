# `textwrap`, for texts whose words have no hyphens.


def dedent(text):
    lines = text.split("\n")
    margin = None
    for line in lines:
        bare = line.lstrip(" \t")
        if bare:
            space = line[: len(line) - len(bare)]
            if margin is None:
                margin = space
            else:
                while not space.startswith(margin):
                    margin = margin[:-1]
    margin = margin or ""
    return "\n".join([line[len(margin):] if line.strip() else "" for line in lines])


def indent(text, prefix, predicate=None):
    parts = []
    for line in text.splitlines(True):
        is_changed = predicate(line) if predicate else line.strip()
        parts.append(prefix + line if is_changed else line)
    return "".join(parts)


def wrap(text, width=70, *, initial_indent="", subsequent_indent="", **options):
    lines, line = [], ""
    for word in text.split():
        indent = subsequent_indent if lines else initial_indent
        if line and len(indent) + len(line) + 1 + len(word) > width:
            lines.append(indent + line)
            line = ""
            indent = subsequent_indent
        room = max(1, width - len(indent))
        while not line and len(word) > room:
            lines.append(indent + word[:room])
            word = word[room:]
            indent = subsequent_indent
        line = line + " " + word if line else word
    if line:
        lines.append((subsequent_indent if lines else initial_indent) + line)
    return lines


def fill(text, width=70, **options):
    return "\n".join(wrap(text, width, **options))


def shorten(text, width, *, placeholder=" [...]", **options):
    words = text.split()
    whole = " ".join(words)
    if len(whole) <= width:
        return whole
    while words and len(" ".join(words)) + len(placeholder) > width:
        words.pop()
    return " ".join(words) + placeholder if words else placeholder.lstrip()
