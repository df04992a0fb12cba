#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""memory.py COMMAND...: runs lbrctl with these words (and "<FILE" behind them, its standard input)
once for each place that allocates memory, with that allocation failing. Each run either prints the
error, fails, and leaves no file called "result", or continues without the memory and has the same
result. fail.so, of fail.c, is in the current folder."""
import errno
import os
import pathlib
import subprocess
import sys

LBRCTL = pathlib.Path(__file__).resolve().parents[2] / "build" / "lbrctl"


def run(command, fail, count=None):
    """Status, what came of it, what was said."""
    pathlib.Path("result").unlink(missing_ok=True)
    env = dict(os.environ, LD_PRELOAD=os.path.abspath("fail.so"), FAIL=fail)
    if count:
        env["FAIL_COUNT"] = count
    words, _, piped = command.partition(" <")
    done = subprocess.run([LBRCTL, *words.split()], capture_output=True, env=env, check=False,
                          input=pathlib.Path(piped).read_bytes() if piped else None)
    made = pathlib.Path("result").read_bytes() if os.path.exists("result") else None
    return done.returncode, (done.stdout, made), done.stderr.decode()


def judge(whole, got):
    """What is wrong with a run that had no memory once; None: nothing."""
    status, result, said = got
    if status == 0:
        return None if result == whole else "another result"
    if status != 1:
        return f"status {status}: {said}"
    if "memory" not in said or any(not line.startswith("lbrctl: ") for line in said.splitlines()):
        return f"said {said!r}"
    return "a result is left" if result[1] is not None else None


def check(command):
    status, whole, said = run(command, "memory:0:0", "count")
    asked = int(pathlib.Path("count").read_text(encoding="utf-8"))
    bad, refused = [], 0
    if status or any(not line.startswith("lbrctl: warning: ") for line in said.splitlines()):
        bad.append(f"with memory: status {status}: {said}")
    for at in range(1, asked + 1):
        got = run(command, f"memory:{at}:{errno.ENOMEM}")
        refused += got[0] == 1
        wrong = judge(whole, got)
        if wrong:
            bad.append(f"at {at} of {asked}: {wrong}")
    if not refused:
        bad.append("none of them was missed")
    print(f"{'not ok' if bad else 'ok'} - {command}: without memory at one of {asked} places")
    for line in bad[:8]:
        print(f"# {line[:300]}")
    return not bad


if __name__ == "__main__":
    sys.exit(not all([check(words) for words in sys.argv[1:]]))
