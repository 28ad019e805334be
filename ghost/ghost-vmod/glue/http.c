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

static int
begins(const txt *hd, const char *name, size_t n)
{

	return (hd->b != NULL && (size_t)(hd->e - hd->b) >= n && strncasecmp(hd->b, name, n) == 0);
}

static void
drop(struct http *hp, const char *name, size_t n, int (*match)(const txt *, const char *, size_t))
{
	unsigned u, v;

	for (u = v = HTTP_HDR_FIRST; u < hp->nhd; u++) {
		if (match(&hp->hd[u], name, n)) {
			VSLbt(hp->vsl, (enum VSL_tag_e)(hp->logtag + HTTP_HDR_UNSET), hp->hd[u]);
			continue;
		}
		if (v != u) {
			hp->hd[v] = hp->hd[u];
			hp->hdf[v] = hp->hdf[u];
		}
		v++;
	}
	hp->nhd = (uint16_t)v;
}

void
hdr_remove(struct http *hp, const char *name, size_t n)
{

	CHECK_OBJ_NOTNULL(hp, HTTP_MAGIC);
	drop(hp, name, n, is_named);
}

void
hdr_remove_prefix(struct http *hp, const char *prefix, size_t n)
{

	CHECK_OBJ_NOTNULL(hp, HTTP_MAGIC);
	drop(hp, prefix, n, begins);
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

void
hdr_edit(void *to, uint8_t op, struct ghost_text name, struct ghost_text value)
{
	struct http *hp;

	CAST_OBJ_NOTNULL(hp, to, HTTP_MAGIC);
	if (op == GHOST_REMOVE || op == GHOST_SET)
		hdr_remove(hp, name.b, name.n);
	if (op == GHOST_SET || op == GHOST_ADD)
		(void)hdr_put(hp, name.b, name.n, value.b, value.n);
}

/* The first header of that name, without the spaces around it. */
struct ghost_text
hdr_get(const struct http *hp, const char *name)
{
	struct ghost_text t = { NULL, 0 };
	size_t n = strlen(name);
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
	struct ghost_message m;

	CHECK_OBJ_NOTNULL(hp, HTTP_MAGIC);
	memset(&m, 0, sizeof m);
	m.method = text_of(hp->hd[HTTP_HDR_METHOD].b);
	m.url = text_of(hp->hd[HTTP_HDR_URL].b);
	m.host = hdr_get(hp, "Host");
	m.lines.first = hp->hd + HTTP_HDR_FIRST;
	m.lines.n = (size_t)(hp->nhd - HTTP_HDR_FIRST);
	return (m);
}
