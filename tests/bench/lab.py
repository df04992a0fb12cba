# SPDX-License-Identifier: GPL-2.0
"""Boots the lab machine with its meter on, and reads the meter's file."""
import collections
import os
import pathlib
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parents[1]
LAB = TOP / "tests" / "lab" / "lab"

# user: it interrupted user mode
Pmi = collections.namedtuple("Pmi", "user instructions rdmsr wrmsr")
# kernel, user: instructions; pmis: a list of Pmi
Window = collections.namedtuple("Window", "kernel user rdmsr wrmsr pmis")


def built():
    """The folder into which the Makefile of this folder builds for the current kernel."""
    return TOP / "build" / "tests" / "bench" / os.environ.get("LAB_KERNEL", "stock")


def read_windows(meter):
    """{number: list of its Windows, in order of time}"""
    found, pmis = collections.defaultdict(list), []
    for line in meter.splitlines():
        words = line.split()
        if words[0].isdigit():
            pmis.append(Pmi(int(words[2]) == 3, *(int(word, 0) for word in words[5:8])))
        elif words[0] == "window" and words[4] == "closed":
            kernel, user, rdmsr, wrmsr, _, nr = map(int, words[5:11])
            found[int(words[3])].append(Window(kernel, user, rdmsr, wrmsr, pmis[len(pmis) - nr:]))
            pmis = []
    return found


def run(model, script, cases, puts, *arguments):
    """Runs inside/SCRIPT, which reads the lines "cases": its stdout, and the windows. Time in
    there is that of instructions, so that all of it repeats."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "cases").write_text("".join(f"{line}\n" for line in cases))
        puts = [folder / "cases", HERE / "inside" / script, *puts]
        done = subprocess.run(
            [LAB, "run", "--cpu", model, "--clock", "instructions", "--append", "nmi_watchdog=0",
             "--meter", folder / "meter", "--silence", "6000", *(word for put in puts for word in ("--put", put)),
             "--", "sh", f"./{script}", *map(str, arguments)], capture_output=True, text=True, check=False)
        if done.returncode:
            raise SystemExit(f"bench: {model}: {script}: {done.stdout}{done.stderr}")
        return done.stdout, read_windows((folder / "meter").read_text())


def row(model, name, unit, ours, peer, target, floor=0, digits=None, met=None):
    """A row of bench.json. met, if not given: whether ours / peer's, both without the floor, is at
    most the target; None: there is no target."""
    ratio = round((ours - floor) / (peer - floor), 4) if peer != floor else None
    if met is None and target is not None:
        met = ratio <= target
    return {"name": name, "model": model, "unit": unit, "floor": round(floor, digits), "ours": round(ours, digits),
            "peer": round(peer, digits), "ratio": ratio, "target": target and round(target, 4), "met": met}
