// SPDX-License-Identifier: GPL-2.0
/* HTTP by libcurl. Redirects are not followed, and certificates are verified, as is its default. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "push/http.h"

#ifdef HAVE_curl
#include <curl/curl.h>

/* Seconds. A server is silent while it takes a large profile in. */
#define HTTP_CONNECT_MAX	10L
#define HTTP_SILENCE_MAX	20L
#define HTTP_TOTAL_MAX		300L

int http_begin(void)
{
	return curl_global_init(CURL_GLOBAL_DEFAULT) ? err_fail("libcurl cannot start") : 0;
}

void http_end(void)
{
	curl_global_cleanup();
}

/* A byte too many ends the transfer. */
static size_t keep(char *data, size_t one, size_t nr, void *to)
{
	struct http_answer *a = to;
	size_t room = HTTP_ANSWER_MAX - a->nr, kept = nr < room ? nr : room;

	(void)one;
	memcpy(a->body + a->nr, data, kept);
	a->nr += kept;
	return kept;
}

/* Failures of the way to the server, or of the server: it may be starting. */
static bool may_pass(CURLcode code)
{
	switch (code) {
	case CURLE_COULDNT_RESOLVE_PROXY:
	case CURLE_COULDNT_RESOLVE_HOST:
	case CURLE_COULDNT_CONNECT:
	case CURLE_WEIRD_SERVER_REPLY:
	case CURLE_PARTIAL_FILE:
	case CURLE_OPERATION_TIMEDOUT:
	case CURLE_SSL_CONNECT_ERROR:
	case CURLE_GOT_NOTHING:
	case CURLE_SEND_ERROR:
	case CURLE_RECV_ERROR:
	case CURLE_HTTP2:
	case CURLE_HTTP2_STREAM:
		return true;
	default:
		return false;
	}
}

static bool add_header(struct curl_slist **headers, const char *name, const char *value)
{
	char *line;
	struct curl_slist *more;

	if (asprintf(&line, "%s: %s", name, value) < 0)
		return false;
	more = curl_slist_append(*headers, line);
	free(line);
	if (more)
		*headers = more;
	return more;
}

static bool add_headers(struct curl_slist **headers, const struct target *t,
			const struct http_body *body)
{
	struct curl_slist *more = curl_slist_append(NULL, "Expect:");	/* wait for no 100 */

	*headers = more;
	return more && add_header(headers, "Content-Type", body->type) &&
	       (!body->gzip || add_header(headers, "Content-Encoding", "gzip")) &&
	       (!t->tenant || add_header(headers, "X-Scope-OrgID", t->tenant));
}

static void set_options(CURL *curl, const struct target *t, const struct http_body *body)
{
	curl_easy_setopt(curl, CURLOPT_URL, t->url);
	curl_easy_setopt(curl, CURLOPT_USERAGENT, "lbrctl/" LBRCTL_VERSION);
	curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, HTTP_CONNECT_MAX);
	curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
	curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, HTTP_SILENCE_MAX);
	curl_easy_setopt(curl, CURLOPT_TIMEOUT, HTTP_TOTAL_MAX);
	curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)body->nr);
	curl_easy_setopt(curl, CURLOPT_POSTFIELDS, body->bytes);
	curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, keep);
	if (!*t->secret)
		return;
	curl_easy_setopt(curl, CURLOPT_HTTPAUTH, t->basic ? CURLAUTH_BASIC : CURLAUTH_BEARER);
	curl_easy_setopt(curl, t->basic ? CURLOPT_USERPWD : CURLOPT_XOAUTH2_BEARER, t->secret);
}

static void perform(CURL *curl, struct http_answer *a)
{
	char why[CURL_ERROR_SIZE] = "";
	curl_off_t wait = 0;
	CURLcode code;

	curl_easy_setopt(curl, CURLOPT_WRITEDATA, a);
	curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, why);
	code = curl_easy_perform(curl);
	a->body[a->nr] = '\0';
	curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &a->status);
	/* The begin of a long page says enough of a failure, and nothing of success. */
	if (code == CURLE_WRITE_ERROR && a->status / 100 != 2)
		code = CURLE_OK;
	if (code) {
		a->status = 0;
		a->again = may_pass(code);
		snprintf(a->error, sizeof(a->error), "%s",
			 code == CURLE_WRITE_ERROR ? "its answer is longer than those of a store" :
			 *why ? why : curl_easy_strerror(code));
		return;
	}
	curl_easy_getinfo(curl, CURLINFO_RETRY_AFTER, &wait);
	a->again = a->status == 429 || a->status / 100 == 5;
	a->retry_after = wait < 0 ? 0 : wait > UINT32_MAX ? UINT32_MAX : wait;
	a->retry_after *= 1000000000;
}

void http_post(const struct target *t, const struct http_body *body, struct http_answer *a)
{
	struct curl_slist *headers = NULL;
	CURL *curl = curl_easy_init();

	*a = (struct http_answer){ .error = "out of memory" };
	if (curl && add_headers(&headers, t, body)) {
		set_options(curl, t, body);
		curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
		perform(curl, a);
	}
	curl_slist_free_all(headers);
	curl_easy_cleanup(curl);
}

#else

int http_begin(void)
{
	return err_fail("push is not built in: this lbrctl was built without libcurl");
}

void http_end(void)
{
}

void http_post(const struct target *t, const struct http_body *body, struct http_answer *a)
{
	(void)t;
	(void)body;
	*a = (struct http_answer){ 0 };
}

#endif
