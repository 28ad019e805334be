/*
 * Directors and backends: the director of a router, and what Rust asks of Varnish.
 */

#include "config.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "glue.h"
#include "fetch.h"

static const struct vdi_methods router_methods[1];

const struct router_home *
router_home(VCL_BACKEND d)
{
	const struct router_home *home;

	if (d == NULL || d->vdir == NULL || d->vdir->methods != router_methods)
		return (NULL);
	CAST_OBJ_NOTNULL(home, d->priv, ROUTER_HOME_MAGIC);
	return (home);
}

static VCL_BACKEND v_matchproto_(vdi_resolve_f)
router_resolve(VRT_CTX, VCL_BACKEND d)
{
	const struct router_home *home;
	struct backend_task *t;

	home = router_home(d);
	AN(home);
	backend_fetch(ctx);
	t = backend_task(ctx, 0);
	if (ctx->req != NULL)
		return (home->tunnels);		/* of a pipe */
	if (t == NULL || t->view == NULL)
		return (NULL);
	if (t->attempt.backend == NULL)
		return (home->answers);
	t->resolved = 1;
	return (t->attempt.backend);
}

VCL_BOOL v_matchproto_(vdi_healthy_f)
always_healthy(VRT_CTX, VCL_BACKEND d, VCL_TIME *changed)
{

	(void)ctx;
	(void)d;
	if (changed != NULL)
		*changed = 0;
	return (1);
}

#define LISTED		1000

static void v_matchproto_(vdi_list_f)
router_list(VRT_CTX, VCL_BACKEND d, struct vsb *vsb, int pflag, int jflag)
{
	const struct router_home *home;
	const struct ghost_view *view;
	struct ghost_summary s;
	struct ghost_text name;
	size_t i, routes;

	(void)ctx;
	home = router_home(d);
	AN(home);
	view = ghost_router_load(home->router);
	s = ghost_summary(view);
	if (!pflag && !jflag)
		VSB_printf(vsb, "%zu vhosts, %zu routes\thealthy", s.hosts, s.routes);
	else if (jflag) {
		VSB_printf(vsb, "{\"vhosts\": %zu, \"routes\": %zu, \"endpoints\": %zu",
		    s.hosts, s.routes, s.endpoints);
		if (pflag)
			VSB_cat(vsb, ", \"hosts\": [");
	} else
		VSB_printf(vsb, "\n  %zu vhosts, %zu routes, %zu endpoints\n", s.hosts, s.routes, s.endpoints);
	for (i = 0; pflag && i < LISTED && ghost_host(view, i, &name, &routes); i++) {
		if (jflag) {
			VSB_printf(vsb, "%s{\"name\": \"", i == 0 ? "" : ", ");
			VSB_quote(vsb, name.b, (int)name.n, VSB_QUOTE_JSON);
			VSB_printf(vsb, "\", \"routes\": %zu}", routes);
		} else
			VSB_printf(vsb, "  ghost.%.*s\t%zu routes\n", (int)name.n, name.b, routes);
	}
	if (jflag)
		VSB_cat(vsb, pflag ? "]},\n" : "}");
	ghost_view_release(view);
}

static const struct vdi_methods router_methods[1] = {{
	.magic = VDI_METHODS_MAGIC,
	.type = "ghost",
	.resolve = router_resolve,
	.healthy = always_healthy,
	.list = router_list,
}};

/* It lives as long as the VCL, which whoever uses it holds: nobody needs to count. */
VCL_BACKEND
router_director_new(VRT_CTX, struct router_home *home, const char *name)
{
	VCL_BACKEND d;

	d = VRT_AddDirector(ctx, router_methods, home, "%s", name);
	if (d != NULL)
		VRT_StaticDirector(d);
	return (d);
}

/*--------------------------------------------------------------------
 * Directors that hand over
 */

/* NULL: there are more threads than we reckoned with. */
struct handover *
handover_at(struct router_home *home, unsigned desk)
{
	struct handover *row, *none = NULL, **place;
	void *room = NULL;
	unsigned u;

	if (desk >= HANDOVER_ROWS * HANDOVER_ROW)
		return (NULL);
	place = &home->handovers[desk / HANDOVER_ROW];
	row = __atomic_load_n(place, __ATOMIC_ACQUIRE);
	if (row == NULL) {
		AZ(posix_memalign(&room, sizeof *row, HANDOVER_ROW * sizeof *row));
		row = memset(room, 0, HANDOVER_ROW * sizeof *row);
		for (u = 0; u < HANDOVER_ROW; u++)
			row[u].director[0] = *home->director;
		if (!__atomic_compare_exchange_n(place, &none, row, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
			free(row);	/* another thread was faster */
			row = none;
		}
	}
	return (&row[desk % HANDOVER_ROW]);
}

/* NULL: it is another director. */
const struct handover *
handover_of(VCL_BACKEND d)
{
	const struct router_home *home = router_home(d);

	return (home == NULL || d == home->director ? NULL : (const struct handover *)d);
}

void
handovers_free(struct router_home *home)
{
	unsigned u;

	for (u = 0; u < HANDOVER_ROWS; u++)
		free(home->handovers[u]);
}

/*--------------------------------------------------------------------
 * What Rust asks of Varnish. Called on any thread, for VCLs that are warm.
 */

static struct vrt_ctx
ctx_of(const struct router_home *home)
{
	struct vrt_ctx ctx;

	INIT_OBJ(&ctx, VRT_CTX_MAGIC);
	ctx.vcl = home->vcl;
	return (ctx);
}

/* No view leads to it any more, and so no fetch. */
static void
let_go(const void *director)
{
	VCL_BACKEND d = director;

	VRT_DelDirector(&d);
}

static const void *
new_backend(void *home, const struct ghost_place *place)
{
	struct sockaddr_in6 in6;
	struct sockaddr_in in4;
	struct vrt_endpoint endpoint;
	struct vrt_backend backend;
	const struct suckaddr *sa = NULL;
	struct vrt_ctx ctx;
	VCL_BACKEND d;

	AN(home);
	AN(place);
	INIT_OBJ(&endpoint, VRT_ENDPOINT_MAGIC);
	if (place->family == 4) {
		memset(&in4, 0, sizeof in4);
		in4.sin_family = AF_INET;
		in4.sin_port = htons(place->port);
		memcpy(&in4.sin_addr, place->address, sizeof in4.sin_addr);
		endpoint.ipv4 = sa = VSA_Malloc(&in4, sizeof in4);
	} else if (place->family == 6) {
		memset(&in6, 0, sizeof in6);
		in6.sin6_family = AF_INET6;
		in6.sin6_port = htons(place->port);
		memcpy(&in6.sin6_addr, place->address, sizeof in6.sin6_addr);
		endpoint.ipv6 = sa = VSA_Malloc(&in6, sizeof in6);
	} else
		endpoint.uds_path = place->path;
	VRT_BACKEND_INIT(&backend);
	backend.endpoint = &endpoint;
	backend.vcl_name = place->name;
	backend.hosthdr = place->host;
	ctx = ctx_of(home);
	d = NEW_BACKEND(&ctx, &backend);
	free(TRUST_ME(sa));
	/* A fetch holds the view that led to it: nobody needs to count. */
	if (d != NULL)
		VRT_StaticDirector(d);
	return (d);
}

static uint64_t
now_ms_of_clock(void)
{

	return (now_ms());
}

const struct ghost_vrt ghost_vrt = {
	.now_ms = now_ms_of_clock,
	.new_backend = new_backend,
	.let_go = let_go,
	.listener_counter = stats_listener,
	.loaded = stats_loaded,
	.mirrors_failed = stats_mirror_drops,
};
