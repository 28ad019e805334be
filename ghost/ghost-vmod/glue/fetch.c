/*
 * The backend's side of a request: the task of a fetch, and what is done before each of its attempts.
 */

#include "config.h"

#include "glue.h"
#include "fetch.h"
#include "desk.h"

#define NO_LIMIT	86400.

static const char backend_task_id[1];

/*--------------------------------------------------------------------
 * The task of a fetch
 */

static void
backend_task_fini(VRT_CTX, void *p)
{
	struct backend_task *t;

	(void)ctx;
	CAST_OBJ_NOTNULL(t, p, BACKEND_TASK_MAGIC);
	/* The backend is the table's, and not counted. (The busyobj of a pipe is gone.) */
	if (!t->pipes)
		VRT_Assign_Backend(&t->bo->director_resp, NULL);
	ghost_give_back(&t->hold, t->hold.threads, tick_ms());
	ghost_view_release(t->view);
	t->magic = 0;
	if (desk()->fetch == t)
		desk()->fetch = NULL;
}

static const struct vmod_priv_methods backend_task_methods[1] = {{
	.magic = VMOD_PRIV_METHODS_MAGIC,
	.type = "ghost_backend_task",
	.fini = backend_task_fini
}};

/* The thread's own, which is at hand. In a pipe the task is the client's, and outlives the busyobj. */
static struct backend_task *
backend_task_room(VRT_CTX, struct desk *here)
{

	if (ctx->req != NULL)
		return (WS_Alloc(ctx->req->ws, sizeof *here->room));
	if (here->room == NULL)
		here->room = calloc(1, sizeof *here->room);
	if (here->room == NULL || here->room->magic == BACKEND_TASK_MAGIC)
		return (WS_Alloc(ctx->bo->ws, sizeof *here->room));
	return (here->room);
}

struct backend_task *
backend_task(VRT_CTX, int make)
{
	struct desk *here = desk();
	struct backend_task *t;
	struct vmod_priv *priv;

	CHECK_OBJ_NOTNULL(ctx, VRT_CTX_MAGIC);
	if (ctx->bo == NULL || ctx->http_bereq == NULL)
		return (NULL);
	if (here->fetch != NULL && here->bo == ctx->bo && here->bo_xid == XID(ctx->bo->vsl)) {
		CHECK_OBJ_NOTNULL(here->fetch, BACKEND_TASK_MAGIC);
		return (here->fetch);
	}
	priv = make ? VRT_priv_task(ctx, backend_task_id) : VRT_priv_task_get(ctx, backend_task_id);
	if (priv == NULL)
		return (NULL);
	if (priv->priv == NULL) {
		t = make ? backend_task_room(ctx, here) : NULL;
		if (t == NULL)
			return (NULL);
		memset(t, 0, offsetof(struct backend_task, read));
		t->magic = BACKEND_TASK_MAGIC;
		t->bo = ctx->bo;
		t->pipes = ctx->req != NULL;
		t->body = t->pipes ? ctx->req->req_body_status : NULL;
		priv->priv = t;
		priv->methods = backend_task_methods;
	}
	CAST_OBJ_NOTNULL(t, priv->priv, BACKEND_TASK_MAGIC);
	here->bo = ctx->bo;
	here->bo_xid = XID(ctx->bo->vsl);
	here->fetch = t;
	return (t);
}

/* The client waits, and its task is there to be read. Further attempts have the router's own director. */
static void
take_over(struct backend_task *t, const struct router_home *home, const struct handover *h)
{

	t->view = ghost_view_hold(h->view);
	t->read = *h->ticket;
	t->names = ghost_names(t->view, &t->read);
	t->ticket = &t->read;
	t->bo->director_req = home->director;	/* neither is counted */
}

/* The decision that came with the request; where there was no router.recv(), it is made with what bereq says. */
static void
take_ticket(struct backend_task *t, const struct router_home *home, const struct http *bereq)
{
	struct ghost_chosen c;
	struct ghost_message m;

	t->view = ghost_ticket(home->router, hdr_get(bereq, TICKET, sizeof TICKET - 1), &t->read, &t->names);
	if (t->view == NULL) {
		t->view = ghost_router_load(home->router);
		if (t->view == NULL)
			return;
		m = message_of(bereq);
		m.socket = text_of("");
		if (!ghost_select(t->view, &m, now_ms(), &c))
			return;
		t->read = c.ticket;
		t->names = ghost_names(t->view, &t->read);
	}
	t->ticket = &t->read;
}

/*--------------------------------------------------------------------
 * One attempt
 */

/* Back to what the client's request was, less what the last attempt did to it. */
static void
start_clean(struct busyobj *bo)
{
	struct ghost_text xid;
	const char *p;

	xid = hdr_get(bo->bereq, "X-Varnish", 9);
	p = xid.b == NULL ? NULL : text_copy(bo->ws, xid);
	HTTP_Dup(bo->bereq, bo->bereq0);
	if (p != NULL)
		(void)hdr_put(bo->bereq, "X-Varnish", 9, p, xid.n);
}

static double
bounded(double seconds)
{

	return (isinf(seconds) || seconds > NO_LIMIT ? NO_LIMIT : seconds);
}

static void
set_limits(VRT_CTX, struct backend_task *t, uint64_t now)
{
	const struct ghost_attempt *a = &t->attempt;

	t->limit_ms = a->deadline_ms;
	if (!isnan(a->connect))
		VRT_l_bereq_connect_timeout(ctx, bounded(a->connect));
	if (!isnan(a->first_byte)) {
		VRT_l_bereq_first_byte_timeout(ctx, bounded(a->first_byte));
		if (!isinf(a->first_byte))
			t->limit_ms = now + (uint64_t)(a->first_byte * 1e3);
	}
	if (!isnan(a->between_bytes))
		VRT_l_bereq_between_bytes_timeout(ctx, bounded(a->between_bytes));
}

static void
set_place(struct http *bereq, const struct ghost_attempt *a)
{
	const char *url;

	if (a->host.b != NULL)
		hdr_edit(bereq, GHOST_SET, text_of("Host"), a->host);
	url = a->url.b == NULL ? NULL : text_copy(bereq->ws, a->url);
	if (url != NULL)
		http_SetH(bereq, HTTP_HDR_URL, url);
}

/*
 * Varnish sends a request again, over a new connection, whose connection was kept from an earlier one and ended without an answer. It may do
 * so where we would: once, with what may happen twice, and as far as the rule asks for it. Whether there is another attempt of ours is for us to say.
 */
static const char not_again[] = "not to be sent again";

static void
forbid_repetition(const struct backend_task *t)
{

	if (t->bo->no_retry == NULL && !may_be_repeated(t))
		t->bo->no_retry = not_again;
}

void
attempt_over(struct busyobj *bo)
{

	if (bo->no_retry == not_again)
		bo->no_retry = NULL;
}

/* Without an edit the request stays as an earlier attempt left it. */
void
attempt_begin(VRT_CTX, struct backend_task *t, const struct ghost_message *m, ghost_edit_f *edit)
{
	struct busyobj *bo = t->bo;
	uint64_t now = tick_ms();

	ghost_attempt(t->view, t->ticket, m, (struct ghost_tried){ t->tried, t->n_tried }, now, t->began_ms,
	    edit, bo->bereq, &t->attempt);
	set_place(bo->bereq, &t->attempt);
	/* Without room for what the route does to it, the request is not the one that the backend is to get. */
	if (t->refused || WS_Overflowed(bo->bereq->ws))
		t->attempt.backend = NULL;
	set_limits(ctx, t, now);
	forbid_repetition(t);
	t->turn = bo->retries + 1;
	/* Purges ask what was sent before them. */
	t->sent_ms = t->attempt.caches ? now_ms() : now;
	t->resolved = 0;
	t->sent_before = bo->acct.bereq_hdrbytes;
	t->received_before = bo->acct.beresp_hdrbytes;
	if (t->attempt.backend != NULL && t->n_tried < TRIED)
		t->tried[t->n_tried++] = t->attempt.endpoint_id;
}

void
backend_fetch(VRT_CTX)
{
	const struct router_home *home;
	const struct handover *h;
	struct backend_task *t;
	struct ghost_message m;
	struct busyobj *bo;

	t = backend_task(ctx, 1);
	if (t == NULL)
		return;
	bo = ctx->bo;
	if (t->turn == bo->retries + 1)
		return;
	if (t->view == NULL) {
		home = router_home(bo->director_req);
		h = handover_of(bo->director_req);
		if (h != NULL && bo->uncacheable && !bo->is_bgfetch)
			take_over(t, home, h);
		else if (home != NULL) {
			take_ticket(t, home, bo->bereq);
			t->waited_for = !bo->is_bgfetch && !t->pipes;
			if (bo->is_bgfetch)
				t->began_ms = now_ms();
		}
	}
	if (bo->retries > 0) {
		if (t->attempt.backoff_ms > 0)
			VTIM_sleep(t->attempt.backoff_ms / 1e3);
		start_clean(bo);
	}
	hdr_remove_inner(bo->bereq, INNER_GHOST | (t->names.listener.b == NULL ? 0 : INNER_LISTENER) |
	    (t->names.route.b == NULL ? 0 : INNER_ROUTE));
	if (t->view == NULL)
		return;
	hdr_tell(bo->bereq, &t->names);
	fetch_take(ctx, t);
	m = message_of(bo->bereq);
	attempt_begin(ctx, t, &m, hdr_edit);
	if (t->attempt.mirrors && bo->retries == 0 && !t->refused)
		copy_to_mirrors(t, bo->bereq);
}
