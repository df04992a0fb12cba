// SPDX-License-Identifier: GPL-2.0
/* HTTP by libcurl. Redirects are not followed, and certificates are verified, as is its default. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/version.h"
#include "push/http.h"

#if __has_include(<curl/curl.h>)
#include <curl/curl.h>

/* Seconds. A server is silent while it takes a large profile in. */
#define HTTP_CONNECT_MAX	10L
#define HTTP_SILENCE_MAX	20L
#define HTTP_TOTAL_MAX		300L

/* libcurl brings two dozen libraries, so it is loaded only by those who push. */
static struct {
	typeof(curl_global_init) *global_init;
	typeof(curl_global_cleanup) *global_cleanup;
	typeof(curl_easy_init) *easy_init;
	typeof(curl_easy_cleanup) *easy_cleanup;
	typeof(curl_easy_setopt) *easy_setopt;
	typeof(curl_easy_perform) *easy_perform;
	typeof(curl_easy_getinfo) *easy_getinfo;
	typeof(curl_easy_strerror) *easy_strerror;
	typeof(curl_slist_append) *slist_append;
	typeof(curl_slist_free_all) *slist_free_all;
} curl;

#define LOAD(name)	((curl.name = (typeof(curl.name))dlsym(library, "curl_" #name)) != NULL)

static bool load(void *library)
{
	return LOAD(global_init) && LOAD(global_cleanup) && LOAD(easy_init) &&
	       LOAD(easy_cleanup) && LOAD(easy_setopt) && LOAD(easy_perform) &&
	       LOAD(easy_getinfo) && LOAD(easy_strerror) && LOAD(slist_append) &&
	       LOAD(slist_free_all);
}

int http_begin(void)
{
	void *library = dlopen("libcurl.so.4", RTLD_NOW);

	if (!library)
		return err_fail("push: %s: install libcurl4", dlerror());
	return load(library) && !curl.global_init(CURL_GLOBAL_DEFAULT) ? 0 :
	       err_fail("push: libcurl.so.4 cannot be initialised");
}

void http_end(void)
{
	curl.global_cleanup();
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
	more = curl.slist_append(*headers, line);
	free(line);
	if (more)
		*headers = more;
	return more;
}

static bool add_headers(struct curl_slist **headers, const struct target *t,
			const struct http_body *body)
{
	struct curl_slist *more = curl.slist_append(NULL, "Expect:");	/* wait for no 100 */

	*headers = more;
	return more && add_header(headers, "Content-Type", body->type) &&
	       (!body->gzip || add_header(headers, "Content-Encoding", "gzip")) &&
	       (!t->tenant || add_header(headers, "X-Scope-OrgID", t->tenant));
}

static void set_options(CURL *easy, const struct target *t, const struct http_body *body)
{
	char agent[80];

	snprintf(agent, sizeof(agent), "lbrctl/%s", version_text);
	curl.easy_setopt(easy, CURLOPT_URL, t->url);
	curl.easy_setopt(easy, CURLOPT_USERAGENT, agent);
	curl.easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
	curl.easy_setopt(easy, CURLOPT_CONNECTTIMEOUT, HTTP_CONNECT_MAX);
	curl.easy_setopt(easy, CURLOPT_LOW_SPEED_LIMIT, 1L);
	curl.easy_setopt(easy, CURLOPT_LOW_SPEED_TIME, HTTP_SILENCE_MAX);
	curl.easy_setopt(easy, CURLOPT_TIMEOUT, HTTP_TOTAL_MAX);
	curl.easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)body->nr);
	curl.easy_setopt(easy, CURLOPT_POSTFIELDS, body->bytes);
	curl.easy_setopt(easy, CURLOPT_WRITEFUNCTION, keep);
	if (!*t->secret)
		return;
	curl.easy_setopt(easy, CURLOPT_HTTPAUTH, t->basic ? CURLAUTH_BASIC : CURLAUTH_BEARER);
	curl.easy_setopt(easy, t->basic ? CURLOPT_USERPWD : CURLOPT_XOAUTH2_BEARER, t->secret);
}

static void perform(CURL *easy, struct http_answer *a)
{
	char why[CURL_ERROR_SIZE] = "";
	curl_off_t wait = 0;
	CURLcode code;

	curl.easy_setopt(easy, CURLOPT_WRITEDATA, a);
	curl.easy_setopt(easy, CURLOPT_ERRORBUFFER, why);
	code = curl.easy_perform(easy);
	a->body[a->nr] = '\0';
	curl.easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &a->status);
	/* The begin of a long page says enough of a failure, and nothing of success. */
	if (code == CURLE_WRITE_ERROR && a->status / 100 != 2)
		code = CURLE_OK;
	if (code) {
		a->status = 0;
		a->again = may_pass(code);
		snprintf(a->error, sizeof(a->error), "%s",
			 code == CURLE_WRITE_ERROR ? "its answer is longer than those of a store" :
			 *why ? why : curl.easy_strerror(code));
		return;
	}
	curl.easy_getinfo(easy, CURLINFO_RETRY_AFTER, &wait);
	a->again = a->status == 429 || a->status / 100 == 5;
	a->retry_after = wait < 0 ? 0 : wait > UINT32_MAX ? UINT32_MAX : wait;
	a->retry_after *= 1000000000;
}

void http_post(const struct target *t, const struct http_body *body, struct http_answer *a)
{
	struct curl_slist *headers = NULL;
	CURL *easy = curl.easy_init();

	*a = (struct http_answer){ .error = "out of memory" };
	if (easy && add_headers(&headers, t, body)) {
		set_options(easy, t, body);
		curl.easy_setopt(easy, CURLOPT_HTTPHEADER, headers);
		perform(easy, a);
	}
	curl.slist_free_all(headers);
	curl.easy_cleanup(easy);
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
