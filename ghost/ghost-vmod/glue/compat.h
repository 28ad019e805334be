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
