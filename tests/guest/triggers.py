#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""triggers.py MODE ELF KIND DEPTH TEXT NAME: judges the records of triggers.

ELF is prog/triggers.S, whose head states its branches. TEXT has the triggers of KIND, and
perhaps others:

history  `perf script -F event,ip,brstack`: each has exactly the branches that lead to it,
         back to the start or to the DEPTH of the records. Returns from the kernel may be
         among them.
kernel   the same with the kernel's branches: the youngest is the one that leads to the store, or
         to the function; and of 32 records some are the program's. Records that an interrupt
         has filled are skipped.
calls    `lbrctl script`: each has all of its calls.

One ok or not ok line.
"""
import re
import subprocess
import sys

ROUNDS = 100
BASE = 0x400000         # lbrctl script prints offsets in the file
KERNEL = 1 << 63
ROUND = [("b1", "outer"), ("b2", "t2"), ("b3", "inner"), ("b4", "t4"), ("b5", "known"),
         ("b6", "t6"), ("b8", "t8"), ("b9", "t9"), ("b10", "round")]
# how many of these come before it in its round, and where it is; None: in the kernel
KINDS = {"watch": (4, "stored"), "uprobe": (5, "known"), "kprobe": (6, None), "kretprobe": (6, None)}
CALLS = {"watch": ("stored", "b3", "b1"), "uprobe": ("known", "b5", "b3", "b1"),
         "kprobe": ("asked", "b3", "b1"), "kretprobe": ("asked", "b3", "b1")}
ENTRY = re.compile(r"0x([0-9a-f]+)/0x([0-9a-f]+)/")


def symbols(elf):
    text = subprocess.run(["nm", elf], check=True, capture_output=True, text=True).stdout
    return {name: int(addr, 16) for addr, name in re.findall(r"^([0-9a-f]+) \w (\w+)$", text, re.M)}


class Judge:
    def __init__(self, elf, kind, depth):
        self.at = symbols(elf)
        self.kind, self.depth = kind, depth
        self.fired = 0
        self.entries = 0
        self.led = self.reached = 0     # with the kernel's branches
        self.bad = []

    def taken(self, nth):
        """The program's branches up to the nth trigger (from 1), youngest first."""
        names = ROUND * (nth - 1) + ROUND[:KINDS[self.kind][0]]
        return [(self.at[a], self.at[b]) for a, b in reversed(names)]

    def says(self, what):
        self.bad.append(f"trigger {self.fired}: {what}")

    def place(self, ip):
        name = KINDS[self.kind][1]
        if ip < KERNEL if name is None else ip != self.at[name]:
            self.says(f"at {ip:#x}")

    def own(self, entries):
        """entries has the program's branches, youngest first, and no others of user mode."""
        mine = [e for e in entries if e[0] < KERNEL]
        want = self.taken(self.fired)
        self.entries += len(mine)
        if mine != want[:len(mine)]:
            self.says("want " + " ".join(f"{a:x}/{b:x}" for a, b in want[:len(mine)]) +
                      ", got " + " ".join(f"{a:x}/{b:x}" for a, b in mine))
        return len(mine) == len(want)

    def history(self, ip, entries):
        self.place(ip)
        whole = self.own(entries)
        if not whole and len(entries) != self.depth:
            self.says(f"{len(entries)} entries, and the oldest branches are missing")
        if sum(e[0] < KERNEL for e in entries) < KINDS[self.kind][0]:
            self.says("the way from the start of the round is not there")

    def kernel(self, ip, entries):
        self.place(ip)
        own = [e for e in entries if e[0] < KERNEL]
        self.reached += bool(own)
        if not entries:
            self.says("nothing is there")
        elif KINDS[self.kind][1] is None:
            # behind the ENDBR that a function begins with where the kernel has IBT
            self.led += ip - entries[0][1] in (0, 4)
        else:
            self.led += entries[0] == self.taken(self.fired)[0]

    def led_there(self):
        """Interrupts come, and so does the first fault of a page: not often."""
        if self.led < 0.9 * self.fired:
            self.bad.insert(0, f"only {self.led} end with the branch that leads there")
        if self.depth >= 32 and self.reached < 0.8 * self.fired:
            self.bad.insert(0, f"only {self.reached} go back to the program")

    def calls(self, offsets):
        want = [self.at[name] - BASE for name in CALLS[self.kind]]
        got = [o for o in offsets if o < KERNEL]
        self.entries += len(got)
        if got != want:
            self.says("want " + " ".join(f"{o:x}" for o in want) + ", got " + " ".join(f"{o:x}" for o in got))


def read_lines(judge, mode, text):
    for line in text:
        m = re.match(rf"\s*{judge.kind}:\S*:\s+([0-9a-f]+)(.*)", line)
        if m:
            judge.fired += 1
            getattr(judge, mode)(int(m[1], 16), [(int(a, 16), int(b, 16)) for a, b in ENTRY.findall(m[2])])


def read_calls(judge, text):
    for block in text.read().split("\n\n"):
        head, *frames = block.strip("\n").split("\n")
        if re.search(rf"\s{judge.kind}:\S*:\s*$", head):
            judge.fired += 1
            judge.calls([int(f.split()[0], 16) for f in frames])


def main():
    mode, elf, kind, depth, text, name = sys.argv[1:]
    judge = Judge(elf, kind, int(depth))
    with open(text) as lines:
        if mode == "calls":
            read_calls(judge, lines)
        else:
            read_lines(judge, mode, lines)
    if judge.fired != ROUNDS:
        judge.bad.insert(0, f"it fired {judge.fired} times")
    if mode == "kernel":
        judge.led_there()
        judge.entries = judge.led
    print(f"{'not ok' if judge.bad else 'ok'} - {name} # {judge.fired} of {ROUNDS}, {judge.entries} entries, {len(judge.bad)} bad")
    for line in judge.bad[:8]:
        print("#", line)
    sys.exit(1 if judge.bad else 0)


main()
