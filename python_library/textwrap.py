# `textwrap`, but for its filling of paragraphs.


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
