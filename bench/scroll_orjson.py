# SPDX-License-Identifier: Apache-2.0
"""Decoding of pages of a scroll, one a line, by a JSON library of Python.

usage: scroll_orjson.py orjson|json FILE MS
Prints nanoseconds a page, peak memory over the page itself in KiB, rows and
floats, as bench/scroll_decode does.
"""
import gc
import resource
import sys
import time


def peak_kb():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def main():
    name, path, least_ms = sys.argv[1], sys.argv[2], float(sys.argv[3])
    if name == "orjson":
        import orjson

        loads = orjson.loads
    else:
        import json

        loads = json.loads
    with open(path, "rb") as file:
        bodies = file.read().splitlines()
    before = peak_kb()
    page = loads(bodies[0])
    peak = peak_kb() - before
    points = page["result"]["points"]
    rows, floats = len(points), sum(len(p["vector"]) for p in points)
    del page, points
    gc.collect()
    loops, begin = 0, time.perf_counter_ns()
    while True:
        loads(bodies[loops % len(bodies)])
        loops += 1
        spent = time.perf_counter_ns() - begin
        if spent >= least_ms * 1e6:
            break
    print(f"{spent / loops:.0f} {peak} {rows} {floats}")


main()
