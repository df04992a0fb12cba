# SPDX-License-Identifier: GPL-2.0
"""What a PMI costs the kernel, ours and perf's, in guest instructions and register
accesses by the lab machine's meter.

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

Case = collections.namedtuple("Case", "name depth ours peer target accesses")
Cost = collections.namedtuple("Cost", "instructions rdmsr wrmsr")

FLOOR_WINDOW = 1


def cases(model):
    """target: at most so much of perf's, without the floor; accesses: at most so many."""
    if model == "zen4":
        return [Case("addresses", 10, "", "", 1 / 10, None),
                Case("branches", 10, "-b", "-b", 1 / 20, None)]
    arch = model == "sapphirerapids"
    target = 1 / 10 if arch else 1 / 20
    chains = [Case(f"call stack, {depth} deep", depth, "", "--call-graph lbr", target,
                   5 if arch else 2 * depth + 7)
              for depth in (2, 10, 16 if model == "haswell" else 32)]
    return [*chains, Case("branches", 10, "-b", "-b", target, None)]


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


def run(model, built):
    """[(Case, floor, ours, peer)], each a Cost."""
    todo = cases(model)
    lines = [f"{FLOOR_WINDOW} 10 floor"]
    for i, case in enumerate(todo, 1):
        lines.append(f"{2 * i} {case.depth} ours {case.ours}")
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
    return [(case, found[FLOOR_WINDOW], found[2 * i], found[2 * i + 1]) for i, case in enumerate(todo, 1)]


def measurements(model, built):
    """Dictionaries as bench.json has them."""
    for case, floor, ours, peer in run(model, built):
        left, theirs = ours.instructions - floor.instructions, peer.instructions - floor.instructions
        yield {"name": f"PMI: {case.name}", "model": model, "unit": "instructions",
               "floor": floor.instructions, "ours": ours.instructions, "peer": peer.instructions,
               "ratio": round(left / theirs, 4), "target": round(case.target, 4), "met": left / theirs <= case.target}
        if case.accesses:
            accesses, others = ours.rdmsr + ours.wrmsr, peer.rdmsr + peer.wrmsr
            yield {"name": f"PMI: {case.name}", "model": model, "unit": "MSR accesses",
                   "floor": floor.rdmsr + floor.wrmsr, "ours": accesses, "peer": others,
                   "ratio": round(accesses / others, 4), "target": case.accesses, "met": accesses <= case.accesses}
