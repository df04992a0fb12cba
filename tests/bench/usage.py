# SPDX-License-Identifier: GPL-2.0
"""python3 -I -S usage.py COMMAND...: runs a pipe of shell commands with stdout /dev/null, and prints
the elapsed seconds, the CPU seconds of the slowest command, and the KiB of memory of the largest one.
Linux reports at least the memory of the parent for each child, so a small process starts the commands
and not the benchmark itself, which is larger than some of them."""
import os
import signal
import sys
import time

commands = sys.argv[1:]
null = os.open(os.devnull, os.O_RDWR)
source, children, used = null, [], []
begin = time.monotonic()
for command in commands:
    behind, into = (null, null) if command is commands[-1] else os.pipe()
    children.append(os.posix_spawn("/bin/sh", ["sh", "-c", f"exec {command}"], os.environ, setsigdef=[signal.SIGPIPE],
                                   file_actions=[(os.POSIX_SPAWN_DUP2, source, 0), (os.POSIX_SPAWN_DUP2, into, 1),
                                                 (os.POSIX_SPAWN_DUP2, null, 2)]))
    for end in {source, into} - {null}:
        os.close(end)
    source = behind
for child in children:
    _, status, usage = os.wait4(child, 0)
    if status:
        sys.exit(f"failed: {' | '.join(commands)}")
    used.append(usage)
print(time.monotonic() - begin, max(usage.ru_utime + usage.ru_stime for usage in used),
      max(usage.ru_maxrss for usage in used))
