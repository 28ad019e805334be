/*
 * Clients that do not read. A worker that writes to one waits in the kernel, and varnishd tries again until send_timeout, which is a
 * day in a gateway: downloads may take that long. So a thread looks at the connections of clients, and shuts down those whose
 * peer took less than a least rate for a while although bytes waited for it. A stream on which nothing is to be sent has no bytes
 * waiting. Sockets of Unix domain are left alone: who is behind them has limits of its own.
 */

#include "config.h"

#include <dirent.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "glue.h"

#define STALL_VARIABLE	"GHOST_STALL_SECONDS"
#define STALL_SECONDS	30.0
#define STALL_LEAST	500.0	/* bytes in a second */
#define STALL_LOOKS	6	/* in the time that a client has */
#define STALL_STACK	(256 * 1024)
#define STALL_PORTS	65536

struct stall_seen {
	ino_t		inode;
	double		since;	/* bytes have waited, at each look */
	uint64_t	acked;	/* at that time */
};

static struct stall_seen *stall_seen;
static size_t stall_room;
static unsigned char stall_ports[STALL_PORTS];
static pthread_once_t stall_once = PTHREAD_ONCE_INIT;

static double
stall_time(void)
{
	const char *text = getenv(STALL_VARIABLE);
	double seconds = text == NULL ? STALL_SECONDS : strtod(text, NULL);

	return (seconds > 0 ? seconds : STALL_SECONDS);
}

/* The local port of a TCP socket; 0 for anything else. */
static unsigned
stall_port(int fd)
{
	struct sockaddr_storage ss;
	socklen_t l = sizeof ss;

	if (getsockname(fd, (struct sockaddr *)&ss, &l) != 0)
		return (0);
	if (ss.ss_family == AF_INET)
		return (ntohs(((struct sockaddr_in *)&ss)->sin_port));
	if (ss.ss_family == AF_INET6)
		return (ntohs(((struct sockaddr_in6 *)&ss)->sin6_port));
	return (0);
}

static int
stall_listens(int fd)
{
	int listens = 0;
	socklen_t l = sizeof listens;

	return (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &l) == 0 && listens);
}

static struct stall_seen *
stall_of(int fd)
{
	struct stall_seen *more;
	size_t room = stall_room;

	if ((size_t)fd < stall_room)
		return (&stall_seen[fd]);
	while (room <= (size_t)fd)
		room = room == 0 ? 256 : room * 2;
	more = realloc(stall_seen, room * sizeof *more);
	if (more == NULL)
		return (NULL);
	memset(more + stall_room, 0, (room - stall_room) * sizeof *more);
	stall_seen = more;
	stall_room = room;
	return (&stall_seen[fd]);
}

static void
stall_look(int fd, double now, double most)
{
	struct stall_seen *seen;
	struct tcp_info info;
	struct stat st;
	socklen_t l = sizeof info;

	memset(&info, 0, sizeof info);
	if (fstat(fd, &st) != 0 || getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &l) != 0)
		return;
	seen = stall_of(fd);
	if (seen == NULL)
		return;
	/* What is under way was taken: over a long path there is always some. */
	if (seen->inode != st.st_ino || info.tcpi_notsent_bytes == 0) {
		seen->inode = st.st_ino;
		seen->since = now;
		seen->acked = info.tcpi_bytes_acked;
		return;
	}
	if (now - seen->since < most)
		return;
	if ((double)(info.tcpi_bytes_acked - seen->acked) < STALL_LEAST * (now - seen->since) &&
	    fstat(fd, &st) == 0 && st.st_ino == seen->inode) {
		COUNT(stalled);
		(void)shutdown(fd, SHUT_RDWR);
	}
	seen->since = now;
	seen->acked = info.tcpi_bytes_acked;
}

/* Calls with each file descriptor of the process. */
static void
stall_each(void (*with)(int fd, double now, double most), double most)
{
	DIR *all = opendir("/proc/self/fd");
	struct dirent *one;
	double now = VTIM_mono();

	if (all == NULL)
		return;
	while ((one = readdir(all)) != NULL)
		if (one->d_name[0] >= '0' && one->d_name[0] <= '9')
			with(atoi(one->d_name), now, most);
	(void)closedir(all);
}

static void
stall_learn(int fd, double now, double most)
{

	(void)now;
	(void)most;
	if (stall_listens(fd))
		stall_ports[stall_port(fd) % STALL_PORTS] = 1;
}

/* Connections to backends have ports of their own on this side. */
static void
stall_check(int fd, double now, double most)
{
	unsigned port = stall_port(fd);

	if (port != 0 && stall_ports[port % STALL_PORTS] && !stall_listens(fd))
		stall_look(fd, now, most);
}

static void *
stall_thread(void *p)
{
	double most = stall_time();

	(void)p;
	while (1) {
		VTIM_sleep(most / STALL_LOOKS);
		memset(stall_ports, 0, sizeof stall_ports);
		stall_each(stall_learn, most);
		stall_ports[0] = 0;
		stall_each(stall_check, most);
	}
	return (NULL);
}

static void
stall_begin(void)
{
	pthread_attr_t attr;
	pthread_t thread;

	AZ(pthread_attr_init(&attr));
	AZ(pthread_attr_setstacksize(&attr, STALL_STACK));
	AZ(pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED));
	/* Without it the gateway is as patient as varnishd. */
	(void)pthread_create(&thread, &attr, stall_thread, NULL);
	AZ(pthread_attr_destroy(&attr));
}

void
stall_start(void)
{

	AZ(pthread_once(&stall_once, stall_begin));
}
