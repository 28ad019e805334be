/*
 * What a look at a client's connection leaves for the next one, and what it finds.
 */

#include <sys/types.h>

struct slow_seen {
	ino_t			inode;
	double			looked;		/* when it was last looked at */
	double			writes_since;	/* bytes have waited to be sent, at each look */
	uint64_t		acked;		/* at that time */
	double			reads_since;	/* a body has been on its way, at each look */
	uint64_t		first_received;	/* at that time */
	uint64_t		received;
	unsigned		arrivals;	/* looks at which more had come */
	double			head_since;	/* a thread has read a head, at each look; 0: none does */
	uint64_t		head_received;	/* at that time */
	double			quiet;		/* seconds in which nothing came and nothing was sent */
	uint32_t		request;
	enum connection_state	state;
	bool			is_new;
	bool			is_idle;	/* between two requests, and holds no thread */
	bool			said_nothing;
	bool			is_waiting;	/* for a thread, with a head that lies unread */
};

/* For how long, in seconds, less than the least rate is borne. */
struct slow_patience {
	double			write, body, head;
};

struct slow_look {
	double			now;
	struct slow_patience	patience;
	bool			is_thorough;	/* bodies and responses are looked at, too */
	bool			knows_parked;
};

enum slow_is {
	SLOW_NOT,
	SLOW_HEAD,
	SLOW_BODY,
	SLOW_WRITE,
};

/* slow.c */
enum slow_is slow_look(struct slow_seen *, int fd, const struct slow_look *);
bool slow_end(const struct slow_seen *, int fd);

/* evict.c */
unsigned evict_heads(struct slow_seen *, size_t, unsigned wanted, double now);
unsigned evict_idle(struct slow_seen *, size_t, unsigned wanted, double now);

/* parked.c */
void parked_forget_waiters(void);
void parked_learn(int fd);
bool parked_read(void);
bool is_parked(int fd);
