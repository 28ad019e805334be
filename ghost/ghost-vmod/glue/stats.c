/*
 * Counters for varnishstat. One segment for the process and one for each listener that gets a counter of its own;
 * none is ever freed, so that whoever counts need not ask.
 */

#include "config.h"

#include "glue.h"
#include "VSC_ghost_listener.h"

struct VSC_ghost *ghost_vsc;
static struct vsc_seg *ghost_seg;

void
stats_start(void)
{

	if (ghost_vsc == NULL)
		ghost_vsc = VSC_ghost_New(NULL, &ghost_seg, "");
}

uint64_t *
stats_listener(const char *name)
{
	struct VSC_ghost_listener *vsc;
	struct vsc_seg *seg = NULL;
	char safe[64];
	size_t i;

	if (name == NULL)
		return (NULL);
	/* Names are dotted paths to varnishstat. */
	for (i = 0; name[i] != '\0' && i < sizeof safe - 1; i++)
		safe[i] = (name[i] > ' ' && name[i] < 127 && name[i] != '.' && name[i] != '/') ? name[i] : '_';
	safe[i] = '\0';
	vsc = VSC_ghost_listener_New(NULL, &seg, "%s", safe);
	return (vsc == NULL ? NULL : &vsc->requests);
}

void
stats_loaded(bool live, size_t refused)
{

	if (live) {
		COUNT(reloads);
		__atomic_store_n(&ghost_vsc->refused, refused, __ATOMIC_RELAXED);
	} else
		COUNT(reload_errors);
}

void
stats_mirror_drops(uint64_t n)
{

	(void)__atomic_fetch_add(&ghost_vsc->mirror_drops, n, __ATOMIC_RELAXED);
}
