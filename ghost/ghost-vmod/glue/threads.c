/*
 * The threads that requests hold: which pool of varnishd's a thread is of, and how many that pool has for requests.
 */

#include "config.h"

#include <sys/resource.h>
#include <sys/socket.h>

#include "glue.h"
#include "desk.h"

#define MOST_POOLS	64
#define LEAST_THREADS	4
#define MOST_FILES	4096

static pthread_mutex_t pools_mtx = PTHREAD_MUTEX_INITIALIZER;
static const struct pool *pools[MOST_POOLS];
static unsigned n_pools;
static unsigned pools_of_lane[GHOST_LANES];

/* Each pool has a thread in accept(2) for each socket that it listens on: these are in nobody's way, and nobody's to use. */
static unsigned n_sockets;

/*
 * Some idle threads are kept for fetches, which are the more urgent the further a request is (cache_wrk.c, pool_reserve): a client never
 * gets these.
 */
#define LEAST_RESERVE	6

/*
 * Sockets are open before a VCL is loaded, and listen only when varnishd starts to accept: with a request they all do. They were there
 * before this process began, and so are among the first of its files.
 */
static void
count_sockets(void)
{
	struct rlimit limit;
	unsigned n = 0;
	int fd, listens;
	socklen_t len;

	if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur > MOST_FILES)
		limit.rlim_cur = MOST_FILES;
	for (fd = 0; fd < (int)limit.rlim_cur; fd++) {
		listens = 0;
		len = sizeof listens;
		if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &len) == 0 && listens)
			n++;
	}
	__atomic_store_n(&n_sockets, n, __ATOMIC_RELAXED);
}

static unsigned
parked_threads(void)
{
	unsigned least = cache_param->wthread_min, kept = cache_param->wthread_reserve;
	unsigned sockets = __atomic_load_n(&n_sockets, __ATOMIC_RELAXED);

	if (sockets == 0) {
		count_sockets();
		sockets = __atomic_load_n(&n_sockets, __ATOMIC_RELAXED);
	}
	if (kept == 0)
		kept = least / 20 + 1;
	else if (kept > least / 20 * 19)
		kept = least / 20 * 19;
	return (sockets + (kept < LEAST_RESERVE ? LEAST_RESERVE : kept));
}

/* A thread keeps its pool, but its desk may have been another's. */
static unsigned
lane_number(const struct pool *pool)
{
	struct desk *here = desk();
	unsigned u;

	if (here->pool != pool) {
		AZ(pthread_mutex_lock(&pools_mtx));
		for (u = 0; u < n_pools && pools[u] != pool; u++)
			continue;
		if (u == n_pools && n_pools < MOST_POOLS) {
			pools[n_pools++] = pool;
			(void)__atomic_fetch_add(&pools_of_lane[u % GHOST_LANES], 1, __ATOMIC_RELAXED);
		}
		AZ(pthread_mutex_unlock(&pools_mtx));
		here->pool = pool;
		here->lane = u % GHOST_LANES;
	}
	return (here->lane);
}

struct ghost_lane
lane_of(const struct worker *wrk)
{
	struct ghost_lane lane;
	unsigned each, parked;

	CHECK_OBJ_NOTNULL(wrk, WORKER_MAGIC);
	lane.number = lane_number(wrk->pool);
	each = cache_param->wthread_max;
	parked = parked_threads();
	each = each > parked + LEAST_THREADS ? each - parked : LEAST_THREADS;
	lane.capacity = each * __atomic_load_n(&pools_of_lane[lane.number], __ATOMIC_RELAXED);
	return (lane);
}
