/*
 * Deadlines of answers, held by a fetch filter.
 */

#include "config.h"

#include "glue.h"
#include "fetch.h"
#include "vtcp.h"

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

void
hold_deadline(struct backend_task *t)
{
	struct vfp_entry *vfe;

	if (t->attempt.deadline_ms == 0 || t->bo->vfc == NULL)
		return;
	vfe = VFP_Push(t->bo->vfc, &deadline_vfp);
	if (vfe != NULL)
		vfe->priv1 = t;
}
