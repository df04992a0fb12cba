#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Prints the grammar of the netlink family's requests as C tables for prog/message.h.

The commands, attributes, types and nestings come from the family's YAML spec. The spec knows
no bounds and no meaning, so VALUES says for each attribute of a request which generator of
prog/message.h makes values that have a chance, and how often, in percent, a sensible request
has the attribute. An attribute of the spec without an entry in VALUES is an error: a
change that adds an attribute adds its entry here.
"""

import pathlib
import sys

import yaml

SPEC = pathlib.Path(__file__).resolve().parents[2] / "include" / "uapi" / "lbrscope.yaml"

VALUES = {
    "info": {},
    "session": {
        "fd": ("SESSION", 99), "events": ("NEST", 92), "branches": ("BRANCHES", 40), "target-pids": ("TASKS", 15),
        "enable-on-exec": ("FLAG", 4), "ring-size": ("RING", 85), "branch-filter": ("FILTER", 8), "cpus": ("CPUS", 10),
        "overwrite": ("FLAG", 35), "sample": ("FORMAT", 40), "user-stack": ("STACK", 8),
        "triggers": ("NEST", 25), "budget": ("BUDGET", 10), "offcpu": ("NEST", 40), "target-tids": ("TASKS", 10),
        "target-cgroup": ("CGROUP", 5), "branch-reset": ("FLAG", 8), "branch-callers": ("FLAG", 8), "branch-depth": ("DEPTH", 8),
        "task-counts": ("FLAG", 10),
        "stack-mode": ("STACKS", 15), "stack-audit": ("AUDIT", 60), "stack-off": ("FLAG", 30),
    },
    "event": {
        "config": ("CONFIG", 99), "period": ("PERIOD", 70), "frequency": ("FREQUENCY", 10), "jitter": ("JITTER", 10),
        "seed": ("ANY", 10), "group": ("GROUP", 10), "counters": ("COUNTERS", 5), "extra": ("ANY", 3),
        "read-group": ("FLAG", 8), "source": ("SOURCE", 10),
        "only-over": ("INDEX", 1), "only-under": ("INDEX", 1), "only-above": ("RATIO", 1), "only-below": ("RATIO", 1),
    },
    "offcpu": {"min": ("TIME", 40), "rate": ("RATE", 40), "waker": ("FLAG", 30), "callers": ("FLAG", 80)},
    "trigger": {
        "kind": ("KIND", 99), "freeze": ("FLAG", 20), "address": ("ADDRESS", 5), "length": ("LENGTH", 5),
        "reads": ("FLAG", 5), "file": ("FILE", 5), "offset": ("OFFSET", 5), "symbol": ("SYMBOL", 5),
        "signal": ("SIGNAL", 5), "event": ("INDEX", 5), "min": ("TIME", 5),
    },
    "stats": {"fd": ("SESSION", 99)},
    "counts": {"fd": ("SESSION", 99), "cpu": ("CPU", 95), "cursor": ("CURSOR", 60)},
    "regs": {"cpu": ("CPU", 95)},
    "unwind": {
        "fd": ("SESSION", 99), "table": ("TABLE", 98), "size": ("TABLE_SIZE", 98), "offset": ("TABLE_OFFSET", 98),
        "data": ("TABLE_DATA", 98), "pid": ("PID", 98), "generation": ("ANY", 98), "ranges": ("RANGES", 90),
    },
}


def identifier(name):
    return name.replace("-", "_")


def element(sets, name):
    """The set of the elements, if this one is an array, else None."""
    attributes = sets[name]["attributes"]
    return attributes[0]["nested-attributes"] if attributes[0].get("multi-attr") else None


def nested(sets, attribute):
    """How the attribute is encoded, and the name of the set within it."""
    inner = attribute.get("nested-attributes")
    if attribute["type"] == "indexed-array":
        return "ARRAY", inner
    one = inner and element(sets, inner)
    return ("ARRAY", one) if one else (attribute["type"].upper(), inner)


def requested(spec, sets):
    """Names of the sets that requests use, nested ones first."""
    names = []

    def visit(name):
        for attribute in sets[name]["attributes"]:
            inner = nested(sets, attribute)[1]
            if inner and attribute["name"] in VALUES[name]:
                visit(inner)
        if name not in names:
            names.append(name)

    for operation in spec["operations"]["list"]:
        visit(operation["attribute-set"])
    return names


def attribute_line(sets, number, attribute, values):
    kind, inner = nested(sets, attribute)
    pointer = f"&set_{identifier(inner)}" if inner and attribute["name"] in values else "NULL"
    value, percent = values.get(attribute["name"], ("ANY", 0))
    return f'\t{{ "{attribute["name"]}", {number}, KIND_{kind}, VALUE_{value}, {percent}, {pointer} }},'


def in_requests(spec, group):
    """Names of the set's attributes that a request may have: of a nested set all."""
    operations = [one for one in spec["operations"]["list"] if one["attribute-set"] == group["name"]]
    if not operations:
        return {one["name"] for one in group["attributes"] if one["type"] != "pad"}
    return {name for one in operations for name in one["do"].get("request", {}).get("attributes", [])}


def print_set(spec, sets, name):
    group = sets[name]
    values = VALUES[name]
    wrong = set(values) ^ in_requests(spec, group)
    if wrong:
        sys.exit(f"grammar.py: VALUES and the spec differ about {name}: {', '.join(sorted(wrong))}")
    print(f"static const struct attribute attributes_{identifier(name)}[] = {{")
    for number, attribute in enumerate(group["attributes"], 1):
        print(attribute_line(sets, number, attribute, values))
    print("};")
    print(f"static const struct set set_{identifier(name)} = {{ attributes_{identifier(name)}, "
          f"{len(group['attributes'])} }};\n")


def print_operation(number, operation, group):
    request = operation["do"].get("request", {}).get("attributes", [])
    numbers = {attribute["name"]: index for index, attribute in enumerate(group["attributes"])}
    mask = sum(1 << numbers[name] for name in request)
    print(f'\t{{ "{operation["name"]}", {number}, {mask:#x}, &set_{identifier(group["name"])} }},')


def main():
    spec = yaml.safe_load(SPEC.read_text())
    sets = {one["name"]: one for one in spec["attribute-sets"]}
    print("/* By tests/torture/grammar.py from include/uapi/lbrscope.yaml. */")
    for name in requested(spec, sets):
        print_set(spec, sets, name)
    print("static const struct operation operations[] = {")
    for number, operation in enumerate(spec["operations"]["list"], 1):
        print_operation(number, operation, sets[operation["attribute-set"]])
    print("};")


main()
