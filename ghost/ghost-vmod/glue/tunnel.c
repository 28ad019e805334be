/*
 * Pipes: the connection of a client and that of a backend become one, a tunnel, if the backend agrees to it.
 *
 * Varnish's own pipe copies bytes both ways from the start, whatever the backend answers, so that a client whose upgrade was refused
 * goes on talking to the backend: with any host, headers of its own, and no route. Here the request is sent as a fetch would send it, and
 * the head of the answer is read first. WebSocket, asked for and agreed to, opens the tunnel. Any other answer is delivered
 * with its body, and then both connections are closed; no byte that came behind the request is read.
 *
 * The same serves requests that a user's VCL pipes, which get an answer and no tunnel.
 */

#include "config.h"

#include <strings.h>

#include "glue.h"
#include "client.h"
#include "fetch.h"
#include "relay.h"

/*--------------------------------------------------------------------
 * What the client gets
 */

/* What the route does to answers. */
static void
edit_answer(VRT_CTX)
{
	const struct client_task *c;

	hdr_remove_inner(ctx->req->resp, INNER_GHOST | INNER_KEYS);
	c = client_task(ctx, 0);
	if (c != NULL && c->routed && c->view != NULL)
		ghost_deliver(c->view, c->chosen.route, c->chosen.kind, lines_of(ctx->req->http), hdr_edit, ctx->req->resp);
}

static int
send_head(VRT_CTX)
{
	const struct http *resp = ctx->req->resp;
	struct vsb *vsb;
	unsigned u;
	int failed;

	vsb = VSB_new_auto();
	AN(vsb);
	VSB_printf(vsb, "HTTP/1.1 %u %s\r\n", http_GetStatus(resp), resp->hd[HTTP_HDR_REASON].b);
	for (u = HTTP_HDR_FIRST; u < resp->nhd; u++)
		VSB_printf(vsb, "%.*s\r\n", (int)(resp->hd[u].e - resp->hd[u].b), resp->hd[u].b);
	VSB_cat(vsb, "\r\n");
	AZ(VSB_finish(vsb));
	ctx->req->acct.resp_hdrbytes += (uint64_t)VSB_len(vsb);
	failed = send_all(ctx->req->sp->fd, VSB_data(vsb), (size_t)VSB_len(vsb));
	VSB_destroy(&vsb);
	return (failed);
}

/* An answer of ours. */
static stream_close_t
answer(VRT_CTX, const struct backend_task *t)
{
	struct ghost_answered a = { 503, false, text_of("no answer from a backend") };
	struct req *req = ctx->req;
	struct ghost_message m;
	const char *body;

	HTTP_Setup(req->resp, req->ws, req->vsl, SLT_RespMethod);
	http_PutResponse(req->resp, "HTTP/1.1", 503, NULL);
	if (t != NULL && (t->attempt.expired || (t->limit_ms != 0 && now_ms() + SLACK_MS >= t->limit_ms))) {
		COUNT(deadlines);
		a.status = 504;
		a.body = text_of("deadline exceeded");
	} else if (t != NULL && t->view != NULL && t->attempt.backend == NULL) {
		m = message_of(ctx->http_req);
		a = ghost_answer(t->view, t->ticket, &m, hdr_edit, req->resp);
	}
	body = text_copy(req->ws, a.body);
	if (body == NULL)
		return (SC_OVERLOAD);
	http_SetStatus(req->resp, a.status, NULL);
	http_SetHeader(req->resp, "Cache-Control: no-store");
	if (a.body.n > 0)
		http_SetHeader(req->resp, "Content-Type: text/plain");
	http_PrintfHeader(req->resp, "Content-Length: %zu", a.body.n);
	edit_answer(ctx);
	http_SetHeader(req->resp, "Connection: close");
	if (WS_Overflowed(req->ws))
		return (SC_OVERLOAD);
	if (send_head(ctx))
		return (SC_REM_CLOSE);
	if (strcmp(http_GetMethod(req->http), "HEAD") == 0)
		return (SC_RESP_CLOSE);
	req->acct.resp_bodybytes += a.body.n;
	return (send_all(req->sp->fd, body, a.body.n) ? SC_REM_CLOSE : SC_RESP_CLOSE);
}

/* Headers that are about one connection (RFC 9110, 7.6.1); those that Connection names are marked by Varnish. */
static bool
is_of_connection(const struct http *hp, unsigned at)
{
	static const char *const names[] = {
	    "Connection:", "Keep-Alive:", "Proxy-Connection:", "TE:", "Trailer:", "Transfer-Encoding:", "Upgrade:"
	};
	size_t i;

	if (hp->hdf[at] & HDF_FILTER)
		return (true);
	for (i = 0; i < sizeof names / sizeof *names; i++)
		if (strncasecmp(hp->hd[at].b, names[i], strlen(names[i])) == 0)
			return (true);
	return (false);
}

/* The backend's answer as the client gets it, but for what is about the connection. */
static void
copy_head(VRT_CTX)
{
	const struct http *beresp = ctx->bo->beresp;
	struct req *req = ctx->req;
	unsigned u;

	HTTP_Setup(req->resp, req->ws, req->vsl, SLT_RespMethod);
	http_PutResponse(req->resp, "HTTP/1.1", http_GetStatus(beresp), beresp->hd[HTTP_HDR_REASON].b);
	for (u = HTTP_HDR_FIRST; u < beresp->nhd; u++)
		if (!is_of_connection(beresp, u))
			http_SetHeader(req->resp, beresp->hd[u].b);
	edit_answer(ctx);
}

static bool
send_piece(VRT_CTX, const char *p, size_t n, bool chunked)
{
	char size[sizeof "ffffffffffffffff\r\n"];
	int fd = ctx->req->sp->fd, l;

	l = snprintf(size, sizeof size, "%zx\r\n", n);
	if (chunked && send_all(fd, size, (size_t)l))
		return (false);
	if (send_all(fd, p, n))
		return (false);
	ctx->req->acct.resp_bodybytes += n;
	return (!chunked || send_all(fd, "\r\n", 2) == 0);
}

static stream_close_t
send_body(VRT_CTX, struct backend_task *t, bool chunked)
{
	enum vfp_status status;
	char piece[PIECE];
	ssize_t l;

	hold_deadline(t);
	if (VFP_Open(ctx, ctx->bo->vfc))
		return (SC_TX_ERROR);
	do {
		l = sizeof piece;
		status = VFP_Suck(ctx->bo->vfc, piece, &l);
		/* A body that breaks off has no end: the client can tell. */
		if (status == VFP_ERROR)
			return (SC_TX_ERROR);
		if (l > 0 && !send_piece(ctx, piece, (size_t)l, chunked))
			return (SC_REM_CLOSE);
	} while (status == VFP_OK);
	return (chunked && send_all(ctx->req->sp->fd, "0\r\n\r\n", 5) ? SC_REM_CLOSE : SC_RESP_CLOSE);
}

/* The answer is no tunnel: the client gets it, and both connections are done with. */
static stream_close_t
deliver(VRT_CTX, struct backend_task *t)
{
	body_status_t body = ctx->bo->htc->body_status;
	struct req *req = ctx->req;
	struct ghost_text upgrade;
	bool chunked = false;

	copy_head(ctx);
	if (body == BS_CHUNKED || body == BS_EOF) {
		hdr_remove(req->resp, "Content-Length", 14);
		chunked = req->http->protover >= 11;
		if (chunked)
			http_SetHeader(req->resp, "Transfer-Encoding: chunked");
	}
	/* "Upgrade Required" has to say to what. */
	upgrade = hdr_get(ctx->bo->beresp, "Upgrade", 7);
	if (http_IsStatus(req->resp, 426) && upgrade.b != NULL)
		(void)hdr_put(req->resp, "Upgrade", 7, upgrade.b, upgrade.n);
	http_SetHeader(req->resp, "Connection: close");
	if (WS_Overflowed(req->ws))
		return (answer(ctx, NULL));
	if (send_head(ctx))
		return (SC_REM_CLOSE);
	return (body == BS_NONE ? SC_RESP_CLOSE : send_body(ctx, t, chunked));
}

/*--------------------------------------------------------------------
 * The tunnel
 */

/* A tunnel may be open for days, and must not keep a table for as long: all that it needs is the backend, and what counts its thread. */
static const struct ghost_held *
let_go_of_table(VRT_CTX, struct backend_task *t)
{
	const struct ghost_held *held;
	struct client_task *c;

	held = ghost_backend_hold(t->view, t->ticket, t->attempt.endpoint);
	if (held == NULL)
		return (NULL);
	c = client_task(ctx, 0);
	if (c != NULL) {
		connection_tunnels(c);
		ghost_view_release(c->view);
		c->view = NULL;
		c->routed = 0;
	}
	ghost_view_release(t->view);
	t->view = NULL;
	return (held);
}

static void
charge(struct req *req, const struct busyobj *bo, const struct way *up, const struct way *down)
{

	VSLb(req->vsl, SLT_PipeAcct, "%ju %ju %ju %ju", (uintmax_t)req->acct.req_hdrbytes,
	    (uintmax_t)bo->acct.bereq_hdrbytes, (uintmax_t)up->bytes, (uintmax_t)(req->acct.resp_hdrbytes + down->bytes));
	MARK_PIPED(req);		/* the log has that in place of what other requests have */
}

static stream_close_t
tunnel(VRT_CTX, struct backend_task *t)
{
	VCL_BACKEND backend = t->attempt.backend;
	struct http_conn *htc = ctx->bo->htc;
	const struct ghost_held *held;
	struct req *req = ctx->req;
	struct way up = { .from = req->sp->fd, .to = *htc->rfd, .open = true };
	struct way down = { .from = *htc->rfd, .to = req->sp->fd, .open = true };
	stream_close_t reason = SC_REM_CLOSE;
	double deadline = PIPE_SECONDS(ctx->bo);

	if (deadline > 0)
		deadline += req->sp->t_idle;
	copy_head(ctx);
	http_SetHeader(req->resp, "Upgrade: websocket");
	http_SetHeader(req->resp, "Connection: Upgrade");
	VSLb_ts_req(req, "Pipe", W_TIM_real(req->wrk));
	if (WS_Overflowed(req->ws))
		reason = SC_OVERLOAD;
	else if (send_head(ctx) == 0 && (htc->pipeline_b == NULL ||
	    way_push(&down, htc->pipeline_b, (size_t)(htc->pipeline_e - htc->pipeline_b)))) {
		/* From here on the request is under way for as long as its connections are. */
		held = let_go_of_table(ctx, t);
		reason = relay(&up, &down, deadline);
		htc->doclose = reason;
		backend->vdir->methods->finish(ctx, backend);
		client_give_back(ctx);	/* before what counts it may go */
		ghost_backend_release(held);
	}
	VSLb_ts_req(req, "PipeSess", W_TIM_real(req->wrk));
	charge(req, ctx->bo, &up, &down);
	way_rest_free(&up);
	way_rest_free(&down);
	return (reason);
}

/*--------------------------------------------------------------------
 * The request
 */

/* What the request says of its connection is ours to say, whatever VCL made of it. */
static void
prepare(VRT_CTX, const struct backend_task *t, bool offers)
{
	struct http *bereq = ctx->bo->bereq;

	hdr_remove(bereq, "Connection", 10);
	hdr_remove(bereq, "Upgrade", 7);
	http_SetHeader(bereq, offers ? "Connection: Upgrade" : "Connection: close");
	if (offers)
		http_SetHeader(bereq, "Upgrade: websocket");
	if (t->body == NULL || t->body == BS_NONE)
		return;
	/* A user's VCL pipes a request with a body. Varnish would have copied it blindly; now it is read as any other. */
	if (ctx->req->req_body_status == BS_NONE)
		ctx->req->req_body_status = t->body;
	hdr_remove(bereq, "Transfer-Encoding", 17);	/* it is put there when the body is sent */
	if (hdr_get(bereq, "Expect", 6).b != NULL) {
		hdr_remove(bereq, "Expect", 6);
		(void)send_all(ctx->req->sp->fd, "HTTP/1.1 100 Continue\r\n\r\n", 25);
	}
}

/* The status of the answer, whose connection is open then; 0: there is none. */
static uint16_t
exchange(VRT_CTX, struct backend_task *t)
{
	VCL_BACKEND backend = t->attempt.backend;
	struct busyobj *bo = ctx->bo;
	int failed;

	HTTP_Setup(bo->beresp, bo->ws, bo->vsl, SLT_BerespMethod);
	VFP_Setup(bo->vfc, bo->wrk);
	bo->vfc->resp = bo->beresp;
	bo->vfc->req = bo->bereq;
	failed = backend->vdir->methods->gethdrs(ctx, backend);
	attempt_over(bo);
	if (failed == 0) {
		ghost_connected(t->view, t->attempt.endpoint);
		return (http_GetStatus(bo->beresp));
	}
	(void)VFP_Close(bo->vfc);
	if (!was_sent(t)) {
		COUNT(connect_failures);
		ghost_not_connected(t->view, t->attempt.endpoint, now_ms());
	}
	return (0);
}

static void
close_backend(VRT_CTX, const struct backend_task *t, stream_close_t reason)
{
	VCL_BACKEND backend = t->attempt.backend;
	struct busyobj *bo = ctx->bo;

	if (bo->htc == NULL)
		return;
	bo->acct.beresp_bodybytes += VFP_Close(bo->vfc);
	bo->htc->doclose = reason == SC_NULL ? SC_RESP_CLOSE : reason;
	backend->vdir->methods->finish(ctx, backend);
}

/* The next attempt finds the request as the last one left it. */
static void
try_next(VRT_CTX, struct backend_task *t)
{
	struct ghost_message m = message_of(ctx->http_req);

	close_backend(ctx, t, SC_RESP_CLOSE);
	if (t->attempt.backoff_ms > 0)
		VTIM_sleep(t->attempt.backoff_ms / 1e3);
	ctx->bo->retries++;
	attempt_begin(ctx, t, &m, NULL);
}

static stream_close_t v_matchproto_(vdi_http1pipe_f)
tunnel_http1pipe(VRT_CTX, VCL_BACKEND d)
{
	const struct client_task *c;
	stream_close_t reason;
	struct backend_task *t;
	uint16_t status = 0;
	bool offers;

	(void)d;
	CHECK_OBJ_NOTNULL(ctx, VRT_CTX_MAGIC);
	CHECK_OBJ_NOTNULL(ctx->bo, BUSYOBJ_MAGIC);
	CHECK_OBJ_NOTNULL(ctx->req, REQ_MAGIC);
	t = backend_task(ctx, 0);
	if (t == NULL || t->view == NULL)
		return (answer(ctx, NULL));
	c = client_task(ctx, 0);
	offers = c != NULL && c->may_upgrade && ghost_offers_websocket(lines_of(ctx->req->http));
	prepare(ctx, t, offers);
	while (t->attempt.backend != NULL) {
		status = exchange(ctx, t);
		if (ctx->bo->no_retry != NULL || !attempts_again(t, status))
			break;
		try_next(ctx, t);
		status = 0;
	}
	if (status == 0)
		return (answer(ctx, t));
	if (status == 101 && offers && ghost_accepts_websocket(lines_of(ctx->bo->beresp)))
		reason = tunnel(ctx, t);
	else if (ctx->bo->htc->body_status == BS_ERROR || status < 200)
		reason = answer(ctx, t);	/* what it is, nobody can say */
	else
		reason = deliver(ctx, t);
	close_backend(ctx, t, reason);
	return (reason);
}

static const struct vdi_methods tunnel_methods[1] = {{
	.magic = VDI_METHODS_MAGIC,
	.type = "ghost_tunnel",
	.http1pipe = tunnel_http1pipe,
	.healthy = always_healthy,
}};

VCL_BACKEND
tunnel_director_new(VRT_CTX)
{

	return (VRT_AddDirector(ctx, tunnel_methods, NULL, "ghost_tunnel"));
}
