/*
 * What a look at a client's connection leaves for the next one, and what it finds.
 */

#include <sys/types.h>

struct slow_seen {
	ino_t			inode;
	double			writes_since;	/* bytes have waited to be sent, at each look */
	uint64_t		acked;		/* at that time */
	double			reads_since;	/* the state is the same, at each look */
	uint64_t		first_received;	/* at that time */
	uint64_t		received;
	unsigned		arrivals;	/* looks at which more had come */
	uint32_t		request;
	enum connection_state	state;
	bool			is_new;
};

/* For how long, in seconds, less than the least rate is borne. */
struct slow_patience {
	double			write, body, head;
};

enum slow_is {
	SLOW_NOT,
	SLOW_HEAD_BEGUN,		/* and not slow so far */
	SLOW_HEAD,
	SLOW_BODY,
	SLOW_WRITE,
};

/* slow.c */
enum slow_is slow_look(struct slow_seen *, int fd, double now, const struct slow_patience *);
