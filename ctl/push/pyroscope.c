// SPDX-License-Identifier: GPL-2.0
/* The JSON form of Pyroscope's push.v1.PushRequest: a series for each service, with its pprof
 * profile in base64. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/json.h"
#include "push/pyroscope.h"

/* A series needs the name of its kind of profile. Its users know this one. */
#define PYROSCOPE_NAME	"process_cpu"

static void put_label(struct json *json, const char *name, const char *value)
{
	json_object(json, NULL);
	json_text(json, "name", name);
	json_text(json, "value", value);
	json_close(json);
}

static void put_labels(struct json *json, const char *service, const struct store_label *labels,
		       size_t nr)
{
	bool named = false;

	for (size_t i = 0; i < nr; i++) {
		put_label(json, labels[i].name, labels[i].value);
		named |= !strcmp(labels[i].name, "__name__");
	}
	if (!named)
		put_label(json, "__name__", PYROSCOPE_NAME);
	put_label(json, "service_name", service);
}

static int put_profile(struct json *json, const struct analysis *first, const struct store *store,
		       uint32_t service)
{
	char *bytes = NULL;
	size_t nr = 0;
	FILE *profile = open_memstream(&bytes, &nr);
	int ret;

	if (!profile)
		return -1;
	ret = store_pprof(first, store, service, profile);
	ret |= fclose(profile);
	if (!ret) {
		json_string_open(json, "rawProfile");
		base64_put(json->out, (const uint8_t *)bytes, nr);
		json_string_close(json);
	}
	free(bytes);
	return ret;
}

int pyroscope_write(const struct analysis *first, const struct store *store,
		    const struct store_label *labels, size_t nr_labels, FILE *out)
{
	struct json json = json_to(out);

	json_object(&json, NULL);
	json_array(&json, "series");
	for (size_t i = 0; i < store->nr; i++) {
		json_object(&json, NULL);
		json_array(&json, "labels");
		put_labels(&json, store->services[i].name, labels, nr_labels);
		json_close(&json);
		json_array(&json, "samples");
		json_object(&json, NULL);
		if (put_profile(&json, first, store, i))
			return -1;
		json_close(&json);
		json_close(&json);
		json_close(&json);
	}
	json_close(&json);
	json_close(&json);
	return 0;
}

bool pyroscope_is_answer(const char *body)
{
	return !*body || *body == '{';
}
