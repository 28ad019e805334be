/*
 * What a look at a client's connection leaves for the next one, and what it finds.
 */

#include <linux/tcp.h>
#include <sys/types.h>

#define LEAST_RATE	500.0		/* bytes in a second */

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

	/* Where HAProxy is in between. */
	double			begun;		/* the request, or its body */
	double			queued_since;	/* bytes have waited for HAProxy, at each look; 0: none do */
	double			queue_since;	/* they have been as many as they are, at each look */
	double			still_since;	/* and the client's own connection has been looked up; 0: it has not */
	uint64_t		still_acked;	/* at that time */
	int			queue;
};

/* For how long, in seconds, less than the least rate is borne. */
struct slow_patience {
	double			write, body, head;
	double			still;		/* for a response of which HAProxy takes nothing */
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

/* How many were ended. */
struct slow_found {
	unsigned		writes, bodies;
};

/* A client's TCP connections with this host, together. */
struct diag_client {
	struct client_address	who;
	unsigned		responses;	/* that wait for it */
	unsigned		connections;
	uint64_t		unread;
	struct tcp_info		tcp;		/* of it what slow.c asks for */
};

struct diag_search {
	struct diag_client	*clients;
	size_t			n;
	const unsigned char	*left_out;	/* local ports: not 0 at each of these */
};

/* diag.c */
int client_address_order(const void *, const void *);
void diag_read(const struct diag_search *);

/* proxied.c */
void proxied_look(struct slow_seen *, int fd, const struct slow_look *);
void proxied_judge(struct slow_seen *, const struct slow_look *, const unsigned char *plain_ports, struct slow_found *);

/* slow.c */
void begin_reading(struct slow_seen *, double now, uint64_t received);
bool takes_too_little(struct slow_seen *, const struct tcp_info *, double now, double patience);
bool sends_too_little(struct slow_seen *, const struct tcp_info *, int unread, double now, double patience);
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
