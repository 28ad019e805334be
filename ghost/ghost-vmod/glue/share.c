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

#define SCARCE_LINGER	1e-3

static void
refuse(struct vsl_log *vsl)
{

	COUNT(overloaded);
	VSLb(vsl, SLT_VCL_Log, "ghost: overloaded");
}

/*
 * Nobody reads what is still to come of the body of a request that is answered now: by itself varnishd would do so before it answers, for as long as
 * the client likes.
 */
static void
leave_body(struct req *req)
{

	if (req->doclose == SC_NULL && body_waits(req))
		req->doclose = SC_RESP_CLOSE;
}

static void
client_refuse(VRT_CTX, struct client_task *t)
{

	leave_body(ctx->req);
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
		ghost_give_back(&t->hold, t->hold.threads, tick_ms());
}

/* While threads are scarce, none waits for the next request of a connection (timeout_linger): 1 ms, which is a mark of ours. */
static void
set_linger(struct sess *sp)
{

	if (threads_are_scarce())
		sp->timeout_linger = SCARCE_LINGER;
	else if (sp->timeout_linger == SCARCE_LINGER)
		sp->timeout_linger = NAN;
}

/* A request has its route. One with a body is counted from here on, since it takes a thread to read it. */
void
client_enter(VRT_CTX, struct client_task *t)
{

	set_linger(ctx->req->sp);
	if (t->chosen.kind != GHOST_FORWARD) {
		if (threads_are_scarce())
			leave_body(ctx->req);
		return;
	}
	if (!body_waits(ctx->req) && !ghost_exhausted(lane_of(ctx->req->wrk)))
		return;
	client_take(ctx, t);
	if (!ghost_admits(&t->hold, tick_ms()))
		client_refuse(ctx, t);
}

/* A request that is not looked up. A pipe has no fetch to be refused at. */
void
client_goes_on(VRT_CTX, struct client_task *t)
{

	client_take(ctx, t);
	if (t->way == GHOST_PIPE && !ghost_admits(&t->hold, tick_ms())) {
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
	if (t->turn != 0 && !t->refused)
		return;
	ghost_take(t->view, t->ticket, lane_of(ctx->bo->wrk), t->waited_for ? 2 : 1, &t->hold);
	t->refused = !ghost_admits(&t->hold, tick_ms());
	if (!t->refused)
		return;
	refuse(ctx->vsl);
	/* Its client waits until the fetch has done with the body. */
	if (ctx->bo->req != NULL)
		leave_body(ctx->bo->req);
}

/* There is an answer: whoever waited for it goes on, and counts himself. */
void
fetch_answered(struct backend_task *t)
{

	if (t->waited_for)
		ghost_give_back(&t->hold, 1, tick_ms());
	t->waited_for = 0;
}
