#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""same.py TABLE TREE PERF NAME: one capture of call stacks, read by lbrctl report and by Linux's perf.

TABLE is the output of lbrctl report --no-inline --percent-limit 0 --csv -s sym, TREE that of the
same without the last two options, PERF that of perf report --no-inline --children -g none --stdio
-s sym -F overhead_children,overhead,sym.

One ok or not ok line. The own share of each function that both name is equal except for rounding.
So is its total, without the frames that lbrctl adds and marks: frames from other samples of the
thread, or left by a tail call. Stubs of the procedure linkage table are compared apart: perf shows
the stub that the innermost function was called through as its caller.
"""
import csv
import re
import sys

ROUNDING = 0.0101
STITCHED = re.compile(r"%  +(\S+)(?: \[recursive\])? \[stitched")


def ours(table, tree):
    """{function: (self, total)} in percent, and the functions that were put back."""
    shares = {}
    with open(tree, encoding="utf-8") as file:
        marked = set(STITCHED.findall(file.read()))
    with open(table, encoding="utf-8") as file:
        for row in csv.DictReader(file):
            self, total = shares.get(row["sym"], (0, 0))
            shares[row["sym"]] = self + 100 * float(row["self_share"]), total + 100 * float(row["total_share"])
            if row["kind"] == "tail call":
                marked.add(row["sym"])
    return shares, marked


def perf(path):
    shares = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            m = re.match(r"\s*([0-9.]+)%\s+([0-9.]+)%\s+\[.\] (\S+)", line)
            if m:
                self, total = shares.get(m[3], (0, 0))
                shares[m[3]] = self + float(m[2]), total + float(m[1])
    return shares


def main():
    table, tree, theirs, name = sys.argv[1:]
    (a, marked), b = ours(table, tree), perf(theirs)
    both = [f for f in sorted(set(a) & set(b)) if not f.endswith("@plt")]
    bad = []
    for function in both:
        (self_a, total_a), (self_b, total_b) = a[function], b[function]
        if abs(self_a - self_b) > ROUNDING or (abs(total_a - total_b) > ROUNDING and function not in marked):
            bad.append(f"# {function}: self {self_a:.2f} and {self_b:.2f}, total {total_a:.2f} and {total_b:.2f}")
    differ = sum(abs(a[f][1] - b[f][1]) > ROUNDING for f in both)
    good = not bad and sum(b[f][0] for f in both) > 80
    print(f"{'ok' if good else 'not ok'} - {name} # {len(both)} functions, {differ} of them put back somewhere")
    print("\n".join(bad[:10]), end="\n" if bad else "")
    sys.exit(0 if good else 1)


main()
