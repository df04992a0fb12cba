// SPDX-License-Identifier: GPL-2.0
/* A perf.data file, its features, compressed and as it comes through a pipe: all records are
 * read and placed, as report does it. */
#include "fuzz.h"
#include "perfdata/read.h"
#include "profile/samples.h"

/* Libraries lose memory on some damaged files of this machine that a capture names. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:libelf.so\nleak:libdw.so";
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct recorded_sample sample;
	struct samples *samples;
	char path[32];
	int fd;

	fuzz_silence();
	fd = fuzz_file(data, size, path);
	samples = samples_open(path);
	if (samples) {
		if (!samples_select(samples, NULL))
			while (samples_take(samples, &sample) > 0 && !samples_place(samples, &sample))
				;
		samples_close(samples);
	}
	close(fd);
	return 0;
}
