/*
 * The VMOD itself: events, objects, and the doors to the backend's side.
 */

#include "config.h"

#include "glue.h"
#include "client.h"
#include "memory.h"

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

struct vcl_state *
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
		memory_start();
		stall_start();
		if (!ghost_start(ghost_vrt)) {
			VSB_cat(ctx->msg, "ghost: cannot start a thread\n");
			return (-1);
		}
	}
	if (e == VCL_EVENT_DISCARD)
		return (0);
	vs = vcl_state(priv);
	VTAILQ_FOREACH(be, &vs->routers, list) {
		if (e == VCL_EVENT_WARM)
			ghost_router_warm(be->home.router);
		if (e == VCL_EVENT_COLD)
			ghost_router_cold(be->home.router);
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
	INIT_OBJ(&be->home, ROUTER_HOME_MAGIC);
	be->home.vcl = ctx->vcl;
	be->home.answers = answer_director_new(ctx);
	AN(be->home.answers);
	be->home.tunnels = tunnel_director_new(ctx);
	AN(be->home.tunnels);
	be->home.director = router_director_new(ctx, &be->home, name);
	AN(be->home.director);
	be->home.router = ghost_router_new(ghost_vrt, &be->home);
	AN(be->home.router);
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
	ghost_router_free(be->home.router);
	VRT_DelDirector(&be->home.director);
	handovers_free(&be->home);
	VRT_DelDirector(&be->home.answers);
	VRT_DelDirector(&be->home.tunnels);
	FREE_OBJ(be);
}

VCL_VOID
vmod_ghost_backend_forward(VRT_CTX, struct VPFX(ghost_ghost_backend) *be, struct VARGS(ghost_backend_forward) *a)
{

	CHECK_OBJ_NOTNULL(be, GHOST_BACKEND_MAGIC);
	AN(a);
	if (ctx->method != VCL_MET_INIT) {
		VRT_fail(ctx, "router.forward() is for vcl_init");
		return;
	}
	be->forwards = 1;
	be->trusted = a->valid_trusted ? a->trusted : NULL;
}

/*--------------------------------------------------------------------
 * The backend's side is in fetch.c and response.c
 */

VCL_VOID
vmod_ghost_backend_fetch(VRT_CTX, struct VPFX(ghost_ghost_backend) *be)
{

	CHECK_OBJ_NOTNULL(be, GHOST_BACKEND_MAGIC);
	backend_fetch(ctx);
}

VCL_BOOL
vmod_ghost_backend_response(VRT_CTX, struct VPFX(ghost_ghost_backend) *be)
{

	CHECK_OBJ_NOTNULL(be, GHOST_BACKEND_MAGIC);
	return (backend_response(ctx));
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
