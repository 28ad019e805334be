/*
 * A thread that looks at the connections of clients (slow.c). While few of varnishd's threads are free it bears less; when less than a sixteenth is,
 * or when there are too many connections, those that have waited longest go (evict.c).
 * Of the sockets of Unix domain those are looked at that HAProxy forwards requests to (proxied.c); it has limits of its own for heads and idle connections.
 */

#include "config.h"

#include <dirent.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "glue.h"
#include "slow.h"

#define STALL_VARIABLE	"GHOST_STALL_SECONDS"
#define STALL_SECONDS	30.0
#define HEAD_LOOKS	300	/* in that time */
#define LACKING_LOOKS	1200
#define STALL_LOOKS	30	/* thorough ones */
#define SCARCE_LOOKS	60
#define SCARCE_PART	12	/* of that time is given while threads are scarce; half of it for the head of a request */
#define LOOK_SHARE	50	/* of the time at most one part goes into looking; and one of */
#define LACKING_SHARE	10	/* these while threads are lacking */
#define STILL_PARTS	2.2		/* of the patience: HAProxy takes up to 32 KiB at once, 66 s of the least rate */
#define STALL_STACK	(256 * 1024)
#define STALL_PORTS	65536
#define CONNECTIONS_VARIABLE	"GHOST_CONNECTIONS"
#define EVICT_PART	16	/* of all connections are ended at once when there are too many */

static struct slow_seen *stall_seen;
static size_t stall_room;
static unsigned char stall_ports[STALL_PORTS];
static pthread_once_t stall_once = PTHREAD_ONCE_INIT;
static bool stall_scarce;

struct round {
	struct slow_look	look;
	unsigned		connections;
	unsigned		heads;		/* that threads read */
	unsigned		waiting;	/* for a thread */
};

static double
stall_time(void)
{
	const char *text = getenv(STALL_VARIABLE);
	double seconds = text == NULL ? STALL_SECONDS : strtod(text, NULL);

	return (seconds > 0 ? seconds : STALL_SECONDS);
}

/* How many connections there may be on plain ports. */
static unsigned
stall_connections(void)
{
	const char *text = getenv(CONNECTIONS_VARIABLE);
	unsigned long most = text == NULL ? 0 : strtoul(text, NULL, 10);
	struct rlimit files;

	/* Without any to spare, varnishd could neither accept connections nor open any to backends. */
	if (getrlimit(RLIMIT_NOFILE, &files) == 0 && (most == 0 || most > files.rlim_cur / 4 * 3))
		most = files.rlim_cur / 4 * 3;
	return (most == 0 || most > UINT32_MAX ? UINT32_MAX : (unsigned)most);
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
stall_each(void (*with)(int fd, struct round *), struct round *round)
{
	DIR *all = opendir("/proc/self/fd");
	struct dirent *one;

	if (all == NULL)
		return;
	while ((one = readdir(all)) != NULL)
		if (one->d_name[0] >= '0' && one->d_name[0] <= '9')
			with(atoi(one->d_name), round);
	(void)closedir(all);
}

static void
stall_learn(int fd, struct round *round)
{

	(void)round;
	parked_learn(fd);
	if (stall_listens(fd))
		stall_ports[stall_port(fd) % STALL_PORTS] = 1;
}

/* Connections to backends have ports of their own on this side. */
static void
stall_check(int fd, struct round *round)
{
	unsigned port = stall_port(fd);
	struct slow_seen *seen;

	if ((port == 0 && !round->look.is_thorough) || (port != 0 && (!stall_ports[port % STALL_PORTS] || stall_listens(fd))))
		return;
	seen = stall_of(fd);
	if (seen == NULL)
		return;
	if (port == 0) {
		proxied_look(seen, fd, &round->look);
		return;
	}
	round->connections++;
	switch (slow_look(seen, fd, &round->look)) {
	case SLOW_WRITE:
		COUNT(stalled);
		break;
	case SLOW_BODY:
		COUNT(slow_bodies);
		break;
	case SLOW_HEAD:
		COUNT(slow_heads);
		break;
	case SLOW_NOT:
		round->heads += seen->state == CONNECTION_BETWEEN && seen->head_since != 0;
		round->waiting += seen->state == CONNECTION_BETWEEN && seen->is_waiting;
		break;
	}
}

/* Returns whether threads are lacking. */
static bool
stall_evict(const struct round *round, unsigned most)
{
	unsigned too_many = round->connections > most ? round->connections - most + most / EVICT_PART : 0;
	unsigned lacking = ghost_lacking(round->heads + round->waiting), heads, idle;

	heads = evict_heads(stall_seen, stall_room, lacking, round->look.now);
	idle = evict_idle(stall_seen, stall_room, too_many, round->look.now);
	COUNT_MANY(slow_heads, heads);
	COUNT_MANY(idle_closed, idle);
	return (lacking > 0);
}

/* Sockets and waiters are there from the start, or nearly. */
static void
stall_learn_all(struct round *round)
{

	memset(stall_ports, 0, sizeof stall_ports);
	parked_forget_waiters();
	stall_each(stall_learn, round);
	stall_ports[0] = 0;
}

static void
stall_judge_proxied(const struct round *round)
{
	struct slow_found found = { 0, 0 };

	proxied_judge(stall_seen, &round->look, stall_ports, &found);
	COUNT_MANY(stalled, found.writes);
	COUNT_MANY(slow_bodies, found.bodies);
}

static void
stall_look(struct round *round)
{

	round->connections = round->heads = round->waiting = 0;
	if (round->look.is_thorough)
		stall_learn_all(round);
	round->look.knows_parked = parked_read();
	stall_each(stall_check, round);
	if (round->look.is_thorough)
		stall_judge_proxied(round);
}

static void *
stall_thread(void *p)
{
	struct round round;
	double most = stall_time(), borne, thorough = 0;
	double pause, least, took = 0;
	unsigned connections = stall_connections();
	bool scarce, lacking = false;

	(void)p;
	memset(&round, 0, sizeof round);
	while (1) {
		scarce = ghost_scarce(round.heads);
		__atomic_store_n(&stall_scarce, scarce, __ATOMIC_RELAXED);
		pause = most / (lacking ? LACKING_LOOKS : HEAD_LOOKS);
		least = took * (lacking ? LACKING_SHARE : LOOK_SHARE);
		VTIM_sleep(pause > least ? pause : least);
		round.look.now = VTIM_mono();
		round.look.is_thorough = round.look.now - thorough >= most / (scarce ? SCARCE_LOOKS : STALL_LOOKS);
		borne = most / (scarce ? SCARCE_PART : 1);
		round.look.patience = (struct slow_patience){ borne, borne, scarce ? borne / 2 : borne, borne * STILL_PARTS };
		if (round.look.is_thorough)
			thorough = round.look.now;
		stall_look(&round);
		lacking = stall_evict(&round, connections);
		took = VTIM_mono() - round.look.now;
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
