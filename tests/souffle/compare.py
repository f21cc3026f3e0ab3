"""The parts of compare.sh that read rules and rows.

    compare.py program SCHEMA RULES FOLDER    writes the program for Soufflé and the queries for Harp
    compare.py rows NAME HARP.csv SOUFFLE.csv  prints rows that only one of them has
"""

import csv
import re
import sys
from pathlib import Path

DECLARATION = re.compile(r"((?:^///.*\n)*)^\.decl\s+(\w+)\s*\(([^)]*)\)", re.MULTILINE)


def program(schema_path, rules_path, folder):
    schema, rules = (Path(path).read_text(encoding="utf-8") for path in (schema_path, rules_path))
    functors = re.findall(r"^///? \.functor\s+(\w+)|^\.functor\s+(\w+)", schema, re.MULTILINE)
    own = {name for pair in functors for name in pair if name}
    used = sorted(name for name in own if re.search(rf"\b{name}\(", rules))
    if used:
        print(f"it uses functors of Harp's own: {', '.join(used)}")
        return 1
    parts = [schema]
    parts += [f".input {name}" for _, name, _ in DECLARATION.findall(schema)]
    parts.append(rules)
    queries = []
    for documentation, name, columns in DECLARATION.findall(rules):
        if "@id" not in documentation:
            continue
        parts.append(f'.output {name}(IO=file, filename="{name}.csv", rfc4180=true, delimiter=",")')
        variables = ", ".join(column.split(":")[0].strip() for column in columns.split(","))
        queries.append(f"{name}\t{name}({variables})")
    Path(folder, "program.dl").write_text("\n".join(parts) + "\n", encoding="utf-8")
    Path(folder, "queries").write_text("".join(f"{query}\n" for query in queries), encoding="utf-8")
    return 0


def rows(path):
    # Facts have tabs and line breaks as in source code, texts that rules make have them as they are.
    plain = str.maketrans({"\n": "\\n", "\t": "\\t", "\r": "\\r"})
    with open(path, newline="", encoding="utf-8") as file:
        return [tuple(cell.translate(plain) for cell in row) for row in csv.reader(file)]


def compare(name, harp_path, souffle_path):
    harp, souffle = set(rows(harp_path)[1:]), set(rows(souffle_path))
    for who, only in (("Harp", harp - souffle), ("Soufflé", souffle - harp)):
        for row in sorted(only):
            print(f"{name}: only {who} has {row}")
    if harp == souffle:
        print(f"{name}: {len(harp)} rows agree")
    return int(harp != souffle)


if __name__ == "__main__":
    command, *arguments = sys.argv[1:]
    sys.exit({"program": program, "rows": compare}[command](*arguments))
