#!/usr/bin/env python3
"""How long an audit of many repositories takes on many workers, by resampling one that was measured.

    audit_scale.py AUDIT/repositories.parquet… [--repositories 100000] [--workers 100,1000] [--draws 20] [--seed 1]

Draws repositories with replacement from those of the tables, with the processor time that each took (`cpu_ms`; what was not analysed counts as none), and gives each
to the first worker that is free, as Spark, Ray and `--jobs` do; then cuts the same repositories into shards of a worker each, by chance, as `--shard` does.
Prints the makespan (the time until the last worker ends), the efficiency (processor time by workers by makespan) and the processor hours: medians of the draws.
A worker is a processor. Reading files, starting processes and schedulers are not counted.
"""
import argparse
import heapq
import random
import statistics

import pyarrow.parquet as pq


def measured(tables):
    """Seconds of each repository that was analysed once."""
    seconds = []
    for table in tables:
        rows = pq.read_table(table, columns=["cpu_ms", "duplicate_of"]).to_pylist()
        seconds += [(row["cpu_ms"] or 0) / 1000 for row in rows if row["duplicate_of"] is None]
    return seconds


def taken(seconds, workers):
    """The makespan where the worker that is free first takes the next one."""
    free = [0.0] * workers
    for cost in seconds:
        heapq.heapreplace(free, free[0] + cost)
    return max(free)


def sharded(seconds, workers, chance):
    """The makespan where each repository belongs to a worker by its name."""
    busy = [0.0] * workers
    for cost in seconds:
        busy[chance.randrange(workers)] += cost
    return max(busy)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tables", nargs="+", metavar="TABLE")
    parser.add_argument("--repositories", type=int, default=100_000)
    parser.add_argument("--workers", default="100,1000")
    parser.add_argument("--draws", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    seconds = measured(given.tables)
    if not seconds:
        parser.error("the tables have no repositories")
    parts = statistics.quantiles(seconds, n=100, method="inclusive") if len(seconds) > 1 else seconds * 99
    print(f"{len(seconds)} measured repositories: {sum(seconds):.0f} s of processor time; median {parts[49]:.2f} s, "
          f"90 % {parts[89]:.2f} s, 99 % {parts[98]:.2f} s, most {max(seconds):.1f} s")
    chance = random.Random(given.seed)
    drawn = [chance.choices(seconds, k=given.repositories) for _ in range(given.draws)]
    print(f"{given.repositories} repositories, {given.draws} draws:")
    print(f"{'workers':>8}  {'assigned':<12} {'makespan':>12}  {'efficiency':>10}  {'processor hours':>15}")
    for workers in [int(it) for it in given.workers.split(",")]:
        for name, makespans in (
            ("dynamically", [taken(draw, workers) for draw in drawn]),
            ("in shards", [sharded(draw, workers, chance) for draw in drawn]),
        ):
            makespan = statistics.median(makespans)
            efficiency = statistics.median(sum(draw) / (workers * last) if last else 1 for draw, last in zip(drawn, makespans))
            hours = statistics.median(sum(draw) / 3600 for draw in drawn)
            print(f"{workers:>8}  {name:<12} {makespan / 60:>8.1f} min  {efficiency:>9.1%}  {hours:>15.1f}")


if __name__ == "__main__":
    main()
