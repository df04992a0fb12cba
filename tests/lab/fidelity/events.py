#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""events.py plan FILE: writes the plan of events/main.c
events.py judge PLAN RESULTS [NAME]: compares its counts with those of machine.py
"""
import random
import sys

from machine import CMASK, EDGE, EVENTS, INV, Machine, count

# walks: seed, entries, span, stride
MIXED = (1, 60, 1 << 20, 0)
SHORT = (2, 10, 4096, 0)
WALKS = (
    MIXED, SHORT,
    (3, 0, 1, 0),                       # nothing but the ends
    (4, 700, 1 << 20, 64),              # a stream
    (5, 700, 1 << 20, 8),
    (6, 300, 1 << 20, 4096),            # pages: one set of L1, one of L2's
    (7, 600, 16 << 10, 0),              # fits L1
    (8, 6000, 128 << 10, 0),            # fits L2
    (9, 8000, 1 << 20, 0),              # fits the LLC
    (10, 4000, 16 << 20, 0),            # fits nothing
)
# overflow: every count of a short walk up to a point, and some beyond
PLACES = [0x003c, 0x00c0, 0x010e, 0x019c, 0x010d, 0x06a3, 0x0ca3, 0x00c4, 0x00c5, 0x0151, 0x08d1, 0x20d1, 0x4f2e,
          0x412e, 0x00c0 | 1 << CMASK, 0x00c0 | 2 << CMASK, 0x00c0 | 1 << CMASK | INV, 0x00c0 | 16 << CMASK | INV,
          0x00c0 | 1 << CMASK | EDGE, 0x00c0 | 2 << CMASK | EDGE | INV, 0x20d1 | 1 << CMASK | INV]


def step(machine, insns, at, walk):
    """One instruction of walk(); the next one's number, or None after the last."""
    here = insns[at]
    if at == 0:
        machine.access(walk['list'])
        walk['entry'] = walk['entries'].pop(0)
    elif at == 5:
        machine.access(walk['entry'])
    elif at == 8:
        machine.access(walk['entry'] - 1, store=True)
    jumps = {2: (12, walk['entry'] == 0), 4: (8, walk['entry'] & 1), 7: (0, True), 11: (6, True)}
    if at in jumps:
        to, taken = jumps[at]
        machine.branch(here, bool(taken), at in (2, 4))
        return to if taken else at + 1
    if at == 6:
        walk['list'] += 8
    machine.retire()
    return at + 1 if at < 15 else None


def entries(data, seed, number, span, stride):
    x, made = seed, []
    for i in range(number):
        x = (x * 6364136223846793005 + 1442695040888963407) % 2**64
        offset = i * stride if stride else x >> 33
        address = data + (offset % span & ~7)
        made.append(address + (not stride and x >> 20 & 3 == 0))
    return made + [0]


def simulate(header, walk, watch=None):
    """The machine after the walk; with watch, IPs by when its count is reached."""
    base, data, *insns = header
    state = {'list': base, 'entry': None, 'entries': entries(data, *walk)}
    machine, at, reached = Machine(), 0, [None]
    while at is not None:
        at = step(machine, insns, at, state)
        if watch is not None:
            new = count(machine, watch) - len(reached) + 1
            reached += [insns[at] if at is not None else insns[16]] * new
    return machine, reached


def plan():
    for walk in WALKS:
        for event in (*EVENTS, 0x00f7):
            yield event, 0, walk
    for walk in MIXED, WALKS[3]:
        for event in (*EVENTS, 0x00f7):
            for modifier in range(1, 1 << 6):
                mask = (0, 1, 2, 3, 4, 5, 6, 7, 12, 13, 20, 21, 255, 8, 16, 128)[modifier & 15]
                if mask in (3, 7, 8, 128) and event != 0x00c0:
                    continue
                flags = (modifier & 16 and EDGE) | (modifier & 32 and INV)
                if event in (0x003c, 0x00c0, 0x010e, 0x08d1) or mask in (1, 4, 5):
                    yield event | mask << CMASK | flags, 0, walk
    rng = random.Random(1)
    for select in PLACES:
        for left in [*range(1, 30), *(rng.randrange(30, 2500) for _ in range(30))]:
            yield select, left, SHORT


def judge(plan_name, results_name):
    with open(plan_name) as f:
        wanted = [(int(s, 16), int(left), tuple(map(int, walk))) for s, left, *walk in map(str.split, f)]
    with open(results_name) as f:
        header = [int(word, 16) for word in f.readline().split()]
        got = [(int(n), int(ip, 16)) for n, ip in map(str.split, f)]
    machines = {walk: simulate(header, walk)[0] for walk in WALKS}
    reached = {select: simulate(header, SHORT, select)[1] for select in PLACES}
    verdicts = {'counts': [], 'CMASK, INV and EDGE': [], 'overflows': []}
    for (select, left, walk), (number, ip) in zip(wanted, got):
        if left:
            places = reached[select]
            want = places[left] if left < len(places) else 0
            verdicts['overflows'].append((select, left, walk, want, ip))
        else:
            kind = 'CMASK, INV and EDGE' if select >> 16 else 'counts'
            verdicts[kind].append((select, left, walk, count(machines[walk], select), number))
    failed = len(wanted) != len(got)
    for name, lines in verdicts.items():
        wrong = [line for line in lines if line[3] != line[4]]
        seen = sum(line[3] != 0 for line in lines)
        bad = bool(wrong) or seen < len(lines) // 3
        failed |= bad
        print(f"{'not ok' if bad else 'ok'} - events: {name}, {len(lines)} runs, {seen} of them not 0")
        for select, left, walk, want, number in wrong[:10]:
            print(f'# {select:#x} left {left} walk {walk}: want {want:#x}, got {number:#x}')
    return failed


def main():
    if sys.argv[1] == 'plan':
        with open(sys.argv[2], 'w') as f:
            for select, left, walk in plan():
                print(f'{select:x}', left, *walk, file=f)
        return 0
    return judge(*sys.argv[2:4])


if __name__ == '__main__':
    sys.exit(main())
