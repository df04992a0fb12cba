// SPDX-License-Identifier: GPL-2.0
/*
 * PID 1 of the lab machine: makes the guest habitable, runs one command, hands
 * its output, the files asked for and its status to the host, powers off.
 *
 * Everything that belongs to the command crosses on virtio serial ports of its
 * own, byte for byte: a tty would translate, and the console carries the
 * kernel's messages. The order below is that of the ports on QEMU's command
 * line (host/boot.py):
 *
 *	vport0p1  the command's stdout
 *	vport0p2  the command's stderr
 *	vport0p3  files: per name of /lab/get "SIZE\n" and SIZE bytes, or "-\n"
 *	vport0p4  verdict: "exit N S E F\n" or "signal N S E F\n", where S, E and F
 *		  are the bytes written to the ports above; the host answers
 *		  with a byte when it has them all
 *
 * The answer is needed because a port's write only queues the data, and a
 * machine that powers off takes the queue with it.
 *
 * A verdict that is missing says that the machine failed, whatever else came
 * out of it; therefore any trouble here ends in die() and not in a verdict.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define WORKDIR "/root/work"

enum { PORT_STDOUT = 1, PORT_STDERR, PORT_FILES, PORT_VERDICT, PORT_COUNT };

static struct {
	int fd;
	unsigned long long sent;
} ports[PORT_COUNT];

static void die(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

static void die(const char *format, ...)
{
	int error = errno;
	va_list args;

	fprintf(stderr, "lab init: ");
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fprintf(stderr, ": %s\n", strerror(error));
	reboot(RB_POWER_OFF);
	_exit(1);
}

static void mount_all(void)
{
	static const struct {
		const char *type, *dir;
	} mounts[] = {
		{ "proc", "/proc" },
		{ "sysfs", "/sys" },
		{ "devtmpfs", "/dev" },
		{ "devpts", "/dev/pts" },
		{ "tmpfs", "/dev/shm" },
		{ "tracefs", "/sys/kernel/tracing" },
		{ "debugfs", "/sys/kernel/debug" },
		{ "tmpfs", "/tmp" },
	};

	for (size_t i = 0; i < sizeof(mounts) / sizeof(mounts[0]); i++) {
		mkdir(mounts[i].dir, 0755);
		if (mount(mounts[i].type, mounts[i].dir, mounts[i].type, 0, NULL))
			die("mount %s", mounts[i].dir);
	}
	chmod("/tmp", 01777);
	chmod("/dev/shm", 01777);
	/* Shells and programs expect these, and devtmpfs has none of them. */
	symlink("/proc/self/fd", "/dev/fd");
	symlink("/proc/self/fd/0", "/dev/stdin");
	symlink("/proc/self/fd/1", "/dev/stdout");
	symlink("/proc/self/fd/2", "/dev/stderr");
}

static void sysctl_set(const char *path, const char *value)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, value, strlen(value)) < 0)
		die("%s", path);
	close(fd);
}

/*
 * perf watches the time its interrupts take and samples less when they take
 * long. Emulated interrupts do, by a clock that is not the guest's: so the
 * limits mean nothing here, and samples that perf drops by them would look as
 * if the machine had lost them. The rate must come first: the kernel refuses it
 * once the limit is off.
 */
static void perf_limits_off(void)
{
	sysctl_set("/proc/sys/kernel/perf_event_max_sample_rate", "10000000");
	sysctl_set("/proc/sys/kernel/perf_cpu_time_max_percent", "0");
}

static void loopback_up(void)
{
	struct ifreq request = { .ifr_name = "lo", .ifr_flags = IFF_UP };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || ioctl(fd, SIOCSIFFLAGS, &request))
		die("lo");
	close(fd);
}

/* Reads a whole file of the initramfs, with a NUL behind it. */
static char *slurp(const char *path, size_t *size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	char *data;

	if (fd < 0 || fstat(fd, &st))
		die("%s", path);
	data = malloc(st.st_size + 1);
	if (!data || read(fd, data, st.st_size) != st.st_size)
		die("%s", path);
	data[st.st_size] = '\0';
	close(fd);
	*size = st.st_size;
	return data;
}

/* The strings of a file in which each ends with a NUL, and a NULL behind them. */
static char **slurp_strings(const char *path)
{
	size_t size, count = 0;
	char *data = slurp(path, &size);
	char **strings = calloc(size + 1, sizeof(*strings));

	if (!strings)
		die("%s", path);
	for (char *s = data; s < data + size; s += strlen(s) + 1)
		strings[count++] = s;
	return strings;
}

/* The drivers of the ports: Debian's cloud kernel has them as modules only. */
static void load_drivers(void)
{
	for (char **path = slurp_strings("/lab/drivers"); *path; path++) {
		int fd = open(*path, O_RDONLY | O_CLOEXEC);

		if (fd < 0 || syscall(SYS_finit_module, fd, "", 0))
			die("%s", *path);
		close(fd);
	}
}

/* A port's node comes up when the host has answered the driver. */
static int port_open(int number)
{
	char path[32];
	int fd;

	snprintf(path, sizeof(path), "/dev/vport0p%d", number);
	for (int tries = 0; tries < 10000; tries++) {
		fd = open(path, O_RDWR | O_CLOEXEC);
		if (fd >= 0)
			return fd;
		usleep(1000);
	}
	die("%s", path);
}

static void ports_open(void)
{
	for (int i = PORT_STDOUT; i < PORT_COUNT; i++)
		ports[i].fd = port_open(i);
}

static void port_write(int number, const char *data, size_t size)
{
	ports[number].sent += size;
	while (size) {
		ssize_t n = write(ports[number].fd, data, size);

		if (n < 0 && errno != EINTR)
			die("a write to the host");
		if (n > 0) {
			data += n;
			size -= n;
		}
	}
}

/* What the child of run() does; never returns. */
static void run_child(char **argv, int out, int err)
{
	const struct rlimit core = { 0, 0 };
	sigset_t none;
	int null = open("/dev/null", O_RDONLY);

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	setsid();
	setrlimit(RLIMIT_CORE, &core);
	if (null < 0 || dup2(null, 0) < 0 || dup2(out, 1) < 0 || dup2(err, 2) < 0)
		die("dup2");
	execvp(argv[0], argv);
	fprintf(stderr, "lab: %s: %s\n", argv[0], strerror(errno));
	_exit(errno == ENOENT ? 127 : 126);
}

/* Passes on what is there; false at the end of the pipe. */
static bool relay(int from, int port)
{
	static char buffer[65536];
	ssize_t n = read(from, buffer, sizeof(buffer));

	if (n < 0)
		die("a read from the command");
	port_write(port, buffer, n);
	return n > 0;
}

/* Collects the dead; true when the command is among them. */
static bool reap(pid_t command, int *status)
{
	bool ended = false;
	int any;
	pid_t pid;

	while ((pid = waitpid(-1, &any, WNOHANG)) > 0) {
		if (pid == command) {
			*status = any;
			ended = true;
		}
	}
	return ended;
}

/*
 * Runs the command with pipes for its output: a virtio port can be opened once
 * only, and "> /dev/stderr" in a script opens it again. What the command leaves
 * running ends with it, so that its pipes and files come to rest.
 */
static int run(char **argv)
{
	int out[2], err[2], status = 0;
	sigset_t chld;
	pid_t pid;

	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	sigprocmask(SIG_BLOCK, &chld, NULL);
	if (pipe2(out, O_CLOEXEC) || pipe2(err, O_CLOEXEC))
		die("pipe");
	pid = fork();
	if (pid < 0)
		die("fork");
	if (!pid)
		run_child(argv, out[1], err[1]);
	close(out[1]);
	close(err[1]);

	struct pollfd fds[] = {
		{ .fd = out[0], .events = POLLIN },
		{ .fd = err[0], .events = POLLIN },
		{ .fd = signalfd(-1, &chld, SFD_CLOEXEC), .events = POLLIN },
	};
	while (fds[0].fd >= 0 || fds[1].fd >= 0 || fds[2].fd >= 0) {
		if (poll(fds, 3, -1) < 0)
			die("poll");
		for (int i = 0; i < 2; i++)
			if (fds[i].revents && !relay(fds[i].fd, PORT_STDOUT + i))
				fds[i].fd = -1;
		if (fds[2].revents) {
			struct signalfd_siginfo info;

			if (read(fds[2].fd, &info, sizeof(info)) != sizeof(info))
				die("signalfd");
			if (reap(pid, &status)) {
				kill(-1, SIGKILL);
				fds[2].fd = -1;
			}
		}
	}
	while (wait(NULL) > 0)
		;
	return status;
}

/* Files of /proc have no size until they are read. */
static void send_unsized(const char *path, int fd)
{
	size_t size = 0, room = 0;
	char *data = NULL, head[32];
	ssize_t n;

	do {
		if (room - size < 65536) {
			room = 2 * room + 65536;
			data = realloc(data, room);
			if (!data)
				die("%s", path);
		}
		n = read(fd, data + size, room - size);
		if (n < 0)
			die("%s", path);
		size += n;
	} while (n);
	snprintf(head, sizeof(head), "%zu\n", size);
	port_write(PORT_FILES, head, strlen(head));
	port_write(PORT_FILES, data, size);
	free(data);
}

static void send_file(const char *path)
{
	static char buffer[65536];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char head[32];
	struct stat st;
	off_t left;

	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		port_write(PORT_FILES, "-\n", 2);
		if (fd >= 0)
			close(fd);
		return;
	}
	if (!st.st_size) {
		send_unsized(path, fd);
		close(fd);
		return;
	}
	snprintf(head, sizeof(head), "%lld\n", (long long)st.st_size);
	port_write(PORT_FILES, head, strlen(head));
	for (left = st.st_size; left;) {
		ssize_t n = read(fd, buffer, sizeof(buffer));

		if (n <= 0)
			die("%s", path);
		port_write(PORT_FILES, buffer, n);
		left -= n;
	}
	close(fd);
}

static void send_files(void)
{
	for (char **path = slurp_strings("/lab/get"); *path; path++)
		send_file(*path);
}

/* Returns when the host has all that was sent. */
static void send_verdict(int status)
{
	char verdict[128], answer;
	int size = snprintf(verdict, sizeof(verdict), "%s %d %llu %llu %llu\n",
			    WIFEXITED(status) ? "exit" : "signal",
			    WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status),
			    ports[PORT_STDOUT].sent, ports[PORT_STDERR].sent,
			    ports[PORT_FILES].sent);

	port_write(PORT_VERDICT, verdict, size);
	if (read(ports[PORT_VERDICT].fd, &answer, 1) != 1)
		die("the host's answer");
}

int main(void)
{
	int status;

	mount_all();
	load_drivers();
	ports_open();
	perf_limits_off();
	loopback_up();
	if (sethostname("lab", 3))
		die("sethostname");
	setenv("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", 1);
	setenv("HOME", "/root", 1);
	setenv("USER", "root", 1);
	setenv("TERM", "dumb", 1);
	if (chdir(WORKDIR))
		die(WORKDIR);

	status = run(slurp_strings("/lab/command"));
	send_files();
	send_verdict(status);
	reboot(RB_POWER_OFF);
	die("power off");
}
