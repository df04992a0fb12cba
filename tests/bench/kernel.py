# SPDX-License-Identifier: GPL-2.0
"""What a PMI costs the kernel, ours and perf's, in guest instructions and register
accesses by the lab machine's meter; and the bytes of its record in the buffer.

One boot a CPU model. The path that any handler pays is measured there too, by a handler
that does nothing (module/floor.c), and taken off both sides.
"""
import collections
import pathlib
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
LAB = HERE.parent / "lab" / "lab"
INSTRUCTIONS = 12_000_000  # of a case: 120 PMIs
LEAST = 100

Case = collections.namedtuple("Case", "name depth ours peer target accesses whole size", defaults=[None] * 3)
Cost = collections.namedtuple("Cost", "instructions rdmsr wrmsr")

FLOOR_WINDOW = 1


def cases(model):
    """target: at most so much of perf's, without the floor; accesses, and whole, which is
    instructions with the floor: at most so many; size: at most so much of perf's record."""
    if model == "zen4":
        return [Case("addresses", 10, "", "", 1 / 10),
                Case("branches", 10, "-b", "-b", 1 / 20, size=2 / 3)]
    arch = model == "sapphirerapids"
    target = 1 / 10 if arch else 1 / 20
    depths = (2, 10, 16 if model == "haswell" else 32)
    chains = [Case(f"call stack, {depth} deep", depth, "", "--call-graph lbr", target,
                   5 if arch else 2 * depth + 7, size=2 / 3 if depth == 10 else None)
              for depth in depths]
    whole = {10: 900, 32: 1200} if model == "skylake" else {}
    callers = [Case(f"callers alone, {depth} deep", depth, "--lbr-callers", "--call-graph lbr", target,
                    5 if arch else depth + 7, whole.get(depth), 1 / 3 if depth == 10 else None)
               for depth in depths]
    return [*chains, *callers, Case("branches", 10, "-b", "-b", target, size=2 / 3)]


def windows(meter):
    """{window: the usual Cost of a PMI in user mode inside of it}"""
    found, pmis = {}, []
    for line in meter.splitlines():
        words = line.split()
        if words[0].isdigit():
            pmis.append([int(word, 0) for word in (words[2], *words[5:8])])
        elif words[0] == "window" and words[4] == "closed":
            inside = [Cost(*pmi[1:]) for pmi in pmis[-int(words[-1]):] if pmi[0] == 3]
            if len(inside) < LEAST:
                raise SystemExit(f"bench: window {words[3]} has {len(inside)} PMIs in user mode")
            usual = collections.Counter(cost.instructions for cost in inside).most_common(1)[0][0]
            found[int(words[3])] = next(cost for cost in inside if cost.instructions == usual)
            pmis = []
    return found


def sizes(said):
    """{window: bytes of a sample's record}"""
    return {int(words[1]): int(words[2], 0) for words in map(str.split, said.splitlines())
            if len(words) == 3 and words[0] == "bytes"}


def run(model, built):
    """[(Case, floor, ours, peer, bytes of ours, of peer)], the first three each a Cost."""
    todo = cases(model)
    lines = [f"{FLOOR_WINDOW} 10 floor"]
    for i, case in enumerate(todo, 1):
        lines.append(f"{2 * i} {case.depth} ours {case.ours}")
        if case.size:
            lines.append(f"{2 * i} {case.depth} bytes {case.ours}")
        lines.append(f"{2 * i + 1} {case.depth} peer {case.peer}")
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "cases").write_text("\n".join(lines) + "\n")
        puts = [folder / "cases", HERE / "inside" / "kernel.sh", built / "nest", built / "floor.ko"]
        done = subprocess.run(
            [LAB, "run", "--cpu", model, "--append", "nmi_watchdog=0", "--meter", folder / "meter",
             *(word for put in puts for word in ("--put", put)), "--", "sh", "./kernel.sh", str(INSTRUCTIONS)],
            capture_output=True, text=True, check=False)
        if done.returncode:
            raise SystemExit(f"bench: {model}: {done.stdout}{done.stderr}")
        found = windows((folder / "meter").read_text())
    size = sizes(done.stdout)
    return [(case, found[FLOOR_WINDOW], found[2 * i], found[2 * i + 1], size.get(2 * i), size[2 * i + 1])
            for i, case in enumerate(todo, 1)]


def measurements(model, built):
    """Dictionaries as bench.json has them."""
    for case, floor, ours, peer, size, theirs_size in run(model, built):
        left, theirs = ours.instructions - floor.instructions, peer.instructions - floor.instructions
        yield {"name": f"PMI: {case.name}", "model": model, "unit": "instructions",
               "floor": floor.instructions, "ours": ours.instructions, "peer": peer.instructions,
               "ratio": round(left / theirs, 4), "target": round(case.target, 4), "met": left / theirs <= case.target}
        if case.accesses:
            accesses, others = ours.rdmsr + ours.wrmsr, peer.rdmsr + peer.wrmsr
            yield {"name": f"PMI: {case.name}", "model": model, "unit": "MSR accesses",
                   "floor": floor.rdmsr + floor.wrmsr, "ours": accesses, "peer": others,
                   "ratio": round(accesses / others, 4), "target": case.accesses, "met": accesses <= case.accesses}
        if case.whole:
            yield {"name": f"PMI: {case.name}, whole", "model": model, "unit": "instructions",
                   "floor": 0, "ours": ours.instructions, "peer": peer.instructions,
                   "ratio": round(ours.instructions / peer.instructions, 4), "target": case.whole,
                   "met": ours.instructions <= case.whole}
        if case.size:
            yield {"name": f"record: {case.name}", "model": model, "unit": "bytes", "floor": 0, "ours": size,
                   "peer": theirs_size, "ratio": round(size / theirs_size, 4), "target": round(case.size, 4),
                   "met": size / theirs_size <= case.size}
