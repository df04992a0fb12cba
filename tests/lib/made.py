# SPDX-License-Identifier: GPL-2.0
"""Captures made byte by byte (perf.data, pipe mode apart: <linux/perf_event.h> and perf's
perf.data-file-format.txt), for tests of the readers."""
import os
import struct
import subprocess

ADDRESS, PERIOD = 0x1234, 1000
PERF_CONTEXT_USER, PERF_CONTEXT_KERNEL = (1 << 64) - 512, (1 << 64) - 128


def record(kind, misc, body):
    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body


def padded(text):
    data = text.encode() + b"\0"
    return data + b"\0" * (-len(data) % 8)


def program(path):
    """Builds a program of the functions outer(), middle() and leaf(); returns the layout of
    its code (address, offset, size), and an address within each, the leaf's first."""
    code = "void leaf(void) { __asm__(\"nop; nop\"); } void middle(void) { leaf(); __asm__(\"nop\"); }" \
           "void outer(void) { middle(); __asm__(\"nop\"); }"
    subprocess.run(["gcc", "-O0", "-nostdlib", "-static", "-no-pie", "-Wl,-e,outer", "-xc", "-", "-o", path],
                   input=code.encode(), check=True)
    layout, *addresses = text_of(path, "leaf", "middle", "outer")
    return layout, [address + 2 for address in addresses]


def text_of(path, *names):
    """The layout of a program's code (address, offset, size), and the addresses of these of
    its symbols."""
    segments = subprocess.run(["readelf", "-lW", path], capture_output=True, text=True, check=True).stdout
    words = next(line.split() for line in segments.splitlines() if "LOAD" in line and " R E " in line)
    symbols = subprocess.run(["nm", "--defined-only", path], capture_output=True, text=True, check=True).stdout
    addresses = {line.split()[2]: int(line.split()[0], 16) for line in symbols.splitlines()}
    return (int(words[2], 16), int(words[1], 16), int(words[5], 16)), *(addresses[name] for name in names)


def capture(comms, path="/nowhere/<i>", layout=(0x1000, 0, 0x1000), chain=(ADDRESS,)):
    """A perf.data file with `count` samples for each (comm, count), in a program of that
    path and layout, of the chain's first address, or if it has more of the whole chain."""
    data = b""
    for tid, (comm, count) in enumerate(comms, 100):
        data += named(tid, comm) + mapped(tid, path, layout) + sampled(tid, chain) * count
    return file(data, len(chain) > 1)


def named(tid, comm):
    return record(3, 1 << 13, struct.pack("<II", tid, tid) + padded(comm))


def mapped(tid, path, layout):
    start, offset, size = layout
    return record(1, 2, struct.pack("<IIQQQ", tid, tid, start, size, offset) + padded(path))


def sampled(tid, chain):
    tail = struct.pack(f"<{len(chain) + 2}Q", len(chain) + 1, PERF_CONTEXT_USER, *chain) if len(chain) > 1 else b""
    return record(9, 2, struct.pack("<QIIQ", chain[0], tid, tid, PERIOD) + tail)


def file(data, chains):
    """A perf.data file of these records."""
    kinds = 1 | 2 | 1 << 8 | (1 << 5 if chains else 0)  # ip, tid, period, callchain
    attr = struct.pack("<IIQQQQ", 0, 112, 0, PERIOD, kinds, 0).ljust(112, b"\0")
    head = struct.pack("<8sQQ", b"PERFILE2", 104, 128)
    head += struct.pack("<QQQQQQ", 104, 128, 232, len(data), 0, 0) + bytes(32)
    return head + attr + struct.pack("<QQ", 0, 0) + data


def capture_kernel(start, address, build_id):
    """A perf.data file with one sample at an address of a kernel that is mapped from start on."""
    body = struct.pack("<iIQQQB3x20sII", -1, 0, start, 1 << 24, start, len(build_id), build_id, 0, 0)
    return file(named(100, "k") + record(10, 1 | 1 << 14, body + padded("[kernel.kallsyms]_text")) +
                record(9, 1, struct.pack("<QIIQ", address, 100, 100, PERIOD)), False)


def capture_branches(samples, path, start, offset=0x1000, others=()):
    """A perf.data file with a sample for each list of (from, to, mispredicted, cycles), in this
    order, of a program with a page mapped at an address, and of others: (path, address, offset)."""
    data = b""
    for mapped_path, address, offset in [(path, start, offset), *others]:
        # MMAP2 of device 8:1, inode 7; readable and executable, private
        body = struct.pack("<IIQQQIIQQII", 1, 1, address, 0x1000, offset, 8, 1, 7, 0, 5, 2)
        data += record(10, 2, body + padded(mapped_path))
    for time, entries in enumerate(samples):
        body = b"".join(struct.pack("<QQQ", source, target, (1 if missed else 2) | cycles << 4)
                        for source, target, missed, cycles in entries)
        data += record(9, 2, struct.pack("<QIIQQQ", entries[0][0], 1, 1, time, PERIOD, len(entries)) + body)
    # ip, tid, time, period, branch stack; user mode, any branch
    attr = struct.pack("<IIQQQQ", 0, 112, 0, PERIOD, 1 | 2 | 4 | 1 << 8 | 1 << 11, 0)
    attr += struct.pack("<QIIQQQ", 0, 0, 0, 0, 0, 1 | 1 << 3)
    head = struct.pack("<8sQQ", b"PERFILE2", 104, 128)
    head += struct.pack("<QQQQQQ", 104, 128, 232, len(data), 0, 0) + bytes(32)
    return head + attr.ljust(112, b"\0") + struct.pack("<QQ", 0, 0) + data


def capture_of(samples, path="/nowhere", layout=(0x1000, 0, 0x1000), before=(), after=()):
    """A perf.data file of one event with these samples: dicts of comm, tid, pid (else the tid), time,
    cpu, period and chain, the user addresses from the innermost outwards; or words, the recorded chain with its contexts, and mode, that of
    the record. before, after: records in front of the others and behind them."""
    start, offset, size = layout
    data, met = b"".join(before), {}
    for s in samples:
        tid, comm = s["tid"], s["comm"]
        pid = s.get("pid", tid)
        trailer = struct.pack("<IIQII", pid, tid, s["time"], s["cpu"], 0)
        if met.get(tid) != comm:
            data += record(3, 0 if pid != tid else 1 << 13, struct.pack("<II", pid, tid) + padded(comm) + trailer)
            if pid == tid:
                data += record(1, 2, struct.pack("<IIQQQ", pid, tid, start, size, offset) + padded(path) + trailer)
            met[tid] = comm
        words = s.get("words") or [PERF_CONTEXT_USER, *s["chain"]]
        data += record(9, s.get("mode", 2), struct.pack("<QIIQIIQ", s.get("ip", words[1]), pid, tid, s["time"], s["cpu"], 0, s["period"]) +
                       struct.pack(f"<{len(words) + 1}Q", len(words), *words))
    data += b"".join(after)
    kinds = 1 | 2 | 4 | 1 << 5 | 1 << 7 | 1 << 8  # ip, tid, time, callchain, cpu, period
    attr = struct.pack("<IIQQQQQ", 0, 112, 0, 0, kinds, 0, 1 << 18).ljust(112, b"\0")  # sample_id_all
    head = struct.pack("<8sQQ", b"PERFILE2", 104, 128)
    head += struct.pack("<QQQQQQ", 104, 128, 232, len(data), 0, 0) + bytes(32)
    return head + attr + struct.pack("<QQ", 0, 0) + data


def capture_group(samples, path, layout, inherit, cpus=1):
    """A perf.data file of a group of cycles, instructions and branch-misses: samples are tid, cpu,
    address and the three counts since the start, of the thread if it is inherited, else of the CPU. Each
    event has an id for so many CPUs each, as perf has it."""
    configs = (0, 1, 5)
    ids = [[71 + number + 3 * cpu for cpu in range(cpus)] for number in range(3)]
    start, offset, size = layout
    data = b""
    for tid in sorted({s[0] for s in samples}):
        data += record(3, 1 << 13, struct.pack("<II", tid, tid) + padded("x"))
        data += record(1, 2, struct.pack("<IIQQQ", tid, tid, start, size, offset) + padded(path))
    for tid, cpu, address, counts in samples:
        of = [numbers[cpu % cpus] for numbers in ids]
        read = b"".join(struct.pack("<QQ", count, number) for count, number in zip(counts, of))
        data += record(9, 2, struct.pack("<QQIIIIQ", of[0], address, tid, tid, cpu, 0, 3) + read)
    kinds = 1 << 16 | 1 | 2 | 1 << 7 | 1 << 4  # identifier, ip, tid, cpu, read
    attrs = b""
    for number, config in enumerate(configs):
        # as perf's: the others have no samples of their own
        attr = struct.pack("<IIQQQQQ", 0, 112, config, 0 if number else PERIOD, kinds, 1 << 3 | 1 << 2, 1 << 1 if inherit else 0)
        attrs += attr.ljust(112, b"\0") + struct.pack("<QQ", 104 + 8 * cpus * number, 8 * cpus)
    head = struct.pack("<8sQQ", b"PERFILE2", 104, 128)
    at = 104 + 24 * cpus
    head += struct.pack("<QQQQQQ", at, len(attrs), at + len(attrs), len(data), 0, 0) + bytes(32)
    return head + struct.pack(f"<{3 * cpus}Q", *sum(ids, [])) + attrs + data


def raw_data(data):
    """Size and data, a multiple of 8 together."""
    data += bytes(-(len(data) + 4) % 8)
    return struct.pack("<I", len(data)) + data


def capture_events(samples, events, path="/nowhere", layout=(0x1000, 0, 0x1000), wall=None, cpu=False, lost=(), trace=0):
    """A perf.data file of several events, (name, type, config), with these samples: dicts as those of
    capture_of(), with the number of the event. wall: the time of day in ns when CLOCK_MONOTONIC, by which the
    samples are then, was 0, and that of the writing of path; cpu: samples have their CPU, 0 unless the sample
    says which; those with "kernel" are of the kernel alone; lost: (time, number) of lost samples of the first event;
    trace: bytes of AUX data, a multiple of 8. If a sample has "raw" data, all have."""
    start, offset, size = layout
    raws = any("raw" in s for s in samples)
    data, met = b"", set()
    for s in samples:
        tid, number = s["tid"], 71 + s["event"]
        on = struct.pack("<II", s.get("cpu", 0), 0) if cpu else b""
        if tid not in met:
            trailer = struct.pack("<IIQ", tid, tid, s["time"]) + on + struct.pack("<Q", number)
            data += record(3, 1 << 13, struct.pack("<II", tid, tid) + padded(s["comm"]) + trailer)
            data += record(1, 2, struct.pack("<IIQQQ", tid, tid, start, size, offset) + padded(path) + trailer)
            met.add(tid)
        chain = s["chain"]
        mode, context = (1, PERF_CONTEXT_KERNEL) if s.get("kernel") else (2, PERF_CONTEXT_USER)
        data += record(9, mode, struct.pack("<QQIIQ", number, chain[0], tid, tid, s["time"]) + on + struct.pack("<Q", s["period"]) +
                       struct.pack(f"<{len(chain) + 2}Q", len(chain) + 1, context, *chain) + (raw_data(s.get("raw", b"")) if raws else b""))
    for time, count in lost:
        data += record(13, 0, struct.pack("<QIIQ", count, 1, 1, time) + (bytes(8) if cpu else b"") + struct.pack("<Q", 71))
    if trace:
        data += record(71, 0, struct.pack("<QQQIIII", trace, 0, 0, 0, 0, 0, 0)) + bytes(trace)
    # identifier, ip, tid, time, callchain, period, cpu, raw
    kinds = 1 << 16 | 1 | 2 | 4 | 1 << 5 | 1 << 8 | (1 << 7 if cpu else 0) | (1 << 10 if raws else 0)
    attrs, described = b"", struct.pack("<II", len(events), 112)
    for number, (name, kind, config) in enumerate(events):
        flags = 1 << 18 | (1 << 25 if wall else 0)  # sample_id_all, use_clockid
        attr = struct.pack("<IIQQQQQ", kind, 112, config, PERIOD, kinds, 0, flags).ljust(92, b"\0")
        attr = (attr + struct.pack("<i", 1)).ljust(112, b"\0")  # CLOCK_MONOTONIC
        attrs += attr + struct.pack("<QQ", 104 + 8 * number, 8)
        text = padded(name)
        described += attr + struct.pack("<II", 1, len(text)) + text + struct.pack("<Q", 71 + number)
    ids = struct.pack(f"<{len(events)}Q", *range(71, 71 + len(events)))
    features = [(12, described)]  # HEADER_EVENT_DESC
    if wall:
        if os.path.exists(path):
            os.utime(path, ns=(wall, wall))
        features.append((29, struct.pack("<IIQQ", 1, 1, wall + 77, 77)))  # HEADER_CLOCK_DATA
    attrs_at = 104 + len(ids)
    data_at = attrs_at + len(attrs)
    at = data_at + len(data) + 16 * len(features)
    table = b""
    for _, contents in features:
        table += struct.pack("<QQ", at, len(contents))
        at += len(contents)
    head = struct.pack("<8sQQ", b"PERFILE2", 104, 128)
    head += struct.pack("<QQQQQQ", attrs_at, len(attrs), data_at, len(data), 0, 0)
    head += struct.pack("<4Q", sum(1 << bit for bit, _ in features), 0, 0, 0)
    return head + ids + attrs + data + table + b"".join(contents for _, contents in features)
