// SPDX-License-Identifier: GPL-2.0
/* Options of record for its files. */
#include <string.h>

#include "base/duration.h"
#include "base/err.h"
#include "base/size.h"
#include "perfdata/pack.h"
#include "record/record.h"
#include "verbs/options.h"
#include "verbs/sink.h"

/* text: NULL for the default. */
int sink_compression(const char *verb, const char *text, void *options)
{
	struct record_options *o = options;

	o->compression = text ? options_positive(text, PERFDATA_PACK_LEVEL_MAX) :
				PERFDATA_PACK_LEVEL;
	return o->compression ? 0 :
	       err_usage(verb, "-z%s: the compression level is 1 to %d", text,
			 PERFDATA_PACK_LEVEL_MAX);
}

int sink_max_size(const char *verb, const char *text, void *options)
{
	struct record_options *o = options;

	if (size_parse(text, &o->max_size) && o->max_size)
		return 0;
	return err_usage(verb, "--max-size %s: the size is a number of bytes or has a unit ("
			 SIZE_UNITS "), such as 100M", text);
}

int sink_switch(const char *verb, const char *text, void *options)
{
	struct record_options *o = options;

	if (rotation_parse(&o->rotation, text))
		return 0;
	return err_usage(verb, "--switch-output=%s: use signal, a size with a unit "
			 "(" SIZE_UNITS "), such as 100M, or a time (" DURATION_UNITS
			 "), such as 10m", text);
}

int sink_keep(const char *verb, const char *text, void *options)
{
	struct record_options *o = options;

	o->rotation.keep = options_positive(text, INT32_MAX);
	return o->rotation.keep ? 0 :
	       err_usage(verb, "--switch-max-files %s: expected a number of files", text);
}
