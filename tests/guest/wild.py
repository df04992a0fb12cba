#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""wild.py [--bare] LBRCTL NAME CAPTURE PROGRAM NODES

Judges the stacks of a program of gen-wild: CAPTURE was recorded with --keep-stacks, so that
each sample has the registers; r15 identifies the true stack, and NODES is the file that the
program wrote. One ok or not ok line: no stack that is called complete, partial or truncated has a
frame that the true one has not, and no complete one lacks any; a partial one may lack levels of a
recursion. Frames that rest on a frame pointer are marked so, and not judged.

--bare: removes the recorded stack from the capture first, so that the stacks come from the branch
records alone.

The verdict of each sample comes from `lbrctl export`: each sample gets a task name of its own, by
which it is found again.
"""
import argparse
import collections
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

IP, TID, TIME, ADDR, READ, CALLCHAIN, ID, CPU, PERIOD, STREAM, RAW, BRANCHES, REGS, STACK = (1 << i for i in range(14))
IDENTIFIER = 1 << 16
COMM, SAMPLE = 3, 9
R15 = 23                # perf_regs.h: PERF_REG_X86_R15
MAGIC = 0x5eed
INTERRUPTED = 1 << 15
ATTR_SIZE = 64          # of struct perf_event_attr as far as it is read here


class Event:
    def __init__(self, data, at):
        self.at = at
        (self.type, _, self.config, _, self.sample_type, _, self.flags) = struct.unpack_from("<IIQQQQQ", data, at)
        self.branch_type, self.regs = struct.unpack_from("<QQ", data, at + 72)


class Capture:
    """A perf.data file as lbrctl writes it: one identifier at the start of each sample, and at the
    end of every other record."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.data = file.read()
        (_, _, self.attr_size, self.attrs_at, attrs_size, self.at, self.size) = \
            struct.unpack_from("<8sQQQQQQ", self.data)
        self.events = {}
        for at in range(self.attrs_at, self.attrs_at + attrs_size, self.attr_size):
            event = Event(self.data, at)
            ids, size = struct.unpack_from("<QQ", self.data, at + self.attr_size - 16)
            for number in struct.unpack_from(f"<{size // 8}Q", self.data, ids):
                self.events[number] = event

    def records(self):
        at = self.at
        while at < self.at + self.size:
            kind, misc, size = struct.unpack_from("<IHH", self.data, at)
            yield kind, misc, self.data[at:at + size]
            at += size

    def write(self, path, records, edit):
        """The same file with other records; edit(header bytes, event) may change the attributes."""
        head = bytearray(self.data[:self.at])
        for event in {id(e): e for e in self.events.values()}.values():
            edit(head, event)
        body = b"".join(records)
        struct.pack_into("<Q", head, 48, len(body))
        tail = bytearray(self.data[self.at + self.size:])
        features = bin(int.from_bytes(self.data[72:104], "little")).count("1")
        for i in range(features):
            at, size = struct.unpack_from("<QQ", tail, 16 * i)
            struct.pack_into("<QQ", tail, 16 * i, at + len(body) - self.size, size)
        with open(path, "wb") as file:
            file.write(bytes(head) + body + bytes(tail))


class Sample:
    """The fields of a sample that the judge needs, and where those of the stack are."""

    def __init__(self, capture, record):
        u64 = lambda at: struct.unpack_from("<Q", record, at)[0]  # noqa: E731
        event = capture.events[u64(8)]
        kinds, at = event.sample_type, 16
        self.event, self.id, self.ip = event, u64(8), u64(16)
        at += 8
        self.pid, self.tid = struct.unpack_from("<II", record, at)
        at += 8
        self.time = u64(at)
        at += 8
        at += 8 * bool(kinds & ADDR) + 8 * bool(kinds & ID) + 8 * bool(kinds & STREAM)
        self.cpu = u64(at)
        at += 8 * bool(kinds & CPU) + 8 * bool(kinds & PERIOD)
        self.chain_at = at
        if kinds & CALLCHAIN:
            at += 8 + 8 * u64(at)
        if kinds & RAW:
            at += 4 + struct.unpack_from("<I", record, at)[0]
        if kinds & BRANCHES:
            at += 8 + 24 * u64(at)
        self.stack_at, self.r15 = at, None
        if kinds & REGS:
            numbers = [i for i in range(64) if event.regs >> i & 1]
            abi = u64(at)
            at += 8
            if abi:
                self.r15 = u64(at + 8 * numbers.index(R15))
                at += 8 * len(numbers)
        if kinds & STACK:
            size = u64(at)
            at += 8 + size + (8 if size else 0)
        self.stack_end = at


class Truth:
    def __init__(self, program, nodes):
        said = subprocess.run(["nm", "-S", program], check=True, capture_output=True, text=True).stdout
        self.functions = sorted((int(a, 16), int(s, 16), n) for a, s, n in
                                re.findall(r"^([0-9a-f]+) ([0-9a-f]+) [tT] (\S+)$", said, re.M))
        with open(nodes, "rb") as file:
            data = file.read()
        self.nodes = dict(struct.iter_unpack("<QQ", data))

    def function(self, node):
        return self.nodes[node] & 0x7fff

    def caller(self, node):
        return self.nodes[node] >> 16

    def tells(self, r15):
        return r15 is not None and r15 >> 32 == MAGIC and (r15 & 0xffffffff) in self.nodes

    def begins(self, node, leaf):
        """The node whose function `leaf` is, at that moment, or None: between two."""
        if self.function(node) == leaf:
            return node
        up = self.caller(node)
        interrupted = self.nodes[node] & INTERRUPTED
        return up if up > 1 and not interrupted and self.function(up) == leaf else None

    def agrees(self, frames, node, complete):
        """Whether functions, innermost first, are those of a node and its callers: all if complete."""
        at = 0
        while True:
            if node == 1:
                return True
            if node == 0:
                return at == len(frames)
            if at == len(frames):
                return not complete
            if frames[at] != self.function(node):
                return False
            at += 1
            up = self.caller(node)
            # it was interrupted beside a call that r15 announced
            if self.nodes[node] & INTERRUPTED and up > 1 and \
                    self.agrees(frames[at:], self.caller(up), complete):
                return True
            node = up

    def shortened(self, frames, node, helped):
        """Whether only levels of a recursion are missing: what is between two frames of one function, with
        one of these. A return without a call takes an entry from the LBR; the entries around it still
        follow from each other in a recursion, and without the outer frames no depth tells. helped: the
        frames that called the one before by a helper function, which no node shows, and which may be the
        function that recurs."""
        callers = []
        while node > 1:
            callers.append(self.function(node))
            node = self.caller(node)
        places = {p for p, function in enumerate(callers) if frames[:1] == [function] and (0 in helped or not p)}
        for i, f in enumerate(frames[1:], 1):
            places = {q + 1 for p in places for q in range(p, len(callers) - 1)
                      if (callers[q] == callers[p] or i in helped) and callers[q + 1] == f}
        return bool(places)

    def text(self, node):
        words = []
        while node > 1 and len(words) < 60:
            words.append(f"{self.function(node)}{'!' if self.nodes[node] & INTERRUPTED else ''}")
            node = self.caller(node)
        return " ".join(words + ["?"] * (node == 1))


def rewrite(capture, path, bare):
    """Names each sample; returns the samples by number."""
    samples, out = [], []
    for kind, misc, record in capture.records():
        if kind != SAMPLE:
            out.append(record)
            continue
        s = Sample(capture, record)
        if s.event.sample_type & REGS and s.event.type != 1:
            name = f"s{len(samples)}".encode().ljust(16, b"\0")
            body = struct.pack("<II", s.pid, s.tid) + name
            body += struct.pack("<IIQ", s.pid, s.tid, s.time) + struct.pack("<Q", s.cpu) + struct.pack("<Q", s.id)
            out.append(struct.pack("<IHH", COMM, 0, 8 + len(body)) + body)
            samples.append(s)
        if bare:
            record = record[:s.stack_at] + record[s.stack_end:]
            record = struct.pack("<IHH", kind, misc, len(record)) + record[8:]
        out.append(record)

    def edit(head, event):
        if bare:
            struct.pack_into("<Q", head, event.at + 24, event.sample_type & ~(REGS | STACK))
            struct.pack_into("<Q", head, event.at + 40, event.flags & ~(1 << 22))     # exclude_callchain_user
            struct.pack_into("<QI", head, event.at + 80, 0, 0)
    capture.write(path, out, edit)
    return samples


def main():
    top = argparse.ArgumentParser(usage=__doc__.replace("%", "%%"))
    top.add_argument("--bare", action="store_true")
    top.add_argument("--show", type=int, default=5)
    for name in ("lbrctl", "name", "capture", "program", "nodes"):
        top.add_argument(name)
    args = top.parse_args()
    truth = Truth(args.program, args.nodes)
    count, bad = collections.Counter(), []
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "named.data")
        samples = rewrite(Capture(args.capture), path, args.bare)
        root = os.path.join(folder, "root")
        said = subprocess.run([args.lbrctl, "script", "-i", path, "--json"], capture_output=True, text=True, check=False)
        where = {f["dso"] for line in said.stdout.splitlines()[:200] for f in json.loads(line)["frames"] if f["dso"]}
        for dso in where:
            if dso.startswith("/") and dso.rsplit("/", 1)[1] == os.path.basename(args.program):
                os.makedirs(root + os.path.dirname(dso))
                shutil.copy(args.program, root + dso)
        os.makedirs(root, exist_ok=True)
        done = subprocess.run([args.lbrctl, "export", "--format", "json", "--symfs", root, "-i", path],
                              capture_output=True, text=True, check=True)
    profile = json.loads(done.stdout)
    names = [f["name"] if f["kind"] == "user" else None for f in profile["frames"]]
    by_pointer = [f["source"] == "frame pointer" for f in profile["frames"]]
    shown = [int(m[1]) if n and (m := re.match(r"w_(\d+)\b", n)) else None for n in names]
    for stack in profile["stacks"]:
        m = re.match(r"s(\d+)\b", stack["thread"])
        if not m:
            continue
        s = samples[int(m[1])]
        frames = list(reversed(stack["frames"]))
        leaf = names[frames[0]] if frames else None
        # a frame pointer may lead anywhere, and the stack says that it was followed
        frames = frames[:next((i for i, f in enumerate(frames) if by_pointer[f]), len(frames))]
        is_shown = [shown[f] is not None for f in frames]
        functions = [shown[f] for f in frames if shown[f] is not None]
        helped = {sum(is_shown[:i]) for i, one in enumerate(is_shown) if one and i and not is_shown[i - 1]}
        if not truth.tells(s.r15) or not leaf or not re.match(r"w_|kid", leaf):
            count["elsewhere"] += 1
            continue
        node = s.r15 & 0xffffffff
        node = node if leaf.startswith("kid") else truth.begins(node, shown[frames[0]])
        # at kid() r15 is the caller's; between two calls it is neither
        if node is None:
            count["between"] += 1
            continue
        verdict = stack["verdict"]
        right = truth.agrees(functions, node, verdict == "complete")
        # a function that calls itself, beside the call
        up = truth.caller(node)
        if not right and up > 1 and truth.function(up) == truth.function(node):
            right = truth.agrees(functions, up, verdict == "complete")
        if not right and verdict in ("partial", "truncated", "broken") and truth.shortened(functions, node, helped):
            count[f"{verdict}, of a recursion"] += 1
            continue
        count[f"{verdict}{'' if right else ' but wrong'}"] += 1
        # the others say that their frames may be wrong
        if not right and verdict in ("complete", "partial", "truncated"):
            bad.append(f"{verdict}, sample {m[1]} at {s.ip:#x}: {' '.join(map(str, functions))}; true: {truth.text(node)}")
    seen = sum(n for word, n in count.items() if word not in ("elsewhere", "between"))
    print(f"{'not ok' if bad else 'ok'} - {args.name} # {seen} samples: "
          f"{', '.join(f'{n} {word}' for word, n in sorted(count.items()))}")
    print(f"tried {seen} stacks of programs that gen-wild made")
    for line in bad[:args.show]:
        print(f"# {line}")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
