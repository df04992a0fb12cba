# SPDX-License-Identifier: GPL-2.0
"""Programs with branch records of a walk through their code, and our own count of these."""
import collections
import random
import re
import subprocess

from made import capture_branches, text_of

OUTSIDE = 0x7fff00001000  # nothing is mapped there
KERNEL = 0xffffffff81000000

SOURCE = """
static volatile int sink;
__attribute__((noinline)) int leaf(int n) { return n & 1 ? n * 3 : n / 2; }
__attribute__((noinline)) int sum(int n)
{
	int all = 0;
	for (int i = 0; i < n; i++)
		if (i % 3)
			all += leaf(i);
	return all;
}
const char apart[8192] = "the pages of data and code";
int top(int n)
{
	while (n--) {
		sink = sum(n);
		if (sink > 9)
			sink = leaf(sink);
	}
	return sink;
}
"""


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


def disassembled(path):
    text = output("objdump", "-d", "--no-show-raw-insn", path)
    return {int(a, 16): insn for a, insn in re.findall(r"^ +([0-9a-f]+):\t(.*)$", text, re.M)}


def symbols(path):
    return {line.split()[2]: int(line.split()[0], 16) for line in output("nm", path).splitlines()}


BRANCH = re.compile(r"(bnd |notrack |repz )*(j|call|ret)")


def target(insn):
    found = re.match(r"(?:bnd |notrack )*(?:j\w+|call) +([0-9a-f]+)", insn)
    return int(found[1], 16) if found else None


def walk(code, start, chance, nr, interrupts):
    """Taken branches (from, to) of a walk through the code, in addresses of the file: a call from
    outside to start, conditional jumps by chance, and calls that return; with interrupts into the kernel and back, at any instruction."""
    order = sorted(code)
    behind = dict(zip(order, order[1:]))
    at, stack = OUTSIDE, []
    while nr:
        insn = code.get(at, "call")
        word = insn.split()[0]
        if at == OUTSIDE:
            to = start
        elif word == "call":
            to = target(insn)
            stack.append(behind[at])
        elif word == "ret":
            to = stack.pop() if stack else OUTSIDE
        elif word == "jmp" or word.startswith("j") and chance.random() < 0.5:
            to = target(insn)
        else:
            at = behind[at]
            continue
        yield at, to
        nr -= 1
        at = to
        if at != OUTSIDE and chance.random() < interrupts:
            at = behind.get(at, at)
            yield at, KERNEL
            yield KERNEL + 8, at


class Program:
    """A program with samples of a walk through its code. Its addresses are those of the file; it is mapped elsewhere
    (moved), with offsets that are again others."""

    def __init__(self, folder, name, moved, *how):
        self.path, self.moved, self.samples = f"{folder}/{name}", moved, []
        # create_llvm_prof 0.19 knows DWARF up to 4
        subprocess.run(["gcc", "-gdwarf-4", "-O1", "-fcf-protection=none", "-nostdlib", "-Wl,-e,top,--build-id=none,--no-gc-sections", *how, "-xc", "-",
                        "-o", self.path], input=SOURCE, text=True, check=True)
        self.code, self.at = disassembled(self.path), symbols(self.path)
        (address, self.offset, _), = text_of(self.path)
        self.begin = address & ~0xfff
        self.first = int(re.search(r"LOAD +\w+ (\w+)", output("readelf", "-lW", self.path))[1], 16)

    def walked(self, seed, interrupts=0):
        self.samples = []
        taken = list(walk(self.code, self.at["top"], random.Random(seed), 20000, interrupts))
        for end in range(16, len(taken), 17):
            self.sample([(a, b, (a + end) % 7 == 0, 3) for a, b in reversed(taken[end - 16:end])])

    def mapping(self, shift=0):
        return self.path, self.begin + self.moved + shift, self.offset & ~0xfff

    def sample(self, entries):
        move = lambda a: a + self.moved if a in self.code else a
        self.samples.append([(move(a), move(b), missed, cycles) for a, b, missed, cycles in entries])

    def capture(self, path):
        with open(path, "wb") as file:
            file.write(capture_branches(self.samples, *self.mapping(), others=[("/nowhere", OUTSIDE, 0)]))
        return path


def counted(samples, moved, code):
    """Executions of ranges (start, end, the branch before), without those that an interrupt ended; branches (from, to):
    [all, mispredicted], 0 for outside."""
    ranges, branches = collections.Counter(), collections.defaultdict(lambda: [0, 0])
    own = lambda a: a - moved if a - moved in code else 0
    for entries in samples:
        for source, to, missed, _ in entries:
            if own(source) or own(to):
                branches[own(source), own(to)][0] += 1
                branches[own(source), own(to)][1] += missed
        for new, old in zip(entries, entries[1:]):
            if own(new[0]) and own(old[1]) and BRANCH.match(code[own(new[0])]):
                ranges[own(old[1]), own(new[0]), own(old[0])] += 1
    return ranges, branches
