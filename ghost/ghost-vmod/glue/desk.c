/*
 * What a thread of varnishd has of ours: its desk.
 */

#include "config.h"

#include "glue.h"
#include "desk.h"

/* In the block of TLS that every thread has from its start: no call is needed to find it. */
__thread struct desk *desk_here __attribute__((tls_model("initial-exec")));

static pthread_mutex_t desks_mtx = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t desks_once = PTHREAD_ONCE_INIT;
static pthread_key_t desks_key;
static VTAILQ_HEAD(, desk) desks_left = VTAILQ_HEAD_INITIALIZER(desks_left);
static unsigned n_desks;

/* A thread ends. The next one gets its desk: there are never more of them than there were threads at once. */
static void
desk_leave(void *p)
{
	struct desk *desk;

	CAST_OBJ_NOTNULL(desk, p, DESK_MAGIC);
	desk->client = NULL;
	desk->fetch = NULL;
	desk_here = NULL;
	AZ(pthread_mutex_lock(&desks_mtx));
	VTAILQ_INSERT_HEAD(&desks_left, desk, list);
	AZ(pthread_mutex_unlock(&desks_mtx));
}

static void
desks_start(void)
{

	AZ(pthread_key_create(&desks_key, desk_leave));
}

struct desk *
desk_take(void)
{
	struct desk *desk;

	AZ(pthread_once(&desks_once, desks_start));
	AZ(pthread_mutex_lock(&desks_mtx));
	desk = VTAILQ_FIRST(&desks_left);
	if (desk != NULL)
		VTAILQ_REMOVE(&desks_left, desk, list);
	else {
		ALLOC_OBJ(desk, DESK_MAGIC);
		AN(desk);
		desk->number = n_desks++;
	}
	AZ(pthread_mutex_unlock(&desks_mtx));
	AZ(pthread_setspecific(desks_key, desk));
	desk_here = desk;
	return (desk);
}
