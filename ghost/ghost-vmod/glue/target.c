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
	if (t->refused == 405)
		http_SetHeader(ctx->http_resp, methods);
	VRT_synth_strands(ctx, TOSTRAND(t->refused == 405 ? "method not allowed" : "bad request"));
}
