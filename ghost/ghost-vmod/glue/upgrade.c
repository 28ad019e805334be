/*
 * The client's side of an upgrade: who may ask for one. The tunnel itself is in tunnel.c.
 */

#include "config.h"

#include "glue.h"
#include "client.h"

/* The header goes, and so does the word of it in Connection. */
static void
drop_upgrade(struct http *hp)
{
	struct ghost_text value, rest;

	hdr_remove(hp, "Upgrade", 7);
	value = hdr_get(hp, "Connection", 10);	/* Varnish has made one line of several */
	if (value.b == NULL)
		return;
	rest = ghost_without_upgrade(value);
	hdr_remove(hp, "Connection", 10);
	if (rest.n > 0)
		(void)hdr_put(hp, "Connection", 10, rest.b, rest.n);
}

/*
 * Whether the request may become a tunnel. If not, it is as any other, and loses what asks for one: bytes behind it, be they a
 * body or the next request, must never reach a backend without having been looked at.
 */
bool
upgrade_recv(VRT_CTX)
{
	struct http *hp = ctx->http_req;
	const struct req *req = ctx->req;

	if (hdr_get(hp, "Upgrade", 7).b == NULL)
		return (false);
	if (hp->protover == 11 && req->esi_level == 0 && strcmp(http_GetMethod(hp), "GET") == 0 &&
	    req->req_body_status == BS_NONE && !req->want100cont && req->htc->pipeline_b == NULL &&
	    ghost_offers_websocket(lines_of(hp)))
		return (true);
	drop_upgrade(hp);
	return (false);
}
