/*
 * Shared by the glue's own files.
 */

#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cache/cache_varnishd.h"	/* struct http_conn, VFP_Push: for answers of our own and for deadlines */
#include "cache/cache_director.h"	/* to tell our directors from others */
#include "cache/cache_filter.h"
#include "vcl.h"
#include "vrt_obj.h"
#include "vsa.h"
#include "vsb.h"
#include "vtim.h"

#include "vcc_if.h"
#include "compat.h"
#include "ghost.h"
#include "VSC_ghost.h"

/* The header that carries a routing decision from req to bereq. */
#define TICKET		"X-Ghost-Ticket"
#define TICKET_TEXT	64

#define COUNT_MANY(field, n)							\
	do {									\
		if (ghost_vsc != NULL)						\
			(void)__atomic_fetch_add(&ghost_vsc->field, n,		\
			    __ATOMIC_RELAXED);					\
	} while (0)

#define COUNT(field)	COUNT_MANY(field, 1)

extern struct VSC_ghost *ghost_vsc;
extern const struct ghost_vrt ghost_vrt;

/* stall.c */
void stall_start(void);
bool threads_are_scarce(void);

/* connections.c */
enum connection_state {
	CONNECTION_UNKNOWN,
	CONNECTION_BETWEEN,		/* two requests, or before the first */
	CONNECTION_BUSY,
	CONNECTION_HAS_BODY,		/* busy with a request that may send more of its body */
	CONNECTION_TUNNEL,
};
/* Who is behind a connection, as the PROXY header of HAProxy has it. */
struct client_address {
	uint64_t	address[2];	/* in network order; IPv4 is v4-mapped */
	uint32_t	port;
};
enum connection_state connection_state(int fd, uint32_t *request);
bool connection_client(int fd, struct client_address *);
void connection_is_new(int fd);
bool body_waits(const struct req *);

/* diag.c */
void client_address_set(struct client_address *, bool is_ipv6, const void *address, unsigned port);

/* http.c */
#define INNER_GHOST	(1U << 0)	/* X-Ghost-*: ghost's own notes */
#define INNER_LISTENER	(1U << 1)	/* X-Gateway-Listener */
#define INNER_ROUTE	(1U << 2)	/* X-Gateway-Route */
#define INNER_KEYS	(1U << 3)	/* xkey, X-HashTwo: what objects are purged by */
#define INNER_LOGGED	(1U << 4)	/* and the log is told */
void hdr_take_out(struct http *, unsigned at);
void hdr_remove(struct http *, const char *name, size_t n);
void hdr_remove_inner(struct http *, unsigned groups);
void hdr_remove_named(struct http *);
void check_room(VRT_CTX, const char *who);
void hdr_tell(struct http *, const struct ghost_names *);
void hdr_link(struct http *, const char *line, size_t);
int hdr_put(struct http *, const char *name, size_t, const char *value, size_t);
void hdr_edit(void *http, uint8_t op, struct ghost_text name, struct ghost_text value);
struct ghost_text hdr_get(const struct http *, const char *name, size_t n);
const char *text_copy(struct ws *, struct ghost_text);
struct ghost_message message_of(const struct http *);

static inline struct ghost_lines
lines_of(const struct http *hp)
{

	return ((struct ghost_lines){ hp->hd + HTTP_HDR_FIRST, (size_t)(hp->nhd - HTTP_HDR_FIRST) });
}

/* A part of the first line. */
static inline struct ghost_text
field_of(const struct http *hp, unsigned at)
{

	return ((struct ghost_text){ hp->hd[at].b, (size_t)(hp->hd[at].e - hp->hd[at].b) });
}

static inline struct ghost_text
text_of(const char *s)
{

	return ((struct ghost_text){ s, s == NULL ? 0 : strlen(s) });
}

static inline uint64_t
clock_ms(clockid_t clock)
{
	struct timespec t;

	AZ(clock_gettime(clock, &t));
	return ((uint64_t)t.tv_sec * 1000U + (uint64_t)t.tv_nsec / 1000000U);
}

static inline uint64_t
now_ms(void)
{

	return (clock_ms(CLOCK_MONOTONIC));
}

/* The same, as of some milliseconds ago, at a fifth of the price: for each request. */
static inline uint64_t
tick_ms(void)
{

	return (clock_ms(CLOCK_MONOTONIC_COARSE));
}

#define HANDOVER_ROWS	128
#define HANDOVER_ROW	64		/* so many threads; any more use tickets */

struct router_home {			/* a router, and where its backends are made */
	unsigned		magic;
#define ROUTER_HOME_MAGIC	0x6cd2e1f3
	VCL_VCL			vcl;
	const struct ghost_router	*router;
	VCL_BACKEND		director;	/* leads to the router */
	VCL_BACKEND		answers;	/* for what ghost answers by itself */
	VCL_BACKEND		tunnels;	/* for pipes */
	struct handover		*handovers[HANDOVER_ROWS];
};

/*
 * What a client's thread has to say to the fetch that it waits for. A fetch that fails before it is told goes on pointing here
 * until it is gone, so this lives as long as the VCL.
 */
struct handover {
	struct director		director[1];	/* a copy of the router's */
	const struct ghost_view	*view;
	const struct ghost_ticket	*ticket;
} __attribute__((aligned(64)));		/* no two threads write to one line */

/* answer.c */
VCL_BACKEND answer_director_new(VRT_CTX);

/* tunnel.c */
VCL_BACKEND tunnel_director_new(VRT_CTX);

/* director.c */
VCL_BACKEND router_director_new(VRT_CTX, struct router_home *, const char *name);
struct handover *handover_at(struct router_home *, unsigned desk);
const struct handover *handover_of(VCL_BACKEND);
void handovers_free(struct router_home *);

/* fetch.c */
void backend_fetch(VRT_CTX);

/* response.c */
int backend_response(VRT_CTX);
int backend_again(VRT_CTX);
int backend_stored(VRT_CTX);

/* threads.c */
struct ghost_lane lane_of(const struct worker *);

/* stats.c */
void stats_start(void);
uint64_t *stats_listener(const char *);
void stats_loaded(bool live, size_t refused);
void stats_mirror_drops(uint64_t);
