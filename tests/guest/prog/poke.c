// SPDX-License-Identifier: GPL-2.0
/*
 * poke CPU MSR VALUE [again|insist]: writes a register of a CPU through /dev/cpu/CPU/msr (module msr),
 * as a program would that does not ask whose it is; with "again" each millisecond, until it is
 * killed; with "insist" without a pause, while the CPU is offline as well. SDM vol. 2, WRMSR.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	char path[32];
	bool insists = argc == 5 && argv[4][0] == 'i';
	uint64_t value;
	int fd;

	if (argc != 4 && argc != 5)
		return 2;
	snprintf(path, sizeof(path), "/dev/cpu/%d/msr", atoi(argv[1]));
	value = strtoull(argv[3], NULL, 0);
	fd = open(path, O_WRONLY);
	do {
		if ((fd < 0 || pwrite(fd, &value, sizeof(value), strtol(argv[2], NULL, 0)) !=
				       sizeof(value)) && !insists) {
			perror(path);
			return 1;
		}
	} while (insists || (argc == 5 && !usleep(1000)));
	return 0;
}
