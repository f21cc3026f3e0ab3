"""A list of numbers searched in each iteration, against a set made before the loop."""
import random

CASES = {"5,000 elements, 200 searches": (5000, 200), "100 elements, 200 searches": (100, 200), "5,000 elements, 6 searches": (5000, 6), "10 elements, 200 searches": (10, 200)}


def setup(n, searches):
    return random.sample(range(100000), n), random.sample(range(100000), searches)


def before(chosen, wanted):
    count = 0
    for i in wanted:
        if i in chosen:
            count += 1
    return count


def after(chosen, wanted):
    count = 0
    chosen_set = set(chosen)
    for i in wanted:
        if i in chosen_set:
            count += 1
    return count
