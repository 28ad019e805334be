/*
 * Clients whose TCP connection HAProxy holds: it terminates TLS and has a connection of Unix domain to varnishd for each request under way. What waits
 * there is what HAProxy does not take because its client does not; how much the client itself takes or sends, its TCP connection tells, which is
 * found by the address in the PROXY header (diag.c). The same least rate holds as on plain ports (slow.c).
 *
 * A client of HTTP/2 may also take all that TCP has and open no window for a response. Its responses then lie still, while its connection
 * moves less than the least rate for each of them.
 *
 * Connections are looked up for requests alone that have lasted for a part of the patience. Where none has the address, as behind a load
 * balancer whose PROXY header HAProxy passes on, nobody is judged.
 */

#include "config.h"

#include <linux/sockios.h>
#include <linux/tcp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "glue.h"
#include "slow.h"

#define MOST_SUSPECTS	2048		/* any more are looked at when others are gone */
#define SUSPECT_PART	4		/* of the patience makes a suspect */
#define LOOKUP_PART	8		/* of the patience at least is between two lookups */

static struct suspect {
	struct client_address	who;
	int			fd;
} suspects[MOST_SUSPECTS];
static size_t n_suspects;
static struct diag_client clients[MOST_SUSPECTS];
static double looked_up;

/* Sockets that were accepted have the path of the one that listens; connections to backends have none. */
static bool
is_accepted(int fd)
{
	struct sockaddr_un un;
	socklen_t l = sizeof un;

	return (getsockname(fd, (struct sockaddr *)&un, &l) == 0 && un.sun_family == AF_UNIX &&
	    l > offsetof(struct sockaddr_un, sun_path) && un.sun_path[0] != '\0');
}

static void
note_queue(struct slow_seen *seen, int fd, double now)
{
	int queue = 0;

	if (ioctl(fd, SIOCOUTQ, &queue) != 0)
		queue = 0;
	if (queue == 0)
		seen->queued_since = seen->writes_since = 0;
	else if (seen->queued_since == 0)
		seen->queued_since = now;
	if (queue != seen->queue) {
		seen->queue_since = now;
		seen->still_since = 0;
	}
	seen->queue = queue;
}

static void
suspect(int fd)
{

	if (n_suspects == MOST_SUSPECTS || !connection_client(fd, &suspects[n_suspects].who))
		return;
	suspects[n_suspects++].fd = fd;
}

void
proxied_look(struct slow_seen *seen, int fd, const struct slow_look *look)
{
	enum connection_state state;
	uint32_t request = 0;
	struct stat st;
	double early = look->patience.write / SUSPECT_PART;

	state = connection_state(fd, &request);
	if ((state != CONNECTION_BUSY && state != CONNECTION_HAS_BODY) || !is_accepted(fd) || fstat(fd, &st) != 0)
		return;
	if (seen->inode != st.st_ino || seen->state != state || seen->request != request) {
		memset(seen, 0, sizeof *seen);
		seen->inode = st.st_ino;
		seen->state = state;
		seen->request = request;
		seen->begun = look->now;
	}
	note_queue(seen, fd, look->now);
	if ((state == CONNECTION_HAS_BODY && look->now - seen->begun >= early) ||
	    (seen->queued_since != 0 && look->now - seen->queued_since >= early))
		suspect(fd);
}

/* Whether a response lies still because the client opens no window for it: what TCP has goes out, and is less than the least rate for each. */
static bool
lies_still(struct slow_seen *seen, const struct diag_client *client, double now, double patience)
{
	double since = now - seen->still_since;

	if (seen->still_since == 0) {
		seen->still_since = now;
		seen->still_acked = client->tcp.tcpi_bytes_acked;
		return (false);
	}
	/* A HAProxy that pauses moves nothing, either. */
	if (now - seen->queue_since < patience || since < patience / 2)
		return (false);
	return ((double)(client->tcp.tcpi_bytes_acked - seen->still_acked) < LEAST_RATE * since * client->responses);
}

static bool
takes_or_lies_still(struct slow_seen *seen, const struct diag_client *client, const struct slow_look *look)
{

	if (seen->queued_since == 0)
		return (false);
	if (seen->writes_since == 0) {
		seen->writes_since = look->now;
		seen->acked = client->tcp.tcpi_bytes_acked;
	}
	return (takes_too_little(seen, &client->tcp, look->now, look->patience.write) ||
	    lies_still(seen, client, look->now, look->patience.still));
}

static bool
drips(struct slow_seen *seen, int fd, const struct diag_client *client, const struct slow_look *look)
{
	int unread = 0;

	/* Which of several connections the body comes from is not known. */
	if (seen->state != CONNECTION_HAS_BODY || client->connections != 1 || ioctl(fd, FIONREAD, &unread) != 0)
		return (false);
	if (seen->reads_since == 0)
		begin_reading(seen, look->now, client->tcp.tcpi_bytes_received);
	return (sends_too_little(seen, &client->tcp, unread > 0 || client->unread > 0, look->now, look->patience.body));
}

static enum slow_is
judge(struct slow_seen *seen, int fd, const struct diag_client *client, const struct slow_look *look)
{
	enum slow_is is = SLOW_NOT;
	uint32_t request = 0;

	if (client->connections == 0)
		return (SLOW_NOT);
	if (takes_or_lies_still(seen, client, look))
		is = SLOW_WRITE;
	else if (drips(seen, fd, client, look))
		is = SLOW_BODY;
	if (is == SLOW_NOT || connection_state(fd, &request) != seen->state || request != seen->request)
		return (SLOW_NOT);
	return (slow_end(seen, fd) ? is : SLOW_NOT);
}

/* A client of HTTP/2 has as many connections to varnishd as requests, and one of its own. */
static size_t
gather_clients(const struct slow_seen *all)
{
	size_t i, n = 0;

	qsort(suspects, n_suspects, sizeof *suspects, client_address_order);
	for (i = 0; i < n_suspects; i++) {
		if (n == 0 || client_address_order(&clients[n - 1].who, &suspects[i].who) != 0) {
			memset(&clients[n], 0, sizeof *clients);
			clients[n++].who = suspects[i].who;
		}
		clients[n - 1].responses += all[suspects[i].fd].queued_since != 0;
	}
	return (n);
}

/* Ends those that are too slow of the requests that were looked at. */
void
proxied_judge(struct slow_seen *all, const struct slow_look *look, const unsigned char *plain_ports, struct slow_found *found)
{
	struct diag_client *client = clients;
	struct diag_search search = { .clients = clients, .left_out = plain_ports };
	enum slow_is is;
	size_t i, n = n_suspects;

	if (n > 0 && look->now - looked_up >= look->patience.write / LOOKUP_PART) {
		looked_up = look->now;
		search.n = gather_clients(all);
		diag_read(&search);
		for (i = 0; i < n; i++) {
			while (client_address_order(&client->who, &suspects[i].who) != 0)
				client++;
			is = judge(&all[suspects[i].fd], suspects[i].fd, client, look);
			found->writes += is == SLOW_WRITE;
			found->bodies += is == SLOW_BODY;
		}
	}
	n_suspects = 0;
}
