/*
 * The connections of clients: which of them have a request under way. Between two requests a connection may be idle; bytes that come then are the
 * beginning of a request, which holds a thread until its head is complete.
 */

#include "config.h"

#include "glue.h"
#include "client.h"

#define MOST_CONNECTIONS	65536	/* any more are not watched */
#define ACTIVE_BITS		8
#define ACTIVE			((1U << ACTIVE_BITS) - 1)
#define HAS_BODY		(1U << 31)
#define IS_TUNNEL		(1U << 30)
#define HTTP2			UINT32_MAX
#define PROXY_ALPN		1		/* PP2_TYPE_ALPN */

/* By file descriptor. */
static struct {
	uint32_t	requests;	/* so far, and in the last bits those under way */
	uint32_t	body;		/* the number of the last request that has one, or is a tunnel; or the connection is HTTP/2 */
} connections[MOST_CONNECTIONS];

/* The same, of Unix sockets alone. What is here is valid while a request is under way. */
static struct client_address clients[MOST_CONNECTIONS];

/* Whether bytes of the request's body are still to come. */
bool
body_waits(const struct req *req)
{
	const struct http_conn *htc = req->htc;

	if (req->req_body_status == NULL || req->req_body_status->avail <= 0)
		return (false);
	return (htc == NULL || req->req_body_status != BS_LENGTH || htc->pipeline_b == NULL ||
	    htc->pipeline_e - htc->pipeline_b < htc->content_length);
}

/* Varnish has no address for the peer of a Unix socket: its port is 0. */
static bool
is_unix(const struct sess *sp)
{
	struct suckaddr *remote;

	return (SES_Get_remote_addr(sp, &remote) == 0 && VSA_Port(remote) == 0);
}

static void
note_client(int fd, const struct sess *sp)
{
	struct client_address who = { .port = 0 };
	const unsigned char *address;
	struct suckaddr *client;
	int family;

	if (SES_Get_client_addr(sp, &client) == 0) {
		family = VSA_GetPtr(client, &address);
		if (family == PF_INET || family == PF_INET6)
			client_address_set(&who, family == PF_INET6, address, VSA_Port(client));
	}
	__atomic_store_n(&clients[fd].address[0], who.address[0], __ATOMIC_RELAXED);
	__atomic_store_n(&clients[fd].address[1], who.address[1], __ATOMIC_RELAXED);
	__atomic_store_n(&clients[fd].port, who.port, __ATOMIC_RELAXED);
}

/* Bytes of such a connection may be those of any request on it, or of none. */
static bool
came_by_http2(const struct req *req)
{
	const void *protocol;
	int n;

	return (VPX_tlv(req, PROXY_ALPN, &protocol, &n) == 0 && n == 2 && memcmp(protocol, "h2", 2) == 0);
}

void
connection_begins(struct client_task *t, const struct req *req)
{
	bool proxied;
	int fd = req->sp->fd;
	uint32_t n;

	if (t->connection != 0 || req->esi_level != 0 || fd <= 0 || fd >= MOST_CONNECTIONS)
		return;
	t->connection = fd;
	proxied = is_unix(req->sp);
	if (proxied)
		note_client(fd, req->sp);
	n = __atomic_add_fetch(&connections[fd].requests, (1U << ACTIVE_BITS) + 1, __ATOMIC_RELEASE);
	if (req->http->protover == 20)
		__atomic_store_n(&connections[fd].body, HTTP2, __ATOMIC_RELAXED);
	else if (body_waits(req) && !(proxied && came_by_http2(req)))
		__atomic_store_n(&connections[fd].body, HAS_BODY | n >> ACTIVE_BITS, __ATOMIC_RELAXED);
	else if (__atomic_load_n(&connections[fd].body, __ATOMIC_RELAXED) == HTTP2)
		__atomic_store_n(&connections[fd].body, 0, __ATOMIC_RELAXED);
}

void
connection_ends(struct client_task *t)
{

	if (t->connection != 0)
		(void)__atomic_sub_fetch(&connections[t->connection].requests, 1, __ATOMIC_RELAXED);
	t->connection = 0;
}

/* The request has become one; nothing of it is kept but its bytes. */
void
connection_tunnels(const struct client_task *t)
{
	uint32_t n;

	if (t->connection == 0)
		return;
	n = __atomic_load_n(&connections[t->connection].requests, __ATOMIC_RELAXED);
	__atomic_store_n(&connections[t->connection].body, IS_TUNNEL | n >> ACTIVE_BITS, __ATOMIC_RELAXED);
}

/* A connection that has not been here before: what was known of the one before it under this number counts no more. */
void
connection_is_new(int fd)
{
	uint32_t http2 = HTTP2;

	if (fd > 0 && fd < MOST_CONNECTIONS && (__atomic_load_n(&connections[fd].requests, __ATOMIC_RELAXED) & ACTIVE) == 0)
		(void)__atomic_compare_exchange_n(&connections[fd].body, &http2, 0, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

/* What a connection does, and the number of its last request. */
enum connection_state
connection_state(int fd, uint32_t *request)
{
	uint32_t n, body;

	if (fd <= 0 || fd >= MOST_CONNECTIONS)
		return (CONNECTION_UNKNOWN);
	n = __atomic_load_n(&connections[fd].requests, __ATOMIC_RELAXED);
	body = __atomic_load_n(&connections[fd].body, __ATOMIC_RELAXED);
	*request = n >> ACTIVE_BITS;
	if (body == HTTP2)
		return (CONNECTION_UNKNOWN);
	if ((n & ACTIVE) == 0)
		return (CONNECTION_BETWEEN);
	if (body == (IS_TUNNEL | n >> ACTIVE_BITS))
		return (CONNECTION_TUNNEL);
	return (body == (HAS_BODY | n >> ACTIVE_BITS) ? CONNECTION_HAS_BODY : CONNECTION_BUSY);
}

/* Whose request is under way on a Unix socket; false: none is, or nobody has said. */
bool
connection_client(int fd, struct client_address *who)
{
	uint32_t n;

	if (fd <= 0 || fd >= MOST_CONNECTIONS)
		return (false);
	n = __atomic_load_n(&connections[fd].requests, __ATOMIC_ACQUIRE);
	memset(who, 0, sizeof *who);
	who->address[0] = __atomic_load_n(&clients[fd].address[0], __ATOMIC_RELAXED);
	who->address[1] = __atomic_load_n(&clients[fd].address[1], __ATOMIC_RELAXED);
	who->port = __atomic_load_n(&clients[fd].port, __ATOMIC_RELAXED);
	/* Meanwhile the connection may have become another one. */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return ((n & ACTIVE) != 0 && who->port != 0 && n == __atomic_load_n(&connections[fd].requests, __ATOMIC_RELAXED));
}
