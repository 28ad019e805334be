/*
 * What the files of the client's side share: what a VCL, a router and a client's request have.
 */

/* What a VCL has once. */
struct vcl_state {
	unsigned			magic;
#define VCL_STATE_MAGIC			0x7a1d2c55
	char				*socket;
	VTAILQ_HEAD(, VPFX(ghost_ghost_backend)) routers;
};

struct VPFX(ghost_ghost_backend) {
	unsigned			magic;
#define GHOST_BACKEND_MAGIC		0x3f0e91b7
	struct router_home		home;
	VCL_ACL				trusted;
	VCL_ACL				proxies;	/* who may speak PROXY protocol; NULL: all */
	unsigned			forwards:1;
	unsigned			keeps_slashes:1;
	struct vcl_state		*state;
	VTAILQ_ENTRY(VPFX(ghost_ghost_backend)) list;
};

/* What a client's request has: its table, from the first vcl_recv to the last vcl_deliver, and what was chosen from it. */
struct client_task {
	unsigned			magic;
#define CLIENT_TASK_MAGIC		0x51c3a0d9
	const struct ghost_view		*view;
	struct ghost_reloaded		reloaded;
	uint16_t			refused;	/* a status: the request is not routed */
	struct ghost_hold		hold;
	int				connection;	/* of the client, with a request under way; 0: not taken note of */
	uint8_t				way;		/* enum ghost_way, as .looks_up() found it */
	unsigned			routed:1;
	unsigned			decided:1;	/* .looks_up() was asked, and its answer is the way */
	unsigned			hashed:1;
	unsigned			stale:1;
	unsigned			control:1;
	unsigned			told:1;		/* the fetch: by a ticket, or directly */
	unsigned			may_upgrade:1;	/* it offers WebSocket, and nothing stands against it */
	/* From here on, once routed. */
	struct ghost_chosen		chosen;
	char				line[sizeof TICKET ": " - 1 + TICKET_TEXT + 1];	/* the ticket's */
	char				port[sizeof "X-Forwarded-Port: 65535"];	/* the same */
};

/* vmod_ghost.c */
struct vcl_state *vcl_state(struct vmod_priv *);

/* client.c */
struct client_task *client_task(VRT_CTX, int make);

/* target.c */
void target_answer(VRT_CTX, const struct client_task *);

/* upgrade.c */
bool upgrade_recv(VRT_CTX);
/* share.c */
void client_enter(VRT_CTX, struct client_task *);
void client_give_back(VRT_CTX);
void client_goes_on(VRT_CTX, struct client_task *);
void client_take(VRT_CTX, struct client_task *);

/* connections.c */
void connection_begins(struct client_task *, const struct req *);
void connection_ends(struct client_task *);
void connection_tunnels(const struct client_task *);

/* forwarded.c */
void forwarded_set(VRT_CTX, struct client_task *, VCL_ACL trusted);
void forwarded_hash(VRT_CTX);
