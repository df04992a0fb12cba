/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note OR MIT */
/*
 * lbrscope: control of the module, by generic netlink.
 *
 * Documentation
 * =============
 *
 * A session is an open file.  A client opens LBRSCOPE_DEVICE, configures and starts the
 * session by the commands below, maps the ring of each CPU from the file
 * (<linux/lbrscope_ring.h>), and calls poll() on it for data.  A command names the session
 * by the number of a descriptor in the sender's own table (LBRSCOPE_SESSION_A_FD).  When the
 * last reference to the open file is gone (descriptors and mappings), sampling stops and the
 * control registers are restored.  A killed client leaves nothing behind.
 *
 * The family is LBRSCOPE_GENL_NAME, version LBRSCOPE_GENL_VERSION.  All
 * integers are in host byte order.  Requests are validated strictly: an unknown attribute is
 * refused, not ignored.  Every refusal has an extended ack (NETLINK_EXT_ACK) with the reason
 * as text and, if an attribute caused it, the offset of that attribute
 * (NLMSGERR_ATTR_OFFS).
 *
 * Rights
 * ------
 *
 * A sender is privileged if both it and the opener of its socket have CAP_PERFMON or
 * CAP_SYS_ADMIN in the initial user namespace.  All other senders need the permissions of
 * LBRSCOPE_DEVICE, and may command only sessions whose file their user has opened.  Such an
 * unprivileged session
 *
 *   must have a target.  It measures only tasks whose uids and gids are all the opener's real
 *   ones, which are in the opener's user namespace, have no permitted capability that the
 *   opener lacks, and are dumpable (PR_GET_DUMPABLE).  These are ptrace's rules for reading,
 *   without the decisions of security modules.  A task that gains more rights, for example
 *   by executing a set-uid program, is hidden from then on, with its children
 *   (LBRSCOPE_STATS_A_HIDDEN);
 *
 *   measures user mode only.  Events with OS or ANY, kernel branches, kernel call chains,
 *   wakers, triggers, clocks with periods below LBRSCOPE_CLOCK_PERIOD_USER_MIN, and rings
 *   larger than LBRSCOPE_RING_SIZE_DEFAULT are refused.
 *   Branches from or to the kernel read as empty.  The ip of a sample in the kernel is the
 *   user-mode address where the kernel was entered (LBRSCOPE_SAMPLE_USER is set), or 0.
 *
 * The module ends an unprivileged session when a privileged sender has started one, and
 * when it is idle: when for a minute (the module's parameter idle_seconds) no command named
 * it, nobody called poll() on its file, and no tail of its rings moved.  poll() then reports
 * POLLHUP, LBRSCOPE_STATS_A_ENDED has the cause, and the ring of each sampled CPU ends with a
 * LOST record of one LBRSCOPE_LOST_PMU_TAKEN (a ring that overwrites has it only in its
 * counts).  The rings can be read as after a STOP, and START runs the session again when the
 * PMU is free.
 *
 * A user has one such session at a time, in all user namespaces together: a user of a
 * namespace other than the initial one counts as the user who created it (the outermost
 * one).  If root has created it, as for a container, all of its users count as one.  The
 * rings of all such sessions together take up to 1/16 of the machine's memory.
 *
 * Two commands of such a user are under way at a time, of all threads and files together: one
 * is carried out and one waits for that.  The next one is refused at once (EBUSY).  So are
 * more than ten STARTs within a second (EAGAIN).  CPUs that are kept free of interrupts
 * (nohz_full) take no part in an unprivileged session.
 *
 * The memory of a session is charged to the memory cgroup of the task that configures it,
 * and SET is refused if that has no room; rings are not charged before Linux 5.11.
 *
 * No session can be started while the kernel is locked down for confidentiality.
 *
 * LBRSCOPE_CMD_INFO_GET
 *   Reports the abilities of this CPU, kernel and module.  Needs no rights.
 *   Request: no attributes.  Reply: LBRSCOPE_INFO_A_*.
 *   LBRSCOPE_INFO_A_UNSUPPORTED is present, with the reason, if no session can be started on
 *   this CPU; LBRSCOPE_INFO_A_OWNER_PID, if a session is running.  A sender learns the
 *   owner's pid and command if it is privileged, or may measure the owner by the rules for
 *   targets above; others get pid 0 and no LBRSCOPE_INFO_A_OWNER_COMM.
 *
 * LBRSCOPE_CMD_SESSION_SET
 *   Configures the session and allocates its rings; once per open file.
 *   Request:
 *     LBRSCOPE_SESSION_A_FD              u32, required
 *     LBRSCOPE_SESSION_A_EVENTS          nest, required without OFFCPU and
 *                                        TRIGGERS: an array of nests, at least
 *                                        one and up to LBRSCOPE_EVENTS_MAX.  An
 *                                        event is identified by its index, from
 *                                        0; the types of the array's elements
 *                                        are ignored
 *         LBRSCOPE_EVENT_A_CONFIG        u64, required: as the low 32 bits of
 *                                        IA32_PERFEVTSELx (SDM vol. 3,
 *                                        "Performance Monitoring Events and
 *                                        Counters"), or of AMD's PERF_CTLx,
 *                                        there with the high bits of the
 *                                        event select (35:32).  At least one
 *                                        of USR (bit 16) and OS (bit 17); INT
 *                                        (20), EN (22) and PC (19) clear, and
 *                                        ANY (21) where the CPU does not count
 *                                        for all threads of a core
 *         LBRSCOPE_EVENT_A_PERIOD        u64: events a sample, from
 *                                        LBRSCOPE_INFO_A_PERIOD_MIN to
 *                                        2^31 - 1; or
 *         LBRSCOPE_EVENT_A_FREQUENCY     u32: samples a second, up to
 *                                        LBRSCOPE_FREQUENCY_MAX, of each CPU,
 *                                        or of each task of TARGET_PIDS and
 *                                        TARGET_TIDS while it runs; the period
 *                                        is adapted: 1000 events at first and at
 *                                        least, 2^31 - 1 at most.  With neither
 *                                        the event is only counted
 *         LBRSCOPE_EVENT_A_JITTER        u32, optional: thousandths of the
 *                                        period, up to LBRSCOPE_JITTER_MAX, by
 *                                        which each period is longer or
 *                                        shorter at random, evenly, within
 *                                        the bounds of a period
 *         LBRSCOPE_EVENT_A_SEED          u64, optional, default 0: seed of the
 *                                        jitter
 *         LBRSCOPE_EVENT_A_GROUP         u32, optional: events of the same
 *                                        number, below LBRSCOPE_EVENTS_MAX,
 *                                        are on the counters together or not
 *                                        at all
 *         LBRSCOPE_EVENT_A_COUNTERS      u64, optional: the counters that may
 *                                        count it, bits as in
 *                                        IA32_PERF_GLOBAL_CTRL: general ones
 *                                        from bit 0, fixed ones from bit 32.
 *                                        Absent: all that count it correctly.
 *                                        On some CPUs some events are limited
 *                                        to some general counters; the module
 *                                        knows these and uses no others
 *         LBRSCOPE_EVENT_A_EXTRA         u64, optional: the value of the extra
 *                                        register of the event's code: off-core
 *                                        response (MSR 1A6H, 1A7H), front end
 *                                        (3F7H).  Reserved bits are refused
 *         LBRSCOPE_EVENT_A_READ_GROUP    flag, optional, with samples only: each
 *                                        has the counts of the event's group
 *         LBRSCOPE_EVENT_A_ONLY_OVER     u32, optional, with samples only:
 *         LBRSCOPE_EVENT_A_ONLY_UNDER    u32: the indices of two events of the
 *                                        event's group, itself included.  A sample
 *                                        is kept only if the count of OVER divided
 *                                        by that of UNDER, both since the sample
 *                                        before fell due, kept or not, is
 *         LBRSCOPE_EVENT_A_ONLY_ABOVE    u64: above this many millionths, and
 *         LBRSCOPE_EVENT_A_ONLY_BELOW    u64: below this many; up to
 *                                        LBRSCOPE_ONLY_MAX, at least one of
 *                                        them.  If UNDER has not counted, the
 *                                        ratio is above any number, or if OVER has
 *                                        not either, none.  Other samples are in
 *                                        LBRSCOPE_STATS_A_UNWANTED and in no
 *                                        other count
 *         LBRSCOPE_EVENT_A_SOURCE        u32, optional, default
 *                                        LBRSCOPE_SOURCE_PMU: enum
 *                                        lbrscope_source.  A clock takes
 *                                        CONFIG, with USR and OS only, PERIOD
 *                                        (ns), JITTER and SEED.  USR and OS
 *                                        select the samples: one is due if a
 *                                        period ends in a selected mode.  The
 *                                        count is the time in all modes, with
 *                                        samples as well.  Up to
 *                                        LBRSCOPE_CLOCKS_MAX clocks of a session
 *                                        have samples
 *     LBRSCOPE_SESSION_A_BRANCHES        u32, optional: enum lbrscope_branches
 *     LBRSCOPE_SESSION_A_BRANCH_FILTER   u32, optional, with BRANCHES_HISTORY
 *                                        only: enum lbrscope_branch_filter,
 *                                        at least one level and one kind;
 *                                        default: user mode, all kinds
 *     LBRSCOPE_SESSION_A_BRANCH_RESET    flag, optional, with
 *                                        BRANCHES_CALL_STACK only: the
 *                                        registers are cleared at each context
 *                                        switch, which costs less than saving
 *                                        them.  A sample then shows only the
 *                                        calls since the task's last switch
 *     LBRSCOPE_SESSION_A_BRANCH_CALLERS  flag, optional, with
 *                                        BRANCHES_CALL_STACK only: of each open
 *                                        call only the address of the call is
 *                                        recorded: LBRSCOPE_FORMAT_LBR_FROM
 *                                        without _LBR_TO
 *     LBRSCOPE_SESSION_A_BRANCH_DEPTH    u32, optional, with BRANCHES_CALL_STACK
 *                                        or BRANCHES_HISTORY only: how many
 *                                        entries a record has at most, the
 *                                        youngest; 1 to
 *                                        LBRSCOPE_INFO_A_LBR_DEPTH, default:
 *                                        all.  The registers of the others are
 *                                        not read, except by XSAVES and at a
 *                                        context switch
 *     LBRSCOPE_SESSION_A_TARGET_PIDS     binary, optional: u32[], processes
 *                                        in the sender's pid namespace.  All
 *                                        their threads are targets, and so are
 *                                        children created after the start
 *     LBRSCOPE_SESSION_A_TARGET_TIDS     binary, optional: u32[], threads in
 *                                        the same namespace, and the children
 *                                        and threads that they create after
 *                                        the start; not the other threads of
 *                                        their processes.  Up to LBRSCOPE_TARGETS_MAX
 *                                        pids and tids together
 *     LBRSCOPE_SESSION_A_TARGET_CGROUP   u32, optional, instead of these: a
 *                                        descriptor in the sender's own table
 *                                        of a directory of the cgroup v2
 *                                        hierarchy.  Targets are the tasks in
 *                                        that cgroup and in those below it.  The
 *                                        move of a running task takes effect at
 *                                        its next context switch.
 *                                        Without targets: all tasks
 *     LBRSCOPE_SESSION_A_ENABLE_ON_EXEC  flag, optional, with TARGET_PIDS or
 *                                        TARGET_TIDS only: a task is sampled
 *                                        from its first exec after the start
 *                                        on
 *     LBRSCOPE_SESSION_A_TASK_COUNTS     flag, optional, with TARGET_PIDS or
 *                                        TARGET_TIDS only: the counts of each
 *                                        task are reported when it ends
 *                                        (LBRSCOPE_RECORD_TASK_COUNTS) and on
 *                                        request (LBRSCOPE_CMD_TASK_COUNTS_GET)
 *     LBRSCOPE_SESSION_A_CPUS            string, optional, with its NUL: CPUs
 *                                        in the kernel's format, "0-3,8".
 *                                        Other CPUs are not sampled, have no
 *                                        ring (except with TASK_COUNTS, whose
 *                                        records are in the ring of the CPU
 *                                        where a task ends), and get no
 *                                        interrupt.  A task that ran on one of
 *                                        them loses its saved calls.
 *                                        Absent: all; without privilege, all
 *                                        that are not nohz_full
 *     LBRSCOPE_SESSION_A_BUDGET          u32, optional: thousandths of each
 *                                        CPU's time that sampling may take, up
 *                                        to LBRSCOPE_BUDGET_MAX, which is the
 *                                        default.  To keep to it, periods are
 *                                        stretched, and context switches do
 *                                        only what counting needs
 *                                        (LBRSCOPE_RECORD_BUDGET).  NMIs and
 *                                        switches each have half of it, and what
 *                                        the other leaves
 *     LBRSCOPE_SESSION_A_RING_SIZE       u32, optional: bytes of records a
 *                                        CPU, a power of two from
 *                                        LBRSCOPE_RING_SIZE_MIN to
 *                                        LBRSCOPE_RING_SIZE_MAX, default
 *                                        LBRSCOPE_RING_SIZE_DEFAULT
 *     LBRSCOPE_SESSION_A_OVERWRITE       flag, optional: a flight recorder.
 *                                        New records overwrite the oldest ones,
 *                                        and the rings are read while they are
 *                                        frozen
 *     LBRSCOPE_SESSION_A_SAMPLE          u32, optional, default 0: the fields
 *                                        of a sample besides addresses, of
 *                                        LBRSCOPE_FORMAT_REQUESTS in
 *                                        <linux/lbrscope_ring.h>; USER_STACK
 *                                        with USER_REGS only, USER_CHAIN with
 *                                        USER_STACK only
 *     LBRSCOPE_SESSION_A_USER_STACK      u32, optional, with
 *                                        LBRSCOPE_FORMAT_USER_STACK only:
 *                                        bytes of the user stack, a multiple
 *                                        of 8 up to LBRSCOPE_USER_STACK_MAX,
 *                                        default LBRSCOPE_USER_STACK_DEFAULT.
 *                                        If the beginning of the stack is
 *                                        known, a sample has only the part
 *                                        that is in use
 *     LBRSCOPE_SESSION_A_STACK_MODE      u32, optional, with
 *                                        LBRSCOPE_FORMAT_USER_STACK only: enum
 *                                        lbrscope_stack_mode, which samples
 *                                        have USER_REGS and USER_STACK; default
 *                                        LBRSCOPE_STACKS_ALL
 *     LBRSCOPE_SESSION_A_STACK_AUDIT     u32, optional, with
 *                                        LBRSCOPE_STACKS_SELECTED and _NEW
 *                                        only: one random sample in this many of the
 *                                        processes that are not selected has
 *                                        USER_REGS and USER_STACK too, and
 *                                        LBRSCOPE_SAMPLE_AUDIT; up to
 *                                        LBRSCOPE_STACK_AUDIT_MAX; default 0:
 *                                        none
 *     LBRSCOPE_SESSION_A_TRIGGERS        nest, optional: an array of nests, up
 *                                        to LBRSCOPE_TRIGGERS_MAX.  A trigger is
 *                                        identified by its index, from 0.  Each
 *                                        time that it fires in a sampled task
 *                                        on a sampled CPU, it writes a
 *                                        LBRSCOPE_RECORD_TRIGGER
 *         LBRSCOPE_TRIGGER_A_KIND        u32, required: enum
 *                                        lbrscope_trigger_kind, which names the
 *                                        other attributes; no more are allowed
 *         LBRSCOPE_TRIGGER_A_FREEZE      flag, optional, with OVERWRITE only:
 *                                        the rings are frozen when it fires, and
 *                                        poll() reports POLLIN
 *         LBRSCOPE_TRIGGER_A_ADDRESS     u64: a virtual address, of the kernel
 *                                        or of the sampled processes
 *         LBRSCOPE_TRIGGER_A_LENGTH      u32: bytes, 1, 2, 4 or 8; ADDRESS is a
 *                                        multiple of it
 *         LBRSCOPE_TRIGGER_A_READS       flag, optional: loads as well as stores
 *         LBRSCOPE_TRIGGER_A_FILE        u32: a descriptor, open for reading
 *         LBRSCOPE_TRIGGER_A_OFFSET      u64: bytes from the start of FILE to an
 *                                        instruction
 *         LBRSCOPE_TRIGGER_A_SYMBOL      string: a function of the kernel, or
 *                                        "module:function"
 *         LBRSCOPE_TRIGGER_A_SIGNAL      u32, optional: its number; absent: any
 *         LBRSCOPE_TRIGGER_A_EVENT       u32: index of an event with samples
 *         LBRSCOPE_TRIGGER_A_MIN         u64: ns, 1 at least
 *     LBRSCOPE_SESSION_A_OFFCPU          nest, optional: times that tasks are
 *                                        off the CPU, LBRSCOPE_RECORD_OFFCPU.
 *                                        For sampled tasks with user code, which
 *                                        leave and come back on sampled CPUs
 *                                        after the start
 *         LBRSCOPE_OFFCPU_A_MIN          u64, optional, default 0: ns; shorter
 *                                        times are counted only
 *         LBRSCOPE_OFFCPU_A_RATE         u32, optional: records a second of
 *                                        each CPU, from 1 to
 *                                        LBRSCOPE_OFFCPU_RATE_MAX, default
 *                                        LBRSCOPE_OFFCPU_RATE_DEFAULT.  Unused
 *                                        records are kept for a tenth of a
 *                                        second, or the time of one record.
 *                                        Times beyond that are counted as lost,
 *                                        as those that BUDGET does not afford
 *         LBRSCOPE_OFFCPU_A_WAKER        flag, optional: records name the task's
 *                                        waker
 *         LBRSCOPE_OFFCPU_A_CALLERS      flag, optional: the user stack of a
 *                                        leaving task is unwound by the tables of
 *                                        its process (UNWIND_TABLE,
 *                                        UNWIND_PROCESS), and records have
 *                                        LBRSCOPE_FORMAT_USER_CHAIN.  RATE and
 *                                        BUDGET must allow a record when the task
 *                                        leaves, too
 *   Errors: EBADF no such descriptor, or not one of LBRSCOPE_DEVICE; EPERM the
 *   request needs privilege; EALREADY the file is configured already; EBUSY a user without
 *   privilege has a session configured already; ESRCH no such process or thread;
 *   EOPNOTSUPP this CPU or this kernel lacks a feature; E2BIG too many events,
 *   targets or triggers; ENOMEM the machine or the sender's memory cgroup has no
 *   room for the session, or those of all users without privilege would take too
 *   much (the text says which); EINVAL, ERANGE the named attribute, or a target
 *   that is a kernel thread.
 *
 *   Events with samples, and their groups, are on their counters all the time; ENOSPC if
 *   there are not enough counters.  If there are not enough for the other groups, these take
 *   turns of some milliseconds.
 *
 * LBRSCOPE_CMD_SESSION_START
 *   Claims the PMU, if the session has events on counters or branch records, and starts
 *   sampling.  If a privileged session starts, an unprivileged one
 *   that runs is ended.  Request: LBRSCOPE_SESSION_A_FD.
 *   EINPROGRESS: the session samples, and its uprobes are being registered, for which Linux
 *   waits for the memory of each process that has mapped the file.  The client sends START
 *   again, after 10 ms for example, until the answer is another one; or STOP, when it has
 *   waited for long enough.
 *   Errors: EBUSY the PMU is in use (if another session has it, the text names the process
 *   as INFO_GET does; the kernel does not record other users); ESRCH all targets are gone;
 *   EPERM a target has gained rights that the session's user lacks, or the kernel is locked
 *   down; EALREADY the session runs; ENODATA it was not configured; EOPNOTSUPP a CPU that
 *   came online later lacks something, or KVM has enable_mediated_pmu, with which virtual
 *   machines take the counters; EINVAL the CPU refuses an event's EXTRA; EINTR the sender is
 *   being killed; ESHUTDOWN the machine is going down; EAGAIN more than ten STARTs of a user
 *   without privilege within a second: the text says when the next one is allowed.  And
 *   the kernel's errors for a trigger, whose index is in the text: ENOENT no such function;
 *   ENOSPC no debug register is free; EINVAL or EPERM it must not be probed or watched.  If
 *   that follows an EINPROGRESS, the session has stopped.
 *
 * LBRSCOPE_CMD_SESSION_STOP
 *   Stops sampling and releases the PMU.  The rings and their counts remain readable until
 *   the file is closed; the session can be started again.  Uprobes are removed soon after.
 *   Request: LBRSCOPE_SESSION_A_FD.  Errors: EINVAL the session does not run.
 *
 * LBRSCOPE_CMD_SESSION_FREEZE
 *   Freezes the rings: when it returns, nothing writes them any more, and they can be read.
 *   Samples that fall due meanwhile are lost (LBRSCOPE_LOST_FROZEN); the counters go on.  It
 *   may be called when the rings are frozen already.
 *   Request: LBRSCOPE_SESSION_A_FD.  Errors: EINVAL the session does not run, or its rings
 *   do not overwrite.
 *
 * LBRSCOPE_CMD_SESSION_THAW
 *   The rings are written again, as they are after each START.
 *   Request: LBRSCOPE_SESSION_A_FD.  Errors: as FREEZE.
 *
 * LBRSCOPE_CMD_SESSION_GET
 *   Request: LBRSCOPE_SESSION_A_FD.  Or LBRSCOPE_STATS_A_FD, which is the same: a client that
 *   is made from the YAML spec has one attribute set for the request and the reply.
 *   Reply: LBRSCOPE_STATS_A_*, sums over all CPUs.  They are exact when the session has
 *   stopped: PRODUCED = DELIVERED + the sum of LOST.  While the rings are frozen, DELIVERED
 *   is the number of samples that they hold and of those that were read before.  Each time
 *   off the CPU that ended on a sampled CPU is in one element of OFFCPU.  Tasks that were off
 *   the CPU at the end are in OFFCPU_OPEN, which is known when the session has stopped; there
 *   is no record of them.
 *
 * LBRSCOPE_CMD_COUNTS_GET
 *   Reads the counts of one CPU since START, while the session runs or afterwards.  The CPU
 *   is interrupted only if it counts at this moment: with targets, if one of them runs there.
 *   Request: LBRSCOPE_SESSION_A_FD and LBRSCOPE_SESSION_A_CPU, u32.  Or, as with
 *   SESSION_GET, LBRSCOPE_COUNTS_A_FD and LBRSCOPE_COUNTS_A_CPU.
 *   Reply: LBRSCOPE_COUNTS_A_*.  All counts of a reply belong to one moment, and include
 *   the current values of the counters.  With targets, only the time of targets on that CPU
 *   is counted.
 *   Errors: ENODATA the session was not configured; ENXIO no such CPU.
 *
 * LBRSCOPE_CMD_TASK_COUNTS_GET
 *   Reads the counts since START of each task that has not ended: while the session runs,
 *   up to this moment for running tasks and up to the last switch for others.  After STOP,
 *   the sum of these counts and of the records of ended tasks is the sum of COUNTS_GET over
 *   all CPUs, except for tasks in LBRSCOPE_STATS_A_UNTRACKED and _TASKS_LOST.  The counts
 *   can be read until the next START.
 *   Request: LBRSCOPE_SESSION_A_FD; LBRSCOPE_SESSION_A_CURSOR, u64, optional: the cursor of
 *   the previous reply; absent or 0: from the first task on.  Or, as with SESSION_GET,
 *   LBRSCOPE_COUNTS_A_FD and LBRSCOPE_COUNTS_A_CURSOR.
 *   Reply: LBRSCOPE_COUNTS_A_TASKS, some tasks or none; LBRSCOPE_COUNTS_A_CURSOR if there
 *   may be more.  Tasks that begin meanwhile may be missing.
 *   Errors: ENODATA the session was not started, or could not be started again; EINVAL it
 *   was configured without TASK_COUNTS.
 *
 * LBRSCOPE_CMD_TASK_STACK
 *   Selects processes, of a session with LBRSCOPE_STACKS_SELECTED or _NEW: from the reply
 *   on each sample of their threads has USER_REGS and USER_STACK, unless more than half of
 *   the ring waits for its reader: the sample has LBRSCOPE_SAMPLE_CROWDED and lacks both
 *   then, or has USER_CHAIN.  A thread or process that a selected one creates later is
 *   selected from its first instruction.  STOP ends the selection.  So does exec(), since
 *   the program is another one; with _NEW a process is selected at its exec().  Samples of triggers follow the selection too, but are never
 *   chosen at random.
 *   Request: LBRSCOPE_SESSION_A_FD; LBRSCOPE_SESSION_A_TARGET_PIDS, binary: u32[],
 *   processes in the sender's pid namespace, up to LBRSCOPE_TARGETS_MAX;
 *   LBRSCOPE_SESSION_A_STACK_OFF, flag, optional: ends the selection of these instead.
 *   Errors: ENODATA the session was not configured; EINVAL it does not run, or does not
 *   select; ESRCH the session does not measure one of these processes (any more); the
 *   text names the first one, and all others are selected.  EINTR: the sender is being
 *   killed.
 *
 * LBRSCOPE_CMD_UNWIND_TABLE
 *   Gives the session a part of a table of unwinding rules (<linux/lbrscope_unwind.h>), once it
 *   is configured.  The parts of a table are sent in order; with the last one the table is
 *   checked, and can be used until the file is closed.  The module keeps a copy, charged to
 *   the sender's memory cgroup.  Tables belong to the session: no other one uses them.
 *   Request: LBRSCOPE_UNWIND_A_FD; LBRSCOPE_UNWIND_A_TABLE, u32: a number of the sender's
 *   choice, below LBRSCOPE_UNWIND_TABLES_MAX; LBRSCOPE_UNWIND_A_SIZE, u32: bytes of the whole
 *   table, up to LBRSCOPE_UNWIND_SIZE_MAX; LBRSCOPE_UNWIND_A_OFFSET, u32: bytes that were sent
 *   before, 0 begins the table anew; LBRSCOPE_UNWIND_A_DATA, binary: up to
 *   LBRSCOPE_UNWIND_DATA_MAX bytes.
 *   Errors: ENODATA the session was configured neither with LBRSCOPE_OFFCPU_A_CALLERS nor with
 *   LBRSCOPE_FORMAT_USER_CHAIN; EEXIST the table is whole already; ERANGE not the next part; EINVAL the table is wrong, and is
 *   forgotten; ENOMEM there is no memory, here or in the cgroup; ENOSPC the tables of the
 *   session, or of all users without privilege, would take too much.
 *
 * LBRSCOPE_CMD_UNWIND_PROCESS
 *   Says which tables hold for the code that a process has mapped.  It replaces what was said
 *   before.  A child that the process creates later has the same tables, a program that it
 *   executes has none.
 *   Request: LBRSCOPE_UNWIND_A_FD; LBRSCOPE_UNWIND_A_PID, u32: a process in the sender's pid
 *   namespace; LBRSCOPE_UNWIND_A_GENERATION, u32: a number that the call chains show which are
 *   made by these tables; LBRSCOPE_UNWIND_A_RANGES, binary, optional: struct
 *   lbrscope_unwind_range[], up to LBRSCOPE_UNWIND_RANGES_MAX, by rising addresses.
 *   Errors: ENODATA as above; EINVAL the session does not run, or the ranges are wrong; ESRCH
 *   the session does not measure this process (any more); ENOMEM.
 *
 * LBRSCOPE_CMD_REGS_GET
 *   Reads the registers of a CPU's counters and branch records, and writes none.  The CPU
 *   reads them one after the other, with interrupts off.  The NMI of a running session may
 *   interrupt this.  If a session records kernel branches, the branches of the reading code
 *   are among them.
 *   Request: LBRSCOPE_REGS_A_CPU.  Reply: LBRSCOPE_REGS_A_*.
 *   Errors: EPERM the sender is not privileged, or the kernel is locked down;
 *   ENXIO no such CPU, or it is offline; EINVAL.
 */
#ifndef _UAPI_LINUX_LBRSCOPE_H
#define _UAPI_LINUX_LBRSCOPE_H

#include <linux/types.h>

#define LBRSCOPE_DEVICE		"/dev/lbrscope"
#define LBRSCOPE_GENL_NAME	"lbrscope"
#define LBRSCOPE_GENL_VERSION	1

/* Bytes of records a CPU; see LBRSCOPE_SESSION_A_RING_SIZE. */
#define LBRSCOPE_RING_SIZE_MIN		(64U << 10)
#define LBRSCOPE_RING_SIZE_MAX		(64U << 20)
#define LBRSCOPE_RING_SIZE_DEFAULT	(1U << 20)

#define LBRSCOPE_EVENTS_MAX	64
#define LBRSCOPE_TARGETS_MAX	1024
/*
 * Bytes; see LBRSCOPE_SESSION_A_USER_STACK.  A record has less than 64 KiB (16 bits of size),
 * of which everything else in a sample needs up to 4.
 */
#define LBRSCOPE_USER_STACK_MAX		(60U << 10)
#define LBRSCOPE_USER_STACK_DEFAULT	(8U << 10)
/*
 * Bytes, at most, of a stack that is not the thread's own (a goroutine's, a coroutine's), with
 * LBRSCOPE_STACKS_SELECTED and _NEW: its beginning is not known, and most of a large window
 * would be what lies behind it.  A stack pointer more than 64 MiB below the beginning of
 * the thread's stack, or above it, is on another stack.
 */
#define LBRSCOPE_USER_STACK_FOREIGN	(16U << 10)
#define LBRSCOPE_STACK_AUDIT_MAX	(1U << 30)	/* LBRSCOPE_SESSION_A_STACK_AUDIT */

#define LBRSCOPE_CPUS_MAX		1024	/* LBRSCOPE_SESSION_A_CPUS, characters */
#define LBRSCOPE_FREQUENCY_MAX		100000	/* LBRSCOPE_EVENT_A_FREQUENCY, Hz */
#define LBRSCOPE_CLOCKS_MAX		4	/* clocks with samples in a session */
/* ns: the shortest period of a clock for a sender without privilege. */
#define LBRSCOPE_CLOCK_PERIOD_USER_MIN	100000
#define LBRSCOPE_BUDGET_MAX		500	/* LBRSCOPE_SESSION_A_BUDGET, thousandths */
#define LBRSCOPE_JITTER_MAX		500	/* LBRSCOPE_EVENT_A_JITTER */
/* LBRSCOPE_EVENT_A_ONLY_ABOVE, _BELOW: millionths */
#define LBRSCOPE_ONLY_MAX		1000000000000ULL
#define LBRSCOPE_TRIGGERS_MAX		16	/* LBRSCOPE_SESSION_A_TRIGGERS */
#define LBRSCOPE_SYMBOL_MAX		127	/* LBRSCOPE_TRIGGER_A_SYMBOL, characters */

/* LBRSCOPE_OFFCPU_A_RATE */
#define LBRSCOPE_OFFCPU_RATE_MAX	10000
#define LBRSCOPE_OFFCPU_RATE_DEFAULT	1000

enum lbrscope_cmd {
	LBRSCOPE_CMD_UNSPEC,
	LBRSCOPE_CMD_INFO_GET,
	LBRSCOPE_CMD_SESSION_SET,
	LBRSCOPE_CMD_SESSION_START,
	LBRSCOPE_CMD_SESSION_STOP,
	LBRSCOPE_CMD_SESSION_GET,
	LBRSCOPE_CMD_COUNTS_GET,
	LBRSCOPE_CMD_SESSION_FREEZE,
	LBRSCOPE_CMD_SESSION_THAW,
	LBRSCOPE_CMD_REGS_GET,
	LBRSCOPE_CMD_TASK_COUNTS_GET,
	LBRSCOPE_CMD_TASK_STACK,
	LBRSCOPE_CMD_UNWIND_TABLE,
	LBRSCOPE_CMD_UNWIND_PROCESS,

	__LBRSCOPE_CMD_MAX,
	LBRSCOPE_CMD_MAX = __LBRSCOPE_CMD_MAX - 1
};

/* What counts an event. */
enum lbrscope_source {
	LBRSCOPE_SOURCE_PMU,	/* a performance counter */
	/*
	 * The kernel's clock, which needs no PMU: an event is a ns that the CPU counts
	 * for the session, or runs a target.  A timer ends each period with an
	 * interrupt.  A CPU, or a task, begins at a random point of its first period:
	 * tasks that end before a period does have samples in proportion to their time.
	 * Code that runs with interrupts off is not seen: the sample shows
	 * where they are switched on, and further periods that ended until then are
	 * lost (LBRSCOPE_LOST_PMI_MISSED).
	 */
	LBRSCOPE_SOURCE_CLOCK,

	__LBRSCOPE_SOURCE_MAX,
	LBRSCOPE_SOURCE_MAX = __LBRSCOPE_SOURCE_MAX - 1
};

/* The use of the branch registers. */
enum lbrscope_branches {
	LBRSCOPE_BRANCHES_NONE,		/* the registers are not used */
	/*
	 * Call-stack mode: the registers follow user-mode calls and returns,
	 * a sample holds the open calls, youngest first.  The state belongs
	 * to the task and survives context switches, except with BRANCH_RESET.
	 */
	LBRSCOPE_BRANCHES_CALL_STACK,
	/*
	 * The youngest taken branches of the requested kinds.  The registers
	 * are cleared when another task comes to the CPU.
	 */
	LBRSCOPE_BRANCHES_HISTORY,

	__LBRSCOPE_BRANCHES_MAX,
	LBRSCOPE_BRANCHES_MAX = __LBRSCOPE_BRANCHES_MAX - 1
};

/*
 * The branches that a history holds: by the privilege level where a branch ends, and by its
 * kind.  The bits are those of MSR_LBR_SELECT (SDM vol. 3 "Filtering of Last Branch
 * Records"), inverted, since those suppress.  On Nehalem and Westmere a filter that passes
 * calls also passes the jumps of the same form.
 */
enum lbrscope_branch_filter {
	LBRSCOPE_FILTER_KERNEL = 1U << 0,
	LBRSCOPE_FILTER_USER = 1U << 1,
	LBRSCOPE_FILTER_COND = 1U << 2,		/* conditional jumps */
	LBRSCOPE_FILTER_REL_CALL = 1U << 3,	/* near calls, relative */
	LBRSCOPE_FILTER_IND_CALL = 1U << 4,	/* and indirect */
	LBRSCOPE_FILTER_RET = 1U << 5,		/* near returns */
	LBRSCOPE_FILTER_IND_JMP = 1U << 6,
	LBRSCOPE_FILTER_REL_JMP = 1U << 7,
	LBRSCOPE_FILTER_FAR = 1U << 8,		/* interrupts, system calls, ... */

	LBRSCOPE_FILTER_LEVELS = 0x003,
	LBRSCOPE_FILTER_KINDS = 0x1fc,
	LBRSCOPE_FILTER_ALL = 0x1ff
};

/* Which samples have LBRSCOPE_FORMAT_USER_REGS and _USER_STACK, where SAMPLE asks for them. */
enum lbrscope_stack_mode {
	LBRSCOPE_STACKS_ALL,
	/*
	 * Samples of processes that LBRSCOPE_CMD_TASK_STACK has selected, and samples
	 * that STACK_AUDIT chooses.  Others do not have the fields.  Nor does any sample
	 * while more than half of its ring waits for the reader: stacks are long, and would
	 * take the place of samples.  A ring that overwrites has them always.
	 */
	LBRSCOPE_STACKS_SELECTED,
	/*
	 * The same, but each process is selected when the session starts, and again when it
	 * executes a program, until STACK_OFF ends that.
	 */
	LBRSCOPE_STACKS_NEW,

	__LBRSCOPE_STACKS_MAX,
	LBRSCOPE_STACKS_MAX = __LBRSCOPE_STACKS_MAX - 1
};

/*
 * The event that a trigger waits for, and the attributes of its kind.  The branch registers
 * are read when it fires.  In a history with kernel branches, the youngest ones are the
 * kernel's way from there to the module; kmod/README.md states how many they are.
 */
enum lbrscope_trigger_kind {
	/*
	 * ADDRESS, LENGTH, READS: a hardware breakpoint of each CPU.  Fires after
	 * the instruction, in user mode or in the kernel on the task's behalf.
	 */
	LBRSCOPE_TRIGGER_WATCHPOINT,
	LBRSCOPE_TRIGGER_UPROBE,	/* FILE, OFFSET: before that instruction */
	LBRSCOPE_TRIGGER_KPROBE,	/* SYMBOL: the function is entered */
	LBRSCOPE_TRIGGER_KRETPROBE,	/* SYMBOL: it has returned */
	/*
	 * A task executes another program.  The record has no branches, since
	 * they belong to the old program.
	 */
	LBRSCOPE_TRIGGER_EXEC,
	LBRSCOPE_TRIGGER_EXIT,		/* a thread ends */
	LBRSCOPE_TRIGGER_SIGNAL,	/* SIGNAL: one is delivered.  One that ends a
					 * process without a core dump is, to
					 * Linux, a delivery of SIGKILL
					 */
	/*
	 * These always have FREEZE.  Their events have records already, so that
	 * they write none of their own.
	 */
	LBRSCOPE_TRIGGER_EVENT,		/* EVENT: a sample of this event is due */
	LBRSCOPE_TRIGGER_OFFCPU,	/* MIN: a task comes back after at least so
					 * long; with LBRSCOPE_SESSION_A_OFFCPU, whose
					 * rate does not limit it
					 */

	__LBRSCOPE_TRIGGER_MAX,
	LBRSCOPE_TRIGGER_MAX = __LBRSCOPE_TRIGGER_MAX - 1
};

/*
 * The layout of the words of a branch record: IA32_PERF_CAPABILITIES[5:0] on Intel (SDM
 * vol. 3 "LBR Stack"; arch/x86/events/intel/lbr.c), a number of lbrscope on AMD (APM vol. 2
 * "Last Branch Stack Registers").
 */
enum lbrscope_lbr_format {
	LBRSCOPE_LBR_FORMAT_NONE = 0,
	LBRSCOPE_LBR_FORMAT_LIP = 1,		/* addresses, no flags */
	LBRSCOPE_LBR_FORMAT_EIP = 2,		/* the same */
	LBRSCOPE_LBR_FORMAT_EIP_FLAGS = 3,	/* FROM[63] mispredicted */
	LBRSCOPE_LBR_FORMAT_EIP_FLAGS2 = 4,	/* and [62] in a transaction,
						 * [61] aborted it
						 */
	LBRSCOPE_LBR_FORMAT_INFO = 5,	/* these flags are in INFO, with
					 * [15:0] cycles since the one before
					 */
	LBRSCOPE_LBR_FORMAT_TIME = 6,	/* FROM[63] mispredicted, TO[63:48]
					 * cycles
					 */
	LBRSCOPE_LBR_FORMAT_INFO2 = 7,	/* as INFO, without transactions */
	LBRSCOPE_LBR_FORMAT_ARCH = 0x3f,	/* as INFO; INFO[60] the cycles
						 * are valid, [59:56] the kind
						 */
	LBRSCOPE_LBR_FORMAT_AMD = 0x40,	/* FROM[63] mispredicted, TO[63] valid,
					 * [62] speculative; the sign of the
					 * addresses is that of their topmost bit
					 * by CPUID.80000008H:EAX[15:8]
					 */
};

enum lbrscope_info_attr {
	LBRSCOPE_INFO_A_UNSPEC,
	LBRSCOPE_INFO_A_PAD,
	LBRSCOPE_INFO_A_RING_VERSION,	/* u32: LBRSCOPE_RING_VERSION spoken */
	LBRSCOPE_INFO_A_VENDOR,		/* string: CPUID.0, "GenuineIntel" */
	LBRSCOPE_INFO_A_FAMILY,		/* u32: display family, CPUID.1 */
	LBRSCOPE_INFO_A_MODEL,		/* u32: display model, CPUID.1 */
	LBRSCOPE_INFO_A_STEPPING,	/* u32 */
	LBRSCOPE_INFO_A_PMU_VERSION,	/* u32: CPUID.0AH EAX[7:0]; on AMD 2 with
					 * PerfMonV2, else 1
					 */
	LBRSCOPE_INFO_A_GP_COUNTERS,	/* u32: general counters of each CPU that a
					 * session can use: less than CPUID reports
					 * where microcode needs one
					 */
	LBRSCOPE_INFO_A_GP_WIDTH,	/* u32: bits */
	LBRSCOPE_INFO_A_FIXED_COUNTERS,	/* u32 */
	LBRSCOPE_INFO_A_LBR_FORMAT,	/* u32: enum lbrscope_lbr_format */
	LBRSCOPE_INFO_A_LBR_DEPTH,	/* u32: entries, 0 without LBR */
	LBRSCOPE_INFO_A_CALL_STACK,	/* flag: LBRSCOPE_BRANCHES_CALL_STACK works */
	LBRSCOPE_INFO_A_PERIOD_MIN,	/* u64: events a sample, at least */
	LBRSCOPE_INFO_A_UNSUPPORTED,	/* string: the reason why no session can start */
	LBRSCOPE_INFO_A_OWNER_PID,	/* u32: the process with a running session; 0 if
					 * it is outside of the sender's pid namespace,
					 * or hidden from the sender
					 */
	LBRSCOPE_INFO_A_OWNER_COMM,	/* string: its command when it started; absent
					 * if it is hidden from the sender
					 */
	LBRSCOPE_INFO_A_PRIVILEGED,	/* flag: the sender is privileged, see Rights */
	LBRSCOPE_INFO_A_BRANCH_FILTER,	/* u32: the enum lbrscope_branch_filter bits
					 * that a history may have; 0: there are no
					 * histories.  A CPU that cannot filter
					 * needs all
					 */
	LBRSCOPE_INFO_A_CORES,		/* nest: an array of nests of
					 * LBRSCOPE_CORE_A_*, one for each type
					 * of core, if there are several.  The
					 * other attributes report what all types
					 * have in common
					 */
	LBRSCOPE_INFO_A_OWNER_YIELDS,	/* flag: that session is unprivileged: a
					 * privileged START ends it
					 */
	LBRSCOPE_INFO_A_NO_PMU,		/* string: why there are neither counters nor
					 * branch records here: events are clocks
					 * (LBRSCOPE_SOURCE_CLOCK)
					 */

	__LBRSCOPE_INFO_A_MAX,
	LBRSCOPE_INFO_A_MAX = __LBRSCOPE_INFO_A_MAX - 1
};

/* Cores of one type have the same capabilities.  CPUs that were never online have no type. */
enum lbrscope_core_attr {
	LBRSCOPE_CORE_A_UNSPEC,
	LBRSCOPE_CORE_A_CPUS,		/* string: a list of CPUs */
	LBRSCOPE_CORE_A_TYPE,		/* u32: CPUID.1AH:EAX[31:24], 20H a small
					 * core (Atom), 40H a big one (Core); 0:
					 * the CPU does not say
					 */
	LBRSCOPE_CORE_A_GP_COUNTERS,	/* u32 */
	LBRSCOPE_CORE_A_FIXED_COUNTERS,	/* u32 */
	LBRSCOPE_CORE_A_LBR_FORMAT,	/* u32: enum lbrscope_lbr_format; where
					 * these differ no branches are recorded
					 */
	LBRSCOPE_CORE_A_LBR_DEPTH,	/* u32: entries, 0 without LBR */

	__LBRSCOPE_CORE_A_MAX,
	LBRSCOPE_CORE_A_MAX = __LBRSCOPE_CORE_A_MAX - 1
};

enum lbrscope_session_attr {
	LBRSCOPE_SESSION_A_UNSPEC,
	LBRSCOPE_SESSION_A_FD,			/* u32 */
	LBRSCOPE_SESSION_A_EVENTS,		/* nest: of LBRSCOPE_EVENT_A_* */
	LBRSCOPE_SESSION_A_BRANCHES,		/* u32: enum lbrscope_branches */
	LBRSCOPE_SESSION_A_TARGET_PIDS,		/* binary: u32[] */
	LBRSCOPE_SESSION_A_ENABLE_ON_EXEC,	/* flag */
	LBRSCOPE_SESSION_A_RING_SIZE,		/* u32: bytes */
	LBRSCOPE_SESSION_A_BRANCH_FILTER,	/* u32: enum lbrscope_branch_filter */
	LBRSCOPE_SESSION_A_CPUS,		/* string: a list of CPUs */
	LBRSCOPE_SESSION_A_CPU,			/* u32 */
	LBRSCOPE_SESSION_A_OVERWRITE,		/* flag */
	LBRSCOPE_SESSION_A_SAMPLE,		/* u32: LBRSCOPE_FORMAT_REQUESTS */
	LBRSCOPE_SESSION_A_USER_STACK,		/* u32: bytes */
	LBRSCOPE_SESSION_A_TRIGGERS,		/* nest: of LBRSCOPE_TRIGGER_A_* */
	LBRSCOPE_SESSION_A_BUDGET,		/* u32: thousandths */
	LBRSCOPE_SESSION_A_OFFCPU,		/* nest: LBRSCOPE_OFFCPU_A_* */
	LBRSCOPE_SESSION_A_TARGET_TIDS,		/* binary: u32[] */
	LBRSCOPE_SESSION_A_TARGET_CGROUP,	/* u32: a descriptor */
	LBRSCOPE_SESSION_A_BRANCH_RESET,	/* flag */
	LBRSCOPE_SESSION_A_BRANCH_CALLERS,	/* flag */
	LBRSCOPE_SESSION_A_TASK_COUNTS,		/* flag */
	LBRSCOPE_SESSION_A_CURSOR,		/* u64 */
	LBRSCOPE_SESSION_A_STACK_MODE,		/* u32: enum lbrscope_stack_mode */
	LBRSCOPE_SESSION_A_STACK_AUDIT,		/* u32: samples */
	LBRSCOPE_SESSION_A_STACK_OFF,		/* flag */
	LBRSCOPE_SESSION_A_BRANCH_DEPTH,	/* u32: entries */

	__LBRSCOPE_SESSION_A_MAX,
	LBRSCOPE_SESSION_A_MAX = __LBRSCOPE_SESSION_A_MAX - 1
};

/* The elements of the arrays EVENTS and TRIGGERS; other types are accepted as well. */
enum lbrscope_events_attr {
	LBRSCOPE_EVENTS_A_UNSPEC,
	LBRSCOPE_EVENTS_A_EVENT,	/* nest: of LBRSCOPE_EVENT_A_* */

	__LBRSCOPE_EVENTS_A_MAX,
	LBRSCOPE_EVENTS_A_MAX = __LBRSCOPE_EVENTS_A_MAX - 1
};

enum lbrscope_triggers_attr {
	LBRSCOPE_TRIGGERS_A_UNSPEC,
	LBRSCOPE_TRIGGERS_A_TRIGGER,	/* nest: of LBRSCOPE_TRIGGER_A_* */

	__LBRSCOPE_TRIGGERS_A_MAX,
	LBRSCOPE_TRIGGERS_A_MAX = __LBRSCOPE_TRIGGERS_A_MAX - 1
};

enum lbrscope_event_attr {
	LBRSCOPE_EVENT_A_UNSPEC,
	LBRSCOPE_EVENT_A_PAD,
	LBRSCOPE_EVENT_A_CONFIG,	/* u64: IA32_PERFEVTSELx */
	LBRSCOPE_EVENT_A_PERIOD,	/* u64: events */
	LBRSCOPE_EVENT_A_FREQUENCY,	/* u32: samples a second */
	LBRSCOPE_EVENT_A_JITTER,	/* u32: thousandths of the period */
	LBRSCOPE_EVENT_A_SEED,		/* u64 */
	LBRSCOPE_EVENT_A_GROUP,		/* u32 */
	LBRSCOPE_EVENT_A_COUNTERS,	/* u64: bits of IA32_PERF_GLOBAL_CTRL */
	LBRSCOPE_EVENT_A_EXTRA,		/* u64 */
	LBRSCOPE_EVENT_A_READ_GROUP,	/* flag */
	LBRSCOPE_EVENT_A_SOURCE,	/* u32: enum lbrscope_source */
	LBRSCOPE_EVENT_A_ONLY_OVER,	/* u32: index of an event */
	LBRSCOPE_EVENT_A_ONLY_UNDER,	/* u32: the same */
	LBRSCOPE_EVENT_A_ONLY_ABOVE,	/* u64: millionths */
	LBRSCOPE_EVENT_A_ONLY_BELOW,	/* u64: millionths */

	__LBRSCOPE_EVENT_A_MAX,
	LBRSCOPE_EVENT_A_MAX = __LBRSCOPE_EVENT_A_MAX - 1
};

enum lbrscope_trigger_attr {
	LBRSCOPE_TRIGGER_A_UNSPEC,
	LBRSCOPE_TRIGGER_A_PAD,
	LBRSCOPE_TRIGGER_A_KIND,	/* u32: enum lbrscope_trigger_kind */
	LBRSCOPE_TRIGGER_A_FREEZE,	/* flag */
	LBRSCOPE_TRIGGER_A_ADDRESS,	/* u64 */
	LBRSCOPE_TRIGGER_A_LENGTH,	/* u32: bytes */
	LBRSCOPE_TRIGGER_A_READS,	/* flag */
	LBRSCOPE_TRIGGER_A_FILE,	/* u32: a descriptor */
	LBRSCOPE_TRIGGER_A_OFFSET,	/* u64: bytes */
	LBRSCOPE_TRIGGER_A_SYMBOL,	/* string */
	LBRSCOPE_TRIGGER_A_SIGNAL,	/* u32 */
	LBRSCOPE_TRIGGER_A_EVENT,	/* u32: index of an event */
	LBRSCOPE_TRIGGER_A_MIN,		/* u64: ns */

	__LBRSCOPE_TRIGGER_A_MAX,
	LBRSCOPE_TRIGGER_A_MAX = __LBRSCOPE_TRIGGER_A_MAX - 1
};

enum lbrscope_offcpu_attr {
	LBRSCOPE_OFFCPU_A_UNSPEC,
	LBRSCOPE_OFFCPU_A_PAD,
	LBRSCOPE_OFFCPU_A_MIN,		/* u64: ns */
	LBRSCOPE_OFFCPU_A_RATE,		/* u32: records a second */
	LBRSCOPE_OFFCPU_A_WAKER,	/* flag */
	LBRSCOPE_OFFCPU_A_CALLERS,	/* flag */

	__LBRSCOPE_OFFCPU_A_MAX,
	LBRSCOPE_OFFCPU_A_MAX = __LBRSCOPE_OFFCPU_A_MAX - 1
};

/* The reason why the module has ended a session, see Rights. */
enum lbrscope_ended {
	LBRSCOPE_ENDED_NOT,
	LBRSCOPE_ENDED_PREEMPTED,	/* a privileged session was started */
	LBRSCOPE_ENDED_IDLE,		/* its owner was inactive */
	LBRSCOPE_ENDED_SHUTDOWN,	/* the machine goes down, or enters another
					 * kernel (kexec); for privileged ones, too
					 */
};

enum lbrscope_stats_attr {
	LBRSCOPE_STATS_A_UNSPEC,
	LBRSCOPE_STATS_A_PAD,
	LBRSCOPE_STATS_A_RUNNING,	/* flag: the session samples now */
	LBRSCOPE_STATS_A_PRODUCED,	/* u64: samples that fell due */
	LBRSCOPE_STATS_A_DELIVERED,	/* u64: samples put into a ring, and not
					 * overwritten unread
					 */
	LBRSCOPE_STATS_A_LOST,		/* nest: u64 attributes, typed
					 * 1 + enum lbrscope_lost
					 */
	LBRSCOPE_STATS_A_UNTRACKED,	/* u64: tasks for which there was no
					 * memory to keep branch state; their
					 * samples come without branches, and
					 * their times off the CPU not at all
					 */
	LBRSCOPE_STATS_A_FROZEN,	/* flag: its rings are not written */
	LBRSCOPE_STATS_A_COST_NMI,	/* u64: ns in NMIs and the timers' interrupts,
					 * entry and exit estimated
					 */
	LBRSCOPE_STATS_A_COST_SWITCH,	/* u64: ns in context switches */
	LBRSCOPE_STATS_A_COST_TIME,	/* u64: ns that CPUs were in the session, summed */
	LBRSCOPE_STATS_A_OFFCPU,	/* nest: u64 attributes, typed
					 * 1 + enum lbrscope_offcpu_end: times
					 * off the CPU; absent without
					 * LBRSCOPE_SESSION_A_OFFCPU
					 */
	LBRSCOPE_STATS_A_OFFCPU_NS,	/* nest of the same types: their sums in ns */
	LBRSCOPE_STATS_A_HIDDEN,	/* u64: tasks that were not measured, or no
					 * longer, see Rights
					 */
	LBRSCOPE_STATS_A_OFFCPU_OPEN,	/* u64: tasks that were off the CPU when
					 * the session ended, and had left it
					 * while it ran
					 */
	LBRSCOPE_STATS_A_MISSED,	/* u64: of KPROBE and KRETPROBE, how often the
					 * kernel skipped a probe: 512 calls of
					 * the function were open, or a probe
					 * was within another; as of the last
					 * SESSION_STOP, and in no other count
					 */
	LBRSCOPE_STATS_A_TASKS_LOST,	/* u64: of TASK_COUNTS, tasks that ended when
					 * there was no room for their record
					 */
	LBRSCOPE_STATS_A_ENDED,		/* u32: enum lbrscope_ended; absent while the
					 * session runs, and when STOP ended it
					 */
	LBRSCOPE_STATS_A_FD,		/* u32: in requests, as LBRSCOPE_SESSION_A_FD */
	LBRSCOPE_STATS_A_UNWANTED,	/* u64: samples that fell due and were left
					 * out by LBRSCOPE_EVENT_A_ONLY_*
					 */
	LBRSCOPE_STATS_A_BRANCHES_OFF,	/* u64: samples without branches, because
					 * somebody else had switched their recording
					 * off (LBRSCOPE_SAMPLE_LBR_OFF)
					 */

	__LBRSCOPE_STATS_A_MAX,
	LBRSCOPE_STATS_A_MAX = __LBRSCOPE_STATS_A_MAX - 1
};

/* LBRSCOPE_STATS_A_LOST: 1 + enum lbrscope_lost. */
enum lbrscope_lost_attr {
	LBRSCOPE_LOST_A_UNSPEC,
	LBRSCOPE_LOST_A_RING_FULL,	/* u64 */
	LBRSCOPE_LOST_A_THROTTLED,	/* u64 */
	LBRSCOPE_LOST_A_PMU_TAKEN,	/* u64 */
	LBRSCOPE_LOST_A_TOO_LARGE,	/* u64 */
	LBRSCOPE_LOST_A_STOPPED,	/* u64 */
	LBRSCOPE_LOST_A_OVERWRITTEN,	/* u64 */
	LBRSCOPE_LOST_A_FROZEN,		/* u64 */
	LBRSCOPE_LOST_A_PMI_MISSED,	/* u64 */

	__LBRSCOPE_LOST_A_MAX,
	LBRSCOPE_LOST_A_MAX = __LBRSCOPE_LOST_A_MAX - 1
};

/* LBRSCOPE_STATS_A_OFFCPU and _OFFCPU_NS: 1 + enum lbrscope_offcpu_end. */
enum lbrscope_offcpu_end_attr {
	LBRSCOPE_OFFCPU_END_A_UNSPEC,
	LBRSCOPE_OFFCPU_END_A_DELIVERED,	/* u64 */
	LBRSCOPE_OFFCPU_END_A_SHORT,		/* u64 */
	LBRSCOPE_OFFCPU_END_A_THROTTLED,	/* u64 */
	LBRSCOPE_OFFCPU_END_A_RING_FULL,	/* u64 */
	LBRSCOPE_OFFCPU_END_A_OVERWRITTEN,	/* u64 */
	LBRSCOPE_OFFCPU_END_A_FROZEN,		/* u64 */

	__LBRSCOPE_OFFCPU_END_A_MAX,
	LBRSCOPE_OFFCPU_END_A_MAX = __LBRSCOPE_OFFCPU_END_A_MAX - 1
};

enum lbrscope_counts_attr {
	LBRSCOPE_COUNTS_A_UNSPEC,
	LBRSCOPE_COUNTS_A_CPU,		/* u32 */
	LBRSCOPE_COUNTS_A_COUNTS,	/* binary: struct lbrscope_count by event */
	LBRSCOPE_COUNTS_A_PAD,
	LBRSCOPE_COUNTS_A_TASKS,	/* binary: struct lbrscope_task_counts, of
					 * <linux/lbrscope_ring.h>, one behind the
					 * other, each of its rec.size bytes
					 */
	LBRSCOPE_COUNTS_A_CURSOR,	/* u64 */
	LBRSCOPE_COUNTS_A_FD,		/* u32: in requests, as LBRSCOPE_SESSION_A_FD */

	__LBRSCOPE_COUNTS_A_MAX,
	LBRSCOPE_COUNTS_A_MAX = __LBRSCOPE_COUNTS_A_MAX - 1
};

/* The requests UNWIND_TABLE and UNWIND_PROCESS. */
enum lbrscope_unwind_attr {
	LBRSCOPE_UNWIND_A_UNSPEC,
	LBRSCOPE_UNWIND_A_FD,		/* u32: as LBRSCOPE_SESSION_A_FD */
	LBRSCOPE_UNWIND_A_TABLE,	/* u32 */
	LBRSCOPE_UNWIND_A_SIZE,		/* u32: bytes */
	LBRSCOPE_UNWIND_A_OFFSET,	/* u32: bytes */
	LBRSCOPE_UNWIND_A_DATA,		/* binary */
	LBRSCOPE_UNWIND_A_PID,		/* u32 */
	LBRSCOPE_UNWIND_A_GENERATION,	/* u32 */
	LBRSCOPE_UNWIND_A_RANGES,	/* binary: struct lbrscope_unwind_range[] */

	__LBRSCOPE_UNWIND_A_MAX,
	LBRSCOPE_UNWIND_A_MAX = __LBRSCOPE_UNWIND_A_MAX - 1
};

enum lbrscope_regs_attr {
	LBRSCOPE_REGS_A_UNSPEC,
	LBRSCOPE_REGS_A_CPU,		/* u32 */
	LBRSCOPE_REGS_A_REGS,		/* binary: struct lbrscope_reg of each
					 * register that the CPU has, up to
					 * LBRSCOPE_REGS_MAX
					 */

	__LBRSCOPE_REGS_A_MAX,
	LBRSCOPE_REGS_A_MAX = __LBRSCOPE_REGS_A_MAX - 1
};

#define LBRSCOPE_REGS_MAX	256

/* msr 0x834 stands for the local APIC's LVTPC, also in xAPIC mode, where LVTPC is no MSR. */
struct lbrscope_reg {
	__u32 msr;
	__u32 reserved;	/* 0 */
	__u64 value;
};

#define LBRSCOPE_COUNT_PARTS	8

/*
 * The count of an event.  If the event took turns, value * enabled / running estimates its
 * count without turns.  The parts show the error of the estimate: each has every
 * LBRSCOPE_COUNT_PARTS-th turn of the event, and their rates scatter as the events do in
 * time.  Events with samples that are in no group with READ_GROUP are not counted: all is 0
 * except enabled.  If a session has only such events, of fixed periods, enabled is 0 as well.
 */
struct lbrscope_count {
	__u64 value;	/* events */
	__u64 enabled;	/* ns that the CPU counted for the session */
	__u64 running;	/* ns of these that the event was on a counter */
	struct {
		__u64 value, running;
	} parts[LBRSCOPE_COUNT_PARTS];	/* all 0 of a clock, and if no event takes turns */
};

#endif /* _UAPI_LINUX_LBRSCOPE_H */
