/*
 * Bytes between two connections.
 */

#include "config.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>

#include "glue.h"
#include "relay.h"

static int
poll_ms(double seconds)
{

	return (seconds <= 0 || isinf(seconds) || seconds > INT32_MAX / 1e3 ? -1 : (int)(seconds * 1e3));
}

/* How much was taken at once; -1: the connection is gone. */
static ssize_t
send_some(int fd, const void *p, size_t n)
{
	ssize_t i;

	do
		i = send(fd, p, n, MSG_NOSIGNAL | MSG_DONTWAIT);
	while (i < 0 && errno == EINTR);
	return (i < 0 && (errno == EAGAIN || errno == EWOULDBLOCK) ? 0 : i);
}

/* To a client, which may take its time, but not for any single piece. */
int
send_all(int fd, const void *p, size_t n)
{
	struct pollfd out = { .fd = fd, .events = POLLOUT };
	const char *b = p;
	ssize_t i;

	for (; n > 0; b += i, n -= (size_t)i) {
		i = send_some(fd, b, n);
		if (i < 0)
			return (-1);
		if (i == 0 && poll(&out, 1, poll_ms(cache_param->idle_send_timeout)) == 0)
			return (-1);
	}
	return (0);
}

void
way_rest_free(struct way *w)
{

	free(w->rest);
	w->rest = NULL;
}

/* False: one of the two connections broke. */
static bool
way_flush(struct way *w)
{
	ssize_t i;

	i = send_some(w->to, w->rest + w->at, w->n - w->at);
	if (i < 0)
		return (false);
	w->at += (size_t)i;
	w->bytes += (uint64_t)i;
	if (w->at == w->n)
		way_rest_free(w);
	return (true);
}

bool
way_push(struct way *w, const char *p, size_t n)
{
	ssize_t i;

	i = send_some(w->to, p, n);
	if (i < 0)
		return (false);
	w->bytes += (uint64_t)i;
	if ((size_t)i == n)
		return (true);
	/* Nothing more is read until the other side has taken it. */
	w->n = n - (size_t)i;
	w->at = 0;
	w->rest = malloc(w->n);
	if (w->rest == NULL)
		return (false);
	memcpy(w->rest, p + i, w->n);
	return (true);
}

static bool
way_read(struct way *w)
{
	char piece[PIECE];
	ssize_t i;

	i = recv(w->from, piece, sizeof piece, MSG_DONTWAIT);
	if (i > 0)
		return (way_push(w, piece, (size_t)i));
	if (i < 0)
		return (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR);
	w->open = false;
	(void)shutdown(w->to, SHUT_WR);
	return (true);
}

static short
way_reads(const struct way *w)
{

	return (w->open && w->rest == NULL ? POLLIN : 0);
}

static short
way_writes(const struct way *w)
{

	return (w->rest != NULL ? POLLOUT : 0);
}

/* How long nothing may happen. A client that does not take what there is for it is not idle. */
static double
patience(const struct way *down, double deadline)
{
	double limit = cache_param->pipe_timeout, left;

	if (limit <= 0)
		limit = INFINITY;
	if (down->rest != NULL && cache_param->idle_send_timeout > 0 && cache_param->idle_send_timeout < limit)
		limit = cache_param->idle_send_timeout;
	left = deadline > 0 ? deadline - VTIM_real() : INFINITY;
	if (left < 1e-3)
		left = 1e-3;
	return (limit < left ? limit : left);
}

stream_close_t
relay(struct way *up, struct way *down, double deadline)
{
	struct pollfd fds[2];
	int i;

	while (up->open || down->open || up->rest != NULL || down->rest != NULL) {
		fds[0].events = way_reads(up) | way_writes(down);
		fds[1].events = way_reads(down) | way_writes(up);
		/* Of what nothing is wanted, nothing is heard, not even that it is gone. */
		fds[0].fd = fds[0].events == 0 ? -1 : up->from;
		fds[1].fd = fds[1].events == 0 ? -1 : down->from;
		fds[0].revents = fds[1].revents = 0;
		i = poll(fds, 2, poll_ms(patience(down, deadline)));
		if (i == 0)
			return (SC_RX_TIMEOUT);
		if (i < 0 && errno == EINTR)
			continue;
		if (i < 0)
			return (SC_TX_ERROR);
		if (fds[0].revents && down->rest != NULL && !way_flush(down))
			return (SC_REM_CLOSE);
		if (fds[1].revents && up->rest != NULL && !way_flush(up))
			return (SC_TX_PIPE);
		if (fds[0].revents && way_reads(up) && !way_read(up))
			return (SC_TX_PIPE);
		if (fds[1].revents && way_reads(down) && !way_read(down))
			return (SC_TX_PIPE);
	}
	return (SC_TX_PIPE);
}
