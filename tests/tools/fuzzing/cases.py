"""A case: files that Harp is run on, and how."""

from dataclasses import dataclass, field

COMMON = ("--format", "json", "--threads", "1")
CHECK = ("check", *COMMON)


@dataclass
class Case:
    """Files by their path below the case's folder. The name is that of the case's folder where several cases are run together."""

    name: str
    files: dict
    # What follows `harp`. Cases that can be run together have the same, and it names the folder `.` that all of them lie in.
    arguments: tuple = (*CHECK, ".")
    stdin: bytes = b""
    # Whether the files may lie beside those of other cases.
    is_flat: bool = False


@dataclass
class Batch:
    """Cases that lie in one folder, and what is done with them."""

    kind: str
    number: int
    cases: list = field(default_factory=list)
    # A function of `scenarios`, and what it draws from.
    scenario: object = None
    seed: str = ""

    def part(self, cases):
        return Batch(self.kind, self.number, cases, self.scenario, self.seed)

    def halves(self):
        middle = len(self.cases) // 2
        return [self.part(part) for part in (self.cases[:middle], self.cases[middle:])]

    def name(self):
        first, last = self.cases[0].name, self.cases[-1].name
        return first if first == last else f"{first}-{last}"
