#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Judges the fields of samples of prog/state.S besides addresses; one ok or not ok line each.

samples.py registers ELF TEXT NAME   TEXT: `perf script -F ip,sym,uregs`. In each loop
    every register has the value of the source; in the kernel that of the system call, and
    the kernel's chain leads to the entry of system calls.
samples.py stack ELF DUMP NAME       DUMP: `perf script -D`. The window has all bytes in
    memory from sp on, with the right contents.
samples.py cgroup ID DUMP NAME       The last word of each sample is this number.
samples.py kernel TEXT TEXT NAME     TEXT: `perf script -F ip,sym`, of two recorders. The
    kernel's chains below read() are the same, and about as frequent.
"""
import collections
import re
import subprocess
import sys

STACK, SIZE, PAGE, WINDOW = 0x20000000, 0x10000, 0x1000, 8192
SYSCALL = 2     # bytes of the instruction
ENOSYS = 2 ** 64 - 38

# by loop: sp, and how many bytes of the stack a window has
LOOPS = {
    "full": (STACK, WINDOW),
    "end": (STACK + SIZE - 1003, 1000),
    "nothing": (0x10, 0),
    "kernel": (0xffffffff81000000, 0),
    "absent": (STACK, PAGE),
    "calls": (STACK, PAGE),
}
NAMES = "AX BX CX DX SI DI BP SP IP FLAGS CS SS DS ES FS GS R8 R9 R10 R11 R12 R13 R14 R15".split()
LEAST = 30      # samples of each loop


def symbols(elf):
    text = subprocess.run(["nm", elf], check=True, capture_output=True, text=True).stdout
    return {name: int(address, 16) for address, _, name in map(str.split, text.splitlines())}


class Program:
    def __init__(self, elf):
        self.at = symbols(elf)
        self.starts = sorted((self.at[name], name) for name in [*LOOPS, "done"])

    def loop(self, address):
        """The loop that an address of user mode is in, or None."""
        for (start, name), (end, _) in zip(self.starts, self.starts[1:]):
            # behind a loop's two instructions the next one is made ready
            size = end - start if name == "calls" else 10
            if start <= address < start + size:
                return name
        return None

    def registers(self, loop):
        """What the loop has in them, but for the flags."""
        values = {name: 0x5a00000000000000 + i for i, name in enumerate(NAMES)
                  if name[0] == "R" or name in ("AX", "BX", "CX", "BP")}
        values |= {"DX": 64, "SI": self.at["buffer"], "DI": 3, "CS": 0x33, "SS": 0x2b}
        return values | {"SP": LOOPS[loop][0]}


def texts(path):
    """(frames [(address, name)], registers {name: value} or None) of each sample."""
    with open(path, errors="replace") as file:
        for block in file.read().split("\n\n"):
            frames = [(int(a, 16), n) for a, n in re.findall(r"^\t *([0-9a-f]+) (\S+)", block, re.M)]
            regs = dict((n, int(v, 16)) for n, v in re.findall(r"\b([A-Z]+[0-9]*):0x([0-9a-f]+)", block))
            if frames:
                yield frames, regs or None


def dumps(path):
    """(bytes, text) of each sample of the program in a dump."""
    with open(path, errors="replace") as file:
        for event in re.split(r"\n(?=0x[0-9a-f]+@?\S* \[0x[0-9a-f]+\]: event: )", file.read()):
            if "PERF_RECORD_SAMPLE" in event and "... thread: state:" in event:
                rows = re.findall(r"^\.  [0-9a-f]{4}:  ((?:[0-9a-f]{2} ){1,16})", event, re.M)
                yield bytes.fromhex("".join(rows)), event


class Judge:
    def __init__(self, name):
        self.name = name
        self.wrong = collections.Counter()
        self.seen = collections.Counter()

    def expect(self, what, want, got):
        if want != got:
            self.wrong[f"{what}: want {want}, got {got}"] += 1

    def end(self, loops=()):
        for loop in loops:
            if self.seen[loop] < LEAST:
                self.wrong[f"{self.seen[loop]} samples in {loop}"] += 1
        good = self.seen and not self.wrong
        print(f"{'ok' if good else 'not ok'} - {self.name} # {dict(self.seen)}")
        for what, n in self.wrong.most_common(8):
            print(f"# {n} x {what}")
        sys.exit(not good)


def judge_user(judge, program, loop, regs):
    for name, value in program.registers(loop).items():
        # the loop of system calls changes these three
        if loop != "calls" or name not in ("AX", "CX", "R11"):
            judge.expect(f"{loop}, {name}", hex(value), hex(regs.get(name, 0)))
    judge.expect(f"{loop}, interrupts and the bit that is 1", 0x202, regs.get("FLAGS", 0) & 0x202)
    judge.seen[loop] += 1


def judge_call(judge, program, frames, regs):
    """In the kernel, out of the loop of system calls."""
    names = [name for _, name in frames]
    after = program.at["calls"] + 4
    values = program.registers("calls") | {"CX": after, "R11": regs["FLAGS"]}
    values["AX"] = 64 if regs["AX"] == 64 else ENOSYS
    for name, value in values.items():
        judge.expect(f"in read(), {name}", hex(value), hex(regs[name]))
    # in the entry code itself no call is open, and interrupts nest on top of it
    entered = [i for i, name in enumerate(names) if name.startswith("entry_SYSCALL_64")]
    if not entered:
        judge.seen["in entry code"] += 1
    elif entered[0]:
        # the way out may be a call of the entry code's own
        if "ksys_read" in names:
            judge.expect("below read()", "do_syscall_64", names[entered[0] - 1])
        judge.seen["in read()"] += 1


def registers(elf, text, name):
    program, judge = Program(elf), Judge(name)
    for frames, regs in texts(text):
        loop = program.loop(regs["IP"]) if regs else None
        if not loop:
            judge.seen["elsewhere"] += 1
        elif frames[0][0] < 2 ** 63:
            judge_user(judge, program, loop, regs)
        elif regs["IP"] == program.at["calls"] + 2 + SYSCALL:
            judge_call(judge, program, frames, regs)
    if judge.seen["in entry code"] > judge.seen["in read()"]:
        judge.wrong["chains do not reach the entry code"] += 1
    judge.end([loop for loop in LOOPS if loop != "calls"] + ["in read()"])


def pattern(start, size):
    """The stack: each word at a multiple of 8 is its own address."""
    words = b"".join(a.to_bytes(8, "little") for a in range(start & ~7, start + size + 8, 8))
    return words[start & 7:][:size]


def stack(elf, dump, name):
    program, judge = Program(elf), Judge(name)
    for data, text in dumps(dump):
        regs = dict((n, int(v, 16)) for n, v in re.findall(r"^\.{4} (\w+) +0x([0-9a-f]+)", text, re.M))
        window = re.search(r"ustack: size (\d+), offset (0x[0-9a-f]+)", text)
        loop = program.loop(regs.get("IP", 0))
        if not loop or not window:
            continue
        # perf tells where the word is that says the size
        size, offset = int(window[1]), int(window[2], 16) + 8
        ip = int(re.search(r"PERF_RECORD_SAMPLE\(IP.*: 0x([0-9a-f]+) period", text)[1], 16)
        if ip < 2 ** 63:
            judge.expect("ip and register", hex(ip), hex(regs["IP"]))
        start, want = LOOPS[loop]
        judge.expect(f"{loop}, bytes", want, size)
        judge.expect(f"{loop}, the bytes are the stack's", True,
                     data[offset:offset + size] == pattern(start, size))
        judge.seen[loop] += 1
    judge.end(LOOPS)


def cgroup(ident, dump, name):
    judge = Judge(name)
    for data, _ in dumps(dump):
        judge.expect("last word", int(ident), int.from_bytes(data[-8:], "little"))
        judge.seen["samples"] += 1
    judge.end()


def chains(path):
    found = collections.Counter()
    for frames, _ in texts(path):
        names = tuple(name for address, name in frames if address >= 2 ** 63)
        if "ksys_read" in names:
            found[names[:names.index("ksys_read") + 4]] += 1
    return found


def kernel(ours, theirs, name):
    judge = Judge(name)
    a, b = chains(ours), chains(theirs)
    judge.seen |= {"ours": a.total(), "theirs": b.total()}
    for chain in a | b:
        shares = [100 * c[chain] / max(c.total(), 1) for c in (a, b)]
        if abs(shares[0] - shares[1]) > 8:
            judge.wrong[f"{shares[0]:.1f} % and {shares[1]:.1f} %: {' '.join(chain)}"] += 1
    judge.end(["ours", "theirs"])


globals()[sys.argv[1]](*sys.argv[2:])
