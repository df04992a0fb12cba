# SPDX-License-Identifier: GPL-2.0
"""The cost of reading a capture, ours and perf's: both read the same file, recorded in the lab
machine and grown (grow.py), in turns; the result is the median of the pairs. And the cost of
writing one, in the lab machine (inside/recording.sh).

Rows have the elapsed time and the CPU time, which other work on the machine disturbs less. The CPU
time of a pipe is that of its slower end, since both run at the same time. perf script's output is
collapsed by the smallest program that does it, an awk program in this file."""
import collections
import ctypes
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

import lab
import lattice
import readers

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parents[1]
LBRCTL = TOP / "build" / "lbrctl"
MILLION = 1_000_000
# number of samples: number of pairs
SIZES = {10_000: 5, MILLION: 3, 10 * MILLION: 1}

COLLAPSE = """/^[^ \\t]/ { comm = $1; next }
/^$/ { if (stack != "") seen[comm stack]++; stack = ""; next }
{ name = $2; sub(/\\+0x[0-9a-f]*$/, "", name); stack = ";" name stack }
END { for (stack in seen) print stack, seen[stack] }"""

PERF_REPORT = "perf report --no-inline --stdio -i {}"
PERF_SCRIPT = "perf script --no-inline -i {}"
COLLAPSED = f"{PERF_SCRIPT} | awk '{COLLAPSE}'"

Case = collections.namedtuple("Case", "name ours peer target")
CASES = [
    Case("report", "report --no-inline -i {}", PERF_REPORT, 1 / 20),
    Case("flame", "flame --no-inline -i {} -o flame.html", COLLAPSED, 1 / 25),
    Case("export --format folded", "export --format folded --no-inline -i {}", COLLAPSED, 1 / 25),
    Case("script", "script --no-inline -i {}", PERF_SCRIPT, 1 / 6),
]
# Both tools show inlined functions by default, but perf shows none in stacks of the LBR, only where it
# has unwound the stack itself. So this case reads a capture of perf, and includes the unwinding.
INLINED = Case("report, inlined functions", "report -i {}", "perf report --stdio -i {}", 1 / 20)
INLINED_SIZES = {10_000: 3, MILLION: 1}
# The capture of lattice.py: 20 calls deep, this number of stacks, each of them in every thread.
LATTICE_STACKS = 7919
LATTICE_THREADS = 16, 1000
LATTICE = Case("report, {} threads", "report --no-inline -i {}", PERF_REPORT, 1 / 20)
THREADS_TIME = 1.2		# of one thread's
MEMORY_TARGET = 1 / 4
# Limits of the growth of time and memory with ten times the samples.
GROWTH_TIME, GROWTH_MEMORY = 11, 1.1

Cost = collections.namedtuple("Cost", "wall cpu memory")
UNITS = (("s", 3), ("CPU s", 3), ("KiB", None))

PR_SET_CHILD_SUBREAPER = 36


def record(script, gets, options, folder):
    """sqlite3 at work in the lab machine."""
    built = subprocess.run([TOP / "tests" / "demo" / "programs", "sqlite3"], capture_output=True, text=True,
                           check=True).stdout.strip()
    sql = folder / "workload.sql"
    with open(sql, "wb") as out:
        subprocess.run([TOP / "tests" / "demo" / "input", "sqlite3"], stdout=out, check=True)
    puts = [HERE / "inside" / script, sql, *sorted(pathlib.Path(built).iterdir())]
    subprocess.run([lab.LAB, "run", "--silence", "1500", *options,
                    *(word for get in gets for word in ("--get", get)),
                    *(word for put in puts for word in ("--put", put)), "--", "bash", f"./{script}", built],
                   cwd=folder, check=True)


def grown(source, out, wanted):
    """How many samples it has."""
    done = subprocess.run([sys.executable, HERE / "grow.py", source, out, str(wanted)], capture_output=True, check=True)
    return int(done.stdout)


def orphans():
    """CPU seconds of programs (addr2line) that perf started and did not wait for."""
    seconds = 0
    while True:
        try:
            usage = os.wait4(-1, 0)[2]
        except ChildProcessError:
            return seconds
        seconds += usage.ru_utime + usage.ru_stime


def cost(command, folder):
    """The Cost of a command, or of a pipe of commands."""
    said = subprocess.run([sys.executable, "-I", "-S", HERE / "usage.py", *command.split(" | ")], cwd=folder,
                          stdout=subprocess.PIPE, text=True, check=True).stdout
    wall, cpu, memory = said.split()
    return Cost(float(wall), float(cpu) + orphans(), int(memory))


def medians(costs):
    return Cost(*(statistics.median(part) for part in zip(*costs)))


def paired(cases, capture, pairs, folder):
    """{case: (ours, peer's)}, medians. A command that is the peer of several cases runs once a pair."""
    seen = collections.defaultdict(list)
    for _ in range(pairs):
        for command in dict.fromkeys(word for case in cases for word in (f"{LBRCTL} {case.ours}", case.peer)):
            seen[command].append(cost(command.replace("{}", str(capture)), folder))
    return {case: (medians(seen[f"{LBRCTL} {case.ours}"]), medians(seen[case.peer])) for case in cases}


def rows(case, size, ours, peer, few=False):
    """few: both are quick, and the target is only to be no slower and no larger."""
    for (unit, digits), left, right in zip(UNITS, ours, peer):
        target = 1 if few else MEMORY_TARGET if unit == "KiB" else case.target
        yield lab.row("host", f"{case.name}, {size} samples", unit, left, right, target, digits=digits)


def growth(case, few, many):
    """few, many: (ours, peer's) Cost of a number of samples, and of ten times as many. The limit is
    absolute; perf's growth is printed beside ours."""
    for unit, at, most in (("times the CPU s", 1, GROWTH_TIME), ("times the KiB", 2, GROWTH_MEMORY)):
        ours, peer = (many[side][at] / few[side][at] for side in (0, 1))
        yield lab.row("host", f"{case.name}, of 10 times the samples", unit, ours, peer, most, digits=3,
                      met=ours <= most)


def lattice_capture(folder, stacks, threads):
    lattice.write(folder, MILLION, stacks, threads)
    return folder / "lattice.data"


def threaded(folder):
    """The same stacks in one thread and in several: beside perf, and beside one thread."""
    command = f"{LBRCTL} {LATTICE.ours}"
    single = medians([cost(command.replace("{}", str(lattice_capture(folder, LATTICE_STACKS, 1))), folder)
                      for _ in range(3)])
    for threads in LATTICE_THREADS:
        case = LATTICE._replace(name=LATTICE.name.format(threads))
        ours, peer = paired([case], lattice_capture(folder, LATTICE_STACKS, threads), 1, folder)[case]
        yield from rows(case, MILLION, ours, peer)
        yield lab.row("host", f"{case.name}; peer: one thread", "CPU s", ours.cpu, single.cpu, THREADS_TIME, digits=3)


def written(name, folder):
    """A recording's number of samples, CPU seconds of its recorder, and bytes."""
    path = folder / f"{name}.data"
    said = subprocess.run([LBRCTL, "report", "--no-inline", "--json", "-i", path], capture_output=True, check=True)
    return (json.loads(said.stdout)["capture"]["samples"],
            sum(map(float, (folder / f"{name}.cost").read_text().split())), path.stat().st_size)


def recording(folder):
    """The cost of a sample to the recorder, and its bytes in the file: the difference between a
    recording of many samples and one of few. Time is that of instructions, 2 ns each."""
    names = [f"{who}.{how}" for who in ("ours", "peer") for how in ("often", "rarely", "often.z", "rarely.z")]
    record("recording.sh", [f"{name}.{end}" for name in names for end in ("data", "cost")],
           ["--clock", "instructions"], folder)
    found = {name: written(name, folder) for name in names}

    def more(who, how, at):
        many, few = found[f"{who}.often{how}"], found[f"{who}.rarely{how}"]
        return (many[at] - few[at]) / (many[0] - few[0])

    for name, how in (("record", ""), ("record -z", ".z")):
        for part, unit, at, times, target in ((", a million samples", "CPU s", 1, MILLION, 1 / 2),
                                              (", a sample in the file", "bytes", 2, 1, None)):
            yield lab.row("skylake", name + part, unit, *(times * more(who, how, at) for who in ("ours", "peer")),
                          target, digits=2)


def measurements(sizes=None):
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    with tempfile.TemporaryDirectory(dir=TOP / "build") as name:
        folder = pathlib.Path(name)
        yield from recording(folder)
        record("user.sh", ["user.data", "dwarf.data"], [], folder)
        capture = folder / "grown.data"
        found = {}
        for size in sizes or SIZES:
            nr = grown(folder / "user.data", capture, size)
            found[size] = paired(CASES, capture, SIZES[size], folder)
            for case in CASES:
                yield from rows(case, nr, *found[size][case], size < MILLION)
        for case in CASES:
            if MILLION // 10 in found and MILLION in found:
                yield from growth(case, found[MILLION // 10][case], found[MILLION][case])
        yield from threaded(folder)
        yield from readers.measurements(folder, cost, medians)
        for size, pairs in INLINED_SIZES.items():
            nr = grown(folder / "dwarf.data", capture, size)
            yield from rows(INLINED, nr, *paired([INLINED], capture, pairs, folder)[INLINED], size < MILLION)
