# `getopt`: options of a command line.


class GetoptError(Exception):
    def __init__(self, msg, opt=""):
        super().__init__(msg, opt)
        self.msg, self.opt = msg, opt


error = GetoptError


def getopt(args, shortopts, longopts=[]):
    return _parsed(args, shortopts, longopts, False)


def gnu_getopt(args, shortopts, longopts=[]):
    return _parsed(args, shortopts, longopts, True)


def _parsed(args, shortopts, longopts, is_mixed):
    args = list(args)
    longopts = [longopts] if isinstance(longopts, str) else list(longopts)
    found, left = [], []
    while args:
        word = args.pop(0)
        if word == "--":
            return found, left + args
        if word.startswith("--"):
            name, has_value, value = word[2:].partition("=")
            matching = [option for option in longopts if option.rstrip("=") == name]
            matching = matching or [option for option in longopts if option.startswith(name)]
            if len(matching) != 1:
                raise GetoptError(f"option --{name} not recognized", name)
            if matching[0].endswith("="):
                if not has_value:
                    if not args:
                        raise GetoptError(f"option --{name} requires argument", name)
                    value = args.pop(0)
            found.append(("--" + matching[0].rstrip("="), value))
        elif word.startswith("-") and word != "-":
            letters = word[1:]
            while letters:
                letter, letters = letters[0], letters[1:]
                if letter not in shortopts or letter == ":":
                    raise GetoptError(f"option -{letter} not recognized", letter)
                place = shortopts.index(letter)
                value = ""
                if shortopts[place + 1:place + 2] == ":":
                    if not letters:
                        if not args:
                            raise GetoptError(f"option -{letter} requires argument", letter)
                        letters = args.pop(0)
                    value, letters = letters, ""
                found.append(("-" + letter, value))
        elif is_mixed:
            left.append(word)
        else:
            return found, [word] + args
    return found, left
