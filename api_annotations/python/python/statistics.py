# `statistics`, as far as programs take sizes from it.
import math


def _sorted(data):
    data = sorted(data)
    if not data:
        raise StatisticsError("no data points")
    return data


class StatisticsError(ValueError):
    pass


def mean(data):
    data = _sorted(data)
    total = sum(data)
    return total // len(data) if isinstance(total, int) and total % len(data) == 0 else total / len(data)


def fmean(data, weights=None):
    data = list(data)
    if weights is None:
        return sum(data) / len(data)
    return sum(x * w for x, w in zip(data, weights)) / sum(weights)


def median(data):
    data = _sorted(data)
    half = len(data) // 2
    return data[half] if len(data) % 2 else (data[half - 1] + data[half]) / 2


def median_low(data):
    data = _sorted(data)
    return data[(len(data) - 1) // 2]


def median_high(data):
    data = _sorted(data)
    return data[len(data) // 2]


def multimode(data):
    counts = {}
    for item in data:
        counts[item] = counts.get(item, 0) + 1
    most = max(counts.values(), default=0)
    return [item for item, count in counts.items() if count == most]


def mode(data):
    found = multimode(data)
    if not found:
        raise StatisticsError("no mode for empty data")
    return found[0]


def pvariance(data, mu=None):
    data = list(data)
    middle = sum(data) / len(data) if mu is None else mu
    return sum((x - middle) ** 2 for x in data) / len(data)


def variance(data, xbar=None):
    data = list(data)
    middle = sum(data) / len(data) if xbar is None else xbar
    return sum((x - middle) ** 2 for x in data) / (len(data) - 1)


def stdev(data, xbar=None):
    return math.sqrt(variance(data, xbar))


def pstdev(data, mu=None):
    return math.sqrt(pvariance(data, mu))
