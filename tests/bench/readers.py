# SPDX-License-Identifier: GPL-2.0
"""The cost of reading captures that are hard to read, ours and perf's, of Linux 6.1 and of the newest kernel:

  stacks	a million samples of 7,919 stacks in 16 threads (lattice.py)
  distinct	a million samples, each of another stack
  copied	some thousand samples of clang with 8 KiB of stack each, as perf records them

CPU seconds and memory; those of a pipe are its slower and its larger end's. Inlined functions are left out
on both sides: perf asks addr2line for each, which takes minutes."""
import collections
import pathlib
import subprocess

import lab
import lattice

TOP = pathlib.Path(__file__).resolve().parents[2]
MILLION = 1_000_000
STACKS, THREADS = 7919, 16

# once: a pair takes perf a minute
Case = collections.namedtuple("Case", "capture name ours peer target once", defaults=(False,))
NONE = "perf report --no-children -g none --no-inline --stdio -i {}"
REPORT = "perf report --no-inline --stdio -i {}"
TEXT = "perf script --no-inline -i {}"
CASES = [
    Case("stacks", "report", "report --no-inline -i {}", REPORT, 1 / 37, True),
    Case("stacks", "report -g none", "report -g none --no-inline -i {}", NONE, 1 / 2),
    Case("stacks", "diff", "diff --no-inline {} {}", "perf diff {} {}", 1 / 2),
    Case("stacks", "script, into a pipe", "script --no-inline -i {} | cat", f"{TEXT} | cat", 1 / 8, True),
    Case("distinct", "report -g none", "report -g none --no-inline -i {}", NONE, 1 / 2),
    Case("copied", "report", "report --no-inline -i {}", REPORT, 1 / 2),
    Case("copied", "report -g none", "report -g none --no-inline -i {}", NONE, 1 / 2),
    Case("copied", "diff", "diff --no-inline {} {}", "perf diff {} {}", 1 / 2),
    Case("copied", "script, into a pipe", "script --no-inline -i {} | cat", f"{TEXT} | cat", 1 / 2),
]
# What a million different stacks took us at first (2 cores, Linux 6.1). perf report would take more memory
# than there is.
BEFORE = [("report", "report --no-inline -i {}", "CPU s", 16, 1 / 4), ("report", "report --no-inline -i {}", "KiB", 1_450 << 10, 1 / 4),
          ("flame", "flame --no-inline -i {} -o page.html", "CPU s", 62, 1 / 3)]
PAIRS = 3

PROGRAM = """#include <algorithm>
#include <functional>
#include <iostream>
#include <map>
#include <regex>
#include <string>
#include <unordered_map>
#include <vector>
int main()
{
	std::map<std::string, std::vector<int>> lists;
	std::unordered_map<std::string, std::function<int(int)>> calls;
	std::regex pattern("a+b");
	for (int i = 0; i < 10; i++) {
		lists[std::to_string(i)].push_back(i);
		calls["x"] = [i](int k) { return k + i; };
	}
	std::sort(lists["1"].begin(), lists["1"].end());
	std::cout << std::regex_match("aab", pattern) << calls["x"](3);
}
"""


def copied(folder):
    """perf's capture of clang; None where perf may not record."""
    (folder / "program.cc").write_text(PROGRAM)
    command = ["perf", "record", "-q", "-e", "cpu-clock:u", "-F", "2000", "--call-graph", "dwarf,8192", "-o", "copied.data", "--",
               "clang++", "-O2", "-c", "program.cc", "-o", "program.o"]
    if subprocess.run(command, cwd=folder, stderr=subprocess.DEVNULL, check=False).returncode:
        print("bench: perf cannot record here: no rows of copied stacks", flush=True)
        return None
    return folder / "copied.data"


def perfs():
    """{kernel: its perf}, that of this machine and the newest."""
    newest = subprocess.run([lab.LAB, "perf", "7.x"], capture_output=True, text=True, check=True).stdout.split()[-1]
    return {"6.1": "perf", "7.x": newest}


def measurements(folder, cost, medians):
    """cost, medians: those of user.py."""
    captures = {"copied": copied(folder)}
    for name, stacks, threads in (("stacks", STACKS, THREADS), ("distinct", MILLION, 1)):
        (folder / name).mkdir()
        lattice.write(folder / name, MILLION, stacks, threads)
        captures[name] = folder / name / "lattice.data"

    peers = perfs()

    def measured(command, capture, times):
        return medians([cost(command.replace("{}", str(capture)), folder) for _ in range(times)])

    tool = TOP / "build" / "lbrctl"
    for case in CASES:
        capture = captures[case.capture]
        if not capture:
            continue
        ours = measured(f"{tool} {case.ours}", capture, PAIRS)
        for kernel, perf in peers.items():
            peer = measured(case.peer.replace("perf", perf, 1), capture, 1 if case.once else PAIRS)
            name = f"{case.capture}: {case.name}"
            yield lab.row(f"host, perf {kernel}", name, "CPU s", ours.cpu, peer.cpu, case.target, digits=3)
            yield lab.row(f"host, perf {kernel}", name, "KiB", ours.memory, peer.memory, None)
    for name, command, unit, before, target in BEFORE:
        found = measured(f"{tool} {command}", captures["distinct"], 1)
        yield lab.row("host", f"distinct: {name}; peer: before", unit, found.cpu if unit == "CPU s" else found.memory, before,
                      target, digits=2)
