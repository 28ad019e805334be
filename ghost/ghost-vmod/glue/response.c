/*
 * The backend's side of an answer: how the attempt went, whether there is another, what is stored.
 */

#include "config.h"

#include "glue.h"
#include "fetch.h"
#include "memory.h"

#define UNASKED_RETRIES	2		/* src/traffic.rs of ghost-core */

/* Whether the backend may have seen the request. Where it did not for want of room of ours, the backend is not to blame. */
bool
was_sent(const struct backend_task *t)
{

	return (t->bo->acct.bereq_hdrbytes != t->sent_before || WS_Overflowed(t->bo->ws));
}

/* Bytes of a request's head as it is sent. */
static uint64_t
head_length(const struct http *hp)
{
	uint64_t n = 2;
	unsigned u;

	for (u = 0; u < hp->nhd; u++)
		if (hp->hd[u].b != NULL)
			n += Tlen(hp->hd[u]) + (u == HTTP_HDR_METHOD || u == HTTP_HDR_URL ? 1 : 2);
	return (n);
}

/* Whether Varnish has sent the request again in this attempt, since the connection that was kept from an earlier one had ended. */
static bool
was_resent(const struct backend_task *t)
{
	uint64_t once = head_length(t->bo->bereq);

	return (t->bo->acct.bereq_hdrbytes - t->sent_before > once + once / 2);
}

/* Whether the request asks for nothing that must not happen twice (RFC 9110, 9.2.2), and its head is all of it. */
static bool
may_happen_twice(const struct backend_task *t)
{
	const struct busyobj *bo = t->bo;
	const char *method = http_GetMethod(bo->bereq);

	if (bo->bereq_body != NULL || (bo->req != NULL && bo->req->req_body_status != BS_NONE))
		return (false);
	return (strcmp(method, "GET") == 0 || strcmp(method, "HEAD") == 0);
}

/* Whether it may be sent again if the attempt that begins ends without an answer. */
bool
may_be_repeated(const struct backend_task *t)
{
	struct ghost_ended e = { .end = GHOST_UNANSWERED, .repeated = t->repeated, .retries = t->bo->retries + t->resent };

	return (may_happen_twice(t) && ghost_again(t->view, t->ticket, &e, now_ms(), t->began_ms));
}

/* Whether the connection ended before the first byte of an answer, of a request that may be repeated. One that ran out of time is
 * told by the time that it took. */
static bool
is_unanswered(const struct backend_task *t)
{
	const struct busyobj *bo = t->bo;
	double limit = bo->first_byte_timeout;

	if (!may_happen_twice(t))
		return (false);
	if (isnan(limit) || limit <= 0)
		limit = cache_param->first_byte_timeout;
	return (bo->acct.beresp_hdrbytes == t->received_before &&
	    (double)(now_ms() - t->sent_ms + SLACK_MS) / 1e3 < limit);
}

/* Takes note, once, of whether this attempt came to a connection. */
static void
note_attempt(VRT_CTX, struct backend_task *t)
{

	if (!t->resolved || t->noted == t->turn)
		return;
	t->noted = t->turn;
	if (ctx->method != VCL_MET_BACKEND_ERROR)
		ghost_connected(t->view, t->attempt.endpoint);
	else if (!was_sent(t)) {
		COUNT(connect_failures);
		ghost_not_connected(t->view, t->attempt.endpoint, now_ms());
	}
	/* A connection that broke later says nothing, good or bad. */
}

/* What finds no room is delivered alone, and remembered for a second, so that requests for it do not wait for each other. */
static bool
admit_object(VRT_CTX, uint64_t bytes)
{
	const struct busyobj *bo = ctx->bo;

	if (bo->uncacheable || memory_admits(bo->wrk, bo->storage, bytes))
		return (true);
	VRT_l_beresp_ttl(ctx, 1.);
	VRT_l_beresp_grace(ctx, 0.);
	VRT_l_beresp_keep(ctx, 0.);
	VRT_l_beresp_uncacheable(ctx, 1);
	return (false);
}

static uint64_t
body_length(const struct busyobj *bo)
{

	return (bo->htc != NULL && bo->htc->content_length > 0 ? (uint64_t)bo->htc->content_length : 0);
}

static void
keep_object(VRT_CTX, struct backend_task *t, const struct ghost_stored *s, const struct ghost_message *m)
{
	struct http *beresp = t->bo->beresp;

	if (s->ttl_seconds >= 0)
		VRT_l_beresp_ttl(ctx, (double)s->ttl_seconds);
	if (s->uncacheable || VRT_r_beresp_ttl(ctx) <= 0.) {
		if (!admit_object(ctx, 0))
			return;
		/* Remembered, so that requests for it do not wait for each other. */
		VRT_l_beresp_ttl(ctx, 120.);
		VRT_l_beresp_grace(ctx, 0.);
		VRT_l_beresp_keep(ctx, 0.);
		VRT_l_beresp_uncacheable(ctx, 1);
		return;
	}
	if (!admit_object(ctx, body_length(t->bo)))
		return;
	VRT_l_beresp_grace(ctx, s->grace_seconds > s->stale_if_error_seconds ?
	    s->grace_seconds : s->stale_if_error_seconds);
	VRT_l_beresp_keep(ctx, s->keep_seconds);
	if (s->keys.b != NULL && s->keys.n > 0)
		(void)hdr_put(beresp, "xkey", 4, s->keys.b, s->keys.n);
	/* For bans, which know objects only; the host is in the first key. */
	(void)hdr_put(beresp, "X-Ghost-Url", 11, m->url.b, m->url.n);
}

/* Whether there is another attempt after one that was answered with a status, or ended without one (0). */
bool
attempts_again(struct backend_task *t, uint16_t status)
{
	struct ghost_ended e = { .status = status, .tried = { t->tried, t->n_tried } };

	if (was_resent(t)) {
		t->resent++;
		t->repeated = 1;
	}
	e.repeated = t->repeated;
	e.retries = t->bo->retries + t->resent;
	if (status != 0 && t->attempt.retries == 0)
		return (false);
	if (status != 0)
		e.end = GHOST_ANSWERED;
	else if (!was_sent(t))
		e.end = GHOST_NOT_CONNECTED;
	else
		e.end = is_unanswered(t) ? GHOST_UNANSWERED : GHOST_BROKEN;
	if (!ghost_again(t->view, t->ticket, &e, now_ms(), t->began_ms))
		return (false);
	t->repeated |= e.end == GHOST_UNANSWERED;
	COUNT(retries);
	return (true);
}

/* Nothing is tried again that the backend may have acted on, and nothing whose body is gone: Varnish's answer to that is
 * an error of its own, and the backend's is better. */
static bool
tries_again(VRT_CTX, struct backend_task *t)
{
	const struct busyobj *bo = t->bo;

	if (!t->resolved || bo->no_retry != NULL ||
	    !MAY_RETRY(t->bo, t->attempt.retries > UNASKED_RETRIES ? t->attempt.retries : UNASKED_RETRIES))
		return (false);
	return (attempts_again(t, ctx->method == VCL_MET_BACKEND_ERROR ? 0 : http_GetStatus(bo->beresp)));
}

/* There is a stale object, and the policy would rather serve that than an error. */
static bool
abandons(VRT_CTX, const struct backend_task *t)
{
	const struct busyobj *bo = t->bo;
	struct ghost_stored s;
	struct ghost_message m;

	if (bo->uncacheable || bo->is_bgfetch || bo->stale_oc == NULL)
		return (false);
	if (ctx->method != VCL_MET_BACKEND_ERROR && http_GetStatus(bo->beresp) < 500)
		return (false);
	m = message_of(bo->bereq0);
	ghost_store(t->view, t->ticket, &m, 503, (struct ghost_lines){ NULL, 0 }, t->sent_ms, &s);
	return (s.policy && s.stale_if_error_seconds > 0);
}

int
backend_response(VRT_CTX)
{
	struct ghost_stored s;
	struct ghost_message m;
	struct backend_task *t;
	struct busyobj *bo;

	bo = ctx->bo;
	t = backend_task(ctx, 0);
	if (t == NULL || t->view == NULL) {
		(void)admit_object(ctx, 0);
		return (0);
	}
	attempt_over(bo);
	/* Varnish takes it for the answer to a HEAD; what the backend says next would be taken for that to another request. */
	if (ctx->method == VCL_MET_BACKEND_RESPONSE && http_GetStatus(bo->beresp) < 200) {
		VRT_fail(ctx, "an interim answer is none");
		return (0);
	}
	note_attempt(ctx, t);
	t->again = tries_again(ctx, t);
	/* What is stored is better than a refusal. */
	if (t->again || abandons(ctx, t) || (t->refused && bo->is_bgfetch))
		return (1);
	fetch_answered(t);
	if (ctx->method == VCL_MET_BACKEND_ERROR) {
		if (t->limit_ms != 0 && now_ms() + SLACK_MS >= t->limit_ms)
			VRT_l_beresp_status(ctx, 504);
		return (0);
	}
	t->stored = 0;
	/* No tags and no inner headers but ours. */
	hdr_remove_inner(bo->beresp, INNER_GHOST | INNER_KEYS);
	hold_deadline(t);
	if (!t->attempt.caches || bo->uncacheable) {
		(void)admit_object(ctx, 0);
		return (0);
	}
	m = message_of(bo->bereq0);
	ghost_store(t->view, t->ticket, &m, http_GetStatus(bo->beresp), lines_of(bo->beresp), t->sent_ms, &s);
	if (s.policy) {
		t->stored = 1;
		keep_object(ctx, t, &s, &m);
	} else
		(void)admit_object(ctx, 0);
	return (0);
}

int
backend_again(VRT_CTX)
{
	const struct backend_task *t;

	t = backend_task(ctx, 0);
	return (t != NULL && t->again);
}

int
backend_stored(VRT_CTX)
{
	const struct backend_task *t;

	t = backend_task(ctx, 0);
	return (t != NULL && t->stored);
}
