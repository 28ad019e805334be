/*
 * Copies of requests for mirrors.
 */

#include "config.h"

#include "glue.h"
#include "fetch.h"

static int v_matchproto_(objiterate_f)
collect(void *priv, unsigned flush, const void *ptr, ssize_t len)
{

	(void)flush;
	if (ptr != NULL && len > 0)
		VSB_bcat(priv, ptr, len);
	return (0);
}

void
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
