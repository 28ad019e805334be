/*
 * Clients that are slow on purpose. A worker that reads from a client or writes to one waits for it, whatever little comes: varnishd bounds the
 * time without a byte, and in a gateway a download may take a day. So each connection is looked at now and then, and is shut down if less
 * than a least rate was moved for a while although bytes wait to be sent, or the client trickles a body or the head of a request. A stream
 * on which nothing is to be sent has no bytes waiting, and who waits for a response sends nothing.
 */

#include "config.h"

#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "glue.h"
#include "slow.h"

#define LEAST_RATE	500.0		/* bytes in a second */
#define GONE_SILENT_MS	6000		/* varnishd itself waits no longer for the next byte of a body (timeout_idle) */

static void
begin_reading(struct slow_seen *seen, double now, uint64_t received)
{

	seen->reads_since = now;
	seen->first_received = seen->received = received;
	seen->arrivals = 0;
}

/* Whether the peer took less than the least rate of what waits for it. */
static bool
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
 * Whether the peer sends a head or a body at less than the least rate. A body that has come as a whole looks the same to us, but
 * nothing comes after it: only bytes that arrive again and again are slow. Bytes that lie unread are not the peer's fault.
 */
static bool
sends_too_little(struct slow_seen *seen, int fd, const struct tcp_info *info, double now, double patience)
{
	unsigned least = seen->state == CONNECTION_BETWEEN ? 1 : 2;
	double since = now - seen->reads_since;
	int unread = 0;

	if (ioctl(fd, FIONREAD, &unread) != 0 || unread > 0) {
		begin_reading(seen, now, info->tcpi_bytes_received);
		return (false);
	}
	if (info->tcpi_bytes_received != seen->received)
		seen->arrivals++;
	seen->received = info->tcpi_bytes_received;
	if (seen->arrivals < least || since < patience || info->tcpi_last_data_recv > GONE_SILENT_MS)
		return (false);
	if ((double)(seen->received - seen->first_received) < LEAST_RATE * since)
		return (true);
	begin_reading(seen, now, seen->received);
	return (false);
}

/* The state of the connection, from when it is as it is now. A new one that was sent nothing yet is at its first head. */
static void
note_state(struct slow_seen *seen, int fd, const struct tcp_info *info, double now)
{
	enum connection_state state;
	uint32_t request = 0;

	state = connection_state(fd, &request);
	if (state == seen->state && request == seen->request && !seen->is_new)
		return;
	begin_reading(seen, now, info->tcpi_bytes_received);
	if (seen->is_new && state == CONNECTION_BETWEEN && info->tcpi_bytes_acked <= 1 && info->tcpi_unacked == 0)
		seen->received = seen->first_received = 0;
	seen->is_new = false;
	seen->state = state;
	seen->request = request;
}

enum slow_is
slow_look(struct slow_seen *seen, int fd, double now, const struct slow_patience *patience)
{
	struct tcp_info info;
	struct stat st;
	socklen_t l = sizeof info;
	enum slow_is is = SLOW_NOT;

	memset(&info, 0, sizeof info);
	if (fstat(fd, &st) != 0 || getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &l) != 0)
		return (SLOW_NOT);
	if (seen->inode != st.st_ino) {
		memset(seen, 0, sizeof *seen);
		seen->inode = st.st_ino;
		seen->writes_since = now;
		seen->acked = info.tcpi_bytes_acked;
		seen->is_new = true;
	}
	note_state(seen, fd, &info, now);
	if (takes_too_little(seen, &info, now, patience->write))
		is = SLOW_WRITE;
	else if (seen->state == CONNECTION_HAS_BODY && sends_too_little(seen, fd, &info, now, patience->body))
		is = SLOW_BODY;
	else if (seen->state == CONNECTION_BETWEEN && sends_too_little(seen, fd, &info, now, patience->head))
		is = SLOW_HEAD;
	if (is != SLOW_NOT && fstat(fd, &st) == 0 && st.st_ino == seen->inode) {
		(void)shutdown(fd, SHUT_RDWR);
		return (is);
	}
	return (seen->state == CONNECTION_BETWEEN && seen->arrivals > 0 ? SLOW_HEAD_BEGUN : SLOW_NOT);
}
