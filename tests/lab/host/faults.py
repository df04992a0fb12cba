# SPDX-License-Identifier: GPL-2.0
"""The faults that the emulated PMU has on request (qemu/, pmu_fault.c), as words of --fault."""

import re

PERCENT = r"(=\d{1,2}|=100)?"
NUMBER = r"=\d+"

# By name: the arguments of the fault, and their description.
FAULTS = {
    "skid": (NUMBER, "skid=N"),
    "dup-top": (PERCENT, "dup-top[=PERCENT]"),
    "zero-entries": (PERCENT, "zero-entries[=PERCENT]"),
    "drop-entry": (PERCENT, "drop-entry[=PERCENT]"),
    "cstate": (r"", "cstate"),
    "early-pmi": (PERCENT, "early-pmi[=PERCENT]"),
    "spurious": (rf"({NUMBER})?", "spurious[=N]"),
    "foreign-nmi": (rf"({NUMBER})?", "foreign-nmi[=N]"),
    "masked": (r"=(keep|drop)(:\d{1,2}|:100)?", "masked=keep|drop[:PERCENT]"),
    "seed": (NUMBER, "seed=N"),
}


def fault(word):
    """The word, if it names a fault."""
    name = word.partition("=")[0]
    if name not in FAULTS or not re.fullmatch(FAULTS[name][0], word[len(name):]):
        raise ValueError(f"there is no fault {word}; there are {', '.join(usage for _, usage in FAULTS.values())}")
    return word
