/*
 * What the files of the backend's side share: the director of a table, and what a fetch has.
 *
 * A table has a director in each warm VCL. Varnish hands the director of req.backend_hint to the fetch and counts
 * references to it: that is how a fetch, its retries and a background fetch come by the table of their request.
 */

/* Timers round; a deadline this near counts as reached. */
#define SLACK_MS	10
#define TRIED		16

struct table_director {
	unsigned			magic;
#define TABLE_DIRECTOR_MAGIC		0x6cd2e1f3
	const struct ghost_view		*view;
	const struct backend_home	*home;
};

/* What a fetch has, over all of its attempts. */
struct backend_task {
	unsigned			magic;
#define BACKEND_TASK_MAGIC		0x2b8a67e4
	const struct ghost_view		*view;
	const struct ghost_generation	*generation;	/* for .backend() only */
	struct ghost_ticket		read;
	const struct ghost_ticket	*ticket;	/* what was read, or NULL */
	struct ghost_names		names;		/* what the backend is told */
	uint64_t			began_ms;	/* 0: when the client's request began */
	struct ghost_attempt		attempt;
	unsigned			turn;		/* attempts made ready so far */
	unsigned			noted;		/* the last of them whose end was taken note of */
	uint64_t			limit_ms;	/* when an answer has to be there; 0: no matter */
	uint64_t			sent_ms;	/* when this attempt began */
	uint64_t			sent_before;	/* bytes of requests sent by earlier attempts */
	uint64_t			tried[TRIED];
	unsigned			n_tried;
	unsigned			resolved:1;
	unsigned			stored:1;
	unsigned			again:1;
	struct busyobj			*bo;
};

/* fetch.c */
struct backend_task *backend_task(VRT_CTX, int make);

/* director.c */
const struct table_director *table_director(VCL_BACKEND);
vdi_healthy_f always_healthy;

/* deadline.c */
void hold_deadline(struct backend_task *);

/* mirror.c */
void copy_to_mirrors(const struct backend_task *, const struct http *bereq);
