// SPDX-License-Identifier: GPL-2.0
/*
 * For all programs of a chroot, by its /etc/ld.so.preload: the kernel's release is RELEASE.
 * So "uname -r", dkms and lbrctl use that of the lab machine, on any host.
 */
#define _GNU_SOURCE
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

int uname(struct utsname *name)
{
	int err = syscall(SYS_uname, name);

	if (!err)
		strcpy(name->release, RELEASE);
	return err;
}
