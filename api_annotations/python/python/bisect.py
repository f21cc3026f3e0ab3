# `bisect`, on sorted sequences.


def bisect_left(a, x, lo=0, hi=None, *, key=None):
    position = lo
    for item in a[lo:hi]:
        if (item if key is None else key(item)) < x:
            position += 1
        else:
            break
    return position


def bisect_right(a, x, lo=0, hi=None, *, key=None):
    position = lo
    for item in a[lo:hi]:
        if x < (item if key is None else key(item)):
            break
        position += 1
    return position


bisect = bisect_right


def insort_left(a, x, lo=0, hi=None, *, key=None):
    a.insert(bisect_left(a, x if key is None else key(x), lo, hi, key=key), x)


def insort_right(a, x, lo=0, hi=None, *, key=None):
    a.insert(bisect_right(a, x if key is None else key(x), lo, hi, key=key), x)


insort = insort_right
