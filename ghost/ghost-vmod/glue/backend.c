/*
 * The backend's side: directors, backends, and what happens between vcl_backend_fetch and the last byte of the answer.
 *
 * A table has a director in each warm VCL. Varnish hands the director of req.backend_hint to the fetch and counts
 * references to it: that is how a fetch, its retries and a background fetch come by the table of their request.
 */

#include "config.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "glue.h"
#include "vtcp.h"

#define TRIED		16
#define NO_LIMIT	86400.
/* Timers round; a deadline this near counts as reached. */
#define SLACK_MS	10

struct table_director {
	unsigned			magic;
#define TABLE_DIRECTOR_MAGIC		0x6cd2e1f3
	const struct ghost_view		*view;
	const struct backend_home	*home;
};

/* What a fetch has, over all of its attempts. */
struct backend_task {
	unsigned			magic;
#define BACKEND_TASK_MAGIC		0x2b8a67e4
	const struct ghost_view		*view;
	const struct ghost_generation	*generation;	/* for .backend() only */
	struct ghost_ticket		read;
	const struct ghost_ticket	*ticket;	/* what was read, or NULL */
	uint64_t			began_ms;	/* 0: when the client's request began */
	struct ghost_attempt		attempt;
	unsigned			turn;		/* attempts made ready so far */
	unsigned			noted;		/* the last of them whose end was taken note of */
	uint64_t			limit_ms;	/* when an answer has to be there; 0: no matter */
	uint64_t			sent_ms;	/* when this attempt began */
	uint64_t			sent_before;	/* bytes of requests sent by earlier attempts */
	uint64_t			tried[TRIED];
	unsigned			n_tried;
	unsigned			resolved:1;
	unsigned			stored:1;
	struct busyobj			*bo;
};

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
	ghost_view_release(t->view);
	ghost_generation_release(t->generation);
	memset(t, 0, sizeof *t);
}

static const struct vmod_priv_methods backend_task_methods[1] = {{
	.magic = VMOD_PRIV_METHODS_MAGIC,
	.type = "ghost_backend_task",
	.fini = backend_task_fini
}};

static struct backend_task *
backend_task(VRT_CTX, int make)
{
	struct backend_task *t;
	struct vmod_priv *priv;

	CHECK_OBJ_NOTNULL(ctx, VRT_CTX_MAGIC);
	if (ctx->bo == NULL || ctx->http_bereq == NULL)
		return (NULL);
	priv = make ? VRT_priv_task(ctx, backend_task_id) : VRT_priv_task_get(ctx, backend_task_id);
	if (priv == NULL)
		return (NULL);
	if (priv->priv == NULL) {
		/* In a pipe the task is the client's, and outlives the busyobj. */
		t = make ? WS_Alloc(ctx->req != NULL ? ctx->req->ws : ctx->bo->ws, sizeof *t) : NULL;
		if (t == NULL)
			return (NULL);
		INIT_OBJ(t, BACKEND_TASK_MAGIC);
		t->bo = ctx->bo;
		priv->priv = t;
		priv->methods = backend_task_methods;
	}
	CAST_OBJ_NOTNULL(t, priv->priv, BACKEND_TASK_MAGIC);
	return (t);
}

static const struct vdi_methods table_methods[1];

static const struct table_director *
table_director(VCL_BACKEND d)
{
	const struct table_director *td;

	if (d == NULL || d->vdir == NULL || d->vdir->methods != table_methods)
		return (NULL);
	CAST_OBJ_NOTNULL(td, d->priv, TABLE_DIRECTOR_MAGIC);
	return (td);
}

/* router.backend() where there was no router.recv(): the route is looked for with what bereq says. */
VCL_BACKEND
backend_late(VRT_CTX, const struct ghost_router *router)
{
	struct backend_task *t;

	t = backend_task(ctx, 1);
	if (t == NULL)
		return (NULL);
	if (t->generation == NULL)
		t->generation = ghost_router_load(router);
	return (ghost_generation_director(t->generation));
}

static void
take_ticket(struct backend_task *t, const struct http *bereq)
{
	struct ghost_text text;
	struct ghost_chosen c;
	struct ghost_message m;

	text = hdr_get(bereq, TICKET, sizeof TICKET - 1);
	if (text.b == NULL) {
		m = message_of(bereq);
		m.socket = text_of("");
		if (!ghost_select(t->view, &m, now_ms(), &c))
			return;
		text = (struct ghost_text){ c.ticket, sizeof c.ticket };
	}
	if (ghost_ticket(text, &t->read))
		t->ticket = &t->read;
}

/*--------------------------------------------------------------------
 * Mirrors
 */

static int v_matchproto_(objiterate_f)
collect(void *priv, unsigned flush, const void *ptr, ssize_t len)
{

	(void)flush;
	if (ptr != NULL && len > 0)
		VSB_bcat(priv, ptr, len);
	return (0);
}

static void
copy_to_mirrors(const struct backend_task *t, const struct http *bereq)
{
	struct ghost_text body = { NULL, 0 };
	struct ghost_message m;
	struct vsb *vsb = NULL;
	struct busyobj *bo = t->bo;
	uint64_t dropped;

	/* A body that was not kept passes by once, and not here. */
	if (bo->bereq_body == NULL && bo->req != NULL && bo->req->req_body_status->avail > 0) {
		COUNT(mirror_drops);
		return;
	}
	if (bo->bereq_body != NULL) {
		vsb = VSB_new_auto();
		AN(vsb);
		if (ObjIterate(bo->wrk, bo->bereq_body, vsb, collect, 0) != 0 || VSB_finish(vsb) != 0) {
			VSB_destroy(&vsb);
			COUNT(mirror_drops);
			return;
		}
		body.b = VSB_data(vsb);
		body.n = (size_t)VSB_len(vsb);
	}
	m = message_of(bereq);
	dropped = ghost_mirror(t->view, t->ticket, &m, body);
	if (dropped > 0)
		stats_mirror_drops(dropped);
	if (vsb != NULL)
		VSB_destroy(&vsb);
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

void
backend_fetch(VRT_CTX)
{
	const struct table_director *td;
	struct backend_task *t;
	struct ghost_message m;
	struct busyobj *bo;
	uint64_t now;

	t = backend_task(ctx, 1);
	if (t == NULL)
		return;
	bo = ctx->bo;
	if (t->turn == bo->retries + 1)
		return;
	if (t->view == NULL) {
		td = table_director(bo->director_req);
		if (td != NULL) {
			t->view = ghost_view_hold(td->view);
			take_ticket(t, bo->bereq);
			if (bo->is_bgfetch)
				t->began_ms = now_ms();
		}
	}
	if (bo->retries > 0) {
		if (t->attempt.backoff_ms > 0)
			VTIM_sleep(t->attempt.backoff_ms / 1e3);
		start_clean(bo);
	}
	hdr_remove_inner(bo->bereq, INNER_GHOST);
	if (t->view == NULL)
		return;
	m = message_of(bo->bereq);
	now = now_ms();
	ghost_attempt(t->view, t->ticket, &m, (struct ghost_tried){ t->tried, t->n_tried }, now, t->began_ms,
	    hdr_edit, bo->bereq, &t->attempt);
	set_place(bo->bereq, &t->attempt);
	set_limits(ctx, t, now);
	t->turn = bo->retries + 1;
	t->sent_ms = now;
	t->resolved = 0;
	t->sent_before = bo->acct.bereq_hdrbytes;
	if (t->attempt.backend != NULL && t->n_tried < TRIED)
		t->tried[t->n_tried++] = t->attempt.endpoint_id;
	if (t->attempt.mirrors && bo->retries == 0)
		copy_to_mirrors(t, bo->bereq);
}

static VCL_BACKEND v_matchproto_(vdi_resolve_f)
table_resolve(VRT_CTX, VCL_BACKEND d)
{
	const struct table_director *td;
	struct backend_task *t;

	td = table_director(d);
	AN(td);
	backend_fetch(ctx);
	t = backend_task(ctx, 0);
	if (t == NULL || t->view == NULL)
		return (NULL);
	if (t->attempt.backend == NULL)
		return (td->home->answers);
	t->resolved = 1;
	return (t->attempt.backend);
}

/*--------------------------------------------------------------------
 * How it went
 */

/* Whether the backend may have seen the request. */
static bool
was_sent(const struct backend_task *t)
{

	return (t->bo->acct.bereq_hdrbytes != t->sent_before);
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

static enum vfp_status v_matchproto_(vfp_init_f)
deadline_init(VRT_CTX, struct vfp_ctx *vc, struct vfp_entry *vfe)
{
	const struct backend_task *t;

	(void)ctx;
	(void)vc;
	CAST_OBJ_NOTNULL(t, vfe->priv1, BACKEND_TASK_MAGIC);
	return (now_ms() >= t->attempt.deadline_ms ? VFP_ERROR : VFP_OK);
}

/*
 * Sits right above the connection. Each read may take until the deadline and no longer, so that a backend which sends a byte
 * now and then cannot stretch it. What was received by then is an error, never a short object.
 */
static enum vfp_status v_matchproto_(vfp_pull_f)
deadline_pull(struct vfp_ctx *vc, struct vfp_entry *vfe, void *p, ssize_t *lp)
{
	const struct backend_task *t;
	enum vfp_status status;
	double left, own;
	uint64_t now;

	CHECK_OBJ_NOTNULL(vc, VFP_CTX_MAGIC);
	CAST_OBJ_NOTNULL(t, vfe->priv1, BACKEND_TASK_MAGIC);
	now = now_ms();
	if (now < t->attempt.deadline_ms) {
		left = (double)(t->attempt.deadline_ms - now) / 1e3;
		if (t->bo->htc != NULL && t->bo->htc->rfd != NULL) {
			own = t->bo->htc->between_bytes_timeout;
			(void)VTCP_set_read_timeout(*t->bo->htc->rfd, own > 0 && own < left ? own : left);
		}
		status = VFP_Suck(vc, p, lp);
		if (status != VFP_ERROR || now_ms() + SLACK_MS < t->attempt.deadline_ms)
			return (status);
	}
	*lp = 0;
	COUNT(deadlines);
	return (VFP_Error(vc, "ghost: deadline"));
}

static const struct vfp deadline_vfp = {
	.name = "ghost_deadline",
	.init = deadline_init,
	.pull = deadline_pull,
};

static void
hold_deadline(struct backend_task *t)
{
	struct vfp_entry *vfe;

	if (t->attempt.deadline_ms == 0 || t->bo->vfc == NULL)
		return;
	vfe = VFP_Push(t->bo->vfc, &deadline_vfp);
	if (vfe != NULL)
		vfe->priv1 = t;
}

static void
keep_object(VRT_CTX, struct backend_task *t, const struct ghost_stored *s, const struct ghost_message *m)
{
	struct http *beresp = t->bo->beresp;

	if (s->ttl_seconds >= 0)
		VRT_l_beresp_ttl(ctx, (double)s->ttl_seconds);
	if (s->uncacheable || VRT_r_beresp_ttl(ctx) <= 0.) {
		/* Remembered, so that requests for it do not wait for each other. */
		VRT_l_beresp_ttl(ctx, 120.);
		VRT_l_beresp_grace(ctx, 0.);
		VRT_l_beresp_keep(ctx, 0.);
		VRT_l_beresp_uncacheable(ctx, 1);
		return;
	}
	VRT_l_beresp_grace(ctx, s->grace_seconds > s->stale_if_error_seconds ?
	    s->grace_seconds : s->stale_if_error_seconds);
	VRT_l_beresp_keep(ctx, s->keep_seconds);
	if (s->keys.b != NULL && s->keys.n > 0)
		(void)hdr_put(beresp, "xkey", 4, s->keys.b, s->keys.n);
	/* For bans, which know objects only. */
	if (s->host.b != NULL)
		(void)hdr_put(beresp, "X-Ghost-Host", 12, s->host.b, s->host.n);
	(void)hdr_put(beresp, "X-Ghost-Url", 11, m->url.b, m->url.n);
}

void
backend_response(VRT_CTX)
{
	struct ghost_stored s;
	struct ghost_message m;
	struct backend_task *t;
	struct busyobj *bo;

	t = backend_task(ctx, 0);
	if (t == NULL || t->view == NULL)
		return;
	bo = ctx->bo;
	note_attempt(ctx, t);
	if (ctx->method == VCL_MET_BACKEND_ERROR) {
		if (t->limit_ms != 0 && now_ms() + SLACK_MS >= t->limit_ms)
			VRT_l_beresp_status(ctx, 504);
		return;
	}
	t->stored = 0;
	/* No tags and no inner headers but ours. */
	hdr_remove_inner(bo->beresp, INNER_GHOST | INNER_KEYS);
	hold_deadline(t);
	if (!t->attempt.caches || bo->uncacheable)
		return;
	m = message_of(bo->bereq0);
	ghost_store(t->view, t->ticket, &m, http_GetStatus(bo->beresp), lines_of(bo->beresp), t->sent_ms, &s);
	if (s.policy) {
		t->stored = 1;
		keep_object(ctx, t, &s, &m);
	}
}

/* Nothing is tried again that the backend may have acted on, and nothing whose body is gone: Varnish's answer to that is
 * an error of its own, and the backend's is better. */
int
backend_again(VRT_CTX)
{
	struct backend_task *t;
	struct busyobj *bo;
	uint16_t status;
	uint64_t now;

	t = backend_task(ctx, 0);
	if (t == NULL || t->view == NULL || !t->resolved)
		return (0);
	bo = ctx->bo;
	note_attempt(ctx, t);
	if (t->attempt.retries == 0 || bo->no_retry != NULL || !MAY_RETRY(bo, t->attempt.retries))
		return (0);
	status = ctx->method == VCL_MET_BACKEND_ERROR ? 0 : http_GetStatus(bo->beresp);
	now = now_ms();
	if (!ghost_again(t->view, t->ticket, status, was_sent(t), bo->retries, now, t->began_ms))
		return (0);
	COUNT(retries);
	return (1);
}

int
backend_stored(VRT_CTX)
{
	const struct backend_task *t;

	t = backend_task(ctx, 0);
	return (t != NULL && t->stored);
}

int
backend_abandons(VRT_CTX)
{
	struct ghost_stored s;
	struct ghost_message m;
	struct backend_task *t;
	struct busyobj *bo;

	t = backend_task(ctx, 0);
	if (t == NULL || t->view == NULL)
		return (0);
	bo = ctx->bo;
	if (bo->uncacheable || bo->is_bgfetch || bo->stale_oc == NULL)
		return (0);
	if (ctx->method != VCL_MET_BACKEND_ERROR && http_GetStatus(bo->beresp) < 500)
		return (0);
	m = message_of(bo->bereq0);
	ghost_store(t->view, t->ticket, &m, 503, (struct ghost_lines){ NULL, 0 }, t->sent_ms, &s);
	return (s.policy && s.stale_if_error_seconds > 0);
}

/*--------------------------------------------------------------------
 * The director of a table
 */

static void v_matchproto_(vdi_destroy_f)
table_destroy(VCL_BACKEND d)
{
	struct table_director *td;

	CAST_OBJ_NOTNULL(td, d->priv, TABLE_DIRECTOR_MAGIC);
	ghost_view_release(td->view);
	FREE_OBJ(td);
}

static VCL_BOOL v_matchproto_(vdi_healthy_f)
table_healthy(VRT_CTX, VCL_BACKEND d, VCL_TIME *changed)
{

	(void)ctx;
	(void)d;
	if (changed != NULL)
		*changed = 0;
	return (1);
}

#define LISTED		1000

static void v_matchproto_(vdi_list_f)
table_list(VRT_CTX, VCL_BACKEND d, struct vsb *vsb, int pflag, int jflag)
{
	const struct table_director *td;
	struct ghost_summary s;
	struct ghost_text name;
	size_t i, routes;

	(void)ctx;
	td = table_director(d);
	AN(td);
	s = ghost_summary(td->view);
	if (!pflag && !jflag) {
		VSB_printf(vsb, "%zu vhosts, %zu routes\t%s", s.hosts, s.routes, s.newest ? "healthy" : "draining");
		return;
	}
	if (jflag) {
		VSB_printf(vsb, "{\"vhosts\": %zu, \"routes\": %zu, \"endpoints\": %zu, \"newest\": %s",
		    s.hosts, s.routes, s.endpoints, s.newest ? "true" : "false");
		if (pflag)
			VSB_cat(vsb, ", \"hosts\": [");
	} else
		VSB_printf(vsb, "\n  %zu vhosts, %zu routes, %zu endpoints, %s\n",
		    s.hosts, s.routes, s.endpoints, s.newest ? "newest" : "draining");
	for (i = 0; pflag && i < LISTED && ghost_host(td->view, i, &name, &routes); i++) {
		if (jflag) {
			VSB_printf(vsb, "%s{\"name\": \"", i == 0 ? "" : ", ");
			VSB_quote(vsb, name.b, (int)name.n, VSB_QUOTE_JSON);
			VSB_printf(vsb, "\", \"routes\": %zu}", routes);
		} else
			VSB_printf(vsb, "  ghost.%.*s\t%zu routes\n", (int)name.n, name.b, routes);
	}
	if (jflag)
		VSB_cat(vsb, pflag ? "]},\n" : "}");
}

static const struct vdi_methods table_methods[1] = {{
	.magic = VDI_METHODS_MAGIC,
	.type = "ghost",
	.resolve = table_resolve,
	.healthy = table_healthy,
	.destroy = table_destroy,
	.list = table_list,
}};

/*--------------------------------------------------------------------
 * What ghost answers by itself
 */

static enum vfp_status v_matchproto_(vfp_pull_f)
answer_pull(struct vfp_ctx *vc, struct vfp_entry *vfe, void *p, ssize_t *lp)
{
	const char *body = vfe->priv1;
	ssize_t left;

	CHECK_OBJ_NOTNULL(vc, VFP_CTX_MAGIC);
	left = (ssize_t)strlen(body) - vfe->priv2;
	if (*lp > left)
		*lp = left;
	memcpy(p, body + vfe->priv2, (size_t)*lp);
	vfe->priv2 += *lp;
	return (*lp == left ? VFP_END : VFP_OK);
}

static const struct vfp answer_vfp = {
	.name = "ghost_answer",
	.pull = answer_pull,
};

static struct ghost_answered
answer_for(const struct backend_task *t, struct http *beresp)
{
	struct ghost_answered a = { 503, false, { "no table", 8 } };
	struct ghost_message m;

	if (t == NULL || t->view == NULL)
		return (a);
	if (t->attempt.expired) {
		COUNT(deadlines);
		a.status = 504;
		a.body = text_of("deadline exceeded");
		return (a);
	}
	m = message_of(t->bo->bereq0);
	return (ghost_answer(t->view, t->ticket, &m, hdr_edit, beresp));
}

static int v_matchproto_(vdi_gethdrs_f)
answer_gethdrs(VRT_CTX, VCL_BACKEND d)
{
	struct ghost_answered a;
	struct vfp_entry *vfe;
	struct http_conn *htc;
	struct busyobj *bo;
	const char *body;

	(void)d;
	CHECK_OBJ_NOTNULL(ctx, VRT_CTX_MAGIC);
	bo = ctx->bo;
	CHECK_OBJ_NOTNULL(bo, BUSYOBJ_MAGIC);
	htc = WS_Alloc(bo->ws, sizeof *htc);
	if (htc == NULL)
		return (-1);
	http_PutResponse(bo->beresp, "HTTP/1.1", 200, NULL);
	a = answer_for(backend_task(ctx, 0), bo->beresp);
	http_SetStatus(bo->beresp, a.status, NULL);
	body = text_copy(bo->ws, a.body);
	if (body == NULL)
		return (-1);
	http_SetHeader(bo->beresp, "Cache-Control: no-store");
	if (a.body.n > 0)
		http_SetHeader(bo->beresp, "Content-Type: text/plain");
	http_PrintfHeader(bo->beresp, "Content-Length: %zu", a.body.n);
	INIT_OBJ(htc, HTTP_CONN_MAGIC);
	htc->doclose = SC_NULL;
	htc->body_status = BS_NONE;
	htc->content_length = -1;
	if (a.body.n > 0 && strcmp(http_GetMethod(bo->bereq), "HEAD") != 0) {
		htc->body_status = BS_LENGTH;
		htc->content_length = (ssize_t)a.body.n;
		vfe = VFP_Push(bo->vfc, &answer_vfp);
		if (vfe == NULL)
			return (-1);
		vfe->priv1 = TRUST_ME(body);
		vfe->priv2 = 0;
	}
	bo->htc = htc;
	return (0);
}

static void v_matchproto_(vdi_finish_f)
answer_finish(VRT_CTX, VCL_BACKEND d)
{

	(void)d;
	CHECK_OBJ_NOTNULL(ctx, VRT_CTX_MAGIC);
	ctx->bo->htc = NULL;
}

static const struct vdi_methods answer_methods[1] = {{
	.magic = VDI_METHODS_MAGIC,
	.type = "ghost_answer",
	.gethdrs = answer_gethdrs,
	.finish = answer_finish,
	.healthy = table_healthy,
}};

VCL_BACKEND
answer_director_new(VRT_CTX)
{

	return (VRT_AddDirector(ctx, answer_methods, NULL, "ghost_answer"));
}

/*--------------------------------------------------------------------
 * What Rust asks of Varnish. Called on any thread, for VCLs that are warm.
 */

static struct vrt_ctx
ctx_of(const struct backend_home *home)
{
	struct vrt_ctx ctx;

	INIT_OBJ(&ctx, VRT_CTX_MAGIC);
	ctx.vcl = home->vcl;
	return (ctx);
}

static const void *
add_director(void *home, const struct ghost_view *view, const char *name)
{
	struct table_director *td;
	struct vrt_ctx ctx;
	VCL_BACKEND d;

	AN(home);
	ALLOC_OBJ(td, TABLE_DIRECTOR_MAGIC);
	if (td == NULL)
		return (NULL);
	td->view = view;
	td->home = home;
	ctx = ctx_of(home);
	d = VRT_AddDirector(&ctx, table_methods, td, "%s", name);
	if (d == NULL)
		FREE_OBJ(td);
	return (d);
}

/*
 * Gives up our reference; whoever else has one keeps the director, and the last one ends it. (VRT_DelDirector() and
 * VRT_delete_backend() do that only from VRT 17 on: before, they insist on being the last.)
 */
static void
let_go(const void *director)
{
	VCL_BACKEND d = director;

	VRT_Assign_Backend(&d, NULL);
}

static const void *
new_backend(void *home, const struct ghost_place *place)
{
	struct sockaddr_in6 in6;
	struct sockaddr_in in4;
	struct vrt_endpoint endpoint;
	struct vrt_backend backend;
	const struct suckaddr *sa = NULL;
	struct vrt_ctx ctx;
	VCL_BACKEND d;

	AN(home);
	AN(place);
	INIT_OBJ(&endpoint, VRT_ENDPOINT_MAGIC);
	if (place->family == 4) {
		memset(&in4, 0, sizeof in4);
		in4.sin_family = AF_INET;
		in4.sin_port = htons(place->port);
		memcpy(&in4.sin_addr, place->address, sizeof in4.sin_addr);
		endpoint.ipv4 = sa = VSA_Malloc(&in4, sizeof in4);
	} else if (place->family == 6) {
		memset(&in6, 0, sizeof in6);
		in6.sin6_family = AF_INET6;
		in6.sin6_port = htons(place->port);
		memcpy(&in6.sin6_addr, place->address, sizeof in6.sin6_addr);
		endpoint.ipv6 = sa = VSA_Malloc(&in6, sizeof in6);
	} else
		endpoint.uds_path = place->path;
	VRT_BACKEND_INIT(&backend);
	backend.endpoint = &endpoint;
	backend.vcl_name = place->name;
	backend.hosthdr = place->host;
	ctx = ctx_of(home);
	d = NEW_BACKEND(&ctx, &backend);
	free(TRUST_ME(sa));
	return (d);
}

const struct ghost_vrt ghost_vrt = {
	.add_director = add_director,
	.new_backend = new_backend,
	.let_go = let_go,
	.listener_counter = stats_listener,
	.loaded = stats_loaded,
	.mirrors_failed = stats_mirror_drops,
};
