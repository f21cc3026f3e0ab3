# `heapq`: the least item is first, and the others are in order, which the library does not promise.


def heapify(heap):
    heap.sort()


def heappush(heap, item):
    heap.append(item)
    heap.sort()


def heappop(heap):
    return heap.pop(0)


def heappushpop(heap, item):
    heap.append(item)
    heap.sort()
    return heap.pop(0)


def heapreplace(heap, item):
    least = heap.pop(0)
    heap.append(item)
    heap.sort()
    return least


def nlargest(n, iterable, key=None):
    return sorted(iterable, key=key, reverse=True)[:n]


def nsmallest(n, iterable, key=None):
    return sorted(iterable, key=key)[:n]


def merge(*iterables, key=None, reverse=False):
    items = []
    for iterable in iterables:
        items.extend(iterable)
    return iter(sorted(items, key=key, reverse=reverse))
