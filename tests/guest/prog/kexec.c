// SPDX-License-Identifier: GPL-2.0
/* kexec KERNEL INITRD COMMANDLINE: replaces the running kernel by another one. */
#include <fcntl.h>
#include <linux/reboot.h>
#include <stdio.h>
#include <string.h>
#include <sys/reboot.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int kernel, initrd;

	if (argc != 4) {
		fprintf(stderr, "usage: kexec KERNEL INITRD COMMANDLINE\n");
		return 2;
	}
	kernel = open(argv[1], O_RDONLY);
	initrd = open(argv[2], O_RDONLY);
	if (syscall(SYS_kexec_file_load, kernel, initrd, strlen(argv[3]) + 1, argv[3], 0UL) ||
	    reboot(LINUX_REBOOT_CMD_KEXEC))
		perror("kexec");
	return 1;
}
