// SPDX-License-Identifier: GPL-2.0
/* Loads and unloads the kernel module. */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <libkmod.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/err.h"
#include "base/text.h"
#include "module/load.h"

static bool module_is_loaded(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/module/%s/initstate", name);
	return !access(path, F_OK);
}

/* Finds the last line of the kernel's log about the module, without its prefix; "" if there is
 * none, or the user may not read the log. */
static void module_log(const char *name, char *line, size_t size)
{
	char record[8192], *text;
	int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	size_t len = strlen(name);
	ssize_t n;

	line[0] = '\0';
	if (fd < 0)
		return;
	/* Each read returns one record, "priority,sequence,time,flags;text". EPIPE: the log has
	 * overwritten the next record. */
	while ((n = read(fd, record, sizeof(record) - 1)) > 0 ||
	       (n < 0 && errno == EPIPE)) {
		if (n < 0)
			continue;
		record[n] = '\0';
		text = strchr(record, ';');
		if (!text || strncmp(text + 1, name, len) ||
		    text[1 + len] != ':')
			continue;
		text += 2 + len;
		text += strspn(text, " ");
		text[strcspn(text, "\n")] = '\0';
		snprintf(line, size, "%s", text);
	}
	close(fd);
}

/* Where "make install" and the packages put the source. */
#define MODULE_SOURCE	"/usr/src/lbrscope-"

bool module_remedy(const char *release, bool again, char *text, size_t size)
{
	char remove[128] = "";
	const char *newest = NULL;
	int nr;
	glob_t folders = {};

	if (!glob(MODULE_SOURCE "*/dkms.conf", 0, NULL, &folders))
		for (size_t i = 0; i < folders.gl_pathc; i++)
			if (!newest || strverscmp(newest, folders.gl_pathv[i]) < 0)
				newest = folders.gl_pathv[i];
	if (newest) {
		newest += strlen(MODULE_SOURCE);
		nr = strcspn(newest, "/");
		if (again)
			snprintf(remove, sizeof(remove), "dkms remove lbrscope/%.*s -k %s; ", nr, newest,
				 release);
		snprintf(text, size, "%sdkms install lbrscope/%.*s -k %s", remove, nr, newest, release);
	} else {
		snprintf(text, size, "make install, in the source of lbrscope, or install the "
			 "package lbrscope-dkms");
	}
	globfree(&folders);
	return newest;
}

static int module_load_failed(const char *name, int err)
{
	struct utsname kernel = {};
	char log[256], remedy[256];

	uname(&kernel);
	module_remedy(kernel.release, false, remedy, sizeof(remedy));
	switch (-err) {
	case EPERM:
	case EACCES:
		return err_fail("loading module %s: not permitted; run lbrctl as root (and "
				"check whether the kernel is locked down or requires signed "
				"modules)", name);
	case ENOENT:
		return err_fail("module %s is not installed for kernel %s: %s; or name a file",
				name, kernel.release, remedy);
	case ENOEXEC:
		return err_fail("module %s is not built for kernel %s", name,
				kernel.release);
	case EKEYREJECTED:
	case ENOKEY:
		return err_fail("module %s is not signed with a trusted key (enrol the key of "
				"dkms with mokutil --import)", name);
	}
	module_log(MODULE_NAME, log, sizeof(log));
	errno = -err;
	if (log[0])
		return err_errno("loading module %s: the kernel's log says: %s",
				 name, log);
	return err_errno("loading module %s", name);
}

static int module_load_file(struct kmod_ctx *kmod, const char *path)
{
	struct kmod_module *module;
	int err = access(path, R_OK) ? -errno : 0;

	if (err) {
		errno = -err;
		return err_errno("reading %s", path);
	}
	err = kmod_module_new_from_path(kmod, path, &module);
	if (err < 0) {
		errno = -err;
		return err_errno("reading %s", path);
	}
	err = kmod_module_insert_module(module, 0, NULL);
	kmod_module_unref(module);
	if (err == -EEXIST)
		return 1;
	return err ? module_load_failed(path, err) : 0;
}

static int module_load_name(struct kmod_ctx *kmod, const char *name)
{
	struct kmod_list *list = NULL, *entry;
	struct kmod_module *module;
	int err = kmod_module_new_from_lookup(kmod, name, &list);

	if (!err && !list)
		err = -ENOENT;
	kmod_list_foreach(entry, list) {
		if (err)
			break;
		module = kmod_module_get_module(entry);
		err = kmod_module_probe_insert_module(module, 0, NULL, NULL,
						      NULL, NULL);
		kmod_module_unref(module);
	}
	kmod_module_unref_list(list);
	return err ? module_load_failed(name, err) : 0;
}

static struct kmod_ctx *module_kmod(void)
{
	struct kmod_ctx *kmod = kmod_new(NULL, NULL);

	if (!kmod)
		err_fail("libkmod cannot be used");
	else
		/* The callers print what libkmod would log. */
		kmod_set_log_priority(kmod, 0);
	return kmod;
}

int module_load(const char *name)
{
	size_t len = strlen(name);
	bool file = strchr(name, '/') ||
		    (len > 3 && !strcmp(name + len - 3, ".ko"));
	struct kmod_ctx *kmod;
	int err;

	if (module_is_loaded(MODULE_NAME))
		return 1;
	kmod = module_kmod();
	if (!kmod)
		return -1;
	err = file ? module_load_file(kmod, name) :
		     module_load_name(kmod, name);
	kmod_unref(kmod);
	return err;
}

static void module_state_info(struct kmod_module *module,
			      struct module_state *state)
{
	struct kmod_list *list = NULL, *entry;
	const char *key, *value;

	if (kmod_module_get_info(module, &list) < 0)
		return;
	kmod_list_foreach(entry, list) {
		key = kmod_module_info_get_key(entry);
		value = kmod_module_info_get_value(entry);
		if (!strcmp(key, "vermagic"))
			snprintf(state->built_for, sizeof(state->built_for),
				 "%.*s", (int)strcspn(value, " "), value);
		else if (!strcmp(key, "signer"))
			snprintf(state->signer, sizeof(state->signer), "%s", value);
		else if (!strcmp(key, "version"))
			snprintf(state->version, sizeof(state->version), "%s", value);
		else if (!strcmp(key, "srcversion"))
			snprintf(state->source, sizeof(state->source), "%s", value);
	}
	kmod_module_info_free_list(list);
}

int module_state(struct module_state *state)
{
	struct kmod_list *list = NULL, *entry;
	struct kmod_module *module;
	struct kmod_ctx *kmod = module_kmod();

	memset(state, 0, sizeof(*state));
	if (!kmod)
		return -1;
	state->loaded = module_is_loaded(MODULE_NAME);
	text_first_line("/sys/module/" MODULE_NAME "/version", state->loaded_version,
			sizeof(state->loaded_version));
	text_first_line("/sys/module/" MODULE_NAME "/srcversion", state->loaded_source,
			sizeof(state->loaded_source));
	kmod_module_new_from_lookup(kmod, MODULE_NAME, &list);
	kmod_list_foreach(entry, list) {
		module = kmod_module_get_module(entry);
		if (kmod_module_get_path(module)) {
			state->installed = true;
			module_state_info(module, state);
		}
		kmod_module_unref(module);
	}
	kmod_module_unref_list(list);
	kmod_unref(kmod);
	return 0;
}

enum module_age module_age(const struct module_state *state, char *text, size_t size)
{
	int older = strverscmp(state->loaded_version, state->version);

	if (!state->loaded || !state->version[0] || older > 0 ||
	    (!older && !strcmp(state->loaded_source, state->source)))
		return MODULE_CURRENT;
	if (older)
		snprintf(text, size, "an older module is loaded (version %s) than is installed "
			 "(version %s)", state->loaded_version[0] ? state->loaded_version :
			 "unknown", state->version);
	else
		snprintf(text, size, "the loaded module and the installed one have version %s, "
			 "but are built from different source", state->version);
	return older ? MODULE_OLDER : MODULE_OTHER;
}

void module_warn_outdated(void)
{
	static bool warned;
	struct module_state state;
	char text[256];

	if (warned)
		return;
	warned = true;
	if (!module_state(&state) && module_age(&state, text, sizeof(text)) != MODULE_CURRENT)
		err_warn("%s: run '" MODULE_RELOAD "'", text);
}

int module_unload(const char *name)
{
	struct kmod_module *module;
	struct kmod_ctx *kmod;
	int err;

	if (!module_is_loaded(name))
		return 1;
	kmod = module_kmod();
	if (!kmod)
		return -1;
	err = kmod_module_new_from_name(kmod, name, &module);
	if (!err) {
		/* Do not wait: a session may last for hours. */
		err = kmod_module_remove_module(module, O_NONBLOCK);
		kmod_module_unref(module);
	}
	kmod_unref(kmod);

	switch (-err) {
	case 0:
		return 0;
	case EPERM:
		return err_fail("unloading module %s: not permitted; run lbrctl "
				"as root", name);
	case EAGAIN:
	case EBUSY:
		return err_fail("module %s is in use: a session is open; end "
				"its lbrctl record ('lbrctl info' names the "
				"owner)", name);
	}
	errno = -err;
	return err_errno("unloading module %s", name);
}
