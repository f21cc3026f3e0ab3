"""Other spellings of a program that mean the same: what edits of text must cope with."""


def of(text):
    """The program, spelled in several ways."""
    yield "as it is", text
