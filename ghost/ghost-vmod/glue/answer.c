/*
 * The backend that ghost is itself: redirects, preflights, and everything that has no other.
 */

#include "config.h"

#include "glue.h"
#include "fetch.h"

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
	if (t->refused) {
		hdr_edit(beresp, GHOST_SET, text_of("Retry-After"), text_of("1"));
		a.body = text_of("overloaded");
		return (a);
	}
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
	.healthy = always_healthy,
}};

VCL_BACKEND
answer_director_new(VRT_CTX)
{

	return (VRT_AddDirector(ctx, answer_methods, NULL, "ghost_answer"));
}
