#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""client.py YNL SPEC PROGRAM: samples PROGRAM by the kernel's ynl, and prints what it got.

YNL is the kernel's tools/net/ynl, SPEC is lbrscope.yaml. It needs no code of lbrctl's."""

import json
import mmap
import os
import struct
import subprocess
import sys

sys.path.append(sys.argv[1])
from lib import YnlFamily  # noqa: E402

DEVICE, PAGE, TAIL_OFFSET = "/dev/lbrscope", 4096, 1 << 31
INSTRUCTIONS_U = 0x100c0
RING_SIZE = 1 << 20
RECORD_SAMPLE = 1


def samples(fd, cpu):
    """The address of each sample in a CPU's ring, by the reader of linux/lbrscope_ring.h."""
    ring = mmap.mmap(fd, PAGE + RING_SIZE, prot=mmap.PROT_READ, offset=cpu << 32)
    tail_page = mmap.mmap(fd, PAGE, offset=cpu << 32 | TAIL_OFFSET)
    head, = struct.unpack_from("Q", ring, 64)
    tail, = struct.unpack_from("Q", tail_page, 0)
    data = struct.unpack_from("I", ring, 12)[0]
    while tail < head:
        at = data + tail % RING_SIZE
        size, kind = struct.unpack_from("HB", ring, at)
        if kind == RECORD_SAMPLE:
            yield struct.unpack_from("Q", ring, at + 16)[0]
        tail += size
    struct.pack_into("Q", tail_page, 0, tail)


ynl = YnlFamily(sys.argv[2], schema="")
fd = os.open(DEVICE, os.O_RDWR)
program = subprocess.Popen(["sh", "-c", "read go; exec " + sys.argv[3]], stdin=subprocess.PIPE)
ynl.session_set({"fd": fd, "events": {"event": [{"config": INSTRUCTIONS_U, "period": 100003}]},
                 "target-pids": struct.pack("I", program.pid), "enable-on-exec": True,
                 "branches": "call-stack", "ring-size": RING_SIZE})
ynl.session_start({"fd": fd})
program.communicate(b"\n")
ynl.session_stop({"fd": fd})
counts = ynl.counts_get({"fd": fd, "cpu": 0})
print(json.dumps({"info": ynl.info_get({}), "stats": ynl.session_get({"fd": fd}),
                  "cpu": counts["cpu"], "counts": len(counts["counts"]),
                  "regs": [f"{r:#x}" for r in ynl.regs_get({"cpu": 0})["regs"][::2]],
                  "samples": [ip for c in range(os.cpu_count()) for ip in samples(fd, c)]},
                 default=list))
