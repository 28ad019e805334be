/*
 * Fair shares of varnishd's threads: when a request is counted, and when it is refused. The rule itself is ghost-core's (share.rs).
 *
 * A client's thread counts from where it is sure to be held: from vcl_recv for a request that is passed or piped; one that is looked up may
 * be put aside without a thread, and counts when there is something to deliver. A fetch counts from its start to its end, and twice while
 * such a client waits for it. Hits are served whatever their backend holds.
 */

#include "config.h"

#include "glue.h"
#include "client.h"
#include "fetch.h"

static void
refuse(struct vsl_log *vsl)
{

	COUNT(overloaded);
	VSLb(vsl, SLT_VCL_Log, "ghost: overloaded");
}

static void
client_refuse(VRT_CTX, struct client_task *t)
{

	refuse(ctx->vsl);
	ghost_refuse(&t->chosen.ticket);
	t->chosen.kind = GHOST_UNAVAILABLE;
	t->chosen.buffer_bytes = 0;
}

/* Counts the client's thread, once. A part of an ESI page has none of its own. */
void
client_take(VRT_CTX, struct client_task *t)
{

	if (t->hold.threads == 0 && ctx->req->esi_level == 0 && ctx->req->wrk != NULL)
		ghost_take(t->view, &t->chosen.ticket, lane_of(ctx->req->wrk), 1, &t->hold);
}

/* The client's request is done with, though its task is not. */
void
client_give_back(VRT_CTX)
{
	struct client_task *t;

	t = client_task(ctx, 0);
	if (t != NULL)
		ghost_give_back(&t->hold, t->hold.threads);
}

/* A request has its route. The last threads are not for requests. */
void
client_enter(VRT_CTX, struct client_task *t)
{

	if (t->chosen.kind == GHOST_FORWARD && ghost_exhausted(lane_of(ctx->req->wrk)))
		client_refuse(ctx, t);
}

/* A request that is not looked up. A pipe has no fetch to be refused at. */
void
client_goes_on(VRT_CTX, struct client_task *t)
{

	client_take(ctx, t);
	if (t->way == GHOST_PIPE && !ghost_admits(&t->hold)) {
		client_refuse(ctx, t);
		t->way = GHOST_PASS;
	}
}

/* A fetch begins, or an attempt of one that was refused. */
void
fetch_take(VRT_CTX, struct backend_task *t)
{

	if (t->pipes || ctx->bo->wrk == NULL)
		return;
	if (t->turn == 0)
		ghost_take(t->view, t->ticket, lane_of(ctx->bo->wrk), t->waited_for ? 2 : 1, &t->hold);
	else if (!t->refused)
		return;
	t->refused = !ghost_admits(&t->hold);
	if (t->refused)
		refuse(ctx->vsl);
}

/* There is an answer: whoever waited for it goes on, and counts himself. */
void
fetch_answered(struct backend_task *t)
{

	if (t->waited_for)
		ghost_give_back(&t->hold, 1);
	t->waited_for = 0;
}
