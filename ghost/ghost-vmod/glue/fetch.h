/*
 * What the files of the backend's side share: what a fetch has.
 *
 * Varnish hands the director of req.backend_hint to the fetch, which is the router's, and the headers, of which one says what was
 * chosen and from which table: that is how a fetch, its retries and a background fetch come by the table of their request.
 */

/* Timers round; a deadline this near counts as reached. */
#define SLACK_MS	10
#define TRIED		16

/* What a fetch has, over all of its attempts. */
struct backend_task {
	unsigned			magic;
#define BACKEND_TASK_MAGIC		0x2b8a67e4
	const struct ghost_view		*view;
	const struct ghost_ticket	*ticket;	/* what was read, or NULL */
	struct ghost_hold		hold;
	struct ghost_names		names;		/* what the backend is told */
	uint64_t			began_ms;	/* 0: when the client's request began */
	struct ghost_attempt		attempt;
	unsigned			turn;		/* attempts made ready so far */
	unsigned			noted;		/* the last of them whose end was taken note of */
	uint64_t			limit_ms;	/* when an answer has to be there; 0: no matter */
	uint64_t			sent_ms;	/* when this attempt began */
	uint64_t			sent_before;	/* bytes of requests sent by earlier attempts */
	uint64_t			received_before;	/* and of answers' heads received */
	unsigned			n_tried;
	unsigned			resent;		/* times that Varnish sent it again by itself */
	unsigned			resolved:1;
	unsigned			stored:1;
	unsigned			again:1;
	unsigned			repeated:1;	/* after a connection that ended without an answer */
	unsigned			pipes:1;
	unsigned			waited_for:1;	/* by a client who does not count himself yet */
	unsigned			refused:1;	/* too many threads are in use */
	struct busyobj			*bo;
	body_status_t			body;		/* what a pipe's request has of one, which Varnish forgets */
	/* From here on, as far as something above says so. */
	struct ghost_ticket		read;
	uint64_t			tried[TRIED];
};

/* fetch.c */
struct backend_task *backend_task(VRT_CTX, int make);
void attempt_begin(VRT_CTX, struct backend_task *, const struct ghost_message *, ghost_edit_f *);
void attempt_over(struct busyobj *);

/* response.c */
bool was_sent(const struct backend_task *);
bool may_be_repeated(const struct backend_task *);
bool attempts_again(struct backend_task *, uint16_t status);

/* share.c */
void fetch_take(VRT_CTX, struct backend_task *);
void fetch_answered(struct backend_task *);

/* director.c */
const struct router_home *router_home(VCL_BACKEND);
vdi_healthy_f always_healthy;

/* deadline.c */
void hold_deadline(struct backend_task *);

/* mirror.c */
void copy_to_mirrors(const struct backend_task *, const struct http *bereq);
