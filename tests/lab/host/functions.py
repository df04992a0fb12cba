# SPDX-License-Identifier: GPL-2.0
"""What the meter has counted, by the guest's functions.

QEMU (pmu_profile.c) tells addresses, the guest its symbols. One way of a
handler is one cost; of the PMIs of a kind, those of the most frequent cost
are the usual ones.
"""

import bisect
import collections

from . import cache

USER_END = 1 << 47
# Behind the last function of a module comes whatever the kernel has put there.
FUNCTION_MAX = 1 << 16
HEAD = """\
# Instructions by function. "usual": in one of those PMIs whose cost is the most frequent one;
# "total": in all PMIs of the kind, or in all windows of the number.
"""


class Symbols:
    """The text symbols of a /proc/kallsyms."""

    def __init__(self, text):
        names = {}
        for line in text.splitlines():
            address, kind, name, *module = line.split()
            if kind not in "tTwW":
                continue
            # Of several names, no mark of the linker's, one that is known elsewhere, the shortest.
            rank = (name.endswith(("_start", "_end")), kind not in "TW", len(name), name)
            if int(address, 16) not in names or rank < names[int(address, 16)][0]:
                names[int(address, 16)] = (rank, " ".join([name, *module]))
        self.starts = sorted(names)
        self.names = [names[start][1] for start in self.starts]
        if not self.starts or not self.starts[-1]:
            raise cache.Error("the guest tells no addresses in /proc/kallsyms")

    def name(self, address):
        if address < USER_END:
            return "[user]"
        i = bisect.bisect_right(self.starts, address) - 1
        if i < 0 or address - self.starts[i] >= FUNCTION_MAX:
            return "[unknown]"
        return self.names[i]


class Group:
    """PMIs of one kind and cost, or the windows of a number."""

    def __init__(self):
        self.times = 0
        self.total = 0
        self.functions = collections.Counter()

    def add(self, other):
        self.times += other.times
        self.total += other.total
        self.functions.update(other.functions)


def read(path, symbols):
    """{kind: {cost: Group}}; of a window the cost is of no interest, and 0."""
    kinds = collections.defaultdict(lambda: collections.defaultdict(Group))
    group, left = None, 0
    for line in path.read_text().splitlines() + ["end"]:
        words = line.split()
        if line.startswith(" "):
            count = int(words[1])
            group.functions[symbols.name(int(words[0], 16))] += count
            left -= count
            continue
        if left:
            raise cache.Error(f"the profile does not add up, by {left} instructions")
        if line == "end":
            break
        cut = words.index("vcpu")
        insns, times = int(words[cut + 3]), int(words[cut + 5])
        window = words[0] == "window"
        group = kinds[tuple(words[:cut])][0 if window else insns]
        group.times += times
        left = insns if window else insns * times
        group.total += left
    return kinds


def table(rows, columns):
    """Lines of a table whose last column is text."""
    widths = [max(len(row[i]) for row in [columns, *rows]) for i in range(len(columns) - 1)]
    return ["  ".join([*(cell.rjust(width) for cell, width in zip(row, widths)), row[-1]])
            for row in [columns, *rows]]


def number(value):
    return str(int(value)) if value == int(value) else f"{value:.1f}"


def describe_pmis(kind, costs):
    _, cpl, status = kind
    every = Group()
    for group in costs.values():
        every.add(group)
    cost, usual = max(costs.items(), key=lambda item: (item[1].times, -item[0]))
    where = "the kernel" if cpl == "0" else "user mode"
    lines = [f"PMIs in {where}, status {status}: {every.times}, of {min(costs)} to {max(costs)} instructions;"
             f" usual: {cost} instructions, {usual.times} times"]
    order = sorted(every.functions, key=lambda name: (-usual.functions[name], -every.functions[name], name))
    rows = [[number(usual.functions[name] / usual.times), str(every.functions[name]),
             f"{100 * every.functions[name] / every.total:.1f}%", name] for name in order]
    rows.append([number(usual.total / usual.times), str(every.total), "100.0%", "(sum)"])
    return lines + table(rows, ["usual", "total", "share", "function"])


def describe_windows(kind, costs):
    group = costs[0]
    rows = [[str(count), f"{100 * count / group.total:.1f}%", name]
            for name, count in sorted(group.functions.items(), key=lambda item: (-item[1], item[0]))]
    rows.append([str(group.total), "100.0%", "(sum)"])
    return [f"window {kind[1]}: {group.times} times, {group.total} instructions",
            *table(rows, ["total", "share", "function"])]


def report(path, kallsyms):
    """The text of --functions, from QEMU's profile and the guest's symbols."""
    kinds = read(path, Symbols(kallsyms))
    text = [HEAD]
    for kind in sorted(kinds, key=lambda kind: (kind[0], -sum(group.times for group in kinds[kind].values()), kind)):
        describe = describe_windows if kind[0] == "window" else describe_pmis
        text.append("\n".join(describe(kind, kinds[kind])) + "\n")
    return "\n".join(text)
