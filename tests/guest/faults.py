#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""faults.py WHAT FILE ARGUMENT... NAME: judges perf's view of a fault of the PMU.

skid FILE PROGRAM N      "ip count" lines of straight: the places are exactly 0 to N
                         instructions behind the end of a turn of its loop
doubled FILE PERCENT     branch entries, newest first: PERCENT of the samples whose newest
                         entry is a forward branch have it twice
missing FILE PERCENT     PERCENT of the samples have fewer entries than the others
"""

import re
import subprocess
import sys


def loop_of(program):
    """The addresses of the instructions of its loop, in order."""
    text = subprocess.run(["objdump", "-d", program], capture_output=True, text=True, check=True).stdout
    code = [int(address, 16) for address in re.findall(r"^ +([0-9a-f]+):\t", text, re.M)]
    return code[1:101]


def skid(path, program, most):
    code = loop_of(program)
    seen = {int(ip, 16): int(count) for ip, count in (line.split() for line in open(path))}
    end = code.index(min(code, key=lambda ip: abs(ip - code[-1])))
    # 1 + 100 * i instructions have run: the next one is the last of a turn
    want = {code[(end + k) % len(code)] for k in range(int(most) + 1)}
    if set(seen) != want:
        return f"at {' '.join(map(hex, sorted(seen)))}, and not at {' '.join(map(hex, sorted(want)))}"
    even = sum(seen.values()) / len(want)
    if sum(seen.values()) < 1900 or min(seen.values()) < even / 2 or max(seen.values()) > even * 2:
        return f"not evenly: {seen}"
    return ""


def samples(path):
    """The entries of each sample, as (from, to). A task that is switched in begins with none."""
    for line in open(path):
        if line.strip():
            yield [tuple(int(address, 16) for address in entry.split("-")) for entry in line.split()]


def share(hits, of, percent):
    if of < 300:
        return f"there are {of} samples only"
    if abs(100 * hits / of - int(percent)) > (4 if int(percent) else 0.5):
        return f"{hits} of {of}, and not {percent} %"
    return ""


def doubled(path, percent):
    forward = [entries for entries in samples(path) if entries[0][0] < entries[0][1] and len(entries) > 1]
    return share(sum(entries[0] == entries[1] for entries in forward), len(forward), percent)


def missing(path, percent):
    sizes = [len([entry for entry in entries if entry != (0, 0)]) for entries in samples(path)]
    return share(sum(size < max(sizes) for size in sizes), len(sizes), percent)


def main():
    judge = {"skid": skid, "doubled": doubled, "missing": missing}[sys.argv[1]]
    wrong = judge(*sys.argv[2:-1])
    print(("not ok - " if wrong else "ok - ") + sys.argv[-1] + (f"\n# {wrong}" if wrong else ""))
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
