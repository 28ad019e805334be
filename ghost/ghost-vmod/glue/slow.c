/*
 * Clients that are slow on purpose. A worker that reads from a client or writes to one waits for it, whatever little comes: varnishd bounds the
 * time without a byte, and in a gateway a download may take a day. So each connection is looked at now and then, and is shut down if less
 * than a least rate was moved for a while although bytes wait to be sent, or the client trickles a body or the head of a request. A stream
 * on which nothing is to be sent has no bytes waiting, and a client that waits for its response sends nothing.
 */

#include "config.h"

#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "glue.h"
#include "slow.h"

#define SILENT_MS	6000		/* a body of which nothing came for so long has come as a whole, or its share of threads bounds it */

void
begin_reading(struct slow_seen *seen, double now, uint64_t received)
{

	seen->reads_since = now;
	seen->first_received = seen->received = received;
	seen->arrivals = 0;
}

/* Whether the peer took less than the least rate of what waits for it. */
bool
takes_too_little(struct slow_seen *seen, const struct tcp_info *info, double now, double patience)
{
	double taken = (double)(info->tcpi_bytes_acked - seen->acked), since = now - seen->writes_since;

	/* What is under way was taken: over a long path there is always some. */
	if (info->tcpi_notsent_bytes != 0) {
		if (since < patience)
			return (false);
		if (taken < LEAST_RATE * since)
			return (true);
	}
	seen->writes_since = now;
	seen->acked = info->tcpi_bytes_acked;
	return (false);
}

/*
 * Whether the peer sends a body at less than the least rate. A body that has come as a whole looks the same to us, but nothing comes after
 * it: only bytes that arrive again and again are slow. Bytes that lie unread are not the peer's fault.
 */
bool
sends_too_little(struct slow_seen *seen, const struct tcp_info *info, int unread, double now, double patience)
{
	double since = now - seen->reads_since;

	if (unread > 0) {
		begin_reading(seen, now, info->tcpi_bytes_received);
		return (false);
	}
	if (info->tcpi_bytes_received != seen->received)
		seen->arrivals++;
	seen->received = info->tcpi_bytes_received;
	if (seen->arrivals < 2 || since < patience || info->tcpi_last_data_recv > SILENT_MS)
		return (false);
	if ((double)(seen->received - seen->first_received) < LEAST_RATE * since)
		return (true);
	begin_reading(seen, now, seen->received);
	return (false);
}

/*
 * Whether the peer sends a head at less than the least rate. Between two requests a thread that has not left the connection to the waiter reads
 * a head, or lingers for what may come at once. A head that lies unread waits for a thread, and holds none.
 */
static bool
trickles_head(struct slow_seen *seen, int fd, const struct tcp_info *info, int unread, const struct slow_look *look)
{
	bool reads = look->knows_parked ? !is_parked(fd) : info->tcpi_bytes_received != seen->first_received;
	double since = look->now - seen->head_since;

	if (!reads || unread > 0) {
		seen->head_since = 0;
		return (false);
	}
	if (seen->head_since != 0 && since < look->patience.head)
		return (false);
	if (seen->head_since != 0 && (double)(info->tcpi_bytes_received - seen->head_received) < LEAST_RATE * since)
		return (true);
	seen->head_since = look->now;
	seen->head_received = info->tcpi_bytes_received;
	return (false);
}

static void
note_new(struct slow_seen *seen, int fd, ino_t inode, const struct tcp_info *info, double now)
{

	memset(seen, 0, sizeof *seen);
	seen->inode = inode;
	seen->writes_since = now;
	seen->acked = info->tcpi_bytes_acked;
	seen->is_new = true;
	connection_is_new(fd);
}

/* The state of the connection, from when it is as it is now. A new one that was sent nothing yet is at its first head. */
static void
note_state(struct slow_seen *seen, enum connection_state state, uint32_t request, const struct tcp_info *info, double now)
{

	if (state == seen->state && request == seen->request && !seen->is_new)
		return;
	begin_reading(seen, now, info->tcpi_bytes_received);
	if (seen->is_new && state == CONNECTION_BETWEEN && info->tcpi_bytes_acked <= 1 && info->tcpi_unacked == 0)
		seen->received = seen->first_received = 0;
	seen->head_since = 0;
	seen->is_new = false;
	seen->state = state;
	seen->request = request;
}

static enum slow_is
judge(struct slow_seen *seen, int fd, const struct tcp_info *info, const struct slow_look *look)
{
	uint32_t quiet = info->tcpi_last_data_recv;
	int unread = 0;

	seen->is_idle = seen->is_waiting = false;
	if (look->is_thorough && takes_too_little(seen, info, look->now, look->patience.write))
		return (SLOW_WRITE);
	if (seen->state != CONNECTION_BETWEEN && (seen->state != CONNECTION_HAS_BODY || !look->is_thorough))
		return (SLOW_NOT);
	if (ioctl(fd, FIONREAD, &unread) != 0)
		return (SLOW_NOT);
	if (seen->state == CONNECTION_HAS_BODY)
		return (sends_too_little(seen, info, unread, look->now, look->patience.body) ? SLOW_BODY : SLOW_NOT);
	if (trickles_head(seen, fd, info, unread, look))
		return (SLOW_HEAD);
	seen->is_waiting = unread > 0;
	if (info->tcpi_bytes_acked > 1 && info->tcpi_last_data_sent < quiet)
		quiet = info->tcpi_last_data_sent;
	seen->quiet = quiet / 1e3;
	seen->is_idle = seen->head_since == 0 && unread == 0;
	seen->said_nothing = info->tcpi_bytes_received == 0;
	return (SLOW_NOT);
}

enum slow_is
slow_look(struct slow_seen *seen, int fd, const struct slow_look *look)
{
	enum connection_state state;
	struct tcp_info info;
	struct stat st;
	socklen_t l = sizeof info;
	uint32_t request = 0;
	enum slow_is is;

	if (fstat(fd, &st) != 0)
		return (SLOW_NOT);
	state = connection_state(fd, &request);
	if (!look->is_thorough && seen->inode == st.st_ino && state == seen->state && state != CONNECTION_BETWEEN &&
	    request == seen->request) {
		seen->looked = look->now;
		return (SLOW_NOT);
	}
	memset(&info, 0, sizeof info);
	if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &l) != 0)
		return (SLOW_NOT);
	if (seen->inode != st.st_ino) {
		note_new(seen, fd, st.st_ino, &info, look->now);
		state = connection_state(fd, &request);
	}
	seen->looked = look->now;
	note_state(seen, state, request, &info, look->now);
	is = judge(seen, fd, &info, look);
	return (is != SLOW_NOT && slow_end(seen, fd) ? is : SLOW_NOT);
}

/* Ends a connection, unless it is another one meanwhile. */
bool
slow_end(const struct slow_seen *seen, int fd)
{
	struct stat st;

	if (fstat(fd, &st) != 0 || st.st_ino != seen->inode)
		return (false);
	(void)shutdown(fd, SHUT_RDWR);
	return (true);
}
