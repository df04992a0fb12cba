# SPDX-License-Identifier: GPL-2.0
"""Samples that are lost while the reader does not get the CPU, at the longest of some periods at
which perf loses any."""
import kernel
import lab

INSTRUCTIONS = 60_000_000


def measurements(model):
    case = next(case for case in kernel.cases(model) if case.size)
    said, _ = lab.run(model, "losses.sh", [f"{case.peer} -e instructions:u", f"{case.ours} -e instructions:u"],
                      [lab.built() / "nest"], INSTRUCTIONS)
    period, ours, peer = map(int, said.split()[1:])
    if not peer:
        raise SystemExit(f"bench: {model}: perf lost nothing at {period} instructions a sample")
    yield lab.row(model, f"losses: {case.name}, each {period} instructions", "samples", ours, peer, 0)
