/*
 * Where Varnish 7.1 (VRT 15), 7.7 (VRT 21) and later differ.
 */

/* The number of a transaction: no two in a process share one. */
#define XID(vsl)	((uint64_t)VXID((vsl)->wid))

#if VRT_MAJOR_VERSION >= 17U
#  define NEW_BACKEND(ctx, be)	VRT_new_backend(ctx, be, NULL)
#else
#  define NEW_BACKEND(ctx, be)	VRT_new_backend(ctx, be)
#endif

#ifndef VRT_BACKEND_INIT	/* up to VRT 18, 0 is "not set" */
#  define VRT_BACKEND_INIT(be)	INIT_OBJ(be, VRT_BACKEND_MAGIC)
#endif

/* How often a fetch may be retried: a parameter at first, then a field that can be raised for one fetch. */
#if VRT_MAJOR_VERSION >= 19U
#  define MAY_RETRY(bo, n)	((bo)->max_retries = (bo)->max_retries > (n) ? (bo)->max_retries : (n), 1)
#else
#  define MAY_RETRY(bo, n)	((bo)->retries < cache_param->max_retries)
#endif

/* A request that was piped, for which the log has other figures. */
#ifdef RES_PIPE
#  define MARK_PIPED(req)	((req)->res_mode |= RES_PIPE)
#else
#  define MARK_PIPED(req)	((req)->res_pipe = 1)
#endif

/* How long a pipe may take in all, as a parameter and as VCL says; up to VRT 18 there is no such limit. */
#if VRT_MAJOR_VERSION >= 19U
#  define PIPE_SECONDS(bo)	(isnan((bo)->task_deadline) ? cache_param->pipe_task_deadline : (bo)->task_deadline)
#else
#  define PIPE_SECONDS(bo)	0.
#endif

/* What the PROXY header has of a kind; not 0: nothing. In varnishd, and in none of the headers that it installs. */
int VPX_tlv(const struct req *, int kind, const void **, int *length);
