#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""shapes.py FILE: whether programs of one shape (shapes.c) show it in perf's
counts: lines of shape, event, count, as events.test writes them."""
import sys
from collections import defaultdict

SLOTS = 4
failed = False


def say(good, name, *detail):
    global failed
    failed |= not good
    print('ok' if good else 'not ok', '-', name)
    if not good:
        print('#', *detail)


def levels(counts):
    """Top-down level 1, as perf and pmu-tools work it out on a Skylake."""
    slots = SLOTS * counts['cycles:u']
    frontend = counts['r019c:u'] / slots
    retiring = counts['r02c2:u'] / slots
    bad = (counts['r010e:u'] - counts['r02c2:u'] + SLOTS * counts['r010d:u']) / slots
    return {'frontend': frontend, 'retiring': retiring, 'bad': bad, 'backend': 1 - frontend - retiring - bad}


def main():
    counts, samples = defaultdict(dict), []
    with open(sys.argv[1]) as f:
        for line in f:
            shape, event, *rest = line.split()
            if event.startswith('samples'):
                samples.append((shape, event, *rest))
            else:
                counts[shape][event] = int(rest[0])
    ipc = {shape: c['instructions:u'] / c['cycles:u'] for shape, c in counts.items()}
    misses = {shape: 1000 * c['r412e:u'] / c['instructions:u'] for shape, c in counts.items()}
    top = {shape: levels(c) for shape, c in counts.items()}
    bound = {shape: max(level, key=level.get) for shape, level in top.items()}
    seen = ('IPC', ipc, 'misses', misses, top)

    say(1.8 < ipc['tight'] <= 2, 'a tight loop has nearly the best IPC', seen)
    say(ipc['chase'] < 0.1 < 5 * ipc['chase'] < ipc['stream'] < ipc['small'] < ipc['tight'],
        'IPC: a chase through memory, a stream, a chase in L1, arithmetic', seen)
    say(misses['chase'] > 30 > 10 > misses['stream'] > misses['small'],
        'LLC misses: a chase has many, a stream few, L1 fewer', seen)
    say(bound['chase'] == bound['stream'] == 'backend' and top['chase']['backend'] > 0.9,
        'top-down: the chase is backend bound', seen)
    say(bound['guess'] == 'bad' and top['known']['bad'] < 0.1, 'top-down: branches at random are bad speculation', seen)
    say(top['known']['frontend'] > 0.2 > top['tight']['frontend'], 'top-down: taken branches are frontend bound', seen)
    say(top['tight']['retiring'] > 0.45, 'top-down: arithmetic retires', seen)
    say(all(min(level.values()) >= 0 for level in top.values()), 'top-down: no level is negative', seen)
    say(all(rest[1:] == ['same'] for _, _, *rest in samples) and len(samples) == 2 * len(counts),
        'perf record: the same samples in every run', samples)
    say(all(int(rest[0]) > 20 for _, event, *rest in samples if 'cycles' in event),
        'perf record: there are samples', samples)
    return failed


if __name__ == '__main__':
    sys.exit(main())
