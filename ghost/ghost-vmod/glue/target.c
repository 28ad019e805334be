/*
 * What a request asks for, brought to the one form that routes, caches, backends and the user's VCL see.
 *
 * A request that has no such form ends in the preamble: what a backend would make of it is anybody's guess.
 */

#include "config.h"

#include "glue.h"
#include "client.h"

/* RFC 9110, 15.5.6: which methods there are instead. */
static const char methods[] = "Allow: GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS";

static void
refuse(VRT_CTX, struct client_task *t, uint16_t status, struct ghost_text why)
{

	t->refused = status;
	t->routed = 0;
	COUNT(requests);
	COUNT(bad_requests);
	VSLb(ctx->vsl, SLT_VCL_Log, "ghost: refused %u %.*s", status, (int)why.n, why.b);
}

VCL_VOID
vmod_ghost_backend_accept(VRT_CTX, struct VPFX(ghost_ghost_backend) *be, struct VARGS(ghost_backend_accept) *a)
{

	CHECK_OBJ_NOTNULL(be, GHOST_BACKEND_MAGIC);
	AN(a);
	if (ctx->method != VCL_MET_INIT) {
		VRT_fail(ctx, "router.accept() is for vcl_init");
		return;
	}
	be->proxies = a->valid_proxies ? a->proxies : NULL;
	be->keeps_slashes = !a->merge_slashes;
}

/* Who the other side of the connection is, whatever it says. On a Unix socket it is our own edge. */
static int
may_speak_proxy(VRT_CTX, const struct VPFX(ghost_ghost_backend) *be)
{
	VCL_IP peer;

	if (be->proxies == NULL)
		return (1);
	peer = VRT_r_remote_ip(ctx);
	return (peer == NULL || VSA_Compare(peer, bogo_ip) == 0 || VRT_acl_match(ctx, be->proxies, peer));
}

VCL_BOOL
vmod_ghost_backend_refuses(VRT_CTX, struct VPFX(ghost_ghost_backend) *be)
{
	struct http *hp = ctx->http_req;
	struct ghost_target target;
	struct client_task *t;
	const char *url;

	CHECK_OBJ_NOTNULL(be, GHOST_BACKEND_MAGIC);
	t = client_task(ctx, 1);
	if (t == NULL || hp == NULL) {
		VRT_fail(ctx, "router.refuses(): no client's request, or out of workspace");
		return (0);
	}
	t->refused = 0;
	if (!may_speak_proxy(ctx, be)) {
		refuse(ctx, t, 403, text_of("the PROXY protocol is not accepted from this address"));
		return (1);
	}
	ghost_target(field_of(hp, HTTP_HDR_METHOD), field_of(hp, HTTP_HDR_URL), be->keeps_slashes, &target);
	if (target.status != 0) {
		refuse(ctx, t, target.status, target.why);
		return (1);
	}
	if (target.url.b == NULL)
		return (0);
	/* The host first: it is a part of the old URL. */
	if (target.host.b != NULL) {
		hdr_remove(hp, "Host", 4);
		if (hdr_put(hp, "Host", 4, target.host.b, target.host.n) != 0)
			return (0);		/* Varnish fails the task */
	}
	url = text_copy(hp->ws, target.url);
	if (url == NULL) {
		VRT_fail(ctx, "router.refuses(): no room for the URL");
		return (0);
	}
	http_SetH(hp, HTTP_HDR_URL, url);
	return (0);
}

void
target_answer(VRT_CTX, const struct client_task *t)
{

	VRT_l_resp_status(ctx, t->refused);
	http_SetHeader(ctx->http_resp, "Content-Type: text/plain");
	http_SetHeader(ctx->http_resp, "Cache-Control: no-store");
	switch (t->refused) {
	case 403:
		http_SetHeader(ctx->http_resp, "Connection: close");
		VRT_synth_strands(ctx, TOSTRAND("forbidden"));
		break;
	case 405:
		http_SetHeader(ctx->http_resp, methods);
		VRT_synth_strands(ctx, TOSTRAND("method not allowed"));
		break;
	default:
		VRT_synth_strands(ctx, TOSTRAND("bad request"));
	}
}
