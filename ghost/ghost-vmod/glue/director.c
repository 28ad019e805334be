/*
 * Directors and backends: the director of a table, and what Rust asks of Varnish.
 */

#include "config.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "glue.h"
#include "fetch.h"

static const struct vdi_methods table_methods[1];

const struct table_director *
table_director(VCL_BACKEND d)
{
	const struct table_director *td;

	if (d == NULL || d->vdir == NULL || d->vdir->methods != table_methods)
		return (NULL);
	CAST_OBJ_NOTNULL(td, d->priv, TABLE_DIRECTOR_MAGIC);
	return (td);
}

static VCL_BACKEND v_matchproto_(vdi_resolve_f)
table_resolve(VRT_CTX, VCL_BACKEND d)
{
	const struct table_director *td;
	struct backend_task *t;

	td = table_director(d);
	AN(td);
	backend_fetch(ctx);
	t = backend_task(ctx, 0);
	if (t == NULL || t->view == NULL)
		return (NULL);
	if (t->attempt.backend == NULL)
		return (td->home->answers);
	t->resolved = 1;
	return (t->attempt.backend);
}

static void v_matchproto_(vdi_destroy_f)
table_destroy(VCL_BACKEND d)
{
	struct table_director *td;

	CAST_OBJ_NOTNULL(td, d->priv, TABLE_DIRECTOR_MAGIC);
	ghost_view_release(td->view);
	FREE_OBJ(td);
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
table_list(VRT_CTX, VCL_BACKEND d, struct vsb *vsb, int pflag, int jflag)
{
	const struct table_director *td;
	struct ghost_summary s;
	struct ghost_text name;
	size_t i, routes;

	(void)ctx;
	td = table_director(d);
	AN(td);
	s = ghost_summary(td->view);
	if (!pflag && !jflag) {
		VSB_printf(vsb, "%zu vhosts, %zu routes\t%s", s.hosts, s.routes, s.newest ? "healthy" : "draining");
		return;
	}
	if (jflag) {
		VSB_printf(vsb, "{\"vhosts\": %zu, \"routes\": %zu, \"endpoints\": %zu, \"newest\": %s",
		    s.hosts, s.routes, s.endpoints, s.newest ? "true" : "false");
		if (pflag)
			VSB_cat(vsb, ", \"hosts\": [");
	} else
		VSB_printf(vsb, "\n  %zu vhosts, %zu routes, %zu endpoints, %s\n",
		    s.hosts, s.routes, s.endpoints, s.newest ? "newest" : "draining");
	for (i = 0; pflag && i < LISTED && ghost_host(td->view, i, &name, &routes); i++) {
		if (jflag) {
			VSB_printf(vsb, "%s{\"name\": \"", i == 0 ? "" : ", ");
			VSB_quote(vsb, name.b, (int)name.n, VSB_QUOTE_JSON);
			VSB_printf(vsb, "\", \"routes\": %zu}", routes);
		} else
			VSB_printf(vsb, "  ghost.%.*s\t%zu routes\n", (int)name.n, name.b, routes);
	}
	if (jflag)
		VSB_cat(vsb, pflag ? "]},\n" : "}");
}

static const struct vdi_methods table_methods[1] = {{
	.magic = VDI_METHODS_MAGIC,
	.type = "ghost",
	.resolve = table_resolve,
	.healthy = always_healthy,
	.destroy = table_destroy,
	.list = table_list,
}};

/*--------------------------------------------------------------------
 * What Rust asks of Varnish. Called on any thread, for VCLs that are warm.
 */

static struct vrt_ctx
ctx_of(const struct backend_home *home)
{
	struct vrt_ctx ctx;

	INIT_OBJ(&ctx, VRT_CTX_MAGIC);
	ctx.vcl = home->vcl;
	return (ctx);
}

static const void *
add_director(void *home, const struct ghost_view *view, const char *name)
{
	struct table_director *td;
	struct vrt_ctx ctx;
	VCL_BACKEND d;

	AN(home);
	ALLOC_OBJ(td, TABLE_DIRECTOR_MAGIC);
	if (td == NULL)
		return (NULL);
	td->view = view;
	td->home = home;
	ctx = ctx_of(home);
	d = VRT_AddDirector(&ctx, table_methods, td, "%s", name);
	if (d == NULL)
		FREE_OBJ(td);
	return (d);
}

/*
 * Gives up our reference; whoever else has one keeps the director, and the last one ends it. (VRT_DelDirector() and
 * VRT_delete_backend() do that only from VRT 17 on: before, they insist on being the last.)
 */
static void
let_go(const void *director)
{
	VCL_BACKEND d = director;

	VRT_Assign_Backend(&d, NULL);
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
	return (d);
}

const struct ghost_vrt ghost_vrt = {
	.add_director = add_director,
	.new_backend = new_backend,
	.let_go = let_go,
	.listener_counter = stats_listener,
	.loaded = stats_loaded,
	.mirrors_failed = stats_mirror_drops,
};
