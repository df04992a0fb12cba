// SPDX-License-Identifier: GPL-2.0
/*
 * Preloaded into all programs of a chroot (/etc/ld.so.preload): uname() returns RELEASE as the
 * kernel's release, so that "uname -r", dkms and lbrctl use the lab machine's on any host.
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
