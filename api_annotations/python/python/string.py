# `string`, beyond its constants.
import re

ascii_lowercase = "abcdefghijklmnopqrstuvwxyz"
ascii_uppercase = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
ascii_letters = ascii_lowercase + ascii_uppercase
digits = "0123456789"
hexdigits = digits + "abcdef" + "ABCDEF"
octdigits = "01234567"
punctuation = r"""!"#$%&'()*+,-./:;<=>?@[\]^_`{|}~"""
whitespace = " \t\n\r\v\f"
printable = digits + ascii_letters + punctuation + whitespace


class Template:
    delimiter = "$"

    def __init__(self, template):
        self.template = template

    def _filled(self, mapping, named, is_safe):
        values = {**(mapping or {}), **named}

        def fill(match):
            if match.group(0) == "$$":
                return "$"
            name = match.group(1) or match.group(2)
            if is_safe and name not in values:
                return match.group(0)
            return str(values[name])

        return re.sub(r"\$\$|\$([_a-zA-Z][_a-zA-Z0-9]*)|\$\{([_a-zA-Z][_a-zA-Z0-9]*)\}", fill, self.template)

    def substitute(self, mapping=None, /, **named):
        return self._filled(mapping, named, False)

    def safe_substitute(self, mapping=None, /, **named):
        return self._filled(mapping, named, True)


def capwords(s, sep=None):
    return (sep or " ").join([word.capitalize() for word in s.split(sep)])
