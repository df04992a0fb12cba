#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Judges times off the CPU in the text of `perf script --ns` by the output of prog/offcpu.c.

offcpu.py places TRUTH TEXT NAME
    each time that the program blocked in a place is one record, and the other records of
    that time are preemptions. The stack shows the whole path to the place, the kernel's
    chain the system call; the state and the waker are right. The time is within the
    program's own, and ends after the wakeup. The difference to the program's own time is
    small, in the median.
offcpu.py busy TRUTH TEXT NAME
    two threads that take turns: every time is a preemption in their path, in the innermost
    function except at its beginning and end, and the sum of the times is the time that the
    threads did not have the CPU.
offcpu.py hop TRUTH TEXT NAME
    a thread that is sampled on one of its two CPUs only: its time on the other one is not
    a time off the CPU.
offcpu.py limited RATE TEXT NAME
    a CPU has no more records than its rate, and a tenth of a second's more, in any time.

Each prints one ok or not ok line. --stacks no: only the innermost frame is known.
"""
import argparse
import collections
import re
import statistics
import struct
import sys

HEAD = re.compile(r"^.*? (\d+) \[(\d+)\] +(\d+)\.(\d{9}): +(\d+) +(\S+): ?$")
FRAME = re.compile(r"^\s+([0-9a-f]+) (.*?)(?:\+0x[0-9a-f]+)? \((.*)\)(?: \[by frame pointer\])?$")
BYTES = re.compile(r"^ +(?:BPF output: )?[0-9a-f]{4}:((?: [0-9a-f]{2})+)")
TEXT = re.compile(r"^state=(.)(?: waker=(\S+))?(?: depth(?:=-?\d+|-unknown))?(?: end=\w+)?\0+$")

# By place: the state, and kernel functions; one of them is in the chain.
PLACES = {
    "futex": ("S", {"__x64_sys_futex"}),
    "pipe": ("S", {"__x64_sys_read", "ksys_read"}),
    "sleep": ("S", {"__x64_sys_clock_nanosleep"}),
    "disk": ("D", {"__x64_sys_pread64"}),
    "vfork": ("D", {"__x64_sys_vfork", "__do_sys_vfork", "kernel_clone"}),
}
LEAST_NS = {"sleep": 5_000_000, "disk": 5_000_000}
# Between the program's clock and the switch, and back: some thousand instructions, on a
# machine that does a few tens of millions a second.
SLACK_NS = 2_000_000

Record = collections.namedtuple("Record", "tid cpu time off kernel user raw state waker")
Time = collections.namedtuple("Time", "place tid start end wake waker blocked")
Thread = collections.namedtuple("Thread", "tid a b c d voluntary involuntary cpu")


def records(path):
    """The records of offcpu-time, by their text; one begins where a HEAD does."""
    found, now = [], None
    with open(path, errors="replace") as text:
        for line in text:
            line = line.rstrip("\n")
            head, frame, part = HEAD.match(line), FRAME.match(line), BYTES.match(line)
            if head:
                now = None
                if head[6] == "offcpu-time":
                    now = Record(int(head[1]), int(head[2]), int(head[3] + head[4]),
                                 int(head[5]), [], [], bytearray(), None, None)
                    found.append(now)
            elif now and frame:
                (now.kernel if int(frame[1], 16) >> 47 else now.user).append(frame[2])
            elif now and part:
                now.raw.extend(bytes.fromhex(part[1]))
    return [with_text(record) for record in found]


def with_text(record):
    """The facts of the sample stand in the raw data once more, where perf from 6.16 on takes them from; then the text. Which
    callers perf prints depends on the branch records as well."""
    _, tid, off, nr = struct.unpack_from("<IIQQ", record.raw)
    chain = struct.unpack_from(f"<{nr + 1}Q", record.raw, 24)[:-1]
    addresses = [word for word in chain if word < 2 ** 64 - 4096]
    if (tid, off) != (record.tid, record.off) or len(addresses) < len(record.kernel) + min(1, len(record.user)):
        sys.exit(f"not ok - the raw data are not the sample: {record}")
    text = TEXT.match(record.raw[32 + 8 * nr + (0 if nr else 8):].decode())
    return record._replace(state=text[1], waker=text[2])


def truth(path):
    times, threads = [], []
    with open(path) as text:
        for line in text:
            word, *rest = line.split()
            if word == "place":
                times.append(Time(rest[0], *map(int, rest[1:])))
            elif word == "thread":
                threads.append(Thread(*map(int, rest)))
    return times, threads


def wrong_stack(place, user):
    """None, or what is wrong with the stack: the innermost function of the place's five,
    below nothing but the C library's, and above the others and main()."""
    want = [f"{place}_{i}" for i in range(1, 6)]
    if want[0] not in user:
        return "not the place"
    at = user.index(want[0])
    if user[at:at + 5] != want:
        return "another path"
    if any(re.search(r"_\d$|main|visit", f) for f in user[:at]):
        return "a caller inside of the place"
    rest = " ".join(user[at + 5:])
    return None if "main" in rest and "_start" in rest else "does not reach the thread's entry"


def wrong_path(user):
    """The same of a thread that is preempted, wherever it is on its path."""
    path = ["busy_1", "busy_2", "busy_3", "busy_4", "busy_5", "busy"]
    at = next((i for i, f in enumerate(user) if f in path), None)
    if at is None:
        return "not in the path"
    rest = path[path.index(user[at]):]
    if user[at:at + len(rest)] != rest:
        return "another path"
    rest = " ".join(user[at + len(rest):])
    return None if "start_thread" in rest else "does not reach the thread's entry"


def wrong_with(time, record, args):
    """None, or what is wrong with the record of a time."""
    state, calls = PLACES[time.place]
    by = f"/{time.waker}" if time.waker else "interrupt"
    if args.stacks and wrong_stack(time.place, record.user):
        return wrong_stack(time.place, record.user)
    if not args.stacks and len(record.user) != 1:
        return "more than the innermost frame"
    if record.kernel[:1] != ["__schedule"] or not calls & set(record.kernel):
        return "another system call"
    if record.state != state:
        return f"state {record.state}"
    if not (record.waker or "").endswith(by):
        return f"woken by {record.waker}"
    if record.time - record.off < time.start or record.time > time.end:
        return "not within the program's time"
    if record.time < max(time.wake, time.start + LEAST_NS.get(time.place, 0)):
        return "over too early"
    return None


def counts(recs, thread):
    """None, or how the kernel's own count of a thread's switches differs from the records."""
    for what, preempted, want in (("of its own will", False, thread.voluntary),
                                  ("preempted", True, thread.involuntary)):
        mine = [r.time for r in recs if r.tid == thread.tid and (r.state == "R") == preempted]
        least = sum(thread.b < t < thread.c for t in mine)
        most = sum(thread.a < t < thread.d for t in mine)
        if not least <= want <= most:
            return f"{what}: {least} to {most} records, {want} by the kernel"
    return None


def judge_places(args):
    recs, (times, threads) = records(args.text), truth(args.truth)
    bad, over = [], []
    for time in times:
        off = [r for r in recs if r.tid == time.tid and time.start < r.time < time.end]
        mine = [r for r in off if r.state != "R"]
        if len(mine) != time.blocked:
            bad.append(f"{time.place}: {len(mine)} records: {mine} {time}")
        if len(mine) != 1:
            continue
        wrong = wrong_with(time, mine[0], args)
        if wrong:
            bad.append(f"{time.place}: {wrong}: {time} {mine[0]}")
        over.append(time.end - time.start - sum(r.off for r in off))
    bad += filter(None, (counts(recs, t) for t in threads))
    blocked = collections.Counter(t.place for t in times if t.blocked == 1)
    if len(threads) != 1 or len(blocked) < 4 or min(blocked.values()) < 20:
        bad.append(f"{dict(blocked)} times of {len(threads)} threads")
    middle = statistics.median(over) if over else 0
    if middle > SLACK_NS:
        bad.append(f"{middle / 1e6:.3f} ms beside the record, in the middle")
    say = ", ".join(f"{n} {k}" for k, n in blocked.items())
    return bad, f"{say}; {middle / 1000:.0f} us beside the record, in the middle"


def judge_busy(args):
    recs, (_, threads) = records(args.text), truth(args.truth)
    bad, say = [], []
    for thread in threads:
        mine = [r for r in recs if r.tid == thread.tid and thread.b < r.time < thread.c]
        bad += [f"{wrong_path(r.user)}: {r}" for r in mine if r.state != "R"
                or (args.stacks and wrong_path(r.user))]
        # to come to the innermost function and to go takes it no time, but it may happen there
        outside = [r for r in mine if args.stacks and "busy_1" not in r.user]
        if len(outside) > 2:
            bad.append(f"thread {thread.tid}: {len(outside)} times not in its innermost function")
        off, want = sum(r.off for r in mine), thread.c - thread.b - thread.cpu
        if abs(off - want) > 0.05 * want or len(mine) < 2:
            bad.append(f"thread {thread.tid}: {off / 1e6:.3f} ms in {len(mine)} records, "
                       f"{want / 1e6:.3f} ms not on the CPU")
        say.append(f"{len(mine)} times, {off / 1e6:.1f} of {want / 1e6:.1f} ms")
    bad += filter(None, (counts(recs, t) for t in threads))
    if len(threads) != 2:
        bad.append(f"{len(threads)} threads")
    return bad, "; ".join(say)


def judge_hop(args):
    recs, (_, threads) = records(args.text), truth(args.truth)
    thread, = threads
    mine = [r for r in recs if r.tid == thread.tid and thread.b < r.time < thread.c]
    # the accounts at both ends are read at some instant between two clocks: the longest time
    off, most = sum(r.off for r in mine), thread.d - thread.a - thread.cpu
    slept = [r for r in mine if "sleep_1" in r.user]
    say = f"{len(mine)} records, {len(slept)} of sleep, {off / 1e6:.1f} of {most / 1e6:.1f} ms"
    return ([] if off <= most and len(slept) >= 10 else [say]), say


def judge_limited(args):
    """Every stretch of records on a CPU, from each to each later one."""
    cost, kept = 1_000_000_000 // args.rate, 100_000_000
    cpus, bad = collections.defaultdict(list), []
    for r in records(args.text):
        cpus[r.cpu].append(r.time)
    for cpu, all_times in cpus.items():
        for i, start in enumerate(all_times):
            for n, end in enumerate(all_times[i:], 1):
                if n * cost > end - start + max(kept, cost):
                    bad.append(f"CPU {cpu}: {n} records in {end - start} ns")
    nr = sum(map(len, cpus.values()))
    # else the limit was never met
    if nr < 20:
        bad.append(f"{nr} records")
    return bad, f"{nr} records"


def main():
    top = argparse.ArgumentParser(usage=__doc__)
    sub = top.add_subparsers(dest="verb", required=True)
    places, busy, hop, limited = (sub.add_parser(v) for v in ("places", "busy", "hop", "limited"))
    for p in (places, busy):
        p.add_argument("--stacks", type=lambda t: t != "no", default=True)
        p.add_argument("truth")
    hop.add_argument("truth")
    limited.add_argument("rate", type=int)
    for p in (places, busy, hop, limited):
        p.add_argument("text")
        p.add_argument("name")
    args = top.parse_args()
    judge = {"places": judge_places, "busy": judge_busy, "hop": judge_hop,
             "limited": judge_limited}[args.verb]
    try:
        bad, say = judge(args)
    except OSError as error:
        sys.exit(f"offcpu.py: {error}")
    print(f"{'not ok' if bad else 'ok'} - {args.name} # {say}")
    for line in bad[:8]:
        print("#", line)
    sys.exit(1 if bad else 0)


main()
