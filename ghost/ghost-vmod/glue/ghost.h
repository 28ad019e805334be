/*
 * What the two halves of the VMOD know of each other: src/ffi declares the same for Rust.
 * Texts have no terminator. Those that Rust returns belong to the table, as long as the view is held, or to buffers of the
 * thread, until its next call.
 */

struct ghost_router;		/* one object of one VCL */
struct ghost_endpoint;		/* of a table */
struct ghost_view;		/* a table in a VCL; held by tasks */
struct ghost_held;		/* a backend and its counters, which outlive their view */

struct ghost_text {
	const char		*b;
	size_t			n;
};

struct ghost_lines {
	const txt		*first;
	size_t			n;
};

struct ghost_message {
	struct ghost_text	socket;
	struct ghost_text	server_name;
	uint16_t		port;
	bool			wants_host;
	struct ghost_text	method;
	struct ghost_text	url;
	struct ghost_lines	lines;
};

struct ghost_place {
	uint8_t			family;		/* 4, 6, 0: path */
	uint8_t			address[16];
	uint16_t		port;
	const char		*path;
	const char		*name;
	const char		*host;
};

/* What Rust asks of Varnish. */
struct ghost_vrt {
	uint64_t		(*now_ms)(void);
	const void		*(*new_backend)(void *home, const struct ghost_place *);
	void			(*let_go)(const void *director);
	uint64_t		*(*listener_counter)(const char *name);
	void			(*loaded)(bool live, size_t refused);
	void			(*mirrors_failed)(uint64_t);
};

enum ghost_kind {		/* src/ticket.rs */
	GHOST_FREED_SOCKET,
	GHOST_NO_LISTENER,
	GHOST_MISDIRECTED,
	GHOST_NO_HOST,
	GHOST_NO_ROUTE,
	GHOST_REDIRECT,
	GHOST_PREFLIGHT,
	GHOST_INVALID,
	GHOST_UNAVAILABLE,
	GHOST_FORWARD,
	GHOST_NO_HOST_HEADER,
	GHOST_BAD_HOST
};

struct ghost_target {
	uint16_t		status;		/* 0: the request is routed */
	struct ghost_text	url, host;	/* NULL: as they came */
	struct ghost_text	why;
};

struct ghost_route {
	uint32_t		host, rank, group;
};

struct ghost_names {		/* header lines, a NUL behind each */
	struct ghost_text	listener, route;
};

enum ghost_scheme { GHOST_NO_SCHEME, GHOST_HTTP, GHOST_HTTPS };

struct ghost_ticket {		/* room for Rust's own */
	uint64_t		room[5];
};

struct ghost_chosen {
	uint8_t			kind;
	uint8_t			scheme;		/* enum ghost_scheme */
	uint16_t		port;
	struct ghost_route	route;
	uint32_t		buffer_bytes;
	struct ghost_text	socket;
	struct ghost_text	log;
	struct ghost_ticket	ticket;
};

enum ghost_way { GHOST_PASS, GHOST_HASH, GHOST_PIPE };

struct ghost_disposition {
	uint8_t			way;
	uint32_t		grace_seconds;
	uint32_t		stale_if_error_seconds;
};

struct ghost_reloaded {
	bool			live;
	char			*json;
};

struct ghost_tried {
	const uint64_t		*ids;
	size_t			n;
};

struct ghost_attempt {
	const void		*backend;
	const struct ghost_endpoint	*endpoint;
	uint64_t		endpoint_id;
	bool			expired;
	bool			caches;
	struct ghost_text	host, url;
	double			connect, first_byte, between_bytes;
	uint64_t		deadline_ms;
	uint32_t		retries, backoff_ms;
	bool			mirrors;
};

enum ghost_end { GHOST_ANSWERED, GHOST_NOT_CONNECTED, GHOST_UNANSWERED, GHOST_BROKEN };

struct ghost_ended {
	uint8_t			end;		/* enum ghost_end */
	bool			repeated;
	uint16_t		status;
	uint32_t		retries;
	struct ghost_tried	tried;
};

struct ghost_stored {
	bool			policy;
	bool			uncacheable;
	int64_t			ttl_seconds;
	uint32_t		grace_seconds, keep_seconds, stale_if_error_seconds;
	struct ghost_text	keys;
};

struct ghost_answered {
	uint16_t		status;
	bool			close;
	struct ghost_text	body;
};

struct ghost_summary {
	size_t			hosts, routes, endpoints;
	struct ghost_text	hash;
	bool			newest;
};

enum ghost_op { GHOST_REMOVE, GHOST_SET, GHOST_ADD };
typedef void ghost_edit_f(void *to, uint8_t op, struct ghost_text name, struct ghost_text value);

/* The threads that requests hold: ghost-core/src/share.rs. */
#define GHOST_LANES	8

struct ghost_lane {		/* a pool of varnishd's threads */
	uint32_t		number;
	uint32_t		capacity;
};

struct ghost_hold {		/* all zero: holds none */
	const void		*backend, *space;
	uint32_t		lane, threads;
};

void ghost_take(const struct ghost_view *, const struct ghost_ticket *, struct ghost_lane, uint32_t threads,
    struct ghost_hold *);
void ghost_give_back(struct ghost_hold *, uint32_t threads, uint64_t now_ms);
bool ghost_admits(struct ghost_hold *, uint64_t now_ms);
bool ghost_exhausted(struct ghost_lane);
bool ghost_scarce(uint32_t more);
uint32_t ghost_lacking(uint32_t more);
void ghost_refuse(struct ghost_ticket *);

/* The memory that cached objects may take: ghost-core/src/memory.rs. */
struct ghost_stored_objects {
	uint64_t		objects, bytes;	/* these are kept beside theirs */
};

bool ghost_memory_start(struct ghost_text);
struct ghost_text ghost_memory_storage(size_t at);
uint64_t ghost_memory_piece(size_t at);
uint64_t ghost_memory_room(size_t at);
uint64_t ghost_memory_reserve(size_t at);
struct ghost_stored_objects ghost_memory_stored(uint32_t keys);
struct ghost_stored_objects ghost_memory_gone(uint32_t keys);

bool ghost_start(struct ghost_vrt);
void ghost_path(const char *);
void ghost_preload(void);
struct ghost_reloaded ghost_reload(void);
char *ghost_last_error(void);
void ghost_text_free(char *);

const struct ghost_router *ghost_router_new(struct ghost_vrt, void *home);
void ghost_router_warm(const struct ghost_router *);
void ghost_router_cold(const struct ghost_router *);
void ghost_router_free(const struct ghost_router *);
const struct ghost_view *ghost_router_load(const struct ghost_router *);
void ghost_view_linger(const struct ghost_view *, uint64_t now_ms);
const struct ghost_view *ghost_view_hold(const struct ghost_view *);
void ghost_view_release(const struct ghost_view *);

void ghost_target(struct ghost_text method, struct ghost_text url, bool keeps_slashes, struct ghost_target *);
bool ghost_asks_for_port(const struct ghost_view *);
bool ghost_select(const struct ghost_view *, const struct ghost_message *, uint64_t now_ms, struct ghost_chosen *);
struct ghost_disposition ghost_disposition(const struct ghost_view *, struct ghost_route, uint8_t kind, bool may_upgrade,
    struct ghost_text method, struct ghost_lines);
struct ghost_text ghost_cache_key(const struct ghost_view *, struct ghost_route, const struct ghost_message *);
void ghost_deliver(const struct ghost_view *, struct ghost_route, uint8_t kind, struct ghost_lines request,
    ghost_edit_f *, void *to);
struct ghost_text ghost_purge_key(const struct ghost_message *, bool whole_url, uint64_t now_ms);
void ghost_purging(struct ghost_text key, uint64_t now_ms);
struct ghost_text ghost_ban_pattern(const struct ghost_message *, uint64_t now_ms);

void ghost_ticket_write(const struct ghost_ticket *, char text[64]);
const struct ghost_view *ghost_ticket(const struct ghost_router *, struct ghost_text, struct ghost_ticket *,
    struct ghost_names *);
struct ghost_names ghost_names(const struct ghost_view *, const struct ghost_ticket *);
void ghost_attempt(const struct ghost_view *, const struct ghost_ticket *, const struct ghost_message *,
    struct ghost_tried, uint64_t now_ms, uint64_t began_ms, ghost_edit_f *, void *to, struct ghost_attempt *);
void ghost_connected(const struct ghost_view *, const struct ghost_endpoint *);
void ghost_not_connected(const struct ghost_view *, const struct ghost_endpoint *, uint64_t now_ms);
bool ghost_again(const struct ghost_view *, const struct ghost_ticket *, const struct ghost_ended *, uint64_t now_ms,
    uint64_t began_ms);
void ghost_store(const struct ghost_view *, const struct ghost_ticket *, const struct ghost_message *, uint16_t status,
    struct ghost_lines, uint64_t sent_ms, struct ghost_stored *);
struct ghost_answered ghost_answer(const struct ghost_view *, const struct ghost_ticket *, const struct ghost_message *,
    ghost_edit_f *, void *to);
uint32_t ghost_mirror(const struct ghost_view *, const struct ghost_ticket *, const struct ghost_message *,
    struct ghost_text body);

bool ghost_offers_websocket(struct ghost_lines request);
bool ghost_accepts_websocket(struct ghost_lines response);
struct ghost_text ghost_without_upgrade(struct ghost_text connection);
const struct ghost_held *ghost_backend_hold(const struct ghost_view *, const struct ghost_ticket *,
    const struct ghost_endpoint *);
void ghost_backend_release(const struct ghost_held *);

struct ghost_summary ghost_summary(const struct ghost_view *);
bool ghost_host(const struct ghost_view *, size_t at, struct ghost_text *name, size_t *routes);
