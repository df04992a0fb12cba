#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""compare.py [--deliveries] COUNTERS PLUGIN NAME: what the guest read between one point and the next
is what the plugin counted there, for every event and to the last one. One ok or not ok
line; COUNTERS is of points.c, PLUGIN of count.c. With --deliveries those of faults and
interrupts are branches of the kernel, as they are on AMD's CPUs."""
import sys

DELIVERIES, ODD = 6, 7
EVENTS = ("insns:u", "insns:k", "branches:u", "branches:k", "taken:u", "taken:k")
MASK = (1 << 48) - 1
LEAST = 50


def rows(path):
    with open(path, encoding="ascii") as text:
        return [[int(word) for word in line.split()] for line in text]


def main():
    counters, plugin, name = rows(sys.argv[-3]), rows(sys.argv[-2]), sys.argv[-1]
    if sys.argv[1] == "--deliveries":
        for row in plugin:
            row[EVENTS.index("branches:k")] += row[DELIVERIES]
    events = len(counters[0]) if counters else 0
    faults = []
    if len(plugin) != events * len(counters) or len(counters) < LEAST:
        faults.append(f"{len(counters)} points, {events} events, {len(plugin)} readings seen by the plugin")
    elif plugin[0][ODD] != plugin[-1][ODD]:
        faults.append("the plugin met control flow that it has no explanation for")
    else:
        for i in range(1, len(counters)):
            for j in range(events):
                theirs = (counters[i][j] - counters[i - 1][j]) & MASK
                ours = plugin[i * events + j][j] - plugin[(i - 1) * events + j][j]
                if theirs != ours:
                    faults.append(f"point {i}: {EVENTS[j]} {theirs}, the plugin has {ours}")
    print("not ok" if faults else "ok", "-", name)
    for fault in faults[:10]:
        print("#", fault)
    if not faults:
        total = [(counters[-1][j] - counters[0][j]) & MASK for j in range(events)]
        print(f"# {len(counters)} points:", ", ".join(f"{n} {what}" for n, what in zip(total, EVENTS)))
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
