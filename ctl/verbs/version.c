// SPDX-License-Identifier: GPL-2.0
/* Prints the version of lbrctl and those of its libraries. */
#if __has_include(<curl/curlver.h>)
#include <curl/curlver.h>
#endif
#include <curses.h>
#include <elfutils/libdwfl.h>
#include <lzma.h>
#include <netlink/version.h>
#include <perfmon/pfmlib.h>
#include <stdio.h>
#include <zlib.h>
#include <zstd.h>
#include <Zydis/Zydis.h>

#include "base/version.h"
#include "verbs/verbs.h"

#ifdef LIBCURL_VERSION
#define VERSION_CURL	LIBCURL_VERSION ", which push loads"
#else
#define VERSION_CURL	"not built in (push)"
#endif

/* Of libraries that tell their version: that of the running one, which may be newer than the
 * one that lbrctl was built with. */
void version_print(void)
{
	uint64_t zydis = ZydisGetVersion();
	int pfm = pfm_get_version();

	printf("lbrctl %s\n"
	       "elfutils %s\n"
	       "libcurl " VERSION_CURL "\n"
	       "liblzma %s\n"
	       "libpfm %d.%d\n"
	       "libzstd %s\n"
	       "%s\n"
	       "zlib %s\n"
	       "zydis %u.%u\n"
	       "built with " LIBNL_STRING ", libkmod and libiberty\n",
	       version_text, dwfl_version(NULL), lzma_version_string(), PFM_MAJ_VERSION(pfm), PFM_MIN_VERSION(pfm),
	       ZSTD_versionString(), curses_version(), zlibVersion(),
	       (unsigned int)ZYDIS_VERSION_MAJOR(zydis), (unsigned int)ZYDIS_VERSION_MINOR(zydis));
}
