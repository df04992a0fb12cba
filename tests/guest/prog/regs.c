// SPDX-License-Identifier: GPL-2.0
/*
 * Prints every PMU and LBR register of each CPU through /dev/cpu/N/msr (module msr), one "cpu
 * class name value MSR" a line. Class is "control" or "data": control registers have to read
 * the same before and after, data registers the same or 0. A register that the CPU lacks is
 * left out; on a CPU without a PMU only debugctl is printed.
 *
 * regs MSR...: prints "MSR value" of these on CPU 0, with 16 digits; "MSR -" for one that it
 * lacks.
 *
 * Numbers: SDM vol. 4, table 2-2; LBR: vol. 4, Skylake (2.17), and vol. 3, "Last Branch
 * Records" (the architectural ones); AMD: APM vol. 2, appendix A.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct range {
	const char *class;
	const char *name;
	uint32_t first;
	unsigned int n;
	unsigned int step; /* distance to the next one */
};

static const struct range ranges[] = {
	{ "control", "evtsel", 0x186, 8, 1 },
	{ "control", "fixed_ctrl", 0x38d, 1, 1 },
	{ "control", "global_status", 0x38e, 1, 1 },
	{ "control", "global_ctrl", 0x38f, 1, 1 },
	{ "control", "debugctl", 0x1d9, 1, 1 },
	{ "control", "lbr_select", 0x1c8, 1, 1 },
	{ "control", "pebs_enable", 0x3f1, 1, 1 },
	{ "control", "ds_area", 0x600, 1, 1 },
	{ "data", "pmc", 0xc1, 8, 1 },
	{ "data", "fixed_ctr", 0x309, 3, 1 },
	{ "data", "lbr_tos", 0x1c9, 1, 1 },
	{ "data", "lbr_from", 0x680, 32, 1 },
	{ "data", "lbr_to", 0x6c0, 32, 1 },
	{ "data", "lbr_info", 0xdc0, 32, 1 },
	{ "control", "arch_lbr_ctl", 0x14ce, 1, 1 },
	{ "control", "arch_lbr_depth", 0x14cf, 1, 1 },
	{ "data", "arch_lbr_from", 0x1500, 32, 1 },
	{ "data", "arch_lbr_to", 0x1600, 32, 1 },
	{ "data", "arch_lbr_info", 0x1200, 32, 1 },
	{ "control", "amd_evtsel", 0xc0010200, 6, 2 },
	{ "control", "amd_global_status", 0xc0000300, 1, 1 },
	{ "control", "amd_global_ctl", 0xc0000301, 1, 1 },
	{ "control", "amd_lbr_select", 0xc000010e, 1, 1 },
	{ "control", "amd_debug_extn", 0xc000010f, 1, 1 },
	{ "data", "amd_ctr", 0xc0010201, 6, 2 },
	{ "data", "amd_lbr_pair", 0xc0010300, 32, 1 },
	/* where the six are hidden; else these are the first four of them */
	{ "control", "k7_evtsel", 0xc0010000, 4, 1 },
	{ "data", "k7_ctr", 0xc0010004, 4, 1 },
};

static int dump_cpu(int cpu)
{
	char path[32];
	int fd;

	snprintf(path, sizeof(path), "/dev/cpu/%d/msr", cpu);
	fd = open(path, O_RDONLY);
	if (fd < 0)
		return -errno;
	for (unsigned int r = 0; r < sizeof(ranges) / sizeof(ranges[0]); r++) {
		for (unsigned int i = 0; i < ranges[r].n; i++) {
			uint32_t msr = ranges[r].first + i * ranges[r].step;
			uint64_t v;

			if ((msr >> 4 == 0xc001000 && pread(fd, &v, sizeof(v), 0xc0010200) == sizeof(v)) ||
			    pread(fd, &v, sizeof(v), msr) != sizeof(v))
				continue;
			printf("%d %s %s%u %#" PRIx64 " %#" PRIx32 "\n", cpu,
			       ranges[r].class, ranges[r].name, i, v, msr);
		}
	}
	close(fd);
	return 0;
}

static int read_these(char **msrs)
{
	int fd = open("/dev/cpu/0/msr", O_RDONLY);

	if (fd < 0) {
		perror("regs: /dev/cpu/0/msr");
		return 1;
	}
	for (; *msrs; msrs++) {
		uint64_t v;

		if (pread(fd, &v, sizeof(v), strtoul(*msrs, NULL, 0)) == sizeof(v))
			printf("%s %016" PRIx64 "\n", *msrs, v);
		else
			printf("%s -\n", *msrs);
	}
	close(fd);
	return 0;
}

int main(int argc, char **argv)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);

	if (argc > 1)
		return read_these(argv + 1);
	for (int cpu = 0; cpu < n; cpu++) {
		int ret = dump_cpu(cpu);

		if (ret) {
			fprintf(stderr, "regs: /dev/cpu/%d/msr: %s\n", cpu, strerror(-ret));
			return 1;
		}
	}
	return 0;
}
