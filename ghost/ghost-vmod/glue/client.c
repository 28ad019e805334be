/*
 * The client's side of a request: what VCL calls between vcl_recv and vcl_deliver.
 *
 * All decisions are made in Rust (ghost.h). What is here fetches arguments from Varnish and carries out results.
 */

#include "config.h"

#include "glue.h"
#include "client.h"
#include "desk.h"
#include "fetch.h"

static const char client_task_id[1];

/*--------------------------------------------------------------------
 * The task of a client's request
 */

static void
client_task_fini(VRT_CTX, void *p)
{
	struct client_task *t;

	(void)ctx;
	CAST_OBJ_NOTNULL(t, p, CLIENT_TASK_MAGIC);
	ghost_text_free(t->reloaded.json);
	connection_ends(t);
	ghost_give_back(&t->hold, t->hold.threads, tick_ms());
	ghost_view_release(t->view);
	t->magic = 0;
	if (desk()->client == t)
		desk()->client = NULL;
}

static const struct vmod_priv_methods client_task_methods[1] = {{
	.magic = VMOD_PRIV_METHODS_MAGIC,
	.type = "ghost_client_task",
	.fini = client_task_fini
}};

struct client_task *
client_task(VRT_CTX, int make)
{
	struct desk *here = desk();
	struct client_task *t;
	struct vmod_priv *priv;

	CHECK_OBJ_NOTNULL(ctx, VRT_CTX_MAGIC);
	if (ctx->req == NULL)
		return (NULL);
	if (here->client != NULL && here->req == ctx->req && here->req_xid == XID(ctx->req->vsl)) {
		CHECK_OBJ_NOTNULL(here->client, CLIENT_TASK_MAGIC);
		return (here->client);
	}
	priv = make ? VRT_priv_task(ctx, client_task_id) : VRT_priv_task_get(ctx, client_task_id);
	if (priv == NULL)
		return (NULL);
	if (priv->priv == NULL) {
		t = make ? WS_Alloc(ctx->req->ws, sizeof *t) : NULL;
		if (t == NULL)
			return (NULL);
		memset(t, 0, offsetof(struct client_task, chosen));
		t->magic = CLIENT_TASK_MAGIC;
		priv->priv = t;
		priv->methods = client_task_methods;
	}
	CAST_OBJ_NOTNULL(t, priv->priv, CLIENT_TASK_MAGIC);
	here->req = ctx->req;
	here->req_xid = XID(ctx->req->vsl);
	here->client = t;
	return (t);
}

/* The table is loaded once: restarts see the same. */
static const struct ghost_view *
client_view(struct client_task *t, const struct VPFX(ghost_ghost_backend) *be)
{

	if (t->view == NULL)
		t->view = ghost_router_load(be->home.router);
	return (t->view);
}

static void
count(uint8_t kind)
{

	COUNT(requests);
	switch (kind) {
	case GHOST_FREED_SOCKET:
	case GHOST_NO_LISTENER:
	case GHOST_MISDIRECTED:
		COUNT(no_listener);
		break;
	case GHOST_NO_HOST:
	case GHOST_NO_HOST_HEADER:
	case GHOST_BAD_HOST:
		COUNT(no_host);
		break;
	case GHOST_NO_ROUTE:
		COUNT(no_route);
		break;
	case GHOST_INVALID:
	case GHOST_UNAVAILABLE:
		COUNT(no_backend);
		break;
	case GHOST_REDIRECT:
	case GHOST_PREFLIGHT:
		COUNT(answered);
		break;
	default:
		break;
	}
}

/* A body of known and bearable length is read now, so that it can be sent again. */
static void
keep_body(VRT_CTX, uint32_t limit)
{
	ssize_t length;

	if (limit == 0 || ctx->method != VCL_MET_RECV || ctx->req->req_body_status != BS_LENGTH)
		return;
	length = http_GetContentLength(ctx->req->http);
	if (length > 0 && length <= (ssize_t)limit)
		(void)VRT_CacheReqBody(ctx, (VCL_BYTES)limit);
}

/* The line is the task's, and stays as long as the request. */
static void
put_ticket(struct http *hp, struct client_task *t)
{

	memcpy(t->line, TICKET ": ", sizeof TICKET ": " - 1);
	ghost_ticket_write(&t->chosen.ticket, t->line + sizeof TICKET ": " - 1);
	t->line[sizeof t->line - 1] = '\0';
	hdr_link(hp, t->line, sizeof t->line - 1);
	t->told = 1;
}

/*
 * A fetch for a request that is passed begins while the request waits for it, and can be told directly: by a director of its own,
 * which is the router's in all but its address. The ticket is for those that may begin later.
 */
static void
hand_over(struct req *req, struct VPFX(ghost_ghost_backend) *be, struct client_task *t)
{
	struct handover *h;

	if (t->told || req->director_hint != be->home.director)
		return;			/* the user's part may have chosen another */
	h = handover_at(&be->home, desk()->number);
	if (h == NULL)
		return;
	h->view = t->view;
	h->ticket = &t->chosen.ticket;
	req->director_hint = h->director;	/* neither is counted */
	t->told = 1;
}

VCL_BACKEND
vmod_ghost_backend_recv(VRT_CTX, struct VPFX(ghost_ghost_backend) *be, struct VARGS(ghost_backend_recv) *a)
{
	struct client_task *t;
	struct ghost_message m;
	struct ghost_chosen *c;

	CHECK_OBJ_NOTNULL(be, GHOST_BACKEND_MAGIC);
	AN(a);
	t = client_task(ctx, 1);
	if (t == NULL || ctx->http_req == NULL) {
		VRT_fail(ctx, "router.recv(): no client's request, or out of workspace");
		return (NULL);
	}
	/* Whoever sends these is not us. */
	hdr_remove_inner(ctx->http_req, INNER_GHOST | INNER_LISTENER | INNER_ROUTE | INNER_LOGGED);
	hdr_remove_named(ctx->http_req);
	t->may_upgrade = upgrade_recv(ctx);
	ghost_give_back(&t->hold, t->hold.threads, tick_ms());
	connection_begins(t, ctx->req);
	if (client_view(t, be) == NULL)
		return (NULL);
	m = message_of(ctx->http_req);
	m.socket = text_of(VRT_r_local_socket(ctx));
	if (ghost_asks_for_port(t->view))
		m.port = (uint16_t)VSA_Port(VRT_r_server_ip(ctx));
	m.wants_host = ctx->http_req->protover == 11 && ctx->req->esi_level == 0;
	if (a->valid_server_name && a->server_name != NULL && *a->server_name != '\0')
		m.server_name = text_of(a->server_name);
	c = &t->chosen;
	if (!ghost_select(t->view, &m, tick_ms(), c))
		return (NULL);
	t->routed = 1;
	t->decided = 0;
	t->hashed = 0;
	t->told = 0;
	t->way = GHOST_PASS;
	count(c->kind);
	client_enter(ctx, t);
	if (be->forwards)
		forwarded_set(ctx, t, be->trusted);
	/* The fetch gets names from the table, but for this. */
	if (c->socket.b != NULL)
		(void)hdr_put(ctx->http_req, "X-Gateway-Listener", 18, c->socket.b, c->socket.n);
	if (!a->hashes)
		put_ticket(ctx->http_req, t);
	VSLbt(ctx->vsl, SLT_VCL_Log, (txt){ c->log.b, c->log.b + c->log.n });
	keep_body(ctx, c->buffer_bytes);
	check_room(ctx, "recv");
	return (be->home.director);
}

VCL_VOID
vmod_ghost_backend_tell(VRT_CTX, struct VPFX(ghost_ghost_backend) *be)
{
	struct ghost_names names;
	struct client_task *t;

	CHECK_OBJ_NOTNULL(be, GHOST_BACKEND_MAGIC);
	t = client_task(ctx, 0);
	if (t == NULL || !t->routed || ctx->http_req == NULL)
		return;
	names = ghost_names(t->view, &t->chosen.ticket);
	hdr_tell(ctx->http_req, &names);
}

VCL_BACKEND
vmod_ghost_backend_backend(VRT_CTX, struct VPFX(ghost_ghost_backend) *be)
{
	struct client_task *t;

	CHECK_OBJ_NOTNULL(be, GHOST_BACKEND_MAGIC);
	t = client_task(ctx, 1);
	if (t != NULL)
		(void)client_view(t, be);
	return (be->home.director);
}

static struct ghost_disposition
disposition(VRT_CTX, const struct client_task *t)
{

	return (ghost_disposition(t->view, t->chosen.route, t->chosen.kind, t->may_upgrade,
	    field_of(ctx->http_req, HTTP_HDR_METHOD), lines_of(ctx->http_req)));
}

/* Takes note of the way of a request, as it is now. */
static uint8_t
find_way(VRT_CTX, struct client_task *t)
{
	struct ghost_disposition d;

	d = disposition(ctx, t);
	t->way = d.way;
	/* Objects are kept for errors longer than they may be served otherwise: the request says which of the two this is. */
	if (d.way == GHOST_HASH && d.stale_if_error_seconds > 0)
		VRT_l_req_grace(ctx, t->stale ? d.stale_if_error_seconds : d.grace_seconds);
	return (d.way);
}

VCL_BOOL
vmod_ghost_backend_looks_up(VRT_CTX, struct VPFX(ghost_ghost_backend) *be)
{
	struct client_task *t;

	CHECK_OBJ_NOTNULL(be, GHOST_BACKEND_MAGIC);
	t = client_task(ctx, 0);
	if (t == NULL || !t->routed || ctx->http_req == NULL)
		return (0);
	t->decided = 1;
	(void)find_way(ctx, t);
	if (ctx->method == VCL_MET_RECV && t->way != GHOST_HASH)
		client_goes_on(ctx, t);
	if (ctx->method == VCL_MET_RECV && t->way == GHOST_PASS)
		hand_over(ctx->req, be, t);
	return (t->way == GHOST_HASH);
}

VCL_BOOL
vmod_ghost_backend_pipes(VRT_CTX, struct VPFX(ghost_ghost_backend) *be)
{
	const struct client_task *t;

	CHECK_OBJ_NOTNULL(be, GHOST_BACKEND_MAGIC);
	t = client_task(ctx, 0);
	/* Another backend than ours would be Varnish's own to pipe to: a tunnel whatever it answers. */
	return (t != NULL && t->way == GHOST_PIPE && router_home(ctx->req->director_hint) != NULL);
}

VCL_STRING
vmod_ghost_backend_way(VRT_CTX, struct VPFX(ghost_ghost_backend) *be)
{
	static const char *const names[] = { [GHOST_PASS] = "pass", [GHOST_HASH] = "hash", [GHOST_PIPE] = "pipe" };
	struct client_task *t;

	CHECK_OBJ_NOTNULL(be, GHOST_BACKEND_MAGIC);
	t = client_task(ctx, 0);
	if (t == NULL || !t->routed || ctx->http_req == NULL)
		return ("pass");
	return (names[find_way(ctx, t)]);
}

VCL_VOID
vmod_ghost_backend_hash(VRT_CTX, struct VPFX(ghost_ghost_backend) *be)
{
	struct ghost_message m;
	struct ghost_text key;
	struct client_task *t;

	CHECK_OBJ_NOTNULL(be, GHOST_BACKEND_MAGIC);
	t = client_task(ctx, 0);
	if (t == NULL || !t->routed || ctx->method != VCL_MET_HASH)
		return;
	if (!t->told) {
		put_ticket(ctx->http_req, t);
		check_room(ctx, "hash");
	}
	if (t->hashed || (t->decided && t->way != GHOST_HASH))
		return;
	m = message_of(ctx->http_req);
	key = ghost_cache_key(t->view, t->chosen.route, &m);
	if (key.b != NULL) {
		VRT_hashdata(ctx, TOSTRAND(key.b));
		if (be->forwards)
			forwarded_hash(ctx);
		t->hashed = 1;
	}
}

VCL_BOOL
vmod_ghost_backend_hashed(VRT_CTX, struct VPFX(ghost_ghost_backend) *be)
{
	struct client_task *t;

	CHECK_OBJ_NOTNULL(be, GHOST_BACKEND_MAGIC);
	t = client_task(ctx, 0);
	/* Varnish wants a key for a request that is passed, too, and does nothing with it. */
	return (t != NULL && (t->hashed || (t->decided && t->way != GHOST_HASH)));
}

VCL_BOOL
vmod_ghost_backend_stale(VRT_CTX, struct VPFX(ghost_ghost_backend) *be)
{
	struct ghost_disposition d;
	struct client_task *t;

	CHECK_OBJ_NOTNULL(be, GHOST_BACKEND_MAGIC);
	t = client_task(ctx, 0);
	if (t == NULL || !t->routed || t->stale || ctx->http_resp == NULL || http_GetStatus(ctx->http_resp) != 503)
		return (0);
	d = disposition(ctx, t);
	if (d.way != GHOST_HASH || d.stale_if_error_seconds == 0)
		return (0);
	t->stale = 1;
	return (1);
}

VCL_STRING
vmod_recv(VRT_CTX)
{

	(void)ctx;
	return ("");
}

/* Whether a background fetch may have begun, which looks for the table when we are gone. */
static int
is_stale_hit(const struct req *req)
{
	const struct objcore *oc = req->objcore;

	return (req->is_hit && oc != NULL && oc->t_origin + oc->ttl < req->t_req);
}

VCL_VOID
vmod_deliver(VRT_CTX)
{
	struct client_task *t;

	CHECK_OBJ_NOTNULL(ctx, VRT_CTX_MAGIC);
	if (ctx->http_resp == NULL || ctx->http_req == NULL)
		return;
	t = client_task(ctx, 0);
	/* A fetch has them taken away already: they come from the cache. */
	if (t == NULL || t->hashed)
		hdr_remove_inner(ctx->http_resp, INNER_GHOST | INNER_KEYS);
	if (t == NULL || !t->routed)
		return;
	client_take(ctx, t);
	if (is_stale_hit(ctx->req))
		ghost_view_linger(t->view, now_ms());
	ghost_deliver(t->view, t->chosen.route, t->chosen.kind, lines_of(ctx->http_req), hdr_edit, ctx->http_resp);
	if (t->chosen.kind == GHOST_FREED_SOCKET)
		hdr_edit(ctx->http_resp, GHOST_SET, text_of("Connection"), text_of("close"));
}
