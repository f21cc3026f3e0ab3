# What sources of the pack share.


def _twice(number):
    return 2 * number
