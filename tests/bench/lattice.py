#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""tests/bench/lattice.py FOLDER SAMPLES STACKS THREADS

Writes FOLDER/lattice, a program of two functions a level, each of which calls both of the next
level, and FOLDER/lattice.data: a capture of it as lbrctl record writes it, call stacks of the
LBR 21 calls deep. The samples go round STACKS different stacks (2^20 at most), and round THREADS
threads. No program takes so many stacks in a second: the capture is made, its addresses are
those of the program's code. Layouts: <linux/perf_event.h> and perf.data-file-format.txt of Linux."""
import pathlib
import re
import struct
import subprocess
import sys

LEVELS = 20
PID, PERIOD, ID = 4000, 10007, 71
MMAP, COMM, FORK, SAMPLE, FINISHED_ROUND = 1, 3, 7, 9, 68
ROUND = 1000			# samples
STEP = 10_000			# ns from one sample to the next
CALL_STACK, USER = 1 << 11, 1
# identifier, ip, tid, time, cpu, period, call chain, raw data, branches
KINDS = 1 << 16 | 1 | 2 | 4 | 1 << 7 | 1 << 8 | 1 << 5 | 1 << 10 | 1 << 11
# mmap, comm, task and sample_id_all
FLAGS = 1 << 8 | 1 << 9 | 1 << 13 | 1 << 18


def source():
    """The functions of the last level call none."""
    text = [f"void {letter}{LEVELS - 1}(void) {{ __asm__(\"nop; nop\"); }}" for letter in "ab"]
    for level in reversed(range(LEVELS - 1)):
        for letter in "ab":
            text.append(f"void {letter}{level}(void) {{ a{level + 1}(); b{level + 1}(); __asm__(\"nop\"); }}")
    return "\n".join([*text, "void _start(void) { a0(); b0(); for (;;) __asm__(\"nop\"); }"])


def program(path):
    """Builds it; returns the layout of its code (address, offset, size), the addresses of its
    functions, and of their calls: {(caller, callee): address}."""
    subprocess.run(["gcc", "-O1", "-fno-ipa-icf", "-fno-inline", "-nostdlib", "-static", "-no-pie", "-xc", "-", "-o", path],
                   input=source().encode(), check=True)
    segments = subprocess.run(["readelf", "-lW", path], capture_output=True, text=True, check=True).stdout
    words = next(line.split() for line in segments.splitlines() if "LOAD" in line and " R E " in line)
    functions, calls, caller = {}, {}, None
    code = subprocess.run(["objdump", "-d", path], capture_output=True, text=True, check=True).stdout
    for line in code.splitlines():
        if found := re.match(r"([0-9a-f]+) <(\w+)>:", line):
            caller = found[2]
            functions[caller] = int(found[1], 16)
        elif found := re.match(r" *([0-9a-f]+):.*\tcall +[0-9a-f]+ <(\w+)>", line):
            calls[caller, found[2]] = int(found[1], 16)
    return (int(words[2], 16), int(words[1], 16), int(words[5], 16)), functions, calls


def record(kind, misc, body):
    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body


def padded(text):
    data = text.encode() + b"\0"
    return data + b"\0" * (-len(data) % 8)


def side(path, layout, threads):
    """The records of the process and its threads, at time 1."""
    start, offset, size = layout
    tail = struct.pack("<IIQIIQ", PID, PID, 1, 0, 0, ID)
    yield record(COMM, 1 << 13, struct.pack("<II", PID, PID) + padded("lattice") + tail)
    yield record(MMAP, 2, struct.pack("<IIQQQ", PID, PID, start, size, offset) + padded(str(path)) + tail)
    for thread in range(1, threads):
        yield record(FORK, 0, struct.pack("<IIIIQ", PID, PID, PID + thread, PID, 1) + tail)


def stack(number, functions, calls):
    """What follows the sample's period: its call chain, raw data and branches, of the stack with
    this number. The bits of the number choose the functions, mixed so that successive ones differ."""
    mixed = number * 0x9e3779b1 % (1 << LEVELS)
    names = ["_start", *("ab"[mixed >> level & 1] + str(level) for level in range(LEVELS))]
    leaf = functions[names[-1]] + 1
    # Nothing but return addresses is on the stack.
    mark = b"depth=%d" % (8 * LEVELS)
    raw = struct.pack("<I", len(mark) + (-len(mark) - 4) % 8) + mark + b"\0" * ((-len(mark) - 4) % 8)
    branches = b"".join(struct.pack("<QQQ", calls[names[i - 1], names[i]], functions[names[i]], 0)
                        for i in range(LEVELS, 0, -1))
    return leaf, struct.pack("<QQQ", 2, (1 << 64) - 512, leaf) + raw + struct.pack("<Q", LEVELS) + branches


def samples(nr, stacks, threads, functions, calls):
    made = {}
    for i in range(nr):
        number = i % stacks
        if number not in made:
            made[number] = stack(number, functions, calls)
        leaf, rest = made[number]
        if stacks == nr:
            del made[number]
        yield record(SAMPLE, 2, struct.pack("<QQIIQIIQ", ID, leaf, PID, PID + i % threads, 2 + STEP * i, i % 4, 0, PERIOD) + rest)
        if i % ROUND == ROUND - 1:
            yield record(FINISHED_ROUND, 0, b"")


def write(folder, nr, stacks, threads):
    path = folder / "lattice"
    layout, functions, calls = program(path)
    attr = struct.pack("<IIQQQQQ", 0, 128, 0, PERIOD, KINDS, 0, FLAGS)
    attr += struct.pack("<IIQQQQIiQ", 0, 0, 0, 0, CALL_STACK | USER, 0, 0, 0, 0)
    ids = struct.pack("<Q", ID)
    at = 104 + len(ids)
    with open(folder / "lattice.data", "wb") as out:
        out.write(bytes(104) + ids + attr.ljust(128, b"\0") + struct.pack("<QQ", 104, len(ids)))
        start = out.tell()
        for part in side(path, layout, threads):
            out.write(part)
        for part in samples(nr, stacks, threads, functions, calls):
            out.write(part)
        size = out.tell() - start
        out.seek(0)
        out.write(struct.pack("<8sQQ", b"PERFILE2", 104, 144) +
                  struct.pack("<QQQQQQ", at, 144, start, size, 0, 0) + bytes(32))


if __name__ == "__main__":
    write(pathlib.Path(sys.argv[1]).resolve(), *map(int, sys.argv[2:5]))
