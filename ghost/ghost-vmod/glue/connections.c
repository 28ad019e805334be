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
#define HTTP2			UINT32_MAX

/* By file descriptor. */
static struct {
	uint32_t	requests;	/* so far, and in the last bits those under way */
	uint32_t	body;		/* the number of the last request that has one; or the connection is HTTP/2 */
} connections[MOST_CONNECTIONS];

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

void
connection_begins(struct client_task *t, const struct req *req)
{
	int fd = req->sp->fd;
	uint32_t n;

	if (t->connection != 0 || req->esi_level != 0 || fd <= 0 || fd >= MOST_CONNECTIONS)
		return;
	t->connection = fd;
	n = __atomic_add_fetch(&connections[fd].requests, (1U << ACTIVE_BITS) + 1, __ATOMIC_RELAXED);
	if (req->http->protover == 20)
		__atomic_store_n(&connections[fd].body, HTTP2, __ATOMIC_RELAXED);
	else if (body_waits(req))
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
	return (body == (HAS_BODY | n >> ACTIVE_BITS) ? CONNECTION_HAS_BODY : CONNECTION_BUSY);
}
