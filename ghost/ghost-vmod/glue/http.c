/*
 * Headers of a struct http, by name and length.
 *
 * Varnish's own functions want names with a length byte in front, and at most 127 characters: names from a table have neither.
 */

#include "config.h"

#include <strings.h>

#include "glue.h"

static int
is_named(const txt *hd, const char *name, size_t n)
{

	return (hd->b != NULL && (size_t)(hd->e - hd->b) > n && hd->b[n] == ':' && strncasecmp(hd->b, name, n) == 0);
}

/* Takes a line out; those behind it move up. */
void
hdr_take_out(struct http *hp, unsigned at)
{
	unsigned behind = hp->nhd - at - 1U;

	VSLbt(hp->vsl, (enum VSL_tag_e)(hp->logtag + HTTP_HDR_UNSET), hp->hd[at]);
	memmove(hp->hd + at, hp->hd + at + 1, behind * sizeof *hp->hd);
	memmove(hp->hdf + at, hp->hdf + at + 1, behind * sizeof *hp->hdf);
	hp->nhd--;
}

void
hdr_remove(struct http *hp, const char *name, size_t n)
{
	unsigned u;

	CHECK_OBJ_NOTNULL(hp, HTTP_MAGIC);
	for (u = HTTP_HDR_FIRST; u < hp->nhd;) {
		if (is_named(&hp->hd[u], name, n))
			hdr_take_out(hp, u);
		else
			u++;
	}
}

/* Few headers begin like one of them: the rest is told apart without a call. */
static inline int
is_inner(const txt *hd, unsigned groups)
{

	if (hd->b == NULL || hd->e - hd->b < 5 || (hd->b[0] | 0x20) != 'x')
		return (0);
	switch (hd->b[2] | 0x20) {
	case 'g':
		if ((groups & INNER_GHOST) && hd->e - hd->b >= 8 && strncasecmp(hd->b, "X-Ghost-", 8) == 0)
			return (1);
		if ((groups & INNER_LISTENER) && is_named(hd, "X-Gateway-Listener", 18))
			return (1);
		return ((groups & INNER_ROUTE) && is_named(hd, "X-Gateway-Route", 15));
	case 'e':
		return ((groups & INNER_KEYS) && is_named(hd, "xkey", 4));
	case 'h':
		return ((groups & INNER_KEYS) && is_named(hd, "X-HashTwo", 9));
	default:
		return (0);
	}
}

/* Takes out the headers that ghost uses inside, in one pass. The log has those that a client sent, and not those of ours. */
void
hdr_remove_inner(struct http *hp, unsigned groups)
{
	unsigned u, kept;

	CHECK_OBJ_NOTNULL(hp, HTTP_MAGIC);
	for (u = HTTP_HDR_FIRST; u < hp->nhd && !is_inner(&hp->hd[u], groups); u++)
		continue;		/* mostly there are none */
	for (kept = u; u < hp->nhd; u++) {
		if (is_inner(&hp->hd[u], groups)) {
			if (groups & INNER_LOGGED)
				VSLbt(hp->vsl, (enum VSL_tag_e)(hp->logtag + HTTP_HDR_UNSET), hp->hd[u]);
			continue;
		}
		hp->hd[kept] = hp->hd[u];
		hp->hdf[kept++] = hp->hdf[u];
	}
	hp->nhd = (uint16_t)kept;
}

/*
 * Takes out what Connection names: such headers end here. Varnish does so when a fetch begins, which is too late for whoever finds a
 * route or makes a key by them. Upgrade is for others to judge.
 */
void
hdr_remove_named(struct http *hp)
{
	unsigned u;

	CHECK_OBJ_NOTNULL(hp, HTTP_MAGIC);
	for (u = HTTP_HDR_FIRST; u < hp->nhd;) {
		if ((hp->hdf[u] & HDF_FILTER) && !is_named(&hp->hd[u], "Upgrade", 7))
			hdr_take_out(hp, u);
		else
			u++;
	}
}

/* Appends a line that has a NUL and outlives the request. It is not logged. */
void
hdr_link(struct http *hp, const char *line, size_t n)
{

	CHECK_OBJ_NOTNULL(hp, HTTP_MAGIC);
	if (hp->nhd >= hp->shd) {
		http_SetHeader(hp, line);	/* which knows what to do about it */
		return;
	}
	hp->hd[hp->nhd] = (txt){ line, line + n };
	hp->hdf[hp->nhd++] = 0;
}

/* The same, and the log is told. */
static void
hdr_link_logged(struct http *hp, struct ghost_text line)
{

	if (line.b == NULL)
		return;
	hdr_link(hp, line.b, line.n);
	VSLbt(hp->vsl, (enum VSL_tag_e)(hp->logtag + HTTP_HDR_FIRST), (txt){ line.b, line.b + line.n });
}

/* The lines are a table's, which whoever has the headers holds. */
void
hdr_tell(struct http *hp, const struct ghost_names *names)
{

	hdr_link_logged(hp, names->listener);
	hdr_link_logged(hp, names->route);
}

/* Appends a header. Varnish takes note of a workspace that is full, and fails the task. */
int
hdr_put(struct http *hp, const char *name, size_t n, const char *value, size_t m)
{
	char *p;

	CHECK_OBJ_NOTNULL(hp, HTTP_MAGIC);
	p = WS_Alloc(hp->ws, (unsigned)(n + m + 3));
	if (p == NULL)
		return (-1);
	memcpy(p, name, n);
	p[n] = ':';
	p[n + 1] = ' ';
	memcpy(p + n + 2, value, m);
	p[n + 2 + m] = '\0';
	http_SetHeader(hp, p);
	return (0);
}

/* Whether Vary names a header already, or all. */
static int
varies_by(const struct http *hp, struct ghost_text name)
{
	const char *p, *e;
	size_t n;
	unsigned u;

	for (u = HTTP_HDR_FIRST; u < hp->nhd; u++) {
		if (!is_named(&hp->hd[u], "Vary", 4))
			continue;
		e = hp->hd[u].e;
		for (p = hp->hd[u].b + 5; p < e; p += n + 1) {
			p += strspn(p, " \t");
			n = strcspn(p, ", \t");
			if ((n == 1 && *p == '*') || (n == name.n && strncasecmp(p, name.b, n) == 0))
				return (1);
		}
	}
	return (0);
}

void
hdr_edit(void *to, uint8_t op, struct ghost_text name, struct ghost_text value)
{
	struct http *hp;

	CAST_OBJ_NOTNULL(hp, to, HTTP_MAGIC);
	if (op == GHOST_ADD && name.n == 4 && strncasecmp(name.b, "vary", 4) == 0 && varies_by(hp, value))
		return;
	if (op == GHOST_REMOVE || op == GHOST_SET)
		hdr_remove(hp, name.b, name.n);
	if (op == GHOST_SET || op == GHOST_ADD)
		(void)hdr_put(hp, name.b, name.n, value.b, value.n);
}

/* The first header of that name, without the spaces around it. */
struct ghost_text
hdr_get(const struct http *hp, const char *name, size_t n)
{
	struct ghost_text t = { NULL, 0 };
	const char *b, *e;
	unsigned u;

	CHECK_OBJ_NOTNULL(hp, HTTP_MAGIC);
	for (u = HTTP_HDR_FIRST; u < hp->nhd; u++) {
		if (!is_named(&hp->hd[u], name, n))
			continue;
		b = hp->hd[u].b + n + 1;
		e = hp->hd[u].e;
		while (b < e && (*b == ' ' || *b == '\t'))
			b++;
		while (e > b && (e[-1] == ' ' || e[-1] == '\t'))
			e--;
		t.b = b;
		t.n = (size_t)(e - b);
		break;
	}
	return (t);
}

/* A copy with a terminator; NULL if the workspace is full. */
const char *
text_copy(struct ws *ws, struct ghost_text t)
{
	char *p;

	p = WS_Alloc(ws, (unsigned)t.n + 1);
	if (p == NULL)
		return (NULL);
	if (t.n > 0)
		memcpy(p, t.b, t.n);
	p[t.n] = '\0';
	return (p);
}

struct ghost_message
message_of(const struct http *hp)
{

	CHECK_OBJ_NOTNULL(hp, HTTP_MAGIC);
	return ((struct ghost_message){
		.method = field_of(hp, HTTP_HDR_METHOD),
		.url = field_of(hp, HTTP_HDR_URL),
		.lines = lines_of(hp),
	});
}

/* Varnish would go on without the headers that there was no room for. */
void
check_room(VRT_CTX, const char *who)
{

	if (WS_Overflowed(ctx->http_req->ws))
		VRT_fail(ctx, "router.%s(): no room for the gateway's headers", who);
}
