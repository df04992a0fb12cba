# SPDX-License-Identifier: GPL-2.0
"""The cost of a PMI, ours and perf's: guest instructions and register accesses, counted by the
lab machine's meter; the bytes of its record in the buffer; and by how much the program under
test gets longer.

Each CPU model has one boot. It also measures a handler that does nothing (module/floor.c), whose
cost is subtracted from both sides. That and perf are measured before our module is loaded,
because each registered NMI handler makes the kernel read its clock at every NMI.
"""
import collections

import lab

EVENT = "-e instructions:u -c"
PERIOD = 10007
SAMPLES, LEAST = 120, 100
FULL = 12_000  # samples fill the buffer
# The rows "program": their periods, the number of periods in a run, and the number of runs. The shortest
# run counts, since other work of the kernel can only lengthen one.
SLOW, SLOW_PERIODS, SLOW_TIMES = (3_000_000, 300_000), 10, 3

# Long enough for a frequency to take enough samples, also on a slow host.
DEFAULT_INSTRUCTIONS = 150_000_000

# fixed: EVENT and PERIOD; else the tool's default event: cycles of user mode and the kernel, at a
# frequency.
Case = collections.namedtuple("Case", "name depth ours peer target accesses whole size fixed",
                              defaults=[None, None, None, True])


def cases(model):
    """The default commands first, then each path through the handler. The targets are upper limits:
    target of the ratio to perf's instructions without the floor, accesses of register accesses,
    whole of instructions with the floor, size of the ratio to the bytes of perf's record."""
    addresses = Case("addresses", 10, "--no-lbr", "", 1 / 10)
    if model == "zen4":
        return [Case("record --no-lbr", 10, "--no-lbr", "", 1 / 10, fixed=False), addresses, Case("branches", 10, "-b", "-b", 1 / 20, size=2 / 3)]
    arch = model == "sapphirerapids"
    target = 1 / 10 if arch else 1 / 20
    depths = (2, 10, 16 if model == "haswell" else 32)
    # The program has a real-time priority, so that the recorder never finds that it needs no other stack.
    chains = [Case(f"call stack, {depth} deep", depth, "--call-graph lbr", "--call-graph lbr", target,
                   5 if arch else 2 * depth + 7, size=2 / 3 if depth == 10 else None)
              for depth in depths]
    whole = {10: 900, 32: 1200} if model == "skylake" else {}
    callers = [Case(f"callers alone, {depth} deep", depth, "--lbr-callers", "--call-graph lbr", target,
                    5 if arch else depth + 7, whole.get(depth), 1 / 3 if depth == 10 else None)
               for depth in depths]
    defaults = [Case("record --call-graph lbr", 10, "--call-graph lbr", "--call-graph lbr", 9 / 100 if arch else 4.5 / 100,
                     5 if arch else 27, fixed=False),
                Case("record --no-lbr", 10, "--no-lbr", "", 1 / 10, fixed=False),
                Case("record -b", 10, "-b", "-b", {"sapphirerapids": 9 / 100, "haswell": 12 / 100}.get(model, 11 / 100),
                     fixed=False),
                Case("record -b --lbr-depth 8", 10, "-b --lbr-depth 8", "-b", 11 / 100, {"skylake": 31}.get(model), fixed=False)]
    return [*defaults, addresses, *chains, *callers, Case("branches", 10, "-b", "-b", target, size=2 / 3)]


def stacks(model):
    """The case that the rows "program" use."""
    return next((case for case in cases(model) if case.name == "call stack, 10 deep"), cases(model)[0])


class Script:
    """Cases for inside/kernel.sh, each with a meter window of its own."""

    def __init__(self):
        self.cases = []

    def add(self, who, options, depth, instructions, times=1):
        window = len(self.cases) + 1
        self.cases.append((who, f"{who} {depth} {instructions} {','.join([str(window)] * times)} {options}"))
        return window

    def lines(self):
        """The lines of cases, ours last."""
        return [line for _, line in sorted(self.cases, key=lambda case: case[0] in ("ours", "bytes"))]


def slowed(script, model):
    """{period: windows of nobody, any handler, ours, perf's}"""
    case = stacks(model)
    return {period: [script.add(who, options.replace("PERIOD", str(period)), 10, SLOW_PERIODS * period, SLOW_TIMES)
                     for who, options in (("nobody", ""), ("floor", "period=PERIOD"),
                                          ("ours", f"{case.ours} {EVENT} PERIOD"),
                                          ("peer", f"{case.peer} {EVENT} PERIOD"))]
            for period in SLOW}


def usual(number, windows):
    """The most frequent of the PMIs in user mode."""
    pmis = [pmi for pmi in windows[number][0].pmis if pmi.user]
    if len(pmis) < LEAST:
        raise SystemExit(f"bench: window {number} has {len(pmis)} PMIs in user mode")
    return collections.Counter(pmis).most_common(1)[0][0]


def sizes(said):
    """{window: bytes of a sample's record}"""
    return {int(words[1]): int(words[2], 0) for words in map(str.split, said.splitlines())
            if len(words) == 3 and words[0] == "bytes"}


def pmi_rows(model, case, floor, ours, peer):
    yield lab.row(model, f"PMI: {case.name}", "instructions", ours.instructions, peer.instructions, case.target,
                  floor.instructions)
    if case.accesses:
        accesses, others, any_pays = (pmi.rdmsr + pmi.wrmsr for pmi in (ours, peer, floor))
        yield {**lab.row(model, f"PMI: {case.name}", "MSR accesses", accesses, others, case.accesses,
                         met=accesses <= case.accesses), "floor": any_pays}
    if case.whole:
        yield lab.row(model, f"PMI: {case.name}, whole", "instructions", ours.instructions, peer.instructions,
                      case.whole, met=ours.instructions <= case.whole)


def slow_row(model, period, costs):
    nobody, *others = costs
    floor, ours, peer = (100 * (cost - nobody) / nobody for cost in others)
    case = stacks(model)
    return lab.row(model, f"program: {case.name}, each {period} instructions", "% longer", ours, peer, None,
                   floor, 4)


def measurements(model):
    """Dictionaries as bench.json has them."""
    script = Script()
    slow = slowed(script, model)
    floor = script.add("floor", f"period={PERIOD}", 10, SAMPLES * PERIOD)
    todo = [(case, *(script.add(who, f"{options} {EVENT} {PERIOD}" if case.fixed else options, case.depth,
                                samples * PERIOD if case.fixed else DEFAULT_INSTRUCTIONS)
                     for who, options, samples in (("ours", case.ours, SAMPLES), ("peer", case.peer, SAMPLES),
                                                   *([("bytes", case.ours, FULL)] if case.size else []))))
            for case in cases(model)]
    said, windows = lab.run(model, "kernel.sh", script.lines(), [lab.built() / "nest", lab.built() / "floor.ko"])
    size = sizes(said)
    for case, ours, peer, *filled in todo:
        yield from pmi_rows(model, case, *(usual(number, windows) for number in (floor, ours, peer)))
        if filled:
            yield lab.row(model, f"record: {case.name}", "bytes", size[filled[0]], size[peer], case.size)
    for period, numbers in slow.items():
        yield slow_row(model, period, [min(window.kernel + window.user for window in windows[number])
                                       for number in numbers])
