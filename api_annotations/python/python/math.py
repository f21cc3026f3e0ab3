# What `math` does beyond what Harp does itself.
import math


def sumprod(p, q):
    return sum([a * b for a, b in zip(p, q)])


def hypot(*coordinates):
    return math.sqrt(sum([value * value for value in coordinates]))


def dist(p, q):
    return math.sqrt(sum([(a - b) * (a - b) for a, b in zip(p, q)]))


def degrees(x):
    return x * (180.0 / math.pi)


def radians(x):
    return x * (math.pi / 180.0)


def modf(x):
    whole = float(math.trunc(x))
    return x - whole, whole


def ldexp(x, i):
    return float(x) * 2**i if i >= 0 else float(x) / 2**-i


def isclose(a, b, *, rel_tol=1e-09, abs_tol=0.0):
    return a == b or abs(a - b) <= max(rel_tol * max(abs(a), abs(b)), abs_tol)
