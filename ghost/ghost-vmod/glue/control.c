/*
 * Reload and purge: what comes in on the control socket.
 */

#include "config.h"

#include "glue.h"
#include "client.h"

#define RELOAD_URL	"/.varnish-ghost/reload"
#define READY_URL	"/.varnish-ghost/ready"

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
	const char *url;
	char *error;

	t = client_task(ctx, 0);
	if (t != NULL && t->refused != 0 && ctx->method == VCL_MET_SYNTH) {
		target_answer(ctx, t);
		return (1);
	}
	if (t == NULL || !t->control || ctx->method != VCL_MET_SYNTH)
		return (0);
	if (t->reloaded.json == NULL) {
		if (http_GetStatus(ctx->http_resp) != 404)
			return (1);
		url = ctx->http_req->hd[HTTP_HDR_URL].b;
		if (url != NULL && strcmp(url, READY_URL) == 0) {
			VRT_l_resp_status(ctx, 200);
			VRT_synth_strands(ctx, TOSTRAND("ready\n"));
		} else
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
		ghost_purging(text_of(tag), now_ms());
	return (tag);
}

VCL_STRING
vmod_ban_pattern(VRT_CTX)
{
	struct ghost_message m;
	struct ghost_text pattern;

	CHECK_OBJ_NOTNULL(ctx, VRT_CTX_MAGIC);
	if (ctx->http_req == NULL)
		return (NULL);
	m = message_of(ctx->http_req);
	pattern = ghost_ban_pattern(&m, now_ms());
	return (pattern.b == NULL ? NULL : text_copy(ctx->ws, pattern));
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
