// SPDX-License-Identifier: GPL-2.0
/* The URL of a store, and the secret that it asks for. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "push/target.h"

/* Paths of protocols are shorter. */
#define TARGET_PATH_MAX	64

bool target_is_header(const char *text)
{
	const char *s = text;

	while (*s >= ' ' && *s <= '~')
		s++;
	return s > text && !*s;
}

/* A user in the URL would be shown by ps. */
bool target_is_url(const char *url)
{
	const char *host = !strncasecmp(url, "http://", 7) ? url + 7 :
			   !strncasecmp(url, "https://", 8) ? url + 8 : NULL;

	return host && target_is_header(url) && !strpbrk(url, " ?#@\"<>\\^`{|}") &&
	       *host && *host != '/' && *host != ':' &&
	       strlen(url) < TARGET_URL_MAX - TARGET_PATH_MAX;
}

void target_set_url(struct target *t, const char *url, const char *path)
{
	int length = strlen(url);

	while (url[length - 1] == '/')
		length--;
	snprintf(t->url, sizeof(t->url), "%.*s%s", length, url, path);
}

/* Returns 0, or -1 with a message. */
static int read_private(int fd, const char *path, char *text, size_t size)
{
	struct stat st;
	ssize_t nr;

	if (fstat(fd, &st))
		return err_errno("reading %s", path);
	if (!S_ISREG(st.st_mode))
		return err_fail("%s: not a regular file", path);
	if (st.st_mode & (S_IRWXG | S_IRWXO))
		return err_fail("%s: others than its owner can read or write it; use chmod 600",
				path);
	nr = read(fd, text, size);
	if (nr < 0)
		return err_errno("reading %s", path);
	if ((size_t)nr == size)
		return err_fail("%s: longer than %zu bytes", path, size - 1);
	text[nr] = '\0';
	if (nr && text[nr - 1] == '\n')
		text[nr - 1] = '\0';
	return 0;
}

int target_read_secret(struct target *t, const char *path)
{
	char text[TARGET_SECRET_MAX];
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), ret;

	if (fd < 0)
		return err_errno("opening %s", path);
	ret = read_private(fd, path, text, sizeof(text));
	close(fd);
	if (ret)
		return -1;
	t->basic = !strncmp(text, "basic ", 6);
	if (!target_is_header(text) ||
	    (t->basic ? !strchr(text + 6, ':') : strncmp(text, "bearer ", 7) || !text[7]))
		return err_fail("%s: expected one line, 'bearer TOKEN' or 'basic USER:PASSWORD'",
				path);
	strcpy(t->secret, text + (t->basic ? 6 : 7));
	return 0;
}
