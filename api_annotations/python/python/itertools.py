# What `itertools` does beyond what Harp does itself.


def takewhile(predicate, iterable):
    for item in iterable:
        if not predicate(item):
            break
        yield item


def dropwhile(predicate, iterable):
    dropping = True
    for item in iterable:
        if dropping and predicate(item):
            continue
        dropping = False
        yield item


def filterfalse(predicate, iterable):
    for item in iterable:
        if not (item if predicate is None else predicate(item)):
            yield item


def starmap(function, iterable):
    for arguments in iterable:
        yield function(*arguments)


def compress(data, selectors):
    for item, is_selected in zip(data, selectors):
        if is_selected:
            yield item


def pairwise(iterable):
    items = list(iterable)
    return zip(items, items[1:])


def batched(iterable, n, *, strict=False):
    items = list(iterable)
    for start in range(0, len(items), n):
        yield tuple(items[start:start + n])


def tee(iterable, n=2):
    items = list(iterable)
    return tuple([iter(items) for _ in range(n)])


def groupby(iterable, key=None):
    groups = []
    for item in iterable:
        value = item if key is None else key(item)
        if groups and groups[-1][0] == value:
            groups[-1][1].append(item)
        else:
            groups.append((value, [item]))
    for value, group in groups:
        yield value, iter(group)
