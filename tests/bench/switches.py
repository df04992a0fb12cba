# SPDX-License-Identifier: GPL-2.0
"""The cost of a context switch, ours and perf's: two processes do nothing but take turns
(prog/turns.c), and the meter counts guest instructions and register accesses of a switch. The
cost without a recording is subtracted from both sides.

perf records times off the CPU by its tracepoint, with a call chain by frame pointers: a
tracepoint has no branch records, and copies of the stack (dwarf) cost more. Its switch records
state when the task came back. Debian's perf is built without --off-cpu."""
import collections
import statistics

import lab

TURNS = 100  # in a window; the result is the median of the windows
SWITCHES = 2 * TURNS
# So long a period that no counter overflows.
EVENT = "-e instructions:u -c 1000000007"
OFFCPU, OFFCPU_LBR = "off-CPU", "off-CPU by the LBR alone"
# perf swaps the events of two recorded tasks, and the counter goes on. The module keeps a period for
# each task, which takes four accesses: halt, read, load, run.
ADDRESSES = "addresses"
TIMES_OFF = "-e dummy --off-cpu=0 --off-cpu-rate 10000", "-e sched:sched_switch -g --switch-events"
NO_MORE = 1  # the target of rows without another one: perf's cost

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
            Case(OFFCPU_LBR, 10, f"--call-graph lbr {TIMES_OFF[0]}", TIMES_OFF[1]),
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
    elif case.name not in (OFFCPU, OFFCPU_LBR):
        yield lab.row(model, name, "MSR accesses", ours[1], peer[1], None if case.name == ADDRESSES else NO_MORE,
                      nobody[1], 1)


def measurements(model):
    todo = cases(model)
    lines = ["1 10 nobody program"]
    for i, case in enumerate(todo, 1):
        lines.append(f"{2 * i} {case.depth} ours {case.whom} {case.ours}")
        lines.append(f"{2 * i + 1} {case.depth} peer {case.whom} {case.peer}")
    said, windows = lab.run(model, "switches.sh", lines, [lab.built() / "turns", lab.HERE.parent / "lib/lib.sh"], TURNS)
    samples = recorded(said)
    for i, case in enumerate(todo, 1):
        if case.name in (OFFCPU, OFFCPU_LBR) and min(samples[2 * i], samples[2 * i + 1]) < len(windows[1]) * SWITCHES:
            raise SystemExit(f"bench: {model}: of times off the CPU some were not recorded")
        yield from rows(model, case, *(switch(windows[number]) for number in (1, 2 * i, 2 * i + 1)))
