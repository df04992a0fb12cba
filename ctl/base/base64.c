// SPDX-License-Identifier: GPL-2.0
/* Writes bytes as letters. */
#include "base/base64.h"

const char base64_letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void base64_put(FILE *out, const uint8_t *bytes, size_t nr)
{
	for (size_t i = 0; i < nr; i += 3) {
		uint32_t word = bytes[i] << 16 | (i + 1 < nr ? bytes[i + 1] << 8 : 0) |
				(i + 2 < nr ? bytes[i + 2] : 0);

		putc_unlocked(base64_letters[word >> 18], out);
		putc_unlocked(base64_letters[word >> 12 & 63], out);
		putc_unlocked(i + 1 < nr ? base64_letters[word >> 6 & 63] : '=', out);
		putc_unlocked(i + 2 < nr ? base64_letters[word & 63] : '=', out);
	}
}
