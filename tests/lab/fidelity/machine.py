#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""The lab machine's cycles, computed from their description alone.

Written after the description in QEMU's pmu_cycles.c and pmu_event.c, not after their code: it
makes a list of every cycle and looks events up in it.
"""
from collections import Counter, OrderedDict

SLOTS = 4

KINDS = 'pair', 'single', 'fetch', 'wrong', 'recover', 'l2', 'llc', 'mem'

# cycles a stall takes
L2, LLC, MEM = 12, 40, 200
WRONG, RECOVER, FETCH = 10, 10, 1


class Cache:
    def __init__(self, size, ways):
        self.ways = ways
        self.sets = [OrderedDict() for _ in range(size // 64 // ways)]

    def access(self, line):
        """Whether the line is there; it is from now on."""
        lines = self.sets[line % len(self.sets)]
        hit = line in lines
        if hit:
            lines.move_to_end(line)
        else:
            lines[line] = True
            if len(lines) > self.ways:
                lines.popitem(last=False)
        return hit


class Machine:
    def __init__(self):
        self.cycles = []            # kinds, in order
        self.settled = 0            # so many of them were there at the last stall
        self.half = False           # an instruction waits for its pair
        self.totals = dict.fromkeys((
            'insns', 'branches', 'conditional', 'not taken', 'taken', 'misses', 'conditional misses',
            'l1 fills', 'l1 miss', 'l2 hit', 'l2 miss', 'llc hit', 'llc miss',
            'llc references', 'llc misses'), 0)
        self.tallied = 0
        self.tally = Counter()      # of the first of them, by kind
        self.l1 = Cache(32 << 10, 4)
        self.l2 = Cache(256 << 10, 4)
        self.llc = Cache(2 << 20, 8)
        self.streams = {}
        self.counters = {}          # of conditional branches

    def retire(self):
        self.totals['insns'] += 1
        if self.half:
            self.cycles.append('pair')
        self.half = not self.half

    def stall(self, *kinds):
        if self.half:
            self.cycles.append('single')
            self.half = False
        for kind, cycles in kinds:
            self.cycles += [kind] * cycles
        self.settled = len(self.cycles)

    def census(self):
        """The cycles by kind."""
        self.tally.update(self.cycles[self.tallied:])
        self.tallied = len(self.cycles)
        return self.tally

    def fetch_line(self, line):
        stream = line // 64 % 16
        prefetched = self.streams.get(stream) == line - 1
        self.streams[stream] = line
        if self.l2.access(line):
            return 'l2', L2
        if prefetched:
            self.llc.access(line)
            return 'l2', L2
        self.totals['llc references'] += 1
        if self.llc.access(line):
            return 'llc', LLC
        self.totals['llc misses'] += 1
        return 'mem', MEM

    def access(self, address, store=False):
        line = address // 64
        if self.l1.access(line):
            return
        self.totals['l1 fills'] += 1
        where = self.fetch_line(line)
        if store:
            return
        self.totals['l1 miss'] += 1
        self.totals['l2 hit' if where[0] == 'l2' else 'l2 miss'] += 1
        if where[0] != 'l2':
            self.totals['llc hit' if where[0] == 'llc' else 'llc miss'] += 1
        self.stall(where)

    def branch(self, address, taken, conditional):
        self.retire()
        miss = False
        self.totals['branches'] += 1
        self.totals['taken' if taken else 'not taken'] += 1
        if conditional:
            slot = (address ^ address >> 12) % 1024
            state = self.counters.get(slot, 1)
            miss = taken != (state >= 2)
            self.counters[slot] = min(state + 1, 3) if taken else max(state - 1, 0)
            self.totals['conditional'] += 1
            self.totals['conditional misses'] += miss
        self.totals['misses'] += miss
        if miss:
            self.stall(('wrong', WRONG), ('recover', RECOVER))
        elif taken:
            self.stall(('fetch', FETCH))


def retired(kind):
    return {'pair': 2, 'single': 1}.get(kind, 0)


def waits(*kinds):
    return lambda kind: kind in kinds


# Skylake's events, by IA32_PERFEVTSELx: a total, or a measure of each cycle.
EVENTS = {
    0x003c: lambda kind: 1,
    0x013c: lambda kind: 1,
    0x00c0: retired,
    0x02c2: retired,
    0x010e: lambda kind: SLOTS if kind == 'wrong' else retired(kind),
    0x019c: lambda kind: SLOTS if kind == 'fetch' else 0,
    0x010d: waits('recover'),
    0x04a3: lambda kind: 0 if retired(kind) else 4,
    0x05a3: lambda kind: 5 if kind in ('llc', 'mem') else 0,
    0x06a3: lambda kind: 6 if kind == 'mem' else 0,
    0x0ca3: lambda kind: 12 if kind in ('l2', 'llc', 'mem') else 0,
    0x14a3: lambda kind: 20 if kind in ('l2', 'llc', 'mem') else 0,
    0x00c4: 'branches',
    0x01c4: 'conditional',
    0x10c4: 'not taken',
    0x20c4: 'taken',
    0x00c5: 'misses',
    0x01c5: 'conditional misses',
    0x0151: 'l1 fills',
    0x02d1: 'l2 hit',
    0x04d1: 'llc hit',
    0x08d1: 'l1 miss',
    0x10d1: 'l2 miss',
    0x20d1: 'llc miss',
    0x4f2e: 'llc references',
    0x412e: 'llc misses',
}
EDGE, INV, CMASK = 1 << 18, 1 << 23, 24


def count(machine, select):
    """What a counter with this IA32_PERFEVTSELx shows after it all."""
    event = EVENTS.get(select & 0xffff)
    edge, mask = bool(select & EDGE), select >> CMASK & 0xff
    inverted = bool(select & INV) and mask > 0
    if isinstance(event, str):
        total = machine.totals[event]
        if not inverted:
            return total if mask <= 1 else 0
        if edge:
            return total if mask == 1 else 0
        return len(machine.cycles) - (total if mask == 1 else 0)
    if event is None:
        event = waits()
    if not mask and not edge:
        if event is retired:
            return machine.totals['insns']
        return sum(event(kind) * cycles for kind, cycles in machine.census().items())
    met = {kind for kind in KINDS if (event(kind) >= max(mask, 1)) != inverted}
    if not edge:
        return sum(cycles for kind, cycles in machine.census().items() if kind in met)
    kinds = ['pair'] + machine.cycles[:machine.settled]
    return sum(now in met and last not in met for last, now in zip(kinds, kinds[1:]))
