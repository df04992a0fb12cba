// SPDX-License-Identifier: GPL-2.0
/*
 * A disk that fails or stands still, by the device mapper (include/uapi/linux/dm-ioctl.h).
 *
 *   mapped linear DEVICE	/dev/dm-0 is DEVICE; it is made, or has another table from now on
 *   mapped error DEVICE	/dev/dm-0 has the size of DEVICE, and each access fails with EIO
 *   mapped suspend		accesses wait
 *   mapped resume		they go on
 */
#include <fcntl.h>
#include <linux/dm-ioctl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define NAME	"lab"

static struct {
	struct dm_ioctl head;
	struct dm_target_spec target;
	char argument[128];
} request;

static int control;

/* Executes one command; the kernel writes its answer over the request. */
static int ask(unsigned long command, unsigned int targets, unsigned int flags)
{
	request.head = (struct dm_ioctl){
		.version = { DM_VERSION_MAJOR, 0, 0 },
		.data_size = sizeof(request),
		.data_start = sizeof(request.head),
		.target_count = targets,
		.flags = flags,
		.name = NAME,
	};
	return ioctl(control, command, &request);
}

static int fail(const char *what)
{
	fprintf(stderr, "mapped: ");
	perror(what);
	return 1;
}

static int load(const char *type, const char *device)
{
	int fd = open(device, O_RDONLY);
	unsigned long long bytes;

	if (fd < 0 || ioctl(fd, BLKGETSIZE64, &bytes))
		return fail(device);
	close(fd);
	request.target = (struct dm_target_spec){
		.length = bytes / 512,
		.next = sizeof(request.target) + sizeof(request.argument),
	};
	snprintf(request.target.target_type, sizeof(request.target.target_type), "%s", type);
	request.argument[0] = '\0';
	if (!strcmp(type, "linear"))
		snprintf(request.argument, sizeof(request.argument), "%s 0", device);
	return ask(DM_TABLE_LOAD, 1, 0) ? fail("loading the table") : 0;
}

static int suspend(unsigned int flags)
{
	return ask(DM_DEV_SUSPEND, 0, flags) ? fail("suspending or resuming") : 0;
}

int main(int argc, char **argv)
{
	/* Without flushing the file system: requests in flight wait. */
	const unsigned int at_once = DM_SUSPEND_FLAG | DM_SKIP_LOCKFS_FLAG | DM_NOFLUSH_FLAG;

	control = open("/dev/mapper/control", O_RDWR);
	if (control < 0)
		return fail("/dev/mapper/control");
	if (argc == 2 && !strcmp(argv[1], "suspend"))
		return suspend(at_once);
	if (argc == 2 && !strcmp(argv[1], "resume"))
		return suspend(0);
	if (argc == 3 && (!strcmp(argv[1], "linear") || !strcmp(argv[1], "error"))) {
		/* The node may exist. */
		if (!ask(DM_DEV_STATUS, 0, 0)) {
			if (suspend(at_once))
				return 1;
		} else if (ask(DM_DEV_CREATE, 0, 0)) {
			return fail("making the device");
		}
		return load(argv[1], argv[2]) || suspend(0);
	}
	fprintf(stderr, "usage: mapped linear|error DEVICE | suspend | resume\n");
	return 2;
}
