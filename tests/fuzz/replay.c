// SPDX-License-Identifier: GPL-2.0
/* Runs a target over files, without libFuzzer: replay FILE... */
#include "fuzz.h"

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		FILE *in = fopen(argv[i], "r");
		static uint8_t data[1 << 20];
		size_t size = in ? fread(data, 1, sizeof(data), in) : 0;

		if (!in)
			return 1;
		fclose(in);
		fprintf(stderr, "# %s\n", argv[i]);
		LLVMFuzzerTestOneInput(data, size);
	}
	return 0;
}
