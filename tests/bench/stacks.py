# SPDX-License-Identifier: GPL-2.0
"""Call stacks, recorded in every way, compared with the true ones of programs that are known by
construction (tests/guest/corpus.py). README.md says what that shows and what it does not."""
import collections
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
GUEST = HERE.parent / "guest"
PROGRAMS = HERE.parents[1] / "build" / "tests" / "guest"
LAB = HERE.parent / "lab" / "lab"
sys.path.insert(0, str(GUEST))
import corpus  # noqa: E402

LBR_DEPTH = 32
RUNS = [("calm", "corpus", "callbacks,recursion,tails,threads,fork,made", 60),
        ("leaving", "corpus", "jumps,crossed,signals,coroutines,throws", 60),
        ("deep", "chain", "100", 20)]
WAYS = [("ours, LBR", "ours-lbr.json"), ("ours, LBR and window", "ours-window.json"),
        ("perf, lbr", "perf-lbr.txt"), ("perf, lbr --stitch-lbr", "perf-stitch.txt"),
        ("perf, fp", "perf-fp.txt"), ("perf, dwarf", "perf-dwarf.txt")]


def perf_stacks(path):
    """The frames of each sample, innermost first."""
    frames = []
    for line in path.read_text(errors="replace").splitlines() + [""]:
        m = re.match(r"\s+[0-9a-f]+ (\S+) \(", line)
        if m:
            frames.append(m[1].removesuffix(".cold"))
        elif frames and not line.strip():
            yield frames
            frames = []


def judged(truth, path):
    """Counts of right, truncated, wrong by whether the thread gets deeper than the LBR there. By
    the frames alone, since perf has no verdicts: right if they are all, truncated if the inner
    ones. Where no function of the program's is shown nothing is counted."""
    count = {False: collections.Counter(), True: collections.Counter()}
    if path.suffix == ".json":
        samples = ((frames, n) for frames, _, n in corpus.stacks(str(path)))
    else:
        samples = ((frames, 1) for frames in perf_stacks(path))
    for frames, n in samples:
        words = [truth.word(frames, whole)[0] for whole in (True, False)]
        word = next((w for w in words if w != "wrong"), "wrong")
        if word != "elsewhere":
            deeper = truth.depth(truth.word(frames, False)[1][0]) > LBR_DEPTH
            count[deeper][{"whole": "right", "short": "truncated"}.get(word, word)] += n
    return count


def measurements(model):
    """A row for each program and way."""
    names = [f"{run[0]}.{file}" for run in RUNS for _, file in WAYS]
    with tempfile.TemporaryDirectory() as scratch:
        runs = pathlib.Path(scratch, "runs")
        runs.write_text("".join(" ".join(map(str, run)) + "\n" for run in RUNS))
        puts = [runs, HERE / "inside" / "stacks.sh", *(PROGRAMS / p for p in sorted({run[1] for run in RUNS}))]
        subprocess.run([LAB, "run", "--cpu", model, "--silence", "1500",
                        *(word for put in puts for word in ("--put", put)),
                        *(word for name in names for word in ("--get", name)),
                        "--", "sh", "./stacks.sh"], cwd=scratch, check=True)
        for run in RUNS:
            for way, file in WAYS:
                counts = judged(corpus.Truth(False), pathlib.Path(scratch, f"{run[0]}.{file}"))
                for deeper, count in counts.items():
                    total = sum(count.values())
                    name = f"stacks, {run[0]}{', deeper than the LBR' if deeper else ''}"
                    if total:
                        yield {"model": model, "name": name, "way": way, "unit": "percent", "samples": total,
                               **{word: round(100.0 * count[word] / total, 2)
                                  for word in ("right", "truncated", "wrong")}}
