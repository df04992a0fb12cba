# SPDX-License-Identifier: GPL-2.0
"""What reading a capture costs in user space, ours and perf's: the same file, recorded in
the lab machine and grown (grow.py), in turns; medians of the pairs.

The collapse behind perf script is the least that does it: an awk program of this file."""
import os
import pathlib
import statistics
import subprocess
import tempfile
import time

from grow import grow

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parents[1]
LAB = TOP / "tests" / "lab" / "lab"
LBRCTL = TOP / "build" / "lbrctl"
# of so many samples, so many pairs
SIZES = {10_000: 5, 1_000_000: 3, 10_000_000: 1}

COLLAPSE = """/^[^ \\t]/ { comm = $1; next }
/^$/ { if (stack != "") seen[comm stack]++; stack = ""; next }
{ name = $2; sub(/\\+0x[0-9a-f]*$/, "", name); stack = ";" name stack }
END { for (stack in seen) print stack, seen[stack] }"""

PERF_REPORT = "perf report --no-inline --stdio -i {} 2>/dev/null"
PERF_SCRIPT = "perf script --no-inline -i {} 2>/dev/null"
COLLAPSED = f"{PERF_SCRIPT} | awk '{COLLAPSE}'"

# name, ours, peer's, target of the time
CASES = [
    ("report", "report --no-inline -i {}", PERF_REPORT, 1 / 20),
    ("flame", "flame --no-inline -i {} -o flame.html", COLLAPSED, 1 / 20),
    ("export --format folded", "export --format folded --no-inline -i {}", COLLAPSED, 1 / 20),
    ("script", "script --no-inline -i {}", PERF_SCRIPT, 1 / 5),
]
MEMORY_TARGET = 1 / 4


def record(folder):
    """The recorded capture, and where its program lies."""
    built = subprocess.run([TOP / "tests" / "demo" / "programs", "sqlite3"], capture_output=True, text=True,
                           check=True).stdout.strip()
    sql = folder / "workload.sql"
    with open(sql, "wb") as out:
        subprocess.run([TOP / "tests" / "demo" / "input", "sqlite3"], stdout=out, check=True)
    puts = [HERE / "inside" / "user.sh", sql, *sorted(pathlib.Path(built).iterdir())]
    subprocess.run([LAB, "run", "--get", "user.data", *(word for put in puts for word in ("--put", put)), "--",
                    "sh", "./user.sh", built], cwd=folder, check=True)
    return folder / "user.data"


def cost(command, folder):
    """(seconds, KiB at most) of a command of the shell."""
    begin = time.monotonic()
    pid = os.spawnv(os.P_NOWAIT, "/bin/sh", ["sh", "-c", f"cd {folder} && {command} >/dev/null"])
    _, status, usage = os.wait4(pid, 0)
    if status:
        raise SystemExit(f"bench: failed: {command}")
    return time.monotonic() - begin, usage.ru_maxrss


def rows(name, size, ours, peer, target):
    """ours, peer: lists of (seconds, KiB)."""
    for unit, at, digits, most in (("s", 0, 3, target), ("KiB", 1, None, MEMORY_TARGET)):
        left, right = (statistics.median(run[at] for run in runs) for runs in (ours, peer))
        ratio = left / right
        yield {"name": f"{name}, {size} samples", "model": "host", "unit": unit, "floor": 0,
               "ours": round(left, digits), "peer": round(right, digits), "ratio": round(ratio, 4),
               "target": round(most, 4), "met": ratio <= most}


def measurements(sizes=None):
    with tempfile.TemporaryDirectory(dir=TOP / "build") as name:
        folder = pathlib.Path(name)
        recorded = record(folder)
        for size in sizes or SIZES:
            capture = folder / "grown.data"
            nr = grow(recorded, capture, size)
            for title, ours, peer, target in CASES:
                commands = [command.replace("{}", str(capture)) for command in (f"{LBRCTL} {ours}", peer)]
                runs = [[cost(command, folder) for command in commands] for _ in range(SIZES[size])]
                yield from rows(title, nr, *zip(*runs), target)
