# SPDX-License-Identifier: GPL-2.0
"""One boot of the lab machine, from QEMU's command line to the verdict."""

import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

from . import cache, initramfs

FAILED = 125
CONSOLE_LINES = 100
# Where the kernel begins to say what is wrong; the cause is there, not at the end.
TROUBLE = re.compile(r"Kernel panic|BUG:|Oops|cut here|Uhhuh")
# 2 ns an instruction; an idle machine does not wait for its timers. Several CPUs take turns of
# 20,000 instructions, or of lengths that turn-seed draws (qemu/16-turns.patch).
INSTRUCTION_CLOCK = "shift=1,sleep=off"
# Two boots are then equal, to the last instruction, if nothing else comes from the host: random
# numbers (RDRAND, the seed of the kernel's own) are drawn from a seed, and the date is a fixed one. It is
# later than that of any file.
SEED = 1
DATE = "base=2030-01-01,clock=vm"
MEMORY_MIB = 2048
LAST_WORDS_S = 60
POLL_S = 1

# Where Debian keeps the firmware that QEMU loads.
FIRMWARE = ["/usr/share/seabios", "/usr/share/qemu"]

# Anything the kernel finds wrong is the end of the machine. unknown_nmi_panic:
# an NMI without an owner is a fault of the software that programmed the PMU. The clock of
# an emulated CPU is the host's, which the kernel's own checks cannot know.
# panic_print: a panic shows what every CPU was doing.
# watchdog_thresh: a busy host, or one that is paused itself, keeps a CPU for 24 s; a lockup
# is called one after two minutes.
# loglevel: warnings reach the console; the rest of the boot would only cost time.
# cryptomgr.notests: newer kernels try their ciphers out for seconds after the boot, beside
# whatever the meter is measuring.
KERNEL_ARGS = ("console=ttyS0 loglevel=5 panic=-1 panic_on_warn=1 oops=panic softlockup_panic=1 "
               "watchdog_thresh=60 hung_task_panic=1 unknown_nmi_panic=1 panic_print=0x40 nmi_watchdog=0 tsc=reliable no_timer_check "
               "cryptomgr.notests")

KALLSYMS = "/proc/kallsyms"

# The ports of guest/init.c in their order, which is also that of the counts in
# the verdict; the verdict's own port is behind them, and goes both ways.
STREAMS = ["stdout", "stderr", "files"]
VERDICT = re.compile(rb"(exit|signal) (\d+) (\d+) (\d+) (\d+)\n")


class Boot:
    """A guest that is to run COMMAND; run() gives the exit status that lab ends with.
    If asked for, symbols is then what its kernel says of them."""

    def __init__(self, qemu, kernel, cpu, smp, command, put, get, silence, append, symbols=False,
                 clock="instructions", seed=None):
        self.qemu, self.kernel, self.cpu, self.smp = qemu, kernel, cpu, smp
        self.command, self.put, self.get = command, put, get
        self.silence, self.append = silence, append
        self.want_symbols = symbols
        self.clock = []
        if clock == "instructions":
            turns = f",turn-seed={seed}" if seed else ""
            self.clock = ["-icount", INSTRUCTION_CLOCK + turns, "-seed", str(seed or SEED), "-rtc", DATE]
        self.symbols = None
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="lbrscope-lab-"))
        self.console = self.folder / "console"
        self.received = {name: 0 for name in STREAMS}  # bytes so far
        self.arrival = threading.Condition()
        self.files = bytearray()
        self.verdict = b""
        self.unread = False
        self.machine = None

    def run(self):
        try:
            return self._run()
        finally:
            if self.machine and self.machine.poll() is None:
                self.machine.kill()
                self.machine.wait()
            shutil.rmtree(self.folder, ignore_errors=True)

    def _run(self):
        pipes = {name: os.pipe() for name in STREAMS}
        ours, theirs = socket.socketpair()
        passed = {name: pipe[1] for name, pipe in pipes.items()} | \
            {"verdict": theirs.fileno(), "initrd": self._initrd()}
        with open(self.folder / "qemu", "wb") as log:
            # QEMU must not outlive a lab that is killed.
            self.machine = subprocess.Popen(
                ["setpriv", "--pdeathsig", "KILL", self.qemu, *self._arguments(passed)],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, pass_fds=passed.values())
        for name in STREAMS:
            os.close(passed[name])
        os.close(passed["initrd"])
        theirs.close()
        threads = [threading.Thread(target=self._receive, args=(name, pipes[name][0]), daemon=True) for name in STREAMS]
        threads.append(threading.Thread(target=self._hear_verdict, args=(ours,), daemon=True))
        for thread in threads:
            thread.start()
        try:
            if not self._wait():
                self._ask_where_it_is()
                return self._failed(f"nothing came from the guest for {self.silence:g} s")
        except GivenUp:
            self._ask_where_it_is()
            return self._failed("the guest was given up by SIGQUIT")
        for thread in threads:
            thread.join()
        return self._judge()

    def _initrd(self):
        """A file of tens of MiB that is read once: it never gets to a disk."""
        base = initramfs.base(self.kernel)
        with open(os.memfd_create("initrd"), "wb", closefd=False) as out:
            out.write(base.read_bytes())
            out.write(initramfs.project(self.kernel, base))
            out.write(initramfs.run(self.command, self.put, self._names()))
            return out.fileno()

    def _names(self):
        return self.get + [KALLSYMS] * self.want_symbols

    def _arguments(self, passed):
        # ioeventfd: another thread of QEMU would take the output, at a time of its own.
        words = ["-M", "q35", "-accel", "tcg", "-cpu", self.cpu, "-smp", str(self.smp), "-m", str(MEMORY_MIB),
                 "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot",
                 "-kernel", str(self.kernel.vmlinux), "-initrd", f"/dev/fd/{passed['initrd']}",
                 "-append", f"{KERNEL_ARGS} {self.append}".strip(),
                 "-chardev", f"file,id=console,path={self.console}", "-serial", "chardev:console",
                 "-qmp", f"unix:{self.folder}/qmp,server=on,wait=off",
                 "-device", "virtio-serial-pci,disable-legacy=on,ioeventfd=off",
                 *self.clock]
        for folder in FIRMWARE:
            words += ["-L", folder]
        for name in STREAMS:
            words += ["-chardev", f"file,id={name},path=/dev/fd/{passed[name]}"]
        words += ["-chardev", f"socket,id=verdict,fd={passed['verdict']}"]
        for number, name in enumerate([*STREAMS, "verdict"], 1):
            words += ["-device", f"virtserialport,chardev={name},nr={number}"]
        return words

    def _wait(self):
        """Waits for the machine's end; False if it says nothing for too long, on its console or in its
        output. A file that LAB_ALIVE names is touched when it says something."""
        alive = os.environ.get("LAB_ALIVE")
        seen, changed = None, time.monotonic()
        while time.monotonic() - changed < self.silence:
            try:
                self.machine.wait(POLL_S)
                return True
            except subprocess.TimeoutExpired:
                said = (self.console.stat().st_size if self.console.exists() else 0, *self.received.values())
            if said != seen:
                seen, changed = said, time.monotonic()
                if alive:
                    pathlib.Path(alive).touch()
        return False

    def _ask_where_it_is(self):
        """Makes a guest that hangs panic, by an NMI, so that the console tells what each CPU was doing."""
        try:
            with socket.socket(socket.AF_UNIX) as qmp:
                qmp.settimeout(LAST_WORDS_S)
                qmp.connect(str(self.folder / "qmp"))
                qmp.sendall(b'{"execute":"qmp_capabilities"}{"execute":"inject-nmi"}')
                self.machine.wait(LAST_WORDS_S)
        except (OSError, subprocess.TimeoutExpired):
            pass  # It is beyond that; the console is shown as it is.

    def _receive(self, name, reader):
        """The command's output is passed on as it comes; when nobody reads it any more, the guest has no purpose."""
        target = {"stdout": 1, "stderr": 2}.get(name)
        while data := os.read(reader, 1 << 16):
            if target is None:
                self.files += data
            elif not write_all(target, data):
                self.unread = True
                self.machine.kill()
                break
            with self.arrival:
                self.received[name] += len(data)
                self.arrival.notify_all()
        os.close(reader)

    def _hear_verdict(self, port):
        """Lets the guest power off when all that it sent before the verdict is here."""
        with port, port.makefile("rb") as lines:
            verdict = lines.readline()
            if not VERDICT.fullmatch(verdict):
                return
            sent = [int(count) for count in verdict.split()[2:]]
            with self.arrival:
                self.arrival.wait_for(lambda: self.unread or list(self.received.values()) == sent)
            self.verdict = verdict
            port.sendall(b"!")
            lines.read()  # until the machine is off, so that the port stays open

    def _judge(self):
        if self.unread:
            return 128 + signal.SIGPIPE
        verdict = VERDICT.fullmatch(self.verdict)
        if not verdict:
            return self._failed(f"the guest ended without a verdict (QEMU's status {self.machine.returncode})")
        if b"reboot: Power down" not in self.console.read_bytes():
            return self._failed("the guest did not power off in order after the command")
        status = int(verdict.group(2)) + (128 if verdict.group(1) == b"signal" else 0)
        missing = self._land_files()
        for name in missing:
            say(f"the guest has no file {name} to bring back")
        return status or (FAILED if missing else 0)

    def _land_files(self):
        """Writes what came back to the current folder; the names of what was not there."""
        data, missing = bytes(self.files), []
        for name in self._names():
            head, _, data = data.partition(b"\n")
            if head == b"-":
                missing.append(name)
                continue
            size = int(head)
            if name is KALLSYMS:
                self.symbols = data[:size].decode()
            else:
                pathlib.Path(os.path.basename(name)).write_bytes(data[:size])
            data = data[size:]
        return missing

    def _failed(self, why):
        say(why)
        self._show("QEMU", self.folder / "qemu")
        self._show("console", self.console)
        return FAILED

    def _show(self, what, path):
        lines = path.read_text(errors="replace").splitlines() if path.exists() else []
        # TCG lacks many features of the CPUs it models, and says so each time.
        lines = [line for line in lines if "TCG doesn't support requested feature" not in line]
        trouble = next((i for i, line in enumerate(lines) if TROUBLE.search(line)), None)
        lines = lines[-CONSOLE_LINES:] if trouble is None else lines[trouble:trouble + CONSOLE_LINES]
        if lines:
            say(f"its {what}:")
            print("\n".join(f"  {line}" for line in lines), file=sys.stderr)


def write_all(target, data):
    """False if nobody reads at the other end."""
    try:
        while data:
            data = data[os.write(target, data):]
    except BrokenPipeError:
        return False
    return True


def say(text):
    print(f"lab: {text}", file=sys.stderr, flush=True)


class GivenUp(Exception):
    """SIGQUIT came."""


def end_on_signals():
    """A lab that is told to stop takes its guest and its temporary files with it. SIGQUIT is the timeout's
    work at once: the guest says where it is."""
    def stop(number, _frame):
        sys.exit(128 + number)

    def give_up(_number, _frame):
        signal.signal(signal.SIGQUIT, signal.SIG_IGN)
        raise GivenUp
    signal.signal(signal.SIGQUIT, give_up)
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, stop)
