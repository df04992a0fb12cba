#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""browser.py LBRCTL WAITS MISSES SOURCE: finds the three faults of shop in two captures as lbrctl-guide(7) does it with the
browser alone; one ok or not ok line each. WAITS and MISSES are archives of the guide's captures."""
import os
import re
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from results import result, status  # noqa: E402
from terminal import Program  # noqa: E402

ROW = re.compile(r"^ *([\d.]+)% +[\d.]+ +([\d.]+)% +[\d.]+ +\d+  (\S+)")


def rows(p):
    """[(self, total, function)] of the table."""
    return [(float(m[1]), float(m[2]), m[3]) for m in map(ROW.match, p.screen.text()) if m]


def opened(lbrctl, capture):
    p = Program(lbrctl, "report", "-i", capture, lines=60, columns=120)
    p.until(r"\d%")
    p.settle(1, 2)
    return p


def hottest(p, name):
    """The line of the source with most samples, of the function that is marked."""
    p.press("a")
    p.until(f"Instructions of {name}")
    p.settle(1, 2)
    found = [re.search(r"Hottest: .*?shop\.c:(\d+)", line) for line in p.screen.text()]
    p.press("home")
    found += [re.search(r"Hottest: .*?shop\.c:(\d+)", line) for line in p.screen.text()]
    return next((int(m[1]) for m in found if m), 0)


def main(lbrctl, waits, misses, source):
    with open(source, encoding="utf-8") as text:
        lines = {fault: n for n, line in enumerate(text, 1) for fault in ("hot loop", "cache-hostile walk") if f"line: {fault}" in line}
    p = opened(lbrctl, waits)
    p.press("e", "home", "down", "enter")
    first = rows(p)[0]
    result(first[2] == "pthread_mutex_lock" and first[0] > 20, "browser: the lock is the first line of the times off the CPU", p.screen.text()[:9])
    p.press("home", "enter", "E")
    callers = [line for line in p.screen.text() if re.search(r" log_order$", line)]
    result(callers, "browser: Enter shows that log_order takes it", p.screen.text()[:20])
    p.press("q", "e", "home", "enter", "home")
    names = [row[2] for row in rows(p)[:2]]
    result(set(names) == {"stock_of_articles", "order_checksum"}, "browser: two functions have the time on the CPU", rows(p)[:4])
    p.press(*["down"] * names.index("order_checksum"))
    line = hottest(p, "order_checksum")
    result(abs(line - lines["hot loop"]) <= 3, "browser: a shows the hot loop", line, lines, p.screen.text()[:9])
    p.press("q", "q")
    p.end()
    p = opened(lbrctl, misses)
    result(rows(p)[0][2] == "stock_of_articles" and rows(p)[0][0] > 90, "browser: a function has the cache misses", rows(p)[:3])
    line = hottest(p, "stock_of_articles")
    result(abs(line - lines["cache-hostile walk"]) <= 3, "browser: a shows the walk", line, lines, p.screen.text()[:9])
    p.press("q", "q")
    p.end()
    return status()


sys.exit(main(*sys.argv[1:]))
