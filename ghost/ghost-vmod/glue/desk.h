/*
 * What a thread of varnishd has of ours.
 */

struct client_task;
struct backend_task;

struct desk {
	unsigned			magic;
#define DESK_MAGIC			0x1e84a5d3
	unsigned			number;		/* unlike that of any other thread */
	/* The tasks that the thread had last: most calls are for the same, and need not look for them. */
	const struct req		*req;
	uint64_t			req_xid;
	struct client_task		*client;
	const struct busyobj		*bo;
	uint64_t			bo_xid;
	struct backend_task		*fetch;
	struct backend_task		*room;		/* for the task of a fetch, which a thread has one of at a time */
	const struct pool		*pool;		/* varnishd's, that the thread is of, and its number */
	unsigned			lane;
	VTAILQ_ENTRY(desk)		list;
};

extern __thread struct desk *desk_here;

/* desk.c */
struct desk *desk_take(void);

static inline struct desk *
desk(void)
{

	return (desk_here != NULL ? desk_here : desk_take());
}
