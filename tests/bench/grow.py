#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""tests/bench/grow.py IN OUT SAMPLES

Writes OUT, a perf.data of SAMPLES samples or a few less, from the capture IN. It repeats the
samples and FINISHED_ROUND records of IN in their order, with later times in each repetition, or
takes only the first of them; it copies all other records once. So every record was recorded by a real run,
and reading OUT costs what a long recording of the same program costs. Layouts:
perf.data-file-format.txt and <linux/perf_event.h> of Linux."""
import struct
import sys

SAMPLE, FINISHED_ROUND, USER_RECORDS = 9, 68, 64
IP, TID, TIME, IDENTIFIER = 1 << 0, 1 << 1, 1 << 2, 1 << 16


def records(data):
    at = 0
    while at < len(data):
        kind, _, size = struct.unpack_from("<IHH", data, at)
        yield kind, data[at:at + size]
        at += size


def time_offset(sample_type):
    if not sample_type & TIME:
        sys.exit("grow.py: the samples have no time")
    return 8 + 8 * sum(bool(sample_type & bit) for bit in (IDENTIFIER, IP, TID))


def grow(source, out, wanted):
    data = open(source, "rb").read()
    head = bytearray(data[:104])
    attrs, = struct.unpack_from("<Q", data, 24)
    start, size = struct.unpack_from("<QQ", data, 40)
    at = time_offset(struct.unpack_from("<Q", data, attrs + 24)[0])
    first, again = bytearray(), bytearray()
    times = []
    for kind, record in records(data[start:start + size]):
        if kind == SAMPLE and len(times) == wanted or kind >= USER_RECORDS and kind != FINISHED_ROUND:
            continue
        first += record
        if kind == SAMPLE:
            times.append((len(again) + at, struct.unpack_from("<Q", record, at)[0]))
        if kind in (SAMPLE, FINISHED_ROUND):
            again += record
    rounds = wanted // len(times)
    span = max(time for _, time in times) - min(time for _, time in times) + 1
    end = struct.pack("<IHH", FINISHED_ROUND, 0, 8)
    with open(out, "wb") as file:
        file.write(data[:start] + first + end)
        for n in range(1, rounds):
            block = bytearray(again)
            for where, time in times:
                struct.pack_into("<Q", block, where, time + n * span)
            file.write(block + end)
        grown = file.tell() - start
        nr = sum(bin(word).count("1") for word in struct.unpack_from("<4Q", head, 72))
        table = start + size
        moved = b""
        for i in range(nr):
            offset, length = struct.unpack_from("<QQ", data, table + 16 * i)
            moved += struct.pack("<QQ", offset + grown - size if offset >= table else offset, length)
        file.write(moved + data[table + 16 * nr:])
        struct.pack_into("<Q", head, 48, grown)
        file.seek(0)
        file.write(head)
    return rounds * len(times)


if __name__ == "__main__":
    print(grow(sys.argv[1], sys.argv[2], int(sys.argv[3])))
