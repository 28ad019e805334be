/*
 * The client's side of the VMOD: events, objects, and what VCL calls between vcl_recv and vcl_deliver.
 *
 * All decisions are made in Rust (ghost.h). What is here fetches arguments from Varnish and carries out results.
 */

#include "config.h"

#include "glue.h"

#define RELOAD_URL	"/.varnish-ghost/reload"

/* What a VCL has once. */
struct vcl_state {
	unsigned			magic;
#define VCL_STATE_MAGIC			0x7a1d2c55
	char				*socket;
	VTAILQ_HEAD(, VPFX(ghost_ghost_backend)) routers;
};

struct VPFX(ghost_ghost_backend) {
	unsigned			magic;
#define GHOST_BACKEND_MAGIC		0x3f0e91b7
	struct backend_home		home;
	const struct ghost_router	*router;
	struct vcl_state		*state;
	VTAILQ_ENTRY(VPFX(ghost_ghost_backend)) list;
};

/* What a client's request has: its table, from the first vcl_recv to the last vcl_deliver, and what was chosen from it. */
struct client_task {
	unsigned			magic;
#define CLIENT_TASK_MAGIC		0x51c3a0d9
	const struct ghost_generation	*generation;
	const struct ghost_view		*view;
	struct ghost_chosen		chosen;
	struct ghost_reloaded		reloaded;
	uint8_t				way;		/* enum ghost_way, as .looks_up() found it */
	unsigned			routed:1;
	unsigned			hashed:1;
	unsigned			stale:1;
	unsigned			control:1;
};

static const char client_task_id[1];

/*--------------------------------------------------------------------
 * Events
 */

static void
vcl_state_fini(VRT_CTX, void *p)
{
	struct vcl_state *vs;

	(void)ctx;
	CAST_OBJ_NOTNULL(vs, p, VCL_STATE_MAGIC);
	free(vs->socket);
	FREE_OBJ(vs);
}

static const struct vmod_priv_methods vcl_state_methods[1] = {{
	.magic = VMOD_PRIV_METHODS_MAGIC,
	.type = "ghost_vcl_state",
	.fini = vcl_state_fini
}};

static struct vcl_state *
vcl_state(struct vmod_priv *priv)
{
	struct vcl_state *vs;

	AN(priv);
	if (priv->priv == NULL) {
		ALLOC_OBJ(vs, VCL_STATE_MAGIC);
		AN(vs);
		VTAILQ_INIT(&vs->routers);
		priv->priv = vs;
		priv->methods = vcl_state_methods;
	}
	CAST_OBJ_NOTNULL(vs, priv->priv, VCL_STATE_MAGIC);
	return (vs);
}

int v_matchproto_(vmod_event_f)
VPFX(ghost_event)(VRT_CTX, struct vmod_priv *priv, enum vcl_event_e e)
{
	struct VPFX(ghost_ghost_backend) *be;
	struct vcl_state *vs;

	CHECK_OBJ_NOTNULL(ctx, VRT_CTX_MAGIC);
	if (e == VCL_EVENT_LOAD) {
		stats_start();
		if (!ghost_start(ghost_vrt)) {
			VSB_cat(ctx->msg, "ghost: cannot start a thread\n");
			return (-1);
		}
	}
	if (e == VCL_EVENT_DISCARD)
		return (0);
	vs = vcl_state(priv);
	VTAILQ_FOREACH(be, &vs->routers, list) {
		if (e == VCL_EVENT_WARM && !ghost_router_warm(be->router)) {
			VSB_cat(ctx->msg, "ghost: no director for the table\n");
			return (-1);
		}
		if (e == VCL_EVENT_COLD)
			ghost_router_cold(be->router);
	}
	return (0);
}

VCL_VOID
vmod_init(VRT_CTX, struct vmod_priv *priv, VCL_STRING path, VCL_STRING socket)
{
	struct vcl_state *vs;

	CHECK_OBJ_NOTNULL(ctx, VRT_CTX_MAGIC);
	if (path == NULL || *path == '\0') {
		VRT_fail(ctx, "ghost.init(): no path");
		return;
	}
	vs = vcl_state(priv);
	REPLACE(vs->socket, socket);
	ghost_path(path);
}

/*--------------------------------------------------------------------
 * Objects
 */

VCL_VOID
vmod_ghost_backend__init(VRT_CTX, struct VPFX(ghost_ghost_backend) **bep, const char *name, struct vmod_priv *priv)
{
	struct VPFX(ghost_ghost_backend) *be;
	struct vcl_state *vs;

	CHECK_OBJ_NOTNULL(ctx, VRT_CTX_MAGIC);
	AN(bep);
	AZ(*bep);
	vs = vcl_state(priv);
	if (vs->socket == NULL) {
		VRT_fail(ctx, "ghost.ghost_backend(): ghost.init() comes first");
		return;
	}
	ALLOC_OBJ(be, GHOST_BACKEND_MAGIC);
	AN(be);
	be->state = vs;
	be->home.vcl = ctx->vcl;
	be->home.answers = answer_director_new(ctx);
	AN(be->home.answers);
	be->router = ghost_router_new(ghost_vrt, &be->home, name);
	AN(be->router);
	VTAILQ_INSERT_TAIL(&vs->routers, be, list);
	ghost_preload();
	*bep = be;
}

VCL_VOID
vmod_ghost_backend__fini(struct VPFX(ghost_ghost_backend) **bep)
{
	struct VPFX(ghost_ghost_backend) *be;

	TAKE_OBJ_NOTNULL(be, bep, GHOST_BACKEND_MAGIC);
	VTAILQ_REMOVE(&be->state->routers, be, list);
	ghost_router_free(be->router);
	VRT_DelDirector(&be->home.answers);
	FREE_OBJ(be);
}

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
	ghost_generation_release(t->generation);
	memset(t, 0, sizeof *t);
}

static const struct vmod_priv_methods client_task_methods[1] = {{
	.magic = VMOD_PRIV_METHODS_MAGIC,
	.type = "ghost_client_task",
	.fini = client_task_fini
}};

static struct client_task *
client_task(VRT_CTX, int make)
{
	struct client_task *t;
	struct vmod_priv *priv;

	CHECK_OBJ_NOTNULL(ctx, VRT_CTX_MAGIC);
	if (ctx->req == NULL)
		return (NULL);
	priv = make ? VRT_priv_task(ctx, client_task_id) : VRT_priv_task_get(ctx, client_task_id);
	if (priv == NULL)
		return (NULL);
	if (priv->priv == NULL) {
		t = make ? WS_Alloc(ctx->req->ws, sizeof *t) : NULL;
		if (t == NULL)
			return (NULL);
		INIT_OBJ(t, CLIENT_TASK_MAGIC);
		priv->priv = t;
		priv->methods = client_task_methods;
	}
	CAST_OBJ_NOTNULL(t, priv->priv, CLIENT_TASK_MAGIC);
	return (t);
}

/* The table is loaded once: restarts see the same. */
static const struct ghost_view *
client_view(struct client_task *t, const struct VPFX(ghost_ghost_backend) *be)
{

	if (t->generation == NULL) {
		t->generation = ghost_router_load(be->router);
		t->view = ghost_generation_view(t->generation);
	}
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

static void
say_route(struct http *hp, const struct ghost_chosen *c)
{

	(void)hdr_put(hp, TICKET, sizeof TICKET - 1, c->ticket, sizeof c->ticket);
	if (c->listener.b != NULL)
		(void)hdr_put(hp, "X-Gateway-Listener", 18, c->listener.b, c->listener.n);
	if (c->name.b != NULL && c->name.n > 0)
		(void)hdr_put(hp, "X-Gateway-Route", 15, c->name.b, c->name.n);
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
	hdr_remove_inner(ctx->http_req, INNER_GHOST | INNER_GATEWAY);
	if (client_view(t, be) == NULL)
		return (NULL);
	m = message_of(ctx->http_req);
	m.socket = text_of(VRT_r_local_socket(ctx));
	m.port = (uint16_t)VSA_Port(VRT_r_server_ip(ctx));
	if (a->valid_server_name && a->server_name != NULL && *a->server_name != '\0')
		m.server_name = text_of(a->server_name);
	c = &t->chosen;
	if (!ghost_select(t->view, &m, now_ms(), c))
		return (NULL);
	t->routed = 1;
	t->hashed = 0;
	t->way = GHOST_PASS;
	count(c->kind);
	say_route(ctx->http_req, c);
	VSLbt(ctx->vsl, SLT_VCL_Log, (txt){ c->log.b, c->log.b + c->log.n });
	keep_body(ctx, c->buffer_bytes);
	return (ghost_generation_director(t->generation));
}

VCL_BACKEND
vmod_ghost_backend_backend(VRT_CTX, struct VPFX(ghost_ghost_backend) *be)
{
	struct client_task *t;

	CHECK_OBJ_NOTNULL(be, GHOST_BACKEND_MAGIC);
	t = client_task(ctx, 1);
	if (t != NULL) {
		(void)client_view(t, be);
		return (ghost_generation_director(t->generation));
	}
	return (backend_late(ctx, be->router));
}

static struct ghost_disposition
disposition(VRT_CTX, const struct client_task *t)
{

	return (ghost_disposition(t->view, t->chosen.route, t->chosen.kind, field_of(ctx->http_req, HTTP_HDR_METHOD),
	    lines_of(ctx->http_req)));
}

VCL_BOOL
vmod_ghost_backend_looks_up(VRT_CTX, struct VPFX(ghost_ghost_backend) *be)
{
	struct ghost_disposition d;
	struct client_task *t;

	CHECK_OBJ_NOTNULL(be, GHOST_BACKEND_MAGIC);
	t = client_task(ctx, 0);
	if (t == NULL || !t->routed || ctx->http_req == NULL)
		return (0);
	d = disposition(ctx, t);
	t->way = d.way;
	/* Objects are kept for errors longer than they may be served otherwise: the request says which of the two this is. */
	if (d.way == GHOST_HASH && d.stale_if_error_seconds > 0)
		VRT_l_req_grace(ctx, t->stale ? d.stale_if_error_seconds : d.grace_seconds);
	return (d.way == GHOST_HASH);
}

VCL_BOOL
vmod_ghost_backend_pipes(VRT_CTX, struct VPFX(ghost_ghost_backend) *be)
{
	const struct client_task *t;

	CHECK_OBJ_NOTNULL(be, GHOST_BACKEND_MAGIC);
	t = client_task(ctx, 0);
	return (t != NULL && t->way == GHOST_PIPE);
}

VCL_STRING
vmod_ghost_backend_way(VRT_CTX, struct VPFX(ghost_ghost_backend) *be)
{

	if (vmod_ghost_backend_looks_up(ctx, be))
		return ("hash");
	return (vmod_ghost_backend_pipes(ctx, be) ? "pipe" : "pass");
}

VCL_VOID
vmod_ghost_backend_hash(VRT_CTX, struct VPFX(ghost_ghost_backend) *be)
{
	struct ghost_message m;
	struct client_task *t;
	char key[33];

	CHECK_OBJ_NOTNULL(be, GHOST_BACKEND_MAGIC);
	t = client_task(ctx, 0);
	if (t == NULL || !t->routed || t->hashed || ctx->method != VCL_MET_HASH)
		return;
	m = message_of(ctx->http_req);
	if (ghost_cache_key(t->view, t->chosen.route, &m, key)) {
		VRT_hashdata(ctx, TOSTRAND(key));
		t->hashed = 1;
	}
}

VCL_BOOL
vmod_ghost_backend_hashed(VRT_CTX, struct VPFX(ghost_ghost_backend) *be)
{
	struct client_task *t;

	CHECK_OBJ_NOTNULL(be, GHOST_BACKEND_MAGIC);
	t = client_task(ctx, 0);
	return (t != NULL && t->hashed);
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

VCL_VOID
vmod_deliver(VRT_CTX)
{
	struct client_task *t;

	CHECK_OBJ_NOTNULL(ctx, VRT_CTX_MAGIC);
	if (ctx->http_resp == NULL || ctx->http_req == NULL)
		return;
	hdr_remove_inner(ctx->http_resp, INNER_GHOST | INNER_KEYS);
	t = client_task(ctx, 0);
	if (t == NULL || !t->routed)
		return;
	ghost_deliver(t->view, t->chosen.route, t->chosen.kind, lines_of(ctx->http_req), hdr_edit, ctx->http_resp);
	if (t->chosen.kind == GHOST_FREED_SOCKET)
		hdr_edit(ctx->http_resp, GHOST_SET, text_of("Connection"), text_of("close"));
}

/*--------------------------------------------------------------------
 * Reload and purge
 */

VCL_BOOL
vmod_control(VRT_CTX, struct vmod_priv *priv)
{
	const struct vcl_state *vs = vcl_state(priv);
	const char *socket, *url;
	struct client_task *t;

	socket = VRT_r_local_socket(ctx);
	if (socket == NULL || vs->socket == NULL || strcmp(socket, vs->socket) != 0)
		return (0);
	t = client_task(ctx, 1);
	if (t == NULL)
		return (0);
	t->control = 1;
	url = ctx->http_req->hd[HTTP_HDR_URL].b;
	if (t->reloaded.json == NULL && url != NULL && strcmp(url, RELOAD_URL) == 0) 
		t->reloaded = ghost_reload();
	return (1);
}

VCL_BOOL
vmod_answer(VRT_CTX)
{
	struct client_task *t;
	char *error;

	t = client_task(ctx, 0);
	if (t == NULL || !t->control || ctx->method != VCL_MET_SYNTH)
		return (0);
	if (t->reloaded.json == NULL) {
		if (http_GetStatus(ctx->http_resp) == 404)
			VRT_synth_strands(ctx, TOSTRAND("not found\n"));
		return (1);
	}
	VRT_l_resp_status(ctx, t->reloaded.live ? 200 : 500);
	hdr_edit(ctx->http_resp, GHOST_SET, text_of("Content-Type"), text_of("application/json"));
	hdr_edit(ctx->http_resp, GHOST_SET, text_of("Cache-Control"), text_of("no-store"));
	if (!t->reloaded.live) {
		error = ghost_last_error();
		http_PrintfHeader(ctx->http_resp, "X-Ghost-Error: Ghost reload failed: %s", error);
		ghost_text_free(error);
	}
	VRT_synth_strands(ctx, TOSTRANDS(2, t->reloaded.json, "\n"));
	return (1);
}

VCL_STRING
vmod_purge_key(VRT_CTX, VCL_BOOL url)
{
	struct ghost_message m;
	struct ghost_text key;

	CHECK_OBJ_NOTNULL(ctx, VRT_CTX_MAGIC);
	if (ctx->http_req == NULL)
		return (NULL);
	m = message_of(ctx->http_req);
	key = ghost_purge_key(&m, url, now_ms());
	return (key.b == NULL ? NULL : text_copy(ctx->ws, key));
}

VCL_STRING
vmod_tag(VRT_CTX, VCL_STRING tag)
{

	CHECK_OBJ_NOTNULL(ctx, VRT_CTX_MAGIC);
	if (tag != NULL)
		ghost_invalidated(text_of(tag), now_ms());
	return (tag);
}

VCL_VOID
vmod_banning(VRT_CTX)
{

	CHECK_OBJ_NOTNULL(ctx, VRT_CTX_MAGIC);
	ghost_invalidated((struct ghost_text){ NULL, 0 }, now_ms());
}

VCL_BOOL
vmod_ghost_backend_reload(VRT_CTX, struct VPFX(ghost_ghost_backend) *be)
{
	struct ghost_reloaded r;

	CHECK_OBJ_NOTNULL(ctx, VRT_CTX_MAGIC);
	CHECK_OBJ_NOTNULL(be, GHOST_BACKEND_MAGIC);
	r = ghost_reload();
	ghost_text_free(r.json);
	return (r.live);
}

VCL_STRING
vmod_ghost_backend_last_error(VRT_CTX, struct VPFX(ghost_ghost_backend) *be)
{
	const char *copy;
	char *error;

	CHECK_OBJ_NOTNULL(ctx, VRT_CTX_MAGIC);
	CHECK_OBJ_NOTNULL(be, GHOST_BACKEND_MAGIC);
	error = ghost_last_error();
	copy = WS_Copy(ctx->ws, error, -1);
	ghost_text_free(error);
	return (copy);
}

/*--------------------------------------------------------------------
 * The backend's side is in backend.c
 */

VCL_VOID
vmod_ghost_backend_fetch(VRT_CTX, struct VPFX(ghost_ghost_backend) *be)
{

	CHECK_OBJ_NOTNULL(be, GHOST_BACKEND_MAGIC);
	backend_fetch(ctx);
}

VCL_VOID
vmod_ghost_backend_response(VRT_CTX, struct VPFX(ghost_ghost_backend) *be)
{

	CHECK_OBJ_NOTNULL(be, GHOST_BACKEND_MAGIC);
	backend_response(ctx);
}

VCL_BOOL
vmod_ghost_backend_again(VRT_CTX, struct VPFX(ghost_ghost_backend) *be)
{

	CHECK_OBJ_NOTNULL(be, GHOST_BACKEND_MAGIC);
	return (backend_again(ctx));
}

VCL_BOOL
vmod_ghost_backend_stored(VRT_CTX, struct VPFX(ghost_ghost_backend) *be)
{

	CHECK_OBJ_NOTNULL(be, GHOST_BACKEND_MAGIC);
	return (backend_stored(ctx));
}

VCL_BOOL
vmod_ghost_backend_abandons(VRT_CTX, struct VPFX(ghost_ghost_backend) *be)
{

	CHECK_OBJ_NOTNULL(be, GHOST_BACKEND_MAGIC);
	return (backend_abandons(ctx));
}
