#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""shares.py OURS PERF NAME: compares the functions and shares of lbrctl and perf.

OURS is a `lbrctl report --csv -s sym`, PERF a `perf report --children --stdio -g none -F
overhead_children,overhead,sym` of another recording of the same run. One ok or not ok
line: each function with more than 5 % in either, by self or total, is within 2 points of
the other.
"""
import csv
import re
import sys


def ours(path):
    """{function: (self, total)}"""
    with open(path, encoding="utf-8", errors="replace", newline="") as file:
        return {row["sym"]: (100 * float(row["self_share"]), 100 * float(row["total_share"])) for row in csv.DictReader(file)}


def perf(path):
    shares = {}
    for line in open(path, errors="replace"):
        m = re.match(r"\s*([0-9.]+)%\s+([0-9.]+)%\s+\[\.\] (\S+)", line)
        if m:
            shares.setdefault(m[3], (float(m[2]), float(m[1])))
    return shares


def main():
    a, b, name = ours(sys.argv[1]), perf(sys.argv[2]), sys.argv[3]
    # Addresses without a name are no functions; the two print them differently. What
    # calls main is the first to be lost when a stack is ever deeper than the LBR.
    both = sorted(f for f in set(a) | set(b) if not re.match(r"0x|.*\+0x|_start|__libc_start", f))
    seen, bad = 0, []
    for function in both:
        x, y = a.get(function, (0.0, 0.0)), b.get(function, (0.0, 0.0))
        for what, i in (("self", 0), ("total", 1)):
            if max(x[i], y[i]) > 5.0:
                seen += 1
                if abs(x[i] - y[i]) > 2.0:
                    bad.append(f"# {function} {what}: ours {x[i]:.2f} %, perf {y[i]:.2f} %")
    good = seen >= 5 and not bad
    print(f"{'ok' if good else 'not ok'} - {name} # {seen} shares above 5 %")
    print("\n".join(bad[:10]), end="\n" if bad else "")
    sys.exit(0 if good else 1)


main()
