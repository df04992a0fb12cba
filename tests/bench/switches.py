# SPDX-License-Identifier: GPL-2.0
"""What a context switch costs the kernel, ours and perf's: two processes that do nothing but
take turns (prog/turns.c), in guest instructions and register accesses a switch, by the
meter. What it costs when nothing is recorded is taken off both sides.

Times off the CPU perf has by its tracepoint, with the frame pointers' call chain: of a
tracepoint it takes no branch records, and copies of the stack (dwarf) cost it more. When
the task came back, its records of switches say. Debian's perf has no --off-cpu of its own."""
import collections
import statistics

import lab

TURNS = 100  # in a window; of the windows there is the median
SWITCHES = 2 * TURNS
# What is counted takes as long as nothing overflows.
EVENT = "-e instructions:u -c 1000000007"
OFFCPU = "off-CPU"
# Two tasks of one perf record swap their events, and the counter goes on; ours has a period for
# each, which takes four accesses: halt, read, load, run.
ADDRESSES = "addresses"
TIMES_OFF = "-e dummy --off-cpu=0 --off-cpu-rate 10000", "-e sched:sched_switch -g --switch-events"
NO_MORE = 1  # than perf: where the issue at hand names no other bound

Case = collections.namedtuple("Case", "name depth ours peer whom", defaults=["program"])


def cases(model):
    others = Case("two others", 10, EVENT, EVENT, "other")
    addresses = Case(ADDRESSES, 10, f"--no-lbr {EVENT}", EVENT)
    if model == "zen4":
        return [addresses, Case("branches", 10, f"-b {EVENT}", f"-b {EVENT}"), Case(OFFCPU, 10, *TIMES_OFF), others]
    return [addresses,
            *(Case(f"call stack, {depth} deep", depth, EVENT, f"--call-graph lbr {EVENT}")
              for depth in (2, 10, 16 if model == "haswell" else 32)),
            Case("callers alone, 10 deep", 10, f"--lbr-callers {EVENT}", f"--call-graph lbr {EVENT}"),
            Case("branches", 10, f"-b {EVENT}", f"-b {EVENT}"),
            Case(OFFCPU, 10, *TIMES_OFF),
            others._replace(peer=f"--call-graph lbr {EVENT}")]


def switch(windows):
    """Instructions and register accesses of the kernel, from one switch to the next."""
    return (statistics.median(window.kernel for window in windows) / SWITCHES,
            statistics.median(window.rdmsr + window.wrmsr for window in windows) / SWITCHES)


def recorded(said):
    """{window: samples}"""
    return {int(words[1]): int(words[2]) for words in map(str.split, said.splitlines()) if words[0] == "recorded"}


def rows(model, case, nobody, ours, peer):
    name = f"switch: {case.name}"
    yield lab.row(model, name, "instructions", ours[0], peer[0], NO_MORE, nobody[0])
    if case.whom == "other":
        yield lab.row(model, name, "MSR accesses", ours[1], peer[1], 0, nobody[1], 1, ours[1] == nobody[1])
    elif case.name != OFFCPU:
        yield lab.row(model, name, "MSR accesses", ours[1], peer[1], None if case.name == ADDRESSES else NO_MORE,
                      nobody[1], 1)


def measurements(model):
    todo = cases(model)
    lines = ["1 10 nobody program"]
    for i, case in enumerate(todo, 1):
        lines.append(f"{2 * i} {case.depth} ours {case.whom} {case.ours}")
        lines.append(f"{2 * i + 1} {case.depth} peer {case.whom} {case.peer}")
    said, windows = lab.run(model, "switches.sh", lines, [lab.built() / "turns"], TURNS)
    samples = recorded(said)
    for i, case in enumerate(todo, 1):
        if case.name == OFFCPU and min(samples[2 * i], samples[2 * i + 1]) < len(windows[1]) * SWITCHES:
            raise SystemExit(f"bench: {model}: of times off the CPU some were not recorded")
        yield from rows(model, case, *(switch(windows[number]) for number in (1, 2 * i, 2 * i + 1)))
