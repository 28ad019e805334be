/*
 * Connections that hold no thread: varnishd has handed them to its waiter, which sleeps in epoll(7) until something comes. The kernel lists
 * the file descriptors of each epoll in /proc/self/fdinfo.
 */

#include "config.h"

#include <unistd.h>

#include "glue.h"
#include "slow.h"

#define MOST_WAITERS	16		/* varnishd has one in each pool of threads */
#define MOST_PARKED	(1U << 16)
#define WORD_BITS	64

static int waiters[MOST_WAITERS];
static unsigned n_waiters;
static uint64_t parked[MOST_PARKED / WORD_BITS];

void
parked_forget_waiters(void)
{

	n_waiters = 0;
}

void
parked_learn(int fd)
{
	static const char epoll[] = "anon_inode:[eventpoll]";
	char path[32], target[sizeof epoll];
	ssize_t n;

	if (n_waiters == MOST_WAITERS)
		return;
	(void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	n = readlink(path, target, sizeof target);
	if (n == (ssize_t)sizeof epoll - 1 && memcmp(target, epoll, (size_t)n) == 0)
		waiters[n_waiters++] = fd;
}

static bool
read_waiter(int waiter)
{
	char path[32], line[128];
	unsigned fd;
	FILE *file;

	(void)snprintf(path, sizeof path, "/proc/self/fdinfo/%d", waiter);
	file = fopen(path, "re");
	if (file == NULL)
		return (false);
	while (fgets(line, sizeof line, file) != NULL)
		if (sscanf(line, "tfd: %u", &fd) == 1 && fd < MOST_PARKED)
			parked[fd / WORD_BITS] |= UINT64_C(1) << fd % WORD_BITS;
	(void)fclose(file);
	return (true);
}

/* Reads what is parked now. False: it cannot be told. */
bool
parked_read(void)
{
	unsigned u;

	memset(parked, 0, sizeof parked);
	for (u = 0; u < n_waiters; u++)
		if (!read_waiter(waiters[u]))
			return (false);
	return (n_waiters > 0);
}

bool
is_parked(int fd)
{

	return (fd >= 0 && (unsigned)fd < MOST_PARKED && (parked[fd / WORD_BITS] >> fd % WORD_BITS & 1) != 0);
}
