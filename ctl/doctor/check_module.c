// SPDX-License-Identifier: GPL-2.0
/* Checks the module: built, signed, loaded, allowed. */
#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"
#include "doctor/checks.h"
#include "module/load.h"

/* Attributes (4 bytes), then 1 if it is on: UEFI specification, 3.3. */
#define SECURE_BOOT	"/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"

#define SECURITY	"/sys/kernel/security"

static bool checks_secure_boot(void)
{
	unsigned char value[5] = {};
	int fd = open(SECURE_BOOT, O_RDONLY | O_CLOEXEC);
	bool on;

	if (fd < 0)
		return false;
	on = read(fd, value, sizeof(value)) == sizeof(value) && value[4] == 1;
	close(fd);
	return on;
}

/* Returns the reason that the kernel accepts only signed modules, or NULL. */
static const char *checks_signatures_wanted(const char *lockdown)
{
	char enforced[8];

	if (strstr(lockdown, "[integrity]") || strstr(lockdown, "[confidentiality]"))
		return checks_secure_boot() ? "Secure Boot locks the kernel down" :
					      "the kernel is locked down";
	text_first_line("/sys/module/module/parameters/sig_enforce", enforced,
		    sizeof(enforced));
	return enforced[0] == 'Y' ? "module.sig_enforce is on" : NULL;
}

/* loading: the finding with the advice to load the module, or NULL. */
static void checks_signature(struct checks *c, const struct module_state *m,
			     const char *release, const char *lockdown,
			     struct checks_finding *loading)
{
	const char *why = checks_signatures_wanted(lockdown);
	struct checks_finding *f;
	char remedy[256];

	if (!why && !*lockdown && access(SECURITY "/lsm", F_OK)) {
		f = checks_add(c, "signature", CHECKS_NOTE, "cannot see whether the kernel is "
			       "locked down: " SECURITY " is not mounted");
		checks_mend(f, "mount -t securityfs none " SECURITY);
	} else if (!why) {
		checks_add(c, "signature", CHECKS_OK,
			   "this kernel takes unsigned modules");
	} else if (m->loaded || m->signer[0]) {
		f = checks_add(c, "signature", CHECKS_OK, "%s, and the module is %s%s",
			       why, m->loaded ? "loaded" : "signed by ",
			       m->loaded ? "" : m->signer);
		if (!m->loaded)
			checks_mend(f, "if the kernel refuses it, enrol the key: mokutil "
				    "--import /var/lib/dkms/mok.pub, then reboot");
	} else {
		f = checks_add(c, "signature", CHECKS_BAD,
			       "%s, and the module is not signed", why);
		if (module_remedy(release, true, remedy, sizeof(remedy)))
			checks_mend(f, "mokutil --import /var/lib/dkms/mok.pub, reboot, then %s",
				    remedy);
		else
			checks_mend(f, "%s, then mokutil --import /var/lib/dkms/mok.pub, and "
				    "reboot", remedy);
		if (loading)
			checks_mend(loading, "lbrctl load, after it is signed");
	}
}

/* Whether apt knows a package with these headers. Kernels of one's own have none. */
static bool checks_apt_knows(const char *release)
{
	char package[160];
	char *const argv[] = { "apt-cache", "show", package, NULL };
	posix_spawn_file_actions_t quiet;
	int status = -1;
	pid_t pid;

	snprintf(package, sizeof(package), "linux-headers-%s", release);
	if (posix_spawn_file_actions_init(&quiet))
		return false;
	if (!posix_spawn_file_actions_addopen(&quiet, 1, "/dev/null", O_WRONLY, 0) &&
	    !posix_spawn_file_actions_adddup2(&quiet, 1, 2) &&
	    !posix_spawnp(&pid, argv[0], &quiet, NULL, argv, environ) &&
	    waitpid(pid, &status, 0) != pid)
		status = -1;
	posix_spawn_file_actions_destroy(&quiet);
	return !status;
}

static void checks_built(struct checks *c, const struct module_state *m,
			 const char *release)
{
	struct checks_finding *f;
	char headers[160], remedy[256];
	bool missing;

	snprintf(headers, sizeof(headers), "/lib/modules/%s/build/.", release);
	missing = access(headers, F_OK);
	if (m->built_for[0] && strcmp(m->built_for, release))
		f = checks_add(c, "module", CHECKS_BAD, "lbrscope is built for kernel %s, and "
			       "kernel %s is running", m->built_for, release);
	else
		f = checks_add(c, "module", CHECKS_BAD, "lbrscope is not installed for "
			       "kernel %s%s", release,
			       missing ? ", and its headers are not installed either" : "");
	module_remedy(release, false, remedy, sizeof(remedy));
	if (missing && checks_apt_knows(release))
		checks_mend(f, "apt install linux-headers-%s && %s", release, remedy);
	else if (missing)
		checks_mend(f, "install the headers of this kernel from where it comes from "
			    "(/lib/modules/%s/build), then %s", release, remedy);
	else
		checks_mend(f, "%s", remedy);
}

static void checks_loaded(struct checks *c, const struct module_state *m,
			  const char *release)
{
	char text[256];
	enum module_age age = module_age(m, text, sizeof(text));

	if (age != MODULE_CURRENT)
		checks_mend(checks_add(c, "module", age == MODULE_OLDER ? CHECKS_BAD : CHECKS_NOTE,
				       "%s", text), MODULE_RELOAD);
	else
		checks_add(c, "module", CHECKS_OK, "lbrscope%s%s is loaded, on Linux %s",
			   m->loaded_version[0] ? " " : "", m->loaded_version, release);
}

void checks_module(struct checks *c)
{
	struct utsname kernel = {};
	struct checks_finding *loading = NULL;
	struct module_state m;
	char lockdown[128];

	uname(&kernel);
	text_first_line(SECURITY "/lockdown", lockdown, sizeof(lockdown));
	if (module_state(&m))
		checks_add(c, "module", CHECKS_NOTE, "libkmod reports nothing about it");
	else if (m.loaded)
		checks_loaded(c, &m, kernel.release);
	else if (!m.installed || strcmp(m.built_for, kernel.release))
		checks_built(c, &m, kernel.release);
	else
		loading = checks_add(c, "module", CHECKS_BAD, "lbrscope is built for this "
				     "kernel, %s, but not loaded", kernel.release);
	if (loading)
		checks_mend(loading, "lbrctl load");
	if (m.loaded || m.installed)
		checks_signature(c, &m, kernel.release, lockdown, loading);
	if (strstr(lockdown, "[confidentiality]"))
		checks_mend(checks_add(c, "lockdown", CHECKS_BAD, "the kernel is locked down "
				       "for confidentiality, which denies the counters to "
				       "everyone"),
			    "boot without lockdown=confidentiality");
}
