"""`str.maketrans` in each iteration, against once."""
import string

CASES = {"1,000 texts of 3 letters": (1000, 1), "1,000 texts of 300 letters": (1000, 100)}


def setup(texts, length):
    return ["a.b" * length, "c,d" * length] * (texts // 2)


def before(texts):
    cleaned = []
    for text in texts:
        cleaned.append(text.translate(str.maketrans("", "", string.punctuation)))
    return len(cleaned)


def after(texts):
    cleaned = []
    table = str.maketrans("", "", string.punctuation)
    for text in texts:
        cleaned.append(text.translate(table))
    return len(cleaned)
