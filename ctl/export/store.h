/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Profiles for servers that store those of many programs, by their services. A service has the
 * samples of the processes with one name, or all samples.
 */
#ifndef LBRCTL_EXPORT_STORE_H
#define LBRCTL_EXPORT_STORE_H

#include <stdio.h>

#include "profile/analysis.h"

#define STORE_SERVICES_MAX	1000
#define STORE_TYPE_MAX		128	/* bytes of the name of a type */

struct store_service {
	char *name;
	uint64_t samples;
};

struct store {
	struct store_service *services;
	size_t nr, max;
	uint32_t *of;		/* the service of each trace, in the order of the analyses */
};

/* Finds the services of an analysis and those that follow it; name: that of the only one; NULL:
 * those of the processes. Returns 0, or -1 with a message; store_free() in both cases. */
int store_init(struct store *store, const struct analysis *first, const char *name);
void store_free(struct store *store);

/* The name of an event as a store takes it, in which a colon separates names and a minus is an
 * operator: "cycles_u"; "off_cpu" of times off the CPU, as OpenTelemetry calls them. */
void store_type(const struct analysis *analysis, char *name, size_t size);

/* Writes the pprof profile of a service. Returns 0, or -1 when memory is short. */
int store_pprof(const struct analysis *first, const struct store *store, uint32_t service,
		FILE *out);

/* An attribute of all services, besides their names. */
struct store_label {
	const char *name, *value;
};

/* Writes an OTLP request with the profiles of all services, compressed. Returns 0, or -1 when
 * memory is short. */
int store_otlp(const struct analysis *first, const struct store *store,
	       const struct store_label *labels, size_t nr_labels, FILE *out);

#endif
