/*
 * A thread that looks at the connections of clients (slow.c). While few of varnishd's threads are free it looks more often, and bears less.
 * Sockets of Unix domain are left alone: who is behind them has limits of its own.
 */

#include "config.h"

#include <dirent.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "glue.h"
#include "slow.h"

#define STALL_VARIABLE	"GHOST_STALL_SECONDS"
#define STALL_SECONDS	30.0
#define STALL_LOOKS	30	/* in that time */
#define SCARCE_LOOKS	60
#define SCARCE_PART	12	/* of that time is given while threads are scarce; half of it for the head of a request */
#define LOOK_SHARE	50	/* of the time at most one part goes into looking */
#define STALL_STACK	(256 * 1024)
#define STALL_PORTS	65536

static struct slow_seen *stall_seen;
static size_t stall_room;
static unsigned char stall_ports[STALL_PORTS];
static pthread_once_t stall_once = PTHREAD_ONCE_INIT;
static bool stall_scarce;

struct look {
	double			now;
	struct slow_patience	patience;
	unsigned		heads;
};

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

static struct slow_seen *
stall_of(int fd)
{
	struct slow_seen *more;
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

/* Calls with each file descriptor of the process. */
static void
stall_each(void (*with)(int fd, struct look *), struct look *look)
{
	DIR *all = opendir("/proc/self/fd");
	struct dirent *one;

	if (all == NULL)
		return;
	while ((one = readdir(all)) != NULL)
		if (one->d_name[0] >= '0' && one->d_name[0] <= '9')
			with(atoi(one->d_name), look);
	(void)closedir(all);
}

static void
stall_learn(int fd, struct look *look)
{

	(void)look;
	if (stall_listens(fd))
		stall_ports[stall_port(fd) % STALL_PORTS] = 1;
}

/* Connections to backends have ports of their own on this side. */
static void
stall_check(int fd, struct look *look)
{
	unsigned port = stall_port(fd);
	struct slow_seen *seen;

	if (port == 0 || !stall_ports[port % STALL_PORTS] || stall_listens(fd))
		return;
	seen = stall_of(fd);
	if (seen == NULL)
		return;
	switch (slow_look(seen, fd, look->now, &look->patience)) {
	case SLOW_WRITE:
		COUNT(stalled);
		break;
	case SLOW_BODY:
		COUNT(slow_bodies);
		break;
	case SLOW_HEAD:
		COUNT(slow_heads);
		break;
	case SLOW_HEAD_BEGUN:
		look->heads++;
		break;
	case SLOW_NOT:
		break;
	}
}

static void *
stall_thread(void *p)
{
	struct look look;
	double most = stall_time(), borne;
	double pause, took = 0;
	bool scarce;

	(void)p;
	memset(&look, 0, sizeof look);
	while (1) {
		scarce = ghost_scarce(look.heads);
		__atomic_store_n(&stall_scarce, scarce, __ATOMIC_RELAXED);
		pause = most / (scarce ? SCARCE_LOOKS : STALL_LOOKS);
		VTIM_sleep(pause > took * LOOK_SHARE ? pause : took * LOOK_SHARE);
		look.now = VTIM_mono();
		look.heads = 0;
		borne = most / (scarce ? SCARCE_PART : 1);
		look.patience = (struct slow_patience){ borne, borne, scarce ? borne / 2 : borne };
		memset(stall_ports, 0, sizeof stall_ports);
		stall_each(stall_learn, &look);
		stall_ports[0] = 0;
		stall_each(stall_check, &look);
		took = VTIM_mono() - look.now;
	}
	return (NULL);
}

/* Whether few of varnishd's threads were free at the last look. */
bool
threads_are_scarce(void)
{

	return (__atomic_load_n(&stall_scarce, __ATOMIC_RELAXED));
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
