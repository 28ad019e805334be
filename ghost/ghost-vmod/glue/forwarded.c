/*
 * X-Forwarded-For, -Proto, -Host and -Port: who asked, and how, as the backend shall see it. What others have for the same
 * (Forwarded, X-Real-IP, X-Forwarded-Scheme, -Ssl, …) would contradict them, and is a client's word: it goes away. So does what backends take
 * for a path that a proxy has changed (X-Forwarded-Prefix, X-Original-URL, …): links of an answer that others get from the cache would be made
 * of it. And what CGI, WSGI and their kin cannot tell from one of these, since they read '_' as '-'.
 *
 * They are on req, not on bereq alone: what a response varies by is looked for there, and so does the user's VCL. Lines are
 * linked where they can be, because a hit pays for them, too.
 */

#include "config.h"

#include <strings.h>

#include "glue.h"
#include "client.h"

#define PREFIX		"X-Forwarded-"
#define PREFIX_LENGTH	(sizeof PREFIX - 1)

static const char http_line[] = PREFIX "Proto: http";
static const char https_line[] = PREFIX "Proto: https";

enum { FOR = 1, PROTO = 2, HOST = 4, PORT = 8, FOREIGN = 16 };

/* With '_' for '-', too. The name is in lower case. */
static int
begins(const txt *hd, const char *name, size_t n)
{
	size_t i;

	if (hd->e - hd->b < (ptrdiff_t)n)
		return (0);
	for (i = 0; i < n; i++)
		if ((hd->b[i] | 0x20) != name[i] && !(name[i] == '-' && hd->b[i] == '_'))
			return (0);
	return (1);
}

/* What proxies put beside a path that they rewrote; frameworks route by it. */
static int
names_a_path(const txt *hd)
{

	return (begins(hd, "x-original-url:", 15) || begins(hd, "x-original-uri:", 15) || begins(hd, "x-rewrite-url:", 14));
}

static unsigned
which(const txt *hd)
{
	const char *rest;
	size_t n;

	if (hd->b == NULL || hd->e - hd->b < (ptrdiff_t)sizeof "forwarded")
		return (0);
	if ((hd->b[0] | 0x20) == 'f')
		return (begins(hd, "forwarded:", 10) ? FOREIGN : 0);
	if ((hd->b[0] | 0x20) != 'x')
		return (0);
	/* Few headers begin like one of them. */
	if ((hd->b[2] | 0x20) == 'r' || (hd->b[2] | 0x20) == 'o')
		return (begins(hd, "x-real-ip:", 10) || names_a_path(hd) ? FOREIGN : 0);
	if ((hd->b[2] | 0x20) != 'f' || !begins(hd, "x-forwarded-", PREFIX_LENGTH))
		return (0);
	if (strncasecmp(hd->b, PREFIX, PREFIX_LENGTH) != 0)
		return (FOREIGN);
	rest = hd->b + PREFIX_LENGTH;
	n = (size_t)(hd->e - rest);
	if (n >= 4 && strncasecmp(rest, "For:", 4) == 0)
		return (FOR);
	if (n >= 6 && strncasecmp(rest, "Proto:", 6) == 0)
		return (PROTO);
	if (n >= 5 && strncasecmp(rest, "Host:", 5) == 0)
		return (HOST);
	if (n >= 5 && strncasecmp(rest, "Port:", 5) == 0)
		return (PORT);
	return (FOREIGN);
}

/* Varnish has put the client's address behind what the client sent: that alone stays. */
static void
keep_last(struct http *hp, unsigned at)
{
	const char *b = hp->hd[at].b, *e = hp->hd[at].e, *p;

	for (p = e; p > b && p[-1] != ','; p--)
		continue;
	if (p == b)
		return;
	while (p < e && *p == ' ')
		p++;
	hdr_take_out(hp, at);
	(void)hdr_put(hp, PREFIX "For", PREFIX_LENGTH + 3, p, (size_t)(e - p));
}

static void
link_port(struct http *hp, struct client_task *t)
{
	char digits[5], *p = t->port + sizeof PREFIX "Port: " - 1;
	unsigned n = 0, port;

	for (port = t->chosen.port; port > 0; port /= 10)
		digits[n++] = (char)('0' + port % 10);
	memcpy(t->port, PREFIX "Port: ", sizeof PREFIX "Port: " - 1);
	while (n > 0)
		*p++ = digits[--n];
	*p = '\0';
	hdr_link(hp, t->port, (size_t)(p - t->port));
}

void
forwarded_set(VRT_CTX, struct client_task *t, VCL_ACL trusted)
{
	struct http *hp = ctx->http_req;
	unsigned u, found, there = 0, addresses = 0;
	struct ghost_text host;
	int trusts;

	trusts = trusted != NULL && VRT_acl_match(ctx, trusted, VRT_r_client_ip(ctx));
	for (u = HTTP_HDR_FIRST; u < hp->nhd;) {
		found = which(&hp->hd[u]);
		if (found == FOR)
			addresses = u;
		if (found > FOR && !trusts) {
			hdr_take_out(hp, u);
			continue;
		}
		there |= found;
		u++;
	}
	if (addresses != 0 && !trusts)
		keep_last(hp, addresses);
	if (t->chosen.scheme == GHOST_HTTP && !(there & PROTO))
		hdr_link(hp, http_line, sizeof http_line - 1);
	if (t->chosen.scheme == GHOST_HTTPS && !(there & PROTO))
		hdr_link(hp, https_line, sizeof https_line - 1);
	if (t->chosen.port != 0 && !(there & PORT))
		link_port(hp, t);
	if (!(there & HOST)) {
		host = hdr_get(hp, "Host", 4);
		if (host.b != NULL)
			(void)hdr_put(hp, PREFIX "Host", PREFIX_LENGTH + 4, host.b, host.n);
	}
}

/* The host comes last: it is the client's, and could hold what tells the parts apart. */
void
forwarded_hash(VRT_CTX)
{
	const struct http *hp = ctx->http_req;
	const char *value[3] = { "", "", "" };
	unsigned u, found;

	for (u = HTTP_HDR_FIRST; u < hp->nhd; u++) {
		found = which(&hp->hd[u]);
		if (found == PROTO)
			value[0] = hp->hd[u].b + sizeof PREFIX "Proto:" - 1;
		else if (found == PORT)
			value[1] = hp->hd[u].b + sizeof PREFIX "Port:" - 1;
		else if (found == HOST)
			value[2] = hp->hd[u].b + sizeof PREFIX "Host:" - 1;
	}
	VRT_hashdata(ctx, TOSTRANDS(5, value[0], ";", value[1], ";", value[2]));
}
