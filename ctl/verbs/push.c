// SPDX-License-Identifier: GPL-2.0
/* The command line of lbrctl push. */
#include <ctype.h>
#include <string.h>

#include "base/duration.h"
#include "base/err.h"
#include "push/push.h"
#include "push/target.h"
#include "verbs/options.h"
#include "verbs/verbs.h"

#define PUSH_VALUE_MAX	2048	/* bytes of a label's value */
#define PUSH_RETRY	30000000000ULL	/* ns */
#define PUSH_RETRY_MAX	86400000000000ULL

static const char usage[] =
	"Usage: lbrctl push --to URL [--protocol pyroscope|otlp] [--label NAME=VALUE]...\n"
	"                   [--tenant NAME] [--auth FILE] [--retry DURATION] FILE...\n"
	"\n"
	"Sends captures to a server that stores profiles, such as Pyroscope or an\n"
	"OpenTelemetry collector.\n";

static int take_to(const char *verb, const char *text, void *part)
{
	*(const char **)part = text;
	return target_is_url(text) ? 0 :
	       err_usage(verb, "--to %s: expected http://HOST[:PORT][/PATH], or https (user and password belong into the file of --auth)",
			 text);
}

static int take_protocol(const char *verb, const char *text, void *part)
{
	enum push_protocol *protocol = part;

	if (strcmp(text, "pyroscope") && strcmp(text, "otlp"))
		return err_usage(verb, "--protocol takes pyroscope or otlp, not '%s'", text);
	*protocol = *text == 'o' ? PUSH_OTLP : PUSH_PYROSCOPE;
	return 0;
}

/* Returns the length of the name that a text "NAME=VALUE" begins with; 0: none. */
static size_t label_name(const char *text)
{
	size_t length = 0;

	while (isalnum((unsigned char)text[length]) || text[length] == '_' || text[length] == '.')
		length++;
	return text[length] == '=' && !isdigit((unsigned char)*text) ? length : 0;
}

static int take_label(const char *verb, const char *text, void *part)
{
	static char names[PUSH_LABELS_MAX][64];
	struct push_options *o = part;
	size_t length = label_name(text);
	const char *value = text + length + 1;
	char *name;

	if (!length || length >= sizeof(names[0]) || !*value || strlen(value) > PUSH_VALUE_MAX)
		return err_usage(verb, "--label %s: expected NAME=VALUE, the name of letters, digits, '_' and '.'",
				 text);
	if (o->nr_labels == PUSH_LABELS_MAX)
		return err_usage(verb, "more than %d labels", PUSH_LABELS_MAX);
	name = names[o->nr_labels];
	memcpy(name, text, length);
	name[length] = '\0';
	for (size_t i = 0; i < o->nr_labels; i++)
		if (!strcmp(o->labels[i].name, name))
			return err_usage(verb, "--label %s is there twice", name);
	if (!strcmp(name, "service_name") || !strcmp(name, "service.name")) {
		if (o->service)
			return err_usage(verb, "--label %s is there twice", name);
		o->service = value;
		return 0;
	}
	o->labels[o->nr_labels++] = (struct store_label){ name, value };
	return 0;
}

static int take_tenant(const char *verb, const char *text, void *part)
{
	*(const char **)part = text;
	return target_is_header(text) ? 0 :
	       err_usage(verb, "--tenant %s: expected printable ASCII", text);
}

static int take_retry(const char *verb, const char *text, void *part)
{
	uint64_t *retry = part;

	return duration_parse(text, 0, retry) && *retry <= PUSH_RETRY_MAX ? 0 :
	       err_usage(verb, "--retry takes a duration of up to 1d, such as 0, 10s or 2m, not '%s'",
			 text);
}

static const struct options_option options[] = {
	{ "to", 0, "URL",
	  "the server, such as http://localhost:4040",
	  take_to, part_of(struct push_options, to, const char *) },
	{ "protocol", 0, "NAME",
	  "pyroscope, or otlp, OpenTelemetry's (pyroscope)",
	  take_protocol, part_of(struct push_options, protocol, enum push_protocol) },
	{ "label", 0, "NAME=VALUE",
	  "a label of all profiles (service_name: the name of the process)",
	  take_label, 0 },
	{ "tenant", 0, "NAME",
	  "the tenant whose profiles they are",
	  take_tenant, part_of(struct push_options, tenant, const char *) },
	{ "auth", 0, "FILE",
	  "the file with 'bearer TOKEN' or 'basic USER:PASSWORD'",
	  options_text, part_of(struct push_options, auth, const char *) },
	{ "retry", 0, "DURATION",
	  "for how long failures that may pass are tried again (30s)",
	  take_retry, part_of(struct push_options, retry, uint64_t) },
	{ .name = NULL }
};

int cmd_push(int argc, char **argv)
{
	static const struct options_verb verb = {
		.name = "push", .usage = usage, .options = options, .arguments = OPTIONS_ANY,
	};
	struct push_options o = { .retry = PUSH_RETRY };
	int err;

	if (!options_take(&verb, argc, argv, &o, &err))
		return err;
	if (!o.to)
		return err_usage("push", "no server given: name one with --to");
	if (optind == argc)
		return err_usage("push", "no capture given");
	return push_files(&o, argv + optind, argc - optind) ? ERR_EXIT_FAILED : ERR_EXIT_DONE;
}
