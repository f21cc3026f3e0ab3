# `packaging.version`: versions as PEP 440 orders them. What is compared is a row of numbers of one length: six of the release, how far along
# it is (a development state, an alpha, a beta, a candidate, the release, what came after it), and the number of that.
_PHASES = {"dev": 0, "a": 1, "alpha": 1, "b": 2, "beta": 2, "c": 3, "rc": 3, "pre": 3, "post": 5, "rev": 5, "r": 5}


class Version:
    def __init__(self, version):
        text = version.strip().lower().lstrip("v")
        base, _, local = text.partition("+")
        numbers = []
        suffix = ""
        for part in base.split("."):
            rest = part.lstrip("0123456789")
            if len(rest) < len(part):
                numbers.append(int(part[: len(part) - len(rest)]))
            if rest:
                suffix = rest.strip("-_")
                break
        word = suffix.rstrip("0123456789")
        count = suffix[len(word) :]
        self._text = text
        self.base_version = ".".join([str(number) for number in numbers])
        self.public = base
        self.local = local or None
        self.release = tuple(numbers)
        self.version = numbers
        self.major, self.minor, self.micro = (numbers + [0, 0, 0])[:3]
        phase = _PHASES.get(word.strip("-_"), 4)
        self.is_devrelease = phase == 0
        self.is_prerelease = phase < 4
        self.is_postrelease = phase == 5
        self._key = tuple((numbers + [0, 0, 0, 0, 0, 0])[:6]) + (phase, int(count) if count else 0)

    def __eq__(self, other):
        return self._key == _key(other)

    def __ne__(self, other):
        return self._key != _key(other)

    def __lt__(self, other):
        return self._key < _key(other)

    def __le__(self, other):
        return self._key <= _key(other)

    def __gt__(self, other):
        return self._key > _key(other)

    def __ge__(self, other):
        return self._key >= _key(other)

    def __str__(self):
        return self._text


class InvalidVersion(ValueError):
    pass


def _key(version):
    # The versions of `distutils` are compared with texts, too.
    return Version(version)._key if isinstance(version, str) else version._key
