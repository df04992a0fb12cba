// SPDX-License-Identifier: GPL-2.0
/* Makes one request of each capture, which a server takes or refuses whole. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/err.h"
#include "base/text.h"
#include "push/delivery.h"
#include "push/otlp_answer.h"
#include "push/push.h"
#include "push/pyroscope.h"

/* Bytes. Servers refuse less. */
#define PUSH_BODY_MAX	(64UL << 20)
#define PUSH_OTLP_PATH	"/v1development/profiles"

struct push {
	const struct push_options *options;
	struct target target;
	uint64_t patience;	/* as delivery_send() takes it */
};

static int push_body(const struct push_options *o, const char *file, const struct analysis *first,
		     const struct store *store, struct http_body *body)
{
	FILE *out = open_memstream(&body->bytes, &body->nr);
	int ret;

	if (!out)
		return err_fail("%s: not sent: out of memory", file);
	if (o->protocol == PUSH_OTLP)
		ret = store_otlp(first, store, o->labels, o->nr_labels, out);
	else
		ret = pyroscope_write(first, store, o->labels, o->nr_labels, out);
	ret |= fclose(out);
	if (ret)
		return err_fail("%s: not sent: out of memory", file);
	body->gzip = o->protocol == PUSH_OTLP;
	body->type = o->protocol == PUSH_OTLP ? "application/x-protobuf" : PYROSCOPE_TYPE;
	if (body->nr <= PUSH_BODY_MAX)
		return 0;
	return err_fail("%s: not sent: the request would have %zu MB, and servers take less than %lu; record for a shorter time",
			file, body->nr >> 20, PUSH_BODY_MAX >> 20);
}

/* Returns 0 if the server took everything. */
static int push_check(const struct push *p, const char *file, const struct http_answer *a)
{
	struct otlp_answer partial = { 0 };
	bool known = p->options->protocol == PUSH_OTLP ?
		     otlp_answer_read(a->body, a->nr, &partial) : pyroscope_is_answer(a->body);

	if (!known)
		return err_fail("%s: not sent: what %s answers is not of this protocol", file,
				p->target.url);
	if (partial.rejected)
		return err_fail("%s: %s rejected %" PRIu64 " of its profiles: %s", file,
				p->target.url, partial.rejected, partial.message);
	if (*partial.message)
		err_warn("%s: %s: %s", file, p->target.url, partial.message);
	return 0;
}

static void push_report(const char *file, const struct analysis *first, const struct store *store)
{
	text_put_line(stdout, file, '\0');
	for (const struct analysis *a = first; a; a = a->next) {
		printf("%s %" PRIu64 " samples of ", a == first ? ": sent" : ",", a->nr_samples);
		text_put_line(stdout, a->event, '\0');
	}
	if (store->nr == 1) {
		fputs(" as ", stdout);
		text_put_line(stdout, store->services[0].name, '\0');
	} else {
		printf(" as %zu services", store->nr);
	}
	putchar('\n');
}

static int push_analysis(struct push *p, const char *file, const struct analysis *first)
{
	struct http_answer answer;
	struct http_body body = { 0 };
	struct store store;
	int ret;

	if (!first->nr_samples)
		return analysis_none(first);
	ret = store_init(&store, first, p->options->service);
	if (ret)
		err_fail("%s: not sent", file);
	if (!ret)
		ret = push_body(p->options, file, first, &store, &body);
	if (!ret)
		ret = delivery_send(&p->target, &body, file, &p->patience, &answer);
	if (!ret)
		ret = push_check(p, file, &answer);
	if (!ret)
		push_report(file, first, &store);
	free(body.bytes);
	store_free(&store);
	return ret;
}

static int push_file(struct push *p, const char *file)
{
	struct analysis *a = analysis_open(&(struct analysis_query){
		.input = file, .names = &(struct symbols_options){ 0 },
		.traces = true, .frames = true, .with_offcpu = true });
	int ret = a ? push_analysis(p, file, a) : -1;

	analysis_free(a);
	return ret;
}

int push_files(const struct push_options *o, char *const *files, size_t nr)
{
	struct push p = { .options = o, .patience = o->retry };
	int ret = 0;

	target_set_url(&p.target, o->to,
		       o->protocol == PUSH_OTLP ? PUSH_OTLP_PATH : PYROSCOPE_PATH);
	p.target.tenant = o->tenant;
	if ((o->auth && target_read_secret(&p.target, o->auth)) || http_begin())
		return -1;
	if (o->auth && !strncasecmp(o->to, "http:", 5))
		err_warn("the secret of %s is sent unencrypted, as %s has no https", o->auth,
			 o->to);
	for (size_t i = 0; i < nr; i++)
		ret |= push_file(&p, files[i]);
	http_end();
	return ret | err_flush_stdout();
}
