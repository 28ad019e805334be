/*
 * Connections that have to go because others need what they hold: those that have waited longest go first.
 */

#include "config.h"

#include "glue.h"
#include "slow.h"

#define LEAST_HEAD	0.05		/* seconds that a head may take, whatever else is the case */

struct candidate {
	int			fd;
	double			age;		/* seconds */
};

static int
oldest_first(const void *one, const void *other)
{
	double a = ((const struct candidate *)one)->age, b = ((const struct candidate *)other)->age;

	return (a < b ? 1 : a > b ? -1 : 0);
}

/* How long a thread has read the head; negative: none does. */
static double
head_age(const struct slow_seen *seen, double now)
{

	return (seen->head_since != 0 && now - seen->head_since >= LEAST_HEAD ? now - seen->head_since : -1);
}

/* How long nothing was asked; a client that never asked goes before any other. */
static double
idle_age(const struct slow_seen *seen, double now)
{

	(void)now;
	if (!seen->is_idle)
		return (-1);
	return (seen->said_nothing ? seen->quiet + UINT32_MAX : seen->quiet);
}

static unsigned
evict(struct slow_seen *all, size_t n, unsigned wanted, double now, double (*age)(const struct slow_seen *, double))
{
	struct candidate *candidates;
	unsigned ended = 0;
	size_t fd, found = 0;
	double old;

	candidates = wanted == 0 ? NULL : malloc(n * sizeof *candidates);
	if (candidates == NULL)
		return (0);
	for (fd = 0; fd < n; fd++) {
		/* What was not seen at this look is gone. */
		old = all[fd].looked == now ? age(&all[fd], now) : -1;
		if (old >= 0)
			candidates[found++] = (struct candidate){ (int)fd, old };
	}
	qsort(candidates, found, sizeof *candidates, oldest_first);
	for (fd = 0; fd < found && ended < wanted; fd++)
		ended += slow_end(&all[candidates[fd].fd], candidates[fd].fd);
	free(candidates);
	return (ended);
}

/* A thread each becomes free. */
unsigned
evict_heads(struct slow_seen *all, size_t n, unsigned wanted, double now)
{

	return (evict(all, n, wanted, now, head_age));
}

unsigned
evict_idle(struct slow_seen *all, size_t n, unsigned wanted, double now)
{

	return (evict(all, n, wanted, now, idle_age));
}
