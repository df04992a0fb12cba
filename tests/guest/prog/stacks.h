/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Processes with known stacks, and a reader of rings that checks each sample against them; for
 * stacks.c.
 */
#define RING		LBRSCOPE_RING_SIZE_DEFAULT	/* the most that a user without
							 * privilege may have */
#define CPUS		8
#define ENOUGH		20	/* minimum number of samples of a check */
#define MARK		0x5ac0ffee00000000ULL
#define PAGE		4096
#define FAR		(64UL << 20)	/* farther below its beginning no stack of a thread is */
#define WINDOW		LBRSCOPE_USER_STACK_MAX

static int failed, failed_last;

static void holds(const char *what, bool good)
{
	printf("%sok - %s\n", good ? "" : "not ", what);
	failed_last = !good;
	failed |= !good;
	fflush(stdout);
}

enum order { ORDER_SPIN, ORDER_FORK, ORDER_CLONE, ORDER_EXEC, ORDER_SWARM, ORDER_LEAVE };

/* Shared with a process that spins. */
struct orders {
	volatile enum order now;
	volatile uint32_t child, thread, executed, filled;
};

struct child {
	uint32_t pid;
	uint64_t bytes;		/* bytes that it has filled */
	struct orders *orders;
};

static char orders_file[64];

static struct orders *map_orders(const char *file)
{
	int fd = open(file, O_RDWR | O_CREAT, 0666);
	void *orders = MAP_FAILED;

	if (fd >= 0 && !ftruncate(fd, sizeof(struct orders)))
		orders = mmap(NULL, sizeof(struct orders), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (orders == MAP_FAILED)
		exit(1);
	return orders;
}

static void *spin_thread(void *arg)
{
	struct orders *orders = arg;
	volatile uint64_t sink = 0;

	if (orders)
		orders->thread = gettid();
	for (int i = 0; orders || i < 1000000; i++)
		sink += i;
	return NULL;
}

static void swarm(void)
{
	pthread_t threads[8];
	int i;

	for (;;) {
		for (i = 0; i < 8; i++)
			pthread_create(&threads[i], NULL, spin_thread, NULL);
		for (i = 0; i < 8; i++)
			pthread_join(threads[i], NULL);
	}
}

static void spin(uint64_t bytes, struct orders *orders);

static void away(unsigned int high, unsigned int low)
{
	spin(100000, (struct orders *)((uint64_t)high << 32 | low));
}

/* Goes on to spin on a stack of its own, as a coroutine does. */
static void leave(struct orders *orders)
{
	static ucontext_t other;
	const size_t size = 1 << 20;

	if (orders->now != ORDER_LEAVE)
		return;
	orders->now = ORDER_SPIN;
	getcontext(&other);
	other.uc_stack.ss_size = size;
	other.uc_stack.ss_sp = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (other.uc_stack.ss_sp == MAP_FAILED)
		_exit(1);
	makecontext(&other, (void (*)(void))away, 2, (unsigned int)((uint64_t)orders >> 32),
		    (unsigned int)(uint64_t)orders);
	setcontext(&other);
}

static void obey(struct orders *orders)
{
	enum order now = orders->now;
	volatile uint64_t sink = 0;
	pthread_t thread;
	pid_t child;

	switch (now) {
	case ORDER_FORK:
		child = fork();
		if (child) {
			orders->child = child;
		} else {
			while (orders->now != ORDER_EXEC)
				sink++;
			execl("/proc/self/exe", "stacks", "spin", orders_file, NULL);
			_exit(1);
		}
		break;
	case ORDER_CLONE:
		pthread_create(&thread, NULL, spin_thread, orders);
		break;
	case ORDER_SWARM:
		swarm();
		break;
	case ORDER_LEAVE:
		leave(orders);
		break;
	default:
		break;
	}
	while (orders->now == now)
		sink++;
}

__attribute__((noinline)) static void spin(uint64_t bytes, struct orders *orders)
{
	volatile uint64_t *area = alloca(bytes);

	for (uint64_t i = 0; i < bytes / 8; i++)
		area[i] = MARK + i;
	orders->filled = 1;
	for (;;)
		obey(orders);
}

/* A stack that is deeper than LBRSCOPE_RING_SIZE_MIN / 2. */
static void deep(void)
{
	volatile uint64_t *area = alloca(100000);

	memset((void *)area, 1, 100000);
	for (int i = 0; i < 10000000; i++)
		area[i % 100] += i;
}

/* The program of a child that has called exec(). */
static void __attribute__((noreturn)) executed(const char *file)
{
	struct orders *orders = map_orders(file);
	volatile uint64_t sink = 0;

	orders->executed = getpid();
	for (;;)
		sink++;
}

static void await_nonzero(volatile uint32_t *word)
{
	while (!*word)
		usleep(1000);
}

static struct child spawn(uint64_t bytes)
{
	static int nr;
	struct child child = { .bytes = bytes };

	snprintf(orders_file, sizeof(orders_file), "/tmp/orders.%d.%d", getpid(), nr++);
	unlink(orders_file);
	child.orders = map_orders(orders_file);
	child.pid = fork();
	if (!child.pid) {
		/* A session lasts as long as a process has its descriptor. */
		close_range(3, ~0U, 0);
		spin(bytes, child.orders);
		_exit(1);
	}
	/* A sample before that would have a part of the pattern. */
	await_nonzero(&child.orders->filled);
	return child;
}

static void order(struct child child, enum order what) { child.orders->now = what; }

static void reap(struct child child)
{
	kill(child.pid, SIGKILL);
	waitpid(child.pid, NULL, 0);
	munmap(child.orders, sizeof(*child.orders));
}

/* Returns the beginning of a process's stack: field 28 of its stat. */
static uint64_t stack_begin(uint32_t pid)
{
	char path[64], line[1024];
	uint64_t begin = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%u/stat", pid);
	file = fopen(path, "r");
	if (file && fgets(line, sizeof(line), file)) {
		char *at = strrchr(line, ')');

		for (int i = 2; at && i < 28; i++)
			at = strchr(at + 1, ' ');
		begin = at ? strtoull(at, NULL, 10) : 0;
	}
	if (file)
		fclose(file);
	return begin;
}

static struct tally {
	uint32_t pid;
	uint64_t begin;		/* beginning of its stack */
	unsigned int with, without;	/* samples in user mode with the stack */
	unsigned int crowded;		/* those that say that there was no room for it */
	unsigned int audited;
	unsigned int whole;	/* stacks up to their beginning, or the window, with the pattern */
	unsigned int foreign;	/* stacks that are not the thread's, with the pattern */
	unsigned int cut;	/* stacks that continue, and state it */
	unsigned int wrong;	/* samples that contradict themselves */
} tallies[256];
static unsigned int nr_tallies;

static uint32_t thread_wanted;
static unsigned int thread_with, thread_without;
static uint64_t since;		/* ns: earlier samples are ignored */

static struct ring_map {
	const struct lbrscope_ring *ring;
	struct lbrscope_ring_tail *tail;
	uint32_t pid, tid;
	bool audited;		/* there was an audited sample: gap has a begin */
	unsigned int gap;	/* samples since then */
} maps[CPUS];

static unsigned int shortest, longest;	/* distances between audits of a CPU, in samples */
static uint32_t not_audited;		/* the process that is selected; 0: none */

static int map_rings(int fd)
{
	int nr = sysconf(_SC_NPROCESSORS_CONF);

	memset(maps, 0, sizeof(maps));
	nr_tallies = 0;
	since = 0;
	shortest = ~0U;
	longest = 0;
	for (int i = 0; i < nr && i < CPUS; i++) {
		maps[i].ring = mmap(NULL, PAGE + RING, PROT_READ, MAP_SHARED, fd, LBRSCOPE_RING_OFF(i));
		maps[i].tail = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
				    LBRSCOPE_RING_TAIL_OFF(i));
		if (maps[i].ring == MAP_FAILED || maps[i].tail == MAP_FAILED)
			return -1;
	}
	return 0;
}

static void unmap_rings(void)
{
	for (int i = 0; i < CPUS && maps[i].ring; i++) {
		munmap((void *)maps[i].ring, PAGE + RING);
		munmap(maps[i].tail, PAGE);
		maps[i].ring = NULL;
	}
}

static struct tally *tally_of(uint32_t pid)
{
	for (unsigned int i = 0; i < nr_tallies; i++)
		if (tallies[i].pid == pid)
			return &tallies[i];
	return NULL;
}

static struct tally *tally_for(uint32_t pid)
{
	struct tally *t = tally_of(pid);

	if (t || nr_tallies == sizeof(tallies) / sizeof(tallies[0]))
		return t;
	t = &tallies[nr_tallies++];
	*t = (struct tally){ .pid = pid, .begin = stack_begin(pid) };
	return t;
}

/* Compares the copied stack with the process's pattern, word by word. */
static bool has_pattern(const uint64_t *stack, uint64_t words)
{
	uint64_t i, begin;

	for (begin = 0; begin < words && stack[begin] != MARK; begin++)
		;
	for (i = begin; i < words && stack[i] == MARK + (i - begin); i++)
		;
	return i - begin > 64;
}

static void judge_stack(struct tally *t, const uint64_t *word, uint64_t depth)
{
	uint64_t sp = word[7], size = word[LBRSCOPE_USER_REGS_NR];
	uint64_t used = (t->begin - sp + 7) & ~7ULL;
	const uint64_t *stack = word + LBRSCOPE_USER_REGS_NR + 1;

	if (size > WINDOW || depth != t->begin - sp)
		t->wrong++;
	if (has_pattern(stack, size / 8) && size == (used < WINDOW ? used : WINDOW))
		t->whole++;
	t->foreign += has_pattern(stack, size / 8) && size == LBRSCOPE_USER_STACK_FOREIGN &&
		      depth == t->begin - sp && depth > FAR;
	t->cut += depth > size && size == WINDOW;
}

/*
 * A CPU counts the samples of all tasks that are not selected, in user mode and where a PMI
 * of user mode arrived in the kernel.
 */
static void measure_audits(struct ring_map *map, const struct lbrscope_sample *s)
{
	bool audited = s->rec.flags & LBRSCOPE_SAMPLE_AUDIT;

	/* Of a selected process no sample counts: those without a stack found the ring crowded. */
	if (map->pid == not_audited || (s->rec.format & LBRSCOPE_FORMAT_USER_STACK && !audited))
		return;
	map->gap++;
	if (!audited)
		return;
	if (map->audited) {
		shortest = map->gap < shortest ? map->gap : shortest;
		longest = map->gap > longest ? map->gap : longest;
	}
	map->audited = true;
	map->gap = 0;
}

static void judge(const struct ring_map *map, const struct lbrscope_sample *s, const uint64_t *word)
{
	const uint64_t *end = (const void *)((const char *)s + s->rec.size);
	bool regs = s->rec.format & LBRSCOPE_FORMAT_USER_REGS;
	bool has = s->rec.format & LBRSCOPE_FORMAT_USER_STACK;
	bool audited = s->rec.flags & LBRSCOPE_SAMPLE_AUDIT;
	unsigned int words = 0;
	struct tally *t;

	if (s->time < since || !(s->rec.flags & LBRSCOPE_SAMPLE_USER))
		return;
	t = tally_for(map->pid);
	if (!t)
		return;
	words += !!(s->rec.format & LBRSCOPE_FORMAT_LBR_FROM);
	words += !!(s->rec.format & LBRSCOPE_FORMAT_LBR_TO);
	words += !!(s->rec.format & LBRSCOPE_FORMAT_LBR_INFO);
	words += 2 * !!(s->rec.format & LBRSCOPE_FORMAT_LBR_PACKED);
	word += words * s->rec.nr + !!(s->rec.format & LBRSCOPE_FORMAT_PERIOD);
	t->with += has;
	t->without += !has;
	t->crowded += !!(s->rec.flags & LBRSCOPE_SAMPLE_CROWDED);
	t->wrong += has != regs;
	if (map->tid == thread_wanted) {
		thread_with += has;
		thread_without += !has;
	}
	t->audited += audited;
	t->wrong += audited && !has;
	if (has && map->tid == map->pid)
		judge_stack(t, word, end[-1]);
}

static void read_ring(struct ring_map *map)
{
	uint64_t head = __atomic_load_n(&map->ring->head, __ATOMIC_ACQUIRE), at = map->tail->tail;

	while (at != head) {
		const struct lbrscope_sample *s = (const void *)((const char *)map->ring +
			map->ring->data_offset + (at & (RING - 1)));
		const uint64_t *word = (const void *)(s + 1);

		at += s->rec.size;
		if (s->rec.type != LBRSCOPE_RECORD_SAMPLE)
			continue;
		if (s->rec.format & LBRSCOPE_FORMAT_TASK) {
			map->tid = (uint32_t)*word;
			map->pid = *word++ >> 32;
		}
		measure_audits(map, s);
		judge(map, s, word);
	}
	__atomic_store_n(&map->tail->tail, at, __ATOMIC_RELEASE);
}

static void read_rings(void)
{
	for (int i = 0; i < CPUS && maps[i].ring; i++)
		read_ring(&maps[i]);
}

/* From here on: the module's clock and this one may differ by some microseconds. */
static void forget(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	since = now.tv_sec * 1000000000ULL + now.tv_nsec + 1000000;
	nr_tallies = 0;
}

/* Reads up to nr samples of the process, or for a minute. */
static void collect_from(uint32_t pid, unsigned int nr)
{
	for (int i = 0; i < 60000; i++) {
		const struct tally *t;

		read_rings();
		t = tally_of(pid);
		if (t && t->with + t->without >= nr)
			break;
		usleep(1000);
	}
}

static void collect_thread(uint32_t tid, unsigned int nr)
{
	thread_wanted = tid;
	thread_with = thread_without = 0;
	for (int i = 0; i < 60000 && thread_with + thread_without < nr; i++) {
		read_rings();
		usleep(1000);
	}
}
