// SPDX-License-Identifier: GPL-2.0
/* Descriptions of code that programs made: /tmp/perf-PID.map and jitdump. */
#include "fuzz.h"
#include "object/jitdump.h"
#include "object/perfmap.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct jitdump_load *load;
	struct jitdump *dump;
	struct perfmap *map;
	char path[32];
	int fd;

	fuzz_silence();
	fd = fuzz_file(data, size, path);
	map = perfmap_open(NULL, 0, path);
	if (map)
		for (uint64_t at = 0; at < 1 << 16; at += 7)
			perfmap_find(map, at);
	perfmap_close(map);
	dump = jitdump_open(NULL, 0, path, getpid());
	for (size_t i = 0; dump && (load = jitdump_load(dump, i)); i++)
		jitdump_find(dump, load->at);
	jitdump_close(dump);
	close(fd);
	return 0;
}
