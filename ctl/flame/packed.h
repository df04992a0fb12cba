/* SPDX-License-Identifier: GPL-2.0 */
/* What the page unpacks: gzip (RFC 1952) in letters (base64, RFC 4648). */
#ifndef LBRCTL_FLAME_PACKED_H
#define LBRCTL_FLAME_PACKED_H

#include <stdio.h>

/* Returns a stream: what is written to it goes to `out` in that form, the last part by fclose(). NULL when memory is
 * short. An error of `out` is an error of the stream. */
FILE *packed_open(FILE *out);

#endif
